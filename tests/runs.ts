/**
 * How often what is tried at random is tried: in `npm test` a part, which everybody waits for; in `npm run thorough`, and
 * with RUNS=all before any of the commands, as often as the test says.
 */
const PART = 4

export const ALL_RUNS = process.env['RUNS'] === 'all'

/** So many of all, a quarter of them where nothing is said. */
export const runs = (all: number, some = Math.ceil(all / PART)): number => (ALL_RUNS ? all : some)
