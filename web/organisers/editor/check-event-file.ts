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
  /** The published text of the same event, to compare the file with. Null if it is not loaded. */
  readonly published: string | null
}
export type CheckResult = {
  /** The number of the request that this result belongs to. */
  readonly number: number
  readonly text: string
  /**
   * The event described by the file, even if there are findings. Null if the file cannot be read as
   * an event.
   */
  readonly event: EventConfig | null
  readonly findings: readonly Finding[]
  readonly examples: readonly ExampleResult[]
  readonly lines: Lines
  /** The lowest and the highest possible bill; empty if only registrations are sold. */
  readonly extremeBills: readonly string[]
  /** Differences from the published version. Null if the file was not compared. */
  readonly changes: readonly ChangeGroup[] | null
}
/** Line numbers of items in the file, starting at 1. Null if the file does not contain the item. */
export type Lines = {
  readonly rules: readonly (number | null)[]
  readonly examples: readonly (number | null)[]
  /** Keyed by category, then by period. */
  readonly prices: Readonly<Record<string, Readonly<Record<string, number | null>>>>
}

/** Checks the file. Never throws: incomplete text produces findings, and examples that cannot run are omitted. */
export function checkEventFile(request: CheckRequest): CheckResult {
  const { number, path, text, shared, otherRoutes } = request
  const { uncheckedEvent: draft, findings } = compileEvent(text, shared, { path }, { otherRoutes })
  const emptyResult = {
    number,
    text,
    event: null,
    findings,
    examples: [],
    lines: { rules: [], examples: [], prices: {} },
    extremeBills: [],
    changes: null,
  }
  try {
    // The server does not serve a file with errors, but the preview shows it.
    return draft === null
      ? emptyResult
      : {
          ...emptyResult,
          event: draft,
          examples: runExamples(draft),
          lines: findLines(draft, text),
          extremeBills: formatExtremeBills(draft),
          changes: comparePublished(request, draft),
        }
  } catch {
    // An event with errors may violate the engine's assertions; its findings report the cause.
    return emptyResult
  }
}

/**
 * Compares the file with the published version. In that version, the server replaces the office's address with the
 * support address, so this function makes the same replacement.
 */
function comparePublished(
  { published, text, shared }: CheckRequest,
  { office, support }: EventConfig,
): readonly ChangeGroup[] | null {
  if (published === null) return null
  const publishedEvent = readEvent(published, shared)
  const editedEvent = readEvent(
    office === undefined ? text : text.replaceAll(office, support),
    shared,
  )
  return publishedEvent === null || editedEvent === null
    ? null
    : describeDiff(diffEvents(publishedEvent, editedEvent), publishedEvent, editedEvent)
}

function findLines(event: EventConfig, text: string): Lines {
  const findLine = createLineFinder(text)
  const { categoryChoice, fees } = event
  return {
    rules:
      categoryChoice.by === 'rules'
        ? categoryChoice.rules.map((_, index) => findLine(['category', 'rules', index]))
        : [],
    examples: event.examples.map((_, index) => findLine(['examples', 'cases', index])),
    prices: Object.fromEntries(
      Object.entries(fees.prices ?? {}).map(([category, row]) => [
        category,
        Object.fromEntries(
          Object.keys(row).map((period, index) => [
            period,
            findLine([...getPricesPath(event, category), category, index]),
          ]),
        ),
      ]),
    ),
  }
}
