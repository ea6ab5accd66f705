/** The staff pages, the dialogs that open before an action, and pages that are shown only once. */
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { clickAtGateway, registerThroughApi } from '../browser/delegate.ts'
import { instant, readInstant, toAmount } from '../../engine/index.ts'
import type { RegNo } from '../../engine/index.ts'
import { openStore } from '../../server/storage/open-store.ts'
import { ADMIN } from '../browser/serve.ts'
import { registerByTransfer, claimPayment } from './results.ts'
import { callApi, findDialog, openSignedIn } from './session.ts'
import { NOW, openPath } from './state.ts'
import type { PictureServer, PictureState } from './state.ts'
import { findAddButton, pressAction } from '../browser/office/registration-page.ts'

const STAFF_PASSWORD = 'three words apart'

export const listOfficeStates = (server: PictureServer): readonly PictureState[] => {
  const openAt = openPath(server)
  const startedAt = Date.now()
  const openSignedInPage = openSignedIn(server)
  /** Returns the number of the first registration with this payment status in the long list. */
  const findRegNo = async (status: string): Promise<string> => {
    const { registrations } = (await callApi(
      server,
      `/afpicon/admin/registrations/?payment_status=${status}&page_size=10`,
    )) as { registrations: { reg_no: string }[] }
    const [firstRegistration] = registrations
    if (firstRegistration === undefined) throw new Error(`no payment is ${status}`)
    return firstRegistration.reg_no
  }
  const openRegistration = async (page: Page, regNo: string): Promise<void> => {
    await openSignedInPage(`/admin/events/afpicon2026/registrations/${regNo}`)(page)
    await page.locator('.state').waitFor()
  }
  /** Builds a state that shows an action's dialog, after `prepareDialog` has filled in part of it. */
  const buildActionState = (
    name: string,
    status: string,
    button: string,
    prepareDialog: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  ): PictureState => ({
    name: `office-act-${name}`,
    open: async (page) => {
      await openRegistration(page, await findRegNo(status))
      await pressAction(page, button)
      await page.getByRole('dialog').waitFor()
      await prepareDialog(page)
    },
  })
  /** A registration whose payment needs review. All pictures share it, because none of them decides on the payment. */
  let reviewedRegNo: string | null = null
  const findReviewedRegNo = async (page: Page): Promise<string> => {
    if (reviewedRegNo !== null) return reviewedRegNo
    const regNo = await registerThroughApi(server.url, 'Dr. Example Review')
    await openAt(`/afpicon/payment/success?orderId=${regNo}`)(page)
    await page.getByRole('button', { name: /^Pay/ }).click()
    await clickAtGateway(page, 'Pay the wrong amount')
    await page.getByRole('heading', { name: 'The organisers are checking' }).waitFor()
    return (reviewedRegNo = regNo)
  }
  /** Records that a bank disputes a payment, and returns the registration number. */
  const disputePayment = async (): Promise<RegNo> => {
    const regNo = (await findRegNo('success')) as RegNo
    const store = await openStore({ dataDir: server.dataDir })
    try {
      const registration = await store.registration(regNo)
      const [payment] = registration?.payments ?? []
      if (payment === undefined) throw new Error(`${regNo} has no payment`)
      const at = readInstant(NOW) ?? instant(0)
      await store.addDispute('disp_Sample00000001', payment.orderId, at)
      await store.recordDispute(
        {
          disputeId: 'disp_Sample00000001',
          reference: 'pay_Sample00000001',
          amount: payment.amount,
          currency: payment.currency,
          deducted: toAmount(0),
          reason: 'services_not_provided',
          phase: 'chargeback',
          status: 'open',
          respondBy: instant(at + 7 * 24 * 3_600_000),
        },
        at,
      )
    } finally {
      await store.close()
    }
    return regNo
  }
  const buildDecisionState = (name: string, button: string): PictureState => ({
    name: `office-act-${name}`,
    open: async (page) => {
      await openRegistration(page, await findReviewedRegNo(page))
      await page.getByRole('button', { name: button }).click()
      await findDialog(page).waitFor()
    },
  })
  /** Opens the manual registration form of the conference that accepts payments at the desk. */
  const openAddForm = async (page: Page): Promise<void> => {
    await openSignedInPage('/admin/events/lekhacon2027/registrations/new')(page)
    await findAddButton(page).waitFor()
  }
  const selectTwoRows = async (page: Page): Promise<void> => {
    await openSignedInPage('/admin/afpicon2026?payment_status=pending')(page)
    const boxes = page.getByRole('checkbox', { name: /^Select [A-Z]/ })
    await boxes.first().check()
    await boxes.nth(1).check()
    await page.getByRole('group', { name: 'Selected registrations' }).waitFor()
  }
  /** Uploads a bank statement, and matches it with the registrations. */
  const importStatement = async (page: Page, lines: readonly string[]): Promise<void> => {
    await openSignedInPage('/admin/payments/statements')(page)
    await page.getByLabel('Bank statement (CSV or Excel)').setInputFiles({
      name: 'statement.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\r\n')),
    })
    await page.getByRole('button', { name: 'Match payments' }).click()
  }
  /** Uploads a gateway's settlement report, and matches it with an event's payments. */
  const importSettlement = async (
    page: Page,
    lines: readonly string[],
    event: string,
  ): Promise<void> => {
    await openSignedInPage(`/admin/payments/settlements?event=${event}`)(page)
    await page.getByLabel('Settlement report (CSV or Excel)').setInputFiles({
      name: 'settlement.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(lines.join('\r\n')),
    })
    await page.getByRole('button', { name: 'Match payments' }).click()
  }
  const findReasonField = (page: Page) => findDialog(page).getByLabel('Reason', { exact: true })

  return [
    { name: 'office-sign-in', open: openAt('/admin/login') },
    {
      name: 'office-sign-in-refused',
      open: async (page) => {
        await openAt('/admin/login?next=/admin/afpicon2026')(page)
        await page.getByLabel('Username').fill('nobody')
        await page.getByLabel('Password').fill('nothing')
        await page.getByRole('button', { name: 'Sign In' }).click()
        await page.getByRole('alert').getByText('Invalid').waitFor()
      },
    },
    { name: 'office-dashboard', open: openSignedInPage('/admin/dashboard') },
    { name: 'office-search', open: openSignedInPage('/admin/search') },
    { name: 'office-search-hits', open: openSignedInPage('/admin/search?q=dolor+golf') },
    { name: 'office-search-many', open: openSignedInPage('/admin/search?q=dolor') },
    { name: 'office-search-none', open: openSignedInPage('/admin/search?q=nobody+has+this+name') },
    { name: 'office-list', open: openSignedInPage('/admin/afpicon2026') },
    {
      name: 'office-list-filtered',
      open: openSignedInPage(
        '/admin/afpicon2026?payment_status=pending&afpi_member=true&search=dolor',
      ),
    },
    {
      name: 'office-list-empty',
      open: openSignedInPage('/admin/afpicon2026?search=nobody+has+this+name'),
    },
    {
      name: 'office-list-failed',
      open: async (page) => {
        await page.route('**/afpicon/admin/registrations/**', (route) => route.abort())
        await openSignedInPage('/admin/afpicon2026')(page)
        await page.getByRole('alert').waitFor()
      },
    },
    { name: 'office-list-sells', open: openSignedInPage('/admin/nidancon2027') },
    {
      name: 'office-sold',
      open: async (page) => {
        await openSignedInPage('/admin/events/nidancon2027/sales')(page)
        await page.getByRole('region', { name: 'Sales' }).getByRole('table').waitFor()
      },
    },
    {
      name: 'office-registration',
      open: async (page) => openRegistration(page, await findRegNo('success')),
    },
    {
      name: 'office-registration-sells',
      open: async (page) => {
        await openSignedInPage('/admin/nidancon2027')(page)
        await page.locator('table a, .rows a').first().click()
        await page.locator('.state').waitFor()
      },
    },
    {
      name: 'office-registration-in-review',
      open: async (page) => {
        await openRegistration(page, await findReviewedRegNo(page))
      },
    },
    {
      name: 'office-registration-disputed',
      open: async (page) => {
        await openRegistration(page, await disputePayment())
        await page.getByRole('heading', { name: 'Disputes' }).scrollIntoViewIfNeeded()
      },
    },
    {
      name: 'office-dashboard-disputed',
      open: async (page) => {
        await disputePayment()
        await openSignedInPage('/admin/dashboard')(page)
        await page.getByText('Disputed payments that need evidence').waitFor()
      },
    },
    {
      name: 'office-registration-told',
      open: async (page) => {
        const regNo = await registerByTransfer(server, 'Dr. Example Confirm')
        await claimPayment(server, page, regNo)
        await openSignedInPage(`/admin/events/lekhacon2027/registrations/${regNo}`)(page)
        await page.locator('.state').waitFor()
      },
    },
    {
      name: 'office-act-not-found',
      open: async (page) => {
        const regNo = await registerByTransfer(server, 'Dr. Example Nowhere')
        await claimPayment(server, page, regNo)
        await openSignedInPage(`/admin/events/lekhacon2027/registrations/${regNo}`)(page)
        await page.getByRole('button', { name: 'Mark payment as not found', exact: true }).click()
        await findDialog(page).waitFor()
      },
    },
    {
      name: 'office-bank-laid',
      open: async (page) => {
        const regNo = await registerByTransfer(server, 'Dr. Example Matched')
        await claimPayment(server, page, regNo)
        await importStatement(page, [
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
        await importStatement(page, ['When,What,How much', '12/01/26,SOMETHING,"4,720.00"'])
        await page.getByRole('form', { name: 'Columns of the file' }).waitFor()
      },
    },
    {
      name: 'office-settlement',
      open: async (page) => {
        const regNo = await registerThroughApi(server.url, 'Dr. Example Settled')
        const utr = 'UTIBN26012000011'
        await importSettlement(
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
        await findReviewedRegNo(page)
        await openSignedInPage('/admin/payments?tab=review')(page)
        await page
          .getByRole('group', { name: /^Review/ })
          .first()
          .waitFor()
      },
    },
    { name: 'office-adding', open: openAddForm },
    {
      name: 'office-adding-refused',
      open: async (page) => {
        await openAddForm(page)
        await page.getByLabel('Registering as').selectOption('member')
        await findAddButton(page).click()
        await page.locator('[aria-invalid=true]').first().waitFor()
      },
    },
    {
      name: 'office-added',
      open: async (page) => {
        await openAddForm(page)
        await page.getByLabel('Full name').fill('Dr. Example Desk')
        await page.getByLabel('Email').fill('example.desk@example.org')
        await page.getByLabel('Phone').fill('9847000001')
        await page.getByLabel('Registering as').selectOption('member')
        await page.getByLabel('Paid by').selectOption('cash')
        await page.getByLabel('Slip number').fill('17')
        await findAddButton(page).click()
        await page.getByText('has registered and paid.').waitFor()
      },
    },
    {
      name: 'office-adding-sells',
      open: async (page) => {
        await openSignedInPage('/admin/events/nidancon2027/registrations/new')(page)
        await findAddButton(page).waitFor()
      },
    },
    {
      name: 'office-bank',
      open: openSignedInPage('/admin/payments/statements'),
    },
    {
      name: 'office-registration-unknown',
      open: openSignedInPage('/admin/events/afpicon2026/registrations/AFPI0000000000000'),
    },
    buildActionState('correct', 'success', 'Edit answers', async (page) => {
      await findDialog(page).getByLabel('Answer to correct').selectOption('Full Name')
      await findDialog(page).getByLabel('Full Name').fill('')
      await findReasonField(page).fill('Spelt wrongly.')
      await findDialog(page).getByRole('button', { name: 'Edit answers' }).click()
      await findDialog(page).getByRole('alert').waitFor()
    }),
    buildActionState('correct-price', 'success', 'Edit answers', async (page) => {
      const highestCategory = 'Non-AFPI – GP / Specialist'
      await findDialog(page).getByLabel('Answer to correct').selectOption('Registration Category')
      const category = findDialog(page).getByRole('combobox', { name: 'Registration Category' })
      const currentCategory = await category.locator('option:checked').textContent()
      await category.selectOption(
        currentCategory === highestCategory ? 'AFPI Member – Post Graduate' : highestCategory,
      )
      await findReasonField(page).fill('Shows no card.')
      await findDialog(page).getByRole('button', { name: 'Edit answers' }).click()
      await findDialog(page).getByRole('alert').waitFor()
    }),
    buildActionState('cancel', 'success', 'Cancel registration'),
    buildActionState('transfer', 'success', 'Transfer to another person'),
    buildActionState('refund', 'success', 'Refund', (page) =>
      findDialog(page)
        .getByLabel('Refund method')
        .selectOption('Already refunded outside Rollcall'),
    ),
    buildActionState('confirm', 'pending', 'Record payment'),
    buildActionState('send-link', 'pending', 'Send payment link'),
    buildActionState('resend', 'success', 'Resend confirmation'),
    buildActionState('erase', 'success', 'Erase personal data'),
    buildDecisionState('accept', 'Accept as full payment'),
    buildDecisionState('dismiss', 'Ignore (not ours)'),
    { name: 'office-ticked', open: selectTwoRows },
    {
      name: 'office-ticked-act',
      open: async (page) => {
        await selectTwoRows(page)
        await page.getByRole('button', { name: 'Send payment link' }).click()
        await findDialog(page).waitFor()
      },
    },
    {
      name: 'office-list-tools',
      open: async (page) => {
        await openSignedInPage('/admin/afpicon?payment_status=failed')(page)
        await page.getByText('Columns', { exact: true }).click()
        await page.getByRole('checkbox', { name: 'Designation' }).check()
        await page.getByRole('navigation', { name: 'Views' }).getByText('Save view').click()
        await page.getByLabel('View name').fill('Who failed')
      },
    },
    {
      name: 'office-dashboard-failed',
      open: async (page) => {
        await page.route('**/admin/dashboard/stats/', (route) => route.abort())
        await openSignedInPage('/admin/dashboard')(page)
        await page.getByRole('alert').waitFor()
      },
    },
    { name: 'office-codes', open: openSignedInPage('/admin/events/nidancon2027/codes') },
    {
      name: 'office-codes-made',
      open: async (page) => {
        await openSignedInPage('/admin/events/nidancon2027/codes')(page)
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
        await openSignedInPage('/admin/team')(page)
        const inviteForm = page.getByRole('region', { name: 'Invite' })
        await inviteForm.getByLabel('Username').fill('sita')
        await inviteForm.getByLabel('Role').selectOption('desk')
        await inviteForm.getByLabel('All events, including future ones').uncheck()
        await inviteForm.getByLabel('AFPICON 2026').check()
        await inviteForm.getByRole('button', { name: 'Create invitation link' }).click()
        await page.getByText(/\/admin\/password#/).waitFor()
        await page.getByText('Change sita').click()
        await page.getByRole('form', { name: 'Permissions of sita' }).waitFor()
      },
    },
    {
      name: 'office-people-remove',
      open: async (page) => {
        await openSignedInPage('/admin/team')(page)
        await page.getByText('Change sita').click()
        await page.getByRole('button', { name: 'Remove', exact: true }).click()
        await findDialog(page).waitFor()
      },
    },
    {
      name: 'office-password',
      open: async (page) => {
        await openSignedInPage('/admin/team')(page)
        await page.getByText('Change sita').click()
        await page.getByRole('button', { name: 'Create password link' }).click()
        const link = await page.getByText(/\/admin\/password#/).innerText()
        await page.goto(link)
        await page.getByText('You will sign in as sita.').waitFor()
        await page.getByLabel('Password', { exact: true }).fill('sita2026')
        await page.getByRole('button', { name: 'Set password' }).click()
        await page.getByText('The password cannot be a username', { exact: false }).waitFor()
      },
    },
    { name: 'office-activity', open: openSignedInPage('/admin/audit-log') },
    { name: 'office-mails', open: openSignedInPage('/admin/system/emails') },
    { name: 'office-event-files', open: openSignedInPage('/admin/system/event-files') },
    {
      name: 'office-page-not-found',
      open: openSignedInPage('/admin/nowhere-at-all'),
    },
    {
      name: 'office-account',
      open: async (page) => {
        await openSignedInPage('/admin/account')(page)
        const passwordForm = page.getByRole('form', { name: 'Change your password' })
        await passwordForm.getByLabel('Current password').fill('not this one')
        await passwordForm.getByLabel('New password').fill(STAFF_PASSWORD)
        await passwordForm.getByRole('button', { name: 'Set new password' }).click()
        await passwordForm.getByText('Incorrect password.').waitFor()
      },
    },
    {
      name: 'office-account-secret',
      open: async (page) => {
        await openSignedInPage('/admin/account')(page)
        const twoStepForm = page.getByRole('region', { name: 'Two-step sign-in' })
        await twoStepForm.getByLabel('Current password').fill(ADMIN.password)
        await twoStepForm.getByRole('button', { name: 'Show QR code' }).click()
        await twoStepForm.getByRole('img', { name: /QR code/ }).waitFor()
      },
    },
    // Must be the second to last picture, because signing in requires a code from then on.
    {
      name: 'office-account-recovery-codes',
      open: async (page) => {
        await openSignedInPage('/admin/account')(page)
        const twoStepForm = page.getByRole('region', { name: 'Two-step sign-in' })
        await twoStepForm.getByLabel('Current password').fill(ADMIN.password)
        await twoStepForm.getByRole('button', { name: 'Show QR code' }).click()
        const secret = await twoStepForm.getByText(/^[A-Z2-7 ]{39}$/).innerText()
        const code = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({
          timestamp: Date.parse(NOW) + Date.now() - startedAt,
        })
        await twoStepForm.getByLabel('Code from the app').fill(code)
        await twoStepForm.getByRole('button', { name: 'Turn on' }).click()
        await twoStepForm.getByText('Two-step sign-in is on.').waitFor()
      },
    },
    {
      name: 'office-sign-in-code',
      open: async (page) => {
        await openAt('/admin/login')(page)
        await page.getByLabel('Username').fill(ADMIN.username)
        await page.getByLabel('Password').fill(ADMIN.password)
        await page.getByRole('button', { name: 'Sign In' }).click()
        await page.getByLabel('Code from your authenticator app').waitFor()
      },
    },
  ]
}
