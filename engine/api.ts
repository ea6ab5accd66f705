/** Entry point: the types of requests and answers, which server and browser exchange. */
export type {
  ActionDoneAnswer,
  ActionsAnswer,
  FoundAnswer,
  WireAction,
  WireApproval,
  WireEditable,
  WireFound,
  WireSecondPayment,
} from './api/actions.ts'
export { readLines, toWireCurrency, toWireLines } from './api/bill-lines.ts'
export type { AddedAnswer, AddingAnswer } from './api/manual-registration.ts'
export type {
  CodesAnswer,
  CodesMadeAnswer,
  DecidedAnswer,
  DocumentsAnswer,
  EventStats,
  ListAnswer,
  ListRow,
  OfficeRegistrationAnswer,
  ReviewsAnswer,
  MemberListsAnswer,
  StatsAnswer,
  WireCode,
  WireReview,
} from './api/office.ts'
export type {
  EventFilesAnswer,
  MailsAnswer,
  RecoveryAnswer,
  WireEventFile,
  WireMail,
  WireRecovery,
} from './api/operations.ts'
export type { WireAsk, WirePaying, WirePaymentClaim } from './api/payment-methods.ts'
export type { BulkAnswer, ReconcileAnswer } from './api/reconciliation.ts'
export {
  FONTS_ELEMENT_ID,
  type CodeAnswer,
  type ErrorAnswer,
  type EventAnswer,
  type EventCard,
  type EventFile,
  type EventFileAnswer,
  type EventsAnswer,
  type PageData,
  type PaymentData,
  type ProofAnswer,
  type RegisterAnswer,
  type RegistrationAnswer,
  type MemberRecordAnswer,
  toWireQuote,
  type WireQuote,
} from './api/registration.ts'
export type { MyAnswer, WireCancel, WireFile, WireRefused } from './api/self-service.ts'
export type {
  SettlementKeptAnswer,
  SettlementsAnswer,
  WirePayout,
  WireSettled,
  WireSettlement,
  WireUnsettled,
} from './api/settlements.ts'
export { buildTariff, type AvailabilityAnswer, type TariffAnswer } from './api/price-list.ts'
export type {
  AccountAnswer,
  ActivityAnswer,
  LoginAnswer,
  OfficeEvent,
  PasswordLinkAnswer,
  UsersAnswer,
  UserChangedAnswer,
  RecoveryCodesAnswer,
  SecondFactorAnswer,
  SessionAnswer,
  WireActivity,
  WireUser,
  WireSession,
} from './api/users.ts'
