/** The upload of a file: resizes a picture, sends the file, and retries when the connection is lost. */
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
  /** False: the file stays in the page. */
  readonly isAhead: boolean
  /** URL of the upload; default: the form's. */
  readonly to?: string
  readonly tell: (proof: Proof) => void
  readonly refuse: (text: string) => void
  /** Aborted when the file is removed or replaced. */
  readonly signal: AbortSignal
}

/**
 * Delays between retries, in milliseconds: short at first, and never so long that the delegate
 * leaves.
 */
const PAUSES_MS = [1_000, 3_000, 6_000, 12_000]
/** Statuses of a busy server or proxy; the same request may succeed later. */
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
    // If the server does not accept it in advance, the file is sent with the answers.
    if (!PASSING.has(status) || code === 'no_room') return tell({ is: 'here', name, bytes, file })
    tell({ is: 'waiting', name, bytes })
    await pause(PAUSES_MS[tried] ?? PAUSES_MS.at(-1) ?? 0, signal)
  }
}

/** Waits; ends early when the connection returns or the upload is aborted. */
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

/**
 * Deletes a removed document on the server, so that it is not kept for days. If this fails, the
 * cleanup job deletes it.
 */
export async function takeBack({ id }: PublicEvent, token: string): Promise<void> {
  await call(`/api/events/${id}/proofs/forget/`, () => ok(null), {
    method: 'POST',
    json: { token },
  })
}
