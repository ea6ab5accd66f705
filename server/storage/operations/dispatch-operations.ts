/** Dispatches each store function to the writer, the list reader or the look-ups by key. */
import { assert, instant } from '../../../engine/index.ts'
import { withoutRepeated } from '../staff/audit-log-entries.ts'
import type { reads } from './key-lookups.ts'
import { fromTexts } from '../lists/listed-registrations.ts'
import { isNear } from '../lists/list-and-search-registrations.ts'
import type { listings } from './list-queries.ts'
import { openOwed } from '../staff/deferred-audit-log.ts'
import type { Owed } from '../staff/deferred-audit-log.ts'
import type { UploadStorage } from '../files/upload-storage-types.ts'
import type { Rescued, RescuePlan } from '../files/upload-and-clock-types.ts'
import type { UserStore, RecoveryStore, Store } from '../index.ts'
import type { Tries } from '../database/rate-limit-count-types.ts'
import type { Call, writes } from './writes.ts'

/** Rows per chunk of an export: some ten milliseconds of the reader. */
const CHUNK_ROWS = 500
/** Look-ups by key. */
export type Reads = ReturnType<typeof reads>

/** The executors of store functions: threads in the server, one connection in the simulator of the tests. */
export type Doers = {
  readonly write: Call<typeof writes>
  readonly list: Call<typeof listings>
  readonly read: Reads
  /** Returns what happened to the database file; null: it is intact. */
  readonly lost: () => string | null
  readonly rescue: (plan: RescuePlan) => Promise<Rescued>
  /** Whether other servers write to the same database. */
  readonly isShared: boolean
  /** Storage of uploads; null: the disk of the single server. */
  readonly proofs: UploadStorage | null
  /** Rate limit counts of all servers; null: the memory of the single server. */
  readonly tries: Tries | null
  /** Returns the number of calls that wait for the writer. */
  readonly waiting: () => number
  readonly close: () => Promise<void>
}

export function storeOf({
  write,
  list,
  read,
  lost,
  rescue,
  waiting,
  close,
  isShared,
  proofs,
  tries,
}: Doers): Store {
  const owed = openOwed(write)
  return {
    isShared,
    proofs,
    rateLimitCounts: tries,
    register: (registration) => write('register', registration),
    registrationByKey: async (eventId, key, at) => read.registrationByKey(eventId, key, at),
    retry: (regNo, at, next = {}) => write('retry', regNo, at, next),
    resumePayment: (orderId, at, outside) => write('resumePayment', orderId, at, outside ?? null),
    availableSeats: async (eventId, few, at) => read.availableSeats(eventId, few, at),
    takenSeats: async (eventId) => read.takenSeats(eventId),
    registration: async (regNo) => read.registration(regNo),
    registrationByFormerNumber: async (eventId, formerNo) =>
      read.registrationByFormerNumber(eventId, formerNo),
    registrationByOrder: async (orderId) => read.registrationByOrder(orderId),
    payment: async (orderId) => read.payment(orderId),

    recordGatewayMessage: (notice) => write('recordGatewayMessage', notice),
    gatewayMessages: async (orderId) => read.gatewayMessages(orderId),
    applyPaymentEvent: (orderId, fact, mail, answer) =>
      write('applyPaymentEvent', orderId, fact, mail, answer),
    pendingPayments: async (dueBefore, limit, barred) =>
      read.pendingPayments(dueBefore, limit, barred),
    watchedPayments: async (dueBefore, limit, barred) =>
      read.watchedPayments(dueBefore, limit, barred),
    watchPaymentAgain: (orderId, at) => write('watchPaymentAgain', orderId, at),
    rescheduleAfterClockChange: (at) => write('rescheduleAfterClockChange', at),
    recordStatusQuery: (orderId, at, nextAt, said = null, watchUntil = null) =>
      write('recordStatusQuery', orderId, at, nextAt, said, watchUntil),
    claimStatusQuery: (orderId, dueBefore, at) => write('claimStatusQuery', orderId, dueBefore, at),
    noteClaimedPayment: (orderId, at) => write('noteClaimedPayment', orderId, at),
    addAccessLink: (link) => write('addAccessLink', link),
    accessLink: async (tokenHash) => read.accessLink(tokenHash),
    recordLinkUse: (tokenHash, at) => write('recordLinkUse', tokenHash, at),
    captures: async (regNo) => read.captures(regNo),
    refunds: async (regNo) => read.refunds(regNo),
    decisions: async (regNo) => read.decisions(regNo),
    documents: async (regNo) => read.documents(regNo),
    document: async (regNo, id) => read.document(regNo, id),
    paymentEvents: async (orderId) => read.paymentEvents(orderId),

    addNote: (wanted) => write('addNote', wanted),
    requestCancellation: (wanted) => write('requestCancellation', wanted),
    requestSecondPaymentRefund: (wanted) => write('requestSecondPaymentRefund', wanted),
    withdrawRefundRequest: (wanted) => write('withdrawRefundRequest', wanted),
    sendMail: (wanted, mail) => write('sendMail', wanted, mail),
    correct: (wanted, correction) => write('correct', wanted, correction),
    cancel: (wanted, how) => write('cancel', wanted, how),
    approve: (wanted, approved) => write('approve', wanted, approved),
    rejectApplication: (wanted, how) => write('rejectApplication', wanted, how),
    acceptOffer: (wanted, taken) => write('acceptOffer', wanted, taken),
    recordPayment: (wanted, came, mail) => write('recordPayment', wanted, came, mail),
    repriceByCreditDate: (prices, at) => write('repriceByCreditDate', prices, at),
    recordFurtherPayment: (wanted, came) => write('recordFurtherPayment', wanted, came),
    refund: (wanted, how) => write('refund', wanted, how),
    handleRefund: (wanted) => write('handleRefund', wanted),
    decideReviewOfRegistration: (wanted, how) => write('decideReviewOfRegistration', wanted, how),
    addPaymentClaim: (wanted, telling, mail) => write('addPaymentClaim', wanted, telling, mail),
    rejectPaymentClaim: (wanted, how) => write('rejectPaymentClaim', wanted, how),
    expire: (wanted, mail) => write('expire', wanted, mail),
    undoExpiry: (wanted, mail) => write('undoExpiry', wanted, mail),
    reopenExpired: (wanted, how) => write('reopenExpired', wanted, how),
    overdue: async (at, limit) => read.overdue(at, limit),
    expiredTooEarly: async (at, limit) => read.expiredTooEarly(at, limit),
    paymentClaims: async (regNo) => read.paymentClaims(regNo),
    moneyKept: async (regNo) => read.moneyKept(regNo),
    paymentsBesideBill: async (regNo) => read.paymentsBesideBill(regNo),
    isRefundUnsettled: async (regNo, at) => read.isRefundUnsettled(regNo, at),
    secondPayment: async (regNo) => read.secondPayment(regNo),
    paidBySamePerson: async (regNo) => read.paidBySamePerson(regNo),
    refundRequests: async (eventId) => read.refundRequests(eventId),
    actions: async (regNo) => read.actions(regNo),

    saveSettlement: (kept) => write('saveSettlement', kept),
    saveUnmatchedLines: (money) => write('saveUnmatchedLines', money),
    reportReturned: (returned) => write('reportReturned', returned),
    settlementLines: (of) => list('settlementLines', of),
    accountsOfEvent: (eventId) => list('accountsOfEvent', eventId),
    paymentsOfAccount: (of) => list('paymentsOfAccount', of),
    knownOrders: (orders) => list('knownOrders', orders),
    settlementLinesOf: async (regNo) => read.settlementLinesOf(regNo),

    ...recoveryVerbs({ write, list, read }),

    reviews: (eventId) => list('reviews', eventId),
    review: async (id) => read.review(id),
    eventOfReview: async (id) => read.eventOfReview(id),
    reviewCounts: () => list('reviewCounts'),
    decideReview: (id, decision, at, mail) => write('decideReview', id, decision, at, mail),
    requestRefund: (wanted) => write('requestRefund', wanted),
    refundsToSend: async (at, limit) => read.refundsToSend(at, limit),
    claimRefund: (id, at) => write('claimRefund', id, at),
    recordRefundResponse: (id, told, at) => write('recordRefundResponse', id, told, at),
    markUnansweredRefunds: (at) => write('markUnansweredRefunds', at),
    registrationsInReview: (eventId) => list('registrationsInReview', eventId),
    expectedPayments: (eventId, pricedWays) => list('expectedPayments', eventId, pricedWays),
    knownReferences: (keys) => list('knownReferences', keys),
    searchEvents: (eventIds, text, limit) => list('searchEvents', eventIds, text, limit),
    listPage: async (query, page, pageSize) => {
      if (isNear(query, page, pageSize)) return read.nearPage(query, page, pageSize)
      const found = await list('listPage', query, page, pageSize)
      return { ...found, rows: fromTexts(found.rows) }
    },
    salesOfList: (query, people) => list('salesOfList', query, people),
    async *exportRows(query) {
      type Chunk = Awaited<ReturnType<typeof listings.exportChunk>>
      const chunkFrom = (from: Chunk['next']): Promise<Chunk> =>
        list('exportChunk', query, from, CHUNK_ROWS)
      // The next chunk is read while the consumer works on this one, and none after it: that is the backpressure.
      let coming: Promise<Chunk> | null = chunkFrom(null)
      while (coming !== null) {
        const { rows, next }: Chunk = await coming
        coming = next === null ? null : chunkFrom(next)
        // Whoever stops reading never hears of it.
        coming?.catch(() => {})
        // Calls go out at the end of a turn: what comes next is being read from here on, and other requests have theirs.
        await new Promise((done) => setImmediate(done))
        const listed = fromTexts(rows)
        if (listed.length > 0) yield listed
      }
    },
    workQueue: (eventIds, at) => list('workQueue', eventIds, at),
    dashboardFigures: (eventId, today) => list('dashboardFigures', eventId, today),

    discountCode: async (eventId, folded, holdMs, at) =>
      read.discountCode(eventId, folded, holdMs, at),
    duplicateRegistration: (eventId, unique, answers) =>
      write('duplicateRegistration', eventId, unique, answers),
    discountCodeOf: async (regNo) => read.discountCodeOf(regNo),
    discountCodes: (eventId, holdMs, at) => list('discountCodes', eventId, holdMs, at),
    createDiscountCodes: (made) => write('createDiscountCodes', made),
    withdrawDiscountCode: (eventId, folded, who, at) =>
      write('withdrawDiscountCode', eventId, folded, who, at),
    memberListRow: async (eventId, roll, key) => read.memberListRow(eventId, roll, key),
    replaceMemberList: (eventId, roll, rows, who, at) =>
      write('replaceMemberList', eventId, roll, rows, who, at),
    memberListCounts: (eventId) => list('memberListCounts', eventId),

    queueMail: (regNo, mail, at) => write('queueMail', regNo, mail, at),
    queueAccessLinks: (regNo, mail, at) => write('queueAccessLinks', regNo, mail, at),
    queueConfirmationAgain: (regNo, mail, at, spacing) =>
      write('queueConfirmationAgain', regNo, mail, at, spacing),
    queueAlreadyRegistered: (regNo, mail, at, after) =>
      write('queueAlreadyRegistered', regNo, mail, at, after),
    unfinishedPayments: async (handedBefore, eventIds, after, limit) =>
      read.unfinishedPayments(handedBefore, eventIds, after, limit),
    queuePaymentReminder: (regNo, mail, at) => write('queuePaymentReminder', regNo, mail, at),
    refundsWithoutEmail: async (after, eventIds, limit) =>
      read.refundsWithoutEmail(after, eventIds, limit),
    queueRefundEmail: (refundId, regNo, mail, at) =>
      write('queueRefundEmail', refundId, regNo, mail, at),
    queueOnce: (once, eventId, mail, at) => write('queueOnce', once, eventId, mail, at),
    claimMail: (id, at) => write('claimMail', id, at),
    dueMails: async (at, limit) => read.dueMails(at, limit),
    mailSent: (id, at) => write('mailSent', id, at),
    makeMailsDue: (at) => write('makeMailsDue', at),
    retryMails: (at, which = { ids: null, events: null }) => write('retryMails', at, which),
    mails: (query, before, limit) => list('mails', query, before, limit),
    mailCounts: (events) => list('mailCounts', events),
    mailFailed: (id, error, nextAt, tried = null) => write('mailFailed', id, error, nextAt, tried),
    mailsOf: async (regNo) => read.mailsOf(regNo),

    ...peopleVerbs({ write, list, read, owed }),

    activate: (activation) => write('activate', activation),
    activeEvents: async (known) => read.activeEvents(known),
    saveEventFile: (kept) => write('saveEventFile', kept),
    eventFile: async (hash) => read.eventFile(hash),
    lastEventFile: async (eventId) => read.lastEventFile(eventId),
    lastVersions: async (eventId, limit) => read.lastVersions(eventId, limit),
    eventsServed: async () => read.eventsServed(),
    valuesInUse: (eventId) => list('valuesInUse', eventId),

    importRegistrations: (rows) => write('importRegistrations', rows),
    erasePersonalData: (wanted) => write('erasePersonalData', wanted),
    registrationsWithEmail: (email) => list('registrationsWithEmail', email),
    registrationsToErase: (eventId, after) => list('registrationsToErase', eventId, after),
    dropEventFiles: (eventId, at, why) => write('dropEventFiles', eventId, at, why),
    async dropFilesOfUnpaid(failedBefore, at, why) {
      let dropped = 0
      for (;;) {
        const ids = await list('unpaidWithFiles', failedBefore, at)
        const now =
          ids.length === 0 ? 0 : await write('dropFilesOfUnpaid', ids, failedBefore, at, why)
        // None of those any more: somebody is paying them just now.
        if (now === 0) return dropped
        dropped += now
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
    lost: async () => lost(),
    rescue,
    operatingFigures: async () => ({
      ...(await list('operatingFigures')),
      callsWaiting: waiting(),
    }),
    async ping(at) {
      const what = lost()
      assert(what === null, `the database file ${what}`)
      await write('ping', at)
    },
    // From here on nothing new is taken, where nothing has to be written first.
    close: () => (owed.isEmpty() ? close() : owed.settle().then(close)),
  }
}

function recoveryVerbs({
  write,
  list,
  read,
}: Pick<Doers, 'write' | 'list' | 'read'>): RecoveryStore {
  return {
    recovery: async () => read.recovery(),
    recoveryFigures: (keepOver) => list('recoveryFigures', keepOver),
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

/** A session's last use is written at most so often, and never coarser than a tenth of the idle time. */
const TOUCH_MS = 60_000

function peopleVerbs({
  write,
  list,
  read,
  owed,
}: Pick<Doers, 'write' | 'list' | 'read'> & { readonly owed: Owed }): UserStore {
  return {
    admin: async (username) => read.admin(username),
    adminCount: async () => read.adminCount(),
    staffAccounts: async (at) => read.people(at),
    addAdmin: (username, passwordHash, at, may) =>
      write('addAdmin', username, passwordHash, at, may ?? null),
    setPermissions: (username, may) => write('setPermissions', username, may),
    removeAdmin: (username) => write('removeAdmin', username),
    setPassword: (username, passwordHash, at) => write('setPassword', username, passwordHash, at),
    addPasswordLink: (username, tokenHash, expiresAt) =>
      write('addPasswordLink', username, tokenHash, expiresAt),
    passwordLink: async (tokenHash, at) => read.passwordLink(tokenHash, at),
    usePasswordLink: (tokenHash, passwordHash, at) =>
      write('usePasswordLink', tokenHash, passwordHash, at),
    account: async (adminId) => read.account(adminId),
    savedViews: async (adminId) => read.myLists(adminId),
    saveView: (adminId, list, kept) => write('saveView', adminId, list, kept),
    startSecondFactorSetup: (adminId, secret) => write('startSecondFactorSetup', adminId, secret),
    confirmSecondFactor: (adminId, secret, step, codeHashes) =>
      write('confirmSecondFactor', adminId, secret, step, codeHashes),
    acceptSecondFactorCode: (adminId, step) => write('acceptSecondFactorCode', adminId, step),
    useRecoveryCode: (adminId, codeHash, at) => write('useRecoveryCode', adminId, codeHash, at),
    renewRecoveryCodes: (adminId, codeHashes) => write('renewRecoveryCodes', adminId, codeHashes),
    removeSecondFactor: (username) => write('removeSecondFactor', username),
    secondFactorRequired: async () => read.secondFactorRequired(),
    requireSecondFactor: (required) => write('requireSecondFactor', required),
    openSession: (session) => write('openSession', session),
    async session(tokenHash, at, idleMs) {
      const session = await read.session(tokenHash)
      if (session === null) return null
      const { expiresAt, seenAt, ...open } = session
      const idle = at - Math.max(seenAt, owed.seenAt(tokenHash) ?? 0)
      if (at >= expiresAt || idle > idleMs) return null
      if (idle >= Math.min(TOUCH_MS, idleMs / 10)) await owed.touchSession(tokenHash, at)
      return open
    },
    sessionsOf: async (adminId, at, idleMs) => read.sessionsOf(adminId, at, instant(at - idleMs)),
    closeSession: (tokenHash) => write('closeSession', tokenHash),
    closeOtherSessions: (adminId, tokenHash) => write('closeOtherSessions', adminId, tokenHash),
    addAuditEntry: withoutRepeated(owed.audit),
    auditOf: async (regNo) => read.auditOf(regNo),
    auditLog: (query, before, limit) => list('auditLog', query, before, limit),
    auditLogUsers: (events) => list('auditLogUsers', events),
  }
}
