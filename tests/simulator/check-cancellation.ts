/**
 * What is promised of a cancellation: the refund that the page proposes and the refunds before it add up to the same, in whatever
 * order they are clicked. Money beyond the price is owed in full, and the scale of the event file applies to the rest. What went
 * back because it was owed then is as if it had never been paid.
 */
import { dayOf } from '../../engine/index.ts'
import type { Day, Instant } from '../../engine/index.ts'
import type { ActionsAnswer } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import type { Violation } from './check-payments.ts'

type Money = {
  readonly id: number
  readonly price: number | null
  readonly paid: number
  readonly refunded: number
  /** What of that was owed before a cancellation. */
  readonly owedBack: number
  /** A payment that staff accepted at less than it asked for lowers the price. */
  readonly short: number
}
const MONEY = `SELECT r.id, r.total AS price,
  (SELECT coalesce(sum(c.amount), 0) FROM captures c JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted')) AS paid,
  (SELECT coalesce(sum(f.amount), 0) FROM refunds f JOIN captures c ON c.id = f.capture_id JOIN payments p ON p.id = c.counts_for
    WHERE p.registration_id = r.id AND c.state IN ('fits', 'accepted') AND f.state <> 'refused') AS refunded,
  (SELECT count(*) FROM payments p WHERE p.registration_id = r.id AND p.status IN ('success', 'refunded') AND p.amount >
    (SELECT coalesce(sum(c.amount), p.amount) FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted'))) AS short
  FROM registrations r WHERE r.reg_no = ?`

/** The scale of the events that have one. */
const percentOn = (on: Day): number => (on <= '2026-01-31' ? 75 : on <= '2026-02-20' ? 50 : 0)
const paiseIn = (rupees: number): number => Math.round(rupees * 100)

/** Reads what the page of a registration says; the clock of the server is right. */
export async function proposalOf<Page>(
  { sql, owedBack }: { readonly sql: () => Sql; readonly owedBack: (id: number) => number },
  regNo: string,
  { now, open }: { readonly now: () => Instant; readonly open: () => Promise<Page> },
): Promise<{ readonly answer: Page; judge(page: ActionsAnswer): Violation | null }> {
  const read = (): string => {
    const money = sql()<Omit<Money, 'owedBack'>>(MONEY).get(regNo)
    const known: Money | null =
      money === undefined ? null : { ...money, owedBack: owedBack(money.id) }
    return JSON.stringify(known)
  }
  const days = [dayOf(now())]
  const before = read()
  const answer = await open()
  const isQuiet = before === read()
  days.push(dayOf(now()))
  return {
    answer,
    judge: ({ proposed_back: proposed, second_payment: second, ...page }) => {
      const money = JSON.parse(before) as Money | null
      if (!isQuiet || money === null || proposed === null || second !== null) return null
      const { price, owedBack: backAsOwed, short } = money
      if (short > 0) return null
      const paid = money.paid - backAsOwed
      const refunded = money.refunded - backAsOwed
      const owed = Math.max(0, paid - (price ?? paid))
      const wanted = days.map((on) =>
        Math.max(0, owed + Math.round(((paid - owed) * percentOn(on)) / 100) - refunded),
      )
      return wanted.includes(paiseIn(proposed))
        ? null
        : {
            promise: 'the refund at cancellation does not depend on the refunds before it',
            by: `${regNo}: ${proposed}, ${JSON.stringify({ ...page.cancellation, ...money, wanted })}`,
          }
    },
  }
}
