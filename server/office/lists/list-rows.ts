/** Builds list rows from registrations: answers by field id, values by the specification's names. */
import {
  answerText,
  assertNever,
  readDelegate,
  endedText,
  isoIndia,
  getOwn,
  memoize,
  rupees,
  soldColumns,
  soldValues,
  statusText,
} from '../../../engine/index.ts'
import type {
  Answer,
  Column,
  Scalar,
  EventConfig,
  Field,
  ListValue,
  Paise,
} from '../../../engine/index.ts'
import type { ListRow } from '../../../engine/api.ts'
import type { ListedRegistration } from '../../storage/index.ts'

/**
 * Returns the short payment status. A final state comes first. An amount that does not match shows Review until
 * staff decide. A registration with a price for which no payment was ever requested here shows as registered, not
 * as paid.
 */
export function paymentStatusDisplay(registration: Standing): string {
  // Refunded before the import, so it was not cancelled here.
  if (registration.formerNo !== null && registration.paymentStatus === 'refunded')
    return statusText('refunded')
  return endedText(registration) ?? moneyDisplay(registration)
}
type Standing = Pick<
  ListedRegistration,
  'paymentStatus' | 'inReview' | 'total' | 'payments' | 'state' | 'formerNo'
>

function moneyDisplay({
  paymentStatus,
  inReview,
  total,
  payments,
}: Pick<ListedRegistration, 'paymentStatus' | 'inReview' | 'total' | 'payments'>): string {
  if (paymentStatus === 'success' && (total ?? 0) > 0 && payments.length === 0) return 'Registered'
  return inReview && paymentStatus !== 'success' ? 'Review' : statusText(paymentStatus)
}

/** Returns the delegate's name; the registration number if no name was given. */
export function nameOf(
  event: EventConfig,
  { answers, regNo }: Pick<ListedRegistration, 'answers' | 'regNo'>,
): string {
  return readDelegate(event, answers).fullName || regNo
}

const amount = (value: Paise | null): number | null => (value === null ? null : rupees(value))

/** A list becomes a single text: its options or persons in words. */
const cellOf = (event: EventConfig, id: string, answer: Answer | undefined): Scalar | null =>
  answer === undefined ? null : typeof answer === 'object' ? answerText(event, id, answer) : answer

type Maker = (registration: ListedRegistration) => Scalar | null
type Makers = ReadonlyMap<string, Maker>

const soldOf = memoize(({ lines }: ListedRegistration) => soldValues(lines))

/** Maps each value's name to the function that produces it: built once per version of an event, not per row. */
const makersOf = memoize((event: EventConfig): Makers => {
  const categories = new Map(event.categories.map(({ id, label }) => [id as string, label]))
  const periods = new Map(event.fees.periods.map(({ id, label }) => [id as string, label]))
  const category: Maker = ({ category: id }) => (id === null ? null : (categories.get(id) ?? id))
  const period: Maker = ({ period: id }) => (id === null ? null : (periods.get(id) ?? id))
  const supplied: Readonly<Record<ListValue, Maker>> = {
    id: ({ id }) => id,
    reg_no: ({ regNo }) => regNo,
    payment_status: ({ paymentStatus }) => paymentStatus,
    order_id: ({ payments }) => payments[0]?.orderId ?? null,
    category: ({ category: id }) => id,
    period: ({ period: id }) => id,
    base: ({ base }) => amount(base),
    gst: ({ gst }) => amount(gst),
    total: ({ total }) => amount(total),
    payment_id: ({ paymentId }) => paymentId,
    payment_date: ({ paidAt }) => (paidAt === null ? null : isoIndia(paidAt)),
    created_at: ({ createdAt }) => isoIndia(createdAt),
  }
  const ours: Readonly<Record<string, Maker>> = {
    ...Object.fromEntries(
      soldColumns(event).map(({ id }): [string, Maker] => [
        id,
        (registration) => getOwn(soldOf(registration), id) ?? null,
      ]),
    ),
    ...supplied,
    'money.paid': ({ money }) => amount(money.paid),
    'money.refunded': ({ money }) => amount(money.refunded),
    'money.owed': ({ money }) => amount(money.owed),
    category_display: category,
    registration_category: supplied.category,
    registration_category_display: category,
    period_display: period,
    base_amount: supplied.base,
    gst_amount: supplied.gst,
    final_amount: supplied.total,
  }
  const makers = new Map<string, Maker>([
    ['id', supplied.id],
    ['event_id', ({ eventId }) => eventId],
    ['reg_no', supplied.reg_no],
    ['payment_status', supplied.payment_status],
    ['payment_status_display', paymentStatusDisplay],
    ['in_review', ({ inReview }) => inReview],
    ['in_state', ({ state }) => state],
  ])
  for (const { id } of event.alsoStored)
    makers.set(id, ({ answers }) => cellOf(event, id, answers[id]))
  for (const { id, type } of event.fields) {
    makers.set(id, ({ answers }) => cellOf(event, id, answers[id]))
    if (type === 'select' || type === 'yes-no')
      makers.set(`${id}_display`, ({ answers }) => {
        const answer = answers[id]
        return answer === undefined ? null : answerText(event, id, answer)
      })
  }
  // An answer keeps its name: `registration_category` may be a form field.
  for (const [name, make] of Object.entries(ours)) {
    const answered = makers.get(name)
    makers.set(
      name,
      answered === undefined
        ? make
        : (registration) => answered(registration) ?? make(registration),
    )
  }
  for (const [wire, name] of Object.entries(event.api.returns))
    if (!makers.has(wire)) makers.set(wire, makers.get(name) ?? (() => null))
  return makers
})

/** Includes a value twice if it has a label: as stored under its name, and readable under `<name>_display`. */
export function listRow(event: EventConfig, registration: ListedRegistration): ListRow {
  const row: Record<string, Scalar | null> = {}
  for (const [name, make] of makersOf(event)) row[name] = make(registration)
  // Items sold under an older version of the file are still on the bill.
  for (const [name, value] of Object.entries(soldOf(registration))) row[name] ??= value
  return row as ListRow
}

/** Values that a list page shows beside its columns: name, state, and the parts of the total. */
const BESIDE_COLUMNS = [
  'id',
  'reg_no',
  'payment_status',
  'payment_status_display',
  'in_review',
  'in_state',
  'base',
  'gst',
  'total',
  'created_at',
]

/**
 * Builds rows that hold only the values of the given columns, without empty ones: a quarter of the size of a full
 * row.
 */
export function listedRows(
  event: EventConfig,
  columns: readonly Column[],
): (registration: ListedRegistration) => ListRow {
  const makers = makersOf(event)
  const names = new Set([...BESIDE_COLUMNS, ...columns.flatMap(({ id }) => [id, `${id}_display`])])
  const made = [...names].flatMap((name): [string, Maker][] => {
    const make = makers.get(name)
    return make === undefined ? [] : [[name, make]]
  })
  return (registration) => {
    const row: Record<string, Scalar> = {}
    for (const [name, make] of made) {
      const value = make(registration)
      if (value !== null) row[name] = value
    }
    return row as ListRow
  }
}

/**
 * Builds the cells of a file in a readable form that a spreadsheet can sort: money as a plain number, instants in
 * Indian time. Empty text: no value.
 */
export function fileCells(
  event: EventConfig,
  columns: readonly Column[],
): (registration: ListedRegistration) => (Scalar | '')[] {
  const makers = makersOf(event)
  const cells = columns.map((column) => {
    const value = makers.get(column.id) ?? (() => null)
    return cellMaker(column, value, makers.get(`${column.id}_display`) ?? value)
  })
  return (registration) => cells.map((make) => make(registration) ?? '')
}

/**
 * Added to the word for success if more than the requested amount arrived, or something else needs a staff
 * decision.
 */
const REVIEW = 'in review'

/** `display`: the value in words. */
function cellMaker({ kind }: Column, value: Maker, display: Maker): Maker {
  const inWords: Maker = (registration) =>
    value(registration) === null ? null : (display(registration) ?? value(registration))
  switch (kind) {
    case 'date':
      return (registration) => {
        const text = value(registration)
        return text === null
          ? null
          : String(text)
              .replace('T', ' ')
              .replace(/\+05:30$/, '')
      }
    case 'status':
      return (registration) => {
        const word = inWords(registration)
        // A list shows two badges. A spreadsheet has one cell, and a user may add up the rows that say "Paid".
        return word !== null && registration.inReview && registration.paymentStatus === 'success'
          ? `${word}, ${REVIEW}`
          : word
      }
    case 'option':
    case 'yes-no':
      return inWords
    case 'money':
      return (registration) => {
        const amountOf = value(registration)
        return typeof amountOf === 'number' ? amountOf.toFixed(2) : amountOf
      }
    case 'text':
    case 'number':
    case 'file':
      return value
    default:
      return assertNever(kind)
  }
}

/** Builds one row per person of a field: the registration, the person's position, and the answers about them. */
export function personCells(
  event: EventConfig,
  field: Field,
  registration: ListedRegistration,
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
            ...(field.fields ?? []).map((part) => partText(part, getOwn(person, part.id) ?? null)),
          ],
        ],
  )
}

function partText(part: Field, answer: Scalar | null): string | number | null {
  if (typeof answer === 'boolean') return answer ? 'Yes' : 'No'
  return part.options?.find(({ id }) => id === answer)?.label ?? answer
}
