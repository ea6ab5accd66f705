/**
 * The gateway as it is on its own side: orders that browsers brought, what became of them, and what it says
 * when asked, in the texts of its protocol. It never lies about money; how well it can be asked, and what
 * its messages claim, is another matter.
 */
import { amountText, instant, paise } from '../../engine/index.ts'
import type { Instant, Paise } from '../../engine/index.ts'
import type { Account } from '../../server/dependencies.ts'
import { secureHash } from '../../server/payments/gateways/airpay/checksums.ts'
import type { Fields } from '../../server/payments/gateways/airpay/parse-message.ts'
import type { Random } from './random.ts'

const INDIA_MS = 5.5 * 3_600_000

/** One go at paying an order. `200` is money; other codes say how it failed. */
export type Transaction = {
  readonly reference: string
  readonly amount: Paise
  readonly currency: string
  readonly type: string
  readonly isTest: boolean
  readonly at: Instant
  readonly code: string
  readonly message: string
  /** A proper answer to our question has named it. */
  isTold: boolean
  /** A true notice of it was answered with 200. */
  isClaimed: boolean
}
/** Money that goes back; `doneAt` later than any history: the gateway has begun it and never does it. */
export type GivenBack = {
  readonly reference: string
  readonly of: string
  readonly amount: Paise
  readonly at: Instant
  readonly doneAt: Instant
  /** Asked for by our call, or made by a person in the panel. */
  readonly by: 'call' | 'panel'
  isTold: boolean
}
export type Order = {
  readonly orderId: string
  readonly merchantId: string
  readonly asked: Paise
  /** When the browser brought it first. */
  readonly at: Instant
  readonly transactions: Transaction[]
  readonly givenBack: GivenBack[]
  /** Money on its way: 211 until then. */
  heldUntil: number
  /** Whether its status call names every capture of an order, or the newest only. */
  readonly tells: 'all' | 'newest'
  /** Whether its answers state the time of payment. */
  readonly statesTime: boolean
  /** A bad answer called it unknown. */
  isDenied: boolean
  /** How it calls an order that nobody has paid. */
  readonly unpaidCode: string
}

export type Gateway = {
  readonly orders: ReadonlyMap<string, Order>
  /** A browser brings an order, perhaps once more. */
  visit(orderId: string, merchantId: string, asked: string, at: Instant): Order
  /** By its reference, whosever order it is of. */
  find(reference: string | null): { readonly order: Order; readonly made: Transaction } | null
  nextReference(): string
  transact(order: Order, made: Omit<Transaction, 'reference' | 'isTold' | 'isClaimed'>): Transaction
  /** Its answer to the status call, and the transactions that it names. */
  status(merchantId: string, orderId: string, at: Instant): Answered
}
export type Answered = {
  readonly text: string
  readonly named: readonly (Transaction | GivenBack)[]
}

export const isMoney = ({ code }: Transaction): boolean => code === '200'
/** Money as we asked for it: the amount, a sale, in rupees, and real. */
export const isRight = (order: Order, made: Transaction): boolean =>
  isMoney(made) &&
  made.amount === order.asked &&
  made.currency === 'INR' &&
  made.type === '320' &&
  !made.isTest

export function openGateway(random: Random): Gateway {
  const orders = new Map<string, Order>()
  let references = 10_000
  return {
    orders,
    visit: (orderId, merchantId, asked, at) => {
      const known = orders.get(orderId)
      if (known !== undefined) return known
      const order: Order = {
        orderId,
        merchantId,
        asked: paise(Math.round(Number(asked) * 100)),
        at,
        transactions: [],
        givenBack: [],
        heldUntil: 0,
        isDenied: false,
        tells: random.chance(0.7) ? 'all' : 'newest',
        statesTime: random.chance(0.9),
        unpaidCode: random.pick(['503', '503', '503', '401', '402', '403']),
      }
      orders.set(orderId, order)
      return order
    },
    find: (reference) => {
      for (const order of orders.values()) {
        const made = order.transactions.find((one) => one.reference === reference)
        if (made !== undefined) return { order, made }
      }
      return null
    },
    nextReference: () => String(references++),
    transact: (order, made) => {
      const transaction = {
        ...made,
        reference: String(references++),
        isTold: false,
        isClaimed: false,
      }
      order.transactions.push(transaction)
      return transaction
    },
    status: (merchantId, orderId, at) => {
      const order = orders.get(orderId)
      if (order === undefined || order.merchantId !== merchantId) return unpaid(orderId, '503')
      const came = order.transactions.filter(isMoney)
      const named = order.tells === 'all' ? came : came.slice(-1)
      if (named.length > 0) {
        // Money that went back stands beside the money it is of.
        const back = order.givenBack.filter(
          ({ of, doneAt }) => doneAt <= at && named.some(({ reference }) => reference === of),
        )
        const told = [
          ...named.map((one) => fieldsOf(order, one)),
          ...back.map((one) => backFieldsOf(order, one)),
        ]
        return { text: answerOf(told), named: [...named, ...back] }
      }
      if (at < order.heldUntil) return unpaid(orderId, '211')
      const last = order.transactions.at(-1)
      return last === undefined
        ? unpaid(orderId, order.unpaidCode)
        : { text: answerOf([fieldsOf(order, last)]), named: [] }
    },
  }
}

function unpaid(orderId: string, code: string): Answered {
  const fields = { TRANSACTIONID: orderId, TRANSACTIONSTATUS: code, MESSAGE: 'No transaction' }
  return { text: answerOf([fields]), named: [] }
}

function fieldsOf(order: Order, made: Transaction): Fields {
  return {
    TRANSACTIONID: order.orderId,
    APTRANSACTIONID: made.reference,
    AMOUNT: amountText(made.amount),
    TRANSACTIONSTATUS: made.code,
    MESSAGE: made.message,
    CURRENCYCODE: made.currency === 'INR' ? '356' : made.currency,
    TRANSACTIONTYPE: made.type,
    ...(made.isTest ? { TXN_MODE: 'TEST' } : {}),
    ...(order.statesTime ? { TRANSACTIONTIME: timeText(made.at) } : {}),
  }
}

function backFieldsOf(order: Order, { reference, amount }: GivenBack): Fields {
  return {
    TRANSACTIONID: order.orderId,
    APTRANSACTIONID: reference,
    AMOUNT: amountText(amount),
    TRANSACTIONSTATUS: '200',
    MESSAGE: 'Refunded',
    CURRENCYCODE: '356',
    TRANSACTIONTYPE: '340',
  }
}

const DAY_MS = 24 * 3_600_000
/** Begun, and never done. */
const NEVER = instant(8_000_000_000_000_000)

/** Null: there is not so much of it left. */
export function giveBack(
  gateway: Gateway,
  order: Order,
  of: Transaction,
  amount: Paise,
  at: Instant,
  by: GivenBack['by'],
  random: Random,
): GivenBack | null {
  const gone = order.givenBack
    .filter((back) => back.of === of.reference)
    .reduce((sum, back) => sum + back.amount, 0)
  if (gone + amount > of.amount) return null
  const isNever = by === 'call' && random.chance(0.05)
  const doneAt = isNever ? NEVER : instant(at + random.mostly(1000, 2 * DAY_MS))
  const made: GivenBack = {
    reference: gateway.nextReference(),
    of: of.reference,
    amount,
    at,
    doneAt,
    by,
    isTold: false,
  }
  order.givenBack.push(made)
  return made
}

/** What it answers to our call for a refund, done as the call says. */
export function answerRefund(gateway: Gateway, body: string, at: Instant, random: Random): string {
  const asked = JSON.parse(body) as {
    transactions: readonly { amount: string; processor_id: string }[]
  }
  const [one] = asked.transactions
  const found = gateway.find(one?.processor_id ?? null)
  const amount = paise(Math.round(Number(one?.amount ?? 0) * 100))
  const made =
    found === null || random.chance(0.08)
      ? null
      : giveBack(gateway, found.order, found.made, amount, at, 'call', random)
  const said = {
    airpayid: one?.processor_id ?? '',
    success: made === null ? 'false' : 'true',
    refundairpayid: made?.reference ?? '',
    message: made === null ? 'Not allowed' : 'Refund begun',
  }
  return JSON.stringify({ success: said.success, message: said.message, transactions: [said] })
}

/** As it writes times: "21-01-2026 14:05:00", in India. */
function timeText(at: Instant): string {
  const [date = '', time = ''] = new Date(at + INDIA_MS).toISOString().split('T')
  return `${date.split('-').reverse().join('-')} ${time.slice(0, 8)}`
}

function answerOf(transactions: readonly Fields[]): string {
  const bodies = transactions.map(
    (fields) =>
      `<TRANSACTION>${Object.entries(fields)
        .map(([name, value]) => `<${name}><![CDATA[${value}]]></${name}>`)
        .join('')}</TRANSACTION>`,
  )
  return `<?xml version="1.0"?><RESPONSE>${bodies.join('')}</RESPONSE>`
}

/** What a browser's return or a notice says of a transaction, with the hash that fits. */
export function messageOf(order: Order, made: Transaction, account: Account | null): Fields {
  const { TRANSACTIONTIME, ...said } = { TRANSACTIONTIME: '', ...fieldsOf(order, made) }
  void TRANSACTIONTIME
  return account === null ? said : { ...said, ap_SecureHash: secureHash(account, said, false) }
}
