/** Renders one page in a worker thread: loading the renderer would block requests for too long. */
import { parentPort, workerData } from 'node:worker_threads'
import type { PageData } from '../../engine/api.ts'

/** The result; `kind` is the page's module, `names` tell a browser which `styles` it has, `rules` are others. */
export type Drawn = {
  readonly kind: 'form' | 'selling' | 'site'
  readonly html: string
  readonly rules: string
  readonly styles: string
  readonly names: string
}
/** The output of the web build for the server (web/app/server-rendering.tsx). */
type Drawer = { readonly draw: (page: PageData) => Drawn }
const { module, page } = workerData as { readonly module: string; readonly page: PageData }
const { draw } = (await import(module)) as Drawer
parentPort?.postMessage(draw(page))
