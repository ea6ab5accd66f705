/** Every write, by name: what the writer thread runs and what `open.ts` may ask of it. */
import { assert } from '../../engine/index.ts'
import * as acts from './acts.ts'
import { keepMyList } from './my-lists.ts'
import { activate } from './activating.ts'
import * as accounts from './accounts.ts'
import * as activity from './activity.ts'
import * as approving from './approving.ts'
import * as cancelling from './cancelling.ts'
import { cameAgain, confirm } from './confirming.ts'
import * as correcting from './correcting.ts'
import * as clockBack from './clock-back.ts'
import { confirmClock, seeClock } from './clock-seen.ts'
import * as codes from './codes.ts'
import * as deciding from './deciding.ts'
import * as givingBack from './giving-back.ts'
import * as drafts from './drafts.ts'
import * as erasing from './erasing.ts'
import * as importing from './importing.ts'
import * as links from './links.ts'
import * as mails from './mails.ts'
import * as people from './people.ts'
import * as moneyActs from './money-acts.ts'
import * as refunds from './refunds.ts'
import * as proofs from './proofs.ts'
import * as settlements from './settlements.ts'
import { reportReturned } from './bank-references.ts'
import * as recovering from './recovering.ts'
import * as rolls from './rolls.ts'
import * as registering from './registering.ts'
import * as settling from './settling.ts'
import * as taking from './taking.ts'
import * as telling from './telling.ts'
import * as unknownOrders from './unknown-orders.ts'
import type { Sql } from './database.ts'
import type { Rescued } from './keeping-verbs.ts'

export const writes = {
  register: registering.register,
  blockedBy: taking.blockedBy,
  retry: registering.retry,
  handedAgain: registering.handedAgain,
  importRegistrations: importing.importRegistrations,
  recordNotice: settling.recordNotice,
  applyFact: settling.applyFact,
  asked: settling.asked,
  claimQuestion: settling.claimQuestion,
  claimed: settling.claimed,
  rearm: settling.rearm,
  clockWentBack: clockBack.clockWentBack,
  note: acts.note,
  askCancel: acts.askCancel,
  askRefund: acts.askRefund,
  erase: erasing.erase,
  dropEventFiles: erasing.dropEventFiles,
  sendMail: acts.sendMail,
  correct: correcting.correct,
  cancel: cancelling.cancel,
  approve: approving.approve,
  refuse: approving.refuse,
  acceptOffer: approving.acceptOffer,
  confirm,
  cameAgain,
  tell: telling.tell,
  notFound: telling.notFound,
  lapse: telling.lapse,
  reopen: telling.reopen,
  takeUp: telling.takeUp,
  refund: moneyActs.refund,
  handleRefund: moneyActs.handleRefund,
  decideFor: moneyActs.decideFor,
  decide: deciding.decide,
  wantRefund: givingBack.wantRefund,
  claimRefund: settling.claimRefund,
  refundTold: settling.refundTold,
  silentRefunds: refunds.silentRefunds,
  keepSettlement: settlements.keepSettlement,
  keepUnmatched: settlements.keepUnmatched,
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
  claimMail: mails.claimMail,
  mailSent: mails.mailSent,
  mailFailed: mails.mailFailed,
  hurryMails: mails.hurryMails,
  retryMails: mails.retryMails,
  addAdmin: people.addAdmin,
  setMay: people.setMay,
  removeAdmin: people.removeAdmin,
  setPassword: people.setPassword,
  addPasswordLink: people.addPasswordLink,
  usePasswordLink: people.usePasswordLink,
  wantSecondFactor: people.wantSecondFactor,
  confirmSecondFactor: people.confirmSecondFactor,
  takeStep: people.takeStep,
  takeRecoveryCode: people.takeRecoveryCode,
  renewRecoveryCodes: people.renewRecoveryCodes,
  dropSecondFactor: people.dropSecondFactor,
  requireSecondFactor: people.requireSecondFactor,
  openSession: people.openSession,
  touchSession: people.touchSession,
  closeSession: people.closeSession,
  closeOtherSessions: people.closeOtherSessions,
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
  /** Done by the writer without a transaction (writer.ts), and only where the database was lost. */
  rescue: (_sql: Sql, folder: string): Rescued => notLost(folder),
  pragmas: accounts.pragmas,
}
export type Verbs = Readonly<Record<string, (sql: Sql, ...args: never[]) => unknown>>
export type Call<V extends Verbs> = <K extends keyof V & string>(
  verb: K,
  ...args: V[K] extends (sql: Sql, ...args: infer A) => unknown ? A : never
) => Promise<ReturnType<V[K]>>

function notLost(folder: string): never {
  assert(false, `the database is where it was, and nothing is rescued into ${folder}`)
}
