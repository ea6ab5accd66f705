/**
 * Work queue: the conditions that need staff attention.
 *
 * The dashboard counts them and every list can filter by them (`?waiting=told`). The store's SQL
 * knows which registrations match each condition.
 */
import { own } from '../lib/result.ts'

/** `label` is shown beside the number; `said` follows "registrations" in the sentence of a list. */
export const WAITING = {
  review: { label: 'Payments to review', said: 'with a payment to review' },
  told: { label: 'Transfers to match', said: 'said to be paid, and not confirmed yet' },
  to_approve: { label: 'Letters to approve', said: 'waiting for approval' },
  cancel_asked: {
    label: 'Cancellations asked for',
    said: 'of which cancellation was asked for, without an answer yet',
  },
  second_payment: {
    label: 'Second payments for one person',
    said: 'paid twice for one name and email address, without a note since',
  },
  pay_back: { label: 'Money to pay back', said: 'with money to be paid back' },
  refund_unsettled: {
    label: 'Refunds in no settlement',
    said: 'with a refund that is in no settlement report five days later, and is not marked as handled',
  },
  mail_failed: {
    label: 'Emails that failed',
    said: 'with an email that failed, and none sent nor a note since',
  },
  pending: {
    label: 'Payments pending for more than a day',
    said: 'pending for more than a day',
  },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly said: string }>>

export type WorkQueueId = keyof typeof WAITING

/** In the order of the dashboard. */
export const WAITING_IDS = Object.keys(WAITING) as readonly WorkQueueId[]

export function isWaitingId(word: string): word is WorkQueueId {
  return own(WAITING, word) !== undefined
}

/** Unmatched money belongs to no registration, so it is counted but no list filters by it. */
export const UNMATCHED = 'unmatched'
export const UNMATCHED_LABEL = 'Money nobody could match'

/** One row of the work queue: the number of registrations of each event; events with none are omitted. */
export type WireWorkQueueItem = {
  id: WorkQueueId | typeof UNMATCHED
  label: string
  /** `more`: counting stopped here. */
  events: { id: string; count: number; more: boolean }[]
}
