/** The migration of databases in which staff accepted a different amount before balances existed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DATABASE_FILE, openToWrite } from '../../../server/storage/database/sqlite-connection.ts'
import { migrate, migrations } from '../../../server/storage/database/schema.ts'

test('a surplus that an older version did not show is due for refund; an amount that was never paid is not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-balances-'))
  const db = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.findIndex((step) => step.includes('ADD COLUMN counted'))
  for (const step of migrations.slice(0, oldVersion)) db.exec(step)
  db.pragma(`user_version = ${oldVersion}`)
  // Price, requested amount, accepted amount, refunded amount, stored adjustments, expected
  // balance.
  const rows: readonly (readonly [number, number, number, number, readonly number[], number])[] = [
    [4720, 4720, 5000, 0, [], -280],
    [4720, 4720, 5900, 1180, [], 0],
    [4720, 4720, 5900, 1000, [], -180],
    [4720, 5900, 4000, 0, [-1180], 0],
    [3540, 5900, 4000, 0, [-2360], -460],
    [4720, 5900, 7000, 0, [-1180], -2280],
    // A balance is due, so the order for it is open.
    [5900, 4720, 5000, 0, [1180], 1180],
    [4720, 4720, 4720, 500, [], 0],
  ]
  for (const [
    index,
    [total, requestedAmount, acceptedAmount, refunded, adjustments],
  ] of rows.entries()) {
    const id = index + 1
    db.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, state, total, created_at, created_day)
        VALUES (${id}, 'demo', 'h', 'DEMO${id}', 'Asha Sample', '', '', '', '{}', 'success', 'complete', ${total}, 1, '2026-01-01');
      INSERT INTO payments (id, registration_id, order_id, attempt, amount, status, reference, created_at, status_at, paid_at, asks_for)
        VALUES (${id}, ${id}, 'DEMO${id}01', 1, ${requestedAmount}, 'success', 'R${id}', 1, 1, 1, 'whole');
      INSERT INTO captures (id, payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
        VALUES (${id}, ${id}, ${id}, ${id}, 'transfer', '', 'R${id}', ${acceptedAmount}, 'INR', 'sale', 1, 1, 'accepted')`)
    if (refunded > 0)
      db.exec(
        `INSERT INTO refunds (capture_id, amount, state, reference, why, who, at, done_at) VALUES (${id}, ${refunded}, 'done', 'B${id}', 'x', 'x', 2, 2)`,
      )
    for (const amount of adjustments)
      db.exec(
        `INSERT INTO dues (registration_id, at, what, amount) VALUES (${id}, 2, 'corrected', ${amount})`,
      )
  }
  await migrate(db)
  expect(db.prepare('SELECT due FROM registrations ORDER BY id').pluck().all()).toEqual(
    rows.map((row) => row[5]),
  )
  db.close()
  rmSync(folder, { recursive: true })
})
