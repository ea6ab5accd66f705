/** The recovery page, used by keyboard, and a payment for an order that is not in the database. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instant, toAmount } from '../../../engine/index.ts'
import { expectAccessible, launch, visit } from '../browser.ts'
import { fixtureDelegate, buildFixtureEvent } from '../../server/small-event.ts'
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { hashCheaply, PASSWORD } from '../../server/office/office.ts'

let server: TestApp
let browser: Browser
let url = ''

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: {
      'sample2026.yaml': buildFixtureEvent(),
      'free2026.yaml': buildFixtureEvent({
        id: 'free2026',
        prefix: 'FREE',
        payment: 'none',
        title: 'Free 2026',
      }),
    },
  })
  const { store } = server.deps
  for (const [name, role] of [
    ['owner', 'owner'],
    ['desk', 'desk'],
  ] as const)
    await store.addAdmin(name, await hashCheaply(PASSWORD), server.now(), { role, events: null })
  // The restored copy contains the first registration's queued email.
  await server.post('/api/free2026/register/', { ...fixtureDelegate, email: 'asha@example.org' })
  await server.post('/api/sample2026/register/', { ...fixtureDelegate, email: 'ravi@example.org' })
  const restoredAt = instant(server.now() + 60_000)
  const reason = 'The database was restored from a backup made on 10 January 2026, 11:00 am.'
  const startedRecovery = {
    at: restoredAt,
    who: 'rollcall',
    why: reason,
    copyAt: restoredAt,
    servedAt: null,
    taken: [],
  }
  await store.beginRecovery(startedRecovery, null)
  await store.reviewUnknownPayment({
    orderId: 'SMPL900000000019',
    eventId: 'sample2026',
    source: 'airpay',
    account: 'sample',
    payer: { name: 'Meera Sample', email: 'meera@example.org', phone: '', way: 'UPI' },
    refunded: toAmount(0),
    at: restoredAt,
    money: [
      {
        reference: '900000077',
        amount: toAmount(118_000),
        currency: 'INR',
        kind: 'sale',
        paidAt: restoredAt,
      },
    ],
  })
  browser = await launch()
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => server.close())

const signIn = async (page: Page, name: string, path: string): Promise<void> => {
  await page.goto(`${url}${path}`)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign In' }).click()
}
const readFocusedTag = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.tagName)
const hasNoScroll = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)

test('a user who is not an owner sees that emails are held and who can end the recovery', async () => {
  const { page, context } = await visit(browser, { width: 360 })
  await signIn(page, 'desk', '/admin/system/emails')
  await page.getByText('Only an owner can end the recovery.').waitFor()
  const emailItems = page.getByRole('region', { name: 'Emails' }).getByRole('listitem')
  await emailItems.filter({ hasText: 'asha@example.org' }).getByText('Held').waitFor()
  await page.goto(`${url}/admin/system/recovery`)
  await page.getByText('You do not have access to this page.').waitFor()
  await page.getByText('the role “Owner of all events”').waitFor()
  await context.close()
})

test('an owner sees the differences, decides on a payment for an unknown order, and ends the recovery by keyboard', async () => {
  const { page, context, consoleErrors } = await visit(browser, { width: 360 })
  await signIn(page, 'owner', '/admin/dashboard')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.getByRole('link', { name: 'Go to Recovery' }).click()
  await page.getByRole('heading', { level: 1, name: 'Recovery' }).waitFor()
  await page
    .getByText('The database was restored from a backup made on 10 January 2026, 11:00 am.')
    .waitFor()
  await page.getByRole('region', { name: 'Held emails' }).getByText('asha@example.org').waitFor()
  await expectAccessible(page, 'a recovery')
  await expect.poll(() => hasNoScroll(page)).toBe(true)

  await page.getByRole('link', { name: '1 in Needs review' }).click()
  await page.getByText('SMPL900000000019').waitFor()
  await page.getByText('Meera Sample, meera@example.org, UPI').waitFor()
  await expectAccessible(page, 'a payment for an unknown order')
  await expect.poll(() => hasNoScroll(page)).toBe(true)
  await page.getByRole('button', { name: 'Ignore (not ours)' }).click()
  await page.getByLabel('Reason').fill('Paid back by hand.')
  await page.getByRole('dialog').getByRole('button', { name: 'Ignore (not ours)' }).click()
  await page
    .getByText('Payment ignored. It is not applied to any registration and is not refunded.')
    .waitFor()

  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Recovery', exact: true }).click()
  const endButton = page.getByRole('button', { name: 'End recovery' })
  await endButton.waitFor()
  // Presses Tab from the focused heading to the button, and then through the dialog.
  await expect.poll(() => readFocusedTag(page)).toBe('H1')
  await page.keyboard.press('Tab')
  await expect
    .poll(() => endButton.evaluate((button) => button === document.activeElement))
    .toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await expectAccessible(page, 'ending a recovery')
  await expect.poll(() => hasNoScroll(page)).toBe(true)
  await page.keyboard.press('Escape')
  await expect
    .poll(() => endButton.evaluate((button) => button === document.activeElement))
    .toBe(true)
  await page.keyboard.press('Enter')
  await expect.poll(() => readFocusedTag(page)).toBe('INPUT')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => page.getByLabel('Discard all').isChecked()).toBe(true)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.getByText('The recovery has ended. Held emails: 1 to be sent, 0 discarded.').waitFor()
  await page.getByText('The installation is not in recovery.', { exact: false }).waitFor()
  await page
    .getByRole('region', { name: 'Earlier recoveries' })
    .getByText('ended by owner')
    .waitFor()
  expect(await server.mailer.run()).toBe(1)
  expect(consoleErrors).toEqual([])
  await context.close()
})
