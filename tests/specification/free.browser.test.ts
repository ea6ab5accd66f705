/** Success without payment data, in a browser: event files with `payment: none`, and a price of `free` in one that takes money. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../runs.ts'
import { expectAccessible, launch, visit } from '../browser/browser.ts'
import { field, INTERN, takenOver, ledger, payButton, plain, summary } from '../browser/delegate.ts'
import { serve } from '../browser/serve.ts'
import type { Served } from '../browser/serve.ts'

const NOTICE = 'Registration submitted successfully! You will receive a confirmation email shortly.'

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({}, ({ eventsDir }) => {
      // Takes money of everybody but one category; in the second event, somebody left that category's price at 0.
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

/** The button of a form on which nothing is to be paid. */
const registerButton = (page: Page): Locator =>
  page.getByRole('button', { name: /^(Register|Processing Registration.*)$/ })

/** Sends the form, and waits until the notice has come. */
async function registered(page: Page): Promise<void> {
  await registerButton(page).click()
  await page.getByRole('status').getByText(NOTICE).waitFor()
}

describe('S113 S169: an event without payment', () => {
  const WITH_DIALOG = [
    ['afpicon2026', 'AFPI', INTERN],
    ['chirurgia2026', 'CHIR', null],
  ] as const
  test.each(WITH_DIALOG.slice(0, runs(2, 1)))(
    'S113 S169: %s: a notice, and a dialog with the registration number',
    async (id, prefix, category) => {
      const { page, context, complaints } = await visit(browser)
      await page.goto(`${server.url}/${id}`)
      await takenOver(page)
      await field(page, 'Full Name').fill('Dr. Free Example')
      await page.getByRole('textbox', { name: /^Email/ }).fill('free@example.org')
      await field(page, 'Phone Number').fill('98470')
      if (category !== null) await page.getByRole('radio', { name: category, exact: true }).check()
      await registered(page)
      const dialog = page.getByRole('dialog')
      await expect
        .poll(async () => plain(await dialog.textContent()))
        .toMatch(
          new RegExp(`Registration successful! Your registration number is: ${prefix}\\d{13}`),
        )
      await expectAccessible(page, `${id}, registered`)
      await dialog.getByRole('button', { name: 'OK' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
      await context.close()
    },
  )

  test('S113 S115: midzone2025: the toast is enough', async () => {
    const { page, context } = await visit(browser)
    await page.goto(`${server.url}/midzone2025`)
    await takenOver(page)
    await field(page, 'Full Name').fill('Dr. Free Example')
    await field(page, 'Email').fill('free@example.org')
    await field(page, 'Phone Number').fill('98470')
    await registered(page)
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    // Ready for the next delegate.
    await expect.poll(() => field(page, 'Full Name').inputValue()).toBe('')
    await context.close()
  })
})

test('a free category in a paid event: Register, no gateway, confirmed by email immediately', async () => {
  const { page, context, complaints } = await visit(browser)
  await page.goto(`${server.url}/freezone`)
  await takenOver(page)
  await field(page, 'Full Name').fill('Dr. Free Example')
  await field(page, 'Email').fill('free@example.org')
  await field(page, 'Phone Number').fill('98470')
  await expect.poll(async () => (await ledger(summary(page)))['Total Amount']).toBe('₹ 1,475')
  await expect.poll(() => payButton(page).isEnabled()).toBe(true)
  const yes = (question: string): Locator =>
    page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes', exact: true })
  await yes('Are you a post graduate?').check()
  await yes('AFPI Member').check()
  await field(page, 'AFPI Membership Number').fill('K-12')
  await expect.poll(() => ledger(summary(page))).toEqual({ 'Total Amount': 'Free' })
  await expect.poll(() => payButton(page).count()).toBe(0)
  await expectAccessible(page, 'a form whose total is free')
  await registered(page)
  expect(new URL(page.url()).pathname).toBe('/freezone')

  const mails = join(server.dataDir, 'mail')
  const mailed = (): string[] =>
    existsSync(mails) ? readdirSync(mails).filter((name) => /-FREE\d+\.eml$/.test(name)) : []
  await expect.poll(mailed, { timeout: 200_000 }).toHaveLength(1)
  const number = /FREE\d+/.exec(mailed()[0] ?? '')?.[0] ?? ''
  await page.goto(`${server.url}/freezone/payment/success?orderId=${number}`)
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await expect
    .poll(() => ledger(page.getByRole('article')))
    .toMatchObject({
      'Base Fee': 'Free',
      'Total Amount': 'Free',
    })
  expect(complaints).toEqual([])
  await context.close()
})

test('S132: a price of 0 gave a Register button that could be pressed: it is no price, and the button waits', async () => {
  const { page, context } = await visit(browser)
  await page.goto(`${server.url}/zerozone`)
  await takenOver(page)
  await field(page, 'Full Name').fill('Dr. Zero Example')
  await field(page, 'Email').fill('zero@example.org')
  await field(page, 'Phone Number').fill('98470')
  const yes = (question: string): Locator =>
    page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes', exact: true })
  await yes('Are you a post graduate?').check()
  await expect.poll(() => payButton(page).isEnabled()).toBe(true)
  await yes('AFPI Member').check()
  await field(page, 'AFPI Membership Number').fill('K-12')
  await expect.poll(() => payButton(page).or(registerButton(page)).isDisabled()).toBe(true)
  await context.close()
})
