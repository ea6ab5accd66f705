/**
 * The baseline for reads in the office: minimal handlers that read the same rows of our database. They return one
 * registration by its number with its payments, a sorted page of a list with the total (counted once), and every row
 * as CSV, quoted as needed. Rollcall also handles authentication, permissions, filters, labels for stored values,
 * totals, the access log, rate limits, headers, protection against CSV injection, and a worker thread for slow work.
 * `node bare-office.ts DATABASE` prints its address and serves until it is stopped.
 */
import { Readable } from 'node:stream'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const file = process.argv[2]
if (file === undefined) throw new Error('usage: node bare-office.ts DATABASE')
const db = new Database(file, { readonly: true })

const COLUMNS =
  'id, reg_no, full_name, email, phone, category, answers, base, gst, total, payment_status, payment_id, created_at'
type Row = Readonly<Record<string, string | number | null>> & { readonly answers: string }
const registrationStatement = db.prepare<[string], Row>(
  `SELECT ${COLUMNS} FROM registrations WHERE reg_no = ?`,
)
const paymentsStatement = db.prepare(
  'SELECT order_id, attempt, amount, status, reference, created_at FROM payments WHERE registration_id = ? ORDER BY attempt DESC',
)
const registrationCount = Number(db.prepare('SELECT count(*) FROM registrations').pluck().get())
const pageStatement = db.prepare<[number, number], Row>(
  `SELECT ${COLUMNS} FROM registrations WHERE event_id = 'afpicon2026' ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
)
const exportStatement = db.prepare<[], Row>(
  `SELECT ${COLUMNS} FROM registrations WHERE event_id = 'afpicon2026' ORDER BY created_at DESC, id DESC`,
)

const formatRow = ({ answers, ...row }: Row): object => ({
  ...row,
  ...(JSON.parse(answers) as object),
})
const formatCell = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
/** Rows per chunk of the response. */
const ROWS_PER_CHUNK = 500

function* generateCsv(): Generator<string> {
  let names: readonly string[] | null = null
  let lines: string[] = []
  for (const row of exportStatement.iterate()) {
    const values = formatRow(row) as Record<string, unknown>
    if (names === null) {
      names = Object.keys(values)
      lines.push(names.join(','))
    }
    lines.push(names.map((name) => formatCell(values[name])).join(','))
    if (lines.length < ROWS_PER_CHUNK) continue
    yield `${lines.join('\r\n')}\r\n`
    lines = []
  }
  yield `${lines.join('\r\n')}\r\n`
}

const app = Fastify()
app.get<{ Params: { no: string } }>('/registrations/:no', async (request, reply) => {
  const row = registrationStatement.get(request.params.no)
  return row === undefined
    ? reply.code(404).send({ status: 'error' })
    : {
        status: 'success',
        registration: { ...formatRow(row), payments: paymentsStatement.all(row['id']) },
      }
})
app.get<{ Querystring: { page: string } }>('/list', (request, reply) =>
  reply.send({
    status: 'success',
    count: registrationCount,
    registrations: pageStatement.all(20, (Number(request.query.page) - 1) * 20).map(formatRow),
  }),
)
app.get('/csv', async (_request, reply) =>
  reply.type('text/csv').send(Readable.from(generateCsv())),
)
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
