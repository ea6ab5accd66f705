/** Tests the specification's sentences about pages in a browser, except those that tests/browser covers. */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, launch, addSessionCookie, visit } from '../browser/browser.ts'
import type { Visit } from '../browser/browser.ts'
import {
  clickAtGateway,
  findField,
  waitForHydration,
  readData,
  findPayButton,
  toPlainText,
  findSummary,
  removePrices,
} from '../browser/delegate.ts'
import { ADMIN, serve } from '../browser/serve.ts'
import type { TestServer } from '../browser/serve.ts'
import {
  IMPORTED_EMAIL,
  importOldRows,
  PULMO_PAID,
  PULMO_FAILED,
  PULMO_PAYMENT,
} from './imported.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({ CLOCK: '2025-11-10T12:00:00+05:30' }, importOldRows),
  ])
})
afterAll(async () => {
  await server.stop()
})

const readMain = async (page: Page): Promise<string> =>
  toPlainText(await page.getByRole('main').textContent())
const findYesOption = (page: Page, question: string) =>
  page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes' })

async function signIn(page: Page): Promise<void> {
  await page.goto(`${server.url}/admin/login`)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.waitForURL(/\/admin\/dashboard/)
}

async function fillShortForm(page: Page, name: string): Promise<void> {
  await waitForHydration(page)
  await findField(page, 'Full Name').fill(name)
  await findField(page, 'Email').fill('someone@example.org')
  await findField(page, 'Phone Number').fill('98470 00000')
}

/** Submits the form and returns the fields that the browser posts to the gateway. */
async function submitAndReadHandOff(page: Page): Promise<URLSearchParams> {
  const gatewayRequest = page.waitForRequest(
    (request) => request.method() === 'POST' && !request.url().startsWith(server.url),
  )
  await findPayButton(page).click()
  const fields = new URLSearchParams((await gatewayRequest).postData() ?? '')
  await page.waitForURL((url) => url.origin !== server.url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return fields
}

describe('routes', () => {
  test.each([
    ['S001 S003 S019', '/', 'Every delegate on the register, every rupee accounted for.'],
    ['S020', '/pulmocon2025', 'PULMOCON 2025'],
    ['S021', '/afpicon2026', 'AFPICON 2026'],
    ['S022', '/chirurgia2026', 'Chirurgia 2026'],
    ['S023', '/midzone2025', 'Kerala Mid Zone 2025'],
    ['S034', '/afpicon/register', 'AFPICON 2026'],
    ['S024', '/afpicon/payment/success', 'AFPICON 2026'],
    ['S024', '/afpicon/payment/failed', 'AFPICON 2026'],
    ['S025', '/chirurgia/payment/success', 'Chirurgia 2026'],
    ['S025', '/chirurgia/payment/failed', 'Chirurgia 2026'],
    ['S026', '/midzone/payment/success', 'Kerala Mid Zone 2025'],
    ['S026', '/midzone/payment/failed', 'Kerala Mid Zone 2025'],
    ['S027', '/payment/success', 'PULMOCON 2025'],
    ['S027', '/payment/failed', 'PULMOCON 2025'],
  ])('%s: %s returns a page with its heading', async (_sentence, path, heading) => {
    const pageResponse = await fetch(server.url + path)
    expect(pageResponse.status).toBe(200)
    // tests/browser/before-scripts.test.ts covers how a browser renders the page, before and after its script loads.
    const [, headingHtml = ''] = /<h1[^>]*>(.*?)<\/h1>/s.exec(await pageResponse.text()) ?? []
    expect(toPlainText(headingHtml.replaceAll(/<[^>]*>/g, ' '))).toBe(heading)
  })

  test('S002: the sections follow the order of the specification', async () => {
    const { readFileSync } = await import('node:fs')
    const sections = [
      ...readFileSync(join(import.meta.dirname, 'sentences.md'), 'utf8').matchAll(/^## (\d)\./gm),
    ].map((found) => found[1])
    expect(sections).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })
})

describe('Chirurgia', () => {
  test('S013 S022 S063 S065 S119: the form shows a price that changes with the answers', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(`${server.url}/chirurgia2026`)
    await waitForHydration(page)
    for (const title of [
      'Personal Information',
      'Presentation Preferences',
      'Registration Summary',
    ])
      await page.getByRole('heading', { name: title }).waitFor()
    await expect
      .poll(async () => (await readData(findSummary(page)))['Total Amount'])
      .toBe('₹ 7,080')
    await expect.poll(() => findField(page, 'ASI Membership Number').count()).toBe(0)
    await findYesOption(page, 'ASI Member').check()
    await findField(page, 'ASI Membership Number').waitFor()
    await expect
      .poll(async () => (await readData(findSummary(page)))['Total Amount'])
      .toBe('₹ 5,900')
    await page.getByLabel('Designation').selectOption('pg')
    await expect
      .poll(async () => await readData(findSummary(page)))
      .toMatchObject({ Category: 'Post Graduate (ASI)', 'Total Amount': '₹ 3,540' })
    await expect.poll(() => page.getByRole('radio', { name: /^Accompanying/ }).count()).toBe(0)
    await expectAccessible(page, 'Chirurgia, filled in')
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('S053 S064 S132: without a price, the summary explains why, and the button is disabled', async () => {
    const { page, context } = await visit(browser)
    let releasePrices = (): void => {}
    const pricesReleased = new Promise<void>((resolve) => {
      releasePrices = resolve
    })
    await page.route('**/chirurgia2026', removePrices)
    await page.route('**/api/chirurgia/tariff-info/', async (route) => {
      await pricesReleased
      await route.continue()
    })
    await page.goto(`${server.url}/chirurgia2026`)
    await findSummary(page)
      .getByText('Please complete the registration form to view pricing details')
      .waitFor()
    await expect.poll(() => findPayButton(page).isDisabled()).toBe(true)
    await expectAccessible(page, 'a form whose price has not come yet')
    releasePrices()
    await expect
      .poll(async () => (await readData(findSummary(page)))['Total Amount'])
      .toBe('₹ 7,080')
    await expect.poll(() => findPayButton(page).isDisabled()).toBe(false)
    await context.close()
  })

  test('S015 S025 S067 S111 S112 S165 S166: the form is posted to the gateway, and the delegate returns to a paid registration', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(`${server.url}/chirurgia2026`)
    await fillShortForm(page, 'Dr. Hidden Form')
    const fields = await submitAndReadHandOff(page)
    expect([...fields.keys()].toSorted()).toEqual(
      [
        'buyerEmail',
        'buyerFirstName',
        'buyerLastName',
        'orderid',
        'amount',
        'UID',
        'mercid',
        'kittype',
        'currency',
        'isocurrency',
        'txnsubtype',
        'privatekey',
        'checksum',
      ].toSorted(),
    )
    expect(Object.fromEntries(fields)).toMatchObject({
      buyerEmail: 'someone@example.org',
      amount: '7080.00',
      UID: fields.get('orderid'),
      kittype: 'server_side_sdk',
      currency: '356',
      isocurrency: 'INR',
      txnsubtype: '2',
    })
    await clickAtGateway(page, 'Pay')
    await page.waitForURL(/\/chirurgia\/payment\/success/)
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await expect
      .poll(() => readData(page.getByRole('main')))
      .toMatchObject({
        Email: 'someone@example.org',
        'Phone Number': '98470 00000',
        Category: 'Non-ASI Member',
        'Amount Paid (GST included)': '₹ 7,080',
        Status: 'Paid',
      })
    const text = await readMain(page)
    for (const phrase of [
      'Dr. Hidden Form',
      'Payment Date',
      'Please keep your registration number',
      'A confirmation email will be sent',
      'bring a valid ID proof',
    ])
      expect(text).toContain(phrase)
    expect(consoleErrors).toEqual([])
    await context.close()
  })
})

describe('Mid Zone', () => {
  test('S023 S069 S070 S071 S115: the form is submitted and paid, with base, GST and total', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(`${server.url}/midzone2025`)
    await page.getByRole('heading', { name: 'Registration Details' }).waitFor()
    await expect
      .poll(() => findField(page, 'Address').evaluate((input) => input.tagName))
      .toBe('TEXTAREA')
    await fillShortForm(page, 'Dr. Mid Zone Member')
    await findYesOption(page, 'AFPI Member').check()
    await findField(page, 'AFPI Membership Number').fill('K-7')
    await expect
      .poll(async () => await readData(findSummary(page)))
      .toMatchObject({ 'Base Fee': '₹ 1,000', 'GST (18%)': '₹ 180', 'Total Amount': '₹ 1,180' })
    await expectAccessible(page, 'Mid Zone, filled in')
    await submitAndReadHandOff(page)
    await clickAtGateway(page, 'Pay')
    await page.waitForURL(/\/midzone\/payment\/success/)
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await expect
      .poll(() => readData(page.getByRole('main')))
      .toMatchObject({
        Email: 'someone@example.org',
        Category: 'AFPI Delegate',
        'AFPI Membership Number': 'K-7',
        'Base Fee': '₹ 1,000',
        'GST (18%)': '₹ 180',
        'Total Amount': '₹ 1,180',
        Status: 'Paid',
        Event: 'Kerala Mid Zone 2025',
        Date: '23 November 2025',
        Time: '9 AM to 3 PM',
        Venue: 'Kochi',
      })
    expect(consoleErrors).toEqual([])
    await context.close()
  })
})

const enterEmail = async (page: Page, email: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Email address' }).fill(email)
  await page.getByRole('button', { name: 'Show my registration' }).click()
}

describe("PULMOCON's result pages", () => {
  test(
    'S027 S033 S039: the success page shows a paid registration after the delegate enters the email address',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser)
      await page.goto(
        `${server.url}/payment/success?orderId=${PULMO_PAID}&amount=1.00&date=2020-01-01`,
      )
      // A sequential number from another system is not enough for access.
      await page.getByRole('heading', { name: 'Your email address' }).waitFor()
      expect(await readMain(page)).not.toContain('Dr. Imported Sample')
      await expectAccessible(page, 'the prompt for the email address')
      await enterEmail(page, 'stranger@example.org')
      await page.getByRole('alert').getByText(/.+/).first().waitFor()
      await enterEmail(page, IMPORTED_EMAIL)
      await page.getByRole('heading', { name: 'Payment Successful' }).waitFor()
      const text = await readMain(page)
      for (const part of [
        'Dr. Imported Sample',
        'PG Students',
        '₹ 3,500',
        '2 August 2025',
        'Transaction ID',
        "What's next?",
        'confirmation email',
      ])
        expect(text.replaceAll('’', "'")).toContain(part)
      expect(text.replaceAll(' ', '')).toMatch(/PULMO\d{12,}/)
      // The page must show the delegate's former number and payment ID, which an older version omitted.
      await expect
        .poll(() => readData(page.getByRole('main')))
        .toMatchObject({
          'Transaction ID': PULMO_PAID,
          'Payment ID': PULMO_PAYMENT,
        })
      await context.close()
    },
  )
  test(
    'S033 S045 S046 S047: the failed page shows the parameters in its URL, and loads the registration in the background',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser)
      await page.goto(
        `${server.url}/payment/failed?orderId=${PULMO_FAILED}&amount=3500.00&date=2025-08-02`,
      )
      await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
      const importedPage = await readMain(page)
      for (const part of [
        'Transaction ID',
        '₹ 3,500',
        'Attempt Date',
        '2 August 2025',
        'quote the transaction ID',
      ])
        expect(importedPage).toContain(part)
      // An unknown order leads to the same page without an error. A difference would disclose which numbers exist.
      await page.goto(
        `${server.url}/payment/failed?orderId=PULMO999&amount=3500.00&date=2025-08-02`,
      )
      await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
      await expect
        .poll(() => readMain(page))
        .toBe(importedPage.replaceAll(PULMO_FAILED, 'PULMO999'))
      await expect.poll(() => page.getByRole('alert').count()).toBe(0)
      await context.close()
    },
  )
})

describe('errors', () => {
  test(
    'S053 S111: while the form is submitted, the button shows progress and is disabled',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser)
      let releaseResponse = (): void => {}
      const responseHeld = new Promise<void>((resolve) => {
        releaseResponse = resolve
      })
      await page.route('**/api/midzone/register/', async (route) => {
        await responseHeld
        await route.continue()
      })
      await page.goto(`${server.url}/midzone2025`)
      await fillShortForm(page, 'Dr. Patient Button')
      await findPayButton(page).click()
      await page.getByRole('button', { name: 'Processing Registration...' }).waitFor()
      await expect.poll(() => findPayButton(page).isDisabled()).toBe(true)
      await expectAccessible(page, 'submitting')
      releaseResponse()
      await page.waitForURL((url) => url.origin !== server.url)
      await context.close()
    },
  )

  // The form is submitted several times, and its answers do not change.
  let retryVisit: Visit
  beforeAll(async () => {
    retryVisit = await visit(browser)
    await retryVisit.page.goto(`${server.url}/midzone2025`)
    await fillShortForm(retryVisit.page, 'Dr. Unlucky Sample')
  })
  afterAll(() => retryVisit.context.close())
  test.each([
    ['network', 0, 'Network error. Please check your internet connection.'],
    ['401', 401, 'Unauthorized. Please check your credentials.'],
    ['403', 403, 'Access forbidden.'],
    ['404', 404, 'Resource not found.'],
    ['500', 500, 'Server error. Please try again later.'],
    ['502, which has no specific message', 502, 'Registration failed. Please try again.'],
  ])(
    'S114 S167 S168: the form shows the message for the error %s',
    async (_name, status, sentence) => {
      const { page } = retryVisit
      await page.route('**/api/midzone/register/', (route) =>
        status === 0
          ? route.abort()
          : route.fulfill({ status, contentType: 'text/html', body: 'a proxy' }),
      )
      await findPayButton(page).click()
      await page.getByRole('status').getByText(sentence).waitFor()
      await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('Dr. Unlucky Sample')
      await expect.poll(() => findPayButton(page).isDisabled()).toBe(false)
      await page.unroute('**/api/midzone/register/')
    },
  )

  test(
    'S117 S172 S190: the toast disappears after 6000 ms, not before, and can be dismissed',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser, { privateWindow: true })
      await page.clock.install()
      await page.route('**/api/midzone/register/', (route) => route.abort())
      await page.goto(`${server.url}/midzone2025`)
      await fillShortForm(page, 'Dr. Toast Example')
      const toast = page
        .getByRole('status')
        .getByText('Network error. Please check your internet connection.')
      // From here on, the page's clock advances only when the test advances it.
      await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000)
      await findPayButton(page).click()
      await toast.waitFor()
      await page.mouse.move(0, 0)
      await page.clock.runFor(5_500)
      await expect.poll(() => toast.count()).toBe(1)
      await page.clock.runFor(1_000)
      await expect.poll(() => toast.count()).toBe(0)
      await findPayButton(page).click()
      await toast.waitFor()
      // If the same message appears again, it replaces the first one.
      const secondRequest = page.waitForRequest('**/api/midzone/register/')
      await findPayButton(page).click()
      await secondRequest
      await expect.poll(() => findPayButton(page).isDisabled()).toBe(false)
      await expect.poll(() => toast.count()).toBe(1)
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await expect.poll(() => toast.count()).toBe(0)
      await context.close()
    },
  )
})

describe('the office', () => {
  test('S029 S075 S076 S077 S078 S193: the dashboard', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await signIn(page)
    await page.getByRole('heading', { level: 2, name: 'Pulmocon' }).waitFor()
    await expect
      .poll(() => readData(page.locator('dl').first()))
      .toMatchObject({
        'Pulmocon total': '2',
        'Pulmocon paid': '1',
        'AFPICON total': expect.any(String),
        'Total revenue': expect.stringMatching(/^₹ [\d,]+$/),
      })
    const panel = page.getByRole('region', { name: 'Pulmocon' })
    for (const part of [
      'Total2',
      'Paid1',
      'Pending0',
      'Failed1',
      'Today’s registrations0',
      '₹ 3,500',
      'Dr. Imported Sample',
    ])
      await expect.poll(async () => toPlainText(await panel.textContent())).toContain(part)
    for (const list of [/PULMOCON list/, /AFPICON list/, /AFPICON 2026 list/])
      await expect.poll(() => page.getByRole('link', { name: list }).count()).toBe(1)
    await expectAccessible(page, 'dashboard with figures')
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test.each([
    ['S030', '/admin/pulmocon', 'PULMOCON Registrations'],
    ['S031', '/admin/afpicon', 'AFPICON Registrations'],
    ['S032', '/admin/afpicon2026', 'AFPICON 2026 Registrations'],
  ])(
    '%s S079 S081: %s has filters, an export, links and sign-out, and shows a message if it is empty',
    async (_sentence, path, title) => {
      const { page, context } = await visit(browser)
      await addSessionCookie(context, server.url, ADMIN)
      await page.goto(server.url + path)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      for (const label of ['Payment Status', 'Search'])
        await expect.poll(() => page.getByLabel(label).count()).toBe(1)
      for (const button of ['Export CSV', 'Logout'])
        await expect
          .poll(() => page.getByRole('button', { name: button }).first().isVisible())
          .toBe(true)
      await expect
        .poll(() => page.getByRole('navigation', { name: 'Office' }).getByRole('link').count())
        .toBeGreaterThan(3)
      await page.getByLabel('Search').fill('no match')
      await page.getByText('No registrations found').waitFor()
      await expectAccessible(page, `${title}, nothing found`)
      await context.close()
    },
  )

  test.each([
    ['/admin/pulmocon', '**/admin/pulmocon/registrations/**', 500, 'Failed to load registrations'],
    [
      '/admin/afpicon2026',
      '**/afpicon/admin/registrations/**',
      500,
      'Failed to load registrations: Server error. Please try again later.',
    ],
    [
      '/admin/afpicon2026',
      '**/afpicon/admin/registrations/**',
      418,
      'Failed to load registrations: HTTP error! status: 418',
    ],
  ])(
    'S143 S171: %s shows an error if the list cannot load',
    { tags: ['slow'] },
    async (path, call, status, sentence) => {
      const { page, context } = await visit(browser)
      await addSessionCookie(context, server.url, ADMIN)
      await page.route(call, (route) =>
        route.fulfill({ status, contentType: 'text/html', body: 'x' }),
      )
      await page.goto(server.url + path)
      await page.getByText(sentence, { exact: true }).waitFor()
      await expectAccessible(page, `${path}, cannot load`)
      await context.close()
    },
  )

  test(
    'S171: errors are shown for an invalid response, a failed export and a dashboard that cannot load',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser)
      await addSessionCookie(context, server.url, ADMIN)
      await page.route('**/afpicon/admin/registrations/**', (route) =>
        route.fulfill({
          status: 200,
          contentType: 'application/json',
          body: '{"status":"success","rows":7}',
        }),
      )
      await page.goto(`${server.url}/admin/afpicon2026`)
      await page.getByText('Failed to load registrations', { exact: true }).waitFor()
      await page
        .getByRole('button', { name: /Dismiss/ })
        .first()
        .click()
      await expect
        .poll(() => page.getByText('Failed to load registrations', { exact: true }).count())
        .toBe(0)
      await page.unroute('**/afpicon/admin/registrations/**')
      await page.route('**/afpicon/download-csv/**', (route) => route.abort())
      await page.getByRole('button', { name: 'Export CSV' }).click()
      await page
        .getByText('Failed to export CSV: Network error. Please check your internet connection.')
        .waitFor()
      await page.route('**/admin/dashboard/stats/**', (route) =>
        route.fulfill({ status: 500, contentType: 'text/html', body: 'x' }),
      )
      await page.goto(`${server.url}/admin/dashboard`)
      await page.getByText('Failed to load dashboard statistics').waitFor()
      await page.unroute('**/admin/dashboard/stats/**')
      await page.getByRole('button', { name: 'Try Again' }).click()
      await page.getByRole('heading', { level: 2, name: 'Pulmocon' }).waitFor()
      await context.close()
    },
  )

  test('S118: after a sign-out in one window, another window redirects to the sign-in page and, after signing in, back', async () => {
    const { page, context } = await visit(browser)
    await signIn(page)
    const otherWindow = await context.newPage()
    await otherWindow.goto(`${server.url}/admin/afpicon`)
    await otherWindow.getByRole('heading', { level: 1, name: 'AFPICON Registrations' }).waitFor()
    await page.getByRole('button', { name: 'Logout' }).first().click()
    await page.waitForURL(/\/admin\/login/)
    await otherWindow.getByRole('button', { name: 'Refresh' }).click()
    await otherWindow.waitForURL(/\/admin\/login/)
    await otherWindow.getByLabel('Username').fill(ADMIN.username)
    await otherWindow.getByLabel('Password').fill(ADMIN.password)
    await otherWindow.getByRole('button', { name: 'Sign In' }).click()
    await otherWindow.waitForURL(/\/admin\/afpicon$/)
    await context.close()
  })
})
