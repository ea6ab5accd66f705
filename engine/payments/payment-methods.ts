/**
 * The ways on which an event takes its money, as its file says: at a card gateway, by a transfer that the delegate
 * tells us of, at the desk. Which of them are open on a day, and which one a delegate has chosen.
 */
import type { CardWay, PayWay, TransferWay } from '../event/payment-method-types.ts'
import type { Answers } from '../event/answer-types.ts'
import type { Field, Section } from '../event/form-types.ts'
import { err, ok, own, type Result } from '../lib/result.ts'
import { addDays, dayOf, endOf, formatDay, type Day, type Instant } from '../lib/time.ts'

/** The question of the form by which a delegate chooses among several. */
export const WAY_FIELD = 'way'

type WithWays = { readonly ways: readonly PayWay[] }

/** Those that delegates may choose. */
export function delegateWays({ ways }: WithWays): readonly (CardWay | TransferWay)[] {
  return ways.flatMap((way) => (way.is === 'desk' ? [] : [way]))
}

/** False: nothing is ever to be paid here. */
export function takesMoney({ ways }: WithWays): boolean {
  return ways.length > 0
}

export function isWayOpen({ until }: PayWay, on: Day): boolean {
  return until === undefined || on <= until
}

/** The transfer of that name; null: there is none. */
export function transferWay({ ways }: WithWays, id: string | null): TransferWay | null {
  return ways.find((way): way is TransferWay => way.is === 'transfer' && way.id === id) ?? null
}

/**
 * How these answers want to pay on that day; null: the event takes no money from delegates. Where several are
 * offered and none was chosen, as by callers that know of none, it is the first that is open. The error says what
 * is open instead.
 */
export function wayFor(
  event: WithWays,
  answers: Answers,
  on: Day,
): Result<CardWay | TransferWay | null, string> {
  const offered = delegateWays(event)
  if (offered.length === 0) return ok(null)
  const open = offered.filter((way) => isWayOpen(way, on))
  const chosen = offered.length === 1 ? offered[0] : wayNamed(offered, own(answers, WAY_FIELD))
  const way = chosen ?? open[0]
  if (way !== undefined && isWayOpen(way, on)) return ok(way)
  const instead = open.map(({ label }) => label).join(' or ')
  const over =
    way?.until === undefined
      ? 'It can no longer be paid here.'
      : `${way.label}: this was possible until ${formatDay(way.until)}.`
  return err(instead === '' ? over : `${over} Please choose ${instead}.`)
}

function wayNamed(
  offered: readonly (CardWay | TransferWay)[],
  id: unknown,
): CardWay | TransferWay | undefined {
  return offered.find((way) => way.id === id)
}

/** The question itself, and its section; null: there is nothing to choose. `section`: its place among them. */
export function wayQuestion(
  event: WithWays,
  section: number,
  required: string,
): { readonly field: Field; readonly section: Section } | null {
  const offered = delegateWays(event)
  if (offered.length < 2) return null
  return {
    section: { title: 'Payment', fields: [WAY_FIELD] },
    field: {
      id: WAY_FIELD,
      type: 'select',
      as: 'radio',
      label: 'How would you like to pay?',
      section,
      ignoreCase: false,
      invalid: 'Please choose how you would like to pay.',
      check: true,
      options: offered.map(({ id, label, until }) => ({
        id,
        label: until === undefined ? label : `${label} (until ${formatDay(until)})`,
      })),
      default: offered[0]?.id ?? '',
      required: { message: required },
    },
  }
}

/** Until when a registration by that way waits to be paid. */
export function lapseOf({ lapsesAfterDays }: TransferWay, at: Instant): Instant {
  return endOf(addDays(dayOf(at), lapsesAfterDays))
}

/** A number that one copies into the app of a bank. */
export type BankNumber = { readonly label: 'UPI ID' | 'Account' | 'IFSC'; readonly text: string }

/** A name and the handle of a bank, which has no dot; what has one is an email address. */
const UPI = /(?<![\w.@-])[A-Za-z0-9][\w.-]{1,49}@[A-Za-z][A-Za-z0-9]{1,29}(?![\w@-]|\.[A-Za-z])/
/** Four letters of the bank, a 0, six of the branch (Reserve Bank of India). */
const IFSC = /(?<![A-Za-z0-9])[A-Z]{4}0[A-Z0-9]{6}(?![A-Za-z0-9])/
/** Nine to eighteen digits, as banks in India have them. */
const ACCOUNT = /(?<![\w+@.-])[0-9]{9,18}(?![\w@-])/

/** What of a text about where to pay are numbers to be copied, each kind once. */
export function bankNumbers(tell: string): readonly BankNumber[] {
  const found: readonly (readonly [BankNumber['label'], RegExp])[] = [
    ['UPI ID', UPI],
    ['Account', ACCOUNT],
    ['IFSC', IFSC],
  ]
  return found.flatMap(([label, pattern]) => {
    const text = pattern.exec(tell)?.[0]
    return text === undefined ? [] : [{ label, text }]
  })
}

/**
 * What an app for UPI reads out of a code: whom to pay, how much, and under which number (NPCI's linking
 * specification: pa, pn, am, cu, tn). `amount` in rupees with two decimals.
 */
export function upiLink(to: {
  readonly upi: string
  readonly name: string
  readonly amount: string
  readonly note: string
}): string {
  const words = { pa: to.upi, pn: to.name, am: to.amount, cu: 'INR', tn: to.note }
  const query = Object.entries(words).map(([key, word]) => `${key}=${encodeURIComponent(word)}`)
  // The @ of an address stands as it is in every code that banks print.
  return `upi://pay?${query.join('&').replace('%40', '@')}`
}
