/** The preview of the result pages and the email. */
import { useMemo, useState } from 'react'
import type { MouseEvent } from 'react'
import {
  findCategory,
  dayOf,
  formatIsoIndia,
  normalise,
  findPeriodOn,
  quote,
  toMajorUnits,
} from '../../../engine/index.ts'
import { toWireCurrency, toWireLines } from '../../../engine/api.ts'
import { buildConfirmationEmail } from '../../../engine/messages.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { ToastProvider } from '../../ui/toast.tsx'
import { FailedPayment } from '../../results/unpaid/failed-payment-page.tsx'
import type { Registration } from '../../results/result-page-data.ts'
import { ConfirmingPayment } from '../../results/pending-refunded-cancelled-pages.tsx'
import { Ticket } from '../../results/ticket/ticket-page.tsx'
import '../../results/result-page.css'
import { getNoon } from '../test-delegate/test-delegate.tsx'
import type { TestDelegate } from '../test-delegate/test-delegate.tsx'
import './page-preview.css'

const PREVIEW_LABELS = {
  success: 'Paid',
  failed: 'Failed',
  pending: 'Pending',
  mail: 'Email',
} as const
type Kind = keyof typeof PREVIEW_LABELS

/**
 * Shows the pages after payment for a delegate with these answers. The registration number is an obvious placeholder.
 */
export default function ResultsPreview({
  event,
  testDelegate,
}: {
  readonly event: EventConfig
  readonly testDelegate: TestDelegate
}) {
  const [kind, setKind] = useState<Kind>('success')
  const registration = useMemo(
    () => createRegistration(event, testDelegate, kind === 'mail' ? 'success' : kind),
    [event, testDelegate, kind],
  )
  const query = {
    orderId: registration.order_id,
    amount: registration.total === null ? null : String(registration.total),
    date: registration.created_at,
  }
  // Links and buttons would open the real site with an unknown number.
  const preventNavigation = (clickEvent: MouseEvent) => {
    if (clickEvent.target instanceof Element && clickEvent.target.closest('a') !== null)
      clickEvent.preventDefault()
  }
  return (
    <ToastProvider as={event.form.notices} ms={event.form.noticeMs}>
      <fieldset className="org-kinds">
        <legend className="vh">Which page to show</legend>
        {(Object.keys(PREVIEW_LABELS) as Kind[]).map((key) => (
          <label key={key} className={key === kind ? 'on' : ''}>
            <input
              type="radio"
              name="org-kind"
              checked={key === kind}
              onChange={() => setKind(key)}
            />
            {PREVIEW_LABELS[key]}
          </label>
        ))}
      </fieldset>
      <p className="mute small">Links are disabled in this preview.</p>
      <div className="org-page res" onClickCapture={preventNavigation}>
        {kind === 'success' && <Ticket event={event} registration={registration} query={query} />}
        {kind === 'failed' && (
          <FailedPayment
            event={event}
            registration={registration}
            query={query}
            now={registration.created_at}
          />
        )}
        {kind === 'pending' && (
          <ConfirmingPayment event={event} registration={registration} reload={() => {}} />
        )}
        {kind === 'mail' && <EmailPreview event={event} registration={registration} />}
      </div>
    </ToastProvider>
  )
}

const PAYMENT_STATES = { success: 'complete', failed: 'failed', pending: 'at-bank' } as const

function createRegistration(
  event: EventConfig,
  { day, answers: rawAnswers, context }: TestDelegate,
  status: keyof typeof PAYMENT_STATES,
): Registration {
  const noon = getNoon(day)
  const { answers } = normalise(event, rawAnswers, context)
  const category = findCategory(event, answers)
  const period = findPeriodOn(event.fees, dayOf(noon), category)?.id ?? null
  const quoteResult = quote(event, answers, noon)
  const price = quoteResult.ok ? quoteResult.value : null
  const number = `${event.orderId.prefix}${'0'.repeat(event.orderId.digits)}`
  return {
    ...answers,
    reg_no: number,
    order_id: number,
    payment_status: status,
    in_review: false,
    payment_date: status === 'success' ? formatIsoIndia(noon) : null,
    payment_id: status === 'success' ? 'PREVIEW' : null,
    created_at: formatIsoIndia(noon),
    attempted_at: formatIsoIndia(noon),
    category,
    category_label: event.categories.find(({ id }) => id === category)?.label ?? null,
    period,
    base: price && toMajorUnits(price.base, price.currency),
    gst: price && toMajorUnits(price.gst, price.currency),
    total: price && toMajorUnits(price.total, price.currency),
    ...toWireCurrency(price?.currency ?? event.currency),
    lines: toWireLines(price?.lines ?? [], price?.currency ?? event.currency),
    stands: PAYMENT_STATES[status],
    held_until: null,
    price_until: null,
    review_since: null,
    second_payment: false,
    refunded_amount: 0,
    difference_due: 0,
    decide_by: null,
    may_pay: false,
    card_failed_as: null,
    failed_as: status === 'failed' ? 'declined' : null,
  }
}

function EmailPreview({
  event,
  registration,
}: {
  readonly event: EventConfig
  readonly registration: Registration
}) {
  const mail = buildConfirmationEmail(event, registration)
  if (mail === null)
    return (
      <p>
        {event.email === null
          ? 'This event sends no email.'
          : 'No email is sent, because the answers contain no email address.'}
      </p>
    )
  return (
    <section className="org-mail" aria-labelledby="org-mail">
      <h2 className="disp" id="org-mail">
        <Icon name="mail" />
        {mail.subject}
      </h2>
      <p className="mute">
        To {mail.to}
        {mail.copyTo === null ? '' : `, copy to ${mail.copyTo}`}
      </p>
      <p className="org-mail-text">{mail.text}</p>
    </section>
  )
}
