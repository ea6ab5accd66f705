/** Detects changes to a person's other payments, so that two users do not refund both payments. */
import type { Amount, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { OtherPayments } from '../registrations/action-types.ts'

/**
 * Selects the person's other registrations, including those under an earlier name. For each, returns the amount paid,
 * the amount refunded or being refunded, and whether both registrations now count as paid by the same person. Includes
 * cancelled and transferred registrations, because their payments can still be refunded.
 */
const otherPaymentsOfPerson = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .with('persons', (query) =>
      query
        .selectFrom('registrations as own')
        .innerJoin('paid_persons as p', 'p.registration_id', 'own.id')
        .select(['own.id', 'p.event_id', 'p.person'])
        .where('own.reg_no', '=', regNo)
        .union(
          query
            .selectFrom('registrations as own')
            .innerJoin('registered_persons as p', 'p.registration_id', 'own.id')
            .select(['own.id', 'p.event_id', 'p.person'])
            .where('own.reg_no', '=', regNo),
        ),
    )
    .with('others', (query) =>
      query
        .selectFrom('persons')
        .innerJoin('paid_persons as p', (join) =>
          join
            .onRef('p.event_id', '=', 'persons.event_id')
            .onRef('p.person', '=', 'persons.person')
            .onRef('p.registration_id', '<>', 'persons.id'),
        )
        .select(['p.registration_id', 'persons.id as own_id'])
        .union(
          query
            .selectFrom('persons')
            .innerJoin('registered_persons as p', (join) =>
              join
                .onRef('p.event_id', '=', 'persons.event_id')
                .onRef('p.person', '=', 'persons.person')
                .onRef('p.registration_id', '<>', 'persons.id'),
            )
            .select(['p.registration_id', 'persons.id as own_id']),
        ),
    )
    .selectFrom('others as o')
    .innerJoin('registrations as r', 'r.id', 'o.registration_id')
    .select('r.reg_no')
    .select(({ exists, selectFrom }) => [
      selectFrom('captures as c')
        .innerJoin('payments as p', 'p.id', 'c.counts_for')
        .select(({ fn }) => fn.sum<Amount>('c.amount').as('amount'))
        .whereRef('p.registration_id', '=', 'o.registration_id')
        .where('c.state', 'in', ['fits', 'accepted'])
        .as('paid'),
      selectFrom('refunds as f')
        .innerJoin('captures as c', 'c.id', 'f.capture_id')
        .innerJoin('payments as p', 'p.id', 'c.counts_for')
        .select(({ fn }) => fn.sum<Amount>('f.amount').as('amount'))
        .whereRef('p.registration_id', '=', 'o.registration_id')
        .where('c.state', 'in', ['fits', 'accepted'])
        .where('f.state', '<>', 'refused')
        .as('refunded'),
      exists(
        selectFrom('paid_persons as s')
          .innerJoin('paid_persons as other', (join) =>
            join.onRef('other.event_id', '=', 's.event_id').onRef('other.person', '=', 's.person'),
          )
          .select('other.id')
          .whereRef('s.registration_id', '=', 'o.own_id')
          .whereRef('other.registration_id', '=', 'o.registration_id'),
      ).as('is_second'),
    ])
    .orderBy('o.registration_id'),
)
/** Reads the payments for other registrations by the same person, in the order of the registrations. */
export async function readOtherPayments(sql: Sql, regNo: RegNo): Promise<OtherPayments> {
  const rows = await otherPaymentsOfPerson.all(sql, { regNo })
  const payments = rows.map((row) => ({
    regNo: row.reg_no,
    paid: row.paid ?? 0,
    refunded: row.refunded ?? 0,
    isSecond: Boolean(row.is_second),
  }))
  return {
    regNos: payments
      .filter(({ isSecond, paid, refunded }) => isSecond && paid > refunded)
      .map((payment) => payment.regNo),
    version: payments
      .filter(({ paid }) => paid > 0)
      .map((payment) =>
        [payment.regNo, payment.paid, payment.refunded, Number(payment.isSecond)].join(':'),
      )
      .join(' '),
  }
}

export const OTHER_PAYMENTS_CHANGED_MESSAGE =
  'The other payments of this person have changed since you opened the page. Open it again, and check whether to refund this payment too.'

/** Returns true if the payments have changed since the user opened the page, which showed `shownVersion`. */
export const haveOtherPaymentsChanged = async (
  sql: Sql,
  regNo: RegNo,
  shownVersion: string | undefined,
): Promise<boolean> =>
  shownVersion !== undefined && shownVersion !== (await readOtherPayments(sql, regNo)).version
