/** Slips of the hand in a correct file: each is told at the line a person would point at, with what to write instead. */
import { describe, expect, test } from 'vitest'
import { applyFixes, compileEvent, formatFindings } from '../../engine/index.ts'
import { base, shared } from './goldens.ts'

const path = 'sample2026.yaml'
const MEMBER = 'member:  [1000, 1500]'
const VENUE = 'venue: Town Hall'
const NAME = '{id: full_name, label: Full Name, required: true}'
const DETAILS = 'failed: {title: Sorry, details: [order_id]}'
const PRICES = base.slice(base.indexOf('    period:  [early'), base.indexOf('form:\n'))
const mail = (text: string): string => `${DETAILS}\nemail:\n  subject: Hello\n  text: |\n${text}`

/** What is replaced, what is typed instead, what must be said; and how many lines below the first change, when not at it. */
type Slip = readonly [from: string, to: string, says: string, below?: number]

const price = (cell: string, says: string): Slip => [MEMBER, `member:  [${cell}, 1500]`, says]
const row = (line: string, says = 'member: [1000, 1500]'): Slip => [MEMBER, line, says]
const venue = (value: string, says: string): Slip => [VENUE, `venue:${value}`, says]
const support = (value: string, says: string): Slip => [
  'support: help@sample.example',
  `support: ${value}`,
  says,
]
const success = (title: string, says: string): Slip => [
  'success: {title: Thank you, details: [reg_no, total]}',
  `success: {title: ${title}, details: [reg_no, total]}`,
  says,
]
const look = (colour: string, says: string): Slip => [
  'format: 1\n',
  `format: 1\nlook:\n  colour: ${colour}\n`,
  says,
  2,
]

const typing: Readonly<Record<string, readonly Slip[]>> = {
  'a price': [
    price('Rs. 1000', 'write 1000'),
    price('Rs 1,000/-', 'write [1000, 1500]'),
    price('₹1000', 'write 1000'),
    price('₹ 1,000', 'write [1000, 1500]'),
    price('INR 1000', 'write 1000'),
    price('1000/-', 'write 1000'),
    price('1000/=', 'write 1000'),
    price('1,000', 'write [1000, 1500]'),
    price('1 000', 'write 1000'),
    price("1'000", 'write 1000'),
    price('1k', 'write 1000'),
    price('1K', 'write 1000'),
    price('1.5 lakh', 'write 150000'),
    price('2 lacs', 'write 200000'),
    price('1000 only', 'write 1000'),
    price('Rupees 1000', 'write 1000'),
    price('One thousand', 'write 1000'),
    price('Rs. One Thousand Only', 'write 1000'),
    price('Free', 'write free'),
    price('Nil', 'write free'),
    price('complimentary', 'write free'),
    price('-', 'write none'),
    price('—', 'write none'),
    price('NA', 'write none'),
    price('N/A', 'write none'),
    price('sold out', 'write none'),
    price('TBA', 'under demo:'),
    price('to be announced', 'under demo:'),
    price('?', 'under demo:'),
    price('1OOO', 'write 1000'),
    price('l000', 'write 1000'),
    price('१०००', 'write 1000'),
    price('൧൦൦൦', 'write 1000'),
    price('１０００', 'write 1000'),
    price('“1000”', 'write 1000'),
    price('"1000"', 'write 1000'),
    price('1000 + GST', 'write 1000'),
    price('1000 incl. GST', 'write 1000'),
    price('$20', 'in rupees'),
    price('same', 'the amount itself'),
    price('~', 'write'),
    row('member:  [1000 1500]', 'write 1000, 1500'),
    row('member:  [1000; 1500]', 'write 1000, 1500'),
    row('member:  1000, 1500', 'write [1000, 1500]'),
    row('member:  (1000, 1500)', 'write [1000, 1500]'),
    row('member:  {1000, 1500}', 'write [1000, 1500]'),
    row('member:  1000', 'write [1000]'),
    row('member:  [1,000, 1,500]', 'write [1000, 1500]'),
    ['percent: 18', 'percent: 18%', 'write 18'],
    ['percent: 18', 'percent: eighteen', 'write 18'],
    ['followed_by: digits}', 'followed_by: digits, digits: 13 digits}', 'write 13'],
  ],
  'quotes of a word processor, or one too many': [
    venue(' “Town Hall”', 'write "Town Hall"'),
    venue(' ‘Town Hall’', 'write "Town Hall"'),
    venue(' «Town Hall»', 'write "Town Hall"'),
    venue(' „Town Hall“', 'write "Town Hall"'),
    venue(' ”Town Hall”', 'write "Town Hall"'),
    venue(' ‹Town Hall›', 'write "Town Hall"'),
    venue(' “Town Hall"', 'write "Town Hall"'),
    venue(' "Town Hall”', 'write "Town Hall"'),
    venue(' Town Hall"', 'write "Town Hall"'),
    venue(' ´Town Hall´', 'write "Town Hall"'),
    ['status: open', 'status: “open”', '`open`'],
    ['from: 2026-03-07', 'from: “2026-03-07”', 'write 2026-03-07'],
    ['{id: email, type', '{id: “email”, type', 'write email'],
    ['form: /sample2026', 'form: “/sample2026”', 'write /sample2026'],
    success('“Thank you”', 'write "Thank you"'),
    venue(' ""Town Hall""', 'write venue: "Town Hall"'),
    venue(" 'Men's Hall'", `write venue: "Men's Hall"`),
    venue(' "Town" Hall', `write venue: '"Town" Hall'`),
  ],
  'a sign, an address, a number': [
    [DETAILS, mail('    Paid Rs. {total}\n'), 'write {total}', 4],
    [DETAILS, mail('    Dear {full_name},\n    paid ₹{total}\n'), 'write {total}', 5],
    [DETAILS, mail('    INR {base} and {gst}\n'), 'write {base}', 4],
    [DETAILS, mail('    Amount: {total} INR\n'), 'write {total}', 4],
    success('"Paid ₹ {total}"', 'write {total}'),
    support('mailto:help@sample.example', 'write help@sample.example'),
    support('help@sample.example,', 'write help@sample.example'),
    support('help@sample.example.', 'write help@sample.example'),
    support('help @sample.example', 'write help@sample.example'),
    support('<help@sample.example>', 'write help@sample.example'),
    support('help(at)sample.example', 'write help@sample.example'),
    support('help at sample dot example', 'write help@sample.example'),
    support('Office <help@sample.example>', 'write help@sample.example'),
    support('help@gmail.con', 'write help@gmail.com'),
    support('help@gmial.com', 'write help@gmail.com'),
    support('help@gmail', 'write help@gmail.com'),
    support('help@yahoo.co,in', 'write help@yahoo.co.in'),
    support('help@yaho.com', 'write help@yahoo.com'),
    support('help@clinic.cmo', 'write help@clinic.com'),
    support('help@sample.orgg', 'write help@sample.org'),
    support('a@sample.example, b@sample.example', 'write a@sample.example'),
    support('a@sample.example; b@sample.example', 'write a@sample.example'),
    support('help@sample', 'an address ends in'),
    support('help.sample.example', 'write one address'),
    support('+91 98765 43210', 'an e-mail address'),
    support('9876543210', 'an e-mail address'),
    [DETAILS, mail('    Write to office@gmail.con for help.\n'), 'write office@gmail.com', 4],
    [DETAILS, mail('    See http:/sample.example/map\n'), 'write https://sample.example/map', 4],
    [DETAILS, mail('    See https//sample.example\n'), 'write https://sample.example', 4],
    [DETAILS, mail('    See htttp://sample.example\n'), 'write https://sample.example', 4],
    [DETAILS, mail('    See www,sample.example\n'), 'write www.sample.example', 4],
    [DETAILS, mail('    Call +91 98765 4321\n'), 'has 9 digits', 4],
    [DETAILS, mail('    WhatsApp 98765432101\n'), 'has 11 digits', 4],
    [DETAILS, mail('    Call +91 98765 432O1\n'), 'letter O', 4],
    ['form: /sample2026', 'form: sample2026', 'write /sample2026'],
    ['form: /sample2026', 'form: /sample2026/', 'write /sample2026'],
    ['form: /sample2026', 'form: https://x.example/sample2026', 'write /sample2026'],
    ['form: /sample2026', 'form: /Sample 2026', 'write /sample-2026'],
    look('#0E7C7B', 'write "#0E7C7B"'),
    look('0E7C7B', 'write "#0E7C7B"'),
    look('"#0e7"', 'write "#00ee77"'),
    look('teal', 'write "#008080"'),
    look('"rgb(14, 124, 123)"', 'write "#0E7C7B"'),
    look('123456', 'write "#123456"'),
    look('"#OE7C7B"', 'write "#0E7C7B"'),
    ['id: sample2026', 'id: Sample 2026', 'write sample2026'],
    ['prefix: SMPL', 'prefix: smpl', 'write SMPL'],
    ['from: 2026-03-07', 'from: 7th March 2026', 'write 2026-03-07'],
    ['from: 2026-03-07', 'from: 07/03/2026', '2026-03-07'],
    ['from: 2026-03-07', 'from: 2026–03–07', 'write 2026-03-07'],
    ['from: 2026-03-07', 'from: 2026-03-O7', 'write 2026-03-07'],
    ['from: 2026-03-07', 'from: ２０２６-03-07', 'write 2026-03-07'],
    ['from: 2026-03-07', 'from: Saturday, March 7, 2026', 'write 2026-03-07'],
  ],
  'spaces and letters that are others': [
    venue('\u00a0Town Hall', 'type a space'),
    venue(' Town Hall\u00a0', 'delete it'),
    venue(' \u200bTown Hall', 'delete it'),
    venue(' Town\u200b Hall', 'delete it'),
    venue('\u2003Town Hall', 'type a space'),
    ['  venue: Town', '\u00a0\u00a0venue: Town', 'type a space'],
    ['  venue: Town', '  \u00a0venue: Town', 'type a space'],
    ['  venue: Town', '\tvenue: Town', 'use spaces'],
    ['  venue: Town', '  venue\u00a0: Town', ''],
    ['  - {id: member}', '  -\u00a0{id: member}', 'type a space'],
    price('\u00a01000', 'type a space'),
    price('1000\u00a0', ''),
    ['status: open', 'status: open\u00a0', 'delete it'],
    [NAME, '{id:\u00a0full_name, label: Full Name, required: true}', 'type a space'],
    [NAME, '{id: full_name,\u00a0label: Full Name, required: true}', 'type a space'],
    ['form: /sample2026', 'form: /s\u0430mple2026', 'type a instead'],
    venue(' Caf\ufffd', 'UTF-8'),
    venue(' â‚¹ Hall', 'write ₹'),
    venue(' Menâ€™s Hall', 'write ’'),
    venue(' Town &amp; Country Hall', 'write &'),
    venue(' Town&nbsp;Hall', 'a space'),
    venue(' <b>Town Hall</b>', 'not a web page'),
    venue(' Town Hall, **Kochi**', 'write Kochi'),
    venue(' The *Town Hall* of Kochi', 'write Town Hall'),
  ],
  'tables, lists and other files, pasted in': [
    row('member:  ［1000, 1500］', 'write [1000, 1500]'),
    row('member:  [1000、1500]', 'write 1000, 1500'),
    [DETAILS, 'failed: {title: Sorry, details: [order_id], notes: [• Come again]}', 'Come again'],
    row('member\t1000\t1500'),
    row('| member | 1000 | 1500 |'),
    row('| member | ₹1,000 | Rs. 1500/- |'),
    row('Member\tRs. 1,000\t1500'),
    [PRICES, '    period\tearly\tlate\n    member\t1000\t1500\n', 'period: [early, late]'],
    [PRICES, '    | period | early | late |\n    |---|---|---|\n', 'period: [early, late]'],
    [PRICES, '    period, early, late\n    member, 1000, 1500\n', 'period: [early, late]'],
    [PRICES, '    +--------+\n    | period | early | late |\n', 'take this line away'],
    [
      DETAILS,
      'failed:\n    title: Sorry\n    details:\n      • order_id\n      • date',
      '- order_id',
      3,
    ],
    [
      DETAILS,
      'failed:\n    title: Sorry\n    details:\n      1. order_id\n      2. date',
      '- order_id',
      3,
    ],
    [
      DETAILS,
      'failed:\n    title: Sorry\n    details:\n      – order_id\n      – date',
      '- order_id',
      3,
    ],
    [
      DETAILS,
      'failed:\n    title: Sorry\n    details:\n      -order_id\n      -date',
      '- order_id',
      3,
    ],
    [
      DETAILS,
      'failed:\n    title: Sorry\n    details:\n      a) order_id\n      b) date',
      '- order_id',
      3,
    ],
    ['  - {id: member}', '  • {id: member}', '- {id: member}'],
    [
      '  - {id: member}\n  - {id: visitor}',
      '  1. {id: member}\n  2. {id: visitor}',
      '- {id: member}',
    ],
    ['  - {id: member}\n  - {id: visitor}', '  -{id: member}\n  -{id: visitor}', '- {id: member}'],
    ['  - {id: member}\n  - {id: visitor}', '  - member\n  - visitor', 'write {id: member}'],
    [
      '  - {id: member}\n  - {id: visitor}',
      '  (a) {id: member}\n  (b) {id: visitor}',
      '- {id: member}',
    ],
  ],
  'a key without its colon, its space or its quotes': [
    row('Member:  [1000, 1500]', 'write member'),
    row('mem–ber:  [1000, 1500]', 'write mem-ber'),
    [VENUE, '*venue:* Town Hall', 'write venue: Town Hall'],
    [VENUE, '**venue**: Town Hall', 'write venue: Town Hall'],
    [VENUE, '“venue”: Town Hall', '`venue`'],
    venue(' Town Hall,', 'write Town Hall'),
    venue(' Town Hall;', 'write Town Hall'),
    venue('Town Hall', 'venue: Town Hall'),
    [VENUE, 'venue = Town Hall', 'venue: Town Hall'],
    [VENUE, 'venue=Town Hall', 'venue: Town Hall'],
    [VENUE, 'venue -> Town Hall', 'venue: Town Hall'],
    [VENUE, 'venue – Town Hall', 'venue: Town Hall'],
    [VENUE, 'venue - Town Hall', 'venue: Town Hall'],
    [VENUE, 'venue; Town Hall', 'venue: Town Hall'],
    [VENUE, 'venue：Town Hall', 'venue: Town Hall'],
    [VENUE, 'venue Town Hall', 'venue: Town Hall'],
    [VENUE, 'venue', 'venue:'],
    row('member:[1000, 1500]'),
    row('member [1000, 1500]'),
    row('member = [1000, 1500]'),
    [NAME, NAME.replaceAll(': ', ':'), NAME],
    [NAME, NAME.replace('id: ', 'id:'), NAME],
    [NAME, NAME.replaceAll(': ', ' = '), NAME],
    [
      '{when: {is_member: true}, then: member}',
      '{when: {is_member:true}, then: member}',
      'is_member: true',
    ],
    venue(' @Town Hall', 'write venue: "@Town Hall"'),
    venue(' `Town Hall`', 'write venue: "`Town Hall`"'),
    venue(' %Town', 'write venue: "%Town"'),
    venue(' *Town', 'needs quotes'),
    venue(' *Town* Hall', 'write venue: "*Town* Hall"'),
    venue(' &Town Hall', 'needs quotes'),
    venue(' !Town', 'needs quotes'),
    venue(' > Town', 'write venue: "> Town"'),
    venue(' |Town', 'write venue: "|Town"'),
    venue(' - Town', 'write venue: "- Town"'),
    venue(' ? Town', 'write venue: "? Town"'),
    venue(' #1 Hall', 'write "#1 Hall"'),
    venue(' [Town] Hall', 'write venue: "[Town] Hall"'),
    venue(' Town Hall: the large room', 'write venue: "Town Hall: the large room"'),
    venue(' Town Hall #2', 'write "Town Hall #2"'),
  ],
}

const places: Readonly<Record<string, readonly Slip[]>> = {
  'a bracket or quote that is missing': [
    [NAME, `${NAME.slice(0, -1)},, hint: Both}`, 'take it away'],
    [
      '{when: {is_member: true}, then: member}',
      '{when: is_member: true}, then: member}',
      'write {is_member:',
    ],
    [
      '{when: {is_member: true}, then: member}',
      'when: {is_member: true}, then: member',
      'write {when: {is_member: true}, then: member}',
    ],
    ['- {otherwise: visitor}', '{otherwise: visitor}', 'write - {otherwise: visitor}'],
    ['{id: early, to: 2026-01-31}', '{id: early, to 2026-01-31}', 'write to: 2026-01-31'],
    [DETAILS, mail('    Dear {full_name},\n   paid {total}\n'), 'column 5', 5],
    [
      DETAILS,
      `${DETAILS}\nemail:\n  subject: Hello\n  text:\n    Dear {full_name},\n    thank you: {reg_no}`,
      'write text: |',
      3,
    ],
    row('member:  [1000, 1500}', 'write ] instead of }'),
    row('member:  [1000, 1500)', 'write ] instead of )'),
    ['then: member}', 'then: member]', 'write } instead of ]'],
    ['{when: {is_member: true}, then', '{when: {is_member: true}; then', 'write , instead of ;'],
    [
      DETAILS,
      mail('    Dear {full_name},\nwe look forward to seeing you.\n'),
      'as far to the right',
      5,
    ],
    [
      `  ${VENUE}`,
      `<<<<<<< HEAD\n  ${VENUE}\n=======\n  venue: Kochi\n>>>>>>> main`,
      'keep one of the two',
    ],
    ['event:\n', 'events:\n', 'did you mean `event`'],
    [DETAILS, mail('    {event.name}\n'), '`{event.title}`', 4],
    [DETAILS, mail('    Your number: {registration_no}\n'), '`{reg_no}`', 4],
    [DETAILS, mail('    Hello,\n    paid {{total}}\n'), 'write {total}', 5],
    [DETAILS, mail('    Total: [total]\n'), 'write {total}', 4],
    [DETAILS, mail('    Total: %total%\n'), 'write {total}', 4],
    [DETAILS, mail('    Total: <total>\n'), 'write {total}', 4],
    [DETAILS, mail('    Dear «full_name»,\n'), 'write {full_name}', 4],
    row('member:  [1000, 1500', 'add ]'),
    row('member:  1000, 1500]', 'write [1000, 1500]'),
    [NAME, NAME.slice(0, -1), 'add }'],
    [NAME, NAME.slice(1), `write ${NAME}`],
    [NAME, `(${NAME.slice(1, -1)})`, `write ${NAME}`],
    [NAME, `${NAME}}`, 'take it away'],
    [NAME, NAME.replace(', label', ' label'), 'full_name, label:'],
    [NAME, NAME.replace('Full Name', '"Full Name'), 'add "'],
    [NAME, NAME.replace('Full Name', "'Full Name"), "add '"],
    [NAME, NAME.replace('Full Name', '"Full Name”'), 'curly'],
    ['summary: {lines: [total]}', 'summary: {lines: [total}', 'write ]}'],
    ['summary: {lines: [total]}', 'summary: {lines: [total]', 'add }'],
    ['summary: {lines: [total]}', 'summary: {lines: [total', 'add ]}'],
    ['summary: {lines: [total]}', 'summary: {lines: total]}', 'take it away'],
    ['summary: {lines: [total]}', 'summary: {lines: [total]}}', 'take it away'],
    ['summary: {lines: [total]}', 'summary: lines: [total]', 'write summary: '],
    ['account: sample}', 'account: sample', 'add }'],
    ['account: sample}', 'account: "sample}', 'add "'],
    ['prices: exclusive}', 'prices: exclusive', 'add }'],
    ['to: 2026-01-31}', 'to: 2026-01-31', 'add }'],
    ['followed_by: digits}', 'followed_by: digits', 'add }'],
    ['failed: /sample2026/failed}', 'failed: /sample2026/failed', 'add }'],
    ['{is_member: true}, then', '{is_member: true, then', ''],
    venue(' "Town Hall', 'add "'),
    venue(" 'Town Hall", "add '"),
    ['title: Sample 2026', 'title: "Sample 2026', 'add "'],
    ['title: You', 'title: "You', 'add "'],
    [DETAILS, DETAILS.slice(0, -1), 'add }'],
    [DETAILS, DETAILS.replace(']}', '}'), 'write ]}'],
    [
      NAME,
      `{id: role, type: select, label: Role, options: [pg,\n             intern}`,
      'write ]}',
      1,
    ],
    [NAME, `{id: role, type: select, label: Role, options: [pg,\n             intern]`, 'add }', 1],
  ],
  'a placeholder': [
    [DETAILS, mail('    Dear {full_name},\n\n    your number is {regno}.\n'), '`{reg_no}`', 6],
    [DETAILS, mail('    Dear {full_name},\n    number {reg_no\n'), 'write {reg_no}', 5],
    [DETAILS, mail('    Dear {full_name},\n    number reg_no}\n'), 'write {reg_no}', 5],
    [DETAILS, mail('    Dear {full_name},\n    number { reg_no }\n'), '`{reg_no}`', 5],
    [DETAILS, mail('    Dear {full_name},\n    number ${reg_no}\n'), 'write {reg_no}', 5],
    [DETAILS, mail('    Dear {full_name},\n    number [reg_no]\n'), 'write {reg_no}', 5],
    [DETAILS, mail('    Dear {full_name},\n    number <reg_no>\n'), 'write {reg_no}', 5],
    [DETAILS, mail('    Dear {full_name},\n    number {{reg_no}}\n'), '{', 5],
    [DETAILS, mail('    Dear {full name},\n'), '`{full_name}`', 4],
    [DETAILS, mail('    Dear {full-name},\n'), '`{full_name}`', 4],
    [DETAILS, mail('    Dear {Name},\n'), '', 4],
    [
      DETAILS,
      `${DETAILS}\nemail:\n  subject: {event.title}\n  text: Hello`,
      'write "{event.title}"',
      2,
    ],
    [
      DETAILS,
      `${DETAILS}\nemail:\n  subject: {event.title} paid\n  text: Hello`,
      '"{event.title} paid"',
      2,
    ],
    [
      DETAILS,
      `${DETAILS}\nemail:\n  subject: "{event.titel}"\n  text: Hello`,
      '`{event.title}`',
      2,
    ],
    success('Thank you {full_name}', 'write "Thank you {full_name}"'),
  ],
}

const judge = (text: string) => compileEvent(text, shared, { path }).findings
const changed = (from: string, to: string): { readonly text: string; readonly line: number } => {
  const parts = base.split(from)
  if (parts.length !== 2)
    throw new Error(`the base holds ${JSON.stringify(from)} ${parts.length - 1} times`)
  return { text: base.replace(from, () => to), line: (parts[0] ?? '').split('\n').length }
}

describe.each([...Object.entries(typing), ...Object.entries(places)])('%s', (_class, slips) => {
  const rows = slips.map(([from, to, says, below = 0]) => ({ from, to, says, below }))
  test.each(rows)('$to', ({ from, to, says, below }) => {
    const { text, line } = changed(from, to)
    const findings = judge(text)
    const told = findings.find(({ at }) => at.start.line === line + below)
    const printed = formatFindings(findings, new Map([[path, text]]))
    expect(told === undefined ? printed : `${told.message} help: ${told.help ?? ''}`).toContain(
      says,
    )
    expect(told?.at.start.line, printed).toBe(line + below)
    expect(told?.help ?? '', printed).not.toBe('')
    expect(printed).not.toContain('[object Object]')
  })
})

/** Slips of which the mending is certain, and what the file must mean after it. */
const mended: readonly Slip[] = [
  venue('\u00a0Town Hall', VENUE),
  venue(' Town Hall\u00a0', VENUE),
  venue(' Town\u200b Hall', VENUE),
  ['status: open', 'status: “open”', 'status: open'],
  ['status: open', 'status: Open', 'status: open'],
  ['status: open', 'status: opne', 'status: open'],
  [VENUE, 'veneu: Town Hall', VENUE],
  [VENUE, 'Venue: Town Hall', VENUE],
  venue(' 2026', 'venue: "2026"'),
  venue(' Town Hall #2', 'venue: "Town Hall #2"'),
  look('#0E7C7B', 'format: 1\nlook:\n  colour: "#0E7C7B"\n'),
  ['title: Thank you', 'title: {event.title}', 'title: "{event.title}"'],
  ['default: false', 'default: no', 'default: false'],
  ['then: member}', 'then: membr}', 'then: member}'],
]
test.each(mended.map(([from, to, right]) => ({ from, to, right })))(
  '--fix makes of $to what was meant',
  ({ from, to, right }) => {
    const { text } = changed(from, to)
    const fixed = applyFixes(text, judge(text))
    expect(fixed.applied).toBeGreaterThan(0)
    expect(compileEvent(fixed.text, shared, { path })).toEqual(
      compileEvent(changed(from, right).text, shared, { path }),
    )
    expect(judge(fixed.text)).toEqual([])
  },
)

test.each<readonly [from: string, to: string]>([
  [NAME, NAME.replaceAll(': ', ':')],
  [NAME, NAME.replace('id: ', 'id:')],
  [MEMBER, 'member:  {1000, 1500}'],
  [MEMBER, 'member:  [Rs. 1000, 1500]'],
  [MEMBER, 'member:  [1,000, 1500]'],
  ['summary: {lines: [total]}', 'summary: {lines: {base, total}}'],
  ['from: 2026-03-07', 'from: 20260307'],
  ['support: help@sample.example', 'support: 9876543210'],
  ['support: help@sample.example', 'support: help@gmail.con'],
  ['format: 1\n', 'format: 1\nlook:\n  colour: 123456\n'],
  [VENUE, 'venue: “Town Hall”'],
  ['id: late,', 'id: day-1,'],
  ['title: Thank you, details: [reg_no', 'title: Thank you, dear delegate, details: [reg_no'],
])('--fix leaves alone what is not certain: %j → %j', (from, to) => {
  const { text } = changed(from, to)
  expect(judge(text)).not.toEqual([])
  expect(applyFixes(text, judge(text))).toEqual({ text, applied: 0 })
})

/** What looks like a slip and is none. */
const harmless: readonly (readonly [from: string, to: string])[] = [
  ...[
    'Town Hall, Kochi',
    '"“Town Hall”"',
    'The “Old” Town Hall',
    "Men's Hall",
    'Town Hall (Rs. 500 more for parking)',
    'Town\u00a0Hall',
    'Hall 5/6',
    'Town Hall – Kochi',
    'Town Hall & Garden',
    'R&D Hall; AT&T Street',
    '"Town Hall #2"',
    'Town Hall # the old one',
    'Town Hall   # the old one',
    'Hall 2*3 (6 * 4 m)',
    'Café des Arts, Pondichéry',
    'β-blocker Hall, 5 µm wide',
    'ടൗൺ ഹാൾ',
    'टाउन हॉल',
    'Hall 10, 5% slope, 30° warm',
    'http://sample.example/map',
    'see https://sample.example.',
    'www.sample.example',
    '+91 98765 43210',
    '+91 484 2345678',
    'phone 0484-2345678',
    'a screen of 65" wide',
    'Hall <5 minutes away>',
    'key=value Hall',
    'Town Hall at 9:30',
    'a_b_c Hall',
    "'Town Hall'",
    '’90s Hall',
  ].map((value) => [VENUE, `venue: ${value}`] as const),
  ...[
    'help@sample.co',
    'help@sample.org.in',
    'help+fees@sample.example',
    'help@mail.com',
    'help@ymail.com',
    'help@conf.con.example',
    'first.last@dept.hospital.ac.in',
    '"help@sample.example"',
  ].map((value) => ['support: help@sample.example', `support: ${value}`] as const),
  ['status: open', 'status: open #for now'],
  ['status: open', 'status: "open"'],
  ['{when: {is_member: true}, then', '{when:{is_member: true}, then'],
  [MEMBER, 'member:  [1000,1500]'],
  [MEMBER, 'member:  [1000.00, 1500.00]'],
  [MEMBER, 'member:  [ 1000 , 1500 ]'],
  [MEMBER, 'member :  [1000, 1500]'],
  [MEMBER, 'member:\n      - 1000\n      - 1500'],
  [MEMBER, '"member":  [1000, 1500]'],
  [MEMBER, 'member:  [1000,\n              1500]'],
  [NAME, '{"id":"full_name", "label":"Full Name", "required":true}'],
  ['title: Sample 2026', 'title: Sample 2026\n  theme: “Healing hands”'],
  [DETAILS, mail('    • Bring your card\n    1. Come early: doors open at 9\n    a = b | c\n')],
  [DETAILS, mail('    Paid {total}/- (Rs. 100 is kept), {tax.name} {gst}\n')],
  [DETAILS, mail('    Amount (INR): {total}\n    “Thank you”, said Rs.\n')],
  [DETAILS, mail('    Bring your card [category] and the total (base and gst)\n')],
  [DETAILS, mail('    Write to help@sample.example, or call +91-98765-43210.\n')],
]

test.each(harmless)('%# %j → %j raises nothing', (from, to) => {
  const { text } = changed(from, to)
  expect(judge(text).map(({ code, message }) => `${code} ${message}`)).toEqual([])
})
