/** The result of a payment as the delegate sees it, after returning from the gateway or through an emailed link. */
import type { Page } from 'playwright-core'
import type { Day } from '../../engine/index.ts'
import type { RegistrationResponse } from '../../engine/api.ts'
import { clickAtGateway, registerThroughApi } from '../browser/delegate.ts'
import { createPaymentLink } from '../browser/serve.ts'
import { createQuote } from './form.ts'
import { NOW, openPath, TODAY } from './state.ts'
import type { PictureServer, PictureState } from './state.ts'

type RegistrationData = RegistrationResponse['registration']
export const REG_NO = 'AFPI4839201755603'
const REGISTRATION: RegistrationData = {
  full_name: 'Dr. Example Nair',
  email: 'example.nair@example.org',
  phone_number: '+91 98470 00001',
  ticket_type: 'afpi-pg',
  reg_no: REG_NO,
  order_id: REG_NO,
  payment_status: 'pending',
  in_review: false,
  failed_as: null,
  card_failed_as: null,
  payment_date: null,
  payment_id: null,
  created_at: `${TODAY}T09:00:00+05:30`,
  attempted_at: `${TODAY}T09:00:00+05:30`,
  category_label: 'AFPI Member – Post Graduate',
  ...createQuote(6250),
  lines: [],
  stands: 'not-paid',
  held_until: '2026-01-27T00:00:00+05:30',
  price_until: '2026-01-25' as Day,
  review_since: null,
  second_payment: false,
  refunded_amount: 0,
  difference_due: 0,
  decide_by: null,
  may_pay: false,
}
const PAID = { payment_status: 'success', payment_date: NOW } as const
const PAID_IN_FULL = { stands: 'complete', ...PAID } as const
const PAYMENT_STATES: Readonly<Record<string, Partial<RegistrationData>>> = {
  paid: PAID_IN_FULL,
  'paid-twice': { stands: 'complete', ...PAID, second_payment: true, refunded_amount: 1000 },
  'paid-in-part': { stands: 'complete', ...PAID, difference_due: 2360, may_pay: true },
  'pending-not-paid': { stands: 'not-paid', may_pay: true },
  'pending-at-bank': { stands: 'at-bank' },
  'pending-organisers': { stands: 'organisers', in_review: true, review_since: NOW },
  failed: { stands: 'failed', payment_status: 'failed', failed_as: 'declined', may_pay: true },
  'failed-given-back': {
    stands: 'failed',
    payment_status: 'failed',
    failed_as: 'given-back',
    may_pay: true,
  },
  refunded: { stands: 'refunded', payment_status: 'refunded', payment_date: NOW },
  cancelled: { stands: 'cancelled', ...PAID },
  'to-approve': { stands: 'to-approve', decide_by: '2026-01-14T00:00:00+05:30' },
  'not-approved': { stands: 'refused' },
  'by-hand': { stands: 'by-hand', may_pay: true },
  'by-hand-card-declined': { stands: 'by-hand', card_failed_as: 'declined', may_pay: true },
  told: { stands: 'told' },
  lapsed: { stands: 'lapsed', may_pay: true },
}

/** Registers a delegate who pays by bank transfer, and returns the registration number. */
export async function registerByTransfer(server: PictureServer, name: string): Promise<string> {
  const registerResponse = await fetch(`${server.url}/api/lekhacon2027/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: name,
      email: 'example.transfer@example.org',
      phone_number: '9847000000',
      registered_as: 'member',
      way: 'transfer',
    }),
  })
  const { reg_no: regNo } = (await registerResponse.json()) as { readonly reg_no?: string }
  if (regNo === undefined)
    throw new Error(`registration by transfer failed: ${registerResponse.status}`)
  return regNo
}

/** Opens the self-service page, and reports the payment there. */
export async function claimPayment(
  server: PictureServer,
  page: Page,
  regNo: string,
): Promise<void> {
  await page.goto(createPaymentLink(server, regNo, '2099-01-01'))
  await page.getByLabel('UTR number').fill(`6012${regNo.slice(-8)}`)
  await page.getByLabel('Date of transfer').fill(TODAY)
  await page.getByRole('button', { name: 'I have paid' }).click()
  await page.getByText('You reported a payment').waitFor()
}

export const listResultStates = (server: PictureServer): readonly PictureState[] => {
  const openAt = openPath(server)
  const mockRegistration = async (page: Page, data: Partial<RegistrationData>): Promise<void> => {
    await page.route('**/registrations/**', (route) =>
      route.fulfill({
        json: { status: 'success', registration: { ...REGISTRATION, ...data } },
      }),
    )
    await openAt(`/afpicon/payment/success?orderId=${REG_NO}`)(page)
    await page.locator('h2').first().waitFor()
  }
  return [
    ...Object.entries(PAYMENT_STATES).map(([name, paymentState]): PictureState => ({
      name: `result-${name}`,
      open: (page) => mockRegistration(page, paymentState),
    })),
    {
      name: 'result-paid-print',
      open: async (page) => {
        await mockRegistration(page, PAID_IN_FULL)
        await page.emulateMedia({ media: 'print' })
      },
    },
    {
      name: 'result-looking-up',
      open: async (page) => {
        // The request gets no response, so the page keeps loading.
        await page.route('**/registrations/**', () => {})
        await openAt(`/afpicon/payment/success?orderId=${REG_NO}`)(page)
        await page.getByRole('status').filter({ hasText: 'Loading your registration' }).waitFor()
      },
    },
    {
      name: 'result-unreachable',
      open: async (page) => {
        await page.route('**/registrations/**', (route) => route.abort())
        await openAt(`/afpicon/payment/success?orderId=${REG_NO}`)(page)
        await page.getByRole('alert').waitFor()
      },
    },
    {
      name: 'result-asks-email',
      open: async (page) => {
        await page.route('**/registrations/**', (route) =>
          route.fulfill({
            status: 403,
            json: {
              status: 'error',
              code: 'email_differs',
              message: 'This registration was made with another email address.',
            },
          }),
        )
        await openAt(`/afpicon/payment/success?orderId=${REG_NO}`)(page)
        await page.getByRole('heading', { name: 'Your email address' }).waitFor()
      },
    },
    {
      name: 'result-paid-partial',
      open: async (page) => {
        // Withheld values are missing from the response.
        const { email: _email, phone_number: _phone, ...withoutContact } = REGISTRATION
        await page.route('**/registrations/**', (route) =>
          route.fulfill({
            json: {
              status: 'success',
              registration: { ...withoutContact, ...PAID_IN_FULL },
              partial: true,
            },
          }),
        )
        await openAt(`/afpicon/payment/success?orderId=${REG_NO}`)(page)
        await page.getByText('This page shows only part of the registration').waitFor()
      },
    },
    {
      name: 'result-price-changed',
      open: async (page) => {
        await page.route('**/api/payment/retry/', (route) =>
          route.fulfill({
            status: 409,
            json: {
              status: 'error',
              code: 'price_moved',
              message: 'Changed',
              was: createQuote(6250),
              quote: createQuote(8000),
            },
          }),
        )
        await mockRegistration(page, { stands: 'not-paid', may_pay: true })
        await page.getByRole('button', { name: /^Pay/ }).click()
        await page.getByRole('dialog').waitFor()
      },
    },
    { name: 'result-unknown', open: openAt('/afpicon/payment/success?orderId=AFPI2000000000009') },
    { name: 'result-failed-unknown', open: openAt('/afpicon/payment/failed') },
    {
      name: 'pay-due',
      open: async (page) => {
        const regNo = await registerThroughApi(server.url, 'Dr. Example Linked')
        await page.goto(createPaymentLink(server, regNo, '2099-01-01'))
        await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
      },
    },
    {
      name: 'pay-paid',
      open: async (page) => {
        const regNo = await registerThroughApi(server.url, 'Dr. Example Paid')
        const link = createPaymentLink(server, regNo, '2099-01-01')
        await page.goto(link)
        await page.getByRole('button', { name: /^Pay/ }).click()
        await clickAtGateway(page, 'Pay')
        await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
        await page.goto(link)
        await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
      },
    },
    {
      name: 'pay-over',
      open: async (page) => {
        const regNo = await registerThroughApi(server.url, 'Dr. Example Late')
        await page.goto(createPaymentLink(server, regNo, '2001-01-01'))
        await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
      },
    },
    {
      name: 'pay-by-transfer',
      open: async (page) => {
        const regNo = await registerByTransfer(server, 'Dr. Example Transfer')
        await page.goto(createPaymentLink(server, regNo, '2099-01-01'))
        await page.getByRole('heading', { name: 'I have paid' }).waitFor()
        await page.getByRole('button', { name: 'I have paid' }).click()
        await page.getByRole('alert').first().waitFor()
      },
    },
    {
      name: 'pay-told',
      open: async (page) =>
        claimPayment(server, page, await registerByTransfer(server, 'Dr. Example Told')),
    },
    {
      name: 'pay-by-transfer-number-alone',
      open: async (page) => {
        const regNo = await registerByTransfer(server, 'Dr. Example Number')
        await openAt(`/lekhacon2027/registered?orderId=${regNo}`)(page)
        await page.locator('h2').first().waitFor()
      },
    },
    {
      name: 'pay-lost-link',
      open: async (page) => {
        await openAt('/my')(page)
        await page.getByRole('textbox').first().fill('example.transfer@example.org')
        await page.getByRole('main').getByRole('button').first().click()
        await page.getByRole('status').filter({ hasText: /\S/ }).first().waitFor()
      },
    },
    { name: 'pay-unknown', open: openAt('/pay/nobody-knows-this-link') },
  ]
}
