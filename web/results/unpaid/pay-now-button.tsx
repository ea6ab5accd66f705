/** The pay button for an existing registration, with a dialog if the price has changed. */
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import {
  dayOf,
  formatDay,
  formatMoney,
  fromMajorUnits,
  listPriceParts,
  readInstant,
  toMajorUnits,
} from '../../../engine/index.ts'
import {
  CONNECTION_ERROR_MESSAGES,
  formatMessage,
  RESULT_MESSAGES,
} from '../../../engine/messages.ts'
import type { Day, Instant, PublicEvent, Quote } from '../../../engine/index.ts'
import type { PaymentData } from '../../../engine/api.ts'
import { toQuote } from '../../app/api-responses.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import type { CallResult, ApiError } from '../../app/api-client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { GatewayRedirect } from '../../ui/payment/gateway-redirect.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import { renderMessage } from '../../ui/rich-message.tsx'
import { buildBillRows } from '../../ui/payment/bill-rows.tsx'
import type { Registration } from '../result-page-data.ts'

/**
 * Requests the gateway's payment data. `price` is the total that the delegate accepted, in major units, or null if no
 * price was shown. `confirmedRegNo` is the number of another paid registration if the delegate has confirmed that they
 * want to pay again; otherwise null. `onRetry` is called when a request that timed out is sent again.
 */
export type RequestPayment = (
  price: number | null,
  confirmedRegNo: string | null,
  onRetry: () => void,
) => Promise<CallResult<PaymentData>>

/** Payment state for the buttons. */
export type PayButtonState = {
  readonly isBusy: boolean
  /** The request timed out and is being sent again. */
  readonly isRetrying: boolean
  /** Why the last attempt failed; stays visible. */
  readonly problem: string | null
  /** The path of the form, if the last attempt failed because the seats were taken. Null otherwise. */
  readonly formPath: string | null
  readonly onPress: () => void
}
type PaymentOptions = {
  readonly event: PublicEvent
  readonly priceUntil: Day | null
  readonly requestPayment: RequestPayment
  /** Reloads the registration if its state differs from the page's. */
  readonly reload: () => void
}
type Step =
  | { readonly is: 'idle' | 'asking' | 'asking-again' }
  | { readonly is: 'leaving'; readonly data: PaymentData }
  | { readonly is: 'price-changed'; readonly oldQuote: Quote | null; readonly newQuote: Quote }

const { priceChanged, seatTaken, serverUnreachable } = RESULT_MESSAGES

/** Error codes after which the reloaded page shows a different state. */
const STATE_CHANGED_CODES: ReadonlySet<string> = new Set(['wait', 'nothing_due'])

/**
 * Handles the pay button: redirects to the gateway, shows a new price, or reports the failure.
 * Called by the parent of a registration's pages, because the request may change the payment state,
 * and the dialog must outlive the page that opened it. Returns the state for the buttons and the
 * dialog over the page.
 */
export function usePayment({
  event,
  priceUntil,
  requestPayment,
  reload,
}: PaymentOptions): readonly [PayButtonState, ReactNode] {
  const [step, setStep] = useState<Step>({ is: 'idle' })
  const [refusal, setRefusal] = useState(NO_REFUSAL)
  const [confirmedRegNo, setConfirmedRegNo] = useState<string | null>(null)
  const pay = async (price: number | null) => {
    setRefusal(NO_REFUSAL)
    setStep({ is: 'asking' })
    const response = await requestPayment(price, confirmedRegNo, () =>
      setStep({ is: 'asking-again' }),
    )
    if (response.ok) return setStep({ is: 'leaving', data: response.value })
    const priceChange = readPriceChange(response.error)
    if (priceChange !== null) return setStep({ is: 'price-changed', ...priceChange })
    setStep({ is: 'idle' })
    // The message asks the delegate to press the button again.
    if (response.error.code === 'same_person')
      setConfirmedRegNo(response.error.errorResponse?.reg_no ?? null)
    setRefusal(describeRefusal(event, response.error))
    if (STATE_CHANGED_CODES.has(response.error.code)) reload()
  }
  const isRetrying = step.is === 'asking-again'
  const isBusy = isRetrying || step.is === 'asking' || step.is === 'leaving'
  const dialog = (
    <>
      {step.is === 'leaving' && event.payment && (
        <GatewayRedirect
          event={event}
          data={step.data}
          onReturn={() => {
            setStep({ is: 'idle' })
            reload()
          }}
        />
      )}
      {step.is === 'price-changed' && (
        <PriceChangedDialog
          event={event}
          oldQuote={step.oldQuote}
          newQuote={step.newQuote}
          priceUntil={priceUntil}
          pay={() => void pay(toMajorUnits(step.newQuote.total, step.newQuote.currency))}
          close={() => setStep({ is: 'idle' })}
        />
      )}
    </>
  )
  return [{ isBusy, isRetrying, ...refusal, onPress: () => void (isBusy || pay(null)) }, dialog]
}

type Refusal = Pick<PayButtonState, 'problem' | 'formPath'>
const NO_REFUSAL: Refusal = { problem: null, formPath: null }

/** Returns the message about a failed attempt to pay, and the form if only another registration can have a seat. */
export const describeRefusal = (
  { routes }: Pick<PublicEvent, 'routes'>,
  { code, message }: Pick<ApiError, 'code' | 'message'>,
): Refusal => ({
  // Without a connection, the server sends no message.
  problem: code === 'network' ? serverUnreachable : message,
  formPath: code === 'full' ? routes.form : null,
})

/** Shows the pay button. Once the server has answered that the seats are taken, only the reason is shown. */
export function PayNowButton({
  label,
  payButton,
}: {
  readonly label: string
  readonly payButton: PayButtonState
}) {
  const { isBusy, isRetrying, problem, formPath, onPress } = payButton
  const problemElement = useRef<HTMLParagraphElement>(null)
  // The button had the focus, and is no longer shown.
  useEffect(() => {
    if (formPath !== null) problemElement.current?.focus()
  }, [formPath])
  return (
    <div className="paynow">
      {/* Not disabled while busy, because a disabled button loses focus. */}
      {formPath === null && (
        <button type="button" className="btn" aria-disabled={isBusy} onClick={onPress}>
          {isBusy ? <span className="spin" aria-hidden="true" /> : <Icon name="lock" />}
          {label}
        </button>
      )}
      <p className="why" role="status">
        {isRetrying && (
          <>
            <Icon name="clock" />
            <span>{CONNECTION_ERROR_MESSAGES.retrying}</span>
          </>
        )}
      </p>
      {problem !== null && (
        <p className="why bad" role="alert" tabIndex={-1} ref={problemElement}>
          <Icon name="bang" />
          <span>{problem}</span>
        </p>
      )}
      {formPath !== null && (
        <p>{renderMessage(seatTaken, { link: (text) => <a href={formPath}>{text}</a> })}</p>
      )}
    </div>
  )
}

/** Returns the old and the new price if the price has changed. Null for other errors. */
function readPriceChange(
  error: ApiError,
): { readonly oldQuote: Quote | null; readonly newQuote: Quote } | null {
  if (error.code !== 'price_moved') return null
  const newQuote = error.errorResponse?.quote ? toQuote(error.errorResponse.quote) : null
  const oldQuote = error.errorResponse?.was ? toQuote(error.errorResponse.was) : null
  return newQuote === null ? null : { oldQuote, newQuote }
}

type PriceChangedProps = {
  readonly event: PublicEvent
  readonly oldQuote: Quote | null
  readonly newQuote: Quote
  readonly priceUntil: Day | null
  readonly pay: () => void
  readonly close: () => void
}

/** Compares the old and new price. Nothing is charged before the delegate confirms. */
function PriceChangedDialog({
  event,
  oldQuote,
  newQuote,
  priceUntil,
  pay,
  close,
}: PriceChangedProps) {
  // In the same period, the card price differs from the price for the chosen method.
  const isMethodPriceDifference =
    event.fees.methods !== undefined && oldQuote?.period === newQuote.period
  return (
    <Dialog
      title={isMethodPriceDifference ? priceChanged.titleByCard : priceChanged.title}
      onClose={close}
    >
      <p>
        {isMethodPriceDifference
          ? priceChanged.byCard
          : priceUntil === null
            ? priceChanged.notValid
            : formatMessage(priceChanged.validUntil, { day: formatNonBreakingDay(priceUntil) })}
      </p>
      <DetailsList
        rows={buildBillRows(event, newQuote, listPriceParts(event), oldQuote ?? undefined)}
        hasAmounts
      />
      <div className="actions">
        <button type="button" className="btn" onClick={pay}>
          {formatMessage(priceChanged.pay, {
            amount: formatMoney(newQuote.total, newQuote.currency),
          })}
        </button>
        <button type="button" className="btn line" onClick={close}>
          {priceChanged.cancel}
        </button>
      </div>
    </Dialog>
  )
}

/** Whether the price is valid, held for today only, or expired. If it has expired, today's price may differ. */
type PriceState = 'valid' | 'held' | 'expired'

function readPriceState(
  { price_until: until, held_until: heldUntil }: Registration,
  now: string,
): PriceState {
  const holdEnd = heldUntil === null ? null : readInstant(heldUntil)
  const time = readInstant(now)
  if (time === null || holdEnd === null || (until !== null && dayOf(time) <= until)) return 'valid'
  return time < holdEnd ? 'held' : 'expired'
}

/** Returns the amount to pay while its price is valid or held. Null if it has expired or is unknown. */
export function getValidPrice(registration: Registration, now: string): string | null {
  const currency = readResponseCurrency(registration)
  const total = fromMajorUnits(registration.total, currency)
  return total === null || readPriceState(registration, now) === 'expired'
    ? null
    : formatMoney(total, currency)
}

/**
 * States the last day on which the price is valid, as the form did, and what applies afterwards. Empty if there is
 * no last day.
 */
export function formatPriceUntil(registration: Registration, now: string): string {
  const { price_until: day } = registration
  return day === null
    ? ''
    : formatMessage(RESULT_MESSAGES.priceUntil[readPriceState(registration, now)], {
        day: formatNonBreakingDay(day),
      })
}

/**
 * Formats the last full day (Indian time) before an instant in a response, with non-breaking spaces. Null if there
 * is no instant.
 */
export function formatLastDay(end: string | null): string | null {
  const time = end === null ? null : readInstant(end)
  // A deadline is the last instant of a day, or the first one of the next day.
  return time === null ? null : formatNonBreakingDay(dayOf((time - 1) as Instant))
}

/** Formats a day, such as "1 January 2026", with non-breaking spaces. */
const formatNonBreakingDay = (day: Day): string => formatDay(day).replaceAll(' ', '\u00a0')
