/** A browser that sends a registration with a large proof, and can be stopped on the way. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Agent, ClientRequest } from 'node:http'
import { pdf } from './files.ts'

const BOUNDARY = 'rollcall-upload-boundary'
/** As much as is written at a time. */
const PIECE_BYTES = 256 * 1024

export type Upload = {
  /** The connection; `destroy()` is what a closed lid does. */
  readonly request: ClientRequest
  /** Sends the rest; the status and the answer. */
  finish(): Promise<{ readonly status: number; readonly answer: Record<string, unknown> }>
}

/** Bytes before the proof's content: the answers of a post graduate, and the head of the file. */
function head(fields: Readonly<Record<string, string>>, field: string): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return Buffer.from(
    `${parts.join('')}--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="proof.pdf"\r\nContent-Type: application/pdf\r\n\r\n`,
  )
}

/** Sends everything but the end of the form; resolves when the machine has taken it all. No two contents are the same. */
export async function beginUpload(
  url: string,
  fields: Readonly<Record<string, string>>,
  field: string,
  bytes: number,
  agent?: Agent,
): Promise<Upload> {
  const start = Buffer.concat([head(fields, field), pdf(randomUUID())])
  const sent = start.length - head(fields, field).length
  const end = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  const going = request(url, {
    method: 'POST',
    ...(agent === undefined ? {} : { agent }),
    headers: {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': start.length + (bytes - sent) + end.length,
    },
  })
  const answered = new Promise<{ status: number; answer: Record<string, unknown> }>(
    (resolve, reject) => {
      going.on('error', reject)
      going.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            answer: JSON.parse(text) as Record<string, unknown>,
          }),
        )
      })
    },
  )
  answered.catch(() => {})
  going.write(start)
  const piece = Buffer.alloc(PIECE_BYTES, 0x20)
  for (let left = bytes - sent; left > 0; left -= PIECE_BYTES)
    if (!going.write(left < PIECE_BYTES ? piece.subarray(0, left) : piece))
      await once(going, 'drain')
  return {
    request: going,
    finish: () => {
      going.end(end)
      return answered
    },
  }
}
