/**
 * Generates many registrations and inserts them into a store's tables, where the store indexes them: the data for
 * measuring lists, searches and exports.
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { dayOf, instant } from '../../engine/index.ts'
import type { openStore } from '../../server/storage/open-store.ts'
import type { Store } from '../../server/storage/index.ts'

const FIRST_NAMES =
  'Asha Ravi Meera Anil Priya Thomas Fathima George Lakshmi Suresh Anjali Biju Deepa Hari Indu Jacob'
const LAST_NAMES =
  'Nair Menon Pillai Thomas Iyer Kurian Das Rao Joseph Varma Khan Mathew Shetty Fernandes Ahmed Abraham'
const [firstNames, lastNames] = [FIRST_NAMES, LAST_NAMES].map((names) => names.split(' '))

/** A million rows are indexed in minutes; if this takes longer, indexing is stuck. */
const MAX_INDEXED_MS = 40 * 60_000

export type RowsOptions = {
  readonly event: string
  readonly category: string
  readonly rows: number
  /** The time of the first registration; the others follow at even intervals over `days`. */
  readonly from: number
  readonly days: number
}

/**
 * Creates the number of the nth registration. The numbers are spread like random ones. The registration in the
 * middle has a unique number and phone number to search for.
 */
export const createRegNo = (n: number, rowCount: number): string =>
  n === Math.floor(rowCount / 2)
    ? 'AFPI0177441080001'
    : `AFPI${String((n * 7_919_317) % 10 ** 13).padStart(13, '0')}`

/** Creates the name of the nth delegate, such as “Asha B Nair”. */
export const createName = (n: number): string =>
  `${firstNames?.[n % 16]} ${String.fromCharCode(65 + (n % 26))} ${lastNames?.[Math.floor(n / 16) % 16]}`

/** Creates the payment reference of the nth registration; only every second registration has a payment. */
export const createReference = (n: number): string =>
  n % 4 === 1 ? `BANK${String(n).padStart(10, '0')}` : `UTR${String(n).padStart(12, '0')}`

/**
 * Inserts the rows into the tables that the store created, opens the store again and waits until all rows are indexed.
 */
export async function fillStore(
  dataDir: string,
  open: typeof openStore,
  options: RowsOptions,
): Promise<Store> {
  await (await open({ dataDir, migrates: true })).close()
  const db = new Database(join(dataDir, 'rollcall.db'))
  db.pragma('synchronous = OFF')
  db.transaction(() => insertAll(db, options))()
  db.close()
  const store = await open({ dataDir })
  const readOnlyDb = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  const unindexedStatement = readOnlyDb
    .prepare('SELECT max(id) - (SELECT last_id FROM search_progress) FROM registrations')
    .pluck()
  const startedAt = Date.now()
  while (Number(unindexedStatement.get()) > 0) {
    if (Date.now() - startedAt > MAX_INDEXED_MS) throw new Error('the rows are not indexed')
    await store.ping(instant(Date.now()))
    await new Promise((done) => setTimeout(done, 1_000))
  }
  readOnlyDb.close()
  return store
}

function insertAll(
  db: Database.Database,
  { event, category, rows, from, days }: RowsOptions,
): void {
  const insertRegistration = db.prepare(
    `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, category, period, base, gst, total, payment_status, created_at, created_day)
     VALUES (?, ?, 'bench', ?, ?, ?, ?, ?, ?, ?, 'early', 600000, 108000, 708000, ?, ?, ?)`,
  )
  const insertPayment = db.prepare(
    `INSERT INTO payments (id, registration_id, order_id, attempt, amount, status, reference, gateway, created_at, status_at)
     VALUES (?, ?, ?, 1, 708000, 'success', ?, 'airpay', ?, ?)`,
  )
  const insertCapture = db.prepare(
    `INSERT INTO captures (payment_id, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
     VALUES (?, ?, ?, '', ?, 708000, 'INR', 'sale', ?, ?, 'fits')`,
  )
  const intervalMs = Math.floor((days * 24 * 60 * 60 * 1000) / rows)
  for (let n = 1; n <= rows; n += 1) {
    const regNo = createRegNo(n, rows)
    const name = createName(n)
    const at = instant(from + n * intervalMs)
    const phone =
      n === Math.floor(rows / 2)
        ? '+919847000000'
        : `+919${String((n * 104_729) % 10 ** 9).padStart(9, '0')}`
    const email = `person${n}@example.org`
    const answers = JSON.stringify({
      full_name: name,
      email,
      phone_number: phone,
      ticket_type: category,
      city: ['Kochi', 'Kollam', 'Thrissur'][n % 3],
      state: 'Kerala',
      hospital: `Hospital ${n % 500}`,
    })
    const isPaid = n % 2 === 1
    const status = isPaid ? 'success' : 'pending'
    insertRegistration.run(
      n,
      event,
      regNo,
      name,
      email,
      phone,
      `KMC${n}`,
      answers,
      category,
      status,
      at,
      dayOf(at),
    )
    if (!isPaid) continue
    const reference = createReference(n)
    insertPayment.run(n, n, regNo, reference, at, at)
    insertCapture.run(n, n, n % 4 === 1 ? 'airpay' : 'transfer', reference, at, at)
  }
}
