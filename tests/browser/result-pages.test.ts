/**
 * Every event's result pages in every state: paid, pending, failed, refunded, no order id, an invalid one, an
 * unknown one, and a server that does not answer. The registrations are imported: no status waits for a gateway.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import type { Visit } from './browser.ts'
import { ledger, plain } from './delegate.ts'
import { drawnNumbers, factsUnder, longNumbers, withoutGaps } from './registration-numbers.ts'
import { runHere } from '../server/run-command.ts'
import { serve } from './serve.ts'
import type { Served } from './serve.ts'

const FETCH_FAILED = 'Failed to fetch registration details'
const NETWORK = 'Network error. Please check your internet connection.'
const MAYBE_DEDUCTED = 'Check that no amount was deducted'
const STATUSES = ['success', 'pending', 'failed', 'refunded'] as const
const PERSON = {
  full_name: 'Dr. Stored Sample',
  email: 'stored@example.org',
  phone_number: '+91 98470 11111',
}

type Facts = Readonly<Record<string, string | undefined>>
type Case = {
  readonly title: string
  readonly id: string
  readonly pages: string
  /** The numbers that the registrations had elsewhere, in the order of `STATUSES`. */
  readonly numbers: readonly [string, string, string, string]
  readonly row: Readonly<Record<string, string>>
  readonly paid: {
    readonly heading: string
    readonly facts: Facts
    readonly notes: readonly string[]
    readonly buttons: readonly string[]
  }
  /** What a success page says without an id, with one that is none, and with one that nobody knows. */
  readonly errors: {
    readonly missing: string
    readonly malformed: readonly [string, string]
    readonly unknown: readonly [string, string]
  }
  readonly errorButton: string | null
  readonly failed: {
    readonly facts: Facts
    readonly lines: readonly string[]
    readonly unknownFacts: Facts
    readonly links: Readonly<Record<string, string>>
  }
}

const KEEP = 'Please keep your registration number'
const MAIL = 'A confirmation email will be sent to your registered email address'
const PROOF_OF_ID = 'Please bring a valid ID proof to the venue'
const TIPS = [
  'Check your card details and available balance',
  'Make sure that your internet connection is stable',
  'Try again after some time or use another card',
]

const CASES: readonly Case[] = [
  {
    title: 'AFPICON 2026',
    id: 'afpicon2026',
    pages: '/afpicon/payment',
    numbers: longNumbers('AFPI'),
    row: {
      ...PERSON,
      ticket_type: 'afpi-pg',
      base_amount: '5250',
      gst_amount: '945',
      total_amount: '6195',
    },
    paid: {
      heading: 'Registration Confirmed',
      facts: {
        'Email Address': PERSON.email,
        'Phone Number': PERSON.phone_number,
        Category: 'Afpi Pg',
        'Base Fee': '₹ 5,250',
        'GST (18%)': '₹ 945',
        'Total Amount': '₹ 6,195',
        Status: 'Paid',
        'Conference Dates': '31 January – 1 February 2026',
        Venue: 'Resort, Changanassery, Kottayam',
      },
      notes: [KEEP, MAIL, PROOF_OF_ID, 'For any queries, please contact the organizing committee'],
      buttons: ['Download Receipt', 'Print Confirmation'],
    },
    errors: {
      missing: 'No order ID found',
      malformed: ['CHIR17', FETCH_FAILED],
      unknown: ['AFPI2000000000009', FETCH_FAILED],
    },
    errorButton: null,
    failed: {
      facts: { Amount: '₹ 6,195', Status: 'Failed' },
      lines: [
        'Your registration is not confirmed',
        'You can try the payment again',
        'Insufficient funds in your account',
        'Incorrect card details',
        'Network connectivity issues',
        'Transaction declined by your bank',
        'Payment gateway timeout',
      ],
      unknownFacts: { 'Order ID': 'N/A', Amount: 'N/A', Date: 'N/A', Status: 'Failed' },
      links: {
        'Try Again': '/afpicon/register',
        'Contact Support': 'mailto:support@afpicon.example',
        'Go Home': '/',
      },
    },
  },
  {
    title: 'Chirurgia 2026',
    id: 'chirurgia2026',
    pages: '/chirurgia/payment',
    numbers: longNumbers('CHIR'),
    row: {
      ...PERSON,
      designation: 'pg',
      asi_member: 'false',
      registration_category: 'pg-non-asi',
      base_amount: '4237',
      gst_amount: '763',
      total_amount: '5000',
    },
    paid: {
      heading: 'Registration Confirmed',
      facts: {
        Email: PERSON.email,
        'Phone Number': PERSON.phone_number,
        Category: 'Post Graduate (Non-ASI)',
        'Amount Paid (GST included)': '₹ 5,000',
        Status: 'Paid',
      },
      notes: [KEEP, MAIL, PROOF_OF_ID],
      buttons: [],
    },
    errors: {
      missing: 'No order ID found',
      malformed: ['CHIRX1', 'Invalid order ID format'],
      unknown: ['CHIR2000000000009', FETCH_FAILED],
    },
    errorButton: null,
    failed: {
      facts: { Amount: '₹ 5,000', Status: 'Failed' },
      lines: TIPS,
      unknownFacts: { 'Order ID': 'N/A', Amount: 'N/A', Date: 'N/A', Status: 'Failed' },
      links: {
        'Retry Payment': '/chirurgia2026',
        'Contact Support': 'mailto:support@chirurgia.example',
        'Go Home': '/',
      },
    },
  },
  {
    title: 'Kerala Mid Zone 2025',
    id: 'midzone2025',
    pages: '/midzone/payment',
    numbers: longNumbers('MIDZ'),
    row: {
      ...PERSON,
      is_pg: 'true',
      afpi_member: 'true',
      afpi_membership_number: 'K-12',
      registration_category: 'afpi-pg',
      base_amount: '750',
      gst_amount: '135',
      total_amount: '885',
    },
    paid: {
      heading: 'Registration Confirmed',
      facts: {
        Email: PERSON.email,
        'Phone Number': PERSON.phone_number,
        Category: 'AFPI Post Graduate',
        'AFPI Membership Number': 'K-12',
        'Base Fee': '₹ 750',
        'GST (18%)': '₹ 135',
        'Total Amount': '₹ 885',
        Status: 'Paid',
        Event: 'Kerala Mid Zone 2025',
        Date: '23 November 2025',
        Time: '9 AM to 3 PM',
        Venue: 'Kochi',
      },
      notes: [],
      buttons: [],
    },
    errors: {
      missing: 'No order ID found',
      malformed: ['AFPI1', FETCH_FAILED],
      unknown: ['MIDZ2000000000009', FETCH_FAILED],
    },
    errorButton: null,
    failed: {
      facts: { Amount: '₹ 885', Status: 'Failed' },
      lines: TIPS,
      unknownFacts: { 'Order ID': 'N/A', Amount: 'N/A', Date: 'N/A', Status: 'Failed' },
      links: {
        'Retry Payment': '/midzone2025',
        'Contact Support': 'mailto:support@midzone.example',
        'Go Home': '/',
      },
    },
  },
  {
    title: 'PULMOCON 2025',
    id: 'pulmocon2025',
    pages: '/payment',
    numbers: ['PULMO20250001', 'PULMO-2025-2', 'PULMO3', 'PULMO20250004'],
    // The old site's columns: no base, no GST.
    row: { ...PERSON, registration_category_display: 'PG Students', final_amount: '123500' },
    paid: {
      heading: 'Payment Successful',
      facts: {
        Category: 'PG Students',
        'Amount Paid': '₹ 1,23,500',
        'Transaction ID': 'PULMO20250001',
      },
      notes: ["What's next?", 'You will receive a confirmation email shortly'],
      buttons: [],
    },
    errors: {
      missing: 'Invalid transaction ID format',
      malformed: ['CHIR17', 'Invalid transaction ID format'],
      unknown: ['PULMO999', 'Registration details not found'],
    },
    errorButton: 'Go to Home',
    failed: {
      facts: { 'Registration Number': 'PULMO3', 'Transaction ID': 'PULMO3', Amount: '₹ 1,23,500' },
      lines: ['Please contact support and quote the transaction ID PULMO3'],
      unknownFacts: {
        'Registration Number': undefined,
        'Transaction ID': 'N/A',
        Amount: 'N/A',
        'Attempt Date': 'N/A',
      },
      links: {},
    },
  },
]

let browser: Browser
let server: Served
let here: Visit
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({ CLOCK: '2025-11-10T12:00:00+05:30' }, importAll),
  ])
  here = await visit(browser, { own: true })
  await here.page.addInitScript(() => {
    window.print = () => document.body.setAttribute('data-printed', 'yes')
  })
})
afterAll(async () => {
  await here.context.close()
  await server.stop()
})

async function importAll({
  dataDir,
  eventsDir,
}: {
  readonly dataDir: string
  readonly eventsDir: string
}): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  for (const { id, numbers, row } of CASES) {
    const file = join(dataDir, `${id}.csv`)
    const rows = STATUSES.map((status, at) => {
      const paid = status === 'success' || status === 'refunded'
      return {
        reg_no: numbers[at] ?? '',
        ...row,
        payment_status: status,
        payment_id: paid ? `PAY-${id}-${at}` : '',
        created_at: '2025-11-10T09:00:00+05:30',
        payment_date: paid ? '2025-11-10T09:05:00+05:30' : '',
      }
    })
    writeFileSync(
      file,
      [
        Object.keys(rows[0] ?? {}).join(','),
        ...rows.map((one) => Object.values(one).join(',')),
      ].join('\n'),
    )
    const folders = { DATA_DIR: dataDir, EVENTS_DIR: eventsDir }
    const done = await runHere(['registration', 'import', id, file], folders)
    if (done.status !== 0) throw new Error(`${id}: ${done.stdout}${done.stderr}`)
  }
}

const said = async (page: Page): Promise<string> =>
  plain(await page.getByRole('main').textContent()).replaceAll('’', "'")
const addressOf = (one: Case, outcome: 'success' | 'failed', query: string): string =>
  `${server.url}${one.pages}/${outcome}${query}`
const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
describe.each(CASES)('$title', (one) => {
  let [paid, , failed] = one.numbers
  beforeAll(() => {
    ;[paid, , failed] = drawnNumbers(server.dataDir, one.numbers)
  })

  test('S024 S025 S026 S027 S033 S039 S057 S067 S071: paid: shows the stored name, items and amount, whatever the address contains', async () => {
    const { page } = here
    for (const outcome of ['failed', 'success'] as const) {
      await page.goto(addressOf(one, outcome, `?orderId=${paid}&amount=1.00&date=2001-01-01`))
      await heading(page, one.paid.heading)
    }
    // The number alone does not say whose it is: no address, no phone, and no row that lacks them.
    expect(await said(page)).not.toMatch(/stored@example|98470|N\/A/)
    if (Object.values(one.paid.facts).includes(PERSON.email)) {
      await page.getByRole('textbox', { name: 'Email address' }).fill(PERSON.email)
      await page.getByRole('button', { name: 'Show my registration' }).click()
      await page.getByText(PERSON.phone_number).waitFor()
    }
    const facts = withoutGaps(await ledger(page.getByRole('main')), 'Transaction ID')
    expect(facts).toMatchObject(factsUnder(one.paid.facts, one.numbers[0], paid))
    expect(facts['Payment Date']).toContain('10 November 2025, 9:05')
    const text = await said(page)
    for (const part of [PERSON.full_name, ...one.paid.notes]) expect(text).toContain(part)
    expect(text.replaceAll(' ', '')).toContain(paid)
    // A drawn number may hold these digits by chance.
    expect(text.replaceAll(' ', '').replaceAll(paid, '')).not.toContain('2001')
    for (const name of ['Download Receipt', 'Print Confirmation'])
      expect(await page.getByRole('button', { name }).count()).toBe(
        one.paid.buttons.includes(name) ? 1 : 0,
      )
    await expect.poll(() => page.title()).toBe(`${one.paid.heading} · ${one.title}`)
    await expectAccessible(page, `${one.title}, paid`)
    if (one.paid.buttons.length > 0) await receiptAndPrint(page, paid)
  })

  test('S045 S046 S047 S060 S061 S062 S068 S072 S173: failed: shows details, causes or tips, and the next steps', async () => {
    const { page } = here
    for (const outcome of ['success', 'failed'] as const) {
      await page.goto(addressOf(one, outcome, `?orderId=${failed}&amount=1.00&date=2001-01-01`))
      await heading(page, 'Payment Failed')
      expect(await page.getByRole('alert').count()).toBe(0)
    }
    const facts = withoutGaps(
      await ledger(page.getByRole('main')),
      'Transaction ID',
      'Order ID',
      'Registration Number',
    )
    expect(facts).toMatchObject(factsUnder(one.failed.facts, one.numbers[2], failed))
    expect(facts['Order ID'] ?? facts['Transaction ID']).toBe(one.numbers[2])
    expect(facts['Date'] ?? facts['Attempt Date']).toBe('10 November 2025, 9:00 am')
    const text = await said(page)
    for (const line of one.failed.lines) expect(text).toContain(line)
    // Another system's failure: nobody here can say that no money went, whatever the event file says.
    expect(text).toMatch(/We could not confirm this payment(?!.*No amount has been)/s)
    expect(text).not.toContain('Paid')
    for (const [name, target] of Object.entries(one.failed.links)) {
      const href = (await page.getByRole('link', { name, exact: true }).getAttribute('href')) ?? ''
      if (!target.startsWith('mailto:')) expect(href, name).toBe(target)
      else {
        // A draft: address, subject with the order in it.
        expect(href.split('?')[0]).toBe(target)
        expect(decodeURIComponent(href.split('subject=')[1] ?? '')).toBe(
          `${one.title} – payment failed for order ${one.numbers[2]}`,
        )
      }
    }
    await expectAccessible(page, `${one.title}, failed`)
    const [retry] = Object.entries(one.failed.links)
    if (retry === undefined) return
    await page.getByRole('link', { name: retry[0], exact: true }).click()
    await page.waitForURL(server.url + retry[1])
    await page.getByRole('textbox', { name: 'Full Name' }).waitFor()
  })

  test('S040 S041 S044 S059 S066 S170: missing, invalid and unknown order id', async () => {
    const { page } = here
    const { missing, malformed, unknown } = one.errors
    for (const [query, sentence] of [
      ['', missing],
      ['?orderId=', missing],
      [`?orderId=${malformed[0]}`, malformed[1]],
      [`?orderId=${unknown[0]}`, unknown[1]],
    ] as const) {
      await page.goto(addressOf(one, 'success', query))
      expect(plain(await page.getByRole('alert').getByRole('heading').textContent()), query).toBe(
        sentence,
      )
      expect(plain(await page.getByRole('alert').textContent())).toContain(
        'If you have paid, your registration is not lost',
      )
      if (one.errorButton !== null)
        expect(await page.getByRole('link', { name: one.errorButton }).getAttribute('href')).toBe(
          '/',
        )
    }
    await expectAccessible(page, `${one.title}, unknown id`)
  })
})

/** One with a receipt to keep, and one with pages of its own: the others’ differ from them in facts and texts. */
const REPRESENTATIVES = ['afpicon2026', 'pulmocon2025']
const SOME = CASES.filter(({ id }) => ALL_RUNS || REPRESENTATIVES.includes(id))

describe.each(SOME)('$title', (one) => {
  let [paid, pending, failed, refunded] = one.numbers
  beforeAll(() => {
    ;[paid, pending, failed, refunded] = drawnNumbers(server.dataDir, one.numbers)
  })

  test('S105 S116: pending, on both pages: no receipt, no statement about the payment, and can be paid while the event accepts payments', async () => {
    const { page } = here
    for (const outcome of ['failed', 'success'] as const) {
      await page.goto(addressOf(one, outcome, `?orderId=${pending}&amount=1.00`))
      await heading(page, 'Not paid yet')
      const text = await said(page)
      const isClosed = one.id === 'pulmocon2025'
      expect(text).toContain(isClosed ? 'If you have paid or' : 'If you have just paid')
      for (const never of [
        'Paid',
        'No amount has been deducted',
        'Your registration is not confirmed',
      ])
        expect(text).not.toContain(never)
      for (const name of one.paid.buttons)
        expect(await page.getByRole('button', { name }).count()).toBe(0)
      expect(await page.getByRole('button', { name: /^Pay/ }).count()).toBe(isClosed ? 0 : 1)
      for (const name of Object.keys(one.failed.links))
        expect(await page.getByRole('link', { name }).count()).toBe(0)
    }
    await expectAccessible(page, `${one.title}, pending`)
  })

  test('S104: refunded: states the refund, without receipt or retry', async () => {
    const { page } = here
    await page.goto(addressOf(one, 'success', `?orderId=${refunded}`))
    await heading(page, 'Payment refunded')
    for (const name of one.paid.buttons)
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await expectAccessible(page, `${one.title}, refunded`)
  })

  test('S033 S045 S046 S060 S061: the failed page of an unreadable order shows the parameters of its address, and states nothing about the payment', async () => {
    const { page } = here
    for (const query of [
      '',
      `?orderId=${one.errors.malformed[0]}`,
      ...[one.numbers[0], one.errors.unknown[0]].map(
        (number) => `?orderId=${number}&amount=1234.50&date=2025-11-09`,
      ),
    ]) {
      await page.goto(addressOf(one, 'failed', query))
      await heading(page, 'Payment Failed')
      const facts = withoutGaps(await ledger(page.getByRole('main')), 'Transaction ID', 'Order ID')
      if (query === '')
        expect(facts).toEqual(
          expect.objectContaining(
            Object.fromEntries(
              Object.entries(one.failed.unknownFacts).filter(([, value]) => value !== undefined),
            ),
          ),
        )
      if (query.includes('amount')) {
        expect([
          facts['Order ID'] ?? facts['Transaction ID'],
          facts['Amount'],
          facts['Date'] ?? facts['Attempt Date'],
        ]).toEqual([/orderId=(\w+)/.exec(query)?.[1], '₹ 1,234.50', '9 November 2025'])
        expect(facts).not.toHaveProperty(['Registration Number'])
      }
      const text = await said(page)
      expect(text).not.toContain('No amount has been deducted')
      // Nobody is asked to quote a number that nobody has.
      expect(text.includes('quote the transaction ID')).toBe(
        query !== '' && one.id === 'pulmocon2025',
      )
      if (query === '' && one.id === 'pulmocon2025')
        expect(text).toContain('If you need help, write to')
      for (const link of await page.getByRole('main').getByRole('link').all())
        expect(await link.getAttribute('href')).not.toContain(
          query === '' ? encodeURIComponent('N/A') : 'undefined',
        )
      if (one.id !== 'pulmocon2025') expect(text).toContain(MAYBE_DEDUCTED)
      expect(await page.getByRole('alert').count()).toBe(0)
    }
    await expectAccessible(page, `${one.title}, failed, unknown`)
  })

  test("S042 S043 S044 S055 S167: shows a spinner, a network error, the server's message, and then the page", async () => {
    const { page } = here
    let answer: 'none' | number | string | { readonly ofStatus200: string } = 'none'
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const call = '**/api/**/registrations/**'
    const pulmo = '**/api/registrations/**'
    for (const path of [call, pulmo]) {
      await page.route(path, async (route) => {
        await held
        if (answer === 'none') await route.abort()
        else if (typeof answer === 'number')
          await route.fulfill({
            status: answer,
            contentType: 'text/html',
            body: '<p>a proxy in between</p>',
          })
        else if (typeof answer === 'object')
          await route.fulfill({ contentType: 'application/json', body: answer.ofStatus200 })
        else
          await route.fulfill({
            status: 503,
            contentType: 'application/json',
            body: JSON.stringify({ status: 'error', code: 'busy', message: answer }),
          })
      })
    }
    await page.goto(addressOf(one, 'success', `?orderId=${paid}`))
    await page.getByRole('status').filter({ hasText: 'Loading your registration' }).waitFor()
    await page.locator('.spin').waitFor()
    await expectAccessible(page, `${one.title}, looking up`)
    release()
    const alert = page.getByRole('alert')
    const title = async (): Promise<string> => plain(await alert.getByRole('heading').textContent())
    await alert.getByText(NETWORK).waitFor()
    await expect.poll(title).toBe(FETCH_FAILED)
    await expectAccessible(page, `${one.title}, nobody there`)
    const tryAgain = page.getByRole('button', { name: 'Try again' })
    answer = 500
    await tryAgain.click()
    await alert.getByText('Server error. Please try again later.').waitFor()
    await expect.poll(title).toBe(FETCH_FAILED)
    // Status 200 with something else in it: the same sentence, neither a white page nor a spinner for ever. Before each
    // stands the server's own message, which wins over the mapping of statuses and over the fallback. The last one is
    // not known, which nobody is asked to try again.
    const half = { ...one.row, reg_no: paid, payment_status: 'paid' }
    for (const [ofStatus200, sentence] of [
      ['<p>a proxy in between</p>', FETCH_FAILED],
      [JSON.stringify({ status: 'success', registration: half }), FETCH_FAILED],
      [JSON.stringify({ status: 'success' }), one.errors.unknown[1]],
    ] as const) {
      answer = 'The register is being copied. Please come back in a minute.'
      await tryAgain.click()
      await alert.getByRole('heading', { name: answer }).waitFor()
      answer = { ofStatus200 }
      await tryAgain.click()
      await alert.getByRole('heading', { name: sentence, exact: true }).waitFor()
    }
    // A failed page that cannot look up stays a failed page and shows no error.
    answer = 'none'
    await page.goto(addressOf(one, 'failed', `?orderId=${failed}&amount=10.00&date=2025-11-09`))
    await heading(page, 'Payment Failed')
    expect(await alert.count()).toBe(0)
    expect(await said(page)).not.toContain('No amount has been deducted')
    await page.goto(addressOf(one, 'success', `?orderId=${paid}`))
    await tryAgain.waitFor()
    for (const path of [call, pulmo]) await page.unroute(path)
    await tryAgain.click()
    await heading(page, one.paid.heading)
  })
})

test('no page logged an error in the browser', () => {
  expect(here.complaints).toEqual([])
})

async function receiptAndPrint(page: Page, regNo: string): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download Receipt' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`${regNo}.txt`)
  const lines = readFileSync(await download.path(), 'utf8')
    .split(/\r?\n/)
    .map(plain)
  for (const line of [
    `Registration Number: ${regNo}`,
    `Name: ${PERSON.full_name}`,
    'Category: AFPI Member – Post Graduate',
    'Base Fee: ₹ 5,250',
    'GST (18%): ₹ 945',
    'Total Amount: ₹ 6,195',
    'Conference: AFPICON 2026, 31 January – 1 February 2026',
  ])
    expect(lines).toContain(line)
  expect(lines.find((line) => line.startsWith('Date:'))).toContain('10 November 2025')
  await page.getByRole('button', { name: 'Print Confirmation' }).click()
  await page.locator('body[data-printed=yes]').waitFor()
}
