/**
 * The organisers' own bank account and cash box: payments by each method, and manual refunds. These books are the
 * truth.
 */
import type { Day, Paise, ManualMethod } from '../../engine/index.ts'
import type { Random } from './random.ts'

export type BankPayment = {
  readonly way: ManualMethod
  readonly reference: string
  readonly amount: Paise
  readonly on: Day
}

export type Bank = {
  /** A delegate has paid. */
  pay(way: ManualMethod, amount: Paise, on: Day): BankPayment
  /**
   * Null if no such payment exists. References have many spellings, and one transfer may be entered under several
   * methods.
   */
  find(way: string, reference: string): BankPayment | null
  /** Of any method. */
  knows(reference: string | null): boolean
  all(): readonly BankPayment[]
  /** The lines of the statement, in order of payment. */
  statement(): readonly BankPayment[]
  /** The bank takes a transfer back out of the account. */
  returnTransfer(payment: BankPayment, on: Day): void
  returnedTransfers(): readonly BankPayment[]
  /** A refund was paid; returns its reference. */
  payRefund(amount: Paise): string
  findRefund(reference: string | null): Paise | null
}

/** Methods of the same bank account, so that one of its lines may be entered under any of them. */
const BANK_METHODS: readonly string[] = ['transfer', 'upi', 'cheque', 'machine', 'desk']
/** The name of a method under which its payments count once. */
export const findAccountType = (way: string): string => (BANK_METHODS.includes(way) ? 'bank' : way)

/** The reference that a bank would print for any spelling, implemented independently. */
export const normaliseReference = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replace(/^(?:UTR|REFNO|CHQNO)/, '')
    .replace(/^0+/, '')

/** Other spellings of the same reference. */
export function respellReference(reference: string, random: Random): string {
  const groups = reference.match(/.{1,4}/g) ?? []
  return random.pick([
    reference,
    reference.toLowerCase(),
    groups.join(' '),
    groups.join('-'),
    `${groups.join('.')}.`,
    `UTR ${reference}`,
    `Ref no. ${reference.toLowerCase()}`,
    `Chq no ${groups.join(' ')}`,
    `000${reference}`,
    groups.join('\u200b'),
    ` ${groups.join('\u00a0')} `,
  ])
}

export function createBank(): Bank {
  const received: BankPayment[] = []
  const returned: BankPayment[] = []
  const refunds = new Map<string, Paise>()
  return {
    pay: (way, amount, on) => {
      const number = 2_026_020_000 + received.length
      // NEFT has sixteen characters, UPI twelve digits.
      const reference =
        received.length % 3 === 2 ? `60${String(number)}` : `HDFCN5${String(number)}`
      const payment = { way, reference, amount, on }
      received.push(payment)
      return payment
    },
    find: (way, reference) =>
      received.find(
        (one) =>
          findAccountType(one.way) === findAccountType(way) &&
          normaliseReference(one.reference) === normaliseReference(reference),
      ) ?? null,
    knows: (reference) =>
      reference !== null &&
      received.some((one) => normaliseReference(one.reference) === normaliseReference(reference)),
    all: () => received,
    statement: () => received.filter(({ way }) => findAccountType(way) === 'bank'),
    returnTransfer: (payment, on) => void returned.push({ ...payment, on }),
    returnedTransfers: () => returned,
    payRefund: (amount) => {
      const reference = `BACK${String(30_000 + refunds.size)}`
      refunds.set(reference, amount)
      return reference
    },
    findRefund: (reference) => (reference === null ? null : (refunds.get(reference) ?? null)),
  }
}
