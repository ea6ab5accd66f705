/** The page of a payment that failed: what is known of it, and trying again. */
import { useState } from 'react'
import { fill, resultRows, resultValues } from '../../engine/index.ts'
import type { PaymentData, PublicEvent } from '../../engine/index.ts'
import { call } from '../api.ts'
import { HandOff } from '../shared/handoff.tsx'
import { Icon } from '../shared/icons.tsx'
import { Ledger } from '../shared/ledger.tsx'
import { useMessage } from '../shared/messages.tsx'
import { Buttons } from './buttons.tsx'
import type { Query, Registration } from './registration.ts'
import { rowOf } from './ticket.tsx'
import '../styles/failed.css'

type FailedProps = {
  readonly event: PublicEvent
  readonly registration: Registration | null
  readonly query: Query
}

/**
 * A payment that failed. The event file's notes (what happened to the money) are said only where the
 * stored payment has failed; where nothing is known of the order, the page says that instead.
 */
export function Failed({ event, registration, query }: FailedProps) {
  const page = event.results.failed
  const values = resultValues(event, registration, query)
  const said = (text: string) => fill(text, values, event.texts.missingValue)
  const rows = resultRows(event, 'failed', registration, query).map((row) =>
    rowOf(event, row, 'bad'),
  )
  const known = registration !== null || page.lookup === 'if-found'
  const facts = known && page.notesTitle === undefined ? page.notes : []
  const advice = page.notesTitle === undefined ? [] : page.notes
  return (
    <article className="fx bad" aria-labelledby="failed">
      <h2 className="disp" id="failed">
        <Icon name="bang" />
        {page.title}
      </h2>
      {page.intro !== undefined && <p className="intro">{said(page.intro)}</p>}
      {facts.length > 0 && (
        <ul className="facts">
          {facts.map((fact) => (
            <li key={fact}>{said(fact)}</li>
          ))}
        </ul>
      )}
      {!known && (
        <p className="intro">
          We could not look up this payment, so please make sure that no amount was deducted before
          you pay again.
        </p>
      )}
      <div className="acts">
        <Buttons event={event} buttons={page.buttons} registration={registration} query={query} />
      </div>
      {registration?.may_retry && event.payment && (
        <PayAgain event={event} gateway={event.payment.gateway} orderId={registration.order_id} />
      )}
      <div className={page.reasons.length > 0 || advice.length > 0 ? 'cols' : ''}>
        <Ledger rows={rows} />
        {page.reasons.length > 0 && (
          <Lines title="Possible causes" lines={page.reasons.map(said)} />
        )}
        {advice.length > 0 && <Lines title={page.notesTitle ?? ''} lines={advice.map(said)} />}
      </div>
    </article>
  )
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <div className="causes">
      <h3 className="disp">{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}

type PayAgainProps = {
  readonly event: PublicEvent
  readonly gateway: NonNullable<PublicEvent['payment']>['gateway']
  readonly orderId: string
}

/** The registration is kept: another payment for it needs no form. */
function PayAgain({ event, gateway, orderId }: PayAgainProps) {
  const say = useMessage()
  const [state, setState] = useState<'idle' | 'asking' | PaymentData>('idle')
  const pay = async () => {
    setState('asking')
    const answer = await call<{ payment_data: PaymentData }>('/api/payment/retry/', {
      method: 'POST',
      json: { order_id: orderId },
      fallback: event.form.failure,
    })
    if (!answer.ok) say(answer.error.message, 'bad')
    setState(answer.ok ? answer.value.payment_data : 'idle')
  }
  return (
    <p className="again">
      <span>Your answers are saved: you need not fill in the form again.</span>
      <button
        type="button"
        className="btn line"
        disabled={state !== 'idle'}
        onClick={() => void pay()}
      >
        {state === 'idle' ? <Icon name="lock" /> : <span className="spin" aria-hidden="true" />}Pay
        for this registration
      </button>
      {typeof state === 'object' && (
        <HandOff gateway={gateway} data={state} leftAgain={() => setState('idle')} />
      )}
    </p>
  )
}
