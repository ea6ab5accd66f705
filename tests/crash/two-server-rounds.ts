/** Rounds of what two whole servers on one PostgreSQL may meet, under clients, and what is wrong when they are over. */
import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { openInbox } from '../browser/inbox.ts'
import type { Inbox } from '../browser/inbox.ts'
import { BY_COUNTERS, BY_ROWS } from '../server/storage/payment-histories.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { client, PLACES, proxyTo, removed, server } from './two-servers.ts'
import type { Heard, Proxy, Server } from './two-servers.ts'

export const HAPPENS = ['first', 'second', 'connections', 'database', 'version'] as const
export type Happens = (typeof HAPPENS)[number]
export type Rounds = {
  readonly happens: readonly Happens[]
  readonly clients: number
  /** A round is over when so many more have been told that they are registered. */
  readonly toldMin: number
  /** So many mails go out while both are there, before anything happens. */
  readonly mailsMin: number
  readonly postgres: PostgresServer
  /** The name of its database. */
  readonly name: string
  /** What stands before the servers; the small one of the tests when left out. */
  readonly proxy?: (ports: readonly number[]) => Promise<Proxy>
  readonly say?: (line: string) => void
}
export type Outcome = {
  /** Sentences and rows; none is right. */
  readonly wrong: readonly string[]
  readonly heard: Heard
  readonly mails: number
  readonly registered: number
}

/** How often what is waited for is looked at, and for how long. */
const LOOK_MS = 20
const WAIT_MS_MAX = 200_000

export async function through(rounds: Rounds): Promise<Outcome> {
  const { happens, clients, toldMin, mailsMin, postgres, name, proxy: behind = proxyTo } = rounds
  const { say = () => {} } = rounds
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-two-servers-'))
  const url = await postgres.database(name)
  const inbox = await openInbox()
  const variables = { DATABASE_URL: url, SMTP_URL: inbox.url }
  const servers: Server[] = []
  const ends: (() => Promise<void>)[] = []
  const heard: Heard = { told: [], refused: [], changed: [], wrong: [] }
  let isOver = false
  try {
    for (const one of ['first', 'second']) servers.push(await server(folder, one, variables))
    const proxy = await behind(servers.map(({ port }) => port))
    ends.push(() => proxy.close())
    const shell = await postgres.shell(url)
    await shell.query(SEEN)
    await shell.end()
    const working = Array.from({ length: clients }, (_, at) =>
      client(
        () => proxy.url,
        `person-${at}`,
        heard,
        () => isOver,
      ),
    )
    const more = async (list: readonly unknown[], count: number): Promise<void> => {
      const wanted = list.length + count
      for (let waited = 0; list.length < wanted; waited += LOOK_MS) {
        if (waited > WAIT_MS_MAX) throw new Error(`no more than ${list.length} of ${wanted}`)
        await pause(LOOK_MS)
      }
    }
    let version: 0 | 1 = 0
    await more(heard.told, toldMin)
    await more(inbox.mails, mailsMin)
    for (const [at, what] of happens.entries()) {
      const [began, told] = [performance.now(), heard.told.length]
      const [one, other] = servers
      if (one === undefined || other === undefined) throw new Error('two servers')
      if (what === 'version') {
        version = version === 0 ? 1 : 0
        // At one of them; the other's file comes later, as files are copied.
        const [early, late] = at % 2 === 0 ? [one, other] : [other, one]
        early.change(version, at)
        await more(heard.changed, 1)
        late.change(version, at)
      } else if (what === 'database') await postgres.crash()
      else if (what === 'connections') await cut(postgres, name)
      else {
        const dying = what === 'first' ? one : other
        await dying.kill()
        await more(heard.told, toldMin)
        // The last who dies is not needed any more.
        if (at < happens.length - 1) await dying.start()
      }
      await more(heard.told, toldMin)
      const ms = Math.round(performance.now() - began)
      say(`round ${at + 1}, ${what}: ${heard.told.length - told} told in ${ms} ms`)
    }
    // The hall was full for somebody.
    if (heard.refused.length === 0) await more(heard.refused, 1)
    isOver = true
    await Promise.all(working)
    await Promise.all(servers.map(({ kill }) => kill()))
    const looking = await postgres.shell(url)
    const printed = servers.map((one) => one.printed()).join('')
    if (/is exiting because of an internal error/.test(printed))
      heard.wrong.push('a server died by itself')
    const wrong = await wrongIn(looking, heard, inbox)
    const { rows } = await looking.query<{ n: string }>('SELECT count(*) AS n FROM registrations')
    await looking.end()
    return { wrong, heard, mails: inbox.mails.length, registered: Number(rows[0]?.n) }
  } finally {
    isOver = true
    for (const end of ends) await end()
    await Promise.all(servers.map(({ kill }) => kill()))
    await inbox.close()
    removed(folder)
  }
}

async function cut(postgres: PostgresServer, name: string): Promise<void> {
  const shell = await postgres.shell()
  await shell.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ])
  await shell.end()
}

/** Who was registered when a version was activated: those after it are registered by it. */
const SEEN = `
CREATE TABLE seen (number bigint GENERATED ALWAYS AS IDENTITY, hash text, after bigint);
INSERT INTO seen (hash, after) SELECT hash, 0 FROM active_events WHERE event_id = 'paid2026';
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO seen (hash, after) VALUES (NEW.hash, (SELECT coalesce(max(id), 0) FROM registrations));
  RETURN NEW;
END $$;
CREATE TRIGGER see AFTER INSERT OR UPDATE ON active_events FOR EACH ROW WHEN (NEW.event_id = 'paid2026') EXECUTE FUNCTION see();
`

/** Everything that is wrong in the database, or with what was said of it. */
async function wrongIn(
  shell: pg.Client,
  { told, wrong }: Heard,
  inbox: Inbox,
): Promise<readonly string[]> {
  const ask = async (sql: string, ...params: unknown[]): Promise<string[]> =>
    (await shell.query(sql, params)).rows.map((row) => JSON.stringify(row))
  const lost = await ask(
    `SELECT told.reg_no AS lost FROM unnest($1::text[]) AS told (reg_no)
     WHERE (SELECT count(*) FROM registrations r
       JOIN audit_log a ON a.registration_id = r.id AND a.what = 'registered'
       WHERE r.reg_no = told.reg_no AND CASE r.event_id
         WHEN 'paid2026' THEN (SELECT count(*) FROM payments p WHERE p.registration_id = r.id) = 1
         ELSE (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id) = 1 END) <> 1`,
    told,
  )
  const proofs = await ask(
    `SELECT r.reg_no AS proof_lost FROM registrations r LEFT JOIN uploads u ON u.registration_id = r.id
     WHERE r.event_id = 'small2026' AND u.sha256 IS DISTINCT FROM (SELECT encode(sha256(string_agg(p.bytes, '' ORDER BY p.place)), 'hex')
       FROM proof_pieces p WHERE p.sha256 = u.sha256)`,
  )
  const doubled = await ask(
    'SELECT email AS doubled FROM registrations GROUP BY email HAVING count(*) > 1',
  )
  const oversold = await ask(
    `SELECT count(*) AS oversold FROM registrations WHERE event_id = 'small2026' AND category = 'member'
     HAVING count(*) > $1 OR count(*) <> (SELECT sum(taken) FROM places)`,
    PLACES,
  )
  const old = await ask(
    `SELECT r.reg_no AS by_an_old_version FROM registrations r WHERE r.event_id = 'paid2026'
     AND r.event_hash <> (SELECT s.hash FROM seen s WHERE s.after < r.id ORDER BY s.number DESC LIMIT 1)`,
  )
  const counted = (await ask(BY_COUNTERS)).join() === (await ask(BY_ROWS)).join()
  const letters = inbox.mails.map(({ to, text }) =>
    createHash('sha256')
      .update(`${to} ${/^Subject: .*$/m.exec(text)?.[0]}`)
      .digest('hex'),
  )
  const twice = inbox.mails
    .filter((_, at) => letters.indexOf(String(letters[at])) !== at)
    .map(({ to }) => `a mail twice to ${to}`)
  return [
    ...wrong,
    ...lost,
    ...proofs,
    ...doubled,
    ...oversold,
    ...old,
    ...twice,
    ...(counted ? [] : ['counters differ']),
  ]
}
