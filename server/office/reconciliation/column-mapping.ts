/** Reads the column mapping that a user chose for a file whose headings were not recognised. */
import { currenciesOf } from '../../../engine/index.ts'
import type {
  Currency,
  EventConfig,
  SettlementColumns,
  StatementColumns,
} from '../../../engine/index.ts'

/** The parameters of the mapping, each with a column number from 0. */
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

/** Returns the currency in which a statement is read: the event's, or the one chosen. Null if the event does not use it. */
export function getStatementCurrency(event: EventConfig, chosen: unknown): Currency | null {
  return chosen === undefined || chosen === null || chosen === ''
    ? event.currency
    : (currenciesOf(event).find((currency) => currency === chosen) ?? null)
}

/** Returns column numbers from 0. Null if the user chose no columns. */
export function readStatementColumns(query: ColumnParams): StatementColumns | null {
  const column = createColumnReader(query)
  const [date, narration, credit, amount, sign] = [
    column('date'),
    column('narration'),
    column('credit'),
    column('amount'),
    column('sign'),
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
    reference: column('reference'),
    credit,
    amount,
    sign,
    debit: column('debit'),
  }
}

/** Does the same for a gateway's report, which `as=settlement` distinguishes from a statement. */
export function readSettlementColumns(query: ColumnParams): SettlementColumns | null {
  const at = createColumnReader(query)
  const [order, reference, amount] = [at('order'), at('reference'), at('amount')]
  const [day, utr] = [at('day'), at('utr')]
  const isWhole = amount !== null && (order ?? reference) !== null && (day ?? utr) !== null
  if (query.as !== 'settlement' || !isWhole) return null
  const [fee, tax, net] = [at('fee'), at('tax'), at('net')]
  const [kind, paid, currency] = [at('kind'), at('paid'), at('currency')]
  const currencies = currency === null ? [] : [currency]
  return { order, reference, amount, day, utr, fee, tax, net, kind, paid, currencies }
}

const createColumnReader =
  (query: ColumnParams) =>
  (name: ColumnName): number | null => {
    const text = query[name]
    return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : null
  }
