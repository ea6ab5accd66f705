/** Sends a file that was chosen: a picture made smaller, over a line that may break and comes back. */
import { ok } from '../../../engine/index.ts'
import type { Field, PublicEvent } from '../../../engine/index.ts'
import { call } from '../../app/api-client.ts'
import { upload } from '../../app/api-upload.ts'
import { readProof } from '../../app/api-responses.ts'
import { refusalOf } from './chosen-file.ts'
import type { Proof } from './chosen-file.ts'
import { smaller } from './shrink-photo.ts'

export type Sending = {
  readonly event: PublicEvent
  readonly field: Field
  readonly file: File
  /** False: it stays in the page. */
  readonly isAhead: boolean
  /** The address that takes it; left out: that of the form. */
  readonly to?: string
  readonly tell: (proof: Proof) => void
  readonly refuse: (text: string) => void
  /** Aborted when the file is taken back or another one is chosen. */
  readonly signal: AbortSignal
}

/** Between two tries, milliseconds: soon at first, and never so long that one goes away. */
const PAUSES_MS = [1_000, 3_000, 6_000, 12_000]
/** Statuses of a server that is busy, or of something in between: the same request may go well later. */
const PASSING: ReadonlySet<number> = new Set([0, 408, 425, 429, 502, 503, 504])

export async function sendAhead(sending: Sending): Promise<void> {
  const { event, field, isAhead, tell, refuse, signal } = sending
  const { to = `/api/events/${event.id}/proofs/` } = sending
  const file = await smaller(field, sending.file)
  if (signal.aborted) return
  const no = refusalOf(field, file)
  if (no !== null) return refuse(no)
  const { name, size: bytes } = file
  if (!isAhead) return tell({ is: 'here', name, bytes, file })
  for (let tried = 0; !signal.aborted; tried++) {
    tell({ is: 'sending', name, bytes, percent: 0 })
    const answer = await upload(to, readProof, {
      field: field.id,
      file,
      signal,
      onPercent: (percent) => tell({ is: 'sending', name, bytes, percent }),
    })
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

/** What the delegate took back need not lie with us for days; where this fails it is swept. */
export async function takeBack({ id }: PublicEvent, token: string): Promise<void> {
  await call(`/api/events/${id}/proofs/forget/`, () => ok(null), {
    method: 'POST',
    json: { token },
  })
}
