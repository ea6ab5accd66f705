/**
 * Measures the memory use of many concurrent large uploads: a real server process, an event with uploads of up to 25
 * MB, and 64 clients that have each sent a photo except for the end of the form. Linux only: the peak is read from
 * /proc. Run it with `node tests/bench/uploads.ts [clients] [MB]`.
 */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../crash/server.ts'
import { beginUpload } from '../server/upload-client.ts'

const [clientCount = 64, fileMb = 25] = process.argv.slice(2).map(Number)
const MB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'))
const eventsDir = join(folder, 'events')
cpSync(join(import.meta.dirname, '..', '..', 'events'), eventsDir, { recursive: true })
for (const name of readdirSync(eventsDir).filter((fileName) => fileName.endsWith('.yaml')))
  writeFileSync(
    join(eventsDir, name),
    readFileSync(join(eventsDir, name), 'utf8').replace(
      /^( *)accept: \[/gm,
      `$1max_mb: ${fileMb}\n$1accept: [`,
    ),
  )

const server = await startServer(join(folder, 'var'), { variables: { EVENTS_DIR: eventsDir } })
const readMemoryMib = (name: string): number =>
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
  console.log('one small upload', (await warmUpUpload.finish()).status)
  const idleMib = readMemoryMib('VmRSS')
  const startedAt = performance.now()
  const uploads = await Promise.all(
    Array.from({ length: clientCount }, () =>
      beginUpload(url, answers, 'pg_proof', fileMb * MB, { kind: 'jpg' }),
    ),
  )
  const sentMib = readMemoryMib('VmRSS')
  const responses = await Promise.all(uploads.map(({ finish }) => finish()))
  const seconds = (performance.now() - startedAt) / 1000
  const responsesByStatus = Object.groupBy(responses, (response) => String(response.status))
  for (const [code, uploads = []] of Object.entries(responsesByStatus))
    console.log(`${uploads.length} answered ${code}`)
  console.log(`${clientCount} uploads of ${fileMb} MB in ${seconds.toFixed(1)} s`)
  console.log(
    `memory in MB: idle ${idleMib.toFixed(0)}, all sent ${sentMib.toFixed(0)}, peak ${readMemoryMib('VmHWM').toFixed(0)}, peak over idle ${(readMemoryMib('VmHWM') - idleMib).toFixed(0)}`,
  )
  console.log(
    `unfinished uploads: ${readdirSync(join(folder, 'var', 'uploads', 'incoming')).length}`,
  )
} finally {
  await server.end('SIGTERM')
  rmSync(folder, { recursive: true })
}
