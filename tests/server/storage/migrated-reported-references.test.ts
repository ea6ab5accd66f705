/** The migration restores reported references that older versions deleted after another payment. */
import { mapInOrder } from '../../../server/storage/database/in-order.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  findReportsByKey,
  explainUsedReference,
} from '../../../server/storage/reconciliation/bank-references.ts'
import {
  DATABASE_FILE,
  openToWrite,
  toSql,
} from '../../../server/storage/database/sqlite-connection.ts'
import { migrate, migrations } from '../../../server/storage/database/schema.ts'

test('a UTR that an older version deleted is restored, and cannot be confirmed for another registration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-reports-'))
  const db = openToWrite(join(folder, DATABASE_FILE))
  const oldVersion = migrations.findIndex((step) => step.includes('tellings_by_key'))
  for (const step of migrations.slice(0, oldVersion)) db.exec(step)
  db.pragma(`user_version = ${oldVersion}`)
  // registration id, reference, normalised reference, result
  const claims: [number, string, string, string | null][] = [
    [1, '526123456701', '526123456701', 'again'],
    [2, '00526 123 456 701', '00526123456701', 'not_found'],
    [3, '00526 123 456 702', '00526123456702', 'again'],
    [4, '526123456702', '526123456702', null],
    [5, '526123456703', '526123456703', 'found'],
    [5, '526123456703', '526123456703', 'not_found'],
  ]
  for (const id of [1, 2, 3, 4, 5])
    db.exec(`INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, payment_status, state, total, created_at, created_day)
        VALUES (${id}, 'demo', 'h', 'DEMO${id}', 'Asha Sample', '', '', '', '{}', 'success', 'complete', 1000, 1, '2026-01-01')`)
  for (const [id, reference, normalised, claimResult] of claims)
    db.exec(`INSERT INTO tellings (registration_id, at, way, reference, folded, answers, ended_as)
        VALUES (${id}, 1, 'transfer', '${reference}', '${normalised}', '{}', ${claimResult === null ? 'NULL' : `'${claimResult}'`})`)
  await migrate(db)
  const sql = toSql(db)
  const keys = ['526123456701', '526123456702', '526123456703']
  expect(
    (await findReportsByKey(sql, keys)).map(({ key, regNo, isReleased }) => [
      key,
      regNo,
      isReleased,
    ]),
  ).toEqual([
    ['526123456701', 'DEMO1', false],
    ['526123456701', 'DEMO2', true],
    ['526123456702', 'DEMO3', false],
    ['526123456702', 'DEMO4', false],
    ['526123456703', 'DEMO5', true],
  ])
  const otherRegistration = {
    method: 'transfer',
    eventId: 'demo',
    regNo: 'DEMO9' as never,
  } as const
  const reasons = await mapInOrder(keys, async (reference) =>
    explainUsedReference(sql, { ...otherRegistration, reference }),
  )
  expect(reasons).toEqual([
    expect.stringContaining('The delegate with registration DEMO1 reported 526123456701'),
    expect.stringContaining('The delegate with registration DEMO3 reported 526123456702'),
    null,
  ])
  db.close()
  rmSync(folder, { recursive: true })
})
