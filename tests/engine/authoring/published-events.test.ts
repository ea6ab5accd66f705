/** The complete event files in tests/events, most of which are based on published conference pages. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildSeatRows, listEditableFields, startOfDay } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { compileEvents } from '../../../engine/authoring.ts'
import { readSource, sharedFiles } from '../event-files.ts'

const FOLDER = 'tests/events'
const sources = readdirSync(join(import.meta.dirname, '..', '..', '..', FOLDER)).map((name) =>
  readSource(`${FOLDER}/${name}`),
)
const readEventText = (id: string): string =>
  sources.find(({ path }) => path === `${FOLDER}/${id}.yaml`)?.text ?? ''

/** Returns the findings of a file with one change. */
function listFindings(id: string, from: string, to: string): readonly string[] {
  const text = readEventText(id)
  expect(text).toContain(from)
  const { files } = compileEvents(
    [{ path: `${id}.yaml`, text: text.replaceAll(from, to) }],
    sharedFiles,
  )
  return files.flatMap(({ findings }) => findings.map(({ code, message }) => `${code} ${message}`))
}

const hasStatedPrice = (example: EventConfig['examples'][number]): boolean =>
  'answers' in example && (example.expect.total !== undefined || 'lines' in example.expect)

const { files } = compileEvents(sources, sharedFiles)

describe('the complete event files', () => {
  test('have no findings, whether checked alone or together, except for notes about two older files', () => {
    expect(
      files.flatMap(({ event, findings }) =>
        findings.map(({ code, severity }) => `${event?.id} ${severity} ${code}`),
      ),
    ).toEqual(['nidancon2027 note EV416', 'nidancon2027 note EV468', 'nilarun2027 note EV416'])
  })

  test('state at least six prices each', () => {
    for (const { event } of files)
      if (event?.id !== 'soiltalk2027')
        expect(event?.examples.filter(hasStatedPrice).length, event?.id).toBeGreaterThanOrEqual(6)
  })
})

test('the event files shipped with Rollcall have a refund scale and let delegates correct their names', () => {
  const shippedEvents = compileEvents(
    ['afpicon2026', 'chirurgia2026', 'midzone2025'].map((id) => readSource(`events/${id}.yaml`)),
    sharedFiles,
  )
  for (const { event } of shippedEvents.files) {
    if (event === null) throw new Error('a shipped event cannot be read')
    const editable = listEditableFields(event, startOfDay(event.edit?.until ?? event.to))
    expect(editable.map(({ id }) => id)).toEqual(expect.arrayContaining(['full_name']))
    expect(event.cancellation?.steps.length, event.id).toBeGreaterThan(0)
  }
})

describe('problems found by authors who wrote files for published events', () => {
  test('rooms that are not on sale in the last period are reported only if other rooms are still on sale', () => {
    expect(
      listFindings('ghatmeet2027', 'single: [6500, 7200, none]', 'single: [6500, 7200, 7200]'),
    ).toContainEqual('EV464 `twin` or `family` is not on sale for any delegate in `sold-off`')
  })

  test('if prices differ for ages 5 to 11 and from 12, the hint can state any of these ages', () => {
    expect(
      listFindings('ghatmeet2027', 'at_least: 5, at_most: 11', 'at_least: 12, at_most: 17'),
    ).toContainEqual('EV626 the text says below 5, but `companion` is charged from the age of 12')
  })

  test('a condition can refer to a quota whose id has a hyphen', () => {
    expect(
      listFindings(
        'malnadchapter2027',
        '    - {otherwise: member}',
        '    - {when: {full.workshop-seats: true}, then: member}\n    - {otherwise: non-member}',
      ).filter((finding) => /^EV1|^EV207/.test(finding)),
    ).toEqual([])
  })

  test('a wrong last day for the trainees’ early rate is reported in a panel and in a category’s description', () => {
    const finding =
      'EV604 the text says 30 June 2027, but period `early` of `Postgraduate trainees` ends on 31 August 2027'
    expect(
      ['Postgraduate trainees: early rate until ', 'about: "Early rate until '].map((text) =>
        listFindings('sangamcon2027', `${text}31 August 2027`, `${text}30 June 2027`),
      ),
    ).toEqual([[finding], [finding]])
  })

  test('an approval without a condition applies to every registration', () => {
    const { event } = files.find((file) => file.event?.id === 'swarafellow2027') ?? {}
    expect(event?.approvals.map(({ id }) => id)).toEqual(['government-service', 'application'])
  })

  test('a course of six months can be allowed; a course of more than 300 days is reported as a wrong year', () => {
    expect(
      listFindings(
        'swarafellow2027',
        '  - {code: EV435, because: The course lasts six months.}',
        '  - {code: EV416, because: None.}',
      ),
    ).toContainEqual('EV435 the event lasts 174 days; is a month wrong?')
    expect(listFindings('swarafellow2027', 'to: 2028-02-26', 'to: 2028-09-07')).toContainEqual(
      'EV419 the event would last more than 300 days',
    )
  })
})

test('the sales report shows the label of the only item of a quota, not the id of the quota', () => {
  const listQuotaLabels = (id: string) => {
    const event = files.find((file) => file.event?.id === id)?.event
    return event == null ? [] : buildSeatRows(event, []).map(({ label }) => label)
  }
  expect(listQuotaLabels('sangamcon2027')).toEqual(['Congress dinner'])
  // A label that contains an answer differs from line to line, and a hall is not sold as an item.
  expect(listQuotaLabels('tarangfest2027')).toContain('Bed')
  expect(listQuotaLabels('nidancon2027')).toContain('Hall')
})
