/** A file as it was read, and where everything in it stands. Made by `readYaml` (parse-yaml.ts). */
import type { SourceText } from '../../event/source-files.ts'

type Position = { readonly line: number; readonly column: number; readonly offset: number }
/** Lines and columns count from 1, columns in UTF-16 units; `keyPath` is dotted. */
export type Place = {
  readonly path: string
  readonly start: Position
  readonly end: Position
  readonly keyPath: string
}
export type Span = readonly [start: number, end: number]
/** How a scalar is written: its own text without quotes stripped, and whether it is a plain word. */
export type Written = { readonly text: string; readonly plain: boolean; readonly span: Span }
/** A file that was read. Paths are dotted ("fees.periods.0.from"); the empty path is the whole file. */
export type Source = SourceText & {
  /** Plain values; null when the text cannot be read. Maps have own keys only, `__proto__` among them. */
  readonly value: unknown
  /** Place of a key, of its value, or of both together; of the nearest parent that exists, where there is none. */
  place(path: string, part?: Part): Place
  /** Offsets of the same; far cheaper than `place` where nobody asks for lines. */
  span(path: string, part?: Part): Span
  placeOf(span: Span, path: string): Place
  written(path: string): Written | null
  has(path: string): boolean
  /** Paths whose value is a reading trap: nothing else is said of them. */
  readonly trapped: ReadonlySet<string>
}
export type Part = 'key' | 'value' | 'entry'

/** The dotted path of what stands under a key, or at a position of a list. */
export function join(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`
}
