/**
 * Three whole events, each from its form to its confirmation: a marathon with a family, a shirt and a gift, a free
 * webinar, a national conference page by page; and what its delegates are refused.
 */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onlyThorough } from '../runs.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import { atGateway, field, takenOver, ledger, orderIdOf, PROOF } from './delegate.ts'
import { runHere } from '../server/run-command.ts'
import { ADMIN, serve } from './serve.ts'
import type { Served } from './serve.ts'

const EVENTS = join(import.meta.dirname, '..', 'events')

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    launch(),
    serve({ CLOCK: '2026-12-24T12:00:00+05:30' }, ({ eventsDir }) => {
      for (const file of readdirSync(EVENTS))
        copyFileSync(join(EVENTS, file), join(eventsDir, file))
      // Of one workshop and of one category there is one place, so that somebody may be quicker.
      const scarce = join(eventsDir, 'nidancon2027.yaml')
      writeFileSync(
        scarce,
        readFileSync(scarce, 'utf8')
          .replaceAll('ventilation: 20', 'ventilation: 1')
          .replace('max: 100', 'max: 1')
          .replace('trainees: 100', 'trainees: 1'),
      )
    }),
  ])
  const roll = join(server.dataDir, '..', 'members.csv')
  writeFileSync(roll, 'number,name,kind,valid_to\nM 1,Asha Sample,annual,2027-03-31\n')
  const { status, stderr } = await runHere(['event', 'members', 'nidancon2027', 'members', roll], {
    DATA_DIR: server.dataDir,
    EVENTS_DIR: server.eventsDir,
  })
  if (status !== 0) throw new Error(stderr)
  const post = (path: string, body: object, token = ''): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
  const { token } = (await (await post('/admin/login/', ADMIN)).json()) as { token: string }
  for (const code of ['ONE-TIME', 'SPENT-SOON']) {
    const made = await post(
      '/admin/codes/',
      { event: 'nidancon2027', kind: 'faculty', code },
      token,
    )
    if (!made.ok) throw new Error(`no code: ${await made.text()}`)
  }
})
afterAll(async () => {
  await server.stop()
})

const bill = (page: Page, title: string): Locator =>
  page.getByRole('complementary', { name: title })
const button = (page: Page, name: string): Locator =>
  page.getByRole('button', { name, exact: true })

test('a runner registers with a family, a shirt and a donation, pays, and sees each line on the result page', async () => {
  const { page, context, complaints } = await visit(browser)
  await page.goto(`${server.url}/nilarun2027`)
  await takenOver(page)
  await field(page, 'Name on the bib').fill('Tara Sample')
  await field(page, 'Email').fill('tara@example.org')
  await field(page, 'Mobile').fill('98470 12345')
  const distance = page.getByRole('radio', { name: '10 km', exact: true })
  // Born a day too late for the grown runners' distances.
  await page.getByLabel('Date of birth').fill('2009-01-18')
  await field(page, 'Parent or guardian').waitFor()
  await expect.poll(() => distance.count()).toBe(0)
  await page.getByLabel('Date of birth').fill('1982-01-17')
  await distance.check()
  await page.getByLabel('Running shirt').selectOption('xxl')
  await button(page, 'Add a person').click()
  await page.getByRole('textbox', { name: 'Person 1: Name' }).fill('Ravi Sample')
  await page.getByLabel('Person 1: Date of birth').fill('2009-01-17')
  await button(page, 'Add another person').click()
  await page.getByRole('textbox', { name: 'Person 2: Name' }).fill('Mini Sample')
  await page.getByLabel('Person 2: Date of birth').fill('2022-05-05')
  await field(page, 'I give').fill('99')
  await page.getByRole('checkbox', { name: /I am fit to run/ }).check()
  await button(page, 'Pay and Enter').click()
  await page.getByText('Please give between 100 and 50000 rupees').first().waitFor()
  await field(page, 'I give').fill('501')
  // 799 + 549 + 400 + 150 + 501
  await expect
    .poll(() => ledger(bill(page, 'Your Entry')))
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
  await button(page, 'Pay and Enter').click()
  await page.waitForURL((url) => url.origin !== server.url)
  await atGateway(page, 'Pay')
  await page.waitForURL((url) => url.pathname === '/nilarun2027/paid')
  await page.getByRole('heading', { name: 'See You at the Start' }).waitFor()
  await page.getByRole('heading', { name: 'Runner' }).waitFor()
  expect(orderIdOf(page)).toMatch(/^NILA\d{13}$/)
  await expect
    .poll(() => ledger(page.getByRole('main')))
    .toMatchObject({
      Race: 'Ten kilometres',
      'Total Amount': '₹ 2,399',
    })
  expect(complaints).toEqual([])
  await context.close()
})

test('a webinar participant consents and pays nothing, and each email address gets one seat', async () => {
  const { page, context, complaints } = await visit(browser)
  const fill = async (): Promise<void> => {
    await page.goto(`${server.url}/soiltalk2027`)
    await takenOver(page)
    await field(page, 'Name').fill('Gopal Sample')
    await field(page, 'Email').fill('gopal@example.org')
    for (const topic of ['Salt', 'Metals'])
      await page.getByRole('checkbox', { name: topic }).check()
  }
  await fill()
  const keep = button(page, 'Keep Me a Seat')
  await keep.click()
  await page.getByText('Without this we cannot send the link').first().waitFor()
  // Its one section has the title of its summary.
  await page.setViewportSize({ width: 360, height: 740 })
  await expectAccessible(page, 'a form of one section, on a phone')
  await page.setViewportSize({ width: 1280, height: 900 })
  const consent = page.getByRole('checkbox', { name: 'You may write to me about this webinar' })
  await consent.check()
  await keep.click()
  await page.getByRole('status').getByText('You have a seat. We have sent you the link.').waitFor()
  await fill()
  await consent.check()
  await keep.click()
  await page
    .getByText('This address has a seat already. We have sent the link to it once more.')
    .first()
    .waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

/** Fills the first page of the conference's form, as somebody who is no member. */
async function aboutYou(page: Page, name: string, role = 'a consultant'): Promise<void> {
  await page.goto(`${server.url}/nidancon2027`)
  // A tick that falls into the moment in which the script takes the form over can be lost.
  await takenOver(page)
  await field(page, 'Full Name').fill(name)
  await field(page, 'Email').fill(`${name.toLowerCase().replaceAll(' ', '.')}@example.org`)
  await field(page, 'Mobile Number').fill('98470 12345')
  await page.getByLabel('Date of Birth').fill('1980-05-17')
  await page.getByRole('radio', { name: role }).check()
  await field(page, 'Medical Council Number').fill(`K-${name}`)
  await page.getByLabel('State').selectOption('Kerala')
}
const next = (page: Page, title: string): Promise<void> =>
  button(page, 'Next')
    .click()
    .then(() => page.getByRole('heading', { level: 2, name: title }).waitFor())
const lines = (page: Page): Promise<Readonly<Record<string, string>>> =>
  ledger(bill(page, 'Registration Summary'))
const consents = (page: Page): Locator =>
  page.getByRole('checkbox', { name: /The society may use these details/ })

test('a delegate is led page by page, cannot choose what is unavailable, and pays for the rest', async () => {
  const { page, context, complaints } = await visit(browser)
  await aboutYou(page, 'Asha Sample')
  const isMember = page.getByRole('group', { name: 'Member of the society?' })
  await isMember.getByRole('radio', { name: 'Yes' }).check()
  await field(page, 'Membership Number').fill('M-99')
  await page.keyboard.press('Tab')
  await page.getByText('This number is not on the roll of members').first().waitFor()
  await field(page, 'Membership Number').fill('m 1')
  await next(page, 'Programme')
  for (const name of [/^Ultrasound/, /^ECG/, /^Writing/])
    await page.getByRole('checkbox', { name }).check()
  await button(page, 'Next').click()
  const refused = page.getByText('At most two workshops, and no two at the same time').first()
  await refused.waitFor()
  await page.getByRole('checkbox', { name: /^ECG/ }).uncheck()
  await page.getByRole('checkbox', { name: /^Writing/ }).uncheck()
  await page.getByRole('checkbox', { name: /^Difficult airway/ }).check()
  await button(page, 'Next').click()
  await refused.waitFor()
  await page.getByRole('checkbox', { name: /^Difficult airway/ }).uncheck()
  await next(page, 'Company and Stay')
  // 7,500 + 2,000 and 18%
  await expect.poll(async () => (await lines(page))['Total Amount']).toBe('₹ 11,210')
  await button(page, 'Add a person').click()
  await page.getByRole('textbox', { name: 'Person 1: Name' }).fill('Mini Sample')
  await page.getByLabel('Person 1: Age').fill('4')
  await expect.poll(async () => Object.keys(await lines(page))).not.toContain('Accompanying person')
  await expect.poll(async () => (await lines(page))['Total Amount']).toBe('₹ 11,210')
  await button(page, 'Add another person').click()
  await page.getByRole('textbox', { name: 'Person 2: Name' }).fill('Ravi Sample')
  await page.getByLabel('Person 2: Age').fill('45')
  await field(page, 'Tickets for the gala dinner').fill('2')
  await page.getByRole('radio', { name: 'Bed in a twin room' }).check()
  await field(page, 'Nights').fill('3')
  await page.getByLabel('Arriving on').fill('2027-02-11')
  await next(page, 'Consent')
  await consents(page).check()
  await next(page, 'Check your answers')
  // 7,500 + 4,500 + 2,000 + 3,000 and 18%; 6,751.50 and 5%
  await expect
    .poll(() => lines(page))
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
  await button(page, 'Proceed to Secure Payment').click()
  await page.waitForURL((url) => url.origin !== server.url)
  await atGateway(page, 'Pay')
  await page.waitForURL((url) => url.pathname === '/nidancon2027/payment/success')
  await page.getByRole('heading', { name: 'You Are Registered' }).waitFor()
  await expect.poll(() => ledger(page.getByRole('main'))).toMatchObject({ Category: 'Member' })
  expect(complaints).toEqual([])
  await context.close()
})

onlyThorough(() => {
  test('faculty with a code pays nothing, and the code is then used up', async () => {
    const { page, context, complaints } = await visit(browser)
    for (const name of ['Faculty One', 'Faculty Two']) {
      await aboutYou(page, name)
      await button(page, 'Have a code?').click()
      await page.getByRole('textbox', { name: 'Code', exact: true }).fill('one time')
      await button(page, 'Use code').click()
      if (name === 'Faculty Two') {
        await page
          .getByText('This code has already been used the maximum number of times.')
          .first()
          .waitFor()
        continue
      }
      await next(page, 'Programme')
      await next(page, 'Company and Stay')
      await next(page, 'Consent')
      await consents(page).check()
      await next(page, 'Check your answers')
      await expect.poll(async () => (await lines(page))['Total Amount']).toBe('Free')
      await button(page, 'Register').click()
      await page
        .getByRole('dialog')
        .getByText(/NIDAN\d{13}/)
        .waitFor()
    }
    expect(complaints).toEqual([])
    await context.close()
  })
})

/** Somebody else registers for the conference, quicker. */
async function another(answers: Readonly<Record<string, string>>, letter?: File): Promise<void> {
  const form = new FormData()
  const usual = {
    full_name: 'Ravi Sample',
    email: `${answers['council_no'] ?? 'ravi'}@example.org`,
    phone_number: '9847054321',
    born_on: '1980-05-17',
    role: 'consultant',
    council_no: 'K-quick',
    state: 'Kerala',
    data_consent: 'true',
  }
  for (const [name, value] of Object.entries({ ...usual, ...answers })) form.append(name, value)
  if (letter !== undefined) form.append('letter', letter)
  const answer = await fetch(`${server.url}/api/nidancon2027/register/`, {
    method: 'POST',
    body: form,
  })
  expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
}

test('reports seats sold while the form was open at their question, or offers the alternative', async () => {
  const { page, context, complaints } = await visit(browser)
  const send = (name = 'Proceed to Secure Payment'): Promise<void> => button(page, name).click()
  const total = async (amount: string): Promise<void> => {
    await expect.poll(async () => (await lines(page))['Total Amount']).toBe(amount)
  }
  await aboutYou(page, 'Late Sample', 'a postgraduate trainee')
  await page.locator('input[type=file]').setInputFiles(PROOF)
  await button(page, 'Have a code?').click()
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill('spent soon')
  await button(page, 'Use code').click()
  await next(page, 'Programme')
  await page.getByRole('checkbox', { name: /^Ventilation/ }).check()
  await next(page, 'Company and Stay')
  await next(page, 'Consent')
  await consents(page).check()
  await next(page, 'Check your answers')
  await another({ workshops: '["ventilation"]', code: 'spent soon' })
  // The code is no good any more: it is off, and the price is the one without it.
  await send()
  const code = page.getByRole('textbox', { name: 'Code', exact: true })
  await code.and(page.locator('[aria-invalid=true]')).waitFor()
  await total('₹ 8,260')
  // The workshop is full: the page that asks for it says so, at the question.
  await send()
  const workshops = page.getByRole('group', { name: /^Workshops/ })
  await workshops.getByText('Ventilation (Hall B, 12 noon): This workshop is full').waitFor()
  await expectAccessible(page, 'a workshop that became full')
  await workshops.getByRole('checkbox', { name: /^Ventilation/ }).uncheck()
  await next(page, 'Company and Stay')
  await next(page, 'Consent')
  await next(page, 'Check your answers')
  await total('₹ 5,900')
  // The category is full: another is offered, and its bill is agreed to. The council number is asked about then.
  const letter = new File([PROOF.buffer], PROOF.name, { type: PROOF.mimeType })
  await another({ role: 'trainee', council_no: 'k-LateSample' }, letter)
  await send()
  await page.getByRole('dialog', { name: 'No seats left' }).waitFor()
  await expectAccessible(page, 'another category is offered')
  await send('Pay ₹ 11,210')
  await page.getByRole('dialog', { name: 'Already registered?' }).waitFor()
  await expectAccessible(page, 'somebody has registered already')
  await send('Register again')
  await page.waitForURL((url) => url.origin !== server.url)
  await page.getByText('Pay ₹ 11,210').first().waitFor()
  expect(complaints).toEqual([])
  await context.close()
})

test("the office's sales list, expanded", async () => {
  const { page, context } = await visit(browser, { width: 768 })
  await page.goto(`${server.url}/admin/nidancon2027`)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await button(page, 'Sign In').click()
  await page.getByText('Sales').click()
  await page.getByRole('region', { name: 'Sales' }).getByText('Registration').first().waitFor()
  await expectAccessible(page, 'what was sold')
  await context.close()
})
