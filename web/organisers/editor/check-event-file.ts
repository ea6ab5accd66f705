/** The requests and results of the event-file checker, which runs in a worker. */
import {
  compileEvent,
  createLineFinder,
  describeDiff,
  diffEvents,
  formatExtremeBills,
  getPricesPath,
  readEvent,
  runExamples,
} from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { ChangeGroup, ExampleResult, Finding, SharedFiles } from '../../../engine/authoring.ts'

export type CheckRequest = {
  readonly number: number
  readonly path: string
  readonly text: string
  readonly shared: SharedFiles
  readonly otherRoutes: readonly string[]
  /** The published text of the same event, if the file is to be compared with it. */
  readonly published: string | null
}
export type CheckResult = {
  /** Number of the request that this answers. */
  readonly number: number
  readonly text: string
  /**
   * The event that the file describes, with or without findings; null if the file cannot be read as
   * an event.
   */
  readonly event: EventConfig | null
  readonly findings: readonly Finding[]
  readonly examples: readonly ExampleResult[]
  readonly lines: Lines
  /** The lowest and the highest possible bill; empty if only registrations are sold. */
  readonly extremes: readonly string[]
  /** What differs from the published version. Null if it was not compared. */
  readonly changes: readonly ChangeGroup[] | null
}
/** Positions in the file, with lines counted from 1; null if the file does not contain the item. */
export type Lines = {
  readonly rules: readonly (number | null)[]
  readonly examples: readonly (number | null)[]
  /** By category, then period. */
  readonly prices: Readonly<Record<string, Readonly<Record<string, number | null>>>>
}

/** Never throws: incomplete text produces findings, and examples that cannot run are omitted. */
export function check(request: CheckRequest): CheckResult {
  const { number, path, text, shared, otherRoutes } = request
  const { reads: draft, findings } = compileEvent(text, shared, { path }, { otherRoutes })
  const emptyResult = {
    number,
    text,
    event: null,
    findings,
    examples: [],
    lines: { rules: [], examples: [], prices: {} },
    extremes: [],
    changes: null,
  }
  try {
    // A file with errors is not served, but the preview shows it while it is edited.
    return draft === null
      ? emptyResult
      : {
          ...emptyResult,
          event: draft,
          examples: runExamples(draft),
          lines: findLines(draft, text),
          extremes: formatExtremeBills(draft),
          changes: comparePublished(request, draft),
        }
  } catch {
    // An event with errors may violate the engine's assertions; its findings report the cause.
    return emptyResult
  }
}

/** The published file has the support address in place of the office's, so this one is compared with it too. */
function comparePublished(
  { published, text, shared }: CheckRequest,
  { office, support }: EventConfig,
): readonly ChangeGroup[] | null {
  if (published === null) return null
  const old = readEvent(published, shared)
  const next = readEvent(office === undefined ? text : text.replaceAll(office, support), shared)
  return old === null || next === null ? null : describeDiff(diffEvents(old, next), old, next)
}

function findLines(event: EventConfig, text: string): Lines {
  const line = createLineFinder(text)
  const { categoryChoice, fees } = event
  return {
    rules:
      categoryChoice.by === 'rules'
        ? categoryChoice.rules.map((_, index) => line(['category', 'rules', index]))
        : [],
    examples: event.examples.map((_, index) => line(['examples', 'cases', index])),
    prices: Object.fromEntries(
      Object.entries(fees.prices ?? {}).map(([category, row]) => [
        category,
        Object.fromEntries(
          Object.keys(row).map((period, index) => [
            period,
            line([...getPricesPath(event, category), category, index]),
          ]),
        ),
      ]),
    ),
  }
}
