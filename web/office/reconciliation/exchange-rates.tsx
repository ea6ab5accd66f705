/** The exchange rates of an event, for invoices in currencies other than the rupee. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { formatCount, formatDayShort } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import type { ExchangeRatesResponse, OfficeEvent } from '../../../engine/api.ts'
import { hasAll, isRecord, readArray } from '../../app/json-readers.ts'
import type { Reader } from '../../app/api-client.ts'
import { readMessage } from '../office-api-responses.ts'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'

const API_PATH = '/api/admin/exchange-rates/'
/** Maximum number of rates on the page. The other rates are in the audit log. */
const MAX_SHOWN_RATES = 10

const readRates: Reader<ExchangeRatesResponse> = (body) =>
  isRecord(body) &&
  readArray(body['rates'], (rate) =>
    isRecord(rate) && hasAll(rate, 'string', 'currency', 'day', 'rate', 'source') ? rate : null,
  ) !== null &&
  readArray(body['waiting'], (row) =>
    isRecord(row) && hasAll(row, 'string', 'currency', 'day') ? row : null,
  ) !== null
    ? (body as ExchangeRatesResponse)
    : null

export function ExchangeRates({
  event,
  currencies,
}: {
  readonly event: OfficeEvent
  readonly currencies: readonly string[]
}) {
  const form = useRef<HTMLFormElement>(null)
  const query = useQuery({
    queryKey: ['exchange-rates', event.id],
    queryFn: ({ signal }) =>
      callApi(`${API_PATH}?event=${encodeURIComponent(event.id)}`, readRates, { signal }),
  })
  const enterMutation = useMutation({
    mutationFn: (values: Readonly<Record<string, string>>) =>
      callApi(API_PATH, readMessage, { method: 'POST', json: { ...values, event: event.id } }),
    onSuccess: () => {
      form.current?.reset()
      void query.refetch()
    },
  })
  const error = useSignInOn401(query.error ?? enterMutation.error)
  const { rates = [], waiting = [] } = query.data ?? {}
  return (
    <section className="panel" aria-labelledby="exchange-rates">
      <h2 id="exchange-rates">Exchange rates</h2>
      <p className="mute">
        Invoices in other currencies also state their value in rupees. Rollcall uses the rate on the
        payment date, or else the latest rate from the week before. Invoices without a rate are
        issued when a rate is entered.
      </p>
      {error && <Banner text={error.message} onDismiss={() => enterMutation.reset()} />}
      {waiting.length > 0 && (
        <ul className="log">
          {waiting.map(({ currency, day, invoices }) => (
            <li key={`${currency} ${day}`}>
              <span>
                {invoices === 1 ? '1 invoice needs' : `${formatCount(invoices)} invoices need`} the{' '}
                {currency} rate for {formatDayShort(day as Day)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <form
        ref={form}
        className="inline-form"
        onSubmit={(submitEvent) => {
          submitEvent.preventDefault()
          const data = new FormData(submitEvent.currentTarget)
          enterMutation.mutate(
            Object.fromEntries(
              [...data].flatMap(([name, value]) =>
                typeof value === 'string' ? [[name, value] as const] : [],
              ),
            ),
          )
        }}
      >
        <label>
          Currency
          <select name="currency">
            {currencies.map((code) => (
              <option key={code}>{code}</option>
            ))}
          </select>
        </label>
        <label>
          Rate date
          <input name="day" type="date" required defaultValue={waiting[0]?.day} />
        </label>
        <label>
          Rupees per unit
          <input name="rate" inputMode="decimal" required autoComplete="off" />
        </label>
        <label>
          Source
          <input name="source" required maxLength={100} defaultValue={rates[0]?.source} />
        </label>
        <button type="submit" className="btn" disabled={enterMutation.isPending}>
          Save rate
        </button>
      </form>
      <p role="status" className="form-status">
        {enterMutation.data ?? ''}
      </p>
      {rates.length > 0 && (
        <ul className="log">
          {rates
            .slice(0, MAX_SHOWN_RATES)
            .map(({ currency, day, rate, source, entered_by: user }) => (
              <li key={`${currency} ${day}`}>
                <span>
                  <b>
                    1 {currency} = INR {rate}
                  </b>
                  <small>
                    {formatDayShort(day as Day)} · {source} · entered by {user}
                  </small>
                </span>
              </li>
            ))}
        </ul>
      )}
    </section>
  )
}
