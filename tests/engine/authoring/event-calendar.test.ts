/** An event's calendar, which lists the changes on each day for the rehearsal. */
import { expect, test } from 'vitest'
import { listCalendarDays, readEvent } from '../../../engine/authoring.ts'
import type { CalendarDay } from '../../../engine/authoring.ts'
import { readSource, sharedFiles } from '../event-files.ts'

function listDays(path: string, change = (text: string): string => text): readonly CalendarDay[] {
  const event = readEvent(change(readSource(path).text), sharedFiles, { path })
  if (event === null) throw new Error(`${path} cannot be read`)
  return listCalendarDays(event)
}
const listChanges = (days: readonly CalendarDay[], day: string): readonly string[] =>
  (days.find((candidate) => candidate.day === day)?.changes ?? []).map((text) =>
    text.replaceAll('\u00a0', ' '),
  )

const NATIONAL_EVENT = 'tests/events/nidancon2027.yaml'
const nationalDays = listDays(NATIONAL_EVENT)
const [firstDay] = nationalDays

test('the price of each workshop is stated for each category, as in the brochure', () => {
  expect(listChanges(nationalDays, firstDay?.day ?? '')).toEqual(
    expect.arrayContaining([
      'Prices: GST (18% and 5%) included',
      'Senior member: Free (Early Bird)',
      'Accompanying person, each: ₹ 4,720',
      'Workshop: Ventilation (Hall B, 12 noon): ₹ 2,950 (Member, Senior member, Invited faculty); ₹ 1,770 (Postgraduate trainee, Undergraduate student, Nurse or technologist); ₹ 3,540 (Non-member)',
      'Single room, per night: ₹ 4,198.95',
    ]),
  )
})

test('when prices change, only the changed prices are listed', () => {
  const changes = listChanges(nationalDays, '2026-12-01')
  expect(changes).toContain('Accompanying person, each: ₹ 5,310')
  expect(changes.join('\n')).not.toMatch(/dinner|Statistics|Seats|Registration/)
  expect(listChanges(nationalDays, '2027-02-01')).toEqual([
    'Late fee: +₹ 500 on registration, from 1 February 2027, where the category is not Senior member or Invited faculty, before tax',
  ])
})

test('conditions and adjustments use the labels that delegates read, not the ids of the file', () => {
  const listConditionalChanges = (days: readonly CalendarDay[]) =>
    days.flatMap(({ day }) => listChanges(days, day)).filter((text) => /where|%.* on /.test(text))
  expect(listChanges(nationalDays, firstDay?.day ?? '')).toEqual(
    expect.arrayContaining([
      'Presenter’s discount: −₹ 500 on registration, where “Do you present a paper?” is yes and the category is Member or Non-member or Postgraduate trainee or Undergraduate student or Nurse or technologist, before tax',
      'Coupon, 15% off: −15% on registration, where the discount code is Coupon, 15% off',
    ]),
  )
  expect(listConditionalChanges(listDays('tests/events/nilarun2027.yaml'))).toContain(
    'Family of four, 10% off the adults: −10% on “Family run, adult”, where “Family run of three kilometres” has at least 4',
  )
  const daysWithItemDiscounts = listDays(NATIONAL_EVENT, (text) =>
    text
      .replace('amount: -500', 'percent: -5')
      .replace(
        'when: {presents_paper: true, category: [member, non-member, trainee, student, allied]}\n      on: registration',
        'when: {member_number.kind: life, workshops: {count: {at_least: 2}}, full.hall: true}\n      on: room',
      )
      .replace(
        'when: {code: coupon}\n      on: registration',
        'when: {code: coupon}\n      on: workshop',
      ),
  )
  expect(listConditionalChanges(daysWithItemDiscounts).slice(0, 2)).toEqual([
    'Presenter’s discount: −5% on “Room in the conference hotel”, where the kind of “Membership Number” is life and “Workshops on 12 February” has at least 2 and “The hall is full. Please write to us if you would like to be told of cancellations.” is yes',
    'Coupon, 15% off: −15% on “Workshop”, where the discount code is Coupon, 15% off',
  ])
})

test('the numbers of seats are listed once', () => {
  const seatChanges = nationalDays.flatMap(({ day }) =>
    listChanges(nationalDays, day).filter((change) => change.startsWith('Seats: ')),
  )
  expect(seatChanges).toEqual([
    'Seats: 500. When full: “The hall is full. Please write to us if you would like to be told of cancellations.”',
    'Seats: 100, where the category is Postgraduate trainee. When full: “All places for trainees are taken. You may register as a non-member.”',
    expect.stringMatching(
      /^Seats: Ultrasound .*: 30, Difficult airway .*: 24, .* “This workshop is full”$/,
    ),
  ])
})

test('an item and a category with the same label are both listed', () => {
  const days = listDays(NATIONAL_EVENT, (text) =>
    text.replaceAll('label: Member,', 'label: Gala dinner,'),
  )
  expect(listChanges(days, firstDay?.day ?? '')).toEqual(
    expect.arrayContaining(['Gala dinner: ₹ 7,080 (Early Bird)', 'Gala dinner, each: ₹ 1,770']),
  )
})

test('prices that depend on an answer other than the category, and amounts that the delegate enters, are listed', () => {
  const [firstDayOfRun] = listDays('tests/events/nilarun2027.yaml')
  expect(firstDayOfRun?.changes.map((text) => text.replaceAll('\u00a0', ' '))).toEqual(
    expect.arrayContaining([
      'T-shirt, XXL: ₹ 531',
      'Gift to the river: ₹ 100 to ₹ 50,000, as entered in “I give”',
    ]),
  )
})

test('if registration has no opening day, the calendar does not say that it opens on the first listed day', () => {
  expect(firstDay?.changes[0]).toBe(
    'Registration: open, before this day too (the file states no opening date)',
  )
  const daysWithOpening = listDays(NATIONAL_EVENT, (text) =>
    text.replace('registration:\n', 'registration:\n  opens: 2026-11-10\n'),
  )
  expect(listChanges(daysWithOpening, '2026-11-09')[0]).toMatch(/^Registration: closed/)
  expect(listChanges(daysWithOpening, '2026-11-10')[0]).toBe('Registration: open')
})

test('a refund with a charge in two currencies states both charges', () => {
  const days = listDays('tests/events/sangamcon2027.yaml')
  const refunds = days.flatMap(({ day }) =>
    listChanges(days, day).filter((change) => change.startsWith('Refund on cancellation: ')),
  )
  expect(refunds[0]).toMatch(/ less ₹ 1,000 or US\$ 20$/)
})

test('a payment method for staff only is not listed as offered to delegates', () => {
  const days = listDays('tests/events/lekhacon2027.yaml')
  const changes = days.flatMap(({ day }) => listChanges(days, day))
  expect(changes).toContain('At the desk: staff only')
  expect(changes).not.toContain('At the desk: offered')
})
