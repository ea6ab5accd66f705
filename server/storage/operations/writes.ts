/** Names all writes, which the writer thread runs for `open-store.ts`. */
import { assert } from '../../../engine/index.ts'
import * as acts from '../registrations/apply-action.ts'
import { saveView } from '../lists/saved-views.ts'
import { activate } from '../events/activate-versions.ts'
import { processEarlierRegistrations } from '../events/process-earlier-registrations.ts'
import * as accounts from '../events/stored-event-files.ts'
import * as activity from '../staff/audit-log-entries.ts'
import * as approving from '../registrations/save-approval.ts'
import * as cancelling from '../registrations/cancel-registration.ts'
import { recordExtraPayment, recordPayment } from '../payments/save-recorded-payment.ts'
import { repriceByCreditDate } from '../payments/reprice-and-restore-orders.ts'
import * as correcting from '../registrations/save-correction.ts'
import * as clockBack from '../recovery/clock-moved-back.ts'
import { confirmClock, recordClock } from '../recovery/last-trusted-time.ts'
import * as codes from '../registrations/discount-codes.ts'
import * as deciding from '../reviews/decide-reviews.ts'
import * as givingBack from '../refunds/decide-refunds.ts'
import * as drafts from '../files/stored-draft-uploads.ts'
import * as erasing from '../registrations/delete-personal-data.ts'
import * as importing from '../registrations/import-registrations.ts'
import * as links from '../registrations/access-links.ts'
import * as delivery from '../mail/email-delivery.ts'
import * as mails from '../mail/email-queue.ts'
import * as secondFactors from '../staff/second-factors.ts'
import * as sessions from '../staff/sessions.ts'
import * as users from '../staff/users.ts'
import * as moneyActs from '../reviews/review-actions.ts'
import {
  claimRefund,
  recordFailedRefunds,
  recordRefundResponse,
  markUnansweredRefunds,
} from '../refunds/send-refunds.ts'
import * as proofs from '../files/drop-files-of-unpaid.ts'
import { removeBankStatement } from '../reconciliation/remove-statement.ts'
import { handleSettlementLine } from '../reconciliation/settlement-line-decisions.ts'
import * as settlements from '../reconciliation/settlement-lines.ts'
import * as savedStatements from '../reconciliation/saved-statements.ts'
import { saveUnmatchedLines } from '../reconciliation/unmatched-lines.ts'
import { reviewReturnedTransfers } from '../reconciliation/references-in-review.ts'
import * as recovering from '../recovery/begin-and-end-recovery.ts'
import { recordBrowser } from '../registrations/same-person.ts'
import * as rolls from '../registrations/member-lists.ts'
import * as registering from '../registrations/insert-registration.ts'
import * as retrying from '../registrations/retry-payment.ts'
import { applyPaymentEvent } from '../payments/apply-payment-events.ts'
import {
  recordStatusQuery,
  noteClaimedPayment,
  reserveStatusQuery,
  watchPaymentAgain,
} from '../payments/gateway-queries.ts'
import { recordGatewayMessage } from '../payments/stored-gateway-messages.ts'
import * as taking from '../seats/reserve-seats.ts'
import * as expiring from '../payments/expire-and-reopen.ts'
import * as telling from '../payments/payment-claims.ts'
import { recordCheckout, recordWebhookEvent } from '../reconciliation/gateway-checkouts.ts'
import { noteDispute, postponeDispute, recordDispute } from '../reconciliation/disputes.ts'
import { saveExchangeRate } from '../documents/exchange-rates.ts'
import { closeMonth } from '../reports/month-closings.ts'
import { issueWaitingInvoices } from '../documents/issue-waiting-invoices.ts'
import * as unknownOrders from '../payments/unknown-orders.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { RescuedRows, RescuePlan } from '../files/upload-and-clock-types.ts'

export const writes = {
  register: registering.register,
  duplicateRegistration: taking.findDuplicateRegistration,
  retry: retrying.retry,
  resumePayment: retrying.resumePayment,
  importRegistrations: importing.importRegistrations,
  recordGatewayMessage,
  recordCheckout,
  recordWebhookEvent,
  noteDispute,
  recordDispute,
  postponeDispute,
  applyPaymentEvent,
  recordStatusQuery,
  claimStatusQuery: reserveStatusQuery,
  noteClaimedPayment,
  watchPaymentAgain,
  rescheduleAfterClockChange: clockBack.rescheduleAfterClockChange,
  addNote: acts.addNote,
  undoNote: acts.undoNote,
  requestCancellation: acts.requestCancellation,
  requestSecondPaymentRefund: acts.requestSecondPaymentRefund,
  withdrawRefundRequest: acts.withdrawRefundRequest,
  erasePersonalData: erasing.erasePersonalData,
  deleteUploadsOfEvent: erasing.deleteUploadsOfEvent,
  sendMail: acts.sendMail,
  correct: correcting.correct,
  cancel: cancelling.cancel,
  approve: approving.approve,
  rejectApplication: approving.rejectApplication,
  acceptOffer: approving.acceptOffer,
  recordPayment,
  repriceByCreditDate,
  recordExtraPayment,
  addPaymentClaim: telling.addPaymentClaim,
  rejectPaymentClaim: telling.rejectPaymentClaim,
  expire: expiring.expire,
  undoExpiry: expiring.undoExpiry,
  reopenExpired: expiring.reopenExpired,
  refund: moneyActs.refund,
  markRefundHandled: moneyActs.markRefundHandled,
  decideReviewOfRegistration: moneyActs.decideReviewOfRegistration,
  decideReview: deciding.decideReview,
  requestRefund: givingBack.requestRefund,
  claimRefund,
  recordFailedRefunds,
  recordRefundResponse,
  markUnansweredRefunds,
  saveSettlement: settlements.saveSettlement,
  handleSettlementLine,
  saveUnmatchedLines,
  saveBankStatement: savedStatements.saveBankStatement,
  decideBankLine: savedStatements.decideBankLine,
  removeBankStatement,
  saveStatementMatches: savedStatements.saveStatementMatches,
  saveExchangeRate,
  closeMonth,
  issueWaitingInvoices,
  reportReturned: reviewReturnedTransfers,
  identifyDatabase: recovering.identifyDatabase,
  beginRecovery: recovering.beginRecovery,
  endRecovery: recovering.endRecovery,
  reviewUnknownPayment: unknownOrders.reviewUnknownPayment,
  addUnknownOrder: unknownOrders.addUnknownOrder,
  postponeUnknownOrder: unknownOrders.postponeUnknownOrder,
  closeUnknownOrder: unknownOrders.closeUnknownOrder,
  saveView,
  addAccessLink: links.addAccessLink,
  recordBrowser: recordBrowser,
  recordLinkUse: links.recordLinkUse,
  createDiscountCodes: codes.createDiscountCodes,
  withdrawDiscountCode: codes.withdrawDiscountCode,
  replaceMemberList: rolls.replaceMemberList,
  queueMail: mails.queueMail,
  queueAlreadyRegistered: mails.queueAlreadyRegistered,
  queueConfirmationAgain: mails.queueConfirmationAgain,
  queueAccessLinks: mails.queueAccessLinks,
  queueOnce: mails.queueOnce,
  queuePaymentReminder: mails.queuePaymentReminder,
  queueRefundEmail: mails.queueRefundEmail,
  claimMail: delivery.claimMail,
  mailSent: delivery.markMailSent,
  mailFailed: delivery.markMailFailed,
  makeMailsDue: delivery.makeMailsDue,
  retryMails: delivery.retryMails,
  addAdmin: users.addAdmin,
  setPermissions: users.setPermissions,
  removeAdmin: users.removeAdmin,
  setPassword: users.setPassword,
  addPasswordLink: users.addPasswordLink,
  usePasswordLink: users.usePasswordLink,
  startSecondFactorSetup: secondFactors.startSecondFactorSetup,
  confirmSecondFactor: secondFactors.confirmSecondFactor,
  acceptSecondFactorCode: secondFactors.acceptSecondFactorCode,
  useRecoveryCode: secondFactors.useRecoveryCode,
  renewRecoveryCodes: secondFactors.renewRecoveryCodes,
  removeSecondFactor: secondFactors.removeSecondFactor,
  requireSecondFactor: secondFactors.requireSecondFactor,
  openSession: sessions.openSession,
  touchSession: sessions.touchSession,
  closeSession: sessions.closeSession,
  closeOtherSessions: sessions.closeOtherSessions,
  addAuditEntry: activity.addAuditEntry,
  dropFilesOfUnpaid: proofs.dropFilesOfUnpaid,
  saveDraftUpload: drafts.saveDraftUpload,
  deleteDraftUpload: drafts.deleteDraftUpload,
  deleteOldDraftUploads: drafts.deleteOldDraftUploads,
  recordClock,
  confirmClock,
  activate,
  saveEventFile: accounts.saveEventFile,
  processEarlierRegistrations,
  ping: accounts.ping,
  /** The writer runs this without a transaction (writer-worker.ts), and only if the database was lost. */
  rescue: (_sql: Sql, { dataDir }: RescuePlan): RescuedRows => throwNotLost(dataDir),
  pragmas: accounts.readPragmas,
}
export type Operations = Readonly<Record<string, (sql: Sql, ...args: never[]) => unknown>>
export type Call<V extends Operations> = <K extends keyof V & string>(
  verb: K,
  ...args: V[K] extends (sql: Sql, ...args: infer A) => unknown ? A : never
) => Promise<Awaited<ReturnType<V[K]>>>

function throwNotLost(folder: string): never {
  assert(false, `the database was not lost, so nothing is rescued into ${folder}`)
}
