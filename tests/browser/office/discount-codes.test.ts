/** The office page for an event's discount codes. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from '../browser.ts'
import { buildFixtureEvent } from '../../server/small-event.ts'
import { startTestApp } from '../../server/harness.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { TestApp } from '../../server/harness.ts'
import { hashCheaply, PASSWORD } from '../../server/office/office.ts'
import { findAddButton } from './registration-page.ts'

const extraYaml = `
codes:
  kinds: [{id: member, label: Free membership, gives: {category: member}}]
`
const companions =
  '{id: companions, type: people, label: Companion, max: 2, fields: [{id: name, label: Name, required: A name is needed}, {id: age, type: number, label: Age, min: 0, max: 99, required: An age is needed}]}'
const EVENT = buildFixtureEvent({ extra: extraYaml }).replace(
  /( +- )(\{id: letter,.*)/,
  (line, dash: string) => `${line}\n${dash}${companions}`,
)
let server: TestApp
let browser: Browser
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': EVENT },
  })
  await server.deps.store.addAdmin('office', await hashCheaply(PASSWORD), server.now())
  browser = await launch()
})
afterAll(async () => {
  await server.close()
})

test('discount codes are created and listed, and withdrawn after confirmation', async () => {
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const { page, context, consoleErrors } = await visit(browser, { width: 360 })
  await page.goto(`${url}/admin/events/sample2026/codes`)
  await page.getByLabel('Username').fill('office')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('heading', { level: 1, name: 'Discount codes' }).waitFor()
  const createRegion = page.getByRole('region', { name: 'Create codes' })
  await createRegion.getByLabel('Number of codes').fill('none')
  await createRegion.getByRole('button', { name: 'Create codes' }).click()
  await createRegion.getByRole('alert').getByText('Create 1 to 1000 codes at a time.').waitFor()
  await expect.poll(() => createRegion.getByLabel('Number of codes').inputValue()).toBe('none')
  await createRegion.getByLabel('Number of codes').fill('2')
  await createRegion.getByLabel('Uses per code').fill('3')
  await createRegion.getByLabel('Valid until').fill('2026-01-31')
  await createRegion.getByLabel('Note for staff').fill('For the choir')
  await createRegion.getByRole('button', { name: 'Create codes' }).click()
  await createRegion.getByRole('status').getByText('2 codes created:').waitFor()
  const createdCodes = (await createRegion.locator('pre').innerText()).split('\n')
  const [firstCode = ''] = createdCodes
  const codeRows = page.getByRole('table', { name: 'All codes' }).locator('tbody tr')
  await codeRows.filter({ hasText: firstCode }).waitFor()
  await expect.poll(() => codeRows.count()).toBe(2)
  const readFirstRow = () => codeRows.first().innerText()
  for (const text of [
    'Free membership',
    'For the choir',
    '0 of 3',
    '31 Jan 2026',
    'not a discount',
  ])
    await expect.poll(readFirstRow).toContain(text)
  await expectAccessible(page, 'codes')
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)

  const codeItem = codeRows.filter({ hasText: firstCode })
  await codeItem.getByRole('button', { name: `Withdraw ${firstCode}` }).click()
  const confirmButton = codeItem.getByRole('button', {
    name: `Withdraw permanently? ${firstCode}`,
  })
  await confirmButton.waitFor()
  await expectAccessible(page, 'a code to be withdrawn')
  await confirmButton.click()
  await codeItem.getByText('Withdrawn', { exact: true }).waitFor()
  await expect.poll(() => codeRows.getByRole('button').count()).toBe(1)
  expect(consoleErrors).toEqual([])

  // No slip is printed for a withdrawn code.
  await page.getByRole('link', { name: 'Print slips' }).click()
  const slips = page.getByRole('list', { name: 'Slips' }).getByRole('listitem')
  await slips.filter({ hasText: createdCodes[1] ?? '' }).waitFor()
  await expect.poll(() => slips.count()).toBe(1)
  await expect
    .poll(() => slips.innerText())
    .toContain('For 3 registrations, valid until 31 Jan 2026')
  await expectAccessible(page, 'printed code slips')

  // The other code is used for a manual registration with a companion.
  await page.goto(`${url}/admin/events/sample2026/registrations/new`)
  await page.getByLabel('Full Name').fill('Asha Nair')
  await page.getByLabel('Email Address').fill('asha@example.org')
  await page.getByLabel('Phone Number').fill('9876500000')
  await page.getByText('To pay: ₹\u00a03,540').waitFor()
  await page.getByText('More details', { exact: true }).click()
  const codeField = page.getByLabel('Discount code (optional)')
  await codeField.fill('UNKNOWN')
  await codeField.blur()
  await page.getByText('This code', { exact: false }).waitFor()
  await codeField.fill(createdCodes[1] ?? '')
  await codeField.blur()
  await page.getByText('Discount code: Free membership').waitFor()
  await page.getByText('To pay: ₹\u00a01,180').waitFor()
  await page.getByRole('button', { name: 'Add: Companion' }).click()
  // No method is preselected, so that staff do not record cash that they did not receive.
  await findAddButton(page).click()
  await page.getByText('Choose a payment method.').waitFor()
  await page.getByRole('radio', { name: 'Pay later (send link)' }).check()
  await findAddButton(page).click()
  const companion = page.getByRole('group', { name: 'Companion 1' })
  await companion.getByText('A name is needed').waitFor()
  await expectAccessible(page, 'a manual registration with a companion')
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await companion.getByLabel('Name').fill('Binu Nair')
  await companion.getByLabel('Age').fill('7')
  await findAddButton(page).click()
  await page.getByText('has registered but has not paid yet.').waitFor()
  const regNo = (await page.getByRole('link', { name: /^SMPL/ }).textContent()) ?? ''
  expect(await server.deps.store.registration(regNo)).toMatchObject({
    total: 118_000,
    category: 'member',
    answers: { companions: [{ name: 'Binu Nair', age: 7 }], code: 'member' },
  })
  expect(await server.deps.store.discountCodeOfRegistration(regNo as RegNo)).toBe(createdCodes[1])
  expect(consoleErrors).toEqual([])
  await context.close()
})
