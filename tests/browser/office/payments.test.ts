/** A treasurer's month end in the browser, counted in clicks, and a decision on several payments at once. */
import { readFileSync } from 'node:fs'
import { unzipSync } from 'fflate'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatMoney, INR, toAmount } from '../../../engine/index.ts'
import { cheapHash, noon, PASSWORD, register } from '../../server/office/office.ts'
import { createJanuary } from '../../server/office/payments/january.ts'
import type { January } from '../../server/office/payments/january.ts'
import { expectAccessible, launch, visit } from '../browser.ts'

let january: January
let browser: Browser
beforeAll(async () => {
  january = await createJanuary({ payments: 56, refunds: 4 })
  const { deps, now } = january.test
  await deps.store.addAdmin('office', await cheapHash(PASSWORD), now())
  for (const n of [900, 901, 902])
    await register(january.test, 'sample2026', {
      n,
      on: noon(`2026-01-2${n - 900}`),
      answers: {
        full_name: `Short ${n}`,
        email: `short${n}@example.org`,
        phone_number: '+919876500000',
        is_member: true,
      },
      pays: 'wrong-amount',
    })
  browser = await launch()
})
afterAll(async () => {
  await january.test.close()
})

test('payments of January in two clicks, amounts due in one, the file for the accountant in two', async () => {
  const url = await january.test.app.listen({ host: '127.0.0.1', port: 0 })
  const { page, context, consoleErrors } = await visit(browser, { width: 1280 })
  await page.goto(`${url}/admin/dashboard`)
  await page.getByLabel('Username').fill('office')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()

  // Two clicks: the page, and the month.
  // The last is that of all events, below the pages of the event.
  await page.getByRole('link', { name: 'Payments', exact: true }).last().click()
  await page.getByLabel('Paid on').selectOption({ label: 'Last month (January 2026)' })
  const sums = [...january.expected.values()]
  const net = sums.reduce((sum, { received, refunded }) => sum + received - refunded, 0)
  await page.getByRole('status').filter({ hasText: '1–31 January 2026' }).waitFor()
  await page
    .getByText(formatMoney(toAmount(net), INR))
    .first()
    .waitFor()
  await page.getByRole('row', { name: 'Total: 59 payments' }).waitFor()
  await expectAccessible(page, 'payments of a month')

  // Two clicks: the month, and its file.
  await page.getByRole('link', { name: 'Close month' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export for the accountant' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('accounts_2026-01.zip')
  expect(Object.keys(unzipSync(new Uint8Array(readFileSync(await file.path()))))).toHaveLength(12)
  await expectAccessible(page, 'the close of a month')
  await page.getByRole('button', { name: 'Close the month' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close the month' }).click()
  await page.getByText('January 2026 is closed.').waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain('January 2026 is closed.')
  await page.getByText('Second 2026: closed by office').waitFor()

  // Three payments with the same difference are one decision.
  await page.getByRole('link', { name: '3 payments need review' }).click()
  await page.getByRole('button', { name: 'Select 3: ' }).click()
  const bar = page.getByRole('group', { name: 'Selected payments' })
  await bar.getByRole('button', { name: 'Accept as full payment' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Under review').waitFor()
  await expectAccessible(page, 'a decision on several payments')
  await dialog.getByLabel('Reason').fill('Agreed with the committee.')
  await dialog.getByRole('button', { name: 'Accept as full payment' }).click()
  await page.getByRole('status').getByText('3 of 3 payments decided.').waitFor()
  await page.getByText('No payments need review.').waitFor()

  // One click: the amounts due.
  await page.setViewportSize({ width: 360, height: 800 })
  await page.getByRole('link', { name: 'Due', exact: true }).click()
  await page.getByText('Nothing is due.').waitFor()
  await page.getByRole('link', { name: 'Refunds', exact: true }).click()
  await page.getByText('No refund is open.').waitFor()
  await page.getByRole('link', { name: 'All payments' }).first().click()
  await page.getByLabel('Paid on').waitFor()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  expect(consoleErrors).toEqual([])
  await context.close()
})
