/** What waits for somebody in the office: each number of the dashboard is the count of the list behind it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instant, createOrderId, paise, reviewVersion } from '../../../engine/index.ts'
import type { ListAnswer, StatsAnswer } from '../../../engine/api.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { noon, register, signIn } from './office.ts'
import type { Office } from './office.ts'

const EVENT = 'afpicon2026'
let test_: TestApp
let office: Office

beforeAll(async () => {
  test_ = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  office = await signIn(test_)
})
afterAll(() => test_.close())

const page = async (url: string): Promise<ListAnswer> =>
  (await office.json(url)) as unknown as ListAnswer
const waiting = async (): Promise<Record<string, number>> => {
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as StatsAnswer
  return Object.fromEntries(
    data.waiting.map(({ id, events }) => [id, events.find((one) => one.id === EVENT)?.count ?? 0]),
  )
}
const answersOf = (name: string) => ({
  full_name: name,
  email: 'waits@example.org',
  phone_number: '+919876500000',
  ticket_type: 'afpi-gp-specialist',
})
const listed = async (id: string): Promise<string[]> =>
  (await page(`/admin/afpicon/registrations/?waiting=${id}`)).registrations.map((row) => row.reg_no)

test('every number of the work queue is the count of its list, and falls when the item is handled', async () => {
  const { store } = test_.deps
  const before = await waiting()
  const made = async (n: number, pays?: 'success' | 'wrong-amount') =>
    register(test_, EVENT, {
      n,
      on: noon('2025-10-10'),
      answers: answersOf(`Waiting ${n}`),
      ...(pays === undefined ? {} : { pays }),
    })
  const review = await made(201, 'wrong-amount')
  const paid = await made(202, 'success')
  const asking = await made(203, 'success')
  const second = await made(205, 'wrong-amount')
  const mailed = await made(204)
  const failing = { to: 'nobody@example.org', copyTo: null, subject: 'Yours', text: 'Yes.' }
  await store.mailFailed(await store.queueMail(mailed, failing, test_.now()), 'No such box', null)
  const wanted = { who: 'office', at: test_.now(), once: null } as const
  const cancelled = await store.cancel(
    { ...wanted, regNo: paid, act: 'cancel', actor: 'owner', why: 'Ill' },
    { payBack: paise(100_000), shown: null, mail: null },
  )
  expect(cancelled.ok).toBe(true)
  await store.addNote({
    ...wanted,
    who: 'delegate',
    regNo: asking,
    act: 'ask_cancel',
    actor: 'delegate',
    why: 'Ill',
  })
  const named = { review, pay_back: paid, cancel_asked: asking, mail_failed: mailed }
  for (const [id, regNo] of Object.entries(named)) {
    expect((await waiting())[id], id).toBe((before[id] ?? 0) + (id === 'review' ? 2 : 1))
    expect(await listed(id), id).toContain(regNo)
    expect((await page(`/admin/afpicon/registrations/?waiting=${id}`)).count).toBe(
      (await waiting())[id],
    )
  }
  // A day later nobody has paid what was registered here.
  test_.setTime('2025-10-11T18:00:00+05:30')
  office = await signIn(test_)
  expect(await listed('pending')).toContain(mailed)
  expect(await listed('pending')).not.toContain(review)
  expect((await page('/admin/afpicon/registrations/?waiting=pending')).count).toBe(
    (await waiting())['pending'],
  )
  test_.setTime('2025-10-10T16:00:00+05:30')
  office = await signIn(test_)

  for (const regNo of [asking, mailed])
    await store.addNote({
      ...wanted,
      regNo,
      act: 'note',
      actor: 'desk',
      why: 'Rang her up.',
      at: instant(test_.now() + 1),
    })
  const after = await waiting()
  expect([after['cancel_asked'] ?? 0, after['mail_failed'] ?? 0]).toEqual([
    before['cancel_asked'] ?? 0,
    before['mail_failed'] ?? 0,
  ])
  const versions = (await store.reviews(null)).map(reviewVersion)
  const accepted = await test_.app.inject({
    method: 'POST',
    url: '/admin/registrations/bulk/',
    headers: { authorization: `Bearer ${office.token}` },
    payload: { act: 'accept', reg_nos: [second, paid], versions, why: 'The bank says so.' },
  })
  expect(accepted.json()).toMatchObject({ done: [second], refused: [{ reg_no: paid }] })
  expect(await listed('review')).toEqual([review])
  expect((await page('/admin/afpicon/registrations/?waiting=review&search=Waiting')).shown).toBe(
    '1 registration needing review, matching “Waiting”',
  )
})

test('a refund that the gateway began and never made, or rejected, was not in the work queue', async () => {
  const { store } = test_.deps
  const paid = async (n: number) =>
    register(test_, EVENT, {
      n,
      on: noon('2025-10-10'),
      answers: answersOf(`Refunded ${n}`),
      pays: 'success',
      throughGateway: true,
    })
  const [abandoned, refused, fine] = [await paid(301), await paid(302), await paid(303)]
  const before = (await waiting())['review'] ?? 0
  const ask = async (of: typeof abandoned, response: 'begun' | 'refused') => {
    const at = test_.now()
    const wanted = { of, amount: paise(50_000), why: 'Ill', who: 'office', at }
    expect((await store.requestRefund(wanted)).ok).toBe(true)
    const one = (await store.refundsToSend(at, 99)).find(
      ({ orderId }) => orderId === createOrderId(of, 1),
    )
    expect(await store.claimRefund(one?.id ?? 0, at)).toBe(true)
    const told = { raw: '{}', gateway: 'airpay', said: 'Too late.' }
    await store.recordRefundResponse(
      one?.id ?? 0,
      response === 'begun'
        ? { ...told, said: '', is: 'begun', reference: 'RF1' }
        : { ...told, is: 'refused' },
      at,
    )
  }
  await ask(abandoned, 'begun')
  expect((await waiting())['review'] ?? 0).toBe(before)
  await ask(refused, 'refused')
  expect((await waiting())['review']).toBe(before + 1)
  test_.setTime('2025-11-20T12:00:00+05:30')
  office = await signIn(test_)
  expect(await store.markUnansweredRefunds(test_.now())).toBe(1)
  expect((await waiting())['review']).toBe(before + 2)
  const rows = await listed('review')
  for (const regNo of [abandoned, refused]) expect(rows).toContain(regNo)
  expect(rows).not.toContain(fine)
  expect((await page('/admin/afpicon/registrations/?waiting=review')).count).toBe(before + 2)
})
