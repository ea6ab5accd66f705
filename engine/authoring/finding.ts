/** A finding: a problem in an event file, with its code, message and location. */
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
  /** A safe automatic fix, as offsets into the text. */
  readonly fix?: { readonly start: number; readonly end: number; readonly text: string }
}

/** The shared file that a dotted path refers to. If absent, the path is in the event file. */
export type SharedName = 'lists' | 'gateways' | 'texts'
type At = {
  readonly at?: string
  readonly part?: Part
  readonly span?: Span
  readonly in?: SharedName
}
/** A finding whose locations are not resolved yet. */
export type Draft = At & {
  readonly at: string
  readonly message: string
  readonly related?: readonly (At & { readonly message: string })[]
  readonly notes?: readonly string[]
  readonly help?: string
  readonly fix?: Finding['fix']
}

/** The catalogue entry of a code, without its check. Codes are never reused. */
export type Meta = {
  readonly slug: string
  readonly severity: Severity
  /** Why the problem matters. */ readonly why: string
}

/**
 * Codes that `allow` does not accept: findings about the text itself, other files or stored data.
 */
const NEVER_ACCEPTED_CODE = /^EV(?:0|8|99|10\d\d$)/

/** Looks up the locations in a draft, and adds the slug and severity of its code. */
export function createFinding(
  code: string,
  { slug, severity }: Meta,
  draft: Draft,
  source: Source,
  shared: Partial<Record<SharedName, Source>> = {},
): Finding {
  const locate = ({ at = '', part, span, in: name }: At): Place => {
    const file = name === undefined ? source : (shared[name] ?? source)
    return span === undefined ? file.place(at, part) : file.placeOf(span, at)
  }
  // Authors can accept a warning or a note, but not an error.
  const help =
    draft.help ??
    (severity === 'error' || NEVER_ACCEPTED_CODE.test(code)
      ? undefined
      : `if it is intended, accept it with a reason: allow: [{code: ${code}, because: …}]`)
  return {
    code,
    slug,
    severity,
    message: draft.message,
    at: locate(draft),
    related: (draft.related ?? []).map((entry) => ({ message: entry.message, at: locate(entry) })),
    notes: draft.notes ?? [],
    ...(help === undefined ? {} : { help }),
    ...(draft.fix === undefined ? {} : { fix: draft.fix }),
  }
}

/** Returns true if the findings prevent a file from being served. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error')
}
