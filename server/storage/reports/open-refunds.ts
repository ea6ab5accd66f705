/** Lists refunds that have not been completed, for the refund list and the month-end close. */
import { sql as raw } from 'kysely'
import type { Kysely } from 'kysely'
import { getReceivedCurrency } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { isRefundPending, isRefusedRefundOpen } from '../refunds/refund-states-and-channels.ts'
import type { ListedRefund } from './movement-types.ts'

const selectListedRefunds = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ fn }) => [
      'f.id',
      fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
      'r.reg_no as regNo',
      fn.coalesce('r.full_name', raw.lit('')).as('name'),
      'c.source',
      'f.amount',
      'c.currency as code',
      'f.state',
      'f.reference',
      'f.why',
      'f.who',
      'f.at',
      'f.done_at as doneAt',
    ])
    .orderBy('f.at')
    .orderBy('f.id')
const refundsInProgress = statement((builder) =>
  selectListedRefunds(builder).where(isRefundPending),
)
const refusedRefunds = statement((builder) =>
  selectListedRefunds(builder).where(isRefusedRefundOpen),
)

/** Returns the refunds, oldest first, with the refused ones at the end. */
export async function listOpenRefunds(
  sql: Sql,
  eventIds: readonly string[] | null,
): Promise<readonly ListedRefund[]> {
  const rows = [...(await refundsInProgress.all(sql)), ...(await refusedRefunds.all(sql))]
  return rows
    .filter(({ eventId }) => eventIds === null || (eventId !== null && eventIds.includes(eventId)))
    .map(({ code, ...refund }) => ({
      ...refund,
      currency: getReceivedCurrency({ currency: code }),
    }))
}
