/**
 * Invariant for cancellations: the proposed refund and earlier refunds add up to the same amount, in whatever order
 * actions happen. An overpayment is owed in full; the event file's refund scale applies to the rest. A refund that was
 * already owed when it was made is treated as if the delegate had never paid that amount.
 */
import { dayOf } from '../../engine/index.ts'
import type { Day, Instant } from '../../engine/index.ts'
import type { ActionsResponse } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { EURO_CHARGE, EURO_EVENT } from './events.ts'
import type { Violation } from './check-payments.ts'

type PaymentTotals = {
  readonly id: number
  readonly event: string
  readonly price: number | null
  readonly paid: number
  readonly refunded: number
  /** The part of the refunds that was owed before a cancellation. */
  readonly owedPartOfRefunds: number
  /** The number of payments that staff accepted at less than the order amount, which reduces the price. */
  readonly shortPayments: number
  /** The total of the bill that was paid. After a correction, each further payment adds the difference. */
  readonly paidBillTotal: number | null
}
const TOTALS_SQL = `SELECT r.id, r.event_id AS event, r.total AS price,
  (SELECT coalesce(sum(c.amount), 0) FROM captures c JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted')) AS paid,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted') AND f.state <> 'refused') AS refunded,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.status IN ('success', 'refunded') AND p.amount >
    (SELECT coalesce(sum(c.amount), p.amount) FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted'))) AS "shortPayments",
  (SELECT sum(p.amount) FROM payments p WHERE p.registration_id = r.id AND p.status IN ('success', 'refunded')) AS "paidBillTotal"
  FROM registrations r WHERE r.reg_no = ?`

/** Returns the refund percentage on a date, for the events that have a refund scale. */
const getRefundPercent = (day: Day): number =>
  day <= '2026-01-31' ? 75 : day <= '2026-02-20' ? 50 : 0
/** Returns the charge that is deducted from the refund. */
const getCharge = (day: Day, event: string): number =>
  event === EURO_EVENT && getRefundPercent(day) === 50 ? EURO_CHARGE : 0
const toPaise = (rupees: number): number => Math.round(rupees * 100)

const computeRefund = (day: Day, price: number, event: string): number =>
  Math.max(0, Math.round((price * getRefundPercent(day)) / 100) - getCharge(day, event))

/**
 * Opens a registration's page. Returns a function that checks the proposed refund. Call it only if the server's clock is
 * correct.
 */
export async function openPageForRefundCheck<Page>(
  {
    sql,
    getOwedPartOfRefunds,
  }: { readonly sql: () => Sql; readonly getOwedPartOfRefunds: (id: number) => number },
  regNo: string,
  { now, openPage }: { readonly now: () => Instant; readonly openPage: () => Promise<Page> },
): Promise<{
  readonly response: Page
  checkProposedRefund(page: ActionsResponse): Violation | null
}> {
  const readState = async (): Promise<string> => {
    const totals = await sql()<Omit<PaymentTotals, 'owedPartOfRefunds'>>(TOTALS_SQL).get(regNo)
    const knownTotals: PaymentTotals | null =
      totals === undefined
        ? null
        : { ...totals, owedPartOfRefunds: getOwedPartOfRefunds(totals.id) }
    return JSON.stringify(knownTotals)
  }
  const days = [dayOf(now())]
  const stateBefore = await readState()
  const response = await openPage()
  const isUnchanged = stateBefore === (await readState())
  days.push(dayOf(now()))
  return {
    response,
    checkProposedRefund: ({
      proposed_back: proposedRefund,
      second_payment: secondPayment,
      ...page
    }) => {
      const totalsBefore = JSON.parse(stateBefore) as PaymentTotals | null
      if (
        !isUnchanged ||
        totalsBefore === null ||
        proposedRefund === null ||
        secondPayment !== null
      )
        return null
      const { price, owedPartOfRefunds, shortPayments } = totalsBefore
      if (shortPayments > 0) return null
      const paid = totalsBefore.paid - owedPartOfRefunds
      const refunded = totalsBefore.refunded - owedPartOfRefunds
      // If a correction increases the bill, any overpayment of the previous bill is still owed to the delegate until the
      // new bill is paid.
      const isPaid = price === null || paid >= price
      const owed = Math.max(
        0,
        paid - (isPaid ? (price ?? paid) : (totalsBefore.paidBillTotal ?? price)),
      )
      const expectedRefunds = days.map((day) =>
        Math.max(0, owed + computeRefund(day, paid - owed, totalsBefore.event) - refunded),
      )
      return expectedRefunds.includes(toPaise(proposedRefund))
        ? null
        : {
            invariant: 'the total refunded at cancellation does not depend on earlier refunds',
            cause: `${regNo}: ${proposedRefund}, ${JSON.stringify({ ...page.cancellation, ...totalsBefore, expected: expectedRefunds })}`,
          }
    },
  }
}
