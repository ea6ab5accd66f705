/** Which places a registration takes, and what everybody may know of how many are left. */
import { expect, test } from 'vitest'
import type { Answers } from '../../../engine/event/answer-types.ts'
import {
  allSeatPools,
  firstFull,
  placeName,
  placesOf,
  sayFull,
  shownLeft,
} from '../../../engine/pricing/quotas.ts'
import type { Quota } from '../../../engine/event/pricing-types.ts'
import { eventOf, field, isIn, when } from '../fixtures.ts'

const limits: readonly Quota[] = [
  { id: 'hall', max: 500, full: { message: 'Full' }, few: 20 },
  { id: 'pg', when: when(isIn('category', 'pg')), max: 100, full: { message: 'Full' } },
  {
    id: 'seats',
    eachOptionOf: 'rooms',
    max: { scan: 30, ecg: 20 },
    full: { message: 'Full' },
    few: 3,
  },
]

test.each<[Answers, string | null, readonly string[]]>([
  [{}, null, ['hall']],
  [{}, 'pg', ['hall', 'pg']],
  [{ rooms: ['ecg', 'scan'] }, 'other', ['hall', 'seats.ecg', 'seats.scan']],
  [{ rooms: 'scan' }, 'pg', ['hall', 'pg', 'seats.scan']],
  // An option without places, and one that every object has.
  [{ rooms: ['lecture', 'constructor'] }, 'other', ['hall']],
])('answers %j of category %s take %j', (answers, category, places) => {
  expect(placesOf(limits, answers, category).map(({ id }) => id)).toEqual(places)
})

test('the first place that is gone is told, of those that are asked for', () => {
  const facts = { 'full.seats.scan': true, 'full.pg': true }
  expect(firstFull(limits, { ...facts, rooms: ['ecg'] }, 'other')).toBeNull()
  expect(firstFull(limits, { ...facts, rooms: ['scan'] }, 'other')?.id).toBe('seats.scan')
  expect(firstFull(limits, { ...facts, rooms: ['scan'] }, 'pg')?.id).toBe('pg')
})

const options = [
  { id: 'scan', label: 'Scanning' },
  { id: 'ecg', label: 'ECG: reading it' },
]
const event = eventOf({ fields: [field('rooms', { type: 'many', options })] })

test('a place is called as its option is, or as its limit', () => {
  expect(allSeatPools(limits).map((place) => placeName(event, place))).toEqual([
    'Hall',
    'Pg',
    'Scanning',
    'ECG: reading it',
  ])
})

test('of one of several options that is gone it is said which', () => {
  expect(allSeatPools(limits).map((place) => sayFull(event, place))).toEqual([
    'Full',
    'Full',
    'Scanning: Full',
    'ECG: reading it: Full',
  ])
})

test.each<[Readonly<Record<string, number>>, Readonly<Record<string, number>>]>([
  [{}, {}],
  [{ hall: 21, 'seats.scan': 4 }, {}],
  [
    { hall: 20, pg: 1, 'seats.scan': 3, 'seats.ecg': 1 },
    { hall: 20, 'seats.scan': 3, 'seats.ecg': 1 },
  ],
  // What is full is told also where nothing is told of few, and never as less than none.
  [
    { pg: 0, hall: -2 },
    { hall: 0, pg: 0 },
  ],
])('of %j are told %j', (left, told) => {
  expect(shownLeft(limits, left)).toEqual(told)
  expect(allSeatPools(limits).map(({ id }) => id)).toEqual([
    'hall',
    'pg',
    'seats.scan',
    'seats.ecg',
  ])
})
