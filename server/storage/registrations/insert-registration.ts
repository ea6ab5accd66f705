/** Inserts registrations in the writer's transaction. An error rolls back the whole registration. */
import type { Selectable } from 'kysely'
import { INR, assert, dayOf, err, ok } from '../../../engine/index.ts'
import type { Instant, RegistrationState, Result } from '../../../engine/index.ts'
import type { ActionResult } from './action-types.ts'
import { isActive } from '../events/activate-versions.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { insertPayment, UNKNOWN_GATEWAY } from '../payments/payment-attempts.ts'
import { saveLines } from '../payments/stored-bill-lines.ts'
import { replaceUploads } from '../files/replace-uploads.ts'
import { indexImmediately } from '../lists/search-index.ts'
import { addAuditEntryOfNewRegistration } from '../staff/audit-log-entries.ts'
import { deleteExpiredKeys, findRegistrationByKey } from './idempotency-keys.ts'
import { recordPayment } from '../payments/save-recorded-payment.ts'
import { addCreationEntry } from './apply-action.ts'
import { enqueue } from '../mail/email-queue.ts'
import { reserveSeatsAgain } from '../seats/keep-and-release-seats.ts'
import { RollbackError } from '../database/rollback-error.ts'
import { reserveQuotas } from '../seats/available-seats.ts'
import { saveAnswersAndCode, checkAvailability } from '../seats/reserve-seats.ts'
import { findSamePerson, getPayerIfDue, recordPerson } from './same-person.ts'
import type {
  ImportRow,
  NewDeskPayment,
  NewRegistration,
  RegistrationResult,
  RegisterRefusal,
} from '../index.ts'

type RegistrationParams = { id: number }
const saveApprovalRequest = statement(
  (
    builder,
    { id, approval, decideBy }: RegistrationParams & { approval: string; decideBy: Instant },
  ) =>
    builder
      .updateTable('registrations')
      .set({ approval, decide_by: decideBy })
      .where('id', '=', id),
)
const savePayUntil = statement(
  (builder, { id, payUntil }: RegistrationParams & { payUntil: Instant }) =>
    builder.updateTable('registrations').set({ pay_until: payUntil }).where('id', '=', id),
)
type Key = RegistrationParams & { eventId: string; key: string; fingerprint: string; at: Instant }
const saveKey = statement((builder, { id, eventId, key, fingerprint, at }: Key) =>
  builder
    .insertInto('idempotency_keys')
    .values({ event_id: eventId, key, fingerprint, registration_id: id, at }),
)
const REGISTRATION_COLUMNS = [
  'event_id',
  'event_hash',
  'reg_no',
  'former_no',
  'full_name',
  'email',
  'phone',
  'council_no',
  'answers',
  'category',
  'period',
  'base',
  'gst',
  'total',
  'currency',
  'bill',
  'payment_status',
  'payment_id',
  'paid_at',
  'created_at',
  'created_day',
  'state',
] as const
type NewRow = Pick<Selectable<Tables['registrations']>, (typeof REGISTRATION_COLUMNS)[number]>
const pickColumns = (row: NewRow): NewRow =>
  Object.fromEntries(REGISTRATION_COLUMNS.map((column) => [column, row[column]])) as NewRow
const addRegistration = statement((builder, row: NewRow) =>
  builder
    .insertInto('registrations')
    .values(pickColumns(row))
    .onConflict((conflict) => conflict.column('reg_no').doNothing())
    .returning('id'),
)
/** Inserts the registration under an id that was assigned in advance. Fails if the registration number is taken. */
const addRegistrationWithId = statement((builder, row: RegistrationParams & NewRow) =>
  builder.insertInto('registrations').values({ id: row.id, ...pickColumns(row) }),
)

export async function register(
  sql: Sql,
  registration: NewRegistration,
): Promise<Result<RegistrationResult, RegisterRefusal>> {
  const { eventId, eventHash, regNo, answers, searchable, category, orderId, quote, at } =
    registration
  const { idempotency, approval } = registration
  const isComplete = orderId === null && approval === undefined
  if (idempotency !== null) deleteExpiredKeys(sql, eventId, idempotency.key, at)
  // On PostgreSQL, these queries are sent in one round trip. The key is read after person, answers and code are locked:
  // if the same form arrives twice at the same time, the second request must find the registration and not be refused.
  const person = getPayerIfDue(registration)
  const [isCurrent, availability, samePerson, duplicate, newId] = await Promise.all([
    isActive(sql, { eventId, hash: eventHash, takesNew: true }),
    checkAvailability(sql, registration, registration.form === undefined ? null : person),
    findSamePerson(sql, registration, person),
    idempotency === null ? null : findRegistrationByKey(sql, eventId, idempotency.key, at),
    sql.batch?.newId('registrations') ?? null,
  ])
  if (duplicate !== null)
    return duplicate.fingerprint === idempotency?.fingerprint
      ? ok(duplicate.registered)
      : err({ code: 'idempotency_key_reused' })
  if (!isCurrent) return err({ code: 'version_moved' })
  // If the delegate's own earlier registration uses the last seat or the discount code, the form asks about this
  // registration.
  if (!samePerson.ok && availability.refusal?.code !== 'registered_already') return samePerson
  if (availability.refusal !== null) return err(availability.refusal)
  if (!samePerson.ok) return samePerson
  const { way: method, payUntil } = registration
  const row = {
    eventId,
    eventHash,
    regNo,
    answers,
    searchable,
    category,
    period: quote?.period ?? null,
    base: quote?.base ?? null,
    gst: quote?.gst ?? null,
    total: quote?.total ?? null,
    currency: quote?.currency ?? INR,
    paymentStatus: isComplete ? 'success' : 'pending',
    state: isComplete ? 'complete' : approval === undefined ? 'to_pay' : 'to_approve',
    paymentId: null,
    createdAt: at,
    paidAt: null,
    bill: (quote?.lines.length ?? 0) === 0 ? null : 1,
  } as const
  for (const constraint of ['registrations_reg_no_key', 'payments_order_id_key'])
    sql.batch?.returnOnConflict(constraint, err({ code: 'reg_no_taken' }))
  const id = await insertRegistration(sql, row, null, newId)
  if (id === null) throw new RollbackError(err({ code: 'reg_no_taken' }))
  if (approval !== undefined)
    saveApprovalRequest.run(sql, { id, approval: approval.id, decideBy: approval.decideBy })
  const bill = saveLines(sql, id, 1, quote?.lines ?? [])
  if (orderId !== null) {
    assert(quote !== null, 'a payment is due, but there is no quote')
    const isInserted = await insertPayment(sql, {
      registrationId: id,
      orderId,
      attempt: 1,
      gateway: method === undefined ? (registration.gateway ?? UNKNOWN_GATEWAY) : null,
      ...(method === undefined ? {} : { method }),
      merchantAccount: registration.merchantAccount ?? null,
      amount: quote.total,
      quote,
      holdUntil: registration.holdUntil ?? null,
      bill,
      at,
    })
    if (!isInserted) throw new RollbackError(err({ code: 'reg_no_taken' }))
  }
  recordPerson(sql, id, registration, person, samePerson.value)
  await saveAnswersAndCode(sql, id, registration, availability)
  const reserveSeats = (): void =>
    reserveQuotas(sql, id, availability.seatReservation, { eventId, isDue: orderId !== null, at })
  // If there is no payment deadline or desk payment, seats are reserved last, so that other delegates wait for them only
  // during the commit.
  const needsSeats = payUntil !== undefined || registration.deskPayment !== undefined
  if (needsSeats) reserveSeats()
  if (payUntil !== undefined) {
    savePayUntil.run(sql, { id, payUntil })
    await reserveSeatsAgain(sql, id, at)
  }
  replaceUploads(sql, id, registration.uploads)
  const { addedBy } = registration
  const registeredText = addedBy === undefined ? 'registered' : 'registration added'
  for (const entryText of [registeredText, ...(registration.consents ?? [])])
    addAuditEntryOfNewRegistration(sql, id, {
      at,
      who: addedBy ?? 'delegate',
      what: entryText,
      eventId,
      regNo,
    })
  if (addedBy !== undefined) addCreationEntry(sql, id, addedBy, at)
  if (registration.mail !== null)
    await enqueue(
      sql,
      id,
      isComplete ? 'confirmation' : approval === undefined ? 'instructions' : 'again',
      registration.mail,
      at,
      addedBy === undefined ? 'delegate' : 'system',
    )
  if (registration.deskPayment !== undefined)
    await confirmDeskPayment(sql, registration, registration.deskPayment)
  if (idempotency !== null)
    saveKey.run(sql, {
      id,
      eventId,
      key: idempotency.key,
      fingerprint: idempotency.fingerprint,
      at,
    })
  if (!needsSeats) reserveSeats()
  return ok({ id, regNo, orderId, amount: quote?.total ?? null, repeated: false })
}

/** Confirms a payment taken at the front desk. If the payment is refused, the registration is rolled back. */
async function confirmDeskPayment(
  sql: Sql,
  { regNo, addedBy, quote, at }: NewRegistration,
  { actor, way: method, officeMethod, reference, mail: email }: NewDeskPayment,
): Promise<void> {
  assert(addedBy !== undefined && quote !== null, 'a desk payment without a user or a price')
  const action = {
    regNo,
    act: 'confirm',
    actor,
    who: addedBy,
    why: '',
    at,
    idempotencyKey: null,
  } as const
  const payment = { method, officeMethod, reference, amount: quote.total, paidAt: at }
  const confirmation = await runAction(() => recordPayment(sql, action, payment, email))
  if (!confirmation.ok)
    throw new RollbackError(err({ code: 'not_confirmed', refusal: confirmation.error }))
}

/** Runs an action. If it is refused, the whole registration is rolled back. */
async function runAction(performAction: () => Promise<ActionResult>): Promise<ActionResult> {
  try {
    return await performAction()
  } catch (error) {
    if (error instanceof RollbackError) return error.value as ActionResult
    throw error
  }
}

/**
 * Inserts a registration and returns its id. Null if the number is taken. `newId`: on PostgreSQL, the id that was
 * assigned in advance; the operation then fails if the number is taken.
 */
export async function insertRegistration(
  sql: Sql,
  row: Omit<ImportRow, 'formerNo'> & {
    readonly bill?: number | null
    readonly state: RegistrationState
  },
  formerNo: string | null = null,
  newId: number | null = null,
): Promise<number | null> {
  const { searchable } = row
  const newRow: NewRow = {
    event_id: row.eventId,
    event_hash: row.eventHash,
    reg_no: row.regNo,
    former_no: formerNo,
    full_name: searchable.fullName,
    email: searchable.email,
    phone: searchable.phone,
    council_no: searchable.councilNo,
    answers: JSON.stringify(row.answers),
    category: row.category,
    period: row.period,
    base: row.base,
    gst: row.gst,
    total: row.total,
    currency: row.currency,
    bill: row.bill ?? null,
    payment_status: row.paymentStatus,
    payment_id: row.paymentId,
    paid_at: row.paidAt,
    created_at: row.createdAt,
    created_day: dayOf(row.createdAt),
    state: row.state,
  }
  if (newId !== null) addRegistrationWithId.run(sql, { id: newId, ...newRow })
  const id = newId ?? (await addRegistration.get(sql, newRow))?.id
  if (id === undefined) return null
  indexImmediately(sql, id, newRow)
  return id
}
