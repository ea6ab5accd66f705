/** Fills a PostgreSQL database with as many rows as a large conference has, using one statement per table. */
import { loadInBulk } from '../../../server/storage/postgres/bulk-load.ts'
import { connect } from '../../../server/storage/postgres/hosts.ts'
import { ALL_RUNS } from '../../runs.ts'

/**
 * The number of rows for a large conference. `npm test` inserts a tenth of them, which takes a quarter of the time
 * and gives the same query plans.
 */
const ROWS = ALL_RUNS ? 100_000 : 10_000
/** 100 of 100,000 rows: the number that PostgreSQL expects a list of unknown length to match. */
export const KEYS_IN_LIST = ROWS / 1000
const EVENT_COUNT = 20

const registrations = `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, category, period, base, gst, total, payment_status, state, created_at, created_day, former_no, due, in_review)
  SELECT n, 'event' || n % ${EVENT_COUNT}, 'hash', 'NO' || n, 'Name ' || n, 'person' || n || '@example.org', '+91' || n, 'C' || n, '{"city": "Kochi"}', 'member', 'early', 100, 18, 118,
    CASE WHEN n % 2 = 0 THEN 'success' ELSE 'pending' END,
    CASE WHEN n % 100 = 1 THEN 'cancelled' WHEN n % 100 = 3 THEN 'told' WHEN n % 2 = 0 THEN 'complete' ELSE 'to_pay' END,
    1790000000000 + n * 1000, '2026-10-' || lpad((n % 28 + 1)::text, 2, '0'), CASE WHEN n % 50 = 0 THEN 'OLD' || n END,
    CASE WHEN n % 200 = 0 THEN 10 ELSE 0 END, CASE WHEN n % 300 = 0 THEN 1 ELSE 0 END`
const payments = `INSERT INTO payments (id, registration_id, order_id, attempt, gateway, amount, status, reference, created_at, status_at, next_ask_at, review)
  SELECT n, n, 'NO' || n || '01', 1, 'airpay', 118, CASE WHEN n % 2 = 0 THEN 'success' ELSE 'pending' END, 'AP' || n, n, n,
    CASE WHEN n % 100 = 1 THEN n END, CASE WHEN n % 300 = 0 THEN 'It differs.' END`
const captures = `INSERT INTO captures (id, payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why)
  SELECT n, n, n, n, CASE WHEN n % 4 = 0 THEN 'transfer' ELSE 'airpay' END, '', 'AP' || n, 118, 'INR', 'sale', n, n, CASE WHEN n % 300 = 0 THEN 'review' ELSE 'fits' END, 'It differs.'`
/** Inserts for the tables that grow with the registrations. */
const TABLES: Readonly<Record<string, string>> = {
  registrations,
  payments,
  captures,
  payment_facts: `INSERT INTO payment_facts (id, payment_id, type, body, at) SELECT n, n, 'confirmed', '{}', n`,
  gateway_notices: `INSERT INTO gateway_notices (id, gateway, kind, order_id, body, content_type, at) SELECT n, 'airpay', 'notice', 'NO' || n || '01', '', 'text/plain', n`,
  acts: `INSERT INTO acts (id, registration_id, at, who, act, why, data, was, became) SELECT n, n, n, 'delegate', CASE WHEN n % 50 = 0 THEN 'note' WHEN n % 51 = 0 THEN 'cancel' ELSE 'pay' END, '', '{}', 'to_pay', 'complete'`,
  audit_log: `INSERT INTO audit_log (id, at, who, what, event_id, reg_no, registration_id) SELECT n, n, CASE WHEN n % 100 = 0 THEN 'Meera' ELSE 'delegate' END, 'registered', 'event' || n % ${EVENT_COUNT}, 'NO' || n, n`,
  mail_queue: `INSERT INTO mail_queue (id, registration_id, event_id, kind, recipient, subject, body, status, next_at, created_at) SELECT n, n, 'event' || n % ${EVENT_COUNT}, 'other', 'delegate@example.org', 'Subject', 'Body', CASE WHEN n % 500 = 0 THEN 'queued' WHEN n % 501 = 0 THEN 'failed' ELSE 'sent' END, n, n`,
  bill_lines: `INSERT INTO bill_lines (registration_id, bill, line, item, label, quantity, unit, base, gst, total) SELECT n, 1, 1, 'fee', 'Fee', 1, 100, 100, 18, 118`,
  documents: `INSERT INTO documents (id, registration_id, payment_id, kind, account, year, serial, body, at) SELECT n, n, n, 'receipt', 'sample', '2026', 'R' || n, '{}', n`,
  dues: `INSERT INTO dues (id, registration_id, at, what, amount) SELECT n, n, n, CASE WHEN n % 100 = 1 THEN 'cancelled' ELSE 'corrected' END, 5`,
  tellings: `INSERT INTO tellings (id, registration_id, at, way, reference, folded, answers, event_id) SELECT n, n, n, 'transfer', 'UTR' || n, 'UTR' || n, '{}', 'event' || n % ${EVENT_COUNT}`,
  bank_references: `INSERT INTO bank_references (key, capture_id) SELECT 'UTR' || n, n`,
  refunds: `INSERT INTO refunds (id, capture_id, amount, state, reference, why, who, at, done_at) SELECT n, n * 50, 5, CASE WHEN n % 8 = 0 THEN 'wanted' ELSE 'done' END, 'REFUND' || n, '', 'Meera', n, n`,
  settlements: `INSERT INTO settlements (id, source, account, event_id, sha256, who, at) SELECT n - 1, 'airpay', 'sample' || n % 3, 'event' || n % ${EVENT_COUNT}, '', 'Meera', n`,
  settlement_lines: `INSERT INTO settlement_lines (id, settlement_id, source, account, key, line, kind, order_id, reference, amount, fee, tax, net, day, utr, nth, utr_key) SELECT n, n / 1000, 'airpay', 'sample', 'key' || n, n, 'sale', 'NO' || n || '01', 'AP' || n, 118, 1, 1, 116, '2026-10-01', 'UTR' || n / 5, 1, 'UTR' || n / 5`,
  registered_persons: `INSERT INTO registered_persons (id, registration_id, event_id, person, browser) SELECT n, n, 'event' || n % ${EVENT_COUNT}, 'person' || n, 'browser' || n`,
  paid_persons: `INSERT INTO paid_persons (id, registration_id, event_id, person, first_id) SELECT n, n, 'event' || n % ${EVENT_COUNT}, 'person' || n, CASE WHEN n % 500 = 0 THEN n - 1 END`,
}
const SMALL_TABLES = [
  'refunds',
  'dues',
  'paid_persons',
  'settlements',
  'settlement_lines',
  'bank_references',
]
/**
 * Tables with registrations, payments, emails and their histories. The other tables are filled because statements
 * join them with these.
 */
export const GROWING_TABLES: readonly string[] = Object.keys(TABLES).filter(
  (name) => !SMALL_TABLES.includes(name),
)
/** Fewer rows than registrations: few payments are refunded, and a settlement has many lines. */
const ROWS_BY_TABLE: Readonly<Record<string, number>> = { refunds: ROWS / 50, settlements: 101 }

/** Fills the tables so that PostgreSQL chooses the same plans as for a large conference. */
export async function fillTables(url: string): Promise<void> {
  const connection = await connect(url)
  const { plain } = connection
  await plain('BEGIN')
  // Disables triggers, because these rows are not consistent with each other like those of a real conference.
  await plain('SET LOCAL session_replication_role = replica')
  await loadInBulk(connection, async () => {
    for (const [table, insertion] of Object.entries(TABLES)) {
      const rows = ROWS_BY_TABLE[table] ?? ROWS
      await plain(`${insertion} FROM generate_series(1, ${rows}) AS n`)
    }
  })
  await connection.commit()
  await plain('VACUUM')
  await connection.end()
}
