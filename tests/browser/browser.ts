/** Starts Chromium for tests, and checks requirements that apply to every page. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axeCore from 'axe-core'
import { chromium, firefox } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Whether to show the browser window and slow down actions, without a time limit (vitest.config.ts).
 */
const IS_HEADED = process.env['HEADED'] === '1'
const HEADED_STEP_MS = 400

/** Path of a Firefox that runs the browser tests (docs/browsers.md), without Chromium's DevTools protocol. */
export const FIREFOX_PATH = process.env['FIREFOX']

const CHROMIUM_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/** Returns the path of Chromium: CHROMIUM, set by `tests/run.js`, or a common path if Vitest is started directly. */
export const findChromium = (): string => {
  const path =
    process.env['CHROMIUM'] ??
    CHROMIUM_PATHS.find(
      (candidate) => existsSync(candidate) && !(IS_HEADED && candidate.endsWith('shell')),
    )
  if (path === undefined)
    throw new Error('Chromium was not found: set CHROMIUM, or run npm test, which finds it')
  return path
}

/**
 * Flags that skip work that no test needs. Drawing pixels took a quarter of each page's time: without raster memory,
 * pages are laid out and painted but remain blank. Visits are too short to benefit from optimised code. Pages of all
 * sites share one process, so scripts are already parsed when the delegate returns from the gateway. Network and GPU
 * run in the browser process.
 */
const FAST_BROWSER_FLAGS = [
  '--force-gpu-mem-available-mb=0',
  '--js-flags=--no-opt,--no-maglev',
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
]

/** All test files of a worker share one browser. If a file closes it, the next file starts another. */
let browserPromise: Promise<Browser> | null = null
export const launch = (): Promise<Browser> =>
  (browserPromise ??= startBrowser(FAST_BROWSER_FLAGS).then((browser) => {
    browser.on('disconnected', () => {
      browserPromise = null
      freeWindows.length = 0
    })
    return browser
  }))

/**
 * Starts a browser with the default flags, for tests that read pixels or measure time. Its visits need private
 * windows.
 */
export const launchWithDefaultFlags = (): Promise<Browser> => startBrowser([])

async function startBrowser(extraFlags: readonly string[]): Promise<Browser> {
  const headedOptions = IS_HEADED ? { headless: false, slowMo: HEADED_STEP_MS } : {}
  return FIREFOX_PATH === undefined
    ? chromium.launch({
        executablePath: findChromium(),
        ...headedOptions,
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          ...(IS_HEADED ? [] : extraFlags),
        ],
      })
    : firefox.launch({
        executablePath: FIREFOX_PATH,
        channel: 'moz-firefox',
        ...headedOptions,
        firefoxUserPrefs: { 'ui.prefersReducedMotion': 1, 'ui.useOverlayScrollbars': 1 },
      })
}

export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  readonly consoleErrors: string[]
}
type VisitOptions = {
  readonly width?: number
  readonly height?: number
  readonly javaScript?: boolean
  /** Whether to open a window that is not reused, for changes that cannot be undone, such as a fake clock. */
  readonly privateWindow?: boolean
  /** Whether to accept certificates that the test created. Requires a private window. */
  readonly ownCertificates?: boolean
}

type VisitorWindow = Visit & {
  /** Origin of the test server, where the visit starts. */
  readonly home: { origin: string }
  readonly javaScript: boolean
}

/** Closed windows, cleaned for reuse. */
const freeWindows: VisitorWindow[] = []

/**
 * Opens a window for a new visitor, without cookies, stored data or routes. `consoleErrors` collects uncaught errors,
 * console errors and violations of the content security policy. It must be empty at the end of a test.
 * `context.close()` cleans the window for reuse, because opening a window takes longer than most tests.
 */
export async function visit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const viewport = { width: options.width ?? 1280, height: options.height ?? 900 }
  if (options.privateWindow === true) {
    const privateVisit = await openWindow(browser, options, viewport)
    const closeContext = privateVisit.context.close.bind(privateVisit.context)
    privateVisit.context.close = async () => {
      // Ignores errors of routes that are still being handled when the window closes.
      await privateVisit.page.unrouteAll({ behavior: 'ignoreErrors' })
      await closeContext()
    }
    return privateVisit
  }
  const freeIndex = freeWindows.findLastIndex(
    ({ javaScript }) => javaScript === (options.javaScript ?? true),
  )
  const [freeWindow] = freeIndex === -1 ? [] : freeWindows.splice(freeIndex, 1)
  if (freeWindow !== undefined) {
    await freeWindow.page.setViewportSize(viewport)
    // Discards messages that arrived after the previous visit ended.
    freeWindow.home.origin = ''
    freeWindow.consoleErrors.length = 0
    return freeWindow
  }
  const newWindow = await openWindow(browser, options, viewport)
  newWindow.context.close = async () => {
    await cleanWindow(newWindow)
    freeWindows.push(newWindow)
  }
  return newWindow
}

/** Clears the visitor's data, but not the cached scripts, styles and fonts. */
async function cleanWindow({ page, context, home, javaScript }: VisitorWindow): Promise<void> {
  for (const openPage of context.pages()) if (openPage !== page) await openPage.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.clearCookies()
  // Only our own pages store data. A page of another origin cannot access it.
  if (javaScript && home.origin !== '') {
    if (new URL(page.url()).origin !== home.origin) await page.goto(`${home.origin}/healthz`)
    await page.evaluate(clearStorageAndBlockWrites)
  }
  // Prevents pending requests of the page from affecting the next visitor.
  await page.goto('about:blank')
}

/** Runs in the page. The page's scripts run until the next navigation, and must not store the cleared data again. */
async function clearStorageAndBlockWrites(): Promise<void> {
  Storage.prototype.setItem = () => {}
  localStorage.clear()
  sessionStorage.clear()
  if ((await indexedDB.databases()).length > 0)
    throw new Error('a page uses IndexedDB: clear it here too')
}

async function openWindow(
  browser: Browser,
  { javaScript = true, ownCertificates = false }: VisitOptions,
  viewport: { readonly width: number; readonly height: number },
): Promise<VisitorWindow> {
  const context = await browser.newContext({
    viewport,
    locale: 'en-IN',
    timezoneId: 'Asia/Kolkata',
    javaScriptEnabled: javaScript,
    ignoreHTTPSErrors: ownCertificates,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  })
  context.setDefaultTimeout(IS_HEADED ? 0 : 240_000)
  if (FIREFOX_PATH !== undefined) await context.addInitScript(patchPageForFirefox)
  const page = await context.newPage()
  const consoleErrors: string[] = []
  page.on('pageerror', (error) => consoleErrors.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    // A rejected request (401, 409, 422 …) is a response that the page shows; Chromium logs it as an error too.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      consoleErrors.push(message.text())
  })
  const home = { origin: '' }
  page.on('framenavigated', (frame) => {
    if (home.origin === '' && /^https?:/.test(frame.url()))
      home.origin = new URL(frame.url()).origin
  })
  return { page, context, consoleErrors, home, javaScript }
}

/**
 * Runs in the page. Firefox 153 crashes if two scripts of a page read the elements that ARIA attributes refer to.
 * Playwright is the second script; without these properties it reads the attributes. Playwright also sets field
 * values by script, which React ignores; this types them instead.
 */
export function patchPageForFirefox(): void {
  for (const name of Object.getOwnPropertyNames(Element.prototype))
    if (/^aria.*Elements?$/.test(name)) Reflect.deleteProperty(Element.prototype, name)
  const insert = (text: string): void => void document.execCommand('insertText', false, text)
  Object.defineProperty(window, '__pw_bidiInsertText', { value: insert, writable: false })
}

/** Signs in through the API and adds the session cookie. */
export async function addSessionCookie(
  context: BrowserContext,
  url: string,
  user: { readonly username: string; readonly password: string },
): Promise<void> {
  const loginResponse = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  const [name = '', value = ''] = String(loginResponse.headers.get('set-cookie')).split(/[=;]/)
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }])
}

/** Delays requests to this URL until the returned function is called. */
export async function holdRequests(page: Page, address: string | RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

declare global {
  interface Window {
    axe?: typeof axeCore
    /** The visible texts of the page, grouped by style, as last found by `collectTextStyles`. */
    textsByStyle?: ReadonlyMap<string, readonly Element[]>
  }
}
const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

/**
 * Text styles whose contrast axe has checked in this run. Each style is checked once, because checking the
 * contrast of a whole page takes two thirds of the time of an axe run.
 */
const checkedStyles = new Set<string>()
/**
 * Path of a file shared by all workers of a run. Each worker appends the styles that it has
 * checked. `tests/run.js` sets the path.
 */
const SHARED_STYLES_PATH = process.env['CHECKED_STYLES']
let sharedStylesOffset = 0

const hashStyle = (textStyle: string): string =>
  createHash('sha256').update(textStyle).digest('base64url')

/** Adds the styles that other workers have checked since the last call. */
function readSharedStyles(): void {
  if (SHARED_STYLES_PATH === undefined || !existsSync(SHARED_STYLES_PATH)) return
  const content = readFileSync(SHARED_STYLES_PATH, 'utf8')
  // A line that another worker is still writing is read by the next call.
  const end = content.lastIndexOf('\n') + 1
  for (const hash of content.slice(sharedStylesOffset, end).split('\n'))
    if (hash !== '') checkedStyles.add(hash)
  sharedStylesOffset = end
}

function addCheckedStyles(textStyles: readonly string[]): void {
  const hashes = textStyles.map(hashStyle)
  for (const hash of hashes) checkedStyles.add(hash)
  if (SHARED_STYLES_PATH !== undefined && hashes.length > 0)
    appendFileSync(SHARED_STYLES_PATH, `${hashes.join('\n')}\n`)
}

/** Runs in the page. Returns the styles that determine the contrast of its visible texts. */
function collectTextStyles(): readonly string[] {
  const backgrounds = new Map<Element, string>()
  const getBackground = (element: Element | null): string => {
    if (element === null) return ''
    const cachedBackground = backgrounds.get(element)
    if (cachedBackground !== undefined) return cachedBackground
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } =
      getComputedStyle(element)
    const ownBackground = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join(
      ' ',
    )
    const background =
      `${ownBackground === 'rgba(0, 0, 0, 0) none 1 none normal' ? '' : ownBackground}/${getBackground(element.parentElement)}`.replaceAll(
        /\/+/g,
        '/',
      )
    backgrounds.set(element, background)
    return background
  }
  /** Whether no other element covers this one. Covered text is checked once it is uncovered. */
  const isOnTop = (element: Element): boolean => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const topElement = document.elementFromPoint(left + width / 2, top + height / 2)
    return topElement === null || element.contains(topElement) || topElement.contains(element)
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const elements = new Set<Element>(document.querySelectorAll('input, select, textarea'))
  for (let textNode = texts.nextNode(); textNode !== null; textNode = texts.nextNode())
    if (textNode.nodeValue?.trim() && textNode.parentElement) elements.add(textNode.parentElement)
  const visibleElements = [...elements].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      isOnTop(element),
  )
  const textsByStyle = Map.groupBy(visibleElements, (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
    const isDisabled = element.closest(':disabled, [aria-disabled=true], [inert]') !== null
    const elementName = `${element.tagName}.${element.getAttribute('class') ?? ''}`
    return [
      elementName,
      color,
      fontSize,
      fontWeight,
      textShadow,
      isDisabled,
      getBackground(element),
    ].join('|')
  })
  window.textsByStyle = textsByStyle
  return [...textsByStyle.keys()]
}

/** Parts of axe that are missing from its type definitions. */
type AxeColor = { r: number; g: number; b: number; alpha: number }
type AxeColors = {
  readonly commons: { readonly color: { readonly Color: { readonly prototype: ColorParser } } }
}
type ColorParser = { parseString: (this: AxeColor, text: string) => AxeColor }

/**
 * Runs in the page. Makes axe parse each colour once instead of once per text, which took a third
 * of the time of a contrast check. A table's backgrounds have only a few colours.
 */
function cacheParsedColors(): void {
  const { prototype } = (window.axe as unknown as AxeColors).commons.color.Color
  const { parseString } = prototype
  const parsedColors = new Map<string, AxeColor>()
  prototype.parseString = function (text) {
    const parsedColor = parsedColors.get(text)
    if (parsedColor !== undefined) return Object.assign(this, parsedColor)
    parseString.call(this, text)
    const { r, g, b, alpha } = this
    parsedColors.set(text, { r, g, b, alpha })
    return this
  }
}

/** Styles whose texts were measured with `everyText` in this worker. A style without a violation may be unmeasured. */
const measuredStyles = new Set<string>()

type AxeScope = {
  /**
   * Whether to measure every text style of the page, and report texts that cannot be measured, such as text on a
   * gradient or below an overlay.
   */
  readonly everyText?: boolean
  /**
   * Whether to check only the rules about colours, and only unmeasured styles, because the page was already checked in
   * the other theme.
   */
  readonly onlyColors?: boolean
}

/**
 * Runs axe and returns the violations as text. Loads axe once per page and resolves only the nodes of violations,
 * which takes a third of the time of the usual wrapper.
 */
export async function runAxe(
  page: Page,
  { everyText = false, onlyColors = false }: AxeScope = {},
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => window.axe !== undefined)))
    await page.evaluate(`${axeSource};(${cacheParsedColors})()`)
  const textStyles = await page.evaluate(collectTextStyles)
  readSharedStyles()
  const knownStyles = onlyColors ? measuredStyles : checkedStyles
  const { violationTexts, newStyles } = await page.evaluate(
    async ({ uncheckedStyles, isWholePage, isColors: isColorsOnly }) => {
      const { axe: pageAxe, textsByStyle } = window
      if (pageAxe === undefined) throw new Error('axe is not loaded')
      const resultTypes = ['violations'] as ['violations']
      // A link within a text may differ from the text only in colour.
      const { violations, passes, inapplicable } = await pageAxe.run(
        isColorsOnly
          ? { resultTypes, runOnly: ['link-in-text-block'] }
          : { resultTypes, rules: { 'color-contrast': { enabled: false } } },
      )
      if (passes.length + (isColorsOnly ? inapplicable.length + violations.length : 0) === 0)
        throw new Error('axe checked nothing')
      const findConnectedTexts = (textStyle: string): readonly Element[] =>
        (textsByStyle?.get(textStyle) ?? []).filter(({ isConnected }) => isConnected)
      const newStyles = uncheckedStyles.filter(
        (textStyle) => findConnectedTexts(textStyle).length > 0,
      )
      if (newStyles.length > 0) {
        // All texts of a style have the same contrast, so only the first two and the last are measured.
        const include = newStyles.flatMap((textStyle) => {
          const texts = findConnectedTexts(textStyle)
          return [...new Set([...texts.slice(0, 2), ...texts.slice(-1)])]
        })
        const reportedTypes: ('violations' | 'incomplete')[] =
          isWholePage || isColorsOnly ? ['violations', 'incomplete'] : ['violations']
        const contrast = { resultTypes: reportedTypes, runOnly: ['color-contrast'] }
        const results = await pageAxe.run({ include }, contrast)
        violations.push(...reportedTypes.flatMap((type) => results[type]))
      }
      const violationTexts = violations.flatMap(({ id, help, nodes }) =>
        nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')}`),
      )
      return { violationTexts, newStyles }
    },
    {
      uncheckedStyles: everyText
        ? textStyles
        : textStyles.filter((textStyle) => !knownStyles.has(hashStyle(textStyle))),
      isWholePage: everyText,
      isColors: onlyColors,
    },
  )
  if (violationTexts.length > 0) return violationTexts
  if (everyText || onlyColors)
    for (const textStyle of newStyles) measuredStyles.add(hashStyle(textStyle))
  addCheckedStyles(newStyles.filter((textStyle) => !checkedStyles.has(hashStyle(textStyle))))
  return violationTexts
}

/** Fails if axe finds violations. The message lists them with the name of the page's state. */
export async function expectAccessible(
  page: Page,
  state: string,
  scope: AxeScope = {},
): Promise<void> {
  expect(await runAxe(page, scope), `axe: ${state}`).toEqual([])
}
