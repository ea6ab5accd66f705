/** A parsed file, with the place of every key and value. Created by `readYaml` (parse-yaml.ts). */
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
/** A scalar as written: its text without quotes, and whether it is unquoted. */
export type Written = { readonly text: string; readonly isUnquoted: boolean; readonly span: Span }
/** A parsed file. Paths are dotted ("fees.periods.0.from"); the empty path is the whole file. */
export type Source = SourceText & {
  /** Plain values; null if the text cannot be parsed. Maps have own keys only, including `__proto__`. */
  readonly value: unknown
  /**
   * Returns the place of a key, of its value or of both. If the path does not exist, returns the place of its nearest
   * existing parent.
   */
  place(path: string, part?: Part): Place
  /** Returns the offsets of the same place. Much faster than `place`, because it does not compute line numbers. */
  span(path: string, part?: Part): Span
  placeOf(span: Span, path: string): Place
  getScalar(path: string): Written | null
  has(path: string): boolean
  /** Paths whose value is a YAML trap. No other finding is reported for them. */
  readonly trappedPaths: ReadonlySet<string>
}
export type Part = 'key' | 'value' | 'entry'

/** Returns the dotted path of a key, or of a list index. */
export function join(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`
}
