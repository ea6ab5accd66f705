/** Compares the specification's fees, periods, categories, fields and numbers with the compiled event files. */
import { describe, expect, test } from 'vitest'
import {
  INR,
  addDays,
  applyPaymentEvent,
  findCategory,
  checkAnswers,
  day,
  findAnswerErrors,
  expectOk,
  formatDay,
  formatDays,
  formatMoney,
  instant,
  normalise,
  checkRegistrationOpen,
  createOrderId,
  toAmount,
  findPeriodOn,
  quote,
  quoteCategory,
  readOrderId,
  createRegNo,
  toMajorUnits,
  findVisibleFields,
  splitTotal,
  startOfDay,
} from '../../engine/index.ts'
import { buildTariff } from '../../engine/api.ts'
import { getResultValues } from '../../engine/messages.ts'
import type { EventConfig, Instant, Payment, PaymentEvent } from '../../engine/index.ts'
import { getTooLargeText } from '../../web/ui/file-size.ts'
import { afpicon, chirurgia, findField, findList, midzone, pulmocon } from './events.ts'

const toNoon = (text: string): Instant => instant(startOfDay(day(text)) + 12 * 3_600_000)
const listFieldIds = (event: EventConfig): string[] => event.fields.map((field) => field.id)
const readPrice = (event: EventConfig, category: string, period: string) => {
  const price = quoteCategory(event, category, period)
  return price && [price.base, price.gst, price.total].map((amount) => toMajorUnits(amount, INR))
}

describe('the conferences', () => {
  test.each([
    ['S008', pulmocon, 'PULMOCON 2025', '2025-09-12', '2025-09-14', 'Kottayam'],
    [
      'S010',
      afpicon,
      'AFPICON 2026',
      '2026-01-31',
      '2026-02-01',
      'Resort, Changanassery, Kottayam',
    ],
    ['S011', chirurgia, 'Chirurgia 2026', '2026-02-21', '2026-02-22', 'Thiruvalla'],
    ['S012', midzone, 'Kerala Mid Zone 2025', '2025-11-23', '2025-11-23', 'Kochi'],
  ] as const)('%s: dates and venue', (_sentence, event, title, from, to, venue) => {
    expect([event.title, event.from, event.to, event.venue]).toEqual([title, from, to, venue])
  })
  test('S010: the theme', () => expect(afpicon.theme).toBe('The Spice Route'))
  test('S012: the hours', () => expect(midzone.hours).toBe('9 AM to 3 PM'))
  test('S009: one conference is closed, and the others are open', () => {
    expect([afpicon, chirurgia, midzone, pulmocon].map(({ status }) => status)).toEqual([
      'open',
      'open',
      'open',
      'closed',
    ])
    expect(checkRegistrationOpen(pulmocon, day('2025-08-01')).open).toBe(false)
  })
})

// Base, GST and total for each of the four periods, from the table in the specification.
const FEES = {
  'afpi-gp-specialist': [
    [5000, 900, 5900],
    [6000, 1080, 7080],
    [8000, 1440, 9440],
    [10000, 1800, 11800],
  ],
  'non-afpi-gp-specialist': [
    [6000, 1080, 7080],
    [7000, 1260, 8260],
    [9000, 1620, 10620],
    [10000, 1800, 11800],
  ],
  'afpi-pg': [
    [4250, 765, 5015],
    [5250, 945, 6195],
    [7250, 1305, 8555],
    [10000, 1800, 11800],
  ],
  'non-afpi-pg': [
    [5000, 900, 5900],
    [6000, 1080, 7080],
    [8000, 1440, 9440],
    [10000, 1800, 11800],
  ],
  'intern-mbbs-accompanying': [
    [3000, 540, 3540],
    [3000, 540, 3540],
    [3000, 540, 3540],
    [4000, 720, 4720],
  ],
} as const
const PERIODS = ['july-1-aug-31', 'sep-1-dec-31', 'jan-1-jan-25', 'jan-25-jan-31']

describe('AFPICON fees', () => {
  test.each([
    ['S174', 'afpi-gp-specialist'],
    ['S175', 'non-afpi-gp-specialist'],
    ['S176', 'afpi-pg'],
    ['S177', 'non-afpi-pg'],
    ['S178', 'intern-mbbs-accompanying'],
  ] as const)('%s: %s in its four periods', (_sentence, category) => {
    const rows = FEES[category]
    expect(PERIODS.map((period) => readPrice(afpicon, category, period))).toEqual(rows)
  })
  test('S084: categories', () =>
    expect(afpicon.categories.map(({ id }) => id)).toEqual(Object.keys(FEES)))
  test('S085: period keys', () => expect(afpicon.fees.periods.map(({ id }) => id)).toEqual(PERIODS))
  test('S179: period ends', () =>
    expect(afpicon.fees.periods.map(({ to }) => to)).toEqual([
      '2025-08-31',
      '2025-12-31',
      '2026-01-25',
      '2026-01-31',
    ]))

  test.each([
    ['2025-07-01T00:00:00+05:30', 'july-1-aug-31'],
    ['2025-08-31T23:59:59+05:30', 'july-1-aug-31'],
    ['2025-09-01T00:00:00+05:30', 'sep-1-dec-31'],
    ['2025-12-31T23:59:59+05:30', 'sep-1-dec-31'],
    ['2026-01-01T00:00:00+05:30', 'jan-1-jan-25'],
    ['2026-01-25T23:59:59+05:30', 'jan-1-jan-25'],
    ['2026-01-26T00:00:00+05:30', 'jan-25-jan-31'],
    ['2026-01-31T23:59:59+05:30', 'jan-25-jan-31'],
    ['2026-02-01T00:00:00+05:30', 'july-1-aug-31'],
    ['2025-06-30T23:59:59+05:30', 'july-1-aug-31'],
    ['2026-11-21T04:00:00+05:30', 'july-1-aug-31'],
  ])('S107: %s is in the period %s', (date, period) => {
    expect(buildTariff(afpicon, instant(Date.parse(date))).current_period).toBe(period)
  })
})

describe('categories derived from the answers', () => {
  test.each([
    ['pg', true, 'pg-asi'],
    ['PG', true, 'pg-asi'],
    ['Pg', false, 'pg-non-asi'],
    ['pg', false, 'pg-non-asi'],
    ['consultant', true, 'asi-member'],
    ['consultant', false, 'non-asi-member'],
    ['senior-resident', true, 'asi-member'],
    ['', false, 'non-asi-member'],
  ])(
    'S109: Chirurgia, designation "%s", ASI member %s: %s',
    (designation, asi_member, category) => {
      expect(
        findCategory(chirurgia, normalise(chirurgia, { designation, asi_member }).answers),
      ).toBe(category)
    },
  )
  test.each([
    [true, true, 'afpi-pg'],
    [true, false, 'non-afpi-pg'],
    [false, true, 'afpi-delegate'],
    [false, false, 'non-afpi-delegate'],
  ])('S110: Mid Zone, postgraduate %s, member %s: %s', (is_pg, afpi_member, category) => {
    expect(findCategory(midzone, { is_pg, afpi_member })).toBe(category)
  })
  test("S092: Chirurgia's categories and labels", () => {
    expect(
      chirurgia.categories
        .filter(({ listedOnly }) => !listedOnly)
        .map(({ id, label }) => [id, label]),
    ).toEqual([
      ['asi-member', 'ASI Member'],
      ['non-asi-member', 'Non-ASI Member'],
      ['pg-asi', 'Post Graduate (ASI)'],
      ['pg-non-asi', 'Post Graduate (Non-ASI)'],
    ])
  })
  test('S093: accompanying persons appear only on the price list', () => {
    expect(chirurgia.categories.filter(({ listedOnly }) => listedOnly).map(({ id }) => id)).toEqual(
      ['accompanying-pg', 'accompanying-asi', 'accompanying-non-asi'],
    )
    expect(Object.keys(buildTariff(chirurgia, toNoon('2025-11-01')).tariff_data)).toContain(
      'accompanying-pg',
    )
  })
  test("S097: Mid Zone's categories", () =>
    expect(midzone.categories.map(({ id }) => id)).toEqual([
      'afpi-delegate',
      'non-afpi-delegate',
      'afpi-pg',
      'non-afpi-pg',
    ]))
  test("S102: PULMOCON's categories", () =>
    expect(pulmocon.categories.map(({ id }) => id)).toEqual([
      'apccm-member',
      'non-apccm-member',
      'pg-students',
    ]))
  test.each([
    ['2025-07-31', 'tier-1'],
    ['2025-08-01', 'tier-2'],
    ['2025-09-05', 'tier-2'],
    ['2025-09-06', 'tier-3'],
  ])("S108: PULMOCON's tier on %s is %s", (date, tier) => {
    expect(findPeriodOn(pulmocon.fees, day(date))?.id).toBe(tier)
  })
})

describe('fields', () => {
  test('S082 S083: AFPICON', () => {
    expect(listFieldIds(afpicon).toSorted()).toEqual(
      [
        'full_name',
        'email',
        'phone_number',
        'ticket_no',
        'ticket_type',
        'designation',
        'qualification',
        'present_institute',
        'medical_council_reg_no',
        'afpi_member',
        'afpi_membership_number',
        'address',
        'city',
        'state',
        'pg_proof',
      ].toSorted(),
    )
    expect(findField(afpicon, 'pg_proof').accept).toEqual([
      'pdf',
      'doc',
      'docx',
      'jpg',
      'jpeg',
      'png',
    ])
    expect(afpicon.api.sends).toEqual({
      base_amount: 'base',
      gst_amount: 'gst',
      total_amount: 'total',
    })
  })
  test('S089: Chirurgia', () => {
    expect(listFieldIds(chirurgia).toSorted()).toEqual(
      [
        'full_name',
        'email',
        'phone_number',
        'hospital',
        'designation',
        'tcmc_reg_no',
        'asi_member',
        'asi_membership_number',
        'paper_presentation',
        'poster_presentation',
        'food_preference',
      ].toSorted(),
    )
    expect(findField(chirurgia, 'food_preference')).toMatchObject({
      default: 'vegetarian',
      options: [{ id: 'vegetarian' }, { id: 'non-vegetarian' }],
    })
    expect(chirurgia.api.sends).toEqual({ registration_category: 'category' })
  })
  test("S091: Chirurgia's designations", () => {
    expect(findField(chirurgia, 'designation').options?.map(({ id }) => id)).toEqual([
      'consultant',
      'professor',
      'associate-professor',
      'assistant-professor',
      'senior-resident',
      'pg',
    ])
  })
  test('S095: Mid Zone', () => {
    expect(listFieldIds(midzone).toSorted()).toEqual(
      [
        'full_name',
        'email',
        'phone_number',
        'designation',
        'institution',
        'medical_council_reg_no',
        'address',
        'afpi_member',
        'afpi_membership_number',
        'is_pg',
      ].toSorted(),
    )
    expect(findField(midzone, 'address').type).toBe('multiline')
  })
  test("S099 S189: PULMOCON's form exists, and has +91 before the phone number", () => {
    expect(listFieldIds(pulmocon).toSorted()).toEqual(
      [
        'full_name',
        'email',
        'phone_number',
        'ksmc_reg_no',
        'address',
        'organization',
        'food_preference',
        'registration_category',
      ].toSorted(),
    )
    expect(findField(pulmocon, 'phone_number').default).toBe('+91')
  })
  test('S049: there are 37 states and union territories, and each category has a colour and a description', () => {
    expect(new Set(findField(afpicon, 'state').options?.map(({ id }) => id)).size).toBe(37)
    expect(
      afpicon.categories.every(({ colour, about }) => colour !== undefined && about !== undefined),
    ).toBe(true)
    expect(new Set(afpicon.categories.map(({ colour }) => colour)).size).toBe(5)
  })
  test.each([
    ['afpi-pg', true],
    ['non-afpi-pg', true],
    ['afpi-gp-specialist', false],
    ['non-afpi-gp-specialist', false],
    ['intern-mbbs-accompanying', false],
  ])('S050 S119: the category %s requires a document: %s', (ticket_type, isRequired) => {
    expect(findVisibleFields(afpicon, { ticket_type }).has('pg_proof')).toBe(isRequired)
  })
  test.each([
    [afpicon, 'afpi_member', 'afpi_membership_number'],
    [chirurgia, 'asi_member', 'asi_membership_number'],
    [midzone, 'afpi_member', 'afpi_membership_number'],
  ] as const)(
    'S051 S065 S070 S119: the membership number is shown only to members',
    (event, member, number) => {
      expect(findVisibleFields(event, { [member]: true }).has(number)).toBe(true)
      expect(findVisibleFields(event, { [member]: false }).has(number)).toBe(false)
      expect(findVisibleFields(event, {}).has(number)).toBe(false)
    },
  )
})

describe('required fields', () => {
  test('S120 S121 S122 S123 S124 S129: AFPICON', () => {
    expect(findAnswerErrors(afpicon, {})).toEqual({
      full_name: 'Full name is required',
      email: 'Email address is required',
      phone_number: 'Phone number is required',
      ticket_type: 'Please select a registration category',
    })
    expect(
      findAnswerErrors(afpicon, {
        full_name: 'A B',
        email: 'not one',
        phone_number: '1',
        ticket_type: 'intern-mbbs-accompanying',
      }),
    ).toEqual({ email: 'Please enter a valid email address' })
    expect(
      checkAnswers(afpicon, {
        full_name: 'A B',
        email: 'a@example.org',
        phone_number: '1',
        ticket_type: 'intern-mbbs-accompanying',
      }).ok,
    ).toBe(true)
  })
  test("S125: a member's membership number is required", () => {
    expect(
      findAnswerErrors(afpicon, {
        full_name: 'A',
        email: 'a@example.org',
        phone_number: '1',
        ticket_type: 'intern-mbbs-accompanying',
        afpi_member: true,
      }),
    ).toEqual({ afpi_membership_number: 'AFPI membership number is required for AFPI members' })
  })
  test.each(['afpi-pg', 'non-afpi-pg'])('S126: %s requires a document', (ticket_type) => {
    expect(
      findAnswerErrors(afpicon, {
        full_name: 'A',
        email: 'a@example.org',
        phone_number: '1',
        ticket_type,
      }),
    ).toEqual({ pg_proof: 'Proof of post-graduation status is required for PG categories' })
  })
  test('S130: Chirurgia', () => {
    expect(findAnswerErrors(chirurgia, {})).toEqual({
      full_name: 'Required',
      email: 'Required',
      phone_number: 'Required',
    })
    expect(
      findAnswerErrors(chirurgia, {
        full_name: 'A',
        email: 'a@example.org',
        phone_number: '1',
        asi_member: true,
      }),
    ).toEqual({ asi_membership_number: 'Required for ASI members' })
    expect(findField(chirurgia, 'email').type).toBe('email')
  })
  test('S131: Mid Zone', () => {
    expect(findAnswerErrors(midzone, {})).toEqual({
      full_name: 'Required',
      email: 'Required',
      phone_number: 'Required',
    })
    expect(
      findAnswerErrors(midzone, {
        full_name: 'A',
        email: 'a@example.org',
        phone_number: '1',
        afpi_member: true,
      }),
    ).toEqual({ afpi_membership_number: 'Required for AFPI members' })
  })
  test('S134: the other forms accept any phone number', () => {
    for (const event of [afpicon, chirurgia, midzone])
      expect(findField(event, 'phone_number').check).toBe(false)
  })
})

describe('the states of a payment', () => {
  const paymentTime = toNoon('2026-01-02')
  const pendingPayment: Payment = {
    orderId: createOrderId(createRegNo(afpicon, Array.from('777777777777', Number)), 1),
    amount: toAmount(708_000),
    currency: INR,
    status: { is: 'pending' },
    review: null,
  }
  const paidEvent: PaymentEvent = {
    type: 'confirmed',
    reference: '900001',
    amount: toAmount(708_000),
    currency: '356',
    kind: 'sale',
    at: paymentTime,
  }
  const declinedEvent: PaymentEvent = {
    type: 'declined',
    code: '400',
    message: 'no',
    at: paymentTime,
  }
  test('S104 S105: pending can become success or failed, failed can become success, success can become refunded, and never the reverse', () => {
    const paidPayment = expectOk(applyPaymentEvent(pendingPayment, paidEvent))
    expect(paidPayment.status.is).toBe('success')
    const failedPayment = expectOk(applyPaymentEvent(pendingPayment, declinedEvent))
    expect(failedPayment.status.is).toBe('failed')
    expect(expectOk(applyPaymentEvent(failedPayment, paidEvent)).status.is).toBe('success')
    expect(
      expectOk(
        applyPaymentEvent(paidPayment, {
          type: 'refunded',
          reference: '900002',
          amount: toAmount(708_000),
          at: paymentTime,
        }),
      ).status.is,
    ).toBe('refunded')
    const lateDecline = applyPaymentEvent(paidPayment, declinedEvent)
    expect(lateDecline.ok ? lateDecline.value.status.is : 'refused').not.toBe('failed')
  })
})

describe('other constants', () => {
  test('S048: there are four steps, and the first is active', () =>
    expect(afpicon.form.stepper).toEqual({
      steps: ['Personal Information', 'Registration Category', 'Documentation', 'Review & Payment'],
      staysOn: 1,
    }))
  test('S054 S180 S181: the information panel has the text in the specification, although it contradicts the periods', () => {
    const panelText = afpicon.form.panel?.lines.join(' ') ?? ''
    for (const phrase of [
      '15 September 2025',
      'exclusive of 18% GST',
      'materials',
      'certificate',
      'lunch',
    ])
      expect(panelText).toContain(phrase)
    expect(readPrice(afpicon, 'afpi-pg', 'sep-1-dec-31')?.[0]).toBe(5250)
  })
  test.each([
    [11800, 10000, 1800],
    [5015, 4250, 765],
    [7080, 6000, 1080],
    [5000, 4237, 763],
  ])('S182: %i rupees are split into %i base and %i GST, in whole rupees', (total, base, gst) => {
    for (const event of [afpicon, chirurgia]) {
      const tax = event.fees.tax && { ...event.fees.tax, round: 'rupee' as const }
      const parts = splitTotal(tax, toAmount(total * 100))
      expect([toMajorUnits(parts.base, INR), toMajorUnits(parts.gst, INR)]).toEqual([base, gst])
    }
    expect(afpicon.results.amounts).toBe('split-total')
  })
  test('S183: Mid Zone adds 18 percent GST', () => {
    const answers = { afpi_member: false, is_pg: false }
    const quoteResult = expectOk(quote(midzone, answers, toNoon('2025-11-01')))
    expect(toMajorUnits(quoteResult.gst, INR)).toBe(toMajorUnits(quoteResult.base, INR) * 0.18)
  })
  test("S184: Chirurgia's and Mid Zone's prices are placeholders, and the pages say so", () => {
    expect(chirurgia.demo).toContain('fees.prices')
    expect(midzone.demo).toContain('fees.prices')
  })
  test("S185: Chirurgia's early bird ends on 30 November 2025, in the text and in the prices", () => {
    expect(chirurgia.form.panel?.lines.join(' ')).toContain('30 November 2025')
    expect(buildTariff(chirurgia, toNoon('2025-11-30')).current_period).not.toBe(
      buildTariff(chirurgia, toNoon('2025-12-01')).current_period,
    )
    expect(buildTariff(chirurgia, toNoon('2025-11-30')).until).toBe('2025-11-30')
  })
  test('S186 S187: the payment has a currency, a kind and a kit type, and no event file contains a merchant id', () => {
    expect(afpicon.payment?.gateway.constants).toEqual({
      kittype: 'server_side_sdk',
      currency: '356',
      isocurrency: 'INR',
      txnsubtype: '2',
    })
    expect(JSON.stringify(afpicon.payment)).not.toMatch(/"merchant_id":"?\d/)
  })
  test.each([
    [pulmocon, 'PULMO-2025-17', null],
    [pulmocon, 'PULMO1', null],
    [pulmocon, 'CHIR17', 'Invalid transaction ID format'],
    [pulmocon, '', 'Invalid transaction ID format'],
    [chirurgia, 'CHIR000123', null],
    [chirurgia, 'CHIRX1', 'Invalid order ID format'],
    [chirurgia, 'AFPI1', 'Invalid order ID format'],
    [chirurgia, '', 'No order ID found'],
    [afpicon, '', 'No order ID found'],
    [midzone, '', 'No order ID found'],
  ] as const)('S040 S059 S066 S170 S188: order ids are validated', (event, orderId, message) => {
    const readResult = readOrderId(event, orderId)
    expect(readResult.ok ? null : readResult.error.message).toBe(message)
  })
  test('S117 S190: notices disappear after six seconds', () => {
    for (const event of [afpicon, chirurgia, midzone]) expect(event.form.noticeMs).toBe(6000)
  })
  test('S191 S192: lists have the page sizes in the specification', () => {
    for (const event of [afpicon, pulmocon])
      for (const list of event.admin.lists) expect(list.pageSize).toBe(20)
    expect(findList(afpicon, 'afpicon2026').pageSizes).toEqual([10, 20, 50, 100])
    expect(findList(afpicon, 'afpicon').pageSizes).toEqual([])
  })
  test('S193: dates and amounts are formatted in Indian notation', () => {
    expect(formatMoney(toAmount(12_345_650), INR).replaceAll('\u00a0', ' ')).toBe('₹ 1,23,456.50')
    expect(formatDay(addDays(day('2026-01-31'), 1))).toBe('1 February 2026')
    expect(formatDays(day('2026-02-21'), day('2026-02-22'))).toBe('21–22 February 2026')
  })
})

describe('a result page whose URL contains a date without a time zone', () => {
  test.each([
    ['2026-01-25T10:20:30', '25 January 2026, 10:20 am'],
    ['2026-01-25 10:20:30', '25 January 2026, 10:20 am'],
    ['25-01-2026', '25 January 2026'],
    ['25/01/2026', '25 January 2026'],
    ['5/1/2026', '5 January 2026'],
    ['25-01-2026 10:20:30', '25 January 2026, 10:20 am'],
    ['25/01/2026T10:20', '25 January 2026, 10:20 am'],
    ['2026-01-25T10:20:30.123456', '25 January 2026, 10:20 am'],
  ])('shows %s as Indian time, not as N/A', (date, expected) => {
    const shownDate = getResultValues(afpicon, null, { date })['date']
    expect(shownDate?.replaceAll(/\s/g, ' ')).toBe(expected)
  })

  test.each(['2026-02-30', '31/02/2026', '2026-01-25 99:20', '01-25-2026 10:20', 'tomorrow'])(
    'shows %s, which is not a date, as N/A',
    (date) => {
      expect(getResultValues(afpicon, null, { date })['date']).toBeUndefined()
    },
  )
})

describe('the error for a file that is one byte too large does not state the maximum as the file’s size', () => {
  test.each([
    [5, '5.1\u00a0MB', '5\u00a0MB'],
    [2.2, '2.3\u00a0MB', '2.2\u00a0MB'],
    [2.25, '2.3\u00a0MB', '2.2\u00a0MB'],
    [1, '1.1\u00a0MB', '1\u00a0MB'],
    [0.5, '513\u00a0KB', '512\u00a0KB'],
    [0.3, '308\u00a0KB', '307\u00a0KB'],
  ])('if the maximum is %s MB', (mb, size, limit) => {
    const max = Math.round(mb * 1024 * 1024)
    expect(getTooLargeText('p.pdf', max + 1, max)).toBe(
      `p.pdf is ${size}. Please choose a file of at most ${limit}.`,
    )
  })
})
