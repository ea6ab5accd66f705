/** The front desk's form: required fields first, then the price and the payment in one bar. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useEffect, useRef, useState } from 'react'
import {
  CODE_NAME,
  findCategory,
  formatMoney,
  matchesCondition,
  normalise,
  EMPTY_CONTEXT,
  getOwn,
  toMajorUnits,
  buildFullSeatMessage,
  findVisibleFields,
} from '../../../../engine/index.ts'
import type { PricingContext, Field, PublicEvent } from '../../../../engine/index.ts'
import { calculatePreview, labelOptions } from './price-preview.ts'
import type {
  ManualRegistrationResponse,
  ManualRegistrationFormResponse,
  OfficeEvent,
} from '../../../../engine/api.ts'
import type { Reader } from '../../../app/api-client.ts'
import { createIdempotencyKey } from '../../../app/api-client.ts'
import { isShortMessage } from '../../../ui/forms/is-short-message.ts'
import {
  hasAll,
  isRecord,
  readNumber,
  readRecord,
  readRecords,
  readStringRecord,
} from '../../../app/json-readers.ts'
import { FormField } from './add-registration-field.tsx'
import { PeopleFields } from './add-registration-people.tsx'
import { CreatedCard, CreatedSummary, type CreatedRegistration } from './created-card.tsx'
import { PriceText } from './price-text.tsx'
import { scrollAboveBar } from './show-above-bar.ts'
import { PAY_LATER, PaymentChoice, readLastMethod, saveLastMethod } from './payment-choice.tsx'
import {
  NO_PERSON,
  AlreadyRegisteredWarning,
  serialisePerson,
} from './already-registered-warning.tsx'
import { callApi, isApiError } from '../../office-api-and-urls.ts'
import { readCode } from '../../../app/api-responses.ts'
import { useSignInOn401 } from '../../expired-session.ts'
import { Banner, PageHeading } from '../../ui/error-banner-and-heading.tsx'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import '../../ui/form-fields.css'
import '../registration-details-page.css'
import '../actions-and-timeline.css'
import './front-desk.css'
import '../../discount-codes/discount-codes-page.css'

const API_PATH = '/api/admin/add/'
/** Sent if staff chose no method, so that the server reports this error together with the others. */
const NOT_CHOSEN = '(not chosen)'
const readRegistrationForm: Reader<ManualRegistrationFormResponse> = (body) => {
  const event = isRecord(body) ? body['event'] : null
  const isEvent = isRecord(event) && Array.isArray(event['fields'])
  const isComplete = isRecord(body) && isEvent && hasAll(body, 'string', 'now')
  return isComplete && Array.isArray(body['ways'])
    ? ({
        ...body,
        left: readRecord(body['left'], readNumber) ?? {},
        ways: readRecords(body['ways']),
      } as unknown as ManualRegistrationFormResponse)
    : null
}
const readCreatedRegistration: Reader<ManualRegistrationResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'reg_no', 'state')
    ? (body as unknown as ManualRegistrationResponse)
    : null

export function AddRegistrationPage({ event }: { readonly event: OfficeEvent }) {
  const query = useQuery({
    queryKey: ['adding', event.id],
    queryFn: ({ signal }) =>
      callApi(`${API_PATH}?event=${encodeURIComponent(event.id)}`, readRegistrationForm, {
        signal,
      }),
  })
  const error = useSignInOn401(query.error)
  const [createdRegistration, setCreatedRegistration] = useState<CreatedRegistration | null>(null)
  const [isAddingAnother, setAddingAnother] = useState(false)
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Add registration" />
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <div role="status">
        {createdRegistration !== null && (
          <CreatedSummary createdRegistration={createdRegistration} />
        )}
      </div>
      {createdRegistration !== null && (
        <CreatedCard
          event={event}
          createdRegistration={createdRegistration}
          onAddAnother={() => {
            setCreatedRegistration(null)
            setAddingAnother(true)
          }}
        />
      )}
      {query.data && createdRegistration === null && (
        <AddRegistrationForm
          {...query.data}
          loadedAt={query.dataUpdatedAt}
          isFocused={isAddingAnother}
          onCreated={setCreatedRegistration}
        />
      )}
    </main>
  )
}

type FormValues = Readonly<Record<string, unknown>>

function AddRegistrationForm({
  event,
  now,
  left,
  ways: methods,
  loadedAt,
  isFocused,
  onCreated,
}: ManualRegistrationFormResponse & {
  /** Time on the local clock when `now` was read. */
  readonly loadedAt: number
  /** Whether the first field receives focus, because the form follows another registration. */
  readonly isFocused: boolean
  readonly onCreated: (createdRegistration: CreatedRegistration) => void
}) {
  const [data, setData] = useState<FormValues>({})
  const [method, setMethod] = useState(() => readLastMethod(event.id, methods))
  const [isMethodMissing, setMethodMissing] = useState(false)
  const [isMoreOpen, setMoreOpen] = useState(false)
  const [paymentDetails, setPaymentDetails] = useState<FormValues>({})
  /** The answers used in the last lookup of registrations of the same person, as JSON. */
  const [checkedPerson, setCheckedPerson] = useState(NO_PERSON)
  /** The discount code that was looked up most recently. */
  const [lookedUpCode, setLookedUpCode] = useState('')
  /**
   * Prices follow the server clock, because the local clock may be wrong, and they change at
   * midnight while the page is open.
   */
  const clockOffsetMs = Date.parse(now) - loadedAt
  const idempotencyKey = useRef(createIdempotencyKey())
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isFocused) form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [isFocused])
  const queryClient = useQueryClient()
  const addMutation = useMutation({
    mutationFn: () =>
      callApi(API_PATH, readCreatedRegistration, {
        method: 'POST',
        json: {
          event: event.id,
          key: idempotencyKey.current,
          // If the requested category is full, the form offers another. Sending its name confirms
          // it.
          answers: { ...data, ...(replacedPool !== null && { registration_category: category }) },
          way: method === PAY_LATER ? '' : method === '' ? NOT_CHOSEN : method,
          // Details that were entered before the user chose to let the delegate pay later.
          paid: method === PAY_LATER ? {} : paymentDetails,
          ...(price !== null && { total: toMajorUnits(price.total, price.currency) }),
        },
      }),
    onSuccess: ({ reg_no: regNo, state }) => {
      saveLastMethod(event.id, method)
      const { fullName } = event.roles
      onCreated({
        regNo,
        state,
        name: (fullName === undefined ? '' : readText(data, fullName)) || regNo,
        amount: price === null ? '' : formatMoney(price.total, price.currency),
      })
    },
    onError: (error) => {
      // If no response arrives, the registration may exist. The next click then sends the same key,
      // so that no second registration is created.
      if (isApiError(error) && error.status >= 400 && error.status < 500)
        idempotencyKey.current = createIdempotencyKey()
      // Prices and dates may have changed since the page was opened.
      void queryClient.invalidateQueries({ queryKey: ['adding', event.id] })
      // Focuses the first field with an error, or else the message, because the button has lost focus.
      setTimeout(() => {
        const invalidControl =
          form.current?.querySelector<HTMLElement>('[aria-invalid="true"], .methods.wrong input') ??
          form.current?.querySelector<HTMLElement>('.refusal')
        invalidControl?.focus()
        if (invalidControl) scrollAboveBar(invalidControl)
      })
    },
  })
  const submitError = useSignInOn401(addMutation.error)
  const errors = readStringRecord(submitError?.errorResponse?.errors) ?? {}
  const chosenMethod = methods.find(({ id }) => id === method)
  // Looks up a discount code as soon as it is complete, because the payer needs to know the price.
  const code = readText(data, CODE_NAME)
  const codeQuery = useQuery({
    queryKey: ['code', event.id, lookedUpCode],
    queryFn: ({ signal }) =>
      callApi(`/api/events/${encodeURIComponent(event.id)}/code/`, readCode, {
        method: 'POST',
        json: { code: lookedUpCode },
        signal,
      }),
    enabled: lookedUpCode !== '',
  })
  const isCodeValid = lookedUpCode !== '' && lookedUpCode === code && codeQuery.data !== undefined
  const context = buildContext(isCodeValid ? codeQuery.data.kind : null, left)
  const visibleFields = findVisibleFields(event, data, context)
  const { category, fullPool, replacedPool, needsApproval, price } = calculatePreview(
    event,
    data,
    context,
    clockOffsetMs,
    chosenMethod?.id ?? null,
  )
  /** On a wide page, the bar contains the methods. On a narrow page, they would make the bar too high. */
  const isWide = useMediaQuery('(min-width: 1080px)')
  const isPaymentTooEarly = needsApproval && chosenMethod !== undefined
  const fullFieldId = fullPool?.quota.eachOptionOf ?? fullPool?.quota.count
  const fields = event.fields.filter(
    (field) => visibleFields.has(field.id) && isIncluded(field, chosenMethod !== undefined),
  )
  const requiredFields = fields.filter((field) => !isOptional(event, data, field))
  const optionalFields = fields.filter((field) => isOptional(event, data, field))
  const codeError =
    lookedUpCode !== '' && lookedUpCode === code ? codeQuery.error?.message : undefined
  /** An error must not be hidden in a collapsed part of the form. */
  const hasOptionalError =
    codeError !== undefined ||
    optionalFields.some(
      ({ id }) =>
        id === fullFieldId ||
        Object.keys(errors).some((name) => name === id || name.startsWith(`${id}.`)),
    )
  const similarPeople = <AlreadyRegisteredWarning event={event} person={checkedPerson} />
  const renderField = (field: Field) => {
    const onChange = (value: unknown): void => setData({ ...data, [field.id]: value })
    return field.type === 'people' ? (
      <PeopleFields field={field} value={data[field.id]} errors={errors} onChange={onChange} />
    ) : (
      <FormField
        name={field.id}
        kind={field.type}
        label={isOptional(event, data, field) ? `${field.label} (optional)` : field.label}
        options={labelOptions(event, field, left)}
        value={data[field.id] ?? field.default}
        error={
          fullPool !== null && field.id === fullFieldId
            ? buildFullSeatMessage(event, fullPool, getOwn(left, fullPool.id))
            : errors[field.id]
        }
        onChange={onChange}
      />
    )
  }
  const paymentChoice = (
    <PaymentChoice
      methods={methods}
      value={method}
      error={
        isMethodMissing
          ? method === ''
            ? 'Choose a payment method.'
            : undefined
          : chosenMethod === undefined
            ? errors['way']
            : undefined
      }
      onChange={setMethod}
    />
  )
  return (
    <form
      ref={form}
      className="panel stacked-form"
      aria-label="Add registration"
      noValidate
      onBlur={() => setCheckedPerson(serialisePerson(event, data))}
      // Does not scroll during a pointer press, because the pointer would then be released over another control.
      onFocus={({ target }) => {
        if (target.matches(':focus-visible')) scrollAboveBar(target)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        setMethodMissing(method === '')
        addMutation.mutate()
      }}
    >
      <div tabIndex={-1} className="refusal">
        {submitError && (
          <Banner
            text={
              Object.keys(errors).length > 1 || isShortMessage(submitError.message)
                ? 'Check the marked fields.'
                : submitError.message
            }
            onDismiss={() => addMutation.reset()}
          />
        )}
      </div>
      {requiredFields.map((field) => (
        <Fragment key={field.id}>
          {renderField(field)}
          {field.id === event.roles.fullName && similarPeople}
        </Fragment>
      ))}
      {!requiredFields.some(({ id }) => id === event.roles.fullName) && similarPeople}
      {(optionalFields.length > 0 || event.codeKinds.length > 0) && (
        <details
          className="more-details"
          open={isMoreOpen || hasOptionalError}
          onToggle={({ currentTarget }) => setMoreOpen(currentTarget.open)}
        >
          <summary>More details</summary>
          {optionalFields.map((field) => (
            <Fragment key={field.id}>{renderField(field)}</Fragment>
          ))}
          {event.codeKinds.length > 0 && (
            <div onBlur={() => setLookedUpCode(code)}>
              <FormField
                name={CODE_NAME}
                kind="text"
                label="Discount code (optional)"
                options={[]}
                value={code}
                error={codeError}
                onChange={(value) => setData({ ...data, [CODE_NAME]: String(value) })}
              />
              <p role="status">{isCodeValid ? `Discount code: ${codeQuery.data.label}` : ''}</p>
            </div>
          )}
        </details>
      )}
      {!isWide && paymentChoice}
      {chosenMethod?.asks.map((detail) => (
        <FormField
          key={detail.id}
          name={detail.id}
          kind={detail.kind}
          label={detail.label}
          options={detail.options}
          value={paymentDetails[detail.id]}
          error={errors[detail.id]}
          onChange={(value) => setPaymentDetails({ ...paymentDetails, [detail.id]: value })}
        />
      ))}
      <div className="desk-bar">
        <PriceText {...{ event, fullPool, replacedPool, left, isPaymentTooEarly, price }} />
        {isWide && paymentChoice}
        <button type="submit" className="btn" disabled={addMutation.isPending}>
          {chosenMethod !== undefined && price !== null && price.total > 0
            ? `Add and record ${formatMoney(price.total, price.currency)}`
            : 'Add registration'}
        </button>
      </div>
    </form>
  )
}

/** Returns whether a field is labelled as optional with the current answers. Yes-no fields never are. */
function isOptional(event: PublicEvent, data: FormValues, { type, required }: Field): boolean {
  if (type === 'yes-no') return false
  if (required === undefined) return true
  const { answers } = normalise(event, data)
  return (
    required.when !== undefined &&
    !matchesCondition(required.when, answers, findCategory(event, answers))
  )
}

/**
 * Returns whether the office form includes the field. Delegates upload documents on the self-service page. The form
 * asks for the payment method only if nothing is paid now.
 */
function isIncluded({ id, type }: Field, isPaidNow: boolean): boolean {
  return type !== 'file' && !(id === 'way' && isPaidNow)
}

const readText = (data: FormValues, name: string): string => {
  const text = data[name]
  return typeof text === 'string' ? text.trim() : ''
}
const buildContext = (kind: string | null, seatsLeft: PricingContext['left']): PricingContext => ({
  ...EMPTY_CONTEXT,
  left: seatsLeft,
  ...(kind !== null && { code: { is: 'valid', kind } }),
})
