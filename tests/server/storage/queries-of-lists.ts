/** Runs every query that the store builds with `buildQuery`, and records its text and values. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { instant } from '../../../engine/index.ts'
import type { Answers, Day, UniqueRule } from '../../../engine/index.ts'
import type { Sql } from '../../../server/storage/database/sqlite-connection.ts'
import { listStatements } from '../../../server/storage/database/statements/statement.ts'
import type { ListQuery, ListSort } from '../../../server/storage/index.ts'
import {
  exportChunk,
  listPage,
} from '../../../server/storage/lists/list-and-search-registrations.ts'
import {
  searchEvents,
  searchSimilarNames,
} from '../../../server/storage/lists/search-registrations.ts'
import { retryMails } from '../../../server/storage/mail/email-delivery.ts'
import { listEmails, countEmails } from '../../../server/storage/mail/email-list.ts'
import { postgresDialect } from '../../../server/storage/postgres/dialect.ts'
import { findConflictingAnswer } from '../../../server/storage/registrations/unique-answers.ts'
import { readMovementPage } from '../../../server/storage/reports/movements.ts'
import { readMovementSums } from '../../../server/storage/reports/movement-sums.ts'
import { computeSalesOfList } from '../../../server/storage/reports/sales-totals.ts'
import { readAuditLog, listAuditLogUsers } from '../../../server/storage/staff/audit-log-entries.ts'

// A new call to `buildQuery` needs a line here. A test counts the calls.

/** These statements run on SQLite only. */
const SQLITE_ONLY = /pragma_journal_mode|^insert into "counters"/
/** Returns the statements that PostgreSQL runs, from all modules that the test has loaded. */
export const listPostgresStatements = (): readonly string[] =>
  [...new Set(listStatements(postgresDialect))].filter((text) => !SQLITE_ONLY.test(text))

const EVENT = 'event1'
const AT = instant(1_790_000_000_000)
const toDay = (text: string): Day => text as Day
const createSort = (by: ListSort['by']): ListSort => ({
  by,
  isDescending: true,
  order: ['member'],
})
const baseQuery: ListQuery = { eventId: EVENT, answers: {} }
const QUERIES: readonly ListQuery[] = [
  { ...baseQuery, answers: { city: 'Kochi' } },
  { ...baseQuery, chosen: { workshops: 'scan' } },
  { ...baseQuery, people: { companions: true } },
  { ...baseQuery, sold: { item: 'fee', option: null } },
  ...(['told', 'to_approve', 'cancelled', 'refused', 'complete'] as const).map((state) => ({
    ...baseQuery,
    state,
  })),
  { ...baseQuery, category: 'member', period: 'early' },
  { ...baseQuery, paymentStatus: 'success' },
  { ...baseQuery, dateFrom: toDay('2026-10-01'), dateTo: toDay('2026-10-02') },
  ...(['number', 'name', 'category', 'status'] as const).map((by) => ({
    ...baseQuery,
    sort: createSort(by),
  })),
  { ...baseQuery, search: 'name' },
  { ...baseQuery, search: 'name', paymentStatus: 'success', sort: createSort('name') },
  { ...baseQuery, waiting: { is: 'to_approve', at: AT } },
  { ...baseQuery, waiting: { is: 'to_approve', at: AT }, search: 'name' },
]
const byNumber: UniqueRule = {
  name: 'number text',
  onDuplicate: 'block',
  parts: [{ id: 'number', as: 'text' }],
}
const AUDIT_LOG_QUERY = { who: null, events: [EVENT], kinds: null, words: '', from: null, to: null }

/** Runs every query built with `buildQuery`. The database must contain rows. The caller must undo the writes. */
export async function runQueries(sql: Sql): Promise<void> {
  for (const query of QUERIES) {
    await listPage(sql, query, 1, 20)
    await listPage(sql, query, 100, 20)
    await exportChunk(sql, query, null, 500)
    await computeSalesOfList(sql, query, ['companions'])
  }
  await searchEvents(sql, [EVENT, 'event2'], 'name', 20)
  await searchEvents(sql, [EVENT, 'event2'], 'name k p', 20)
  await searchSimilarNames(sql, [EVENT, 'event2'], 'nama', 20)
  for (const eventIds of [[EVENT], null]) {
    const movements = { eventIds, from: AT, to: instant(AT + 10) }
    for (const query of [
      movements,
      { ...movements, method: 'cash', isUnsettled: true, isUnreconciled: true, changedAfter: AT },
    ]) {
      for (const after of [null, `${AT}C1`]) await readMovementPage(sql, query, after, 20)
      await readMovementSums(sql, query)
    }
  }
  for (const status of ['queued', 'failed', 'sent', null] as const)
    await listEmails(sql, { events: [EVENT], status, address: 'delegate@example.org' }, 1_000, 20)
  await countEmails(sql, [EVENT])
  await readAuditLog(sql, AUDIT_LOG_QUERY, 1_000, 20)
  await readAuditLog(
    sql,
    {
      ...AUDIT_LOG_QUERY,
      who: 'Meera',
      kinds: ['changes', 'exports'],
      words: 'name',
      from: toDay('2026-10-01'),
    },
    null,
    20,
  )
  await listAuditLogUsers(sql, [EVENT])
  await retryMails(sql, AT, { ids: [1, 2], events: null }).catch(() => {})
  await retryMails(sql, AT, { ids: null, events: [EVENT] })
  const answers: Answers = { number: 'NO1' }
  await findConflictingAnswer(sql, EVENT, [byNumber], answers).catch(() => {})
}

/** Files whose calls to `buildQuery` only insert rows. */
const INSERT_FILES: readonly string[] = [
  'lists/search-index.ts',
  'payments/find-duplicate-payments.ts',
  'reconciliation/assign-many-references.ts',
  'registrations/fill-unique-answers.ts',
  'seats/seats-of-earlier-registrations.ts',
]
/** The number of calls to `buildQuery` that `runQueries` covers in each file. */
export const EXPECTED_COUNTS: Readonly<Record<string, number>> = {
  'lists/list-and-search-registrations.ts': 3,
  'lists/search-registrations.ts': 6,
  'mail/email-delivery.ts': 1,
  'mail/email-list.ts': 2,
  'registrations/unique-answers.ts': 1,
  'reports/movement-sums.ts': 2,
  'reports/movements.ts': 2,
  'reports/registration-and-revenue-counters.ts': 2,
  'reports/sales-totals.ts': 4,
  'staff/audit-log-entries.ts': 2,
}
export function countQueries(folder: string): Readonly<Record<string, number>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  return Object.fromEntries(
    files.flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const count = text.match(/(?<!function )buildQuery(?:<\w+>)?\(/g)?.length ?? 0
      return count === 0 || INSERT_FILES.includes(file) ? [] : [[file, count]]
    }),
  )
}

export type RecordedQueries = Map<string, readonly unknown[]>
/** Forwards statements to `sql`, and records the text of each with the parameters of its first call. */
export function recordQueries(sql: Sql, recorded: RecordedQueries): Sql {
  const createStatement = <Row>(text: string): ReturnType<typeof sql<Row>> => {
    const statement = sql<Row>(text)
    const recordValues = (params: readonly unknown[]): void => {
      if (!recorded.has(text)) recorded.set(text, params)
    }
    return {
      get: (...params) => (recordValues(params), statement.get(...params)),
      all: (...params) => (recordValues(params), statement.all(...params)),
      run: (...params) => (recordValues(params), statement.run(...params)),
    }
  }
  return Object.assign(createStatement, { dialect: sql.dialect, lock: () => {}, batch: null })
}
