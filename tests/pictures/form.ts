/** The form in every state that a delegate can see, and its dialogs. */
import type { Page } from 'playwright-core'
import {
  findField,
  FORM_PATH,
  INTERN_CATEGORY,
  findPayButton,
  PG_CATEGORY,
  locateErrorSummary,
  PROOF_FILE,
} from '../browser/delegate.ts'
import { openPath } from './state.ts'
import type { PictureServer, PictureState } from './state.ts'

export const createQuote = (base: number) => ({
  category: 'afpi-pg',
  period: 'jan-1-jan-25',
  base,
  gst: base * 0.18,
  total: base * 1.18,
})

export async function openForm(server: PictureServer, page: Page): Promise<void> {
  await openPath(server)(FORM_PATH)(page)
  await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).waitFor()
}

/** Fills in the form, so that it can be submitted. */
export async function fillForm(
  server: PictureServer,
  page: Page,
  category = PG_CATEGORY,
): Promise<void> {
  await openForm(server, page)
  await findField(page, 'Full Name').fill('Dr. Example Nair')
  await findField(page, 'Email Address').fill('example.nair@example.org')
  await findField(page, 'Phone Number').fill('+91 98470 00001')
  await page.getByRole('radio', { name: category, exact: true }).check()
  if (category === PG_CATEGORY) await page.locator('input[type=file]').setInputFiles(PROOF_FILE)
  await page.getByText('We will send the confirmation to').waitFor()
}

/** Submits the form and makes the server return an error, which opens a dialog or shows a message. */
async function submitWithError(
  server: PictureServer,
  page: Page,
  status: number,
  response: object,
): Promise<void> {
  await page.route('**/register/', (route) =>
    route.fulfill({ status, json: { status: 'error', ...response } }),
  )
  await fillForm(server, page)
  await findPayButton(page).click()
}

const goToNextPage = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Next', exact: true }).click()
/** Finds the workshops with seats left. */
const findWorkshops = (page: Page) => page.locator('input[name=workshops]:enabled')

/** Fills in the first page of the conference whose form has several pages. */
async function fillFirstPage(server: PictureServer, page: Page): Promise<void> {
  await openPath(server)('/nidancon2027')(page)
  await findField(page, 'Full Name').fill('Dr. Example Nair')
  await findField(page, 'Email').fill('example.nair@example.org')
  await findField(page, 'Mobile Number').fill('98470 12345')
  await page.getByLabel('Date of Birth').fill('1980-05-17')
  await page.getByRole('radio', { name: 'a consultant' }).check()
  await findField(page, 'Medical Council Number').fill('K-12345')
  await page.getByLabel('State').selectOption('Kerala')
}
/** Opens the last page of that form, on which the delegate checks all answers. */
async function openLastPage(server: PictureServer, page: Page): Promise<void> {
  await fillFirstPage(server, page)
  await goToNextPage(page)
  await findWorkshops(page).first().check()
  await goToNextPage(page)
  await page.getByRole('button', { name: 'Add a person', exact: true }).click()
  await page.getByRole('textbox', { name: 'Person 1: Name' }).fill('Mini Example')
  await page.getByLabel('Person 1: Age').fill('45')
  await findField(page, 'Tickets for the gala dinner').fill('2')
  await goToNextPage(page)
  await page.getByRole('checkbox', { name: /The society may use these details/ }).check()
  await goToNextPage(page)
  await page.getByRole('heading', { level: 2, name: 'Check your answers' }).waitFor()
}

export const listFormStates = (server: PictureServer): readonly PictureState[] => {
  const openAt = openPath(server)
  /** Builds a state in which the given response opens a dialog on the last page of that form. */
  const buildDialogState = (name: string, response: object): PictureState => ({
    name,
    open: async (page) => {
      await page.route('**/register/', (route) =>
        route.fulfill({ status: 409, json: { status: 'error', ...response } }),
      )
      await openLastPage(server, page)
      await page.getByRole('button', { name: 'Proceed to Secure Payment' }).click()
      await page.getByRole('dialog').waitFor()
    },
  })
  return [
    { name: 'form-empty', open: (page) => openForm(server, page) },
    { name: 'form-filled', open: (page) => fillForm(server, page) },
    {
      name: 'form-errors',
      open: async (page) => {
        await openForm(server, page)
        await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
        await page.getByRole('switch', { name: 'AFPI Member' }).check()
        await findField(page, 'Email Address').fill('asha@gmial.com')
        await findPayButton(page).click()
        await locateErrorSummary(page).waitFor()
      },
    },
    {
      name: 'form-kept',
      open: async (page) => {
        await fillForm(server, page)
        await page.getByText(`${PROOF_FILE.name} uploaded`).waitFor({ state: 'attached' })
        await page.reload()
        await page.getByText('We saved your answers').waitFor()
      },
    },
    {
      name: 'form-cleared',
      open: async (page) => {
        await fillForm(server, page)
        await page.getByText(`${PROOF_FILE.name} uploaded`).waitFor({ state: 'attached' })
        await page.reload()
        await page.getByRole('button', { name: 'Clear form' }).click()
        await page.getByRole('button', { name: 'Undo' }).waitFor()
      },
    },
    {
      name: 'form-offline',
      open: async (page) => {
        await fillForm(server, page)
        await page.getByText(`${PROOF_FILE.name} uploaded`).waitFor({ state: 'attached' })
        await page.context().setOffline(true)
        await page.getByText('You are offline').waitFor()
        await findPayButton(page).click()
        await page.getByText('We could not reach our server').first().waitFor()
      },
    },
    {
      name: 'form-sent-before',
      open: async (page) => {
        await fillForm(server, page, INTERN_CATEGORY)
        await findPayButton(page).click()
        await page.waitForURL((url) => !url.href.startsWith(server.url))
        await page.goBack()
        await page.getByRole('region', { name: 'Your registration' }).waitFor()
      },
    },
    {
      name: 'form-price-changed',
      open: async (page) => {
        const quote = createQuote(8000)
        await submitWithError(server, page, 409, {
          code: 'price_changed',
          message: 'Changed',
          quote,
        })
        await page.getByRole('dialog').waitFor()
      },
    },
    buildDialogState('form-full', {
      code: 'full',
      message: 'All places for postgraduates are taken. You may register as a specialist.',
      place: 'trainees',
      left: 0,
      quote: {
        category: 'non-member',
        period: 'early',
        base: 15498,
        gst: 2789.64,
        total: 18287.64,
      },
    }),
    buildDialogState('form-registered-already', {
      code: 'registered_already',
      message:
        'A delegate with this email address has already registered. Are you registering again?',
      may_confirm: true,
    }),
    {
      name: 'form-full-without-a-way',
      open: async (page) => {
        await submitWithError(server, page, 409, {
          code: 'full',
          message: 'The hall is full. Please write to us if you would like to be told.',
          place: 'hall',
          left: 0,
          quote: null,
        })
        await page.getByText('The hall is full').first().waitFor()
      },
    },
    {
      name: 'form-refused',
      open: async (page) => {
        await submitWithError(server, page, 503, {
          code: 'busy',
          message: 'The server is busy. Please try again in a moment.',
        })
        await page.getByText('The server is busy').first().waitFor()
      },
    },
    {
      name: 'form-unpriced',
      open: async (page) => {
        await page.route('**/tariff-info/', (route) => route.abort())
        await page.route(`**${FORM_PATH}`, async (route) => {
          const response = await route.fetch()
          const html = await response.text()
          const body = html.replace(/"tariff":\{.*,"drawn":true/, '"tariff":null,"drawn":false')
          await route.fulfill({ response, body })
        })
        await openForm(server, page)
        await page.getByRole('button', { name: 'Try again' }).first().waitFor()
      },
    },
    {
      name: 'form-contradicts',
      open: async (page) => {
        await fillForm(server, page)
        await page.getByRole('radio', { name: 'Non-AFPI – Post Graduate', exact: true }).check()
        await page.getByRole('switch', { name: 'AFPI Member' }).check()
        await page.getByRole('button', { name: 'Check this answer' }).first().waitFor()
      },
    },
    {
      name: 'form-file-refused',
      open: async (page) => {
        await openForm(server, page)
        await page.getByRole('radio', { name: PG_CATEGORY, exact: true }).check()
        await page
          .locator('input[type=file]')
          .setInputFiles({ ...PROOF_FILE, name: 'a film of the certificate.mp4' })
        await page.getByText('a film of the certificate.mp4:').first().waitFor()
      },
    },
    {
      name: 'form-file-sending',
      open: async (page) => {
        await page.route(/\/proofs\/$/, () => {})
        await fillForm(server, page)
        await page.getByRole('progressbar').waitFor()
        await findPayButton(page).click()
      },
    },
    {
      name: 'form-sending',
      open: async (page) => {
        await page.route('**/register/', () => {})
        await fillForm(server, page, INTERN_CATEGORY)
        await findPayButton(page).click()
        await page.getByRole('button', { name: 'Processing Registration' }).waitFor()
      },
    },
    {
      name: 'form-unfolded',
      open: async (page) => {
        await page.setViewportSize({ width: 360, height: 740 })
        await fillForm(server, page, INTERN_CATEGORY)
        await page.getByRole('button', { name: /Details/ }).click()
      },
    },
    {
      name: 'form-menu',
      open: async (page) => {
        await openAt('/sevana2027')(page)
        await page.getByRole('combobox').last().press('ArrowDown')
        await page.getByRole('listbox').waitFor()
      },
    },
    { name: 'form-without-script', javaScript: false, open: openAt('/afpicon2026') },
    { name: 'form-chirurgia', open: openAt('/chirurgia2026') },
    { name: 'form-ended', open: openAt('/midzone2025') },
    { name: 'form-closed', open: openAt('/pulmocon2025') },
    { name: 'form-before-opening', open: openAt('/later2027') },
    { name: 'form-sells', open: openAt('/nidancon2027') },
    {
      name: 'form-sells-items',
      open: async (page) => {
        await fillFirstPage(server, page)
        await page.getByRole('button', { name: 'Have a code?' }).click()
        await page.getByRole('textbox', { name: 'Code', exact: true }).fill('no such code')
        await page.getByRole('button', { name: 'Apply code' }).click()
        await page.locator('[aria-invalid=true]').first().waitFor()
        await page.getByRole('textbox', { name: 'Code', exact: true }).fill('')
        await goToNextPage(page)
        await page.getByRole('heading', { level: 2, name: 'Programme' }).waitFor()
        await findWorkshops(page).first().check()
      },
    },
    {
      name: 'form-sells-to-check',
      open: (page) => openLastPage(server, page),
    },
    { name: 'form-scripts', open: openAt('/arogyam2027') },
    { name: 'form-free', open: openAt('/sevana2027') },
    { name: 'form-run', open: openAt('/nilarun2027') },
    {
      name: 'form-ways',
      open: async (page) => {
        await openAt('/lekhacon2027')(page)
        await page.getByRole('radio', { name: 'NEFT, IMPS or UPI' }).check()
      },
    },
    { name: 'form-webinar', open: openAt('/soiltalk2027') },
  ]
}
