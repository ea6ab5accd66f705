/** The search over all events, by number, name, phone number or payment reference. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom'
import { isPaymentStatus } from '../../../engine/index.ts'
import type { FoundAnswer, WireFound } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, listOf } from '../../app/json-readers.ts'
import { ask, isTyping, SEARCH } from '../office-api-and-urls.ts'
import { useLeaveOn401 } from '../expired-session.ts'
import { Banner, Heading, RegNumber, Stands } from '../ui/error-banner-and-heading.tsx'
import { totalOf } from './list-table.tsx'
import './search-page.css'

const readFound: Reader<FoundAnswer> = (body) =>
  isRecord(body) &&
  typeof body['more'] === 'boolean' &&
  listOf(body['found'], (one) =>
    isRecord(one) &&
    hasAll(one, 'string', 'reg_no', 'name', 'category', 'payment_status_display') &&
    typeof one['in_review'] === 'boolean' &&
    isPaymentStatus(one['payment_status']) &&
    isRecord(one['event'])
      ? one
      : null,
  ) !== null
    ? (body as FoundAnswer)
    : null

/** `/` opens the search from any page of the office, except while typing in a field. */
export function useSlash(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event)) return
      event.preventDefault()
      void navigate(SEARCH)
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [navigate])
}

export function SearchPage() {
  const { search } = useLocation()
  const navigate = useNavigate()
  const text = new URLSearchParams(search).get('q')?.trim() ?? ''
  const [typed, setTyped] = useState(text)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const query = useQuery({
    queryKey: ['find', text],
    queryFn: ({ signal }) =>
      ask(`/admin/find/?${new URLSearchParams({ q: text }).toString()}`, readFound, { signal }),
    enabled: text !== '',
  })
  const error = useLeaveOn401(query.error)
  const found = query.data?.found ?? []
  const [only] = found
  // A single result is opened directly; Back returns to the previous page.
  if (only !== undefined && found.length === 1 && only.route !== null && typed === text)
    return <Navigate to={addressOf(only)} replace state={{ from: SEARCH }} />
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <Heading title="Search" />
      <form
        role="search"
        className="findbar"
        onSubmit={(event) => {
          event.preventDefault()
          void navigate(`${SEARCH}?${new URLSearchParams({ q: typed.trim() }).toString()}`)
        }}
      >
        <label>
          Name, phone, email, number or bank reference
          <input
            ref={field}
            type="search"
            maxLength={100}
            autoComplete="off"
            enterKeyHint="search"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <button type="submit" className="btn">
          Search
        </button>
      </form>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', go: () => void query.refetch() }}
        />
      )}
      <p role="status" className="mute">
        {query.data === undefined ? '' : foundText(query.data)}
      </p>
      <ul className="hits">
        {found.map((one) => (
          <li key={one.reg_no}>
            <Hit one={one} />
          </li>
        ))}
      </ul>
    </main>
  )
}

function Hit({ one }: { readonly one: WireFound }) {
  const words = (
    <>
      <b>{one.name}</b>
      <RegNumber text={one.reg_no} />
      <span className="mute">
        {[one.event.title, one.category].filter((word) => word !== '').join(' · ')}
      </span>
      <span>{one.total === null ? '' : totalOf(one.total)}</span>
      <Stands of={one} />
    </>
  )
  return one.route === null ? (
    <span className="hit">{words}</span>
  ) : (
    <Link className="hit" to={addressOf(one)} state={{ from: SEARCH }}>
      {words}
    </Link>
  )
}

const addressOf = ({ route, reg_no }: WireFound): string => `${route}/${encodeURIComponent(reg_no)}`

function foundText({ found, more }: FoundAnswer): string {
  if (found.length === 0) return 'No registrations found. Try fewer letters, or the phone number.'
  const count = `${found.length} ${found.length === 1 ? 'registration' : 'registrations'}`
  return more ? `The newest ${count}. Add a word to narrow the search.` : count
}
