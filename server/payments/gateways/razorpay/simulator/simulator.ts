/** Simulates Razorpay: orders, checkout, payments, refunds and webhooks, with the documented faults. */
import { assert } from '../../../../../engine/index.ts'
import type { RazorpayAccount } from '../credentials.ts'
import type { SimulatorOrigins } from '../../simulator-port.ts'
import { computeSignature } from '../signatures.ts'
import {
  buildDisputeEntity,
  buildOrderEntity,
  buildPaymentEntity,
  buildRefundEntity,
} from './simulator-entities.ts'
import { addApiRoutes } from './simulator-api.ts'
import { addPageRoutes } from './simulator-pages.ts'
import { createId, openSimulatedOrders } from './simulator-state.ts'
import type { SimulatedOrder, SimulatedPayment } from './simulator-state.ts'

import type {
  Faults,
  RazorpaySimulator,
  RazorpaySimulatorOptions,
  ReturnFields,
  SimulatorAction,
  SimulatorParts,
  SentWebhook,
} from './simulator-types.ts'

// The simulator rejects every request that Razorpay would reject according to its documentation.

export function createRazorpaySandboxAccount(name: string): RazorpayAccount {
  return {
    name,
    keyId: `rzp_test_${name.replaceAll(/\W/g, '')}`,
    keySecret: `sandbox-secret-of-${name}`,
    webhookSecrets: [`sandbox-webhook-of-${name}`, `earlier-webhook-of-${name}`],
  }
}

const WEBHOOK_TIMEOUT_MS = 20_000
const MINUTE_MS = 60_000
const REPEATED_WEBHOOK_COUNT = 5
const RESPOND_WITHIN_MS = 7 * 24 * 60 * MINUTE_MS

export function openRazorpaySimulator(options: RazorpaySimulatorOptions): RazorpaySimulator {
  const { accounts, clock, log } = options
  const store = openSimulatedOrders(options.dataDir)
  const faults: Faults = {
    responses: [],
    isCaptureDisabled: false,
    refundDelayMs: 0,
    refundOutcome: 'processed',
    balance: Number.MAX_SAFE_INTEGER,
    settlement: (rows) => rows,
  }
  const sentWebhooks: SentWebhook[] = []
  const pendingDeliveries = new Set<Promise<unknown>>()
  let origins: SimulatorOrigins = { page: '', hop: '', server: '' }

  const findAccount = (order: SimulatedOrder): RazorpayAccount | null =>
    accounts().find(({ keyId }) => keyId === order.keyId) ?? null
  const setPayment = (order: SimulatedOrder, payment: SimulatedPayment): SimulatedOrder =>
    store.put({
      ...order,
      payments: [...order.payments.filter(({ id }) => id !== payment.id), payment],
    })
  const refresh = (order: SimulatedOrder): SimulatedOrder => {
    const latePayment = order.payments.find(
      ({ status, createdAt }) =>
        status === 'authorized' && clock() >= createdAt + order.captureMinutes * MINUTE_MS,
    )
    return latePayment === undefined
      ? order
      : refresh(setPayment(order, { ...latePayment, status: 'returned' }))
  }
  const findLatest = ({ id }: Pick<SimulatedOrder, 'id'>): SimulatedOrder => {
    const order = store.get(id)
    assert(order !== null, 'the simulator has no such order')
    return refresh(order)
  }

  const sendWebhook: RazorpaySimulator['sendWebhook'] = async (type, order, webhook = {}) => {
    const account = findAccount(order)
    const [payment] = order.payments.toReversed()
    const refund = payment?.refunds.at(-1)
    const now = clock()
    const body = JSON.stringify({
      entity: 'event',
      account_id: 'acc_simulator00000',
      event: type,
      contains: [type.split('.')[0]],
      payload: {
        ...(payment === undefined
          ? {}
          : { payment: { entity: buildPaymentEntity(order, payment, now) } }),
        ...(type.startsWith('order.') ? { order: { entity: buildOrderEntity(order) } } : {}),
        ...(payment !== undefined && refund !== undefined && type.startsWith('refund.')
          ? { refund: { entity: buildRefundEntity(payment, refund, order.currency, now) } }
          : {}),
        ...(payment?.dispute !== undefined && type.startsWith('payment.dispute.')
          ? { dispute: { entity: buildDisputeEntity(order, payment, payment.dispute) } }
          : {}),
      },
      created_at: Math.floor(now / 1000),
    })
    const signature = computeSignature(body, webhook.secret ?? account?.webhookSecrets[0] ?? '')
    const delivery = post(
      options.webhookUrl(),
      webhook.truncated === true ? body.slice(0, -20) : body,
      {
        'content-type': 'application/json',
        'x-razorpay-signature': signature,
        'x-razorpay-event-id': webhook.eventId ?? createId('evt'),
      },
    ).then((status): SentWebhook => {
      if (status !== 200)
        log.warn({ status, type }, 'a webhook of the Razorpay simulator was not accepted')
      const result = { type, status }
      sentWebhooks.push(result)
      return result
    })
    pendingDeliveries.add(delivery)
    return delivery.finally(() => pendingDeliveries.delete(delivery))
  }
  const notify = (type: string, order: SimulatedOrder): void => void sendWebhook(type, order)

  const addPayment = (
    order: SimulatedOrder,
    status: SimulatedPayment['status'],
    reason = '',
  ): SimulatedOrder =>
    setPayment(order, {
      id: createId('pay'),
      amount: order.amount,
      status: status === 'captured' && faults.isCaptureDisabled ? 'authorized' : status,
      createdAt: clock(),
      reason,
      refunds: [],
    })

  const capture: SimulatorParts['capture'] = (order, paymentId) => {
    const payment = order.payments.find(({ id }) => id === paymentId)
    if (payment === undefined || payment.status !== 'authorized') return order
    return setPayment(order, { ...payment, status: 'captured' })
  }

  const setDispute: RazorpaySimulator['setDispute'] = async (id, status) => {
    const order = findLatest({ id })
    const payment = order.payments.findLast((candidate) => candidate.status === 'captured')
    assert(payment !== undefined, 'the simulator has no payment to dispute')
    const event =
      status !== 'open' ? status : payment.dispute === undefined ? 'created' : 'action_required'
    const dispute = payment.dispute ?? {
      id: createId('disp'),
      createdAt: clock(),
      respondBy: clock() + RESPOND_WITHIN_MS,
    }
    const disputedOrder = setPayment(order, { ...payment, dispute: { ...dispute, status } })
    await sendWebhook(`payment.dispute.${event}`, disputedOrder)
    return disputedOrder
  }

  const buildSignedReturn = (order: SimulatedOrder): ReturnFields => {
    const paymentId = order.payments.at(-1)?.id ?? ''
    const secret = findAccount(order)?.keySecret ?? ''
    return {
      razorpay_payment_id: paymentId,
      razorpay_order_id: order.id,
      razorpay_signature: computeSignature(`${order.id}|${paymentId}`, secret),
    }
  }
  const buildFailedReturn = (order: SimulatedOrder): ReturnFields => ({
    'error[code]': 'BAD_REQUEST_ERROR',
    'error[description]': 'The payment was not completed.',
    'error[source]': 'bank',
    'error[step]': 'payment_authentication',
    'error[reason]': 'payment_failed',
    'error[metadata]': JSON.stringify({
      payment_id: order.payments.at(-1)?.id,
      order_id: order.id,
    }),
  })

  const run: RazorpaySimulator['run'] = async (id, action) => {
    const order = findLatest({ id })
    switch (action) {
      case 'cancel':
        return {}
      case 'decline': {
        const failedOrder = addPayment(order, 'failed', 'payment_declined')
        notify('payment.failed', failedOrder)
        return buildFailedReturn(failedOrder)
      }
      case 'late': {
        const failedOrder = addPayment(order, 'failed', 'payment_timed_out')
        notify('payment.failed', failedOrder)
        return buildFailedReturn(failedOrder)
      }
      case 'authorize':
        return buildSignedReturn(addPayment(order, 'authorized'))
      case 'twice': {
        const orderPaidTwice = addPayment(addPayment(order, 'captured'), 'captured')
        notify('payment.captured', orderPaidTwice)
        notify('order.paid', orderPaidTwice)
        return buildSignedReturn(orderPaidTwice)
      }
      case 'pay':
      case 'first':
      case 'silent':
      case 'often':
      case 'forged':
      case 'truncated':
      case 'stay': {
        const paidOrder = addPayment(order, 'captured')
        await sendPaymentWebhooks(paidOrder, action)
        return action === 'stay' ? null : buildSignedReturn(paidOrder)
      }
    }
  }
  const sendPaymentWebhooks = async (
    paidOrder: SimulatedOrder,
    action: SimulatorAction,
  ): Promise<void> => {
    if (action === 'silent') return
    if (action === 'forged')
      return void sendWebhook('payment.captured', paidOrder, { secret: 'wrong' })
    if (action === 'truncated')
      return void sendWebhook('payment.captured', paidOrder, { truncated: true })
    if (action === 'often') {
      const eventId = createId('evt')
      // Sends the webhooks out of order: `order.paid` precedes `payment.authorized`.
      for (let n = 0; n < REPEATED_WEBHOOK_COUNT; n++)
        void sendWebhook('order.paid', paidOrder, { eventId })
      return notify('payment.authorized', paidOrder)
    }
    if (action === 'first') {
      await sendWebhook('payment.captured', paidOrder)
      return
    }
    notify('payment.authorized', paidOrder)
    notify('payment.captured', paidOrder)
    notify('order.paid', paidOrder)
  }

  const parts: SimulatorParts = {
    accounts,
    clock,
    store,
    faults,
    origins: () => origins,
    run,
    setDispute,
    notify,
    refresh,
    capture,
  }
  return {
    faults,
    sent: sentWebhooks,
    addRoutes: (app) => {
      addApiRoutes(app, parts)
      addPageRoutes(app, parts)
    },
    start: (value) => {
      origins = value
    },
    orders: store.all,
    order: (receipt) => {
      const order = store.all().findLast((candidate) => candidate.receipt === receipt)
      return order === undefined ? null : refresh(order)
    },
    run,
    setDispute,
    authoriseLatePayment: async (id) => {
      const order = findLatest({ id })
      const payment = order.payments.at(-1)
      if (payment === undefined) return
      const authorizedOrder = setPayment(order, { ...payment, status: 'authorized', reason: '' })
      const isInTime = clock() < payment.createdAt + order.captureMinutes * MINUTE_MS
      const updatedOrder =
        isInTime && !faults.isCaptureDisabled
          ? capture(authorizedOrder, payment.id)
          : refresh(authorizedOrder)
      await sendWebhook(isInTime ? 'payment.captured' : 'payment.authorized', updatedOrder)
    },
    refundInPanel: (paymentId, amount) => {
      const order = store.all().find(({ payments }) => payments.some(({ id }) => id === paymentId))
      const payment = order?.payments.find(({ id }) => id === paymentId)
      assert(order !== undefined && payment !== undefined, 'the simulator has no such payment')
      const refund = {
        id: createId('rfnd'),
        amount,
        key: '',
        createdAt: clock(),
        dueAt: clock(),
        outcome: 'processed' as const,
      }
      setPayment(order, { ...payment, refunds: [...payment.refunds, refund] })
      return refund.id
    },
    changeReceipt: (id, receipt) => void store.put({ ...findLatest({ id }), receipt }),
    sendWebhook,
    idle: async () => {
      while (pendingDeliveries.size > 0) await Promise.all(pendingDeliveries)
    },
    close: async () => {
      await Promise.all(pendingDeliveries)
    },
  }
}

async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}
