/** Which pages of a list the thread that serves reads itself: none that could take long. */
import { expect, test } from 'vitest'
import { day, instant } from '../../../engine/index.ts'
import { hasFastPath } from '../../../server/storage/lists/list-and-search-registrations.ts'
import type { ListQuery } from '../../../server/storage/index.ts'

const sort = { isDescending: true, order: [] }

test.each<[string, Partial<ListQuery>]>([
  ['all', {}],
  ['all, where filters were looked for and none was set', { chosen: {}, people: {} }],
  ['those of a status', { paymentStatus: 'success' }],
  ['the oldest first', { sort: { ...sort, by: 'date', isDescending: false } }],
])('%s: it does', (_, query) => {
  expect(hasFastPath({ eventId: 'demo', answers: {}, ...query }, 1, 20)).toBe(true)
  expect(hasFastPath({ eventId: 'demo', answers: {}, ...query }, 50, 20)).toBe(true)
  expect(hasFastPath({ eventId: 'demo', answers: {}, ...query }, 51, 20)).toBe(false)
})

test.each<[string, Partial<ListQuery>]>([
  ['a search', { search: 'nair' }],
  ['an answer', { answers: { state: 'Kerala' } }],
  ['an option among several', { chosen: { workshops: 'scan' } }],
  ['whether somebody is listed', { people: { companions: true } }],
  ['what was sold', { sold: { item: 'dinner', option: null } }],
  ['a category', { category: 'student' }],
  ['a period', { period: 'early' }],
  ['a day', { dateFrom: day('2026-01-01') }],
  ['a last day', { dateTo: day('2026-01-01') }],
  ['a state', { state: 'told' }],
  ['what waits', { waiting: { is: 'review', at: instant(0) } }],
  ['names in their order', { sort: { ...sort, by: 'name' } }],
])('%s: another thread reads it', (_, query) => {
  expect(hasFastPath({ eventId: 'demo', answers: {}, ...query }, 1, 20)).toBe(false)
})
