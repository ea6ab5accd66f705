/** The main thread reads a list page itself only if reading it is always fast. */
import { expect, test } from 'vitest'
import { day, instant } from '../../../engine/index.ts'
import { hasFastPath } from '../../../server/storage/lists/list-and-search-registrations.ts'
import type { ListQuery } from '../../../server/storage/index.ts'

const sort = { isDescending: true, order: [] }

test.each<[string, Partial<ListQuery>]>([
  ['all registrations', {}],
  ['all registrations, with an empty filter', { chosen: {}, people: {} }],
  ['by status', { paymentStatus: 'success' }],
  ['oldest first', { sort: { ...sort, by: 'date', isDescending: false } }],
])('the main thread reads this list: %s', (_, query) => {
  expect(hasFastPath({ eventId: 'demo', answers: {}, ...query }, 1, 20)).toBe(true)
  expect(hasFastPath({ eventId: 'demo', answers: {}, ...query }, 50, 20)).toBe(true)
  expect(hasFastPath({ eventId: 'demo', answers: {}, ...query }, 51, 20)).toBe(false)
})

test.each<[string, Partial<ListQuery>]>([
  ['a search', { search: 'nair' }],
  ['an answer filter', { answers: { state: 'Kerala' } }],
  ['one of several options', { chosen: { workshops: 'scan' } }],
  ['a member list filter', { people: { companions: true } }],
  ['an item filter', { sold: { item: 'dinner', option: null } }],
  ['a category', { category: 'student' }],
  ['a period', { period: 'early' }],
  ['a day', { dateFrom: day('2026-01-01') }],
  ['an end date', { dateTo: day('2026-01-01') }],
  ['a state', { state: 'told' }],
  ['a work queue filter', { waiting: { is: 'review', at: instant(0) } }],
  ['names in alphabetical order', { sort: { ...sort, by: 'name' } }],
])('another thread reads this list: %s', (_, query) => {
  expect(hasFastPath({ eventId: 'demo', answers: {}, ...query }, 1, 20)).toBe(false)
})
