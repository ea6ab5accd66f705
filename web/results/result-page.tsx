/** The result pages: load the registration identified by the URL and show its payment state. */
import { useCallback, useState } from 'react'
import { readOrderId } from '../../engine/index.ts'
import { getDisplayableOrderId, RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { readRetryPaymentData } from '../app/api-responses.ts'
import { readRegistrationResponse } from './registration-responses.ts'
import { buildPageHeaders, call } from '../app/api-client.ts'
import type { CallOptions } from '../app/api-client.ts'
import { callWithRetries } from '../app/retry-requests.ts'
import type { PageProps } from '../app/page-props.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { renderMessage } from '../ui/rich-message.tsx'
import { DuplicatePayment } from '../self-service/duplicate-payment.tsx'
import { EmailForm } from './verify-email.tsx'
import { ResultButtons } from './result-page-buttons.tsx'
import { FailedPayment } from './unpaid/failed-payment-page.tsx'
import { createNotFoundFailure, useRegistration } from './load-registration.ts'
import type { RegistrationRequest, LoadState } from './load-registration.ts'
import type { RequestPayment } from './unpaid/pay-now-button.tsx'
import { readSubmissionKey, removeWithheldRows } from './submission-key.ts'
import type { ResultPageParams } from './result-page-data.ts'
import {
  Loading,
  ResultFrame,
  PaymentStatePage,
  getStateTitle,
  useTitle,
} from './result-page-by-payment-state.tsx'

/** Shows the result of a payment from stored data. The URL only identifies the registration. */
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
  const query: ResultPageParams = {
    orderId: params.get('orderId'),
    amount: params.get('amount'),
    currency: params.get('currency'),
    date: params.get('date'),
  }
  const [email, setEmail] = useState<string | null>(null)
  const [loadState, reload] = useRegistration(
    event,
    useRegistrationRequest(event, query.orderId, email),
  )
  const submitEmail = (typedEmail: string) => {
    setEmail(typedEmail)
    reload()
  }
  useTitle(event, getTitle(event, loadState, outcome))

  if (loadState.is === 'loading') return <Loading />
  // The failed-payment page shows its URL parameters in the same way for a number that needs an email address as
  // for an unknown number.
  if (loadState.is !== 'found' && outcome === 'failed')
    return <FailedPayment event={event} registration={null} query={query} now={now} />
  if (loadState.is === 'missing') {
    return (
      <LoadFailureMessage
        event={event}
        message={loadState.message}
        detail={loadState.detail}
        {...(loadState.canRetry ? { reload } : {})}
        query={query}
      />
    )
  }
  if (loadState.is === 'asks')
    return (
      <EmailForm
        event={event}
        message={loadState.message}
        isWrong={loadState.wrong}
        onSubmit={submitEmail}
      />
    )
  const { registration } = loadState
  const requestPayment: RequestPayment = (price, confirmedRegNo, onRetry) =>
    callWithRetries(
      '/api/payment/retry/',
      readRetryPaymentData,
      {
        method: 'POST',
        json: {
          // An imported registration shows its former number as the order id, but payments need the
          // new number.
          order_id: registration.reg_no,
          ...(email !== null && { email }),
          ...(price !== null && { price }),
        },
        headers: {
          ...(email === null && buildSubmissionKeyHeaders(event, registration.reg_no).headers),
          ...buildPageHeaders(confirmedRegNo),
        },
        fallback: event.form.failure,
      },
      onRetry,
    )
  const shownEvent =
    loadState.response.partial === true ? removeWithheldRows(event, registration) : event
  const hasWithheldRows =
    shownEvent.results.success.details.length < event.results.success.details.length
  return (
    <>
      <DuplicatePayment
        duplicate={loadState.response.paid_twice ?? null}
        registration={registration}
        path={`/api/events/${event.id}/registrations/${registration.reg_no}/`}
        reload={reload}
      />
      <PaymentStatePage
        {...{ registration, query, now, reload, requestPayment }}
        event={shownEvent}
        underReview={loadState.response.under_review}
        paymentInstructions={loadState.response.paying ?? null}
      />
      {hasWithheldRows && registration.stands === 'complete' && (
        <EmailForm
          event={event}
          message={RESULT_MESSAGES.verifyEmail.partlyShown}
          isWrong={false}
          onSubmit={submitEmail}
        />
      )}
    </>
  )
}

/** Returns the request that loads the registration. `email` is sent if the number alone is not sufficient. */
function useRegistrationRequest(
  event: PublicEvent,
  orderId: string | null,
  email: string | null,
): RegistrationRequest {
  return useCallback<RegistrationRequest>(
    (signal) => {
      const order = readOrderId(event, orderId)
      if (!order.ok) return createNotFoundFailure(order.error.message)
      const path = event.api.registration.replace('{reg_no}', encodeURIComponent(order.value))
      return call(path, readRegistrationResponse, {
        signal,
        ...(email === null
          ? buildSubmissionKeyHeaders(event, order.value)
          : { method: 'POST', json: { email } }),
        fallback: event.results.errors.fetchFailed,
      })
    },
    [event, orderId, email],
  )
}

function buildSubmissionKeyHeaders(
  event: PublicEvent,
  orderId: string,
): Pick<CallOptions, 'headers'> {
  const key = readSubmissionKey(event, orderId)
  return key === null ? {} : { headers: { 'idempotency-key': key } }
}

function getTitle(event: PublicEvent, loadState: LoadState, outcome: 'success' | 'failed'): string {
  if (loadState.is === 'loading') return RESULT_MESSAGES.loadingTitle
  if (loadState.is !== 'found' && outcome === 'failed') return event.results.failed.title
  const { title, titleOfError } = RESULT_MESSAGES.verifyEmail
  if (loadState.is === 'asks') return loadState.wrong ? titleOfError : title
  if (loadState.is === 'missing') return loadState.message
  return getStateTitle(event, loadState.registration)
}

type LoadFailureProps = {
  readonly event: PublicEvent
  readonly message: string
  readonly detail: string | null
  readonly reload?: () => void
  readonly query: ResultPageParams
}

function LoadFailureMessage({ event, message, detail, reload, query }: LoadFailureProps) {
  const shownOrderId = getDisplayableOrderId(query.orderId)
  const support = <a href={`mailto:${event.support}`}>{event.support}</a>
  return (
    <section className="fx" role="alert">
      <h2 className="disp">
        <Icon name="bang" />
        {message}
      </h2>
      {detail !== null && <p className="intro">{detail}</p>}
      <p className="intro mute">
        {shownOrderId === undefined
          ? renderMessage(RESULT_MESSAGES.notLoaded.contact, { support })
          : renderMessage(RESULT_MESSAGES.notLoaded.contactWithOrder, {
              support,
              order: <b>{shownOrderId}</b>,
            })}
      </p>
      <div className="actions">
        {reload && (
          <button type="button" className="btn" onClick={reload}>
            {RESULT_MESSAGES.tryAgain}
          </button>
        )}
        <ResultButtons
          event={event}
          buttons={event.results.errorButtons}
          registration={null}
          query={query}
          firstStyle={reload ? 'line' : 'main'}
        />
      </div>
    </section>
  )
}
