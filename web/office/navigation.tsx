/** The frame of every office page: navigation and the signed-in user. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { isAtLeast } from '../../engine/index.ts'
import type { OfficeEvent, SessionAnswer } from '../../engine/api.ts'
import { Icon, Logo } from '../ui/icons-and-logo.tsx'
import { SkipLink } from '../ui/layout/skip-link.tsx'
import { readDone } from './office-api-responses.ts'
import {
  ACCOUNT,
  ACTIVITY,
  addAddress,
  codesAddress,
  reconcileAddress,
  DASHBOARD,
  EVENT_FILES,
  LOGIN,
  MAILS,
  MONEY,
  PEOPLE,
  RECOVERY,
  SEARCH,
  ask,
  isOwnerOfAll,
} from './office-api-and-urls.ts'
import { useLeaveOn401 } from './expired-session.ts'
import { Banner } from './ui/error-banner-and-heading.tsx'
import { useSlash } from './lists/search-page.tsx'

/** A sidebar from 1280 pixels, tabs above the page below that. */
export function Frame({
  session,
  path,
  children,
}: {
  readonly session: SessionAnswer
  readonly path: string
  readonly children: ReactNode
}) {
  const nav = useRef<HTMLElement>(null)
  useSlash()
  const { logout, problem } = useLogout()
  useEffect(() => {
    const current = nav.current?.querySelector('[aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  const pages = session.events.map((event) => pagesOf(event, session.role))
  // Their URLs may be below that of the event's list.
  const isOfEvent = pages.flat().some(({ to }) => to === path)
  const isAt = (route: string): boolean =>
    path === route || (path.startsWith(`${route}/`) && !isOfEvent)
  const current = (route: string) => (isAt(route) ? { 'aria-current': 'page' as const } : {})
  return (
    <div className="shell">
      <SkipLink />
      <header className="rail">
        <div className="who">
          <a className="mark" href="/">
            <Logo />
            Rollcall
          </a>
          <button type="button" className="btn line sm" onClick={logout}>
            <Icon name="out" small />
            Logout
          </button>
        </div>
        <nav aria-label="Office" ref={nav}>
          <Link to={DASHBOARD} {...current(DASHBOARD)}>
            <Icon name="grid" />
            Dashboard
          </Link>
          <Link to={SEARCH} aria-keyshortcuts="/" {...current(SEARCH)}>
            <Icon name="search" />
            Search
          </Link>
          <Link to={MONEY} {...current(MONEY)}>
            <Icon name="tri" />
            Needs review
          </Link>
          <span className="grp" aria-hidden="true">
            Lists
          </span>
          {session.events.map((event, index) => {
            const own = pages[index] ?? []
            const isOpen =
              session.events.length === 1 ||
              event.lists.some(({ route }) => isAt(route)) ||
              own.some(({ to }) => to === path)
            return (
              <Fragment key={event.id}>
                {event.lists.map((list) => (
                  <Link key={list.route} to={list.route} {...current(list.route)}>
                    <Icon name="rows" />
                    {shortTitle(list.title)}
                  </Link>
                ))}
                {isOpen &&
                  own.map(({ to, label }) => (
                    <Link key={to} to={to} className="sub" {...current(to)}>
                      {label}
                    </Link>
                  ))}
              </Fragment>
            )
          })}
          <span className="grp" aria-hidden="true">
            Office
          </span>
          {isOwnerOfAll(session) && (
            <Link to={PEOPLE} {...current(PEOPLE)}>
              <Icon name="flag" />
              Team
            </Link>
          )}
          {isAtLeast(session.role, 'desk') && (
            <Link to={MAILS} {...current(MAILS)}>
              <Icon name="mail" />
              Emails
            </Link>
          )}
          {isOwnerOfAll(session) && (
            <Link to={EVENT_FILES} {...current(EVENT_FILES)}>
              <Icon name="file" />
              Event files
            </Link>
          )}
          {isOwnerOfAll(session) && (session.in_recovery || isAt(RECOVERY)) && (
            <Link to={RECOVERY} {...current(RECOVERY)}>
              <Icon name="tri" />
              Recovery
            </Link>
          )}
          {isAtLeast(session.role, 'owner') && (
            <Link to={ACTIVITY} {...current(ACTIVITY)}>
              <Icon name="clock" />
              Audit log
            </Link>
          )}
          <Link to={ACCOUNT} {...current(ACCOUNT)}>
            <Icon name="lock" />
            Your account
          </Link>
        </nav>
        <div className="me">
          <p>
            Signed in as <b>{session.username}</b>
          </p>
          <button type="button" className="btn line sm" onClick={logout}>
            <Icon name="out" small />
            Logout
          </button>
        </div>
      </header>
      <div className="stage">
        {problem !== null && (
          <Banner
            text={`Logging out failed, so you are still signed in. ${problem}`}
            action={{ label: session.texts.admin.retry, go: logout }}
          />
        )}
        {session.in_recovery && !isAt(RECOVERY) && (
          <aside className="care inrecovery" aria-label="Recovery">
            <Icon name="tri" small />
            <span>
              The database was restored from an older copy. Scheduled emails, refunds and erasure
              are held.{' '}
              {isOwnerOfAll(session) ? (
                <Link to={RECOVERY}>Open the recovery</Link>
              ) : (
                'Only an owner can end the recovery.'
              )}
            </span>
          </aside>
        )}
        {children}
      </div>
    </div>
  )
}

/**
 * Further pages of an event, shown below its list only while the user is on one of them; shown for
 * all events at once, they would hide the lists.
 */
function pagesOf(
  { id, gives_codes, status }: OfficeEvent,
  role: SessionAnswer['role'],
): readonly { readonly to: string; readonly label: string }[] {
  return [
    ...(gives_codes ? [{ to: codesAddress(id), label: 'Codes' }] : []),
    // Registrations cannot be added manually to a closed event either.
    ...(isAtLeast(role, 'desk') && status === 'open'
      ? [{ to: addAddress(id), label: 'Add registration' }]
      : []),
    ...(isAtLeast(role, 'treasurer')
      ? [{ to: reconcileAddress(id), label: 'Bank statements and settlements' }]
      : []),
  ]
}

/** A list's title without the word that all of them share. */
export const shortTitle = (title: string): string => title.replace(/\s+registrations$/i, '')

/**
 * Ends the session on the server, then clears it here. If the server does not confirm, the session
 * remains valid and the next click would show delegates' data again; `problem` then states why.
 */
function useLogout(): { readonly logout: () => void; readonly problem: string | null } {
  const client = useQueryClient()
  const navigate = useNavigate()
  const ending = useMutation({
    mutationFn: () => ask('/admin/logout/', readDone, { method: 'POST' }),
    onSuccess: () => {
      client.clear()
      return navigate(LOGIN, { replace: true })
    },
  })
  const error = useLeaveOn401(ending.error)
  return { logout: () => ending.mutate(), problem: error?.message ?? null }
}

export function Waiting() {
  return (
    <main className="main alone" id="main" aria-busy="true">
      <h1 className="vh">Office</h1>
      <p className="spinner" role="status">
        <span className="spin big" aria-hidden="true" />
        <span className="vh">Loading</span>
      </p>
    </main>
  )
}
