/** Lists every write by name: run by the writer thread, requested by `open-store.ts`. */
import { assert } from '../../../engine/index.ts'
import * as acts from '../registrations/apply-action.ts'
import { keepMyList } from '../lists/saved-views.ts'
import { activate } from '../events/activate-versions.ts'
import * as accounts from '../events/stored-event-files.ts'
import * as activity from '../staff/audit-log-entries.ts'
import * as approving from '../registrations/save-approval.ts'
import * as cancelling from '../registrations/cancel-registration.ts'
import { cameAgain, confirm } from '../payments/save-recorded-payment.ts'
import { priceOfDay } from '../payments/reprice-on-credit-date.ts'
import * as correcting from '../registrations/save-correction.ts'
import * as clockBack from '../recovery/clock-moved-back.ts'
import { confirmClock, seeClock } from '../recovery/last-trusted-time.ts'
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
import { claimRefund, refundTold, silentRefunds } from '../refunds/send-refunds.ts'
import * as proofs from '../files/drop-files-of-unpaid.ts'
import * as settlements from '../reconciliation/settlement-lines.ts'
import { keepUnmatched } from '../reconciliation/unmatched-lines.ts'
import { reportReturned } from '../reconciliation/references-in-review.ts'
import * as recovering from '../recovery/begin-and-end-recovery.ts'
import * as rolls from '../registrations/member-lists.ts'
import * as registering from '../registrations/insert-registration.ts'
import * as retrying from '../registrations/retry-payment.ts'
import { applyFact } from '../payments/apply-payment-events.ts'
import { asked, claimed, claimQuestion, rearm } from '../payments/gateway-queries.ts'
import { recordNotice } from '../payments/stored-gateway-messages.ts'
import * as taking from '../seats/reserve-seats.ts'
import * as expiring from '../payments/expire-and-reopen.ts'
import * as telling from '../payments/payment-claims.ts'
import * as unknownOrders from '../payments/unknown-orders.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Rescued, RescuePlan } from '../files/upload-and-clock-types.ts'

export const writes = {
  register: registering.register,
  blockedBy: taking.blockedBy,
  retry: retrying.retry,
  handedAgain: retrying.handedAgain,
  importRegistrations: importing.importRegistrations,
  recordNotice,
  applyFact,
  asked,
  claimQuestion,
  claimed,
  rearm,
  clockWentBack: clockBack.clockWentBack,
  note: acts.note,
  askCancel: acts.askCancel,
  askRefund: acts.askRefund,
  withdrawRefund: acts.withdrawRefund,
  erase: erasing.erase,
  dropEventFiles: erasing.dropEventFiles,
  sendMail: acts.sendMail,
  correct: correcting.correct,
  cancel: cancelling.cancel,
  approve: approving.approve,
  refuse: approving.refuse,
  acceptOffer: approving.acceptOffer,
  confirm,
  priceOfDay,
  cameAgain,
  tell: telling.tell,
  notFound: telling.notFound,
  lapse: expiring.lapse,
  reopen: expiring.reopen,
  takeUp: expiring.takeUp,
  refund: moneyActs.refund,
  handleRefund: moneyActs.handleRefund,
  decideFor: moneyActs.decideFor,
  decide: deciding.decide,
  wantRefund: givingBack.wantRefund,
  claimRefund,
  refundTold,
  silentRefunds,
  keepSettlement: settlements.keepSettlement,
  keepUnmatched,
  reportReturned,
  mark: recovering.mark,
  beginRecovery: recovering.beginRecovery,
  endRecovery: recovering.endRecovery,
  keepUnknownPayment: unknownOrders.keepUnknownPayment,
  noteUnknownOrder: unknownOrders.noteUnknownOrder,
  unknownUndecided: unknownOrders.unknownUndecided,
  unknownDecided: unknownOrders.unknownDecided,
  keepMyList,
  addLink: links.addLink,
  linkUsed: links.linkUsed,
  makeCodes: codes.makeCodes,
  withdrawCode: codes.withdrawCode,
  replaceRoll: rolls.replaceRoll,
  queueMail: mails.queueMail,
  queueAlready: mails.queueAlready,
  queueAsked: mails.queueAsked,
  queueLinks: mails.queueLinks,
  queueOnce: mails.queueOnce,
  queueUnfinished: mails.queueUnfinished,
  queueGivenBack: mails.queueGivenBack,
  claimMail: delivery.claimMail,
  mailSent: delivery.mailSent,
  mailFailed: delivery.mailFailed,
  hurryMails: delivery.hurryMails,
  retryMails: delivery.retryMails,
  addAdmin: users.addAdmin,
  setMay: users.setMay,
  removeAdmin: users.removeAdmin,
  setPassword: users.setPassword,
  addPasswordLink: users.addPasswordLink,
  usePasswordLink: users.usePasswordLink,
  wantSecondFactor: secondFactors.wantSecondFactor,
  confirmSecondFactor: secondFactors.confirmSecondFactor,
  takeStep: secondFactors.takeStep,
  takeRecoveryCode: secondFactors.takeRecoveryCode,
  renewRecoveryCodes: secondFactors.renewRecoveryCodes,
  dropSecondFactor: secondFactors.dropSecondFactor,
  requireSecondFactor: secondFactors.requireSecondFactor,
  openSession: sessions.openSession,
  touchSession: sessions.touchSession,
  closeSession: sessions.closeSession,
  closeOtherSessions: sessions.closeOtherSessions,
  audit: activity.audit,
  dropFiles: proofs.dropFiles,
  keepDraft: drafts.keepDraft,
  forgetDraft: drafts.forgetDraft,
  forgetOldDrafts: drafts.forgetOldDrafts,
  seeClock,
  confirmClock,
  activate,
  keepEventFile: accounts.keepEventFile,
  ping: accounts.ping,
  /** Done by the writer without a transaction (writer-worker.ts), and only where the database was lost. */
  rescue: (_sql: Sql, { dataDir }: RescuePlan): Rescued => notLost(dataDir),
  pragmas: accounts.pragmas,
}
export type Verbs = Readonly<Record<string, (sql: Sql, ...args: never[]) => unknown>>
export type Call<V extends Verbs> = <K extends keyof V & string>(
  verb: K,
  ...args: V[K] extends (sql: Sql, ...args: infer A) => unknown ? A : never
) => Promise<Awaited<ReturnType<V[K]>>>

function notLost(folder: string): never {
  assert(false, `the database is where it was, and nothing is rescued into ${folder}`)
}
