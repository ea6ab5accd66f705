/** Finds a person's earlier registrations, both paid and in progress, and second payments. */
import { sql as raw } from 'kysely'
import type { Kysely, NotNull } from 'kysely'
import { decideSamePerson, err, getPayerKey, ok, toAmount } from '../../../engine/index.ts'
import type { RegNo, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { SamePersonNotice } from '../mail/email-list-types.ts'
import { isFirstPaymentRefundable } from '../payments/find-duplicate-payments.ts'
import { isNotUndone } from './undone-notes.ts'
import type { NewRegistration, SamePersonRegistration, SecondPayment } from '../index.ts'

/** The maximum number of registrations compared per person. Paid ones take precedence, then the newest. */
const MAX_COMPARED_REGISTRATIONS = 20

/**
 * The maximum number of browsers stored for a registration. Most delegates use fewer. If another browser is used, the
 * delegate gets an email.
 */
const MAX_BROWSERS = 10

type Person = { readonly eventId: string; readonly person: string }

const registrationsOfPerson = statement(
  (builder, { eventId, person, browser }: Person & { browser: string | null }, dialect) =>
    builder
      .selectFrom('registrations as r')
      .select([
        'r.id',
        'r.reg_no',
        'r.email',
        'r.full_name',
        'r.payment_status',
        'r.total',
        'r.booked',
        'r.currency',
        'r.created_at',
        'r.paid_at',
      ])
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('registered_persons as b')
            .select('b.id')
            .whereRef('b.registration_id', '=', 'r.id')
            .where('b.browser', '=', browser),
        ).as('is_proven'),
      )
      .where('r.id', 'in', ({ selectFrom }) =>
        selectFrom('registered_persons')
          .select('registration_id')
          .where('event_id', '=', eventId)
          .where('person', '=', person)
          .union(
            selectFrom('paid_persons')
              .select('registration_id')
              .where('event_id', '=', eventId)
              .where('person', '=', person),
          ),
      )
      .where((r) =>
        r.or([
          r('r.payment_status', '=', 'success').and('r.state', 'not in', ['cancelled', 'refused']),
          r('r.payment_status', '=', 'pending').and('r.state', 'in', ['to_pay', 'told']),
          r('r.in_review', '=', 1),
        ]),
      )
      .orderBy(({ case: when }) =>
        when().when('r.payment_status', '=', 'success').then(0).else(1).end(),
      )
      .orderBy('r.id', 'desc')
      .limit(dialect.limit(MAX_COMPARED_REGISTRATIONS)),
)
type NewPerson = Person & { id: number; browser: string | null; notifyId: number | null }
const addPerson = statement((builder, row: NewPerson) =>
  builder.insertInto('registered_persons').values({
    registration_id: row.id,
    event_id: row.eventId,
    person: row.person,
    browser: row.browser,
    notify_id: row.notifyId,
  }),
)
const removeBrowsers = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('registered_persons')
    .set({ browser: null })
    .where('registration_id', '=', id),
)
const registrationAndOwnership = statement(
  (builder, { regNo, browser }: { regNo: RegNo; browser: string }) =>
    builder
      .selectFrom('registrations as r')
      .select(['r.id', 'r.event_id', 'r.email', 'r.full_name'])
      .select(({ exists, selectFrom }) => [
        exists(
          selectFrom('registered_persons as b')
            .select('b.id')
            .whereRef('b.registration_id', '=', 'r.id')
            .where('b.browser', '=', browser),
        ).as('is_proven'),
        selectFrom('registered_persons as p')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .whereRef('p.registration_id', '=', 'r.id')
          .as('stored'),
      ])
      .where('r.reg_no', '=', regNo),
)

const dueNotices = statement(
  (builder, { after, limit }: { after: number; limit: number }, dialect) =>
    builder
      .selectFrom('registered_persons as b')
      .select(({ ref, selectFrom }) => [
        'b.id',
        ref('b.notify_id').as('registrationId'),
        selectFrom('registrations as r')
          .select('r.reg_no')
          .whereRef('r.id', '=', 'b.notify_id')
          .as('regNo'),
      ])
      .$narrowType<{ registrationId: NotNull; regNo: NotNull }>()
      .where('b.notify_id', '>', after)
      .orderBy('b.notify_id')
      .orderBy('b.id')
      .limit(dialect.limit(limit)),
)
const removeNotice = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('registered_persons')
    .set({ notify_id: null })
    .where('id', '=', id)
    .where('notify_id', 'is not', null),
)

const selectSecondPayment = (builder: Kysely<Tables>, regNo: RegNo) =>
  builder
    .selectFrom('paid_persons as s')
    .innerJoin('registrations as f', 'f.id', 's.first_id')
    .select(['s.registration_id as id', 'f.reg_no', 'f.booked', 'f.currency'])
    .where('s.registration_id', '=', ({ selectFrom }) =>
      selectFrom('registrations').select('id').where('reg_no', '=', regNo),
    )
    .where(isFirstPaymentRefundable)
const secondPayment = statement((builder, { regNo }: { regNo: RegNo }) =>
  selectSecondPayment(builder, regNo),
)
/** Selects the second payment only if both registrations were made or opened in this browser. */
const secondPaymentInBrowser = statement(
  (builder, { regNo, browser }: { regNo: RegNo; browser: string }) =>
    selectSecondPayment(builder, regNo).where(({ and, exists, selectFrom }) =>
      and(
        (['s.registration_id', 's.first_id'] as const).map((id) =>
          exists(
            selectFrom('registered_persons as b')
              .select('b.id')
              .whereRef('b.registration_id', '=', id)
              .where('b.browser', '=', browser),
          ),
        ),
      ),
    ),
)
const personByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('registrations')
    .select(['id', 'event_id', 'email', 'full_name'])
    .where('reg_no', '=', regNo),
)
type OtherRegistrationQuery = Person & { id: number }
/** Selects the registration for which this person paid first, apart from the given one. */
const selectOtherPaid = (
  builder: Kysely<Tables>,
  { eventId, person, id }: OtherRegistrationQuery,
) =>
  builder
    .selectFrom('paid_persons as s')
    .innerJoin('registrations as r', 'r.id', 's.registration_id')
    .select(['r.reg_no', 'r.booked', 'r.currency', 'r.paid_at', 'r.created_at'])
    .where('s.event_id', '=', eventId)
    .where('s.person', '=', person)
    .where('s.registration_id', '<>', id)
    .orderBy('s.id')
    .limit(raw.lit(1))
const otherPaid = statement((builder, other: OtherRegistrationQuery) =>
  selectOtherPaid(builder, other),
)
/** Selects the same registration only if it was made or opened in this browser. */
const otherPaidInBrowser = statement(
  (builder, { eventId, person, id, browser }: OtherRegistrationQuery & { browser: string }) =>
    selectOtherPaid(builder, { eventId, person, id }).where(({ exists, selectFrom }) =>
      exists(
        selectFrom('registered_persons as b')
          .select('b.id')
          .whereRef('b.registration_id', '=', 's.registration_id')
          .where('b.browser', '=', browser),
      ),
    ),
)
const lastRequestOrResponse = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('acts')
    .select(['act', 'at'])
    .where('registration_id', '=', id)
    .where('act', 'in', ['ask_refund', 'withdraw_refund', 'note', 'refund'])
    .where(isNotUndone('acts'))
    .orderBy('id', 'desc')
    .limit(1),
)

/** Returns the person of a registration with an amount due. Null if nothing is due, or if the person is unknown. */
export const getPayerIfDue = ({ orderId, searchable }: NewRegistration): string | null =>
  orderId === null ? null : getPayerKey(searchable)

/**
 * If the form must ask about an earlier registration, returns that registration as an error. Otherwise returns the id
 * of the registration whose delegate gets an email, or null. Call this with the person locked, in the transaction that
 * registers, so that only one of several simultaneous forms registers. Used only for the web form.
 */
export async function findSamePerson(
  sql: Sql,
  { eventId, form }: NewRegistration,
  person: string | null,
): Promise<
  Result<number | null, { code: 'same_person'; earlierRegistration: SamePersonRegistration }>
> {
  if (person === null || form === undefined) return ok(null)
  const rows = await registrationsOfPerson.all(sql, { eventId, person, browser: form.browser })
  const earlierRegistrations = rows
    // A correction or a transfer may since have changed the name or the email address.
    .filter((row) => getPayerKey({ email: row.email, fullName: row.full_name }) === person)
    .map((row) => ({
      id: row.id,
      regNo: row.reg_no,
      isProven: Boolean(row.is_proven),
      isPaid: row.payment_status === 'success',
      amount: row.payment_status === 'success' ? row.booked : (row.total ?? toAmount(0)),
      currency: row.currency,
      at: row.paid_at ?? row.created_at,
    }))
  const decision = decideSamePerson(earlierRegistrations, form.confirmed)
  if (decision === null) return ok(null)
  const { is, registration } = decision
  if (is === 'email') return ok(form.sendsEmail ? registration.id : null)
  const { id: _, ...samePerson } = registration
  return err({ code: 'same_person', earlierRegistration: samePerson })
}

/**
 * Stores the person of a new registration, the browser in which it was made, and the delegate to email about it. Runs
 * the same statement for known and unknown persons, so that the response time does not reveal which applies.
 */
export function recordPerson(
  sql: Sql,
  id: number,
  { eventId, form }: NewRegistration,
  person: string | null,
  notifyId: number | null,
): void {
  if (person !== null)
    addPerson.run(sql, { id, eventId, person, browser: form?.browser ?? null, notifyId })
}

/**
 * Returns the emails about second registrations that have not been queued yet, starting after the registration `after`.
 * Only reads.
 */
export const readDueNotices = (
  sql: Sql,
  after: number,
  limit: number,
): Promise<readonly SamePersonNotice[]> => dueNotices.all(sql, { after, limit })

/**
 * Deletes the notice. Call this in the transaction that queues the email. Returns false if the email is already queued.
 */
export const removeDueNotice = async (sql: Sql, id: number): Promise<boolean> =>
  (await removeNotice.run(sql, { id }).changes) === 1

/** Records a browser in which an emailed link to the registration was opened. Stores up to MAX_BROWSERS. */
export async function recordBrowser(sql: Sql, regNo: RegNo, browser: string): Promise<void> {
  const row = await registrationAndOwnership.get(sql, { regNo, browser })
  if (row === undefined || Boolean(row.is_proven) || (row.stored ?? 0) >= MAX_BROWSERS) return
  const person = getPayerKey({ email: row.email, fullName: row.full_name })
  if (person !== null)
    addPerson.run(sql, { id: row.id, eventId: row.event_id, person, browser, notifyId: null })
}

/** Deletes a registration's browsers when its delegate or email address changes. */
export const deleteBrowsers = (sql: Sql, id: number): void => void removeBrowsers.run(sql, { id })

/**
 * Returns the second payment. With `browser`, returns it only if both registrations were made or opened in this
 * browser. Only reads. May also run outside the writer's transaction.
 */
export async function findSecondPayment(
  sql: Sql,
  regNo: RegNo,
  browser?: string,
): Promise<SecondPayment | null> {
  const secondRow =
    browser === undefined
      ? await secondPayment.get(sql, { regNo })
      : await secondPaymentInBrowser.get(sql, { regNo, browser })
  if (secondRow === undefined) return null
  const { id, reg_no: first, booked, currency } = secondRow
  const lastRequest = await lastRequestOrResponse.get(sql, { id })
  return {
    first: { regNo: first, amount: booked, currency },
    askedAt: lastRequest?.act === 'ask_refund' ? lastRequest.at : null,
  }
}

/**
 * Returns a paid registration of the same person, for a registration that is not paid yet. With `browser`, returns it
 * only if it was made or opened in this browser. Only reads.
 */
export async function findOtherPaid(
  sql: Sql,
  regNo: RegNo,
  browser?: string,
): Promise<SamePersonRegistration | null> {
  const ownRow = await personByNumber.get(sql, { regNo })
  const person =
    ownRow === undefined ? null : getPayerKey({ email: ownRow.email, fullName: ownRow.full_name })
  if (ownRow === undefined || person === null) return null
  const query = { eventId: ownRow.event_id, person, id: ownRow.id }
  const paidRow =
    browser === undefined
      ? await otherPaid.get(sql, query)
      : await otherPaidInBrowser.get(sql, { ...query, browser })
  return paidRow === undefined
    ? null
    : {
        regNo: paidRow.reg_no,
        isPaid: true,
        amount: paidRow.booked,
        currency: paidRow.currency,
        at: paidRow.paid_at ?? paidRow.created_at,
      }
}
