/** A treasurer's day: payments that do not match, corrections that cause balances or refunds, and payouts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerThorough } from '../../runs.ts'
import { expectAccessible, launch, addSessionCookie, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { clickAtGateway } from '../delegate.ts'
import { findLink, openInbox } from '../inbox.ts'
import type { Inbox } from '../inbox.ts'
import { ADMIN, serve, serveAgain } from '../serve.ts'
import { findEntries, pressAction } from './registration-page.ts'
import type { TestServer } from '../serve.ts'
import { buildFixtureEvent } from '../../server/small-event.ts'

const EVENT = buildFixtureEvent({}).replace(
  'payment: {gateway: airpay, account: sample}',
  `payment:
  methods:
    - {id: card, gateway: airpay, account: sample}
    - id: transfer
      label: Bank transfer
      until: 2026-02-18
      instructions: Sample Society, account 50200012345678, IFSC MLBR0000032
      fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]
      expires_after: 10 days`,
)

let inbox: Inbox
let server: TestServer
/** The registration whose price was corrected downwards and is refunded. */
let correctedRegNo = ''
let browser: Browser
let visitor: Visit
let delegate: Visit

beforeAll(async () => {
  inbox = await openInbox()
  server = await serve(
    {
      CLOCK: '2026-01-28T11:00:00+05:30',
      SMTP_URL: inbox.url,
      MAIL_FROM: 'office@sample.example',
    },
    ({ eventsDir }) => writeFileSync(join(eventsDir, 'sample2026.yaml'), EVENT),
  )
  browser = await launch()
  visitor = await visit(browser)
  delegate = await visit(browser, { width: 360 })
  await addSessionCookie(visitor.context, server.url, ADMIN)
})
const closeVisit = async (): Promise<void> => {
  for (const { context } of [visitor, delegate]) await context.close()
}
afterAll(async () => {
  await closeVisit()
  await server.stop()
  await inbox.close()
})

/** Restarts the server an hour later with the same data. */
async function restartAnHourLater(): Promise<void> {
  await closeVisit()
  server = await serveAgain(server, { CLOCK: '2026-01-28T12:00:00+05:30' })
  visitor = await visit(browser)
  delegate = await visit(browser, { width: 360 })
  await addSessionCookie(visitor.context, server.url, ADMIN)
}

const findPanel = () => visitor.page.getByRole('region', { name: 'Actions' })
const findDialog = () => visitor.page.getByRole('dialog')
const press = (name: string) => pressAction(visitor.page, name)
const waitForStatus = (text: string) => findPanel().getByRole('status').getByText(text).waitFor()
const confirmAction = async (reason: string, button: string): Promise<void> => {
  await findDialog().getByLabel('Reason').fill(reason)
  await findDialog().getByRole('button', { name: button, exact: true }).click()
}
const openRegistration = async (regNo: string): Promise<void> => {
  await visitor.page.goto(`${server.url}/admin/events/sample2026/registrations/${regNo}`)
  await findPanel().locator('.state').waitFor()
}
const buildEmail = (n: number): string => `delegate${n}@example.org`

/** Registers through the API and returns the registration number, which is also the first order ID. */
async function registerDelegate(
  n: number,
  method: 'card' | 'transfer',
  isMember = false,
): Promise<string> {
  const registerResponse = await fetch(`${server.url}/api/sample2026/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: `Delegate ${n}`,
      email: buildEmail(n),
      phone_number: '9876500000',
      is_member: isMember,
      way: method,
    }),
  })
  const body = (await registerResponse.json()) as { readonly reg_no: string }
  expect(registerResponse.status, JSON.stringify(body)).toBe(201)
  return body.reg_no
}

/** Pays in the delegate's browser and returns the origin of the gateway's pages. */
async function payInBrowser(regNo: string, button: string): Promise<string> {
  const { page } = delegate
  await page.goto(`${server.url}/sample2026/payment/success?orderId=${regNo}`)
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.getByRole('heading', { level: 1, name: /^Pay ₹/ }).waitFor()
  const { origin } = new URL(page.url())
  await clickAtGateway(page, button)
  return origin
}

/** Makes the gateway resend its message about an order. */
async function resendGatewayMessage(orderId: string): Promise<void> {
  const response = await fetch(`${server.url}/api/payment/webhook/`, {
    method: 'POST',
    body: new URLSearchParams({ TRANSACTIONID: orderId, TRANSACTIONSTATUS: '200' }),
  })
  expect(response.status).toBe(200)
}

/** Reads the gateway's reference for a payment from the registration's office page. */
async function readReference(page: Page): Promise<string> {
  const confirmationText = page.getByText(/^The gateway confirmed .* reference \d+\.$/)
  return /reference (\d+)\.$/.exec((await confirmationText.first().textContent()) ?? '')?.[1] ?? ''
}

test('for payments that do not match, the treasurer accepts a transfer, refunds a card payment on the second attempt, and moves an unmatched payment to a delegate found by name', async () => {
  const { page } = visitor
  const shortRegNo = await registerDelegate(1, 'card')
  const gatewayUrl = await payInBrowser(shortRegNo, 'Pay the wrong amount')
  await delegate.page.getByRole('heading', { name: 'The organisers are checking' }).waitFor()
  await delegate.page.goto(`${gatewayUrl}/?order=${shortRegNo}`)
  await delegate.page
    .getByRole('button', { name: `Refuse the next refund of ${shortRegNo}` })
    .click()
  await delegate.page.getByText('Its next refund is refused.').waitFor()

  const transferRegNo = await registerDelegate(2, 'transfer')
  await openRegistration(transferRegNo)
  await press('Record payment')
  await findDialog().getByLabel('UTR or bank reference').fill('SBIN026028000001')
  await findDialog().getByLabel('Amount received').fill('3500')
  await findDialog().getByRole('button', { name: 'Record payment' }).click()
  await waitForStatus('needs review')
  await press('Accept as full payment (waive ₹\u00a040)')
  await expectAccessible(page, 'accepting a payment')
  await confirmAction('The bank took 40 rupees.', 'Accept as full payment (waive ₹\u00a040)')
  await waitForStatus('the registration is paid')
  await findPanel()
    .getByText(/^Paid in full/)
    .waitFor()
  await findEntries(page, 'The bank took 40 rupees.').first().waitFor()
  expect(await inbox.waitForEmail(buildEmail(2), 'you are registered as Non-member')).toContain(
    'application/pdf',
  )

  await page
    .getByRole('navigation', { name: 'Office' })
    .getByRole('link', { name: 'Payments' })
    .first()
    .click()
  await page.getByRole('link', { name: 'Needs review' }).click()
  const reviewRegion = page.getByRole('region', { name: shortRegNo })
  await reviewRegion.getByText('Payment: ').waitFor()
  await reviewRegion.getByRole('button', { name: 'Refund' }).click()
  await expectAccessible(page, 'refunding a payment in review')
  await confirmAction('He pays again.', 'Refund')
  const status = page.getByRole('main').getByRole('status')
  // A refusal is shown as an alert, not in the success colour, and receives focus.
  const refusal = page.getByRole('main').getByRole('alert')
  await refusal.getByText('The gateway rejected the refund').waitFor()
  await expect.poll(() => status.first().textContent()).toBe('')
  const readRefusalState = () =>
    refusal.evaluate((alert) => [
      getComputedStyle(alert).color,
      document.activeElement?.contains(alert) === true,
    ])
  await expect.poll(readRefusalState).toEqual(['rgb(169, 29, 29)', true])
  await reviewRegion.getByText('Gateway: Refused in the rehearsal').waitFor()
  await expectAccessible(page, 'payments in review')
  await reviewRegion.getByRole('button', { name: 'Request the refund again' }).click()
  await confirmAction('The gateway has been told.', 'Request the refund again')
  await status.getByText('The gateway has started the refund.').waitFor()
  await resendGatewayMessage(shortRegNo)
  await openRegistration(shortRegNo)
  await findEntries(page, /₹\u00a03,539 was refunded/)
    .first()
    .waitFor()

  // An unmatched bank payment is sent for review from the statement, found on the dashboard, and moved.
  const friendsRegNo = await registerDelegate(3, 'transfer')
  await page.goto(`${server.url}/admin/payments/statements`)
  await page.getByLabel('Bank statement (CSV or Excel)').setInputFiles({
    name: 'statement.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.\n28/01/26,NEFT FROM A FRIEND,SBIN026028000077,,"3,540.00"\n',
    ),
  })
  await page.getByRole('button', { name: 'Match payments' }).click()
  await page.getByRole('button', { name: 'Send for review line 2' }).click()
  await page.getByText('1 line sent for review.').waitFor()
  await page.goto(`${server.url}/admin/dashboard`)
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Unmatched payments' })
    .getByRole('link')
    .click()
  const unmatchedRegion = page.getByRole('region', { name: /^Payment C/ })
  await unmatchedRegion.getByText('NEFT FROM A FRIEND').waitFor()
  await unmatchedRegion.getByRole('button', { name: 'Assign to a registration' }).click()
  // Staff know only the name; the dialog finds the number.
  await findDialog().getByRole('combobox', { name: 'Other registration' }).fill('Delegate 3')
  await findDialog()
    .getByRole('option', { name: /Delegate 3/ })
    .waitFor()
  await page.keyboard.press('Enter')
  await findDialog().getByText('Moves the payment to Delegate 3.').waitFor()
  await expectAccessible(page, 'choosing where to move a payment')
  const numberField = findDialog().getByLabel('Other registration number')
  expect(await numberField.inputValue()).toBe(friendsRegNo)
  await confirmAction('Her friend paid.', 'Assign to a registration')
  await status.getByText('is now paid').waitFor()
  await page.getByText('No payments need review.').waitFor()
  await inbox.waitForEmail(buildEmail(3), 'you are registered as Non-member')
  expect([...visitor.consoleErrors, ...delegate.consoleErrors]).toEqual([])
})

// tests/browser/office/actions.test.ts covers the same task in smaller steps, on a server in the test
// process.
registerThorough(() => {
  test('the treasurer corrects a name, changes the category to a higher price (the delegate pays the balance through an emailed link) and to a lower one (with a refund), and transfers the registration, which revokes old links', async () => {
    const { page } = visitor
    const regNo = await registerDelegate(4, 'card', true)
    await payInBrowser(regNo, 'Pay')
    await delegate.page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    const oldLink = findLink(
      await inbox.waitForEmail(buildEmail(4), 'you are registered as Member'),
    )

    await openRegistration(regNo)
    await press('Edit answers')
    await findDialog().getByLabel('Answer to correct').selectOption('Full Name')
    await findDialog().getByLabel('Full Name').fill('Asha Nair')
    await confirmAction('Spelt wrongly.', 'Edit answers')
    await waitForStatus('Correction saved.')
    await page.getByRole('heading', { level: 1, name: 'Asha Nair' }).waitFor()

    const correctMembership = async (answer: 'Yes' | 'No', reason: string): Promise<void> => {
      await press('Edit answers')
      await findDialog().getByLabel('Answer to correct').selectOption('Member')
      await findDialog().getByRole('combobox', { name: 'Member', exact: true }).selectOption(answer)
      await confirmAction(reason, 'Edit answers')
      await findDialog()
        .getByRole('button', { name: 'Accept new price and save correction' })
        .click()
    }
    await correctMembership('No', 'The card is of last year.')
    await waitForStatus('The price is ₹\u00a02,360 higher.')
    const { page: delegatePage } = delegate
    await delegatePage.goto(
      findLink(await inbox.waitForEmail(buildEmail(4), 'have corrected your registration')),
    )
    await delegatePage.getByRole('button', { name: 'Pay ₹\u00a02,360 now' }).click()
    await clickAtGateway(delegatePage, 'Pay')
    await delegatePage.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await expect.poll(() => delegatePage.getByText('still to pay').count()).toBe(0)

    correctedRegNo = regNo
    await openRegistration(regNo)
    await findPanel()
      .getByText(/^Paid in full/)
      .waitFor()
    await correctMembership('Yes', 'Found the new card.')
    await waitForStatus('The price is ₹\u00a02,360 lower.')
    await findPanel().getByText('To refund: ₹\u00a02,360').waitFor()
    await press('Refund')
    await expect.poll(() => findDialog().getByLabel('Amount to refund').inputValue()).toBe('2360')
    await confirmAction('Corrected.', 'Refund')
    await waitForStatus('The gateway has started the refund.')
    await findPanel().getByText('To refund:').waitFor({ state: 'detached' })
    await press('Edit answers')
    await findDialog().getByLabel('Answer to correct').selectOption('Member')
    await findDialog().getByRole('combobox', { name: 'Member', exact: true }).selectOption('No')
    await confirmAction('One click too many.', 'Edit answers')
    await findDialog().getByRole('button', { name: 'Accept new price and save correction' }).click()
    await findDialog().getByText('A refund of this registration is in progress.').waitFor()
    await findDialog().getByRole('button', { name: 'Cancel', exact: true }).click()

    await press('Transfer to another person')
    await findDialog().getByLabel('Full Name').fill('Binu Das')
    await findDialog().getByLabel('Email Address').fill('binu@example.org')
    await findDialog().getByLabel('Phone Number').fill('9876511111')
    await confirmAction('A colleague comes instead.', 'Transfer to another person')
    await waitForStatus('Registration transferred.')
    await page.getByRole('heading', { level: 1, name: 'Binu Das' }).waitFor()
    await inbox.waitForEmail(buildEmail(4), 'to someone else')
    const newLink = findLink(
      await inbox.waitForEmail('binu@example.org', 'has been transferred to you'),
    )
    await delegatePage.goto(newLink)
    await delegatePage.getByText('Binu Das').first().waitFor()
    await delegatePage.goto(oldLink)
    await delegatePage.getByText('Binu Das').waitFor({ state: 'detached' })
    await delegatePage.getByText(/link/i).first().waitFor()
    expect([...visitor.consoleErrors, ...delegate.consoleErrors]).toEqual([])
  })
})

test('a settlement report shows paid and unpaid payouts, can be saved, and links to its registrations', async () => {
  const { page } = visitor
  const regNo = await registerDelegate(5, 'card', true)
  await payInBrowser(regNo, 'Pay')
  await delegate.page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await openRegistration(regNo)
  const reference = await readReference(page)
  await page.goto(`${server.url}/admin/payments/settlements?event=sample2026`)
  await page.getByRole('heading', { name: /^Paid, not settled yet/ }).waitFor()
  const utr = 'UTIBN26013000011'
  const report = [
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
    `${regNo},${reference},1180.00,20.00,3.60,1156.40,${utr},28-01-2026,Sale`,
    `ELSEWHERE1,777000111,590.00,10.00,1.80,578.20,${utr},28-01-2026,Sale`,
  ].join('\n')
  const uploadReport = async (): Promise<void> => {
    await page.getByLabel('Settlement report (CSV or Excel)').setInputFiles({
      name: 'settlement.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(report),
    })
    await page.getByRole('button', { name: 'Match payments' }).click()
  }
  await uploadReport()
  await page.getByText('1 unknown, 1 settled.').waitFor()
  const payoutsPanel = page.getByRole('region', { name: 'Payouts' })
  await payoutsPanel.getByText('₹\u00a01,734.60').waitFor()
  await page.getByText('No registration has this order.').waitFor()
  await expectAccessible(page, 'a settlement report')
  await page.setViewportSize({ width: 360, height: 800 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: 'Save 2 lines' }).click()
  const savedText = page.getByText('2 lines saved, 1 line sent for review.')
  await expect
    .poll(() => savedText.evaluate((text) => getComputedStyle(text).color))
    .toBe('rgb(14, 95, 54)')
  await uploadReport()
  await page.getByText('All lines are already saved.').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Needs review (1)' }).waitFor()
  await expectAccessible(page, 'saved settlements')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export settlements (CSV)' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^sample2026_settlements_.*\.csv$/)
  await openRegistration(regNo)
  const payoutsRegion = page.getByRole('region', { name: 'Payouts' })
  await payoutsRegion.getByText(`${reference}, ${utr}`).waitFor()

  // On a phone, rows can be selected in selection mode.
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${server.url}/admin/sample2026`)
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const row of [0, 1]) await page.getByRole('checkbox').nth(row).check()
  await expectAccessible(page, 'selected rows on a phone')
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  const selectionBar = page.getByRole('group', { name: 'Selected registrations' })
  await selectionBar.getByRole('button', { name: 'Add note' }).click()
  await findDialog().getByLabel('Note').fill('Both came by bus.')
  await findDialog().getByRole('button', { name: 'Add note' }).click()
  await page.getByText('2 done.').waitFor()
  await page.setViewportSize({ width: 1280, height: 900 })
  expect([...visitor.consoleErrors, ...delegate.consoleErrors]).toEqual([])
})

registerThorough(() => {
  test('a refund after a correction is complete once the gateway confirms it', async () => {
    await restartAnHourLater()
    const { page } = visitor
    const countRefundEntries = async (): Promise<number> => {
      await openRegistration(correctedRegNo)
      return findEntries(page, /₹\u00a02,360 was refunded/).count()
    }
    await expect.poll(countRefundEntries, { timeout: 200_000, interval: 500 }).toBe(1)
    await findPanel()
      .getByText(/^Paid in full/)
      .waitFor()
    expect(visitor.consoleErrors).toEqual([])
  })
})
