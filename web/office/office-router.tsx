/** The router of the office; requires sign-in. */
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useState } from 'react'
import { BrowserRouter, Link, Navigate, useLocation } from 'react-router-dom'
import { assertNever, ROLE_LABELS } from '../../engine/index.ts'
import type { AdminList } from '../../engine/index.ts'
import type { OfficeEvent, SessionResponse } from '../../engine/api.ts'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { ErrorPage } from '../app/error-page.tsx'
import type { PageProps } from '../app/page-props.ts'
import { setCallTexts } from '../app/api-client.ts'
import { applyColorTheme } from './ui/color-theme.ts'
// Imported first, so that the style sheets of the components below can override it.
import './ui/color-theme.css'
import './office.css'
import './ui/print.css'
import { AddRegistrationPage } from './registration/front-desk/add-registration-page.tsx'
import { EventFilePage } from './events/event-file-page.tsx'
import { EventsPage } from './events/events-page.tsx'
import { OverviewPage } from './events/overview-page.tsx'
import { SalesPage } from './events/sales-page.tsx'
import { AccountPage } from './users/account-page.tsx'
import { AuditLogPage } from './operations/audit-log-page.tsx'
import { DiscountCodesPage } from './discount-codes/discount-codes-page.tsx'
import {
  ACCOUNT,
  DASHBOARD,
  SIGN_IN,
  SET_PASSWORD,
  callApi,
  createQueryClient,
  findList,
  buildRegistrationsUrl,
  sanitiseNext,
} from './office-api-and-urls.ts'
import {
  decodeSegment,
  findEventPage,
  findSharedPage,
  canOpen,
  replaceOldAddress,
} from './office-pages-and-roles.ts'
import type { RequiredAccess, EventPage, SharedPage } from './office-pages-and-roles.ts'
import { readSession } from './office-api-responses.ts'
import { DashboardPage } from './dashboard/dashboard-page.tsx'
import { EventFilesPage } from './operations/event-files-page.tsx'
import { OfficeFrame, LoadingPage } from './frame/office-frame.tsx'
import { applyDensity } from './ui/density.ts'
import { useSignInOn401 } from './expired-session.ts'
import { ListPage } from './lists/list-page.tsx'
import { SignInPage } from './auth/sign-in-page.tsx'
import { MonthClosePage } from './payments/month-close-page.tsx'
import { PaymentsPage } from './payments/payments-page.tsx'
import { EmailsPage } from './operations/emails-page.tsx'
import { SetPasswordPage } from './auth/set-password-page.tsx'
import { TeamPage } from './users/team-page.tsx'
import { RecoveryPage } from './operations/recovery-page.tsx'
import { SearchPage } from './frame/search-page.tsx'
import { PayoutPage } from './reconciliation/payouts-and-payout-page.tsx'
import { SettlementsPage } from './reconciliation/settlements-page.tsx'
import { StatementPage } from './reconciliation/statement-page.tsx'
import { StatementsPage } from './reconciliation/statements-page.tsx'
import { RegistrationPage } from './registration/registration-details-page.tsx'
import { Banner, PageHeading } from './ui/error-banner-and-heading.tsx'

/** Renders the back office: sign-in, dashboard, lists and registrations. The URL selects the page. */
export default function Office(_props: PageProps) {
  const [queryClient] = useState(createQueryClient)
  useLayoutEffect(() => {
    applyColorTheme()
    applyDensity()
  }, [])
  return (
    <QueryClientProvider client={queryClient}>
      {/* Routes change synchronously with the click, so that text typed into the new filters is
          not lost. */}
      <BrowserRouter useTransitions={false}>
        <OfficeRoutes />
      </BrowserRouter>
    </QueryClientProvider>
  )
}

function OfficeRoutes() {
  const { key, pathname, search } = useLocation()
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname
  return (
    <ErrorBoundary resetKey={key} fallback={<ErrorPage />}>
      {path === SIGN_IN ? (
        <SignInPage next={sanitiseNext(new URLSearchParams(search).get('next'))} />
      ) : path === SET_PASSWORD ? (
        <SetPasswordPage />
      ) : (
        <SignedInOffice path={path} />
      )}
    </ErrorBoundary>
  )
}

function SignedInOffice({ path }: { readonly path: string }) {
  const session = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => callApi('/admin/session/', readSession, { signal }),
    staleTime: Infinity,
  })
  const error = useSignInOn401(session.error)
  useEffect(() => {
    if (session.data) setCallTexts(session.data.texts.calls)
  }, [session.data])
  if (session.data)
    return (
      <OfficeFrame session={session.data} path={path}>
        <OfficePage path={path} session={session.data} />
      </OfficeFrame>
    )
  if (error) {
    return (
      <main className="main alone" id="main">
        <h1>Office</h1>
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void session.refetch() }}
        />
      </main>
    )
  }
  return <LoadingPage />
}

function OfficePage({
  path,
  session,
}: {
  readonly path: string
  readonly session: SessionResponse
}) {
  const { search, hash, state } = useLocation()
  // The server rejects all other calls until a second factor is set up.
  if (session.needs_second_factor && path !== ACCOUNT) return <Navigate to={ACCOUNT} replace />
  const sharedPage = findSharedPage(path)
  if (sharedPage !== null)
    return canOpen(session, sharedPage.access) ? (
      renderSharedPage(sharedPage.id, session, path)
    ) : (
      <NoAccessPage {...sharedPage} />
    )
  const eventPage = findEventPage(path, session.events)
  if (eventPage !== null)
    return canOpen(session, eventPage.access) ? (
      renderEventPage(eventPage, session, search)
    ) : (
      <NoAccessPage {...eventPage} />
    )
  // The URL of a list in an event file also remains valid, so that bookmarks still work.
  for (const event of session.events) {
    const list = event.lists.find(({ route }) => route === path)
    if (list !== undefined) return renderList(event, list, session)
  }
  const address = replaceOldAddress({ pathname: path, search, hash }, session.events)
  if (address !== null) return <Navigate to={address} replace state={state} />
  return <NotFoundPage />
}

function renderSharedPage(id: SharedPage['id'], session: SessionResponse, path: string) {
  switch (id) {
    case 'home':
      return <DashboardPage session={session} />
    case 'search':
      return <SearchPage />
    case 'events':
      return <EventsPage session={session} />
    case 'payments':
      return <PaymentsPage session={session} event={null} />
    case 'month': {
      const month = path.slice(-'2026-01'.length)
      return <MonthClosePage key={month} session={session} month={month} />
    }
    case 'statements':
      return <StatementsPage events={session.events} />
    case 'statement': {
      const statementId = Number(path.slice(path.lastIndexOf('/') + 1))
      return <StatementPage key={statementId} id={statementId} events={session.events} />
    }
    case 'payout': {
      const reference = decodeSegment(path.slice(path.lastIndexOf('/') + 1))
      return <PayoutPage key={reference} reference={reference} events={session.events} />
    }
    case 'settlements':
      return <SettlementsPage events={session.events} />
    case 'team':
      return <TeamPage username={session.username} />
    case 'emails':
      return <EmailsPage session={session} />
    case 'event-files':
      return <EventFilesPage />
    case 'recovery':
      return <RecoveryPage />
    case 'audit-log':
      return <AuditLogPage session={session} />
    case 'account':
      return <AccountPage mustSetUpSecondFactor={session.needs_second_factor} />
    default:
      return assertNever(id)
  }
}

function renderEventPage(
  { id, event, regNo }: EventPage,
  session: SessionResponse,
  search: string,
) {
  switch (id) {
    case 'registrations': {
      const list = findList(event, buildRegistrationsUrl(event), new URLSearchParams(search))
      return list === null ? <NotFoundPage /> : renderList(event, list, session)
    }
    case 'registration':
      return <RegistrationPage key={regNo} regNo={regNo} event={event} />
    case 'add':
      return <AddRegistrationPage key={event.id} event={event} />
    case 'payments':
      return <PaymentsPage key={event.id} session={session} event={event} />
    case 'overview':
      return <OverviewPage key={event.id} event={event} role={session.role} />
    case 'event-file':
      return <EventFilePage key={event.id} event={event} session={session} />
    case 'sales':
      return <SalesPage key={event.id} event={event} />
    case 'codes':
      return <DiscountCodesPage key={event.id} event={event} role={session.role} />
    default:
      return assertNever(id)
  }
}

const renderList = (event: OfficeEvent, list: AdminList, { role }: SessionResponse) => (
  <ListPage key={`${event.id}/${list.id}`} event={event} list={list} role={role} />
)

/** States who can give access, so that the user does not search for a missing button. */
function NoAccessPage({
  label,
  access,
}: {
  readonly label: string
  readonly access: RequiredAccess
}) {
  return (
    <main className="main" id="main">
      <PageHeading title={label} />
      <p>
        You do not have access to this page. It requires the role “
        {access === 'owner_of_all' ? 'Owner of all events' : ROLE_LABELS[access]}”. An owner of all
        events can change your role under Team.
      </p>
      <HomeLink />
    </main>
  )
}

function NotFoundPage() {
  return (
    <main className="main" id="main">
      <PageHeading title="Page not found" />
      <p className="mute">
        This page does not exist, or it belongs to an event that you have no access to. An owner of
        all events can add events to your account.
      </p>
      <HomeLink />
    </main>
  )
}

const HomeLink = () => (
  <p className="home-link">
    <Link className="btn line sm" to={DASHBOARD}>
      Go to Home
    </Link>
  </p>
)
