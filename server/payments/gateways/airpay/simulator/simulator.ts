/** Simulates the gateway: form, page, browser return, webhook, status call and refund. */
import {
  INR,
  formatPlainAmount,
  assert,
  assertNever,
  toAmount,
  readAmount,
} from '../../../../../engine/index.ts'
import type { Instant, Amount } from '../../../../../engine/index.ts'
import type { Log } from '../../../../dependencies.ts'
import type { Account } from '../credentials.ts'
import { computeSecureHash } from '../checksums.ts'
import type { Fields } from '../../message-fields.ts'
import { buildPayerFields } from '../payer-name.ts'
import type { GatewayAddresses, GatewaySimulator } from '../../gateway-definition.ts'
import { openSimulatorOrders } from '../../simulator-orders.ts'
import type { SimulatorOrigins } from '../../simulator-port.ts'
import { addSimulatorRoutes, createReference } from './simulator-routes.ts'
import type { Orders } from './simulator-routes.ts'
import type { Action, SandboxOrder } from './simulator-pages.ts'

// The simulator stores its state, so that a restart loses no payment.

export type AirpaySimulatorOptions = {
  readonly dataDir: string
  readonly accounts: () => readonly Account[]
  /** The return and webhook URLs, which a gateway stores per merchant. */
  readonly returnUrl: (merchantId: string) => string
  readonly webhookUrl: () => string
  readonly clock: () => Instant
  readonly log: Log
  /** The time until a delayed payment arrives. */
  readonly arrivalDelayMs?: number
}

export type AirpaySimulator = GatewaySimulator & {
  order(orderId: string): SandboxOrder | null
  /** Returns the fields that a return or webhook about the order would contain now. */
  getMessage(orderId: string): Fields
  /** Runs the action of a button on the page, without a browser. */
  runAction(orderId: string, action: Action): Promise<void>
  /** Completes a payment that is in progress or no longer expected. */
  settle(orderId: string): void
  /** Makes a refund in the gateway's panel, without a webhook. Returns the refund's reference. */
  refundInPanel(orderId: string, amount: Amount): string
  /** Immediately resends every webhook that has not been accepted. */
  resendWebhooks(): Promise<void>
  /** Resolves when no webhook is being sent. */
  idle(): Promise<void>
}

/** The default delay of a delayed payment. */
const DEFAULT_ARRIVAL_DELAY_MS = 15_000
/** A gateway retries a webhook that was not accepted, and eventually stops. */
const WEBHOOK_RETRY_DELAYS_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const
/** If the app has not responded within this time, the webhook is retried. */
const WEBHOOK_TIMEOUT_MS = 20_000
/** The app starts listening a moment after the sandbox. */
const STARTUP_DELAY_MS = 200

/** Derives the sandbox credentials from the account's name, so that they are the same on every machine. */
export function createSandboxAccount(name: string): Account {
  const existing = accounts.get(name)
  if (existing !== undefined) return existing
  const digits = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 900_000, 7)
  const account = {
    name,
    username: `sandbox-${name}`,
    password: 'sandbox-password',
    secret: 'sandbox-secret16',
    merchantId: String(100_000 + digits),
  }
  accounts.set(name, account)
  return account
}
/** One object per name (names come from event files), because the adapter caches an account's keys by object. */
const accounts = new Map<string, Account>()

export const getAirpaySimulatorAddresses = ({
  page,
  hop,
  server,
}: SimulatorOrigins): GatewayAddresses => ({
  pay: `${page}/pay/index.php`,
  status: `${server}/airpay/order/verify.php`,
  refund: `${server}/airpay/api/refundtxn.php`,
  hops: [page, hop],
})

export function openAirpaySimulator(options: AirpaySimulatorOptions): AirpaySimulator {
  const { clock, log } = options
  const orders = openOrders(options.dataDir)
  const timers = new Set<NodeJS.Timeout>()
  const pendingDeliveries = new Set<Promise<void>>()
  let isClosing = false
  let origins: SimulatorOrigins = { page: '', hop: '', server: '' }

  const findAccount = (merchantId: string): Account | null =>
    options.accounts().find((account) => account.merchantId === merchantId) ?? null

  const runLater = (ms: number, callback: () => void): void => {
    if (isClosing) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      callback()
    }, ms)
    timer.unref()
    timers.add(timer)
  }

  const createMessage = (order: SandboxOrder): Fields => {
    const stageResult = STAGE_RESULTS[order.stage]
    const fields = {
      TRANSACTIONID: order.orderId,
      APTRANSACTIONID: order.reference ?? '',
      AMOUNT: order.paid ?? order.asked,
      TRANSACTIONSTATUS: stageResult.code,
      MESSAGE: stageResult.message,
    }
    const account = findAccount(order.merchantId)
    return {
      ...fields,
      ap_SecureHash: account === null ? '' : computeSecureHash(account, fields, false),
      CUSTOMVAR: '',
      CHMOD: 'pg',
      BILLEDAMOUNT: order.paid ?? order.asked,
      ...buildPayerFields(order),
    }
  }

  /** Sends one webhook; if it is not accepted, retries at growing intervals, each time with the current state. */
  const sendWebhook = (orderId: string, attempt = 0): Promise<void> => {
    const order = orders.get(orderId)
    if (order === null) return Promise.resolve()
    orders.put({ ...order, owed: true })
    if (isClosing) return Promise.resolve()
    const delivery = postWebhook(options.webhookUrl(), createMessage(order)).then((status) => {
      const currentOrder = orders.get(orderId)
      if (status === 200 && currentOrder !== null) {
        // The payment may have arrived while the webhook was being sent. Another webhook then follows, or was already
        // accepted.
        if (currentOrder.stage === order.stage) orders.put({ ...currentOrder, owed: false })
        return
      }
      log.warn({ status, tried: attempt }, 'a webhook of the sandbox was not accepted')
      const retryMs = WEBHOOK_RETRY_DELAYS_MS[attempt]
      if (retryMs !== undefined) runLater(retryMs, () => void sendWebhook(orderId, attempt + 1))
    })
    pendingDeliveries.add(delivery)
    return delivery.finally(() => pendingDeliveries.delete(delivery))
  }

  const recordPayment = (order: SandboxOrder, paid: string): SandboxOrder =>
    orders.put({
      ...order,
      stage: 'paid',
      paid,
      paidAt: clock(),
      reference: order.reference ?? createReference(),
      dueAt: null,
    })
  const settle = (orderId: string): void => {
    const order = orders.get(orderId)
    if (order === null || order.stage === 'paid') return
    recordPayment(order, order.asked)
    void sendWebhook(orderId)
  }
  const scheduleArrival = (order: SandboxOrder): void => {
    if (order.stage === 'in-process' && order.dueAt !== null)
      runLater(
        Math.max(0, order.dueAt - clock()),
        () => orders.get(order.orderId)?.stage === 'in-process' && settle(order.orderId),
      )
  }
  for (const order of orders.all()) {
    scheduleArrival(order)
    if (order.owed) runLater(STARTUP_DELAY_MS, () => void sendWebhook(order.orderId))
  }

  /** Runs the action of a button. Returns true if the browser returns to the event. */
  const performAction = async (order: SandboxOrder, action: Action): Promise<boolean> => {
    switch (action) {
      case 'pay':
      case 'twice':
      case 'first':
      case 'silent':
      case 'stay': {
        recordPayment(order, order.asked)
        const webhooks = Array.from(
          { length: { pay: 1, stay: 1, first: 1, twice: 2, silent: 0 }[action] },
          () => sendWebhook(order.orderId),
        )
        if (action === 'first') await Promise.all(webhooks)
        return action !== 'stay'
      }
      case 'wrong': {
        const requestedAmount = readAmount(order.asked, INR) ?? 0
        recordPayment(order, formatPlainAmount(toAmount(Math.max(1, requestedAmount - 100)), INR))
        void sendWebhook(order.orderId)
        return true
      }
      case 'decline':
        orders.put({ ...order, stage: 'declined', reference: createReference() })
        void sendWebhook(order.orderId)
        return true
      case 'later':
        scheduleArrival(
          orders.put({
            ...order,
            stage: 'in-process',
            reference: createReference(),
            dueAt: clock() + (options.arrivalDelayMs ?? DEFAULT_ARRIVAL_DELAY_MS),
          }),
        )
        return true
      case 'leave':
        orders.put({ ...order, stage: 'dropped', reference: createReference() })
        return false
      default:
        return assertNever(action)
    }
  }

  const getOrder = (orderId: string): SandboxOrder => {
    const order = orders.get(orderId)
    assert(order !== null, 'the sandbox has no such order')
    return order
  }
  return {
    addRoutes: (app) =>
      addSimulatorRoutes(app, {
        ...options,
        orders,
        findAccount,
        buildMessage: createMessage,
        runAction: performAction,
        settle,
        origins: () => origins,
      }),
    start: (value) => {
      origins = value
    },
    order: orders.get,
    getMessage: (orderId) => createMessage(getOrder(orderId)),
    runAction: async (orderId, action) => void (await performAction(getOrder(orderId), action)),
    settle,
    refundInPanel: (orderId, amount) => {
      const order = getOrder(orderId)
      const refund = { reference: createReference(), amount: formatPlainAmount(amount, INR) }
      orders.put({ ...order, refunds: [...order.refunds, refund] })
      return refund.reference
    },
    resendWebhooks: async () => {
      await Promise.all(
        orders.all().flatMap(({ owed, orderId }) => (owed ? [sendWebhook(orderId)] : [])),
      )
    },
    idle: async () => {
      while (pendingDeliveries.size > 0) await Promise.all(pendingDeliveries)
    },
    close: async () => {
      isClosing = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(pendingDeliveries)
    },
  }
}

const STAGE_RESULTS: Readonly<
  Record<SandboxOrder['stage'], { readonly code: string; readonly message: string }>
> = {
  open: { code: '503', message: 'No record found' },
  'in-process': { code: '211', message: 'Transaction in process' },
  paid: { code: '200', message: 'Success' },
  declined: { code: '400', message: 'Declined by the bank' },
  dropped: { code: '401', message: 'Dropped' },
}

async function postWebhook(url: string, fields: Fields): Promise<number> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

function openOrders(dataDir: string): Orders {
  const orders = openSimulatorOrders<SandboxOrder>(
    dataDir,
    'sandbox.jsonl',
    ({ orderId }) => orderId,
  )
  const orderIdsByToken = new Map(orders.all().map(({ token, orderId }) => [token, orderId]))
  return {
    ...orders,
    byToken: (token) => orders.get(orderIdsByToken.get(token) ?? ''),
    put: (order) => {
      orderIdsByToken.set(order.token, order.orderId)
      return orders.put(order)
    },
  }
}
