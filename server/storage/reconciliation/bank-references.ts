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
} from '../../../engine/index.ts'
import type {
  BankKey,
  Instant,
  KnownPayment,
  Paise,
  RegNo,
  Result,
  ManualMethod,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { ReferenceReport } from '../payments/payment-claim-types.ts'
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
export type ReferenceKey = BankKey | `${string} ${ManualMethod} ${string}` | ReturnedKey

/** The methods whose money a front desk takes under a slip number of its own. */
const SLIP_WAYS: readonly ManualMethod[] = ['desk', 'machine']

/** Every key under which money is recorded. No bank sees cash, and a slip number is of its event. */
export function keysOf({
  way,
  reference,
  also = [],
  eventId,
  regNo,
}: Named): readonly ReferenceKey[] {
  const key = bankKey(reference)
  const isSlip =
    way === 'cash' ||
    (SLIP_WAYS.includes(way) && (isSlipNumber(key) || (regNo !== null && key === bankKey(regNo))))
  if (isSlip) return [`${eventId} ${way} ${key === '' ? reference : key}`]
  return [...new Set([reference, ...also].flatMap(referenceKeys))]
}

const payoutUnder = statement((builder, { key }: { key: string }) =>
  builder
    .selectFrom('settlement_lines')
    .select('utr')
    .where('utr_key', '=', key)
    .where('utr_key', '<>', '')
    .limit(1),
)
const claimsUnder = statement((builder, { keys }: { keys: string }, dialect) =>
  builder
    .selectFrom('tellings as t')
    .innerJoin('registrations as r', 'r.id', 't.registration_id')
    .select(({ and, eb, exists, lit, or, ref, selectFrom }) => [
      ref('t.folded').$castTo<BankKey>().as('key'),
      'r.reg_no as regNo',
      'r.event_id as eventId',
      'r.full_name as name',
      't.reference',
      't.paid_on as day',
      eb
        .case()
        .when(
          or([
            eb('t.ended_as', '=', 'not_found'),
            and([
              eb('t.ended_as', '=', 'again'),
              exists(
                selectFrom('tellings as n')
                  .select('n.id')
                  .whereRef('n.registration_id', '=', 't.registration_id')
                  .whereRef('n.id', '>', 't.id'),
              ),
            ]),
          ]),
        )
        .then(lit(1))
        .else(lit(0))
        .end()
        .as('is_released'),
    ])
    .where(({ ref }) => dialect.isIn(ref('t.folded'), keys))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('tellings as n')
            .select('n.id')
            .whereRef('n.registration_id', '=', 't.registration_id')
            .whereRef('n.folded', '=', 't.folded')
            .whereRef('n.id', '>', 't.id'),
        ),
      ),
    )
    .orderBy('t.id'),
)
const registrationOfEvent = statement(
  (builder, { regNo, eventId }: { regNo: RegNo; eventId: string }) =>
    builder
      .selectFrom('registrations')
      .select('id')
      .where('reg_no', '=', regNo)
      .where('event_id', '=', eventId),
)
const recordedUnder = statement((builder, { keys }: { keys: string }, dialect) =>
  builder
    .selectFrom('bank_references as b')
    .innerJoin('captures as c', 'c.id', 'b.capture_id')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ fn, ref }) => [
      ref('b.key').$castTo<BankKey>().as('key'),
      'c.id',
      'r.reg_no as regNo',
      'c.amount',
      fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
    ])
    .where(({ ref }) => dialect.isIn(ref('b.key'), keys)),
)
const insertPayment = statement((builder, came: Omit<NewCame, 'also' | 'eventId' | 'regNo'>) =>
  builder
    .insertInto('captures')
    .values({
      payment_id: came.paymentId,
      counts_for: came.paymentId,
      registration_id: came.registrationId,
      source: came.way,
      account: came.account,
      reference: came.reference,
      amount: came.amount,
      currency: 'INR',
      kind: 'sale',
      paid_at: came.paidAt,
      seen_at: came.at,
      state: came.state,
      why: came.why,
      found_for: came.foundFor,
    })
    .returning('id'),
)
export const assignReference = statement(
  (builder, { key, captureId }: { key: ReferenceKey; captureId: number }) =>
    builder.insertInto('bank_references').values({ key, capture_id: captureId }),
)
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
    const payout = await payoutUnder.get(sql, { key })
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
  const listed = JSON.stringify(keys.filter((key) => key !== ''))
  return (await claimsUnder.all(sql, { keys: listed })).map(
    ({ is_released: isReleased, ...report }) => ({ ...report, isReleased: isReleased === 1 }),
  )
}

/** Whoever reads this may work for this event alone: the number of another event's registration stays out. */
export async function ownerWords(sql: Sql, regNo: RegNo | null, eventId: string): Promise<string> {
  if (regNo === null) return 'of no registration yet'
  const isHere = await registrationOfEvent.get(sql, { regNo, eventId })
  return `the payment of ${isHere === undefined ? 'a registration of another event' : regNo}`
}

/** Returns recorded payments by their keys. Reads only; also runs outside the writer's transaction. */
export async function paymentsUnder(
  sql: Sql,
  keys: readonly string[],
): Promise<readonly (readonly [key: BankKey, payment: KnownPayment])[]> {
  const payments = await recordedUnder.all(sql, { keys: JSON.stringify(keys) })
  return payments.map(({ key, ...payment }) => [key, payment])
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
  const inserted = await insertPayment.get(sql, came)
  assert(inserted !== undefined, 'an inserted payment has an id')
  const { id: captureId } = inserted
  for (const key of keys) assignReference.run(sql, { key, captureId })
  return ok(captureId)
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
  for (const key of referenceKeys(reference)) assignReference.run(sql, { key, captureId })
}
