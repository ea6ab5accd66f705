/** Actions of a delegate on a form. Controls are found by label and role; all names are invented. */
import { expect } from 'vitest'
import type { Locator, Page, Route } from 'playwright-core'
import { FONTS_ELEMENT_ID } from '../../engine/api.ts'

export const FORM_PATH = '/afpicon2026'
export const PG_CATEGORY = 'AFPI Member – Post Graduate'
export const INTERN_CATEGORY = 'Intern / MBBS Student / Accompanying Person'

/** A small valid PDF. */
export const PROOF_FILE = {
  name: 'bonafide certificate.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from(
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ),
} as const

/** Replaces no-break spaces, as in amounts, with spaces. */
export const toPlainText = (text: string | null): string =>
  (text ?? '').replaceAll(/[\s\u00a0\u202f]+/g, ' ').trim()

/** Returns whether the form is hydrated. Hydration loads the deferred fonts and removes their element. */
export const isHydrated = (page: Page): Promise<boolean> =>
  page.evaluate((id) => document.getElementById(id) === null, FONTS_ELEMENT_ID)

/** Waits for hydration. If the server was too busy to render the form, the form's script renders it. */
export const waitForHydration = (page: Page): Promise<void> =>
  page.locator(`#${FONTS_ELEMENT_ID}`).waitFor({ state: 'detached' })

/** Reads all labels and values of a list in one call, so that all come from the same render. */
export async function readData(list: Locator): Promise<Readonly<Record<string, string>>> {
  const [labels, values] = await list
    .locator('dt, dd')
    .evaluateAll((elements) =>
      ['DT', 'DD'].map((tag) =>
        elements.filter(({ tagName }) => tagName === tag).map(({ textContent }) => textContent),
      ),
    )
  if (labels === undefined || values === undefined) return {}
  return Object.fromEntries(
    labels.map((label, index) => [toPlainText(label), toPlainText(values[index] ?? '')]),
  )
}

export const findSummary = (page: Page): Locator =>
  page.getByRole('complementary', { name: 'Registration Summary' })
export const findPayButton = (page: Page): Locator =>
  page.getByRole('button', { name: /Proceed to Secure Payment|Processing Registration/ })
export const findField = (page: Page, label: string): Locator =>
  page.getByRole('textbox', { name: label })
/** Locates the error summary at the top of a form that has errors. */
export const locateErrorSummary = (page: Page): Locator =>
  page.getByRole('group', { name: 'There is a problem' })

export type Delegate = {
  readonly name: string
  readonly email?: string
  readonly category: string
  readonly hasProof?: boolean
}

/** Fills in the form at `FORM_PATH`, without submitting it. */
export async function fillForm(
  page: Page,
  { name, email = 'made.up@example.org', category, hasProof = false }: Delegate,
): Promise<void> {
  // A click during hydration can be lost.
  await waitForHydration(page)
  await findField(page, 'Full Name').fill(name)
  await findField(page, 'Email Address').fill(email)
  await findField(page, 'Phone Number').fill('+91 98470 00000')
  await page.getByRole('radio', { name: category, exact: true }).check()
  if (hasProof) await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
  await expect
    .poll(async () => (await readData(findSummary(page)))['Total Amount'] ?? '')
    .toContain('₹')
}

/** Registers through the API, for tests that begin after the form. Returns the order ID. */
export async function registerThroughApi(url: string, name: string): Promise<string> {
  const registerResponse = await fetch(`${url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: name,
      email: 'made.up@example.org',
      phone_number: '+91 98470 00000',
      ticket_type: 'intern-mbbs-accompanying',
    }),
  })
  expect(registerResponse.status).toBe(201)
  const { reg_no } = (await registerResponse.json()) as { readonly reg_no: string }
  return reg_no
}

/** Submits the form and waits for the gateway's page. */
export async function proceedToGateway(page: Page): Promise<void> {
  await findPayButton(page).click()
  await page.waitForURL(/^http:\/\/(?!.*\/afpicon2026)/)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Clicks a button of the sandbox gateway. */
export const clickAtGateway = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** Returns the order ID in the address of a result page. */
export const readOrderId = (page: Page): string =>
  new URL(page.url()).searchParams.get('orderId') ?? ''

/** Makes the server send an unrendered form, as a busy server does: the browser renders it and requests the prices. */
export async function removePrices(route: Route): Promise<void> {
  const response = await route.fetch()
  const renderedPrices = /"tariff":\{.*,"drawn":true/
  const html = await response.text()
  // If the server is busy, the form is already unrendered.
  if (!html.includes('"drawn":false')) expect(html).toMatch(renderedPrices)
  await route.fulfill({
    response,
    body: html.replace(renderedPrices, '"tariff":null,"drawn":false'),
  })
}

/** Returns the order shown on the gateway's page. */
export async function readGatewayOrder(page: Page): Promise<string> {
  const match = /AFPI\d{13}/.exec(toPlainText(await page.locator('body').textContent()))
  return match?.[0] ?? ''
}
