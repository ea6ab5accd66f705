/** The checker finds typical mistakes in our own event files, so that no mistake reaches a delegate. */
import { expect, test } from 'vitest'
import { FOLDERS, runMutants, formatResults } from './run.ts'
import { ALL_RUNS, chooseRuns } from '../runs.ts'

/** Prime numbers, so that no kind of mistake is always skipped; `npm run mutants` skips no mutant. */
const STRIDE = ALL_RUNS ? 37 : 227

test('finds the harmful mistakes in the event files at their lines, and has no finding for the others', () => {
  const results = runMutants(FOLDERS.ours, STRIDE)
  console.log(formatResults(results))
  expect(results.mutantCount).toBeGreaterThanOrEqual(chooseRuns(450, 72))
  expect(results.harmfulCount).toBeGreaterThanOrEqual(chooseRuns(270, 42))
  expect(
    (results.harmfulCount - results.missed.length) / results.harmfulCount,
  ).toBeGreaterThanOrEqual(0.99)
  expect(results.misplaced.length / results.harmfulCount).toBeLessThanOrEqual(0.01)
  expect(results.falseAlarms).toEqual([])
})

/**
 * The checker proves a whole bill for each mutant, which takes a tenth of a second; `npm run mutants:whole 7` tries
 * more than three thousand mutants.
 */
const WHOLE_STRIDE = ALL_RUNS ? 599 : 2999

test('finds the harmful mistakes in events with items, and has no finding for the others', () => {
  const results = runMutants(FOLDERS.whole, WHOLE_STRIDE, 5)
  console.log(formatResults(results))
  expect(results.harmfulCount).toBeGreaterThanOrEqual(chooseRuns(20, 3))
  expect(results.missed).toEqual([])
  expect(results.misplaced).toEqual([])
  expect(results.falseAlarms).toEqual([])
})
