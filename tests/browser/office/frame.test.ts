/** The office frame: the rail for each role, event switcher, keyboard search, shortcuts, settings, phone layout. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { isAtLeast } from '../../../engine/index.ts'
import { addSessionCookie, expectAccessible, launch, visit } from '../browser.ts'
import type { Visit } from '../browser.ts'
import { fixtureDelegate, buildFixtureEvent } from '../../server/small-event.ts'
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { hashCheaply, PASSWORD } from '../../server/office/office.ts'

const ROLES = ['viewer', 'desk', 'treasurer', 'owner'] as const
let server: TestApp
let browser: Browser
let url = ''
let visitor: Visit
let regNo = ''

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: {
      'sample2026.yaml': buildFixtureEvent(),
      'free2026.yaml': buildFixtureEvent({
        id: 'free2026',
        prefix: 'FREE',
        payment: 'none',
        title: 'Free 2026',
      }),
    },
  })
  for (const role of ROLES)
    await server.deps.store.addAdmin(role, await hashCheaply(PASSWORD), server.now(), {
      role,
      events: null,
    })
  const answers = { ...fixtureDelegate, full_name: 'Dr. Meera Nair' }
  const registerResponse = await server.post('/api/free2026/register/', answers)
  regNo = (registerResponse.json() as { reg_no: string }).reg_no
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  browser = await launch()
})
afterAll(() => server.close())
afterEach(async () => {
  await visitor.context.close()
  if (visitor.consoleErrors.length > 0)
    throw new Error(`the browser logged errors: ${visitor.consoleErrors.join('; ')}`)
})

const openAs = async (username: string, path: string, width = 1280): Promise<Page> => {
  visitor = await visit(browser, { width })
  await addSessionCookie(visitor.context, url, { username, password: PASSWORD })
  await visitor.page.goto(url + path)
  await waitForHeading(visitor.page)
  return visitor.page
}
/** Waits until the heading has focus, because only then does the page handle key presses. */
const waitForHeading = async (page: Page): Promise<void> => {
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
}
/** Checks an open overlay. The content below it is inert, so its contrast is not measured. */
const expectOverlayAccessible = async (page: Page, state: string): Promise<void> => {
  await expectAccessible(page, state, { everyText: true })
}
const getPath = (page: Page): string => page.url().slice(url.length)
const findRail = (page: Page) => page.getByRole('navigation', { name: 'Office' })

/** The pages in the rail, each with the lowest role that may open it. */
const PAGES = {
  Home: 'viewer',
  Registrations: 'viewer',
  Emails: 'desk',
  Payments: 'treasurer',
  'Bank statements': 'treasurer',
  'Audit log': 'owner',
  Team: 'owner',
  'Event files': 'owner',
} as const
/** Pages that only some events have. */
const OPTIONAL_PAGES = {
  Overview: 'viewer',
  Events: 'viewer',
  Sales: 'viewer',
  Settlements: 'treasurer',
  'Discount codes': 'treasurer',
  'Event file': 'treasurer',
} as const

test.each(ROLES)(
  'the rail for the role %s has exactly the pages that this role may open',
  async (role) => {
    const page = await openAs(role, '/admin/login?next=/admin/dashboard')
    // The sign-in page redirects users who are already signed in.
    expect(getPath(page)).toBe('/admin/dashboard')
    const listPages = (
      pages: Readonly<Record<string, (typeof ROLES)[number]>>,
    ): readonly string[] =>
      Object.keys(pages).filter((label) => isAtLeast(role, pages[label] ?? 'owner'))
    const links = await findRail(page).getByRole('link').allTextContents()
    expect(links).toEqual(expect.arrayContaining([...listPages(PAGES)]))
    expect([...listPages(PAGES), ...listPages(OPTIONAL_PAGES)]).toEqual(
      expect.arrayContaining(links),
    )
    await expect
      .poll(() => page.getByRole('link', { name: 'Add registration' }).count())
      .toBe(role === 'viewer' ? 0 : 1)
    if (role === 'owner') return
    await page.goto(`${url}/admin/people?who=asha`)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    expect(getPath(page)).toBe('/admin/team?who=asha')
    await page.getByText('An owner of all events can change your role').waitFor()
  },
)

test('switching events keeps the same page open, and an old URL leads to the registration', async () => {
  const page = await openAs('owner', '/admin/events/sample2026/payments?tab=due&sort=name')
  await page.getByRole('button', { name: /^Sample 2026 .*change event/ }).click()
  await page.getByRole('searchbox', { name: 'Find an event' }).waitFor()
  await expectOverlayAccessible(page, 'event switcher')
  await page.keyboard.type('free')
  await page.keyboard.press('Enter')
  await expect.poll(() => getPath(page)).toBe('/admin/events/free2026/payments?tab=due')
  await page.getByRole('button', { name: /^Free 2026 .*change event/ }).waitFor()

  await page.goto(`${url}/admin/free2026/${regNo}#money`)
  await page.getByRole('heading', { level: 1, name: 'Dr. Meera Nair' }).waitFor()
  expect(getPath(page)).toBe(`/admin/events/free2026/registrations/${regNo}#money`)
  const breadcrumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem')
  await expect
    .poll(() => breadcrumbs.allTextContents())
    .toEqual(['Free 2026', 'Registrations', 'Dr. Meera Nair'])
  expect(await page.title()).toBe('Dr. Meera Nair · Free 2026 · Rollcall office')
})

test('pressing “/”, typing a name and pressing Enter opens a registration; shortcuts and the theme can be changed', async () => {
  const page = await openAs('desk', '/admin/dashboard')
  await page.keyboard.press('/')
  await page.keyboard.type('Meera Dr')
  await page.getByRole('option', { name: /Dr. Meera Nair.*Free 2026/ }).waitFor()
  await expectOverlayAccessible(page, 'search results')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Dr. Meera Nair' }).waitFor()
  await waitForHeading(page)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await expectAccessible(page, 'shortcuts')
  await page.keyboard.press('Escape')
  // Sent together, because the second key must follow within a second and a half.
  await Promise.all([page.keyboard.press('g'), page.keyboard.press('h')])
  await expect.poll(() => getPath(page)).toBe('/admin/dashboard')
  await waitForHeading(page)

  // The search also finds pages and actions, which the arrow keys select. It opens even while a field has focus.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('add sample')
  const addOption = page.getByRole('option', { name: 'Add registration: Sample 2026' })
  await addOption.waitFor()
  // Registrations found in the meantime are listed above this action.
  do await page.keyboard.press('ArrowUp')
  while ((await addOption.getAttribute('aria-selected')) !== 'true')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Add registration' }).waitFor()
  expect(getPath(page)).toBe('/admin/events/sample2026/registrations/new')

  await page.goto(`${url}/admin/dashboard`)
  await page.getByRole('button', { name: /account and settings/ }).click()
  await page.getByRole('radio', { name: 'Dark' }).check()
  await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck()
  await expectOverlayAccessible(page, 'user menu')
  // Tab leaves the menu, and the page can be used again.
  await page.getByRole('dialog').getByRole('button', { name: 'Logout' }).focus()
  await page.keyboard.press('Tab')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain('(change event)')
  await page.reload()
  await waitForHeading(page)
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  await page.keyboard.press('/')
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  await page.keyboard.press('Control+k')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('role')))
    .toBe('combobox')
})

test('on a phone, links to the main pages are at the bottom and the other links are in a menu', async () => {
  const page = await openAs('owner', '/admin/dashboard', 360)
  const bar = page.getByRole('navigation', { name: 'Main' })
  expect(await bar.getByRole('link').allTextContents()).toEqual([
    'Home',
    'Search',
    'Add',
    'Payments',
  ])
  await bar.getByRole('button', { name: 'Menu' }).click()
  await expectAccessible(page, 'menu on a phone')
  await findRail(page).getByRole('link', { name: 'Team' }).click()
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
  await waitForHeading(page)

  // The notice moves the page down instead of covering it, and does not mention a form's answers.
  const measureTop = async (): Promise<number> =>
    (await page.getByRole('heading', { level: 1 }).boundingBox())?.y ?? 0
  const topBefore = await measureTop()
  await visitor.context.setOffline(true)
  await page.getByText('You are offline.', { exact: true }).waitFor()
  await expect.poll(measureTop).toBeGreaterThan(topBefore)
  await visitor.context.setOffline(false)
  await expect.poll(measureTop).toBe(topBefore)
})
