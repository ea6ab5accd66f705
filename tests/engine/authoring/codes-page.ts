/**
 * docs/codes.md: a section for each code, made from its golden pair: what differs from the clean base is
 * the wrong example, what the base has there is the right one, and what is printed is what is printed.
 * `UPDATE=1 npm test -- tests/engine/authoring` writes it; a test compares.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '../../../engine/authoring.ts'
import { base, findingsOf, GOLDENS, readGolden } from './goldens.ts'

export const CODES_PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'codes.md')

const GROUPS: readonly (readonly [RegExp, string, string])[] = [
  [
    /^EV0/,
    'Reading',
    'The text as YAML. These mistakes change what is read without changing what one sees.',
  ],
  [
    /^EV1\d\d$/,
    'Shape',
    'Which keys there are, what they hold, and how dates, addresses and names are written.',
  ],
  [/^EV2/, 'Names', 'A name that something is called by must be the name of something.'],
  [
    /^EV3/,
    'Rules and conditions',
    'Every combination of answers leads to one category, every rule is reached, every condition can be both true and false.',
  ],
  [
    /^EV4/,
    'Periods and prices',
    'Every day has one period, every category a price in it, and no digit went astray.',
  ],
  [/^EV5/, 'The form', 'What a delegate can answer, and what is said when they do not.'],
  [/^EV6/, 'Pages and texts', 'What stands on the result pages, in the receipt and in the email.'],
  [/^EV7/, 'The office', 'Lists, filters, columns and exports.'],
  [/^EV8/, 'Events beside each other', 'What only one event may call its own.'],
  [
    /^EV9/,
    'Examples and exceptions',
    'The file tests itself, and says what it accepts on purpose.',
  ],
  [
    /^EV10/,
    'Changes to an event that has registrations',
    'What a new version would break in registrations that are stored already. The server keeps serving the version before.',
  ],
]

const METHODS = [
  'payment:',
  '  methods:',
  '    - {id: card, gateway: card-gateway, account: sample}',
  '    - id: transfer',
  '      label: Bank transfer',
  '      until: 2026-02-20',
  '      instructions: Sample Society, account 50200012345678, IFSC SMPL0000032',
  '      fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]',
  '      expires_after: 10 days',
  '',
].join('\n')
const CANCELLATION =
  'cancellation:\n  steps:\n    - {until: 2026-01-31, refund: 75%}\n    - {until: 2026-02-15, refund: 50%}\n    - {otherwise: none}\n'
const INVOICE = [
  'invoice:',
  '  supplier: Sample Society',
  '  address: 12 Made-up Road, Kochi 682001',
  '  gstin: 32AAAAA0000A1ZB',
  '  sac: 998596',
  '  place_of_supply: Kerala',
  '  number: "SMPL/{year}/{n}"',
  '',
].join('\n')
const APPROVAL = [
  'form:',
  '  sections:',
  '    - title: You',
  '      fields:',
  '        - {id: letter, type: file, label: Letter, accept: [pdf], show_when: {is_member: true}, required: true}',
  'approval:',
  '  - {id: letter, when: {category: member}, documents: [letter], decide_within: 3 days, pay_within: 7 days, if_refused: {offer: visitor}}',
  '',
].join('\n')
/** Examples of which the base is not the other half: whole blocks, lines in another order, two files together. */
const RIGHT: Readonly<Record<string, string>> = {
  EV303:
    'category:\n  rules:\n    - {when: {is_member: true}, then: member}\n    - {otherwise: visitor}\n',
  EV420: 'event:\n  status: closed\n',
  EV443: METHODS,
  EV444: METHODS,
  EV445: METHODS,
  EV446: METHODS,
  EV447: METHODS,
  EV448: METHODS,
  EV481: CANCELLATION,
  EV482: CANCELLATION,
  EV483: CANCELLATION,
  EV484: CANCELLATION,
  EV496: APPROVAL,
  EV497: APPROVAL,
  EV498: APPROVAL,
  EV490: INVOICE,
  EV491: INVOICE,
  EV492: INVOICE,
  EV493: INVOICE,
  EV494: `fees:\n  tax: {name: GST, percent: 18, prices: exclusive}\n${INVOICE}`,
  EV495: INVOICE,
  EV499: INVOICE,
  EV801:
    '# second2026.yaml\nroutes:\n  form: /second2026\n  success: /second2026/success\n  failed: /second2026/failed\n',
  EV802: '# second2026.yaml\norder_id:\n  prefix: SCND\n',
  EV804: '# second2026.yaml\nevent:\n  id: second2026\n',
  EV806: '# second2026.yaml\nadmin:\n  dashboard: {key: second2026, label: Second}\n',
  EV808: '# second2026.yaml\nemail:\n  subject: "{event.title}: {reg_no}"\n',
  EV904:
    'examples:\n  promises:\n    addresses: [/sample2026, /sample2026/success, /sample2026/failed, /api/sample2026/register/,\n      "/api/sample2026/registrations/{reg_no}/", /api/sample2026/tariff-info/]\n',
  EV905: 'examples:\n  promises:\n    addresses: [/sample2026]\n',
}

/** Examples of the prices beside that of a member in January. */
const OTHER_CELLS = [
  '    - {name: a member in February, on: 2026-02-10, given: {is_member: true}, expect: {total: 1770}}',
  '    - {name: a visitor in January, on: 2026-01-10, expect: {total: 2360}}',
  '    - {name: a visitor in February, on: 2026-02-10, expect: {total: 2950}}',
].join('\n')

/** What to write instead, where the base has nothing of what the pair is about: lines of the pair and lines in their place. */
export const MENDED: Readonly<Record<string, readonly [string, string]>> = {
  EV005: ['{full_name}}', '"Dear {full_name}"}'],
  EV015: ['Rs. {total}', '{total}'],
  EV019: ['edit: {to:', 'edit: {until:'],
  EV214: ['full_name: category', 'ticket: category'],
  EV418: ['2026-02-01, closes: 2026-01-01', '2026-01-01, closes: 2026-02-01'],
  EV433: ['2026-01-15', '2026-02-15'],
  EV434: ['2026-03-31', '2026-03-08'],
  EV436: ['never', '2026-03-08'],
  EV476: ['few: 200', 'few: 20'],
  EV477: ['airway: 20}', 'airway: 20, ecg: 40}'],
  EV478: ['max: 1000', 'max: 100'],
  EV489: ['files: 3 years', 'files: 3 months'],
  EV532: ['on_duplicate: block', 'on_duplicate: warn'],
  EV606: ['copy_to: office', 'copy_to: support'],
  EV626: ['under 12', 'under 5'],
  EV702: ['page_size: 20', 'page_size: 10'],
  EV703: [', full_name]\nresults', ', is_member]\nresults'],
  EV704: [', sent_as: is_member}', '}'],
  EV705: ['{file: sample2026_', '{file: older_'],
  EV706: ['route: /sample2026/list', 'route: /admin/sample2026'],
  EV803: ['/api/sample2026/{reg_no}/', '/api/sample2026/registrations/{reg_no}/'],
  EV901: ['total: 1770}}', `total: 1180}}\n${OTHER_CELLS}`],
  EV902: ['expect: {total: 1180}}', `expect: {total: 1180}}\n${OTHER_CELLS}`],
  EV903: [
    'is_membr: true}, expect: {category: visitor}}',
    `is_member: true}, expect: {total: 1180}}\n${OTHER_CELLS}`,
  ],
  EV1010: ['id: seats', 'id: hall'],
  EV1011: ['max: 5', 'max: 50'],
  EV1012: ['id: honoured', 'id: vip'],
  EV216: ['count: is_member', 'count: tickets'],
  EV217: ['on: diner', 'on: dinner'],
  EV218: ['in: socity', 'in: society'],
  EV519: ['(?=.*[A-Z])[A-Z0-9]+', '[0-9]*[A-Z][A-Z0-9]*'],
  EV520: ['([A-Z]+[ .]?)+', '[A-Z]+([ .]+[A-Z]+)*[.]?'],
  EV521: ["[0-9]{5}'", "[0-9]{5}', invalid: 'Please write two letters and five digits'"],
  EV522: [", pattern: '[0-9]{6}'", ''],
  EV523: ['at_least: 3', 'at_least: 1'],
  EV524: ['at_most: 3, message: Three at most', 'at_most: 2, message: Two at most'],
  EV525: ['at_most: 2', 'at_most: 2, message: Two at most'],
  EV526: [', show_when: {is_member: true}', ''],
  EV527: ['max: 50', 'max: 4'],
  EV528: ['label: Name}', 'label: Name, required: true}'],
  EV529: ['max: 4.5', 'max: 4'],
  EV530: ["version: '1'", "version: '1', required: Please accept the refund rules"],
  EV531: [
    ', required: Please',
    ", link: 'https://sample.example/refunds', version: '1', required: Please",
  ],
  EV537: ['15% off", when', '20% off", when'],
  EV538: ['50 seats', '40 seats'],
  EV449: ['id: room', 'id: room\n      sac: 996311'],
  EV457: ['2026-03-20', '2026-02-15'],
  EV458: ['2025-02-20', '2026-02-20'],
  EV461: [
    'count: tickets}',
    'count: tickets, prices: {period: [early, late], each: [1500, 1800]}}',
  ],
  EV462: ['usg: [900, 1000]}', 'usg: [900, 1000], ecmo: [1100, 1200]}'],
  EV463: ['ecmo: [1100, none]', 'ecmo: [1100, 1200]'],
  EV464: ['ecmo: [700, none]', 'ecmo: [700, 800]'],
  EV465: ['min: 0}', 'min: 0, max: 5}'],
  EV466: ['max: 500', 'max: 5'],
  EV467: ['amount: -1200', 'amount: -500'],
  EV468: ['when: {teaches: true}', 'when: {teaches: true, presents: false}'],
  EV469: ['max: 4,', 'max: 4, required: true,'],
  EV471: ['label: Badges', 'label: Badges\n          choose: {at_most: 2, message: Two at most}'],
  EV472: ['{id: coupon, percent', '{id: coupon, when: {code: coupon}, percent'],
}

/** A golden file with its mistake mended: the base, or the file itself with other lines. */
export function mendedOf(code: string): string {
  const mended = MENDED[code]
  return mended === undefined ? base : readGolden(`${code}.yaml`).replace(...mended)
}

export function codesPage(): string {
  // A code without a pair is another test's to report.
  const codes = Object.keys(catalogue)
    .filter((code) => existsSync(join(GOLDENS, `${code}.yaml`)))
    .sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)))
  const group = (code: string) => GROUPS.findLast(([pattern]) => pattern.test(code))
  const sections = codes.map((code, at) => {
    const [, title, about] = group(code) ?? [null, '', '']
    const head =
      at === 0 || group(codes[at - 1] ?? '') !== group(code) ? `## ${title}\n\n${about}\n\n` : ''
    return head + section(code)
  })
  return `# Every code of \`rollcall validate\`

<!-- Made by tests/engine/authoring/codes-page.ts from the files in tests/engine/authoring/goldens; a test keeps it fresh. -->

\`rollcall event finding EV301\` prints one of these sections. An **error** keeps the file from being served. A
**warning** is probably a mistake; with a reason it can be accepted:

\`\`\`yaml
allow:
  - {code: EV409, because: Late registrations pay the first price on purpose.}
\`\`\`

A **note** only informs. Each example shows the lines that matter, below the lines they stand under.

${sections.join('\n')}`
}

function section(code: string): string {
  const meta = catalogue[code]
  if (meta === undefined) throw new Error(`${code} is not in the catalogue`)
  const { wrong, right } = examplesOf(code)
  return `### ${code} ${meta.slug} (${meta.severity})

${meta.why}

Wrong:

${block('yaml', wrong)}

Right:

${block('yaml', right)}

What \`validate\` says:

${block('text', findingsOf(code).printed)}
`
}

const block = (language: string, text: string): string =>
  `\`\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\``

/** The lines of each side that the other has not, below the less indented lines they stand under. */
export function examplesOf(code: string): { readonly wrong: string; readonly right: string } {
  const [golden, clean] = [readGolden(`${code}.yaml`).split('\n'), mendedOf(code).split('\n')]
  const right = RIGHT[code]
  if (
    code === 'EV303' ||
    code === 'EV420' ||
    [CANCELLATION, INVOICE, APPROVAL, METHODS].includes(right ?? '') ||
    code === 'EV494'
  )
    return { wrong: pointedAt(code, golden), right: right ?? '' }
  if (right !== undefined) return { wrong: `# second2026.yaml\n${pointedAt(code, golden)}`, right }
  const same = commonLines(golden, clean)
  const changedIn = (
    lines: readonly string[],
    kept: ReadonlySet<number>,
    others: readonly string[],
    otherKept: ReadonlySet<number>,
  ) => {
    const mine = lines.flatMap((line, at) => (kept.has(at) || line.trim() === '' ? [] : [at]))
    // A line that is only missing here is shown by the line above the gap.
    return mine.length > 0 ? withParents(lines, mine) : gapIn(lines, kept, others, otherKept)
  }
  return {
    wrong: changedIn(golden, same.a, clean, same.b),
    right: changedIn(clean, same.b, golden, same.a),
  }
}

/** The lines a code's findings point at, of a file that is a whole other event. */
function pointedAt(code: string, lines: readonly string[]): string {
  const { findings } = findingsOf(code)
  const places = findings
    .filter((finding) => finding.code === code)
    .flatMap(({ at, related }) => [at, ...related.map((one) => one.at)])
  return withParents(
    lines,
    [
      ...new Set(
        places
          .filter(({ path }) => path === findings[0]?.at.path)
          .map(({ start }) => start.line - 1),
      ),
    ].sort((a, b) => a - b),
  )
}

const indent = (line: string): number => line.length - line.trimStart().length

function withParents(lines: readonly string[], wanted: readonly number[]): string {
  const shown = new Set(wanted)
  for (const at of wanted) {
    let depth = indent(lines[at] ?? '')
    for (let above = at - 1; above >= 0 && depth > 0; above -= 1) {
      const line = lines[above] ?? ''
      if (line.trim() === '' || line.trimStart().startsWith('#') || indent(line) >= depth) continue
      depth = indent(line)
      shown.add(above)
    }
  }
  return [...shown]
    .sort((a, b) => a - b)
    .map((at) => lines[at])
    .join('\n')
}

/** Where the other side has lines that this one lacks: the nearest line above, with its parents. */
function gapIn(
  lines: readonly string[],
  kept: ReadonlySet<number>,
  others: readonly string[],
  otherKept: ReadonlySet<number>,
): string {
  const first = others.findIndex((line, at) => !otherKept.has(at) && line.trim() !== '')
  const before = others.slice(0, Math.max(0, first)).filter((_, at) => otherKept.has(at)).length
  const mine = [...kept].sort((a, b) => a - b)
  for (let at = Math.min(before, mine.length) - 1; at >= 0; at -= 1) {
    const line = mine[at] ?? 0
    if ((lines[line] ?? '').trim() !== '') return withParents(lines, [line])
  }
  return withParents(lines, [0])
}

/** Positions of a longest common subsequence of lines, in both. */
function commonLines(
  a: readonly string[],
  b: readonly string[],
): { readonly a: ReadonlySet<number>; readonly b: ReadonlySet<number> } {
  const best: number[][] = Array.from({ length: a.length + 1 }, () =>
    Array.from({ length: b.length + 1 }, () => 0),
  )
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (best[i] ?? [])[j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const [inA, inB] = [new Set<number>(), new Set<number>()]
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      inA.add(i++)
      inB.add(j++)
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  return { a: inA, b: inB }
}
