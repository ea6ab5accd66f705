/**
 * What a screen reader is told of every open event's form, read out of the browser's accessibility
 * tree: each control's name, whether it must be answered, what is wrong with it. Then the states of
 * those forms that no other journey looks at with axe.
 */
import type { Browser, Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import {
  field,
  takenOver,
  ledger,
  payButton,
  plain,
  problems,
  PROOF,
  summary,
  withoutPrices,
} from './delegate.ts'
import { serve } from './serve.ts'
import type { Served } from './serve.ts'
import { controlsOf } from './accessibility-tree.ts'

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2025-11-10T12:00:00+05:30' })])
})
afterAll(async () => {
  await server.stop()
})

const yes = (page: Page, question: string): Promise<void> =>
  page.getByRole('group', { name: question }).getByRole('radio', { name: 'Yes' }).check()

type Form = {
  readonly path: string
  /** Opens every conditional field. */
  readonly open: (page: Page) => Promise<void>
  /** Control and message, in form order; the tree has an order of its own. The file's control is named for its button as well. */
  readonly errors: readonly (readonly [name: string, message: string])[]
  readonly optional: readonly string[]
}
const FORMS: readonly Form[] = [
  {
    path: '/afpicon2026',
    open: async (page) => {
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
    open: (page) => yes(page, 'ASI Member'),
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
    open: (page) => yes(page, 'AFPI Member'),
    errors: [
      ['Full Name', 'Required'],
      ['Email', 'Required'],
      ['Phone Number', 'Required'],
      ['AFPI Membership Number', 'Required for AFPI members'],
    ],
    optional: ['Designation', 'Institution', 'Medical Council Registration Number', 'Address'],
  },
]

/** Names without the mark that a label carries for the eye. */
const bare = (name: string): string => name.replace(/ \(optional\)$/, '')

// The shorter forms are of one kind.
describe.each(ALL_RUNS ? FORMS : FORMS.filter(({ path }) => path !== '/chirurgia2026'))(
  '$path',
  ({ path, open, errors, optional }) => {
    test('S119 S120 S129 S130 S131: in the accessibility tree every error belongs to its control, and disappears when corrected', async () => {
      const { page, context, complaints } = await visit(browser)
      await page.goto(server.url + path)
      await takenOver(page)
      await open(page)
      const must = errors.map(([name]) => name).filter((name) => !name.startsWith('Proof'))
      await expect
        .poll(async () =>
          (await controlsOf(page))
            .filter(({ required }) => required)
            .map(({ name }) => bare(name))
            .toSorted(),
        )
        .toEqual(must.toSorted())
      const before = await controlsOf(page)
      expect(before.filter(({ invalid }) => invalid)).toEqual([])
      expect(before.map(({ name }) => bare(name))).toEqual(expect.arrayContaining([...optional]))

      await expect.poll(() => payButton(page).isEnabled()).toBe(true)
      await payButton(page).click()
      await problems(page).waitFor()
      let wrong: Awaited<ReturnType<typeof controlsOf>> = []
      const wrongNames = async (): Promise<readonly string[]> => {
        wrong = (await controlsOf(page)).filter(({ invalid }) => invalid)
        return wrong.map(({ name }) => bare(name)).toSorted()
      }
      await expect.poll(wrongNames).toEqual(errors.map(([name]) => name).toSorted())
      for (const [name, message] of errors)
        expect(wrong.find((one) => bare(one.name) === name)?.description, name).toContain(message)
      // On top they stand in form order.
      const lines = (await problems(page).getByRole('link').allTextContents()).map(plain)
      expect(lines).toEqual(
        errors.map(([name, message]) => (message === 'Required' ? `${name}: ${message}` : message)),
      )
      await expectAccessible(page, `${path}, everything missing`)

      for (const [name] of errors.filter(([label]) => must.includes(label))) {
        await field(page, name).fill('mended@example.org')
        await expect
          .poll(async () => (await controlsOf(page)).find((one) => bare(one.name) === name), {
            message: name,
          })
          .toMatchObject({ invalid: false, description: '' })
      }
      expect(complaints).toEqual([])
      await context.close()
    })
  },
)

describe('states of a form that no other test checks with axe', () => {
  test('S132: prices that cannot be loaded, and then can', async () => {
    const { page, context } = await visit(browser)
    await page.route('**/midzone2025', withoutPrices)
    await page.route('**/api/midzone/pricing/', (route) => route.abort())
    await page.goto(`${server.url}/midzone2025`)
    await summary(page).getByText('We could not load today’s prices').waitFor()
    await expect
      .poll(async () => plain(await summary(page).textContent()))
      .toContain('Network error. Please check your internet connection.')
    await expect.poll(() => payButton(page).isDisabled()).toBe(true)
    const button = async () =>
      (await controlsOf(page)).find(({ name }) => name === 'Proceed to Secure Payment')
    await expect
      .poll(async () => (await button())?.description)
      .toContain('We could not load today’s prices')
    await expectAccessible(page, 'no prices')
    await page.unroute('**/api/midzone/pricing/')
    // Status 200 with something else in it.
    let answer = ''
    await page.route('**/api/midzone/pricing/', (route) => route.fulfill({ body: answer }))
    for (const body of ['{"pricing":{"afpi-pg":{"base":"free"}}}']) {
      answer = body
      await page.reload()
      await summary(page)
        .getByText('We could not load today’s prices. An unexpected error occurred.')
        .waitFor()
    }
    // Base and total of each category are enough.
    answer = '{"pricing":{"non-afpi-delegate":{"base":1000,"total":1180}}}'
    await summary(page).getByRole('button', { name: 'Try again' }).click()
    await expect
      .poll(() => ledger(summary(page)))
      .toMatchObject({ 'Base Fee': '₹ 1,000', 'GST (18%)': '₹ 180', 'Total Amount': '₹ 1,180' })
    await page.unroute('**/api/midzone/pricing/')
    await page.reload()
    await expect.poll(async () => (await ledger(summary(page)))['Total Amount']).toBe('₹ 1,475')
    await context.close()
  })

  test('S114 S172: a rejection is shown in a toast, then next to the button; answers are kept in the tab', async () => {
    const { page, context } = await visit(browser, { width: 768, height: 900 })
    const busy = (route: Route): Promise<void> =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: JSON.stringify({ status: 'error', code: 'busy', message: 'The register is busy.' }),
      })
    await page.route('**/api/midzone/register/', busy)
    await page.goto(`${server.url}/midzone2025`)
    for (const [label, text] of [
      ['Full Name', 'Dr. Busy Sample'],
      ['Email', 'busy@example.org'],
      ['Phone Number', '98470 00000'],
    ] as const)
      await field(page, label).fill(text)
    await payButton(page).click()
    await page.getByRole('status').getByText('The register is busy.').waitFor()
    await expectAccessible(page, 'a toast over a form')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await summary(page).getByText('The register is busy.').waitFor()
    await page.unroute('**/api/midzone/register/')
    // Status 200 with something else in it: nobody is told that they are registered.
    for (const body of ['{"status":"success","payment_data":{"orderid":"X"}}']) {
      await page.route('**/api/midzone/register/', (route) => route.fulfill({ body }))
      await payButton(page).click()
      await summary(page).getByText('Registration failed. Please try again.').waitFor()
      await page.unroute('**/api/midzone/register/')
      await page.route('**/api/midzone/register/', busy)
      await payButton(page).click()
      await summary(page).getByText('The register is busy.').waitFor()
      await page.unroute('**/api/midzone/register/')
    }
    await page.reload()
    await page.getByText('We kept your answers.').waitFor()
    await expect.poll(() => field(page, 'Full Name').inputValue()).toBe('Dr. Busy Sample')
    await expectAccessible(page, 'a form with answers from before')
    await page.getByRole('button', { name: 'Clear form' }).click()
    await expect.poll(() => field(page, 'Full Name').inputValue()).toBe('')
    await expectAccessible(page, 'a form that was cleared')
    // One slip of the thumb loses nothing.
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => field(page, 'Full Name').inputValue()).toBe('Dr. Busy Sample')
    await page.getByRole('button', { name: 'Clear form' }).click()
    await expect.poll(() => field(page, 'Full Name').inputValue()).toBe('')
    await page.reload()
    await payButton(page).waitFor()
    await expect.poll(() => field(page, 'Full Name').inputValue()).toBe('')
    await context.close()
  })

  test('the price unfolded in the bar of a phone', async () => {
    const { page, context } = await visit(browser, { width: 360, height: 740 })
    await page.goto(`${server.url}/midzone2025`)
    const bar = page.getByRole('region', { name: 'Registration Summary' })
    await bar.getByRole('button', { name: /₹ 1,475/ }).waitFor()
    await bar.getByRole('button', { name: /Details/ }).click()
    await expect
      .poll(() => ledger(bar))
      .toEqual({
        'Base Fee': '₹ 1,250',
        'GST (18%)': '₹ 225',
        'Total Amount': '₹ 1,475',
      })
    await expectAccessible(page, 'the bar, unfolded')
    await context.close()
  })

  test('every state is recognisable in forced colours', async () => {
    const { page, context } = await visit(browser, { own: true })
    await page.emulateMedia({ forcedColors: 'active' })
    await page.route(/\/proofs\/$/, () => {})
    await page.goto(`${server.url}/afpicon2026`)
    const button = payButton(page)
    await button.waitFor()
    await expect
      .poll(async () => (await looksOf(button)).color)
      .toBe((await looksOf(button, 'GrayText')).color)
    const [chosen, other] = ['Non-AFPI – Post Graduate', 'Non-AFPI – GP / Specialist'] as const
    await page.getByRole('radio', { name: chosen, exact: true }).check()
    const tick = (name: string): Promise<boolean> =>
      page
        .getByRole('radio', { name, exact: true })
        .locator('xpath=following-sibling::*')
        .locator('svg')
        .isVisible()
    await expect.poll(async () => [await tick(chosen), await tick(other)]).toEqual([true, false])
    await expect.poll(() => button.isEnabled()).toBe(true)
    await expect
      .poll(async () => (await looksOf(button)).color)
      .not.toBe((await looksOf(button, 'GrayText')).color)
    await page.locator('input[type=file]').setInputFiles(PROOF)
    const bar = page.getByRole('progressbar')
    await bar.waitFor()
    // How full it is would be painted over.
    await expect
      .poll(() => bar.evaluate((at) => getComputedStyle(at).forcedColorAdjust))
      .toBe('none')
    await page.getByRole('button', { name: `Cancel ${PROOF.name}` }).click()
    await button.click()
    await problems(page).waitFor()
    const wrong = field(page, 'Full Name').locator('xpath=ancestor::div[contains(@class,"bad")]')
    await expect.poll(async () => (await looksOf(wrong)).borderLeftWidth).toBe('4px')
    await expect.poll(() => wrong.locator('.msg svg').isVisible()).toBe(true)
    await expectAccessible(page, 'the reader’s own colours')
    await context.close()
  })
})

/** How an element looks; with a colour of the reader's in place of its own. */
const looksOf = (
  locator: Locator,
  instead?: string,
): Promise<{ color: string; borderLeftWidth: string }> =>
  locator.evaluate((element, colour) => {
    const at = colour === undefined ? element : document.createElement('i')
    if (colour !== undefined && at !== element) {
      Object.assign((at as HTMLElement).style, { color: colour })
      document.body.append(at)
    }
    const { color, borderLeftWidth } = getComputedStyle(at)
    if (colour !== undefined) at.remove()
    return { color, borderLeftWidth }
  }, instead)
