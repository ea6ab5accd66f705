/** The result pages: which of them the stored payment calls for. */
import { useCallback, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { assertNever, orderIdToSay, readOrderId } from '../../engine/index.ts'
import type { PaymentStatus, PublicEvent } from '../../engine/index.ts'
import { readFound } from '../answers.ts'
import { call } from '../api.ts'
import type { ApiError } from '../api.ts'
import type { PageProps } from '../shared/page.ts'
import { EventFooter, EventHeader, wear } from '../shared/frame.tsx'
import { Icon } from '../shared/icons.tsx'
import { MessageProvider } from '../shared/messages.tsx'
import '../styles/result.css'
import '../styles/print.css'
import { forget } from '../shared/keep.ts'
import { AskEmail } from './ask-email.tsx'
import { Buttons } from './buttons.tsx'
import { Failed } from './failed.tsx'
import { Pending, Refunded } from './pending.tsx'
import type { Query, Registration } from './registration.ts'
import { Ticket } from './ticket.tsx'

/** What became of a payment. It shows what is stored; the page's own address only says where to look. */
export default function ResultPage({ page }: PageProps) {
  if (page.page !== 'result') return null
  const { event } = page.event
  wear(event.look.colour)
  return (
    <MessageProvider as={event.form.notices} ms={event.form.noticeMs}>
      <EventHeader event={event} />
      <main className="wrap res" id="main">
        <Result event={event} outcome={page.outcome} />
      </main>
      <EventFooter support={event.support} />
    </MessageProvider>
  )
}

type Look =
  | { readonly is: 'loading' }
  | { readonly is: 'found'; readonly registration: Registration }
  /** Its number opens nothing by itself; `wrong`: the address that was given is another. */
  | { readonly is: 'asks'; readonly message: string; readonly wrong: boolean }
  | {
      readonly is: 'missing'
      readonly message: string
      readonly detail: string | null
      readonly again: boolean
    }

/**
 * One look at the stored registration; `again` looks once more and keeps what is shown meanwhile. `email`
 * is sent where the number alone does not suffice.
 */
function useRegistration(
  event: PublicEvent,
  orderId: string | null,
  email: string | null,
): readonly [Look, () => void] {
  const [look, setLook] = useState<Look>({ is: 'loading' })
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    const order = readOrderId(event, orderId)
    if (!order.ok) {
      setLook({ is: 'missing', message: order.error.message, detail: null, again: false })
      return
    }
    const leave = new AbortController()
    const path = event.api.registration.replace('{reg_no}', encodeURIComponent(order.value))
    void call(path, readFound, {
      signal: leave.signal,
      ...(email === null ? {} : { method: 'POST', json: { email } }),
      fallback: event.results.errors.fetchFailed,
    }).then((answer) => {
      if (!answer.ok) {
        if (answer.error.code !== 'aborted')
          setLook((old) => (old.is === 'found' ? old : missing(event, answer.error)))
        return
      }
      const { registration } = answer.value
      setLook(
        registration === null
          ? {
              is: 'missing',
              message: event.results.errors.notFound,
              detail: null,
              again: false,
            }
          : { is: 'found', registration },
      )
    })
    return () => leave.abort()
  }, [event, orderId, email, asked])
  return [look, useCallback(() => setAsked((times) => times + 1), [])]
}

/** The server's own words where it has some; else that the fetch failed, and why. */
function missing(event: PublicEvent, error: ApiError): Look {
  if (error.code === 'email_needed' || error.code === 'email_differs')
    return { is: 'asks', message: error.message, wrong: error.code === 'email_differs' }
  if (error.answer?.message)
    return {
      is: 'missing',
      message: error.answer.message,
      detail: null,
      again: error.status !== 404,
    }
  const { fetchFailed } = event.results.errors
  return {
    is: 'missing',
    message: fetchFailed,
    detail: error.message === fetchFailed ? null : error.message,
    again: true,
  }
}

function Result({
  event,
  outcome,
}: {
  readonly event: PublicEvent
  readonly outcome: 'success' | 'failed'
}) {
  const [params] = useSearchParams()
  const query: Query = {
    orderId: params.get('orderId'),
    amount: params.get('amount'),
    date: params.get('date'),
  }
  const [email, setEmail] = useState<string | null>(null)
  const [look, again] = useRegistration(event, query.orderId, email)
  const give = (given: string) => {
    setEmail(given)
    again()
  }
  const title = titleOf(event, look, outcome)
  useEffect(() => {
    document.title = `${title} · ${event.title}`
  }, [title, event.title])

  const paid = look.is === 'found' && look.registration.payment_status === 'success'
  useEffect(() => {
    if (paid) forget(event)
  }, [paid, event])

  if (look.is === 'loading') {
    return (
      <div className="looking" role="status">
        <span className="spin big" aria-hidden="true" />
        <p>Looking up your registration</p>
      </div>
    )
  }
  if (look.is === 'missing') {
    // A failed page without its registration still says what it was told, but nothing about money.
    if (outcome === 'failed') return <Failed event={event} registration={null} query={query} />
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
  const known = { event, registration: look.registration, query }
  const status = shownAs(look.registration)
  switch (status) {
    case 'pending':
      return <Pending {...known} again={again} />
    case 'success':
      return <Ticket {...known} />
    case 'refunded':
      return <Refunded {...known} />
    case 'failed':
      return <Failed {...known} email={email} />
    default:
      return assertNever(status)
  }
}

/** Money that does not fit is a person's to decide; to the delegate it is pending until then. */
const shownAs = (registration: Registration): PaymentStatus =>
  registration.in_review ? 'pending' : registration.payment_status

function titleOf(event: PublicEvent, look: Look, outcome: 'success' | 'failed'): string {
  if (look.is === 'loading') return 'Payment'
  if (look.is === 'asks') return 'Your e-mail address'
  if (look.is === 'missing') return outcome === 'failed' ? event.results.failed.title : look.message
  const status = shownAs(look.registration)
  switch (status) {
    case 'pending':
      return 'We are confirming your payment'
    case 'success':
      return event.results.success.title
    case 'refunded':
      return 'Payment refunded'
    case 'failed':
      return event.results.failed.title
    default:
      return assertNever(status)
  }
}

type TroubleProps = {
  readonly event: PublicEvent
  readonly message: string
  readonly detail: string | null
  readonly again?: () => void
  readonly query: Query
}

function Trouble({ event, message, detail, again, query }: TroubleProps) {
  const toQuote = orderIdToSay(query.orderId)
  return (
    <section className="fx" role="alert">
      <h2 className="disp">
        <Icon name="bang" />
        {message}
      </h2>
      {detail !== null && <p className="intro">{detail}</p>}
      <p className="intro mute">
        If you have paid, your registration is not lost. Write to{' '}
        <a href={`mailto:${event.support}`}>{event.support}</a>
        {toQuote !== undefined && (
          <>
            {' '}
            and quote <b>{toQuote}</b>
          </>
        )}
        .
      </p>
      <div className="acts">
        {again && (
          <button type="button" className="btn" onClick={again}>
            Try again
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
