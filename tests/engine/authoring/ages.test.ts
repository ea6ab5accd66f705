/** Ages in rules, items and the form are computed for the first day of the event. */
import { expect, test } from 'vitest'
import fc from 'fast-check'
import { compileEvent, repeatEvent, showEvent } from '../../../engine/authoring.ts'
import {
  addDays,
  day,
  findCategory,
  quote,
  startOfDay,
  type Day,
  type EventConfig,
} from '../../../engine/index.ts'
import { resolveAges, toCondition } from '../../../engine/authoring/compile/conditions.ts'
import { describeCondition } from '../../../engine/rules/describe-condition.ts'
import { matchesCondition } from '../../../engine/rules/conditions-and-operators.ts'
import { sharedFiles } from '../event-files.ts'
import { readGolden } from './goldens.ts'

/**
 * Counts the birthdays since the date of birth. A person born on 29 February has their birthday on 1 March in years
 * that are not leap years.
 */
function computeAge(on: Day, born: Day): number {
  const [years, hasHadBirthday] = [
    Number(on.slice(0, 4)) - Number(born.slice(0, 4)),
    on.slice(5) >= born.slice(5),
  ]
  return hasHadBirthday ? years : years - 1
}
const compileAge = (bounds: object, firstDay: Day) =>
  resolveAges(toCondition({ born_on: { age: bounds } }), firstDay)

test.each([
  ['2026-03-07', { at_least: 6, at_most: 12 }, '2020-03-07', true],
  ['2026-03-07', { at_least: 6, at_most: 12 }, '2020-03-08', false],
  ['2026-03-07', { at_least: 6, at_most: 12 }, '2013-03-08', true],
  ['2026-03-07', { at_least: 6, at_most: 12 }, '2013-03-07', false],
  ['2026-03-07', { below: 6 }, '2020-03-08', true],
  ['2026-03-07', { above: 12 }, '2013-03-07', true],
  ['2026-02-28', { at_least: 6 }, '2020-02-29', false],
  ['2026-03-01', { at_least: 6 }, '2020-02-29', true],
  ['2024-02-29', { at_most: 5 }, '2018-02-28', false],
  ['2024-02-29', { at_most: 5 }, '2018-03-01', true],
  ['2026-03-07', { at_least: 60, on: '2026-01-01' }, '1966-01-02', false],
  ['2026-03-07', { at_least: 60, on: '2026-01-01' }, '1966-01-01', true],
] as const)(
  'for an event that begins on %s, the condition %o on the age of someone born on %s is %s',
  (firstDay, bounds, born, expected) => {
    const condition = compileAge(bounds, day(firstDay))
    expect(matchesCondition(condition, { born_on: born })).toBe(expected)
  },
)

test('an age is the number of birthdays since the date of birth', () => {
  const days = fc.integer({ min: 0, max: 40_000 }).map((count) => addDays(day('1920-01-01'), count))
  const years = fc.integer({ min: 0, max: 110 })
  fc.assert(
    fc.property(days, days, years, years, (on, born, at_least, at_most) => {
      fc.pre(born <= on)
      const age = computeAge(on, born)
      expect(matchesCondition(compileAge({ at_least, at_most }, on), { born_on: born })).toBe(
        at_least <= age && age <= at_most,
      )
      expect(matchesCondition(compileAge({ above: at_least }, on), { born_on: born })).toBe(
        age > at_least,
      )
      expect(matchesCondition(compileAge({ below: at_most }, on), { born_on: born })).toBe(
        age < at_most,
      )
    }),
  )
})

const RULES = `  rules:
    - {when: {born_on: {age: {below: 30}}}, then: member}
    - {when: {born_on: {age: {at_least: 30}}}, then: visitor}
`
const BIRTH_DATE_FIELD =
  '        - {id: born_on, type: date, label: Date of birth, from: 1920-01-01, to: 2010-12-31, required: true}\n'
const compile = (rules: string) =>
  compileEvent(
    readGolden('EV315.yaml')
      .replace(/ {2}rules:\n(?: {4}-.*\n)*/, rules)
      .replace('card-gateway', 'airpay')
      .replace('account: sample', 'account: afpi')
      .replace('        - {id: is_member,', `${BIRTH_DATE_FIELD}        - {id: is_member,`),
    sharedFiles,
    { path: 'sample2026.yaml' },
  )
const listCodes = (rules: string): readonly string[] =>
  compile(rules).findings.map(({ code }) => code)

test('rules about an age cover every date of birth, or the checker states a year that is missing', () => {
  expect(listCodes(RULES)).not.toContain('EV301')
  const gap = compile(RULES.replace('below: 30', 'below: 29')).findings.find(
    ({ code }) => code === 'EV301',
  )
  expect(gap?.message + (gap?.notes ?? []).join()).toMatch(/born_on/)
  expect(listCodes(RULES.replace('below: 30', 'below: 29'))).toContain('EV315')
})

test('the category and the price for children depend on their age on the first day of the event', () => {
  const event = compile(RULES).event as EventConfig
  expect(findCategory(event, { born_on: '1996-03-08' })).toBe('member')
  expect(findCategory(event, { born_on: '1996-03-07' })).toBe('visitor')
  const companions = [
    { name: 'Mini Sample', born_on: '2020-03-08' },
    { name: 'Ravi Sample', born_on: '2013-03-08' },
    { name: 'Asha Sample', born_on: '1990-01-01' },
  ]
  const result = quote(event, { born_on: '1996-03-08', companions }, startOfDay(day('2026-01-10')))
  expect(result.ok && result.value.lines.map(({ id, quantity }) => [id, quantity])).toEqual([
    ['registration', 1],
    ['child', 1],
    ['youth', 1],
    ['adult', 1],
  ])
})

test('a condition on an age is printed as an age, not as a range of dates of birth', () => {
  const event = compile(RULES).event as EventConfig
  const [rule] = event.categoryChoice.by === 'rules' ? event.categoryChoice.rules : []
  expect(describeCondition(event, rule?.when ?? [])).toBe(
    'born_on is aged below 30 on 7 March 2026',
  )
  const compilation = compileEvent(showEvent(event), sharedFiles, { path: 'sample2026.yaml' })
  expect(compilation.event?.categoryChoice).toEqual(event.categoryChoice)
  expect(showEvent(event)).toContain('age:')
})

test('event repeat moves the date on which ages are calculated, and reports it', () => {
  const ageCondition = '{age: {below: 30, on: 2026-01-01}}'
  const rules = RULES.replace('{age: {below: 30}}', ageCondition)
  const { event } = compile(rules)
  if (event === null) throw new Error('the event is not valid')
  const text = readGolden('EV315.yaml').replace(/ {2}rules:\n(?: {4}-.*\n)*/, rules)
  const options = { id: 'sample2027', prefix: 'SAMP', weeks: 52, otherEvents: [] }
  const nextFile = repeatEvent(text, event, options)
  // The distance to the first day (7 March 2026, 6 March 2027) is unchanged.
  expect(nextFile.text).toContain('{age: {below: 30, on: 2026-12-31}}')
  expect(nextFile.checks).toContain(
    'Ages are now calculated on 2026-12-31 instead of 2026-01-01, at the same distance from the event. Check this date.',
  )
})
