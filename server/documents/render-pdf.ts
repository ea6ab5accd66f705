/** Renders documents as PDF in a worker thread that stops after a short idle time. */
import { Worker } from 'node:worker_threads'
import { assert, type DocumentBody } from '../../engine/index.ts'
import { printed } from './document-contents.ts'
import type { Set, Wanted } from './pdf-worker.ts'

/** Starting takes half a second and the thread holds 80 MB; after one download, the next is likely. */
const IDLE_MS = 30_000
/** A document of a hundred lines takes a tenth of a second. */
const WAIT_MS_MAX = 20_000

type Waiting = {
  readonly resolve: (pdf: Buffer) => void
  readonly reject: (error: Error) => void
}
let worker: Worker | null = null
let idle: NodeJS.Timeout | null = null
let last = 0
const waiting = new Map<number, Waiting>()

/**
 * Returns the PDF of a document's frozen data; the same data gives the same bytes. `event`: as in `printed`.
 * Throws if rendering fails.
 */
export async function pdfOf(body: DocumentBody, event: object | null = null): Promise<Buffer> {
  const wanted: Wanted = { id: ++last, document: printed(body, event), at: body.at }
  const late = setTimeout(
    () => fail(new Error(`a document was not set after ${WAIT_MS_MAX / 1000} seconds`)),
    WAIT_MS_MAX,
  )
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      waiting.set(wanted.id, { resolve, reject })
      threadAtWork().postMessage(wanted)
    })
  } finally {
    clearTimeout(late)
    rest()
  }
}

function threadAtWork(): Worker {
  if (idle !== null) clearTimeout(idle)
  idle = null
  if (worker !== null) return worker
  const begun = new Worker(new URL('./pdf-worker.ts', import.meta.url))
  begun.on('message', ({ id, pdf, error }: Set) => {
    const one = waiting.get(id)
    assert(one !== undefined, 'a document that nobody wanted')
    waiting.delete(id)
    if (pdf === null) one.reject(new Error(error))
    else one.resolve(Buffer.from(pdf))
  })
  begun.on('error', fail)
  // After the listeners, because a message listener reverts it: a stopping server would wait for the idle thread.
  begun.unref()
  worker = begun
  return begun
}

/** Rejects all waiting requests; the next one starts a new thread. */
function fail(error: Error): void {
  const all = [...waiting.values()]
  waiting.clear()
  for (const { reject } of all) reject(error)
  end()
}

function rest(): void {
  if (waiting.size > 0) return
  if (idle !== null) clearTimeout(idle)
  idle = setTimeout(end, IDLE_MS)
  idle.unref()
}

function end(): void {
  const ending = worker
  worker = null
  void ending?.terminate()
}
