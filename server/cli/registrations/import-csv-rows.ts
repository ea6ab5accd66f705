/**
 * Reads registrations of another system from CSV.
 * Every line is checked before anything is stored, and each bad one is named by number; answers that an old form
 * did not ask for may be missing.
 */
import {
  assertNever,
  bankKey,
  toNfc,
  err,
  instant,
  isDay,
  isEmail,
  isEnded,
  ok,
  readAmount,
  readInstant,
  readOrderId,
  rupees,
  readDelegate,
  MONEY_COLUMNS,
  salesColumns,
} from '../../../engine/index.ts'
import type {
  Answer,
  Answers,
  EventConfig,
  Field,
  Instant,
  Paise,
  PaymentStatus,
  Result,
} from '../../../engine/index.ts'
import type { ImportRow } from '../../storage/index.ts'
import type { CsvLine, CsvProblem } from '../../office/spreadsheets/parse-csv.ts'
import { manyIn, peopleIn } from './import-csv-cells.ts'

/** A row of the file; its registration number is drawn once all rows are valid. */
export type ReadRow = Omit<ImportRow, 'regNo'>
export type ImportLine = { readonly line: number; readonly row: ReadRow }

/** Values of a registration that are not answers. */
type Value =
  | 'reg_no'
  | 'category'
  | 'period'
  | 'base'
  | 'gst'
  | 'total'
  | 'payment_status'
  | 'payment_id'
  | 'payment_date'
  | 'created_at'
const VALUES: readonly Value[] = [
  'reg_no',
  'category',
  'period',
  'base',
  'gst',
  'total',
  'payment_status',
  'payment_id',
  'payment_date',
  'created_at',
]
/** The specification's names for them. */
const ALIASES: Readonly<Record<string, Value>> = {
  registration_category: 'category',
  base_amount: 'base',
  base_fee: 'base',
  gst_amount: 'gst',
  final_amount: 'total',
  total_amount: 'total',
  amount: 'total',
}
/** The other system's own counters have no meaning here. */
const IGNORED = ['id', 'event_id']

type Column =
  | { readonly is: 'value'; readonly value: Value; readonly name: string }
  | { readonly is: 'answer'; readonly id: string; readonly name: string }
  | { readonly is: 'ignored'; readonly name: string }

const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  success: 'success',
  paid: 'success',
  'paid, in review': 'success',
  pending: 'pending',
  failed: 'failed',
  refunded: 'refunded',
}

/** Statuses of our own export besides the four: each has a meaning that a CSV does not carry. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  review:
    'means that money came about which somebody has to decide, and that money is not in the file. Decide it where it came, and export again; or write pending here, and confirm the payment once it is imported.',
  registered:
    'means that it has a price which nobody was asked to pay. Write success and leave the amounts empty, or write pending if it is still to be paid.',
}

/** An ended registration is exported with its payment status: "Cancelled (paid)". */
function notTaken(status: string): string | undefined {
  const word = status.toLowerCase()
  const [first = ''] = word.split(/[ ,]/)
  return isEnded(first)
    ? `means that it was ${first}, and an import makes registrations that stand. Leave the row out.`
    : NOT_TAKEN[word]
}

/**
 * Returns the rows of a file whose first line names its columns: field ids, what the event also stores, values
 * such as `reg_no` and `final_amount` under the specification's names, `<name>_display` for labels, or the
 * headings of this event's own export.
 */
export function readImport(
  event: EventConfig,
  eventHash: string,
  [header, ...lines]: readonly CsvLine[],
): Result<readonly ImportLine[], readonly CsvProblem[]> {
  if (header === undefined || lines.length === 0)
    return err([{ line: null, message: 'The file holds no registration.' }])
  const columns = columnsOf(event, header.cells)
  if (!columns.ok) return err(columns.error.map((message) => ({ line: header.line, message })))

  const problems: CsvProblem[] = []
  const rows: ImportLine[] = []
  const seen = new Map<string, number>()
  const payments = new Map<string, number>()
  for (const { line, cells } of lines) {
    const wrong: string[] = []
    if (cells.length !== header.cells.length)
      wrong.push(`There are ${cells.length} cells under ${header.cells.length} headings.`)
    const row = wrong.length > 0 ? null : rowOf(event, eventHash, columns.value, cells, wrong)
    const before = row === null ? undefined : seen.get(row.formerNo)
    if (row !== null && before !== undefined)
      wrong.push(`${row.formerNo} stands in line ${before} already.`)
    const payment = row === null ? null : paymentOf(row)
    const paidIn = payment === null ? undefined : payments.get(payment)
    if (row !== null && paidIn !== undefined)
      wrong.push(
        `payment_id: “${row.paymentId}” stands in line ${paidIn} already. Leave the cell empty if that payment paid for both.`,
      )
    problems.push(...wrong.map((message) => ({ line, message })))
    if (row === null || wrong.length > 0) continue
    seen.set(row.formerNo, line)
    if (payment !== null) payments.set(payment, line)
    rows.push({ line, row })
  }
  return problems.length === 0 ? ok(rows) : err(problems)
}

/**
 * Returns the normalised payment reference; null: nothing was paid, or it is "cash" or similar, which is not a
 * reference.
 */
function paymentOf({ paymentId, paymentStatus }: ReadRow): string | null {
  const isPaid = paymentStatus === 'success' || paymentStatus === 'refunded'
  return isPaid && paymentId !== null && /\d/.test(paymentId) ? bankKey(paymentId) : null
}

function columnsOf(
  event: EventConfig,
  names: readonly string[],
): Result<readonly Column[], readonly string[]> {
  const wrong: string[] = []
  const answers = [...event.fields, ...event.alsoStored].map(({ id }) => id)
  const labels = new Map(
    event.admin.lists.flatMap(({ columns }) =>
      columns.map(({ id, label }) => [label.toLowerCase(), id] as const),
    ),
  )
  // The items sold follow from the bill, which an import does not have; the paid amount follows from its status.
  const sold = new Set(
    [...salesColumns(event), ...MONEY_COLUMNS].flatMap(({ id, label }) => [
      id.toLowerCase(),
      label.toLowerCase(),
    ]),
  )
  const named = (name: string): Column | null => {
    const bare = name.toLowerCase()
    if (IGNORED.includes(bare) || sold.has(bare)) return { is: 'ignored', name }
    const value =
      VALUES.find((known) => known === bare) ?? (answers.includes(bare) ? undefined : ALIASES[bare])
    if (value !== undefined && !answers.includes(bare)) return { is: 'value', value, name }
    if (answers.includes(bare)) return { is: 'answer', id: bare, name }
    if (bare.endsWith('_display')) return named(bare.slice(0, -'_display'.length))
    const labelled = labels.get(bare)
    return labelled === undefined || labelled === bare ? null : named(labelled)
  }
  const columns: Column[] = names.map((name) => {
    const column = named(name)
    if (column === null)
      wrong.push(
        `“${name}” is no column of ${event.title}. It may be ${[...answers, ...VALUES].join(', ')}.`,
      )
    return column === null ? { is: 'ignored', name } : { ...column, name }
  })
  const key = (column: Column): string =>
    column.is === 'value' ? column.value : column.is === 'answer' ? column.id : ''
  // If a value and its label are both present, the value is used.
  const chosen = columns.map((column, index): Column => {
    const same = columns.filter((other) => other.is !== 'ignored' && key(other) === key(column))
    if (column.is === 'ignored' || same.length < 2) return column
    const plain = same.filter(({ name }) => !name.toLowerCase().endsWith('_display'))
    if (plain.length > 1 && columns.indexOf(column) === index && plain[0] === column)
      wrong.push(`${plain.map(({ name }) => `“${name}”`).join(' and ')} mean the same.`)
    return column === (plain[0] ?? same[0]) ? column : { is: 'ignored', name: column.name }
  })
  for (const needed of ['reg_no', 'payment_status', 'created_at'] as const) {
    if (!chosen.some((column) => column.is === 'value' && column.value === needed))
      wrong.push(`There is no column “${needed}”.`)
  }
  return wrong.length === 0 ? ok(chosen) : err(wrong)
}

function rowOf(
  event: EventConfig,
  eventHash: string,
  columns: readonly Column[],
  cells: readonly string[],
  wrong: string[],
): ReadRow | null {
  const answers: Record<string, Answer> = {}
  const values: Partial<Record<Value, string>> = {}
  for (const [index, column] of columns.entries()) {
    const cell = toNfc(cells[index] ?? '').replace(/^'(?=[=+\-@\t\r])/, '')
    if (cell === '' || column.is === 'ignored') continue
    if (column.is === 'value') values[column.value] = cell
    else {
      const answer = answerOf(event, column.id, cell)
      if (answer.ok) answers[column.id] = answer.value
      else wrong.push(`${column.name}: ${answer.error}`)
    }
  }
  const money = (value: 'base' | 'gst' | 'total'): Paise | null => {
    const text = values[value]
    if (text === undefined) return null
    const read = readMoney(text)
    if (read === null) wrong.push(`${value}: “${text}” is no amount in rupees.`)
    return read
  }
  const when = (value: 'created_at' | 'payment_date'): Instant | null => {
    const text = values[value]
    if (text === undefined) return null
    const read = readWhen(text)
    if (read === null)
      wrong.push(
        `${value}: “${text}” is no date. Write 2025-09-01, 2025-09-01 14:30 (Indian time) or 2025-09-01T14:30:00+05:30.`,
      )
    return read
  }
  const order = readOrderId(event, values.reg_no)
  if (!order.ok)
    wrong.push(
      values.reg_no === undefined
        ? 'There is no registration number.'
        : `reg_no: “${values.reg_no}” is no number of ${event.title}.`,
    )
  const paymentStatus = STATUSES[(values.payment_status ?? '').toLowerCase()]
  if (paymentStatus === undefined)
    wrong.push(
      values.payment_status === undefined
        ? 'There is no payment status.'
        : `payment_status: “${values.payment_status}” ${notTaken(values.payment_status) ?? 'is none of pending, success, failed, refunded.'}`,
    )
  const [base, gst, total] = [money('base'), money('gst'), money('total')]
  if (base !== null && gst !== null && total !== null && base + gst !== total)
    wrong.push(
      `base ${rupees(base)} and gst ${rupees(gst)} do not make the total ${rupees(total)}.`,
    )
  const createdAt = when('created_at')
  if (values.created_at === undefined) wrong.push('There is no date of registration.')
  const paidAt = when('payment_date')
  const category = categoryIn(event, answers, values.category, wrong)
  // A column "category" answers the field that asks for it.
  if (category !== null && event.categoryChoice.by === 'field')
    answers[event.categoryChoice.field] ??= category
  const period =
    values.period === undefined
      ? null
      : (event.fees.periods.find(({ id, label }) => id === values.period || label === values.period)
          ?.id ?? null)
  if (values.period !== undefined && period === null)
    wrong.push(`period: “${values.period}” is no period of ${event.title}.`)
  if (wrong.length > 0 || !order.ok || paymentStatus === undefined || createdAt === null)
    return null
  return {
    eventId: event.id,
    eventHash,
    formerNo: order.value,
    answers,
    searchable: readDelegate(event, answers),
    category,
    period,
    base,
    gst,
    total,
    paymentStatus,
    paymentId: values.payment_id ?? null,
    createdAt,
    paidAt: paymentStatus === 'success' || paymentStatus === 'refunded' ? paidAt : null,
  }
}

/** Returns the answer of the category field, else of the column `category`; by id or label. */
function categoryIn(
  event: EventConfig,
  answers: Answers,
  text: string | undefined,
  wrong: string[],
): string | null {
  const chosen =
    event.categoryChoice.by === 'field' ? answers[event.categoryChoice.field] : undefined
  if (chosen !== undefined) return String(chosen)
  if (text === undefined) return null
  const category = event.categories.find(
    ({ id, label }) => id === text || label.toLowerCase() === text.toLowerCase(),
  )
  if (category === undefined)
    wrong.push(
      `category: “${text}” is no category of ${event.title}. It may be ${event.categories.map(({ id }) => id).join(', ')}.`,
    )
  return category?.id ?? null
}

function answerOf(event: EventConfig, id: string, text: string): Result<Answer, string> {
  const stored = event.alsoStored.find((candidate) => candidate.id === id)
  const field = event.fields.find((candidate) => candidate.id === id)
  return answerIn(stored?.type ?? field?.type ?? 'text', field, text)
}

/** Parses one answer; `field` absent: it is stored besides the form. */
function answerIn(
  type: Field['type'] | EventConfig['alsoStored'][number]['type'],
  field: Field | undefined,
  text: string,
): Result<Answer, string> {
  const bad = (what: string): Result<Answer, string> => err(`“${text}” is no ${what}.`)
  switch (type) {
    case 'money': {
      const amount = readMoney(text)
      return amount === null ? bad('amount in rupees') : ok(rupees(amount))
    }
    case 'number': {
      const number = Number(text)
      return /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(number) ? ok(number) : bad('number')
    }
    case 'date':
      return isDay(text) ? ok(text) : bad('day such as 2025-09-01')
    case 'consent':
    case 'yes-no': {
      if (/^(true|yes|1)$/i.test(text)) return ok(true)
      return /^(false|no|0)$/i.test(text) ? ok(false) : bad('yes or no')
    }
    case 'select': {
      const options = field?.options ?? []
      const option =
        options.find((known) => known.id === text) ??
        options.find(({ id: known, label }) =>
          [known, label].some((name) => name.toLowerCase() === text.toLowerCase()),
        )
      return option === undefined
        ? err(`“${text}” is none of ${options.map(({ id: known }) => known).join(', ')}.`)
        : ok(option.id)
    }
    // An address that the form would refuse gets no email.
    case 'email':
      return isEmail(text) ? ok(text) : bad('email address')
    case 'many':
      return field === undefined ? ok(text) : manyIn(field, text)
    case 'people':
      return field === undefined
        ? ok(text)
        : peopleIn(field, text, (part, one) => answerIn(part.type, part, one))
    case 'text':
    case 'multiline':
    case 'phone':
    case 'file':
      return ok(text)
    default:
      return assertNever(type)
  }
}

/** Also accepts the formats of people and spreadsheets: "₹ 7,080", "7,080.00". */
const readMoney = (text: string): Paise | null =>
  readAmount(text.replace(/^(₹|Rs\.?|INR)\s*/i, '').replaceAll(',', ''))

/** Accepts an instant, a day alone (noon in India), or day and time in India. */
function readWhen(text: string): Instant | null {
  const local = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?(?:\.\d+)?$/.exec(text)
  const read = readInstant(
    local === null ? text : `${local[1]}T${local[2]}${local[3] ?? ':00'}+05:30`,
  )
  return read === null ? null : instant(read)
}
