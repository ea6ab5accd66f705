/**
 * Somebody registers at the desk and pays there in hand, or not yet; the click may come twice, or get no answer and be sent
 * again. It is promised that one click is one registration, at the price of the day, and that what was paid in hand counts.
 */
import { dayOf, rupees } from '../../engine/index.ts'
import type { ManualMethod } from '../../engine/index.ts'
import type { AddedAnswer } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { plain, spelled } from './bank.ts'
import type { Bank } from './bank.ts'
import type { Course } from './virtual-time.ts'
import { answersOf, priceOn, SEEN } from './events.ts'
import type { Version } from './events.ts'
import type { Hands } from './office-sessions.ts'
import type { Answer } from './server.ts'
import type { DeskStep } from './plan.ts'
import type { Violation } from './check-payments.ts'
import type { Random } from './random.ts'
import { mayAdd } from './expected-permissions.ts'
import type { PersonName } from './expected-permissions.ts'

/** How the file's own desk calls what it takes, and what the books call it. */
const MODES = { cash: 'cash', upi: 'desk', card: 'machine' } as const satisfies Record<
  string,
  ManualMethod
>
const TRIES_MAX = 3
const AGAIN_MS = 5_000

type Stored = {
  readonly total: number
  readonly state: string
  readonly in_review: 0 | 1
  readonly slips: number
}
const STORED = `SELECT r.total, r.state, r.in_review,
  (SELECT count(*) FROM captures c WHERE c.registration_id = r.id AND c.reference = ? AND c.state IN ('fits', 'accepted') AND c.amount = r.total) AS slips
  FROM registrations r WHERE r.reg_no = ?`

export type AddingGiven = {
  readonly course: Course
  readonly bank: Bank
  readonly hands: Hands
  readonly sql: () => Sql
  readonly versionOf: (event: string) => Version
  readonly broken: (found: Violation | null) => void
  /** It is there from now on, for whoever acts on registrations. */
  readonly joined: (regNo: string) => void
}

export async function addAtDesk(
  given: AddingGiven,
  who: PersonName,
  { isTwice, isSignedOut }: Pick<DeskStep, 'isTwice' | 'isSignedOut'>,
  random: Random,
  name: number,
): Promise<void> {
  const { course, bank, hands, sql, broken, joined } = given
  const token = await hands.signIn(who)
  if (token === null) return
  const isMember = random.chance(0.3)
  const mode = random.pick(['cash', 'upi', 'card'] as const)
  const isPaid = random.chance(0.7)
  const today = dayOf(course.now())
  const price = priceOn(given.versionOf(SEEN), isMember ? 'member' : 'non-member', today)
  if (price === null) return
  // Some read the slip of a transfer that is recorded already.
  const used = sql()<{ reference: string }>(
    "SELECT reference FROM captures WHERE source IN ('transfer', 'upi', 'cheque')",
  ).all()
  const isUsed = mode !== 'cash' && used.length > 0 && random.chance(0.2)
  const slip = !isPaid
    ? ''
    : isUsed
      ? spelled(plain(random.pick(used).reference), random)
      : bank.pay(MODES[mode], price, today).reference
  const payload = {
    event: SEEN,
    key: hands.nextClick(),
    answers: { ...answersOf(name, isMember, null, 'transfer'), total_amount: rupees(price) },
    ...(isPaid ? { way: 'desk', paid: { mode, slip } } : { way: '' }),
  }
  if (isSignedOut) await hands.call('POST', '/admin/logout/', token)
  const send = async (): Promise<string | null> => {
    const answer = await sent(() => hands.call('POST', '/admin/add/', token, payload), course)
    if (answer?.status !== 201) return null
    const { reg_no: regNo, state } = JSON.parse(answer.body) as AddedAnswer
    joined(regNo)
    if (isSignedOut)
      broken({ promise: 'a session that has ended opens nothing', by: `${who} adds ${regNo}` })
    if (!mayAdd(who, SEEN))
      broken({ promise: 'nobody does what their role may not', by: `${who} adds ${regNo}` })
    const stored = sql()<Stored>(STORED).get(slip, regNo)
    const by = `${regNo} is ${state}: ${JSON.stringify(stored ?? null)}`
    if (stored?.total !== price)
      broken({ promise: 'who is added at the desk pays the price of the day', by })
    // Somebody may have cancelled or corrected it between the click and the answer.
    const isSettled = stored?.state === 'complete' && stored.slips === 1
    if (isPaid && state === 'complete' && stored?.state === 'complete' && !isSettled)
      broken({ promise: 'what is paid at the desk counts once', by })
    if (isPaid && isUsed && state === 'complete')
      broken({ promise: 'each rupee at the bank is counted once', by: `${slip}: ${by}` })
    if (isPaid && stored?.state === 'to_pay' && stored.in_review === 0)
      broken({ promise: 'what is paid at the desk counts once', by })
    return regNo
  }
  const numbers = await Promise.all(isTwice ? [send(), send()] : [send()])
  const made = new Set(numbers.filter((number) => number !== null))
  if (made.size > 1)
    broken({ promise: 'one click at the desk is one registration', by: [...made].join(', ') })
}

/** Where no answer comes the page sends the same click again. */
async function sent(send: () => Promise<Answer | null>, course: Course): Promise<Answer | null> {
  for (let tries = 1; ; tries++) {
    const answer = await send()
    if ((answer !== null && answer.status !== 503) || tries >= TRIES_MAX) return answer
    await course.wait(AGAIN_MS)
  }
}
