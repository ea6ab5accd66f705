/** Two servers behind a proxy that share a PostgreSQL database, for a few rounds of faults. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { ALL_RUNS } from '../runs.ts'
import { runRounds } from './two-server-rounds.ts'

// The faults: a version change, a killed server, cut connections and a database crash. `npm run faults` runs ten times
// as many, behind nginx.
if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  test('no data is lost or duplicated, no email is sent twice, no seat is oversold, and no registration uses an old version', async () => {
    const { problems, results } = await runRounds({
      // Faults that several-servers.test.ts also causes are included only in a thorough run.
      faults: ALL_RUNS ? ['version', 'connections', 'database', 'second'] : ['version', 'second'],
      clientCount: 12,
      minRegistrations: 12,
      minEmails: 10,
      postgres,
      databaseName: 'short',
    })
    expect(problems).toEqual([])
    expect([results.soldOut.length > 0, results.priceChanged.length > 0]).toEqual([true, true])
  })

  test('a database connection that fails during a file upload does not stop the process', async () => {
    const url = await postgres.database('keeping')
    const pipe = join(postgres.folder, 'pipe')
    spawnSync('mkfifo', [pipe])
    const file = join(import.meta.dirname, 'keep-file-process.ts')
    const child = spawn(process.execPath, [file, url, pipe], { stdio: ['ignore', 'pipe', 'pipe'] })
    const output = text(child.stdout)
    const exit = once(child, 'exit')
    const shell = await postgres.shell()
    // The upload has started and is waiting for the file. The migrations also mention the table, but insert nothing.
    const waitingQuery = `FROM pg_stat_activity WHERE datname = 'keeping' AND state = 'idle in transaction' AND query LIKE 'INSERT INTO proof_files%'`
    await expect
      .poll(async () => (await shell.query(`SELECT 1 ${waitingQuery}`)).rowCount, {
        timeout: 200_000,
      })
      .toBe(1)
    // The file is written only after PostgreSQL has closed the connection, because a signalled backend
    // may still accept a COMMIT.
    const closed = await shell.query(`SELECT pg_terminate_backend(pid) ${waitingQuery}`)
    expect(closed.rowCount).toBe(1)
    await expect
      .poll(async () => (await shell.query(`SELECT 1 ${waitingQuery}`)).rowCount, {
        timeout: 200_000,
      })
      .toBe(0)
    await shell.end()
    // Writes the content repeatedly, so that late or repeated reads also complete.
    const writeToPipe = (): number | string | null => {
      const pipeFd = openSync(pipe, 'r+')
      writeSync(pipeFd, 'x')
      closeSync(pipeFd)
      return child.exitCode ?? child.signalCode
    }
    await expect.poll(writeToPipe, { timeout: 200_000 }).not.toBeNull()
    expect([await output, await exit]).toEqual(['retry later\n', [0, null]])
  })
}
