/** The actions that have a button on a registration's page, with their labels. */
import type { ActionName } from '../../../engine/index.ts'

/** Request of an action: its name, its reason, and its additional parameters. */
export type ActionRequest = { readonly act: ActionName; readonly why: string } & Readonly<
  Record<string, unknown>
>
/** Actions with a button in the Actions section; the others are elsewhere on the page. */
export const ACTION_LABELS = {
  approve: 'Approve',
  refuse: 'Refuse',
  confirm: 'Record payment',
  came_again: 'Record another payment',
  not_found: 'Payment not found',
  take_up: 'Reopen',
  note: 'Add note',
  correct: 'Correct answers',
  refund: 'Refund',
  handle_refund: 'Mark refund as handled',
  cancel: 'Cancel registration',
  transfer: 'Transfer to another person',
  erase: 'Erase personal data',
  send_pay_link: 'Send payment link',
  resend: 'Resend confirmation',
} as const
export type ButtonAction = keyof typeof ACTION_LABELS

/** Actions that cannot be undone: shown last, in red, and their dialogs begin at Cancel. */
export const DESTRUCTIVE_ACTIONS: ReadonlySet<ButtonAction> = new Set(['cancel', 'erase'])
