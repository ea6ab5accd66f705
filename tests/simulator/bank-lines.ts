/**
 * Lines that make a bank statement hard to read: the conference's own account number, a reference within a longer number, one
 * reference in several lines, and two transfers whose lines are the same; and what is promised of them.
 */
import { paise, rupees } from '../../engine/index.ts'
import type { Day } from '../../engine/index.ts'
import type { ReconcileAnswer } from '../../engine/api.ts'
import { plain } from './bank.ts'
import type { Bank, Came } from './bank.ts'
import { OWN_ACCOUNT } from './events.ts'
import type { Violation } from './check-payments.ts'
import type { Random } from './random.ts'

type Told = { readonly reg_no: string; readonly reference: string; readonly due: number }
type Looked = Extract<ReconcileAnswer, { header: null }>

/** A stranger pays as much as is due of somebody who has reported a transfer. */
export function payAsMuch(
  bank: Bank,
  told: readonly Told[],
  { random, today }: { readonly random: Random; readonly today: Day },
): void {
  const waiting = told.filter(({ due }) => due > 0)
  if (waiting.length === 0 || !random.chance(0.3)) return
  bank.pay('transfer', paise(random.pick(waiting).due), today)
}

/**
 * What a narration says beside the reference of its own transfer: nothing, our account, the reference of another one, or a
 * longer number that contains a reported one and is no reference of a bank.
 */
export function besideOf(
  came: readonly Came[],
  told: readonly Told[],
  random: Random,
): readonly string[] {
  const isMixed = random.chance(0.5)
  return came.map((one, at) => {
    if (!isMixed || random.chance(0.5)) return ''
    const other = random.pick(came)
    const reported = told.length === 0 ? null : random.pick(told).reference
    const beside = [` TO ${OWN_ACCOUNT}`]
    if (other !== one) beside.push(` FOR ${other.reference}`)
    if (reported !== null) beside.push(` FROM 1${plain(reported)}${String(10 + at)}`)
    return random.pick(beside)
  })
}

/** Two people pay the same amount into the account on one day, and the bank prints nothing else. */
export function sameRows(today: Day, random: Random): readonly string[] {
  if (!random.chance(0.3)) return []
  const row = `${today.split('-').toReversed().join('/')},CASH DEPOSIT BY SELF,,,${rupees(paise(118_000))}`
  return [row, row]
}

/** The narration begins with the reference of the transfer itself. */
export const isLineOf = (narration: string, { reference }: Pick<Came, 'reference'>): boolean =>
  narration.toUpperCase().split(' ')[2] === plain(reference)

/** References that more than one line contains, as words. */
export function sharedIn(rows: readonly string[]): ReadonlySet<string> {
  const times = new Map<string, number>()
  for (const row of new Set(rows))
    for (const word of new Set(row.split(',')[1]?.split(' ')))
      times.set(word, (times.get(word) ?? 0) + 1)
  return new Set([...times].flatMap(([word, n]) => (n > 1 ? [word] : [])))
}

/** Whoever is found by a line is named by it: by the number, or by a whole reference that is in no other line and is none of ours. */
export function namedBy(
  lines: Looked['lines'],
  told: readonly Told[],
  shared: ReadonlySet<string>,
): Violation | null {
  const wrong = lines.find(({ as, of, narration }) => {
    const [only] = of
    if ((as !== 'matched' && as !== 'differs') || only === undefined) return false
    const words = new Set(narration.toUpperCase().split(' '))
    const isNamed = told.some(
      ({ reg_no: regNo, reference }) =>
        regNo === only.reg_no &&
        words.has(plain(reference)) &&
        !shared.has(plain(reference)) &&
        plain(reference) !== OWN_ACCOUNT,
    )
    return !words.has(only.reg_no) && !isNamed
  })
  return wrong === undefined
    ? null
    : {
        promise: 'whoever is found by a line is named by it alone',
        by: JSON.stringify(wrong),
      }
}

export function reportedTwice(
  same: readonly string[],
  repeated: Looked['repeated'],
): Violation | null {
  return same.length === 0 || repeated.length > 0
    ? null
    : { promise: 'two lines that are the same are reported', by: same.join('\n') }
}
