/**
 * A server that listens, with the sandbox gateway on its own port, so that return, notice and status
 * call travel as they do in earnest. It can be stopped and started again over the same data.
 */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import Database from 'better-sqlite3'
import { instant, readInstant } from '../../../engine/index.ts'
import type { Instant, OrderId } from '../../../engine/index.ts'
import type { PaymentData, RegisterAnswer } from '../../../engine/api.ts'
import { assemble } from '../../../server/assemble-server.ts'
import { checkFolderHere } from '../../../server/events/files/event-folder.ts'
import type { AssembledServer } from '../../../server/assemble-server.ts'
import type { Deps, Environment } from '../../../server/dependencies.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import type { Variables } from '../../../server/ops/environment.ts'
import type { Fields } from '../../../server/payments/gateways/airpay/parse-message.ts'
import type { Sandbox } from '../../../server/payments/gateways/airpay/simulator/simulator.ts'
import { freePort } from '../../browser/serve.ts'
import { useCompiledEvents, useEmptyDatabase } from '../prepared-files.ts'
import { openStoreHere } from '../store-without-threads.ts'

export const formType = 'application/x-www-form-urlencoded'
export const delegate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  ticket_type: 'afpi-gp-specialist',
}

export type Placed = {
  readonly regNo: string
  readonly orderId: OrderId
  readonly data: PaymentData
}
export type Rig = {
  readonly url: string
  readonly dataDir: string
  readonly eventsDir: string
  readonly log: Record<string, unknown>[]
  parts(): AssembledServer
  sandbox(): Sandbox
  readonly environment: Environment
  at(text: string): void
  advance(ms: number): void
  now(): Instant
  rows(sql: string, ...params: unknown[]): Record<string, unknown>[]
  register(answers?: Readonly<Record<string, string>>): Promise<Placed>
  /** Registers and hands over to the gateway, as the browser does. */
  place(answers?: Readonly<Record<string, string>>): Promise<Placed>
  handOff(data: PaymentData): Promise<Response>
  notice(fields: Fields): Promise<Response>
  /** The browser coming back; answers the address it is sent to. */
  comeBack(fields: Fields, path?: string): Promise<URL>
  /** What the store holds of an order: status, review, kinds of facts and notices, queued mails. */
  holds(orderId: string): {
    readonly status: unknown
    readonly registration: unknown
    readonly review: unknown
    readonly facts: unknown[]
    readonly returns: number
    readonly notices: number
    readonly mails: number
  }
  /** When every notice has been delivered and every verification has ended. */
  settled(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openRig(
  options: {
    readonly clock?: string
    readonly variables?: Variables
    readonly gateways?: (text: string) => string
    /** A folder of event files that are served instead of those in events/. */
    readonly events?: string
  } = {},
): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-gateway-'))
  const eventsDir = join(folder, 'events')
  const dataDir = join(folder, 'var')
  cpSync(join(import.meta.dirname, '..', '..', '..', 'events'), eventsDir, { recursive: true })
  if (options.events !== undefined) {
    for (const name of readdirSync(eventsDir))
      if (name.endsWith('.yaml')) rmSync(join(eventsDir, name))
    cpSync(options.events, eventsDir, { recursive: true })
  }
  const gatewaysFile = join(eventsDir, '_shared', 'gateways.yaml')
  if (options.gateways !== undefined)
    writeFileSync(gatewaysFile, options.gateways(readFileSync(gatewaysFile, 'utf8')))
  useCompiledEvents(dataDir)
  await useEmptyDatabase(dataDir)
  const [port, sandboxPort] = [await freePort(), await freePort()]
  const read = readEnvironment({
    DATA_DIR: dataDir,
    EVENTS_DIR: eventsDir,
    RATE_LIMITS: 'off',
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    ...options.variables,
  })
  if (!read.ok) throw new Error(read.error.join('\n'))
  const environment = read.value
  let now = instantOf(options.clock ?? '2025-10-10T12:00:00+05:30')
  const log: Record<string, unknown>[] = []
  const note = (level: string) => (entry: object, message?: string) =>
    void log.push({ level, message, ...entry })
  const start = async (): Promise<AssembledServer> => {
    const assembled = await assemble(environment, {
      clock: () => now,
      log: { info: note('info'), warn: note('warn'), error: note('error') },
      print: () => {},
      hasJobs: false,
      checkFolder: checkFolderHere,
      opens: openStoreHere,
    })
    if (!assembled.ok) throw new Error(assembled.error.text)
    await assembled.value.app.listen({ port, host: '127.0.0.1' })
    return assembled.value
  }
  let parts = await start()
  const { publicUrl: url } = environment

  const rows: Rig['rows'] = (sql, ...params) => {
    const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
    try {
      return db.prepare(sql).all(...params) as Record<string, unknown>[]
    } finally {
      db.close()
    }
  }
  const sandbox = (): Sandbox => {
    if (parts.sandbox === null) throw new Error('there is no sandbox')
    return parts.sandbox
  }
  const send = (path: string, fields: Fields): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  const register: Rig['register'] = async (answers = {}) => {
    const response = await fetch(`${url}/api/afpicon/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...delegate, ...answers }),
    })
    const answer = (await response.json()) as RegisterAnswer
    if (answer.payment_data === undefined) throw new Error(JSON.stringify(answer))
    return {
      regNo: answer.reg_no,
      orderId: answer.payment_data.orderid as OrderId,
      data: answer.payment_data,
    }
  }
  const handOff: Rig['handOff'] = (data) =>
    fetch(data.payment_url, {
      method: 'POST',
      body: new URLSearchParams(formOf(parts.deps, data)),
      redirect: 'manual',
    })
  return {
    url,
    dataDir,
    eventsDir,
    log,
    rows,
    sandbox,
    register,
    handOff,
    parts: () => parts,
    environment,
    at: (text) => {
      now = instantOf(text)
    },
    advance: (ms) => {
      now = instant(now + ms)
    },
    now: () => now,
    place: async (answers) => {
      const placed = await register(answers)
      const response = await handOff(placed.data)
      if (response.status !== 303) throw new Error(await response.text())
      return placed
    },
    notice: (fields) => send('/api/payment/webhook/', fields),
    comeBack: async (fields, path = '/api/payment/return/') => {
      const response = await send(path, fields)
      if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`)
      return new URL(response.headers.get('location') ?? '', url)
    },
    holds: (orderId) => {
      const [payment] = rows(
        'SELECT p.id, p.status, p.review, r.payment_status, r.id AS registration FROM payments p JOIN registrations r ON r.id = p.registration_id WHERE order_id = ?',
        orderId,
      )
      const count = (kind: string): number =>
        rows('SELECT 1 FROM gateway_notices WHERE order_id = ? AND kind = ?', orderId, kind).length
      return {
        status: payment?.['status'],
        registration: payment?.['payment_status'],
        review: payment?.['review'],
        facts: rows(
          'SELECT type FROM payment_facts WHERE payment_id = ? ORDER BY id',
          payment?.['id'],
        ).map(({ type }) => type),
        returns: count('return'),
        notices: count('notice'),
        mails: rows('SELECT 1 FROM mail_queue WHERE registration_id = ?', payment?.['registration'])
          .length,
      }
    },
    settled: async () => {
      await sandbox().idle()
      await parts.deps.payments.idle()
    },
    restart: async () => {
      await parts.close()
      parts = await start()
    },
    close: async () => {
      await parts.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The hidden form as the web app builds it from the gateways file and the server's payment_data. */
export function formOf({ events }: Pick<Deps, 'events'>, data: PaymentData): Fields {
  const gateway = events.byOrderId(data.orderid)?.config.payment?.gateway
  if (gateway === undefined) throw new Error('the order is of no event')
  return {
    ...gateway.constants,
    ...Object.fromEntries(
      Object.entries(gateway.posts).map(([name, key]) => [name, data[key] ?? '']),
    ),
  }
}

/**
 * What somebody can do who has seen one genuine notice and knows no secret: CRC32 is affine, so that for
 * texts of one length crc(a) ^ crc(b) ^ crc(c) = crc(a ^ b ^ c). From the hash of the true notice comes
 * the right hash of one that says something else in as many letters. Of what follows (merchant id and
 * username) only the length has to be known, and that can be tried out.
 */
export function forged(genuine: Fields, changes: Fields, lengthOfTheRest: number): Fields {
  const names = ['TRANSACTIONID', 'APTRANSACTIONID', 'AMOUNT', 'TRANSACTIONSTATUS', 'MESSAGE']
  const text = (fields: Fields): Buffer =>
    Buffer.from(
      `${names.map((name) => fields[name] ?? '').join(':')}:${'x'.repeat(lengthOfTheRest)}`,
    )
  const [before, after] = [text(genuine), text({ ...genuine, ...changes })]
  if (before.length !== after.length)
    throw new Error('a forgery by linearity needs as many letters')
  const difference = Buffer.from(before.map((byte, at) => byte ^ (after[at] ?? 0)))
  const hash =
    (Number(genuine['ap_SecureHash']) ^ crc32(difference) ^ crc32(Buffer.alloc(before.length))) >>>
    0
  return { ...genuine, ...changes, ap_SecureHash: String(hash) }
}

function instantOf(text: string): Instant {
  const at = readInstant(text)
  if (at === null) throw new Error(`"${text}" is no instant`)
  return at
}
