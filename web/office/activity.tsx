/** Who did what in the office, and when. What is asked of it stands in the page's address. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router-dom'
import type { SessionAnswer, WireActivity } from '../../engine/index.ts'
import { ask, registrationAddress } from './calls.ts'
import { useLeaveOn401 } from './leave.ts'
import { Banner, Heading } from './parts.tsx'
import { readActivity } from './people-answers.ts'
import { instantText } from './when.ts'
import './filters.css'
import './registration.css'
import './people.css'

const CALL = '/api/admin/log/'
const FILTERS = ['who', 'event', 'kind', 'words', 'from', 'to'] as const
const KINDS = [
  ['', 'All but looking'],
  ['changes', 'What was changed'],
  ['exports', 'What was exported'],
  ['signing-in', 'Signing in and out'],
  ['looks', 'What was looked at'],
  ['all', 'Everything'],
] as const

export function ActivityPage({ session }: { readonly session: SessionAnswer }) {
  const [params, setParams] = useSearchParams()
  const asked = new URLSearchParams(
    FILTERS.flatMap((name) => {
      const value = params.get(name)?.trim() ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  ).toString()
  const query = useInfiniteQuery({
    queryKey: ['activity', asked],
    initialPageParam: null as number | null,
    queryFn: ({ signal, pageParam }) =>
      ask(`${CALL}?${asked}${pageParam === null ? '' : `&before=${pageParam}`}`, readActivity, {
        signal,
      }),
    getNextPageParam: ({ before }) => before,
  })
  const error = useLeaveOn401(query.error)
  const rows = query.data?.pages.flatMap((page) => page.rows)
  const people = query.data?.pages[0]?.people ?? []
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <Heading title="Activity">
        <a className="btn line sm" href={`${CALL}export/?${asked}`}>
          Export CSV
        </a>
      </Heading>
      <form
        className="fil whole"
        aria-label="Filters"
        key={asked}
        onSubmit={(event) => {
          event.preventDefault()
          const data = [...new FormData(event.currentTarget)].flatMap(([name, value]) =>
            typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
          )
          setParams(new URLSearchParams(data))
        }}
      >
        <label>
          Who
          <select name="who" defaultValue={params.get('who') ?? ''}>
            <option value="">Everybody</option>
            {[...new Set([...people, params.get('who') ?? ''])]
              .filter((who) => who !== '')
              .map((who) => (
                <option key={who}>{who}</option>
              ))}
          </select>
        </label>
        <label>
          What
          <select name="kind" defaultValue={params.get('kind') ?? ''}>
            {KINDS.map(([kind, text]) => (
              <option key={kind} value={kind}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          Event
          <select name="event" defaultValue={params.get('event') ?? ''}>
            <option value="">All events</option>
            {session.events.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Words
          <input
            name="words"
            defaultValue={params.get('words') ?? ''}
            maxLength={100}
            autoComplete="off"
          />
        </label>
        <label>
          From
          <input name="from" type="date" defaultValue={params.get('from') ?? ''} />
        </label>
        <label>
          To
          <input name="to" type="date" defaultValue={params.get('to') ?? ''} />
        </label>
        <div className="go">
          <button type="submit" className="btn sm">
            Show
          </button>
          {asked !== '' && (
            <button type="button" className="btn line sm" onClick={() => setParams({})}>
              Clear
            </button>
          )}
        </div>
      </form>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', go: () => void query.refetch() }}
        />
      )}
      {rows === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the activity</span>
        </p>
      )}
      {rows && (
        <section className="pan" aria-label="What was done">
          {rows.length === 0 && <p className="mute">Nothing matches these filters.</p>}
          <ul className="log">
            {rows.map((row) => (
              <Act key={row.id} row={row} session={session} />
            ))}
          </ul>
          {query.hasNextPage && (
            <button
              type="button"
              className="btn line sm"
              disabled={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              Show Older
            </button>
          )}
        </section>
      )}
    </main>
  )
}

function Act({
  row: { who, what, at, event, event_id, reg_no },
  session,
}: {
  readonly row: WireActivity
  readonly session: SessionAnswer
}) {
  const list = session.events.find(({ id }) => id === event_id)?.lists[0]
  return (
    <li>
      <span>
        <b>{who}</b> {what}
        <small>
          {event}
          {event !== '' && reg_no !== null && ' · '}
          {reg_no !== null &&
            (list === undefined ? (
              reg_no
            ) : (
              <Link to={registrationAddress(list, reg_no)}>{reg_no}</Link>
            ))}
        </small>
      </span>
      <time dateTime={at}>{instantText(at)}</time>
    </li>
  )
}
