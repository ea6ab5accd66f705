/**
 * Every open event, registered for and paid in every category that a delegate can have, through its
 * form. The tables are written by hand from the specification (its AFPICON fees of September to
 * December, its rules for the derived categories) and, where it shows no price, from the demo values
 * that the event files own up to. `npm test` takes one of each form: what each category costs in each period,
 * tests/engine/pricing/real-prices.test.ts holds.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { launch, visit } from './browser.ts'
import {
  atGateway,
  field,
  takenOver,
  ledger,
  orderIdOf,
  payButton,
  plain,
  PROOF,
  summary,
} from './delegate.ts'
import { ADMIN, serve } from './serve.ts'
import type { Served } from './serve.ts'

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2025-11-10T12:00:00+05:30' })])
})
afterAll(async () => {
  await server.stop()
})

type Money = { readonly base: string; readonly gst: string; readonly total: string }
const money = (base: string, gst: string, total: string): Money => ({
  base: `₹ ${base}`,
  gst: `₹ ${gst}`,
  total: `₹ ${total}`,
})

async function fillPerson(page: Page, name: string): Promise<void> {
  await takenOver(page)
  await field(page, 'Full Name').fill(name)
  await page.getByRole('textbox', { name: /^Email/ }).fill('every.category@example.org')
  await field(page, 'Phone Number').fill('+91 98470 00000')
}
const yes = (page: Page, question: string): Promise<void> =>
  page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes' }).check()

/** Waits for the price, pays, and answers what the confirmation says. */
async function pay(
  page: Page,
  total: string,
): Promise<{
  readonly before: Readonly<Record<string, string>>
  readonly after: Readonly<Record<string, string>>
  readonly asked: string
}> {
  await expect.poll(async () => (await ledger(summary(page)))['Total Amount']).toBe(total)
  const before = await ledger(summary(page))
  const posted = page.waitForRequest(
    (request) => request.method() === 'POST' && !request.url().startsWith(server.url),
  )
  await payButton(page).click()
  const asked = new URLSearchParams((await posted).postData() ?? '').get('amount') ?? ''
  await atGateway(page, 'Pay')
  await page.waitForURL((url) => url.pathname.endsWith('/payment/success'))
  await page.getByRole('heading', { level: 2, name: 'Registration Confirmed' }).waitFor()
  return { before, after: await ledger(page.getByRole('main')), asked }
}

/** `₹ 1,234` as the gateway is asked for it: `1234.00`. */
const asAsked = (amount: string): string => `${amount.replaceAll(/[^\d]/g, '')}.00`

// The specification's column sep-1-dec-31, and 18% on top.
const AFPICON: readonly (readonly [
  number: string,
  category: string,
  words: string,
  proof: boolean,
  money: Money,
])[] = [
  [
    'S174',
    'AFPI Member – GP / Specialist',
    'Afpi Gp Specialist',
    false,
    money('6,000', '1,080', '7,080'),
  ],
  [
    'S175',
    'Non-AFPI – GP / Specialist',
    'Non Afpi Gp Specialist',
    false,
    money('7,000', '1,260', '8,260'),
  ],
  ['S176', 'AFPI Member – Post Graduate', 'Afpi Pg', true, money('5,250', '945', '6,195')],
  ['S177', 'Non-AFPI – Post Graduate', 'Non Afpi Pg', true, money('6,000', '1,080', '7,080')],
  [
    'S178',
    'Intern / MBBS Student / Accompanying Person',
    'Intern Mbbs Accompanying',
    false,
    money('3,000', '540', '3,540'),
  ],
]

test.each(ALL_RUNS ? AFPICON : AFPICON.filter(([number]) => number === 'S177'))(
  '%s S052 S053 S055 S057 S084: AFPICON 2026 as %s, paid',
  async (_number, category, words, proof, { base, gst, total }) => {
    const { page, context, complaints } = await visit(browser)
    await page.goto(`${server.url}/afpicon2026`)
    await fillPerson(page, `Dr. ${words}`)
    const row = page.getByRole('radio', { name: category, exact: true })
    await row.check()
    // A colour and a description for each category, and today's price before GST beside it.
    const described = ((await row.getAttribute('aria-describedby')) ?? '').split(' ')
    const [about, price] = await Promise.all(
      described.map((id) => page.locator(`[id="${id}"]`).textContent()),
    )
    expect(plain(about ?? '').length).toBeGreaterThan(10)
    expect(plain(price ?? '')).toBe(base)
    await expect.poll(() => page.locator('input[type=file]').count()).toBe(proof ? 1 : 0)
    if (proof) await page.locator('input[type=file]').setInputFiles(PROOF)

    const { before, after, asked } = await pay(page, total)
    expect(before).toEqual({ 'Base Fee': base, 'GST (18%)': gst, 'Total Amount': total })
    expect(asked).toBe(asAsked(total))
    expect(orderIdOf(page)).toMatch(/^AFPI\d{13}$/)
    expect(after).toMatchObject({
      Category: words,
      'Base Fee': base,
      'GST (18%)': gst,
      'Total Amount': total,
      Status: 'Paid',
      'Payment Date': expect.stringContaining('10 November 2025'),
    })
    expect(complaints).toEqual([])
    await context.close()
  },
)

// Demo prices until 30 November 2025, GST inside: base = total ÷ 1.18, to whole rupees.
const CHIRURGIA: readonly (readonly [
  category: string,
  designation: string | null,
  member: boolean,
  money: Money,
])[] = [
  ['ASI Member', 'professor', true, money('5,000', '900', '5,900')],
  ['Non-ASI Member', null, false, money('6,000', '1,080', '7,080')],
  ['Post Graduate (ASI)', 'pg', true, money('3,000', '540', '3,540')],
  ['Post Graduate (Non-ASI)', 'pg', false, money('3,500', '630', '4,130')],
]

test.each(
  ALL_RUNS ? CHIRURGIA : CHIRURGIA.filter(([category]) => category === 'Post Graduate (ASI)'),
)(
  'S063 S065 S067 S092 S109: Chirurgia 2026 as %s, paid',
  async (category, designation, member, { base, gst, total }) => {
    const { page, context, complaints } = await visit(browser)
    await page.goto(`${server.url}/chirurgia2026`)
    await fillPerson(page, `Dr. ${category}`)
    if (designation !== null) await page.getByLabel('Designation').selectOption(designation)
    if (member) {
      await yes(page, 'ASI Member')
      await field(page, 'ASI Membership Number').fill('ASI-77')
    }
    const { before, after, asked } = await pay(page, total)
    expect(before).toEqual({
      Category: category,
      'Base Fee': base,
      'GST (18%)': gst,
      'Total Amount': total,
    })
    expect(asked).toBe(asAsked(total))
    expect(orderIdOf(page)).toMatch(/^CHIR\d{13}$/)
    expect(after).toMatchObject({
      Category: category,
      'Amount Paid (GST included)': total,
      Status: 'Paid',
      'Payment Date': expect.stringContaining('10 November 2025'),
    })
    expect(complaints).toEqual([])
    await context.close()
  },
)

// Demo prices, GST added.
const MIDZONE: readonly (readonly [
  category: string,
  pg: boolean,
  member: boolean,
  money: Money,
])[] = [
  ['AFPI Post Graduate', true, true, money('750', '135', '885')],
  ['Non-AFPI Post Graduate', true, false, money('900', '162', '1,062')],
  ['AFPI Delegate', false, true, money('1,000', '180', '1,180')],
  ['Non-AFPI Delegate', false, false, money('1,250', '225', '1,475')],
]

test.each(ALL_RUNS ? MIDZONE : MIDZONE.filter(([category]) => category === 'AFPI Post Graduate'))(
  'S069 S070 S071 S097 S110 S183: Kerala Mid Zone 2025 as %s, paid',
  async (category, pg, member, { base, gst, total }) => {
    const { page, context, complaints } = await visit(browser)
    await page.goto(`${server.url}/midzone2025`)
    await fillPerson(page, `Dr. ${category}`)
    await field(page, 'Address').fill('1, Sample Street\nKochi')
    if (pg) await yes(page, 'Are you a post graduate?')
    if (member) {
      await yes(page, 'AFPI Member')
      await field(page, 'AFPI Membership Number').fill('K-12')
    }
    const { before, after, asked } = await pay(page, total)
    expect(before).toEqual({ 'Base Fee': base, 'GST (18%)': gst, 'Total Amount': total })
    expect(asked).toBe(asAsked(total))
    expect(after).toMatchObject({
      Category: category,
      'Base Fee': base,
      'GST (18%)': gst,
      'Total Amount': total,
      Status: 'Paid',
    })
    expect(after['AFPI Membership Number']).toBe(member ? 'K-12' : undefined)
    expect(complaints).toEqual([])
    await context.close()
  },
)

test('S075 S076: the dashboard adds all of it up', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/admin/dashboard`)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('heading', { level: 2, name: 'AFPICON' }).waitFor()
  const sums = ALL_RUNS
    ? ([
        ['AFPICON', 5, '₹ 32,155'],
        ['Chirurgia 2026', 4, '₹ 20,650'],
        ['Kerala Mid Zone 2025', 4, '₹ 4,602'],
      ] as const)
    : ([
        ['AFPICON', 1, '₹ 7,080'],
        ['Chirurgia 2026', 1, '₹ 3,540'],
        ['Kerala Mid Zone 2025', 1, '₹ 885'],
      ] as const)
  for (const [panel, paid, revenue] of sums) {
    const figures = page.getByRole('region', { name: panel })
    for (const part of [`Total${paid}`, `Paid${paid}`, 'Pending0', 'Failed0', revenue])
      await expect
        .poll(async () => plain(await figures.textContent()), { message: panel })
        .toContain(part)
  }
  await expect
    .poll(async () => plain(await page.getByRole('main').textContent()))
    .toContain(ALL_RUNS ? '₹ 57,407' : '₹ 11,505')
  await context.close()
})
