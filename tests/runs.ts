/**
 * How often what is tried at random is tried: in `npm test` a part, which everybody waits for; in `npm run thorough`, and
 * with RUNS=all before any of the commands, as often as the test says.
 */
const PART = 4

export const ALL_RUNS = process.env['RUNS'] === 'all'

/**
 * Registers a test in `npm run thorough` only: a control of the tests' own instruments, or a scenario on a second
 * version, database or width of which `npm test` has the first.
 */
export const thoroughly = (register: () => void): void => {
  if (ALL_RUNS) register()
}

/** So many of all, a quarter of them where nothing is said. */
export const runs = (all: number, some = Math.ceil(all / PART)): number => (ALL_RUNS ? all : some)
