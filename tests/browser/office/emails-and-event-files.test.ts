/** The office pages for emails and event files. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from '../browser.ts'
import { fixtureDelegate, buildFixtureEvent } from '../../server/small-event.ts'
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { hashCheaply, PASSWORD } from '../../server/office/office.ts'

let server: TestApp
let browser: Browser
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent({ payment: 'none' }) },
  })
  const { store } = server.deps
  await store.addAdmin('owner', await hashCheaply(PASSWORD), server.now())
  for (const email of ['asha@example.org', 'ravi@example.org'])
    await server.post('/api/sample2026/register/', { ...fixtureDelegate, email })
  const [, secondEmail] = await store.dueMails(server.now(), 9)
  await store.mailFailed(secondEmail?.id ?? 0, '550 No such mailbox here.', null)
  browser = await launch()
})
afterAll(() => server.close())

test('a failed email is found by address and resent; the office shows why an invalid event file is not served', async () => {
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const { page, context, consoleErrors } = await visit(browser, { width: 360 })
  const hasNoScroll = (): Promise<boolean> =>
    page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)
  await page.goto(`${url}/admin/system/emails`)
  await page.getByLabel('Username').fill('owner')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor()
  const rows = page.getByRole('region', { name: 'Emails' }).getByRole('listitem')
  await rows.filter({ hasText: 'asha@example.org' }).getByText('Queued').waitFor()
  await page.getByRole('link', { name: 'Failed 1' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByLabel('Status', { exact: true }).selectOption('')
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByLabel('Email address').fill('ravi@')
  const ravi = rows.filter({ hasText: 'ravi@example.org' })
  await ravi.getByText('The mail server rejected the address.').first().waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  await ravi.getByText('550 No such mailbox here.').first().waitFor()
  await ravi.getByText(/^Show email/).click()
  await ravi.getByText('Attempts').waitFor()
  await ravi.getByText('Dear Test Delegate, you are registered').waitFor()
  await expectAccessible(page, 'a failed email')
  await expect.poll(() => hasNoScroll()).toBe(true)
  await ravi.getByRole('button', { name: 'Resend' }).click()
  await page.getByText('1 email queued again.').waitFor()
  await ravi.locator('.badge', { hasText: 'Queued' }).waitFor()

  server.writeEvent(
    'sample2026.yaml',
    buildFixtureEvent({ payment: 'none' }).replace('venue:', 'vneue:'),
  )
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Event files' }).click()
  await page.getByRole('heading', { level: 1, name: 'Event files' }).waitFor()
  await page.getByText('All event files are live.').waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByText('The current version of 1 event file is not live.').waitFor()
  const file = page.getByRole('region', { name: 'Event files' }).getByRole('listitem')
  await file.filter({ hasText: 'Sample 2026' }).getByText('Previous version live').waitFor()
  await file.getByText(/^Findings/).click()
  await file.getByText('vneue').first().waitFor()
  await expectAccessible(page, 'an event file that is not served')
  await expect.poll(() => hasNoScroll()).toBe(true)

  await page.goto(`${url}/admin/events/sample2026/event-file`)
  const versions = page.getByRole('region', { name: 'Versions' })
  await versions
    .getByText('This file has not changed since it was loaded on 10 Jan 2026, 12:00 pm.')
    .waitFor()
  server.setTime('2026-01-10T13:00:00+05:30')
  server.writeEvent('sample2026.yaml', buildFixtureEvent())
  await server.deps.events.reload()
  await page.reload()
  await versions
    .getByText('Price of Member changed from Free to ₹ 1,180 (1–31 January 2026).')
    .waitFor()
  server.setTime('2026-01-10T14:00:00+05:30')
  server.writeEvent('sample2026.yaml', buildFixtureEvent({ price: 1500, total: 1770 }))
  await server.deps.events.reload()
  await page.reload()
  await versions.getByLabel('Compare version').selectOption({ index: 3 })
  await versions.getByLabel('with version').selectOption({ index: 1 })
  const comparison = versions.getByRole('status')
  await comparison
    .getByText('Price of Member changed from Free to ₹ 1,770 (1–31 January 2026).')
    .waitFor()
  await versions.getByText('Text of the version loaded on 10 Jan 2026, 1:00 pm').click()
  await versions
    .getByRole('region', { name: 'Text of the version loaded on 10 Jan 2026, 1:00 pm' })
    .getByText('venue: Town Hall')
    .waitFor()
  await expectAccessible(page, 'the versions of an event file')
  await expect.poll(() => hasNoScroll()).toBe(true)
  expect(consoleErrors).toEqual([])
  await context.close()
})
