/** Mistyped tax rates, texts that contradict the tax, and correct texts that look like contradictions. */
import { describe, expect, test } from 'vitest'
import { sampleFile } from './goldens.ts'
import { collectFindings, findLine } from './sample-file.ts'

const TAX = '  tax: {name: GST, percent: 18, prices: exclusive}'
const withPanel = (line: string, text = sampleFile): string =>
  text.replace('  summary:', `  panel: {lines: [${JSON.stringify(line)}]}\n  summary:`)
const inclusiveFile = sampleFile.replace(
  'prices: exclusive}\n',
  'prices: inclusive, round: rupee}\n',
)
const untaxedFile = sampleFile.replace(`${TAX}\n`, '')
const listTaxFindings = (text: string): readonly string[] =>
  collectFindings(text).map(({ code, message }) => `${code} ${message}`)

/** Expects a finding on the panel's line that suggests a correction, with `relatedPart` as the related line. */
function expectFinding(text: string, codes: RegExp, relatedPart: string): void {
  const findingsHere = collectFindings(text).filter(
    ({ at }) => at.start.line === findLine(text, '  panel:'),
  )
  expect(findingsHere.map(({ code }) => code)).not.toEqual([])
  for (const { code, help, related } of findingsHere) {
    expect(code).toMatch(codes)
    expect(help ?? '').toMatch(/\w+ \w+/)
    expect(related.map(({ at }) => at.start.line)).toContain(findLine(text, relatedPart))
  }
}

test('the files are valid without the mistakes', () => {
  expect([sampleFile, inclusiveFile, untaxedFile].flatMap(listTaxFindings)).toEqual([])
})

describe('the tax is added, but a text says that tax is included or that there is no tax', () => {
  test.each([
    'Members pay Rs. 1000 including GST',
    'Fees are inclusive of all taxes',
    'All fees incl. GST',
    'Fees include 18% GST',
    'GST included',
    'Fees (including GST)',
    'Registration fee is inclusive of 18% GST',
    'Inclusive of GST @18%',
    'The fee is inclusive of applicable taxes',
    'GST is included in the fee',
    'Rs. 1000 (GST incl.)',
    'No extra GST',
    'no additional taxes',
    'Fee includes taxes',
    'No GST',
    'GST not applicable',
    'Fees are exempt from GST',
    'Fees shown are tax-free',
    'Fees mentioned are inclusive of 18% Goods and Services Tax',
    'All prices are GST inclusive',
    'GST is borne by the organisers',
    'GST will not be charged',
    'We do not charge GST',
    'Zero GST for members',
  ])('%s', (line) => {
    expectFinding(withPanel(line), /^EV624$/, 'tax: {')
  })
})

describe('the tax is included, but a text says that tax is added', () => {
  test.each([
    'GST extra',
    'plus 18% GST',
    '+ GST as applicable',
    '+18% GST',
    'taxes extra',
    'Fees are exclusive of 18% GST',
    'Fees exclude GST',
    'excl. GST',
    'excluding taxes',
    '18% GST will be added',
    'GST will be charged separately',
    'GST applicable',
    'Not inclusive of GST',
    'Fees do not include GST',
    'GST not included',
    'Fee plus applicable taxes',
    'GST over and above',
    'Rs. 1000 + GST',
    'before GST',
    'no GST',
  ])('%s', (line) => {
    expectFinding(withPanel(line, inclusiveFile), /^EV624$/, 'tax: {')
  })
})

describe('a text states a different percentage', () => {
  test.each([
    'plus 12% GST',
    'GST @ 12%',
    'GST @ 12',
    'GST 12 per cent extra',
    'GST (5%) extra',
    '12% GST will be added',
    'GST of 28%',
    'Fees + GST (twelve percent)',
    'CGST 6% + SGST 6%',
  ])('%s', (line) => {
    expectFinding(withPanel(line), /^EV605$/, 'tax: {')
  })
})

describe('there is no tax, but a text mentions a tax', () => {
  test.each([
    'Fees include 18% GST',
    'GST extra',
    'plus 18% GST',
    'inclusive of all taxes',
    'GST @18%',
  ])('%s', (line) => {
    expectFinding(withPanel(line, untaxedFile), /^EV442$/, 'fees:')
  })
  test.each([
    [
      'the summary',
      untaxedFile.replace('lines: [total]', 'lines: [base, gst, total]'),
      '  summary:',
    ],
    ['a result page', untaxedFile.replace('[reg_no, total]', '[reg_no, gst, total]'), '  success:'],
    [
      'a row with its own label',
      untaxedFile.replace('[reg_no, total]', '[reg_no, {label: GST paid, show: gst}]'),
      '  success:',
    ],
    [
      'the email',
      untaxedFile.replace(
        'results:',
        'email:\n  subject: "Registered, {reg_no}"\n  text: |\n    Paid: {total}\n    GST: {gst}\nresults:',
      ),
      '    GST: {gst}',
    ],
    [
      'the name of the tax in an email',
      untaxedFile.replace(
        'results:',
        'email:\n  subject: "Registered, {reg_no}"\n  text: |\n    Paid: {total}\n    {tax.name} included\nresults:',
      ),
      '    {tax.name}',
    ],
  ])('in %s', (_where, text, at) => {
    expect(
      collectFindings(text).map(({ code, at: position }) => [code, position.start.line]),
    ).toEqual([['EV442', findLine(text, at)]])
  })
})

describe('texts that do not contradict the tax', () => {
  test.each([
    'Members pay ₹1,180 with GST until 31 January',
    'Members pay Rs. 1180 (incl. GST), visitors Rs. 2,360 (incl. GST)',
    'Fees are exclusive of 18% GST',
    'GST extra',
    'plus 18 % GST',
    'Fees do not include GST',
    'Not inclusive of GST',
    'GST at 18% is charged on all fees',
    'CGST 9% + SGST 9%',
    'The total amount includes GST',
    'GSTIN of the institution',
    'Give your GST number for the invoice',
    'A tax invoice will be mailed',
    'Hotel: Rs 4000 inclusive of taxes',
    'Workshop fees are inclusive of GST',
    'Registration includes kit, certificate and lunch',
    'Exclusive dinner for members',
    '50% refund until January, GST is not refunded',
    '10% discount for groups, GST extra',
    'Early bird saves 20%',
    'Taxi from the station',
    'Income tax exemption under 80G',
    'All-inclusive package, no hidden charges',
    'Bank charges extra',
  ])('added to the prices: %s', (line) => {
    expect(listTaxFindings(withPanel(line))).toEqual([])
  })
  test.each([
    'inclusive of all taxes',
    'incl. GST',
    'Fees include 18% GST',
    'GST is part of the fee',
    'No extra GST',
    'Base fee excluding GST',
    'GST included, bank charges extra',
    'Accommodation: Rs 3000 plus taxes',
    'Workshops cost extra',
  ])('included in the prices: %s', (line) => {
    expect(listTaxFindings(withPanel(line, inclusiveFile))).toEqual([])
  })
  test.each([
    'No GST',
    'no taxes',
    'GST not applicable',
    'GST: nil',
    'Fees are exempt from GST',
    'tax-free',
    'Your GST number, if any',
    'Fees include lunch',
  ])('without a tax: %s', (line) => {
    expect(listTaxFindings(withPanel(line, untaxedFile))).toEqual([])
  })
  test.each([
    'tax: {name: GST, percent: 18.0, prices: exclusive}',
    'tax: {name: GST, percent: 5, prices: exclusive}',
    'tax: {name: GST, percent: 0, prices: exclusive}',
    'tax: {name: VAT, percent: 10, prices: exclusive}',
  ])('%s', (line) => {
    expect(listTaxFindings(sampleFile.replace(TAX, `  ${line}`))).toEqual([])
  })
})

describe('a room with its own tax rate', () => {
  const ROOM = '{name: GST, percent: 5, prices: exclusive}'
  const fileWithRoom = sampleFile
    .replace(
      'form:\n',
      `  items:
    - {id: room, label: "{option}", by: room, tax: ${ROOM}, prices: {period: [early, late], twin: [2000, 2500]}}
form:\n`,
    )
    .replace(
      '  summary:',
      '        - {id: room, type: select, label: Room in the hotel, options: [{id: twin, label: Bed in a twin room}]}\n  summary:',
    )
  const withRoomLabel = (text: string): string =>
    fileWithRoom.replace('"{option}"', JSON.stringify(text))
  const withRoomOption = (text: string): string =>
    fileWithRoom.replace('label: Bed in a twin room', `label: ${JSON.stringify(text)}`)

  test('the file is valid', () => {
    expect(listTaxFindings(fileWithRoom)).toEqual([])
  })

  test.each([
    ['its label', withRoomLabel('{option} (plus 5% GST)')],
    ['its label, with half the rate', withRoomLabel('{option} (plus CGST 2.5% + SGST 2.5%)')],
    ['a choice', withRoomOption('Twin room (5% GST extra)')],
    ['a choice, with the amount to pay', withRoomOption('Twin room, ₹2,100 incl. GST')],
    ['the panel', withPanel('Rooms are taxed at 5% GST', fileWithRoom)],
    [
      'the panel, without the name of the tax',
      withPanel('Registration 18% GST, twin sharing 5% GST', fileWithRoom),
    ],
    [
      'the panel, if the fees have no tax',
      withPanel('Plus 5% GST', fileWithRoom.replace(`${TAX}\n`, '')),
    ],
  ])('is described correctly in %s', (_where, text) => {
    expect(listTaxFindings(text)).toEqual([])
  })

  test.each([
    [
      'label',
      withRoomLabel('{option} (plus 18% GST)'),
      'EV605 the text says 18%, but the tax is 5%',
    ],
    [
      'label',
      withRoomLabel('{option} (incl. 12% GST)'),
      'EV605 the text says 12%, but the tax is 5%',
    ],
    [
      'choice',
      withRoomOption('Twin room (plus 12% GST)'),
      'EV605 the text says 12%, but the tax is 5%',
    ],
    [
      'choice',
      withRoomOption('Twin room (GST included)'),
      'EV624 the text says that fees include GST; in this file the tax is added to the prices',
    ],
  ])('a %s that contradicts the rate is reported', (_where, text, message) => {
    expect(listTaxFindings(text)).toContain(message)
    const taxFindings = collectFindings(text).filter(({ code }) => code.startsWith('EV6'))
    for (const { related } of taxFindings)
      expect(related.map(({ at }) => at.start.line)).toEqual([findLine(text, ROOM)])
  })

  test('the room’s tax rate is reported if a text states it for the registration fee', () => {
    expect(listTaxFindings(withPanel('Registration fee plus 5% GST', fileWithRoom))).toEqual([
      'EV605 the text says 5%, but the tax is 18%',
    ])
  })

  test.each([
    ['50', 'for 5% write 5'],
    ['0.05', 'for 5% write 5'],
    ['15', 'write the current rate'],
  ])('%s percent is not a valid rate', (percent, help) => {
    const text = fileWithRoom.replace('percent: 5,', `percent: ${percent},`)
    const [firstFinding, ...otherFindings] = collectFindings(text).filter(
      ({ severity }) => severity !== 'note',
    )
    expect(otherFindings).toEqual([])
    expect([firstFinding?.code, firstFinding?.at.start.line]).toEqual([
      'EV441',
      findLine(text, 'id: room'),
    ])
    expect(firstFinding?.help).toContain(help)
  })
})

describe('common spellings of the tax are reported with the correct one', () => {
  const WITHOUT = 'an event without tax has no `tax`: remove it'
  const buildHelp = (prices: string): string =>
    `write tax: {name: GST, percent: 18, prices: ${prices}}`
  test.each<[string, string]>([
    ['tax: none', WITHOUT],
    ['tax: 0', WITHOUT],
    ['tax: no', WITHOUT],
    ['tax: nil', WITHOUT],
    ['tax: false', WITHOUT],
    ['tax: exempt', WITHOUT],
    ['tax: 0%', WITHOUT],
    ['tax:', WITHOUT],
    ['gst: no', WITHOUT],
    ['gst: none', WITHOUT],
    ['no_tax: true', WITHOUT],
    ['gst_percent: 0', WITHOUT],
    ['tax: {name: none, percent: 0, prices: exclusive}', WITHOUT],
    ['tax: {name: GST, percent: none, prices: exclusive}', WITHOUT],
    ['tax: 18', buildHelp('exclusive')],
    ['tax: 18%', buildHelp('exclusive')],
    ['tax: GST 18% extra', buildHelp('exclusive')],
    ['tax: inclusive', buildHelp('inclusive')],
    ['gst: 18', buildHelp('exclusive')],
    ['taxes: 18% included', buildHelp('inclusive')],
    ['vat: {name: VAT, percent: 5, prices: exclusive}', 'the key is `tax`'],
    ['tax: {name: GST, percent: 18%, prices: exclusive}', 'write 18, without a sign'],
    ['tax: {name: GST, percent: "18", prices: exclusive}', 'write 18, without a sign'],
    ['tax: {name: GST, percent: 18 percent, prices: exclusive}', 'write 18, without a sign'],
    ['tax: {name: GST, percent: 118, prices: exclusive}', 'write 18, without a sign'],
    ['tax: {name: GST, percent: 180, prices: exclusive}', 'write 18, without a sign'],
    ['tax: {name: GST, percent: 0.18, prices: exclusive}', 'for 18% write 18'],
    ['tax: {name: GST, percent: 1.8, prices: exclusive}', 'for 18% write 18'],
    ['tax: {name: GST, percent: 1.18, prices: exclusive}', 'for 18% write 18'],
    ['tax: {name: GST, percent: 81, prices: exclusive}', 'for 18% write 18'],
    ['tax: {name: GST, percent: 9, prices: exclusive}', 'for 18% write 18'],
    ['tax: {name: GST, percent: 8, prices: exclusive}', 'for 18% write 18'],
    ['tax: {name: GST, percent: 1.2, prices: exclusive}', 'for 12% write 12'],
    ['tax: {name: VAT, percent: 0.2, prices: exclusive}', 'write the percentage as a whole number'],
    ['tax: {name: GST, percent: 17, prices: exclusive}', 'write the current rate'],
    ['tax: {name: GST 18%, percent: 18, prices: exclusive}', 'write only the name'],
    ['tax: {name: GST @ 12 %, percent: 18, prices: exclusive}', 'write only the name'],
    ['tax: {name: GST, percent: 18, prices: included}', 'write inclusive'],
    ['tax: {name: GST, percent: 18, prices: incl}', 'write inclusive'],
    ['tax: {name: GST, percent: 18, prices: extra}', 'write exclusive'],
    ['tax: {name: GST, percent: 18, prices: added on top}', 'write exclusive'],
    ['tax: {name: GST, percent: 18, prices: not included}', 'write exclusive'],
    ['tax: {name: GST, rate: 18, prices: exclusive}', 'write percent: 18'],
    ['tax: {name: GST, percent: 18, inclusive: true}', 'write prices: exclusive, or inclusive'],
  ])('%s', (line, help) => {
    const text = sampleFile.replace(TAX, `  ${line}`)
    const findings = collectFindings(text).filter(
      ({ at }) => at.start.line === findLine(text, line),
    )
    expect(findings.map((finding) => finding.help ?? '').join('\n')).toContain(help)
  })

  test('`tax` next to `fees` instead of inside it', () => {
    const text = untaxedFile.replace('fees:', 'tax: 18\nfees:')
    expect(collectFindings(text)[0]?.help).toContain('it belongs under fees')
  })
})
