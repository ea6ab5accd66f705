/** What is asked of the checker and what it answers. It runs in a worker, so that typing never waits for a proof. */
import { compileEvent, lineFinder, runExamples } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import type { ExampleResult, Finding, SharedFiles } from '../../../engine/authoring.ts'

export type Question = {
  readonly number: number
  readonly path: string
  readonly text: string
  readonly shared: SharedFiles
  readonly otherRoutes: readonly string[]
}
export type Checked = {
  /** Of the question answered. */
  readonly number: number
  readonly text: string
  /** The event as the file describes it, findings or not; null where the file cannot be read as one. */
  readonly event: EventConfig | null
  readonly findings: readonly Finding[]
  readonly examples: readonly ExampleResult[]
  readonly lines: Lines
}
/** Where things stand in the file, lines from 1; null where the file has none. */
export type Lines = {
  readonly rules: readonly (number | null)[]
  readonly examples: readonly (number | null)[]
  /** By category, then period. */
  readonly prices: Readonly<Record<string, Readonly<Record<string, number | null>>>>
}

/** Never throws: half-typed text gives findings, and what cannot be tried on it is left out. */
export function check({ number, path, text, shared, otherRoutes }: Question): Checked {
  const { reads: draft, findings } = compileEvent(text, shared, { path }, { otherRoutes })
  const nothing = {
    number,
    text,
    event: null,
    findings,
    examples: [],
    lines: { rules: [], examples: [], prices: {} },
  }
  try {
    // With errors in it a file is not served; while it is written one wants to see it all the same.
    return draft === null
      ? nothing
      : { ...nothing, event: draft, examples: runExamples(draft), lines: linesOf(draft, text) }
  } catch {
    // An event with errors may hold what the engine asserts it never meets; its findings say what.
    return nothing
  }
}

function linesOf(event: EventConfig, text: string): Lines {
  const line = lineFinder(text)
  const { categoryChoice, fees } = event
  return {
    rules:
      categoryChoice.by === 'rules'
        ? categoryChoice.rules.map((_, at) => line(['category', 'rules', at]))
        : [],
    examples: event.examples.map((_, at) => line(['examples', 'cases', at])),
    prices: Object.fromEntries(
      Object.entries(fees.prices ?? {}).map(([category, row]) => [
        category,
        Object.fromEntries(
          Object.keys(row).map((period, at) => [period, line(['fees', 'prices', category, at])]),
        ),
      ]),
    ),
  }
}
