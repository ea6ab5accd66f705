/**
 * The engine's door for what runs: registrations, prices, payments, pages. What reads and judges event files has a door of
 * its own (`files.ts`): it is eight times as much code, and the threads of the store need none of it.
 */
export {
  AMOUNT_MAX,
  amountText,
  formatAmount,
  formatCount,
  formatMoney,
  formatPrice,
  fromRupees,
  NO_MONEY,
  paise,
  readAmount,
  rupees,
  split,
  splitTotal,
  taxWithin,
  type Paise,
  type Tax,
} from './lib/money.ts'
export {
  addDays,
  day,
  dayOf,
  endOf,
  formatDay,
  formatDays,
  formatDayShort,
  formatInstant,
  formatTime,
  instant,
  isDay,
  isoIndia,
  readInstant,
  startOf,
  type Day,
  type Instant,
} from './lib/time.ts'
export { financialYearOf, serialText, STATES_OF_INDIA } from './documents/gst.ts'
export { TAX_FORMS, taxableValue, type RateSummary, type TaxForm } from './documents/tax.ts'
export {
  creditOf,
  documentOf,
  documentTitle,
  statedAmount,
  issuerOf,
  sumOf,
  type DocumentBody,
  type DocumentKind,
  type DocumentsAnswer,
  type Issuer,
  type Sold,
} from './documents/documents.ts'
export { documentChange, type Charge, type DocumentChange } from './documents/document-lines.ts'
export { invoiceErrors } from './documents/buyer-address.ts'
export { ENDED_LABEL, ENDED_STATES, endedText, isEnded } from './registration/ended-registration.ts'
export {
  bankNumbers,
  delegateWays,
  isWayOpen,
  lapseOf,
  takesMoney,
  transferWay,
  upiLink,
  WAY_FIELD,
  wayFor,
  type DeskWay,
  type PayWay,
  type TransferWay,
} from './payments/payment-methods.ts'
export { readAsked, readTold, wayFileName, wayFiles } from './payments/payment-claim.ts'
export type { AddedAnswer, AddingAnswer } from './api/manual-registration.ts'
export type { WireAsk, WirePaying, WireTold } from './api/payment-methods.ts'
export { lapsedMail, notFoundMail, takenUpMail, toldMail, toPayMail } from './messages/payment-emails.ts'
export { isOfGateway, isOfTheDesk, isWay, WAY_IDS, wayInSentence, wayOf, type Way } from './payments/manual-payment.ts'
export { composed } from './lib/unicode.ts'
export { CODE, NO_FACTS, type CodeFact, type Facts } from './rules/pricing-context.ts'
export { foldedCode, foldedFor, foldedText, uniqueRules, type UniqueRule } from './answers/compare-answers.ts'
export { remember } from './lib/memoize.ts'
export { assert, assertNever, err, expectOk, ok, own, type Result } from './lib/result.ts'
export type {
  AdminList,
  Button,
  Colour,
  Column,
  EventConfig,
  Field,
  FieldType,
  Filter,
  Option,
  PublicEvent,
  Section,
  SiteTexts,
  SummaryLine,
} from './event/config.ts'
export type { Answer, Scalar, Answers, Condition, FieldErrors, RawAnswers, Test } from './event/answer-types.ts'
export { closedWords, UNKNOWN_PAYMENT, type Site, type Social } from './event/site.ts'
export type {
  CodeAnswer,
  ProofAnswer,
  RollAnswer,
  ErrorAnswer,
  EventAnswer,
  EventCard,
  EventFile,
  EventFileAnswer,
  EventsAnswer,
  PageData,
  PaymentData,
  RegisterAnswer,
  RegistrationAnswer,
  TariffAnswer,
  WireQuote,
} from './api/registration.ts'
export type {
  CodesAnswer,
  CodesMadeAnswer,
  RollsAnswer,
  WireCode,
  EventStats,
  ListAnswer,
  ListRow,
  OfficeRegistrationAnswer,
  DecidedAnswer,
  ReviewsAnswer,
  StatsAnswer,
  WireReview,
} from './api/office.ts'
export { FACES } from './api/registration.ts'
export { type ListValue } from './event/built-in-values.ts'
export { readLines, wireLines, type AdjustmentPart, type Line } from './pricing/bill-lines.ts'
export { publicEvent } from './event/public-event.ts'
export { agreedIn } from './answers/consent.ts'
export { delegateOf } from './event/delegate-fields.ts'
export { holds } from './rules/evaluate-condition.ts'
export { answersAlone, factsAmong, fullOf, laidIn } from './rules/pricing-context.ts'
export { checkAnswers, errorsOf, fileName, normalise, shownFields } from './answers/normalize-answers.ts'
export { cellOf, counts, EACH, optionsOf, tableOf } from './pricing/bill.ts'
export type { Item, Limit, Roll } from './event/pricing-types.ts'
export { categoryOf, labelOfCategory } from './rules/category.ts'
export { explainCategory, type CategoryExplained } from './rules/explain-category.ts'
export { contradictionOf, type Contradiction } from './rules/category-contradiction.ts'
export { nextPrice, stretchesFrom, type Stretch } from './pricing/upcoming-prices.ts'
export { inOrder, lastDayOf, openOn, periodOn, priceSteps, tookPlace } from './pricing/price-periods.ts'
export {
  allPlaces,
  firstFull,
  placeName,
  placesOf,
  sayFull,
  shownLeft,
  type Place,
} from './pricing/quotas.ts'
export {
  listedPart,
  listedPrice,
  listedTaxSentence,
  listedTaxText,
  paidPrice,
  paidTaxText,
} from './pricing/price-list-tax.ts'
export {
  priceTable,
  quote,
  quoteFor,
  quoteOf,
  tariff,
  type Quote,
  type QuoteRefusal,
} from './pricing/quote.ts'
export {
  ATTEMPTS_MAX,
  heldUntil,
  holdOf,
  inTime,
  isJustPlaced,
  isOver,
  mayPay,
  mayTry,
  owesDifference,
  standing,
  termsOf,
  type LastAnswer,
  type Learnt,
} from './payments/can-pay.ts'
export {
  isRegNo,
  ORDER_ID_CHARACTERS_MAX,
  orderIdOf,
  randomDigits,
  readOrderId,
  regNoOf,
  type OrderId,
  type RegNo,
} from './event/registration-number.ts'
export {
  acceptedAs,
  applyFact,
  endedWithout,
  RUPEE_CODES,
  UNDECIDED,
  failureOf,
  reviewOf,
  type Failure,
  type Payment,
  type PaymentFact,
  type PaymentRefusal,
  type PaymentStatus,
  type RefundSaid,
  type Stands,
} from './payments/payment.ts'
export type {
  ActedAnswer,
  ActsAnswer,
  FoundAnswer,
  WireAct,
  WireFound,
  WireApproval,
  WireEditable,
  WireSecondPayment,
} from './api/actions.ts'
export {
  cancelledMail,
  cheaperMail,
  differenceMail,
  givenBackMail,
  handedOverMail,
  payLinkMail,
  transferredMail,
} from './messages/action-emails.ts'
export {
  bankKey,
  hasOtherLetters,
  isSlipNumber,
  isUtr,
  keysIn,
  keysOfReference,
  REFERENCE_CHARACTERS_MAX,
  wordsOf,
  type BankKey,
} from './payments/bank-reference.ts'
export { readStatement, type Statement, type StatementColumns } from './payments/bank-statement.ts'
export type { BulkAnswer, ReconcileAnswer } from './api/reconciliation.ts'
export { reconcile, referencesIn, type Reconciled } from './payments/reconciliation.ts'
export type { Awaited, KnownPayment, PayoutKnown } from './payments/known-references.ts'
export {
  lineKey,
  readSettlement,
  type Settlement,
  type SettlementColumns,
  type SettlementLine,
} from './payments/settlement-report.ts'
export {
  joinLines,
  judgeSettled,
  payouts,
  SETTLED_WITHIN_DAYS,
  unsettled,
  type HeldMoney,
  type HeldOrder,
  type Payout,
  type Settled,
  type Unsettled,
} from './payments/settlement.ts'
export type {
  SettlementKeptAnswer,
  SettlementsAnswer,
  WirePayout,
  WireSettled,
  WireSettlement,
  WireUnsettled,
} from './api/settlements.ts'
export { approvalOf, decideBy, payUntil } from './registration/approval.ts'
export { approvalFor, quoteAs } from './registration/category-offer.ts'
export { approvedMail, offerAcceptedMail, refusedMail, toApproveMail } from './messages/approval-emails.ts'
export { corrected, rawWith, type Corrected, type CorrectionRefusal } from './registration/correction.ts'
export { balanceOf, pricePaidOf, requiredOf, type MoneyOfBill } from './payments/balance.ts'
export { cancellationRefund, type CancellationRefund } from './registration/cancellation-refund.ts'
export {
  ACT_DONE,
  allowedActs,
  isActName,
  judgeAct,
  stateAfter,
  STATE_WORDS,
  STATES,
  type ActName,
  type ActRefusal,
  type Actor,
  type RegistrationState,
} from './registration/states-and-actions.ts'
export {
  decide,
  decisionsFor,
  groundsOf,
  kindOfMoney,
  partOf,
  type Decision,
  type DecisionName,
  type DecisionRefusal,
  type Grounds,
  type MoveTarget,
  type Review,
} from './payments/payment-review.ts'
export {
  ASK_AGAIN_MS_MIN,
  NO_RECORD_MS,
  UNDECIDED_MS,
  WATCHED_MS,
  isOpen,
  nextQuestion,
  watchAsAsked,
  watchFrom,
} from './payments/polling.ts'
export {
  answerText,
  unitText,
  buttonText,
  fill,
  fillKnown,
  isPaymentStatus,
  labelOf,
  wordFor,
  personText,
  priceParts,
  readRegistration,
  statusText,
  transactionIdOf,
  valuesOf,
  words,
  type RegistrationView,
} from './event/texts.ts'
export {
  mailFor,
  orderIdToSay,
  receipt,
  CODE_LOOK,
  resultRows,
  resultValues,
  saysNoMoneyWent,
  type ResultRow,
} from './messages/result-pages.ts'
export { LINK_PLACE, unfinishedMail } from './messages/unpaid-reminder-email.ts'
export type { MyAnswer, WireCancel, WireFile, WireRefused } from './api/self-service.ts'
export { linkPlaceIn, linksMail } from './messages/lost-link-email.ts'
export { editableFields, filesToSend } from './registration/self-service.ts'
export { alreadyMail } from './messages/already-registered-email.ts'
export { emailNotForGateway, GATEWAY_EMAIL_CHARACTERS, invalidOf, isEmail } from './answers/field-types.ts'
export { mailboxOf, mailboxMeant } from './answers/email-typos.ts'
export { flatSchema, toSchema, uiSchema } from './answers/json-schema.ts'
export { checkBySchema, toMessages } from './answers/validate-answers.ts'
export { SOLD, soldColumns, soldValues } from './reports/sales-columns.ts'
export { placeRows, soldRows, type SoldAnswer, type SoldSum } from './reports/sales-sums.ts'
export { escapeHtml } from './lib/html.ts'
export { contrast, lookOf } from './lib/theme-colors.ts'
export { MARK } from './lib/logo.ts'
export { RESERVED_CALLS } from './event/reserved-addresses.ts'
export { SORTS, type MyList, type MyListsAnswer, type SortName, type WireSums } from './reports/list-columns.ts'
export { isWaitingId, UNMATCHED, UNMATCHED_LABEL, WAITING, WAITING_IDS } from './registration/work-queue.ts'
export type { WaitingId, WireWaiting } from './registration/work-queue.ts'
export { isAtLeast, isRole, maySee, ROLE_SAYS, ROLES, type Person, type Role } from './registration/permissions.ts'
export { isHeldMails, recoveryCode, seriesAfter, type HeldMails } from './documents/recovery-series.ts'
export type { EventFilesAnswer, MailsAnswer, WireEventFile, WireMail } from './api/operations.ts'
export type { RecoveryAnswer, WireRecovery } from './api/operations.ts'
export type {
  AccountAnswer,
  ActivityAnswer,
  PasswordLinkAnswer,
  PeopleAnswer,
  PersonChangedAnswer,
  RecoveryCodesAnswer,
  SecondFactorAnswer,
  WireActivity,
  WirePerson,
  WireSession,
  LoginAnswer,
  OfficeEvent,
  SessionAnswer,
} from './api/users.ts'
export { withoutForeignLinks, wordsOfEvent } from './lib/untrusted-text.ts'
export { ASK_REFUND, NO_REFUND_REQUEST, payerKey, secondPaymentMail } from './payments/duplicate-payment.ts'
export { LOST_LINK_PLACE, pausedMail } from './messages/paused-emails.ts'
export { listColumns, MONEY_COLUMNS, type RegistrationMoney } from './reports/money-columns.ts'
