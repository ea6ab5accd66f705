/** Registrations of another system, as `rollcall registration import` takes them before a server starts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../server/run-command.ts'

export const PULMO = 'PULMO20250017'
export const PULMO_FAILED = 'PULMO20250018'
/** Of the former system's gateway. */
export const PULMO_PAYMENT = 'PAY8841702'
export const IMPORTED_EMAIL = 'old@example.org'

/** One that was paid and one that failed. */
export async function importOldRows({
  dataDir,
  eventsDir,
}: {
  readonly dataDir: string
  readonly eventsDir: string
}): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  const csv = join(dataDir, 'old.csv')
  const row = (regNo: string, name: string, status: string): string =>
    `${regNo},${name},${IMPORTED_EMAIL},+91 98470 22222,pg-students,3500,${status},${status === 'success' ? PULMO_PAYMENT : ''},2025-08-02T10:00:00+05:30,2025-08-02T10:05:00+05:30`
  writeFileSync(
    csv,
    [
      'reg_no,full_name,email,phone_number,registration_category,final_amount,payment_status,payment_id,created_at,payment_date',
      row(PULMO, 'Dr. Imported Sample', 'success'),
      row(PULMO_FAILED, 'Dr. Declined Import', 'failed').replace(/,[^,]*$/, ','),
    ].join('\n'),
  )
  const done = await runHere(['registration', 'import', 'pulmocon2025', csv], {
    DATA_DIR: dataDir,
    EVENTS_DIR: eventsDir,
  })
  if (done.status !== 0) throw new Error(done.stderr)
}
