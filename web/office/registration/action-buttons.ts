/** The actions that have a button on a registration's page: their labels, order and urgency. */
import type { ActionName } from '../../../engine/index.ts'
import type { ActionsResponse } from '../../../engine/api.ts'

/** The request for an action: its name, the reason, and additional parameters. */
export type ActionRequest = { readonly act: ActionName; readonly why: string } & Readonly<
  Record<string, unknown>
>
/** Labels of the actions that have a button. Other actions are elsewhere on the page. */
export const ACTION_LABELS = {
  approve: 'Approve',
  refuse: 'Reject',
  confirm: 'Record payment',
  came_again: 'Record another payment',
  not_found: 'Mark payment as not found',
  take_up: 'Reopen',
  note: 'Add note',
  correct: 'Edit answers',
  refund: 'Refund',
  handle_refund: 'Mark refund as handled',
  transfer: 'Transfer to another person',
  send_pay_link: 'Send payment link',
  resend: 'Resend confirmation',
  cancel: 'Cancel registration',
  erase: 'Erase personal data',
} as const
export type ButtonAction = keyof typeof ACTION_LABELS

/**
 * Actions that cannot be undone. They are shown last and in red, and their dialogs focus Cancel
 * first.
 */
export const DESTRUCTIVE_ACTIONS: ReadonlySet<ButtonAction> = new Set(['cancel', 'erase'])

/** The usual next steps in each state. */
const MAIN_ACTIONS = {
  to_approve: ['approve', 'refuse'],
  to_pay: ['confirm', 'send_pay_link'],
  told: ['confirm', 'not_found'],
  lapsed: ['confirm', 'send_pay_link'],
  complete: ['resend', 'refund'],
  cancelled: ['refund'],
  refused: ['approve', 'refund'],
} as const satisfies Readonly<Record<ActionsResponse['state'], readonly ButtonAction[]>>

/**
 * Returns the buttons for the actions that the user can perform now: at most two are visible, the others under
 * “More”. A note has its own field.
 */
export function arrangeActions({
  state,
  allowed,
  kept: received,
}: Pick<ActionsResponse, 'state' | 'allowed' | 'kept'>): {
  readonly main: readonly ButtonAction[]
  readonly more: readonly ButtonAction[]
} {
  const available = (Object.keys(ACTION_LABELS) as ButtonAction[]).filter(
    (button) =>
      button !== 'note' && allowed.includes(button) && (button !== 'refund' || received > 0),
  )
  const usualActions: readonly ButtonAction[] = MAIN_ACTIONS[state]
  const main = usualActions.filter((button) => available.includes(button))
  return { main, more: available.filter((button) => !main.includes(button)) }
}

/**
 * Returns whether one click may refund a second payment: the gateway can refund all of it now, and staff have nothing
 * else to consider.
 */
export const canRefundInOneClick = ({
  allowed,
  second_payment: secondPayment,
  kept: received,
  back_by_gateway: gatewayRefundable,
  reviews,
  refund_notes: notes,
}: Pick<
  ActionsResponse,
  'allowed' | 'second_payment' | 'kept' | 'back_by_gateway' | 'reviews' | 'refund_notes'
>): boolean =>
  allowed.includes('refund') &&
  secondPayment !== null &&
  received > 0 &&
  secondPayment.amount === received &&
  gatewayRefundable === received &&
  reviews.length === 0 &&
  notes.length === 0
