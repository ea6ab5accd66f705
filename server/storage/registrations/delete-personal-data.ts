/** Erases a person from every table in one transaction; payments and their events stay. */
import { err, ok, paise } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { ActionOutcome, NewAction } from './action-types.ts'
import { doAct } from './apply-action.ts'
import { endOpenPayments } from '../payments/payment-attempts.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { RegistrationRow } from './row-mapping.ts'
import { coverBill } from '../documents/issue-documents.ts'
import { NOT_IN_RECOVERY } from '../recovery/held-during-recovery.ts'
import { addDue } from '../payments/balance-adjustments.ts'
import { reindex } from '../lists/search-index.ts'
import { notePayer } from '../payments/find-duplicate-payments.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import { UNDER_WAY } from '../refunds/refund-states-and-channels.ts'

const RECEIPT_BUYER = { name: '', email: '', gstin: null, address: null }
/** Rows that are due at a time: each is a transaction of its own. */
const DUE_ROWS = 100

/**
 * Afterwards nobody can be asked about a payment, so none may be undecided. An unpaid registration is cancelled,
 * and its seats are released.
 */
export function erase(sql: Sql, wanted: NewAction): Promise<ActionOutcome> {
  return doAct(sql, wanted, async (row) => {
    const { id, reg_no: regNo } = row
    if ((await erasedAt(sql, id)) !== null)
      return err({
        code: 'not_now',
        message: 'The personal data of this registration are already erased.',
      })
    if (await isMoneyUndecided(sql, row))
      return err({
        code: 'moved_on',
        message:
          'This registration has a payment that needs review, or a refund in progress. Finish that first.',
      })
    // What is freed is written over, so that the file does not go on holding it.
    await sql('PRAGMA secure_delete = ON').all()
    if (row.state !== 'complete' && row.state !== 'cancelled' && row.state !== 'refused') {
      sql("UPDATE registrations SET state = 'cancelled' WHERE id = ?").run(id)
      await endOpenPayments(sql, id, 'cancelled', wanted.at)
      // A difference that a correction left: nobody is there any more who could pay it.
      const unpaid = paise(Math.max(0, row.due))
      addDue(sql, id, { what: 'given up', amount: -unpaid }, wanted.at)
      await settleRegistration(sql, id)
      await coverBill(sql, id, wanted.at, { unpaid })
    }
    await blank(sql, id, wanted.at)
    await sql('PRAGMA secure_delete = OFF').all()
    return ok({ message: `Personal data of ${regNo} erased. Its payments are kept.` })
  })
}

const erasedAt = async (sql: Sql, id: number): Promise<Instant | null> =>
  (
    await sql<{ at: Instant | null }>('SELECT erased_at AS at FROM registrations WHERE id = ?').get(
      id,
    )
  )?.at ?? null

async function isMoneyUndecided(
  sql: Sql,
  { id, in_review: inReview, state }: RegistrationRow,
): Promise<boolean> {
  return (
    inReview === 1 ||
    state === 'told' ||
    (await sql(
      `SELECT 1 FROM refunds f JOIN captures c ON c.id = f.capture_id
       WHERE c.registration_id = ? AND ${UNDER_WAY('f')} LIMIT 1`,
    ).get(id)) !== undefined
  )
}

async function blank(sql: Sql, id: number, at: Instant): Promise<void> {
  sql(
    `UPDATE registrations SET full_name = '', email = '', phone = '', council_no = '', answers = '{}', erased_at = ?
     WHERE id = ?`,
  ).run(at, id)
  await reindex(sql, id)
  await notePayer(sql, id)
  sql('DELETE FROM unique_answers WHERE registration_id = ?').run(id)
  sql('DELETE FROM links WHERE registration_id = ?').run(id)
  sql('DELETE FROM act_keys WHERE registration_id = ?').run(id)
  sql('DELETE FROM idempotency_keys WHERE registration_id = ?').run(id)
  await blankActs(sql, id)
  sql("UPDATE tellings SET answers = '{}' WHERE registration_id = ?").run(id)
  sql("UPDATE decisions SET why = '' WHERE registration_id = ?").run(id)
  sql(
    `UPDATE refunds SET why = '', said = NULL
     WHERE capture_id IN (SELECT id FROM captures WHERE registration_id = ?)`,
  ).run(id)
  sql(
    `UPDATE audit_log SET what = substr(what, 1, instr(what, ': ') - 1)
     WHERE registration_id = ? AND instr(what, ': ') > 1`,
  ).run(id)
  sql(
    `UPDATE mail_queue SET recipient = '', copy_to = NULL, subject = '', body = '', error = NULL, next_at = NULL, mailbox = NULL,
       status = iif(status = 'queued', 'failed', status) WHERE registration_id = ?`,
  ).run(id)
  sql(
    `DELETE FROM draft_proofs WHERE sha256 IN (SELECT sha256 FROM uploads WHERE registration_id = ?)`,
  ).run(id)
  sql(
    "UPDATE uploads SET name = '', dropped_at = coalesce(dropped_at, ?) WHERE registration_id = ?",
  ).run(at, id)
  await blankReceipts(sql, id)
  blankNotices(sql, id)
}

/** What an act keeps of money: its amount, way, reference and day, which name nobody. */
const OF_MONEY: readonly string[] = ['came', 'paid_at', 'pay_back']

/** What an act kept stands as it was where all of it is of money; else none of it does. */
async function blankActs(sql: Sql, id: number): Promise<void> {
  sql("UPDATE acts SET why = '' WHERE registration_id = ?").run(id)
  const acts = await sql<{ id: number; data: string }>(
    "SELECT id, data FROM acts WHERE registration_id = ? AND data <> '{}'",
  ).all(id)
  for (const act of acts)
    if (!Object.keys(JSON.parse(act.data) as object).every((name) => OF_MONEY.includes(name)))
      sql("UPDATE acts SET data = '{}' WHERE id = ?").run(act.id)
}

async function blankReceipts(sql: Sql, id: number): Promise<void> {
  const receipts = await sql<{ id: number; body: string }>(
    "SELECT id, body FROM documents WHERE registration_id = ? AND kind = 'receipt'",
  ).all(id)
  for (const receipt of receipts)
    sql('UPDATE documents SET body = ? WHERE id = ?').run(
      JSON.stringify({ ...(JSON.parse(receipt.body) as object), buyer: RECEIPT_BUYER }),
      receipt.id,
    )
}

/** What the gateway says of a payment names who paid it. */
function blankNotices(sql: Sql, id: number): void {
  sql(
    `UPDATE gateway_notices SET body = ''
     WHERE (order_id IN (SELECT order_id FROM payments WHERE registration_id = ?)
       OR order_id IN (SELECT unknown_order FROM captures WHERE registration_id = ?)) AND body <> ''`,
  ).run(id, id)
  sql('UPDATE captures SET payer = NULL WHERE registration_id = ? AND payer IS NOT NULL').run(id)
}

/**
 * For all events, including those not served; oldest first. Runs on the reader thread, because it scans all rows.
 */
export async function withEmail(sql: Sql, email: string): Promise<readonly RegNo[]> {
  return (
    await sql<{ regNo: RegNo }>(
      'SELECT reg_no AS regNo FROM registrations WHERE lower(email) = lower(?) ORDER BY id',
    ).all(email.trim())
  ).map(({ regNo }) => regNo)
}

/**
 * Some of an event that are not erased yet, by id after the given one. Runs on the reader thread, because it
 * scans many rows.
 */
export function toErase(
  sql: Sql,
  eventId: string,
  after: number,
): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]> {
  return sql<{ id: number; regNo: RegNo }>(
    `SELECT id, reg_no AS regNo FROM registrations WHERE event_id = ? AND erased_at IS NULL AND id > ? AND ${NOT_IN_RECOVERY}
     ORDER BY id LIMIT ${DUE_ROWS}`,
  ).all(eventId, after)
}

/** Marks all files of an event as dropped, some registrations at a time; returns how many registrations. */
export async function dropEventFiles(
  sql: Sql,
  eventId: string,
  at: Instant,
  why: string,
): Promise<number> {
  const ids = await sql<{ id: number }>(
    `SELECT DISTINCT r.id FROM registrations r JOIN uploads u ON u.registration_id = r.id
     WHERE r.event_id = ? AND u.dropped_at IS NULL AND ${NOT_IN_RECOVERY} LIMIT ${DUE_ROWS}`,
  ).all(eventId)
  for (const { id } of ids) {
    sql('UPDATE uploads SET dropped_at = ? WHERE registration_id = ? AND dropped_at IS NULL').run(
      at,
      id,
    )
    sql(
      `INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id)
       SELECT ?, 'rollcall', ?, event_id, reg_no, id FROM registrations WHERE id = ?`,
    ).run(at, `dropped the files: ${why}`, id)
  }
  return ids.length
}
