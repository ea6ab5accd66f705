/** Payments without a gateway: reported by the delegate, confirmed by staff, or recorded at the front desk. */
import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, addSessionCookie, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { waitForHydration, PROOF_FILE } from '../delegate.ts'
import { openInbox } from '../inbox.ts'
import type { Inbox } from '../inbox.ts'
import { ADMIN, serve, ROOT } from '../serve.ts'
import { findAddButton, findEntries, pressAction } from './registration-page.ts'
import type { TestServer } from '../serve.ts'

const EVENT_FILE = 'lekhacon2027.yaml'
const REG_NO_PATTERN = /LEKH\d+/

let inbox: Inbox
let server: TestServer
let browser: Browser
let delegate: Visit
let officeVisit: Visit
let deskVisit: Visit

beforeAll(async () => {
  inbox = await openInbox()
  server = await serve(
    {
      CLOCK: '2027-01-10T11:00:00+05:30',
      SMTP_URL: inbox.url,
      MAIL_FROM: 'office@lekhacon.example',
    },
    ({ eventsDir }) =>
      copyFileSync(join(ROOT, 'tests', 'events', EVENT_FILE), join(eventsDir, EVENT_FILE)),
  )
  browser = await launch()
  delegate = await visit(browser)
  officeVisit = await visit(browser)
  deskVisit = await visit(browser)
  await addSessionCookie(officeVisit.context, server.url, ADMIN)
})
afterAll(async () => {
  for (const openVisit of [delegate, officeVisit, deskVisit]) await openVisit.context.close()
  await server.stop()
  await inbox.close()
})

/** Registers with payment by bank transfer, and returns the registration number from the self-service page. */
async function registerByTransfer(page: Page, email: string): Promise<string> {
  await page.goto(`${server.url}/lekhacon2027`)
  await waitForHydration(page)
  await page.getByLabel('Full name').fill('Asha Nair')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Phone').fill('9847000000')
  await page.getByRole('radio', { name: /^Member/ }).check()
  await page.getByRole('radio', { name: /NEFT, IMPS or UPI/ }).check()
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
  return REG_NO_PATTERN.exec((await page.locator('main').textContent()) ?? '')?.[0] ?? ''
}

async function reportTransfer(page: Page, utr: string): Promise<void> {
  await page.getByLabel('UTR number').fill(utr)
  await page.getByLabel('Date of transfer').fill('2027-01-09')
  await page.getByRole('button', { name: 'I have paid' }).click()
  await page.getByRole('heading', { name: 'We are checking for your payment' }).waitFor()
}

const findActions = (page: Page) => page.getByRole('region', { name: 'Actions' })
async function openInOffice({ page }: Visit, regNo: string): Promise<Page> {
  await page.goto(`${server.url}/admin/events/lekhacon2027/registrations/${regNo}`)
  await findActions(page).locator('.state').waitFor()
  return page
}

test('a delegate reports a transfer with a screenshot, staff confirm it, and the ticket and receipt are emailed', async () => {
  const email = 'asha@delegate.example'
  const { page } = delegate
  const regNo = await registerByTransfer(page, email)
  await page.getByRole('img', { name: /QR code for UPI apps/ }).waitFor()
  await page.getByText('50200012345678', { exact: true }).waitFor()
  await expectAccessible(page, 'the self-service page with payment instructions')
  expect(await inbox.waitForEmail(email, 'How to pay')).toContain('account 50200012345678')
  await page.getByLabel(/^Screenshot/).setInputFiles(PROOF_FILE)
  await page.getByText(/: uploaded$/).waitFor()
  await reportTransfer(page, '512345678901')
  await inbox.waitForEmail(email, 'You reported a payment')

  const officePage = await openInOffice(officeVisit, regNo)
  await findActions(officePage).getByText('512345678901', { exact: true }).waitFor()
  await findActions(officePage).getByRole('button', { name: 'Record payment' }).click()
  const dialog = officePage.getByRole('dialog')
  await expect
    .poll(() => dialog.getByLabel('UTR or bank reference').inputValue())
    .toBe('512345678901')
  await expect.poll(() => dialog.getByLabel('Amount received').inputValue()).toBe('4720')
  await dialog.getByRole('button', { name: 'Record payment' }).click()
  await findActions(officePage).getByText('is paid.').waitFor()

  const ticketEmail = await inbox.waitForEmail(email, `LEKHACON 2027: ${regNo}`)
  expect(ticketEmail).toContain(`filename=${regNo}.png`)
  expect(ticketEmail).toContain('application/pdf')
  await page.reload()
  await page.getByRole('heading', { name: 'You Are Registered' }).waitFor()
})

test('a user with the desk role adds a delegate and records the payment, but has no refund button', async () => {
  const deskUser = { username: 'spot', password: 'a long password for the desk' }
  const addCommand = ['user', 'add', deskUser.username, '--role', 'desk', '--event', 'lekhacon2027']
  execFileSync(
    process.execPath,
    [join(ROOT, 'bin', 'rollcall.js'), ...addCommand, '--password-stdin'],
    {
      cwd: ROOT,
      input: deskUser.password,
      env: { ...process.env, DATA_DIR: server.dataDir, EVENTS_DIR: server.eventsDir },
    },
  )
  await addSessionCookie(deskVisit.context, server.url, deskUser)
  const { page } = deskVisit
  await page.goto(`${server.url}/admin/events/lekhacon2027/registrations/new`)
  await page.getByRole('heading', { name: 'Add registration' }).waitFor()
  await findAddButton(page).click()
  await page.getByLabel('Full name').and(page.locator('[aria-invalid="true"]')).waitFor()
  await expectAccessible(page, 'a manual registration')
  await page.getByLabel('Full name').fill('Chitra Menon')
  await page.getByLabel('Email').fill('chitra@delegate.example')
  await page.getByLabel('Phone').fill('9847000001')
  await page.getByLabel('Registering as').selectOption('member')
  await page.getByText('To pay: ₹').waitFor()
  await page.getByLabel('Paid by').selectOption('cash')
  await page.getByLabel('Slip number').fill('17')
  await findAddButton(page).click()
  await page.getByText('has registered and paid.').waitFor()
  await page.getByRole('link', { name: REG_NO_PATTERN }).click()
  await findEntries(page, 'Added by staff').first().waitFor()
  await expect.poll(() => findActions(page).getByRole('button', { name: 'Refund' }).count()).toBe(0)
  const ticket = await inbox.waitForEmail('chitra@delegate.example', 'We have received')
  expect(ticket).toContain('application/pdf')
})

test('the desk form shows that a workshop is full before the payment, and a slip number that is already recorded can be corrected', async () => {
  for (const name of ['Devi Das', 'Elsa Das']) {
    const registerResponse = await fetch(`${server.url}/api/lekhacon2027/register/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        full_name: name,
        email: `${name.slice(0, 4)}@delegate.example`,
        phone_number: '9847000002',
        registered_as: 'member',
        workshop: 'records',
        way: 'transfer',
      }),
    })
    expect(registerResponse.status).toBe(201)
  }
  const { page } = officeVisit
  const price = page.getByText('To pay: ₹')
  await page.goto(`${server.url}/admin/events/lekhacon2027/registrations/new`)
  await page.getByLabel('Full name').fill('Fathima Das')
  await page.getByLabel('Email').fill('chitra@delegate.example')
  await page.getByLabel('Phone').focus()
  await page.getByText('same email').waitFor()
  await page.getByRole('link', { name: 'Chitra Menon' }).waitFor()
  await expectAccessible(page, 'a person who is already registered, at the desk')
  await page.getByLabel('Email').fill('fathima@delegate.example')
  await page.getByLabel('Phone').focus()
  await expect.poll(() => page.getByText('same email').count()).toBe(0)
  await page.getByLabel('Phone').fill('9847000003')
  await page.getByLabel('Registering as').selectOption('member')
  await price.waitFor()
  await page.getByText('More details', { exact: true }).click()
  await page.getByLabel('Workshop').selectOption('Records: This workshop has no seat left.')
  await page.locator('.field-error').getByText('Records: This workshop has no seat left.').waitFor()
  await expect.poll(() => price.count()).toBe(0)
  await expectAccessible(page, 'a full workshop at the desk')
  await page.getByLabel('Workshop').selectOption('writing')
  await price.waitFor()
  await page.getByLabel('Paid by').selectOption('cash')
  await page.getByLabel('Slip number').fill('17')
  await findAddButton(page).click()
  await page.getByText('Nothing was registered.').waitFor()
  await page.getByLabel('Slip number').and(page.locator('[aria-invalid="true"]')).fill('18')
  await findAddButton(page).click()
  await page.getByText('has registered and paid.').waitFor()
})

test('a cash payment is refunded outside Rollcall, and the erase dialog states the refund due', async () => {
  const { page } = officeVisit
  await page.goto(`${server.url}/admin/lekhacon2027`)
  await page.getByText('Fathima Das').first().click()
  await findActions(page).locator('.state').waitFor()
  const dialog = page.getByRole('dialog')
  await pressAction(page, 'Refund')
  const refundMethods = dialog.getByLabel('Refund method').locator('option')
  await expect
    .poll(() => refundMethods.allTextContents())
    .toEqual(['Already refunded outside Rollcall'])
  await dialog.getByLabel('Transfer reference or slip number').waitFor()
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  await pressAction(page, 'Cancel registration')
  await dialog.getByLabel('Amount to refund').fill('3540')
  await dialog.getByLabel('Reason').fill('She is ill.')
  await dialog.getByRole('button', { name: 'Cancel registration' }).click()
  await findEntries(page, 'Cancelled: ').first().waitFor()
  await pressAction(page, 'Erase personal data')
  await dialog.getByText('₹ 3,540 is still to be refunded').waitFor()
  await expectAccessible(page, 'erasing with a refund due')
  await dialog.getByLabel('Reason').fill('Asked for by letter.')
  await dialog.getByRole('button', { name: 'Erase personal data' }).click()
  await findEntries(page, 'in cash, reference 18').first().waitFor()
  await expect
    .poll(() => findActions(page).getByRole('button', { name: 'Erase personal data' }).count())
    .toBe(0)
})
