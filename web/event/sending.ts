/** Sends a file that was chosen: a picture made smaller, over a line that may break and comes back. */
import { ok } from '../../engine/index.ts'
import type { Field, ProofAnswer, PublicEvent } from '../../engine/index.ts'
import { answered, call, failedCall } from '../api.ts'
import type { Answered } from '../api.ts'
import { readProof } from '../answers.ts'
import { refusalOf } from './proofs.ts'
import type { Proof } from './proofs.ts'
import { smaller } from './smaller.ts'

export type Sending = {
  readonly event: PublicEvent
  readonly field: Field
  readonly file: File
  /** False: it stays in the page. */
  readonly isAhead: boolean
  readonly tell: (proof: Proof) => void
  readonly refuse: (text: string) => void
  /** Aborted when the file is taken back or another one is chosen. */
  readonly signal: AbortSignal
}

/** Between two tries, milliseconds: soon at first, and never so long that one goes away. */
const PAUSES_MS = [1_000, 3_000, 6_000, 12_000]
/** A line on which nothing moves for so long is dead, milliseconds. */
const STILL_MS = 20_000
/** What has left the browser may still lie in the telephone: so slowly it goes on a line that is alive, in bytes per millisecond. */
const CRAWL_BYTES_PER_MS = 4
/** Statuses of a server that is busy, or of something in between: the same request may go well later. */
const PASSING: ReadonlySet<number> = new Set([0, 408, 425, 429, 502, 503, 504])

export async function sendAhead(sending: Sending): Promise<void> {
  const { event, field, isAhead, tell, refuse, signal } = sending
  const file = await smaller(field, sending.file)
  if (signal.aborted) return
  const no = refusalOf(field, file)
  if (no !== null) return refuse(no)
  const { name, size: bytes } = file
  if (!isAhead) return tell({ is: 'here', name, bytes, file })
  for (let tried = 0; !signal.aborted; tried++) {
    tell({ is: 'sending', name, bytes, percent: 0 })
    const answer = await send(event, field, file, signal, (percent) =>
      tell({ is: 'sending', name, bytes, percent }),
    )
    if (answer.ok) {
      const { token, until } = answer.value
      return tell({ is: 'there', name: answer.value.name, bytes, token, until })
    }
    const { status, code, message, answer: said } = answer.error
    if (status === 422 || status === 413) return refuse(said?.errors?.[field.id] ?? message)
    // Where the server takes none ahead, it goes with the answers.
    if (!PASSING.has(status) || code === 'no_room') return tell({ is: 'here', name, bytes, file })
    tell({ is: 'waiting', name, bytes })
    await pause(PAUSES_MS[tried] ?? PAUSES_MS.at(-1) ?? 0, signal)
  }
}

/** Ends early when the line is back, or nobody waits any more. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}

/** By XMLHttpRequest, which says how much has gone; `fetch` does not. Never throws. */
function send(
  { id }: PublicEvent,
  field: Field,
  file: File,
  signal: AbortSignal,
  onPercent: (percent: number) => void,
): Promise<Answered<ProofAnswer>> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    let still: ReturnType<typeof setTimeout> | undefined
    const stop = () => request.abort()
    const waitFor = (ms: number) => {
      clearTimeout(still)
      still = setTimeout(stop, ms)
    }
    const end = (answer: Answered<ProofAnswer>) => {
      clearTimeout(still)
      signal.removeEventListener('abort', stop)
      resolve(answer)
    }
    signal.addEventListener('abort', stop)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      waitFor(STILL_MS + file.size / CRAWL_BYTES_PER_MS)
      // The last of it is said when the server has it.
      onPercent(Math.min(99, Math.floor((100 * loaded) / Math.max(1, total))))
    })
    request.addEventListener('load', () =>
      end(answered(request.status, request.responseText, readProof)),
    )
    for (const broken of ['error', 'abort', 'timeout'])
      request.addEventListener(broken, () => end(failedCall()))
    request.open('POST', `/api/events/${id}/proofs/`)
    request.setRequestHeader('accept', 'application/json')
    const form = new FormData()
    form.append(field.id, file, file.name)
    waitFor(STILL_MS + file.size / CRAWL_BYTES_PER_MS)
    request.send(form)
  })
}

/** What the delegate took back need not lie with us for days; where this fails it is swept. */
export async function takeBack({ id }: PublicEvent, token: string): Promise<void> {
  await call(`/api/events/${id}/proofs/forget/`, () => ok(null), {
    method: 'POST',
    json: { token },
  })
}
