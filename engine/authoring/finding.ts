/** What is wrong in an event file, for its author: a code, a sentence, a place. */
import type { Part, Place, Source, Span } from './syntax/source.ts'

export type Severity = 'error' | 'warning' | 'note'
export type Finding = {
  readonly code: string
  readonly slug: string
  readonly severity: Severity
  readonly message: string
  readonly at: Place
  readonly related: readonly { readonly message: string; readonly at: Place }[]
  readonly notes: readonly string[]
  readonly help?: string
  /** A certain mending, as offsets into the text. */
  readonly fix?: { readonly start: number; readonly end: number; readonly text: string }
}

/** Which file a dotted path belongs to: the event's, unless a shared one is named. */
export type SharedName = 'lists' | 'gateways' | 'texts'
type At = {
  readonly at?: string
  readonly part?: Part
  readonly span?: Span
  readonly in?: SharedName
}
/** A finding before its places are looked up. */
export type Draft = At & {
  readonly at: string
  readonly message: string
  readonly related?: readonly (At & { readonly message: string })[]
  readonly notes?: readonly string[]
  readonly help?: string
  readonly fix?: Finding['fix']
}

/** What stands in the catalogue under a code, beside what finds it. Codes are never used twice. */
export type Meta = {
  readonly slug: string
  readonly severity: Severity
  /** Why it is worth finding. */ readonly why: string
}

/** Looks the places of a draft up and gives it its code's slug and severity. */
export function findingOf(
  code: string,
  { slug, severity }: Meta,
  draft: Draft,
  source: Source,
  shared: Partial<Record<SharedName, Source>> = {},
): Finding {
  const placed = ({ at = '', part, span, in: name }: At): Place => {
    const where = name === undefined ? source : (shared[name] ?? source)
    return span === undefined ? where.place(at, part) : where.placeOf(span, at)
  }
  return {
    code,
    slug,
    severity,
    message: draft.message,
    at: placed(draft),
    related: (draft.related ?? []).map((one) => ({ message: one.message, at: placed(one) })),
    notes: draft.notes ?? [],
    ...(draft.help === undefined ? {} : { help: draft.help }),
    ...(draft.fix === undefined ? {} : { fix: draft.fix }),
  }
}

/** Whether what was found keeps a file from being served. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error')
}
