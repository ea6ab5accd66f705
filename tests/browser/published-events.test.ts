/** Events modelled on real conference websites: a delegate registers and pays by card or bank transfer. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { launch, visit } from './browser.ts'
import { clickAtGateway, findField, PROOF_FILE, toPlainText, waitForHydration } from './delegate.ts'
import { ADMIN, serve, ROOT } from './serve.ts'
import type { TestServer } from './serve.ts'

type Step = (page: Page) => Promise<unknown>
const fillText =
  (label: string, value: string): Step =>
  (page) =>
    findField(page, label).fill(value)
const fillDate =
  (label: string, value: string): Step =>
  (page) =>
    page.getByLabel(label).fill(value)
const chooseRadio =
  (name: RegExp): Step =>
  (page) =>
    page.getByRole('radio', { name }).check()
const tick =
  (name: RegExp): Step =>
  (page) =>
    page.getByRole('checkbox', { name }).check()
const turnOn =
  (name: string): Step =>
  (page) =>
    page.getByRole('switch', { name }).click()
const select =
  (label: string, option: string): Step =>
  (page) =>
    page.getByRole('combobox', { name: label }).selectOption(option)
const attach =
  (label: string): Step =>
  (page) =>
    page.getByLabel(label).setInputFiles(PROOF_FILE)
const press =
  (name: string): Step =>
  (page) =>
    page.getByRole('button', { name, exact: true }).click()

type EventCase = {
  readonly event: string
  readonly name: string
  readonly phone?: string
  readonly steps: readonly Step[]
  /** The label of the submit button. */
  readonly button: string
  readonly pays: 'at the gateway' | 'by transfer' | 'after approval'
  readonly total: string
  readonly heading: string
}
/** The label of the submit button if an event accepts only cards. */
const CARD_BUTTON = 'Proceed to Secure Payment'
const REGISTERED_HEADING = 'You Are Registered'
const EVENT_CASES: readonly EventCase[] = [
  {
    event: 'ghatmeet2027',
    name: 'Full name',
    phone: 'Phone',
    steps: [
      chooseRadio(/^Member/),
      press('Add a person'),
      fillText('Person 1: Name', 'Tara Sample'),
      fillDate('Person 1: Date of birth', '2018-12-09'),
      chooseRadio(/^Bed in a twin room/),
      fillText('Nights', '2'),
      chooseRadio(/^Card/),
    ],
    button: 'Register',
    pays: 'at the gateway',
    // 9,440 + 3,540 + 8,400
    total: '₹ 21,380',
    heading: REGISTERED_HEADING,
  },
  {
    event: 'pustakmela2027',
    name: 'Name of the delegate or contact',
    phone: 'Phone',
    steps: [
      chooseRadio(/^Institution with two delegates/),
      fillText('Institution or company', 'Sample College'),
      fillText('Address for the invoice', '1 Made-up Road'),
      select('State', 'Kerala'),
      fillText('Second delegate of the institution', 'Ravi Sample'),
      fillText('Further delegates', '1'),
      chooseRadio(/^NEFT/),
    ],
    button: 'Register',
    pays: 'by transfer',
    total: '₹ 9,676',
    heading: REGISTERED_HEADING,
  },
  {
    event: 'rekhadays2027',
    name: 'Full name',
    phone: 'Phone',
    steps: [
      chooseRadio(/^Guild member/),
      chooseRadio(/^Single days/),
      tick(/^Friday/),
      tick(/^Sunday/),
    ],
    button: CARD_BUTTON,
    pays: 'at the gateway',
    total: '₹ 4,800',
    heading: 'See You There',
  },
  {
    event: 'swarafellow2027',
    name: 'Full name',
    phone: 'Phone',
    steps: [
      chooseRadio(/^India/),
      chooseRadio(/^Government/),
      fillText('Postgraduate degree', 'MS ENT'),
      fillText('Medical council registration number', 'TN-12345'),
      attach('Degree certificate'),
      attach('Letter of the department'),
      fillText('Why do you apply?', 'To treat singers'),
      chooseRadio(/^Card/),
    ],
    button: 'Send for approval',
    pays: 'after approval',
    total: '₹ 53,100',
    heading: 'You Are Enrolled',
  },
  {
    event: 'vayuwebinar2027',
    name: 'Name',
    phone: 'Mobile',
    steps: [
      chooseRadio(/^Engineer or doctor/),
      turnOn('I need a certificate'),
      tick(/^You may store my answers/),
    ],
    button: CARD_BUTTON,
    pays: 'at the gateway',
    total: '₹ 1,239',
    heading: REGISTERED_HEADING,
  },
  {
    event: 'tarangfest2027',
    name: 'Full name',
    phone: 'Mobile',
    steps: [
      chooseRadio(/^Another college/),
      fillText('College or school', 'Another College'),
      attach('Student card'),
      tick(/^Solo song/),
      tick(/^Robo race/),
      press('Add a person'),
      fillText('Person 1: Name', 'Dev Sample'),
      fillText('Beds', '2'),
      fillText('Nights', '1'),
    ],
    button: CARD_BUTTON,
    pays: 'at the gateway',
    // 150 + 80 + 600 + 100 + 400
    total: '₹ 1,330',
    heading: 'You Have Entered',
  },
  {
    event: 'malnadchapter2027',
    name: 'Full name',
    phone: 'Mobile',
    steps: [
      chooseRadio(/^Chapter member/),
      fillText('Membership number', 'MC-123'),
      fillDate('Date of birth', '1975-04-05'),
      turnOn('I attend the workshop on Saturday morning'),
    ],
    button: 'Register',
    pays: 'by transfer',
    total: '₹ 3,250',
    heading: REGISTERED_HEADING,
  },
  {
    event: 'dweepcon2027',
    name: 'Full name',
    phone: 'Phone',
    steps: [chooseRadio(/^Elsewhere/), chooseRadio(/^Bed in a twin room/), chooseRadio(/^Card/)],
    button: 'Register',
    pays: 'at the gateway',
    total: 'US$ 644.16',
    heading: REGISTERED_HEADING,
  },
  {
    event: 'sangamcon2027',
    name: 'Full name',
    phone: 'Phone',
    steps: [
      chooseRadio(/^Postgraduate trainee/),
      attach('Letter of your head of department'),
      chooseRadio(/^Card/),
    ],
    button: 'Register',
    pays: 'at the gateway',
    total: '₹ 5,310',
    heading: REGISTERED_HEADING,
  },
  {
    event: 'burgkongress2027',
    name: 'Full name',
    steps: [
      chooseRadio(/^Nurse/),
      chooseRadio(/^A company or hospital/),
      select('Country of the payer', 'france'),
      fillText('Company or hospital', 'Hôpital Exemple'),
      fillText('VAT number', 'FR12345678901'),
      select('Course on Thursday', 'ultrasound'),
      tick(/^You may store my answers/),
    ],
    button: 'Register',
    pays: 'by transfer',
    total: '€ 310',
    heading: REGISTERED_HEADING,
  },
  {
    event: 'dahlemschule2027',
    name: 'Full name',
    steps: [
      chooseRadio(/^Professional/),
      select('Country', 'kenya'),
      chooseRadio(/^Both weeks/),
      tick(/^You may store my answers/),
    ],
    button: 'Register',
    pays: 'by transfer',
    total: '€ 2,000',
    heading: REGISTERED_HEADING,
  },
]

/**
 * `npm test` covers an approval with documents, dollars by card and euros by transfer. Other tests cover several people
 * who pay by card, and a transfer in rupees. The examples of all events also test their bills.
 */
const REPRESENTATIVE_EVENTS = ['swarafellow2027', 'dweepcon2027', 'burgkongress2027']
const TESTED_CASES = ALL_RUNS
  ? EVENT_CASES
  : EVENT_CASES.filter(({ event }) => REPRESENTATIVE_EVENTS.includes(event))

let browser: Browser
let server: TestServer
let token: string
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({ CLOCK: '2027-07-20T12:00:00+05:30' }, ({ eventsDir }) => {
      for (const { event } of TESTED_CASES)
        copyFileSync(
          join(ROOT, 'tests', 'events', `${event}.yaml`),
          join(eventsDir, `${event}.yaml`),
        )
    }),
  ])
  token = ((await postJson('/admin/login/', ADMIN)) as { readonly token: string }).token
})
afterAll(async () => {
  await server.stop()
})

async function postJson(path: string, body: object, authorization = ''): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify(body),
  })
  const responseBody: unknown = await response.json()
  expect(response.status, JSON.stringify(responseBody)).toBe(200)
  return responseBody
}
const performOfficeAction = (regNo: string, action: object): Promise<unknown> =>
  postJson(`/admin/registrations/${regNo}/acts/`, action, `Bearer ${token}`)

const readText = async (page: Page): Promise<string> =>
  toPlainText(await page.getByRole('main').innerText())

test.each(TESTED_CASES)('$event: a delegate registers and pays $total $pays', async (row) => {
  const { page, context, consoleErrors } = await visit(browser)
  await page.goto(`${server.url}/${row.event}`)
  await waitForHydration(page)
  await findField(page, row.name).first().fill('Asha Sample')
  await findField(page, 'Email').fill('asha@example.org')
  if (row.phone !== undefined) await findField(page, row.phone).fill('9847012345')
  for (const step of row.steps) await step(page)
  await expect.poll(() => readText(page)).toContain(row.total)
  await page.getByRole('button', { name: row.button, exact: true }).click()
  if (row.pays === 'at the gateway') {
    await page.waitForURL((url) => url.origin !== server.url)
    await clickAtGateway(page, 'Pay')
  } else {
    await page.getByRole('heading', { name: /^Waiting for (your payment|approval)$/ }).waitFor()
    const regNo = /[A-Z]{4}\d{13}/.exec(await readText(page))?.[0] ?? ''
    if (row.pays === 'after approval') {
      await performOfficeAction(regNo, { act: 'approve' })
      await page.reload()
      await page.getByRole('button', { name: /^Pay .* now$/ }).click()
      await clickAtGateway(page, 'Pay')
    } else {
      await performOfficeAction(regNo, {
        act: 'confirm',
        way: 'transfer',
        reference: `UTRN20270720${String(EVENT_CASES.indexOf(row)).padStart(5, '0')}`,
        amount: row.total.replaceAll(/[^\d.]/g, ''),
        day: '2027-07-20',
      })
      await page.reload()
    }
  }
  await page.getByRole('heading', { name: row.heading }).waitFor()
  await expect.poll(() => readText(page)).toContain(row.total)
  expect(consoleErrors).toEqual([])
  await context.close()
})
