/** Maps each write, by name, to its function. The writer thread runs these functions. */
import { assert } from '../../../engine/index.ts'
import * as actions from '../registrations/apply-action.ts'
import { saveView } from '../lists/saved-views.ts'
import { activate } from '../events/activate-versions.ts'
import { applyNewRulesToEarlierRegistrations } from '../events/apply-new-rules-to-earlier-registrations.ts'
import * as eventFiles from '../events/stored-event-files.ts'
import * as auditLog from '../staff/audit-log-entries.ts'
import * as approvals from '../registrations/save-approval.ts'
import * as cancellations from '../registrations/cancel-registration.ts'
import { recordExtraPayment, recordPayment } from '../payments/save-recorded-payment.ts'
import { repriceByCreditDate } from '../payments/reprice-and-restore-orders.ts'
import * as corrections from '../registrations/save-correction.ts'
import * as clockChanges from '../recovery/clock-moved-back.ts'
import { confirmClock, recordClock } from '../recovery/last-trusted-time.ts'
import * as discountCodes from '../registrations/discount-codes.ts'
import * as reviewDecisions from '../reviews/decide-reviews.ts'
import * as refundDecisions from '../refunds/request-and-approve-refunds.ts'
import * as drafts from '../files/stored-draft-uploads.ts'
import * as erasure from '../registrations/delete-personal-data.ts'
import * as imports from '../registrations/import-registrations.ts'
import * as accessLinks from '../registrations/access-links.ts'
import * as emailDelivery from '../mail/email-delivery.ts'
import * as emailQueue from '../mail/email-queue.ts'
import * as secondFactors from '../staff/second-factors.ts'
import * as sessions from '../staff/sessions.ts'
import * as users from '../staff/users.ts'
import * as reviewActions from '../reviews/review-actions.ts'
import {
  claimRefund,
  recordFailedRefunds,
  recordRefundResponse,
  markUnansweredRefunds,
} from '../refunds/send-refunds.ts'
import * as unpaidFiles from '../files/drop-files-of-unpaid.ts'
import { removeBankStatement } from '../reconciliation/remove-statement.ts'
import { handleSettlementLine } from '../reconciliation/settlement-line-decisions.ts'
import * as settlements from '../reconciliation/settlement-lines.ts'
import * as savedStatements from '../reconciliation/saved-statements.ts'
import { saveUnmatchedLines, sendBankLineToReview } from '../reconciliation/unmatched-lines.ts'
import { reviewReturnedTransfers } from '../reconciliation/references-in-review.ts'
import * as recovery from '../recovery/begin-and-end-recovery.ts'
import { recordBrowser } from '../registrations/same-person.ts'
import * as memberLists from '../registrations/member-lists.ts'
import * as registrations from '../registrations/insert-registration.ts'
import * as retries from '../registrations/retry-payment.ts'
import { applyPaymentEvent } from '../payments/apply-payment-events.ts'
import {
  recordStatusQuery,
  noteClaimedPayment,
  reserveStatusQuery,
  scheduleGatewayQueries,
} from '../payments/gateway-queries.ts'
import { recordGatewayMessage } from '../payments/stored-gateway-messages.ts'
import * as seats from '../seats/reserve-seats.ts'
import * as expiry from '../payments/expire-and-reopen.ts'
import * as paymentClaims from '../payments/payment-claims.ts'
import { recordCheckout, recordWebhookEvent } from '../reconciliation/gateway-checkouts.ts'
import { addDispute, postponeDisputeQuery, recordDispute } from '../reconciliation/disputes.ts'
import { saveExchangeRate } from '../documents/exchange-rates.ts'
import { closeMonth } from '../reports/month-closings.ts'
import { issueWaitingInvoices } from '../documents/issue-waiting-invoices.ts'
import * as unknownOrders from '../payments/unknown-orders.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { LostPermission, StaffSender } from '../staff/staff-types.ts'
import type { RescuedRows, RescuePlan } from '../files/upload-and-clock-types.ts'

/** Runs a write for a user of the office, unless they have lost their session or permissions since the request. */
async function runForSender(
  sql: Sql,
  sender: StaffSender,
  verb: string,
  args: readonly unknown[],
): Promise<unknown> {
  const lostPermission = await sessions.findLostPermission(sql, sender)
  if (lostPermission !== null) return { lostPermission } satisfies LostPermission
  const operations = writes as unknown as Operations
  return operations[verb]?.(sql, ...(args as never[]))
}

export const writes = {
  runForSender,
  register: registrations.register,
  duplicateRegistration: seats.findDuplicateRegistration,
  retry: retries.retryPayment,
  resumePayment: retries.resumePayment,
  importRegistrations: imports.importRegistrations,
  recordGatewayMessage,
  recordCheckout,
  recordWebhookEvent,
  addDispute,
  recordDispute,
  postponeDisputeQuery,
  applyPaymentEvent,
  recordStatusQuery,
  claimStatusQuery: reserveStatusQuery,
  noteClaimedPayment,
  scheduleGatewayQueries,
  rescheduleAfterClockChange: clockChanges.rescheduleAfterClockChange,
  addNote: actions.addNote,
  undoNote: actions.undoNote,
  requestCancellation: actions.requestCancellation,
  requestSecondPaymentRefund: actions.requestSecondPaymentRefund,
  withdrawRefundRequest: actions.withdrawRefundRequest,
  erasePersonalData: erasure.erasePersonalData,
  deleteUploadsOfEvent: erasure.deleteUploadsOfEvent,
  sendMail: actions.sendMail,
  correct: corrections.correct,
  cancel: cancellations.cancel,
  approve: approvals.approve,
  rejectApplication: approvals.rejectApplication,
  acceptOffer: approvals.acceptOffer,
  recordPayment,
  repriceByCreditDate,
  recordExtraPayment,
  addPaymentClaim: paymentClaims.addPaymentClaim,
  rejectPaymentClaim: paymentClaims.rejectPaymentClaim,
  expire: expiry.expireRegistration,
  undoExpiry: expiry.undoExpiry,
  reopenExpired: expiry.reopenExpired,
  refund: reviewActions.refund,
  markRefundHandled: reviewActions.markRefundHandled,
  decideReviewOfRegistration: reviewActions.decideReviewOfRegistration,
  decideReview: reviewDecisions.decideReview,
  requestRefund: refundDecisions.requestRefund,
  claimRefund,
  recordFailedRefunds,
  recordRefundResponse,
  markUnansweredRefunds,
  saveSettlement: settlements.saveSettlement,
  handleSettlementLine,
  saveUnmatchedLines,
  sendBankLineToReview,
  saveBankStatement: savedStatements.saveBankStatement,
  decideBankLine: savedStatements.decideBankLine,
  removeBankStatement,
  saveStatementMatches: savedStatements.saveStatementMatches,
  saveExchangeRate,
  closeMonth,
  issueWaitingInvoices,
  reportReturned: reviewReturnedTransfers,
  identifyDatabase: recovery.identifyDatabase,
  beginRecovery: recovery.beginRecovery,
  endRecovery: recovery.endRecovery,
  reviewUnknownPayment: unknownOrders.reviewUnknownPayment,
  addUnknownOrder: unknownOrders.addUnknownOrder,
  postponeUnknownOrder: unknownOrders.postponeUnknownOrder,
  closeUnknownOrder: unknownOrders.closeUnknownOrder,
  saveView,
  addAccessLink: accessLinks.addAccessLink,
  recordBrowser: recordBrowser,
  recordLinkUse: accessLinks.recordLinkUse,
  createDiscountCodes: discountCodes.createDiscountCodes,
  withdrawDiscountCode: discountCodes.withdrawDiscountCode,
  replaceMemberList: memberLists.replaceMemberList,
  queueMail: emailQueue.queueMail,
  queueAlreadyRegistered: emailQueue.queueAlreadyRegistered,
  queueConfirmationAgain: emailQueue.queueConfirmationAgain,
  queueAccessLinks: emailQueue.queueAccessLinks,
  queueOnce: emailQueue.queueOnce,
  queuePaymentReminder: emailQueue.queuePaymentReminder,
  queueRefundEmail: emailQueue.queueRefundEmail,
  claimMail: emailDelivery.claimMail,
  mailSent: emailDelivery.markMailSent,
  mailFailed: emailDelivery.markMailFailed,
  makeUnreachedEmailsDue: emailDelivery.makeUnreachedEmailsDue,
  retryMails: emailDelivery.retryMails,
  addAdmin: users.addAdmin,
  setPermissions: users.setPermissions,
  removeAdmin: users.removeAdmin,
  setPassword: users.setPassword,
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
  addAuditEntry: auditLog.addAuditEntry,
  dropFilesOfUnpaid: unpaidFiles.dropFilesOfUnpaid,
  saveDraftUpload: drafts.saveDraftUpload,
  deleteDraftUpload: drafts.deleteDraftUpload,
  deleteOldDraftUploads: drafts.deleteOldDraftUploads,
  recordClock,
  confirmClock,
  activate,
  saveEventFile: eventFiles.saveEventFile,
  applyNewRulesToEarlierRegistrations,
  ping: eventFiles.ping,
  /** The writer runs `rescue` without a transaction (writer-worker.ts), and only if the database was lost. */
  rescue: (_sql: Sql, { dataDir }: RescuePlan): RescuedRows => throwNotLost(dataDir),
  pragmas: eventFiles.readPragmas,
}
export type Operations = Readonly<Record<string, (sql: Sql, ...args: never[]) => unknown>>
export type Call<V extends Operations> = <K extends keyof V & string>(
  verb: K,
  ...args: V[K] extends (sql: Sql, ...args: infer A) => unknown ? A : never
) => Promise<Awaited<ReturnType<V[K]>>>

function throwNotLost(folder: string): never {
  assert(false, `the database was not lost, so nothing is rescued into ${folder}`)
}
