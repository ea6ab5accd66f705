/** Builds the SQL conditions and amounts for lists and sums of received payments and refunds. */
import { sql as raw } from 'kysely'
import type { Expression, Kysely } from 'kysely'
import {
  INR,
  MANUAL_METHOD_IDS,
  readReportedCurrency,
  REFUNDED_OUTSIDE,
  STATEMENT_METHODS,
} from '../../../engine/index.ts'
import type { Amount, Currency } from '../../../engine/index.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import type { CaptureState } from '../database/statements/money-tables.ts'
import type { Tables } from '../database/statements/tables.ts'
import { isGatewayRefund } from '../refunds/refund-states-and-channels.ts'
import type { MovementQuery } from './movement-types.ts'

const NON_GATEWAY_SOURCES = [...MANUAL_METHOD_IDS, 'import']
const toLiterals = (words: readonly string[]): Expression<string>[] =>
  words.map((word) => raw.lit(word))

const REFUND_DECISIONS = toLiterals(['refund', 'refund by hand'])
const COUNTED_STATES = (['fits', 'accepted'] as const).map((state) => raw.lit(state))

/** Selects received payments. Test payments are excluded unless staff accepted them. */
export const selectReceivedPayments = (
  builder: Kysely<Tables>,
  { eventIds, from, to, method, isUnsettled, isUnreconciled, changedAfter }: MovementQuery,
  dialect: Dialect,
) => {
  let rows = builder
    .selectFrom('captures as c')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .where('c.paid_at', '>=', from)
    .where('c.paid_at', '<', to)
    .where(({ eb, or }) =>
      or([eb('c.kind', '<>', raw.lit('test')), eb('c.state', '=', raw.lit('accepted'))]),
    )
  if (eventIds !== null)
    rows = rows.where(({ fn }) =>
      dialect.isIn(fn.coalesce('r.event_id', 'c.found_for'), JSON.stringify(eventIds)),
    )
  if (method !== undefined) rows = rows.where('c.source', '=', method)
  if (changedAfter !== undefined)
    rows = rows.where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('c.seen_at', '>', changedAfter),
        exists(
          selectFrom('decisions as d')
            .select('d.id')
            .whereRef('d.capture_id', '=', 'c.id')
            .where('d.at', '>', changedAfter)
            // Excludes decisions to refund a counted payment, which change only the month of the refund.
            .where((decision) =>
              decision.or([
                decision('d.what', 'not in', REFUND_DECISIONS),
                decision('c.state', 'not in', COUNTED_STATES),
              ]),
            ),
        ),
      ]),
    )
  if (isUnsettled === true)
    rows = rows
      .where('c.source', 'not in', toLiterals(NON_GATEWAY_SOURCES))
      .where(feeOfPayment, 'is', null)
  if (isUnreconciled === true) rows = rows.where(unreconciledFlag, '=', 1)
  return rows
}

export const selectCompletedRefunds = (
  builder: Kysely<Tables>,
  { eventIds, from, to, method, isUnsettled, isUnreconciled, changedAfter }: MovementQuery,
  dialect: Dialect,
) => {
  let rows = builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .where('f.state', '=', raw.lit('done'))
    .where('f.done_at', '>=', from)
    .where('f.done_at', '<', to)
  if (eventIds !== null)
    rows = rows.where(({ fn }) =>
      dialect.isIn(fn.coalesce('r.event_id', 'c.found_for'), JSON.stringify(eventIds)),
    )
  if (method !== undefined) rows = rows.where(refundMethod, '=', method)
  if (changedAfter !== undefined) rows = rows.where('f.done_at', '>', changedAfter)
  if (isUnsettled === true)
    rows = rows
      .where('c.source', 'not in', toLiterals(NON_GATEWAY_SOURCES))
      .where(isGatewayRefund('f'))
      .where(equalLineCount, '<', equalRefundCount)
  if (isUnreconciled === true) rows = rows.where(raw<boolean>`1 = 0`)
  return rows
}

/**
 * 1 for a payment that appears in no statement line. A refused payment needs no line, because it may never have been
 * received.
 */
export const unreconciledFlag = raw<
  0 | 1
>`case when c.source in (${raw.join(toLiterals(STATEMENT_METHODS))}) and c.state <> 'refused'
  and not exists (select 1 from bank_line_payments l where l.capture_id = c.id) then 1 else 0 end`

export const refundMethod = raw<string>`case when c.source in (${raw.join(toLiterals(NON_GATEWAY_SOURCES))})
  or f.asked_at is not null or f.who in ('gateway', 'import', 'migration') then c.source else ${raw.lit(REFUNDED_OUTSIDE)} end`

/** The fee and tax on a payment. A settlement report identifies a payment by its reference, or only by its order. */
export const feeOfPayment = raw<Amount | null>`(select sum(s.fee + s.tax) from settlement_lines s
  where (s.reference = c.reference or (length(s.reference) = 0 and s.order_id = (select o.order_id from payments o where o.id = c.payment_id)))
  and s.source = c.source and s.kind = 'sale' and c.account in (s.account, ''))`
export const feeOfRefund = raw<Amount | null>`(select sum(s.fee + s.tax) from settlement_lines s
  where s.reference = f.reference and s.source = c.source and s.kind = 'refund' and c.account in (s.account, ''))`

/**
 * The number of report lines for equal refunds. A settlement report identifies a refund by its reference, or by its
 * amount together with its payment or order. Two equal refunds need two lines.
 */
const equalLineCount = raw<number>`(select count(*) from settlement_lines l
  where l.source = c.source and l.kind = 'refund' and l.amount = f.amount and l.id in (
    select o.id from settlement_lines o join payments p on p.order_id = o.order_id where p.id = c.payment_id
    union select n.id from settlement_lines n where n.reference = c.reference and c.account in (n.account, '')
    union select n.id from settlement_lines n where c.account in (n.account, '') and n.reference in
      (select g.reference from refunds g where g.capture_id = c.id)))`
const equalRefundCount = raw<number>`(select count(*) from refunds g join captures d on d.id = g.capture_id
  where (d.id = c.id or d.payment_id = c.payment_id) and g.amount = f.amount and g.id <= f.id and ${isGatewayRefund('g')})`

/** Returns true for a payment that counts as revenue. Other payments have no invoice. */
export const isCounted = (state: CaptureState): boolean => state === 'fits' || state === 'accepted'

/** Returns the currency of an amount: the gateway's currency if known, otherwise the registration's. */
export const getCurrency = ({
  code,
  priceCurrency,
}: {
  readonly code: string
  readonly priceCurrency: Currency | null
}): Currency => readReportedCurrency(code) ?? priceCurrency ?? INR
