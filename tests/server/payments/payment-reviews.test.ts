/**
 * Money that does not fit, seen and ended by people: the treasurer at the end of the month, with the office's calls and
 * with commands, while the sandbox gateway holds the money.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paise, reviewVersion } from '../../../engine/index.ts'
import type { PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { DecidedAnswer, ErrorAnswer, ReviewsAnswer, StatsAnswer } from '../../../engine/api.ts'
import { startDailyReviewEmail } from '../../../server/mail/send-daily-payment-reviews.ts'
import { startRefundEmails } from '../../../server/mail/send-refund-emails.ts'
import { decideReview } from '../../../server/payments/decide-payment-review.ts'
import { openPayments } from '../../../server/payments/poll-payments.ts'
import { main } from '../../../server/cli/run-command.ts'
import { plain } from '../cli/cli.ts'
import { cheapHash } from '../office/office.ts'
import { openRig } from './server-with-gateway.ts'
import type { Placed, Rig } from './server-with-gateway.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const PASSWORD = 'a password for tests'
let rig: Rig
let token: string
beforeAll(async () => {
  rig = await openRig()
  const { store } = rig.parts().deps
  await store.addAdmin('treasurer', await cheapHash(PASSWORD), rig.now())
})
afterAll(() => rig.close())

/** A session ends by idleness, and the tests' clock runs fast. */
const signIn = async (): Promise<void> => {
  const response = await fetch(`${rig.url}/admin/login/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'treasurer', password: PASSWORD }),
  })
  token = ((await response.json()) as { token: string }).token
}
const call = async <A>(path: string, body?: object): Promise<{ status: number; answer: A }> => {
  await signIn()
  const response = await fetch(`${rig.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, answer: (await response.json()) as A }
}
const reviews = async () =>
  (await call<ReviewsAnswer>('/admin/reviews/?event=afpicon2026')).answer.reviews
/** The version that a page shows now. */
const versionOf = async (id: string): Promise<string> => {
  const review = await rig.parts().deps.store.review(id)
  return review === null ? 'decided' : reviewVersion(review)
}
const decide = async (id: string, words: object) =>
  call<DecidedAnswer & ErrorAnswer>(`/admin/reviews/${id}/decide/`, {
    version: await versionOf(id),
    ...words,
  })
const refund = (regNo: string, words: object) =>
  call<DecidedAnswer & ErrorAnswer>(`/admin/registrations/${regNo}/refund/`, words)
const reconcile = () => rig.parts().deps.payments.reconcile()
const paid = async (): Promise<Placed> => {
  const placed = await rig.place()
  await rig.sandbox().runAction(placed.orderId, 'stay')
  await rig.settled()
  return placed
}
/** 7,079 came instead of 7,080. */
const misfit = async (): Promise<Placed & { readonly id: string }> => {
  const placed = await rig.place()
  await rig.sandbox().runAction(placed.orderId, 'wrong')
  await rig.settled()
  const review = (await reviews()).find(({ order_id: id }) => id === placed.orderId)
  if (review === undefined) throw new Error('no review')
  return { ...placed, id: review.id }
}
const why = 'Spoke to the delegate.'

describe('a payment that does not match', () => {
  test('is a refunded authorisation: the sale in the same response pays, and the delegate gets one email', async () => {
    const { orderId } = await rig.place()
    const { deps } = rig.parts()
    const [{ amount } = { amount: 0 }] = rig.rows(
      'SELECT amount FROM payments WHERE order_id = ?',
      orderId,
    )
    let fact: PaymentEvent = {
      type: 'confirmed',
      reference: 'AUTH77',
      amount: paise(Number(amount)),
      currency: 'INR',
      kind: 'other',
      at: rig.now(),
      further: [{ reference: 'SALE77', amount: paise(Number(amount)), kind: 'sale' }],
    }
    const payments = openPayments(
      {
        ...deps,
        gateway: { ...deps.gateway, status: async () => ({ is: 'fact', fact, raw: '' }) },
      },
      { isEnabled: false },
    )
    expect(await payments.verify(orderId, 1000)).toBe('review')
    fact = { ...fact, refunds: [{ reference: 'BACK77', amount: paise(Number(amount)) }] }
    await payments.verify(orderId, 1000)
    expect(await payments.verify(orderId, 1000)).toBe('success')
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
  })

  test('is accepted after the file of its event was removed, and the delegate gets the confirmation', async () => {
    const { orderId, id } = await misfit()
    const { deps } = rig.parts()
    const without = { ...deps, events: { ...deps.events, byId: () => null } }
    const words = { decision: 'accept', version: await versionOf(id), why }
    expect(await decideReview(without, id, words, 'treasurer')).toMatchObject({ ok: true })
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
  })

  test('is in the list, on the dashboard, among the metrics and in the log; accepting it confirms the registration', async () => {
    const { regNo, orderId, id } = await misfit()
    const [review] = (await reviews()).filter((one) => one.id === id)
    expect(review).toMatchObject({
      kind: 'misfit',
      decisions: ['accept', 'refund', 'move', 'dismiss'],
      reg_no: regNo,
      came: { amount: 7079, currency: 'INR', source: 'airpay' },
      due: 7080,
      left: 7079,
      why: 'Received ₹\u00a07,079, expected ₹\u00a07,080.',
    })
    const stats = (await call<StatsAnswer>('/admin/dashboard/stats/')).answer.data
    expect(stats['afpicon_stats']).toMatchObject({ needs_decision: 1 })
    expect(await (await fetch(`${rig.url}/metrics`)).text()).toMatch(
      /rollcall_reviews\{is="all"\} 1/,
    )
    await rig.parts().dailyReviewEmail.run()
    expect(rig.log).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        reviews: 1,
        message: 'payment reviews are pending',
      }),
    )
    expect(await decide(id, { decision: 'accept', why: '' })).toMatchObject({
      status: 422,
      answer: { code: 'no_grounds' },
    })
    expect(await decide(id, { decision: 'accept', why })).toMatchObject({
      status: 200,
      answer: { status: 'success', reg_no: regNo, refund: null },
    })
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', review: null, mails: 1 })
    expect(await decide(id, { decision: 'dismiss', why })).toMatchObject({
      status: 409,
      answer: { code: 'decided_already' },
    })
    // The watch list hears the same again.
    rig.advance(2 * hour)
    await reconcile()
    expect(await reviews()).toEqual([])
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', mails: 1 })
    expect(
      rig.rows('SELECT who, why FROM decisions WHERE capture_id = ?', Number(id.slice(1))),
    ).toEqual([{ who: 'treasurer', why }])
  })

  test('is refunded, and the delegate can pay again', async () => {
    const { regNo, orderId, id } = await misfit()
    const { answer } = await decide(id, { decision: 'refund', why })
    expect(answer).toMatchObject({ status: 'success', refund: 'asked' })
    expect(rig.sandbox().order(orderId)?.refunds).toMatchObject([{ amount: '7079.00' }])
    rig.advance(2 * minute)
    await reconcile()
    expect(await rig.parts().deps.store.refunds(regNo as RegNo)).toMatchObject([{ state: 'done' }])
    expect(await reviews()).toEqual([])
    expect(rig.holds(orderId)).toMatchObject({ registration: 'failed', review: null, mails: 0 })
    // Not that nobody knows what became of it.
    const stored = await rig.parts().deps.store.registration(regNo as RegNo)
    expect(stored?.payments[0]?.failure).toBe('given-back')
    const again = await fetch(`${rig.url}/api/payment/retry/`, {
      method: 'POST',
      body: new URLSearchParams({ order_id: orderId }),
    })
    expect([again.status, await again.json()]).toMatchObject([201, { reg_no: regNo }])
  })

  test('requires a session, and rejects a page of another site', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${rig.url}/admin/reviews/C1/decide/`, { method: 'POST', headers })
    expect((await post({})).status).toBe(401)
    await signIn()
    const cookie = `rollcall_session=${token}`
    expect((await post({ cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await fetch(`${rig.url}/admin/reviews/`)).status).toBe(401)
  })
})

describe('a refund', () => {
  test('of a part leaves the registration paid, of the rest makes it refunded; figures follow', async () => {
    const { regNo, orderId } = await paid()
    const before = (await call<StatsAnswer>('/admin/dashboard/stats/')).answer.data.revenue_stats
    expect(await refund(regNo, { amount: 80, why })).toMatchObject({
      status: 200,
      answer: { refund: 'asked', message: expect.stringContaining('The gateway started it') },
    })
    rig.advance(2 * minute)
    await reconcile()
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', registration: 'success' })
    expect(await refund(regNo, { amount: '7000.01', why })).toMatchObject({
      status: 422,
      answer: { code: 'bad_amount' },
    })
    await refund(regNo, { why })
    rig.advance(2 * minute)
    await reconcile()
    expect(rig.holds(orderId)).toMatchObject({ status: 'refunded', registration: 'refunded' })
    const after = (await call<StatsAnswer>('/admin/dashboard/stats/')).answer.data.revenue_stats
    expect(before.total_revenue - after.total_revenue).toBe(7080)
  })

  test('made in the merchant panel is detected, partial and full, also a second one', async () => {
    const { orderId } = await paid()
    rig.sandbox().refundInPanel(orderId, paise(8_000))
    rig.advance(2 * hour)
    await reconcile()
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', review: null })
    expect(rig.rows('SELECT amount, state FROM refunds ORDER BY id DESC LIMIT 1')).toEqual([
      { amount: 8_000, state: 'done' },
    ])
    const writing = startRefundEmails(rig.parts().deps, { isEnabled: false })
    expect(await writing.run()).toBeGreaterThan(0)
    expect(
      rig.rows(
        `SELECT m.subject FROM mail_queue m JOIN payments p ON p.registration_id = m.registration_id
         WHERE p.order_id = '${orderId}' AND m.kind = 'given-back'`,
      ),
    ).toEqual([{ subject: '₹ 80 has been refunded for AFPICON 2026' }])
    rig.sandbox().refundInPanel(orderId, paise(700_000))
    rig.advance(4 * hour)
    await reconcile()
    expect(rig.holds(orderId)).toMatchObject({ status: 'refunded', review: null })
  })

  test('requested twice concurrently is made once', async () => {
    const { regNo, orderId } = await paid()
    await Promise.all([refund(regNo, { why }), refund(regNo, { why }), reconcile(), reconcile()])
    expect(rig.sandbox().order(orderId)?.refunds.length).toBe(1)
  })

  test('without a response is not repeated; the status query decides', async () => {
    const { regNo, orderId } = await paid()
    const { deps } = rig.parts()
    let asked = 0
    const lost = {
      ...deps.gateway,
      refund: async (...about: Parameters<typeof deps.gateway.refund>) => {
        asked += 1
        await deps.gateway.refund(...about)
        return { is: 'unsure', error: 'no answer in time', raw: '' } as const
      },
    }
    const payments = openPayments({ ...deps, gateway: lost }, { isEnabled: false })
    await deps.store.requestRefund({
      of: regNo,
      amount: null,
      why,
      who: 'treasurer',
      at: rig.now(),
    })
    await payments.sendRefunds()
    await payments.sendRefunds()
    rig.advance(10 * minute)
    await payments.sendRefunds()
    expect(asked).toBe(1)
    await reconcile()
    expect(rig.holds(orderId)).toMatchObject({ registration: 'refunded' })
    expect(rig.sandbox().order(orderId)?.refunds.length).toBe(1)
  })
})

test("the treasurer's commands review, decide and refund work while the server runs", async () => {
  const run = async (...args: readonly string[]) => {
    const [out, err]: [string[], string[]] = [[], []]
    const status = await main(args, {
      print: (line) => void out.push(line),
      printError: (line) => void err.push(line),
      environment: () => ({ ...rig.environment, clockStart: rig.now() }),
    })
    return { status, out: out.join('\n'), err: err.join('\n') }
  }
  const [{ regNo, id }, colleague] = [await misfit(), await rig.place()]
  const listed = await run('payment', 'reviews')
  expect([listed.status, listed.err]).toEqual([0, ''])
  expect(plain(listed.out)).toContain(`${id}`)
  expect(plain(listed.out)).toContain('Received ₹ 7,079, expected ₹ 7,080.')
  const json = await run('payment', 'reviews', '--event', 'afpicon2026', '--json')
  expect(JSON.parse(json.out)).toMatchObject([{ id, reg_no: regNo }])
  const said = ['--who', 'Meera', '--why', why]
  const shown = async () => ['--version', await versionOf(id), ...said]
  expect((await run('payment', 'decide', id, 'accept')).status).toBe(2)
  expect((await run('payment', 'decide', id, 'move', ...said)).status).toBe(2)
  const wrong = await run('payment', 'decide', id, 'move', '--to', 'AFPI0', ...(await shown()))
  expect([wrong.status, wrong.err]).toEqual([
    1,
    expect.stringContaining('No registration has this number'),
  ])
  const old = await shown()
  expect(plain(listed.out)).toContain(`Version: ${old[1]}`)
  const moved = await run('payment', 'decide', id, 'move', '--to', colleague.regNo, ...old)
  expect([moved.status, plain(moved.out)]).toEqual([
    0,
    expect.stringContaining('where it needs review'),
  ])
  expect((await run('payment', 'decide', id, 'accept', ...said)).status).toBe(2)
  const stale = await run('payment', 'decide', id, 'accept', ...old)
  expect([stale.status, stale.err]).toEqual([1, expect.stringContaining('was moved meanwhile')])
  expect((await run('payment', 'decide', id, 'accept', ...(await shown()))).status).toBe(0)
  expect(rig.holds(colleague.orderId)).toMatchObject({ status: 'success', mails: 1 })
  const back = await run('payment', 'refund', colleague.regNo, '--amount', '79', ...said)
  expect([back.status, plain(back.out)]).toEqual([
    0,
    expect.stringContaining('The gateway started it'),
  ])
  expect(
    (await run('payment', 'refund', colleague.regNo, '--amount', 'much', ...said)).status,
  ).toBe(2)
  expect((await run('payment', 'decide', id, 'dismiss', ...old)).status).toBe(1)
  expect(plain((await run('payment', 'reviews')).out)).toContain('No payment needs a decision.')
})

test('sends one email at nine to the organisers on days with open reviews', async () => {
  const { id } = await misfit()
  const { deps } = rig.parts()
  const mails = () =>
    rig.rows("SELECT recipient, subject, body FROM mail_queue WHERE kind = 'reviews' ORDER BY id")
  rig.at('2025-12-01T08:59:00+05:30')
  const daily = startDailyReviewEmail(deps, { isEnabled: false })
  expect(await daily.run()).toBe(0)
  rig.advance(minute)
  expect(await daily.run()).toBe(1)
  expect(await daily.run()).toBe(0)
  // A server that starts at noon, and a second one beside it.
  rig.advance(3 * hour)
  expect(await startDailyReviewEmail(deps, { isEnabled: false }).run()).toBe(0)
  expect(mails()).toMatchObject([
    {
      recipient: deps.events.byId('afpicon2026')?.config.office,
      subject: expect.stringContaining('one payment needs a decision'),
      body: expect.stringContaining(id),
    },
  ])
  rig.advance(day)
  await decide(id, { decision: 'dismiss', why })
  expect(await startDailyReviewEmail(deps, { isEnabled: false }).run()).toBe(0)
  expect(mails().length).toBe(1)
  await rig.parts().mailer.run()
  expect(rig.rows("SELECT status FROM mail_queue WHERE kind = 'reviews'")).toEqual([
    { status: 'sent' },
  ])
})
