/** The page of one registration in the office. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router-dom'
import { readLines } from '../../../engine/api.ts'
import type { AdminList } from '../../../engine/index.ts'
import type { OfficeRegistrationAnswer } from '../../../engine/api.ts'
import { lineRows } from '../../ui/payment/bill-rows.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import type { LedgerRow } from '../../ui/details-list.tsx'
import { Badge, Status } from '../../ui/payment-status-badge.tsx'
import { Documents } from './receipts-and-invoices.tsx'
import { Acts } from './actions-and-timeline.tsx'
import { readOfficeRegistration } from '../office-api-responses.ts'
import { callApi, registrationUrl } from '../office-api-and-urls.ts'
import { Contact } from './contact-links.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { Neighbours } from './previous-next-links.tsx'
import { SettledPanel } from './settlement-panel.tsx'
import {
  Banner,
  PageHeading,
  RegNumber,
  RegistrationStatus,
} from '../ui/error-banner-and-heading.tsx'
import { formatDateParts, formatRupees, formatTotal } from '../lists/list-table.tsx'
import { EntryTime } from '../ui/list-entry-time.tsx'
import '../ui/form-fields.css'
import './registration-details-page.css'

/** One registration: answers and documents, payments, emails, and who has viewed it. */
export function RegistrationPage({
  regNo,
  list,
}: {
  readonly regNo: string
  readonly list: AdminList
}) {
  const { state } = useLocation() as { state: { readonly from?: string } | null }
  const path = `/admin/registrations/${encodeURIComponent(regNo)}/`
  const client = useQueryClient()
  const query = useQuery({
    queryKey: ['registration', regNo],
    queryFn: ({ signal }) => callApi(path, readOfficeRegistration, { signal }),
  })
  const changed = (): void => {
    void query.refetch()
    // A confirmed payment has a receipt.
    void client.invalidateQueries({ queryKey: ['documents', regNo] })
  }
  const error = useSignInOn401(query.error)
  const back = (
    <Link className="backl" to={state?.from ?? list.route}>
      <Icon name="left" small />
      {list.title}
    </Link>
  )
  if (query.data === undefined) {
    return (
      <main className="main" id="main" aria-busy={query.isFetching}>
        {back}
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
  const { registration: row, name, answers, payments, mails, audit, event } = query.data
  const sameEmail = query.data.same_email
  return (
    <main className="main" id="main">
      {back}
      <PageHeading title={name}>
        <p className="mute">{event.title}</p>
      </PageHeading>
      <Neighbours list={list} regNo={row.reg_no} from={state?.from ?? list.route} />
      <div className="regtop">
        <p className="big">
          <RegNumber text={row.reg_no} />
        </p>
        <RegistrationStatus registration={row} />
        {row.in_review && row.payment_status === 'success' && (
          <Badge tone="care" icon="tri">
            Needs review
          </Badge>
        )}
      </div>
      <Contact regNo={row.reg_no} {...query.data.contact} />
      {sameEmail.length > 0 && (
        <p className="mute">
          Also registered with this email:{' '}
          {sameEmail.map(({ reg_no, payment_status_display }, at) => (
            <span key={reg_no}>
              {at > 0 && ', '}
              <Link to={registrationUrl(list, reg_no)} state={state}>
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
            {query.data.paid_by_same_person.map((regNo, at) => (
              <span key={regNo}>
                {at > 0 && ', '}
                <Link to={registrationUrl(list, regNo)} state={state}>
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
          <Acts regNo={row.reg_no} list={list} onDone={changed} />
          <section className="pan" aria-labelledby="reg-price">
            <h2 id="reg-price">Price</h2>
            <Ledger money rows={priceRows(row, query.data.lines)} />
          </section>
          <Payments payments={payments} />
          <SettledPanel settled={query.data.settled} />
          <Documents regNo={regNo} />
          <Mails mails={mails} />
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

/** The basis of the price, the bill lines if more than the registration was sold, and the sums. */
function priceRows(
  row: OfficeRegistrationAnswer['registration'],
  wire: OfficeRegistrationAnswer['lines'],
): readonly LedgerRow[] {
  const lines = readLines(wire)
  const words = [
    ['category_display', 'Category'],
    ['period_display', 'Price period'],
  ] as const
  const money = [
    ['base', lines.length < 2 ? 'Base fee' : 'Before tax'],
    ['gst', 'GST'],
  ] as const
  const registered = formatDateParts(row['created_at'])
  return [
    ...words.flatMap(([id, label]) => (row[id] ? [{ id, label, value: String(row[id]) }] : [])),
    ...(registered
      ? [{ id: 'created_at', label: 'Registered', value: registered.join(', ') }]
      : []),
    ...(lines.length < 2 ? [] : lineRows(lines)),
    // Without tax, only the total is shown.
    ...money.flatMap(([id, label]) =>
      row[id] === null || row[id] === undefined || !row['gst']
        ? []
        : [{ id, label, value: formatRupees(row[id], true) }],
    ),
    ...(row['total'] === null || row['total'] === undefined
      ? []
      : [{ id: 'total', label: 'Total', value: formatTotal(row['total']), total: true }]),
  ]
}

function Payments({ payments }: { readonly payments: OfficeRegistrationAnswer['payments'] }) {
  return (
    <section className="pan" aria-labelledby="reg-payments">
      <h2 id="reg-payments">Payments</h2>
      {payments.length === 0 && <p className="mute">No payment is due for this registration.</p>}
      {payments.map((payment) => (
        <div className="pay" key={payment.order_id}>
          <p className="payh">
            <RegNumber text={payment.order_id} />
            <b>{formatRupees(payment.amount, true)}</b>
            <Status is={payment.status} {...causeOf(payment)} />
          </p>
          {payment.review && (
            <p className="care">
              <Icon name="tri" small />
              Needs review: {payment.review}
            </p>
          )}
          <ul className="log">
            {payment.facts.map((fact, index) => (
              <li key={index}>
                <span>{fact.text}</span>
                <EntryTime at={fact.at} />
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

/** A failed attempt is named by its cause. */
function causeOf({ status, facts }: OfficeRegistrationAnswer['payments'][number]) {
  const cause = facts.find(({ type }) => type === 'declined' || type === 'expired')?.type
  if (status !== 'failed' || cause === undefined) return {}
  return { word: cause === 'declined' ? 'Declined' : 'Expired' }
}

const MAIL_WORDS = {
  queued: { tone: 'wait', icon: 'clock', word: 'Queued' },
  sent: { tone: 'good', icon: 'tick', word: 'Sent' },
  failed: { tone: 'bad', icon: 'cross', word: 'Failed' },
} as const

function Mails({ mails }: { readonly mails: OfficeRegistrationAnswer['mails'] }) {
  return (
    <section className="pan" aria-labelledby="reg-mails">
      <h2 id="reg-mails">Emails</h2>
      {mails.length === 0 && <p className="mute">No email has been sent yet.</p>}
      <ul className="log">
        {mails.map((mail) => (
          <li key={mail.id}>
            <span>
              {mail.subject}
              <small>{mail.to}</small>
              {mail.error && <small className="bad">{mail.error}</small>}
            </span>
            <span className="r">
              <Badge tone={MAIL_WORDS[mail.status].tone} icon={MAIL_WORDS[mail.status].icon}>
                {MAIL_WORDS[mail.status].word}
              </Badge>
              <EntryTime at={mail.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
