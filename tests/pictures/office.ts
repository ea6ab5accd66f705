/** The office: its pages, what it asks before an act, and what it shows once. */
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { atGateway, registeredByCall } from '../browser/delegate.ts'
import { ADMIN } from '../browser/serve.ts'
import { registeredByTransfer, tellPaid } from './results.ts'
import { NOW, to } from './state.ts'
import type { Pictured, State } from './state.ts'

const PASSWORD_OF_SOMEBODY = 'three words apart'

export const officeStates = (server: Pictured): readonly State[] => {
  const at = to(server)
  const began = Date.now()
  /** One session for all pictures: what signs in costs more than what is looked at. */
  let session: Promise<readonly [name: string, value: string]> | null = null
  const signIn = async (): Promise<readonly [string, string]> => {
    const answer = await fetch(`${server.url}/admin/login/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ADMIN),
    })
    const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(/[=;]/)
    return [name, value]
  }
  const signedIn =
    (path: string): State['open'] =>
    async (page) => {
      const [name, value] = await (session ??= signIn())
      await page.context().addCookies([{ name, value, url: server.url, httpOnly: true }])
      await at(path)(page)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
  /** Some registration of the long list that stands so. */
  const someone = async (status: string): Promise<string> => {
    const [name, value] = await (session ??= signIn())
    const answer = await fetch(
      `${server.url}/afpicon/admin/registrations/?payment_status=${status}&page_size=10`,
      { headers: { cookie: `${name}=${value}` } },
    )
    const { registrations } = (await answer.json()) as { registrations: { reg_no: string }[] }
    const [first] = registrations
    if (first === undefined) throw new Error(`nobody's payment is ${status}`)
    return first.reg_no
  }
  const openRegistration = async (page: Page, regNo: string): Promise<void> => {
    await signedIn(`/admin/afpicon2026/${regNo}`)(page)
    await page.getByText('This registration is').waitFor()
  }
  /** What is asked before an act, once `then` has answered some of it. */
  const act = (
    name: string,
    status: string,
    button: string,
    then: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  ): State => ({
    name: `office-act-${name}`,
    open: async (page) => {
      await openRegistration(page, await someone(status))
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.getByRole('dialog').waitFor()
      await then(page)
    },
  })
  const dialog = (page: Page) => page.getByRole('dialog')
  const why = (page: Page) => dialog(page).getByLabel('Why', { exact: true })

  return [
    { name: 'office-sign-in', open: at('/admin/login') },
    {
      name: 'office-sign-in-refused',
      open: async (page) => {
        await at('/admin/login?next=/admin/afpicon2026')(page)
        await page.getByLabel('Username').fill('nobody')
        await page.getByLabel('Password').fill('nothing')
        await page.getByRole('button', { name: 'Sign In' }).click()
        await page.getByRole('alert').getByText('Invalid').waitFor()
      },
    },
    { name: 'office-dashboard', open: signedIn('/admin/dashboard') },
    { name: 'office-search', open: signedIn('/admin/search') },
    { name: 'office-search-hits', open: signedIn('/admin/search?q=dolor+golf') },
    { name: 'office-search-many', open: signedIn('/admin/search?q=dolor') },
    { name: 'office-search-none', open: signedIn('/admin/search?q=nobody+has+this+name') },
    { name: 'office-list', open: signedIn('/admin/afpicon2026') },
    {
      name: 'office-list-filtered',
      open: signedIn('/admin/afpicon2026?payment_status=pending&afpi_member=true&search=dolor'),
    },
    { name: 'office-list-empty', open: signedIn('/admin/afpicon2026?search=nobody+has+this+name') },
    {
      name: 'office-list-failed',
      open: async (page) => {
        await page.route('**/afpicon/admin/registrations/**', (route) => route.abort())
        await signedIn('/admin/afpicon2026')(page)
        await page.getByRole('alert').waitFor()
      },
    },
    { name: 'office-list-sells', open: signedIn('/admin/nidancon2027') },
    {
      name: 'office-sold',
      open: async (page) => {
        await signedIn('/admin/nidancon2027')(page)
        await page.getByText('Totals of what was sold').click()
        await page.getByRole('region', { name: 'What was sold' }).getByRole('table').waitFor()
      },
    },
    {
      name: 'office-registration',
      open: async (page) => openRegistration(page, await someone('success')),
    },
    {
      name: 'office-registration-sells',
      open: async (page) => {
        await signedIn('/admin/nidancon2027')(page)
        await page.locator('table a, .rows a').first().click()
        await page.getByText('This registration is').waitFor()
      },
    },
    {
      name: 'office-registration-in-review',
      open: async (page) => {
        const regNo = await registeredByCall(server.url, 'Dr. Example Review')
        await at(`/afpicon/payment/success?orderId=${regNo}`)(page)
        await page.getByRole('button', { name: /^Pay/ }).click()
        await atGateway(page, 'Pay a wrong amount')
        await page.getByRole('heading', { name: 'The organisers are checking' }).waitFor()
        await openRegistration(page, regNo)
      },
    },
    {
      name: 'office-registration-told',
      open: async (page) => {
        const regNo = await registeredByTransfer(server, 'Dr. Example Confirm')
        await tellPaid(server, page, regNo)
        await signedIn(`/admin/lekhacon2027/${regNo}`)(page)
        await page.getByText('This registration is').waitFor()
      },
    },
    { name: 'office-bank', open: signedIn('/admin/lekhacon2027/reconcile') },
    { name: 'office-registration-unknown', open: signedIn('/admin/afpicon2026/AFPI0000000000000') },
    act('note', 'success', 'Write a note'),
    act('correct', 'success', 'Correct an answer', async (page) => {
      await dialog(page).getByLabel('Which answer').selectOption('Full Name')
      await dialog(page).getByLabel('Full Name').fill('')
      await why(page).fill('Spelt wrongly.')
      await dialog(page).getByRole('button', { name: 'Correct an answer' }).click()
      await dialog(page).getByRole('alert').waitFor()
    }),
    act('correct-price', 'success', 'Correct an answer', async (page) => {
      const dearest = 'Non-AFPI – GP / Specialist'
      await dialog(page).getByLabel('Which answer').selectOption('Registration Category')
      const category = dialog(page).getByRole('combobox', { name: 'Registration Category' })
      const now = await category.locator('option:checked').textContent()
      await category.selectOption(now === dearest ? 'AFPI Member – Post Graduate' : dearest)
      await why(page).fill('Shows no card.')
      await dialog(page).getByRole('button', { name: 'Correct an answer' }).click()
      await dialog(page).getByRole('alert').waitFor()
    }),
    act('cancel', 'success', 'Cancel registration'),
    act('transfer', 'success', 'Transfer'),
    act('refund', 'success', 'Refund', (page) =>
      dialog(page).getByLabel('How it goes back').selectOption('It has gone back by hand'),
    ),
    act('confirm', 'pending', 'Confirm a payment'),
    act('send-link', 'pending', 'Send a link to pay'),
    { name: 'office-codes', open: signedIn('/admin/codes-of/nidancon2027') },
    {
      name: 'office-codes-made',
      open: async (page) => {
        await signedIn('/admin/codes-of/nidancon2027')(page)
        await page.getByLabel('How many').fill('3')
        await page.getByLabel('Note for the office').fill('For the speakers of Saturday')
        await page.getByRole('button', { name: 'Make Codes' }).click()
        await page.getByText('3 codes were made').waitFor()
        await page
          .getByRole('button', { name: /^Withdraw/ })
          .first()
          .click()
      },
    },
    {
      name: 'office-people',
      open: async (page) => {
        await signedIn('/admin/people')(page)
        const adding = page.getByRole('region', { name: 'Add somebody' })
        await adding.getByLabel('Username').fill('sita')
        await adding.getByLabel('Role').selectOption('desk')
        await adding.getByLabel('All of them').uncheck()
        await adding.getByLabel('AFPICON 2026').check()
        await adding.getByRole('button', { name: 'Add and Make a Link' }).click()
        await page.getByText(/\/admin\/password#/).waitFor()
        await page.getByText('Change sita').click()
        await page.getByRole('form', { name: 'What sita may' }).waitFor()
      },
    },
    {
      name: 'office-people-remove',
      open: async (page) => {
        await signedIn('/admin/people')(page)
        await page.getByText('Change sita').click()
        await page.getByRole('button', { name: 'Remove', exact: true }).click()
        await dialog(page).waitFor()
      },
    },
    {
      name: 'office-password',
      open: async (page) => {
        await signedIn('/admin/people')(page)
        await page.getByText('Change sita').click()
        await page.getByRole('button', { name: 'Link for a New Password' }).click()
        const link = await page.getByText(/\/admin\/password#/).innerText()
        await page.goto(link)
        await page.getByText('You will sign in as sita.').waitFor()
        await page.getByLabel('Password', { exact: true }).fill('sita2026')
        await page.getByRole('button', { name: 'Set Password' }).click()
        await page.getByText('A password must be', { exact: false }).waitFor()
      },
    },
    { name: 'office-activity', open: signedIn('/admin/activity') },
    {
      name: 'office-page-not-found',
      open: signedIn('/admin/nowhere-at-all'),
    },
    {
      name: 'office-account',
      open: async (page) => {
        await signedIn('/admin/account')(page)
        const own = page.getByRole('form', { name: 'Change your password' })
        await own.getByLabel('Your password').fill('not this one')
        await own.getByLabel('New password').fill(PASSWORD_OF_SOMEBODY)
        await own.getByRole('button', { name: 'Set New Password' }).click()
        await own.getByText('This is not your password.').waitFor()
      },
    },
    {
      name: 'office-account-secret',
      open: async (page) => {
        await signedIn('/admin/account')(page)
        const factor = page.getByRole('region', { name: 'Second factor' })
        await factor.getByLabel('Your password').fill(ADMIN.password)
        await factor.getByRole('button', { name: 'Show the Code to Scan' }).click()
        await factor.getByRole('img', { name: /QR code/ }).waitFor()
      },
    },
    // The last but one, because from now on a code is asked for.
    {
      name: 'office-account-recovery-codes',
      open: async (page) => {
        await signedIn('/admin/account')(page)
        const factor = page.getByRole('region', { name: 'Second factor' })
        await factor.getByLabel('Your password').fill(ADMIN.password)
        await factor.getByRole('button', { name: 'Show the Code to Scan' }).click()
        const secret = await factor.getByText(/^[A-Z2-7 ]{39}$/).innerText()
        const code = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({
          timestamp: Date.parse(NOW) + Date.now() - began,
        })
        await factor.getByLabel('Code that the app shows now').fill(code)
        await factor.getByRole('button', { name: 'Switch On' }).click()
        await factor.getByText('The second factor is on.').waitFor()
      },
    },
    {
      name: 'office-sign-in-code',
      open: async (page) => {
        await at('/admin/login')(page)
        await page.getByLabel('Username').fill(ADMIN.username)
        await page.getByLabel('Password').fill(ADMIN.password)
        await page.getByRole('button', { name: 'Sign In' }).click()
        await page.getByLabel('Code of your authenticator app').waitFor()
      },
    },
  ]
}
