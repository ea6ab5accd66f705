/** The filters of a list, with the labels from its event file. The URL contains their values. */
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { assertNever, formatDayShort, isDay } from '../../../engine/index.ts'
import type { AdminList, Filter } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import './list-filters.css'

type ChangeParams = (change: (params: URLSearchParams) => void, replace?: boolean) => void
/** `anyLabel` is the label of the option that does not filter. */
export type ListFilter = Filter & { readonly anyLabel?: string }
type FiltersProps = {
  readonly list: Pick<AdminList, 'title'> & { readonly filters: readonly ListFilter[] }
  readonly searchParams: URLSearchParams
  /** The filters in the URL that are not in the event file, with their labels. */
  readonly extraFilters: readonly { readonly name: string; readonly label: string }[]
  readonly onChange: ChangeParams
  readonly onReset: () => void
  /** The value of `show` for the filter next to the search field. */
  readonly barFilterName?: string
  /** On a phone, only the search is in the bar; the button “More” shows these and all other filters. */
  readonly moreOnPhone?: ReactNode
}

/**
 * The delay in milliseconds before typed text is sent. The audit log records every search, so the delay keeps their
 * number low.
 */
const TYPING_DELAY_MS = 450

/**
 * Always shows the search and one select (in lists, the payment status; on a phone, none). “Filters” opens the other
 * filters. Each active filter is also shown as a chip that removes it.
 */
export function Filters({
  list,
  searchParams,
  extraFilters,
  onChange,
  onReset,
  barFilterName = 'payment_status',
  moreOnPhone,
}: FiltersProps) {
  const [isOpen, setOpen] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const setFilter = (filter: ListFilter, value: string, replace = false) =>
    onChange((params) => {
      if (value === '') params.delete(filter.sentAs)
      else params.set(filter.sentAs, value)
      params.delete('page')
    }, replace)
  const searchFilters = list.filters.filter(({ kind }) => kind === 'search')
  const hasMore = moreOnPhone !== undefined
  const barFilters = hasMore ? [] : list.filters.filter(({ show }) => show === barFilterName)
  const otherFilters = list.filters.filter(
    (filter) => ![...searchFilters, ...barFilters].includes(filter),
  )
  const chips = [
    ...extraFilters,
    ...otherFilters.flatMap((filter) => {
      const value = searchParams.get(filter.sentAs)
      return value ? [{ name: filter.sentAs, label: describeFilter(filter, value) }] : []
    }),
  ]
  const hasActiveFilter =
    chips.length > 0 || list.filters.some(({ sentAs }) => searchParams.get(sentAs))
  // Otherwise the focus would be lost when a chip, or the button that clears the filters, disappears.
  const focusOnFilters = () => form.current?.querySelector<HTMLElement>('input, button')?.focus()
  const renderField = (filter: ListFilter) => (
    <div key={filter.sentAs}>
      <label htmlFor={buildInputId(filter)}>{filter.label}</label>
      <FilterControl
        filter={filter}
        value={searchParams.get(filter.sentAs) ?? ''}
        setFilter={setFilter}
      />
    </div>
  )
  return (
    <form
      className="filter-field"
      role="search"
      aria-label={list.title}
      ref={form}
      onSubmit={(event) => event.preventDefault()}
    >
      <div className="filter-bar">
        {searchFilters.map((filter) => (
          <SearchBox
            key={filter.sentAs}
            filter={filter}
            value={searchParams.get(filter.sentAs) ?? ''}
            setFilter={setFilter}
          />
        ))}
        {barFilters.map(renderField)}
        {(hasMore || otherFilters.length > 0) && (
          <button
            type="button"
            className="btn line sm"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {hasMore ? 'More' : 'Filters'}
            {hasMore && <span className="vh"> (filters, totals and export)</span>}
            <Icon name="chev" small />
          </button>
        )}
        {hasActiveFilter && (
          <button
            type="button"
            className="btn quiet sm"
            onClick={() => {
              onReset()
              focusOnFilters()
            }}
          >
            Clear filters
          </button>
        )}
      </div>
      {isOpen && (
        <div className="others" role="group" aria-label={hasMore ? 'More' : 'Filters'}>
          {otherFilters.map(renderField)}
          {hasMore && <div className="rest">{moreOnPhone}</div>}
        </div>
      )}
      {chips.length > 0 && (
        <ul className="chips" aria-label="Active filters">
          {chips.map(({ name, label }) => (
            <li key={name}>
              <button
                type="button"
                onClick={() => {
                  onChange((params) => {
                    params.delete(name)
                    params.delete('page')
                  })
                  focusOnFilters()
                }}
              >
                {label}
                <Icon name="cross" small />
                <span className="vh">(remove this filter)</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}

/** Describes a filter with its value: "AFPI Member: Yes". Shows an unknown value unchanged. */
function describeFilter({ label, kind, options }: Filter, value: string): string {
  switch (kind) {
    case 'day':
      return `${label}: ${isDay(value) ? formatDayShort(value) : value}`
    case 'yes-no':
      return `${label}: ${value === 'true' ? 'Yes' : value === 'false' ? 'No' : value}`
    case 'options':
      return `${label}: ${options?.find(({ id }) => id === value)?.label ?? value}`
    case 'search':
    case 'text':
      return `${label}: ${value}`
    default:
      return assertNever(kind)
  }
}

const buildInputId = (filter: Filter): string => `filter-${filter.sentAs}`

type FilterControlProps = {
  readonly filter: ListFilter
  readonly value: string
  readonly setFilter: (filter: Filter, value: string, replace?: boolean) => void
}

function FilterControl({ filter, value, setFilter }: FilterControlProps) {
  switch (filter.kind) {
    case 'day':
      return (
        <input
          id={buildInputId(filter)}
          type="date"
          value={value}
          onChange={(event) => setFilter(filter, event.target.value)}
        />
      )
    case 'yes-no':
      return (
        <OptionSelect
          id={buildInputId(filter)}
          value={value}
          options={[
            ['true', 'Yes'],
            ['false', 'No'],
          ]}
          onChoose={(optionId) => setFilter(filter, optionId)}
        />
      )
    case 'options':
      return (
        <OptionSelect
          id={buildInputId(filter)}
          value={value}
          anyLabel={filter.anyLabel}
          options={(filter.options ?? []).map(({ id, label }) => [id, label] as const)}
          onChoose={(optionId) => setFilter(filter, optionId)}
        />
      )
    case 'search':
    case 'text':
      return <DebouncedInput filter={filter} value={value} setFilter={setFilter} />
    default:
      return assertNever(filter.kind)
  }
}

function OptionSelect({
  id,
  value,
  anyLabel = 'Any',
  options,
  onChoose,
}: {
  readonly id: string
  readonly value: string
  readonly anyLabel?: string | undefined
  readonly options: readonly (readonly [string, string])[]
  readonly onChoose: (value: string) => void
}) {
  return (
    <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
      <option value="">{anyLabel}</option>
      {options.map(([option, label]) => (
        <option key={option} value={option}>
          {label}
        </option>
      ))}
    </select>
  )
}

function SearchBox(props: FilterControlProps) {
  return (
    <div className="search">
      <label htmlFor={buildInputId(props.filter)}>{props.filter.label}</label>
      <span className="se">
        <Icon name="search" />
        <DebouncedInput {...props} />
      </span>
    </div>
  )
}

/** Keeps the typed text, and updates the URL after a pause, or immediately on Enter. */
function DebouncedInput({ filter, value, setFilter }: FilterControlProps) {
  const [text, setText] = useState(value)
  const lastSent = useRef(value)
  useEffect(() => {
    // The value was changed elsewhere: Back, Reset, another URL.
    if (value !== lastSent.current) {
      lastSent.current = value
      setText(value)
    }
  }, [value])
  const sendText = (typedText: string) => {
    lastSent.current = typedText.trim()
    if (lastSent.current !== value) setFilter(filter, lastSent.current, true)
  }
  useEffect(() => {
    if (text.trim() === lastSent.current) return
    const timer = setTimeout(() => sendText(text), TYPING_DELAY_MS)
    return () => clearTimeout(timer)
  })
  return (
    <input
      id={buildInputId(filter)}
      type={filter.kind === 'search' ? 'search' : 'text'}
      value={text}
      maxLength={100}
      autoComplete="off"
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && sendText(text)}
    />
  )
}
