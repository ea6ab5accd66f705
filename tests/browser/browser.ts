/** Chromium for tests, and what every page must satisfy. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axeCore from 'axe-core'
import { chromium, firefox } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'

/** A person watches: with a window, slowly enough to follow, and no time limit (vitest.config.ts). */
const HEADED = process.env['HEADED'] === '1'
const HEADED_STEP_MS = 400

/** Path of a stock Firefox that the journeys are run in instead (docs/browsers.md): without Chromium's own protocol. */
export const FIREFOX = process.env['FIREFOX']

const KNOWN = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/** `tests/run.js` sets CHROMIUM; a run by hand finds the usual places. */
export const chromiumPath = (): string => {
  const path =
    process.env['CHROMIUM'] ??
    KNOWN.find((candidate) => existsSync(candidate) && !(HEADED && candidate.endsWith('shell')))
  if (path === undefined)
    throw new Error('no Chromium: set CHROMIUM, or run npm test, which looks for one')
  return path
}

/**
 * What spares work that no test looks at. A quarter of a page's cost was pixels: without memory for them pages are laid
 * out, painted and put together as ever, and stay blank. Nobody stays long enough for code to be optimised, and whoever
 * comes from the gateway's pages finds the scripts read already in the one process for all sites. What fetches and what
 * would draw live with the browser, not in processes of their own.
 */
const BLANK = [
  '--force-gpu-mem-available-mb=0',
  '--js-flags=--no-opt,--no-maglev',
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
]

/** One browser serves every file of a worker, and ends with it; a file that closes it leaves the next one another. */
let running: Promise<Browser> | null = null
export const launch = (): Promise<Browser> =>
  (running ??= start(BLANK).then((browser) => {
    browser.on('disconnected', () => {
      running = null
      rooms.length = 0
    })
    return browser
  }))

/** A browser as people have it, for whoever looks at pixels or measures: visitors need windows of their own in it. */
export const launchDrawing = (): Promise<Browser> => start([])

async function start(more: readonly string[]): Promise<Browser> {
  const watched = HEADED ? { headless: false, slowMo: HEADED_STEP_MS } : {}
  return FIREFOX === undefined
    ? chromium.launch({
        executablePath: chromiumPath(),
        ...watched,
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          ...(HEADED ? [] : more),
        ],
      })
    : firefox.launch({
        executablePath: FIREFOX,
        channel: 'moz-firefox',
        ...watched,
        firefoxUserPrefs: { 'ui.prefersReducedMotion': 1, 'ui.useOverlayScrollbars': 1 },
      })
}

export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  readonly complaints: string[]
}
type Options = {
  readonly width?: number
  readonly height?: number
  readonly javaScript?: boolean
  /** Nobody was in this visitor's window before, and nobody will be: for what cannot be taken back, such as a clock. */
  readonly own?: boolean
}

type Window = Visit & {
  /** Where the visitor began: the server of the test. */
  readonly home: { origin: string }
}

/** Windows that visitors have left, swept and free for the next one. */
const rooms: Window[] = []

/**
 * A fresh visitor: no cookie, nothing stored, nothing routed. `complaints` collects what the browser objects
 * to: uncaught errors, errors on the console, refusals of the content security policy. A test that ends well
 * leaves it empty. The visitor leaves by `context.close()`; the window is swept then and serves another
 * one, because opening it costs as much as most of what is done in it.
 */
export async function visit(browser: Browser, options: Options = {}): Promise<Visit> {
  const viewport = { width: options.width ?? 1280, height: options.height ?? 900 }
  if (options.own === true || options.javaScript === false) {
    const alone = await open(browser, options, viewport)
    const close = alone.context.close.bind(alone.context)
    alone.context.close = async () => {
      // What is still answered by a test as its window closes is nobody's error.
      await alone.page.unrouteAll({ behavior: 'ignoreErrors' })
      await close()
    }
    return alone
  }
  const free = rooms.pop()
  if (free !== undefined) {
    await free.page.setViewportSize(viewport)
    // Whatever the page has said since it was left was said to nobody.
    free.home.origin = ''
    free.complaints.length = 0
    return free
  }
  const room = await open(browser, options, viewport)
  room.context.close = async () => {
    await sweep(room)
    rooms.push(room)
  }
  return room
}

/** Leaves nothing of a visitor but what the browser has read: scripts, styles, fonts. */
async function sweep({ page, context, home }: Window): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.clearCookies()
  // Only our own pages store anything; away from them, at a gateway, it is out of reach.
  if (home.origin !== '' && new URL(page.url()).origin !== home.origin)
    await page.goto(`${home.origin}/healthz`)
  if (home.origin !== '') await page.evaluate(clearAndSeal)
  // Nothing that the page began is told to the next visitor.
  await page.goto('about:blank')
}

/** Runs in the page, whose script is there until the next visitor goes elsewhere, and may not store again what is cleared. */
async function clearAndSeal(): Promise<void> {
  Storage.prototype.setItem = () => {}
  localStorage.clear()
  sessionStorage.clear()
  if ((await indexedDB.databases()).length > 0)
    throw new Error('a page keeps a database in the browser: sweep it too')
}

async function open(
  browser: Browser,
  { javaScript = true }: Options,
  viewport: { readonly width: number; readonly height: number },
): Promise<Window> {
  const context = await browser.newContext({
    viewport,
    locale: 'en-IN',
    timezoneId: 'Asia/Kolkata',
    javaScriptEnabled: javaScript,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  })
  context.setDefaultTimeout(HEADED ? 0 : 120_000)
  if (FIREFOX !== undefined) await context.addInitScript(likeAPerson)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    // A refused call (401, 409, 422 …) is an answer, and the page shows it; Chromium notes it all the same.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  const home = { origin: '' }
  page.on('framenavigated', (frame) => {
    if (home.origin === '' && /^https?:/.test(frame.url()))
      home.origin = new URL(frame.url()).origin
  })
  return { page, context, complaints, home }
}

/**
 * Runs in the page. Firefox 153 falls when two scripts of a page read which elements name another one; the test
 * library is the second, and looks at the attributes where there is nothing to read. It also sets what is
 * filled in as a script of the page would, which React takes for its own doing; here it is typed.
 */
export function likeAPerson(): void {
  for (const name of Object.getOwnPropertyNames(Element.prototype))
    if (/^aria.*Elements?$/.test(name)) Reflect.deleteProperty(Element.prototype, name)
  const insert = (text: string): void => void document.execCommand('insertText', false, text)
  Object.defineProperty(window, '__pw_bidiInsertText', { value: insert, writable: false })
}

/** What a sign-in leaves in a browser, without the page for it. */
export async function signedIn(
  context: BrowserContext,
  url: string,
  who: { readonly username: string; readonly password: string },
): Promise<void> {
  const answer = await fetch(`${url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(who),
  })
  const [name = '', value = ''] = String(answer.headers.get('set-cookie')).split(/[=;]/)
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }])
}

/** What the page asks for under such an address waits until what is answered is called. */
export async function heldBack(page: Page, address: string): Promise<() => void> {
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
  }
}
const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

/**
 * How texts look whose colours axe has judged in this worker, each way once: of all that it does on a page, telling
 * them apart takes two thirds.
 */
const judgedLooks = new Set<string>()

/** Runs in the page: what decides how well its texts can be told from their ground, where they can be seen. */
function looksOfTexts(): readonly string[] {
  const grounds = new Map<Element, string>()
  const groundOf = (element: Element | null): string => {
    if (element === null) return ''
    const known = grounds.get(element)
    if (known !== undefined) return known
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } =
      getComputedStyle(element)
    const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join(' ')
    const ground =
      `${own === 'rgba(0, 0, 0, 0) none 1 none normal' ? '' : own}/${groundOf(element.parentElement)}`.replaceAll(
        /\/+/g,
        '/',
      )
    grounds.set(element, ground)
    return ground
  }
  /** What lies over it is judged when it is gone. */
  const isOnTop = (element: Element): boolean => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const at = document.elementFromPoint(left + width / 2, top + height / 2)
    return at === null || element.contains(at) || at.contains(element)
  }
  const looks = new Set<string>()
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const elements = new Set<Element>(document.querySelectorAll('input, select, textarea'))
  for (let at = texts.nextNode(); at !== null; at = texts.nextNode())
    if (at.nodeValue?.trim() && at.parentElement) elements.add(at.parentElement)
  for (const element of elements) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    if (!isOnTop(element)) continue
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
    const isOff = element.closest(':disabled, [aria-disabled=true], [inert]') !== null
    const named = `${element.tagName}.${element.getAttribute('class') ?? ''}`
    looks.add([named, color, fontSize, fontWeight, textShadow, isOff, groundOf(element)].join('|'))
  }
  return [...looks]
}

/**
 * axe on the page as it stands; answers the violations in words. It is put into a page once, and told
 * to work out the nodes of violations only: a run takes a third of what the usual wrapper needs.
 */
export async function axe(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axeSource)
  const looks = await page.evaluate(looksOfTexts)
  const found = await page.evaluate(
    async (enabled) => {
      if (window.axe === undefined) throw new Error('axe is not on the page')
      const { violations, passes } = await window.axe.run({
        resultTypes: ['violations'],
        rules: { 'color-contrast': { enabled } },
      })
      if (passes.length === 0) throw new Error('axe looked at nothing')
      return violations.flatMap(({ id, help, nodes }) =>
        nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')}`),
      )
    },
    looks.some((look) => !judgedLooks.has(look)),
  )
  if (found.length === 0) for (const look of looks) judgedLooks.add(look)
  return found
}

/** Fails with the violations' words and the state's name. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  expect(await axe(page), `axe: ${state}`).toEqual([])
}
