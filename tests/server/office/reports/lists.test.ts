/** The lists of registrations in the office: filters, sorting, totals, exports, and the dashboard. */
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayOf } from '../../../../engine/index.ts'
import type { EventStats, ListResponse, ListRow, StatsResponse } from '../../../../engine/api.ts'
import { fixtureDelegate, buildFixtureEvent } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { registerSample } from '../../sample-registrations.ts'
import { toNoon, buildRegNo, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let office: Office
const EVENT = 'afpicon2026'
const CATEGORIES = [
  'afpi-gp-specialist',
  'non-afpi-gp-specialist',
  'afpi-pg',
  'non-afpi-pg',
  'intern-mbbs-accompanying',
]

beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  office = await signIn(server)
  const paymentResults = ['success', 'success', 'failed', undefined] as const
  for (let n = 1; n <= 45; n += 1) {
    const isMember = n % 3 === 0
    const paymentResult = paymentResults[n % 4]
    await register(server, EVENT, {
      n,
      on: toNoon(n <= 20 ? '2025-10-08' : n <= 40 ? '2025-10-09' : '2025-10-10', n),
      answers: {
        full_name:
          n === 7 ? '=HYPERLINK("http://evil.example")' : `Delegate ${String(n).padStart(3, '0')}`,
        email: `delegate${n}@example.org`,
        phone_number: `+9198765${String(n).padStart(5, '0')}`,
        ticket_type: CATEGORIES[n % 5] ?? '',
        afpi_member: isMember,
        ...(isMember && { afpi_membership_number: `EXAMPLE-${n}` }),
        ...(n === 9 && { city: 'Changanassery, "Kottayam"' }),
      },
      ...(paymentResult !== undefined && { pays: paymentResult }),
    })
  }
})
afterAll(() => server.close())

const readPage = async (url: string): Promise<ListResponse> =>
  (await office.json(url)) as unknown as ListResponse
const readNames = (response: ListResponse): unknown[] =>
  response.registrations.map((row) => row['full_name'])

describe('a list request', () => {
  test.each([
    '/afpicon/admin/registrations',
    '/afpicon/admin/registrations/',
    '/api/afpicon/admin/registrations',
    '/api/afpicon/admin/registrations/',
    '/admin/afpicon/registrations/',
    '/api/admin/afpicon/registrations/',
  ])('%s responds', async (url) => {
    const response = await readPage(url)
    expect(response).toMatchObject({
      status: 'success',
      count: 45,
      count_capped: false,
      page: 1,
      page_size: 20,
      previous: null,
    })
    expect(response.next).toBe(`http://127.0.0.1:3199${url}?page=2`)
    expect(response.results.registrations).toEqual(response.registrations)
    expect(response.registrations).toHaveLength(20)
    expect(response.registrations[0]).toMatchObject({ reg_no: buildRegNo(server, EVENT, 45) })
  })

  test('a row contains answers, engine values and labels under the names given in the specification', async () => {
    const response = await readPage('/admin/afpicon/registrations/?search=delegate6@')
    expect(response.registrations).toHaveLength(1)
    expect(response.registrations[0]).toMatchObject({
      event_id: EVENT,
      reg_no: buildRegNo(server, EVENT, 6),
      full_name: 'Delegate 006',
      email: 'delegate6@example.org',
      phone_number: '+919876500006',
      ticket_type: 'non-afpi-gp-specialist',
      ticket_type_display: 'Non-AFPI – GP / Specialist',
      afpi_member: true,
      afpi_member_display: 'Yes',
      afpi_membership_number: 'EXAMPLE-6',
      city: null,
      base: 7000,
      gst: 1260,
      total: 8260,
      gst_amount: 1260,
      final_amount: 8260,
      registration_category_display: 'Non-AFPI – GP / Specialist',
      payment_status: 'failed',
      payment_status_display: 'Failed',
      payment_id: null,
      in_review: false,
      created_at: '2025-10-08T12:06:00+05:30',
    })
    expect(Number.isInteger(response.registrations[0]?.id)).toBe(true)
  })

  test('each page links to the previous and next page, and together they contain every row once', async () => {
    const secondPage = await readPage('/afpicon/admin/registrations/?page=2&page_size=20')
    expect(secondPage.previous).toBe(
      'http://127.0.0.1:3199/afpicon/admin/registrations/?page=1&page_size=20',
    )
    const thirdPage = await readPage('/afpicon/admin/registrations/?page=3&page_size=20')
    expect(thirdPage).toMatchObject({ next: null, page: 3 })
    expect(thirdPage.registrations).toHaveLength(5)
    const allRows = [
      await readPage('/afpicon/admin/registrations/?page=1'),
      secondPage,
      thirdPage,
    ].flatMap((response) => response.registrations.map(({ reg_no }) => reg_no))
    expect(new Set(allRows).size).toBe(45)
    expect(await readPage('/afpicon/admin/registrations/?page=99')).toMatchObject({
      count: 45,
      registrations: [],
      next: null,
    })
  })

  test('the page size can be chosen if the event file offers sizes', async () => {
    expect(
      (await readPage('/afpicon/admin/registrations/?page_size=50')).registrations,
    ).toHaveLength(45)
    expect(
      (await readPage('/admin/afpicon/registrations/?page_size=50')).registrations,
    ).toHaveLength(20)
  })

  test.each([
    ['payment_status=success', 23, '23 paid registrations'],
    ['payment_status=pending', 11, '11 pending registrations'],
    ['ticket_type=afpi-pg', 9, '9 registrations of AFPI Member – Post Graduate'],
    [
      'ticket_type=afpi-pg&payment_status=failed',
      3,
      '3 failed registrations of AFPI Member – Post Graduate',
    ],
    ['afpi_member=true', 15, '15 registrations, AFPI Member: yes'],
    ['afpi_member=false', 30, '30 registrations, AFPI Member: no'],
    ['date_from=2025-10-09&date_to=2025-10-09', 20, '20 registrations, on 9 October 2025'],
    ['date_from=2025-10-09', 25, '25 registrations, since 9 October 2025'],
    ['date_to=2025-10-08', 20, '20 registrations, until 8 October 2025'],
    ['search=Delegate%20045', 1, '1 registration, matching “Delegate 045”'],
    ['search=zzz', 0, 'No registrations match “zzz”'],
    [
      'search=zzz&payment_status=pending&afpi_member=true',
      0,
      'No pending registrations match “zzz” (AFPI Member: yes)',
    ],
    ['search=&payment_status=&ticket_type=&date_from=&afpi_member=&page=', 45, '45 registrations'],
    ['unknown=1', 45, '45 registrations'],
  ])('%s shows %i rows and states their number', async (query, count, summary) => {
    const response = await readPage(`/afpicon/admin/registrations/?${query}`)
    expect(response.count).toBe(count)
    expect(response.shown).toBe(summary)
  })

  test.each([
    [
      'payment_status=paid',
      '“payment_status” must be one of pending, success, failed, refunded, cancelled, refused, not “paid”.',
    ],
    ['date_from=10/10/2025', '“date_from” must be a date such as 2026-01-31, not “10/10/2025”.'],
    [
      'date_from=2025-10-10&date_to=2025-10-09',
      '“Registered to” (9 Oct 2025) is before “Registered from” (10 Oct 2025).',
    ],
    ['afpi_member=maybe', '“afpi_member” must be true or false, not “maybe”.'],
    [
      'sort=phone',
      '“sort” must be one of number, name, category, total, status, date, not “phone”.',
    ],
    [
      'in_state=paid',
      '“in_state” must be one of to_approve, refused, to_pay, told, complete, cancelled, lapsed, not “paid”.',
    ],
    [
      'waiting=money',
      '“waiting” must be one of review, dispute, dispute_lost, told, to_approve, cancel_asked, second_payment, pay_back, refund_unsettled, rate_missing, mail_failed, pending, not “money”.',
    ],
    ['page=0', '“page” must be a whole number from 1.'],
    ['page=1e9', '“page” must be a whole number from 1.'],
    ['page_size=101', '“page_size” must be a whole number from 1 to 100.'],
    [`search=${'x'.repeat(101)}`, 'Search for at most 100 characters.'],
  ])('%s is rejected with a message', async (query, message) => {
    const response = await office.get(`/afpicon/admin/registrations/?${query}`)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ status: 'error', code: 'bad_query', message })
  })

  test('the totals cover the filtered rows: count per status, received, due', async () => {
    const { sums } = await readPage('/afpicon/admin/registrations/')
    expect(sums).toMatchObject({ paid: 23, pending: 11, failed: 11, refunded: 0 })
    const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as StatsResponse
    expect(sums?.money).toBe((data['afpicon_stats'] as EventStats).total_revenue)
    for (const query of [
      'payment_status=pending',
      'ticket_type=afpi-pg',
      'afpi_member=true',
      'search=Delegate%2004',
      'date_from=2025-10-09&payment_status=success',
    ]) {
      const page = await readPage(`/afpicon/admin/registrations/?page_size=100&${query}`)
      const listTotals = (status: string): number[] =>
        page.registrations
          .filter((row) => row.payment_status === status)
          .map((row) => Number(row['total']))
      const sumTotals = (totals: readonly number[]): number =>
        totals.reduce((sum, total) => sum + total, 0)
      expect(page.sums, query).toEqual({
        paid: listTotals('success').length,
        pending: listTotals('pending').length,
        failed: listTotals('failed').length,
        refunded: 0,
        ended: 0,
        money: sumTotals(listTotals('success')),
        // If the card is declined, the price is still due.
        due: sumTotals([...listTotals('pending'), ...listTotals('failed')]),
      })
    }
  })

  test.each([
    ['sort=number', (row: ListRow) => row.reg_no],
    ['sort=name', (row: ListRow) => String(row['full_name']).toLowerCase()],
    ['sort=total', (row: ListRow) => Number(row['total'])],
    ['sort=date', (row: ListRow) => String(row['created_at'])],
    [
      'sort=status',
      (row: ListRow) => ['pending', 'failed', 'success', 'refunded'].indexOf(row.payment_status),
    ],
    [
      'sort=category&afpi_member=true',
      (row: ListRow) => CATEGORIES.indexOf(String(row['ticket_type'])),
    ],
  ] as readonly [string, (row: ListRow) => string | number][])(
    '%s sorts across all pages, in both directions',
    async (query, readValue) => {
      const readRows = async (sort: string): Promise<ListRow[]> => {
        const firstPage = await readPage(`/admin/afpicon/registrations/?${sort}`)
        const nextRows =
          firstPage.next === null
            ? []
            : (await readPage(`/admin/afpicon/registrations/?${sort}&page=2`)).registrations
        expect(firstPage.not_sorted).toBeNull()
        return [...firstPage.registrations, ...nextRows]
      }
      const values = (await readRows(query)).map(readValue)
      expect(values).toEqual(values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
      expect(new Set(values).size).toBeGreaterThan(1)
      const reversedValues = (await readRows(query.replace('=', '=-'))).map(readValue)
      expect(reversedValues).toEqual(
        reversedValues.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)),
      )
    },
  )

  test('a list declared only in its event file is available under the event id', async () => {
    expect(await readPage('/admin/midzone2025/registrations/')).toMatchObject({
      count: 0,
      registrations: [],
      shown: 'No registrations',
    })
  })

  test('logs paging through a list at most once an hour, as a view of the first page', async () => {
    const { json } = await signIn(server, 'pager')
    await json('/afpicon/admin/registrations/?payment_status=failed')
    await json('/afpicon/admin/registrations/?page=2')
    expect(
      server.rows("SELECT what, event_id FROM audit_log WHERE who = 'pager' ORDER BY id"),
    ).toEqual([
      { what: 'signed in', event_id: null },
      { what: 'viewed page 1 of the list afpicon2026: 11 failed registrations', event_id: EVENT },
    ])
  })
})

test('does not log search terms, because the audit log contains no names', async () => {
  const { json } = await signIn(server, 'searcher')
  await json('/afpicon/admin/registrations/?search=Asha%20Secretname')
  expect(server.rows('SELECT what FROM audit_log ORDER BY id DESC LIMIT 1')).toEqual([
    { what: 'viewed page 1 of the list afpicon2026: No registrations (matching a search)' },
  ])
})

describe('an export', () => {
  const readCsv = async (
    url: string,
  ): Promise<{ file: string; rows: string[][]; text: string }> => {
    const response = await office.get(url)
    expect(response.statusCode, response.body).toBe(200)
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
    return {
      file: String(response.headers['content-disposition']),
      rows: parse(response.body, { bom: true }) as string[][],
      text: response.body,
    }
  }

  test.each([
    ['/admin/export/?event_type=afpicon', 'afpicon_registrations.csv'],
    ['/admin/export?event_type=afpicon', 'afpicon_registrations.csv'],
    ['/api/admin/export/?event_type=pulmocon', 'pulmocon_registrations.csv'],
    ['/afpicon/download-csv/', 'afpicon_2026_registrations_2025-10-10.csv'],
    ['/api/afpicon/download-csv', 'afpicon_2026_registrations_2025-10-10.csv'],
  ])('%s is saved as %s', async (url, file) =>
    expect((await readCsv(url)).file).toBe(`attachment; filename="${file}"`),
  )

  test('contains every row of the list, newest first, under its column headings', async () => {
    const { rows, text } = await readCsv('/afpicon/download-csv/')
    expect(text.startsWith('\uFEFF')).toBe(true)
    const list = server.deps.events.findById(EVENT)?.config.admin.lists[1]
    // The specification's columns in the specified order, followed by additional ones.
    expect(rows[0]).toEqual([
      ...(list?.columns ?? []).map(({ label }) => label),
      'Amount paid',
      'Amount refunded',
      'Amount due',
    ])
    expect(rows[1]?.slice(-3)).toEqual(['7080.00', '0.00', '0.00'])
    expect(rows).toHaveLength(46)
    const row = Object.fromEntries(
      (list?.columns ?? []).map(({ id }, index) => [id, rows[1]?.[index]]),
    )
    expect(row).toEqual({
      reg_no: buildRegNo(server, EVENT, 45),
      full_name: 'Delegate 045',
      email: 'delegate45@example.org',
      phone_number: '+919876500045',
      ticket_type: 'AFPI Member – GP / Specialist',
      afpi_member: 'Yes',
      afpi_membership_number: 'EXAMPLE-45',
      base: '6000.00',
      gst: '1080.00',
      total: '7080.00',
      payment_status: 'Paid',
      created_at: '2025-10-10 12:45:00',
    })
  })

  test('contains exactly the filtered list', async () => {
    const query = 'payment_status=success&date_from=2025-10-09'
    const { rows } = await readCsv(`/afpicon/download-csv/?${query}`)
    const page = await readPage(`/afpicon/admin/registrations/?${query}&page_size=100`)
    expect(rows.slice(1).map((row) => row[1])).toEqual(readNames(page))
    expect(page.count).toBe(13)
    expect(
      (await readCsv(`/admin/export/?event_type=afpicon&search=Delegate%20044`)).rows,
    ).toHaveLength(2)
  })

  test.each([
    ['payment_status=success&ticket_type=afpi-pg', '_paid_afpi-pg.csv'],
    ['date_from=2025-10-09&date_to=2025-10-09&as=xlsx', '_from-2025-10-09_to-2025-10-09.xlsx'],
    ['waiting=review&afpi_member=false', '_review_not-afpi_member.csv'],
    ['search=Asha%20Nair', '_search.csv'],
  ])('states the filter %s in its file name, without personal data', async (query, fileNameEnd) => {
    const response = await office.get(`/admin/export/?event_type=afpicon&${query}`)
    expect(response.headers['content-disposition']).toBe(
      `attachment; filename="afpicon_registrations${fileNameEnd}"`,
    )
  })

  test('an Excel file has the same contents, with amounts as numbers, and formulas and long digit strings as text', async () => {
    const response = await office.get('/afpicon/download-csv/?as=xlsx')
    expect(response.headers['content-type']).toContain('spreadsheetml.sheet')
    const files = unzipSync(response.rawPayload)
    const [sheet = '', strings = ''] = ['xl/worksheets/sheet1.xml', 'xl/sharedStrings.xml'].map(
      (name) => strFromU8(files[name] ?? new Uint8Array()),
    )
    expect(sheet.match(/<row /g)).toHaveLength(46)
    expect(sheet).not.toMatch(/<f[ >]/)
    expect(sheet).toContain('<v>7080</v>')
    expect(strings).toContain('+919876500007')
    expect(strings).toContain('=HYPERLINK("http://evil.example")')
    expect(strings).toContain(buildRegNo(server, EVENT, 45))
  })

  test('neutralises formulas and leaves phone numbers, commas and quotes unchanged', async () => {
    const { rows } = await readCsv('/admin/export/?event_type=afpicon')
    const cells = rows.flat()
    expect(cells).toContain('\'=HYPERLINK("http://evil.example")')
    expect(cells).toContain('+919876500007')
    expect(cells).toContain('Changanassery, "Kottayam"')
  })

  test('rejects an unknown event type and an invalid filter with a message', async () => {
    const unknownResponse = await office.get('/admin/export/?event_type=nothing')
    expect(unknownResponse.statusCode).toBe(404)
    expect(unknownResponse.json()).toMatchObject({
      message: 'There is no list for this event type.',
    })
    expect((await office.get('/admin/export/')).statusCode).toBe(404)
    expect((await office.get('/afpicon/download-csv/?payment_status=paid')).statusCode).toBe(400)
  })
})

test('the dashboard counts agree with the lists, to the paisa', async () => {
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as StatsResponse
  const paidPage = await readPage(
    '/afpicon/admin/registrations/?payment_status=success&page_size=100',
  )
  const revenue =
    paidPage.registrations.reduce((sum, row) => sum + Math.round(Number(row['total']) * 100), 0) /
    100
  expect(data['afpicon_stats']).toEqual({
    total_registrations: 45,
    paid_registrations: 23,
    pending_registrations: 11,
    failed_registrations: 11,
    refunded_registrations: 0,
    ended_registrations: 0,
    today_registrations: 5,
    total_revenue: revenue,
    dismissed_amount: 0,
    needs_decision: 0,
  })
  expect(data['pulmocon_stats']).toEqual({
    total_registrations: 0,
    paid_registrations: 0,
    pending_registrations: 0,
    failed_registrations: 0,
    refunded_registrations: 0,
    ended_registrations: 0,
    today_registrations: 0,
    total_revenue: 0,
    dismissed_amount: 0,
    needs_decision: 0,
  })
  expect(data.revenue_stats).toEqual({ total_revenue: revenue })
  expect(data.by_day['afpicon']?.map(({ day, registrations }) => [day, registrations])).toEqual([
    ['2025-10-08', 20],
    ['2025-10-09', 20],
    ['2025-10-10', 5],
  ])
  expect(data.by_day['afpicon']?.reduce((sum, entry) => sum + entry.revenue, 0)).toBe(revenue)
  expect(data.recent_registrations['afpicon']?.[0]).toMatchObject({
    reg_no: buildRegNo(server, EVENT, 45),
    full_name: 'Delegate 045',
    final_amount: 7080,
    payment_status: 'success',
    payment_status_display: 'Paid',
    created_at: '2025-10-10T12:45:00+05:30',
  })
  expect(data.recent_registrations['pulmocon']).toEqual([])
  expect(data.now).toBe('2025-10-10T16:00:00+05:30')
})

test('if the event file changes the URL of a list, the list moves there without a restart', async () => {
  const movedServer = await startTestApp()
  try {
    const { get } = await signIn(movedServer)
    expect((await get('/afpicon/admin/registrations/')).statusCode).toBe(200)
    const text = movedServer.readEvent('afpicon2026.yaml')
    movedServer.writeEvent(
      'afpicon2026.yaml',
      text
        .replaceAll('/afpicon/admin/registrations/', '/afpicon/office/people/')
        .replaceAll('event_type=afpicon,', 'event_type=afpi,'),
    )
    await movedServer.deps.events.reload()
    expect(movedServer.output.join('\n')).toBe('')
    expect((await get('/afpicon/office/people/')).statusCode).toBe(200)
    expect((await get('/api/afpicon/office/people')).statusCode).toBe(200)
    expect((await get('/api/afpicon/admin/registrations/')).statusCode).toBe(404)
    expect((await get('/admin/export/?event_type=afpi')).statusCode).toBe(200)
    expect((await get('/admin/export/?event_type=afpicon')).statusCode).toBe(404)
  } finally {
    await movedServer.close()
  }
})

test('an event without tax has no tax column in its list or CSV', async () => {
  const untaxedEvent = buildFixtureEvent({ total: 1000 })
    .replace(/ {2}tax: .*\n/, '')
    .replace('lines: [base, gst, total]', 'lines: [total]')
  const untaxedServer = await startTestApp({
    clock: '2026-01-10T16:00:00+05:30',
    events: { 'sample2026.yaml': untaxedEvent },
  })
  try {
    const registerResponse = await untaxedServer.app.inject({
      method: 'POST',
      url: '/api/sample2026/register/',
      payload: { ...fixtureDelegate, total_amount: 1000 },
    })
    expect(registerResponse.statusCode, registerResponse.body).toBe(201)
    const { get, json } = await signIn(untaxedServer)
    const listPage = (await json('/admin/sample2026/registrations/')) as unknown as ListResponse
    expect(listPage.registrations.map(({ base, gst, total }) => ({ base, gst, total }))).toEqual([
      { base: 1000, gst: 0, total: 1000 },
    ])
    const [headings] = parse((await get('/admin/export/?event_type=sample2026')).body, {
      bom: true,
    }) as string[][]
    expect(headings).toContain('Total Amount')
    expect(headings?.filter((label) => /gst|tax|base/i.test(label))).toEqual([])
  } finally {
    await untaxedServer.close()
  }
})

test('a registration whose price was never requested does not count as paid and adds no revenue', async () => {
  const { store } = server.deps
  const day = dayOf(server.now())
  const figuresBefore = await store.dashboardFigures(EVENT, day)
  const { regNo } = await registerSample(store, { eventId: EVENT, orderId: null, at: server.now() })
  const listPage = await readPage(`/admin/afpicon/registrations/?search=${regNo}`)
  expect(listPage.registrations).toMatchObject([
    { payment_status_display: 'Registered', final_amount: 5015 },
  ])
  expect((await store.dashboardFigures(EVENT, day)).revenue).toBe(figuresBefore.revenue)
  const rows = parse((await office.get(`/admin/export/?event_type=afpicon&search=${regNo}`)).body, {
    bom: true,
    columns: true,
  }) as Record<string, string>[]
  expect(rows.map((row) => row['Payment Status'])).toEqual(['Registered'])
})
