/** The fields for recording a manual payment, with the payment that the delegate reported. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import {
  formatDayShort,
  isAtLeast,
  isDeskPayment,
  isManualMethod,
  MANUAL_METHOD_IDS,
  canPayIn,
  formatMethodInSentence,
  formatOfficeMethodInSentence,
  getOwn,
  describeMethod,
  getReferenceLabel,
} from '../../../../engine/index.ts'
import type { Currency, Day, ManualMethod, Role } from '../../../../engine/index.ts'
import type { ActionsResponse, WireClaimField, WirePaymentClaim } from '../../../../engine/api.ts'
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
  /** The method after an amount in a sentence: "by UPI". */
  readonly phrase: string
  /** The other fields of an office method of the event file. */
  readonly fields: readonly WireClaimField[]
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
    phrase: formatMethodInSentence(id),
    fields: [],
  }))
  const ownMethods = canRecord('desk') ? (officeMethods ?? []) : []
  return [
    ...builtInMethods,
    ...ownMethods.map((method) => ({
      ...method,
      phrase: formatOfficeMethodInSentence(method.label),
    })),
  ]
}

/**
 * Shows the fields for a received payment, filled in from the delegate's report, with the methods that the role can
 * record and the amount due for the chosen one. If the amount does not match, the payment goes to review.
 */
export function RecordPaymentFields({
  told: claim,
  today,
  to_pay: toPay,
  to_pay_by_method: amountsByMethod = {},
  priced_on_credit: isPricedOnCredit,
  office_methods: officeMethods,
  userRole,
  renderFigures,
  ...response
}: Pick<
  ActionsResponse,
  | 'told'
  | 'today'
  | 'to_pay'
  | 'to_pay_by_method'
  | 'priced_on_credit'
  | 'office_methods'
  | 'currency'
> & {
  readonly userRole: Role
  /** Renders the registration's amounts with the amount due for the chosen method. */
  readonly renderFigures?: (due: number) => ReactNode
}) {
  const currency = readResponseCurrency(response)
  const methods = listRecordableMethods(officeMethods, currency, userRole)
  const [methodId, setMethodId] = useState(methods[0]?.id ?? '')
  const [enteredAmount, setEnteredAmount] = useState<string | null>(null)
  const method = methods.find(({ id }) => id === methodId)
  const methodPrice = getOwn(amountsByMethod, methodId)
  const due = methodPrice ?? toPay
  // A reported payment that was found is already recorded, and one that was rejected did not arrive.
  const pendingClaim = claim?.stands === 'looking' || claim?.stands === 'unconfirmed' ? claim : null
  // A delegate can report only a transfer. The report's amount is the price on its own date.
  const isClaimByMethod = isManualMethod(methodId) && !isDeskPayment(methodId)
  const expectedAmount =
    pendingClaim !== null && pendingClaim.amount > 0 && isClaimByMethod ? pendingClaim.amount : due
  const defaultAmount = expectedAmount === 0 ? '' : formatForInput(expectedAmount, currency)
  const isReferenceRequired = method?.required ?? true
  return (
    <>
      {renderFigures?.(due)}
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
      {methodPrice !== undefined && method !== undefined && (
        <p role="status">
          Price {method.phrase}: {formatResponseMoney(methodPrice, currency)}
        </p>
      )}
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
      {method?.fields.map((field) => (
        <MethodField key={`${methodId}.${field.id}`} field={field} />
      ))}
      <label>
        {formatAmountLabel('Amount received', currency)}
        <input
          name="amount"
          inputMode={getAmountInputMode(currency)}
          required
          autoComplete="off"
          value={enteredAmount ?? defaultAmount}
          onChange={({ target }) => setEnteredAmount(target.value)}
        />
      </label>
      <label>
        Date received{isPricedOnCredit === true && ' (the price on this date applies)'}
        <input name="day" type="date" defaultValue={pendingClaim?.paid_on ?? today} />
      </label>
    </>
  )
}

/** The prefix of the names of an office method's further fields in the dialog's form. */
const FIELD_PREFIX = 'paid.'

/** Reads the further fields of an office method from the dialog's form; undefined if the method has none. */
export function readMethodAnswers(data: FormData): Readonly<Record<string, string>> | undefined {
  const answers = [...data].flatMap(([name, value]) =>
    name.startsWith(FIELD_PREFIX) && typeof value === 'string'
      ? [[name.slice(FIELD_PREFIX.length), value] as const]
      : [],
  )
  return answers.length === 0 ? undefined : Object.fromEntries(answers)
}

function MethodField({
  field: { id, kind, label, required, options },
}: {
  readonly field: WireClaimField
}) {
  const name = `${FIELD_PREFIX}${id}`
  return (
    <label>
      {label}
      {!required && ' (optional)'}
      {kind === 'select' ? (
        <select name={name} required={required}>
          <option value="">Choose an option</option>
          {options.map((option) => (
            <option key={option.id} value={option.id}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          name={name}
          type={kind === 'date' ? 'date' : 'text'}
          required={required}
          autoComplete="off"
        />
      )}
    </label>
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
