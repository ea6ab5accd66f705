/** The dialog for an action: its reason and additional fields. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { ActionsResponse } from '../../../../engine/api.ts'
import { readAmount, toMajorUnits } from '../../../../engine/index.ts'
import type { Role } from '../../../../engine/index.ts'
import { readResponseCurrency } from '../../../app/response-currency.ts'
import { getAmountInputMode } from '../../../ui/forms/amount-input-mode.ts'
import { createIdempotencyKey, type ApiError } from '../../../app/api-client.ts'
import { Dialog, FOCUSED_FIRST } from '../../../ui/dialog.tsx'
import { Icon } from '../../../ui/icons-and-logo.tsx'
import { ApprovalDetails } from './approval-dialog-content.tsx'
import {
  RecordPaymentFields,
  PaymentClaimDetails,
  readMethodAnswers,
} from './record-payment-fields.tsx'
import {
  CancellationRefundFields,
  CancellationRequestNotice,
  MoneyFigures,
  UnderReviewNotice,
} from './cancellation-refund-fields.tsx'
import { CorrectionFields, TransferFields } from './correct-answers-fields.tsx'
import { DESTRUCTIVE_ACTIONS } from '../action-buttons.ts'
import type { ActionRequest, ButtonAction } from '../action-buttons.ts'
import { Banner } from '../../ui/error-banner-and-heading.tsx'
import { formatAmountLabel, formatForInput, formatResponseMoney } from '../../ui/format-amount.ts'

type ActionDialogProps = {
  readonly button: ButtonAction
  readonly title: string
  readonly actionData: ActionsResponse
  readonly userRole: Role
  readonly error: ApiError | null
  readonly isBusy: boolean
  readonly onPerform: (request: ActionRequest) => void
  readonly onClose: () => void
}

export function ActionDialog(props: ActionDialogProps) {
  const { button, title, actionData, userRole, error, isBusy, onPerform, onClose } = props
  const [idempotencyKey] = useState(createIdempotencyKey)
  const [answers, setAnswers] = useState<Readonly<Record<string, unknown>>>({})
  const newTotal =
    error?.code === 'price_changes' ? (error.errorResponse?.quote?.total ?? null) : null
  const label = newTotal === null ? title : 'Accept new price and save correction'
  return (
    <Dialog title={title} onClose={onClose}>
      {error && newTotal === null && <Banner text={error.message} />}
      {error && newTotal !== null && (
        <p className="care" role="alert">
          <Icon name="info" small />
          {error.message}
        </p>
      )}
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          const request = buildRequest(button, data, answers, actionData)
          onPerform({
            ...request,
            key: idempotencyKey,
            ...(newTotal !== null && { total: newTotal }),
          })
        }}
      >
        {ACTIONS_WITH_AMOUNTS.has(button) && <MoneyFigures {...actionData} />}
        <ActionFields {...{ button, actionData, userRole, setAnswers }} />
        <label>
          {button === 'note' ? 'Note' : !needsReason(button) ? 'Reason (optional)' : 'Reason'}
          <textarea
            name="why"
            rows={3}
            maxLength={500}
            required={needsReason(button)}
            autoComplete="off"
          />
        </label>
        <div className="actions">
          <button type="submit" className="btn" disabled={isBusy}>
            {label}
          </button>
          <button
            type="button"
            className="btn line"
            onClick={onClose}
            {...(DESTRUCTIVE_ACTIONS.has(button) && FOCUSED_FIRST)}
          >
            {button === 'cancel' ? 'Keep registration' : 'Cancel'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Actions that do not require a reason. */
const ACTIONS_WITHOUT_REASON: ReadonlySet<ButtonAction> = new Set([
  'send_pay_link',
  'confirm',
  'came_again',
  'approve',
  'take_up',
  'resend',
])
const needsReason = (button: ButtonAction): boolean => !ACTIONS_WITHOUT_REASON.has(button)

/**
 * Actions whose dialog begins with the amounts due, received and under review. The dialog of `confirm` does too, but its
 * amount due depends on the payment method.
 */
const ACTIONS_WITH_AMOUNTS: ReadonlySet<ButtonAction> = new Set([
  'came_again',
  'cancel',
  'refund',
  'approve',
  'refuse',
  'not_found',
  'take_up',
  'send_pay_link',
  'erase',
])

/** Converts the fields of the form to the parameters of the API call. */
function buildRequest(
  button: ButtonAction,
  data: FormData,
  answers: Readonly<Record<string, unknown>>,
  { kept: refundable, fields, duplicates_version, cancellation_version }: ActionsResponse,
): ActionRequest {
  const readText = (name: string): string => String(data.get(name) ?? '').trim()
  const reason = readText('why')
  switch (button) {
    case 'correct': {
      // An answer that someone else has changed since the dialog opened is not overwritten.
      const seenAnswers = Object.fromEntries(
        fields.filter(({ id }) => Object.hasOwn(answers, id)).map(({ id, value }) => [id, value]),
      )
      return { act: button, why: reason, answers, seen: seenAnswers }
    }
    case 'transfer':
      return { act: button, why: reason, answers }
    case 'confirm':
    case 'came_again': {
      const [method, reference, amount, day] = ['way', 'reference', 'amount', 'day'].map(readText)
      const paid = readMethodAnswers(data)
      return {
        act: button,
        why: reason,
        way: method,
        reference,
        amount,
        day,
        ...(paid !== undefined && { paid }),
      }
    }
    case 'cancel':
      return {
        act: button,
        why: reason,
        pay_back: readText('pay_back'),
        kept: refundable,
        // While this dialog is open, another user may correct the registration, or refund another payment of the same
        // person.
        duplicates_version,
        cancellation_version,
      }
    case 'refund': {
      const isManual = data.get('by') === 'hand'
      const amount = readText('amount')
      const request = { act: button, why: reason, amount, kept: refundable, duplicates_version }
      return isManual ? { ...request, by_hand: true, reference: readText('reference') } : request
    }
    case 'refuse':
      return data.get('offer') === 'on'
        ? { act: button, why: reason, offer: true }
        : { act: button, why: reason }
    case 'note':
    case 'approve':
    case 'erase':
    case 'not_found':
    case 'handle_refund':
    case 'take_up':
    case 'send_pay_link':
    case 'resend':
      return { act: button, why: reason }
  }
}

type ActionFieldsProps = Pick<ActionDialogProps, 'button' | 'actionData' | 'userRole'> & {
  readonly setAnswers: (answers: Readonly<Record<string, unknown>>) => void
}

function ActionFields({ button, actionData, userRole, setAnswers }: ActionFieldsProps): ReactNode {
  switch (button) {
    case 'correct':
      return <CorrectionFields fields={actionData.fields} onChange={setAnswers} />
    case 'transfer':
      return <TransferFields {...actionData} onChange={setAnswers} />
    case 'confirm':
      return (
        <RecordPaymentFields
          {...actionData}
          userRole={userRole}
          renderFigures={(due) => <MoneyFigures {...actionData} to_pay={due} />}
        />
      )
    case 'came_again':
      return (
        <>
          <p>
            Nothing is due. The payment will be sent for review, and the treasurer will refund it or
            move it.
          </p>
          <RecordPaymentFields {...actionData} userRole={userRole} />
        </>
      )
    case 'cancel':
      return <CancellationRefundFields {...actionData} />
    case 'refund':
      return <RefundFields {...actionData} />
    case 'approve':
    case 'refuse':
      return <ApprovalDetails {...actionData} canOffer={button === 'refuse'} />
    case 'erase':
      return <EraseWarning {...actionData} />
    case 'not_found':
      return actionData.told === null ? null : (
        <PaymentClaimDetails claim={actionData.told} currency={readResponseCurrency(actionData)} />
      )
    case 'handle_refund':
      return <p>Contact the payment gateway about the refund. Enter its reply as the reason.</p>
    case 'note':
    case 'take_up':
    case 'send_pay_link':
    case 'resend':
      return null
  }
}

function EraseWarning({ pay_back: refundDue, ...response }: ActionsResponse) {
  const currency = readResponseCurrency(response)
  return (
    <>
      {refundDue > 0 && (
        <p className="care">
          <Icon name="tri" small />
          {formatResponseMoney(refundDue, currency)} is still to be refunded. Refund it before you
          erase the name and contact details.
        </p>
      )}
      <p>
        This erases the name, contact details, answers, files and emails. It cannot be undone.
        Rollcall keeps the payments, the history and the documents that the law requires. An unpaid
        registration is cancelled.
      </p>
    </>
  )
}

function RefundFields({
  kept: refundable,
  pay_back: refundDue,
  goodwill,
  back_by_gateway: gatewayRefundable,
  refund_notes: reasons,
  reviews,
  full_refund_cancels: isCancelledByFullRefund,
  cancel_asked: cancellationRequest,
  allowed,
  ...response
}: ActionsResponse) {
  const currency = readResponseCurrency(response)
  const amount = refundDue === 0 ? refundable : refundDue
  const [refundMethod, setRefundMethod] = useState(
    gatewayRefundable >= amount && amount > 0 ? 'gateway' : 'hand',
  )
  const [amountText, setAmountText] = useState(formatForInput(amount, currency))
  const enteredAmount = readAmount(amountText, currency)
  const isAll = enteredAmount !== null && toMajorUnits(enteredAmount, currency) === refundable
  return (
    <>
      {refundDue > 0 && <p>To refund: {formatResponseMoney(refundDue, currency)}</p>}
      {refundDue > 0 && goodwill > 0 && (
        <p className="care">
          <Icon name="tri" small />
          {formatResponseMoney(goodwill, currency)} has already been refunded as goodwill and is not
          deducted below. If that refund was for this change too, enter a smaller amount.
        </p>
      )}
      <CancellationRequestNotice
        request={cancellationRequest}
        canCancel={allowed.includes('cancel')}
        currency={currency}
      />
      <UnderReviewNotice reviews={reviews} currency={currency} />
      {reasons.map((reason) => (
        <p className="care" key={reason}>
          <Icon name="tri" small />
          {reason}
        </p>
      ))}
      {gatewayRefundable > 0 && gatewayRefundable < refundable && (
        <p>
          The payment gateway can refund {formatResponseMoney(gatewayRefundable, currency)} of it.
        </p>
      )}
      <label>
        {formatAmountLabel('Amount to refund', currency)}
        <input
          name="amount"
          inputMode={getAmountInputMode(currency)}
          required
          value={amountText}
          onChange={({ target }) => setAmountText(target.value)}
          autoComplete="off"
        />
      </label>
      {isAll && isCancelledByFullRefund && (
        <p className="care" role="status">
          <Icon name="tri" small />
          This refunds everything received and cancels the registration.
        </p>
      )}
      <label>
        Refund method
        <select
          name="by"
          value={refundMethod}
          onChange={({ target }) => setRefundMethod(target.value)}
        >
          {gatewayRefundable > 0 && (
            <option value="gateway">Through the payment gateway, now</option>
          )}
          <option value="hand">Already refunded outside Rollcall</option>
        </select>
      </label>
      {refundMethod === 'hand' && (
        <label>
          Transfer reference or slip number
          <input name="reference" required maxLength={64} autoComplete="off" />
        </label>
      )}
    </>
  )
}
