/**
 * The sandbox gateway: a simulator that speaks the gateway's protocol from the other side (form in,
 * page, return by the browser, notice, status call, refund) on an origin of its own, and sends the
 * browser through a third origin before its page, so that cookies, form-action and cross-site posts
 * behave as they will in earnest. It keeps what it holds, so that a restart loses no money.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import formbody from '@fastify/formbody'
import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { amountText, assertNever, dayOf, paise, readAmount } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Account, Log } from '../deps.ts'
import { handOffChecksum, messageBytesMax, privateKeyOf, refundChecksum, secureHash, statusChecksum } from './airpay.ts'
import type { Addresses, Fields } from './airpay.ts'
import { actions, ordersPage, paymentPage, returnPage, returnScript, sentencePage, style } from './sandbox-pages.ts'
import type { Action, SandboxOrder } from './sandbox-pages.ts'

export type SandboxOptions = {
  readonly port: number
  readonly host: string
  /** How the browser reaches the app: its host decides ours, which must be another. */
  readonly publicUrl: string
  readonly dataDir: string
  readonly accounts: () => readonly Account[]
  /** Where the browser goes back to and where notices go, as a gateway keeps them per merchant. */
  readonly returnUrl: (merchantId: string) => string
  readonly noticeUrl: () => string
  readonly clock: () => Instant
  readonly log: Log
  /** How long money that is paid later is under way. */
  readonly laterMs?: number
}

export type Sandbox = {
  /** Of its pages, without a slash at the end. */
  readonly url: string
  readonly addresses: SandboxAddresses
  order(orderId: string): SandboxOrder | null
  /** What a return or notice about the order says now. */
  messageOf(orderId: string): Fields
  /** What a button of the page does, without a browser. */
  act(orderId: string, action: Action): Promise<void>
  /** Lets money that is under way, or that nobody expects any more, arrive. */
  settle(orderId: string): void
  /** Sends every notice that has not been taken once more, without waiting for its turn. */
  remind(): Promise<void>
  /** When no notice is on its way. */
  idle(): Promise<void>
  close(): Promise<void>
}

const laterMsUsual = 15_000
/** A gateway tries a notice that was not taken again, and gives up some day. */
const noticeAgainMs = [1_000, 5_000, 30_000, 120_000, 600_000] as const
const noticeTimeoutMs = 20_000
/** The app listens a moment after the sandbox does. */
const startedMs = 200
const loopback = ['127.0.0.1', 'localhost', '[::1]']

/** Credentials of the sandbox's own making, the same for an account's name on every machine. */
export function sandboxAccount(name: string): Account {
  const digits = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 900_000, 7)
  return { name, username: `sandbox-${name}`, password: 'sandbox-password', secret: 'sandbox-secret16', merchantId: String(100_000 + digits) }
}

export type SandboxAddresses = Addresses & { readonly hops: readonly [page: string, hop: string] }

/** On one machine the app, the pages and the hop are two names and two ports; behind a real name there is only the port. */
export function sandboxAddresses(at: { readonly publicUrl: string; readonly host: string; readonly port: number }): SandboxAddresses {
  const app = new URL(at.publicUrl).hostname
  const page = !loopback.includes(app) ? app : app === 'localhost' ? '127.0.0.1' : 'localhost'
  const hop = !loopback.includes(app) ? app : page === 'localhost' ? '127.0.0.1' : 'localhost'
  const anywhere = at.host === '0.0.0.0' || at.host === '::'
  const server = anywhere ? '127.0.0.1' : at.host.includes(':') ? `[${at.host}]` : at.host
  const url = (host: string, path = ''): string => `http://${host}:${at.port}${path}`
  return { pay: url(page, '/pay/index.php'), status: url(server, '/airpay/order/verify.php'), refund: url(server, '/airpay/api/refundtxn.php'), hops: [url(page), url(hop)] }
}

export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, log } = options
  const orders = openOrders(options.dataDir)
  const timers = new Set<NodeJS.Timeout>()
  const sending = new Set<Promise<void>>()
  let closing = false

  const accountOf = (merchantId: string): Account | null => options.accounts().find((account) => account.merchantId === merchantId) ?? null

  const later = (ms: number, work: () => void): void => {
    if (closing) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timer.unref()
    timers.add(timer)
  }

  const messageOf = (order: SandboxOrder): Fields => {
    const said = words[order.stage]
    const fields = { TRANSACTIONID: order.orderId, APTRANSACTIONID: order.reference ?? '', AMOUNT: order.paid ?? order.asked, TRANSACTIONSTATUS: said.code, MESSAGE: said.message }
    const account = accountOf(order.merchantId)
    return { ...fields, ap_SecureHash: account === null ? '' : secureHash(account, fields, false), CUSTOMVAR: '', CHMOD: 'pg', BILLEDAMOUNT: order.paid ?? order.asked }
  }

  /** One notice; what was not taken is tried again at growing intervals, with what is true then. */
  const notify = (orderId: string, tried = 0): Promise<void> => {
    const order = orders.get(orderId)
    if (order === null) return Promise.resolve()
    orders.put({ ...order, owed: true })
    if (closing) return Promise.resolve()
    const sent = deliver(options.noticeUrl(), messageOf(order)).then((status) => {
      const now = orders.get(orderId)
      if (status === 200 && now !== null) {
        // Money may have come while the notice was on its way: then another one follows, or has been taken.
        if (now.stage === order.stage) orders.put({ ...now, owed: false })
        return
      }
      log.warn({ status, tried }, 'a notice of the sandbox was not taken')
      const again = noticeAgainMs[tried]
      if (again !== undefined) later(again, () => void notify(orderId, tried + 1))
    })
    sending.add(sent)
    return sent.finally(() => sending.delete(sent))
  }

  const arrive = (order: SandboxOrder, paid: string): SandboxOrder => orders.put({ ...order, stage: 'paid', paid, reference: order.reference ?? freshReference(), dueAt: null })
  const settle = (orderId: string): void => {
    const order = orders.get(orderId)
    if (order === null || order.stage === 'paid') return
    arrive(order, order.asked)
    void notify(orderId)
  }
  const awaitMoney = (order: SandboxOrder): void => {
    if (order.stage === 'in-process' && order.dueAt !== null) later(Math.max(0, order.dueAt - clock()), () => orders.get(order.orderId)?.stage === 'in-process' && settle(order.orderId))
  }
  for (const order of orders.all()) {
    awaitMoney(order)
    if (order.owed) later(startedMs, () => void notify(order.orderId))
  }

  /** Does what a button says and answers whether the browser goes back. */
  const act = async (order: SandboxOrder, action: Action): Promise<boolean> => {
    switch (action) {
      case 'pay':
      case 'twice':
      case 'first':
      case 'silent':
      case 'stay': {
        arrive(order, order.asked)
        const notices = Array.from({ length: { pay: 1, stay: 1, first: 1, twice: 2, silent: 0 }[action] }, () => notify(order.orderId))
        if (action === 'first') await Promise.all(notices)
        return action !== 'stay'
      }
      case 'wrong': {
        const asked = readAmount(order.asked) ?? 0
        arrive(order, amountText(paise(Math.max(1, asked - 100))))
        void notify(order.orderId)
        return true
      }
      case 'decline':
        orders.put({ ...order, stage: 'declined', reference: freshReference() })
        void notify(order.orderId)
        return true
      case 'later':
        awaitMoney(orders.put({ ...order, stage: 'in-process', reference: freshReference(), dueAt: clock() + (options.laterMs ?? laterMsUsual) }))
        return true
      case 'leave':
        orders.put({ ...order, stage: 'dropped', reference: freshReference() })
        return false
      default:
        return assertNever(action)
    }
  }

  const app = await sandboxApp({
    ...options, orders, accountOf, messageOf, act, settle,
    origins: () => addresses.hops,
  })
  await app.listen({ port: options.port, host: options.host })
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port

  const addresses = sandboxAddresses({ publicUrl: options.publicUrl, host: options.host, port })
  const known = (orderId: string): SandboxOrder => {
    const order = orders.get(orderId)
    if (order === null) throw new Error('the sandbox has no such order')
    return order
  }
  return {
    url: addresses.hops[0],
    addresses,
    order: orders.get,
    messageOf: (orderId) => messageOf(known(orderId)),
    act: async (orderId, action) => void (await act(known(orderId), action)),
    settle,
    remind: async () => {
      await Promise.all(orders.all().flatMap(({ owed, orderId }) => (owed ? [notify(orderId)] : [])))
    },
    idle: async () => {
      while (sending.size > 0) await Promise.all(sending)
    },
    close: async () => {
      closing = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(sending)
      await app.close()
    },
  }
}

const words: Readonly<Record<SandboxOrder['stage'], { readonly code: string; readonly message: string }>> = {
  open: { code: '503', message: 'No record found' },
  'in-process': { code: '211', message: 'Transaction in process' },
  paid: { code: '200', message: 'Success' },
  declined: { code: '400', message: 'Declined by the bank' },
  dropped: { code: '401', message: 'Dropped' },
}

const freshReference = (): string => String(randomInt(100_000_000, 1_000_000_000))

async function deliver(url: string, fields: Fields): Promise<number> {
  try {
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', signal: AbortSignal.timeout(noticeTimeoutMs) })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

type Orders = { get(orderId: string): SandboxOrder | null; byToken(token: string): SandboxOrder | null; put(order: SandboxOrder): SandboxOrder; all(): readonly SandboxOrder[] }

/** In memory, and one line per change in a file that is read at the start. */
function openOrders(dataDir: string): Orders {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, 'sandbox.jsonl')
  const byId = new Map<string, SandboxOrder>()
  const byToken = new Map<string, string>()
  const keep = (order: SandboxOrder): void => {
    byId.set(order.orderId, order)
    byToken.set(order.token, order.orderId)
  }
  if (existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      // A process that was killed may have left half a line.
      if (line.endsWith('}')) keep(JSON.parse(line) as SandboxOrder)
    }
  }
  const get = (orderId: string): SandboxOrder | null => byId.get(orderId) ?? null
  return {
    get,
    byToken: (token) => get(byToken.get(token) ?? ''),
    put: (order) => {
      appendFileSync(file, `${JSON.stringify(order)}\n`)
      keep(order)
      return order
    },
    all: () => [...byId.values()],
  }
}

type Inside = SandboxOptions & {
  readonly orders: Orders
  readonly accountOf: (merchantId: string) => Account | null
  readonly messageOf: (order: SandboxOrder) => Fields
  readonly act: (order: SandboxOrder, action: Action) => Promise<boolean>
  readonly settle: (orderId: string) => void
  /** Of the pages, and of the hop before them. */
  readonly origins: () => SandboxAddresses['hops']
}

async function sandboxApp(inside: Inside): Promise<FastifyInstance> {
  const { orders } = inside
  const app = Fastify({ logger: false, bodyLimit: messageBytesMax, forceCloseConnections: true })
  await app.register(formbody)
  const html = (reply: FastifyReply, text: string, status = 200, formAction = "'self'"): FastifyReply =>
    reply
      .code(status)
      .header('content-security-policy', `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`)
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(text)
  const unknown = (reply: FastifyReply): FastifyReply => html(reply, sentencePage('Unknown order', 'The sandbox knows no order at this address.'), 404)
  const tokenOf = (request: FastifyRequest): string => (request.params as { readonly token: string }).token

  app.get('/', async (_request, reply) => html(reply, ordersPage(orders.all().toReversed())))
  app.get('/style.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(style))
  app.get('/return.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(returnScript))

  app.post('/pay/index.php', async (request, reply) => {
    const taken = takeHandOff(inside, formOf(request))
    if (!taken.ok) return html(reply, sentencePage('The payment cannot begin', taken.sentence), 400)
    return reply.redirect(`${inside.origins()[1]}/hop/${taken.order.token}`, 303)
  })
  app.get('/hop/:token', async (request, reply) => reply.redirect(`${inside.origins()[0]}/page/${encodeURIComponent(tokenOf(request))}`, 303))
  app.get('/page/:token', async (request, reply) => {
    const order = orders.byToken(tokenOf(request))
    return order === null ? unknown(reply) : html(reply, paymentPage(order))
  })
  app.post('/page/:token', async (request, reply) => {
    const order = orders.byToken(tokenOf(request))
    if (order === null) return unknown(reply)
    const action = formOf(request)['do'] ?? ''
    if (order.stage !== 'open' || !isAction(action)) return html(reply, paymentPage(order), 409)
    const goesBack = await inside.act(order, action)
    const now = orders.get(order.orderId) ?? order
    if (!goesBack) return html(reply, sentencePage(action === 'leave' ? 'You left without paying' : 'Paid', 'You can close this window.'))
    const address = inside.returnUrl(order.merchantId)
    return html(reply, returnPage(now, address, inside.messageOf(now)), 200, new URL(address).origin)
  })
  app.post('/orders/:token/settle', async (request, reply) => {
    const order = orders.byToken(tokenOf(request))
    if (order === null) return unknown(reply)
    inside.settle(order.orderId)
    return reply.redirect('/', 303)
  })
  app.post('/airpay/order/verify.php', async (request, reply) => {
    const answer = statusXml(inside, formOf(request))
    // Not a code among the transaction's: who may not ask has learnt nothing about the order.
    return answer === null ? reply.code(403).send('Not allowed') : reply.type('text/xml; charset=utf-8').send(answer)
  })
  app.post('/airpay/api/refundtxn.php', async (request, reply) => reply.send(refund(inside, request.body)))
  return app
}

const isAction = (text: string): text is Action => Object.hasOwn(actions, text)

function formOf(request: FastifyRequest): Fields {
  const body = request.body
  if (typeof body !== 'object' || body === null) return {}
  return Object.fromEntries(Object.entries(body).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
}

type Taken = { readonly ok: true; readonly order: SandboxOrder } | { readonly ok: false; readonly sentence: string }

/** As strict as the gateway's papers: what it would refuse must not work in a rehearsal. */
function takeHandOff({ orders, accountOf, clock }: Inside, form: Fields): Taken {
  const field = (name: string): string => form[name] ?? ''
  const no = (sentence: string): Taken => ({ ok: false, sentence })
  const account = accountOf(field('mercid'))
  if (account === null) return no('The merchant id is unknown.')
  if (field('privatekey') !== privateKeyOf(account)) return no('The private key does not fit the merchant.')
  if (!/^[A-Za-z0-9]{1,20}$/.test(field('orderid'))) return no('The order id may hold 1 to 20 letters and digits.')
  if (!/^\d{1,6}\.\d{2}$/.test(field('amount'))) return no('The amount must have two decimals and at most six digits before them.')
  const names = [field('buyerFirstName'), field('buyerLastName')]
  if (names.some((name) => !/^[A-Za-z0-9 ]{1,50}$/.test(name))) return no('The names may hold 1 to 50 letters, digits and spaces.')
  if (field('buyerEmail').length < 6 || field('buyerEmail').length > 50) return no('The e-mail address must have 6 to 50 characters.')
  if (field('currency') !== '356' || field('isocurrency') !== 'INR') return no('The currency must be 356 and INR.')
  const buyer = { email: field('buyerEmail'), firstName: field('buyerFirstName'), lastName: field('buyerLastName'), address: field('buyerAddress'), city: field('buyerCity'), state: field('buyerState'), country: field('buyerCountry') }
  const order = { amount: field('amount'), orderId: field('orderid'), uid: field('UID') }
  const right = (['A', 'B'] as const).some((variant) => handOffChecksum(account, buyer, order, dayOf(clock()), variant) === field('checksum'))
  if (!right) return no('The checksum does not fit.')
  const known = orders.get(order.orderId)
  if (known !== null && known.stage === 'open' && known.asked === order.amount) return { ok: true, order: known }
  if (known !== null) return no('This order id was used before. Every attempt needs one of its own.')
  const fresh = { orderId: order.orderId, merchantId: account.merchantId, token: randomBytes(16).toString('hex'), email: buyer.email, name: names.join(' '), asked: order.amount }
  return { ok: true, order: orders.put({ ...fresh, stage: 'open', reference: null, paid: null, dueAt: null, owed: false, refunds: [] }) }
}

/** CDATA, as the gateway has it: a message may hold what XML does not like. */
function xmlOf(fields: Fields): string {
  const inner = Object.entries(fields).map(([name, value]) => `<${name}><![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]></${name}>`)
  return `<?xml version="1.0" encoding="UTF-8"?><RESPONSE><TRANSACTION>${inner.join('')}</TRANSACTION></RESPONSE>`
}

function statusXml({ orders, accountOf, messageOf, clock }: Inside, form: Fields): string | null {
  const account = accountOf(form['merchant_id'] ?? '')
  const orderId = form['merchant_txn_id'] ?? ''
  const allowed = account !== null && form['private_key'] === privateKeyOf(account) && form['checksum'] === statusChecksum(account, orderId, dayOf(clock()))
  if (!allowed) return null
  const order = orders.get(orderId)
  if (order === null || order.merchantId !== account.merchantId) return xmlOf({ TRANSACTIONSTATUS: '503', MESSAGE: 'No record found', TRANSACTIONID: orderId })
  return xmlOf({ ...messageOf(order), CURRENCYCODE: '356', TRANSACTIONTYPE: '320' })
}

function refund({ orders, accountOf, clock }: Inside, body: unknown): object {
  const refused = (message: string): object => ({ success: 'false', message, transactions: [] })
  const { merchant_id: merchantId, private_key: privateKey, mode, transactions, checksum } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  const account = accountOf(String(merchantId))
  if (account === null || privateKey !== privateKeyOf(account) || mode !== 'refund' || !Array.isArray(transactions)) return refused('Not allowed')
  if (checksum !== refundChecksum(account, JSON.stringify(transactions), dayOf(clock()))) return refused('The checksum does not fit')
  const done = transactions.map((transaction: { readonly amount?: unknown; readonly processor_id?: unknown } | null) => {
    const reference = String(transaction?.processor_id)
    const order = orders.all().find((each) => each.reference === reference && each.merchantId === account.merchantId && each.stage === 'paid')
    const amount = readAmount(String(transaction?.amount)) ?? 0
    const back = (order?.refunds ?? []).reduce((sum, each) => sum + (readAmount(each.amount) ?? 0), 0)
    if (order === undefined || amount === 0 || amount + back > (readAmount(order.paid ?? '') ?? 0)) return { airpayid: reference, refundairpayid: '', success: 'false', message: 'Nothing to refund' }
    const given = { reference: freshReference(), amount: amountText(paise(amount)) }
    orders.put({ ...order, refunds: [...order.refunds, given] })
    return { airpayid: reference, refundairpayid: given.reference, success: 'true', message: 'Refunded' }
  })
  return { success: 'true', message: '', transactions: done }
}
