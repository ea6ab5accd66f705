/** Fee tables as conferences publish them on web pages and as organisers copy them from spreadsheets. */
import { expect, test } from 'vitest'
import { day, INR } from '../../../engine/index.ts'
import {
  compileEvent,
  createEventFile,
  QUESTIONS,
  readFees,
  readFeeTable,
} from '../../../engine/authoring.ts'
import { shared } from '../../server/cli/shared-files.ts'

const event = { from: day('2026-12-11'), to: day('2026-12-13') }
const today = day('2026-05-01')

/** Lists the table's columns with their days, its rows, and the questions to the organiser. */
function describeTable(text: string): readonly string[] {
  const table = readFeeTable(text, { ...event, currency: INR, today })
  const { problems } = readFees(table, event)
  return [
    table.columns
      .map(({ label, from, to }) => `${label}${from === '' ? '' : ` from ${from}`}:${to}`)
      .join(' | '),
    ...table.rows.map(({ label, cells }) => [label, ...cells].join(' | ')),
    ...(table.tax === null ? [] : [`GST ${table.tax}`]),
    ...(table.currency === undefined ? [] : [`currency ${table.currency}`]),
    ...(table.companions === null ? [] : [`accompanying ${table.companions}`]),
    ...problems.map(
      ({ row, column, note, message }) => `${row ?? ''},${column ?? ''},${note ?? ''} ${message}`,
    ),
  ]
}

test.each<[string, string, readonly string[]]>([
  [
    'dates in brackets, amounts with Rs. and /-, and Comp',
    'Category\tEarly Bird (up to 31 Aug 2026)\tRegular (1 Sep – 31 Oct 2026)\tSpot\nMember\tRs. 5,000/-\tRs. 6,000/-\tRs. 8,000/-\nPG Student*\t3000\t3500\tNA\nFaculty\tComp\tComp\tComp',
    [
      'Early Bird:2026-08-31 | Regular:2026-10-31 | Spot:',
      'Member | Rs. 5,000/- | Rs. 6,000/- | Rs. 8,000/-',
      'PG Student | 3000 | 3500 | NA',
      'Faculty | Comp | Comp | Comp',
      ',,0 “PG Student*” has a footnote mark, but the footnote is not in the table. Leave this out. If the footnote affects the prices, add it to the file later.',
    ],
  ],
  [
    'two rows of headings, dates without a year, and an accompanying person',
    'Category\tEarly Bird\tRegular\tLate\n\ttill 31st Aug\t1st Sep to 31st Oct\t1st Nov onwards\nIAP Member\t5000\t6000\t8000\nAccompanying person\t3,000/-\t3500\t4000',
    [
      'Early Bird:2026-08-31 | Regular:2026-10-31 | Late:',
      'IAP Member | 5000 | 6000 | 8000',
      'accompanying 3,000 / 3500 / 4000',
    ],
  ],
  [
    'numbered rows, headings with only dates, and a sentence about GST',
    'S.No\tCategory\tTill 31.08.2026\tAfter 31.08.2026\n1\tDelegate\t₹ 10,000\t₹ 12,000\n2\tPG\t₹ 5,000\t₹ 6,000\nAll fees are inclusive of 18% GST',
    [':2026-08-31 | :', 'Delegate | ₹ 10,000 | ₹ 12,000', 'PG | ₹ 5,000 | ₹ 6,000', 'GST inside'],
  ],
  [
    'merged headings: an empty cell continues the previous cell',
    '\tEarly Bird till 31 Aug 2026\t\tRegular\t\n\tMember\tNon-member\tMember\tNon-member\nConsultant\t5000\t6000\t7000\t8000\nResident\t2500\t3000\t3500\t4000',
    [
      'Early Bird:2026-08-31 | Regular:',
      'Consultant – Member | 5000 | 7000',
      'Consultant – Non-member | 6000 | 8000',
      'Resident – Member | 2500 | 3500',
      'Resident – Non-member | 3000 | 4000',
    ],
  ],
  [
    'periods as rows',
    'Period\tMember\tNon-member\tStudent\nUp to 31 August 2026\t5,000\t6,000\t2,500\n1 September – 31 October 2026\t6,000\t7,000\t3,000\nSpot registration\t8,000\t9,000\tNIL',
    [
      ':2026-08-31 | :2026-10-31 | Spot registration:',
      'Member | 5,000 | 6,000 | 8,000',
      'Non-member | 6,000 | 7,000 | 9,000',
      'Student | 2,500 | 3,000 | NIL',
      '2,2, “Student” would be free in “Spot registration”, but pays ₹ 3,000 in “Regular”. Write “–” if it is not on sale in that period.',
    ],
  ],
  [
    'merged labels, no heading, and GST in each cell',
    'Delegates\tMember\t5000 + GST\t6000 + GST\n\tNon-member\t6000 + GST\t7000 + GST\nStudents\tUG\t1000 + GST\t1500 + GST',
    [
      ': | :',
      'Delegates – Member | 5000 | 6000',
      'Delegates – Non-member | 6000 | 7000',
      'Students – UG | 1000 | 1500',
      'GST on top',
      ',0, What is the last day of “Early Bird”?',
    ],
  ],
  [
    'a title with GST, Free in a merged cell, and a line that is not a fee',
    'Registration Fees (exclusive of 18% GST)\nCategory\tUpto 31/08/2026\tUpto 31/10/2026\tSpot\nDelegate\t5000\t6000\t7000\nSenior citizen (above 70)\tFree\t\t\nIncludes kit, lunch and banquet',
    [
      ':2026-08-31 | :2026-10-31 | Spot:',
      'Delegate | 5000 | 6000 | 7000',
      'Senior citizen (above 70) | Free | Free | Free',
      'GST on top',
      ',,0 “Includes kit, lunch and banquet” has no prices. If it is a category, add it as a row, then remove it here.',
    ],
  ],
  [
    'quoted cells with several lines, and another currency',
    'Category\t"Early Bird\n(till 31 Aug)"\t"On-site"\nDelegate\t"5,000/-\n"\t–\nForeign delegate\tUSD 100\t200',
    [
      'Early Bird:2026-08-31 | On-site:',
      'Delegate | 5,000/- | –',
      'Foreign delegate | USD 100 | 200',
      '1,, The prices of “Foreign delegate” are in a different currency. Remove the row: you can enter only prices in rupees here. Add prices in other currencies to the file later.',
    ],
  ],
  [
    'a table with vertical bars, prices before and from a date, and ditto',
    '| Category | Before 1 Sep | From 1 Sep |\n|---|---|---|\n| Member | 4000 | 5000 |\n| Resident | ditto | 4500 |',
    [':2026-08-31 | :', 'Member | 4000 | 5000', 'Resident | 4000 | 4500'],
  ],
  [
    'one price',
    'Category\tFee\nMember\t1000\nStudent\tFree',
    [':', 'Member | 1000', 'Student | Free'],
  ],
  [
    'columns that are categories of delegates',
    'Category\tMember\tNon Member\nDelegate\t5000\t6000\nPG\t3000\t3500',
    [
      ':',
      'Delegate – Member | 5000',
      'Delegate – Non Member | 6000',
      'PG – Member | 3000',
      'PG – Non Member | 3500',
    ],
  ],
  [
    'unknown prices, several prices in a cell, and remarks',
    'Category\tEarly (till 31 Aug)\tLate\tRemarks\nDelegate\t5000\tTBA\tIncludes dinner\nPG\t3000 / 3500\t\t',
    [
      'Early:2026-08-31 | Late:',
      'Delegate | 5000 | TBA',
      'PG | 3000 / 3500 | ',
      '0,1, “TBA” is not a price. Write an estimate for now, and change it when the price is known.',
      '1,0, “3000 / 3500” has several prices. Which one does “PG” pay in “Early”?',
      '1,1, What does “PG” pay in “Late”? Write an amount, “free”, or “–” if it is not on sale in that period.',
      ',,0 “Includes dinner” has no prices. If it is a category, add it as a row, then remove it here.',
    ],
  ],
  [
    'titles of groups, each followed by the same labels',
    'Members\nDelegate\t5000\nPG\t3000\nNon-members\nDelegate\t6000\nPG\t4000',
    [
      ':',
      'Members – Delegate | 5000',
      'Members – PG | 3000',
      'Non-members – Delegate | 6000',
      'Non-members – PG | 4000',
    ],
  ],
  [
    'five periods with a gap between the last two; the first period states its first day',
    'Category\tSuper Early Bird 1 May to 30 June 2026\tEarly Bird 1 July to 31 Aug 2026\tRegular 1 Sep to 31 Oct 2026\tLate 1 Nov to 30 Nov 2026\tSpot 11–13 Dec 2026\nDelegate\t5000\t6000\t7000\t8000\t10000',
    [
      'Super Early Bird from 2026-05-01:2026-06-30 | Early Bird:2026-08-31 | Regular:2026-10-31 | Late:2026-11-30 | Spot from 2026-12-11:',
      'Delegate | 5000 | 6000 | 7000 | 8000 | 10000',
      ',4, Registration would be closed on 1–10 December 2026, before “Spot” begins. Change one of the dates, or keep registration closed.',
    ],
  ],
  [
    'one line per category and period',
    'Category\tPeriod\tFee\nMember\tTill 31 Aug 2026\t5000\nMember\tSpot\t6000\nStudent\tTill 31 Aug 2026\t2000\nStudent\tSpot\t3000',
    [':2026-08-31 | Spot:', 'Member | 5000 | 6000', 'Student | 2000 | 3000'],
  ],
  [
    'a column in another currency, and a title above some rows',
    'Category\tFee (Rs.) till 31 Aug 2026\tFee (Rs.) from 1 Sep 2026 onwards\tAmount in USD\n\tResidential\t\t\nMember\t5000\t6000\t7000',
    [
      ':2026-08-31 | : | Amount in USD:',
      'Member | 5000 | 6000 | USD 7000',
      ',2, The prices of “Amount in USD” are in a different currency. Remove the column: you can enter only prices in rupees here. Add prices in other currencies to the file later.',
      ',1, What is the last day of “Regular”?',
      ',,0 “Residential” has no prices. If it is a category, add it as a row, then remove it here.',
    ],
  ],
  [
    'prices without and with GST do not become two categories',
    'Category\tEarly Bird (Upto 31st August, 2026)\t\n\tWithout GST\tWith GST\nMember\t5000\t5900',
    ['Early Bird:2026-08-31', 'Member | 5000', 'GST on top'],
  ],
  [
    'prices with GST do not become separate periods, so that GST is charged once',
    'Category\tEarly Bird till 31 Aug 2026\t\tSpot\t\n\tFee\tFee + 18% GST\tFee\tFee + 18% GST\nMember\t5000\t5900\t6000\t7080',
    ['Early Bird:2026-08-31 | Spot:', 'Member | 5000 | 6000', 'GST on top'],
  ],
  [
    'the organiser is asked about rows that look like extras or like prices for several persons',
    'Category\tEarly till 31 Aug 2026\tSpot\nMember with dinner\t5000\t6000\nBanquet Dinner (12 Dec)\t2,500/-\t3,000\nHotel room (per night)\t4000\t4000\nCorporate (5 delegates)\t20000\t25000',
    [
      'Early:2026-08-31 | Spot:',
      'Member with dinner | 5000 | 6000',
      ',,0 “Banquet Dinner (12 Dec) = 2,500 / 3,000” looks like an extra, such as a workshop or a dinner, not a category of delegates. If it is an extra, move it to the workshops.',
      ',,1 “Hotel room (per night) = 4000 / 4000” looks like an extra, such as a workshop or a dinner, not a category of delegates. If it is an extra, move it to the workshops.',
      ',,2 “Corporate (5 delegates) = 20000 / 25000” looks like a price for several persons, but each delegate registers alone. If one person pays it, add it as a category; otherwise leave it out.',
    ],
  ],
  [
    'all prices in euros, with decimal commas and a tax that is not GST',
    'Fees incl. 20% VAT\nCategory\tEarly until 1 June 2026\tLate\nMember\t€ 390,00\t€ 490,00\nStudent\t€ 1.090,50\t€ 1 190,00',
    [
      'Early:2026-06-01 | Late:',
      'Member | € 390,00 | € 490,00',
      'Student | € 1.090,50 | € 1 190,00',
      'currency EUR',
      ',,0 “Fees incl. 20% VAT” mentions a tax other than GST at 18%. Leave it out here. If the prices are not in rupees, a separate question asks about tax. Otherwise, add the tax to the file later.',
    ],
  ],
  [
    'the organiser is asked once about a currency that only the title mentions',
    'Fees in EUR\nCategory\tEarly until 1 June 2026\tLate\nMember\t390\t490\nStudent\t190\t290',
    [
      'Early:2026-06-01 | Late:',
      'Member | 390 | 490',
      'Student | 190 | 290',
      ',, The table mentions EUR. Are its prices in EUR, or in rupees?',
    ],
  ],
  [
    'the organiser is asked about a time in a heading, unless it is the end of the day; “through” is not a name',
    'Category\tEarly bird until 1 June 2026, 12:00 noon CET\tTill 30th June 2026 (5 PM)\tThrough 07/31/2026, 11:59 PM IST\tLate\nMember\t5000\t6000\t7000\t8000',
    [
      'Early bird:2026-06-01 | :2026-06-30 | :2026-07-31 | Late:',
      'Member | 5000 | 6000 | 7000 | 8000',
      ',,0 “Early bird until 1 June 2026, 12:00 noon CET” states a time. Prices change only at the end of a day, at midnight in India, so “12:00 noon CET” is ignored. Check the last day, then leave this out.',
      ',,1 “Till 30th June 2026 (5 PM)” states a time. Prices change only at the end of a day, at midnight in India, so “5 PM” is ignored. Check the last day, then leave this out.',
    ],
  ],
  [
    'the organiser is asked about footnotes and conditions for accompanying persons',
    'Category\tFee\nMember\t5000\nPG**\t3000\nAccompanying Person (above 10 years)\t4000\nAccompanying child\t2000\n** Bonafide certificate to be uploaded',
    [
      ':',
      'Member | 5000',
      'PG | 3000',
      'accompanying 4000',
      ',,0 “** Bonafide certificate to be uploaded” is a footnote, which cannot be stored here. Leave it out here. If it affects the prices, add it to the file later.',
      ',,1 “Accompanying Person (above 10 years)” has a condition that was not read. Leave it out here, and enter it with the price of an accompanying person, such as 4000, free under 10.',
      ',,2 “Accompanying child = 2000” is about accompanying persons. A separate question asks about them. Move it there, or add it as a category if these persons register alone.',
    ],
  ],
  [
    'columns for GST and totals do not become periods',
    'Category\tEarly Bird till 31 Aug 2026\t\t\tSpot\t\t\n\tFee\tGST 18%\tTotal\tFee\tGST 18%\tTotal\nMember\t5000\t900\t5900\t6,250\t1,125\t7,375\nPG\tFree\t–\t–\t999\t180\t1179',
    ['Early Bird:2026-08-31 | Spot:', 'Member | 5000 | 6,250', 'PG | Free | 999', 'GST on top'],
  ],
  [
    'a column for totals without a column for GST',
    'Category\tFee + 18% GST\tTotal\nMember\t5000\t5900',
    [':', 'Member | 5000', 'GST on top'],
  ],
  [
    'the organiser is asked about a column with another tax rate',
    'Category\tFee\tGST\tTotal (incl. GST)\nMember\t5000\t250\t5250',
    [
      ':',
      'Member | 5000',
      ',,0 The columns “GST, Total (incl. GST)” were not read, because they are not 18% GST on the preceding fee and the total. Check the prices, then leave this out.',
    ],
  ],
  [
    'the organiser is asked about a decimal comma without a currency, at its cell',
    'Category\tEarly till 31 Aug 2026\tLate\nMember\t390,00\t490',
    [
      'Early:2026-08-31 | Late:',
      'Member | 390,00 | 490',
      '0,0, “390,00” may mean 390 with decimals, or a larger amount with a missing digit. Write it without the comma.',
    ],
  ],
  [
    'invalid names',
    'Category\tFee\nnull\t5000\nMember {A}\t4000',
    [
      ':',
      'null | 5000',
      'Member {A} | 4000',
      '0,, “null” is not the name of a category.',
      '1,, “Member {A}” contains braces, which mark placeholders in event texts. Write it without { and }.',
    ],
  ],
  [
    'mistakes: dates out of order, a lower later price, a duplicate label, and another GST rate',
    'Category\tEarly till 31 Aug 2026\tRegular till 31 July 2026\tSpot\nDelegate\t6000\t5000\t7000\ndelegate\t1\t2\t3\nGST 5% extra',
    [
      'Early:2026-08-31 | Regular:2026-07-31 | Spot:',
      'Delegate | 6000 | 5000 | 7000',
      'delegate | 1 | 2 | 3',
      ',1, “Regular” would end on 31 July 2026, before it begins (1 September 2026).',
      '0,1, “Delegate” would be cheaper in “Regular” (₹ 5,000) than in “Early” (₹ 6,000).',
      '1,, “delegate” is listed twice.',
      ',,0 “GST 5% extra” has no prices. If it is a category, add it as a row, then remove it here.',
    ],
  ],
])('%s', (_name, text, expected) =>
  expect(describeTable(text).map((line) => line.replaceAll('\u00a0', ' '))).toEqual(expected),
)

test('a pasted table with four periods becomes a file without findings', () => {
  const table =
    'Category\tSuper Early till 30 June 2026\tEarly till 31 Aug\tRegular till 31 Oct\tSpot\nMember\t4,000\t5,000\t6,000\t8,000\nNon-member\t5,000\t6,000\t7,000\tNA\nPG (Non-Residential) – Member\t3,000\t3,000\t3,000\t3,000\nUG (first 50, letter from HOD)\tFree\tFree\tFree\tNA\nAccompanying person\t2,000\t2,500\t3,000\t3,500\nPrices include GST'
  const question = QUESTIONS.find(({ name }) => name === 'categories')
  const answers = question?.parse(table, { ...event, title: 'Sample 2026' }, today)
  if (answers?.ok !== true) throw new Error(String(answers?.error))
  const openQuestions = QUESTIONS.filter(
    ({ buildQuestion }) => buildQuestion(answers.value) !== null,
  ).map(({ name }) => name)
  expect(openQuestions).not.toContain('early-until')
  expect(openQuestions).not.toContain('gst')
  expect(openQuestions).not.toContain('companions')
  const workshops = QUESTIONS.find(({ name }) => name === 'workshops')?.parse(
    'ECG = 1000, 30 seats',
    answers.value,
    today,
  )
  if (workshops?.ok !== true) throw new Error(String(workshops?.error))
  const file = createEventFile({ ...workshops.value, id: 'sample2026', prefix: 'SAMP', today })
  const compiled = compileEvent(file, shared, { path: 'sample2026.yaml' })
  expect(compiled.findings.filter(({ code }) => code !== 'EV991')).toEqual([])
  expect(file.match(/(?<=# Not checked by this file: ).*/g)).toEqual([
    '“UG (first 50, letter from HOD)” mentions a document, but delegates are not asked to upload one.',
    '“UG (first 50, letter from HOD)” mentions a limit of 50, but any number of delegates can choose it.',
    '“UG (first 50, letter from HOD)” is free, and every delegate can choose it.',
  ])
  expect(compiled.event?.fees.periods).toMatchObject([
    { label: 'Super Early', to: '2026-06-30' },
    { label: 'Early', from: '2026-07-01', to: '2026-08-31' },
    { label: 'Regular', from: '2026-09-01', to: '2026-10-31' },
    { label: 'Spot', from: '2026-11-01', to: '2026-12-13' },
  ])
  expect(compiled.event?.fees.prices?.['non-member']).toEqual({
    'super-early': 500_000,
    early: 600_000,
    regular: 700_000,
    spot: null,
  })
})

test.each([
  ['31 August 2026; 31 October 2026', { periodEnds: ['2026-08-31', '2026-10-31'] }],
  ['31 Aug 2026, 31 Oct 2026', { periodEnds: ['2026-08-31', '2026-10-31'] }],
  ['31 August 2026', 'There are 3 periods. Enter 2 dates, separated by semicolons.'],
  [
    '31 October 2026; 31 August 2026',
    '31 August 2026 is not after 31 October 2026. Enter the dates in order.',
  ],
])(
  'the answer about the last days of three periods is parsed, or rejected with a message: %s',
  (answer, expected) => {
    const [categories, ends] = ['categories', 'early-until'].map((name) =>
      QUESTIONS.find((question) => question.name === name),
    )
    const categoriesResult = categories?.parse('Member = 1 / 2 / 3; Student = 1', event, today)
    if (categoriesResult?.ok !== true) throw new Error(String(categoriesResult?.error))
    expect([
      ends?.buildQuestion(categoriesResult.value),
      ends?.example?.(categoriesResult.value),
    ]).toEqual(['What is the last day of each price except the final one?', 'Early Bird; Regular'])
    const result = ends?.parse(answer, categoriesResult.value, today)
    if (typeof expected === 'string') expect(result).toEqual({ ok: false, error: expected })
    else expect(result).toMatchObject({ ok: true, value: expected })
  },
)

test('a table in euros sets the currency of the event; the organiser must confirm a currency that only the title mentions', () => {
  const parseCategories = (text: string) =>
    QUESTIONS.find(({ name }) => name === 'categories')?.parse(text, event, today)
  expect(
    parseCategories('Category\tTill 1 June 2026\tLate\nMember\t€ 390,00\t€ 1.090,50'),
  ).toMatchObject({
    ok: true,
    value: { currency: 'EUR', categories: [{ prices: [39_000, 109_050] }] },
  })
  expect(parseCategories('Fees in EUR\nCategory\tFee\nMember\t390')).toEqual({
    ok: false,
    error:
      'The table mentions EUR. If its prices are in EUR, state it: --currency EUR. If they are in rupees, remove EUR from the table.',
  })
})

test('four periods without names are named after their dates', () => {
  const text =
    'Category\t30 June 2026\t31 July 2026\t31 Aug 2026\tAfter 31 Aug 2026\nMember\t1\t2\t3\t4'
  const table = readFeeTable(text, { ...event, currency: INR, today })
  expect(readFees(table, event).fees.periodLabels).toEqual([
    'Until 30 June 2026',
    'Until 31 July 2026',
    'Until 31 August 2026',
    'After 31 August 2026',
  ])
})
