/** The checker finds typical mistakes in the repository's event files. */
import { expect, test } from 'vitest'
import { FOLDERS, runMutants, formatResults } from './run.ts'
import { ALL_RUNS, chooseRuns } from '../runs.ts'

/** A prime number, so that no kind of mistake is always skipped. `npm run mutants` checks every mutant. */
const STRIDE = ALL_RUNS ? 37 : 227

test('the checker finds harmful mistakes in the event files at the right lines, and does not report harmless changes', () => {
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
 * The checker proves a complete bill for each mutant, which takes a tenth of a second. `npm run mutants:whole 7` checks
 * more than three thousand mutants.
 */
const WHOLE_STRIDE = ALL_RUNS ? 599 : 2999

test('the checker finds harmful mistakes in events with items, and does not report harmless changes', () => {
  const results = runMutants(FOLDERS.whole, WHOLE_STRIDE, 5)
  console.log(formatResults(results))
  expect(results.harmfulCount).toBeGreaterThanOrEqual(chooseRuns(20, 3))
  expect(results.missed).toEqual([])
  expect(results.misplaced).toEqual([])
  expect(results.falseAlarms).toEqual([])
})
