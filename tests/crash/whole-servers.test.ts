/**
 * Two whole servers on one PostgreSQL behind a proxy, for some rounds: a version is changed at one of them, one is killed, every
 * connection is cut, the database dies. `npm run several` does ten times as much, behind nginx.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { through } from './two-server-rounds.ts'

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  test('nothing is lost, duplicated, sent twice or oversold, and no registration uses an old version', async () => {
    const { wrong, heard } = await through({
      happens: ['version', 'connections', 'database', 'second'],
      clients: 12,
      toldMin: 12,
      mailsMin: 10,
      postgres,
      name: 'short',
    })
    expect(wrong).toEqual([])
    expect([heard.refused.length > 0, heard.changed.length > 0]).toEqual([true, true])
  })

  test('a database that fails while a file is written ends no server', async () => {
    const url = await postgres.database('keeping')
    const pipe = join(postgres.folder, 'pipe')
    spawnSync('mkfifo', [pipe])
    const file = join(import.meta.dirname, 'keep-file-process.ts')
    const child = spawn(process.execPath, [file, url, pipe], { stdio: ['ignore', 'pipe', 'pipe'] })
    const said = text(child.stdout)
    const ended = once(child, 'exit')
    const shell = await postgres.shell()
    // It has begun, and waits for the file.
    const waiting = `FROM pg_stat_activity WHERE datname = 'keeping' AND state = 'idle in transaction' AND query LIKE '%proof_files%'`
    await expect
      .poll(async () => (await shell.query(`SELECT 1 ${waiting}`)).rowCount, { timeout: 200_000 })
      .toBe(1)
    // The file is given only when PostgreSQL has closed the connection: a signalled backend may still take a COMMIT.
    await shell.query(`SELECT pg_terminate_backend(pid) ${waiting}`)
    await expect
      .poll(async () => (await shell.query(`SELECT 1 ${waiting}`)).rowCount, { timeout: 200_000 })
      .toBe(0)
    await shell.end()
    // The pipe gives what it has again and again: whoever opens it late, or reads on, is let go too.
    const given = (): number | string | null => {
      const giving = openSync(pipe, 'r+')
      writeSync(giving, 'x')
      closeSync(giving)
      return child.exitCode ?? child.signalCode
    }
    await expect.poll(given, { timeout: 200_000 }).not.toBeNull()
    expect([await said, await ended]).toEqual(['to be tried again\n', [0, null]])
  })
}
