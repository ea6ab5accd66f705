/** Sentences on the self-service page that depend on the delegate's payments. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { DuplicatePayment } from '../../../web/self-service/duplicate-payment.tsx'
import { ManualPayment } from '../../../web/self-service/payment-claim.tsx'
import { EditAnswers } from '../../../web/self-service/edit-answers.tsx'
import { Documents } from '../../../web/self-service/receipts-and-invoices.tsx'
import { RefusalAndOffer } from '../../../web/self-service/refusal-and-category-offer.tsx'
import { RequestCancellation } from '../../../web/self-service/request-cancellation.tsx'
import type { PanelProps } from '../../../web/self-service/panel-props.ts'
import { createEvent } from '../../engine/fixtures.ts'

const NOW = '2026-01-20T12:00:00+05:30'
const event = createEvent()

const renderCancellationText = (
  state: PanelProps['data']['state'],
  retained: number,
  refund: number | null,
  registration: object = {},
  terms: object | null = null,
): string => {
  const data = {
    state,
    registration,
    cancel: { asked_at: null, kept: retained, back: refund, ...(terms !== null && { terms }) },
  } as PanelProps['data']
  const page = renderToStaticMarkup(
    <RequestCancellation
      event={{} as PanelProps['event']}
      data={data}
      path="/"
      reload={() => {}}
    />,
  )
  return (/<p>(.*?)<\/p>/.exec(page)?.[1] ?? '').replaceAll('\u00a0', ' ')
}

test.each([
  [
    'a delegate who has reported a payment is not told that nothing was paid',
    renderCancellationText('told', 0, null),
    'The organisers have not found your payment yet. They will decide whether you get a refund.',
  ],
  [
    'a delegate whose payment is under review is not told that nothing was paid',
    renderCancellationText('to_pay', 0, null, { in_review: true }),
    'The organisers are checking your payment. They will decide whether you get a refund.',
  ],
  [
    'for an unpaid registration, the page states that there is nothing to refund',
    renderCancellationText('to_pay', 0, null),
    'You have not paid anything, so there is nothing to refund.',
  ],
  [
    'the page states that the tax is not refunded and a charge is deducted',
    renderCancellationText(
      'complete',
      1180,
      650,
      {},
      { percent: 75, of: 1000, without_tax: 'GST', charge: 100 },
    ),
    'You have paid ₹ 1,180. If you cancel today, your refund will be ₹ 650. The refund is 75% of ₹ 1,000, the amount paid without GST, less a charge of ₹ 100.',
  ],
  [
    'the page states that a charge is deducted, in the currency of the payment',
    renderCancellationText(
      'complete',
      199.5,
      74.75,
      { currency: 'EUR' },
      { percent: 50, of: 199.5, charge: 25 },
    ),
    'You have paid € 199.50. If you cancel today, your refund will be € 74.75. The refund is 50% of € 199.50, less a charge of € 25.',
  ],
  [
    'the page states that the tax is not refunded',
    renderCancellationText(
      'complete',
      1180,
      750,
      {},
      { percent: 75, of: 1000, without_tax: 'GST' },
    ),
    'You have paid ₹ 1,180. If you cancel today, your refund will be ₹ 750. The refund is 75% of ₹ 1,000, the amount paid without GST.',
  ],
])('when requesting cancellation, %s', (_, panel, sentence) => {
  expect(panel).toBe(sentence)
})

test('the page explains how a colleague can attend instead, if the name can be changed', () => {
  const renderEdit = (ids: readonly string[]) => {
    const fields = ids.map((id) => ({ id, label: id, type: 'text', value: '' }))
    const data = { edit: { fields, until: '2026-01-24' } } as unknown as PanelProps['data']
    return renderToStaticMarkup(
      <EditAnswers
        event={{ ...event, roles: { fullName: 'full_name' } }}
        {...{ data, path: '/', reload: () => {} }}
      />,
    )
  }
  const sentence = 'If someone else is attending in your place, enter their name under “full_name”.'
  expect(renderEdit(['full_name', 'city'])).toContain(sentence)
  expect(renderEdit(['city'])).not.toContain('in your place')
})

test.each([
  ['EUR', 1234.5, '€ 1,234.50'],
  ['JPY', 1234, 'JP¥ 1,234'],
  ['KWD', 1234.125, 'KWD 1,234.125'],
  ['INR (default)', 1234.5, '₹ 1,234.50'],
] as const)(
  'the self-service page for a registration in %s states the amounts in its currency',
  (code, amount, text) => {
    const currency = code === 'INR (default)' ? {} : { currency: code }
    const registration = { reg_no: 'X1', ...currency }
    const data = {
      registration,
      state: 'to_pay',
      documents: [
        {
          id: 1,
          kind: 'receipt',
          title: 'Receipt',
          serial: '1',
          at: NOW,
          total: amount,
          ...currency,
        },
      ],
      refused: {
        why: 'No',
        say: null,
        offer: { category: 'a', label: 'A', total: amount, ...currency },
      },
      paying: {
        label: 'Transfer',
        tell: '',
        numbers: [],
        upi: null,
        total: amount,
        price_until: null,
        pay_until: null,
        asks: [],
        told: null,
      },
    } as unknown as PanelProps['data']
    for (const Panel of [Documents, RefusalAndOffer, ManualPayment]) {
      const page = renderToStaticMarkup(
        <Panel event={event} data={data} path="/" reload={() => {}} />,
      )
      expect(page.replaceAll('\u00a0', ' ')).toContain(text)
    }
    expect(renderCancellationText('complete', amount, amount, registration)).toContain(text)
    const duplicate = { first: 'X0', first_amount: 90, amount, asked_at: null }
    const notice = renderToStaticMarkup(
      <DuplicatePayment {...{ duplicate, registration }} path="/" reload={() => {}} />,
    ).replaceAll('\u00a0', ' ')
    const refunded = renderToStaticMarkup(
      <DuplicatePayment
        duplicate={{ ...duplicate, amount: 0, asked_at: NOW }}
        registration={registration}
        path="/"
        reload={() => {}}
      />,
    )
    expect(refunded).toContain('have started the refund')
    expect(refunded).not.toContain('button')
    expect(notice).toContain(`${text}. You had already paid ₹ 90 for registration X0.`)
  },
)

test('a delegate whose payment is under review sees the reported payment, but neither instructions to pay nor the payment form', () => {
  const claim = { reference: '526123000001', paid_on: '2026-01-19', stands: 'looking', why: '' }
  const renderPanel = (inReview: boolean, reportedClaim: object | null): string => {
    const data = {
      registration: { reg_no: 'X1', in_review: inReview },
      state: 'to_pay',
      paying: {
        label: 'Transfer',
        tell: 'Pay to account 50200012345678.',
        numbers: [],
        upi: 'upi://pay?pa=a@bank',
        total: 40.2,
        price_until: null,
        pay_until: NOW,
        asks: [],
        told: reportedClaim,
      },
    } as unknown as PanelProps['data']
    return renderToStaticMarkup(
      <ManualPayment event={event} data={data} path="/" reload={() => {}} />,
    )
  }
  expect(renderPanel(false, null)).toContain('I have paid')
  expect(renderPanel(true, null)).toBe('')
  const page = renderPanel(true, claim)
  expect(page).toContain('526123000001')
  for (const part of ['I have paid', 'upi://', '50200012345678', 'seat is reserved'])
    expect(page).not.toContain(part)
})
