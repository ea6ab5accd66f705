/** Renders documents as PDF in a worker thread that stops after a short idle time. */
import { Worker } from 'node:worker_threads'
import { assert, type DocumentBody } from '../../engine/index.ts'
import { formatDocument } from './document-contents.ts'
import type { RenderResult, RenderRequest } from './pdf-worker.ts'

/** Startup takes half a second and the thread uses 80 MB; after one download, the next is likely. */
const IDLE_MS = 30_000
/** A document of a hundred lines takes a tenth of a second. */
const WAIT_MS_MAX = 20_000

type PendingRender = {
  readonly resolve: (pdf: Buffer) => void
  readonly reject: (error: Error) => void
}
let worker: Worker | null = null
let idleTimer: NodeJS.Timeout | null = null
let lastId = 0
const pending = new Map<number, PendingRender>()

/**
 * Returns the PDF of a document's frozen data; the same data gives the same bytes. `event`: as in `formatDocument`.
 * Throws if rendering fails.
 */
export async function renderPdf(body: DocumentBody, event: object | null = null): Promise<Buffer> {
  const request: RenderRequest = {
    id: ++lastId,
    document: formatDocument(body, event),
    at: body.at,
  }
  const timeout = setTimeout(
    () => rejectAll(new Error(`a document was not rendered within ${WAIT_MS_MAX / 1000} seconds`)),
    WAIT_MS_MAX,
  )
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      pending.set(request.id, { resolve, reject })
      getWorker().postMessage(request)
    })
  } finally {
    clearTimeout(timeout)
    stopWhenIdle()
  }
}

function getWorker(): Worker {
  if (idleTimer !== null) clearTimeout(idleTimer)
  idleTimer = null
  if (worker !== null) return worker
  const started = new Worker(new URL('./pdf-worker.ts', import.meta.url))
  started.on('message', ({ id, pdf, error }: RenderResult) => {
    const render = pending.get(id)
    assert(render !== undefined, 'a rendered document without a request')
    pending.delete(id)
    if (pdf === null) render.reject(new Error(error))
    else render.resolve(Buffer.from(pdf))
  })
  started.on('error', rejectAll)
  // After the listeners, because a message listener reverts it: a stopping server would wait for the idle thread.
  started.unref()
  worker = started
  return started
}

/** Rejects all waiting requests; the next one starts a new thread. */
function rejectAll(error: Error): void {
  const all = [...pending.values()]
  pending.clear()
  for (const { reject } of all) reject(error)
  stopWorker()
}

function stopWhenIdle(): void {
  if (pending.size > 0) return
  if (idleTimer !== null) clearTimeout(idleTimer)
  idleTimer = setTimeout(stopWorker, IDLE_MS)
  idleTimer.unref()
}

function stopWorker(): void {
  const stopped = worker
  worker = null
  void stopped?.terminate()
}
