/** Looks up rows by key, which is fast enough for the main thread. */
import { toAmount } from '../../../engine/index.ts'
import type { CodeStatus, Instant, OrderId, RegNo } from '../../../engine/index.ts'
import { readActiveEvents } from '../events/activate-versions.ts'
import type { ActiveVersions } from '../events/event-version-types.ts'
import { listActions } from '../registrations/apply-action.ts'
import { readCaptures } from '../payments/received-payments.ts'
import { findCodeAt, findIssuedCode } from '../registrations/discount-codes.ts'
import { readClockSeen } from '../recovery/last-trusted-time.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import {
  readFirstServedAt,
  readEventFile,
  readServedEventIds,
  readLastEventFile,
  readLastHashes,
} from '../events/read-event-files.ts'
import { readDraft } from '../files/stored-draft-uploads.ts'
import { listUnreferencedUploads, listUploadsInUse } from '../files/uploads-in-use.ts'
import {
  readDueMails,
  listEmailsOfRegistration,
  readUnfinishedPayments,
} from '../mail/read-emails.ts'
import { readPaymentEvents } from '../payments/payment-events.ts'
import { readGatewayMessages } from '../payments/stored-gateway-messages.ts'
import { readAuditEntries } from '../staff/audit-log-entries.ts'
import { getBillAmounts } from '../payments/stored-balance.ts'
import { getRetainedAmount } from '../payments/balance-adjustments.ts'
import { readDecisions } from '../reviews/decision-history.ts'
import { readDocumentBody, readDocuments } from '../documents/read-documents.ts'
import { createSecondFactorReads } from '../staff/second-factors.ts'
import { createSessionReads } from '../staff/sessions.ts'
import { createUserReads } from '../staff/users.ts'
import { listCompletedRefunds, readRefunds } from '../refunds/record-refunds.ts'
import { readRefundsToSend } from '../refunds/send-refunds.ts'
import { listRefundRequests } from '../payments/find-duplicate-payments.ts'
import { readOtherPayments } from '../refunds/other-payments.ts'
import { listSettlementLines } from '../reconciliation/read-settlements.ts'
import { readLink } from '../registrations/access-links.ts'
import { findOtherPaid, findSecondPayment, readDueNotices } from '../registrations/same-person.ts'
import { countAvailableSeats, listTakenSeats } from '../seats/available-seats.ts'
import { findRegistrationByKey } from '../registrations/idempotency-keys.ts'
import { readNewestIds, findOpenRecovery } from '../recovery/begin-and-end-recovery.ts'
import { findEventOfReview, findReview } from '../reviews/open-reviews.ts'
import {
  findCheckout,
  listCheckouts,
  isWebhookProcessed,
  findLastWebhookTime,
} from '../reconciliation/gateway-checkouts.ts'
import { listDisputes, listDisputesToQuery, listOpenDisputes } from '../reconciliation/disputes.ts'
import { readUnknownOrders } from '../payments/unknown-orders.ts'
import { readFastPage } from '../lists/list-and-search-registrations.ts'
import { readMemberListRow } from '../registrations/member-lists.ts'
import { findExpiredTooEarly } from '../recovery/clock-moved-back.ts'
import { findOverdueRegistrations } from '../payments/expire-and-reopen.ts'
import { listPaymentClaims } from '../payments/payment-claims.ts'
import { isRefundUnsettled } from '../lists/work-queue.ts'
import { pendingPaymentsToQuery, watchedPaymentsToQuery } from '../payments/gateway-queries.ts'
import {
  paymentOfOrder,
  readRegistrationByNumber,
  readRegistrationOfOrder,
  readRegistrationsByIds,
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

type ResultOf<K extends keyof Store> = Store[K] extends (...args: never[]) => Promise<infer A>
  ? A
  : never
const formerRegistration = statement(
  (builder, { eventId, formerNo }: { eventId: string; formerNo: string }) =>
    builder
      .selectFrom('registrations')
      .select('id')
      .where('event_id', '=', eventId)
      .where('former_no', '=', formerNo),
)
const idOfNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').select('id').where('reg_no', '=', regNo),
)

export function createStoreReads(sql: Sql) {
  return {
    ...createUserReads(sql),
    ...createSecondFactorReads(sql),
    ...createSessionReads(sql),
    registration(regNo: string): Promise<StoredRegistration | null> {
      return readRegistrationByNumber(sql, regNo)
    },
    nearPage(query: ListQuery, page: number, pageSize: number): Promise<ListPage> {
      return readFastPage(sql, query, page, pageSize)
    },
    async registrationByFormerNumber(
      eventId: string,
      formerNo: string,
    ): Promise<StoredRegistration | null> {
      const row = await formerRegistration.get(sql, { eventId, formerNo })
      return row === undefined ? null : ((await readRegistrationsByIds(sql, [row.id]))[0] ?? null)
    },
    registrationByKey(
      eventId: string,
      key: string,
      at: Instant,
    ): Promise<ResultOf<'registrationByKey'>> {
      return findRegistrationByKey(sql, eventId, key, at)
    },
    registrationByOrder(orderId: string): Promise<StoredRegistration | null> {
      return readRegistrationOfOrder(sql, orderId)
    },
    async payment(orderId: string): Promise<StoredPayment | null> {
      const row = await paymentOfOrder.get(sql, { orderId: orderId as OrderId })
      return row === undefined ? null : toStoredPayment(row)
    },
    async pendingPayments(
      dueBefore: Instant,
      limit: number,
      excludedAccounts: readonly string[] = [],
    ): Promise<ResultOf<'pendingPayments'>> {
      const params = { dueBefore, barred: JSON.stringify(excludedAccounts), limit }
      return (await pendingPaymentsToQuery.all(sql, params)).map((row) => ({
        ...toStoredPayment(row),
        attempts: row.asks,
      }))
    },
    async watchedPayments(
      dueBefore: Instant,
      limit: number,
      excludedAccounts: readonly string[] = [],
    ): Promise<readonly StoredPayment[]> {
      const params = { dueBefore, barred: JSON.stringify(excludedAccounts), limit }
      return (await watchedPaymentsToQuery.all(sql, params)).map(toStoredPayment)
    },
    refunds(regNo: RegNo): Promise<ResultOf<'refunds'>> {
      return readRefunds(sql, regNo)
    },
    settlementLinesOf(regNo: RegNo): Promise<ResultOf<'settlementLinesOf'>> {
      return listSettlementLines(sql, regNo)
    },
    refundsToSend(at: Instant, limit: number): Promise<ResultOf<'refundsToSend'>> {
      return readRefundsToSend(sql, at, limit)
    },
    recovery(): Promise<ResultOf<'recovery'>> {
      return findOpenRecovery(sql)
    },
    databaseProgress(): Promise<ResultOf<'databaseProgress'>> {
      return readNewestIds(sql)
    },
    unknownOrders(at: Instant, limit: number): Promise<ResultOf<'unknownOrders'>> {
      return readUnknownOrders(sql, at, limit)
    },
    review(id: string): Promise<ResultOf<'review'>> {
      return findReview(sql, id)
    },
    eventOfReview(id: string): Promise<ResultOf<'eventOfReview'>> {
      return findEventOfReview(sql, id)
    },
    async netAmountPaid(regNo: RegNo): Promise<ResultOf<'netAmountPaid'>> {
      const row = await idOfNumber.get(sql, { regNo })
      return row === undefined ? toAmount(0) : await getRetainedAmount(sql, row.id)
    },
    async paymentsOutsideBill(regNo: RegNo): Promise<ResultOf<'paymentsOutsideBill'>> {
      const row = await idOfNumber.get(sql, { regNo })
      return getBillAmounts(sql, row?.id ?? 0)
    },
    isRefundUnsettled(regNo: RegNo, at: Instant): Promise<ResultOf<'isRefundUnsettled'>> {
      return isRefundUnsettled(sql, regNo, at)
    },
    paidRegistrationOfSamePerson(
      regNo: RegNo,
      browser?: string,
    ): Promise<ResultOf<'paidRegistrationOfSamePerson'>> {
      return findOtherPaid(sql, regNo, browser)
    },
    secondPayment(regNo: RegNo, browser?: string): Promise<ResultOf<'secondPayment'>> {
      return findSecondPayment(sql, regNo, browser)
    },
    otherPaymentsOfPerson(regNo: RegNo): Promise<ResultOf<'otherPaymentsOfPerson'>> {
      return readOtherPayments(sql, regNo)
    },
    refundRequests(eventId: string): Promise<ResultOf<'refundRequests'>> {
      return listRefundRequests(sql, eventId)
    },
    actions(regNo: RegNo): Promise<ResultOf<'actions'>> {
      return listActions(sql, regNo)
    },
    documents(regNo: RegNo): Promise<ResultOf<'documents'>> {
      return readDocuments(sql, regNo)
    },
    document(regNo: RegNo, id: number): Promise<ResultOf<'document'>> {
      return readDocumentBody(sql, regNo, id)
    },
    decisions(regNo: RegNo): Promise<ResultOf<'decisions'>> {
      return readDecisions(sql, regNo)
    },
    captures(regNo: RegNo): Promise<readonly StoredCapture[]> {
      return readCaptures(sql, regNo)
    },
    async discountCode(
      eventId: string,
      normalisedCode: string,
      holdMs: number,
      at: Instant,
    ): Promise<CodeStatus> {
      return (await findCodeAt(sql, eventId, normalisedCode, holdMs, at)).status
    },
    discountCodeOfRegistration(regNo: RegNo): Promise<string | null> {
      return findIssuedCode(sql, regNo)
    },
    memberListRow(
      eventId: string,
      memberList: string,
      key: string,
    ): Promise<ResultOf<'memberListRow'>> {
      return readMemberListRow(sql, eventId, memberList, key)
    },
    availableSeats(
      eventId: string,
      seatCounts: Readonly<Record<string, number>>,
      at: Instant,
    ): Promise<Record<string, number>> {
      return countAvailableSeats(sql, eventId, seatCounts, at)
    },
    listTakenSeats(eventId: string, at?: Instant): Promise<ResultOf<'listTakenSeats'>> {
      return listTakenSeats(sql, eventId, at)
    },
    unfinishedPayments(
      handedBefore: Instant,
      eventIds: readonly string[],
      after: number,
      limit: number,
    ): Promise<ResultOf<'unfinishedPayments'>> {
      return readUnfinishedPayments(sql, handedBefore, eventIds, after, limit)
    },
    dueNotices(after: number, limit: number): Promise<ResultOf<'dueNotices'>> {
      return readDueNotices(sql, after, limit)
    },
    refundsWithoutEmail(
      after: Instant,
      eventIds: readonly string[],
      limit: number,
    ): Promise<ResultOf<'refundsWithoutEmail'>> {
      return listCompletedRefunds(sql, after, eventIds, limit)
    },
    accessLink(tokenHash: string): Promise<StoredLink | null> {
      return readLink(sql, tokenHash)
    },
    overdue(at: Instant, limit: number): Promise<readonly RegNo[]> {
      return findOverdueRegistrations(sql, at, limit)
    },
    expiredTooEarly(at: Instant, limit: number): Promise<readonly RegNo[]> {
      return findExpiredTooEarly(sql, at, limit)
    },
    paymentClaims(regNo: RegNo): Promise<readonly StoredPaymentClaim[]> {
      return listPaymentClaims(sql, regNo)
    },
    paymentEvents(orderId: OrderId): Promise<ResultOf<'paymentEvents'>> {
      return readPaymentEvents(sql, orderId)
    },
    checkoutsOf(orderId: OrderId): Promise<ResultOf<'checkoutsOf'>> {
      return listCheckouts(sql, orderId)
    },
    checkoutById(checkoutId: string): Promise<ResultOf<'checkoutById'>> {
      return findCheckout(sql, checkoutId)
    },
    isWebhookProcessed(eventId: string): Promise<boolean> {
      return isWebhookProcessed(sql, eventId)
    },
    lastWebhookAt(prefix: string): Promise<Instant | null> {
      return findLastWebhookTime(sql, prefix)
    },
    disputesToQuery(at: Instant, limit: number): Promise<ResultOf<'disputesToQuery'>> {
      return listDisputesToQuery(sql, at, limit)
    },
    disputesOf(regNo: RegNo): Promise<ResultOf<'disputesOf'>> {
      return listDisputes(sql, regNo)
    },
    openDisputes(eventIds: readonly string[], limit: number): Promise<ResultOf<'openDisputes'>> {
      return listOpenDisputes(sql, eventIds, limit)
    },
    gatewayMessages(orderId: OrderId | null): Promise<readonly StoredGatewayMessage[]> {
      return readGatewayMessages(sql, orderId)
    },
    dueMails(at: Instant, limit: number): Promise<readonly QueuedMail[]> {
      return readDueMails(sql, at, limit)
    },
    emailsOfRegistration(regNo: RegNo): Promise<ResultOf<'emailsOfRegistration'>> {
      return listEmailsOfRegistration(sql, regNo)
    },
    auditOf(regNo: RegNo): Promise<ResultOf<'auditOf'>> {
      return readAuditEntries(sql, regNo)
    },
    eventFile(hash: string): Promise<ResultOf<'eventFile'>> {
      return readEventFile(sql, hash)
    },
    lastVersions(eventId: string, limit: number): Promise<readonly string[]> {
      return readLastHashes(sql, eventId, limit)
    },
    activeEvents(knownNumber: number): Promise<ActiveVersions | null> {
      return readActiveEvents(sql, knownNumber)
    },
    lastEventFile(eventId: string): Promise<ResultOf<'lastEventFile'>> {
      return readLastEventFile(sql, eventId)
    },
    eventsServed(): Promise<readonly string[]> {
      return readServedEventIds(sql)
    },
    draftUpload(tokenHash: string): Promise<DraftProof | null> {
      return readDraft(sql, tokenHash)
    },
    uploadsInUse(sha256s: readonly string[]): Promise<readonly string[]> {
      return listUploadsInUse(sql, sha256s)
    },
    uploadsDropped(sha256s: readonly string[]): Promise<readonly string[]> {
      return listUnreferencedUploads(sql, sha256s)
    },
    databaseSince: () => readFirstServedAt(sql),
    lastTrustedTime: () => readClockSeen(sql),
  }
}
