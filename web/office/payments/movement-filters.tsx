/** The payment filters (days, event and method) and the export of the filtered payments. */
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { addMonths } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import type { MovementsResponse, SessionResponse } from '../../../engine/api.ts'
import { ExportButtons, listFiles } from '../jobs/export-buttons.tsx'
import { buildMonthUrl } from '../office-api-and-urls.ts'
import { EventOptions } from '../ui/log-list.tsx'
import { listNamedPeriods } from './periods.ts'

export const MOVEMENTS_API = '/api/admin/movements/'
const PERIOD_PARAMS = ['month', 'from', 'to'] as const
/** The option that shows two date fields. */
const CUSTOM_DATES = 'own'
const OTHER_FILTERS = ['event', 'method', 'unsettled', 'unreconciled'] as const
export const FILTERS = [...PERIOD_PARAMS, ...OTHER_FILTERS] as const

export type MovementsProps = {
  readonly session: SessionResponse
  /** Null for all the user's events. */
  readonly eventId: string | null
}

type FilterProps = MovementsProps &
  Pick<MovementsResponse, 'from' | 'to' | 'today' | 'methods'> & {
    readonly params: URLSearchParams
    readonly filters: URLSearchParams
    readonly onChange: (changes: Readonly<Record<string, string>>) => void
  }

export function MovementFilters(props: FilterProps) {
  const { session, eventId, params, filters, onChange, from, to, today, methods } = props
  const periods = listNamedPeriods(today as Parameters<typeof listNamedPeriods>[0])
  const chosenParams = new URLSearchParams(
    PERIOD_PARAMS.flatMap((name) => (params.has(name) ? [[name, params.get(name) ?? '']] : [])),
  ).toString()
  const currentQuery = chosenParams === '' ? (periods[0]?.query ?? '') : chosenParams
  const [isChoosingDates, setChoosingDates] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const activeFilterCount = OTHER_FILTERS.filter((name) => params.get(name)).length
  const usesCustomDates = isChoosingDates || !periods.some(({ query }) => query === currentQuery)
  const setPeriod = (query: string): void =>
    onChange({ month: '', from: '', to: '', ...Object.fromEntries(new URLSearchParams(query)) })
  // The file covers the days on the page, even if the month has ended since.
  const fileParams = new URLSearchParams(filters)
  if (chosenParams === '') {
    fileParams.set('from', from)
    fileParams.set('to', to)
  }
  // By default, the page shows the current month, which cannot be closed yet.
  const monthToClose = (chosenParams === '' ? addMonths(today as Day, -1) : from).slice(0, 7)
  return (
    <form
      className="filter-field payment-filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        onChange({ month: '', from: String(data.get('from')), to: String(data.get('to')) })
      }}
    >
      <label className="w">
        Paid on
        <select
          value={usesCustomDates ? CUSTOM_DATES : currentQuery}
          onChange={({ target }) => {
            setChoosingDates(target.value === CUSTOM_DATES)
            if (target.value !== CUSTOM_DATES) setPeriod(target.value)
          }}
        >
          {periods.map(({ label, query }) => (
            <option key={query} value={query}>
              {label}
            </option>
          ))}
          <option value={CUSTOM_DATES}>Custom dates</option>
        </select>
      </label>
      {/* On a phone, the other filters and the export are behind this button. */}
      <button
        type="button"
        className="btn line sm opens"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {activeFilterCount === 0 ? 'More' : `More (${activeFilterCount})`}
        <span className="vh"> (filters and export)</span>
      </button>
      {usesCustomDates && (
        <div className="days" key={`${from} ${to}`}>
          <label>
            From
            <input type="date" name="from" defaultValue={from} max={today} />
          </label>
          <label>
            To
            <input type="date" name="to" defaultValue={to} max={today} />
          </label>
          <button type="submit" className="btn line sm">
            Apply
          </button>
        </div>
      )}
      <div className={isOpen ? 'more open' : 'more'}>
        {eventId === null && session.events.length > 1 && (
          <label className="w">
            Event
            <select
              value={params.get('event') ?? ''}
              onChange={({ target }) => onChange({ event: target.value })}
            >
              <EventOptions events={session.events} />
            </select>
          </label>
        )}
        <label>
          Method
          <select
            value={params.get('method') ?? ''}
            onChange={({ target }) => onChange({ method: target.value })}
          >
            <option value="">All methods</option>
            {methods.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Settlement
          <select
            value={params.get('unsettled') ?? ''}
            onChange={({ target }) => onChange({ unsettled: target.value })}
          >
            <option value="">All</option>
            <option value="1">Not settled yet</option>
          </select>
        </label>
        <label>
          Bank statement
          <select
            value={params.get('unreconciled') ?? ''}
            onChange={({ target }) => onChange({ unreconciled: target.value })}
          >
            <option value="">All</option>
            <option value="1">Not found</option>
          </select>
        </label>
      </div>
      <div className="go">
        {chosenParams.startsWith('month=') || chosenParams === '' ? (
          <Link className="btn line sm" to={buildMonthUrl(monthToClose)}>
            Close month
          </Link>
        ) : null}
        <ExportButtons files={listFiles(`${MOVEMENTS_API}export/?${fileParams}`, 'payments')} />
      </div>
    </form>
  )
}
