/** The user actions that the tests perform in each installed browser: Chromium, Firefox, WebKit. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PNG } from 'pngjs'
import { findLayoutProblemsInPage } from '../layout-boxes.ts'

/** Elements are found by their visible label or name; each call waits until the element exists. */
export type Driver = {
  readonly open: (url: string) => Promise<void>
  readonly fill: (label: string, text: string) => Promise<void>
  readonly choose: (label: string) => Promise<void>
  readonly attach: (path: string) => Promise<void>
  readonly press: (name: string) => Promise<void>
  /** Waits until the page contains this text. */
  readonly waitForText: (text: string) => Promise<void>
  /** Runs an expression in the page. */
  readonly evaluate: (expression: string) => Promise<unknown>
  readonly readAddress: () => Promise<string>
  /** Returns the visible part of the page as PNG. */
  readonly takeScreenshot: () => Promise<Buffer>
  /**
   * Returns the elements that overlap or are cut off, at the widths of a phone, a tablet and a computer. If `SHOTS`
   * is set to a folder, stores a screenshot of the whole page at each width there.
   */
  readonly inspectLayout: (name: string) => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

const SCREENSHOT_FOLDER = process.env['SHOTS']
/** The maximum time for one action. A user would give up earlier. */
export const MAX_WAIT_MS = 120_000
/** How long to wait until elements no longer overlap. */
const RETRY_MS = 30_000
const WIDTHS = [360, 768, 1280] as const
export const DEFAULT_WIDTH = 1280
export const DEFAULT_HEIGHT = 1000

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

type PageAccess = Pick<Driver, 'evaluate' | 'takeScreenshot'> & {
  readonly resize: (width: number, height: number) => Promise<void>
}
export async function inspectLayout(
  { evaluate, takeScreenshot, resize }: PageAccess,
  name: string,
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const width of WIDTHS) {
    await resize(width, DEFAULT_HEIGHT)
    await evaluate('document.fonts.ready.then(() => scrollTo({ top: 0, behavior: "instant" }))')
    const findMisplaced = async () =>
      (await evaluate(`(${findLayoutProblemsInPage.toString()})()`)) as readonly string[]
    let misplaced = await findMisplaced()
    // After a resize, the page is redrawn some frames later.
    for (const deadline = performance.now() + RETRY_MS; misplaced.length > 0;) {
      if (performance.now() > deadline) break
      await pause(100)
      misplaced = await findMisplaced()
    }
    problems.push(...misplaced.map((description) => `${name}, ${width} px: ${description}`))
    if (!SCREENSHOT_FOLDER) continue
    await resize(width, Number(await evaluate('document.documentElement.scrollHeight')))
    // A large window is painted in several steps.
    await pause(1500)
    await evaluate('scrollTo({ top: 0, behavior: "instant" })')
    await pause(300)
    writeFileSync(join(SCREENSHOT_FOLDER, `${name}-${width}.png`), await takeScreenshot())
  }
  await resize(DEFAULT_WIDTH, DEFAULT_HEIGHT)
  return problems
}

/**
 * Counts the colours in the left half of an element, inside its border. A result of 1 means that it contains no text.
 */
export async function countColours(driver: Driver, selector: string): Promise<number> {
  const { x, y, width, height } = (await driver.evaluate(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)})
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    const { x, y, width, height } = element.getBoundingClientRect()
    return { x, y, width, height }
  })()`)) as Readonly<Record<'x' | 'y' | 'width' | 'height', number>>
  const { width: imageWidth, data } = PNG.sync.read(await driver.takeScreenshot())
  const colours = new Set<number>()
  for (let row = Math.ceil(y) + BORDER_PX; row < y + height - BORDER_PX; row++)
    for (let column = Math.ceil(x) + BORDER_PX; column < x + width / 2; column++)
      colours.add(data.readUInt32BE(4 * (row * imageWidth + column)))
  return colours.size
}
const BORDER_PX = 4

export const FONT_FOLDER = dirname(
  createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans-devanagari/package.json'),
)

/**
 * Returns environment variables that make the browser display Devanagari as on delegates' devices, even on a machine
 * without Devanagari fonts.
 */
export function getFontEnvironment(): NodeJS.ProcessEnv {
  const configPath = join(mkdtempSync(join(tmpdir(), 'rollcall-fonts-')), 'fonts.conf')
  const folders = ['400Regular', '700Bold'].map(
    (weight) => `<dir>${join(FONT_FOLDER, weight)}</dir>`,
  )
  writeFileSync(
    configPath,
    `<fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>${folders.join('')}</fontconfig>`,
  )
  return { ...process.env, FONTCONFIG_FILE: configPath }
}

// ── Browsers without Playwright: a script in the page finds the elements ───────────────────────

/** Scripts that run in the page and find the control with this label, or the button with this name. */
const ELEMENT_SCRIPTS = {
  labelled: `for (const l of document.querySelectorAll('label')) if (l.textContent.includes(arguments[0]) && (l.control || document.getElementById(l.htmlFor))) return l.control || document.getElementById(l.htmlFor); return null`,
  choice: `for (const l of document.querySelectorAll('label')) if (l.textContent.includes(arguments[0])) return l; return null`,
  file: `return document.querySelector('input[type=file]')`,
  button: `for (const b of document.querySelectorAll('button, [role=button], input[type=submit]')) if ((b.textContent || b.value).trim() === arguments[0] && !b.disabled && b.getClientRects().length > 0) return b; return null`,
} as const
const PAGE_CONTAINS = 'document.body !== null && document.body.innerText.includes'

/** The operations of a browser's own protocol. The type of an element depends on the protocol. */
export type Protocol<ElementRef> = PageAccess &
  Pick<Driver, 'open' | 'readAddress' | 'close'> & {
    readonly find: (script: string, text: string) => Promise<ElementRef | null>
    readonly click: (element: ElementRef) => Promise<void>
    readonly type: (element: ElementRef, text: string) => Promise<void>
    readonly attach: (element: ElementRef, path: string) => Promise<void>
  }

/** Retries until there is a result, such as a started driver or a rendered element. */
export async function waitUntil<T>(
  description: string,
  findResult: () => Promise<T | null>,
): Promise<T> {
  const deadline = performance.now() + MAX_WAIT_MS
  let lastError: unknown = null
  while (performance.now() < deadline) {
    try {
      const result = await findResult()
      if (result !== null) return result
    } catch (error) {
      lastError = error
    }
    await pause(100)
  }
  throw new Error(`${description} was not found`, { cause: lastError })
}

export function createDriver<ElementRef>(protocol: Protocol<ElementRef>): Driver {
  const { open, readAddress, close, evaluate, takeScreenshot, find } = protocol
  /** Finds an element and performs an action on it. Retries if the page was rendered again in the meantime. */
  const performOn = async (
    kind: keyof typeof ELEMENT_SCRIPTS,
    text: string,
    action: (element: ElementRef) => Promise<void>,
  ): Promise<void> =>
    void (await waitUntil(`"${text || kind}"`, async () => {
      const element = await find(ELEMENT_SCRIPTS[kind], text)
      if (element === null) return null
      await action(element)
      return true
    }))
  return {
    open,
    readAddress,
    close,
    evaluate,
    takeScreenshot,
    fill: (label, text) => performOn('labelled', label, (element) => protocol.type(element, text)),
    choose: (label) => performOn('choice', label, protocol.click),
    attach: (path) => performOn('file', '', (element) => protocol.attach(element, path)),
    press: (name) => performOn('button', name, protocol.click),
    waitForText: async (text) =>
      void (await waitUntil(`"${text}"`, async () =>
        (await evaluate(`${PAGE_CONTAINS}(${JSON.stringify(text)})`)) === true ? true : null,
      )),
    inspectLayout: (name) => inspectLayout(protocol, name),
  }
}
