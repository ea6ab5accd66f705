/** Sorts the test files so that slow ones start first, and no core is idle while a last file runs alone. */
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

// Vitest itself uses recorded durations, or file sizes in a fresh clone.

/**
 * The groups of files, in order. Tests that only compute run last, so that all cores stay busy. Waiting files
 * start at equal intervals of total weight: component tests do not count, and a browser test counts as four others.
 */
const GROUPS = [
  { pattern: /\/tests\/web\//, weight: 0 },
  { pattern: /\/tests\/browser\/|\.browser\.test\.ts$/, weight: 4 },
  { pattern: /\/tests\/(attacks|server|simulator|mutants)\//, weight: 1 },
  { pattern: /./, weight: 1 },
]

/**
 * Files that mostly wait, for a timeout or another process, longest first. If they ran at the same time, the cores
 * would be idle, so they are spread among the other files.
 */
const WAITING_FILES = [
  'server/ops/lost-database',
  'server/ops/removed-event-files',
  'server/ops/silent-mail-server',
  'server/ops/exhausted-resources',
  'server/ops/overnight',
  'attacks/office',
  'crash/money-killed',
  'crash/server-killed',
  'server/ops/recovery',
  'crash/whole-servers',
  'crash/fsync',
  'attacks/bodies',
  'crash/several-servers',
  'crash/store-killed',
  'server/ops/restore',
  'server/ops/postgres-states',
  'server/ops/rescued-database',
  'attacks/sheets',
  'server/ops/wrong-clock',
  'server/ops/doctor-beside-server',
  'attacks/payments',
  'server/ops/signals',
  'server/ops/doctor',
  'attacks/emails',
  'attacks/random',
  'attacks/shared-account',
  'attacks/guessing',
  'server/mail/retries',
  'server/ops/log-of-killed-server',
  'server/ops/mail-server-refuses',
  'attacks/bank',
  'attacks/permissions',
]
/** Other files that run for more than about eight seconds, even if the file is small. Longest first. */
const SLOW_FILES = [
  'simulator/simulator',
  'server/storage/oldest-postgres',
  'server/storage/postgres',
  'mutants/mutants',
  'browser/organisers-created-file',
  'browser/organisers',
  'browser/other-browsers',
  'browser/unpaid',
  'browser/paid',
  'browser/office/office',
  'browser/before-scripts',
  'pages.browser',
  'browser/office/lists',
  'browser/office/approval-and-statement',
  'browser/result-pages',
  'browser/office/treasurer',
  'browser/form',
  'browser/three-events',
  'browser/added-events',
  'browser/screen-reader-errors',
  'server/ops/server-process',
  'server/events/rehearsal',
  'server/payments/pay',
  'server/storage/move-database',
  'server/ops/socket-activation',
  'server/ops/production-libraries',
  'server/http/unexpected-json',
  'server/storage/sqlite',
  'server/payments/poll-payments',
  'server/events/versions-on-two-servers',
  'simulator/postgres',
  'server/registration/lookup',
  'server/events/event-folder',
  'server/events/event-registry',
  'second-set',
  'engine/authoring/mutants',
  'engine/authoring/every-file',
  'engine/authoring/goldens',
  'engine/answers/json-schema',
  'crash/postgres-faults',
]

/** All files listed in this module. A test checks that each exists. */
export const NAMED_FILES: readonly string[] = [...WAITING_FILES, ...SLOW_FILES]

const findIndex = (files: readonly string[], moduleId: string): number =>
  files.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))

const findGroup = (moduleId: string): number =>
  GROUPS.findIndex(({ pattern }) => pattern.test(moduleId))

const rankFile = ({ moduleId }: TestSpecification): readonly [number, number] => {
  const slowIndex = findIndex(SLOW_FILES, moduleId)
  return [findGroup(moduleId), slowIndex === -1 ? SLOW_FILES.length : slowIndex]
}

/** Inserts the waiting files after the component tests, at equal intervals of the other files' total time. */
function spreadWaitingFiles(files: readonly TestSpecification[]): readonly TestSpecification[] {
  const waitingFiles = files
    .filter(({ moduleId }) => findIndex(WAITING_FILES, moduleId) !== -1)
    .toSorted(
      (first, second) =>
        findIndex(WAITING_FILES, first.moduleId) - findIndex(WAITING_FILES, second.moduleId),
    )
  const otherFiles = files.filter((file) => !waitingFiles.includes(file))
  const weights = otherFiles.map(({ moduleId }) => GROUPS[findGroup(moduleId)]?.weight ?? 1)
  const interval = weights.reduce((total, weight) => total + weight, 0) / (waitingFiles.length + 1)
  let weightSinceLast = 0
  const spreadFiles = otherFiles.flatMap((file, index) => {
    weightSinceLast += weights[index] ?? 0
    if (weightSinceLast < interval) return [file]
    weightSinceLast -= interval
    return [file, ...waitingFiles.splice(0, 1)]
  })
  return [...spreadFiles, ...waitingFiles]
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sortedFiles = (await super.sort(files)).toSorted((first, second) => {
      const [[group, duration], [otherGroup, otherDuration]] = [rankFile(first), rankFile(second)]
      return group - otherGroup || duration - otherDuration
    })
    return [...spreadWaitingFiles(sortedFiles)]
  }
}
