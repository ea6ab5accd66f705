/** A delegate who pays twice: the second confirmation, the refund request and the office pages. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixtureDelegate, buildFixtureEvent } from '../server/small-event.ts'
import { findLayoutProblemsAtAnyWidth } from './layout-boxes.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import { clickAtGateway, findField, findPayButton, waitForHydration } from './delegate.ts'
import { findEntries, pressAction } from './office/registration-page.ts'
import { findLink, openInbox } from './inbox.ts'
import type { Inbox } from './inbox.ts'
import { ADMIN, createPaymentLink, serve } from './serve.ts'
import type { TestServer } from './serve.ts'

const EMAIL = 'paid.twice@sample.example'

let inbox: Inbox
let server: TestServer
let browser: Browser

beforeAll(async () => {
  inbox = await openInbox()
  server = await serve(
    { SMTP_URL: inbox.url, MAIL_FROM: 'no-reply@example.org', CLOCK: '2026-01-10' },
    ({ eventsDir }) => writeFileSync(join(eventsDir, 'sample2026.yaml'), buildFixtureEvent()),
  )
  browser = await launch()
})
afterAll(async () => {
  await server.stop()
  await inbox.close()
})

/**
 * Registers, pays and returns the registration number. `paidRegNo` is the registration that this person has already
 * paid; the page must mention it before the payment.
 */
const registerAndPay = async (page: Page, name: string, paidRegNo?: string): Promise<string> => {
  const registerResponse = await fetch(`${server.url}/api/sample2026/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...fixtureDelegate, full_name: name, email: EMAIL }),
  })
  const { reg_no: regNo } = (await registerResponse.json()) as { readonly reg_no: string }
  await page.goto(createPaymentLink(server, regNo, '2026-02-10'))
  const payButton = page.getByRole('button', { name: /^Pay .* now$/ })
  await payButton.click()
  if (paidRegNo !== undefined) {
    const warning = `You have already paid for another registration: ${paidRegNo}, ₹ 1,180, on 10 January 2026.`
    await page.getByRole('alert').filter({ hasText: warning }).waitFor()
    await payButton.click()
  }
  await clickAtGateway(page, 'Pay')
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  return regNo
}
const findRegion = (page: Page, name: string) => page.getByRole('region', { name })

test('one button requests the refund of a second payment, another withdraws the request, and one button in the office refunds the payment in full', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  const firstRegNo = await registerAndPay(page, 'Dr Paid Twice')
  const sentence =
    'If you paid twice by mistake, use the link in your confirmation email to request a refund.'
  await page.getByText(sentence).waitFor()
  const secondRegNo = await registerAndPay(page, 'PAID TWICE', firstRegNo)
  await page.getByText(sentence).waitFor()
  await page.goto(findLink(await inbox.waitForEmail(EMAIL, 'This is the second payment')))
  const panel = findRegion(page, 'You have paid twice')
  await panel
    .getByText(
      `for this name and email address: ₹ 1,180. You had already paid ₹ 1,180 for registration ${firstRegNo}.`,
    )
    .waitFor()
  const headings = page.getByRole('heading', { level: 2 })
  await expect
    .poll(async () => (await headings.allTextContents()).slice(0, 2))
    .toEqual(['You have paid twice', 'Registration Confirmed'])
  await expect.poll(() => page.getByText('cancellation').count()).toBe(0)
  expect(await findLayoutProblemsAtAnyWidth(page), 'a second payment').toEqual([])
  await panel.getByRole('button', { name: 'Request a refund' }).click()
  await panel.getByText('You requested a refund of ₹ 1,180 on 10 January 2026').waitFor()
  await expectAccessible(page, 'a requested refund')
  await panel.getByRole('button', { name: 'Withdraw the request' }).click()
  await panel.getByText('You have withdrawn your request. Nothing will be refunded.').waitFor()
  await expectAccessible(page, 'a withdrawn refund request')
  await panel.getByRole('button', { name: 'Request a refund' }).click()
  await panel.getByText('You requested a refund of ₹ 1,180 on 10 January 2026').waitFor()

  await page.goto(`${server.url}/admin/login`)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Possible duplicate payments').waitFor()
  await page.goto(`${server.url}/admin/events/sample2026/registrations/${secondRegNo}`)
  await page.getByText('The same person (name and email) also paid for').waitFor()
  const actionsRegion = findRegion(page, 'Actions')
  await findEntries(page, 'Refund request withdrawn').first().waitFor()
  await findEntries(page, 'Refund requested').first().waitFor()
  await actionsRegion
    .getByText('The delegate requested a refund of ₹ 1,180 on 10 Jan 2026.')
    .waitFor()
  await actionsRegion
    .getByText('This is a second payment.')
    .getByRole('link', { name: firstRegNo })
    .waitFor()
  await pressAction(page, 'Cancel registration')
  const cancelDialog = page.getByRole('dialog')
  await cancelDialog.getByText('This is a second payment').waitFor()
  await expect.poll(() => cancelDialog.getByLabel('Amount to refund').inputValue()).toBe('1180')
  await cancelDialog.getByRole('button', { name: 'Keep registration' }).click()
  expect(await findLayoutProblemsAtAnyWidth(page), 'a second payment in the office').toEqual([])
  await page.getByText('also paid for').getByRole('link', { name: firstRegNo }).click()
  await page.getByRole('heading', { level: 1, name: 'Dr Paid Twice' }).waitFor()
  await page.getByText('also paid for').getByRole('link', { name: secondRegNo }).waitFor()
  await page.goto(`${server.url}/admin/payments?tab=review`)
  await page.getByRole('link', { name: '1 refund request for a second payment' }).click()
  await page.getByRole('row', { name: secondRegNo }).getByText('Refund requested').waitFor()
  await expect.poll(() => page.getByText('Refund requested').count()).toBe(1)
  await page.goto(`${server.url}/admin/events/sample2026/registrations/${secondRegNo}`)
  await actionsRegion.getByRole('button', { name: 'Refund ₹ 1,180 in full' }).click()
  await actionsRegion.getByText('The gateway has started the refund.').waitFor()
  await findEntries(page, `Second payment of the same person: the first is ${firstRegNo}.`)
    .first()
    .waitFor()
  await expect.poll(() => actionsRegion.getByRole('button', { name: /in full$/ }).count()).toBe(0)
  await actionsRegion.getByText('The delegate requested a refund on 10 Jan 2026.').waitFor()
  await expectAccessible(page, 'a refunded second payment')
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('if two tabs submit the same form at the same time, one of them asks for confirmation before it opens the gateway', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  const tabs = [page, await context.newPage()]
  const person = { full_name: 'Dr Two Tabs', email: 'two.tabs@sample.example' }
  for (const tab of tabs) {
    await tab.goto(`${server.url}/sample2026`)
    await waitForHydration(tab)
    await findField(tab, 'Full Name').fill(person.full_name)
    await findField(tab, 'Email Address').fill(person.email)
    await findField(tab, 'Phone Number').fill('+91 98470 00000')
  }
  await Promise.all(tabs.map((tab) => findPayButton(tab).click()))
  const title = { name: 'Register and pay again?' }
  const hasDuplicateDialog = (tab: Page) => tab.getByRole('dialog', title).isVisible()
  await expect
    .poll(async () => (await Promise.all(tabs.map(hasDuplicateDialog))).filter(Boolean))
    .toHaveLength(1)
  const [isDialogInFirstTab] = await Promise.all(tabs.map(hasDuplicateDialog))
  const [payingTab, dialogTab] = isDialogInFirstTab === true ? tabs.toReversed() : tabs
  if (payingTab === undefined || dialogTab === undefined) throw new Error('a tab is missing')
  const dialog = dialogTab.getByRole('dialog', title)
  await dialog.getByText('Its payment of ₹ 3,540 may be in progress').waitFor()
  expect(await findLayoutProblemsAtAnyWidth(dialogTab), 'the question').toEqual([])
  await expectAccessible(dialogTab, 'the question')
  await dialog.getByRole('button', { name: 'Back to the form' }).click()
  await clickAtGateway(payingTab, 'Pay')
  await payingTab.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await findPayButton(dialogTab).click()
  await dialog.getByText('You have already registered and paid: registration SMPL').waitFor()
  await dialog.getByRole('button', { name: 'Register and pay again' }).click()
  await clickAtGateway(dialogTab, 'Pay')
  const panel = findRegion(dialogTab, 'You have paid twice')
  await panel.getByText('You had already paid ₹ 3,540 for registration SMPL').waitFor()
  await panel.getByRole('button', { name: 'Request a refund' }).click()
  await panel.getByText('You requested a refund of ₹ 3,540 on 10 January 2026').waitFor()
  expect(
    await findLayoutProblemsAtAnyWidth(dialogTab),
    'the success page of a second payment',
  ).toEqual([])
  expect(consoleErrors.filter((text) => !text.includes('409'))).toEqual([])
  await context.close()
})
