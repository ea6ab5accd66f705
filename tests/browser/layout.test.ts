/** Where things stand on the screen: the pay bar, what is under the finger, and that nothing lies over anything else. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noon, register, signIn } from '../server/office/office.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { misplaced, misplacedAtAnyWidth } from './layout-boxes.ts'
import { launch, visit } from './browser.ts'
import { field, FORM, takenOver, payButton, PG, problems } from './delegate.ts'

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
  await page.goto(url + FORM)
  await page.getByRole('radio', { name: PG, exact: true }).waitFor()
  await takenOver(page)
}
const bar = (page: Page): Locator => page.getByRole('region', { name: 'Registration Summary' })
const topOf = async (what: Locator): Promise<number> => (await what.boundingBox())?.y ?? NaN

describe('on a phone', () => {
  test('the pay bar is one line for every message, and part of the page on a low screen', async () => {
    const { page, context } = await visit(browser, PHONE)
    await openForm(page)
    const heightAt = async (width: number, height: number): Promise<number | undefined> => {
      await page.setViewportSize({ width, height })
      return (await bar(page).boundingBox())?.height
    }
    // Without a price it says why not.
    await expect.poll(() => heightAt(320, 568)).toBe(65)
    await expect.poll(() => heightAt(360, 740)).toBe(65)
    await page.getByRole('radio', { name: PG, exact: true }).check()
    await bar(page)
      .getByRole('button', { name: /Details/ })
      .waitFor()
    await expect.poll(() => heightAt(320, 568)).toBe(65)
    await expect.poll(() => heightAt(360, 740)).toBe(65)
    await payButton(page).click()
    await problems(page).waitFor()
    await expect.poll(() => heightAt(360, 740)).toBe(65)
    // What used to stand in it stands at the end of the form.
    await page.getByRole('main').getByText('answers need attention').waitFor()
    // Low, as of a phone held sideways, and as 1280 × 1024 is at 400 %.
    const position = () => bar(page).evaluate((box) => getComputedStyle(box).position)
    await expect.poll(() => position()).toBe('fixed')
    for (const [width, height] of [
      [360, 480],
      [640, 360],
      [320, 256],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expect.poll(() => position(), { message: `${width} × ${height}` }).toBe('static')
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

  test('a message that appears or disappears shifts nothing, also without scroll anchoring', async () => {
    const { page, context } = await visit(browser, PHONE)
    await openForm(page)
    await page.evaluate(() => {
      document.documentElement.style.overflowAnchor = 'none'
      document.body.style.overflowAnchor = 'none'
    })
    await page.getByRole('radio', { name: PG, exact: true }).check()
    await payButton(page).click()
    // The list of problems is gone to, which scrolls.
    await expect
      .poll(() => problems(page).evaluate((box) => box === document.activeElement))
      .toBe(true)
    const phone = field(page, 'Phone Number')
    await phone.click()
    const before = await topOf(phone)
    // Its own message goes, and with it a line of the list on top.
    await page.keyboard.type('9')
    await expect.poll(() => problems(page).getByRole('link').count()).toBe(3)
    // What moved is scrolled back before the next frame is drawn; a script can look in between.
    await expect.poll(() => topOf(phone)).toBeCloseTo(before, 0)
    // The message of a question that was left comes above the one that was pressed, and goes again.
    const email = field(page, 'Email Address')
    await email.fill('not an address')
    // Its first message and its line of the list on top go a moment after the typing, and what is below them moves up.
    await expect.poll(() => problems(page).getByRole('link').count()).toBe(2)
    const isTold = () => page.locator('.msg', { hasText: 'valid email address' }).count()
    await expect.poll(isTold).toBe(0)
    const pressed = await topOf(phone)
    await phone.click()
    await expect.poll(isTold).toBe(1)
    await expect.poll(() => topOf(phone)).toBeCloseTo(pressed, 0)
    await context.close()
  })
})

describe('nothing overlaps, is cut off, or makes the page scroll horizontally', () => {
  test('in a form with every message, from 320 to 1920 pixels', async () => {
    const { page, context } = await visit(browser, { width: 1280 })
    await openForm(page)
    await page.getByRole('radio', { name: PG, exact: true }).check()
    await page.getByRole('switch', { name: 'AFPI Member' }).check()
    await field(page, 'Email Address').fill('asha@gmial.com')
    await payButton(page).click()
    await problems(page).waitFor()
    expect(await misplacedAtAnyWidth(page)).toEqual([])
    // What this looks for it finds.
    await page.getByText('Full Name', { exact: true }).evaluate((label) => {
      label.style.transform = 'translateY(28px)'
    })
    expect((await misplaced(page)).join()).toContain('"Full Name" and "Full name is required"')
    await context.close()
  })

  test('in a list of the office', async () => {
    for (const [n, full_name] of [
      'Dr. Asha Example Nair',
      'Dr. Venkatanarasimharajuvaripeta Example Sreenivasa Raghavan',
      'Dr. E',
    ].entries())
      await register(server, 'afpicon2026', {
        n: n + 1,
        on: noon('2025-09-10', n),
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
    expect(await misplacedAtAnyWidth(page)).toEqual([])
    await context.close()
  })
})
