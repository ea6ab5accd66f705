/** The team pages: two-step sign-in, the invitation of a user for one event, and the audit log. */
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from '../browser.ts'
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { hashCheaply, PASSWORD } from '../../server/office/office.ts'

let server: TestApp
let browser: Browser
let url: string
beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10' })
  await server.deps.store.addAdmin('owner', await hashCheaply(PASSWORD), server.now())
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  browser = await launch()
})
afterAll(() => server.close())

const buildCode = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({
    timestamp: server.now(),
  })
const hasNoScroll = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)
/** Opens the menu that contains the office pages on a phone. */
const openMenu = (page: Page): Promise<void> => page.getByRole('button', { name: 'Menu' }).click()
const signIn = async (page: Page, username: string, password: string): Promise<void> => {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

test('an owner sets up a second factor, signs in with it, and adds a user for one event, who sees only that event', async () => {
  const { page, context, consoleErrors } = await visit(browser, { width: 360 })
  await page.goto(`${url}/admin/account`)
  await signIn(page, 'owner', PASSWORD)

  // Account: a wrong password is reported at its field, and a code from the secret shown turns on two-step sign-in.
  const factorRegion = page.getByRole('region', { name: 'Two-step sign-in' })
  await factorRegion.getByLabel('Current password').fill('not this one')
  await factorRegion.getByRole('button', { name: 'Show QR code' }).click()
  await factorRegion.getByText('Incorrect password.').waitFor()
  await expectAccessible(page, 'an account with a wrong password')
  await factorRegion.getByLabel('Current password').fill(PASSWORD)
  await factorRegion.getByRole('button', { name: 'Show QR code' }).click()
  await factorRegion.getByRole('img', { name: /QR code/ }).waitFor()
  await expectAccessible(page, 'the secret is shown')
  const secret = await factorRegion.getByText(/^[A-Z2-7 ]{39}$/).innerText()
  await factorRegion.getByLabel('Code from the app').fill(buildCode(secret))
  await factorRegion.getByRole('button', { name: 'Turn on' }).click()
  await factorRegion.getByText('Two-step sign-in is on.').waitFor()
  await expect.poll(() => factorRegion.getByRole('listitem').count()).toBe(10)
  await expect.poll(() => hasNoScroll(page)).toBe(true)
  await expectAccessible(page, 'the recovery codes are shown')

  // At the next sign-in, a code is requested after the correct password.
  await openMenu(page)
  await page.getByRole('button', { name: 'Logout' }).click()
  server.setTime('2025-10-10T12:05:00+05:30')
  await signIn(page, 'owner', PASSWORD)
  await page.getByLabel('Code from your authenticator app').fill('000000')
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('alert').getByText('Incorrect code.').waitFor()
  await expectAccessible(page, 'a wrong code')
  await page.getByLabel('Code from your authenticator app').fill(buildCode(secret))
  await page.getByRole('button', { name: 'Sign In' }).click()
  await openMenu(page)
  await page.getByRole('link', { name: 'Team' }).click()

  // Team: a user is invited, and the link that is shown once sets their password.
  const [firstEvent, secondEvent] = server.deps.events.all().map(({ config }) => config)
  const inviteRegion = page.getByRole('region', { name: 'Invite' })
  await inviteRegion.getByLabel('Username').fill('sita')
  await inviteRegion.getByLabel('Role').selectOption('desk')
  await inviteRegion.getByLabel('All events, including future ones').uncheck()
  await inviteRegion.getByRole('button', { name: 'Create invitation link' }).click()
  await inviteRegion.getByText('Choose at least one event, or all events.').waitFor()
  await expect.poll(() => inviteRegion.getByLabel('Username').inputValue()).toBe('sita')
  await inviteRegion.getByLabel(firstEvent!.title).check()
  await inviteRegion.getByRole('button', { name: 'Create invitation link' }).click()
  const link = await page.getByText(/\/admin\/password#/).innerText()
  await page.getByRole('listitem').filter({ hasText: 'sita' }).waitFor()
  await page.getByText('Change sita').click()
  await page.getByRole('form', { name: 'Permissions of sita' }).waitFor()
  await expectAccessible(page, 'people')
  await page.setViewportSize({ width: 320, height: 900 })
  await expect.poll(() => hasNoScroll(page)).toBe(true)
  await page.setViewportSize({ width: 360, height: 900 })

  const deskVisit = await visit(browser, { width: 360 })
  await deskVisit.page.goto(`${url}/admin/password#${link.split('#')[1]}`)
  await deskVisit.page.getByText('You will sign in as sita.').waitFor()
  await deskVisit.page.getByLabel('Password', { exact: true }).fill('sita2026')
  await deskVisit.page.getByRole('button', { name: 'Set password' }).click()
  await deskVisit.page.getByText('The password cannot be a username', { exact: false }).waitFor()
  await expectAccessible(deskVisit.page, 'a rejected password')
  await deskVisit.page.getByLabel('Password', { exact: true }).fill('three words apart')
  await deskVisit.page.getByRole('button', { name: 'Set password' }).click()
  await expect
    .poll(() => deskVisit.page.evaluate(() => document.activeElement?.textContent))
    .toBe('Your password is set. You can now sign in with it.')
  await deskVisit.page.getByRole('link', { name: 'Sign In' }).click()
  await signIn(deskVisit.page, 'sita', 'three words apart')
  await deskVisit.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await openMenu(deskVisit.page)
  const officeNav = deskVisit.page.getByRole('navigation', { name: 'Office' })
  await expect.poll(() => officeNav.getByRole('link', { name: 'Team' }).count()).toBe(0)
  await expect.poll(() => officeNav.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
  const getListPath = (event: typeof firstEvent) => `/admin/events/${event?.id}/registrations`
  await expect.poll(() => officeNav.locator(`a[href="${getListPath(firstEvent)}"]`).count()).toBe(1)
  await expect
    .poll(() => officeNav.locator(`a[href="${getListPath(secondEvent)}"]`).count())
    .toBe(0)
  await deskVisit.page.goto(`${url}${getListPath(secondEvent)}`)
  await deskVisit.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()

  // Removing a user requires confirmation. The audit log still shows the removed user's name.
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').waitFor()
  await expectAccessible(page, 'removing a user')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('sita removed and signed out').waitFor()
  await openMenu(page)
  await page.getByRole('link', { name: 'Audit log' }).click()
  const entryItems = page.getByRole('region', { name: 'Entries' }).getByRole('listitem')
  await entryItems.filter({ hasText: 'owner removed sita' }).waitFor()
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  await page.getByLabel('User', { exact: true }).selectOption('sita')
  await entryItems.filter({ hasText: 'sita set a password with a link' }).waitFor()
  // The filtered list contains no entries for the owner.
  await expect.poll(() => entryItems.filter({ hasText: 'owner' }).count()).toBe(0)
  await expectAccessible(page, 'activity')
  await expect.poll(() => hasNoScroll(page)).toBe(true)
  expect([consoleErrors, deskVisit.consoleErrors]).toEqual([[], []])
  await context.close()
  await deskVisit.context.close()
})
