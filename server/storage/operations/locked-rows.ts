/**
 * Lists the rows that each operation locks on PostgreSQL before it reads.
 * These rows are registrations, or stand for the subject of a rare operation. Seats, codes, unique answers and versions
 * are locked by the code that checks them (`../database/row-locks.ts`).
 */
import { listReferenceKeys, toBankKey, toOrderKey, getMailboxKey } from '../../../engine/index.ts'
import { lockMailbox, lockReferences, lockRules } from '../database/row-locks.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { BankLineOfPayment } from '../reconciliation/bank-statement-types.ts'
import type { Operations, writes } from './writes.ts'

type Writes = typeof writes
type RowsToLock = {
  readonly [K in keyof Writes]?: Writes[K] extends (sql: Sql, ...args: infer Args) => unknown
    ? (sql: Sql, ...args: Args) => void
    : never
}

/** Operations on the same subject run one after another. They are rare, and their rows are not all known in advance. */
type Subject = 'recovery' | 'settlements' | 'staff' | 'versions'
const lockSubject = (sql: Sql, ...subjects: readonly Subject[]): void =>
  sql.lock(
    'subject',
    'SELECT 1 FROM row_locks WHERE kind = ANY($1) ORDER BY kind FOR NO KEY UPDATE',
    subjects,
  )

/** Prevents a recovery from starting until the transaction ends. Payments do not wait for each other. */
const lockRecoveryStart = (sql: Sql): void =>
  sql.lock('subject', "SELECT 1 FROM row_locks WHERE kind = 'recovery' FOR KEY SHARE")
/** Waits until payments that are being stored have finished, because their emails must be held too. */
const lockPaymentsAndRecovery = (sql: Sql): void =>
  sql.lock('subject', "SELECT 1 FROM row_locks WHERE kind = 'recovery' FOR UPDATE")

/** Locks the registrations with these registration numbers, order ids, payment references and bank references. */
function lockRegistrations(
  sql: Sql,
  {
    names = [],
    references = [],
    keys = [],
  }: {
    readonly names?: readonly string[]
    readonly references?: readonly string[]
    readonly keys?: readonly string[]
  },
): void {
  sql.lock(
    'registration',
    `SELECT id FROM registrations WHERE id IN (
       SELECT id FROM registrations WHERE reg_no = ANY($1) UNION SELECT registration_id FROM payments WHERE order_id = ANY($1)
       UNION SELECT registration_id FROM captures WHERE reference = ANY($2)
       UNION SELECT c.registration_id FROM bank_references b JOIN captures c ON c.id = b.capture_id WHERE b.key = ANY($3)
       UNION SELECT registration_id FROM tellings WHERE folded = ANY($3)
     ) ORDER BY id FOR UPDATE`,
    names,
    references,
    keys,
  )
}

const lockByNumber = (sql: Sql, { regNo }: { readonly regNo: string }): void =>
  sql.lock('registration', 'SELECT 1 FROM registrations WHERE reg_no = $1 FOR UPDATE', regNo)

/**
 * Locks a registration, the same person's other registrations, and those that were paid by the same bank transfers.
 * `name`: the registration's number, or the id of one of its orders.
 */
const lockRegistrationsOfPerson = (sql: Sql, name: string): void =>
  sql.lock(
    'registration',
    `WITH own AS (
       SELECT id FROM registrations WHERE reg_no = $1 UNION SELECT registration_id FROM payments WHERE order_id = $1
     ), persons AS (
       SELECT event_id, person FROM paid_persons WHERE registration_id IN (SELECT id FROM own)
       UNION SELECT event_id, person FROM registered_persons WHERE registration_id IN (SELECT id FROM own)
     )
     SELECT id FROM registrations WHERE id IN (
       SELECT id FROM own
       UNION SELECT registration_id FROM paid_persons JOIN persons USING (event_id, person)
       UNION SELECT registration_id FROM registered_persons JOIN persons USING (event_id, person)
       UNION SELECT s.registration_id FROM captures c JOIN bank_line_payments p ON p.capture_id = c.id
         JOIN bank_line_payments o ON o.bank_line_id = p.bank_line_id JOIN captures s ON s.id = o.capture_id
         WHERE c.registration_id IN (SELECT id FROM own)
     ) ORDER BY id FOR UPDATE`,
    name,
  )

const lockByOrder = (sql: Sql, orderId: string): void =>
  sql.lock(
    'registration',
    'SELECT 1 FROM registrations WHERE id = (SELECT registration_id FROM payments WHERE order_id = $1) FOR UPDATE',
    orderId,
  )

/**
 * Locks the registrations in a review, or its payment if it belongs to no registration. `names`: numbers or order ids of
 * other registrations that the decision affects.
 */
function lockReview(sql: Sql, review: string, names: readonly string[]): void {
  const id = Number(review.slice(1))
  const [captureId = 0, paymentId = 0, refundId = 0] = ['C', 'P', 'R'].map((kind) =>
    review.startsWith(kind) && Number.isSafeInteger(id) ? id : 0,
  )
  sql.lock(
    'registration',
    `SELECT id FROM registrations WHERE id IN (
       SELECT registration_id FROM captures WHERE id = $1
       UNION SELECT p.registration_id FROM captures c JOIN payments p ON p.id = c.counts_for WHERE c.id = $1
       UNION SELECT registration_id FROM payments WHERE id = $2
       UNION SELECT c.registration_id FROM refunds f JOIN captures c ON c.id = f.capture_id WHERE f.id = $3
       UNION SELECT id FROM registrations WHERE reg_no = ANY($4) UNION SELECT registration_id FROM payments WHERE order_id = ANY($4)
     ) ORDER BY id FOR UPDATE`,
    captureId,
    paymentId,
    refundId,
    names,
  )
  // No registration stands for a payment that is not assigned to one, so decisions on it wait for its own row.
  if (captureId > 0 || refundId > 0)
    sql.lock(
      'unmatched payment',
      `SELECT id FROM captures WHERE registration_id IS NULL
         AND (id = $1 OR id = (SELECT capture_id FROM refunds WHERE id = $2)) ORDER BY id FOR UPDATE`,
      captureId,
      refundId,
    )
}

const lockRefund = (sql: Sql, id: number): void => lockReview(sql, `R${id}`, [])
const listTargets = (decision: {
  readonly what: string
  readonly to?: string
}): readonly string[] => (decision.to === undefined ? [] : [decision.to.trim()])

type References = {
  readonly reference: string
  readonly also?: readonly string[]
  readonly bankLine?: BankLineOfPayment | undefined
}
/**
 * Makes payments and claims with these references wait for refunds, payments and claims with the same references. The
 * parts of one bank line wait for each other.
 */
const lockPaymentReferences = (sql: Sql, payments: readonly References[]): void =>
  lockReferences(
    sql,
    payments.flatMap(({ reference, also = [], bankLine }) =>
      [reference, ...also, ...(bankLine?.references ?? [])].flatMap(listReferenceKeys),
    ),
  )

/** Locks the rows of each operation. */
export const ROWS_TO_LOCK: RowsToLock = {
  register: (sql, { deskPayment }) => {
    if (deskPayment !== undefined) lockPaymentReferences(sql, [deskPayment])
  },
  retry: (sql, regNo) => lockByNumber(sql, { regNo }),
  resumePayment: lockByOrder,
  applyPaymentEvent: (sql, orderId) => {
    lockRecoveryStart(sql)
    lockByOrder(sql, orderId)
  },
  addNote: lockByNumber,
  undoNote: lockByNumber,
  requestCancellation: lockByNumber,
  requestSecondPaymentRefund: lockByNumber,
  withdrawRefundRequest: lockByNumber,
  erasePersonalData: lockByNumber,
  sendMail: lockByNumber,
  correct: lockByNumber,
  cancel: (sql, { regNo }) => lockRegistrationsOfPerson(sql, regNo),
  approve: lockByNumber,
  rejectApplication: lockByNumber,
  acceptOffer: lockByNumber,
  recordPayment: (sql, action, payment) => {
    lockRecoveryStart(sql)
    lockByNumber(sql, action)
    lockPaymentReferences(sql, [payment])
  },
  recordExtraPayment: (sql, action, payment) => {
    lockByNumber(sql, action)
    lockPaymentReferences(sql, [payment])
  },
  addPaymentClaim: (sql, action, claim) => {
    lockByNumber(sql, action)
    lockPaymentReferences(sql, [claim])
  },
  rejectPaymentClaim: lockByNumber,
  expire: lockByNumber,
  undoExpiry: lockByNumber,
  reopenExpired: lockByNumber,
  refund: (sql, { regNo }) => lockRegistrationsOfPerson(sql, regNo),
  markRefundHandled: lockByNumber,
  decideReviewOfRegistration: (sql, { regNo }, { review, decision }) => {
    lockRecoveryStart(sql)
    lockReview(sql, review, [regNo, ...listTargets(decision)])
  },
  decideReview: (sql, review, decision) => {
    lockRecoveryStart(sql)
    lockReview(sql, review, listTargets(decision))
  },
  claimMail: (sql, _id, _at, links = []) => {
    // A correction of the address waits, or is seen here.
    if (links.length > 0) lockRegistrations(sql, { names: links.map(({ regNo }) => regNo) })
  },
  issueWaitingInvoices: (sql, regNos) => lockRegistrations(sql, { names: regNos }),
  requestRefund: (sql, { of }) => lockRegistrationsOfPerson(sql, of),
  repriceByCreditDate: (sql, prices) =>
    lockRegistrations(sql, { names: prices.map(({ regNo }) => regNo) }),
  recordFailedRefunds: (sql, orderId) => lockRegistrations(sql, { names: [orderId] }),
  claimRefund: lockRefund,
  recordRefundResponse: lockRefund,
  queueConfirmationAgain: (sql, _, { to }) => lockMailbox(sql, getMailboxKey(to)),
  queueAlreadyRegistered: (sql, _, { to }) => lockMailbox(sql, getMailboxKey(to)),
  saveDraftUpload: (sql, _, { owner }) => {
    // A change that revokes the link waits, or is seen here.
    if (owner !== undefined) lockByNumber(sql, owner)
  },
  saveSettlement: (sql, { lines, ask = [] }) => {
    lockSubject(sql, 'settlements')
    lockRegistrations(sql, {
      names: [...ask, ...lines.flatMap(({ order }) => [order, toOrderKey(order)])],
      references: lines.map(({ reference }) => reference),
      keys: lines.map(({ utr }) => toBankKey(utr)),
    })
  },
  handleSettlementLine: (sql) => lockSubject(sql, 'settlements'),
  saveUnmatchedLines: (sql, lines) => {
    lockSubject(sql, 'settlements')
    lockPaymentReferences(sql, lines)
  },
  sendBankLineToReview: (sql, _decision, payment) => {
    lockSubject(sql, 'settlements')
    lockPaymentReferences(sql, [payment])
  },
  saveBankStatement: (sql) => lockSubject(sql, 'settlements'),
  decideBankLine: (sql) => lockSubject(sql, 'settlements'),
  removeBankStatement: (sql) => lockSubject(sql, 'settlements'),
  saveStatementMatches: (sql) => lockSubject(sql, 'settlements'),
  reportReturned: (sql) => lockSubject(sql, 'settlements'),
  reviewUnknownPayment: (sql) => lockSubject(sql, 'settlements'),
  addUnknownOrder: (sql) => lockSubject(sql, 'settlements'),
  importRegistrations: (sql, rows) => {
    // New quotas count stored registrations, so the versions must not change until the import is done.
    lockSubject(sql, 'settlements', 'versions')
    lockRules(sql, [...new Set(rows.map(({ eventId }) => eventId))])
  },
  rescheduleAfterClockChange: (sql) => lockSubject(sql, 'recovery'),
  identifyDatabase: (sql) => lockSubject(sql, 'recovery'),
  beginRecovery: lockPaymentsAndRecovery,
  endRecovery: (sql) => lockSubject(sql, 'recovery'),
  runForSender: (sql, _sender, verb, args) =>
    (ROWS_TO_LOCK as Partial<Operations>)[verb]?.(sql, ...(args as never[])),
  // The permission check locks the sender's own row FOR SHARE. Two requests that then changed that row would deadlock.
  addAdmin: (sql) => lockSubject(sql, 'staff'),
  setPermissions: (sql) => lockSubject(sql, 'staff'),
  setPassword: (sql) => lockSubject(sql, 'staff'),
  usePasswordLink: (sql) => lockSubject(sql, 'staff'),
  removeAdmin: (sql) => lockSubject(sql, 'staff'),
  startSecondFactorSetup: (sql) => lockSubject(sql, 'staff'),
  confirmSecondFactor: (sql) => lockSubject(sql, 'staff'),
  renewRecoveryCodes: (sql) => lockSubject(sql, 'staff'),
  removeSecondFactor: (sql) => lockSubject(sql, 'staff'),
  requireSecondFactor: (sql) => lockSubject(sql, 'staff'),
  closeSession: (sql) => lockSubject(sql, 'staff'),
  closeOtherSessions: (sql) => lockSubject(sql, 'staff'),
  activate: (sql) => {
    lockSubject(sql, 'versions')
    sql.lock('version', 'SELECT 1 FROM active_events FOR UPDATE')
  },
  saveEventFile: (sql) => lockSubject(sql, 'versions'),
  applyNewRulesToEarlierRegistrations: (sql) => lockSubject(sql, 'versions'),
}
