/** The only door into the engine: every name that somebody outside uses, under the file that knows it. */
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
export { composed } from './composed.ts'
export { remember } from './remember.ts'
export { assert, assertNever, err, expectOk, ok, own, type Result } from './outcome.ts'
export type {
  AdminList,
  Answer,
  Answers,
  Button,
  Colour,
  Column,
  Condition,
  EventConfig,
  Field,
  FieldErrors,
  Filter,
  Option,
  PublicEvent,
  RawAnswers,
  Section,
  SiteTexts,
  SummaryLine,
  Test,
} from './config.ts'
export type { Site, Social } from './site.ts'
export { UNKNOWN_PAYMENT } from './check/defaults.ts'
export type {
  ErrorAnswer,
  EventAnswer,
  EventCard,
  EventFile,
  EventFileAnswer,
  EventsAnswer,
  EventStats,
  ListAnswer,
  ListRow,
  LoginAnswer,
  OfficeEvent,
  OfficeRegistrationAnswer,
  PageData,
  PaymentData,
  RegisterAnswer,
  RegistrationAnswer,
  SessionAnswer,
  StatsAnswer,
  TariffAnswer,
  WireQuote,
} from './wire.ts'
export { type ListValue } from './values.ts'
export { publicEvent } from './public.ts'
export { delegateOf } from './roles.ts'
export { holds } from './conditions.ts'
export { checkAnswers, errorsOf, normalise, shownFields } from './answers.ts'
export { categoryOf, explainCategory, type CategoryExplained } from './category.ts'
export { openOn, periodOn } from './period.ts'
export { priceTable, quote, quoteFor, tariff, type Quote, type QuoteRefusal } from './quote.ts'
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
  applyFact,
  RUPEE_CODES,
  failureOf,
  reviewOf,
  type Failure,
  type Payment,
  type PaymentFact,
  type PaymentStatus,
} from './payment.ts'
export {
  ASK_AGAIN_MS_MIN,
  NO_RECORD_MS,
  UNDECIDED_MS,
  WATCHED_MS,
  isOpen,
  nextQuestion,
  watchFrom,
} from './asking.ts'
export {
  answerText,
  buttonText,
  fill,
  fillKnown,
  isPaymentStatus,
  labelOf,
  priceParts,
  readRegistration,
  statusText,
  valuesOf,
  words,
  type RegistrationView,
} from './texts.ts'
export {
  mailFor,
  orderIdToSay,
  receipt,
  resultRows,
  resultValues,
  saysNoMoneyWent,
  type ResultRow,
} from './result-pages.ts'
export { flatSchema, toSchema, uiSchema } from './schema.ts'
export { checkBySchema, toMessages } from './verdict.ts'
export { escapeHtml } from './html.ts'
export { contrast, lookOf } from './look.ts'
export type { SharedFiles, SourceText } from './check/source.ts'
export { hasErrors, type Finding } from './check/finding.ts'
export { compileEvent, compileEvents, readEvent } from './check/event.ts'
export type { KnownEvent } from './check/event.ts'
export { compilingFolder, type EventFolder, type FolderVerdict } from './check/folder.ts'
export { clashesAmong, strandedAmong } from './check/clashes.ts'
export { RESERVED_CALLS } from './reserved.ts'
export { countFindings, formatFindings } from './check/format.ts'
export { catalogue } from './check/catalogue.ts'
export { lineFinder } from './check/places.ts'
export { listed, nearest } from './check/near.ts'
export { runExamples, type ExampleResult } from './check/checks/examples.ts'
export { compareWithPast, type InUse } from './check/checks/past.ts'
export { axesOfCategory } from './check/proof/points.ts'
export { diffEvents, isEmptyDiff, sayDiff, type EventDiff } from './questions/diff.ts'
export { saySimulation, simulate } from './questions/simulate.ts'
export { explain, sayExplanation, sayTax, type Explanation } from './questions/explain.ts'
export {
  applyFixes,
  findingsAsGithub,
  findingsAsJson,
  findingsAsSarif,
} from './questions/formats.ts'
export { preview } from './questions/preview.ts'
export { eventIdFrom, newEventFile, prefixFor, type SampleOptions } from './questions/sample.ts'
export { QUESTIONS, readCategories, type Told } from './questions/interview.ts'
export { repeatEvent } from './questions/repeat.ts'
export { showEvent } from './questions/show.ts'
