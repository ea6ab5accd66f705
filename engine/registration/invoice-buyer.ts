/** The buyer of a tax invoice: their details, and the answers that the law requires. */
import { PAYMENT_METHOD_MESSAGES } from '../text-catalogue/payment-methods.ts'
import type { Answers, FieldErrors } from '../event/answer-types.ts'
import { findVisibleFields } from '../answers/normalize-answers.ts'
import type { EventConfig } from '../event/config.ts'
import { readDelegate, type Roles } from '../event/delegate-fields.ts'
import {
  readGstin,
  findState,
  getStateOfGstin,
  STATES_OF_INDIA,
  type StateCode,
} from '../event/gstin.ts'
import type { Invoice } from '../event/invoice-types.ts'
import type { Line } from '../pricing/bill-lines.ts'
import { INR, type Currency } from '../lib/money.ts'
import { fromPairs, getOwn } from '../lib/result.ts'
import { listHolderFields, type AnswerAction } from './answers-after-transfer.ts'
import { requiresAddress, sumTaxableValue } from '../pricing/invoice-tax.ts'

export type State = { readonly code: StateCode; readonly name: string }
export const getStateByCode = (code: StateCode): State => ({ code, name: STATES_OF_INDIA[code] })

/** The buyer on an invoice. */
export type Buyer = {
  readonly name: string
  readonly email: string
  readonly gstin: string | null
  readonly address: string | null
  /** For a registered recipient, the state in the GSTIN; otherwise the answer. */
  readonly state?: State | null
}

/** The event's fields about the buyer. `states` contains the labels of the state field's options. */
export type BuyerFields = {
  readonly invoice: Invoice | null
  readonly roles: Roles
  readonly states: Readonly<Record<string, string>>
  /** The labels of the fields about the buyer. Absent in an issuer stored by an older version. */
  readonly labels?: Readonly<Record<string, string>>
}

/**
 * After a transfer, removes the answers about the buyer that the previous holder gave, whose institution and GSTIN the
 * new holder must neither see nor use. `actions`: those on the registration, oldest first.
 */
export function removePreviousBuyer(
  { invoice, roles, labels = {} }: Pick<BuyerFields, 'invoice' | 'roles' | 'labels'>,
  answers: Answers,
  actions: readonly AnswerAction[],
): Answers {
  const fields = Object.entries(labels).map(([id, label]) => ({ id, label }))
  const holderFields = listHolderFields(roles, fields, actions)
  return holderFields === null ? answers : removeBuyerAnswers(invoice, answers, holderFields)
}

/** Removes the answers about the buyer, except to these fields. */
export function removeBuyerAnswers(
  invoice: Invoice | null,
  answers: Answers,
  keptFields: ReadonlySet<string>,
): Answers {
  const removedFields = new Set(
    Object.values(invoice?.buyer ?? {}).filter((id) => !keptFields.has(id)),
  )
  return fromPairs(Object.entries(answers).filter(([id]) => !removedFields.has(id)))
}

/** Returns true if documents for both buyers state the same recipient: name, address, state and GSTIN. */
export const isSameRecipient = (one: Buyer, other: Buyer): boolean =>
  one.name === other.name &&
  one.address === other.address &&
  one.state?.code === other.state?.code &&
  one.gstin === other.gstin

/** Reads the buyer from the fields that the event file specifies. */
export function readBuyer(
  { invoice, roles, states }: BuyerFields,
  {
    answers,
    fullName,
    email,
  }: { readonly answers: Answers; readonly fullName: string; readonly email: string },
): Buyer {
  const getAnswerText = (id: string | undefined): string => {
    const answer = id === undefined ? undefined : getOwn(answers, id)
    return answer === undefined || typeof answer === 'object' ? '' : String(answer).trim()
  }
  const delegate = readDelegate({ roles }, answers)
  const name = getAnswerText(invoice?.buyer.name)
  const gstin = readGstin(getAnswerText(invoice?.buyer.gstin))
  const stateAnswer = getAnswerText(invoice?.buyer.state)
  const code =
    gstin === null
      ? (findState(stateAnswer) ?? findState(getOwn(states, stateAnswer) ?? ''))
      : getStateOfGstin(gstin)
  return {
    name: [name, fullName, delegate.fullName].find((candidate) => candidate !== '') ?? '',
    email: email === '' ? delegate.email : email,
    gstin,
    address: getAnswerText(invoice?.buyer.address) || null,
    state: code === null ? null : getStateByCode(code),
  }
}

/**
 * Returns errors for unanswered address and state fields, if the law requires both on this bill's
 * invoice (rule 46(e)). Hidden fields are omitted. A buyer abroad pays in another currency and has
 * no Indian state.
 */
export function findInvoiceErrors(
  event: EventConfig,
  answers: Answers,
  bill: { readonly lines: readonly Line[]; readonly currency: Currency } | null,
): FieldErrors {
  const { invoice, roles } = event
  if (invoice === null || bill === null) return {}
  const { lines, currency } = bill
  const issuer = { invoice, roles, states: {} }
  const { gstin } = readBuyer(issuer, { answers, fullName: '', email: '' })
  if (!requiresAddress(sumTaxableValue(lines), gstin !== null, currency)) return {}
  const visibleIds = findVisibleFields(event, answers)
  return fromPairs(
    [invoice.buyer.address, ...(currency === INR ? [invoice.buyer.state] : [])].flatMap((id) =>
      id === undefined || !visibleIds.has(id) || String(getOwn(answers, id) ?? '').trim() !== ''
        ? []
        : [
            [
              id,
              currency === INR
                ? PAYMENT_METHOD_MESSAGES.invoiceAddress
                : PAYMENT_METHOD_MESSAGES.invoiceAddressAbroad,
            ] as const,
          ],
    ),
  )
}
