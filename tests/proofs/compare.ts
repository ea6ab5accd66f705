/** Compares what the checker proves about a random event's bill with the result of trying every combination. */
import type { EventConfig } from '../../engine/index.ts'
import { findOverlappingAdjustments, proveBill } from '../../engine/authoring/proofs/bill-bounds.ts'
import { countCombinations, tryAllCombinations, type BillFindings } from './brute.ts'
import { drawRandomEvent } from './events.ts'

/** The maximum number of combinations. An event with more is replaced by another draw. */
const MAX_COMBINATIONS = 1500

/**
 * Returns the proof's result in the format of `tryAllCombinations`. Returns null if the proof is too large, which must
 * not occur for events of this size.
 */
export function proveBillFindings(event: EventConfig): BillFindings | null {
  const { items, extremes: allExtremes } = proveBill(event)
  const extremes = allExtremes?.[0] ?? null
  const overlapping = findOverlappingAdjustments(event)
  if (extremes === null || overlapping === null) return null
  const missingPrices = new Set<string>()
  const reachedItems = new Set<string>()
  for (const { id, result: proof } of items) {
    if (proof === null) return null
    for (const { is, table, row, period, samples } of proof.missingPrices)
      for (const { category } of samples)
        missingPrices.add(
          is === 'no-table'
            ? `no-table ${id} ${category}`
            : is === 'no-row'
              ? `no-row ${id} ${table} ${row} ${category}`
              : `none ${id} ${table} ${row} ${period} ${category}`,
        )
    for (const { table, row, period } of proof.reachedCells)
      reachedItems.add(`${id} ${table} ${row} ${period}`)
  }
  return {
    cheapest: extremes.cheapest?.total ?? null,
    smallest: extremes.smallest?.total ?? null,
    mostExpensive: extremes.mostExpensive?.total ?? null,
    missingPrices: missingPrices,
    reachedCells: reachedItems,
    excessiveAdjustments: new Set(extremes.excessiveDeductions.map(({ adjustment }) => adjustment)),
    overlapping: new Set(overlapping.map(([first, second]) => `${first} ${second}`)),
  }
}

/** Returns the event for a seed and number: the first draw with few enough combinations to try them all. */
export function drawEvent(seed: number, number: number): EventConfig {
  for (let draw = 0; ; draw += 1) {
    const event = drawRandomEvent(seed, number, draw)
    if (countCombinations(event) <= MAX_COMBINATIONS) return event
  }
}

/**
 * Returns true if the claimed smallest bill is too high for a known reason: if an item with a quantity has a fixed
 * discount, the bill can be lowest at a quantity between one and the maximum, which no proof checks.
 */
function isKnownGap(
  { fees }: EventConfig,
  claims: BillFindings,
  triedFindings: BillFindings,
): boolean {
  const hasAmountOff = fees.adjustments.some(({ by }) => 'amount' in by && by.amount < 0)
  return hasAmountOff && (claims.smallest ?? Infinity) > (triedFindings.smallest ?? Infinity)
}

/** Returns a description of each difference between the claims and the results of trying every combination. */
export function findDifferences(event: EventConfig): readonly string[] {
  const claims = proveBillFindings(event)
  if (claims === null) return ['not proved']
  const triedFindings = tryAllCombinations(event)
  const setDifferences = (
    ['missingPrices', 'reachedCells', 'excessiveAdjustments', 'overlapping'] as const
  ).flatMap((part) => [
    ...[...claims[part]]
      .filter((claim) => !triedFindings[part].has(claim))
      .map((claim) => `${part}: only claimed: ${claim}`),
    ...[...triedFindings[part]]
      .filter((claim) => !claims[part].has(claim))
      .map((claim) => `${part}: only tried: ${claim}`),
  ])
  return [
    ...(['cheapest', 'smallest', 'mostExpensive'] as const).flatMap((extreme) =>
      claims[extreme] === triedFindings[extreme] ||
      (extreme === 'smallest' && isKnownGap(event, claims, triedFindings))
        ? []
        : [`${extreme}: claimed ${claims[extreme]}, tried ${triedFindings[extreme]}`],
    ),
    ...setDifferences,
  ]
}
