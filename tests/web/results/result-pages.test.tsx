/** Texts about payments and refunds on result pages, depending on the known facts. */
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, test, vi } from 'vitest'
import { readEvent } from '../../../engine/authoring.ts'
import { quote, readInstant, toPublicEvent } from '../../../engine/index.ts'
import { getResultValues, getPlaceholderValues } from '../../../engine/messages.ts'
import type { EventConfig, Failure, Instant } from '../../../engine/index.ts'
import { PriceUntil } from '../../../web/registration/price/fee-table.tsx'
import { readRegistration } from '../../../web/results/registration-responses.ts'
import { FailedPayment } from '../../../web/results/unpaid/failed-payment-page.tsx'
import {
  Cancelled,
  ConfirmingPayment,
  UnderReview,
} from '../../../web/results/pending-refunded-cancelled-pages.tsx'
import { describeRefusal } from '../../../web/results/unpaid/pay-now-button.tsx'
import { BalanceDue } from '../../../web/results/unpaid/balance-due-notice.tsx'
import { getStateTitle } from '../../../web/results/result-page-by-payment-state.tsx'
import { Ticket } from '../../../web/results/ticket/ticket-page.tsx'
import { ManualPaymentPage } from '../../../web/results/unpaid/manual-payment-pages.tsx'
import { UnpaidPage } from '../../../web/results/unpaid/unpaid-page.tsx'
import { ConfirmationAddress } from '../../../web/results/ticket/resend-confirmation.tsx'
import type { Registration } from '../../../web/results/result-page-data.ts'
import { sharedFiles, readSource } from '../../engine/event-files.ts'

const file = readSource('events/afpicon2026.yaml')
const event = toPublicEvent(readEvent(file.text, sharedFiles, file) as EventConfig)
const createdAt = '2026-01-12T09:00:00+05:30'
/** Returns a registration as the browser parses it from the response. */
const createRegistration = (responseFields: object): Registration => {
  const parsedRegistration = readRegistration({
    reg_no: 'AFPI1',
    created_at: createdAt,
    ...responseFields,
  })
  if (parsedRegistration === null) throw new Error('the browser cannot read this response')
  return parsedRegistration
}
const renderFailedPage = (failedAs: Failure, status: 'open' | 'closed' = 'open'): string =>
  renderToStaticMarkup(
    <MemoryRouter>
      <FailedPayment
        event={{ ...event, status }}
        registration={createRegistration({ payment_status: 'failed', failed_as: failedAs })}
        query={{ orderId: null, amount: null, date: null }}
        now={createdAt}
      />
    </MemoryRouter>,
  )

afterEach(() => vi.unstubAllGlobals())

const payButton = {
  isBusy: false,
  isRetrying: false,
  problem: null,
  formPath: null,
  onPress: () => {},
}

const NOT_DEDUCTED = 'No amount has been deducted'
const CAUSE = 'Insufficient funds'
test.each([
  ['declined', [NOT_DEDUCTED, CAUSE], ['refunded', 'Check that']],
  [
    'expired',
    ['check that no money was taken from your account', CAUSE],
    [NOT_DEDUCTED, 'refunded'],
  ],
  ['unclear', ['We could not confirm this payment', CAUSE], [NOT_DEDUCTED, 'refunded']],
  ['given-back', ['and refunded it'], [NOT_DEDUCTED, CAUSE, 'could not confirm', 'Check']],
] as const)(
  'the page for a failed payment (%s) states the known facts and no wrong cause',
  (failure, expected, forbidden) => {
    const page = renderFailedPage(failure)
    for (const phrase of expected) expect(page).toContain(phrase)
    for (const part of forbidden) expect(page).not.toContain(part)
  },
)

test.each(['expired', 'unclear'] as const)(
  'the page for a failed payment (%s) tells delegates to check “before you pay again” only if they can pay again',
  (failure) => {
    expect(renderFailedPage(failure)).toContain('Before you pay again')
    expect(renderFailedPage(failure, 'closed')).toContain(
      'Check whether money was taken from your account.',
    )
  },
)

test('the three facts on the failed page each have a different icon', () => {
  const facts = /<ul class="facts">(.*?)<\/ul>/.exec(renderFailedPage('declined'))?.[1] ?? ''
  const icons = [...facts.matchAll(/<li>(<svg.*?<\/svg>)(.*?)<\/li>/g)].map(([, icon]) => icon)
  expect(facts).toContain(NOT_DEDUCTED)
  expect([icons.length, new Set(icons).size]).toEqual([3, 3])
})

test('the form and the failed page state the same last day for a price', () => {
  const now = '2025-12-30T09:00:00+05:30'
  const answers = { ticket_type: 'non-afpi-pg' }
  const quoteResult = quote(event, answers, readInstant(now) as Instant)
  if (!quoteResult.ok) throw new Error('registration is closed')
  const form = renderToStaticMarkup(
    <PriceUntil event={event} answers={answers} quote={quoteResult.value} now={now} />,
  )
  const failedPage = renderToStaticMarkup(
    <MemoryRouter>
      <FailedPayment
        event={event}
        registration={createRegistration({
          payment_status: 'failed',
          failed_as: 'declined',
          may_pay: true,
          total: 5900,
          price_until: '2025-12-31',
          held_until: '2026-01-01T23:59:59+05:30',
        })}
        query={{ orderId: null, amount: null, date: null }}
        now={now}
        payButton={payButton}
      />
    </MemoryRouter>,
  )
  expect(form.replaceAll('\u00a0', ' ')).toContain('Price valid until 31 Dec 2025')
  const failedText = failedPage.replaceAll('\u00a0', ' ')
  expect(failedText).toContain('valid until 31 December 2025')
  expect(failedText).not.toMatch(/\b1 January/)
})

test.each([
  [{ code: 'full', message: 'Ventilation: This workshop is full' }, true],
  [{ code: 'wait', message: 'A payment may be in progress.' }, false],
])(
  'after a declined payment whose seat was sold to others, the page links to the form and offers no payment (%o)',
  (error, isSold) => {
    const page = renderToStaticMarkup(
      <MemoryRouter>
        <FailedPayment
          event={event}
          registration={createRegistration({
            payment_status: 'failed',
            failed_as: 'declined',
            may_pay: true,
            total: 5900,
          })}
          query={{ orderId: null, amount: null, date: null }}
          now={createdAt}
          payButton={{ ...payButton, ...describeRefusal(event, error) }}
        />
      </MemoryRouter>,
    )
    expect(page).toContain(error.message)
    expect(page.includes(`<a href="${event.routes.form}">register again`)).toBe(isSold)
    expect(page.includes('you do not have to fill in the form again')).toBe(!isSold)
    expect(page.includes('Try paying')).toBe(!isSold)
  },
)

test('a result page accepts a response with only the fields that the specification describes', () => {
  const minimalRegistration = readRegistration({
    reg_no: 'PULMO1',
    full_name: 'Asha Nair',
    final_amount: 3500,
  })
  expect(minimalRegistration).toMatchObject({
    reg_no: 'PULMO1',
    order_id: 'PULMO1',
    payment_status: 'pending',
    may_pay: false,
  })
  // Values under the field names of the event file are shown instead of N/A.
  const shownFields = { category: 'PG Students', total: '₹\u00a03,500' }
  const closedSource = readSource('events/pulmocon2025.yaml')
  const pulmocon = toPublicEvent(
    readEvent(closedSource.text, sharedFiles, closedSource) as EventConfig,
  )
  const apiResponse = {
    ...minimalRegistration,
    registration_category: 'pg-students',
  } as Registration
  expect(getPlaceholderValues(pulmocon, apiResponse)).toMatchObject(shownFields)
  // A missing time is unknown, not 1970.
  expect(
    getPlaceholderValues(event, minimalRegistration as Registration)['created_at'],
  ).toBeUndefined()
  expect(readRegistration({ reg_no: 'PULMO1', payment_date: createdAt })).toMatchObject({
    payment_status: 'success',
    stands: 'complete',
    created_at: createdAt,
  })
  expect(readRegistration({ reg_no: 'PULMO1', payment_status: 'done' })).toBeNull()
})

test.each([
  [0, 'If you are due a refund, the organisers have emailed you about it.'],
  [4000, '₹ 4,000 has been refunded to you.'],
])(
  'the page for a cancelled registration with %d rupees refunded states whether there was a refund',
  (refundRupees, sentence) => {
    const cancelledRegistration = {
      payment_status: 'success',
      stands: 'cancelled',
      refunded_amount: refundRupees,
    }
    const page = renderToStaticMarkup(
      <Cancelled event={event} registration={createRegistration(cancelledRegistration)} />,
    )
    expect(page.replaceAll('\u00a0', ' ')).toContain(`${sentence} If you have questions`)
  },
)

test.each([
  [{ currency: 'EUR' }, '€ 118.05', '€ 40.50'],
  [{ currency: 'JPY' }, 'JP¥ 118', 'JP¥ 40'],
  [{}, '₹ 118.05', '₹ 40.50'],
])(
  'the result pages for a registration with %j state its amounts in its currency',
  (wire, price, part) => {
    const isYen = price.startsWith('JP')
    const unpaid = createRegistration({
      ...wire,
      payment_status: 'pending',
      stands: 'not-paid',
      may_pay: true,
      held_until: '2026-02-01T00:00:00+05:30',
      base: 100,
      gst: isYen ? 18 : 18.05,
      total: isYen ? 118 : 118.05,
      refunded_amount: isYen ? 40 : 40.5,
      difference_due: isYen ? 40 : 40.5,
    })
    const props = { event, registration: unpaid, now: createdAt, reload: () => {}, payButton }
    const pages = [
      <UnpaidPage key="unpaid" {...props} />,
      <ManualPaymentPage key="manual" {...props} paymentState="by-hand" isSelfService />,
      <ConfirmingPayment key="confirming" {...props} />,
      <UnderReview key="review" {...props} receivedAmounts={[{ amount: 1, ...wire }]} />,
    ]
    for (const page of pages) {
      const text = renderToStaticMarkup(page).replaceAll('\u00a0', ' ')
      expect(text).toContain(price)
      if (price !== '₹ 118.05') expect(text).not.toContain('₹')
    }
    const parts = [<BalanceDue key="due" {...props} />, <Cancelled key="cancelled" {...props} />]
    for (const page of parts)
      expect(renderToStaticMarkup(page).replaceAll('\u00a0', ' ')).toContain(part)
  },
)

test.each([
  [
    'a lower amount',
    [{ amount: 20_000 }],
    'We received ₹ 20,000. Your registration costs ₹ 20,040.20.',
  ],
  ['the price', [{ amount: 20_040.2 }], 'We received ₹ 20,040.20. The organisers need'],
  [
    'two amounts, one of them in another currency',
    [{ amount: 20_000 }, { amount: 40, currency: 'USD' }],
    'We received ₹ 20,000 and US$ 40. Your registration costs ₹ 20,040.20.',
  ],
  ['an unknown amount', [], '<p> The organisers need to check your payment'],
] as const)(
  'the page of a payment under review states %s as received, and never the price as received',
  (_, receivedAmounts, sentence) => {
    const registration = createRegistration({
      payment_status: 'pending',
      stands: 'organisers',
      in_review: true,
      total: 20_040.2,
    })
    const page = renderToStaticMarkup(<UnderReview {...{ event, registration, receivedAmounts }} />)
    expect(page.replaceAll('\u00a0', ' ')).toContain(sentence)
    expect(page).toContain('Please do not pay again.')
  },
)

test('the page of an unpaid registration with one line states only the tax rate of this line', () => {
  vi.stubGlobal('location', new URL('https://rollcall.example/my'))
  const { tax } = event.fees
  const room = { id: 'room', label: 'Room', tax: tax === null ? null : { ...tax, percent: 5 } }
  const eventWithRoom = {
    ...event,
    fees: { ...event.fees, items: [room as unknown as (typeof event.fees.items)[number]] },
  }
  const line = { id: 'registration', option: null, label: 'Registration', quantity: 1 }
  const amounts = { base: 1000, gst: 180, total: 1180 }
  const unpaid = createRegistration({
    payment_status: 'pending',
    stands: 'not-paid',
    ...amounts,
    lines: [{ ...line, unit: 1000, ...amounts }],
  })
  const page = renderToStaticMarkup(
    <UnpaidPage
      event={eventWithRoom}
      registration={unpaid}
      now={createdAt}
      reload={() => {}}
      payButton={payButton}
    />,
  )
  expect(page).toContain('(18%)')
  expect(page).not.toContain('18% and 5%')
})

test('the page of a partly paid registration states the price and the rest, and not that the organisers corrected it', () => {
  vi.stubGlobal('location', new URL('https://rollcall.example/my'))
  const partlyPaid = createRegistration({
    payment_status: 'success',
    stands: 'complete',
    may_pay: true,
    total: 12_980,
    difference_due: 980,
  })
  const renderText = (registration: Registration): string =>
    renderToStaticMarkup(
      <MemoryRouter>
        <BalanceDue {...{ event, registration, payButton }} />
        <Ticket
          event={event}
          registration={registration}
          query={{ orderId: null, amount: null, date: null }}
        />
      </MemoryRouter>,
    ).replaceAll('\u00a0', ' ')
  const text = renderText(partlyPaid)
  expect(text).toContain('Your registration costs ₹ 12,980, of which ₹ 980 is still to pay.')
  expect(text).not.toContain('corrected')
  expect(text).not.toContain('Registration Confirmed')
  expect(text).toMatch(/<dt>Status<\/dt><dd>.*Partly paid.*<\/dd>/)
  expect(text).not.toMatch(/>Paid<|class="draw"/)
  expect(getStateTitle(event, partlyPaid)).toBe('₹\u00a0980 still to pay')
  const paid = { ...partlyPaid, difference_due: 0 }
  expect(renderText(paid)).toContain('Registration Confirmed')
  expect(getStateTitle(event, paid)).toBe('Registration Confirmed')
  // A free registration that a correction gave a price.
  expect(renderText({ ...partlyPaid, difference_due: 12_980 })).toContain(
    'Your registration now costs ₹ 12,980.',
  )
})

test('the button to pay by card states no price if the price depends on the method', () => {
  const methods = [{ id: 'card', label: 'Card', is: 'card' }] as never
  const unpaid = createRegistration({ payment_status: 'pending', may_pay: true, total: 5900 })
  const props = { registration: unpaid, now: createdAt, reload: () => {}, payButton }
  const renderText = (shownEvent: typeof event): string =>
    renderToStaticMarkup(
      <ManualPaymentPage {...props} event={shownEvent} paymentState="by-hand" isSelfService />,
    ).replaceAll('\u00a0', ' ')
  expect(renderText(event)).toContain('Pay ₹ 5,900 by card instead')
  expect(renderText({ ...event, fees: { ...event.fees, methods } })).toContain(
    'Pay by card instead',
  )
})

test.each([
  ['declined', 'Your card payment was declined', 'You were not charged.'],
  [
    'expired',
    'Your card payment was not completed',
    'check that no money was taken from your account',
  ],
  ['given-back', 'Your card payment was refunded', 'a few working days'],
  [
    'unclear',
    'We could not confirm your card payment',
    'check that no money was taken from your account',
  ],
] as const)(
  'after a failed card payment (%s), the page states what happened and the amount to transfer',
  (failure, title, explanation) => {
    const dueRegistration = createRegistration({
      payment_status: 'pending',
      stands: 'by-hand',
      card_failed_as: failure,
      may_pay: true,
      total: 4720,
    })
    const paymentInstructions = {
      label: 'Bank transfer',
      tell: 'Account of the society',
      numbers: [{ label: 'IFSC', text: 'SBIN0001234' }],
      upi: null,
      total: 4720,
      price_until: null,
      pay_until: '2026-01-22T00:00:00+05:30',
    }
    const props = { event, registration: dueRegistration, reload: () => {}, payButton }
    const renderText = (page: ReactNode): string =>
      renderToStaticMarkup(page).replaceAll('\u00a0', ' ')
    const result = renderText(
      <ManualPaymentPage
        {...props}
        paymentState="by-hand"
        isSelfService={false}
        paymentInstructions={paymentInstructions}
      />,
    )
    for (const phrase of [
      title,
      explanation,
      'Please pay ₹ 4,720 with the payment method you originally chose, or try the card again.',
      'Try the card again (₹ 4,720)',
      'Bank transfer: pay ₹ 4,720',
      'Account of the society',
      'SBIN0001234',
      'Your seat is reserved until 21 January 2026.',
    ])
      expect(result).toContain(phrase)
    expect(getStateTitle(event, dueRegistration)).toBe(title)
    const selfService = renderText(
      <ManualPaymentPage {...props} paymentState="by-hand" isSelfService />,
    )
    expect(selfService).toContain(title)
    expect(selfService).toContain('Payment details and the form to report your payment are below.')
  },
)

test('the amount in a return URL is shown in its currency, or in rupees if the URL states none', () => {
  const formatAmount = (currency: string | null) =>
    getResultValues(event, null, { amount: '177.00', currency })['amount']?.replaceAll(/\s/g, ' ')
  expect([formatAmount('USD'), formatAmount(null)]).toEqual(['US$ 177', '₹ 177'])
})

test.each([
  [false, 'We will send the confirmation to '],
  [true, 'Emails about this registration go to '],
] as const)(
  'the page that an email links to does not announce the confirmation again: %s',
  (isSelfService, text) => {
    const page = renderToStaticMarkup(
      <ConfirmationAddress
        event={{ ...event, sendsMail: true }}
        registration={createRegistration({ payment_status: 'success', email: 'a@example.org' })}
        isSelfService={isSelfService}
      />,
    )
    expect(page).toContain(`${text}<b>a@example.org</b>`)
  },
)
