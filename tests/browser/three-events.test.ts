/**
 * Three whole events, each from its form to its confirmation: a marathon with a family, a shirt and a gift, a free
 * webinar, a national conference page by page; and what its delegates are refused.
 */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from './browser.ts'
import { atGateway, field, ledger, orderIdOf } from './delegate.ts'
import { serve } from './serve.ts'
import type { Served } from './serve.ts'

const EVENTS = join(import.meta.dirname, '..', 'events')

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({ CLOCK: '2026-12-24T12:00:00+05:30' }, ({ eventsDir }) => {
      for (const file of readdirSync(EVENTS))
        copyFileSync(join(EVENTS, file), join(eventsDir, file))
    }),
  ])
})
afterAll(async () => {
  await server.stop()
})

const bill = (page: Page, title: string): Locator =>
  page.getByRole('complementary', { name: title })
const button = (page: Page, name: string): Locator =>
  page.getByRole('button', { name, exact: true })

test('a runner enters with a family, a shirt and a gift, pays, and finds each line again', async () => {
  const { page, context, complaints } = await visit(browser)
  await page.goto(`${server.url}/nilarun2027`)
  await field(page, 'Name on the bib').fill('Tara Sample')
  await field(page, 'E-mail').fill('tara@example.org')
  await field(page, 'Mobile').fill('98470 12345')
  const distance = page.getByRole('radio', { name: '10 km', exact: true })
  // Born a day too late for the grown runners' distances.
  await page.getByLabel('Date of birth').fill('2009-01-18')
  await field(page, 'Parent or guardian').waitFor()
  expect(await distance.count()).toBe(0)
  await page.getByLabel('Date of birth').fill('1982-01-17')
  await distance.check()
  await page.getByLabel('Running shirt').selectOption('xxl')
  await button(page, 'Add a person').click()
  await page.getByRole('textbox', { name: 'Person 1: Name' }).fill('Ravi Sample')
  await page.getByLabel('Person 1: Date of birth').fill('2009-01-17')
  await button(page, 'Add another person').click()
  await page.getByRole('textbox', { name: 'Person 2: Name' }).fill('Mini Sample')
  await page.getByLabel('Person 2: Date of birth').fill('2022-05-05')
  await field(page, 'I give').fill('99')
  await page.getByRole('checkbox', { name: /I am fit to run/ }).check()
  await button(page, 'Pay and Enter').click()
  await page.getByText('Please give between 100 and 50000 rupees').first().waitFor()
  await field(page, 'I give').fill('501')
  // 799 + 549 + 400 + 150 + 501
  await expect
    .poll(() => ledger(bill(page, 'Your Entry')))
    .toEqual({
      'Ten kilometres': '₹ 799',
      'T-shirt, XXL': '₹ 549',
      'Family run, adult': '₹ 400',
      'Family run, under 18': '₹ 150',
      'Gift to the river': '₹ 501',
      Entry: 'Late entry',
      'Total Amount': '₹ 2,399',
    })
  await expectAccessible(page, 'a form with a family')
  await button(page, 'Pay and Enter').click()
  await page.waitForURL((url) => url.origin !== server.url)
  await atGateway(page, 'Pay')
  await page.waitForURL((url) => url.pathname === '/nilarun2027/paid')
  await page.getByRole('heading', { name: 'See You at the Start' }).waitFor()
  await page.getByRole('heading', { name: 'Runner' }).waitFor()
  expect(orderIdOf(page)).toMatch(/^NILA\d{13}$/)
  expect(await ledger(page.getByRole('main'))).toMatchObject({
    Race: 'Ten kilometres',
    'Total Amount': '₹ 2,399',
  })
  expect(complaints).toEqual([])
  await context.close()
})

test('a listener of the webinar pays nothing and agrees, and the same address has one seat', async () => {
  const { page, context, complaints } = await visit(browser)
  const fill = async (): Promise<void> => {
    await page.goto(`${server.url}/soiltalk2027`)
    await field(page, 'Name').fill('Gopal Sample')
    await field(page, 'E-mail').fill('gopal@example.org')
    for (const topic of ['Salt', 'Metals'])
      await page.getByRole('checkbox', { name: topic }).check()
  }
  await fill()
  const keep = button(page, 'Keep Me a Seat')
  await keep.click()
  await page.getByText('Without this we cannot send the link').first().waitFor()
  const consent = page.getByRole('checkbox', { name: 'You may write to me about this webinar' })
  await consent.check()
  await keep.click()
  await page.getByRole('status').getByText('You have a seat. We have sent you the link.').waitFor()
  await fill()
  await consent.check()
  await keep.click()
  await page
    .getByText('This address has a seat already. We have sent the link to it once more.')
    .first()
    .waitFor()
  expect(complaints).toEqual([])
  await context.close()
})
