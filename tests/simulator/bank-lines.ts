/**
 * Generates bank statement lines that are hard to match, and checks how they are matched: lines with the conference's
 * own account number, a reference within a longer number, a reference in several lines, and two equal transfers.
 */
import { INR, toAmount, toMajorUnits } from '../../engine/index.ts'
import type { Currency, Day } from '../../engine/index.ts'
import type { ReconcileResponse } from '../../engine/api.ts'
import { normaliseReference } from './bank.ts'
import type { Bank, BankPayment } from './bank.ts'
import { CONFERENCE_ACCOUNT } from './events.ts'
import type { Violation } from './check-payments.ts'
import type { Random } from './random.ts'

type Claim = { readonly reg_no: string; readonly reference: string; readonly due: number }
type PreviewResponse = Extract<ReconcileResponse, { header: null }>

/** Simulates a stranger who transfers exactly the amount due for a registration with a payment claim. */
export function payEqualAmount(
  bank: Bank,
  claims: readonly Claim[],
  {
    random,
    today,
    currency,
  }: { readonly random: Random; readonly today: Day; readonly currency: Currency },
): void {
  const openClaims = claims.filter(({ due }) => due > 0)
  if (openClaims.length === 0 || !random.chance(0.3)) return
  bank.pay('transfer', toAmount(random.pick(openClaims).due), today, currency)
}

/**
 * Generates an addition to each transfer's narration: nothing, our account number, another transfer's reference, or a
 * longer number that contains a reported reference but is not itself a bank reference.
 */
export function drawAdditions(
  payments: readonly BankPayment[],
  claims: readonly Claim[],
  random: Random,
): readonly string[] {
  const isMixed = random.chance(0.5)
  return payments.map((payment, index) => {
    if (!isMixed || random.chance(0.5)) return ''
    const otherPayment = random.pick(payments)
    const claimedReference = claims.length === 0 ? null : random.pick(claims).reference
    const additions = [` TO ${CONFERENCE_ACCOUNT}`]
    if (otherPayment !== payment) additions.push(` FOR ${otherPayment.reference}`)
    if (claimedReference !== null)
      additions.push(` FROM 1${normaliseReference(claimedReference)}${String(10 + index)}`)
    return random.pick(additions)
  })
}

/**
 * Generates the lines of two delegates who transfer the same amount on the same day. The two lines are identical.
 */
export function drawEqualRows(today: Day, random: Random): readonly string[] {
  if (!random.chance(0.3)) return []
  const row = `${today.split('-').toReversed().join('/')},CASH DEPOSIT BY SELF,,,${toMajorUnits(toAmount(118_000), INR)}`
  return [row, row]
}

const FOREIGN = 'TRANSFER OF RUPEES'

/**
 * Converts the lines to a statement in euros, with amounts like 1180.00 or 1.180,00. Adds a last line for a transfer in
 * rupees, often for exactly the amount due for a registration whose number it contains.
 */
export function toEuroLines(
  [header = '', ...rows]: readonly string[],
  claims: readonly Claim[],
  { today, random }: { readonly today: Day; readonly random: Random },
): readonly string[] {
  const isEuropean = random.chance(0.5)
  const formatCell = (cell: string): string => {
    if (cell === '') return ''
    const [whole = '', cents = ''] = Number(cell).toFixed(2).split('.')
    return isEuropean
      ? `"${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '.')},${cents}"`
      : `${whole}.${cents}`
  }
  const { reg_no: regNo, due } =
    claims.length === 0 ? { reg_no: 'UNKNOWN PAYER', due: 0 } : random.pick(claims)
  const foreignRow = `${today.split('-').toReversed().join('/')},${FOREIGN} ${regNo},,,${toMajorUnits(toAmount(due > 0 ? due : 118_000), INR)}`
  const toRow = (row: string, currency: string): string => {
    const [date, narration, reference, withdrawn = '', deposited = ''] = row.split(',')
    return [
      date,
      narration,
      reference,
      formatCell(withdrawn),
      formatCell(deposited),
      currency,
    ].join(',')
  }
  return [`${header},Currency`, ...rows.map((row) => toRow(row, 'EUR')), toRow(foreignRow, 'INR')]
}

/** Checks that the last line, which is in rupees, is skipped and reported. */
export function checkForeignLine(
  { lines, unread }: Pick<PreviewResponse, 'lines' | 'unread'>,
  lineNumber: number,
): Violation | null {
  return unread.includes(lineNumber) && !lines.some(({ narration }) => narration.includes(FOREIGN))
    ? null
    : {
        invariant: 'a statement line in another currency is skipped and reported',
        cause: JSON.stringify({ unread, lines }),
      }
}

/** Returns true if the line belongs to this transfer: the third word of its narration is the transfer's reference. */
export const isLineOfPayment = (
  narration: string,
  { reference }: Pick<BankPayment, 'reference'>,
): boolean => narration.toUpperCase().split(' ')[2] === normaliseReference(reference)

/** Returns the references that occur in more than one line as separate words. */
export function findSharedReferences(rows: readonly string[]): ReadonlySet<string> {
  const countByWord = new Map<string, number>()
  for (const row of new Set(rows))
    for (const word of new Set(row.split(',')[1]?.split(' ')))
      countByWord.set(word, (countByWord.get(word) ?? 0) + 1)
  return new Set([...countByWord].flatMap(([word, n]) => (n > 1 ? [word] : [])))
}

/**
 * Checks that every matched line contains the registration's number, or a complete reference that occurs in no other
 * line and is not our account number.
 */
export function checkMatchedLines(
  lines: PreviewResponse['lines'],
  claims: readonly Claim[],
  sharedReferences: ReadonlySet<string>,
): Violation | null {
  const wrongLine = lines.find(({ as, of, narration }) => {
    const [onlyMatch] = of
    if ((as !== 'matched' && as !== 'differs') || onlyMatch === undefined) return false
    const narrationWords = new Set(narration.toUpperCase().split(' '))
    const isNamed = claims.some(
      ({ reg_no: regNo, reference }) =>
        regNo === onlyMatch.reg_no &&
        narrationWords.has(normaliseReference(reference)) &&
        !sharedReferences.has(normaliseReference(reference)) &&
        normaliseReference(reference) !== CONFERENCE_ACCOUNT,
    )
    return !narrationWords.has(onlyMatch.reg_no) && !isNamed
  })
  return wrongLine === undefined
    ? null
    : {
        invariant: 'a matched line contains the number or reference of its registration',
        cause: JSON.stringify(wrongLine),
      }
}

export function checkRepeatedLines(
  equalRows: readonly string[],
  repeatedLines: PreviewResponse['repeated'],
): Violation | null {
  return equalRows.length === 0 || repeatedLines.length > 0
    ? null
    : { invariant: 'two equal lines are reported', cause: equalRows.join('\n') }
}
