/** Leftover placeholders and contradictory labels in otherwise correct files, and similar texts that are correct. */
import { describe, expect, test } from 'vitest'
import { compileEvents } from '../../../engine/authoring.ts'
import { sampleFile, shared } from './goldens.ts'
import { collectFindings, findLine, listFindings } from './sample-file.ts'

const DETAILS = 'failed: {title: Sorry, details: [order_id]}'
const withEmail = (text: string): string =>
  sampleFile.replace(
    DETAILS,
    `${DETAILS}\nemail:\n  subject: "Hello, {reg_no}"\n  text: |\n    ${text}\n`,
  )

/** Returns the messages of the findings with this code on the line that contains `part`. */
function findMessages(text: string, code: string, part: string): string {
  const matchingFindings = collectFindings(text).filter(
    (finding) => finding.code === code && finding.at.start.line === findLine(text, part),
  )
  return matchingFindings.map(({ message, help }) => `${message}; ${help ?? ''}`).join('\n')
}

describe('a phone number', () => {
  test.each([
    'Call +91 98470 12345 or 0487-2345678',
    'Call 9847012345 or write to us',
    'Phone 98470 12345 office hours only',
    'WhatsApp +91 98470 12345 on all days',
    'Call +91-98470-12345 o’clock',
    'Call 98470 12345 10 AM to 5 PM',
    'Call +91 98470 12345 9847054321',
    'Call +91 98470 12345 24 hours',
    'Call 9847012345or 9847054321',
    'Phone 9847012345, Office 0487 2345678',
  ])('%s is correct', (text) => {
    expect(listFindings(withEmail(text))).toEqual([])
  })
  test.each([
    ['Call +91 98470 O2345', 'write 98470 02345'],
    ['Call +91 98470 1234O', 'write 98470 12340'],
    ['Call 9847O12345 or write to us', 'write 9847012345'],
    ['Mobile: 98470-1O345', 'write 98470-10345'],
    ['Call 98470 1234 or write', 'has 9 digits'],
    ['Call +91 98470 123456 or write', 'has 11 digits'],
  ])('%s is reported', (text, expected) => {
    expect(findMessages(withEmail(text), 'EV016', text)).toContain(expected)
  })
})

describe('a placeholder without its braces', () => {
  test.each([
    ['Paid [total]', 'write {total}'],
    ['Dear full_name,', 'write {full_name}'],
    ['Dear (full_name),', 'write {full_name}'],
    ['Your number: reg_no.', 'write {reg_no}'],
  ])('%s is reported', (text, expected) => {
    const findings = collectFindings(withEmail(text))
    expect(findings.map(({ at }) => at.start.line)).toEqual([findLine(withEmail(text), text)])
    expect(findings[0]?.help).toContain(expected)
  })
  test('a field name in a text of the form is reported', () => {
    const text = sampleFile.replace(
      'label: Phone,',
      'label: Phone, hint: The same as in phone_number,',
    )
    expect(findMessages(text, 'EV611', 'label: Phone')).toContain('describe the value in words')
  })
  test.each([
    'Dear {full_name}, your number is {reg_no}',
    'Write to full_name@sample.example',
    'See https://sample.example/?full_name=you and https://sample.example/full_name',
    'Bring your card [category] and the total of the base',
    'The rules of snake_case names, and full name, in words',
    'Look for full_name.pdf and full_name_2',
  ])('%s is correct', (text) => {
    expect(listFindings(withEmail(text))).toEqual([])
  })
})

describe('two choices with the same label', () => {
  const withRoomOptions = (list: string): string =>
    sampleFile.replace(
      '        - {id: is_member',
      `        - {id: room, type: select, label: Room, options: [${list}]}\n        - {id: is_member`,
    )
  test('two options of one field are reported', () => {
    const optionList = '{id: twin, label: Twin room}, {id: single, label: twin room}'
    expect(findMessages(withRoomOptions(optionList), 'EV514', optionList)).toContain(
      'two options of `room` are both called “twin room”',
    )
  })
  test('two kinds of discount codes are reported', () => {
    const kinds =
      'codes:\n  kinds:\n    - {id: vip, label: Guest, gives: {category: member}}\n    - {id: guest, gives: {category: visitor}}\n'
    const text = sampleFile.replace('form:\n', `${kinds}form:\n`)
    expect(findMessages(text, 'EV514', '- {id: guest')).toContain('two code kinds')
  })
  test('different labels, or the same label in two fields, are correct', () => {
    expect(
      listFindings(
        withRoomOptions('{id: twin, label: Twin room}, {id: single, label: Single room}'),
      ),
    ).toEqual([])
  })
})

const VENUE = 'venue: Town Hall'
const MEMBER = '        - {id: is_member, type: yes-no, label: Member, default: false}\n'
/** Returns the sample file with some parts replaced. Each part must occur exactly once. */
function replaceInSample(
  ...replacements: readonly (readonly [from: string, to: string])[]
): string {
  return replacements.reduce((text, [from, to]) => {
    expect(text.split(from)).toHaveLength(2)
    return text.replace(from, () => to)
  }, sampleFile)
}
const withFields = (...lines: readonly string[]): string =>
  replaceInSample([MEMBER, MEMBER + lines.map((line) => `        - {${line}}\n`).join('')])
const withBlock = (block: string): string => replaceInSample(['form:\n', `${block}\nform:\n`])

/** The letters with which authors mark unfinished text. They are also the Roman numeral for thirty. */
const UNFINISHED_MARK = 'X'.repeat(3)

describe('a placeholder word that was not replaced', () => {
  test.each([
    'TBA',
    'TBD',
    'tbc',
    'T.B.A.',
    UNFINISHED_MARK,
    'Hall XXXX, Kochi',
    'Lorem ipsum dolor sit amet',
  ])('%s as the venue is reported', (venue) => {
    const text = replaceInSample([VENUE, `venue: ${venue}`])
    expect(findMessages(text, 'EV533', `venue: ${venue}`)).not.toBe('')
  })
  test.each([
    `Dear Dr. ${UNFINISHED_MARK}, welcome`,
    'Prof. XXXX will speak',
    `Call Mr ${UNFINISHED_MARK}`,
    'Lorem ipsum dolor sit amet',
  ])('an email with “%s” is reported', (text) => {
    expect(findMessages(withEmail(text), 'EV533', text)).not.toBe('')
  })
  test.each([
    `The ${UNFINISHED_MARK} annual conference of the society`,
    `${UNFINISHED_MARK} ASICON, and before it the XXIX`,
    'Shirts up to XXXL',
    'Paid from the account XXXX 1234 or XXXXXX5678',
    'Your number looks like KMC/XXXX or KMC-XXXX',
    'See https://xxxx.example',
    'The hall will be announced in the week before (TBA means to be announced)',
  ])('%s is correct', (text) => {
    expect(listFindings(withEmail(text))).toEqual([])
  })
  test('an example of a number format and a placeholder listed under demo are not reported', () => {
    expect(listFindings(withFields('id: council, label: Council number, hint: XXXX/YYYY'))).toEqual(
      [],
    )
    const demoFile = replaceInSample(
      [VENUE, 'venue: TBA'],
      ['format: 1\n', 'format: 1\ndemo: [event.venue]\n'],
    )
    expect(listFindings(demoFile)).toEqual([])
  })
})

describe('a label that contradicts its field', () => {
  test.each([
    'id: hospital, label: Hospital (optional), required: true',
    'id: hospital, label: Hospital - Optional, required: Please give it',
    'id: hospital, label: "Optional: Hospital", required: true',
    'id: hospital, label: Hospital *',
    'id: hospital, label: "Hospital*:"',
  ])('%s is reported', (line) => {
    expect(findMessages(withFields(line), 'EV534', line)).not.toBe('')
  })
  test.each([
    'id: hospital, label: Hospital (optional)',
    'id: hospital, label: Hospital *, required: true',
    'id: tour, label: Optional tour, required: true',
    'id: hospital, label: "Hospital (optional)", required: {when: {is_member: true}}',
    'id: food, type: select, label: Food *, options: [veg, fish], default: veg',
    'id: hospital, label: Hospital *, hint: "* as on the certificate"',
    'id: star, label: "* marks what is printed on the badge"',
    'id: topics, type: many, label: Topics *, options: [a, b], choose: {at_least: 1, message: One at least}',
  ])('%s is correct', (line) => {
    expect(listFindings(withFields(line)).filter((finding) => finding.startsWith('EV534'))).toEqual(
      [],
    )
  })
})

describe('an error message that names another field', () => {
  test.each([
    [
      'id: hospital, label: Hospital, required: Please enter your email',
      'the question here is “Hospital”',
    ],
    ['id: hospital, label: Hospital, required: Full name is required', 'mentions “Full Name”'],
    ['id: hospital, label: Hospital, required: Mobile number is required', 'mentions “Phone”'],
    [
      'id: born, type: date, label: Date of birth, invalid: Please enter a valid email address',
      'mentions “Email”',
    ],
    [
      'id: letter, label: Letter, required: {when: {is_member: true}, message: Please give your phone number}',
      'mentions “Phone”',
    ],
  ])('%s is reported', (line, expected) => {
    expect(findMessages(withFields(line), 'EV535', line)).toContain(expected)
  })
  test.each([
    'id: hospital, label: Hospital, required: Please say where you work',
    'id: hospital, label: Hospital, required: Required',
    'id: hospital, label: Hospital, required: Required for members',
    'id: whatsapp, type: phone, label: WhatsApp, required: Please give your mobile number',
    'id: second, type: email, label: Second address, required: Please give your email',
    'id: badge, label: Name on the badge, required: Please give your name',
    'id: badge, label: Badge, required: Your full name as the badge shows it',
    'id: letter, label: Letter, required: Members send their letter',
    'id: proof, type: file, accept: [pdf], label: Membership card, required: Please upload the document',
    'id: other, label: Other number, required: Please give a number',
    'id: contact, label: Contact in an emergency, required: Phone number is required',
    'id: city, label: നഗരം, required: നഗരം എഴുതുക',
  ])('%s is correct', (line) => {
    expect(listFindings(withFields(line)).filter((finding) => finding.startsWith('EV535'))).toEqual(
      [],
    )
  })
})

describe('swapped labels', () => {
  const withOptions = (options: string): string =>
    `id: role, type: select, label: Role, options: [${options}]`
  test.each([
    '{id: trainee, label: Student}, {id: student, label: Trainee}',
    '{id: twin, label: Single room}, {id: single, label: Bed in a twin room}',
    '{id: day-1, label: Day 2}, {id: day-2, label: Day 1}',
    '{id: full-board, label: Half board}, {id: half-board, label: Full board}',
  ])('of options are reported: %s', (options) => {
    expect(findMessages(withFields(withOptions(options)), 'EV536', options)).toContain(
      'swap the two labels',
    )
  })
  test('of items, discount codes and the fields asked for each person are reported', () => {
    const prices = 'prices: {period: [early, late], each: [500, 600]}'
    const items = `  items:\n    - {id: dinner, label: The tour, when: {is_member: true}, ${prices}}\n    - {id: tour, label: Gala dinner, when: {is_member: true}, ${prices}}`
    expect(findMessages(withBlock(items), 'EV536', '- {id: dinner')).not.toBe('')
    const kinds =
      'codes:\n  kinds:\n    - {id: member, label: For a visitor, gives: {category: member}}\n    - {id: visitor, label: For a member, gives: {category: visitor}}'
    expect(findMessages(withBlock(kinds), 'EV536', '- {id: member, label')).not.toBe('')
    const peopleField =
      'id: guests, type: people, label: Guests, max: 2, fields: [{id: name, label: Age}, {id: age, label: Name}]'
    expect(findMessages(withFields(peopleField), 'EV536', peopleField)).not.toBe('')
  })
  test('of categories are reported only once', () => {
    const text = replaceInSample(
      ['  - {id: member}', '  - {id: member, label: Visitor of the day}'],
      ['  - {id: visitor}', '  - {id: visitor, label: Member for life}'],
    )
    expect(listFindings(text).filter((finding) => /EV452|EV536/.test(finding))).toHaveLength(1)
  })
  test.each([
    '{id: trainee, label: Trainee}, {id: student, label: Student}',
    '{id: trainee, label: Student in training}, {id: student, label: Student}',
    '{id: twin, label: Single bed in a twin room}, {id: single, label: Single room}',
    '{id: a, label: Hall B and Hall A}, {id: b, label: Hall B}',
    '{id: day-1, label: "7 March, the first day"}, {id: day-2, label: "8 March, the second day"}',
    '{id: non-veg, label: Chicken}, {id: veg, label: Vegetables}',
    '{id: morning, label: Before the evening}, {id: evening, label: At night}',
  ])('%s are correct', (options) => {
    expect(listFindings(withFields(withOptions(options)))).toEqual([])
  })
})

describe('a percentage or seat count in a label', () => {
  const withDiscount = (label: string, percent: number): string =>
    withBlock(
      `  adjustments:\n    - {id: group, label: "${label}", when: {is_member: true}, on: registration, percent: ${percent}}`,
    )
  test.each([
    ['15% off for members', -20],
    ['Members pay 10 per cent less', -15],
    ['Late, plus 5%', 10],
  ])('"%s" with an adjustment of %d%% is reported', (label, percent) => {
    expect(findMessages(withDiscount(label, percent), 'EV537', label)).toContain(
      `${Math.abs(percent)}%`,
    )
  })
  test.each([
    ['15% off for members', -15],
    ['Members pay 80% only', -20],
    ['Member discount', -15],
    ['33% off', -33.33],
    ['Up to 50% off', -20],
    ['10% for members and 5% for their friends', -15],
    ['Discount, before 18% GST', -15],
  ])('"%s" with an adjustment of %d%% is correct', (label, percent) => {
    expect(
      listFindings(withDiscount(label, percent)).filter((finding) => finding.startsWith('EV537')),
    ).toEqual([])
  })

  test('the finding for a surcharge states that the amount is added', () => {
    expect(findMessages(withDiscount('Late, plus 5%', 10), 'EV537', 'Late')).toContain(
      'says 5%, but 10% is added',
    )
  })

  const withSeats = (label: string, soldOutMessage = 'It is full'): string =>
    replaceInSample(
      [
        'form:\n',
        `quotas:\n  - {id: seats, each_option_of: shop, max: {ecg: 40, usg: 30}, full: "${soldOutMessage}"}\nform:\n`,
      ],
      [
        MEMBER,
        `${MEMBER}        - id: shop\n          type: many\n          label: Workshops\n          options:\n            - {id: ecg, label: "${label}"}\n            - {id: usg, label: Ultrasound}\n`,
      ],
    )
  test.each([
    'ECG (limited to 50 seats)',
    'ECG, 30 seats only',
    'ECG – max. 45 participants',
    'ECG: only 4 places',
  ])('"%s" contradicts a quota of 40', (label) => {
    expect(findMessages(withSeats(label), 'EV538', label)).toContain('the quota is 40')
  })
  test.each([
    'ECG (limited to 40 seats)',
    'ECG with 12 delegates at each table',
    'ECG in a room with 60 seats',
    'ECG, 2 places left',
    'ECG, only 5 places left',
    'ECG, limited to 2 places per hospital',
    'ECG: teams of 4 participants',
    'Quiz (a team has max. 4 participants)',
    'ECG, limited to 2 delegates from each city',
    'ECG: all 12 participants present a case',
  ])('%s is correct', (label) => {
    expect(listFindings(withSeats(label))).toEqual([])
  })
  test('a wrong number of seats in the message for a full quota is reported', () => {
    expect(findMessages(withSeats('ECG', 'All 35 seats are taken'), 'EV538', 'All 35')).not.toBe('')
    expect(
      findMessages(withSeats('ECG', 'All 35 seats of this workshop are taken'), 'EV538', 'All 35'),
    ).not.toBe('')
    expect(listFindings(withSeats('ECG', 'All 30 seats are taken'))).toEqual([])
    expect(listFindings(withSeats('ECG', 'All places are taken; 12 delegates wait'))).toEqual([])
  })
})

describe('a text that names another event in the same folder', () => {
  const secondEvent = sampleFile
    .replaceAll('sample2026', 'ortho2026')
    .replace('Sample 2026', 'ORTHOCON 2026')
    .replace('SMPL', 'ORTH')
  const thirdEvent = sampleFile
    .replaceAll('sample2026', 'sample2025')
    .replace('Sample 2026', 'Sample 2025')
    .replaceAll('2026-', '2025-')
    .replace('SMPL', 'OLDS')
  const checkTogether = (text: string): readonly string[] =>
    compileEvents(
      [
        { path: 'sample2026.yaml', text },
        { path: 'ortho2026.yaml', text: secondEvent },
        { path: 'sample2025.yaml', text: thirdEvent },
      ],
      shared,
    ).files.flatMap(({ findings }) =>
      findings.map(({ code, message, at }) => `${at.path} ${code} ${at.start.line}: ${message}`),
    )
  test.each([
    'You have registered for ORTHOCON 2026.',
    'Welcome to ORTHOCON 2026, and come early. Bring this mail along with your card.',
    'Your page: https://conf.example/ortho2026',
    'Pay again at /ortho2026 until Friday',
  ])('%s is reported', (line) => {
    const text = withEmail(line)
    expect(checkTogether(text)).toEqual([
      expect.stringContaining(`sample2026.yaml EV808 ${findLine(text, line)}: `),
    ])
  })
  test('a button on the failed-payment page that leads to another event is reported', () => {
    const text = replaceInSample([
      DETAILS,
      'failed: {title: Sorry, details: [order_id], buttons: [{label: Try Again, go: /ortho2026}]}',
    ])
    expect(checkTogether(text)).toEqual([expect.stringContaining('EV808')])
  })
  test.each([
    'You have registered for Sample 2026.',
    'Sample 2025 was a success; we look forward to Sample 2026',
    'Delegates who also attend ORTHOCON 2026 pay less there',
    'Delegates of ORTHOCON 2026 come free',
    'The bus leaves after ORTHOCON 2026',
    'Our friends of ORTHOCON meet in June, and ORTHOCON 2026A is another event',
    'Write to help@ortho2026.example, or see https://ortho2026.example and /ortho2026-old',
  ])('%s is correct', (line) => {
    expect(checkTogether(withEmail(line))).toEqual([])
  })
  test('can be allowed with a reason, even when the file is checked on its own', () => {
    const text = `${withEmail('Welcome to ORTHOCON 2026')}allow:\n  - {code: EV808, because: They share a hall.}\n`
    expect(checkTogether(text)).toEqual([])
    expect(listFindings(text)).toEqual([])
  })
})
