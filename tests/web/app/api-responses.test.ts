/** Checks that the web app's response readers accept valid responses and reject everything else. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findCategory, day, startOfDay } from '../../../engine/index.ts'
import { buildTariff } from '../../../engine/api.ts'
import type { EventConfig } from '../../../engine/index.ts'
import {
  readEventFile,
  readRegisterResult,
  readRetryPaymentData,
  createTariffReader,
} from '../../../web/app/api-responses.ts'
import { readRegistrationResponse } from '../../../web/results/registration-responses.ts'
import type { Reader } from '../../../web/app/api-client.ts'
import { readSelfServiceData } from '../../../web/self-service/self-service-api-responses.ts'
import { calculatePrice } from '../../../web/registration/price/live-price.ts'
import {
  createListReader,
  readSuccess,
  readMessage,
  readOfficeRegistration,
  readSession,
  readStats,
} from '../../../web/office/office-api-responses.ts'
import { formatDateParts } from '../../../web/office/lists/list-table.tsx'
import { afpicon, chirurgia, findList, midzone } from '../../specification/events.ts'
import { chooseRuns } from '../../runs.ts'

const PRICE_DAY = startOfDay(day('2025-11-10'))
const NOW = '2025-11-10T12:00:00+05:30'

const paymentData = {
  email: 'a@example.org',
  first_name: 'A',
  last_name: 'B',
  orderid: 'SAMP1',
  amount: '7080.00',
  mercid: '1',
  privatekey: 'k',
  checksum: 'c',
  payment_url: 'https://pay.example/',
}
const registration = {
  reg_no: 'SAMP1',
  order_id: 'SAMP1',
  payment_status: 'success',
  in_review: false,
  payment_date: NOW,
  attempted_at: NOW,
  created_at: NOW,
  category: 'a',
  category_label: 'A',
  period: 'p',
  base: 6000,
  gst: 1080,
  total: 7080,
  failed_as: null,
  card_failed_as: null,
  stands: 'complete',
  held_until: null,
  price_until: null,
  review_since: null,
  second_payment: false,
  refunded_amount: 0,
  difference_due: 0,
  may_pay: false,
  full_name: 'Dr. Sample',
}
const figures = {
  total_registrations: 3,
  paid_registrations: 1,
  pending_registrations: 1,
  failed_registrations: 1,
  today_registrations: 0,
  total_revenue: 7080,
}
const recentRegistration = {
  id: 1,
  full_name: 'Dr. Sample',
  reg_no: 'SAMP1',
  final_amount: 7080,
  payment_status: 'success',
  payment_status_display: 'Paid',
  in_review: false,
  created_at: NOW,
}
const stats = {
  status: 'success',
  data: {
    now: NOW,
    sample_stats: figures,
    revenue_stats: { total_revenue: 7080 },
    recent_registrations: { sample: [recentRegistration] },
    by_day: { sample: [{ day: '2025-11-10', registrations: 1, revenue: 7080 }] },
  },
}
const row = { ...registration, id: 1, payment_status_display: 'Paid' }
const officeRegistration = {
  status: 'success',
  registration: row,
  contact: { email: 'sample@example.org', phone: '' },
  answers: [{ id: 'full_name', label: 'Full Name', text: 'Dr. Sample' }],
  payments: [
    {
      order_id: 'SAMP1',
      amount: 7080,
      status: 'success',
      review: null,
      reference: 'R',
      created_at: NOW,
      asked: 'Sent to the payment gateway.',
      facts: [{ at: NOW, type: 'confirmed', text: 'Confirmed.' }],
    },
  ],
  mails: [{ id: 1, to: 'a@example.org', subject: 'S', status: 'sent', at: NOW, error: null }],
  audit: [{ at: NOW, who: 'office', what: 'saw it' }],
  settled: [
    {
      is: 'sale',
      reference: 'R',
      amount: 7080,
      fee: 100,
      tax: 18,
      net: 6962,
      day: '2026-01-12',
      utr: 'UTR000000000001',
    },
  ],
  disputes: [
    {
      id: 'disp_1',
      is_open: true,
      text: 'The delegate’s bank disputes ₹ 7,080.',
      details: 'Phase: chargeback',
      since: '12 January 2026, 12:00 pm',
    },
  ],
  same_email: [{ reg_no: 'SAMP2', payment_status_display: 'Paid' }],
  paid_by_same_person: [],
  event: { id: 'sample', title: 'Sample', route: '/admin/sample' },
}
const session = {
  status: 'success',
  username: 'office',
  role: 'owner',
  all_events: true,
  needs_second_factor: false,
  in_recovery: false,
  today: '2026-01-21',
  events: [afpicon, midzone].map(({ id, title, look, status, routes, admin }) => ({
    id,
    title,
    look,
    status,
    routes,
    ...admin,
    from: '2026-11-14',
    to: '2026-11-15',
    price_steps: [{ day: '2026-10-01', label: 'Regular' }],
    always: { name: 'full_name', category: 'ticket_type' },
    adds_registrations: true,
    gives_codes: false,
    checks_documents: false,
    sells: false,
  })),
  texts: afpicon.texts,
}
const readList = createListReader(findList(afpicon, 'afpicon'))
const listPage = {
  status: 'success',
  count: 1,
  page: 1,
  page_size: 20,
  shown: '1',
  registrations: [row],
}

/** Every reader, with a valid response and the paths of the values that the reader requires. */
const READERS: readonly (readonly [string, Reader<unknown>, unknown, readonly string[]])[] = [
  ['the tariff', createTariffReader(afpicon, NOW), buildTariff(afpicon, PRICE_DAY), []],
  [
    'a submitted registration',
    readRegisterResult,
    {
      status: 'success',
      message: 'Done',
      reg_no: 'SAMP1',
      stands: 'not-paid',
      payment_data: paymentData,
    },
    ['payment_data.orderid', 'payment_data.payment_url'],
  ],
  [
    'another payment attempt',
    readRetryPaymentData,
    { status: 'success', payment_data: paymentData },
    ['payment_data', 'payment_data.orderid', 'payment_data.payment_url'],
  ],
  [
    'a registration found by its number',
    readRegistrationResponse,
    { status: 'success', registration },
    ['registration.reg_no'],
  ],
  [
    'a registration opened by a link',
    readSelfServiceData,
    {
      status: 'success',
      registration,
      state: 'to_pay',
      documents: [],
      edit: { fields: [], until: null },
      files: [],
      cancel: null,
      refused: null,
    },
    ['registration', 'registration.reg_no', 'state'],
  ],
  [
    'an event file',
    readEventFile,
    { status: 'success', path: 'a.yaml', text: '' },
    ['path', 'text'],
  ],
  ['an action', readSuccess, { status: 'success' }, ['status']],
  ['a message', readMessage, { status: 'success', message: 'Done.' }, ['message']],
  [
    'the session',
    readSession,
    session,
    [
      'username',
      'role',
      'all_events',
      'needs_second_factor',
      'events',
      'texts',
      'texts.admin',
      'texts.calls',
      'events.0.lists',
      'events.0.lists.0.filters.0.kind',
      'events.0.lists.0.columns.0.kind',
      'events.0.look',
    ],
  ],
  [
    'the dashboard',
    readStats,
    stats,
    [
      'data',
      'data.now',
      'data.revenue_stats',
      'data.sample_stats.paid_registrations',
      'data.recent_registrations.sample.0.reg_no',
      'data.by_day.sample.0.day',
    ],
  ],
  ['a list', readList, listPage, ['count', 'registrations', 'registrations.0.reg_no']],
  [
    'a registration in the office',
    readOfficeRegistration,
    officeRegistration,
    ['registration', 'answers', 'payments', 'payments.0.facts', 'mails', 'audit', 'event'],
  ],
]

/** Lists the paths of all values in an object, in the form `a.0.b`. */
const listPaths = (value: unknown, path = ''): readonly string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => {
        const innerPath = path === '' ? name : `${path}.${name}`
        return [innerPath, ...listPaths(inner, innerPath)]
      })

/** Returns a copy in which the value at a path is replaced, or removed if `replacement` is missing. */
function replaceAtPath(value: unknown, path: string, ...replacement: readonly unknown[]): unknown {
  const copy: unknown = structuredClone(value)
  const names = path.split('.')
  const lastName = names.pop() ?? ''
  const parentObject = names.reduce<unknown>(
    (object, name) => (object as Record<string, unknown>)[name],
    copy,
  ) as Record<string, unknown>
  if (replacement.length === 0) delete parentObject[lastName]
  else parentObject[lastName] = replacement[0]
  return copy
}

const NO_ROWS: readonly unknown[] = []
const ONLY_SUCCESS = { status: 'success' }
const INVALID_VALUES = [undefined, null, 0, '', 'text', true, NO_ROWS, [null], {}, ONLY_SUCCESS]
/** Responses with fewer properties than usual that are still valid. */
const MINIMAL_RESPONSES = new Map<Reader<unknown>, ReadonlyMap<unknown, unknown>>([
  [readSuccess, new Map([[ONLY_SUCCESS, true]])],
  [readRegistrationResponse, new Map([[ONLY_SUCCESS, { registration: null }]])],
  [
    readList,
    new Map([
      [
        NO_ROWS,
        {
          rows: [],
          count: 0,
          pageSize: 0,
          page: 1,
          summary: null,
          isCountCapped: false,
          sums: null,
          currency: 'INR',
          sortProblem: null,
          refundRequestRegNos: [],
        },
      ],
    ]),
  ],
])

describe.each(READERS)('%s', (_, readResponse, validResponse, requiredPaths) => {
  // Responses are JSON, in which undefined values are missing.
  const validJson: unknown = JSON.parse(JSON.stringify(validResponse))

  test('a valid response is accepted', () => {
    expect(readResponse(validJson)).not.toBeNull()
  })
  test.each(INVALID_VALUES)('%j is rejected', (invalidValue) => {
    expect(readResponse(invalidValue)).toEqual(
      MINIMAL_RESPONSES.get(readResponse)?.get(invalidValue) ?? null,
    )
  })
  test('a response in which a required value is missing or has the wrong type is rejected', () => {
    for (const path of requiredPaths) {
      expect(readResponse(replaceAtPath(validJson, path)), `without ${path}`).toBeNull()
      expect(
        readResponse(replaceAtPath(validJson, path, [7])),
        `${path} of another type`,
      ).toBeNull()
    }
  })
  test('reading never throws, whatever the values are', () => {
    const paths = listPaths(validJson)
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        expect(() => readResponse(replaceAtPath(validJson, path, value))).not.toThrow()
        expect(() => readResponse(replaceAtPath(validJson, path))).not.toThrow()
      }),
      { seed: 20261121, numRuns: chooseRuns(400) },
    )
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(() => readResponse(value)).not.toThrow()
      }),
      { seed: 20261121, numRuns: chooseRuns(400) },
    )
  })
})

describe('the form reads prices from every format of the tariff', () => {
  const EXAMPLES: readonly (readonly [EventConfig, Readonly<Record<string, string | boolean>>])[] =
    [
      [afpicon, { ticket_type: 'afpi-pg' }],
      [chirurgia, { designation: 'pg', asi_member: false }],
      [midzone, { is_pg: true, afpi_member: true, afpi_membership_number: '1' }],
    ]
  test.each(EXAMPLES)('$title', (event, answers) => {
    const tariff = buildTariff(event, PRICE_DAY)
    expect(findCategory(event, answers)).not.toBeNull()
    const readPrices = (body: unknown) => {
      const tariffResponse = createTariffReader(event, NOW)(body)
      return tariffResponse === null
        ? null
        : calculatePrice(event, { is: 'loaded', response: tariffResponse }, answers)
    }
    const price = readPrices(tariff)
    expect(price).toMatchObject({ is: 'price' })
    const { current_period, tariff_data, pricing } = tariff
    expect(readPrices({ current_period, tariff_data })).toEqual(price)
    expect(readPrices({ status: 'success', pricing })).toEqual(price)
    const withoutTax = Object.fromEntries(
      Object.entries(pricing).map(([category, { base, total }]) => [category, { base, total }]),
    )
    expect(readPrices({ pricing: withoutTax })).toEqual(price)
    expect(readPrices({ pricing: { ...pricing, other: { base: 'free' } } })).toBeNull()
    expect(readPrices({ pricing: { ...pricing, other: { base: 1, gst: 1, total: 3 } } })).toBeNull()
  })
  test('dates on which registration is closed, or that fall outside every period, have no prices', () => {
    const { tariff_data } = buildTariff(afpicon, PRICE_DAY)
    const readTariff = createTariffReader(afpicon, NOW)
    expect(readTariff({ tariff_data, current_period: null })?.pricing).toEqual({})
    expect(readTariff({ tariff_data, open: false, closed_text: 'Closed.' })).toMatchObject({
      open: false,
      closed_text: 'Closed.',
    })
  })
})

test('a registration without a number is identified by the order in its payment data', () => {
  expect(readRegisterResult({ payment_data: paymentData })).toMatchObject({ reg_no: 'SAMP1' })
  expect(readRegisterResult({ status: 'success', reg_no: 'SAMP1', payment_data: null })).toEqual({
    status: 'success',
    message: '',
    reg_no: 'SAMP1',
  })
})

describe('the payment state of a registration', () => {
  const readPaymentState = (extraFields: object) =>
    readRegistrationResponse({ registration: { ...registration, ...extraFields } })?.registration
      ?.stands
  test.each(['complete', 'not-paid', 'at-bank', 'organisers', 'failed', 'refunded'])(
    '%s is read from the response',
    (stands) => expect(readPaymentState({ stands })).toBe(stands),
  )
  test.each(['paid', '', null, 7, 'Complete', 'toString', ['complete']])(
    'an unknown state (%j) counts as pending: the registration is not shown as paid, and no payment is offered',
    (stands) => {
      expect(readPaymentState({ stands })).toBe('at-bank')
      expect(readRegisterResult({ reg_no: 'SAMP1', stands })?.stands).toBe('at-bank')
    },
  )
  test.each([
    ['success', false, 'complete'],
    ['success', true, 'complete'],
    ['pending', false, 'at-bank'],
    ['pending', true, 'organisers'],
    ['failed', false, 'failed'],
    ['failed', true, 'organisers'],
    ['refunded', false, 'refunded'],
  ] as const)(
    'a response with only the status %s (in review: %s) is read as %s',
    (payment_status, in_review, stands) =>
      expect(readPaymentState({ stands: undefined, payment_status, in_review })).toBe(stands),
  )
  test('values of the wrong type are ignored: no second payment, refund or pay button is shown', () => {
    const responseWithWrongTypes = {
      second_payment: 'true',
      refunded_amount: '-5',
      difference_due: 'much',
      may_pay: 1,
      held_until: 7,
      price_until: '1 January',
      review_since: {},
    }
    expect(
      readRegistrationResponse({ registration: { ...registration, ...responseWithWrongTypes } })
        ?.registration,
    ).toMatchObject({
      second_payment: false,
      refunded_amount: 0,
      difference_due: 0,
      may_pay: false,
      held_until: null,
      price_until: null,
      review_since: null,
    })
  })
})

test('a dashboard with more refunds than payments on a day is accepted', () => {
  const statsResponse = replaceAtPath(stats, 'data.by_day.sample.0.revenue', -1180)
  expect(readStats(statsResponse)?.by_day['sample']?.[0]?.revenue).toBe(-1180)
})

test('staff pages format times like all other pages: “Sep” for September, and a 12-hour clock with am and pm', () => {
  expect(formatDateParts('2025-09-05T00:05:00+05:30')).toEqual(['5 Sep 2025', '12:05 am'])
  expect(formatDateParts('2025-09-05T18:30:00Z')).toEqual(['6 Sep 2025', '12:00 am'])
  expect(formatDateParts('2025-06-05T13:00:00+05:30')).toEqual(['5 Jun 2025', '1:00 pm'])
  expect(formatDateParts('yesterday')).toBeNull()
})
