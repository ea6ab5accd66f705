/**
 * Simulates the organisers' bank account and cash box: payments by each method, and manual refunds. Checks treat these
 * records as the truth.
 */
import { INR } from '../../engine/index.ts'
import type { Day, Amount, Currency, ManualMethod } from '../../engine/index.ts'
import type { Random } from './random.ts'

export type BankPayment = {
  readonly method: ManualMethod
  readonly reference: string
  readonly amount: Amount
  readonly currency: Currency
  readonly day: Day
}

export type Bank = {
  /** Records a payment by a delegate. */
  pay(method: ManualMethod, amount: Amount, day: Day, currency?: Currency): BankPayment
  /**
   * Finds a payment by its reference, however it is spelled. A transfer may be entered under several methods. Null if
   * there is no such payment.
   */
  find(method: string, reference: string): BankPayment | null
  /** Returns true if a payment by any method has this reference. */
  hasReference(reference: string | null): boolean
  listPayments(): readonly BankPayment[]
  /** Lists the payments on the statement for the account in this currency, in order of payment. */
  listStatementPayments(currency: Currency): readonly BankPayment[]
  /** Returns a transfer to its sender. */
  returnTransfer(payment: BankPayment, day: Day): void
  listReturnedTransfers(): readonly BankPayment[]
  /** Pays a refund. Returns its reference. */
  payRefund(amount: Amount): string
  findRefund(reference: string | null): Amount | null
}

/** Methods that pay into the same bank account, so a statement line may be entered under any of them. */
const BANK_METHODS: readonly string[] = ['transfer', 'upi', 'cheque', 'machine', 'desk']
/** Returns the type of account that the method pays into. A reference counts once per account type. */
export const findAccountType = (method: string): string =>
  BANK_METHODS.includes(method) ? 'bank' : method

/** Returns the reference as a bank would print it, however it is spelled. Implemented independently of the engine. */
export const normaliseReference = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replace(/^(?:UTR|REFNO|CHQNO)/, '')
    .replace(/^0+/, '')

/** Returns another spelling of the same reference. */
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
  const receivedPayments: BankPayment[] = []
  const returnedPayments: BankPayment[] = []
  const refunds = new Map<string, Amount>()
  return {
    pay: (method, amount, day, currency = INR) => {
      const number = 2_026_020_000 + receivedPayments.length
      // NEFT references have sixteen characters, and UPI references have twelve digits.
      const reference =
        receivedPayments.length % 3 === 2 ? `60${String(number)}` : `HDFCN5${String(number)}`
      const payment = { method, reference, amount, currency, day }
      receivedPayments.push(payment)
      return payment
    },
    find: (method, reference) =>
      receivedPayments.find(
        (payment) =>
          findAccountType(payment.method) === findAccountType(method) &&
          normaliseReference(payment.reference) === normaliseReference(reference),
      ) ?? null,
    hasReference: (reference) =>
      reference !== null &&
      receivedPayments.some(
        (receivedPayment) =>
          normaliseReference(receivedPayment.reference) === normaliseReference(reference),
      ),
    listPayments: () => receivedPayments,
    listStatementPayments: (currency) =>
      receivedPayments.filter(
        (payment) => payment.currency === currency && findAccountType(payment.method) === 'bank',
      ),
    returnTransfer: (payment, day) => void returnedPayments.push({ ...payment, day }),
    listReturnedTransfers: () => returnedPayments,
    payRefund: (amount) => {
      const reference = `BACK${String(30_000 + refunds.size)}`
      refunds.set(reference, amount)
      return reference
    },
    findRefund: (reference) => (reference === null ? null : (refunds.get(reference) ?? null)),
  }
}
