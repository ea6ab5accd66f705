/** Two events that are added to a running server, from the form to the CSV export. The code mentions neither event. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_RUNS } from '../runs.ts'
import { expectAccessible, launch, visit } from './browser.ts'
import {
  clickAtGateway,
  findField,
  waitForHydration,
  readData,
  readOrderId,
  toPlainText,
  PROOF_FILE,
} from './delegate.ts'
import { ADMIN, serve, ROOT } from './serve.ts'
import type { TestServer } from './serve.ts'
import { readControls } from './accessibility-tree.ts'

const NAME = 'ഡോ. മാതൃക സാമ്പിൾ'
const TITLE = 'ആരോഗ്യം 2027'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve({ CLOCK: '2026-11-10T12:00:00+05:30' })])
})
afterAll(async () => {
  await server.stop()
})

const findSummary = (page: Page): Locator => page.getByRole('complementary', { name: 'തുക' })
const findGroup = (page: Page, question: string): Locator =>
  page.getByRole('group', { name: question })
const chooseOption = (page: Page, question: string, answer: string): Promise<void> =>
  findGroup(page, question).getByRole('radio', { name: answer, exact: true }).check()
const findPayButton = (page: Page): Locator => page.getByRole('button', { name: 'പണം അടയ്ക്കുക' })

/** Enters the answers that reveal all thirty fields. */
async function revealAllFields(page: Page): Promise<void> {
  await waitForHydration(page)
  await page.getByLabel('आप क्या हैं').selectOption('pg')
  await chooseOption(page, 'सदस्य हैं?', 'Yes')
  await chooseOption(page, 'कितने दिन', 'एक दिन')
  await findField(page, 'अनुभव (वर्ष)').fill('12')
  await page.getByRole('switch', { name: 'व्याख्यान देंगे' }).check()
  await findField(page, 'संस्थान').fill('नमूना संस्थान')
  await chooseOption(page, 'தங்குவீர்களா', 'Yes')
  await page.getByLabel('வரும் நாள்').fill('2027-01-15')
  await findGroup(page, 'முன்தினம் தங்குவீர்களா').waitFor()
}

test('both events are unknown until their files are added', async () => {
  for (const id of ['arogyam2027', 'sevana2027'])
    expect((await fetch(`${server.url}/${id}`)).status).toBe(404)
  for (const file of readdirSync(join(import.meta.dirname, 'added-events')))
    copyFileSync(join(import.meta.dirname, 'added-events', file), join(server.eventsDir, file))
  for (const id of ['arogyam2027', 'sevana2027'])
    await expect
      .poll(async () => (await fetch(`${server.url}/${id}`)).status, { timeout: 200_000 })
      .toBe(200)
})

test("the page of the first event is in the event's languages, and each error is next to its input", async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await page.goto(`${server.url}/arogyam`)
  await page.getByRole('heading', { level: 1, name: TITLE }).waitFor()
  for (const title of ['നിങ്ങളെക്കുറിച്ച്', 'काम', 'உங்கள் விருப்பம்', 'തുക'])
    await page.getByRole('heading', { level: 2, name: title }).waitFor()
  const header = toPlainText(await page.getByRole('banner').textContent())
  for (const part of ['स्वास्थ्य सबके लिए', '16–18 January 2027', 'രാവിലെ 9 മുതൽ', 'ടൗൺ ഹാൾ, കൊല്ലം'])
    expect(header.replaceAll(' – ', '–')).toContain(part)
  await expect.poll(() => page.getByText('Demo values').count()).toBe(0)
  await revealAllFields(page)
  const countFieldNames = () =>
    page
      .locator('form [name]')
      .evaluateAll((inputs) => new Set(inputs.map((input) => input.getAttribute('name'))).size)
  await expect.poll(countFieldNames).toBe(30)
  await expectAccessible(page, 'a form of thirty fields')

  await page.getByLabel('आप क्या हैं').selectOption('')
  await page.getByLabel('आप क्या हैं').selectOption('pg')
  await page.getByLabel('வரும் நாள்').fill('')
  await findField(page, 'अनुभव (वर्ष)').fill('99')
  await findField(page, 'ഇ-മെയിൽ').fill('ഇതല്ല')
  await findPayButton(page).click()
  await page.getByRole('group', { name: 'There is a problem' }).waitFor()
  const invalidControls = (await readControls(page)).filter(({ invalid }) => invalid)
  const messageByControl = Object.fromEntries(
    invalidControls.map(({ name, description }) => [name, description]),
  )
  for (const [name, message] of [
    ['പേര്', 'പേര് എഴുതുക'],
    ['ഇ-മെയിൽ', 'ഇത് ഇ-മെയിൽ അല്ല'],
    ['ഫോൺ', 'ഫോൺ എഴുതുക'],
    ['വിലാസം', 'വിലാസം എഴുതുക'],
    ['സംസ്ഥാനം', 'സംസ്ഥാനം തിരഞ്ഞെടുക്കുക'],
    ['പിൻ', 'പിൻ എഴുതുക'],
    ['ജനനത്തീയതി', 'ജനനത്തീയതി എഴുതുക'],
    ['സ്ത്രീ', 'ലിംഗം തിരഞ്ഞെടുക്കുക'],
    ['മറ്റുള്ളവ', 'ലിംഗം തിരഞ്ഞെടുക്കുക'],
    ['सदस्यता संख्या', 'सदस्यता संख्या लिखें'],
    ['कौन सा दिन', 'दिन चुनें'],
    ['अनुभव (वर्ष)', '0 से 60 तक लिखें'],
    ['व्याख्यान का विषय', 'विषय लिखें'],
    ['வரும் நாள்', 'வரும் நாளை எழுதுங்கள்'],
  ] as const)
    expect(messageByControl[name], name).toContain(message)
  // The error also describes the button of the file control.
  await expect
    .poll(async () =>
      (await readControls(page)).some(({ description }) => description.includes('प्रमाण पत्र चुनें')),
    )
    .toBe(true)
  await expectAccessible(page, 'an error at every kind of field')
  expect(consoleErrors).toEqual([])
  await context.close()
})

// Calculated independently of the engine: the fourth and fifth rows of the file's table, plus 12%.
const PRICES: readonly (readonly [
  role: string,
  member: 'Yes' | 'No',
  days: 'तीनों दिन' | 'एक दिन',
  category: string,
  base: string,
  gst: string,
  total: string,
])[] = [
  ['doctor', 'Yes', 'तीनों दिन', 'ഡോക്ടർ, അംഗം, മൂന്ന് ദിവസം', '8,000', '960', '8,960'],
  ['doctor', 'Yes', 'एक दिन', 'ഡോക്ടർ, അംഗം, ഒരു ദിവസം', '4,500', '540', '5,040'],
  ['doctor', 'No', 'तीनों दिन', 'ഡോക്ടർ, മൂന്ന് ദിവസം', '9,000', '1,080', '10,080'],
  ['doctor', 'No', 'एक दिन', 'ഡോക്ടർ, ഒരു ദിവസം', '5,500', '660', '6,160'],
  ['pg', 'Yes', 'तीनों दिन', 'पीजी, सदस्य, तीन दिन', '4,000', '480', '4,480'],
  ['pg', 'Yes', 'एक दिन', 'पीजी, सदस्य, एक दिन', '2,500', '300', '2,800'],
  ['pg', 'No', 'तीनों दिन', 'पीजी, तीन दिन', '5,000', '600', '5,600'],
  ['pg', 'No', 'एक दिन', 'पीजी, एक दिन', '3,000', '360', '3,360'],
  ['nurse', 'Yes', 'तीनों दिन', 'செவிலியர், உறுப்பினர், மூன்று நாள்', '2,500', '300', '2,800'],
  ['nurse', 'Yes', 'एक दिन', 'செவிலியர், உறுப்பினர், ஒரு நாள்', '1,500', '180', '1,680'],
  ['nurse', 'No', 'तीनों दिन', 'செவிலியர், மூன்று நாள்', '3,000', '360', '3,360'],
  ['nurse', 'No', 'एक दिन', 'செவிலியர், ஒரு நாள்', '1,837.50', '220.50', '2,058'],
]

test('the first event has a price in the current period for each category that its rules assign', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await page.goto(`${server.url}/arogyam2027`)
  await waitForHydration(page)
  // One category per role, including one with paise; `npm run thorough` covers all twelve.
  for (const [role, member, days, category, base, gst, total] of PRICES.filter(
    (_, index) => ALL_RUNS || index % 5 === 1,
  )) {
    await page.getByLabel('आप क्या हैं').selectOption(role)
    await chooseOption(page, 'सदस्य हैं?', member)
    await chooseOption(page, 'कितने दिन', days)
    await expect
      .poll(() => readData(findSummary(page)), { message: category })
      .toEqual({
        Category: category,
        'Price Period': 'வழக்கமான',
        'Base Fee': `₹ ${base}`,
        'GST (12%)': `₹ ${gst}`,
        'Total Amount': `₹ ${total}`,
      })
  }
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('the form, the gateway, the confirmation, the list, the CSV and the panel show the same thirty answers', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await page.goto(`${server.url}/arogyam2027`)
  await page.getByLabel('आप क्या हैं').waitFor()
  await revealAllFields(page)
  for (const [label, answer] of [
    ['പേര്', NAME],
    ['ഇ-മെയിൽ', 'mathruka@example.org'],
    ['ഫോൺ', '+91 98470 33333'],
    ['വിലാസം', 'വീട് 1\nമാതൃക റോഡ്'],
    ['നഗരം', 'കൊല്ലം'],
    ['പിൻ', '691001'],
    ['सदस्यता संख्या', 'स-१२'],
    ['व्याख्यान का विषय', 'नमूना, "उद्धरण" के साथ'],
    ['संस्थान का नगर', 'नमूनापुर'],
    ['परिषद संख्या', '=1+1'],
    ['உடன் வருவோர்', '2'],
    ['ஒவ்வாமை', 'இல்லை'],
    ['இணையதளம்', 'https://example.org/'],
    ['குறிப்பு', 'நன்றி'],
  ] as const)
    await findField(page, label).fill(answer)
  await page.getByLabel('സംസ്ഥാനം').selectOption({ label: 'Kerala' })
  await page.getByLabel('ജനനത്തീയതി').fill('1990-02-28')
  await chooseOption(page, 'ലിംഗം', 'സ്ത്രീ')
  await page.getByLabel('कौन सा दिन').fill('2027-01-17')
  await page.locator('form input[type=file]').setInputFiles(PROOF_FILE)
  await page.getByLabel('உணவு').selectOption('non-vegetarian')
  await chooseOption(page, 'முன்தினம் தங்குவீர்களா', 'Yes')
  await chooseOption(page, 'பயிலரங்கு', 'இசிஜி')
  await findPayButton(page).click()
  await page.waitForURL((url) => url.origin !== server.url)
  await clickAtGateway(page, 'Pay')
  await page.waitForURL((url) => url.pathname === '/arogyam2027/payment/success')
  await page.getByRole('heading', { level: 2, name: 'രജിസ്റ്റർ ചെയ്തു' }).waitFor()
  const regNo = readOrderId(page)
  expect(regNo).toMatch(/^AROG\d{13}$/)
  await expect
    .poll(() => readData(page.getByRole('main')))
    .toMatchObject({
      Category: 'पीजी, सदस्य, एक दिन',
      'Price Period': 'வழக்கமான',
      दिन: '17 January 2027',
      'अनुभव (वर्ष)': '12',
      'Base Fee': '₹ 2,500',
      'GST (12%)': '₹ 300',
      'Total Amount': '₹ 2,800',
      Status: 'Paid',
    })
  await expect
    .poll(async () => toPlainText(await page.getByRole('main').textContent()))
    .toContain(`${NAME}, വരുമ്പോൾ തിരിച്ചറിയൽ രേഖ കൊണ്ടുവരിക`)
  await expectAccessible(page, 'a confirmation in three scripts')
  const [receipt] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'രസീത്' }).click(),
  ])
  expect([
    receipt.suggestedFilename(),
    toPlainText(readFileSync(await receipt.path(), 'utf8')),
  ]).toEqual([`${regNo}.txt`, `${TITLE} ${NAME} · पीजी, सदस्य, एक दिन · ₹ 2,800`])

  await page.goto(`${server.url}/admin/arogyam2027`)
  await signIn(page)
  const row = page.getByRole('row').filter({ hasText: NAME })
  await row.waitFor()
  await expectAccessible(page, 'the list of an event without an office section')
  // Each choice field of the event's form is a filter.
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  for (const label of ['Payment Status', 'Search', 'आप क्या हैं', 'सदस्य हैं?', 'உணவு'])
    await expect
      .poll(() => page.getByLabel(label, { exact: true }).count(), { message: label })
      .toBe(1)
  await page.getByLabel('आप क्या हैं', { exact: true }).selectOption('nurse')
  await page.getByText('No registrations found').waitFor()
  await page.getByLabel('आप क्या हैं', { exact: true }).selectOption('pg')
  await row.waitFor()
  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  const [exportedRow, ...otherRows] = parse(readFileSync(await csv.path()), {
    bom: true,
    columns: true,
  }) as Record<string, string>[]
  expect(otherRows).toEqual([])
  expect(exportedRow).toMatchObject({
    പേര്: NAME,
    'ഇ-മെയിൽ': 'mathruka@example.org',
    ഫോൺ: '+91 98470 33333',
    വിലാസം: 'വീട് 1\nമാതൃക റോഡ്',
    നഗരം: 'കൊല്ലം',
    സംസ്ഥാനം: 'Kerala',
    പിൻ: '691001',
    ലിംഗം: 'സ്ത്രീ',
    'आप क्या हैं': 'पीजी',
    'सदस्य हैं?': 'Yes',
    'सदस्यता संख्या': 'स-१२',
    'कितने दिन': 'एक दिन',
    'अनुभव (वर्ष)': '12',
    'व्याख्यान देंगे': 'Yes',
    'व्याख्यान का विषय': 'नमूना, "उद्धरण" के साथ',
    'परिषद संख्या': "'=1+1",
    உணவு: 'Non-Vegetarian',
    தங்குவீர்களா: 'Yes',
    'உடன் வருவோர்': '2',
    பயிலரங்கு: 'இசிஜி',
    குறிப்பு: 'நன்றி',
  })
  expect(Object.keys(exportedRow ?? {}).length).toBeGreaterThanOrEqual(30)

  await row.getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
  const [proof] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: PROOF_FILE.name }).click(),
  ])
  expect(readFileSync(await proof.path())).toEqual(PROOF_FILE.buffer)
  await page.goto(`${server.url}/admin/dashboard`)
  const panel = page.getByRole('region', { name: TITLE })
  for (const part of ['Total1', 'Paid1', 'Today’s registrations1', '₹ 2,800', NAME])
    await expect.poll(async () => toPlainText(await panel.textContent())).toContain(part)
  await expectAccessible(page, 'a dashboard with further events')
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('the free event registers immediately, and appears in its list, CSV and panel', async () => {
  const { page, context, consoleErrors } = await visit(browser)
  await page.goto(server.url)
  await page.getByRole('link', { name: 'Register for സേവന ദിനം 2027' }).click()
  await page.waitForURL(/\/sevana2027$/)
  await waitForHydration(page)
  await findField(page, 'പേര്').fill(NAME)
  await findField(page, 'ഫോൺ').fill('98470 33333')
  // Zero tax is not shown.
  expect(await page.getByRole('main').textContent()).not.toContain('GST')
  const attendanceMenu = page.getByRole('combobox', { name: 'വരുന്നത്' })
  await attendanceMenu.press('ArrowDown')
  const listbox = page.getByRole('listbox')
  await listbox.getByRole('option', { name: /അതിഥി.*ഊണിന് മാത്രം/ }).waitFor()
  await expectAccessible(page, 'a menu that is open')
  await listbox.getByRole('option', { name: 'സഹായി' }).click()
  await listbox.waitFor({ state: 'detached' })
  await expect.poll(async () => toPlainText(await attendanceMenu.textContent())).toBe('സഹായി')
  await page.getByRole('button', { name: 'പേര് ചേർക്കുക' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  const regNo = /SEVA\d{13}/.exec(toPlainText(await dialog.textContent()))?.[0] ?? ''
  await expect
    .poll(async () => toPlainText(await dialog.textContent()))
    .toContain(`നിങ്ങളുടെ നമ്പർ: ${regNo}`)
  await page.getByRole('status').getByText('ചേർത്തു').waitFor()
  await expectAccessible(page, 'registered without payment')
  await page.goto(`${server.url}/admin/sevana2027`)
  await signIn(page)
  const row = page.getByRole('row').filter({ hasText: NAME })
  await row.waitFor()
  await expect.poll(async () => toPlainText(await row.textContent())).toContain('Free')
  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  const rows = parse(readFileSync(await csv.path()), { bom: true, columns: true }) as Record<
    string,
    string
  >[]
  const columns = ['Registration Number', 'പേര്', 'ഫോൺ', 'Total Amount']
  expect(rows.map((record) => columns.map((name) => record[name]))).toEqual([
    [regNo, NAME, '98470 33333', '0.00'],
  ])
  await page.goto(`${server.url}/admin/dashboard`)
  await expect
    .poll(async () =>
      toPlainText(await page.getByRole('region', { name: 'സേവന ദിനം 2027' }).textContent()),
    )
    .toContain('Total1')
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('the code mentions neither event', () => {
  for (const folder of ['engine', 'server', 'web']) {
    for (const file of readdirSync(join(ROOT, folder), {
      recursive: true,
      encoding: 'utf8',
    }).filter((path) => /\.tsx?$/.test(path)))
      expect(readFileSync(join(ROOT, folder, file), 'utf8'), file).not.toMatch(/arogya|sevana/i)
  }
})

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
}
