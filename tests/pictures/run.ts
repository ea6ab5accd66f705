/** `npm run pictures [FOLDER [WORD…]]`: takes pictures of every page in every state at five widths. */
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
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'
import { findLayoutProblems } from '../browser/layout-boxes.ts'
import { runAxe, launchWithDefaultFlags, visit } from '../browser/browser.ts'
import { INTERN_CATEGORY, findPayButton } from '../browser/delegate.ts'
import { serveAsProcess, ROOT } from '../browser/serve.ts'
import { fillForm, listFormStates } from './form.ts'
import { listOfficeStates } from './office.ts'
import { LETTERS_EVENT, LETTERS_FILE, listSelfServiceStates } from './self-service.ts'
import { listRecoveryStates } from './recovery.ts'
import { REG_NO, listResultStates } from './results.ts'
import { NOW, openPath } from './state.ts'
import type { PictureState } from './state.ts'

// The pictures are compared with the mock-ups. If words are given, only states whose names contain one are shown.
// Reports pages wider than the window, short pages that scroll, overlapping elements, and axe violations.

/** The window sizes of a small phone, a typical phone, a tablet, a laptop and a large screen. */
const SIZES = [
  [320, 568],
  [360, 740],
  [768, 1024],
  [1280, 900],
  [1920, 1080],
] as const
/** The widths at which axe runs: a phone and a desktop. */
const AXE_WIDTHS_PX: readonly number[] = [360, 1280]
/** A page that would scroll by less than this should not scroll at all. */
const MIN_SCROLL_PX = 60

const [, , folder = 'pictures', ...words] = process.argv
const targetDir = resolve(folder)
mkdirSync(targetDir, { recursive: true })

// The demo stores its database in a separate folder below this one.
const temporaryDir = mkdtempSync(join(tmpdir(), 'rollcall-pictures-'))
const serverProcess = await serveAsProcess(
  { CLOCK: NOW, TMPDIR: temporaryDir },
  ({ eventsDir }) => {
    for (const folder of ['tests/events', 'tests/browser/added-events'])
      cpSync(join(ROOT, folder), eventsDir, { recursive: true })
    writeFileSync(join(eventsDir, LETTERS_FILE), LETTERS_EVENT)
    // Adds a conference whose registration has not opened yet.
    const freeEvent = readFileSync(join(eventsDir, 'sevana2027.yaml'), 'utf8')
    const laterEvent = freeEvent
      .replaceAll('sevana2027', 'later2027')
      .replace('SEVA', 'LATR')
      .replace(/^( +title: .*)$/m, '$1 (later)')
    writeFileSync(
      join(eventsDir, 'later2027.yaml'),
      laterEvent.replace('\nroutes:', '\nregistration: {opens: 2026-06-01}\n\nroutes:'),
    )
  },
  ROOT,
  'demo',
)
const [demoDir = ''] = readdirSync(temporaryDir)
const server = { url: serverProcess.url, dataDir: join(temporaryDir, demoDir) }
const openAt = openPath(server)

/** Answers the organisers' questions until the fee table, and adds a third price period. */
async function openFeeTable(page: Page): Promise<void> {
  await openAt('/organisers')(page)
  await page.getByRole('button', { name: 'New conference' }).click()
  for (const answer of ['Echo Days 2027', '12–13 March 2027', '', '']) {
    await page.getByRole('textbox').first().fill(answer)
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  await page.getByRole('radio', { name: 'No', exact: true }).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Category 1', { exact: true }).fill('Member of the society')
  await page.getByRole('button', { name: 'Add a price period' }).click()
}

/** Opens a tab on the organisers' page. In a narrow window, the file itself is in a tab. */
async function openOrganisersTab(page: Page, tab: string): Promise<void> {
  await page.setViewportSize({ width: 768, height: 1024 })
  await openAt('/organisers')(page)
  await page.getByRole('button', { name: 'Copy event file' }).click()
  await page.getByText(/examples pass/).waitFor()
  await page.getByRole('tab', { name: tab }).click()
  await page.getByRole('tabpanel').getByText('Loading').waitFor({ state: 'detached' })
}

/** Pages that belong to no event. */
const SITE_STATES: readonly PictureState[] = [
  { name: 'landing', open: openAt('/') },
  { name: 'landing-unknown-payment', open: openAt('/?message=unknown-payment') },
  { name: 'organisers', open: openAt('/organisers') },
  ...['File', 'Price', 'Result pages', 'Findings', 'Examples'].map((tab): PictureState => ({
    name: `organisers-${tab.toLowerCase().replaceAll(' ', '-')}`,
    open: (page) => openOrganisersTab(page, tab),
  })),
  {
    name: 'organisers-wrong',
    open: async (page) => {
      await openOrganisersTab(page, 'File')
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
  { name: 'organisers-fees', open: openFeeTable },
  { name: 'not-found', open: openAt('/nowhere') },
  {
    name: 'broken',
    open: async (page) => {
      await page.route('**/assets/index-*.js', (route) => route.continue())
      await page.route('**/assets/pending-refunded-cancelled-pages-*.js', (route) => route.abort())
      await page.route('**/assets/result-page-*.js', (route) => route.abort())
      await openAt(`/afpicon/payment/success?orderId=${REG_NO}`)(page)
    },
  },
  {
    name: 'gateway-orders',
    open: async (page) => {
      await fillForm(server, page, INTERN_CATEGORY)
      await findPayButton(page).click()
      await page.waitForURL((url) => url.origin !== server.url)
      await page.goto(new URL('/', page.url()).href)
    },
  },
  {
    name: 'gateway',
    open: async (page) => {
      await fillForm(server, page, INTERN_CATEGORY)
      await findPayButton(page).click()
      await page.waitForURL((url) => url.origin !== server.url)
    },
  },
]

// ── Taking the pictures ────────────────────────────────────────────────────────

const browser = await launchWithDefaultFlags()
try {
  for (const { name, open, javaScript = true } of [
    ...listFormStates(server),
    ...listResultStates(server),
    ...listSelfServiceStates(server),
    ...SITE_STATES,
    ...listOfficeStates(server),
    ...listRecoveryStates(server),
  ]) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue
    const { page, context, consoleErrors } = await visit(browser, {
      privateWindow: true,
      height: 900,
      javaScript,
    })
    try {
      await open(page)
      // While a response is held back, the network does not become idle.
      await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => {})
      // Waits until the script has hydrated the form and the fonts are loaded.
      if (javaScript)
        await page.waitForFunction(
          (id) => document.querySelector(`#${id}`)?.getAttribute('media') !== 'not all',
          FONTS_ELEMENT_ID,
        )
      for (const [width, height] of SIZES)
        await (javaScript
          ? takePicture(page, name, width, height)
          : takePictureWithoutScripts(page, name, width, height))
    } catch (error) {
      console.log(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    for (const consoleError of consoleErrors) console.log(`${name}: ${consoleError}`)
    await context.close()
  }
} finally {
  await browser.close()
  await serverProcess.stop()
  rmSync(temporaryDir, { recursive: true, force: true })
}
console.log(`${readdirSync(targetDir).length} pictures are in ${targetDir}.`)

/** Takes a picture of a page with scripts switched off, on which nothing can be measured. */
async function takePictureWithoutScripts(
  page: Page,
  name: string,
  width: number,
  height: number,
): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.screenshot({ path: join(targetDir, `${name}-${width}.png`), fullPage: true })
}

async function takePicture(page: Page, name: string, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height })
  const { excessWidth, fullHeight } = await page.evaluate(async () => {
    // After a resize, the headless browser sometimes draws no frame until it takes the picture.
    const waitForFrame = () =>
      Promise.race([
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        new Promise((timeout) => setTimeout(timeout, 1000)),
      ])
    // Scrolls to the end, so that the picture contains lazily loaded parts.
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
    await waitForFrame()
    await document.fonts.ready
    scrollTo({ top: 0, behavior: 'instant' })
    await waitForFrame()
    // Waits for the parts that are loaded when the browser is idle.
    await new Promise((idle) => requestIdleCallback(idle, { timeout: 2000 }))
    await waitForFrame()
    const { scrollWidth, scrollHeight } = document.documentElement
    return { excessWidth: scrollWidth - innerWidth, fullHeight: scrollHeight }
  })
  const excessHeight = fullHeight - height
  if (excessWidth > 0) console.log(`${name} at ${width}: ${excessWidth} px wider than the window`)
  if (excessHeight > 0 && excessHeight < MIN_SCROLL_PX)
    console.log(`${name} at ${width}: ${excessHeight} px higher than the window`)
  // A picture is as high as the page, so that a fixed footer is at the bottom. A picture of a dialog is as high as the
  // window.
  if (!(await page.locator('dialog[open]').isVisible()))
    await page.setViewportSize({ width, height: Math.max(fullHeight, height) })
  for (const problem of await findLayoutProblems(page))
    console.log(`${name} at ${width}: ${problem}`)
  if (AXE_WIDTHS_PX.includes(width))
    for (const violation of await runAxe(page)) console.log(`${name} at ${width}: ${violation}`)
  await page.screenshot({ path: join(targetDir, `${name}-${width}.png`) })
}
