/** Reads the column mapping that a user chose for a file whose headings were not recognised. */
import { listCurrenciesOfEvent } from '../../../engine/index.ts'
import type {
  Currency,
  EventConfig,
  SettlementColumns,
  StatementColumns,
} from '../../../engine/index.ts'

/** The parameters of the mapping. Each contains a zero-based column number. */
export const COLUMN_NAMES = [
  'as',
  'date',
  'narration',
  'credit',
  'amount',
  'sign',
  'debit',
  'order',
  'reference',
  'day',
  'utr',
  'fee',
  'tax',
  'net',
  'kind',
  'paid',
  'currency',
  'statement_currency',
] as const
type ColumnName = (typeof COLUMN_NAMES)[number]
export type ColumnParams = Readonly<Partial<Record<ColumnName, string>>>

/** Returns a statement's currency: the chosen one, otherwise the event's. Null if the event does not use it. */
export function getStatementCurrency(event: EventConfig, chosenCurrency: unknown): Currency | null {
  return chosenCurrency === undefined || chosenCurrency === null || chosenCurrency === ''
    ? event.currency
    : (listCurrenciesOfEvent(event).find((currency) => currency === chosenCurrency) ?? null)
}

/** Returns zero-based column numbers. Null if the user chose no columns. */
export function readStatementColumns(query: ColumnParams): StatementColumns | null {
  const readColumn = createColumnReader(query)
  const [date, narration, credit, amount, sign] = [
    readColumn('date'),
    readColumn('narration'),
    readColumn('credit'),
    readColumn('amount'),
    readColumn('sign'),
  ]
  if (
    date === null ||
    narration === null ||
    (credit === null && (amount === null || sign === null))
  )
    return null
  return {
    date,
    narration,
    reference: readColumn('reference'),
    credit,
    amount,
    sign,
    debit: readColumn('debit'),
  }
}

/** Returns the zero-based columns of a gateway's report. Null unless `as=settlement` and its columns were chosen. */
export function readSettlementColumns(query: ColumnParams): SettlementColumns | null {
  const readColumn = createColumnReader(query)
  const [order, reference, amount] = [
    readColumn('order'),
    readColumn('reference'),
    readColumn('amount'),
  ]
  const [day, utr] = [readColumn('day'), readColumn('utr')]
  const isComplete = amount !== null && (order ?? reference) !== null && (day ?? utr) !== null
  if (query.as !== 'settlement' || !isComplete) return null
  const [fee, tax, net] = [readColumn('fee'), readColumn('tax'), readColumn('net')]
  const [kind, paid, currency] = [readColumn('kind'), readColumn('paid'), readColumn('currency')]
  const currencies = currency === null ? [] : [currency]
  return { order, reference, amount, day, utr, fee, tax, net, kind, paid, currencies }
}

const createColumnReader =
  (query: ColumnParams) =>
  (name: ColumnName): number | null => {
    const text = query[name]
    return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : null
  }
