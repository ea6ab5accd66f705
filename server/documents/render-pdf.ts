/** Documents as PDF, set in a thread that is there while somebody wants one, and a little longer. */
import { Worker } from 'node:worker_threads'
import { assert, type DocumentBody } from '../../engine/index.ts'
import { printed } from './document-contents.ts'
import type { Set, Wanted } from './pdf-worker.ts'

/** To begin takes half a second and keeps 80 MB; whoever downloads one often wants the next. */
const IDLE_MS = 30_000
/** A document of a hundred lines is set in a tenth of a second. */
const WAIT_MS_MAX = 20_000

type Waiting = {
  readonly resolve: (pdf: Buffer) => void
  readonly reject: (error: Error) => void
}
let worker: Worker | null = null
let idle: NodeJS.Timeout | null = null
let last = 0
const waiting = new Map<number, Waiting>()

/** The PDF of a document's frozen facts; the same facts make the same bytes. `event` as `printed` has it. Throws where it cannot be set. */
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
  // After the listeners, because one for messages takes it back: a server that stops would wait for the idle thread.
  begun.unref()
  worker = begun
  return begun
}

/** Whoever waits is told, and the next one begins a new thread. */
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
