/** One random event: what is proved of its bill beside what trying everything finds. */
import type { EventConfig } from '../../engine/index.ts'
import { meetingAdjustments, provedBill } from '../../engine/authoring/proofs/bill-bounds.ts'
import { combinationsOf, triedAll, type Found } from './brute.ts'
import { randomEvent } from './events.ts'

/** More combinations are not tried; another event is drawn instead. */
const TRIED_MAX = 1500

/** What is proved, in the same form; null: too large, which no event of this size may be. */
export function proved(event: EventConfig): Found | null {
  const { items, extremes } = provedBill(event)
  const meet = meetingAdjustments(event)
  if (extremes === null || meet === null) return null
  const holes = new Set<string>()
  const reached = new Set<string>()
  for (const { id, found } of items) {
    if (found === null) return null
    for (const { is, table, row, period, who } of found.holes)
      for (const { category } of who)
        holes.add(
          is === 'no-table'
            ? `no-table ${id} ${category}`
            : is === 'no-row'
              ? `no-row ${id} ${table} ${row} ${category}`
              : `none ${id} ${table} ${row} ${period} ${category}`,
        )
    for (const { table, row, period } of found.reached)
      reached.add(`${id} ${table} ${row} ${period}`)
  }
  return {
    cheapest: extremes.cheapest?.total ?? null,
    smallest: extremes.smallest?.total ?? null,
    dearest: extremes.dearest?.total ?? null,
    holes,
    reached,
    overdrawn: new Set(extremes.overdrawn.map(({ adjustment }) => adjustment)),
    meet: new Set(meet.map(([one, other]) => `${one} ${other}`)),
  }
}

/** The event of a seed and number: the first of its draws that is small enough to be tried whole. */
export function eventOfSeed(seed: number, number: number): EventConfig {
  for (let draw = 0; ; draw += 1) {
    const event = randomEvent(seed, number, draw)
    if (combinationsOf(event) <= TRIED_MAX) return event
  }
}

/** An amount off what is counted may leave least at a number between one and the most, which no proof looks at. */
function isAbove({ fees }: EventConfig, claimed: Found, tried: Found): boolean {
  const takesOff = fees.adjustments.some(({ by }) => 'amount' in by && by.amount < 0)
  return takesOff && (claimed.smallest ?? Infinity) > (tried.smallest ?? Infinity)
}

/** Where the two differ, in words; empty where they agree. */
export function differences(event: EventConfig): readonly string[] {
  const claimed = proved(event)
  if (claimed === null) return ['not proved']
  const tried = triedAll(event)
  const sets = (['holes', 'reached', 'overdrawn', 'meet'] as const).flatMap((part) => [
    ...[...claimed[part]]
      .filter((one) => !tried[part].has(one))
      .map((one) => `${part}: only claimed: ${one}`),
    ...[...tried[part]]
      .filter((one) => !claimed[part].has(one))
      .map((one) => `${part}: only tried: ${one}`),
  ])
  return [
    ...(['cheapest', 'smallest', 'dearest'] as const).flatMap((end) =>
      claimed[end] === tried[end] || (end === 'smallest' && isAbove(event, claimed, tried))
        ? []
        : [`${end}: claimed ${claimed[end]}, tried ${tried[end]}`],
    ),
    ...sets,
  ]
}
