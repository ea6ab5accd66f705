/** Sorts the test files so that slow ones start first, and no core is idle while one file continues alone. */
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

// Vitest itself uses recorded durations, or file sizes in a fresh clone.

/** A worker is used again only for a file of the same project, so the files of a project stay together. */
const PROJECTS = ['web', 'browser', 'crash', 'node']
/**
 * Within a project: tests that attack a server mostly wait; tests that only compute fill the cores
 * at the end.
 */
const KINDS = [/\/tests\/attacks\//, /\/tests\/(server|simulator)\//]

/** Files that compute or wait for more than about eight seconds, although some of them are short. Longest first. */
const SLOW_FILES = [
  'server/ops/overnight',
  'server/ops/lost-database',
  'server/ops/postgres-states',
  'server/storage/postgres',
  'simulator/simulator',
  'attacks/sheets',
  'server/storage/oldest-postgres',
  'browser/other-browsers',
  'browser/result-pages',
  'browser/paid',
  'browser/before-scripts',
  'browser/unpaid',
  'browser/office/office',
  'organisers',
  'pages.browser',
  'browser/office/treasurer',
  'every-category',
  'browser/screen-reader-errors',
  'browser/three-events',
  'browser/added-events',
  'browser/office/approval-and-statement',
  'attacks/bodies',
  'attacks/office',
  'attacks/random',
  'server/ops/server-process',
  'server/ops/signals',
  'server/ops/restore',
  'server/payments/pay',
  'server/storage/move-database',
  'server/ops/socket-activation',
  'server/ops/exhausted-resources',
  'server/ops/production-libraries',
  'server/http/unexpected-json',
  'server/storage/sqlite',
  'server/office/reconciliation/bank-references',
  'server/payments/poll-payments',
  'server/events/versions-on-two-servers',
  'simulator/postgres',
  'random',
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

/**
 * This file takes half a minute of one core. It starts together with the server tests, because otherwise it would end
 * last.
 */
const LONGEST_FILE = 'mutants/mutants'
const SERVER_KIND = 1

const rankFile = ({ moduleId, project }: TestSpecification): readonly [number, number, number] => {
  const projectRank = PROJECTS.indexOf(project.name)
  if (moduleId.endsWith(`/${LONGEST_FILE}.test.ts`)) return [projectRank, SERVER_KIND, -1]
  const kind = KINDS.findIndex((folder) => folder.test(moduleId))
  const slowIndex = SLOW_FILES.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return [
    projectRank,
    kind === -1 ? KINDS.length : kind,
    slowIndex === -1 ? SLOW_FILES.length : slowIndex,
  ]
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((first, second) => {
      const [[project, kind, long], [otherProject, otherKind, otherLong]] = [
        rankFile(first),
        rankFile(second),
      ]
      return project - otherProject || kind - otherKind || long - otherLong
    })
  }
}
