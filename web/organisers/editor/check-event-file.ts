/** The requests and results of the event-file checker, which runs in a worker. */
import {
  compileEvent,
  createLineFinder,
  getPricesPath,
  runExamples,
} from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { ExampleResult, Finding, SharedFiles } from '../../../engine/authoring.ts'

export type CheckRequest = {
  readonly number: number
  readonly path: string
  readonly text: string
  readonly shared: SharedFiles
  readonly otherRoutes: readonly string[]
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
}
/** Positions in the file, with lines counted from 1; null if the file does not contain the item. */
export type Lines = {
  readonly rules: readonly (number | null)[]
  readonly examples: readonly (number | null)[]
  /** By category, then period. */
  readonly prices: Readonly<Record<string, Readonly<Record<string, number | null>>>>
}

/** Never throws: incomplete text produces findings, and examples that cannot run are omitted. */
export function check({ number, path, text, shared, otherRoutes }: CheckRequest): CheckResult {
  const { reads: draft, findings } = compileEvent(text, shared, { path }, { otherRoutes })
  const emptyResult = {
    number,
    text,
    event: null,
    findings,
    examples: [],
    lines: { rules: [], examples: [], prices: {} },
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
        }
  } catch {
    // An event with errors may violate the engine's assertions; its findings report the cause.
    return emptyResult
  }
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
