/**
 * Which tests run, and how often. `npm test` (RUNS=commit) leaves out slow tests, so that it takes a few minutes.
 * `npm test -- FOLDER` and Vitest itself run every test of that folder. `npm run thorough` (RUNS=all) also runs all
 * variants and repetitions.
 */

/** How many runs a random test has outside `npm run thorough`: one part of all. */
const PART_DIVISOR = 4

export const ALL_RUNS = process.env['RUNS'] === 'all'

/** Whether slow tests are left out. */
export const IS_COMMIT_RUN = process.env['RUNS'] === 'commit'

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

/** Files that only `npm run thorough` runs. */
const THOROUGH_FILES = [
  'tests/crash/postgres-faults.test.ts',
  'tests/browser/every-category.test.ts',
]

/**
 * Slow files: each starts many servers, commands or pages, or repeats random input. Run them before a release, and when
 * you change what they test. If only some tests of a file are slow, they have the tag `slow`.
 */
const SLOW_FILES = [
  // Servers that lose their disk, database, network, memory or clock.
  'tests/crash/{fsync,money-killed,several-servers,store-killed,whole-servers}.test.ts',
  'tests/server/mail/{background-process,retries}.test.ts',
  'tests/server/ops/{doctor-beside-server,exhausted-resources,log-of-killed-server,log-of-refusals}.test.ts',
  'tests/server/ops/{lost-database,lost-while-starting,mail-server-refuses,memory-at-rest}.test.ts',
  'tests/server/ops/{overnight,postgres-states,recovery,recovery-foretold,removed-event-files}.test.ts',
  'tests/server/ops/{rescued-database,signals,silent-mail-server,socket-activation,start,wrong-clock}.test.ts',
  // Released packages, object storage, other versions of the database and of PostgreSQL, and large tables.
  'tests/server/ops/{production-libraries,release}.test.ts',
  'tests/server/storage/{migrated-version-30,move-database,name-search,oldest-postgres,several-hosts}.test.ts',
  'tests/server/registration/uploads-in-s3.test.ts',
  // Random requests, files and histories: also `npm run attacks`, `npm run mutants` and `npm run simulate`.
  'tests/attacks/{bodies,event-files,guessing,random,sheets,slow}.test.ts',
  'tests/engine/answers/event-file-schemas.test.ts',
  'tests/engine/authoring/{correct-files,mutants,repeat-event,slow-files}.test.ts',
  'tests/mutants/**',
  'tests/proofs/proofs.test.ts',
  'tests/server/registration/photo-metadata.test.ts',
  'tests/server/http/unexpected-json.test.ts',
  'tests/simulator/postgres.test.ts',
  // The scripts of every page, and the demo's thousands of registrations.
  'tests/browser-support.test.ts',
  'tests/server/cli/demo.test.ts',
  // Pages in a browser, after the journeys of each role.
  'tests/browser/{added-events,before-scripts,duplicate-payment,keyboard,landing,layout,old-browsers}.test.ts',
  'tests/browser/{organisers-created-file,payments-from-abroad,published-events,razorpay}.test.ts',
  'tests/browser/{result-pages,screen-reader-errors,three-events}.test.ts',
  'tests/browser/office/{actions,approval-and-statement,currency,discount-codes,emails-and-event-files,frame}.test.ts',
  'tests/browser/office/{lists,manual-payment,payments,recovery,team,treasurer}.test.ts',
  'tests/specification/{free,seen}.browser.test.ts',
]

/** Glob patterns of all files that a run may leave out. */
export const OPTIONAL_FILES: readonly string[] = [...THOROUGH_FILES, ...SLOW_FILES]

/** Glob patterns of the files that this run leaves out. */
export const EXCLUDED_FILES: readonly string[] = [
  ...(ALL_RUNS ? [] : THOROUGH_FILES),
  ...(IS_COMMIT_RUN ? SLOW_FILES : []),
]
