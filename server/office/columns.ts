/** Which column of a file is which, as somebody said it where its heads did not. */
import type { SettlementColumns, StatementColumns } from '../../engine/index.ts'

/** Whole numbers from 0; null: nobody did. */
export function statementColumnsIn(query: URLSearchParams): StatementColumns | null {
  const at = said(query)
  const [date, narration, credit, amount, sign] = [
    at('date'),
    at('narration'),
    at('credit'),
    at('amount'),
    at('sign'),
  ]
  if (
    date === null ||
    narration === null ||
    (credit === null && (amount === null || sign === null))
  )
    return null
  return { date, narration, reference: at('reference'), credit, amount, sign }
}

/** The same of a gateway's report, which is told from a statement by `as=settlement`. */
export function settlementColumnsIn(query: URLSearchParams): SettlementColumns | null {
  const at = said(query)
  const [order, reference, amount] = [at('order'), at('reference'), at('amount')]
  const [day, utr] = [at('day'), at('utr')]
  const isWhole = amount !== null && (order ?? reference) !== null && (day ?? utr) !== null
  if (query.get('as') !== 'settlement' || !isWhole) return null
  const [fee, tax, net] = [at('fee'), at('tax'), at('net')]
  return { order, reference, amount, day, utr, fee, tax, net, kind: at('kind'), paid: at('paid') }
}

const said =
  (query: URLSearchParams) =>
  (name: string): number | null => {
    const text = query.get(name)
    return text !== null && /^\d{1,3}$/.test(text) ? Number(text) : null
  }
