/** What a person does in a browser, in few words, for the browsers that are installed: WebKit, Firefox, a given Chromium. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { chromium, firefox } from 'playwright-core'
import type { BrowserType, LaunchOptions } from 'playwright-core'
import { PNG } from 'pngjs'
import { inPage } from './layout-boxes.ts'
import { likeAPerson } from './browser.ts'
import { freePort } from './serve.ts'

/** Elements are found by their visible label or name; each call waits until there is one. */
export type Driver = {
  readonly open: (url: string) => Promise<void>
  readonly fill: (label: string, text: string) => Promise<void>
  readonly choose: (label: string) => Promise<void>
  readonly attach: (path: string) => Promise<void>
  readonly press: (name: string) => Promise<void>
  /** Waits until the page says this. */
  readonly sees: (text: string) => Promise<void>
  /** Runs an expression in the page. */
  readonly ask: (expression: string) => Promise<unknown>
  readonly address: () => Promise<string>
  /** What the window shows, as PNG. */
  readonly picture: () => Promise<Buffer>
  /**
   * What lies over something else or is cut off, at the widths of a phone, a tablet and a computer. Where `SHOTS` names a
   * folder, a picture of the whole page at each width goes there.
   */
  readonly look: (name: string) => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

const SHOTS = process.env['SHOTS']
/** A person would have given up. */
const PATIENCE_MS = 120_000
/** For what lies over something else to come to its place. */
const WAITS_MS = 30_000
const WIDTHS = [360, 768, 1280] as const
const WIDTH = 1280
const HEIGHT = 1000

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

type Window = Pick<Driver, 'ask' | 'picture'> & {
  readonly resize: (width: number, height: number) => Promise<void>
}
async function lookAt({ ask, picture, resize }: Window, name: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await resize(width, HEIGHT)
    await ask('document.fonts.ready.then(() => scrollTo({ top: 0, behavior: "instant" }))')
    const look = async () => (await ask(`(${inPage.toString()})()`)) as readonly string[]
    let misplaced = await look()
    // A page is drawn for another width some frames after the window has it.
    for (const last = performance.now() + WAITS_MS; misplaced.length > 0;) {
      if (performance.now() > last) break
      await pause(100)
      misplaced = await look()
    }
    found.push(...misplaced.map((what) => `${name}, ${width} px: ${what}`))
    if (!SHOTS) continue
    await resize(width, Number(await ask('document.documentElement.scrollHeight')))
    // A large window is painted piece by piece.
    await pause(1500)
    await ask('scrollTo({ top: 0, behavior: "instant" })')
    await pause(300)
    writeFileSync(join(SHOTS, `${name}-${width}.png`), await picture())
  }
  await resize(WIDTH, HEIGHT)
  return found
}

const FONTS = dirname(
  createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans-devanagari/package.json'),
)

/** With it a browser draws Devanagari on a machine that has no fonts for it, as every phone and computer of a delegate does. */
function withFonts(): NodeJS.ProcessEnv {
  const conf = join(mkdtempSync(join(tmpdir(), 'rollcall-fonts-')), 'fonts.conf')
  const dirs = ['400Regular', '700Bold'].map((face) => `<dir>${join(FONTS, face)}</dir>`)
  writeFileSync(
    conf,
    `<fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>${dirs.join('')}</fontconfig>`,
  )
  return { ...process.env, FONTCONFIG_FILE: conf }
}

/** Over Playwright: Chromium and Firefox. `javaScript` runs before every page's own. */
export async function throughPlaywright(
  type: 'chromium' | 'firefox',
  options: LaunchOptions,
): Promise<Driver> {
  const types: Record<typeof type, BrowserType> = { chromium, firefox }
  const browser = await types[type].launch({
    ...options,
    env: withFonts(),
    // Its pages read no other files.
    firefoxUserPrefs: {
      ...options.firefoxUserPrefs,
      'security.sandbox.content.read_path_whitelist': `${FONTS}/`,
    },
  })
  const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT } })
  context.setDefaultTimeout(PATIENCE_MS)
  if (type === 'firefox') await context.addInitScript(likeAPerson)
  const page = await context.newPage()
  const ask = (expression: string): Promise<unknown> => page.evaluate(expression)
  const picture = (): Promise<Buffer> => page.screenshot()
  const resize = (width: number, height: number) => page.setViewportSize({ width, height })
  return {
    open: async (url) => void (await page.goto(url)),
    fill: (label, text) => page.getByLabel(label, { exact: false }).first().fill(text),
    choose: (label) => page.getByRole('radio', { name: label }).check(),
    attach: (path) => page.locator('input[type=file]').first().setInputFiles(path),
    press: (name) => page.getByRole('button', { name, exact: true }).first().click(),
    sees: (text) => page.getByText(text).first().waitFor(),
    ask,
    picture,
    address: () => Promise.resolve(page.url()),
    look: (name) => lookAt({ ask, picture, resize }, name),
    close: () => browser.close(),
  }
}

/** How many colours the left half of an element has, inside its border: 1 where nothing is written in it. */
export async function coloursIn(driver: Driver, selector: string): Promise<number> {
  const { x, y, width, height } = (await driver.ask(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)})
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    const { x, y, width, height } = element.getBoundingClientRect()
    return { x, y, width, height }
  })()`)) as Readonly<Record<'x' | 'y' | 'width' | 'height', number>>
  const { width: across, data } = PNG.sync.read(await driver.picture())
  const seen = new Set<number>()
  for (let row = Math.ceil(y) + BORDER_PX; row < y + height - BORDER_PX; row++)
    for (let column = Math.ceil(x) + BORDER_PX; column < x + width / 2; column++)
      seen.add(data.readUInt32BE(4 * (row * across + column)))
  return seen.size
}
const BORDER_PX = 4

// ── WebKit, over WebDriver ─────────────────────────────────────────────────────

const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver'
const EPIPHANY = '/usr/bin/epiphany'
const XVFB = '/usr/bin/Xvfb'
const DBUS = '/usr/bin/dbus-daemon'

/** Why WebKit cannot be driven here; null: it can. */
export const noWebKit = (): string | null => {
  const lacks = [WEBKIT_DRIVER, EPIPHANY, XVFB, DBUS].filter((path) => !existsSync(path))
  return lacks.length === 0 ? null : `no ${lacks.map((path) => basename(path)).join(', ')} here`
}

/** In the page: the control of a label, or what is called so and can be pressed. */
const FIND = {
  labelled: `for (const l of document.querySelectorAll('label')) if (l.textContent.includes(arguments[0]) && (l.control || document.getElementById(l.htmlFor))) return l.control || document.getElementById(l.htmlFor); return null`,
  choice: `for (const l of document.querySelectorAll('label')) if (l.textContent.includes(arguments[0])) return l; return null`,
  file: `return document.querySelector('input[type=file]')`,
  button: `for (const b of document.querySelectorAll('button, [role=button], input[type=submit]')) if ((b.textContent || b.value).trim() === arguments[0] && !b.disabled && b.getClientRects().length > 0) return b; return null`,
  text: `return document.body !== null && document.body.innerText.includes(arguments[0]) ? true : null`,
} as const

/** WebDriver's name for an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** The first line that a program prints to its third stream. */
const firstLine = (program: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    program.stdio[3]?.once('data', (data) => resolve(String(data).trim()))
    program.once('error', reject)
    program.once('exit', () => reject(new Error(`${program.spawnfile} has ended`)))
  })
/** So high that a whole page fits into a window. */
const SCREEN = '1400x6000x24'

export async function throughWebKit(): Promise<Driver> {
  const started: ChildProcess[] = []
  const end = (): void => {
    for (const program of started.toReversed()) program.kill()
  }
  const begin = (path: string, args: readonly string[], env = process.env): ChildProcess => {
    const program = spawn(path, args, { env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    started.push(program)
    return program
  }
  const port = await freePort()
  try {
    const screen = begin(XVFB, ['-displayfd', '3', '-screen', '0', SCREEN, '-nolisten', 'tcp'])
    // Without a session bus, as in a container, Epiphany starts and never answers.
    const bus = begin(DBUS, ['--session', '--nofork', '--nosyslog', '--print-address=3'])
    begin(WEBKIT_DRIVER, [`--port=${port}`], {
      ...withFonts(),
      DISPLAY: `:${await firstLine(screen)}`,
      DBUS_SESSION_BUS_ADDRESS: await firstLine(bus),
      NO_AT_BRIDGE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      // Layers put together by a graphics card that is a program take most of what a page costs.
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      WEBKIT_SKIA_ENABLE_CPU_RENDERING: '1',
      // As root there is no user namespace to put a page into; every page here is our own.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    })
    return await inWebKit(`http://127.0.0.1:${port}`, end)
  } catch (error) {
    end()
    throw error
  }
}

async function inWebKit(base: string, end: () => void): Promise<Driver> {
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(base + path, {
      method,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    })
    const { value } = (await answer.json()) as { readonly value: unknown }
    if (!answer.ok) throw new Error(`WebKit: ${JSON.stringify(value).slice(0, 400)}`)
    return value
  }
  /** Tries until there is an answer: a driver that starts, an element that is drawn. */
  const until = async <T>(what: string, ask: () => Promise<T | null>): Promise<T> => {
    const last = performance.now() + PATIENCE_MS
    let problem: unknown = null
    while (performance.now() < last) {
      try {
        const found = await ask()
        if (found !== null) return found
      } catch (error) {
        problem = error
      }
      await pause(100)
    }
    throw new Error(`WebKit: ${what} is not there`, { cause: problem })
  }
  const { sessionId } = (await until('a session', () =>
    send('POST', '/session', {
      capabilities: {
        alwaysMatch: {
          'webkitgtk:browserOptions': { binary: EPIPHANY, args: ['--automation-mode'] },
        },
      },
    }),
  )) as { readonly sessionId: string }
  const here = `/session/${sessionId}`
  const run = (script: string, ...args: readonly string[]): Promise<unknown> =>
    send('POST', `${here}/execute/sync`, { script, args })
  const find = async (by: keyof typeof FIND, text = ''): Promise<string> => {
    const found = (await until(`"${text}"`, () => run(FIND[by], text))) as Record<string, string>
    return `${here}/element/${found[ELEMENT]}`
  }
  const click = async (by: keyof typeof FIND, name: string): Promise<void> =>
    void (await until(name, async () => {
      await send('POST', `${await find(by, name)}/click`)
      return true
    }))
  const ask = (expression: string): Promise<unknown> => run(`return (${expression})`)
  const picture = async (): Promise<Buffer> =>
    Buffer.from(String(await send('GET', `${here}/screenshot`)), 'base64')
  /** The window is larger than the page in it, by Epiphany's own bars. */
  const resize = async (width: number, height: number): Promise<void> => {
    const [across, down] = (await ask(
      '[outerWidth - innerWidth, outerHeight - innerHeight]',
    )) as readonly [number, number]
    const rect = { x: 0, y: 0, width: width + across, height: height + down }
    await send('POST', `${here}/window/rect`, rect)
  }
  return {
    open: async (url) => void (await send('POST', `${here}/url`, { url })),
    fill: async (label, text) =>
      void (await send('POST', `${await find('labelled', label)}/value`, { text })),
    choose: (label) => click('choice', label),
    attach: async (path) =>
      void (await send('POST', `${await find('file')}/value`, { text: path })),
    press: (name) => click('button', name),
    sees: async (text) => void (await until(`"${text}"`, () => run(FIND.text, text))),
    ask,
    picture,
    address: async () => String(await send('GET', `${here}/url`)),
    look: (name) => lookAt({ ask, picture, resize }, name),
    close: async () => {
      // A window that has ended is no reason: what is wrong was said before.
      await send('DELETE', here).catch(() => null)
      end()
    },
  }
}
