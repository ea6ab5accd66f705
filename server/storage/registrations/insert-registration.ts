/** Writes new registrations, within the writer's transaction; a thrown error undoes each as a whole. */
import { assert, ATTEMPTS_MAX, dayOf, err, ok, createOrderId } from '../../../engine/index.ts'
import type {
  Answers,
  Instant,
  OrderId,
  RegistrationState,
  RegNo,
  Result,
} from '../../../engine/index.ts'
import type { ActionOutcome } from './action-types.ts'
import { isActive } from '../events/activate-versions.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import {
  askDifference,
  insertPayment,
  unusedAttempt,
  UNNAMED_GATEWAY,
} from '../payments/payment-attempts.ts'
import { keepLines } from '../payments/stored-bill-lines.ts'
import { indexAtOnce } from '../lists/search-index.ts'
import { forgetKeys, registeredUnder } from './idempotency-keys.ts'
import { confirm } from '../payments/save-recorded-payment.ts'
import { noteAdded } from './apply-action.ts'
import { enqueue } from '../mail/email-queue.ts'
import { holdAgain, keepAgain } from '../seats/keep-and-release-seats.ts'
import { paymentOfOrder, quoteOf, toStoredPayment } from './row-mapping.ts'
import type { OwnedPaymentRow, PaymentRow, RegistrationRow } from './row-mapping.ts'
import { Refused } from '../database/rollback-error.ts'
import { applyFact } from '../payments/apply-payment-events.ts'
import { settleRegistration } from '../payments/payment-state.ts'
import { takePlaces } from '../seats/available-seats.ts'
import { take, whetherFree, whetherStillFree } from '../seats/reserve-seats.ts'
import type { NextAttempt, RetryRefusal } from '../payments/payment-types.ts'
import type { OutsideRefusal } from './pricing-context-types.ts'
import type {
  ImportRow,
  MoneyInHand,
  NewRegistration,
  Registered,
  RegisterRefusal,
  StoredPayment,
} from '../index.ts'

export async function register(
  sql: Sql,
  registration: NewRegistration,
): Promise<Result<Registered, RegisterRefusal>> {
  const { eventId, regNo, orderId, quote, at, idempotency, approval } = registration
  const isComplete = orderId === null && approval === undefined
  if (idempotency !== null) forgetKeys(sql, eventId, idempotency.key, at)
  // On PostgreSQL these share one packet.
  const [known, isCurrent, free, newId] = await Promise.all([
    idempotency === null ? null : registeredUnder(sql, eventId, idempotency.key, at),
    isActive(sql, { eventId, hash: registration.eventHash, takesNew: true }),
    whetherFree(sql, registration),
    sql.batch?.newId('registrations') ?? null,
  ])
  if (known !== null)
    return known.fingerprint === idempotency?.fingerprint
      ? ok(known.registered)
      : err({ code: 'idempotency_key_reused' })
  if (!isCurrent) return err({ code: 'version_moved' })
  if (free.refusal !== null) return err(free.refusal)
  const { way, payUntil } = registration
  const row = {
    ...registration,
    period: quote?.period ?? null,
    base: quote?.base ?? null,
    gst: quote?.gst ?? null,
    total: quote?.total ?? null,
    paymentStatus: isComplete ? 'success' : 'pending',
    state: isComplete ? 'complete' : approval === undefined ? 'to_pay' : 'to_approve',
    paymentId: null,
    createdAt: at,
    paidAt: null,
    bill: (quote?.lines.length ?? 0) === 0 ? null : 1,
  } as const
  for (const constraint of ['registrations_reg_no_key', 'payments_order_id_key'])
    sql.batch?.orElse(constraint, err({ code: 'reg_no_taken' }))
  const id = await insertRegistration(sql, row, null, newId)
  if (id === null) throw new Refused(err({ code: 'reg_no_taken' }))
  if (approval !== undefined)
    sql('UPDATE registrations SET approval = ?, decide_by = ? WHERE id = ?').run(
      approval.id,
      approval.decideBy,
      id,
    )
  const bill = keepLines(sql, id, 1, quote?.lines ?? [])
  if (orderId !== null) {
    assert(quote !== null, 'a payment is due, but there is no quote')
    const added = await insertPayment(sql, {
      registrationId: id,
      orderId,
      attempt: 1,
      gateway: way === undefined ? (registration.gateway ?? UNNAMED_GATEWAY) : null,
      ...(way === undefined ? {} : { way }),
      askedOf: registration.askedOf ?? null,
      amount: quote.total,
      quote,
      holdUntil: registration.holdUntil ?? null,
      bill,
      at,
    })
    if (!added) throw new Refused(err({ code: 'reg_no_taken' }))
  }
  await take(sql, id, registration, free)
  const takeSeats = (): void =>
    takePlaces(sql, id, free.room, { eventId, isDue: orderId !== null, at })
  // Otherwise last, so that nobody else waits for the seats longer than the commit takes.
  const needsSeats = payUntil !== undefined || registration.inHand !== undefined
  if (needsSeats) takeSeats()
  if (payUntil !== undefined) {
    sql('UPDATE registrations SET pay_until = ? WHERE id = ?').run(payUntil, id)
    await keepAgain(sql, id, at)
  }
  for (const upload of registration.uploads)
    sql(
      'INSERT INTO uploads (registration_id, field, sha256, name, type, bytes) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(id, upload.field, upload.sha256, upload.name, upload.type, upload.bytes)
  const { addedBy } = registration
  for (const what of ['registered', ...(registration.agreed ?? [])])
    sql(
      'INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(at, addedBy ?? 'delegate', what, eventId, regNo, id)
  if (addedBy !== undefined) noteAdded(sql, id, addedBy, at)
  if (registration.mail !== null)
    await enqueue(
      sql,
      id,
      isComplete ? 'confirmation' : 'again',
      registration.mail,
      at,
      addedBy === undefined ? 'delegate' : 'system',
    )
  if (registration.inHand !== undefined) await confirmInHand(sql, registration, registration.inHand)
  if (idempotency !== null)
    sql(
      'INSERT INTO idempotency_keys (event_id, key, fingerprint, registration_id, at) VALUES (?, ?, ?, ?, ?)',
    ).run(eventId, idempotency.key, idempotency.fingerprint, id, at)
  if (!needsSeats) takeSeats()
  return ok({ id, regNo, orderId, amount: quote?.total ?? null, repeated: false })
}

/** Somebody stands there with the money: registered and paid, or not registered. */
async function confirmInHand(
  sql: Sql,
  { regNo, addedBy, quote, at }: NewRegistration,
  { actor, way, reference, mail }: MoneyInHand,
): Promise<void> {
  assert(addedBy !== undefined && quote !== null, 'money in hand, but of nobody or for nothing')
  const wanted = { regNo, act: 'confirm', actor, who: addedBy, why: '', at, once: null } as const
  const came = { way, reference, amount: quote.total, paidAt: at }
  const done = await answerTo(() => confirm(sql, wanted, came, mail))
  if (!done.ok) throw new Refused(err({ code: 'not_confirmed', no: done.error }))
}

/** Also of an act that wants what it wrote undone: here all of it is. */
async function answerTo(act: () => Promise<ActionOutcome>): Promise<ActionOutcome> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Refused) return error.value as ActionOutcome
    throw error
  }
}

export async function retry(
  sql: Sql,
  regNo: RegNo,
  at: Instant,
  { after, replaces = false, eventHash, askedOf, gateway, price, outside }: NextAttempt,
): Promise<Result<StoredPayment, RetryRefusal>> {
  const registration = await sql<RegistrationRow>(
    'SELECT * FROM registrations WHERE reg_no = ?',
  ).get(regNo)
  const newest = await sql<PaymentRow>(
    'SELECT * FROM payments WHERE registration_id = ? ORDER BY attempt DESC LIMIT 1',
  ).get(registration?.id ?? null)
  if (registration === undefined || newest === undefined) return err({ code: 'not_found' })
  if (newest.asks_for === 'difference' && registration.payment_status === 'success')
    return retryDifference(sql, registration, newest, at, {
      after,
      replaces,
      askedOf,
      gateway,
    })
  // In review money has arrived that does not fit: asking for more of it would be wrong.
  const isFree = newest.status === 'failed' || (replaces && newest.status === 'pending')
  if (
    !isFree ||
    newest.status !== registration.payment_status ||
    registration.in_review === 1 ||
    (after !== undefined && newest.order_id !== after)
  )
    return err({ code: 'not_failed' })
  const attempt = await unusedAttempt(sql, regNo, newest.attempt + 1)
  if (attempt > ATTEMPTS_MAX) return err({ code: 'too_many_attempts' })
  const eventId = registration.event_id
  if (
    eventHash !== undefined &&
    !(await isActive(sql, { eventId, hash: eventHash, takesNew: false }))
  )
    return err({ code: 'version_moved' })
  const gone = await whetherStillFree(sql, registration.id, {
    eventId: registration.event_id,
    answers: JSON.parse(registration.answers) as Answers,
    outside,
    at,
  })
  if (gone !== null) return err(gone)
  // Two orders are never open at once. Money that comes for this one all the same is a success, or before a person.
  if (newest.status === 'pending')
    await applyFact(sql, newest.order_id, { type: 'expired', at }, null)
  // A price of its own becomes the registration's, also of one that was corrected.
  if (price !== undefined)
    sql('UPDATE registrations SET is_corrected = 0 WHERE id = ?').run(registration.id)
  const orderId = createOrderId(regNo, attempt)
  const quote = price?.quote ?? quoteOf(newest)
  const added = await insertPayment(sql, {
    registrationId: registration.id,
    orderId,
    attempt,
    gateway: gateway ?? newest.gateway ?? UNNAMED_GATEWAY,
    askedOf:
      askedOf ??
      (newest.account === null
        ? null
        : { account: newest.account, merchantId: newest.merchant_id }),
    amount: price?.quote.total ?? newest.amount,
    quote,
    holdUntil: price === undefined ? newest.hold_until : price.holdUntil,
    bill:
      price === undefined
        ? newest.bill
        : keepLines(sql, registration.id, attempt, price.quote.lines),
    at,
  })
  assert(added, `order id ${attempt} of a registration is taken`)
  await settleRegistration(sql, registration.id)
  await holdAgain(sql, registration.event_id, registration.id, at)
  sql(
    "INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id) VALUES (?, 'delegate', 'tried the payment again', ?, ?, ?)",
  ).run(at, registration.event_id, regNo, registration.id)
  const payment = await sql<OwnedPaymentRow>(paymentOfOrder).get(orderId)
  assert(payment !== undefined, 'a payment just written is not there')
  return ok(toStoredPayment(payment))
}

/** What a correction left, once more; how much that is by now is what it asks for. */
async function retryDifference(
  sql: Sql,
  registration: RegistrationRow,
  newest: PaymentRow,
  at: Instant,
  {
    after,
    replaces,
    askedOf,
    gateway,
  }: { [key in 'after' | 'replaces' | 'askedOf' | 'gateway']: NextAttempt[key] | undefined },
): Promise<Result<StoredPayment, RetryRefusal>> {
  const isQuicker = after !== undefined && newest.order_id !== after
  const isFree = newest.status === 'failed' || newest.way !== null || replaces === true
  if (!isFree || registration.due <= 0 || isQuicker) return err({ code: 'not_failed' })
  if (newest.attempt >= ATTEMPTS_MAX) return err({ code: 'too_many_attempts' })
  const asked = askedOf ?? { account: newest.account ?? '', merchantId: newest.merchant_id }
  const through = { gateway: gateway ?? newest.gateway ?? UNNAMED_GATEWAY, askedOf: asked }
  const orderId = await askDifference(sql, registration, through, at)
  assert(orderId !== null, 'a difference that is due was not asked for')
  const payment = await sql<OwnedPaymentRow>(paymentOfOrder).get(orderId)
  assert(payment !== undefined, 'a payment just written is not there')
  return ok(toStoredPayment(payment))
}

/** Polling queries it soon, and its hold starts anew. Its seats may be taken by now. */
export async function handedAgain(
  sql: Sql,
  orderId: OrderId,
  at: Instant,
  outside: NextAttempt['outside'] | null,
): Promise<Result<null, OutsideRefusal>> {
  const row = await sql<{ id: number; event_id: string; answers: string }>(
    `SELECT id, event_id, answers FROM registrations WHERE id =
       (SELECT registration_id FROM payments WHERE order_id = ? AND status = 'pending' AND review IS NULL)`,
  ).get(orderId)
  if (row === undefined) return ok(null)
  const answers = JSON.parse(row.answers) as Answers
  const gone = await whetherStillFree(sql, row.id, { eventId: row.event_id, answers, outside, at })
  if (gone !== null) return err(gone)
  await holdAgain(sql, row.event_id, row.id, at)
  sql('UPDATE payments SET handed_off_at = ?, next_ask_at = ?, asks = 0 WHERE order_id = ?').run(
    at,
    at,
    orderId,
  )
  return ok(null)
}

/** Null: the number is taken. `newId`: the id that it gets, on PostgreSQL; then a taken number fails the operation. */
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
  const written = sql(
    `INSERT INTO registrations (${newId === null ? '' : 'id, '}event_id, event_hash, reg_no, former_no, full_name, email, phone, council_no, answers, category, period, base, gst, total, bill,
       payment_status, payment_id, paid_at, created_at, created_day, state)
     VALUES (${newId === null ? '' : '?, '}?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)${newId === null ? ' ON CONFLICT (reg_no) DO NOTHING' : ''}`,
  ).run(
    ...(newId === null ? [] : [newId]),
    row.eventId,
    row.eventHash,
    row.regNo,
    formerNo,
    searchable.fullName,
    searchable.email,
    searchable.phone,
    searchable.councilNo,
    JSON.stringify(row.answers),
    row.category,
    row.period,
    row.base,
    row.gst,
    row.total,
    row.bill ?? null,
    row.paymentStatus,
    row.paymentId,
    row.paidAt,
    row.createdAt,
    dayOf(row.createdAt),
    row.state,
  )
  if (newId === null && (await written.changes) === 0) return null
  const id = newId ?? (await written.lastInsertRowid)
  indexAtOnce(sql, {
    id,
    reg_no: row.regNo,
    former_no: formerNo,
    full_name: searchable.fullName,
    email: searchable.email,
    phone: searchable.phone,
    council_no: searchable.councilNo,
    answers: JSON.stringify(row.answers),
  })
  return id
}
