/**
 * In which order the files of tests are run: what takes long begins first, so that no core stands idle at the
 * end while one file goes on alone. Vitest itself goes by what it remembers, and in a fresh clone by size.
 */
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/** Browsers wait for servers and servers for browsers; what only computes fills the cores at the end. */
const PROJECTS = ['browser', 'attacks', 'server', 'unit', 'web', 'crash']

/** More than some eight seconds of a core each, though some are short to read. */
const LONG = [
  'store/postgres',
  'organisers',
  'unpaid',
  'pages.browser',
  'result-pages',
  'office.browser',
  'every-category',
  'random',
  'process',
  'lookup',
  'simulator',
  'folder',
  'registry',
  'second-set',
  'checker/mutants',
  'checker/checker',
  'engine/schema',
  'server-killed',
]

/** A minute of one core by itself: begun among the servers, or everything else is done before it. */
const LONGEST = 'mutants/mutants'

const placeOf = ({ moduleId, project }: TestSpecification): readonly [number, number] => {
  if (moduleId.endsWith(`/${LONGEST}.test.ts`)) return [PROJECTS.indexOf('server'), -1]
  const long = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return [PROJECTS.indexOf(project.name), long === -1 ? LONG.length : long]
}

export class LongestFirst extends BaseSequencer {
  // A worker is used again only for a file of the same project, so these stay together.
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => {
      const [[project, long], [otherProject, otherLong]] = [placeOf(one), placeOf(other)]
      return project - otherProject || long - otherLong
    })
  }
}
