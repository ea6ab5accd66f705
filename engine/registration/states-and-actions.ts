/**
 * Table of registration states and actions: which action is allowed in which state, and who may perform it.
 *
 * Checks, API and buttons all use this table.
 */
import type { FieldErrors } from '../event/answer-types.ts'
import { isAtLeast, type Role } from './permissions.ts'
import type { Amount } from '../lib/money.ts'
import { assertNever, err, ok, type Result } from '../lib/result.ts'
import {
  REGISTRATION_STATES,
  getStateLabel,
  type PaymentStatus,
  type RegistrationState,
} from './registration-and-payment-states.ts'
import type { Quote } from '../pricing/quote.ts'

/** A staff user by role, the delegate, or the clock. */
export type Actor = Role | 'delegate' | 'clock'

type ActionRow = {
  readonly allowedStates: readonly RegistrationState[]
  /** The lowest staff role that can perform the action, or the only other actor who can. */
  readonly minimumActor: Actor
  /** The state after the action. Absent if it is unchanged or follows from the payments. */
  readonly nextState?: RegistrationState
  /** The state changes only if the current state is this one. */
  readonly requiredState?: RegistrationState
  /** Whether a reason is required. A note is its own reason. */
  readonly requiresReason: boolean
}

const ACTIVE_STATES: readonly RegistrationState[] = [
  'to_approve',
  'to_pay',
  'told',
  'complete',
  'lapsed',
]

const ACTION_TABLE = {
  note: { allowedStates: REGISTRATION_STATES, minimumActor: 'desk', requiresReason: true },
  /** Undoes the user's own note, whose text is the reason. The history keeps both. */
  undo_note: { allowedStates: REGISTRATION_STATES, minimumActor: 'desk', requiresReason: true },
  /** Changes an answer, which may change the price. */
  correct: { allowedStates: ACTIVE_STATES, minimumActor: 'owner', requiresReason: true },
  /** Records a payment by a manual payment method: transfer, front desk. */
  confirm: {
    allowedStates: ['to_pay', 'told', 'lapsed'],
    minimumActor: 'desk',
    requiresReason: false,
  },
  /**
   * Records an extra payment for a registration that is already paid or has ended. The payment
   * needs review and does not count until staff decide.
   */
  came_again: {
    allowedStates: ['complete', 'cancelled', 'refused'],
    minimumActor: 'desk',
    requiresReason: false,
  },
  /** Decisions on payment reviews; `payment-review.ts` lists those allowed for each kind. */
  accept: { allowedStates: ACTIVE_STATES, minimumActor: 'treasurer', requiresReason: true },
  dismiss: { allowedStates: REGISTRATION_STATES, minimumActor: 'treasurer', requiresReason: true },
  refund: {
    allowedStates: ['to_pay', 'told', 'complete', 'cancelled', 'lapsed', 'refused'],
    minimumActor: 'treasurer',
    requiresReason: true,
  },
  /** Marks a refund that is not in any settlement report as checked. */
  handle_refund: {
    allowedStates: REGISTRATION_STATES,
    minimumActor: 'treasurer',
    requiresReason: true,
  },
  cancel: {
    allowedStates: ACTIVE_STATES,
    minimumActor: 'owner',
    nextState: 'cancelled',
    requiresReason: true,
  },
  /** Transfers the registration to another person, with its number and payments. */
  transfer: { allowedStates: ['complete'], minimumActor: 'owner', requiresReason: true },
  /** Manual registration at the desk. It creates a registration, so it is not allowed in any state. */
  add: { allowedStates: [], minimumActor: 'desk', requiresReason: false },
  approve: {
    allowedStates: ['to_approve', 'refused'],
    minimumActor: 'owner',
    nextState: 'to_pay',
    requiresReason: false,
  },
  refuse: {
    allowedStates: ['to_approve'],
    minimumActor: 'owner',
    nextState: 'refused',
    requiresReason: true,
  },
  resend: { allowedStates: ['complete'], minimumActor: 'desk', requiresReason: false },
  send_pay_link: {
    allowedStates: ['to_pay', 'told', 'lapsed'],
    minimumActor: 'desk',
    requiresReason: false,
  },
  /**
   * Rejects a payment claim that is not on the bank statement. Payment is due again, and others may
   * use the reference.
   */
  not_found: {
    allowedStates: REGISTRATION_STATES,
    minimumActor: 'treasurer',
    nextState: 'to_pay',
    requiredState: 'told',
    requiresReason: true,
  },
  erase: { allowedStates: REGISTRATION_STATES, minimumActor: 'owner', requiresReason: true },
  /** Reports a payment ("I have paid") by a payment method without automatic confirmation. */
  tell: {
    allowedStates: ['to_pay', 'told', 'lapsed'],
    minimumActor: 'delegate',
    nextState: 'told',
    requiresReason: false,
  },
  /** Reopens an expired registration, at its original price. */
  take_up: {
    allowedStates: ['lapsed'],
    minimumActor: 'treasurer',
    nextState: 'to_pay',
    requiresReason: false,
  },
  /** Accepts the category that was offered with a refusal. */
  accept_offer: {
    allowedStates: ['refused'],
    minimumActor: 'delegate',
    nextState: 'to_pay',
    requiresReason: false,
  },
  /** The delegate changes answers. */
  edit: {
    allowedStates: ['to_approve', 'to_pay', 'told', 'complete'],
    minimumActor: 'delegate',
    requiresReason: false,
  },
  /** Requests a cancellation; the office decides. */
  ask_cancel: {
    allowedStates: ['to_approve', 'to_pay', 'told', 'complete'],
    minimumActor: 'delegate',
    requiresReason: false,
  },
  /** Requests a refund of a second payment for the same person; the office decides. */
  ask_refund: {
    allowedStates: ['to_pay', 'told', 'complete'],
    minimumActor: 'delegate',
    requiresReason: false,
  },
  /** Withdraws that request. Allowed until staff decide on it. */
  withdraw_refund: {
    allowedStates: ['to_pay', 'told', 'complete'],
    minimumActor: 'delegate',
    requiresReason: false,
  },
  lapse: {
    allowedStates: ['to_pay', 'told'],
    minimumActor: 'clock',
    nextState: 'lapsed',
    requiresReason: false,
  },
  /**
   * Reopens a registration that expired while the server's clock was ahead and that still has time
   * to pay.
   */
  reopen: {
    allowedStates: ['lapsed'],
    minimumActor: 'clock',
    nextState: 'to_pay',
    requiresReason: false,
  },
} as const satisfies Readonly<Record<string, ActionRow>>

export type ActionName = keyof typeof ACTION_TABLE

const getActionRow = (action: ActionName): ActionRow => ACTION_TABLE[action]

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(ACTION_TABLE, name)
}

/**
 * Returns the actions that the actor can perform in a state. The office shows a button for each.
 */
export function listAllowedActions(state: RegistrationState, actor: Actor): readonly ActionName[] {
  return (Object.keys(ACTION_TABLE) as ActionName[]).filter(
    (action) => getActionRow(action).allowedStates.includes(state) && canAct(action, actor),
  )
}

/** Returns true if the actor can perform the action in some state. */
export function canAct(action: ActionName, actor: Actor): boolean {
  const { minimumActor } = getActionRow(action)
  if (minimumActor === 'delegate' || minimumActor === 'clock') return actor === minimumActor
  return actor !== 'delegate' && actor !== 'clock' && isAtLeast(actor, minimumActor)
}

/** A requested action. `why` is trimmed later. */
export type RequestedAction = {
  readonly act: ActionName
  readonly actor: Actor
  readonly why: string
}

export type ActionRefusal = {
  readonly code:
    | 'not_your_role'
    | 'not_now'
    | 'no_grounds'
    | 'not_there'
    /** The same idempotency key was sent with a different action. */
    | 'act_key_reused'
    /** The registration has changed since the actor loaded it. */
    | 'moved_on'
    /** The action changes the price, and the actor has not confirmed the new price. */
    | 'price_changes'
    /** The submitted data is invalid; the message explains it. */
    | 'bad_data'
    /** Another registration has taken the seat, or uses an answer that must be unique. */
    | 'taken'
    /** A payment link was sent within the reminder interval. */
    | 'reminded'
  readonly message: string
  /** For `bad_data`: the error for each invalid answer. */
  readonly errors?: FieldErrors
  /** For `price_changes`: the new price. */
  readonly quote?: Quote
}

/**
 * Checks an action. Pure: the store saves the action and its effect on the current state in one
 * transaction. Returns the state that follows from the action alone; `computeNextState` takes
 * payments into account. Only the text of a refusal depends on `paymentStatus`.
 */
export function checkAction(
  state: RegistrationState,
  { act: action, actor, why }: RequestedAction,
  paymentStatus?: PaymentStatus,
): Result<{ readonly nextState: RegistrationState; readonly why: string }, ActionRefusal> {
  const row = getActionRow(action)
  if (!canAct(action, actor))
    return err({
      code: 'not_your_role',
      message:
        row.minimumActor === 'delegate' || row.minimumActor === 'clock'
          ? `Staff cannot ${ACTION_PHRASES[action]}.`
          : `You need the ${row.minimumActor} role to ${ACTION_PHRASES[action]}. Your role is ${actor}.`,
    })
  if (!row.allowedStates.includes(state))
    return err({
      code: 'not_now',
      message: `You cannot ${ACTION_PHRASES[action]} now. The registration is ${getStateLabel({ state, paymentStatus })}.`,
    })
  const reason = trimReason(why)
  if (row.requiresReason && reason === '')
    return err({
      code: 'no_grounds',
      message:
        action === 'note'
          ? 'Enter the note.'
          : 'Enter a reason. It explains the decision to your colleagues and the delegate.',
    })
  if (reason.length > MAX_REASON_CHARACTERS)
    return err({
      code: 'no_grounds',
      message: `Enter at most ${MAX_REASON_CHARACTERS} characters.`,
    })
  const { nextState = state, requiredState = state } = row
  return ok({ nextState: requiredState === state ? nextState : state, why: reason })
}

/** Returns a reason without surrounding spaces; '' if it has no visible characters. */
export const trimReason = (why: string): string =>
  /[^\s\p{Default_Ignorable_Code_Point}]/u.test(why) ? why.trim() : ''

/** The maximum length of a reason that staff enter: up to three sentences. */
export const MAX_REASON_CHARACTERS = 500

/** The data about a registration's payment that determines its state. */
export type PaymentSituation = {
  readonly status: PaymentStatus
  /** Whether the payment failed because it expired. */
  readonly hasExpired: boolean
  /** The balance after a correction; if positive, it is still to be paid. */
  readonly due: Amount
  /** Whether the registration itself has a payment deadline, in addition to its order's. */
  readonly hasPaymentDeadline: boolean
}

/**
 * Returns the state after a payment event. Payments do not change a registration that was cancelled
 * or refused, or that awaits approval.
 */
export function computeNextState(
  state: RegistrationState,
  { status, hasExpired, due, hasPaymentDeadline }: PaymentSituation,
): RegistrationState {
  if (state === 'cancelled' || state === 'refused' || state === 'to_approve') return state
  if (state === 'lapsed' && hasPaymentDeadline && status !== 'success' && status !== 'refunded')
    return state
  const openState = state === 'told' ? 'told' : 'to_pay'
  switch (status) {
    case 'success':
      return due > 0 ? openState : 'complete'
    case 'refunded':
      return 'cancelled'
    case 'pending':
      return openState
    case 'failed':
      return hasExpired && !hasPaymentDeadline ? 'lapsed' : openState
    default:
      return assertNever(status)
  }
}

/** Used after "You need the role to" and "You cannot". */
const ACTION_PHRASES = {
  note: 'add a note',
  undo_note: 'undo a note',
  correct: 'correct answers',
  confirm: 'record a payment',
  came_again: 'record another payment',
  accept: 'accept a payment',
  dismiss: 'ignore a payment',
  refund: 'refund a payment',
  handle_refund: 'mark a refund as handled',
  cancel: 'cancel this registration',
  transfer: 'transfer this registration',
  add: 'add a registration',
  approve: 'approve this registration',
  refuse: 'reject this registration',
  resend: 'resend the confirmation',
  send_pay_link: 'send a payment link',
  not_found: 'reject a payment claim',
  erase: 'erase personal data',
  tell: 'report a payment',
  take_up: 'reopen this registration',
  accept_offer: 'accept the offered category',
  edit: 'edit the answers',
  ask_cancel: 'request a cancellation',
  ask_refund: 'request a refund',
  withdraw_refund: 'withdraw the refund request',
  lapse: 'expire this registration',
  reopen: 'reopen this registration',
} as const satisfies Readonly<Record<ActionName, string>>

/** Used at the beginning of a history entry. */
export const ACTION_HISTORY_TEXTS = {
  note: 'Note',
  undo_note: 'Note undone',
  correct: 'Corrected',
  confirm: 'Payment recorded',
  came_again: 'Another payment recorded',
  accept: 'Payment accepted',
  dismiss: 'Payment ignored',
  refund: 'Refund',
  handle_refund: 'Refund marked as handled',
  cancel: 'Cancelled',
  transfer: 'Transferred',
  add: 'Added by staff',
  approve: 'Approved',
  refuse: 'Rejected',
  resend: 'Confirmation resent',
  send_pay_link: 'Payment link sent',
  not_found: 'Payment not found',
  erase: 'Personal data erased',
  tell: 'Reported as paid',
  take_up: 'Reopened',
  accept_offer: 'Offer accepted',
  edit: 'Changed by the delegate',
  ask_cancel: 'Cancellation requested',
  ask_refund: 'Refund requested',
  withdraw_refund: 'Refund request withdrawn',
  lapse: 'Expired',
  reopen: 'Reopened',
} as const satisfies Readonly<Record<ActionName, string>>
