/** Finds second payments: paid registrations of one event with the same email address and name. */
import { payerKey } from '../../../engine/index.ts'
import { addSecondPaymentNotice } from '../../../engine/messages.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { lockPersons } from '../database/row-locks.ts'
import type { NewMail } from '../registrations/registration-types.ts'

export type SecondPayment = {
  /** The registration of the same person that was paid first. */
  readonly first: RegNo
  /** When the delegate requested a refund that the office has not answered; null: no request. */
  readonly askedAt: Instant | null
}

type Payer = { readonly event_id: string; readonly email: string; readonly full_name: string }

/** Money was paid for it, and it was neither cancelled nor refunded. */
const PAID = `r.payment_status = 'success' AND r.state NOT IN ('cancelled', 'refused') AND r.erased_at IS NULL
  AND EXISTS (SELECT 1 FROM payments p WHERE p.registration_id = r.id AND p.status = 'success' AND p.amount > 0)`

const keyOf = ({ email, full_name: fullName }: Payer): string | null =>
  payerKey({ email, fullName })

/** Call it whenever the payments, the state or the person of a registration may have changed. */
export async function notePayer(sql: Sql, registrationId: number): Promise<void> {
  const paid = await sql<Payer>(
    `SELECT r.event_id, r.email, r.full_name FROM registrations r WHERE r.id = ? AND ${PAID}`,
  ).get(registrationId)
  const person = paid === undefined ? null : keyOf(paid)
  const before = await sql<{ event_id: string; person: string }>(
    'SELECT event_id, person FROM paid_persons WHERE registration_id = ?',
  ).get(registrationId)
  if (person === (before?.person ?? null)) return
  lockPersons(sql, [
    ...(person === null || paid === undefined ? [] : [[paid.event_id, person] as const]),
    ...(before === undefined ? [] : [[before.event_id, before.person] as const]),
  ])
  if (person === null || paid === undefined)
    sql('DELETE FROM paid_persons WHERE registration_id = ?').run(registrationId)
  else {
    await keepPayer(sql, registrationId, paid.event_id, person)
    await findFirst(sql, paid.event_id, person)
  }
  if (before !== undefined) await findFirst(sql, before.event_id, before.person)
}

/** A person who was renamed keeps their position in the order of payments. */
async function keepPayer(
  sql: Sql,
  registrationId: number,
  eventId: string,
  person: string,
): Promise<void> {
  const renamed = sql(
    'UPDATE paid_persons SET person = ?, first_id = NULL WHERE registration_id = ?',
  ).run(person, registrationId)
  if ((await renamed.changes) === 0)
    sql('INSERT INTO paid_persons (registration_id, event_id, person) VALUES (?, ?, ?)').run(
      registrationId,
      eventId,
      person,
    )
}

/** The first payment of a person stays the first; every other one names it. */
async function findFirst(sql: Sql, eventId: string, person: string): Promise<void> {
  const [first, ...others] = await sql<{
    id: number
    registration_id: number
    first_id: number | null
  }>(
    'SELECT id, registration_id, first_id FROM paid_persons WHERE event_id = ? AND person = ? ORDER BY id',
  ).all(eventId, person)
  if (first === undefined) return
  if (first.first_id !== null)
    sql('UPDATE paid_persons SET first_id = NULL WHERE id = ?').run(first.id)
  for (const { id, first_id: before } of others)
    if (before !== first.registration_id)
      sql(
        `UPDATE paid_persons SET first_id = ?, after_act = CASE WHEN first_id IS NULL
           THEN (SELECT coalesce(max(id), 0) FROM acts) ELSE after_act END WHERE id = ?`,
      ).run(first.registration_id, id)
}

/** Returns the second payment; null: it is none. Reads only; also runs outside the writer's transaction. */
export async function secondPaymentOf(sql: Sql, regNo: RegNo): Promise<SecondPayment | null> {
  const second = await sql<{ id: number; first: RegNo }>(
    `SELECT s.registration_id AS id, f.reg_no AS first FROM paid_persons s JOIN registrations f ON f.id = s.first_id
     WHERE s.registration_id = (SELECT id FROM registrations WHERE reg_no = ?)`,
  ).get(regNo)
  if (second === undefined) return null
  const last = await sql<{ act: string; at: Instant }>(
    "SELECT act, at FROM acts WHERE registration_id = ? AND act IN ('ask_refund', 'withdraw_refund', 'note', 'refund') ORDER BY id DESC LIMIT 1",
  ).get(second.id)
  return { first: second.first, askedAt: last?.act === 'ask_refund' ? last.at : null }
}

/** Returns the other paid registrations of the same person, the first payment first. Reads only. */
export async function paidBySamePerson(sql: Sql, regNo: RegNo): Promise<readonly RegNo[]> {
  return (
    await sql<{ reg_no: RegNo }>(
      `SELECT r.reg_no FROM paid_persons own JOIN paid_persons o ON o.event_id = own.event_id AND o.person = own.person AND o.id <> own.id
       JOIN registrations r ON r.id = o.registration_id
     WHERE own.registration_id = (SELECT id FROM registrations WHERE reg_no = ?) ORDER BY o.id`,
    ).all(regNo)
  ).map(({ reg_no }) => reg_no)
}

/** Returns the confirmation for this registration: for a second payment, it says so. */
export async function sayingSecond(
  sql: Sql,
  registrationId: number,
  mail: NewMail,
): Promise<NewMail> {
  const first = await sql<{ reg_no: RegNo }>(
    'SELECT f.reg_no FROM paid_persons s JOIN registrations f ON f.id = s.first_id WHERE s.registration_id = ?',
  ).get(registrationId)
  return first === undefined ? mail : addSecondPaymentNotice(mail, first.reg_no)
}

/** A request for a refund of the second payment that the delegate has not withdrawn. */
const REQUESTED = `a.registration_id = s.registration_id AND a.act = 'ask_refund' AND NOT EXISTS (SELECT 1 FROM acts w
  WHERE w.registration_id = a.registration_id AND w.act = 'withdraw_refund' AND w.id > a.id)`

/**
 * A note on either of the two that came after it answers it. A request for a refund is answered by a note on the registration
 * that it came from: one on the other may be about something else.
 */
const OPEN = `FROM paid_persons s WHERE s.event_id = :event AND s.first_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM acts b WHERE b.registration_id IN (s.registration_id, s.first_id) AND b.act = 'note'
    AND b.id > s.after_act AND b.id > coalesce((SELECT max(a.id) FROM acts a WHERE ${REQUESTED}), 0)
    AND (b.registration_id = s.registration_id OR NOT EXISTS (SELECT 1 FROM acts a WHERE ${REQUESTED})))`

/** Both of each pair without an answer. */
export const OPEN_SECOND_PAYMENTS = `SELECT s.registration_id AS id ${OPEN} UNION SELECT s.first_id ${OPEN}
  ORDER BY 1 DESC LIMIT :limit`

/** As many are listed. */
const REQUESTS_MAX = 1000

/** Returns those second payments for which the delegate requests a refund, newest first. Reads only. */
export async function refundRequests(sql: Sql, eventId: string): Promise<readonly RegNo[]> {
  return (
    await sql<{ reg_no: RegNo }>(
      `SELECT r.reg_no FROM registrations r WHERE r.id IN (SELECT s.registration_id ${OPEN})
       AND EXISTS (SELECT 1 FROM acts q WHERE q.registration_id = r.id AND q.act = 'ask_refund'
         AND NOT EXISTS (SELECT 1 FROM acts n WHERE n.registration_id = r.id AND n.act IN ('note', 'refund', 'withdraw_refund') AND n.id > q.id))
     ORDER BY r.id DESC LIMIT ${REQUESTS_MAX}`,
    ).all({ event: eventId })
  ).map(({ reg_no }) => reg_no)
}

/** So many at a time. */
const OLDER_ROWS = 10_000

/** Compares data stored by older versions; the registration made first counts as paid first. */
export async function noteOlderPayers(sql: Sql): Promise<void> {
  for (let after = 0; ;) {
    const rows = await sql<Payer & { id: number }>(
      `SELECT r.id, r.event_id, r.email, r.full_name FROM registrations r WHERE r.id > ? AND ${PAID} ORDER BY r.id LIMIT ${OLDER_ROWS}`,
    ).all(after)
    for (const row of rows) {
      const person = keyOf(row)
      if (person !== null) await keepPayer(sql, row.id, row.event_id, person)
    }
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
  }
  const several = await sql<{ event_id: string; person: string }>(
    'SELECT event_id, person FROM paid_persons GROUP BY event_id, person HAVING count(*) > 1',
  ).all()
  for (const { event_id: eventId, person } of several) await findFirst(sql, eventId, person)
}
