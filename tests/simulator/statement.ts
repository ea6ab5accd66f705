/**
 * A treasurer loads the bank's statement and confirms what fits in one go, some twice, some beside each other; and what is
 * promised of it: who has told of a line is found by it, and what is confirmed is what the line says.
 */
import { rupees } from '../../engine/index.ts'
import type { BulkAnswer, ReconcileAnswer } from '../../engine/index.ts'
import type { Sql } from '../../server/store/database.ts'
import type { Bank } from './bank.ts'
import type { Hands } from './hands.ts'
import type { DeskStep } from './plan.ts'
import type { Violation } from './promises.ts'
import type { Random } from './random.ts'
import { mayDo } from './who-may.ts'
import type { PersonName } from './who-may.ts'

/** The reason that stands in the trail of all that a statement confirms. */
export const BY_STATEMENT = 'By the bank’s statement'

type Told = { readonly reg_no: string; readonly reference: string; readonly due: number }
/** Who waits for money and has told of it; a member's or an offer's price may have changed since, where it is due. */
const TOLD = `SELECT r.reg_no, t.folded AS reference, iif(r.payment_status = 'success', r.due, r.total) AS due
  FROM tellings t JOIN registrations r ON r.id = t.registration_id
  WHERE t.ended_as IS NULL AND r.event_id = ? AND r.state IN ('to_pay', 'told', 'lapsed') AND r.total > 0
    AND NOT EXISTS (SELECT 1 FROM captures c WHERE upper(c.reference) = t.folded)`
const CAME = `SELECT c.amount FROM captures c JOIN registrations r ON r.id = c.registration_id
  WHERE r.reg_no = ? AND c.reference = ? COLLATE NOCASE`

type Lines = Extract<ReconcileAnswer, { header: null }>['lines']

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
): Promise<void> {
  const { bank, hands, sql, broken, acted } = given
  const came = bank.statement()
  if (came.length === 0) return
  const token = await hands.signIn(who)
  if (token === null) return
  const csv = ['Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt']
    .concat(
      came.map(({ on, reference, amount }, at) => {
        const [year = '', month = '', day = ''] = on.split('-')
        return `${day}/${month}/${year},NEFT CR ${reference} SOMEBODY ${at},,,${rupees(amount)}`
      }),
    )
    .join('\n')
  const before = toldOf(sql, event)
  const looked = await hands.call('POST', `/admin/reconcile/?event=${event}`, token, csv)
  if (looked?.status !== 200) return
  const after = toldOf(sql, event)
  const { lines } = JSON.parse(looked.body) as { lines: Lines }
  if (!mayDo(who, 'confirm', event, 'transfer'))
    broken({ promise: 'nobody does what their role may not', by: `${who} reads a statement` })
  for (const told of before)
    if (after.some((now) => JSON.stringify(now) === JSON.stringify(told)))
      broken(foundBy(lines, told))
  const chosen = lines.flatMap(({ reference, amount, day, as, of }) => {
    const [only] = of
    const isMeant = as === 'matched' || (as === 'differs' && random.chance(0.5))
    return isMeant && only !== undefined ? [{ reg_no: only.reg_no, reference, amount, day }] : []
  })
  if (chosen.length === 0) return
  const send = async (): Promise<void> => {
    const payload = { event, lines: chosen }
    const answer = await hands.call('POST', '/admin/reconcile/confirm/', token, payload)
    if (answer?.status !== 200) return
    const { done } = JSON.parse(answer.body) as BulkAnswer
    acted(done.length)
    for (const { reg_no: regNo, reference, amount } of chosen) {
      const stored = sql()<{ amount: number }>(CAME).get(regNo, reference)
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

/** Another registration's number or reference may stand in the line as well: then it is for a person to look at. */
function foundBy(lines: Lines, { reg_no: regNo, reference, due }: Told): Violation | null {
  const line = lines.find((one) => one.reference.toUpperCase() === reference)
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
