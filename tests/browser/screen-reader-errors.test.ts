/** Names, required states and errors in the accessibility tree of each open form, and further axe checks. */
import type { Browser, Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import {
  findField,
  waitForHydration,
  readData,
  findPayButton,
  toPlainText,
  locateErrorSummary,
  PROOF_FILE,
  findSummary,
  removePrices,
} from './delegate.ts'
import { serve } from './serve.ts'
import type { TestServer } from './serve.ts'
import { readControls } from './accessibility-tree.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2025-11-10T12:00:00+05:30' })])
})
afterAll(async () => {
  await server.stop()
})

const chooseYes = (page: Page, question: string): Promise<void> =>
  page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes' }).check()

type FormCase = {
  readonly path: string
  /** Enters the answers that reveal every conditional field. */
  readonly revealFields: (page: Page) => Promise<void>
  /**
   * Controls and messages in form order, which is not the order of the tree. The file control's name includes the name
   * of its button.
   */
  readonly errors: readonly (readonly [name: string, message: string])[]
  readonly optional: readonly string[]
}
const FORMS: readonly FormCase[] = [
  {
    path: '/afpicon2026',
    revealFields: async (page) => {
      await page.getByRole('switch', { name: 'AFPI Member' }).check()
      await page.getByRole('radio', { name: 'Non-AFPI – Post Graduate', exact: true }).check()
    },
    errors: [
      ['Full Name', 'Full name is required'],
      ['Email Address', 'Email address is required'],
      ['Phone Number', 'Phone number is required'],
      ['AFPI Membership Number', 'AFPI membership number is required for AFPI members'],
      [
        'Proof of Post-Graduation Choose file',
        'Proof of post-graduation status is required for PG categories',
      ],
    ],
    optional: [
      'Ticket Number',
      'Designation',
      'Qualification',
      'Present Institute',
      'Medical Council Registration Number',
      'Address',
      'City',
      'State',
    ],
  },
  {
    path: '/chirurgia2026',
    revealFields: (page) => chooseYes(page, 'ASI Member'),
    errors: [
      ['Full Name', 'Required'],
      ['Email', 'Required'],
      ['Phone Number', 'Required'],
      ['ASI Membership Number', 'Required for ASI members'],
    ],
    optional: ['Hospital / Institution', 'Designation', 'TCMC Registration Number'],
  },
  {
    path: '/midzone2025',
    revealFields: (page) => chooseYes(page, 'AFPI Member'),
    errors: [
      ['Full Name', 'Required'],
      ['Email', 'Required'],
      ['Phone Number', 'Required'],
      ['AFPI Membership Number', 'Required for AFPI members'],
    ],
    optional: ['Designation', 'Institution', 'Medical Council Registration Number', 'Address'],
  },
]

/** Removes the "(optional)" mark from a name. */
const toBareName = (name: string): string => name.replace(/ \(optional\)$/, '')

// `npm test` omits the form of Chirurgia, which has no additional kinds of controls.
describe.each(ALL_RUNS ? FORMS : FORMS.filter(({ path }) => path !== '/chirurgia2026'))(
  '$path',
  ({ path, revealFields, errors, optional }) => {
    test('S119 S120 S129 S130 S131: in the accessibility tree, every error belongs to its control, and disappears when corrected', async () => {
      const { page, context, consoleErrors } = await visit(browser)
      await page.goto(server.url + path)
      await waitForHydration(page)
      await revealFields(page)
      const requiredNames = errors.map(([name]) => name).filter((name) => !name.startsWith('Proof'))
      await expect
        .poll(async () =>
          (await readControls(page))
            .filter(({ required }) => required)
            .map(({ name }) => toBareName(name))
            .toSorted(),
        )
        .toEqual(requiredNames.toSorted())
      const controlsBefore = await readControls(page)
      expect(controlsBefore.filter(({ invalid }) => invalid)).toEqual([])
      expect(controlsBefore.map(({ name }) => toBareName(name))).toEqual(
        expect.arrayContaining([...optional]),
      )

      await expect.poll(() => findPayButton(page).isEnabled()).toBe(true)
      await findPayButton(page).click()
      await locateErrorSummary(page).waitFor()
      let invalidControls: Awaited<ReturnType<typeof readControls>> = []
      const readInvalidNames = async (): Promise<readonly string[]> => {
        invalidControls = (await readControls(page)).filter(({ invalid }) => invalid)
        return invalidControls.map(({ name }) => toBareName(name)).toSorted()
      }
      await expect.poll(readInvalidNames).toEqual(errors.map(([name]) => name).toSorted())
      for (const [name, message] of errors)
        expect(
          invalidControls.find((invalidControl) => toBareName(invalidControl.name) === name)
            ?.description,
          name,
        ).toContain(message)
      // The error summary is in form order.
      const lines = (await locateErrorSummary(page).getByRole('link').allTextContents()).map(
        toPlainText,
      )
      expect(lines).toEqual(
        errors.map(([name, message]) => (message === 'Required' ? `${name}: ${message}` : message)),
      )
      await expectAccessible(page, `${path}, everything missing`)

      for (const [name] of errors.filter(([label]) => requiredNames.includes(label))) {
        await findField(page, name).fill('mended@example.org')
        await expect
          .poll(
            async () =>
              (await readControls(page)).find((control) => toBareName(control.name) === name),
            {
              message: name,
            },
          )
          .toMatchObject({ invalid: false, description: '' })
      }
      expect(consoleErrors).toEqual([])
      await context.close()
    })
  },
)

describe('states of the form that no other test checks with axe', () => {
  test('S132: prices that cannot be loaded at first, but can be loaded later', async () => {
    const { page, context } = await visit(browser)
    await page.route('**/midzone2025', removePrices)
    await page.route('**/api/midzone/pricing/', (route) => route.abort())
    await page.goto(`${server.url}/midzone2025`)
    await findSummary(page).getByText('We could not load today’s prices').waitFor()
    await expect
      .poll(async () => toPlainText(await findSummary(page).textContent()))
      .toContain('Network error. Please check your internet connection.')
    await expect.poll(() => findPayButton(page).isDisabled()).toBe(true)
    const readPayButton = async () =>
      (await readControls(page)).find(({ name }) => name === 'Proceed to Secure Payment')
    await expect
      .poll(async () => (await readPayButton())?.description)
      .toContain('We could not load today’s prices')
    await expectAccessible(page, 'no prices')
    await page.unroute('**/api/midzone/pricing/')
    // A response with status 200 and an unexpected body.
    let priceResponse = ''
    await page.route('**/api/midzone/pricing/', (route) => route.fulfill({ body: priceResponse }))
    for (const body of ['{"pricing":{"afpi-pg":{"base":"free"}}}']) {
      priceResponse = body
      await page.reload()
      await findSummary(page)
        .getByText('We could not load today’s prices. An unexpected error occurred.')
        .waitFor()
    }
    // A response with only the base and the total of each category is sufficient.
    priceResponse = '{"pricing":{"non-afpi-delegate":{"base":1000,"total":1180}}}'
    await findSummary(page).getByRole('button', { name: 'Try again' }).click()
    await expect
      .poll(() => readData(findSummary(page)))
      .toMatchObject({ 'Base Fee': '₹ 1,000', 'GST (18%)': '₹ 180', 'Total Amount': '₹ 1,180' })
    await page.unroute('**/api/midzone/pricing/')
    await page.reload()
    await expect
      .poll(async () => (await readData(findSummary(page)))['Total Amount'])
      .toBe('₹ 1,475')
    await context.close()
  })

  test('S114 S172: a rejection is shown in a toast, then next to the button; answers are kept in the tab', async () => {
    const { page, context } = await visit(browser, { width: 768, height: 900 })
    const rejectBusy = (route: Route): Promise<void> =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: JSON.stringify({ status: 'error', code: 'busy', message: 'The register is busy.' }),
      })
    await page.route('**/api/midzone/register/', rejectBusy)
    await page.goto(`${server.url}/midzone2025`)
    for (const [label, text] of [
      ['Full Name', 'Dr. Busy Sample'],
      ['Email', 'busy@example.org'],
      ['Phone Number', '98470 00000'],
    ] as const)
      await findField(page, label).fill(text)
    await findPayButton(page).click()
    await page.getByRole('status').getByText('The register is busy.').waitFor()
    await expectAccessible(page, 'a toast over a form')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await findSummary(page).getByText('The register is busy.').waitFor()
    await page.unroute('**/api/midzone/register/')
    // With status 200 and an unexpected body, the page does not report a registration.
    for (const body of ['{"status":"success","payment_data":{"orderid":"X"}}']) {
      await page.route('**/api/midzone/register/', (route) => route.fulfill({ body }))
      await findPayButton(page).click()
      await findSummary(page).getByText('Registration failed. Please try again.').waitFor()
      await page.unroute('**/api/midzone/register/')
      await page.route('**/api/midzone/register/', rejectBusy)
      await findPayButton(page).click()
      await findSummary(page).getByText('The register is busy.').waitFor()
      await page.unroute('**/api/midzone/register/')
    }
    await page.reload()
    await page.getByText('We saved your answers.').waitFor()
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('Dr. Busy Sample')
    await expectAccessible(page, 'a form with answers from an earlier visit')
    await page.getByRole('button', { name: 'Clear form' }).click()
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('')
    await expectAccessible(page, 'a cleared form')
    // An accidental click can be undone.
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('Dr. Busy Sample')
    await page.getByRole('button', { name: 'Clear form' }).click()
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('')
    await page.reload()
    await findPayButton(page).waitFor()
    await expect.poll(() => findField(page, 'Full Name').inputValue()).toBe('')
    await context.close()
  })

  test('the price details in the bar on a phone', async () => {
    const { page, context } = await visit(browser, { width: 360, height: 740 })
    await page.goto(`${server.url}/midzone2025`)
    const bar = page.getByRole('region', { name: 'Registration Summary' })
    await bar.getByRole('button', { name: /₹ 1,475/ }).waitFor()
    await bar.getByRole('button', { name: /Details/ }).click()
    await expect
      .poll(() => readData(bar))
      .toEqual({
        'Base Fee': '₹ 1,250',
        'GST (18%)': '₹ 225',
        'Total Amount': '₹ 1,475',
      })
    await expectAccessible(page, 'the bar, expanded')
    await context.close()
  })

  test('every state is visible in forced colours', async () => {
    const { page, context } = await visit(browser, { privateWindow: true })
    await page.emulateMedia({ forcedColors: 'active' })
    await page.route(/\/proofs\/$/, () => {})
    await page.goto(`${server.url}/afpicon2026`)
    const button = findPayButton(page)
    await button.waitFor()
    await expect
      .poll(async () => (await readStyle(button)).color)
      .toBe((await readStyle(button, 'GrayText')).color)
    const [chosenCategory, otherCategory] = [
      'Non-AFPI – Post Graduate',
      'Non-AFPI – GP / Specialist',
    ] as const
    await page.getByRole('radio', { name: chosenCategory, exact: true }).check()
    const isTicked = (name: string): Promise<boolean> =>
      page
        .getByRole('radio', { name, exact: true })
        .locator('xpath=following-sibling::*')
        .locator('svg')
        .isVisible()
    await expect
      .poll(async () => [await isTicked(chosenCategory), await isTicked(otherCategory)])
      .toEqual([true, false])
    await expect.poll(() => button.isEnabled()).toBe(true)
    await expect
      .poll(async () => (await readStyle(button)).color)
      .not.toBe((await readStyle(button, 'GrayText')).color)
    await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
    const bar = page.getByRole('progressbar')
    await bar.waitFor()
    // With adjusted colours, the fill level would be invisible.
    await expect
      .poll(() => bar.evaluate((element) => getComputedStyle(element).forcedColorAdjust))
      .toBe('none')
    await page.getByRole('button', { name: `Cancel ${PROOF_FILE.name}` }).click()
    await button.click()
    await locateErrorSummary(page).waitFor()
    const invalidField = findField(page, 'Full Name').locator(
      'xpath=ancestor::div[contains(@class,"bad")]',
    )
    await expect.poll(async () => (await readStyle(invalidField)).borderLeftWidth).toBe('4px')
    await expect.poll(() => invalidField.locator('.msg svg').isVisible()).toBe(true)
    await expectAccessible(page, 'forced colours')
    await context.close()
  })
})

/** Returns the computed style of an element or, if `sampleColour` is given, of a new element in that colour. */
const readStyle = (
  locator: Locator,
  sampleColour?: string,
): Promise<{ color: string; borderLeftWidth: string }> =>
  locator.evaluate((element, colour) => {
    const styledElement = colour === undefined ? element : document.createElement('i')
    if (colour !== undefined && styledElement !== element) {
      Object.assign((styledElement as HTMLElement).style, { color: colour })
      document.body.append(styledElement)
    }
    const { color, borderLeftWidth } = getComputedStyle(styledElement)
    if (colour !== undefined) styledElement.remove()
    return { color, borderLeftWidth }
  }, sampleColour)
