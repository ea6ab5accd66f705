/** Formats the summary of a run: a row for each profile, with how often each event occurred. */
import { add } from './tally.ts'
import type { Counts } from './tally.ts'

export type Row = {
  readonly profile: string
  readonly seconds: number
  readonly cpuSeconds: number
  readonly violations: number
  readonly counts: Counts
}

export function addRows(totals: Row | null, added: Row): Row {
  if (totals === null) return added
  const counts = { ...totals.counts }
  add(counts, added.counts)
  return {
    profile: totals.profile,
    seconds: totals.seconds + added.seconds,
    cpuSeconds: totals.cpuSeconds + added.cpuSeconds,
    violations: totals.violations + added.violations,
    counts,
  }
}

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['profile', ({ profile }) => profile],
  ['histories', ({ counts }) => String(counts.histories)],
  ['CPU seconds', ({ cpuSeconds }) => cpuSeconds.toFixed(0)],
  ['ms each', ({ cpuSeconds, counts }) => ((cpuSeconds * 1000) / counts.histories).toFixed(1)],
  ['violations', ({ violations }) => String(violations)],
  ['captures', ({ counts }) => String(counts.captures)],
  ['late', ({ counts }) => String(counts.lateCaptures)],
  ['second', ({ counts }) => String(counts.secondCaptures)],
  ['in dollars', ({ counts }) => String(counts.dollars)],
  ['authorised', ({ counts }) => `${counts.authorized} (${counts.returned} returned)`],
  ['two receipts', ({ counts }) => String(counts.twoCheckouts)],
  ['in review', ({ counts }) => String(counts.reviews)],
  ['refunds', ({ counts }) => `${counts.refunds} (${counts.failedRefunds} failed)`],
  [
    'disputes',
    ({ counts }) =>
      `${counts.disputes} (${counts.lostDisputes} lost, ${counts.recordedDisputes} recorded)`,
  ],
  ['decisions', ({ counts }) => String(counts.decisions)],
  ['figures', ({ counts }) => `${counts.figures} (${counts.settlements} settled)`],
  ['actions', ({ counts }) => `${counts.acted} of ${counts.acts}`],
  ['by link', ({ counts }) => String(counts.resumed)],
  ['refused as full', ({ counts }) => String(counts.full)],
  ['codes', ({ counts }) => String(counts.codesUsed)],
  ['codes refused', ({ counts }) => String(counts.codesRefused)],
  ['paid after the seat was sold', ({ counts }) => String(counts.placesGone)],
  ['crashes', ({ counts }) => String(counts.crashes)],
  [
    'queries per payment',
    ({ counts }) => (counts.questions / Math.max(1, counts.payments)).toFixed(1),
  ],
]

/** Formats a row in Markdown. */
export function formatTable(rows: readonly Row[]): string {
  const formatRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    formatRow(COLUMNS.map(([name]) => name)),
    formatRow(COLUMNS.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...rows.map((row) => formatRow(COLUMNS.map(([, cell]) => cell(row)))),
  ].join('\n')
}
