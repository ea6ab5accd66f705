/** Layout: the pay bar, the position of a pressed element when the content above it changes, and overlaps. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toNoon, register, signIn } from '../server/office/office.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { findLayoutProblems, findLayoutProblemsAtAnyWidth } from './layout-boxes.ts'
import { launch, visit } from './browser.ts'
import {
  findField,
  FORM_PATH,
  waitForHydration,
  findPayButton,
  PG_CATEGORY,
  locateErrorSummary,
} from './delegate.ts'

let browser: Browser
let server: TestApp
let url: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    startTestApp({ clock: '2025-09-10T16:00:00+05:30' }),
  ])
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.close()
})

const PHONE = { width: 360, height: 740 } as const

async function openForm(page: Page): Promise<void> {
  await page.goto(url + FORM_PATH)
  await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).waitFor()
  await waitForHydration(page)
}
const findBar = (page: Page): Locator => page.getByRole('region', { name: 'Registration Summary' })
const measureTop = async (locator: Locator): Promise<number> =>
  (await locator.boundingBox())?.y ?? NaN
/**
 * Waits until two measurements of the top agree, because fields move in several steps on a busy machine. Returns the
 * top.
 */
async function waitUntilStill(locator: Locator): Promise<number> {
  let top = NaN
  await expect
    .poll(
      async () => {
        const previousTop = top
        top = await measureTop(locator)
        return top === previousTop
      },
      { interval: 500 },
    )
    .toBe(true)
  return top
}

describe('on a phone', () => {
  test('the pay bar shows every message on one line, and scrolls with the page on a short screen', async () => {
    const { page, context } = await visit(browser, PHONE)
    await openForm(page)
    const measureBar = async (width: number, height: number): Promise<number | undefined> => {
      await page.setViewportSize({ width, height })
      return (await findBar(page).boundingBox())?.height
    }
    // Without a price, the bar states the reason.
    await expect.poll(() => measureBar(320, 568)).toBe(65)
    await expect.poll(() => measureBar(360, 740)).toBe(65)
    await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
    await findBar(page)
      .getByRole('button', { name: /Details/ })
      .waitFor()
    await expect.poll(() => measureBar(320, 568)).toBe(65)
    await expect.poll(() => measureBar(360, 740)).toBe(65)
    await findPayButton(page).click()
    await locateErrorSummary(page).waitFor()
    await expect.poll(() => measureBar(360, 740)).toBe(65)
    // The full text is at the end of the form.
    await page.getByRole('main').getByText('answers need attention').waitFor()
    // Short screens: a phone in landscape, and 1280 × 1024 at 400% zoom.
    const readBarPosition = () => findBar(page).evaluate((box) => getComputedStyle(box).position)
    await expect.poll(() => readBarPosition()).toBe('fixed')
    for (const [width, height] of [
      [360, 480],
      [640, 360],
      [320, 256],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expect.poll(() => readBarPosition(), { message: `${width} × ${height}` }).toBe('static')
    }
    await context.close()
  })

  test('a page that is shorter than the screen does not scroll', async () => {
    const { page, context } = await visit(browser, { width: 360, height: 1000 })
    for (const path of ['/afpicon/payment/success?orderId=AFPI2000000000009', '/pulmocon2025']) {
      await page.goto(url + path)
      await page.getByRole('contentinfo').waitFor()
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollHeight), { message: path })
        .toBe(1000)
    }
    await context.close()
  })

  test('a message that appears or disappears causes no layout shift, even without scroll anchoring', async () => {
    const { page, context } = await visit(browser, PHONE)
    await openForm(page)
    await page.evaluate(() => {
      document.documentElement.style.overflowAnchor = 'none'
      document.body.style.overflowAnchor = 'none'
    })
    await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
    await findPayButton(page).click()
    // The error summary receives focus, which scrolls the page.
    await expect
      .poll(() => locateErrorSummary(page).evaluate((box) => box === document.activeElement))
      .toBe(true)
    const phone = findField(page, 'Phone Number')
    await phone.click()
    const topBefore = await waitUntilStill(phone)
    // The phone field's message disappears, and so does its line in the error summary.
    await page.keyboard.type('9')
    await expect.poll(() => locateErrorSummary(page).getByRole('link').count()).toBe(3)
    // The shift is scrolled back before the next frame, but a script can see the page in between.
    await expect.poll(() => measureTop(phone)).toBeCloseTo(topBefore, 0)
    // The message of the field that lost focus appears above the clicked one, and disappears again.
    const email = findField(page, 'Email Address')
    await email.fill('not an address')
    // The first message of this field and its line in the summary disappear shortly after typing, which moves the
    // fields below up.
    await expect.poll(() => locateErrorSummary(page).getByRole('link').count()).toBe(2)
    const countEmailMessages = () =>
      page.locator('.msg', { hasText: 'valid email address' }).count()
    await expect.poll(countEmailMessages).toBe(0)
    // Fields below move up when a message and its line disappear.
    const topAfterPress = await waitUntilStill(phone)
    await phone.click()
    await expect.poll(countEmailMessages).toBe(1)
    await expect.poll(() => measureTop(phone)).toBeCloseTo(topAfterPress, 0)
    await context.close()
  })
})

describe('nothing overlaps, is cut off, or makes the page scroll horizontally', () => {
  test('in a form that shows every message, from 320 to 1920 pixels', async () => {
    const { page, context } = await visit(browser, { width: 1280 })
    await openForm(page)
    // A hint above one field must not move its input below the neighbouring input.
    const [hintedField, neighbouringField] = ['Ticket Number', 'Designation'].map((label) =>
      findField(page, label),
    )
    expect(hintedField && (await measureTop(hintedField))).toBe(
      neighbouringField && (await measureTop(neighbouringField)),
    )
    await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
    await page.getByRole('switch', { name: 'AFPI Member' }).check()
    await findField(page, 'Email Address').fill('asha@gmial.com')
    await findPayButton(page).click()
    await locateErrorSummary(page).waitFor()
    expect(await findLayoutProblemsAtAnyWidth(page)).toEqual([])
    // Negative control: the check finds a real overlap.
    await page.getByText('Full Name', { exact: true }).evaluate((label) => {
      label.style.transform = 'translateY(28px)'
    })
    expect((await findLayoutProblems(page)).join()).toContain(
      '"Full Name" and "Full name is required"',
    )
    await context.close()
  })

  test('in the office: a list, the search and the dashboard', async () => {
    for (const [n, full_name] of [
      'Dr. Asha Example Nair',
      'Dr. Venkatanarasimharajuvaripeta Example Sreenivasa Raghavan',
      'Dr. E',
    ].entries())
      await register(server, 'afpicon2026', {
        n: n + 1,
        on: toNoon('2025-09-10', n),
        answers: {
          full_name,
          email: `${full_name.toLowerCase().replaceAll(/[^a-z]/g, '.')}@hospital.example.org`,
          phone_number: '+919800000000',
          ticket_type: n === 1 ? 'intern-mbbs-accompanying' : 'afpi-pg',
          afpi_member: true,
          afpi_membership_number: 'EXAMPLE-LONG-NUMBER-17',
        },
        ...(n === 0 && { pays: 'success' as const }),
      })
    const { page, context } = await visit(browser, { width: 1280 })
    const { token: value } = await signIn(server)
    await context.addCookies([{ name: 'rollcall_session', value, url }])
    await page.goto(`${url}/admin/afpicon2026`)
    await page.getByRole('row', { name: /Venkata/ }).waitFor()
    expect(await findLayoutProblemsAtAnyWidth(page)).toEqual([])
    // The longest state, next to a name of several lines.
    await page.route(/\/admin\/find\//, async (route) => {
      const response = await route.fetch()
      const text = (await response.text()).replaceAll('"Pending"', '"Cancelled (refunded)"')
      await route.fulfill({ response, body: text })
    })
    await page.goto(`${url}/admin/search?q=example`)
    await page.getByText('Cancelled (refunded)').first().waitFor()
    expect(await findLayoutProblemsAtAnyWidth(page)).toEqual([])
    // Checks the menu and the dashboard with long titles, which need more than one line.
    await page.route('**/admin/session/', async (route) => {
      const response = await route.fetch()
      const text = (await response.text()).replaceAll(
        /(?<="title":")/g,
        'Fifty-Second Annual International Conference of the Society of Gastroenterologists and ',
      )
      await route.fulfill({ response, body: text })
    })
    await page.goto(`${url}/admin/dashboard`)
    await page
      .getByRole('link', { name: /Gastroenterologists.* list$/ })
      .first()
      .waitFor({ state: 'attached' })
    await page.getByText('Total revenue').waitFor()
    expect(await findLayoutProblemsAtAnyWidth(page)).toEqual([])
    await context.close()
  })
})
