/** Payments from abroad, on PostgreSQL and SQLite: dollars by card, euros by transfer; gateways over HTTPS. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as mupdf from 'mupdf'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSandboxAccount } from '../../server/payments/gateways/airpay/simulator/simulator.ts'
import { createRazorpaySandboxAccount } from '../../server/payments/gateways/razorpay/simulator/simulator.ts'
import { addInvoices, addOfficeList } from '../server/small-event.ts'
import { hasPostgres, startPostgres } from '../server/storage/postgres-server.ts'
import type { PostgresServer } from '../server/storage/postgres-server.ts'
import { ALL_RUNS, registerThorough } from '../runs.ts'
import { addSessionCookie, launch, visit } from './browser.ts'
import type { Visit } from './browser.ts'
import { clickAtGateway, toPlainText, waitForHydration } from './delegate.ts'
import { pressAction } from './office/registration-page.ts'
import { openHttps, startGateway } from './gateway-process.ts'
import type { Certificate } from './gateway-process.ts'
import { findLink, openInbox } from './inbox.ts'
import type { Inbox } from './inbox.ts'
import { ADMIN, findFreePort, serveAsProcess, ROOT } from './serve.ts'
import type { TestServer } from './serve.ts'

const CLOCK = '2027-05-20T11:00:00+05:30'
const ACCOUNT = 'demo'

const readEvent = (id: string): string =>
  readFileSync(join(ROOT, 'tests', 'events', `${id}.yaml`), 'utf8')
/** Delegates from India pay in rupees through Airpay, and all others in dollars through Razorpay. */
const DOLLAR_EVENT = addOfficeList(addInvoices(readEvent('dunecon2027')), 'dunecon2027').replace(
  '    - id: card\n      gateway: airpay\n',
  `    - {id: card-abroad, label: International card, gateway: razorpay, account: ${ACCOUNT}, currencies: USD}
    - id: card
      label: Card
      gateway: airpay
`,
)
const EURO_EVENT = addOfficeList(readEvent('heidetage2027'), 'heidetage2027')
  .replace('refund: 80%', 'refund: 50%')
  .replace('cancellation:\n', 'cancellation:\n  charge: {EUR: 25}\n')

/** Creates a certificate for both gateway hosts. Its key is deleted with the folder. */
function createCertificate(folder: string): Certificate {
  const files = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') }
  const options =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1'
  execFileSync(
    'openssl',
    [...options.split(' '), '-keyout', files.key, '-out', files.certificate],
    { stdio: 'ignore' },
  )
  return files
}

const readText = async (page: Page): Promise<string> =>
  toPlainText(await page.locator('body').innerText())

const readPdf = (file: string): string =>
  toPlainText(
    mupdf.Document.openDocument(readFileSync(file), 'application/pdf')
      .loadPage(0)
      .toStructuredText('')
      .asText(),
  )
const findRegion = (page: Page, name: string): Locator => page.getByRole('region', { name })

/**
 * The databases to test on. Server and gateways are separate processes. Only `npm run thorough` tests the second
 * database.
 */
const DATABASES = [
  ...(hasPostgres ? ['PostgreSQL'] : []),
  ...(ALL_RUNS || !hasPostgres ? ['SQLite'] : []),
]
describe.each(DATABASES)('on %s', (database) => {
  let postgres: PostgresServer | null = null
  let folder: string
  let inbox: Inbox
  let server: TestServer
  let browser: Browser
  const addresses = { airpay: '', razorpay: '' }
  const formatHops = (kind: 'airpay' | 'razorpay'): string =>
    `${addresses[kind]}, ${addresses[kind].replace('localhost', '127.0.0.1')}`
  let publicUrl = ''
  const closers: (() => Promise<void>)[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-abroad-'))
    const certificate = createCertificate(folder)
    inbox = await openInbox()
    browser = await launch()
    const [port, publicPort] = [await findFreePort(), await findFreePort()]
    const appUrl = `http://127.0.0.1:${port}`
    publicUrl = `https://127.0.0.1:${publicPort}`
    closers.push(await openHttps(publicPort, port, certificate))
    for (const kind of ['airpay', 'razorpay'] as const) {
      const ports = [await findFreePort(), await findFreePort()] as const
      addresses[kind] = `https://localhost:${ports[0]}`
      closers.push(
        await startGateway({
          kind,
          ports,
          account: ACCOUNT,
          dataDir: join(folder, kind),
          app: { direct: appUrl, public: publicUrl },
          clock: CLOCK,
          ...certificate,
        }),
      )
    }
    const airpay = createSandboxAccount(ACCOUNT)
    const razorpay = createRazorpaySandboxAccount(ACCOUNT)
    if (database === 'PostgreSQL') postgres = await startPostgres()
    server = await serveAsProcess(
      {
        PORT: String(port),
        PUBLIC_URL: publicUrl,
        CLOCK,
        SMTP_URL: inbox.url,
        MAIL_FROM: 'office@sample.example',
        NODE_EXTRA_CA_CERTS: certificate.certificate,
        GATEWAY_MODE: 'airpay-test',
        AIRPAY_DEMO_USERNAME: airpay.username,
        AIRPAY_DEMO_PASSWORD: airpay.password,
        AIRPAY_DEMO_SECRET: airpay.secret,
        AIRPAY_DEMO_MERCHANT_ID: airpay.merchantId,
        RAZORPAY_DEMO_KEY_ID: razorpay.keyId,
        RAZORPAY_DEMO_KEY_SECRET: razorpay.keySecret,
        RAZORPAY_DEMO_WEBHOOK_SECRET: razorpay.webhookSecrets[0] ?? '',
        ...(postgres === null ? {} : { DATABASE_URL: await postgres.database('abroad') }),
      },
      ({ eventsDir }) => {
        for (const file of readdirSync(eventsDir))
          if (file.endsWith('2026.yaml') || file.endsWith('2025.yaml'))
            rmSync(join(eventsDir, file))
        const gatewaysFile = join(eventsDir, '_shared', 'gateways.yaml')
        writeFileSync(
          gatewaysFile,
          readFileSync(gatewaysFile, 'utf8')
            .replace('hops: [https://payments.airpay.co.in]', `hops: [${formatHops('airpay')}]`)
            .replaceAll(/https:\/\/[a-z.]*airpay\.co\.in/g, addresses.airpay)
            .replace(
              'hops: [https://api.razorpay.com, https://checkout.razorpay.com]',
              `hops: [${formatHops('razorpay')}]`,
            )
            .replaceAll('https://api.razorpay.com/v1/', `${addresses.razorpay}/razorpay/v1/`),
        )
        writeFileSync(join(eventsDir, 'dunecon2027.yaml'), DOLLAR_EVENT)
        writeFileSync(join(eventsDir, 'heidetage2027.yaml'), EURO_EVENT)
      },
    )
  })
  afterAll(async () => {
    await server.stop()
    for (const close of closers.splice(0)) await close()
    await inbox.close()
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const visitOverHttps = (): Promise<Visit> =>
    visit(browser, { privateWindow: true, ownCertificates: true })
  const openOffice = async (): Promise<Visit> => {
    const office = await visit(browser)
    await addSessionCookie(office.context, server.url, ADMIN)
    return office
  }
  async function fillForm(page: Page, event: string, name: string): Promise<string> {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@delegate.example`
    await page.goto(`${publicUrl}/${event}`)
    await waitForHydration(page)
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByRole('textbox', { name: 'Phone' }).fill('+49 30 1234567')
    await page.getByLabel('You may store my answers').check()
    return email
  }

  test('a foreign delegate pays USD 177 at Razorpay and gets an invoice with its value in rupees; a delegate from India pays at Airpay', async () => {
    const office = await openOffice()
    await office.page.goto(`${server.url}/admin/payments/settlements?event=dunecon2027`)
    const rates = office.page.getByRole('region', { name: 'Exchange rates' })
    await rates.getByLabel('Rate date').fill('2027-05-20')
    await rates.getByLabel('Rupees per unit').fill('84.50')
    await rates.getByLabel('Source').fill('Reference rate of the central bank')
    await rates.getByRole('button', { name: 'Save rate' }).click()
    await rates.getByText('1 USD = INR 84.50').waitFor()

    const { page, context, consoleErrors } = await visitOverHttps()
    const email = await fillForm(page, 'dunecon2027', 'Foreign Delegate')
    await page.getByLabel('Elsewhere').check()
    await page.getByLabel('International card').check()
    await expect.poll(() => readText(page)).toContain('US$ 177')
    await page.getByRole('button', { name: 'Register', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /^Pay US\$/ }).waitFor()
    expect(new URL(page.url()).origin).toBe(addresses.razorpay)
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByRole('heading', { name: 'You Are Registered' }).waitFor()
    await expect.poll(() => readText(page)).toContain('US$ 177')
    await page.goto(findLink(await inbox.waitForEmail(email, '/my/')))
    const [invoice] = await Promise.all([
      page.waitForEvent('download'),
      findRegion(page, 'Documents').getByRole('link', { name: 'Tax invoice DUNE/27-28/1' }).click(),
    ])
    const invoiceText = readPdf(await invoice.path())
    // 177 × 84.50, and its tax: 27 × 84.50.
    for (const part of ['US$ 177', '₹ 14,956.50', '84.50']) expect(invoiceText).toContain(part)

    await fillForm(page, 'dunecon2027', 'Rupee Delegate')
    await page.getByLabel('India', { exact: true }).check()
    await page.getByLabel('Card', { exact: true }).check()
    await page.getByRole('button', { name: 'Register', exact: true }).click()
    await clickAtGateway(page, 'Pay')
    await page.getByRole('heading', { name: 'You Are Registered' }).waitFor()
    await expect.poll(() => readText(page)).toContain('₹ 7,080')
    expect(consoleErrors).toEqual([])
    await context.close()
    await office.context.close()
  })

  // tests/server/registration/event-in-euro.test.ts covers the same steps without a browser.
  registerThorough(() => {
    test('a delegate pays euros by transfer, the payment is matched in a statement, and the refund is 50% less EUR 25', async () => {
      const { page, context, consoleErrors } = await visitOverHttps()
      const email = await fillForm(page, 'heidetage2027', 'Erika Beispiel')
      await page.getByLabel('Physician').check()
      await page.getByRole('button', { name: 'Register', exact: true }).click()
      await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
      const ownLink = findLink(await inbox.waitForEmail(email, '/my/'))
      const regNo = /HEID\d+/.exec(await readText(page))?.[0] ?? ''

      const { page: office, context: officeContext } = await openOffice()
      await office.goto(`${server.url}/admin/payments/statements`)
      await office.getByLabel('Account currency').selectOption('EUR')
      await office.getByLabel('Bank statement (CSV or Excel)').setInputFiles({
        name: 'statement.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          `Booking date;Purpose;Reference;Amount;Currency\r\n20.05.2027;${regNo} Beispiel;SEPA2027052000017;390,00;EUR\r\n`,
        ),
      })
      await office.getByRole('button', { name: 'Match payments' }).click()
      for (const [column, heading] of [
        ['Date received', 'Booking date'],
        ['Narration or description', 'Purpose'],
        ['Amount received (credit)', 'Amount'],
        ['Bank reference', 'Reference'],
      ] as const)
        await office.getByLabel(column).selectOption(heading)
      await office.getByRole('button', { name: 'Use these columns' }).click()
      await office.getByRole('button', { name: 'Confirm all exact matches (1)' }).click()
      await office.getByText('1 line assigned.').waitFor()
      await inbox.waitForEmail(email, 'you are registered for Heidetage 2027')

      await page.goto(ownLink)
      await page.getByRole('heading', { name: 'You Are Registered' }).waitFor()
      const cancelRegion = findRegion(page, 'If you cannot attend')
      await cancelRegion.getByRole('button', { name: 'Request cancellation' }).click()
      const dialog = page.getByRole('dialog')
      await expect.poll(async () => toPlainText(await dialog.innerText())).toContain('€ 170')
      await dialog.getByRole('textbox').fill('I am ill.')
      await dialog.getByRole('button', { name: 'Request cancellation' }).click()
      await cancelRegion.getByText('You requested cancellation on 20 May 2027').waitFor()

      await office.goto(`${server.url}/admin/events/heidetage2027/registrations/${regNo}`)
      const panel = findRegion(office, 'Actions')
      const officeDialog = office.getByRole('dialog')
      await pressAction(office, 'Cancel registration')
      await officeDialog.getByLabel('Reason').fill('Ill.')
      await officeDialog.getByRole('button', { name: 'Cancel registration', exact: true }).click()
      await panel.getByText('To refund: €\u00a0170', { exact: true }).waitFor()
      await pressAction(office, 'Refund')
      await officeDialog.getByLabel('Transfer reference or slip number').fill('SEPAOUT1')
      await officeDialog.getByLabel('Reason', { exact: true }).fill('Cancelled.')
      await officeDialog.getByRole('button', { name: 'Refund' }).click()
      await office.getByText('€\u00a0170 was refunded').first().waitFor()
      await inbox.waitForEmail(email, 'has been cancelled')
      await page.reload()
      await expect.poll(() => readText(page)).toContain('€ 170')
      expect(consoleErrors).toEqual([])
      await context.close()
      await officeContext.close()
    })
  })
})
