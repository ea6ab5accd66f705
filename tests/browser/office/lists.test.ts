/** The office lists: filters, search, paging, selection, export and list settings. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findLayoutProblemsAtAnyWidth } from '../layout-boxes.ts'
import { expectAccessible, launch, addSessionCookie, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { EVENT, START_TIME, startOfficeWithRegistrations } from './office-with-registrations.ts'
import type { TestApp } from '../../server/harness.ts'
import { PASSWORD, toNoon, buildRegNo, register } from '../../server/office/office.ts'

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

/** Opens a page as a signed-in user, without using the sign-in page. */
const openPage = async (path: string, width = 1280): Promise<Page> => {
  visitor = await visit(browser, { width })
  await addSessionCookie(visitor.context, url, { username: 'office', password: PASSWORD })
  await visitor.page.goto(url + path)
  return visitor.page
}
const findStatus = (page: Page) => page.locator('.list-summary[role=status]')
/** Expects that another control has focus after the focused control has removed itself. */
const expectFocusNotLost = async (page: Page): Promise<void> => {
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
}

describe('the list', () => {
  test('a filter changes the totals; the URL contains the filters and page; Back restores the previous ones', async () => {
    const page = await openPage('/admin/afpicon2026')
    await findStatus(page).getByText('130 registrations').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(22)
    await expectAccessible(page, 'list')
    await page.getByLabel('Payment Status').selectOption({ label: 'Failed' })
    await findStatus(page).getByText('33 failed registrations').waitFor()
    expect(page.url()).toBe(`${url}/admin/afpicon2026?payment_status=failed`)
    await page.getByRole('button', { name: 'Page 2' }).click()
    await page.getByText('21 to 33 of 33').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(15)
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByLabel('AFPI Member').selectOption({ label: 'Yes' })
    await findStatus(page).getByText('11 failed registrations, AFPI Member: yes').waitFor()
    expect(page.url()).toBe(`${url}/admin/afpicon2026?payment_status=failed&afpi_member=true`)
    await page.getByRole('button', { name: 'AFPI Member: Yes' }).click()
    await findStatus(page).getByText('33 failed registrations').waitFor()
    await expectFocusNotLost(page)
    await page.goBack()
    await findStatus(page).getByText('11 failed registrations, AFPI Member: yes').waitFor()
    await page.goBack()
    await page.getByText('21 to 33 of 33').waitFor()
    await page.goBack()
    await findStatus(page).getByText('33 failed registrations').waitFor()
    await page.getByRole('button', { name: 'Clear filters', exact: true }).click()
    await findStatus(page).getByText('130 registrations').waitFor()
    await expectFocusNotLost(page)
    expect(page.url()).toBe(`${url}/admin/afpicon2026`)
  })

  test('the list is searched after a pause in typing or immediately on Enter, and can be limited by date', async () => {
    const page = await openPage('/admin/afpicon2026')
    const search = page.getByLabel('Search')
    await search.fill('Example 07')
    await findStatus(page).getByText('10 registrations, matching “Example 07”').waitFor()
    await expect.poll(() => search.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByLabel('Registered from').fill('2025-10-10')
    await page.getByText('No registrations found').waitFor()
    await expectAccessible(page, 'empty list')
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await findStatus(page).getByText('130 registrations').waitFor()
    await expect.poll(() => search.inputValue()).toBe('')
  })

  test('S191 S192: page links lead to the first and last page and to pages within 2 of the current one, and the page size can be chosen', async () => {
    const page = await openPage('/admin/afpicon2026?page_size=10&page=7')
    await page.getByText('61 to 70 of 130').waitFor()
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await expect
      .poll(() => pages.locator('li').allTextContents())
      .toEqual(['', '1', '…', '5', '6', '7', '8', '9', '…', '13', ''])
    await expect.poll(() => pages.locator('[aria-current=page]').textContent()).toBe('7')
    await page.getByLabel('Rows per page').selectOption('50')
    await page.getByText('1 to 50 of 130').waitFor()
    expect(page.url()).toBe(`${url}/admin/afpicon2026?page_size=50`)
    await page.goto(`${url}/admin/afpicon2026?page=99`)
    await page.getByText('121 to 130 of 130').waitFor()
  })

  test('the header stays visible while scrolling, and the next page opens at its top', async () => {
    const page = await openPage('/admin/afpicon2026?page_size=100')
    await findStatus(page).getByText('1 to 100 of 130').waitFor()
    const header = page.getByRole('columnheader', { name: 'Registration Number' })
    for (const width of [1024, 1280, 1366]) {
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(() => scrollTo(0, 0))
      await page.mouse.move(width - 400, 600)
      for (let screen = 0; screen < 4; screen += 1) {
        await page.mouse.wheel(0, 700)
        await expect
          .poll(
            () =>
              header.evaluate((cell) => {
                const { left, top, height } = cell.getBoundingClientRect()
                return cell.contains(document.elementFromPoint(left + 40, top + height / 2))
              }),
            { message: `${width} px, screen ${screen}` },
          )
          .toBe(true)
      }
    }
    await page.getByRole('button', { name: 'Next page' }).click()
    const range = page.getByText('101 to 130 of 130')
    await range.waitFor()
    for (const line of [range, page.getByRole('row').nth(1)])
      await expect
        .poll(() =>
          line.evaluate((element) => {
            const { top, bottom } = element.getBoundingClientRect()
            return top >= 0 && bottom <= innerHeight
          }),
        )
        .toBe(true)
  })

  test('an attendance list is alphabetical; when printed, it has no navigation and its header is repeated on each sheet', async () => {
    const page = await openPage('/admin/afpicon?payment_status=failed')
    await page.getByRole('link', { name: 'Print list' }).click()
    await page.getByText('33 registrations').waitFor()
    expect(await page.getByRole('rowheader').allTextContents()).toEqual(
      Array.from(
        { length: 33 },
        (_, index) => `Dr. Example ${String(4 * index + 2).padStart(3, '0')}`,
      ),
    )
    await page.getByRole('columnheader', { name: 'Signature' }).waitFor()
    await expectAccessible(page, 'attendance list')
    await page.emulateMedia({ media: 'print' })
    const controls = ['navigation', 'search', 'button', 'link', 'checkbox'] as const
    const readControlTexts = async () => {
      const controlTexts = controls.map((role) => page.getByRole(role).allTextContents())
      // In print, the column headings remain, and links become plain numbers.
      return (await Promise.all(controlTexts)).flat().filter((text) => !/^Sort by|^AFPI/.test(text))
    }
    await expect.poll(readControlTexts).toEqual([])
    const head = page.getByRole('rowgroup').first()
    expect(await head.evaluate((group) => getComputedStyle(group).display)).toBe(
      'table-header-group',
    )
    await page.goBack()
    await findStatus(page).getByText('33 failed registrations').waitFor()
    await expect.poll(readControlTexts).toEqual([])
    await page.getByRole('columnheader', { name: 'Full Name' }).waitFor()
    // The next test uses the same window.
    await page.emulateMedia({ media: null })
  })

  test('a selection persists across pages, and can include all rows of the list', async () => {
    const page = await openPage('/admin/afpicon2026?page_size=10&payment_status=failed')
    const bar = page.getByRole('group', { name: 'Selected registrations' })
    await page.getByLabel('Select Dr. Example 130').check()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('11 to 20 of 33').waitFor()
    // The line above the table has focus, so it is visible.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('11 to 20 of 33')
    await page.getByLabel('Select all on this page').check()
    await bar.getByText('11 selected').waitFor()
    await bar.getByRole('button', { name: 'Select all 33' }).click()
    await bar.getByText('33 selected').waitFor()
    await expectAccessible(page, 'a selected list')
    await page.getByLabel('Select all on this page').uncheck()
    await bar.getByText('23 selected').waitFor()
    await page.getByLabel('Payment Status').selectOption('success')
    await findStatus(page).getByText('65 paid registrations').waitFor()
    await expect.poll(() => bar.count()).toBe(0)

    // A long job shows its progress. If it is stopped, its result is shown next to the remaining rows.
    const firstRequest = Promise.withResolvers<null>()
    await page.route('**/registrations/bulk/', async (route) => {
      await firstRequest.promise
      await route.continue()
    })
    await page.getByLabel('Select all on this page').check()
    await bar.getByRole('button', { name: 'Select all 65' }).click()
    await bar.getByText('65 selected').waitFor()
    await bar.getByRole('button', { name: 'Add note' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add note: 65' })
    await dialog.getByLabel('Note').fill('Hall B')
    await dialog.getByRole('button', { name: 'Add note' }).click()
    await dialog.getByRole('progressbar', { name: '0 of 65 processed' }).waitFor()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    firstRequest.resolve(null)
    await page.getByText('Stopped: 50 done. 15 not processed and still selected.').waitFor()
    await bar.getByText('15 selected').waitFor()
  })

  test('S138 S164: the export contains the filtered list, and its file name contains the event and the filter', async () => {
    const page = await openPage('/admin/afpicon2026?payment_status=failed')
    await findStatus(page).getByText('33 failed registrations').waitFor()
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

  test('on a phone, a row has three lines, a button shows the other filters, and nothing overflows', async () => {
    const page = await openPage('/admin/afpicon2026?payment_status=failed&afpi_member=true', 360)
    await findStatus(page).getByText('11 failed registrations').waitFor()
    const filterButton = page.getByRole('button', { name: /^More/ })
    await expect.poll(() => filterButton.getAttribute('aria-expanded')).toBe('false')
    await expect.poll(() => page.getByLabel('AFPI Member', { exact: true }).count()).toBe(0)
    await expectAccessible(page, 'list on a phone')
    await filterButton.click()
    await page.getByLabel('AFPI Member', { exact: true }).waitFor()
    await expectAccessible(page, 'filters on a phone')
    await page.getByRole('button', { name: 'Export CSV' }).waitFor()
    // A row has three lines, regardless of the selected columns.
    expect(await page.getByText('Columns', { exact: true }).isVisible()).toBe(false)
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
      if (path !== '/admin/afpicon2026') continue
      // The first row is visible without scrolling.
      expect((await page.getByRole('row').first().boundingBox())?.y).toBeLessThanOrEqual(420)
    }
  })

  test("after a failed request, the event file's message is shown and can be dismissed", async () => {
    const page = await openPage('/admin/afpicon2026')
    await findStatus(page).getByText('130 registrations').waitFor()
    await page.route('**/afpicon/admin/registrations/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Refresh' }).click()
    const problem = page.getByRole('alert')
    await problem
      .getByText(
        'Failed to load registrations: Network error. Please check your internet connection.',
      )
      .waitFor()
    await expectAccessible(page, 'list, request failed')
    await expect.poll(() => page.getByRole('row').count()).toBe(22)
    await problem.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => problem.count()).toBe(0)
    await page.unroute('**/afpicon/admin/registrations/**')

    await page.route('**/afpicon/admin/registrations/**', (route) =>
      route.fulfill({ json: { people: [] } }),
    )
    await page.getByRole('button', { name: 'Refresh' }).click()
    await problem.getByText('Failed to load registrations', { exact: true }).waitFor()
    await page.unroute('**/afpicon/admin/registrations/**')

    // A proxy's response is not accepted as a list either; tests/web covers the other cases.
    for (const body of ['<h1>proxy</h1>']) {
      await page.route('**/afpicon/admin/registrations/**', (route) => route.fulfill({ body }))
      await page.goto(`${url}/admin/afpicon2026`)
      await problem.getByText('Failed to load registrations', { exact: true }).waitFor()
      await page.unroute('**/afpicon/admin/registrations/**')
    }
    // A response with rows but no page object is accepted, as in the older lists of the specification.
    await page.route('**/afpicon/admin/registrations/**', (route) =>
      route.fulfill({
        json: [{ reg_no: 'AFPI0000000000017', payment_status: 'pending', full_name: 'Dr. Plain' }],
      }),
    )
    await page.getByRole('button', { name: 'Refresh' }).click()
    await findStatus(page).getByText('1 registration', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Dr. Plain', exact: true }).waitFor()
    await page.unroute('**/afpicon/admin/registrations/**')

    let csvResponse: { readonly status: number; readonly body: string } = { status: 500, body: '' }
    await page.route('**/afpicon/download-csv/**', (route) => route.fulfill(csvResponse))
    for (const [exportResponse, sentence] of [
      [{ status: 500, body: '' }, 'Server error. Please try again later.'],
      [{ status: 502, body: '<h1>proxy</h1>' }, 'HTTP error! status: 502'],
      [{ status: 200, body: '<h1>proxy</h1>' }, 'An unexpected error occurred.'],
    ] as const) {
      csvResponse = exportResponse
      await page.getByRole('button', { name: 'Export CSV' }).click()
      await problem.getByText(`Failed to export CSV: ${sentence}`).waitFor()
    }
  })

  test('an invalid filter in the URL shows a message', async () => {
    const page = await openPage('/admin/afpicon2026?payment_status=paid')
    await page
      .getByRole('alert')
      .getByText(
        'Failed to load registrations: “payment_status” must be one of pending, success, failed, refunded, cancelled, refused, not “paid”.',
      )
      .waitFor()
  })
})

describe('list settings', () => {
  test('a click on a heading sorts, an added column and a view are saved, j and k move through the rows, and a click anywhere in a row opens it', async () => {
    const page = await openPage('/admin/afpicon?payment_status=failed')
    await findStatus(page).getByText('33 failed registrations').waitFor()
    await findStatus(page).getByText('Failed 33 · ₹ 2,14,465 due').waitFor()
    await page.getByRole('button', { name: 'Sort by Full Name' }).click()
    const name = page.getByRole('columnheader', { name: 'Full Name' })
    await expect.poll(() => name.getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('row').nth(1).getByText('Dr. Example 002').waitFor()
    await page.getByRole('button', { name: 'Sort by Full Name' }).click()
    await page.getByRole('row').nth(1).getByText('Dr. Example 130').waitFor()
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Designation' }).check()
    await page.getByRole('columnheader', { name: 'Designation' }).waitFor()
    const views = page.getByRole('navigation', { name: 'Views' })
    await views.getByText('Save view').click()
    await page.getByLabel('View name').fill('Who failed')
    await page.keyboard.press('Enter')
    await views.getByRole('link', { name: 'Who failed' }).waitFor()
    await expectFocusNotLost(page)
    await expectAccessible(page, 'list with its tools open')
    expect(await findLayoutProblemsAtAnyWidth(page)).toEqual([])

    await visitor.context.close()
    const reopenedPage = await openPage('/admin/afpicon')
    await reopenedPage.getByRole('link', { name: 'Who failed', exact: true }).click()
    await findStatus(reopenedPage).getByText('33 failed registrations').waitFor()
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
      on: toNoon('2025-10-09'),
      answers: {
        full_name: 'Dr. Venkatanarasimharajuvaripeta Subrahmanyam-Ramachandran',
        email: 'a.long.address.of.somebody@department.hospital.example.org',
        ticket_type: 'afpi-pg',
      },
      pays: 'wrong-amount',
    })
    const page = await openPage('/admin/dashboard')
    const reviews = page.getByRole('listitem').filter({ hasText: 'Needs review' })
    await reviews.getByRole('link').waitFor()
    expect(await findLayoutProblemsAtAnyWidth(page), 'dashboard').toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
    await reviews.getByRole('link', { name: 'AFPICON 2026 1' }).click()
    await findStatus(page).getByText('1 registration needing review').waitFor()
    const registeredOn = page.getByRole('columnheader', { name: 'Registered On' })
    await expect
      .poll(async () => {
        const box = await registeredOn.boundingBox()
        return box === null ? Infinity : box.x + box.width
      })
      .toBeLessThanOrEqual(1280)
    expect(await findLayoutProblemsAtAnyWidth(page), 'list').toEqual([])
    await page.getByRole('button', { name: 'Needs review (remove this filter)' }).click()
    await page.goto(
      `${url}/admin/events/afpicon2026/registrations/${buildRegNo(server, EVENT, 140)}`,
    )
    await page.getByRole('button', { name: 'Accept as full payment' }).waitFor()
    expect(await findLayoutProblemsAtAnyWidth(page), 'registration').toEqual([])
    for (const button of ['Accept as full payment', 'Ignore (not ours)']) {
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('dialog', { name: button }).waitFor()
      await expectAccessible(page, button)
      await page.keyboard.press('Escape')
    }
  })
})
