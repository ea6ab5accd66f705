/** The migration repairs cancellations that deducted a refund in progress twice: the stated refund is due again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DATABASE_FILE, openToWrite } from '../../../server/storage/database/sqlite-connection.ts'
import { migrate, migrations } from '../../../server/storage/database/schema.ts'

/** `at` is before or after the cancellation, which happens at time 10. */
type Refund = { readonly amount: number; readonly at: number; readonly done?: number }

test('₹ 2,000 is due for refund if an older version deducted a refund in progress twice during a cancellation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cancellations-'))
  const db = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.findIndex((step) =>
    step.includes('amounts to refund after cancellations'),
  )
  for (const step of migrations.slice(0, oldVersion)) db.exec(step)
  db.pragma(`user_version = ${oldVersion}`)
  // A cancellation's stated refund, stored adjustment, refunds and later adjustments, and the expected balance.
  const rows: readonly {
    readonly stated: number
    readonly storedAdjustment?: number
    readonly refunds: readonly Refund[]
    readonly laterAdjustments: readonly number[]
    readonly due: number
  }[] = [
    // The refund in progress was deducted a second time when it completed.
    {
      stated: 2425,
      refunds: [{ amount: 2000, at: 5, done: 20 }],
      laterAdjustments: [2000],
      due: -2425,
    },
    // The refund is still in progress: the balance includes it until it completes.
    { stated: 2425, refunds: [{ amount: 2000, at: 5 }], laterAdjustments: [], due: -4425 },
    // Staff have already refunded part or all of the missing amount.
    {
      stated: 2425,
      refunds: [
        { amount: 2000, at: 5, done: 20 },
        { amount: 425, at: 30, done: 30 },
      ],
      laterAdjustments: [2000, 425],
      due: -2000,
    },
    {
      stated: 2425,
      refunds: [
        { amount: 2000, at: 5, done: 20 },
        { amount: 2425, at: 30, done: 30 },
      ],
      laterAdjustments: [2000, 425],
      due: 0,
    },
    // Unchanged: a refund that completed before the cancellation or started after it, and a cancellation recorded
    // under the current rule.
    { stated: 2425, refunds: [{ amount: 2000, at: 5, done: 6 }], laterAdjustments: [], due: -2425 },
    { stated: 2425, refunds: [{ amount: 2000, at: 15 }], laterAdjustments: [], due: -2425 },
    {
      stated: 2425,
      storedAdjustment: 4425,
      refunds: [{ amount: 2000, at: 5 }],
      laterAdjustments: [],
      due: -4425,
    },
    // The balance is never more than the amount held.
    {
      stated: 5000,
      refunds: [{ amount: 2000, at: 5, done: 20 }],
      laterAdjustments: [2000],
      due: -3900,
    },
  ]
  for (const [
    index,
    { stated: statedRefund, storedAdjustment = statedRefund, refunds, laterAdjustments },
  ] of rows.entries()) {
    const id = index + 1
    db.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, state, total, created_at, created_day)
        VALUES (${id}, 'demo', 'h', 'DEMO${id}', 'Asha Sample', '', '', '', '{}', 'success', 'cancelled', 5900, 1, '2026-01-01');
      INSERT INTO payments (id, registration_id, order_id, attempt, amount, status, reference, created_at, status_at, paid_at, asks_for)
        VALUES (${id}, ${id}, 'DEMO${id}01', 1, 5900, 'success', 'R${id}', 1, 1, 1, 'whole');
      INSERT INTO captures (id, payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
        VALUES (${id}, ${id}, ${id}, ${id}, 'airpay', '', 'R${id}', 5900, 'INR', 'sale', 1, 1, 'fits');
      INSERT INTO acts (registration_id, at, who, act, why, data, was, became) VALUES (${id}, 10, 'office', 'cancel', 'Ill', '{"pay_back":${statedRefund}}', 'complete', 'cancelled');
      INSERT INTO dues (registration_id, at, what, amount) VALUES (${id}, 10, 'cancelled', ${-storedAdjustment})`)
    for (const { amount, at, done } of refunds)
      db.exec(
        `INSERT INTO refunds (capture_id, amount, state, reference, why, who, at, done_at) VALUES (${id}, ${amount}, '${done === undefined ? 'asked' : 'done'}', NULL, 'x', 'x', ${at}, ${done ?? 'NULL'})`,
      )
    for (const amount of laterAdjustments)
      db.exec(
        `INSERT INTO dues (registration_id, at, what, amount) VALUES (${id}, 20, 'paid back', ${amount})`,
      )
  }
  await migrate(db)
  expect(db.prepare('SELECT due FROM registrations ORDER BY id').pluck().all()).toEqual(
    rows.map(({ due: expectedDue }) => expectedDue),
  )
  db.close()
  rmSync(folder, { recursive: true })
})
