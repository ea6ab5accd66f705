/** The office: signing in and out, a registration, the dashboard, the theme, and use by keyboard alone. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addSessionCookie, expectAccessible, launch, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { EVENT, START_TIME, startOfficeWithRegistrations } from './office-with-registrations.ts'
import type { TestApp } from '../../server/harness.ts'
import { PASSWORD, buildRegNo } from '../../server/office/office.ts'

let server: TestApp
let browser: Browser
let url: string
let visitor: Visit

beforeAll(async () => {
  server = await startOfficeWithRegistrations()
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  browser = await launch()
})
afterAll(async () => {
  await server.close()
})
afterEach(async () => {
  server.setTime(START_TIME)
  await visitor.context.close()
  if (visitor.consoleErrors.length > 0)
    throw new Error(`the browser logged errors: ${visitor.consoleErrors.join('; ')}`)
})

const signIn = async (page: Page): Promise<void> => {
  await page.getByLabel('Username').fill('office')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign In' }).click()
}
/** Opens a page without a session, and signs in on the sign-in page. */
const openPageSignedOut = async (path: string): Promise<Page> => {
  visitor = await visit(browser)
  await visitor.page.goto(url + path)
  await signIn(visitor.page)
  return visitor.page
}
/** Opens a page as a signed-in user, without using the sign-in page. */
const openPage = async (path: string, width = 1280): Promise<Page> => {
  visitor = await visit(browser, { width })
  await addSessionCookie(visitor.context, url, { username: 'office', password: PASSWORD })
  await visitor.page.goto(url + path)
  return visitor.page
}
const findStatus = (page: Page) => page.locator('.list-summary[role=status]')

describe('signing in', () => {
  test('S073 S133: reports missing values at their fields and a wrong password, then opens the dashboard', async () => {
    visitor = await visit(browser)
    const { page } = visitor
    await page.goto(`${url}/admin/login`)
    await page.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
    await expectAccessible(page, 'login, empty')
    await page.getByRole('button', { name: 'Sign In' }).click()
    const name = page.getByLabel('Username')
    await expect.poll(() => name.evaluate((input) => input === document.activeElement)).toBe(true)
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    await expect
      .poll(
        async () =>
          await page.locator(`#${await name.getAttribute('aria-describedby')}`).textContent(),
      )
      .toBe('Required')
    await expect.poll(() => page.getByLabel('Password').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page, 'login, both missing')
    await name.fill('office')
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('false')
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Invalid username or password').waitFor()
    await expectAccessible(page, 'login, refused')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/admin/dashboard')
  })

  test(
    'without a session, every office page leads to the sign-in page, and signing in leads back',
    { tags: ['slow'] },
    async () => {
      const page = await openPageSignedOut('/admin/afpicon2026?payment_status=failed&page=2')
      await page.getByRole('heading', { level: 1, name: 'AFPICON 2026 Registrations' }).waitFor()
      expect(page.url()).toBe(`${url}/admin/afpicon2026?payment_status=failed&page=2`)
      expect(
        await page.evaluate(() => [
          Object.keys(localStorage),
          Object.keys(sessionStorage),
          document.cookie,
        ]),
      ).toEqual([[], [], ''])
    },
  )

  test('does not redirect to another website', { tags: ['slow'] }, async () => {
    const page = await openPageSignedOut('/admin/login?next=//evil.example/')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  })
})

describe('a registration', () => {
  test(
    'opens from the list, shows its data, and leads back to the same list',
    { tags: ['slow'] },
    async () => {
      const page = await openPage('/admin/afpicon2026?payment_status=success&search=Example%20005')
      await page.getByRole('link', { name: buildRegNo(server, EVENT, 5) }).click()
      await page.getByRole('heading', { level: 1, name: 'Dr. Example 005' }).waitFor()
      expect(new URL(page.url()).pathname).toBe(
        `/admin/events/afpicon2026/registrations/${buildRegNo(server, EVENT, 5)}`,
      )
      const timeline = page.getByRole('region', { name: 'Timeline' })
      await timeline.getByText('The gateway confirmed ₹\u00a07,080, reference REF5.').waitFor()
      await timeline.getByRole('checkbox', { name: 'Show who viewed this' }).check()
      await timeline.getByText('opened the registration').first().waitFor()
      await expectAccessible(page, 'registration')
      await page.getByRole('button', { name: 'Resend confirmation' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Resend confirmation' }).click()
      await page.getByText('Email sent to example5@example.org.').waitFor()
      await page.getByText('Queued').waitFor()
      await page.getByRole('link', { name: 'Registrations', exact: true }).last().click()
      await findStatus(page).getByText('1 paid registration, matching “Example 005”').waitFor()
    },
  )

  test(
    'links to the previous and next registration in the list, across pages',
    { tags: ['slow'] },
    async () => {
      const page = await openPage('/admin/afpicon2026?payment_status=failed&page_size=10')
      await page.getByRole('link', { name: buildRegNo(server, EVENT, 94) }).click()
      await page.getByRole('link', { name: 'Next' }).click()
      await page.getByRole('heading', { level: 1, name: 'Dr. Example 090' }).waitFor()
      await expect
        .poll(() => page.getByRole('link', { name: 'WhatsApp' }).getAttribute('href'))
        .toBe('https://wa.me/919800000000')
      await page.getByRole('link', { name: 'Registrations', exact: true }).last().click()
      await page.getByText('11 to 20 of 33').waitFor()
    },
  )
})

describe('the dashboard', () => {
  test('shows figures, panels, charts with descriptions, recent registrations and links to the lists', async () => {
    const page = await openPage('/admin/dashboard')
    const figureCards = page.locator('dl.figures > div')
    await figureCards.first().waitFor()
    await expect
      .poll(() => figureCards.locator('dt').allTextContents())
      .toEqual(['Pulmocon total', 'Pulmocon paid', 'AFPICON total', 'Total revenue'])
    await expect
      .poll(async () => (await figureCards.locator('dd').allTextContents()).slice(0, 3))
      .toEqual(['0', '0', '130'])
    const panel = page.getByRole('region', { name: 'AFPICON' })
    await expect
      .poll(() => panel.locator('dl.key dd').allTextContents())
      .toEqual(['130', '65', '32', '33', '5'])
    await panel
      .getByText('130 registrations from 8 Oct 2025 to 10 Oct 2025; busiest day 9 Oct 2025 (65);')
      .waitFor()
    await expect.poll(() => panel.locator('ul.recent li').count()).toBeGreaterThan(0)
    await expect
      .poll(() => panel.locator('ul.recent li').first().textContent())
      .toMatch(/Dr\. Example 130/)
    await expectAccessible(page, 'dashboard')
    await figureCards.first().getByRole('link', { name: '0' }).click()
    await page.getByRole('heading', { level: 1, name: 'PULMOCON Registrations' }).waitFor()
    await page.getByText('No registrations found').waitFor()
  })

  test(
    'shows an error if it cannot be loaded, and Try Again retries',
    { tags: ['slow'] },
    async () => {
      visitor = await visit(browser)
      const { page } = visitor
      let responseBody: string | null = null
      await page.route('**/admin/dashboard/stats/', (route) =>
        responseBody === null ? route.abort() : route.fulfill({ body: responseBody }),
      )
      await page.goto(`${url}/admin/login`)
      await signIn(page)
      const problem = page.getByRole('alert').getByText('Failed to load dashboard statistics')
      await problem.waitFor()
      await expectAccessible(page, 'dashboard, request failed')
      for (const body of ['<h1>proxy</h1>', '{"data":{"now":1}}']) {
        responseBody = body
        await page.reload()
        await problem.waitFor()
        await expect.poll(() => page.getByText('Total revenue').count(), { message: body }).toBe(0)
      }
      await page.unroute('**/admin/dashboard/stats/')
      await page.getByRole('button', { name: 'Try Again' }).click()
      await page.getByRole('region', { name: 'AFPICON' }).waitFor()
      await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    },
  )
})

describe('the session ends', { tags: ['slow'] }, () => {
  test('after signing out in a second window, the next click in the first leads to the sign-in page', async () => {
    const page = await openPage('/admin/afpicon2026')
    await findStatus(page).getByText('130 registrations').waitFor()
    const secondTab = await visitor.context.newPage()
    await secondTab.goto(`${url}/admin/dashboard`)
    await secondTab.getByRole('button', { name: 'Logout' }).click()
    await secondTab.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
    await page.getByLabel('Payment Status').selectOption('success')
    await page.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
    await signIn(page)
    await findStatus(page).getByText('65 paid registrations').waitFor()
  })

  test('an expired session leads to the sign-in page, and signing in leads back', async () => {
    const page = await openPage('/admin/afpicon2026')
    await findStatus(page).getByText('130 registrations').waitFor()
    server.setTime('2025-10-10T19:00:00+05:30')
    await page.getByRole('link', { name: 'Emails', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
    await signIn(page)
    await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor()
  })

  test('a failed sign-out says that the user is still signed in, and Try Again ends the session', async () => {
    const page = await openPage('/admin/dashboard')
    await page.getByRole('region', { name: 'AFPICON' }).waitFor()
    await page.route('**/admin/logout/', (route) => route.abort())
    await page.getByRole('button', { name: 'Logout' }).click()
    const problem = page.getByRole('alert')
    await problem
      .getByText(
        'We could not sign you out. You are still signed in. Network error. Please check your internet connection.',
      )
      .waitFor()
    await expectAccessible(page, 'a logout that failed')
    expect(new URL(page.url()).pathname).toBe('/admin/dashboard')
    await page.unroute('**/admin/logout/')
    await problem.getByRole('button', { name: 'Try Again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
    await page.goto(`${url}/admin/dashboard`)
    await page.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
  })

  test('Back shows no data after signing out', async () => {
    const page = await openPage('/admin/afpicon2026')
    await findStatus(page).getByText('130 registrations').waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('region', { name: 'AFPICON' }).waitFor()
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
    await expect.poll(() => page.getByText('Dr. Example').count()).toBe(0)
  })
})

test(
  'the theme follows the device; every office page is readable in both themes, and axe can measure the contrast of every text',
  { tags: ['slow'] },
  async () => {
    const page = await openPage('/admin/dashboard')
    await page.setViewportSize({ width: 1280, height: 900 })
    const event = `/admin/events/${EVENT}`
    const backgrounds = new Set<string>()
    for (const path of [
      '/admin/dashboard',
      '/admin/events',
      '/admin/payments?tab=all&from=2025-10-10&to=2025-10-10',
      '/admin/payments?tab=due',
      '/admin/payments/statements',
      '/admin/payments/settlements',
      '/admin/payments/month/2025-10',
      '/admin/team',
      '/admin/audit-log',
      '/admin/system/emails',
      '/admin/system/event-files',
      '/admin/account',
      '/admin/search?q=Example%20005',
      event,
      `${event}/registrations?search=Example%20005`,
      `${event}/registrations/${buildRegNo(server, EVENT, 5)}`,
      `${event}/payments?from=2025-10-10&to=2025-10-10`,
      `${event}/event-file`,
    ]) {
      const isOtherPage = new URL(url + path).pathname !== new URL(page.url()).pathname
      if (isOtherPage) {
        // Navigates as a link does, because loading the app for each page takes longer than measuring it.
        await page.evaluate((address) => {
          document.querySelector('h1')?.setAttribute('data-left', '')
          history.pushState(null, '', address)
          dispatchEvent(new PopStateEvent('popstate'))
        }, path)
      } else await page.goto(url + path)
      await page.locator('h1:not([data-left])').waitFor()
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
      if (path.includes('/registrations?'))
        await page.getByRole('button', { name: 'Filters', exact: true }).click()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        backgrounds.add(
          `${colorScheme} ${await page.evaluate(() => getComputedStyle(document.body).backgroundColor)}`,
        )
        const scope = colorScheme === 'light' ? { everyText: true } : { onlyColors: true }
        await expectAccessible(page, `${path}, ${colorScheme}`, scope)
      }
    }
    expect([...backgrounds].sort()).toEqual(['dark rgb(16, 24, 32)', 'light rgb(244, 248, 250)'])
    await page.emulateMedia({ colorScheme: null })
  },
)

test(
  'by keyboard alone, a user signs in, opens a list, filters it, opens a row, goes back and signs out',
  { tags: ['slow'] },
  async () => {
    visitor = await visit(browser)
    const { page } = visitor
    const pressTabUntil = async (
      name: string | RegExp,
      role: 'button' | 'link' | 'combobox' = 'link',
    ): Promise<void> => {
      // The element is located once, because on a long list, searching by name after each key press takes too long.
      const targetElement = await page
        .getByRole(role, { name, exact: typeof name === 'string' })
        .first()
        .elementHandle()
      // A list page has a link in each row and other links, so many key presses may be needed.
      for (let pressCount = 0; pressCount < 100; pressCount += 1) {
        if (await targetElement?.evaluate((element) => element === document.activeElement)) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not reach ${name}`)
    }
    const filteredText = /paid registrations|pending registrations/
    await page.goto(`${url}/admin/login`)
    const username = page.getByLabel('Username')
    await expect
      .poll(() => username.evaluate((input) => input === document.activeElement))
      .toBe(true)
    await page.keyboard.type('office')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await page.reload()
    await page.getByRole('region', { name: 'AFPICON' }).waitFor()
    await pressTabUntil('All AFPICON registrations')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'AFPICON Registrations' }).waitFor()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('AFPICON Registrations')
    await pressTabUntil('Payment Status', 'combobox')
    await page.keyboard.press('P')
    await findStatus(page).getByText(filteredText).waitFor()
    await pressTabUntil(/^AFPI\s?\d/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'Answers' }).waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await findStatus(page).getByText(filteredText).waitFor()
    await page.reload()
    await findStatus(page).getByText(filteredText).waitFor()
    await pressTabUntil('Logout', 'button')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Staff sign-in' }).waitFor()
  },
)

test(
  'the dashboard shows the number of payments that need review',
  { tags: ['slow'] },
  async () => {
    const regNo = buildRegNo(server, EVENT, 1)
    const [payment] = (await server.deps.store.registration(regNo))?.payments ?? []
    if (payment?.status !== 'success') throw new Error('not paid')
    const { orderId, amount } = payment
    const secondPayment = {
      type: 'confirmed',
      reference: 'SECOND',
      currency: 'INR',
      kind: 'sale',
    } as const
    await server.deps.store.applyPaymentEvent(
      orderId,
      { ...secondPayment, amount, at: server.now() },
      null,
    )
    const page = await openPage('/admin/dashboard', 360)
    const panel = page.getByRole('region', { name: 'AFPICON' })
    await panel.getByText('Needs review').waitFor()
    await expect.poll(() => panel.locator('dl.key dd').allTextContents()).toContain('1')
    await expectAccessible(page, 'dashboard with a review')
  },
)
