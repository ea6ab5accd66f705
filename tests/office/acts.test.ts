/** What the office does to registrations, by the one call for it: who may, what follows, what stays in the trail. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActedAnswer, ActsAnswer, RegNo } from '../../engine/index.ts'
import { hashPassword } from '../../server/office/passwords.ts'
import { fixtureEvent } from '../server/fixture.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { noon, PASSWORD, register, signIn } from './office.ts'
import type { Office } from './office.ts'

let test_: TestApp
let owner: Office
let desk: Office
const EVENT = 'sample2026'
const EXTRA = `
cancellation:
  steps: [{to: 2026-01-15, refund: 75%}, {to: 2026-01-31, refund: 50%}, {otherwise: none}]
limits:
  - {id: hall, max: 40, full: {say: The hall is full}}
  - {id: dais, when: {is_member: true}, max: 1, full: {say: The dais is full}}
`

beforeAll(async () => {
  test_ = await startTestApp({
    clock: '2026-01-20T16:00:00+05:30',
    events: { 'sample2026.yaml': fixtureEvent({ extra: EXTRA }) },
  })
  owner = await signIn(test_)
  await test_.deps.store.addAdmin('deskhand', await hashPassword(PASSWORD), test_.now(), {
    role: 'desk',
    events: null,
  })
  desk = await signIn(test_, 'deskhand')
})
afterAll(() => test_.close())

const answersOf = (n: number, isMember = false) => ({
  full_name: `Delegate ${n}`,
  email: `delegate${n}@example.org`,
  phone_number: '9876500000',
  is_member: isMember,
})
const paid = (n: number, isMember = false): Promise<RegNo> =>
  register(test_, EVENT, {
    n,
    on: noon('2026-01-10'),
    answers: answersOf(n, isMember),
    pays: 'success',
  })
const address = (regNo: string) => `/admin/registrations/${regNo}/acts/`
const act = async (office: Office, regNo: string, body: object) => {
  const answer = await test_.app.inject({
    method: 'POST',
    url: address(regNo),
    headers: { authorization: `Bearer ${office.token}` },
    payload: body,
  })
  return { code: answer.statusCode, body: answer.json<ActedAnswer & { code?: string }>() }
}
const look = async (regNo: string, office = owner): Promise<ActsAnswer> =>
  (await office.json(address(regNo))) as unknown as ActsAnswer

describe('what may be done', () => {
  test('is what the person may in this state, and the call refuses the rest in a sentence', async () => {
    const regNo = await paid(1)
    expect((await look(regNo)).allowed).toEqual([
      'note',
      'accept',
      'dismiss',
      'refund',
      'cancel',
      'resend',
    ])
    expect((await look(regNo, desk)).allowed).toEqual(['note', 'resend'])
    const refused = await act(desk, regNo, { act: 'refund', why: 'Asked for.', amount: 10 })
    expect(refused).toMatchObject({
      code: 403,
      body: {
        code: 'not_your_role',
        message: 'To refund takes the role treasurer; yours is desk.',
      },
    })
    expect((await act(desk, regNo, { act: 'cancel', why: 'x' })).code).toBe(403)
    for (const unknown of ['', 'explode', 'add', 'constructor', 7])
      expect(await act(owner, regNo, { act: unknown, why: 'x' })).toMatchObject({
        code: 422,
        body: { code: 'act_unknown' },
      })
    expect((await look(regNo)).trail).toEqual([])
  })

  test('a note of the desk stands in the trail, once however often it is sent', async () => {
    const regNo = await paid(2)
    const note = { act: 'note', why: ' Rang about food. ', key: 'click-0001' }
    expect(await act(desk, regNo, note)).toMatchObject({
      code: 200,
      body: { message: 'The note is kept.', state: 'complete', repeated: false },
    })
    expect(await act(desk, regNo, note)).toMatchObject({ code: 200, body: { repeated: true } })
    expect(await act(desk, regNo, { ...note, why: 'Other' })).toMatchObject({
      code: 409,
      body: { code: 'act_key_reused' },
    })
    expect((await act(desk, regNo, { ...note, key: 'x' })).code).toBe(422)
    expect((await act(desk, regNo, { act: 'note', why: ' ' })).code).toBe(422)
    expect((await look(regNo)).trail).toEqual([
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

describe('cancelling', () => {
  test('proposes by the scale of the file, frees the place for the next, mails, and a refund pays it back', async () => {
    const regNo = await paid(3, true)
    const next = () =>
      test_.post('/api/sample2026/register/', {
        ...Object.fromEntries(
          Object.entries(answersOf(4, true)).map(([id, value]) => [id, String(value)]),
        ),
      })
    expect((await next()).json()).toMatchObject({ code: 'full' })
    expect(await look(regNo)).toMatchObject({ kept: 1180, proposed_back: 590, pay_back: 0 })
    const body = { act: 'cancel', why: 'Ill, wrote on 19 January.', pay_back: 590 }
    expect(await act(owner, regNo, { ...body, pay_back: 1180.01 })).toMatchObject({ code: 422 })
    expect(await act(owner, regNo, body)).toMatchObject({ code: 200, body: { state: 'cancelled' } })
    expect((await next()).statusCode).toBe(201)
    expect(await look(regNo)).toMatchObject({
      state: 'cancelled',
      state_display: 'cancelled',
      pay_back: 590,
      allowed: ['note', 'dismiss', 'refund'],
      trail: [{ act: 'cancel', text: 'Cancelled: ₹\u00a0590 to be paid back', why: body.why }],
    })
    expect((await test_.deps.store.mailsOf(regNo)).at(-1)).toMatchObject({
      to: 'delegate3@example.org',
      subject: 'Your registration for Sample 2026 is cancelled',
      text: expect.stringContaining('₹\u00a0590 is to be paid back to you'),
    })
    const refund = { act: 'refund', why: 'By the scale.', amount: 590, by_hand: true }
    expect(await act(owner, regNo, refund)).toMatchObject({ code: 422 })
    expect(await act(owner, regNo, { ...refund, reference: 'NEFT 1' })).toMatchObject({
      code: 200,
      body: { message: '₹\u00a0590 has gone back.', state: 'cancelled' },
    })
    expect(await look(regNo)).toMatchObject({ pay_back: 0, kept: 590 })
    expect(await act(owner, regNo, body)).toMatchObject({ code: 409, body: { code: 'not_now' } })
    const { revenue } = await test_.deps.store.figures(EVENT, '2026-01-20' as never)
    expect(revenue % 118_000).toBe(59_000)
  })

  test('one that was never paid ends its order: money that comes for it all the same is before a person, and cannot be accepted', async () => {
    const regNo = await register(test_, EVENT, {
      n: 5,
      on: noon('2026-01-19'),
      answers: answersOf(5),
    })
    expect(await act(owner, regNo, { act: 'cancel', why: 'A second try.' })).toMatchObject({
      code: 200,
      body: { message: 'The registration is cancelled, and its places are free.' },
    })
    const { payments } = (await test_.deps.store.registration(regNo)) ?? { payments: [] }
    expect(payments).toMatchObject([{ status: 'failed' }])
    const [{ orderId, amount } = { orderId: '' as never, amount: 0 as never }] = payments
    const at = test_.now()
    await test_.deps.store.applyFact(
      orderId,
      { type: 'confirmed', reference: 'LATE1', amount, currency: '356', kind: 'sale', at },
      null,
    )
    const [review] = await test_.deps.store.reviews(EVENT)
    expect(review).toMatchObject({
      is: 'ended',
      regNo,
      why: 'Money came after the registration had been cancelled.',
    })
    expect((await look(regNo)).state).toBe('cancelled')
    const decided = { act: 'dismiss', why: 'Given back in the panel.', review: review?.id }
    expect(await act(owner, await paid(6), decided)).toMatchObject({
      code: 404,
      body: { code: 'not_there' },
    })
    expect(await act(owner, regNo, decided)).toMatchObject({ code: 200 })
    expect((await look(regNo)).trail.map(({ act: what }) => what)).toEqual(['dismiss', 'cancel'])
  })
})
