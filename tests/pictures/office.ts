/** The office: its pages, what it asks before an act, and what it shows once. */
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { atGateway, registeredByCall } from '../browser/delegate.ts'
import { ADMIN } from '../browser/serve.ts'
import { registeredByTransfer, tellPaid } from './results.ts'
import { asked, dialog, signedIn as signedInTo } from './session.ts'
import { NOW, to } from './state.ts'
import type { Pictured, State } from './state.ts'

const PASSWORD_OF_SOMEBODY = 'three words apart'

export const officeStates = (server: Pictured): readonly State[] => {
  const at = to(server)
  const began = Date.now()
  const signedIn = signedInTo(server)
  /** Some registration of the long list that stands so. */
  const someone = async (status: string): Promise<string> => {
    const { registrations } = (await asked(
      server,
      `/afpicon/admin/registrations/?payment_status=${status}&page_size=10`,
    )) as { registrations: { reg_no: string }[] }
    const [first] = registrations
    if (first === undefined) throw new Error(`nobody's payment is ${status}`)
    return first.reg_no
  }
  const openRegistration = async (page: Page, regNo: string): Promise<void> => {
    await signedIn(`/admin/afpicon2026/${regNo}`)(page)
    await page.locator('.state').waitFor()
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
  /** Somebody whose money does not fit; nothing is decided in any picture, so one serves them all. */
  let reviewed: string | null = null
  const inReview = async (page: Page): Promise<string> => {
    if (reviewed !== null) return reviewed
    const regNo = await registeredByCall(server.url, 'Dr. Example Review')
    await at(`/afpicon/payment/success?orderId=${regNo}`)(page)
    await page.getByRole('button', { name: /^Pay/ }).click()
    await atGateway(page, 'Pay a wrong amount')
    await page.getByRole('heading', { name: 'The organisers are checking' }).waitFor()
    return (reviewed = regNo)
  }
  const decision = (name: string, button: string): State => ({
    name: `office-act-${name}`,
    open: async (page) => {
      await openRegistration(page, await inReview(page))
      await page.getByRole('button', { name: button }).click()
      await dialog(page).waitFor()
    },
  })
  /** The desk's form of the conference that takes money there. */
  const addingAt = async (page: Page): Promise<void> => {
    await signedIn('/admin/lekhacon2027/add')(page)
    await page.getByRole('button', { name: 'Register' }).waitFor()
  }
  const tickTwo = async (page: Page): Promise<void> => {
    await signedIn('/admin/afpicon2026?payment_status=pending')(page)
    const boxes = page.getByRole('checkbox', { name: /^Select [A-Z]/ })
    await boxes.first().check()
    await boxes.nth(1).check()
    await page.getByRole('group', { name: 'Selected registrations' }).waitFor()
  }
  /** A bank's file, laid beside the registrations. */
  const statement = async (
    page: Page,
    lines: readonly string[],
    event = 'lekhacon2027',
  ): Promise<void> => {
    await signedIn(`/admin/${event}/reconcile`)(page)
    await page.getByLabel('Statement or settlement (CSV or Excel)').setInputFiles({
      name: 'statement.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\r\n')),
    })
    await page.getByRole('button', { name: 'Match payments' }).click()
  }
  const why = (page: Page) => dialog(page).getByLabel('Reason', { exact: true })

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
        await page.getByText('Sales').click()
        await page.getByRole('region', { name: 'Sales' }).getByRole('table').waitFor()
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
        await page.locator('.state').waitFor()
      },
    },
    {
      name: 'office-registration-in-review',
      open: async (page) => {
        await openRegistration(page, await inReview(page))
      },
    },
    {
      name: 'office-registration-told',
      open: async (page) => {
        const regNo = await registeredByTransfer(server, 'Dr. Example Confirm')
        await tellPaid(server, page, regNo)
        await signedIn(`/admin/lekhacon2027/${regNo}`)(page)
        await page.locator('.state').waitFor()
      },
    },
    {
      name: 'office-act-not-found',
      open: async (page) => {
        const regNo = await registeredByTransfer(server, 'Dr. Example Nowhere')
        await tellPaid(server, page, regNo)
        await signedIn(`/admin/lekhacon2027/${regNo}`)(page)
        await page.getByRole('button', { name: 'Payment not found', exact: true }).click()
        await dialog(page).waitFor()
      },
    },
    {
      name: 'office-bank-laid',
      open: async (page) => {
        const regNo = await registeredByTransfer(server, 'Dr. Example Matched')
        await tellPaid(server, page, regNo)
        await statement(page, [
          'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.',
          `12/01/26,IMPS CR DR EXAMPLE MATCHED MALABAR BANK THRISSUR,6012${regNo.slice(-8)},,"4,720.00"`,
          '12/01/26,INTEREST,000000000000,,12.00',
        ])
        await page.getByRole('heading', { name: 'Not matched (1)' }).waitFor()
      },
    },
    {
      name: 'office-bank-columns',
      open: async (page) => {
        await statement(page, ['When,What,How much', '12/01/26,SOMETHING,"4,720.00"'])
        await page.getByRole('form', { name: 'Columns of the file' }).waitFor()
      },
    },
    {
      name: 'office-settlement',
      open: async (page) => {
        const regNo = await registeredByCall(server.url, 'Dr. Example Settled')
        const utr = 'UTIBN26012000011'
        await statement(
          page,
          [
            'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type',
            `${regNo},188507935,1180.00,20.00,3.60,1156.40,${utr},12-01-2026,Sale`,
            `ELSEWHERE000000001,188507936,"3,540.00",60.00,10.80,"3,469.20",${utr},12-01-2026,Sale`,
            `ELSEWHERE000000001,188507937,590.00,0,0,590.00,${utr},12-01-2026,Refund`,
            `ELSEWHERE000000002,188507938,590.00,0,0,590.00,${utr},12-01-2026,Chargeback`,
          ],
          'afpicon2026',
        )
        await page.getByRole('heading', { name: 'Gateway settlement' }).waitFor()
      },
    },
    {
      name: 'office-money',
      open: async (page) => {
        await inReview(page)
        await signedIn('/admin/money')(page)
        await page
          .getByRole('group', { name: /^Review/ })
          .first()
          .waitFor()
      },
    },
    { name: 'office-adding', open: addingAt },
    {
      name: 'office-adding-refused',
      open: async (page) => {
        await addingAt(page)
        await page.getByLabel('Registering as').selectOption('member')
        await page.getByRole('button', { name: 'Register' }).click()
        await page.locator('[aria-invalid=true]').first().waitFor()
      },
    },
    {
      name: 'office-added',
      open: async (page) => {
        await addingAt(page)
        await page.getByLabel('Full name').fill('Dr. Example Desk')
        await page.getByLabel('Email').fill('example.desk@example.org')
        await page.getByLabel('Phone').fill('9847000001')
        await page.getByLabel('Registering as').selectOption('member')
        await page.getByLabel('Paid by').selectOption('cash')
        await page.getByLabel('Slip number').fill('17')
        await page.getByRole('button', { name: 'Register' }).click()
        await page.getByText('is registered and paid.').waitFor()
      },
    },
    {
      name: 'office-adding-sells',
      open: async (page) => {
        await signedIn('/admin/nidancon2027/add')(page)
        await page.getByRole('button', { name: 'Register' }).waitFor()
      },
    },
    { name: 'office-bank', open: signedIn('/admin/lekhacon2027/reconcile') },
    { name: 'office-registration-unknown', open: signedIn('/admin/afpicon2026/AFPI0000000000000') },
    act('note', 'success', 'Add note'),
    act('correct', 'success', 'Correct answers', async (page) => {
      await dialog(page).getByLabel('Answer to correct').selectOption('Full Name')
      await dialog(page).getByLabel('Full Name').fill('')
      await why(page).fill('Spelt wrongly.')
      await dialog(page).getByRole('button', { name: 'Correct answers' }).click()
      await dialog(page).getByRole('alert').waitFor()
    }),
    act('correct-price', 'success', 'Correct answers', async (page) => {
      const dearest = 'Non-AFPI – GP / Specialist'
      await dialog(page).getByLabel('Answer to correct').selectOption('Registration Category')
      const category = dialog(page).getByRole('combobox', { name: 'Registration Category' })
      const now = await category.locator('option:checked').textContent()
      await category.selectOption(now === dearest ? 'AFPI Member – Post Graduate' : dearest)
      await why(page).fill('Shows no card.')
      await dialog(page).getByRole('button', { name: 'Correct answers' }).click()
      await dialog(page).getByRole('alert').waitFor()
    }),
    act('cancel', 'success', 'Cancel registration'),
    act('transfer', 'success', 'Transfer to another person'),
    act('refund', 'success', 'Refund', (page) =>
      dialog(page).getByLabel('Refund method').selectOption('Already refunded outside Rollcall'),
    ),
    act('confirm', 'pending', 'Record payment'),
    act('send-link', 'pending', 'Send payment link'),
    act('resend', 'success', 'Resend confirmation'),
    act('erase', 'success', 'Erase personal data'),
    decision('accept', 'Accept as full payment'),
    decision('dismiss', 'Ignore (not ours)'),
    { name: 'office-ticked', open: tickTwo },
    {
      name: 'office-ticked-act',
      open: async (page) => {
        await tickTwo(page)
        await page.getByRole('button', { name: 'Send payment link' }).click()
        await dialog(page).waitFor()
      },
    },
    {
      name: 'office-list-tools',
      open: async (page) => {
        await signedIn('/admin/afpicon?payment_status=failed')(page)
        await page.getByText('Columns', { exact: true }).click()
        await page.getByRole('checkbox', { name: 'Designation' }).check()
        await page.getByText('Saved views', { exact: true }).click()
        await page.getByLabel('Name of the view').fill('Who failed')
      },
    },
    {
      name: 'office-dashboard-failed',
      open: async (page) => {
        await page.route('**/admin/dashboard/stats/', (route) => route.abort())
        await signedIn('/admin/dashboard')(page)
        await page.getByRole('alert').waitFor()
      },
    },
    { name: 'office-codes', open: signedIn('/admin/codes-of/nidancon2027') },
    {
      name: 'office-codes-made',
      open: async (page) => {
        await signedIn('/admin/codes-of/nidancon2027')(page)
        await page.getByLabel('Number of codes').fill('3')
        await page.getByLabel('Note for staff').fill('For the speakers of Saturday')
        await page.getByRole('button', { name: 'Create codes' }).click()
        await page.getByText('3 codes created:').waitFor()
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
        const adding = page.getByRole('region', { name: 'Invite' })
        await adding.getByLabel('Username').fill('sita')
        await adding.getByLabel('Role').selectOption('desk')
        await adding.getByLabel('All events, including future ones').uncheck()
        await adding.getByLabel('AFPICON 2026').check()
        await adding.getByRole('button', { name: 'Create invitation link' }).click()
        await page.getByText(/\/admin\/password#/).waitFor()
        await page.getByText('Change sita').click()
        await page.getByRole('form', { name: 'Permissions of sita' }).waitFor()
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
        await page.getByRole('button', { name: 'Create password link' }).click()
        const link = await page.getByText(/\/admin\/password#/).innerText()
        await page.goto(link)
        await page.getByText('You will sign in as sita.').waitFor()
        await page.getByLabel('Password', { exact: true }).fill('sita2026')
        await page.getByRole('button', { name: 'Set password' }).click()
        await page.getByText('A password must be', { exact: false }).waitFor()
      },
    },
    { name: 'office-activity', open: signedIn('/admin/activity') },
    { name: 'office-mails', open: signedIn('/admin/mails') },
    { name: 'office-event-files', open: signedIn('/admin/event-files') },
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
        await own.getByRole('button', { name: 'Set new password' }).click()
        await own.getByText('This password is wrong.').waitFor()
      },
    },
    {
      name: 'office-account-secret',
      open: async (page) => {
        await signedIn('/admin/account')(page)
        const factor = page.getByRole('region', { name: 'Two-step sign-in' })
        await factor.getByLabel('Your password').fill(ADMIN.password)
        await factor.getByRole('button', { name: 'Show QR code' }).click()
        await factor.getByRole('img', { name: /QR code/ }).waitFor()
      },
    },
    // The last but one, because from now on a code is asked for.
    {
      name: 'office-account-recovery-codes',
      open: async (page) => {
        await signedIn('/admin/account')(page)
        const factor = page.getByRole('region', { name: 'Two-step sign-in' })
        await factor.getByLabel('Your password').fill(ADMIN.password)
        await factor.getByRole('button', { name: 'Show QR code' }).click()
        const secret = await factor.getByText(/^[A-Z2-7 ]{39}$/).innerText()
        const code = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({
          timestamp: Date.parse(NOW) + Date.now() - began,
        })
        await factor.getByLabel('Code from the app').fill(code)
        await factor.getByRole('button', { name: 'Turn on' }).click()
        await factor.getByText('Two-step sign-in is on.').waitFor()
      },
    },
    {
      name: 'office-sign-in-code',
      open: async (page) => {
        await at('/admin/login')(page)
        await page.getByLabel('Username').fill(ADMIN.username)
        await page.getByLabel('Password').fill(ADMIN.password)
        await page.getByRole('button', { name: 'Sign In' }).click()
        await page.getByLabel('Code from your authenticator app').waitFor()
      },
    },
  ]
}
