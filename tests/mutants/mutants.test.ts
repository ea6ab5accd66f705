/** No mistake in an event file reaches a delegate: the ways people err, tried on our own files. */
import { expect, test } from 'vitest'
import { FOLDERS, runMutants, sayCount } from './run.ts'
import { ALL_RUNS, runs } from '../runs.ts'

/** Primes, so that no kind of mistake falls through the same gap every time; `npm run mutants` leaves none out. */
const STRIDE = ALL_RUNS ? 37 : 227

test('of mistakes all over the event files the harmful ones are found, where they are, and the others raise nothing', () => {
  const count = runMutants(FOLDERS.ours, STRIDE)
  console.log(sayCount(count))
  expect(count.mutants).toBeGreaterThanOrEqual(runs(450, 72))
  expect(count.harmful).toBeGreaterThanOrEqual(runs(270, 42))
  expect((count.harmful - count.missed.length) / count.harmful).toBeGreaterThanOrEqual(0.99)
  expect(count.elsewhere.length / count.harmful).toBeLessThanOrEqual(0.01)
  expect(count.alarms).toEqual([])
})

/** Each proves a whole bill anew, which takes a tenth of a second: `npm run mutants:whole 7` tries three thousand and more. */
const WHOLE_STRIDE = ALL_RUNS ? 599 : 2999

test('of mistakes in events that sell more than a registration the harmful ones are found, and the others raise nothing', () => {
  const count = runMutants(FOLDERS.whole, WHOLE_STRIDE, 5)
  console.log(sayCount(count))
  expect(count.harmful).toBeGreaterThanOrEqual(runs(20, 3))
  expect(count.missed).toEqual([])
  expect(count.elsewhere).toEqual([])
  expect(count.alarms).toEqual([])
})
