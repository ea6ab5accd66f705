/**
 * Assigns bank references to payments.
 * Payment claims, confirmation, extra payments, unmatched payments, matching and settlement all use this module,
 * and only it writes payments that a bank shows.
 */
import {
  assert,
  assertNever,
  bankKey,
  err,
  isSlipNumber,
  referenceKeys,
  ok,
  MANUAL_METHOD_IDS,
  splitWords,
} from '../../../engine/index.ts'
import type {
  BankKey,
  Day,
  Instant,
  KnownPayment,
  Paise,
  RegNo,
  Result,
  ManualMethod,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { ReferenceReport } from '../payments/payment-claim-types.ts'
import { returnedKey, sayReturned } from '../payments/returned-transfers.ts'
import type { ReturnedKey } from '../payments/returned-transfers.ts'
import { isRefundReference } from '../refunds/refund-states-and-channels.ts'

/** The references under which a payment was recorded. */
export type Named = {
  readonly way: ManualMethod
  readonly reference: string
  /** Other references of the same payment on the bank's line. */
  readonly also?: readonly string[]
  readonly eventId: string
  /** Null: it belongs to no registration yet. */
  readonly regNo: RegNo | null
}
/**
 * The owner of a reference. `payout`: a gateway paid out under it; `refund`: it is of a refund; `report`: the delegate of that registration
 * reported it.
 */
export type ReferenceOwner =
  | ({ readonly is: 'payment' } & KnownPayment)
  | { readonly is: 'payout'; readonly utr: string }
  | { readonly is: 'refund' }
  | ({ readonly is: 'report' } & ReferenceReport)

/** References, slips and returns are stored in one column; slips and returns have a space, which no bank reference has. */
type ReferenceKey = BankKey | `${string} ${ManualMethod} ${string}` | ReturnedKey

/** The methods whose money a front desk takes under a slip number of its own. */
const SLIP_WAYS: readonly ManualMethod[] = ['desk', 'machine']

/** Every key under which money is recorded. No bank sees cash, and a slip number is of its event. */
function keysOf({ way, reference, also = [], eventId, regNo }: Named): readonly ReferenceKey[] {
  const key = bankKey(reference)
  const isSlip =
    way === 'cash' ||
    (SLIP_WAYS.includes(way) && (isSlipNumber(key) || (regNo !== null && key === bankKey(regNo))))
  if (isSlip) return [`${eventId} ${way} ${key === '' ? reference : key}`]
  return [...new Set([reference, ...also].flatMap(referenceKeys))]
}

/**
 * Returns the owner of a reference in any spelling; null: none. A payment takes precedence over a claim. Anybody
 * can type a claim, so it blocks only its own event, whose staff see it and can reject it. A claim of the
 * registration itself, and a released claim, block nobody.
 */
export async function ownerOf(sql: Sql, named: Named): Promise<ReferenceOwner | null> {
  const keys = keysOf(named)
  for (const key of keys) {
    const [payment] = await paymentsUnder(sql, [key])
    if (payment !== undefined) return { is: 'payment', ...payment[1] }
    const payout = await sql<{ utr: string }>(
      "SELECT utr FROM settlement_lines WHERE utr_key = ? AND utr_key <> '' LIMIT 1",
    ).get(key)
    if (payout !== undefined) return { is: 'payout', utr: payout.utr }
  }
  if (await isRefundReference(sql, keys)) return { is: 'refund' }
  const report = (await reportsUnder(sql, keys)).find(
    ({ regNo, eventId, isReleased }) =>
      eventId === named.eventId && regNo !== named.regNo && !isReleased,
  )
  return report === undefined ? null : { is: 'report', ...report }
}

/** Explains to staff why a reference is known; null: it is free. */
export async function whyKnown(sql: Sql, named: Named): Promise<string | null> {
  const owner = await ownerOf(sql, named)
  if (owner === null) return null
  const { reference } = named
  switch (owner.is) {
    case 'payment':
      return `${reference} is already recorded: it is ${await ownerWords(sql, owner.regNo, named.eventId)}.${isElsewhere(owner, named) ? KNOWN_ELSEWHERE : ''}`
    case 'payout':
      return `${reference} is already the reference of a gateway payout.`
    case 'refund':
      return `${reference} is the reference of a refund that was recorded. Enter the reference of the payment itself.`
    case 'report':
      return `The delegate of ${owner.regNo} reported ${reference}. Confirm it for ${owner.regNo}, or first choose “Payment not found” there.`
    default:
      return assertNever(owner)
  }
}

/** What staff do about money that another event has confirmed. */
const KNOWN_ELSEWHERE =
  ' One transfer counts once. If it is not for this registration, do not record it here (“Payment not found” rejects a report). If it is, ask a treasurer of all events, who can see both.'

const isElsewhere = ({ eventId }: KnownPayment, here: Pick<Named, 'eventId'>): boolean =>
  eventId != null && eventId !== here.eventId

/**
 * Returns every claim of these references, oldest first; of several claims of one registration, the newest. Reads
 * only.
 */
export async function reportsUnder(
  sql: Sql,
  keys: readonly string[],
): Promise<readonly ReferenceReport[]> {
  return (
    await sql<Omit<ReferenceReport, 'isReleased'> & { is_released: number }>(
      `SELECT t.folded AS "key", r.reg_no AS "regNo", r.event_id AS "eventId", r.full_name AS name, t.reference, t.paid_on AS day,
       CASE WHEN t.ended_as = 'not_found' OR t.ended_as = 'again' AND EXISTS (
         SELECT 1 FROM tellings n WHERE n.registration_id = t.registration_id AND n.id > t.id) THEN 1 ELSE 0 END AS is_released
     FROM tellings t JOIN registrations r ON r.id = t.registration_id
     WHERE t.folded IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
       SELECT 1 FROM tellings n WHERE n.registration_id = t.registration_id AND n.folded = t.folded AND n.id > t.id)
     ORDER BY t.id`,
    ).all(JSON.stringify(keys.filter((key) => key !== '')))
  ).map(({ is_released: isReleased, ...report }) => ({ ...report, isReleased: isReleased === 1 }))
}

/** Whoever reads this may work for this event alone: the number of another event's registration stays out. */
async function ownerWords(sql: Sql, regNo: RegNo | null, eventId: string): Promise<string> {
  if (regNo === null) return 'of no registration yet'
  const isHere = await sql('SELECT 1 FROM registrations WHERE reg_no = ? AND event_id = ?').get(
    regNo,
    eventId,
  )
  return `the payment of ${isHere === undefined ? 'a registration of another event' : regNo}`
}

/** Returns recorded payments by their keys. Reads only; also runs outside the writer's transaction. */
export async function paymentsUnder(
  sql: Sql,
  keys: readonly string[],
): Promise<readonly (readonly [key: BankKey, payment: KnownPayment])[]> {
  return (
    await sql<{
      key: BankKey
      id: number
      reg_no: RegNo | null
      amount: Paise
      event: string | null
    }>(
      `SELECT b.key, c.id, r.reg_no, c.amount, coalesce(r.event_id, c.found_for) AS event FROM bank_references b JOIN captures c ON c.id = b.capture_id
     LEFT JOIN registrations r ON r.id = c.registration_id WHERE b.key IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(keys))
  ).map(({ key, id, reg_no: regNo, amount, event: eventId }) => [
    key,
    { id, regNo, amount, eventId },
  ])
}

/** A received payment, as seen at the bank or the desk. */
export type NewCame = Named & {
  readonly account: string
  readonly amount: Paise
  readonly paidAt: Instant
  readonly at: Instant
  readonly state: 'fits' | 'review' | 'unmatched'
  readonly why: string | null
  /** Null: it belongs to no registration yet. */
  readonly registrationId: number | null
  readonly paymentId: number | null
  /** The event whose staff it belongs to, if no registration determines it. */
  readonly foundFor: string | null
}

/** Stores a payment under its references: each belongs to one payment. The error names the present owner. */
export async function keepCame(sql: Sql, came: NewCame): Promise<Result<number, string>> {
  const known = await whyKnown(sql, came)
  if (known !== null) return err(known)
  const keys = keysOf(came)
  assert(keys.length > 0, 'money under a reference without a letter or digit')
  const written = sql(
    `INSERT INTO captures (payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why, found_for)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'INR', 'sale', ?, ?, ?, ?, ?)`,
  ).run(
    came.paymentId,
    came.paymentId,
    came.registrationId,
    came.way,
    came.account,
    came.reference,
    came.amount,
    came.paidAt,
    came.at,
    came.state,
    came.why,
    came.foundFor,
  )
  const captureId = await written.lastInsertRowid
  for (const key of keys)
    sql('INSERT INTO bank_references (key, capture_id) VALUES (?, ?)').run(key, captureId)
  return ok(captureId)
}

type Older = {
  id: number
  source: ManualMethod
  reference: string
  state: string
  event_id: string | null
  reg_no: RegNo | null
}

/**
 * Assigns references to payments recorded by older versions. Of two payments under one reference, the first gets
 * it; the second stays unchanged and needs review. From then on claims are compared in the same spelling.
 */
export async function nameOlder(sql: Sql): Promise<void> {
  const older = await sql<Older>(
    `SELECT c.id, c.source, c.reference, c.state, coalesce(r.event_id, c.found_for, c.account) AS event_id, r.reg_no
     FROM captures c LEFT JOIN registrations r ON r.id = c.registration_id
     WHERE c.source IN (SELECT value FROM json_each(?)) AND c.id NOT IN (SELECT capture_id FROM bank_references) ORDER BY c.id`,
  ).all(JSON.stringify(MANUAL_METHOD_IDS))
  for (const { id, source: way, reference, state, event_id: eventId, reg_no: regNo } of older) {
    const named = { way, reference, eventId: eventId ?? '', regNo }
    const keys = keysOf(named)
    const [first] = await paymentsUnder(sql, keys)
    if (first === undefined)
      for (const key of keys)
        sql('INSERT INTO bank_references (key, capture_id) VALUES (?, ?)').run(key, id)
    else if (state !== 'refused')
      await reportTwice(sql, id, { reference, eventId: named.eventId }, first[1])
  }
  const claims = await sql<{ id: number; reference: string; folded: string }>(
    'SELECT id, reference, folded FROM tellings ORDER BY id',
  ).all()
  for (const { id, reference, folded } of claims) {
    const key = bankKey(reference)
    const isTaken =
      (await sql(
        "SELECT 1 FROM tellings WHERE folded = ? AND id <> ? AND (ended_as IS NULL OR ended_as = 'found')",
      ).get(key, id)) !== undefined
    if (key !== '' && key !== folded && !isTaken)
      sql('UPDATE tellings SET folded = ? WHERE id = ?').run(key, id)
  }
}

/** Normalises claims that older versions had closed: they stay known too. */
export async function nameOlderReports(sql: Sql): Promise<void> {
  const ended = await sql<{ id: number; reference: string; folded: string }>(
    "SELECT id, reference, folded FROM tellings WHERE ended_as IN ('again', 'not_found') ORDER BY id",
  ).all()
  for (const { id, reference, folded } of ended) {
    const key = bankKey(reference)
    if (key !== '' && key !== folded)
      sql('UPDATE tellings SET folded = ? WHERE id = ?').run(key, id)
  }
}

/** A payment made elsewhere, with the reference in its row. */
export type NamedImport = {
  readonly reference: string
  readonly eventId: string
  readonly regNo: RegNo
}

/**
 * Returns the owner of an imported payment's reference; null: none. Short numbers are other systems' counters,
 * not bank references.
 */
export function whyImportKnown(sql: Sql, { reference, eventId, regNo }: NamedImport) {
  if (isSlipNumber(bankKey(reference))) return null
  return whyKnown(sql, { way: 'transfer', reference, eventId, regNo })
}

/**
 * Assigns the reference of an imported payment: the bank may show it too, and it belongs to one payment like any
 * other.
 */
export function nameImport(sql: Sql, captureId: number, { reference }: NamedImport): void {
  if (isSlipNumber(bankKey(reference))) return
  for (const key of referenceKeys(reference))
    sql('INSERT INTO bank_references (key, capture_id) VALUES (?, ?)').run(key, captureId)
}

/**
 * Assigns references to payments imported by older versions. Of two payments under one reference, the import
 * needs review.
 */
export async function nameOlderImports(sql: Sql): Promise<void> {
  const older = await sql<NamedImport & { id: number; is_refunded: number }>(
    `SELECT c.id, p.reference, r.event_id AS "eventId", r.reg_no AS "regNo", CASE WHEN p.status = 'refunded' THEN 1 ELSE 0 END AS is_refunded
     FROM captures c JOIN payments p ON p.id = c.payment_id JOIN registrations r ON r.id = c.registration_id
     WHERE c.source = 'import' AND p.reference IS NOT NULL AND c.id NOT IN (SELECT capture_id FROM bank_references) ORDER BY c.id`,
  ).all()
  for (const { id, is_refunded: isRefunded, ...named } of older) {
    const { reference } = named
    const [first] = isSlipNumber(bankKey(reference))
      ? []
      : await paymentsUnder(sql, referenceKeys(reference))
    if (first === undefined) nameImport(sql, id, named)
    else if (isRefunded === 0) await reportTwice(sql, id, named, first[1])
  }
}

/** Two payments under one reference: staff decide which of them the bank has seen. */
export async function reportTwice(
  sql: Sql,
  later: number,
  { reference, eventId }: { readonly reference: string; readonly eventId: string },
  first: KnownPayment,
): Promise<void> {
  const isOver = await sql("SELECT 1 FROM captures WHERE id = ? AND state = 'refused'").get(
    first.id,
  )
  if (isOver !== undefined) return
  const why = `The bank reference ${reference} is recorded twice: it is also ${await ownerWords(sql, first.regNo, eventId)}. Check the bank statement and refund what was counted twice.`
  await putInReview(sql, later, why)
}

/**
 * A gateway paid out under this reference: a payment recorded under it consists of card payments, which count
 * there.
 */
export async function reportPaidOut(sql: Sql, utr: string): Promise<void> {
  for (const [, { id }] of await paymentsUnder(sql, [bankKey(utr)]))
    await putInReview(
      sql,
      id,
      `The gateway’s settlement has the bank reference ${utr}: this money is a payout of card payments, so do not count it again.`,
    )
}

/** A withdrawal that names a recorded payment. */
export type Returned = {
  readonly captureId: number
  readonly reference: string
  /** Zero: the file does not state it. */
  readonly amount: Paise
  readonly day: Day
  readonly narration: string
}

/** Puts payments that the bank may have returned into review, once per withdrawal, until staff decide. */
export async function reportReturned(sql: Sql, returned: readonly Returned[]): Promise<void> {
  for (const { captureId, reference, amount, day, narration } of returned) {
    const left = await sql<{ left: Paise }>(
      `SELECT c.amount - coalesce((SELECT sum(f.amount) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done'), 0) AS "left"
       FROM captures c WHERE c.id = ? AND c.state <> 'refused'`,
    ).get(captureId)
    // Staff have refunded it: this withdrawal is that refund.
    if (left === undefined || left.left <= 0) continue
    const withdrawal = { amount, day }
    const key: ReferenceKey = returnedKey(captureId, withdrawal, splitWords(narration))
    const isOld = (await sql('SELECT 1 FROM bank_references WHERE key = ?').get(key)) !== undefined
    if (isOld) continue
    sql('INSERT INTO bank_references (key, capture_id) VALUES (?, ?)').run(key, captureId)
    await putInReview(sql, captureId, sayReturned(withdrawal, reference))
  }
}

/** What counts, or waits already, comes before staff with one more reason. */
async function putInReview(sql: Sql, captureId: number, why: string): Promise<void> {
  sql(
    "UPDATE captures SET why = coalesce(why || ' ', '') || ? WHERE id = ? AND state IN ('unmatched', 'review') AND instr(coalesce(why, ''), ?) = 0",
  ).run(why, captureId, why)
  const counted =
    "SELECT counts_for FROM captures WHERE id = ? AND state IN ('fits', 'review', 'accepted')"
  const changes = await sql(
    `UPDATE payments SET review = coalesce(review || ' ', '') || ? WHERE id = (${counted}) AND instr(coalesce(review, ''), ?) = 0`,
  ).run(why, captureId, why).changes
  if (changes > 0)
    sql(
      'UPDATE registrations SET in_review = 1 WHERE id = (SELECT registration_id FROM captures WHERE id = ?)',
    ).run(captureId)
}
