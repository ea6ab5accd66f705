/**
 * Renamed keys of event files: their old and new names.
 *
 * The compiler accepts the old names permanently: every version ever served is stored as text, and is compiled again
 * when a payment or a server start needs it.
 */
import { applyFixes } from '../apply-fixes.ts'
import type { Finding } from '../finding.ts'
import { readYaml } from '../syntax/parse-yaml.ts'
import { join, type Source } from '../syntax/source.ts'
import type { SourceText } from '../../event/source-files.ts'

/** Block (in new names, `*` for any key or index), old name, new name. `x.*`: every key that begins with `x.`. */
export const RENAMED_KEYS: readonly (readonly [block: string, old: string, now: string])[] = [
  ['', 'limits', 'quotas'],
  ['', 'hold', 'hold_seats_for'],
  ['', 'rolls', 'member_lists'],
  ['', 'keep', 'retention'],
  ['categories.*', 'goes_with', 'expects'],
  ['quotas.*.full', 'say', 'message'],
  ['unique.*', 'else', 'on_duplicate'],
  ['unique.*', 'say', 'message'],
  ['approval.*', 'look_at', 'documents'],
  ['approval.*', 'within', 'decide_within'],
  ['approval.*', 'refused', 'if_refused'],
  ['approval.*.if_refused', 'say', 'message'],
  ['cancellation.steps.*', 'to', 'until'],
  ['edit', 'to', 'until'],
  ['payment', 'ways', 'methods'],
  ['payment.methods.*', 'tell', 'instructions'],
  ['payment.methods.*', 'asks', 'fields'],
  ['payment.methods.*', 'price_on', 'price_date'],
  ['payment.methods.*', 'lapses_after', 'expires_after'],
  ['form.sections.*.fields.*.choose', 'not_together', 'mutually_exclusive'],
  ['form.sections.*.fields.*.choose', 'say', 'message'],
  ['examples.promises', 'limits', 'quotas'],
  ['examples.promises', 'hold', 'hold_seats_for'],
  ['examples.promises', 'rolls.*', 'member_lists.*'],
]

/** Values that were renamed with their key: the key's path, old value, new value. */
export const RENAMED_VALUES: readonly (readonly [key: string, old: string, now: string])[] = [
  ['payment.methods.*.price_date', 'registered', 'registration'],
  ['payment.methods.*.price_date', 'credited', 'credit'],
]

/** Keys whose values are paths in the same file. */
const PATH_VALUES = new Set(['demo.*', 'allow.*.at'])

const joinBlockName = (block: string, name: string): string => `${block} ${name}`
const currentByOld = new Map(
  RENAMED_KEYS.map(([block, old, now]) => [joinBlockName(block, old), now]),
)
const currentValueByOld = new Map(
  RENAMED_VALUES.map(([key, old, now]) => [joinBlockName(key, old), now]),
)
const oldNames = new Set(RENAMED_KEYS.map(([, old]) => old.replace('.*', '')))

/** Returns the new name of a key; the key itself if it was not renamed. */
export function getCurrentKey(path: string, key: string): string {
  const [first = '', ...rest] = key.split('.')
  if (!oldNames.has(first)) return key
  const block = toBlockPath(path)
  if (rest.length === 0) return currentByOld.get(joinBlockName(block, key)) ?? key
  const currentKey = currentByOld.get(joinBlockName(block, `${first}.*`))
  return currentKey === undefined ? key : currentKey.replace('*', rest.join('.'))
}

/** Returns the new spelling of a string; the text itself if it was not renamed. */
export function getCurrentValue(path: string, value: string): string {
  const block = toBlockPath(path)
  if (!PATH_VALUES.has(block)) return currentValueByOld.get(joinBlockName(block, value)) ?? value
  return value.split('.').reduce((parent, key) => join(parent, getCurrentKey(parent, key)), '')
}

/** Replaces list indexes with `*`, as in the tables above. */
function toBlockPath(path: string): string {
  return path.replace(/\.\d+(?=\.|$)/g, '.*')
}

/** Reads an event file. The values and positions use the new names, even if the file uses the old ones. */
export function readEventFile(file: SourceText): {
  readonly source: Source
  readonly findings: readonly Finding[]
} {
  return readYaml(file, { currentKey: getCurrentKey, currentValue: getCurrentValue })
}

const OLD_WORD = new RegExp(
  `\\b(${[...oldNames, ...RENAMED_VALUES.map(([, old]) => old)].join('|')})\\b`,
)

/**
 * Returns true if old and new names are the only difference between two texts. A rename does not
 * change line numbers.
 */
export function isSameApartFromNames(a: string, b: string): boolean {
  if (a === b) return true
  const [lines, otherLines] = [a.split('\n'), b.split('\n')]
  // A fast first test: it detects most differences, and parsing takes a thousand times longer.
  const mayBeRenamed =
    lines.length === otherLines.length &&
    lines.every(
      (line, index) =>
        line === otherLines[index] || OLD_WORD.test(line) || OLD_WORD.test(otherLines[index] ?? ''),
    )
  return mayBeRenamed && renameKeys(a) === renameKeys(b)
}

/** Replaces the old names in an event file's text and changes nothing else. */
export function renameKeys(text: string): string {
  const { findings } = readEventFile({ path: '', text })
  const renames = findings.filter(({ slug }) => slug === 'renamed-key')
  return renames.length === 0 ? text : applyFixes(text, renames).text
}
