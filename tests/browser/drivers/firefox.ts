/** Drives Debian's Firefox over WebDriver BiDi, Firefox's own protocol, which needs no separate driver. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Driver } from './driver.ts'
import {
  FONT_FOLDER,
  DEFAULT_HEIGHT,
  MAX_WAIT_MS,
  createDriver,
  DEFAULT_WIDTH,
  getFontEnvironment,
} from './driver.ts'

const FIREFOX_PATH = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr'
/** The oldest tested version. */
const MIN_FIREFOX_VERSION = 140

/** Returns why Firefox cannot be driven on this machine. Null if it can. */
export function explainMissingFirefox(): string | null {
  if (!existsSync(FIREFOX_PATH)) return 'firefox-esr is not installed'
  const versionText = spawnSync(FIREFOX_PATH, ['--version'], { encoding: 'utf8' }).stdout.trim()
  const version = Number(/Firefox (\d+)/.exec(versionText)?.[1] ?? 0)
  return version >= MIN_FIREFOX_VERSION
    ? null
    : `${versionText || FIREFOX_PATH} is older than ${MIN_FIREFOX_VERSION}`
}

type Preferences = Readonly<Record<string, string | number | boolean>>
/** An element of the page. */
type FirefoxElement = { readonly sharedId: string }
type FirefoxResponse = {
  readonly id?: number
  readonly result?: unknown
  readonly error?: string
  readonly message?: string
}

export async function startFirefox(preferences: Preferences = {}): Promise<Driver> {
  const profile = mkdtempSync(join(tmpdir(), 'rollcall-firefox-'))
  const settings = Object.entries({
    'ui.prefersReducedMotion': 1,
    // The sandbox allows pages to read only these files.
    'security.sandbox.content.read_path_whitelist': `${FONT_FOLDER}/`,
    ...preferences,
  })
  writeFileSync(
    join(profile, 'user.js'),
    settings.map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(''),
  )
  const program = spawn(
    FIREFOX_PATH,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { env: getFontEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const exited = once(program, 'exit')
  const stopFirefox = async (): Promise<void> => {
    program.kill()
    await exited
    rmSync(profile, { recursive: true, maxRetries: 5 })
  }
  try {
    return await createFirefoxDriver(await openSocket(program.stderr, exited), stopFirefox)
  } catch (error) {
    await stopFirefox()
    throw error
  }
}

/** Connects to the address that Firefox prints. Reads all its output, because a full pipe would block Firefox. */
async function openSocket(
  output: NodeJS.ReadableStream,
  exited: Promise<unknown>,
): Promise<WebSocket> {
  const lines = createInterface({ input: output })
  const address = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  const failed = exited.then((): never => {
    throw new Error('Firefox has exited')
  })
  const socket = new WebSocket(`${await Promise.race([address, failed])}/session`)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  return socket
}

async function createFirefoxDriver(
  socket: WebSocket,
  stopFirefox: () => Promise<void>,
): Promise<Driver> {
  const pendingRequests = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, message } = JSON.parse(String(data)) as FirefoxResponse
    const pendingRequest = pendingRequests.get(id ?? 0)
    pendingRequests.delete(id ?? 0)
    if (error === undefined) pendingRequest?.resolve(result)
    else pendingRequest?.reject(new Error(`Firefox: ${error}: ${message}`))
  })
  socket.addEventListener('close', () => {
    for (const pendingRequest of pendingRequests.values())
      pendingRequest.reject(new Error('Firefox has closed'))
  })
  let lastId = 0
  const send = async (method: string, params: object): Promise<unknown> => {
    const id = (lastId += 1)
    const pendingRequest = Promise.withResolvers<unknown>()
    pendingRequests.set(id, pendingRequest)
    const timer = setTimeout(
      () => pendingRequest.reject(new Error(`Firefox did not respond to ${method}`)),
      MAX_WAIT_MS,
    )
    socket.send(JSON.stringify({ id, method, params }))
    return pendingRequest.promise.finally(() => clearTimeout(timer))
  }

  await send('session.new', { capabilities: {} })
  const { contexts } = (await send('browsingContext.getTree', {})) as {
    readonly contexts: readonly { readonly context: string; readonly url: string }[]
  }
  const context = contexts[0]?.context
  const runScript = async (method: string, params: object): Promise<ScriptResult> => {
    const result = (await send(`script.${method}`, {
      ...params,
      target: { context },
      awaitPromise: true,
    })) as ScriptResult
    if (result.type === 'exception') throw new Error(`Firefox: ${result.exceptionDetails?.text}`)
    return result
  }
  const evaluate = async (expression: string): Promise<unknown> => {
    const result = await runScript('evaluate', {
      expression: `Promise.resolve((${expression})).then((value) => JSON.stringify(value ?? null))`,
    })
    return JSON.parse(String(result.result?.value))
  }
  const performActions = (type: string, id: string, actions: readonly object[]): Promise<unknown> =>
    send('input.performActions', { context, actions: [{ type, id, actions }] })
  const click = async (element: FirefoxElement): Promise<void> => {
    await runScript('callFunction', {
      functionDeclaration: `(found) => found.scrollIntoView({ block: 'center', behavior: 'instant' })`,
      arguments: [element],
    })
    await performActions('pointer', 'mouse', [
      { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ])
  }
  const resize = async (width: number, height: number): Promise<void> =>
    void (await send('browsingContext.setViewport', { context, viewport: { width, height } }))
  await resize(DEFAULT_WIDTH, DEFAULT_HEIGHT)

  return createDriver<FirefoxElement>({
    open: async (url) =>
      void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    readAddress: async () => String(await evaluate('location.href')),
    evaluate,
    takeScreenshot: async () => {
      const screenshot = await send('browsingContext.captureScreenshot', { context })
      return Buffer.from((screenshot as { readonly data: string }).data, 'base64')
    },
    resize,
    find: async (script, text) => {
      const { result } = await runScript('callFunction', {
        functionDeclaration: `function () { ${script} }`,
        arguments: [{ type: 'string', value: text }],
      })
      return result?.sharedId === undefined ? null : { sharedId: result.sharedId }
    },
    click,
    type: async (element, text) => {
      await click(element)
      const keyActions = [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
      await performActions('key', 'keyboard', keyActions)
    },
    attach: async (element, path) =>
      void (await send('input.setFiles', { context, element, files: [path] })),
    close: async () => {
      socket.close()
      await stopFirefox()
    },
  })
}

/** The result of a script in the page. */
type ScriptResult = {
  readonly type: 'success' | 'exception'
  readonly result?: { readonly value?: unknown; readonly sharedId?: string }
  readonly exceptionDetails?: { readonly text: string }
}
