/** One random event: compares the proof about its bill with the result of trying every combination. */
import type { EventConfig } from '../../engine/index.ts'
import { findOverlappingAdjustments, proveBill } from '../../engine/authoring/proofs/bill-bounds.ts'
import { countCombinations, tryAllCombinations, type BillFindings } from './brute.ts'
import { randomEvent } from './events.ts'

/** Events with more combinations are skipped; another event is drawn instead. */
const TRIED_MAX = 1500

/**
 * The proof's result in the same format. Null if the proof is too large, which must not occur for events of this
 * size.
 */
export function proveAll(event: EventConfig): BillFindings | null {
  const { items, extremes: all } = proveBill(event)
  const extremes = all?.[0] ?? null
  const overlapping = findOverlappingAdjustments(event)
  if (extremes === null || overlapping === null) return null
  const holes = new Set<string>()
  const reachedItems = new Set<string>()
  for (const { id, result: found } of items) {
    if (found === null) return null
    for (const { is, table, row, period, samples: who } of found.missingPrices)
      for (const { category } of who)
        holes.add(
          is === 'no-table'
            ? `no-table ${id} ${category}`
            : is === 'no-row'
              ? `no-row ${id} ${table} ${row} ${category}`
              : `none ${id} ${table} ${row} ${period} ${category}`,
        )
    for (const { table, row, period } of found.reachedCells)
      reachedItems.add(`${id} ${table} ${row} ${period}`)
  }
  return {
    cheapest: extremes.cheapest?.total ?? null,
    smallest: extremes.smallest?.total ?? null,
    dearest: extremes.dearest?.total ?? null,
    holes,
    reached: reachedItems,
    overdrawn: new Set(extremes.excessiveDeductions.map(({ adjustment }) => adjustment)),
    meet: new Set(overlapping.map(([first, second]) => `${first} ${second}`)),
  }
}

/** The event of a seed and number: the first of its draws that is small enough to try completely. */
export function drawEvent(seed: number, number: number): EventConfig {
  for (let draw = 0; ; draw += 1) {
    const event = randomEvent(seed, number, draw)
    if (countCombinations(event) <= TRIED_MAX) return event
  }
}

/** An amount off a counted item may be lowest at a quantity between one and the maximum, which no proof checks. */
function isAbove(
  { fees }: EventConfig,
  claimed: BillFindings,
  triedFindings: BillFindings,
): boolean {
  const hasAmountOff = fees.adjustments.some(({ by }) => 'amount' in by && by.amount < 0)
  return hasAmountOff && (claimed.smallest ?? Infinity) > (triedFindings.smallest ?? Infinity)
}

/** Describes the differences. Empty if there are none. */
export function findDifferences(event: EventConfig): readonly string[] {
  const claimed = proveAll(event)
  if (claimed === null) return ['not proved']
  const triedFindings = tryAllCombinations(event)
  const sets = (['holes', 'reached', 'overdrawn', 'meet'] as const).flatMap((part) => [
    ...[...claimed[part]]
      .filter((claim) => !triedFindings[part].has(claim))
      .map((claim) => `${part}: only claimed: ${claim}`),
    ...[...triedFindings[part]]
      .filter((claim) => !claimed[part].has(claim))
      .map((claim) => `${part}: only tried: ${claim}`),
  ])
  return [
    ...(['cheapest', 'smallest', 'dearest'] as const).flatMap((end) =>
      claimed[end] === triedFindings[end] ||
      (end === 'smallest' && isAbove(event, claimed, triedFindings))
        ? []
        : [`${end}: claimed ${claimed[end]}, tried ${triedFindings[end]}`],
    ),
    ...sets,
  ]
}
