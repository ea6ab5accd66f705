/** What a crash may not have broken: every acknowledged registration is whole, and nothing is there by half. */
import { DATABASE_FILE } from '../../server/storage/database/sqlite-connection.ts'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** A generator of the same numbers for the same seed, from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
/** CRASH_SEED repeats a run that failed. */
export const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 31)

type Counts = { readonly registered: number; readonly payments: number; readonly audited: number }

/** Returns sentences about what is wrong. With `hasFile`, the proof of every registration must be stored. */
export function brokenIn(
  dataDir: string,
  acknowledged: readonly string[],
  hasFile: ((sha256: string) => boolean) | null,
): readonly string[] {
  // Not read-only: like the server, the first to open it after a crash brings the log back in.
  const db = new Database(join(dataDir, DATABASE_FILE))
  try {
    const broken: string[] = []
    const integrity = db.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') broken.push(`integrity_check: ${String(integrity)}`)
    const foreign = db.pragma('foreign_key_check') as readonly unknown[]
    if (foreign.length > 0) broken.push(`${foreign.length} rows refer to rows that are not there`)
    const counts = db.prepare<[string], Counts>(
      `SELECT (SELECT count(*) FROM registrations WHERE reg_no = r.reg_no) AS registered,
              (SELECT count(*) FROM payments p JOIN registrations x ON x.id = p.registration_id WHERE x.reg_no = r.reg_no) AS payments,
              (SELECT count(*) FROM audit_log a JOIN registrations x ON x.id = a.registration_id WHERE x.reg_no = r.reg_no AND a.reg_no = r.reg_no AND a.what = 'registered') AS audited
       FROM (SELECT ? AS reg_no) r`,
    )
    const proofOf = db
      .prepare<[string], string>(
        'SELECT u.sha256 FROM uploads u JOIN registrations r ON r.id = u.registration_id WHERE r.reg_no = ?',
      )
      .pluck()
    // Those that were stored without anybody having been told must be whole as well.
    const stored = db.prepare<[], string>('SELECT reg_no FROM registrations').pluck().all()
    for (const regNo of new Set([...acknowledged, ...stored])) {
      const { registered = 0, payments = 0, audited = 0 } = counts.get(regNo) ?? {}
      if (registered !== 1 || payments !== 1 || audited !== 1)
        broken.push(
          `${regNo}: ${registered} registrations, ${payments} payments, ${audited} audit rows`,
        )
      if (hasFile === null || registered === 0) continue
      const sha256 = proofOf.get(regNo)
      if (sha256 === undefined) broken.push(`${regNo}: no proof is recorded`)
      else if (!hasFile(sha256)) broken.push(`${regNo}: the proof's file is not there`)
    }
    return broken
  } finally {
    db.close()
  }
}
