/** The people of the office in a browser: a second factor is set up and asked for, somebody is added, sees their event, and is seen in the activity. */
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from '../browser.ts'
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { cheapHash, PASSWORD } from '../../server/office/office.ts'

let server: TestApp
let browser: Browser
let url: string
beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10' })
  await server.deps.store.addAdmin('owner', await cheapHash(PASSWORD), server.now())
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  browser = await launch()
})
afterAll(() => server.close())

const codeOf = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({
    timestamp: server.now(),
  })
const fits = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)
const signIn = async (page: Page, username: string, password: string): Promise<void> => {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

test('an owner sets up a second factor, signs in with it, and adds a user of one event, who sees only that event', async () => {
  const { page, context, complaints } = await visit(browser, { width: 360 })
  await page.goto(`${url}/admin/account`)
  await signIn(page, 'owner', PASSWORD)

  // The account: a wrong password is said at its field; the secret is shown; a code of it switches it on.
  const factor = page.getByRole('region', { name: 'Two-step sign-in' })
  await factor.getByLabel('Your password').fill('not this one')
  await factor.getByRole('button', { name: 'Show QR code' }).click()
  await factor.getByText('This password is wrong.').waitFor()
  await expectAccessible(page, 'an account with a wrong password')
  await factor.getByLabel('Your password').fill(PASSWORD)
  await factor.getByRole('button', { name: 'Show QR code' }).click()
  await factor.getByRole('img', { name: /QR code/ }).waitFor()
  await expectAccessible(page, 'the secret is shown')
  const secret = await factor.getByText(/^[A-Z2-7 ]{39}$/).innerText()
  await factor.getByLabel('Code from the app').fill(codeOf(secret))
  await factor.getByRole('button', { name: 'Turn on' }).click()
  await factor.getByText('Two-step sign-in is on.').waitFor()
  await expect.poll(() => factor.getByRole('listitem').count()).toBe(10)
  await expect.poll(() => fits(page)).toBe(true)
  await expectAccessible(page, 'the recovery codes are shown')

  // Signed out, and in again: the code is asked for once the password was right.
  await page.getByRole('button', { name: 'Logout' }).click()
  server.setTime('2025-10-10T12:05:00+05:30')
  await signIn(page, 'owner', PASSWORD)
  await page.getByLabel('Code from your authenticator app').fill('000000')
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('alert').getByText('This code is wrong.').waitFor()
  await expectAccessible(page, 'a wrong code')
  await page.getByLabel('Code from your authenticator app').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('link', { name: 'Team' }).click()

  // People: somebody is added, and the link that is shown once sets their password.
  const [first, second] = server.deps.events.all().map(({ config }) => config)
  const adding = page.getByRole('region', { name: 'Invite' })
  await adding.getByLabel('Username').fill('sita')
  await adding.getByLabel('Role').selectOption('desk')
  await adding.getByLabel('All events, including future ones').uncheck()
  await adding.getByRole('button', { name: 'Create invitation link' }).click()
  await adding.getByText('Choose at least one event, or all events.').waitFor()
  await expect.poll(() => adding.getByLabel('Username').inputValue()).toBe('sita')
  await adding.getByLabel(first!.title).check()
  await adding.getByRole('button', { name: 'Create invitation link' }).click()
  const link = await page.getByText(/\/admin\/password#/).innerText()
  await page.getByRole('listitem').filter({ hasText: 'sita' }).waitFor()
  await page.getByText('Change sita').click()
  await page.getByRole('form', { name: 'Permissions of sita' }).waitFor()
  await expectAccessible(page, 'people')
  await page.setViewportSize({ width: 320, height: 900 })
  await expect.poll(() => fits(page)).toBe(true)
  await page.setViewportSize({ width: 360, height: 900 })

  const desk = await visit(browser, { width: 360 })
  await desk.page.goto(`${url}/admin/password#${link.split('#')[1]}`)
  await desk.page.getByText('You will sign in as sita.').waitFor()
  await desk.page.getByLabel('Password', { exact: true }).fill('sita2026')
  await desk.page.getByRole('button', { name: 'Set password' }).click()
  await desk.page.getByText('A password must be', { exact: false }).waitFor()
  await expectAccessible(desk.page, 'a password that is not taken')
  await desk.page.getByLabel('Password', { exact: true }).fill('three words apart')
  await desk.page.getByRole('button', { name: 'Set password' }).click()
  await desk.page.getByRole('link', { name: 'Sign In' }).click()
  await signIn(desk.page, 'sita', 'three words apart')
  await desk.page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  const nav = desk.page.getByRole('navigation', { name: 'Office' })
  await expect.poll(() => nav.getByRole('link', { name: 'Team' }).count()).toBe(0)
  await expect.poll(() => nav.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
  const listOf = (event: typeof first) => event?.admin.lists[0]?.route ?? ''
  await expect.poll(() => nav.locator(`a[href="${listOf(first)}"]`).count()).toBe(1)
  await expect.poll(() => nav.locator(`a[href="${listOf(second)}"]`).count()).toBe(0)
  await desk.page.goto(`${url}${listOf(second)}`)
  await desk.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()

  // The activity says who did it; removing asks first, and leaves the name there.
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').waitFor()
  await expectAccessible(page, 'somebody is to be removed')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('sita removed and signed out').waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  const done = page.getByRole('region', { name: 'Entries' }).getByRole('listitem')
  await done.filter({ hasText: 'owner removed sita' }).waitFor()
  await page.getByLabel('User').selectOption('sita')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await done.filter({ hasText: 'sita set a password with a link' }).waitFor()
  // What was shown before named the same act.
  await expect.poll(() => done.filter({ hasText: 'owner' }).count()).toBe(0)
  await expectAccessible(page, 'activity')
  await expect.poll(() => fits(page)).toBe(true)
  expect([complaints, desk.complaints]).toEqual([[], []])
  await context.close()
  await desk.context.close()
})
