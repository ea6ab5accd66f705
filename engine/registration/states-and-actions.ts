/**
 * How a registration stands after it is stored, and what people do about it: one table says which act is done in
 * which state and by whom, and guard, wire and buttons all read it.
 */
import type { FieldErrors } from '../event/answer-types.ts'
import { isAtLeast, type Role } from './permissions.ts'
import type { Paise } from '../lib/money.ts'
import { assertNever, err, ok, type Result } from '../lib/result.ts'
import { STATES, STATE_WORDS, type PaymentStatus, type RegistrationState } from './status.ts'
import type { Quote } from '../pricing/quote.ts'

/** Whoever acts: a person of the office by role, the delegate, or the clock. */
export type Actor = Role | 'delegate' | 'clock'

type Row = {
  readonly in: readonly RegistrationState[]
  /** Of the office, who may at least; or who alone may. */
  readonly least: Actor
  /** Left out: the state stays, or follows from the money. */
  readonly becomes?: RegistrationState
  /** It becomes so from this state alone. */
  readonly from?: RegistrationState
  /** Whether it must be said why; a note is its own reason. */
  readonly asksWhy: boolean
}

const ALIVE: readonly RegistrationState[] = ['to_approve', 'to_pay', 'told', 'complete', 'lapsed']

const ACTS = {
  note: { in: STATES, least: 'desk', asksWhy: true },
  /** An answer is changed, and what it costs with it. */
  correct: { in: ALIVE, least: 'owner', asksWhy: true },
  /** Money that came on a way of its own: by transfer, at the desk. */
  confirm: { in: ['to_pay', 'told', 'lapsed'], least: 'desk', asksWhy: false },
  /** Money that came for what has no need of it: paid already, or ended. It is before a person, and counts for nothing by itself. */
  came_again: { in: ['complete', 'cancelled', 'refused'], least: 'desk', asksWhy: false },
  /** Of money in review, as the table of reviews allows it. */
  accept: { in: ALIVE, least: 'treasurer', asksWhy: true },
  dismiss: { in: STATES, least: 'treasurer', asksWhy: true },
  refund: {
    in: ['to_pay', 'told', 'complete', 'cancelled', 'lapsed', 'refused'],
    least: 'treasurer',
    asksWhy: true,
  },
  /** A refund that no settlement report contains has been looked into. */
  handle_refund: { in: STATES, least: 'treasurer', asksWhy: true },
  cancel: { in: ALIVE, least: 'owner', becomes: 'cancelled', asksWhy: true },
  /** Another person comes; number and money stay. */
  transfer: { in: ['complete'], least: 'owner', asksWhy: true },
  /** Made at the desk: it begins a registration, and is done to none. */
  add: { in: [], least: 'desk', asksWhy: false },
  approve: { in: ['to_approve', 'refused'], least: 'owner', becomes: 'to_pay', asksWhy: false },
  refuse: { in: ['to_approve'], least: 'owner', becomes: 'refused', asksWhy: true },
  resend: { in: ['complete'], least: 'desk', asksWhy: false },
  send_pay_link: { in: ['to_pay', 'told', 'lapsed'], least: 'desk', asksWhy: false },
  /** What the bank knows nothing of: the delegate who waits is asked again, and others may use the reference. */
  not_found: { in: STATES, least: 'treasurer', becomes: 'to_pay', from: 'told', asksWhy: true },
  erase: { in: STATES, least: 'owner', asksWhy: true },
  /** "I have paid", on a way that tells us nothing by itself. */
  tell: { in: ['to_pay', 'told', 'lapsed'], least: 'delegate', becomes: 'told', asksWhy: false },
  /** What has lapsed waits to be paid once more, at its price. */
  take_up: { in: ['lapsed'], least: 'treasurer', becomes: 'to_pay', asksWhy: false },
  /** The category that was offered with a refusal. */
  accept_offer: { in: ['refused'], least: 'delegate', becomes: 'to_pay', asksWhy: false },
  /** What delegates may change themselves. */
  edit: {
    in: ['to_approve', 'to_pay', 'told', 'complete'],
    least: 'delegate',
    asksWhy: false,
  },
  /** The office decides. */
  ask_cancel: {
    in: ['to_approve', 'to_pay', 'told', 'complete'],
    least: 'delegate',
    asksWhy: false,
  },
  /** Of a second payment for the same person; the office decides. */
  ask_refund: { in: ['to_pay', 'told', 'complete'], least: 'delegate', asksWhy: false },
  lapse: { in: ['to_pay', 'told'], least: 'clock', becomes: 'lapsed', asksWhy: false },
  /** It lapsed while the server's clock was ahead, and there is time left to pay. */
  reopen: { in: ['lapsed'], least: 'clock', becomes: 'to_pay', asksWhy: false },
} as const satisfies Readonly<Record<string, Row>>

export type ActName = keyof typeof ACTS

const rowOf = (act: ActName): Row => ACTS[act]

export function isActName(word: string): word is ActName {
  return Object.hasOwn(ACTS, word)
}

/** What this actor may do to a registration in that state; buttons are made of it. */
export function allowedActs(state: RegistrationState, actor: Actor): readonly ActName[] {
  return (Object.keys(ACTS) as ActName[]).filter(
    (act) => rowOf(act).in.includes(state) && mayAct(act, actor),
  )
}

/** Whatever the state. */
export function mayAct(act: ActName, actor: Actor): boolean {
  const { least } = rowOf(act)
  if (least === 'delegate' || least === 'clock') return actor === least
  return actor !== 'delegate' && actor !== 'clock' && isAtLeast(actor, least)
}

/** An act as somebody wants it done; `why` is trimmed here. */
export type WantedAct = { readonly act: ActName; readonly actor: Actor; readonly why: string }

export type ActRefusal = {
  readonly code:
    | 'not_your_role'
    | 'not_now'
    | 'no_grounds'
    | 'not_there'
    /** The same key came with another act. */
    | 'act_key_reused'
    /** It is not any more as whoever acts has seen it. */
    | 'moved_on'
    /** It costs something else by it, and whoever acts has not agreed to that yet. */
    | 'price_changes'
    /** What was given for it cannot be used; the message says what. */
    | 'bad_data'
    /** Others have what it would take: a place, an answer that stands once. */
    | 'taken'
  readonly message: string
  /** Of `bad_data`: what is wrong with each answer that was given. */
  readonly errors?: FieldErrors
  /** Of `price_changes`: what it would cost. */
  readonly quote?: Quote
}

/**
 * Pure; the store writes the act and its effect in one transaction, on the state as it is there. Answers the
 * state that follows from the act alone: what money does to it is `stateAfter`.
 */
export function judgeAct(
  state: RegistrationState,
  { act, actor, why }: WantedAct,
): Result<{ readonly becomes: RegistrationState; readonly why: string }, ActRefusal> {
  const row = rowOf(act)
  if (!mayAct(act, actor))
    return err({
      code: 'not_your_role',
      message:
        row.least === 'delegate' || row.least === 'clock'
          ? `Nobody in the office can ${ACT_WORDS[act]}.`
          : `To ${ACT_WORDS[act]} takes the role ${row.least}; yours is ${actor}.`,
    })
  if (!row.in.includes(state))
    return err({
      code: 'not_now',
      message: `You cannot ${ACT_WORDS[act]} now: this registration is ${STATE_WORDS[state]}.`,
    })
  const said = why.trim()
  if (row.asksWhy && said === '')
    return err({
      code: 'no_grounds',
      message:
        act === 'note'
          ? 'Write the note.'
          : 'Say why: whoever reads it later, and the delegate who asks, must know.',
    })
  if (said.length > GROUNDS_CHARACTERS_MAX)
    return err({
      code: 'no_grounds',
      message: `This takes at most ${GROUNDS_CHARACTERS_MAX} characters.`,
    })
  const { becomes = state, from = state } = row
  return ok({ becomes: from === state ? becomes : state, why: said })
}

/** Of a reason that staff type: a sentence or three. */
export const GROUNDS_CHARACTERS_MAX = 500

/** What the money of a registration says. */
export type MoneyStands = {
  readonly status: PaymentStatus
  /** What failed did so because nobody paid in time. */
  readonly hasExpired: boolean
  /** A difference that a correction left: above nothing it is still to be paid. */
  readonly due: Paise
  /** There is a day until which it can be paid: the clock lets it lapse, and no order that expires. */
  readonly hasTerm: boolean
}

/** The state after something happened to the money; what people have ended, or have not begun, money does not move. */
export function stateAfter(
  state: RegistrationState,
  { status, hasExpired, due, hasTerm }: MoneyStands,
): RegistrationState {
  if (state === 'cancelled' || state === 'refused' || state === 'to_approve') return state
  if (state === 'lapsed' && hasTerm && status !== 'success' && status !== 'refunded') return state
  const open = state === 'told' ? 'told' : 'to_pay'
  switch (status) {
    case 'success':
      return due > 0 ? open : 'complete'
    case 'refunded':
      return 'cancelled'
    case 'pending':
      return open
    case 'failed':
      return hasExpired && !hasTerm ? 'lapsed' : open
    default:
      return assertNever(status)
  }
}

/** After "To" and "You cannot". */
const ACT_WORDS = {
  note: 'write a note',
  correct: 'correct an answer',
  confirm: 'confirm a payment',
  came_again: 'say that more money came',
  accept: 'accept a payment',
  dismiss: 'dismiss a payment',
  refund: 'refund',
  handle_refund: 'mark its refund as handled',
  cancel: 'cancel it',
  transfer: 'transfer it',
  add: 'add a registration',
  approve: 'approve it',
  refuse: 'refuse it',
  resend: 'send the confirmation again',
  send_pay_link: 'send a link to pay',
  not_found: 'say that the payment was not found',
  erase: 'erase it',
  tell: 'say that it was paid',
  take_up: 'take it up again',
  accept_offer: 'accept the offered category',
  edit: 'edit the answers',
  ask_cancel: 'ask for cancellation',
  ask_refund: 'request a refund',
  lapse: 'let it lapse',
  reopen: 'reopen it',
} as const satisfies Readonly<Record<ActName, string>>

/** At the head of a line of the trail. */
export const ACT_DONE = {
  note: 'Note',
  correct: 'Corrected',
  confirm: 'Payment confirmed',
  came_again: 'More money came',
  accept: 'Payment accepted',
  dismiss: 'Review ended',
  refund: 'Refund',
  handle_refund: 'Refund handled',
  cancel: 'Cancelled',
  transfer: 'Transferred',
  add: 'Added at the desk',
  approve: 'Approved',
  refuse: 'Refused',
  resend: 'Confirmation sent again',
  send_pay_link: 'Link to pay sent',
  not_found: 'Payment not found',
  erase: 'Erased',
  tell: 'Said to be paid',
  take_up: 'Taken up again',
  accept_offer: 'Offer accepted',
  edit: 'Changed by the delegate',
  ask_cancel: 'Cancellation asked for',
  ask_refund: 'Refund requested',
  lapse: 'Lapsed',
  reopen: 'Reopened',
} as const satisfies Readonly<Record<ActName, string>>
