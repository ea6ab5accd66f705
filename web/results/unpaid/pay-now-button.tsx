/** The pay button of an existing registration, with a dialog if the price has changed. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import {
  dayOf,
  formatDay,
  formatMoney,
  fromRupees,
  priceParts,
  readInstant,
  rupees,
} from '../../../engine/index.ts'
import {
  CONNECTION_ERROR_MESSAGES,
  formatMessage,
  RESULT_MESSAGES,
} from '../../../engine/messages.ts'
import type { Instant, PublicEvent, Quote } from '../../../engine/index.ts'
import type { PaymentData } from '../../../engine/api.ts'
import { toQuote } from '../../app/api-responses.ts'
import type { Answered, ApiError } from '../../app/api-client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { HandOff } from '../../ui/payment/gateway-redirect.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import { billRows } from '../../ui/payment/bill-rows.tsx'
import type { Registration } from '../result-page-data.ts'

/**
 * Requests the gateway's payment data. `price`: the total in rupees that the delegate has accepted,
 * null if they were not asked; `waits` is called when the request timed out and is sent again.
 */
export type AskToPay = (price: number | null, waits: () => void) => Promise<Answered<PaymentData>>

/** Payment state for the buttons. */
export type Paying = {
  readonly isBusy: boolean
  /** The request timed out and is being sent again. */
  readonly waits: boolean
  /** Why the last attempt failed; stays visible. */
  readonly problem: string | null
  readonly press: () => void
}
type PayingOptions = {
  readonly event: PublicEvent
  readonly heldUntil: string | null
  readonly ask: AskToPay
  /** Reloads the registration, whose state differs from the page. */
  readonly again: () => void
}
type Step =
  | { readonly is: 'idle' | 'asking' | 'asking-again' }
  | { readonly is: 'leaving'; readonly data: PaymentData }
  | { readonly is: 'moved'; readonly was: Quote | null; readonly now: Quote }

const { priceChanged, serverUnreachable } = RESULT_MESSAGES

/** Refusals after which the reloaded page shows a different state. */
const STANDS_OTHERWISE: ReadonlySet<string> = new Set(['wait', 'nothing_due'])

/**
 * Handles a press: redirects to the gateway, asks about a new price, or reports the failure. Used
 * above the pages of a registration, because the request may change the payment state, and the
 * dialog must outlive the page that opened it. Returns the state for the buttons and the dialog
 * over the page.
 */
export function usePaying({
  event,
  heldUntil,
  ask,
  again,
}: PayingOptions): readonly [Paying, ReactNode] {
  const [step, setStep] = useState<Step>({ is: 'idle' })
  const [problem, setProblem] = useState<string | null>(null)
  const pay = async (price: number | null) => {
    setProblem(null)
    setStep({ is: 'asking' })
    const answer = await ask(price, () => setStep({ is: 'asking-again' }))
    if (answer.ok) return setStep({ is: 'leaving', data: answer.value })
    const moved = movedIn(answer.error)
    if (moved !== null) return setStep({ is: 'moved', ...moved })
    setStep({ is: 'idle' })
    // Without a connection, there is no message from the server.
    setProblem(answer.error.code === 'network' ? serverUnreachable : answer.error.message)
    if (STANDS_OTHERWISE.has(answer.error.code)) again()
  }
  const waits = step.is === 'asking-again'
  const isBusy = waits || step.is === 'asking' || step.is === 'leaving'
  const over = (
    <>
      {step.is === 'leaving' && event.payment && (
        <HandOff
          gateway={event.payment.gateway}
          data={step.data}
          leftAgain={() => {
            setStep({ is: 'idle' })
            again()
          }}
        />
      )}
      {step.is === 'moved' && (
        <PriceMoved
          event={event}
          was={step.was}
          now={step.now}
          heldUntil={heldUntil}
          pay={() => void pay(rupees(step.now.total))}
          leave={() => setStep({ is: 'idle' })}
        />
      )}
    </>
  )
  return [{ isBusy, waits, problem, press: () => void (isBusy || pay(null)) }, over]
}

export function PayNow({ label, paying }: { readonly label: string; readonly paying: Paying }) {
  const { isBusy, waits, problem, press } = paying
  return (
    <div className="paynow">
      {/* Not disabled while busy: it would lose the focus, and the reader would lose their place. */}
      <button type="button" className="btn" aria-disabled={isBusy} onClick={press}>
        {isBusy ? <span className="spin" aria-hidden="true" /> : <Icon name="lock" />}
        {label}
      </button>
      <p className="why" role="status">
        {waits && (
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

/** The old and the new price, if a price change is the reason for the refusal; otherwise null. */
function movedIn(error: ApiError): { readonly was: Quote | null; readonly now: Quote } | null {
  if (error.code !== 'price_moved') return null
  const now = error.answer?.quote ? toQuote(error.answer.quote) : null
  const was = error.answer?.was ? toQuote(error.answer.was) : null
  return now === null ? null : { was, now }
}

type PriceMovedProps = {
  readonly event: PublicEvent
  readonly was: Quote | null
  readonly now: Quote
  readonly heldUntil: string | null
  readonly pay: () => void
  readonly leave: () => void
}

/** Compares the old and new price. Nothing is charged before the delegate confirms. */
function PriceMoved({ event, was, now, heldUntil, pay, leave }: PriceMovedProps) {
  const held = lastDayOf(heldUntil)
  return (
    <Dialog title={priceChanged.title} onClose={leave}>
      <p>
        {held === null
          ? priceChanged.notGuaranteed
          : formatMessage(priceChanged.guaranteedUntil, { day: held })}
      </p>
      <Ledger rows={billRows(event, now, priceParts(event), was ?? undefined)} money />
      <div className="acts">
        <button type="button" className="btn" onClick={pay}>
          {formatMessage(priceChanged.pay, { amount: formatMoney(now.total) })}
        </button>
        <button type="button" className="btn line" onClick={leave}>
          {priceChanged.cancel}
        </button>
      </div>
    </Dialog>
  )
}

/** The amount to pay while its price is guaranteed; null: no longer guaranteed, or unknown. */
export function heldPrice(
  { total: rupees, held_until: heldUntil }: Registration,
  now: string,
): string | null {
  const total = fromRupees(rupees)
  return total === null || isPast(heldUntil, now) ? null : formatMoney(total)
}

/** Whether the price guarantee has ended by the server's clock. */
export function isPast(heldUntil: string | null, now: string): boolean {
  const [ends, at] = [heldUntil === null ? null : readInstant(heldUntil), readInstant(now)]
  return ends !== null && at !== null && at >= ends
}

/**
 * "1 January 2026", without line breaks: the last day (Indian time) on which a price is guaranteed;
 * null if there is no end.
 */
export function lastDayOf(heldUntil: string | null): string | null {
  const at = heldUntil === null ? null : readInstant(heldUntil)
  // The guarantee ends with a day: at its last instant or the first one of the next day.
  return at === null ? null : formatDay(dayOf((at - 1) as Instant)).replaceAll(' ', '\u00a0')
}
