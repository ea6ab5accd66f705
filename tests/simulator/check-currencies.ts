/** Invariants for currencies: each payment, document and sum is in its registration's currency. */
import { INR } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'

/**
 * Gateways accept payments in another currency, which staff review. Every other payment is recorded in the
 * registration's currency.
 */
const OTHER_CURRENCY_SQL = `SELECT c.id, c.amount, c.currency, c.state, r.reg_no, r.currency AS price_currency FROM captures c
  LEFT JOIN payments p ON p.id = c.counts_for JOIN registrations r ON r.id = coalesce(p.registration_id, c.registration_id)
  WHERE c.currency <> r.currency AND (c.state IN ('fits', 'accepted') OR c.source NOT IN ('airpay', 'razorpay'))`
/** Reads only new documents, because documents never change. */
const NEWER_DOCUMENTS_SQL = `SELECT d.id, d.kind, d.serial, coalesce(d.body ->> '$.currency', '${INR}') AS currency, r.currency AS price_currency
  FROM documents d JOIN registrations r ON r.id = d.registration_id WHERE d.id > ? ORDER BY d.id`
const CURRENCIES_SQL =
  'SELECT currency FROM registrations UNION SELECT currency FROM captures UNION SELECT currency FROM revenue'

/**
 * Builds the query for the sums in one currency: of the payments, and of the counters for the categories that pay in
 * this currency.
 */
const buildTotalsSql = (currency: string): string => {
  return `SELECT (SELECT coalesce(sum(amount), 0) FROM captures WHERE state IN ('fits', 'accepted') AND currency = '${currency}')
    - (SELECT coalesce(sum(b.amount), 0) FROM refunds b JOIN captures c ON c.id = b.capture_id
      WHERE b.state = 'done' AND c.state IN ('fits', 'accepted') AND c.currency = '${currency}') AS kept,
  (SELECT coalesce(sum(amount), 0) FROM revenue WHERE currency = '${currency}') AS revenue,
  (SELECT coalesce(sum(booked), 0) FROM registrations WHERE currency = '${currency}') AS booked,
  (SELECT coalesce(sum(booked), 0) FROM counters n WHERE EXISTS (SELECT 1 FROM registrations r
    WHERE r.event_id = n.event_id AND coalesce(r.category, '') = n.category AND r.currency = '${currency}')) AS counted_booked`
}
type Totals = Readonly<Record<'kept' | 'revenue' | 'booked' | 'counted_booked', number>>

type DocumentRow = {
  readonly id: number
  readonly currency: string
  readonly price_currency: string
}

export function createCurrencyInvariants(sql: () => Sql): {
  afterWrite(): Promise<Violation | null>
} {
  let lastDocumentId = 0
  const checkDocuments = async (): Promise<Violation | null> => {
    for (const row of await sql()<DocumentRow>(NEWER_DOCUMENTS_SQL).all(lastDocumentId)) {
      lastDocumentId = row.id
      if (row.currency !== row.price_currency)
        return {
          invariant: 'a document is in the currency of its registration',
          cause: JSON.stringify(row),
        }
    }
    return null
  }
  const checkTotals = async (): Promise<Violation | null> => {
    for (const { currency } of await sql()<{ currency: string }>(CURRENCIES_SQL).all()) {
      const totals = await sql()<Totals>(buildTotalsSql(currency)).get()
      if (new Set(Object.values(totals ?? {})).size > 1)
        return {
          invariant: 'payments, revenue and counters agree in each currency',
          cause: `${currency}: ${JSON.stringify(totals)}`,
        }
    }
    return null
  }
  return {
    afterWrite: async () => {
      const foreignCapture = await sql()(OTHER_CURRENCY_SQL).get()
      if (foreignCapture !== undefined)
        return {
          invariant: 'a payment counts only towards a price in the same currency',
          cause: JSON.stringify(foreignCapture),
        }
      return (await checkDocuments()) ?? (await checkTotals())
    },
  }
}
