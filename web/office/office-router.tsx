/** The router of the office; requires sign-in. */
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { BrowserRouter, Navigate, useLocation } from 'react-router-dom'
import { isAtLeast } from '../../engine/index.ts'
import type { SessionAnswer } from '../../engine/api.ts'
import { Boundary } from '../app/error-boundary.tsx'
import { ErrorPage } from '../app/error-page.tsx'
import type { PageProps } from '../app/page-props.ts'
import { setCallTexts } from '../app/api-client.ts'
// First, so that the style sheets of the office's parts can override it.
import './office.css'
import { AddingPage } from './registration/add-registration-page.tsx'
import { AccountPage } from './users/account-page.tsx'
import { ActivityPage } from './operations/audit-log-page.tsx'
import { CodesPage } from './discount-codes/discount-codes-page.tsx'
import {
  ACCOUNT,
  ACTIVITY,
  addAddress,
  codesAddress,
  DASHBOARD,
  EVENT_FILES,
  LOGIN,
  MAILS,
  MONEY,
  PASSWORD,
  PEOPLE,
  RECOVERY,
  SEARCH,
  ask,
  isOwnerOfAll,
  newClient,
  reconcileAddress,
  safeNext,
} from './office-api-and-urls.ts'
import { readSession } from './office-api-responses.ts'
import { Dashboard } from './dashboard/dashboard-page.tsx'
import { EventFilesPage } from './operations/event-files-page.tsx'
import { Frame, Waiting } from './navigation.tsx'
import { useLeaveOn401 } from './expired-session.ts'
import { ListPage } from './lists/list-page.tsx'
import { Login } from './auth/sign-in-page.tsx'
import { MoneyPage } from './reconciliation/payment-reviews-page.tsx'
import { MailsPage } from './operations/emails-page.tsx'
import { PasswordPage } from './auth/set-password-page.tsx'
import { PeoplePage } from './users/team-page.tsx'
import { RecoveryPage } from './operations/recovery-page.tsx'
import { SearchPage } from './lists/search-page.tsx'
import { ReconcilePage } from './reconciliation/bank-statement-page.tsx'
import { RegistrationPage } from './registration/registration-details-page.tsx'
import { Banner } from './ui/error-banner-and-heading.tsx'

/**
 * The entire office: sign-in, dashboard, lists and registrations, by the event files and the URL.
 */
export default function Office(_props: PageProps) {
  const [client] = useState(newClient)
  return (
    <QueryClientProvider client={client}>
      {/* Route changes are synchronous with the click, so that text typed into the new filters is
          not lost. */}
      <BrowserRouter useTransitions={false}>
        <Routed />
      </BrowserRouter>
    </QueryClientProvider>
  )
}

function Routed() {
  const { key, pathname, search } = useLocation()
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname
  return (
    <Boundary resetBy={key} otherwise={<ErrorPage />}>
      {path === LOGIN ? (
        <Login next={safeNext(new URLSearchParams(search).get('next'))} />
      ) : path === PASSWORD ? (
        <PasswordPage />
      ) : (
        <SignedIn path={path} />
      )}
    </Boundary>
  )
}

function SignedIn({ path }: { readonly path: string }) {
  const session = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => ask('/admin/session/', readSession, { signal }),
    staleTime: Infinity,
  })
  const error = useLeaveOn401(session.error)
  useEffect(() => {
    if (session.data) setCallTexts(session.data.texts.calls)
  }, [session.data])
  if (session.data)
    return (
      <Frame session={session.data} path={path}>
        {pageAt(path, session.data)}
      </Frame>
    )
  if (error) {
    return (
      <main className="main alone" id="main">
        <h1>Office</h1>
        <Banner
          text={error.message}
          action={{ label: 'Try Again', go: () => void session.refetch() }}
        />
      </main>
    )
  }
  return <Waiting />
}

function pageAt(path: string, session: SessionAnswer): ReactNode {
  // All other calls are refused until a second factor is set up.
  if (session.needs_second_factor && path !== ACCOUNT) return <Navigate to={ACCOUNT} replace />
  if (path === ACCOUNT) return <AccountPage isHeld={session.needs_second_factor} />
  if (path === PEOPLE && isOwnerOfAll(session)) return <PeoplePage username={session.username} />
  if (path === ACTIVITY && isAtLeast(session.role, 'owner'))
    return <ActivityPage session={session} />
  if (path === MAILS && isAtLeast(session.role, 'desk')) return <MailsPage session={session} />
  if (path === EVENT_FILES && isOwnerOfAll(session)) return <EventFilesPage />
  if (path === RECOVERY && isOwnerOfAll(session)) return <RecoveryPage />
  if (path === SEARCH) return <SearchPage />
  if (path === MONEY) return <MoneyPage session={session} />
  if (path === DASHBOARD) return <Dashboard session={session} />
  if (path === '/admin') return <Navigate to={DASHBOARD} replace />
  for (const event of session.events) {
    if (path === reconcileAddress(event.id) && isAtLeast(session.role, 'treasurer'))
      return <ReconcilePage key={event.id} event={event} />
    if (path === addAddress(event.id) && isAtLeast(session.role, 'desk'))
      return <AddingPage key={event.id} event={event} />
    if (event.gives_codes && path === codesAddress(event.id))
      return <CodesPage event={event} role={session.role} />
    for (const list of event.lists) {
      if (path === list.route)
        return <ListPage key={list.route} event={event} list={list} role={session.role} />
      if (path.startsWith(`${list.route}/`)) {
        const regNo = path.slice(list.route.length + 1)
        return <RegistrationPage key={regNo} regNo={regNo} list={list} />
      }
    }
  }
  return (
    <main className="main" id="main" tabIndex={-1}>
      <h1>Page not found</h1>
      <p className="mute">There is no list at this address; its event file may have moved it.</p>
    </main>
  )
}
