/** The fields for recording a manual payment, with the payment that the delegate reported. */
import { useState } from 'react'
import {
  formatDayShort,
  isAtLeast,
  isDeskPayment,
  isManualMethod,
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

/**
 * Shows the fields for a received payment, filled in from the delegate's report, with the methods that the role can record. If the amount does not match, the
 * payment goes to review.
 */
export function RecordPaymentFields({
  told: claim,
  today,
  to_pay: toPay,
  userRole,
  ...response
}: Pick<ActionsResponse, 'told' | 'today' | 'to_pay' | 'currency'> & {
  readonly userRole: Role
}) {
  const currency = readResponseCurrency(response)
  const methods = RECORDABLE_METHODS.filter(
    (id) => canPayIn(id, currency) && isAtLeast(userRole, describeMethod(id).minimumRole),
  )
  const [method, setMethod] = useState<ManualMethod>(methods[0] ?? 'cash')
  // A reported payment that was found is already recorded, and one that was rejected did not arrive.
  const pendingClaim = claim?.stands === 'looking' || claim?.stands === 'unconfirmed' ? claim : null
  const expectedAmount =
    pendingClaim !== null && pendingClaim.amount > 0 ? pendingClaim.amount : toPay
  const isReferenceOptional = isDeskPayment(method)
  return (
    <>
      {pendingClaim !== null && <PaymentClaimDetails claim={pendingClaim} currency={currency} />}
      <label>
        Payment method
        <select
          name="way"
          value={method}
          onChange={({ target }) => {
            if (isManualMethod(target.value)) setMethod(target.value)
          }}
        >
          {methods.map((id) => (
            <option key={id} value={id}>
              {describeMethod(id).label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {getReferenceLabel(method, currency)}
        {isReferenceOptional && ' (optional)'}
        <input
          name="reference"
          required={!isReferenceOptional}
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
