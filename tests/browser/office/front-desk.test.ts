/** The front desk and a registration's page: clicks per task, keyboard focus, and two users at the same time. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import { addSessionCookie, expectAccessible, launch, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { findFreePort } from '../serve.ts'
import { buildFixtureEvent } from '../../server/small-event.ts'
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { hashPassword } from '../../../server/office/auth/passwords.ts'
import { toNoon, PASSWORD, register, signIn } from '../../server/office/office.ts'
import {
  countClicks,
  expectFocusKept,
  findAddButton,
  findEntries,
  pressAction,
} from './registration-page.ts'

const EVENT = 'sample2026'
let server: TestApp
let browser: Browser
let url: string
let visitor: Visit

beforeAll(async () => {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()]
  server = await startTestApp({
    clock: '2026-01-31T23:50:00+05:30',
    events: { 'sample2026.yaml': buildFixtureEvent() },
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

const addPaidRegistration = (n: number): Promise<RegNo> =>
  register(server, EVENT, {
    n,
    on: toNoon('2026-01-10'),
    answers: {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '9876500000',
      is_member: false,
    },
    pays: 'success',
  })
const openRegistration = async (page: Page, regNo: string): Promise<void> => {
  await page.goto(`${url}/admin/events/${EVENT}/registrations/${regNo}`)
  await page.locator('.state').waitFor()
}

const readFocusedText = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? '')

function isFocusVisible(): boolean {
  const focusedElement = document.activeElement
  if (focusedElement === null) return false
  const { x, y, width, height } = focusedElement.getBoundingClientRect()
  const topElement = document.elementFromPoint(x + width / 2, y + height / 2)
  return (
    focusedElement.contains(topElement) ||
    topElement?.closest('label')?.contains(focusedElement) === true
  )
}

/** Returns the accessible name of the focused element. Supports only the kinds of elements that these pages contain. */
function readFocusedName(): string {
  const { activeElement: focusedElement } = document
  const labels =
    focusedElement instanceof HTMLInputElement ||
    focusedElement instanceof HTMLSelectElement ||
    focusedElement instanceof HTMLTextAreaElement
      ? focusedElement.labels
      : null
  return (
    focusedElement?.getAttribute('aria-label') ??
    labels?.[0]?.textContent ??
    focusedElement?.textContent ??
    ''
  ).trim()
}

async function pressTabTo(page: Page, name: string | RegExp): Promise<void> {
  const focusedNames: string[] = []
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const focusedName = await page.evaluate(readFocusedName)
    if (typeof name === 'string' ? focusedName === name : name.test(focusedName)) return
    focusedNames.push(focusedName)
  }
  throw new Error(`Tab does not reach ${name}: ${focusedNames.join(' | ')}`)
}

async function fillPerson(page: Page, name: string): Promise<void> {
  await page.getByLabel('Full Name').fill(name)
  await page.getByLabel('Email Address').fill(`${name.replace(' ', '.')}@example.org`)
  await page.getByLabel('Phone Number').fill('9876511111')
}

test('adding a walk-in who pays in cash takes three clicks; a changed price is shown before the payment is recorded', async () => {
  const { page } = visitor
  await page.goto(`${url}/admin/events/${EVENT}/registrations/new`)
  // A missing payment method does not hide other errors.
  await page.getByRole('radio', { name: 'Cash' }).waitFor()
  await findAddButton(page).click()
  await page.getByText('Choose a payment method.').waitFor()
  await page.getByText('Full name is required').waitFor()
  await expect.poll(() => page.evaluate(readFocusedName)).toBe('Full Name')
  const summary = page.getByText('has registered and paid. Received: ₹\u00a03,540')
  const clicks = await countClicks(page, async () => {
    await fillPerson(page, 'Asha Walkin')
    await page.getByRole('radio', { name: 'Cash' }).check()
    await page.getByRole('button', { name: 'Add and record ₹\u00a03,540' }).click()
    await summary.waitFor()
  })
  expect(clicks).toBeLessThanOrEqual(3)
  await expectAccessible(page, 'an added registration')
  await expect.poll(() => readFocusedText(page)).toBe('Add another')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('radio', { name: 'Cash' }).isChecked()).toBe(true)
  const name = page.getByLabel('Full Name')
  await expect.poll(() => name.evaluate((input) => input === document.activeElement)).toBe(true)

  // The price period ends while the form is open.
  await fillPerson(page, 'Binu Later')
  await page.getByRole('button', { name: 'Add and record ₹\u00a03,540' }).waitFor()
  server.setClock('2026-02-01T00:10:00+05:30')
  await findAddButton(page).click()
  await page.getByRole('alert').getByText('₹\u00a04,720').waitFor()
  await expectFocusKept(page)
  expect((await server.deps.store.searchEvents([EVENT], 'Binu Later', 5)).length).toBe(0)
  await page.setViewportSize({ width: 320, height: 600 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  // On a phone, the price bar does not cover a field that is reached by keyboard.
  await page.setViewportSize({ width: 360, height: 660 })
  await name.focus()
  for (let fields = 0; fields < 6; fields += 1) {
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate(isFocusVisible)).toBe(true)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: 'Add and record ₹\u00a04,720' }).click()
  await page.getByText('has registered and paid. Received: ₹\u00a04,720').waitFor()
})

test(
  'a full refund takes three clicks and resending an email takes two; a dialog focuses its first field, but a destructive dialog focuses “Keep registration”',
  { tags: ['slow'] },
  async () => {
    const { page } = visitor
    await openRegistration(page, await addPaidRegistration(1))
    const actions = page.getByRole('region', { name: 'Actions' })
    const dialog = page.getByRole('dialog')
    const resendClicks = await countClicks(page, async () => {
      await pressAction(page, 'Resend confirmation')
      await dialog.getByRole('button', { name: 'Resend confirmation' }).click()
      await findEntries(page, 'Confirmation resent').waitFor()
    })
    expect(resendClicks).toBeLessThanOrEqual(2)
    await pressAction(page, 'Cancel registration')
    await expect.poll(() => readFocusedText(page)).toBe('Keep registration')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => readFocusedText(page)).toBe('More')
    const refundClicks = await countClicks(page, async () => {
      await pressAction(page, 'Refund')
      const amount = dialog.getByLabel('Amount to refund')
      await expect
        .poll(() => amount.evaluate((input) => input === document.activeElement))
        .toBe(true)
      await dialog.getByLabel('Refund method').selectOption('hand')
      await dialog.getByLabel('Transfer reference or slip number').fill('NEFT 1')
      await dialog.getByLabel('Reason').fill('Ill.')
      await dialog.getByRole('button', { name: 'Refund' }).click()
      await actions.getByRole('status').getByText('₹\u00a03,540 was refunded').waitFor()
    })
    expect(refundClicks).toBeLessThanOrEqual(3)
  },
)

test(
  'an email address is corrected in its row in at most three clicks or by keyboard alone; a new price is shown before saving, and an error is shown at its field',
  { tags: ['slow'] },
  async () => {
    const { page } = visitor
    const regNo = await addPaidRegistration(2)
    await openRegistration(page, regNo)
    const answers = page.getByRole('region', { name: 'Delegate and answers' })
    const form = answers.getByRole('form')
    const clicks = await countClicks(page, async () => {
      await answers.getByRole('button', { name: 'Edit Email Address' }).click()
      await form.getByLabel('Email Address').fill('corrected@example.org')
      await form.getByLabel('Reason').fill('By phone.')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('status').getByText('Correction saved.').waitFor()
    })
    expect(clicks).toBeLessThanOrEqual(3)
    await answers.getByText('corrected@example.org').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('status').getByText('Correction undone.').waitFor()
    await answers.getByText('delegate2@example.org').waitFor()

    await answers.getByRole('button', { name: 'Edit Full Name' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Spelt wrongly.')
    await page.keyboard.press('Enter')
    await form.getByRole('alert').getByText('Full name is required').waitFor()
    await form.getByLabel('Full Name').and(page.locator('[aria-invalid="true"]')).waitFor()
    await expectAccessible(page, 'an answer that is corrected in its row')
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Edit Full Name')

    await answers.getByRole('button', { name: 'Edit Member' }).click()
    await form.getByRole('combobox').selectOption('Yes')
    await form.getByLabel('Reason').fill('Found the card.')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('alert').getByText('₹\u00a02,360 less').waitFor()
    expect((await server.deps.store.registration(regNo))?.total).toBe(354_000)
    await form.getByRole('button', { name: 'Save with the new price ₹\u00a01,180' }).click()
    await page.getByText('To refund: ₹\u00a02,360').waitFor()
    await expectFocusKept(page)
    await page.getByRole('checkbox', { name: 'Show who viewed this' }).check()
    await findEntries(page, 'Opened the registration').first().waitFor()
    await page.setViewportSize({ width: 320, height: 600 })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await page.setViewportSize({ width: 1280, height: 900 })
  },
)

test(
  'if two users correct the same answer, no correction is lost: an open page shows changes made by others',
  { tags: ['slow'] },
  async () => {
    const regNo = await addPaidRegistration(3)
    const { page, context, consoleErrors } = await visit(browser, { privateWindow: true })
    await addSessionCookie(context, url, { username: 'office', password: PASSWORD })
    await page.clock.install()
    await openRegistration(page, regNo)
    const answers = page.getByRole('region', { name: 'Delegate and answers' })
    const form = answers.getByRole('form')
    await answers.getByRole('button', { name: 'Edit Email Address' }).click()
    await form.getByLabel('Email Address').fill('second@example.org')
    await form.getByLabel('Reason').fill('By phone.')
    const colleague = await signIn(server, 'colleague')
    const correctEmail = (email: string) =>
      colleague.act(regNo, { act: 'correct', why: 'By letter.', answers: { email } })
    expect((await correctEmail('first@example.org')).status).toBe(200)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('alert').getByText('It is now “first@example.org”').waitFor()
    await page.getByText('Changed while this page was open: colleague: Corrected').waitFor()
    await expect
      .poll(() => form.getByLabel('Email Address').inputValue())
      .toBe('second@example.org')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Correction saved.').waitFor()

    // The page shows the next change without a click.
    expect((await correctEmail('third@example.org')).status).toBe(200)
    await page.clock.runFor(20_000)
    await page.getByText('second@example.org → third@example.org').first().waitFor()
    await answers.getByText('third@example.org').waitFor()

    // An idle page stops polling, so that its session ends.
    await page.clock.fastForward(11 * 60_000)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.clock.runFor(60_000)
    expect(requests).toEqual([])
    await page.keyboard.press('Shift')
    await page.clock.runFor(20_000)
    await expect.poll(() => requests.length).toBeGreaterThan(0)
    expect(consoleErrors.filter((message) => !message.includes('409'))).toEqual([])
    await context.close()
  },
)

test(
  'by keyboard alone, staff add a walk-in, record and refund a payment, select rows, move between registrations and export',
  { tags: ['slow'] },
  async () => {
    const { page, context } = await visit(browser, { privateWindow: true })
    await addSessionCookie(context, url, { username: 'office', password: PASSWORD })
    const { keyboard } = page
    const waitForHeading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    const typeInto = async (field: string, text: string): Promise<void> => {
      await pressTabTo(page, field)
      await keyboard.type(text)
    }
    const pressEnterOn = async (button: string | RegExp): Promise<void> => {
      await pressTabTo(page, button)
      await keyboard.press('Enter')
    }
    const findPerson = async (text: string, name: string): Promise<void> => {
      await keyboard.press('/')
      await keyboard.type(text)
      await page.getByRole('option', { name: new RegExp(text) }).waitFor()
      await keyboard.press('Enter')
      await waitForHeading(name)
      await page.locator('.state').waitFor()
    }
    await register(server, EVENT, {
      n: 4,
      on: toNoon('2026-01-10'),
      answers: {
        full_name: 'Later Payer',
        email: 'later@example.org',
        phone_number: '9876500000',
        is_member: false,
      },
    })
    await page.goto(`${url}/admin/events/${EVENT}`)
    const clicks = await countClicks(page, async () => {
      await waitForHeading('Sample')
      await keyboard.press('n')
      await waitForHeading('Add registration')
      // In a field, a shortcut's letter is typed as text.
      await typeInto('Full Name', 'nina x [Keyboard]')
      await typeInto('Email Address', 'nina@example.org')
      await typeInto('Phone Number', '9876522222')
      await pressTabTo(page, 'Cash')
      await keyboard.press('Space')
      await pressEnterOn(/^Add and record/)
      await page.getByText('has registered and paid').waitFor()
      await page.getByRole('region', { name: 'Added registration' }).getByRole('link').waitFor()
      await findPerson('nina x', 'nina x [Keyboard]')
      await pressEnterOn('Refund')
      await typeInto('Transfer reference or slip number', '12')
      await typeInto('Reason', 'Ill.')
      await pressEnterOn('Refund')
      await page.getByRole('status').getByText('was refunded').waitFor()
      await expectFocusKept(page)

      await findPerson('later', 'Later Payer')
      await pressEnterOn('Record payment')
      await page.getByRole('dialog').waitFor()
      await expect.poll(() => page.evaluate(readFocusedName)).toMatch(/^Payment method/)
      await keyboard.type('Cash')
      await pressEnterOn('Record payment')
      await page.getByText('Paid in full').waitFor()
      await expectFocusKept(page)

      await Promise.all([keyboard.press('g'), keyboard.press('r')])
      await page
        .getByRole('link', { name: /Later Payer/ })
        .or(page.getByRole('row', { name: /Later Payer/ }))
        .first()
        .waitFor()
      await keyboard.press('j')
      await keyboard.press('x')
      await page.getByRole('status').getByText('1 selected').waitFor()
      await keyboard.press('Enter')
      await page.getByRole('link', { name: 'Next' }).waitFor()
      const firstUrl = page.url()
      await keyboard.press(']')
      await expect.poll(() => page.url()).not.toBe(firstUrl)
      await page.getByRole('link', { name: 'Previous' }).waitFor()
      await keyboard.press('[')
      await expect.poll(() => page.url()).toBe(firstUrl)
      await Promise.all([keyboard.press('g'), keyboard.press('r')])
      await page
        .getByRole('link', { name: /Later Payer/ })
        .or(page.getByRole('row', { name: /Later Payer/ }))
        .first()
        .waitFor()
      const download = page.waitForEvent('download')
      await pressEnterOn(/^Export/)
      await download
      // When shortcuts are switched off, the keys do nothing.
      await page.evaluate(() => localStorage.setItem('office-shortcuts', 'off'))
      for (const key of ['n', '[', 'x', 'j']) await keyboard.press(key)
      expect(await page.evaluate(readFocusedName)).toMatch(/^Export/)
    })
    expect(clicks).toBe(0)
    await context.close()
  },
)
