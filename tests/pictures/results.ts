/** What becomes of a payment, as the delegate sees it: by the address that the gateway leads back to, and by a mailed link. */
import type { RegistrationAnswer } from '../../engine/index.ts'
import { atGateway, registeredByCall } from '../browser/delegate.ts'
import { linkToPay } from '../browser/serve.ts'
import { quoted } from './form.ts'
import { NOW, to, TODAY } from './state.ts'
import type { Pictured, State } from './state.ts'

type Answered = RegistrationAnswer['registration']
export const NUMBER = 'AFPI4839201755603'
const REGISTRATION: Answered = {
  full_name: 'Dr. Example Nair',
  email: 'example.nair@example.org',
  phone_number: '+91 98470 00001',
  ticket_type: 'afpi-pg',
  reg_no: NUMBER,
  order_id: NUMBER,
  payment_status: 'pending',
  in_review: false,
  failed_as: null,
  payment_date: null,
  created_at: `${TODAY}T09:00:00+05:30`,
  attempted_at: `${TODAY}T09:00:00+05:30`,
  category_label: 'AFPI Member – Post Graduate',
  ...quoted(6250),
  lines: [],
  stands: 'not-paid',
  held_until: '2026-01-26T00:00:00+05:30',
  review_since: null,
  second_payment: false,
  refunded_amount: 0,
  difference_due: 0,
  decide_by: null,
  may_pay: false,
}
const PAID = { payment_status: 'success', payment_date: NOW } as const
const STANDS: Readonly<Record<string, Partial<Answered>>> = {
  paid: { stands: 'complete', ...PAID },
  'paid-twice': { stands: 'complete', ...PAID, second_payment: true, refunded_amount: 1000 },
  'paid-in-part': { stands: 'complete', ...PAID, difference_due: 2360, may_pay: true },
  'pending-not-paid': { stands: 'not-paid', may_pay: true },
  'pending-at-bank': { stands: 'at-bank' },
  'pending-organisers': { stands: 'organisers', in_review: true, review_since: NOW },
  failed: { stands: 'failed', payment_status: 'failed', failed_as: 'declined', may_pay: true },
  refunded: { stands: 'refunded', payment_status: 'refunded', payment_date: NOW },
  cancelled: { stands: 'cancelled', ...PAID },
}

export const resultStates = (server: Pictured): readonly State[] => {
  const at = to(server)
  return [
    ...Object.entries(STANDS).map(([name, stands]): State => ({
      name: `result-${name}`,
      open: async (page) => {
        await page.route('**/registrations/**', (route) =>
          route.fulfill({
            json: { status: 'success', registration: { ...REGISTRATION, ...stands } },
          }),
        )
        await at(`/afpicon/payment/success?orderId=${NUMBER}`)(page)
        await page.locator('h2').first().waitFor()
      },
    })),
    { name: 'result-unknown', open: at('/afpicon/payment/success?orderId=AFPI2000000000009') },
    { name: 'result-failed-unknown', open: at('/afpicon/payment/failed') },
    {
      name: 'pay-due',
      open: async (page) => {
        const regNo = await registeredByCall(server.url, 'Dr. Example Linked')
        await page.goto(linkToPay(server, regNo, '2099-01-01'))
        await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
      },
    },
    {
      name: 'pay-paid',
      open: async (page) => {
        const regNo = await registeredByCall(server.url, 'Dr. Example Paid')
        const link = linkToPay(server, regNo, '2099-01-01')
        await page.goto(link)
        await page.getByRole('button', { name: /^Pay/ }).click()
        await atGateway(page, 'Pay')
        await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
        await page.goto(link)
        await page.getByRole('heading', { name: 'Registration Confirmed' }).waitFor()
      },
    },
    {
      name: 'pay-over',
      open: async (page) => {
        const regNo = await registeredByCall(server.url, 'Dr. Example Late')
        await page.goto(linkToPay(server, regNo, '2001-01-01'))
        await page.getByRole('alert').waitFor()
      },
    },
    { name: 'pay-unknown', open: at('/pay/nobody-knows-this-link') },
  ]
}
