/** Office URLs: event pages, and redirects from the URLs of earlier versions. */
import { describe, expect, test } from 'vitest'
import type { OfficeEvent } from '../../../engine/api.ts'
import { findList } from '../../../web/office/office-api-and-urls.ts'
import {
  UNLINKABLE_PAGES,
  SITE_PAGES,
  doPathsOverlap,
} from '../../../engine/event/reserved-addresses.ts'
import {
  SHARED_PAGES,
  findEventPage,
  findSharedPage,
  replaceOldAddress,
} from '../../../web/office/office-pages-and-roles.ts'

const buildEvent = (id: string, routes: readonly string[], gives_codes = false): OfficeEvent =>
  ({
    id,
    gives_codes,
    lists: routes.map((route) => ({ id: route.slice('/admin/'.length), route })),
  }) as unknown as OfficeEvent

const events = [
  buildEvent('afpicon2026', ['/admin/afpicon', '/admin/afpicon2026']),
  buildEvent('sample', ['/admin/sample'], true),
]
const [eventWithTwoLists] = events

describe('an old URL redirects to the new one', () => {
  test.each([
    ['/admin', '/admin/dashboard'],
    ['/admin/people', '/admin/team'],
    ['/admin/mails?status=failed', '/admin/system/emails?status=failed'],
    ['/admin/activity?who=asha', '/admin/audit-log?who=asha'],
    ['/admin/event-files', '/admin/system/event-files'],
    ['/admin/recovery', '/admin/system/recovery'],
    ['/admin/money?event=sample', '/admin/payments?tab=review&event=sample'],
    ['/admin/sample/add', '/admin/events/sample/registrations/new'],
    ['/admin/sample/reconcile', '/admin/payments/statements'],
    ['/admin/codes-of/sample', '/admin/events/sample/codes'],
    ['/admin/afpicon/AFPI17?a=b#money', '/admin/events/afpicon2026/registrations/AFPI17?a=b#money'],
    ['/admin/afpicon2026/AFPI17', '/admin/events/afpicon2026/registrations/AFPI17'],
  ])('%s', (oldAddress, newAddress) => {
    const { pathname, search, hash } = new URL(oldAddress, 'https://example.org')
    expect(replaceOldAddress({ pathname, search, hash }, events)).toBe(newAddress)
  })

  test.each(['/admin/sample', '/admin/afpicon', '/admin/other/add', '/admin/other/OTHR1'])(
    '%s is not redirected, because it is a list or belongs to an event that the user may not see',
    (pathname) => expect(replaceOldAddress({ pathname, search: '', hash: '' }, events)).toBeNull(),
  )
})

test.each([
  ...SHARED_PAGES.map(({ to }) => to),
  '/admin/payments/month/2026-01',
  '/admin/events',
  '/admin/events/any/registrations/new',
  '/admin/people',
  '/admin/codes-of/any',
])('no event file can use the path %s', (path) =>
  expect([...SITE_PAGES, ...UNLINKABLE_PAGES].some((page) => doPathsOverlap(page, path))).toBe(
    true,
  ),
)

test.each([
  ['/admin/events/sample/registrations', 'registrations', ''],
  ['/admin/events/sample/registrations/new', 'add', ''],
  ['/admin/events/sample/registrations/SMPL%2F1', 'registration', 'SMPL/1'],
  ['/admin/events/sample/registrations/%', 'registration', '%'],
  ['/admin/events/sample/codes', 'codes', ''],
])('the path %s leads to the page %s', (path, id, regNo) =>
  expect(findEventPage(path, events)).toMatchObject({ event: { id: 'sample' }, id, regNo }),
)

test.each([
  '/admin/events/other/registrations',
  '/admin/events/afpicon2026/codes',
  '/admin/events/sample/registrations/SMPL1/more',
  '/admin/events/sample/registrations/',
])('the path %s leads to no page', (path) => expect(findEventPage(path, events)).toBeNull())

test('a month that is invalid or has no previous or next month has no page', () => {
  const pageIds = ['2000-01', '2026-01', '2099-12', '0000-01', '9999-12', '2026-13'].map(
    (month) => findSharedPage(`/admin/payments/month/${month}`)?.id,
  )
  expect(pageIds).toEqual(['month', 'month', 'month', undefined, undefined, undefined])
})

test.each([
  ['/admin/events/afpicon2026/registrations', '', 'afpicon'],
  ['/admin/events/afpicon2026/registrations', 'list=afpicon2026', 'afpicon2026'],
  ['/admin/events/afpicon2026/registrations', 'list=unknown', 'afpicon'],
  ['/admin/afpicon2026', '', 'afpicon2026'],
  ['/admin/search', '', undefined],
])('the list shown at %s?%s is %s', (path, search, id) => {
  if (eventWithTwoLists === undefined) throw new Error('there must be an event with two lists')
  expect(findList(eventWithTwoLists, path, new URLSearchParams(search))?.id).toBe(id)
})
