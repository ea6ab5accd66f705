/** Renders one page in a worker thread, because loading the renderer would block requests too long. */
import { parentPort, workerData } from 'node:worker_threads'
import type { PageData } from '../../engine/api.ts'

/**
 * The rendered page: its module (`kind`), its generated `styles` with their `names` for the browser, and its other CSS
 * `rules`.
 */
export type RenderedPage = {
  readonly kind: 'form' | 'selling' | 'site'
  readonly html: string
  readonly rules: string
  readonly styles: string
  readonly names: string
}
/** The renderer that the web build contains (web/app/server-rendering.tsx). */
type Renderer = { readonly renderPage: (page: PageData) => RenderedPage }
const { module, page } = workerData as { readonly module: string; readonly page: PageData }
const { renderPage } = (await import(module)) as Renderer
parentPort?.postMessage(renderPage(page))
