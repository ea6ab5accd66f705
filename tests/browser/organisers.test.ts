/** The page for organisers: an event file is edited in the browser, and the preview shows each change. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { ALL_RUNS } from '../runs.ts'
import { compileEvent, collapseEmptyLines, removeComments } from '../../engine/authoring.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, launch, visit } from './browser.ts'
import { toPlainText } from './delegate.ts'
import { shared as sharedFiles } from '../server/cli/shared-files.ts'
import { serve, ROOT } from './serve.ts'
import type { TestServer } from './serve.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
})
afterAll(async () => {
  await server.stop()
})

const officeEmail = 'registrations@afpicon.example'
const supportEmail = 'support@afpicon.example'
const payButton = 'Proceed to Secure Payment'
/** The text that the page's editor shows: the event file without comments, with the public email address. */
const eventFile = collapseEmptyLines(
  removeComments(readFileSync(join(ROOT, 'events', 'afpicon2026.yaml'), 'utf8')),
).replaceAll(officeEmail, supportEmail)

const findEditor = (page: Page) => page.getByRole('textbox', { name: 'The event file' })
const findTab = (page: Page, name: string) => page.getByRole('tab', { name })
const findState = (page: Page) =>
  page.getByRole('status').filter({ hasText: /example|error|warning/ })

async function copyConference(page: Page, title: string): Promise<void> {
  await page.getByLabel('Conference', { exact: true }).selectOption({ label: title })
  await page.getByRole('button', { name: 'Copy event file' }).click()
}

async function openEditor(options: { readonly width?: number } = {}) {
  const newVisit = await visit(browser, options)
  await newVisit.page.goto(`${server.url}/organisers`)
  await copyConference(newVisit.page, 'AFPICON 2026')
  await newVisit.page.getByText(/\d+ examples pass/).waitFor()
  return newVisit
}

/** Scrolls to the given text, clicks before it, and returns its line number. */
async function placeCursorBefore(page: Page, textAfterCursor: string): Promise<number> {
  const linesBefore = eventFile.slice(0, eventFile.indexOf(textAfterCursor)).split('\n')
  const lines = eventFile.split('\n')
  const clickPoint = await findEditor(page).evaluate(
    async (content, { line, column, row, rows }) => {
      const scroller = content.parentElement
      if (scroller === null) throw new Error('the editor does not scroll')
      // Only visible lines are in the DOM, and none are drawn below the edge of the window.
      scroller.scrollIntoView({ block: 'start' })
      const findLine = () => [...content.children].find((child) => child.textContent === line)
      for (let tries = 0; findLine() === undefined && tries < 50; tries += 1) {
        scroller.scrollTop = ((row - 5 + tries) / rows) * scroller.scrollHeight
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      }
      const lineElement = findLine()
      if (lineElement === undefined) throw new Error(`the editor does not show "${line}"`)
      lineElement.scrollIntoView({ block: 'center' })
      scroller.scrollLeft = 0
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const texts = document.createTreeWalker(findLine() ?? lineElement, NodeFilter.SHOW_TEXT)
      const range = document.createRange()
      for (
        let remainingColumns = column, textNode = texts.nextNode();
        textNode !== null;
        textNode = texts.nextNode()
      ) {
        const length = textNode.textContent?.length ?? 0
        if (remainingColumns < length) {
          range.setStart(textNode, remainingColumns)
          range.setEnd(textNode, remainingColumns + 1)
          break
        }
        remainingColumns -= length
      }
      const { left, top, height } = range.getBoundingClientRect()
      return { x: left + 1, y: top + height / 2 }
    },
    {
      line: lines[linesBefore.length - 1] ?? '',
      column: linesBefore.at(-1)?.length ?? 0,
      row: linesBefore.length,
      rows: lines.length,
    },
  )
  await page.mouse.click(clickPoint.x, clickPoint.y)
  return linesBefore.length
}

/** Changes the price in the first example to ₹ 7,000 before tax. */
async function raisePrice(page: Page): Promise<void> {
  await placeCursorBefore(page, '5000, 6000, 8000, 10000')
  await page.keyboard.press('Delete')
  await page.keyboard.type('7')
}

/** Pastes a text in the clipboard format of a spreadsheet. */
const paste = (field: Locator, pastedText: string): Promise<void> =>
  field.evaluate((element, clipboardText) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', clipboardText)
    const options = { clipboardData, bubbles: true, cancelable: true }
    element.dispatchEvent(new ClipboardEvent('paste', options))
  }, pastedText)

describe('the page for organisers', () => {
  test('reports a misspelt key under its line while typing, and supports undo', async () => {
    const { page, context, consoleErrors } = await openEditor()
    const line = await placeCursorBefore(page, 'venue: Resort')
    await page.keyboard.press('Delete')
    await findState(page)
      .getByText(/\d+ error/)
      .waitFor()
    // The finding is shown directly below its line.
    const readSurroundings = () =>
      findEditor(page).evaluate((content) => {
        const rows = [...content.children].map((child) => child.textContent ?? '')
        const findingIndex = rows.findIndex((row) => row.startsWith('EV'))
        return findingIndex < 1 ? [] : rows.slice(findingIndex - 1, findingIndex + 1)
      })
    await expect
      .poll(readSurroundings)
      .toEqual([expect.stringContaining('enue: Resort'), expect.stringContaining('enue')])
    await findTab(page, 'Findings').click()
    const list = page.getByRole('list', { name: 'Findings' })
    await expect
      .poll(() => list.getByRole('button', { name: `Line ${line}` }).count())
      .toBeGreaterThan(0)
    await page.locator('body').click({ position: { x: 2, y: 2 } })
    await list
      .getByRole('button', { name: `Line ${line}` })
      .first()
      .click()
    await expect
      .poll(() => findEditor(page).evaluate((content) => content === document.activeElement))
      .toBe(true)
    await findTab(page, 'Price').click()
    await page.getByText('so this preview shows its last readable version').waitFor()
    await page.getByRole('table').waitFor()
    await findEditor(page).focus()
    await page.keyboard.press('Alt+Enter')
    await findState(page)
      .getByText(/\d+ error/)
      .waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await findState(page)
      .getByText(/\d+ error/)
      .waitFor()
    await page.keyboard.press('Control+z')
    await findState(page)
      .getByText(/\d+ error/)
      .waitFor({ state: 'detached' })
    await page.getByText(/\d+ examples pass/).waitFor()
    await page.keyboard.press('Control+y')
    await findTab(page, 'Findings').click()
    await list.getByRole('button', { name: 'Change to "venue"' }).click()
    await page.getByText('The checker found no problems.').waitFor()
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test("a changed price updates the table and the delegate's price, and the example with the old price fails", async () => {
    const { page, context } = await openEditor()
    await findTab(page, 'Price').click()
    const row = page.getByRole('row', { name: /^AFPI Member – GP \/ Specialist/ })
    const readHighlightedPrice = () => page.locator('td[aria-current]').textContent()
    await expect.poll(async () => toPlainText(await readHighlightedPrice())).toBe('₹ 5,900')
    await expect
      .poll(async () => toPlainText(await page.getByRole('definition').last().textContent()))
      .toBe('₹ 5,900')
    await raisePrice(page)
    await row.getByText('8,260').waitFor()
    await expect.poll(async () => toPlainText(await readHighlightedPrice())).toBe('₹ 8,260')
    await expect
      .poll(async () => (await page.getByRole('definition').allTextContents()).map(toPlainText))
      .toEqual(['₹ 7,000', '₹ 1,260', '₹ 8,260'])
    await findState(page)
      .getByText(/examples? fail/)
      .waitFor()
    await findTab(page, 'Examples').click()
    const failedExample = page
      .getByRole('list', { name: 'Examples' })
      .getByRole('listitem')
      .filter({ has: page.getByRole('img', { name: 'Fails' }) })
    await expect
      .poll(async () => toPlainText(await failedExample.first().textContent()))
      .toContain('expected ₹ 5,900, got ₹ 8,260')
    await findTab(page, 'Changes').click()
    const changedPrice = page.getByRole('listitem').filter({ hasText: 'Price of AFPI Member – GP' })
    await expect
      .poll(async () => toPlainText(await changedPrice.first().textContent()))
      .toContain('changed from ₹ 5,900 to ₹ 8,260')
    await context.close()
  })

  test('the preview shows the price on another date', { tags: ['slow'] }, async () => {
    const { page, context } = await openEditor()
    await findTab(page, 'Price').click()
    await page.getByLabel('Preview date').fill('2026-01-25')
    await page.getByText('but the first period listed applies').waitFor()
    await expect
      .poll(async () => toPlainText(await page.locator('td[aria-current]').textContent()))
      .toBe('₹ 9,440')
    await page.getByRole('button', { name: 'Start again' }).click()
    await copyConference(page, 'Chirurgia 2026')
    await findTab(page, 'Price').click()
    await page.getByText(/by rule \d/).waitFor()
    // The form in the other tab, which may be hidden, has fields with the same names.
    const panel = page.getByRole('tabpanel', { name: 'Price' })
    await panel.getByLabel('Designation').selectOption({ label: 'PG' })
    await panel.getByLabel('ASI Member').selectOption({ label: 'No' })
    await page.getByText('Post Graduate (Non-ASI)').first().waitFor()
    await page.getByText('Earlier rules that did not apply').click()
    await page.getByText(/Rule 1: .*but asi_member is no/).waitFor()
    await context.close()
  })

  test('shows the real form, and sends no request to the server', { tags: ['slow'] }, async () => {
    const { page, context } = await openEditor()
    for (const name of ['Price', 'Result pages', 'Findings', 'Examples', 'Form']) {
      await findTab(page, name).click()
      await page.getByRole('tabpanel').getByText('Loading').waitFor({ state: 'detached' })
    }
    await page.waitForLoadState('networkidle')
    const serverRequests: string[] = []
    // The script that checks for misspelt addresses is loaded when the first address is entered.
    page.on('request', (request) => {
      if (!request.url().startsWith(`${server.url}/assets/`)) serverRequests.push(request.url())
    })
    await raisePrice(page)
    await findState(page)
      .getByText(/examples? fail/)
      .waitFor()
    await placeCursorBefore(page, '        - {id: ticket_no, label: Ticket Number')
    await page.keyboard.insertText(
      '        - {id: badge_name, label: Name on the Badge, required: Please say what the badge shall say}\n',
    )
    await page.getByLabel('Name on the Badge').waitFor()
    await page
      .getByRole('radio', { name: /AFPI Member – GP/ })
      .first()
      .check()
    await page.getByRole('button', { name: payButton }).click()
    await page.getByRole('link', { name: 'Please say what the badge shall say' }).waitFor()
    for (const [label, answer] of [
      ['Full Name', 'Dr. Example Nair'],
      ['Email Address', 'example@delegates.example'],
      ['Phone Number', '+91 98470 12345'],
      ['Name on the Badge', 'Example'],
    ] as const)
      await page.getByLabel(label, { exact: true }).fill(answer)
    await page.getByRole('button', { name: payButton }).click()
    await page.getByText('so your answers were not sent.').waitFor()
    await findTab(page, 'Result pages').click()
    for (const name of ['Failed', 'Pending', 'Email'])
      await page.getByRole('radio', { name }).check()
    await findTab(page, 'Form').click()
    await expect.poll(() => page.getByLabel('Name on the Badge').inputValue()).toBe('Example')
    expect(serverRequests).toEqual([])
    await context.close()
  })

  test('saves a file on disk; discards edits after confirmation', { tags: ['slow'] }, async () => {
    const { page, context } = await visit(browser)
    await page.goto(`${server.url}/organisers`)
    const changedText = eventFile.replace('title: AFPICON 2026', 'title: Another Conference')
    await page.getByLabel('Event file', { exact: true }).setInputFiles({
      name: 'another.yaml',
      mimeType: 'text/yaml',
      buffer: Buffer.from(changedText),
    })
    await page.getByText('another.yaml').waitFor()
    await page.getByRole('heading', { name: 'Another Conference' }).waitFor()
    await findEditor(page).focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('# mine\n')
    await page.getByText('(not saved)').waitFor()
    await page.reload()
    await page.getByText('# mine').waitFor()
    const startAgain = page.getByRole('button', { name: 'Start again' })
    await startAgain.click()
    const dialog = page.getByRole('dialog', { name: 'Leave your changes?' })
    await dialog.getByRole('button', { name: 'Keep my changes' }).click()
    const downloadPromise = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save file' }).click()
    const savedFile = await downloadPromise
    expect(savedFile.suggestedFilename()).toBe('another.yaml')
    expect(readFileSync(await savedFile.path(), 'utf8')).toBe(`# mine\n${changedText}`)
    await page.getByText('(not saved)').waitFor({ state: 'detached' })
    await startAgain.click()
    const heading = page.getByRole('heading', { name: 'How do you want to begin?' })
    await expect
      .poll(() => heading.evaluate((element) => element === document.activeElement))
      .toBe(true)
    await copyConference(page, 'Chirurgia 2026')
    await page.getByText('chirurgia2026.yaml').first().waitFor()
    await context.close()
  })

  test(
    'a new conference is created from answers: after an invalid answer and a pasted fee table that also has other rows, the file has prices, GST and a workshop priced by category',
    { tags: ['slow'] },
    async () => {
      const { page, context, consoleErrors } = await visit(browser)
      await page.goto(`${server.url}/organisers`)
      await page.getByRole('button', { name: 'New conference' }).click()
      const continueButton = page.getByRole('button', { name: 'Continue' })
      const heading = page.getByRole('heading', { level: 2 }).first()
      const answer = async (question: string, text: string | null) => {
        await heading.getByText(question).waitFor()
        // Text that is typed immediately is entered in the field of the new question.
        const target = text === null ? heading : page.getByRole('textbox', { name: question })
        if (text !== null || !(await page.getByRole('textbox', { name: question }).isVisible()))
          await expect
            .poll(() => target.evaluate((element) => element === document.activeElement))
            .toBe(true)
        if (text !== null) await page.keyboard.insertText(text)
        await continueButton.click()
      }
      await answer('What is the name', 'Rivers and Lungs 2027')
      await answer('When does it begin?', 'soon')
      await page.getByRole('alert').getByText('"soon" is not a valid date').waitFor()
      const firstDayField = page.getByRole('textbox', { name: 'When does it begin?' })
      await expect
        .poll(() => firstDayField.evaluate((element) => element === document.activeElement))
        .toBe(true)
      await firstDayField.fill('12–13 March 2027')
      await continueButton.click()
      await answer('Where is it?', 'Hall #5, Kochi')
      await page.reload()
      await page.goBack()
      await answer('Where is it?', null)
      await answer('Which email address', 'help@rivers.example')
      await page.getByRole('radio', { name: 'No', exact: true }).check()
      await continueButton.click()
      // Text that remains in the box is read, not silently ignored.
      await page.getByLabel('Paste a table').fill('Guest | 100')
      await continueButton.click()
      await page.getByText('1 category and 1 period were read').waitFor()
      await paste(
        page.getByLabel('Paste a table'),
        'Category\tEarly Bird (up to 31 Jan 2027)\tSpot (from 15 Feb 2027)\nMember\tRs. 5,000/-\t6,000\nNon-member\t\t7,500\nStudent\tComp\tNA\nAccompanying person\t3,000/-\tNA\nWorkshop: Ultrasound (30 seats)\t1,500\t2,000\nKit and lunch\nAll fees plus 18% GST',
      )
      await page.getByText('3 categories and 2 periods were read').waitFor()
      const undoButton = page.getByRole('button', { name: 'Undo' })
      await undoButton.click()
      await expect.poll(() => page.getByLabel('Category 1').inputValue()).toBe('Guest')
      await undoButton.click()
      await expect.poll(() => page.getByLabel('Category 1').inputValue()).toBe('Member')
      await page.setViewportSize({ width: 360, height: 800 })
      await expectAccessible(page, 'a fee table with questions')
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.getByRole('button', { name: /^Leave out.*Kit and lunch/ }).click()
      await page.getByText('Registration would be closed on 1–14 February 2027').waitFor()
      await page.getByRole('button', { name: 'Begin “Spot” on 1 February 2027' }).click()
      await page.getByRole('button', { name: /^Move to the workshops.*Ultrasound/ }).click()
      await page.getByRole('button', { name: /^Move to the accompanying persons.*3,000/ }).click()
      const missingPrice = page.getByRole('textbox', { name: 'Non-member, Early Bird' })
      await page.getByText('What does “Non-member” pay in “Early Bird”?').waitFor()
      await missingPrice.fill('8,000')
      await continueButton.click()
      // The focus is on the price that is lower in the later period, not on the name of its category.
      const lowerPrice = page.getByRole('textbox', { name: 'Non-member, Spot' })
      await expect
        .poll(() => lowerPrice.evaluate((element) => element === document.activeElement))
        .toBe(true)
      await page.getByRole('button', { name: 'This is correct' }).click()
      await page.getByText('would be cheaper in').waitFor({ state: 'detached' })
      await page.reload()
      await continueButton.click()
      await expect
        .poll(() => page.getByRole('radio', { name: '18% GST is added' }).isChecked())
        .toBe(true)
      await answer('How is GST charged?', null)
      await heading.getByText('What does an accompanying person pay?').waitFor()
      const accompanyingPrice = page.getByRole('textbox', {
        name: 'Accompanying person, Early Bird',
      })
      await expect.poll(() => accompanyingPrice.inputValue()).toBe('3,000')
      await accompanyingPrice.fill('half')
      await continueButton.click()
      await page.getByText('“half” is not a price.').waitFor()
      await accompanyingPrice.fill('3,000')
      await continueButton.click()
      await heading.getByText('Which workshops').waitFor()
      await page.getByRole('button', { name: /^Price for a category.*Ultrasound/ }).click()
      await page.getByRole('combobox', { name: 'Category for row' }).selectOption('Student')
      for (const period of ['Early Bird', 'Spot'])
        await page.getByRole('textbox', { name: `Ultrasound for Student, ${period}` }).fill('free')
      await page.setViewportSize({ width: 360, height: 800 })
      await expectAccessible(page, 'a table of workshops')
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await continueButton.click()
      await heading.getByText('More details, if you know them').waitFor()
      await page.getByRole('radio', { name: 'Part of the payment' }).check()
      await page.getByLabel('Until', { exact: true }).fill('2027-02-28')
      const refundPercentage = page.getByLabel('Refund percentage')
      await refundPercentage.fill('120')
      // A message that appears when a field loses focus does not move the button that is being pressed.
      await page.getByRole('radio', { name: 'Only at the registration desk' }).check()
      await page.getByText('“120” is not a valid percentage.').waitFor()
      await page.getByRole('textbox', { name: 'Which payment account' }).fill('society')
      await expectAccessible(page, 'optional questions with a mistake')
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await page.setViewportSize({ width: 1280, height: 800 })
      const createFileButton = page.getByRole('button', { name: 'Create the event file' })
      await createFileButton.click()
      await expect
        .poll(() => refundPercentage.evaluate((element) => element === document.activeElement))
        .toBe(true)
      await refundPercentage.fill('80')
      await page.reload()
      await createFileButton.click()
      await page.getByRole('button', { name: 'Change the answers' }).click()
      await expect.poll(() => refundPercentage.inputValue()).toBe('80')
      await createFileButton.click()
      await page.getByText('The checker found no problems').waitFor()
      await page.getByText('values are still examples').click()
      await page.getByText(/^the answers that delegates can change until 5 March 2027/).waitFor()
      await expectAccessible(page, 'a created file next to its prices')
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280)
      const day = page.getByLabel('Preview date')
      const readAmounts = async () =>
        (await page.getByRole('definition').allTextContents()).map(toPlainText)
      await expect.poll(readAmounts).toContain('₹ 5,900')
      await day.fill('2027-03-12')
      await page.getByRole('checkbox', { name: 'Ultrasound', exact: true }).check()
      await expect.poll(readAmounts).toContain('₹ 9,440')
      const downloadPromise = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save file' }).click()
      const savedFile = await downloadPromise
      expect(savedFile.suggestedFilename()).toBe('rl2027.yaml')
      const compileResult = compileEvent(
        readFileSync(await savedFile.path(), 'utf8'),
        sharedFiles,
        {
          path: 'rl2027.yaml',
        },
      )
      expect(compileResult.findings.map(({ code }) => code)).toEqual(['EV991'])
      expect(compileResult.event).toMatchObject({
        title: 'Rivers and Lungs 2027',
        venue: 'Hall #5, Kochi',
        fees: {
          prices: {
            member: { 'early-bird': 500_000, spot: 600_000 },
            'non-member': { 'early-bird': 800_000, spot: 750_000 },
            student: { 'early-bird': 0, spot: null },
          },
          items: [{ id: 'accompanying' }, { id: 'workshop' }],
        },
        quotas: [{ max: { ultrasound: 30 } }],
        cancellation: { steps: [{ until: '2027-02-28', percent: 80 }] },
        payment: { account: 'society' },
        registration: { closes: '2027-03-11', desk: { opens: '2027-03-12', closes: '2027-03-13' } },
      })
      // A tab that is opened later has only the data that the browser stores.
      const laterTab = await context.newPage()
      await laterTab.goto(`${server.url}/organisers`)
      await laterTab.getByRole('button', { name: 'Start over' }).click()
      await laterTab.getByRole('button', { name: 'Keep my answers' }).click()
      await laterTab.getByRole('button', { name: 'Continue with your answers' }).waitFor()
      await laterTab.getByRole('button', { name: 'Continue your draft' }).click()
      await laterTab.getByRole('heading', { name: 'Rivers and Lungs 2027' }).waitFor()
      expect(consoleErrors).toEqual([])
      await context.close()
    },
  )

  test('a copy has its own name, dates and addresses', { tags: ['slow'] }, async () => {
    const { page, context, consoleErrors } = await openEditor()
    const createButton = page.getByRole('button', { name: 'Create a new conference' })
    await page.getByLabel('Short name').fill('afpicon2026')
    await createButton.click()
    await page.getByRole('alert').getByText('afpicon2026 is already published').waitFor()
    await page.getByLabel('Short name').fill('afpicon2027')
    await createButton.click()
    await page.getByText('New file created').click()
    await page.getByText('AFPICON 2026 is now AFPICON 2027 throughout the file.').waitFor()
    await createButton.waitFor({ state: 'detached' })
    await page.getByText('afpicon2027.yaml', { exact: true }).waitFor()
    await expectAccessible(page, 'a file created from another')
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('can be used by keyboard alone', { tags: ['slow'] }, async () => {
    const { page, context } = await openEditor()
    await page.getByRole('button', { name: 'Create a new conference' }).focus()
    await page.keyboard.press('Tab')
    await expect
      .poll(() => findEditor(page).evaluate((content) => content === document.activeElement))
      .toBe(true)
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('# by keys')
    await page.getByText('# by keys').waitFor()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('hold_s')
    await page.getByRole('option', { name: 'hold_seats_for' }).waitFor()
    // A completion list ignores keys pressed right after it opens, so the line break from such an Enter is removed.
    await expect
      .poll(async () => {
        await page.keyboard.press('Enter')
        const text = (await findEditor(page).textContent()) ?? ''
        if (!text.includes('hold_seats_for: ')) {
          await page.keyboard.press('Backspace')
          await page.keyboard.press('Control+Space')
        }
        return text
      })
      .toContain('hold_seats_for: ')
    await page.keyboard.press('Tab')
    const readFocusedText = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(() => readFocusedText()).toBe('Form')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => readFocusedText()).toBe('Price')
    await expect.poll(() => findTab(page, 'Price').getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('End')
    await expect.poll(() => readFocusedText()).toBe('Rehearsal')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => readFocusedText()).toBe('Form')
    await page.keyboard.press('Shift+Tab')
    await expect
      .poll(() => findEditor(page).evaluate((content) => content === document.activeElement))
      .toBe(true)
    await context.close()
  })

  test.each(ALL_RUNS ? [360, 768, 1280] : [360])(
    'at %i px, axe reports no problems in any tab, with or without findings, and nothing overflows',
    { tags: ['slow'] },
    async (width) => {
      const { page, context, consoleErrors } = await openEditor({ width })
      const tabs =
        width < 1024
          ? ['File', 'Form', 'Price', 'Result pages', 'Findings', 'Examples', 'Rehearsal']
          : ['Form', 'Price', 'Result pages', 'Findings', 'Examples', 'Rehearsal']
      // A file with errors looks the same next to the editor: the tests above check it there.
      for (const hasFindings of ALL_RUNS || width < 1024 ? [false, true] : [false]) {
        if (hasFindings) {
          if (width < 1024) await findTab(page, 'File').click()
          await raisePrice(page)
          await findState(page)
            .getByText(/examples? fail/)
            .waitFor()
        }
        for (const name of hasFindings
          ? tabs.filter((tabName) => tabName !== 'Form' && tabName !== 'Result pages')
          : tabs) {
          await findTab(page, name).click()
          await page.getByRole('tabpanel').getByText('Loading').waitFor({ state: 'detached' })
          // The page at 768 px differs from the one at 360 px only in its width. At 1280 px the editor is next to the
          // preview. The preview was checked at 360 px, so each state of the editor is checked once.
          if (
            width === 360 ||
            (width > 768 && (ALL_RUNS || name === (hasFindings ? 'Price' : 'Form')))
          )
            await expectAccessible(
              page,
              `${name} at ${width}${hasFindings ? ' with findings' : ''}`,
            )
          await expect
            .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
            .toBe(width)
        }
      }
      await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1)
      expect(consoleErrors).toEqual([])
      await context.close()
    },
  )

  test('published files contain the support address', { tags: ['slow'] }, async () => {
    const page = await (await fetch(`${server.url}/organisers`)).text()
    expect(page).toContain('title: AFPICON 2026')
    expect(page).not.toContain(officeEmail)
    const file = (await (await fetch(`${server.url}/api/events/afpicon2026/file/`)).json()) as {
      readonly text: string
    }
    expect(file.text).toBe(eventFile)
    expect((await fetch(`${server.url}/api/events/nothing/file/`)).status).toBe(404)
  })
})
