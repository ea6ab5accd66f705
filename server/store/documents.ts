/**
 * Documents, issued in the transaction that makes a payment a success or sends money back: what they state is
 * written once, and their numbers have no gap, because they are counted where they are used.
 */
import {
  assert,
  creditOf,
  dayOf,
  documentOf,
  financialYearOf,
  paise,
  serialText,
  taxWithin,
} from '../../engine/index.ts'
import type { Answers, DocumentBody, Instant, Issuer, Paise, RegNo } from '../../engine/index.ts'
import { amongIds } from './among.ts'
import { linesOf } from './bills.ts'
import type { Sql } from './database.ts'
import type { StoredDocument } from './issued.ts'
import type { OwnedPaymentRow, RegistrationRow } from './rows.ts'

export function setIssuer(sql: Sql, eventId: string, issuer: Issuer): void {
  sql(
    `INSERT INTO event_issuers (event_id, issuer) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET issuer = excluded.issuer WHERE issuer <> excluded.issuer`,
  ).run(eventId, JSON.stringify(issuer))
}

/** Null: the event was never served since there are documents. */
function issuerOf(sql: Sql, eventId: string): Issuer | null {
  const row = sql<{ issuer: string }>('SELECT issuer FROM event_issuers WHERE event_id = ?').get(
    eventId,
  )
  return row === undefined ? null : (JSON.parse(row.issuer) as Issuer)
}

type Numbered = { readonly account: string; readonly year: string; readonly serial: string }

/** The next of a series. Whoever rolls back gives the number back with it. */
function nextOf(sql: Sql, account: string, pattern: string, at: Instant): Numbered {
  const year = financialYearOf(dayOf(at))
  const row = sql<{ last: number }>(
    `INSERT INTO document_series (account, year, pattern, last) VALUES (?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last`,
  ).get(account, year, pattern)
  assert(row !== undefined, 'a series that counts nothing')
  return { account, year, serial: serialText(pattern, row.last, year) }
}

/** `creditNumber`: of an invoice, the pattern by which what goes back of it is numbered. */
function keep(
  sql: Sql,
  row: Pick<OwnedPaymentRow, 'id' | 'registration_id'>,
  numbered: Numbered,
  body: DocumentBody,
  creditNumber: string | null = null,
): void {
  sql(
    `INSERT INTO documents (registration_id, payment_id, kind, account, year, serial, body, at, credit_number)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
  )
}

/** What a payment that has just become a success gets: a receipt, and a tax invoice where the event has them. */
export function issueDocuments(
  sql: Sql,
  row: OwnedPaymentRow,
  paid: { readonly reference: string; readonly paidAt: Instant },
  at: Instant,
): void {
  const issuer = row.amount === 0 ? null : issuerOf(sql, row.event_id)
  if (issuer === null) return
  const sold = soldBy(sql, row, issuer, paid)
  const receipt = { account: row.event_id, year: '', serial: String(row.order_id) }
  keep(sql, row, receipt, documentOf(issuer, sold, { kind: 'receipt', serial: receipt.serial, at }))
  if (issuer.invoice === null || sold.gst === 0) return
  const numbered = nextOf(sql, issuer.invoice.gstin, issuer.invoice.number, at)
  keep(
    sql,
    row,
    numbered,
    documentOf(issuer, sold, { kind: 'invoice', serial: numbered.serial, at }),
    issuer.invoice.creditNumber,
  )
}

function soldBy(
  sql: Sql,
  row: OwnedPaymentRow,
  issuer: Issuer,
  { reference, paidAt }: { readonly reference: string; readonly paidAt: Instant },
) {
  const registration = sql<RegistrationRow>('SELECT * FROM registrations WHERE id = ?').get(
    row.registration_id,
  )
  assert(registration !== undefined, 'a payment of no registration')
  const lines = linesOf(sql, amongIds([row.registration_id]))(row.registration_id, row.bill)
  const isWhole = lines.reduce((sum, line) => sum + line.total, 0) === row.amount
  const gst = row.gst ?? taxWithin(row.amount, issuer.tax?.percent ?? 0)
  const base = paise(row.amount - gst)
  const accepted = sql<{ amount: Paise }>(
    "SELECT amount FROM captures WHERE counts_for = ? AND reference = ? AND state = 'accepted'",
  ).get(row.id, reference)
  const label = row.asks_for === 'difference' ? 'Difference after a correction' : 'Registration'
  return {
    regNo: row.reg_no,
    answers: JSON.parse(registration.answers) as Answers,
    fullName: registration.full_name,
    email: registration.email,
    amount: row.amount,
    base,
    gst,
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
    reference,
    paidAt,
    came: accepted?.amount ?? row.amount,
  }
}

/**
 * A credit note for what went back of a payment that an invoice was issued for, before the invoice or after it; nothing
 * where there was none. Its series is the one that stood with the invoice: the event file may be another by now, and have
 * no invoices any more.
 */
export function creditDocument(
  sql: Sql,
  row: Pick<OwnedPaymentRow, 'id' | 'registration_id' | 'event_id'>,
  back: { readonly amount: Paise; readonly reference: string },
  at: Instant,
): void {
  const invoice = sql<{ body: string; account: string; credit_number: string | null }>(
    "SELECT body, account, credit_number FROM documents WHERE payment_id = ? AND kind = 'invoice'",
  ).get(row.id)
  if (invoice === undefined) return
  // Issued before it was kept, for an event whose file had lost it then.
  const pattern = invoice.credit_number ?? issuerOf(sql, row.event_id)?.invoice?.creditNumber
  if (pattern === undefined) return
  const body = JSON.parse(invoice.body) as DocumentBody
  const { credited, came, gone } = sql<{ credited: number; came: number; gone: number }>(
    `SELECT (SELECT coalesce(sum(json_extract(body, '$.total')), 0) FROM documents WHERE payment_id = p.id AND kind = 'credit') AS credited,
       (SELECT coalesce(sum(amount), 0) FROM captures WHERE counts_for = p.id AND state IN ('fits', 'accepted')) AS came,
       (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id
         WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted') AND f.state = 'done') AS gone
     FROM payments p WHERE p.id = ?`,
  ).get(row.id) ?? { credited: 0, came: 0, gone: 0 }
  // What came beyond the price was never charged: it goes back first, and no note takes it back.
  const uncharged = Math.max(0, came - body.total)
  const charged = Math.min(body.total, Math.max(0, gone - uncharged))
  const amount = paise(Math.min(back.amount, charged - credited))
  if (amount <= 0) return
  const numbered = nextOf(sql, invoice.account, pattern, at)
  const { reference } = back
  keep(sql, row, numbered, creditOf(body, { amount, reference }, { serial: numbered.serial, at }))
}

/** Of one registration, oldest first. */
export function documentsOf(sql: Sql, regNo: RegNo): readonly StoredDocument[] {
  return sql<StoredDocument>(
    `SELECT d.id, d.kind, d.serial, d.at, json_extract(d.body, '$.total') AS total FROM documents d
     WHERE d.registration_id = (SELECT id FROM registrations WHERE reg_no = ?) ORDER BY d.id`,
  ).all(regNo)
}

/** Null: there is none of that kind and number of this registration. */
export function documentBody(sql: Sql, regNo: RegNo, id: number): DocumentBody | null {
  const row = sql<{ body: string }>(
    'SELECT body FROM documents WHERE id = ? AND registration_id = (SELECT id FROM registrations WHERE reg_no = ?)',
  ).get(id, regNo)
  return row === undefined ? null : (JSON.parse(row.body) as DocumentBody)
}
