/** A field that finds a registration by name, phone or number, and selects it with Enter. */
import { useEffect, useId, useRef, useState } from 'react'
import type { WireSearchResult } from '../../../engine/api.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { RegistrationStatus } from '../ui/error-banner-and-heading.tsx'
import { useSearch } from '../frame/search-results.tsx'
import './statement-page.css'

/** Maximum number of results. More would not fit below the row, and another word narrows the search. */
const MAX_RESULTS = 6

type FindPayerProps = {
  readonly label: string
  readonly onSelect: (result: WireSearchResult) => void
  readonly isDisabled?: boolean
  /** Whether the field receives focus when it appears. */
  readonly hasFocus?: boolean
}

export function FindPayer({
  label,
  onSelect,
  isDisabled = false,
  hasFocus = false,
}: FindPayerProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (hasFocus) field.current?.focus()
  }, [hasFocus])
  const [text, setText] = useState('')
  const [activeIndex, setActiveIndex] = useState(0)
  const listId = useId()
  const search = useSearch(text)
  const { query } = search
  const error = useSignInOn401(query.error)
  const isCurrent = search.isCurrent && text.trim() !== ''
  const results = isCurrent ? (query.data?.found ?? []).slice(0, MAX_RESULTS) : []
  const select = (result: WireSearchResult) => {
    setText('')
    onSelect(result)
  }
  return (
    <div className="find-payer">
      <input
        ref={field}
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded={results.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={results.length > 0 ? `${listId}-${activeIndex}` : undefined}
        placeholder="Name, phone or registration number"
        maxLength={100}
        autoComplete="off"
        disabled={isDisabled}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setActiveIndex(0)
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
          if (step !== 0 && results.length > 0) {
            event.preventDefault()
            setActiveIndex((activeIndex + step + results.length) % results.length)
          }
          const result = results[activeIndex]
          if (event.key === 'Enter') {
            event.preventDefault()
            if (result !== undefined) select(result)
          }
          if (event.key === 'Escape' && text !== '') {
            event.preventDefault()
            setText('')
          }
        }}
      />
      <div role="listbox" id={listId} aria-label={label} hidden={results.length === 0}>
        {results.map((result, index) => (
          <div
            key={result.reg_no}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === activeIndex}
            onPointerDown={(event) => {
              event.preventDefault()
              select(result)
            }}
          >
            <b>{result.name}</b> {result.phone}
            <small>{[result.reg_no, result.event.title].join(' · ')}</small>{' '}
            <RegistrationStatus
              registration={result}
              due={result.due}
              currency={readResponseCurrency(result)}
            />
          </div>
        ))}
      </div>
      <small role="status" className={error ? 'bad' : 'mute'}>
        {error
          ? error.message
          : isCurrent && query.data !== undefined && results.length === 0
            ? 'No registrations found.'
            : ''}
        {results.length > 0 && (
          <span className="vh">
            {results.length === 1 ? '1 registration' : `${results.length} registrations`} listed
          </span>
        )}
      </small>
    </div>
  )
}
