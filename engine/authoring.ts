/** Entry point for event-file tools: read, check, explain, compare and create event files. */
export type { SharedFiles, SourceText } from './event/source-files.ts'
export { hasErrors, type Finding } from './authoring/finding.ts'
export { compileEvent, compileEvents, readEvent } from './authoring/check-event.ts'
export type { CachedEvent } from './authoring/check-event.ts'
export {
  compileFolderStepwise,
  type EventFolder,
  type CheckedFolder,
} from './authoring/check-folder.ts'
export { findClashes, findEventsWithDeadButtons } from './authoring/event-clashes.ts'
export { countFindings, formatFindings } from './authoring/format-findings.ts'
export { catalogue } from './authoring/finding-catalogue.ts'
export { isSameApartFromNames, renameKeys } from './authoring/schema/renamed-keys.ts'
export { createLineFinder } from './authoring/syntax/source-positions.ts'
export { collapseEmptyLines, removeComments } from './authoring/syntax/strip-comments.ts'
export { formatList, findNearest } from './authoring/suggestions/nearest-name.ts'
export {
  readExampleContext,
  runExamples,
  type ExampleResult,
} from './authoring/checks/examples/example-results.ts'
export { compareWithServedVersion } from './authoring/checks/stored-registrations/broken-registrations.ts'
export { collectChangedValues } from './authoring/checks/stored-registrations/stored-data.ts'
export type {
  CountedValues,
  UsageCounts,
} from './authoring/checks/stored-registrations/stored-data.ts'
export { findPriceFields } from './authoring/tools/price-fields.ts'
export { ALL_OTHERS, buildPriceList, listRuleGroups } from './authoring/tools/price-list.ts'
export { diffEvents, isEmptyDiff, type EventDiff } from './authoring/tools/diff/diff.ts'
export { formatDiff } from './authoring/tools/diff/format-diff.ts'
export { describeDiff, type ChangeGroup } from './authoring/tools/diff/describe-diff.ts'
export { writeMissingExamples } from './authoring/checks/examples/missing-examples.ts'
export { listCalendarDays, type CalendarDay } from './authoring/tools/event-calendar.ts'
export {
  formatExtremeBills,
  formatSimulation,
  simulatePrices,
} from './authoring/tools/simulate-prices.ts'
export {
  explainPrice,
  formatExplanation,
  type Explanation,
} from './authoring/tools/explain-price.ts'
export { formatTax, getPricesPath } from './authoring/tools/explain-bill-lines.ts'
export { readContext } from './authoring/tools/context-arguments.ts'
export { applyFixes } from './authoring/apply-fixes.ts'
export { formatAsGithub, formatAsJson, formatAsSarif } from './authoring/tools/export-findings.ts'
export { renderPreview } from './authoring/tools/preview.ts'
export {
  deriveEventId,
  findNextPrefix,
  findPrefix,
  suggestEventId,
} from './authoring/tools/new-event/event-id.ts'
export { createEventFile } from './authoring/tools/new-event/event-file.ts'
export { QUESTIONS } from './authoring/tools/new-event/questions.ts'
export { DETAIL_QUESTIONS } from './authoring/tools/new-event/questions/detail-questions.ts'
export type { Question } from './authoring/tools/new-event/questions/question.ts'
export {
  readRefundSteps,
  splitRefundSteps,
} from './authoring/tools/new-event/questions/refund-steps.ts'
export { readFees, type FeeProblem } from './authoring/tools/new-event/check-fees.ts'
export {
  closePeriod,
  listClosedDays,
  listColumnLabels,
} from './authoring/tools/new-event/fee-table/closed-periods.ts'
export { askAboutCurrency } from './authoring/tools/new-event/fee-table/currency.ts'
export { listRowRemarks } from './authoring/tools/new-event/category-remarks.ts'
export {
  explainNote,
  readNote,
  type NoteMeaning,
} from './authoring/tools/new-event/fee-table/notes.ts'
export { readFeeTable } from './authoring/tools/new-event/fee-table.ts'
export {
  readItemRow,
  readItemTable,
  readItemTables,
} from './authoring/tools/new-event/fee-table/item-table.ts'
export { readLastPricesAsSeats } from './authoring/tools/new-event/fee-table/seats.ts'
export {
  askAboutSeats,
  continuesWorkshop,
  findWorkshopName,
  listItemColumns,
  readCompanionTable,
  readWorkshopTable,
} from './authoring/tools/new-event/check-items.ts'
export type { FeeTable, ItemRow, ItemTable } from './authoring/tools/new-event/fee-table/parts.ts'
export type { NewEventAnswers, SampleOptions } from './authoring/tools/new-event/sample-options.ts'
export { readCategories } from './authoring/tools/new-event/prices.ts'
export { isFeeTable } from './authoring/tools/new-event/fee-table/cells.ts'
export { repeatEvent } from './authoring/tools/repeat-event.ts'
export { suggestCurrency } from './authoring/suggestions/currency-notations.ts'
export { showEvent } from './authoring/tools/show-event.ts'
