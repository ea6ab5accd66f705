/** The seats that a registration requires, and the published numbers of remaining seats. */
import { expect, test } from 'vitest'
import type { Answers } from '../../../engine/event/answer-types.ts'
import {
  listSeatPools,
  findFirstFull,
  getSeatName,
  listRequiredSeats,
  buildFullSeatMessage,
  buildPublicAvailability,
} from '../../../engine/pricing/quotas.ts'
import type { Quota } from '../../../engine/event/pricing-types.ts'
import { createEvent, createField, isIn, when } from '../fixtures.ts'

const quotas: readonly Quota[] = [
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
  // An option without a quota, and an option named like a property that every object has.
  [{ rooms: ['lecture', 'constructor'] }, 'other', ['hall']],
])('the answers %j in category %s need the seats %j', (answers, category, seats) => {
  expect(listRequiredSeats(quotas, answers, category).map(({ id }) => id)).toEqual(seats)
})

test('the first requested seat that is sold out is reported', () => {
  const context = { 'full.seats.scan': true, 'full.pg': true }
  expect(findFirstFull(quotas, { ...context, rooms: ['ecg'] }, 'other')).toBeNull()
  expect(findFirstFull(quotas, { ...context, rooms: ['scan'] }, 'other')?.id).toBe('seats.scan')
  expect(findFirstFull(quotas, { ...context, rooms: ['scan'] }, 'pg')?.id).toBe('pg')
})

const options = [
  { id: 'scan', label: 'Scanning' },
  { id: 'ecg', label: 'ECG: reading it' },
]
const event = createEvent({ fields: [createField('rooms', { type: 'many', options })] })

test('a seat has the label of its option or of its quota', () => {
  expect(listSeatPools(quotas).map((seat) => getSeatName(event, seat))).toEqual([
    'Hall',
    'Pg',
    'Scanning',
    'ECG: reading it',
  ])
})

test('the message about a full option states the option', () => {
  expect(listSeatPools(quotas).map((seat) => buildFullSeatMessage(event, seat))).toEqual([
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
  // A full quota is published even if low numbers are hidden, and never as a negative number.
  [
    { pg: 0, hall: -2 },
    { hall: 0, pg: 0 },
  ],
])('for the remaining seats %j, the published numbers are %j', (seatsLeft, publishedSeats) => {
  expect(buildPublicAvailability(quotas, seatsLeft)).toEqual(publishedSeats)
  expect(listSeatPools(quotas).map(({ id }) => id)).toEqual([
    'hall',
    'pg',
    'seats.scan',
    'seats.ecg',
  ])
})
