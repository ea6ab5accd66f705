/** Sorts the test files so that slow ones start first, and no core is idle while one file continues alone. */
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

// Vitest itself uses recorded durations, or file sizes in a fresh clone.

/** A worker is used again only for a file of the same project, so the files of a project stay together. */
const PROJECTS = ['web', 'browser', 'crash', 'node']
/** Within a project: tests that only compute fill the cores at the end. */
const FIRST_FOLDERS = /\/tests\/(attacks|server|simulator|mutants)\//

/**
 * Files of the project `node` that mostly wait, for a timeout or another process, longest first. If they ran at the
 * same time, the cores would be idle, so they are spread among the other files.
 */
const WAITING_FILES = [
  'server/ops/lost-database',
  'server/ops/removed-event-files',
  'server/ops/silent-mail-server',
  'server/ops/exhausted-resources',
  'server/ops/overnight',
  'attacks/office',
  'server/ops/recovery',
  'attacks/bodies',
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
/** One waiting file starts after this number of other files. */
const WAITING_INTERVAL = 9

/** Other files that take more than about eight seconds, although some of them are short. Longest first. */
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
  'crash/whole-servers',
  'crash/server-killed',
  'crash/money-killed',
  'crash/postgres-faults',
  'crash/fsync',
  'crash/several-servers',
]

/** Files named in this module; a test checks that each exists. */
export const NAMED_FILES: readonly string[] = [...WAITING_FILES, ...SLOW_FILES]

const findIndex = (files: readonly string[], moduleId: string): number =>
  files.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))

const rankFile = ({ moduleId, project }: TestSpecification): readonly [number, number, number] => {
  const slowIndex = findIndex(SLOW_FILES, moduleId)
  return [
    PROJECTS.indexOf(project.name),
    FIRST_FOLDERS.test(moduleId) ? 0 : 1,
    slowIndex === -1 ? SLOW_FILES.length : slowIndex,
  ]
}

/** Inserts one waiting file before every `WAITING_INTERVAL` other files of the project `node`. */
function spreadWaitingFiles(files: readonly TestSpecification[]): readonly TestSpecification[] {
  const waitingFiles = files
    .filter(({ moduleId }) => findIndex(WAITING_FILES, moduleId) !== -1)
    .toSorted(
      (first, second) =>
        findIndex(WAITING_FILES, first.moduleId) - findIndex(WAITING_FILES, second.moduleId),
    )
  const otherFiles = files.filter((file) => !waitingFiles.includes(file))
  const firstOfNode = otherFiles.findIndex(({ project }) => project.name === 'node')
  const spreadFiles = otherFiles.flatMap((file, index) => {
    const isInsertionPoint =
      firstOfNode !== -1 && index >= firstOfNode && (index - firstOfNode) % WAITING_INTERVAL === 0
    const [waitingFile] = isInsertionPoint ? waitingFiles.splice(0, 1) : []
    return waitingFile === undefined ? [file] : [waitingFile, file]
  })
  return [...spreadFiles, ...waitingFiles]
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sortedFiles = (await super.sort(files)).toSorted((first, second) => {
      const [[project, folder, duration], [otherProject, otherFolder, otherDuration]] = [
        rankFile(first),
        rankFile(second),
      ]
      return project - otherProject || folder - otherFolder || duration - otherDuration
    })
    return [...spreadWaitingFiles(sortedFiles)]
  }
}
