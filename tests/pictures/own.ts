/** A conference that looks at letters first, and whose delegates change their answers and cancel: their own page, and the office’s side of it. */
import { fixtureEvent, SEEN_FIRST, withLetter } from '../server/small-event.ts'
import type { Page } from 'playwright-core'
import { atGateway, PROOF } from '../browser/delegate.ts'
import { linkToPay } from '../browser/serve.ts'
import { actOf, dialog, signedIn } from './session.ts'
import type { Pictured, State } from './state.ts'

const ID = 'letters2027'
export const LETTERS_FILE = `${ID}.yaml`
export const LETTERS = withLetter(
  fixtureEvent({
    id: ID,
    prefix: 'LETT',
    title: 'Letters 2027',
    extra: `${SEEN_FIRST}cancellation:
  steps: [{until: 2026-01-31, refund: 75%}, {otherwise: none}]
edit: {until: 2026-02-20, fields: [phone_number]}
`,
    // The last of all: what the demo makes up for the others stays as it is.
  }).replaceAll('2026-03', '2027-03'),
  'Letter of the society',
)

/** Registers without drawing the form; a member has a letter. Answers the number. */
async function registered(server: Pictured, name: string, isMember: boolean): Promise<string> {
  const form = new FormData()
  form.append('full_name', name)
  form.append('email', `${name.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.org`)
  form.append('phone_number', '9847000000')
  form.append('is_member', String(isMember))
  if (isMember)
    form.append(
      'letter',
      new File([PROOF.buffer], 'letter of the society.pdf', { type: PROOF.mimeType }),
    )
  const answer = await fetch(`${server.url}/api/${ID}/register/`, { method: 'POST', body: form })
  const { reg_no: regNo } = (await answer.json()) as { readonly reg_no?: string }
  if (regNo === undefined) throw new Error(`nobody could register with a letter: ${answer.status}`)
  return regNo
}

const ownPage = (server: Pictured, page: Page, regNo: string): Promise<unknown> =>
  page.goto(linkToPay(server, regNo, '2099-01-01'))

/** Somebody who has paid, on the own page. */
async function paid(server: Pictured, page: Page, name: string): Promise<void> {
  const regNo = await registered(server, name, false)
  await ownPage(server, page, regNo)
  await page.getByRole('button', { name: /^Pay/ }).click()
  await atGateway(page, 'Pay')
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
  await ownPage(server, page, regNo)
  await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
}

export const ownStates = (server: Pictured): readonly State[] => {
  const asking = async (page: Page, name: string): Promise<void> => {
    await paid(server, page, name)
    await page.getByRole('button', { name: 'Request cancellation' }).click()
    await dialog(page).waitFor()
  }
  /** A registration whose letter waits, with the question before an act on it. */
  const deciding = (name: string, button: string): State => ({
    name: `office-act-${name}`,
    open: async (page) => {
      const regNo = await registered(server, `Dr. Example ${button}`, true)
      await signedIn(server)(`/admin/${ID}/${regNo}`)(page)
      await page.getByRole('button', { name: button, exact: true }).click()
      await dialog(page).waitFor()
    },
  })
  return [
    {
      name: 'own-to-approve',
      open: async (page) => {
        await ownPage(server, page, await registered(server, 'Dr. Example Waiting', true))
        await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor()
      },
    },
    {
      name: 'own-offer',
      open: async (page) => {
        const regNo = await registered(server, 'Dr. Example Offered', true)
        await actOf(server, regNo, {
          act: 'refuse',
          why: 'The letter is of another society.',
          offer: true,
        })
        await ownPage(server, page, regNo)
        await page.getByRole('button', { name: /^Accept Non-member/ }).waitFor()
      },
    },
    {
      name: 'own-change',
      open: async (page) => {
        await paid(server, page, 'Dr. Example Changing')
        await page.getByRole('button', { name: 'Change answers' }).click()
        await page.getByLabel('Phone Number').fill('')
        await page.getByRole('button', { name: 'Save changes' }).click()
        await page.getByRole('alert').first().waitFor()
      },
    },
    { name: 'own-cancel', open: (page) => asking(page, 'Dr. Example Leaving') },
    {
      name: 'own-cancel-asked',
      open: async (page) => {
        await asking(page, 'Dr. Example Ill')
        await dialog(page).getByRole('textbox').fill('I am ill.')
        await dialog(page).getByRole('button', { name: 'Request cancellation' }).click()
        await page.getByText('You requested cancellation on').waitFor()
      },
    },
    deciding('approve', 'Approve'),
    deciding('refuse', 'Refuse'),
  ]
}
