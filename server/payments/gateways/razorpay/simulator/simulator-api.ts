/** Serves the API of the Razorpay simulator: orders, payments, captures and refunds. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GATEWAY_CAPABILITIES } from '../../../../../engine/index.ts'
import { asObject, asText, asWholeNumber } from '../api.ts'
import type { Json } from '../api.ts'
import {
  buildDisputeEntity,
  buildOrderEntity,
  buildPaymentEntity,
  buildRefundEntity,
  sumRefunds,
  listSettlementRows,
} from './simulator-entities.ts'
import type { SimulatorParts } from './simulator-types.ts'
import { createId } from './simulator-state.ts'
import type { SimulatedOrder, SimulatedPayment } from './simulator-state.ts'

export const SIMULATOR_PATH = '/razorpay/v1/'
const SIX_MONTHS_MS = 183 * 24 * 60 * 60_000
const MAX_RECEIPT_CHARACTERS = 40
const MIN_KEY_CHARACTERS = 10
const MIN_MINUTES = 12
const DEFAULT_MINUTES = 3 * 24 * 60

type Problem = { readonly status: number; readonly code: string; readonly description: string }
const createProblem = (description: string, status = 400, code = 'BAD_REQUEST_ERROR'): Problem => ({
  status,
  code,
  description,
})
const isProblem = (value: object): value is Problem =>
  'description' in value && 'status' in value && 'code' in value
const UNKNOWN_ID_PROBLEM = createProblem('The id provided does not exist')

export function addApiRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  const { store, faults, clock, accounts, refresh } = parts
  /**
   * Responds to one request from a merchant. If the response is lost, closes the connection after processing the
   * request.
   */
  const route = (
    method: 'GET' | 'POST',
    path: string,
    handle: (request: FastifyRequest, keyId: string) => object,
  ): void =>
    void app.route({
      method,
      url: `${SIMULATOR_PATH}${path}`,
      handler: async (request, reply) => {
        const keyId = readKey(request)
        const account = accounts().find((candidate) => candidate.keyId === keyId.id)
        if (account === undefined || account.keySecret !== keyId.secret)
          return send(reply, createProblem('Authentication failed', 401))
        const fault = faults.responses.shift()
        if (typeof fault === 'number')
          return send(reply, createProblem('A fault of the simulator', fault, 'SERVER_ERROR'))
        const response = handle(request, keyId.id)
        if (fault === 'lost') {
          reply.hijack()
          request.raw.socket.destroy()
          return reply
        }
        return send(reply, response)
      },
    })
  const send = (reply: FastifyReply, response: object): FastifyReply =>
    isProblem(response)
      ? reply.code(response.status).send({
          error: {
            code: response.code,
            description: response.description,
            source: 'business',
            step: 'payment_initiation',
            reason: 'input_validation_failed',
            metadata: {},
          },
        })
      : reply.send(response)
  const findOrder = (request: FastifyRequest, keyId: string): SimulatedOrder | null => {
    const { id } = request.params as { readonly id: string }
    const order = store.get(id)
    return order === null || order.keyId !== keyId ? null : refresh(order)
  }
  const findPayment = (
    request: FastifyRequest,
    keyId: string,
  ): { readonly order: SimulatedOrder; readonly payment: SimulatedPayment } | null => {
    const { id } = request.params as { readonly id: string }
    const order = store.all().find(({ payments }) => payments.some((payment) => payment.id === id))
    const refreshedOrder = order === undefined || order.keyId !== keyId ? null : refresh(order)
    const payment = refreshedOrder?.payments.find((candidate) => candidate.id === id)
    return refreshedOrder === null || payment === undefined
      ? null
      : { order: refreshedOrder, payment }
  }
  const toList = (items: readonly object[]): object => ({
    entity: 'collection',
    count: items.length,
    items,
  })

  route('POST', 'orders', (request, keyId) => {
    const order = readNewOrder(asObject(request.body) ?? {}, keyId, clock())
    return isProblem(order) ? order : buildOrderEntity(store.put(order))
  })
  route('GET', 'orders', (request, keyId) => {
    const { receipt } = request.query as { readonly receipt?: string }
    return toList(
      store
        .all()
        .filter((order) => order.keyId === keyId && order.receipt === receipt)
        .map((order) => buildOrderEntity(refresh(order))),
    )
  })
  route('GET', 'orders/:id', (request, keyId) => {
    const order = findOrder(request, keyId)
    return order === null ? UNKNOWN_ID_PROBLEM : buildOrderEntity(order)
  })
  route('GET', 'orders/:id/payments', (request, keyId) => {
    const order = findOrder(request, keyId)
    return order === null
      ? UNKNOWN_ID_PROBLEM
      : toList(order.payments.map((payment) => buildPaymentEntity(order, payment, clock())))
  })
  route('GET', 'settlements/recon/combined', (request, keyId) => {
    const { skip = '0' } = request.query as { readonly skip?: string }
    const rows = listSettlementRows(
      store.all().filter((order) => order.keyId === keyId),
      clock(),
    )
    return toList(faults.settlement(rows).slice(Number(skip)))
  })
  route('POST', 'payments/:id/capture', (request, keyId) => {
    const paymentWithOrder = findPayment(request, keyId)
    if (paymentWithOrder === null) return UNKNOWN_ID_PROBLEM
    const { order, payment } = paymentWithOrder
    const body = asObject(request.body) ?? {}
    if (payment.status === 'captured')
      return createProblem('This payment has already been captured')
    if (payment.status !== 'authorized')
      return createProblem('Only payments which have been authorized can be captured')
    if (body['amount'] !== payment.amount || body['currency'] !== order.currency)
      return createProblem('Capture amount must be equal to the amount authorized')
    const updatedOrder = parts.capture(order, payment.id)
    parts.notify('payment.captured', updatedOrder)
    const updatedPayment = updatedOrder.payments.find(({ id }) => id === payment.id) ?? payment
    return buildPaymentEntity(updatedOrder, updatedPayment, clock())
  })
  route('GET', 'disputes/:id', (request, keyId) => {
    const { id } = request.params as { readonly id: string }
    for (const order of store.all().filter((candidate) => candidate.keyId === keyId))
      for (const payment of order.payments)
        if (payment.dispute?.id === id) return buildDisputeEntity(order, payment, payment.dispute)
    return UNKNOWN_ID_PROBLEM
  })
  route('GET', 'payments/:id/refunds', (request, keyId) => {
    const paymentWithOrder = findPayment(request, keyId)
    if (paymentWithOrder === null) return UNKNOWN_ID_PROBLEM
    const { order, payment } = paymentWithOrder
    return toList(
      payment.refunds.map((refund) => buildRefundEntity(payment, refund, order.currency, clock())),
    )
  })
  route('POST', 'payments/:id/refund', (request, keyId) => {
    const paymentWithOrder = findPayment(request, keyId)
    if (paymentWithOrder === null) return UNKNOWN_ID_PROBLEM
    const { order, payment } = paymentWithOrder
    const body = asObject(request.body) ?? {}
    const amount = asWholeNumber(body['amount']) ?? payment.amount
    const key = String(request.headers['x-refund-idempotency'] ?? '')
    if (key !== '' && (key.length < MIN_KEY_CHARACTERS || !/^[\w-]+$/.test(key)))
      return createProblem('The idempotency key is invalid')
    const earlierRefund = payment.refunds.find((refund) => key !== '' && refund.key === key)
    if (earlierRefund !== undefined)
      return earlierRefund.amount === amount
        ? buildRefundEntity(payment, earlierRefund, order.currency, clock())
        : createProblem('The same idempotency key was used with another request')
    if (payment.status !== 'captured')
      return createProblem('The payment status should be captured for action to be taken')
    if (clock() - payment.createdAt > SIX_MONTHS_MS)
      return createProblem('The payment is more than 6 months old and cannot be refunded')
    if (amount <= 0 || amount > payment.amount - sumRefunds(payment, clock()))
      return createProblem('The total refund amount is greater than the refund payment amount')
    if (amount > faults.balance)
      return createProblem(
        'Your account does not have enough balance to carry out the refund operation',
      )
    const refund = {
      id: createId('rfnd'),
      amount,
      key,
      createdAt: clock(),
      dueAt: clock() + faults.refundDelayMs,
      outcome: faults.refundOutcome,
    }
    const updatedPayment = { ...payment, refunds: [...payment.refunds, refund] }
    store.put({
      ...order,
      payments: [...order.payments.filter(({ id }) => id !== payment.id), updatedPayment],
    })
    return buildRefundEntity(updatedPayment, refund, order.currency, clock())
  })
}

function readKey(request: FastifyRequest): { readonly id: string; readonly secret: string } {
  const [, encoded = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  return { id, secret: secret.join(':') }
}

function readNewOrder(body: Json, keyId: string, now: number): SimulatedOrder | Problem {
  const amount = asWholeNumber(body['amount'])
  const currency = asText(body['currency'])
  const receipt = asText(body['receipt'])
  if (amount === null || amount < 100)
    return createProblem('Order amount less than minimum amount allowed')
  const { currencies } = GATEWAY_CAPABILITIES.razorpay
  if (!(currencies as readonly string[]).includes(currency))
    return createProblem('Currency is not supported')
  if (receipt.length > MAX_RECEIPT_CHARACTERS)
    return createProblem('The receipt may not be greater than 40 characters')
  const options = asObject(asObject(body['payment'])?.['capture_options'])
  const minutes = asWholeNumber(options?.['automatic_expiry_period']) ?? DEFAULT_MINUTES
  if (minutes < MIN_MINUTES) return createProblem('The automatic expiry period must be at least 12')
  const notes = Object.entries(asObject(body['notes']) ?? {})
  return {
    id: createId('order'),
    keyId,
    receipt,
    amount,
    currency,
    notes: Object.fromEntries(notes.map(([name, value]) => [name, String(value)])),
    captureMinutes: minutes,
    createdAt: now,
    callbackUrl: '',
    cancelUrl: '',
    name: '',
    email: '',
    contact: '',
    payments: [],
  }
}
