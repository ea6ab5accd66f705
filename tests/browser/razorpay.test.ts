/** A foreign delegate pays dollars at Razorpay's hosted checkout, in a browser with our content security policy. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from './browser.ts'
import { field, payButton, toPlainText, waitForHydration } from './delegate.ts'
import { serve, TOP } from './serve.ts'
import type { TestServer } from './serve.ts'

const EVENT_FILE = 'razorusd.yaml'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  server = await serve({ CLOCK: '2026-01-10T11:00:00+05:30' }, ({ eventsDir }) =>
    copyFileSync(
      join(TOP, 'tests', 'server', 'payments', 'razorpay', 'events', EVENT_FILE),
      join(eventsDir, EVENT_FILE),
    ),
  )
  browser = await launch()
})
afterAll(() => server.stop())

const bodyText = async (page: Page): Promise<string> =>
  toPlainText(await page.locator('body').innerText())

async function openCheckout(page: Page, name: string): Promise<void> {
  await page.goto(`${server.url}/razorusd`)
  await waitForHydration(page)
  await field(page, 'Full Name').fill(name)
  await field(page, 'Email').fill('foreign.delegate@example.org')
  await field(page, 'Phone').fill('9876543210')
  await payButton(page).click()
  await page.getByRole('heading', { level: 1, name: /Pay US\$/ }).waitFor()
}
const clickAtCheckout = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

test('pays USD 177, and the page and the receipt are in dollars', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await openCheckout(page, 'Foreign Delegate')
  expect(await bodyText(page)).toContain('foreign.delegate@example.org')
  await expectAccessible(page, 'the hosted checkout')
  await clickAtCheckout(page, 'Pay')
  await page.waitForURL(/\/razorusd\/success/)
  await expect.poll(() => bodyText(page)).toContain('Thank you')
  await expect.poll(() => bodyText(page)).toContain('177')
  expect(await bodyText(page)).not.toContain('₹')
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('after a declined payment, the failed page offers another one, which succeeds', async () => {
  const { page, context } = await visit(browser)
  await openCheckout(page, 'Second Delegate')
  await clickAtCheckout(page, 'Decline')
  await page.waitForURL(/\/razorusd\/failed/)
  await page.getByRole('button', { name: /177/ }).click()
  await page.getByRole('heading', { level: 1, name: /Pay US\$/ }).waitFor()
  await clickAtCheckout(page, 'Pay')
  await page.waitForURL(/\/razorusd\/success/)
  await expect.poll(() => bodyText(page)).toContain('Thank you')
  await context.close()
})

test('a cancelled checkout leads back to the event, where the same order can be paid', async () => {
  const { page, context } = await visit(browser)
  await openCheckout(page, 'Third Delegate')
  await clickAtCheckout(page, 'Cancel')
  await page.waitForURL(/\/razorusd\//)
  await page.getByRole('button', { name: /177/ }).click()
  await page.getByRole('heading', { level: 1, name: /Pay US\$/ }).waitFor()
  await context.close()
})
