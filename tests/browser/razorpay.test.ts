/** A foreign delegate pays dollars at Razorpay's hosted checkout, in a browser with our content security policy. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from './browser.ts'
import {
  clickAtGateway,
  findField,
  findPayButton,
  toPlainText,
  waitForHydration,
} from './delegate.ts'
import { serve, ROOT } from './serve.ts'
import type { TestServer } from './serve.ts'

/** The second event offers rupees through Airpay or Razorpay, and dollars through Razorpay. */
const EVENT_FILES = ['razorusd.yaml', 'razortwo.yaml']

let browser: Browser
let server: TestServer
beforeAll(async () => {
  server = await serve({ CLOCK: '2026-01-10T11:00:00+05:30' }, ({ eventsDir }) => {
    for (const file of EVENT_FILES)
      copyFileSync(
        join(ROOT, 'tests', 'server', 'payments', 'razorpay', 'events', file),
        join(eventsDir, file),
      )
  })
  browser = await launch()
})
afterAll(() => server.stop())

const readBody = async (page: Page): Promise<string> =>
  toPlainText(await page.locator('body').innerText())

async function fillForm(page: Page, event: string, name: string): Promise<void> {
  await page.goto(`${server.url}/${event}`)
  await waitForHydration(page)
  await findField(page, 'Full Name').fill(name)
  await findField(page, 'Email').fill('foreign.delegate@example.org')
  await findField(page, 'Phone').fill('9876543210')
}
async function openCheckout(page: Page, name: string): Promise<void> {
  await fillForm(page, 'razorusd', name)
  await findPayButton(page).click()
  await page.getByRole('heading', { level: 1, name: /Pay US\$/ }).waitFor()
}
const clickAtCheckout = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

test('a delegate pays USD 177, and the page and the receipt are in dollars', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await openCheckout(page, 'Foreign Delegate')
  expect(await readBody(page)).toContain('foreign.delegate@example.org')
  await expectAccessible(page, 'the hosted checkout')
  await clickAtCheckout(page, 'Pay')
  await page.waitForURL(/\/razorusd\/success/)
  await expect.poll(() => readBody(page)).toContain('Thank you')
  await expect.poll(() => readBody(page)).toContain('177')
  expect(await readBody(page)).not.toContain('₹')
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('after a declined payment, the failed-payment page offers another attempt, which succeeds', async () => {
  const { page, context } = await visit(browser)
  await openCheckout(page, 'Second Delegate')
  await clickAtCheckout(page, 'Decline')
  await page.waitForURL(/\/razorusd\/failed/)
  await page.getByRole('button', { name: /177/ }).click()
  await page.getByRole('heading', { level: 1, name: /Pay US\$/ }).waitFor()
  await clickAtCheckout(page, 'Pay')
  await page.waitForURL(/\/razorusd\/success/)
  await expect.poll(() => readBody(page)).toContain('Thank you')
  await context.close()
})

test('after cancelling the checkout, the delegate returns to the event and can pay the same order', async () => {
  const { page, context } = await visit(browser)
  await openCheckout(page, 'Third Delegate')
  await clickAtCheckout(page, 'Cancel')
  await page.waitForURL(/\/razorusd\//)
  await page.getByRole('button', { name: /177/ }).click()
  await page.getByRole('heading', { level: 1, name: /Pay US\$/ }).waitFor()
  await context.close()
})

/** Submits a form on which the delegate may also choose a transfer. */
const submitForm = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Register', exact: true }).click()

test('with two card gateways, the delegate pays at the chosen one, and for a bill in dollars, only the gateway that accepts dollars is offered', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await fillForm(page, 'razortwo', 'Rupee Delegate')
  await page.getByLabel('Card or UPI').check()
  await submitForm(page)
  await page.getByRole('heading', { level: 1 }).filter({ hasText: '₹' }).waitFor()
  await clickAtGateway(page, 'Pay')
  await page.waitForURL(/\/razortwo\/success/)

  await fillForm(page, 'razortwo', 'Choosing Delegate')
  await page.getByLabel('Card or net banking').check()
  await submitForm(page)
  await page.getByRole('heading', { level: 1, name: /Pay ₹/ }).waitFor()
  await clickAtCheckout(page, 'Pay')
  await page.waitForURL(/\/razortwo\/success/)

  await fillForm(page, 'razortwo', 'Dollar Delegate')
  await page.getByLabel('Yes', { exact: true }).check()
  await expect.poll(() => page.getByLabel('Card or UPI').count()).toBe(0)
  await submitForm(page)
  await page.getByRole('heading', { level: 1, name: /Pay US\$/ }).waitFor()
  await clickAtCheckout(page, 'Pay')
  await page.waitForURL(/\/razortwo\/success/)
  await expect.poll(() => readBody(page)).toContain('US$')
  expect(consoleErrors).toEqual([])
  await context.close()
})
