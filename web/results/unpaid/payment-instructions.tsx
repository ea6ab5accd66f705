/** Shows how to pay outside a gateway: instructions, numbers to copy, a QR code and the deadline. */
import { useState } from 'react'
import { formatDay, formatMoney, fromMajorUnits } from '../../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../../engine/messages.ts'
import type { Day } from '../../../engine/index.ts'
import type { WirePaymentInstructions } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { renderMessage } from '../../ui/rich-message.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import type { Registration } from '../result-page-data.ts'
import { formatLastDay } from './pay-now-button.tsx'
import './payment-instructions.css'

const { paymentClaim } = SELF_SERVICE_MESSAGES

export function PaymentInstructions({
  paymentInstructions,
  registration,
}: {
  readonly paymentInstructions: WirePaymentInstructions
  readonly registration: Registration
}) {
  const { reg_no: number } = registration
  const currency = readResponseCurrency(registration)
  const { tell: instructions, numbers, upi, price_until: until } = paymentInstructions
  const total = fromMajorUnits(paymentInstructions.total, currency)
  const payUntil = formatLastDay(paymentInstructions.pay_until)
  return (
    <div className="where">
      <p className="payment-instructions">{instructions}</p>
      <dl>
        {total !== null && (
          <CopyableNumber
            label={paymentClaim.amount}
            text={formatMoney(total, currency)}
            copy={String(paymentInstructions.total)}
          />
        )}
        <CopyableNumber label={paymentClaim.remark} text={number} copy={number} />
        {numbers.map(({ label, text }) => (
          <CopyableNumber key={label} label={label} text={text} copy={text} />
        ))}
      </dl>
      {upi !== null && (
        <figure className="upi">
          <QrCode text={upi} label={paymentClaim.qrCode} />
          <figcaption>
            {renderMessage(paymentClaim.scan, {
              link: (text) => (
                <a className="link" href={upi}>
                  {text}
                </a>
              ),
            })}
          </figcaption>
        </figure>
      )}
      {until !== null && (
        <p>{formatMessage(paymentClaim.priceUntil, { day: formatDay(until as Day) })}</p>
      )}
      {payUntil !== null && <p>{formatMessage(paymentClaim.payUntil, { day: payUntil })}</p>}
    </div>
  )
}

/** Shows a number with a button that copies it, for a banking app. */
function CopyableNumber({
  label,
  text,
  copy,
}: {
  readonly label: string
  readonly text: string
  readonly copy: string
}) {
  const [isCopied, setCopied] = useState(false)
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <span>{text}</span>
        <button
          type="button"
          className="btn line sm"
          aria-label={formatMessage(isCopied ? paymentClaim.copiedLabel : paymentClaim.copyLabel, {
            label,
          })}
          onClick={() => {
            // The clipboard needs a secure context. Without it, delegates can type the number from the
            // screen.
            void navigator.clipboard?.writeText(copy).then(() => setCopied(true))
          }}
        >
          {isCopied ? paymentClaim.copied : paymentClaim.copy}
        </button>
      </dd>
    </div>
  )
}
