/** Lists the settlement lines in a period, with the events of their payments. */
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
    .select(({ fn, selectFrom, val }) =>
      fn
        .coalesce(
          selectFrom('captures as c')
            .leftJoin('registrations as r', 'r.id', 'c.registration_id')
            .select(({ fn: captureFn }) =>
              captureFn.coalesce('r.event_id', 'c.found_for').as('event'),
            )
            .whereRef('c.source', '=', 'settlement_lines.source')
            .where('c.account', 'in', [account, ''])
            .whereRef('c.reference', '=', 'settlement_lines.reference')
            .limit(1),
          // Finds the event of a refund, or of a report line that contains only our order id.
          selectFrom('payments as p')
            .innerJoin('registrations as r', 'r.id', 'p.registration_id')
            .select('r.event_id')
            .whereRef('p.order_id', '=', 'settlement_lines.order_id'),
          val(null),
        )
        .as('eventId'),
    )
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
  eventIds: readonly string[] | null,
  from: Day,
  to: Day,
): Promise<readonly SettlementFee[]> {
  const accounts = await settledAccounts.all(sql)
  const lines = await flatMapInOrder(accounts, (account) =>
    feesOfAccount.all(sql, { ...account, from, to }),
  )
  return lines.filter(
    ({ eventId }) => eventIds === null || (eventId !== null && eventIds.includes(eventId)),
  )
}
