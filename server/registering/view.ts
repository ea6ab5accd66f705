/** A stored registration as the outside sees it. */
import { isoIndia, rupees } from '../../engine/index.ts'
import type { EventConfig, Paise, RegistrationAnswer } from '../../engine/index.ts'
import type { StoredRegistration } from '../store/store.ts'

/** The public read of a registration: the answers, the engine's values, and both again under the names of `api.returns`. */
export function registrationView(
  event: EventConfig,
  stored: StoredRegistration,
): RegistrationAnswer['registration'] {
  const amount = (value: Paise | null): number | null => (value === null ? null : rupees(value))
  const attempt = stored.payments.find(({ status }) => status === 'success') ?? stored.payments[0]
  const own = {
    reg_no: stored.regNo,
    order_id: attempt?.orderId ?? stored.regNo,
    payment_status: stored.paymentStatus,
    in_review: stored.inReview,
    payment_date: stored.paidAt === null ? null : isoIndia(stored.paidAt),
    created_at: isoIndia(stored.createdAt),
    attempted_at: attempt === undefined ? null : isoIndia(attempt.createdAt),
    category: stored.category,
    category_label:
      event.categories.find(({ id }) => id === stored.category)?.label ?? stored.category,
    period: stored.period,
    base: amount(stored.base),
    gst: amount(stored.gst),
    total: amount(stored.total),
    may_retry: event.payment !== null && stored.paymentStatus === 'failed' && !stored.inReview,
  }
  const values: Readonly<Record<string, unknown>> = { ...stored.answers, ...own }
  const returned = Object.entries(event.api.returns).map(([wire, value]) => [
    wire,
    Object.hasOwn(values, value) ? values[value] : null,
  ])
  return {
    ...stored.answers,
    ...own,
    ...(Object.fromEntries(returned) as Record<string, unknown>),
    ...own,
  }
}
