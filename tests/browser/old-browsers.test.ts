/** What a delegate sees in a browser that lacks something: functions, syntax, cookies, a worker, JavaScript. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launch, visit } from './browser.ts'
import { fillForm, FORM, payButton, PG, plain } from './delegate.ts'
import { ADMIN, drawn, serve } from './serve.ts'
import type { Served } from './serve.ts'

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
  await drawn(server.url + FORM)
})
afterAll(() => server.stop())

/** The fees and the address that docs/browsers.md promises. */
async function expectFees(page: Page): Promise<void> {
  await page.getByText('To register, use a recent browser with JavaScript.').waitFor()
  const table = page.getByRole('table')
  await table.waitFor()
  await expect.poll(async () => plain(await table.textContent())).toContain('₹ 4,250')
  await expect
    .poll(() => page.getByRole('link', { name: 'support@afpicon.example' }).first().isVisible())
    .toBe(true)
}

describe('a browser that cannot run the form shows the fees and the contact address', () => {
  test('if the script has unsupported syntax', async () => {
    const { page, context } = await visit(browser, { own: true })
    await page.route(/assets\/index-.*\.js$/, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'const unknown = @syntax' }),
    )
    await page.goto(server.url + FORM)
    await expectFees(page)
    await expect.poll(() => payButton(page).isVisible()).toBe(false)
    await context.close()
  })

  test('if rendering throws because a function is missing', async () => {
    const { page, context } = await visit(browser, { own: true })
    await page.addInitScript(() => Reflect.deleteProperty(Object, 'hasOwn'))
    await page.goto(server.url + FORM)
    await page.getByText('We could not show this page').waitFor()
    await expectFees(page)
    await context.close()
  })

  test('keeps the form if a script could not be loaded', async () => {
    const { page, context } = await visit(browser, { own: true })
    await page.route(/assets\/index-.*\.js$/, (route) => route.abort())
    await page.goto(server.url + FORM)
    await expect.poll(() => page.getByRole('textbox', { name: 'Full Name' }).isVisible()).toBe(true)
    await expect.poll(() => page.getByRole('table').count()).toBe(0)
    await context.close()
  })
})

describe('with cookies blocked, so that storage and channels throw', () => {
  test('the form of an event with an upload opens and shows its price', async () => {
    const { page, context, complaints } = await visit(browser, { own: true })
    await page.addInitScript(() => {
      const refuse = (): never => {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      }
      Object.defineProperty(window, 'sessionStorage', { get: refuse })
      Object.defineProperty(window, 'BroadcastChannel', { value: refuse })
    })
    await page.goto(server.url + FORM)
    await fillForm(page, { name: 'Dr Jürgen D’Souza आशा', category: PG, proof: true })
    await page.getByText(', sent').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('signing in to the office says that cookies are required', async () => {
    const { page, context } = await visit(browser, { own: true })
    await page.route('**/admin/login/', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const response = await route.fetch()
      const { 'set-cookie': _, ...headers } = response.headers()
      await context.clearCookies()
      return route.fulfill({ response, headers })
    })
    await page.goto(`${server.url}/admin/login`)
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password').fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign In' }).click()
    await page.getByText('Your browser blocks cookies').waitFor()
    expect(page.url()).toBe(`${server.url}/admin/login`)
    await context.close()
  })
})

describe('the page for organisers', () => {
  test('without JavaScript: states its purpose, the steps, and a sample file to copy', async () => {
    const { page, context } = await visit(browser, { javaScript: false })
    await page.goto(`${server.url}/organisers`)
    const said = await page.locator('main').innerText()
    expect(said).toContain(
      'The editor and the checker on this page need a recent browser with JavaScript',
    )
    expect(said).toContain('format: 1')
    await expect.poll(() => page.locator('main ol li').count()).toBeGreaterThan(1)
    await context.close()
  })

  test('if its worker does not start: says so, and the file can be edited and saved', async () => {
    const { page, context } = await visit(browser, { own: true })
    await page.route(/assets\/check-event-file-worker-.*\.js$/, (route) => route.abort())
    await page.goto(`${server.url}/organisers`)
    await page.getByText('The checker did not start in this browser').waitFor()
    await expect.poll(() => page.getByText('Reading the file').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Save file' }).isVisible()).toBe(true)
    await context.close()
  })
})
