/** Registrations from another system, imported with `rollcall registration import` before a server starts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../server/run-command.ts'

export const PULMO_PAID = 'PULMO20250017'
export const PULMO_FAILED = 'PULMO20250018'
/** The payment reference from the former system's gateway. */
export const PULMO_PAYMENT = 'PAY8841702'
export const IMPORTED_EMAIL = 'old@example.org'

/** Imports a paid registration, and one whose payment failed. */
export async function importOldRows({
  dataDir,
  eventsDir,
}: {
  readonly dataDir: string
  readonly eventsDir: string
}): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  const csvPath = join(dataDir, 'old.csv')
  const formatRow = (regNo: string, name: string, status: string): string =>
    `${regNo},${name},${IMPORTED_EMAIL},+91 98470 22222,pg-students,3500,${status},${status === 'success' ? PULMO_PAYMENT : ''},2025-08-02T10:00:00+05:30,2025-08-02T10:05:00+05:30`
  writeFileSync(
    csvPath,
    [
      'reg_no,full_name,email,phone_number,registration_category,final_amount,payment_status,payment_id,created_at,payment_date',
      formatRow(PULMO_PAID, 'Dr. Imported Sample', 'success'),
      formatRow(PULMO_FAILED, 'Dr. Declined Import', 'failed').replace(/,[^,]*$/, ','),
    ].join('\n'),
  )
  const importResult = await runHere(['registration', 'import', 'pulmocon2025', csvPath], {
    DATA_DIR: dataDir,
    EVENTS_DIR: eventsDir,
  })
  if (importResult.status !== 0) throw new Error(importResult.stderr)
}
