/** A stored registration as the office sees it: the answers under their field ids, the engine's values under the specification's names. */
import {
  answerText,
  delegateOf,
  isoIndia,
  own,
  rupees,
  soldValues,
  statusText,
} from '../../engine/index.ts'
import type {
  Answer,
  Scalar,
  EventConfig,
  Field,
  ListRow,
  ListValue,
  Paise,
} from '../../engine/index.ts'
import type { StoredRegistration } from '../store/store.ts'

/**
 * One word for the status. Money that does not fit is a person's work until they decide, so it says Review; what
 * has a price that nobody was ever asked to pay here is registered, and not paid.
 */
export function paymentStatusDisplay({
  paymentStatus,
  inReview,
  total,
  payments,
}: Pick<StoredRegistration, 'paymentStatus' | 'inReview' | 'total' | 'payments'>): string {
  if (paymentStatus === 'success' && (total ?? 0) > 0 && payments.length === 0) return 'Registered'
  return inReview && paymentStatus !== 'success' ? 'Review' : statusText(paymentStatus)
}

/** What to call the delegate: the number where no name was given. */
export function nameOf(
  event: EventConfig,
  { answers, regNo }: Pick<StoredRegistration, 'answers' | 'regNo'>,
): string {
  return delegateOf(event, answers).fullName || regNo
}

const amount = (value: Paise | null): number | null => (value === null ? null : rupees(value))

/** A list is one text in a row: its options or its people in words. */
const cellOf = (event: EventConfig, id: string, answer: Answer | undefined): Scalar | null =>
  answer === undefined ? null : typeof answer === 'object' ? answerText(event, id, answer) : answer

/** Every value twice where it has a label: as stored under its name, for people under `<name>_display`. */
export function listRow(event: EventConfig, registration: StoredRegistration): ListRow {
  const category = event.categories.find(({ id }) => id === registration.category)
  const period = event.fees.periods.find(({ id }) => id === registration.period)
  const row: ListRow = {
    id: registration.id,
    event_id: registration.eventId,
    reg_no: registration.regNo,
    payment_status: registration.paymentStatus,
    payment_status_display: paymentStatusDisplay(registration),
    in_review: registration.inReview,
    in_state: registration.state,
  }
  for (const { id } of event.alsoStored) row[id] = cellOf(event, id, registration.answers[id])
  for (const { id, type } of event.fields) {
    const answer = registration.answers[id]
    row[id] = cellOf(event, id, answer)
    if (type === 'select' || type === 'yes-no')
      row[`${id}_display`] = answer === undefined ? null : answerText(event, id, answer)
  }
  const supplied: Readonly<Record<ListValue, string | number | null>> = {
    id: registration.id,
    reg_no: registration.regNo,
    payment_status: registration.paymentStatus,
    order_id: registration.payments[0]?.orderId ?? null,
    category: registration.category,
    period: registration.period,
    base: amount(registration.base),
    gst: amount(registration.gst),
    total: amount(registration.total),
    payment_id: registration.paymentId,
    payment_date: registration.paidAt === null ? null : isoIndia(registration.paidAt),
    created_at: isoIndia(registration.createdAt),
  }
  const ours: Readonly<Record<string, string | number | null>> = {
    ...soldValues(registration.lines),
    ...supplied,
    category_display: category?.label ?? registration.category,
    registration_category: registration.category,
    registration_category_display: category?.label ?? registration.category,
    period_display: period?.label ?? registration.period,
    base_amount: supplied.base,
    gst_amount: supplied.gst,
    final_amount: supplied.total,
  }
  // An answer keeps its name: `registration_category` may be a field of the form.
  for (const [name, value] of Object.entries(ours))
    if (!(name in row) || row[name] === null) row[name] = value
  for (const [wire, name] of Object.entries(event.api.returns))
    if (!(wire in row)) row[wire] = row[name] ?? null
  return row
}

/** One row for each of the people of a field: whose they are, which of them it is, and what was answered of them. */
export function personCells(
  event: EventConfig,
  field: Field,
  registration: StoredRegistration,
): readonly (readonly (string | number | null)[])[] {
  const people = registration.answers[field.id]
  const category = event.categories.find(({ id }) => id === registration.category)
  const head = [
    registration.regNo,
    nameOf(event, registration),
    category?.label ?? registration.category,
    paymentStatusDisplay(registration),
  ]
  return (typeof people === 'object' ? people : []).flatMap((person, at) =>
    typeof person === 'string'
      ? []
      : [
          [
            ...head,
            at + 1,
            ...(field.fields ?? []).map((part) => partText(part, own(person, part.id) ?? null)),
          ],
        ],
  )
}

function partText(part: Field, answer: Scalar | null): string | number | null {
  if (typeof answer === 'boolean') return answer ? 'Yes' : 'No'
  return part.options?.find(({ id }) => id === answer)?.label ?? answer
}
