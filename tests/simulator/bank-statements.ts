/**
 * A treasurer loads the bank's statement and confirms what fits in one go, some twice, some beside each other; and what is
 * promised of it: who has told of a line is found by it, and what is confirmed is what the line says.
 */
import { rupees } from '../../engine/index.ts'
import type { Day } from '../../engine/index.ts'
import type { BulkAnswer, ReconcileAnswer } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import {
  besideOf,
  isLineOf,
  namedBy,
  payAsMuch,
  reportedTwice,
  sameRows,
  sharedIn,
} from './bank-lines.ts'
import { plain } from './bank.ts'
import type { Bank, Came } from './bank.ts'
import type { Hands } from './office-sessions.ts'
import type { DeskStep } from './plan.ts'
import type { Violation } from './check-payments.ts'
import type { Random } from './random.ts'
import { mayDo } from './expected-permissions.ts'
import type { PersonName } from './expected-permissions.ts'

/** The reason that stands in the trail of all that a statement confirms. */
export const BY_STATEMENT = 'By the bank’s statement'

type Told = { readonly reg_no: string; readonly reference: string; readonly due: number }
/**
 * Who ever told of money, whatever became of it; a member's or an offer's price may have changed since, where it is due.
 * Who waits for none has nothing due.
 */
const TOLD = `SELECT r.reg_no, t.reference,
    iif(r.state NOT IN ('to_pay', 'told', 'lapsed'), 0, iif(r.payment_status = 'success', r.due, r.total)) AS due
  FROM tellings t JOIN registrations r ON r.id = t.registration_id
  WHERE r.event_id = ? AND r.total > 0 AND t.reference IS NOT NULL`
const RECORDED = `SELECT c.reference, c.amount, r.reg_no FROM captures c LEFT JOIN registrations r ON r.id = c.registration_id
  WHERE c.source <> 'airpay'`

type Looked = Extract<ReconcileAnswer, { header: null }>
type Lines = Looked['lines']
/** By the reference as the bank prints it. */
type Recorded = ReadonlyMap<string, { readonly amount: number; readonly reg_no: string | null }>

export type StatementGiven = {
  readonly bank: Bank
  readonly hands: Hands
  readonly sql: () => Sql
  readonly broken: (found: Violation | null) => void
  /** Something was done, of which mails go out. */
  readonly acted: (times: number) => void
}

export async function loadStatement(
  given: StatementGiven,
  who: PersonName,
  event: string,
  one: DeskStep,
  random: Random,
  today: Day,
): Promise<void> {
  const { bank, hands, sql, broken, acted } = given
  payAsMuch(bank, toldOf(sql, event), { random, today })
  // Others pay while somebody reads the statement.
  const came = [...bank.statement()]
  if (came.length === 0) return
  const token = await hands.signIn(who)
  if (token === null) return
  const recorded = recordedOf(sql)
  const toldBefore = toldOf(sql, event)
  const isNamed = ({ reference }: Came): boolean =>
    recorded.has(plain(reference)) ||
    toldBefore.some((told) => plain(told.reference) === plain(reference))
  // Some transfers are taken back by the bank after staff or the delegate have named them.
  const returnable = came.filter((one) => isNamed(one) && !isReturned(bank, one))
  if (random.chance(0.2) && returnable.length > 0) bank.takeBack(random.pick(returnable), today)
  // Somebody else may load a later statement at the same moment.
  const returns = [...bank.takenBack()]
  // Some payers write the number of a colleague beside their own reference.
  const numbers = random.chance(0.6) ? numbersOf(sql, event) : []
  const alsoNamed = came.map(() => (numbers.length > 0 ? random.pick(numbers) : null))
  const beside = besideOf(came, toldBefore, random)
  const same = sameRows(today, random)
  const rows = [
    ...came.map((each, at) =>
      rowOf(
        each,
        `NEFT CR ${each.reference} ${alsoNamed[at] ?? 'SOMEBODY'} ${at}${beside[at]}`,
        false,
      ),
    ),
    ...returns.map((each) => rowOf(each, `NEFT RETURN ${each.reference}`, true)),
  ]
  const isPastedTwice = random.chance(0.3)
  const csv = ['Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt', ...rows]
    .concat(isPastedTwice ? rows : [], same)
    .join('\n')
  const before = toldBefore
  const looked = await hands.call('POST', `/admin/reconcile/?event=${event}`, token, csv)
  if (looked?.status === 422)
    broken({ promise: 'a statement of the bank can be read', by: looked.body })
  if (looked?.status !== 200) return
  const after = toldOf(sql, event)
  const { lines, repeated } = JSON.parse(looked.body) as Pick<Looked, 'lines' | 'repeated'>
  if (isPastedTwice && repeated.length < came.length)
    broken({
      promise: 'a line that a file contains twice is one line, and reported',
      by: JSON.stringify(repeated),
    })
  const shared = sharedIn(rows)
  broken(readRight(lines, recorded, { came, returns, shared }))
  broken(namedBy(lines, [...before, ...after], shared))
  broken(reportedTwice(same, repeated))
  if (!mayDo(who, 'confirm', event, 'transfer'))
    broken({ promise: 'nobody does what their role may not', by: `${who} reads a statement` })
  broken(leftToStaff(lines, alsoNamed))
  for (const told of before)
    if (after.some((now) => JSON.stringify(now) === JSON.stringify(told)))
      broken(foundBy(lines, told))
  const chosen = lines.flatMap(({ reference, also, amount, day, as, of }) => {
    const [only] = of
    const isMeant = as === 'matched' || (as === 'differs' && random.chance(0.5))
    return isMeant && only !== undefined
      ? [{ reg_no: only.reg_no, reference, also, amount, day }]
      : []
  })
  // Money that nobody waits for is kept, and moved later.
  const keep = lines
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
    }))
  if (chosen.length + keep.length === 0) return
  const send = async (): Promise<void> => {
    const payload = { event, lines: chosen, ...(keep.length === 0 ? {} : { keep }) }
    const answer = await hands.call('POST', '/admin/reconcile/confirm/', token, payload)
    if (answer?.status !== 200) return
    const { done } = JSON.parse(answer.body) as BulkAnswer
    acted(done.length)
    for (const { reg_no: regNo, reference, amount } of chosen) {
      const stored = recordedOf(sql).get(plain(reference))
      if (
        done.includes(regNo) &&
        (stored === undefined || rupees(stored.amount as never) !== amount)
      )
        broken({
          promise: 'what a statement confirms is what its line says',
          by: `${regNo}, ${reference}: ${amount} and ${JSON.stringify(stored ?? null)}`,
        })
    }
  }
  if (one.isSignedOut) await hands.call('POST', '/admin/logout/', token)
  await Promise.all(one.isTwice ? [send(), send()] : [send()])
}

const toldOf = (sql: () => Sql, event: string): readonly Told[] => sql()<Told>(TOLD).all(event)

const recordedOf = (sql: () => Sql): Recorded =>
  new Map(
    sql()<{ reference: string; amount: number; reg_no: string | null }>(RECORDED)
      .all()
      .map((row) => [plain(row.reference), row]),
  )
const isReturned = (bank: Bank, { reference }: Came): boolean =>
  bank.takenBack().some((one) => one.reference === reference)
/** The statements of this bank print the reference as one word. */
const contains = (narration: string, reference: string): boolean =>
  narration.toUpperCase().split(' ').includes(plain(reference))

function rowOf({ on, amount }: Came, narration: string, isWithdrawal: boolean): string {
  const [year = '', month = '', day = ''] = on.split('-')
  const [out, into] = isWithdrawal ? [rupees(amount), ''] : ['', rupees(amount)]
  return `${day}/${month}/${year},${narration},,${out},${into}`
}

/** What was recorded before is known, and what the bank has taken back is shown. */
function readRight(
  lines: Lines,
  recorded: Recorded,
  {
    came,
    returns,
    shared,
  }: {
    readonly came: readonly Came[]
    readonly returns: readonly Came[]
    readonly shared: ReadonlySet<string>
  },
): Violation | null {
  for (const one of came) {
    const credits = lines.filter(
      ({ as, narration }) => as !== 'returned' && isLineOf(narration, one),
    )
    const isKnown = recorded.has(plain(one.reference))
    const isShared = shared.has(plain(one.reference))
    const isRight = credits[0]?.as === 'known' || (isShared && credits[0]?.as === 'ambiguous')
    if (credits.length !== 1 || (isKnown && !isRight))
      return {
        promise: 'a recorded transfer is known in the statement, in one line',
        by: `${one.reference}: ${JSON.stringify(credits)}`,
      }
  }
  for (const one of returns)
    if (!lines.some(({ as, narration }) => as === 'returned' && contains(narration, one.reference)))
      return { promise: 'a transfer that the bank returns is shown', by: one.reference }
  return null
}

const numbersOf = (sql: () => Sql, event: string): readonly string[] =>
  sql()<{ reg_no: string }>('SELECT reg_no FROM registrations WHERE event_id = ? ORDER BY id')
    .all(event)
    .map(({ reg_no: regNo }) => regNo)

/** Who is named by the number alone in a line is never passed over for the one whose reference stands there. */
function leftToStaff(lines: Lines, alsoNamed: readonly (string | null)[]): Violation | null {
  const named = new Set(alsoNamed.filter((number) => number !== null))
  const wrong = lines.find(({ as, narration, of }) => {
    const number = narration.split(' ').find((word) => named.has(word))
    const isOfAnother = number !== undefined && of.some((one) => one.reg_no !== number)
    return isOfAnother && (as === 'matched' || as === 'differs')
  })
  return wrong === undefined
    ? null
    : {
        promise: 'a line that names two registrations is left to staff',
        by: JSON.stringify(wrong),
      }
}

/** Another registration's number or reference may stand in the line as well: then it is for a person to look at. */
function foundBy(lines: Lines, { reg_no: regNo, reference, due }: Told): Violation | null {
  const line = lines.find(
    ({ as, narration }) => as !== 'returned' && isLineOf(narration, { reference }),
  )
  if (line === undefined || line.as === 'known') return null
  const isFound = line.of.some((one) => one.reg_no === regNo)
  const isRight = line.as === (line.amount === rupees(due as never) ? 'matched' : 'differs')
  return isFound && (isRight || line.as === 'ambiguous')
    ? null
    : {
        promise: 'who has told of a transfer is found by its line',
        by: `${regNo}: ${JSON.stringify(line)}`,
      }
}
