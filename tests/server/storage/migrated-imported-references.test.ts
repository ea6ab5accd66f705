/** The migration records the bank references of earlier imports, and reports those that are used twice. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPaymentsByKey } from '../../../server/storage/reconciliation/bank-references.ts'
import {
  DATABASE_FILE,
  openToWrite,
  toSql,
} from '../../../server/storage/database/sqlite-connection.ts'
import { readReviews } from '../../../server/storage/reviews/open-reviews.ts'
import { migrate, migrations } from '../../../server/storage/database/schema.ts'

test('an import is put under review if its UTR was also confirmed for another registration or imported twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-imports-'))
  const db = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.findIndex((step) => step.includes('bank references of imported'))
  for (const step of migrations.slice(0, oldVersion)) db.exec(step)
  db.pragma(`user_version = ${oldVersion}`)
  // id, source, reference of the capture, reference of the payment, status
  const captureRows: [number, string, string, string | null, string][] = [
    [1, 'import', '526123456701', '526123456701', 'success'],
    [2, 'import', '526123456701 DEMO2', '526123456701', 'success'],
    [3, 'import', '526123456703', '526123456703', 'success'],
    [4, 'transfer', '5261-2345-6703', '5261-2345-6703', 'success'],
    [5, 'import', 'PAY5', 'PAY5', 'success'],
    [6, 'import', 'DEMO6', null, 'success'],
    [7, 'import', '526123456701 DEMO7', '526123456701', 'refunded'],
  ]
  for (const [id, source, reference, paymentReference, status] of captureRows)
    db.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, state, total, created_at, created_day)
        VALUES (${id}, 'demo', 'h', 'DEMO${id}', 'Asha Sample', '', '', '', '{}', '${status}', 'complete', 1000, 1, '2026-01-01');
      INSERT INTO payments (id, registration_id, order_id, attempt, amount, status, reference, created_at, status_at, paid_at, asks_for)
        VALUES (${id}, ${id}, 'DEMO${id}01', 1, 1000, '${status}', ${paymentReference === null ? 'NULL' : `'${paymentReference}'`}, 1, 1, 1, 'whole');
      INSERT INTO captures (id, payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
        VALUES (${id}, ${id}, ${id}, ${id}, '${source}', '', '${reference}', 1000, 'INR', 'sale', 1, 1, 'fits')`)
  db.exec("INSERT INTO bank_references (key, capture_id) VALUES ('526123456703', 4)")
  await migrate(db)
  const sql = toSql(db)
  expect(
    (await findPaymentsByKey(sql, ['526123456701', '526123456703', 'PAY5', 'DEMO6'])).map(
      ([key, { regNo }]) => [key, regNo],
    ),
  ).toEqual([
    ['526123456701', 'DEMO1'],
    ['526123456703', 'DEMO4'],
  ])
  const openReviews = await readReviews(sql, 'demo')
  expect(openReviews.map(({ is, regNo }) => [is, regNo])).toEqual([
    ['unclear', 'DEMO2'],
    ['unclear', 'DEMO3'],
  ])
  expect(openReviews[0]?.why).toContain('526123456701 is also recorded for the payment of DEMO1')
  db.close()
  rmSync(folder, { recursive: true })
})
