/** Histories of payments in `npm test`; longer runs, replay and controls: docs/money/simulator.md. */
import { describe, expect, test } from 'vitest'
import { findMisfit } from '../mistakes.ts'
import { runs } from '../runs.ts'
import { controls } from './controls.ts'
import { happen } from './history.ts'
import { planOf } from './plan.ts'
import { DESIGN, DESK, FAULTS } from './profiles.ts'
import type { Profile } from './profiles.ts'
import { shrunk } from './shrink.ts'
import { simulate } from './simulate.ts'

/** Another one finds other histories; this one is looked at by everybody. */
const SEED = 20261121
/** `npm run simulate` takes as many as one has time for. */
const HISTORIES = runs(120, 60)
const HISTORIES_OF_FAULTS = runs(5, 2)
const HISTORIES_OF_PLACES = runs(40, 24)
const HISTORIES_OF_THE_DESK = runs(30, 15)

function profileOf(name: string): Profile {
  const profile = [...FAULTS, ...DESK].find((one) => one.name === name)
  if (profile === undefined) throw new Error(`There is no profile ${name}`)
  return profile
}

describe('whatever happens to a payment', () => {
  test('every promise is kept in what the design promises to survive', async () => {
    const { row, found } = await simulate(DESIGN, SEED, 0, HISTORIES, shrunk)
    expect(found).toEqual([])
    // What was promised was tried.
    const { captures, lateCaptures, secondCaptures, reviews, crashes, questions, figures } =
      row.counts
    for (const happened of [
      captures,
      lateCaptures,
      secondCaptures,
      reviews,
      crashes,
      questions,
      figures,
    ])
      expect(happened).toBeGreaterThan(runs(10, 4))
  })
  test('and where places and codes are few: nobody has what somebody else holds', async () => {
    const { row, found } = await simulate(
      profileOf('few places'),
      SEED,
      0,
      HISTORIES_OF_PLACES,
      shrunk,
    )
    expect(found).toEqual([])
    const { full, codesUsed, codesRefused, placesGone } = row.counts
    for (const happened of [full, codesUsed, codesRefused])
      expect(happened).toBeGreaterThan(runs(10, 4))
    expect(placesGone).toBeGreaterThan(runs(0, -1))
  })
  test('and whatever people of the office do to registrations besides', async () => {
    const { row, found } = await simulate(profileOf('desk'), SEED, 0, HISTORIES_OF_THE_DESK, shrunk)
    expect(found).toEqual([])
    const { acts, acted } = row.counts
    for (const happened of [acted, acts - acted]) expect(happened).toBeGreaterThan(30)
  })
  test.each([...FAULTS, ...DESK])('and with more of it: $name', async (profile) => {
    const { found } = await simulate(profile, SEED, 0, HISTORIES_OF_FAULTS, shrunk)
    expect(found).toEqual([])
  })
})

test('the same seed is the same history, to the last line and millisecond', async () => {
  for (const history of [1, 2, 3]) {
    const plan = planOf(DESIGN, SEED, history)
    const [once, again]: string[][] = [[], []]
    await happen(plan, { trace: (line) => void once?.push(line) })
    await happen(plan, { trace: (line) => void again?.push(line) })
    expect(once?.length).toBeGreaterThan(20)
    expect(again).toEqual(once)
  }
})

test('every mistake that the simulator must find still fits into the tree', () => {
  const all = controls()
  expect(all.length).toBeGreaterThanOrEqual(18)
  const unfit = all.map((control) => [control.name, findMisfit(control)])
  expect(unfit.filter(([, said]) => said !== null)).toEqual([])
})
