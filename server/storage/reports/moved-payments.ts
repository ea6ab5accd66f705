/** Lists payments of a closed month that staff later assigned to a registration of another event. */
import { toAmount } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { getCurrency } from './movement-conditions.ts'
import type { Movement, MovementQuery } from './movement-types.ts'

type Period = Pick<MovementQuery, 'from' | 'to'> & { readonly changedAfter: Instant }

/**
 * Only a payment without a registration can be moved to another event. Its row still contains the event that received
 * it.
 */
const paymentsMovedAfter = statement(
  (builder, { eventId, from, to, changedAfter }: Period & { readonly eventId: string }) =>
    builder
      .selectFrom('captures as c')
      .innerJoin('registrations as r', 'r.id', 'c.registration_id')
      .innerJoin('decisions as d', 'd.capture_id', 'c.id')
      .select(({ fn }) => [
        'c.id',
        'c.paid_at as at',
        fn.max('d.at').as('recordedAt'),
        'c.source as method',
        'c.reference',
        'c.amount',
        'c.currency as code',
        'c.state',
      ])
      .where('c.paid_at', '>=', from)
      .where('c.paid_at', '<', to)
      .where('c.found_for', '=', eventId)
      .where('r.event_id', '<>', eventId)
      // A payment that was recorded later was never in the closed figures of the event from which it was moved.
      .where('c.seen_at', '<=', changedAfter)
      .where('d.at', '>', changedAfter)
      .where('d.registration_id', 'is', null)
      .groupBy([
        'c.id',
        'c.paid_at',
        'c.source',
        'c.reference',
        'c.amount',
        'c.currency',
        'c.state',
      ])
      .orderBy('c.id'),
)

export async function listPaymentsMovedAway(
  sql: Sql,
  eventId: string,
  period: Period,
): Promise<readonly Movement[]> {
  const rows = await paymentsMovedAfter.all(sql, { eventId, ...period })
  return rows.map(({ id, code, ...row }): Movement => {
    const currency = getCurrency({ code, priceCurrency: null })
    return {
      ...row,
      id: `M${id}`,
      is: 'payment',
      eventId,
      regNo: null,
      name: '',
      currency,
      fee: null,
      isUnreconciled: false,
      due: toAmount(0),
      priceCurrency: currency,
      documents: [],
      isMovedAway: true,
    }
  })
}
