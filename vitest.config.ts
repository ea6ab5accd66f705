import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/longest-first.ts'
import { ALL_RUNS } from './tests/runs.ts'

/** Not handed down to the projects by itself. */
const keepCompiled = ['--import', import.meta.resolve('./tests/keep-compiled.ts')]
const execArgv = [...keepCompiled, '--import', import.meta.resolve('./tests/quick-environment.ts')]

/** A page or a server that is slow is not wrong: as long as Playwright waits for what is to be seen. */
const expectations = { poll: { timeout: 200_000 } }

/**
 * Kinds of tests with one queue of files: nothing here measures time, and what waits (a browser, a server) leaves
 * the cores to what computes. The tests of components come first, beside types and lint.
 */
export default defineConfig({
  test: {
    reporters: ['default'],
    // UPDATE=1 npm test -- tests/engine/authoring: what is printed becomes what is expected. Read the difference.
    update: process.env['UPDATE'] === '1' ? 'all' : 'none',
    // A browser and its server wait for each other, and an operator's test for a server, a mail server or PostgreSQL:
    // four at once left a quarter of two cores idle.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // Node itself reads our TypeScript, as it does for the server, and keeps what it has compiled: nothing is
    // rewritten on its way into a test, and a loop over a million answers runs as fast as it will later.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        test: {
          // What Node runs is one project: a worker that has read engine and server once serves file after file, and
          // nothing here keeps a state of its own.
          name: 'node',
          expect: expectations,
          execArgv,
          isolate: false,
          include: [
            'tests/*.test.ts',
            'tests/{engine,specification,mutants,proofs,guards}/**/*.test.ts',
            'tests/{server,simulator,attacks}/**/*.test.ts',
          ],
          exclude: ['tests/**/*.browser.test.ts'],
          sequence: { groupOrder: 1 },
          // Property tests, and servers that are attacked, take a while on a busy machine.
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'web',
          execArgv,
          // What stands beside a component: JSX is not for Node.
          experimental: { viteModuleRunner: true },
          isolate: false,
          include: ['tests/web/**/*.test.{ts,tsx}'],
          // Each worker transforms React and MUI again.
          maxWorkers: 2,
          // Where nothing is said it is five seconds, which a busy machine can take for anything.
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'browser',
          expect: expectations,
          // A stock Firefox beside Chromium, or in its place: docs/browsers.md.
          execArgv: [...keepCompiled, '--import', './tests/browser/firefox.ts'],
          // The files of a worker share its browser (tests/browser/browser.ts).
          isolate: false,
          include: ['tests/browser/**/*.test.ts', 'tests/**/*.browser.test.ts'],
          // The bench keeps older versions there.
          exclude: ['tests/.cache/**'],
          sequence: { groupOrder: 1 },
          // HEADED=1 slows the browser down for a person who watches, and may stop it.
          testTimeout: process.env['HEADED'] === '1' ? 0 : 600_000,
          hookTimeout: process.env['HEADED'] === '1' ? 0 : 600_000,
        },
      },
      {
        test: {
          name: 'crash',
          expect: expectations,
          execArgv: keepCompiled,
          include: ['tests/crash/**/*.test.ts'],
          exclude: ALL_RUNS ? [] : ['tests/crash/postgres-faults.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
