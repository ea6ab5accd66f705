/**
 * The number of runs of random tests: `npm test` makes a part of them to save time; `npm run
 * thorough`, and any command with RUNS=all, makes all that the test states.
 */
const PART = 4

export const ALL_RUNS = process.env['RUNS'] === 'all'

/**
 * Registers a test in `npm run thorough` only: a control of the test tools, or a scenario on a
 * second version, database or width whose first one is in `npm test`.
 */
export const registerThorough = (register: () => void): void => {
  if (ALL_RUNS) register()
}

/** That part of all runs; a quarter by default. */
export const chooseRuns = (all: number, part = Math.ceil(all / PART)): number =>
  ALL_RUNS ? all : part
