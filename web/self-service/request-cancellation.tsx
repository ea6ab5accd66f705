/** The cancellation request: the refund if cancelled today, and the date of an earlier request. */
import { useRef, useState } from 'react'
import {
  dayOf,
  formatDay,
  formatMoney,
  fromMajorUnits,
  readInstant,
  toAmount,
  type Currency,
} from '../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import type { WireCancellation } from '../../engine/api.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useHeadingFocus } from './use-heading-focus.ts'
import { useSelfServiceAction } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { ActionResult } from './action-result-message.tsx'

const { cancellation } = SELF_SERVICE_MESSAGES

/** Maximum length of an action's reason. */
const MAX_REASON_CHARACTERS = 500

export function RequestCancellation({ data, path, reload }: PanelProps) {
  const { cancel } = data
  const action = useSelfServiceAction({ path, reload })
  const [isOpen, setOpen] = useState(false)
  const heading = useHeadingFocus(`${isOpen} ${cancel?.asked_at}`)
  const reason = useRef<HTMLTextAreaElement>(null)
  if (cancel === null) return null
  const requestedAt = cancel.asked_at === null ? null : readInstant(cancel.asked_at)
  const send = async () => {
    const isDone = await action.perform({ act: 'ask_cancel', why: reason.current?.value ?? '' })
    if (isDone) setOpen(false)
  }
  return (
    <section className="self-service-panel" aria-labelledby="my-cancel">
      <h2 className="disp" id="my-cancel" ref={heading} tabIndex={-1}>
        {cancellation.title}
      </h2>
      {!isOpen && <ActionResult action={action} />}
      {requestedAt === null ? (
        <>
          <p>{describeRefund(cancel, data)}</p>
          <button type="button" className="btn line" onClick={() => setOpen(true)}>
            {cancellation.request}
          </button>
        </>
      ) : (
        <p>{formatMessage(cancellation.requested, { day: formatDay(dayOf(requestedAt)) })}</p>
      )}
      {isOpen && (
        <Dialog title={cancellation.confirmTitle} onClose={() => setOpen(false)}>
          <p>
            {describeRefund(cancel, data)} {cancellation.confirm}
          </p>
          <ActionResult action={action} />
          <label className="reason-field">
            {cancellation.reason}
            <textarea ref={reason} rows={3} maxLength={MAX_REASON_CHARACTERS} />
          </label>
          <div className="actions">
            <button
              type="button"
              className="btn"
              aria-disabled={action.isBusy}
              onClick={() => void send()}
            >
              {cancellation.request}
            </button>
            <button type="button" className="btn line" onClick={() => setOpen(false)}>
              {cancellation.keep}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function describeRefund(
  { kept, back, terms }: WireCancellation,
  { registration, state }: PanelProps['data'],
): string {
  const currency = readResponseCurrency(registration)
  const [paidAmount, refundAmount] = [
    fromMajorUnits(kept, currency),
    fromMajorUnits(back, currency),
  ]
  if (paidAmount === null || paidAmount === 0) {
    if (registration.in_review) return cancellation.paymentInReview
    return state === 'told' ? cancellation.paymentNotFound : cancellation.nothingPaid
  }
  const values = { paid: formatMoney(paidAmount, currency) }
  if (refundAmount === null) return formatMessage(cancellation.organisersDecide, values)
  const refundSentence =
    refundAmount === 0
      ? formatMessage(cancellation.noRefund, values)
      : formatMessage(cancellation.refund, {
          ...values,
          refund: formatMoney(refundAmount, currency),
        })
  return terms === undefined
    ? refundSentence
    : `${refundSentence} ${describeTerms(terms, currency)}`
}

function describeTerms(
  { percent, of: priceAmount, without_tax: tax, charge }: NonNullable<WireCancellation['terms']>,
  currency: Currency,
): string {
  const values = { percent, amount: formatResponseAmount(priceAmount, currency) }
  if (charge === undefined)
    return formatMessage(cancellation.withoutTax, { ...values, tax: tax ?? '' })
  const lessCharge = { ...values, charge: formatResponseAmount(charge, currency) }
  return tax === undefined
    ? formatMessage(cancellation.lessCharge, lessCharge)
    : formatMessage(cancellation.withoutTaxLessCharge, { ...lessCharge, tax })
}

const formatResponseAmount = (amount: number, currency: Currency): string =>
  formatMoney(fromMajorUnits(amount, currency) ?? toAmount(0), currency)
