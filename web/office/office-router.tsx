/** The router of the office; requires sign-in. */
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { BrowserRouter, Navigate, useLocation } from 'react-router-dom'
import { isAtLeast } from '../../engine/index.ts'
import type { SessionResponse } from '../../engine/api.ts'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { ErrorPage } from '../app/error-page.tsx'
import type { PageProps } from '../app/page-props.ts'
import { setCallTexts } from '../app/api-client.ts'
import { showColorTheme } from './ui/color-theme.ts'
// Imported first, so that the style sheets of the components below can override it.
import './color-theme.css'
import './office.css'
import { AddRegistrationPage } from './registration/add-registration-page.tsx'
import { AccountPage } from './users/account-page.tsx'
import { AuditLogPage } from './operations/audit-log-page.tsx'
import { DiscountCodesPage } from './discount-codes/discount-codes-page.tsx'
import {
  ACCOUNT,
  AUDIT_LOG,
  addRegistrationUrl,
  discountCodesUrl,
  DASHBOARD,
  EVENT_FILES,
  SIGN_IN,
  EMAILS,
  PAYMENT_REVIEWS,
  SET_PASSWORD,
  TEAM,
  RECOVERY,
  SEARCH,
  callApi,
  isOwnerOfAll,
  createQueryClient,
  reconciliationUrl,
  sanitiseNext,
} from './office-api-and-urls.ts'
import { readSession } from './office-api-responses.ts'
import { DashboardPage } from './dashboard/dashboard-page.tsx'
import { EventFilesPage } from './operations/event-files-page.tsx'
import { OfficeFrame, LoadingPage } from './navigation.tsx'
import { useSignInOn401 } from './expired-session.ts'
import { ListPage } from './lists/list-page.tsx'
import { SignInPage } from './auth/sign-in-page.tsx'
import { PaymentReviewsPage } from './reconciliation/payment-reviews-page.tsx'
import { EmailsPage } from './operations/emails-page.tsx'
import { SetPasswordPage } from './auth/set-password-page.tsx'
import { TeamPage } from './users/team-page.tsx'
import { RecoveryPage } from './operations/recovery-page.tsx'
import { SearchPage } from './lists/search-page.tsx'
import { ReconciliationPage } from './reconciliation/bank-statement-page.tsx'
import { RegistrationPage } from './registration/registration-details-page.tsx'
import { Banner } from './ui/error-banner-and-heading.tsx'

/** The back office: sign-in, dashboard, lists and registrations. The URL selects the page. */
export default function Office(_props: PageProps) {
  const [queryClient] = useState(createQueryClient)
  useLayoutEffect(showColorTheme, [])
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
    <ErrorBoundary resetBy={key} fallback={<ErrorPage />}>
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
        {renderPage(path, session.data)}
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

function renderPage(path: string, session: SessionResponse): ReactNode {
  // The server rejects all other calls until a second factor is set up.
  if (session.needs_second_factor && path !== ACCOUNT) return <Navigate to={ACCOUNT} replace />
  if (path === ACCOUNT) return <AccountPage mustSetUpSecondFactor={session.needs_second_factor} />
  if (path === TEAM && isOwnerOfAll(session)) return <TeamPage username={session.username} />
  if (path === AUDIT_LOG && isAtLeast(session.role, 'owner'))
    return <AuditLogPage session={session} />
  if (path === EMAILS && isAtLeast(session.role, 'desk')) return <EmailsPage session={session} />
  if (path === EVENT_FILES && isOwnerOfAll(session)) return <EventFilesPage />
  if (path === RECOVERY && isOwnerOfAll(session)) return <RecoveryPage />
  if (path === SEARCH) return <SearchPage />
  if (path === PAYMENT_REVIEWS) return <PaymentReviewsPage session={session} />
  if (path === DASHBOARD) return <DashboardPage session={session} />
  if (path === '/admin') return <Navigate to={DASHBOARD} replace />
  for (const event of session.events) {
    if (path === reconciliationUrl(event.id) && isAtLeast(session.role, 'treasurer'))
      return <ReconciliationPage key={event.id} event={event} />
    if (path === addRegistrationUrl(event.id) && isAtLeast(session.role, 'desk'))
      return <AddRegistrationPage key={event.id} event={event} />
    if (event.gives_codes && path === discountCodesUrl(event.id))
      return <DiscountCodesPage event={event} role={session.role} />
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
      <p className="mute">
        This page does not exist. The event file may have changed the address of its list.
      </p>
    </main>
  )
}
