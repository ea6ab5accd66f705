/**
 * Query plans of all statements of the store: indexes, no full scans of tables that grow with the registrations.
 * PostgreSQL plans over filled tables, without the values of a call. SQLite's plans do not depend on the number of rows,
 * because the store never collects statistics for it, so its tables stay empty here.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { DATABASE_FILE, openToRead } from '../../../server/storage/database/sqlite-connection.ts'
import { sqliteDialect } from '../../../server/storage/database/statements/sqlite-dialect.ts'
import { definedStatements } from '../../../server/storage/database/statements/statement.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { postgresDialect } from '../../../server/storage/postgres/dialect.ts'
import { openInsidePostgres } from '../../../server/storage/postgres/open-postgres-store.ts'
import { fillTables, GROWING_TABLES, KEYS_IN_LIST } from './many-rows.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'

/** Filling the tables takes long on a busy machine. */
const BUSY_MACHINE_MS = 900_000

const STORE = join(import.meta.dirname, '../../../server/storage')
/** Statements that read such a table on purpose: why, and how each is recognised. */
const READ_ALL: readonly (readonly [reason: string, ...texts: RegExp[]])[] = [
  [
    'A migration reads everything once.',
    /"r"\."id" > (\?|\$1) order by "r"\."id" limit 10000/,
    /as "inProgress"/,
    /as "back" from "registrations"/,
    /as "way", "c"\."reference", "c"\."amount"/,
    /"folded", "ended_as" from "tellings"/,
    /"ended_as" in \('again', 'not_found'\) order by "id"/,
    /as "is_refunded" from "captures"/,
  ],
  [
    'A recovery after a restore, and a clock that was set back, concern all payments.',
    /max\("p"\."attempt"\) as "last"/,
    /as "newest"/,
    /^insert into "recovery_payments"/,
    /^update "payments" set "next_ask_at" = 0/,
    /count\(\*\) as "n" from "payments" where "status" = 'pending'/,
    /"asking_until" > (\?|\$1)/,
    /"p"\."reason" = 'expired'/,
  ],
  [
    'A bank statement or a settlement report is compared with all payments of its event or gateway.',
    /"r"\."capture_id", "c"\."registration_id" from "refunds"/,
    /^select distinct "c"\."source", "c"\."account" from "captures"/,
    /as "is_by_hand" from "refunds"/,
    /as "isOfAccount" from "captures"/,
    /"t"\."reference" as "told"/,
  ],
  [
    'A changed event file is compared with the answers and bills of the event.',
    /count\(distinct "r"\."id"\) as "n"/,
  ],
  [
    'Personal data is erased by a command: it counts registrations, or finds those of an email address.',
    /where "erased_at" is null and "event_id"/,
    /lower\("email"\) = lower/,
  ],
  ['The last row is the first in the order of its key.', /order by "id" desc limit 1$/],
]

beforeAll(async () => {
  const modules = readdirSync(STORE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/worker|migrations/.test(file),
  )
  for (const file of modules) await import(join(STORE, file))
})

type Scan = { readonly text: string; readonly tables: readonly string[] }
function expectAllowed(scans: readonly Scan[]): void {
  const allowed = READ_ALL.flatMap(([, ...texts]) => texts)
  expect(scans.filter(({ text }) => !allowed.some((candidate) => candidate.test(text)))).toEqual([])
}

test('SQLite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-statements-'))
  await (await openStore({ dataDir, migrates: true })).close()
  const db = openToRead(join(dataDir, DATABASE_FILE))
  const partial = new Set(
    db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'",
      )
      .pluck()
      .all(),
  )
  expect(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'").all()).toEqual([])
  const texts = new Set(definedStatements(sqliteDialect))
  expect(texts.size).toBeGreaterThan(400)
  const scans = [...texts].flatMap((text): Scan[] => {
    if (POSTGRES_ONLY.test(text)) return []
    const steps = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
    const values = Array.from({ length: text.match(/\?/g)?.length ?? 0 }, () => null)
    const tables = steps.all(...values).flatMap(({ detail }) => {
      const [, name = '', index = ''] = /^SCAN (\w+)(?: .*INDEX (\w+))?/.exec(detail) ?? []
      const table = new RegExp(`"(\\w+)" as "${name}"`).exec(text)?.[1] ?? name
      return GROWING_TABLES.includes(table) && !partial.has(index) ? [`${detail} of ${table}`] : []
    })
    return tables.length > 0 ? [{ text, tables }] : []
  })
  db.close()
  rmSync(dataDir, { recursive: true })
  expectAllowed(scans)
})

type Plan = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly Plan[]
}
/** Tables that are read from end to end. A first row by the order of an index is not. */
function scansOf(plan: Plan, partial: ReadonlySet<string>, isFirst = false): readonly string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index } = plan
  const isScan =
    index === undefined
      ? type === 'Seq Scan'
      : plan['Index Cond'] === undefined &&
        !partial.has(index) &&
        !(isFirst && plan.Filter === undefined)
  return [
    ...(isScan && GROWING_TABLES.includes(table) ? [`${type} of ${table} ${index ?? ''}`] : []),
    ...(plan.Plans ?? []).flatMap((entry) => scansOf(entry, partial, type === 'Limit')),
  ]
}

/** A page, a list of keys, and the payments to query are few rows; PostgreSQL expects a large part of a table. */
const withLimits = (text: string): string =>
  text
    .replaceAll(/jsonb_array_elements_text\(as_jsonb\(\$\d+\)\)/g, `$& limit ${KEYS_IN_LIST}`)
    .replaceAll(/"p"\."next_ask_at" <= \$\d+/g, '$& and "p"."next_ask_at" <= 0')
    .replaceAll(/limit cast\(\$\d+ as bigint\)/g, 'limit 20')
    .replaceAll(/offset cast\(\$\d+ as bigint\)/g, 'offset 0')
/** They are run on one of the databases only. */
const POSTGRES_ONLY = /"proof_files"|"proof_pieces"|any\(\?\)|bool_or|^with "taken" as \(insert/
const SQLITE_ONLY = /pragma_journal_mode|^insert into "counters"/

test.runIf(hasPostgres)(
  'PostgreSQL',
  async () => {
    const server = await startPostgres()
    try {
      const url = await server.database('many')
      await (await openInsidePostgres({ url })).store.close()
      await fillTables(url)
      expectAllowed(await postgresScans(await server.shell(url)))
    } finally {
      await server.stop()
    }
  },
  BUSY_MACHINE_MS,
)

async function postgresScans(shell: Client): Promise<readonly Scan[]> {
  const { rows } = await shell.query<{ indexname: string }>(
    "SELECT indexname FROM pg_indexes WHERE indexdef LIKE '% WHERE %'",
  )
  const partial = new Set(rows.map(({ indexname }) => indexname))
  await shell.query('SET plan_cache_mode = force_generic_plan; SET jit = off')
  const scans: Scan[] = []
  for (const text of new Set(definedStatements(postgresDialect))) {
    if (SQLITE_ONLY.test(text)) continue
    const limitedText = withLimits(text)
    const count = Math.max(0, ...(limitedText.match(/(?<=\$)\d+/g) ?? []).map(Number))
    const values = count === 0 ? '' : `(${Array.from({ length: count }, () => 'NULL').join()})`
    await shell.query(`PREPARE asked AS ${limitedText}`)
    const explained = await shell.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (FORMAT JSON) EXECUTE asked${values}`,
    )
    await shell.query('DEALLOCATE asked')
    const planText: unknown = explained.rows[0]?.['QUERY PLAN']
    const plans = (typeof planText === 'string' ? JSON.parse(planText) : planText) as readonly {
      readonly Plan: Plan
    }[]
    const tables = plans.flatMap(({ Plan: plan }) => scansOf(plan, partial))
    if (tables.length > 0) scans.push({ text, tables })
  }
  await shell.end()
  return scans
}
