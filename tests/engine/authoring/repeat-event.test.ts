/** Next year’s file: dates, names and addresses are changed for the new event, and all other text is unchanged. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addDays, day, type EventConfig } from '../../../engine/index.ts'
import {
  compileEvent,
  compileEvents,
  findNextPrefix,
  readEvent,
  repeatEvent,
} from '../../../engine/authoring.ts'
import { shiftDays } from '../../../engine/authoring/tools/shift-days.ts'
import { buildFixtureEvent } from '../../server/small-event.ts'
import { sharedFiles, readSource } from '../event-files.ts'

const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..', '..')
const files = readdirSync(join(REPOSITORY_ROOT, 'events'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readSource(`events/${name}`))
const compileConfig = (file: { readonly path: string; readonly text: string }): EventConfig => {
  const event = readEvent(file.text, sharedFiles, file)
  if (event === null) throw new Error(`${file.path} cannot be read`)
  return event
}
const repeatFile = (file: { readonly path: string; readonly text: string }, weeks = 52) => {
  const oldEvent = compileConfig(file)
  const id = oldEvent.id.replace(/\d+$/, (year) => String(Number(year) + 1))
  const otherEvents = files.map(compileConfig)
  const prefix =
    findNextPrefix(
      { id: oldEvent.id, prefix: oldEvent.orderId.prefix },
      id,
      otherEvents.map(({ orderId }) => orderId.prefix),
    ) ?? ''
  const nextFile = repeatEvent(file.text, oldEvent, { id, prefix, weeks, otherEvents })
  return { ...nextFile, id, old: oldEvent, path: `events/${id}.yaml` }
}

test.each(files.map((file) => [file.path, file] as const))(
  '%s is repeated without findings, even when checked together with all old files',
  (_path, file) => {
    const nextFile = repeatFile(file)
    const compiled = compileEvents([...files, nextFile], sharedFiles)
    const messages = compiled.files.flatMap(({ findings }) =>
      findings.map(({ code, message }) => `${code} ${message}`),
    )
    expect(messages).toEqual([])
    const event = compileConfig(nextFile)
    expect([event.id, event.title]).toEqual([
      nextFile.id,
      nextFile.old.title.replace(/\d{4}/, (year) => String(Number(year) + 1)),
    ])
    expect(Object.values(event.fees.prices ?? {}).map((row) => Object.values(row))).toEqual(
      Object.values(nextFile.old.fees.prices ?? {}).map((row) => Object.values(row)),
    )
    expect(new Date(event.from).getUTCDay()).toBe(new Date(nextFile.old.from).getUTCDay())
    expect(event.examples.length).toBe(nextFile.old.examples.length)
    expect(event.demo.some((path) => path === 'fees.prices')).toBe(
      nextFile.old.fees.prices !== null,
    )
  },
)

const completeEvents = ['nidancon2027', 'nilarun2027', 'soiltalk2027'].map((id) =>
  readSource(`tests/events/${id}.yaml`),
)

test.each(completeEvents.map((file) => [file.path, file] as const))(
  '%s is repeated without errors or warnings: items, quotas, bounds and promised values move with the event',
  (_path, file) => {
    const nextFile = repeatFile(file)
    const { event, findings } = compileEvents([file, nextFile], sharedFiles).files.at(-1) ?? {
      findings: [],
    }
    expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([])
    const addYear = (date: string | undefined) => date && addDays(day(date), 52 * 7)
    expect(event?.registration).toEqual({ closes: addYear(nextFile.old.registration.closes) })
    expect(event?.fees.adjustments.map(({ from }) => from)).toEqual(
      nextFile.old.fees.adjustments.map(({ from }) => addYear(from)),
    )
    // The version of a consent does not depend on the calendar.
    expect(event?.fields.map(({ version }) => version)).toEqual(
      nextFile.old.fields.map(({ version }) => version),
    )
  },
)

test('a date of birth that may be an age limit is reported with the corresponding date for the next event', () => {
  const [, marathon] = completeEvents
  if (marathon === undefined) throw new Error('the marathon is missing')
  expect(repeatFile(marathon).checks).toEqual(
    expect.arrayContaining([
      '“1982-01-17” is unchanged. If it is the date of birth of someone who turns 45 at the event, write 1983-01-16.',
      '“2009-01-18” is unchanged. If it is the date of birth of someone who turns 18 at the event, write 2010-01-17.',
      '“1930-01-01” looks like a date and is unchanged.',
    ]),
  )
})

test.each([
  'ghatmeet2027',
  'malnadchapter2027',
  'swarafellow2027',
  'dweepcon2027',
  'sangamcon2027',
])(
  '%s is repeated without errors in payment accounts or in the dates of birth of examples',
  (id) => {
    const file = readSource(`tests/events/${id}.yaml`)
    const { findings } = compileEvents([file, repeatFile(file)], sharedFiles).files.at(-1) ?? {
      findings: [],
    }
    expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([])
  },
)

test('the credentials of a Razorpay account are described as Razorpay’s', () => {
  expect(repeatFile(readSource('tests/events/dweepcon2027.yaml')).changes.join()).toMatch(
    /credentials are RAZORPAY_\w+_…/,
  )
})

test('all four files can be repeated into one folder', () => {
  const compiled = compileEvents([...files, ...files.map((file) => repeatFile(file))], sharedFiles)
  expect(compiled.files.flatMap(({ findings }) => findings.map(({ code }) => code))).toEqual([])
})

test('comments and layout are unchanged, and only the listed lines differ', () => {
  const [file] = files
  if (file === undefined) throw new Error('there is no event file')
  const nextFile = repeatFile(file)
  const addedComments = nextFile.text
    .split('\n')
    .filter((line) => /# unchanged|# renamed|unchanged: check each/.test(line))
  expect(addedComments.length).toBe(2)
  const [before, after] = [
    file.text.split('\n'),
    nextFile.text.split('\n').filter((line) => !addedComments.includes(line)),
  ]
  expect(after.length).toBe(before.length)
  const findComments = (lines: readonly string[]) => lines.filter((line) => /(^|\s)#/.test(line))
  expect(findComments(after).length).toBe(findComments(before).length)
})

describe('the points that the author must check', () => {
  test('include years outside dates, the motto, a closed event and the address of the gateway', () => {
    const messages = files.flatMap((file) => repeatFile(file).checks).join('\n')
    for (const line of [
      'contains 2025: - {name: the last day of 2025',
      'contains 2026: - {name: the first day of 2026',
      'The motto is unchanged',
      'The event is closed',
      'If the gateway settings contain',
      'write account: afpi again',
      'Registration never closes, as for the old event',
    ])
      expect(messages).toContain(line)
    expect(messages).not.toContain('contains 2026: - Early bird')
  })

  test('a date far from the event is unchanged and reported', () => {
    const text = buildFixtureEvent().replace('made up for tests', 'founded on 1 May 1990')
    const oldEvent = compileConfig({ path: 'sample2026.yaml', text })
    const nextFile = repeatEvent(text, oldEvent, {
      id: 'sample2027',
      prefix: 'SAMP',
      weeks: 52,
      otherEvents: [],
    })
    expect(nextFile.text).toContain('founded on 1 May 1990')
    expect(nextFile.checks).toContain('“1 May 1990” looks like a date and is unchanged.')
    const { findings } = compileEvent(nextFile.text, sharedFiles, { path: 'sample2027.yaml' })
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(nextFile.text).toContain('\ndemo:\n  - fees.prices')
  })
})

describe('a date keeps its format', () => {
  const shift = { weeks: 52, eventStart: day('2026-01-31') }
  test.each([
    ['from: 2025-08-31', 'from: 2026-08-30'],
    ['on: 2025-08-31T23:59:59+05:30', 'on: 2026-08-30T23:59:59+05:30'],
    ['until 30/10/2025', 'until 29/10/2026'],
    ['until 9.1.26', 'until 8.1.27'],
    ['until 09/01/2026', 'until 08/01/2027'],
    ['Until 30th Oct', 'Until 29th Oct'],
    ['by Oct 2nd, 2025', 'by Oct 1st, 2026'],
    ['31 January 2026', '30 January 2027'],
    ['SATURDAY, 31 JAN 2026', 'SATURDAY, 30 JAN 2027'],
    ['1 September 2025', '31 August 2026'],
    ['31 January – 1 February 2026', '30–31 January 2027'],
    ['31 Jan to 1 Feb 2026', '30 Jan to 31 Jan 2027'],
    ['21–22 February 2026', '20–21 February 2027'],
    ['21st & 22nd Feb 2026', '20th & 21st Feb 2027'],
    ['1–2 February 2026', '31 January – 1 February 2027'],
    ['in February 2026', 'in February 2027'],
    ['a fee of 2025 rupees, room 12/14', 'a fee of 2025 rupees, room 12/14'],
  ])('%s → %s', (before, after) => expect(shiftDays(before, shift).text).toBe(after))

  test('every date within two years is the same after it is shifted forward and back', () => {
    const spellDay = (date: Date): string =>
      `${date.toISOString().slice(0, 10)}, ${date.getUTCDate()} ${['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][date.getUTCMonth()]} ${date.getUTCFullYear()}`
    // "May" is both a short and a full name, so the original format is unknown.
    const shortenMonths = (text: string): string =>
      text.replace(/[A-Z][a-z]+/g, (name) => name.slice(0, 3))
    for (let n = 0; n < 731; n += 1) {
      const text = spellDay(new Date(Date.UTC(2025, 0, 1 + n)))
      const shiftedText = shiftDays(text, shift).text
      expect(shiftedText).not.toBe(text)
      expect(shortenMonths(shiftDays(shiftedText, { ...shift, weeks: -52 }).text)).toBe(text)
    }
  })
})

test('dates of adjustments and date fields move with the event, dates of birth do not, and prices of items are marked as placeholders', () => {
  const nextFile = repeatFile(readSource('tests/events/nidancon2027.yaml'))
  const event = compileConfig(nextFile)
  const findField = (id: string) => event.fields.find((eventField) => eventField.id === id)
  expect(event.fees.adjustments.map(({ id, from }) => [id, from])).toContainEqual([
    'late-fee',
    '2028-01-31',
  ])
  expect([findField('arrives_on')?.from, findField('arrives_on')?.to]).toEqual([
    '2028-02-09',
    event.to,
  ])
  expect([findField('born_on')?.from, findField('born_on')?.to]).toEqual([
    '1920-01-01',
    '2010-12-31',
  ])
  expect(event.demo).toEqual(expect.arrayContaining(['fees.items', 'fees.adjustments']))
})

test('of two card accounts, the changed and the unchanged one are named, and a shared account changes in every method', () => {
  const source = readSource('tests/events/dweepcon2027.yaml')
  const card = '{id: card, label: Card, gateway: razorpay, account: demo}'
  const text = source.text.replace(
    card,
    `{id: upi-card, label: UPI, gateway: airpay, account: nurses2027}\n    - {id: net-card, label: Net banking, gateway: airpay, account: nurses2027}\n    - ${card}`,
  )
  const nextFile = repeatFile({ ...source, text })
  expect(nextFile.changes).toContain(
    'Account nurses2027 (airpay) is now dweepcon2028, whose credentials are AIRPAY_DWEEPCON2028_….',
  )
  expect(nextFile.checks).toContain(
    'Account demo (razorpay) is unchanged: write another account if it has changed.',
  )
  expect(nextFile.text.match(/gateway: \w+, account: \w+/g)).toEqual([
    'gateway: airpay, account: dweepcon2028',
    'gateway: airpay, account: dweepcon2028',
    'gateway: razorpay, account: demo',
  ])
  expect(nextFile.text).toMatch(/- payment\.methods\.\d+\.account +# renamed: check it\n/)
  expect(nextFile.text).not.toMatch(/account +# unchanged/)
})

test('a prefix that ends with the year of the old event ends with the year of the new one', () => {
  const old = { id: 'sevikacon2027', prefix: 'SEV27' }
  expect(findNextPrefix(old, 'sevikacon2028', ['SEV27'])).toBe('SEV28')
  expect(findNextPrefix(old, 'sevikacon2028', ['SEV27', 'SEV28'])).toBe('SEVI')
  expect(findNextPrefix({ ...old, prefix: 'SEVI' }, 'sevikacon2028', ['SEVI'])).toBe('SEVA')
})
