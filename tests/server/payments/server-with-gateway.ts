/** A real server with the sandbox gateway on a separate port, and a client for its payment endpoints. */
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import Database from 'better-sqlite3'
import { buildGatewayForm, instant, readInstant } from '../../../engine/index.ts'
import type { Instant, OrderId } from '../../../engine/index.ts'
import type { PaymentData, RegisterResponse } from '../../../engine/api.ts'
import { assembleServer } from '../../../server/assemble-server.ts'
import { checkFolderInThisThread } from '../../../server/events/files/event-folder.ts'
import type { AssembledServer } from '../../../server/assemble-server.ts'
import type { Deps, Environment } from '../../../server/dependencies.ts'
import { readEnvironment } from '../../../server/ops/environment.ts'
import type { Variables } from '../../../server/ops/environment.ts'
import type { Fields } from '../../../server/payments/gateways/message-fields.ts'
import type { AirpaySimulator } from '../../../server/payments/gateways/airpay/simulator/simulator.ts'
import type { OpenSimulators } from '../../../server/payments/gateways/select-gateway.ts'
import { findFreePort } from '../../browser/serve.ts'
import { useCompiledEvents, useEmptyDatabase } from '../prepared-files.ts'
import { openStoreInProcess } from '../store-without-threads.ts'

export const FORM_TYPE = 'application/x-www-form-urlencoded'
export const delegate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  ticket_type: 'afpi-gp-specialist',
}

export type PlacedOrder = {
  readonly regNo: string
  readonly orderId: OrderId
  readonly data: PaymentData
}
export type TestServer = {
  readonly url: string
  readonly dataDir: string
  readonly eventsDir: string
  readonly log: Record<string, unknown>[]
  parts(): AssembledServer
  sandbox(): AirpaySimulator
  /** Returns the origin of the simulators' pages. */
  gatewayUrl(): string
  /** Closes the simulators, so that no gateway responds. */
  closeGateways(): Promise<void>
  readonly environment: Environment
  setTime(text: string): void
  advance(ms: number): void
  now(): Instant
  rows(sql: string, ...params: unknown[]): Record<string, unknown>[]
  register(answers?: Readonly<Record<string, string>>): Promise<PlacedOrder>
  /** Registers a delegate and hands off to the gateway, as the browser does. */
  placeOrder(answers?: Readonly<Record<string, string>>): Promise<PlacedOrder>
  handOff(data: PaymentData): Promise<Response>
  sendWebhook(fields: Fields): Promise<Response>
  /** Posts the browser's return from the gateway, and resolves with the URL of the redirect. */
  returnFromGateway(fields: Fields, path?: string): Promise<URL>
  /** Reads an order's stored state: statuses, review, event types, and the numbers of messages and queued emails. */
  readOrderState(orderId: string): {
    readonly status: unknown
    readonly registration: unknown
    readonly review: unknown
    readonly events: unknown[]
    readonly returns: number
    readonly webhooks: number
    readonly emails: number
  }
  /** Resolves once every webhook has been delivered and every query has ended. */
  waitUntilIdle(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a server whose returns, webhooks and status queries use real connections. The server can be restarted on the
 * same data.
 */
export async function openTestServer(
  options: {
    readonly clock?: string
    readonly variables?: Variables
    readonly gateways?: (text: string) => string
    /** The folder with the event files to serve instead of those in events/. */
    readonly events?: string
  } = {},
): Promise<TestServer> {
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
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()]
  const environmentResult = readEnvironment({
    DATA_DIR: dataDir,
    EVENTS_DIR: eventsDir,
    RATE_LIMITS: 'off',
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    ...options.variables,
  })
  if (!environmentResult.ok) throw new Error(environmentResult.error.join('\n'))
  const environment = environmentResult.value
  let now = toInstant(options.clock ?? '2025-10-10T12:00:00+05:30')
  const log: Record<string, unknown>[] = []
  const logAt = (level: string) => (entry: object, message?: string) =>
    void log.push({ level, message, ...entry })
  const start = async (): Promise<AssembledServer> => {
    const assembly = await assembleServer(environment, {
      clock: () => now,
      log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
      print: () => {},
      hasJobs: false,
      checkFolder: checkFolderInThisThread,
      openStore: openStoreInProcess,
    })
    if (!assembly.ok) throw new Error(assembly.error.text)
    await assembly.value.app.listen({ port, host: '127.0.0.1' })
    return assembly.value
  }
  let parts = await start()
  const { publicUrl: url } = environment

  const rows: TestServer['rows'] = (sql, ...params) => {
    const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
    try {
      return db.prepare(sql).all(...params) as Record<string, unknown>[]
    } finally {
      db.close()
    }
  }
  const simulators = (): OpenSimulators => {
    if (parts.simulators === null) throw new Error('the server has no simulators')
    return parts.simulators
  }
  const sandbox = (): AirpaySimulator => simulators().byKind.airpay
  const send = (path: string, fields: Fields): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  const register: TestServer['register'] = async (answers = {}) => {
    const response = await fetch(`${url}/api/afpicon/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...delegate, ...answers }),
    })
    const answer = (await response.json()) as RegisterResponse
    if (answer.payment_data === undefined) throw new Error(JSON.stringify(answer))
    return {
      regNo: answer.reg_no,
      orderId: answer.payment_data.orderid as OrderId,
      data: answer.payment_data,
    }
  }
  const handOff: TestServer['handOff'] = (data) =>
    fetch(data.payment_url, {
      method: 'POST',
      body: new URLSearchParams(createFormFields(parts.deps, data)),
      redirect: 'manual',
    })
  return {
    url,
    dataDir,
    eventsDir,
    log,
    rows,
    sandbox,
    gatewayUrl: () => simulators().origins.page,
    closeGateways: () => simulators().close(),
    register,
    handOff,
    parts: () => parts,
    environment,
    setTime: (text) => {
      now = toInstant(text)
    },
    advance: (ms) => {
      now = instant(now + ms)
    },
    now: () => now,
    placeOrder: async (answers) => {
      const order = await register(answers)
      const response = await handOff(order.data)
      if (response.status !== 303) throw new Error(await response.text())
      return order
    },
    sendWebhook: (fields) => send('/api/payment/webhook/', fields),
    returnFromGateway: async (fields, path = '/api/payment/return/') => {
      const response = await send(path, fields)
      if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`)
      return new URL(response.headers.get('location') ?? '', url)
    },
    readOrderState: (orderId) => {
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
        events: rows(
          'SELECT type FROM payment_facts WHERE payment_id = ? ORDER BY id',
          payment?.['id'],
        ).map(({ type }) => type),
        returns: count('return'),
        webhooks: count('notice'),
        emails: rows(
          'SELECT 1 FROM mail_queue WHERE registration_id = ?',
          payment?.['registration'],
        ).length,
      }
    },
    waitUntilIdle: async () => {
      await sandbox().idle()
      await parts.deps.payments.waitUntilIdle()
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

/** Returns the fields of the hidden form that the web app posts to the gateway. */
export function createFormFields({ events }: Pick<Deps, 'events'>, data: PaymentData): Fields {
  const config = events.findByOrderId(data.orderid)?.config
  const form = config === undefined ? undefined : buildGatewayForm(config, data)
  if (form === undefined) throw new Error('the order belongs to no event')
  return form.fields
}

/**
 * Forges a message from a genuine one without the secret: CRC32 is affine, so for texts of equal length crc(a) ^
 * crc(b) ^ crc(c) = crc(a ^ b ^ c). The genuine hash therefore yields a valid hash for any message of equal length. An
 * attacker needs only the length of the secret part (merchant id and username), which can be guessed.
 */
export function forgeMessage(
  genuineMessage: Fields,
  changes: Fields,
  secretLength: number,
): Fields {
  const names = ['TRANSACTIONID', 'APTRANSACTIONID', 'AMOUNT', 'TRANSACTIONSTATUS', 'MESSAGE']
  const joinFields = (fields: Fields): Buffer =>
    Buffer.from(`${names.map((name) => fields[name] ?? '').join(':')}:${'x'.repeat(secretLength)}`)
  const [genuineText, forgedText] = [
    joinFields(genuineMessage),
    joinFields({ ...genuineMessage, ...changes }),
  ]
  if (genuineText.length !== forgedText.length)
    throw new Error('a forged message must be as long as the genuine one')
  const differences = Buffer.from(genuineText.map((byte, index) => byte ^ (forgedText[index] ?? 0)))
  const hash =
    (Number(genuineMessage['ap_SecureHash']) ^
      crc32(differences) ^
      crc32(Buffer.alloc(genuineText.length))) >>>
    0
  return { ...genuineMessage, ...changes, ap_SecureHash: String(hash) }
}

function toInstant(text: string): Instant {
  const at = readInstant(text)
  if (at === null) throw new Error(`"${text}" is not an instant`)
  return at
}
