/**
 * `npm run pictures [FOLDER [WORD…]]`: every page in every state at five widths, to be looked at beside the mocks;
 * with words, those whose names hold one of them. Says which page is wider than the window, which scrolls although it is short,
 * where one thing lies over another, and what axe finds.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { FACES } from '../../engine/api.ts'
import { misplaced } from '../browser/layout-boxes.ts'
import { axe, launchDrawing, visit } from '../browser/browser.ts'
import { INTERN, payButton } from '../browser/delegate.ts'
import { serveAlone, TOP } from '../browser/serve.ts'
import { filled, formStates } from './form.ts'
import { officeStates } from './office.ts'
import { LETTERS, LETTERS_FILE, ownStates } from './own.ts'
import { recoveryStates } from './recovery.ts'
import { NUMBER, resultStates } from './results.ts'
import { NOW, to } from './state.ts'
import type { State } from './state.ts'

/** Small phone, usual phone, tablet, laptop, large screen. */
const SIZES = [
  [320, 568],
  [360, 740],
  [768, 1024],
  [1280, 900],
  [1920, 1080],
] as const
/** Where axe looks: as a phone and as a desk have the page. */
const JUDGED_PX: readonly number[] = [360, 1280]
/** A page that scrolls by less than this would better not scroll. */
const SCROLLS_PX_MIN = 60

const [, , folder = 'pictures', ...words] = process.argv
const into = resolve(folder)
mkdirSync(into, { recursive: true })

// The demo keeps its rows in a folder of its own, below this one.
const temporary = mkdtempSync(join(tmpdir(), 'rollcall-pictures-'))
const running = await serveAlone(
  { CLOCK: NOW, TMPDIR: temporary },
  ({ eventsDir }) => {
    for (const more of ['tests/events', 'tests/browser/added-events'])
      cpSync(join(TOP, more), eventsDir, { recursive: true })
    writeFileSync(join(eventsDir, LETTERS_FILE), LETTERS)
    // One that is not open yet.
    const free = readFileSync(join(eventsDir, 'sevana2027.yaml'), 'utf8')
    const later = free
      .replaceAll('sevana2027', 'later2027')
      .replace('SEVA', 'LATR')
      .replace(/^( +title: .*)$/m, '$1 (later)')
    writeFileSync(
      join(eventsDir, 'later2027.yaml'),
      later.replace('\nroutes:', '\nregistration: {opens: 2026-06-01}\n\nroutes:'),
    )
  },
  TOP,
  'demo',
)
const [demo = ''] = readdirSync(temporary)
const server = { url: running.url, dataDir: join(temporary, demo) }
const at = to(server)

/** The page for organisers, at one of its tabs; the file itself has one where the page is narrow. */
async function organisers(page: Page, tab: string): Promise<void> {
  await page.setViewportSize({ width: 768, height: 1024 })
  await at('/organisers')(page)
  await page.getByText(/examples pass/).waitFor()
  await page.getByRole('tab', { name: tab }).click()
  await page.getByRole('tabpanel').getByText('Loading').waitFor({ state: 'detached' })
}

/** What belongs to no event. */
const SITE: readonly State[] = [
  { name: 'landing', open: at('/') },
  { name: 'landing-unknown-payment', open: at('/?message=unknown-payment') },
  { name: 'organisers', open: at('/organisers') },
  ...['File', 'Price', 'Result pages', 'Findings', 'Examples'].map((tab): State => ({
    name: `organisers-${tab.toLowerCase().replaceAll(' ', '-')}`,
    open: (page) => organisers(page, tab),
  })),
  {
    name: 'organisers-wrong',
    open: async (page) => {
      await organisers(page, 'File')
      await page.locator('.cm-content').focus()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('venu: Town Hall')
      await page
        .getByText(/\d errors?/)
        .first()
        .waitFor()
      await page.getByRole('tab', { name: 'Findings' }).click()
    },
  },
  { name: 'not-found', open: at('/nowhere') },
  {
    name: 'broken',
    open: async (page) => {
      await page.route('**/assets/index-*.js', (route) => route.continue())
      await page.route('**/assets/pending-refunded-cancelled-pages-*.js', (route) => route.abort())
      await page.route('**/assets/result-page-*.js', (route) => route.abort())
      await at(`/afpicon/payment/success?orderId=${NUMBER}`)(page)
    },
  },
  {
    name: 'gateway-orders',
    open: async (page) => {
      await filled(server, page, INTERN)
      await payButton(page).click()
      await page.waitForURL((url) => url.origin !== server.url)
      await page.goto(new URL('/', page.url()).href)
    },
  },
  {
    name: 'gateway',
    open: async (page) => {
      await filled(server, page, INTERN)
      await payButton(page).click()
      await page.waitForURL((url) => url.origin !== server.url)
    },
  },
]

// ── Taking them ────────────────────────────────────────────────────────────────

const browser = await launchDrawing()
try {
  for (const { name, open, javaScript = true } of [
    ...formStates(server),
    ...resultStates(server),
    ...ownStates(server),
    ...SITE,
    ...officeStates(server),
    ...recoveryStates(server),
  ]) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue
    const { page, context, complaints } = await visit(browser, {
      own: true,
      height: 900,
      javaScript,
    })
    try {
      await open(page)
      // Where an answer is held back the network never rests.
      await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => {})
      // Of a form: until its script has taken over, and its faces are there.
      if (javaScript)
        await page.waitForFunction(
          (id) => document.querySelector(`#${id}`)?.getAttribute('media') !== 'not all',
          FACES,
        )
      for (const [width, height] of SIZES)
        await (javaScript ? take(page, name, width, height) : takeAsItIs(page, name, width, height))
    } catch (error) {
      console.log(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    for (const complaint of complaints) console.log(`${name}: ${complaint}`)
    await context.close()
  }
} finally {
  await browser.close()
  await running.stop()
  rmSync(temporary, { recursive: true, force: true })
}
console.log(`${readdirSync(into).length} pictures are in ${into}.`)

/** Where no script runs, none of ours can measure. */
async function takeAsItIs(page: Page, name: string, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.screenshot({ path: join(into, `${name}-${width}.png`), fullPage: true })
}

async function take(page: Page, name: string, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height })
  const { wide, whole } = await page.evaluate(async () => {
    const drawn = () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    // What is fetched when one comes near to it is on the picture, too.
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
    await drawn()
    await document.fonts.ready
    scrollTo({ top: 0, behavior: 'instant' })
    await drawn()
    // And what is fetched when everything else is done.
    await new Promise((idle) => requestIdleCallback(idle))
    await drawn()
    const { scrollWidth, scrollHeight } = document.documentElement
    return { wide: scrollWidth - innerWidth, whole: scrollHeight }
  })
  const tall = whole - height
  if (wide > 0) console.log(`${name} at ${width}: ${wide} px wider than the window`)
  if (tall > 0 && tall < SCROLLS_PX_MIN)
    console.log(`${name} at ${width}: ${tall} px higher than the window`)
  // As high as the page: what keeps to the foot of the window is seen there. A dialog stands in the window as it is.
  if (!(await page.locator('dialog[open]').isVisible()))
    await page.setViewportSize({ width, height: Math.max(whole, height) })
  for (const what of await misplaced(page)) console.log(`${name} at ${width}: ${what}`)
  if (JUDGED_PX.includes(width))
    for (const what of await axe(page)) console.log(`${name} at ${width}: ${what}`)
  await page.screenshot({ path: join(into, `${name}-${width}.png`) })
}
