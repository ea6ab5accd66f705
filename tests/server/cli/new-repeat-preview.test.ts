/** The commands `new`, `repeat`, `show`, `schema` and `preview`: their output is valid and can be read back. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Ajv } from 'ajv'
import {
  day,
  toAmount,
  readCurrency,
  type Currency,
  type EventConfig,
} from '../../../engine/index.ts'
import {
  compileEvent,
  deriveEventId,
  suggestEventId,
  createEventFile,
  findPrefix,
  renderPreview,
  readEvent,
  showEvent,
  type SampleOptions,
} from '../../../engine/authoring.ts'
import { createCommandFolder, normaliseSpaces, top, type CommandFolder } from './cli.ts'
import { shared } from './shared-files.ts'

let folder: CommandFolder
beforeAll(() => {
  folder = createCommandFolder()
})
afterAll(() => folder.remove())

const requireCurrency = (code: string): Currency => {
  const currency = readCurrency(code)
  if (currency === null) throw new Error(`${code} is not a currency`)
  return currency
}
const eventFiles = readdirSync(join(top, 'events')).filter((name) => name.endsWith('.yaml'))
const compile = (text: string, name = 'event'): EventConfig => {
  const event = readEvent(text, shared)
  const errors = compileEvent(text, shared, { path: name }).findings.filter(
    ({ severity }) => severity === 'error',
  )
  if (event === null || errors.length > 0)
    throw new Error(
      errors.map(({ code, message, at }) => `${at.start.line} ${code} ${message}`).join('\n'),
    )
  return event
}

describe('new', () => {
  const TODAY = day('2026-11-21')
  const ALL_OPTIONS: SampleOptions = {
    id: 'lungs2027',
    prefix: 'LUNG',
    title: 'Lungs: a #1 "meeting"',
    from: day('2027-01-30'),
    to: day('2027-01-31'),
    venue: 'Hall #5, Kochi',
    support: 'help@lungs.example',
    today: TODAY,
    periodEnds: [day('2026-12-31')],
    categories: [
      { label: 'Member, IMA', prices: [toAmount(400_000), toAmount(500_000)] },
      { label: 'Période', prices: [toAmount(100_000), toAmount(150_000)] },
      { label: 'Period', prices: [toAmount(100_000), toAmount(150_000)] },
    ],
  }

  test.each<[string, SampleOptions]>([
    ['no options', { id: 'myevent', prefix: 'MYEV', today: TODAY }],
    ['all options, with texts that YAML could misread', ALL_OPTIONS],
    ['a free event', { ...ALL_OPTIONS, free: true }],
    ['no tax', { ...ALL_OPTIONS, tax: 'none' }],
    ['a tax-inclusive price', { ...ALL_OPTIONS, tax: 'inside' }],
    [
      'free prices, and one that is not on sale',
      {
        ...ALL_OPTIONS,
        categories: [
          { label: 'Delegate', prices: [toAmount(400_000), toAmount(500_000)] },
          { label: 'Faculty', prices: [toAmount(0), toAmount(0)] },
          { label: 'On the spot', prices: [null, toAmount(600_000)] },
        ],
      },
    ],
    [
      'companions, free children, and workshops with seats',
      {
        ...ALL_OPTIONS,
        companions: { prices: [toAmount(300_000), toAmount(350_000)], freeUnder: 5 },
        workshops: [
          { label: 'Ultrasound', prices: [toAmount(150_000), toAmount(200_000)], seats: 30 },
          { label: 'Airway, day 1', prices: [toAmount(0), toAmount(0)], seats: 5 },
        ],
      },
    ],
    [
      'paying companions at a tax-inclusive price; unlimited workshops; no early price',
      {
        ...ALL_OPTIONS,
        tax: 'inside',
        categories: [{ label: 'On the spot', prices: [null, toAmount(600_000)] }],
        companions: { prices: [toAmount(300_000), toAmount(350_000)], freeUnder: null },
        workshops: [{ label: '2D echo', prices: [toAmount(100), toAmount(100)], seats: null }],
      },
    ],
    [
      'a free event with companions and counted seats',
      {
        ...ALL_OPTIONS,
        free: true,
        companions: { prices: [toAmount(0), toAmount(0)], freeUnder: null },
        workshops: [{ label: 'ECG', prices: [toAmount(0), toAmount(0)], seats: 20 }],
      },
    ],
    [
      'prices in euros',
      { id: 'ineuro2027', prefix: 'INEU', today: TODAY, currency: requireCurrency('EUR') },
    ],
    [
      'prices in yen',
      { id: 'inyen2027', prefix: 'INYE', today: TODAY, currency: requireCurrency('JPY') },
    ],
    [
      'prices in Kuwaiti dinar, with companions and workshops',
      {
        ...ALL_OPTIONS,
        currency: requireCurrency('KWD'),
        categories: [{ label: 'Member', prices: [toAmount(40_500), toAmount(50_250)] }],
        companions: { prices: [toAmount(20_000), toAmount(25_125)], freeUnder: 5 },
        workshops: [{ label: 'Ultrasound', prices: [toAmount(5000), toAmount(5500)], seats: 30 }],
      },
    ],
    [
      'early prices in euros until the week of the event',
      { ...ALL_OPTIONS, currency: requireCurrency('EUR'), periodEnds: [day('2027-01-26')] },
    ],
    [
      'a free event without other options',
      { id: 'open2031', prefix: 'OPEN', today: TODAY, free: true },
    ],
    ['a name with a later year', { id: 'later2031', prefix: 'LATE', today: TODAY }],
    ['an event next week', { id: 'soon', prefix: 'SOON', today: TODAY, from: day('2026-11-28') }],
    ['only a closing date', { id: 'ending', prefix: 'ENDI', today: TODAY, to: day('2027-03-12') }],
    [
      'only a last day for early prices',
      { id: 'earlyone', prefix: 'EARL', today: TODAY, periodEnds: [day('2028-03-12')] },
    ],
    [
      'a workshop with five seats, so few that the low-seats notice always appears',
      {
        id: 'fiveseats',
        prefix: 'FIVE',
        today: TODAY,
        free: true,
        categories: [{ label: 'Delegate', prices: [toAmount(0), toAmount(0)] }],
        workshops: [{ label: 'Airway', seats: 5, prices: [toAmount(0), toAmount(0)] }],
      },
    ],
    [
      'a one-day conference with one category',
      {
        id: 'aday',
        prefix: 'ADAY',
        today: TODAY,
        from: day('2028-02-29'),
        to: day('2028-02-29'),
        categories: [{ label: 'Delegate', prices: [toAmount(10_000)] }],
      },
    ],
  ])('%s: the file has no findings except the note about demo values', (_name, options) => {
    const { event, findings } = compileEvent(createEventFile(options), shared, {
      path: `${options.id}.yaml`,
    })
    expect(
      findings
        .filter(({ code }) => code !== 'EV991')
        .map(({ code, message, at }) => `${at.start.line} ${code} ${message}`),
    ).toEqual([])
    expect(event).toMatchObject({
      id: options.id,
      orderId: { prefix: options.prefix },
      ...(options.title === undefined ? {} : { title: options.title, venue: options.venue }),
    })
    expect(event?.categories.map(({ label }) => label)).toEqual(
      options.categories?.map(({ label }) => label) ?? ['Member', 'Non-member'],
    )
  })

  test('values that were entered are not marked as placeholders', () => {
    expect(compile(createEventFile(ALL_OPTIONS)).demo).toEqual([
      'look',
      'fees.tax',
      'payment.account',
      'cancellation',
      'edit',
    ])
    expect(compile(createEventFile({ id: 'myevent', prefix: 'MYEV', today: TODAY })).demo).toEqual(
      expect.arrayContaining([
        'event.title',
        'event.from',
        'event.venue',
        'fees.prices',
        'fees.periods',
        'fees.tax',
      ]),
    )
    expect(compile(createEventFile({ ...ALL_OPTIONS, free: true })).demo).toEqual(['look', 'edit'])
  })

  test('sells the accompanying persons and workshops that were entered', () => {
    const event = compile(
      createEventFile({
        ...ALL_OPTIONS,
        companions: { prices: [toAmount(300_000), toAmount(350_000)], freeUnder: 5 },
        workshops: [
          { label: 'Ultrasound', prices: [toAmount(150_000), toAmount(200_000)], seats: 30 },
        ],
      }),
    )
    expect(event.fees.items.map(({ id, by: byField, count }) => [id, byField, count])).toEqual([
      [
        'accompanying',
        undefined,
        {
          field: 'companions',
          where: [[{ field: 'age', test: { is: 'number', atLeast: 5 } }]],
        },
      ],
      ['workshop', 'workshops', undefined],
    ])
    expect(event.quotas.map(({ eachOptionOf, max }) => [eachOptionOf, max])).toEqual([
      ['workshops', { ultrasound: 30 }],
    ])
    expect(
      event.examples.flatMap((example) => ('answers' in example ? [example.expect.lines] : [])),
    ).toContainEqual({ registration: 472_000, accompanying: 354_000, workshop: 177_000 })
  })

  test('if the title contains the meeting’s short name, that name becomes the event’s address', () => {
    for (const title of ['GHICON 2027: 14th Annual Conference', '14th Conference (GHICON 2027)'])
      expect(suggestEventId(title, [])).toBe('ghicon2027')
    for (const [title, id] of [
      ['CONGRESS OF RURAL MEDICINE 2027', 'crm2027'],
      ['CHESTCON KERALA 2026 (XXIII State Conference)', 'chestconkerala2026'],
      ["ASNICON'26 – Annual Session of Neurologists", 'asnicon26'],
      ['Pulmonary Update 2026: from cell to cure', 'pu2026'],
    ] as const)
      expect(suggestEventId(title, [])).toBe(id)
  })

  test('the order id prefix is unique', () => {
    expect(findPrefix('chirurgia2027', ['CHIR', 'AFPI'])).toBe('CHIA')
    expect(findPrefix('lungs2027', ['LU'])).toBe(null)
    expect([deriveEventId('my-event'), deriveEventId('2027 Lungs'), deriveEventId('ഒന്ന്')]).toEqual([
      'myevent',
      'lungs',
      null,
    ])
  })

  test('writes an event file that can be served, and never overwrites a file', async () => {
    const firstRun = await folder.rollcall([
      'new',
      'my-event',
      '--title',
      'My Event 2027',
      '--categories',
      'Member = 4000 / 5000, Student=1000',
    ])
    expect([firstRun.status, firstRun.stderr]).toEqual([0, ''])
    expect(firstRun.stdout).toContain('the id is myevent')
    const event = compile(folder.read('events/myevent.yaml'))
    expect([event.title, event.fees.prices]).toEqual([
      'My Event 2027',
      {
        member: { early: 400_000, regular: 500_000 },
        student: { early: 100_000, regular: 100_000 },
      },
    ])
    expect(event.admin.lists.map(({ route }) => route)).toEqual(['/admin/myevent'])
    const validateResult = await folder.rollcall(['validate', 'events/myevent.yaml'])
    expect([validateResult.status, validateResult.stderr]).toEqual([0, ''])
    const text = folder.read('events/myevent.yaml')
    const secondRun = await folder.rollcall(['new', 'my-event'])
    expect([secondRun.status, secondRun.stdout]).toEqual([2, ''])
    expect(folder.read('events/myevent.yaml')).toBe(text)
    expect((await folder.rollcall(['new', 'midzone2027'])).status).toBe(0)
    expect(compile(folder.read('events/midzone2027.yaml')).orderId.prefix).not.toMatch(/^MIDZ/)
    expect((await folder.rollcall(['validate'])).status).toBe(0)
  })

  test('reads piped answers, repeats the question after an unreadable one, and keeps the others', async () => {
    const input = [
      'Rivers & Lungs 2027',
      'soon',
      '12/03/2027',
      '13 March 2027',
      'Hall #5, Kochi (upstairs)',
      'help at rivers',
      'help@rivers.example',
      'maybe',
      'no',
      'Member (IMA, Kerala) = Rs. 5,000 / 6,000;',
      'Student, PG = 1,000/-;',
      'Faculty = free',
      'somewhere',
      'inside',
      '20 March 2027',
      '31st Jan 2027',
    ].join('\n')
    const { status, stderr } = await folder.rollcall(['new', 'rivers2027'], {
      input,
      isSeparateProcess: true,
    })
    expect([status, stderr.trim().split('\n')]).toEqual([
      0,
      [
        '"soon" is not a valid date. Write 12 March 2027, 12/03/2027 (the day first) or 2027-03-12.',
        '"help at rivers" is not an email address.',
        '"maybe" is neither yes nor no.',
        '"somewhere" does not say how GST is charged. Write none, inside or on top.',
        'The early prices would apply until 20 March 2027, but the conference ends on 13 March 2027: no day is left for the later prices.',
      ],
    ])
    const event = compile(folder.read('events/rivers2027.yaml'), 'rivers2027.yaml')
    expect([event.title, event.from, event.to, event.venue, event.support]).toEqual([
      'Rivers & Lungs 2027',
      '2027-03-12',
      '2027-03-13',
      'Hall #5, Kochi (upstairs)',
      'help@rivers.example',
    ])
    expect(event.categories.map(({ label }) => label)).toEqual([
      'Member (IMA, Kerala)',
      'Student, PG',
      'Faculty',
    ])
    expect(Object.values(event.fees.prices ?? {})).toEqual([
      { early: 500_000, regular: 600_000 },
      { early: 100_000, regular: 100_000 },
      { early: 0, regular: 0 },
    ])
    expect([event.fees.tax?.prices, event.demo]).toEqual([
      'inclusive',
      ['look', 'payment.account', 'cancellation', 'edit'],
    ])
    expect(folder.read('events/rivers2027.yaml')).toContain('Friday, 12 March 2027')
    expect((await folder.rollcall(['validate', 'events/rivers2027.yaml'])).status).toBe(0)
  })

  test('creates a free event from a pasted table without prices, and does not ask about payment', async () => {
    const input = 'Open Day\n\n\n\n\n\nCategory\tFee\nEverybody\tNIL\n\nno\nECG\n'
    const { status, stderr } = await folder.rollcall(['new', 'opendoor'], { input })
    expect([status, stderr]).toEqual([0, ''])
    const event = compile(folder.read('events/opendoor.yaml'), 'opendoor.yaml')
    expect([event.payment, event.fees.tax, event.fees.prices]).toEqual([
      null,
      null,
      { everybody: { open: 0 } },
    ])
    expect(event.fields.find(({ id }) => id === 'workshops')?.options).toMatchObject([
      { label: 'ECG' },
    ])
  })

  test('writes nothing if an answer is still invalid when asked again', async () => {
    const { status, stderr } = await folder.rollcall(['new', 'bad'], {
      input: 'Title\nsoon\nlater',
    })
    expect([status, stderr.trim().split('\n').at(-1)]).toEqual([2, 'Nothing was written.'])
    expect(existsSync(join(folder.folder, 'events', 'bad.yaml'))).toBe(false)
  })

  test.each([
    ['no id', ['new']],
    ['an id without a letter', ['new', '2027']],
    ['an invalid date', ['new', 'bad', '--from', '30 January']],
    ['an end before the start', ['new', 'bad', '--from', '2027-02-02', '--to', '2027-02-01']],
    ['a category without its price', ['new', 'bad', '--categories', 'Member = 40, Student']],
    ['prices without amounts', ['new', 'bad', '--categories', 'Member = cheap']],
    ['a free event with prices', ['new', 'bad', '--free', '--categories', 'Member = 40']],
    ['an invalid tax', ['new', 'bad', '--gst', 'yes']],
    ['an invalid payment method', ['new', 'bad', '--payment', 'cash']],
    ['no address', ['new', 'bad', '--support', 'help']],
  ])('rejects invalid usage and writes nothing: %s', async (_name, args) => {
    const { status, stdout, stderr } = await folder.rollcall(args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).not.toContain('    at ')
    expect(existsSync(join(folder.folder, 'events', 'bad.yaml'))).toBe(false)
  })
})

describe('repeat', () => {
  test("writes the next event's file, reports the changes, and both events can be served", async () => {
    const { status, stdout, stderr } = await folder.rollcall([
      'event',
      'repeat',
      'afpicon2026',
      'afpicon2027',
    ])
    expect([status, stderr]).toEqual([0, ''])
    for (const expectedText of [
      'events/afpicon2027.yaml was written, 52 weeks after events/afpicon2026.yaml.',
      '31 January – 1 February 2026 is now 30–31 January 2027.',
      '/afpicon/payment/success is now /afpicon2027/payment/success.',
      'Check these yourself:',
      'The motto is unchanged: The Spice Route.',
    ])
      expect(stdout).toContain(expectedText)
    const validateResult = await folder.rollcall(['validate', 'events/afpicon2027.yaml'])
    expect([validateResult.status, validateResult.stdout]).toEqual([0, 'no findings in 1 file\n'])
    expect((await folder.rollcall(['validate', '--strict'])).status).toBe(0)
    const text = folder.read('events/afpicon2027.yaml')
    expect((await folder.rollcall(['event', 'repeat', 'afpicon2026', 'afpicon2027'])).status).toBe(
      2,
    )
    expect(folder.read('events/afpicon2027.yaml')).toBe(text)
  })

  test.each([
    ['no new name', ['event', 'repeat', 'afpicon2026']],
    ['an invalid id', ['event', 'repeat', 'afpicon2026', 'AFPICON 2028']],
    ['an unknown event', ['event', 'repeat', 'nowhere', 'nowhere2']],
    ['a fraction of weeks', ['event', 'repeat', 'afpicon2026', 'afpicon2028', '--weeks', '1.5']],
    ['no weeks', ['event', 'repeat', 'afpicon2026', 'afpicon2028', '--weeks', '0']],
  ])('rejects invalid usage and writes nothing: %s', async (_name, args) => {
    const { status, stdout, stderr } = await folder.rollcall(args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).not.toContain('    at ')
    expect(existsSync(join(folder.folder, 'events', 'afpicon2028.yaml'))).toBe(false)
  })
})

describe('show', () => {
  test.each(eventFiles)('%s: the expanded file compiles to the same event', (name) => {
    const event = compile(folder.read(`events/${name}`), name)
    expect(compile(showEvent(event), name)).toEqual(event)
  })

  test.each<[string, string, (text: string) => string]>([
    ['all kinds of conference items', 'nidancon2027', (text) => text],
    ['all kinds of marathon items', 'nilarun2027', (text) => text],
    ['a free webinar', 'soiltalk2027', (text) => text],
    [
      'different checks, units and limits',
      'nidancon2027',
      (text) =>
        text
          .replace(
            '{presents_paper: true, category:',
            '{workshops: {has: [ecg, writing]}, category:',
          )
          .replace('hold_seats_for: 30 minutes', 'hold_seats_for: 36 hours')
          .replace('at_most: 2', 'at_least: 1')
          .replace('percent: -15', 'percent: 12.5')
          .replace('tax: {name: GST, percent: 5, prices: exclusive}', 'tax: none')
          .replace('format: gstin', 'pattern: "[A-Z]{2}|[0-9]{4}"'),
    ],
    [
      'a retention period',
      'soiltalk2027',
      (text) => `${text}\nretention: {answers: 3 years, files: 6 months}\n`,
    ],
  ])('a file with %s is read back as the same event', (_what, id, change) => {
    const text = readFileSync(join(top, 'tests', 'events', `${id}.yaml`), 'utf8')
    const event = readEvent(change(text), shared)
    expect(event).not.toBeNull()
    if (event !== null) expect(readEvent(showEvent(event), shared)).toEqual(event)
  })

  test('prints defaults and shared lists in full', async () => {
    const { status, stdout } = await folder.rollcall(['event', 'show', 'afpicon2026'])
    expect(status).toBe(0)
    expect(stdout).toContain('label: Kerala')
    expect(stdout).toContain('no_order: No order ID found')
    expect(stdout).toContain('# Settings of the gateway airpay:')
  })
})

describe('schema', () => {
  test('the full schema compiles with ajv and validates event files', async () => {
    const { status, stdout } = await folder.rollcall(['event', 'schema', 'midzone2025'])
    const { schema, flat, ui } = JSON.parse(stdout) as {
      schema: object
      flat: { properties: object }
      ui: Record<string, unknown>
    }
    const validate = new Ajv({ strict: false }).compile(schema)
    expect([
      status,
      validate({
        full_name: 'A',
        email: 'a@example.org',
        phone_number: '9',
        is_pg: false,
        afpi_member: true,
      }),
      validate({
        full_name: 'A',
        email: 'a@example.org',
        phone_number: '9',
        is_pg: false,
        afpi_member: false,
      }),
    ]).toEqual([0, false, true])
    expect(Object.keys(flat.properties)).toEqual(ui['ui:order'])
  })
})

describe('preview', () => {
  test('writes a page for every example, without scripts or external addresses', async () => {
    const { status, stdout } = await folder.rollcall([
      'event',
      'preview',
      'chirurgia2026',
      '--out',
      'pages',
    ])
    expect([status, stdout.trim()]).toEqual([
      0,
      `7 pages were written. Open ${join('pages', 'index.html')}.`,
    ])
    const pages = readdirSync(join(folder.folder, 'pages')).map((name) =>
      folder.read(`pages/${name}`),
    )
    for (const html of pages) {
      expect(html).not.toMatch(/<script|https?:|\son[a-z]+="/)
      expect(html).toContain("default-src 'none'")
    }
    const memberPage = normaliseSpaces(folder.read('pages/example-2.html'))
    for (const expectedText of [
      '30 November 2025, 12:00 pm in India',
      '<dt>ASI Membership Number <span class="star">*</span></dt><dd>A-7</dd>',
      '<dd>₹ 5,900</dd>',
      '<h3>Registration Confirmed</h3>',
      '<h3>Payment Failed</h3>',
      'Dear Asha Nair,',
      'To asha@example.org',
      'Demo values: ',
    ])
      expect(memberPage).toContain(expectedText)
    const emptyPage = normaliseSpaces(folder.read('pages/example-6.html'))
    expect(emptyPage).toContain('<span class="error">Required</span>')
    expect(emptyPage).not.toContain('Dear ')
  })

  test.each(eventFiles)('%s: every link leads to an existing page', (name) => {
    const pages = renderPreview(compile(folder.read(`events/${name}`), name))
    const names = pages.map((page) => page.name)
    for (const { html } of pages)
      for (const [, target] of html.matchAll(/href="([^"]+)"/g)) expect(names).toContain(target)
  })

  test('shows price tables for items, and an example’s bill', () => {
    const text = readFileSync(join(top, 'tests', 'events', 'nidancon2027.yaml'), 'utf8')
    const event = readEvent(text, shared)
    const pages = event === null ? [] : renderPreview(event)
    const [indexPage, ...examplePages] = pages.map(({ html }) => normaliseSpaces(html))
    expect(indexPage).toContain(
      '<th scope="row">ECG in an hour (Hall A, 12 noon)</th><td>₹ 1,180</td>',
    )
    expect(indexPage).toContain('late-fee: Late fee: +₹ 500 on registration, from 1 February 2027')
    expect(examplePages.join('\n')).toContain('Accompanying person: ₹ 5,310')
  })

  test('escapes texts and answers', () => {
    const event = compile(
      folder
        .read('events/midzone2025.yaml')
        .replace('title: Kerala Mid Zone 2025', 'title: "<b>Zone</b> & co"')
        .replaceAll('Asha Nair', '"<script>alert(1)</script>"'),
    )
    for (const { html } of renderPreview(event)) {
      expect(html).not.toMatch(/<b>|<script/)
      expect(html).toContain('&lt;b&gt;Zone&lt;/b&gt; &amp; co')
    }
  })

  test('writes into an existing folder', async () => {
    mkdirSync(join(folder.folder, 'there'), { recursive: true })
    expect(
      (await folder.rollcall(['event', 'preview', 'events/midzone2025.yaml', '--out', 'there']))
        .status,
    ).toBe(0)
    expect((await folder.rollcall(['event', 'preview'])).status).toBe(2)
  })
})
