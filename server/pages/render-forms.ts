/**
 * Prerenders forms and the landing page on the server. Each is rendered by the web app's own components in a worker
 * thread, once per event version and set of daily prices, and cached. If it is not ready in time, the page is sent
 * without the rendered form, and its script renders it. A prerendered landing page has no script.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { assert, escapeHtml } from '../../engine/index.ts'
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'
import type { PageData } from '../../engine/api.ts'
import type { Log, ServedEvent } from '../dependencies.ts'
import type { RenderedPage } from './render-form-worker.ts'
import type { PrerenderedPage } from './html-shell.ts'

type EventPage = Extract<PageData, { page: 'event' }>
type SitePage = Extract<PageData, { page: 'site' }>
export type Prerenderer = {
  /**
   * Returns a page's form as its script would render it; null if it cannot be rendered, `late` if it is not ready
   * in time. Never throws.
   */
  readonly renderForm: (
    served: ServedEvent,
    page: EventPage,
  ) => Promise<PrerenderedPage | null | 'late'>
  /** Like `renderForm`, for the whole landing page. */
  readonly renderLandingPage: (page: SitePage) => Promise<PrerenderedPage | null | 'late'>
}

/** If rendering takes longer, the page is sent without prerendered content; a later request gets it. */
const MAX_WAIT_MS = 2_000
/** A thread that has not finished within this time is considered stuck, and is stopped. */
const MAX_RENDER_MS = 20_000
/** Above this size, a browser renders the form faster than it downloads the prerendered HTML. */
const MAX_HTML_CHARS = 400_000
/** About two hundred forms of the usual size. */
const MAX_CACHE_CHARS = 16 * 1024 * 1024

type Chunk = {
  readonly name?: string
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}
type Manifest = Readonly<Record<string, Chunk>>

/** Opens the renderer in the folder of the built web app. If the build has no renderer, nothing is prerendered. */
export function openPrerenderer(folder: string, log: Log): Prerenderer {
  const module = path.join(folder, 'server', 'server-rendering.js')
  if (!existsSync(module))
    return { renderForm: async () => null, renderLandingPage: async () => null }
  const heads = buildHeads(folder)
  const cache = new Map<string, Promise<PrerenderedPage | null>>()
  const sizes = new Map<string, number>()
  /** Forms are rendered one at a time, because rendering competes with registrations for the processor. */
  let lastRender: Promise<unknown> = Promise.resolve()

  const renderPage = async (
    key: string,
    page: EventPage | SitePage,
  ): Promise<PrerenderedPage | null> => {
    try {
      const { kind, html, rules, styles, names } = await renderInThread(module, page)
      const emotionStyle =
        names === '' ? '' : `<style data-emotion="${escapeHtml(names)}">${styles}</style>`
      const head = `${heads[kind].html}${emotionStyle}<style>${rules}</style>`
      if (html.length > MAX_HTML_CHARS || /<\/style/i.test(styles + rules)) return null
      sizes.set(key, html.length + head.length)
      evictOldest()
      const inlineStyles = [...heads[kind].styles, ...(names === '' ? [] : [styles]), rules]
      return { html, head, styles: inlineStyles, isComplete: kind === 'site' }
    } catch (error) {
      const event = page.page === 'event' ? page.event.event.id : null
      log.error({ event, error: String(error) }, 'a page could not be prerendered')
      return null
    }
  }
  const evictOldest = (): void => {
    let chars = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    for (const [key, pageChars] of sizes) {
      if (chars <= MAX_CACHE_CHARS) return
      chars -= pageChars
      sizes.delete(key)
      cache.delete(key)
    }
  }
  const renderWithTimeout = (
    key: string,
    page: EventPage | SitePage,
  ): Promise<PrerenderedPage | null | 'late'> => {
    let renderedPage = cache.get(key)
    if (renderedPage === undefined) {
      renderedPage = lastRender.then(() => renderPage(key, page))
      lastRender = renderedPage
      cache.set(key, renderedPage)
    }
    return Promise.race([renderedPage, resolveLateAfter(MAX_WAIT_MS)])
  }
  return {
    renderForm: async (served, page) => renderWithTimeout(buildCacheKey(served, page), page),
    renderLandingPage: async (page) => renderWithTimeout(JSON.stringify(page), page),
  }
}

/**
 * Builds the key from the event's version and the parts of the page that change daily; the time of day does not
 * matter.
 */
const buildCacheKey = (served: ServedEvent, { tariff, event }: EventPage): string =>
  JSON.stringify([served.config.id, served.hash, event.now.slice(0, 10), { ...tariff, now: '' }])

const resolveLateAfter = (ms: number): Promise<'late'> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms, 'late').unref()
  })

function renderInThread(module: string, page: EventPage | SitePage): Promise<RenderedPage> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./render-form-worker.ts', import.meta.url), {
      workerData: { module: pathToFileURL(module).href, page },
    })
    const timeout = setTimeout(() => {
      reject(new Error(`not rendered within ${MAX_RENDER_MS / 1000} seconds`))
      // Otherwise, the thread would run forever and occupy a processor.
      stopWorker()
    }, MAX_RENDER_MS)
    timeout.unref()
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the thread ended')))
    const stopWorker = (): void => {
      clearTimeout(timeout)
      void worker.terminate()
    }
    worker.once('message', stopWorker)
    worker.once('error', stopWorker)
    // A message listener would keep the process alive again.
    worker.unref()
  })
}

/** `styles` contains the text of each style element. */
type Head = { readonly html: string; readonly styles: readonly string[] }

/**
 * Returns the inline styles of a form's page, which allow an immediate paint, and the scripts that it will request. The
 * links to the style sheets are kept but disabled, because the module loader looks for them before it loads their
 * files.
 */
function buildHeads(folder: string): Readonly<Record<RenderedPage['kind'], Head>> {
  const readManifest = (name: string) =>
    JSON.parse(readFileSync(path.join(folder, '.vite', name), 'utf8')) as Manifest
  const manifest = readManifest('manifest.json')
  const buildHead = (name: string, preHydrationScript?: string): Head => {
    const preHydrationScripts =
      preHydrationScript === undefined
        ? []
        : Object.values(readManifest(`${preHydrationScript}.json`)).map(
            ({ file }) => `<script type="module" crossorigin src="/${file}"></script>`,
          )
    const [entry] = Object.entries(manifest).find(([, chunk]) => chunk.name === name) ?? [name]
    const files = [
      ...new Set([...listFiles(manifest, 'index.html'), ...listFiles(manifest, entry)]),
    ]
    const scripts = files.filter((file) => file.endsWith('.js'))
    // The landing page uses none of the styles that forms and result pages share.
    const sharedSheets = name === 'landing-page' ? findStyleSheets(manifest, 'shared') : []
    const sheets = files.filter((file) => file.endsWith('.css') && !sharedSheets.includes(file))
    const styles = sheets.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('')
    assert(!/<\/style/i.test(styles), 'a style sheet contains </style>')
    if (name === 'landing-page') return { html: `<style>${styles}</style>`, styles: [styles] }
    // Fonts are downloaded after the script, which they would delay (web/app/app-root.tsx).
    const FONT_FACE = /@font-face\s*\{[^}]*url\([^}]*\}/g
    const rules = styles.replaceAll(FONT_FACE, '')
    const fonts = (styles.match(FONT_FACE) ?? [])
      .join('')
      .replaceAll(/font-display: ?optional/g, 'font-display:swap')
    const html = [
      ...preHydrationScripts,
      ...scripts.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
      `<style>${rules}</style>`,
      `<style media="not all" id="${FONTS_ELEMENT_ID}">${fonts}</style>`,
      ...sheets.map((file) => `<link rel="stylesheet" crossorigin href="/${file}" disabled>`),
    ].join('\n')
    return { html, styles: [rules, fonts] }
  }
  return {
    form: buildHead('registration-page', 'pre-hydration-script'),
    selling: buildHead('registration-page-with-items-and-codes', 'pre-hydration-script-with-items'),
    site: buildHead('landing-page'),
  }
}

const findStyleSheets = (manifest: Manifest, name: string): readonly string[] =>
  Object.values(manifest).find((chunk) => chunk.name === name)?.css ?? []

function listFiles(manifest: Manifest, entry: string): readonly string[] {
  const chunk = manifest[entry]
  assert(chunk !== undefined, `the web app has no ${entry}`)
  return [
    ...(chunk.imports ?? []).flatMap((importName) => listFiles(manifest, importName)),
    ...(chunk.css ?? []),
    chunk.file,
  ]
}
