/** Three events from the form to the confirmation: a marathon, a free webinar and a national conference. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerThorough } from '../runs.ts'
import { expectAccessible, holdRequests, launch, visit } from './browser.ts'
import {
  clickAtGateway,
  findField,
  waitForHydration,
  readData,
  readOrderId,
  PROOF_FILE,
  toPlainText,
} from './delegate.ts'
import { runHere } from '../server/run-command.ts'
import { ADMIN, serve, waitUntilRendered } from './serve.ts'
import type { TestServer } from './serve.ts'

const EVENTS = join(import.meta.dirname, '..', 'events')

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({ CLOCK: '2026-12-24T12:00:00+05:30' }, ({ eventsDir }) => {
      for (const id of ['nidancon2027', 'nilarun2027', 'soiltalk2027'])
        copyFileSync(join(EVENTS, `${id}.yaml`), join(eventsDir, `${id}.yaml`))
      // One workshop and one category have a single seat, so that another delegate can take it first.
      const eventFile = join(eventsDir, 'nidancon2027.yaml')
      writeFileSync(
        eventFile,
        readFileSync(eventFile, 'utf8')
          .replaceAll('ventilation: 20', 'ventilation: 1')
          .replace('max: 100', 'max: 1')
          .replace('trainees: 100', 'trainees: 1'),
      )
    }),
  ])
  const memberListPath = join(server.dataDir, '..', 'members.csv')
  writeFileSync(memberListPath, 'number,name,kind,valid_to\nM 1,Asha Sample,annual,2027-03-31\n')
  const { status, stderr } = await runHere(
    ['event', 'members', 'nidancon2027', 'members', memberListPath],
    {
      DATA_DIR: server.dataDir,
      EVENTS_DIR: server.eventsDir,
    },
  )
  if (status !== 0) throw new Error(stderr)
  const postJson = (path: string, body: object, token = ''): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
  const { token } = (await (await postJson('/admin/login/', ADMIN)).json()) as { token: string }
  for (const code of ['ONE-TIME', 'SPENT-SOON']) {
    const codesResponse = await postJson(
      '/admin/codes/',
      { event: 'nidancon2027', kind: 'faculty', code },
      token,
    )
    if (!codesResponse.ok) throw new Error(`no code: ${await codesResponse.text()}`)
  }
})
afterAll(async () => {
  await server.stop()
})

const findBill = (page: Page, title: string): Locator =>
  page.getByRole('complementary', { name: title })
const findButton = (page: Page, name: string): Locator =>
  page.getByRole('button', { name, exact: true })

test('a runner registers with family members, a shirt and a donation, pays, and sees each line on the result page', async () => {
  const { page, context, consoleErrors } = await visit(browser, { width: 360, privateWindow: true })
  await waitUntilRendered(`${server.url}/nilarun2027`)
  const release = await holdRequests(page, '**/assets/{index,shared,registration-page}*.js')
  await page.goto(`${server.url}/nilarun2027`, { waitUntil: 'commit' })
  // The price changes before the scripts have loaded, even if the event sells items other than entries.
  const bar = page.getByRole('region', { name: 'Your Entry' })
  await page.getByLabel('Running shirt').selectOption('xxl')
  await expect.poll(async () => toPlainText(await bar.innerText())).toContain('₹ 1,348')
  await page.setViewportSize({ width: 1280, height: 800 })
  const readBill = async () => toPlainText(await findBill(page, 'Your Entry').innerText())
  await expect.poll(readBill).toContain('₹ 1,348')
  expect(await readBill()).not.toContain('Late entry')
  release()
  await waitForHydration(page)
  await expect.poll(readBill).toContain('Late entry')
  await expect.poll(readBill).toContain('₹ 1,348')
  await findField(page, 'Name on the bib').fill('Tara Sample')
  await findField(page, 'Email').fill('tara@example.org')
  await findField(page, 'Mobile').fill('98470 12345')
  const distanceRadio = page.getByRole('radio', { name: '10 km', exact: true })
  // The delegate is one day too young for the adult distances.
  await page.getByLabel('Date of birth').fill('2009-01-18')
  await findField(page, 'Parent or guardian').waitFor()
  await expect.poll(() => distanceRadio.count()).toBe(0)
  await page.getByLabel('Date of birth').fill('1982-01-17')
  await distanceRadio.check()
  await findButton(page, 'Add a person').click()
  await page.getByRole('textbox', { name: 'Person 1: Name' }).fill('Ravi Sample')
  await page.getByLabel('Person 1: Date of birth').fill('2009-01-17')
  await findButton(page, 'Add another person').click()
  await page.getByRole('textbox', { name: 'Person 2: Name' }).fill('Mini Sample')
  await page.getByLabel('Person 2: Date of birth').fill('2022-05-05')
  await findField(page, 'I give').fill('99')
  await page.getByRole('checkbox', { name: /I am fit to run/ }).check()
  await findButton(page, 'Pay and Enter').click()
  await page.getByText('Please give between 100 and 50000 rupees').first().waitFor()
  await findField(page, 'I give').fill('501')
  // 799 + 549 + 400 + 150 + 501
  await expect
    .poll(() => readData(findBill(page, 'Your Entry')))
    .toEqual({
      'Ten kilometres': '₹ 799',
      'T-shirt, XXL': '₹ 549',
      'Family run, adult': '₹ 400',
      'Family run, under 18': '₹ 150',
      'Gift to the river': '₹ 501',
      Entry: 'Late entry',
      'Total Amount': '₹ 2,399',
    })
  await expectAccessible(page, 'a form with a family')
  await findButton(page, 'Pay and Enter').click()
  await page.waitForURL((url) => url.origin !== server.url)
  await clickAtGateway(page, 'Pay')
  await page.waitForURL((url) => url.pathname === '/nilarun2027/paid')
  await page.getByRole('heading', { name: 'See You at the Start' }).waitFor()
  await page.getByRole('heading', { name: 'Runner' }).waitFor()
  expect(readOrderId(page)).toMatch(/^NILA\d{13}$/)
  await expect
    .poll(() => readData(page.getByRole('main')))
    .toMatchObject({
      Race: 'Ten kilometres',
      'Total Amount': '₹ 2,399',
    })
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('a delegate of a free webinar consents and registers without a payment, and each email address gets one seat', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  const fillForm = async (): Promise<void> => {
    await page.goto(`${server.url}/soiltalk2027`)
    await waitForHydration(page)
    await findField(page, 'Name').fill('Gopal Sample')
    await findField(page, 'Email').fill('gopal@example.org')
    for (const topic of ['Salt', 'Metals'])
      await page.getByRole('checkbox', { name: topic }).check()
  }
  await fillForm()
  const seatButton = findButton(page, 'Keep Me a Seat')
  await seatButton.click()
  await page.getByText('Without this we cannot send the link').first().waitFor()
  // The form's only section has the same title as the summary.
  await page.setViewportSize({ width: 360, height: 740 })
  await expectAccessible(page, 'a form of one section, on a phone')
  await page.setViewportSize({ width: 1280, height: 900 })
  const consent = page.getByRole('checkbox', { name: 'You may write to me about this webinar' })
  await consent.check()
  await seatButton.click()
  await page.getByRole('status').getByText('You have a seat. We have sent you the link.').waitFor()
  await fillForm()
  await consent.check()
  await seatButton.click()
  await page
    .getByText('This address has a seat already. We have sent the link to it once more.')
    .first()
    .waitFor()
  expect(consoleErrors).toEqual([])
  await context.close()
})

/** Fills in the first page of the conference form as a non-member. */
async function fillAboutYou(page: Page, name: string, role = 'a consultant'): Promise<void> {
  await page.goto(`${server.url}/nidancon2027`)
  // A click during hydration can be lost.
  await waitForHydration(page)
  await findField(page, 'Full Name').fill(name)
  await findField(page, 'Email').fill(`${name.toLowerCase().replaceAll(' ', '.')}@example.org`)
  await findField(page, 'Mobile Number').fill('98470 12345')
  await page.getByLabel('Date of Birth').fill('1980-05-17')
  await page.getByRole('radio', { name: role }).check()
  await findField(page, 'Medical Council Number').fill(`K-${name}`)
  await page.getByLabel('State').selectOption('Kerala')
}
const goToNextPage = (page: Page, title: string): Promise<void> =>
  findButton(page, 'Next')
    .click()
    .then(() => page.getByRole('heading', { level: 2, name: title }).waitFor())
const readBillLines = (page: Page): Promise<Readonly<Record<string, string>>> =>
  readData(findBill(page, 'Registration Summary'))
const findConsents = (page: Page): Locator =>
  page.getByRole('checkbox', { name: /The society may use these details/ })

test('a delegate fills in the form page by page, cannot choose unavailable items, and pays for the chosen ones', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await fillAboutYou(page, 'Asha Sample')
  const memberGroup = page.getByRole('group', { name: 'Member of the society?' })
  await memberGroup.getByRole('radio', { name: 'Yes' }).check()
  await findField(page, 'Membership Number').fill('M-99')
  await page.keyboard.press('Tab')
  await page.getByText('This number is not on the roll of members').first().waitFor()
  await findField(page, 'Membership Number').fill('m 1')
  await goToNextPage(page, 'Programme')
  for (const name of [/^Ultrasound/, /^ECG/, /^Writing/])
    await page.getByRole('checkbox', { name }).check()
  await findButton(page, 'Next').click()
  const refusalMessage = page
    .getByText('At most two workshops, and no two at the same time')
    .first()
  await refusalMessage.waitFor()
  await page.getByRole('checkbox', { name: /^ECG/ }).uncheck()
  await page.getByRole('checkbox', { name: /^Writing/ }).uncheck()
  await page.getByRole('checkbox', { name: /^Difficult airway/ }).check()
  await findButton(page, 'Next').click()
  await refusalMessage.waitFor()
  await page.getByRole('checkbox', { name: /^Difficult airway/ }).uncheck()
  await goToNextPage(page, 'Company and Stay')
  // 7,500 + 2,000 and 18%
  await expect.poll(async () => (await readBillLines(page))['Total Amount']).toBe('₹ 11,210')
  await findButton(page, 'Add a person').click()
  await page.getByRole('textbox', { name: 'Person 1: Name' }).fill('Mini Sample')
  await page.getByLabel('Person 1: Age').fill('4')
  await expect
    .poll(async () => Object.keys(await readBillLines(page)))
    .not.toContain('Accompanying person')
  await expect.poll(async () => (await readBillLines(page))['Total Amount']).toBe('₹ 11,210')
  await findButton(page, 'Add another person').click()
  await page.getByRole('textbox', { name: 'Person 2: Name' }).fill('Ravi Sample')
  await page.getByLabel('Person 2: Age').fill('45')
  await findField(page, 'Tickets for the gala dinner').fill('2')
  await page.getByRole('radio', { name: 'Bed in a twin room' }).check()
  await findField(page, 'Nights').fill('3')
  await page.getByLabel('Arriving on').fill('2027-02-11')
  await goToNextPage(page, 'Consent')
  await findConsents(page).check()
  await goToNextPage(page, 'Check your answers')
  // 7,500 + 4,500 + 2,000 + 3,000 and 18%; 6,751.50 and 5%
  await expect
    .poll(() => readBillLines(page))
    .toEqual({
      Member: '₹ 7,500',
      'Accompanying person': '₹ 4,500',
      'Workshop: Ultrasound at the bedside (Hall A, 9 AM)': '₹ 2,000',
      'Gala dinner2 × ₹ 1,500': '₹ 3,000',
      'Bed in a twin room, 3 nights3 × ₹ 2,250.50': '₹ 6,751.50',
      'Price Period': 'Regular',
      'Before GST': '₹ 23,751.50',
      'GST (18% and 5%)': '₹ 3,397.58',
      'Total Amount': '₹ 27,149.08',
    })
  await expectAccessible(page, 'the last page of the form')
  await findButton(page, 'Proceed to Secure Payment').click()
  await page.waitForURL((url) => url.origin !== server.url)
  await clickAtGateway(page, 'Pay')
  await page.waitForURL((url) => url.pathname === '/nidancon2027/payment/success')
  await page.getByRole('heading', { name: 'You Are Registered' }).waitFor()
  await expect.poll(() => readData(page.getByRole('main'))).toMatchObject({ Category: 'Member' })
  expect(consoleErrors).toEqual([])
  await context.close()
})

registerThorough(() => {
  test('a faculty member with a discount code registers without a payment, and the code is then used up', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    for (const name of ['Faculty One', 'Faculty Two']) {
      await fillAboutYou(page, name)
      await findButton(page, 'Have a code?').click()
      await page.getByRole('textbox', { name: 'Code', exact: true }).fill('one time')
      await findButton(page, 'Apply code').click()
      if (name === 'Faculty Two') {
        await page
          .getByText('This code has already been used the maximum number of times.')
          .first()
          .waitFor()
        continue
      }
      await goToNextPage(page, 'Programme')
      await goToNextPage(page, 'Company and Stay')
      await goToNextPage(page, 'Consent')
      await findConsents(page).check()
      await goToNextPage(page, 'Check your answers')
      await expect.poll(async () => (await readBillLines(page))['Total Amount']).toBe('Free')
      await findButton(page, 'Register').click()
      await page
        .getByRole('dialog')
        .getByText(/NIDAN\d{13}/)
        .waitFor()
    }
    expect(consoleErrors).toEqual([])
    await context.close()
  })
})

/** Registers another delegate for the conference through the API. */
async function registerAnother(
  answers: Readonly<Record<string, string>>,
  letter?: File,
): Promise<void> {
  const form = new FormData()
  const defaultAnswers = {
    full_name: 'Ravi Sample',
    email: `${answers['council_no'] ?? 'ravi'}@example.org`,
    phone_number: '9847054321',
    born_on: '1980-05-17',
    role: 'consultant',
    council_no: 'K-quick',
    state: 'Kerala',
    data_consent: 'true',
  }
  for (const [name, value] of Object.entries({ ...defaultAnswers, ...answers }))
    form.append(name, value)
  if (letter !== undefined) form.append('letter', letter)
  const registerResponse = await fetch(`${server.url}/api/nidancon2027/register/`, {
    method: 'POST',
    body: form,
  })
  expect([registerResponse.status, await registerResponse.text()]).toEqual([
    201,
    expect.any(String),
  ])
}

test('if the last seats are sold while the form is open, their field shows an error, or an alternative is offered', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  const clickButton = (name = 'Proceed to Secure Payment'): Promise<void> =>
    findButton(page, name).click()
  const expectTotal = async (amount: string): Promise<void> => {
    await expect.poll(async () => (await readBillLines(page))['Total Amount']).toBe(amount)
  }
  await fillAboutYou(page, 'Late Sample', 'a postgraduate trainee')
  await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
  await findButton(page, 'Have a code?').click()
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill('spent soon')
  await findButton(page, 'Apply code').click()
  await goToNextPage(page, 'Programme')
  await page.getByRole('checkbox', { name: /^Ventilation/ }).check()
  await goToNextPage(page, 'Company and Stay')
  await goToNextPage(page, 'Consent')
  await findConsents(page).check()
  await goToNextPage(page, 'Check your answers')
  await registerAnother({ workshops: '["ventilation"]', code: 'spent soon' })
  // The code is no longer valid, so it is removed and the full price applies.
  await clickButton()
  const codeField = page.getByRole('textbox', { name: 'Code', exact: true })
  await codeField.and(page.locator('[aria-invalid=true]')).waitFor()
  await expectTotal('₹ 8,260')
  // The workshop is full: the form opens the page with its field, which shows the message.
  await clickButton()
  const workshops = page.getByRole('group', { name: /^Workshops/ })
  await workshops.getByText('Ventilation (Hall B, 12 noon): This workshop is full').waitFor()
  await expectAccessible(page, 'a workshop that became full')
  await workshops.getByRole('checkbox', { name: /^Ventilation/ }).uncheck()
  await goToNextPage(page, 'Company and Stay')
  await goToNextPage(page, 'Consent')
  await goToNextPage(page, 'Check your answers')
  await expectTotal('₹ 5,900')
  // The category is full: another is offered, and its price is confirmed. Trainees need a council number.
  const letter = new File([PROOF_FILE.buffer], PROOF_FILE.name, { type: PROOF_FILE.mimeType })
  await registerAnother({ role: 'trainee', council_no: 'k-LateSample' }, letter)
  await clickButton()
  await page.getByRole('dialog', { name: 'No seats left' }).waitFor()
  await expectAccessible(page, 'another category is offered')
  await clickButton('Pay ₹ 11,210')
  await page.getByRole('dialog', { name: 'Already registered?' }).waitFor()
  await expectAccessible(page, 'already registered')
  await clickButton('Register again')
  await page.waitForURL((url) => url.origin !== server.url)
  await page.getByText('Pay ₹ 11,210').first().waitFor()
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('the office’s sales page is accessible', async () => {
  const { page, context } = await visit(browser, { width: 768 })
  await page.goto(`${server.url}/admin/events/nidancon2027/sales`)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await findButton(page, 'Sign In').click()
  await page.getByRole('table').first().getByText('Registration').first().waitFor()
  await expectAccessible(page, 'sales')
  await context.close()
})
