/** The migration reports duplicate payments that an older version stored. */
import { mapInOrder } from '../../../server/storage/database/in-order.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import {
  DATABASE_FILE,
  openToWrite,
  toSql,
} from '../../../server/storage/database/sqlite-connection.ts'
import { secondPayments } from '../../../server/storage/migrations/duplicate-payments.ts'
import { migrate, migrations } from '../../../server/storage/database/schema.ts'
import { readOtherPayments } from '../../../server/storage/refunds/other-payments.ts'
import { findSecondPayment } from '../../../server/storage/registrations/same-person.ts'

test('paid pairs are reported in a database that is older than the detection of duplicate payments', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-second-'))
  const db = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.indexOf(secondPayments)
  for (const step of migrations.slice(0, oldVersion)) db.exec(step)
  db.pragma(`user_version = ${oldVersion}`)
  // id, event, name, status, amount
  const storedRows: [number, string, string, string, number][] = [
    [1, 'demo', 'Dr Asha Nair', 'success', 1000],
    [2, 'demo', 'Asha Nair', 'pending', 1000],
    [3, 'demo', 'ASHA  NAIR', 'success', 1000],
    [4, 'other', 'Asha Nair', 'success', 1000],
    [5, 'demo', 'Anil Nair', 'success', 1000],
    [6, 'demo', 'Asha Nair', 'success', 0],
  ]
  for (const [id, event, name, status, amount] of storedRows)
    db.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, state, total, created_at, created_day)
        VALUES (${id}, '${event}', 'h', 'DEMO${id}', '${name}', 'nair@example.org', '', '', '{}', '${status}', '${status === 'success' ? 'complete' : 'to_pay'}', ${amount}, 1, '2026-01-01');
      INSERT INTO payments (id, registration_id, order_id, attempt, amount, status, created_at, status_at, asks_for)
        VALUES (${id}, ${id}, 'DEMO${id}01', 1, ${amount}, '${status}', 1, 1, 'whole');
      INSERT INTO captures (payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
        SELECT ${id}, ${id}, ${id}, 'airpay', 'a', 'AP${id}', ${amount}, 'INR', 'sale', 1, 1, 'fits'
        WHERE '${status}' = 'success' AND ${amount} > 0`)
  await migrate(db)
  const sql = toSql(db)
  const reportedPartners = await mapInOrder(
    storedRows,
    async ([id]) => (await findSecondPayment(sql, `DEMO${id}` as RegNo))?.first.regNo ?? null,
  )
  expect(reportedPartners).toEqual([null, null, 'DEMO1', null, null, null])
  expect((await readOtherPayments(sql, 'DEMO1' as RegNo)).regNos).toEqual(['DEMO3'])
  db.close()
  rmSync(folder, { recursive: true })
})
