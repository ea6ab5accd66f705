/** Builds the conditions and amounts of received payments and refunds, for their pages and their sums. */
import { sql as raw } from 'kysely'
import type { Expression, Kysely } from 'kysely'
import {
  INR,
  MANUAL_METHOD_IDS,
  readReportedCurrency,
  REFUNDED_OUTSIDE,
} from '../../../engine/index.ts'
import type { Amount, Currency } from '../../../engine/index.ts'
import type { Dialect } from '../database/statements/dialect.ts'
import type { Tables } from '../database/statements/tables.ts'
import { refundByGateway } from '../refunds/refund-states-and-channels.ts'
import type { MovementQuery } from './movement-types.ts'

const NOT_GATEWAYS = [...MANUAL_METHOD_IDS, 'import']
const constants = (words: readonly string[]): Expression<string>[] =>
  words.map((word) => raw.lit(word))

/** Test payments are not money unless staff accepted them. */
export const receivedPayments = (
  builder: Kysely<Tables>,
  { eventIds, from, to, method, isUnsettled, changedAfter }: MovementQuery,
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
            .where('d.at', '>', changedAfter),
        ),
      ]),
    )
  if (isUnsettled === true)
    rows = rows
      .where('c.source', 'not in', constants(NOT_GATEWAYS))
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('settlement_lines as s')
              .select('s.id')
              .whereRef('s.reference', '=', 'c.reference')
              .whereRef('s.source', '=', 'c.source')
              .where('s.kind', '=', raw.lit('sale'))
              .where(({ eb, ref, val }) => eb('c.account', 'in', [ref('s.account'), val('')])),
          ),
        ),
      )
  return rows
}

export const madeRefunds = (
  builder: Kysely<Tables>,
  { eventIds, from, to, method, isUnsettled, changedAfter }: MovementQuery,
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
      .where('c.source', 'not in', constants(NOT_GATEWAYS))
      .where(refundByGateway('f'))
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('settlement_lines as s')
              .select('s.id')
              .whereRef('s.reference', '=', 'f.reference')
              .whereRef('s.source', '=', 'c.source')
              .where('s.kind', '=', raw.lit('refund')),
          ),
        ),
      )
  return rows
}

export const refundMethod = raw<string>`case when c.source in (${raw.join(constants(NOT_GATEWAYS))})
  or f.asked_at is not null or f.who in ('gateway', 'import', 'migration') then c.source else ${raw.lit(REFUNDED_OUTSIDE)} end`

/** A report names a payment by its reference, or only by its order. */
export const feeOfPayment = raw<Amount | null>`(select sum(s.fee + s.tax) from settlement_lines s
  where (s.reference = c.reference or (length(s.reference) = 0 and s.order_id = (select o.order_id from payments o where o.id = c.payment_id)))
  and s.source = c.source and s.kind = 'sale' and c.account in (s.account, ''))`
export const feeOfRefund = raw<Amount | null>`(select sum(s.fee + s.tax) from settlement_lines s
  where s.reference = f.reference and s.source = c.source and s.kind = 'refund' and c.account in (s.account, ''))`

/** The currency of money: the gateway's, else that of the registration. */
export const currencyOf = ({
  code,
  priceCurrency,
}: {
  readonly code: string
  readonly priceCurrency: Currency | null
}): Currency => readReportedCurrency(code) ?? priceCurrency ?? INR
