/** Mistyped prices, category names and amounts in texts, and correct values that look like mistakes. */
import { describe, expect, test } from 'vitest'
import { compileEvent, writeMissingExamples } from '../../../engine/authoring.ts'
import { sampleFile, readGolden, shared } from './goldens.ts'
import { addField, collectFindings, findLine, listFindings } from './sample-file.ts'

type Row = readonly [id: string, label: string, prices: string]
const MEMBER = '        - {id: is_member, type: yes-no, label: Member, default: false}\n'
const ROLE =
  '        - {id: role, type: select, label: You are, options: [consultant, pg, student, faculty], required: true}\n'
const CHOICE =
  '        - {id: kind, type: select, label: Category, options: categories, required: true}\n'

/** Returns the base file with other categories. Delegates choose their category in the form unless there are rules. */
function withRows(rows: readonly Row[], rules: readonly string[] = []): string {
  const categories = rows.map(([id, label]) =>
    label === '' ? `  - {id: ${id}}` : `  - {id: ${id}, label: ${JSON.stringify(label)}}`,
  )
  const choice =
    rules.length === 0
      ? '{chosen_in: kind}'
      : `\n  rules:\n${rules.map((rule) => `    - ${rule}`).join('\n')}`
  return sampleFile
    .replace(
      /categories:\n[^]*?fees:/,
      `categories:\n${categories.join('\n')}\ncategory: ${choice}\nfees:`,
    )
    .replace(
      / {4}member: {2}\[.*\n {4}visitor: .*\n/,
      rows.map(([id, , prices]) => `    ${id}: [${prices}]\n`).join(''),
    )
    .replace(MEMBER, `${rules.length === 0 ? CHOICE : ROLE}${MEMBER}`)
}
const withPanel = (line: string, text = sampleFile): string =>
  text.replace('  summary:', `  panel: {lines: [${JSON.stringify(line)}]}\n  summary:`)

function expectFindingAt(text: string, code: string, part: string): void {
  const codeFindings = collectFindings(text).filter((finding) => finding.code === code)
  expect(codeFindings.map(({ at }) => at.start.line)).toContain(findLine(text, part))
  for (const { help } of codeFindings) expect(help ?? '').toMatch(/\b(?:write|remove)\b/)
}

describe('a row that should be cheaper but is more expensive is reported', () => {
  test.each<[string, Row, Row] | [string, Row, Row, Row]>([
    ['member', ['member', '', '2000, 2500'], ['non-member', '', '1000, 1500']],
    ['member', ['member', 'Society Member', '2000, 2500'], ['non-member', '', '1000, 1500']],
    ['member', ['member', 'Member', '2000, 2500'], ['others', 'Others', '1000, 1500']],
    ['a', ['a', 'Members of ASI', '2000, 2500'], ['b', 'Non Member', '1000, 1500']],
    ['a', ['a', 'ASI Member', '2000, 2500'], ['b', 'Non-ASI Member', '1000, 1500']],
    ['a', ['a', 'ASI Members', '2000, 2500'], ['b', 'Non ASI', '1000, 1500']],
    ['a', ['a', 'IMA member', '1000, 2600'], ['b', 'Non-IMA', '2000, 2500']],
    ['afpi-pg', ['afpi-pg', '', '900, 900'], ['non-afpi-pg', '', '800, 800']],
    [
      'a',
      ['a', 'AFPI Member – GP / Specialist', '900, 950'],
      ['b', 'Non-AFPI – GP / Specialist', '800, 950'],
    ],
    ['a', ['a', 'Life Member', '2000, 2500'], ['b', 'Non-life member', '1000, 1500']],
    ['a', ['a', 'Post Graduate (ASI)', '900, 900'], ['b', 'Post Graduate (Non-ASI)', '800, 800']],
    ['a', ['a', 'PG', '2000, 2500'], ['b', 'Consultant', '1000, 1500']],
    ['a', ['a', 'PG Trainee', '2000, 2500'], ['b', 'Specialist', '1000, 1500']],
    ['a', ['a', 'Post-graduate student', '2000, 2500'], ['b', 'Faculty delegate', '1000, 1500']],
    ['a', ['a', 'Resident', '2000, 2500'], ['b', 'Consultant', '1000, 1500']],
    ['a', ['a', 'Junior Resident', '2000, 2500'], ['b', 'Delegate', '1000, 1500']],
    ['a', ['a', 'Intern', '2000, 2500'], ['b', 'Delegate', '1000, 1500']],
    ['a', ['a', 'Interns', '2000, 2500'], ['b', 'Specialists', '1000, 1500']],
    ['a', ['a', 'Student', '2000, 2500'], ['b', 'Faculty', '1000, 1500']],
    ['a', ['a', 'MBBS Student', '2000, 2500'], ['b', 'General Practitioner', '1000, 1500']],
    ['a', ['a', 'Student', '900, 950'], ['b', 'PG', '800, 850']],
    ['a', ['a', 'House surgeon', '900, 950'], ['b', 'Post graduate', '800, 850']],
    ['pg-students', ['pg-students', '', '900, 950'], ['consultants', '', '800, 850']],
    [
      'a',
      ['a', 'Trainee', '2000, 2500'],
      ['b', 'Member', '1000, 1500'],
      ['c', 'Non-member', '1500, 2000'],
    ],
    ['a', ['a', 'UG student member', '2000, 2500'], ['b', 'Member', '1000, 1500']],
    ['a', ['a', 'Accompanying person', '2000, 2500'], ['b', 'Delegate', '1000, 1500']],
    [
      'a',
      ['a', 'Spouse', '2000, 2500'],
      ['b', 'Member', '1000, 1500'],
      ['c', 'Non-member', '1500, 2000'],
    ],
    ['a', ['a', 'Senior citizen', '2000, 2500'], ['b', 'Delegate', '1000, 1500']],
    ['a', ['a', 'Delegate above 70 years', '2000, 2500'], ['b', 'Delegate', '1000, 1500']],
    ['a', ['a', 'Senior citizen member', '2000, 2500'], ['b', 'Member', '1000, 1500']],
  ])('%s: %j, %j', (expectedId, firstRow, secondRow, thirdRow?: Row) => {
    const rows = [firstRow, secondRow, ...(thirdRow === undefined ? [] : [thirdRow])]
    expectFindingAt(withRows(rows), 'EV451', `    ${expectedId}: [`)
  })

  test('for members according to the rules, whatever the other category’s label', () => {
    const rows: Row[] = [
      ['member', '', '2000, 2500'],
      ['visitor', '', '1000, 1500'],
    ]
    expectFindingAt(
      withRows(rows, ['{when: {is_member: true}, then: member}', '{otherwise: visitor}']).replace(
        ROLE,
        '',
      ),
      'EV451',
      '    member: [',
    )
  })
})

describe('swapped rules and labels are reported', () => {
  const rows: readonly Row[] = [
    ['member', 'Member', '1000, 1500'],
    ['non-member', 'Non-member', '2000, 2500'],
    ['pg', 'Post Graduate', '500, 600'],
    ['faculty', 'Faculty', '2000, 2500'],
  ]
  const otherRows = [
    '{when: {role: faculty, is_member: false}, then: faculty}',
    '{when: {is_member: true}, then: member}',
    '{otherwise: non-member}',
  ]
  test.each([
    '{when: {role: student, is_member: true}, then: non-member}',
    '{when: {role: student, is_member: false}, then: member}',
    '{when: {role: pg}, then: faculty}',
    '{when: {role: [pg, student]}, then: faculty}',
    '{when: {role: consultant}, then: pg}',
    '{when: {role: [consultant, faculty]}, then: pg}',
    '{when: [{role: pg}, {role: student}], then: faculty}',
    '{when: {role: {not: [pg, student]}}, then: pg}',
    '{when: {is_member: true, role: pg}, then: non-member}',
  ])('%s', (rule) => {
    const otherCategory = rule.includes('then: pg')
      ? []
      : ['{when: {role: pg, is_member: false}, then: pg}', '{when: {role: pg}, then: pg}']
    const text = withRows(rows, [
      rule,
      ...otherCategory.slice(0, rule.includes('role: pg') ? 1 : 2),
      ...otherRows,
    ])
    expect(
      listFindings(text)
        .filter((finding) => finding.startsWith('EV321'))
        .map((finding) => finding.split(':')[0]),
    ).toContain(`EV321 line ${findLine(text, rule)}`)
  })
  test.each<Row>([
    ['asi-member', 'Non-ASI Member', '1000, 1500'],
    ['non-member', 'Member', '1000, 1500'],
    ['pg', 'Consultant', '1000, 1500'],
    ['consultant', 'PG Student', '1000, 1500'],
    ['faculty', 'Intern', '1000, 1500'],
    ['member', 'Non Members', '1000, 1500'],
  ])('%s has the label “%s”', (...row) => {
    expectFindingAt(
      withRows([row, ['x', 'Guest of honour', '5000, 5500']]),
      'EV452',
      `{id: ${row[0]},`,
    )
  })
})

describe('a later period is cheaper', () => {
  test.each([
    [
      'one row',
      sampleFile.replace('[1000, 1500]', '[1500, 1000]'),
      '    member:',
      'under the earlier period',
    ],
    [
      'swapped column names',
      sampleFile.replace('[early, late]', '[late, early]'),
      '    member:',
      'every price falls in `late`',
    ],
    [
      'all rows',
      sampleFile.replace('[1000, 1500]', '[1500, 1000]').replace('[2000, 2500]', '[2500, 2000]'),
      '    visitor:',
      'every price falls in `late`',
    ],
  ])('%s', (_what, text, part, help) => {
    const findings = collectFindings(text).filter(
      ({ at }) => at.start.line === findLine(text, part),
    )
    expect(findings.map(({ code }) => code)).toEqual(['EV412'])
    expect(findings[0]?.help).toContain(help)
  })
})

describe('amounts that are never paid or charged', () => {
  test.each([
    [
      '`none` in every cell',
      sampleFile.replace('[1000, 1500]', '[none, none]'),
      'EV453',
      '    member:',
    ],
    [
      'no payment, and prices above zero',
      sampleFile.replace(/payment: .*/, 'payment: none'),
      'EV454',
      'payment: none',
    ],
    [
      'no payment, and one price above zero',
      sampleFile.replace(/payment: .*/, 'payment: none').replace('[2000, 2500]', '[free, free]'),
      'EV454',
      'payment: none',
    ],
  ] as const)('%s', (_what, text, code, part) => {
    expectFindingAt(text, code, part)
  })
  test.each([
    'id: dinner, type: yes-no, label: "Gala dinner (Rs. 1,750)", default: false',
    'id: dinner, type: yes-no, label: "Banquet ₹750", default: false',
    'id: dinner, type: yes-no, label: "Banquet: INR 750", default: false',
    'id: dinner, type: yes-no, label: "Banquet 750/-", default: false',
    'id: dinner, type: yes-no, label: Banquet (750 extra), default: false',
    'id: dinner, type: yes-no, label: Banquet @ 750, default: false',
    'id: dinner, type: yes-no, label: Banquet (+750), default: false',
    'id: dinner, type: yes-no, label: Banquet, hint: Rs 750 per person, default: false',
    'id: dinner, type: yes-no, label: "Banquet, rupees 750", default: false',
    'id: shop, type: select, label: Workshop, options: [nothing, "Airway, Rs. 500"]',
    'id: shop, type: select, label: Workshop, options: [{id: a, label: "Airway (₹ 500)"}, b]',
    'id: shop, type: select, label: Hotel room, options: [nothing, "Single (Rs 4,400)"]',
    'id: spouses, type: number, label: "Accompanying persons (Rs. 1,250 each)"',
    'id: kit, type: select, label: Kit, options: [none, "Bag 300 only"]',
    'id: shirt, type: yes-no, label: "T-shirt Rs.350/-", default: false',
  ])('in the form, an amount that is never charged is reported: %s', (line) => {
    expectFindingAt(addField(line), 'EV455', line)
  })
  test.each([
    'Registration fee: Rs. 1,100',
    'Registration costs ₹ 7500',
    'Spot registration 3000/-',
    'Fees from Rs 900 only',
    'Pay Rs. 100 more for the certificate',
    'Accompanying persons: INR 1,250',
    'Gala dinner: Rs 1750 per head',
  ])('in a panel: %s', (line) => {
    expectFindingAt(withPanel(line), 'EV455', '  panel:')
  })
  test.each([
    'Members: Rs. 1,200',
    'Member ₹ 1100 until 31 January',
    'Visitors pay Rs 2,200/-',
    'Visitor – Rs. 1500',
    'Early: member Rs. 1500',
    'Late fee of members is Rs. 1800, of visitors Rs. 2500'.replace(
      'Late fee of members',
      'Members',
    ),
    'Fees for members INR 1750',
  ])('an amount that differs from the price table is reported: %s', (line) => {
    expectFindingAt(withPanel(line), 'EV456', '  panel:')
  })
  test.each([
    ['label: "Member (Rs. 1,200)"', 'EV456'],
    ['about: Rs 900 for members', 'EV456'],
  ] as const)('at the category: %s', (extraLine, code) => {
    expectFindingAt(
      sampleFile.replace('{id: member}', `{id: member, ${extraLine}}`),
      code,
      '{id: member,',
    )
  })
})

describe('correct tables', () => {
  test.each<readonly Row[]>([
    [
      ['member', '', '1000, 1500'],
      ['non-member', '', '2000, 2500'],
    ],
    [
      ['a', 'Member', '1000, 1500'],
      ['b', 'Non-member', '1000, 1500'],
    ],
    [
      ['a', 'Residential delegate', '9000, 9500'],
      ['b', 'Non-residential delegate', '3000, 3500'],
    ],
    [
      ['a', 'Residential student', '9000, 9500'],
      ['b', 'Non-residential delegate', '3000, 3500'],
    ],
    [
      ['a', 'Member with workshop', '5000, 5500'],
      ['b', 'Non-member', '3000, 3500'],
    ],
    [
      ['a', 'PG, three days', '5000, 5500'],
      ['b', 'Consultant, one day', '3000, 3500'],
    ],
    [
      ['a', 'PG (non-member)', '3500, 4000'],
      ['b', 'Consultant (member)', '3000, 3500'],
    ],
    [
      ['a', 'PG', '3500, 4000'],
      ['b', 'Member', '3000, 3500'],
      ['c', 'Non-member', '5000, 5500'],
    ],
    [
      ['a', 'Foreign delegate', '8000, 9000'],
      ['b', 'Indian delegate', '3000, 3500'],
    ],
    [
      ['a', 'Foreign student', '5000, 5500'],
      ['b', 'Indian delegate', '3000, 3500'],
    ],
    [
      ['a', 'Accompanying couple', '3500, 4000'],
      ['b', 'Delegate', '3000, 3500'],
      ['c', 'Faculty', '5000, 5500'],
    ],
    [
      ['a', 'Senior consultant', '5000, 5500'],
      ['b', 'Consultant', '3000, 3500'],
    ],
    [
      ['a', 'Organising committee member', '3000, 3500'],
      ['b', 'Non-member', '2000, 2500'],
    ],
    [
      ['a', 'Professor emeritus', 'free, free'],
      ['b', 'PG', '1000, 1500'],
    ],
    [
      ['a', 'Visitor', '500, 500'],
      ['b', 'Member', '1000, 1500'],
    ],
    [
      ['a', 'Nurse', '1500, 1500'],
      ['b', 'Technician', '1000, 1500'],
    ],
    [
      ['a', 'Intern / MBBS Student / Accompanying Person', '500, 600'],
      ['b', 'Specialist', '1000, 1500'],
    ],
    [
      ['a', 'Member', 'none, 1500'],
      ['b', 'Non-member', '1200, none'],
    ],
  ])('%j %j', (...rows) => {
    expect(listFindings(withRows(rows))).toEqual([])
  })
  test.each([
    'Members Rs. 1,000 until January, Rs. 1,500 after that',
    'Member ₹ 1,180 including GST',
    'Fees: Rs. 1000 (member), Rs. 2000 (visitor)',
    'Rs. 1000 to Rs. 2500, by category and date',
    'Hotel rooms from Rs. 4,000 a night',
    'Best poster: a prize of Rs. 5,000',
    'Rs. 300 will be deducted on cancellation',
    'Kit worth Rs. 2,000 for everyone',
    'Save Rs. 500 before January',
    'Gala dinner Rs. 1,750, payable at the venue',
    'Bank charges of Rs. 30 are borne by the delegate',
    'Stalls from Rs. 50,000',
    'Travel grants of Rs. 3,000 for ten students',
    '1500 delegates are expected',
    'Hall 5, seats 1200',
    'Since 1985',
    'Write before 31 January 2026',
    'Call 0484 2345678',
  ])('a panel: %s', (line) => {
    expect(listFindings(withPanel(line)).filter((finding) => /EV45[56]/.test(finding))).toEqual([])
  })
  test.each([
    'id: income, type: select, label: Yearly income, options: ["below Rs. 5,00,000", "above Rs. 5,00,000"]',
    'id: dinner, type: yes-no, label: "Gala dinner (Rs. 1,750, payable at the venue)", default: false',
    'id: utr, label: Amount paid and UTR number, hint: such as Rs. 1180',
    'id: pay, type: select, label: I pay, options: ["Rs. 1,000", "Rs. 1,500"]',
    'id: year, type: number, label: Year of passing (1950 to 2026)',
  ])('the form: %s', (line) => {
    expect(listFindings(addField(line))).toEqual([])
  })
  test('a free event has no findings', () => {
    const freeFile = sampleFile
      .replace(/payment: .*/, 'payment: none')
      .replace('[1000, 1500]', '[free, free]')
      .replace('[2000, 2500]', '[free, free]')
    expect(listFindings(freeFile)).toEqual([])
  })
})

/** Returns the base file with an additional item and the fields that the item uses. */
const withItem = (item: string, ...fields: readonly string[]): string =>
  fields
    .reduce(
      (text, fieldText) => text.replace('  summary:', `        - {${fieldText}}\n  summary:`),
      sampleFile,
    )
    .replace('form:\n', `  items:\n    - {${item}}\nform:\n`)
const EACH_100 = 'prices: {period: [early, late], each: [100, 200]}'
const DINNER = 'id: dinner, type: yes-no, label: Dinner, default: false'
const ROOM =
  'id: room, type: select, label: Room, options: [none-needed, twin], show_when: {is_member: true}, required: true'

describe('an item that is charged while its field is hidden', () => {
  test.each([
    ['a condition with not', `when: {room: {not: none-needed}}, ${EACH_100}`, ['EV473']],
    [
      'a condition with not, next to a condition for one option',
      `when: [{room: twin}, {room: {not: none-needed}}], ${EACH_100}`,
      ['EV473'],
    ],
    ['a condition for the intended option', `when: {room: twin}, ${EACH_100}`, []],
    [
      'a condition that explicitly includes delegates who do not see the field',
      `when: [{room: {not: none-needed}}, {room: {answered: false}}], ${EACH_100}`,
      [],
    ],
    [
      'a condition on a second field',
      `when: {dinner: true, room: {not: none-needed}}, ${EACH_100}`,
      [],
    ],
    [
      'an item that an option selects',
      'by: room, when: {room: {not: none-needed}}, prices: {period: [early, late], twin: [100, 200]}',
      [],
    ],
    [
      'an item that costs nothing',
      'when: {room: {not: none-needed}}, prices: {period: [early, late], each: [free, free]}',
      [],
    ],
  ])('%s', (_name, item, codes) => {
    const findings = listFindings(withItem(`id: shuttle, ${item}`, DINNER, ROOM))
    expect(findings.map((finding) => finding.slice(0, 5))).toEqual(codes)
  })
})

describe('an item’s price that cannot be charged', () => {
  test.each([
    ['a row that the condition excludes', 'twin: [100, 200], none-needed: [50, 60]', ['EV474']],
    ['a row for a free option', 'twin: [100, 200], none-needed: [free, free]', []],
    ['a row that is not on sale', 'twin: [100, 200], none-needed: [none, none]', []],
  ])('%s', (_name, rows, codes) => {
    const rowFindings = listFindings(
      withItem(
        `id: room, by: room, when: {room: twin}, prices: {period: [early, late], ${rows}}`,
        ROOM,
      ),
    )
    expect(rowFindings.map((finding) => finding.slice(0, 5))).toEqual(codes)
  })
  test('a digit missing in the middle of a row is reported once, at that price', () => {
    const text = withItem(
      'id: kit, prices: {period: [early, late], each: [500, 50]}',
      ROOM,
    ).replaceAll(
      /- \{id: late, from: 2026-02-01\}|\[early, late\]|\[1000, 1500\]|\[2000, 2500\]|\[500, 50\]/g,
      (found) =>
        found.startsWith('-')
          ? '- {id: late, from: 2026-02-01, to: 2026-02-28}\n    - {id: spot, from: 2026-03-01}'
          : found.replace(/late\]|1500\]|2500\]|50\]$/, (last) =>
              last === 'late]'
                ? 'late, spot]'
                : `${last.slice(0, -1)}, ${found === '[500, 50]' ? 500 : 3000}]`,
            ),
    )
    expect(listFindings(text).map((finding) => finding.slice(0, 5))).toEqual(['EV412'])
  })
})

describe('the label of an adjustment contradicts its effect', () => {
  test.each([
    ['Alumni discount', 'amount: -500', []],
    ['Alumni discount', 'amount: 500', ['EV475']],
    ['Late fee', 'amount: 500', []],
    ['Late fee', 'percent: -5', ['EV475']],
    ['Kick-off evening', 'amount: 500', []],
    ['Scholars', 'amount: 500', []],
  ])('%s, %s', (label, adjustmentValue, codes) => {
    const text = sampleFile.replace(
      'form:\n',
      `  adjustments:\n    - {id: one, label: ${label}, ${adjustmentValue}, when: {is_member: true}}\nform:\n`,
    )
    expect(listFindings(text).map((finding) => finding.slice(0, 5))).toEqual(codes)
  })
})

describe('a surcharge in a text', () => {
  const surchargeFile = sampleFile.replace(
    'form:\n',
    '  adjustments: [{id: late-fee, label: Surcharge, from: 2026-02-15, on: registration, amount: 500}]\nform:\n',
  )
  test.each([
    'A late fee of Rs. 750 applies from 15 February',
    'Surcharge: Rs. 750 from 15 February',
    'From 15 February a surcharge of 750/-',
  ])('a text with a different amount is reported: %s', (line) => {
    expect(listFindings(withPanel(line, surchargeFile)).join('\n')).toMatch(
      /^EV456 line \d+: the text says ₹.750, but `late-fee` is 500$/,
    )
  })
  test.each([
    'A late fee of Rs. 500 applies from 15 February',
    'A late fee of Rs. 590 with GST',
    'Late fee: Rs. 1,500 for members',
    'A late fee is charged by the hotel: Rs. 750',
    'Rs. 750 late fee of the library',
  ])('is not reported: %s', (line) => {
    expect(listFindings(withPanel(line, surchargeFile))).toEqual([])
  })
})

describe('the age from which companions are charged', () => {
  const buildCompanionFile = (hint: string, condition = '{at_least: 5}'): string =>
    addField(
      `id: companions, type: people, label: Companions, hint: ${JSON.stringify(hint)}, max: 4, fields: [{id: name, label: Name, required: true}, {id: age, type: number, label: Age, min: 0, max: 99, required: true}]`,
    ).replace(
      'form:\n',
      `  items:\n    - {id: companion, label: Companion, count: {companions: {age: ${condition}}}, prices: {period: [early, late], each: [500, 600]}}\nform:\n`,
    )
  test.each([
    ['Children under 12 come free', '{at_least: 5}'],
    ['Kids below the age of 10 are free', '{above: 4}'],
    ['No charge for children up to 8 years', '{at_least: 5}'],
  ])('differs: %s', (hint, condition) => {
    expect(listFindings(buildCompanionFile(hint, condition)).join('\n')).toMatch(
      /^EV626 line \d+: the text says .* `companion` is charged from the age of 5$/,
    )
  })
  test.each([
    ['Children under 5 come free', '{at_least: 5}'],
    ['Children under 5 come free', '{above: 4}'],
    ['Children up to 4 come free', '{at_least: 5}'],
    ['Children up to 5 are not charged', '{at_least: 5}'],
    ['Children under 12 need an adult beside them', '{at_least: 5}'],
    ['Children under 12 eat free at the dinner', '{at_least: 5}'],
    ['Children under 3 months free of worry', '{at_least: 5}'],
  ])('a text that agrees with the condition is not reported: %s, charged %s', (hint, condition) => {
    expect(listFindings(buildCompanionFile(hint, condition))).toEqual([])
  })
})

test('a conference named Euro 2026 is not read as an amount of € 2,026', () => {
  const listAmountsInEuros = (text: string, title = 'Sample 2026'): readonly string[] =>
    listFindings(
      withPanel(text, sampleFile)
        .replace('event:\n', 'currency: EUR\nevent:\n')
        .replace('title: Sample 2026', `title: ${title}`),
    ).filter((code) => code.startsWith('EV455'))
  expect(listAmountsInEuros('Welcome to Euro 2026')).toEqual([])
  expect(listAmountsInEuros('Welcome to EUR 2030', 'EUR 2030')).toEqual([])
  expect(listAmountsInEuros('Gala dinner: Euro 75').length).toBe(1)
  expect(listAmountsInEuros('Gala dinner: Euro 2027').length).toBe(1)
})

test('“the fee of 2022” is not read as an amount of ₹ 2,022', () => {
  const listAmountFindings = (text: string): readonly string[] =>
    listFindings(withPanel(text, sampleFile))
  expect(listAmountFindings('Members pay the fee of 2022')).toEqual([])
  expect(listAmountFindings('Registration fee of 2025: see last year’s page')).toEqual([])
  expect(listAmountFindings('Member fee 2025 still applies')).toEqual([])
  expect(listAmountFindings('The 2025 fee still applies, for 2025 only')).toEqual([])
  expect(listAmountFindings('A registration fee of 2222 for members').length).toBe(1)
})

test('the note about prices without an example can be resolved by adding the generated examples', () => {
  const text = readGolden('EV902.yaml')
  const compile = (file: string) => compileEvent(file, shared, { path: 'sample2026.yaml' })
  const { event } = compile(text)
  const lines = event === null ? [] : writeMissingExamples(event)
  expect(lines[0]).toBe(
    '- {name: member in late, on: 2026-02-01, category: member, expect: {period: late, total: 1770}}',
  )
  const fileWithExamples = text.replace(
    '\nresults:',
    `\n${lines.map((line) => `    ${line}`).join('\n')}\nresults:`,
  )
  const listAllCodes = (file: string) => compile(file).findings.map(({ code }) => code)
  expect([lines.length, listAllCodes(fileWithExamples)]).toEqual([3, []])
  expect(
    listAllCodes(fileWithExamples.replace('visitor: [2000, 2500]', 'visitor: [2000, 2600]')),
  ).toEqual(['EV901'])
})

test('an example that states only the price of the registration does not count as an example for an item’s price', () => {
  const buildText = (lines: string): string =>
    `${withItem('id: kit, label: Kit, prices: {period: [early, late], each: [500, 600]}')}examples:
  delegate: {full_name: Asha, email: a@example.org, phone_number: "9876543210"}
  cases:
    - {name: a member, on: 2026-01-10, given: {is_member: true}, expect: {lines: {${lines}}}}
`
  const describeUntested = (text: string): string | undefined =>
    compileEvent(text, shared, { path: 'sample2026.yaml' })
      .findings.find(({ code }) => code === 'EV902')
      ?.notes.find((note) => note.startsWith('kit:'))
  expect(describeUntested(buildText('registration: 1180'))).toBe('kit: 2 of 2 cells')
  expect(describeUntested(buildText('registration: 1180, kit: 590'))).toBe('kit: 1 of 2 cells')
})
