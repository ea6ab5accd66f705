/** The page of one registration in the office. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router-dom'
import { readLines } from '../../../engine/api.ts'
import type { Currency } from '../../../engine/index.ts'
import type { OfficeEvent, OfficeRegistrationResponse } from '../../../engine/api.ts'
import { lineRows } from '../../ui/payment/bill-rows.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import type { LedgerRow } from '../../ui/details-list.tsx'
import { Badge, Status } from '../../ui/payment-status-badge.tsx'
import { Documents } from './receipts-and-invoices.tsx'
import { Actions } from './actions/actions-panel.tsx'
import { readOfficeRegistration } from '../office-api-responses.ts'
import { callApi, findList, registrationUrl, registrationsUrl } from '../office-api-and-urls.ts'
import { ContactLinks } from './contact-links.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { PreviousNextLinks } from './previous-next-links.tsx'
import { DisputePanel, SettlementPanel } from './payouts-and-disputes.tsx'
import {
  Banner,
  PageHeading,
  RegNumber,
  RegistrationStatus,
} from '../ui/error-banner-and-heading.tsx'
import { formatDateParts } from '../lists/list-table.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponseMoney, formatResponsePrice } from '../ui/format-amount.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import '../ui/form-fields.css'
import './registration-details-page.css'

/** Shows a registration: answers and documents, payments, emails, and the audit log. */
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
  const reload = (): void => {
    void query.refetch()
    // Confirming a payment creates a receipt.
    void queryClient.invalidateQueries({ queryKey: ['documents', regNo] })
  }
  const error = useSignInOn401(query.error)
  const listUrl = state?.from ?? registrationsUrl(officeEvent)
  const [listPath = '', listSearch = ''] = listUrl.split('?')
  const list = findList(officeEvent, listPath, new URLSearchParams(listSearch))
  const backLink = (
    <Link className="backl" to={listUrl}>
      <Icon name="left" small />
      {list?.title ?? officeEvent.title}
    </Link>
  )
  if (query.data === undefined) {
    return (
      <main className="main" id="main" aria-busy={query.isFetching}>
        {backLink}
        <PageHeading title={error?.status === 404 ? 'Registration not found' : 'Registration'} />
        {error && (
          <Banner
            text={error.message}
            // A retry does not help for an unknown number.
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
  const { registration, name, answers, payments, mails, audit, event } = query.data
  const sameEmail = query.data.same_email
  const currency = readResponseCurrency(query.data)
  return (
    <main className="main" id="main">
      {backLink}
      <PageHeading title={name}>
        <p className="mute">{event.title}</p>
      </PageHeading>
      <PreviousNextLinks event={officeEvent} regNo={registration.reg_no} listUrl={listUrl} />
      <div className="regtop">
        <p className="big">
          <RegNumber text={registration.reg_no} />
        </p>
        <RegistrationStatus registration={registration} />
        {registration.in_review && registration.payment_status === 'success' && (
          <Badge tone="care" icon="tri">
            Needs review
          </Badge>
        )}
      </div>
      <ContactLinks regNo={registration.reg_no} {...query.data.contact} />
      {sameEmail.length > 0 && (
        <p className="mute">
          Also registered with this email:{' '}
          {sameEmail.map(({ reg_no, payment_status_display }, index) => (
            <span key={reg_no}>
              {index > 0 && ', '}
              <Link to={registrationUrl(officeEvent, reg_no)} state={state}>
                {reg_no}
              </Link>{' '}
              ({payment_status_display})
            </span>
          ))}
        </p>
      )}
      {query.data.paid_by_same_person.length > 0 && (
        <p className="care">
          <Icon name="tri" small />
          <span>
            The same person (name and email) also paid for{' '}
            {query.data.paid_by_same_person.map((regNo, index) => (
              <span key={regNo}>
                {index > 0 && ', '}
                <Link to={registrationUrl(officeEvent, regNo)} state={state}>
                  {regNo}
                </Link>
              </span>
            ))}
            .
          </span>
        </p>
      )}
      <div className="panels top">
        <section className="pan" aria-labelledby="reg-answers">
          <h2 id="reg-answers">Answers</h2>
          <Ledger
            rows={answers.map(({ id, label, text, href }) => ({
              id,
              label,
              value: href ? (
                <a href={href} download>
                  <Icon name="file" small /> {text}
                </a>
              ) : (
                text
              ),
            }))}
          />
        </section>
        <div>
          <Actions regNo={registration.reg_no} event={officeEvent} onDone={reload} />
          <section className="pan" aria-labelledby="reg-price">
            <h2 id="reg-price">Price</h2>
            <Ledger money rows={buildPriceRows(query.data)} />
          </section>
          <Payments payments={payments} currency={currency} />
          <DisputePanel
            disputes={query.data.disputes}
            evidenceUrl={query.data.evidence_url ?? null}
          />
          <SettlementPanel settled={query.data.settled} />
          <Documents regNo={regNo} />
          <Emails emails={mails} />
          <section className="pan" aria-labelledby="reg-audit">
            <h2 id="reg-audit">Audit log</h2>
            <ul className="log">
              {audit.map(({ at, who, what }, index) => (
                <li key={index}>
                  <span>
                    {what}
                    <small>{who}</small>
                  </span>
                  <EntryTime at={at} />
                </li>
              ))}
            </ul>
          </section>
        </div>
      </div>
    </main>
  )
}

/**
 * Returns the rows of the Price section: category and period, bill lines if there are several, and
 * totals.
 */
export function buildPriceRows({
  registration,
  lines: wireLines,
  ...answer
}: Pick<
  OfficeRegistrationResponse,
  'registration' | 'lines' | 'currency' | 'tax_name'
>): readonly LedgerRow[] {
  const currency = readResponseCurrency(answer)
  const lines = readLines(wireLines, currency)
  const details = [
    ['category_display', 'Category'],
    ['period_display', 'Price period'],
  ] as const
  const amounts = [
    ['base', lines.length < 2 ? 'Base fee' : 'Before tax'],
    ['gst', answer.tax_name ?? 'GST'],
  ] as const
  const registeredAt = formatDateParts(registration['created_at'])
  return [
    ...details.flatMap(([id, label]) =>
      registration[id] ? [{ id, label, value: String(registration[id]) }] : [],
    ),
    ...(registeredAt
      ? [{ id: 'created_at', label: 'Registered', value: registeredAt.join(', ') }]
      : []),
    ...(lines.length < 2 ? [] : lineRows({ lines, currency })),
    // Without tax, only the total is shown.
    ...amounts.flatMap(([id, label]) =>
      registration[id] === null || registration[id] === undefined || !registration['gst']
        ? []
        : [{ id, label, value: formatResponseMoney(registration[id], currency) }],
    ),
    ...(registration['total'] === null || registration['total'] === undefined
      ? []
      : [
          {
            id: 'total',
            label: 'Total',
            value: formatResponsePrice(registration['total'], currency),
            total: true,
          },
        ]),
  ]
}

function Payments({
  payments,
  currency,
}: {
  readonly payments: OfficeRegistrationResponse['payments']
  readonly currency: Currency
}) {
  return (
    <section className="pan" aria-labelledby="reg-payments">
      <h2 id="reg-payments">Payments</h2>
      {payments.length === 0 && <p className="mute">No payment is due for this registration.</p>}
      {payments.map((payment) => (
        <div className="pay" key={payment.order_id}>
          <p className="payh">
            <RegNumber text={payment.order_id} />
            <b>{formatResponseMoney(payment.amount, currency)}</b>
            <Status is={payment.status} {...findFailureLabel(payment)} />
          </p>
          {payment.review && (
            <p className="care">
              <Icon name="tri" small />
              Needs review: {payment.review}
            </p>
          )}
          <ul className="log">
            {payment.facts.map((event, index) => (
              <li key={index}>
                <span>{event.text}</span>
                <EntryTime at={event.at} />
              </li>
            ))}
            <li>
              <span>{payment.asked}</span>
              <EntryTime at={payment.created_at} />
            </li>
          </ul>
        </div>
      ))}
    </section>
  )
}

/** Returns the status label of a failed payment attempt, which states the cause. */
function findFailureLabel({
  status,
  facts: events,
}: OfficeRegistrationResponse['payments'][number]) {
  const cause = events.find(({ type }) => type === 'declined' || type === 'expired')?.type
  if (status !== 'failed' || cause === undefined) return {}
  return { word: cause === 'declined' ? 'Declined' : 'Expired' }
}

const EMAIL_BADGES = {
  queued: { tone: 'wait', icon: 'clock', word: 'Queued' },
  sent: { tone: 'good', icon: 'tick', word: 'Sent' },
  failed: { tone: 'bad', icon: 'cross', word: 'Failed' },
} as const

function Emails({ emails }: { readonly emails: OfficeRegistrationResponse['mails'] }) {
  return (
    <section className="pan" aria-labelledby="reg-mails">
      <h2 id="reg-mails">Emails</h2>
      {emails.length === 0 && <p className="mute">No email has been sent yet.</p>}
      <ul className="log">
        {emails.map((email) => (
          <li key={email.id}>
            <span>
              {email.subject}
              <small>{email.to}</small>
              {email.error && <small className="bad">{email.error}</small>}
            </span>
            <span className="r">
              <Badge tone={EMAIL_BADGES[email.status].tone} icon={EMAIL_BADGES[email.status].icon}>
                {EMAIL_BADGES[email.status].word}
              </Badge>
              <EntryTime at={email.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
