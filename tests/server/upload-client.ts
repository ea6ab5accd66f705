/** A browser that sends a registration with a large proof, and can be stopped on the way. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Agent, ClientRequest } from 'node:http'
import { jpg, pdf } from './sample-uploads.ts'

const BOUNDARY = 'rollcall-upload-boundary'
/** As much as is written at a time. */
const PIECE_BYTES = 256 * 1024

export type Upload = {
  /** The connection; `destroy()` is what a closed lid does. */
  readonly request: ClientRequest
  /** Sends the rest; the status and the answer. */
  finish(): Promise<{ readonly status: number; readonly answer: Record<string, unknown> }>
}

/** A PDF, and a photo with the place in it. No two contents are the same, also of what is drawn. */
const PROOFS = {
  pdf: () => ({ name: 'proof.pdf', begins: pdf(randomUUID()), ends: Buffer.alloc(0) }),
  jpg: () => ({
    name: 'proof.jpg',
    begins: Buffer.concat([
      jpg().subarray(0, -2),
      Buffer.from('\xff\xe1\0\x20Exif\0\0 10.0271N 76.3080E, here'.padEnd(34), 'latin1'),
      Buffer.from(`\xff\xda\0\x03\x01${randomUUID()}`, 'latin1'),
    ]),
    ends: jpg().subarray(-2),
  }),
}

/** Bytes before the proof's content: the answers of a post graduate, and the head of the file. */
function head(fields: Readonly<Record<string, string>>, field: string, name: string): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return Buffer.from(
    `${parts.join('')}--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  )
}

/** Sends everything but the end of the form; resolves when the machine has taken it all. No two contents are the same. */
export async function beginUpload(
  url: string,
  fields: Readonly<Record<string, string>>,
  field: string,
  bytes: number,
  { agent, kind = 'pdf' }: { readonly agent?: Agent; readonly kind?: keyof typeof PROOFS } = {},
): Promise<Upload> {
  const { name, begins, ends } = PROOFS[kind]()
  const start = Buffer.concat([head(fields, field, name), begins])
  const sent = begins.length + ends.length
  const end = Buffer.concat([ends, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
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
