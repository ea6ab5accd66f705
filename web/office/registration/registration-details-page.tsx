/** The page of one registration in the office. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { Link, useLocation } from 'react-router-dom'
import type {
  ActionsResponse,
  OfficeEvent,
  OfficeRegistrationResponse,
} from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { Documents } from './receipts-and-invoices.tsx'
import { Actions } from './actions/actions-panel.tsx'
import { useActions, useChangesByOthers } from './actions/use-actions.ts'
import { AnswersPanel } from './answers-and-corrections-panel.tsx'
import { MoneyPanels } from './money-panel.tsx'
import { buildEntries, Timeline } from './timeline.tsx'
import { readOfficeRegistration } from '../office-api-responses.ts'
import { callApi, buildRegistrationUrl, buildRegistrationsUrl } from '../office-api-and-urls.ts'
import { ContactLinks } from './contact-links.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { PreviousNextLinks } from './previous-next-links.tsx'
import { DisputePanel, SettlementPanel } from './payouts-and-disputes.tsx'
import {
  Banner,
  PageHeading,
  RegNumber,
  readDue,
  RegistrationStatus,
} from '../ui/error-banner-and-heading.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import '../ui/form-fields.css'
import './registration-details-page.css'

/** Shows a registration: state and actions, money, person and answers, and its timeline. */
export function RegistrationPage({
  regNo,
  event: officeEvent,
}: {
  readonly regNo: string
  readonly event: OfficeEvent
}) {
  const { state } = useLocation() as { state: { readonly from?: string } | null }
  const url = `/admin/registrations/${encodeURIComponent(regNo)}/`
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: ['registration', regNo],
    queryFn: ({ signal }) => callApi(url, readOfficeRegistration, { signal }),
  })
  const { refetch } = query
  const reload = useCallback((): void => {
    void refetch()
    // Confirming a payment creates a receipt.
    void queryClient.invalidateQueries({ queryKey: ['documents', regNo] })
  }, [refetch, queryClient, regNo])
  const actionsQuery = useActions(regNo)
  const reloadActions = async (): Promise<ActionsResponse | undefined> =>
    (await actionsQuery.refetch()).data
  const reloadAll = (): void => {
    void reloadActions()
    reload()
  }
  const changeByOthers = useChangesByOthers(actionsQuery.data, reload)
  // A failed background check must not interrupt the user. The next click reports the error.
  const actionsError = useSignInOn401(actionsQuery.data === undefined ? actionsQuery.error : null)
  const error = useSignInOn401(query.error)
  const listUrl = state?.from ?? buildRegistrationsUrl(officeEvent)
  if (query.data === undefined) {
    return (
      <main className="main" id="main" aria-busy={query.isFetching}>
        <PageHeading title={error?.status === 404 ? 'Registration not found' : 'Registration'} />
        {error && (
          <Banner
            text={error.message}
            // A retry does not help if the number is unknown.
            {...(error.status !== 404 && {
              action: { label: 'Try Again', onClick: () => void query.refetch() },
            })}
          />
        )}
        {query.isFetching && (
          <p className="spinner" role="status">
            <span className="spin big" aria-hidden="true" />
            <span className="vh">Loading</span>
          </p>
        )}
      </main>
    )
  }
  const details = query.data
  const { registration, name } = details
  const actions = actionsQuery.data
  return (
    <main className="main" id="main">
      <PageHeading title={name}>
        <PreviousNextLinks event={officeEvent} regNo={registration.reg_no} listUrl={listUrl} />
      </PageHeading>
      <div className="registration-header">
        <p className="big">
          <RegNumber text={registration.reg_no} />
        </p>
        <RegistrationStatus
          registration={registration}
          due={readDue(registration)}
          currency={readResponseCurrency(details)}
        />
        {registration.in_review && registration.payment_status === 'success' && (
          <Badge tone="care" icon="tri">
            Needs review
          </Badge>
        )}
        <ContactLinks regNo={registration.reg_no} {...details.contact} />
      </div>
      <div role="status">
        {changeByOthers !== null && (
          <p className="care">
            <Icon name="info" small />
            <span>Changed while this page was open: {changeByOthers}</span>
          </p>
        )}
      </div>
      <RelatedRegistrations details={details} event={officeEvent} from={state} />
      {actionsError && (
        <Banner
          text={actionsError.message}
          action={{ label: 'Try Again', onClick: () => void actionsQuery.refetch() }}
        />
      )}
      {actions && (
        <Actions data={actions} event={officeEvent} reload={reloadActions} onDone={reload} />
      )}
      <div className="reg-columns">
        <div className="panels top">
          <div id="money">
            <MoneyPanels details={details} />
            <Documents regNo={regNo} />
            <DisputePanel disputes={details.disputes} evidenceUrl={details.evidence_url ?? null} />
            <SettlementPanel settled={details.settled} />
          </div>
          <AnswersPanel
            regNo={regNo}
            answers={details.answers}
            fields={actions?.fields ?? []}
            currency={readResponseCurrency(details)}
            onChange={reloadAll}
          />
        </div>
        {actions && (
          <Timeline
            regNo={regNo}
            entries={buildEntries(details, actions.trail)}
            canAddNote={actions.allowed.includes('note')}
            onDone={reloadAll}
          />
        )}
      </div>
    </main>
  )
}

/** Links to other registrations of the same person. Renders nothing if there are none. */
function RelatedRegistrations({
  details: { same_email: sameEmail, paid_by_same_person: paidBySamePerson },
  event,
  from,
}: {
  readonly details: OfficeRegistrationResponse
  readonly event: OfficeEvent
  /** The list from which this page was opened. */
  readonly from: unknown
}) {
  const renderLink = (regNo: string) => (
    <Link to={buildRegistrationUrl(event, regNo)} state={from}>
      {regNo}
    </Link>
  )
  return (
    <>
      {sameEmail.length > 0 && (
        <p className="mute">
          Also registered with this email:{' '}
          {sameEmail.map(({ reg_no: regNo, payment_status_display: status }, index) => (
            <span key={regNo}>
              {index > 0 && ', '}
              {renderLink(regNo)} ({status})
            </span>
          ))}
        </p>
      )}
      {paidBySamePerson.length > 0 && (
        <p className="care">
          <Icon name="tri" small />
          <span>
            The same person (name and email) also paid for{' '}
            {paidBySamePerson.map((regNo, index) => (
              <span key={regNo}>
                {index > 0 && ', '}
                {renderLink(regNo)}
              </span>
            ))}
            .
          </span>
        </p>
      )}
    </>
  )
}
