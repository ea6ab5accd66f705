/** The engine's door for event files: reading, judging, and the questions one asks of them. Every name that somebody outside uses. */
export type { SharedFiles, SourceText } from './check/source.ts'
export { hasErrors, type Finding } from './check/finding.ts'
export { compileEvent, compileEvents, readEvent } from './check/event.ts'
export type { KnownEvent } from './check/event.ts'
export { compilingFolder, type EventFolder, type FolderVerdict } from './check/folder.ts'
export { clashesAmong, strandedAmong } from './check/clashes.ts'
export { countFindings, formatFindings } from './check/format.ts'
export { catalogue } from './check/catalogue.ts'
export { lineFinder } from './check/places.ts'
export { withoutComments } from './check/reading/comments.ts'
export { listed, nearest } from './check/near.ts'
export { factsGiven, runExamples, type ExampleResult } from './check/checks/example-results.ts'
export { compareWithPast } from './check/checks/past.ts'
export type { InUse } from './check/checks/stored.ts'
export { fieldsOfPrice } from './questions/price-fields.ts'
export { priceListOf } from './questions/price-list.ts'
export { diffEvents, isEmptyDiff, sayDiff, type EventDiff } from './questions/diff.ts'
export { saySimulation, simulate } from './questions/simulate.ts'
export { explain, sayExplanation, type Explanation } from './questions/explain.ts'
export { sayTax } from './questions/explain-lines.ts'
export { readFacts } from './questions/given-facts.ts'
export {
  applyFixes,
  findingsAsGithub,
  findingsAsJson,
  findingsAsSarif,
} from './questions/formats.ts'
export { preview } from './questions/preview.ts'
export { eventIdFrom, newEventFile, prefixFor, type SampleOptions } from './questions/sample.ts'
export { QUESTIONS, type Told } from './questions/interview.ts'
export { readCategories } from './questions/priced.ts'
export { repeatEvent } from './questions/repeat.ts'
export { showEvent } from './questions/show.ts'
