/** The migration adds missing numbers to unmatched cheques, or reports that the cheque is recorded twice. */
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
import { migrate, migrations } from '../../../server/storage/database/schema.ts'

const OLD_REASON = 'It came to the bank, and nobody waits for it: '
const NEW_REASON = 'Bank payment that matches no registration: '
const PAID_AT = Date.parse('2027-01-09T12:00:00+05:30')

test('a cheque recorded by an older version gets its number, or a note if it is also confirmed for a registration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cheques-'))
  const db = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.findIndex((step) =>
    step.includes('Adds cheque numbers of stored lines'),
  )
  for (const step of migrations.slice(0, oldVersion)) db.exec(step)
  db.pragma(`user_version = ${oldVersion}`)
  db.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, state, total, created_at, created_day)
    VALUES (1, 'demo', 'h', 'DEMO1', 'Asha Sample', '', '', '', '{}', 'success', 'complete', 472000, 1, '2026-01-01')`)
  const capture = db.prepare(
    `INSERT INTO captures (id, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why, found_for)
     VALUES (?, ?, ?, '', ?, ?, 'INR', 'sale', ?, ?, ?, ?, 'demo')`,
  )
  const addCapture = (
    id: number,
    amount: number,
    reference: string,
    narration: string,
    claimNote = '',
  ) =>
    capture.run(
      id,
      null,
      'transfer',
      reference,
      amount,
      PAID_AT,
      PAID_AT,
      'unmatched',
      OLD_REASON + narration + claimNote,
    )
  capture.run(1, 1, 'cheque', '000345', 472_000, PAID_AT, PAID_AT, 'fits', null)
  db.exec("INSERT INTO bank_references (key, capture_id) VALUES ('345', 1)")
  // The confirmed cheque, with its number in the narration; and a cheque with a different amount and the
  // same number.
  addCapture(2, 472_000, '2027-01-09 472000 CHQ DEP 000345 DR A', 'CHQ DEP 000345 DR A')
  addCapture(3, 590_000, '2027-01-09 590000 CHQ DEP 000345 DR B', 'CHQ DEP 000345 DR B')
  // Not confirmed yet. The number is in the narration or, if the name is truncated, in the number column.
  addCapture(
    4,
    472_000,
    '2027-01-09 CHQ DEP 456789 DR C',
    'CHQ DEP 456789 DR C',
    ' (told for DEMO1)',
  )
  const longNarration = 'BY CLEARING OF DR D FOR THE CONFERENCE OF PATHOLOGISTS'
  addCapture(
    5,
    472_000,
    `2027-01-09 472000 456790 ${longNarration}`.slice(0, 56) + ' xabc123',
    longNarration,
  )
  // Not a cheque number but the PIN code of a town.
  addCapture(
    6,
    472_000,
    '2027-01-09 472000 CLG DR F OF THE TOWN 682001',
    'CLG DR F OF THE TOWN 682001',
  )
  await migrate(db)
  const sql = toSql(db)
  const keys = ['345', '456789', '456790', '682001']
  expect((await findPaymentsByKey(sql, keys)).map(([key, { id }]) => [key, id])).toEqual([
    ['345', 1],
    ['456789', 4],
    ['456790', 5],
  ])
  const reviewReasons = await sql<{ why: string }>(
    'SELECT why FROM captures WHERE id > 1 ORDER BY id',
  ).all()
  const duplicateNote =
    ' The bank reference 000345 is also recorded for the payment of DEMO1. Check the bank statement, and refund any amount that was counted twice.'
  expect(reviewReasons.map(({ why }) => why.includes('is also recorded'))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
  expect(reviewReasons[0]?.why).toBe(`${NEW_REASON}CHQ DEP 000345 DR A${duplicateNote}`)
  db.close()
  rmSync(folder, { recursive: true })
})
