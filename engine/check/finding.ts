/** What is wrong in an event file, for its author: a code, a sentence, a place. */
export type Position = { readonly line: number; readonly column: number; readonly offset: number }
/** Lines and columns count from 1, columns in UTF-16 units; `keyPath` is dotted. */
export type Place = { readonly path: string; readonly start: Position; readonly end: Position; readonly keyPath: string }
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
export type SourceText = { readonly path: string; readonly text: string }
export type SharedFiles = { readonly lists: SourceText; readonly gateways: SourceText; readonly texts: SourceText }
