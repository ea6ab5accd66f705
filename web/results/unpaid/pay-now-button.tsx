/** The pay button of an existing registration, with a dialog if the price has changed. */
import { useState } from 'react'
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
import type { Instant, PublicEvent, Quote } from '../../../engine/index.ts'
import type { PaymentData } from '../../../engine/api.ts'
import { toQuote } from '../../app/api-responses.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import type { CallResult, ApiError } from '../../app/api-client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Redirect } from '../../ui/payment/gateway-redirect.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import { billRows } from '../../ui/payment/bill-rows.tsx'
import type { Registration } from '../result-page-data.ts'

/**
 * Requests the gateway's payment data. `price` is the total that the delegate accepted, in major units,
 * or null if no price was shown. `onRetry` is called when a request that timed out is sent again.
 */
export type RequestPayment = (
  price: number | null,
  onRetry: () => void,
) => Promise<CallResult<PaymentData>>

/** Payment state for the buttons. */
export type PayButtonState = {
  readonly isBusy: boolean
  /** The request timed out and is being sent again. */
  readonly isRetrying: boolean
  /** Why the last attempt failed; stays visible. */
  readonly problem: string | null
  readonly onPress: () => void
}
type PaymentOptions = {
  readonly event: PublicEvent
  readonly heldUntil: string | null
  readonly requestPayment: RequestPayment
  /** Reloads the registration, whose state differs from the page. */
  readonly reload: () => void
}
type Step =
  | { readonly is: 'idle' | 'asking' | 'asking-again' }
  | { readonly is: 'leaving'; readonly data: PaymentData }
  | { readonly is: 'moved'; readonly oldQuote: Quote | null; readonly newQuote: Quote }

const { priceChanged, serverUnreachable } = RESULT_MESSAGES

/** Error codes after which the reloaded page shows a different state. */
const STATE_DIFFERS: ReadonlySet<string> = new Set(['wait', 'nothing_due'])

/**
 * Handles the pay button: redirects to the gateway, shows a new price, or reports the failure. Used
 * above the pages of a registration, because the request may change the payment state, and the
 * dialog must outlive the page that opened it. Returns the state for the buttons and the dialog
 * over the page.
 */
export function usePayment({
  event,
  heldUntil,
  requestPayment,
  reload,
}: PaymentOptions): readonly [PayButtonState, ReactNode] {
  const [step, setStep] = useState<Step>({ is: 'idle' })
  const [problem, setProblem] = useState<string | null>(null)
  const pay = async (price: number | null) => {
    setProblem(null)
    setStep({ is: 'asking' })
    const answer = await requestPayment(price, () => setStep({ is: 'asking-again' }))
    if (answer.ok) return setStep({ is: 'leaving', data: answer.value })
    const priceChange = readPriceChange(answer.error)
    if (priceChange !== null) return setStep({ is: 'moved', ...priceChange })
    setStep({ is: 'idle' })
    // Without a connection, there is no message from the server.
    setProblem(answer.error.code === 'network' ? serverUnreachable : answer.error.message)
    if (STATE_DIFFERS.has(answer.error.code)) reload()
  }
  const isRetrying = step.is === 'asking-again'
  const isBusy = isRetrying || step.is === 'asking' || step.is === 'leaving'
  const dialog = (
    <>
      {step.is === 'leaving' && event.payment && (
        <Redirect
          event={event}
          data={step.data}
          onReturn={() => {
            setStep({ is: 'idle' })
            reload()
          }}
        />
      )}
      {step.is === 'moved' && (
        <PriceChangedDialog
          event={event}
          oldQuote={step.oldQuote}
          newQuote={step.newQuote}
          heldUntil={heldUntil}
          pay={() => void pay(toMajorUnits(step.newQuote.total, step.newQuote.currency))}
          close={() => setStep({ is: 'idle' })}
        />
      )}
    </>
  )
  return [{ isBusy, isRetrying, problem, onPress: () => void (isBusy || pay(null)) }, dialog]
}

export function PayNow({
  label,
  payButton,
}: {
  readonly label: string
  readonly payButton: PayButtonState
}) {
  const { isBusy, isRetrying, problem, onPress } = payButton
  return (
    <div className="paynow">
      {/* Not disabled while busy, because a disabled button loses the focus. */}
      <button type="button" className="btn" aria-disabled={isBusy} onClick={onPress}>
        {isBusy ? <span className="spin" aria-hidden="true" /> : <Icon name="lock" />}
        {label}
      </button>
      <p className="why" role="status">
        {isRetrying && (
          <>
            <Icon name="clock" />
            <span>{CONNECTION_ERROR_MESSAGES.retrying}</span>
          </>
        )}
      </p>
      {problem !== null && (
        <p className="why bad" role="alert">
          <Icon name="bang" />
          <span>{problem}</span>
        </p>
      )}
    </div>
  )
}

/** Returns the old and the new price if the price has changed. Null for other errors. */
function readPriceChange(
  error: ApiError,
): { readonly oldQuote: Quote | null; readonly newQuote: Quote } | null {
  if (error.code !== 'price_moved') return null
  const newQuote = error.answer?.quote ? toQuote(error.answer.quote) : null
  const oldQuote = error.answer?.was ? toQuote(error.answer.was) : null
  return newQuote === null ? null : { oldQuote, newQuote }
}

type PriceChangedProps = {
  readonly event: PublicEvent
  readonly oldQuote: Quote | null
  readonly newQuote: Quote
  readonly heldUntil: string | null
  readonly pay: () => void
  readonly close: () => void
}

/** Compares the old and new price. Nothing is charged before the delegate confirms. */
function PriceChangedDialog({
  event,
  oldQuote,
  newQuote,
  heldUntil,
  pay,
  close,
}: PriceChangedProps) {
  const guaranteedUntil = lastDayOf(heldUntil)
  // The same period has one price by card and one by the chosen method.
  const isByMethod = event.fees.methods !== undefined && oldQuote?.period === newQuote.period
  return (
    <Dialog title={isByMethod ? priceChanged.titleByCard : priceChanged.title} onClose={close}>
      <p>
        {isByMethod
          ? priceChanged.byCard
          : guaranteedUntil === null
            ? priceChanged.notGuaranteed
            : formatMessage(priceChanged.guaranteedUntil, { day: guaranteedUntil })}
      </p>
      <Ledger
        rows={billRows(event, newQuote, listPriceParts(event), oldQuote ?? undefined)}
        money
      />
      <div className="acts">
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

/** Returns the amount to pay while its price is guaranteed. Null if not guaranteed, or unknown. */
export function guaranteedPrice(registration: Registration, now: string): string | null {
  const currency = readResponseCurrency(registration)
  const total = fromMajorUnits(registration.total, currency)
  const isOver = isPast(registration.held_until, now)
  return total === null || isOver ? null : formatMoney(total, currency)
}

/** Whether the price guarantee has ended, by the server's clock. */
export function isPast(heldUntil: string | null, now: string): boolean {
  const [guaranteeEnd, at] = [heldUntil === null ? null : readInstant(heldUntil), readInstant(now)]
  return guaranteeEnd !== null && at !== null && at >= guaranteeEnd
}

/**
 * Returns the last day (Indian time) on which a price is guaranteed, as "1 January 2026" without
 * line breaks. Null if there is no end.
 */
export function lastDayOf(heldUntil: string | null): string | null {
  const at = heldUntil === null ? null : readInstant(heldUntil)
  // The guarantee ends at the last instant of a day, or at the first one of the next day.
  return at === null ? null : formatDay(dayOf((at - 1) as Instant)).replaceAll(' ', '\u00a0')
}
