/** The result pages: load the registration named in the URL and show its payment state. */
import { useCallback, useState } from 'react'
import { readOrderId } from '../../engine/index.ts'
import { displayableOrderId, RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { readFound, readRetried } from '../app/api-responses.ts'
import { call } from '../app/api-client.ts'
import type { CallOptions } from '../app/api-client.ts'
import { callUntilAnswered } from '../app/retry-requests.ts'
import type { PageProps } from '../app/page-props.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { richMessage } from '../ui/rich-message.tsx'
import { AskEmail } from './verify-email.tsx'
import { Buttons } from './result-page-buttons.tsx'
import { Failed } from './unpaid/failed-payment-page.tsx'
import { unknown, useLook } from './load-registration.ts'
import type { Ask, LoadState } from './load-registration.ts'
import type { AskToPay } from './unpaid/pay-now-button.tsx'
import { keyOfSent, withoutWithheld } from './submission-key.ts'
import type { Query } from './result-page-data.ts'
import {
  Loading,
  ResultFrame,
  Standing,
  titleOfStanding,
  useTitle,
} from './result-page-by-payment-state.tsx'

/** The result of a payment. Shows stored data; the URL only identifies the registration. */
export default function ResultPage({ page }: PageProps) {
  if (page.page !== 'result') return null
  const { event, now } = page.event
  return (
    <ResultFrame event={event}>
      <Result event={event} outcome={page.outcome} now={now} />
    </ResultFrame>
  )
}

function Result({
  event,
  outcome,
  now,
}: {
  readonly event: PublicEvent
  readonly outcome: 'success' | 'failed'
  readonly now: string
}) {
  const [params] = useState(() => new URLSearchParams(window.location.search))
  const query: Query = {
    orderId: params.get('orderId'),
    amount: params.get('amount'),
    date: params.get('date'),
  }
  const [email, setEmail] = useState<string | null>(null)
  const [look, again] = useLook(event, useFinding(event, query.orderId, email))
  const give = (given: string) => {
    setEmail(given)
    again()
  }
  useTitle(event, titleOf(event, look, outcome))

  if (look.is === 'loading') return <Loading />
  // The failed page shows its URL parameters, identically for a number that needs an email address
  // and for an unknown one.
  if (look.is !== 'found' && outcome === 'failed')
    return <Failed event={event} registration={null} query={query} now={now} />
  if (look.is === 'missing') {
    return (
      <Trouble
        event={event}
        message={look.message}
        detail={look.detail}
        {...(look.again ? { again } : {})}
        query={query}
      />
    )
  }
  if (look.is === 'asks')
    return <AskEmail event={event} message={look.message} wrong={look.wrong} onGive={give} />
  const { registration } = look
  const ask: AskToPay = (price, waits) =>
    callUntilAnswered(
      '/api/payment/retry/',
      readRetried,
      {
        method: 'POST',
        json: {
          // An imported registration shows its former number as the order id, but payments need the
          // new number.
          order_id: registration.reg_no,
          ...(email !== null && { email }),
          ...(price !== null && { price }),
        },
        ...(email === null && keyShown(event, registration.reg_no)),
        fallback: event.form.failure,
      },
      waits,
    )
  const shown = look.answer.partial === true ? withoutWithheld(event, registration) : event
  const isWithheld = shown.results.success.details.length < event.results.success.details.length
  return (
    <>
      <Standing {...{ registration, query, now, again, ask }} event={shown} />
      {isWithheld && registration.stands === 'complete' && (
        <AskEmail
          event={event}
          message={RESULT_MESSAGES.verifyEmail.partlyShown}
          wrong={false}
          onGive={give}
        />
      )}
    </>
  )
}

/** `email` is sent if the number alone is not sufficient. */
function useFinding(event: PublicEvent, orderId: string | null, email: string | null): Ask {
  return useCallback<Ask>(
    (signal) => {
      const order = readOrderId(event, orderId)
      if (!order.ok) return unknown(order.error.message)
      const path = event.api.registration.replace('{reg_no}', encodeURIComponent(order.value))
      return call(path, readFound, {
        signal,
        ...(email === null ? keyShown(event, order.value) : { method: 'POST', json: { email } }),
        fallback: event.results.errors.fetchFailed,
      })
    },
    [event, orderId, email],
  )
}

function keyShown(event: PublicEvent, orderId: string): Pick<CallOptions, 'headers'> {
  const key = keyOfSent(event, orderId)
  return key === null ? {} : { headers: { 'idempotency-key': key } }
}

function titleOf(event: PublicEvent, look: LoadState, outcome: 'success' | 'failed'): string {
  if (look.is === 'loading') return RESULT_MESSAGES.loadingTitle
  if (look.is !== 'found' && outcome === 'failed') return event.results.failed.title
  const { title, titleOfError } = RESULT_MESSAGES.verifyEmail
  if (look.is === 'asks') return look.wrong ? titleOfError : title
  if (look.is === 'missing') return look.message
  return titleOfStanding(event, look.registration)
}

type TroubleProps = {
  readonly event: PublicEvent
  readonly message: string
  readonly detail: string | null
  readonly again?: () => void
  readonly query: Query
}

function Trouble({ event, message, detail, again, query }: TroubleProps) {
  const quotable = displayableOrderId(query.orderId)
  const support = <a href={`mailto:${event.support}`}>{event.support}</a>
  return (
    <section className="fx" role="alert">
      <h2 className="disp">
        <Icon name="bang" />
        {message}
      </h2>
      {detail !== null && <p className="intro">{detail}</p>}
      <p className="intro mute">
        {quotable === undefined
          ? richMessage(RESULT_MESSAGES.notLoaded.contact, { support })
          : richMessage(RESULT_MESSAGES.notLoaded.contactWithOrder, {
              support,
              order: <b>{quotable}</b>,
            })}
      </p>
      <div className="acts">
        {again && (
          <button type="button" className="btn" onClick={again}>
            {RESULT_MESSAGES.tryAgain}
          </button>
        )}
        <Buttons
          event={event}
          buttons={event.results.errorButtons}
          registration={null}
          query={query}
          first={again ? 'line' : 'main'}
        />
      </div>
    </section>
  )
}
