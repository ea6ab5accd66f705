/** Result pages: imported registrations in every state, unknown orders, and a server that does not respond. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import type { Visit } from './browser.ts'
import { readData, toPlainText } from './delegate.ts'
import { readNumbers, replaceNumber, buildNumbers, removeGaps } from './registration-numbers.ts'
import { runHere } from '../server/run-command.ts'
import { serve } from './serve.ts'
import type { TestServer } from './serve.ts'

const FETCH_FAILED = 'Failed to fetch registration details'
const NETWORK_ERROR = 'Network error. Please check your internet connection.'
const CHECK_ACCOUNT_ADVICE = 'check that no money was taken from your account'
const STATUSES = ['success', 'pending', 'failed', 'refunded'] as const
const DELEGATE = {
  full_name: 'Dr. Stored Sample',
  email: 'stored@example.org',
  phone_number: '+91 98470 11111',
}

type PageData = Readonly<Record<string, string | undefined>>
type EventCase = {
  readonly title: string
  readonly id: string
  readonly pagesPath: string
  /** The registrations' numbers in the system that they came from, in the order of `STATUSES`. */
  readonly numbers: readonly [string, string, string, string]
  readonly row: Readonly<Record<string, string>>
  readonly paidPage: {
    readonly heading: string
    readonly data: PageData
    readonly notes: readonly string[]
    readonly buttons: readonly string[]
  }
  /** Texts of a success page whose URL has no ID, an invalid ID, or an unknown ID. */
  readonly errors: {
    readonly missing: string
    readonly malformed: readonly [string, string]
    readonly unknown: readonly [string, string]
  }
  readonly errorButton: string | null
  readonly failedPage: {
    readonly data: PageData
    readonly lines: readonly string[]
    readonly unknownData: PageData
    readonly links: Readonly<Record<string, string>>
  }
}

const KEEP_NUMBER = 'Please keep your registration number'
const EMAIL_NOTICE = 'A confirmation email will be sent to your registered email address'
const PROOF_OF_ID = 'Please bring a valid ID proof to the venue'
const QUERIES_NOTE = 'For any queries, please contact the organizing committee'
const PAYMENT_TIPS = [
  'Check your card details and available balance',
  'Make sure that your internet connection is stable',
  'Try again after some time or use another card',
]

const CASES: readonly EventCase[] = [
  {
    title: 'AFPICON 2026',
    id: 'afpicon2026',
    pagesPath: '/afpicon/payment',
    numbers: buildNumbers('AFPI'),
    row: {
      ...DELEGATE,
      ticket_type: 'afpi-pg',
      base_amount: '5250',
      gst_amount: '945',
      total_amount: '6195',
    },
    paidPage: {
      heading: 'Registration Confirmed',
      data: {
        'Email Address': DELEGATE.email,
        'Phone Number': DELEGATE.phone_number,
        Category: 'Afpi Pg',
        'Base Fee': '₹ 5,250',
        'GST (18%)': '₹ 945',
        'Total Amount': '₹ 6,195',
        Status: 'Paid',
        'Conference Dates': '31 January – 1 February 2026',
        Venue: 'Resort, Changanassery, Kottayam',
      },
      notes: [KEEP_NUMBER, EMAIL_NOTICE, PROOF_OF_ID, QUERIES_NOTE],
      buttons: ['Download Receipt', 'Print Confirmation'],
    },
    errors: {
      missing: 'No order ID found',
      malformed: ['CHIR17', FETCH_FAILED],
      unknown: ['AFPI2000000000009', FETCH_FAILED],
    },
    errorButton: null,
    failedPage: {
      data: { Amount: '₹ 6,195', Status: 'Failed' },
      lines: [
        'Your registration is not confirmed',
        'You can try the payment again',
        'Insufficient funds in your account',
        'Incorrect card details',
        'Network connectivity issues',
        'Transaction declined by your bank',
        'Payment gateway timeout',
      ],
      unknownData: { 'Order ID': 'N/A', Amount: 'N/A', Date: 'N/A', Status: 'Failed' },
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
    pagesPath: '/chirurgia/payment',
    numbers: buildNumbers('CHIR'),
    row: {
      ...DELEGATE,
      designation: 'pg',
      asi_member: 'false',
      registration_category: 'pg-non-asi',
      base_amount: '4237',
      gst_amount: '763',
      total_amount: '5000',
    },
    paidPage: {
      heading: 'Registration Confirmed',
      data: {
        Email: DELEGATE.email,
        'Phone Number': DELEGATE.phone_number,
        Category: 'Post Graduate (Non-ASI)',
        'Amount Paid (GST included)': '₹ 5,000',
        Status: 'Paid',
      },
      notes: [KEEP_NUMBER, EMAIL_NOTICE, PROOF_OF_ID],
      buttons: [],
    },
    errors: {
      missing: 'No order ID found',
      malformed: ['CHIRX1', 'Invalid order ID format'],
      unknown: ['CHIR2000000000009', FETCH_FAILED],
    },
    errorButton: null,
    failedPage: {
      data: { Amount: '₹ 5,000', Status: 'Failed' },
      lines: PAYMENT_TIPS,
      unknownData: { 'Order ID': 'N/A', Amount: 'N/A', Date: 'N/A', Status: 'Failed' },
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
    pagesPath: '/midzone/payment',
    numbers: buildNumbers('MIDZ'),
    row: {
      ...DELEGATE,
      is_pg: 'true',
      afpi_member: 'true',
      afpi_membership_number: 'K-12',
      registration_category: 'afpi-pg',
      base_amount: '750',
      gst_amount: '135',
      total_amount: '885',
    },
    paidPage: {
      heading: 'Registration Confirmed',
      data: {
        Email: DELEGATE.email,
        'Phone Number': DELEGATE.phone_number,
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
    failedPage: {
      data: { Amount: '₹ 885', Status: 'Failed' },
      lines: PAYMENT_TIPS,
      unknownData: { 'Order ID': 'N/A', Amount: 'N/A', Date: 'N/A', Status: 'Failed' },
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
    pagesPath: '/payment',
    numbers: ['PULMO20250001', 'PULMO-2025-2', 'PULMO3', 'PULMO20250004'],
    // The columns of the old website, which had no base price and no GST.
    row: { ...DELEGATE, registration_category_display: 'PG Students', final_amount: '123500' },
    paidPage: {
      heading: 'Payment Successful',
      data: {
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
    failedPage: {
      data: { 'Registration Number': 'PULMO3', 'Transaction ID': 'PULMO3', Amount: '₹ 1,23,500' },
      lines: ['Please contact support and quote the transaction ID PULMO3'],
      unknownData: {
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
let server: TestServer
let visitor: Visit
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({ CLOCK: '2025-11-10T12:00:00+05:30' }, importRegistrations),
  ])
  visitor = await visit(browser, { privateWindow: true })
  await visitor.page.addInitScript(() => {
    window.print = () => document.body.setAttribute('data-printed', 'yes')
  })
})
afterAll(async () => {
  await visitor.context.close()
  await server.stop()
})

async function importRegistrations({
  dataDir,
  eventsDir,
}: {
  readonly dataDir: string
  readonly eventsDir: string
}): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  for (const { id, numbers, row } of CASES) {
    const file = join(dataDir, `${id}.csv`)
    const rows = STATUSES.map((status, index) => {
      const isPaid = status === 'success' || status === 'refunded'
      return {
        reg_no: numbers[index] ?? '',
        ...row,
        payment_status: status,
        payment_id: isPaid ? `PAY-${id}-${index}` : '',
        created_at: '2025-11-10T09:00:00+05:30',
        payment_date: isPaid ? '2025-11-10T09:05:00+05:30' : '',
      }
    })
    writeFileSync(
      file,
      [
        Object.keys(rows[0] ?? {}).join(','),
        ...rows.map((record) => Object.values(record).join(',')),
      ].join('\n'),
    )
    const folders = { DATA_DIR: dataDir, EVENTS_DIR: eventsDir }
    const importResult = await runHere(['registration', 'import', id, file], folders)
    if (importResult.status !== 0)
      throw new Error(`${id}: ${importResult.stdout}${importResult.stderr}`)
  }
}

const readMain = async (page: Page): Promise<string> =>
  toPlainText(await page.getByRole('main').textContent()).replaceAll('’', "'")
const buildUrl = (event: EventCase, outcome: 'success' | 'failed', query: string): string =>
  `${server.url}${event.pagesPath}/${outcome}${query}`
const waitForHeading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
describe.each(CASES)('$title', (event) => {
  let [paidId, , failedId] = event.numbers
  beforeAll(() => {
    ;[paidId, , failedId] = readNumbers(server.dataDir, event.numbers)
  })

  test('S024 S025 S026 S027 S033 S039 S057 S067 S071: the page of a paid registration shows the stored name, items and amount, regardless of the values in the URL', async () => {
    const { page } = visitor
    for (const outcome of ['failed', 'success'] as const) {
      await page.goto(buildUrl(event, outcome, `?orderId=${paidId}&amount=1.00&date=2001-01-01`))
      await waitForHeading(page, event.paidPage.heading)
    }
    // With only the number, the page shows no personal data: no address, no phone, and no empty rows for them.
    expect(await readMain(page)).not.toMatch(/stored@example|98470|N\/A/)
    if (Object.values(event.paidPage.data).includes(DELEGATE.email)) {
      await page.getByRole('textbox', { name: 'Email address' }).fill(DELEGATE.email)
      await page.getByRole('button', { name: 'Show my registration' }).click()
      await page.getByText(DELEGATE.phone_number).waitFor()
    }
    const data = removeGaps(await readData(page.getByRole('main')), 'Transaction ID')
    expect(data).toMatchObject(replaceNumber(event.paidPage.data, event.numbers[0], paidId))
    expect(data['Payment Date']).toContain('10 November 2025, 9:05')
    const text = await readMain(page)
    for (const phrase of [DELEGATE.full_name, ...event.paidPage.notes])
      expect(text).toContain(phrase)
    expect(text.replaceAll(' ', '')).toContain(paidId)
    // A newly assigned number may contain these digits by chance.
    expect(text.replaceAll(' ', '').replaceAll(paidId, '')).not.toContain('2001')
    for (const name of ['Download Receipt', 'Print Confirmation'])
      expect(await page.getByRole('button', { name }).count()).toBe(
        event.paidPage.buttons.includes(name) ? 1 : 0,
      )
    await expect.poll(() => page.title()).toBe(`${event.paidPage.heading} · ${event.title}`)
    await expectAccessible(page, `${event.title}, paid`)
    if (event.paidPage.buttons.length > 0) await checkReceiptAndPrint(page, paidId)
  })

  test('S045 S046 S047 S060 S061 S062 S068 S072 S173: the page of a failed payment shows details, causes or tips, and the next steps', async () => {
    const { page } = visitor
    for (const outcome of ['success', 'failed'] as const) {
      await page.goto(buildUrl(event, outcome, `?orderId=${failedId}&amount=1.00&date=2001-01-01`))
      await waitForHeading(page, 'Payment Failed')
      expect(await page.getByRole('alert').count()).toBe(0)
    }
    const data = removeGaps(
      await readData(page.getByRole('main')),
      'Transaction ID',
      'Order ID',
      'Registration Number',
    )
    expect(data).toMatchObject(replaceNumber(event.failedPage.data, event.numbers[2], failedId))
    expect(data['Order ID'] ?? data['Transaction ID']).toBe(event.numbers[2])
    expect(data['Date'] ?? data['Attempt Date']).toBe('10 November 2025, 9:00 am')
    const text = await readMain(page)
    for (const line of event.failedPage.lines) expect(text).toContain(line)
    // Another system reported this failure, so it is unknown whether the delegate was charged.
    expect(text).toMatch(/We could not confirm this payment(?!.*No amount has been)/s)
    expect(text).not.toContain('Paid')
    for (const [name, target] of Object.entries(event.failedPage.links)) {
      const href = (await page.getByRole('link', { name, exact: true }).getAttribute('href')) ?? ''
      if (!target.startsWith('mailto:')) expect(href, name).toBe(target)
      else {
        // The link opens an email draft with the address, and a subject with the order ID.
        expect(href.split('?')[0]).toBe(target)
        expect(decodeURIComponent(href.split('subject=')[1] ?? '')).toBe(
          `${event.title} – payment failed for order ${event.numbers[2]}`,
        )
      }
    }
    await expectAccessible(page, `${event.title}, failed`)
    const [retryLink] = Object.entries(event.failedPage.links)
    if (retryLink === undefined) return
    await page.getByRole('link', { name: retryLink[0], exact: true }).click()
    await page.waitForURL(server.url + retryLink[1])
    await page.getByRole('textbox', { name: 'Full Name' }).waitFor()
  })
})

/** One event with a receipt, and one with custom pages. Other events differ only in their data and texts. */
const REPRESENTATIVES = ['afpicon2026', 'pulmocon2025']
const TESTED_CASES = CASES.filter(({ id }) => ALL_RUNS || REPRESENTATIVES.includes(id))

describe.each(TESTED_CASES)('$title', (event) => {
  let [paidId, pendingId, failedId, refundedId] = event.numbers
  beforeAll(() => {
    ;[paidId, pendingId, failedId, refundedId] = readNumbers(server.dataDir, event.numbers)
  })

  test('S040 S041 S044 S059 S066 S170: without a valid and known order ID, the page states the error and that a paid registration is not lost', async () => {
    const { page } = visitor
    const { missing, malformed, unknown } = event.errors
    for (const [query, sentence] of [
      ['', missing],
      ['?orderId=', missing],
      [`?orderId=${malformed[0]}`, malformed[1]],
      [`?orderId=${unknown[0]}`, unknown[1]],
    ] as const) {
      await page.goto(buildUrl(event, 'success', query))
      const alert = page.getByRole('alert')
      expect(toPlainText(await alert.getByRole('heading').textContent()), query).toBe(sentence)
      const advice = 'If you have already paid, your registration is safe'
      expect(toPlainText(await alert.textContent())).toContain(advice)
      if (event.errorButton === null) continue
      const link = page.getByRole('link', { name: event.errorButton })
      expect(await link.getAttribute('href')).toBe('/')
    }
    await expectAccessible(page, `${event.title}, unknown id`)
  })

  test('S105 S116: while a payment is pending, both pages show no receipt and do not say whether it succeeded, and offer payment while the event accepts it', async () => {
    const { page } = visitor
    for (const outcome of ['failed', 'success'] as const) {
      await page.goto(buildUrl(event, outcome, `?orderId=${pendingId}&amount=1.00`))
      await waitForHeading(page, 'Not paid yet')
      const text = await readMain(page)
      const isClosed = event.id === 'pulmocon2025'
      expect(text).toContain(isClosed ? 'If you have paid or' : 'If you have just paid')
      for (const absentText of [
        'Paid',
        'No amount has been deducted',
        'Your registration is not confirmed',
      ])
        expect(text).not.toContain(absentText)
      for (const name of event.paidPage.buttons)
        expect(await page.getByRole('button', { name }).count()).toBe(0)
      expect(await page.getByRole('button', { name: /^Pay/ }).count()).toBe(isClosed ? 0 : 1)
      for (const name of Object.keys(event.failedPage.links))
        expect(await page.getByRole('link', { name }).count()).toBe(0)
    }
    await expectAccessible(page, `${event.title}, pending`)
  })

  test('S104: the page of a refunded payment states the refund, and offers neither a receipt nor a retry', async () => {
    const { page } = visitor
    await page.goto(buildUrl(event, 'success', `?orderId=${refundedId}`))
    await waitForHeading(page, 'Payment refunded')
    for (const name of event.paidPage.buttons)
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await expectAccessible(page, `${event.title}, refunded`)
  })

  test('S033 S045 S046 S060 S061: the failed page of an order that cannot be found shows the values in its URL, and does not state whether the delegate was charged', async () => {
    const { page } = visitor
    for (const query of [
      '',
      `?orderId=${event.errors.malformed[0]}`,
      ...[event.numbers[0], event.errors.unknown[0]].map(
        (number) => `?orderId=${number}&amount=1234.50&date=2025-11-09`,
      ),
    ]) {
      await page.goto(buildUrl(event, 'failed', query))
      await waitForHeading(page, 'Payment Failed')
      const data = removeGaps(await readData(page.locator('main')), 'Transaction ID', 'Order ID')
      if (query === '')
        expect(data).toEqual(
          expect.objectContaining(
            Object.fromEntries(
              Object.entries(event.failedPage.unknownData).filter(([, text]) => text !== undefined),
            ),
          ),
        )
      if (query.includes('amount')) {
        expect([
          data['Order ID'] ?? data['Transaction ID'],
          data['Amount'],
          data['Date'] ?? data['Attempt Date'],
        ]).toEqual([/orderId=(\w+)/.exec(query)?.[1], '₹ 1,234.50', '9 November 2025'])
        expect(data).not.toHaveProperty(['Registration Number'])
      }
      const text = await readMain(page)
      expect(text).not.toContain('No amount has been deducted')
      // The page does not ask delegates to quote a number that does not exist.
      expect(text.includes('quote the transaction ID')).toBe(
        query !== '' && event.id === 'pulmocon2025',
      )
      if (query === '' && event.id === 'pulmocon2025')
        expect(text).toContain('If you need help, write to')
      for (const link of await page.getByRole('main').getByRole('link').all())
        expect(await link.getAttribute('href')).not.toContain(
          query === '' ? encodeURIComponent('N/A') : 'undefined',
        )
      if (event.id !== 'pulmocon2025') expect(text).toContain(CHECK_ACCOUNT_ADVICE)
      expect(await page.getByRole('alert').count()).toBe(0)
    }
    await expectAccessible(page, `${event.title}, failed, unknown`)
  })

  test("S042 S043 S044 S055 S167: shows a spinner, then a network error or the server's message, and finally the page", async () => {
    const { page } = visitor
    let mockResponse: 'none' | number | string | { readonly bodyOf200: string } = 'none'
    let release = (): void => {}
    const releasePromise = new Promise<void>((resolve) => {
      release = resolve
    })
    const eventRegistrationPaths = '**/api/**/registrations/**'
    const registrationPaths = '**/api/registrations/**'
    for (const path of [eventRegistrationPaths, registrationPaths]) {
      await page.route(path, async (route) => {
        await releasePromise
        if (mockResponse === 'none') await route.abort()
        else if (typeof mockResponse === 'number')
          await route.fulfill({
            status: mockResponse,
            contentType: 'text/html',
            body: '<p>a proxy in between</p>',
          })
        else if (typeof mockResponse === 'object')
          await route.fulfill({ contentType: 'application/json', body: mockResponse.bodyOf200 })
        else
          await route.fulfill({
            status: 503,
            contentType: 'application/json',
            body: JSON.stringify({ status: 'error', code: 'busy', message: mockResponse }),
          })
      })
    }
    await page.goto(buildUrl(event, 'success', `?orderId=${paidId}`))
    await page.getByRole('status').filter({ hasText: 'Loading your registration' }).waitFor()
    await page.locator('.spin').waitFor()
    await expectAccessible(page, `${event.title}, looking up`)
    release()
    const alert = page.getByRole('alert')
    const readTitle = async () => toPlainText(await alert.getByRole('heading').textContent())
    await alert.getByText(NETWORK_ERROR).waitFor()
    await expect.poll(readTitle).toBe(FETCH_FAILED)
    await expectAccessible(page, `${event.title}, no response`)
    const tryAgainButton = page.getByRole('button', { name: 'Try again' })
    mockResponse = 500
    await tryAgainButton.click()
    await alert.getByText('Server error. Please try again later.').waitFor()
    await expect.poll(readTitle).toBe(FETCH_FAILED)
    // An unexpected body with status 200 shows the same message, not a blank page or an endless spinner. Each iteration
    // first checks that the server's own message takes precedence over the text for the status and over the fallback.
    // The last response leads to the page for an unknown order, which has no Try again button.
    const incompleteRow = { ...event.row, reg_no: paidId, payment_status: 'paid' }
    for (const [bodyOf200, sentence] of [
      ['<p>a proxy in between</p>', FETCH_FAILED],
      [JSON.stringify({ status: 'success', registration: incompleteRow }), FETCH_FAILED],
      [JSON.stringify({ status: 'success' }), event.errors.unknown[1]],
    ] as const) {
      mockResponse = 'The register is being copied. Please come back in a minute.'
      await tryAgainButton.click()
      await alert.getByRole('heading', { name: mockResponse }).waitFor()
      mockResponse = { bodyOf200 }
      await tryAgainButton.click()
      await alert.getByRole('heading', { name: sentence, exact: true }).waitFor()
    }
    // A failed page that cannot look up the order remains a failed page and shows no error.
    mockResponse = 'none'
    await page.goto(buildUrl(event, 'failed', `?orderId=${failedId}&amount=10.00&date=2025-11-09`))
    await waitForHeading(page, 'Payment Failed')
    expect(await alert.count()).toBe(0)
    expect(await readMain(page)).not.toContain('No amount has been deducted')
    await page.goto(buildUrl(event, 'success', `?orderId=${paidId}`))
    await tryAgainButton.waitFor()
    for (const path of [eventRegistrationPaths, registrationPaths]) await page.unroute(path)
    await tryAgainButton.click()
    await waitForHeading(page, event.paidPage.heading)
  })
})

test('no page logged an error in the browser console', () => {
  expect(visitor.consoleErrors).toEqual([])
})

async function checkReceiptAndPrint(page: Page, regNo: string): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download Receipt' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`${regNo}.txt`)
  const lines = readFileSync(await download.path(), 'utf8')
    .split(/\r?\n/)
    .map(toPlainText)
  for (const line of [
    `Registration Number: ${regNo}`,
    `Name: ${DELEGATE.full_name}`,
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
