/** Money that no gateway tells of, as people pay and find it: told by the delegate, confirmed by the office, taken at the desk; a process of its own, its mails by SMTP. */
import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, signedIn, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { takenOver, PROOF } from '../delegate.ts'
import { openInbox } from '../inbox.ts'
import type { Inbox } from '../inbox.ts'
import { ADMIN, serve, TOP } from '../serve.ts'
import type { Served } from '../serve.ts'

const FILE = 'lekhacon2027.yaml'
const NUMBER = /LEKH\d+/

let inbox: Inbox
let served: Served
let browser: Browser
let delegate: Visit
let office: Visit
let desk: Visit

beforeAll(async () => {
  inbox = await openInbox()
  served = await serve(
    {
      CLOCK: '2027-01-10T11:00:00+05:30',
      SMTP_URL: inbox.url,
      MAIL_FROM: 'office@lekhacon.example',
    },
    ({ eventsDir }) => copyFileSync(join(TOP, 'tests', 'events', FILE), join(eventsDir, FILE)),
  )
  browser = await launch()
  delegate = await visit(browser)
  office = await visit(browser)
  desk = await visit(browser)
  await signedIn(office.context, served.url, ADMIN)
})
afterAll(async () => {
  for (const one of [delegate, office, desk]) await one.context.close()
  await served.stop()
  await inbox.close()
})

/** Fills in the form, and chooses to pay by a transfer; answers the number, on the delegate's own page. */
async function registered(page: Page, email: string): Promise<string> {
  await page.goto(`${served.url}/lekhacon2027`)
  await takenOver(page)
  await page.getByLabel('Full name').fill('Asha Nair')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Phone').fill('9847000000')
  await page.getByRole('radio', { name: /^Member/ }).check()
  await page.getByRole('radio', { name: /NEFT, IMPS or UPI/ }).check()
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
  return NUMBER.exec((await page.locator('main').textContent()) ?? '')?.[0] ?? ''
}

async function told(page: Page, utr: string): Promise<void> {
  await page.getByLabel('UTR number').fill(utr)
  await page.getByLabel('Date of transfer').fill('2027-01-09')
  await page.getByRole('button', { name: 'I have paid' }).click()
  await page.getByRole('heading', { name: 'We are checking for your payment' }).waitFor()
}

const acts = (page: Page) => page.getByRole('region', { name: 'Actions' })
async function openInOffice({ page }: Visit, regNo: string): Promise<Page> {
  await page.goto(`${served.url}/admin/lekhacon2027/${regNo}`)
  await acts(page).locator('.state').waitFor()
  return page
}

test('a transfer is reported with its screenshot, confirmed as reported, and emailed with ticket and receipt', async () => {
  const email = 'asha@delegate.example'
  const { page } = delegate
  const regNo = await registered(page, email)
  await page.getByRole('img', { name: /QR code for UPI apps/ }).waitFor()
  await page.getByText('50200012345678', { exact: true }).waitFor()
  await expectAccessible(page, 'the own page, where to pay')
  expect(await inbox.mailTo(email, 'How to pay')).toContain('account 50200012345678')
  await page.getByLabel(/^Screenshot/).setInputFiles(PROOF)
  await page.getByText(/: sent$/).waitFor()
  await told(page, '512345678901')
  await inbox.mailTo(email, 'We are checking for your payment')

  const seen = await openInOffice(office, regNo)
  await acts(seen).getByText('512345678901', { exact: true }).waitFor()
  await acts(seen).getByRole('button', { name: 'Record payment' }).click()
  const dialog = seen.getByRole('dialog')
  await expect
    .poll(() => dialog.getByLabel('UTR or bank reference').inputValue())
    .toBe('512345678901')
  await expect.poll(() => dialog.getByLabel('Amount received').inputValue()).toBe('4720')
  await dialog.getByRole('button', { name: 'Record payment' }).click()
  await acts(seen).getByText('is paid.').waitFor()

  const ticket = await inbox.mailTo(email, `LEKHACON 2027: ${regNo}`)
  expect(ticket).toContain(`filename=${regNo}.png`)
  expect(ticket).toContain('application/pdf')
  await page.reload()
  await page.getByRole('heading', { name: 'You Are Registered' }).waitFor()
})

test('a user with the desk role adds a delegate and records the payment, without a refund button', async () => {
  const who = { username: 'spot', password: 'a long password for the desk' }
  const add = ['user', 'add', who.username, '--role', 'desk', '--event', 'lekhacon2027']
  execFileSync(process.execPath, [join(TOP, 'bin', 'rollcall.js'), ...add, '--password-stdin'], {
    cwd: TOP,
    input: who.password,
    env: { ...process.env, DATA_DIR: served.dataDir, EVENTS_DIR: served.eventsDir },
  })
  await signedIn(desk.context, served.url, who)
  const { page } = desk
  await page.goto(`${served.url}/admin/lekhacon2027/add`)
  await page.getByRole('heading', { name: 'Add registration' }).waitFor()
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByLabel('Full name').and(page.locator('[aria-invalid="true"]')).waitFor()
  await expectAccessible(page, 'adding at the desk')
  await page.getByLabel('Full name').fill('Chitra Menon')
  await page.getByLabel('Email').fill('chitra@delegate.example')
  await page.getByLabel('Phone').fill('9847000001')
  await page.getByLabel('Registering as').selectOption('member')
  await page.getByText('To pay: ₹').waitFor()
  await page.getByLabel('Paid by').selectOption('cash')
  await page.getByLabel('Slip number').fill('17')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('is registered and paid.').waitFor()
  await page.getByRole('link', { name: NUMBER }).click()
  await acts(page).getByText('Added by staff').waitFor()
  await expect.poll(() => acts(page).getByRole('button', { name: 'Refund' }).count()).toBe(0)
  const ticket = await inbox.mailTo('chitra@delegate.example', 'We have received')
  expect(ticket).toContain('application/pdf')
})

test('the desk form reports a full workshop before the payment, and a known slip number can be corrected', async () => {
  for (const name of ['Devi Das', 'Elsa Das']) {
    const answer = await fetch(`${served.url}/api/lekhacon2027/register/`, {
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
    expect(answer.status).toBe(201)
  }
  const { page } = office
  const price = page.getByText('To pay: ₹')
  await page.goto(`${served.url}/admin/lekhacon2027/add`)
  await page.getByLabel('Full name').fill('Fathima Das')
  await page.getByLabel('Email').fill('fathima@delegate.example')
  await page.getByLabel('Phone').fill('9847000003')
  await page.getByLabel('Registering as').selectOption('member')
  await price.waitFor()
  await page.getByLabel('Workshop').selectOption('Records: This workshop has no seat left.')
  await page.locator('.ferr').getByText('Records: This workshop has no seat left.').waitFor()
  await expect.poll(() => price.count()).toBe(0)
  await expectAccessible(page, 'a full workshop at the desk')
  await page.getByLabel('Workshop').selectOption('writing')
  await price.waitFor()
  await page.getByLabel('Paid by').selectOption('cash')
  await page.getByLabel('Slip number').fill('17')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('Nothing was registered.').waitFor()
  await page.getByLabel('Slip number').and(page.locator('[aria-invalid="true"]')).fill('18')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('is registered and paid.').waitFor()
})

test('a cash payment is refunded outside Rollcall, and the erase dialog states the refund due', async () => {
  const { page } = office
  await page.goto(`${served.url}/admin/lekhacon2027`)
  await page.getByText('Fathima Das').first().click()
  await acts(page).locator('.state').waitFor()
  const dialog = page.getByRole('dialog')
  await acts(page).getByRole('button', { name: 'Refund' }).click()
  const how = dialog.getByLabel('Refund method').locator('option')
  await expect.poll(() => how.allTextContents()).toEqual(['Already refunded outside Rollcall'])
  await dialog.getByLabel('Transfer reference or slip number').waitFor()
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  await acts(page).getByRole('button', { name: 'Cancel registration' }).click()
  await dialog.getByLabel('Amount to refund').fill('3540')
  await dialog.getByLabel('Reason').fill('She is ill.')
  await dialog.getByRole('button', { name: 'Cancel registration' }).click()
  await acts(page).getByText('Cancelled: ').waitFor()
  await acts(page).getByRole('button', { name: 'Erase personal data' }).click()
  await dialog.getByText('₹ 3,540 is still to be refunded').waitFor()
  await expectAccessible(page, 'erasing with money to pay back')
  await dialog.getByLabel('Reason').fill('Asked for by letter.')
  await dialog.getByRole('button', { name: 'Erase personal data' }).click()
  await acts(page).getByText('in cash, 18').waitFor()
  await expect
    .poll(() => acts(page).getByRole('button', { name: 'Erase personal data' }).count())
    .toBe(0)
})
