/**
 * The overnight scenario: registrations, a backup, more of them with payments, refunds, invoices and proofs; the database is deleted
 * while the server runs; the older copy is put back; the recovery is ended by hand. Then everything that anybody was told, paid or
 * handed in before is looked for. `npm run overnight [NUMBER]` runs it with real processes, on SQLite and on PostgreSQL.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { freePort } from '../../browser/serve.ts'
import { createPdf } from '../sample-uploads.ts'
import { runHere } from '../run-command.ts'
import { startPostgres } from '../storage/postgres-server.ts'
import { checkCopy } from '../../../server/storage/recovery/copy-database.ts'
import {
  EVENT,
  invoicesOf,
  officeAt,
  pays,
  recoveryIn,
  registers,
  reviewsIn,
  tells,
  until,
  writeEvents,
} from './delegates.ts'
import type { Office, Registered } from './delegates.ts'
import { hurry, killHere, makeFolders, operate, operateHere } from './operator.ts'
import type { Here, Operated } from './operator.ts'

const PASSWORD = 'a password for operators'
const CLOCK = { CLOCK: '2026-01-10T02:00:00+05:30' }
/** The clock goes on while the server is away. */
const MORNING = { CLOCK: '2026-01-10T07:00:00+05:30' }

type Say = (line: string) => void
/**
 * How many come before the backup, after it and during the recovery, and how long afterwards to wait for emails that nobody
 * should get. `minuteMs`: how long what is done each minute waits instead; the server is then in this process.
 */
export type Size = {
  readonly before: number
  readonly after: number
  readonly fresh: number
  readonly quietMs: number
  readonly minuteMs?: number
}
/** Where the data is, and what an operator does with a copy of it. */
type Keeping = {
  readonly variables: Readonly<Record<string, string>>
  /** A copy as it is now; the server runs. */
  backup(): Promise<void>
  /** The database is gone while the server runs. */
  lose(): Promise<void>
  /** What the server that still runs has saved of so many registrations. */
  rescued(server: Here, registrations: number): Promise<string>
  /** The server has ended: the copy in its place. Answers what was said. */
  putBack(): Promise<string>
  /** True: uploaded files are lost with the database, and come back with a copy of it. */
  readonly hasFilesInDatabase: boolean
  /** Hashes of the proofs that are there. */
  proofs(): Promise<ReadonlySet<string>>
  end(): Promise<void>
}
type Mail = { readonly to: string; readonly subject: string; readonly id: string }

/** Throws what is not as it should be. */
function hold(what: string, is: boolean, seen: unknown = ''): void {
  if (!is) throw new Error(`${what}: ${JSON.stringify(seen).slice(0, 600)}`)
}

/** Some at a time, as people come. */
async function each<T>(count: number, work: (n: number) => Promise<T>): Promise<readonly T[]> {
  const done: T[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) done[n] = await work(n)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return done
}

/** A mail server that keeps what it takes, and can be out of order. */
async function mailServer() {
  const taken: Mail[] = []
  let isOut = false
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: (_address, _session, done) =>
      done(isOut ? Object.assign(new Error('later'), { responseCode: 450 }) : null),
    onData: (stream, session, done) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const text = Buffer.concat(pieces).toString()
        const head = (name: string): string =>
          new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(text)?.[1] ?? ''
        const [to = { address: '' }] = session.envelope.rcptTo
        taken.push({ to: to.address, subject: head('Subject'), id: head('Message-ID') })
        done()
      })
    },
  })
  server.on('error', () => {})
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    taken,
    url: `smtp://127.0.0.1:${port}`,
    setOut: (out: boolean) => (isOut = out),
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** What the simulated gateway holds, which outlives every database. */
function gatewayHolds(dataDir: string): readonly { orderId: string; reference: string }[] {
  const orders = new Map<string, { orderId: string; reference: string; stage: string }>()
  for (const line of readFileSync(join(dataDir, 'sandbox.jsonl'), 'utf8').split('\n'))
    if (line !== '') {
      const order = JSON.parse(line) as { orderId: string; reference: string; stage: string }
      orders.set(order.orderId, order)
    }
  return [...orders.values()].filter(({ stage }) => stage === 'paid')
}

const HEAD =
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'

export async function overnight(
  folders: ReturnType<typeof makeFolders>,
  keeping: Keeping,
  say: Say,
  { before, after, fresh: freshCount, quietMs, minuteMs }: Size,
): Promise<void> {
  const mails = await mailServer()
  const variables = { ...CLOCK, ...keeping.variables, SMTP_URL: mails.url }
  const own = { ...variables, ...MORNING, DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir }
  rmSync(folders.eventsDir, { recursive: true })
  writeEvents(folders.eventsDir)
  const isProcess = minuteMs === undefined
  const atLeisure = isProcess ? () => {} : hurry(60_000, minuteMs)
  let server: Here & Partial<Pick<Operated, 'pid'>> = await (isProcess ? operate : operateHere)(
    folders,
    variables,
  )
  let office: Office = await officeAt(server.url, PASSWORD)
  const proofs = new Set<string>()
  const numbers: string[] = []
  const register = async (name: string, proof: boolean): Promise<Registered> => {
    const email = `${name}@example.org`
    if (proof) proofs.add(createHash('sha256').update(createPdf(email)).digest('hex'))
    return registers(server.url, email, { proof })
  }
  const settled = async (regNo: string): Promise<void> => {
    const invoices = await until(`the invoice of ${regNo}`, async () => {
      const found = await invoicesOf(office, regNo)
      return found.length === 0 ? null : found
    })
    numbers.push(...invoices)
  }
  const pay = async (one: Registered): Promise<void> => {
    await tells(server.url, await pays(one.data))
    await settled(one.regNo)
  }
  const isSent = (name: string): boolean => mails.taken.some(({ to }) => to.startsWith(`${name}@`))

  // Of four two pay, one leaves before paying, one has not been at the gateway.
  const early = await each(before, async (n) => {
    const one = await register(`early${n}`, n % 2 === 0)
    if (n % 4 < 2) await pay(one)
    if (n % 4 === 2) await pays(one.data, 'leave')
    return one
  })
  await until('all emails', async () =>
    early.every((_, n) => n % 4 > 1 || isSent(`early${n}`)) ? true : null,
  )
  mails.setOut(true)
  const queued = await each(3, async (n) => {
    const one = await register(`queued${n}`, false)
    await pay(one)
    return one
  })
  await keeping.backup()
  const inCopy = new Set(proofs)
  const invoicesBefore = new Set(numbers)
  say(
    `${before + queued.length} registrations, ${invoicesBefore.size} invoices, ${proofs.size} proofs, ${queued.length} emails queued: backed up`,
  )
  mails.setOut(false)
  await office.send('/admin/mail/retry/', { all: true })

  const late = await each(after, async (n) => {
    const one = await register(`late${n}`, n % 2 === 0)
    if (n % 5 > 0) await pay(one)
    return one
  })
  // Who left before the copy was made comes back: some pay the order that the copy holds, some are declined and pay by another.
  const cameBack = early.filter((_, n) => n % 4 === 2).slice(0, Math.ceil(after / 5))
  const further = cameBack.filter((_, n) => n % 2 === 1)
  const again = async (regNo: string): Promise<Registered> => {
    const answer = await fetch(`${server.url}/api/payment/retry/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ order_id: regNo }),
    })
    const { payment_data: data } = (await answer.json()) as Partial<Registered> & {
      readonly payment_data?: Registered['data']
    }
    if (data === undefined) throw new Error(`no further attempt: ${answer.status}`)
    return { regNo, data }
  }
  for (const one of cameBack) {
    if (further.includes(one)) {
      await tells(server.url, await pays((await again(one.regNo)).data, 'decline'))
      await until('the declined payment', async () => {
        const next = await again(one.regNo).catch(() => null)
        if (next === null || next.data.orderid === one.data.orderid) return null
        await pay(next)
        return true
      })
    } else await pay(await again(one.regNo))
  }
  const refunded = [early[0], early[1], late[1], late[2]].filter((one) => one !== undefined)
  for (const { regNo } of refunded)
    await office.send(`/admin/registrations/${regNo}/refund/`, { why: 'Payment requested.' })
  for (const { regNo } of refunded)
    numbers.push(
      ...(await until('the credit note', async () => {
        const found = await invoicesOf(office, regNo)
        return found.length > 1 ? found.slice(1) : null
      })),
    )
  await until('all emails', async () =>
    late.every((_, n) => n % 5 === 0 || isSent(`late${n}`)) &&
    queued.every((_, n) => isSent(`queued${n}`))
      ? true
      : null,
  )
  // Told that the money went back, by a worker that looks each minute.
  await until('emails about refunds', async () =>
    mails.taken.filter(({ to }) => to === 'early0@example.org').length > 1 ? true : null,
  )
  const lostNumbers = new Set(numbers)
  hold('numbers before', lostNumbers.size === numbers.length, numbers)
  const sentBefore = mails.taken.length
  const sentNames = new Set(mails.taken.map(({ to }) => to))
  say(
    `${after} more registrations, ${cameBack.length} who had left paid, ${further.length} of them by another order, ${refunded.length} refunds: ${lostNumbers.size} numbers of documents, ${proofs.size} proofs, ${sentBefore} emails to ${sentNames.size}`,
  )

  await keeping.lose()
  say('the database is deleted while the server runs')
  say(await keeping.rescued(server, before + queued.length + after))
  if (server.pid === undefined) await killHere(folders, server)
  else {
    process.kill(server.pid, 'SIGKILL')
    await server.ended
  }
  say(await keeping.putBack())

  server = await (isProcess ? operate : operateHere)(folders, { ...variables, ...MORNING })
  office = await officeAt(server.url, PASSWORD)
  const recovery = async () => (await recoveryIn(office)).recovery
  hold('it is in recovery', (await recovery()) !== null)
  const doctor = await runHere(['doctor'], { ...own, PORT: String(server.port) })
  hold('rollcall doctor says it', doctor.stdout.includes('in recovery since'), doctor.stdout)
  const health = (await (await fetch(`${server.url}/healthz`)).json()) as { health: string }
  hold('/healthz', health.health === 'degraded', health)
  await until('the gateway is asked about all', async () => {
    const now = await recovery()
    return now !== null && now.pending.asked === now.pending.all && now.unknown.to_ask === 0
      ? true
      : null
  })
  const found = await recovery()
  hold(
    'further attempts that were paid are found',
    found?.unknown.to_decide === further.length,
    found,
  )
  say(
    `in recovery: ${JSON.stringify(found && { pending: found.pending, unknown: found.unknown, held: found.held, uploads: found.uploads })}`,
  )

  // What the gateway holds, as its report lists it.
  const holds = gatewayHolds(folders.dataDir)
  const report = join(folders.folder, 'settlement.csv')
  const row = ({ orderId, reference }: { orderId: string; reference: string }): string =>
    `${orderId},${reference},1180.00,20.00,3.60,1156.40,UTIBN26011100011,11-01-2026,Sale`
  writeFileSync(report, [HEAD, ...holds.map(row)].join('\r\n'))
  const kept = await runHere(
    ['payment', 'reconcile', EVENT, report, '--keep', '--who', 'treasurer'],
    own,
  )
  hold('the settlement report', kept.status === 1, kept.stderr)
  const fresh = await each(freshCount, async (n) => {
    const one = await register(`fresh${n}`, n % 2 === 0)
    await pay(one)
    return one
  })
  const issued = numbers.slice(-fresh.length)
  hold(
    'no number of a document is issued twice',
    issued.every((serial) => !lostNumbers.has(serial)) && new Set(issued).size === fresh.length,
    issued,
  )

  const reviews = await reviewsIn(office)
  const waiting = new Set(reviews.map(({ came }) => came?.reference))
  const paidHere = await paidIn(office)
  const lost = holds.filter(({ reference }) => !waiting.has(reference) && !paidHere.has(reference))
  hold('every payment is known or waits for a decision', lost.length === 0, lost)
  say(
    `the gateway holds ${holds.length} payments: ${reviews.length} wait for a decision, the others are known; new numbers: ${issued[0] ?? ''} …`,
  )

  const end = await office.send<{ readonly message: string }>('/admin/recovery-state/end/', {
    mails: 'copy',
  })
  say(end.message)
  hold('the recovery has ended', (await recovery()) === null)
  await until('the emails of the copy', async () =>
    queued.every((_, n) => mails.taken.filter(({ to }) => to.startsWith(`queued${n}@`)).length > 1)
      ? true
      : null,
  )
  await until('the emails of those who are new', async () =>
    fresh.every((_, n) => isSent(`fresh${n}`)) ? true : null,
  )
  await pause(quietMs)
  const twice = [
    ...Map.groupBy(mails.taken, ({ to, subject }) => `${to} ${subject}`).values(),
  ].filter((same) => same.length > 1)
  hold(
    'emails sent twice are those that the copy held, each with one Message-ID',
    twice.length === queued.length &&
      twice.every(
        (same) => same[0]?.to.startsWith('queued') && new Set(same.map(({ id }) => id)).size === 1,
      ),
    twice,
  )
  const there = await keeping.proofs()
  const missing = [...proofs].filter((sha256) => !there.has(sha256))
  say(
    `emails sent twice: ${twice.length}, all queued in the copy, each with its Message-ID; proofs missing: ${missing.length} of ${proofs.size}${missing.length === 0 ? '' : ', which were in the database that was deleted'}`,
  )
  // PostgreSQL keeps the files in the database, and a copy has those that were there when it was made.
  hold(
    'no proof is lost, but those that only the deleted database had',
    missing.every((sha256) => keeping.hasFilesInDatabase && !inCopy.has(sha256)),
    missing,
  )
  await server.stop()
  atLeisure()
  await mails.close()
}

/** References of what paid for registrations. */
async function paidIn(office: Office): Promise<ReadonlySet<string>> {
  const session = await office.get<{
    readonly events: readonly { readonly lists: readonly { readonly api: string }[] }[]
  }>('/admin/session/')
  const api = session.events[0]?.lists[0]?.api ?? ''
  const found = new Set<string>()
  for (let page = 1; ; page += 1) {
    const list = await office.get<{
      readonly next: string | null
      readonly registrations: readonly { readonly payment_id?: string | null }[]
    }>(`${api}${api.includes('?') ? '&' : '?'}page=${page}&page_size=100`)
    for (const { payment_id: reference } of list.registrations)
      if (reference != null) found.add(reference)
    if (list.next === null) return found
  }
}

export function onSqlite(folders: ReturnType<typeof makeFolders>): Keeping {
  const variables = { DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir }
  const copy = join(folders.folder, 'copy')
  const said = async (args: readonly string[], clock = MORNING) => {
    const { status, stdout, stderr } = await runHere(args, { ...variables, ...clock })
    return { status, text: `${stdout}${stderr}`.trim() }
  }
  return {
    variables: {},
    hasFilesInDatabase: false,
    backup: async () =>
      hold('the backup', (await said(['db', 'backup', copy], CLOCK)).status === 0),
    lose: async () => rmSync(join(folders.dataDir, 'rollcall.db')),
    rescued: async (server, registrations) => {
      await until('the rescue', async () =>
        server.printed().includes('all data of the database is in') ? true : null,
      )
      const { rows } = checkCopy(join(folders.dataDir, 'rollcall.rescued.db'))
      hold('all registrations are rescued', rows['registrations'] === registrations, rows)
      const { message } = (await (await fetch(`${server.url}/healthz`)).json()) as {
        message: string
      }
      hold('/healthz has the commands', message.includes('stop the server and run: mkdir'), message)
      return `rollcall.rescued.db has all ${registrations} registrations, and /healthz the commands that put it in place; the operator restores the backup instead`
    },
    putBack: async () => {
      // The old log is left behind.
      const refused = await said(['db', 'restore', copy])
      hold('restore beside the old log is refused', refused.status === 2, refused)
      const done = await said(['db', 'restore', copy, '--move-aside'])
      hold('restore', done.status === 0, done)
      return done.text
    },
    proofs: async () =>
      new Set(
        readdirSync(join(folders.dataDir, 'uploads'), { recursive: true }).flatMap(
          (name) => /([0-9a-f]{64})$/.exec(String(name))?.slice(1) ?? [],
        ),
      ),
    end: async () => {},
  }
}

export async function onPostgres(): Promise<Keeping> {
  const server = await startPostgres()
  const url = await server.database('live')
  const run = async (...texts: readonly string[]): Promise<void> => {
    const shell = await server.shell()
    try {
      for (const text of texts) await shell.query(text)
    } finally {
      await shell.end()
    }
  }
  return {
    variables: { DATABASE_URL: url },
    hasFilesInDatabase: true,
    // As pg_dump would, without its program: a template is copied while nobody is connected.
    backup: () =>
      run(
        'ALTER DATABASE live ALLOW_CONNECTIONS false',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'live'",
        'CREATE DATABASE copy TEMPLATE live',
        'ALTER DATABASE live ALLOW_CONNECTIONS true',
        'ALTER DATABASE copy ALLOW_CONNECTIONS true',
      ),
    lose: () => run('DROP DATABASE live WITH (FORCE)'),
    rescued: async () => 'a server of PostgreSQL holds nothing that could be rescued',
    putBack: async () => {
      await run('CREATE DATABASE live TEMPLATE copy')
      return 'the copy is put back, as pg_restore does, without a word to Rollcall'
    },
    proofs: async () => {
      const shell = await server.shell(url)
      try {
        const { rows } = await shell.query<{ sha256: string }>('SELECT sha256 FROM proof_files')
        return new Set(rows.map(({ sha256 }) => sha256))
      } finally {
        await shell.end()
      }
    },
    end: () => server.stop(),
  }
}

/** Both, one after the other. */
export async function overnightOn(
  where: 'SQLite' | 'PostgreSQL',
  say: Say,
  size: Size,
): Promise<void> {
  const folders = makeFolders()
  const keeping = where === 'SQLite' ? onSqlite(folders) : await onPostgres()
  try {
    await overnight(folders, keeping, say, size)
  } finally {
    await keeping.end()
    if (existsSync(folders.folder)) folders.remove()
  }
}
