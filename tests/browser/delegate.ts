/** What a delegate does on a form, by label and role. All people here are made up. */
import { expect } from 'vitest'
import type { Locator, Page, Route } from 'playwright-core'
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'

export const FORM = '/afpicon2026'
export const PG = 'AFPI Member – Post Graduate'
export const INTERN = 'Intern / MBBS Student / Accompanying Person'

/** A PDF that is one: small, but with the marks that a reader looks for. */
export const PROOF = {
  name: 'bonafide certificate.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from(
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ),
} as const

/** Spaces as they are read: the no-break space of an amount is one. */
export const plain = (text: string | null): string =>
  (text ?? '').replaceAll(/[\s\u00a0\u202f]+/g, ' ').trim()

/** Whether the form's script has taken the page over: then it fetches the faces that were held back. */
export const isTaken = (page: Page): Promise<boolean> =>
  page.evaluate((id) => document.getElementById(id) === null, FONTS_ELEMENT_ID)

/** Waits until it has. A form that the server had no time to draw is drawn by the script itself. */
export const takenOver = (page: Page): Promise<void> =>
  page.locator(`#${FONTS_ELEMENT_ID}`).waitFor({ state: 'detached' })

/** A list of labels and values as it stands on the page, read at one moment. */
export async function ledger(where: Locator): Promise<Readonly<Record<string, string>>> {
  const [labels, values] = await where
    .locator('dt, dd')
    .evaluateAll((found) =>
      ['DT', 'DD'].map((tag) =>
        found.filter(({ tagName }) => tagName === tag).map(({ textContent }) => textContent),
      ),
    )
  if (labels === undefined || values === undefined) return {}
  return Object.fromEntries(labels.map((label, at) => [plain(label), plain(values[at] ?? '')]))
}

export const summary = (page: Page): Locator =>
  page.getByRole('complementary', { name: 'Registration Summary' })
export const payButton = (page: Page): Locator =>
  page.getByRole('button', { name: /Proceed to Secure Payment|Processing Registration/ })
export const field = (page: Page, label: string): Locator =>
  page.getByRole('textbox', { name: label })
/** The list of problems at the top of a form that could not be sent. */
export const problems = (page: Page): Locator =>
  page.getByRole('group', { name: 'There is a problem' })

export type Delegate = {
  readonly name: string
  readonly email?: string
  readonly category: string
  readonly proof?: boolean
}

/** Fills in the form of the event at `FORM` and leaves it ready to be sent. */
export async function fillForm(
  page: Page,
  { name, email = 'made.up@example.org', category, proof = false }: Delegate,
): Promise<void> {
  // A tick that falls into the moment in which the script takes the form over can be lost.
  await takenOver(page)
  await field(page, 'Full Name').fill(name)
  await field(page, 'Email Address').fill(email)
  await field(page, 'Phone Number').fill('+91 98470 00000')
  await page.getByRole('radio', { name: category, exact: true }).check()
  if (proof) await page.locator('input[type=file]').setInputFiles(PROOF)
  await expect.poll(async () => (await ledger(summary(page)))['Total Amount'] ?? '').toContain('₹')
}

/** Registers as the form does, without drawing it: what is tested begins after it. Answers the order's number. */
export async function registeredByCall(url: string, name: string): Promise<string> {
  const answer = await fetch(`${url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: name,
      email: 'made.up@example.org',
      phone_number: '+91 98470 00000',
      ticket_type: 'intern-mbbs-accompanying',
    }),
  })
  expect(answer.status).toBe(201)
  const { reg_no } = (await answer.json()) as { readonly reg_no: string }
  return reg_no
}

/** Sends the form and arrives at the gateway's page. */
export async function proceed(page: Page): Promise<void> {
  await payButton(page).click()
  await page.waitForURL(/^http:\/\/(?!.*\/afpicon2026)/)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Presses one of the sandbox gateway's buttons. */
export const atGateway = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** The order id in the address of a result page. */
export const orderIdOf = (page: Page): string =>
  new URL(page.url()).searchParams.get('orderId') ?? ''

/** The page of a form as it comes where the server could not draw it: the browser does, and asks for the prices. */
export async function withoutPrices(route: Route): Promise<void> {
  const response = await route.fetch()
  const drawn = /"tariff":\{.*,"drawn":true/
  const html = await response.text()
  // A busy server sends it so by itself.
  if (!html.includes('"drawn":false')) expect(html).toMatch(drawn)
  await route.fulfill({ response, body: html.replace(drawn, '"tariff":null,"drawn":false') })
}

/** The order that the gateway's page is asking money for. */
export async function orderOf(page: Page): Promise<string> {
  const found = /AFPI\d{13}/.exec(plain(await page.locator('body').textContent()))
  return found?.[0] ?? ''
}
