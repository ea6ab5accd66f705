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
    tries,
    register: (registration) => write('register', registration),
    registeredUnder: async (eventId, key, at) => read.registeredUnder(eventId, key, at),
    retry: (regNo, at, next = {}) => write('retry', regNo, at, next),
    handedAgain: (orderId, at, outside) => write('handedAgain', orderId, at, outside ?? null),
    placesLeft: async (eventId, few, at) => read.placesLeft(eventId, few, at),
    placesTaken: async (eventId) => read.placesTaken(eventId),
    registration: async (regNo) => read.registration(regNo),
    formerly: async (eventId, formerNo) => read.formerly(eventId, formerNo),
    registrationOf: async (orderId) => read.registrationOf(orderId),
    payment: async (orderId) => read.payment(orderId),

    recordNotice: (notice) => write('recordNotice', notice),
    notices: async (orderId) => read.notices(orderId),
    applyFact: (orderId, fact, mail, answer) => write('applyFact', orderId, fact, mail, answer),
    pendingPayments: async (dueBefore, limit, barred) =>
      read.pendingPayments(dueBefore, limit, barred),
    watchedPayments: async (dueBefore, limit, barred) =>
      read.watchedPayments(dueBefore, limit, barred),
    rearm: (orderId, at) => write('rearm', orderId, at),
    clockWentBack: (at) => write('clockWentBack', at),
    asked: (orderId, at, nextAt, said = null, watchUntil = null) =>
      write('asked', orderId, at, nextAt, said, watchUntil),
    claimQuestion: (orderId, dueBefore, at) => write('claimQuestion', orderId, dueBefore, at),
    claimed: (orderId, at) => write('claimed', orderId, at),
    addLink: (link) => write('addLink', link),
    link: async (tokenHash) => read.link(tokenHash),
    linkUsed: (tokenHash, at) => write('linkUsed', tokenHash, at),
    captures: async (regNo) => read.captures(regNo),
    refunds: async (regNo) => read.refunds(regNo),
    decisions: async (regNo) => read.decisions(regNo),
    documents: async (regNo) => read.documents(regNo),
    document: async (regNo, id) => read.document(regNo, id),
    facts: async (orderId) => read.facts(orderId),

    note: (wanted) => write('note', wanted),
    askCancel: (wanted) => write('askCancel', wanted),
    askRefund: (wanted) => write('askRefund', wanted),
    withdrawRefund: (wanted) => write('withdrawRefund', wanted),
    sendMail: (wanted, mail) => write('sendMail', wanted, mail),
    correct: (wanted, correction) => write('correct', wanted, correction),
    cancel: (wanted, how) => write('cancel', wanted, how),
    approve: (wanted, approved) => write('approve', wanted, approved),
    refuse: (wanted, how) => write('refuse', wanted, how),
    acceptOffer: (wanted, taken) => write('acceptOffer', wanted, taken),
    confirm: (wanted, came, mail) => write('confirm', wanted, came, mail),
    priceOfDay: (prices, at) => write('priceOfDay', prices, at),
    cameAgain: (wanted, came) => write('cameAgain', wanted, came),
    refund: (wanted, how) => write('refund', wanted, how),
    handleRefund: (wanted) => write('handleRefund', wanted),
    decideFor: (wanted, how) => write('decideFor', wanted, how),
    tell: (wanted, telling, mail) => write('tell', wanted, telling, mail),
    notFound: (wanted, how) => write('notFound', wanted, how),
    lapse: (wanted, mail) => write('lapse', wanted, mail),
    reopen: (wanted, mail) => write('reopen', wanted, mail),
    takeUp: (wanted, how) => write('takeUp', wanted, how),
    overdue: async (at, limit) => read.overdue(at, limit),
    lapsedTooEarly: async (at, limit) => read.lapsedTooEarly(at, limit),
    tellings: async (regNo) => read.tellings(regNo),
    kept: async (regNo) => read.kept(regNo),
    moneyOfBill: async (regNo) => read.moneyOfBill(regNo),
    isRefundUnsettled: async (regNo, at) => read.isRefundUnsettled(regNo, at),
    secondPayment: async (regNo) => read.secondPayment(regNo),
    paidBySamePerson: async (regNo) => read.paidBySamePerson(regNo),
    refundRequests: async (eventId) => read.refundRequests(eventId),
    acts: async (regNo) => read.acts(regNo),

    keepSettlement: (kept) => write('keepSettlement', kept),
    keepUnmatched: (money) => write('keepUnmatched', money),
    reportReturned: (returned) => write('reportReturned', returned),
    settlementLines: (of) => list('settlementLines', of),
    accountsOfEvent: (eventId) => list('accountsOfEvent', eventId),
    heldMoney: (of) => list('heldMoney', of),
    heldOrders: (orders) => list('heldOrders', orders),
    settledOf: async (regNo) => read.settledOf(regNo),

    ...recoveryVerbs({ write, list, read }),

    reviews: (eventId) => list('reviews', eventId),
    review: async (id) => read.review(id),
    eventOfReview: async (id) => read.eventOfReview(id),
    reviewCounts: () => list('reviewCounts'),
    decide: (id, decision, at, mail) => write('decide', id, decision, at, mail),
    wantRefund: (wanted) => write('wantRefund', wanted),
    refundsToSend: async (at, limit) => read.refundsToSend(at, limit),
    claimRefund: (id, at) => write('claimRefund', id, at),
    refundTold: (id, told, at) => write('refundTold', id, told, at),
    silentRefunds: (at) => write('silentRefunds', at),
    inReview: (eventId) => list('inReview', eventId),
    awaited: (eventId, pricedWays) => list('awaited', eventId, pricedWays),
    knownReferences: (keys) => list('knownReferences', keys),
    findIn: (eventIds, text, limit) => list('findIn', eventIds, text, limit),
    listPage: async (query, page, pageSize) => {
      if (isNear(query, page, pageSize)) return read.nearPage(query, page, pageSize)
      const found = await list('listPage', query, page, pageSize)
      return { ...found, rows: fromTexts(found.rows) }
    },
    soldIn: (query, people) => list('soldIn', query, people),
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
    waiting: (eventIds, at) => list('waiting', eventIds, at),
    figures: (eventId, today) => list('figures', eventId, today),

    code: async (eventId, folded, holdMs, at) => read.code(eventId, folded, holdMs, at),
    blockedBy: (eventId, unique, answers) => write('blockedBy', eventId, unique, answers),
    codeOf: async (regNo) => read.codeOf(regNo),
    codesOf: (eventId, holdMs, at) => list('codesOf', eventId, holdMs, at),
    makeCodes: (made) => write('makeCodes', made),
    withdrawCode: (eventId, folded, who, at) => write('withdrawCode', eventId, folded, who, at),
    rollRow: async (eventId, roll, key) => read.rollRow(eventId, roll, key),
    replaceRoll: (eventId, roll, rows, who, at) =>
      write('replaceRoll', eventId, roll, rows, who, at),
    rollCounts: (eventId) => list('rollCounts', eventId),

    queueMail: (regNo, mail, at) => write('queueMail', regNo, mail, at),
    queueLinks: (regNo, mail, at) => write('queueLinks', regNo, mail, at),
    queueAsked: (regNo, mail, at, spacing) => write('queueAsked', regNo, mail, at, spacing),
    queueAlready: (regNo, mail, at, after) => write('queueAlready', regNo, mail, at, after),
    unfinished: async (handedBefore, eventIds, after, limit) =>
      read.unfinished(handedBefore, eventIds, after, limit),
    queueUnfinished: (regNo, mail, at) => write('queueUnfinished', regNo, mail, at),
    givenBack: async (after, eventIds, limit) => read.givenBack(after, eventIds, limit),
    queueGivenBack: (refundId, regNo, mail, at) =>
      write('queueGivenBack', refundId, regNo, mail, at),
    queueOnce: (once, eventId, mail, at) => write('queueOnce', once, eventId, mail, at),
    claimMail: (id, at) => write('claimMail', id, at),
    dueMails: async (at, limit) => read.dueMails(at, limit),
    mailSent: (id, at) => write('mailSent', id, at),
    hurryMails: (at) => write('hurryMails', at),
    retryMails: (at, which = { ids: null, events: null }) => write('retryMails', at, which),
    mails: (query, before, limit) => list('mails', query, before, limit),
    mailCounts: (events) => list('mailCounts', events),
    mailFailed: (id, error, nextAt, tried = null) => write('mailFailed', id, error, nextAt, tried),
    mailsOf: async (regNo) => read.mailsOf(regNo),

    ...peopleVerbs({ write, list, read, owed }),

    activate: (activation) => write('activate', activation),
    activeEvents: async (known) => read.activeEvents(known),
    keepEventFile: (kept) => write('keepEventFile', kept),
    eventFile: async (hash) => read.eventFile(hash),
    lastEventFile: async (eventId) => read.lastEventFile(eventId),
    lastVersions: async (eventId, limit) => read.lastVersions(eventId, limit),
    eventsServed: async () => read.eventsServed(),
    inUse: (eventId) => list('inUse', eventId),

    importRegistrations: (rows) => write('importRegistrations', rows),
    erase: (wanted) => write('erase', wanted),
    withEmail: (email) => list('withEmail', email),
    toErase: (eventId, after) => list('toErase', eventId, after),
    dropEventFiles: (eventId, at, why) => write('dropEventFiles', eventId, at, why),
    async dropProofs(failedBefore, at, why) {
      let dropped = 0
      for (;;) {
        const ids = await list('unpaidWithFiles', failedBefore, at)
        const now = ids.length === 0 ? 0 : await write('dropFiles', ids, failedBefore, at, why)
        // None of those any more: somebody is paying them just now.
        if (now === 0) return dropped
        dropped += now
      }
    },
    keepDraft: (tokenHash, draft) => write('keepDraft', tokenHash, draft),
    draft: async (tokenHash) => read.draft(tokenHash),
    forgetDraft: (eventId, tokenHash) => write('forgetDraft', eventId, tokenHash),
    forgetOldDrafts: (before) => write('forgetOldDrafts', before),
    uploadsInUse: async (sha256s) => read.uploadsInUse(sha256s),
    uploadsDropped: async (sha256s) => read.uploadsDropped(sha256s),
    databaseSince: async () => read.databaseSince(),
    seeClock: (at, aheadMsMax) => write('seeClock', at, aheadMsMax),
    clockSeen: async () => read.clockSeen(),
    confirmClock: (at) => write('confirmClock', at),
    lost: async () => lost(),
    rescue,
    operating: async () => ({ ...(await list('operating')), callsWaiting: waiting() }),
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
    mark: (name) => write('mark', name),
    counted: async () => read.counted(),
    beginRecovery: (recovery, since) => write('beginRecovery', recovery, since),
    endRecovery: (end) => write('endRecovery', end),
    keepUnknownPayment: (payment) => write('keepUnknownPayment', payment),
    noteUnknownOrder: (order, at) => write('noteUnknownOrder', order, at),
    unknownOrders: async (at, limit) => read.unknownOrders(at, limit),
    unknownUndecided: (orderId, at) => write('unknownUndecided', orderId, at),
    unknownDecided: (orderId, isUsed, at) => write('unknownDecided', orderId, isUsed, at),
    filesReferred: () => list('filesReferred'),
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
    people: async (at) => read.people(at),
    addAdmin: (username, passwordHash, at, may) =>
      write('addAdmin', username, passwordHash, at, may ?? null),
    setMay: (username, may) => write('setMay', username, may),
    removeAdmin: (username) => write('removeAdmin', username),
    setPassword: (username, passwordHash, at) => write('setPassword', username, passwordHash, at),
    addPasswordLink: (username, tokenHash, expiresAt) =>
      write('addPasswordLink', username, tokenHash, expiresAt),
    passwordLink: async (tokenHash, at) => read.passwordLink(tokenHash, at),
    usePasswordLink: (tokenHash, passwordHash, at) =>
      write('usePasswordLink', tokenHash, passwordHash, at),
    account: async (adminId) => read.account(adminId),
    myLists: async (adminId) => read.myLists(adminId),
    keepMyList: (adminId, list, kept) => write('keepMyList', adminId, list, kept),
    wantSecondFactor: (adminId, secret) => write('wantSecondFactor', adminId, secret),
    confirmSecondFactor: (adminId, secret, step, codeHashes) =>
      write('confirmSecondFactor', adminId, secret, step, codeHashes),
    takeStep: (adminId, step) => write('takeStep', adminId, step),
    takeRecoveryCode: (adminId, codeHash, at) => write('takeRecoveryCode', adminId, codeHash, at),
    renewRecoveryCodes: (adminId, codeHashes) => write('renewRecoveryCodes', adminId, codeHashes),
    dropSecondFactor: (username) => write('dropSecondFactor', username),
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
    audit: withoutRepeated(owed.audit),
    auditOf: async (regNo) => read.auditOf(regNo),
    activity: (query, before, limit) => list('activity', query, before, limit),
    actors: (events) => list('actors', events),
  }
}
