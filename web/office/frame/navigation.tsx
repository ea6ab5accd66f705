/** The frame of every office page: navigation and the signed-in user. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { isAtLeast } from '../../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import { Icon, Logo } from '../../ui/icons-and-logo.tsx'
import { SkipLink } from '../../ui/layout/skip-link.tsx'
import { readSuccess } from '../office-api-responses.ts'
import {
  ACCOUNT,
  AUDIT_LOG,
  addRegistrationUrl,
  discountCodesUrl,
  eventPaymentsUrl,
  STATEMENTS,
  registrationsUrl,
  DASHBOARD,
  EVENT_FILES,
  SIGN_IN,
  EMAILS,
  PAYMENTS,
  TEAM,
  RECOVERY,
  SEARCH,
  callApi,
  isOwnerOfAll,
} from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { OfficeToasts } from '../ui/toast.tsx'
import { useSearchShortcut } from './search-page.tsx'

/** Shows a sidebar on screens at least 1280 pixels wide, and tabs above the page on others. */
export function OfficeFrame({
  session,
  path,
  children,
}: {
  readonly session: SessionResponse
  readonly path: string
  readonly children: ReactNode
}) {
  const nav = useRef<HTMLElement>(null)
  useSearchShortcut()
  const { logOut, errorMessage: error } = useLogOut()
  useEffect(() => {
    const current = nav.current?.querySelector('[aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  const pages = session.events.map((event) => listEventPages(event, session.role))
  // The URL of an event page may begin with the URL of the event's list.
  const isEventPage = pages.flat().some(({ to }) => to === path)
  const isCurrent = (route: string): boolean =>
    path === route || (path.startsWith(`${route}/`) && !isEventPage)
  const ariaCurrent = (route: string) =>
    isCurrent(route) ? { 'aria-current': 'page' as const } : {}
  return (
    <div className="shell">
      <SkipLink />
      <header className="rail">
        <div className="who">
          <a className="mark" href="/">
            <Logo />
            Rollcall
          </a>
          <button type="button" className="btn line sm" onClick={logOut}>
            <Icon name="out" small />
            Logout
          </button>
        </div>
        <nav aria-label="Office" ref={nav}>
          <Link to={DASHBOARD} {...ariaCurrent(DASHBOARD)}>
            <Icon name="grid" />
            Dashboard
          </Link>
          <Link to={SEARCH} aria-keyshortcuts="/" {...ariaCurrent(SEARCH)}>
            <Icon name="search" />
            Search
          </Link>
          <Link to={PAYMENTS} {...ariaCurrent(PAYMENTS)}>
            <Icon name="tri" />
            Payments
          </Link>
          <span className="grp" aria-hidden="true">
            Lists
          </span>
          {session.events.map((event, index) => {
            const eventPages = pages[index] ?? []
            const isOpen =
              session.events.length === 1 ||
              isCurrent(registrationsUrl(event)) ||
              event.lists.some(({ route }) => path === route) ||
              eventPages.some(({ to }) => to === path)
            return (
              <Fragment key={event.id}>
                {event.lists.length > 0 && (
                  <Link to={registrationsUrl(event)} {...ariaCurrent(registrationsUrl(event))}>
                    <Icon name="rows" />
                    {event.title}
                  </Link>
                )}
                {isOpen &&
                  eventPages.map(({ to, label }) => (
                    <Link key={to} to={to} className="sub" {...ariaCurrent(to)}>
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
            <Link to={TEAM} {...ariaCurrent(TEAM)}>
              <Icon name="flag" />
              Team
            </Link>
          )}
          {isAtLeast(session.role, 'desk') && (
            <Link to={EMAILS} {...ariaCurrent(EMAILS)}>
              <Icon name="mail" />
              Emails
            </Link>
          )}
          {isOwnerOfAll(session) && (
            <Link to={EVENT_FILES} {...ariaCurrent(EVENT_FILES)}>
              <Icon name="file" />
              Event files
            </Link>
          )}
          {isOwnerOfAll(session) && (session.in_recovery || isCurrent(RECOVERY)) && (
            <Link to={RECOVERY} {...ariaCurrent(RECOVERY)}>
              <Icon name="tri" />
              Recovery
            </Link>
          )}
          {isAtLeast(session.role, 'owner') && (
            <Link to={AUDIT_LOG} {...ariaCurrent(AUDIT_LOG)}>
              <Icon name="clock" />
              Audit log
            </Link>
          )}
          <Link to={ACCOUNT} {...ariaCurrent(ACCOUNT)}>
            <Icon name="lock" />
            Your account
          </Link>
        </nav>
        <div className="me">
          <p>
            Signed in as <b>{session.username}</b>
          </p>
          <button type="button" className="btn line sm" onClick={logOut}>
            <Icon name="out" small />
            Logout
          </button>
        </div>
      </header>
      <div className="stage">
        {error !== null && (
          <Banner
            text={`Logging out failed, so you are still signed in. ${error}`}
            action={{ label: session.texts.admin.retry, onClick: logOut }}
          />
        )}
        {session.in_recovery && !isCurrent(RECOVERY) && (
          <aside className="care inrecovery" aria-label="Recovery">
            <Icon name="tri" small />
            <span>
              The database was restored from an older copy. Scheduled emails, refunds and erasure
              are on hold.{' '}
              {isOwnerOfAll(session) ? (
                <Link to={RECOVERY}>Go to Recovery</Link>
              ) : (
                'Only an owner can end the recovery.'
              )}
            </span>
          </aside>
        )}
        <OfficeToasts>{children}</OfficeToasts>
      </div>
    </div>
  )
}

/**
 * Returns the other pages of an event. They are shown below its list only while the user is on a
 * page of the event: shown for every event, they would hide the lists.
 */
function listEventPages(
  event: OfficeEvent,
  role: SessionResponse['role'],
): readonly { readonly to: string; readonly label: string }[] {
  return [
    ...(event.gives_codes ? [{ to: discountCodesUrl(event), label: 'Codes' }] : []),
    ...(isAtLeast(role, 'desk') && event.adds_registrations
      ? [{ to: addRegistrationUrl(event), label: 'Add registration' }]
      : []),
    ...(isAtLeast(role, 'treasurer')
      ? [
          { to: eventPaymentsUrl(event), label: 'Payments' },
          {
            to: `${STATEMENTS}?event=${encodeURIComponent(event.id)}`,
            label: 'Bank statements and settlements',
          },
        ]
      : []),
  ]
}

/**
 * Ends the session on the server, then clears it here. If the server does not confirm, the
 * session remains valid and the next click would show delegates' data again; `errorMessage` then
 * states the reason.
 */
function useLogOut(): { readonly logOut: () => void; readonly errorMessage: string | null } {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const logoutMutation = useMutation({
    mutationFn: () => callApi('/admin/logout/', readSuccess, { method: 'POST' }),
    onSuccess: () => {
      queryClient.clear()
      return navigate(SIGN_IN, { replace: true })
    },
  })
  const error = useSignInOn401(logoutMutation.error)
  return { logOut: () => logoutMutation.mutate(), errorMessage: error?.message ?? null }
}

export function LoadingPage() {
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
