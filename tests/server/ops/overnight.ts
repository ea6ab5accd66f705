/** The overnight scenario: the database is deleted under a running server, and an older copy is restored. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { findFreePort } from '../../browser/serve.ts'
import { createPdf } from '../sample-uploads.ts'
import { runHere } from '../run-command.ts'
import { startPostgres } from '../storage/postgres-server.ts'
import { checkCopy } from '../../../server/storage/recovery/copy-database.ts'
import {
  EVENT,
  readInvoices,
  openOffice,
  payByCard,
  readRecovery,
  registerDelegate,
  readReviews,
  sendGatewayMessage,
  waitUntil,
  writeEvents,
} from './delegates.ts'
import type { EmailsResponse } from '../../../engine/api.ts'
import type { Office, RegisteredDelegate } from './delegates.ts'
import {
  shortenTimers,
  killHere,
  makeFolders,
  startServerProcess,
  startServerHere,
} from './operator.ts'
import type { RunningServerHere, RunningServer } from './operator.ts'

const PASSWORD = 'a password for operators'
const NIGHT = { CLOCK: '2026-01-10T02:00:00+05:30' }
/** The clock continues while the server is down. */
const MORNING = { CLOCK: '2026-01-10T07:00:00+05:30' }

type PrintLine = (line: string) => void
/**
 * How many delegates register before the backup, after it and during the recovery, and how long to wait for unwanted
 * emails. `minuteMs` replaces the minute between two runs of background work. The server then runs in this process.
 */
export type Size = {
  readonly countBefore: number
  readonly countAfter: number
  readonly countDuring: number
  readonly quietMs: number
  readonly minuteMs?: number
}
/** The database, and what an operator does to back it up and restore it. */
type Persistence = {
  readonly variables: Readonly<Record<string, string>>
  /** Copies the current state while the server is running. */
  backup(): Promise<void>
  /** Deletes the database under the running server. */
  deleteDatabase(): Promise<void>
  /** Checks that the running server has rescued this many registrations. */
  checkRescued(server: RunningServerHere, registrationCount: number): Promise<string>
  /** Restores the copy after the server has ended, and returns the output. */
  restoreBackup(): Promise<string>
  /** If true, uploaded files are lost with the database and restored from its copy. */
  readonly hasFilesInDatabase: boolean
  /** Reads the hashes of the stored proofs. */
  readProofs(): Promise<ReadonlySet<string>>
  close(): Promise<void>
}
type Mail = { readonly to: string; readonly subject: string; readonly id: string }

/** Throws if a check fails. */
function expectTrue(label: string, isTrue: boolean, details: unknown = ''): void {
  if (!isTrue) throw new Error(`${label}: ${JSON.stringify(details).slice(0, 600)}`)
}

/** Runs the operation `count` times, at most eight at a time. */
async function runInBatches<T>(
  count: number,
  operation: (n: number) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = []
  let nextIndex = 0
  const runWorker = async (): Promise<void> => {
    for (let n = nextIndex++; n < count; n = nextIndex++) results[n] = await operation(n)
  }
  await Promise.all(Array.from({ length: 8 }, runWorker))
  return results
}

/** Starts a mail server that records the emails it receives and can be made to fail. */
async function startMailServer() {
  const emails: Mail[] = []
  let isFailing = false
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: (_address, _session, done) =>
      done(isFailing ? Object.assign(new Error('later'), { responseCode: 450 }) : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const readHeader = (name: string): string =>
          new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(text)?.[1] ?? ''
        const [to = { address: '' }] = session.envelope.rcptTo
        emails.push({
          to: to.address,
          subject: readHeader('Subject'),
          id: readHeader('Message-ID'),
        })
        done()
      })
    },
  })
  server.on('error', () => {})
  const port = await findFreePort()
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    emails,
    url: `smtp://127.0.0.1:${port}`,
    setFailing: (shouldFail: boolean) => (isFailing = shouldFail),
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** Reads the simulated gateway's sales, which survive the loss of the database. */
function readGatewaySales(dataDir: string): readonly { orderId: string; reference: string }[] {
  const orders = new Map<string, { orderId: string; reference: string; stage: string }>()
  for (const line of readFileSync(join(dataDir, 'sandbox.jsonl'), 'utf8').split('\n'))
    if (line !== '') {
      const order = JSON.parse(line) as { orderId: string; reference: string; stage: string }
      orders.set(order.orderId, order)
    }
  return [...orders.values()].filter(({ stage }) => stage === 'paid')
}

const SETTLEMENT_HEADER =
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'

/**
 * Registers delegates and makes a backup, then creates registrations, payments, refunds, invoices and proofs that are
 * missing from the backup. Deletes the database, restores the backup, ends the recovery, and checks that no confirmed
 * data is lost.
 */
export async function runOvernight(
  folders: ReturnType<typeof makeFolders>,
  persistence: Persistence,
  print: PrintLine,
  {
    countBefore: earlyCount,
    countAfter: lateCount,
    countDuring: freshCount,
    quietMs,
    minuteMs,
  }: Size,
): Promise<void> {
  const mailServer = await startMailServer()
  const variables = { ...NIGHT, ...persistence.variables, SMTP_URL: mailServer.url }
  const serverVariables = {
    ...variables,
    ...MORNING,
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.eventsDir,
  }
  rmSync(folders.eventsDir, { recursive: true })
  writeEvents(folders.eventsDir)
  const isSeparateProcess = minuteMs === undefined
  const restoreTimers = isSeparateProcess ? () => {} : shortenTimers(60_000, minuteMs)
  let server: RunningServerHere & Partial<Pick<RunningServer, 'pid'>> = await (
    isSeparateProcess ? startServerProcess : startServerHere
  )(folders, variables)
  let office: Office = await openOffice(server.url, PASSWORD)
  const proofs = new Set<string>()
  const documentNumbers: string[] = []
  const register = async (name: string, proof: boolean): Promise<RegisteredDelegate> => {
    const email = `${name}@example.org`
    if (proof) proofs.add(createHash('sha256').update(createPdf(email)).digest('hex'))
    return registerDelegate(server.url, email, { proof })
  }
  const waitForInvoice = async (regNo: string): Promise<void> => {
    const invoices = await waitUntil(`the invoice of ${regNo}`, async () => {
      const invoiceNumbers = await readInvoices(office, regNo)
      return invoiceNumbers.length === 0 ? null : invoiceNumbers
    })
    documentNumbers.push(...invoices)
  }
  const payAndConfirm = async (delegate: RegisteredDelegate): Promise<void> => {
    await sendGatewayMessage(server.url, await payByCard(delegate.data))
    await waitForInvoice(delegate.regNo)
  }
  const hasEmail = (name: string): boolean =>
    mailServer.emails.some(({ to }) => to.startsWith(`${name}@`))

  // Of every four delegates, two pay, one leaves before paying, and one never opens the gateway's page.
  const earlyDelegates = await runInBatches(earlyCount, async (n) => {
    const delegate = await register(`early${n}`, n % 2 === 0)
    if (n % 4 < 2) await payAndConfirm(delegate)
    if (n % 4 === 2) await payByCard(delegate.data, 'leave')
    return delegate
  })
  // An email reaches the mail server before the database records it as sent.
  await waitUntil('all emails to be recorded as sent', async () =>
    earlyDelegates.every((_, n) => n % 4 > 1 || hasEmail(`early${n}`)) &&
    (await office.get<EmailsResponse>('/admin/mail/')).counts.queued === 0
      ? true
      : null,
  )
  mailServer.setFailing(true)
  const queuedDelegates = await runInBatches(3, async (n) => {
    const delegate = await register(`queued${n}`, false)
    await payAndConfirm(delegate)
    return delegate
  })
  await persistence.backup()
  const proofsInCopy = new Set(proofs)
  const invoicesBefore = new Set(documentNumbers)
  print(
    `${earlyCount + queuedDelegates.length} registrations, ${invoicesBefore.size} invoices, ${proofs.size} proofs, ${queuedDelegates.length} queued emails are in the backup`,
  )
  mailServer.setFailing(false)
  await office.send('/admin/mail/retry/', { all: true })

  const lateDelegates = await runInBatches(lateCount, async (n) => {
    const delegate = await register(`late${n}`, n % 2 === 0)
    if (n % 5 > 0) await payAndConfirm(delegate)
    return delegate
  })
  // Delegates who left before the backup return. Some pay the order that the backup contains; others are
  // declined and pay a new order.
  const returningDelegates = earlyDelegates
    .filter((_, n) => n % 4 === 2)
    .slice(0, Math.ceil(lateCount / 5))
  const retryingDelegates = returningDelegates.filter((_, n) => n % 2 === 1)
  const retryPayment = async (regNo: string): Promise<RegisteredDelegate> => {
    const answer = await fetch(`${server.url}/api/payment/retry/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ order_id: regNo }),
    })
    const { payment_data: data } = (await answer.json()) as Partial<RegisteredDelegate> & {
      readonly payment_data?: RegisteredDelegate['data']
    }
    if (data === undefined) throw new Error(`no further attempt: ${answer.status}`)
    return { regNo, data }
  }
  for (const delegate of returningDelegates) {
    if (retryingDelegates.includes(delegate)) {
      await sendGatewayMessage(
        server.url,
        await payByCard((await retryPayment(delegate.regNo)).data, 'decline'),
      )
      await waitUntil('the declined payment', async () => {
        const retriedDelegate = await retryPayment(delegate.regNo).catch(() => null)
        if (retriedDelegate === null || retriedDelegate.data.orderid === delegate.data.orderid)
          return null
        await payAndConfirm(retriedDelegate)
        return true
      })
    } else await payAndConfirm(await retryPayment(delegate.regNo))
  }
  const refundedDelegates = [
    earlyDelegates[0],
    earlyDelegates[1],
    lateDelegates[1],
    lateDelegates[2],
  ].filter((delegate) => delegate !== undefined)
  for (const { regNo } of refundedDelegates)
    await office.send(`/admin/registrations/${regNo}/acts/`, {
      act: 'refund',
      why: 'Payment requested.',
    })
  for (const { regNo } of refundedDelegates)
    documentNumbers.push(
      ...(await waitUntil('the credit note', async () => {
        const documents = await readInvoices(office, regNo)
        return documents.length > 1 ? documents.slice(1) : null
      })),
    )
  await waitUntil('all emails', async () =>
    lateDelegates.every((_, n) => n % 5 === 0 || hasEmail(`late${n}`)) &&
    queuedDelegates.every((_, n) => hasEmail(`queued${n}`))
      ? true
      : null,
  )
  // A job that runs every minute sends each delegate with a refund an email about it.
  await waitUntil('emails about refunds', async () =>
    mailServer.emails.filter(({ to }) => to === 'early0@example.org').length > 1 ? true : null,
  )
  const lostNumbers = new Set(documentNumbers)
  expectTrue(
    'document numbers before the deletion are unique',
    lostNumbers.size === documentNumbers.length,
    documentNumbers,
  )
  const sentCount = mailServer.emails.length
  const recipients = new Set(mailServer.emails.map(({ to }) => to))
  print(
    `${lateCount} more registrations, ${returningDelegates.length} returning delegates paid, ${retryingDelegates.length} of them with a new order, ${refundedDelegates.length} refunds: ${lostNumbers.size} document numbers, ${proofs.size} proofs, ${sentCount} emails to ${recipients.size}`,
  )

  await persistence.deleteDatabase()
  print('the database is deleted while the server is running')
  print(await persistence.checkRescued(server, earlyCount + queuedDelegates.length + lateCount))
  if (server.pid === undefined) await killHere(folders, server)
  else {
    process.kill(server.pid, 'SIGKILL')
    await server.exitStatus
  }
  print(await persistence.restoreBackup())

  server = await (isSeparateProcess ? startServerProcess : startServerHere)(folders, {
    ...variables,
    ...MORNING,
  })
  office = await openOffice(server.url, PASSWORD)
  const readCurrentRecovery = async () => (await readRecovery(office)).recovery
  expectTrue('the installation is in recovery', (await readCurrentRecovery()) !== null)
  const doctorResult = await runHere(['doctor'], { ...serverVariables, PORT: String(server.port) })
  expectTrue(
    'rollcall doctor reports the recovery',
    doctorResult.stdout.includes('in recovery since'),
    doctorResult.stdout,
  )
  const health = (await (await fetch(`${server.url}/healthz`)).json()) as { health: string }
  expectTrue('/healthz', health.health === 'degraded', health)
  await waitUntil('queries of all payments', async () => {
    const now = await readCurrentRecovery()
    return now !== null && now.pending.asked === now.pending.all && now.unknown.to_ask === 0
      ? true
      : null
  })
  const state = await readCurrentRecovery()
  expectTrue(
    'further attempts that were paid are found',
    state?.unknown.to_decide === retryingDelegates.length,
    state,
  )
  print(
    `in recovery: ${JSON.stringify(state && { pending: state.pending, unknown: state.unknown, held: state.held, uploads: state.uploads })}`,
  )

  // The gateway's sales, as its settlement report lists them.
  const gatewaySales = readGatewaySales(folders.dataDir)
  const reportFile = join(folders.folder, 'settlement.csv')
  const buildRow = ({ orderId, reference }: { orderId: string; reference: string }): string =>
    `${orderId},${reference},1180.00,20.00,3.60,1156.40,UTIBN26011100011,11-01-2026,Sale`
  writeFileSync(reportFile, [SETTLEMENT_HEADER, ...gatewaySales.map(buildRow)].join('\r\n'))
  const reconcileResult = await runHere(
    ['payment', 'reconcile', EVENT, reportFile, '--keep', '--who', 'treasurer'],
    serverVariables,
  )
  expectTrue('the settlement report', reconcileResult.status === 1, reconcileResult.stderr)
  const newRegistrations = await runInBatches(freshCount, async (n) => {
    const delegate = await register(`fresh${n}`, n % 2 === 0)
    await payAndConfirm(delegate)
    return delegate
  })
  const newNumbers = documentNumbers.slice(-newRegistrations.length)
  expectTrue(
    'no document number is issued twice',
    newNumbers.every((serial) => !lostNumbers.has(serial)) &&
      new Set(newNumbers).size === newRegistrations.length,
    newNumbers,
  )

  const reviews = await readReviews(office)
  const reviewedReferences = new Set(reviews.map(({ came: received }) => received?.reference))
  const paidReferences = await listPaidReferences(office)
  const lostSales = gatewaySales.filter(
    ({ reference }) => !reviewedReferences.has(reference) && !paidReferences.has(reference),
  )
  expectTrue('every payment is known or waits for a decision', lostSales.length === 0, lostSales)
  print(
    `the gateway has ${gatewaySales.length} payments: ${reviews.length} are waiting for a decision, the others are known; new numbers: ${newNumbers[0] ?? ''} …`,
  )

  const endResponse = await office.send<{ readonly message: string }>(
    '/admin/recovery-state/end/',
    {
      mails: 'copy',
    },
  )
  print(endResponse.message)
  expectTrue('the recovery has ended', (await readCurrentRecovery()) === null)
  await waitUntil('the emails queued in the copy', async () =>
    queuedDelegates.every(
      (_, n) => mailServer.emails.filter(({ to }) => to.startsWith(`queued${n}@`)).length > 1,
    )
      ? true
      : null,
  )
  await waitUntil('the emails to new delegates', async () =>
    newRegistrations.every((_, n) => hasEmail(`fresh${n}`)) ? true : null,
  )
  await pause(quietMs)
  const repeatedEmails = [
    ...Map.groupBy(mailServer.emails, ({ to, subject }) => `${to} ${subject}`).values(),
  ].filter((emails) => emails.length > 1)
  expectTrue(
    'only emails queued in the copy are sent twice, each with the same Message-ID',
    repeatedEmails.length === queuedDelegates.length &&
      repeatedEmails.every(
        (emails) =>
          emails[0]?.to.startsWith('queued') && new Set(emails.map(({ id }) => id)).size === 1,
      ),
    repeatedEmails,
  )
  const storedProofs = await persistence.readProofs()
  const missingProofs = [...proofs].filter((sha256) => !storedProofs.has(sha256))
  print(
    `emails sent twice: ${repeatedEmails.length}, all queued in the copy, each with the same Message-ID; proofs missing: ${missingProofs.length} of ${proofs.size}${missingProofs.length === 0 ? '' : ', which were in the database that was deleted'}`,
  )
  // PostgreSQL stores files in the database, so a copy contains only the files that existed when it was made.
  expectTrue(
    'no proof is lost, except those that were only in the deleted database',
    missingProofs.every((sha256) => persistence.hasFilesInDatabase && !proofsInCopy.has(sha256)),
    missingProofs,
  )
  await server.stop()
  restoreTimers()
  await mailServer.close()
}

/** Lists the references of payments that belong to registrations. */
async function listPaidReferences(office: Office): Promise<ReadonlySet<string>> {
  const session = await office.get<{
    readonly events: readonly { readonly lists: readonly { readonly api: string }[] }[]
  }>('/admin/session/')
  const api = session.events[0]?.lists[0]?.api ?? ''
  const references = new Set<string>()
  for (let page = 1; ; page += 1) {
    const list = await office.get<{
      readonly next: string | null
      readonly registrations: readonly { readonly payment_id?: string | null }[]
    }>(`${api}${api.includes('?') ? '&' : '?'}page=${page}&page_size=100`)
    for (const { payment_id: reference } of list.registrations)
      if (reference != null) references.add(reference)
    if (list.next === null) return references
  }
}

export function openSqlitePersistence(folders: ReturnType<typeof makeFolders>): Persistence {
  const variables = { DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir }
  const copy = join(folders.folder, 'copy')
  const runCommand = async (args: readonly string[], clock = MORNING) => {
    const { status, stdout, stderr } = await runHere(args, { ...variables, ...clock })
    return { status, text: `${stdout}${stderr}`.trim() }
  }
  return {
    variables: {},
    hasFilesInDatabase: false,
    backup: async () =>
      expectTrue('the backup', (await runCommand(['db', 'backup', copy], NIGHT)).status === 0),
    deleteDatabase: async () => rmSync(join(folders.dataDir, 'rollcall.db')),
    checkRescued: async (server, registrationCount) => {
      await waitUntil('the rescue', async () =>
        server.readOutput().includes('all data of the database is in') ? true : null,
      )
      const { rows } = checkCopy(join(folders.dataDir, 'rollcall.rescued.db'))
      expectTrue('all registrations are rescued', rows['registrations'] === registrationCount, rows)
      const { message } = (await (await fetch(`${server.url}/healthz`)).json()) as {
        message: string
      }
      expectTrue(
        '/healthz states the commands',
        message.includes('stop the server and run: mkdir'),
        message,
      )
      return `rollcall.rescued.db has all ${registrationCount} registrations, and /healthz states the commands that restore it; the operator restores the backup instead`
    },
    restoreBackup: async () => {
      // The deleted database's log is still there.
      const rejection = await runCommand(['db', 'restore', copy])
      expectTrue('a restore next to the old log is rejected', rejection.status === 2, rejection)
      const restoreResult = await runCommand(['db', 'restore', copy, '--move-aside'])
      expectTrue('restore', restoreResult.status === 0, restoreResult)
      return restoreResult.text
    },
    readProofs: async () =>
      new Set(
        readdirSync(join(folders.dataDir, 'uploads'), { recursive: true }).flatMap(
          (name) => /([0-9a-f]{64})$/.exec(String(name))?.slice(1) ?? [],
        ),
      ),
    close: async () => {},
  }
}

export async function openPostgresPersistence(): Promise<Persistence> {
  const server = await startPostgres()
  const url = await server.database('live')
  const run = async (...statements: readonly string[]): Promise<void> => {
    const client = await server.shell()
    try {
      for (const text of statements) await client.query(text)
    } finally {
      await client.end()
    }
  }
  return {
    variables: { DATABASE_URL: url },
    hasFilesInDatabase: true,
    // Has the effect of pg_dump without needing it. A template can be copied only while it has no connections.
    backup: () =>
      run(
        'ALTER DATABASE live ALLOW_CONNECTIONS false',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'live'",
        'CREATE DATABASE copy TEMPLATE live',
        'ALTER DATABASE live ALLOW_CONNECTIONS true',
        'ALTER DATABASE copy ALLOW_CONNECTIONS true',
      ),
    deleteDatabase: () => run('DROP DATABASE live WITH (FORCE)'),
    checkRescued: async () => 'a server on PostgreSQL has no data that could be rescued',
    restoreBackup: async () => {
      await run('CREATE DATABASE live TEMPLATE copy')
      return 'the copy is restored as pg_restore does, without informing Rollcall'
    },
    readProofs: async () => {
      const client = await server.shell(url)
      try {
        const { rows } = await client.query<{ sha256: string }>('SELECT sha256 FROM proof_files')
        return new Set(rows.map(({ sha256 }) => sha256))
      } finally {
        await client.end()
      }
    },
    close: () => server.stop(),
  }
}

/** Runs the overnight scenario on one database. */
export async function runOvernightOn(
  databaseName: 'SQLite' | 'PostgreSQL',
  print: PrintLine,
  size: Size,
): Promise<void> {
  const folders = makeFolders()
  const persistence =
    databaseName === 'SQLite' ? openSqlitePersistence(folders) : await openPostgresPersistence()
  try {
    await runOvernight(folders, persistence, print, size)
  } finally {
    await persistence.close()
    if (existsSync(folders.folder)) folders.remove()
  }
}
