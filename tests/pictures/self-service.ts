/** Self-service and staff pages for a conference that reviews letters and allows changes and cancellation. */
import { buildFixtureEvent, APPROVAL_RULE, addMemberLetter } from '../server/small-event.ts'
import type { Page } from 'playwright-core'
import { clickAtGateway, PROOF_FILE } from '../browser/delegate.ts'
import { createPaymentLink } from '../browser/serve.ts'
import { performAction, findDialog, openSignedIn } from './session.ts'
import type { PictureServer, PictureState } from './state.ts'

const EVENT_ID = 'letters2027'
export const LETTERS_FILE = `${EVENT_ID}.yaml`
export const LETTERS_EVENT = addMemberLetter(
  buildFixtureEvent({
    id: EVENT_ID,
    prefix: 'LETT',
    title: 'Letters 2027',
    extra: `${APPROVAL_RULE}cancellation:
  steps: [{until: 2026-01-31, refund: 75%}, {otherwise: none}]
edit: {until: 2026-02-20, fields: [phone_number]}
`,
    // The event comes last, so that the demo data of the other events does not change.
  }).replaceAll('2026-03', '2027-03'),
  'Letter of the society',
)

/** Registers through the API, with a letter if the delegate is a member. Returns the registration number. */
async function registerDelegate(
  server: PictureServer,
  name: string,
  isMember: boolean,
): Promise<string> {
  const form = new FormData()
  form.append('full_name', name)
  form.append('email', `${name.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.org`)
  form.append('phone_number', '9847000000')
  form.append('is_member', String(isMember))
  if (isMember)
    form.append(
      'letter',
      new File([PROOF_FILE.buffer], 'letter of the society.pdf', { type: PROOF_FILE.mimeType }),
    )
  const registerResponse = await fetch(`${server.url}/api/${EVENT_ID}/register/`, {
    method: 'POST',
    body: form,
  })
  const { reg_no: regNo } = (await registerResponse.json()) as { readonly reg_no?: string }
  if (regNo === undefined)
    throw new Error(`registration with a letter failed: ${registerResponse.status}`)
  return regNo
}

const openSelfServicePage = (server: PictureServer, page: Page, regNo: string): Promise<unknown> =>
  page.goto(createPaymentLink(server, regNo, '2099-01-01'))

/** Opens the self-service page of a delegate who has paid. */
async function openAsPaidDelegate(server: PictureServer, page: Page, name: string): Promise<void> {
  const regNo = await registerDelegate(server, name, false)
  await openSelfServicePage(server, page, regNo)
  await page.getByRole('button', { name: /^Pay/ }).click()
  await clickAtGateway(page, 'Pay')
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await openSelfServicePage(server, page, regNo)
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
}

export const listSelfServiceStates = (server: PictureServer): readonly PictureState[] => {
  const requestCancellation = async (page: Page, name: string): Promise<void> => {
    await openAsPaidDelegate(server, page, name)
    await page.getByRole('button', { name: 'Request cancellation' }).click()
    await findDialog(page).waitFor()
  }
  /** Builds a state that shows an action's dialog for a registration whose letter awaits review. */
  const buildDecisionState = (name: string, button: string): PictureState => ({
    name: `office-act-${name}`,
    open: async (page) => {
      const regNo = await registerDelegate(server, `Dr. Example ${button}`, true)
      await openSignedIn(server)(`/admin/events/${EVENT_ID}/registrations/${regNo}`)(page)
      await page.getByRole('button', { name: button, exact: true }).click()
      await findDialog(page).waitFor()
    },
  })
  return [
    {
      name: 'own-to-approve',
      open: async (page) => {
        await openSelfServicePage(
          server,
          page,
          await registerDelegate(server, 'Dr. Example Waiting', true),
        )
        await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor()
      },
    },
    {
      name: 'own-offer',
      open: async (page) => {
        const regNo = await registerDelegate(server, 'Dr. Example Offered', true)
        await performAction(server, regNo, {
          act: 'refuse',
          why: 'The letter is from another society.',
          offer: true,
        })
        await openSelfServicePage(server, page, regNo)
        await page.getByRole('button', { name: /^Register as Non-member/ }).waitFor()
      },
    },
    {
      name: 'own-change',
      open: async (page) => {
        await openAsPaidDelegate(server, page, 'Dr. Example Changing')
        await page.getByRole('button', { name: 'Change answers' }).click()
        await page.getByLabel('Phone Number').fill('')
        await page.getByRole('button', { name: 'Save changes' }).click()
        await page.getByRole('alert').first().waitFor()
      },
    },
    { name: 'own-cancel', open: (page) => requestCancellation(page, 'Dr. Example Leaving') },
    {
      name: 'own-cancel-asked',
      open: async (page) => {
        await requestCancellation(page, 'Dr. Example Ill')
        await findDialog(page).getByRole('textbox').fill('I am ill.')
        await findDialog(page).getByRole('button', { name: 'Request cancellation' }).click()
        await page.getByText('You requested cancellation on').waitFor()
      },
    },
    buildDecisionState('approve', 'Approve'),
    buildDecisionState('refuse', 'Reject'),
  ]
}
