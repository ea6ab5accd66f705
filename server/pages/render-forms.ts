/**
 * Prerenders forms and the landing page on the server.
 * Each is rendered once per event version and day's prices, by the web app's own components in a worker thread,
 * and cached. If it is not ready in time, the page is sent without it, and its script renders the form. The
 * landing page has no script.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { assert, escapeHtml } from '../../engine/index.ts'
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'
import type { PageData } from '../../engine/api.ts'
import type { Log, ServedEvent } from '../dependencies.ts'
import type { Drawn } from './render-form-worker.ts'
import { nonceMark } from './html-shell.ts'
import type { Drawing } from './html-shell.ts'

type EventPage = Extract<PageData, { page: 'event' }>
type SitePage = Extract<PageData, { page: 'site' }>
export type Drawings = {
  /** Returns the form of a page as its script would render it; null: not available now. Never throws. */
  readonly of: (served: ServedEvent, page: EventPage) => Promise<Drawing | null>
  /** Returns the whole landing page, in the same way. */
  readonly site: (page: SitePage) => Promise<Drawing | null>
}

/** A page that waits longer is sent without its prerendered content; the next one has it. */
const WAIT_MS_MAX = 2_000
/** A thread that has not finished by now never will. */
const DRAWING_MS_MAX = 20_000
/** A longer form is rendered by its script faster than it is sent. */
const HTML_CHARS_MAX = 400_000
/** About two hundred forms of the usual size. */
const KEPT_CHARS_MAX = 16 * 1024 * 1024

type Chunk = {
  readonly name?: string
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}
type Manifest = Readonly<Record<string, Chunk>>

/** @param folder the built web app. If it was built without the renderer, nothing is prerendered. */
export function openDrawings(folder: string, log: Log): Drawings {
  const module = path.join(folder, 'server', 'server-rendering.js')
  if (!existsSync(module)) return { of: async () => null, site: async () => null }
  const heads = headsOf(folder)
  const kept = new Map<string, Promise<Drawing | null>>()
  const sizes = new Map<string, number>()
  /** Forms are rendered one after the other, because registrations share the machine. */
  let last: Promise<unknown> = Promise.resolve()

  const draw = async (key: string, page: EventPage | SitePage): Promise<Drawing | null> => {
    try {
      const { kind, html, rules, styles, names } = await inThread(module, page)
      const made =
        names === ''
          ? ''
          : `<style nonce="${nonceMark}" data-emotion="${escapeHtml(names)}">${styles}</style>`
      const head = `${heads[kind]}${made}<style nonce="${nonceMark}">${rules}</style>`
      if (html.length > HTML_CHARS_MAX || /<\/style/i.test(styles + rules)) return null
      sizes.set(key, html.length + head.length)
      forgetOldest()
      return { html, head, isAlone: kind === 'site' }
    } catch (error) {
      const event = page.page === 'event' ? page.event.event.id : null
      log.error({ event, error: String(error) }, 'a page cannot be drawn')
      return null
    }
  }
  const forgetOldest = (): void => {
    let chars = [...sizes.values()].reduce((sum, each) => sum + each, 0)
    for (const [key, each] of sizes) {
      if (chars <= KEPT_CHARS_MAX) return
      chars -= each
      sizes.delete(key)
      kept.delete(key)
    }
  }
  const inTime = (key: string, page: EventPage | SitePage): Promise<Drawing | null> => {
    let drawing = kept.get(key)
    if (drawing === undefined) {
      drawing = last.then(() => draw(key, page))
      last = drawing
      kept.set(key, drawing)
    }
    return Promise.race([drawing, later(WAIT_MS_MAX)])
  }
  return {
    of: async (served, page) => inTime(keyOf(served, page), page),
    site: async (page) => inTime(JSON.stringify(page), page),
  }
}

/** The event's version, and the parts of the page that change from day to day; the time of day changes nothing. */
const keyOf = (served: ServedEvent, { tariff, event }: EventPage): string =>
  JSON.stringify([served.config.id, served.hash, event.now.slice(0, 10), { ...tariff, now: '' }])

const later = (ms: number): Promise<null> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms, null).unref()
  })

function inThread(module: string, page: EventPage | SitePage): Promise<Drawn> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./render-form-worker.ts', import.meta.url), {
      workerData: { module: pathToFileURL(module).href, page },
    })
    const late = setTimeout(() => {
      reject(new Error(`not drawn after ${DRAWING_MS_MAX / 1000} seconds`))
      // Otherwise it would continue forever and occupy a processor.
      done()
    }, DRAWING_MS_MAX)
    late.unref()
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the thread ended')))
    const done = (): void => {
      clearTimeout(late)
      void worker.terminate()
    }
    worker.once('message', done)
    worker.once('error', done)
    // A message listener would keep the process alive again.
    worker.unref()
  })
}

/**
 * The styles of a form's page, inlined so that it is painted on arrival, and the scripts that it will request.
 * The links to the style sheets stay, disabled: the module loader looks for them before it loads their files.
 */
function headsOf(folder: string): Readonly<Record<Drawn['kind'], string>> {
  const manifestOf = (name: string) =>
    JSON.parse(readFileSync(path.join(folder, '.vite', name), 'utf8')) as Manifest
  const manifest = manifestOf('manifest.json')
  const ahead = Object.values(manifestOf('pre-hydration.json')).map(
    ({ file }) => `<script type="module" crossorigin src="/${file}"></script>`,
  )
  const headOf = (name: string): string => {
    const [entry] = Object.entries(manifest).find(([, chunk]) => chunk.name === name) ?? [name]
    const files = [...new Set([...filesOf(manifest, 'index.html'), ...filesOf(manifest, entry)])]
    const scripts = files.filter((file) => file.endsWith('.js'))
    // The landing page uses nothing that forms and result pages share.
    const foreign = name === 'landing-page' ? sheetsOf(manifest, 'shared') : []
    const sheets = files.filter((file) => file.endsWith('.css') && !foreign.includes(file))
    const styles = sheets.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('')
    assert(!/<\/style/i.test(styles), 'a style sheet ends its element')
    if (name === 'landing-page') return `<style nonce="${nonceMark}">${styles}</style>`
    // Downloaded fonts wait for the script, which every byte of them would delay (web/app/app-root.tsx).
    const faces = /@font-face\s*\{[^}]*url\([^}]*\}/g
    return [
      // If the event sells more than the registration, this would be half of the whole.
      ...(name === 'registration-page' ? ahead : []),
      ...scripts.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
      `<style nonce="${nonceMark}">${styles.replaceAll(faces, '')}</style>`,
      `<style nonce="${nonceMark}" media="not all" id="${FONTS_ELEMENT_ID}">${(styles.match(faces) ?? []).join('').replaceAll(/font-display: ?optional/g, 'font-display:swap')}</style>`,
      ...sheets.map((file) => `<link rel="stylesheet" crossorigin href="/${file}" disabled>`),
    ].join('\n')
  }
  return {
    form: headOf('registration-page'),
    selling: headOf('registration-page-with-items-and-codes'),
    site: headOf('landing-page'),
  }
}

const sheetsOf = (manifest: Manifest, name: string): readonly string[] =>
  Object.values(manifest).find((chunk) => chunk.name === name)?.css ?? []

function filesOf(manifest: Manifest, entry: string): readonly string[] {
  const chunk = manifest[entry]
  assert(chunk !== undefined, `the web app has no ${entry}`)
  return [
    ...(chunk.imports ?? []).flatMap((each) => filesOf(manifest, each)),
    ...(chunk.css ?? []),
    chunk.file,
  ]
}
