/** Finds registrations of an event that expect a payment, and known bank references. */
import { paise } from '../../../engine/index.ts'
import type {
  Answers,
  Awaited,
  BankKey,
  Day,
  KnownPayment,
  PayoutKnown,
  RegNo,
} from '../../../engine/index.ts'
import { paymentsUnder, reportsUnder } from './bank-references.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { SettlementAccount } from './settlement-types.ts'
import type { ReferenceReport } from '../payments/payment-claim-types.ts'
import { due } from '../migrations/amounts-due.ts'

type Row = {
  reg_no: RegNo
  full_name: string
  due: number
  told: string | null
  paid_on: Day | null
  answers: string | null
  category: string | null
  in_review: 0 | 1
}
export type StoredAwaited = Awaited & {
  /** The data that determines its price, if it is unpaid and uses one of the named payment methods. */
  readonly priced: {
    readonly answers: Answers
    readonly category: string | null
    /** Money for it is under review, at the price of its day. */
    readonly isInReview: boolean
  } | null
}

/** In order of registration. A registration that is complete except for a difference expects that. */
export async function awaited(
  sql: Sql,
  eventId: string,
  pricedWays: readonly string[],
): Promise<readonly StoredAwaited[]> {
  return (
    await sql<Row>(
      `SELECT r.reg_no, r.full_name, ${due('r')} AS due, t.reference AS told, t.paid_on, r.category, r.in_review,
       CASE WHEN r.payment_status <> 'success' AND p.way IN (SELECT value FROM json_each(?)) AND r.erased_at IS NULL THEN r.answers END AS answers
     FROM registrations r LEFT JOIN tellings t ON t.registration_id = r.id AND t.ended_as IS NULL
     LEFT JOIN payments p ON p.id = (SELECT id FROM payments WHERE registration_id = r.id ORDER BY attempt DESC LIMIT 1)
     WHERE r.event_id = ? AND r.state IN ('to_pay', 'told', 'lapsed') AND r.total > 0 ORDER BY r.id`,
    ).all(JSON.stringify(pricedWays), eventId)
  ).map(({ reg_no: regNo, full_name: name, due: amount, told, paid_on: on, answers, ...row }) => ({
    regNo,
    name,
    due: paise(amount),
    told: told === null ? null : { reference: told, day: on },
    priced:
      answers === null
        ? null
        : {
            answers: JSON.parse(answers) as Answers,
            category: row.category,
            isInReview: row.in_review === 1,
          },
  }))
}

type StoredPayout = PayoutKnown & SettlementAccount

/** The store's data about the references of a bank statement. */
export type StoredReferences = {
  readonly payments: readonly (readonly [key: BankKey, payment: KnownPayment])[]
  readonly payouts: readonly (readonly [key: BankKey, payout: StoredPayout])[]
  readonly registrations: readonly { readonly regNo: RegNo; readonly eventId: string }[]
  /** Payment claims of every event. */
  readonly reports: readonly ReferenceReport[]
}

/** Returns recorded payments, gateway payouts, and registrations that these keys name. */
export async function knownReferences(
  sql: Sql,
  keys: readonly BankKey[],
): Promise<StoredReferences> {
  const listed = JSON.stringify(keys)
  return {
    payments: await paymentsUnder(sql, keys),
    payouts: (
      await sql<StoredPayout & { key: BankKey }>(
        `SELECT utr_key AS "key", source, account, min(utr) AS utr, count(*) AS lines, sum(net) AS net FROM settlement_lines
       WHERE utr_key <> '' AND utr_key IN (SELECT value FROM json_each(?)) GROUP BY utr_key, source, account`,
      ).all(listed)
    ).map(({ key, ...payout }) => [key, payout]),
    registrations: await sql<{ regNo: RegNo; eventId: string }>(
      'SELECT reg_no AS regNo, event_id AS eventId FROM registrations WHERE reg_no IN (SELECT value FROM json_each(?))',
    ).all(listed),
    reports: await reportsUnder(sql, keys),
  }
}
