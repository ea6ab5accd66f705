/**
 * In which order the files of tests are run: what takes long begins first, so that no core stands idle at the
 * end while one file goes on alone. Vitest itself goes by what it remembers, and in a fresh clone by size.
 */
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/** A worker is used again only for a file of the same project, so these stay together. */
const PROJECTS = ['browser', 'node', 'web', 'crash']
/** Within one: whoever attacks a server waits most of the time; what only computes fills the cores at the end. */
const KINDS = [
  /\/tests\/attacks\//,
  /\/tests\/(server|machine|gateway|office|commands|simulator)\//,
]

/** More than some eight seconds of a core each, or as long of waiting, though some are short to read. The longest first. */
const LONG = [
  'machine/overnight',
  'machine/failing-database',
  'machine/postgres-states',
  'store/postgres',
  'simulator/simulator',
  'attacks/sheets',
  'store/postgres-oldest',
  'browser/other-browsers',
  'browser/result-pages',
  'browser/paid',
  'browser/first-paint',
  'browser/unpaid',
  'office.browser',
  'organisers',
  'pages.browser',
  'treasurer.browser',
  'every-category',
  'errors-told',
  'three-events',
  'further-event',
  'approval.browser',
  'attacks/bodies',
  'attacks/office',
  'attacks/random',
  'server/process',
  'machine/signals',
  'machine/restoring',
  'gateway/paying',
  'store/moving',
  'machine/held',
  'machine/exhausted',
  'production-libraries',
  'unexpected-json',
  'store/sqlite',
  'bank-references',
  'gateway/reconcile',
  'server/several',
  'simulator/postgres',
  'random',
  'process',
  'lookup',
  'folder',
  'registry',
  'second-set',
  'checker/mutants',
  'checker/checker',
  'checker/goldens',
  'engine/schema',
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
