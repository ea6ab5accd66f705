/** Registers and pays for every open event in every category, through the form. Runs in `npm run thorough` only. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch, visit } from './browser.ts'
import {
  clickAtGateway,
  findField,
  waitForHydration,
  readData,
  readOrderId,
  findPayButton,
  toPlainText,
  PROOF_FILE,
  findSummary,
} from './delegate.ts'
import { ADMIN, serve } from './serve.ts'
import type { TestServer } from './serve.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2025-11-10T12:00:00+05:30' })])
})
afterAll(async () => {
  await server.stop()
})

type Amounts = { readonly base: string; readonly gst: string; readonly total: string }
const buildAmounts = (base: string, gst: string, total: string): Amounts => ({
  base: `₹ ${base}`,
  gst: `₹ ${gst}`,
  total: `₹ ${total}`,
})

async function fillPerson(page: Page, name: string): Promise<void> {
  await waitForHydration(page)
  await findField(page, 'Full Name').fill(name)
  await page.getByRole('textbox', { name: /^Email/ }).fill('every.category@example.org')
  await findField(page, 'Phone Number').fill('+91 98470 00000')
}
const chooseYes = (page: Page, question: string): Promise<void> =>
  page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes' }).check()

/**
 * Waits for the price, pays, and returns the summaries before and after the payment, and the amount sent to the
 * gateway.
 */
async function pay(
  page: Page,
  total: string,
): Promise<{
  readonly summaryBefore: Readonly<Record<string, string>>
  readonly summaryAfter: Readonly<Record<string, string>>
  readonly gatewayAmount: string
}> {
  await expect.poll(async () => (await readData(findSummary(page)))['Total Amount']).toBe(total)
  const summaryBefore = await readData(findSummary(page))
  const gatewayRequest = page.waitForRequest(
    (request) => request.method() === 'POST' && !request.url().startsWith(server.url),
  )
  await findPayButton(page).click()
  const gatewayAmount =
    new URLSearchParams((await gatewayRequest).postData() ?? '').get('amount') ?? ''
  await clickAtGateway(page, 'Pay')
  await page.waitForURL((url) => url.pathname.endsWith('/payment/success'))
  await page.getByRole('heading', { level: 2, name: 'Registration Confirmed' }).waitFor()
  return {
    summaryBefore,
    summaryAfter: await readData(page.getByRole('main')),
    gatewayAmount,
  }
}

/** Converts `₹ 1,234` to the gateway's format: `1234.00`. */
const toGatewayAmount = (amount: string): string => `${amount.replaceAll(/[^\d]/g, '')}.00`

// The specification's column sep-1-dec-31, plus 18%.
const AFPICON_CATEGORIES: readonly (readonly [
  number: string,
  category: string,
  words: string,
  hasProof: boolean,
  amounts: Amounts,
])[] = [
  [
    'S174',
    'AFPI Member – GP / Specialist',
    'Afpi Gp Specialist',
    false,
    buildAmounts('6,000', '1,080', '7,080'),
  ],
  [
    'S175',
    'Non-AFPI – GP / Specialist',
    'Non Afpi Gp Specialist',
    false,
    buildAmounts('7,000', '1,260', '8,260'),
  ],
  ['S176', 'AFPI Member – Post Graduate', 'Afpi Pg', true, buildAmounts('5,250', '945', '6,195')],
  [
    'S177',
    'Non-AFPI – Post Graduate',
    'Non Afpi Pg',
    true,
    buildAmounts('6,000', '1,080', '7,080'),
  ],
  [
    'S178',
    'Intern / MBBS Student / Accompanying Person',
    'Intern Mbbs Accompanying',
    false,
    buildAmounts('3,000', '540', '3,540'),
  ],
]

// `npm test` covers one category of each form in other files, and every price in real-prices.test.ts.
test.each(AFPICON_CATEGORIES)(
  '%s S052 S053 S055 S057 S084: AFPICON 2026 as %s, paid',
  async (_number, category, categoryWords, hasProof, { base, gst, total }) => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(`${server.url}/afpicon2026`)
    await fillPerson(page, `Dr. ${categoryWords}`)
    const row = page.getByRole('radio', { name: category, exact: true })
    await row.check()
    // Each category shows a description and today's price before GST.
    const descriptionIds = ((await row.getAttribute('aria-describedby')) ?? '').split(' ')
    const [descriptionText, price] = await Promise.all(
      descriptionIds.map((id) => page.locator(`[id="${id}"]`).textContent()),
    )
    expect(toPlainText(descriptionText ?? '').length).toBeGreaterThan(10)
    expect(toPlainText(price ?? '')).toBe(base)
    await expect.poll(() => page.locator('input[type=file]').count()).toBe(hasProof ? 1 : 0)
    if (hasProof) await page.locator('input[type=file]').setInputFiles(PROOF_FILE)

    const { summaryBefore, summaryAfter, gatewayAmount } = await pay(page, total)
    expect(summaryBefore).toEqual({ 'Base Fee': base, 'GST (18%)': gst, 'Total Amount': total })
    expect(gatewayAmount).toBe(toGatewayAmount(total))
    expect(readOrderId(page)).toMatch(/^AFPI\d{13}$/)
    expect(summaryAfter).toMatchObject({
      Category: categoryWords,
      'Base Fee': base,
      'GST (18%)': gst,
      'Total Amount': total,
      Status: 'Paid',
      'Payment Date': expect.stringContaining('10 November 2025'),
    })
    expect(consoleErrors).toEqual([])
    await context.close()
  },
)

// Demo prices until 30 November 2025, including GST: base = total ÷ 1.18, rounded to whole rupees.
const CHIRURGIA: readonly (readonly [
  category: string,
  designation: string | null,
  isMember: boolean,
  amounts: Amounts,
])[] = [
  ['ASI Member', 'professor', true, buildAmounts('5,000', '900', '5,900')],
  ['Non-ASI Member', null, false, buildAmounts('6,000', '1,080', '7,080')],
  ['Post Graduate (ASI)', 'pg', true, buildAmounts('3,000', '540', '3,540')],
  ['Post Graduate (Non-ASI)', 'pg', false, buildAmounts('3,500', '630', '4,130')],
]

test.each(CHIRURGIA)(
  'S063 S065 S067 S092 S109: Chirurgia 2026 as %s, paid',
  async (category, designation, isMember, { base, gst, total }) => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(`${server.url}/chirurgia2026`)
    await fillPerson(page, `Dr. ${category}`)
    if (designation !== null) await page.getByLabel('Designation').selectOption(designation)
    if (isMember) {
      await chooseYes(page, 'ASI Member')
      await findField(page, 'ASI Membership Number').fill('ASI-77')
    }
    const { summaryBefore, summaryAfter, gatewayAmount } = await pay(page, total)
    expect(summaryBefore).toEqual({
      Category: category,
      'Base Fee': base,
      'GST (18%)': gst,
      'Total Amount': total,
    })
    expect(gatewayAmount).toBe(toGatewayAmount(total))
    expect(readOrderId(page)).toMatch(/^CHIR\d{13}$/)
    expect(summaryAfter).toMatchObject({
      Category: category,
      'Amount Paid (GST included)': total,
      Status: 'Paid',
      'Payment Date': expect.stringContaining('10 November 2025'),
    })
    expect(consoleErrors).toEqual([])
    await context.close()
  },
)

// Demo prices, excluding GST.
const MIDZONE: readonly (readonly [
  category: string,
  isPostgraduate: boolean,
  isMember: boolean,
  amounts: Amounts,
])[] = [
  ['AFPI Post Graduate', true, true, buildAmounts('750', '135', '885')],
  ['Non-AFPI Post Graduate', true, false, buildAmounts('900', '162', '1,062')],
  ['AFPI Delegate', false, true, buildAmounts('1,000', '180', '1,180')],
  ['Non-AFPI Delegate', false, false, buildAmounts('1,250', '225', '1,475')],
]

test.each(MIDZONE)(
  'S069 S070 S071 S097 S110 S183: Kerala Mid Zone 2025 as %s, paid',
  async (category, isPostgraduate, isAfpiMember, { base, gst, total }) => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(`${server.url}/midzone2025`)
    await fillPerson(page, `Dr. ${category}`)
    await findField(page, 'Address').fill('1, Sample Street\nKochi')
    if (isPostgraduate) await chooseYes(page, 'Are you a post graduate?')
    if (isAfpiMember) {
      await chooseYes(page, 'AFPI Member')
      await findField(page, 'AFPI Membership Number').fill('K-12')
    }
    const { summaryBefore, summaryAfter, gatewayAmount } = await pay(page, total)
    expect(summaryBefore).toEqual({ 'Base Fee': base, 'GST (18%)': gst, 'Total Amount': total })
    expect(gatewayAmount).toBe(toGatewayAmount(total))
    expect(summaryAfter).toMatchObject({
      Category: category,
      'Base Fee': base,
      'GST (18%)': gst,
      'Total Amount': total,
      Status: 'Paid',
    })
    expect(summaryAfter['AFPI Membership Number']).toBe(isAfpiMember ? 'K-12' : undefined)
    expect(consoleErrors).toEqual([])
    await context.close()
  },
)

test('S075 S076: the dashboard shows the totals of all registrations', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/admin/dashboard`)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('heading', { level: 2, name: 'AFPICON' }).waitFor()
  const panelTotals = [
    ['AFPICON', 5, '₹ 32,155'],
    ['Chirurgia 2026', 4, '₹ 20,650'],
    ['Kerala Mid Zone 2025', 4, '₹ 4,602'],
  ] as const
  for (const [panel, paidCount, revenue] of panelTotals) {
    const panelRegion = page.getByRole('region', { name: panel })
    for (const part of [`Total${paidCount}`, `Paid${paidCount}`, 'Pending0', 'Failed0', revenue])
      await expect
        .poll(async () => toPlainText(await panelRegion.textContent()), { message: panel })
        .toContain(part)
  }
  await expect
    .poll(async () => toPlainText(await page.getByRole('main').textContent()))
    .toContain('₹ 57,407')
  await context.close()
})
