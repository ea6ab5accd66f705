/** Checks the source tree: entry points, layers, import cycles, crowded folders, and the names that docs cite. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GATEWAY_CAPABILITIES } from '../engine/index.ts'
import type { GatewayKind } from '../engine/index.ts'
import { GATEWAY_CREDENTIALS } from '../server/payments/gateways/credentials.ts'
import { NAMED_FILES } from './longest-first.ts'
import { OPTIONAL_FILES } from './runs.ts'

const ROOT = join(import.meta.dirname, '..')
const paths = ['engine', 'server', 'web', 'tests', 'bin'].flatMap((top) =>
  readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(ROOT, posix.join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(dist|\.cache|node_modules)\//.test(path)),
)
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const sources = paths.filter((path) => /\.(ts|tsx|js)$/.test(path))

describe("the engine's entry points name each export, and every export is used outside the engine", () => {
  test.each([
    ['index.ts', 'applyPaymentEvent'],
    ['api.ts', 'ErrorResponse'],
    ['messages.ts', 'SERVER_MESSAGES'],
    ['authoring.ts', 'compileEvent'],
  ])('engine/%s', (entryPoint, sampleExport) => {
    const source = read(`engine/${entryPoint}`)
    expect(source).not.toContain('export *')
    const parseNames = (list: string): readonly string[] =>
      list.split(',').map((name) =>
        name
          .replace(/\btype\b/, '')
          .replace(/ as .*/s, '')
          .trim(),
      )
    const exportedNames = [...source.matchAll(/\{([^}]*)\}/g)]
      .flatMap(([, names = '']) => parseNames(names))
      .filter(Boolean)
    expect(exportedNames).toContain(sampleExport)
    const imports = new RegExp(
      String.raw`\{([^{}]*)\}\s*(?:from|= await import\()\s*\W*[^'"]*engine/${entryPoint.replace('.', '\\.')}'`,
      'g',
    )
    const importedNames = new Set(
      sources.flatMap((path) =>
        path.startsWith('engine/')
          ? []
          : [...read(path).matchAll(imports)].flatMap(([, names = '']) => parseNames(names)),
      ),
    )
    expect(exportedNames.filter((name) => !importedNames.has(name))).toEqual([])
  })
})

/** Lists every relative import of a source file, including types and lazy imports. */
const listImports = (path: string): readonly string[] =>
  [...read(path).matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)]
    .map((importMatch) => posix.join(posix.dirname(path), importMatch[1] ?? ''))
    .filter((target) => target !== path)

test('neither the running server nor its store threads import modules that check event files', () => {
  const visited = new Set<string>()
  const walk = (path: string): void => {
    if (visited.has(path)) return
    visited.add(path)
    const source = read(path)
    for (const [, target = ''] of source.matchAll(
      /^(?:import|export) (?!type\b)(?:[^']*? from )?'(\.[^']+)'/gm,
    ))
      walk(posix.join(posix.dirname(path), target))
  }
  for (const thread of [
    'server/storage/database/writer-worker.ts',
    'server/storage/database/reader-worker.ts',
  ])
    walk(thread)
  expect([...visited]).toContain('engine/payments/payment.ts')
  expect([...visited].filter((path) => path.startsWith('engine/authoring'))).toEqual([])
})

test('there are no import cycles, not even of type-only imports: move shared code to a third file', () => {
  const code = paths.filter((path) => /^(engine|server|web)\/.*\.tsx?$/.test(path))
  const importGraph = new Map(code.map((path) => [path, listImports(path)]))
  expect(importGraph.get('web/app/main.tsx')?.length ?? 0, 'reads the imports').toBeGreaterThan(5)
  const finished = new Set<string>()
  const importCycles: string[] = []
  const walk = (path: string, ancestors: readonly string[]): void => {
    const position = ancestors.indexOf(path)
    if (position >= 0) importCycles.push([...ancestors.slice(position), path].join(' → '))
    if (position >= 0 || finished.has(path)) return
    for (const imported of importGraph.get(path) ?? []) walk(imported, [...ancestors, path])
    finished.add(path)
  }
  for (const path of code) walk(path, [])
  expect(importCycles).toEqual([])
})

describe('code outside the gateways’ folders does not depend on the list of gateways', () => {
  const kinds = Object.keys(GATEWAY_CAPABILITIES)
  const folder = 'server/payments/gateways'
  const otherFiles = paths.filter(
    (path) =>
      /^(engine|server|web)\/.*\.tsx?$/.test(path) &&
      !kinds.some((kind) => path.startsWith(`${folder}/${kind}/`)),
  )
  /** Tables whose completeness the compiler checks. */
  const tables = [`${folder}/credentials.ts`, `${folder}/registry.ts`]
  test('no other file compares a gateway’s kind: use its registry entry or its capabilities', () => {
    const kindPattern = new RegExp(`'(?:${kinds.join('|')})'`)
    expect(otherFiles.filter((path) => kindPattern.test(read(path)))).toEqual([
      'engine/event/payment-method-types.ts',
      'engine/payments/gateways/capabilities.ts',
    ])
  })
  test('each gateway has a page, and docs/settings.md lists its variables', () => {
    const settings = read('docs/settings.md')
    const missingPages = kinds.flatMap((kind) => {
      const { parts, optionalParts = [] } = GATEWAY_CREDENTIALS[kind as GatewayKind]
      const prefix = `\`${kind.toUpperCase()}_<ACCOUNT>_`
      const row = settings.split('\n').filter((line) => line.includes(prefix))
      return [
        ...(readdirSync(join(ROOT, 'docs')).includes(`${kind}.md`) ? [] : [`docs/${kind}.md`]),
        ...[...parts, ...optionalParts].filter((part) => !row.join().includes(`_${part}\``)),
      ]
    })
    expect(kinds.length).toBeGreaterThan(1)
    expect(missingPages).toEqual([])
  })
  test('only the gateway tables import from the gateways’ folders', () => {
    const isInFolder = (target: string): boolean =>
      kinds.some((kind) => target.startsWith(`${folder}/${kind}/`))
    const importers = otherFiles.filter((path) => listImports(path).some(isInFolder))
    expect(importers.toSorted()).toEqual(tables)
  })
})

/** The engine's folders, lowest layer first. Each folder imports only from the folders before it. */
const ENGINE_LAYERS = [
  'lib',
  'text-catalogue',
  'event',
  'rules',
  'answers',
  'pricing',
  'registration',
  'payments',
  'documents',
  'reports',
  'api',
  'messages',
  'authoring',
]

describe('the engine’s folders form layers', () => {
  const code = paths.filter((path) => /^engine\/[^/]+\/.*\.ts$/.test(path))
  const getLayer = (path: string): string => path.split('/')[1] ?? ''
  test('each folder imports only from the folders before it', () => {
    const upwardImports = code.flatMap((path) =>
      listImports(path).flatMap((target) =>
        ENGINE_LAYERS.indexOf(getLayer(target)) > ENGINE_LAYERS.indexOf(getLayer(path))
          ? [`${path} → ${target}`]
          : [],
      ),
    )
    expect(code.length).toBeGreaterThan(200)
    expect(upwardImports).toEqual([])
  })
  test('every folder is listed as a layer', () => {
    expect([...new Set(code.map(getLayer))].toSorted()).toEqual(ENGINE_LAYERS.toSorted())
  })
})

test('no code folder has more than 20 entries, except the folder of migrations', () => {
  const entries = new Map<string, Set<string>>()
  for (const path of paths.filter((sourcePath) => /^(engine|server|web)\//.test(sourcePath))) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/')
      entries.set(folder, (entries.get(folder) ?? new Set()).add(parts[depth] ?? ''))
    }
  }
  const crowdedFolders = [...entries]
    .filter(([folder, names]) => names.size > 20 && folder !== 'server/storage/migrations')
    .map(([folder]) => folder)
  expect(entries.size).toBeGreaterThan(20)
  expect(crowdedFolders).toEqual([])
})

/** Each call to the store, a gateway or the payments module is dispatched through one of these tables. */
const OPERATION_TABLES = [
  'server/storage/operations/writes.ts',
  'server/payments/gateways/airpay/definition.ts',
  'server/assemble-server.ts',
]
describe('the diagrams in docs/architecture', () => {
  const page = read('docs/architecture/README.md')
  const readSection = (heading: string): string =>
    page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  test('show the engine’s layers in order', () => {
    expect(readSection('Layers')).toContain(`"${ENGINE_LAYERS.join(' → ')}"`)
  })
  test.each([
    ['From the form to a stored registration', 6],
    ['From a gateway message to a paid registration', 8],
  ])('%s: list at most %i server files, each called by an earlier one', (heading, maximum) => {
    const steps = [...readSection(heading).matchAll(/^ {2}(\w)\["(\S+?)<br>(\w+): /gm)].map(
      ([, letter = '', path = '', name = '']) => ({ letter, path, name }),
    )
    expect(steps.map(({ path }) => path).filter((path) => !sources.includes(path))).toEqual([])
    expect(steps.length).toBeGreaterThan(3)
    expect(steps.length).toBeLessThanOrEqual(maximum)
    expect(readSection(heading)).toContain(`  ${steps.map(({ letter }) => letter).join(' --> ')}\n`)
    const isCalledByEarlierStep = (
      { path, name }: (typeof steps)[number],
      index: number,
    ): boolean =>
      steps.slice(0, index).some((earlier) => {
        const text = read(earlier.path)
        const isImported = listImports(earlier.path).includes(path)
        return isImported
          ? new RegExp(`\\b${name}\\(`).test(text)
          : new RegExp(`\\b(store|gateway|payments)\\.${name}\\(`).test(text) &&
              OPERATION_TABLES.some((table) => listImports(table).includes(path))
      })
    expect(steps.slice(1).filter((step, index) => !isCalledByEarlierStep(step, index + 1))).toEqual(
      [],
    )
    const isDefinedIn = ({ path, name }: (typeof steps)[number]): boolean =>
      new RegExp(`(function|const) ${name}\\b|^ +(async )?${name}(: |\\()`, 'm').test(read(path))
    expect(steps.filter((step) => !isDefinedIn(step))).toEqual([])
  })
})

test('docs/architecture/storage.md lists the kinds of lock in the order in which they are acquired', () => {
  const [, order = ''] =
    /LOCK_ORDER = \[([^\]]*)\]/.exec(read('server/storage/database/sqlite-connection.ts')) ?? []
  const kinds = [...order.matchAll(/'([^']+)'/g)].map(([, kind]) => kind)
  const section = read('docs/architecture/storage.md')
    .split(/^## /m)
    .find((text) => text.startsWith('Order of locks\n'))
  const listedKinds = [...(section ?? '').matchAll(/^\| `([a-z ]+)` \|/gm)].map(([, kind]) => kind)
  expect(kinds).toContain('registration')
  expect(listedKinds).toEqual(kinds)
})

test('every test file in the start order exists', () => {
  const missingFiles = NAMED_FILES.filter(
    (name) => !paths.some((path) => path.endsWith(`/${name}.test.ts`)),
  )
  expect(missingFiles).toEqual([])
})

test('every test file that a run may leave out exists', () => {
  const missing = OPTIONAL_FILES.flatMap((pattern) => {
    const names = /^(.*)\{(.*)\}(.*)$/.exec(pattern)
    const files = names?.[2]?.split(',').map((name) => `${names[1]}${name}${names[3]}`) ?? [pattern]
    return files.filter((file) => globSync(file, { cwd: ROOT }).length === 0)
  })
  expect(missing).toEqual([])
})

test('the modules in the web app’s bundle definitions exist', () => {
  const tests = read('web/vite.config.ts').match(/(?<=^ *test: ).+(?=,$)/gm) ?? []
  const namedModules = tests.flatMap((test) =>
    [...test.replace(/\|node_modules.*/, '').matchAll(/(?<![\w-])[a-z]+(?:-[a-z]+)*/g)].map(
      ([name]) => name,
    ),
  )
  expect(namedModules).toContain('closed-page')
  // A module may be identified by a prefix of its file name.
  const exists = (name: string): boolean =>
    name === 'css' ||
    paths.some((path) => path.split('/').some((segment) => segment.startsWith(name)))
  expect(namedModules.filter((name) => !exists(name))).toEqual([])
})

test('every link to a heading in docs leads to an existing heading', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('findings/'))
    .map((name) => `docs/${name}`)
  // Returns a heading's anchor as GitHub generates it.
  const makeAnchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-')
  const links = [...pages, 'README.md', 'CONTRIBUTING.md'].flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(([, path = '', anchor]) => {
      const target = path === '' ? page : posix.join(posix.dirname(page), path)
      const headings = read(target).match(/(?<=^##* ).+$/gm) ?? []
      return {
        link: `${page}: ${target}#${anchor}`,
        hasHeading: headings.map(makeAnchor).includes(anchor ?? ''),
      }
    }),
  )
  expect(links.length).toBeGreaterThan(5)
  expect(links.filter(({ hasHeading }) => !hasHeading)).toEqual([])
})

test('every name that CONTRIBUTING or docs/architecture cites exists: update the page when code is renamed', () => {
  const citedNames = (page: string): readonly string[] =>
    [...read(page).matchAll(/`([A-Z][A-Z_]{3,}|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)`/g)].map(
      ([, name = '']) => name,
    )
  const pages = [
    'CONTRIBUTING.md',
    ...readdirSync(join(ROOT, 'docs/architecture')).map((name) => `docs/architecture/${name}`),
  ]
  const words = new Set(sources.flatMap((path) => read(path).match(/\w+/g) ?? []))
  expect(citedNames('CONTRIBUTING.md')).toContain('MEANING_BY_CODE')
  expect(
    pages.flatMap((page) =>
      citedNames(page).flatMap((name) => (words.has(name) ? [] : [`${page}: ${name}`])),
    ),
  ).toEqual([])
})
