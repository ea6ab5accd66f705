/** Registrations of an event that wait for money, and which references of banks are known already. */
import { paise } from '../../engine/index.ts'
import type { Awaited, Day, RegNo } from '../../engine/index.ts'
import type { Sql } from './database.ts'

type Row = {
  reg_no: RegNo
  full_name: string
  due: number
  told: string | null
  paid_on: Day | null
}

/** In the order in which they were registered. What is complete but for a difference waits for that. */
export function awaited(sql: Sql, eventId: string): readonly Awaited[] {
  return sql<Row>(
    `SELECT r.reg_no, r.full_name, iif(r.payment_status = 'success', r.due, r.total) AS due, t.reference AS told, t.paid_on
     FROM registrations r LEFT JOIN tellings t ON t.registration_id = r.id AND t.ended_as IS NULL WHERE r.event_id = ? AND r.state IN ('to_pay', 'told', 'lapsed') AND r.total > 0 ORDER BY r.id`,
  )
    .all(eventId)
    .map(({ reg_no: regNo, full_name: name, due, told, paid_on: on }) => ({
      regNo,
      name,
      due: paise(due),
      told: told === null ? null : { reference: told, day: on },
    }))
}

/** Those of the words, in capitals, under which money was confirmed that came by a bank; each with its registration. */
export function knownReferences(
  sql: Sql,
  words: readonly string[],
): readonly (readonly [reference: string, regNo: RegNo | null])[] {
  return sql<{ reference: string; reg_no: RegNo | null }>(
    `SELECT upper(c.reference) AS reference, r.reg_no FROM captures c LEFT JOIN registrations r ON r.id = c.registration_id
     WHERE c.source IN ('transfer', 'upi') AND c.account = '' AND upper(c.reference) IN (SELECT value FROM json_each(?))`,
  )
    .all(JSON.stringify(words))
    .map(({ reference, reg_no }) => [reference, reg_no])
}
