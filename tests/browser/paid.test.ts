/** A complete registration: a postgraduate uploads a document, pays and downloads the receipt; staff see it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, launch, launchWithDefaultFlags, visit } from './browser.ts'
import { findEntries } from './office/registration-page.ts'
import {
  clickAtGateway,
  findField,
  fillForm,
  FORM_PATH,
  INTERN_CATEGORY,
  waitForHydration,
  readData,
  readOrderId,
  readGatewayOrder,
  findPayButton,
  PG_CATEGORY,
  toPlainText,
  proceedToGateway,
  PROOF_FILE,
  findSummary,
} from './delegate.ts'
import { readQrCode } from '../server/read-qr-code.ts'
import { ADMIN, serve } from './serve.ts'
import type { TestServer } from './serve.ts'

let browser: Browser
let server: TestServer
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
})
afterAll(async () => {
  await server.stop()
})

const LIST_PATH = '/admin/afpicon2026'
const NAME = 'Dr. Specimen Postgraduate'

/** Captures a result page's QR code as it appears on a phone. */
async function captureTicketCode(url: string): Promise<Buffer> {
  const pixelBrowser = await launchWithDefaultFlags()
  try {
    const { page } = await visit(pixelBrowser, { privateWindow: true })
    await page.goto(url)
    return await page.getByRole('img', { name: /QR code/ }).screenshot()
  } finally {
    await pixelBrowser.close()
  }
}

async function signIn(page: Page, path = '/admin/login'): Promise<void> {
  await page.goto(server.url + path)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

describe('a postgraduate with a document', () => {
  let regNo = ''

  test('S005 S014 S015 S024 S052 S055 S056 S057 S058: pays 4,250 plus 765 GST, 5,015 in total, and gets the receipt', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(server.url + FORM_PATH)
    await fillForm(page, {
      name: NAME,
      email: 'specimen.pg@example.org',
      category: PG_CATEGORY,
      hasProof: true,
    })
    await expect
      .poll(() => readData(findSummary(page)))
      .toEqual({
        'Base Fee': '₹ 4,250',
        'GST (18%)': '₹ 765',
        'Total Amount': '₹ 5,015',
      })
    await expect
      .poll(async () => toPlainText(await findPayButton(page).textContent()))
      .toBe('Proceed to Secure Payment')
    await expectAccessible(page, 'form, filled in')

    await proceedToGateway(page)
    await expectAccessible(page, 'sandbox gateway')
    const ordersPage = await context.newPage()
    await ordersPage.goto(new URL('/', page.url()).href)
    await ordersPage.getByText(await readGatewayOrder(page)).waitFor()
    await expectAccessible(ordersPage, 'orders of the sandbox gateway')
    await ordersPage.close()
    await clickAtGateway(page, 'Pay')
    await page.waitForURL(/\/afpicon\/payment\/success/)
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    regNo = readOrderId(page)
    expect(regNo).toMatch(/^AFPI\d{13}$/)
    const details = await readData(page.getByRole('main'))
    expect(details).toMatchObject({
      'Email Address': 'specimen.pg@example.org',
      'Phone Number': '+91 98470 00000',
      Category: 'Afpi Pg',
      'Base Fee': '₹ 4,250',
      'GST (18%)': '₹ 765',
      'Total Amount': '₹ 5,015',
      Status: 'Paid',
      'Conference Dates': '31 January – 1 February 2026',
      Venue: 'Resort, Changanassery, Kottayam',
    })
    await expect
      .poll(async () => toPlainText(await page.getByRole('main').textContent()))
      .toContain(NAME)
    const notes = toPlainText(await page.getByRole('main').textContent())
    for (const note of [
      'keep your registration number',
      'A confirmation email will be sent',
      'bring a valid ID proof',
      'contact the organizing committee',
    ])
      expect(notes).toContain(note)
    await expectAccessible(page, 'success')
    // The scanner at the front desk can read the code from a phone's screen.
    expect(readQrCode(await captureTicketCode(page.url()))).toBe(regNo)
    const [entry] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Add to calendar' }).click(),
    ])
    expect(entry.suggestedFilename()).toBe('afpicon2026.ics')
    await expect
      .poll(() => page.getByRole('link', { name: 'Open map' }).getAttribute('href'))
      .toBe('https://www.google.com/maps/search/?api=1&query=Resort%2C+Changanassery%2C+Kottayam')

    // On a phone, all three buttons are in one row.
    const { width = 1280, height = 720 } = page.viewportSize() ?? {}
    await page.setViewportSize({ width: 360, height })
    const buttons = [/^Add to calendar$/, /^Open map/, /^Share this event$/].map((name) =>
      page.getByRole('link', { name }).or(page.getByRole('button', { name })).boundingBox(),
    )
    const tops = (await Promise.all(buttons)).map((box) => box?.y)
    expect(new Set(tops).size).toBe(1)
    await page.setViewportSize({ width, height })

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download Receipt' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${regNo}.txt`)
    const receipt = toPlainText(readFileSync(await download.path(), 'utf8'))
    for (const line of [
      `Registration Number: ${regNo}`,
      `Name: ${NAME}`,
      `Category: ${PG_CATEGORY}`,
      'Base Fee: ₹ 4,250',
      'GST (18%): ₹ 765',
      'Total Amount: ₹ 5,015',
      'Conference: AFPICON 2026',
    ])
      expect(receipt).toContain(line)
    await expect
      .poll(() => page.getByRole('button', { name: 'Print Confirmation' }).count())
      .toBe(1)
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('S006 S028 S032 S074 S080 S081 S118: appears with the document in the office list, in the filtered list and in its CSV export', async () => {
    // The filter must exclude another delegate, who has not paid.
    const otherVisit = await visit(browser)
    await otherVisit.page.goto(server.url + FORM_PATH)
    await fillForm(otherVisit.page, { name: 'Dr. Placeholder Intern', category: INTERN_CATEGORY })
    await proceedToGateway(otherVisit.page)
    await otherVisit.context.close()

    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(server.url + LIST_PATH)
    await page.waitForURL(/\/admin\/login/)
    await expectAccessible(page, 'office sign-in')
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign In' }).click()
    await page.getByText('Invalid username or password').waitFor()
    await page.getByLabel('Password').fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign In' }).click()

    // The sign-in leads back to the requested page.
    await page.waitForURL(new RegExp(`${LIST_PATH}$`))
    const row = page.getByRole('row').filter({ hasText: NAME })
    await row.waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(4)
    await expect.poll(async () => toPlainText(await row.textContent())).toContain('₹ 5,015')
    await expectAccessible(page, 'office list')

    await page.getByLabel('Payment Status').selectOption('success')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(
      /^afpicon_2026_registrations_\d{4}-\d{2}-\d{2}_paid\.csv$/,
    )
    const csv = readFileSync(await download.path(), 'utf8')
    expect(csv).toContain(regNo)
    expect(csv).toContain(NAME)
    expect(csv).not.toContain('Placeholder Intern')
    expect(csv.trim().split('\n').length).toBe(2)

    await page.getByRole('button', { name: 'Clear filters', exact: true }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(4)
    await page.getByLabel('Search').fill('no match for the name')
    await page.getByText('No registrations found').waitFor()
    await expectAccessible(page, 'office list, empty')
    await page.getByRole('button', { name: 'Clear filters', exact: true }).click()

    await row.getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
    await page.getByRole('link', { name: PROOF_FILE.name }).waitFor()
    await expectAccessible(page, 'the registration page')
    const [proof] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: PROOF_FILE.name }).click(),
    ])
    expect(readFileSync(await proof.path())).toEqual(PROOF_FILE.buffer)

    await page.getByRole('button', { name: 'Resend confirmation' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resend confirmation' }).click()
    await expect.poll(() => findEntries(page, 'Email:').count()).toBe(2)
    await page.getByRole('button', { name: 'Logout' }).first().click()
    await page.waitForURL(/\/admin\/login/)
    await page.goto(server.url + LIST_PATH)
    await page.waitForURL(/\/admin\/login/)
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('S073 S074: appears among the newest registrations on the dashboard', async () => {
    const { page, context } = await visit(browser)
    await signIn(page)
    await page.waitForURL(/\/admin\/dashboard/)
    await page.getByRole('heading', { level: 1 }).waitFor()
    // The conference ended before the date of the test, so its figures are collapsed.
    await page.getByRole('heading', { level: 2, name: 'AFPICON' }).click()
    await page.getByText(NAME).first().waitFor()
    await expectAccessible(page, 'dashboard')
    await context.close()
  })
})

describe('a chosen document', { tags: ['slow'] }, () => {
  const waitForUpload = (page: Page) =>
    page.getByText(`${PROOF_FILE.name} uploaded`).waitFor({ state: 'attached' })

  test('is kept after a reload, in another tab, and after a declined payment', async () => {
    const { page, context, consoleErrors } = await visit(browser)
    await page.goto(server.url + FORM_PATH)
    await fillForm(page, { name: 'Dr. Once Chosen', category: PG_CATEGORY, hasProof: true })
    await waitForUpload(page)
    await expectAccessible(page, 'a document that has been sent')
    await page.reload()
    await waitForUpload(page)
    const tab = await context.newPage()
    await tab.goto(server.url + FORM_PATH)
    await tab.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
    await waitForUpload(tab)
    await tab.close()

    await proceedToGateway(page)
    await clickAtGateway(page, 'Decline')
    await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
    await page.getByRole('link', { name: 'Try Again' }).click()
    await waitForUpload(page)
    await proceedToGateway(page)
    await clickAtGateway(page, 'Pay')
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    const db = new Database(join(server.dataDir, 'rollcall.db'), { readonly: true })
    const storedDocument = db
      .prepare(
        `SELECT count(u.name) AS proofs, min(u.name) AS name FROM registrations r
         LEFT JOIN uploads u ON u.registration_id = r.id WHERE r.full_name = 'Dr. Once Chosen' GROUP BY r.id`,
      )
      .all()
    db.close()
    expect(storedDocument).toEqual([{ proofs: 1, name: PROOF_FILE.name }])
    // After the payment, the next user of this computer does not see the document.
    await page.goto(server.url + FORM_PATH)
    await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
    await page.getByText('Choose file', { exact: true }).waitFor()
    expect(consoleErrors).toEqual([])
    await context.close()
  })

  test('is uploaded again automatically after a lost connection; meanwhile, the payment waits and a message says so', async () => {
    const { page, context } = await visit(browser)
    let attempts = 0
    const DOCUMENT_PATHS = /\/proofs\/$/
    await page.route(DOCUMENT_PATHS, (route) => {
      attempts += 1
      return route.abort('connectionreset')
    })
    await page.goto(server.url + FORM_PATH)
    await fillForm(page, { name: 'Dr. Bad Line', category: PG_CATEGORY, hasProof: true })
    await page
      .getByText('Your connection is weak. We are still trying to send your file.')
      .first()
      .waitFor()
    await findPayButton(page).click()
    await page
      .getByText(
        'Your connection is weak. We are still trying to send your file. We will continue when the upload is complete.',
      )
      .first()
      .waitFor()
    await expectAccessible(page, 'a file that waits for the connection')
    await expect.poll(() => attempts).toBeGreaterThan(1)
    await page.unroute(DOCUMENT_PATHS)
    await page.waitForURL(/^http:\/\/(?!.*\/afpicon2026)/)
    await context.close()
  })

  test('is scaled down, rotated and stored without camera metadata if it is a photo', async () => {
    const { page, context } = await visit(browser)
    await page.goto(server.url + FORM_PATH)
    await fillForm(page, { name: 'Dr. Photo Sample', category: PG_CATEGORY })
    // The photo is 3,000 pixels wide, has noise, and is rotated by its Exif data.
    const bytes = await page.evaluate(async () => {
      const canvas = document.createElement('canvas')
      ;[canvas.width, canvas.height] = [3000, 1500]
      const drawingContext = canvas.getContext('2d')
      const imageData = drawingContext?.createImageData(3000, 1500)
      if (!drawingContext || !imageData) throw new Error('no canvas')
      // A pattern of 251 bytes; each copy doubles the filled part.
      for (let index = 0; index < 251; index += 1) imageData.data[index] = (index * 7919) % 251
      for (let index = 251; index < imageData.data.length; index *= 2)
        imageData.data.copyWithin(index, 0, index)
      drawingContext.putImageData(imageData, 0, 0)
      const jpegBlob = await new Promise<Blob | null>((resolve) =>
        canvas.toBlob(resolve, 'image/jpeg', 0.9),
      )
      const EXIF_HEX = 'ffe100224578696600004d4d002a00000008000101120003000000010006000000000000'
      const exif = Uint8Array.from(EXIF_HEX.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
      const parts = [jpegBlob?.slice(0, 2) ?? '', exif, jpegBlob?.slice(2) ?? '']
      const file = new File(parts, 'IMG_0001.jpeg', { type: 'image/jpeg' })
      const transferData = new DataTransfer()
      transferData.items.add(file)
      const input = document.querySelector<HTMLInputElement>('input[type=file]')
      if (input) input.files = transferData.files
      input?.dispatchEvent(new Event('change', { bubbles: true }))
      return file.size
    })
    await page.getByText('IMG_0001.jpeg uploaded').waitFor({ state: 'attached' })
    const db = new Database(join(server.dataDir, 'rollcall.db'), { readonly: true })
    const storedFile = db
      .prepare('SELECT sha256, bytes FROM draft_proofs WHERE name = ?')
      .get('IMG_0001.jpeg') as { readonly sha256: string; readonly bytes: number }
    db.close()
    expect(storedFile.bytes).toBeLessThan(bytes / 2)
    const storedPath = join(
      server.dataDir,
      'uploads',
      storedFile.sha256.slice(0, 2),
      storedFile.sha256,
    )
    expect(readJpegSize(readFileSync(storedPath))).toEqual({ width: 1000, height: 2000 })
    await context.close()
  })

  test('can be removed during its upload, and is sent with the answers if early uploads fail', async () => {
    const { page, context } = await visit(browser)
    await page.route(/\/proofs\/$/, () => {})
    await page.goto(server.url + FORM_PATH)
    await fillForm(page, { name: 'Dr. Taken Back', category: PG_CATEGORY, hasProof: true })
    await page.getByRole('progressbar').waitFor()
    await expectAccessible(page, 'a file being uploaded')
    await page.getByRole('button', { name: `Cancel ${PROOF_FILE.name}` }).click()
    await page.getByText('Choose file', { exact: true }).waitFor()
    await page.unrouteAll()
    await page.route(/\/proofs\/$/, (route) => route.fulfill({ status: 404, body: '{}' }))
    await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
    await page.getByRole('button', { name: `Remove ${PROOF_FILE.name}` }).waitFor()
    const submitRequest = page.waitForRequest(/\/register\/$/)
    await proceedToGateway(page)
    expect((await submitRequest).postData()).toContain(`filename="${PROOF_FILE.name}"`)
    await context.close()
  })
})

/**
 * Fills in the form for a delegate who must upload a document. Does not wait for the price, which is in the bar on a
 * phone.
 */
async function fillFormWithDocument(page: Page, name: string): Promise<void> {
  await waitForHydration(page)
  await findField(page, 'Full Name').fill(name)
  await findField(page, 'Email Address').fill('lost.line@example.org')
  await findField(page, 'Phone Number').fill('+91 98470 00000')
  await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
  await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
}

describe('a lost connection', { tags: ['slow'] }, () => {
  test('results in one payment, one email and one document, whether it occurs before or after the response, at the gateway or on return', async () => {
    const { page, context } = await visit(browser, { privateWindow: true, width: 360, height: 740 })
    await page.clock.install()
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/afpicon/register/'))
        keys.push(request.headers()['idempotency-key'])
    })
    const mainRegion = page.getByRole('main')
    await page.goto(server.url + FORM_PATH)
    await fillFormWithDocument(page, 'Dr. Lost Line')
    await page.getByText(`${PROOF_FILE.name} uploaded`).waitFor({ state: 'attached' })

    // While the browser is offline, one message is shown. It disappears once the browser is online again.
    await context.setOffline(true)
    const offlineMessage = page.getByText('You are offline. Your answers are kept on this device')
    await offlineMessage.waitFor()
    await findPayButton(page).click()
    await mainRegion
      .getByText('We could not reach our server. You have not been charged.')
      .waitFor()
    await expect.poll(() => page.getByText('Network error').count()).toBe(0)
    await expectAccessible(page, 'offline')
    await context.setOffline(false)
    await offlineMessage.waitFor({ state: 'hidden' })

    // The form is submitted, but the browser never gets the response with the registration.
    let nextFailure: 'no response' | 'lost response' | 'none' = 'no response'
    let releaseResponse = (): void => {}
    const noResponse = new Promise<void>((resolve) => (releaseResponse = resolve))
    await page.route('**/api/afpicon/register/', async (route) => {
      if (nextFailure === 'no response') {
        nextFailure = 'lost response'
        return releaseResponse()
      }
      if (nextFailure === 'none') return route.continue()
      nextFailure = 'none'
      await route.fetch()
      await route.abort()
    })
    await findPayButton(page).click()
    await noResponse
    await page.clock.runFor(20_000)
    await mainRegion
      .getByText('We could not reach our server. You have not been charged.')
      .waitFor()
    await findPayButton(page).click()
    await page.waitForURL((url) => url.origin !== server.url)
    const orderId = await readGatewayOrder(page)
    expect(new Set(keys).size).toBe(1)
    expect(keys.length).toBe(4)

    // The delegate returns from the gateway to the form, which has stored the submitted answers.
    await page.goto(server.url + FORM_PATH)
    await page.getByRole('link', { name: 'Check the payment status or pay now' }).click()
    await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
    // The request for the gateway's page gets no response.
    let payRequestCount = 0
    const firstRequest = new Promise<void>((resolve) => (releaseResponse = resolve))
    await page.route('**/api/payment/retry/', (route) =>
      payRequestCount++ === 0 ? releaseResponse() : route.continue(),
    )
    await page.getByRole('button', { name: 'Pay ₹ 5,015 now' }).click()
    await firstRequest
    await page.clock.runFor(20_000)
    await page.waitForURL((url) => url.origin !== server.url)
    expect([await readGatewayOrder(page), payRequestCount]).toEqual([orderId, 2])

    // The payment succeeds, but the browser cannot load our page on the way back.
    const returnPath = '**/api/afpicon/airpay-response*'
    await page.route(returnPath, (route) => route.abort())
    await Promise.all([page.waitForEvent('requestfailed'), clickAtGateway(page, 'Pay')])
    await page.unroute(returnPath)
    // The browser is still loading the result page.
    const canLoadResultPage = () =>
      page.goto(`${server.url}/afpicon/payment/success?orderId=${orderId}`).then(
        () => true,
        () => false,
      )
    await expect.poll(canLoadResultPage, { timeout: 200_000 }).toBe(true)
    await page
      .getByRole('heading', { name: 'Registration Confirmed' })
      .waitFor({ timeout: 200_000 })

    const db = new Database(join(server.dataDir, 'rollcall.db'), { readonly: true })
    const countRows = (sql: string): unknown =>
      db.prepare(`SELECT count(*) FROM (${sql})`).pluck().get(`%${'Lost Line'}%`)
    try {
      expect({
        registrations: countRows('SELECT 1 FROM registrations WHERE answers LIKE ?'),
        paid: countRows(
          "SELECT 1 FROM payments JOIN registrations ON registrations.id = registration_id WHERE answers LIKE ? AND payments.status = 'success'",
        ),
        proofs: countRows(
          'SELECT 1 FROM uploads JOIN registrations ON registrations.id = registration_id WHERE answers LIKE ?',
        ),
        mails: countRows(
          'SELECT 1 FROM mail_queue JOIN registrations ON registrations.id = registration_id WHERE answers LIKE ?',
        ),
      }).toEqual({ registrations: 1, paid: 1, proofs: 1, mails: 1 })
    } finally {
      db.close()
    }

    // A delegate who returns to the form sees a notice and, with the same email address, a message next to the button.
    await page.goto(server.url + FORM_PATH)
    const registeredNotice = page.getByRole('region', { name: 'Already registered' })
    await registeredNotice.getByText('Do you want to register someone else?').waitFor()
    await expect
      .poll(async () => toPlainText(await registeredNotice.textContent()))
      .toContain(`Your registration number ends in ${orderId.slice(-4)}`)
    await fillFormWithDocument(page, 'Dr. Lost Line')
    await mainRegion.getByText('You have already registered with this email address.').waitFor()
    await findField(page, 'Email Address').fill('somebody.else@example.org')
    await mainRegion
      .getByText('You have already registered with this email address.')
      .waitFor({ state: 'hidden' })
    await context.close()
  })
})

/** Reads the size of a JPEG from its frame header, as a viewer that ignores Exif would. */
function readJpegSize(jpeg: Buffer): { readonly width: number; readonly height: number } {
  for (let index = 2; index < jpeg.length; index += 2 + jpeg.readUInt16BE(index + 2))
    if (/^ff(c0|c1|c2)$/.test(jpeg.toString('hex', index, index + 2)))
      return { height: jpeg.readUInt16BE(index + 5), width: jpeg.readUInt16BE(index + 7) }
  throw new Error('no frame header')
}
