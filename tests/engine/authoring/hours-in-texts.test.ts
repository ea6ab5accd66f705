/** Impossible times of day, as organisers might mistype them, and numbers that only look like times. */
import { describe, expect, test } from 'vitest'
import {
  findImpossibleHours,
  findNightAfterMorning,
} from '../../../engine/authoring/prose/find-impossible-hours.ts'

const listImpossibleHours = (text: string): readonly string[] =>
  findImpossibleHours(text).map(({ start, end }) => text.slice(start, end))

describe('a time that does not exist', () => {
  test.each([
    ['9:00 to 24:30', '24:30'],
    ['9 AM to 25:00', '25:00'],
    ['24:30 to 6 PM', '24:30'],
    ['Doors open at 25:00', '25:00'],
    ['Dinner at 24:30', '24:30'],
    ['Lunch from 13:75', '13:75'],
    ['Ultrasound at the bedside (Hall A, 25:00)', '25:00'],
    ['8.75 AM to 6 PM', '8.75 AM'],
    ['Begins 25 PM', '25 PM'],
    ['26:15 hrs', '26:15'],
  ])('%s', (text, hour) => {
    expect(listImpossibleHours(text)).toEqual([hour])
  })
})

describe('a possible time, or a number that is not a time', () => {
  test.each([
    '8.30 AM to 6 PM',
    '9 AM to 3 AM',
    'Until 24:00',
    '00:30 to 13:30 PM',
    'A talk (25:00)',
    'Video of 25:30 minutes',
    'A ratio of 40:60, from 25:75 to 50:50',
    'As in Matthew 25:35',
    'Rs. 45 p.m., ₹30.75 PM',
    'Of the 45 am I the oldest',
    'Between 9.30-10.30 AM',
    'Call 0484-25:61',
    'Room 27:10, hall 3',
    'On 14.03.2027 at 9:00',
    'Vitamin B12 2.5 PM2.5',
  ])('%s', (text) => {
    expect(listImpossibleHours(text)).toEqual([])
  })
})

test('opening hours from 9 AM to 3 AM are reported', () => {
  const countNightHours = (text: string): number => findNightAfterMorning(text).length
  expect(['9 AM to 3 AM', '8.30 a.m. – 5.30 a.m.', '10 am to 12 am'].map(countNightHours)).toEqual([
    1, 1, 1,
  ])
  const correctTexts = [
    '9 AM to 3 PM',
    '6 AM to 11 AM',
    '9 AM to 3 AM the next day',
    '12 AM to 5 AM',
    '9 PM to 3 AM',
    'First start at 4.30 AM',
  ]
  expect(correctTexts.map(countNightHours)).toEqual(correctTexts.map(() => 0))
})
