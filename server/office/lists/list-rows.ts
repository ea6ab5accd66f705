/** Builds list rows from registrations: answers by field id, values by the specification's names. */
import {
  ACCOUNT_COLUMN,
  listCurrenciesOfEvent,
  CURRENCY_COLUMN,
  getDecimals,
  formatAnswer,
  assertNever,
  readDelegate,
  getEndedText,
  formatIsoIndia,
  formatMoney,
  dayOf,
  isDayOnly,
  readInstant,
  getOwn,
  memoize,
  toAmount,
  toMajorUnits,
  buildSalesColumns,
  computeSalesValues,
  getStatusText,
  getPeriodLabel,
} from '../../../engine/index.ts'
import type {
  Answer,
  Column,
  Scalar,
  EventConfig,
  Field,
  ListValue,
  Amount,
} from '../../../engine/index.ts'
import type { ListRow } from '../../../engine/api.ts'
import type { ListedRegistration } from '../../storage/index.ts'
import type { CsvAmount } from '../spreadsheets/write-csv.ts'

/**
 * Returns the short payment status. A final state takes precedence. A payment with a wrong amount shows as “Needs
 * review” until staff decide. A registration with a price shows as registered, not as paid, if Rollcall never requested
 * a payment.
 */
export function formatPaymentStatus(registration: StatusInput): string {
  // The registration was refunded before the import, so it was not cancelled in Rollcall.
  if (registration.formerNo !== null && registration.paymentStatus === 'refunded')
    return getStatusText('refunded')
  return getEndedText(registration) ?? formatPayment(registration)
}
type StatusInput = Pick<
  ListedRegistration,
  'paymentStatus' | 'inReview' | 'total' | 'payments' | 'state' | 'formerNo'
>

function formatPayment({
  paymentStatus,
  inReview,
  total,
  payments,
}: Pick<ListedRegistration, 'paymentStatus' | 'inReview' | 'total' | 'payments'>): string {
  if (paymentStatus === 'success' && (total ?? 0) > 0 && payments.length === 0) return 'Registered'
  return inReview && paymentStatus !== 'success' ? 'Needs review' : getStatusText(paymentStatus)
}

/** Returns the delegate's name, or the registration number if there is no name. */
export function findName(
  event: EventConfig,
  { answers, regNo }: Pick<ListedRegistration, 'answers' | 'regNo'>,
): string {
  return readDelegate(event, answers).fullName || regNo
}

const toCellAmount = (value: Amount | null, { currency }: ListedRegistration): number | null =>
  value === null ? null : toMajorUnits(value, currency)

/** Formats a list answer as one string of its options or persons. */
const toCell = (event: EventConfig, id: string, answer: Answer | undefined): Scalar | null =>
  answer === undefined
    ? null
    : typeof answer === 'object'
      ? formatAnswer(event, id, answer)
      : answer

type ValueReader = (registration: ListedRegistration) => Scalar | null
type ValueReaders = ReadonlyMap<string, ValueReader>

const readSalesValues = memoize(({ lines, currency }: ListedRegistration) =>
  computeSalesValues(lines, currency),
)

/** Maps each value's name to the function that reads it. Built once per version of an event, not per row. */
const buildReaders = memoize((event: EventConfig): ValueReaders => {
  const categories = new Map(event.categories.map(({ id, label }) => [id as string, label]))
  const readCategoryLabel: ValueReader = ({ category: id }) =>
    id === null ? null : (categories.get(id) ?? id)
  const readPeriodLabel: ValueReader = ({ period: id, category: categoryId }) =>
    id === null ? null : (getPeriodLabel(event.fees, id, categoryId) ?? id)
  const specifiedValues: Readonly<Record<ListValue, ValueReader>> = {
    id: ({ id }) => id,
    reg_no: ({ regNo }) => regNo,
    payment_status: ({ paymentStatus }) => paymentStatus,
    order_id: ({ payments }) => payments[0]?.orderId ?? null,
    category: ({ category: id }) => id,
    period: ({ period: id }) => id,
    base: (row) => toCellAmount(row.base, row),
    gst: (row) => toCellAmount(row.gst, row),
    total: (row) => toCellAmount(row.total, row),
    payment_id: ({ paymentId }) => paymentId,
    payment_date: ({ paidAt }) => (paidAt === null ? null : formatIsoIndia(paidAt)),
    created_at: ({ createdAt }) => formatIsoIndia(createdAt),
  }
  const ownValues: Readonly<Record<string, ValueReader>> = {
    ...Object.fromEntries(
      buildSalesColumns(event).map(({ id }): [string, ValueReader] => [
        id,
        (registration) => getOwn(readSalesValues(registration), id) ?? null,
      ]),
    ),
    ...specifiedValues,
    'money.paid': (row) => toCellAmount(row.money.paid, row),
    'money.refunded': (row) => toCellAmount(row.money.refunded, row),
    'money.owed': (row) => toCellAmount(row.money.owed, row),
    ...(listCurrenciesOfEvent(event).length > 1 && {
      [CURRENCY_COLUMN.id]: ({ currency }: ListedRegistration) => currency,
    }),
    [ACCOUNT_COLUMN.id]: ({ accounts }) => accounts?.split(',').join(', ') ?? null,
    category_display: readCategoryLabel,
    registration_category: specifiedValues.category,
    registration_category_display: readCategoryLabel,
    period_display: readPeriodLabel,
    base_amount: specifiedValues.base,
    gst_amount: specifiedValues.gst,
    final_amount: specifiedValues.total,
  }
  const readers = new Map<string, ValueReader>([
    ['id', specifiedValues.id],
    ['event_id', ({ eventId }) => eventId],
    ['reg_no', specifiedValues.reg_no],
    ['payment_status', specifiedValues.payment_status],
    ['payment_status_display', formatPaymentStatus],
    ['in_review', ({ inReview }) => inReview],
    ['in_state', ({ state }) => state],
  ])
  for (const { id } of event.alsoStored)
    readers.set(id, ({ answers }) => toCell(event, id, answers[id]))
  for (const { id, type } of event.fields) {
    readers.set(id, ({ answers }) => toCell(event, id, answers[id]))
    if (type === 'select' || type === 'yes-no')
      readers.set(`${id}_display`, ({ answers }) => {
        const answer = answers[id]
        return answer === undefined ? null : formatAnswer(event, id, answer)
      })
  }
  // An answer takes precedence over a value of the same name, because `registration_category` may be a form field.
  for (const [name, read] of Object.entries(ownValues)) {
    const readAnswer = readers.get(name)
    readers.set(
      name,
      readAnswer === undefined
        ? read
        : (registration) => readAnswer(registration) ?? read(registration),
    )
  }
  for (const [wire, name] of Object.entries(event.api.returns))
    if (!readers.has(wire)) readers.set(wire, readers.get(name) ?? (() => null))
  return readers
})

/**
 * Builds a row with all values. A value with a label is included twice: `<name>` is the stored value, `<name>_display`
 * the label.
 */
export function buildListRow(event: EventConfig, registration: ListedRegistration): ListRow {
  const row: Record<string, Scalar | null> = {}
  for (const [name, readCell] of buildReaders(event)) row[name] = readCell(registration)
  // Items sold under an older version of the event file are still on the bill.
  for (const [name, value] of Object.entries(readSalesValues(registration))) row[name] ??= value
  return row as ListRow
}

/** Values that a list page shows in addition to its columns: name, state, and the parts of the total. */
const ALWAYS_INCLUDED_NAMES = [
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
  'category',
  'category_display',
  CURRENCY_COLUMN.id,
]

/**
 * Returns a function that builds rows with only the values of the given columns, omitting empty ones. Such a row is a
 * quarter the size of a full row.
 */
export function createListedRowBuilder(
  event: EventConfig,
  columns: readonly Column[],
): (registration: ListedRegistration) => ListRow {
  const readers = buildReaders(event)
  const names = new Set([
    ...ALWAYS_INCLUDED_NAMES,
    ...columns.flatMap(({ id }) => [id, `${id}_display`]),
  ])
  const namedReaders = [...names].flatMap((name): [string, ValueReader][] => {
    const readCell = readers.get(name)
    return readCell === undefined ? [] : [[name, readCell]]
  })
  return (registration) => {
    const row: Record<string, Scalar> = {}
    for (const [name, readCell] of namedReaders) {
      const value = readCell(registration)
      if (value !== null) row[name] = value
    }
    return row as ListRow
  }
}

/**
 * Returns the balance of a paid registration: the remaining amount that staff requested, or the difference after a
 * correction.
 */
export const computeAmountStillDue = ({
  paymentStatus,
  money,
}: Pick<ListedRegistration, 'paymentStatus' | 'money'>): Amount =>
  paymentStatus === 'success' ? money.owed : toAmount(0)

/**
 * Returns a function that builds a file's cells in a readable form that a spreadsheet can sort: money as an
 * amount, instants in Indian time. A missing value is an empty string.
 */
export function createFileCellBuilder(
  event: EventConfig,
  columns: readonly Column[],
): (registration: ListedRegistration) => (FileCell | '')[] {
  const readers = buildReaders(event)
  const cellReaders = columns.map((column) => {
    const readValue = readers.get(column.id) ?? (() => null)
    return createCellReader(column, readValue, readers.get(`${column.id}_display`) ?? readValue)
  })
  return (registration) => cellReaders.map((readCell) => readCell(registration) ?? '')
}

/**
 * Adds to the status “Paid” the amount still due, for example after a correction, and whether the registration is under
 * review, for example after an overpayment. A list shows these as badges. A spreadsheet has one cell, and a user may add
 * up the rows with the status "Paid".
 */
function addToPaid(label: string, registration: ListedRegistration): string {
  const due = computeAmountStillDue(registration)
  const isPaid = registration.paymentStatus === 'success'
  return [
    label,
    ...(due > 0 ? [`${formatMoney(due, registration.currency)} due`] : []),
    ...(isPaid && registration.inReview ? ['in review'] : []),
  ].join(', ')
}

type FileCell = Scalar | CsvAmount

/** Returns the function that reads a cell in a column of this kind. `readDisplay` returns the value's label. */
function createCellReader(
  { kind }: Column,
  readValue: ValueReader,
  readDisplay: ValueReader,
): (registration: ListedRegistration) => FileCell | null {
  const readLabel: ValueReader = (registration) =>
    readValue(registration) === null ? null : (readDisplay(registration) ?? readValue(registration))
  switch (kind) {
    case 'date':
      return (registration) => {
        const value = readValue(registration)
        return value === null ? null : formatSheetTime(String(value))
      }
    case 'status':
      return (registration) => {
        const label = readLabel(registration)
        return label === null ? null : addToPaid(String(label), registration)
      }
    case 'option':
    case 'yes-no':
      return readLabel
    case 'money':
      return (registration) => {
        const amount = readValue(registration)
        const decimals = getDecimals(registration.currency)
        return typeof amount === 'number' ? { amount, decimals } : amount
      }
    case 'text':
    case 'number':
    case 'file':
      return readValue
    default:
      return assertNever(kind)
  }
}

/** Formats an ISO timestamp in Indian time for a spreadsheet. Omits the time if only the day is known. */
function formatSheetTime(text: string): string {
  const at = readInstant(text)
  return at !== null && isDayOnly(at) ? dayOf(at) : text.replace('T', ' ').replace(/\+05:30$/, '')
}

/** Builds one row per person of a field: the registration, the person's position, and the answers about them. */
export function buildPersonRows(
  event: EventConfig,
  field: Field,
  registration: ListedRegistration,
): readonly (readonly (string | number | null)[])[] {
  const persons = registration.answers[field.id]
  const category = event.categories.find(({ id }) => id === registration.category)
  const leadingCells = [
    registration.regNo,
    findName(event, registration),
    category?.label ?? registration.category,
    addToPaid(formatPaymentStatus(registration), registration),
  ]
  return (typeof persons === 'object' ? persons : []).flatMap((person, index) =>
    typeof person === 'string'
      ? []
      : [
          [
            ...leadingCells,
            index + 1,
            ...(field.fields ?? []).map((personField) =>
              formatPersonAnswer(personField, getOwn(person, personField.id) ?? null),
            ),
          ],
        ],
  )
}

function formatPersonAnswer(personField: Field, answer: Scalar | null): string | number | null {
  if (typeof answer === 'boolean') return answer ? 'Yes' : 'No'
  return personField.options?.find(({ id }) => id === answer)?.label ?? answer
}
