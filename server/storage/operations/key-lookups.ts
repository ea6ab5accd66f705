/** Look-ups by key: fast enough for the main thread. */
import { paise } from '../../../engine/index.ts'
import type { CodeStatus, Instant, PaymentEvent, OrderId, RegNo } from '../../../engine/index.ts'
import { activeEvents } from '../events/activate-versions.ts'
import type { Active } from '../events/event-version-types.ts'
import { actsOf } from '../registrations/apply-action.ts'
import { capturesOf } from '../payments/received-payments.ts'
import { codeAt, codeOf } from '../registrations/discount-codes.ts'
import { clockSeen } from '../recovery/last-trusted-time.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { draftOf } from '../files/stored-draft-uploads.ts'
import { moneyOfBill } from '../payments/stored-balance.ts'
import { keptOf } from '../payments/balance-adjustments.ts'
import { decisionsOf } from '../reviews/decision-history.ts'
import { documentBody, documentsOf } from '../documents/read-documents.ts'
import { secondFactorReads } from '../staff/second-factors.ts'
import { sessionReads } from '../staff/sessions.ts'
import { userReads } from '../staff/users.ts'
import { givenBack, refundsOf } from '../refunds/record-refunds.ts'
import { refundsToSend } from '../refunds/send-refunds.ts'
import {
  paidBySamePerson,
  refundRequests,
  secondPaymentOf,
} from '../payments/find-duplicate-payments.ts'
import { settledOf } from '../reconciliation/read-settlements.ts'
import { linkOf } from '../registrations/access-links.ts'
import { placesLeft, placesTaken } from '../seats/available-seats.ts'
import { registeredUnder } from '../registrations/idempotency-keys.ts'
import { counted, recoveryOf } from '../recovery/begin-and-end-recovery.ts'
import { eventOfReview, reviewOf } from '../reviews/open-reviews.ts'
import { unknownOrders } from '../payments/unknown-orders.ts'
import { wasDiscarded } from '../recovery/held-during-recovery.ts'
import { nearPage } from '../lists/list-and-search-registrations.ts'
import { rollRow } from '../registrations/member-lists.ts'
import { lapsedTooEarly } from '../recovery/clock-moved-back.ts'
import { overdue } from '../payments/expire-and-reopen.ts'
import { tellingsOf } from '../payments/payment-claims.ts'
import { isRefundUnsettled } from '../lists/work-queue.ts'
import { pendingPaymentsToQuery, watchedPaymentsToQuery } from '../payments/gateway-queries.ts'
import {
  paymentOfOrder,
  registrationByNumber,
  registrationOfOrder,
  registrationsByIds,
  toStoredPayment,
} from '../registrations/row-mapping.ts'
import type {
  DraftProof,
  ListPage,
  ListQuery,
  QueuedMail,
  Store,
  StoredCapture,
  StoredLink,
  StoredGatewayMessage,
  StoredPayment,
  StoredRegistration,
  StoredPaymentClaim,
} from '../index.ts'

type Answered<K extends keyof Store> = Store[K] extends (...args: never[]) => Promise<infer A>
  ? A
  : never
type File = Answered<'eventFile'>
/** A bound limit without planning: with a bare `LIMIT ?` SQLite prepares the statement again at every run. */
const LIMIT = 'LIMIT abs(?)'
const fileColumns = 'hash, event_id AS eventId, text, shared, gone_at AS goneAt'

export function reads(sql: Sql) {
  return {
    ...userReads(sql),
    ...secondFactorReads(sql),
    ...sessionReads(sql),
    registration(regNo: string): Promise<StoredRegistration | null> {
      return registrationByNumber(sql, regNo)
    },
    nearPage(query: ListQuery, page: number, pageSize: number): Promise<ListPage> {
      return nearPage(sql, query, page, pageSize)
    },
    async formerly(eventId: string, formerNo: string): Promise<StoredRegistration | null> {
      const row = await sql<{ id: number }>(
        'SELECT id FROM registrations WHERE event_id = ? AND former_no = ?',
      ).get(eventId, formerNo)
      return row === undefined ? null : ((await registrationsByIds(sql, [row.id]))[0] ?? null)
    },
    registeredUnder(
      eventId: string,
      key: string,
      at: Instant,
    ): Promise<Answered<'registeredUnder'>> {
      return registeredUnder(sql, eventId, key, at)
    },
    registrationOf(orderId: string): Promise<StoredRegistration | null> {
      return registrationOfOrder(sql, orderId)
    },
    async payment(orderId: string): Promise<StoredPayment | null> {
      const row = await paymentOfOrder.get(sql, { orderId: orderId as OrderId })
      return row === undefined ? null : toStoredPayment(row)
    },
    async pendingPayments(
      dueBefore: Instant,
      limit: number,
      barred: readonly string[] = [],
    ): Promise<Answered<'pendingPayments'>> {
      const due = { dueBefore, barred: JSON.stringify(barred), limit }
      return (await pendingPaymentsToQuery.all(sql, due)).map((row) => ({
        ...toStoredPayment(row),
        attempts: row.asks,
      }))
    },
    async watchedPayments(
      dueBefore: Instant,
      limit: number,
      barred: readonly string[] = [],
    ): Promise<readonly StoredPayment[]> {
      const due = { dueBefore, barred: JSON.stringify(barred), limit }
      return (await watchedPaymentsToQuery.all(sql, due)).map(toStoredPayment)
    },
    refunds(regNo: RegNo): Promise<Answered<'refunds'>> {
      return refundsOf(sql, regNo)
    },
    settledOf(regNo: RegNo): Promise<Answered<'settledOf'>> {
      return settledOf(sql, regNo)
    },
    refundsToSend(at: Instant, limit: number): Promise<Answered<'refundsToSend'>> {
      return refundsToSend(sql, at, limit)
    },
    recovery(): Promise<Answered<'recovery'>> {
      return recoveryOf(sql)
    },
    counted(): Promise<Answered<'counted'>> {
      return counted(sql)
    },
    unknownOrders(at: Instant, limit: number): Promise<Answered<'unknownOrders'>> {
      return unknownOrders(sql, at, limit)
    },
    review(id: string): Promise<Answered<'review'>> {
      return reviewOf(sql, id)
    },
    eventOfReview(id: string): Promise<Answered<'eventOfReview'>> {
      return eventOfReview(sql, id)
    },
    async kept(regNo: RegNo): Promise<Answered<'kept'>> {
      const row = await sql<{ id: number }>('SELECT id FROM registrations WHERE reg_no = ?').get(
        regNo,
      )
      return row === undefined ? paise(0) : await keptOf(sql, row.id)
    },
    async moneyOfBill(regNo: RegNo): Promise<Answered<'moneyOfBill'>> {
      const row = await sql<{ id: number }>('SELECT id FROM registrations WHERE reg_no = ?').get(
        regNo,
      )
      return moneyOfBill(sql, row?.id ?? 0)
    },
    isRefundUnsettled(regNo: RegNo, at: Instant): Promise<Answered<'isRefundUnsettled'>> {
      return isRefundUnsettled(sql, regNo, at)
    },
    secondPayment(regNo: RegNo): Promise<Answered<'secondPayment'>> {
      return secondPaymentOf(sql, regNo)
    },
    paidBySamePerson(regNo: RegNo): Promise<Answered<'paidBySamePerson'>> {
      return paidBySamePerson(sql, regNo)
    },
    refundRequests(eventId: string): Promise<Answered<'refundRequests'>> {
      return refundRequests(sql, eventId)
    },
    acts(regNo: RegNo): Promise<Answered<'acts'>> {
      return actsOf(sql, regNo)
    },
    documents(regNo: RegNo): Promise<Answered<'documents'>> {
      return documentsOf(sql, regNo)
    },
    document(regNo: RegNo, id: number): Promise<Answered<'document'>> {
      return documentBody(sql, regNo, id)
    },
    decisions(regNo: RegNo): Promise<Answered<'decisions'>> {
      return decisionsOf(sql, regNo)
    },
    captures(regNo: RegNo): Promise<readonly StoredCapture[]> {
      return capturesOf(sql, regNo)
    },
    async code(eventId: string, folded: string, holdMs: number, at: Instant): Promise<CodeStatus> {
      return (await codeAt(sql, eventId, folded, holdMs, at)).fact
    },
    codeOf(regNo: RegNo): Promise<string | null> {
      return codeOf(sql, regNo)
    },
    rollRow(eventId: string, roll: string, key: string): Promise<Answered<'rollRow'>> {
      return rollRow(sql, eventId, roll, key)
    },
    placesLeft(
      eventId: string,
      few: Readonly<Record<string, number>>,
      at: Instant,
    ): Promise<Record<string, number>> {
      return placesLeft(sql, eventId, few, at)
    },
    placesTaken(eventId: string): Promise<Answered<'placesTaken'>> {
      return placesTaken(sql, eventId)
    },
    unfinished(
      handedBefore: Instant,
      eventIds: readonly string[],
      after: number,
      limit: number,
    ): Promise<Answered<'unfinished'>> {
      return sql<Answered<'unfinished'>[number]>(
        `SELECT p.id, r.reg_no AS regNo FROM payments p JOIN registrations r ON r.id = p.registration_id
         WHERE p.status = 'pending' AND p.review IS NULL AND p.last_answer = 'no-record' AND p.handed_off_at <= ? AND p.id > ?
           AND r.event_id IN (SELECT value FROM json_each(?))
           AND NOT EXISTS (SELECT 1 FROM mail_queue m WHERE m.once = 'unfinished ' || r.reg_no)
           AND NOT ${wasDiscarded('p.handed_off_at < v.begun_at')}
         ORDER BY p.id LIMIT abs(?)`,
      ).all(handedBefore, after, JSON.stringify(eventIds), limit)
    },
    givenBack(
      after: Instant,
      eventIds: readonly string[],
      limit: number,
    ): Promise<Answered<'givenBack'>> {
      return givenBack(sql, after, eventIds, limit)
    },
    link(tokenHash: string): Promise<StoredLink | null> {
      return linkOf(sql, tokenHash)
    },
    overdue(at: Instant, limit: number): Promise<readonly RegNo[]> {
      return overdue(sql, at, limit)
    },
    lapsedTooEarly(at: Instant, limit: number): Promise<readonly RegNo[]> {
      return lapsedTooEarly(sql, at, limit)
    },
    tellings(regNo: RegNo): Promise<readonly StoredPaymentClaim[]> {
      return tellingsOf(sql, regNo)
    },
    async facts(orderId: string): Promise<Answered<'facts'>> {
      return (
        await sql<{ at: Instant; type: string; body: string }>(
          'SELECT f.at, f.type, f.body FROM payment_facts f WHERE f.payment_id = (SELECT id FROM payments WHERE order_id = ?) ORDER BY f.id',
        ).all(orderId)
      ).map(({ at, type, body }) => ({ at, type, body: JSON.parse(body) as PaymentEvent }))
    },
    notices(orderId: string | null): Promise<readonly StoredGatewayMessage[]> {
      // PostgreSQL uses no index for IS NOT DISTINCT FROM, which `IS ?` becomes there.
      const [are, bound] = orderId === null ? ['IS NULL', []] : ['= ?', [orderId]]
      return sql<StoredGatewayMessage>(
        `SELECT id, gateway, kind, body, content_type AS contentType, at FROM gateway_notices WHERE order_id ${are} ORDER BY id`,
      ).all(...bound)
    },
    dueMails(at: Instant, limit: number): Promise<readonly QueuedMail[]> {
      return sql<QueuedMail>(
        `SELECT m.id, m.kind, m.recipient AS "to", m.copy_to AS copyTo, m.subject, m.body AS text, m.attempts, m.first_tried_at AS firstTriedAt, m.created_at AS at, coalesce(m.event_id, r.event_id) AS eventId, r.reg_no AS regNo
         FROM mail_queue m LEFT JOIN registrations r ON r.id = m.registration_id
         WHERE m.status = 'queued' AND m.next_at <= ? ORDER BY m.next_at, m.id ${LIMIT}`,
      ).all(at, limit)
    },
    mailsOf(regNo: string): Promise<Answered<'mailsOf'>> {
      return sql<Answered<'mailsOf'>[number]>(
        `SELECT m.id, m.recipient AS "to", m.copy_to AS copyTo, m.subject, m.body AS text, m.status, coalesce(m.sent_at, m.created_at) AS at, m.error
         FROM mail_queue m JOIN registrations r ON r.id = m.registration_id WHERE r.reg_no = ? ORDER BY m.id`,
      ).all(regNo)
    },
    auditOf(regNo: string): Promise<Answered<'auditOf'>> {
      return sql<Answered<'auditOf'>[number]>(
        'SELECT at, who, what FROM audit_log WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?) ORDER BY id',
      ).all(regNo)
    },
    async eventFile(hash: string): Promise<File> {
      return (
        (await sql<NonNullable<File>>(`SELECT ${fileColumns} FROM event_files WHERE hash = ?`).get(
          hash,
        )) ?? null
      )
    },
    async lastVersions(eventId: string, limit: number): Promise<readonly string[]> {
      return (
        await sql<{ hash: string }>(
          `SELECT hash FROM event_files WHERE event_id = ? ORDER BY served_at DESC, first_at DESC ${LIMIT}`,
        ).all(eventId, limit)
      ).map(({ hash }) => hash)
    },
    activeEvents(known: number): Promise<Active | null> {
      return activeEvents(sql, known)
    },
    async lastEventFile(eventId: string): Promise<File> {
      return (
        (await sql<NonNullable<File>>(
          `SELECT ${fileColumns} FROM event_files WHERE event_id = ? ORDER BY served_at DESC, first_at DESC LIMIT 1`,
        ).get(eventId)) ?? null
      )
    },
    async eventsServed(): Promise<readonly string[]> {
      return (
        await sql<{ id: string }>(
          'SELECT DISTINCT event_id AS id FROM event_files ORDER BY event_id',
        ).all()
      ).map(({ id }) => id)
    },
    draft(tokenHash: string): Promise<DraftProof | null> {
      return draftOf(sql, tokenHash)
    },
    async uploadsInUse(sha256s: readonly string[]): Promise<readonly string[]> {
      return (
        await sql<{ sha256: string }>(
          `SELECT value AS sha256 FROM json_each(?) WHERE value IN (SELECT sha256 FROM uploads WHERE dropped_at IS NULL)
         OR value IN (SELECT sha256 FROM draft_proofs)`,
        ).all(JSON.stringify(sha256s))
      ).map(({ sha256 }) => sha256)
    },
    async uploadsDropped(sha256s: readonly string[]): Promise<readonly string[]> {
      return (
        await sql<{ sha256: string }>(
          `SELECT value AS sha256 FROM json_each(?) WHERE value IN (SELECT sha256 FROM uploads)
         AND value NOT IN (SELECT sha256 FROM uploads WHERE dropped_at IS NULL) AND value NOT IN (SELECT sha256 FROM draft_proofs)`,
        ).all(JSON.stringify(sha256s))
      ).map(({ sha256 }) => sha256)
    },
    databaseSince: async (): Promise<Instant | null> =>
      (await sql<{ at: Instant | null }>('SELECT min(first_at) AS at FROM event_files').get())
        ?.at ?? null,
    clockSeen: () => clockSeen(sql),
  }
}
