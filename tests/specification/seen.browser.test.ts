/** Tests the specification's sentences about what delegates see and do, in a browser. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from '../browser/browser.ts'
import type { Visit } from '../browser/browser.ts'
import {
  findField,
  waitForHydration,
  readData,
  findPayButton,
  toPlainText,
  findSummary,
} from '../browser/delegate.ts'
import { waitUntilRendered, serve } from '../browser/serve.ts'
import type { TestServer } from '../browser/serve.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  // On this date, the panel and the price table contradict each other about the early price.
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2025-10-01T12:00:00+05:30' })])
})
afterAll(async () => {
  await server.stop()
})

const readLines = async (page: Page, name: string): Promise<readonly string[]> =>
  (await page.getByRole('complementary', { name }).getByRole('listitem').allTextContents()).map(
    toPlainText,
  )

test('S054 S085 S107 S180 S181: the AFPICON panel states 15 September, but the price for 1 September to 31 December applies', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/afpicon2026`)
  await waitForHydration(page)
  await page.getByRole('radio', { name: 'AFPI Member – GP / Specialist', exact: true }).check()
  await expect
    .poll(() => readLines(page, 'Important Information'))
    .toEqual([
      'Early bird registration until 15 September 2025',
      'Fees are exclusive of 18% GST',
      'Registration includes conference materials, certificate and lunch',
    ])
  await expect.poll(async () => (await readData(findSummary(page)))['Total Amount']).toBe('₹ 7,080')
  await findSummary(page)
    .getByText('Price valid until 31 Dec 2025; then ₹ 9,440 from 1 Jan 2026')
    .waitFor()
  // The delegate has chosen the category for members, but the answer to the membership field is No.
  const contradiction = findSummary(page).getByText(
    'You chose “AFPI Member – GP / Specialist”, but your answer to “AFPI Member” is No.',
  )
  await contradiction.getByRole('button', { name: 'Check this answer' }).click()
  const memberSwitch = page.getByRole('switch', { name: 'AFPI Member' })
  await expect
    .poll(() => memberSwitch.evaluate((memberField) => memberField === document.activeElement))
    .toBe(true)
  await memberSwitch.check()
  await contradiction.waitFor({ state: 'hidden' })
  // The fee table shows the same price, and marks the delegate's row.
  await page.getByRole('heading', { name: 'Registration fees' }).scrollIntoViewIfNeeded()
  const ownRow = page.getByRole('row').filter({ hasText: 'Yours' })
  await expect
    .poll(async () => toPlainText(await ownRow.getByRole('rowheader').textContent()))
    .toBe('AFPI Member – GP / SpecialistYours')
  await expect
    .poll(async () => (await ownRow.getByRole('cell').allInnerTexts()).map(toPlainText))
    .toEqual(['₹ 6,000', '₹ 8,000', '₹ 10,000'])
  await expect
    .poll(async () => (await page.getByRole('columnheader').allInnerTexts()).map(toPlainText))
    // The price for other dates, from 1 February, is lower and is not announced.
    .toEqual(['Category', 'Until 31 Dec 2025', 'From 1 Jan 2026', 'From 26 Jan 2026'])
  await expectAccessible(page, 'the fees by period')
  await context.close()
})

test('the registration fees are shown before the delegate scrolls to them, and in print', async () => {
  const phoneViewport = { width: 360, height: 740 }
  const readFeeBox = async ({ page }: Visit) => {
    const fees = page.getByRole('region', { name: 'Registration fees' })
    const { top, height } = await fees.evaluate((box) => ({
      top: box.getBoundingClientRect().top,
      height: box.clientHeight,
    }))
    return { text: toPlainText(await fees.innerText()), top, height }
  }
  const findPrices = ({ text }: { readonly text: string }): readonly string[] =>
    text.match(/₹ [\d,]+/g) ?? []
  // Reads the page as the server rendered it, before its scripts load.
  await waitUntilRendered(`${server.url}/afpicon2026`)
  const earlyVisit = await visit(browser, { ...phoneViewport, privateWindow: true })
  await earlyVisit.page.route(/\.(?:js|woff2)$/, (route) => route.abort())
  await earlyVisit.page.goto(`${server.url}/afpicon2026`)
  const boxBefore = await readFeeBox(earlyVisit)
  expect(findPrices(boxBefore)).toEqual(expect.arrayContaining(['₹ 6,000', '₹ 3,000']))
  // After hydration, and without scrolling, nothing in the box moves.
  const hydratedVisit = await visit(browser, { ...phoneViewport, privateWindow: true })
  const { page } = hydratedVisit
  // Fonts are blocked in both visits, because lines wrap differently in another font.
  await page.route(/\.woff2$/, (route) => route.abort())
  await page.goto(`${server.url}/afpicon2026`)
  await waitForHydration(page)
  const boxAfter = await readFeeBox(hydratedVisit)
  expect(boxAfter.top).toBeGreaterThan(phoneViewport.height)
  expect([boxAfter.text, boxAfter.height]).toEqual([boxBefore.text, boxBefore.height])
  await page.emulateMedia({ media: 'print' })
  expect(findPrices(await readFeeBox(hydratedVisit))).toEqual(findPrices(boxBefore))
  await Promise.all([earlyVisit.context.close(), hydratedVisit.context.close()])
})

test("S089 S091 S134 S135 S136 S182 S185: Chirurgia's form states the end of the early price, lists the designations, and accepts an unusual email address without a session", async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/chirurgia2026`)
  await waitForHydration(page)
  await findField(page, 'Full Name').fill('Dr. Odd Address')
  await page.getByText('Early bird discounts run until 30 November 2025').waitFor()
  const options = await page
    .getByLabel('Designation')
    .locator('option')
    .evaluateAll((elements) =>
      elements.map((option) => [option.getAttribute('value'), option.textContent]),
    )
  expect(options).toEqual([
    ['', 'Choose'],
    ['consultant', 'Consultant'],
    ['professor', 'Professor'],
    ['associate-professor', 'Associate Professor'],
    ['assistant-professor', 'Assistant Professor'],
    ['senior-resident', 'Senior Resident'],
    ['pg', 'PG'],
  ])
  await expect.poll(() => page.getByLabel('Food Preference').inputValue()).toBe('vegetarian')
  await expect.poll(() => findField(page, 'Email').getAttribute('type')).toBe('email')
  // Prices include GST: base = 4130 / 1.18, GST = 4130 × 0.18 / 1.18.
  await page.getByLabel('Designation').selectOption('pg')
  await expect
    .poll(() => readData(findSummary(page)))
    .toMatchObject({ 'Base Fee': '₹ 3,500', 'GST (18%)': '₹ 630', 'Total Amount': '₹ 4,130' })
  await findField(page, 'Email').fill('odd.address+ward@hospital')
  await findField(page, 'Phone Number').fill('call the ward')
  await findPayButton(page).click()
  await page.waitForURL((url) => url.origin !== server.url)
  expect(await context.cookies(server.url)).toEqual([])
  await context.close()
})

test('S092 S093 S184: the categories for accompanying persons appear only on the price list', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/chirurgia2026`)
  const list = page.getByRole('region', { name: 'Registration fees' })
  await list.getByRole('heading').scrollIntoViewIfNeeded()
  await list.getByText('18% GST included.', { exact: true }).waitFor()
  await expect
    .poll(async () => (await list.getByRole('row').allInnerTexts()).map(toPlainText))
    .toEqual([
      'Category Until 30 Nov 2025 From 1 Dec 2025',
      'ASI Member ₹ 5,900 ₹ 7,080',
      // The delegate has not chosen a category yet.
      'Non-ASI MemberYours ₹ 7,080 ₹ 8,260',
      'Post Graduate (ASI) ₹ 3,540 ₹ 4,720',
      'Post Graduate (Non-ASI) ₹ 4,130 ₹ 5,000',
      'Accompanying Person (PG) ₹ 2,360 ₹ 2,950',
      'Accompanying Person (ASI) ₹ 2,950 ₹ 3,540',
      'Accompanying Person (Non-ASI) ₹ 2,950 ₹ 3,540',
    ])
  await expect.poll(() => page.getByRole('radio', { name: /Accompanying/ }).count()).toBe(0)
  await context.close()
})

test('S020 S099 S108 S189: the closed event has a current tier and a phone prefix, and shows neither', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/pulmocon2025`)
  await page.getByRole('heading', { name: 'Registration Closed' }).waitFor()
  const text = toPlainText(await page.locator('body').innerText())
  for (const absentText of ['+91', 'tier', '₹']) expect(text).not.toContain(absentText)
  await expect.poll(() => page.locator('input, select, textarea').count()).toBe(0)
  await context.close()
})
