/** A file created by answering the questions: its preview, edits by hand, notes, and the rehearsal after signing in. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser, Locator, Page } from 'playwright-core'
import { registerThorough } from '../runs.ts'
import { addSessionCookie, expectAccessible, launch, visit } from './browser.ts'
import { toPlainText } from './delegate.ts'
import { ADMIN, serve, ROOT } from './serve.ts'
import type { TestServer } from './serve.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
})
afterAll(async () => {
  await server.stop()
})

const findQuestion = (page: Page, text: string) =>
  page.getByRole('heading', { level: 2, name: text })
/** Clicks Continue, which also reads a table that was pasted but not yet read. */
const proceed = (page: Page) => page.getByRole('button', { name: 'Continue' }).click()
const createFile = (page: Page) =>
  page.getByRole('button', { name: 'Create the event file' }).click()
const findNotice = (page: Page) => page.getByRole('status').filter({ hasText: 'was created.' })

/** Answers the questions before the fee table, leaving most of them empty. */
async function openFeeTable(width = 1280): Promise<Awaited<ReturnType<typeof visit>>> {
  const formVisit = await visit(browser, { width })
  const { page } = formVisit
  await page.goto(`${server.url}/organisers`)
  await page.getByRole('button', { name: 'New conference' }).click()
  for (const [question, answer] of [
    ['What is the name', 'Echo Days 2027'],
    ['When does it begin?', '12–13 March 2027'],
    ['Where is it?', ''],
    ['Which email address', ''],
  ] as const) {
    await page.getByRole('textbox', { name: question }).fill(answer)
    await proceed(page)
  }
  await page.getByRole('radio', { name: 'No', exact: true }).check()
  await proceed(page)
  await page.getByLabel('Category 1', { exact: true }).waitFor()
  return formVisit
}

const readBoxes = (elements: Locator) =>
  elements.evaluateAll((all) =>
    all.map((element) => {
      const { left, right } = element.getBoundingClientRect()
      return { left, right }
    }),
  )

const PASTED_TABLE =
  'Category | Early Bird (up to 31 Jan 2027) | Spot (from 1 Feb 2027)\nMember | 7,100 | 8,200\nStudent | 3,300 | 4,400'

/** Creates a file whose workshop has a price for students. */
async function openCreatedFile(width = 1280): Promise<Awaited<ReturnType<typeof visit>>> {
  const formVisit = await openFeeTable(width)
  const { page } = formVisit
  await page.getByLabel('Paste a table').fill(PASTED_TABLE)
  await proceed(page)
  await page.getByText('2 categories and 2 periods were read').waitFor()
  for (const question of ['GST', 'accompanying person']) {
    await proceed(page)
    await findQuestion(page, question).waitFor()
  }
  await proceed(page)
  await page.getByLabel('Paste a table').fill('Echo for All | 1,500')
  await proceed(page)
  await page.getByRole('button', { name: /^Price for a category.*Echo/ }).click()
  await page.getByRole('combobox', { name: 'Category for row' }).selectOption('Student')
  await page.getByRole('textbox', { name: 'Echo for All for Student' }).fill('500')
  await proceed(page)
  await findQuestion(page, 'More details').waitFor()
  await createFile(page)
  await findNotice(page).waitFor()
  return formVisit
}

test("the preview does not show the sample's fees while the fee table has a mistake", async () => {
  const { page, context, consoleErrors } = await openFeeTable()
  const preview = page.getByRole('region', { name: 'Preview of the form' })
  await preview.getByText('Echo Days 2027').first().waitFor()
  await page.getByLabel('Category 1', { exact: true }).fill('Member')
  await preview.getByText('The preview will appear once the fee table is complete').waitFor()
  await expect.poll(() => preview.textContent()).not.toMatch(/[45],000|Non-member/)
  await expectAccessible(page, 'a preview that waits for the fees')
  await page.getByLabel('Paste a table').fill(PASTED_TABLE)
  await proceed(page)
  await preview.getByText('7,100').first().waitFor()
  await page.getByRole('textbox', { name: 'Member, Early Bird' }).fill('half')
  await preview.getByText('This preview shows the last version without mistakes.').waitFor()
  const previewText = toPlainText(await preview.textContent())
  expect(previewText).toContain('7,100')
  expect(previewText).not.toMatch(/Non-member/)
  expect(consoleErrors).toEqual([])
  await context.close()
})

test('three price periods and their buttons fit beside the preview; a table with more periods has a scroll bar', async () => {
  const { page, context } = await openFeeTable(1280)
  const table = page.getByRole('region', { name: 'Fees' })
  const isScrollable = () =>
    table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  await page.getByRole('button', { name: 'Add a price period' }).click()
  await page.getByLabel('Name of period 3').waitFor()
  expect(await isScrollable()).toBe(false)
  await page.getByRole('button', { name: 'Add a price period' }).click()
  await page.getByLabel('Name of period 4').waitFor()
  expect(await isScrollable()).toBe(true)
  expect(
    await table.evaluate((element) => getComputedStyle(element, '::-webkit-scrollbar').height),
  ).toBe('12px')
  await context.close()
})

test('on a phone, every price period and every tab is visible without scrolling to the side', async () => {
  const { page, context } = await openFeeTable(360)
  await page.getByRole('button', { name: 'Add a price period' }).click()
  await page.getByLabel('Name of period 3').waitFor()
  const cells = page.getByRole('region', { name: 'Fees' }).locator('input')
  for (const { right } of await readBoxes(cells)) expect(right).toBeLessThanOrEqual(360)
  await context.close()

  const created = await openCreatedFile(360)
  const tabs = created.page.getByRole('tab')
  await tabs.filter({ hasText: 'Rehearsal' }).waitFor()
  for (const { left, right } of await readBoxes(tabs)) {
    expect(left).toBeGreaterThanOrEqual(0)
    expect(right).toBeLessThanOrEqual(360)
  }
  await tabs.filter({ hasText: 'Price' }).click()
  const prices = created.page.getByRole('region', { name: /^Prices/ })
  await prices.waitFor()
  expect(
    await prices.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
  ).toBeLessThanOrEqual(0)
  await created.context.close()
})

test('the message about a pasted table disappears when one of its categories is removed', async () => {
  const { page, context } = await openFeeTable()
  await page.getByLabel('Paste a table').fill(PASTED_TABLE)
  await page.getByRole('button', { name: 'Read this table' }).click()
  const sentence = page.getByText('2 categories and 2 periods were read')
  await sentence.waitFor()
  await page.getByRole('button', { name: 'Remove Student' }).click()
  await sentence.waitFor({ state: 'hidden' })
  await context.close()
})

test("if the fees are correct and a workshop has a mistake, the preview shows the entered fees, not the sample's", async () => {
  const { page, context } = await openFeeTable()
  const preview = page.getByRole('region', { name: 'Preview of the form' })
  await preview.getByText('Echo Days 2027').first().waitFor()
  const workshops = 'Workshops | Fee | Seats\nEcho for All | 1,500 | about 40'
  await page.getByLabel('Paste a table').fill(`${PASTED_TABLE}\n${workshops}`)
  await page.getByRole('button', { name: 'Read this table' }).click()
  await preview.getByText('7,100').first().waitFor()
  expect(toPlainText(await preview.textContent())).not.toMatch(/Non-member/)
  await context.close()
})

test('a file with a note has no problems: the notice, the tab and the panel all say so', async () => {
  const { page, context } = await openCreatedFile()
  await findNotice(page).getByText('The checker found no problems, but it has 1 note.').waitFor()
  await page.getByRole('tab', { name: 'Findings', exact: true }).click()
  const panel = page.getByRole('tabpanel', { name: 'Findings' })
  await panel.getByText('The checker found no problems, but it has 1 note.').waitFor()
  await panel.getByText('EV991').waitFor()
  await expectAccessible(page, 'findings with a note')
  await context.close()
})

test("a workshop's price table shows category labels, not the condition in the file", async () => {
  const { page, context } = await openCreatedFile()
  const table = page.getByRole('region', { name: 'Workshop' })
  const titles = table.locator('th[scope=rowgroup]')
  await expect.poll(() => titles.allTextContents()).toEqual(['Member', 'Student'])
  await expect.poll(() => titles.locator('code').count()).toBe(0)
  await context.close()
})

test('edits to a created file are overwritten only after confirmation, even if they were saved', async () => {
  const { page, context } = await openCreatedFile()
  const createAgain = async () => {
    await page.getByRole('button', { name: 'Change the answers' }).click()
    await createFile(page)
  }
  const editor = page.getByRole('textbox', { name: 'The event file' })
  await editor.focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('# by hand\n')
  const savedDownload = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save file' }).click()
  await savedDownload
  await createAgain()
  const dialog = page.getByRole('dialog', { name: 'Replace your file?' })
  await dialog
    .getByText(
      /You edited \S+\.yaml after it was created\. Creating it again overwrites your edits\./,
    )
    .waitFor()
  await expectAccessible(page, 'the question before edits are replaced')
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download file' }).click()
  expect(readFileSync(await (await download).path(), 'utf8')).toMatch(/^# by hand\n/)
  await dialog.getByRole('button', { name: 'Keep file' }).click()
  await editor.getByText('# by hand').waitFor()
  // After a reload, the page can still tell which text was generated from the answers.
  await page.reload()
  await editor.getByText('# by hand').waitFor()
  await page.goBack()
  await createFile(page)
  await dialog.getByRole('button', { name: 'Replace file' }).click()
  await findNotice(page).waitFor()
  await expect.poll(() => editor.getByText('# by hand').count()).toBe(0)
  // Without edits, no confirmation is required.
  await createAgain()
  await findNotice(page).waitFor()
  await context.close()
})

test('after a reload, the answers of a created file can still be changed; a file opened from disk has no answers', async () => {
  const { page, context } = await openCreatedFile()
  const changeButton = page.getByRole('button', { name: 'Change the answers' })
  await page.reload()
  await changeButton.click()
  await findQuestion(page, 'More details').waitFor()
  await page.getByRole('textbox', { name: 'Which payment account' }).fill('society')
  // The file does not contain the new answer yet, so the editor shows a warning.
  await page.reload()
  const warning = page.getByText('The file does not contain these changes.')
  await warning.waitFor()
  await changeButton.click()
  await createFile(page)
  await findNotice(page).waitFor()
  await expect.poll(() => warning.count()).toBe(0)
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page
    .getByLabel('Event file', { exact: true })
    .setInputFiles(join(ROOT, 'tests', 'events', 'nidancon2027.yaml'))
  await page.getByRole('button', { name: 'Save file' }).waitFor()
  await expect.poll(() => changeButton.count()).toBe(0)
  await context.close()
})

test('after signing in from another tab, an organiser can rehearse the same draft', async () => {
  const { page, context } = await openCreatedFile()
  const editor = page.getByRole('textbox', { name: 'The event file' })
  await editor.focus()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('# by hand\n')
  await page.getByRole('tab', { name: 'Rehearsal' }).click()
  const runButton = page.getByRole('button', { name: 'Run the rehearsal' })
  await runButton.click()
  const officePagePromise = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Sign in to the office' }).click()
  const office = await officePagePromise
  await office.getByLabel('Username').fill(ADMIN.username)
  await office.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await office.getByRole('button', { name: 'Sign in' }).click()
  await office.waitForURL((url) => !url.pathname.includes('login'))
  await editor.getByText('# by hand').waitFor()
  await runButton.click()
  const calendar = page.getByRole('article')
  await calendar
    .getByText(/^.*Example Student registers: Student: ₹.3,894/)
    .first()
    .waitFor()
  expect(toPlainText(await calendar.textContent())).toContain(
    'Workshop: Echo for All: ₹ 1,770 (Member); ₹ 590 (Student)',
  )
  await page.setViewportSize({ width: 360, height: 900 })
  await expectAccessible(page, 'a rehearsal')
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await context.close()
})

registerThorough(() => {
  test('the rehearsal of a national conference is printed on two sheets', async () => {
    const { page, context } = await visit(browser, { width: 360 })
    await addSessionCookie(context, server.url, ADMIN)
    await page.goto(`${server.url}/organisers`)
    await page
      .getByLabel('Event file', { exact: true })
      .setInputFiles(join(ROOT, 'tests', 'events', 'nidancon2027.yaml'))
    await page.getByRole('tab', { name: 'Rehearsal' }).click()
    await page.getByRole('button', { name: 'Run the rehearsal' }).click()
    await page.getByRole('article').getByText('Late fee: +').first().waitFor()
    const margin = '10mm'
    const pdf = await page.pdf({
      format: 'A4',
      margin: { top: margin, right: margin, bottom: margin, left: margin },
    })
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(2)
    await context.close()
  })
})
