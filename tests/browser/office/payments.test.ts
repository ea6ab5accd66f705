/** A treasurer's month-end close, counted in clicks, and one decision that covers several payments. */
import { readFileSync } from 'node:fs'
import { unzipSync } from 'fflate'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatMoney, INR, toAmount } from '../../../engine/index.ts'
import { hashCheaply, toNoon, PASSWORD, register, signIn } from '../../server/office/office.ts'
import { createJanuary, EVENT_IDS } from '../../server/office/payments/january.ts'
import type { January } from '../../server/office/payments/january.ts'
import { expectAccessible, holdRequests, launch, visit } from '../browser.ts'
import { countClicks } from './registration-page.ts'

let january: January
let browser: Browser
let url = ''
beforeAll(async () => {
  january = await createJanuary({ payments: 56, refunds: 4 })
  const { deps, now } = january.server
  await deps.store.addAdmin('office', await hashCheaply(PASSWORD), now())
  for (const n of [900, 901, 902])
    await register(january.server, 'sample2026', {
      n,
      on: toNoon(`2026-01-2${n - 900}`),
      answers: {
        full_name: `Short ${n}`,
        email: `short${n}@example.org`,
        phone_number: '+919876500000',
        is_member: true,
      },
      pays: 'wrong-amount',
    })
  url = await january.server.app.listen({ host: '127.0.0.1', port: 0 })
  browser = await launch()
})
afterAll(async () => {
  await january.server.close()
})

async function signInAtHome(page: Page): Promise<void> {
  await page.goto(`${url}/admin/dashboard`)
  await page.getByLabel('Username').fill('office')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}

test('two clicks show the payments for January, one shows the amounts due, and two export the file for the accountant', async () => {
  const { page, context, consoleErrors } = await visit(browser, { width: 1280 })
  await signInAtHome(page)

  // Two clicks: the page, and the month. The last “Payments” link opens the page for all events.
  await page.getByRole('link', { name: 'Payments', exact: true }).last().click()
  await page.getByLabel('Paid on').selectOption({ label: 'Last month (January 2026)' })
  const expectedTotals = [...january.expected.values()]
  const expectedNet = expectedTotals.reduce(
    (sum, { received, refunded }) => sum + received - refunded,
    0,
  )
  await page.getByRole('status').filter({ hasText: '1–31 January 2026' }).waitFor()
  await page
    .getByText(formatMoney(toAmount(expectedNet), INR))
    .first()
    .waitFor()
  // The total under the column includes payments under review, which do not count as received.
  await page
    .getByRole('row', { name: /Total: 59 payments.*, including ₹.* under review/ })
    .waitFor()
  await expectAccessible(page, 'payments for a month')

  // Two clicks: the month, and its file.
  await page.getByRole('link', { name: 'Close month' }).click()
  const releaseFile = await holdRequests(page, '**/months/export/**')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export for the accountant' }).click()
  await page.getByRole('progressbar', { name: 'Exporting…' }).waitFor()
  releaseFile()
  const file = await download
  expect(file.suggestedFilename()).toBe('accounts_2026-01.zip')
  expect(Object.keys(unzipSync(new Uint8Array(readFileSync(await file.path()))))).toHaveLength(13)
  await expectAccessible(page, 'the month-end close')
  await page.getByRole('button', { name: 'Close the month' }).click()
  const closeDialog = page.getByRole('dialog')
  await closeDialog.getByRole('link', { name: '3 payments need review' }).waitFor()
  await closeDialog.getByRole('button', { name: 'Close the month' }).click()
  await page.getByText('January 2026 is closed.').waitFor()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain('January 2026 is closed.')
  await page.getByText('Second 2026: closed by office').waitFor()

  // One decision covers three payments with the same difference.
  await page.getByRole('link', { name: '3 payments need review' }).click()
  await page.getByRole('button', { name: 'Select 3: ' }).click()
  const bar = page.getByRole('group', { name: 'Selected payments' })
  await bar.getByRole('button', { name: 'Accept as full payment' }).click()
  const dialog = page.getByRole('dialog')
  // On a registration's page, "Received" totals only payments that count, and these do not count yet.
  await dialog.getByText('These payments').waitFor()
  await dialog.getByText('Under review').waitFor()
  await expectAccessible(page, 'a decision on several payments')
  await dialog.getByLabel('Reason').fill('Agreed with the committee.')
  const releaseDecisions = await holdRequests(page, '**/decide/')
  await dialog.getByRole('button', { name: 'Accept as full payment' }).click()
  await dialog.getByRole('progressbar', { name: '0 of 3 reviewed' }).waitFor()
  releaseDecisions()
  await page.getByRole('status').getByText('3 of 3 payments reviewed.').waitFor()
  await page.getByText('No payments need review.').waitFor()

  // One click: the amounts due.
  await page.setViewportSize({ width: 360, height: 800 })
  await page.getByRole('link', { name: 'Due', exact: true }).click()
  await page.getByText('No payments are due.').waitFor()
  // Only the delegates of the chosen event are reminded.
  await page.getByRole('combobox', { name: 'Event' }).selectOption('Second 2026')
  await expect.poll(() => new URL(page.url()).searchParams.get('event')).toBe('second2026')
  await page.getByRole('link', { name: 'Refunds', exact: true }).click()
  await page.getByText('No open refunds.').waitFor()
  await page.getByRole('link', { name: 'All payments' }).first().click()
  await page.getByLabel('Paid on').waitFor()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('from Home, one click shows whether a doctor has paid or finds a phone number, one shows the amounts due for two events, and three remind all delegates', async () => {
  const people = [
    { event: EVENT_IDS[0], name: 'Dr. Meera Nair', phone: '+919847012345', isPaid: true },
    { event: EVENT_IDS[0], name: 'Anil Kumar', phone: '+919847054321', isPaid: false },
    { event: EVENT_IDS[1], name: 'Binu Thomas', phone: '+919847098765', isPaid: false },
  ]
  const regNos: string[] = []
  for (const [index, { event, name, phone, isPaid }] of people.entries()) {
    const regNo = await register(january.server, event, {
      n: 910 + index,
      on: toNoon('2026-01-31'),
      answers: {
        full_name: name,
        email: `person${index}@example.org`,
        phone_number: phone,
        is_member: true,
      },
      ...(isPaid && { pays: 'success' as const }),
    })
    regNos.push(regNo)
  }
  const colleague = await signIn(january.server)
  const { page, context, consoleErrors } = await visit(browser, { width: 1280 })
  await signInAtHome(page)
  const search = page.getByRole('combobox', { name: 'Find people, pages and actions' })
  const results = page.getByRole('listbox', { name: 'Results' })
  const searchFor = (text: string, result: RegExp): Promise<number> =>
    countClicks(page, async () => {
      await search.click()
      await search.fill(text)
      await results.getByRole('option', { name: result }).waitFor()
      expect(await results.getByRole('option', { name: /SMPL|SCND/ }).count()).toBe(1)
    })
  expect(
    await searchFor('Dr Meera Nair', /Dr\. Meera Nair.*Paid on 31 Jan 2026/),
  ).toBeLessThanOrEqual(1)
  expect(await searchFor('98470 98765', /Binu Thomas.*98470.?98765/)).toBeLessThanOrEqual(1)
  await page.keyboard.press('Escape')

  const dueClicks = await countClicks(page, async () => {
    await page.getByRole('link', { name: 'Amounts due' }).click()
    await page.getByText(`${formatMoney(toAmount(236_000), INR)} due on 2 registrations`).waitFor()
  })
  expect(dueClicks).toBeLessThanOrEqual(1)
  for (const event of ['Sample 2026', 'Second 2026'])
    await page.getByRole('row', { name: `${event}: 1 registration` }).waitFor()
  const reminderClicks = await countClicks(page, async () => {
    await page.getByRole('button', { name: 'Remind all 2' }).click()
    const sendButton = page.getByRole('dialog').getByRole('button', { name: 'Send 2 reminders' })
    await sendButton.waitFor()
    expect(await colleague.act(regNos[1] ?? '', { act: 'send_pay_link' })).toMatchObject({
      status: 200,
    })
    await sendButton.click()
    await page.getByText('1 reminder sent. 1 already reminded in the last 24 hours.').waitFor()
  })
  expect(dueClicks + reminderClicks).toBeLessThanOrEqual(3)
  // The server's clock is used: both were reminded a moment ago, although the browser's clock is months ahead.
  await page.getByRole('button', { name: 'Remind all 2' }).click()
  await page.getByRole('dialog').getByText('2 delegates will not get a reminder').waitFor()
  expect(await page.getByRole('button', { name: 'Send 0 reminders' }).isDisabled()).toBe(true)
  expect(consoleErrors).toEqual([])
  await context.close()
})
