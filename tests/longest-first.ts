/**
 * In which order the files of tests are run: what takes long begins first, so that no core stands idle at the
 * end while one file goes on alone. Vitest itself goes by what it remembers, and in a fresh clone by size.
 */
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/** A worker is used again only for a file of the same project, so these stay together. */
const PROJECTS = ['browser', 'node', 'web', 'crash']
/** Within one: whoever attacks a server waits most of the time; what only computes fills the cores at the end. */
const KINDS = [/\/tests\/attacks\//, /\/tests\/(server|simulator)\//]

/** More than some eight seconds of a core each, or as long of waiting, though some are short to read. The longest first. */
const LONG = [
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
  'crash/several-servers',
  'crash/money-killed',
  'crash/server-killed',
  'whole-servers',
]

/** Half a minute of one core by itself: begun among the servers, or everything else is done before it. */
const LONGEST = 'mutants/mutants'
const SERVERS = 1

const placeOf = ({ moduleId, project }: TestSpecification): readonly [number, number, number] => {
  const place = PROJECTS.indexOf(project.name)
  if (moduleId.endsWith(`/${LONGEST}.test.ts`)) return [place, SERVERS, -1]
  const kind = KINDS.findIndex((folder) => folder.test(moduleId))
  const long = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return [place, kind === -1 ? KINDS.length : kind, long === -1 ? LONG.length : long]
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => {
      const [[project, kind, long], [otherProject, otherKind, otherLong]] = [
        placeOf(one),
        placeOf(other),
      ]
      return project - otherProject || kind - otherKind || long - otherLong
    })
  }
}
