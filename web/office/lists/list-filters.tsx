/** The filters of a list, with the labels from its event file. The URL contains their values. */
import { useEffect, useRef, useState } from 'react'
import { assertNever } from '../../../engine/index.ts'
import type { AdminList, Filter } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import './list-filters.css'

type ChangeParams = (change: (params: URLSearchParams) => void, replace?: boolean) => void
type FiltersProps = {
  readonly list: AdminList
  readonly searchParams: URLSearchParams
  readonly onChange: ChangeParams
  readonly onReset: () => void
}

/** Delay in milliseconds before typed text is sent, because the audit log records each search. */
const TYPING_DELAY_MS = 450

/**
 * All filters are visible from tablet width. On a phone, only the search is; a “Filters, 2 set”
 * button shows the others.
 */
export function Filters({ list, searchParams, onChange, onReset }: FiltersProps) {
  const [isOpen, setOpen] = useState(false)
  const setFilter = (filter: Filter, value: string, replace = false) =>
    onChange((params) => {
      if (value === '') params.delete(filter.sentAs)
      else params.set(filter.sentAs, value)
      params.delete('page')
    }, replace)
  const otherFilters = list.filters.filter(({ kind }) => kind !== 'search')
  const activeCount = otherFilters.filter(({ sentAs }) => searchParams.get(sentAs)).length
  const hasActiveFilter = list.filters.some(({ sentAs }) => searchParams.get(sentAs))
  // The search comes first, whatever its position in the event file.
  const orderedFilters = [...list.filters.filter(({ kind }) => kind === 'search'), ...otherFilters]
  return (
    <form
      className={isOpen ? 'fil open' : 'fil'}
      role="search"
      aria-label={list.title}
      onSubmit={(event) => event.preventDefault()}
    >
      {orderedFilters.map((filter) =>
        filter.kind === 'search' ? (
          <SearchBox
            key={filter.sentAs}
            filter={filter}
            value={searchParams.get(filter.sentAs) ?? ''}
            setFilter={setFilter}
          />
        ) : (
          <div
            key={filter.sentAs}
            className={
              filter.kind === 'options' && filter.show !== 'payment_status' ? 'op w' : 'op'
            }
          >
            <label htmlFor={inputId(filter)}>{filter.label}</label>
            <FilterControl
              filter={filter}
              value={searchParams.get(filter.sentAs) ?? ''}
              setFilter={setFilter}
            />
          </div>
        ),
      )}
      <div className="go">
        {otherFilters.length > 0 && (
          <button
            type="button"
            className="more"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="chev" small />
            {activeCount === 0 ? 'Filters' : `Filters, ${activeCount} set`}
          </button>
        )}
        <button
          type="button"
          className="btn quiet sm"
          onClick={onReset}
          disabled={!hasActiveFilter}
        >
          Clear filters
        </button>
      </div>
    </form>
  )
}

const inputId = (filter: Filter): string => `filter-${filter.sentAs}`

type FilterControlProps = {
  readonly filter: Filter
  readonly value: string
  readonly setFilter: (filter: Filter, value: string, replace?: boolean) => void
}

function FilterControl({ filter, value, setFilter }: FilterControlProps) {
  switch (filter.kind) {
    case 'day':
      return (
        <input
          id={inputId(filter)}
          type="date"
          value={value}
          onChange={(event) => setFilter(filter, event.target.value)}
        />
      )
    case 'yes-no':
      return (
        <OptionSelect
          id={inputId(filter)}
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
          id={inputId(filter)}
          value={value}
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
  options,
  onChoose,
}: {
  readonly id: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChoose: (value: string) => void
}) {
  return (
    <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
      <option value="">Any</option>
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
    <div className="w">
      <label htmlFor={inputId(props.filter)}>{props.filter.label}</label>
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
  const sendText = (typed: string) => {
    lastSent.current = typed.trim()
    if (lastSent.current !== value) setFilter(filter, lastSent.current, true)
  }
  useEffect(() => {
    if (text.trim() === lastSent.current) return
    const timer = setTimeout(() => sendText(text), TYPING_DELAY_MS)
    return () => clearTimeout(timer)
  })
  return (
    <input
      id={inputId(filter)}
      type={filter.kind === 'search' ? 'search' : 'text'}
      value={text}
      maxLength={100}
      autoComplete="off"
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && sendText(text)}
    />
  )
}
