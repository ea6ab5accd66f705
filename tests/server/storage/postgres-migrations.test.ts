/** A database in PostgreSQL of an older version becomes what a new one is, by the steps that SQLite takes. */
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { definitions, stepsFrom } from '../../../server/storage/postgres/schema-from-sqlite.ts'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
import { migrations } from '../../../server/storage/database/schema.ts'
import { confirmed, found, mail, registered } from '../sample-registrations.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
import { ALL_RUNS } from '../../runs.ts'

/** The first version of which a database in PostgreSQL was made. */
const FIRST = 21

/** So many of the newest versions are always tried: what is new is wrong there. */
const NEWEST = 4

/** Columns, indexes and what triggers do. */
const CATALOG = [
  "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
  "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
  "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prorettype = 'trigger'::regtype ORDER BY 1",
  'SELECT tgname, pg_get_triggerdef(oid) AS does FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1',
]

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function made(
    name: string,
    texts: readonly string[],
  ): Promise<{ url: string; shell: pg.Client }> {
    const url = await server.database(name)
    const shell = await server.shell(url)
    await shell.query('BEGIN')
    for (const text of texts) await shell.query(text)
    await shell.query('COMMIT')
    return { url, shell }
  }
  const catalogOf = async (shell: pg.Client): Promise<unknown> => {
    const answers = []
    for (const sql of CATALOG) answers.push((await shell.query(sql)).rows)
    return answers
  }

  test('migrations from every version lead to the schema of a new database', async () => {
    const now = await made('now', definitions())
    const wanted = await catalogOf(now.shell)
    await now.shell.end()
    expect(migrations.length).toBeGreaterThan(FIRST)
    for (let version = FIRST; version < migrations.length; version += 1) {
      // The steps of the others are among those of the first: each is taken from there.
      if (!ALL_RUNS && version > FIRST && version < migrations.length - NEWEST) continue
      const { shell } = await made(`v${version}`, [...definitions(version), ...stepsFrom(version)])
      expect(await catalogOf(shell), `from version ${version}`).toEqual(wanted)
      await shell.end()
    }
  })

  test('a process without permission to migrate rejects an older database; others migrate it with its data', async () => {
    const { url, shell } = await made('older', [
      ...definitions(FIRST),
      'CREATE TABLE rollcall_version ("only" integer PRIMARY KEY, version integer NOT NULL)',
      `INSERT INTO rollcall_version VALUES (1, ${FIRST})`,
      `INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
       VALUES ('demo', 'hash', 'OLD1', 'Asha Demo', '', '', '', '{}', 'pending', 1, '1970-01-01')`,
    ])
    await expect(openInsidePostgres({ url })).rejects.toThrow(
      /^The database in PostgreSQL is of an older version of Rollcall/,
    )
    const { store } = await openInsidePostgres({ url, migrates: true })
    expect((await found(store, 'OLD1')).answers).toEqual({})
    const { orderId } = await registered(store)
    expect((await store.applyFact(orderId, confirmed('AP1'), mail)).changed).toBe(true)
    await store.close()
    await shell.end()
  })

  test('a cheque line that an older version had kept gets its number', async () => {
    const before = migrations.findIndex((step) => step.includes('Cheque numbers of kept lines'))
    const narration = 'CHQ DEP 456789 DR C'
    const { url, shell } = await made('cheques', [
      ...definitions(before),
      'CREATE TABLE rollcall_version ("only" integer PRIMARY KEY, version integer NOT NULL)',
      `INSERT INTO rollcall_version VALUES (1, ${before})`,
      `INSERT INTO captures (id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why, found_for)
       VALUES (1, 'transfer', '', '2027-01-09 472000 ${narration}', 472000, 'INR', 'sale', 1799476200000, 1799476200000, 'unmatched',
         'It came to the bank, and nobody waits for it: ${narration}', 'demo')`,
    ])
    const { store } = await openInsidePostgres({ url, migrates: true })
    await store.close()
    const { rows } = await shell.query('SELECT key, capture_id::int FROM bank_references')
    expect(rows).toEqual([{ key: '456789', capture_id: 1 }])
    await shell.end()
  })
}
