/** The fields for recording a manual payment, with the payment that the delegate reported. */
import { useState } from 'react'
import {
  formatDayShort,
  isAtLeast,
  isDeskPayment,
  MANUAL_METHOD_IDS,
  canPayIn,
  describeMethod,
  getReferenceLabel,
} from '../../../../engine/index.ts'
import type { Currency, Day, ManualMethod, Role } from '../../../../engine/index.ts'
import type { ActionsResponse, WirePaymentClaim } from '../../../../engine/api.ts'
import { readResponseCurrency } from '../../../app/response-currency.ts'
import { getAmountInputMode } from '../../../ui/forms/amount-input-mode.ts'
import { formatAmountLabel, formatForInput, formatResponseMoney } from '../../ui/format-amount.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'

/** “Cash” and “card machine” have replaced “at the desk”, which older payments still have. */
const RECORDABLE_METHODS = MANUAL_METHOD_IDS.filter((id) => id !== 'desk')

/** A payment method that staff can record, with the label of its reference. */
type RecordableMethod = {
  readonly id: string
  readonly label: string
  readonly reference: string
  readonly required: boolean
}

/** Returns the built-in methods and the event file's own office methods that the role can record in this currency. */
function listRecordableMethods(
  officeMethods: ActionsResponse['office_methods'],
  currency: Currency,
  userRole: Role,
): readonly RecordableMethod[] {
  const canRecord = (id: ManualMethod): boolean =>
    canPayIn(id, currency) && isAtLeast(userRole, describeMethod(id).minimumRole)
  const builtInMethods = RECORDABLE_METHODS.filter(canRecord).map((id) => ({
    id,
    label: describeMethod(id).label,
    reference: getReferenceLabel(id, currency),
    required: !isDeskPayment(id),
  }))
  return [...builtInMethods, ...(canRecord('desk') ? (officeMethods ?? []) : [])]
}

/**
 * Shows the fields for a received payment, filled in from the delegate's report, with the methods that the role can
 * record. If the amount does not match, the payment goes to review.
 */
export function RecordPaymentFields({
  told: claim,
  today,
  to_pay: toPay,
  office_methods: officeMethods,
  userRole,
  ...response
}: Pick<ActionsResponse, 'told' | 'today' | 'to_pay' | 'office_methods' | 'currency'> & {
  readonly userRole: Role
}) {
  const currency = readResponseCurrency(response)
  const methods = listRecordableMethods(officeMethods, currency, userRole)
  const [methodId, setMethodId] = useState(methods[0]?.id ?? '')
  const method = methods.find(({ id }) => id === methodId)
  // A reported payment that was found is already recorded, and one that was rejected did not arrive.
  const pendingClaim = claim?.stands === 'looking' || claim?.stands === 'unconfirmed' ? claim : null
  const expectedAmount =
    pendingClaim !== null && pendingClaim.amount > 0 ? pendingClaim.amount : toPay
  const isReferenceRequired = method?.required ?? true
  return (
    <>
      {pendingClaim !== null && <PaymentClaimDetails claim={pendingClaim} currency={currency} />}
      <label>
        Payment method
        <select name="way" value={methodId} onChange={({ target }) => setMethodId(target.value)}>
          {methods.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {method?.reference}
        {!isReferenceRequired && ' (optional)'}
        <input
          name="reference"
          required={isReferenceRequired}
          maxLength={64}
          autoComplete="off"
          defaultValue={pendingClaim?.reference ?? ''}
        />
      </label>
      <label>
        {formatAmountLabel('Amount received', currency)}
        <input
          name="amount"
          inputMode={getAmountInputMode(currency)}
          required
          autoComplete="off"
          defaultValue={expectedAmount === 0 ? '' : formatForInput(expectedAmount, currency)}
        />
      </label>
      <label>
        Date received
        <input name="day" type="date" defaultValue={pendingClaim?.paid_on ?? today} />
      </label>
    </>
  )
}

/** Shows the payment that the delegate reported, with the screenshot. */
export function PaymentClaimDetails({
  claim,
  currency,
}: {
  readonly claim: WirePaymentClaim
  readonly currency: Currency
}) {
  const { label, reference, amount, paid_on: paidOn, answers, stands: state } = claim
  const isAmountShown = state === 'looking' && amount > 0
  return (
    <div className="reported-payment">
      <p>
        Reported by delegate:{isAmountShown ? ` ${formatResponseMoney(amount, currency)} by` : ''}{' '}
        {label}
        {paidOn === null ? '' : ` on ${formatDayShort(paidOn as Day)}`}, reference{' '}
        <b>{reference}</b>.{CLAIM_STATES[state]}
      </p>
      {answers.map((answer) => (
        <p key={answer.label}>
          {answer.label}:{' '}
          {answer.href === undefined ? (
            answer.text
          ) : (
            <a className="link" href={answer.href} download={answer.text}>
              <Icon name="file" small />
              {answer.text}
            </a>
          )}
        </p>
      ))}
    </div>
  )
}

const CLAIM_STATES = {
  looking: '',
  found: 'Recorded.',
  not_found: 'Not found.',
  unconfirmed: 'Not confirmed, and no longer expected.',
} as const satisfies Readonly<Record<WirePaymentClaim['stands'], string>>
