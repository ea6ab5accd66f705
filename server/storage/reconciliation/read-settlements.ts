/** Reads settlement lines, and the payments with which they are compared. */
import { sql as raw } from 'kysely'
import { getReceivedCurrency, isGatewayPayment, toOrderKey } from '../../../engine/index.ts'
import type {
  RecordedPayment,
  RecordedOrder,
  RegNo,
  SettlementLine,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { isManualRefund } from '../refunds/refund-states-and-channels.ts'
import type { SettlementAccount, StoredSettlementLine } from './settlement-types.ts'

/** The columns of a stored line. */
export const SETTLEMENT_LINE_COLUMNS = [
  'line',
  'kind as is',
  'order_id as order',
  'reference',
  'amount',
  'fee',
  'tax',
  'net',
  'day',
  'utr',
  'paid_on as paidOn',
  'nth',
] as const

const linesOfAccount = statement((builder, { source, account }: SettlementAccount) =>
  builder
    .selectFrom('settlement_lines as s')
    .leftJoin('settlement_line_decisions as d', (join) =>
      join.on('d.id', '=', ({ selectFrom }) =>
        selectFrom('settlement_line_decisions')
          .select(({ fn }) => fn.max('id').as('id'))
          .whereRef('settlement_line_id', '=', 's.id'),
      ),
    )
    .select([
      ...SETTLEMENT_LINE_COLUMNS,
      's.id as id',
      'd.id as decisionId',
      'd.why as why',
      'd.who as who',
      'd.at as at',
    ])
    .where('source', '=', source)
    .where('account', '=', account)
    .orderBy('s.id'),
)
const accountsWithPayments = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('captures as c')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .distinct()
    .select(['c.source', 'c.account'])
    .where(({ eb, fn }) => eb(fn.coalesce('r.event_id', 'c.found_for'), '=', eventId))
    .union(
      builder
        .selectFrom('settlements')
        .select(['source', 'account'])
        .where('event_id', '=', eventId),
    )
    .orderBy('source')
    .orderBy('account'),
)
const eventsWithOrders = statement((builder, { source, account }: SettlementAccount) =>
  builder
    .selectFrom('payments as p')
    .innerJoin('registrations as r', 'r.id', 'p.registration_id')
    .distinct()
    .select('r.event_id as eventId')
    .where('p.gateway', '=', source)
    .where('p.account', '=', account)
    .orderBy('eventId'),
)
const refundsThroughGateway = statement((builder, { source }: { source: string }) =>
  builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .select(({ eb, lit }) => [
      'f.capture_id',
      'f.id',
      'f.reference',
      'f.amount',
      'f.state',
      eb.case().when(isManualRefund).then(lit(1)).else(lit(0)).end().as('is_by_hand'),
    ])
    .where('c.source', '=', source)
    .orderBy('f.id'),
)
const paymentsThroughGateway = statement((builder, { source, account }: SettlementAccount) =>
  builder
    .selectFrom('captures as c')
    .leftJoin('payments as p', 'p.id', 'c.payment_id')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ eb, fn, lit, or }) => [
      'c.id',
      'c.reference',
      fn.coalesce('p.order_id', 'c.unknown_order').as('order'),
      'r.reg_no as regNo',
      fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
      'c.source',
      'c.account',
      'c.amount',
      'c.currency as code',
      'c.state',
      'c.paid_at as paidAt',
      eb
        .case()
        .when(or([eb('c.kind', '=', 'sale'), eb('c.state', '=', 'accepted')]))
        .then(lit(1))
        .else(lit(0))
        .end()
        .as('isMoney'),
      eb
        .case()
        .when('c.account', 'in', [account, ''])
        .then(lit(1))
        .else(lit(0))
        .end()
        .as('belongsToAccount'),
    ])
    .where('c.source', '=', source)
    .orderBy('c.id'),
)
const transfersOfOrders = statement((builder, { orders }: { orders: string }, dialect) =>
  builder
    .selectFrom('payments as p')
    .innerJoin('captures as c', (join) =>
      join
        .onRef('c.registration_id', '=', 'p.registration_id')
        .onRef('c.source', '<>', 'p.gateway'),
    )
    .innerJoin('bank_references as b', 'b.capture_id', 'c.id')
    .select(['p.order_id as order', 'b.key'])
    .where(({ ref }) => dialect.isIn(ref('p.order_id'), orders))
    .orderBy('b.key'),
)
const registrationsOfOrders = statement((builder, { orders }: { orders: string }, dialect) =>
  builder
    .selectFrom('payments as p')
    .innerJoin('registrations as r', 'r.id', 'p.registration_id')
    .select(['p.order_id as order', 'r.reg_no as regNo', 'r.event_id as eventId'])
    .where(({ ref }) => dialect.isIn(ref('p.order_id'), orders)),
)
const linesOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('settlement_lines as s')
    .select(SETTLEMENT_LINE_COLUMNS)
    .where(({ eb, selectFrom }) =>
      eb(
        's.id',
        'in',
        selectFrom('registrations as r')
          .innerJoin('captures as c', 'c.registration_id', 'r.id')
          .innerJoin('settlement_lines as l', (join) =>
            join
              .onRef('l.reference', '=', 'c.reference')
              .onRef('l.source', '=', 'c.source')
              .on(({ eb, ref, val }) => eb('c.account', 'in', [ref('l.account'), val('')])),
          )
          .select('l.id')
          .where('r.reg_no', '=', regNo)
          .union(
            selectFrom('registrations as r')
              .innerJoin('payments as p', 'p.registration_id', 'r.id')
              .innerJoin('settlement_lines as l', (join) =>
                join.onRef('l.order_id', '=', 'p.order_id').onRef('l.source', '=', 'p.gateway'),
              )
              .select('l.id')
              .where('r.reg_no', '=', regNo),
          ),
      ),
    )
    .orderBy(({ fn }) => fn.coalesce('s.day', raw.lit('')))
    .orderBy('s.id'),
)

/** Returns all stored lines of an account, in order. Runs on the reader thread. */
export async function readSettlementLines(
  sql: Sql,
  { source, account }: SettlementAccount,
): Promise<readonly StoredSettlementLine[]> {
  const lines = await linesOfAccount.all(sql, { source, account })
  return lines.map(({ id, decisionId, why, who, at, ...line }) => ({
    ...line,
    stored: {
      id,
      decisionId,
      handled: why === null || who === null || at === null ? null : { why, who, at },
    },
  }))
}

/**
 * Returns the accounts through which delegates of an event paid, or for which the event loaded settlements. If an event
 * changes its account, the gateway still pays out to the previous one for a while.
 */
export async function findAccountsOfEvent(
  sql: Sql,
  eventId: string,
): Promise<readonly SettlementAccount[]> {
  const accounts = await accountsWithPayments.all(sql, { eventId })
  return accounts.filter(({ source }) => isGatewayPayment(source))
}

/** Returns the events that have an order at this account, whether or not it was paid. */
export async function findEventsOfAccount(
  sql: Sql,
  account: SettlementAccount,
): Promise<readonly string[]> {
  return (await eventsWithOrders.all(sql, account)).map(({ eventId }) => eventId)
}

/**
 * Returns all payments through a gateway account. Includes payments that the gateway does not report as sales, because
 * a settlement may list them as sales. If an event changes its account, the gateway still pays out to the previous one
 * for a while.
 */
export async function readPaymentsOfAccount(
  sql: Sql,
  { source, account }: SettlementAccount,
): Promise<readonly RecordedPayment[]> {
  const refunds = Map.groupBy(
    await refundsThroughGateway.all(sql, { source }),
    ({ capture_id: id }) => id,
  )
  const payments = await paymentsThroughGateway.all(sql, { source, account })
  return payments.map(({ isMoney, belongsToAccount, code, ...payment }) => ({
    ...payment,
    currency: getReceivedCurrency({ currency: code }),
    isMoney: isMoney === 1,
    belongsToAccount: belongsToAccount === 1,
    refunds: (refunds.get(payment.id) ?? []).map(
      ({ capture_id: _, is_by_hand: isByHand, ...refund }) => ({
        ...refund,
        isManual: isByHand === 1,
      }),
    ),
  }))
}

/** Returns the orders that exist in this database, in whatever case a report states them. */
export async function findKnownOrders(
  sql: Sql,
  orders: readonly string[],
): Promise<readonly RecordedOrder[]> {
  const ordersJson = JSON.stringify([
    ...new Set(orders.flatMap((order) => [order, toOrderKey(order)])),
  ])
  const transfers = Map.groupBy(
    await transfersOfOrders.all(sql, { orders: ordersJson }),
    ({ order }) => order,
  )
  return (await registrationsOfOrders.all(sql, { orders: ordersJson })).map((knownOrder) => {
    const keys = transfers.get(knownOrder.order)?.map(({ key }) => key)
    return keys === undefined ? knownOrder : { ...knownOrder, transfers: keys }
  })
}

/** Returns the settlement lines of a registration, by date. Also runs outside the writer's transaction. */
export async function listSettlementLines(
  sql: Sql,
  regNo: RegNo,
): Promise<readonly SettlementLine[]> {
  return linesOfRegistration.all(sql, { regNo })
}
