/** Runtime entry point. The store's threads do not load `api.ts`, `messages.ts` or `authoring.ts`. */
export { isOneTypo } from './lib/edit-distance.ts'
export { escapeHtml } from './lib/html.ts'
export { LOGO_PATHS } from './lib/logo.ts'
export { memoize } from './lib/memoize.ts'
export {
  MAX_AMOUNT,
  formatPlainAmount,
  formatCurrency,
  getCurrencySymbol,
  getDecimals,
  formatAmount,
  formatCount,
  formatMoney,
  formatPrice,
  formatUnknownAmount,
  fromMajorUnits,
  INR,
  toAmount,
  readAmount,
  readCurrency,
  toMajorUnits,
  type Currency,
  type Money,
  type Amount,
} from './lib/money.ts'
export { splitPrice, splitTotal, computeIncludedTax } from './pricing/line-tax-and-rounding.ts'
export { assert, assertNever, err, expectOk, ok, getOwn, type Result } from './lib/result.ts'
export { computeContrast, computeThemeColors } from './lib/theme-colors.ts'
export {
  addDays,
  addMonths,
  countDaysBetween,
  day,
  dayOf,
  endOfDay,
  formatDay,
  formatDays,
  formatDayShort,
  formatInstant,
  formatPaidAt,
  formatTime,
  instant,
  isDay,
  formatIsoIndia,
  readInstant,
  isDayOnly,
  startOfDay,
  type Day,
  type Instant,
} from './lib/time.ts'
export { showDirectionMarks, toNfc } from './lib/unicode.ts'
export { removeForeignLinks, collectEventWords } from './lib/remove-links-from-user-text.ts'
export type { Answer, Answers, FieldErrors, RawAnswers, Scalar } from './event/answer-types.ts'
export type { ListValue } from './event/built-in-values.ts'
export type {
  AdminList,
  Button,
  Colour,
  Column,
  EventConfig,
  Gateway,
  Field,
  FieldType,
  Filter,
  Option,
  PublicEvent,
  SiteTexts,
  SummaryLine,
} from './event/config.ts'
export {
  matchesWithOneTypo,
  rankName,
  listTermsWithTypos,
  removeTitles,
} from './registration/name-matching.ts'
export { readDelegate } from './event/delegate-fields.ts'
export { STATES_OF_INDIA } from './event/gstin.ts'
export type { OfficeMethod, PaymentMethod, TransferMethod } from './event/payment-method-types.ts'
export type { Item, Quota, MemberList } from './event/pricing-types.ts'
export { listMethodsPricedOnCredit, toPublicEvent } from './event/public-event.ts'
export {
  isRegNo,
  createOrderId,
  getDigitCount,
  readOrderId,
  createRegNo,
  type OrderId,
  type RegNo,
} from './event/registration-number.ts'
export { RESERVED_ENDPOINTS } from './event/reserved-addresses.ts'
export { getClosedText, UNKNOWN_PAYMENT, type Site, type Social } from './event/site.ts'
export {
  formatAnswer,
  getButtonText,
  fillPlaceholders,
  fillKnownPlaceholders,
  getLabel,
  formatPerson,
  listPriceParts,
  formatUnit,
  getLowerCaseLabel,
  formatIdAsWords,
} from './event/placeholders-and-answer-texts.ts'
export { findContradiction, type Contradiction } from './rules/category-contradiction.ts'
export {
  findCategory,
  getCategoryLabel,
  listCurrenciesOfEvent,
  getCurrency,
} from './rules/category.ts'
export { matchesCondition } from './rules/conditions-and-operators.ts'
export { explainCategory, type CategoryExplanation } from './rules/explain-category.ts'
export {
  removeContext,
  CODE_NAME,
  METHOD_FIELD,
  extractContext,
  getFullQuotaName,
  getMemberListValueName,
  addContext,
  EMPTY_CONTEXT,
  type CodeStatus,
  type PricingContext,
  VALID_TO_COLUMN,
} from './rules/pricing-context.ts'
export {
  foldCode,
  getComparisonKey,
  foldText,
  listUniqueRules,
  type UniqueRule,
} from './answers/compare-answers.ts'
export { listConsentSentences, isConsentSentence } from './answers/consent-log-entry.ts'
export { suggestEmailAddress, getMailboxKey } from './answers/misspelt-email-domains.ts'
export {
  buildGatewayEmailMessage,
  GATEWAY_EMAIL_LENGTH,
  getInvalidMessage,
  isEmail,
} from './answers/field-types.ts'
export { buildFlatSchema, toSchema, createUiSchema } from './answers/json-schema.ts'
export {
  checkAnswers,
  findAnswerErrors,
  readFileName,
  normalise,
  listOfferedOptions,
  findVisibleFields,
} from './answers/normalize-answers.ts'
export { isBlank } from './answers/read-answer.ts'
export { validateWithSchema, toMessages } from './answers/validate-answers.ts'
export { formatLine } from './pricing/bill-lines.ts'
export type { AdjustmentPart, Line } from './pricing/bill-lines.ts'
export {
  getTablePrice,
  itemApplies,
  EACH_ROW,
  listSelectedOptions,
  findTable,
} from './pricing/bill.ts'
export {
  getListedPart,
  getListedItemPrice,
  getListedTaxText,
  computePaidPrice,
  getPaidTaxText,
  placeTaxTexts,
  formatTaxSentence,
} from './pricing/price-list-tax.ts'
export {
  sortEvents,
  hasDifferentLastDays,
  getLastDayOfFee,
  getLastPriceInstant,
  checkRegistrationOpen,
  withDeskDays,
  findPeriodOn,
  listPriceSteps,
  isEventOver,
  findItemPeriodOn,
  listPeriods,
  getPeriodLabel,
  listPeriodsOfCategory,
} from './pricing/price-periods.ts'
export {
  listSeatPools,
  findFirstFull,
  getSeatName,
  listRequiredSeats,
  buildFullSeatMessage,
  buildPublicAvailability,
  type SeatPool,
} from './pricing/quotas.ts'
export {
  buildPriceTable,
  buildPriceTables,
  quote,
  quoteCategory,
  quoteWithCategory,
  type Quote,
  type QuoteRefusal,
} from './pricing/quote.ts'
export { quoteByMethod, withMethod, listPricesOfOtherMethods } from './pricing/method-prices.ts'
export {
  TAX_FORMS,
  sumTaxableValue,
  type RateSummary,
  type TaxForm,
} from './pricing/invoice-tax.ts'
export { findNextPrice, listPriceRanges, type PriceRange } from './pricing/upcoming-prices.ts'
export { findApproval, isPricedOnCredit, computeDecisionDeadline } from './registration/approval.ts'
export {
  computeCancellationRefund,
  type CancellationRefund,
} from './registration/cancellation-refund.ts'
export { getApproval, quoteInCategory } from './registration/category-offer.ts'
export {
  correctRegistration,
  mergeRawAnswers,
  type CorrectedRegistration,
  type CorrectionRefusal,
} from './registration/correction.ts'
export {
  computeExpiryAfterApproval,
  computeExpiryAfterReopening,
  computeTransferExpiry,
} from './registration/expiry.ts'
export { findTransferTime, listHolderFields } from './registration/answers-after-transfer.ts'
export type { AnswerAction } from './registration/answers-after-transfer.ts'
export {
  findInvoiceErrors,
  isSameRecipient,
  readBuyer,
  removePreviousBuyer,
} from './registration/invoice-buyer.ts'
export {
  isAtLeast,
  isRole,
  canSee,
  ROLES,
  type PermissionHolder,
  type Role,
} from './registration/permissions.ts'
export { ROLE_DESCRIPTIONS, ROLE_LABELS } from './registration/role-labels.ts'
export {
  isSameEmail,
  listSearchTexts,
  listSharedDetails,
} from './registration/similar-registrations.ts'
export { listEditableFields, listFileFieldsToSubmit } from './registration/self-service-edits.ts'
export {
  ACTION_HISTORY_TEXTS,
  MAX_REASON_CHARACTERS,
  listAllowedActions,
  isActionName,
  checkAction,
  computeNextState,
  trimReason,
  type ActionName,
  type Actor,
  type ActionRefusal,
} from './registration/states-and-actions.ts'
export {
  STATE_LABELS,
  REGISTRATION_STATES,
  type RegistrationState,
  ENDED_LABEL,
  ENDED_STATES,
  getDueLabel,
  getStateLabel,
  getEndedText,
  isEnded,
  isPaymentStatus,
  getStatusText,
  type PaymentStatus,
} from './registration/registration-and-payment-states.ts'
export {
  isWorkQueueId,
  UNMATCHED_ID,
  UNMATCHED_LABEL,
  WORK_QUEUE,
  WORK_QUEUE_IDS,
  type WorkQueueId,
  type WireWorkQueueItem,
} from './registration/work-queue.ts'
export {
  calculateBalance,
  computePricePartOfPayments,
  computeRequiredAmount,
  type PaymentTotals,
} from './payments/balance.ts'
export {
  toBankKey,
  hasNonAsciiCharacters,
  isSlipNumber,
  isUtr,
  findReferenceKeys,
  listPossibleNumbers,
  listReferenceKeys,
  formatKey,
  explainInvalidReference,
  MAX_REFERENCE_CHARACTERS,
  splitWords,
  type BankKey,
} from './payments/bank-reference.ts'
export {
  findChequeNumber,
  listFallbackKeys,
  listLineKeys,
  restoreReferenceColumn,
  identifiesPayment,
  findLineUtrs,
  findStatementReferences,
  formatLineReference,
} from './payments/statement-references.ts'
export {
  readStatement,
  type StatementColumns,
  type StatementLine,
} from './payments/bank-statement-columns-and-lines.ts'
export {
  buildGatewayForm,
  getAccountPrefix,
  listEventsByAccount,
  listGatewayAccounts,
  listGatewayKinds,
  listCardMethodsOfAccount,
  toAccountKey,
  withCardMethod,
  withCardOf,
} from './payments/card-accounts.ts'
export type { GatewayKind } from './event/payment-method-types.ts'
export {
  MAX_ATTEMPTS,
  isInTime,
  isJustCreated,
  isOver,
  canPay,
  canRetry,
  owesDifference,
  getPaymentState,
  getPaymentTerms,
  type LastResponse,
  type PollResult,
} from './payments/can-pay.ts'
export {
  getAttemptHoldEnd,
  getLastDayOfOwnPrice,
  getPriceHoldEnd,
  getPriceUntil,
} from './pricing/price-hold.ts'
export { decideSamePerson, getPayerKey } from './payments/duplicate-payment.ts'
export {
  isGatewayPayment,
  isDeskPayment,
  isManualMethod,
  STATEMENT_METHODS,
  MANUAL_METHOD_IDS,
  findEarlyPayment,
  MAX_DAYS_BEFORE_REGISTRATION,
  REFUNDED_OUTSIDE,
  formatMethod,
  formatMethodInSentence,
  formatOfficeMethodInSentence,
  canPayIn,
  describeMethod,
  getReferenceLabel,
  type ManualMethod,
} from './payments/manual-payment.ts'
export {
  describeMethodFields,
  readMethodFields,
  readPaymentClaim,
  getMethodFileName,
  listMethodFiles,
} from './payments/payment-claim.ts'
export {
  findBankNumbers,
  acceptsCurrency,
  listDelegateMethods,
  isMethodOpen,
  listFrontDeskMethods,
  includesManualMethod,
  listOwnOfficeMethods,
  getManualMethodOfMode,
  takesPayments,
  findManualDeskMethod,
  findTransferMethod,
  buildUpiLink,
  findChosenMethod,
  findMethodFieldErrors,
  formatMisnamedMethod,
} from './payments/payment-methods.ts'
export {
  decideReview,
  getReviewVersion,
  listAllowedDecisions,
  checkGrounds,
  findReviewKind,
  checkRefundAmount,
  type Decision,
  type DecisionName,
  type DecisionRefusal,
  type DecisionGrounds,
  type MoveTarget,
  type Review,
} from './payments/payment-review.ts'
export {
  GATEWAY_CAPABILITIES,
  DEFAULT_GATEWAY,
  explainWhyTooLateToRefund,
  getGatewayMinimum,
  isGatewayKind,
  getGatewayKind,
  type GatewayKinds,
} from './payments/gateways/capabilities.ts'
export { checkSameAccount } from './payments/receiving-account.ts'
export {
  acceptPayment,
  applyPaymentEvent,
  closePayment,
  getReceivedCurrency,
  findFailure,
  findReviewReason,
  readReportedCurrency,
  UNDECIDED_REASON,
  updateReasonOfSecondPayment,
  type Failure,
  type Payment,
  type PaymentEvent,
  type PaymentRefusal,
  type ReportedRefund,
  type PaymentState,
} from './payments/payment.ts'
export {
  MIN_POLL_MS,
  isOpen,
  getNextPollTime,
  NO_RECORD_MS,
  UNDECIDED_MS,
  adjustWatchEnd,
  WATCH_MS,
  startWatch,
} from './payments/polling.ts'
export { reconcileStatement, type ReconciledLine } from './payments/reconciliation.ts'
export {
  canMatch,
  getDue,
  createPayerProposer,
  type KnownPayment,
  type KnownPayout,
  type UnpaidOrder,
} from './payments/statement-payer-proposals.ts'
export {
  findChangedDeductions,
  type Deductions,
  getLineKey,
  getTransferKey,
  readSettlement,
  type Settlement,
  type SettlementColumns,
  type SettlementLine,
} from './payments/settlement-report.ts'
export {
  mergeLines,
  checkSettlementLines,
  groupByPayout,
  SETTLED_WITHIN_DAYS,
  listUnsettledPayments,
  toOrderKey,
  type RecordedPayment,
  type RecordedOrder,
  type Payout,
  type SettledLine,
  type UnsettledPayment,
} from './payments/settlement.ts'
export {
  computeDocumentChange,
  type Charge,
  type DocumentChange,
} from './documents/document-lines.ts'
export { getFinancialYear, formatSerial } from './documents/document-number.ts'
export {
  createCreditNote,
  createDocument,
  getDocumentTitle,
  getStatedAmount,
  sumDocument,
  type DocumentBody,
  type DocumentKind,
  type ItemsPaidFor,
} from './documents/receipt-invoice-and-credit-note.ts'
export {
  isHeldEmails,
  createRecoveryCode,
  buildSeriesAfterRecovery,
  type HeldEmails,
} from './documents/recovery-series.ts'
export {
  SORT_NAMES,
  type MyList,
  type MyListsResponse,
  type SortName,
  type WireSums,
} from './reports/list-sorting-and-sums.ts'
export { MAX_LIST_ROWS, RECONCILIATION_ROWS } from './event/rows-per-page.ts'
export { REMINDER_INTERVAL_MS } from './registration/reminder-interval.ts'
export { listExportColumns } from './reports/export-columns.ts'
export {
  ACCOUNT_COLUMN,
  CURRENCY_COLUMN,
  listColumns,
  MONEY_COLUMNS,
  type RegistrationMoney,
} from './reports/list-columns.ts'
export { SALES_FILTER, buildSalesColumns, computeSalesValues } from './reports/sales-columns.ts'
export {
  buildSeatRows,
  buildSalesGroups,
  buildSalesRows,
  type SalesResponse,
  type SeatsResponse,
  type SalesGroup,
  type SalesSum,
} from './reports/sales-sums.ts'
export {
  MAX_RATE_AGE_DAYS,
  readRate,
  type ExchangeRate,
} from './documents/invoice-exchange-rate.ts'
export { buildIssuer, type Issuer } from './documents/issuer.ts'
