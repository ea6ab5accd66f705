/** The currency of an event: the key, amounts in the file, payment methods that accept it, and amounts in texts. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyFixes,
  compileEvent,
  diffEvents,
  explainPrice,
  formatDiff,
  formatExplanation,
  formatSimulation,
  renderPreview,
  readEvent,
  showEvent,
  simulatePrices,
} from '../../../engine/authoring.ts'
import {
  formatPlainAmount,
  dayOf,
  findChosenMethod,
  formatMoney,
  INR,
  instant,
  toAmount,
  readAmount,
  normalise,
  quote,
  readCurrency,
  type Currency,
  type EventConfig,
  type RawAnswers,
} from '../../../engine/index.ts'
import { findAmounts } from '../../../engine/authoring/prose/find-amounts.ts'
import { suggestCurrency } from '../../../engine/authoring/suggestions/currency-notations.ts'
import { sampleFile, readGolden, shared } from './goldens.ts'
import { readSource, sharedFiles } from '../event-files.ts'
import { collectFindings, listFindings } from './sample-file.ts'

const toCurrency = (code: string): Currency => {
  const currency = readCurrency(code)
  if (currency === null) throw new Error(`${code} is not a currency`)
  return currency
}
const EUR = toCurrency('EUR')
/** The base file with prices in euros, VAT, and a bank transfer instead of the gateway. */
const fileInEuros = readGolden('EV1014.yaml')
const fileWithInvoice = fileInEuros.replace(
  'results:\n',
  `invoice:
  supplier: Sample Society
  address: 12 Made-up Road, Kochi 682001
  gstin: 32AAAAA0000A1ZB
  sac: 998596
  place_of_supply: Kerala
  number: "SMPL/{year}/{n}"
results:
`,
)
const createFileInCurrency = (code: string): string =>
  fileInEuros.replace('currency: EUR', `currency: ${code}`)
const compileConfig = (text: string): EventConfig => {
  const { event, findings } = compileEvent(text, shared, { path: 'sample2026.yaml' })
  if (event === null) throw new Error(findings.map(({ message }) => message).join('\n'))
  return event
}
const listCodes = (text: string): readonly string[] => [
  ...new Set(collectFindings(text).map(({ code }) => code)),
]

test.each(['INR', 'EUR', 'JPY', 'KWD'].map(toCurrency))(
  'every formatted amount in %s is parsed back to the same amount in a file and in a text',
  (currency) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), (minorUnits) => {
        const amount = toAmount(minorUnits)
        expect(readAmount(formatPlainAmount(amount, currency), currency)).toBe(amount)
        expect(findAmounts(`Members pay ${formatMoney(amount, currency)}`, currency)).toMatchObject(
          [{ amount, currency: currency }],
        )
      }),
    )
  },
)

test.each([
  ['Euro', 'EUR'],
  ['eur', 'EUR'],
  ['€', 'EUR'],
  ['euros', 'EUR'],
  ['EUR (€)', 'EUR'],
  ['Rs.', 'INR'],
  ['Rs', 'INR'],
  ['INR.', 'INR'],
  ['₹', 'INR'],
  ['rupees', 'INR'],
  ['Indian Rupee', 'INR'],
  ['$', 'USD'],
  ['US$', 'USD'],
  ['US dollars', 'USD'],
  ['£', 'GBP'],
  ['Swiss francs', 'CHF'],
  ['yen', 'JPY'],
  ['Kuwaiti dinar', 'KWD'],
])('`currency: %s` is not a code, and the finding suggests %s', (currencyText, code) => {
  expect(suggestCurrency(currencyText)).toBe(code)
  const text = createFileInCurrency(currencyText)
  const [finding] = collectFindings(text)
  expect(finding).toMatchObject({
    code: 'EV105',
    message: `\`${currencyText}\` is not a currency code`,
    help: `write ${code}`,
  })
  expect(applyFixes(text, collectFindings(text)).text).toContain(`currency: ${code}\n`)
})

test.each(['money', 'EUO', '12', 'credits'])('`currency: %s` is not a currency', (written) => {
  expect(collectFindings(createFileInCurrency(`"${written}"`))).toMatchObject([
    { code: 'EV105', help: 'write an ISO 4217 code, such as EUR' },
  ])
})

test.each([
  ['currency:\n', '`currency` is empty'],
  ['currency: 978\n', '`978` is not a currency code'],
  ['currency: [EUR, INR]\n', '`[EUR, INR]` is not a currency code'],
])('%j is reported with the message %s', (line, message) => {
  expect(collectFindings(fileInEuros.replace('currency: EUR\n', line))).toMatchObject([
    { code: 'EV105', message },
  ])
})

describe('a currency under `fees`', () => {
  const withFeesCurrency = (currencyText: string, text = sampleFile): string =>
    text.replace('fees:\n', `fees:\n  currency: ${currencyText}\n`)

  test('INR is still accepted and means rupees', () => {
    expect(listFindings(withFeesCurrency('INR'))).toEqual(listFindings(sampleFile))
    expect(compileConfig(withFeesCurrency('INR'))).toEqual(compileConfig(sampleFile))
    expect(
      listFindings(
        withFeesCurrency('INR', sampleFile.replace('fees:\n', 'currency: INR\nfees:\n')),
      ),
    ).toEqual(listFindings(sampleFile))
  })

  test.each(['EUR', 'Euro', '"€"'])('%s is moved to the top of the file', (currencyText) => {
    const text = withFeesCurrency(currencyText, fileInEuros.replace('currency: EUR\n', ''))
    const findings = collectFindings(text)
    expect(findings).toMatchObject([
      { code: 'EV104', help: expect.stringContaining('currency: EUR') },
    ])
    const fixedText = applyFixes(text, findings).text
    expect(compileConfig(fixedText).currency).toBe('EUR')
    expect(listCodes(fixedText)).toEqual([])
  })

  test('INR is removed if the top of the file states another currency', () => {
    const text = withFeesCurrency('INR', fileInEuros)
    expect(listCodes(text)).toEqual(['EV1101'])
    expect(applyFixes(text, collectFindings(text)).text).toBe(fileInEuros)
  })

  test('a currency whose line has a comment is corrected too', () => {
    const text = sampleFile.replace(/fees:\n {2}tax/, 'fees:\n  currency: "EUR" # euro\n  tax')
    expect(applyFixes(text, collectFindings(text)).text).toContain('currency: EUR\n\nfees:\n  tax')
  })
})

describe('amounts in a file', () => {
  const withEarlyPrice = (code: string, price: string): string =>
    createFileInCurrency(code).replace('[1000, 1500]', `[${price}, 1500]`)

  test.each([
    ['EUR', '1000.50', 100_050],
    ['JPY', '1000', 1000],
    ['KWD', '1000.505', 1_000_505],
    ['INR', '1000.50', 100_050],
  ])('in %s, %s is parsed as %i minor units', (code, price, amount) => {
    expect(compileConfig(withEarlyPrice(code, price)).fees.prices?.member?.early).toBe(amount)
  })

  test.each([
    ['EUR', '1000.505', 'write digits only, with at most two decimals'],
    ['JPY', '1000.5', 'write digits only, without decimals'],
    ['KWD', '1000.5055', 'write digits only, with at most three decimals'],
  ])('in %s, %s has too many decimal places', (code, price, help) => {
    expect(collectFindings(withEarlyPrice(code, price))).toMatchObject([
      { code: 'EV411', message: `\`${price}\` is not a valid amount in ${code}`, help },
    ])
  })

  test.each([
    ['EUR', '"€ 1100"', 'write 1100'],
    ['EUR', '1100 €', 'write 1100'],
    ['EUR', 'EUR 1.100', 'write 1100'],
    ['EUR', 'Rs. 1100', 'write the amount in EUR, digits only'],
    ['KWD', 'KWD 1.100', 'write 1.100'],
    ['INR', '$1100', 'write the amount in rupees, digits only'],
  ])('in %s, a price written as %s is reported: %s', (code, price, help) => {
    expect(collectFindings(withEarlyPrice(code, price))).toMatchObject([{ code: 'EV103', help }])
  })
})

/** Members pay in rupees, and visitors in US dollars. */
const fileWithDollars = readGolden('EV1108.yaml')
test.each([
  ['visitor', '[150 euros, 200]', 'write the amount in USD, digits only'],
  ['visitor', '[{a: Rs. 150}, 200]', 'write the amount in USD, digits only'],
  ['member', '[150 euros, 200]', 'write the amount in rupees, digits only'],
])(
  'for a price of the category `%s` written as %s, the help states the category’s currency: %s',
  (category, row, help) => {
    const text = fileWithDollars.replace(new RegExp(`${category}: +\\[.*`), `${category}: ${row}`)
    expect(collectFindings(text)).toMatchObject([{ code: 'EV103', help }])
  },
)

test.each([
  ['international, currencies: USD', 'add INR to the currencies of `card`'],
  [
    'card-gateway, until: 2026-02-20',
    'add a transfer with currencies: USD: the gateway of `card` does not accept USD',
  ],
])(
  'a category without a usable payment method is reported: a card with gateway: %s',
  (gatewayAndKey, help) => {
    const card = `{id: card, label: Card, account: sample, gateway: ${gatewayAndKey}}`
    const text = fileWithDollars.replace(
      /payment:\n[^]*?results:/,
      `payment:\n  methods:\n    - ${card}\nresults:`,
    )
    expect(collectFindings(text)).toMatchObject([
      { code: 'EV1108', help: expect.stringContaining(help) as string },
    ])
  },
)

describe('payment methods and the currency', () => {
  const card = 'payment: {gateway: card-gateway, account: sample}\n'
  const desk = 'payment:\n  methods:\n    - {id: desk, label: Front desk, office_only: true}\n'
  const withPayment = (block: string): string =>
    fileInEuros.replace(/payment:\n[^]*?results:/, `${block}results:`)

  test.each([
    ['a bank transfer', fileInEuros, []],
    ['rupees by card', sampleFile, []],
    ['euros by card', withPayment(card), ['EV1102']],
    [
      'a card among other methods',
      fileInEuros.replace(
        '  methods:\n',
        '  methods:\n    - {id: card, gateway: card-gateway, account: sample}\n',
      ),
      ['EV1102'],
    ],
    ['a UPI ID', readGolden('EV1103.yaml'), ['EV1103']],
    [
      'UPI at the desk',
      fileInEuros.replace(
        '  methods:\n',
        '  methods:\n    - {id: upi, label: UPI at the desk, office_only: true}\n',
      ),
      ['EV1103'],
    ],
    ['a tax invoice, which states its value in rupees', fileWithInvoice, []],
    ['whole rupees', readGolden('EV1105.yaml'), ['EV1105']],
    ['paise, the smallest unit', fileInEuros.replace('exclusive}', 'exclusive, round: paise}'), []],
    [
      'GST at the rate of another country',
      fileInEuros.replace('VAT, percent: 19', 'GST, percent: 9'),
      [],
    ],
  ])('%s has only the expected findings', (_, text, codes) => {
    expect(listCodes(text)).toEqual(codes)
  })

  test('staff can record payments in any currency, but delegates also need a payment method', () => {
    expect(listCodes(withPayment(desk))).toEqual(['EV443'])
  })

  test.each([
    ['without a gateway, prices have no maximum', fileInEuros, []],
    ['with a gateway, prices have a maximum', sampleFile, ['EV411']],
  ])('%s', (_, text, codes) => {
    const expensiveFile = text
      .replace('[1000, 1500]', '[1000000, 1500000]')
      .replace('2000, 2500', '2000000, 2500000')
    expect(listCodes(expensiveFile)).toEqual(codes)
  })
})

describe('amounts in texts', () => {
  const withCategoryText = (text: string, file = fileInEuros): string =>
    file.replace('  - {id: member}\n', `  - {id: member, about: ${JSON.stringify(text)}}\n`)

  test.each([
    ['€ 150', 'EUR', 15_000],
    ['€150', 'EUR', 15_000],
    ['EUR 150', 'EUR', 15_000],
    ['150 EUR', 'EUR', 15_000],
    ['150 €', 'EUR', 15_000],
    ['150 euros', 'EUR', 15_000],
    ['€ 1,250', 'EUR', 125_000],
    ['1.250 €', 'EUR', 125_000],
    ['1.250,50 €', 'EUR', 125_050],
    ['150,50 €', 'EUR', 15_050],
    ['$150', 'USD', 15_000],
    ['US$ 150', 'USD', 15_000],
    ['USD 150', 'USD', 15_000],
    ['150 dollars', 'USD', 15_000],
    ['£150', 'GBP', 15_000],
    ['Rs. 5,000', 'INR', 500_000],
    ['₹ 5,000', 'INR', 500_000],
    ['₹5 lakh', 'INR', 50_000_000],
    ['¥15000', 'JPY', 15_000],
    ['KWD 15.250', 'KWD', 15_250],
  ])('%s', (amountText, code, amount) => {
    for (const currency of [INR, EUR])
      expect(findAmounts(`Members pay ${amountText} in all.`, currency)).toMatchObject([
        { currency: code, amount },
      ])
  })

  test('an amount without a currency, or with /-, is read as an amount in the event’s currency', () => {
    for (const currency of [INR, EUR])
      expect(findAmounts('1500 per person, or 1200/- in advance', currency)).toMatchObject([
        { currency: currency, amount: 150_000 },
        { currency: currency, amount: 120_000 },
      ])
  })

  test('$ means the dollar currency of the event', () => {
    expect(findAmounts('Members pay $150', toCurrency('SGD'))).toMatchObject([{ currency: 'SGD' }])
    expect(findAmounts('Members pay US$ 150', toCurrency('SGD'))).toMatchObject([
      { currency: 'USD' },
    ])
  })

  test.each([
    ['Members pay € 1,000 early', fileInEuros, []],
    ['Members pay 1.000 € early', fileInEuros, []],
    ['Members pay € 1,100 early', fileInEuros, ['EV456']],
    ['Members pay Rs. 1,000 early', fileInEuros, ['EV1106']],
    ['Members pay US$ 1,000 early', fileInEuros, ['EV1106']],
    ['Members pay Rs. 1,000 early', sampleFile, []],
    ['Members pay $ 1,000 early', sampleFile, ['EV1106']],
    ['Members pay € 20 at the desk for a printed abstract book', sampleFile, []],
    ['A prize of $500', sampleFile, []],
  ])('only a wrong amount or another currency is reported: %s', (text, file, codes) => {
    expect(listCodes(withCategoryText(text, file))).toEqual(codes)
  })

  test.each([
    ['The fee of € 1,190 includes VAT', []],
    ['The fee of 1.190,00 EUR includes VAT', []],
    ['The fee of € 1,000 includes VAT', ['EV624']],
  ])('an amount that includes tax is compared with the price including tax: %s', (text, codes) => {
    expect(listCodes(withCategoryText(text))).toEqual(codes)
  })

  test('an amount in another currency can be allowed', () => {
    const text = `${withCategoryText('Members from India pay Rs. 5,000', fileInEuros)}allow:\n  - {code: EV1106, because: The Indian society collects it.}\n`
    expect(listCodes(text)).toEqual([])
  })
})

describe('an amount with a second currency sign', () => {
  const withIntroText = (text: string, file: string): string =>
    file.replace('title: Thank you,', `title: Thank you, intro: ${JSON.stringify(text)},`)

  test.each([
    ['You paid € {total}', '€'],
    ['You paid {total} EUR', '€'],
    ['You paid Rs. {total}', '€'],
    ['You paid {total} euros', '€'],
  ])('is reported: %s', (text, sign) => {
    expect(collectFindings(withIntroText(text, fileInEuros))).toMatchObject([
      {
        code: 'EV015',
        message: `\`{total}\` is already printed with ${sign}; here the sign appears twice`,
      },
    ])
  })

  test('is not reported if the sign appears only once', () => {
    expect(listCodes(withIntroText('You paid {total}', fileInEuros))).toEqual([])
  })
})

describe('a conference in euros', () => {
  const file = readSource('tests/events/heidetage2027.yaml')
  const { event, findings } = compileEvent(file.text, sharedFiles, { path: file.path })
  const getConference = (): EventConfig => {
    if (event === null) throw new Error('the file has errors')
    return event
  }

  test('has no findings', () => {
    expect(findings).toEqual([])
  })

  test('is printed in euros, not rupees, by all authoring tools', () => {
    const config = getConference()
    const quotedAt = instant(Date.parse('2027-06-02T06:00:00Z'))
    const sampleAnswers = { role: 'physician', is_member: true, presents: true, dinner_tickets: 2 }
    const toolOutputs = [
      formatSimulation(config, simulatePrices(config)),
      formatExplanation(config, explainPrice(config, sampleAnswers, quotedAt)),
      ...renderPreview(config).map(({ html }) => html),
      showEvent(config),
    ]
    for (const text of toolOutputs) expect(text).not.toMatch(/₹|INR|\b(?:rupees?|paise)\b/)
    expect(toolOutputs[0]).toContain('non-member  € 390  € 470.50'.replaceAll('€ ', '€\u00a0'))
    expect(toolOutputs[1]).toContain('€ 149.80 ÷ 1.19 = € 125.88'.replaceAll('€ ', '€\u00a0'))
  })

  test('has the same prices in the file that event show writes', () => {
    expect(showEvent(getConference())).toContain('currency: EUR\n')
    expect(showEvent(getConference())).toMatch(/non-member:\n +- 390\n +- 470\.5\n/)
  })
})

test('diff reports a changed currency first', () => {
  const diff = diffEvents(compileConfig(fileInEuros), compileConfig(createFileInCurrency('USD')))
  expect(diff.currency).toEqual({ old: 'EUR', next: 'USD' })
  expect(formatDiff(diff).split('\n\n')[0]).toBe(
    'Currency\n  EUR → USD: every price and total is in USD',
  )
  expect(formatDiff(diff)).toContain('€\u00a01,190 → US$\u00a01,190')
})

test('diff does not report an unchanged currency', () => {
  const unchangedDiff = diffEvents(
    compileConfig(sampleFile),
    compileConfig(sampleFile.replace('fees:\n', 'currency: INR\nfees:\n')),
  )
  expect(unchangedDiff).not.toHaveProperty('currency')
  expect(formatDiff(unchangedDiff)).toBe('')
})

describe('a category with its own currency', () => {
  const file = readSource('tests/events/dunecon2027.yaml')
  const compiledFile = compileEvent(file.text, sharedFiles, { path: file.path })
  const event = compiledFile.event as EventConfig
  const july = instant(Date.parse('2027-07-31T12:00:00+05:30'))
  const listFindingsAfterChange = (oldText: string, newText: string) =>
    compileEvent(file.text.replace(oldText, newText), sharedFiles, { path: file.path }).findings

  test('is accepted without findings', () => {
    expect(compiledFile.findings).toEqual([])
  })

  const quotePrice = (answers: RawAnswers) => {
    const result = quote(event, normalise(event, answers).answers, july)
    return result.ok
      ? {
          currency: result.value.currency,
          lines: result.value.lines.map(({ id, total }) => `${id} ${total / 100}`),
        }
      : result.error
  }

  test('determines which price table of an item and which amount of an adjustment apply', () => {
    expect(quotePrice({ country: 'other', presents: true, gala_tickets: 2 })).toEqual({
      currency: 'USD',
      lines: ['registration 177', 'gala 70.8', 'speaker-abroad -23.6'],
    })
    expect(quotePrice({ country: 'india', presents: true, gala_tickets: 2 })).toEqual({
      currency: 'INR',
      lines: ['registration 7080', 'gala 3540', 'speaker -1180'],
    })
  })

  test('makes an item unavailable if it has no price table in that currency, and the checker reports this', () => {
    const [finding] = listFindingsAfterChange(
      '        - {currency: USD, table: {period: [early, regular], each: [30, 35]}}\n',
      '',
    )
    expect(finding).toMatchObject({
      code: 'EV462',
      message: 'no table of `gala` applies to delegates in `saarc` or `foreign`',
    })
  })

  test('has its currency in the help for a price of its item table', () => {
    const [finding] = listFindingsAfterChange('each: [30, 35]', 'each: [30 USD, 35]')
    expect(finding).toMatchObject({ code: 'EV103', help: 'write 30' })
  })

  test('limits the offered payment methods to those that accept the currency, and the first of them is the default', () => {
    const getMethodAnswer = (answers: RawAnswers) => normalise(event, answers).answers['way']
    expect(getMethodAnswer({ country: 'india', way: 'transfer' })).toBe('transfer')
    expect(getMethodAnswer({ country: 'other', way: 'card' })).toBe('wire')
    expect(getMethodAnswer({ country: 'other', way: 'transfer' })).toBeUndefined()
    expect(getMethodAnswer({ country: 'other' })).toBe('wire')
    expect(findChosenMethod(event, { way: 'card' }, dayOf(july), toCurrency('USD'))).toMatchObject({
      ok: true,
      value: { id: 'wire' },
    })
  })

  test('has its prices in that currency in tables, explanations and previews', () => {
    const text = formatSimulation(event, simulatePrices(event))
    expect(text).toMatch(/foreign +US\$\s150 +US\$\s200/)
    expect(text).toMatch(/delegate +₹\s6,000 +₹\s8,000/)
    expect(text).toMatch(/Speakers: −US\$\s20 on registration/)
    expect(text).toMatch(/Lowest bill in USD: US\$\s82.60, saarc in early/)
  })

  describe('with a tax rule for one category', () => {
    const textWithRule = file.text
      .replace(
        '  periods:\n',
        '  tax_rules:\n    - {when: {category: [saarc, foreign]}, percent: 18, prices: inclusive, on: all}\n  periods:\n',
      )
      .replace('    - id: gala\n', '    - id: gala\n      when: {category: {not: saarc}}\n')
    const readWithRule = (text: string): EventConfig => readEvent(text, sharedFiles) as EventConfig

    test('diff adds no tax to an item’s price that includes tax', () => {
      const eventWithHigherPrice = readWithRule(
        textWithRule.replace('each: [30, 35]', 'each: [32, 35]'),
      )
      expect(
        formatDiff(diffEvents(readWithRule(textWithRule), eventWithHigherPrice)).replaceAll(
          '\u00a0',
          ' ',
        ),
      ).toBe(
        'Items and charges\n  gala (category is Delegate from a SAARC country or Foreign delegate), 1 March – 31 July 2027: US$ 30 → US$ 32',
      )
    })

    test('the price list in the preview adds no tax to a price that includes tax, and states the days of each column', () => {
      const [index] = renderPreview(readWithRule(textWithRule))
      const html = index?.html.replaceAll('\u00a0', ' ') ?? ''
      expect(html).toContain('<td>US$ 30</td><td>US$ 35</td>')
      expect(html).toContain('<td>₹ 1,770</td><td>₹ 2,360</td>')
      expect(html).toContain('>Early bird (until 31 July 2027)</th>')
    })
  })

  test('simulate and explain calculate no bill for a payment method that does not accept the currency', () => {
    const eventWithDiscount = readEvent(
      file.text.replace(
        '  adjustments:\n',
        '  adjustments:\n    - {id: cheap, label: By transfer, when: {method: [card, transfer]}, on: all, percent: -10}\n',
      ),
      sharedFiles,
    ) as EventConfig
    expect(formatSimulation(eventWithDiscount, simulatePrices(eventWithDiscount))).toMatch(
      /Lowest bill in USD: US\$\s82.60, saarc/,
    )
    const explainWithMethod = (method: string) =>
      formatExplanation(
        eventWithDiscount,
        explainPrice(eventWithDiscount, { country: 'other', method }, july),
      )
    expect(explainWithMethod('transfer')).toMatch(
      /^method .*: does not accept USD, so delegates cannot/m,
    )
    expect(explainWithMethod('wire')).not.toMatch(/does not accept/)
  })

  test('the finding for a condition on `way` suggests the key `method`', () => {
    const methodFindings = listFindingsAfterChange(
      'when: {presents: true}, amount: -1000',
      'when: {way: card}, amount: -1000',
    )
    expect(methodFindings.map(({ message }) => message)).toContain(
      'there is no field `way`: conditions of adjustments call the payment method `method`',
    )
  })

  test('the failed-payment page in the preview states a dollar amount in dollars', () => {
    const page = renderPreview(event).find(({ html }) =>
      html.includes('a foreign delegate in July'),
    )
    const html = renderPreview(event).find(({ name }) => name === 'example-7.html')?.html ?? ''
    expect(page?.name).toBe('index.html')
    expect(html.replaceAll('\u00a0', ' ')).toMatch(/<h3>[^]*US\$ 177/)
    expect(html).not.toContain('₹')
  })

  test('a price in another currency is not compared with the prices in rupees', () => {
    const findings = listFindingsAfterChange('foreign:  [150, 200]', 'foreign:  [9000, 9500]')
    expect(findings.map(({ code }) => code)).not.toContain('EV414')
  })
})

test('simulate states the days on which the front desk is open', () => {
  const registration = 'registration: {closes: 2026-02-28, desk: {opens: 2026-03-07}}\n'
  const event = compileEvent(sampleFile.replace('routes:', `${registration}routes:`), shared).event
  if (event === null) throw new Error('the event is not valid')
  expect(simulatePrices(event).desk).toEqual({ opens: '2026-03-07', closes: '2026-03-08' })
  expect(formatSimulation(event, simulatePrices(event))).toContain(
    'Front desk (staff only)  7–8 March 2026',
  )
})
