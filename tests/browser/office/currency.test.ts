/** An event priced in Kuwaiti dinars (three decimal places): form, transfer, self-service page and office pages. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSessionCookie, launch, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { toPlainText, waitForHydration } from '../delegate.ts'
import { ADMIN, serve, ROOT } from '../serve.ts'
import type { TestServer } from '../serve.ts'

const EVENT_FILE = 'lekhacon2027.yaml'

/**
 * Returns an event file from tests/events with its prices in dinars. The member price is 40.125 without tax and
 * 47.348 with tax.
 */
function buildEventFile(): string {
  const source = readFileSync(join(ROOT, 'tests', 'events', EVENT_FILE), 'utf8')
  return [
    ['format: 1\n', 'format: 1\ncurrency: KWD\n'],
    ['member:     [4000, 5000]', 'member:     [40.125, 50]'],
    ['non-member: [6000, 7000]', 'non-member: [60, 70]'],
    ['records: [1000, 1000], writing: [1500, 1500]', 'records: [10, 10], writing: [15, 15]'],
    ['    - {id: card, gateway: airpay, account: lekhacon, until: 2027-02-18}\n', ''],
    ['        UPI lekhacon@mlbr\n', ''],
    ['label: NEFT, IMPS or UPI', 'label: Bank transfer'],
    ['closes: 2027-02-18', 'closes: 2027-02-05'],
    ['      price_date: credit\n', ''],
    [/\nexamples:[^]*$/, '\n'],
  ].reduce((text, [from, to]) => text.replace(from ?? '', String(to)), source)
}

let browser: Browser
let server: TestServer
let delegate: Visit
let office: Visit
beforeAll(async () => {
  server = await serve({ CLOCK: '2027-01-10T11:00:00+05:30' }, ({ eventsDir }) =>
    writeFileSync(join(eventsDir, EVENT_FILE), buildEventFile()),
  )
  browser = await launch()
  delegate = await visit(browser)
  office = await visit(browser)
  await addSessionCookie(office.context, server.url, ADMIN)
})
afterAll(async () => {
  for (const openVisit of [delegate, office]) await openVisit.context.close()
  await server.stop()
})

const readText = async (page: Page): Promise<string> =>
  toPlainText(await page.locator('body').innerText())
async function expectDinars(page: Page, ...amounts: readonly string[]): Promise<void> {
  for (const amount of amounts) await expect.poll(() => readText(page)).toContain(amount)
  expect(await readText(page)).not.toContain('₹')
}

test('an event priced in dinars shows every amount in dinars', async () => {
  const { page } = delegate
  await page.goto(`${server.url}/lekhacon2027`)
  await waitForHydration(page)
  await expectDinars(page, 'KWD 40.125', 'KWD 60')
  await page.getByLabel('Full name').fill('Asha Nair')
  await page.getByLabel('Email').fill('asha@delegate.example')
  await page.getByLabel('Phone').fill('9847000000')
  await page.getByRole('radio', { name: /^Member/ }).check()
  await expectDinars(page, 'KWD 7.223', 'KWD 47.348')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
  await expectDinars(page, 'KWD 47.348')
  const regNo = /LEKH\d+/.exec(await readText(page))?.[0] ?? ''

  const { page: officePage } = office
  await officePage.goto(`${server.url}/admin/events/lekhacon2027/registrations/${regNo}`)
  await officePage.getByRole('button', { name: 'Record payment' }).click()
  const dialog = officePage.getByRole('dialog')
  await dialog.getByLabel('Bank reference').fill('512345678901')
  await dialog.getByLabel('Amount received (KWD)').fill('47.348')
  await dialog.getByRole('button', { name: 'Record payment' }).click()
  await officePage.getByText('is paid.').waitFor()
  await expectDinars(officePage, 'KWD 40.125', 'KWD 47.348')
  await officePage.getByRole('button', { name: 'Refund' }).click()
  await expect.poll(() => dialog.getByLabel('Amount to refund (KWD)').inputValue()).toBe('47.348')
  await dialog.getByLabel('Amount to refund (KWD)').fill('1.005')
  await dialog.getByLabel('Transfer reference or slip number').fill('R1')
  await dialog.getByLabel('Reason', { exact: true }).fill('A discount was forgotten.')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await officePage.getByText('KWD 1.005 was refunded').first().waitFor()

  await officePage.goto(`${server.url}/admin/lekhacon2027`)
  await expectDinars(officePage, 'KWD 47.348', 'KWD 46.343 net received')
  await officePage.goto(`${server.url}/admin/dashboard`)
  await expect.poll(() => readText(officePage)).toContain('Total revenue KWD 46.343')

  await page.reload()
  await page.getByRole('heading', { name: 'You Are Registered' }).waitFor()
  await expectDinars(page, 'KWD 47.348', 'KWD 1.005')
})
