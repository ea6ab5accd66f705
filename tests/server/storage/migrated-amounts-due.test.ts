/** The migration corrects the amounts due in a database whose totals an older version computed. */
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { amountsDue } from '../../../server/storage/migrations/amounts-due.ts'
import { migrate, migrations } from '../../../server/storage/database/schema.ts'

test('the migration adds declined card payments to the total due of an older database', async () => {
  const db = new Database(':memory:')
  const oldVersion = migrations.indexOf(amountsDue)
  for (const step of migrations.slice(0, oldVersion)) db.exec(step)
  db.pragma(`user_version = ${oldVersion}`)
  const rows = [
    ['pending', 'to_pay', 0],
    ['failed', 'to_pay', 0],
    ['failed', 'lapsed', 0],
    ['success', 'to_pay', 30],
    ['refunded', 'cancelled', 0],
  ] as const
  for (const [index, [status, state, amountDue]] of rows.entries())
    db.prepare(
      `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, total, due, payment_status, state, created_at, created_day)
       VALUES (?, 'demo', 'h', ?, '', '', '', '', '{}', 1000, ?, ?, ?, 1, '2026-01-01')`,
    ).run(index + 1, `DEMO${index + 1}`, amountDue, status, state)
  db.exec(`UPDATE counted SET last_id = 5;
    INSERT INTO counters (event_id, day, category, period, status, registrations, owed)
    SELECT 'demo', '2026-01-01', '', '', payment_status, count(*), sum(CASE payment_status WHEN 'pending' THEN total WHEN 'success' THEN due ELSE 0 END)
    FROM registrations GROUP BY payment_status`)
  await migrate(db)
  const readTotals = () =>
    db.prepare('SELECT sum(owed), sum(registrations) FROM counters').raw().get()
  expect(readTotals()).toEqual([2030, 5])
  db.exec("UPDATE registrations SET state = 'lapsed' WHERE id = 1")
  db.exec("UPDATE registrations SET payment_status = 'success', state = 'complete' WHERE id = 2")
  expect(readTotals()).toEqual([30, 5])
  db.close()
})
