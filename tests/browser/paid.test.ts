/** The whole road: a post graduate registers with a proof, pays, keeps the receipt; the office sees it all. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, launch, launchDrawing, visit } from './browser.ts'
import {
  atGateway,
  field,
  fillForm,
  FORM,
  INTERN,
  takenOver,
  ledger,
  orderIdOf,
  orderOf,
  payButton,
  PG,
  plain,
  proceed,
  PROOF,
  summary,
} from './delegate.ts'
import { codeIn } from '../server/read-qr-code.ts'
import { ADMIN, serve } from './serve.ts'
import type { Served } from './serve.ts'

let browser: Browser
let server: Served
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launch(), serve()])
})
afterAll(async () => {
  await server.stop()
})

const LIST = '/admin/afpicon2026'
const NAME = 'Dr. Specimen Postgraduate'

/** The code of a result page as a phone shows it that opens the same address. */
async function codeOnScreen(url: string): Promise<Buffer> {
  const drawing = await launchDrawing()
  try {
    const { page } = await visit(drawing, { own: true })
    await page.goto(url)
    return await page.getByRole('img', { name: /QR code/ }).screenshot()
  } finally {
    await drawing.close()
  }
}

async function signIn(page: Page, to = '/admin/login'): Promise<void> {
  await page.goto(server.url + to)
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign In' }).click()
}

describe('a postgraduate with a document', () => {
  let regNo = ''

  test('S005 S014 S015 S024 S052 S055 S056 S057 S058: pays 4,250 and 765 GST, 5,015 in all, and takes the receipt home', async () => {
    const { page, context, complaints } = await visit(browser)
    await page.goto(server.url + FORM)
    await fillForm(page, {
      name: NAME,
      email: 'specimen.pg@example.org',
      category: PG,
      proof: true,
    })
    await expect
      .poll(() => ledger(summary(page)))
      .toEqual({
        'Base Fee': '₹ 4,250',
        'GST (18%)': '₹ 765',
        'Total Amount': '₹ 5,015',
      })
    await expect
      .poll(async () => plain(await payButton(page).textContent()))
      .toBe('Proceed to Secure Payment')
    await expectAccessible(page, 'form, filled in')

    await proceed(page)
    await expectAccessible(page, 'sandbox gateway')
    const orders = await context.newPage()
    await orders.goto(new URL('/', page.url()).href)
    await orders.getByText(await orderOf(page)).waitFor()
    await expectAccessible(orders, 'orders of the sandbox gateway')
    await orders.close()
    await atGateway(page, 'Pay')
    await page.waitForURL(/\/afpicon\/payment\/success/)
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    regNo = orderIdOf(page)
    expect(regNo).toMatch(/^AFPI\d{13}$/)
    const said = await ledger(page.getByRole('main'))
    expect(said).toMatchObject({
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
    await expect.poll(async () => plain(await page.getByRole('main').textContent())).toContain(NAME)
    const notes = plain(await page.getByRole('main').textContent())
    for (const note of [
      'keep your registration number',
      'A confirmation email will be sent',
      'bring a valid ID proof',
      'contact the organizing committee',
    ])
      expect(notes).toContain(note)
    await expectAccessible(page, 'success')
    // What a desk's scanner reads from the screen of a phone.
    expect(codeIn(await codeOnScreen(page.url()))).toBe(regNo)
    const [entry] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Add to calendar' }).click(),
    ])
    expect(entry.suggestedFilename()).toBe('afpicon2026.ics')
    await expect
      .poll(() => page.getByRole('link', { name: 'Open map' }).getAttribute('href'))
      .toBe('https://www.google.com/maps/search/?api=1&query=Resort%2C+Changanassery%2C+Kottayam')

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download Receipt' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${regNo}.txt`)
    const receipt = plain(readFileSync(await download.path(), 'utf8'))
    for (const line of [
      `Registration Number: ${regNo}`,
      `Name: ${NAME}`,
      `Category: ${PG}`,
      'Base Fee: ₹ 4,250',
      'GST (18%): ₹ 765',
      'Total Amount: ₹ 5,015',
      'Conference: AFPICON 2026',
    ])
      expect(receipt).toContain(line)
    await expect
      .poll(() => page.getByRole('button', { name: 'Print Confirmation' }).count())
      .toBe(1)
    expect(complaints).toEqual([])
    await context.close()
  })

  test("S006 S028 S032 S074 S080 S081 S118: is in the office's list with the document, in the filtered list and in its CSV", async () => {
    // Another delegate, who does not pay, so that a filter has something to leave out.
    const other = await visit(browser)
    await other.page.goto(server.url + FORM)
    await fillForm(other.page, { name: 'Dr. Placeholder Intern', category: INTERN })
    await proceed(other.page)
    await other.context.close()

    const { page, context, complaints } = await visit(browser)
    await page.goto(server.url + LIST)
    await page.waitForURL(/\/admin\/login/)
    await expectAccessible(page, 'office sign-in')
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign In' }).click()
    await page.getByText('Invalid username or password').waitFor()
    await page.getByLabel('Password').fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign In' }).click()

    // Back to where one was going.
    await page.waitForURL(new RegExp(`${LIST}$`))
    const row = page.getByRole('row').filter({ hasText: NAME })
    await row.waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    await expect.poll(async () => plain(await row.textContent())).toContain('₹ 5,015')
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
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    await page.getByLabel('Search').fill('nobody of that name')
    await page.getByText('No registrations found').waitFor()
    await expectAccessible(page, 'office list, empty')
    await page.getByRole('button', { name: 'Clear filters', exact: true }).click()

    await row.getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
    await page.getByRole('link', { name: PROOF.name }).waitFor()
    await expectAccessible(page, "a registration's own page")
    const [proof] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: PROOF.name }).click(),
    ])
    expect(readFileSync(await proof.path())).toEqual(PROOF.buffer)

    await page.getByRole('button', { name: 'Resend confirmation' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resend confirmation' }).click()
    await expect
      .poll(() => page.getByRole('region', { name: 'Emails' }).getByRole('listitem').count())
      .toBe(2)
    await page.getByRole('button', { name: 'Logout' }).first().click()
    await page.waitForURL(/\/admin\/login/)
    await page.goto(server.url + LIST)
    await page.waitForURL(/\/admin\/login/)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('S073 S074: is among the newest registrations on the dashboard', async () => {
    const { page, context } = await visit(browser)
    await signIn(page)
    await page.waitForURL(/\/admin\/dashboard/)
    await page.getByRole('heading', { level: 1 }).waitFor()
    // The conference is over on the day of the test: its figures are folded.
    await page.getByRole('heading', { level: 2, name: 'AFPICON' }).click()
    await page.getByText(NAME).first().waitFor()
    await expectAccessible(page, 'dashboard')
    await context.close()
  })
})

describe('a chosen document', () => {
  const isSent = (page: Page) =>
    page.getByText(`${PROOF.name} uploaded`).waitFor({ state: 'attached' })

  test('is kept after a reload, in another tab, and after a declined payment', async () => {
    const { page, context, complaints } = await visit(browser)
    await page.goto(server.url + FORM)
    await fillForm(page, { name: 'Dr. Once Chosen', category: PG, proof: true })
    await isSent(page)
    await expectAccessible(page, 'a proof that has been sent')
    await page.reload()
    await isSent(page)
    const tab = await context.newPage()
    await tab.goto(server.url + FORM)
    await tab.getByRole('radio', { name: PG, exact: true }).check()
    await isSent(tab)
    await tab.close()

    await proceed(page)
    await atGateway(page, 'Decline')
    await page.getByRole('heading', { name: 'Payment Failed' }).waitFor()
    await page.getByRole('link', { name: 'Try Again' }).click()
    await isSent(page)
    await proceed(page)
    await atGateway(page, 'Pay')
    await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
    const db = new Database(join(server.dataDir, 'rollcall.db'), { readonly: true })
    const kept = db
      .prepare(
        `SELECT count(u.name) AS proofs, min(u.name) AS name FROM registrations r
         LEFT JOIN uploads u ON u.registration_id = r.id WHERE r.full_name = 'Dr. Once Chosen' GROUP BY r.id`,
      )
      .all()
    db.close()
    expect(kept).toEqual([{ proofs: 1, name: PROOF.name }])
    // Paid for: the next person at this computer does not find it.
    await page.goto(server.url + FORM)
    await page.getByRole('radio', { name: PG, exact: true }).check()
    await page.getByText('Choose file', { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('is sent again automatically after a broken connection; the payment waits for it with a message', async () => {
    const { page, context } = await visit(browser)
    let tries = 0
    const proofs = /\/proofs\/$/
    await page.route(proofs, (route) => {
      tries += 1
      return route.abort('connectionreset')
    })
    await page.goto(server.url + FORM)
    await fillForm(page, { name: 'Dr. Bad Line', category: PG, proof: true })
    await page
      .getByText('Your connection is weak. We are still trying to send it.')
      .first()
      .waitFor()
    await payButton(page).click()
    await page
      .getByText(
        'Your connection is weak. We are still trying to send your file. We will continue when the upload is complete.',
      )
      .first()
      .waitFor()
    await expectAccessible(page, 'a file that waits for a line')
    await expect.poll(() => tries).toBeGreaterThan(1)
    await page.unroute(proofs)
    await page.waitForURL(/^http:\/\/(?!.*\/afpicon2026)/)
    await context.close()
  })

  test('is scaled down and rotated if it is a photo, without camera metadata', async () => {
    const { page, context } = await visit(browser)
    await page.goto(server.url + FORM)
    await fillForm(page, { name: 'Dr. Photo Sample', category: PG })
    // Three thousand dots wide, grainy, and by its Exif lying on its side.
    const bytes = await page.evaluate(async () => {
      const canvas = document.createElement('canvas')
      ;[canvas.width, canvas.height] = [3000, 1500]
      const pen = canvas.getContext('2d')
      const picture = pen?.createImageData(3000, 1500)
      if (!pen || !picture) throw new Error('no canvas')
      // Which comes again after 251 bytes: each copy is twice as long as the one before.
      for (let at = 0; at < 251; at += 1) picture.data[at] = (at * 7919) % 251
      for (let at = 251; at < picture.data.length; at *= 2) picture.data.copyWithin(at, 0, at)
      pen.putImageData(picture, 0, 0)
      const plain = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.9))
      const words = 'ffe100224578696600004d4d002a00000008000101120003000000010006000000000000'
      const exif = Uint8Array.from(words.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
      const parts = [plain?.slice(0, 2) ?? '', exif, plain?.slice(2) ?? '']
      const file = new File(parts, 'IMG_0001.jpeg', { type: 'image/jpeg' })
      const chosen = new DataTransfer()
      chosen.items.add(file)
      const input = document.querySelector<HTMLInputElement>('input[type=file]')
      if (input) input.files = chosen.files
      input?.dispatchEvent(new Event('change', { bubbles: true }))
      return file.size
    })
    await page.getByText('IMG_0001.jpeg uploaded').waitFor({ state: 'attached' })
    const db = new Database(join(server.dataDir, 'rollcall.db'), { readonly: true })
    const kept = db
      .prepare('SELECT sha256, bytes FROM draft_proofs WHERE name = ?')
      .get('IMG_0001.jpeg') as { readonly sha256: string; readonly bytes: number }
    db.close()
    expect(kept.bytes).toBeLessThan(bytes / 2)
    const place = join(server.dataDir, 'uploads', kept.sha256.slice(0, 2), kept.sha256)
    expect(sizeOf(readFileSync(place))).toEqual({ width: 1000, height: 2000 })
    await context.close()
  })

  test('can be removed while it is sent, and is sent with the answers if uploads in advance fail', async () => {
    const { page, context } = await visit(browser)
    await page.route(/\/proofs\/$/, () => {})
    await page.goto(server.url + FORM)
    await fillForm(page, { name: 'Dr. Taken Back', category: PG, proof: true })
    await page.getByRole('progressbar').waitFor()
    await expectAccessible(page, 'a file on its way')
    await page.getByRole('button', { name: `Cancel ${PROOF.name}` }).click()
    await page.getByText('Choose file', { exact: true }).waitFor()
    await page.unrouteAll()
    await page.route(/\/proofs\/$/, (route) => route.fulfill({ status: 404, body: '{}' }))
    await page.locator('input[type=file]').setInputFiles(PROOF)
    await page.getByRole('button', { name: `Remove ${PROOF.name}` }).waitFor()
    const sent = page.waitForRequest(/\/register\/$/)
    await proceed(page)
    expect((await sent).postData()).toContain(`filename="${PROOF.name}"`)
    await context.close()
  })
})

/** As somebody who must show a proof. On a phone the price stands in the bar. */
async function fillIn(page: Page, name: string): Promise<void> {
  await takenOver(page)
  await field(page, 'Full Name').fill(name)
  await field(page, 'Email Address').fill('lost.line@example.org')
  await field(page, 'Phone Number').fill('+91 98470 00000')
  await page.getByRole('radio', { name: PG, exact: true }).check()
  await page.locator('input[type=file]').setInputFiles(PROOF)
}

describe('a lost connection', () => {
  test('before the response, after it, at the gateway and on return: paid once, with one email and the document', async () => {
    const { page, context } = await visit(browser, { own: true, width: 360, height: 740 })
    await page.clock.install()
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/afpicon/register/'))
        keys.push(request.headers()['idempotency-key'])
    })
    const main = page.getByRole('main')
    await page.goto(server.url + FORM)
    await fillIn(page, 'Dr. Lost Line')
    await page.getByText(`${PROOF.name} uploaded`).waitFor({ state: 'attached' })

    // No line at all: said once, and taken back by itself.
    await context.setOffline(true)
    const offline = page.getByText('You are offline. Your answers are kept on this device')
    await offline.waitFor()
    await payButton(page).click()
    await main.getByText('We could not reach our server. You have not been charged.').waitFor()
    await expect.poll(() => page.getByText('Network error').count()).toBe(0)
    await expectAccessible(page, 'offline')
    await context.setOffline(false)
    await offline.waitFor({ state: 'hidden' })

    // Sent, and no answer comes; then what was registered is never heard of.
    let lost: 'silence' | 'after' | 'no' = 'silence'
    let held = (): void => {}
    const silent = new Promise<void>((resolve) => (held = resolve))
    await page.route('**/api/afpicon/register/', async (route) => {
      if (lost === 'silence') {
        lost = 'after'
        return held()
      }
      if (lost === 'no') return route.continue()
      lost = 'no'
      await route.fetch()
      await route.abort()
    })
    await payButton(page).click()
    await silent
    await page.clock.runFor(20_000)
    await main.getByText('We could not reach our server. You have not been charged.').waitFor()
    await payButton(page).click()
    await page.waitForURL((url) => url.origin !== server.url)
    const orderId = await orderOf(page)
    expect(new Set(keys).size).toBe(1)
    expect(keys.length).toBe(4)

    // At the gateway: back to the form, which knows what was sent.
    await page.goto(server.url + FORM)
    await page.getByRole('link', { name: 'Check the payment or pay now' }).click()
    await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
    // Asked for the way to the gateway, and no answer comes.
    let asked = 0
    const first = new Promise<void>((resolve) => (held = resolve))
    await page.route('**/api/payment/retry/', (route) =>
      asked++ === 0 ? held() : route.continue(),
    )
    await page.getByRole('button', { name: 'Pay ₹ 5,015 now' }).click()
    await first
    await page.clock.runFor(20_000)
    await page.waitForURL((url) => url.origin !== server.url)
    expect([await orderOf(page), asked]).toEqual([orderId, 2])

    // On the way back: paid, and the browser does not come home.
    const returns = '**/api/afpicon/airpay-response*'
    await page.route(returns, (route) => route.abort())
    await Promise.all([page.waitForEvent('requestfailed'), atGateway(page, 'Pay')])
    await page.unroute(returns)
    // The browser is still on its way to the page that says so.
    const arrives = () =>
      page.goto(`${server.url}/afpicon/payment/success?orderId=${orderId}`).then(
        () => true,
        () => false,
      )
    await expect.poll(arrives, { timeout: 200_000 }).toBe(true)
    await page
      .getByRole('heading', { name: 'Registration Confirmed' })
      .waitFor({ timeout: 200_000 })

    const db = new Database(join(server.dataDir, 'rollcall.db'), { readonly: true })
    const count = (sql: string): unknown =>
      db.prepare(`SELECT count(*) FROM (${sql})`).pluck().get(`%${'Lost Line'}%`)
    try {
      expect({
        registrations: count('SELECT 1 FROM registrations WHERE answers LIKE ?'),
        paid: count(
          "SELECT 1 FROM payments JOIN registrations ON registrations.id = registration_id WHERE answers LIKE ? AND payments.status = 'success'",
        ),
        proofs: count(
          'SELECT 1 FROM uploads JOIN registrations ON registrations.id = registration_id WHERE answers LIKE ?',
        ),
        mails: count(
          'SELECT 1 FROM mail_queue JOIN registrations ON registrations.id = registration_id WHERE answers LIKE ?',
        ),
      }).toEqual({ registrations: 1, paid: 1, proofs: 1, mails: 1 })
    } finally {
      db.close()
    }

    // Whoever comes back to the form is told; with the same address, beside the button too.
    await page.goto(server.url + FORM)
    const before = page.getByRole('region', { name: 'Already registered' })
    await before.getByText('Do you want to register someone else?').waitFor()
    await expect
      .poll(async () => plain(await before.textContent()))
      .toContain(`The number ends in ${orderId.slice(-4)}`)
    await fillIn(page, 'Dr. Lost Line')
    await main.getByText('You have already registered with this email address.').waitFor()
    await field(page, 'Email Address').fill('somebody.else@example.org')
    await main
      .getByText('You have already registered with this email address.')
      .waitFor({ state: 'hidden' })
    await context.close()
  })
})

/** Of a JPEG, by its frame: what a viewer that knows nothing of cameras sees. */
function sizeOf(jpeg: Buffer): { readonly width: number; readonly height: number } {
  for (let at = 2; at < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2))
    if (/^ff(c0|c1|c2)$/.test(jpeg.toString('hex', at, at + 2)))
      return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) }
  throw new Error('no frame')
}
