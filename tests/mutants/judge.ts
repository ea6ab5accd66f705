/** Classifies a mutant: its damage, whether the checker finds it, and whether at a line where an author would look. */
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

export type CheckedMutant = {
  readonly mutant: Mutant
  /**
   * harmful: the file no longer parses, or `diff` reports a change to prices, rules, messages, fields, addresses,
   * rows or staff lists. wording: only the wording or the order changed. checking: only the file's instructions to
   * the checker changed (examples, allow, demo, overlap), so a finding is not a false alarm, and a missing finding
   * does no harm. contradiction: the file now contains two values, and the value that applies is the old one.
   * harmless: none of these.
   */
  readonly damage: 'harmful' | 'wording' | 'checking' | 'contradiction' | 'harmless'
  /** Errors and warnings, without notes. */
  readonly findings: readonly Finding[]
  readonly hasRightLine: boolean
  /** The report of `diff`, shortened. */
  readonly changes: string
}

/** An event file and the data that its mutants are compared with. */
export type Original = {
  readonly path: string
  readonly event: EventConfig
  readonly unlabelledEvent: EventConfig
  readonly content: string
}

export function prepareOriginal(path: string, text: string, shared: SharedFiles): Original {
  const { event, findings } = compileEvent(text, shared, { path })
  if (event === null || findings.some(({ severity }) => severity !== 'note'))
    throw new Error(
      `${path} must be clean before it is changed: ${findings.map(({ code }) => code).join(' ')}`,
    )
  return {
    path,
    event,
    unlabelledEvent: removeLabels(event),
    content: serialiseContent(parseYaml(text)) ?? '',
  }
}

export function checkMutant(
  mutant: Mutant,
  original: Original,
  shared: SharedFiles,
): CheckedMutant {
  const { uncheckedEvent: parsedEvent, findings: allFindings } = compileEvent(mutant.text, shared, {
    path: original.path,
  })
  const findings = allFindings.filter(({ severity }) => severity !== 'note')
  // Uses the file's meaning, not the findings. Otherwise the checker's false alarms would count as harm.
  const isUnreadable = allFindings.some(
    ({ code, severity }) => severity === 'error' && code.startsWith('EV0'),
  )
  const { damage, changes } = classifyDamage(isUnreadable ? null : parsedEvent, mutant, original)
  const isContradiction =
    damage === 'harmless' &&
    findings.some(({ code }) => CONTRADICTION_CODES.has(code)) &&
    serialiseContent(parseYaml(mutant.text)) !== original.content
  return {
    mutant,
    damage: isContradiction ? 'contradiction' : damage,
    changes,
    findings,
    hasRightLine: findings.some((finding) => isAtRightLine(finding, mutant)),
  }
}

/**
 * The codes of contradictions: two declarations of one name, two rules for one answer, two periods or no period for a
 * day, a period that ends before it begins, two refunds or no refund for the last days, more prices than columns, or
 * `overlap` or `demo` for a missing part.
 */
const CONTRADICTION_CODES = new Set([
  'EV206',
  'EV302',
  'EV303',
  'EV402',
  'EV404',
  'EV405',
  'EV406',
  'EV407',
  'EV417',
  'EV482',
  'EV212',
])

function classifyDamage(
  event: EventConfig | null,
  { text }: Mutant,
  original: Original,
): Pick<CheckedMutant, 'damage' | 'changes'> {
  if (event === null) return { damage: 'harmful', changes: 'cannot be read' }
  const completeDiff = diffEvents(original.event, event)
  const {
    prices,
    rules,
    sold: salesDiff,
    values,
  } = diffEvents(original.unlabelledEvent, removeLabels(event))
  // The order of seats and lines changes the wording, not the price.
  const salesChanges = salesDiff.filter(({ what }) => !what.startsWith('order of '))
  const changes = [
    ...prices.slice(0, 1).map(({ category }) => `price of ${category}`),
    ...rules.slice(0, 1).map(() => 'rules'),
    ...salesDiff.slice(0, 2).map(({ what }) => what),
    ...completeDiff.values.slice(0, 2).map(({ kind, path }) => `${kind} ${path}`),
  ].join(', ')
  if (
    prices.length + rules.length + salesChanges.length > 0 ||
    values.some(({ kind }) => kind !== 'wording' && kind !== 'layout')
  )
    return { damage: 'harmful', changes }
  if (!isEmptyDiff(completeDiff)) return { damage: 'wording', changes }
  const content = parseYaml(text)
  return {
    damage:
      serialiseContent(content) === original.content && JSON.stringify(content) !== original.content
        ? 'checking'
        : 'harmless',
    changes,
  }
}

/** Returns the event without its labels and messages, which the diff reports together with the changed line. */
function removeLabels(event: EventConfig): EventConfig {
  return JSON.parse(
    JSON.stringify(event, (key, value: unknown) =>
      (key === 'label' || key === 'message') && typeof value === 'string' ? '' : value,
    ),
  ) as EventConfig
}

const parseYaml = (text: string): Record<string, unknown> | null => {
  try {
    return parse(text, { uniqueKeys: false }) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Serialises the file without the instructions for the checker. */
function serialiseContent(file: Record<string, unknown> | null): string | null {
  if (file === null || typeof file !== 'object') return null
  const { examples: _examples, allow: _allow, demo: _demo, fees, ...rest } = file
  const { overlap: _overlap, ...otherFees } = (fees ?? {}) as Record<string, unknown>
  return JSON.stringify({ ...rest, fees: otherFees })
}

/** Mutations for which either the line itself or its neighbour may be wrong. */
const MUTATIONS_NEXT_TO_LINE = new Set(['tab', 'moved right', 'moved left', 'moved line', 'drop'])

/**
 * Returns true if a finding leads the author to the change: it points to a changed line; or a part was removed or
 * moved, and it mentions the block that lacks the part; or a name was removed, and it points to a line that uses the
 * name.
 */
function isAtRightLine(
  { at, related }: Finding,
  { mutation, lines, parentLines, removedNames, text }: Mutant,
): boolean {
  const toleratedLines = MUTATIONS_NEXT_TO_LINE.has(mutation) ? 1 : 0
  const textLines = text.split('\n')
  return [at, ...related.map((relatedFinding) => relatedFinding.at)].some((position) => {
    if (
      position.start.line <= lines[1] + toleratedLines &&
      position.end.line >= lines[0] - toleratedLines
    )
      return true
    // A removed or moved part is missing from its original block.
    if (
      MUTATIONS_NEXT_TO_LINE.has(mutation) &&
      (parentLines.length === 0
        ? position.keyPath === ''
        : parentLines.slice(-3).includes(position.start.line))
    )
      return true
    const reportedText = (textLines[position.start.line - 1] ?? '').slice(
      position.start.column - 1,
      position.end.line === position.start.line ? position.end.column - 1 : undefined,
    )
    return removedNames.some((name) => reportedText.split(/[^\w-]+/).includes(name))
  })
}
