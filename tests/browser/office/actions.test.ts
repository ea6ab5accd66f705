/** Office actions on a registration's page, and their effects for delegates. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import { expectAccessible, launch, addSessionCookie, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { clickAtGateway } from '../delegate.ts'
import { findFreePort } from '../serve.ts'
import { expectFocusKept, findEntries, pressAction } from './registration-page.ts'
import { buildFixtureEvent } from '../../server/small-event.ts'
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { hashPassword } from '../../../server/office/auth/passwords.ts'
import { toNoon, buildRegNo, PASSWORD, register, signIn } from '../../server/office/office.ts'

const EVENT = 'sample2026'
const extraYaml = `
cancellation:
  steps: [{until: 2026-01-15, refund: 75%}, {until: 2026-01-31, refund: 50%}, {otherwise: none}]
quotas:
  - {id: dais, when: {is_member: true}, max: 2, full: {message: The dais is full}}
`
let server: TestApp
let browser: Browser
let url: string
let visitor: Visit

beforeAll(async () => {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()]
  server = await startTestApp({
    clock: '2026-01-20T16:00:00+05:30',
    events: { 'sample2026.yaml': buildFixtureEvent({ extra: extraYaml }) },
    variables: { PORT: String(port), SANDBOX_PORT: String(sandboxPort) },
  })
  await server.deps.store.addAdmin('office', await hashPassword(PASSWORD), server.now())
  url = await server.app.listen({ host: '127.0.0.1', port })
  browser = await launch()
  visitor = await visit(browser)
  await addSessionCookie(visitor.context, url, { username: 'office', password: PASSWORD })
})
afterAll(async () => {
  await visitor.context.close()
  await server.close()
})

const addRegistration = (
  n: number,
  {
    on: registeredDay = '2026-01-10',
    isMember = false,
    pays: paymentResult,
  }: { on?: string; isMember?: boolean; pays?: 'success' } = {},
): Promise<RegNo> =>
  register(server, EVENT, {
    n,
    on: toNoon(registeredDay),
    answers: {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '9876500000',
      is_member: isMember,
    },
    ...(paymentResult === undefined ? {} : { pays: paymentResult }),
  })
const addPaidRegistration = (n: number, isMember = false): Promise<RegNo> =>
  addRegistration(n, { isMember, pays: 'success' })
const openRegistration = async (regNo: string): Promise<Page> => {
  await visitor.page.goto(`${url}/admin/events/${EVENT}/registrations/${regNo}`)
  await findPanel().locator('.state').waitFor()
  return visitor.page
}
const findPanel = () => visitor.page.getByRole('region', { name: 'Actions' })
const findDialog = () => visitor.page.getByRole('dialog')
const press = (name: string) => pressAction(visitor.page, name)
const waitForStatus = (text: string) => findPanel().getByRole('status').getByText(text).waitFor()
const waitForTimelineEntry = (text: string) => findEntries(visitor.page, text).first().waitFor()
/** Fills in the reason and clicks the action's button. */
const confirmAction = async (reason: string, button: string): Promise<void> => {
  await findDialog().getByLabel('Reason').fill(reason)
  await findDialog().getByRole('button', { name: button, exact: true }).click()
}

test('staff write a note, correct a name and transfer a registration; the timeline shows user, action and reason', async () => {
  const page = await openRegistration(await addPaidRegistration(1))
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByLabel('Note', { exact: true }).fill('Wants a vegetarian lunch.')
  await timeline.getByRole('button', { name: 'Add note' }).click()
  await waitForTimelineEntry('Wants a vegetarian lunch.')
  await page.getByRole('status').getByText('Note saved.').waitFor()
  await expectFocusKept(page)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('status').getByText('Note undone.').waitFor()
  await waitForTimelineEntry('Note undone')
  await press('Edit answers')
  await findDialog().getByLabel('Answer to correct').selectOption('Full Name')
  await findDialog().getByLabel('Full Name').fill('')
  await confirmAction('Spelt wrongly.', 'Edit answers')
  await findDialog().getByRole('alert').getByText('Full name is required').waitFor()
  await expectAccessible(page, 'a rejected correction')
  await findDialog().getByLabel('Full Name').fill('Asha Nair')
  await findDialog().getByRole('button', { name: 'Edit answers' }).click()
  await waitForStatus('Correction saved.')
  await page.getByRole('heading', { level: 1, name: 'Asha Nair' }).waitFor()
  await waitForTimelineEntry('Corrected: Full Name: Delegate 1 → Asha Nair')
  await press('Transfer to another person')
  await findDialog().getByLabel('Full Name').fill('Binu Das')
  await findDialog().getByLabel('Email Address').fill('binu@example.org')
  await findDialog().getByLabel('Phone Number').fill('9876511111')
  await expectAccessible(page, 'a transfer')
  await confirmAction('A colleague comes instead.', 'Transfer to another person')
  await waitForStatus('Registration transferred.')
  await page.getByRole('heading', { level: 1, name: 'Binu Das' }).waitFor()
  await expectAccessible(page, 'a registration with its timeline')
  await page.setViewportSize({ width: 360, height: 800 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('the cancel dialog shows how the proposed refund is calculated: the overpayment, the percentage and earlier refunds', async () => {
  const regNo = await addPaidRegistration(30)
  const staffSession = await signIn(server)
  const correctAction = { act: 'correct', why: 'Found the card.', answers: { is_member: true } }
  expect((await staffSession.act(regNo, { ...correctAction, total: 1180 })).status).toBe(200)
  const refundAction = {
    act: 'refund',
    why: 'Agreed.',
    amount: '1000',
    by_hand: true,
    reference: 'CASH 9',
  }
  expect((await staffSession.act(regNo, refundAction)).status).toBe(200)
  await openRegistration(regNo)
  await press('Cancel registration')
  const readFigure = async (name: string): Promise<string> =>
    (await findDialog().getByText(name, { exact: true }).locator('..').innerText())
      .replaceAll('\u00a0', ' ')
      .replaceAll(/\s+/g, ' ')
  await findDialog().getByText('Proposed refund').waitFor()
  expect(await readFigure('Paid')).toBe('Paid ₹ 3,540')
  expect(await readFigure('Overpaid: refunded in full')).toMatch(/full ₹ 2,360$/)
  expect(await readFigure('50% of the price of ₹\u00a01,180')).toBe(
    '50% of the price of ₹ 1,180 ₹ 590',
  )
  expect(await readFigure('Refunded so far')).toBe('Refunded so far − ₹ 1,000')
  expect(await readFigure('Proposed refund')).toBe('Proposed refund ₹ 1,950')
  await findDialog().getByText('At least ₹\u00a01,360 must be refunded').waitFor()
  expect(await findDialog().getByLabel('Amount to refund').inputValue()).toBe('1950')
  await confirmAction('Ill.', 'Cancel registration')
  await waitForStatus('Registration cancelled')
})

test('staff cancel a registration under the refund rules: its seat can be sold again, and half of the price is refunded', async () => {
  await addPaidRegistration(4, true)
  const page = await openRegistration(await addPaidRegistration(2, true))
  const submitForm = () =>
    server.post('/api/sample2026/register/', {
      full_name: 'Next Member',
      email: 'next@example.org',
      phone_number: '9876522222',
      is_member: 'true',
    })
  expect((await submitForm()).statusCode).toBe(409)
  await press('Cancel registration')
  await findDialog().getByText('50% of the price of ₹\u00a01,180').waitFor()
  await findDialog().getByText('Proposed refund').waitFor()
  await expect.poll(() => findDialog().getByLabel('Amount to refund').inputValue()).toBe('590')
  await expectAccessible(page, 'cancelling')
  await confirmAction('Ill, wrote yesterday.', 'Cancel registration')
  await waitForStatus('Registration cancelled')
  await findPanel().getByText('To refund: ₹\u00a0590', { exact: true }).waitFor()
  expect((await submitForm()).statusCode).toBe(201)
  await press('Refund')
  await findDialog().getByLabel('Refund method').selectOption('Already refunded outside Rollcall')
  await findDialog().getByLabel('Transfer reference or slip number').fill('NEFT 4711')
  await expectAccessible(page, 'a manual refund')
  await confirmAction('By the scale.', 'Refund')
  await waitForStatus('₹\u00a0590 was refunded outside Rollcall.')
  await waitForTimelineEntry('Refunded outside Rollcall')
  await expect.poll(() => findPanel().locator('.care').count()).toBe(0)
})

test('before the dialog cancels or refunds, it shows changes made while it was open', async () => {
  const regNo = await addRegistration(29)
  const page = await openRegistration(regNo)
  await press('Cancel registration')
  await expect
    .poll(() => findDialog().getByRole('definition').allTextContents())
    .toEqual(['₹\u00a03,540', '₹\u00a00', '₹\u00a00'])
  const actInAnotherTab = async (body: string) =>
    expect(
      await page.evaluate(
        async ([path, json]) =>
          fetch(path, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: json,
          }).then(({ status }) => status),
        [`/api/admin/registrations/${regNo}/acts/`, body] as const,
      ),
    ).toBe(200)
  await actInAnotherTab(
    '{"act":"confirm","way":"transfer","reference":"HDFCN52026012029","amount":3540,"day":"2026-01-20"}',
  )
  await confirmAction('Never paid.', 'Cancel registration')
  await findDialog().getByRole('alert').getByText('The registration was not cancelled').waitFor()
  await findDialog()
    .getByRole('term')
    .filter({ hasText: /^Paid$/ })
    .waitFor()
  await findDialog().getByText('₹\u00a03,540').first().waitFor()
  await expectAccessible(page, 'a payment before the cancellation')
  await findDialog().getByLabel('Amount to refund').fill('3540')
  await confirmAction('Asked for it by phone.', 'Cancel registration')
  await waitForStatus('Registration cancelled')
  await findPanel().getByText('To refund: ₹\u00a03,540', { exact: true }).waitFor()

  await press('Refund')
  await findDialog().getByLabel('Amount to refund').fill('1000')
  await findDialog().getByLabel('Transfer reference or slip number').fill('HDFCN52026013001')
  await actInAnotherTab(
    '{"act":"refund","why":"Agreed.","amount":1000,"by_hand":true,"reference":"HDFCN52026013002"}',
  )
  await confirmAction('Agreed by phone.', 'Refund')
  await findDialog()
    .getByRole('alert')
    .getByText('₹\u00a02,540 can still be refunded. Nothing was refunded.')
    .waitFor()
  await confirmAction('Another 1,000, agreed.', 'Refund')
  await waitForStatus('₹\u00a01,000 was refunded outside Rollcall.')
})

test('after a correction to a higher category, the delegate pays the balance by the emailed link; after one to a lower category, the difference is refunded', async () => {
  const upgradedNumber = buildRegNo(server, EVENT, 4)
  const page = await openRegistration(upgradedNumber)
  await press('Edit answers')
  await findDialog().getByLabel('Answer to correct').selectOption('Member')
  await findDialog().getByRole('combobox', { name: 'Member', exact: true }).selectOption('No')
  await confirmAction('Shows no card.', 'Edit answers')
  await findDialog().getByRole('alert').getByText('₹\u00a02,360 more').waitFor()
  await expectAccessible(page, 'a correction that changes the price')
  await findDialog().getByRole('button', { name: 'Accept new price and save correction' }).click()
  await waitForStatus('Correction saved. The price is ₹\u00a02,360 higher.')
  await findPanel().getByText('Partly paid', { exact: true }).waitFor()

  const delegate = await visit(browser, { width: 360 })
  await delegate.page.goto(url + (await findPaymentLink()))
  await delegate.page.getByRole('heading', { name: '₹\u00a02,360 still to pay' }).waitFor()
  await expectAccessible(delegate.page, 'a difference to be paid')
  await delegate.page.getByRole('button', { name: 'Pay ₹\u00a02,360 now' }).click()
  await clickAtGateway(delegate.page, 'Pay')
  await delegate.page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await expect.poll(() => delegate.page.getByText('still to pay').count()).toBe(0)
  expect(delegate.consoleErrors).toEqual([])
  await delegate.context.close()
  await openRegistration(upgradedNumber)
  await findPanel()
    .getByText(/^Paid in full/)
    .waitFor()

  await openRegistration(await addPaidRegistration(3))
  await press('Edit answers')
  await findDialog().getByLabel('Answer to correct').selectOption('Member')
  await findDialog().getByRole('combobox', { name: 'Member', exact: true }).selectOption('Yes')
  await confirmAction('Found the card.', 'Edit answers')
  await findDialog().getByRole('alert').getByText('₹\u00a02,360 less').waitFor()
  await findDialog().getByRole('button', { name: 'Accept new price and save correction' }).click()
  await findPanel().getByText('To refund: ₹\u00a02,360').waitFor()
  await press('Refund')
  await expect.poll(() => findDialog().getByLabel('Amount to refund').inputValue()).toBe('2360')
  await findDialog().getByLabel('Refund method').selectOption('Already refunded outside Rollcall')
  await findDialog().getByLabel('Transfer reference or slip number').fill('NEFT 4712')
  await confirmAction('Corrected.', 'Refund')
  await waitForStatus('₹\u00a02,360 was refunded outside Rollcall.')
  expect(visitor.consoleErrors).toEqual([])
})

/** Returns the payment link in the newest email. */
async function findPaymentLink(): Promise<string> {
  await server.mailer.run()
  const folder = join(server.dir, 'mail')
  const [newest = ''] = readdirSync(folder).toSorted().toReversed()
  // Long lines are wrapped in emails.
  const text = readFileSync(join(folder, newest), 'utf8').replaceAll('=\n', '')
  return /\/my\/[\w-]+/.exec(text)?.[0] ?? ''
}

test('staff confirm a matching transfer and open its receipt', async () => {
  const regNo = await addRegistration(9, { on: '2026-01-19' })
  const page = await openRegistration(regNo)
  await press('Send payment link')
  await findDialog().waitFor()
  await expectAccessible(page, 'sending a payment link')
  await page.keyboard.press('Escape')
  await press('Record payment')
  await findDialog().getByLabel('UTR or bank reference').fill('HDFCN52026011912345')
  await findDialog().getByLabel('Amount received').fill('3540')
  await findDialog().getByLabel('Date received').fill('2026-01-19')
  await expectAccessible(page, 'confirming a payment')
  await findDialog().getByRole('button', { name: 'Record payment' }).click()
  await waitForStatus(`₹\u00a03,540 by bank transfer recorded: ${regNo} is paid.`)
  await waitForTimelineEntry(
    'Payment recorded: ₹\u00a03,540 by bank transfer, reference HDFCN52026011912345',
  )
  const receipt = page
    .getByRole('region', { name: 'Documents' })
    .getByRole('link', { name: /^Receipt/ })
  const [download] = await Promise.all([page.waitForEvent('download'), receipt.click()])
  expect(download.suggestedFilename()).toMatch(/^Receipt-.*\.pdf$/)
})

test('the search lists results, says if there are none, and opens the page of a single result', async () => {
  const { page } = visitor
  await page.goto(`${url}/admin/search?q=nobody+has+this+name`)
  const searchStatus = page.getByRole('main').getByRole('status')
  await searchStatus
    .getByText(/No registrations found in .+\. Try fewer letters, or the phone number\./)
    .waitFor()
  await expectAccessible(page, 'search, nothing found')
  await page.getByRole('searchbox').fill('Dr Dellegate')
  await page.keyboard.press('Enter')
  await searchStatus.getByText('with a similar name').waitFor()
  await expect.poll(() => page.locator('.hits').getByRole('link').count()).toBeGreaterThan(1)
  await page.getByRole('searchbox').fill('Dr delegate')
  await page.keyboard.press('Enter')
  await searchStatus.getByText('registrations').waitFor()
  await expect.poll(() => page.locator('.hits').getByRole('link').count()).toBeGreaterThan(1)
  await expectAccessible(page, 'search with several hits')
  await page.getByRole('searchbox').fill(buildRegNo(server, EVENT, 9))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Delegate 9' }).waitFor()
})

test('an unknown registration number shows a message', async () => {
  const { page } = visitor
  await page.goto(`${url}/admin/events/${EVENT}/registrations/SMPL0000000000000`)
  await page.getByRole('heading', { level: 1, name: 'Registration not found' }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Try Again' }).count()).toBe(0)
  await expectAccessible(page, 'registration not found')
})
