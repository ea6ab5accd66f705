/** What the checker makes of a mutant: harmful or not, found or not, and whether where an author would look. */
import { parse } from 'yaml'
import { type EventConfig } from '../../engine/index.ts'
import {
  compileEvent,
  diffEvents,
  isEmptyDiff,
  type Finding,
  type SharedFiles,
} from '../../engine/authoring.ts'
import type { Mutant } from './mutate.ts'

export type Judged = {
  readonly mutant: Mutant
  /**
   * harmful: the file no longer reads, or `diff` names a change of prices, rules, messages, fields, addresses, rows or the
   * office. wording: only how something is put or in which order it stands. checking: only what the file says to the checker
   * itself (examples, allow, demo, overlap): a finding there is no false alarm, and nothing is lost without one.
   * contradiction: the file now says two things of which the one read first happens to be the old one. harmless: none.
   */
  readonly harm: 'harmful' | 'wording' | 'checking' | 'contradiction' | 'harmless'
  /** Errors and warnings; notes never stop anybody. */
  readonly findings: readonly Finding[]
  readonly rightLine: boolean
  /** What `diff` says of it, in short. */
  readonly changes: string
}

/** An event file and what its mutants are compared with. */
export type Original = {
  readonly path: string
  readonly event: EventConfig
  readonly bare: EventConfig
  readonly said: string
}

export function originalOf(path: string, text: string, shared: SharedFiles): Original {
  const { event, findings } = compileEvent(text, shared, { path })
  if (event === null || findings.some(({ severity }) => severity !== 'note'))
    throw new Error(
      `${path} must be clean before it is changed: ${findings.map(({ code }) => code).join(' ')}`,
    )
  return { path, event, bare: bare(event), said: said(parsed(text)) ?? '' }
}

export function judge(mutant: Mutant, original: Original, shared: SharedFiles): Judged {
  const { reads, findings: all } = compileEvent(mutant.text, shared, { path: original.path })
  const findings = all.filter(({ severity }) => severity !== 'note')
  // Not what the checker accepts, but what the file means: otherwise its own false alarms would look like harm.
  const unread = all.some(({ code, severity }) => severity === 'error' && code.startsWith('EV0'))
  const { harm, changes } = harmOf(unread ? null : reads, mutant, original)
  const twofold =
    harm === 'harmless' &&
    findings.some(({ code }) => CONTRADICTIONS.has(code)) &&
    said(parsed(mutant.text)) !== original.said
  return {
    mutant,
    harm: twofold ? 'contradiction' : harm,
    changes,
    findings,
    rightLine: findings.some((finding) => isRight(finding, mutant)),
  }
}

/** Two declarations of one name, two rules for one answer, two periods or none for a day, a period that ends before it begins, more prices than columns; `overlap` or `demo` about what is not there. */
const CONTRADICTIONS = new Set([
  'EV206',
  'EV302',
  'EV303',
  'EV402',
  'EV404',
  'EV405',
  'EV406',
  'EV407',
  'EV417',
  'EV212',
])

function harmOf(
  event: EventConfig | null,
  { text }: Mutant,
  original: Original,
): Pick<Judged, 'harm' | 'changes'> {
  if (event === null) return { harm: 'harmful', changes: 'does not read' }
  const whole = diffEvents(original.event, event)
  const { prices, rules, sold, values } = diffEvents(original.bare, bare(event))
  // In which order places are asked for and lines stand, changes what is read and not what is paid.
  const dearer = sold.filter(({ what }) => !what.startsWith('order of '))
  const changes = [
    ...prices.slice(0, 1).map(({ category }) => `price of ${category}`),
    ...rules.slice(0, 1).map(() => 'rules'),
    ...sold.slice(0, 2).map(({ what }) => what),
    ...whole.values.slice(0, 2).map(({ kind, path }) => `${kind} ${path}`),
  ].join(', ')
  if (
    prices.length + rules.length + dearer.length > 0 ||
    values.some(({ kind }) => kind !== 'wording' && kind !== 'layout')
  )
    return { harm: 'harmful', changes }
  if (!isEmptyDiff(whole)) return { harm: 'wording', changes }
  const stated = parsed(text)
  return {
    harm:
      said(stated) === original.said && JSON.stringify(stated) !== original.said
        ? 'checking'
        : 'harmless',
    changes,
  }
}

/** The event without what its lines and places are called and what is said of them, which the diff tells together with what they are. */
function bare(event: EventConfig): EventConfig {
  return JSON.parse(
    JSON.stringify(event, (key, value: unknown) =>
      (key === 'label' || key === 'say') && typeof value === 'string' ? '' : value,
    ),
  ) as EventConfig
}

const parsed = (text: string): Record<string, unknown> | null => {
  try {
    return parse(text, { uniqueKeys: false }) as Record<string, unknown>
  } catch {
    return null
  }
}

/** What a file says of its event, without what it says to the checker. */
function said(file: Record<string, unknown> | null): string | null {
  if (file === null || typeof file !== 'object') return null
  const { examples: _examples, allow: _allow, demo: _demo, fees, ...rest } = file
  const { overlap: _overlap, ...priced } = (fees ?? {}) as Record<string, unknown>
  return JSON.stringify({ ...rest, fees: priced })
}

/** Ways of which nobody can say whether the line itself or its neighbour is wrong. */
const BETWEEN_LINES = new Set(['tab', 'moved right', 'moved left', 'moved line', 'drop'])

/**
 * Whether a finding leads its reader to what was changed: one of its places covers a touched line; or
 * something is missing, or stands elsewhere now, and it names the block that misses it; or a name is gone and it names who uses it.
 */
function isRight({ at, related }: Finding, { way, lines, parents, names, text }: Mutant): boolean {
  const slack = BETWEEN_LINES.has(way) ? 1 : 0
  const rows = text.split('\n')
  return [at, ...related.map((one) => one.at)].some((place) => {
    if (place.start.line <= lines[1] + slack && place.end.line >= lines[0] - slack) return true
    // What was dropped or moved out is missing in the block that it stood in.
    if (
      BETWEEN_LINES.has(way) &&
      (parents.length === 0 ? place.keyPath === '' : parents.slice(-3).includes(place.start.line))
    )
      return true
    const pointed = (rows[place.start.line - 1] ?? '').slice(
      place.start.column - 1,
      place.end.line === place.start.line ? place.end.column - 1 : undefined,
    )
    return names.some((name) => pointed.split(/[^\w-]+/).includes(name))
  })
}
