/**
 * `npm run pictures [FOLDER [WORD]]`: every page in every state at five widths, to be looked at beside the mocks;
 * with a word, those whose names hold it. Says which page is wider than the window, and which scrolls although it is short.
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
import { FACES } from '../../engine/index.ts'
import { launch, visit } from '../browser/browser.ts'
import { INTERN, payButton } from '../browser/delegate.ts'
import { serveAlone, TOP } from '../browser/serve.ts'
import { filled, formStates } from './form.ts'
import { officeStates } from './office.ts'
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
/** A page that scrolls by less than this would better not scroll. */
const SCROLLS_PX_MIN = 60

const [, , folder = 'pictures', word = ''] = process.argv
const into = resolve(folder)
mkdirSync(into, { recursive: true })

// The demo keeps its rows in a folder of its own, below this one.
const temporary = mkdtempSync(join(tmpdir(), 'rollcall-pictures-'))
const running = await serveAlone(
  { CLOCK: NOW, TMPDIR: temporary },
  ({ eventsDir }) => {
    for (const more of ['tests/events', 'tests/browser/further-events'])
      cpSync(join(TOP, more), eventsDir, { recursive: true })
    // One that is not open yet.
    const free = readFileSync(join(eventsDir, 'sevana2027.yaml'), 'utf8')
    const later = free.replaceAll('sevana2027', 'later2027').replace('SEVA', 'LATR')
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

/** What belongs to no event. */
const SITE: readonly State[] = [
  { name: 'landing', open: at('/') },
  { name: 'landing-unknown-payment', open: at('/?message=unknown-payment') },
  { name: 'organisers', open: at('/organisers') },
  { name: 'not-found', open: at('/nowhere') },
  {
    name: 'broken',
    open: async (page) => {
      await page.route('**/assets/index-*.js', (route) => route.continue())
      await page.route('**/assets/failed-*.js', (route) => route.abort())
      await page.route('**/assets/results-*.js', (route) => route.abort())
      await at(`/afpicon/payment/success?orderId=${NUMBER}`)(page)
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

const browser = await launch()
try {
  for (const { name, open } of [
    ...formStates(server),
    ...resultStates(server),
    ...SITE,
    ...officeStates(server),
  ]) {
    if (!name.includes(word)) continue
    const { page, context, complaints } = await visit(browser, { own: true, height: 900 })
    try {
      await open(page)
      await page.waitForLoadState('networkidle')
      // Of a form: until its script has taken over, and its faces are there.
      await page.waitForFunction(
        (id) => document.querySelector(`#${id}`)?.getAttribute('media') !== 'not all',
        FACES,
      )
      for (const [width, height] of SIZES) await take(page, name, width, height)
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
    const { scrollWidth, scrollHeight } = document.documentElement
    return { wide: scrollWidth - innerWidth, whole: scrollHeight }
  })
  const tall = whole - height
  if (wide > 0) console.log(`${name} at ${width}: ${wide} px wider than the window`)
  if (tall > 0 && tall < SCROLLS_PX_MIN)
    console.log(`${name} at ${width}: ${tall} px higher than the window`)
  // As high as the page: what keeps to the foot of the window is seen there.
  await page.setViewportSize({ width, height: Math.max(whole, height) })
  await page.screenshot({ path: join(into, `${name}-${width}.png`) })
}
