import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/longest-first.ts'
import { EXCLUDED_FILES } from './tests/runs.ts'

const importFirst = (file: string): string[] => ['--import', import.meta.resolve(file)]
/** Arguments for Node. Each project sets them, because projects do not inherit them. */
const execArgv = [
  './tests/keep-compiled.ts',
  './tests/built-threads.ts',
  './tests/quick-environment.ts',
].flatMap(importFirst)

/** A slow page or server is not a failure, so assertions poll as long as Playwright waits for an element. */
const expectations = { poll: { timeout: 200_000 } }

/**
 * No test measures time, and tests that wait for a browser or a server leave the cores to tests that compute. The
 * component tests run first, in parallel with the type check and lint.
 */
export default defineConfig({
  test: {
    reporters: ['default'],
    tags: [{ name: 'slow', description: 'Left out by `npm test` (tests/runs.ts).' }],
    // UPDATE=1 npm test -- tests/engine/authoring replaces the expected output with the actual output. Read the diff.
    update: process.env['UPDATE'] === '1' ? 'all' : 'none',
    // Many tests wait for a browser, a server or PostgreSQL, so there are more workers than cores. Each additional
    // worker compiles the sources again.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Node itself reads our TypeScript, as it does for the server, and caches the compiled code: tests run code that
    // Vite has not rewritten, so a loop over a million answers runs as fast as in production.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        test: {
          // All tests that need no JSX. A worker that has loaded engine and server runs many files, because no test
          // leaves state behind. They share one browser (tests/browser/browser.ts).
          name: 'node',
          expect: expectations,
          // Supports an unmodified Firefox in addition to Chromium, or instead of it: docs/browsers.md.
          execArgv: [...execArgv, ...importFirst('./tests/browser/firefox.ts')],
          isolate: false,
          include: [
            'tests/*.test.ts',
            'tests/{engine,specification,mutants,proofs,guards}/**/*.test.ts',
            'tests/{server,simulator,attacks,browser,crash}/**/*.test.ts',
          ],
          // The benchmarks store older versions of the sources in this cache.
          exclude: ['tests/.cache/**', ...EXCLUDED_FILES],
          sequence: { groupOrder: 1 },
          // Property tests and attacks on servers take a while on a busy machine. With HEADED=1, the browser is slowed
          // down for a person who watches and may pause it.
          testTimeout: process.env['HEADED'] === '1' ? 0 : 600_000,
          hookTimeout: process.env['HEADED'] === '1' ? 0 : 600_000,
        },
      },
      {
        test: {
          name: 'web',
          execArgv,
          // Node cannot run JSX, so Vite transforms these files.
          experimental: { viteModuleRunner: true },
          isolate: false,
          include: ['tests/web/**/*.test.{ts,tsx}'],
          // Each worker transforms React and MUI again.
          maxWorkers: 2,
          // Vitest's default of five seconds is too short on a busy machine.
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
