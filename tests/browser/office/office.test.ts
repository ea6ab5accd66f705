import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findMisplacedAtAnyWidth } from '../layout-boxes.ts'
import { expectAccessible, launch, addSessionCookie, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { cheapHash, PASSWORD, noon, buildRegNo, register } from '../../server/office/office.ts'

const EVENT = 'afpicon2026'
const START_TIME = '2025-10-10T16:00:00+05:30'
let server: TestApp
let browser: Browser
let url: string
let visitor: Visit

beforeAll(async () => {
  server = await startTestApp({ clock: START_TIME })
  await server.deps.store.addAdmin('office', await cheapHash(PASSWORD), server.now())
  const categories = [
    'afpi-gp-specialist',
    'non-afpi-gp-specialist',
    'afpi-pg',
    'non-afpi-pg',
    'intern-mbbs-accompanying',
  ]
  for (let n = 1; n <= 130; n += 1) {
    await register(server, EVENT, {
      n,
      on: noon(n <= 60 ? '2025-10-08' : n <= 125 ? '2025-10-09' : '2025-10-10', n),
      answers: {
        full_name: `Dr. Example ${String(n).padStart(3, '0')}`,
        email: `example${n}@example.org`,
        phone_number: '+919800000000',
        ticket_type: categories[n % 5] ?? '',
        afpi_member: n % 3 === 0,
        ...(n % 3 === 0 && { afpi_membership_number: `EXAMPLE-${n}` }),
      },
      ...(n % 4 < 2
        ? { pays: 'success' as const }
        : n % 4 === 2
          ? { pays: 'failed' as const }
          : {}),
    })
  }
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
/** Opens an address without a session and signs in there. */
const enterAsStranger = async (path: string): Promise<Page> => {
  visitor = await visit(browser)
  await visitor.page.goto(url + path)
  await signIn(visitor.page)
  return visitor.page
}
/** Opens an address with a session, without the sign-in page. */
const enter = async (path: string, width = 1280): Promise<Page> => {
  visitor = await visit(browser, { width })
  await addSessionCookie(visitor.context, url, { username: 'office', password: PASSWORD })
  await visitor.page.goto(url + path)
  return visitor.page
}
const status = (page: Page) => page.locator('.say[role=status]')

describe('signing in', () => {
  test('S073 S133: shows missing values at their fields and a wrong password, then opens the dashboard', async () => {
    visitor = await visit(browser)
    const { page } = visitor
    await page.goto(`${url}/admin/login`)
    await page.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
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
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/admin/dashboard')
  })

  test('without a session every office page leads to the sign-in and back to the page', async () => {
    const page = await enterAsStranger('/admin/afpicon2026?payment_status=failed&page=2')
    await page.getByRole('heading', { level: 1, name: 'AFPICON 2026 Registrations' }).waitFor()
    expect(page.url()).toBe(`${url}/admin/afpicon2026?payment_status=failed&page=2`)
    expect(
      await page.evaluate(() => [
        Object.keys(localStorage),
        Object.keys(sessionStorage),
        document.cookie,
      ]),
    ).toEqual([[], [], ''])
  })

  test('does not redirect to a foreign address', async () => {
    const page = await enterAsStranger('/admin/login?next=//evil.example/')
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  })
})

describe('the list', () => {
  test('filters, totals and pages are in the address, and Back undoes them', async () => {
    const page = await enter('/admin/afpicon2026')
    await status(page).getByText('130 registrations').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(21)
    await expectAccessible(page, 'list')
    await page.getByLabel('Payment Status').selectOption({ label: 'Failed' })
    await status(page).getByText('33 failed registrations').waitFor()
    expect(page.url()).toBe(`${url}/admin/afpicon2026?payment_status=failed`)
    await page.getByRole('button', { name: 'Page 2' }).click()
    await page.getByText('Page 2 of 2').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(14)
    await page.getByLabel('AFPI Member').selectOption({ label: 'Yes' })
    await status(page).getByText('11 failed registrations, AFPI Member: yes').waitFor()
    expect(page.url()).toBe(`${url}/admin/afpicon2026?payment_status=failed&afpi_member=true`)
    await page.goBack()
    await page.getByText('Page 2 of 2').waitFor()
    await page.goBack()
    await status(page).getByText('33 failed registrations').waitFor()
    await page.getByRole('button', { name: 'Clear filters', exact: true }).click()
    await status(page).getByText('130 registrations').waitFor()
    expect(page.url()).toBe(`${url}/admin/afpicon2026`)
  })

  test('typing searches after a pause, Enter immediately, and dates limit the list', async () => {
    const page = await enter('/admin/afpicon2026')
    const search = page.getByLabel('Search')
    await search.fill('Example 07')
    await status(page).getByText('10 registrations, matching “Example 07”').waitFor()
    await expect.poll(() => search.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.getByLabel('Registered from').fill('2025-10-10')
    await page.getByText('No registrations found').waitFor()
    await expectAccessible(page, 'empty list')
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await status(page).getByText('130 registrations').waitFor()
    await expect.poll(() => search.inputValue()).toBe('')
  })

  test('S191 S192: the page window is first, last and current ± 2, and the size can be chosen', async () => {
    const page = await enter('/admin/afpicon2026?page_size=10&page=7')
    await page.getByText('Page 7 of 13').waitFor()
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await expect
      .poll(() => pages.locator('li').allTextContents())
      .toEqual(['', '1', '…', '5', '6', '7', '8', '9', '…', '13', ''])
    await expect.poll(() => pages.locator('[aria-current=page]').textContent()).toBe('7')
    await page.getByLabel('Rows per page').selectOption('50')
    await page.getByText('Page 1 of 3').waitFor()
    expect(page.url()).toBe(`${url}/admin/afpicon2026?page_size=50`)
    await page.goto(`${url}/admin/afpicon2026?page=99`)
    await page.getByText('Page 7 of 7').waitFor()
  })

  test('a selection was lost with the page, and could not contain the whole list', async () => {
    const page = await enter('/admin/afpicon2026?page_size=10&payment_status=failed')
    const bar = page.getByRole('group', { name: 'Selected registrations' })
    await page.getByLabel('Select Dr. Example 130').check()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('Page 2 of 4').waitFor()
    // The line above the table has the focus, and so is in view.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('Page 2 of 4')
    await page.getByLabel('Select all on this page').check()
    await bar.getByText('11 selected').waitFor()
    await bar.getByRole('button', { name: 'Select all 33' }).click()
    await bar.getByText('33 selected').waitFor()
    await expectAccessible(page, 'a selected list')
    await page.getByLabel('Select all on this page').uncheck()
    await bar.getByText('23 selected').waitFor()
    await page.getByLabel('Payment Status').selectOption('success')
    await status(page).getByText('65 paid registrations').waitFor()
    await expect.poll(() => bar.count()).toBe(0)
  })

  test('S138 S164: the export is the filtered list, with the event and the filter in its file name', async () => {
    const page = await enter('/admin/afpicon2026?payment_status=failed')
    await status(page).getByText('33 failed registrations').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('afpicon_2026_registrations_2025-10-10_failed.csv')
    expect(
      readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\r\n'),
    ).toHaveLength(34)
  })

  test('on a phone a row has three lines, the other filters are behind a button, and nothing overflows', async () => {
    const page = await enter('/admin/afpicon2026?payment_status=failed&afpi_member=true', 360)
    await status(page).getByText('11 failed registrations').waitFor()
    await expect.poll(() => page.getByLabel('Payment Status').isVisible()).toBe(false)
    const filtersButton = page.getByRole('button', { name: 'Filters, 2 set' })
    await expect.poll(() => filtersButton.getAttribute('aria-expanded')).toBe('false')
    await expectAccessible(page, 'list on a phone')
    await filtersButton.click()
    await expect.poll(() => page.getByLabel('Payment Status').isVisible()).toBe(true)
    for (const path of [
      '/admin/afpicon2026',
      '/admin/afpicon',
      '/admin/dashboard',
      '/admin/pulmocon',
      `/admin/events/afpicon2026/registrations/${buildRegNo(server, EVENT, 5)}`,
    ]) {
      await page.goto(url + path)
      await page.locator('h1').waitFor()
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: path })
        .toBe(360)
    }
  })

  test("a failed call shows the event file's message, which can be dismissed", async () => {
    const page = await enter('/admin/afpicon2026')
    await status(page).getByText('130 registrations').waitFor()
    await page.route('**/afpicon/admin/registrations/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Refresh' }).click()
    const problem = page.getByRole('alert')
    await problem
      .getByText(
        'Failed to load registrations: Network error. Please check your internet connection.',
      )
      .waitFor()
    await expectAccessible(page, 'list, call failed')
    await expect.poll(() => page.getByRole('row').count()).toBe(21)
    await problem.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => problem.count()).toBe(0)
    await page.unroute('**/afpicon/admin/registrations/**')

    await page.route('**/afpicon/admin/registrations/**', (route) =>
      route.fulfill({ json: { people: [] } }),
    )
    await page.getByRole('button', { name: 'Refresh' }).click()
    await problem.getByText('Failed to load registrations', { exact: true }).waitFor()
    await page.unroute('**/afpicon/admin/registrations/**')

    // A response from a proxy is not a list either; tests/web covers the other cases.
    for (const body of ['<h1>proxy</h1>']) {
      await page.route('**/afpicon/admin/registrations/**', (route) => route.fulfill({ body }))
      await page.goto(`${url}/admin/afpicon2026`)
      await problem.getByText('Failed to load registrations', { exact: true }).waitFor()
      await page.unroute('**/afpicon/admin/registrations/**')
    }
    // Rows without a page object, as in older lists of the specification, are accepted.
    await page.route('**/afpicon/admin/registrations/**', (route) =>
      route.fulfill({
        json: [{ reg_no: 'AFPI0000000000017', payment_status: 'pending', full_name: 'Dr. Plain' }],
      }),
    )
    await page.getByRole('button', { name: 'Refresh' }).click()
    await status(page).getByText('1 registration', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Dr. Plain', exact: true }).waitFor()
    await page.unroute('**/afpicon/admin/registrations/**')

    let csv: { readonly status: number; readonly body: string } = { status: 500, body: '' }
    await page.route('**/afpicon/download-csv/**', (route) => route.fulfill(csv))
    for (const [listResponse, sentence] of [
      [{ status: 500, body: '' }, 'Server error. Please try again later.'],
      [{ status: 502, body: '<h1>proxy</h1>' }, 'HTTP error! status: 502'],
      [{ status: 200, body: '<h1>proxy</h1>' }, 'An unexpected error occurred.'],
    ] as const) {
      csv = listResponse
      await page.getByRole('button', { name: 'Export CSV' }).click()
      await problem.getByText(`Failed to export CSV: ${sentence}`).waitFor()
    }
  })

  test('an invalid filter in the address shows a message', async () => {
    const page = await enter('/admin/afpicon2026?payment_status=paid')
    await page
      .getByRole('alert')
      .getByText(
        'Failed to load registrations: “payment_status” must be one of pending, success, failed, refunded, cancelled, refused, not “paid”.',
      )
      .waitFor()
  })
})

describe('a registration', () => {
  test('opens from the list, shows its data, and leads back to the same list', async () => {
    const page = await enter('/admin/afpicon2026?payment_status=success&search=Example%20005')
    await page.getByRole('link', { name: buildRegNo(server, EVENT, 5) }).click()
    await page.getByRole('heading', { level: 1, name: 'Dr. Example 005' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(
      `/admin/events/afpicon2026/registrations/${buildRegNo(server, EVENT, 5)}`,
    )
    const timeline = page.getByRole('region', { name: 'Timeline' })
    await timeline.getByText('The gateway confirmed ₹\u00a07,080, reference REF5.').waitFor()
    await timeline.getByRole('checkbox', { name: 'Show access' }).check()
    await timeline.getByText('opened the registration').first().waitFor()
    await expectAccessible(page, 'registration')
    await page.getByRole('button', { name: 'Resend confirmation' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resend confirmation' }).click()
    await page.getByText('Email sent to example5@example.org.').waitFor()
    await page.getByText('Queued').waitFor()
    await page.getByRole('link', { name: 'Registrations', exact: true }).last().click()
    await status(page).getByText('1 paid registration, matching “Example 005”').waitFor()
  })

  test('leads to the previous and next one of the list, across pages', async () => {
    const page = await enter('/admin/afpicon2026?payment_status=failed&page_size=10')
    await page.getByRole('link', { name: buildRegNo(server, EVENT, 94) }).click()
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByRole('heading', { level: 1, name: 'Dr. Example 090' }).waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: 'WhatsApp' }).getAttribute('href'))
      .toBe('https://wa.me/919800000000')
    await page.getByRole('link', { name: 'Registrations', exact: true }).last().click()
    await page.getByText('Page 2 of 4').waitFor()
  })
})

describe('the dashboard', () => {
  test('shows figures, panels, described charts, recent registrations and links to the lists', async () => {
    const page = await enter('/admin/dashboard')
    const figureCards = page.locator('dl.fig > div')
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
    await expect.poll(() => panel.locator('ul.rec li').count()).toBeGreaterThan(0)
    await expect
      .poll(() => panel.locator('ul.rec li').first().textContent())
      .toMatch(/Dr\. Example 130/)
    await expectAccessible(page, 'dashboard')
    await page.getByRole('link', { name: 'PULMOCON list' }).click()
    await page.getByRole('heading', { level: 1, name: 'PULMOCON Registrations' }).waitFor()
    await page.getByText('No registrations found').waitFor()
  })

  test('shows an error if it cannot be loaded, and Try Again retries', async () => {
    visitor = await visit(browser)
    const { page } = visitor
    let answer: string | null = null
    await page.route('**/admin/dashboard/stats/', (route) =>
      answer === null ? route.abort() : route.fulfill({ body: answer }),
    )
    await page.goto(`${url}/admin/login`)
    await signIn(page)
    const problem = page.getByRole('alert').getByText('Failed to load dashboard statistics')
    await problem.waitFor()
    await expectAccessible(page, 'dashboard, call failed')
    for (const body of ['<h1>proxy</h1>', '{"data":{"now":1}}']) {
      answer = body
      await page.reload()
      await problem.waitFor()
      await expect.poll(() => page.getByText('Total revenue').count(), { message: body }).toBe(0)
    }
    await page.unroute('**/admin/dashboard/stats/')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByRole('region', { name: 'AFPICON' }).waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })
})

describe('the session ends', () => {
  test('signing out in a second window leads the next click in the first to the sign-in', async () => {
    const page = await enter('/admin/afpicon2026')
    await status(page).getByText('130 registrations').waitFor()
    const secondTab = await visitor.context.newPage()
    await secondTab.goto(`${url}/admin/dashboard`)
    await secondTab.getByRole('button', { name: 'Logout' }).click()
    await secondTab.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
    await page.getByLabel('Payment Status').selectOption('success')
    await page.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
    await signIn(page)
    await status(page).getByText('65 paid registrations').waitFor()
  })

  test('an expired session leads to the sign-in, and signing in leads back', async () => {
    const page = await enter('/admin/afpicon2026')
    await status(page).getByText('130 registrations').waitFor()
    server.setTime('2025-10-10T19:00:00+05:30')
    await page.getByRole('link', { name: 'Emails', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
    await signIn(page)
    await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor()
  })

  test('a failed sign-out says that the user is still signed in, and Try Again ends the session', async () => {
    const page = await enter('/admin/dashboard')
    await page.getByRole('region', { name: 'AFPICON' }).waitFor()
    await page.route('**/admin/logout/', (route) => route.abort())
    await page.getByRole('button', { name: 'Logout' }).click()
    const problem = page.getByRole('alert')
    await problem
      .getByText(
        'Logging out failed, so you are still signed in. Network error. Please check your internet connection.',
      )
      .waitFor()
    await expectAccessible(page, 'a logout that failed')
    expect(new URL(page.url()).pathname).toBe('/admin/dashboard')
    await page.unroute('**/admin/logout/')
    await problem.getByRole('button', { name: 'Try Again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
    await page.goto(`${url}/admin/dashboard`)
    await page.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
  })

  test('Back shows no data after signing out', async () => {
    const page = await enter('/admin/afpicon2026')
    await status(page).getByText('130 registrations').waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('region', { name: 'AFPICON' }).waitFor()
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
    await expect.poll(() => page.getByText('Dr. Example').count()).toBe(0)
  })
})

test('by keyboard alone: sign in, open a list, filter, open a row, go back, sign out', async () => {
  visitor = await visit(browser)
  const { page } = visitor
  const pressTabUntil = async (
    name: string | RegExp,
    role: 'button' | 'link' | 'combobox' = 'link',
  ): Promise<void> => {
    // Located once, because searching by name after each key takes most of the time on a long list.
    const targetElement = await page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .elementHandle()
    // A list page has a link in each row, and others.
    for (let pressCount = 0; pressCount < 100; pressCount += 1) {
      if (await targetElement?.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not reach ${name}`)
  }
  const filteredText = /paid registrations|pending registrations/
  await page.goto(`${url}/admin/login`)
  const username = page.getByLabel('Username')
  await expect.poll(() => username.evaluate((input) => input === document.activeElement)).toBe(true)
  await page.keyboard.type('office')
  await page.keyboard.press('Tab')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  await page.reload()
  await page.getByRole('region', { name: 'AFPICON' }).waitFor()
  await pressTabUntil('AFPICON 2026 list')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'AFPICON 2026 Registrations' }).waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toBe('AFPICON 2026 Registrations')
  await pressTabUntil('Payment Status', 'combobox')
  await page.keyboard.press('P')
  await status(page).getByText(filteredText).waitFor()
  await pressTabUntil(/^AFPI\s?\d/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 2, name: 'Answers' }).waitFor()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await status(page).getByText(filteredText).waitFor()
  await page.reload()
  await status(page).getByText(filteredText).waitFor()
  await pressTabUntil('Logout', 'button')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Sign in to the office' }).waitFor()
})

describe('list settings', () => {
  test('a heading sorts, an added column and a view are saved, j and k move through the rows, and a click anywhere opens a row', async () => {
    const page = await enter('/admin/afpicon?payment_status=failed')
    await status(page).getByText('33 failed registrations').waitFor()
    await status(page).getByText('Failed 33 · ₹ 2,14,465 due').waitFor()
    await page.getByRole('button', { name: 'Full Name' }).click()
    const name = page.getByRole('columnheader', { name: 'Full Name' })
    await expect.poll(() => name.getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('row').nth(1).getByText('Dr. Example 002').waitFor()
    await page.getByRole('button', { name: 'Full Name' }).click()
    await page.getByRole('row').nth(1).getByText('Dr. Example 130').waitFor()
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Designation' }).check()
    await page.getByRole('columnheader', { name: 'Designation' }).waitFor()
    await page.getByText('Saved views', { exact: true }).click()
    await page.getByLabel('Name of the view').fill('Who failed')
    await page.keyboard.press('Enter')
    await page.getByText('View: Who failed').waitFor()
    await expectAccessible(page, 'list with its tools open')
    expect(await findMisplacedAtAnyWidth(page)).toEqual([])

    await visitor.context.close()
    const reopenedPage = await enter('/admin/afpicon')
    await reopenedPage.getByText('Saved views', { exact: true }).click()
    await reopenedPage.getByRole('button', { name: 'Who failed', exact: true }).click()
    await status(reopenedPage).getByText('33 failed registrations').waitFor()
    for (const key of ['j', 'j', 'j', 'k']) await reopenedPage.keyboard.press(key)
    await reopenedPage.keyboard.press('Enter')
    await reopenedPage.getByRole('heading', { level: 1, name: 'Dr. Example 126' }).waitFor()
    await reopenedPage.goBack()
    await reopenedPage.getByRole('cell', { name: '9 Oct 2025' }).first().click()
    await reopenedPage.getByRole('heading', { level: 2, name: 'Answers' }).waitFor()
  })

  test('the work queue links to its lists, and nothing overlaps at any width', async () => {
    await register(server, EVENT, {
      n: 140,
      on: noon('2025-10-09'),
      answers: {
        full_name: 'Dr. Venkatanarasimharajuvaripeta Subrahmanyam-Ramachandran',
        email: 'a.long.address.of.somebody@department.hospital.example.org',
        ticket_type: 'afpi-pg',
      },
      pays: 'wrong-amount',
    })
    const page = await enter('/admin/dashboard')
    const reviews = page.getByRole('listitem').filter({ hasText: 'Needs review' })
    await reviews.getByRole('link').waitFor()
    expect(await findMisplacedAtAnyWidth(page), 'dashboard').toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
    await reviews.getByRole('link', { name: 'AFPICON 1' }).click()
    await status(page).getByText('1 registration needing review').waitFor()
    const registeredOn = page.getByRole('columnheader', { name: 'Registered On' })
    await expect
      .poll(async () => {
        const box = await registeredOn.boundingBox()
        return box === null ? Infinity : box.x + box.width
      })
      .toBeLessThanOrEqual(1280)
    expect(await findMisplacedAtAnyWidth(page), 'list').toEqual([])
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.goto(
      `${url}/admin/events/afpicon2026/registrations/${buildRegNo(server, EVENT, 140)}`,
    )
    await page.getByRole('button', { name: 'Accept as full payment' }).waitFor()
    expect(await findMisplacedAtAnyWidth(page), 'registration').toEqual([])
    for (const button of ['Accept as full payment', 'Ignore (not ours)']) {
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('dialog', { name: button }).waitFor()
      await expectAccessible(page, button)
      await page.keyboard.press('Escape')
    }
  })
})

test('the dashboard shows the number of payments that need review', async () => {
  const regNo = buildRegNo(server, EVENT, 1)
  const [payment] = (await server.deps.store.registration(regNo))?.payments ?? []
  if (payment?.status !== 'success') throw new Error('not paid')
  const { orderId, amount } = payment
  const second = { type: 'confirmed', reference: 'SECOND', currency: 'INR', kind: 'sale' } as const
  await server.deps.store.applyPaymentEvent(orderId, { ...second, amount, at: server.now() }, null)
  const page = await enter('/admin/dashboard', 360)
  const panel = page.getByRole('region', { name: 'AFPICON' })
  await panel.getByText('Needs review').waitFor()
  await expect.poll(() => panel.locator('dl.key dd').allTextContents()).toContain('2')
  await expectAccessible(page, 'dashboard with a review')
})
