/** Runs rounds of faults against two servers that share a database, and returns the problems found. */
import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { openInbox } from '../browser/inbox.ts'
import type { Inbox } from '../browser/inbox.ts'
import { SUM_COUNTERS_SQL, COUNT_ROWS_SQL } from '../server/storage/payment-histories.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { runClient, SEATS, openProxy, removeFolder, startServer } from './two-servers.ts'
import type { ClientResults, Proxy, Server } from './two-servers.ts'

export const FAULTS = ['first', 'second', 'connections', 'database', 'version'] as const
export type Fault = (typeof FAULTS)[number]
export type RoundOptions = {
  readonly faults: readonly Fault[]
  readonly clientCount: number
  /** The number of registrations to wait for in each round. */
  readonly minRegistrations: number
  /** The number of emails to wait for before the first fault. */
  readonly minEmails: number
  readonly postgres: PostgresServer
  /** The database name. */
  readonly databaseName: string
  /** Starts the proxy in front of the servers. Defaults to the tests' own proxy. */
  readonly proxy?: (ports: readonly number[]) => Promise<Proxy>
  readonly print?: (line: string) => void
}
export type RoundsResult = {
  /** Descriptions of the problems found. */
  readonly problems: readonly string[]
  readonly results: ClientResults
  readonly emailCount: number
  readonly registeredCount: number
}

/** The polling interval and timeout. */
const POLL_MS = 20
const MAX_WAIT_MS = 200_000

export async function runRounds(rounds: RoundOptions): Promise<RoundsResult> {
  const {
    faults,
    clientCount,
    minRegistrations,
    minEmails,
    postgres,
    databaseName,
    proxy: startProxy = openProxy,
  } = rounds
  const { print = () => {} } = rounds
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-two-servers-'))
  const url = await postgres.database(databaseName)
  const inbox = await openInbox()
  const variables = { DATABASE_URL: url, SMTP_URL: inbox.url }
  const servers: Server[] = []
  const closers: (() => Promise<void>)[] = []
  const results: ClientResults = { confirmed: [], soldOut: [], priceChanged: [], problems: [] }
  let hasEnded = false
  try {
    for (const serverName of ['first', 'second'])
      servers.push(await startServer(folder, serverName, variables))
    const proxy = await startProxy(servers.map(({ port }) => port))
    closers.push(() => proxy.close())
    const shell = await postgres.shell(url)
    await shell.query(ACTIVATIONS_SQL)
    await shell.end()
    const clientRuns = Array.from({ length: clientCount }, (_, index) =>
      runClient(
        () => proxy.url,
        `person-${index}`,
        results,
        () => hasEnded,
      ),
    )
    const waitForMore = async (list: readonly unknown[], count: number): Promise<void> => {
      const target = list.length + count
      for (let waitedMs = 0; list.length < target; waitedMs += POLL_MS) {
        if (waitedMs > MAX_WAIT_MS) throw new Error(`timeout: ${list.length} of ${target}`)
        await pause(POLL_MS)
      }
    }
    let version: 0 | 1 = 0
    await waitForMore(results.confirmed, minRegistrations)
    await waitForMore(inbox.emails, minEmails)
    for (const [index, fault] of faults.entries()) {
      const [startedAt, confirmedCountBefore] = [performance.now(), results.confirmed.length]
      const [firstServer, secondServer] = servers
      if (firstServer === undefined || secondServer === undefined)
        throw new Error('expected two servers')
      if (fault === 'version') {
        version = version === 0 ? 1 : 0
        // The new file reaches one server later than the other, as when files are copied by hand.
        const [firstUpdatedServer, secondUpdatedServer] =
          index % 2 === 0 ? [firstServer, secondServer] : [secondServer, firstServer]
        firstUpdatedServer.writeVersion(version, index)
        await waitForMore(results.priceChanged, 1)
        secondUpdatedServer.writeVersion(version, index)
      } else if (fault === 'database') await postgres.crash()
      else if (fault === 'connections') await cutConnections(postgres, databaseName)
      else {
        const killedServer = fault === 'first' ? firstServer : secondServer
        await killedServer.kill()
        await waitForMore(results.confirmed, minRegistrations)
        // A server killed in the last round is not restarted.
        if (index < faults.length - 1) await killedServer.start()
      }
      await waitForMore(results.confirmed, minRegistrations)
      const ms = Math.round(performance.now() - startedAt)
      print(
        `round ${index + 1}, ${fault}: ${results.confirmed.length - confirmedCountBefore} registered in ${ms} ms`,
      )
    }
    // Waits until at least one delegate has been told that the hall is full.
    if (results.soldOut.length === 0) await waitForMore(results.soldOut, 1)
    hasEnded = true
    await Promise.all(clientRuns)
    await Promise.all(servers.map(({ kill }) => kill()))
    const checkShell = await postgres.shell(url)
    const serverOutput = servers.map((server) => server.readOutput()).join('')
    if (/is exiting because of an internal error/.test(serverOutput))
      results.problems.push('a server exited because of an internal error')
    const problems = await findProblems(checkShell, results, inbox)
    const { rows } = await checkShell.query<{ n: string }>(
      'SELECT count(*) AS n FROM registrations',
    )
    await checkShell.end()
    return {
      problems,
      results,
      emailCount: inbox.emails.length,
      registeredCount: Number(rows[0]?.n),
    }
  } finally {
    hasEnded = true
    for (const close of closers) await close()
    await Promise.all(servers.map(({ kill }) => kill()))
    await inbox.close()
    removeFolder(folder)
  }
}

async function cutConnections(postgres: PostgresServer, name: string): Promise<void> {
  const shell = await postgres.shell()
  await shell.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ])
  await shell.end()
}

/** Records the last registration before each activation of a version: later registrations must use the new version. */
const ACTIVATIONS_SQL = `
CREATE TABLE seen (number bigint GENERATED ALWAYS AS IDENTITY, hash text, after bigint);
INSERT INTO seen (hash, after) SELECT hash, 0 FROM active_events WHERE event_id = 'paid2026';
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO seen (hash, after) VALUES (NEW.hash, (SELECT coalesce(max(id), 0) FROM registrations));
  RETURN NEW;
END $$;
CREATE TRIGGER see AFTER INSERT OR UPDATE ON active_events FOR EACH ROW WHEN (NEW.event_id = 'paid2026') EXECUTE FUNCTION see();
`

/** Returns the problems in the database, including differences from the clients' results. */
async function findProblems(
  shell: pg.Client,
  { confirmed: confirmedNumbers, problems }: ClientResults,
  inbox: Inbox,
): Promise<readonly string[]> {
  const runQuery = async (sql: string, ...params: unknown[]): Promise<string[]> =>
    (await shell.query(sql, params)).rows.map((row) => JSON.stringify(row))
  const lostRows = await runQuery(
    `SELECT told.reg_no AS lost FROM unnest($1::text[]) AS told (reg_no)
     WHERE (SELECT count(*) FROM registrations r
       JOIN audit_log a ON a.registration_id = r.id AND a.what = 'registered'
       WHERE r.reg_no = told.reg_no AND CASE r.event_id
         WHEN 'paid2026' THEN (SELECT count(*) FROM payments p WHERE p.registration_id = r.id) = 1
         ELSE (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id) = 1 END) <> 1`,
    confirmedNumbers,
  )
  const lostProofs = await runQuery(
    `SELECT r.reg_no AS proof_lost FROM registrations r LEFT JOIN uploads u ON u.registration_id = r.id
     WHERE r.event_id = 'small2026' AND u.sha256 IS DISTINCT FROM (SELECT encode(sha256(string_agg(p.bytes, '' ORDER BY p.place)), 'hex')
       FROM proof_pieces p WHERE p.sha256 = u.sha256)`,
  )
  const duplicates = await runQuery(
    'SELECT email AS doubled FROM registrations GROUP BY email HAVING count(*) > 1',
  )
  const oversoldRows = await runQuery(
    `SELECT count(*) AS oversold FROM registrations WHERE event_id = 'small2026' AND category = 'member'
     HAVING count(*) > $1 OR count(*) <> (SELECT sum(taken) FROM places)`,
    SEATS,
  )
  const outdatedRegistrations = await runQuery(
    `SELECT r.reg_no AS by_an_old_version FROM registrations r WHERE r.event_id = 'paid2026'
     AND r.event_hash <> (SELECT s.hash FROM seen s WHERE s.after < r.id ORDER BY s.number DESC LIMIT 1)`,
  )
  const hasCorrectCounters =
    (await runQuery(SUM_COUNTERS_SQL)).join() === (await runQuery(COUNT_ROWS_SQL)).join()
  const emailHashes = inbox.emails.map(({ to, text }) =>
    createHash('sha256')
      .update(`${to} ${/^Subject: .*$/m.exec(text)?.[0]}`)
      .digest('hex'),
  )
  const repeatedEmails = inbox.emails
    .filter((_, index) => emailHashes.indexOf(String(emailHashes[index])) !== index)
    .map(({ to }) => `two emails to ${to}`)
  return [
    ...problems,
    ...lostRows,
    ...lostProofs,
    ...duplicates,
    ...oversoldRows,
    ...outdatedRegistrations,
    ...repeatedEmails,
    ...(hasCorrectCounters ? [] : ['counters differ']),
  ]
}
