/** How many runs a random test has: a fraction in `npm test`, all in `npm run thorough` or with RUNS=all. */
const PART_DIVISOR = 4

export const ALL_RUNS = process.env['RUNS'] === 'all'

/**
 * Defines a test that only `npm run thorough` runs: a negative control of the test tools, or a scenario whose first
 * version, database or width is in `npm test`.
 */
export const registerThorough = (register: () => void): void => {
  if (ALL_RUNS) register()
}

/** Returns the given fraction of all runs, a quarter by default. */
export const chooseRuns = (all: number, part = Math.ceil(all / PART_DIVISOR)): number =>
  ALL_RUNS ? all : part
