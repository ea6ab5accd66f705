/** Checks the content of pages before their scripts load, and that loading causes no layout shift. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS, chooseRuns } from '../runs.ts'
import { holdRequests, launch, visit } from './browser.ts'
import type { Visit } from './browser.ts'
import {
  findField,
  FORM_PATH,
  INTERN_CATEGORY,
  isHydrated,
  waitForHydration,
  findPayButton,
  PG_CATEGORY,
  toPlainText,
  locateErrorSummary,
  findSummary,
} from './delegate.ts'
import { waitUntilRendered, serve } from './serve.ts'
import type { TestServer } from './serve.ts'

let browser: Browser
let server: TestServer
let withoutScript: Visit
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2025-11-10T12:00:00+05:30' })])
  for (const path of ['/afpicon2026', '/chirurgia2026', '/midzone2025'])
    await waitUntilRendered(server.url + path)
  withoutScript = await visit(browser, { javaScript: false })
})
afterAll(async () => {
  await withoutScript.context.close()
  await server.stop()
})

type PublicPage = {
  readonly path: string
  readonly title: string
  readonly heading: string
  /** Texts that the introduction must contain even without a script. */
  readonly introduction: readonly string[]
  /** Whether search engines and link previews may use the page. */
  readonly isIndexed: boolean
  /** Finds an element that is on the page only after the page's script has run. */
  readonly findReadyElement: (page: Page) => Locator
}

const NO_SCRIPT =
  'To register, use a recent browser with JavaScript turned on. Otherwise, write to the address below.'
const RESULT_NO_SCRIPT = 'To see your registration, use a recent browser with JavaScript turned on.'
const findSummaryPrice = (page: Page): Locator =>
  page
    .getByRole('complementary', { name: 'Registration Summary' })
    .or(page.getByRole('region', { name: 'Registration Summary' }))
    .getByText('₹')
    .first()
const pages: readonly PublicPage[] = [
  {
    path: '/',
    title: 'Rollcall: registration and payment for medical conferences',
    heading: 'Every delegate on the register, every rupee accounted for.',
    introduction: ['AFPICON 2026', 'Chirurgia 2026', 'Kerala Mid Zone 2025', 'PULMOCON 2025'],
    isIndexed: true,
    findReadyElement: (page) => page.getByRole('contentinfo'),
  },
  {
    path: '/organisers',
    title: 'Rollcall for organisers',
    heading: 'One file becomes a conference',
    introduction: [],
    isIndexed: true,
    findReadyElement: (page) => page.getByRole('contentinfo'),
  },
  {
    path: '/afpicon2026',
    title: 'AFPICON 2026: registration',
    heading: 'AFPICON 2026',
    introduction: [
      'The Spice Route',
      'Annual conference of the family physicians association',
      '31 January – 1 February 2026',
      'Resort, Changanassery, Kottayam',
      'Registration fees',
      'Exclusive of 18% GST',
      '1 September – 31 December 2025',
      '₹ 6,000',
      NO_SCRIPT,
      'support@afpicon.example',
    ],
    isIndexed: true,
    findReadyElement: (page) => page.locator('.pr').filter({ hasText: '₹' }).first(),
  },
  {
    path: '/chirurgia2026',
    title: 'Chirurgia 2026: registration',
    heading: 'Chirurgia 2026',
    introduction: [
      "A surgeons' conference",
      '21 – 22 February 2026',
      'Thiruvalla',
      NO_SCRIPT,
      'support@chirurgia.example',
    ],
    isIndexed: true,
    findReadyElement: findSummaryPrice,
  },
  {
    path: '/midzone2025',
    title: 'Kerala Mid Zone 2025: registration',
    heading: 'Kerala Mid Zone 2025',
    introduction: [
      'A family-physicians event',
      '23 November 2025',
      '9 AM to 3 PM',
      'Kochi',
      NO_SCRIPT,
      'support@midzone.example',
    ],
    isIndexed: true,
    findReadyElement: findSummaryPrice,
  },
  {
    path: '/pulmocon2025',
    title: 'PULMOCON 2025: registration',
    heading: 'PULMOCON 2025',
    introduction: [
      'Registration Closed',
      'Online registration for PULMOCON 2025 is currently closed. Please contact the organizers directly for registration assistance.',
      '12 – 14 September 2025',
      'Kottayam',
      'support@pulmocon.example',
    ],
    isIndexed: true,
    findReadyElement: (page) => page.locator('.closed-box'),
  },
  ...[
    ['/afpicon/payment', 'AFPICON 2026', 'support@afpicon.example'],
    ['/chirurgia/payment', 'Chirurgia 2026', 'support@chirurgia.example'],
    ['/midzone/payment', 'Kerala Mid Zone 2025', 'support@midzone.example'],
    ['/payment', 'PULMOCON 2025', 'support@pulmocon.example'],
  ].flatMap(([path = '', title = '', support = '']) =>
    ['success', 'failed'].map((outcome): PublicPage => ({
      path: `${path}/${outcome}`,
      title: `${title}: payment`,
      heading: title,
      introduction: [RESULT_NO_SCRIPT, support],
      isIndexed: false,
      findReadyElement: (page) => page.locator('h2').first(),
    })),
  ),
]

const normaliseDashes = (text: string): string =>
  toPlainText(text).replaceAll('’', "'").replaceAll(/ ?– ?/g, '–')

const RESULT_PATHS = ['/afpicon/payment/success', '/payment/failed']
// Two of the result pages; `npm run thorough` covers all.
test.each(
  pages.filter(({ path, isIndexed }) => ALL_RUNS || isIndexed || RESULT_PATHS.includes(path)),
)(
  'the HTML of $path has a title, a description and an introduction',
  async ({ path, title, heading, introduction, isIndexed }) => {
    const { page, consoleErrors } = withoutScript
    await page.goto(server.url + path)
    await expect.poll(() => page.title()).toBe(title)
    await expect
      .poll(async () =>
        (await page.getByRole('heading', { level: 1 }).allTextContents()).map(toPlainText),
      )
      .toEqual([heading])
    const body = normaliseDashes(await page.locator('body').innerText())
    for (const line of introduction) expect(body).toContain(normaliseDashes(line))
    const readMeta = (name: string): Promise<string | null> =>
      page.locator(`meta[name="${name}"], meta[property="${name}"]`).getAttribute('content')
    expect(((await readMeta('description')) ?? '').length).toBeGreaterThan(15)
    if (isIndexed) {
      expect([
        await readMeta('og:title'),
        await readMeta('og:description'),
        await readMeta('og:url'),
        await readMeta('og:type'),
        await readMeta('og:site_name'),
      ]).toEqual([
        title,
        await readMeta('description'),
        `${server.url}${path}`,
        'website',
        'Rollcall',
      ])
      await expect
        .poll(() => page.locator('link[rel=canonical]').getAttribute('href'))
        .toBe(`${server.url}${path}`)
      await expect.poll(() => page.locator('meta[name=robots]').count()).toBe(0)
    } else {
      // A page that opens a registration must not be indexed.
      expect(await readMeta('robots')).toBe('noindex')
      await expect
        .poll(() => page.locator('meta[property^="og:"], link[rel=canonical]').count())
        .toBe(0)
    }
    expect(consoleErrors).toEqual([])
  },
)

test('without scripts, the fee table fits the width of a phone', async () => {
  const { page } = withoutScript
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${server.url}/afpicon2026`)
  const table = page.locator('table.fees-plain').first()
  for (const price of ['₹ 6,000', '₹ 10,000']) {
    const box = await table.getByText(price).first().boundingBox()
    expect(box).not.toBeNull()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360)
  }
  await page.setViewportSize({ width: 1280, height: 720 })
})

test('each public page has its own title and description', async () => {
  const heads = await Promise.all(
    pages
      .filter(({ isIndexed }) => isIndexed)
      .map(async ({ path }) => {
        const html = await (await fetch(server.url + path)).text()
        return [
          /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '',
          /<meta name="description" content="(.*?)">/.exec(html)?.[1] ?? '',
        ]
      }),
  )
  for (const column of [0, 1])
    expect(new Set(heads.map((head) => head[column])).size).toBe(heads.length)
})

type Shifts = { shifts: { value: number; source: string }[] }
/** Records the layout shifts that the browser reports, with the shifted elements. */
async function recordLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: { value: number; source: string }[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        sources?: { node: Node | null }[]
      })[]) {
        shifts.push({
          value: entry.value,
          source: (entry.sources ?? [])
            .map(({ node }) =>
              node instanceof Element
                ? `${node.tagName}.${node.className}`
                : (node?.textContent ?? '').slice(0, 30),
            )
            .join(', '),
        })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}
const waitUntilSettled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await document.fonts.ready
    for (let frame = 0; frame < 3; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve))
  })
const readLayoutShifts = (
  page: Page,
): Promise<{ readonly sum: number; readonly sources: readonly string[] }> =>
  page.evaluate(() => {
    const { shifts } = window as unknown as Shifts
    return {
      sum: shifts.reduce((sum, { value }) => sum + value, 0),
      sources: shifts.map(({ value, source }) => `${value.toFixed(4)} ${source}`),
    }
  })

/** One page of each kind; at phone width, also the pages that have a different layout there. */
const PAGES_BY_WIDTH: Readonly<Record<number, readonly string[]>> = {
  360: ['/', '/organisers', '/afpicon2026', '/chirurgia2026', '/pulmocon2025', '/payment/failed'],
  1280: ['/', '/afpicon2026', '/chirurgia2026', '/afpicon/payment/success'],
}

describe.each([360, 1280])('at %i px', (width) => {
  // A result page with an unknown state looks the same at the success and failure URLs, so one of them is checked
  // per width.
  test.each(
    pages.filter(({ path }) =>
      ALL_RUNS
        ? !path.endsWith(width === 360 ? '/success' : '/failed')
        : PAGES_BY_WIDTH[width]?.includes(path),
    ),
  )(
    '$path is rendered before its script loads, and loading causes no layout shift',
    async ({ path, heading, findReadyElement }) => {
      const { page, context, consoleErrors } = await visit(browser, {
        width,
        height: 740,
        privateWindow: true,
      })
      await recordLayoutShifts(page)
      const releaseScripts = await holdRequests(page, '**/*.js')
      await page.goto(server.url + path, { waitUntil: 'commit' })
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await waitUntilSettled(page)
      await expect
        .poll(() =>
          page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length),
        )
        .toBe(1)
      releaseScripts()
      await findReadyElement(page).waitFor()
      await waitUntilSettled(page)
      const { sum, sources } = await readLayoutShifts(page)
      expect(sum, sources.join('\n')).toBeLessThan(0.05)
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      if (findReadyElement === findSummaryPrice) {
        // The page has a price from the start, and its button was enabled before the script loaded.
        await waitForHydration(page)
        await expect.poll(() => findPayButton(page).isEnabled()).toBe(true)
      }
      expect(consoleErrors).toEqual([])
      await context.close()
    },
  )
})

test.each(['/', '/afpicon2026'])('fonts that load late cause no layout shift: %s', async (path) => {
  const { page, context } = await visit(browser, { privateWindow: true })
  await recordLayoutShifts(page)
  const release = await holdRequests(page, '**/*.woff2')
  await page.goto(server.url + path, { waitUntil: 'commit' })
  await page.getByRole('contentinfo').waitFor()
  await expect
    .poll(() => page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length))
    .toBe(1)
  release()
  await waitUntilSettled(page)
  const { sum, sources } = await readLayoutShifts(page)
  expect(sum, sources.join('\n')).toBeLessThan(0.05)
  await context.close()
})

/** The form's script. The page is hydrated as soon as it has loaded. */
const FORM_SCRIPT = /\/assets\/registration-page-[\w-]{8}\.js$/
/** The scripts that render and submit the form, without those loaded before them. */
const FORM_SCRIPTS = '**/assets/{index,shared,registration-page}-*.js'
/** A slow mobile connection, in milliseconds and bytes per second. */
const SLOW_NETWORK = {
  latency: 400,
  downloadThroughput: 50_000,
  uploadThroughput: 50_000,
  offline: false,
}
const CPU_SLOWDOWN = 4
/** Time from the first paint to the first key press. */
const THINK_TIME_MS = 300
/** How long each key is held down while the script is loading. */
const KEY_PRESS_MS = 50

test('the form keeps text that is typed on a slow connection 300 ms after the first paint and during hydration', async () => {
  const { page, context, consoleErrors } = await visit(browser, {
    width: 360,
    height: 740,
    privateWindow: true,
  })
  const phone = await context.newCDPSession(page)
  await phone.send('Network.enable')
  await phone.send('Network.emulateNetworkConditions', SLOW_NETWORK)
  // The processor is throttled only during hydration, because throttling it while the page loads would only make the
  // test slower.
  let isScriptLoaded = false
  const throttlingStarted = page.waitForResponse(FORM_SCRIPT).then(async () => {
    await phone.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
    isScriptLoaded = true
  })
  await page.goto(`${server.url}/afpicon2026`, { waitUntil: 'commit' })
  await page.evaluate(
    (delay) =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => {
          for (const { startTime } of list.getEntriesByName('first-contentful-paint'))
            setTimeout(resolve, startTime + delay - performance.now())
        }).observe({ type: 'paint', buffered: true })
      }),
    THINK_TIME_MS,
  )
  await page.getByLabel('Email Address').fill('anjali@example.org')
  await page.getByLabel('State').selectOption('Kerala')
  await page.getByRole('switch', { name: 'AFPI Member' }).check()
  await page.getByRole('radio', { name: INTERN_CATEGORY }).check()
  const name = page.getByLabel('Full Name')
  await name.fill('Dr. Nair')
  // Types into the middle of the name: if the caret jumped, the letters would be in the wrong order.
  for (const _ of 'Nair') await name.press('ArrowLeft')
  const bar = page.getByRole('region', { name: 'Registration Summary' })
  const givenName = 'Anjali Lakshmi '
  let typedText = ''
  // Types letter by letter before, during and after hydration, without pauses once the script has loaded.
  while (!(await isHydrated(page)) || typedText.length < givenName.length) {
    const letter = givenName[typedText.length % givenName.length] ?? ''
    await page.keyboard.press(letter === ' ' ? 'Space' : letter, {
      delay: isScriptLoaded ? 0 : KEY_PRESS_MS,
    })
    typedText += letter
  }
  await throttlingStarted
  await expect.poll(() => name.inputValue()).toBe(`Dr. ${typedText}Nair`)
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('root_full_name')
  await phone.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  const membership = page.getByLabel('AFPI Membership Number')
  await membership.fill('KL 1')
  // The draft contains the answers on the page, and a reload restores them.
  await page.reload()
  await page.getByText('We saved your answers').waitFor()
  await expect.poll(() => membership.inputValue()).toBe('KL 1')
  await expect.poll(() => name.inputValue()).toBe(`Dr. ${typedText}Nair`)
  await expect.poll(() => page.getByLabel('Email Address').inputValue()).toBe('anjali@example.org')
  await expect.poll(() => page.getByLabel('State').inputValue()).toBe('Kerala')
  await expect.poll(() => page.getByRole('radio', { name: INTERN_CATEGORY }).isChecked()).toBe(true)
  await expect.poll(async () => toPlainText(await bar.textContent())).toContain('₹ 3,540')
  expect(consoleErrors).toEqual([])
  await context.close()
})

const PRICE_REGIONS = [
  {
    width: 360,
    region: (page: Page) => page.getByRole('region', { name: 'Registration Summary' }),
  },
  { width: 1280, region: findSummary },
]
test.each(PRICE_REGIONS.slice(0, chooseRuns(2, 1)))(
  'before the script loads, a category shows its price and a click on Pay is remembered: $width px',
  async ({ width, region }) => {
    const { page, context, consoleErrors } = await visit(browser, { width, privateWindow: true })
    const release = await holdRequests(page, FORM_SCRIPTS)
    await page.goto(`${server.url}${FORM_PATH}`, { waitUntil: 'commit' })
    const readRegion = async () => toPlainText(await region(page).innerText())
    const pay = region(page).locator('button[type=submit]')
    const chooseCategory = (category: string) =>
      page.getByRole('radio', { name: category, exact: true }).check()
    await chooseCategory(PG_CATEGORY)
    await expect.poll(readRegion).toContain('₹ 6,195')
    await chooseCategory(INTERN_CATEGORY)
    await expect.poll(readRegion).toContain('₹ 3,540')
    expect(await readRegion()).not.toContain('Please select a registration category')
    await pay.click()
    await expect.poll(() => pay.innerText()).toBe('One moment…')
    // A later change is not part of the submitted answers.
    await findField(page, 'Full Name').fill('Dr. Specimen Early')
    await expect.poll(() => pay.innerText()).toBe('Proceed to Secure Payment')
    await findField(page, 'Email Address').fill('early@example.org')
    await findField(page, 'Phone Number').fill('+91 98470 00000')
    await pay.click()
    release()
    await page.waitForURL(/^http:\/\/(?!.*\/afpicon2026)/)
    await expect
      .poll(async () => toPlainText(await page.locator('body').innerText()))
      .toContain('3,540')
    expect(consoleErrors).toEqual([])
    await context.close()
  },
)

test.each([
  { how: 'with events', sendsEvents: true },
  { how: 'without events, as after Back', sendsEvents: false },
])(
  'the form keeps and submits values that the browser fills in before the script loads, and shows their price: $how',
  async ({ sendsEvents }) => {
    const { page, context, consoleErrors } = await visit(browser, {
      width: 360,
      privateWindow: true,
    })
    const release = await holdRequests(page, FORM_SCRIPTS)
    await page.goto(`${server.url}${FORM_PATH}`, { waitUntil: 'commit' })
    const bar = page.getByRole('region', { name: 'Registration Summary' })
    const chosenCategory = page.getByRole('radio', { name: INTERN_CATEGORY, exact: true })
    const filledFields = [
      [findField(page, 'Full Name'), 'Dr. Filled Sample'],
      [findField(page, 'Email Address'), 'filled@example.org'],
      [findField(page, 'Phone Number'), '+91 98470 00000'],
      [chosenCategory, true],
    ] as const
    for (const [label, answer] of filledFields)
      await label.evaluate(
        (input: HTMLInputElement, { value, shouldSendEvents }) => {
          if (typeof value === 'string') input.value = value
          else input.checked = value
          for (const type of shouldSendEvents ? ['input', 'change'] : [])
            input.dispatchEvent(new Event(type, { bubbles: true }))
        },
        { value: answer, shouldSendEvents: sendsEvents },
      )
    if (sendsEvents)
      await expect.poll(async () => toPlainText(await bar.innerText())).toContain('₹ 3,540')
    release()
    await waitForHydration(page)
    await expect.poll(async () => toPlainText(await bar.innerText())).toContain('₹ 3,540')
    for (const [field, answer] of filledFields)
      await expect
        .poll(async () => (answer === true ? await field.isChecked() : await field.inputValue()))
        .toBe(answer)
    const [submitRequest] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/register/')),
      findPayButton(page).click(),
    ])
    for (const [, answer] of filledFields)
      if (typeof answer === 'string') expect(submitRequest.postData()).toContain(answer)
    await page.waitForURL((url) => url.origin !== server.url)
    await expect
      .poll(async () => toPlainText(await page.locator('body').innerText()))
      .toContain('3,540')
    expect(consoleErrors).toEqual([])
    await context.close()
  },
)

test('the form reports the errors of a click on Pay made before the script had loaded', async () => {
  const { page, context, consoleErrors } = await visit(browser, {
    width: 360,
    height: 740,
    privateWindow: true,
  })
  const release = await holdRequests(page, FORM_SCRIPTS)
  await page.goto(`${server.url}${FORM_PATH}`, { waitUntil: 'commit' })
  await page.getByRole('radio', { name: INTERN_CATEGORY }).check()
  await page.getByRole('button', { name: 'Proceed to Secure Payment' }).click()
  release()
  await locateErrorSummary(page).waitFor()
  // The button has the form's label again.
  await page.getByRole('button', { name: 'Proceed to Secure Payment' }).waitFor()
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('negative control: a layout shift is detected', async () => {
  const { page, context } = await visit(browser, { privateWindow: true })
  await recordLayoutShifts(page)
  await page.goto(`${server.url}/pulmocon2025`)
  await page.locator('.closed-box').waitFor()
  await waitUntilSettled(page)
  await page.evaluate(() => {
    const banner = document.createElement('div')
    banner.style.height = '300px'
    document.body.prepend(banner)
  })
  await waitUntilSettled(page)
  expect((await readLayoutShifts(page)).sum).toBeGreaterThan(0.05)
  await context.close()
})
