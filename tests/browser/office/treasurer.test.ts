/** A treasurer's day in a browser, on a server process of its own with SMTP: money that does not fit, what is corrected and paid or paid back, and what the gateway paid into the bank. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onlyThorough } from '../../runs.ts'
import { expectAccessible, launch, signedIn, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { atGateway } from '../delegate.ts'
import { linkIn, openInbox } from '../inbox.ts'
import type { Inbox } from '../inbox.ts'
import { ADMIN, serve, serveAgain } from '../serve.ts'
import type { Served } from '../serve.ts'
import { fixtureEvent } from '../../server/small-event.ts'

const EVENT = fixtureEvent({}).replace(
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
let served: Served
/** What has been corrected downwards, and is paid back. */
let corrected = ''
let browser: Browser
let here: Visit
let delegate: Visit

beforeAll(async () => {
  inbox = await openInbox()
  served = await serve(
    {
      CLOCK: '2026-01-28T11:00:00+05:30',
      SMTP_URL: inbox.url,
      MAIL_FROM: 'office@sample.example',
    },
    ({ eventsDir }) => writeFileSync(join(eventsDir, 'sample2026.yaml'), EVENT),
  )
  browser = await launch()
  here = await visit(browser)
  delegate = await visit(browser, { width: 360 })
  await signedIn(here.context, served.url, ADMIN)
})
const leave = async (): Promise<void> => {
  for (const { context } of [here, delegate]) await context.close()
}
afterAll(async () => {
  await leave()
  await served.stop()
  await inbox.close()
})

/** The same data in a server that is started again an hour later. */
async function anHourLater(): Promise<void> {
  await leave()
  served = await serveAgain(served, { CLOCK: '2026-01-28T12:00:00+05:30' })
  here = await visit(browser)
  delegate = await visit(browser, { width: 360 })
  await signedIn(here.context, served.url, ADMIN)
}

const panel = () => here.page.getByRole('region', { name: 'Actions' })
const dialog = () => here.page.getByRole('dialog')
const press = (name: string) => panel().getByRole('button', { name, exact: true }).click()
const said = (text: string) => panel().getByRole('status').getByText(text).waitFor()
const done = async (why: string, button: string): Promise<void> => {
  await dialog().getByLabel('Reason').fill(why)
  await dialog().getByRole('button', { name: button, exact: true }).click()
}
const open = async (regNo: string): Promise<void> => {
  await here.page.goto(`${served.url}/admin/sample2026/${regNo}`)
  await panel().locator('.state').waitFor()
}
const emailOf = (n: number): string => `delegate${n}@example.org`

/** Registers as a form does; answers the number, which is the first order too. */
async function registered(n: number, way: 'card' | 'transfer', isMember = false): Promise<string> {
  const answer = await fetch(`${served.url}/api/sample2026/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: `Delegate ${n}`,
      email: emailOf(n),
      phone_number: '9876500000',
      is_member: isMember,
      way,
    }),
  })
  const body = (await answer.json()) as { readonly reg_no: string }
  expect(answer.status, JSON.stringify(body)).toBe(201)
  return body.reg_no
}

/** Pays in the browser of the delegate; answers where the gateway's pages are. */
async function pays(regNo: string, button: string): Promise<string> {
  const { page } = delegate
  await page.goto(`${served.url}/sample2026/payment/success?orderId=${regNo}`)
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.getByRole('heading', { level: 1, name: /^Pay ₹/ }).waitFor()
  const { origin } = new URL(page.url())
  await atGateway(page, button)
  return origin
}

/** The gateway says once more what it knows of an order. */
async function toldAgain(orderId: string): Promise<void> {
  const answer = await fetch(`${served.url}/api/payment/webhook/`, {
    method: 'POST',
    body: new URLSearchParams({ TRANSACTIONID: orderId, TRANSACTIONSTATUS: '200' }),
  })
  expect(answer.status).toBe(200)
}

/** The gateway's own number of what paid for a registration, as its page in the office has it. */
async function referenceOn(page: Page): Promise<string> {
  const fact = page.getByText(/^The gateway confirmed .* reference \d+\.$/)
  return /reference (\d+)\.$/.exec((await fact.first().textContent()) ?? '')?.[1] ?? ''
}

test('payments that do not match: accepts a transfer, refunds a card payment through a gateway that rejects it first, and moves an unmatched payment', async () => {
  const { page } = here
  const short = await registered(1, 'card')
  const gateway = await pays(short, 'Pay a wrong amount')
  await delegate.page.getByRole('heading', { name: 'The organisers are checking' }).waitFor()
  await delegate.page.goto(`${gateway}/?order=${short}`)
  await delegate.page.getByRole('button', { name: `Refuse the next refund of ${short}` }).click()
  await delegate.page.getByText('Its next refund is refused.').waitFor()

  const transfer = await registered(2, 'transfer')
  await open(transfer)
  await press('Record payment')
  await dialog().getByLabel('UTR or bank reference').fill('SBIN026028000001')
  await dialog().getByLabel('Amount received').fill('3500')
  await dialog().getByRole('button', { name: 'Record payment' }).click()
  await said('needs review')
  await press('Accept as full payment (waive ₹\u00a040)')
  await expectAccessible(page, 'accepting a payment')
  await done('The bank took 40 rupees.', 'Accept as full payment (waive ₹\u00a040)')
  await said('the registration is paid')
  await panel()
    .getByText(/^Paid in full/)
    .waitFor()
  await panel().getByText('The bank took 40 rupees.').waitFor()
  expect(await inbox.mailTo(emailOf(2), 'you are registered as Non-member')).toContain(
    'application/pdf',
  )

  await page.getByRole('link', { name: 'Needs review' }).click()
  const money = page.getByRole('region', { name: short })
  await money.getByText('Received: ').waitFor()
  await money.getByRole('button', { name: 'Refund' }).click()
  await expectAccessible(page, 'giving back money in review')
  await done('He pays again.', 'Refund')
  const status = page.getByRole('main').getByRole('status')
  await status.getByText('The gateway refused the refund').waitFor()
  await money.getByText('Gateway: Refused in the rehearsal').waitFor()
  await expectAccessible(page, 'money to decide')
  await money.getByRole('button', { name: 'Request the refund again' }).click()
  await done('The gateway has been told.', 'Request the refund again')
  await status.getByText('The gateway started it.').waitFor()
  await toldAgain(short)
  await open(short)
  await page.getByText(/₹\u00a03,539 was refunded/).waitFor()

  // What came to the bank for nobody is kept from the statement, found on the dashboard, and moved.
  const whose = await registered(3, 'transfer')
  await page.goto(`${served.url}/admin/sample2026/reconcile`)
  await page.getByLabel('Statement or settlement (CSV or Excel)').setInputFiles({
    name: 'statement.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.\n28/01/26,NEFT FROM A FRIEND,SBIN026028000077,,"3,540.00"\n',
    ),
  })
  await page.getByRole('button', { name: 'Match payments' }).click()
  await page.getByRole('checkbox', { name: 'Send to review line 2' }).check()
  await page.getByRole('button', { name: 'Send 1 to review' }).click()
  await page.getByText('1 unmatched payment sent to review.').waitFor()
  await page.goto(`${served.url}/admin/dashboard`)
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Unmatched payments' })
    .getByRole('link')
    .click()
  const unknown = page.getByRole('region', { name: /^Payment C/ })
  await unknown.getByText('NEFT FROM A FRIEND').waitFor()
  await unknown.getByRole('button', { name: 'Move to another registration' }).click()
  await dialog().getByLabel('Other registration number').fill(whose)
  await done('Her friend paid.', 'Move to another registration')
  await status.getByText('is now paid').waitFor()
  await page.getByText('No payments need review.').waitFor()
  await inbox.mailTo(emailOf(3), 'you are registered as Non-member')
  expect([...here.complaints, ...delegate.complaints]).toEqual([])
})

// tests/browser/office/actions.test.ts does the same, one step at a time, on a server in this process.
onlyThorough(() => {
  test('corrects a name, a higher category with its balance paid by the emailed link, a lower one with a refund, and transfers the registration: old links are revoked', async () => {
    const { page } = here
    const regNo = await registered(4, 'card', true)
    await pays(regNo, 'Pay')
    await delegate.page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    const own = linkIn(await inbox.mailTo(emailOf(4), 'you are registered as Member'))

    await open(regNo)
    await press('Correct answers')
    await dialog().getByLabel('Answer to correct').selectOption('Full Name')
    await dialog().getByLabel('Full Name').fill('Asha Nair')
    await done('Spelt wrongly.', 'Correct answers')
    await said('Correction saved.')
    await page.getByRole('heading', { level: 1, name: 'Asha Nair' }).waitFor()

    const member = async (is: 'Yes' | 'No', why: string): Promise<void> => {
      await press('Correct answers')
      await dialog().getByLabel('Answer to correct').selectOption('Member')
      await dialog().getByRole('combobox', { name: 'Member', exact: true }).selectOption(is)
      await done(why, 'Correct answers')
      await dialog().getByRole('button', { name: 'Accept new price and correct' }).click()
    }
    await member('No', 'The card is of last year.')
    await said('The price is ₹\u00a02,360 higher.')
    const { page: theirs } = delegate
    await theirs.goto(linkIn(await inbox.mailTo(emailOf(4), 'have corrected your registration')))
    await theirs.getByRole('button', { name: 'Pay ₹\u00a02,360 now' }).click()
    await atGateway(theirs, 'Pay')
    await theirs.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    await expect.poll(() => theirs.getByText('still to pay').count()).toBe(0)

    corrected = regNo
    await open(regNo)
    await panel()
      .getByText(/^Paid in full/)
      .waitFor()
    await member('Yes', 'Found the new card.')
    await said('The price is ₹\u00a02,360 lower.')
    await panel().getByText('To refund: ₹\u00a02,360').waitFor()
    await press('Refund')
    await expect.poll(() => dialog().getByLabel('Amount to refund').inputValue()).toBe('2360')
    await done('Corrected.', 'Refund')
    await said('The gateway started it.')
    await panel().getByText('To refund:').waitFor({ state: 'detached' })
    await press('Correct answers')
    await dialog().getByLabel('Answer to correct').selectOption('Member')
    await dialog().getByRole('combobox', { name: 'Member', exact: true }).selectOption('No')
    await done('One click too many.', 'Correct answers')
    await dialog().getByRole('button', { name: 'Accept new price and correct' }).click()
    await dialog().getByText('A refund of this registration is in progress.').waitFor()
    await dialog().getByRole('button', { name: 'Cancel', exact: true }).click()

    await press('Transfer to another person')
    await dialog().getByLabel('Full Name').fill('Binu Das')
    await dialog().getByLabel('Email Address').fill('binu@example.org')
    await dialog().getByLabel('Phone Number').fill('9876511111')
    await done('A colleague comes instead.', 'Transfer to another person')
    await said('Registration transferred.')
    await page.getByRole('heading', { level: 1, name: 'Binu Das' }).waitFor()
    await inbox.mailTo(emailOf(4), 'to someone else')
    const new_ = linkIn(await inbox.mailTo('binu@example.org', 'has been transferred to you'))
    await theirs.goto(new_)
    await theirs.getByText('Binu Das').first().waitFor()
    await theirs.goto(own)
    await theirs.getByText('Binu Das').waitFor({ state: 'detached' })
    await theirs.getByText(/link/i).first().waitFor()
    expect([...here.complaints, ...delegate.complaints]).toEqual([])
  })
})

test('a settlement report shows paid and unpaid payouts, is saved, and is linked to its registrations', async () => {
  const { page } = here
  const regNo = await registered(5, 'card', true)
  await pays(regNo, 'Pay')
  await delegate.page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await open(regNo)
  const reference = await referenceOn(page)
  await page
    .getByRole('link', { name: /^Sample 2026/ })
    .first()
    .click()
  await page.getByRole('link', { name: 'Bank statements and settlements' }).click()
  await page.getByRole('heading', { name: /^Paid, not settled yet/ }).waitFor()
  const utr = 'UTIBN26013000011'
  const report = [
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
    `${regNo},${reference},1180.00,20.00,3.60,1156.40,${utr},28-01-2026,Sale`,
    `ELSEWHERE1,777000111,590.00,10.00,1.80,578.20,${utr},28-01-2026,Sale`,
  ].join('\n')
  const load = async (): Promise<void> => {
    await page.getByLabel('Statement or settlement (CSV or Excel)').setInputFiles({
      name: 'settlement.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(report),
    })
    await page.getByRole('button', { name: 'Match payments' }).click()
  }
  await load()
  await page.getByText('1 unknown, 1 settled.').waitFor()
  const bank = page.getByRole('region', { name: 'Payouts' })
  await bank.getByText('₹\u00a01,734.60').waitFor()
  await page.getByText('No registration has this order.').waitFor()
  await expectAccessible(page, 'a settlement report')
  await page.setViewportSize({ width: 360, height: 800 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: 'Save 2 lines' }).click()
  await page.getByText('2 lines saved, 1 line sent to review.').waitFor()
  await load()
  await page.getByText('All lines were saved before.').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Needs review (1)' }).waitFor()
  await expectAccessible(page, 'the settlements that are kept')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export settlements (CSV)' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^sample2026_settlements_.*\.csv$/)
  await open(regNo)
  const settled = page.getByRole('region', { name: 'Payouts' })
  await settled.getByText(`${reference}, ${utr}`).waitFor()

  // On a phone rows are ticked while somebody says so.
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${served.url}/admin/sample2026`)
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  for (const row of [0, 1]) await page.getByRole('checkbox').nth(row).check()
  await expectAccessible(page, 'ticked rows on a phone')
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  const bar = page.getByRole('group', { name: 'Selected registrations' })
  await bar.getByRole('button', { name: 'Add note' }).click()
  await dialog().getByLabel('Note').fill('Both came by bus.')
  await dialog().getByRole('button', { name: 'Add note' }).click()
  await page.getByText('2 done.').waitFor()
  await page.setViewportSize({ width: 1280, height: 900 })
  expect([...here.complaints, ...delegate.complaints]).toEqual([])
})

onlyThorough(() => {
  test('the refund due after a correction is done once the gateway confirms it', async () => {
    await anHourLater()
    const { page } = here
    const refunded = async (): Promise<number> => {
      await open(corrected)
      return page.getByText(/₹\u00a02,360 was refunded/).count()
    }
    await expect.poll(refunded, { timeout: 200_000, interval: 500 }).toBe(1)
    await panel()
      .getByText(/^Paid in full/)
      .waitFor()
    expect(here.complaints).toEqual([])
  })
})
