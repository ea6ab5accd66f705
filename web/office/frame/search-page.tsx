/** Searches all events by number, name, phone number or payment reference. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom'
import { isPaymentStatus } from '../../../engine/index.ts'
import type { SearchResponse, WireFound } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, listOf } from '../../app/json-readers.ts'
import { callApi, isTyping, registrationUrl, SEARCH } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import {
  Banner,
  PageHeading,
  RegNumber,
  RegistrationStatus,
} from '../ui/error-banner-and-heading.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponsePrice } from '../ui/format-amount.ts'
import './search-page.css'

const readResult: Reader<unknown> = (result) =>
  isRecord(result) &&
  hasAll(result, 'string', 'reg_no', 'name', 'phone', 'category', 'payment_status_display') &&
  typeof result['in_review'] === 'boolean' &&
  isPaymentStatus(result['payment_status']) &&
  isRecord(result['event'])
    ? result
    : null

const readSearchResults: Reader<SearchResponse> = (body) =>
  isRecord(body) &&
  typeof body['more'] === 'boolean' &&
  listOf(body['found'], readResult) !== null &&
  listOf(body['similar'], readResult) !== null &&
  listOf(body['events'], (title) => (typeof title === 'string' ? title : null)) !== null
    ? (body as SearchResponse)
    : null

/** The `/` key opens the search from any office page, except while the user types in a field. */
export function useSearchShortcut(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event)) return
      event.preventDefault()
      void navigate(SEARCH)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [navigate])
}

export function SearchPage() {
  const { search } = useLocation()
  const navigate = useNavigate()
  const text = new URLSearchParams(search).get('q')?.trim() ?? ''
  const [searchText, setSearchText] = useState(text)
  const inputRef = useRef<HTMLInputElement>(null)
  useEffect(() => inputRef.current?.focus(), [])
  const query = useQuery({
    queryKey: ['find', text],
    queryFn: ({ signal }) =>
      callApi(`/admin/find/?${new URLSearchParams({ q: text }).toString()}`, readSearchResults, {
        signal,
      }),
    enabled: text !== '',
  })
  const error = useSignInOn401(query.error)
  const results = query.data?.found ?? []
  const [onlyResult] = results
  // A single result is opened directly; Back returns to the previous page.
  if (onlyResult !== undefined && results.length === 1 && searchText === text)
    return <Navigate to={resultUrl(onlyResult)} replace state={{ from: SEARCH }} />
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Search" />
      <form
        role="search"
        className="findbar"
        onSubmit={(event) => {
          event.preventDefault()
          void navigate(`${SEARCH}?${new URLSearchParams({ q: searchText.trim() }).toString()}`)
        }}
      >
        <label>
          Name, phone, email, number or bank reference
          <input
            ref={inputRef}
            type="search"
            maxLength={100}
            autoComplete="off"
            enterKeyHint="search"
            value={searchText}
            onChange={({ target }) => setSearchText(target.value)}
          />
        </label>
        <button type="submit" className="btn">
          Search
        </button>
      </form>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      <p role="status" className="mute">
        {query.data === undefined ? '' : describeResults(query.data)}
      </p>
      <Results results={results.length > 0 ? results : (query.data?.similar ?? [])} />
    </main>
  )
}

const Results = ({ results }: { readonly results: readonly WireFound[] }) => (
  <ul className="hits">
    {results.map((result) => (
      <li key={result.reg_no}>
        <SearchResult result={result} />
      </li>
    ))}
  </ul>
)

function SearchResult({ result }: { readonly result: WireFound }) {
  const content = (
    <>
      <b>{result.name}</b>
      <RegNumber text={result.reg_no} />
      <span className="mute">
        {[result.phone, result.event.title, result.category]
          .filter((part) => part !== '')
          .join(' · ')}
      </span>
      <span>
        {result.total === null
          ? ''
          : formatResponsePrice(result.total, readResponseCurrency(result))}
      </span>
      <RegistrationStatus registration={result} />
    </>
  )
  return (
    <Link className="hit" to={resultUrl(result)} state={{ from: SEARCH }}>
      {content}
    </Link>
  )
}

const resultUrl = ({ event, reg_no }: WireFound): string => registrationUrl(event, reg_no)

/** More titles would be longer than the results. */
const TITLES_MAX = 3

function describeResults({ found, similar, events, more }: SearchResponse): string {
  const where =
    events.length > TITLES_MAX ? `all ${events.length} events` : events.join(', ') || 'your events'
  if (found.length > 0) {
    const count = countOf(found)
    return more
      ? `The first ${count} in ${where}. Add a word to narrow the search.`
      : `${count} in ${where}`
  }
  return similar.length === 0
    ? `No registrations found in ${where}. Try fewer letters, or the phone number.`
    : `No registrations found in ${where}. ${countOf(similar)} with a similar name:`
}

const countOf = ({ length }: readonly WireFound[]): string =>
  `${length} ${length === 1 ? 'registration' : 'registrations'}`
