/** Result pages, receipts and emails, and the placeholders in their texts. */
import { describe, expect, it, test } from 'vitest'
import {
  INR,
  day,
  fillPlaceholders,
  fillKnownPlaceholders,
  instant,
  getLabel,
  readInstant,
  startOfDay,
  formatIdAsWords,
  type EventConfig,
} from '../../../engine/index.ts'
import { toWireLines, type RegistrationResponse } from '../../../engine/api.ts'
import {
  buildClaimRejectedEmail,
  buildConfirmationEmail,
  readRegistration,
  buildReceiptFile,
  buildResultRows,
  getPlaceholderValues,
  type RegistrationView,
} from '../../../engine/messages.ts'
import { chosenCategoryEvent, createField, isIn, toRupees, when } from '../fixtures.ts'

const paidAt = readInstant('2025-10-10T09:53:00+05:30') ?? instant(0)
const registration: RegistrationView = {
  regNo: 'SAMP1234567890123',
  answers: {
    full_name: 'Asha {reg_no}',
    email: 'asha@example.org',
    is_member: false,
    ticket_type: 'visitor',
  },
  category: 'pg-member',
  period: 'early',
  base: toRupees(4237.29),
  gst: toRupees(762.71),
  total: toRupees(5000),
  currency: INR,
  lines: [
    {
      id: 'registration',
      option: null,
      label: 'Post Graduate',
      quantity: 1,
      unit: toRupees(5500),
      base: toRupees(4661.02),
      gst: toRupees(838.98),
      total: toRupees(5500),
    },
    {
      id: 'lunch',
      option: 'veg',
      label: 'Lunch',
      quantity: 2,
      unit: toRupees(0),
      base: toRupees(0),
      gst: toRupees(0),
      total: toRupees(0),
    },
    {
      id: 'presenter',
      option: null,
      label: 'Presenter',
      quantity: 1,
      unit: toRupees(-500),
      base: toRupees(-423.73),
      gst: toRupees(-76.27),
      total: toRupees(-500),
    },
  ],
  paymentStatus: 'success',
  inReview: false,
  paymentId: 'G1',
  paidAt,
  createdAt: startOfDay(day('2025-10-10')),
  payments: [
    { orderId: 'SAMP123456789012302', status: 'failed' },
    { orderId: 'SAMP1234567890123', status: 'success' },
  ],
}
const event: EventConfig = {
  ...chosenCategoryEvent,
  office: 'office@sample.example',
  categories: [{ id: 'pg-member', label: 'Post Graduate', listedOnly: false }],
  results: {
    ...chosenCategoryEvent.results,
    amounts: 'split-total',
    success: {
      ...chosenCategoryEvent.results.success,
      details: [
        { show: 'reg_no', label: 'Number' },
        { show: 'category', label: 'Category', as: 'words' },
        { show: 'base', label: 'Base' },
        { show: 'gst', label: '{tax.name} ({tax.percent}%)' },
        { show: 'total', label: 'Total' },
        { show: 'payment_date', label: 'Paid on' },
        { show: 'number', label: 'Member No', when: when(isIn('is_member', true)) },
        { show: 'phone', label: 'Phone' },
        { show: 'is_member', label: 'Member' },
        { text: 'Paid', label: 'Status' },
        { show: 'event.dates', label: 'Dates' },
      ],
    },
    failed: {
      ...chosenCategoryEvent.results.failed,
      details: [
        { show: 'reg_no', label: 'Number' },
        { show: 'order_id', label: 'Order' },
        { show: 'amount', label: 'Amount' },
        { show: 'date', label: 'Date' },
        { text: 'Failed', label: 'Status' },
      ],
    },
    receipt: { file: '{reg_no}.txt', text: '{full_name}: {base} + {gst} = {total}, {event.hours}' },
  },
  email: {
    subject: '{full_name}\r\nBcc: x – {reg_no}',
    copyTo: 'office',
    text: '{category}: {total} with {gst}, ticket {ticket_type}',
  },
}
const RUPEE_SIGN = '₹\u00a0'

it('fills every placeholder once, and a value is never interpreted as a template', () => {
  expect(fillPlaceholders('{a} {b} {a.c} {}', { a: '{b}', 'a.c': '2' }, 'N/A')).toBe('{b} N/A 2 {}')
  expect(formatIdAsWords('intern-mbbs_accompanying')).toBe('Intern Mbbs Accompanying')
  expect(['upi', 'utr_number'].map(formatIdAsWords)).toEqual(['UPI', 'UTR Number'])
  expect(getLabel(event, 'gst')).toBe('GST (18%)')
  expect(getLabel(event, 'phone')).toBe('Label of phone')
})

it('a line with an unknown placeholder is omitted', () => {
  expect(fillKnownPlaceholders('quote {a}', { a: '{b}' })).toBe('quote {b}')
  expect(fillKnownPlaceholders('quote {a}, {b}', { a: '1' })).toBeNull()
  expect(fillKnownPlaceholders('quote {}', {})).toBe('quote {}')
})

describe('a result page', () => {
  test('S033: a known registration’s failed page shows the time and amount of the attempt, whatever its URL contains', () => {
    const forgedQuery = { orderId: 'OTHER', amount: '1.00', date: '2020-01-01' }
    const failedView: RegistrationView = {
      ...registration,
      paymentStatus: 'failed',
      paidAt: null,
      payments: [
        {
          orderId: 'SAMP123456789012302',
          status: 'failed',
          createdAt: readInstant('2025-10-11T15:07:00+05:30') ?? instant(0),
        },
        { orderId: 'SAMP1234567890123', status: 'failed', createdAt: registration.createdAt },
      ],
    }
    const listRowValues = (view: RegistrationView) =>
      buildResultRows(event, 'failed', view, forgedQuery).map(({ value }) => value)
    expect(listRowValues(failedView)).toEqual([
      'SAMP1234567890123',
      'SAMP123456789012302',
      `${RUPEE_SIGN}5,000`,
      '11 October 2025, 3:07 pm',
      'Failed',
    ])
    // An imported row may have neither an amount nor an attempt.
    const { payments: _, ...importedView } = { ...failedView, total: null }
    expect(listRowValues(importedView)).toEqual([
      'SAMP1234567890123',
      'SAMP1234567890123',
      'N/A',
      '10 October 2025, 12:00 am',
      'Failed',
    ])
  })

  it('shows the stored amounts, with base and tax computed from the total', () => {
    expect(
      buildResultRows(event, 'success', registration, {
        orderId: 'OTHER',
        amount: '1.00',
        date: '2020-01-01',
      }).map(({ id, label, value }) => [id, label, value]),
    ).toEqual([
      ['reg_no', 'Number', 'SAMP1234567890123'],
      ['category', 'Category', 'Pg Member'],
      ['base', 'Base', `${RUPEE_SIGN}4,237`],
      ['gst', 'GST (18%)', `${RUPEE_SIGN}763`],
      ['total', 'Total', `${RUPEE_SIGN}5,000`],
      ['payment_date', 'Paid on', '10 October 2025, 9:53 am'],
      ['phone', 'Phone', 'N/A'],
      ['is_member', 'Member', 'No'],
      ['text-10', 'Status', 'Paid'],
      ['event.dates', 'Dates', '31 January – 1 February 2026'],
    ])
  })

  test.each([
    [
      'all values',
      { orderId: 'SAMP1', amount: '7080.00', date: '2025-10-10T09:53:00+05:30' },
      ['SAMP1', `${RUPEE_SIGN}7,080`, '10 October 2025, 9:53 am', 'Failed'],
    ],
    [
      'a plus sign that was decoded as a space',
      { date: '2025-10-10T09:53:00 05:30' },
      ['N/A', 'N/A', '10 October 2025, 9:53 am', 'Failed'],
    ],
    ['no values', {}, ['N/A', 'N/A', 'N/A', 'Failed']],
    [
      'invalid values',
      { orderId: null, amount: 'free!', date: 'call 555' },
      ['N/A', 'N/A', 'N/A', 'Failed'],
    ],
    [
      'text from an attacker',
      { orderId: 'REFUND DUE, call 98470 00000', amount: '₹ 5 to 98470', date: '2025-02-30' },
      ['N/A', 'N/A', 'N/A', 'Failed'],
    ],
    [
      'an order id with one character too many',
      { orderId: 'S'.repeat(21) },
      ['N/A', 'N/A', 'N/A', 'Failed'],
    ],
    [
      'an order id of the maximum length',
      { orderId: ' S1'.padEnd(21, '0') },
      [`S1${'0'.repeat(18)}`, 'N/A', 'N/A', 'Failed'],
    ],
    [
      'characters that reverse the text direction',
      { orderId: 'SAMP\u202e1' },
      ['N/A', 'N/A', 'N/A', 'Failed'],
    ],
    ['letters in another script', { orderId: 'ＳＡＭＰ１' }, ['N/A', 'N/A', 'N/A', 'Failed']],
  ])('without a registration shows the valid values in its URL: %s', (_name, query, values) => {
    expect(buildResultRows(event, 'failed', null, query).map(({ value }) => value)).toEqual(values)
  })

  it('shows a conditional row when its condition holds', () => {
    const memberView = {
      ...registration,
      answers: { ...registration.answers, is_member: true, number: 'A-7' },
    }
    expect(
      buildResultRows(event, 'success', memberView, {}).find(({ id }) => id === 'number'),
    ).toEqual({
      id: 'number',
      label: 'Member No',
      value: 'A-7',
    })
  })

  it('shows a cancelled registration’s category label, as the page before payment does', () => {
    const endedRows = buildResultRows(event, 'ended', registration, {})
    expect(endedRows.find(({ id }) => id === 'category')?.value).toBe('Post Graduate')
    expect(endedRows).toHaveLength(buildResultRows(event, 'success', registration, {}).length)
  })
})

it('the placeholders of the receipt and email are replaced; an answer cannot add a header or a path', () => {
  expect(buildReceiptFile(event, registration)).toEqual({
    file: 'SAMP1234567890123.txt',
    text: `Asha {reg_no}: ${RUPEE_SIGN}4,237 + ${RUPEE_SIGN}763 = ${RUPEE_SIGN}5,000, N/A`,
  })
  expect(buildReceiptFile(event, { ...registration, regNo: '../x' })?.file).toBe('..-x.txt')
  expect(buildReceiptFile(chosenCategoryEvent, registration)).toBeNull()
  expect(buildConfirmationEmail(event, registration)).toEqual({
    to: 'asha@example.org',
    copyTo: 'office@sample.example',
    subject: 'Asha {reg_no} Bcc: x – SAMP1234567890123',
    // The link is inserted later, when the email is sent.
    text: expect.stringMatching(
      /^Post Graduate: ..5,000 with ..762\.71, ticket The visitor\n\nSee your ticket.*:\n\{link\}\n\nKeep this link/,
    ),
  })
  expect(buildConfirmationEmail(event, { ...registration, answers: {} })).toBeNull()
  expect(buildConfirmationEmail(chosenCategoryEvent, registration)).toBeNull()
})

it('the email about a payment that was not found asks for the details again, and states the deadline if there is one', () => {
  const getTextUntil = (until: ReturnType<typeof instant> | null) =>
    buildClaimRejectedEmail(event, registration, 'UTR1', 'Not in the statement.', until)?.text
  expect(getTextUntil(null)).toContain('Please check the details and submit them again:')
  expect(getTextUntil(paidAt)).toMatch(/Please check the details and submit them again by .*:/)
})

it('days and stored amounts are formatted in words', () => {
  const eventWithMoneyAndDate: EventConfig = {
    ...event,
    fields: [createField('born', { type: 'date' })],
    alsoStored: [{ id: 'fee', type: 'money', label: 'Fee' }],
  }
  expect(
    getPlaceholderValues(eventWithMoneyAndDate, {
      ...registration,
      answers: { born: '1990-01-31', fee: 1250.5 },
    }),
  ).toMatchObject({ born: '31 January 1990', fee: `${RUPEE_SIGN}1,250.50` })
})

it('a text can list the lines of the bill, with the unit price if the quantity is more than one', () => {
  expect(getPlaceholderValues(event, registration).lines).toBe(
    `Post Graduate: ${RUPEE_SIGN}5,500\nLunch, 2 × ${RUPEE_SIGN}0: Free\nPresenter: −${RUPEE_SIGN}500`,
  )
  expect(getPlaceholderValues(event, { ...registration, lines: [] }).lines).toBeUndefined()
})

it('the API response gives the same pages as the stored registration', () => {
  const apiRegistration: RegistrationResponse['registration'] = {
    ...registration.answers,
    reg_no: registration.regNo,
    order_id: registration.regNo,
    payment_status: 'success',
    in_review: false,
    card_failed_as: null,
    payment_date: '2025-10-10T09:53:00+05:30',
    payment_id: null,
    created_at: '2025-10-10T00:00:00+05:30',
    attempted_at: '2025-10-10T09:50:00+05:30',
    category: 'pg-member',
    category_label: 'Post Graduate',
    period: 'early',
    base: 4237.29,
    gst: 762.71,
    total: 5000,
    lines: toWireLines(registration.lines, INR),
    stands: 'complete',
    held_until: null,
    price_until: null,
    review_since: null,
    second_payment: false,
    refunded_amount: 0,
    difference_due: 0,
    decide_by: null,
    may_pay: false,
    failed_as: null,
  }
  expect(buildResultRows(event, 'success', apiRegistration, {})).toEqual(
    buildResultRows(event, 'success', registration, {}),
  )
  expect(buildReceiptFile(event, apiRegistration)).toEqual(buildReceiptFile(event, registration))
  expect(buildConfirmationEmail(event, apiRegistration)).toEqual(
    buildConfirmationEmail(event, registration),
  )
  expect(readRegistration(event, apiRegistration)).toMatchObject({
    base: toRupees(4237.29),
    gst: toRupees(762.71),
    total: toRupees(5000),
    answers: registration.answers,
  })
})
