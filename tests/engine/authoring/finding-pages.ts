/** Generates the pages of docs/findings from the golden pairs: a page per subject, a section per code. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '../../../engine/authoring.ts'
import { CORRECTIONS } from './finding-corrections.ts'
import { sampleFile, checkGolden, GOLDENS, readGolden } from './goldens.ts'

export const FINDINGS_FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'findings')

type Subject = {
  /** The name of the page, without `.md`. */
  readonly page: string
  readonly title: string
  readonly summary: string
  /** The first and last code number of each range, inclusive. */
  readonly ranges: readonly (readonly [first: number, last: number])[]
}

/** A page has at most 15 KB. If a test reports that a page is too long, move part of its range to another page. */
const SUBJECTS: readonly Subject[] = [
  {
    page: 'syntax-and-keys',
    title: 'Syntax and keys',
    summary:
      'YAML syntax, the keys that exist, the values that they accept, and how dates, addresses and names are written.',
    ranges: [[0, 199]],
  },
  {
    page: 'names',
    title: 'Names',
    summary: 'Every name that the file refers to must be defined exactly once.',
    ranges: [[200, 299]],
  },
  {
    page: 'categories',
    title: 'Category rules',
    summary:
      'Every combination of answers gives one category, and every rule applies to some answers.',
    ranges: [[300, 309]],
  },
  {
    page: 'conditions',
    title: 'Conditions',
    summary: 'Every condition can be both true and false, and every category can be reached.',
    ranges: [[310, 399]],
  },
  {
    page: 'prices',
    title: 'Periods and prices',
    summary: 'Every day has one period, and every category has a price in each period.',
    ranges: [[400, 417]],
  },
  {
    page: 'dates',
    title: 'Dates',
    summary: 'The dates of the event, of registration and of the periods fit together.',
    ranges: [[418, 440]],
  },
  {
    page: 'tax-and-payment-methods',
    title: 'Tax and payment methods',
    summary: 'Tax is charged as stated, and delegates always have a way to pay.',
    ranges: [
      [441, 449],
      [1140, 1140],
      [1143, 1159],
    ],
  },
  {
    page: 'currencies',
    title: 'Currencies',
    summary:
      'Every amount is in the currency of the event or of its category, and can be paid in it.',
    ranges: [[1100, 1119]],
  },
  {
    page: 'unlikely-prices',
    title: 'Unlikely prices',
    summary: 'Amounts, discounts and labels that are probably a mistake.',
    ranges: [[450, 460]],
  },
  {
    page: 'items',
    title: 'Items and adjustments',
    summary: 'Every item on sale has a price, a maximum and a place on the form.',
    ranges: [
      [461, 470],
      [1141, 1142],
    ],
  },
  {
    page: 'quotas-and-discounts',
    title: 'Quotas and discounts',
    summary: 'Quotas, discounts and charges have the effect that the file describes.',
    ranges: [
      [471, 480],
      [1165, 1174],
    ],
  },
  {
    page: 'cancellation-and-correction',
    title: 'Cancellation and correction',
    summary:
      'The refund scale, the answers that delegates may correct, and how long files are kept.',
    ranges: [
      [481, 489],
      [1160, 1164],
    ],
  },
  {
    page: 'invoices-and-approval',
    title: 'Invoices and approval',
    summary:
      'What a tax invoice must state, and what staff need in order to approve a registration.',
    ranges: [[490, 499]],
  },
  {
    page: 'fields',
    title: 'Fields',
    summary: 'Fields, their options and messages, and the sections of the form.',
    ranges: [[500, 518]],
  },
  {
    page: 'answers',
    title: 'Answers',
    summary: 'Patterns, numbers of choices, and fields that are asked for each person.',
    ranges: [[519, 529]],
  },
  {
    page: 'consent-and-labels',
    title: 'Consent and labels',
    summary: 'Consent fields, and labels or messages that contradict the rest of the file.',
    ranges: [[530, 599]],
  },
  {
    page: 'pages-and-texts',
    title: 'Pages and texts',
    summary: 'Result pages, receipts and emails, and texts that contradict the rest of the file.',
    ranges: [
      [600, 629],
      [670, 699],
    ],
  },
  {
    page: 'texts-and-rules',
    title: 'Texts and rules',
    summary:
      "Percentages, numbers, ages and amounts in texts agree with the file's prices, limits and refund rules.",
    ranges: [[630, 639]],
  },
  {
    page: 'unlikely-settings',
    title: 'Unlikely settings',
    summary: 'Settings that are valid, but probably do not do what the organiser intended.',
    ranges: [[640, 654]],
  },
  {
    page: 'unlikely-offers-and-amounts',
    title: 'Unlikely offers and amounts',
    summary:
      'Offers, quotas, prices and discounts that are valid, but probably not what the organiser intended.',
    ranges: [[655, 669]],
  },
  {
    page: 'office-lists',
    title: 'Office lists',
    summary: 'Lists, filters, columns and exports of the office.',
    ranges: [[700, 799]],
  },
  {
    page: 'examples',
    title: 'Examples and accepted findings',
    summary: 'The examples of the file, and the findings that it accepts on purpose.',
    ranges: [[900, 999]],
  },
  {
    page: 'conflicts',
    title: 'Conflicts with other events and stored registrations',
    summary:
      'Values that only one event may use, and changes that would break stored registrations. The server keeps serving the previous version.',
    ranges: [
      [800, 899],
      [1000, 1099],
    ],
  },
]

const METHODS_BLOCK = [
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
const TRANSFER_BLOCK = [
  'payment:',
  '  methods:',
  '    - id: transfer',
  '      label: Bank transfer',
  '      until: 2026-02-20',
  '      instructions: Sample Society, IBAN DE00 1234 5678 9012 3456 00, BIC SMPLDEFF',
  "      fields: [{id: reference, label: Transfer reference, pattern: '[A-Z]{4}[0-9]{8}', invalid: Please enter four letters and eight digits, unique: true, required: true}]",
  '      expires_after: 10 days',
  '',
].join('\n')
const CANCELLATION_BLOCK =
  'cancellation:\n  steps:\n    - {until: 2026-01-31, refund: 75%}\n    - {until: 2026-02-15, refund: 50%}\n    - {otherwise: none}\n'
const INVOICE_BLOCK = [
  'invoice:',
  '  supplier: Sample Society',
  '  address: 12 Made-up Road, Kochi 682001',
  '  gstin: 32AAAAA0000A1ZB',
  '  sac: 998596',
  '  place_of_supply: Kerala',
  '  number: "SMPL/{year}/{n}"',
  '',
].join('\n')
const APPROVAL_BLOCK = [
  'form:',
  '  sections:',
  '    - title: You',
  '      fields:',
  '        - {id: letter, type: file, label: Letter, accept: [pdf], show_when: {is_member: true}, required: true}',
  'approval:',
  '  - {id: letter, when: {category: member}, documents: [letter], decide_within: 3 days, pay_within: 7 days, if_refused: {offer: visitor}}',
  '',
].join('\n')
/** Right examples that are not part of the base file: whole blocks, lines in another order, and pairs of files. */
const RIGHT_EXAMPLES: Readonly<Record<string, string>> = {
  EV303:
    'category:\n  rules:\n    - {when: {is_member: true}, then: member}\n    - {otherwise: visitor}\n',
  EV420: 'event:\n  status: closed\n',
  EV443: METHODS_BLOCK,
  EV444: METHODS_BLOCK,
  EV445: METHODS_BLOCK,
  EV446: METHODS_BLOCK,
  EV447: METHODS_BLOCK,
  EV448: METHODS_BLOCK,
  EV481: CANCELLATION_BLOCK,
  EV482: CANCELLATION_BLOCK,
  EV483: CANCELLATION_BLOCK,
  EV484: CANCELLATION_BLOCK,
  EV496: APPROVAL_BLOCK,
  EV497: APPROVAL_BLOCK,
  EV498: APPROVAL_BLOCK,
  EV490: INVOICE_BLOCK,
  EV491: INVOICE_BLOCK,
  EV492: INVOICE_BLOCK,
  EV493: INVOICE_BLOCK,
  EV494: `fees:\n  tax: {name: GST, percent: 18, prices: exclusive}\n${INVOICE_BLOCK}`,
  EV495: INVOICE_BLOCK,
  EV499: INVOICE_BLOCK,
  EV1014: 'currency: INR\n',
  EV1102: `currency: EUR\n${TRANSFER_BLOCK}`,
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

/** Returns the golden file with its mistake corrected, or the base if there is no correction for the code. */
export function correctGolden(code: string): string {
  const correction = CORRECTIONS[code]
  return correction === undefined ? sampleFile : readGolden(`${code}.yaml`).replace(...correction)
}

const readNumber = (code: string): number => Number(code.slice(2))
const isCodeOf =
  ({ ranges }: Subject) =>
  (code: string): boolean =>
    ranges.some(([first, last]) => first <= readNumber(code) && readNumber(code) <= last)

const GENERATED_NOTICE =
  '<!-- Generated by `npm run findings` from tests/engine/authoring/goldens. Do not edit. -->'

/**
 * Builds every page of docs/findings, by file name. README.md is the index. A section shows a wrong example (the
 * difference between the golden file and the clean base), the right one, and the output of `validate`. `npm run
 * findings` writes the pages; a test checks that they are up to date.
 */
export function buildFindingPages(): Readonly<Record<string, string>> {
  // goldens.test.ts reports codes without a pair.
  const codes = Object.keys(catalogue)
    .filter((code) => existsSync(join(GOLDENS, `${code}.yaml`)))
    .sort((a, b) => readNumber(a) - readNumber(b))
  const pages = SUBJECTS.map((subject) => ({
    subject,
    codes: codes.filter(isCodeOf(subject)),
  }))
  return {
    'README.md': buildIndex(pages),
    ...Object.fromEntries(
      pages.map(({ subject: { page, title, summary }, codes: pageCodes }) => [
        `${page}.md`,
        `# ${title}\n\n${GENERATED_NOTICE}\n\n${summary} [All findings](README.md)\n\n${pageCodes.map(buildSection).join('\n')}`,
      ]),
    ),
  }
}

function buildIndex(
  pages: readonly { readonly subject: Subject; readonly codes: readonly string[] }[],
): string {
  const sections = pages.map(
    ({ subject: { page, title, summary }, codes }) =>
      `## [${title}](${page}.md)\n\n${summary}\n\n${codes
        .map((code) => `${code}\u00a0${catalogue[code]?.slug ?? ''}`)
        .join(', ')}\n`,
  )
  return `# Findings of \`rollcall validate\`

${GENERATED_NOTICE}

Each finding has a code (EV301) and a name (rule-incomplete). \`rollcall event finding EV301\` explains one, with a wrong and
a right example. The same text is on these pages.

| severity | effect |
|---|---|
| error | the event file is not served |
| warning | probably a mistake; the file is served. You can accept it with a reason |
| note | for information |

\`\`\`yaml
allow:
  - {code: EV409, because: Late registrations pay the first price on purpose.}
\`\`\`

${sections.join('\n')}`
}

/** The maximum number of lines that an example on a page may have. */
const MAX_EXAMPLE_LINES = 24

/** Omits the middle of a long example and states the number of omitted lines. */
function shortenExample(example: string): string {
  const lines = example.trimEnd().split('\n')
  if (lines.length <= MAX_EXAMPLE_LINES) return lines.join('\n')
  const hiddenCount = lines.length - 10
  const gap = `${' '.repeat(countIndent(lines[8] ?? ''))}# … ${hiddenCount} more lines`
  return [...lines.slice(0, 8), gap, ...lines.slice(-2)].join('\n')
}

function buildSection(code: string): string {
  const meta = catalogue[code]
  if (meta === undefined) throw new Error(`${code} is not in the catalogue`)
  const { wrong: wrongExample, right: rightExample } = findExamples(code)
  return `## ${code} ${meta.slug} (${meta.severity})

${meta.why}

Wrong:

${formatBlock('yaml', shortenExample(wrongExample))}

Right:

${formatBlock('yaml', shortenExample(rightExample))}

\`validate\` prints:

${formatBlock('text', checkGolden(code).printed)}
`
}

const formatBlock = (language: string, text: string): string =>
  `\`\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\``

/**
 * Returns the lines that are only in the golden file (wrong) or only in the corrected file (right), with their parent
 * lines.
 */
export function findExamples(code: string): { readonly wrong: string; readonly right: string } {
  const [goldenLines, cleanLines] = [
    readGolden(`${code}.yaml`).split('\n'),
    correctGolden(code).split('\n'),
  ]
  const rightExample = RIGHT_EXAMPLES[code]
  if (
    code === 'EV303' ||
    code === 'EV420' ||
    [CANCELLATION_BLOCK, INVOICE_BLOCK, APPROVAL_BLOCK, METHODS_BLOCK].includes(
      rightExample ?? '',
    ) ||
    code === 'EV494'
  )
    return { wrong: listReportedLines(code, goldenLines), right: rightExample ?? '' }
  if (rightExample !== undefined)
    return {
      wrong: `# second2026.yaml\n${listReportedLines(code, goldenLines)}`,
      right: rightExample,
    }
  const commonPositions = findCommonLines(goldenLines, cleanLines)
  const listChangedLines = (
    lines: readonly string[],
    commonIndexes: ReadonlySet<number>,
    otherLines: readonly string[],
    otherCommonIndexes: ReadonlySet<number>,
  ) => {
    const changedLines = lines.flatMap((line, index) =>
      commonIndexes.has(index) || line.trim() === '' ? [] : [index],
    )
    // If lines are missing from this file, the example shows the line above the gap.
    return changedLines.length > 0
      ? addParents(lines, changedLines)
      : showLineAboveGap(lines, commonIndexes, otherLines, otherCommonIndexes)
  }
  return {
    wrong: listChangedLines(goldenLines, commonPositions.a, cleanLines, commonPositions.b),
    right: listChangedLines(cleanLines, commonPositions.b, goldenLines, commonPositions.a),
  }
}

/** Returns the reported lines. Used if the golden file has no lines in common with the base file. */
function listReportedLines(code: string, lines: readonly string[]): string {
  const { findings } = checkGolden(code)
  const positions = findings
    .filter((finding) => finding.code === code)
    .flatMap(({ at, related }) => [at, ...related.map((relatedFinding) => relatedFinding.at)])
  return addParents(
    lines,
    [
      ...new Set(
        positions
          .filter(({ path }) => path === findings[0]?.at.path)
          .map(({ start }) => start.line - 1),
      ),
    ].sort((a, b) => a - b),
  )
}

const countIndent = (line: string): number => line.length - line.trimStart().length

function addParents(lines: readonly string[], lineIndexes: readonly number[]): string {
  const shownIndexes = new Set(lineIndexes)
  for (const lineIndex of lineIndexes) {
    let depth = countIndent(lines[lineIndex] ?? '')
    for (let parentIndex = lineIndex - 1; parentIndex >= 0 && depth > 0; parentIndex -= 1) {
      const line = lines[parentIndex] ?? ''
      if (line.trim() === '' || line.trimStart().startsWith('#') || countIndent(line) >= depth)
        continue
      depth = countIndent(line)
      shownIndexes.add(parentIndex)
    }
  }
  return [...shownIndexes]
    .sort((a, b) => a - b)
    .map((lineIndex) => lines[lineIndex])
    .join('\n')
}

/** If only the other file has lines in a gap, returns the nearest line above the gap, with its parents. */
function showLineAboveGap(
  lines: readonly string[],
  commonIndexes: ReadonlySet<number>,
  otherLines: readonly string[],
  otherCommonIndexes: ReadonlySet<number>,
): string {
  const firstGapLine = otherLines.findIndex(
    (line, index) => !otherCommonIndexes.has(index) && line.trim() !== '',
  )
  const precedingCount = otherLines
    .slice(0, Math.max(0, firstGapLine))
    .filter((_, index) => otherCommonIndexes.has(index)).length
  const sortedIndexes = [...commonIndexes].sort((a, b) => a - b)
  for (
    let position = Math.min(precedingCount, sortedIndexes.length) - 1;
    position >= 0;
    position -= 1
  ) {
    const line = sortedIndexes[position] ?? 0
    if ((lines[line] ?? '').trim() !== '') return addParents(lines, [line])
  }
  return addParents(lines, [0])
}

/** Returns the positions of a longest common subsequence of lines in both files. */
function findCommonLines(
  a: readonly string[],
  b: readonly string[],
): { readonly a: ReadonlySet<number>; readonly b: ReadonlySet<number> } {
  const lengths: number[][] = Array.from({ length: a.length + 1 }, () =>
    Array.from({ length: b.length + 1 }, () => 0),
  )
  const lengthAt = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (lengths[i] ?? [])[j] =
        a[i] === b[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
  const [inA, inB] = [new Set<number>(), new Set<number>()]
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      inA.add(i++)
      inB.add(j++)
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1
    else j += 1
  }
  return { a: inA, b: inB }
}
