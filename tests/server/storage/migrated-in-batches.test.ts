/** Migrating many rows needs as few reads as migrating one. On PostgreSQL, each read is a round trip. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { migrations } from '../../../server/storage/database/schema.ts'
import {
  DATABASE_FILE,
  openToWrite,
  toSql,
} from '../../../server/storage/database/sqlite-connection.ts'
import type { Sql } from '../../../server/storage/database/sqlite-connection.ts'
import { restoreOlderCancellations } from '../../../server/storage/payments/balance-adjustments.ts'
import { recordOlderPayers } from '../../../server/storage/payments/find-duplicate-payments.ts'
import { updateOldBalances } from '../../../server/storage/payments/stored-balance.ts'
import {
  assignOlderReferences,
  assignOlderImportReferences,
  normaliseOlderClaims,
} from '../../../server/storage/reconciliation/older-references.ts'
import { addOlderChequeNumbers } from '../../../server/storage/reconciliation/unmatched-lines.ts'

const OLD_VERSION = 30
const MIGRATION_STEPS = {
  assignOlderReferences,
  noteOlderPayers: recordOlderPayers,
  assignOlderImportReferences,
  normaliseOlderClaims,
  balanceOldRegistrations: updateOldBalances,
  addOlderChequeNumbers,
  restoreOlderCancellations,
}
/** Enough to list the rows, and to read the stored data for one batch and a few payments that need review. */
const MAX_READS = 5

test('migrating 155 registrations needs only a few reads, not several per payment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-batches-'))
  const file = join(folder, DATABASE_FILE)
  const fixture = join(import.meta.dirname, '../../crash/migration/version-30.db.br')
  writeFileSync(file, brotliDecompressSync(readFileSync(fixture)))
  const db = openToWrite(file)
  for (const step of migrations.slice(OLD_VERSION)) db.exec(step)
  let readTurns = 0
  const createSql = toSql(db)
  /** Reads that start in one turn of the event loop share a packet, so they count once. */
  let isTurnCounted = false
  const countRead = (): void => {
    if (isTurnCounted) return
    readTurns += 1
    isTurnCounted = true
    queueMicrotask(() => (isTurnCounted = false))
  }
  const countingSql = (<Row>(text: string) => {
    const { get, all: readAll, run } = createSql<Row>(text)
    return {
      get: (...params: unknown[]) => (countRead(), get(...params)),
      all: (...params: unknown[]) => (countRead(), readAll(...params)),
      run: (...params: unknown[]) => {
        const runResult = run(...params)
        return {
          get changes() {
            countRead()
            return runResult.changes
          },
        }
      },
    }
  }) as Sql
  const sql: Sql = Object.assign(countingSql, {
    dialect: createSql.dialect,
    lock: createSql.lock,
    batch: null,
  })
  const turnsByStep: Record<string, number> = {}
  for (const [name, runStep] of Object.entries(MIGRATION_STEPS)) {
    readTurns = 0
    await runStep(sql)
    turnsByStep[name] = readTurns
  }
  expect(Object.entries(turnsByStep).filter(([, reads]) => reads > MAX_READS)).toEqual([])
  expect(db.prepare('SELECT count(*) FROM paid_persons').pluck().get()).toBeGreaterThan(50)
  expect(db.prepare('SELECT count(*) FROM bank_references').pluck().get()).toBeGreaterThan(10)
  db.close()
  rmSync(folder, { recursive: true })
})
