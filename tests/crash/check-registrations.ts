/** Checks after a crash: each acknowledged registration is complete, and none is stored partially. */
import { DATABASE_FILE } from '../../server/storage/database/sqlite-connection.ts'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Creates a seeded generator of random numbers between 0 and 1. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
/** The seed for random choices. Setting CRASH_SEED repeats a failed run. */
export const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 31)

type Counts = {
  readonly registrations: number
  readonly payments: number
  readonly auditRows: number
}

/** Returns the problems. Unless `hasFile` is null, every registration's uploaded file must be stored. */
export function findIncomplete(
  dataDir: string,
  acknowledgedNumbers: readonly string[],
  hasFile: ((sha256: string) => boolean) | null,
): readonly string[] {
  // Not read-only: the first connection after a crash replays the write-ahead log, as it does in the server.
  const db = new Database(join(dataDir, DATABASE_FILE))
  try {
    const problems: string[] = []
    const integrity = db.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') problems.push(`integrity_check: ${String(integrity)}`)
    const orphanedRows = db.pragma('foreign_key_check') as readonly unknown[]
    if (orphanedRows.length > 0) problems.push(`${orphanedRows.length} rows refer to missing rows`)
    const countsStatement = db.prepare<[string], Counts>(
      `SELECT (SELECT count(*) FROM registrations WHERE reg_no = r.reg_no) AS registrations,
              (SELECT count(*) FROM payments p JOIN registrations x ON x.id = p.registration_id WHERE x.reg_no = r.reg_no) AS payments,
              (SELECT count(*) FROM audit_log a JOIN registrations x ON x.id = a.registration_id WHERE x.reg_no = r.reg_no AND a.reg_no = r.reg_no AND a.what = 'registered') AS "auditRows"
       FROM (SELECT ? AS reg_no) r`,
    )
    const uploadStatement = db
      .prepare<[string], string>(
        'SELECT u.sha256 FROM uploads u JOIN registrations r ON r.id = u.registration_id WHERE r.reg_no = ?',
      )
      .pluck()
    // Registrations that were stored but not acknowledged must be complete as well.
    const storedNumbers = db.prepare<[], string>('SELECT reg_no FROM registrations').pluck().all()
    for (const regNo of new Set([...acknowledgedNumbers, ...storedNumbers])) {
      const {
        registrations: registered = 0,
        payments = 0,
        auditRows = 0,
      } = countsStatement.get(regNo) ?? {}
      if (registered !== 1 || payments !== 1 || auditRows !== 1)
        problems.push(
          `${regNo}: ${registered} registrations, ${payments} payments, ${auditRows} audit rows`,
        )
      if (hasFile === null || registered === 0) continue
      const sha256 = uploadStatement.get(regNo)
      if (sha256 === undefined) problems.push(`${regNo}: no upload is recorded`)
      else if (!hasFile(sha256)) problems.push(`${regNo}: the uploaded file is missing`)
    }
    return problems
  } finally {
    db.close()
  }
}
