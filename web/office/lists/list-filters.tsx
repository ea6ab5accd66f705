/** The filters of a list, as the event file names them; their values are in the URL. */
import { useEffect, useRef, useState } from 'react'
import { assertNever } from '../../../engine/index.ts'
import type { AdminList, Filter } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import './list-filters.css'

type Change = (change: (params: URLSearchParams) => void, replace?: boolean) => void
type FiltersProps = {
  readonly list: AdminList
  readonly search: URLSearchParams
  readonly onChange: Change
  readonly onReset: () => void
}

/**
 * Delay in milliseconds before a typed search is sent, because each answer is recorded in the audit
 * log.
 */
const TYPING_MS = 450

/**
 * Always visible from tablet width; on a phone only the search, the others behind "Filters, 2 set".
 */
export function Filters({ list, search, onChange, onReset }: FiltersProps) {
  const [isOpen, setOpen] = useState(false)
  const set = (filter: Filter, value: string, replace = false) =>
    onChange((params) => {
      if (value === '') params.delete(filter.sentAs)
      else params.set(filter.sentAs, value)
      params.delete('page')
    }, replace)
  const others = list.filters.filter(({ kind }) => kind !== 'search')
  const count = others.filter(({ sentAs }) => search.get(sentAs)).length
  const anySet = list.filters.some(({ sentAs }) => search.get(sentAs))
  // The search comes first, wherever the event file lists it.
  const ordered = [...list.filters.filter(({ kind }) => kind === 'search'), ...others]
  return (
    <form
      className={isOpen ? 'fil open' : 'fil'}
      role="search"
      aria-label={list.title}
      onSubmit={(event) => event.preventDefault()}
    >
      {ordered.map((filter) =>
        filter.kind === 'search' ? (
          <SearchBox
            key={filter.sentAs}
            filter={filter}
            value={search.get(filter.sentAs) ?? ''}
            set={set}
          />
        ) : (
          <div
            key={filter.sentAs}
            className={
              filter.kind === 'options' && filter.show !== 'payment_status' ? 'op w' : 'op'
            }
          >
            <label htmlFor={idOf(filter)}>{filter.label}</label>
            <Control filter={filter} value={search.get(filter.sentAs) ?? ''} set={set} />
          </div>
        ),
      )}
      <div className="go">
        {others.length > 0 && (
          <button
            type="button"
            className="more"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="chev" small />
            {count === 0 ? 'Filters' : `Filters, ${count} set`}
          </button>
        )}
        <button type="button" className="btn quiet sm" onClick={onReset} disabled={!anySet}>
          Clear filters
        </button>
      </div>
    </form>
  )
}

const idOf = (filter: Filter): string => `filter-${filter.sentAs}`

type ControlProps = {
  readonly filter: Filter
  readonly value: string
  readonly set: (filter: Filter, value: string, replace?: boolean) => void
}

function Control({ filter, value, set }: ControlProps) {
  switch (filter.kind) {
    case 'day':
      return (
        <input
          id={idOf(filter)}
          type="date"
          value={value}
          onChange={(event) => set(filter, event.target.value)}
        />
      )
    case 'yes-no':
      return (
        <Choice
          id={idOf(filter)}
          value={value}
          options={[
            ['true', 'Yes'],
            ['false', 'No'],
          ]}
          onChoose={(chosen) => set(filter, chosen)}
        />
      )
    case 'options':
      return (
        <Choice
          id={idOf(filter)}
          value={value}
          options={(filter.options ?? []).map(({ id, label }) => [id, label] as const)}
          onChoose={(chosen) => set(filter, chosen)}
        />
      )
    case 'search':
    case 'text':
      return <Typed filter={filter} value={value} set={set} />
    default:
      return assertNever(filter.kind)
  }
}

function Choice({
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

function SearchBox(props: ControlProps) {
  return (
    <div className="w">
      <label htmlFor={idOf(props.filter)}>{props.filter.label}</label>
      <span className="se">
        <Icon name="search" />
        <Typed {...props} />
      </span>
    </div>
  )
}

/** Keeps the typed text; the URL follows after a pause, or immediately on Enter. */
function Typed({ filter, value, set }: ControlProps) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    // The value was changed elsewhere: Back, Reset, another URL.
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  const send = (typed: string) => {
    sent.current = typed.trim()
    if (sent.current !== value) set(filter, sent.current, true)
  }
  useEffect(() => {
    if (text.trim() === sent.current) return
    const timer = setTimeout(() => send(text), TYPING_MS)
    return () => clearTimeout(timer)
  })
  return (
    <input
      id={idOf(filter)}
      type={filter.kind === 'search' ? 'search' : 'text'}
      value={text}
      maxLength={100}
      autoComplete="off"
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && send(text)}
    />
  )
}
