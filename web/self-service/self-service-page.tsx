/** The self-service page, opened by the links in emails: payment state, pay button and panels. */
import { useCallback, useState } from 'react'
import { COMMON_MESSAGES, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import type { EventAnswer, EventCard } from '../../engine/api.ts'
import { readRetried } from '../app/api-responses.ts'
import { call } from '../app/api-client.ts'
import { callUntilAnswered } from '../app/retry-requests.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { Breaking } from '../ui/details-list.tsx'
import { richMessage } from '../ui/rich-message.tsx'
import type { PageProps } from '../app/page-props.ts'
import { Plain } from '../ui/layout/standalone-page.tsx'
import { useLook } from '../results/load-registration.ts'
import type { Ask, LoadState, Missing } from '../results/load-registration.ts'
import type { AskToPay } from '../results/unpaid/pay-now-button.tsx'
import {
  Loading,
  ResultFrame,
  Standing,
  titleOfStanding,
  useTitle,
} from '../results/result-page-by-payment-state.tsx'
import { readMine } from './self-service-api-responses.ts'
import type { Mine } from './self-service-api-responses.ts'
import { LostLink } from './lost-link-form.tsx'
import { PANELS } from './panel-order.ts'
import { SecondPayment } from './duplicate-payment.tsx'

const { expiredLink, lostLink, title, unknownLink } = SELF_SERVICE_MESSAGES

export default function MyPage({ page }: PageProps) {
  if (page.page !== 'my') return null
  if (page.event !== null) return <Linked page={page.event} />
  return /^\/my\/?$/.test(location.pathname) ? <Lost /> : <NoLink events={page.events} />
}

function Linked({ page }: { readonly page: EventAnswer }) {
  return (
    <ResultFrame event={page.event}>
      <Own page={page} />
    </ResultFrame>
  )
}

/**
 * The token of `/my/{token}` as in the email. Our tokens need no escaping, so an escaped one is not
 * ours.
 */
const tokenIn = (pathname: string): string => pathname.split('/')[2] ?? ''

const pathOf = (token: string): string => `/api/my/${encodeURIComponent(token)}/`

function Own({ page: { event, now } }: { readonly page: EventAnswer }) {
  const [token] = useState(() => tokenIn(window.location.pathname))
  const find = useCallback<Ask<Mine>>(
    (signal) =>
      call(pathOf(token), readMine, {
        signal,
        fallback: event.results.errors.fetchFailed,
      }),
    [event, token],
  )
  const [look, again] = useLook(event, find)
  useTitle(
    event,
    titleOf(look) ?? (look.is === 'found' ? titleOfStanding(event, look.registration) : title),
  )
  const ask: AskToPay = (price, waits) =>
    callUntilAnswered(
      '/api/payment/resume/',
      readRetried,
      {
        method: 'POST',
        json: { token, ...(price !== null && { price }) },
        fallback: event.form.failure,
      },
      waits,
    )
  if (look.is === 'found') {
    const { registration } = look
    const query = { orderId: registration.order_id, amount: null, date: null }
    const panel = { event, mine: look.answer, path: pathOf(token), again }
    return (
      <>
        <SecondPayment {...panel} />
        <Standing {...{ event, registration, query, now, again, ask }} isOwn />
        {PANELS.map((Panel, index) => (
          <Panel key={index} {...panel} />
        ))}
      </>
    )
  }
  return look.is === 'missing' ? <Over event={event} look={look} again={again} /> : <Loading />
}

const titleOf = (look: LoadState): string | null =>
  look.is === 'missing' ? (look.again ? look.message : expiredLink.title) : null

type OverProps = {
  readonly event: EventAnswer['event']
  readonly look: Missing
  readonly again: () => void
}

/** The link has expired or could not be looked up; shows the form and the organisers' address. */
function Over({ event, look, again }: OverProps) {
  return (
    <section className="pend" role="alert">
      <h2 className="disp">
        <Icon name={look.again ? 'bang' : 'clock'} />
        {titleOf(look)}
      </h2>
      <p>{look.again ? look.detail : look.message}</p>
      <p>
        {look.again && expiredLink.notLost}{' '}
        {richMessage(expiredLink.contact, {
          support: (
            <a href={`mailto:${event.support}`}>
              <Breaking text={event.support} />
            </a>
          ),
        })}
      </p>
      {!look.again && <LostLink />}
      <div className="acts">
        {look.again && (
          <button type="button" className="btn" onClick={again}>
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

function Lost() {
  return (
    <Plain title={lostLink.title}>
      <p>{lostLink.explanation}</p>
      <LostLink />
    </Plain>
  )
}

/** An unknown link, and therefore an unknown event. */
function NoLink({ events }: { readonly events: readonly EventCard[] }) {
  return (
    <Plain title={unknownLink.title}>
      <p>{unknownLink.explanation}</p>
      <LostLink />
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
    </Plain>
  )
}
