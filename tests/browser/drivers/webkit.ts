/** Drives WebKit, in Epiphany, over WebDriver. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { findFreePort } from '../serve.ts'
import type { Driver } from './driver.ts'
import { pause, MAX_WAIT_MS, createDriver, waitUntil, getFontEnvironment } from './driver.ts'

const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver'
const EPIPHANY = '/usr/bin/epiphany'
const XVFB = '/usr/bin/Xvfb'
const DBUS = '/usr/bin/dbus-daemon'

/** Returns why WebKit cannot be driven on this machine. Null if it can. */
export const explainMissingWebKit = (): string | null => {
  const missingPrograms = [WEBKIT_DRIVER, EPIPHANY, XVFB, DBUS].filter((path) => !existsSync(path))
  return missingPrograms.length === 0
    ? null
    : `not installed: ${missingPrograms.map((path) => basename(path)).join(', ')}`
}

const MAX_RESIZES = 10

/** WebDriver's name for an element. */
const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf'

/** Returns the first line that a program prints to file descriptor 3. */
const readFirstLine = (program: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    program.stdio[3]?.once('data', (data) => resolve(String(data).trim()))
    program.once('error', reject)
    program.once('exit', () => reject(new Error(`${program.spawnfile} has exited`)))
  })
/** High enough for a full page. */
const SCREEN_SIZE = '1400x6000x24'

export async function startWebKit(): Promise<Driver> {
  const programs: ChildProcess[] = []
  const stopPrograms = (): void => {
    for (const program of programs.toReversed()) program.kill()
  }
  const startProgram = (path: string, args: readonly string[], env = process.env): ChildProcess => {
    const program = spawn(path, args, { env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    programs.push(program)
    return program
  }
  const port = await findFreePort()
  try {
    const screen = startProgram(XVFB, [
      '-displayfd',
      '3',
      '-screen',
      '0',
      SCREEN_SIZE,
      '-nolisten',
      'tcp',
    ])
    // Without a session bus, as in a container, Epiphany starts but never responds.
    const bus = startProgram(DBUS, ['--session', '--nofork', '--nosyslog', '--print-address=3'])
    startProgram(WEBKIT_DRIVER, [`--port=${port}`], {
      ...getFontEnvironment(),
      DISPLAY: `:${await readFirstLine(screen)}`,
      DBUS_SESSION_BUS_ADDRESS: await readFirstLine(bus),
      NO_AT_BRIDGE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      WEBKIT_SKIA_ENABLE_CPU_RENDERING: '1',
      // Root cannot isolate pages in a user namespace. The tests open only our own pages.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    })
    return await createWebKitDriver(`http://127.0.0.1:${port}`, stopPrograms)
  } catch (error) {
    stopPrograms()
    throw error
  }
}

async function createWebKitDriver(base: string, stopPrograms: () => void): Promise<Driver> {
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(base + path, {
      method,
      signal: AbortSignal.timeout(MAX_WAIT_MS),
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    })
    const { value } = (await response.json()) as { readonly value: unknown }
    if (!response.ok) throw new Error(`WebKit: ${JSON.stringify(value).slice(0, 400)}`)
    return value
  }
  const { sessionId } = (await waitUntil('a WebKit session', () =>
    send('POST', '/session', {
      capabilities: {
        alwaysMatch: {
          'webkitgtk:browserOptions': { binary: EPIPHANY, args: ['--automation-mode'] },
        },
      },
    }),
  )) as { readonly sessionId: string }
  const sessionUrl = `/session/${sessionId}`
  const runScript = (script: string, ...args: readonly string[]): Promise<unknown> =>
    send('POST', `${sessionUrl}/execute/sync`, { script, args })
  const evaluate = (expression: string): Promise<unknown> => runScript(`return (${expression})`)
  /** Resizes the window until the page has this size. Epiphany's bars may appear or disappear on each resize. */
  const resize = async (width: number, height: number): Promise<void> => {
    for (let tries = 0; tries < MAX_RESIZES; tries += 1) {
      const [extraWidth, extraHeight, isRightSize] = (await evaluate(
        `[outerWidth - innerWidth, outerHeight - innerHeight, innerWidth === ${width} && innerHeight === ${height}]`,
      )) as readonly [number, number, boolean]
      if (isRightSize) return
      const rect = { x: 0, y: 0, width: width + extraWidth, height: height + extraHeight }
      await send('POST', `${sessionUrl}/window/rect`, rect)
      await pause(100)
    }
  }
  return createDriver<string>({
    open: async (url) => void (await send('POST', `${sessionUrl}/url`, { url })),
    readAddress: async () => String(await send('GET', `${sessionUrl}/url`)),
    evaluate,
    takeScreenshot: async () =>
      Buffer.from(String(await send('GET', `${sessionUrl}/screenshot`)), 'base64'),
    resize,
    find: async (script, text) => {
      const element = (await runScript(script, text)) as Readonly<Record<string, string>> | null
      return element === null ? null : `${sessionUrl}/element/${element[ELEMENT_KEY]}`
    },
    click: async (element) => void (await send('POST', `${element}/click`)),
    type: async (element, text) => void (await send('POST', `${element}/value`, { text })),
    attach: async (element, path) => void (await send('POST', `${element}/value`, { text: path })),
    close: async () => {
      // If the window has already closed, the cause was reported when it closed.
      await send('DELETE', sessionUrl).catch(() => null)
      stopPrograms()
    },
  })
}
