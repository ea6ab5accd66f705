/** The manual payment panel: payment instructions and the "I have paid" form. */
import { useState } from 'react'
import type { FormEvent } from 'react'
import { dayOf, formatDay, readInstant } from '../../engine/index.ts'
import { COMMON_MESSAGES, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import type { Day, PublicEvent } from '../../engine/index.ts'
import type { WireClaimField, WireManualPayment, WirePaymentClaim } from '../../engine/api.ts'
import { call, createIdempotencyKey } from '../app/api-client.ts'
import type { ApiError } from '../app/api-client.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { renderMessage } from '../ui/rich-message.tsx'
import { isShortMessage } from '../ui/forms/is-short-message.ts'
import { readStringRecord } from '../app/json-readers.ts'
import { PaymentInstructions } from '../results/unpaid/payment-instructions.tsx'
import { readActionMessage } from './self-service-api-responses.ts'
import { ScreenshotField } from './payment-claim-screenshot.tsx'
import type { PanelProps } from './panel-props.ts'
import './payment-claim.css'

const { paymentClaim } = SELF_SERVICE_MESSAGES

export function ManualPayment({
  event,
  data: { paying, registration, state },
  path,
  reload,
}: PanelProps) {
  if (paying === null) return null
  // Instructions to pay would contradict the notice that asks delegates not to pay again.
  const isUnderReview = registration.in_review
  if (isUnderReview && paying.told === null) return null
  return (
    <section className="self-service-panel" aria-labelledby="my-paying">
      <h2 className="disp" id="my-paying">
        {paying.label}
      </h2>
      {paying.told !== null && <LastClaim claim={paying.told} />}
      {isUnderReview ? null : state === 'told' ? (
        <details className="again">
          <summary>{paymentClaim.resubmit}</summary>
          <ClaimForm {...{ event, paying, path, reload }} />
        </details>
      ) : (
        <>
          <PaymentInstructions paymentInstructions={paying} registration={registration} />
          <h3>{paymentClaim.submit}</h3>
          <ClaimForm {...{ event, paying, path, reload }} />
        </>
      )}
    </section>
  )
}

/** Shows the last payment claim and its result. */
function LastClaim({ claim }: { readonly claim: WirePaymentClaim }) {
  const { reference, paid_on: day, stands: claimState, why: reason } = claim
  const values = { reference: <b>{reference}</b>, reason }
  const valuesWithDay = { ...values, day: day === null ? '' : formatDay(day as Day) }
  return claimState === 'not_found' ? (
    <p className="claim-rejected" role="alert">
      <Icon name="bang" />
      <span>
        {day === null
          ? renderMessage(paymentClaim.rejected, values)
          : renderMessage(paymentClaim.rejectedWithDay, valuesWithDay)}
      </span>
    </p>
  ) : (
    <p>
      {day === null
        ? renderMessage(paymentClaim.reported, values)
        : renderMessage(paymentClaim.reportedWithDay, valuesWithDay)}
    </p>
  )
}

type ClaimFormProps = {
  readonly event: PublicEvent
  readonly paying: WireManualPayment
  readonly path: string
  readonly reload: () => void
}

function ClaimForm({ event, paying, path, reload }: ClaimFormProps) {
  const [isBusy, setBusy] = useState(false)
  const [rejection, setRejection] = useState<ApiError | null>(null)
  const [files, setFiles] = useState<Readonly<Record<string, string | null>>>({})
  const [key, setKey] = useState(createIdempotencyKey)
  const errors = readStringRecord(rejection?.errorResponse?.errors) ?? {}
  const isUploading = Object.values(files).includes(null)
  const send = async (submitEvent: FormEvent<HTMLFormElement>) => {
    submitEvent.preventDefault()
    const form = submitEvent.currentTarget
    const textEntries = [...new FormData(form)].filter(([, value]) => typeof value === 'string')
    setBusy(true)
    const result = await call(`${path}acts/`, readActionMessage, {
      method: 'POST',
      json: {
        act: 'tell',
        key,
        way: paying.way,
        answers: { ...Object.fromEntries(textEntries), ...files },
      },
      fallback: event.form.failure,
    })
    setBusy(false)
    if (result.ok) return reload()
    // A rejected claim gets a new key. A claim that may have arrived is sent again with the same
    // key.
    if (result.error.status !== 0) setKey(createIdempotencyKey())
    setRejection(result.error)
    const [firstError] = Object.keys(readStringRecord(result.error.errorResponse?.errors) ?? {})
    const field = firstError === undefined ? null : form.elements.namedItem(firstError)
    if (field instanceof HTMLElement) field.focus()
  }
  return (
    <form className="claim-form" noValidate onSubmit={(submitEvent) => void send(submitEvent)}>
      {rejection !== null && (
        <p className="why bad" role="alert">
          <Icon name="bang" />
          <span>
            {isShortMessage(rejection.message) ? paymentClaim.checkFields : rejection.message}
          </span>
        </p>
      )}
      {paying.asks.map((claimField) =>
        claimField.file === null ? (
          <ClaimField
            key={claimField.id}
            claimField={claimField}
            errorMessage={errors[claimField.id]}
          />
        ) : (
          <ScreenshotField
            key={claimField.id}
            event={event}
            claimField={claimField}
            path={path}
            errorMessage={errors[claimField.id]}
            onToken={(token) =>
              setFiles(({ [claimField.id]: _removed, ...rest }) =>
                token === undefined ? rest : { ...rest, [claimField.id]: token },
              )
            }
          />
        ),
      )}
      <button type="submit" className="btn" disabled={isBusy || isUploading}>
        {paymentClaim.submit}
      </button>
    </form>
  )
}

function ClaimField({
  claimField: { id, kind, label, hint, required, options, value },
  errorMessage,
}: {
  readonly claimField: WireClaimField
  readonly errorMessage: string | undefined
}) {
  const descriptionIds = [errorMessage && `told-${id}-wrong`, hint && `told-${id}-hint`].filter(
    Boolean,
  )
  const commonProps = {
    id: `told-${id}`,
    name: id,
    defaultValue: value,
    'aria-required': required,
    ...(errorMessage && { 'aria-invalid': true }),
    ...(descriptionIds.length > 0 && { 'aria-describedby': descriptionIds.join(' ') }),
  }
  return (
    <div className="claim-field">
      <label htmlFor={`told-${id}`}>
        {label}
        {!required && <span className="mute">{` ${COMMON_MESSAGES.optional}`}</span>}
      </label>
      {hint && (
        <small id={`told-${id}-hint`} className="mute">
          {hint}
        </small>
      )}
      {errorMessage && (
        <p className="msg" id={`told-${id}-wrong`}>
          <Icon name="bang" />
          {errorMessage}
        </p>
      )}
      {kind === 'select' ? (
        <select {...commonProps}>
          <option value="">{paymentClaim.choose}</option>
          {options.map((option) => (
            <option key={option.id} value={option.id}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...commonProps}
          type={kind === 'date' ? 'date' : 'text'}
          {...(kind === 'date' && { max: getToday() })}
          autoComplete="off"
          autoCapitalize="characters"
        />
      )}
    </div>
  )
}

/** Returns today's date by the browser's clock, the maximum for the date field. The server checks the day. */
function getToday(): string {
  const time = readInstant(new Date().toISOString())
  return time === null ? '' : dayOf(time)
}
