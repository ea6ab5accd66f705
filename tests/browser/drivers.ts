/** What a person does in a browser, in few words, for the browsers that are installed: WebKit, Firefox, a given Chromium. */
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { chromium, firefox } from 'playwright-core'
import type { BrowserType, LaunchOptions } from 'playwright-core'
import { PNG } from 'pngjs'
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
  /** Takes a picture, where `SHOTS` names a folder for them. */
  readonly shot: (name: string) => Promise<void>
  readonly close: () => Promise<void>
}

const SHOTS = process.env['SHOTS']
/** A person would have given up. */
const PATIENCE_MS = 60_000
const WIDTH = 1280
const HEIGHT = 1000

/** Over Playwright: Chromium and Firefox. `javaScript` runs before every page's own. */
export async function throughPlaywright(
  type: 'chromium' | 'firefox',
  options: LaunchOptions,
): Promise<Driver> {
  const types: Record<typeof type, BrowserType> = { chromium, firefox }
  const browser = await types[type].launch(options)
  const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT } })
  context.setDefaultTimeout(PATIENCE_MS)
  if (type === 'firefox') await context.addInitScript(likeAPerson)
  const page = await context.newPage()
  return {
    open: async (url) => void (await page.goto(url)),
    fill: (label, text) => page.getByLabel(label, { exact: false }).first().fill(text),
    choose: (label) => page.getByRole('radio', { name: label }).check(),
    attach: (path) => page.locator('input[type=file]').first().setInputFiles(path),
    press: (name) => page.getByRole('button', { name, exact: true }).first().click(),
    sees: (text) => page.getByText(text).first().waitFor(),
    ask: (expression) => page.evaluate(expression),
    picture: () => page.screenshot(),
    address: () => Promise.resolve(page.url()),
    shot: async (name) => {
      if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
    },
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

/** Why WebKit cannot be driven here; null: it can. */
export const noWebKit = (): string | null => {
  const lacks = [WEBKIT_DRIVER, EPIPHANY, XVFB].filter((path) => !existsSync(path))
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

export async function throughWebKit(): Promise<Driver> {
  const display = `:${90 + (process.pid % 900)}`
  const screen = spawn(XVFB, [display, '-screen', '0', '1300x1200x24', '-nolisten', 'tcp'], {
    stdio: 'ignore',
  })
  const port = await freePort()
  const driver = spawn(WEBKIT_DRIVER, [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: display,
      NO_AT_BRIDGE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      // As root there is no user namespace to put a page into; every page here is our own.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  })
  const end = (): void => {
    driver.kill()
    screen.kill()
  }
  const base = `http://127.0.0.1:${port}`
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(base + path, {
      method,
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
      await new Promise((resolve) => {
        setTimeout(resolve, 100)
      })
    }
    throw new Error(`WebKit: ${what} is not there`, { cause: problem })
  }
  try {
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
    return {
      open: async (url) => void (await send('POST', `${here}/url`, { url })),
      fill: async (label, text) =>
        void (await send('POST', `${await find('labelled', label)}/value`, { text })),
      choose: (label) => click('choice', label),
      attach: async (path) =>
        void (await send('POST', `${await find('file')}/value`, { text: path })),
      press: (name) => click('button', name),
      sees: async (text) => void (await until(`"${text}"`, () => run(FIND.text, text))),
      ask: (expression) => run(`return (${expression})`),
      picture: async () => Buffer.from(String(await send('GET', `${here}/screenshot`)), 'base64'),
      address: async () => String(await send('GET', `${here}/url`)),
      shot: async (name) => {
        if (!SHOTS) return
        const picture = await send('GET', `${here}/screenshot`)
        writeFileSync(`${SHOTS}/${name}.png`, Buffer.from(String(picture), 'base64'))
      },
      close: async () => {
        // A window that has ended is no reason: what is wrong was said before.
        await send('DELETE', here).catch(() => null)
        end()
      },
    }
  } catch (error) {
    end()
    throw error
  }
}
