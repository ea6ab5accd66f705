/**
 * A delegate who lost the link, in a browser, with mails over SMTP out of a server process of its own: from the form to
 * the own page, paid, changed, cancelled by the office, and erased by its owner.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixtureDelegate, fixtureEvent } from '../server/small-event.ts'
import { misplacedAtAnyWidth } from './layout-boxes.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import { atGateway, PROOF } from './delegate.ts'
import { linkIn, openInbox } from './inbox.ts'
import type { Inbox } from './inbox.ts'
import { ADMIN, serve } from './serve.ts'
import type { Served } from './serve.ts'

const EVENT = fixtureEvent({
  extra: `
cancellation:
  steps: [{until: 2026-01-15, refund: 75%}, {otherwise: none}]
edit: {until: 2026-02-20, fields: [phone_number, letter]}
quotas:
  - {id: seats, each_option_of: workshop, max: {scan: 1, none: 100}, full: This workshop is full}
`,
}).replace(
  '        - {id: letter,',
  '        - {id: workshop, type: select, label: Workshop, options: [{id: scan, label: Scan}, {id: none, label: None}]}\n        - {id: letter,',
)
const EMAIL = 'lost.link@sample.example'
const NAME = 'Lost Link'

let inbox: Inbox
let server: Served
let browser: Browser

beforeAll(async () => {
  inbox = await openInbox()
  server = await serve(
    {
      SMTP_URL: inbox.url,
      MAIL_FROM: 'no-reply@example.org',
      CLOCK: '2026-01-10',
    },
    ({ eventsDir }) => writeFileSync(join(eventsDir, 'sample2026.yaml'), EVENT),
  )
  browser = await launch()
})
afterAll(async () => {
  await server.stop()
  await inbox.close()
})

const register = (changes: object = {}): Promise<Response> =>
  fetch(`${server.url}/api/sample2026/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...fixtureDelegate, workshop: 'scan', ...changes }),
  })
/** The link of the newest mail to that address with these words. */
const mailed = async (words: string): Promise<string> => linkIn(await inbox.mailTo(EMAIL, words))
const part = (page: Page, name: string) => page.getByRole('region', { name })

test('lost link, payment, change, cancellation by the scale with its seat sold again, erasure', async () => {
  const { page, context, complaints } = await visit(browser)
  expect((await register({ full_name: NAME, email: EMAIL })).status).toBe(201)
  expect((await register()).status).toBe(409)

  await page.goto(`${server.url}/sample2026`)
  await page.getByRole('link', { name: 'Lost your link?' }).click()
  await page.getByRole('heading', { level: 1, name: 'Lost your link?' }).waitFor()
  const asks = page.getByRole('textbox', { name: 'The email address you registered with' })
  const send = page.getByRole('button', { name: 'Send me my link' })
  await send.click()
  await page.getByRole('alert').getByText('Please enter the email address').waitFor()
  await expectAccessible(page, 'a lost link without an address')
  // By the keyboard alone.
  await asks.focus()
  await page.keyboard.type('Lost.Link@sample.example')
  await page.keyboard.press('Enter')
  await page.getByText('If a registration uses this address').waitFor()
  await expectAccessible(page, 'a lost link')

  await page.goto(await mailed('Your link for Sample 2026'))
  await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
  await part(page, 'If you cannot come').getByText('You have not paid anything').waitFor()
  await page.getByRole('button', { name: /^Pay .*1,180 now$/ }).click()
  await atGateway(page, 'Pay')
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()

  const own = await mailed('you are registered as Member')
  await page.goto(own)
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  const [receipt] = await Promise.all([
    page.waitForEvent('download'),
    part(page, 'Documents')
      .getByRole('link', { name: /^Receipt/ })
      .click(),
  ])
  expect(receipt.suggestedFilename()).toMatch(/^Receipt-SMPL\d+\.pdf$/)

  const edit = part(page, 'Change your answers')
  await edit.getByText('until the end of 20 February 2026').waitFor()
  await edit.getByRole('button', { name: 'Change answers' }).click()
  await edit.getByLabel('Phone Number').fill('')
  await edit.getByRole('button', { name: 'Save changes' }).click()
  await edit.getByRole('alert').getByText('Phone Number: Phone number is required').waitFor()
  await expectAccessible(page, 'a change that is refused')
  await edit.getByLabel('Phone Number').fill('9123400000')
  await edit.getByRole('button', { name: 'Save changes' }).click()
  await edit.getByText('Your changes are saved.').waitFor()
  const files = part(page, 'Files')
  await files.getByText('Letter: not uploaded yet').waitFor()
  await files.locator('input[type=file]').setInputFiles(PROOF)
  await files.getByText(`Letter: ${PROOF.name}`).waitFor()

  const cancel = part(page, 'If you cannot come')
  await cancel.getByRole('button', { name: 'Request cancellation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('your refund will be ₹\u00a0885').waitFor()
  await expectAccessible(page, 'asking for cancellation')
  await dialog.getByRole('textbox').fill('I am ill.')
  await dialog.getByRole('button', { name: 'Request cancellation' }).click()
  await cancel.getByText('You requested cancellation on 10 January 2026').waitFor()
  await expectAccessible(page, 'an own page')
  expect(await misplacedAtAnyWidth(page), 'own page').toEqual([])

  // The office sees it among what needs somebody, and decides.
  await page.goto(`${server.url}/admin/login`)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Cancellation requests').waitFor()
  const number = /SMPL\d{13}/.exec(receipt.suggestedFilename())?.[0] ?? ''
  await page.goto(`${server.url}/admin/sample2026/${number}`)
  const panel = part(page, 'Actions')
  await panel.getByText('I am ill.').waitFor()
  await panel.getByText('Phone Number: 9876543210 → 9123400000').waitFor()
  const does = async (button: string, why: string): Promise<void> => {
    await panel.getByRole('button', { name: button, exact: true }).click()
    await dialog.getByLabel('Reason').fill(why)
    await dialog.getByRole('button', { name: button, exact: true }).click()
  }
  await does('Cancel registration', 'Ill.')
  await panel.getByText('To refund: ₹\u00a0885', { exact: true }).waitFor()
  await inbox.mailTo(EMAIL, 'is cancelled')
  expect((await register()).status).toBe(201)

  await panel.getByRole('button', { name: 'Erase personal data' }).click()
  await expectAccessible(page, 'erasing')
  await dialog.getByLabel('Reason').fill('Asked for by letter.')
  await dialog.getByRole('button', { name: 'Erase personal data' }).click()
  await panel.getByText('Personal data of').waitFor()
  await page.getByRole('heading', { level: 1, name: number }).waitFor()
  await page.goto(own)
  await page.getByRole('heading', { level: 1, name: 'We do not recognise this link' }).waitFor()
  expect(complaints.filter((one) => !one.includes('404'))).toEqual([])
  await context.close()
})
