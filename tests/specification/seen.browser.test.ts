/** Sentences about what a delegate reads and may do, seen where a delegate sees them. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from '../browser/browser.ts'
import type { Visit } from '../browser/browser.ts'
import { field, takenOver, ledger, payButton, plain, summary } from '../browser/delegate.ts'
import { drawn, serve } from '../browser/serve.ts'
import type { Served } from '../browser/serve.ts'

let browser: Browser
let server: Served
beforeAll(async () => {
  // A day on which the panel and the price table disagree about "early".
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2025-10-01T12:00:00+05:30' })])
})
afterAll(async () => {
  await server.stop()
})

const linesOf = async (page: Page, name: string): Promise<readonly string[]> =>
  (await page.getByRole('complementary', { name }).getByRole('listitem').allTextContents()).map(
    plain,
  )

test('S054 S085 S107 S180 S181: the AFPICON panel says 15 September, and the price is that of 1 September to 31 December', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/afpicon2026`)
  await takenOver(page)
  await page.getByRole('radio', { name: 'AFPI Member – GP / Specialist', exact: true }).check()
  await expect
    .poll(() => linesOf(page, 'Important Information'))
    .toEqual([
      'Early bird registration until 15 September 2025',
      'Fees are exclusive of 18% GST',
      'Registration includes conference materials, certificate and lunch',
    ])
  await expect.poll(async () => (await ledger(summary(page)))['Total Amount']).toBe('₹ 7,080')
  await summary(page)
    .getByText('Price valid until 31 Dec 2025; then ₹ 9,440 from 1 Jan 2026')
    .waitFor()
  // Picked as a member, and not said to be one.
  const odd = summary(page).getByText(
    'You chose “AFPI Member – GP / Specialist”, but your answer to “AFPI Member” is No.',
  )
  await odd.getByRole('button', { name: 'Check this answer' }).click()
  const member = page.getByRole('switch', { name: 'AFPI Member' })
  await expect.poll(() => member.evaluate((one) => one === document.activeElement)).toBe(true)
  await member.check()
  await odd.waitFor({ state: 'hidden' })
  // The same in the table of fees, in which one's own row is marked.
  await page.getByRole('heading', { name: 'Registration fees' }).scrollIntoViewIfNeeded()
  const own = page.getByRole('row').filter({ hasText: 'Yours' })
  await expect
    .poll(async () => plain(await own.getByRole('rowheader').textContent()))
    .toBe('AFPI Member – GP / SpecialistYours')
  await expect
    .poll(async () => (await own.getByRole('cell').allInnerTexts()).map(plain))
    .toEqual(['₹ 6,000', '₹ 8,000', '₹ 10,000', '₹ 5,000'])
  await expect
    .poll(async () => (await page.getByRole('columnheader').allInnerTexts()).map(plain))
    .toEqual([
      'Category',
      'Until 31 Dec 2025',
      'From 1 Jan 2026',
      'From 26 Jan 2026',
      'From 1 Feb 2026',
    ])
  await expectAccessible(page, 'the fees by period')
  await context.close()
})

test('the box of registration fees was empty until it was scrolled into view, in print too', async () => {
  const phone = { width: 360, height: 740 }
  const seen = async ({ page }: Visit) => {
    const fees = page.getByRole('region', { name: 'Registration fees' })
    const { top, height } = await fees.evaluate((box) => ({
      top: box.getBoundingClientRect().top,
      height: box.clientHeight,
    }))
    return { text: plain(await fees.innerText()), top, height }
  }
  const pricesIn = ({ text }: { readonly text: string }): readonly string[] =>
    text.match(/₹ [\d,]+/g) ?? []
  // As the server has drawn it, before its scripts have come.
  await drawn(`${server.url}/afpicon2026`)
  const early = await visit(browser, { ...phone, own: true })
  await early.page.route(/\.(?:js|woff2)$/, (route) => route.abort())
  await early.page.goto(`${server.url}/afpicon2026`, { waitUntil: 'networkidle' })
  const before = await seen(early)
  expect(pricesIn(before)).toEqual(expect.arrayContaining(['₹ 6,000', '₹ 3,000']))
  // Taken over by the script, and not scrolled: nothing in it moves.
  const live = await visit(browser, { ...phone, own: true })
  const { page } = live
  // Lines break elsewhere in another font, which is no matter of the box.
  await page.route(/\.woff2$/, (route) => route.abort())
  await page.goto(`${server.url}/afpicon2026`, { waitUntil: 'networkidle' })
  const after = await seen(live)
  expect(after.top).toBeGreaterThan(phone.height)
  expect([after.text, after.height]).toEqual([before.text, before.height])
  await page.emulateMedia({ media: 'print' })
  expect(pricesIn(await seen(live))).toEqual(pricesIn(before))
  await Promise.all([early.context.close(), live.context.close()])
})

test("S089 S091 S134 S135 S136 S182 S185: Chirurgia's form states the end of the early price, offers its designations, and accepts an unusual email address without a session", async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/chirurgia2026`)
  await takenOver(page)
  await field(page, 'Full Name').fill('Dr. Odd Address')
  await page.getByText('Early bird discounts run until 30 November 2025').waitFor()
  const options = await page
    .getByLabel('Designation')
    .locator('option')
    .evaluateAll((found) =>
      found.map((option) => [option.getAttribute('value'), option.textContent]),
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
  await expect.poll(() => field(page, 'Email').getAttribute('type')).toBe('email')
  // Prices include GST: base = 4130 / 1.18, GST = 4130 × 0.18 / 1.18.
  await page.getByLabel('Designation').selectOption('pg')
  await expect
    .poll(() => ledger(summary(page)))
    .toMatchObject({ 'Base Fee': '₹ 3,500', 'GST (18%)': '₹ 630', 'Total Amount': '₹ 4,130' })
  await field(page, 'Email').fill('odd.address+ward@hospital')
  await field(page, 'Phone Number').fill('call the ward')
  await payButton(page).click()
  await page.waitForURL((url) => url.origin !== server.url)
  expect(await context.cookies(server.url)).toEqual([])
  await context.close()
})

test('S092 S093 S184: the categories of accompanying persons are on the price list only', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/chirurgia2026`)
  const list = page.getByRole('region', { name: 'Registration fees' })
  await list.getByRole('heading').scrollIntoViewIfNeeded()
  await list.getByText('18% GST included.', { exact: true }).waitFor()
  await expect
    .poll(async () => (await list.getByRole('row').allInnerTexts()).map(plain))
    .toEqual([
      'Category Until 30 Nov 2025 From 1 Dec 2025',
      'ASI Member ₹ 5,900 ₹ 7,080',
      // Nothing is chosen yet.
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
  const text = plain(await page.locator('body').innerText())
  for (const never of ['+91', 'tier', '₹']) expect(text).not.toContain(never)
  await expect.poll(() => page.locator('input, select, textarea').count()).toBe(0)
  await context.close()
})
