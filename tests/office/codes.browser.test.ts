/** The page of an event's codes, as the office uses it. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from '../browser/browser.ts'
import { fixtureEvent } from '../server/fixture.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { cheapHash, PASSWORD } from './office.ts'

const extra = `
codes:
  kinds: [{id: member, label: Free membership, gives: {category: member}}]
`
let server: TestApp
let browser: Browser
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': fixtureEvent({ extra }) },
  })
  await server.deps.store.addAdmin('office', await cheapHash(PASSWORD), server.now())
  browser = await launch()
})
afterAll(async () => {
  await server.close()
})

test('codes are made, told and listed; one is withdrawn after a second look', async () => {
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const { page, context, complaints } = await visit(browser, { width: 360 })
  await page.goto(`${url}/admin/codes-of/sample2026`)
  await page.getByLabel('Username').fill('office')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('heading', { level: 1, name: 'Codes' }).waitFor()
  const making = page.getByRole('region', { name: 'Make codes' })
  await making.getByLabel('How many').fill('none')
  await making.getByRole('button', { name: 'Make Codes' }).click()
  await making.getByRole('alert').getByText('Make from 1 to 1000 codes at a time.').waitFor()
  expect(await making.getByLabel('How many').inputValue()).toBe('none')
  await making.getByLabel('How many').fill('2')
  await making.getByLabel('Uses of each').fill('3')
  await making.getByLabel('Last day').fill('2026-01-31')
  await making.getByLabel('Note for the office').fill('For the choir')
  await making.getByRole('button', { name: 'Make Codes' }).click()
  await making.getByRole('status').getByText('2 codes were made:').waitFor()
  const told = (await making.locator('pre').innerText()).split('\n')
  const [first = ''] = told
  const listed = page.getByRole('region', { name: 'Codes', exact: true }).getByRole('listitem')
  await listed.filter({ hasText: first }).waitFor()
  expect(await listed.count()).toBe(2)
  expect(await listed.first().innerText()).toContain(
    'Free membership · 0 of 3 used · until 31 January 2026 · For the choir',
  )
  await expectAccessible(page, 'codes')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)

  const one = listed.filter({ hasText: first })
  await one.getByRole('button', { name: `Withdraw ${first}` }).click()
  const forGood = one.getByRole('button', { name: `Withdraw for good? ${first}` })
  await forGood.waitFor()
  await expectAccessible(page, 'a code that is to be withdrawn')
  await forGood.click()
  await one.getByText('Withdrawn', { exact: true }).waitFor()
  expect(await listed.getByRole('button').count()).toBe(1)
  expect(complaints).toEqual([])
  await context.close()
})
