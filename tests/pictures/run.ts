/**
 * `npm run pictures [FOLDER [WORD]]`: every page in every state at five widths, to be looked at beside the mocks;
 * with a word, those whose names hold it. Says which page is wider than the window, and which scrolls although it is short.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { FACES } from '../../engine/index.ts'
import type { RegistrationAnswer } from '../../engine/index.ts'
import { launch, visit } from '../browser/browser.ts'
import { field, FORM, INTERN, payButton, PG, problems, PROOF } from '../browser/delegate.ts'
import { ADMIN, serveAlone, TOP } from '../browser/serve.ts'

/** Small phone, usual phone, tablet, laptop, large screen. */
const SIZES = [
  [320, 568],
  [360, 740],
  [768, 1024],
  [1280, 900],
  [1920, 1080],
] as const
/** Some weeks before the conference whose form most pictures show. */
const TODAY = '2026-01-12'
/** A page that scrolls by less than this would better not scroll. */
const SCROLLS_PX_MIN = 60
const NOW = `${TODAY}T12:00:00+05:30`

const [, , folder = 'pictures', word = ''] = process.argv
const into = resolve(folder)
mkdirSync(into, { recursive: true })

type State = {
  readonly name: string
  readonly open: (page: Page) => Promise<unknown>
}

const server = await serveAlone(
  { CLOCK: NOW },
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
const at = (path: string) => (page: Page) => page.goto(server.url + path)

// ── The form ───────────────────────────────────────────────────────────────────

const openForm = async (page: Page) => {
  await at(FORM)(page)
  await page.getByRole('radio', { name: PG, exact: true }).waitFor()
}
const filled = async (page: Page, category = PG) => {
  await openForm(page)
  await field(page, 'Full Name').fill('Dr. Example Nair')
  await field(page, 'Email Address').fill('example.nair@example.org')
  await field(page, 'Phone Number').fill('+91 98470 00001')
  await page.getByRole('radio', { name: category, exact: true }).check()
  if (category === PG) await page.locator('input[type=file]').setInputFiles(PROOF)
  await page.getByText('The confirmation goes to').waitFor()
}
const refusedWith =
  (status: number, answer: object) =>
  async (page: Page): Promise<void> => {
    await page.route('**/register/', (route) =>
      route.fulfill({ status, json: { status: 'error', ...answer } }),
    )
    await filled(page)
    await payButton(page).click()
  }
const quoted = (base: number) => ({
  category: 'afpi-pg',
  period: 'jan-1-jan-25',
  base,
  gst: base * 0.18,
  total: base * 1.18,
})

const FORMS: readonly State[] = [
  { name: 'form-empty', open: openForm },
  { name: 'form-filled', open: (page) => filled(page) },
  {
    name: 'form-errors',
    open: async (page) => {
      await openForm(page)
      await page.getByRole('radio', { name: PG, exact: true }).check()
      await page.getByRole('switch', { name: 'AFPI Member' }).check()
      await field(page, 'Email Address').fill('asha@gmial.com')
      await payButton(page).click()
      await problems(page).waitFor()
    },
  },
  {
    name: 'form-price-changed',
    open: async (page) => {
      await refusedWith(409, { code: 'price_changed', message: 'Changed', quote: quoted(8000) })(
        page,
      )
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'form-refused',
    open: async (page) => {
      await refusedWith(503, {
        code: 'busy',
        message: 'The server is busy. Please try again in a moment.',
      })(page)
      await page.getByText('The server is busy').first().waitFor()
    },
  },
  {
    name: 'form-unpriced',
    open: async (page) => {
      await page.route('**/tariff-info/', (route) => route.abort())
      await page.route(`**${FORM}`, async (route) => {
        const response = await route.fetch()
        const html = await response.text()
        const body = html.replace(/"tariff":\{.*,"drawn":true/, '"tariff":null,"drawn":false')
        await route.fulfill({ response, body })
      })
      await openForm(page)
      await page.getByRole('button', { name: 'Try again' }).first().waitFor()
    },
  },
  { name: 'form-chirurgia', open: at('/chirurgia2026') },
  { name: 'form-ended', open: at('/midzone2025') },
  { name: 'form-closed', open: at('/pulmocon2025') },
  { name: 'form-before-opening', open: at('/later2027') },
  { name: 'form-sells', open: at('/nidancon2027') },
  { name: 'form-scripts', open: at('/arogyam2027') },
  { name: 'form-free', open: at('/sevana2027') },
  { name: 'form-run', open: at('/nilarun2027') },
]

// ── The result pages ───────────────────────────────────────────────────────────

type Answered = RegistrationAnswer['registration']
const NUMBER = 'AFPI4839201755603'
const REGISTRATION: Answered = {
  full_name: 'Dr. Example Nair',
  email: 'example.nair@example.org',
  phone_number: '+91 98470 00001',
  ticket_type: 'afpi-pg',
  reg_no: NUMBER,
  order_id: NUMBER,
  payment_status: 'pending',
  in_review: false,
  failed_as: null,
  payment_date: null,
  created_at: `${TODAY}T09:00:00+05:30`,
  attempted_at: `${TODAY}T09:00:00+05:30`,
  category_label: 'AFPI Member – Post Graduate',
  ...quoted(6250),
  lines: [],
  stands: 'not-paid',
  held_until: '2026-01-26T00:00:00+05:30',
  review_since: null,
  second_payment: false,
  refunded_amount: 0,
  difference_due: 0,
  decide_by: null,
  may_pay: false,
}
const PAID = { payment_status: 'success', payment_date: NOW } as const
const STANDS: Readonly<Record<string, Partial<Answered>>> = {
  paid: { stands: 'complete', ...PAID },
  'paid-twice': { stands: 'complete', ...PAID, second_payment: true, refunded_amount: 1000 },
  'pending-not-paid': { stands: 'not-paid', may_pay: true },
  'pending-at-bank': { stands: 'at-bank' },
  'pending-organisers': { stands: 'organisers', in_review: true, review_since: NOW },
  failed: { stands: 'failed', payment_status: 'failed', failed_as: 'declined', may_pay: true },
  refunded: { stands: 'refunded', payment_status: 'refunded', payment_date: NOW },
}
const RESULTS: readonly State[] = [
  ...Object.entries(STANDS).map(([name, stands]): State => ({
    name: `result-${name}`,
    open: async (page) => {
      await page.route('**/registrations/**', (route) =>
        route.fulfill({
          json: { status: 'success', registration: { ...REGISTRATION, ...stands } },
        }),
      )
      await at(`/afpicon/payment/success?orderId=${NUMBER}`)(page)
      await page.locator('h2').first().waitFor()
    },
  })),
  { name: 'result-unknown', open: at('/afpicon/payment/success?orderId=AFPI2000000000009') },
  { name: 'result-failed-unknown', open: at('/afpicon/payment/failed') },
  { name: 'pay-unknown', open: at('/pay/nobody-knows-this-link') },
]

// ── What belongs to no event, and the office ───────────────────────────────────

const SITE: readonly State[] = [
  { name: 'landing', open: at('/') },
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
      await filled(page, INTERN)
      await payButton(page).click()
      await page.waitForURL((url) => url.origin !== server.url)
    },
  },
]
const signedIn =
  (then: string): State['open'] =>
  async (page) => {
    await at(`/admin/login?next=${encodeURIComponent(then)}`)(page)
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL((url) => url.pathname !== '/admin/login')
  }
const OFFICE: readonly State[] = [
  { name: 'office-sign-in', open: at('/admin/login') },
  { name: 'office-dashboard', open: signedIn('/admin/dashboard') },
  { name: 'office-search', open: signedIn('/admin/search?q=dolor') },
  { name: 'office-list', open: signedIn('/admin/afpicon2026') },
  {
    name: 'office-list-empty',
    open: signedIn('/admin/afpicon2026?search=nobody+has+this+name'),
  },
  { name: 'office-list-sells', open: signedIn('/admin/nidancon2027') },
  {
    name: 'office-registration',
    open: async (page) => {
      await signedIn('/admin/afpicon2026')(page)
      await page.locator('table a, .rows a').first().click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
  },
  { name: 'office-codes', open: signedIn('/admin/codes-of/nidancon2027') },
  { name: 'office-sold', open: signedIn('/admin/nidancon2027/sold') },
]

// ── Taking them ────────────────────────────────────────────────────────────────

const browser = await launch()
try {
  for (const { name, open } of [...FORMS, ...RESULTS, ...SITE, ...OFFICE]) {
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
  await server.stop()
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
