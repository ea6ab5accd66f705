/** Where the keyboard is after the form could not be sent: at the button, not at the top of the page. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launch, visit } from './browser.ts'
import { fillForm, FORM, INTERN, payButton } from './delegate.ts'
import { serve } from './serve.ts'
import type { Served } from './serve.ts'

let server: Served
let browser: Browser
beforeAll(async () => {
  server = await serve()
  browser = await launch()
})
afterAll(async () => {
  await server.stop()
})

async function ready(width: number): Promise<Page> {
  const { page } = await visit(browser, { width })
  await page.goto(server.url + FORM)
  await fillForm(page, { name: 'Dr. Keyboard Demo', category: INTERN })
  return page
}
const sendByKeyboard = async (page: Page): Promise<void> => {
  await payButton(page).focus()
  await page.keyboard.press('Enter')
}
const hasFocus = (page: Page): Promise<boolean> =>
  payButton(page).evaluate((button) => button === document.activeElement)

describe.each([768, 1280])('at %i px, the pay button has the focus again', (width) => {
  test('when the network failed', async () => {
    const page = await ready(width)
    await page.route('**/register/', (route) => route.abort())
    await sendByKeyboard(page)
    await page.getByRole('status').getByText('Network error').waitFor()
    await expect.poll(() => hasFocus(page)).toBe(true)
    await page.context().close()
  })

  test('when the question about a changed price was closed with Escape', async () => {
    const page = await ready(width)
    const quote = {
      category: 'intern-mbbs-accompanying',
      period: 'sep-1-dec-31',
      base: 4000,
      gst: 720,
      total: 4720,
    }
    await page.route('**/register/', (route) =>
      route.fulfill({
        status: 409,
        json: { status: 'error', code: 'price_changed', message: 'The price has changed.', quote },
      }),
    )
    await sendByKeyboard(page)
    await page.getByRole('dialog', { name: 'The price has changed' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => hasFocus(page)).toBe(true)
    await page.context().close()
  })
})
