/** Pages for delegates whose payment failed, is pending or has not been made. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import type { Visit } from './browser.ts'
import {
  clickAtGateway,
  findField,
  fillForm,
  FORM_PATH,
  INTERN_CATEGORY,
  readData,
  readOrderId,
  readGatewayOrder,
  findPayButton,
  toPlainText,
  proceedToGateway,
  registerThroughApi,
} from './delegate.ts'
import { createPaymentLink, serve } from './serve.ts'
import type { TestServer } from './serve.ts'
import { recordAnnouncements } from './accessibility-tree.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
})
afterAll(async () => {
  await server.stop()
})

const SUCCESS_PATH = '/afpicon/payment/success'
const FAILED_PATH = '/afpicon/payment/failed'

async function openGateway(page: Page, name: string): Promise<void> {
  await page.goto(server.url + FORM_PATH)
  await fillForm(page, { name, category: INTERN_CATEGORY })
  await proceedToGateway(page)
}

/** Opens the gateway's page for an existing registration. */
async function openGatewayForOrder(page: Page, orderId: string): Promise<void> {
  await page.goto(`${server.url}${SUCCESS_PATH}?orderId=${orderId}`)
  await page.getByRole('button', { name: 'Pay ₹ 3,540 now' }).click()
  await page.waitForURL((url) => url.origin !== server.url)
}

const readMain = async (page: Page): Promise<string> =>
  toPlainText(await page.getByRole('main').textContent())

describe('a payment that is declined', () => {
  test('S034 S060 S061 S062 S173: shows the failed page, whose Try Again button leads back to the form', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await openGateway(page, 'Dr. Declined Sample')
    await clickAtGateway(page, 'Decline')
    await page.waitForURL(new RegExp(FAILED_PATH))
    await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
    const text = await readMain(page)
    for (const line of [
      'No amount has been deducted from your account',
      'Your registration is not confirmed',
      'You can try the payment again',
      'Insufficient funds in your account',
      'Incorrect card details',
      'Network connectivity issues',
      'Transaction declined by your bank',
      'Payment gateway timeout',
    ])
      expect(text).toContain(line)
    await expect
      .poll(() => readData(page.getByRole('main')))
      .toMatchObject({
        'Order ID': readOrderId(page),
        Amount: '₹ 3,540',
        Status: 'Failed',
      })
    await expectAccessible(page, 'failed')
    await expect
      .poll(() => page.getByRole('link', { name: 'Contact Support' }).getAttribute('href'))
      .toContain('mailto:support@afpicon.example')
    await expect
      .poll(() => page.getByRole('link', { name: 'Go Home' }).getAttribute('href'))
      .toBe('/')
    await expect.poll(() => page.getByRole('button', { name: 'Download Receipt' }).count()).toBe(0)

    // The same order's success URL, opened manually, still shows the failure.
    await page.goto(`${server.url}${SUCCESS_PATH}?orderId=${readOrderId(page)}&amount=3540.00`)
    await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
    expect(await readMain(page)).not.toContain('Paid')

    await page.getByRole('link', { name: 'Try Again' }).click()
    await page.waitForURL(/\/afpicon\/register$/)
    await page.getByRole('radio', { name: INTERN_CATEGORY, exact: true }).waitFor()
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('can be retried later, without filling in the form again', { tags: ['slow'] }, async () => {
    const { page, context } = await visit(browser)
    await openGatewayForOrder(page, await registerThroughApi(server.url, 'Dr. Second Attempt'))
    await clickAtGateway(page, 'Decline')
    await page.waitForURL(new RegExp(FAILED_PATH))
    await page.getByRole('button', { name: /^Try paying ₹.3,540 again$/ }).click()
    await page.waitForURL((url) => url.origin !== server.url)
    await clickAtGateway(page, 'Pay')
    await page.waitForURL(new RegExp(SUCCESS_PATH))
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await context.close()
  })
})

describe('a slow payment', () => {
  test(
    'S116: is pending at first, without a receipt or a pay button, and is then shown as paid without a reload',
    { tags: ['slow'] },
    async () => {
      const { page, context, consoleErrors } = await visit(browser, { privateWindow: true })
      const announcements = await recordAnnouncements(page)
      await openGatewayForOrder(page, await registerThroughApi(server.url, 'Dr. Pending Example'))
      await clickAtGateway(page, 'Pay later')
      await page.waitForURL(new RegExp(SUCCESS_PATH))
      await page.getByRole('heading', { name: 'We are confirming your payment' }).waitFor()
      await expect.poll(() => readMain(page)).toContain('Please do not pay again')
      for (const name of ['Download Receipt', 'Print Confirmation', /^(Pay|Try paying)/])
        await expect.poll(() => page.getByRole('button', { name }).count()).toBe(0)
      await expect.poll(() => page.getByRole('link', { name: 'Try Again' }).count()).toBe(0)
      await expectAccessible(page, 'pending')
      await announcements.readAnnouncements()
      // The page polls until the gateway has the result.
      const paidHeading = page.getByRole('heading', { name: 'Registration Confirmed' })
      await paidHeading.waitFor({ timeout: 200_000 })
      // The result is announced once, by moving the focus, not by a live region as well.
      await expect
        .poll(() => paidHeading.evaluate((heading) => heading === document.activeElement))
        .toBe(true)
      expect(
        (await announcements.readAnnouncements()).filter((text) =>
          text.includes('Registration Confirmed'),
        ),
      ).toEqual([])
      await expect.poll(async () => (await readData(page.getByRole('main')))['Status']).toBe('Paid')
      expect(consoleErrors).toEqual([])
      await context.close()
    },
  )

  test(
    'stays unpaid if its success URL is opened manually, and can be paid there with one click',
    { tags: ['slow'] },
    async () => {
      const { page, context, consoleErrors } = await visit(browser)
      const orderId = await registerThroughApi(server.url, 'Dr. Abandoned Demo')
      await page.goto(
        `${server.url}${SUCCESS_PATH}?orderId=${orderId}&amount=3540.00&date=2026-01-01`,
      )
      await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
      expect(await readMain(page)).not.toContain('Paid')
      await expect
        .poll(() => page.getByRole('button', { name: 'Download Receipt' }).count())
        .toBe(0)
      await expect
        .poll(() => readData(page.getByRole('main')))
        .toMatchObject({
          'Full Name': 'Dr. Abandoned Demo',
          Category: INTERN_CATEGORY,
          'Total Amount': '₹ 3,540',
        })
      await expectAccessible(page, 'not paid yet')
      await page.getByRole('button', { name: 'Pay ₹ 3,540 now' }).click()
      await page.waitForURL((url) => url.origin !== server.url)
      expect(await readGatewayOrder(page)).toBe(orderId)
      await clickAtGateway(page, 'Pay')
      await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
      expect(consoleErrors).toEqual([])
      await context.close()
    },
  )

  test('a changed price requires confirmation before the payment', { tags: ['slow'] }, async () => {
    const { page, context } = await visit(browser)
    await page.setViewportSize({ width: 360, height: 740 })
    const orderId = await registerThroughApi(server.url, 'Dr. Moved Price')
    await page.goto(`${server.url}${SUCCESS_PATH}?orderId=${orderId}`)
    const payRequests: unknown[] = []
    await page.route('**/api/payment/retry/', async (route) => {
      const body: unknown = route.request().postDataJSON()
      payRequests.push(body)
      const quote = { category: 'intern-mbbs-accompanying', period: 'jan-25-jan-31' }
      await route.fulfill({
        status: payRequests.length < 3 ? 409 : 503,
        json: {
          status: 'error',
          code: payRequests.length < 3 ? 'price_moved' : 'gateway_unsure',
          message: 'The bank could not be asked. Please try again in a minute.',
          quote: { ...quote, base: 4000, gst: 720, total: 4720 },
          was: { ...quote, base: 3000, gst: 540, total: 3540 },
        },
      })
    })
    const payNow = page.getByRole('button', { name: /^Pay .* now$/ })
    const dialog = page.getByRole('dialog', { name: 'The price has changed' })
    await payNow.click()
    await dialog.waitFor()
    await expect
      .poll(async () => (await readData(dialog))['Total Amount'])
      .toBe('was ₹ 3,540 now ₹ 4,720')
    await expect
      .poll(async () => toPlainText(await dialog.textContent()))
      .toContain('You have not been charged')
    await expectAccessible(page, 'the price has changed')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await payNow.click()
    await dialog.waitFor()
    // A status query can close the old order and change the page, but the confirmation dialog stays
    // open.
    await page.route('**/api/afpicon/registrations/**', async (route) => {
      const response = await route.fetch()
      const { registration } = (await response.json()) as { readonly registration: object }
      const endedState = { payment_status: 'failed', failed_as: 'expired', stands: 'failed' }
      await route.fulfill({
        json: { status: 'success', registration: { ...registration, ...endedState } },
      })
    })
    await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
    await dialog.getByRole('button', { name: 'Pay ₹ 4,720' }).click()
    // The reason why the registration cannot be paid is next to the button, and stays there.
    await page.getByRole('alert').filter({ hasText: 'The bank could not be asked' }).waitFor()
    expect(payRequests).toEqual([
      { order_id: orderId },
      { order_id: orderId },
      { order_id: orderId, price: 4720 },
    ])
    await context.close()
  })

  test(
    'is under review if the amount differs: the page states since when, what happens next and whom to contact',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser)
      await openGatewayForOrder(page, await registerThroughApi(server.url, 'Dr. Short Amount'))
      await clickAtGateway(page, 'Pay the wrong amount')
      await page
        .getByRole('heading', { name: 'The organisers are checking your payment' })
        .waitFor()
      const details = await readData(page.getByRole('main'))
      expect(details).toMatchObject({ 'Order ID': expect.any(String), Since: expect.any(String) })
      await expect
        .poll(() => page.getByRole('button', { name: /^(Pay|Try paying)/ }).count())
        .toBe(0)
      await context.close()
    },
  )
})

describe('the browser’s Back button, from the gateway to the form', { tags: ['slow'] }, () => {
  test('the form keeps its answers and offers to pay for the same registration, even when submitted again', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await openGateway(page, 'Dr. Back Button')
    const orderId = await readGatewayOrder(page)
    await page.goBack()
    const ownRegion = page.getByRole('region', { name: 'Your registration' })
    await ownRegion.getByText(orderId).waitFor()
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('Dr. Back Button')
    await expectAccessible(page, 'back on the form')
    // The summary becomes a bar at the bottom of the page a few frames after the window is resized.
    await page.setViewportSize({ width: 320, height: 568 })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)

    await proceedToGateway(page)
    expect(await readGatewayOrder(page)).toBe(orderId)

    // A changed answer creates another registration, and the page says so beforehand.
    await page.goBack()
    await findField(page, 'Full Name').fill('Dr. Back Changed')
    await ownRegion
      .getByText(
        'If you change your answers and submit the form again, you will create a new registration.',
      )
      .waitFor()
    await ownRegion.getByRole('link').click()
    await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
    expect(new URL(page.url()).searchParams.get('orderId')).toBe(orderId)
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('the registration can be paid even after registration has closed', async () => {
    const { page, context } = await visit(browser)
    await page.goto(`${server.url}/pulmocon2025`)
    await page.evaluate(() => {
      const savedSubmission = JSON.stringify({ data: {}, key: 'k', regNo: 'PULMO20250001' })
      sessionStorage.setItem('answers of pulmocon2025', savedSubmission)
    })
    await page.reload()
    const region = page.getByRole('region', { name: 'Your registration' })
    await expect
      .poll(() => region.getByRole('link').getAttribute('href'))
      .toBe('/payment/success?orderId=PULMO20250001')
    await expectAccessible(page, 'back on a closed form')
    await context.close()
  })

  test('a form submitted again after payment shows the ticket', async () => {
    const { page, context } = await visit(browser)
    await openGateway(page, 'Dr. Two Tabs')
    const orderId = await readGatewayOrder(page)
    const gatewayUrl = page.url()
    await page.goBack()
    await page.getByRole('region', { name: 'Your registration' }).waitFor()
    const otherTab = await context.newPage()
    await otherTab.goto(gatewayUrl)
    await clickAtGateway(otherTab, 'Pay')
    await otherTab.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await findPayButton(page).click()
    await page.waitForURL((url) => url.searchParams.get('orderId') === orderId)
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await context.close()
  })
})

describe('a payment link in an email', () => {
  test('shows name, items and amount, pays with one click, and then shows the ticket', async () => {
    const { page, context, consoleErrors } = await visit(browser, { width: 768 })
    const orderId = await registerThroughApi(server.url, 'Dr. Linked Example')
    const link = createPaymentLink(server, orderId, '2099-01-01')
    await page.goto(link)
    await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
    await expect
      .poll(() => readData(page.getByRole('main')))
      .toMatchObject({
        'Registration Number': orderId,
        'Full Name': 'Dr. Linked Example',
        Category: INTERN_CATEGORY,
        'Total Amount': '₹ 3,540',
      })
    await expect.poll(() => page.title()).toBe('Not paid yet · AFPICON 2026')
    await expectAccessible(page, 'a link to pay')
    // By keyboard alone.
    await page.getByRole('button', { name: 'Pay ₹ 3,540 now' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.origin !== server.url)
    expect(await readGatewayOrder(page)).toBe(orderId)
    await clickAtGateway(page, 'Pay')
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await page.goto(link)
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^(Pay|Try paying)/ }).count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test(
    'an expired or unknown link shows a message and links to the form',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser)
      await page.goto(
        createPaymentLink(
          server,
          await registerThroughApi(server.url, 'Dr. Late Link'),
          '2001-01-01',
        ),
      )
      const alert = page.getByRole('alert')
      await alert.getByRole('heading', { name: 'This link no longer works' }).waitFor()
      await expect
        .poll(() => alert.getByRole('link', { name: 'support@afpicon.example' }).count())
        .toBe(1)
      await expectAccessible(page, 'an expired link')
      await alert.getByRole('link', { name: 'Go to the registration form' }).click()
      await page.waitForURL(new RegExp(`${FORM_PATH}$`))

      await page.goto(`${server.url}/pay/${'A'.repeat(43)}`)
      await page.getByRole('heading', { level: 1, name: 'We do not recognise this link' }).waitFor()
      const formLinks = page.getByRole('main').getByRole('listitem').getByRole('link')
      await expect.poll(() => formLinks.allTextContents()).toContain('AFPICON 2026')
      await expectAccessible(page, 'an unknown link')
      await context.close()
    },
  )
})

describe('the state of a registration on its page', () => {
  const STATES: readonly (readonly [
    name: string,
    stateChanges: Readonly<Record<string, unknown>>,
    heading: string,
    texts: readonly string[],
    payLabel: string | null,
  ])[] = [
    [
      'to be paid, while its price is still valid',
      {
        stands: 'not-paid',
        may_pay: true,
        held_until: '2099-01-02T00:00:00+05:30',
        price_until: '2098-12-31',
      },
      'Not paid yet',
      [
        'we have not received a payment',
        'The price is valid until 31 December 2098. After that, a new price may apply.',
        'If you have just paid, please wait',
        'Dr. Standing Example',
      ],
      'Pay ₹ 3,540 now',
    ],
    [
      'to be paid, when its price is no longer valid',
      {
        stands: 'not-paid',
        may_pay: true,
        held_until: '2025-11-02T00:00:00+05:30',
        price_until: '2025-10-31',
      },
      'Not paid yet',
      [
        'The price was valid until 31 October 2025',
        'we will ask you to confirm it before we charge you',
      ],
      'Pay now',
    ],
    [
      'unpaid, and no longer payable',
      { stands: 'not-paid', may_pay: false },
      'Not paid yet',
      ['You can no longer pay here', 'support@afpicon.example'],
      null,
    ],
    [
      'failed, while its price is still valid',
      {
        stands: 'failed',
        payment_status: 'failed',
        failed_as: 'declined',
        may_pay: true,
        held_until: '2099-01-02T00:00:00+05:30',
        price_until: '2098-12-31',
      },
      'Payment Failed',
      ['No amount has been deducted', 'The price is valid until 31 December 2098.'],
      'Try paying ₹ 3,540 again',
    ],
    [
      'failed, and the payment is refunded',
      {
        stands: 'failed',
        payment_status: 'failed',
        failed_as: 'given-back',
        may_pay: true,
        held_until: '2099-01-02T00:00:00+05:30',
        price_until: '2098-12-31',
      },
      'Payment Failed',
      ['We received a payment for this registration and refunded it', 'support@afpicon.example'],
      'Try paying ₹ 3,540 again',
    ],
    [
      'failed, when its price is no longer valid',
      {
        stands: 'failed',
        payment_status: 'failed',
        failed_as: 'declined',
        may_pay: true,
        held_until: '2025-11-02T00:00:00+05:30',
        price_until: '2025-10-31',
      },
      'Payment Failed',
      [
        'The price was valid until 31 October 2025',
        'we will ask you to confirm it before we charge you',
      ],
      'Try paying again',
    ],
    [
      'under review by the organisers',
      { stands: 'organisers', in_review: true, review_since: '2025-11-10T09:05:00+05:30' },
      'The organisers are checking your payment',
      [
        'Please do not pay again',
        'and email you',
        'support@afpicon.example',
        '10 November 2025, 9:05 am',
      ],
      null,
    ],
    [
      'an unknown state',
      { stands: 'settled' },
      'We are confirming your payment',
      ['Please do not pay again'],
      null,
    ],
    [
      'paid twice and partly refunded',
      {
        stands: 'complete',
        payment_status: 'success',
        in_review: true,
        second_payment: true,
        refunded_amount: 1000,
      },
      'Registration Confirmed',
      ['We also received a second payment', '₹ 1,000 of your payment has been refunded'],
      null,
    ],
  ]
  let visitor: Visit
  let orderId = ''
  beforeAll(async () => {
    visitor = await visit(browser)
    orderId = await registerThroughApi(server.url, 'Dr. Standing Example')
  })
  afterAll(() => visitor.context.close())
  test.each(STATES)(
    '%s',
    { tags: ['slow'] },
    async (name, stateChanges, title, texts, payLabel) => {
      const { page } = visitor
      await page.route('**/api/afpicon/registrations/**', async (route) => {
        const response = await route.fetch()
        const storedState = (await response.json()) as { readonly registration: object }
        await route.fulfill({
          json: {
            status: 'success',
            registration: { ...storedState.registration, ...stateChanges },
          },
        })
      })
      await page.goto(`${server.url}${SUCCESS_PATH}?orderId=${orderId}`)
      await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor()
      const text = await readMain(page)
      for (const part of texts) expect(text).toContain(part)
      const buttons = page.getByRole('main').getByRole('button', { name: /^(Pay|Try paying)/ })
      await expect
        .poll(async () => (await buttons.allTextContents()).map(toPlainText))
        .toEqual(payLabel === null ? [] : [payLabel])
      await expect.poll(() => page.title()).toBe(`${title} · AFPICON 2026`)
      // The tests above cover the page with a pay button.
      if (payLabel === null || ALL_RUNS) await expectAccessible(page, name)
      // The page polls, and a request may be pending.
      await page.unrouteAll({ behavior: 'wait' })
    },
  )
})

describe('a result page for an unknown order', { tags: ['slow'] }, () => {
  test('does not disclose the order ID: no referrer, no cache, no index', async () => {
    const response = await fetch(`${server.url}${SUCCESS_PATH}?orderId=AFPI0000000000000`)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
  })
})
