/**
 * Work queue: the conditions that need staff attention.
 *
 * The dashboard counts the registrations that meet each one, and every list can be filtered by them
 * (`?waiting=told`). The store has an SQL expression for each.
 */
import { getOwn } from '../lib/result.ts'

/**
 * `label` is shown next to the number. `inSentence` follows "registrations" in the sentence about a
 * list.
 */
export const WORK_QUEUE = {
  review: { label: 'Needs review', inSentence: 'needing review' },
  dispute: {
    label: 'Disputed payments that need evidence',
    inSentence: 'with a disputed payment that needs evidence',
  },
  dispute_lost: {
    label: 'Lost disputes to record',
    inSentence: 'with a lost dispute, and no refund or note since',
  },
  told: {
    label: 'Payments reported by delegates',
    inSentence: 'reported as paid but not confirmed',
  },
  to_approve: { label: 'Waiting for approval', inSentence: 'waiting for approval' },
  cancel_asked: {
    label: 'Cancellation requests',
    inSentence: 'with an open cancellation request',
  },
  second_payment: {
    label: 'Possible duplicate payments',
    inSentence: 'possibly paid twice (same name and email), without a note since',
  },
  pay_back: { label: 'Refunds to make', inSentence: 'with a refund to make' },
  refund_unsettled: {
    label: 'Refunds missing from settlements',
    inSentence: 'with a refund missing from the settlement reports after five days',
  },
  rate_missing: {
    label: 'Invoices waiting for an exchange rate',
    inSentence: 'whose invoice is waiting for an exchange rate',
  },
  mail_failed: {
    label: 'Failed emails',
    inSentence: 'with a failed email, and no email or note since',
  },
  pending: {
    label: 'Unpaid for more than 24 hours',
    inSentence: 'unpaid for more than 24 hours',
  },
} as const satisfies Readonly<
  Record<string, { readonly label: string; readonly inSentence: string }>
>

export type WorkQueueId = keyof typeof WORK_QUEUE

/** In the order of the dashboard. */
export const WORK_QUEUE_IDS = Object.keys(WORK_QUEUE) as readonly WorkQueueId[]

export function isWorkQueueId(value: string): value is WorkQueueId {
  return getOwn(WORK_QUEUE, value) !== undefined
}

/**
 * Unmatched payments do not belong to any registration, so they are counted, but lists cannot be filtered by them.
 */
export const UNMATCHED_ID = 'unmatched'
export const UNMATCHED_LABEL = 'Unmatched payments'

/** One row of the work queue: the number of registrations per event. Events without registrations are omitted. */
export type WireWorkQueueItem = {
  id: WorkQueueId | typeof UNMATCHED_ID
  label: string
  /** `more`: counting stopped at this number. */
  events: { id: string; count: number; more: boolean }[]
  /** Sentences that describe the most urgent disputes. */
  details?: string[]
}
