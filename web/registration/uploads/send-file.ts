/** Uploads a file: resizes an image, sends the file, and retries when the connection is lost. */
import { ok } from '../../../engine/index.ts'
import type { Field, PublicEvent } from '../../../engine/index.ts'
import { call } from '../../app/api-client.ts'
import { upload } from '../../app/api-upload.ts'
import { readUploadedDocument } from '../../app/api-responses.ts'
import { findFileError } from './chosen-file.ts'
import type { SelectedDocument } from './chosen-file.ts'
import { shrinkPhoto } from './shrink-photo.ts'

export type UploadOptions = {
  readonly event: PublicEvent
  readonly field: Field
  readonly file: File
  /** If false, the file is sent with the form. */
  readonly canUploadInAdvance: boolean
  /** URL of the upload. Defaults to the form's. */
  readonly uploadUrl?: string
  readonly onProgress: (selectedDocument: SelectedDocument) => void
  readonly onReject: (text: string) => void
  /** Aborted when the file is removed or replaced. */
  readonly signal: AbortSignal
}

/**
 * Delays between retries in milliseconds: short at first, and never so long that delegates leave.
 */
const RETRY_DELAYS_MS = [1_000, 3_000, 6_000, 12_000]
/** HTTP statuses of a busy server or proxy; the same request may succeed later. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([0, 408, 425, 429, 502, 503, 504])

export async function uploadInAdvance(uploadOptions: UploadOptions): Promise<void> {
  const { event, field, canUploadInAdvance, onProgress, onReject, signal } = uploadOptions
  const { uploadUrl: to = `/api/events/${event.id}/proofs/` } = uploadOptions
  const file = await shrinkPhoto(field, uploadOptions.file)
  if (signal.aborted) return
  const fileError = findFileError(field, file)
  if (fileError !== null) return onReject(fileError)
  const { name, size: bytes } = file
  if (!canUploadInAdvance) return onProgress({ is: 'local', name, bytes, file })
  for (let attempt = 0; !signal.aborted; attempt++) {
    onProgress({ is: 'sending', name, bytes, percent: 0 })
    const result = await upload(to, readUploadedDocument, {
      field: field.id,
      file,
      signal,
      onPercent: (percent) => onProgress({ is: 'sending', name, bytes, percent }),
    })
    if (result.ok) {
      const { token, until } = result.value
      return onProgress({ is: 'stored', name: result.value.name, bytes, token, until })
    }
    const { status, code, message, errorResponse: body } = result.error
    if (status === 422 || status === 413) return onReject(body?.errors?.[field.id] ?? message)
    // If the server does not accept the file in advance, it is sent with the answers.
    if (!RETRYABLE_STATUSES.has(status) || code === 'no_room')
      return onProgress({ is: 'local', name, bytes, file })
    onProgress({ is: 'waiting', name, bytes })
    await waitBeforeRetry(RETRY_DELAYS_MS[attempt] ?? RETRY_DELAYS_MS.at(-1) ?? 0, signal)
  }
}

/** Waits until the time has passed, the connection returns or the upload is aborted. */
function waitBeforeRetry(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      removeEventListener('online', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    addEventListener('online', finish)
    signal.addEventListener('abort', finish)
  })
}

/**
 * Deletes a removed document on the server immediately. If this fails, the cleanup job deletes it.
 */
export async function deleteUpload({ id }: PublicEvent, token: string): Promise<void> {
  await call(`/api/events/${id}/proofs/forget/`, () => ok(null), {
    method: 'POST',
    json: { token },
  })
}
