/** An event with two card gateways: the bill's currency or the delegate's choice determines the gateway. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { showEvent } from '../../../../engine/authoring.ts'
import type { Instant } from '../../../../engine/index.ts'
import type { ListResponse, OfficeRegistrationResponse } from '../../../../engine/api.ts'
import { signIn } from '../../office/office.ts'
import {
  matchSettlements,
  readReportedSettlement,
} from '../../../../server/office/reconciliation/match-settlements.ts'
import {
  formatFormerAccount,
  loadSettlementAccounts,
} from '../../../../server/office/reconciliation/settlement-account.ts'
import { saveReport } from '../../../../server/office/reconciliation/settlement-import.ts'
import { lookUpOrder } from '../../../../server/payments/query-unknown-orders.ts'
import { openRazorpayServer } from './razorpay-server.ts'
import type { PlacedCheckout, RazorpayServer } from './razorpay-server.ts'

let server: RazorpayServer
beforeAll(async () => {
  server = await openRazorpayServer()
})
afterAll(() => server.close())

const FOREIGN_ANSWERS = { is_visitor: 'true' }
const placeCheckout = (answers: Readonly<Record<string, string>>): Promise<PlacedCheckout> =>
  server.registerFor('razortwo', answers)
const findAttempt = async (orderId: string) => {
  const registration = await server.parts().deps.store.registrationByOrder(orderId)
  const payment = registration?.payments.find((attempt) => attempt.orderId === orderId)
  return [payment?.gateway, payment?.account, payment?.merchantId]
}
/** Pays through Airpay's simulator, as the browser does. */
async function payByAirpay({ data, orderId }: PlacedCheckout): Promise<void> {
  const handOffResponse = await server.handOff(data)
  expect(handOffResponse.status).toBe(303)
  await server.sandbox().runAction(orderId, 'pay')
  await server.sandbox().idle()
  await server.waitForStatus(orderId, 'success')
}
async function payByRazorpay({ data, orderId }: PlacedCheckout): Promise<URL> {
  const fields = await server.simulator().run(await server.openCheckout(data), 'silent')
  return server.returnTo(orderId, fields)
}

describe('an event with two card gateways', () => {
  test('a bill in rupees is paid through the first gateway, and a bill in dollars through the gateway that accepts dollars', async () => {
    const rupeeCheckout = await placeCheckout({ way: 'airpay' })
    expect(rupeeCheckout.data['gateway']).toBe('airpay')
    expect((await findAttempt(rupeeCheckout.orderId)).slice(0, 2)).toEqual(['airpay', 'society'])
    await payByAirpay(rupeeCheckout)

    const dollarCheckout = await placeCheckout({
      ...FOREIGN_ANSWERS,
      way: 'razorpay',
      email: 'ravi@example.org',
    })
    expect(dollarCheckout.data['gateway']).toBe('razorpay')
    expect(await findAttempt(dollarCheckout.orderId)).toEqual([
      'razorpay',
      'society-abroad',
      'test:society-abroad',
    ])
    expect((await payByRazorpay(dollarCheckout)).pathname).toBe('/razortwo/success')
    expect(server.log.filter(({ hash }) => hash === 'wrong')).toEqual([])
    expect(server.readOrderState(dollarCheckout.orderId)).toMatchObject({
      status: 'success',
      review: null,
    })
  })

  test('a delegate who pays in rupees can choose the second gateway', async () => {
    const checkout = await placeCheckout({ way: 'razorpay', email: 'mira@example.org' })
    expect((await findAttempt(checkout.orderId)).slice(0, 2)).toEqual([
      'razorpay',
      'society-abroad',
    ])
    expect((await payByRazorpay(checkout)).pathname).toBe('/razortwo/success')
    expect(server.readOrderState(checkout.orderId)).toMatchObject({ status: 'success', returns: 1 })
    expect(
      server.rows(
        'SELECT DISTINCT gateway FROM gateway_notices WHERE order_id = ?',
        checkout.orderId,
      ),
    ).toEqual([{ gateway: 'razorpay' }])
  })

  test('a bill in dollars without a chosen method is not sent to the gateway for rupees', async () => {
    for (const answers of [
      FOREIGN_ANSWERS,
      { ...FOREIGN_ANSWERS, way: 'airpay' },
      { ...FOREIGN_ANSWERS, way: 'wire' },
    ]) {
      const refusal = await server.submit('razortwo', answers)
      expect([refusal.status, refusal.body.payment_data]).toEqual([422, undefined])
    }
  })

  test('a retry queries the gateway of the first attempt, and pays through it again', async () => {
    const first = await placeCheckout({ way: 'razorpay', email: 'sita@example.org' })
    await server.simulator().run(await server.openCheckout(first.data), 'decline')
    const retryResponse = await server.retry(first.orderId, 'sita@example.org')
    expect(retryResponse.body.payment_data?.['gateway']).toBe('razorpay')
  })

  test('a payment for an order that is missing from a restored backup is found at either gateway', async () => {
    const lostCheckout = await placeCheckout({ way: 'razorpay', email: 'lata@example.org' })
    await server.simulator().run(await server.openCheckout(lostCheckout.data), 'silent')
    const { store, events, gateway } = server.parts().deps
    const config = events.findById('razortwo')?.config
    if (config === undefined) throw new Error('the event is not served')
    const reviewedPayments: unknown[] = []
    const deps = {
      events,
      gateway,
      clock: (): Instant => server.now(),
      log: { info: () => {}, warn: () => {}, error: () => {} },
      store: {
        ...store,
        gatewayMessages: async () => [],
        postponeUnknownOrder: async () => {},
        closeUnknownOrder: async () => {},
        reviewUnknownPayment: async (unknownPayment: {
          readonly account: string
          readonly source: string
        }) => reviewedPayments.push([unknownPayment.source, unknownPayment.account]),
      },
    }
    expect(await lookUpOrder(deps as never, config, lostCheckout.orderId, 5000)).toBe('kept')
    expect(reviewedPayments).toEqual([['razorpay', 'society-abroad']])
  })

  test("lists, exports and the registration page show each payment's account, not only its method", async () => {
    const registerAndPay = async (answers: Readonly<Record<string, string>>, email: string) => {
      const checkout = await placeCheckout({ ...answers, email })
      await (answers['way'] === 'airpay' ? payByAirpay(checkout) : payByRazorpay(checkout))
      await server.waitForStatus(checkout.orderId, 'success')
      const registration = await server.parts().deps.store.registrationByOrder(checkout.orderId)
      return String(registration?.regNo)
    }
    const rupeeRegNo = await registerAndPay({ way: 'airpay' }, 'anu@example.org')
    const dollarRegNo = await registerAndPay(
      { ...FOREIGN_ANSWERS, way: 'razorpay' },
      'uma@example.org',
    )
    const office = await signIn({ ...server.parts(), now: server.now })
    const accounts = [
      [rupeeRegNo, 'airpay society'],
      [dollarRegNo, 'razorpay society-abroad'],
    ]
    const [header = '', ...rows] = (
      await office.get('/admin/export/?event_type=razortwo')
    ).body.split('\n')
    const column = header.trim().split(',').indexOf('Card account')
    expect(
      accounts.map(
        ([regNo = '']) =>
          rows
            .find((row) => row.includes(regNo))
            ?.trim()
            .split(',')[column],
      ),
    ).toEqual(accounts.map(([, account]) => account))
    const list = (
      await office.get('/admin/razortwo/registrations/?rows=listed')
    ).json<ListResponse>()
    const readRow = (regNo: string | undefined) =>
      list.registrations.find((row) => row.reg_no === regNo)?.['money.account']
    expect(accounts.map(([regNo]) => readRow(regNo))).toEqual(
      accounts.map(([, account]) => account),
    )
    const page = (
      await office.get(`/admin/registrations/${dollarRegNo}/`)
    ).json<OfficeRegistrationResponse>()
    expect(page.registration['money.account']).toBe(readRow(dollarRegNo))
    expect(page.payments[0]?.asked).toBe(
      'Sent to the payment gateway (razorpay, account society-abroad).',
    )
    // An event with one account has no such column.
    const otherHeader = (await office.get('/admin/export/?event_type=razorinr')).body.split('\n')[0]
    expect(otherHeader).not.toContain('Card account')
  })

  test('rollcall event show lists both gateways with their accounts', () => {
    const config = server.parts().deps.events.findById('razortwo')?.config
    if (config === undefined) throw new Error('the event is not served')
    const text = showEvent(config)
    expect(text).toMatch(/id: airpay\n.*\n +gateway: airpay\n +account: society\n/)
    expect(text).toMatch(/id: razorpay\n.*\n +gateway: razorpay\n +account: society-abroad\n/)
    expect(text).toContain('# Settings of the gateway razorpay:')
  })

  test("the pages' content security policy allows form submissions to both gateways", async () => {
    const response = await fetch(`${server.url}/razortwo`)
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const [way, email] of [
      ['airpay', 'a@example.org'],
      ['razorpay', 'b@example.org'],
    ] as const)
      expect(policy).toContain(
        new URL((await placeCheckout({ way, email })).data.payment_url).origin,
      )
  })

  test("the second account's settlement is compared with that account's payments, not with the first account's", async () => {
    const checkout = await placeCheckout({ way: 'razorpay', email: 'uma@example.org' })
    await payByRazorpay(checkout)
    const { deps } = server.parts()
    const config = deps.events.findById('razortwo')?.config
    if (config === undefined) throw new Error('the event is not served')
    const registration = await deps.store.registrationByOrder(checkout.orderId)
    const rows = [
      'Order ID,Transaction ID,Transaction Type,Amount,Fee,Tax,Net Amount,Settlement Date,UTR'.split(
        ',',
      ),
      [
        checkout.orderId,
        registration?.paymentId ?? '',
        'payment',
        '177.00',
        '3.54',
        '0.64',
        '172.82',
        '12-01-2026',
        'HDFC0009',
      ],
    ].map((cells, index) => ({ line: index + 1, cells }))
    const accounts = await loadSettlementAccounts(deps.store, config)
    const reportedSettlement = await readReportedSettlement(deps.store, accounts, rows)
    if (reportedSettlement === null) throw new Error('no settlement report')
    expect(reportedSettlement.settlementAccounts.reportAccount).toEqual({
      source: 'razorpay',
      account: 'society-abroad',
    })
    expect(reportedSettlement.settlementAccounts.others).toEqual([
      { source: 'airpay', account: 'society' },
    ])
    const viewer = { all: [config], user: { events: null } } as never
    // A payment from a report that was saved for the wrong account still counts once.
    const upload = {
      file: Buffer.from('wrong'),
      lines: reportedSettlement.report.lines,
      who: 'treasurer',
    }
    const wrongAccount = { source: 'airpay', account: 'society' }
    await saveReport(deps, config, wrongAccount, upload, viewer)
    expect(
      server.rows(
        'SELECT source, state FROM captures WHERE reference = ?',
        registration?.paymentId,
      ),
    ).toEqual([{ source: 'razorpay', state: 'fits' }])
    const settlement = await matchSettlements(
      deps,
      reportedSettlement.settlementAccounts,
      reportedSettlement.report,
      viewer,
    )
    expect(settlement.settled.map(({ as }) => as)).toEqual(['settled'])
    // Neither account is a former account of the event.
    expect(
      settlement.unsettledPayments.map(({ money }) =>
        formatFormerAccount(settlement.current, money),
      ),
    ).toEqual(settlement.unsettledPayments.map(() => null))
  })
  test('after the last day of the first card, a delegate who chose a transfer can pay by the other card', async () => {
    const email = 'veena@example.org'
    const { status, body } = await server.submit('razortwo', { way: 'wire', email })
    expect(status).toBe(201)
    server.setTime('2026-02-26T12:00:00+05:30')
    const { body: retried } = await server.retry(String(body.reg_no), email)
    expect(retried).toMatchObject({ payment_data: { gateway: 'razorpay' } })
    expect((await findAttempt(retried.payment_data?.orderid ?? '')).slice(0, 2)).toEqual([
      'razorpay',
      'society-abroad',
    ])
  })
})
