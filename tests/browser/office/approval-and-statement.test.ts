/** Approvals, bank transfers and a bank statement over several days, tested with a server process and SMTP. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, holdRequests, launch, addSessionCookie, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { clickAtGateway, waitForHydration, PROOF_FILE } from '../delegate.ts'
import { findLink, openInbox } from '../inbox.ts'
import type { Inbox } from '../inbox.ts'
import { ADMIN, serve, serveAgain } from '../serve.ts'
import { pressAction } from './registration-page.ts'
import type { TestServer } from '../serve.ts'
import { buildFixtureEvent, APPROVAL_RULE, addMemberLetter } from '../../server/small-event.ts'

const EVENT = addMemberLetter(buildFixtureEvent({ extra: APPROVAL_RULE })).replace(
  'payment: {gateway: airpay, account: sample}',
  `payment:
  methods:
    - {id: card, gateway: airpay, account: sample}
    - id: transfer
      label: Bank transfer
      until: 2026-02-18
      instructions: Sample Society, account 50200012345678, IFSC MLBR0000032
      fields:
        - {id: utr, label: UTR number, format: utr, unique: true, required: true}
        - {id: paid_on, type: date, label: Date of transfer, required: true}
      expires_after: 10 days`,
)

/** A second event that uses the same bank account. */
const SECOND_EVENT = EVENT.replaceAll('sample2026', 'second2026').replaceAll('SMPL', 'SECO')

let inbox: Inbox
let server: TestServer
let browser: Browser
let visitor: Visit
let serverVariables: Readonly<Record<string, string>>

beforeAll(async () => {
  inbox = await openInbox()
  serverVariables = {
    SMTP_URL: inbox.url,
    MAIL_FROM: 'office@sample.example',
  }
  browser = await launch()
  visitor = await visit(browser)
  server = await serve(
    { ...serverVariables, CLOCK: '2026-01-30T16:00:00+05:30' },
    ({ eventsDir }) => {
      writeFileSync(join(eventsDir, 'sample2026.yaml'), EVENT)
      writeFileSync(join(eventsDir, 'second2026.yaml'), SECOND_EVENT)
    },
  )
  await addSessionCookie(visitor.context, server.url, ADMIN)
})
afterAll(async () => {
  await visitor.context.close()
  await server.stop()
  await inbox.close()
})

async function registerDelegate(
  n: number,
  answers: Readonly<Record<string, string>>,
  event = 'sample2026',
): Promise<string> {
  const form = new FormData()
  const allAnswers = {
    full_name: `Delegate ${n}`,
    email: `delegate${n}@example.org`,
    phone_number: '9876500000',
    ...answers,
  }
  for (const [name, value] of Object.entries(allAnswers)) form.append(name, value)
  if (answers['is_member'] === 'true')
    form.append('letter', new File([PROOF_FILE.buffer], 'letter.pdf', { type: 'application/pdf' }))
  const registerResponse = await fetch(`${server.url}/api/${event}/register/`, {
    method: 'POST',
    body: form,
  })
  const body = (await registerResponse.json()) as { readonly reg_no: string }
  expect(registerResponse.status, JSON.stringify(body)).toBe(201)
  return body.reg_no
}

const openOffice = async (path: string): Promise<Page> => {
  await visitor.page.goto(`${server.url}${path}`)
  return visitor.page
}
const findPanel = () => visitor.page.getByRole('region', { name: 'Actions' })
const findDialog = () => visitor.page.getByRole('dialog')
const press = (name: string) => pressAction(visitor.page, name)
const waitForStatus = (text: string) => findPanel().getByRole('status').getByText(text).waitFor()

test(
  'a statement for two events is matched in three clicks; when an unmatched line is assigned by keyboard, a colleague sees it without a reload',
  { tags: ['slow'] },
  async () => {
    const transferAnswers = { is_member: 'false', way: 'transfer' }
    const [firstRegNo, secondRegNo] = [
      await registerDelegate(5, transferAnswers),
      await registerDelegate(6, transferAnswers, 'second2026'),
    ]
    await registerDelegate(7, transferAnswers, 'second2026')
    const { page, context, consoleErrors } = await visit(browser)
    await addSessionCookie(context, server.url, ADMIN)
    await page.goto(`${server.url}/admin/payments/statements`)
    let clicks = 0
    const click = async (name: string): Promise<void> => {
      clicks += 1
      await page.getByRole('button', { name }).click()
    }
    const lines = [
      'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.',
      `30/01/26,NEFT CR ${firstRegNo},SBIN026031000201,,"3,540.00"`,
      `30/01/26,NEFT CR ${secondRegNo},SBIN026031000202,,"3,540.00"`,
      '30/01/26,NEFT CR A RELATIVE,SBIN026031000203,,"3,000.00"',
    ]
    // The first click chooses the file.
    clicks += 1
    await page.getByLabel('Bank statement (CSV or Excel)').setInputFiles({
      name: 'statement.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\r\n')),
    })
    const releaseUpload = await holdRequests(page, /\/api\/admin\/statements\/\?statement_currency/)
    await click('Match payments')
    await page.getByRole('progressbar', { name: 'Uploading the file' }).waitFor()
    releaseUpload()
    await page.getByRole('button', { name: 'Confirm all exact matches (2)' }).waitFor()
    // The page requests the statement again, and the response is delayed.
    const delayedStatement = Promise.withResolvers<void>()
    await page.route(/\/api\/admin\/statements\/\d+\//, async (route) => {
      if (route.request().method() === 'GET') await delayedStatement.promise
      await route.continue()
    })
    await click('Confirm all exact matches (2)')
    await page.getByText('2 lines assigned.').waitFor()
    expect(clicks).toBeLessThanOrEqual(4)

    // A line is split in place: the clicked button disappears, and the focus moves to the field.
    const readFocusedLabel = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    await click('Split line 4')
    await expect.poll(readFocusedLabel).toBe('Add a person to line 4')
    // The response must not move the focus out of the field before the user can type.
    delayedStatement.resolve()
    await page.getByRole('button', { name: 'Confirm all exact' }).waitFor({ state: 'detached' })
    await page.unroute(/\/api\/admin\/statements\/\d+\//)
    expect(await readFocusedLabel()).toBe('Add a person to line 4')
    await click('Cancel')
    await expect.poll(readFocusedLabel).toBe('Assign line 4 to')

    // A colleague has the same line open and is typing in its field.
    const colleague = await visit(browser, { privateWindow: true })
    await addSessionCookie(colleague.context, server.url, ADMIN)
    await colleague.page.clock.install()
    await colleague.page.goto(page.url())
    const colleagueSearch = colleague.page.getByRole('combobox', { name: 'Assign line 4 to' })
    await colleagueSearch.fill('Delegate 6')
    await colleague.page.getByRole('option', { name: /Delegate 6/ }).waitFor()

    // Assigns the line by keyboard alone, starting from the focused field.
    await page.keyboard.type('Delegate 7')
    await page.getByRole('option', { name: /Delegate 7/ }).waitFor()
    await page.keyboard.press('Enter')
    // A payment below the balance needs review, so the message does not say that the line was assigned.
    await page.getByText('1 line sent for review.').waitFor()
    await page.getByText('Needs review (1)').waitFor()
    await colleague.page.clock.runFor(20_000)
    await colleague.page.getByText('Needs review (1)').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
    expect(consoleErrors).toEqual([])
    await context.close()
  },
)

test('staff approve and reject registrations and match a transfer in a statement; each registration is paid at the price for its registration date, and emails are sent', async () => {
  let delegate = await visit(browser, { width: 360 })
  let { page } = delegate
  await page.goto(`${server.url}/sample2026`)
  await waitForHydration(page)
  await page.getByRole('textbox', { name: 'Full Name' }).fill('Asha Nair')
  await page.getByRole('textbox', { name: 'Email Address' }).fill('asha@example.org')
  await page.getByRole('textbox', { name: 'Phone Number' }).fill('9876500000')
  await page.getByRole('radio', { name: 'Yes', exact: true }).check()
  await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
  const cardRadio = page.getByRole('radio', { name: /Card/ })
  if ((await cardRadio.count()) > 0) await cardRadio.check()
  await page.getByText('The organisers will first review your answers (Letter)').waitFor()
  await expectAccessible(page, 'a form that needs approval')
  await page.getByRole('button', { name: 'Send for approval' }).click()
  await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor()
  await page.getByText('They will decide by 1\u00a0February\u00a02026.').waitFor()
  await expectAccessible(page, 'a registration awaiting approval')
  const regNo = new URL(page.url()).searchParams.get('orderId') ?? ''
  await inbox.waitForEmail('asha@example.org', 'is waiting for approval')
  const rejectedRegNo = await registerDelegate(2, { is_member: 'true', way: 'card' })
  const transferRegNo = await registerDelegate(3, { is_member: 'false', way: 'transfer' })
  const confirmation = await inbox.waitForEmail('delegate3@example.org', '/my/')

  // The delegate pays by bank transfer and reports the payment.
  await page.goto(findLink(confirmation))
  await page.getByLabel('UTR number').fill('SBIN026030000123')
  await page.getByLabel('Date of transfer').fill('2026-01-30')
  await page.locator('form.claim-form').getByRole('button').last().click()
  await page.getByText('SBIN026030000123').first().waitFor()

  expect(delegate.consoleErrors).toEqual([])
  await delegate.context.close()
  delegate = await visit(browser, { width: 360 })
  page = delegate.page
  server = await serveAgain(server, { ...serverVariables, CLOCK: '2026-02-01T10:00:00+05:30' })
  await addSessionCookie(visitor.context, server.url, ADMIN)
  await openOffice(`/admin/events/sample2026/registrations/${regNo}`)
  await press('Approve')
  await findDialog().getByRole('link', { name: PROOF_FILE.name }).waitFor()
  await expectAccessible(visitor.page, 'approving')
  await findDialog().getByRole('button', { name: 'Approve', exact: true }).click()
  await waitForStatus('A link to pay ₹\u00a01,180 was sent')
  await page.goto(findLink(await inbox.waitForEmail('asha@example.org', 'Approved: please pay')))
  await page.getByRole('button', { name: 'Pay ₹\u00a01,180 now' }).click()
  await clickAtGateway(page, 'Pay')
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()

  await openOffice(`/admin/events/sample2026/registrations/${rejectedRegNo}`)
  await press('Reject')
  await findDialog().getByLabel('Reason').fill('The letter is from another society.')
  await findDialog().getByLabel('Offer Non-member for ₹\u00a03,540 instead').waitFor()
  await expectAccessible(visitor.page, 'refusing')
  await findDialog().getByRole('button', { name: 'Reject', exact: true }).click()
  await waitForStatus('Registration rejected')
  await page.goto(findLink(await inbox.waitForEmail('delegate2@example.org', 'was not approved')))
  await page.getByText('The letter is from another society.').waitFor()
  await expectAccessible(page, 'an offer')
  await page.getByRole('button', { name: 'Register as Non-member for ₹\u00a03,540' }).click()
  await page.getByRole('button', { name: 'Pay ₹\u00a03,540 now' }).click()
  await clickAtGateway(page, 'Pay')
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  expect(delegate.consoleErrors).toEqual([])
  await delegate.context.close()

  const statementPage = await openOffice('/admin/payments/statements')
  const lines = [
    'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.',
    '30/01/26,NEFT CR DELEGATE THREE,SBIN026030000123,,"3,540.00"',
    '31/01/26,<b>INTEREST</b>,000000000000,,12.00',
  ]
  await statementPage.getByLabel('Bank statement (CSV or Excel)').setInputFiles({
    name: 'statement.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n')),
  })
  await statementPage.getByRole('button', { name: 'Match payments' }).click()
  await statementPage.getByText('1 matched, 1 not matched.').waitFor()
  await expect
    .poll(() => statementPage.evaluate(() => document.activeElement?.textContent))
    .toBe('Exact matches (1)')
  await statementPage.getByText('<b>INTEREST</b>').waitFor()
  await expectAccessible(statementPage, 'a bank statement')
  await statementPage.setViewportSize({ width: 360, height: 800 })
  await expect
    .poll(() => statementPage.evaluate(() => document.documentElement.scrollWidth))
    .toBe(360)
  await statementPage.getByRole('button', { name: 'Confirm all exact matches (1)' }).click()
  await statementPage.getByText('1 line assigned.').waitFor()
  const ticketEmail = await inbox.waitForEmail(
    'delegate3@example.org',
    'you are registered as Non-member',
  )
  expect(ticketEmail).toContain(`${transferRegNo}.png`)
  expect(ticketEmail).toContain('application/pdf')
  await statementPage.getByText('Assigned (1)').waitFor()
  expect(visitor.consoleErrors).toEqual([])
})
