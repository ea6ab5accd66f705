/** The built scripts, including packages, use only features that the oldest browsers in docs/browsers.md support. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OLDEST_BROWSERS } from '../web/vite.config.ts'
import { findUnsupportedFeatures } from './browser/unsupported.ts'
import type { MinimumVersions } from './browser/unsupported.ts'

const ROOT = join(import.meta.dirname, '..')
const BUILD_DIR = join(ROOT, 'web', 'dist')

/**
 * Newer features that a script uses only after a check for support. The reason states which code checks for support,
 * and how. The test fails if a row is no longer needed.
 */
const CHECKED_BEFORE_USE: Readonly<Record<string, string>> = {
  'Document/Element.startViewTransition':
    'React calls it in a try block, and only for <ViewTransition>',
  navigation: 'React checks with typeof before it shows that a transition is in progress',
  'navigation.currentEntry': 'see `navigation`',
  'navigation.navigate': 'see `navigation`',
  'navigation.transition': 'see `navigation`',
  'navigator.connection': 'React checks for it, only in <ViewTransition>',
  setImmediate: 'React checks with typeof; browsers use a MessageChannel',
  'HTMLFormElement.requestSubmit': 'submit() of RJSF, which is never called',
  'HTMLInputElement.alpha': "alpha() of MUI's theme, not of an element",
  'navigator.share': 'web/results/result-page-buttons.tsx checks, and otherwise copies the link',
  'DataTransfer.addElement': 'a method of CodeMirror',
  EditContext: 'CodeMirror checks, and works without it',
  'Selection.getComposedRanges': 'CodeMirror checks, for an editor inside a shadow root',
  requestIdleCallback: 'CodeMirror checks, and uses a timer otherwise',
  cancelIdleCallback: 'see `requestIdleCallback`',
  'Intl.Segmenter': 'CodeMirror checks, and otherwise splits by code points',
  'navigator.scheduling': 'CodeMirror checks, and otherwise uses the clock',
}

/** The rows of the first table of docs/browsers.md: Chromium, Firefox, Safari. */
const BROWSER_ROWS = readFileSync(join(ROOT, 'docs', 'browsers.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, chrome, firefox, safari] =
      /^\|[^|]+\| (\d+)[^|]*\| (\d+) \| ([\d.]+) \|$/.exec(line) ?? []
    return chrome && firefox && safari ? [{ chrome, firefox, safari }] : []
  })
const toMinimumVersions = (row: (typeof BROWSER_ROWS)[number] | undefined): MinimumVersions => {
  if (row === undefined)
    throw new Error('a row is missing from the first table of docs/browsers.md')
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
const [everyPageBrowsers, organiserBrowsers] = [
  toMinimumVersions(BROWSER_ROWS[0]),
  toMinimumVersions(BROWSER_ROWS[1]),
]

type Chunk = {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
}

/** Lists every script of the build with the browsers that must run it. */
function listScripts(): readonly { readonly file: string; readonly browsers: MinimumVersions }[] {
  if (!existsSync(BUILD_DIR))
    throw new Error('the web app is not built: run `npm run build` or `npm test`')
  const manifest = JSON.parse(
    readFileSync(join(BUILD_DIR, '.vite', 'manifest.json'), 'utf8'),
  ) as Readonly<Record<string, Chunk>>
  const ORGANISERS_PAGE = 'organisers/organisers-page.tsx'
  expect(Object.keys(manifest)).toContain(ORGANISERS_PAGE)
  const reachedFiles = new Set<string>()
  const visit = (name: string): void => {
    if (name === ORGANISERS_PAGE || reachedFiles.has(name)) return
    reachedFiles.add(name)
    const { imports = [], dynamicImports = [] } = manifest[name] ?? {}
    for (const importedFile of [...imports, ...dynamicImports]) visit(importedFile)
  }
  visit('index.html')
  const delegateFiles = new Set([...reachedFiles].map((name) => manifest[name]?.file))
  // Only the organisers' page starts a worker. The script that validates the form before submission is in no chunk of
  // the manifest, but delegates load it.
  const isOrganiserScript = (file: string): boolean =>
    !delegateFiles.has(file) &&
    (/\/check-event-file-worker-/.test(file) ||
      Object.values(manifest).some((chunk) => chunk.file === file))
  return readdirSync(join(BUILD_DIR, 'assets'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => `assets/${name}`)
    .map((file) => ({
      file,
      browsers: isOrganiserScript(file) ? organiserBrowsers : everyPageBrowsers,
    }))
}

test('built scripts use only features that all supported browsers have', () => {
  const usedFeatures = listScripts().flatMap(({ file, browsers }) =>
    findUnsupportedFeatures(readFileSync(join(BUILD_DIR, file), 'utf8'), browsers).map(
      (unsupportedFeature) => ({ file, usage: unsupportedFeature }),
    ),
  )
  const unusedRows = new Set(Object.keys(CHECKED_BEFORE_USE))
  const unsupported = usedFeatures.filter(({ usage }) => {
    const feature = usage.split(': ')[0] ?? ''
    unusedRows.delete(feature)
    return CHECKED_BEFORE_USE[feature] === undefined
  })
  expect(unsupported).toEqual([])
  expect([...unusedRows]).toEqual([])
})

test('the build targets the browsers that docs/browsers.md lists', () => {
  const { chrome, edge, firefox, safari } = everyPageBrowsers
  expect(OLDEST_BROWSERS).toEqual([
    `chrome${chrome}`,
    `edge${edge}`,
    `firefox${firefox}`,
    `safari${safari}`,
  ])
})

describe('detects a script that an old browser cannot run', () => {
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
    expect(
      findUnsupportedFeatures(source, everyPageBrowsers).map(
        (unsupportedFeature) => unsupportedFeature.split(':')[0],
      ),
    ).toEqual([feature])
  })

  test('newer syntax is rejected', () => {
    expect(() => findUnsupportedFeatures('x = /[a--b]/v', everyPageBrowsers)).toThrow(/flag/)
  })
})

describe('accepts features of all supported browsers', () => {
  test.each([
    'x.sort(); x.at(-1); Object.hasOwn(x, y); structuredClone(x)',
    'Object.values(x).map(y); x.map(y); x.has(y); y.equals(x); x.path()',
    "if (typeof requestIdleCallback === 'function') x()",
    'document.startViewTransition?.(x)',
    'const navigation = x; navigation.currentEntry',
    'new BroadcastChannel(x); new ResizeObserver(y); crypto.getRandomValues(x)',
  ])('%s', (source) => {
    expect(findUnsupportedFeatures(source, everyPageBrowsers)).toEqual([])
  })
})
