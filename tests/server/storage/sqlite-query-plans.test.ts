/** SQLite finds work queue entries through indexes of open entries, however many registrations there are. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENDED_STATES, WORK_QUEUE_IDS } from '../../../engine/index.ts'
import {
  DATABASE_FILE,
  openToRead,
  toSql,
} from '../../../server/storage/database/sqlite-connection.ts'
import type { Sql } from '../../../server/storage/database/sqlite-connection.ts'
import { listPage } from '../../../server/storage/lists/list-and-search-registrations.ts'
import { openStore } from '../../../server/storage/open-store.ts'
import { listCompletedRefunds } from '../../../server/storage/refunds/record-refunds.ts'
import { readWaitingIds } from '../../../server/storage/lists/work-queue.ts'
import { noon } from '../sample-registrations.ts'

let dataDir: string
let db: Database.Database
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'rollcall-plans-'))
  await (await openStore({ dataDir, migrates: true })).close()
  db = openToRead(join(dataDir, DATABASE_FILE))
})
afterAll(() => {
  db.close()
  rmSync(dataDir, { recursive: true })
})

/** Returns the query plans for the statements that `runQuery` runs. */
async function readPlans(runQuery: (sql: Sql) => unknown): Promise<readonly string[]> {
  const plans: string[] = []
  const { dialect } = toSql(db)
  const explainingSql = ((text: string) => ({
    all: async (...params: unknown[]) => {
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...params) as {
        detail: string
      }[]
      plans.push(...steps.map(({ detail }) => detail))
      return []
    },
  })) as unknown as Sql
  const sql: Sql = Object.assign(explainingSql, { dialect })
  await runQuery(sql)
  expect(plans.length).toBeGreaterThan(0)
  return plans
}

test.each(WORK_QUEUE_IDS)(
  'the work queue condition %s is found without scanning all registrations of the event',
  async (is) => {
    const plans = await readPlans((sql) => readWaitingIds(sql, 'demo', { is, at: noon }, 1_000))
    // A search by event alone reads all its registrations. With a status other than pending, it reads only the queue.
    const wideScans = plans.filter(
      (plan) => /^SCAN (r|registrations)\b/.test(plan) || plan.endsWith('(event_id=?)'),
    )
    expect(
      wideScans.filter(
        (plan) =>
          !/registrations_(in_review|to_settle)|paid_persons_second|waiting_invoices_of/.test(plan),
      ),
    ).toEqual([])
  },
)

test.each(ENDED_STATES)(
  'registrations in the state %s are found through their own index',
  async (state) => {
    const plans = await readPlans((sql) =>
      listPage(sql, { eventId: 'demo', answers: {}, state }, 1, 20),
    )
    expect(plans.filter((plan) => plan.startsWith('SEARCH r '))).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('registrations_ended')),
    )
  },
)

test('recent refunds are found by date, without scanning all refunds', async () => {
  const plans = await readPlans((sql) => listCompletedRefunds(sql, noon, ['demo'], 50))
  expect(plans).toContainEqual(expect.stringMatching(/^SEARCH f USING INDEX refunds_done/))
})
