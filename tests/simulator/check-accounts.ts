/**
 * Invariants for merchant accounts: after every write, the recorded sums for each account, currency and registration
 * equal the gateway's records.
 */
import { readReportedCurrency } from '../../engine/index.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'
import { ACCOUNTS } from './events.ts'
import { isCapture } from './gateway.ts'
import type { Gateway, GatewayRefund, Order } from './gateway.ts'
import { RAZORPAY_ACCOUNT, RAZORPAY_MERCHANT } from './razorpay-gateway.ts'

type CaptureRow = {
  readonly id: number
  readonly source: string
  readonly account: string
  readonly reference: string
  readonly amount: number
  readonly currency: string
  readonly order_id: string
  /** The id of the registration that the payment belongs to. */
  readonly payer: number
}
const CAPTURES_SQL = `SELECT c.id, c.source, c.account, c.reference, c.amount, c.currency, p.order_id, p.registration_id AS payer
  FROM captures c JOIN payments p ON p.id = c.payment_id WHERE c.source IN ('airpay', 'razorpay')`
type RefundRow = {
  readonly capture_id: number
  readonly reference: string
  readonly amount: number
}
/** Completed refunds, except those that staff recorded without a reference. */
const REFUNDS_SQL =
  "SELECT capture_id, reference, amount FROM refunds WHERE state = 'done' AND reference IS NOT NULL"
/** Airpay orders that are not in rupees. Airpay accepts only rupees. */
const WRONG_GATEWAY_SQL = `SELECT p.order_id, r.currency FROM payments p JOIN registrations r ON r.id = p.registration_id
  WHERE p.gateway = 'airpay' AND r.currency <> 'INR'`

export function createAccountInvariants(
  sql: () => Sql,
  gateway: Gateway,
): { afterWrite(): Promise<Violation | null>; whenIdle(): Promise<Violation | null> } {
  const findRefund = (reference: string): GatewayRefund | undefined =>
    [...gateway.orders.values()]
      .flatMap(({ gatewayRefunds }) => gatewayRefunds)
      .find((refund) => refund.reference === reference)

  /** Compares the sums per account and per payer, in each currency, with the gateway's records. */
  const compareBooks = async (): Promise<Violation | null> => {
    const recordedSums = new Map<string, number>()
    const gatewaySums = new Map<string, number>()
    const rows = await sql()<CaptureRow>(CAPTURES_SQL).all()
    for (const row of rows) {
      const reportedPayment = gateway.find(row.reference)
      for (const key of [`${row.source} ${row.account}`, `payer ${row.payer}`])
        add(recordedSums, `${key} ${row.currency}`, row.amount)
      if (reportedPayment === null || !isCapture(reportedPayment.transaction)) continue
      for (const key of [getAccountName(reportedPayment.order), `payer ${row.payer}`])
        add(
          gatewaySums,
          `${key} ${readReportedCurrency(reportedPayment.transaction.currency) ?? reportedPayment.transaction.currency}`,
          reportedPayment.transaction.amount,
        )
    }
    const refunds = await sql()<RefundRow>(REFUNDS_SQL).all()
    for (const [reference, parts] of Map.groupBy(refunds, (refund) => refund.reference)) {
      const refund = findRefund(reference)
      const row = rows.find(({ id }) => id === parts[0]?.capture_id)
      // Refunds made outside the gateway are checked with the bank's records and with disputes.
      if (refund === undefined || row === undefined) continue
      const sum = parts.reduce((total, { amount }) => total + amount, 0)
      for (const key of [`${row.source} ${row.account}`, `payer ${row.payer}`]) {
        add(recordedSums, `${key} ${row.currency}`, -sum)
        add(gatewaySums, `${key} ${row.currency}`, -refund.amount)
      }
    }
    const differingKey = [...new Set([...recordedSums.keys(), ...gatewaySums.keys()])].find(
      (key) => (recordedSums.get(key) ?? 0) !== (gatewaySums.get(key) ?? 0),
    )
    return differingKey === undefined
      ? null
      : {
          invariant: 'the books of each account balance in each currency',
          cause: `${differingKey}: recorded ${recordedSums.get(differingKey)}, at the gateway ${gatewaySums.get(differingKey)}`,
        }
  }
  return {
    afterWrite: async () => {
      const wrongOrder = await sql()(WRONG_GATEWAY_SQL).get()
      if (wrongOrder !== undefined)
        return {
          invariant: 'a bill is sent only to a gateway that accepts its currency',
          cause: JSON.stringify(wrongOrder),
        }
      return compareBooks()
    },
    whenIdle: async () => {
      const rows = await sql()<CaptureRow>(CAPTURES_SQL).all()
      for (const order of gateway.orders.values())
        for (const transaction of order.transactions) {
          if (!isCapture(transaction) || !transaction.isReported) continue
          const count = rows.filter(
            ({ reference, order_id: orderId, source, account }) =>
              reference === transaction.reference &&
              orderId === order.orderId &&
              `${source} ${account}` === getAccountName(order),
          ).length
          if (count !== 1)
            return {
              invariant: 'every payment that the gateway reports is recorded once, for its account',
              cause: `${order.orderId}: ${count} of ${JSON.stringify(transaction)}`,
            }
        }
      return null
    },
  }
}

const add = (sums: Map<string, number>, key: string, amount: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + amount)

/** Returns the merchant's gateway and account, under their names in event files. */
function getAccountName({ merchantId }: Order): string {
  if (merchantId === RAZORPAY_MERCHANT) return `razorpay ${RAZORPAY_ACCOUNT.name}`
  const account = Object.values(ACCOUNTS)
    .flatMap((accounts) => Object.values(accounts))
    .find((candidate) => candidate.merchantId === merchantId)
  return `airpay ${account?.name ?? ''}`
}
