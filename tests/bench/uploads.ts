/**
 * Memory use of many concurrent large uploads: a real server process, an event with proofs of up to 25 MB, 64 clients
 * that have each sent a photo except for the end of the form. Linux only: the peak is read from /proc. Run it with
 * `node tests/bench/uploads.ts [clients] [MB]`.
 */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../crash/server.ts'
import { beginUpload } from '../server/upload-client.ts'

const [clients = 64, mb = 25] = process.argv.slice(2).map(Number)
const MB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'))
const events = join(folder, 'events')
cpSync(join(import.meta.dirname, '..', '..', 'events'), events, { recursive: true })
for (const name of readdirSync(events).filter((fileName) => fileName.endsWith('.yaml')))
  writeFileSync(
    join(events, name),
    readFileSync(join(events, name), 'utf8').replace(
      /^( *)accept: \[/gm,
      `$1max_mb: ${mb}\n$1accept: [`,
    ),
  )

const server = await startServer(join(folder, 'var'), { variables: { EVENTS_DIR: events } })
const readStatus = (name: string): number =>
  Number(
    new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(
      readFileSync(`/proc/${server.child.pid}/status`, 'utf8'),
    )?.[1],
  ) / 1024
const answers = {
  full_name: 'Asha Demo',
  email: 'asha@example.org',
  phone_number: '9876543210',
  state: 'Kerala',
  ticket_type: 'afpi-pg',
}
const url = `${server.url}/api/afpicon/register/`
try {
  const warmUpUpload = await beginUpload(url, answers, 'pg_proof', 1000, { kind: 'jpg' })
  console.log('one small proof', (await warmUpUpload.finish()).status)
  const idleMemory = readStatus('VmRSS')
  const started = performance.now()
  const uploads = await Promise.all(
    Array.from({ length: clients }, () =>
      beginUpload(url, answers, 'pg_proof', mb * MB, { kind: 'jpg' }),
    ),
  )
  const memoryBefore = readStatus('VmRSS')
  const statusCodes = await Promise.all(uploads.map(({ finish }) => finish()))
  const seconds = (performance.now() - started) / 1000
  const byStatus = Object.groupBy(statusCodes, (one) => String(one.status))
  for (const [code, uploads = []] of Object.entries(byStatus))
    console.log(`${uploads.length} answered ${code}`)
  console.log(`${clients} uploads of ${mb} MB in ${seconds.toFixed(1)} s`)
  console.log(
    `memory in MB: idle ${idleMemory.toFixed(0)}, all sent ${memoryBefore.toFixed(0)}, peak ${readStatus('VmHWM').toFixed(0)}, peak over idle ${(readStatus('VmHWM') - idleMemory).toFixed(0)}`,
  )
  console.log(
    `unfinished uploads: ${readdirSync(join(folder, 'var', 'uploads', 'incoming')).length}`,
  )
} finally {
  await server.end('SIGTERM')
  rmSync(folder, { recursive: true })
}
