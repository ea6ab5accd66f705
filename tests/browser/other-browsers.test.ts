/**
 * One registration, from the form to the office, in each installed browser except the Chromium that other tests use.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'
import { ALL_RUNS } from '../runs.ts'
import { PG_CATEGORY, PROOF_FILE } from './delegate.ts'
import { buildFixtureEvent } from '../server/small-event.ts'
import { createPlaywrightDriver } from './drivers/chromium.ts'
import type { Driver } from './drivers/driver.ts'
import { countColours } from './drivers/driver.ts'
import { explainMissingFirefox, startFirefox } from './drivers/firefox.ts'
import { explainMissingWebKit, startWebKit } from './drivers/webkit.ts'
import { findLink, openInbox } from './inbox.ts'
import type { Inbox } from './inbox.ts'
import { ADMIN, serve } from './serve.ts'
import type { TestServer } from './serve.ts'

const NAME = 'Dr Jürgen D’Souza आशा'
/** Text on the gateway's payment page. */
const GATEWAY_TEXT = 'no real money moves here'
const EMAIL = 'juergen@sample.example'

const OLD_CHROMIUM = process.env['OLD_CHROMIUM']
/** Long enough for a registration on four pages, each at three widths, on a busy machine. */
const LONG_TIMEOUT = { timeout: 600_000 }
const NO_COOKIES = { 'network.cookie.cookieBehavior': 2 }

const EVENT_WITH_DATE = buildFixtureEvent().replace(
  '        - {id: letter,',
  '        - {id: arrives_on, type: date, label: Arriving on}\n        - {id: letter,',
)

/** Sets the date as a script written for React does: with the element's native setter and an event. */
const SET_DATE = `(() => {
  const input = document.querySelector('input[type=date]')
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '2026-03-01')
  return input.dispatchEvent(new Event('input', { bubbles: true }))
})()`

type BrowserCase = { readonly name: string; readonly start: () => Promise<Driver> }
const OTHER_BROWSERS: readonly (BrowserCase & { readonly missingReason: string | null })[] = [
  { name: 'firefox', start: () => startFirefox(), missingReason: explainMissingFirefox() },
  { name: 'webkit', start: startWebKit, missingReason: explainMissingWebKit() },
  {
    name: 'old-chromium',
    start: () => createPlaywrightDriver(OLD_CHROMIUM ?? ''),
    missingReason: OLD_CHROMIUM ? null : 'OLD_CHROMIUM is not set (docs/browsers.md)',
  },
]
for (const { name, missingReason } of OTHER_BROWSERS)
  if (missingReason !== null) process.stderr.write(`not tested in ${name}: ${missingReason}\n`)
/** Used by `npm run thorough` if no other browser is installed. In `npm test`, other tests cover the same pages. */
const OWN_CHROMIUM = {
  name: 'chromium',
  start: () => createPlaywrightDriver(process.env['CHROMIUM'] ?? ''),
}
const INSTALLED_BROWSERS: readonly BrowserCase[] = OTHER_BROWSERS.filter(
  ({ missingReason }) => missingReason === null,
)
const TESTED_BROWSERS =
  INSTALLED_BROWSERS.length === 0 && ALL_RUNS ? [OWN_CHROMIUM] : INSTALLED_BROWSERS

let server: TestServer
let inbox: Inbox
let folder: string
let documentPath: string
beforeAll(async () => {
  if (TESTED_BROWSERS.length === 0) return
  folder = mkdtempSync(join(tmpdir(), 'rollcall-proof-'))
  documentPath = join(folder, PROOF_FILE.name)
  writeFileSync(documentPath, PROOF_FILE.buffer)
  inbox = await openInbox()
  server = await serve(
    { SMTP_URL: inbox.url, MAIL_FROM: 'no-reply@example.org', CLOCK: '2026-01-10' },
    ({ eventsDir }) => writeFileSync(join(eventsDir, 'sample2026.yaml'), EVENT_WITH_DATE),
  )
})
afterAll(async () => {
  if (TESTED_BROWSERS.length === 0) return
  for (const driver of drivers.values()) await (await driver).close()
  await server.stop()
  await inbox.close()
  rmSync(folder, { recursive: true })
})

/** Drivers by browser name. Each is started by the first test that needs it, and closed after all tests. */
const drivers = new Map<string, Promise<Driver>>()
const startDriver = ({ name, start }: BrowserCase): Promise<Driver> => {
  const driverPromise = drivers.get(name) ?? start()
  drivers.set(name, driverPromise)
  return driverPromise
}

async function fillInForm(driver: Driver, email: string): Promise<void> {
  await driver.open(`${server.url}/afpicon2026`)
  await driver.waitForText('Registration Summary')
  await expect
    .poll(() => driver.evaluate(`document.getElementById('${FONTS_ELEMENT_ID}') === null`))
    .toBe(true)
  await driver.fill('Full Name', NAME)
  await driver.fill('Email Address', email)
  await driver.fill('Phone Number', '+91 98470 00000')
  await driver.choose(PG_CATEGORY)
  await driver.attach(documentPath)
  await driver.waitForText('Total Amount')
  await driver.waitForText(', uploaded')
  // This part of the summary is rendered last.
  await driver.waitForText('Price valid until')
}
async function signIn(driver: Driver): Promise<void> {
  await driver.open(`${server.url}/admin/login`)
  await driver.fill('Username', ADMIN.username)
  await driver.fill('Password', ADMIN.password)
  await driver.press('Sign In')
}

if (TESTED_BROWSERS.length === 0) test('skipped: no other browser is installed', () => {})

describe.each(TESTED_BROWSERS)('in $name', (browser) => {
  const { name } = browser
  test(
    `${NAME} registers with a document, pays and opens the self-service page; staff see it`,
    LONG_TIMEOUT,
    async () => {
      const driver = await startDriver(browser)
      const email = `${name}.${EMAIL}`
      await fillInForm(driver, email)
      expect.soft(await driver.inspectLayout(`${name}-1-form`)).toEqual([])
      await driver.press('Proceed to Secure Payment')
      await driver.waitForText(GATEWAY_TEXT)
      expect.soft(await driver.inspectLayout(`${name}-2-gateway`)).toEqual([])
      await driver.press('Pay')
      await driver.waitForText('Registration Confirmed')
      await driver.waitForText(NAME)
      expect.soft(await driver.inspectLayout(`${name}-3-paid`)).toEqual([])

      const mail = await inbox.waitForEmail(email, '/my/')
      await driver.open(findLink(mail))
      await driver.waitForText(NAME)
      expect.soft(await driver.inspectLayout(`${name}-4-self-service`)).toEqual([])

      await signIn(driver)
      await driver.waitForText('Total revenue')
      await driver.waitForText(NAME)
      expect(await driver.readAddress()).toBe(`${server.url}/admin/dashboard`)
      expect(await driver.evaluate('document.body.innerText')).not.toContain('could not be shown')
      expect.soft(await driver.inspectLayout(`${name}-5-dashboard`)).toEqual([])
    },
  )
})

describe.each(TESTED_BROWSERS.filter((candidate) => candidate.name === 'firefox'))(
  'in $name without cookies',
  () => {
    test(
      'the form of an event with an upload opens and can be paid; the sign-in page says that cookies are required',
      LONG_TIMEOUT,
      async () => {
        const driver = await startDriver({
          name: 'firefox-no-cookies',
          start: () => startFirefox(NO_COOKIES),
        })
        const inspectLayout = async (step: string): Promise<void> =>
          expect.soft(await driver.inspectLayout(`firefox-no-cookies-${step}`)).toEqual([])
        await fillInForm(driver, `blocked.${EMAIL}`)
        expect(await driver.evaluate('navigator.cookieEnabled')).toBe(false)
        await inspectLayout('1-form')
        await driver.press('Proceed to Secure Payment')
        await driver.press('Pay')
        await driver.waitForText('Registration Confirmed')
        await inspectLayout('3-paid')
        const mail = await inbox.waitForEmail(`blocked.${EMAIL}`, '/my/')
        await driver.open(findLink(mail))
        await driver.waitForText(NAME)
        await inspectLayout('4-self-service')
        await signIn(driver)
        await driver.waitForText('Your browser blocks cookies')
        await inspectLayout('5-office')
      },
    )
  },
)

describe.each(TESTED_BROWSERS.filter((candidate) => candidate.name === 'webkit'))(
  'in $name',
  (browserCase) => {
    test("an empty date field does not show today's date", LONG_TIMEOUT, async () => {
      const driver = await startDriver(browserCase)
      const countInkColours = (): Promise<number> => countColours(driver, 'input[type=date]')
      await driver.open(`${server.url}/sample2026`)
      await driver.waitForText('Arriving on')
      expect.soft(await driver.inspectLayout('webkit-6-empty-date')).toEqual([])
      // The page may still move between measuring the field's position and the screenshot.
      await expect.poll(countInkColours).toBe(1)
      await driver.evaluate(SET_DATE)
      // Once the field has an answer, the same screenshot contains text.
      await expect.poll(countInkColours).toBeGreaterThan(3)
    })
  },
)
