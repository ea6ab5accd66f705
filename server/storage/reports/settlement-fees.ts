/** Lists the settlement lines in a period, with the events of their orders and payments. */
import type { Day } from '../../../engine/index.ts'
import { flatMapInOrder } from '../database/in-order.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { SETTLEMENT_LINE_COLUMNS } from '../reconciliation/read-settlements.ts'
import type { SettlementFee } from './movement-types.ts'

const settledAccounts = statement((builder) =>
  builder
    .selectFrom('settlements')
    .distinct()
    .select(['source', 'account'])
    .orderBy('source')
    .orderBy('account'),
)
type FeeParams = {
  readonly source: string
  readonly account: string
  readonly from: Day
  readonly to: Day
}
const feesOfAccount = statement((builder, { source, account, from, to }: FeeParams) =>
  builder
    .selectFrom('settlement_lines')
    .select(SETTLEMENT_LINE_COLUMNS)
    .select(['source', 'account'])
    .select(({ selectFrom }) => [
      selectFrom('payments as p')
        .innerJoin('registrations as r', 'r.id', 'p.registration_id')
        .select('r.event_id')
        .whereRef('p.order_id', '=', 'settlement_lines.order_id')
        .as('orderEventId'),
      selectFrom('captures as c')
        .leftJoin('registrations as r', 'r.id', 'c.registration_id')
        .select(({ fn }) => fn.coalesce('r.event_id', 'c.found_for').as('event'))
        .whereRef('c.source', '=', 'settlement_lines.source')
        .where('c.account', 'in', [account, ''])
        .whereRef('c.reference', '=', 'settlement_lines.reference')
        .limit(1)
        .as('paymentEventId'),
    ])
    .where('source', '=', source)
    .where('account', '=', account)
    .where('day', '>=', from)
    .where('day', '<', to)
    .orderBy('day')
    .orderBy('id'),
)

/** Returns the settlement lines with these dates. Lines without a date are excluded. */
export async function listSettlementFees(
  sql: Sql,
  from: Day,
  to: Day,
): Promise<readonly SettlementFee[]> {
  const accounts = await settledAccounts.all(sql)
  return flatMapInOrder(accounts, (account) => feesOfAccount.all(sql, { ...account, from, to }))
}
