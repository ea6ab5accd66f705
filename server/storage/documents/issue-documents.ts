/**
 * Issues documents in the transaction that confirms or refunds a payment.
 * Their content never changes. Their numbers have no gaps, because the same transaction assigns them.
 */
import { mapInOrder } from '../database/in-order.ts'
import {
  assert,
  INR,
  createCreditNote,
  computeDocumentChange,
  createDocument,
  toAmount,
  sumDocument,
  sumTaxableValue,
  computeIncludedTax,
} from '../../../engine/index.ts'
import type {
  AnswerAction,
  DocumentBody,
  DocumentChange,
  Instant,
  Issuer,
  Line,
  Amount,
  ItemsPaidFor,
} from '../../../engine/index.ts'
import { findOrAwaitRate, hasWaitingInvoice, removeWaitingInvoice } from './exchange-rates.ts'
import { actionsSinceTransfer, readRecipient, type Recipient } from './document-recipient.ts'
import { newestRecovery } from '../recovery/begin-and-end-recovery.ts'
import { prefetchPaidBack } from '../payments/stored-balance.ts'
import { saveLines, readLines, getNextBill } from '../payments/stored-bill-lines.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import {
  findChargedAmounts,
  prefetchCharge,
  findAcceptedAmount,
  findCountedAmount,
  predictReceiptAmounts,
  predictAmounts,
  hasImportedMoney,
  computeTaxOfDifference,
} from './document-amounts.ts'
import { findIssuer, storeDocument, storeNumberedDocument } from './store-documents.ts'
import type { JoinedPaymentRow, RegistrationRow } from '../registrations/row-mapping.ts'

const receiptCount = statement((builder, { paymentId }: { paymentId: number }) =>
  builder
    .selectFrom('documents')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('registration_id', '=', ({ selectFrom }) =>
      selectFrom('payments').select('registration_id').where('id', '=', paymentId),
    )
    .where('payment_id', '=', paymentId)
    .where('kind', '=', 'receipt'),
)
const taxDocuments = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('documents')
    .select(['payment_id', 'account', 'credit_number', 'body', 'bill'])
    .where('registration_id', '=', registrationId)
    .where('kind', 'in', ['invoice', 'credit'])
    .orderBy('id'),
)
const registrationById = statement((builder, { id }: { id: number }) =>
  builder.selectFrom('registrations').selectAll().where('id', '=', id),
)
export const lastPaid = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select(['id', 'registration_id', 'amount', 'reference', 'paid_at'])
    .where('registration_id', '=', registrationId)
    .where('status', 'in', ['success', 'refunded'])
    .where('amount', '>', toAmount(0))
    .orderBy('attempt', 'desc')
    .limit(1),
)
const firstPaidAmount = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('payments')
    .select('amount')
    .where('registration_id', '=', registrationId)
    .where('status', 'in', ['success', 'refunded'])
    .where('amount', '>', toAmount(0))
    .orderBy('attempt')
    .limit(1),
)
type PaidRow = NonNullable<Awaited<ReturnType<typeof lastPaid.get>>>
const billOfPaymentById = statement((builder, { paymentId }: { paymentId: number }) =>
  builder.selectFrom('payments').select('bill').where('id', '=', paymentId),
)
const saveDocumentedBill = statement((builder, { id, bill }: { id: number; bill: number | null }) =>
  builder.updateTable('registrations').set({ documented_bill: bill }).where('id', '=', id),
)
const saveBillWithoutInvoice = statement(
  (builder, { id, bill }: { id: number; bill: number | null }) =>
    builder.updateTable('registrations').set({ bill_without_invoice: bill }).where('id', '=', id),
)

type PaidPayment = Pick<JoinedPaymentRow, 'id' | 'registration_id' | 'event_id'>
/** Prefetches the data for `issueReceipt`. */
export const prefetchReceiptData = (
  sql: Sql,
  { id, registration_id: registrationId, event_id: eventId }: PaidPayment,
): readonly Promise<unknown>[] => [
  findIssuer(sql, eventId),
  receiptCount.get(sql, { paymentId: id }),
  registrationById.get(sql, { id: registrationId }),
  actionsSinceTransfer.all(sql, { registrationId }),
  readLines(sql, [registrationId]),
  findAcceptedAmount(sql, id),
]
/** Prefetches the data that `coverBill` needs after a payment. */
export const prefetchCoverData = (
  sql: Sql,
  { id, registration_id: registrationId, event_id: eventId }: PaidPayment,
): readonly Promise<unknown>[] => [
  hasImportedMoney(sql, registrationId),
  registrationById.get(sql, { id: registrationId }),
  actionsSinceTransfer.all(sql, { registrationId }),
  taxDocuments.all(sql, { registrationId }),
  findIssuer(sql, eventId),
  lastPaid.get(sql, { registrationId }),
  readLines(sql, [registrationId]),
  prefetchCharge(sql, registrationId),
  findCountedAmount(sql, id),
]

/**
 * Predicts the reads of `issueReceipt` after this payment has become the only payment of its registration. The payment
 * must have no document.
 */
export function predictReceiptReads(sql: Sql, paymentId: number): void {
  predictReceiptAmounts(sql, paymentId)
  receiptCount.predict(sql, { paymentId }, [{ n: 0 }])
}

/** Prefetches the data that documents of a first payment need in addition to `prefetchReceiptData`. */
export const prefetchInvoiceData = (
  sql: Sql,
  registrationId: number,
): readonly Promise<unknown>[] => [newestRecovery.get(sql), prefetchPaidBack(sql, registrationId)]
/** Predicts the reads of `coverBill` after this payment has become the only payment of its registration. */
export function predictCoverReads(
  sql: Sql,
  row: JoinedPaymentRow,
  registration: RegistrationRow,
  { reference, paidAt }: { readonly reference: string; readonly paidAt: Instant },
): void {
  const { id, registration_id: registrationId, amount } = row
  predictAmounts(sql, row)
  registrationById.predict(sql, { id: registrationId }, [registration])
  taxDocuments.predict(sql, { registrationId }, [])
  const paid = { id, registration_id: registrationId, amount, reference, paid_at: paidAt }
  lastPaid.predict(sql, { registrationId }, amount > 0 ? [paid] : [])
}

/**
 * Issues the receipt of a payment that was just confirmed, and another receipt for an additional amount. The newest
 * receipt states the total paid. `coverBill` then issues the invoice.
 */
export async function issueReceipt(
  sql: Sql,
  row: JoinedPaymentRow,
  paid: { readonly reference: string; readonly paidAt: Instant },
  at: Instant,
): Promise<void> {
  const issuer = row.amount === 0 ? null : await findIssuer(sql, row.event_id)
  if (issuer === null) return
  const receiptRow = await receiptCount.get(sql, { paymentId: row.id })
  const serial = row.order_id + (receiptRow?.n ? `-${receiptRow.n + 1}` : '')
  const body = createDocument(issuer, await listItemsPaidFor(sql, row, issuer, paid), {
    kind: 'receipt',
    serial,
    at,
  })
  storeDocument(sql, row, { account: row.event_id, year: '', serial }, body)
}

async function listItemsPaidFor(
  sql: Sql,
  row: JoinedPaymentRow,
  issuer: Issuer,
  { reference, paidAt }: { readonly reference: string; readonly paidAt: Instant },
): Promise<ItemsPaidFor> {
  const registration = await readRegistrationRow(sql, row.registration_id)
  const lines = (await readLines(sql, [row.registration_id]))(row.registration_id, row.bill)
  const coversBill = lines.reduce((sum, line) => sum + line.total, 0) === row.amount
  const gst =
    row.asks_for === 'difference'
      ? await computeTaxOfDifference(sql, row, registration)
      : (row.gst ?? computeIncludedTax(row.amount, issuer.tax?.percent ?? 0))
  const base = toAmount(row.amount - gst)
  const acceptedAmount = await findAcceptedAmount(sql, row.id)
  const label = row.asks_for === 'difference' ? 'Remaining amount' : 'Registration'
  return {
    ...(await readRecipient(sql, registration, issuer)),
    amount: row.amount,
    base,
    gst,
    untaxed: toAmount(coversBill && gst > 0 && isRated(lines) ? base - sumTaxableValue(lines) : 0),
    lines:
      lines.length > 0 && coversBill
        ? lines.map((line) => ({
            label: line.label,
            quantity: line.quantity,
            unit: line.unit,
            base: line.base,
            gst: line.gst,
            total: line.total,
          }))
        : [{ label, quantity: 1, unit: base, base, gst, total: row.amount }],
    paid: { reference, at: paidAt, receivedAmount: acceptedAmount ?? row.amount },
  }
}

/** Returns true if the bill states the tax of its lines. Bills from older versions do not. */
const isRated = (lines: readonly Line[]): boolean =>
  lines.length > 0 && lines.every(({ rate, parts }) => rate !== undefined || parts !== undefined)

export async function readRegistrationRow(sql: Sql, id: number): Promise<RegistrationRow> {
  const row = await registrationById.get(sql, { id })
  assert(row !== undefined, 'a payment without a registration')
  return row
}

/** Formats a document number with its financial year, in which serials may start again. */
const formatNumber = ({ serial, at }: { readonly serial: string; readonly at: Instant }): string =>
  `${serial} ${at}`

export type CoverOptions = {
  readonly refund?: { readonly reference: string } | null
  readonly refundedBefore?: number
  readonly unpaid?: Amount
  readonly isWholeBill?: boolean
  readonly action?: AnswerAction | undefined
}

/**
 * Issues missing documents, so that invoices less credit notes equal the amount charged for the registration, line by
 * line. Call this after every change to the bill, the balance or the payments, from the first payment on. Issues
 * nothing if there is no difference. `refund`: the refund for which the credit note is issued. `refundedBefore`:
 * earlier refunds of a payment that was not counted until now; each gets a separate credit note. `unpaid`: the balance
 * that is now waived. `isWholeBill`: refunds and waivers are credited separately. `action`: the current action on the
 * answers, which is not stored yet.
 */
export async function issueDifference(
  sql: Sql,
  registrationId: number,
  at: Instant,
  { refund = null, refundedBefore = 0, unpaid = toAmount(0), ...cover }: CoverOptions,
): Promise<void> {
  if (await hasImportedMoney(sql, registrationId))
    await storeCoveredBill(sql, await readRegistrationRow(sql, registrationId))
  const row = await readRegistrationRow(sql, registrationId)
  const documents = await taxDocuments.all(sql, { registrationId })
  const issuer = await findIssuer(sql, row.event_id)
  if (documents.length === 0 && (issuer?.invoice ?? null) === null) return
  const payment = await lastPaid.get(sql, { registrationId })
  if (payment === undefined) return
  const getLinesOfBill = await readLines(sql, [registrationId])
  const bodies = documents.map((document) => JSON.parse(document.body) as DocumentBody)
  const bill = await readBillLines(sql, row, payment.amount)
  const lastRefundIndex = bodies.findLastIndex(
    ({ kind, paid }) => kind === 'credit' && paid !== null,
  )
  const refundBill = documents[lastRefundIndex]?.bill ?? null
  const { documented_bill: documentedBill, bill_without_invoice: uninvoicedBill } = row
  const change = computeDocumentChange(
    await mapInOrder(bodies, async (body, index) => ({
      serial: formatNumber(body),
      of: body.of === null ? null : formatNumber(body.of),
      lines: body.lines,
      bill: getLinesOfBill(
        registrationId,
        await findBillOfPayment(sql, documents[index]?.payment_id ?? 0),
      ),
    })),
    {
      bill,
      before:
        documentedBill === null
          ? documents.length === 0
            ? null
            : bill
          : getLinesOfBill(registrationId, documentedBill),
      lastRefund:
        refundBill === null
          ? null
          : { bill: getLinesOfBill(registrationId, refundBill), documents: lastRefundIndex + 1 },
      uninvoicedBill: uninvoicedBill === null ? [] : getLinesOfBill(registrationId, uninvoicedBill),
      ...(await findChargedAmounts(sql, row, sumDocument(bill).total, refundedBefore)),
      ...(cover.isWholeBill === true ? { charged: sumDocument(bill).total } : {}),
      unpaid,
    },
  )
  for (const { of, lines } of change.credits) {
    const index = bodies.findIndex((body) => body.kind === 'invoice' && formatNumber(body) === of)
    const [invoice, body] = [documents[index], bodies[index]]
    assert(invoice !== undefined && body !== undefined, 'a credit note without an invoice')
    // The pattern is unknown if the invoice was issued before issuers were stored, and the event's file no longer
    // defines an issuer.
    const pattern = invoice.credit_number ?? issuer?.invoice?.creditNumber
    if (pattern === undefined) continue
    const owner = { id: invoice.payment_id, registration_id: registrationId }
    const earlierNotes = bodies.filter(
      (earlierNote) => earlierNote.of !== null && formatNumber(earlierNote.of) === of,
    )
    await storeNumberedDocument(
      sql,
      owner,
      { account: invoice.account, pattern, at },
      (serial) => createCreditNote(body, lines, refund, { serial, at, earlier: earlierNotes }),
      { bill: row.bill },
    )
  }
  if (change.invoice.length > 0 && issuer !== null && issuer.invoice !== null) {
    const { gstin: account, number: pattern, creditNumber } = issuer.invoice
    const rate = await findOrAwaitRate(sql, row, payment)
    if (rate === 'missing') return
    const recipient = await readRecipient(sql, row, issuer, cover.action)
    const invoicedItems = await describeInvoicedItems(sql, recipient, payment, change.invoice)
    await storeNumberedDocument(
      sql,
      payment,
      { account, pattern, at },
      (serial) => createDocument(issuer, invoicedItems, { kind: 'invoice', serial, at, rate }),
      { bill: row.bill, creditNumber },
    )
  }
  if (row.currency !== INR) removeWaitingInvoice(sql, registrationId)
  if (row.bill !== null && row.bill !== documentedBill)
    saveDocumentedBill.run(sql, { id: registrationId, bill: row.bill })
}

/**
 * Records which bill the documents of a paid registration cover, or that no document covers its bill. Call this before
 * the bill changes.
 */
export async function storeCoveredBill(sql: Sql, row: RegistrationRow): Promise<void> {
  if (row.documented_bill !== null || row.bill_without_invoice !== null) return
  // The waiting invoice is issued later, for the whole bill.
  if (row.currency !== INR && (await hasWaitingInvoice(sql, row.id))) return
  const paid = await firstPaidAmount.get(sql, { registrationId: row.id })
  if (paid === undefined) return
  const bill =
    row.bill ??
    saveLines(
      sql,
      row.id,
      await getNextBill(sql, row.id),
      await readBillLines(sql, row, paid.amount),
    )
  const documents = await taxDocuments.all(sql, { registrationId: row.id })
  if (documents.length > 0) saveDocumentedBill.run(sql, { id: row.id, bill })
  else saveBillWithoutInvoice.run(sql, { id: row.id, bill })
}

/** Returns the lines of the bill. A bill stored without lines becomes a single line. */
async function readBillLines(
  sql: Sql,
  row: RegistrationRow,
  paid: Amount,
): Promise<readonly Line[]> {
  const lines = (await readLines(sql, [row.id]))(row.id, row.bill)
  const total = row.total ?? paid
  if (lines.length > 0 && sumDocument(lines).total === total) return lines
  const gst =
    row.gst ?? computeIncludedTax(total, (await findIssuer(sql, row.event_id))?.tax?.percent ?? 0)
  const base = toAmount(total - gst)
  const label = 'Registration'
  return [{ id: 'registration', option: null, label, quantity: 1, unit: base, base, gst, total }]
}

const findBillOfPayment = async (sql: Sql, paymentId: number): Promise<number | null> =>
  (await billOfPaymentById.get(sql, { paymentId }))?.bill ?? null

/** Describes the items of an invoice, with the payment if its amount equals the invoice's total. */
async function describeInvoicedItems(
  sql: Sql,
  recipient: Recipient,
  payment: PaidRow,
  lines: DocumentChange['invoice'],
): Promise<ItemsPaidFor> {
  const { base, gst, total } = sumDocument(lines)
  const receivedAmount = await findCountedAmount(sql, payment.id)
  const { reference, paid_at: at } = payment
  const matchesPayment = payment.amount === total && reference !== null && at !== null
  return {
    ...recipient,
    amount: total,
    base,
    gst,
    lines,
    paid: matchesPayment ? { reference, at, receivedAmount } : null,
  }
}
