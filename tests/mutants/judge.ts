/** What the checker makes of a mutant: harmful or not, found or not, and whether where an author would look. */
import { compileEvent, diffEvents, isEmptyDiff, type EventConfig, type Finding, type SharedFiles } from '../../engine/index.ts'
import type { Mutant } from './mutate.ts'

export type Judged = {
  readonly mutant: Mutant
  /**
   * harmful: the file no longer reads, or `diff` names a change of prices, rules, messages, fields, addresses, rows or the
   * office. wording: only how something is put or in which order it stands. harmless: no difference at all.
   */
  readonly harm: 'harmful' | 'wording' | 'harmless'
  /** Errors and warnings; notes never stop anybody. */
  readonly findings: readonly Finding[]
  readonly rightLine: boolean
  /** What `diff` says of it, in short. */
  readonly changes: string
}

export function judge(mutant: Mutant, original: EventConfig, shared: SharedFiles, path: string): Judged {
  const { event, findings: all } = compileEvent(mutant.text, shared, { path })
  const findings = all.filter(({ severity }) => severity !== 'note')
  const diff = event === null ? null : diffEvents(original, event)
  const onlyWords = diff !== null && diff.prices.length === 0 && diff.rules.length === 0 && diff.values.every(({ kind }) => kind === 'wording' || kind === 'layout')
  const harm = diff !== null && isEmptyDiff(diff) ? 'harmless' : onlyWords ? 'wording' : 'harmful'
  const changes = diff === null ? 'does not read' : [...diff.prices.slice(0, 1).map(({ category }) => `price of ${category}`), ...diff.rules.slice(0, 1).map(() => 'rules'), ...diff.values.slice(0, 2).map(({ kind, path: at }) => `${kind} ${at}`)].join(', ')
  return { mutant, harm, findings, rightLine: findings.some((finding) => isRight(finding, mutant)), changes }
}

/** Ways of which nobody can say whether the line itself or its neighbour is wrong. */
const BETWEEN_LINES = new Set(['tab', 'moved right', 'moved left', 'moved line', 'drop'])

/**
 * Whether a finding leads its reader to what was changed: one of its places covers a touched line; or
 * something is missing and it names the block that misses it; or a name is gone and it names who uses it.
 */
function isRight({ at, related }: Finding, { way, lines, parents, names, text }: Mutant): boolean {
  const slack = BETWEEN_LINES.has(way) ? 1 : 0
  const rows = text.split('\n')
  return [at, ...related.map((one) => one.at)].some((place) => {
    if (place.start.line <= lines[1] + slack && place.end.line >= lines[0] - slack) return true
    if (way === 'drop' && parents.slice(-2).includes(place.start.line)) return true
    const pointed = (rows[place.start.line - 1] ?? '').slice(place.start.column - 1, place.end.line === place.start.line ? place.end.column - 1 : undefined)
    return names.some((name) => pointed.split(/[^\w-]+/).includes(name) && !wordsIn(text, lines).includes(name))
  })
}

/** The words that still stand in these lines: a name that is there is not missing. */
function wordsIn(text: string, [first, last]: readonly [number, number]): readonly string[] {
  return text.split('\n').slice(first - 1, last).join('\n').split(/[^\w-]+/)
}
