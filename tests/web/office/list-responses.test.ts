/** Readers and helpers for the office: list responses, URLs, the chart, columns and joined results. */
import { describe, expect, test } from 'vitest'
import { INR } from '../../../engine/index.ts'
import type { AdminList } from '../../../engine/index.ts'
import { createListReader } from '../../../web/office/office-api-responses.ts'
import {
  listPageNumbers,
  sanitiseNext,
  buildListUrl,
} from '../../../web/office/office-api-and-urls.ts'
import { buildBars, describeBars } from '../../../web/office/dashboard/registrations-chart.tsx'
import { mergeEventEntries } from '../../../web/office/operations/join-audit-entries.ts'
import { joinResults } from '../../../web/office/lists/bulk-actions.tsx'
import { buildCells } from '../../../web/office/lists/visible-columns.ts'
import { formatResponseAmount, formatResponseMoney } from '../../../web/office/ui/format-amount.ts'

const list: AdminList = {
  id: 'members',
  title: 'Members Registrations',
  route: '/admin/members',
  api: '/admin/members/registrations/',
  filters: [
    { show: 'search', sentAs: 'search', label: 'Search', kind: 'search' },
    {
      show: 'registration_category',
      sentAs: 'category',
      label: 'Category',
      kind: 'options',
      options: [{ id: 'a', label: 'A' }],
    },
  ],
  columns: [],
  pageSize: 20,
  pageSizes: [10, 20],
  empty: 'No registrations found',
  errors: {
    load: 'Failed to load registrations: {message}',
    shape: 'Failed to load registrations',
    export: 'Failed',
  },
  export: { api: '/admin/export/?event_type=members', file: 'members.csv' },
}

test.each([
  [1, 1, [1]],
  [1, 9, [1, 2, 3, null, 9]],
  [4, 7, [1, 2, 3, 4, 5, 6, 7]],
  [5, 9, [1, null, 3, 4, 5, 6, 7, null, 9]],
  [6, 12, [1, null, 4, 5, 6, 7, 8, null, 12]],
  [1, 5, [1, 2, 3, null, 5]],
  [12, 12, [1, null, 10, 11, 12]],
  [500, 1000, [1, null, 498, 499, 500, 501, 502, null, 1000]],
])('on page %i of %i, links to the pages %j are shown', (currentPage, lastPage, pageNumbers) =>
  expect(listPageNumbers(currentPage, lastPage)).toEqual(pageNumbers),
)

describe('a list’s URL determines its API call', () => {
  const buildAddress = (query: string, isPaged: boolean) =>
    buildListUrl(isPaged ? list.api : list.export.api, list, new URLSearchParams(query), isPaged)
  test('empty values and unknown filters are omitted', () =>
    expect(buildAddress('search=&category=a&evil=1&page=2&page_size=10', true)).toBe(
      '/admin/members/registrations/?category=a&page=2&page_size=10&rows=listed',
    ))
  test('a page requests only the columns that it lists', () =>
    expect(buildAddress('', true)).toBe('/admin/members/registrations/?rows=listed'))
  test('an export keeps its own parameter and the filters, but not the page', () =>
    expect(buildAddress('search=a%26b&page=2', false)).toBe(
      '/admin/export/?event_type=members&search=a%26b',
    ))
})

describe('a list response', () => {
  const rows = [
    {
      id: 1,
      reg_no: 'X1',
      payment_status: 'success',
      payment_status_display: 'Paid',
      in_review: false,
    },
  ]
  test('is read from results.registrations', () =>
    expect(createListReader(list)({ results: { registrations: rows }, count: 1 })?.rows).toEqual(
      rows,
    ))
  test('is read from registrations', () =>
    expect(
      createListReader(list)({ status: 'success', registrations: rows, count: 1, page: 3 }),
    ).toMatchObject({ rows, page: 3, pageSize: 20 }))
  test('without a total counts its rows', () => {
    expect(createListReader(list)(rows)).toMatchObject({ rows, count: 1, page: 1, pageSize: 1 })
    expect(createListReader(list)([])).toMatchObject({ rows: [], count: 0 })
  })
  test.each([
    null,
    'text',
    {},
    { registrations: 3, count: 1 },
    { registrations: rows },
    { registrations: rows, count: 'many' },
    { results: rows, count: 1 },
    [1],
    [{ reg_no: 'X1' }],
    { registrations: [{ ...rows[0], payment_status: 'paid' }], count: 1 },
    { registrations: [null], count: 1 },
  ])('in an unknown format is rejected: %j', (listResponse) =>
    expect(createListReader(list)(listResponse)).toBeNull(),
  )
})

test.each([
  ['/admin/members?page=2', '/admin/members?page=2'],
  ['//evil.example', '/admin/dashboard'],
  ['/\\evil.example', '/admin/dashboard'],
  ['https://evil.example', '/admin/dashboard'],
  ['/admin/login?next=/admin/login', '/admin/dashboard'],
  [null, '/admin/dashboard'],
])('with next=%j, signing in leads to %s', (next, destination) =>
  expect(sanitiseNext(next)).toBe(destination),
)

describe('the chart', () => {
  const buildDay = (day: string, registrations: number, revenue = 0) => ({
    day,
    registrations,
    revenue,
  })
  test('days without registrations are shown as zero', () => {
    expect(
      buildBars(
        [buildDay('2025-10-01', 3, 100.1), buildDay('2025-10-04', 1, 50.2)],
        '2025-12-01',
        INR,
      ).map(({ from, registrations }) => [from, registrations]),
    ).toEqual([
      ['2025-10-01', 3],
      ['2025-10-02', 0],
      ['2025-10-03', 0],
      ['2025-10-04', 1],
    ])
  })
  test('continues to today while registration is open', () =>
    expect(buildBars([buildDay('2025-10-01', 3)], '2025-10-03', INR)).toHaveLength(3))
  test('a long period is shown in weeks that include every registration', () => {
    const days = Array.from({ length: 200 }, (_, index) =>
      buildDay(new Date(Date.UTC(2025, 6, 1 + index)).toISOString().slice(0, 10), 2, 0.1),
    )
    const bars = buildBars(days, '2026-06-01', INR)
    expect(bars).toHaveLength(29)
    expect(bars.reduce((sum, bar) => sum + bar.registrations, 0)).toBe(400)
    expect(bars[0]?.revenue).toBe(0.7)
  })
  test('the description states the number, the days, the highest values and today’s number', () => {
    const bars = buildBars(
      [buildDay('2025-10-01', 3, 21240), buildDay('2025-10-02', 1)],
      '2025-10-02',
      INR,
    )
    expect(describeBars(bars, 'AFPI', '2025-10-02', INR)).toBe(
      '4 registrations from 1 Oct 2025 to 2 Oct 2025; busiest day 1 Oct 2025 (3); highest revenue on 1 Oct 2025 (₹\u00a021,240); 1 today.',
    )
    const bar = buildBars([buildDay('2025-10-02', 1, 8555)], '2025-10-02', INR)
    expect(describeBars(bar, 'AFPI', '2025-10-02', INR)).toBe(
      '1 registration on 2 Oct 2025; revenue ₹\u00a08,555.',
    )
    expect(describeBars([], 'AFPI', '2025-10-02', INR)).toBe('AFPI: no registrations yet.')
  })
})

describe('the columns of a list', () => {
  type Column = AdminList['columns'][number]
  const buildColumn = (id: string, kind: Column['kind'], role?: Column['role']): Column => ({
    id,
    label: id,
    kind,
    ...(role === undefined ? {} : { role }),
  })
  const firstColumns = { name: 'full_name', category: 'category' }
  const arrangeColumns = (columns: readonly Column[], ...chosenIds: readonly string[]) =>
    buildCells(columns, firstColumns, chosenIds).cells.map((cell) => [
      cell.column.id,
      cell.details.map(({ id }) => id).join(' '),
      cell.slot,
    ])
  const contactColumns = [
    buildColumn('id', 'number'),
    buildColumn('reg_no', 'text'),
    buildColumn('full_name', 'text', 'fullName'),
    buildColumn('email', 'text', 'email'),
    buildColumn('phone_number', 'text', 'phone'),
  ]
  const memberColumns = [
    buildColumn('asi_member', 'yes-no'),
    buildColumn('asi_membership_number', 'text'),
  ]
  const moneyColumns = [
    buildColumn('total', 'money'),
    buildColumn('payment_status', 'status'),
    buildColumn('created_at', 'date'),
  ]
  const FIXED_COLUMNS = [
    ['reg_no', 'phone_number', 'reg'],
    ['full_name', 'email', 'name'],
    ['category', 'asi_member asi_membership_number', 'option'],
    ['total', '', 'total'],
    ['payment_status', '', 'status'],
    ['created_at', '', 'at'],
  ]
  test('number, name, category, total, status and date come first; phone, email and membership are shown below them', () =>
    expect(
      arrangeColumns([
        ...contactColumns,
        buildColumn('category', 'option'),
        ...memberColumns,
        ...moneyColumns,
      ]),
    ).toEqual(FIXED_COLUMNS))
  test('the first columns, including payment columns, appear even if the event file lists none of them', () =>
    expect(arrangeColumns([buildColumn('hospital', 'text')]).map(([id]) => id)).toEqual(
      FIXED_COLUMNS.map(([id]) => id),
    ))
  test('an event without a name field shows its first text field instead', () =>
    expect(
      buildCells([buildColumn('team', 'text')], { ...firstColumns, name: null }, []).cells[1]
        ?.column.id,
    ).toBe('team'))
  test('every other column can be added, and no column is missing', () => {
    const columns = [
      ...contactColumns,
      ...memberColumns,
      buildColumn('category', 'option'),
      buildColumn('paper', 'yes-no'),
      buildColumn('food', 'option'),
      ...moneyColumns,
      buildColumn('fee', 'money'),
    ]
    const { optionalColumns: addableColumns } = buildCells(columns, firstColumns, [])
    expect(addableColumns.map(({ id }) => id)).toEqual(['id', 'paper', 'food', 'fee'])
    expect(arrangeColumns(columns, 'fee', 'paper', 'gone')).toEqual([
      ...FIXED_COLUMNS,
      ['paper', '', null],
      ['fee', '', null],
    ])
    const allCells = buildCells(columns, firstColumns, ['id', 'paper', 'food', 'fee']).cells
    expect(
      allCells
        .flatMap(({ column: { id }, details: detailColumns }) => [
          id,
          ...detailColumns.map((detailColumn) => detailColumn.id),
        ])
        .toSorted(),
    ).toEqual(columns.map(({ id }) => id).toSorted())
  })
})

test('an amount in a cell is exact and has Indian digit grouping', () => {
  expect(formatResponseMoney(123456.5, INR)).toBe('₹\u00a01,23,456.50')
  expect(formatResponseAmount(7080, INR)).toBe('7,080')
  expect(formatResponseAmount(null, INR)).toBe('')
})

test('an action on two events is shown as one audit log entry', () => {
  const entry = { at: '2026-02-02T10:00:00+05:30', who: 'meera', what: 'uploaded', reg_no: null }
  const [firstEvent, secondEvent] = [
    { event_id: 'first', event: 'First' },
    { event_id: 'second', event: 'Second' },
  ]
  const rows = [secondEvent, firstEvent, secondEvent, { event_id: null, event: '' }]
  const entries = rows.map((eventOfEntry, index) => ({ ...entry, ...eventOfEntry, id: 9 - index }))
  expect(mergeEventEntries(entries).map(({ event }) => event)).toEqual([
    'First, Second',
    'Second',
    '',
  ])
  const manyEvents = [5, 4, 3, 2, 1].map((n) => ({
    ...entry,
    id: n,
    event_id: `event${n}`,
    event: `Event ${n}`,
  }))
  expect(mergeEventEntries(manyEvents).map(({ event }) => event)).toEqual([
    'Event 1, Event 2, Event 3 and 2 other events',
  ])
  const registrationEntries = entries.map((row) => ({ ...row, reg_no: 'FRST1' }))
  expect(mergeEventEntries(registrationEntries)).toEqual(registrationEntries)
})

test('a delegate who was reminded in the last 24 hours is not reported as failed', () => {
  const refused = [
    { reg_no: 'A1', message: 'No email was sent.', is_reminded: true as const },
    { reg_no: 'A2', message: 'Paid.' },
  ]
  const result = { status: 'success' as const, message: '', done: ['A3'], refused }
  expect(joinResults([result, { ...result, refused: [] }], 4)).toEqual({
    message:
      'Stopped: 2 done; 1 failed, for the reasons below. 1 already reminded in the last 24 hours. 4 not processed and still selected.',
    failures: refused.slice(1),
  })
})
