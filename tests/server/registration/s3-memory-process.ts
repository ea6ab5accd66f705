/** Writes a large file to S3 and reads it back. Prints the file's size and the peak memory of live buffers. */
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectOk, instant } from '../../../engine/index.ts'
import { readS3Bucket } from '../../../server/storage/files/s3-bucket.ts'
import { openS3Uploads } from '../../../server/storage/files/uploads-in-s3.ts'

// Run this with --expose-gc, so that unused buffers do not count.
const MB = 1024 * 1024
const FILE_MB = 64

const bucket = expectOk(readS3Bucket((name) => process.env[name] ?? null))
if (bucket === null) throw new Error('UPLOADS_URL is not set')
const uploads = openS3Uploads(bucket, {
  uploadsInUse: async () => [],
  uploadsDropped: async () => [],
})
const folder = mkdtempSync(join(tmpdir(), 'rollcall-s3-memory-'))

/** Writes a file of this size, and returns its path, hash and size in bytes. */
function writeFile(megabytes: number): { path: string; sha256: string; bytes: number } {
  const path = join(folder, `${megabytes}`)
  const hash = createHash('sha256')
  const file = openSync(path, 'w')
  const chunk = Buffer.alloc(MB, megabytes)
  for (let n = 0; n < megabytes; n += 1) {
    writeSync(file, chunk)
    hash.update(chunk)
  }
  closeSync(file)
  return { path, sha256: hash.digest('hex'), bytes: megabytes * MB }
}

async function storeAndRead(megabytes: number): Promise<void> {
  const file = writeFile(megabytes)
  await uploads.storeFile(file, instant(1))
  const storedFile = await uploads.read(file.sha256)
  const hash = createHash('sha256')
  for await (const chunk of storedFile?.content ?? []) hash.update(chunk as Buffer)
  if (hash.digest('hex') !== file.sha256)
    throw new Error('the file that was read differs from the one that was stored')
}

// A first small file excludes the memory that only the first request uses.
await storeAndRead(1)
let peakBytes = 0
const samplePeak = (): void => {
  const startedAt = performance.now()
  // The second collection waits until the buffers that the first collection found are freed.
  globalThis.gc?.()
  globalThis.gc?.()
  peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers)
  // Pauses for three times as long as a sample takes, so that the transfer gets most of the time.
  sampleTimer = setTimeout(samplePeak, 3 * (performance.now() - startedAt))
}
let sampleTimer = setTimeout(samplePeak)
await storeAndRead(FILE_MB)
clearTimeout(sampleTimer)
console.log(JSON.stringify({ fileMb: FILE_MB, peakMb: peakBytes / MB }))
rmSync(folder, { recursive: true })
