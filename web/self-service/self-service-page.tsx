/** The self-service page, opened by the links in emails: payment state, pay button and panels. */
import { useCallback, useState } from 'react'
import { COMMON_MESSAGES, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import type { EventResponse, EventCard } from '../../engine/api.ts'
import { readRetryPaymentData } from '../app/api-responses.ts'
import { buildPageHeaders, call } from '../app/api-client.ts'
import { callWithRetries } from '../app/retry-requests.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { BreakableText } from '../ui/details-list.tsx'
import { renderMessage } from '../ui/rich-message.tsx'
import type { PageProps } from '../app/page-props.ts'
import { StandalonePage } from '../ui/layout/standalone-page.tsx'
import { useRegistration } from '../results/load-registration.ts'
import type { RegistrationRequest, LoadState, LoadFailure } from '../results/load-registration.ts'
import type { RequestPayment } from '../results/unpaid/pay-now-button.tsx'
import {
  Loading,
  ResultFrame,
  PaymentStatePage,
  getStateTitle,
  useTitle,
} from '../results/result-page-by-payment-state.tsx'
import { readSelfServiceData } from './self-service-api-responses.ts'
import type { SelfServiceData } from './self-service-api-responses.ts'
import { LostLinkForm } from './lost-link-form.tsx'
import { PANELS } from './panel-order.ts'
import { DuplicatePayment } from './duplicate-payment.tsx'

const { expiredLink, lostLink, title, unknownLink } = SELF_SERVICE_MESSAGES

export default function SelfServicePage({ page }: PageProps) {
  if (page.page !== 'my') return null
  if (page.event !== null) return <LinkedRegistration page={page.event} />
  return /^\/my\/?$/.test(location.pathname) ? (
    <LostLinkSection />
  ) : (
    <UnknownLink events={page.events} />
  )
}

function LinkedRegistration({ page }: { readonly page: EventResponse }) {
  return (
    <ResultFrame event={page.event}>
      <OwnRegistration page={page} />
    </ResultFrame>
  )
}

/**
 * Returns the token in `/my/{token}`, as it is in the email. It needs no decoding, because our tokens contain no
 * escaped characters.
 */
const readToken = (pathname: string): string => pathname.split('/')[2] ?? ''

const buildApiPath = (token: string): string => `/api/my/${encodeURIComponent(token)}/`

function OwnRegistration({ page: { event, now } }: { readonly page: EventResponse }) {
  const [token] = useState(() => readToken(window.location.pathname))
  const loadOwnRegistration = useCallback<RegistrationRequest<SelfServiceData>>(
    (signal) =>
      call(buildApiPath(token), readSelfServiceData, {
        signal,
        fallback: event.results.errors.fetchFailed,
      }),
    [event, token],
  )
  const [loadState, reload] = useRegistration(event, loadOwnRegistration)
  useTitle(
    event,
    getTitle(loadState) ??
      (loadState.is === 'found' ? getStateTitle(event, loadState.registration) : title),
  )
  const requestPayment: RequestPayment = (price, confirmedRegNo, onRetry) =>
    callWithRetries(
      '/api/payment/resume/',
      readRetryPaymentData,
      {
        method: 'POST',
        json: { token, ...(price !== null && { price }) },
        headers: buildPageHeaders(confirmedRegNo),
        fallback: event.form.failure,
      },
      onRetry,
    )
  if (loadState.is === 'found') {
    const { registration } = loadState
    const query = { orderId: registration.order_id, amount: null, date: null }
    const panelProps = { event, data: loadState.response, path: buildApiPath(token), reload }
    return (
      <>
        <DuplicatePayment
          duplicate={loadState.response.second_payment}
          registration={registration}
          path={panelProps.path}
          reload={reload}
        />
        <PaymentStatePage
          {...{ event, registration, query, now, reload, requestPayment }}
          underReview={loadState.response.under_review}
          isSelfService
        />
        {PANELS.map((Panel, index) => (
          <Panel key={index} {...panelProps} />
        ))}
      </>
    )
  }
  return loadState.is === 'missing' ? (
    <ExpiredLink event={event} failure={loadState} reload={reload} />
  ) : (
    <Loading />
  )
}

const getTitle = (loadState: LoadState): string | null =>
  loadState.is === 'missing' ? (loadState.canRetry ? loadState.message : expiredLink.title) : null

type ExpiredLinkProps = {
  readonly event: EventResponse['event']
  readonly failure: LoadFailure
  readonly reload: () => void
}

/**
 * Shows the organisers' address: with the lost-link form if the link has expired, or with a retry button if the
 * request failed.
 */
function ExpiredLink({ event, failure: loadState, reload }: ExpiredLinkProps) {
  return (
    <section className="state-notice" role="alert">
      <h2 className="disp">
        <Icon name={loadState.canRetry ? 'bang' : 'clock'} />
        {getTitle(loadState)}
      </h2>
      <p>{loadState.canRetry ? loadState.detail : loadState.message}</p>
      <p>
        {loadState.canRetry && expiredLink.notLost}{' '}
        {renderMessage(expiredLink.contact, {
          support: (
            <a href={`mailto:${event.support}`}>
              <BreakableText text={event.support} />
            </a>
          ),
        })}
      </p>
      {!loadState.canRetry && <LostLinkForm />}
      <div className="actions">
        {loadState.canRetry && (
          <button type="button" className="btn" onClick={reload}>
            <Icon name="again" />
            {expiredLink.tryAgain}
          </button>
        )}
        <a className="btn line" href={event.routes.form}>
          {expiredLink.form}
        </a>
      </div>
    </section>
  )
}

function LostLinkSection() {
  return (
    <StandalonePage title={lostLink.title}>
      <p>{lostLink.explanation}</p>
      <LostLinkForm />
    </StandalonePage>
  )
}

/** Shows the page of an unknown link, whose event is unknown too. */
function UnknownLink({ events }: { readonly events: readonly EventCard[] }) {
  return (
    <StandalonePage title={unknownLink.title}>
      <p>{unknownLink.explanation}</p>
      <LostLinkForm />
      <ul className="ways">
        {events.map(({ id, title, routes }) => (
          <li key={id}>
            <a href={routes.form}>{title}</a>
          </li>
        ))}
      </ul>
      <a className="btn" href="/">
        {COMMON_MESSAGES.home}
      </a>
    </StandalonePage>
  )
}
