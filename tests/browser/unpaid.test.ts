/** What a delegate sees when the money does not come, or not yet. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from './browser.ts'
import { atGateway, fillForm, FORM, INTERN, ledger, orderIdOf, plain, proceed } from './delegate.ts'
import { serve } from './serve.ts'
import type { Served } from './serve.ts'

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
})
afterAll(async () => {
  await browser.close()
  await server.stop()
})

const SUCCESS = '/afpicon/payment/success'
const FAILED = '/afpicon/payment/failed'

async function registered(page: Page, name: string): Promise<void> {
  await page.goto(server.url + FORM)
  await fillForm(page, { name, category: INTERN })
  await proceed(page)
}

const said = async (page: Page): Promise<string> =>
  plain(await page.getByRole('main').textContent())

describe('a payment that is declined', () => {
  test('S034 S060 S061 S062 S173: shows the failed page, whose Try Again leads back to the form', async () => {
    const { page, context, complaints } = await visit(browser)
    await registered(page, 'Dr. Declined Sample')
    await atGateway(page, 'Decline')
    await page.waitForURL(new RegExp(FAILED))
    await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
    const text = await said(page)
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
    expect(await ledger(page.getByRole('main'))).toMatchObject({
      'Order ID': orderIdOf(page),
      Amount: '₹ 3,540',
      Status: 'Failed',
    })
    await expectAccessible(page, 'failed')
    expect(
      await page.getByRole('link', { name: 'Contact Support' }).getAttribute('href'),
    ).toContain('mailto:support@afpicon.example')
    expect(await page.getByRole('link', { name: 'Go Home' }).getAttribute('href')).toBe('/')
    expect(await page.getByRole('button', { name: 'Download Receipt' }).count()).toBe(0)

    // The success address of the same order, opened by hand: it stays a failure.
    await page.goto(`${server.url}${SUCCESS}?orderId=${orderIdOf(page)}&amount=3540.00`)
    await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
    expect(await said(page)).not.toContain('Paid')

    await page.getByRole('link', { name: 'Try Again' }).click()
    await page.waitForURL(/\/afpicon\/register$/)
    await page.getByRole('radio', { name: INTERN, exact: true }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('may be paid after all, without filling in the form again', async () => {
    const { page, context } = await visit(browser)
    await registered(page, 'Dr. Second Attempt')
    await atGateway(page, 'Decline')
    await page.waitForURL(new RegExp(FAILED))
    await page.getByRole('button', { name: 'Pay for this registration' }).click()
    await page.waitForURL((url) => url.origin !== server.url)
    await atGateway(page, 'Pay')
    await page.waitForURL(new RegExp(SUCCESS))
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await context.close()
  })
})

describe('a payment that takes its time', () => {
  test('S116: is pending first, without receipt and without another payment, and then paid by itself', async () => {
    const { page, context, complaints } = await visit(browser)
    await registered(page, 'Dr. Pending Example')
    await atGateway(page, 'Pay later')
    await page.waitForURL(new RegExp(SUCCESS))
    await page.getByRole('heading', { name: 'We are confirming your payment' }).waitFor()
    expect(await said(page)).toContain('Please do not pay again')
    for (const name of ['Download Receipt', 'Print Confirmation', 'Pay for this registration'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Try Again' }).count()).toBe(0)
    await expectAccessible(page, 'pending')
    // The page looks again by itself until the gateway has settled it.
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor({ timeout: 60_000 })
    expect((await ledger(page.getByRole('main')))['Status']).toBe('Paid')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('stays unpaid when its success address is opened by hand', async () => {
    const { page, context } = await visit(browser)
    await registered(page, 'Dr. Abandoned Demo')
    const orderId = await orderOf(page)
    await page.goto(`${server.url}${SUCCESS}?orderId=${orderId}&amount=3540.00&date=2026-01-01`)
    await page.getByRole('heading', { name: 'We are confirming your payment' }).waitFor()
    expect(await said(page)).not.toContain('Paid')
    expect(await page.getByRole('button', { name: 'Download Receipt' }).count()).toBe(0)
    await context.close()
  })
})

/** The order that the gateway's page is asking money for. */
async function orderOf(page: Page): Promise<string> {
  const found = /AFPI\d{13}/.exec(plain(await page.locator('body').textContent()))
  return found?.[0] ?? ''
}

describe('a result page without its order', () => {
  test.each([
    ['no order id', '', 'No order ID found'],
    [
      'an order that nobody placed',
      '?orderId=AFPI0000000000000',
      'Failed to fetch registration details',
    ],
  ])('S059 S170: says so: %s', async (name, query, sentence) => {
    const { page, context } = await visit(browser)
    await page.goto(`${server.url}${SUCCESS}${query}`)
    await page.getByRole('alert').waitFor()
    expect(plain(await page.getByRole('alert').textContent())).toContain(sentence)
    await expectAccessible(page, name)
    await context.close()
  })

  test('keeps its order id to itself: no referrer, no cache, no index', async () => {
    const answer = await fetch(`${server.url}${SUCCESS}?orderId=AFPI0000000000000`)
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-robots-tag')).toBe('noindex')
  })
})
