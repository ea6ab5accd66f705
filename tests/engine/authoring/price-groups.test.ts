/** Event files with price groups: dates and prices in texts, changes to the file, and next year’s file. */
import { describe, expect, test } from 'vitest'
import {
  compareWithServedVersion,
  compileEvent,
  diffEvents,
  formatDiff,
  formatSimulation,
  readEvent,
  repeatEvent,
  simulatePrices,
  type UsageCounts,
} from '../../../engine/authoring.ts'
import { shared } from './goldens.ts'
import { createMarchFile, collectFindings, findLine } from './sample-file.ts'

const GROUP = `  price_groups:
    - label: Trade
      periods:
        - {id: early, label: Early Bird, to: 2026-08-31}
        - {id: middle, label: Autumn, from: 2026-09-01, to: 2026-11-30}
        - {id: desk, label: Last weeks, from: 2026-12-01}
      prices: {period: [early, middle, desk], visitor: [20000, 22000, 25000]}
`
/** The price changes after 30 October for members, and after 31 August and 30 November for trade visitors. */
const file = createMarchFile('{id: regular, label: Regular, from: 2026-10-31, to: 2027-03-16}')
  .replace('    visitor: [2000, 2500]\n', '')
  .replace('{id: visitor}', '{id: visitor, label: Trade visitor}')
  .replace('form:\n', `${GROUP}form:\n`)

const withPanel = (line: string): string =>
  file.replace('  summary:', `  panel: {lines: [${JSON.stringify(line)}]}\n  summary:`)

test('a file with a group has no findings', () => {
  expect(collectFindings(file)).toEqual([])
})

describe('a text that states a wrong date or price for a group', () => {
  test.each([
    ['Trade visitors: early bird until 30 October 2026', 'label: Early Bird, to: 2026-08-31'],
    ['Trade: early bird until 1 September', 'label: Early Bird, to: 2026-08-31'],
    ['Early bird for trade visitors until 30 September', 'label: Early Bird, to: 2026-08-31'],
    ['Trade registration at the autumn price from 31 October', 'id: middle'],
    ['Autumn price until 31 December 2026', 'id: middle'],
    ['Trade visitors should register by 30 October', 'id: middle'],
    ['Early bird until 15 September', 'label: Early Bird, to: 2026-08-31'],
    ['Members: early bird until 31 August', 'label: Early Bird, to: 2026-10-30'],
    ['Trade visitors pay ₹ 23,000 in autumn', 'prices: {period: [early, middle'],
  ])('%s', (line, at) => {
    const findings = collectFindings(withPanel(line))
    expect(findings.map(({ code }) => code)).toEqual([line.includes('₹') ? 'EV456' : 'EV604'])
    expect(findings[0]?.related[0]?.at.start.line).toBe(findLine(withPanel(line), at))
  })
  test('in the label of a period, of the group or of a category', () => {
    const fileWithPeriodLabel = file.replace('label: Autumn', 'label: Until 30 October')
    expect(collectFindings(fileWithPeriodLabel).map(({ message }) => message)).toEqual([
      'the text says 30 October, but period `middle` of `Trade` ends on 30 November 2026',
    ])
    const fileWithGroupLabel = file.replace(
      'label: Trade\n',
      'label: Trade (early bird until 30 October)\n',
    )
    expect(collectFindings(fileWithGroupLabel).map(({ code }) => code)).toEqual(['EV604'])
    const fileWithCategoryLabel = file.replace(
      'Trade visitor}',
      'Trade visitor (early bird till 30 October)}',
    )
    expect(collectFindings(fileWithCategoryLabel).map(({ code }) => code)).toEqual(['EV604'])
  })
})

test.each([
  'Trade visitors: early bird until 31 August 2026',
  'Trade visitors: early bird until 31 August, members until 30 October',
  'Early bird until 30 October (trade: 31 August)',
  'Early bird until 31 August for the trade',
  'Autumn price from 1 September to 30 November',
  'Trade visitors should register by 30 November',
  'Trade visitors pay ₹ 22,000 in autumn',
  'Trade visitors pay ₹ 25,000 from 1 December',
  'Members: early bird until 30 October',
  'Register by 31 August to save',
])('a text with the correct days of a group is not reported: %s', (line) => {
  expect(collectFindings(withPanel(line))).toEqual([])
})

test('repeat moves the dates of a group and the ids that contain dates, and marks the prices of the group as last year’s', () => {
  const datedFile = file
    .replaceAll('middle', 'sep-1-nov-30')
    .replace('label: Trade\n', 'label: Trade (early bird until 31 August 2026)\n')
  const repeat = (text: string) => {
    const oldEvent = readEvent(text, shared)
    if (oldEvent === null) throw new Error('the file cannot be read')
    const options = { id: 'sample2027', prefix: 'SMPM', weeks: 52, otherEvents: [oldEvent] }
    return repeatEvent(text, oldEvent, options)
  }
  const nextFile = repeat(datedFile)
  expect(nextFile.text).toContain('label: Trade (early bird until 30 August 2027)')
  expect(nextFile.text).toContain(
    '{id: aug-31-nov-29, label: Autumn, from: 2027-08-31, to: 2027-11-29}',
  )
  expect(nextFile.text).toContain('period: [early, aug-31-nov-29, desk]')
  expect(nextFile.changes).toContain(
    'Period sep-1-nov-30 is now aug-31-nov-29, to match its new dates.',
  )
  expect(readEvent(nextFile.text, shared)?.demo).toEqual([
    'fees.prices',
    'fees.price_groups',
    'payment.account',
  ])
  const compiled = compileEvent(nextFile.text, shared, { path: 'sample2027.yaml' })
  expect(compiled.findings.filter(({ severity }) => severity !== 'note')).toEqual([])
})

describe('a new version that removes a period used by stored registrations is reported', () => {
  const compileConfig = (text: string) => {
    const event = readEvent(text, shared)
    if (event === null) throw new Error('the file cannot be read')
    return event
  }
  const compare = (text: string, usageCounts: Partial<UsageCounts> = {}) =>
    compareWithServedVersion(
      compileConfig(text),
      { path: 'sample2026.yaml', text },
      compileConfig(file),
      {
        registrations: 7,
        pending: 0,
        fields: {},
        options: {},
        categories: { member: 3, visitor: 4 },
        items: {},
        places: {},
        codes: {},
        ...usageCounts,
      },
    ).map(({ code, message, at }) => `${code} line ${at.start.line}: ${message}`)
  const fileWithoutGroup = file
    .replace(GROUP, '')
    .replace(/(\n +)member: .*/, '$&$1visitor: [20000, 25000]')
  const fileWithMovedCategory = file
    .replace('  - {id: member}', '$&\n  - {id: guest, listed_only: true}')
    .replace(/(\n +)member: .*/, '$1guest: [500, 600]')
    .replace('visitor: [2', 'member: [1, 2, 3], visitor: [2')
  test('if a period of a group is renamed', () => {
    const text = file.replaceAll('middle', 'autumn')
    expect(compare(text)).toEqual([
      `EV1008 line ${findLine(text, '      periods:')}: the period \`middle\` of \`Trade\` was removed for \`visitor\`, but 4 registrations may have been quoted its prices`,
    ])
    expect(compare(text, { categories: { member: 3 } })).toEqual([])
  })
  test('if a group is removed', () => {
    expect(compare(fileWithoutGroup)).toEqual(
      ['middle', 'desk'].map(
        (id) =>
          `EV1008 line ${findLine(fileWithoutGroup, '  periods:')}: the period \`${id}\` of \`Trade\` was removed for \`visitor\`, but 4 registrations may have been quoted its prices`,
      ),
    )
  })
  test('if the category moves to a group', () => {
    expect(compare(fileWithMovedCategory)).toEqual([
      `EV1008 line ${findLine(fileWithMovedCategory, '      periods:')}: the period \`regular\` was removed for \`member\`, but 3 registrations may have been quoted its prices`,
    ])
  })
  test('but not if only days, prices or labels of a group change', () => {
    const text = file.replace('label: Trade\n', 'label: Exhibitors\n').replace('11-30', '11-29')
    expect(compare(text.replace('12-01', '11-30').replace('22000', '23000'))).toEqual([])
  })
})

test('an approval after the last day of a group is reported, although a period of the event has the same name', () => {
  const text = file
    .replace(
      '        - {id: is_member',
      '        - {id: letter, type: file, label: Letter, accept: [pdf], required: true}\n$&',
    )
    .replace('to: 2026-08-31}', 'to: 2027-03-13}')
    .replace(/\n.*id: middle.*\n.*id: desk.*/, '\n        - {id: desk, from: 2027-03-14}')
    .replace(
      '[early, middle, desk], visitor: [20000, 22000, 25000]',
      '[early, desk], visitor: [20000, none]',
    )
    .replace(
      'results:',
      'approval: [{id: check, when: {category: visitor}, documents: [letter], decide_within: 10 days, pay_within: 5 days}]\nresults:',
    )
  expect(collectFindings(text).map(({ code, message }) => `${code} ${message}`)).toEqual([
    'EV497 a delegate who registers on 7 March 2027 is approved by 17 March 2027, but the event ends on 16 March 2027',
  ])
})

test('simulate marks placeholder prices of a group', () => {
  const text = file.replace('format: 1\n', 'format: 1\ndemo: [fees.price_groups]\n')
  const event = readEvent(text, shared)
  if (event === null) throw new Error('the file cannot be read')
  const printed = formatSimulation(event, simulatePrices(event))
  expect(printed).toMatch(/Trade: early .*\(demo values\)/)
  expect(printed).not.toMatch(/^(?:early|regular) .*\(demo values\)/m)
})

describe('price checks include the table of the group', () => {
  const listCodes = (text: string) =>
    collectFindings(text).map(({ code, at }) => `${code} line ${at.start.line}`)
  const row = 'visitor: [20000, 22000, 25000]'
  const fileWithCostlierMembers = file
    .replace('  - {id: visitor', '  - {id: partner, label: Partner member, listed_only: true}\n$&')
    .replace('Trade visitor}', 'Partner non-member}')
    .replace(row, `partner: [30000, 32000, 35000], ${row}`)
  test.each<[string, string, string, string]>([
    [
      'a row that is never on sale',
      'EV453',
      file.replace(row, 'visitor: [none, none, none]'),
      'prices: {',
    ],
    ['a period called closed', 'EV213', file.replaceAll('middle', 'closed'), 'id: closed'],
    [
      'two periods with one label',
      'EV514',
      file.replace('label: Autumn', 'label: Early bird'),
      'id: middle',
    ],
    ['members who pay more', 'EV451', fileWithCostlierMembers, 'prices: {period: [early, middle'],
  ])('%s', (_name, code, text, at) => {
    expect(listCodes(text)).toEqual([`${code} line ${findLine(text, at)}`])
  })
  test('the finding for a failed example points to the cell and the period of the group', () => {
    const example =
      'examples: {cases: [{name: in autumn, on: 2026-09-10, category: visitor, expect: {period: desk, base: 23000}}]}\n'
    const [finding] = collectFindings(file + example).filter(({ code }) => code === 'EV901')
    expect(finding?.related.map(({ at }) => at.keyPath)).toEqual([
      'fees.price_groups.0.periods.2',
      'fees.price_groups.0.periods.1',
      'fees.price_groups.0.prices.visitor.1',
      'fees.price_groups.0.prices.period.1',
    ])
  })
  test('wrong keys and values in a group get the same help as in the event’s own periods', () => {
    const [periodFinding] = collectFindings(
      file.replace('[early, middle, desk]', '[early, Middle Price, desk]'),
    )
    expect(periodFinding?.help).toContain('middle-price')
    const [keyFinding] = collectFindings(
      file.replace('id: middle, label: Autumn, from:', 'id: middle, label: Autumn, starts:'),
    )
    expect(keyFinding?.help).toContain('from')
  })
})

describe('diff lists the changes in a group', () => {
  const formatChanges = (before: string, after: string) => {
    const [old, next] = [readEvent(before, shared), readEvent(after, shared)]
    if (old === null || next === null) throw new Error('the file cannot be read')
    return formatDiff(diffEvents(old, next)).replaceAll('\u00a0', ' ').split('\n')
  }
  const PERIODS =
    'early until 31 August 2026, middle 1 September – 30 November 2026, desk from 1 December 2026'
  const fileWithPressGroup = file.replace(
    'form:\n',
    '    - {label: Press, periods: [{id: always}], prices: {period: [always], press: [500]}}\nform:\n',
  )
  const fileWithPressCategory = fileWithPressGroup.replace(
    '  - {id: visitor',
    '  - {id: press, listed_only: true}\n$&',
  )
  const fileWithSharedPrices = file
    .replace(GROUP, '')
    .replace(/(\n +)member: .*/, '$&$1visitor: [20000, 25000]')
  const fileWithRenamedGroup = file.replace('label: Trade\n', 'label: Exhibitors\n')
  test.each<[string, string, string, readonly string[]]>([
    ['added', fileWithSharedPrices, file, [`price group Trade: nothing → visitor; ${PERIODS}`]],
    ['removed', file, fileWithSharedPrices, [`price group Trade: visitor; ${PERIODS} → nothing`]],
    [
      'a second group',
      file,
      fileWithPressCategory,
      ['price group Press: nothing → press; always on all days'],
    ],
    ['renamed', file, fileWithRenamedGroup, ['price group Trade, label: Trade → Exhibitors']],
    [
      'other dates',
      file,
      file.replace('to: 2026-11-30', 'to: 2026-12-14').replace('2026-12-01', '2026-12-15'),
      [
        `price group Trade, periods: ${PERIODS} → early until 31 August 2026, middle 1 September – 14 December 2026, desk from 15 December 2026`,
      ],
    ],
    [
      'a new label of a period',
      file,
      file.replace('label: Autumn', 'label: Second rate'),
      ['price group Trade, label of period middle: Autumn → Second rate'],
    ],
    [
      'other categories',
      fileWithPressCategory
        .replace(/ +- \{label: Press.*\n/, '')
        .replace('visitor: [20', 'press: [1, 2, 3], visitor: [20'),
      file,
      ['price group Trade, categories: press, visitor → visitor'],
    ],
  ])('%s', (_name, before, after, expected) => {
    const lines = formatChanges(before, after).map((line) => line.trim())
    expect(lines.filter((line) => line.startsWith('price group'))).toEqual(expected)
    expect(lines.filter((line) => line.includes('price_groups'))).toEqual([])
  })
  test('diff states the days on which the price of a category differs', () => {
    const fileWithLaterPeriod = file
      .replace('to: 2026-11-30', 'to: 2026-12-14')
      .replace('2026-12-01', '2026-12-15')
    expect(formatChanges(file, fileWithLaterPeriod)).toContain(
      '  1–14 December 2026  visitor  ₹ 29,500 → ₹ 25,960  ▼ ₹ 3,540',
    )
  })
})
