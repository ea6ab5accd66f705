/** Compares a gateway's settlements with the recorded payments and lists unsettled payments. */
import { toBankKey } from './bank-reference.ts'
import { INR, formatMoney, toAmount, type Amount, type Currency } from '../lib/money.ts'
import type { RegNo } from '../event/registration-number.ts'
import { getLineKey, getTransferKey, type SettlementLine } from './settlement-report.ts'
import { dayOf, countDaysBetween, type Day, type Instant } from '../lib/time.ts'

/** A payment received through the gateway that issued the settlement. */
export type RecordedPayment = {
  readonly id: number
  readonly reference: string
  readonly order: string | null
  /** Null if not assigned to a registration yet. */
  readonly regNo: RegNo | null
  readonly eventId: string | null
  /** The name of the gateway. */
  readonly source: string
  /** Empty if unknown. */
  readonly account: string
  readonly amount: Amount
  readonly currency: Currency
  readonly state: 'fits' | 'review' | 'accepted' | 'refused' | 'unmatched'
  /**
   * False if the gateway reports a test or an unknown kind of sale that staff have not accepted.
   */
  readonly isMoney: boolean
  /**
   * False if paid through another account of the gateway. Then only the order identifies the payment, because
   * accounts may use the same numbers.
   */
  readonly belongsToAccount: boolean
  readonly paidAt: Instant
  readonly refunds: readonly RecordedRefund[]
}
type RecordedRefund = {
  readonly id: number
  readonly reference: string | null
  readonly amount: Amount
  readonly state: 'wanted' | 'asked' | 'done' | 'refused' | 'unsure'
  /**
   * True if paid from the organiser's bank account; the gateway then still pays out the whole payment.
   */
  readonly isManual: boolean
}
/** A Rollcall order that a settlement contains. */
export type RecordedOrder = {
  readonly order: string
  readonly regNo: RegNo
  readonly eventId: string
  /** References of the registration's payments that the gateway did not receive. */
  readonly transfers?: readonly string[]
}

export type SettledLine = {
  readonly line: SettlementLine
  /**
   * `settled`: as recorded; `refunded`: a known refund; `review`: the payment is in payment review;
   * `differs`: recorded differently; `unknown`: not recorded.
   */
  readonly as: 'settled' | 'refunded' | 'review' | 'differs' | 'unknown'
  /** The recorded payment. Null if unknown. */
  readonly money: RecordedPayment | null
  readonly order: RecordedOrder | null
  /** An explanation if staff must check the line; otherwise null. */
  readonly why: string | null
}
/** One bank transfer of a gateway: `sales − refunds − fee − tax − others = net`. */
export type Payout = {
  /** The earliest date in its lines. Null if the lines have no date. */
  readonly day: Day | null
  /** Empty if the report contains none. */
  readonly utr: string
  readonly lines: number
  readonly sales: Amount
  readonly refunds: Amount
  readonly fee: Amount
  readonly tax: Amount
  /** Other deductions or credits: chargebacks, tax withheld. */
  readonly others: Amount
  /** The amount on the bank statement. */
  readonly net: Amount
}
/**
 * Indian gateways pay out within two working days, to which a weekend and a holiday may be added.
 */
export const SETTLED_WITHIN_DAYS = 5

/** A payment that is not in any settlement yet. `days`: days since the payment. */
export type UnsettledPayment = { readonly money: RecordedPayment; readonly days: number }

/** Normalises an order id for comparison: reports may state it in lower case. The line keeps the report's text. */
export const toOrderKey = (order: string): string => order.toUpperCase()

/** Returns each line once, regardless of how many files contain it. */
export function mergeLines(
  ...files: readonly (readonly SettlementLine[])[]
): readonly SettlementLine[] {
  return [...new Map(files.flat().map((line) => [getLineKey(line), line])).values()]
}

/**
 * Checks all lines of an account together, because a payment that was settled twice may be in two
 * files.
 */
export function checkSettlementLines(
  lines: readonly SettlementLine[],
  payments: readonly RecordedPayment[],
  orders: readonly RecordedOrder[],
): readonly SettledLine[] {
  const byReference = new Map(
    payments
      .filter(({ belongsToAccount }) => belongsToAccount)
      .map((money) => [money.reference, money]),
  )
  const getKey = ({ order }: { readonly order: string | null }) =>
    order === null ? null : toOrderKey(order)
  const byOrder = Map.groupBy(payments, getKey)
  const orderById = new Map(orders.map((order) => [toOrderKey(order.order), order]))
  const settledIds = new Set<number>()
  const matchedRefunds = new Set<number>()
  const findPayment = ({ order, reference, amount }: SettlementLine): RecordedPayment | null => {
    const orderPayments = (byOrder.get(toOrderKey(order)) ?? []).toSorted(
      (a, b) => +b.isMoney - +a.isMoney,
    )
    if (reference !== '')
      return (
        orderPayments.find((candidate) => candidate.reference === reference) ??
        byReference.get(reference) ??
        null
      )
    return (
      orderPayments.find(
        (candidate) => candidate.amount === amount && !settledIds.has(candidate.id),
      ) ??
      orderPayments[0] ??
      null
    )
  }
  const isTransfer = ({ order, reference }: SettlementLine): boolean =>
    reference !== '' &&
    orderById.get(toOrderKey(order))?.transfers?.includes(toBankKey(reference)) === true
  /** Finds a refund, first by its own number, because two refunds of a payment may be identical. */
  const findRefund = (
    line: SettlementLine,
  ): readonly [RecordedPayment | null, RecordedRefund | null] => {
    const isMatch = ({ id, amount, state }: RecordedRefund): boolean =>
      amount === line.amount && state !== 'refused' && !matchedRefunds.has(id)
    for (const money of payments.filter(
      (payment) => payment.belongsToAccount || getKey(payment) === getKey(line),
    ))
      for (const refund of money.refunds)
        if (line.reference !== '' && refund.reference === line.reference && isMatch(refund))
          return [money, refund]
    const payment = findPayment(line) ?? byOrder.get(getKey(line))?.[0] ?? null
    const orderPayments = payment === null ? [] : [payment, ...(byOrder.get(getKey(payment)) ?? [])]
    for (const money of orderPayments)
      for (const refund of money.refunds) if (isMatch(refund)) return [money, refund]
    return [payment, null]
  }
  return lines.map((line): SettledLine => {
    const order = orderById.get(toOrderKey(line.order)) ?? null
    if (line.is === 'refund') {
      if (isTransfer(line))
        return { line, as: 'unknown', money: null, order, why: TRANSFER_REFUND_MESSAGE }
      const [money, refund] = findRefund(line)
      if (refund === null)
        return { line, as: 'unknown', money, order, why: explainUnknownRefund(line, money) }
      matchedRefunds.add(refund.id)
      if (money !== null && money.currency !== INR)
        return { line, as: 'differs', money, order, why: explainCurrency(money) }
      const isDone = refund.state === 'done'
      return {
        line,
        as: isDone ? 'refunded' : 'review',
        money,
        order,
        why: isDone ? null : REFUND_NOT_DONE_MESSAGE,
      }
    }
    const money = findPayment(line)
    if (line.is === 'other') return { line, as: 'differs', money, order, why: explainOther(line) }
    if (money === null)
      return {
        line,
        as: 'unknown',
        money,
        order,
        why: order === null ? NO_ORDER_MESSAGE : UNKNOWN_PAYMENT_MESSAGE,
      }
    const isSecond = settledIds.has(money.id)
    settledIds.add(money.id)
    const reason = isSecond ? PAID_OUT_TWICE_MESSAGE : explainDifference(line, money)
    if (reason !== null) return { line, as: 'differs', money, order, why: reason }
    const isOpen = money.state === 'review' || money.state === 'unmatched'
    return { line, as: isOpen ? 'review' : 'settled', money, order, why: null }
  })
}

const REFUND_NOT_DONE_MESSAGE =
  'The gateway deducted this refund, but it is not complete in Rollcall yet.'
const TRANSFER_REFUND_MESSAGE =
  'This reference belongs to a bank transfer, which the gateway did not receive and cannot refund.'
const NO_ORDER_MESSAGE = 'No registration has this order.'
const UNKNOWN_PAYMENT_MESSAGE = 'The order exists, but Rollcall has no record of this payment.'
const PAID_OUT_TWICE_MESSAGE = 'This payment was settled before: the gateway paid it out twice.'

function explainUnknownRefund({ amount }: SettlementLine, money: RecordedPayment | null): string {
  return money === null
    ? 'Rollcall has no record of this refund or its payment.'
    : `Rollcall has no refund of ${formatMoney(amount, INR)} for this payment.`
}

function explainOther({ net }: SettlementLine): string {
  const amount = formatMoney(toAmount(Math.abs(net)), INR)
  return net < 0
    ? `A chargeback or adjustment: ${amount} was deducted.`
    : `An adjustment: ${amount} was credited.`
}

/** Gateways settle in rupees at their own exchange rate. */
const explainCurrency = ({ amount, currency }: RecordedPayment): string =>
  `The payment was ${formatMoney(amount, currency)}; the report is in rupees. Compare it with the gateway's rate.`

function explainDifference(line: SettlementLine, money: RecordedPayment): string | null {
  if (
    line.order !== '' &&
    money.order !== null &&
    toOrderKey(line.order) !== toOrderKey(money.order)
  )
    return `The report states the order ${line.order}, but the payment was for ${money.order}.`
  if (money.currency !== INR) return explainCurrency(money)
  if (line.amount !== money.amount)
    return `The report states ${formatMoney(line.amount, INR)}, but ${formatMoney(money.amount, INR)} was received.`
  return isDismissed(money) ? explainRefunds(money) : null
}

function explainRefunds({ refunds }: RecordedPayment): string {
  const hasState = (...states: readonly RecordedRefund['state'][]): boolean =>
    refunds.some(({ state }) => states.includes(state))
  if (hasState('wanted', 'asked', 'unsure'))
    return 'The gateway paid out this payment, but its refund is not complete yet.'
  return hasState('refused')
    ? 'The gateway paid out this payment, but rejected its refund.'
    : 'Staff ignored this payment, but the gateway paid it out.'
}

function sumRefunds({ refunds }: Pick<RecordedPayment, 'refunds'>): Amount {
  return toAmount(
    refunds.filter(({ state }) => state === 'done').reduce((sum, { amount }) => sum + amount, 0),
  )
}

const sumGatewayRefunds = ({ refunds }: RecordedPayment): Amount =>
  sumRefunds({ refunds: refunds.filter(({ isManual }) => !isManual) })

/**
 * Returns true if staff dismissed the payment. A payment refunded in full after a review has the same state but was
 * not dismissed.
 */
const isDismissed = (money: RecordedPayment): boolean =>
  money.state === 'refused' && sumRefunds(money) < money.amount

/** Groups lines by bank transfer, latest first. */
export function groupByPayout(lines: readonly SettlementLine[]): readonly Payout[] {
  const groups = Map.groupBy(lines, getTransferKey)
  return [...groups.values()]
    .map((lines): Payout => {
      const sum = (getAmount: (line: SettlementLine) => number): Amount =>
        toAmount(lines.reduce((total, line) => total + getAmount(line), 0))
      const sales = sum(({ is, amount }) => (is === 'sale' ? amount : 0))
      const refunds = sum(({ is, amount }) => (is === 'refund' ? amount : 0))
      const [fee, tax, net] = [
        sum((line) => line.fee),
        sum((line) => line.tax),
        sum((line) => line.net),
      ]
      const days = lines.flatMap(({ day }) => (day === null ? [] : [day])).toSorted()
      return {
        day: days[0] ?? null,
        utr: lines[0]?.utr ?? '',
        lines: lines.length,
        sales,
        refunds,
        fee,
        tax,
        others: toAmount(sales - refunds - fee - tax - net),
        net,
      }
    })
    .toSorted((a, b) => (b.day ?? '').localeCompare(a.day ?? '') || a.utr.localeCompare(b.utr))
}

/**
 * Returns payments that the gateway has not paid out yet, oldest first. Excludes payments that the
 * gateway refunded in full, and dismissed payments.
 */
export function listUnsettledPayments(
  settled: readonly SettledLine[],
  payments: readonly RecordedPayment[],
  at: Instant,
): readonly UnsettledPayment[] {
  const settledIds = new Set(
    settled.flatMap(({ line, money }) => (line.is === 'sale' && money !== null ? [money.id] : [])),
  )
  return payments
    .filter(
      (money) =>
        money.isMoney &&
        money.belongsToAccount &&
        !settledIds.has(money.id) &&
        !isDismissed(money) &&
        sumGatewayRefunds(money) < money.amount,
    )
    .map((money) => ({ money, days: countDaysBetween(dayOf(money.paidAt), dayOf(at)) }))
    .toSorted((a, b) => b.days - a.days || a.money.id - b.money.id)
}
