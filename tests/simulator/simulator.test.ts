/** Runs payment histories in `npm test`. For longer runs, replay and controls, see docs/money/simulator.md. */
import { describe, expect, test } from 'vitest'
import { explainMismatch } from '../mistakes.ts'
import { chooseRuns } from '../runs.ts'
import { readControls } from './controls.ts'
import { runHistory } from './history.ts'
import { drawPlan } from './plan.ts'
import { DESIGN, STAFF_PROFILES, FAULT_PROFILES } from './profiles.ts'
import type { Profile } from './profiles.ts'
import { shrinkPlan } from './shrink.ts'
import { simulate } from './simulate.ts'

/** Fixed so that all runs are comparable. A different seed generates different histories. */
const SEED = 20261121
/** The number of histories in `npm test`. `npm run simulate` runs any number. */
const HISTORIES = chooseRuns(100, 32)
const HISTORIES_OF_FAULTS = chooseRuns(5, 1)
const HISTORIES_OF_SEATS = chooseRuns(40, 14)
const HISTORIES_OF_DESK = chooseRuns(30, 8)

function findProfile(name: string): Profile {
  const profile = [...FAULT_PROFILES, ...STAFF_PROFILES].find(
    (candidate) => candidate.name === name,
  )
  if (profile === undefined) throw new Error(`There is no profile ${name}`)
  return profile
}

describe('payments under faults', () => {
  test('no invariant is violated by the faults that the design must survive', async () => {
    const { row, found } = await simulate(DESIGN, SEED, 0, HISTORIES, shrinkPlan)
    expect(found).toEqual([])
    // Checks that every kind of fault has occurred.
    const {
      captures,
      lateCaptures,
      secondCaptures,
      reviews,
      crashes,
      questions: queries,
      figures,
    } = row.counts
    for (const count of [
      captures,
      lateCaptures,
      secondCaptures,
      reviews,
      crashes,
      queries,
      figures,
    ])
      expect(count).toBeGreaterThan(chooseRuns(10, 0))
  })
  test(
    'no invariant is violated if delegates compete for a few seats and codes',
    { tags: ['slow'] },
    async () => {
      const { row, found } = await simulate(
        findProfile('few places'),
        SEED,
        0,
        HISTORIES_OF_SEATS,
        shrinkPlan,
      )
      expect(found).toEqual([])
      const { full, codesUsed, codesRefused, placesGone: soldOutSeats } = row.counts
      for (const count of [full, codesUsed, codesRefused])
        expect(count).toBeGreaterThan(chooseRuns(10, 4))
      expect(soldOutSeats).toBeGreaterThan(chooseRuns(0, -1))
    },
  )
  test(
    'no invariant is violated if staff also act on registrations',
    { tags: ['slow'] },
    async () => {
      const { row, found } = await simulate(
        findProfile('desk'),
        SEED,
        0,
        HISTORIES_OF_DESK,
        shrinkPlan,
      )
      expect(found).toEqual([])
      const { acts: actions, acted: completedActions } = row.counts
      for (const count of [completedActions, actions - completedActions])
        expect(count).toBeGreaterThan(chooseRuns(30, 20))
    },
  )
  // The tests above run these profiles.
  const TESTED_PROFILES = ['few places', 'desk']
  test.each(
    [...FAULT_PROFILES, ...STAFF_PROFILES].filter(({ name }) => !TESTED_PROFILES.includes(name)),
  )('no invariant is violated in the profile $name', { tags: ['slow'] }, async (profile) => {
    const { found } = await simulate(profile, SEED, 0, HISTORIES_OF_FAULTS, shrinkPlan)
    expect(found).toEqual([])
  })
})

test(
  'the same seed produces the same history, down to the last line and millisecond',
  { tags: ['slow'] },
  async () => {
    for (const history of [1, 2, 3].slice(0, chooseRuns(3, 2))) {
      const plan = drawPlan(DESIGN, SEED, history)
      const [firstTrace, secondTrace]: string[][] = [[], []]
      await runHistory(plan, { trace: (line) => void firstTrace?.push(line) })
      await runHistory(plan, { trace: (line) => void secondTrace?.push(line) })
      expect(firstTrace?.length).toBeGreaterThan(20)
      expect(secondTrace).toEqual(firstTrace)
    }
  },
)

test('every control still applies to the source tree', () => {
  const controls = readControls()
  expect(controls.length).toBeGreaterThanOrEqual(18)
  const mismatches = controls.map((control) => [control.name, explainMismatch(control)])
  expect(mismatches.filter(([, misfit]) => misfit !== null)).toEqual([])
})
