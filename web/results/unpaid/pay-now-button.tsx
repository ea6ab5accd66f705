/** Paying for a registration that is there: one press, and a question before it where the price has moved. */
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
import type { Instant, PaymentData, PublicEvent, Quote } from '../../../engine/index.ts'
import { toQuote } from '../../app/api-responses.ts'
import type { Answered, ApiError } from '../../app/api-client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { HandOff } from '../../ui/payment/gateway-redirect.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import { billRows } from '../../ui/payment/bill-rows.tsx'
import { TRYING_AGAIN } from '../../app/retry-requests.ts'
import type { Registration } from '../result-page-data.ts'

/** Asks the server for what the gateway needs. `price`: the total in rupees that the delegate has agreed to, null where nobody asked; `waits` is told when no answer came and it is asked once more. */
export type AskToPay = (price: number | null, waits: () => void) => Promise<Answered<PaymentData>>

/** Paying as the buttons see it. */
export type Paying = {
  readonly isBusy: boolean
  /** No answer came in time, and the same is asked once more. */
  readonly waits: boolean
  /** Why the last press led nowhere, in words that stay. */
  readonly problem: string | null
  readonly press: () => void
}
type PayingOptions = {
  readonly event: PublicEvent
  readonly heldUntil: string | null
  readonly ask: AskToPay
  /** Looks at the registration once more: it stands otherwise than the page says. */
  readonly again: () => void
}
type Step =
  | { readonly is: 'idle' | 'asking' | 'asking-again' }
  | { readonly is: 'leaving'; readonly data: PaymentData }
  | { readonly is: 'moved'; readonly was: Quote | null; readonly now: Quote }

/** Said below the button: a line that is lost has no server's words. */
const NOT_ASKED = 'We could not reach our server, so nothing has been charged. Please try again.'

/** Refusals after which the page itself has something else to say. */
const STANDS_OTHERWISE: ReadonlySet<string> = new Set(['wait', 'nothing_due'])

/**
 * What follows a press: the gateway, the question, or why not. It is held above the pages of a registration,
 * because asking to pay may change how it stands, and the question must outlive the page it was asked on.
 * Beside what the buttons need it answers what lies over the page.
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
    setProblem(answer.error.code === 'network' ? NOT_ASKED : answer.error.message)
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
      {/* Not disabled while busy: it would lose the focus, and with it the reader's place. */}
      <button type="button" className="btn" aria-disabled={isBusy} onClick={press}>
        {isBusy ? <span className="spin" aria-hidden="true" /> : <Icon name="lock" />}
        {label}
      </button>
      <p className="why" role="status">
        {waits && (
          <>
            <Icon name="clock" />
            <span>{TRYING_AGAIN}</span>
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

/** The old and the new price, where that is why the server said no. */
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

/** Old and new price beside each other. Nothing is charged before the delegate says so. */
function PriceMoved({ event, was, now, heldUntil, pay, leave }: PriceMovedProps) {
  const held = lastDayOf(heldUntil)
  return (
    <Dialog title="The price has changed" onClose={leave}>
      <p>
        {held === null
          ? 'The price of your registration is no longer held.'
          : `The price of your registration was held until the end of ${held}.`}{' '}
        Nothing has been charged.
      </p>
      <Ledger rows={billRows(event, now, priceParts(event), was ?? undefined)} money />
      <div className="acts">
        <button type="button" className="btn" onClick={pay}>
          Pay {formatMoney(now.total)}
        </button>
        <button type="button" className="btn line" onClick={leave}>
          Not now
        </button>
      </div>
    </Dialog>
  )
}

/** What is to be paid, while its price is held; null: it is no longer, or not known. */
export function heldPrice(
  { total: rupees, held_until: heldUntil }: Registration,
  now: string,
): string | null {
  const total = fromRupees(rupees)
  return total === null || isPast(heldUntil, now) ? null : formatMoney(total)
}

/** Whether the hold of a price is over by the server's clock. */
export function isPast(heldUntil: string | null, now: string): boolean {
  const [ends, at] = [heldUntil === null ? null : readInstant(heldUntil), readInstant(now)]
  return ends !== null && at !== null && at >= ends
}

/** "1 January 2026", in one piece: the last Indian day on which a price is held; null where it has no end. */
export function lastDayOf(heldUntil: string | null): string | null {
  const at = heldUntil === null ? null : readInstant(heldUntil)
  // A hold ends with a day: at its last instant, or at the first one of the next day.
  return at === null ? null : formatDay(dayOf((at - 1) as Instant)).replaceAll(' ', '\u00a0')
}
