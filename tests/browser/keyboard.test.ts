/** Keyboard-only use: the focus after a failed submission, and the announcements from the form to the ticket. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { launch, visit } from './browser.ts'
import {
  fillForm,
  FORM_PATH,
  INTERN_CATEGORY,
  waitForHydration,
  findPayButton,
  toPlainText,
} from './delegate.ts'
import { serve } from './serve.ts'
import type { TestServer } from './serve.ts'
import { readFocused, recordAnnouncements } from './accessibility-tree.ts'

let server: TestServer
let browser: Browser
beforeAll(async () => {
  server = await serve({ CLOCK: '2025-10-10' })
  browser = await launch()
})
afterAll(async () => {
  await server.stop()
})

async function openFilledForm(width: number): Promise<Page> {
  const { page } = await visit(browser, { width })
  await page.goto(server.url + FORM_PATH)
  await fillForm(page, { name: 'Dr. Keyboard Demo', category: INTERN_CATEGORY })
  return page
}
const submitByKeyboard = async (page: Page): Promise<void> => {
  await findPayButton(page).focus()
  await page.keyboard.press('Enter')
}
const isPayButtonFocused = (page: Page): Promise<boolean> =>
  findPayButton(page).evaluate((button) => button === document.activeElement)

describe.each(ALL_RUNS ? [768, 1280] : [1280])(
  'at %i px, the pay button regains focus',
  (width) => {
    test('after a network error', async () => {
      const page = await openFilledForm(width)
      await page.route('**/register/', (route) => route.abort())
      await submitByKeyboard(page)
      await page.getByRole('status').getByText('Network error').waitFor()
      await expect.poll(() => isPayButtonFocused(page)).toBe(true)
      await page.context().close()
    })

    test('after the dialog about a changed price was closed with Escape', async () => {
      const page = await openFilledForm(width)
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
          json: {
            status: 'error',
            code: 'price_changed',
            message: 'The price has changed.',
            quote,
          },
        }),
      )
      await submitByKeyboard(page)
      await page.getByRole('dialog', { name: 'The price has changed' }).waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => isPayButtonFocused(page)).toBe(true)
      await page.context().close()
    })
  },
)

/** The answers to type, keyed by the start of the field's announcement. */
const TYPING_BY_FIELD: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'Full Name': (page) => page.keyboard.type('Dr. Keyboard Demo'),
  'Email Address': (page) => page.keyboard.type('keyboard.demo@example.org'),
  'Phone Number': (page) => page.keyboard.type(' 98470 00000'),
}

test('a screen reader announces every step of a keyboard-only registration, from the skip link to the ticket', async () => {
  const { page, context } = await visit(browser, { privateWindow: true })
  const { readAnnouncements } = await recordAnnouncements(page)
  const lines: string[] = []
  const recordFocus = async (): Promise<string> => {
    const focused = await readFocused(page)
    lines.push(`  ${focused}`)
    return focused
  }
  const recordNewAnnouncements = async (): Promise<void> => {
    for (const text of await readAnnouncements()) lines.push(`  » ${text}`)
  }
  const press = async (key: string): Promise<string> => {
    await page.keyboard.press(key)
    const focused = await recordFocus()
    await recordNewAnnouncements()
    return focused
  }

  await page.goto(server.url + FORM_PATH)
  await findPayButton(page).waitFor()
  await waitForHydration(page)
  lines.push(await page.title())
  for (let presses = 0; presses < 60; presses += 1) {
    const focused = await press('Tab')
    if (focused.startsWith('Proceed to Secure Payment')) break
    const typeValue = Object.entries(TYPING_BY_FIELD).find(([name]) =>
      focused.startsWith(name),
    )?.[1]
    if (typeValue !== undefined) await typeValue(page)
    // The arrow keys select a category.
    if (focused.includes(', radio') && focused.includes('not checked'))
      for (let arrowPresses = 0; arrowPresses < 8; arrowPresses += 1) {
        if ((await press('ArrowDown')).startsWith(INTERN_CATEGORY)) break
        // The date until which the price is valid is loaded with the first price.
        await page.getByText('Price valid until').waitFor()
        await recordNewAnnouncements()
      }
  }
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.origin !== server.url)
  lines.push(await page.title())
  for (let presses = 0; presses < 20; presses += 1)
    if ((await press('Tab')).startsWith('Pay,')) break
  await page.keyboard.press('Enter')
  await page.waitForURL(/payment\/success/)
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await expect.poll(() => readFocused(page)).toContain('Registration Confirmed, heading')
  lines.push(await page.title())
  await recordNewAnnouncements()
  await recordFocus()
  for (let presses = 0; presses < 12; presses += 1)
    if ((await press('Tab')).includes('Print')) break
  await context.close()
  const spokenLines = lines.map((line) =>
    toPlainText(line)
      .replaceAll(/AFPI\d+/g, 'AFPI…')
      .replace(/^/, line.startsWith(' ') ? '  ' : '\n'),
  )
  await expect(`${spokenLines.join('\n').trim()}\n`).toMatchFileSnapshot('purchase.spoken.txt')
})
