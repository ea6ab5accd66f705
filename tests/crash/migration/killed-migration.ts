/** Migrates a database in a child process, kills the process at given versions, and restarts it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 1

export type StorageLocation = { readonly dataDir: string; readonly url: string | null }

/** Returns a function that reads the stored version, even while the process is writing. */
async function openVersionReader({
  dataDir,
  url,
}: StorageLocation): Promise<{ read(): Promise<number>; end(): Promise<void> }> {
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

export async function readVersion(location: StorageLocation): Promise<number> {
  const reader = await openVersionReader(location)
  try {
    return await reader.read()
  } finally {
    await reader.end()
  }
}

/** Runs the migration to the end. If it fails, throws an error with the output of the process. */
export async function migrateToEnd({ dataDir, url }: StorageLocation): Promise<void> {
  const { child, readOutput: printed } = startMigration({ dataDir, url })
  const [status] = (await once(child, 'exit')) as [number | null]
  if (status !== 0) throw new Error(`the migration ended with ${status}: ${printed()}`)
}

/** Kills the migration once the stored version reaches `targetVersion`. Returns the version stored after the kill. */
export async function killAt(location: StorageLocation, targetVersion: number): Promise<number> {
  const reader = await openVersionReader(location)
  const { child } = startMigration(location)
  const exit = once(child, 'exit')
  while (child.exitCode === null && (await reader.read()) < targetVersion) await pause(POLL_MS)
  child.kill('SIGKILL')
  await exit
  const versionWhenKilled = await reader.read()
  await reader.end()
  return versionWhenKilled
}

function startMigration({ dataDir, url }: StorageLocation) {
  const script = join(import.meta.dirname, 'migrate-process.ts')
  const args = [script, dataDir, ...(url === null ? [] : [url])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return { child, readOutput: () => output }
}
