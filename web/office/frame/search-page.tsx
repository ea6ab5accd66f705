/** The search page for all events, with the results grouped by event. Its URL can be shared. */
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import type { SearchResponse, WireSearchResult } from '../../../engine/api.ts'
import { SEARCH } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import {
  Banner,
  PageHeading,
  RegNumber,
  RegistrationStatus,
} from '../ui/error-banner-and-heading.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponsePrice } from '../ui/format-amount.ts'
import { Highlighted, describePayment, buildResultUrl, useSearch } from './search-results.tsx'
import { formatRegistrationCount } from '../lists/list-totals.tsx'
import './search-page.css'

export const SEARCH_HINT = 'Name, phone, email, registration number or bank reference'
export const buildSearchUrl = (text: string): string =>
  `${SEARCH}?${new URLSearchParams({ q: text.trim() }).toString()}`

/** Whether the page changed its URL to match the typed text. */
type PageState = { readonly isTyped?: boolean } | null

export function SearchPage() {
  const { search, key, state } = useLocation() as {
    readonly search: string
    readonly key: string
    readonly state: PageState
  }
  const navigate = useNavigate()
  const urlText = new URLSearchParams(search).get('q') ?? ''
  const [typedText, setTypedText] = useState(urlText)
  /** If there is only one result, Enter opens it, even if Enter is pressed before the result has arrived. */
  const [isOpening, setOpening] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const { query, text, isCurrent } = useSearch(typedText)
  const isTyped = state?.isTyped === true
  useEffect(() => {
    // Handles a link to this page, or Back, while it is open.
    if (isTyped) return
    setTypedText(urlText)
    input.current?.focus()
  }, [isTyped, urlText, key])
  useEffect(() => {
    if (text !== '' && text !== urlText)
      void navigate(buildSearchUrl(text), { replace: true, state: { isTyped: true } })
    // The URL follows the text, not the reverse.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text])
  const error = useSignInOn401(query.error)
  const data = text === '' ? undefined : query.data
  const foundResults = data?.found ?? []
  const [onlyResult] = foundResults
  useEffect(() => {
    if (!isOpening || !isCurrent) return
    setOpening(false)
    if (onlyResult !== undefined && foundResults.length === 1)
      void navigate(buildResultUrl(onlyResult), { state: { from: buildSearchUrl(text) } })
  }, [isOpening, isCurrent, onlyResult, foundResults.length, text, navigate])
  const results = foundResults.length > 0 ? foundResults : (data?.similar ?? [])
  const events = new Map(results.map(({ event }) => [event.id, event]))
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Search" />
      <form
        role="search"
        className="search-bar"
        onSubmit={(event) => {
          event.preventDefault()
          setOpening(true)
        }}
      >
        <label>
          {SEARCH_HINT}
          <input
            ref={input}
            type="search"
            maxLength={100}
            autoComplete="off"
            enterKeyHint="search"
            value={typedText}
            onChange={({ target }) => {
              setTypedText(target.value)
              setOpening(false)
            }}
          />
        </label>
      </form>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <p role="status" className="mute">
        {data === undefined ? (typedText === '' ? SEARCH_HELP : '') : describeResults(data)}
      </p>
      {[...events.values()].map((event) => (
        <section key={event.id} aria-labelledby={`found-${event.id}`}>
          <h2 id={`found-${event.id}`}>{event.title}</h2>
          <ul className="hits">
            {results
              .filter((result) => result.event.id === event.id)
              .map((result) => (
                <li key={result.reg_no}>
                  <SearchResult result={result} text={text} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </main>
  )
}

const SearchResult = ({
  result,
  text,
}: {
  readonly result: WireSearchResult
  readonly text: string
}) => (
  <Link className="hit" to={buildResultUrl(result)} state={{ from: buildSearchUrl(text) }}>
    <b>
      <Highlighted text={result.name} search={text} />
    </b>
    <RegNumber text={result.reg_no} />
    <span className="mute">
      <Highlighted
        text={[result.phone, result.city, result.category].filter(Boolean).join(' · ')}
        search={text}
      />
    </span>
    <span>
      {result.total === null ? '' : formatResponsePrice(result.total, readResponseCurrency(result))}
    </span>
    <span>
      <RegistrationStatus
        registration={result}
        due={result.due}
        currency={readResponseCurrency(result)}
      />
      {describePayment(result) !== null && <small>{describePayment(result)}</small>}
    </span>
  </Link>
)

/** Shown until the user types. */
const SEARCH_HELP =
  'Searches registrations in all your events. Titles, initials and word order are ignored.'

/** The maximum number of event titles listed. More would take up more space than the results. */
const MAX_TITLES = 3

export function describeResults({ found, similar, events, more }: SearchResponse): string {
  const eventNames =
    events.length > MAX_TITLES ? `your ${events.length} events` : events.join(', ') || 'your events'
  if (found.length > 0) {
    const count = formatRegistrationCount(found.length)
    return more
      ? `The first ${count} in ${eventNames}. Add a word to narrow the search.`
      : `${count} in ${eventNames}`
  }
  return similar.length === 0
    ? `No registrations found in ${eventNames}. Try fewer letters, or the phone number.`
    : `No registrations found in ${eventNames}. ${formatRegistrationCount(similar.length)} with a similar name:`
}
