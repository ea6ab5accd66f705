/** Staff actions on registrations: permissions, effects and the history. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId, Amount, RegNo } from '../../../../engine/index.ts'
import type { ActionsResponse, SearchResponse } from '../../../../engine/api.ts'
import { buildFixtureEvent } from '../../small-event.ts'
import { startTestApp, type TestApp } from '../../harness.ts'
import { actionsUrl, hashCheaply, toNoon, PASSWORD, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let owner: Office
let desk: Office
const EVENT = 'sample2026'
const EVENT_EXTRAS = `
cancellation:
  steps: [{until: 2026-01-15, refund: 75%}, {until: 2026-01-31, refund: 50%}, {otherwise: none}]
quotas:
  - {id: hall, max: 40, full: {message: The hall is full}}
  - {id: dais, when: {is_member: true}, max: 1, full: {message: The dais is full}}
`

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-20T16:00:00+05:30',
    events: { 'sample2026.yaml': buildFixtureEvent({ extra: EVENT_EXTRAS }) },
  })
  owner = await signIn(server)
  const deskRole = { role: 'desk', events: null } as const
  await server.deps.store.addAdmin('deskhand', await hashCheaply(PASSWORD), server.now(), deskRole)
  desk = await signIn(server, 'deskhand')
})
afterAll(() => server.close())

const buildAnswers = (n: number, isMember = false) => ({
  full_name: `Delegate ${n}`,
  email: `delegate${n}@example.org`,
  phone_number: '9876500000',
  is_member: isMember,
})
const addPaid = (n: number, isMember = false): Promise<RegNo> =>
  register(server, EVENT, {
    n,
    on: toNoon('2026-01-10'),
    answers: buildAnswers(n, isMember),
    pays: 'success',
  })
/** Returns the state that the delegate's page shows, and the response to a payment retry. */
const readView = async (regNo: string) => {
  const response = await server.app.inject(`/api/sample2026/registrations/${regNo}/`)
  const { stands, may_pay, difference_due } = response.json<{
    registration: { stands: string; may_pay: boolean; difference_due: number }
  }>().registration
  const retryResponse = await server.app.inject({
    method: 'POST',
    url: '/api/payment/retry/',
    payload: { order_id: regNo },
  })
  const { code } = retryResponse.json<{ code?: string }>()
  return [stands, may_pay, difference_due, retryResponse.statusCode === 201 ? 'pays' : code]
}
const readActions = async (regNo: string, office = owner): Promise<ActionsResponse> =>
  (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse

describe('allowed actions', () => {
  test("are those that the user's role permits in this state; other actions are rejected with a message", async () => {
    const regNo = await addPaid(1)
    expect((await readActions(regNo)).allowed.join()).toBe(
      'note,correct,came_again,accept,dismiss,refund,cancel,transfer,resend,erase',
    )
    expect((await readActions(regNo, desk)).allowed).toEqual(['note', 'came_again', 'resend'])
    const refusal = await desk.act(regNo, { act: 'refund', why: 'Payment requested.', amount: 10 })
    expect(refusal).toMatchObject({
      status: 403,
      body: {
        code: 'not_your_role',
        message: 'You need the treasurer role to refund a payment. Your role is desk.',
      },
    })
    expect((await desk.act(regNo, { act: 'cancel', why: 'x' })).status).toBe(403)
    for (const unknownAction of ['', 'explode', 'add', 'constructor', 7])
      expect(await owner.act(regNo, { act: unknownAction, why: 'x' })).toMatchObject({
        status: 422,
        body: { code: 'act_unknown' },
      })
    expect((await readActions(regNo)).trail).toEqual([])
  })

  test('a note appears in the timeline once, however often it is sent', async () => {
    const regNo = await addPaid(2)
    const note = { act: 'note', why: ' Rang about food. ', key: 'click-0001' }
    expect(await desk.act(regNo, note)).toMatchObject({
      status: 200,
      body: { message: 'Note saved.', state: 'complete', repeated: false },
    })
    expect(await desk.act(regNo, note)).toMatchObject({ status: 200, body: { repeated: true } })
    expect(await desk.act(regNo, { ...note, why: 'Other' })).toMatchObject({
      status: 409,
      body: { code: 'act_key_reused' },
    })
    expect((await desk.act(regNo, { ...note, key: 'x' })).status).toBe(422)
    expect((await desk.act(regNo, { act: 'note', why: ' ' })).status).toBe(422)
    expect((await readActions(regNo)).trail).toEqual([
      {
        at: '2026-01-20T16:00:00+05:30',
        who: 'deskhand',
        act: 'note',
        text: 'Note',
        why: 'Rang about food.',
      },
    ])
  })
})

describe('a cancellation', () => {
  test('proposes the refund defined in the event file, frees the seat and sends an email; the refund can then be recorded', async () => {
    const regNo = await addPaid(3, true)
    const registerNext = () =>
      server.post(
        '/api/sample2026/register/',
        Object.fromEntries(
          Object.entries(buildAnswers(4, true)).map(([id, value]) => [id, String(value)]),
        ),
      )
    expect((await registerNext()).json()).toMatchObject({ code: 'full' })
    expect(await readActions(regNo)).toMatchObject({ kept: 1180, proposed_back: 590, pay_back: 0 })
    const body = { act: 'cancel', why: 'Ill, wrote on 19 January.', pay_back: 590 }
    expect(await owner.act(regNo, { ...body, pay_back: 1180.01 })).toMatchObject({ status: 422 })
    expect(await owner.act(regNo, body)).toMatchObject({
      status: 200,
      body: { state: 'cancelled' },
    })
    expect((await registerNext()).statusCode).toBe(201)
    expect(await readView(regNo)).toEqual(['cancelled', false, 0, 'nothing_due'])
    expect(await readActions(regNo)).toMatchObject({
      state: 'cancelled',
      state_display: 'cancelled',
      pay_back: 590,
      allowed: ['note', 'came_again', 'dismiss', 'refund', 'erase'],
      trail: [{ act: 'cancel', text: 'Cancelled: ₹\u00a0590 to refund', why: body.why }],
    })
    expect((await server.deps.store.emailsOfRegistration(regNo)).at(-1)).toMatchObject({
      to: 'delegate3@example.org',
      subject: 'Your registration for Sample 2026 has been cancelled',
      text: expect.stringContaining('We will refund ₹\u00a0590 to you'),
    })
    const refund = { act: 'refund', why: 'By the scale.', amount: 590, by_hand: true }
    expect(await owner.act(regNo, refund)).toMatchObject({ status: 422 })
    expect(await owner.act(regNo, { ...refund, reference: 'NEFT 1' })).toMatchObject({
      status: 200,
      body: { message: '₹\u00a0590 was refunded outside Rollcall.', state: 'cancelled' },
    })
    expect(await readActions(regNo)).toMatchObject({ pay_back: 0, kept: 590 })
    expect(await owner.act(regNo, body)).toMatchObject({ status: 409, body: { code: 'not_now' } })
    const { revenue } = await server.deps.store.dashboardFigures(EVENT, '2026-01-20' as never)
    expect(revenue % 118_000).toBe(59_000)
  })

  test('of an unpaid registration closes its order: a later payment goes to review and cannot be accepted', async () => {
    const regNo = await register(server, EVENT, {
      n: 5,
      on: toNoon('2026-01-19'),
      answers: buildAnswers(5),
    })
    expect(await owner.act(regNo, { act: 'cancel', why: 'A second try.' })).toMatchObject({
      status: 200,
      body: { message: 'Registration cancelled.' },
    })
    const { payments } = (await server.deps.store.registration(regNo)) ?? { payments: [] }
    expect(payments).toMatchObject([{ status: 'failed' }])
    expect(await readView(regNo)).toEqual(['cancelled', false, 0, 'nothing_due'])
    const [{ orderId, amount } = { orderId: '' as never, amount: 0 as never }] = payments
    const at = server.now()
    await server.deps.store.applyPaymentEvent(
      orderId,
      { type: 'confirmed', reference: 'LATE1', amount, currency: '356', kind: 'sale', at },
      null,
    )
    const [review] = await server.deps.store.reviews(EVENT)
    expect(review).toMatchObject({
      is: 'ended',
      regNo,
      why: 'Payment received after the registration was cancelled.',
    })
    expect((await readActions(regNo)).state).toBe('cancelled')
    const dismissal = { act: 'dismiss', why: 'Given back in the panel.', review: review?.id }
    expect(await owner.act(await addPaid(6), dismissal)).toMatchObject({
      status: 404,
      body: { code: 'not_there' },
    })
    expect(await owner.act(regNo, dismissal)).toMatchObject({ status: 200 })
    expect((await readActions(regNo)).trail.map(({ act: what }) => what)).toEqual([
      'dismiss',
      'cancel',
    ])
  })
})

const find = async (regNo: string) => {
  const row = await server.deps.store.registration(regNo)
  if (row === null) throw new Error(`${regNo} was not found`)
  return row
}
const pay = (orderId: OrderId, reference: string, amount: Amount, extra: object = {}) => {
  const sale = { type: 'confirmed', reference, amount, currency: '356', kind: 'sale' } as const
  const email = { to: 'x@example.org', copyTo: null, subject: 'Twice', text: 'No.' }
  const event = { ...sale, at: server.now(), ...extra }
  return server.deps.store.applyPaymentEvent(orderId, event, email)
}

describe('a correction', () => {
  test('of a name creates no balance; the list finds only the new name, and the timeline shows both names', async () => {
    const regNo = await addPaid(10)
    // The registration is already indexed, so the words of the old name must be removed from the index.
    await expect
      .poll(() => server.rows('SELECT last_id AS last FROM search_progress')[0]?.['last'])
      .toBe((await find(regNo)).id)
    const answers = { full_name: 'Asha Corrected' }
    expect(
      await owner.act(regNo, { act: 'correct', why: 'Spelt wrongly.', answers }),
    ).toMatchObject({ status: 200, body: { message: 'Correction saved.', state: 'complete' } })
    expect(await find(regNo)).toMatchObject({ total: 354_000, due: 0, answers })
    const countMatches = async (search: string) =>
      (await server.deps.store.listPage({ eventId: EVENT, answers: {}, search }, 1, 9)).count
    expect(await countMatches('Asha Corrected')).toBe(1)
    expect(await countMatches('Delegate 10')).toBe(0)
    expect((await readActions(regNo)).trail).toMatchObject([
      { text: 'Corrected: Full Name: Delegate 10 → Asha Corrected', why: 'Spelt wrongly.' },
    ])
  })

  test('with invalid answers reports the error and changes nothing', async () => {
    const regNo = await addPaid(11)
    const correct = (answers: object) => owner.act(regNo, { act: 'correct', why: 'x', answers })
    expect(await correct({ full_name: '' })).toMatchObject({
      status: 422,
      body: { errors: { full_name: 'Full name is required' } },
    })
    expect(await correct({ nothing: 1 })).toMatchObject({ status: 422 })
    expect(await correct({ letter: 'a.pdf' })).toMatchObject({ status: 422 })
    expect((await owner.act(regNo, { act: 'correct', why: 'x' })).status).toBe(422)
    expect((await readActions(regNo)).trail).toEqual([])
  })

  test('to a higher-priced category first shows staff the difference, which is then due and is paid by a separate order', async () => {
    await server.deps.store.cancel(
      {
        regNo: await findDaisHolder(),
        act: 'cancel',
        actor: 'owner',
        who: 'office',
        why: 'The seat is needed.',
        at: server.now(),
        idempotencyKey: null,
      },
      { refundAmount: 0 as Amount, shownPaidAmount: null, mail: null },
    )
    const regNo = await addPaid(12, true)
    const body = { act: 'correct', why: 'No member.', answers: { is_member: false } }
    expect(await owner.act(regNo, body)).toMatchObject({
      status: 409,
      body: {
        code: 'price_changes',
        message:
          'This correction changes the price from ₹\u00a01,180 to ₹\u00a03,540: ₹\u00a02,360 more. Accept the new price to save it.',
      },
    })
    expect(await owner.act(regNo, { ...body, total: 3540 })).toMatchObject({
      status: 200,
      body: { state: 'to_pay', message: 'Correction saved. The price is ₹\u00a02,360 higher.' },
    })
    const [order] = (await find(regNo)).payments
    expect(order).toMatchObject({ status: 'pending', amount: 236_000, isDifference: true })
    expect(await readActions(regNo)).toMatchObject({ due: 2360, kept: 1180 })
    expect(await owner.json(`/admin/registrations/${regNo}/`)).toMatchObject({
      payments: [{ asked: 'Payment of the remaining amount requested.' }, {}],
    })
    expect(await readView(regNo)).toEqual(['complete', true, 2360, 'pays'])
    expect((await server.deps.store.emailsOfRegistration(regNo)).at(-1)?.text).toContain('{link}')
    // The first order is queried again, and the gateway repeats its response.
    await pay(`${regNo}` as OrderId, 'REF12', 118_000 as Amount)
    expect(await find(regNo)).toMatchObject({ state: 'to_pay', paymentStatus: 'success' })
    await pay(order?.orderId as OrderId, 'DIFF12', 236_000 as Amount)
    expect(await find(regNo)).toMatchObject({
      state: 'complete',
      due: 0,
      total: 354_000,
      inReview: false,
      category: 'non-member',
    })
    expect(await readActions(regNo)).toMatchObject({ due: 0, kept: 3540 })
    expect(await readView(regNo)).toEqual(['complete', false, 0, 'nothing_due'])
  })

  test('to a lower-priced category makes the surplus due for refund, and a refund settles it', async () => {
    const regNo = await addPaid(13)
    const body = { act: 'correct', why: 'A member.', answers: { is_member: true }, total: 1180 }
    expect(await owner.act(regNo, body)).toMatchObject({ status: 200, body: { state: 'complete' } })
    expect(await readActions(regNo)).toMatchObject({ due: 0, pay_back: 2360 })
    const refund = {
      act: 'refund',
      why: 'Corrected.',
      amount: 2360,
      by_hand: true,
      reference: 'N2',
    }
    expect((await owner.act(regNo, refund)).status).toBe(200)
    expect(await readActions(regNo)).toMatchObject({ pay_back: 0, kept: 1180, state: 'complete' })
    // The first correction reserved the only seat on the dais.
    const otherRegNo = await addPaid(14)
    const memberCorrection = { act: 'correct', why: 'x', answers: { is_member: true }, total: 1180 }
    const message = 'No seats are left for Dais, which these answers need.'
    expect(await owner.act(otherRegNo, memberCorrection)).toMatchObject({
      status: 409,
      body: { code: 'taken', message },
    })
    expect(await find(otherRegNo)).toMatchObject({ total: 354_000, category: 'non-member' })
  })

  test('to a higher-priced category is rejected while the refund for a lower-priced one is in progress', async () => {
    const regNo = await addPaid(16)
    const correct = (isMember: boolean, total: number) =>
      owner.act(regNo, { act: 'correct', why: 'x', answers: { is_member: isMember }, total })
    if ((await server.deps.store.availableSeats(EVENT, {}, server.now()))['dais'] === 0)
      await owner.act(await findDaisHolder(), { act: 'cancel', why: 'x' })
    expect((await correct(true, 1180)).status).toBe(200)
    const refund = { of: regNo, amount: 236_000 as Amount, why: 'Corrected.', who: 'office' }
    expect((await server.deps.store.requestRefund({ ...refund, at: server.now() })).ok).toBe(true)
    expect(await correct(false, 3540)).toMatchObject({ status: 409, body: { code: 'moved_on' } })
    // A correction without a price change is still saved.
    const nameCorrection = { act: 'correct', why: 'x', answers: { full_name: 'Another Name' } }
    expect((await owner.act(regNo, nameCorrection)).status).toBe(200)
    expect(await find(regNo)).toMatchObject({ total: 118_000, due: -236_000 })
  })

  test.each([
    [15, false, 1180, 'fits', { state: 'complete', due: -236_000 }, ''],
    [53, false, 1180, 'counts', { state: 'complete', due: -236_000 }, 'To refund: ₹\u00a02,360.'],
    [54, true, 3540, 'counts', { state: 'to_pay', due: 236_000 }, '₹\u00a02,360 is still due.'],
    [55, false, 1180, 'is left', { state: 'complete', due: -86_000 }, 'To refund: ₹\u00a0860.'],
  ] as const)(
    'of an unpaid registration requests the new price; if the old order is then paid, only the difference is due: delegate %i (member: %s), new price %i, payment %s',
    async (n, isMember, newPrice, kind, expectedPaid, expectedText) => {
      if (isMember) await owner.act(await findDaisHolder(), { act: 'cancel', why: 'x' })
      const answers = buildAnswers(n, isMember)
      const regNo = await register(server, EVENT, { n, on: toNoon('2026-01-19'), answers })
      if (!isMember) await owner.act(await findDaisHolder(), { act: 'cancel', why: 'x' })
      const correction = { act: 'correct', why: 'Asked.', answers: { is_member: !isMember } }
      expect((await owner.act(regNo, { ...correction, total: newPrice })).body.state).toBe('to_pay')
      const [currentOrder, old] = (await find(regNo)).payments
      const amount = newPrice * 100
      expect(currentOrder).toMatchObject({ status: 'pending', amount, isDifference: false })
      if (old === undefined) throw new Error('no order from before the correction')
      // A payment in an unknown currency is under review, and may have been refunded in part.
      const refunds = kind === 'is left' ? [{ reference: 'BACK', amount: 150_000 }] : []
      const withoutCurrency = { currency: '', refunds }
      await pay(old.orderId, `OLD${n}`, old.amount, kind === 'fits' ? {} : withoutCurrency)
      const review = (await readActions(regNo)).reviews[0]?.id
      expect(review === undefined).toBe(kind === 'fits')
      const response = await owner.act(regNo, { act: 'accept', review, why: 'It came.' })
      expect(response.body.message).toContain(expectedText)
      const { payments, ...data } = await find(regNo)
      expect(data).toMatchObject({ ...expectedPaid, total: newPrice * 100, inReview: false })
      expect(payments[0]?.status).toBe(expectedPaid.due > 0 ? 'pending' : 'failed')
      expect(payments.at(-1)?.status).toBe('success')
    },
  )

  test('to the same answers changes nothing, even if the last seat has since been sold', async () => {
    const regNo = await addPaid(56)
    if ((await server.deps.store.availableSeats(EVENT, {}, server.now()))['dais'] !== 0)
      await addPaid(57, true)
    const request = { act: 'correct', why: 'Asked twice.', answers: { is_member: false } }
    expect((await owner.act(regNo, request)).body.message).toBe('Nothing was changed.')
    expect((await find(regNo)).answers).toEqual(buildAnswers(56))
  })
})

describe('a transfer', () => {
  test("replaces the person, keeps the number and the payments, emails both people and revokes the first person's links", async () => {
    const regNo = await addPaid(20)
    await server.deps.store.addAccessLink({
      tokenHash: 'h20',
      regNo,
      purpose: 'pay',
      at: server.now(),
      expiresAt: (server.now() + 1e9) as never,
    })
    const body = {
      act: 'transfer',
      why: 'A colleague comes.',
      answers: { full_name: 'Binu New', email: 'binu@example.org', phone_number: '9876511111' },
    }
    for (const answers of [{}, { full_name: ' ' }, { full_name: 'B', is_member: true }])
      expect((await owner.act(regNo, { ...body, answers })).status).toBe(422)
    expect(await owner.act(regNo, body)).toMatchObject({
      status: 200,
      body: { state: 'complete', message: 'Registration transferred.' },
    })
    expect(await find(regNo)).toMatchObject({
      regNo,
      paymentStatus: 'success',
      total: 354_000,
      answers: body.answers,
    })
    const lastEmails = (await server.deps.store.emailsOfRegistration(regNo)).slice(-2)
    expect(lastEmails.map(({ to }) => to)).toEqual(['delegate20@example.org', 'binu@example.org'])
    expect((await server.deps.store.accessLink('h20'))?.expiresAt).toBe(server.now())
    const unpaid = await register(server, EVENT, {
      n: 21,
      on: toNoon('2026-01-19'),
      answers: buildAnswers(21),
    })
    expect(await owner.act(unpaid, body)).toMatchObject({ status: 409, body: { code: 'not_now' } })
  })
})

/** Returns the registration with the only seat on the dais. */
async function findDaisHolder(): Promise<RegNo> {
  const [row] = server.rows(
    `SELECT reg_no FROM registrations WHERE id IN (SELECT registration_id FROM places_taken JOIN places ON places.id = place_id
     WHERE place = 'dais' AND places_taken.state <> 'free')`,
  )
  return String(row?.['reg_no']) as RegNo
}

describe('a payment recorded by staff', () => {
  const addUnpaid = (n: number, isMember = false) =>
    register(server, EVENT, { n, on: toNoon('2026-01-19'), answers: buildAnswers(n, isMember) })
  const transfer = {
    act: 'confirm',
    way: 'transfer',
    reference: 'HDFCN52026012012345',
    amount: 3540,
    day: '2026-01-18',
    why: '',
  }

  test('completes the registration if the amount matches, sends an email, issues a receipt, and counts only once', async () => {
    const [regNo, secondRegNo] = [await addUnpaid(40), await addUnpaid(41)]
    expect(await owner.act(regNo, transfer)).toMatchObject({
      status: 200,
      body: {
        state: 'complete',
        message: `₹\u00a03,540 by bank transfer recorded: ${regNo} is paid.`,
      },
    })
    expect(await server.deps.store.captures(regNo)).toMatchObject([
      { source: 'transfer', reference: transfer.reference, amount: 354_000, state: 'fits' },
    ])
    expect((await server.deps.store.documents(regNo)).map(({ kind }) => kind)).toEqual(['receipt'])
    const repeatedTransfer = { ...transfer, reference: transfer.reference.toLowerCase() }
    expect(await owner.act(secondRegNo, repeatedTransfer)).toMatchObject({
      status: 409,
      body: {
        code: 'taken',
        message: `${repeatedTransfer.reference} is already recorded: it is the payment of ${regNo}.`,
      },
    })
    expect((await readActions(secondRegNo)).state).toBe('to_pay')
    // A transfer cannot be refunded through the gateway.
    expect(await owner.act(regNo, { act: 'refund', why: 'Payment requested.' })).toMatchObject({
      body: { code: 'not_by_gateway' },
    })
  })

  test('that covers the balance after a correction completes the registration without a second confirmation', async () => {
    await owner.act(await findDaisHolder(), { act: 'cancel', why: 'The seat is needed.' })
    const regNo = await register(server, EVENT, {
      n: 47,
      on: toNoon('2026-01-10'),
      answers: buildAnswers(47, true),
      pays: 'success',
      mail: { to: 'x@example.org', copyTo: null, subject: 'Paid', text: 'Once.' },
    })
    await owner.act(regNo, {
      act: 'correct',
      why: 'No member.',
      answers: { is_member: false },
      total: 3540,
    })
    const slip = { ...transfer, way: 'cash', reference: 'Slip 47', amount: 2360 }
    expect(await desk.act(regNo, slip)).toMatchObject({ status: 200, body: { state: 'complete' } })
    const { id } = await find(regNo)
    expect(
      server.rows(
        `SELECT subject FROM mail_queue WHERE kind = 'confirmation' AND registration_id = ${id}`,
      ),
    ).toEqual([{ subject: 'Paid' }])
  })

  test('that is refunded in full while a balance is due leaves nothing due after the cancellation', async () => {
    const regNo = await addPaid(48, true)
    await owner.act(regNo, {
      act: 'correct',
      why: 'No member.',
      answers: { is_member: false },
      total: 3540,
    })
    expect((await readActions(regNo)).due).toBe(2360)
    const refund = { act: 'refund', why: 'Cannot come.', by_hand: true, reference: 'NEFT 48' }
    expect(await owner.act(regNo, refund)).toMatchObject({ body: { state: 'cancelled' } })
    expect(await readActions(regNo)).toMatchObject({ due: 0, pay_back: 0 })
    expect((await find(regNo)).payments.map(({ status }) => status)).toEqual(['failed', 'refunded'])
    expect(await readView(regNo)).toEqual(['refunded', false, 0, 'nothing_due'])
  })

  test('that is partly refunded before a correction never leaves more due for refund than remains of it', async () => {
    const regNo = await addPaid(49)
    const refund = { act: 'refund', why: 'A courtesy.', by_hand: true, reference: 'NEFT 49' }
    await owner.act(regNo, { ...refund, amount: 1500 })
    const answers = { is_member: true }
    await owner.act(regNo, { act: 'correct', why: 'A member.', answers, total: 1180 })
    expect(await readActions(regNo)).toMatchObject({ kept: 2040, pay_back: 2040 })
    await owner.act(regNo, { ...refund, reference: 'NEFT 50' })
    expect(await readActions(regNo)).toMatchObject({ kept: 0, pay_back: 0, due: 0 })
  })

  test('that is too low goes to review, and a treasurer can accept it with a reason', async () => {
    const regNo = await addUnpaid(42)
    expect(await owner.act(regNo, { ...transfer, reference: 'UTR42', amount: 2300 })).toMatchObject(
      {
        status: 200,
        body: {
          state: 'to_pay',
          needs_review: true,
          message:
            '₹\u00a02,300 by bank transfer, needs review: The payment is ₹\u00a02,300 instead of ₹\u00a03,540.',
        },
      },
    )
    const [review] = (await server.deps.store.reviews(EVENT)).filter((row) => row.regNo === regNo)
    expect(
      await owner.act(regNo, { act: 'accept', review: review?.id, why: 'Bank charges.' }),
    ).toMatchObject({ status: 200, body: { state: 'complete' } })
  })

  test.each([
    [{ way: 'pigeon' }, 'Choose a payment method.'],
    [{ reference: ' ' }, 'Enter the UTR or bank reference, at most 64 characters.'],
    [{ amount: 0 }, 'Enter the amount received.'],
    [{ day: '2026-01-21' }, 'The date received, 21 Jan 2026, is after today, 20 Jan 2026.'],
    [{ day: '20/01/2026' }, 'Enter the date in this format: 2026-12-31.'],
  ])('rejects %o with a message', async (payment, message) => {
    const regNo = await addUnpaid(200 + message.length)
    expect(await owner.act(regNo, { ...transfer, ...payment })).toMatchObject({
      status: 422,
      body: { message },
    })
  })

  test('requires the treasurer role for a bank transfer, and the desk role for the front desk', async () => {
    const regNo = await addUnpaid(44)
    expect(await desk.act(regNo, transfer)).toMatchObject({
      status: 403,
      body: {
        message:
          'You need the treasurer role to record a payment by bank transfer. Your role is desk.',
      },
    })
    const slip = { ...transfer, way: 'cash', reference: 'Slip 12', day: '' }
    expect(await desk.act(regNo, slip)).toMatchObject({ status: 200, body: { state: 'complete' } })
    expect((await readActions(regNo)).trail.at(-1)).toMatchObject({
      who: 'deskhand',
      text: 'Payment recorded: ₹\u00a03,540 in cash, reference Slip 12',
    })
  })
})

describe('the search', () => {
  const search = async (office: Office, q: string): Promise<SearchResponse> =>
    (await office.json(
      `/admin/find/?${new URLSearchParams({ q }).toString()}`,
    )) as unknown as SearchResponse

  test('finds a registration by its payment reference or by its number as printed', async () => {
    const regNo = await addPaid(60)
    for (const q of ['ref60', regNo.replaceAll(/(.{4})/g, '$1 '), regNo, 'delegate60@example.org'])
      expect((await search(desk, q)).found.map(({ reg_no }) => reg_no)).toEqual([regNo])
    expect((await search(desk, 'ref60')).found[0]).toMatchObject({
      name: 'Delegate 60',
      event: { id: EVENT },
      paid_by: 'online',
      total: 3540,
    })
    expect(await search(desk, '')).toMatchObject({ found: [], more: false })
    expect((await search(desk, 'Dr Delagate')).similar.length).toBeGreaterThan(1)
  })

  test('does not show registrations of other events', async () => {
    await server.deps.store.addAdmin('elsewhere', await hashCheaply(PASSWORD), server.now(), {
      role: 'owner',
      events: ['another'],
    })
    const otherUser = await signIn(server, 'elsewhere')
    expect((await search(otherUser, 'delegate')).found).toEqual([])
    expect(await search(otherUser, 'delagate')).toMatchObject({ found: [], similar: [] })
  })
})
