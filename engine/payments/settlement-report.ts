/** Reads a gateway's settlement report: detects its columns and returns its payments and refunds. */
import { toBankKey } from './bank-reference.ts'
import { INR, toAmount, type Amount } from '../lib/money.ts'
import { err, ok, type Result } from '../lib/result.ts'
import {
  findCurrencyColumns,
  readDay,
  normaliseHeading,
  isInCurrency,
  findLikeliestHeader,
  readSignedAmount,
  findTable,
  getCellText,
  withColumns,
} from './spreadsheet-cells.ts'
import type { SheetRow, TableRow } from './spreadsheet-cells.ts'
import type { UnknownColumns } from './bank-statement-columns-and-lines.ts'
import type { Day, Instant } from '../lib/time.ts'

/**
 * Column indexes, from 0. Null if there is no such column. At least one of `order` and `reference` is set, and at
 * least one of `day` and `utr`.
 */
export type SettlementColumns = {
  /** Rollcall's order id. */
  readonly order: number | null
  /** The gateway's payment ID. */
  readonly reference: number | null
  /** The amount paid, before deductions. */
  readonly amount: number
  readonly fee: number | null
  /** The tax on the fee. */
  readonly tax: number | null
  readonly net: number | null
  /** The date of the bank transfer. */
  readonly day: number | null
  /** The reference of the bank transfer. */
  readonly utr: number | null
  /** Payment, refund or other. */
  readonly kind: number | null
  /** When the delegate paid. */
  readonly paid: number | null
  /** Columns with the currencies of the amounts. The payment and the transfer may each have one. */
  readonly currencies: readonly number[]
}

export type SettlementLine = {
  /** Line number as in an editor. */
  readonly line: number
  /** `other`: a chargeback or an adjustment, which staff must check. */
  readonly is: 'sale' | 'refund' | 'other'
  /** Rollcall's order id and the gateway's number. Empty if not stated; at least one is present. */
  readonly order: string
  readonly reference: string
  /** Always positive. */
  readonly amount: Amount
  readonly fee: Amount
  readonly tax: Amount
  /** The effect on the bank credit; negative for a deduction. */
  readonly net: Amount
  /** At least one of `day` and `utr` is present. */
  readonly day: Day | null
  readonly utr: string
  /** The date on which the delegate paid. Null if not stated. */
  readonly paidOn: Day | null
  /**
   * The number of this line among identical lines of a file, from 1, so that reading the file again counts nothing
   * twice.
   */
  readonly nth: number
  /**
   * Set if the report does not state every deduction. `net`: it states only the net amount; `none`: it does not state
   * that either.
   */
  readonly states?: 'net' | 'none'
  /** Absent if the line is not stored. */
  readonly stored?: {
    readonly id: number
    /** The id of the latest decision on the line. Null if there is none. */
    readonly decisionId: number | null
    /**
     * The user who handled a line that differs from the records, and the reason. Null if the line is not handled yet.
     */
    readonly handled: {
      readonly why: string
      readonly who: string
      readonly at: Instant
    } | null
  }
}
export type Settlement = {
  readonly lines: readonly SettlementLine[]
  /**
   * Lines of a payment or payout that cannot be read, that have more cells than headings, or whose currency is not the
   * rupee.
   */
  readonly unread: readonly number[]
  /**
   * The number of lines that the gateway has not settled yet: those with neither a date nor a reference for the bank
   * transfer.
   */
  readonly unsettled: number
}

/** References and UTRs are shorter than this. */
const MAX_REFERENCE_LENGTH = 64

/**
 * Gateways' names for columns, letters only; the first match applies, and each column has one
 * meaning.
 */
const HEADING_PATTERNS = [
  ['utr', [/utr/, /^(settlement|payout)(ref|reference|txn|transaction)?(id|no|number)$/]],
  ['day', [/^(settle\w*|payout|deposit|credit|credited)(date|dt|on|day|time|datetime)$/]],
  [
    'net',
    [
      /^nett?(settlement|settled|payable|payout|credit)?(amt|amount|value)?(inr|rs)?$/,
      /^(settled|settlement|payout|payable|deposit|credited)(amt|amount|value)(inr|rs)?$/,
      /^amount(settled|payable|credited)(inr|rs)?$/,
    ],
  ],
  [
    'order',
    [
      /^(merchant|mer|client|your)(txn|trans|transaction|order|trn)?(id|no|ref|refno|reference|number)$/,
      /^orders?(id|no|ref|number)?$/,
    ],
  ],
  [
    'reference',
    [
      /^(ap|airpay|pg|gateway)(txn|trans|transaction|payment)?(id|no|ref|refno|reference|number)$/,
      /^(txn|trans|transaction|payment)(id|no|ref|refno|reference|number)$/,
    ],
  ],
  ['order', [/^transactionid$/]],
  ['paid', [/^(merchant)?(txn|trans|transaction|payment|order|paid)(date|dt|on|time|datetime)+$/]],
  ['kind', [/^(txn|trans|transaction|record|entry)?(type|kind)$/]],
  [
    'amount',
    [
      /^(gross|txn|trans|transaction|order|sale|payment|original|paid)?(amt|amount|value)(inr|rs)?$/,
    ],
  ],
  [
    'fee',
    [
      /^(total)?(mdr|tdr|fees?|charges?|commission|(service|gateway|pg|processing|airpay|bank|merchant)(fees?|charges?))(amt|amount)?(inr|rs)?$/,
    ],
  ],
  [
    'tax',
    [
      /^(total)?(gst|igst|servicetax|tax)(amt|amount|(on)?(mdr|tdr|fees?|charges?|commission))?(inr|rs)?$/,
    ],
  ],
] as const satisfies readonly (readonly [keyof SettlementColumns, readonly RegExp[]])[]

/**
 * Reads a report. `columns` are the columns that the user chose; null to detect them from the
 * headings. Bank statements have no columns for order ids or deductions, which distinguishes them
 * from reports.
 */
export function readSettlement(
  rows: readonly SheetRow[],
  columns: SettlementColumns | null = null,
): Result<Settlement, UnknownColumns> {
  const table = findTable(rows, columns, detectColumns)
  if (table === null) return err({ code: 'columns_unknown', header: findLikeliestHeader(rows) })
  const { below } = table
  const lines: SettlementLine[] = []
  const unread: number[] = []
  const identicalLines = new Map<string, number>()
  let unsettled = 0
  for (const tableRow of withColumns(below, table, columns === null ? detectColumns : null)) {
    const { row } = tableRow
    const parsedLine = readLine(tableRow)
    if (parsedLine === 'none') continue
    if (parsedLine === 'unread') unread.push(row.line)
    else if (parsedLine === 'unsettled') unsettled += 1
    else {
      const key = buildBaseKey(parsedLine)
      const nth = (identicalLines.get(key) ?? 0) + 1
      identicalLines.set(key, nth)
      lines.push({ ...parsedLine, nth })
    }
  }
  return ok({ lines, unread, unsettled })
}

/** Returns the key that identifies a line in any file. */
export function getLineKey(line: SettlementLine): string {
  return `${buildBaseKey(line)} ${line.nth}`
}

export type Deductions = Pick<SettlementLine, 'fee' | 'tax' | 'net'>
/**
 * Returns the deductions that a report states for a stored line, if they differ from those stored. The key of a line
 * does not contain them, because gateways correct them later and some reports omit them.
 */
export function findChangedDeductions(stored: Deductions, line: SettlementLine): Deductions | null {
  const { fee, tax, net, states } = line
  const isSame =
    states === 'none' ||
    (stored.net === net && (states === 'net' || (stored.fee === fee && stored.tax === tax)))
  return isSame ? null : { fee, tax, net }
}

/**
 * Returns the part of the key that identical lines share. If both numbers are present, only the gateway's is used,
 * because some reports omit the order id.
 */
function buildBaseKey({
  is,
  order,
  reference,
  amount,
  utr,
  day,
}: Omit<SettlementLine, 'nth'>): string {
  return [is, reference === '' ? order : reference, amount, getTransferKey({ utr, day })].join(' ')
}

/** Returns the key of a line's bank transfer: its normalised reference, otherwise its date. */
export function getTransferKey({ utr, day }: Pick<SettlementLine, 'utr' | 'day'>): string {
  const key = toBankKey(utr)
  return key === '' ? utr || `${day}` : key
}

function detectColumns(cells: readonly string[]): SettlementColumns | null {
  const headings = cells.map(normaliseHeading)
  const columnByField = new Map<keyof SettlementColumns, number>()
  for (const [columnName, patterns] of HEADING_PATTERNS) {
    if (columnByField.has(columnName)) continue
    for (const pattern of patterns) {
      const at = headings.findIndex(
        (heading, index) => pattern.test(heading) && ![...columnByField.values()].includes(index),
      )
      if (at === -1) continue
      columnByField.set(columnName, at)
      break
    }
  }
  const findColumn = (columnName: keyof SettlementColumns): number | null =>
    columnByField.get(columnName) ?? null
  const amount = findColumn('amount')
  const isNamed = findColumn('order') !== null || findColumn('reference') !== null
  const isSettled = findColumn('day') !== null || findColumn('utr') !== null
  const isGatewayReport = [
    findColumn('order'),
    findColumn('net'),
    findColumn('fee'),
    findColumn('day'),
  ].some((column) => column !== null)
  return amount === null || !isNamed || !isSettled || !isGatewayReport
    ? null
    : {
        order: findColumn('order'),
        reference: findColumn('reference'),
        amount,
        fee: findColumn('fee'),
        tax: findColumn('tax'),
        net: findColumn('net'),
        day: findColumn('day'),
        utr: findColumn('utr'),
        kind: findColumn('kind'),
        paid: findColumn('paid'),
        currencies: findCurrencyColumns(headings),
      }
}

/** Reads a row. Returns `none` for a row above or below the table, or a total. */
function readLine({
  row: { line, cells },
  columnsOfRow: columns,
  hasExtraCells,
}: TableRow<SettlementColumns>): Omit<SettlementLine, 'nth'> | 'none' | 'unread' | 'unsettled' {
  const getText = (at: number | null): string =>
    getCellText(cells, at).replace(/^'/, '').slice(0, MAX_REFERENCE_LENGTH)
  const readId = (at: number | null): string =>
    SCIENTIFIC_NOTATION.test(getText(at)) ? '' : getText(at)
  const [order, reference, utr] = [columns.order, columns.reference, columns.utr].map(readId) as [
    string,
    string,
    string,
  ]
  if (!isNumberOrId(order) && !isNumberOrId(reference)) {
    // A total has an amount and at most one word instead of the numbers. A payout line also has a kind and a transfer
    // reference.
    const isPayoutLine = getCellText(cells, columns.kind) !== '' && /\d/.test(utr)
    const isShortened = [columns.order, columns.reference].some((at) =>
      SCIENTIFIC_NOTATION.test(getText(at)),
    )
    return isPayoutLine || isShortened ? 'unread' : 'none'
  }
  if (hasExtraCells || !isInCurrency(cells, columns.currencies, INR)) return 'unread'
  const amount = readSignedAmount(getCellText(cells, columns.amount))
  const [fee, tax] = [columns.fee, columns.tax].map((at) =>
    readSignedAmount(getCellText(cells, at)),
  )
  if (amount === null || amount === 0 || fee == null || tax == null) return 'unread'
  const day = readDay(getCellText(cells, columns.day))
  const isNumber = /\d/.test(utr)
  if (day === null && !isNumber)
    return getCellText(cells, columns.day) === '' || columns.day === null ? 'unsettled' : 'unread'
  const kindText = getCellText(cells, columns.kind)
  const is = getLineKind(kindText, amount)
  const gross = Math.abs(amount)
  const [feeAmount, taxAmount] = [Math.abs(fee), Math.abs(tax)]
  const isDeducted =
    is === 'refund' || (is === 'other' && (amount < 0 || DEDUCTION_WORDS.test(kindText)))
  const sign = isDeducted ? -1 : 1
  const statedNet = columns.net === null ? null : getCellText(cells, columns.net)
  const net =
    statedNet === null || statedNet === ''
      ? toAmount(sign * gross - feeAmount - taxAmount)
      : readSignedAmount(statedNet)
  if (net === null) return 'unread'
  return {
    line,
    is,
    order,
    reference,
    amount: toAmount(gross),
    fee: toAmount(feeAmount),
    tax: toAmount(taxAmount),
    // If a report writes deductions without a sign, the kind gives the direction.
    net: sign < 0 && net > 0 ? toAmount(-net) : net,
    day,
    utr: isNumber ? utr : '',
    paidOn: readDay(getCellText(cells, columns.paid)),
    ...(columns.fee === null && { states: columns.net === null ? 'none' : 'net' }),
  }
}

/** Spreadsheet programs shorten long numbers to this format, which loses the last digits. */
const SCIENTIFIC_NOTATION = /^\d(?:[.,]\d+)?E\+\d+$/i
/** Razorpay's ids end with fourteen random letters and digits; about one in twelve has no digit. */
const GATEWAY_ID = /^[a-z]+_[a-z\d]{8,}$/i
const isNumberOrId = (text: string): boolean => /\d/.test(text) || GATEWAY_ID.test(text)

/** Matches a chargeback, but not a reversed one, which is a credit. */
const DEDUCTION_WORDS = /^(?!.*revers).*(charge\s*back|dispute|\b350\b)/i

/**
 * Determines the kind from the word or, if no word matches, from the sign of the amount. The numeric codes are the
 * same as in the gateway's status call.
 */
function getLineKind(word: string, amount: Amount): SettlementLine['is'] {
  if (/charge\s*back|dispute|revers|void|adjust|\b(350|420)\b/i.test(word)) return 'other'
  if (/refund|\b340\b/i.test(word)) return 'refund'
  return amount < 0 ? 'refund' : 'sale'
}
