/** The registration form: missing answers are reported at their fields, and typed text is kept. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, holdRequests, launch, visit } from './browser.ts'
import {
  findField,
  fillForm,
  FORM_PATH,
  INTERN_CATEGORY,
  waitForHydration,
  readData,
  findPayButton,
  PG_CATEGORY,
  toPlainText,
  locateErrorSummary,
  PROOF_FILE,
  findSummary,
} from './delegate.ts'
import { serve } from './serve.ts'
import type { TestServer } from './serve.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
})
afterAll(async () => {
  await server.stop()
})

async function openForm(page: Page): Promise<void> {
  await page.goto(server.url + FORM_PATH)
  await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).waitFor()
  // Typed text is kept even without the script, but only the script validates a field that loses focus.
  await waitForHydration(page)
}

/** Returns the state of a control, without its name, as assistive technology sees it. */
async function readFieldState(
  page: Page,
  label: string,
): Promise<{ readonly invalid: string | null; readonly described: string }> {
  const { invalid, described } = await findField(page, label).evaluate((control) => ({
    invalid: control.getAttribute('aria-invalid'),
    described: (control.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  }))
  return { invalid, described: toPlainText(described) }
}

describe('an empty form', () => {
  test('S021 S048 S053: shows one heading, the stepper on its first step, and a button that states why it is disabled', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await openForm(page)
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).allTextContents())
      .toEqual(['AFPICON 2026'])
    const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
    await expect
      .poll(async () => (await steps.allTextContents()).map(toPlainText))
      .toEqual([
        'Personal Information',
        'Registration Category',
        'Documentation',
        'Review & Payment',
      ])
    await expect.poll(() => steps.first().getAttribute('aria-current')).toBe('step')
    // The full form is on this page: each link leads to its section, and no link leads to fields that this delegate
    // does not see.
    await steps.getByRole('link', { name: 'Registration Category' }).press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('2Registration Category')
    expect(await steps.getByRole('link').allTextContents()).not.toContain('Documentation')
    await steps.getByRole('link', { name: 'Review & Payment' }).press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Registration Summary')
    await expect.poll(() => findPayButton(page).isDisabled()).toBe(true)
    const reasonId = (await findPayButton(page).getAttribute('aria-describedby')) ?? ''
    await expect
      .poll(async () => toPlainText(await page.locator(`[id="${reasonId}"]`).textContent()).length)
      .toBeGreaterThan(10)
    await expectAccessible(page, 'form, empty')
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('S049 S050 S051 S119: offers 37 states, and shows fields that depend on other answers', async () => {
    const { page, context } = await visit(browser)
    await openForm(page)
    await expect.poll(() => page.getByLabel('State').locator('option').count()).toBe(38)
    await expect.poll(() => findField(page, 'AFPI Membership Number').count()).toBe(0)
    await page.getByRole('switch', { name: 'AFPI Member' }).check()
    await findField(page, 'AFPI Membership Number').waitFor()
    await page.getByRole('switch', { name: 'AFPI Member' }).uncheck()
    await findField(page, 'AFPI Membership Number').waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('input[type=file]').count()).toBe(0)
    await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
    await expect.poll(() => page.locator('input[type=file]').count()).toBe(1)
    await context.close()
  })

  test(
    'on a phone, the form does not scroll sideways, and the bar shows the price',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser, { width: 360, height: 740 })
      await openForm(page)
      await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
      await page
        .getByRole('region', { name: 'Registration Summary' })
        .getByRole('button', { name: /5,015/ })
        .waitFor()
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await expectAccessible(page, 'form on a phone')
      await context.close()
    },
  )

  test(
    'states its purpose and the contact address without JavaScript',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser, { javaScript: false })
      await page.goto(server.url + FORM_PATH)
      const text = toPlainText(await page.locator('body').innerText())
      for (const line of [
        'AFPICON 2026',
        '31 January – 1 February 2026',
        'support@afpicon.example',
        'JavaScript',
      ])
        expect(text).toContain(line)
      // Four periods next to each other are wider than a phone.
      await page.setViewportSize({ width: 320, height: 568 })
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
      await expect
        .poll(async () => (await page.locator('table.fees-plain').boundingBox())?.y)
        .toBeLessThan(568)
      await context.close()
    },
  )
})

test(
  'Enter moves to the next field and does not submit an incomplete form',
  { tags: ['slow'] },
  async () => {
    const { page, context } = await visit(browser)
    await openForm(page)
    await page.getByRole('radio', { name: INTERN_CATEGORY, exact: true }).check()
    await findField(page, 'Full Name').fill('Dr. Enter Example')
    await findField(page, 'Full Name').press('Enter')
    await page.keyboard.type('asha@example.org')
    await expect.poll(() => findField(page, 'Email Address').inputValue()).toBe('asha@example.org')
    await findField(page, 'City').press('Enter')
    await page.keyboard.press('Tab')
    await expect
      .poll(() =>
        page.getByRole('radio', { name: INTERN_CATEGORY, exact: true }).evaluate(isFocused),
      )
      .toBe(true)
    await expect.poll(() => locateErrorSummary(page).count()).toBe(0)
    await context.close()
  },
)

const isFocused = (element: Element): boolean => element === document.activeElement

test.each(['/', FORM_PATH, '/organisers', '/nowhere'])(
  'one key press skips the header of %s',
  { tags: ['slow'] },
  async (path) => {
    const { page, context } = await visit(browser)
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const skipLink = page.getByRole('link', { name: 'Skip to main content' })
    await skipLink.waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => skipLink.evaluate((link) => link === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('main')?.id))
      .toBe('main')
    await context.close()
  },
)

describe('missing and invalid answers', () => {
  test('S120 S121 S122 S123 S125 S126 S127 S128: are listed at the top, where the focus moves, and linked to their inputs; each is removed when corrected', async () => {
    const { page, context } = await visit(browser)
    await openForm(page)
    await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
    await page.getByRole('switch', { name: 'AFPI Member' }).check()
    await findField(page, 'Email Address').fill('not an address')
    await findPayButton(page).click()
    await locateErrorSummary(page).waitFor()
    await expect
      .poll(() => locateErrorSummary(page).evaluate((box) => box === document.activeElement))
      .toBe(true)
    await expect.poll(() => page.title()).toBe('Error: AFPICON 2026: registration')
    await expect
      .poll(async () =>
        (await locateErrorSummary(page).getByRole('link').allTextContents()).map(toPlainText),
      )
      .toEqual([
        'Full name is required',
        'Please enter a valid email address',
        'Phone number is required',
        'AFPI membership number is required for AFPI members',
        'Proof of post-graduation status is required for PG categories',
      ])
    await expect
      .poll(() => readFieldState(page, 'Full Name'))
      .toEqual({
        invalid: 'true',
        described: 'Full name is required',
      })
    await expect
      .poll(() => readFieldState(page, 'Email Address'))
      .toEqual({
        invalid: 'true',
        described: 'Please enter a valid email address',
      })
    await expectAccessible(page, 'form, an error in every place')

    await locateErrorSummary(page).getByRole('link', { name: 'Full name is required' }).click()
    await expect
      .poll(() =>
        findField(page, 'Full Name').evaluate((input) => input === document.activeElement),
      )
      .toBe(true)
    await findField(page, 'Full Name').fill('Dr. Mended Example')
    await expect
      .poll(() => readFieldState(page, 'Full Name'))
      .toEqual({ invalid: null, described: '' })
    await expect.poll(() => locateErrorSummary(page).getByRole('link').count()).toBe(4)
    await findField(page, 'Email Address').fill('mended@example.org')
    await findField(page, 'Phone Number').fill('98470 00000')
    await findField(page, 'AFPI Membership Number').fill('A-1')
    await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
    await locateErrorSummary(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.title()).toBe('AFPICON 2026: registration')
    await context.close()
  })

  test(
    'a field left empty shows and announces its error when it loses focus',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser)
      await openForm(page)
      const liveRegion = page.locator('p[aria-live=polite]').first()
      await expect.poll(async () => toPlainText(await liveRegion.textContent())).toBe('')
      await findField(page, 'Full Name').focus()
      await findField(page, 'Email Address').focus()
      await expect.poll(() => liveRegion.textContent()).toBe('Full name is required')
      await expect
        .poll(() => readFieldState(page, 'Full Name'))
        .toEqual({
          invalid: 'true',
          described: 'Full name is required',
        })
      await context.close()
    },
  )

  test(
    'suggests a correction of a misspelt email domain, which can be accepted by keyboard and does not block the form',
    { tags: ['slow'] },
    async () => {
      const { page, context } = await visit(browser)
      await openForm(page)
      await findField(page, 'Email Address').fill('asha@gmial.com')
      await page.keyboard.press('Tab')
      const suggestion = page
        .getByRole('status')
        .getByRole('button', { name: 'Did you mean asha@gmail.com?' })
      await suggestion.waitFor()
      await expectAccessible(page, 'another address is offered')
      await expect
        .poll(async () => (await readFieldState(page, 'Email Address')).invalid)
        .toBeNull()
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await expect.poll(() => findField(page, 'Email Address').inputValue()).toBe('asha@gmail.com')
      await expect
        .poll(() =>
          findField(page, 'Email Address').evaluate(
            (element) => element === document.activeElement,
          ),
        )
        .toBe(true)
      await suggestion.waitFor({ state: 'detached' })
      await page.getByText('We will send the confirmation to asha@gmail.com').first().waitFor()
      await context.close()
    },
  )

  test('S124: a missing category is reported at its field', { tags: ['slow'] }, async () => {
    const { page, context } = await visit(browser)
    await openForm(page)
    await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).focus()
    await findField(page, 'Full Name').focus()
    await page.getByText('Please select a registration category').first().waitFor()
    await context.close()
  })

  test('rejects a file of the wrong type immediately; the server rejects a disguised file, and answers are kept', async () => {
    const { page, context } = await visit(browser)
    await openForm(page)
    await fillForm(page, { name: 'Dr. Wrong File', category: PG_CATEGORY })
    await page.locator('input[type=file]').setInputFiles({
      name: 'setup.exe',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('MZ'),
    })
    await page
      .getByText(/setup\.exe:/)
      .first()
      .waitFor()
    // The field states why the file was refused, and not also that a file is required.
    await findPayButton(page).click()
    await locateErrorSummary(page).waitFor()
    expect(await page.locator('.f:has(input[type=file]) .msg:visible').allTextContents()).toEqual([
      expect.stringContaining('setup.exe:'),
    ])
    const releaseUpload = await holdRequests(page, '**/proofs/')
    await page.locator('input[type=file]').setInputFiles({
      name: 'setup.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.concat([Buffer.from('MZ\u0090\u0000'), Buffer.alloc(300)]),
    })
    // Pay is pressed during the upload. The result of the upload is announced near the button, and nothing is
    // submitted.
    await findPayButton(page).click()
    releaseUpload()
    await locateErrorSummary(page).waitFor()
    await expect
      .poll(
        async () =>
          (await locateErrorSummary(page).getByRole('link').allTextContents()).map(toPlainText)
            .length,
      )
      .toBe(1)
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('Dr. Wrong File')
    // A server-side error disappears when its field changes, like any other.
    await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
    await locateErrorSummary(page).waitFor({ state: 'detached' })
    await context.close()
  })
})

describe('a price that changes while the form is open', { tags: ['slow'] }, () => {
  test('is shown with the old price before the payment; answers and file are kept', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await openForm(page)
    await fillForm(page, { name: 'Dr. Patient Sample', category: PG_CATEGORY, hasProof: true })
    await expect
      .poll(async () => (await readData(findSummary(page)))['Total Amount'])
      .toBe('₹ 5,015')

    const path = join(server.eventsDir, 'afpicon2026.yaml')
    const text = readFileSync(path, 'utf8')
    const raisedFile = raisePrice(text)
    writeFileSync(path, raisedFile)
    await expect
      .poll(
        async () =>
          (
            (await (await fetch(`${server.url}/api/afpicon/tariff-info/`)).json()) as {
              pricing: Record<string, { total: number }>
            }
          ).pricing['afpi-pg']?.total,
        { timeout: 200_000 },
      )
      .toBe(5074)

    await findPayButton(page).click()
    const dialog = page.getByRole('dialog', { name: 'The price has changed' })
    await dialog.waitFor()
    const dialogText = toPlainText(await dialog.textContent())
    expect(dialogText).toContain('5,015')
    expect(dialogText).toContain('5,074')
    expect(dialogText).toContain('You have not been charged')
    await expectAccessible(page, 'price changed')
    await dialog.getByRole('button', { name: 'Back to the form' }).click()
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('Dr. Patient Sample')
    await page.getByText(PROOF_FILE.name).first().waitFor()
    await expect
      .poll(async () => (await readData(findSummary(page)))['Total Amount'])
      .toBe('₹ 5,074')

    await findPayButton(page).click()
    await page.waitForURL((url) => url.origin !== server.url)
    await expect
      .poll(async () => toPlainText(await page.locator('body').textContent()))
      .toContain('5,074')
    expect(consoleErrors).toEqual([])
    await context.close()
  })
})

/** Raises the first postgraduate price by 50 rupees, in the price table and in the examples that state it. */
function raisePrice(text: string): string {
  expect(text).toMatch(/afpi-pg: +\[4250,/)
  return text
    .replace(/(\n +afpi-pg: +\[)4250,/, '$14300,')
    .replaceAll(/base: 4250\b/g, 'base: 4300')
    .replaceAll(/gst: 765\b/g, 'gst: 774')
    .replaceAll(/total: 5015\b/g, 'total: 5074')
}
