/** The manual payment panel: payment instructions and the "I have paid" form. */
import { useState } from 'react'
import type { FormEvent } from 'react'
import { dayOf, formatDay, formatMoney, fromRupees, readInstant } from '../../engine/index.ts'
import { COMMON_MESSAGES, formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import type { Day, PublicEvent } from '../../engine/index.ts'
import type { WireAsk, WirePaying, WirePaymentClaim } from '../../engine/api.ts'
import { call } from '../app/api-client.ts'
import type { ApiError } from '../app/api-client.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { richMessage } from '../ui/rich-message.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { saysLittle } from '../ui/forms/is-short-message.ts'
import { textsOf } from '../app/json-readers.ts'
import { lastDayOf } from '../results/unpaid/pay-now-button.tsx'
import { readDone } from './self-service-api-responses.ts'
import { Picture } from './payment-claim-screenshot.tsx'
import type { PanelProps } from './panel-props.ts'
import './payment-claim.css'

const { paymentClaim } = SELF_SERVICE_MESSAGES

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
          <summary>{paymentClaim.resubmit}</summary>
          <Telling {...{ event, paying, path, again }} />
        </details>
      ) : (
        <>
          <WhereToPay paying={paying} number={number} />
          <h3>{paymentClaim.submit}</h3>
          <Telling {...{ event, paying, path, again }} />
        </>
      )}
    </section>
  )
}

/** The last payment claim and its result. */
function LastTold({ told }: { readonly told: WirePaymentClaim }) {
  const { reference, paid_on: day, stands, why } = told
  const values = { reference: <b>{reference}</b>, reason: why }
  const dated = { ...values, day: day === null ? '' : formatDay(day as Day) }
  return stands === 'not_found' ? (
    <p className="notfound" role="alert">
      <Icon name="bang" />
      <span>
        {day === null
          ? richMessage(paymentClaim.rejected, values)
          : richMessage(paymentClaim.rejectedWithDay, dated)}
      </span>
    </p>
  ) : (
    <p>
      {day === null
        ? richMessage(paymentClaim.reported, values)
        : richMessage(paymentClaim.reportedWithDay, dated)}
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
          <Copied
            label={paymentClaim.amount}
            text={formatMoney(total)}
            copy={String(paying.total)}
          />
        )}
        <Copied label={paymentClaim.remark} text={number} copy={number} />
        {numbers.map(({ label, text }) => (
          <Copied key={label} label={label} text={text} copy={text} />
        ))}
      </dl>
      {upi !== null && (
        <figure className="upi">
          <QrCode text={upi} label={paymentClaim.qrCode} />
          <figcaption>
            {richMessage(paymentClaim.scan, {
              link: (text) => (
                <a className="link" href={upi}>
                  {text}
                </a>
              ),
            })}
          </figcaption>
        </figure>
      )}
      {until !== null && (
        <p>{formatMessage(paymentClaim.priceUntil, { day: formatDay(until as Day) })}</p>
      )}
      {waits !== null && <p>{formatMessage(paymentClaim.payUntil, { day: waits })}</p>}
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
          aria-label={formatMessage(isCopied ? paymentClaim.copiedLabel : paymentClaim.copyLabel, {
            label,
          })}
          onClick={() => {
            // The clipboard needs a secure context; without it, the number can be typed from the
            // screen.
            void navigator.clipboard?.writeText(copy).then(() => setCopied(true))
          }}
        >
          {isCopied ? paymentClaim.copied : paymentClaim.copy}
        </button>
      </dd>
    </div>
  )
}

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
          <span>{saysLittle(refused.message) ? paymentClaim.checkFields : refused.message}</span>
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
        {paymentClaim.submit}
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
        {!required && <span className="mute">{` ${COMMON_MESSAGES.optional}`}</span>}
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
          <option value="">{paymentClaim.choose}</option>
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
