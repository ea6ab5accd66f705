/** Dispatches each store function to the writer, the list reader or the look-ups by key. */
import { assert, INR } from '../../../engine/index.ts'
import { skipRepeatedViews } from '../staff/audit-log-entries.ts'
import type { createStoreReads } from './key-lookups.ts'
import { parseRows } from '../lists/listed-registrations.ts'
import { hasFastPath } from '../lists/list-and-search-registrations.ts'
import type { listings } from './list-queries.ts'
import { openDeferredAuditLog } from '../staff/deferred-audit-log.ts'
import type { UploadStorage } from '../files/upload-storage-types.ts'
import type { RescuedRows, RescuePlan } from '../files/upload-and-clock-types.ts'
import type { RecoveryStore, Store } from '../index.ts'
import type { AttemptCounter } from '../database/rate-limit-count-types.ts'
import { createUserStore } from './user-operations.ts'
import { writeForSender } from './write-for-sender.ts'
import { waitForEarlierRegistrations } from './wait-for-earlier-registrations.ts'
import type { Call, writes } from './writes.ts'

/** The number of rows per chunk of an export: about ten milliseconds of the reader's time. */
const CHUNK_ROWS = 500
export type Reads = ReturnType<typeof createStoreReads>

/** Runs store operations: on threads in the server, or on one connection in the simulator of the tests. */
export type OperationCallers = {
  readonly write: Call<typeof writes>
  readonly list: Call<typeof listings>
  readonly read: Reads
  /** Returns what happened to the database file. Null if it is intact. */
  readonly findDatabaseLoss: () => string | null
  readonly rescue: (plan: RescuePlan) => Promise<RescuedRows>
  /** True if other servers write to the same database. */
  readonly isShared: boolean
  /** The shared storage for uploads. Null if a single server stores them on its disk. */
  readonly uploadStorage: UploadStorage | null
  /** The rate limit counts of all servers. Null if a single server counts in memory. */
  readonly attemptCounter: AttemptCounter | null
  /** Returns the number of calls waiting for the writer. */
  readonly countWaitingCalls: () => number
  readonly close: () => Promise<void>
}

export function assembleStore(callers: OperationCallers): Store {
  const write = waitForEarlierRegistrations(callers.write)
  const deferredEntries = openDeferredAuditLog(write)
  return assembleWith({ ...callers, write }, deferredEntries, {
    addAuditEntry: skipRepeatedViews(deferredEntries.audit),
  })
}

/** Assembles the store of the server, or that of a sender, whose writes are checked. */
function assembleWith(
  callers: OperationCallers,
  deferredEntries: ReturnType<typeof openDeferredAuditLog>,
  shared: Pick<Store, 'addAuditEntry'>,
): Store {
  const { write, list, read, findDatabaseLoss, rescue, countWaitingCalls, close } = callers
  const { isShared, uploadStorage, attemptCounter } = callers
  return {
    isShared,
    forSender: (sender) =>
      assembleWith({ ...callers, write: writeForSender(write, sender) }, deferredEntries, shared),
    proofs: uploadStorage,
    rateLimitCounts: attemptCounter,
    register: (registration) => write('register', registration),
    registrationByKey: async (eventId, key, at) => read.registrationByKey(eventId, key, at),
    retry: (regNo, at, next = {}) => write('retry', regNo, at, next),
    resumePayment: (orderId, at, context) => write('resumePayment', orderId, at, context ?? null),
    availableSeats: async (eventId, seatCounts, at) => read.availableSeats(eventId, seatCounts, at),
    listTakenSeats: async (eventId, at) => read.listTakenSeats(eventId, at),
    registration: async (regNo) => read.registration(regNo),
    registrationByFormerNumber: async (eventId, formerNo) =>
      read.registrationByFormerNumber(eventId, formerNo),
    registrationByOrder: async (orderId) => read.registrationByOrder(orderId),
    payment: async (orderId) => read.payment(orderId),

    recordGatewayMessage: (notice) => write('recordGatewayMessage', notice),
    recordCheckout: (checkout, at) => write('recordCheckout', checkout, at),
    checkoutsOf: async (orderId) => read.checkoutsOf(orderId),
    checkoutById: async (checkoutId) => read.checkoutById(checkoutId),
    recordWebhookEvent: (eventId, at) => write('recordWebhookEvent', eventId, at),
    isWebhookProcessed: async (eventId) => read.isWebhookProcessed(eventId),
    lastWebhookAt: async (prefix) => read.lastWebhookAt(prefix),
    addDispute: (disputeId, orderId, at) => write('addDispute', disputeId, orderId, at),
    recordDispute: (dispute, queriedAt) => write('recordDispute', dispute, queriedAt),
    postponeDisputeQuery: (disputeId, at) => write('postponeDisputeQuery', disputeId, at),
    disputesToQuery: async (at, limit) => read.disputesToQuery(at, limit),
    disputesOf: async (regNo) => read.disputesOf(regNo),
    openDisputes: async (eventIds, limit) => read.openDisputes(eventIds, limit),
    gatewayMessages: async (orderId) => read.gatewayMessages(orderId),
    applyPaymentEvent: (orderId, paymentEvent, newEmail, response, keys) =>
      write('applyPaymentEvent', orderId, paymentEvent, newEmail, response, keys),
    pendingPayments: async (dueBefore, limit, excludedAccounts) =>
      read.pendingPayments(dueBefore, limit, excludedAccounts),
    watchedPayments: async (dueBefore, limit, excludedAccounts) =>
      read.watchedPayments(dueBefore, limit, excludedAccounts),
    scheduleGatewayQueries: (orderId, at) => write('scheduleGatewayQueries', orderId, at),
    rescheduleAfterClockChange: (at) => write('rescheduleAfterClockChange', at),
    recordStatusQuery: (orderId, at, nextAt, lastResponse = null, watchUntil = null) =>
      write('recordStatusQuery', orderId, at, nextAt, lastResponse, watchUntil),
    claimStatusQuery: (orderId, dueBefore, at) => write('claimStatusQuery', orderId, dueBefore, at),
    noteClaimedPayment: (orderId, at) => write('noteClaimedPayment', orderId, at),
    addAccessLink: (link) => write('addAccessLink', link),
    recordBrowser: (regNo, browser) => write('recordBrowser', regNo, browser),
    accessLink: async (tokenHash) => read.accessLink(tokenHash),
    recordLinkUse: (tokenHash, at) => write('recordLinkUse', tokenHash, at),
    captures: async (regNo) => read.captures(regNo),
    refunds: async (regNo) => read.refunds(regNo),
    decisions: async (regNo) => read.decisions(regNo),
    documents: async (regNo) => read.documents(regNo),
    exchangeRates: (eventId) => list('exchangeRates', eventId),
    waitingInvoices: (eventId) => list('waitingInvoices', eventId),
    saveExchangeRate: (rate) => write('saveExchangeRate', rate),
    issueWaitingInvoices: (regNos, at, emails = []) =>
      write('issueWaitingInvoices', regNos, at, emails),
    movementPage: (query, after, limit) => list('movementPage', query, after, limit),
    paymentsMovedAway: (eventId, period) => list('paymentsMovedAway', eventId, period),
    movementSums: (query) => list('movementSums', query),
    debtorPage: (eventIds, after, limit) => list('debtorPage', eventIds, after, limit),
    debtorSums: (eventIds) => list('debtorSums', eventIds),
    openRefunds: (eventIds) => list('openRefunds', eventIds),
    taxDocuments: (query) => list('taxDocuments', query),
    settlementFees: (from, to) => list('settlementFees', from, to),
    monthClosings: (month, eventIds) => list('monthClosings', month, eventIds),
    closeMonth: (closings) => write('closeMonth', closings),
    document: async (regNo, id) => read.document(regNo, id),
    paymentEvents: async (orderId) => read.paymentEvents(orderId),

    addNote: (action) => write('addNote', action),
    undoNote: (action) => write('undoNote', action),
    requestCancellation: (action) => write('requestCancellation', action),
    requestSecondPaymentRefund: (action) => write('requestSecondPaymentRefund', action),
    withdrawRefundRequest: (action) => write('withdrawRefundRequest', action),
    sendMail: (action, newEmail) => write('sendMail', action, newEmail),
    correct: (action, correction) => write('correct', action, correction),
    cancel: (action, options) => write('cancel', action, options),
    approve: (action, approval) => write('approve', action, approval),
    rejectApplication: (action, options) => write('rejectApplication', action, options),
    acceptOffer: (action, offer) => write('acceptOffer', action, offer),
    recordPayment: (action, payment, newEmail) => write('recordPayment', action, payment, newEmail),
    repriceByCreditDate: (prices, at) => write('repriceByCreditDate', prices, at),
    recordExtraPayment: (action, payment) => write('recordExtraPayment', action, payment),
    refund: (action, options) => write('refund', action, options),
    markRefundHandled: (action) => write('markRefundHandled', action),
    decideReviewOfRegistration: (action, options) =>
      write('decideReviewOfRegistration', action, options),
    addPaymentClaim: (action, claim, newEmail) => write('addPaymentClaim', action, claim, newEmail),
    rejectPaymentClaim: (action, options) => write('rejectPaymentClaim', action, options),
    expire: (action, newEmail) => write('expire', action, newEmail),
    undoExpiry: (action, newEmail) => write('undoExpiry', action, newEmail),
    reopenExpired: (action, options) => write('reopenExpired', action, options),
    overdue: async (at, limit) => read.overdue(at, limit),
    expiredTooEarly: async (at, limit) => read.expiredTooEarly(at, limit),
    paymentClaims: async (regNo) => read.paymentClaims(regNo),
    netAmountPaid: async (regNo) => read.netAmountPaid(regNo),
    paymentsOutsideBill: async (regNo) => read.paymentsOutsideBill(regNo),
    isRefundUnsettled: async (regNo, at) => read.isRefundUnsettled(regNo, at),
    secondPayment: async (...args) => read.secondPayment(...args),
    paidRegistrationOfSamePerson: async (...args) => read.paidRegistrationOfSamePerson(...args),
    otherPaymentsOfPerson: async (regNo) => read.otherPaymentsOfPerson(regNo),
    refundRequests: async (eventId) => read.refundRequests(eventId),
    actions: async (regNo) => read.actions(regNo),
    saveSettlement: (settlement) => write('saveSettlement', settlement),
    handleSettlementLine: (decision) => write('handleSettlementLine', decision),
    saveUnmatchedLines: (lines) => write('saveUnmatchedLines', lines),
    sendBankLineToReview: (decision, payment) => write('sendBankLineToReview', decision, payment),
    saveBankStatement: (statement) => write('saveBankStatement', statement),
    statementsWithHash: (sha256, currency) => list('statementsWithHash', sha256, currency),
    bankStatements: (before, limit) => list('bankStatements', before, limit),
    bankStatement: (id) => list('bankStatement', id),
    bankStatementLines: (statementId) => list('bankStatementLines', statementId),
    newestDecision: (statementId) => list('newestDecision', statementId),
    decideBankLine: (decision) => write('decideBankLine', decision),
    removeBankStatement: (removal) => write('removeBankStatement', removal),
    saveStatementMatches: (id, matches) => write('saveStatementMatches', id, matches),
    statementDeposits: (first, last) => list('statementDeposits', first, last),
    paymentsUnderKeys: (keys) => list('paymentsUnderKeys', keys),
    reportReturned: (returned) => write('reportReturned', returned),
    settlementLines: (account) => list('settlementLines', account),
    accountsOfEvent: (eventId) => list('accountsOfEvent', eventId),
    eventsOfAccount: (account) => list('eventsOfAccount', account),
    paymentsOfAccount: (account) => list('paymentsOfAccount', account),
    knownOrders: (orders) => list('knownOrders', orders),
    settlementLinesOf: async (regNo) => read.settlementLinesOf(regNo),

    ...createRecoveryStore({ write, list, read }),

    reviews: (eventId) => list('reviews', eventId),
    review: async (id) => read.review(id),
    eventOfReview: async (id) => read.eventOfReview(id),
    reviewCounts: () => list('reviewCounts'),
    decideReview: (id, decision, at, newEmail, gatewayKinds = {}, sender = null) =>
      write('decideReview', id, decision, at, newEmail, gatewayKinds, sender),
    requestRefund: (action) => write('requestRefund', action),
    refundsToSend: async (at, limit) => read.refundsToSend(at, limit),
    claimRefund: (id, at) => write('claimRefund', id, at),
    recordFailedRefunds: (orderId, references) => write('recordFailedRefunds', orderId, references),
    recordRefundResponse: (id, response, at) => write('recordRefundResponse', id, response, at),
    markUnansweredRefunds: (at) => write('markUnansweredRefunds', at),
    registrationsInReview: (eventId) => list('registrationsInReview', eventId),
    expectedPayments: (eventId, pricedMethods) => list('expectedPayments', eventId, pricedMethods),
    knownReferences: (keys) => list('knownReferences', keys),
    otherPartsOfLines: (captureIds) => list('otherPartsOfLines', captureIds),
    searchEvents: (eventIds, text, limit) => list('searchEvents', eventIds, text, limit),
    searchSimilarNames: (eventIds, text, limit) =>
      list('searchSimilarNames', eventIds, text, limit),
    listPage: async (query, page, pageSize) => {
      if (hasFastPath(query, page, pageSize)) return read.nearPage(query, page, pageSize)
      const result = await list('listPage', query, page, pageSize)
      return { ...result, rows: parseRows(result.rows) }
    },
    salesOfList: (query, personFields) => list('salesOfList', query, personFields),
    async *exportRows(query) {
      type Chunk = Awaited<ReturnType<typeof listings.exportChunk>>
      const readChunk = (from: Chunk['next']): Promise<Chunk> =>
        list('exportChunk', query, from, CHUNK_ROWS)
      // Reads the next chunk while the consumer processes this one, but not the one after it, for backpressure.
      let nextChunk: Promise<Chunk> | null = readChunk(null)
      while (nextChunk !== null) {
        const { rows, next }: Chunk = await nextChunk
        nextChunk = next === null ? null : readChunk(next)
        // Prevents an unhandled rejection if the consumer stops reading.
        nextChunk?.catch(() => {})
        // Ends this turn of the event loop, so that the request for the next chunk is sent and other requests can run.
        await new Promise((done) => setImmediate(done))
        const registrations = parseRows(rows)
        if (registrations.length > 0) yield registrations
      }
    },
    workQueue: (eventIds, at) => list('workQueue', eventIds, at),
    dashboardFigures: (eventId, day, currency = INR) =>
      list('dashboardFigures', eventId, day, currency),

    discountCode: async (eventId, normalisedCode, holdMs, at) =>
      read.discountCode(eventId, normalisedCode, holdMs, at),
    duplicateRegistration: (eventId, unique, answers) =>
      write('duplicateRegistration', eventId, unique, answers),
    discountCodeOfRegistration: async (regNo) => read.discountCodeOfRegistration(regNo),
    discountCodes: (query) => list('discountCodes', query),
    createDiscountCodes: (newCodes) => write('createDiscountCodes', newCodes),
    withdrawDiscountCode: (eventId, normalisedCode, user, at) =>
      write('withdrawDiscountCode', eventId, normalisedCode, user, at),
    memberListRow: async (eventId, memberList, key) => read.memberListRow(eventId, memberList, key),
    replaceMemberList: (eventId, memberList, rows, user, at) =>
      write('replaceMemberList', eventId, memberList, rows, user, at),
    memberListCounts: (eventId) => list('memberListCounts', eventId),

    queueMail: (regNo, newEmail, at) => write('queueMail', regNo, newEmail, at),
    queueAccessLinks: (regNo, newEmail, at) => write('queueAccessLinks', regNo, newEmail, at),
    queueConfirmationAgain: (regNo, newEmail, at, limits) =>
      write('queueConfirmationAgain', regNo, newEmail, at, limits),
    queueAlreadyRegistered: (...args) => write('queueAlreadyRegistered', ...args),
    dueNotices: async (after, limit) => read.dueNotices(after, limit),
    unfinishedPayments: async (handedBefore, eventIds, after, limit) =>
      read.unfinishedPayments(handedBefore, eventIds, after, limit),
    queuePaymentReminder: (regNo, newEmail, at) =>
      write('queuePaymentReminder', regNo, newEmail, at),
    refundsWithoutEmail: async (after, eventIds, limit) =>
      read.refundsWithoutEmail(after, eventIds, limit),
    queueRefundEmail: (refundId, regNo, newEmail, at) =>
      write('queueRefundEmail', refundId, regNo, newEmail, at),
    queueOnce: (dedupKey, eventId, newEmail, at) =>
      write('queueOnce', dedupKey, eventId, newEmail, at),
    claimMail: (id, at, links = []) => write('claimMail', id, at, links),
    dueMails: async (at, limit) => read.dueMails(at, limit),
    mailSent: (id, at) => write('mailSent', id, at),
    makeUnreachedEmailsDue: (at) => write('makeUnreachedEmailsDue', at),
    retryMails: (at, selection = { ids: null, events: null }) => write('retryMails', at, selection),
    mails: (query, before, limit) => list('mails', query, before, limit),
    mailCounts: (events) => list('mailCounts', events),
    mailFailed: (id, error, nextAt, attempt = null) =>
      write('mailFailed', id, error, nextAt, attempt),
    emailsOfRegistration: async (regNo) => read.emailsOfRegistration(regNo),

    ...createUserStore({ write, list, read, deferredEntries, ...shared }),

    activate: (activation) => write('activate', activation),
    activeEvents: async (knownNumber) => read.activeEvents(knownNumber),
    saveEventFile: (eventFile) => write('saveEventFile', eventFile),
    applyNewRulesToEarlierRegistrations: (at) => write('applyNewRulesToEarlierRegistrations', at),
    eventFile: async (hash) => read.eventFile(hash),
    lastEventFile: async (eventId) => read.lastEventFile(eventId),
    lastVersions: async (eventId, limit) => read.lastVersions(eventId, limit),
    eventVersions: (eventId, before, limit) => list('eventVersions', eventId, before, limit),
    eventsServed: async () => read.eventsServed(),
    valuesInUse: (eventId, counted) => list('valuesInUse', eventId, counted ?? null),

    importRegistrations: (rows) => write('importRegistrations', rows),
    erasePersonalData: (action) => write('erasePersonalData', action),
    registrationsWithEmail: (email) => list('registrationsWithEmail', email),
    registrationsToErase: (eventId, after) => list('registrationsToErase', eventId, after),
    deleteUploadsOfEvent: (eventId, at, reason) =>
      write('deleteUploadsOfEvent', eventId, at, reason),
    async dropFilesOfUnpaid(failedBefore, at, reason) {
      let droppedCount = 0
      for (;;) {
        const ids = await list('unpaidWithFiles', failedBefore, at)
        const batchCount =
          ids.length === 0 ? 0 : await write('dropFilesOfUnpaid', ids, failedBefore, at, reason)
        // Zero if no registration is left, or if payments are under way for all that remain.
        if (batchCount === 0) return droppedCount
        droppedCount += batchCount
      }
    },
    saveDraftUpload: (tokenHash, draft) => write('saveDraftUpload', tokenHash, draft),
    draftUpload: async (tokenHash) => read.draftUpload(tokenHash),
    deleteDraftUpload: (eventId, tokenHash) => write('deleteDraftUpload', eventId, tokenHash),
    deleteOldDraftUploads: (before) => write('deleteOldDraftUploads', before),
    uploadsInUse: async (sha256s) => read.uploadsInUse(sha256s),
    uploadsDropped: async (sha256s) => read.uploadsDropped(sha256s),
    databaseSince: async () => read.databaseSince(),
    recordClock: (at, aheadMsMax) => write('recordClock', at, aheadMsMax),
    lastTrustedTime: async () => read.lastTrustedTime(),
    confirmClock: (at) => write('confirmClock', at),
    findDatabaseLoss: async () => findDatabaseLoss(),
    rescue,
    operatingFigures: async () => ({
      ...(await list('operatingFigures')),
      callsWaiting: countWaitingCalls(),
    }),
    async ping(at) {
      const lossMessage = findDatabaseLoss()
      assert(lossMessage === null, `the database file ${lossMessage}`)
      await write('ping', at)
    },
    // Writes deferred audit log entries before it refuses further calls.
    close: () => (deferredEntries.isEmpty() ? close() : deferredEntries.flush().then(close)),
  }
}
function createRecoveryStore({
  write,
  list,
  read,
}: Pick<OperationCallers, 'write' | 'list' | 'read'>): RecoveryStore {
  return {
    recovery: async () => read.recovery(),
    recoveryFigures: (eventsDueForErasure) => list('recoveryFigures', eventsDueForErasure),
    identifyDatabase: (name) => write('identifyDatabase', name),
    databaseProgress: async () => read.databaseProgress(),
    beginRecovery: (recovery, since) => write('beginRecovery', recovery, since),
    endRecovery: (end) => write('endRecovery', end),
    reviewUnknownPayment: (payment) => write('reviewUnknownPayment', payment),
    addUnknownOrder: (order, at) => write('addUnknownOrder', order, at),
    unknownOrders: async (at, limit) => read.unknownOrders(at, limit),
    postponeUnknownOrder: (orderId, at) => write('postponeUnknownOrder', orderId, at),
    closeUnknownOrder: (orderId, isUsed, at) => write('closeUnknownOrder', orderId, isUsed, at),
    referencedFiles: () => list('referencedFiles'),
  }
}
