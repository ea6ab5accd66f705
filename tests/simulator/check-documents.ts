/**
 * Invariants for documents, checked after every write: each payment has a receipt, tax that was charged is invoiced,
 * and refunds are credited; receipts equal the payments; series have no gaps; issued documents never change.
 */
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'
import { createRequiredReader } from './expected-balance.ts'
import type { RequiredPayments } from './expected-balance.ts'

type Document = {
  id: number
  registration_id: number
  payment_id: number
  kind: 'receipt' | 'invoice' | 'credit'
  account: string
  year: string
  serial: string
  body: string
  total: number
  /** The amount received, if it differs from the receipt's total. */
  received: number | null
}
const DOCUMENTS_SQL = `SELECT id, registration_id, payment_id, kind, account, year, serial, body, json_extract(body, '$.total') AS total, CAST(body ->> '$.paid.amount' AS BIGINT) AS received
  FROM documents ORDER BY id`
/** `parts`: the number of captures that were accepted for the payment. */
type PaidPayment = { id: number; order_id: string; amount: number; parts: number }
const PAID_ORDERS_SQL = `SELECT p.id, p.order_id, p.amount,
    (SELECT count(*) FROM captures c WHERE c.counts_for = p.id AND c.state = 'accepted') AS parts
  FROM payments p JOIN registrations r ON r.id = p.registration_id
  JOIN event_issuers e ON e.event_id = r.event_id WHERE p.status IN ('success', 'refunded') AND p.amount > 0`
type PaidOrder = {
  id: number
  reg_no: string
  total: number
  due: number
  received: number
  refunded: number
  state: string
  invoices: 0 | 1
}
/** The price of each paid registration, with the sums of its payments and refunds. */
const CHARGED_SQL = `SELECT r.id, r.reg_no, r.state, r.total, r.due, e.issuer ->> '$.invoice' IS NOT NULL AS invoices,
  sum(p.received) AS received, sum(p.refunded) AS refunded FROM (
    SELECT p.registration_id,
      (SELECT coalesce(sum(c.amount), 0) FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted')) AS received,
      (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id
        WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted') AND f.state = 'done') AS refunded
    FROM payments p WHERE p.status IN ('success', 'refunded') AND p.amount > 0) p
  JOIN registrations r ON r.id = p.registration_id JOIN event_issuers e ON e.event_id = r.event_id GROUP BY r.id, e.issuer ORDER BY r.id`
const RECEIPTED_SQL = `SELECT r.id, r.reg_no FROM registrations r JOIN event_issuers e ON e.event_id = r.event_id ORDER BY r.id`
type RateTotals = { id: number; rate: string; base: number; gst: number }
/** Taxable value and tax of the registered items, by rate. An adjustment counts at the rate of each line it changes. */
const BY_RATE_SQL = `SELECT id, coalesce(CAST(rate AS TEXT), 'null') AS rate, sum(base) AS base, sum(gst) AS gst FROM (
    SELECT r.id, l.rate, l.base, l.gst FROM bill_lines l JOIN registrations r ON r.id = l.registration_id AND r.bill = l.bill
      WHERE l.parts IS NULL
    UNION ALL
    SELECT r.id, s.rate, CAST(part.value ->> '$.base' AS BIGINT), CAST(part.value ->> '$.gst' AS BIGINT) FROM bill_lines l
      JOIN registrations r ON r.id = l.registration_id AND r.bill = l.bill CROSS JOIN json_each(l.parts) part
      JOIN bill_lines s ON s.registration_id = l.registration_id AND s.bill = l.bill AND CAST(s.line AS TEXT) = CAST(part.value ->> '$.line' AS TEXT)) each_line
  GROUP BY 1, 2 HAVING sum(base) <> 0 OR sum(gst) <> 0 ORDER BY 1, 2`
type BilledLine = { id: number; item: string; option: string | null; base: number; gst: number }
const BILLED_SQL = `SELECT r.id, l.item, l.option, l.base, l.gst FROM bill_lines l JOIN registrations r ON l.registration_id = r.id AND l.bill = r.bill
  ORDER BY r.id, l.line`
/** Invoices minus credit notes. */
const INVOICED_BY_RATE_SQL = `SELECT id, rate, sum(base) AS base, sum(gst) AS gst FROM (
    SELECT d.registration_id AS id, coalesce(CAST(json_extract(line.value, '$.rate') AS TEXT), 'null') AS rate,
      iif(d.kind = 'credit', -1, 1) * CAST(line.value ->> '$.base' AS BIGINT) AS base, iif(d.kind = 'credit', -1, 1) * CAST(line.value ->> '$.gst' AS BIGINT) AS gst
    FROM documents d CROSS JOIN json_each(d.body, '$.lines') line WHERE d.kind <> 'receipt') each_line
  GROUP BY 1, 2 HAVING sum(base) <> 0 OR sum(gst) <> 0 ORDER BY 1, 2`

/**
 * Returns the document without the data that may change: erasing a registration removes the buyer from its receipts,
 * but not from its invoices.
 */
function omitErasableData(issuedDocument: Document): Document {
  const body = JSON.parse(issuedDocument.body) as { buyer: unknown }
  return issuedDocument.kind === 'receipt'
    ? { ...issuedDocument, body: JSON.stringify({ ...body, buyer: null }) }
    : issuedDocument
}

/** Returns a function that finds a registration's totals by rate. */
function groupByRate(
  rows: readonly RateTotals[],
): (id: number) => readonly Omit<RateTotals, 'id'>[] {
  const totalsById = Map.groupBy(rows, ({ id }) => id)
  return (id) => (totalsById.get(id) ?? []).map(({ rate, base, gst }) => ({ rate, base, gst }))
}

export function createDocumentInvariants(sql: () => Sql): {
  afterWrite(): Promise<Violation | null>
} {
  const readRequired = createRequiredReader(sql)
  const issuedTexts = new Map<number, string>()
  /** For each registration, whether its event file has issued invoices during every change so far. */
  const isAlwaysInvoicedById = new Map<number, boolean>()
  /** The invoiced amounts by rate, for each combination of registration, bill and sum of payments. */
  const ratesByBill = new Map<string, string>()

  const checkUnchanged = (documents: readonly Document[]): Violation | null => {
    const currentTexts = new Map(
      documents.map((entry) => [entry.id, JSON.stringify(omitErasableData(entry))]),
    )
    for (const [id, text] of issuedTexts)
      if (currentTexts.get(id) !== text)
        return {
          invariant: 'a document never changes',
          cause: `${text} → ${currentTexts.get(id) ?? 'nothing'}`,
        }
    for (const [id, text] of currentTexts) issuedTexts.set(id, text)
    return null
  }
  const checkSeries = (documents: readonly Document[]): Violation | null => {
    const lastSerials = new Map<string, number>()
    for (const { kind, account, year, serial } of documents) {
      if (kind === 'receipt') continue
      const seriesName = `${kind} ${account} ${year}`
      const nextSerial = (lastSerials.get(seriesName) ?? 0) + 1
      lastSerials.set(seriesName, nextSerial)
      if (!serial.endsWith(`/${nextSerial}`))
        return {
          invariant: 'document numbers have no gaps',
          cause: `${seriesName}: ${serial}, not ${nextSerial}`,
        }
    }
    return null
  }
  const checkReceipts = async (documents: readonly Document[]): Promise<Violation | null> => {
    for (const paidOrder of await sql()<PaidPayment>(PAID_ORDERS_SQL).all()) {
      const receipts = documents.filter(
        (document) => document.payment_id === paidOrder.id && document.kind === 'receipt',
      )
      const isComplete = receipts.length === Math.max(1, paidOrder.parts)
      if (!isComplete || receipts.some(({ total }) => total !== paidOrder.amount))
        return {
          invariant:
            'each payer has a receipt for the amount paid, and one for each further payment',
          cause: JSON.stringify(paidOrder),
        }
    }
    return null
  }
  /** Checks that the newest receipts add up to everything received, which is the amount kept plus refunds. */
  const checkKeptAmount = async (
    documents: readonly Document[],
    requiredPayments: RequiredPayments,
  ): Promise<Violation | null> => {
    const receipts = new Map(
      documents.flatMap((entry) =>
        entry.kind === 'receipt' ? [[entry.payment_id, entry] as const] : [],
      ),
    )
    const receiptsByRegistration = Map.groupBy(
      receipts.values(),
      (receipt) => receipt.registration_id,
    )
    for (const row of await sql()<{ id: number; reg_no: string }>(RECEIPTED_SQL).all()) {
      const statedAmount = (receiptsByRegistration.get(row.id) ?? []).reduce(
        (sum, entry) => sum + (entry.received ?? entry.total),
        0,
      )
      const { received } = requiredPayments.getSums(row.id)
      if (statedAmount !== received)
        return {
          invariant: 'receipts minus refunds equal the amount kept',
          cause: `${row.reg_no}: receipts of ${statedAmount}, and ${received} counts`,
        }
    }
    return null
  }
  const checkInvoices = async (requiredPayments: RequiredPayments): Promise<Violation | null> => {
    const invoicedByRate = groupByRate(await sql()<RateTotals>(INVOICED_BY_RATE_SQL).all())
    const registeredByRate = groupByRate(await sql()<RateTotals>(BY_RATE_SQL).all())
    const billedLines = Map.groupBy(await sql()<BilledLine>(BILLED_SQL).all(), ({ id }) => id)
    for (const row of await sql()<PaidOrder>(CHARGED_SQL).all()) {
      const isInvoiced = row.invoices === 1 && (isAlwaysInvoicedById.get(row.id) ?? true)
      isAlwaysInvoicedById.set(row.id, isInvoiced)
      const keptAmount = row.received - row.refunded
      // A waived amount is invoiced while the registration is active, because the invoice states the full price.
      const waivedAmount =
        keptAmount > 0 && row.state !== 'cancelled'
          ? row.total - requiredPayments.getSums(row.id).computeRequired(row.total)
          : 0
      const chargedAmount = Math.max(0, Math.min(row.total, keptAmount + row.due + waivedAmount))
      const invoicedRates = invoicedByRate(row.id)
      const cause = `${JSON.stringify(row)}: ${JSON.stringify(invoicedRates)}`
      const total = invoicedRates.reduce((sum, { base, gst }) => sum + base + gst, 0)
      // Refunds are credited even if the event file no longer has invoices.
      if (total > chargedAmount)
        return { invariant: 'invoices minus credit notes do not exceed the amount charged', cause }
      if (!isInvoiced) continue
      if (total !== chargedAmount)
        return { invariant: 'invoices minus credit notes equal the amount charged', cause }
      const expectedRates = JSON.stringify(registeredByRate(row.id))
      if (chargedAmount === row.total && JSON.stringify(invoicedRates) !== expectedRates)
        return {
          invariant: 'invoices minus credit notes equal the registered items at each rate',
          cause: `${cause}, not ${expectedRates}`,
        }
      if (row.state === 'cancelled') continue
      const billKey = JSON.stringify([row.id, row.received, row.refunded, billedLines.get(row.id)])
      const ratesBefore = ratesByBill.get(billKey) ?? JSON.stringify(invoicedRates)
      ratesByBill.set(billKey, ratesBefore)
      if (ratesBefore !== JSON.stringify(invoicedRates))
        return {
          invariant:
            'the same bill with the same payments has the same invoiced amounts at each rate',
          cause: `${cause}, not ${ratesBefore}`,
        }
    }
    return null
  }
  return {
    afterWrite: async () => {
      const documents = await sql()<Document>(DOCUMENTS_SQL).all()
      const requiredPayments = await readRequired()
      return (
        checkUnchanged(documents) ??
        checkSeries(documents) ??
        (await checkReceipts(documents)) ??
        (await checkKeptAmount(documents, requiredPayments)) ??
        (await checkInvoices(requiredPayments))
      )
    },
  }
}
