/** Migrates a database in a process of its own, kills that process at given versions, and starts it again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 1

export type Place = { readonly dataDir: string; readonly url: string | null }

/** Returns how to read the stored version, also while the process writes. */
async function openVersion({
  dataDir,
  url,
}: Place): Promise<{ read(): Promise<number>; end(): Promise<void> }> {
  if (url === null) {
    const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
    return {
      read: async () => Number(db.pragma('user_version', { simple: true })),
      end: async () => void db.close(),
    }
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    read: async () =>
      (await client.query<{ version: number }>('SELECT version FROM rollcall_version')).rows[0]
        ?.version ?? 0,
    end: () => client.end(),
  }
}

export async function readVersion(place: Place): Promise<number> {
  const version = await openVersion(place)
  try {
    return await version.read()
  } finally {
    await version.end()
  }
}

/** Migrates to the end. Throws what the process printed if it fails. */
export async function adopt({ dataDir, url }: Place): Promise<void> {
  const { child, printed } = begin({ dataDir, url })
  const [status] = (await once(child, 'exit')) as [number | null]
  if (status !== 0) throw new Error(`the migration ended with ${status}: ${printed()}`)
}

/** Kills the migration once the stored version is that one or a later one. Returns the version that is left. */
export async function killAt(place: Place, target: number): Promise<number> {
  const version = await openVersion(place)
  const { child } = begin(place)
  const exit = once(child, 'exit')
  while (child.exitCode === null && (await version.read()) < target) await pause(POLL_MS)
  child.kill('SIGKILL')
  await exit
  const left = await version.read()
  await version.end()
  return left
}

function begin({ dataDir, url }: Place) {
  const script = join(import.meta.dirname, 'adopt-process.ts')
  const args = [script, dataDir, ...(url === null ? [] : [url])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, printed: () => text }
}
