/** Stores bank statement lines that match no registration as payments under review. */
import { sql as raw } from 'kysely'
import {
  toBankKey,
  findChequeNumber,
  dayOf,
  listFallbackKeys,
  instant,
  findReferenceKeys,
  listLineKeys,
  listReferenceKeys,
  restoreReferenceColumn,
  identifiesPayment,
  formatKey,
  startOfDay,
  findLineUtrs,
  ok,
} from '../../../engine/index.ts'
import type { BankKey, Result, StatementLine } from '../../../engine/index.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import { assignReferences } from './assign-many-references.ts'
import {
  saveReceivedPayment,
  findReferenceOwner,
  findPaymentsByKey,
  registrationsWithNumbers,
  findReportsByKey,
} from './bank-references.ts'
import { reviewDuplicateReference } from './references-in-review.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { checkDecision, storeDecision } from './saved-statements.ts'
import type { NewLineDecision, StoredLineDecision } from './bank-statement-types.ts'
import type { UnmatchedResult, NewUnmatched } from './settlement-types.ts'

/** The beginning of a stored line's review reason. The bank's narration follows. */
const REASON_PREFIX = 'Bank payment that matches no registration: '

const payoutWithKeys = statement((builder, { keys }: { keys: string }, dialect) =>
  builder
    .selectFrom('settlement_lines')
    .select('id')
    .where('utr_key', '<>', '')
    .where(({ ref }) => dialect.isIn(ref('utr_key'), keys))
    .limit(1),
)
const storedLines = statement((builder) =>
  builder
    .selectFrom('captures as c')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ fn }) => [
      'c.id',
      'r.reg_no as regNo',
      'c.reference',
      'c.amount',
      'c.paid_at',
      'c.why',
      fn.coalesce('c.found_for', 'r.event_id', raw.lit('')).as('event_id'),
      'c.state',
    ])
    .where('c.source', '=', 'transfer')
    .where(({ eb, fn, lit }) =>
      eb(fn<string>('substr', ['c.why', lit(1), lit(REASON_PREFIX.length)]), '=', REASON_PREFIX),
    )
    .$narrowType<{ why: string }>()
    .orderBy('c.id'),
)

/** Stores the lines under references, like confirmed transfers, so that each payment is counted once. */
export async function saveUnmatchedLines(
  sql: Sql,
  lines: readonly NewUnmatched[],
): Promise<UnmatchedResult> {
  let addedCount = 0
  let otherEventCount = 0
  let reportedCount = 0
  for (const newLine of lines) {
    const { reference, amount, day, narration, eventId, who: user, at } = newLine
    const line = restoreReferenceColumn({ line: 0, reference, narration, day, amount })
    const cheque = findChequeNumber(line)
    const otherReferences = [...(newLine.also ?? []), ...(cheque === null ? [] : [cheque])]
    if (await belongsToOtherEvent(sql, newLine)) {
      otherEventCount += 1
      continue
    }
    const references = {
      method: 'transfer',
      reference,
      also: otherReferences,
      eventId,
      regNo: null,
      accountCurrency: newLine.currency,
    } as const
    // Staff confirm this payment on the page of the registration for which it was reported, or first reject the claim
    // there.
    if ((await findReferenceOwner(sql, references))?.is === 'report') {
      reportedCount += 1
      continue
    }
    // The payment may have been recorded after the page was loaded.
    if (await isRecorded(sql, line, newLine)) continue
    const saveResult = await saveReceivedPayment(sql, {
      ...references,
      account: '',
      amount,
      currency: newLine.currency,
      paidAt: instant(Math.min(startOfDay(day), at)),
      at,
      state: 'unmatched',
      foundFor: eventId,
      registrationId: null,
      paymentId: null,
      why: `${REASON_PREFIX}${narration}${await describeClaim(sql, reference, eventId)}`,
    })
    if (!saveResult.ok) continue
    addAuditEntry(sql, {
      at,
      who: user,
      what: `recorded an unmatched payment: ${reference}`,
      eventId,
      regNo: null,
    })
    addedCount += 1
  }
  return { added: addedCount, elsewhere: otherEventCount, reported: reportedCount }
}

/**
 * Sends a line to review: stores the payment and the decision in one transaction, which checks the user's permissions.
 * Stores neither if the decision is refused, or if the payment is already recorded or belongs to another event.
 */
export async function sendBankLineToReview(
  sql: Sql,
  decision: NewLineDecision,
  payment: NewUnmatched,
): Promise<Result<UnmatchedResult, StoredLineDecision | string | null>> {
  const checkResult = await checkDecision(sql, decision)
  if (!checkResult.ok) return checkResult
  const saveResult = await saveUnmatchedLines(sql, [payment])
  if (saveResult.added === 1) await storeDecision(sql, decision)
  return ok(saveResult)
}

/**
 * Returns true if the line contains the reference of a recorded payment or a gateway payout, even if its own reference
 * differs.
 */
async function isRecorded(
  sql: Sql,
  line: StatementLine,
  { own = [] }: NewUnmatched,
): Promise<boolean> {
  const keysJson = JSON.stringify([...listLineKeys(line)])
  const numbers = (await registrationsWithNumbers.all(sql, { keys: keysJson })).map(({ regNo }) =>
    toBankKey(regNo),
  )
  // A delegate may pay twice with the same registration number.
  const isUsable = (key: BankKey): boolean => !own.includes(key) && !numbers.includes(key)
  const keys = [...listLineKeys(line), ...listFallbackKeys(line)].filter(isUsable)
  const utrs = JSON.stringify(findLineUtrs(line).filter(isUsable))
  return (
    identifiesPayment(line, new Map(await findPaymentsByKey(sql, keys))) ||
    (await payoutWithKeys.get(sql, { keys: utrs })) !== undefined
  )
}

/**
 * Adds the cheque number to lines that older versions stored only under their date, amount and text. If the cheque is
 * recorded elsewhere too, the line's review reason says so.
 */
export async function addOlderChequeNumbers(sql: Sql): Promise<void> {
  const savedLines = (await storedLines.all(sql)).flatMap((line) => {
    const { reference, amount, paid_at: at, why } = line
    const narration = why
      .slice(REASON_PREFIX.length)
      .replace(/ \((?:told|reported) for [^)]*\).*/s, '')
    const day = dayOf(at)
    const cheque = findChequeNumber(
      restoreReferenceColumn({ line: 0, reference, narration, day, amount }),
    )
    return cheque === null ? [] : [{ payment: { ...line, cheque }, keys: [cheque] }]
  })
  for (const [line, first] of await assignReferences(sql, savedLines)) {
    const { id, amount, cheque, event_id: eventId, state } = line
    if (first.id !== id && first.amount === amount && state !== 'refused')
      await reviewDuplicateReference(sql, id, { reference: formatKey(cheque), eventId }, first)
  }
}

/**
 * Returns true if a delegate of another event reported the payment, in the payment's currency, or if the line contains
 * a registration number of another event.
 */
async function belongsToOtherEvent(
  sql: Sql,
  { reference, also = [], narration, currency, eventId, otherEventNumbers = [] }: NewUnmatched,
): Promise<boolean> {
  const ownReferences = [reference, ...also]
  const isClaimed = (
    await findReportsByKey(sql, ownReferences.flatMap(listReferenceKeys), currency)
  ).some((report) => report.eventId !== eventId && !report.isReleased)
  const numbers = [...ownReferences, narration].flatMap((text) => [...findReferenceKeys(text)])
  const registrations = await registrationsWithNumbers.all(sql, { keys: JSON.stringify(numbers) })
  const hasNumber = registrations.length + otherEventNumbers.length > 0
  return (
    isClaimed ||
    (hasNumber && registrations.every((registration) => registration.eventId !== eventId))
  )
}

/**
 * Describes a claim for this payment in this event that staff rejected or that is in another currency. Empty if there
 * is none.
 */
async function describeClaim(sql: Sql, reference: string, eventId: string): Promise<string> {
  const claim = (await findReportsByKey(sql, listReferenceKeys(reference))).findLast(
    (claim) => claim.eventId === eventId,
  )
  return claim === undefined ? '' : ` (reported for ${claim.regNo})`
}
