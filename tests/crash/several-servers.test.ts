/** Two servers that share a PostgreSQL database, with 64 clients: kills, cut connections and database crashes. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgresStore } from '../../server/storage/postgres/open-postgres-store.ts'
import { HOUR_MS, noon } from '../server/sample-registrations.ts'
import { SUM_COUNTERS_SQL, COUNT_ROWS_SQL } from '../server/storage/payment-histories.ts'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { startLossyProxy } from './lossy-proxy.ts'
import type { LossyProxy } from './lossy-proxy.ts'
import { seed, createRandom } from './check-registrations.ts'
import { registerThorough } from '../runs.ts'

// No acknowledged data is lost, and no registration, email or seat is duplicated.

const FAULTS = ['first', 'second', 'connections', 'database'] as const
/** By default, each fault occurs once, in random order. CRASH_CYCLES=50 chooses 50 random faults. */
const CYCLES = process.env['CRASH_CYCLES']
const ROUNDS = Number(CYCLES ?? FAULTS.length)
/** Chooses the faults, in the order in which they occur. */
function chooseFaults(random: () => number): readonly string[] {
  if (CYCLES !== undefined)
    return Array.from({ length: ROUNDS }, () => FAULTS[Math.floor(random() * FAULTS.length)] ?? '')
  return FAULTS.map((fault) => ({ fault, position: random() }))
    .toSorted((a, b) => a.position - b.position)
    .map(({ fault }) => fault)
}
/** The number of seats at the event that every fourth person registers for. */
const SEATS = 40
/** The number of registrations to wait for in each round. */
const MIN_REGISTRATIONS = 20
/** The number of emails to wait for before checking for duplicates. */
const MIN_EMAILS = 30
/** A negative control must cause a problem within this many restarts of both servers. */
const MAX_RESTARTS = 10

type RunningProcess = { readonly child: ChildProcess; readonly name: string }
/** What the servers printed: registration numbers and email ids. */
type ServerOutput = {
  readonly confirmed: string[]
  readonly emailed: string[]
  readonly refused: string[]
}

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  /** Drops some responses to COMMIT. */
  let lossyProxy: LossyProxy
  beforeAll(async () => {
    server = await startPostgres()
    lossyProxy = await startLossyProxy(server.folder)
  })
  /** The started servers. They are killed at the end, so that a failed test leaves none behind. */
  const children: ChildProcess[] = []
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    lossyProxy.close()
    await server.stop()
  })

  /** Creates an event with few seats in an empty database. */
  async function createDatabase(name: string): Promise<string> {
    const url = await server.database(name)
    const { store } = await openPostgresStore({ url })
    await store.saveEventFile({
      hash: 'h',
      eventId: 'small',
      text: '',
      shared: '',
      at: noon,
      holdPlaceMs: HOUR_MS,
      limits: [{ id: 'hall', max: SEATS, full: { message: 'Full' } }],
    })
    await store.close()
    return url
  }

  function startProcess(
    url: string,
    name: string,
    output: ServerOutput,
    disabledProtection = '',
  ): RunningProcess {
    const file = join(import.meta.dirname, 'postgres-process.ts')
    const child = spawn(
      process.execPath,
      [file, lossyProxy.buildProxyUrl(url), name, disabledProtection],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    children.push(child)
    let remaining = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (remaining + text).split('\n')
      remaining = lines.pop() ?? ''
      for (const line of lines) {
        const [event, id = ''] = line.split(' ')
        if (event === 'ACK') output.confirmed.push(id)
        if (event === 'MAIL') output.emailed.push(id)
        if (event === 'NO') output.refused.push(id)
      }
    })
    return { child, name }
  }

  async function kill({ child }: RunningProcess): Promise<void> {
    const end = once(child, 'close')
    child.kill('SIGKILL')
    await end
  }

  const waitForConfirmed = async (
    output: ServerOutput,
    countBefore: number,
    count: number,
  ): Promise<void> => {
    await expect
      .poll(() => output.confirmed.length - countBefore, { timeout: 200_000, interval: 20 })
      .toBeGreaterThan(count)
  }

  /** Returns the problems in the database, including differences from what the servers printed. */
  async function findProblems(
    shell: pg.Client,
    { confirmed, emailed }: ServerOutput,
  ): Promise<readonly string[]> {
    const runQuery = async (sql: string, ...params: unknown[]): Promise<string[]> =>
      (await shell.query(sql, params)).rows.map((row) => JSON.stringify(row))
    const lostRows = await runQuery(
      `SELECT told.reg_no AS lost FROM unnest($1::text[]) AS told (reg_no)
       WHERE (SELECT count(*) FROM registrations r JOIN payments p ON p.registration_id = r.id
         JOIN audit_log a ON a.registration_id = r.id AND a.what = 'registered'
         JOIN mail_queue m ON m.registration_id = r.id WHERE r.reg_no = told.reg_no) <> 1`,
      confirmed,
    )
    const duplicates = await runQuery(
      'SELECT full_name AS doubled FROM registrations GROUP BY full_name HAVING count(*) > 1',
    )
    const oversoldRows = await runQuery(
      `SELECT count(*) AS oversold FROM registrations WHERE event_id = 'small'
       HAVING count(*) > $1 OR count(*) <> (SELECT sum(taken) FROM places)`,
      SEATS,
    )
    const isCounted =
      (await runQuery(SUM_COUNTERS_SQL)).join() === (await runQuery(COUNT_ROWS_SQL)).join()
    const repeatedEmails = emailed
      .filter((id, index) => emailed.indexOf(id) !== index)
      .map((id) => `mail ${id} twice`)
    return [
      ...lostRows,
      ...duplicates,
      ...oversoldRows,
      ...repeatedEmails,
      ...(isCounted ? [] : ['counters differ']),
    ]
  }

  test(`in ${ROUNDS} rounds of faults, no data is lost or duplicated, no email is sent twice and no seat is oversold (seed ${seed})`, async () => {
    const random = createRandom(seed)
    const url = await createDatabase('rounds')
    const output: ServerOutput = { confirmed: [], emailed: [], refused: [] }
    lossyProxy.dropOneIn(12)
    const servers = [startProcess(url, 'a0', output), startProcess(url, 'b0', output)]
    const faultCounts: Record<string, number> = {}
    for (const [index, fault] of chooseFaults(random).entries()) {
      const round = index + 1
      await waitForConfirmed(output, output.confirmed.length, MIN_REGISTRATIONS)
      faultCounts[fault] = (faultCounts[fault] ?? 0) + 1
      if (fault === 'database') await server.crash()
      else if (fault === 'connections') {
        const shell = await server.shell()
        await shell.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'rounds'",
        )
        await shell.end()
      } else {
        const serverIndex = fault === 'first' ? 0 : 1
        const killedServer = servers[serverIndex]
        if (killedServer !== undefined) await kill(killedServer)
        servers[serverIndex] = startProcess(url, `${serverIndex === 0 ? 'a' : 'b'}${round}`, output)
      }
    }
    await waitForConfirmed(output, output.confirmed.length, MIN_REGISTRATIONS)
    await expect.poll(() => output.refused.length, { timeout: 200_000 }).toBeGreaterThan(0)
    await expect.poll(() => output.emailed.length, { timeout: 200_000 }).toBeGreaterThan(MIN_EMAILS)
    await Promise.all(servers.map(kill))
    const shell = await server.shell(url)
    expect(await findProblems(shell, output)).toEqual([])
    const { rows } = await shell.query<{ n: string }>(
      "SELECT count(*) AS n FROM registrations WHERE event_id = 'small'",
    )
    expect(rows).toEqual([{ n: String(SEATS) }])
    expect([
      output.confirmed.length > ROUNDS * MIN_REGISTRATIONS,
      output.emailed.length > 0,
    ]).toEqual([true, true])
    console.log(
      `  ${output.confirmed.length} confirmed, ${output.emailed.length} emails, faults: ${JSON.stringify(faultCounts)}`,
    )
    await shell.end()
  })

  registerThorough(() => {
    test.each([
      [
        'commit',
        'lost when the database dies, because it is acknowledged before the commit',
        /"lost"/,
      ],
      ['keys', 'registered twice, because the repeated request has no key', /"doubled"/],
      ['claims', 'sent twice, because no process claims the email', /^mail \d+ twice$/],
    ])(
      'negative control: without the protection “%s”, a registration or email is %s',
      async (disabledProtection, _, pattern) => {
        const url = await createDatabase(`without_${disabledProtection}`)
        const output: ServerOutput = { confirmed: [], emailed: [], refused: [] }
        lossyProxy.dropOneIn(disabledProtection === 'keys' ? 3 : Infinity)
        const shell = await server.shell()
        // Which transactions are interrupted is random, and sometimes none of them causes harm.
        let problems: readonly string[] = []
        for (
          let restart = 1;
          restart <= MAX_RESTARTS && !problems.some((problem) => pattern.test(problem));
          restart += 1
        ) {
          const servers = ['a', 'b'].map((name) =>
            startProcess(url, `${name}${restart}`, output, disabledProtection),
          )
          for (let round = 1; round <= 3; round += 1) {
            await waitForConfirmed(output, output.confirmed.length, MIN_REGISTRATIONS)
            await shell.query(
              'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
              [`without_${disabledProtection}`],
            )
          }
          await waitForConfirmed(output, output.confirmed.length, MIN_REGISTRATIONS)
          const emailCountBefore = output.emailed.length
          if (disabledProtection === 'claims')
            await expect
              .poll(() => output.emailed.length - emailCountBefore, { timeout: 200_000 })
              .toBeGreaterThan(MIN_EMAILS)
          await Promise.all(servers.map(kill))
          const checkShell = await server.shell(url)
          problems = await findProblems(checkShell, output)
          await checkShell.end()
        }
        await shell.end()
        expect(problems).toContainEqual(expect.stringMatching(pattern))
      },
    )
  })
}
