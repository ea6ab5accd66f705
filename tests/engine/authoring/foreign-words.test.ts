/** Words from other tools, which are reported with the correct word, and similar words that are correct. */
import { describe, expect, test } from 'vitest'
import { applyFixes, compileEvent } from '../../../engine/authoring.ts'
import { sampleFile, shared } from './goldens.ts'
import { addField, collectFindings, findLine, listFindings } from './sample-file.ts'

const NAME = '{id: full_name, label: Full Name, required: true}'
const MEMBER = '{id: is_member, type: yes-no, label: Member, default: false}'
const fileWithFields = sampleFile.replace(
  `        - ${MEMBER}`,
  [
    '        - {id: role, type: select, label: Role, options: [consultant, pg, faculty], required: true}',
    '        - {id: age, type: number, label: Age, required: true}',
    '        - {id: guests, type: number, label: Guests, required: true}',
    `        - ${MEMBER}`,
  ].join('\n'),
)

/** Expects a finding on the line of `part`, with a help text that contains `help`. */
function expectHelp(text: string, part: string, help: string): void {
  const findingsHere = collectFindings(text).filter(
    ({ at }) => at.start.line === findLine(text, part),
  )
  expect(findingsHere.map((finding) => finding.help ?? '').join('\n')).toContain(help)
}

test('the files are valid without the mistakes', () => {
  expect(listFindings(sampleFile)).toEqual([])
  expect(listFindings(fileWithFields)).toEqual([])
})

test('a condition that uses an option’s label is reported with the id', () => {
  const fileWithLabel = fileWithFields.replace(
    'pg, faculty]',
    '{id: pg, label: Post Graduate}, faculty]',
  )
  expectHelp(
    fileWithLabel.replace('when: {is_member: true}', 'when: {role: Post Graduate}'),
    'role: Post',
    'write pg, the id of this option',
  )
})

test('`hide_when` is reported with `show_when` and the opposite condition', () => {
  const line = 'id: council, label: Council, hide_when: {is_member: true}'
  expectHelp(addField(line), 'hide_when', 'write show_when with the opposite')
})

describe('yes or no instead of a message', () => {
  test.each([
    'yes',
    'Yes',
    'YES',
    'Y',
    '"true"',
    '"True"',
    'on',
    '"1"',
    '1',
    'mandatory',
    'Mandatory',
    'compulsory',
    'must',
    'a must',
    'always',
    'needed',
    'req',
    'essential',
    '"*"',
    'Yes!',
  ])('required: %s', (word) => {
    const line = NAME.replace('true}', `${word}}`)
    expectHelp(sampleFile.replace(NAME, line), line, 'write `true`')
  })
  test.each([
    'no',
    'No',
    'NO',
    'N',
    '"false"',
    '"no"',
    'off',
    '"0"',
    '0',
    'none',
    'nil',
    'optional',
    'Optional',
    'not required',
    'not mandatory',
    'non-mandatory',
    'never',
    'if any',
    'if applicable',
    'not needed',
    'NA',
  ])('required: %s', (word) => {
    const line = NAME.replace('true}', `${word}}`)
    expectHelp(sampleFile.replace(NAME, line), line, 'write `false`')
  })
  test.each([
    'Required',
    'Full name is required',
    'Please give your name',
    'Mandatory field',
    'This field is mandatory',
    'Required for members',
    'No name, no badge',
    'true',
    'TRUE',
    'false',
    'Name?',
    'പേര് എഴുതുക',
  ])('required: %s is not reported', (word) => {
    expect(
      listFindings(
        addField(
          `id: badge, label: Name on the badge, required: ${JSON.stringify(word)}`.replace(
            /"(true|TRUE|false)"/,
            '$1',
          ),
        ),
      ).filter((finding) => /EV008|EV516/.test(finding)),
    ).toEqual([])
  })

  test('required: false means not required', () => {
    const { event } = compileEvent(addField('id: badge, label: Badge, required: false'), shared)
    expect(event?.fields.find(({ id }) => id === 'badge')?.required).toBeUndefined()
  })
})

describe('consent', () => {
  test.each([
    'id: terms, type: yes-no, label: I agree to the terms and conditions, required: true',
    'id: terms, type: yes-no, label: I accept the refund policy, required: Please accept',
    'id: terms, type: yes-no, label: I hereby declare that the above is true, required: true',
    'id: terms, type: yes-no, label: I have read the rules, required: true',
    'id: terms, type: yes-no, label: I consent to the processing of my data, required: true',
    'id: terms, type: yes-no, label: I confirm that I am a post graduate, default: false',
    'id: terms, type: yes-no, label: Terms and conditions, required: true',
    'id: terms, type: yes-no, as: switch, label: I agree to the code of conduct, default: true',
    'id: terms, type: yes-no, label: I agree to receive the newsletter, default: true',
    'id: terms, type: yes-no, label: I agree to be photographed, default: true',
    'id: terms, type: select, as: radio, label: I agree to the terms, options: [I agree, I do not agree], required: true',
    'id: terms, type: select, label: I accept the terms, options: [I accept], default: I accept',
  ])('%s', (line) => {
    const text = addField(line)
    const typeFindings = collectFindings(text).filter(({ code }) => code === 'EV516')
    expect(typeFindings.map(({ at }) => at.start.line)).toEqual([findLine(text, line)])
    expect(typeFindings[0]?.help).toMatch(/\b(?:write|remove)\b/)
  })
  test.each([
    'id: terms, type: select, as: radio, label: I agree to the terms, options: [I agree], required: true',
    'id: photos, type: yes-no, label: I agree to be photographed, required: true',
    'id: news, type: yes-no, label: I agree to receive the newsletter, default: false',
    'id: paper, type: yes-no, label: I present a paper, default: true',
    'id: veg, type: yes-no, label: I accept vegetarian food only, default: false',
    'id: stay, type: yes-no, label: I need a room, required: true',
    'id: agreed, label: Name of the person who agreed to your leave',
  ])('%s is an ordinary field', (line) => {
    expect(listFindings(addField(line))).toEqual([])
  })
})

describe('a field that decides the category', () => {
  test.each([
    [
      'a yes-no field without a default',
      MEMBER,
      MEMBER.replace(', default: false', ''),
      'write required: true',
    ],
    [
      'a yes-no field that is not required',
      MEMBER,
      MEMBER.replace('default', 'required'),
      'write required: true',
    ],
  ])('%s is reported, because it can be left unanswered', (_what, from, line, help) => {
    expectHelp(sampleFile.replace(from, line), line, help)
  })
  test('a choice and a number are reported if they can be left unanswered', () => {
    const text = fileWithFields
      .replaceAll(', required: true}\n        - {id: guests', '}\n        - {id: guests')
      .replace('faculty], required: true}', 'faculty]}')
      .replace('{is_member: true}, then: member}', '{role: pg, age: {below: 40}}, then: member}')
    expect(listFindings(text).map((finding) => finding.slice(0, 5))).toEqual(['EV517', 'EV517'])
  })
  test.each([
    ['a required yes-no field', MEMBER.replace('default: false', 'required: true')],
    [
      'a yes-no field that is required, with a message',
      MEMBER.replace('default: false', 'required: Please answer'),
    ],
  ])('%s is not reported, because it is always answered', (_what, line) => {
    expect(listFindings(sampleFile.replace(MEMBER, line))).toEqual([])
  })
  test('a field that can be left unanswered is not reported if a rule covers that case', () => {
    const text = sampleFile
      .replace(MEMBER, MEMBER.replace(', default: false', ''))
      .replace('{otherwise: visitor}', '{when: {is_member: {not: true}}, then: visitor}')
    expect(listFindings(text)).toEqual([])
  })
})

describe('conditions in the notation of other tools', () => {
  test.each([
    ['{age: 70}', '{at_least: 70}'],
    ['{age: "70+"}', '{at_least: 70}'],
    ['{age: 70+}', '{at_least: 70}'],
    ['{age: ">70"}', '{above: 70}'],
    ['{age: >70}', '{above: 70}'],
    ['{age: ">= 70"}', '{at_least: 70}'],
    ['{age: "<70"}', '{below: 70}'],
    ['{age: 60-70}', '{at_least: 60, at_most: 70}'],
    ['{age: 60 to 70}', '{at_least: 60, at_most: 70}'],
    ['{age: 60–70}', '{at_least: 60, at_most: 70}'],
    ['{age: above 70}', '{above: 70}'],
    ['{age: 70 and above}', '{at_least: 70}'],
    ['{age: 70 years and above}', '{at_least: 70}'],
    ['{age: below 30}', '{below: 30}'],
    ['{age: up to 30}', '{at_most: 30}'],
    ['{age: [60, 70]}', '{at_least: 60, at_most: 70}'],
    ['{age: {min: 70}}', 'at_least: 70'],
    ['{age: {gte: 70}}', 'at_least: 70'],
    ['{age: {over: 70}}', 'above: 70'],
    ['{age: {max: 30}}', 'at_most: 30'],
    ['{age: {">": 70}}', 'above: 70'],
    ['{age: {between: [60, 70]}}', '{at_least: 60, at_most: 70}'],
    ['{age > 70}', '{age: {above: 70}}'],
    ['{age: "70"}', 'write 70'],
    ['{role: pg, faculty}', 'role: [pg, faculty]'],
    ['{role: pg, faculty, is_member: true}', 'role: [pg, faculty]'],
    ['{role: pg or faculty}', 'role: [pg, faculty]'],
    ['{role: pg/faculty}', 'role: [pg, faculty]'],
    ['{role: "pg, faculty"}', 'role: [pg, faculty]'],
    ['{role: pg and faculty}', 'role: [pg, faculty]'],
    ['{role: PG & Faculty}', 'role: [pg, faculty]'],
    ['{role: [pg faculty]}', 'role: [pg, faculty]'],
    ['{role: {pg, faculty}}', '[pg, faculty]'],
    ['{role: [pg, faculty}', 'write ]}'],
    ['{role: (pg, faculty)}', 'role: [pg, faculty]'],
    ['{role: pg, role: faculty}', 'role: [pg, faculty]'],
    ['{role: not pg}', 'role: {not: pg}'],
    ['{role: "!pg"}', 'role: {not: pg}'],
    ['{role: any}', 'remove `role`'],
    ['{role: {ne: pg}}', 'not: pg'],
    ['{role: {in: [pg]}}', 'write a list'],
    ['{role: {equals: pg}}', 'write the value itself'],
    ['{role == pg}', '{role: pg}'],
    ['{is_member: yes}', 'write `true`'],
    ['{is_member: "Yes"}', 'write `true`'],
    ['{is_member: Y}', 'write `true`'],
    ['{is_member: 1}', 'write `true`'],
    ['{is_member: "true"}', 'write `true`'],
    ['{is_member: No}', 'write `false`'],
    ['{is_member: N}', 'write `false`'],
    ['{is_member: 0}', 'write `false`'],
    ['{is_member}', '{is_member: true}'],
    ['is_member', '{is_member: true}'],
    ['is_member = yes', '{is_member: true}'],
    ['{or: [{role: pg}, {is_member: true}]}', 'write a list of conditions'],
    ['{field: role, equals: pg}', 'write the name of the field'],
  ])('%s', (condition, help) => {
    const line = `    - {when: ${condition}, then: member}`
    expectHelp(
      fileWithFields.replace('    - {when: {is_member: true}, then: member}', line),
      line,
      help,
    )
  })
  test.each([
    '{guests: 0}',
    '{guests: 2}',
    '{guests: [1, 2]}',
    '{guests: {at_least: 1}}',
    '{age: {at_least: 70}}',
    '{age: {above: 60, at_most: 70}}',
    '{role: [pg, faculty]}',
    '{role: {not: [pg, faculty]}}',
    '{role: pg, is_member: true}',
    '[{role: pg}, {age: {at_least: 70}}]',
  ])('%s is correct', (condition) => {
    const line = `    - {when: ${condition}, then: member}`
    expect(
      listFindings(fileWithFields.replace('    - {when: {is_member: true}, then: member}', line)),
    ).toEqual([])
  })
})

describe('the last rule', () => {
  test.each([
    ['- {else: visitor}', 'otherwise: visitor'],
    ['- {default: visitor}', 'otherwise: visitor'],
    ['- else: visitor', 'otherwise: visitor'],
    ['- else visitor', '{otherwise: visitor}'],
    ['- otherwise visitor', '{otherwise: visitor}'],
    ['- {when: otherwise, then: visitor}', '{otherwise: visitor}'],
    ['- {when: else, then: visitor}', '{otherwise: visitor}'],
    ['- {when: true, then: visitor}', '{otherwise: visitor}'],
    ['- {when: any, then: visitor}', '{otherwise: visitor}'],
    ['- {when: {is_member: false}, otherwise: visitor}', 'only {otherwise: …}'],
    ['- {when: {}, then: visitor}', 'only {otherwise: …}'],
    ['- {then: visitor}', 'write `otherwise` instead of `then`'],
    ['- {otherwise: {then: visitor}}', 'write otherwise: visitor'],
    ['- {if: {is_member: false}, then: visitor}', 'write when'],
    ['- {when: {is_member: false}, category: visitor}', 'write then: visitor'],
    ['- {when: {is_member: false}, give: visitor}', 'write then: visitor'],
  ])('%s', (rule, help) => {
    expectHelp(sampleFile.replace('- {otherwise: visitor}', rule), rule, help)
  })
})

describe('words from other form builders', () => {
  test.each([
    ['dropdown', 'select'],
    ['drop-down', 'select'],
    ['choice', 'select'],
    ['radio', 'select, as: radio'],
    ['checkbox', 'yes-no'],
    ['checkboxes', 'many'],
    ['multi-select', 'many'],
    ['companions', 'people'],
    ['repeater', 'people'],
    ['terms', 'consent'],
    ['boolean', 'yes-no'],
    ['toggle', 'yes-no'],
    ['yesno', 'yes-no'],
    ['yes/no', 'yes-no'],
    ['mobile', 'phone'],
    ['tel', 'phone'],
    ['whatsapp', 'phone'],
    ['textarea', 'multiline'],
    ['longtext', 'multiline'],
    ['paragraph', 'multiline'],
    ['string', 'text'],
    ['int', 'number'],
    ['numeric', 'number'],
    ['datetime', 'date'],
    ['dob', 'date'],
    ['upload', 'file'],
    ['attachment', 'file'],
    ['mail', 'email'],
    ['email id', 'email'],
  ])('type: %s is reported with the type %s', (word, expected) => {
    const line = `{id: extra, type: ${word}, label: Extra}`
    const text = addField(line.slice(1, -1))
    expectHelp(text, line, `write type: ${expected}`)
    expect(collectFindings(text)).toHaveLength(1)
  })
  test.each([
    ['Your terms', 'options: [a, b]', 'many'],
    ['I agree to the terms', 'required: true', 'consent'],
    ['I come by car', 'required: true', 'yes-no'],
  ])(
    'type: checkbox, with the label “%s” and %s, is reported with the matching type',
    (label, properties, correction) => {
      const line = `{id: extra, type: checkbox, label: ${label}, ${properties}}`
      expectHelp(addField(line.slice(1, -1)), line, `write type: ${correction}`)
    },
  )
  test.each([
    ['min: 1', 'at_least: 1'],
    ['maximum: 2', 'at_most: 2'],
    ['exclusive: [[a, b]]', 'mutually_exclusive'],
    ['hint: Two at most', 'message: Two at most'],
    ['mutually_exclusive: [a, b]', '[[a, b], [c, d]]'],
  ])('a choice with %s is reported with a correction', (entry, help) => {
    const line = `choose: {${entry}}`
    expectHelp(
      addField(`id: extra, type: many, label: Extra, options: [a, b], ${line}`),
      line,
      help,
    )
  })
  test.each([
    ['mandatory: true', 'required: true'],
    ['show_if: {is_member: true}', 'show_when'],
    ['type: checkboxes', 'many'],
  ])('a field asked for each person, with %s, is reported with a correction', (entry, help) => {
    const line = `{id: name, label: Name, ${entry}}`
    expectHelp(
      addField(`id: extra, type: people, label: Extra, max: 2, fields: [${line}]`),
      line,
      help,
    )
  })
  test.each([
    ['mandatory: true', 'required: true'],
    ['compulsory: yes', 'required: true'],
    ['mandatory: no', 'remove this'],
    ['show_if: {is_member: true}', 'show_when'],
    ['showIf: {is_member: true}', 'show_when'],
    ['visible_if: is_member', 'show_when: {is_member: true}'],
    ['depends_on: is_member', 'show_when: {is_member: true}'],
    ['placeholder: Dr', 'hint: Dr'],
    ['help_text: as on the badge', 'hint: as on the badge'],
    ['choices: [a, b]', 'options'],
    ['values: [a, b]', 'options'],
    ['max_chars: 10', 'max_length: 10'],
    ['required_if: {is_member: true}', 'required: {when:'],
    ['error: Wrong', 'invalid: Wrong'],
    ['multiple: true', 'write type: many'],
    ['multiple: false', 'a select has one answer: remove this'],
    ['max_choices: 2', 'write choose: {at_most: 2}'],
    ['regex: "[A-Z]{5}"', 'write pattern: "[A-Z]{5}"'],
    ['min_length: 3', 'write pattern: ".{3,}"'],
    ['price: 500', 'fees.prices'],
    ['type: number, default: none', 'remove `default`'],
    ['type: yes-no, default: none', 'write `false`'],
    ['show_when: {category: member or visitor}', 'write [member, visitor]'],
  ])('a field with %s is reported with a correction', (entry, help) => {
    expectHelp(addField(`id: extra, label: Extra, ${entry}`), entry, help)
  })
  test.each([
    ['venue: Town Hall', 'location: Town Hall', 'venue: Town Hall'],
    ['from: 2026-03-07', 'start: 2026-03-07', 'from: 2026-03-07'],
    ['to: 2026-03-08', 'end_date: 2026-03-08', 'to: 2026-03-08'],
    [
      'support: help@sample.example',
      'contact: help@sample.example',
      'support: help@sample.example',
    ],
    ['title: Sample 2026', 'name: Sample 2026', 'title: Sample 2026'],
    ['status: open', 'status: active', 'status: open'],
    ['status: open', 'status: yes', 'status: open'],
    ['  prices:', '  cost:', 'prices'],
    ['  prices:', '  amounts:', 'prices'],
    ['fees:', 'pricing:', 'fees'],
    ['{id: early, to: 2026-01-31}', '{id: early, end: 2026-01-31}', 'to: 2026-01-31'],
    ['{id: early, to: 2026-01-31}', '{name: early, to: 2026-01-31}', 'id: early'],
    ['{id: member}', '{id: member, name: Members}', 'label: Members'],
    ['{id: member}', '{id: member, price: 1000}', 'fees.prices'],
    ['label: Full Name', 'title: Full Name', 'label: Full Name'],
    ['id: full_name', 'name: full_name', 'id: full_name'],
    ['  tax:', '  currency: Rs\n  tax:', 'remove it'],
    ['payment: {gateway: card-gateway, account: sample}', 'payment: free', 'payment: none'],
    ['payment: {gateway: card-gateway, account: sample}', 'payment: airpay', '{gateway: airpay'],
    ['    visitor: [2000, 2500]', '    visitor: none', '[none, none]'],
  ])('%s → %s', (original, replacement, help) => {
    const text = sampleFile.replace(original, replacement)
    expectHelp(text, replacement, help)
    expect(collectFindings(text).filter(({ code }) => code === 'EV102')).toEqual([])
  })
  test.each([
    ['theme', 'theme: none'],
    ['about', 'about: N/A'],
    ['hours', 'hours: nil'],
    ['theme', 'theme: "no"'],
  ])('the word %s instead of `none` is reported: %s', (_key, line) => {
    const text = sampleFile.replace('  venue:', `  ${line}\n  venue:`)
    expectHelp(text, line, 'remove')
  })
})

describe('validate --fix for a field type in another spelling', () => {
  const applyAllFixes = (line: string): string => {
    const text = addField(line)
    return applyFixes(text, collectFindings(text)).text
  }

  test.each([
    ['yes_no', 'yes-no'],
    ['YesNo', 'yes-no'],
    ['"yes/no"', 'yes-no'],
    ['multi_line', 'multiline'],
    ['e-mail', 'email'],
  ])('writes type: %s as type: %s', (written, type) => {
    expect(applyAllFixes(`id: paper, type: ${written}, label: I present a paper`)).toContain(
      `{id: paper, type: ${type}, label: I present a paper}`,
    )
  })

  test.each([
    ['checkbox', 'I present a paper'],
    ['yes_no', 'I agree to the terms'],
  ])('leaves type: %s of “%s”, because other types are as likely', (written, label) => {
    expect(applyAllFixes(`id: paper, type: ${written}, label: ${label}`)).toContain(
      `type: ${written}, label: ${label}}`,
    )
  })
})
