/**
 * The baseline for registering: the minimal correct way to accept and store a registration. Fastify validates the body
 * with its own ajv; better-sqlite3 stores the complete registration of the crash test: the registration, its payment
 * and its audit row; concurrent requests share one durable commit (WAL, synchronous=FULL, as in Rollcall). Nothing
 * is slowed down on purpose, and everything is durable. Rollcall also handles: an event file with conditions, a
 * price, an upload, counters, indexes for lists and search, an idempotency key, a redirect with its checksum, rate
 * limits, security headers, logs, a thread. `node bare.ts FOLDER` prints its address and serves until it is
 * stopped.
 */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

type Body = {
  readonly full_name: string
  readonly email: string
  readonly phone_number: string
  readonly ticket_type: string
}
type PendingRegistration = {
  readonly body: Body
  readonly resolve: (regNo: string) => void
  readonly reject: (error: unknown) => void
}

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: node bare.ts FOLDER')
const db = new Database(join(folder, 'bare.db'))
db.pragma('journal_mode = WAL')
// The same guarantee as Rollcall's: a registration is on disk before the response is sent.
db.pragma('synchronous = FULL')
db.exec(`
  CREATE TABLE registrations (id INTEGER PRIMARY KEY, reg_no TEXT NOT NULL UNIQUE, full_name TEXT NOT NULL, email TEXT NOT NULL, phone TEXT NOT NULL, category TEXT NOT NULL, total INTEGER NOT NULL, answers TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE payments (id INTEGER PRIMARY KEY, order_id TEXT NOT NULL UNIQUE, registration INTEGER NOT NULL REFERENCES registrations(id), amount INTEGER NOT NULL, status TEXT NOT NULL);
  CREATE TABLE audit_log (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, registration INTEGER NOT NULL REFERENCES registrations(id));
`)
const insertRegistration = db.prepare(
  'INSERT INTO registrations (reg_no, full_name, email, phone, category, total, answers, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
)
const insertPayment = db.prepare(
  "INSERT INTO payments (order_id, registration, amount, status) VALUES (?, ?, ?, 'pending')",
)
const insertAudit = db.prepare(
  "INSERT INTO audit_log (at, who, what, registration) VALUES (?, 'delegate', 'registered', ?)",
)
const TOTAL_PAISE = 354_000

let pending: PendingRegistration[] = []
const beginStatement = db.prepare('BEGIN IMMEDIATE')
const commitStatement = db.prepare('COMMIT')

/** Commits, together, all requests that have arrived since the last commit. */
function flush(): void {
  const batch = pending
  pending = []
  beginStatement.run()
  const responses = batch.map(({ body, resolve }) => {
    const regNo = `BARE${String(randomInt(1_000_000)).padStart(6, '0')}${String(randomInt(10_000_000)).padStart(7, '0')}`
    const { lastInsertRowid } = insertRegistration.run(
      regNo,
      body.full_name,
      body.email,
      body.phone_number,
      body.ticket_type,
      TOTAL_PAISE,
      JSON.stringify(body),
      Date.now(),
    )
    insertPayment.run(regNo, lastInsertRowid, TOTAL_PAISE)
    insertAudit.run(Date.now(), lastInsertRowid)
    return () => resolve(regNo)
  })
  commitStatement.run()
  for (const respond of responses) respond()
}

const store = (body: Body): Promise<string> =>
  new Promise((resolve, reject) => {
    if (pending.length === 0) setImmediate(flush)
    pending.push({ body, resolve, reject })
  })

const textSchema = { type: 'string', minLength: 1, maxLength: 200 } as const
const app = Fastify()
app.post<{ Body: Body }>('/register/', {
  schema: {
    body: {
      type: 'object',
      required: ['full_name', 'email', 'phone_number', 'ticket_type'],
      properties: {
        full_name: textSchema,
        email: { ...textSchema, pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' },
        phone_number: textSchema,
        ticket_type: {
          enum: ['afpi-gp-specialist', 'non-afpi-gp-specialist', 'intern-mbbs-accompanying'],
        },
        city: textSchema,
        state: textSchema,
      },
    },
  },
  handler: async (request, reply) =>
    reply.code(201).send({ status: 'success', reg_no: await store(request.body) }),
})
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
