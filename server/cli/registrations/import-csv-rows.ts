/**
 * Reads another system's registrations from CSV. Every line is checked before anything is stored, and each invalid line
 * is reported with its number. Answers may be missing, because older forms had fewer fields.
 */
import { parseInstantText, parseMoney, parsePaymentTime } from './import-cell-values.ts'
import {
  formatCurrency,
  assertNever,
  toBankKey,
  toNfc,
  err,
  isDay,
  isEmail,
  ok,
  readOrderId,
  toMajorUnits,
  readDelegate,
  ACCOUNT_COLUMN,
  MONEY_COLUMNS,
  buildSalesColumns,
  getCurrency,
  listPeriods,
  listPeriodsOfCategory,
} from '../../../engine/index.ts'
import type {
  Currency,
  Answer,
  Answers,
  EventConfig,
  Field,
  Instant,
  Amount,
  Result,
} from '../../../engine/index.ts'
import { reportEach } from '../../ops/progress.ts'
import type { ImportRow } from '../../storage/index.ts'
import type { CsvLine, CsvProblem } from '../../office/spreadsheets/parse-csv.ts'
import { parseOptions, parsePeople } from './import-csv-cells.ts'
import { explainUnsupportedAmounts, parsePaymentStatus } from './import-payment-status.ts'

/** A row in the file. Registration numbers are assigned once all rows are valid. */
export type ParsedRow = Omit<ImportRow, 'regNo'>
export type ImportLine = { readonly line: number; readonly row: ParsedRow }

/** A registration's values that are not answers. */
const VALUE_NAMES = [
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
  'currency',
] as const
/** Amounts in our exports. They are not stored, but must agree with the payment status. */
const CHECKED_AMOUNTS = ['money.paid', 'money.refunded'] as const
type ValueName = (typeof VALUE_NAMES)[number] | (typeof CHECKED_AMOUNTS)[number]
/** The specification's names for these values. */
const VALUE_ALIASES: Readonly<Record<string, ValueName>> = {
  registration_category: 'category',
  base_amount: 'base',
  base_fee: 'base',
  gst_amount: 'gst',
  final_amount: 'total',
  total_amount: 'total',
  amount: 'total',
}
type AmountName = 'base' | 'gst' | 'total' | (typeof CHECKED_AMOUNTS)[number]
const getValueLabel = (value: AmountName): string =>
  MONEY_COLUMNS.find(({ id }) => id === value)?.label ?? value
/** Columns with the other system's own counters. */
const IGNORED_COLUMNS = ['id', 'event_id']

type Column =
  | { readonly is: 'value'; readonly value: ValueName; readonly name: string }
  | { readonly is: 'answer'; readonly id: string; readonly name: string }
  | { readonly is: 'ignored'; readonly name: string }

/**
 * Returns the rows of a file whose first line contains the column names: field ids, names of other stored values,
 * values such as `reg_no` and `final_amount` under the specification's names, `<name>_display` for labels, or the
 * headings of this event's own export.
 */
export function parseImport(
  event: EventConfig,
  eventHash: string,
  [header, ...lines]: readonly CsvLine[],
): Result<readonly ImportLine[], readonly CsvProblem[]> {
  if (header === undefined || lines.length === 0)
    return err([{ line: null, message: 'The file has no registrations.' }])
  const columns = parseHeader(event, header.cells)
  if (!columns.ok) return err(columns.error.map((message) => ({ line: header.line, message })))

  const problems: CsvProblem[] = []
  const rows: ImportLine[] = []
  const lineByNumber = new Map<string, number>()
  const lineByPayment = new Map<string, number>()
  for (const { line, cells } of reportEach(lines, 'Checking lines')) {
    const errors: string[] = []
    if (cells.length !== header.cells.length)
      errors.push(
        `The line has ${cells.length} cells, but there are ${header.cells.length} headings.`,
      )
    const row = errors.length > 0 ? null : parseRow(event, eventHash, columns.value, cells, errors)
    const firstLine = row === null ? undefined : lineByNumber.get(row.formerNo)
    if (row !== null && firstLine !== undefined)
      errors.push(`${row.formerNo} is already in line ${firstLine}.`)
    const payment = row === null ? null : buildPaymentKey(row)
    const paymentLine = payment === null ? undefined : lineByPayment.get(payment)
    if (row !== null && paymentLine !== undefined)
      errors.push(
        `payment_id: “${row.paymentId}” is already in line ${paymentLine}. Leave the cell empty if that payment paid for both.`,
      )
    problems.push(...errors.map((message) => ({ line, message })))
    if (row === null || errors.length > 0) continue
    lineByNumber.set(row.formerNo, line)
    if (payment !== null) lineByPayment.set(payment, line)
    rows.push({ line, row })
  }
  return problems.length === 0 ? ok(rows) : err(problems)
}

/** Returns the normalised payment reference. Null if nothing was paid, or if the reference is a word such as "cash". */
function buildPaymentKey({ paymentId, paymentStatus }: ParsedRow): string | null {
  const isPaid = paymentStatus === 'success' || paymentStatus === 'refunded'
  return isPaid && paymentId !== null && /\d/.test(paymentId) ? toBankKey(paymentId) : null
}

function parseHeader(
  event: EventConfig,
  names: readonly string[],
): Result<readonly Column[], readonly string[]> {
  const errors: string[] = []
  const answerIds = [...event.fields, ...event.alsoStored].map(({ id }) => id)
  const labels = new Map(
    event.admin.lists.flatMap(({ columns }) =>
      columns.map(({ id, label }) => [label.toLowerCase(), id] as const),
    ),
  )
  // Computed columns. The items sold come from the bill, which an import does not have; the amount due comes from the
  // payment status.
  const computedColumns = new Map(
    [...buildSalesColumns(event), ...MONEY_COLUMNS, ACCOUNT_COLUMN].flatMap(({ id, label }) => [
      [id.toLowerCase(), id],
      [label.toLowerCase(), id],
    ]),
  )
  const findColumn = (name: string): Column | null => {
    const lowerName = name.toLowerCase()
    const computedId = computedColumns.get(lowerName)
    const checkedAmount = CHECKED_AMOUNTS.find((id) => id === computedId)
    if (checkedAmount !== undefined) return { is: 'value', value: checkedAmount, name }
    if (IGNORED_COLUMNS.includes(lowerName) || computedId !== undefined)
      return { is: 'ignored', name }
    const value =
      VALUE_NAMES.find((knownValue) => knownValue === lowerName) ??
      (answerIds.includes(lowerName) ? undefined : VALUE_ALIASES[lowerName])
    if (value !== undefined && !answerIds.includes(lowerName)) return { is: 'value', value, name }
    if (answerIds.includes(lowerName)) return { is: 'answer', id: lowerName, name }
    if (lowerName.endsWith('_display')) return findColumn(lowerName.slice(0, -'_display'.length))
    const idByLabel = labels.get(lowerName)
    return idByLabel === undefined || idByLabel === lowerName ? null : findColumn(idByLabel)
  }
  const columns: Column[] = names.map((name) => {
    const column = findColumn(name)
    if (column === null)
      errors.push(
        `${event.title} has no column “${name}”. Available: ${[...answerIds, ...VALUE_NAMES].join(', ')}.`,
      )
    return column === null ? { is: 'ignored', name } : { ...column, name }
  })
  const getKey = (column: Column): string =>
    column.is === 'value' ? column.value : column.is === 'answer' ? column.id : ''
  // If a value and its label are both present, the value is used.
  const chosenColumns = columns.map((column, index): Column => {
    const duplicates = columns.filter(
      (other) => other.is !== 'ignored' && getKey(other) === getKey(column),
    )
    if (column.is === 'ignored' || duplicates.length < 2) return column
    const plainColumns = duplicates.filter(({ name }) => !name.toLowerCase().endsWith('_display'))
    if (plainColumns.length > 1 && columns.indexOf(column) === index && plainColumns[0] === column)
      errors.push(
        `${plainColumns.map(({ name }) => `“${name}”`).join(' and ')} are the same column.`,
      )
    return column === (plainColumns[0] ?? duplicates[0])
      ? column
      : { is: 'ignored', name: column.name }
  })
  for (const requiredName of ['reg_no', 'payment_status', 'created_at'] as const) {
    if (!chosenColumns.some((column) => column.is === 'value' && column.value === requiredName))
      errors.push(`The column “${requiredName}” is missing.`)
  }
  return errors.length === 0 ? ok(chosenColumns) : err(errors)
}

function parseRow(
  event: EventConfig,
  eventHash: string,
  columns: readonly Column[],
  cells: readonly string[],
  errors: string[],
): ParsedRow | null {
  const answers: Record<string, Answer> = {}
  const values: Partial<Record<ValueName, string>> = {}
  for (const [index, column] of columns.entries()) {
    const cell = toNfc(cells[index] ?? '').replace(/^'(?=[=+\-@\t\r])/, '')
    if (cell === '' || column.is === 'ignored') continue
    if (column.is === 'value') values[column.value] = cell
    else {
      const answer = parseAnswer(event, column.id, cell)
      if (answer.ok) answers[column.id] = answer.value
      else errors.push(`${column.name}: ${answer.error}`)
    }
  }
  const category = findCategory(event, answers, values.category, errors)
  const currency = getCurrency(event, category)
  if (values.currency !== undefined && values.currency !== currency)
    errors.push(`currency: the category is paid in ${currency}, not in ${values.currency}.`)
  const parseAmount = (value: AmountName): Amount | null => {
    const text = values[value]
    if (text === undefined) return null
    const amount = parseMoney(text, currency)
    if (amount === null)
      errors.push(
        `${getValueLabel(value)}: “${text}” is not an amount in ${formatCurrency(currency)}.`,
      )
    return amount
  }
  const parseInstant = (value: 'created_at' | 'payment_date'): Instant | null => {
    const text = values[value]
    if (text === undefined) return null
    const at = value === 'payment_date' ? parsePaymentTime(text) : parseInstantText(text)
    if (at === null)
      errors.push(
        `${value}: “${text}” is not a date. Write 2025-09-01, 2025-09-01 14:30 (Indian time) or 2025-09-01T14:30:00+05:30.`,
      )
    return at
  }
  const order = readOrderId(event, values.reg_no)
  if (!order.ok)
    errors.push(
      values.reg_no === undefined
        ? 'The registration number is missing.'
        : `reg_no: “${values.reg_no}” is not a registration number of ${event.title}.`,
    )
  const status =
    values.payment_status === undefined ? null : parsePaymentStatus(values.payment_status)
  if (status === null) errors.push('The payment status is missing.')
  else if (!status.ok) errors.push(`payment_status: “${values.payment_status}” ${status.error}`)
  const paymentStatus = status?.ok === true ? status.value : null
  const [base, gst, total] = [parseAmount('base'), parseAmount('gst'), parseAmount('total')]
  if (base !== null && gst !== null && total !== null && base + gst !== total)
    errors.push(
      `base ${toMajorUnits(base, currency)} and gst ${toMajorUnits(gst, currency)} do not add up to the total ${toMajorUnits(total, currency)}.`,
    )
  const [paid, refunded] = CHECKED_AMOUNTS.map(parseAmount) as [Amount | null, Amount | null]
  const amountsError =
    paymentStatus === null
      ? null
      : explainUnsupportedAmounts({ status: paymentStatus, total, paid, refunded, currency })
  if (amountsError !== null) errors.push(amountsError)
  const createdAt = parseInstant('created_at')
  if (values.created_at === undefined) errors.push('The date of registration is missing.')
  const paidAt = parseInstant('payment_date')
  // The column "category" supplies the answer to the category field.
  if (category !== null && event.categoryChoice.by === 'field')
    answers[event.categoryChoice.field] ??= category
  const period =
    values.period === undefined
      ? null
      : ([...listPeriodsOfCategory(event.fees, category), ...listPeriods(event.fees)].find(
          ({ id, label }) => id === values.period || label === values.period,
        )?.id ?? null)
  if (values.period !== undefined && period === null)
    errors.push(`period: “${values.period}” is not a period of ${event.title}.`)
  if (errors.length > 0 || !order.ok || paymentStatus === null || createdAt === null) return null
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
    currency,
    paymentStatus,
    paymentId: values.payment_id ?? null,
    createdAt,
    paidAt: paymentStatus === 'success' || paymentStatus === 'refunded' ? paidAt : null,
  }
}

/** Returns the category from the answer to the category field, or else from the column `category`, by id or label. */
function findCategory(
  event: EventConfig,
  answers: Answers,
  text: string | undefined,
  errors: string[],
): string | null {
  const chosenCategory =
    event.categoryChoice.by === 'field' ? answers[event.categoryChoice.field] : undefined
  if (chosenCategory !== undefined) return String(chosenCategory)
  if (text === undefined) return null
  const category = event.categories.find(
    ({ id, label }) => id === text || label.toLowerCase() === text.toLowerCase(),
  )
  if (category === undefined)
    errors.push(
      `category: “${text}” is not a category of ${event.title}. Available: ${event.categories.map(({ id }) => id).join(', ')}.`,
    )
  return category?.id ?? null
}

function parseAnswer(event: EventConfig, id: string, text: string): Result<Answer, string> {
  const storedValue = event.alsoStored.find((candidate) => candidate.id === id)
  const field = event.fields.find((candidate) => candidate.id === id)
  return parseAnswerOfType(storedValue?.type ?? field?.type ?? 'text', field, text, event.currency)
}

/** Parses one answer. `field` is undefined for a stored value that is not a form field. */
function parseAnswerOfType(
  type: Field['type'] | EventConfig['alsoStored'][number]['type'],
  field: Field | undefined,
  text: string,
  currency: Currency,
): Result<Answer, string> {
  const reject = (format: string): Result<Answer, string> => err(`“${text}” is not ${format}.`)
  switch (type) {
    case 'money': {
      const amount = parseMoney(text, currency)
      return amount === null
        ? reject(`an amount in ${formatCurrency(currency)}`)
        : ok(toMajorUnits(amount, currency))
    }
    case 'number': {
      const number = Number(text)
      return /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(number)
        ? ok(number)
        : reject('a number')
    }
    case 'date':
      return isDay(text) ? ok(text) : reject('a date such as 2025-09-01')
    case 'consent':
    case 'yes-no': {
      if (/^(true|yes|1)$/i.test(text)) return ok(true)
      return /^(false|no|0)$/i.test(text) ? ok(false) : reject('yes or no')
    }
    case 'select': {
      const options = field?.options ?? []
      const option =
        options.find(({ id }) => id === text) ??
        options.find(({ id, label }) =>
          [id, label].some((name) => name.toLowerCase() === text.toLowerCase()),
        )
      return option === undefined
        ? err(`“${text}” is not one of ${options.map(({ id }) => id).join(', ')}.`)
        : ok(option.id)
    }
    // The form rejects the same addresses.
    case 'email':
      return isEmail(text) ? ok(text) : reject('an email address')
    case 'many':
      return field === undefined ? ok(text) : parseOptions(field, text)
    case 'people':
      return field === undefined
        ? ok(text)
        : parsePeople(field, text, (part, cell) =>
            parseAnswerOfType(part.type, part, cell, currency),
          )
    case 'text':
    case 'multiline':
    case 'phone':
    case 'file':
      return ok(text)
    default:
      return assertNever(type)
  }
}
