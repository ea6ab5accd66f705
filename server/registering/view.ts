/** A stored registration as the outside sees it, and what of the answers the store and the gateway need by meaning. */
import { isoIndia, rupees } from '../../engine/index.ts'
import type { Answers, EventConfig, Paise, RegistrationAnswer } from '../../engine/index.ts'
import type { Searchable, StoredRegistration } from '../store/store.ts'

type Names = { readonly [K in keyof Searchable]: string | undefined }
const names = new WeakMap<EventConfig, Names>()

/** Which fields name a delegate. An event file may call its fields what it likes, so types and usual names decide. */
function namesOf(event: EventConfig): Names {
  const known = names.get(event)
  if (known !== undefined) return known
  const first = (type: 'email' | 'phone' | 'text'): string | undefined =>
    event.fields.find((field) => field.type === type)?.id
  const named = (pattern: RegExp): string | undefined =>
    event.fields.find(({ id }) => pattern.test(id))?.id
  const found = {
    fullName: named(/^(full_)?name$/) ?? named(/name$/) ?? first('text'),
    email: first('email'),
    phone: first('phone'),
    councilNo: named(/_reg_no$/),
  }
  names.set(event, found)
  return found
}

export function searchableOf(event: EventConfig, answers: Answers): Searchable {
  const text = (id: string | undefined): string => {
    const answer = id === undefined ? undefined : answers[id]
    return answer === undefined ? '' : String(answer)
  }
  const { fullName, email, phone, councilNo } = namesOf(event)
  return {
    fullName: text(fullName),
    email: text(email),
    phone: text(phone),
    councilNo: text(councilNo),
  }
}

/** The public read of a registration: the answers, the engine's values, and both again under the names of `api.returns`. */
export function registrationView(
  event: EventConfig,
  stored: StoredRegistration,
): RegistrationAnswer['registration'] {
  const amount = (value: Paise | null): number | null => (value === null ? null : rupees(value))
  const paid = stored.payments.find(({ status }) => status === 'success')
  const own = {
    reg_no: stored.regNo,
    order_id: (paid ?? stored.payments[0])?.orderId ?? stored.regNo,
    payment_status: stored.paymentStatus,
    in_review: stored.inReview,
    payment_date: stored.paidAt === null ? null : isoIndia(stored.paidAt),
    created_at: isoIndia(stored.createdAt),
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
