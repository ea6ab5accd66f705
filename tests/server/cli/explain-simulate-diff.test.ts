/** The output of the commands `explain`, `simulate` and `diff`. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { normaliseSpaces, createCommandFolder, top } from './cli.ts'

/** Returns the path of an event file that sells items in addition to the registration. */
const getItemEventPath = (id: string): string => join(top, 'tests', 'events', `${id}.yaml`)
const folder = createCommandFolder()
afterAll(() => folder.remove())

describe('explain', () => {
  test('an unknown field, option or event gets a suggestion', async () => {
    const { stdout } = await folder.rollcall([
      'event',
      'explain',
      'chirurgia2026',
      'asi_membr=true',
      'designation=gp',
      'asi_member=y',
      'hospitl=Amala',
      'food_preference=Vegetarian',
      '--on',
      '2025-12-01',
    ])
    expect(stdout).toContain('asi_membr dropped: there is no such field; did you mean asi_member?')
    expect(stdout).toContain('hospitl dropped: there is no such field; did you mean hospital?')
    expect(stdout).toContain('designation: "gp" is not one of its options; did you mean pg?')
    expect(stdout).toContain('asi_member: "y" is neither true nor false; did you mean true?')
    expect(stdout).toContain(
      'food_preference: "Vegetarian" is not one of its options; did you mean vegetarian?',
    )
    for (const [name, suggestion] of [
      ['chirurgia', 'chirurgia2026'],
      ['chirurgia2025', 'chirurgia2026'],
      ['midzoen2025', 'midzone2025'],
      ['events/pulmo.yaml', 'pulmocon2025'],
    ] as const)
      expect(await folder.rollcall(['event', 'explain', name])).toEqual({
        status: 2,
        stdout: '',
        stderr: `The file ${name} cannot be read. Did you mean ${suggestion}?\n`,
      })
    expect((await folder.rollcall(['event', 'explain', 'zzz'])).stderr).toContain(
      'The folder “events” contains these events: afpicon2026,',
    )
  })

  test('prints the parsed answers, the checked rules, the price cell with its line, and the tax', async () => {
    const givenAnswers =
      '{"designation":"PG","asi_member":"false","asi_membership_number":"A-7","full_name":"Asha","email":"a@example.org","phone_number":"9876543210"}'
    const { status, stdout } = await folder.rollcall([
      'event',
      'explain',
      'chirurgia2026',
      '--given',
      givenAnswers,
      '--on',
      '2025-12-01T00:10:00+05:30',
    ])
    const line =
      folder
        .read('events/chirurgia2026.yaml')
        .split('\n')
        .findIndex((text) => text.includes('pg-non-asi:')) + 1
    expect(normaliseSpaces(stdout).trimEnd().split('\n')).toEqual([
      '1 December 2025, 12:10 am in India',
      'period    regular  1 December 2025 to …',
      'answer    designation: "PG" read as "pg"',
      'answer    asi_member: "false" read as false',
      'answer    asi_membership_number dropped: the field is not shown',
      'answer    full_name: "Asha"',
      'answer    email: "a@example.org"',
      'answer    phone_number: "9876543210"',
      'rule 1    ✘ designation is PG and asi_member is yes (here asi_member is no)',
      'rule 2    ✔ designation is PG and asi_member is no → pg-non-asi',
      `price     ₹ 5,000  fees.prices.pg-non-asi, column 2, regular (line ${line})`,
      'tax       ₹ 5,000 ÷ 1.18 = ₹ 4,237 (to whole rupees), the remaining ₹ 763 is GST',
      'total     ₹ 5,000',
      'refund    ₹ 3,750, if cancelled on this day: 75% of ₹ 5,000',
    ])
    expect(status).toBe(0)
  })

  test('uses the first of two periods that contain the date, and adds tax to a price that excludes it', async () => {
    const { stdout } = await folder.rollcall([
      'event',
      'explain',
      'events/afpicon2026.yaml',
      'ticket_type=afpi-pg',
      'colour=red',
      '--on',
      '2026-01-25',
    ])
    expect(normaliseSpaces(stdout)).toContain(
      'period    jan-1-jan-25  1 January 2026 to 25 January 2026; the day is also in jan-25-jan-31, but the first one listed applies',
    )
    expect(normaliseSpaces(stdout)).toContain('answer    colour dropped: there is no such field')
    expect(normaliseSpaces(stdout)).toContain('category  afpi-pg, chosen in ticket_type')
    expect(normaliseSpaces(stdout)).toContain(
      'tax       ₹ 7,250 × 18% = ₹ 1,305 GST, added to the price\ntotal     ₹ 8,555',
    )
    expect(normaliseSpaces(stdout)).toContain('form      missing full_name: Full name is required')
  })

  test.each([
    [
      'a date outside all periods',
      ['afpicon2026', 'ticket_type=afpi-pg', '--on', '2026-02-01'],
      'july-1-aug-31, the period for all other dates',
    ],
    [
      'no value',
      ['afpicon2026', '--on', '2026-01-02'],
      'category  none: ticket_type is not answered\nprice     none: without a category there is no price',
    ],
  ])('%s', async (_name, args, expectedText) => {
    expect(
      normaliseSpaces((await folder.rollcall(['event', 'explain', ...args])).stdout),
    ).toContain(expectedText)
  })

  test('prints paise and the line number as JSON', async () => {
    const { stdout } = await folder.rollcall([
      'event',
      'explain',
      'midzone2025',
      'is_pg=true',
      '--on',
      '2025-11-01',
      '--json',
    ])
    const explanation = JSON.parse(stdout) as {
      event: string
      line: number
      quote: { value: object }
      cell: { price: number }
    }
    expect(explanation).toMatchObject({
      event: 'midzone2025',
      cell: { price: 90_000, column: 1 },
      quote: { ok: true, value: { base: 90_000, gst: 16_200, total: 106_200 } },
      lines: [{ from: 'fees.prices.non-afpi-pg, column 1, standard', is: 'price' }],
    })
    expect(folder.read('events/midzone2025.yaml').split('\n')[explanation.line - 1]).toContain(
      'non-afpi-pg:',
    )
  })

  test("explains a bill: each line's price cell, its adjustments, and why other items are missing", async () => {
    const { stdout } = await folder.rollcall([
      'event',
      'explain',
      getItemEventPath('nidancon2027'),
      '--given',
      '{"role":"trainee","workshops":["ultrasound"],"companions":[{"name":"Ravi","age":40},{"name":"Mira","age":4}],"room":"single","nights":2}',
      'presents_paper=true',
      '--on',
      '2027-02-01',
      '--code',
      'coupon',
      '--full',
      'trainees',
    ])
    const fileLines = readFileSync(getItemEventPath('nidancon2027'), 'utf8').split('\n')
    const findLineNumber = (lineText: string, startText = ''): number =>
      fileLines.findIndex(
        (line, index) =>
          line.includes(lineText) &&
          index > fileLines.findIndex((line) => line.includes(startText)),
      ) + 1
    const rows = normaliseSpaces(stdout).trimEnd().split('\n')
    const firstRuleIndex = rows.findIndex((row) => row.startsWith('rule'))
    expect(rows.filter((row) => row.startsWith('fact'))).toEqual([
      'fact      a code of the kind coupon: it gives the adjustment coupon',
      'fact      trainees is full: "All places for trainees are taken. You may register as a non-member.", and non-member is offered',
    ])
    expect(
      rows.slice(
        firstRuleIndex,
        rows.findIndex((row) => row.startsWith('form')),
      ),
    ).toEqual([
      'rule 1    ✔ role is a postgraduate trainee → trainee',
      'category  non-member, offered because the requested category is full',
      `line      Non-member  ₹ 11,000  fees.prices.non-member, column 3, late (line ${findLineNumber('non-member: [')})`,
      'tax       ₹ 11,000 × 18% = ₹ 1,980 GST, added to the price',
      `line      Accompanying person  1 × ₹ 5,000  fees.items.accompanying, each, column 3, late (line ${findLineNumber('each: [4000')})`,
      'tax       ₹ 5,000 × 18% = ₹ 900 GST, added to the price',
      `line      Workshop: Ultrasound at the bedside (Hall A, 9 AM)  1 × ₹ 3,000  fees.items.workshop, table 3 (otherwise), ultrasound, column 3, late (line ${findLineNumber('ultrasound:', '- otherwise:')})`,
      'tax       ₹ 3,000 × 18% = ₹ 540 GST, added to the price',
      `line      Single room, 2 nights  2 × ₹ 4,500 = ₹ 9,000  fees.items.room, single, column 3, late (line ${findLineNumber('single: [')})`,
      'tax       ₹ 9,000 × 5% = ₹ 450 GST, added to the price',
      `change    Presenter’s discount  −₹ 590 (−₹ 500 and −₹ 90 tax)  fees.adjustments.presenter, −₹ 500 on registration (line ${findLineNumber('id: presenter')})`,
      `change    Coupon, 15% off  −₹ 1,858.50 (−₹ 1,575 and −₹ 283.50 tax)  fees.adjustments.coupon, −15% on registration (line ${findLineNumber('- id: coupon')})`,
      `change    Late fee  +₹ 590 (+₹ 500 and +₹ 90 tax)  fees.adjustments.late-fee, +₹ 500 on registration (line ${findLineNumber('id: late-fee')})`,
      `left out  dinner: dinner_tickets is 0 (line ${findLineNumber('id: dinner')})`,
      'total     ₹ 30,011.50: ₹ 26,425 and ₹ 3,586.50 tax',
    ])
  })

  test('reads membership from the member list, and explains each missing item', async () => {
    const { stdout } = await folder.rollcall([
      'event',
      'explain',
      getItemEventPath('nidancon2027'),
      '--given',
      '{"role":"consultant","is_member":true,"member_number":"M1","companions":[{"name":"Mira","age":4}]}',
      '--member-list',
      'member_number.kind=life',
      '--on',
      '2026-11-01',
    ])
    expect(stdout).toContain('fact      member_number.kind is life')
    expect(normaliseSpaces(stdout)).toContain('total     ₹ 7,080: ₹ 6,000 and ₹ 1,080 tax')
    const leftOutRows = stdout.split('\n').filter((row) => row.startsWith('left out'))
    expect(leftOutRows.map((row) => row.replace(/ \(line \d+\)$/, ''))).toEqual([
      'left out  accompanying: 1 in companions, none counted (where age is at least 5)',
      'left out  workshop: nothing is chosen in workshops',
      'left out  dinner: dinner_tickets is 0',
      'left out  room: applies only if room is not No room needed',
      'left out  presenter: applies only if presents_paper is yes',
      'left out  coupon: applies only if code is Coupon, 15% off',
      'left out  late-fee: it begins on 1 February 2027',
    ])
  })

  test('reports an item that is not on sale, with its price cell', async () => {
    const file = 'events/half.yaml'
    folder.write(
      file,
      readFileSync(getItemEventPath('nilarun2027'), 'utf8').replace(
        'l:      [472, 499]',
        'l:      [472, none]',
      ),
    )
    const { stdout } = await folder.rollcall([
      'event',
      'explain',
      file,
      'born_on=1990-01-01',
      'distance=ten',
      'shirt=l',
      '--on',
      '2026-12-01',
    ])
    expect(stdout).toMatch(
      /^price {5}none: shirt l is not on sale in late: fees\.items\.shirt, l, column 2, late \(line \d+\)$/m,
    )
  })

  test.each([
    [['--code', 'facult'], 'There is no code kind "facult". Did you mean faculty?'],
    [['--full', 'hal'], 'There is no limit "hal". Did you mean hall?'],
    [['--full', 'seats.airwy'], 'There is no limit "seats.airwy". Did you mean seats.airway?'],
    [
      ['--member-list', 'member_number.kin=life'],
      'There is no column of the member list members "kin". Did you mean kind?',
    ],
    [
      ['--member-list', 'state=x'],
      'There is no field with a member list "state". Available: member_number.',
    ],
    [['--member-list', 'life'], 'Write a member list value as field.column=value, not "life".'],
    [
      ['--member-list', 'member_number=life'],
      'Write a value of the member list for member_number as member_number.column=value, or member_number=none.',
    ],
  ])('rejects context that the event does not use: %s', async (args, message) => {
    const result = await folder.rollcall([
      'event',
      'explain',
      getItemEventPath('nidancon2027'),
      ...args,
    ])
    expect([result.status, result.stdout, result.stderr.trim().split('\n').at(-1)]).toEqual([
      2,
      '',
      message,
    ])
  })

  test.each([
    ['no file', ['event', 'explain']],
    ['a missing file', ['event', 'explain', 'nowhere2026']],
    ['an invalid date', ['event', 'explain', 'midzone2025', '--on', 'tomorrow']],
    [
      'invalid answers',
      ['event', 'explain', 'midzone2025', '--given', '[1]', '--on', '2025-11-01'],
    ],
    ['an unknown option', ['event', 'explain', 'midzone2025', '--onn', '2025-11-01']],
    ['a registration with a file', ['event', 'explain', 'midzone2025', '--registration', 'MIDZ1']],
    [
      'a registration with context',
      ['event', 'explain', '--registration', 'MIDZ1', '--full', 'hall'],
    ],
    ['an unknown registration', ['event', 'explain', '--registration', 'MIDZ1']],
  ])('rejects invalid usage: %s', async (_name, args) => {
    const { status, stdout, stderr } = await folder.rollcall(args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).not.toContain('    at ')
    expect(stderr.length).toBeGreaterThan(10)
  })
})

describe('simulate', () => {
  test('lists prices by period; 25 January is in two periods, each with its own prices', async () => {
    const { status, stdout } = await folder.rollcall(['event', 'simulate', 'afpicon2026'])
    expect(status).toBe(0)
    const blocks = normaliseSpaces(stdout).split('\n\n')
    expect(blocks.find((block) => block.startsWith('jan-25-jan-31'))).toMatch(
      /afpi-gp-specialist\s+₹ 10,000\s+₹ 1,800\s+₹ 11,800/,
    )
    expect(blocks.find((block) => block.startsWith('jan-1-jan-25'))).toMatch(
      /intern-mbbs-accompanying\s+₹ 3,000\s+₹ 540\s+₹ 3,540/,
    )
  })

  test('the category conditions do not depend on the order of the rules', async () => {
    const readCategories = async (file: string): Promise<string> =>
      normaliseSpaces((await folder.rollcall(['event', 'simulate', file])).stdout)
        .split('\n\n')
        .find((block) => block.startsWith('Who gets')) ?? ''
    const categoriesBefore = await readCategories('events/midzone2025.yaml')
    folder.change(
      'events/midzone2025.yaml',
      '    - {when: {is_pg: true, afpi_member: true},  then: afpi-pg}\n    - {when: {is_pg: true, afpi_member: false}, then: non-afpi-pg}',
      '    - {when: {is_pg: true, afpi_member: false}, then: non-afpi-pg}\n    - {when: {is_pg: true, afpi_member: true},  then: afpi-pg}',
      'events/turned.yaml',
    )
    expect(categoriesBefore).toContain('  non-afpi-pg        is_pg: yes, afpi_member: no')
    expect(await readCategories('events/turned.yaml')).toBe(categoriesBefore)
  })

  test('prints a price table for each item, then adjustments and quotas', async () => {
    const blocks = normaliseSpaces(
      (await folder.rollcall(['event', 'simulate', getItemEventPath('nidancon2027')])).stdout,
    ).split('\n\n')
    const readBlock = (start: string): readonly string[] =>
      (blocks.find((block) => block.startsWith(start)) ?? '').split('\n')
    expect(readBlock('Registration')).toEqual(
      expect.arrayContaining([
        '                early  regular      late         spot',
        '  student     ₹ 2,000  ₹ 2,500   ₹ 3,000  not on sale',
        '  faculty        Free     Free      Free         Free  with a code: faculty',
      ]),
    )
    expect(readBlock('accompanying')).toEqual([
      'accompanying  Accompanying person, for each in “Accompanying persons” where age is at least 5 (up to 4)',
      '          early  regular     late     spot',
      '  each  ₹ 4,000  ₹ 4,500  ₹ 5,000  ₹ 6,000',
    ])
    const workshopBlock = readBlock('workshop')
    expect(workshopBlock).toHaveLength(2 + 3 * 7)
    expect(workshopBlock.slice(16, 18)).toEqual([
      '  all others:',
      '    ultrasound   ₹ 2,000  ₹ 2,500  ₹ 3,000  ₹ 3,500',
    ])
    expect(readBlock('room')[0]).toBe(
      'room  {option}, {nights} {nights.unit}, where room is not No room needed, by the choice in “Room in the conference hotel”, times “Nights” (up to 5), GST 5%, added to the price',
    )
    expect(readBlock('Adjustments').at(-1)).toBe(
      '  late-fee   Late fee: +₹ 500 on registration, from 1 February 2027, where category is not Senior member or Invited faculty',
    )
    expect(readBlock('Quotas').at(-1)).toBe(
      '  seats     Ultrasound at the bedside (Hall A, 9 AM): 30, Difficult airway (Hall B, 9 AM): 24, ECG in an hour (Hall A, 12 noon): 40, Ventilation (Hall B, 12 noon): 20, Statistics without tears (Hall A, 3 PM): 60, Writing a paper (Hall B, 3 PM): 40 in “Workshops on 12 February”; when 5 or fewer are left, the form shows how many; then “This workshop is full”',
    )
    for (const [title, rows] of [
      ['Unique answers', 2],
      ['Discount codes', 2],
      ['Member lists', 1],
    ] as const)
      expect(readBlock(title), title).toHaveLength(1 + rows)
  })

  test('prints the lowest and the highest bill with the answers that lead to them, and who gets each category', async () => {
    const blocks = normaliseSpaces(
      (await folder.rollcall(['event', 'simulate', getItemEventPath('nidancon2027')])).stdout,
    ).split('\n\n')
    const readBlock = (start: string): readonly string[] =>
      (blocks.find((block) => block.startsWith(start)) ?? '').trimEnd().split('\n')
    expect(readBlock('Lowest')[0]).toMatch(/^Lowest bill: Free, (faculty|senior) in early/)
    const [highestTitle, givenAnswers, ...lines] = readBlock('Highest')
    expect(highestTitle).toBe(
      'Highest bill: ₹ 89,115, non-member in spot, such as on 6 February 2027',
    )
    expect(givenAnswers).toContain('companions: 4 × (age: 5)')
    expect(givenAnswers).toContain('dinner_tickets: 5, room: single, nights: 5')
    expect(lines).toEqual([
      '  Non-member: ₹ 15,340',
      '  Accompanying person, 4 × ₹ 7,080: ₹ 28,320',
      '  Workshop: Difficult airway (Hall B, 9 AM): ₹ 4,130',
      '  Workshop: Ventilation (Hall B, 12 noon): ₹ 5,310',
      '  Gala dinner, 5 × ₹ 2,360: ₹ 11,800',
      '  Single room, 5 nights, 5 × ₹ 4,725: ₹ 23,625',
      '  Late fee: ₹ 590',
    ])
    const categories = readBlock('Who gets').join('\n')
    expect(categories).toContain('  faculty     code: faculty')
    expect(categories).toContain('where trainees is full')
    expect(categories).toMatch(/senior .*member_number.kind: life.*born_on: to 12 February 1957/)
    expect(categories).not.toMatch(/senior .*not in the member list/)
  })

  test('prints no table for an amount that the delegate enters, and a single table for an event without items', async () => {
    const output = normaliseSpaces(
      (await folder.rollcall(['event', 'simulate', getItemEventPath('nilarun2027')])).stdout,
    )
    expect(output).toContain(
      '\n\ndonation  Gift to the river, ₹ 100 to ₹ 50,000, as entered in “I give”, no tax\n\n',
    )
    const summary = normaliseSpaces(
      (await folder.rollcall(['event', 'simulate', getItemEventPath('soiltalk2027')])).stdout,
    )
    expect(summary).toContain('always  any day\n  category  price\n  listener   Free\n\nQuotas\n')
  })

  test('shows fields and options by their labels, and people as a number if their answers do not matter', async () => {
    const event = getItemEventPath('tarangfest2027')
    const { stdout } = await folder.rollcall(['event', 'simulate', event])
    const text = normaliseSpaces(stdout)
    expect(text).toContain('  beds    300, counting “Beds”; then ')
    expect(text).toMatch(/ teams +Hackathon: 40, .* Relay: 24 in “Contests for teams”; /)
    expect(text).toContain(', team: 9 people, beds: 10, ')
    expect(text).not.toContain('()')
  })

  test('marks placeholder texts', async () => {
    const { stdout } = await folder.rollcall(['event', 'simulate', 'chirurgia2026'])
    expect(stdout).toContain('inside the price. (demo values)')
    expect((await folder.rollcall(['event', 'simulate', 'afpicon2026'])).stdout).not.toContain(
      '(demo values)',
    )
  })
})

describe('diff', () => {
  test('shows changes to a price and a period, with the dates, the categories, and whether the price rises or falls', async () => {
    const text = folder
      .read('events/afpicon2026.yaml')
      .replace('[4250, 5250, 7250, 10000]', '[4250, 5250, 7500, 10000]')
      .replace('from: 2025-09-01, to: 2025-12-31', 'from: 2025-09-01, to: 2026-01-02')
      .replace('from: 2026-01-01', 'from: 2026-01-03')
    folder.write('events/next.yaml', text)
    const { status, stdout } = await folder.rollcall([
      'event',
      'diff',
      'afpicon2026',
      'events/next.yaml',
    ])
    expect(status).toBe(1)
    expect(normaliseSpaces(stdout)).toContain(
      '1–2 January 2026  afpi-gp-specialist  ₹ 9,440 → ₹ 7,080  ▼ ₹ 2,360',
    )
    expect(normaliseSpaces(stdout)).toContain(
      '3–25 January 2026  afpi-pg  ₹ 8,555 → ₹ 8,850  ▲ ₹ 295',
    )
    expect(normaliseSpaces(stdout)).not.toContain('Categories')
  })

  test('shows changes to items (by price row and date), conditions and quotas', async () => {
    const text = readFileSync(getItemEventPath('nidancon2027'), 'utf8')
    folder.write('events/old.yaml', text)
    folder.write(
      'events/next.yaml',
      text
        .replace('each: [4000, 4500, 5000, 6000]', 'each: [4000, 4500, 5500, 6000]')
        .replace('ultrasound:  [1000, 1250, 1500, 1750]', 'ultrasound:  [1000, 1250, 1500, none]')
        .replace(
          'count: dinner_tickets',
          'when: {presents_paper: true}\n      count: dinner_tickets',
        )
        .replace('amount: -500', 'amount: -750')
        .replace('max: 500', 'max: 400')
        .replace(
          '      times: nights\n      tax: {name: GST, percent: 5,',
          '      times: nights\n      tax: {name: GST, percent: 12,',
        ),
    )
    const args = ['event', 'diff', 'events/old.yaml', 'events/next.yaml']
    const { stdout } = await folder.rollcall(args)
    const lines = normaliseSpaces(stdout).split('\n')
    for (const line of [
      '  accompanying, 16 January – 5 February 2027: ₹ 5,900 → ₹ 6,490',
      '  workshop ultrasound (category is Postgraduate trainee or Undergraduate student or Nurse or technologist), 6–14 February 2027: ₹ 2,065 → not on sale',
      '  dinner, condition: for each in “Tickets for the gala dinner on 13 February” (up to 5) → where presents_paper is yes, for each in “Tickets for the gala dinner on 13 February” (up to 5)',
      '  room single, until 15 January 2027: ₹ 4,198.95 → ₹ 4,478.88',
    ])
      expect(lines).toContain(line)
    expect(stdout).toMatch(/^ {2}adjustment presenter: .*500.* → .*750/m)
    expect(stdout).toMatch(/^ {2}quota hall: 500; .* → 400; /m)
    expect(stdout).not.toContain('fees.items')
  })

  test('shows added and removed items, quotas and kinds of discount codes', async () => {
    const text = readFileSync(getItemEventPath('nidancon2027'), 'utf8')
    folder.write('events/old.yaml', text)
    folder.write(
      'events/next.yaml',
      text
        .replace('    - id: dinner\n', '    - id: gala\n')
        .replace('{id: hall,', '{id: house,')
        .replace(
          '{id: faculty, label: Invited faculty, gives',
          '{id: speaker, label: Speaker, gives',
        ),
    )
    const args = ['event', 'diff', 'events/old.yaml', 'events/next.yaml']
    const { stdout } = await folder.rollcall(args)
    expect(stdout).toContain(
      '  dinner: Gala dinner, for each in “Tickets for the gala dinner on 13 February” (up to 5) → nothing',
    )
    expect(stdout).toContain(
      '  gala: nothing → Gala dinner, for each in “Tickets for the gala dinner on 13 February” (up to 5)',
    )
    expect(stdout).toMatch(/^ {2}quota hall: 500; .* → nothing$/m)
    expect(stdout).toContain(
      '  discount code faculty: Invited faculty: gives the category faculty → nothing',
    )
    expect(stdout).toContain(
      '  discount code speaker: nothing → Speaker: gives the category faculty',
    )
  })

  test('reports no changes if only the notation has changed', async () => {
    folder.write(
      'events/same.yaml',
      `${folder.read('events/midzone2025.yaml').replace('{id: standard}', '{ id: "standard" }')}\n# A remark.\n`,
    )
    const { status, stdout } = await folder.rollcall([
      'event',
      'diff',
      'midzone2025',
      'events/same.yaml',
    ])
    expect([status, stdout.trim()]).toEqual([0, 'midzone2025 → events/same.yaml: nothing changes.'])
  })

  test('lists changed rules, messages, addresses and fields', async () => {
    const text = folder
      .read('events/midzone2025.yaml')
      .replace(
        'is_pg: true, afpi_member: false}, then: non-afpi-pg',
        'is_pg: true, afpi_member: false}, then: afpi-pg',
      )
      .replace('Required for AFPI members\n', 'Please give the number\n')
      .replace('form: /midzone2025', 'form: /midzone')
      .replace('label: Institution', 'label: Hospital')
    folder.write('events/next.yaml', text.replace(/examples:[^]*/, ''))
    const { stdout } = await folder.rollcall(['event', 'diff', 'midzone2025', 'events/next.yaml'])
    expect(stdout).toContain(
      'Categories\n  is_pg: yes, afpi_member: no or not answered: non-afpi-pg → afpi-pg',
    )
    expect(stdout).toContain(
      'Messages\n  fields.afpi_membership_number.required.message: "Required for AFPI members" → "Please give the number"',
    )
    expect(stdout).toContain('Addresses\n  routes.form: "/midzone2025" → "/midzone"')
    expect(stdout).toContain('fields.institution.label: "Institution" → "Hospital"')
  })

  test('compares with the files in a Git revision, and reports new files', async () => {
    const runGit = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
        cwd: folder.folder,
        stdio: 'pipe',
      })
    runGit('init', '-q')
    runGit('add', 'events/midzone2025.yaml', 'events/_shared')
    runGit('commit', '-q', '-m', 'one')
    folder.change('events/midzone2025.yaml', 'non-afpi-pg:       [900]', 'non-afpi-pg:       [950]')
    const changedResult = await folder.rollcall([
      'event',
      'diff',
      '--git',
      'HEAD',
      'events/midzone2025.yaml',
      'events/chirurgia2026.yaml',
    ])
    expect(normaliseSpaces(changedResult.stdout)).toContain(
      'on all days  non-afpi-pg  ₹ 1,062 → ₹ 1,121  ▲ ₹ 59',
    )
    expect(changedResult.stdout).toContain('events/chirurgia2026.yaml: new since HEAD.')
    expect(changedResult.status).toBe(1)
    expect(
      (await folder.rollcall(['event', 'diff', '--git', 'nosuch', 'events/midzone2025.yaml']))
        .status,
    ).toBe(2)
    runGit('checkout', '-q', 'events/midzone2025.yaml')
    expect(
      (await folder.rollcall(['event', 'diff', '--git', 'HEAD', 'events/midzone2025.yaml'])).status,
    ).toBe(0)
  })

  test('requires two files', async () => {
    expect((await folder.rollcall(['event', 'diff', 'midzone2025'])).status).toBe(2)
  })
})
