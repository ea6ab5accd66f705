/** Finds the registration to which staff move a payment. */
import { expressionBuilder } from 'kysely'
import type { MoveTarget, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'

const { case: when, ref } = expressionBuilder<
  { g: Tables['registrations']; p: Tables['payments'] },
  'g' | 'p'
>()
/** The status of the payment `p` if it is for a difference, otherwise that of the registration `g`. */
export const statusOfPaymentTarget = when()
  .when('p.asks_for', '=', 'difference')
  .then(ref('p.status'))
  .else(ref('g.payment_status'))
  .end()

const registrationWithNewestPayment = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('registrations as g')
    .leftJoin('payments as p', (join) =>
      join.on('p.id', '=', ({ selectFrom }) =>
        selectFrom('payments as n')
          .select('n.id')
          .whereRef('n.registration_id', '=', 'g.id')
          .orderBy('n.attempt', 'desc')
          .limit(1),
      ),
    )
    .select(['g.reg_no', 'g.event_id', 'g.state', 'g.currency', 'p.amount as due'])
    .select(statusOfPaymentTarget.as('paid_as'))
    .where('g.reg_no', '=', regNo),
)

/** Returns the registration to which a payment is to be moved. Null if no registration has this number. */
export async function findMoveTarget(sql: Sql, to: string): Promise<MoveTarget | null> {
  const row = await registrationWithNewestPayment.get(sql, { regNo: to as RegNo })
  return row === undefined
    ? null
    : {
        regNo: row.reg_no,
        eventId: row.event_id,
        // A registration that staff or the delegate has ended accepts no payments.
        due: row.state === 'cancelled' || row.state === 'refused' ? null : row.due,
        currency: row.currency,
        isPaid: row.paid_as === 'success' || row.paid_as === 'refunded',
      }
}
