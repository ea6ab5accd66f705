/**
 * `npm run bench -- first-visit [COMMIT]`: a delegate's first visit on a cheap phone with a slow connection, now and
 * at an older commit. Both versions run at the same time and take turns, visit by visit, in a Chromium with throttled
 * network and CPU as in the table; figures are medians. Visible: the frame that paints the form's first field.
 * Usable: a category is chosen as soon as possible, its total is in the bar, and the button next to it can be
 * pressed; this includes everything that the page needs before it responds. A name is typed at that moment, and a
 * visit counts only if name, category and total are correct in the end. Taken over: the whole script of the form
 * has loaded. Blocked: the time of long tasks beyond 50 ms each. The older version is built once and stored under
 * tests/.cache. `VISITS` changes the default five.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'
import { launchWithDefaultFlags } from '../browser/browser.ts'
import { serveAsProcess, ROOT } from '../browser/serve.ts'
import { makePhoto, visitWithPhoto } from './photo.ts'

/** An older commit that runs with today's packages. */
const OLD_COMMIT = 'b5325d85'
const VISIT_COUNT = Number(process.env['VISITS'] ?? 5)
/** A form with a list of categories, which shows no price until one is chosen. */
const FORM_PATH = '/afpicon2026'
/** Registration is open on this date, and the form has no additional fields. */
const CLOCK = '2025-11-10T12:00:00+05:30'
/** Typed when the page is usable. */
const TYPED_NAME = 'Specimen'
/** The timeout of a visit. */
const MAX_VISIT_MS = 60_000

type Connection = {
  readonly name: string
  readonly bitsPerSecond: number
  readonly latencyMs: number
  /** CPU slowdown factor. */
  readonly cpuSlowdown: number
}
const CONNECTIONS = [
  { name: '1.6 Mbps, 150 ms, 4 × CPU', bitsPerSecond: 1_600_000, latencyMs: 150, cpuSlowdown: 4 },
  { name: '400 kbps, 400 ms, 6 × CPU', bitsPerSecond: 400_000, latencyMs: 400, cpuSlowdown: 6 },
] as const satisfies readonly Connection[]
const PHONE = { width: 360, height: 740 }

/** The figures of a visit: times in milliseconds since the address was opened, and bytes as transferred. */
const FIGURES = [
  'fieldsVisible',
  'usable',
  'takenOver',
  'blocked',
  'layoutShift',
  'scripts',
] as const
type Figures = Record<(typeof FIGURES)[number], number>

/** The target of each figure, by connection. */
const TARGETS: readonly Partial<Figures>[] = [
  { fieldsVisible: 1000, usable: 1900, blocked: 300, layoutShift: 0.02, scripts: 160 * 1024 },
  { fieldsVisible: 2000, usable: 4500, layoutShift: 0.02, scripts: 160 * 1024 },
]
const MAX_LANDING_BYTES = 40 * 1024
/** For comparison: an upload that began only when Pay was pressed took 83 s. */
const MAX_PHOTO_MS = 8000

type Observation = {
  fieldsVisible: number | null
  usable: number | null
  takenOver: number | null
  /** The total in the bar when the page became usable. */
  total: string
  tasks: [start: number, ms: number][]
  layoutShift: number
}

/** Runs in the page before its own scripts. */
function observePage([fontLinkId, name]: readonly [fontLinkId: string, name: string]): void {
  const observation: Observation = {
    fieldsVisible: null,
    usable: null,
    takenOver: null,
    total: '',
    tasks: [],
    layoutShift: 0,
  }
  Object.assign(window, { visitObservation: observation })
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      observation.tasks.push([startTime, duration])
  }).observe({ type: 'longtask', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      observation.layoutShift += (entry as PerformanceEntry & { readonly value: number }).value
  }).observe({ type: 'layout-shift', buffered: true })
  const runAfterPaint = (callback: (at: number) => void): void => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => callback(performance.now())
    port2.postMessage(null)
  }
  let isChosen = false
  const checkPage = (): void => {
    const firstField = document.querySelector('form input:not([type="hidden"])')
    if (
      observation.fieldsVisible === null &&
      firstField &&
      firstField.getBoundingClientRect().height > 0
    )
      runAfterPaint((at) => (observation.fieldsVisible ??= at))
    const category = document.querySelector<HTMLInputElement>('.cats input[type="radio"]')
    if (!isChosen && category) {
      category.click()
      isChosen = true
    }
    const total = /₹\s?[\d,]+/.exec(document.querySelector('.bar')?.textContent ?? '')?.[0]
    const pay = document.querySelector('.bar button[type="submit"]:not(:disabled)')
    if (observation.total === '' && total && pay) {
      observation.total = total
      runAfterPaint((at) => (observation.usable ??= at))
      document.querySelector<HTMLElement>('#root_full_name')?.focus({ preventScroll: true })
      document.execCommand('insertText', false, name)
    }
    // The fonts load after the page is taken over; in the older version, once the page is usable.
    const fontLink = document.getElementById(fontLinkId)
    if (observation.total !== '' && (fontLink === null || fontLink.getAttribute('media') === 'all'))
      observation.takenOver = performance.now()
    else requestAnimationFrame(checkPage)
  }
  requestAnimationFrame(checkPage)
}

declare global {
  interface Window {
    visitObservation?: Observation
  }
}

async function openSlowPage(browser: Browser, connection: Connection | null): Promise<Page> {
  const context = await browser.newContext({ viewport: PHONE, locale: 'en-IN' })
  const page = await context.newPage()
  if (connection === null) return page
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: connection.latencyMs,
    downloadThroughput: connection.bitsPerSecond / 8,
    uploadThroughput: connection.bitsPerSecond / 8,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: connection.cpuSlowdown })
  return page
}

/** Returns a function that counts the bytes of all scripts that have arrived so far. */
function countScriptBytes(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    sizes.push(
      (async () => {
        const type = (await request.response())?.headers()['content-type'] ?? ''
        return /javascript/.test(type) ? (await request.sizes()).responseBodySize : 0
        // Responses that arrive while the page is being closed do not belong to a first visit.
      })().catch(() => 0),
    )
  })
  return async () => (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0)
}

async function visitForm(browser: Browser, url: string, connection: Connection): Promise<Figures> {
  const page = await openSlowPage(browser, connection)
  try {
    await page.addInitScript(observePage, [FONTS_ELEMENT_ID, TYPED_NAME] as const)
    const readScriptBytes = countScriptBytes(page)
    await page.goto(url, { waitUntil: 'commit', timeout: MAX_VISIT_MS })
    await page.waitForFunction(() => window.visitObservation?.takenOver, null, {
      timeout: MAX_VISIT_MS,
    })
    await page.waitForLoadState('networkidle', { timeout: MAX_VISIT_MS })
    const observation = await page.evaluate(() => window.visitObservation)
    if (
      observation?.fieldsVisible == null ||
      observation.usable == null ||
      observation.takenOver == null
    )
      throw new Error(`${url} did not become usable`)
    const { fieldsVisible, usable, takenOver, total, tasks, layoutShift } = observation
    const finalState = await page.evaluate(() => ({
      name: document.querySelector<HTMLInputElement>('#root_full_name')?.value,
      isChosen: document.querySelector<HTMLInputElement>('.cats input')?.checked,
      bar: document.querySelector('.bar')?.textContent ?? '',
    }))
    if (
      finalState.name !== TYPED_NAME ||
      finalState.isChosen !== true ||
      !finalState.bar.includes(total)
    )
      throw new Error(`${url} lost the typed name or the choice: ${JSON.stringify(finalState)}`)
    const blocked = tasks.reduce((sum, [, ms]) => sum + Math.max(0, ms - 50), 0)
    return {
      fieldsVisible,
      usable,
      takenOver,
      blocked,
      layoutShift,
      scripts: await readScriptBytes(),
    }
  } finally {
    await page.context().close()
  }
}

/** Returns the script bytes of the landing page. */
async function visitLanding(browser: Browser, url: string): Promise<number> {
  const page = await openSlowPage(browser, null)
  try {
    const readScriptBytes = countScriptBytes(page)
    await page.goto(url, { waitUntil: 'networkidle', timeout: MAX_VISIT_MS })
    return await readScriptBytes()
  } finally {
    await page.context().close()
  }
}

/** Returns a working tree of the older commit with its web app, which is built on first use. */
function prepareTree(commit: string): string {
  const tree = join(ROOT, 'tests', '.cache', `tree-${commit}`)
  const runGit = (...args: readonly string[]) => execFileSync('git', args, { cwd: ROOT })
  if (existsSync(join(tree, 'web', 'dist', 'index.html'))) return tree
  rmSync(tree, { recursive: true, force: true })
  runGit('worktree', 'prune')
  runGit('worktree', 'add', '--quiet', '--detach', tree, commit)
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  const buildResult = spawnSync(process.execPath, [join(tree, 'bin', 'rollcall.js'), 'build'], {
    cwd: tree,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (buildResult.status !== 0) throw new Error(`the web app of ${commit} cannot be built`)
  return tree
}

const computeMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

const LABELS: Readonly<
  Record<keyof Figures, readonly [label: string, text: (figure: number) => string]>
> = {
  fieldsVisible: ['form fields visible', (ms) => `${(ms / 1000).toFixed(2)} s`],
  usable: ['usable, price included', (ms) => `${(ms / 1000).toFixed(2)} s`],
  takenOver: ['taken over', (ms) => `${(ms / 1000).toFixed(2)} s`],
  blocked: ['total blocking time', (ms) => `${ms.toFixed(0)} ms`],
  layoutShift: ['layout shift', (share) => share.toFixed(3)],
  scripts: ['JavaScript, form, sent', (bytes) => `${(bytes / 1024).toFixed(1)} KiB`],
}

/** Prints the table. Returns true if the current version meets every target. */
export async function benchFirstVisit(commit: string = OLD_COMMIT): Promise<boolean> {
  let areTargetsMet = true
  const printLine = (
    label: string,
    before: string,
    now: string,
    target: string,
    meetsTarget: boolean,
  ): void => {
    areTargetsMet &&= meetsTarget
    const mark = target === '' || label === '' ? ' ' : meetsTarget ? '✓' : '✗'
    console.log(
      `${mark} ${label.padEnd(26)} ${before.padStart(10)} ${now.padStart(10)}   ${target}`,
    )
  }
  const trees = { before: prepareTree(commit), now: ROOT }
  const olderServer = await serveAsProcess({ CLOCK }, () => {}, trees.before)
  const currentServer = await serveAsProcess({ CLOCK }, () => {}, trees.now)
  const browser = await launchWithDefaultFlags()
  try {
    for (const [index, connection] of CONNECTIONS.entries()) {
      const rows: Record<'before' | 'now', Figures[]> = { before: [], now: [] }
      for (let visit = 0; visit < VISIT_COUNT; visit += 1)
        for (const treeName of visit % 2 === 0
          ? (['before', 'now'] as const)
          : (['now', 'before'] as const))
          rows[treeName].push(
            await visitForm(
              browser,
              (treeName === 'before' ? olderServer : currentServer).url + FORM_PATH,
              connection,
            ),
          )
      console.log(
        `\nFirst visit of ${FORM_PATH}: ${connection.name}, medians of ${VISIT_COUNT}, taking turns (load average ${loadavg()[0]?.toFixed(1)})\n`,
      )
      printLine('', commit, 'now', 'to reach', true)
      for (const name of FIGURES) {
        const [label, formatFigure] = LABELS[name]
        const computeMedianOf = (treeName: 'before' | 'now') =>
          computeMedian(rows[treeName].map((row) => row[name]))
        const target = TARGETS[index]?.[name]
        const meetsTarget = target === undefined || computeMedianOf('now') <= target
        printLine(
          label,
          formatFigure(computeMedianOf('before')),
          formatFigure(computeMedianOf('now')),
          target === undefined ? '' : formatFigure(target),
          meetsTarget,
        )
        console.log(
          `    ${rows.before.map((row) => formatFigure(row[name])).join(', ')} | ${rows.now.map((row) => formatFigure(row[name])).join(', ')}`,
        )
      }
    }
    const photo = await makePhoto(browser)
    const [, slowConnection] = CONNECTIONS
    const uploadsMs: number[] = []
    for (let visit = 0; visit < VISIT_COUNT; visit += 1) {
      const page = await openSlowPage(browser, slowConnection)
      uploadsMs.push(await visitWithPhoto(page, currentServer.url + FORM_PATH, photo))
      await page.context().close()
    }
    const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
    console.log(
      `\nA photo of ${(photo.length / 1024 / 1024).toFixed(1)} MB, from selection to storage on the server, before Pay is pressed: ${slowConnection.name}\n`,
    )
    printLine(
      'photo upload',
      '',
      formatSeconds(computeMedian(uploadsMs)),
      formatSeconds(MAX_PHOTO_MS),
      computeMedian(uploadsMs) <= MAX_PHOTO_MS,
    )
    console.log(`    ${uploadsMs.map(formatSeconds).join(', ')}`)
    const landingBytes = [
      await visitLanding(browser, `${olderServer.url}/`),
      await visitLanding(browser, `${currentServer.url}/`),
    ] as const
    const formatKib = (bytes: number) =>
      bytes === 0 ? 'no script' : `${(bytes / 1024).toFixed(1)} KiB`
    console.log()
    printLine(
      'JavaScript, landing, sent',
      formatKib(landingBytes[0]),
      formatKib(landingBytes[1]),
      formatKib(MAX_LANDING_BYTES),
      landingBytes[1] <= MAX_LANDING_BYTES,
    )
  } finally {
    await browser.close()
    await Promise.all([olderServer.stop(), currentServer.stop()])
  }
  return areTargetsMet
}
