/** Runs an S3 server (s3rver) in a separate process, with one bucket. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expectOk } from '../../../engine/index.ts'
import { readS3Bucket } from '../../../server/storage/files/s3-bucket.ts'
import type { S3Bucket } from '../../../server/storage/files/s3-bucket.ts'

const BUCKET = 'rollcall-uploads'
/** The only access key that s3rver accepts, which is also its secret. */
const KEY = 'S3RVER'
const PROGRAM = join(import.meta.dirname, '../../../node_modules/s3rver/bin/s3rver.js')

export type S3Server = {
  /** Returns the environment variables for a server that stores its uploads in the bucket under a prefix. */
  getVariables(prefix: string): Readonly<Record<string, string>>
  getBucket(prefix: string): S3Bucket
  /** Lists the keys below a prefix, as found on the server's disk. */
  listKeys(prefix: string): readonly string[]
  /** Ends the process. The objects remain. */
  pause(): Promise<void>
  /** Restarts the process on the same port. */
  resume(): Promise<void>
  stop(): Promise<void>
}

export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-s3-'))
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const getVariables = (prefix: string): Readonly<Record<string, string>> => ({
    UPLOADS_URL: `s3://${BUCKET}/${prefix}?endpoint=${origin}&region=ap-south-1`,
    AWS_ACCESS_KEY_ID: KEY,
    AWS_SECRET_ACCESS_KEY: KEY,
  })
  let child = await startProcess(folder, port, origin)
  return {
    getVariables,
    getBucket(prefix) {
      const bucket = expectOk(readS3Bucket((name) => getVariables(prefix)[name] ?? null))
      if (bucket === null) throw new Error('UPLOADS_URL contains no bucket')
      return bucket
    },
    listKeys: (prefix) =>
      readdirSync(join(folder, BUCKET), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('._S3rver_object') && name.startsWith(`${prefix}/`))
        .map((name) => name.slice(prefix.length + 1, -'._S3rver_object'.length))
        .toSorted(),
    pause: () => endProcess(child),
    async resume() {
      child = await startProcess(folder, port, origin)
    },
    async stop() {
      await endProcess(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startProcess(folder: string, port: number, origin: string): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [PROGRAM, '-d', folder, '-a', '127.0.0.1', '-p', String(port), '--configure-bucket', BUCKET],
    { stdio: 'ignore' },
  )
  for (;;) {
    if (child.exitCode !== null) throw new Error(`s3rver ended with status ${child.exitCode}`)
    const isResponding = await fetch(origin).then(
      () => true,
      () => false,
    )
    if (isResponding) return child
    await pause(20)
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function findFreePort(): Promise<number> {
  const portReservation = createServer().listen(0, '127.0.0.1')
  await once(portReservation, 'listening')
  const { port } = portReservation.address() as AddressInfo
  portReservation.close()
  await once(portReservation, 'close')
  return port
}
