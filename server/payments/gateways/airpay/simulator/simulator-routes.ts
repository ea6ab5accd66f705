/** Serves the sandbox gateway: checkout, redirect, page, buttons, status request and refund. */
import { randomBytes, randomInt } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  INR,
  formatPlainAmount,
  dayOf,
  err,
  instant,
  formatIsoIndia,
  ok,
  toAmount,
  readAmount,
} from '../../../../../engine/index.ts'
import type { Instant, Result } from '../../../../../engine/index.ts'
import type { Account } from '../credentials.ts'
import {
  computeHandOffChecksum,
  getPrivateKey,
  computeRefundChecksum,
  computeStatusChecksum,
} from '../checksums.ts'
import type { Fields } from '../../message-fields.ts'
import { readForm, sendSimulatorPage } from '../../simulator-page.ts'
import type { SimulatorOrders } from '../../simulator-orders.ts'
import type { SimulatorOrigins } from '../../simulator-port.ts'
import {
  ACTIONS,
  renderOrdersPage,
  renderPaymentPage,
  renderReturnPage,
  renderMessagePage,
} from './simulator-pages.ts'
import type { Action, SandboxOrder } from './simulator-pages.ts'

// The sandbox rejects every request that the gateway would reject according to its documentation, so that a rehearsal
// detects errors that would occur in production.

export type Orders = SimulatorOrders<SandboxOrder> & {
  byToken(token: string): SandboxOrder | null
}

/** The parts of the simulator that its routes need. */
export type SimulatorContext = {
  readonly orders: Orders
  readonly clock: () => Instant
  readonly returnUrl: (merchantId: string) => string
  readonly findAccount: (merchantId: string) => Account | null
  readonly buildMessage: (order: SandboxOrder) => Fields
  readonly runAction: (order: SandboxOrder, action: Action) => Promise<boolean>
  readonly settle: (orderId: string) => void
  readonly origins: () => SimulatorOrigins
}

const ORDERS_COOKIE = 'sandbox_orders'
/** The number of orders that a browser can list; a cookie may have about four thousand characters. */
const MAX_COOKIE_ORDERS = 50

/** Returns the tokens of the orders whose pages the browser has opened, newest first. */
function readSeenTokens(request: FastifyRequest): readonly string[] {
  const cookieMatch = new RegExp(`(?:^|; )${ORDERS_COOKIE}=([0-9a-f.]*)`).exec(
    request.headers.cookie ?? '',
  )
  return (cookieMatch?.[1] ?? '').split('.').filter((token) => token !== '')
}

export function addSimulatorRoutes(app: FastifyInstance, context: SimulatorContext): void {
  const { orders } = context
  const sendUnknownOrder = (reply: FastifyReply): FastifyReply =>
    sendSimulatorPage(
      reply,
      renderMessagePage('Unknown order', 'The sandbox has no order at this address.'),
      404,
    )
  const getToken = (request: FastifyRequest): string =>
    (request.params as { readonly token: string }).token

  // Order ids give access to registrations, so a browser sees only the orders that it has opened and the order whose id
  // it sends.
  app.get('/', async (request, reply) => {
    const requestedOrderId = (request.query as Readonly<Record<string, unknown>>)['order']
    const seenTokens = new Set(readSeenTokens(request))
    return sendSimulatorPage(
      reply,
      renderOrdersPage(
        orders
          .all()
          .toReversed()
          .filter(({ token, orderId }) => seenTokens.has(token) || orderId === requestedOrderId),
      ),
    )
  })

  app.post('/pay/index.php', async (request, reply) => {
    const acceptResult = acceptCheckout(context, readForm(request))
    if (!acceptResult.ok)
      return sendSimulatorPage(
        reply,
        renderMessagePage('The payment cannot start', acceptResult.error),
        400,
      )
    return reply.redirect(`${context.origins().hop}/hop/${acceptResult.value.token}`, 303)
  })
  app.get('/hop/:token', async (request, reply) =>
    reply.redirect(`${context.origins().page}/page/${encodeURIComponent(getToken(request))}`, 303),
  )
  app.get('/page/:token', async (request, reply) => {
    const order = orders.byToken(getToken(request))
    if (order === null) return sendUnknownOrder(reply)
    const seenTokens = [
      order.token,
      ...readSeenTokens(request).filter((token) => token !== order.token),
    ]
    reply.header(
      'set-cookie',
      `${ORDERS_COOKIE}=${seenTokens.slice(0, MAX_COOKIE_ORDERS).join('.')}; Path=/; HttpOnly; SameSite=Lax`,
    )
    return sendSimulatorPage(reply, renderPaymentPage(order))
  })
  app.post('/page/:token', async (request, reply) => {
    const order = orders.byToken(getToken(request))
    if (order === null) return sendUnknownOrder(reply)
    const action = readForm(request)['do'] ?? ''
    if (order.stage !== 'open' || !isAction(action))
      return sendSimulatorPage(reply, renderPaymentPage(order), 409)
    const returnsToEvent = await context.runAction(order, action)
    const updatedOrder = orders.get(order.orderId) ?? order
    if (!returnsToEvent)
      return sendSimulatorPage(
        reply,
        renderMessagePage(
          action === 'leave' ? 'You left without paying' : 'Paid',
          'You can close this window.',
        ),
      )
    const address = context.returnUrl(order.merchantId)
    return sendSimulatorPage(
      reply,
      renderReturnPage(updatedOrder, address, context.buildMessage(updatedOrder)),
      200,
      new URL(address).origin,
    )
  })
  app.post('/orders/:token/settle', async (request, reply) => {
    const order = orders.byToken(getToken(request))
    if (order === null) return sendUnknownOrder(reply)
    context.settle(order.orderId)
    return reply.redirect('/', 303)
  })
  app.post('/orders/:token/refuse', async (request, reply) => {
    const order = orders.byToken(getToken(request))
    if (order === null) return sendUnknownOrder(reply)
    orders.put({ ...order, refusesRefund: true })
    return reply.redirect('/', 303)
  })
  app.post('/airpay/order/verify.php', async (request, reply) => {
    const statusXml = renderStatusXml(context, readForm(request))
    // This code does not stand for a transaction state, so a caller without permission learns nothing about the order.
    return statusXml === null
      ? reply.code(403).send('Not allowed')
      : reply.type('text/xml; charset=utf-8').send(statusXml)
  })
  app.post('/airpay/api/refundtxn.php', async (request, reply) =>
    reply.send(refund(context, request.body)),
  )
}

const isAction = (text: string): text is Action => Object.hasOwn(ACTIONS, text)

/**
 * Checks the form as strictly as the gateway's documentation requires, because a rehearsal must reject what the gateway
 * would reject.
 */
function acceptCheckout(
  { orders, findAccount, clock }: SimulatorContext,
  form: Fields,
): Result<SandboxOrder, string> {
  const getField = (name: string): string => form[name] ?? ''
  const account = findAccount(getField('mercid'))
  if (account === null) return err('The merchant id is unknown.')
  if (getField('privatekey') !== getPrivateKey(account))
    return err('The private key does not match the merchant.')
  if (!/^[A-Za-z0-9]{1,20}$/.test(getField('orderid')))
    return err('The order id must have 1 to 20 letters and digits.')
  if (!/^\d{1,6}\.\d{2}$/.test(getField('amount')))
    return err('The amount must have two decimals and at most six digits before them.')
  const names = [getField('buyerFirstName'), getField('buyerLastName')]
  if (names.some((name) => !/^[A-Za-z0-9 ]{1,50}$/.test(name)))
    return err('The names must have 1 to 50 letters, digits and spaces.')
  if (getField('buyerEmail').length < 6 || getField('buyerEmail').length > 50)
    return err('The email address must have 6 to 50 characters.')
  if (getField('currency') !== '356' || getField('isocurrency') !== 'INR')
    return err('The currency must be 356 and INR.')
  const buyer = {
    email: getField('buyerEmail'),
    firstName: getField('buyerFirstName'),
    lastName: getField('buyerLastName'),
    address: getField('buyerAddress'),
    city: getField('buyerCity'),
    state: getField('buyerState'),
    country: getField('buyerCountry'),
  }
  const order = { amount: getField('amount'), orderId: getField('orderid'), uid: getField('UID') }
  const isChecksumValid = (['A', 'B'] as const).some(
    (variant) =>
      computeHandOffChecksum(account, buyer, order, dayOf(clock()), variant) ===
      getField('checksum'),
  )
  if (!isChecksumValid) return err('The checksum does not match.')
  const existing = orders.get(order.orderId)
  // No payment was made or declined, so the same order can still be paid, even if the buyer has left the page.
  if (existing !== null && existing.asked === order.amount && existing.stage === 'dropped')
    return ok(orders.put({ ...existing, stage: 'open' }))
  if (existing !== null && existing.stage === 'open' && existing.asked === order.amount)
    return ok(existing)
  if (existing !== null)
    return err('This order id has already been used. Every attempt needs its own order id.')
  const newOrder = {
    orderId: order.orderId,
    merchantId: account.merchantId,
    token: randomBytes(16).toString('hex'),
    email: buyer.email,
    name: names.join(' '),
    asked: order.amount,
  }
  return ok(
    orders.put({
      ...newOrder,
      stage: 'open',
      reference: null,
      paid: null,
      dueAt: null,
      owed: false,
      refunds: [],
    }),
  )
}

export const createReference = (): string => String(randomInt(100_000_000, 1_000_000_000))

/** Renders transactions as XML, with CDATA as the gateway does: a message may contain characters that XML reserves. */
function renderXml(...transactions: readonly Fields[]): string {
  const texts = transactions.map((fields) => {
    const elements = Object.entries(fields).map(
      ([name, value]) =>
        `<${name}><![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]></${name}>`,
    )
    return `<TRANSACTION>${elements.join('')}</TRANSACTION>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?><RESPONSE>${texts.join('')}</RESPONSE>`
}

function renderStatusXml(
  { orders, findAccount, buildMessage: getMessage, clock }: SimulatorContext,
  form: Fields,
): string | null {
  const account = findAccount(form['merchant_id'] ?? '')
  const orderId = form['merchant_txn_id'] ?? ''
  const isAllowed =
    account !== null &&
    form['private_key'] === getPrivateKey(account) &&
    form['checksum'] === computeStatusChecksum(account, orderId, dayOf(clock()))
  if (!isAllowed) return null
  const order = orders.get(orderId)
  if (order === null || order.merchantId !== account.merchantId)
    return renderXml({
      TRANSACTIONSTATUS: '503',
      MESSAGE: 'No record found',
      TRANSACTIONID: orderId,
    })
  const sale = {
    ...getMessage(order),
    CURRENCYCODE: '356',
    TRANSACTIONTYPE: '320',
    TRANSACTIONTIME: order.paidAt == null ? '' : formatIndianTime(instant(order.paidAt)),
  }
  const refunds = order.refunds.map(({ reference, amount }) => ({
    ...sale,
    APTRANSACTIONID: reference,
    AMOUNT: amount,
    BILLEDAMOUNT: amount,
    TRANSACTIONTYPE: '340',
  }))
  return renderXml(sale, ...refunds)
}

/** Formats Indian local time as the gateway writes it: "21-11-2026 14:05:00". */
function formatIndianTime(at: Instant): string {
  const [day = '', time = ''] = formatIsoIndia(at).split('T')
  return `${day.split('-').toReversed().join('-')} ${time.slice(0, 8)}`
}

function refund({ orders, findAccount, clock }: SimulatorContext, body: unknown): object {
  const rejectAll = (message: string): object => ({ success: 'false', message, transactions: [] })
  const {
    merchant_id: merchantId,
    private_key: privateKey,
    mode,
    transactions,
    checksum,
  } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  const account = findAccount(String(merchantId))
  if (
    account === null ||
    privateKey !== getPrivateKey(account) ||
    mode !== 'refund' ||
    !Array.isArray(transactions)
  )
    return rejectAll('Not allowed')
  if (checksum !== computeRefundChecksum(account, JSON.stringify(transactions), dayOf(clock())))
    return rejectAll('The checksum does not match')
  const results = transactions.map(
    (transaction: { readonly amount?: unknown; readonly processor_id?: unknown } | null) => {
      const reference = String(transaction?.processor_id)
      const order = orders
        .all()
        .find(
          (item) =>
            item.reference === reference &&
            item.merchantId === account.merchantId &&
            item.stage === 'paid',
        )
      const amount = readAmount(String(transaction?.amount), INR) ?? 0
      const refundedBefore = (order?.refunds ?? []).reduce(
        (sum, item) => sum + (readAmount(item.amount, INR) ?? 0),
        0,
      )
      if (
        order === undefined ||
        amount === 0 ||
        amount + refundedBefore > (readAmount(order.paid ?? '', INR) ?? 0)
      )
        return {
          airpayid: reference,
          refundairpayid: '',
          success: 'false',
          message: 'Nothing to refund',
        }
      if (order.refusesRefund === true) {
        orders.put({ ...order, refusesRefund: false })
        return {
          airpayid: reference,
          refundairpayid: '',
          success: 'false',
          message: 'Refused in the rehearsal',
        }
      }
      const newRefund = {
        reference: createReference(),
        amount: formatPlainAmount(toAmount(amount), INR),
      }
      orders.put({ ...order, refunds: [...order.refunds, newRefund] })
      return {
        airpayid: reference,
        refundairpayid: newRefund.reference,
        success: 'true',
        message: 'Refunded',
      }
    },
  )
  return { success: 'true', message: '', transactions: results }
}
