/** Finds second payments: paid registrations of one event with the same email address and name. */
import { expressionBuilder } from 'kysely'
import type { Insertable, Kysely, Selectable } from 'kysely'
import { toAmount, getPayerKey } from '../../../engine/index.ts'
import { addSecondPaymentNotice } from '../../../engine/messages.ts'
import type { RegNo } from '../../../engine/index.ts'
import { splitIntoBatches } from '../database/statements/in-batches.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { lockPersons } from '../database/row-locks.ts'
import { buildQuery, statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { NewMail } from '../registrations/registration-types.ts'
import { refundableAmount } from '../refunds/refund-states-and-channels.ts'
import { isNotUndone } from '../registrations/undone-notes.ts'

type Payer = { readonly event_id: string; readonly email: string; readonly full_name: string }

/** The maximum number of second payments in the list of refund requests. */
const MAX_LISTED_REQUESTS = 1000
/** The number of registrations per batch. */
const BATCH_ROWS = 10_000

type RegistrationParams = { registrationId: number }
/** Selects paid registrations that were neither cancelled nor refunded. */
const selectPaidRegistrations = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('registrations as r')
    .select(['r.id', 'r.event_id', 'r.email', 'r.full_name'])
    .where('r.payment_status', '=', 'success')
    .where('r.state', 'not in', ['cancelled', 'refused'])
    .where('r.erased_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('payments as p')
          .select('p.id')
          .whereRef('p.registration_id', '=', 'r.id')
          .where('p.status', '=', 'success')
          .where('p.amount', '>', toAmount(0)),
      ),
    )
export const payerOfRegistration = statement((builder, { registrationId }: RegistrationParams) =>
  selectPaidRegistrations(builder).where('r.id', '=', registrationId),
)
const storedPayer = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('paid_persons')
    .select(['event_id', 'person'])
    .where('registration_id', '=', registrationId),
)
/** Remembers the person before a payer is deleted or renamed, because the payment can still be refunded. */
const keepFormerPayer = statement(
  (
    builder,
    { registrationId, event_id, person }: RegistrationParams & { event_id: string; person: string },
  ) =>
    builder
      .insertInto('registered_persons')
      .columns(['registration_id', 'event_id', 'person'])
      .expression((query) =>
        query
          .selectFrom('registrations as r')
          .select(({ val }) => ['r.id', val(event_id).as('event_id'), val(person).as('person')])
          .where('r.id', '=', registrationId)
          .where('r.erased_at', 'is', null)
          .where(({ exists, not, selectFrom }) =>
            not(
              exists(
                selectFrom('registered_persons as b')
                  .select('b.id')
                  .whereRef('b.registration_id', '=', 'r.id')
                  .where('b.person', '=', person),
              ),
            ),
          ),
      ),
)
const deletePayer = statement((builder, { registrationId }: RegistrationParams) =>
  builder.deleteFrom('paid_persons').where('registration_id', '=', registrationId),
)
const renamePayer = statement(
  (builder, { registrationId, person }: RegistrationParams & { person: string }) =>
    builder
      .updateTable('paid_persons')
      .set({ person, first_id: null })
      .where('registration_id', '=', registrationId),
)
/** Adds a payer, with the person's first payment if there is one. */
const addPayer = statement(
  (
    builder,
    { registrationId, eventId, person }: RegistrationParams & { eventId: string; person: string },
  ) =>
    builder.insertInto('paid_persons').values(({ case: when, exists, lit, selectFrom }) => {
      const first = selectFrom('paid_persons as f')
        .where('f.event_id', '=', eventId)
        .where('f.person', '=', person)
      return {
        registration_id: registrationId,
        event_id: eventId,
        person,
        first_id: first.select('f.registration_id').orderBy('f.id').limit(1),
        after_act: when()
          .when(exists(first.select('f.id')))
          .then(
            selectFrom('acts').select((a) => a.fn.coalesce(a.fn.max('acts.id'), a.lit(0)).as('id')),
          )
          .else(lit(0))
          .end(),
      }
    }),
)
const paymentsOfPerson = statement(
  (builder, { eventId, person }: { eventId: string; person: string }) =>
    builder
      .selectFrom('paid_persons')
      .select(['id', 'registration_id', 'first_id'])
      .where('event_id', '=', eventId)
      .where('person', '=', person)
      .orderBy('id'),
)
const markAsFirst = statement((builder, { id }: { id: number }) =>
  builder.updateTable('paid_persons').set({ first_id: null }).where('id', '=', id),
)
const markAsSecond = statement((builder, { id, firstId }: { id: number; firstId: number }) =>
  builder
    .updateTable('paid_persons')
    .set(({ case: when, ref, selectFrom }) => ({
      first_id: firstId,
      after_act: when()
        .when('first_id', 'is', null)
        .then(
          selectFrom('acts').select((a) => a.fn.coalesce(a.fn.max('acts.id'), a.lit(0)).as('id')),
        )
        .else(ref('after_act'))
        .end(),
    }))
    .where('id', '=', id),
)
type PaymentPair = Tables & { s: Tables['paid_persons'] }
const forPair = expressionBuilder<PaymentPair, 's'>()
/** True for a second payment `s` if part of the first payment can still be refunded. */
export const isFirstPaymentRefundable = forPair.exists(
  forPair
    .selectFrom('captures as c')
    .innerJoin('payments as p', 'p.id', 'c.counts_for')
    .select('c.id')
    .whereRef('p.registration_id', '=', 's.first_id')
    .where('c.state', 'in', ['fits', 'accepted'])
    .where(refundableAmount, '>', toAmount(0)),
)
/**
 * Selects the number of the registration for which this person paid first. Selects no row if that is this
 * registration.
 */
export const selectFirstPaidNumber = (builder: Kysely<Tables>, registrationId: number) =>
  builder
    .selectFrom('paid_persons as s')
    .innerJoin('registrations as f', 'f.id', 's.first_id')
    .select('f.reg_no')
    .where('s.registration_id', '=', registrationId)
const firstOfSecond = statement((builder, { registrationId }: RegistrationParams) =>
  selectFirstPaidNumber(builder, registrationId),
)

/** Selects requests to refund the second payment `s`, unless the delegate has withdrawn them. */
const openRequests = forPair
  .selectFrom('acts as a')
  .whereRef('a.registration_id', '=', 's.registration_id')
  .where('a.act', '=', 'ask_refund')
  .where(({ exists, not, selectFrom }) =>
    not(
      exists(
        selectFrom('acts as w')
          .select('w.id')
          .whereRef('w.registration_id', '=', 'a.registration_id')
          .where('w.act', '=', 'withdraw_refund')
          .whereRef('w.id', '>', 'a.id'),
      ),
    ),
  )
/**
 * Selects duplicate payments that staff have not closed. A later note on either registration closes a duplicate
 * payment. A refund request is closed only by a note on the registration that it is for, because a note on the other
 * registration may be about something else.
 */
const selectOpenDuplicates = (builder: Kysely<Tables>, eventId: string) =>
  builder
    .selectFrom('paid_persons as s')
    .where('s.event_id', '=', eventId)
    .where('s.first_id', 'is not', null)
    .where(isFirstPaymentRefundable)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('acts as b')
            .select('b.id')
            .where(({ eb, ref }) =>
              eb('b.registration_id', 'in', [
                ref('s.registration_id'),
                ref('s.first_id').$notNull(),
              ]),
            )
            .where('b.act', '=', 'note')
            .where(isNotUndone('b'))
            .whereRef('b.id', '>', 's.after_act')
            .where(({ eb, fn, lit }) =>
              eb(
                'b.id',
                '>',
                fn.coalesce(
                  openRequests.select((a) => a.fn.max('a.id').as('id')),
                  lit(0),
                ),
              ),
            )
            .where((b) =>
              b.or([
                b('b.registration_id', '=', b.ref('s.registration_id')),
                b.not(b.exists(openRequests.select('a.id'))),
              ]),
            ),
        ),
      ),
    )
/** Selects both registrations of each duplicate payment that staff have not closed. */
export const openSecondPayments = statement(
  (builder, { eventId, limit }: { eventId: string; limit: number }, dialect) =>
    selectOpenDuplicates(builder, eventId)
      .select('s.registration_id as id')
      .union(
        selectOpenDuplicates(builder, eventId).select(({ ref }) =>
          ref('s.first_id').$notNull().as('id'),
        ),
      )
      .orderBy('id', 'desc')
      .limit(dialect.limit(limit)),
)
const requestedRefunds = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('registrations as r')
    .select('r.reg_no')
    .where('r.id', 'in', selectOpenDuplicates(builder, eventId).select('s.registration_id'))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('acts as q')
          .select('q.id')
          .whereRef('q.registration_id', '=', 'r.id')
          .where('q.act', '=', 'ask_refund')
          .where((request) =>
            request.not(
              request.exists(
                request
                  .selectFrom('acts as n')
                  .select('n.id')
                  .whereRef('n.registration_id', '=', 'r.id')
                  .where('n.act', 'in', ['note', 'refund', 'withdraw_refund'])
                  .where(isNotUndone('n'))
                  .whereRef('n.id', '>', 'q.id'),
              ),
            ),
          ),
      ),
    )
    .orderBy('r.id', 'desc')
    .limit(MAX_LISTED_REQUESTS),
)
const olderPayers = statement((builder, { after }: { after: number }) =>
  selectPaidRegistrations(builder).where('r.id', '>', after).orderBy('r.id').limit(BATCH_ROWS),
)
const repeatedPayments = statement((builder) =>
  builder
    .selectFrom('paid_persons as p')
    .innerJoin(
      (persons) =>
        persons
          .selectFrom('paid_persons')
          .select(['event_id', 'person'])
          .groupBy(['event_id', 'person'])
          .having(({ fn }) => fn.countAll<number>(), '>', 1)
          .as('several'),
      (join) =>
        join.onRef('several.event_id', '=', 'p.event_id').onRef('several.person', '=', 'p.person'),
    )
    .select(['p.id', 'p.registration_id', 'p.first_id', 'p.event_id', 'p.person'])
    .orderBy('p.event_id')
    .orderBy('p.person')
    .orderBy('p.id'),
)

const getKey = ({ email, full_name: fullName }: Payer): string | null =>
  getPayerKey({ email, fullName })

/** Prefetches the data that `recordPayer` reads first. */
export const prefetchPayer = (sql: Sql, registrationId: number): readonly Promise<unknown>[] => [
  payerOfRegistration.get(sql, { registrationId }),
  storedPayer.get(sql, { registrationId }),
]

/** Updates the payer of a registration. Call this whenever its payments, state or person may have changed. */
export async function recordPayer(sql: Sql, registrationId: number): Promise<void> {
  const [payer, previous] = await Promise.all([
    payerOfRegistration.get(sql, { registrationId }),
    storedPayer.get(sql, { registrationId }),
  ])
  const person = payer === undefined ? null : getKey(payer)
  if (person === (previous?.person ?? null)) return
  if (previous !== undefined) keepFormerPayer.run(sql, { registrationId, ...previous })
  lockPersons(sql, [
    ...(person === null || payer === undefined ? [] : [[payer.event_id, person] as const]),
    ...(previous === undefined ? [] : [[previous.event_id, previous.person] as const]),
  ])
  if (person === null || payer === undefined) deletePayer.run(sql, { registrationId })
  else {
    // The registration is locked, so no concurrent operation can add or remove its payer row.
    if (previous === undefined)
      addPayer.run(sql, { registrationId, eventId: payer.event_id, person })
    else {
      renamePayer.run(sql, { registrationId, person })
      await relinkPayments(sql, payer.event_id, person)
    }
  }
  if (previous !== undefined) await relinkPayments(sql, previous.event_id, previous.person)
}

async function relinkPayments(sql: Sql, eventId: string, person: string): Promise<void> {
  linkToFirst(sql, await paymentsOfPerson.all(sql, { eventId, person }))
}

type PaymentOfPerson = Pick<
  Selectable<Tables['paid_persons']>,
  'id' | 'registration_id' | 'first_id'
>
/** Links all later payments by a person to the first one. */
function linkToFirst(sql: Sql, [first, ...others]: readonly PaymentOfPerson[]): void {
  if (first === undefined) return
  if (first.first_id !== null) markAsFirst.run(sql, { id: first.id })
  for (const { id, first_id: before } of others)
    if (before !== first.registration_id)
      markAsSecond.run(sql, { id, firstId: first.registration_id })
}

/** Returns the confirmation for this registration, with a notice if it is a second payment. */
export async function addNoticeIfSecond(
  sql: Sql,
  registrationId: number,
  email: NewMail,
): Promise<NewMail> {
  const firstRegistration = await firstOfSecond.get(sql, { registrationId })
  return firstRegistration === undefined
    ? email
    : addSecondPaymentNotice(email, firstRegistration.reg_no)
}

/** Returns the registrations of an event whose second payment has an open refund request, newest first. */
export async function listRefundRequests(sql: Sql, eventId: string): Promise<readonly RegNo[]> {
  const registrations = await requestedRefunds.all(sql, { eventId })
  return registrations.map(({ reg_no }) => reg_no)
}

/** Records second payments in data from older versions. The registration created first counts as paid first. */
export async function recordOlderPayers(sql: Sql): Promise<void> {
  for (let afterId = 0; ;) {
    const rows = await olderPayers.all(sql, { after: afterId })
    const persons = rows.flatMap((row) => {
      const person = getKey(row)
      return person === null ? [] : [{ registration_id: row.id, event_id: row.event_id, person }]
    })
    for (const batch of splitIntoBatches(persons)) addPayers(sql, batch)
    const lastRow = rows.at(-1)
    if (lastRow === undefined) break
    afterId = lastRow.id
  }
  const duplicates = await repeatedPayments.all(sql)
  const byPerson = Map.groupBy(duplicates, (row) => JSON.stringify([row.event_id, row.person]))
  for (const payments of byPerson.values()) linkToFirst(sql, payments)
}

/** Adds payers. If a payer exists under another name, their position in the order of payments stays the same. */
function addPayers(sql: Sql, persons: readonly Insertable<Tables['paid_persons']>[]): void {
  buildQuery(sql, (builder) =>
    builder
      .insertInto('paid_persons')
      .values(persons)
      .onConflict((conflict) =>
        conflict
          .column('registration_id')
          .doUpdateSet(({ ref }) => ({ person: ref('excluded.person'), first_id: null })),
      ),
  ).run()
}
