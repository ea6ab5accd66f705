/** The frame of every office page: top bar, rail, breadcrumbs, and the bottom bar on phones. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { day, sortEvents } from '../../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import { Icon, Logo } from '../../ui/icons-and-logo.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SkipLink } from '../../ui/layout/skip-link.tsx'
import { readSuccess } from '../office-api-responses.ts'
import {
  RECOVERY,
  SEARCH,
  SIGN_IN,
  buildAddRegistrationUrl,
  callApi,
  isOwnerOfAll,
  buildRegistrationsUrl,
} from '../office-api-and-urls.ts'
import {
  findEventPage,
  findSharedPage,
  listEventsForNewRegistrations,
  listPagesAbove,
  listSharedLinks,
} from '../office-pages-and-roles.ts'
import type { EventPage } from '../office-pages-and-roles.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { OfficeToasts } from '../ui/toast.tsx'
import { useIsPhone, useMediaQuery } from '../ui/use-media-query.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { PageContext } from './page-title.ts'
import { Rail } from './rail.tsx'
import { SearchField } from './search-field.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import { useOfficeShortcuts } from './office-shortcuts.ts'
import { UserMenu } from './user-menu.tsx'
import './frame.css'

type FrameProps = {
  readonly session: SessionResponse
  readonly path: string
  readonly children: ReactNode
}

export function OfficeFrame({ session, path, children }: FrameProps) {
  const isWide = useMediaQuery('(min-width: 1280px)')
  const isPhone = useIsPhone()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [showsShortcuts, setShowsShortcuts] = useState(false)
  const [title, setTitle] = useState('')
  const searchInput = useRef<HTMLInputElement>(null)
  const { logOut, errorMessage: logOutError } = useLogOut()
  const eventPage = findEventPage(path, session.events)
  const currentEvent = useCurrentEvent(session, path, eventPage)
  const eventForNewRegistration = findEventForNewRegistration(session, currentEvent)
  const eventTitle = eventPage?.event.title ?? null
  const pageContext = useMemo(() => ({ setTitle, eventTitle }), [eventTitle])
  useOfficeShortcuts({
    session,
    currentEvent,
    eventForNewRegistration,
    searchInput,
    onShowShortcuts: () => setShowsShortcuts(true),
  })
  const menu = (
    <Rail
      session={session}
      currentEvent={currentEvent}
      currentUrl={findCurrentUrl(path, eventPage)}
      onLogOut={logOut}
    />
  )
  const addLink = eventForNewRegistration !== null && (
    <Link
      className="btn sm add"
      to={buildAddRegistrationUrl(eventForNewRegistration)}
      aria-keyshortcuts="n"
      {...(eventPage?.id === 'add' && { 'aria-current': 'page' as const })}
    >
      <Icon name="plus" small />
      <span>Add registration</span>
    </Link>
  )
  return (
    <PageContext value={pageContext}>
      <div className="shell">
        <SkipLink />
        <header className="topbar">
          {!isWide && !isPhone && (
            <button type="button" className="btn line sm" onClick={() => setMenuOpen(true)}>
              <Icon name="rows" small />
              Menu
            </button>
          )}
          <a className="mark" href="/">
            <Logo />
            Rollcall
          </a>
          {!isPhone && path !== SEARCH && <SearchField session={session} inputRef={searchInput} />}
          <div className="right">
            {!isPhone && addLink}
            <UserMenu
              session={session}
              onShowShortcuts={() => setShowsShortcuts(true)}
              onLogOut={logOut}
            />
          </div>
        </header>
        {isWide && <div className="rail">{menu}</div>}
        <div className="stage">
          {logOutError !== null && (
            <Banner
              text={`We could not sign you out. You are still signed in. ${logOutError}`}
              action={{ label: session.texts.admin.retry, onClick: logOut }}
            />
          )}
          {session.in_recovery && path !== RECOVERY && <RecoveryNotice session={session} />}
          <Breadcrumbs eventPage={eventPage} path={path} title={title} />
          <OfficeToasts>{children}</OfficeToasts>
        </div>
        {isPhone && (
          <BottomBar
            session={session}
            path={path}
            eventForNewRegistration={eventForNewRegistration}
            onOpenMenu={() => setMenuOpen(true)}
          />
        )}
        {isMenuOpen && !isWide && (
          // The menu closes before the page changes, because a heading behind a dialog cannot receive focus.
          <div
            className="drawer"
            onClickCapture={({ target }) => {
              if (target instanceof Element && target.closest('a') !== null) setMenuOpen(false)
            }}
          >
            <Dialog title="Menu" onClose={() => setMenuOpen(false)}>
              {menu}
              <button type="button" className="btn line" onClick={() => setMenuOpen(false)}>
                Close
              </button>
            </Dialog>
          </div>
        )}
        {showsShortcuts && <ShortcutsDialog onClose={() => setShowsShortcuts(false)} />}
      </div>
    </PageContext>
  )
}

/**
 * Returns the event of the open page. On a page without an event, returns the event opened last, or else the next
 * conference.
 */
function useCurrentEvent(
  { events, today }: SessionResponse,
  path: string,
  eventPage: EventPage | null,
): OfficeEvent | null {
  const [lastId, setLastId] = useState<string | null>(null)
  const openedEvent =
    eventPage?.event ??
    events.find(({ lists }) => lists.some(({ route }) => route === path)) ??
    null
  if (openedEvent !== null && openedEvent.id !== lastId) setLastId(openedEvent.id)
  return (
    openedEvent ??
    events.find(({ id }) => id === lastId) ??
    sortEvents(events, day(today))[0] ??
    null
  )
}

/** Returns the current event if it accepts registrations today, otherwise the first event that does. */
function findEventForNewRegistration(
  session: SessionResponse,
  currentEvent: OfficeEvent | null,
): OfficeEvent | null {
  const events = listEventsForNewRegistrations(session)
  return events.find(({ id }) => id === currentEvent?.id) ?? events[0] ?? null
}

/** Returns the URL of the link that represents the open page. A registration is part of Registrations. */
function findCurrentUrl(path: string, eventPage: EventPage | null): string {
  if (eventPage?.id === 'registration' || eventPage?.id === 'registrations')
    return buildRegistrationsUrl(eventPage.event)
  if (findSharedPage(path)?.rail === null) return listPagesAbove(path).at(-1)?.to ?? path
  return path
}

function RecoveryNotice({ session }: { readonly session: SessionResponse }) {
  return (
    <aside className="care recovery-notice" aria-label="Recovery">
      <Icon name="tri" small />
      <span>
        The database was restored from an older backup. Scheduled emails, refunds and erasure are on
        hold.{' '}
        {isOwnerOfAll(session) ? (
          <Link to={RECOVERY}>Go to Recovery</Link>
        ) : (
          'Only an owner can end the recovery.'
        )}
      </span>
    </aside>
  )
}

function BottomBar({
  session,
  path,
  eventForNewRegistration,
  onOpenMenu,
}: {
  readonly session: SessionResponse
  readonly path: string
  readonly eventForNewRegistration: OfficeEvent | null
  readonly onOpenMenu: () => void
}) {
  const sharedLinks = listSharedLinks(session, 'events')
  const links = [
    ...sharedLinks.filter(({ id }) => id === 'home'),
    { to: SEARCH, label: 'Search', icon: 'search' as const },
    ...(eventForNewRegistration === null
      ? []
      : [
          {
            to: buildAddRegistrationUrl(eventForNewRegistration),
            label: 'Add',
            icon: 'plus' as const,
          },
        ]),
    ...sharedLinks.filter(({ id }) => id === 'payments'),
  ]
  return (
    <nav className="bottombar" aria-label="Main">
      {links.map(({ to, label, icon }) => (
        <Link key={to} to={to} {...(path === to && { 'aria-current': 'page' as const })}>
          <Icon name={icon} />
          {label}
        </Link>
      ))}
      <button type="button" onClick={onOpenMenu}>
        <Icon name="rows" />
        Menu
      </button>
    </nav>
  )
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
