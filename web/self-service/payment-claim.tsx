/** The manual payment panel: payment instructions and the "I have paid" form. */
import { useState } from 'react'
import type { FormEvent } from 'react'
import { dayOf, formatDay, formatMoney, fromRupees, readInstant } from '../../engine/index.ts'
import type { Day, PublicEvent, WireAsk, WirePaying, WireTold } from '../../engine/index.ts'
import { call } from '../app/api-client.ts'
import type { ApiError } from '../app/api-client.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { saysLittle } from '../ui/forms/is-short-message.ts'
import { textsOf } from '../app/json-readers.ts'
import { lastDayOf } from '../results/unpaid/pay-now-button.tsx'
import { readDone } from './self-service-api-responses.ts'
import { Picture } from './payment-claim-screenshot.tsx'
import type { PanelProps } from './panel-props.ts'
import './payment-claim.css'

export function Told({ event, mine: { paying, registration, state }, path, again }: PanelProps) {
  if (paying === null) return null
  const number = registration.reg_no
  return (
    <section className="mypart" aria-labelledby="my-paying">
      <h2 className="disp" id="my-paying">
        {paying.label}
      </h2>
      {paying.told !== null && <LastTold told={paying.told} />}
      {state === 'told' ? (
        <details className="again">
          <summary>Something of it was wrong? Tell us again</summary>
          <Telling {...{ event, paying, path, again }} />
        </details>
      ) : (
        <>
          <WhereToPay paying={paying} number={number} />
          <h3>I have paid</h3>
          <Telling {...{ event, paying, path, again }} />
        </>
      )}
    </section>
  )
}

/** The last payment claim and its result. */
function LastTold({ told }: { readonly told: WireTold }) {
  const { reference, paid_on: day, stands, why } = told
  const on = day === null ? '' : `, paid on ${formatDay(day as Day)}`
  return stands === 'not_found' ? (
    <p className="notfound" role="alert">
      <Icon name="bang" />
      <span>
        The organisers could not find the payment <b>{reference}</b>
        {on}: {why} Please check it and tell us again.
      </span>
    </p>
  ) : (
    <p>
      You told us: <b>{reference}</b>
      {on}.
    </p>
  )
}

function WhereToPay({ paying, number }: { readonly paying: WirePaying; readonly number: string }) {
  const { tell, numbers, upi, price_until: until } = paying
  const total = fromRupees(paying.total)
  const waits = lastDayOf(paying.pay_until)
  return (
    <div className="where">
      <p className="tell">{tell}</p>
      <dl>
        {total !== null && (
          <Copied label="Amount" text={formatMoney(total)} copy={String(paying.total)} />
        )}
        <Copied label="Remark" text={number} copy={number} />
        {numbers.map(({ label, text }) => (
          <Copied key={label} label={label} text={text} copy={text} />
        ))}
      </dl>
      {upi !== null && (
        <figure className="upi">
          <QrCode text={upi} label="Code for an app that pays by UPI" />
          <figcaption>
            Scan it with your UPI app, or{' '}
            <a className="link" href={upi}>
              open the app on this phone
            </a>
            .
          </figcaption>
        </figure>
      )}
      {until !== null && (
        <p>
          This amount counts if it reaches the account until {formatDay(until as Day)}. After that,
          the price of the day on which it arrives applies.
        </p>
      )}
      {waits !== null && <p>Please pay and tell us until {waits}: your place is kept so long.</p>}
    </div>
  )
}

/** A number with a button that copies it, for a banking app. */
function Copied({
  label,
  text,
  copy,
}: {
  readonly label: string
  readonly text: string
  readonly copy: string
}) {
  const [isCopied, setCopied] = useState(false)
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <span>{text}</span>
        <button
          type="button"
          className="btn line sm"
          onClick={() => {
            // The clipboard needs a secure context; without it, the number can be typed from the
            // screen.
            void navigator.clipboard?.writeText(copy).then(() => setCopied(true))
          }}
        >
          {isCopied ? 'Copied' : 'Copy'}
          <span className="vh"> {label}</span>
        </button>
      </dd>
    </div>
  )
}

const MARKED = 'Please check what is marked below.'

type TellingProps = {
  readonly event: PublicEvent
  readonly paying: WirePaying
  readonly path: string
  readonly again: () => void
}

function Telling({ event, paying, path, again }: TellingProps) {
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<ApiError | null>(null)
  const [files, setFiles] = useState<Readonly<Record<string, string | null>>>({})
  const [key, setKey] = useState(newKey)
  const wrong = textsOf(refused?.answer?.errors) ?? {}
  const isUnderway = Object.values(files).includes(null)
  const send = async (submitted: FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const form = submitted.currentTarget
    const given = [...new FormData(form)].filter(([, value]) => typeof value === 'string')
    setBusy(true)
    const answer = await call(`${path}acts/`, readDone, {
      method: 'POST',
      json: {
        act: 'tell',
        key,
        way: paying.way,
        answers: { ...Object.fromEntries(given), ...files },
      },
      fallback: event.form.failure,
    })
    setBusy(false)
    if (answer.ok) return again()
    // After a refusal the next claim is a new one; if it may have arrived, it is sent with the same
    // key.
    if (answer.error.status !== 0) setKey(newKey())
    setRefused(answer.error)
    const [first] = Object.keys(textsOf(answer.error.answer?.errors) ?? {})
    const field = first === undefined ? null : form.elements.namedItem(first)
    if (field instanceof HTMLElement) field.focus()
  }
  return (
    <form className="telling" noValidate onSubmit={(submitted) => void send(submitted)}>
      {refused !== null && (
        <p className="why bad" role="alert">
          <Icon name="bang" />
          <span>{saysLittle(refused.message) ? MARKED : refused.message}</span>
        </p>
      )}
      {paying.asks.map((ask) =>
        ask.file === null ? (
          <Question key={ask.id} ask={ask} wrong={wrong[ask.id]} />
        ) : (
          <Picture
            key={ask.id}
            event={event}
            ask={ask}
            path={path}
            wrong={wrong[ask.id]}
            onToken={(token) =>
              setFiles(({ [ask.id]: _gone, ...rest }) =>
                token === undefined ? rest : { ...rest, [ask.id]: token },
              )
            }
          />
        ),
      )}
      <button type="submit" className="btn" disabled={isBusy || isUnderway}>
        I have paid
      </button>
    </form>
  )
}

/** Idempotency key: random enough to be unique, so that a double click submits one claim. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

function Question({
  ask: { id, kind, label, hint, required, options, value },
  wrong,
}: {
  readonly ask: WireAsk
  readonly wrong: string | undefined
}) {
  const described = [wrong && `told-${id}-wrong`, hint && `told-${id}-hint`].filter(Boolean)
  const common = {
    id: `told-${id}`,
    name: id,
    defaultValue: value,
    'aria-required': required,
    ...(wrong && { 'aria-invalid': true }),
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
  }
  return (
    <div className="ask">
      <label htmlFor={`told-${id}`}>
        {label}
        {!required && <span className="mute"> (optional)</span>}
      </label>
      {hint && (
        <small id={`told-${id}-hint`} className="mute">
          {hint}
        </small>
      )}
      {wrong && (
        <p className="msg" id={`told-${id}-wrong`}>
          <Icon name="bang" />
          {wrong}
        </p>
      )}
      {kind === 'select' ? (
        <select {...common}>
          <option value="">Please choose</option>
          {options.map((option) => (
            <option key={option.id} value={option.id}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type={kind === 'date' ? 'date' : 'text'}
          {...(kind === 'date' && { max: today() })}
          autoComplete="off"
          autoCapitalize="characters"
        />
      )}
    </div>
  )
}

/** By the browser's clock, as a default only; the server decides. */
function today(): string {
  const at = readInstant(new Date().toISOString())
  return at === null ? '' : dayOf(at)
}
