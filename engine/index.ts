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
} from './money.ts'
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
} from './time.ts'
export { financialYearOf, serialText, STATES_OF_INDIA } from './gst.ts'
export { TAX_FORMS, taxableValue, type RateSummary, type TaxForm } from './tax.ts'
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
} from './documents.ts'
export { documentChange, type Charge, type DocumentChange } from './document-lines.ts'
export { invoiceErrors } from './invoice-address.ts'
export { ENDED_LABEL, ENDED_STATES, endedText, isEnded } from './ended.ts'
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
} from './pay-ways.ts'
export { readAsked, readTold, wayFileName, wayFiles } from './telling.ts'
export type { AddedAnswer, AddingAnswer } from './adding-wire.ts'
export type { WireAsk, WirePaying, WireTold } from './paying-wire.ts'
export { lapsedMail, notFoundMail, takenUpMail, toldMail, toPayMail } from './paying-mails.ts'
export { isOfGateway, isOfTheDesk, isWay, WAY_IDS, wayInSentence, wayOf, type Way } from './ways.ts'
export { composed } from './composed.ts'
export { CODE, NO_FACTS, type CodeFact, type Facts } from './facts.ts'
export { foldedCode, foldedFor, foldedText, uniqueRules, type UniqueRule } from './folded.ts'
export { remember } from './remember.ts'
export { assert, assertNever, err, expectOk, ok, own, type Result } from './outcome.ts'
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
} from './config.ts'
export type { Answer, Scalar, Answers, Condition, FieldErrors, RawAnswers, Test } from './answer.ts'
export { closedWords, UNKNOWN_PAYMENT, type Site, type Social } from './site.ts'
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
} from './wire.ts'
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
} from './office-wire.ts'
export { FACES } from './wire.ts'
export { type ListValue } from './values.ts'
export { readLines, wireLines, type AdjustmentPart, type Line } from './lines.ts'
export { publicEvent } from './public.ts'
export { agreedIn } from './agreed.ts'
export { delegateOf } from './roles.ts'
export { holds } from './conditions.ts'
export { answersAlone, factsAmong, fullOf, laidIn } from './facts.ts'
export { checkAnswers, errorsOf, fileName, normalise, shownFields } from './answers.ts'
export { cellOf, counts, EACH, optionsOf, tableOf } from './bill.ts'
export type { Item, Limit, Roll } from './sale.ts'
export { categoryOf, labelOfCategory } from './category.ts'
export { explainCategory, type CategoryExplained } from './category-explained.ts'
export { contradictionOf, type Contradiction } from './contradiction.ts'
export { nextPrice, stretchesFrom, type Stretch } from './coming.ts'
export { inOrder, lastDayOf, openOn, periodOn, priceSteps, tookPlace } from './period.ts'
export {
  allPlaces,
  firstFull,
  placeName,
  placesOf,
  sayFull,
  shownLeft,
  type Place,
} from './places.ts'
export {
  listedPart,
  listedPrice,
  listedTaxSentence,
  listedTaxText,
  paidPrice,
  paidTaxText,
} from './listed-prices.ts'
export {
  priceTable,
  quote,
  quoteFor,
  quoteOf,
  tariff,
  type Quote,
  type QuoteRefusal,
} from './quote.ts'
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
} from './may-pay.ts'
export {
  isRegNo,
  ORDER_ID_CHARACTERS_MAX,
  orderIdOf,
  randomDigits,
  readOrderId,
  regNoOf,
  type OrderId,
  type RegNo,
} from './numbers.ts'
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
} from './payment.ts'
export type {
  ActedAnswer,
  ActsAnswer,
  FoundAnswer,
  WireAct,
  WireFound,
  WireApproval,
  WireEditable,
  WireSecondPayment,
} from './acts-wire.ts'
export {
  cancelledMail,
  cheaperMail,
  differenceMail,
  givenBackMail,
  handedOverMail,
  payLinkMail,
  transferredMail,
} from './act-mails.ts'
export {
  bankKey,
  hasOtherLetters,
  isSlipNumber,
  isUtr,
  keysIn,
  REFERENCE_CHARACTERS_MAX,
  wordsOf,
  type BankKey,
} from './bank-reference.ts'
export {
  readStatement,
  type Statement,
  type StatementColumns,
  type StatementLine,
} from './statement.ts'
export type { BulkAnswer, ReconcileAnswer } from './reconcile-wire.ts'
export { reconcile, referencesIn, type Reconciled } from './reconciling.ts'
export type { Awaited, KnownPayment, PayoutKnown } from './known-references.ts'
export {
  lineKey,
  readSettlement,
  type Settlement,
  type SettlementColumns,
  type SettlementLine,
} from './settlement.ts'
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
} from './settled.ts'
export type {
  SettlementKeptAnswer,
  SettlementsAnswer,
  WirePayout,
  WireSettled,
  WireSettlement,
  WireUnsettled,
} from './settlement-wire.ts'
export { approvalOf, decideBy, payUntil } from './approving.ts'
export { approvalFor, quoteAs } from './offering.ts'
export { approvedMail, offerAcceptedMail, refusedMail, toApproveMail } from './approval-mails.ts'
export { corrected, rawWith, type Corrected, type CorrectionRefusal } from './correcting.ts'
export { balanceOf, pricePaidOf, requiredOf, type MoneyOfBill } from './balance.ts'
export { cancellationRefund, type CancellationRefund } from './cancelling.ts'
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
} from './acts.ts'
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
} from './review.ts'
export {
  ASK_AGAIN_MS_MIN,
  NO_RECORD_MS,
  UNDECIDED_MS,
  WATCHED_MS,
  isOpen,
  nextQuestion,
  watchAsAsked,
  watchFrom,
} from './asking.ts'
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
} from './texts.ts'
export {
  mailFor,
  orderIdToSay,
  receipt,
  CODE_LOOK,
  resultRows,
  resultValues,
  saysNoMoneyWent,
  type ResultRow,
} from './result-pages.ts'
export { LINK_PLACE, unfinishedMail } from './unfinished.ts'
export type { MyAnswer, WireCancel, WireFile, WireRefused } from './my-wire.ts'
export { linkPlaceIn, linksMail } from './lost-link.ts'
export { editableFields, filesToSend } from './own-page.ts'
export { alreadyMail } from './already.ts'
export { emailNotForGateway, GATEWAY_EMAIL_CHARACTERS, invalidOf, isEmail } from './fields.ts'
export { mailboxOf, mailboxMeant } from './mailbox.ts'
export { flatSchema, toSchema, uiSchema } from './schema.ts'
export { checkBySchema, toMessages } from './verdict.ts'
export { SOLD, soldColumns, soldValues } from './sold-columns.ts'
export { placeRows, soldRows, type SoldAnswer, type SoldSum } from './sold-sums.ts'
export { escapeHtml } from './html.ts'
export { contrast, lookOf } from './look.ts'
export { MARK } from './mark.ts'
export { RESERVED_CALLS } from './reserved.ts'
export { SORTS, type MyList, type MyListsAnswer, type SortName, type WireSums } from './listing.ts'
export {
  isWaitingId,
  UNMATCHED,
  UNMATCHED_LABEL,
  WAITING,
  WAITING_IDS,
  type WaitingId,
  type WireWaiting,
} from './waiting.ts'
export { isAtLeast, isRole, maySee, ROLE_SAYS, ROLES, type Person, type Role } from './may.ts'
export type { EventFilesAnswer, MailsAnswer, WireEventFile, WireMail } from './wire-machine.ts'
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
} from './wire-people.ts'
export { withoutForeignLinks, wordsOfEvent } from './foreign-links.ts'
export { ASK_REFUND, NO_REFUND_REQUEST, payerKey, secondPaymentMail } from './second-payment.ts'
export { LOST_LINK_PLACE, pausedMail } from './paused-mail.ts'
export { listColumns, MONEY_COLUMNS, type RegistrationMoney } from './money-columns.ts'
