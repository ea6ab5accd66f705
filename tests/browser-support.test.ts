/** The built scripts use nothing that the oldest browsers of docs/browsers.md do not have, in our code or a package's. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OLDEST } from '../web/vite.config.ts'
import { unsupportedIn } from './browser/unsupported.ts'
import type { Browsers } from './browser/unsupported.ts'

const TOP = join(import.meta.dirname, '..')
const BUILT = join(TOP, 'web', 'dist')

/**
 * What a younger browser is needed for and a script uses only after it has asked. A line that nothing needs any more
 * makes the test fail. The reason says who asks, and how.
 */
const ASKED_FIRST: Readonly<Record<string, string>> = {
  'Document/Element.startViewTransition':
    'React tries it inside a try block, for <ViewTransition> alone',
  navigation: 'React asks with typeof, before it shows that a transition is under way',
  'navigation.currentEntry': 'as navigation',
  'navigation.navigate': 'as navigation',
  'navigation.transition': 'as navigation',
  'navigator.connection': 'React asks, inside <ViewTransition>',
  setImmediate: 'React asks with typeof; browsers use a MessageChannel',
  'HTMLFormElement.requestSubmit': 'submit() of RJSF, which nothing calls',
  'HTMLInputElement.alpha': "alpha() of MUI's theme, no element's",
  'navigator.share':
    'web/results/result-page-buttons.tsx asks, and copies the link where there is none',
  'DataTransfer.addElement': "a method of CodeMirror's own",
  EditContext: 'CodeMirror asks, and edits without it',
  'Selection.getComposedRanges': 'CodeMirror asks, for an editor inside a shadow root',
  requestIdleCallback: 'CodeMirror asks, and takes a timer',
  cancelIdleCallback: 'as requestIdleCallback',
  'Intl.Segmenter': 'CodeMirror asks, and takes characters for what one sees as one',
  'navigator.scheduling': 'CodeMirror asks, and looks at the clock',
}

/** The rows of the first table of docs/browsers.md: Chromium, Firefox, Safari. */
const PROMISED = readFileSync(join(TOP, 'docs', 'browsers.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, chrome, firefox, safari] =
      /^\|[^|]+\| (\d+)[^|]*\| (\d+) \| ([\d.]+) \|$/.exec(line) ?? []
    return chrome && firefox && safari ? [{ chrome, firefox, safari }] : []
  })
const browsersOf = (row: (typeof PROMISED)[number] | undefined): Browsers => {
  if (row === undefined) throw new Error('docs/browsers.md has lost a row of its first table')
  const { chrome, firefox, safari } = row
  return {
    chrome,
    chrome_android: chrome,
    edge: chrome,
    firefox,
    firefox_android: firefox,
    safari,
    safari_ios: safari,
  }
}
const [everyPage, organisers] = [browsersOf(PROMISED[0]), browsersOf(PROMISED[1])]

type Chunk = {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
}

/** Every script of the build, with the browsers that have to run it. */
function scripts(): readonly { readonly file: string; readonly browsers: Browsers }[] {
  if (!existsSync(BUILT)) throw new Error('the web app is not built: npm run build, or npm test')
  const manifest = JSON.parse(
    readFileSync(join(BUILT, '.vite', 'manifest.json'), 'utf8'),
  ) as Readonly<Record<string, Chunk>>
  const ORGANISERS = 'organisers/organisers-page.tsx'
  expect(Object.keys(manifest)).toContain(ORGANISERS)
  const reached = new Set<string>()
  const reach = (name: string): void => {
    if (name === ORGANISERS || reached.has(name)) return
    reached.add(name)
    const { imports = [], dynamicImports = [] } = manifest[name] ?? {}
    for (const next of [...imports, ...dynamicImports]) reach(next)
  }
  reach('index.html')
  const delegates = new Set([...reached].map((name) => manifest[name]?.file))
  // Only the page for organisers starts a worker; what a form checks ahead has no chunk that imports it.
  const isOrganisers = (file: string): boolean =>
    !delegates.has(file) &&
    (/\/check-event-file-worker-/.test(file) ||
      Object.values(manifest).some((one) => one.file === file))
  return readdirSync(join(BUILT, 'assets'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => `assets/${name}`)
    .map((file) => ({ file, browsers: isOrganisers(file) ? organisers : everyPage }))
}

test('a name with ö opened the error page in Chromium 109: a built script uses nothing that is younger', () => {
  const found = scripts().flatMap(({ file, browsers }) =>
    unsupportedIn(readFileSync(join(BUILT, file), 'utf8'), browsers).map((one) => ({ file, one })),
  )
  const needless = new Set(Object.keys(ASKED_FIRST))
  const left = found.filter(({ one }) => {
    const feature = one.split(': ')[0] ?? ''
    needless.delete(feature)
    return ASKED_FIRST[feature] === undefined
  })
  expect(left).toEqual([])
  expect([...needless]).toEqual([])
})

test('the build writes for the browsers that docs/browsers.md promises', () => {
  const { chrome, edge, firefox, safari } = everyPage
  expect(OLDEST).toEqual([`chrome${chrome}`, `edge${edge}`, `firefox${firefox}`, `safari${safari}`])
})

describe('a script that an old browser cannot run is found', () => {
  test.each([
    ['x.toWellFormed()', 'String.toWellFormed'],
    ['const y = [...x].toSorted()', 'Array/TypedArray.toSorted'],
    ['y(x.with(1, 2))', 'Array/TypedArray.with'],
    ['Object.groupBy(x, y)', 'Object.groupBy'],
    ['window.requestIdleCallback(x)', 'requestIdleCallback'],
    ['requestIdleCallback(x)', 'requestIdleCallback'],
    ['x(Promise.withResolvers())', 'Promise.withResolvers'],
    ['AbortSignal.any(x)', 'AbortSignal.any'],
    ['x.values().map(y)', 'Iterator.map'],
    ['x.isSubsetOf(y)', 'Set.isSubsetOf'],
    ['form.requestSubmit()', 'HTMLFormElement.requestSubmit'],
    ['x.showPopover()', 'HTMLElement.showPopover'],
    ['new URLPattern(x)', 'URLPattern'],
    ['x = /(?<=a)b/', 'lookbehind'],
    ['class A { static { x() } }', 'static block of a class'],
  ])('%s', (source, feature) => {
    expect(unsupportedIn(source, everyPage).map((one) => one.split(':')[0])).toEqual([feature])
  })

  test('newer syntax does not pass as a script', () => {
    expect(() => unsupportedIn('x = /[a--b]/v', everyPage)).toThrow(/flag/)
  })
})

describe('what every promised browser runs is let through', () => {
  test.each([
    'x.sort(); x.at(-1); Object.hasOwn(x, y); structuredClone(x)',
    'Object.values(x).map(y); x.map(y); x.has(y); y.equals(x); x.path()',
    "if (typeof requestIdleCallback === 'function') x()",
    'document.startViewTransition?.(x)',
    'const navigation = x; navigation.currentEntry',
    'new BroadcastChannel(x); new ResizeObserver(y); crypto.getRandomValues(x)',
  ])('%s', (source) => {
    expect(unsupportedIn(source, everyPage)).toEqual([])
  })
})
