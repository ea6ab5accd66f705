/** What stands on a page before its script has come, and that nothing moves when it does. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_RUNS, runs } from '../runs.ts'
import { heldBack, launch, visit } from './browser.ts'
import type { Visit } from './browser.ts'
import {
  field,
  FORM,
  INTERN,
  isTaken,
  takenOver,
  payButton,
  PG,
  plain,
  problems,
  summary,
} from './delegate.ts'
import { drawn, serve } from './serve.ts'
import type { Served } from './serve.ts'

let browser: Browser
let server: Served
let withoutScript: Visit
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2025-11-10T12:00:00+05:30' })])
  for (const path of ['/afpicon2026', '/chirurgia2026', '/midzone2025'])
    await drawn(server.url + path)
  withoutScript = await visit(browser, { javaScript: false })
})
afterAll(async () => {
  await withoutScript.context.close()
  await server.stop()
})

type Public = {
  readonly path: string
  readonly title: string
  readonly heading: string
  /** What an introduction must say, without a script. */
  readonly says: readonly string[]
  /** Search engines and previews may know of it. */
  readonly found: boolean
  /** What is there once the script has run. */
  readonly ready: (page: Page) => Locator
}

const NO_SCRIPT =
  'To register, use a recent browser with JavaScript. Otherwise, write to the address below.'
const RESULT_NO_SCRIPT = 'To see your registration, use a recent browser with JavaScript.'
const form = (page: Page): Locator =>
  page
    .getByRole('complementary', { name: 'Registration Summary' })
    .or(page.getByRole('region', { name: 'Registration Summary' }))
    .getByText('₹')
    .first()
const pages: readonly Public[] = [
  {
    path: '/',
    title: 'Rollcall: registration and payment for medical conferences',
    heading: 'Every delegate on the register, every rupee accounted for.',
    says: ['AFPICON 2026', 'Chirurgia 2026', 'Kerala Mid Zone 2025', 'PULMOCON 2025'],
    found: true,
    ready: (page) => page.getByRole('contentinfo'),
  },
  {
    path: '/organisers',
    title: 'Rollcall for organisers',
    heading: 'One file becomes a conference',
    says: [],
    found: true,
    ready: (page) => page.getByRole('contentinfo'),
  },
  {
    path: '/afpicon2026',
    title: 'AFPICON 2026: registration',
    heading: 'AFPICON 2026',
    says: [
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
    found: true,
    ready: (page) => page.locator('.pr').filter({ hasText: '₹' }).first(),
  },
  {
    path: '/chirurgia2026',
    title: 'Chirurgia 2026: registration',
    heading: 'Chirurgia 2026',
    says: [
      "A surgeons' conference",
      '21 – 22 February 2026',
      'Thiruvalla',
      NO_SCRIPT,
      'support@chirurgia.example',
    ],
    found: true,
    ready: form,
  },
  {
    path: '/midzone2025',
    title: 'Kerala Mid Zone 2025: registration',
    heading: 'Kerala Mid Zone 2025',
    says: [
      'A family-physicians event',
      '23 November 2025',
      '9 AM to 3 PM',
      'Kochi',
      NO_SCRIPT,
      'support@midzone.example',
    ],
    found: true,
    ready: form,
  },
  {
    path: '/pulmocon2025',
    title: 'PULMOCON 2025: registration',
    heading: 'PULMOCON 2025',
    says: [
      'Registration Closed',
      'Online registration for PULMOCON 2025 is currently closed. Please contact the organizers directly for registration assistance.',
      '12 – 14 September 2025',
      'Kottayam',
      'support@pulmocon.example',
    ],
    found: true,
    ready: (page) => page.locator('.closed-box'),
  },
  ...[
    ['/afpicon/payment', 'AFPICON 2026', 'support@afpicon.example'],
    ['/chirurgia/payment', 'Chirurgia 2026', 'support@chirurgia.example'],
    ['/midzone/payment', 'Kerala Mid Zone 2025', 'support@midzone.example'],
    ['/payment', 'PULMOCON 2025', 'support@pulmocon.example'],
  ].flatMap(([path = '', title = '', support = '']) =>
    ['success', 'failed'].map((outcome): Public => ({
      path: `${path}/${outcome}`,
      title: `${title}: payment`,
      heading: title,
      says: [RESULT_NO_SCRIPT, support],
      found: false,
      ready: (page) => page.locator('h2').first(),
    })),
  ),
]

const dashes = (text: string): string => plain(text).replaceAll('’', "'").replaceAll(/ ?– ?/g, '–')

const RESULTS = ['/afpicon/payment/success', '/payment/failed']
// Of the result pages two, in `npm run thorough` all.
test.each(pages.filter(({ path, found }) => ALL_RUNS || found || RESULTS.includes(path)))(
  '$path is titled, described and introduced in its HTML',
  async ({ path, title, heading, says, found }) => {
    const { page, complaints } = withoutScript
    await page.goto(server.url + path)
    await expect.poll(() => page.title()).toBe(title)
    await expect
      .poll(async () =>
        (await page.getByRole('heading', { level: 1 }).allTextContents()).map(plain),
      )
      .toEqual([heading])
    const body = dashes(await page.locator('body').innerText())
    for (const line of says) expect(body).toContain(dashes(line))
    const meta = (name: string): Promise<string | null> =>
      page.locator(`meta[name="${name}"], meta[property="${name}"]`).getAttribute('content')
    expect(((await meta('description')) ?? '').length).toBeGreaterThan(15)
    if (found) {
      expect([
        await meta('og:title'),
        await meta('og:description'),
        await meta('og:url'),
        await meta('og:type'),
        await meta('og:site_name'),
      ]).toEqual([title, await meta('description'), `${server.url}${path}`, 'website', 'Rollcall'])
      await expect
        .poll(() => page.locator('link[rel=canonical]').getAttribute('href'))
        .toBe(`${server.url}${path}`)
      await expect.poll(() => page.locator('meta[name=robots]').count()).toBe(0)
    } else {
      // An address that opens a person's registration is for nobody else.
      expect(await meta('robots')).toBe('noindex')
      await expect
        .poll(() => page.locator('meta[property^="og:"], link[rel=canonical]').count())
        .toBe(0)
    }
    expect(complaints).toEqual([])
  },
)

test('each public page has its own title and description', async () => {
  const heads = await Promise.all(
    pages
      .filter(({ found }) => found)
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

type Shifts = { shifts: { value: number; of: string }[] }
/** Collects what the browser counts as moved, with what moved. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: { value: number; of: string }[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        sources?: { node: Node | null }[]
      })[]) {
        shifts.push({
          value: entry.value,
          of: (entry.sources ?? [])
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
const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await document.fonts.ready
    for (let frame = 0; frame < 3; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve))
  })
const moved = (page: Page): Promise<{ readonly sum: number; readonly of: readonly string[] }> =>
  page.evaluate(() => {
    const { shifts } = window as unknown as Shifts
    return {
      sum: shifts.reduce((sum, { value }) => sum + value, 0),
      of: shifts.map(({ value, of }) => `${value.toFixed(4)} ${of}`),
    }
  })

/** One of each kind of page; beside a phone's width those that are arranged otherwise on a computer. */
const KINDS: Readonly<Record<number, readonly string[]>> = {
  360: ['/', '/organisers', '/afpicon2026', '/chirurgia2026', '/pulmocon2025', '/payment/failed'],
  1280: ['/', '/afpicon2026', '/chirurgia2026', '/afpicon/payment/success'],
}

describe.each([360, 1280])('at %i px', (width) => {
  // A result page looks the same at success and failed addresses while nothing is known: one of them at each width.
  test.each(
    pages.filter(({ path }) =>
      ALL_RUNS
        ? !path.endsWith(width === 360 ? '/success' : '/failed')
        : KINDS[width]?.includes(path),
    ),
  )(
    '$path is painted before its script has come, and moves nothing when it does',
    async ({ path, heading, ready }) => {
      const { page, context, complaints } = await visit(browser, { width, height: 740, own: true })
      await watchShifts(page)
      const release = await heldBack(page, '**/*.js')
      await page.goto(server.url + path, { waitUntil: 'commit' })
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await settled(page)
      await expect
        .poll(() =>
          page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length),
        )
        .toBe(1)
      release()
      await ready(page).waitFor()
      await settled(page)
      const { sum, of } = await moved(page)
      expect(sum, of.join('\n')).toBeLessThan(0.05)
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      if (ready === form) {
        // It has a price from the beginning, and the button was open already before the script had come.
        await takenOver(page)
        await expect.poll(() => payButton(page).isEnabled()).toBe(true)
      }
      expect(complaints).toEqual([])
      await context.close()
    },
  )
})

test.each(['/', '/afpicon2026'])('late fonts shift nothing: %s', async (path) => {
  const { page, context } = await visit(browser, { own: true })
  await watchShifts(page)
  const release = await heldBack(page, '**/*.woff2')
  await page.goto(server.url + path, { waitUntil: 'commit' })
  await page.getByRole('contentinfo').waitFor()
  await expect
    .poll(() => page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length))
    .toBe(1)
  release()
  await settled(page)
  const { sum, of } = await moved(page)
  expect(sum, of.join('\n')).toBeLessThan(0.05)
  await context.close()
})

/** All that draws the form and sends it; what comes ahead of it is no part of it. */
const SCRIPT = '**/assets/{index,shared,registration-page}-*.js'
/** A cheap phone on a bad line. */
const SLOW = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000, offline: false }
const SLOWER_TIMES = 4
/** From the first paint to the first key. */
const THINKS_MS = 300

test('keeps input entered on a slow connection 300 ms after the first paint and during hydration', async () => {
  const { page, context, complaints } = await visit(browser, { width: 360, height: 740, own: true })
  const phone = await context.newCDPSession(page)
  await phone.send('Network.enable')
  await phone.send('Network.emulateNetworkConditions', SLOW)
  await phone.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_TIMES })
  await page.goto(`${server.url}/afpicon2026`, { waitUntil: 'commit' })
  await page.evaluate(
    (wait) =>
      new Promise((then) => {
        new PerformanceObserver((list) => {
          for (const { startTime } of list.getEntriesByName('first-contentful-paint'))
            setTimeout(then, startTime + wait - performance.now())
        }).observe({ type: 'paint', buffered: true })
      }),
    THINKS_MS,
  )
  await page.getByLabel('Email Address').fill('anjali@example.org')
  await page.getByLabel('State').selectOption('Kerala')
  await page.getByRole('switch', { name: 'AFPI Member' }).check()
  await page.getByRole('radio', { name: INTERN }).check()
  const name = page.getByLabel('Full Name')
  await name.fill('Dr. Nair')
  // Into the middle: a caret that jumps would be seen in the order of the letters.
  for (const _ of 'Nair') await name.press('ArrowLeft')
  const bar = page.getByRole('region', { name: 'Registration Summary' })
  const given = 'Anjali Lakshmi '
  let typed = ''
  // Letter after letter, before, while and after the page is taken over.
  while (!(await isTaken(page)) || typed.length < given.length) {
    const letter = given[typed.length % given.length] ?? ''
    await page.keyboard.press(letter === ' ' ? 'Space' : letter)
    typed += letter
  }
  await expect.poll(() => name.inputValue()).toBe(`Dr. ${typed}Nair`)
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('root_full_name')
  await phone.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  const membership = page.getByLabel('AFPI Membership Number')
  await membership.fill('KL 1')
  // What the form knows is what one sees: it keeps it, and has it again.
  await page.reload()
  await page.getByText('We kept your answers').waitFor()
  await expect.poll(() => membership.inputValue()).toBe('KL 1')
  await expect.poll(() => name.inputValue()).toBe(`Dr. ${typed}Nair`)
  await expect.poll(() => page.getByLabel('Email Address').inputValue()).toBe('anjali@example.org')
  await expect.poll(() => page.getByLabel('State').inputValue()).toBe('Kerala')
  await expect.poll(() => page.getByRole('radio', { name: INTERN }).isChecked()).toBe(true)
  await expect.poll(async () => plain(await bar.textContent())).toContain('₹ 3,540')
  expect(complaints).toEqual([])
  await context.close()
})

const PLACES = [
  { width: 360, where: (page: Page) => page.getByRole('region', { name: 'Registration Summary' }) },
  { width: 1280, where: summary },
]
test.each(PLACES.slice(0, runs(2, 1)))(
  'before the script has come a category has its price, and Pay is kept: $width px',
  async ({ width, where }) => {
    const { page, context, complaints } = await visit(browser, { width, own: true })
    const release = await heldBack(page, SCRIPT)
    await page.goto(`${server.url}${FORM}`, { waitUntil: 'commit' })
    const said = async () => plain(await where(page).innerText())
    const pay = where(page).locator('button[type=submit]')
    const choose = (category: string) =>
      page.getByRole('radio', { name: category, exact: true }).check()
    await choose(PG)
    await expect.poll(said).toContain('₹ 6,195')
    await choose(INTERN)
    await expect.poll(said).toContain('₹ 3,540')
    expect(await said()).not.toContain('Please select a registration category')
    await pay.click()
    await expect.poll(() => pay.innerText()).toBe('One moment…')
    // What is changed afterwards is not what was pressed for.
    await field(page, 'Full Name').fill('Dr. Specimen Early')
    await expect.poll(() => pay.innerText()).toBe('Proceed to Secure Payment')
    await field(page, 'Email Address').fill('early@example.org')
    await field(page, 'Phone Number').fill('+91 98470 00000')
    await pay.click()
    release()
    await page.waitForURL(/^http:\/\/(?!.*\/afpicon2026)/)
    await expect.poll(async () => plain(await page.locator('body').innerText())).toContain('3,540')
    expect(complaints).toEqual([])
    await context.close()
  },
)

test.each([
  { how: 'and says so', tells: true },
  { how: 'and says nothing, as after Back', tells: false },
])(
  'keeps, prices and sends values that the browser fills in before the script loads: $how',
  async ({ tells }) => {
    const { page, context, complaints } = await visit(browser, { width: 360, own: true })
    const release = await heldBack(page, SCRIPT)
    await page.goto(`${server.url}${FORM}`, { waitUntil: 'commit' })
    const bar = page.getByRole('region', { name: 'Registration Summary' })
    const chosen = page.getByRole('radio', { name: INTERN, exact: true })
    const filled = [
      [field(page, 'Full Name'), 'Dr. Filled Sample'],
      [field(page, 'Email Address'), 'filled@example.org'],
      [field(page, 'Phone Number'), '+91 98470 00000'],
      [chosen, true],
    ] as const
    for (const [where, answer] of filled)
      await where.evaluate(
        (input: HTMLInputElement, { value, says }) => {
          if (typeof value === 'string') input.value = value
          else input.checked = value
          for (const type of says ? ['input', 'change'] : [])
            input.dispatchEvent(new Event(type, { bubbles: true }))
        },
        { value: answer, says: tells },
      )
    if (tells) await expect.poll(async () => plain(await bar.innerText())).toContain('₹ 3,540')
    release()
    await takenOver(page)
    await expect.poll(async () => plain(await bar.innerText())).toContain('₹ 3,540')
    for (const [where, answer] of filled)
      await expect
        .poll(async () => (answer === true ? await where.isChecked() : await where.inputValue()))
        .toBe(answer)
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/register/')),
      payButton(page).click(),
    ])
    for (const [, answer] of filled)
      if (typeof answer === 'string') expect(sent.postData()).toContain(answer)
    await page.waitForURL((url) => url.origin !== server.url)
    await expect.poll(async () => plain(await page.locator('body').innerText())).toContain('3,540')
    expect(complaints).toEqual([])
    await context.close()
  },
)

test('reports a press of the button before the script loaded, once it has loaded', async () => {
  const { page, context, complaints } = await visit(browser, { width: 360, height: 740, own: true })
  const release = await heldBack(page, SCRIPT)
  await page.goto(`${server.url}${FORM}`, { waitUntil: 'commit' })
  await page.getByRole('radio', { name: INTERN }).check()
  await page.getByRole('button', { name: 'Proceed to Secure Payment' }).click()
  release()
  await problems(page).waitFor()
  // The words on the button are those of the form again.
  await page.getByRole('button', { name: 'Proceed to Secure Payment' }).waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

test('negative control: a layout shift is detected', async () => {
  const { page, context } = await visit(browser, { own: true })
  await watchShifts(page)
  await page.goto(`${server.url}/pulmocon2025`)
  await page.locator('.closed-box').waitFor()
  await settled(page)
  await page.evaluate(() => {
    const banner = document.createElement('div')
    banner.style.height = '300px'
    document.body.prepend(banner)
  })
  await settled(page)
  expect((await moved(page)).sum).toBeGreaterThan(0.05)
  await context.close()
})
