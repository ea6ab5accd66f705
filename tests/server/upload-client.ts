/** Sends a registration with a large file as a browser does. A test can interrupt the upload. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Agent, ClientRequest } from 'node:http'
import { createJpg, createPdf } from './sample-uploads.ts'

const BOUNDARY = 'rollcall-upload-boundary'
/** The number of bytes sent in each write. */
const CHUNK_BYTES = 256 * 1024

export type Upload = {
  /** The request. Its `destroy()` simulates a laptop that is closed during the upload. */
  readonly request: ClientRequest
  /** Sends the remaining bytes. Returns the status and the response. */
  finish(): Promise<{ readonly status: number; readonly answer: Record<string, unknown> }>
}

/** Builds a PDF, or a photo that contains where it was taken. The content differs in each call. */
const PROOFS = {
  pdf: () => ({ name: 'proof.pdf', head: createPdf(randomUUID()), tail: Buffer.alloc(0) }),
  jpg: () => ({
    name: 'proof.jpg',
    head: Buffer.concat([
      createJpg().subarray(0, -2),
      Buffer.from('\xff\xe1\0\x20Exif\0\0 10.0271N 76.3080E, here'.padEnd(34), 'latin1'),
      Buffer.from(`\xff\xda\0\x03\x01${randomUUID()}`, 'latin1'),
    ]),
    tail: createJpg().subarray(-2),
  }),
}

/** Builds the bytes before the file's content: the form fields and the header of the file part. */
function buildFormHead(
  fields: Readonly<Record<string, string>>,
  field: string,
  name: string,
): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return Buffer.from(
    `${parts.join('')}--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  )
}

/** Sends everything except the end of the form. Resolves once the network stack has accepted these bytes. */
export async function beginUpload(
  url: string,
  fields: Readonly<Record<string, string>>,
  field: string,
  bytes: number,
  { agent, kind = 'pdf' }: { readonly agent?: Agent; readonly kind?: keyof typeof PROOFS } = {},
): Promise<Upload> {
  const { name, head, tail } = PROOFS[kind]()
  const formStart = Buffer.concat([buildFormHead(fields, field, name), head])
  const fixedBytes = head.length + tail.length
  const formEnd = Buffer.concat([tail, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
  const upload = request(url, {
    method: 'POST',
    ...(agent === undefined ? {} : { agent }),
    headers: {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': formStart.length + (bytes - fixedBytes) + formEnd.length,
    },
  })
  const resultPromise = new Promise<{ status: number; answer: Record<string, unknown> }>(
    (resolve, reject) => {
      upload.on('error', reject)
      upload.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
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
  resultPromise.catch(() => {})
  upload.write(formStart)
  const padding = Buffer.alloc(CHUNK_BYTES, 0x20)
  for (let remaining = bytes - fixedBytes; remaining > 0; remaining -= CHUNK_BYTES)
    if (!upload.write(remaining < CHUNK_BYTES ? padding.subarray(0, remaining) : padding))
      await once(upload, 'drain')
  return {
    request: upload,
    finish: () => {
      upload.end(formEnd)
      return resultPromise
    },
  }
}
