/** Stores lines of a bank statement that match no registration: each is money under review. */
import {
  bankKey,
  findChequeNumber,
  dayOf,
  fallbackKeys,
  instant,
  findReferenceKeys,
  lineReferenceKeys,
  referenceKeys,
  findLineByReference,
  namesPayment,
  formatKey,
  startOfDay,
  findLineUtrs,
} from '../../../engine/index.ts'
import type { BankKey, Instant, Paise, StatementLine } from '../../../engine/index.ts'
import { audit } from '../staff/audit-log-entries.ts'
import { keepCame, ownerOf, paymentsUnder, reportsUnder } from './bank-references.ts'
import { reportTwice } from './references-in-review.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { KeptUnmatched, NewUnmatched } from './settlement-types.ts'

/** Uses the same reference as for confirming a transfer, so that it counts once in any case. */
export async function keepUnmatched(
  sql: Sql,
  money: readonly NewUnmatched[],
): Promise<KeptUnmatched> {
  let added = 0
  let elsewhere = 0
  let reported = 0
  for (const one of money) {
    const { reference, amount, day, narration, eventId, who, at } = one
    const line = findLineByReference({ line: 0, reference, narration, day, amount })
    const cheque = findChequeNumber(line)
    const also = [...(one.also ?? []), ...(cheque === null ? [] : [cheque])]
    if (await isElsewhere(sql, one)) {
      elsewhere += 1
      continue
    }
    const named = { way: 'transfer', reference, also, eventId, regNo: null } as const
    // It is confirmed for the registration whose delegate reported it, or first not found there.
    if ((await ownerOf(sql, named))?.is === 'report') {
      reported += 1
      continue
    }
    // The page may have been loaded before the payment was recorded.
    if (await isRecorded(sql, line, one)) continue
    const kept = await keepCame(sql, {
      ...named,
      account: '',
      amount,
      paidAt: instant(Math.min(startOfDay(day), at)),
      at,
      state: 'unmatched',
      foundFor: eventId,
      registrationId: null,
      paymentId: null,
      why: `${KEPT}${narration}${await toldFor(sql, reference, eventId)}`,
    })
    if (!kept.ok) continue
    audit(sql, {
      at,
      who,
      what: `kept money that nobody waits for: ${reference}`,
      eventId,
      regNo: null,
    })
    added += 1
  }
  return { added, elsewhere, reported }
}

/** What the review reason of a kept line begins with, before the bank's narration. */
const KEPT = 'It came to the bank, and nobody waits for it: '

/** The line names a recorded payment, or a gateway's payout, also where its reference does not. */
async function isRecorded(
  sql: Sql,
  line: StatementLine,
  { own = [] }: NewUnmatched,
): Promise<boolean> {
  const listed = JSON.stringify([...lineReferenceKeys(line)])
  const numbers = (
    await sql<{ reg_no: string }>(
      'SELECT reg_no FROM registrations WHERE reg_no IN (SELECT value FROM json_each(?))',
    ).all(listed)
  ).map(({ reg_no: regNo }) => bankKey(regNo))
  // A delegate may pay twice under the registration number.
  const isUsable = (key: BankKey): boolean => !own.includes(key) && !numbers.includes(key)
  const keys = [...lineReferenceKeys(line), ...fallbackKeys(line)].filter(isUsable)
  const payouts = sql(
    "SELECT 1 FROM settlement_lines WHERE utr_key <> '' AND utr_key IN (SELECT value FROM json_each(?)) LIMIT 1",
  )
  return (
    namesPayment(line, new Map(await paymentsUnder(sql, keys))) ||
    (await payouts.get(JSON.stringify(findLineUtrs(line).filter(isUsable)))) !== undefined
  )
}

/**
 * Adds the cheque number to lines that older versions kept under their day, amount and text only. Where the cheque
 * is recorded as well, the kept line says so to the staff who decide on it.
 */
export async function nameOlderCheques(sql: Sql): Promise<void> {
  type Kept = { id: number; reference: string; amount: Paise; paid_at: Instant; why: string }
  const kept = await sql<Kept & { event_id: string; state: string }>(
    `SELECT c.id, c.reference, c.amount, c.paid_at, c.why, coalesce(c.found_for, r.event_id, '') AS event_id, c.state
     FROM captures c LEFT JOIN registrations r ON r.id = c.registration_id
     WHERE c.source = 'transfer' AND substr(c.why, 1, ?) = ? ORDER BY c.id`,
  ).all(KEPT.length, KEPT)
  for (const { id, reference, amount, paid_at: at, why, event_id: eventId, state } of kept) {
    const narration = why.slice(KEPT.length).replace(/ \(told for [^)]*\).*/s, '')
    const day = dayOf(at)
    const cheque = findChequeNumber(
      findLineByReference({ line: 0, reference, narration, day, amount }),
    )
    if (cheque === null) continue
    const [first] = await paymentsUnder(sql, [cheque])
    if (first === undefined)
      sql('INSERT INTO bank_references (key, capture_id) VALUES (?, ?)').run(cheque, id)
    else if (first[1].id !== id && first[1].amount === amount && state !== 'refused')
      await reportTwice(sql, id, { reference: formatKey(cheque), eventId }, first[1])
  }
}

/** A delegate of another event reported it, or it contains the number of a registration of another event. */
async function isElsewhere(
  sql: Sql,
  { reference, also = [], narration, eventId }: NewUnmatched,
): Promise<boolean> {
  const names = [reference, ...also]
  const isClaimed = (await reportsUnder(sql, names.flatMap(referenceKeys))).some(
    (report) => report.eventId !== eventId && !report.isReleased,
  )
  const numbers = [...names, narration].flatMap((text) => [...findReferenceKeys(text)])
  const numbered = await sql<{ event_id: string }>(
    'SELECT event_id FROM registrations WHERE reg_no IN (SELECT value FROM json_each(?))',
  ).all(JSON.stringify(numbers))
  return isClaimed || (numbered.length > 0 && numbered.every(({ event_id: id }) => id !== eventId))
}

/** Which registration of the event reported it, where staff did not find it then; empty: none. */
async function toldFor(sql: Sql, reference: string, eventId: string): Promise<string> {
  const told = (await reportsUnder(sql, referenceKeys(reference))).findLast(
    (one) => one.eventId === eventId,
  )
  return told === undefined ? '' : ` (told for ${told.regNo})`
}
