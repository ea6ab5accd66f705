/** The pages in browsers that lack modern functions or syntax, cookies, workers or JavaScript. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launch, visit } from './browser.ts'
import type { Visit } from './browser.ts'
import { fillForm, FORM_PATH, findPayButton, PG_CATEGORY, toPlainText } from './delegate.ts'
import { findLayoutProblems, findLayoutProblemsAtAnyWidth } from './layout-boxes.ts'
import { ADMIN, waitUntilRendered, serve } from './serve.ts'
import type { TestServer } from './serve.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
  await waitUntilRendered(server.url + FORM_PATH)
})
afterAll(() => server.stop())

/** Expects the fees and the contact address that docs/browsers.md promises. */
async function expectFees(page: Page): Promise<void> {
  await page.getByText('To register, use a recent browser with JavaScript turned on.').waitFor()
  const table = page.getByRole('table')
  await table.waitFor()
  await expect.poll(async () => toPlainText(await table.textContent())).toContain('₹ 4,250')
  await expect
    .poll(() => page.getByRole('link', { name: 'support@afpicon.example' }).first().isVisible())
    .toBe(true)
}

/** Opens a window of a browser that cannot parse our script. */
async function visitFromOldBrowser(): Promise<Visit> {
  const visitor = await visit(browser)
  await visitor.page.route(/assets\/index-.*\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'const unknown = @syntax' }),
  )
  return visitor
}
const visitWithoutScript = (): Promise<Visit> => visit(browser, { javaScript: false })
const OLD_BROWSERS = [
  ['an older browser', visitFromOldBrowser],
  ['a browser without JavaScript', visitWithoutScript],
] as const

describe.each(OLD_BROWSERS)('in %s', (_, visitFrom) => {
  test("the text below an event's header does not touch the header", async () => {
    const { page, context } = await visitFrom()
    await page.goto(server.url + FORM_PATH)
    const text = page.locator('.lead:visible')
    await text.waitFor()
    const header = await page.getByRole('banner').boundingBox()
    const box = await text.boundingBox()
    expect((box?.y ?? 0) - (header?.y ?? 0) - (header?.height ?? 0)).toBeGreaterThan(20)
    await context.close()
  })

  test('a result page does not say that it is loading the registration', async () => {
    const { page, context } = await visitFrom()
    await page.goto(`${server.url}/afpicon/payment/success`)
    const readMainText = (): Promise<string> => page.locator('main').innerText()
    await expect.poll(readMainText).toContain('use a recent browser with JavaScript')
    expect(await readMainText()).not.toContain('loading')
    await context.close()
  })

  test.each(['/admin/login', '/my'])('%s states that a recent browser is needed', async (path) => {
    const { page, context } = await visitFrom()
    await page.goto(server.url + path)
    await expect
      .poll(() => page.locator('main').innerText())
      .toContain('a recent browser with JavaScript')
    await context.close()
  })

  test.each([320, 1280])('the page for organisers fits a width of %i px', async (width) => {
    const { page, context } = await visitFrom()
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`${server.url}/organisers`)
    await expect
      .poll(() => page.locator('main').innerText())
      .toContain('need a recent browser with JavaScript')
    await expect.poll(() => findLayoutProblems(page)).toEqual([])
    await context.close()
  })
})

describe('a browser that cannot run the form shows the fees and the contact address', () => {
  test('if the script has unsupported syntax', async () => {
    const { page, context } = await visitFromOldBrowser()
    await page.goto(server.url + FORM_PATH)
    await expectFees(page)
    await expect.poll(() => findPayButton(page).isVisible()).toBe(false)
    await context.close()
  })

  test('if rendering throws because a function is missing', async () => {
    const { page, context } = await visit(browser, { privateWindow: true })
    await page.addInitScript(() => Reflect.deleteProperty(Object, 'hasOwn'))
    await page.goto(server.url + FORM_PATH)
    await page.getByText('We could not show this page').waitFor()
    await expectFees(page)
    await context.close()
  })

  test('but if a script could not be loaded, the form is still shown', async () => {
    const { page, context } = await visit(browser, { privateWindow: true })
    await page.route(/assets\/index-.*\.js$/, (route) => route.abort())
    await page.goto(server.url + FORM_PATH)
    await expect.poll(() => page.getByRole('textbox', { name: 'Full Name' }).isVisible()).toBe(true)
    await expect.poll(() => page.getByRole('table').count()).toBe(0)
    await context.close()
  })
})

describe('with cookies blocked, so that browser storage and channels throw errors', () => {
  test('the form of an event with an upload opens and shows its price', async () => {
    const { page, context, consoleErrors } = await visit(browser, { privateWindow: true })
    await page.addInitScript(() => {
      const throwSecurityError = (): never => {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      }
      Object.defineProperty(window, 'sessionStorage', { get: throwSecurityError })
      Object.defineProperty(window, 'BroadcastChannel', { value: throwSecurityError })
    })
    await page.goto(server.url + FORM_PATH)
    await fillForm(page, { name: 'Dr Jürgen D’Souza आशा', category: PG_CATEGORY, hasProof: true })
    await page.getByText(', uploaded').waitFor()
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('signing in to the office says that cookies are required', async () => {
    const { page, context } = await visit(browser)
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
  test('without JavaScript, shows its purpose, the steps and a sample file to copy', async () => {
    const { page, context } = await visit(browser, { javaScript: false })
    await page.goto(`${server.url}/organisers`)
    const mainText = await page.locator('main').innerText()
    expect(mainText).toContain(
      'The editor and the checker on this page need a recent browser with JavaScript',
    )
    expect(mainText).toContain('format: 1')
    await expect.poll(() => page.locator('main ol li').count()).toBeGreaterThan(1)
    await context.close()
  })

  test('without its worker, shows a message and still lets the file be edited and saved', async () => {
    const { page, context } = await visit(browser)
    await page.route(/assets\/check-event-file-worker-.*\.js$/, (route) => route.abort())
    await page.goto(`${server.url}/organisers`)
    await page.getByRole('button', { name: 'Copy event file' }).click()
    await page.getByText('The checker did not start in this browser').waitFor()
    await expect.poll(() => page.getByText('Reading the file').count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Save file' }).isVisible()).toBe(true)
    expect(await findLayoutProblemsAtAnyWidth(page)).toEqual([])
    await context.close()
  })

  test('without its worker, no tab says that the file has no problems', async () => {
    const { page, context } = await visit(browser)
    await page.route(/assets\/check-event-file-worker-.*\.js$/, (route) => route.abort())
    await page.goto(`${server.url}/organisers`)
    await page.getByRole('button', { name: 'Copy event file' }).click()
    const panel = page.getByRole('tabpanel')
    for (const tab of ['Form', 'Price', 'Result pages', 'Findings', 'Examples']) {
      await page.getByRole('tab', { name: tab }).click()
      await panel.getByText('The checker did not start, so there is no preview').waitFor()
      expect(await panel.innerText()).not.toContain('No problems')
      expect(await panel.innerText()).not.toContain('no examples')
    }
    await context.close()
  })
})
