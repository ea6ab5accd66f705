/** The result page of an unpaid registration: price, deadline and pay button. */
import {
  dayOf,
  formatMoney,
  fromMajorUnits,
  getLabel,
  checkRegistrationOpen,
  listPriceParts,
  readInstant,
} from '../../../engine/index.ts'
import { readLines } from '../../../engine/api.ts'
import { formatMessage, RESULT_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import type { DetailsRow } from '../../ui/details-list.tsx'
import { renderMessage } from '../../ui/rich-message.tsx'
import { Support, usePolling } from '../pending-refunded-cancelled-pages.tsx'
import { formatPriceUntil, getValidPrice, PayNowButton } from './pay-now-button.tsx'
import type { PayButtonState } from './pay-now-button.tsx'
import { GroupedNumber } from '../registration-number.tsx'
import { listBillRows } from '../bill-details.tsx'
import type { Registration } from '../result-page-data.ts'
import '../unpaid-and-pending-pages.css'

const { payAmountNow, payNow, unpaid } = RESULT_MESSAGES

type UnpaidPageProps = {
  readonly event: PublicEvent
  readonly registration: Registration
  /** Server time when the page was rendered. */
  readonly now: string
  readonly reload: () => void
  readonly payButton: PayButtonState
}

/** Shows a saved but unpaid registration. The page polls, because a payment may be in progress in another tab. */
export function UnpaidPage({ event, registration, now, reload, payButton }: UnpaidPageProps) {
  usePolling(reload)
  const price = getValidPrice(registration, now)
  const priceUntil = formatPriceUntil(registration, now)
  return (
    <section className="state-notice todo" aria-labelledby="not-paid">
      <h2 className="disp" id="not-paid">
        <Icon name="clock" />
        {unpaid.title}
      </h2>
      {registration.may_pay && event.payment ? (
        <>
          <p>{unpaid.explanation}</p>
          {priceUntil !== '' && <p>{priceUntil}</p>}
          <PayNowButton
            label={price === null ? payNow : formatMessage(payAmountNow, { amount: price })}
            payButton={payButton}
          />
          <p className="mute">{unpaid.justPaid}</p>
        </>
      ) : (
        <p>
          {unpaid.notReceived} {getNotPayableText(event, now)}{' '}
          {renderMessage(unpaid.contact, {
            support: <Support event={event} orderId={registration.order_id} />,
          })}
        </p>
      )}
      <DetailsList rows={buildDelegateRows(event, registration)} />
      <DetailsList rows={buildAmountRows(event, registration)} hasAmounts />
    </section>
  )
}

function getNotPayableText(event: PublicEvent, now: string): string {
  const time = readInstant(now)
  const openState = time === null ? null : checkRegistrationOpen(event, dayOf(time))
  return openState === null || openState.open ? unpaid.closed : openState.text
}

/** Returns number, name and category with the event's labels. */
export function buildDelegateRows(
  event: PublicEvent,
  registration: Registration,
): readonly DetailsRow[] {
  const { reg_no: number, category_label: category } = registration
  const { fullName } = event.roles
  const name = fullName === undefined ? undefined : registration[fullName]
  return [
    {
      id: 'reg_no',
      label: getLabel(event, 'reg_no'),
      value: <GroupedNumber event={event} number={number} />,
    },
    ...(fullName !== undefined && typeof name === 'string' && name !== ''
      ? [{ id: fullName, label: getLabel(event, fullName), value: name }]
      : []),
    ...(category === null
      ? []
      : [{ id: 'category', label: getLabel(event, 'category'), value: category }]),
  ]
}

export function buildAmountRows(
  event: PublicEvent,
  registration: Registration,
): readonly DetailsRow[] {
  const bill = listBillRows(event, registration)
  if (bill.length > 0) return bill
  const currency = readResponseCurrency(registration)
  const lines = readLines(registration.lines, currency)
  return listPriceParts(event).flatMap((pricePart) => {
    const amount = fromMajorUnits(registration[pricePart], currency)
    return amount === null
      ? []
      : [
          {
            id: pricePart,
            // The tax label states only the rates of this bill.
            label: getLabel(event, pricePart, lines),
            value: formatMoney(amount, currency),
            total: pricePart === 'total',
          },
        ]
  })
}
