/** The notice of a second payment for the same name and email address. */
import {
  dayOf,
  formatDay,
  formatMoney,
  fromMajorUnits,
  toAmount,
  readInstant,
} from '../../engine/index.ts'
import type { Currency } from '../../engine/index.ts'
import type { WireSecondPayment } from '../../engine/api.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import { useHeadingFocus } from './use-heading-focus.ts'
import { useSelfServiceAction } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { ActionResult } from './action-result-message.tsx'
import './self-service.css'

const { secondPayment } = SELF_SERVICE_MESSAGES

/**
 * Shows the notice of a second payment. Only its button requests the refund: the link in the email opens the page
 * but requests nothing, because mail scanners follow links.
 */
export function DuplicatePayment({
  duplicate,
  registration,
  path,
  reload,
}: Pick<PanelProps, 'path' | 'reload'> & {
  readonly duplicate: WireSecondPayment | null
  readonly registration: { readonly currency?: unknown }
}) {
  const action = useSelfServiceAction({ path, reload })
  const heading = useHeadingFocus(duplicate?.asked_at)
  if (duplicate === null) return null
  const requestedAt = duplicate.asked_at === null ? null : readInstant(duplicate.asked_at)
  const currency = readResponseCurrency(registration)
  const formatAmount = (units: number, amountCurrency: Currency) =>
    formatMoney(fromMajorUnits(units, amountCurrency) ?? toAmount(0), amountCurrency)
  const amount = formatAmount(duplicate.amount, currency)
  const firstCurrency = readResponseCurrency({ currency: duplicate.first_currency })
  const renderActionButton = (act: 'ask_refund' | 'withdraw_refund', label: string) => (
    <button
      type="button"
      className="btn line"
      aria-disabled={action.isBusy}
      onClick={() => void action.perform({ act })}
    >
      {label}
    </button>
  )
  const firstPayment = {
    first: formatAmount(duplicate.first_amount, firstCurrency),
    number: duplicate.first,
  }
  return (
    <section className="self-service-panel second-payment" aria-labelledby="my-second">
      <h2 className="disp" id="my-second" ref={heading} tabIndex={-1}>
        {secondPayment.title}
      </h2>
      {/* Once a refund has begun, nothing remains to be refunded. */}
      {duplicate.amount === 0 ? (
        <p>{formatMessage(secondPayment.refunding, firstPayment)}</p>
      ) : (
        <>
          <p>{formatMessage(secondPayment.explanation, { amount, ...firstPayment })}</p>
          <ActionResult action={action} />
          {requestedAt === null ? (
            renderActionButton('ask_refund', secondPayment.request)
          ) : (
            <>
              <p>
                {formatMessage(secondPayment.requested, {
                  amount,
                  day: formatDay(dayOf(requestedAt)),
                })}
              </p>
              {renderActionButton('withdraw_refund', secondPayment.withdraw)}
            </>
          )}
        </>
      )}
    </section>
  )
}
