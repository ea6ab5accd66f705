/** The query plans of all statements of the store use indexes, and never scan a growing table in full. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import {
  DATABASE_FILE,
  openToRead,
  openToWrite,
  toSql,
} from '../../../server/storage/database/sqlite-connection.ts'
import type { Sql, Statement } from '../../../server/storage/database/sqlite-connection.ts'
import type { Dialect } from '../../../server/storage/database/statements/dialect.ts'
import { sqliteDialect } from '../../../server/storage/database/statements/sqlite-dialect.ts'
import { listStatements } from '../../../server/storage/database/statements/statement.ts'
import { MAX_COUNTED } from '../../../server/storage/lists/list-and-search-registrations.ts'
import { indexNewRows } from '../../../server/storage/lists/search-index.ts'
import { containsFolded } from '../../../server/storage/lists/search-terms.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { countNewRegistrations } from '../../../server/storage/reports/registration-and-revenue-counters.ts'
import { buildClientOptions } from '../../../server/storage/postgres/connection.ts'
import { postgresDialect } from '../../../server/storage/postgres/dialect.ts'
import { openPostgresStore } from '../../../server/storage/postgres/open-postgres-store.ts'
import { fillTables, GROWING_TABLES, KEYS_IN_LIST } from './many-rows.ts'
import { hasPostgres, startPostgres } from './postgres-server.ts'
import {
  countQueries,
  EXPECTED_COUNTS,
  listPostgresStatements,
  recordQueries,
  runQueries,
} from './queries-of-lists.ts'
import type { RecordedQueries } from './queries-of-lists.ts'

// PostgreSQL statements are planned against filled tables, without parameter values. SQLite's plans do not depend on
// the number of rows, because the store never collects statistics for it, so its tables stay empty here.

/** Filling the tables takes a long time on a busy machine. */
const BUSY_MACHINE_TIMEOUT_MS = 900_000

const STORAGE_FOLDER = join(import.meta.dirname, '../../../server/storage')
/** Statements that scan a growing table in full on purpose: the reason, and the patterns that identify them. */
const ALLOWED_FULL_SCANS: readonly (readonly [reason: string, ...patterns: RegExp[]])[] = [
  [
    'A migration reads everything once.',
    /"r"\."id" > (\?|\$1) order by "r"\."id" limit 10000/,
    /as "inProgress"/,
    /as "refundedAsOwed" from "registrations"/,
    /as "way", "c"\."reference", "c"\."amount"/,
    /"folded", "ended_as" from "tellings"/,
    /"ended_as" in \('again', 'not_found'\) order by "id"/,
    /as "is_refunded" from "captures"/,
  ],
  [
    'A recovery after a restore, and a clock that was set back, affect all payments.',
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
    /^select distinct "r"\."event_id" as "eventId" from "payments"/,
    /as "is_by_hand" from "refunds"/,
    /as "belongsToAccount" from "captures"/,
    /"t"\."reference" as "told"/,
  ],
  [
    'A changed event file is compared with the answers and bills of the event.',
    /count\(distinct "r"\."id"\) as "n"/,
  ],
  [
    'The command that erases personal data counts registrations, or finds those with a given email address.',
    /where "erased_at" is null and "event_id"/,
    /lower\("email"\) = lower/,
  ],
  ['The last row is read first, because the key is read backwards.', /order by "id" desc limit 1$/],
  [
    'A page of the audit log or of emails is read from its newest entry until it is full.',
    /from "audit_log" .*order by "id" desc limit/,
    /from "mail_queue" as "m" .*order by "m"."id" desc limit/,
  ],
  [
    'A list’s sales report, and a list of those who bought an item, read all bills of an event.',
    /"l"\."bill" = "r"\."bill"/,
  ],
  [
    'Nearly every row has the status `sent`, so an index does not help; the count stops at a limit.',
    /"status" = 'sent' .*limit 10001/,
  ],
]

beforeAll(async () => {
  const modules = readdirSync(STORAGE_FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/worker|migrations/.test(file),
  )
  for (const file of modules) await import(join(STORAGE_FOLDER, file))
})

type Scan = { readonly text: string; readonly tables: readonly string[] }
function expectAllowed(scans: readonly Scan[]): void {
  const allowedPatterns = ALLOWED_FULL_SCANS.flatMap(([, ...patterns]) => patterns)
  expect(
    scans.filter(
      ({ text }) => !allowedPatterns.some((allowedPattern) => allowedPattern.test(text)),
    ),
  ).toEqual([])
}

test('SQLite scans a growing table in full only where this file allows it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-statements-'))
  await (await openStore({ dataDir, migrates: true })).close()
  const db = openToRead(join(dataDir, DATABASE_FILE))
  const partialIndexes = new Set(
    db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'",
      )
      .pluck()
      .all(),
  )
  expect(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'").all()).toEqual([])
  const texts = new Set(listStatements(sqliteDialect))
  expect(texts.size).toBeGreaterThan(400)
  const listScansOfText = (text: string, params?: readonly unknown[]): Scan[] => {
    if (POSTGRES_ONLY.test(text)) return []
    const steps = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
    const values = Array.from({ length: text.match(/\?/g)?.length ?? 0 }, () => null)
    const details = steps.all(...(params ?? values)).map(({ detail }) => detail)
    // The plan lists the result of a subquery as if it were a table.
    const subqueryNames = details.flatMap(
      (detail) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(detail)?.[1] ?? [],
    )
    const tables = details.flatMap((detail) => {
      const [, name = '', index = ''] = /^SCAN (\w+)(?: .*INDEX (\w+))?/.exec(detail) ?? []
      const resultIndex = subqueryNames.indexOf(name)
      if (resultIndex !== -1 && index === '') return subqueryNames.splice(resultIndex, 1).slice(1)
      const table = new RegExp(`"(\\w+)" as "${name}"`).exec(text)?.[1] ?? name
      return GROWING_TABLES.includes(table) && !partialIndexes.has(index)
        ? [`${detail} of ${table}`]
        : []
    })
    return tables.length > 0 ? [{ text, tables }] : []
  }
  expectAllowed([...texts].flatMap((text) => listScansOfText(text)))
  const recordedQueries = await recordSqliteQueries(join(dataDir, DATABASE_FILE))
  expect(recordedQueries.length).toBeGreaterThan(60)
  expectAllowed(recordedQueries.flatMap(([text, params]) => listScansOfText(text, params)))
  db.close()
  rmSync(dataDir, { recursive: true })
})

/** Records the queries of an event with more registrations than are counted or indexed in one batch. */
async function recordSqliteQueries(file: string): Promise<ReturnType<typeof listQueries>> {
  const db = openToWrite(file)
  db.function('contains_folded', { deterministic: true, varargs: true }, containsFolded)
  const sql = toSql(db)
  const recordedQueries: RecordedQueries = new Map()
  db.exec('BEGIN')
  db.prepare(
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
     INSERT INTO registrations (event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
     SELECT 'event1', 'hash', 'NO' || n, 'Name', '', '', '', '{}', 'pending', n, '1970-01-01' FROM n`,
  ).run(MAX_COUNTED + 5)
  db.exec(ADD_UNFILLED_RULE)
  await indexNewRows(sql)
  await countNewRegistrations(sql)
  await runQueries(recordQueries(sql, recordedQueries))
  db.exec('ROLLBACK')
  db.close()
  return listQueries(recordedQueries, sqliteDialect)
}

const ADD_UNFILLED_RULE = `INSERT INTO unique_rules (event_id, rule, parts, filled_at, filled_id) VALUES ('event1', 'number text', '[]', 0, 0)`
function listQueries(
  recordedQueries: RecordedQueries,
  dialect: Dialect,
): readonly (readonly [string, readonly unknown[]])[] {
  const defined = new Set(listStatements(dialect))
  return [...recordedQueries].filter(([text]) => !defined.has(text))
}

test('every query that is built for one call is recorded', () => {
  expect(countQueries(STORAGE_FOLDER)).toEqual(EXPECTED_COUNTS)
})

type Plan = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly Plan[]
}
/** Lists the tables that the plan reads in full. Reading the first row of an index does not count. */
function listScans(
  plan: Plan,
  partialIndexes: ReadonlySet<string>,
  isInsideLimitNode = false,
): readonly string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index } = plan
  const isScan =
    index === undefined
      ? type === 'Seq Scan'
      : plan['Index Cond'] === undefined &&
        !partialIndexes.has(index) &&
        !(isInsideLimitNode && plan.Filter === undefined)
  return [
    ...(isScan && GROWING_TABLES.includes(table) ? [`${type} of ${table} ${index ?? ''}`] : []),
    ...(plan.Plans ?? []).flatMap((entry) => listScans(entry, partialIndexes, type === 'Limit')),
  ]
}

/**
 * Adds limits where PostgreSQL expects to read a large part of a table: limits pages, lists of keys and the list of
 * payments due for a gateway query to a few rows.
 */
const setLimits = (text: string): string =>
  text
    .replaceAll(/jsonb_array_elements_text\(as_jsonb\(\$\d+\)\)/g, `$& limit ${KEYS_IN_LIST}`)
    .replaceAll(/"p"\."next_ask_at" <= \$\d+/g, '$& and "p"."next_ask_at" <= 0')
    .replaceAll(/limit cast\(\$\d+ as bigint\)/g, 'limit 20')
    .replaceAll(/offset cast\(\$\d+ as bigint\)/g, 'offset 0')
/** These statements run on PostgreSQL only. */
const POSTGRES_ONLY = /"proof_files"|"proof_pieces"|any\(\?\)|bool_or|^with "taken" as \(insert/

test.runIf(hasPostgres)(
  'PostgreSQL scans a growing table in full only where this file allows it',
  { tags: ['slow'], timeout: BUSY_MACHINE_TIMEOUT_MS },
  async () => {
    const server = await startPostgres()
    try {
      const url = await server.database('many')
      await (await openPostgresStore({ url })).store.close()
      await fillTables(url)
      expectAllowed(await readPostgresScans(await server.shell(url)))
      expectAllowed(await readScansOfQueries(url))
    } finally {
      await server.stop()
    }
  },
)

async function readPostgresScans(client: Client): Promise<readonly Scan[]> {
  const partialIndexes = await readPartialIndexes(client)
  await client.query('SET plan_cache_mode = force_generic_plan; SET jit = off')
  const scans: Scan[] = []
  for (const text of listPostgresStatements()) {
    const limitedText = setLimits(text)
    const paramCount = Math.max(0, ...(limitedText.match(/(?<=\$)\d+/g) ?? []).map(Number))
    const values =
      paramCount === 0 ? '' : `(${Array.from({ length: paramCount }, () => 'NULL').join()})`
    await client.query(`PREPARE explained_statement AS ${limitedText}`)
    const explained = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (FORMAT JSON) EXECUTE explained_statement${values}`,
    )
    await client.query('DEALLOCATE explained_statement')
    scans.push(...listScansOfPlan(text, explained.rows[0]?.['QUERY PLAN'], partialIndexes))
  }
  await client.end()
  return scans
}

function listScansOfPlan(
  text: string,
  planText: unknown,
  partialIndexes: ReadonlySet<string>,
): readonly Scan[] {
  const plans = (typeof planText === 'string' ? JSON.parse(planText) : planText) as readonly {
    readonly Plan: Plan
  }[]
  const tables = plans.flatMap(({ Plan: plan }) => listScans(plan, partialIndexes))
  return tables.length > 0 ? [{ text, tables }] : []
}

/** Returns the scans of the recorded queries, which PostgreSQL plans with their parameter values. */
async function readScansOfQueries(url: string): Promise<readonly Scan[]> {
  const client = new pg.Client(buildClientOptions(url))
  await client.connect()
  const partialIndexes = await readPartialIndexes(client)
  await client.query('SET jit = off')
  await client.query('BEGIN')
  await client.query(
    `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, created_at, created_day)
     SELECT 1000000 + n, 'event1', 'hash', 'NEW' || n, 'Name', '', '', '', '{}', 'pending', n, '1970-01-01' FROM generate_series(1, 1100) AS n`,
  )
  await client.query(ADD_UNFILLED_RULE)
  const recordedQueries: RecordedQueries = new Map()
  await runQueries(recordQueries(createSql(client), recordedQueries))
  const scans: Scan[] = []
  for (const [text, params] of listQueries(recordedQueries, postgresDialect)) {
    const explained = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (FORMAT JSON) ${text}`,
      [...params],
    )
    scans.push(...listScansOfPlan(text, explained.rows[0]?.['QUERY PLAN'], partialIndexes))
  }
  await client.query('ROLLBACK')
  await client.end()
  return scans
}

function createSql(client: Client): Sql {
  const createStatement = <Row>(text: string): Statement<Row> => {
    const runQuery = async (params: readonly unknown[]) =>
      client.query<Row & object>(text, [...params])
    return {
      get: async (...params) => (await runQuery(params)).rows[0],
      all: async (...params) => (await runQuery(params)).rows,
      run: (...params) => {
        const result = runQuery(params)
        return { changes: result.then(({ rowCount }) => rowCount ?? 0) }
      },
    }
  }
  return Object.assign(createStatement, { dialect: postgresDialect, lock: () => {}, batch: null })
}

async function readPartialIndexes(client: Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ indexname: string }>(
    "SELECT indexname FROM pg_indexes WHERE indexdef LIKE '% WHERE %'",
  )
  return new Set(rows.map(({ indexname }) => indexname))
}
