/** Free registrations in a browser: events with `payment: none`, and a `free` price in a paid event. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseRuns } from '../runs.ts'
import { expectAccessible, launch, visit } from '../browser/browser.ts'
import {
  findField,
  INTERN_CATEGORY,
  waitForHydration,
  readData,
  findPayButton,
  toPlainText,
  findSummary,
} from '../browser/delegate.ts'
import { serve } from '../browser/serve.ts'
import type { TestServer } from '../browser/serve.ts'

const SUCCESS_NOTICE =
  'Registration submitted successfully! You will receive a confirmation email shortly.'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({}, ({ eventsDir }) => {
      // In the first event, one category is free. In the second, that category has the price 0 by mistake.
      for (const [id, prefix, price] of [
        ['freezone', 'FREE', 'free'],
        ['zerozone', 'ZERO', '0'],
      ] as const)
        writeFileSync(
          join(eventsDir, `${id}.yaml`),
          readFileSync(join(eventsDir, 'midzone2025.yaml'), 'utf8')
            .replace(/\nexamples:[\s\S]*$/, '\n')
            .replaceAll(/midzone(2025)?/g, id)
            .replaceAll('MIDZ', prefix)
            .replace(/(\n {4}afpi-pg: +)\[750\]/, `$1[${price}]`),
        )
      for (const id of ['afpicon2026', 'chirurgia2026', 'midzone2025']) {
        const path = join(eventsDir, `${id}.yaml`)
        const text = readFileSync(path, 'utf8')
        writeFileSync(
          path,
          text
            .replace(/\nexamples:[\s\S]*$/, '\n')
            .replace(/\n {2}prices:.*\n(?: {4}.*\n)+/, (table) =>
              table.replaceAll(/(?<=[[ ])\d+(?=[,\]])/g, 'free'),
            )
            .replace(/\npayment:\n(?: +.*\n)+/, '\npayment: none\n')
            .replace(/^ {2}- payment\.account\n/m, ''),
        )
      }
    }),
  ])
})
afterAll(async () => {
  await server.stop()
})

/** Finds the submit button of a form without payment. */
const findRegisterButton = (page: Page): Locator =>
  page.getByRole('button', { name: /^(Register|Processing Registration.*)$/ })

/** Submits the form and waits for the notice. */
async function submitForm(page: Page): Promise<void> {
  await findRegisterButton(page).click()
  await page.getByRole('status').getByText(SUCCESS_NOTICE).waitFor()
}

describe('S113 S169: an event without payment', () => {
  const EVENTS_WITH_DIALOG = [
    ['afpicon2026', 'AFPI', INTERN_CATEGORY],
    ['chirurgia2026', 'CHIR', null],
  ] as const
  test.each(EVENTS_WITH_DIALOG.slice(0, chooseRuns(2, 1)))(
    'S113 S169: %s shows a notice, and a dialog with the registration number',
    async (id, prefix, category) => {
      const { page, context, consoleErrors } = await visit(browser)
      await page.goto(`${server.url}/${id}`)
      await waitForHydration(page)
      await findField(page, 'Full Name').fill('Dr. Free Example')
      await page.getByRole('textbox', { name: /^Email/ }).fill('free@example.org')
      await findField(page, 'Phone Number').fill('98470')
      if (category !== null) await page.getByRole('radio', { name: category, exact: true }).check()
      await submitForm(page)
      const dialog = page.getByRole('dialog')
      await expect
        .poll(async () => toPlainText(await dialog.textContent()))
        .toMatch(
          new RegExp(`Registration successful! Your registration number is: ${prefix}\\d{13}`),
        )
      await expectAccessible(page, `${id}, registered`)
      await dialog.getByRole('button', { name: 'OK' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(consoleErrors).toEqual([])
      await context.close()
    },
  )

  test('S113 S115: midzone2025 shows a toast and no dialog', async () => {
    const { page, context } = await visit(browser)
    await page.goto(`${server.url}/midzone2025`)
    await waitForHydration(page)
    await findField(page, 'Full Name').fill('Dr. Free Example')
    await findField(page, 'Email').fill('free@example.org')
    await findField(page, 'Phone Number').fill('98470')
    await submitForm(page)
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    // The form is reset for the next delegate.
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('')
    await context.close()
  })
})

test('a free registration for a paid event has a Register button, needs no gateway and is confirmed by email immediately', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await page.goto(`${server.url}/freezone`)
  await waitForHydration(page)
  await findField(page, 'Full Name').fill('Dr. Free Example')
  await findField(page, 'Email').fill('free@example.org')
  await findField(page, 'Phone Number').fill('98470')
  await expect.poll(async () => (await readData(findSummary(page)))['Total Amount']).toBe('₹ 1,475')
  await expect.poll(() => findPayButton(page).isEnabled()).toBe(true)
  const findYesOption = (question: string): Locator =>
    page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes', exact: true })
  await findYesOption('Are you a post graduate?').check()
  await findYesOption('AFPI Member').check()
  await findField(page, 'AFPI Membership Number').fill('K-12')
  await expect.poll(() => readData(findSummary(page))).toEqual({ 'Total Amount': 'Free' })
  await expect.poll(() => findPayButton(page).count()).toBe(0)
  await expectAccessible(page, 'a form whose total is free')
  await submitForm(page)
  expect(new URL(page.url()).pathname).toBe('/freezone')

  const mailDir = join(server.dataDir, 'mail')
  const listEmailFiles = (): string[] =>
    existsSync(mailDir) ? readdirSync(mailDir).filter((name) => /-FREE\d+\.eml$/.test(name)) : []
  await expect.poll(listEmailFiles, { timeout: 200_000 }).toHaveLength(1)
  const regNo = /FREE\d+/.exec(listEmailFiles()[0] ?? '')?.[0] ?? ''
  await page.goto(`${server.url}/freezone/payment/success?orderId=${regNo}`)
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await expect
    .poll(() => readData(page.getByRole('article')))
    .toMatchObject({
      'Base Fee': 'Free',
      'Total Amount': 'Free',
    })
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('S132: with a price of 0, the button is disabled', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/zerozone`)
  await waitForHydration(page)
  await findField(page, 'Full Name').fill('Dr. Zero Example')
  await findField(page, 'Email').fill('zero@example.org')
  await findField(page, 'Phone Number').fill('98470')
  const findYesOption = (question: string): Locator =>
    page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes', exact: true })
  await findYesOption('Are you a post graduate?').check()
  await expect.poll(() => findPayButton(page).isEnabled()).toBe(true)
  await findYesOption('AFPI Member').check()
  await findField(page, 'AFPI Membership Number').fill('K-12')
  await expect.poll(() => findPayButton(page).or(findRegisterButton(page)).isDisabled()).toBe(true)
  await context.close()
})
