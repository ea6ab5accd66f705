/**
 * Simulates a treasurer who imports the bank statement and confirms all matches, sometimes twice at the same time.
 * Checks that a payment claim is matched with its line, and that confirmed payments equal their lines.
 */
import { INR, toMajorUnits } from '../../engine/index.ts'
import type { Currency, Day } from '../../engine/index.ts'
import type { BulkActionResponse, ReconcileResponse } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import {
  drawAdditions,
  isLineOfPayment,
  checkMatchedLines,
  payEqualAmount,
  checkRepeatedLines,
  drawEqualRows,
  checkForeignLine,
  toEuroLines,
  findSharedReferences,
} from './bank-lines.ts'
import { normaliseReference } from './bank.ts'
import type { Bank, BankPayment } from './bank.ts'
import { EUR, TWO_CURRENCIES_EVENT, getCurrency } from './events.ts'
import type { StaffClient } from './office-sessions.ts'
import type { StaffStep } from './plan.ts'
import type { Violation } from './check-payments.ts'
import type { Random } from './random.ts'
import { canPerform } from './expected-permissions.ts'
import type { StaffName } from './expected-permissions.ts'

/** The reason recorded for every payment that is confirmed from a statement. */
export const STATEMENT_REASON = 'From the bank statement'

type Claim = { readonly reg_no: string; readonly reference: string; readonly due: number }
/**
 * Registrations with a payment claim, even if they have changed since. If a balance is due, the price may also have
 * changed since the claim.
 */
const CLAIMS_SQL = `SELECT r.reg_no, t.reference,
    iif(r.state NOT IN ('to_pay', 'told', 'lapsed'), 0, iif(r.payment_status = 'success', r.due, r.total)) AS due
  FROM tellings t JOIN registrations r ON r.id = t.registration_id
  WHERE r.event_id = ? AND r.currency = ? AND r.total > 0 AND t.reference IS NOT NULL`
const RECORDED_PAYMENTS_SQL = `SELECT c.reference, c.amount, c.currency, r.reg_no FROM captures c LEFT JOIN registrations r ON r.id = c.registration_id
  WHERE c.source <> 'airpay'`

type PreviewResponse = Extract<ReconcileResponse, { header: null }>
type PreviewLines = PreviewResponse['lines']
type RecordedPayment = {
  readonly amount: number
  readonly currency: string
  readonly reg_no: string | null
}
/** The recorded payments by reference, in the bank's spelling. */
type RecordedPayments = ReadonlyMap<string, RecordedPayment>

export type StatementContext = {
  readonly bank: Bank
  readonly client: StaffClient
  readonly sql: () => Sql
  readonly reportViolation: (violation: Violation | null) => void
  /** Called after an action that sends emails. */
  readonly countActions: (times: number) => void
}

export async function importStatement(
  context: StatementContext,
  staffName: StaffName,
  event: string,
  step: StaffStep,
  random: Random,
  today: Day,
): Promise<void> {
  const { bank, client, sql, reportViolation, countActions } = context
  const hasTwoCurrencies = event === TWO_CURRENCIES_EVENT
  const currency = hasTwoCurrencies ? random.pick([INR, EUR]) : getCurrency(event, null)
  payEqualAmount(bank, await readClaims(sql, event, currency), { random, today, currency })
  // Other payments arrive while staff read the statement.
  const receivedPayments = [...bank.listStatementPayments(currency)]
  if (receivedPayments.length === 0) return
  const token = await client.signIn(staffName)
  if (token === null) return
  const recordedPayments = await readRecordedPayments(sql)
  const claimsBefore = await readClaims(sql, event, currency)
  const isReported = ({ reference }: BankPayment): boolean =>
    recordedPayments.has(normaliseReference(reference)) ||
    claimsBefore.some(
      (claim) => normaliseReference(claim.reference) === normaliseReference(reference),
    )
  // The bank returns some transfers after staff or the delegate have reported them.
  const returnablePayments = receivedPayments.filter(
    (payment) => isReported(payment) && !isReturned(bank, payment),
  )
  if (random.chance(0.2) && returnablePayments.length > 0)
    bank.returnTransfer(random.pick(returnablePayments), today)
  // Other staff may import a later statement at the same time.
  const returnedTransfers = bank
    .listReturnedTransfers()
    .filter((payment) => payment.currency === currency)
  // Some payers write a colleague's registration number next to their own reference.
  const regNos = random.chance(0.6) ? await readRegNos(sql, event) : []
  const otherRegNos = receivedPayments.map(() => (regNos.length > 0 ? random.pick(regNos) : null))
  const additions = drawAdditions(receivedPayments, claimsBefore, random)
  const equalRows = drawEqualRows(today, random)
  const rows = [
    ...receivedPayments.map((payment, index) =>
      formatRow(
        payment,
        `NEFT CR ${payment.reference} ${otherRegNos[index] ?? 'UNKNOWN PAYER'} ${index}${additions[index]}`,
        false,
      ),
    ),
    ...returnedTransfers.map((returnedTransfer) =>
      formatRow(returnedTransfer, `NEFT RETURN ${returnedTransfer.reference}`, true),
    ),
  ]
  const isPastedTwice = random.chance(0.3)
  const rupeeLines = ['Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt', ...rows].concat(
    isPastedTwice ? rows : [],
    equalRows,
  )
  const fileLines =
    currency === INR ? rupeeLines : toEuroLines(rupeeLines, claimsBefore, { today, random })
  const csv = fileLines.join('\n')
  const claims = claimsBefore
  const currencyQuery = hasTwoCurrencies ? `&statement_currency=${currency}` : ''
  const url = `/admin/reconcile/?event=${event}${currencyQuery}`
  const preview = await client.call('POST', url, token, csv)
  if (preview?.status === 422)
    reportViolation({ invariant: 'a bank statement can be read', cause: preview.body })
  if (preview?.status !== 200) return
  const claimsAfter = await readClaims(sql, event, currency)
  const previewBody = JSON.parse(preview.body) as PreviewResponse
  const { lines, repeated } = previewBody
  if (currency !== INR) reportViolation(checkForeignLine(previewBody, fileLines.length))
  if (isPastedTwice && repeated.length < receivedPayments.length)
    reportViolation({
      invariant: 'a repeated line counts as one line, and is reported',
      cause: JSON.stringify(repeated),
    })
  const sharedReferences = findSharedReferences(rows)
  reportViolation(
    checkRecognition(lines, recordedPayments, {
      receivedPayments,
      returnedTransfers,
      sharedReferences,
    }),
  )
  reportViolation(checkMatchedLines(lines, [...claims, ...claimsAfter], sharedReferences))
  reportViolation(checkRepeatedLines(equalRows, repeated))
  if (!canPerform(staffName, 'confirm', event, 'transfer'))
    reportViolation({
      invariant: 'staff perform only actions that their role allows',
      cause: `${staffName} imported a statement without permission`,
    })
  reportViolation(checkAmbiguousLines(lines, otherRegNos))
  for (const claim of claims)
    if (claimsAfter.some((claimAfter) => JSON.stringify(claimAfter) === JSON.stringify(claim)))
      reportViolation(checkClaimMatch(lines, claim))
  const linesToConfirm = lines.flatMap(
    ({ reference, also, amount, day, as: outcome, of: matches }) => {
      const [onlyMatch] = matches
      const isConfirmed = outcome === 'matched' || (outcome === 'differs' && random.chance(0.5))
      return isConfirmed && onlyMatch !== undefined
        ? [{ reg_no: onlyMatch.reg_no, reference, also, amount, day }]
        : []
    },
  )
  // Some unmatched payments are recorded, and moved later.
  const unmatchedLines = lines
    .filter(
      ({ as, narration }) =>
        as === 'unmatched' && narration.startsWith('NEFT') && random.chance(0.2),
    )
    .map(({ reference, also, amount, day, narration }) => ({
      reference,
      also,
      amount,
      day,
      narration,
      ...(hasTwoCurrencies ? { currency } : {}),
    }))
  if (linesToConfirm.length + unmatchedLines.length === 0) return
  const confirmLines = async (): Promise<void> => {
    const payload = {
      event,
      lines: linesToConfirm,
      ...(unmatchedLines.length === 0 ? {} : { keep: unmatchedLines }),
    }
    const confirmResponse = await client.call('POST', '/admin/reconcile/confirm/', token, payload)
    if (confirmResponse?.status !== 200) return
    const { done } = JSON.parse(confirmResponse.body) as BulkActionResponse
    countActions(done.length)
    for (const { reg_no: regNo, reference, amount } of linesToConfirm) {
      const recordedPayment = (await readRecordedPayments(sql)).get(normaliseReference(reference))
      if (
        done.includes(regNo) &&
        (recordedPayment === undefined ||
          recordedPayment.currency !== currency ||
          toMajorUnits(recordedPayment.amount as never, currency) !== amount)
      )
        reportViolation({
          invariant: 'a confirmed payment equals its statement line',
          cause: `${regNo}, ${reference}: ${amount} and ${JSON.stringify(recordedPayment ?? null)}`,
        })
    }
  }
  if (step.isSignedOut) await client.call('POST', '/admin/logout/', token)
  await Promise.all(step.isSentTwice ? [confirmLines(), confirmLines()] : [confirmLines()])
}

const readClaims = (sql: () => Sql, event: string, currency: Currency): Promise<readonly Claim[]> =>
  sql()<Claim>(CLAIMS_SQL).all(event, currency)

const readRecordedPayments = async (sql: () => Sql): Promise<RecordedPayments> =>
  new Map(
    (
      await sql()<RecordedPayment & { readonly reference: string }>(RECORDED_PAYMENTS_SQL).all()
    ).map((row) => [normaliseReference(row.reference), row]),
  )
const isReturned = (bank: Bank, { reference }: BankPayment): boolean =>
  bank.listReturnedTransfers().some((returnedTransfer) => returnedTransfer.reference === reference)
/** Returns true if the narration contains the reference as one word, as this bank prints it. */
const containsWord = (narration: string, reference: string): boolean =>
  narration.toUpperCase().split(' ').includes(normaliseReference(reference))

function formatRow(
  { day: date, amount }: BankPayment,
  narration: string,
  isWithdrawal: boolean,
): string {
  const [year = '', month = '', day = ''] = date.split('-')
  const [withdrawn, deposited] = isWithdrawal
    ? [toMajorUnits(amount, INR), '']
    : ['', toMajorUnits(amount, INR)]
  return `${day}/${month}/${year},${narration},,${withdrawn},${deposited}`
}

/** Checks that recorded transfers are recognised and that returned transfers are shown. */
function checkRecognition(
  lines: PreviewLines,
  recordedPayments: RecordedPayments,
  {
    receivedPayments,
    returnedTransfers,
    sharedReferences,
  }: {
    readonly receivedPayments: readonly BankPayment[]
    readonly returnedTransfers: readonly BankPayment[]
    readonly sharedReferences: ReadonlySet<string>
  },
): Violation | null {
  for (const payment of receivedPayments) {
    const creditLines = lines.filter(
      ({ as, narration }) => as !== 'returned' && isLineOfPayment(narration, payment),
    )
    const isRecorded = recordedPayments.has(normaliseReference(payment.reference))
    const isShared = sharedReferences.has(normaliseReference(payment.reference))
    const isRecognised =
      creditLines[0]?.as === 'known' || (isShared && creditLines[0]?.as === 'ambiguous')
    if (creditLines.length !== 1 || (isRecorded && !isRecognised))
      return {
        invariant: 'a recorded transfer is recognised in exactly one line of the statement',
        cause: `${payment.reference}: ${JSON.stringify(creditLines)}`,
      }
  }
  for (const payment of returnedTransfers)
    if (
      !lines.some(
        ({ as, narration }) => as === 'returned' && containsWord(narration, payment.reference),
      )
    )
      return { invariant: 'a transfer that the bank returns is shown', cause: payment.reference }
  return null
}

const readRegNos = async (sql: () => Sql, event: string): Promise<readonly string[]> =>
  (
    await sql()<{ reg_no: string }>(
      'SELECT reg_no FROM registrations WHERE event_id = ? ORDER BY id',
    ).all(event)
  ).map(({ reg_no: regNo }) => regNo)

/**
 * Checks that a line that contains one registration's number and another registration's reference is not matched with
 * either.
 */
function checkAmbiguousLines(
  lines: PreviewLines,
  namedRegNos: readonly (string | null)[],
): Violation | null {
  const namedRegNoSet = new Set(namedRegNos.filter((number) => number !== null))
  const wrongLine = lines.find(({ as, narration, of }) => {
    const regNo = narration.split(' ').find((word) => namedRegNoSet.has(word))
    const hasOtherCandidate =
      regNo !== undefined && of.some((candidate) => candidate.reg_no !== regNo)
    return hasOtherCandidate && (as === 'matched' || as === 'differs')
  })
  return wrongLine === undefined
    ? null
    : {
        invariant: 'a line that refers to two registrations is left to staff',
        cause: JSON.stringify(wrongLine),
      }
}

/**
 * Checks that a claim is matched with its line. Staff must check a line that also contains another registration's
 * number or reference.
 */
function checkClaimMatch(
  lines: PreviewLines,
  { reg_no: regNo, reference, due }: Claim,
): Violation | null {
  const line = lines.find(
    ({ as, narration }) => as !== 'returned' && isLineOfPayment(narration, { reference }),
  )
  if (line === undefined || line.as === 'known') return null
  const isFound = line.of.some((candidate) => candidate.reg_no === regNo)
  const isRecognised =
    line.as === (line.amount === toMajorUnits(due as never, INR) ? 'matched' : 'differs')
  return isFound && (isRecognised || line.as === 'ambiguous')
    ? null
    : {
        invariant: 'a payment claim is matched with its line',
        cause: `${regNo}: ${JSON.stringify(line)}`,
      }
}
