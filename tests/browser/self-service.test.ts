/** A delegate who lost the link: the self-service page, payment, changes, cancellation and erasure. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixtureDelegate, buildFixtureEvent } from '../server/small-event.ts'
import { findLayoutProblemsAtAnyWidth } from './layout-boxes.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import { clickAtGateway, PROOF_FILE } from './delegate.ts'
import { findEntries, pressAction } from './office/registration-page.ts'
import { findLink, openInbox } from './inbox.ts'
import type { Inbox } from './inbox.ts'
import { ADMIN, serve } from './serve.ts'
import type { TestServer } from './serve.ts'

const EVENT = buildFixtureEvent({
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
let server: TestServer
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
/** Waits for an email to the delegate with this text, and returns the link in the newest one. */
const waitForLink = async (phrase: string): Promise<string> =>
  findLink(await inbox.waitForEmail(EMAIL, phrase))
/** Waits until the page has moved the focus to this heading, because the focused button has disappeared. */
const waitForFocusOn = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name }).and(page.locator(':focus')).waitFor()
const findRegion = (page: Page, name: string) => page.getByRole('region', { name })

test('a delegate requests a lost link, pays, changes an answer and cancels under the refund scale; the seat is sold again, and staff erase the data', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  expect((await register({ full_name: NAME, email: EMAIL })).status).toBe(201)
  expect((await register()).status).toBe(409)

  await page.goto(`${server.url}/sample2026`)
  await page.getByRole('link', { name: 'Lost your link?' }).click()
  await page.getByRole('heading', { level: 1, name: 'Lost your link?' }).waitFor()
  const emailField = page.getByRole('textbox', { name: 'The email address you registered with' })
  const sendButton = page.getByRole('button', { name: 'Send me my link' })
  await sendButton.click()
  await page.getByRole('alert').getByText('Please enter the email address').waitFor()
  await expectAccessible(page, 'a lost link without an address')
  // By keyboard alone.
  await emailField.focus()
  await page.keyboard.type('Lost.Link@sample.example')
  await page.keyboard.press('Enter')
  await page.getByText('If this address is registered').waitFor()
  await expectAccessible(page, 'a lost link')

  await page.goto(await waitForLink('Your link for Sample 2026'))
  await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
  await findRegion(page, 'If you cannot attend').getByText('You have not paid anything').waitFor()
  await page.getByRole('button', { name: /^Pay .*1,180 now$/ }).click()
  await clickAtGateway(page, 'Pay')
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()

  const selfServiceLink = await waitForLink('you are registered as Member')
  await page.goto(selfServiceLink)
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  const [receipt] = await Promise.all([
    page.waitForEvent('download'),
    findRegion(page, 'Documents')
      .getByRole('link', { name: /^Receipt/ })
      .click(),
  ])
  expect(receipt.suggestedFilename()).toMatch(/^Receipt-SMPL\d+\.pdf$/)

  const editRegion = findRegion(page, 'Change your answers')
  await editRegion.getByText('until the end of 20 February 2026').waitFor()
  await editRegion.getByRole('button', { name: 'Change answers' }).click()
  await waitForFocusOn(page, 'Change your answers')
  await editRegion.getByLabel('Phone Number').fill('')
  await editRegion.getByRole('button', { name: 'Save changes' }).click()
  await editRegion.getByRole('alert').getByText('Phone number is required').waitFor()
  const phone = editRegion.getByRole('textbox', { description: 'Phone number is required' })
  expect(await phone.getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page, 'a change that is refused')
  await editRegion.getByLabel('Phone Number').fill('9123400000')
  await editRegion.getByRole('button', { name: 'Save changes' }).click()
  await editRegion.getByText('Your changes are saved.').waitFor()
  await waitForFocusOn(page, 'Change your answers')
  const files = findRegion(page, 'Files')
  await files.getByText('Letter: not uploaded yet').waitFor()
  await files.locator('input[type=file]').setInputFiles(PROOF_FILE)
  await files.getByText(`Letter: ${PROOF_FILE.name}`).waitFor()

  const cancelRegion = findRegion(page, 'If you cannot attend')
  await cancelRegion.getByRole('button', { name: 'Request cancellation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('your refund will be ₹\u00a0885').waitFor()
  await dialog.getByRole('button', { name: 'Keep registration' }).waitFor()
  await expectAccessible(page, 'asking for cancellation')
  await dialog.getByRole('textbox').fill('I am ill.')
  await dialog.getByRole('button', { name: 'Request cancellation' }).click()
  await cancelRegion.getByText('You requested cancellation on 10 January 2026').waitFor()
  await waitForFocusOn(page, 'If you cannot attend')
  await expectAccessible(page, 'the self-service page after a cancellation request')
  expect(await findLayoutProblemsAtAnyWidth(page), 'self-service page').toEqual([])

  // Staff see the request in the work queue and decide on it.
  await page.goto(`${server.url}/admin/login`)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Cancellation requests').waitFor()
  const regNo = /SMPL\d{13}/.exec(receipt.suggestedFilename())?.[0] ?? ''
  await page.goto(`${server.url}/admin/events/sample2026/registrations/${regNo}`)
  const panel = findRegion(page, 'Actions')
  await findEntries(page, 'I am ill.').first().waitFor()
  await findEntries(page, 'Phone Number: 9876543210 → 9123400000').first().waitFor()
  const performAction = async (button: string, reason: string): Promise<void> => {
    await pressAction(page, button)
    await dialog.getByLabel('Reason').fill(reason)
    await dialog.getByRole('button', { name: button, exact: true }).click()
  }
  await performAction('Cancel registration', 'Ill.')
  await panel.getByText('To refund: ₹\u00a0885', { exact: true }).waitFor()
  await inbox.waitForEmail(EMAIL, 'has been cancelled')
  expect((await register()).status).toBe(201)

  await pressAction(page, 'Erase personal data')
  await expectAccessible(page, 'erasing')
  await dialog.getByLabel('Reason').fill('Asked for by letter.')
  await dialog.getByRole('button', { name: 'Erase personal data' }).click()
  await panel.getByText('Personal data of').first().waitFor()
  await page.getByRole('heading', { level: 1, name: regNo }).waitFor()
  await page.goto(selfServiceLink)
  await page.getByRole('heading', { level: 1, name: 'We do not recognise this link' }).waitFor()
  expect(consoleErrors.filter((consoleError) => !consoleError.includes('404'))).toEqual([])
  await context.close()
})
