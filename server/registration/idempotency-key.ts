/** Reads the idempotency key, with which a browser can resend a registration without creating a duplicate. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { err, ok } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'
import type { Body } from '../http/request-body.ts'

/** A UUID has 36 characters. */
export const MAX_KEY_LENGTH = 200

/** Reads the key from the request header. Null if none was sent. */
export function readIdempotencyKey(
  request: FastifyRequest,
): Result<string | null, 'bad_idempotency_key'> {
  const header = request.headers['idempotency-key']
  const key = (Array.isArray(header) ? header.join() : (header ?? '')).trim()
  if (key === '') return ok(null)
  return key.length <= MAX_KEY_LENGTH && /^[\x20-\x7e]+$/.test(key)
    ? ok(key)
    : err('bad_idempotency_key')
}

/** Computes a fingerprint that is the same for the same fields, values and files in any order. */
export function computeFingerprint(body: Body, otherData: readonly string[] = []): string {
  const values = Object.entries(body.values).sort(([a], [b]) => (a < b ? -1 : 1))
  const files = [...body.files]
    .map(([field, { name, file }]) => [field, name, file.sha256])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([values, files, ...otherData]))
    .digest('hex')
}
