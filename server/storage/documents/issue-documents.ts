/**
 * Issues documents in the transaction that makes a payment a success or refunds it.
 * Their content is written once, and their numbers have no gaps because they are counted where they are used.
 */
import { mapInOrder } from '../database/in-order.ts'
import {
  assert,
  createCreditNote,
  dayOf,
  documentChange,
  createDocument,
  financialYear,
  isEnded,
  paise,
  requiredAmount,
  serialText,
  sumDocument,
  taxableValue,
  includedTax,
} from '../../../engine/index.ts'
import type {
  Answers,
  Charge,
  DocumentBody,
  DocumentChange,
  Instant,
  Issuer,
  Line,
  Paise,
  Sold,
} from '../../../engine/index.ts'
import { amongIds } from '../database/select-by-ids.ts'
import { moneyOfBill } from '../payments/stored-balance.ts'
import { keepLines, linesOf, nextBill } from '../payments/stored-bill-lines.ts'
import { sourceOf } from '../payments/received-payments.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { seriesNow } from '../recovery/begin-and-end-recovery.ts'
import type { OwnedPaymentRow, PaymentRow, RegistrationRow } from '../registrations/row-mapping.ts'

export function setIssuer(sql: Sql, eventId: string, issuer: Issuer): void {
  sql(
    `INSERT INTO event_issuers (event_id, issuer) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET issuer = excluded.issuer WHERE issuer <> excluded.issuer`,
  ).run(eventId, JSON.stringify(issuer))
}

/** Null: the event was never served since there are documents. */
async function issuerOf(sql: Sql, eventId: string): Promise<Issuer | null> {
  const row = await sql<{ issuer: string }>(
    'SELECT issuer FROM event_issuers WHERE event_id = ?',
  ).get(eventId)
  return row === undefined ? null : (JSON.parse(row.issuer) as Issuer)
}

type Kept = { readonly bill?: number | null; readonly creditNumber?: string | null }
type Numbered = { readonly account: string; readonly year: string; readonly serial: string }

/** The next of a series. Whoever rolls back gives the number back with it. */
async function nextOf(sql: Sql, account: string, pattern: string, at: Instant): Promise<Numbered> {
  const year = financialYear(dayOf(at))
  const series = await seriesNow(sql, pattern, year)
  const row = await sql<{ last: number }>(
    `INSERT INTO document_series (account, year, pattern, last) VALUES (?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last`,
  ).get(account, year, series)
  assert(row !== undefined, 'a series that counts nothing')
  return { account, year, serial: serialText(series, row.last, year) }
}

/**
 * `bill`: the bill of the registration at that time. `creditNumber`: of an invoice, the pattern by which what goes
 * back of it is numbered.
 */
function keep(
  sql: Sql,
  row: Pick<PaymentRow, 'id' | 'registration_id'>,
  numbered: Numbered,
  body: DocumentBody,
  { bill = null, creditNumber = null }: Kept = {},
): void {
  sql(
    `INSERT INTO documents (registration_id, payment_id, kind, account, year, serial, body, at, credit_number, bill)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    row.registration_id,
    row.id,
    body.kind,
    numbered.account,
    numbered.year,
    numbered.serial,
    JSON.stringify(body),
    body.at,
    creditNumber,
    bill,
  )
}

/**
 * Issues the receipt of a payment that has just become a success, and another one once more money is added to a
 * payment accepted at less: the newest states everything paid. Its invoice follows with `coverBill`.
 */
export async function issueReceipt(
  sql: Sql,
  row: OwnedPaymentRow,
  paid: { readonly reference: string; readonly paidAt: Instant },
  at: Instant,
): Promise<void> {
  const issuer = row.amount === 0 ? null : await issuerOf(sql, row.event_id)
  if (issuer === null) return
  const before = await sql<{ n: number }>(
    "SELECT count(*) AS n FROM documents WHERE payment_id = ? AND kind = 'receipt'",
  ).get(row.id)
  const serial = row.order_id + (before?.n ? `-${before.n + 1}` : '')
  const body = createDocument(issuer, await receivedWith(sql, row, issuer, paid), {
    kind: 'receipt',
    serial,
    at,
  })
  keep(sql, row, { account: row.event_id, year: '', serial }, body)
}

async function receivedWith(
  sql: Sql,
  row: OwnedPaymentRow,
  issuer: Issuer,
  { reference, paidAt }: { readonly reference: string; readonly paidAt: Instant },
): Promise<Sold> {
  const registration = await registrationRow(sql, row.registration_id)
  const lines = (await linesOf(sql, amongIds([row.registration_id])))(row.registration_id, row.bill)
  const isWhole = lines.reduce((sum, line) => sum + line.total, 0) === row.amount
  const gst =
    row.asks_for === 'difference'
      ? await taxOfDifference(sql, row, registration)
      : (row.gst ?? includedTax(row.amount, issuer.tax?.percent ?? 0))
  const base = paise(row.amount - gst)
  const accepted = await sql<{ amount: Paise | null }>(
    "SELECT sum(coalesce(counted, amount)) AS amount FROM captures WHERE counts_for = ? AND state = 'accepted'",
  ).get(row.id)
  const label = row.asks_for === 'difference' ? 'Difference after a correction' : 'Registration'
  return {
    ...personOf(registration),
    amount: row.amount,
    base,
    gst,
    untaxed: paise(isWhole && gst > 0 && isRated(lines) ? base - taxableValue(lines) : 0),
    lines:
      lines.length > 0 && isWhole
        ? lines.map((line) => ({
            label: line.label,
            quantity: line.quantity,
            unit: line.unit,
            base: line.base,
            gst: line.gst,
            total: line.total,
          }))
        : [{ label, quantity: 1, unit: base, base, gst, total: row.amount }],
    paid: { reference, at: paidAt, came: accepted?.amount ?? row.amount },
  }
}

/** Bills of older versions do not say which of their lines are taxed. */
const isRated = (lines: readonly Line[]): boolean =>
  lines.length > 0 && lines.every(({ rate, parts }) => rate !== undefined || parts !== undefined)

/** The tax that the receipts so far leave of the bill; nothing where this payment is not exactly what they leave. */
async function taxOfDifference(
  sql: Sql,
  row: OwnedPaymentRow,
  { gst, total }: RegistrationRow,
): Promise<Paise> {
  const before = (await sql<{ gst: number; total: number }>(
    `SELECT coalesce(sum(CAST(json_extract(body, '$.gst') AS BIGINT)), 0) AS gst, coalesce(sum(json_extract(body, '$.total')), 0) AS total
     FROM documents WHERE id IN (SELECT max(id) FROM documents WHERE registration_id = ? AND kind = 'receipt' GROUP BY payment_id)`,
  ).get(row.registration_id)) ?? { gst: 0, total: 0 }
  const left = (gst ?? 0) - before.gst
  const isExact = (total ?? 0) - before.total === row.amount && left >= 0 && left <= row.amount
  return paise(isExact ? left : 0)
}

const personOf = (registration: RegistrationRow) => ({
  regNo: registration.reg_no,
  answers: JSON.parse(registration.answers) as Answers,
  fullName: registration.full_name,
  email: registration.email,
})

async function registrationRow(sql: Sql, id: number): Promise<RegistrationRow> {
  const row = await sql<RegistrationRow>('SELECT * FROM registrations WHERE id = ?').get(id)
  assert(row !== undefined, 'a payment of no registration')
  return row
}

type TaxDocumentRow = {
  readonly payment_id: number
  readonly kind: 'invoice' | 'credit'
  readonly account: string
  readonly credit_number: string | null
  readonly body: string
  readonly bill: number | null
}

function taxDocumentsOf(sql: Sql, registrationId: number): Promise<readonly TaxDocumentRow[]> {
  return sql<TaxDocumentRow>(
    `SELECT payment_id, kind, account, credit_number, body, bill FROM documents
     WHERE registration_id = ? AND kind IN ('invoice', 'credit') ORDER BY id`,
  ).all(registrationId)
}

/** Serials may begin anew with a financial year. */
const named = ({ serial, at }: { readonly serial: string; readonly at: Instant }): string =>
  `${serial} ${at}`

/**
 * What of the bill is charged: money that is kept, and what is due. Money beyond the price was never charged.
 * `chargedHere`: without the imported money, from which what is to be paid back is taken first.
 */
async function chargedOf(
  sql: Sql,
  { id, due, state }: RegistrationRow,
  total: Paise,
  refundedBefore: number,
): Promise<Pick<Charge, 'charged' | 'chargedHere'>> {
  const { came, gone, imported } = (await sql<Record<'came' | 'gone' | 'imported', number>>(
    `SELECT coalesce(sum(came), 0) AS came, coalesce(sum(gone), 0) AS gone,
       coalesce(sum(CASE WHEN is_imported = 1 THEN came - gone ELSE 0 END), 0) AS imported FROM (
       SELECT CASE WHEN EXISTS (${IMPORTED} AND c.counts_for = p.id) THEN 1 ELSE 0 END AS is_imported,
         coalesce((SELECT sum(amount) FROM captures WHERE counts_for = p.id AND state IN ('fits', 'accepted')), p.amount) AS came,
         (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id
           WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted') AND f.state = 'done') AS gone
       FROM payments p WHERE p.registration_id = ? AND p.status IN ('success', 'refunded')) AS paid`,
  ).get(id)) ?? { came: 0, gone: 0, imported: 0 }
  const kept = came - gone + refundedBefore
  // The organisers let go of less than the price, until it is cancelled or the last rupee is refunded.
  const letGo = total - requiredAmount(total, (await moneyOfBill(sql, id)).letGo)
  const waived = kept > 0 && !isEnded(state) ? letGo : 0
  const dueHere = Math.max(due, Math.min(0, imported + due))
  return {
    charged: paise(Math.max(0, Math.min(total, kept + due + waived))),
    chargedHere: paise(Math.max(0, kept - imported + dueHere + waived)),
  }
}

/** Money of an import, which was invoiced where it came from; what was refunded there was credited there as well. */
const IMPORTED = `SELECT 1 FROM captures c WHERE c.source = '${sourceOf(null)}'
  AND NOT EXISTS (SELECT 1 FROM refunds f WHERE f.capture_id = c.id AND f.who = 'import')`

/**
 * Issues missing documents, so that invoices less credit notes equal what the registration is charged, line by
 * line. From the first payment on, it is called after every change of the bill, the balance or the payments;
 * without a difference it issues nothing. `refund`: the refund that a credit note follows. `refundedBefore`:
 * refunds of money that begins to count only now, whose credit notes follow separately. `unpaid`: the balance
 * that is now given up.
 */
export async function coverBill(
  sql: Sql,
  registrationId: number,
  at: Instant,
  {
    refund = null,
    refundedBefore = 0,
    unpaid = paise(0),
  }: {
    readonly refund?: { readonly reference: string } | null
    readonly refundedBefore?: number
    readonly unpaid?: Paise
  } = {},
): Promise<void> {
  if ((await sql(`${IMPORTED} AND c.registration_id = ?`).get(registrationId)) !== undefined)
    await keepCoveredBill(sql, await registrationRow(sql, registrationId))
  const row = await registrationRow(sql, registrationId)
  const documents = await taxDocumentsOf(sql, registrationId)
  const issuer = await issuerOf(sql, row.event_id)
  if (documents.length === 0 && (issuer?.invoice ?? null) === null) return
  const payment = await sql<PaymentRow>(
    `SELECT * FROM payments WHERE registration_id = ? AND status IN ('success', 'refunded') AND amount > 0
     ORDER BY attempt DESC LIMIT 1`,
  ).get(registrationId)
  if (payment === undefined) return
  const billOf = await linesOf(sql, amongIds([registrationId]))
  const bodies = documents.map((document) => JSON.parse(document.body) as DocumentBody)
  const bill = await billLines(sql, row, payment.amount)
  const lastRefund = bodies.findLastIndex(({ kind, paid }) => kind === 'credit' && paid !== null)
  const refundBill = documents[lastRefund]?.bill ?? null
  const { documented_bill: documented, bill_without_invoice: elsewhere } = row
  const change = documentChange(
    await mapInOrder(bodies, async (body, index) => ({
      serial: named(body),
      of: body.of === null ? null : named(body.of),
      lines: body.lines,
      bill: billOf(registrationId, await billOfPayment(sql, documents[index]?.payment_id ?? 0)),
    })),
    {
      bill,
      before:
        documented === null
          ? documents.length === 0
            ? null
            : bill
          : billOf(registrationId, documented),
      lastRefund:
        refundBill === null
          ? null
          : { bill: billOf(registrationId, refundBill), documents: lastRefund + 1 },
      withoutInvoice: elsewhere === null ? [] : billOf(registrationId, elsewhere),
      ...(await chargedOf(sql, row, sumDocument(bill).total, refundedBefore)),
      unpaid,
    },
  )
  for (const { of, lines } of change.credits) {
    const index = bodies.findIndex((body) => body.kind === 'invoice' && named(body) === of)
    const [invoice, body] = [documents[index], bodies[index]]
    assert(invoice !== undefined && body !== undefined, 'a credit note of no invoice')
    // Issued before it was kept, for an event whose file had lost it then.
    const pattern = invoice.credit_number ?? issuer?.invoice?.creditNumber
    if (pattern === undefined) continue
    const numbered = await nextOf(sql, invoice.account, pattern, at)
    const owner = { id: invoice.payment_id, registration_id: registrationId }
    const earlier = bodies.filter((one) => one.of !== null && named(one.of) === of)
    const note = createCreditNote(body, lines, refund, { serial: numbered.serial, at, earlier })
    keep(sql, owner, numbered, note, { bill: row.bill })
  }
  if (change.invoice.length > 0 && issuer !== null && issuer.invoice !== null) {
    const numbered = await nextOf(sql, issuer.invoice.gstin, issuer.invoice.number, at)
    const sold = await soldFor(sql, row, payment, change.invoice)
    const body = createDocument(issuer, sold, { kind: 'invoice', serial: numbered.serial, at })
    const { creditNumber } = issuer.invoice
    keep(sql, payment, numbered, body, { bill: row.bill, creditNumber })
  }
  if (row.bill !== null && row.bill !== documented)
    sql('UPDATE registrations SET documented_bill = ? WHERE id = ?').run(row.bill, registrationId)
}

/**
 * Call it before the bill of a paid registration changes: stores which bill its documents cover, or that none do.
 */
export async function keepCoveredBill(sql: Sql, row: RegistrationRow): Promise<void> {
  if (row.documented_bill !== null || row.bill_without_invoice !== null) return
  const paid = await sql<{ amount: Paise }>(
    "SELECT amount FROM payments WHERE registration_id = ? AND status IN ('success', 'refunded') AND amount > 0 LIMIT 1",
  ).get(row.id)
  if (paid === undefined) return
  const bill =
    row.bill ??
    keepLines(sql, row.id, await nextBill(sql, row.id), await billLines(sql, row, paid.amount))
  const column =
    (await taxDocumentsOf(sql, row.id)).length > 0 ? 'documented_bill' : 'bill_without_invoice'
  sql(`UPDATE registrations SET ${column} = ? WHERE id = ?`).run(bill, row.id)
}

/** The lines of the bill; of one that was stored without lines, all of it in one. */
async function billLines(sql: Sql, row: RegistrationRow, paid: Paise): Promise<readonly Line[]> {
  const lines = (await linesOf(sql, amongIds([row.id])))(row.id, row.bill)
  const total = row.total ?? paid
  if (lines.length > 0 && sumDocument(lines).total === total) return lines
  const gst = row.gst ?? includedTax(total, (await issuerOf(sql, row.event_id))?.tax?.percent ?? 0)
  const base = paise(total - gst)
  const label = 'Registration'
  return [{ id: 'registration', option: null, label, quantity: 1, unit: base, base, gst, total }]
}

const billOfPayment = async (sql: Sql, paymentId: number): Promise<number | null> =>
  (await sql<{ bill: number | null }>('SELECT bill FROM payments WHERE id = ?').get(paymentId))
    ?.bill ?? null

/** What an invoice is for. It states a payment where it is for exactly what that payment paid. */
async function soldFor(
  sql: Sql,
  row: RegistrationRow,
  payment: PaymentRow,
  lines: DocumentChange['invoice'],
): Promise<Sold> {
  const { base, gst, total } = sumDocument(lines)
  const came = await sql<{ came: number }>(
    "SELECT coalesce(sum(coalesce(counted, amount)), 0) AS came FROM captures WHERE counts_for = ? AND state IN ('fits', 'accepted')",
  ).get(payment.id)
  const { reference, paid_at: at } = payment
  const isOfPayment = payment.amount === total && reference !== null && at !== null
  return {
    ...personOf(row),
    amount: total,
    base,
    gst,
    lines,
    paid: isOfPayment ? { reference, at, came: paise(came?.came ?? total) } : null,
  }
}
