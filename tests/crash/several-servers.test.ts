/**
 * Two servers with one PostgreSQL, 64 clients between them: either is killed, every connection is cut, the database dies and
 * comes back. Nothing that was acknowledged is lost, nobody is registered twice, no mail goes out twice, no place is sold twice.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openInsidePostgres } from '../../server/storage/postgres/open-postgres-store.ts'
import { hour, noon } from '../server/sample-registrations.ts'
import { BY_COUNTERS, BY_ROWS } from '../server/storage/payment-histories.ts'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { cutCommits } from './lossy-proxy.ts'
import type { Cutting } from './lossy-proxy.ts'
import { seed, seeded } from './check-registrations.ts'
import { onlyThorough } from '../runs.ts'

const DYING = ['first', 'second', 'connections', 'database'] as const
/** Each once, in an order by chance; CRASH_CYCLES=50 draws so many. */
const CYCLES = process.env['CRASH_CYCLES']
const ROUNDS = Number(CYCLES ?? DYING.length)
/** One after the other. */
function dyings(random: () => number): readonly string[] {
  if (CYCLES !== undefined)
    return Array.from({ length: ROUNDS }, () => DYING[Math.floor(random() * DYING.length)] ?? '')
  return DYING.map((what) => ({ what, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ what }) => what)
}
/** Where every fourth wants to go. */
const PLACES = 40
/** A round is over when so many more have been told that they are registered. */
const TOLD_MIN = 20
/** So many mails go out before anybody looks whether one went twice. */
const MAILED_MIN = 30
/** In so many lives of both servers what a negative control leaves out has done its harm. */
const LIVES = 10

type Running = { readonly child: ChildProcess; readonly name: string }
/** What the servers have said so far. */
type Heard = { readonly told: string[]; readonly mailed: string[]; readonly refused: string[] }

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  /** Some answers to a commit never come. */
  let cutting: Cutting
  beforeAll(async () => {
    server = await startPostgres()
    cutting = await cutCommits(server.folder)
  })
  /** A test that fails leaves no server behind. */
  const started: ChildProcess[] = []
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL')
    cutting.close()
    await server.stop()
  })

  /** An event with few places in an empty database. */
  async function empty(name: string): Promise<string> {
    const url = await server.database(name)
    const { store } = await openInsidePostgres({ url })
    await store.saveEventFile({
      hash: 'h',
      eventId: 'small',
      text: '',
      shared: '',
      at: noon,
      holdPlaceMs: hour,
      limits: [{ id: 'hall', max: PLACES, full: { message: 'Full' } }],
    })
    await store.close()
    return url
  }

  function start(url: string, name: string, heard: Heard, without = ''): Running {
    const file = join(import.meta.dirname, 'postgres-process.ts')
    const child = spawn(process.execPath, [file, cutting.through(url), name, without], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    started.push(child)
    let rest = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [what, about = ''] = line.split(' ')
        if (what === 'ACK') heard.told.push(about)
        if (what === 'MAIL') heard.mailed.push(about)
        if (what === 'NO') heard.refused.push(about)
      }
    })
    return { child, name }
  }

  async function kill({ child }: Running): Promise<void> {
    const end = once(child, 'close')
    child.kill('SIGKILL')
    await end
  }

  const heardSince = async (heard: Heard, before: number, count: number): Promise<void> => {
    await expect
      .poll(() => heard.told.length - before, { timeout: 200_000, interval: 20 })
      .toBeGreaterThan(count)
  }

  /** Everything that is wrong in the database, or with what was said of it. */
  async function wrongIn(shell: pg.Client, { told, mailed }: Heard): Promise<readonly string[]> {
    const ask = async (sql: string, ...params: unknown[]): Promise<string[]> =>
      (await shell.query(sql, params)).rows.map((row) => JSON.stringify(row))
    const lost = await ask(
      `SELECT told.reg_no AS lost FROM unnest($1::text[]) AS told (reg_no)
       WHERE (SELECT count(*) FROM registrations r JOIN payments p ON p.registration_id = r.id
         JOIN audit_log a ON a.registration_id = r.id AND a.what = 'registered'
         JOIN mail_queue m ON m.registration_id = r.id WHERE r.reg_no = told.reg_no) <> 1`,
      told,
    )
    const doubled = await ask(
      'SELECT full_name AS doubled FROM registrations GROUP BY full_name HAVING count(*) > 1',
    )
    const oversold = await ask(
      `SELECT count(*) AS oversold FROM registrations WHERE event_id = 'small'
       HAVING count(*) > $1 OR count(*) <> (SELECT sum(taken) FROM places)`,
      PLACES,
    )
    const counted = (await ask(BY_COUNTERS)).join() === (await ask(BY_ROWS)).join()
    const twice = mailed
      .filter((id, at) => mailed.indexOf(id) !== at)
      .map((id) => `mail ${id} twice`)
    return [...lost, ...doubled, ...oversold, ...twice, ...(counted ? [] : ['counters differ'])]
  }

  test(`in ${ROUNDS} rounds of kills nothing is lost, duplicated, sent twice or oversold (seed ${seed})`, async () => {
    const random = seeded(seed)
    const url = await empty('rounds')
    const heard: Heard = { told: [], mailed: [], refused: [] }
    cutting.lose(12)
    const servers = [start(url, 'a0', heard), start(url, 'b0', heard)]
    const died: Record<string, number> = {}
    for (const [at, what] of dyings(random).entries()) {
      const round = at + 1
      await heardSince(heard, heard.told.length, TOLD_MIN)
      died[what] = (died[what] ?? 0) + 1
      if (what === 'database') await server.crash()
      else if (what === 'connections') {
        const shell = await server.shell()
        await shell.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'rounds'",
        )
        await shell.end()
      } else {
        const which = what === 'first' ? 0 : 1
        const dying = servers[which]
        if (dying !== undefined) await kill(dying)
        servers[which] = start(url, `${which === 0 ? 'a' : 'b'}${round}`, heard)
      }
    }
    await heardSince(heard, heard.told.length, TOLD_MIN)
    await expect.poll(() => heard.refused.length, { timeout: 200_000 }).toBeGreaterThan(0)
    await expect.poll(() => heard.mailed.length, { timeout: 200_000 }).toBeGreaterThan(MAILED_MIN)
    await Promise.all(servers.map(kill))
    const shell = await server.shell(url)
    expect(await wrongIn(shell, heard)).toEqual([])
    const { rows } = await shell.query<{ n: string }>(
      "SELECT count(*) AS n FROM registrations WHERE event_id = 'small'",
    )
    expect(rows).toEqual([{ n: String(PLACES) }])
    expect([heard.told.length > ROUNDS * TOLD_MIN, heard.mailed.length > 0]).toEqual([true, true])
    console.log(
      `  ${heard.told.length} told, ${heard.mailed.length} mails, died: ${JSON.stringify(died)}`,
    )
    await shell.end()
  })

  onlyThorough(() => {
    test.each([
      ['commit', 'acknowledged before the commit is lost when the database dies', /"lost"/],
      ['keys', 'asked again without a key is registered twice', /"doubled"/],
      ['claims', 'sent without a claim goes out twice', /^mail \d+ twice$/],
    ])('negative control: without %s, what is %s', async (without, _, wrong) => {
      const url = await empty(`without_${without}`)
      const heard: Heard = { told: [], mailed: [], refused: [] }
      cutting.lose(without === 'keys' ? 3 : Infinity)
      const shell = await server.shell()
      // Which transactions die is chance, and now and then none of a life is one that does harm.
      let found: readonly string[] = []
      for (let life = 1; life <= LIVES && !found.some((one) => wrong.test(one)); life += 1) {
        const servers = ['a', 'b'].map((name) => start(url, `${name}${life}`, heard, without))
        for (let round = 1; round <= 3; round += 1) {
          await heardSince(heard, heard.told.length, TOLD_MIN)
          await shell.query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
            [`without_${without}`],
          )
        }
        await heardSince(heard, heard.told.length, TOLD_MIN)
        const mailed = heard.mailed.length
        if (without === 'claims')
          await expect
            .poll(() => heard.mailed.length - mailed, { timeout: 200_000 })
            .toBeGreaterThan(MAILED_MIN)
        await Promise.all(servers.map(kill))
        const looking = await server.shell(url)
        found = await wrongIn(looking, heard)
        await looking.end()
      }
      await shell.end()
      expect(found).toContainEqual(expect.stringMatching(wrong))
    })
  })
}
