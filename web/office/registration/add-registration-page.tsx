/** The manual registration page: the event's fields, the price, and the payment at the desk. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import {
  allSeatPools,
  findApproval,
  CODE,
  findCategory,
  firstFull,
  formatMoney,
  matchesCondition,
  instant,
  normalise,
  EMPTY_CONTEXT,
  getOwn,
  requiredSeats,
  quote,
  rupees,
  fullSeatMessage,
  shownFields,
} from '../../../engine/index.ts'
import type {
  PricingContext,
  Field,
  Option,
  Paise,
  SeatPool,
  PublicEvent,
} from '../../../engine/index.ts'
import type { AddedAnswer, AddingAnswer, OfficeEvent } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { newKey } from '../../app/api-client.ts'
import { isShortMessage } from '../../ui/forms/is-short-message.ts'
import { hasAll, isRecord, numberOf, recordOf, recordsOf, textsOf } from '../../app/json-readers.ts'
import { AskedField } from './add-registration-field.tsx'
import { AskedPeople } from './add-registration-people.tsx'
import { callApi, isApiError, registrationUrl } from '../office-api-and-urls.ts'
import { readCode } from '../../app/api-responses.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import '../ui/form-fields.css'
import './registration-details-page.css'
import '../discount-codes/discount-codes-page.css'

const CALL = '/api/admin/add/'
const TOO_SOON =
  'This registration needs approval before payment. Choose “Pay later (send link)” below.'

const readAdding: Reader<AddingAnswer> = (body) => {
  const event = isRecord(body) ? body['event'] : null
  const isEvent = isRecord(event) && Array.isArray(event['fields'])
  const isWhole = isRecord(body) && isEvent && hasAll(body, 'string', 'now')
  return isWhole && Array.isArray(body['ways'])
    ? ({
        ...body,
        left: recordOf(body['left'], numberOf) ?? {},
        ways: recordsOf(body['ways']),
      } as unknown as AddingAnswer)
    : null
}
const readAdded: Reader<AddedAnswer> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'reg_no', 'state')
    ? (body as unknown as AddedAnswer)
    : null

export function AddingPage({ event }: { readonly event: OfficeEvent }) {
  const query = useQuery({
    queryKey: ['adding', event.id],
    queryFn: ({ signal }) =>
      callApi(`${CALL}?event=${encodeURIComponent(event.id)}`, readAdding, { signal }),
  })
  const error = useSignInOn401(query.error)
  const [added, setAdded] = useState<AddedAnswer | null>(null)
  const [turn, setTurn] = useState(0)
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Add registration">
        <p className="mute">{event.title}</p>
      </PageHeading>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <div role="status">{added !== null && <Added event={event} added={added} />}</div>
      {query.data && (
        <Adding
          key={turn}
          {...query.data}
          onAdded={(answer) => {
            setAdded(answer)
            setTurn(turn + 1)
          }}
        />
      )}
    </main>
  )
}

function Added({ event, added }: { readonly event: OfficeEvent; readonly added: AddedAnswer }) {
  const [list] = event.lists
  const { reg_no: regNo, state } = added
  return (
    <p className="pan">
      {list === undefined ? (
        regNo
      ) : (
        <Link className="link" to={registrationUrl(list, regNo)}>
          {regNo}
        </Link>
      )}{' '}
      {state === 'complete' ? 'is registered and paid.' : 'is registered, not paid yet.'}
    </p>
  )
}

type Given = Readonly<Record<string, unknown>>

function Adding({
  event,
  now,
  left,
  ways,
  onAdded,
}: AddingAnswer & { readonly onAdded: (added: AddedAnswer) => void }) {
  const [data, setData] = useState<Given>({})
  const [way, setWay] = useState(ways[0]?.id ?? '')
  const [paid, setPaid] = useState<Given>({})
  /** The discount code of the last lookup. */
  const [asked, setAsked] = useState('')
  /** The local clock may be wrong, and prices change at midnight while the page is open. */
  const [ahead] = useState(() => aheadOf(now))
  const key = useRef(newKey())
  const form = useRef<HTMLFormElement>(null)
  const questions = useQueryClient()
  const add = useMutation({
    mutationFn: () =>
      callApi(CALL, readAdded, {
        method: 'POST',
        json: {
          event: event.id,
          key: key.current,
          // A different category, offered because the requested one is full, is confirmed by its
          // name.
          answers: { ...data, ...(instead !== null && { registration_category: category }) },
          way,
          paid,
          ...(price !== null && { total: rupees(price) }),
        },
      }),
    onSuccess: onAdded,
    onError: (error) => {
      // Without an answer, the registration may exist: the same key makes the next click the same
      // registration.
      if (isApiError(error) && error.status >= 400 && error.status < 500) key.current = newKey()
      // Prices and days may have changed since the page was opened.
      void questions.invalidateQueries({ queryKey: ['adding', event.id] })
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
    },
  })
  const refused = useSignInOn401(add.error)
  const wrong = textsOf(refused?.answer?.errors) ?? {}
  const taken = ways.find(({ id }) => id === way)
  // Look a discount code up as soon as it is complete, because the payer must know the price.
  const code = textIn(data, CODE)
  const given = useQuery({
    queryKey: ['code', event.id, asked],
    queryFn: ({ signal }) =>
      callApi(`/api/events/${encodeURIComponent(event.id)}/code/`, readCode, {
        method: 'POST',
        json: { code: asked },
        signal,
      }),
    enabled: asked !== '',
  })
  const isKnown = asked !== '' && asked === code && given.data !== undefined
  const facts = factsOf(isKnown ? given.data.kind : null, left)
  const shown = shownFields(event, data, facts)
  const { category, full, instead, isSeenFirst, price } = pricedBy(event, data, facts, ahead)
  const isTooSoon = isSeenFirst && taken !== undefined
  const fullAt = full?.limit.eachOptionOf
  return (
    <form
      ref={form}
      className="pan asking"
      aria-label="Add registration"
      noValidate
      onSubmit={(submitted) => {
        submitted.preventDefault()
        add.mutate()
      }}
    >
      {refused && (
        <Banner
          text={isShortMessage(refused.message) ? 'Check the marked fields.' : refused.message}
          onDismiss={() => add.reset()}
        />
      )}
      {event.fields
        .filter((field) => shown.has(field.id) && isAsked(field, taken !== undefined))
        .map((field) =>
          field.type === 'people' ? (
            <AskedPeople
              key={field.id}
              field={field}
              value={data[field.id]}
              wrong={wrong}
              onChange={(value) => setData({ ...data, [field.id]: value })}
            />
          ) : (
            <AskedField
              key={field.id}
              name={field.id}
              kind={field.type}
              label={isOptional(event, data, field) ? `${field.label} (optional)` : field.label}
              options={offered(event, field, left)}
              value={data[field.id] ?? field.default}
              wrong={
                full !== null && field.id === fullAt
                  ? fullSeatMessage(event, full)
                  : wrong[field.id]
              }
              onChange={(value) => setData({ ...data, [field.id]: value })}
            />
          ),
        )}
      {event.codeKinds.length > 0 && (
        <div onBlur={() => setAsked(code)}>
          <AskedField
            name={CODE}
            kind="text"
            label="Discount code (optional)"
            options={[]}
            value={code}
            wrong={asked !== '' && asked === code ? given.error?.message : undefined}
            onChange={(value) => setData({ ...data, [CODE]: String(value) })}
          />
          <p role="status">{isKnown ? `Discount code: ${given.data.label}` : ''}</p>
        </div>
      )}
      <p aria-live="polite">
        {full !== null && fullSeatMessage(event, full)}
        {full === null && instead !== null && `${fullSeatMessage(event, instead)}. `}
        {full === null && isTooSoon && TOO_SOON}
        {full === null &&
          !isTooSoon &&
          (price === null
            ? 'The price appears when the answers are complete.'
            : `To pay: ${formatMoney(price)}`)}
      </p>
      <AskedField
        name="way"
        kind="select"
        label="Payment"
        options={[
          ...ways.map(({ id, label }) => ({ id, label })),
          { id: '', label: 'Pay later (send link)' },
        ]}
        value={way}
        wrong={taken === undefined ? wrong['way'] : undefined}
        onChange={(value) => setWay(String(value ?? ''))}
      />
      {taken?.asks.map((asked) => (
        <AskedField
          key={asked.id}
          name={asked.id}
          kind={asked.kind}
          label={asked.label}
          options={asked.options}
          value={paid[asked.id]}
          wrong={wrong[asked.id]}
          onChange={(value) => setPaid({ ...paid, [asked.id]: value })}
        />
      ))}
      <button type="submit" className="btn" disabled={add.isPending}>
        Register
      </button>
    </form>
  )
}

/**
 * Whether a field is optional with the current answers. Yes-no fields are not labelled as optional.
 */
function isOptional(event: PublicEvent, data: Given, { type, required }: Field): boolean {
  if (type === 'yes-no') return false
  if (required === undefined) return true
  const { answers } = normalise(event, data)
  return (
    required.when !== undefined &&
    !matchesCondition(required.when, answers, findCategory(event, answers))
  )
}

/**
 * Whether the office form includes the field. The delegate uploads documents on the self-service
 * page; the payment method is asked only if nothing is paid now.
 */
function isAsked({ id, type }: Field, isPaidNow: boolean): boolean {
  return type !== 'file' && !(id === 'way' && isPaidNow)
}

const textIn = (data: Given, name: string): string => {
  const text = data[name]
  return typeof text === 'string' ? text.trim() : ''
}
const factsOf = (kind: string | null, left: PricingContext['left']): PricingContext => ({
  ...EMPTY_CONTEXT,
  left,
  ...(kind !== null && { code: { is: 'valid', kind } }),
})

/** Options; those that are full are labelled. */
function offered(
  event: PublicEvent,
  field: Field,
  left: PricingContext['left'],
): readonly Option[] {
  const gone = allSeatPools(event.quotas).filter(
    ({ id, limit }) => limit.eachOptionOf === field.id && isGone(left, id),
  )
  return (field.options ?? []).map((option) => {
    const place = gone.find((one) => one.option === option.id)
    return place === undefined ? option : { ...option, label: fullSeatMessage(event, place) }
  })
}

const isGone = (left: PricingContext['left'], place: string): boolean =>
  (getOwn(left, place) ?? 1) <= 0

/** Milliseconds by which the server's clock is ahead of the local one. */
const aheadOf = (now: string): number => Date.parse(now) - Date.now()

/**
 * Price by the server's clock when the page was opened, as a preview; the server decides. `full`:
 * the quota that prevents the registration; `instead`: the quota because of which another category
 * replaced the requested one.
 */
function pricedBy(
  event: PublicEvent,
  data: Given,
  facts: PricingContext,
  ahead: number,
): {
  readonly category: string | null
  readonly full: SeatPool | null
  readonly instead: SeatPool | null
  /** The registration needs approval before payment. */
  readonly isSeenFirst: boolean
  readonly price: Paise | null
} {
  const { answers } = normalise(event, data, facts)
  const category = findCategory(event, answers)
  const full = firstFull(event.quotas, answers, category)
  const wanted = findCategory({ ...event, quotas: [] }, answers)
  const gone = requiredSeats(event.quotas, answers, wanted).find(({ id }) => isGone(facts.left, id))
  const quoted = full === null ? quote(event, answers, instant(Date.now() + ahead)) : null
  return {
    category,
    full,
    instead: full === null ? (gone ?? null) : null,
    isSeenFirst: findApproval(event.approvals, answers, category) !== null,
    price: quoted?.ok === true ? quoted.value.total : null,
  }
}
