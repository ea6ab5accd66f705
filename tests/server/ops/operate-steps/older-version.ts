/** Fills a database of an earlier version with rows derived from its table definitions. */
import type Database from 'better-sqlite3'

const CREATED_AT = Date.UTC(2026, 0, 10)

/** Inserts one registration per payment status as the first version stored it, with its payment and its proof. */
export function insertFirstRows(db: Database.Database, eventId: string): void {
  const states = ['pending', 'success', 'failed', 'refunded'] as const
  for (const [index, status] of states.entries()) {
    const id = index + 1
    const isPaid = status === 'success' || status === 'refunded'
    db.prepare(
      `INSERT INTO registrations (id, event_id, event_hash, reg_no, full_name, email, phone, council_no, answers, category, period, base, gst, total,
         payment_status, payment_id, paid_at, created_at, created_day)
       VALUES (?, ?, 'hash', ?, 'Asha Sample', ?, '+919876500001', '', ?, 'member', 'early', 100000, 18000, 118000, ?, ?, ?, ?, '2026-01-10')`,
    ).run(
      id,
      eventId,
      `SAMP100000000000${id}`,
      `asha${id}@example.org`,
      JSON.stringify({
        full_name: 'Asha Sample',
        email: `asha${id}@example.org`,
        phone_number: '+919876500001',
        is_member: true,
      }),
      status,
      isPaid ? `AP${id}` : null,
      isPaid ? CREATED_AT : null,
      CREATED_AT + id,
    )
    db.prepare(
      `INSERT INTO payments (id, registration_id, order_id, attempt, gateway, amount, status, reference, refund_reference, created_at, status_at, paid_at)
       VALUES (?, ?, ?, 1, 'airpay', 118000, ?, ?, ?, ?, ?, ?)`,
    ).run(
      id,
      id,
      `SAMP100000000000${id}`,
      status,
      isPaid ? `AP${id}` : null,
      status === 'refunded' ? `RF${id}` : null,
      CREATED_AT,
      CREATED_AT,
      isPaid ? CREATED_AT : null,
    )
    db.prepare(
      "INSERT INTO uploads (registration_id, field, sha256, name, type, bytes) VALUES (?, 'letter', ?, 'letter.pdf', 'application/pdf', 100)",
    ).run(id, String(id).repeat(64))
  }
}

type Column = {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
}

/**
 * Inserts one row into every empty table, derived from the table's definition: foreign keys refer to existing rows,
 * and values satisfy the CHECKs. Returns the number of filled tables, and the names of those that stayed empty.
 */
export function fillEmptyTables(db: Database.Database): {
  readonly filledCount: number
  readonly empty: readonly string[]
} {
  db.pragma('foreign_keys = ON')
  const tables = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search%'",
    )
    .all()
  const isEmpty = ({ name }: { readonly name: string }): boolean =>
    db.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() === undefined
  // A table may refer to one that is filled later, so this is repeated.
  for (let n = 0; n < 3; n += 1)
    for (const table of tables.filter(isEmpty)) tryToInsertRow(db, table)
  const emptyTables = tables.filter(isEmpty).map(({ name }) => name)
  return { filledCount: tables.length - emptyTables.length, empty: emptyTables }
}

function tryToInsertRow(
  db: Database.Database,
  { name, sql }: { readonly name: string; readonly sql: string },
): void {
  const columns = db.prepare<[], Column>(`SELECT * FROM pragma_table_info('${name}')`).all()
  const references = new Map(
    db
      .prepare<[], { from: string; table: string; to: string | null }>(
        `SELECT "from", "table", "to" FROM pragma_foreign_key_list('${name}')`,
      )
      .all()
      .map(({ from, table, to }) => [from, { table, to: to ?? 'id' }]),
  )
  const chooseValue = (column: Column): unknown => {
    const reference = references.get(column.name)
    if (reference !== undefined)
      return (
        db.prepare(`SELECT "${reference.to}" FROM "${reference.table}" LIMIT 1`).pluck().get() ??
        null
      )
    const checkValues = new RegExp(`\\b${column.name} IN \\(([^)]*)\\)`).exec(sql)?.[1]
    if (checkValues !== undefined) return checkValues.split(',')[0]?.trim().replaceAll("'", '')
    // The parts of a total are 1 each, so the total is 2.
    if (column.name === 'total') return 2
    if (column.type === 'INTEGER') return /_at$|^at$|until/.test(column.name) ? CREATED_AT : 1
    if (column.type === 'BLOB') return Buffer.from('x')
    if (/answers|body|data|facts|lines|may|filters|query|document|printed|shared/.test(column.name))
      return '{}'
    return /day$|_on$/.test(column.name) ? '2026-01-10' : `${name} ${column.name}`
  }
  const requiredColumns = columns.filter(
    ({ notnull, dflt_value, pk, type }) =>
      notnull === 1 || (pk > 0 && type !== 'INTEGER') || (pk > 0 && dflt_value === null),
  )
  const columnsWithReferences = columns.filter(
    (column) => requiredColumns.includes(column) || references.has(column.name),
  )
  for (const chosenColumns of [columnsWithReferences, requiredColumns, columns]) {
    try {
      db.prepare(
        `INSERT INTO "${name}" (${chosenColumns.map((column) => `"${column.name}"`).join(', ')}) VALUES (${chosenColumns.map(() => '?').join(', ')})`,
      ).run(...chosenColumns.map(chooseValue))
      return
    } catch {
      // The table may accept the next choice of columns.
    }
  }
}
