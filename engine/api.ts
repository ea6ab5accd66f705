/** Entry point: the types of requests and responses between server and browser. */
export type {
  ActionResponse,
  ActionsResponse,
  SearchResponse,
  WireAction,
  WireApproval,
  WireEditableField,
  WireSearchResult,
  WireSecondPayment,
} from './api/actions.ts'
export { readLines, toWireCurrency, toWireLines } from './api/bill-lines.ts'
export type {
  ManualRegistrationResponse,
  ManualRegistrationFormResponse,
  SimilarRegistrationsResponse,
  WireSimilarRegistration,
} from './api/manual-registration.ts'
export type {
  CodesResponse,
  CodesCreatedResponse,
  DecisionResponse,
  DocumentsResponse,
  EventStats,
  ExchangeRatesResponse,
  ListResponse,
  ListRow,
  OfficeRegistrationResponse,
  WireDispute,
  ReviewsResponse,
  MemberListsResponse,
  StatsResponse,
  WireCode,
  WireReview,
} from './api/office.ts'
export type {
  EventFilesResponse,
  EventVersionsResponse,
  EmailsResponse,
  RecoveryResponse,
  RehearsalResponse,
  WireEventFile,
  WireMail,
  WireRecovery,
  VersionDifferenceResponse,
  VersionTextResponse,
  WireEventVersion,
  WireRehearsedDay,
} from './api/operations.ts'
export type {
  WireClaimField,
  WireManualPayment,
  WirePaymentClaim,
  WirePaymentInstructions,
} from './api/payment-methods.ts'
export type {
  DebtorsResponse,
  MonthClosedResponse,
  MonthResponse,
  MovementsResponse,
  OpenRefundsResponse,
  WireDebtor,
  WireMovement,
  WireMovementTotals,
  WireOpenRefund,
} from './api/payments.ts'
export type { BulkActionResponse, ReconcileResponse } from './api/reconciliation.ts'
export type {
  StatementDecisionResponse,
  StatementRemovedResponse,
  StatementLineState,
  StatementResponse,
  StatementUploadResponse,
  StatementsResponse,
  WireProposal,
  WireStatementLine,
  WireStatementSummary,
} from './api/statements.ts'
export {
  FONTS_ELEMENT_ID,
  type DiscountCodeResponse,
  type ErrorResponse,
  type EventResponse,
  type EventCard,
  type EventFile,
  type EventFileResponse,
  type EventsResponse,
  type PageData,
  type PaymentData,
  type UploadResponse,
  type RegisterResponse,
  type RegistrationResponse,
  type MemberRecordResponse,
  toWireQuote,
  type WireQuote,
  type WireReceivedAmount,
} from './api/registration.ts'
export type {
  SelfServiceResponse,
  WireCancellation,
  WireFile,
  WireRefusal,
} from './api/self-service.ts'
export type {
  PayoutsResponse,
  WireBankLine,
  SettlementHandledResponse,
  SettlementSavedResponse,
  SettlementsResponse,
  WirePayout,
  WireSettledLine,
  WireSettlement,
  WireUnsettledPayment,
} from './api/settlements.ts'
export { buildTariff, type AvailabilityResponse, type TariffResponse } from './api/price-list.ts'
export type {
  AccountResponse,
  AuditLogResponse,
  LoginResponse,
  OfficeEvent,
  PasswordLinkResponse,
  UsersResponse,
  UserUpdatedResponse,
  RecoveryCodesResponse,
  SecondFactorResponse,
  SessionResponse,
  WireAuditEntry,
  WireUser,
  WireSession,
} from './api/users.ts'
