/** Assigns bank references to payments. */
import {
  getReceivedCurrency,
  assert,
  assertNever,
  toBankKey,
  err,
  isSlipNumber,
  listReferenceKeys,
  ok,
} from '../../../engine/index.ts'
import type {
  Currency,
  BankKey,
  KnownPayment,
  RegNo,
  Result,
  ManualMethod,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { ReportedReference } from '../payments/payment-claim-types.ts'
import type { ReturnKey } from '../payments/returned-transfers.ts'
import {
  completedRefundSum,
  isRefundReference,
  refundedFlag,
} from '../refunds/refund-states-and-channels.ts'
import { findLineForPart, linkPaymentToLine } from './bank-line-parts.ts'
import type { BankLineOfPayment } from './bank-statement-types.ts'
import { insertRecordedPayment } from './insert-recorded-payment.ts'
import type { RecordedPaymentRow } from './insert-recorded-payment.ts'

// Used for payment claims, confirmed payments, extra payments, unmatched payments, matching and settlements. No other
// module writes payments that appear at a bank.

/** The references under which a payment was recorded. */
export type PaymentReferences = {
  readonly method: ManualMethod
  readonly reference: string
  /** Other references to the same payment in the statement line. */
  readonly also?: readonly string[]
  readonly eventId: string
  /** Null if the payment is not matched to a registration yet. */
  readonly regNo: RegNo | null
  /** The currency of the bank account that shows the payment. Absent if no statement shows the payment. */
  readonly accountCurrency?: Currency
}
/**
 * The owner of a reference. `payout`: a gateway payout. `refund`: a refund. `report`: the registration for which a
 * delegate reported it.
 */
export type ReferenceOwner =
  | ({ readonly is: 'payment' } & KnownPayment)
  | { readonly is: 'payout'; readonly utr: string }
  | { readonly is: 'refund' }
  | ({ readonly is: 'report' } & ReportedReference)

/**
 * The key of a bank reference, a slip number or a return. One column stores all three kinds: keys of slips and returns
 * contain a space, keys of bank references do not.
 */
export type ReferenceKey = BankKey | `${string} ${ManualMethod} ${string}` | ReturnKey

/** The methods for which a front desk records payments under its own slip numbers. */
const SLIP_METHODS: readonly ManualMethod[] = ['desk', 'machine']

/**
 * Returns all keys under which a payment is recorded. Cash has no bank reference, and a slip number belongs to its
 * event.
 */
export function getReferenceKeys({
  method,
  reference,
  also = [],
  eventId,
  regNo,
}: PaymentReferences): readonly ReferenceKey[] {
  const key = toBankKey(reference)
  const isSlip =
    method === 'cash' ||
    (SLIP_METHODS.includes(method) &&
      (isSlipNumber(key) || (regNo !== null && key === toBankKey(regNo))))
  if (isSlip) return [`${eventId} ${method} ${key === '' ? reference : key}`]
  return [...new Set([reference, ...also].flatMap(listReferenceKeys))]
}

export const registrationsWithNumbers = statement((builder, { keys }: { keys: string }, dialect) =>
  builder
    .selectFrom('registrations')
    .select(['reg_no as regNo', 'event_id as eventId'])
    .where(({ ref }) => dialect.isIn(ref('reg_no'), keys)),
)
/**
 * Returns the keys that identify the payment. A registration number in a narration looks like a bank reference, but
 * does not identify the payment, because a delegate may pay twice with the same number.
 */
async function listIdentifyingKeys(
  sql: Sql,
  references: PaymentReferences,
): Promise<readonly ReferenceKey[]> {
  const keys = getReferenceKeys(references)
  if (keys.length < 2) return keys
  const registrations = await registrationsWithNumbers.all(sql, { keys: JSON.stringify(keys) })
  const numbers = new Set<string>(registrations.map(({ regNo }) => toBankKey(regNo)))
  const mainKey = toBankKey(references.reference)
  return keys.filter((key) => key === mainKey || !numbers.has(key))
}

const payoutWithKey = statement((builder, { key }: { key: string }) =>
  builder
    .selectFrom('settlement_lines')
    .select('utr')
    .where('utr_key', '=', key)
    .where('utr_key', '<>', '')
    .limit(1),
)
const claimsWithKeys = statement((builder, { keys }: { keys: string }, dialect) =>
  builder
    .selectFrom('tellings as t')
    .innerJoin('registrations as r', 'r.id', 't.registration_id')
    .select(({ and, eb, exists, lit, or, ref, selectFrom }) => [
      ref('t.folded').$castTo<BankKey>().as('key'),
      'r.reg_no as regNo',
      'r.event_id as eventId',
      'r.currency',
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
const recordedPaymentsWithKeys = statement((builder, { keys }: { keys: string }, dialect) =>
  builder
    .selectFrom('bank_references as b')
    .innerJoin('captures as c', 'c.id', 'b.capture_id')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .leftJoin('bank_line_payments as l', 'l.capture_id', 'c.id')
    .select(({ fn, ref }) => [
      ref('b.key').$castTo<BankKey>().as('key'),
      'c.id',
      'c.state',
      'c.amount',
      'c.currency',
      'r.reg_no as regNo',
      'r.full_name as name',
      fn.coalesce('r.event_id', 'c.found_for').as('eventId'),
      'l.bank_line_id as lineId',
      refundedFlag.as('isRefunded'),
      completedRefundSum.as('refundedAmount'),
    ])
    .where(({ ref }) => dialect.isIn(ref('b.key'), keys)),
)

/**
 * Returns recorded payments by their keys, including payments without a registration. A dismissed payment counts
 * nowhere, so it releases its references, unless it belongs to a line of a saved statement.
 */
export const findPaymentsUnderKeys = async (sql: Sql, keys: readonly string[]) =>
  (await recordedPaymentsWithKeys.all(sql, { keys: JSON.stringify(keys) })).filter(
    ({ state, lineId, isRefunded }) => state !== 'refused' || lineId !== null || isRefunded === 1,
  )
export const assignReference = statement(
  (builder, { key, captureId }: { key: ReferenceKey; captureId: number }) =>
    builder
      .insertInto('bank_references')
      .values({ key, capture_id: captureId })
      // A dismissed payment may still have the key.
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ capture_id: captureId })),
)
/**
 * Returns the owner of a reference, in any format. Null if it has no owner. A payment takes precedence over a claim.
 * Anyone can submit a claim, so a claim blocks a reference only in its own event, whose staff see the claim and can
 * reject it. At the front desk, it also blocks the reference in other events, because the transfer did not pay at that
 * desk, and its number would then be missing where the delegate reported it. A claim blocks nothing if the registration's
 * own delegate reported the reference, if it is released, or if it is in another currency than the bank account.
 */
export async function findReferenceOwner(
  sql: Sql,
  references: PaymentReferences,
): Promise<ReferenceOwner | null> {
  const keys = await listIdentifyingKeys(sql, references)
  for (const key of keys) {
    const [payment] = await findPaymentsByKey(sql, [key])
    if (payment !== undefined) return { is: 'payment', ...payment[1] }
    const payout = await payoutWithKey.get(sql, { key })
    if (payout !== undefined) return { is: 'payout', utr: payout.utr }
  }
  if (await isRefundReference(sql, keys)) return { is: 'refund' }
  const reports = (await findReportsByKey(sql, keys, references.accountCurrency)).filter(
    ({ isReleased }) => !isReleased,
  )
  const isReportedHere = reports.some(({ regNo }) => regNo === references.regNo)
  const isFrontDesk = SLIP_METHODS.includes(references.method)
  const report = reports.find(
    ({ regNo, eventId }) =>
      regNo !== references.regNo &&
      (eventId === references.eventId || (isFrontDesk && !isReportedHere)),
  )
  return report === undefined ? null : { is: 'report', ...report }
}

/** Explains to staff why a reference is already in use. Null if it is not in use. */
export async function explainUsedReference(
  sql: Sql,
  references: PaymentReferences,
): Promise<string | null> {
  const owner = await findReferenceOwner(sql, references)
  if (owner === null) return null
  const { reference } = references
  switch (owner.is) {
    case 'payment':
      return `${reference} is already recorded: it is ${await describeOwner(sql, owner.regNo, references.eventId)}.${belongsToOtherEvent(owner, references) ? KNOWN_IN_OTHER_EVENT : ''}`
    case 'payout':
      return `${reference} is already the reference of a gateway payout.`
    case 'refund':
      return `${reference} is the reference of a recorded refund. Enter the reference of the payment itself.`
    case 'report':
      if (owner.eventId !== references.eventId)
        return `A delegate of another event reported ${reference} as a bank transfer. Enter the number on the slip instead.`
      return `The delegate with registration ${owner.regNo} reported ${reference}. Confirm it for ${owner.regNo}, or first choose “Mark payment as not found” there.`
    default:
      return assertNever(owner)
  }
}

/** Instructions for a payment that another event has confirmed. */
const KNOWN_IN_OTHER_EVENT =
  ' A transfer counts only once. If this transfer is not for this registration, do not record it here (“Mark payment as not found” rejects a claim). If it is, ask a treasurer with access to all events, who can dismiss the other payment if it is under review.'

const belongsToOtherEvent = (
  { eventId }: KnownPayment,
  event: Pick<PaymentReferences, 'eventId'>,
): boolean => eventId != null && eventId !== event.eventId

/**
 * Returns the newest claim for these references by each registration, oldest first. With `currency`, returns only
 * claims by registrations in that currency.
 */
export async function findReportsByKey(
  sql: Sql,
  keys: readonly string[],
  currency?: Currency,
): Promise<readonly ReportedReference[]> {
  const keysJson = JSON.stringify(keys.filter((key) => key !== ''))
  const claims = await claimsWithKeys.all(sql, { keys: keysJson })
  return claims
    .filter((claim) => currency === undefined || claim.currency === currency)
    .map(({ is_released: isReleased, ...report }) => ({ ...report, isReleased: isReleased === 1 }))
}

/**
 * Describes the owner of a reference. Omits the registration number if it belongs to another event, because the reader
 * may have access to this event only.
 */
export async function describeOwner(
  sql: Sql,
  regNo: RegNo | null,
  eventId: string,
): Promise<string> {
  if (regNo === null) return 'a payment without a registration'
  const ownRegistration = await registrationOfEvent.get(sql, { regNo, eventId })
  return `the payment of ${ownRegistration === undefined ? 'a registration of another event' : regNo}`
}

/** Returns recorded payments by their keys. Also runs outside the writer's transaction. */
export async function findPaymentsByKey(
  sql: Sql,
  keys: readonly string[],
): Promise<readonly (readonly [key: BankKey, payment: KnownPayment])[]> {
  const payments = await findPaymentsUnderKeys(sql, keys)
  return payments.map(({ key, id, regNo, amount, currency, eventId }) => [
    key,
    { id, regNo, amount, eventId, currency: getReceivedCurrency({ currency }) },
  ])
}

/** A received payment as recorded at the bank or the front desk. */
export type NewReceivedPayment = PaymentReferences &
  RecordedPaymentRow & {
    /** The statement line from which staff record the payment. Absent if they entered it. */
    readonly bankLine?: BankLineOfPayment | undefined
  }

/**
 * Stores a payment under its references. A reference belongs to one payment: the error describes its current owner. The
 * payments recorded for a statement line never exceed it, whichever download of the line they were recorded from.
 */
export async function saveReceivedPayment(
  sql: Sql,
  received: NewReceivedPayment,
): Promise<Result<number, string>> {
  const { bankLine, reference } = received
  const lineId =
    bankLine === undefined
      ? ok(null)
      : await findLineForPart(sql, received, bankLine, await listPartsOfLine(sql, bankLine))
  // The generated reference of a further part explains nothing to staff.
  const isFurtherPart = bankLine?.references.includes(reference) === false
  if (isFurtherPart && !lineId.ok) return lineId
  const known = await explainUsedReference(sql, received)
  if (known !== null) return err(known)
  if (!lineId.ok) return lineId
  const keys = getReferenceKeys(received)
  assert(keys.length > 0, 'the reference of a payment has no letter or digit')
  const captureId = await insertRecordedPayment(sql, received)
  if (captureId === null) return err(`${reference} is already recorded for another payment.`)
  // If the key is a registration number, an earlier payment may already have it.
  const assignedKeys = new Set<string>((await findPaymentsByKey(sql, keys)).map(([key]) => key))
  for (const key of keys) if (!assignedKeys.has(key)) assignReference.run(sql, { key, captureId })
  if (lineId.value !== null) linkPaymentToLine(sql, { captureId, lineId: lineId.value })
  return ok(captureId)
}

/** Returns the ids of the payments recorded for a line: those under its references now, and those that the user saw. */
async function listPartsOfLine(
  sql: Sql,
  { references, payments }: BankLineOfPayment,
): Promise<readonly number[]> {
  const recorded = await findPaymentsUnderKeys(sql, references.flatMap(listReferenceKeys))
  return [...new Set([...payments, ...recorded.map(({ id }) => id)])]
}

/** A payment imported from another system, with the reference in its row. */
export type ImportedReference = {
  readonly reference: string
  readonly eventId: string
  readonly regNo: RegNo
}

/**
 * Explains that an imported payment's reference is already in use. Null if it is not. Short numbers are ignored: they
 * are counters from other systems, not bank references.
 */
export function explainKnownImport(sql: Sql, { reference, eventId, regNo }: ImportedReference) {
  if (isSlipNumber(toBankKey(reference))) return null
  return explainUsedReference(sql, { method: 'transfer', reference, eventId, regNo })
}

/** Assigns a reference to an imported payment, because a bank statement may show that payment too. */
export function assignImportReference(
  sql: Sql,
  captureId: number,
  { reference }: ImportedReference,
): void {
  if (isSlipNumber(toBankKey(reference))) return
  for (const key of listReferenceKeys(reference)) assignReference.run(sql, { key, captureId })
}
