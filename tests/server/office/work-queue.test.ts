/** The work queue of the office: each number on the dashboard is the count of its list. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instant, createOrderId, toAmount, getReviewVersion } from '../../../engine/index.ts'
import type { ListResponse, StatsResponse } from '../../../engine/api.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { toNoon, register, signIn } from './office.ts'
import type { Office } from './office.ts'

const EVENT = 'afpicon2026'
let test_: TestApp
let office: Office

beforeAll(async () => {
  test_ = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  office = await signIn(test_)
})
afterAll(() => test_.close())

const readPage = async (url: string): Promise<ListResponse> =>
  (await office.json(url)) as unknown as ListResponse
const readCounts = async (): Promise<Record<string, number>> => {
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as StatsResponse
  return Object.fromEntries(
    data.waiting.map(({ id, events }) => [
      id,
      events.find((event) => event.id === EVENT)?.count ?? 0,
    ]),
  )
}
const buildAnswers = (name: string) => ({
  full_name: name,
  email: 'waits@example.org',
  phone_number: '+919876500000',
  ticket_type: 'afpi-gp-specialist',
})
const listNumbers = async (id: string): Promise<string[]> =>
  (await readPage(`/admin/afpicon/registrations/?waiting=${id}`)).registrations.map(
    (row) => row.reg_no,
  )

test('every number of the work queue is the count of its list, and falls when the item is handled', async () => {
  const { store } = test_.deps
  const before = await readCounts()
  const registerSample = async (n: number, pays?: 'success' | 'wrong-amount') =>
    register(test_, EVENT, {
      n,
      on: toNoon('2025-10-10'),
      answers: buildAnswers(`Waiting ${n}`),
      ...(pays === undefined ? {} : { pays }),
    })
  const review = await registerSample(201, 'wrong-amount')
  const registerPaid = await registerSample(202, 'success')
  const requestingRegNo = await registerSample(203, 'success')
  const second = await registerSample(205, 'wrong-amount')
  const emailedRegNo = await registerSample(204)
  const failedEmail = { to: 'nobody@example.org', copyTo: null, subject: 'Yours', text: 'Yes.' }
  await store.mailFailed(
    await store.queueMail(emailedRegNo, failedEmail, test_.now()),
    'No such box',
    null,
  )
  const actionInput = { who: 'office', at: test_.now(), once: null } as const
  const cancelResult = await store.cancel(
    { ...actionInput, regNo: registerPaid, act: 'cancel', actor: 'owner', why: 'Ill' },
    { payBack: toAmount(100_000), shown: null, mail: null },
  )
  expect(cancelResult.ok).toBe(true)
  await store.addNote({
    ...actionInput,
    who: 'delegate',
    regNo: requestingRegNo,
    act: 'ask_cancel',
    actor: 'delegate',
    why: 'Ill',
  })
  const expectedRegNos = {
    review,
    pay_back: registerPaid,
    cancel_asked: requestingRegNo,
    mail_failed: emailedRegNo,
  }
  for (const [id, regNo] of Object.entries(expectedRegNos)) {
    expect((await readCounts())[id], id).toBe((before[id] ?? 0) + (id === 'review' ? 2 : 1))
    expect(await listNumbers(id), id).toContain(regNo)
    expect((await readPage(`/admin/afpicon/registrations/?waiting=${id}`)).count).toBe(
      (await readCounts())[id],
    )
  }
  // A day later, none of these registrations is paid.
  test_.setTime('2025-10-11T18:00:00+05:30')
  office = await signIn(test_)
  expect(await listNumbers('pending')).toContain(emailedRegNo)
  expect(await listNumbers('pending')).not.toContain(review)
  expect((await readPage('/admin/afpicon/registrations/?waiting=pending')).count).toBe(
    (await readCounts())['pending'],
  )
  test_.setTime('2025-10-10T16:00:00+05:30')
  office = await signIn(test_)

  for (const regNo of [requestingRegNo, emailedRegNo])
    await store.addNote({
      ...actionInput,
      regNo,
      act: 'note',
      actor: 'desk',
      why: 'Rang her up.',
      at: instant(test_.now() + 1),
    })
  const countsAfter = await readCounts()
  expect([countsAfter['cancel_asked'] ?? 0, countsAfter['mail_failed'] ?? 0]).toEqual([
    before['cancel_asked'] ?? 0,
    before['mail_failed'] ?? 0,
  ])
  // Undoing a note reopens the item that it answered; only its author can undo it, once.
  const undo = { ...actionInput, act: 'undo_note', actor: 'desk', why: ' Rang her up. ' } as const
  for (const regNo of [requestingRegNo, emailedRegNo]) {
    const byAnother = await store.undoNote({ ...undo, regNo, who: 'another' })
    expect(byAnother).toMatchObject({ ok: false, error: { code: 'not_now' } })
    expect((await store.undoNote({ ...undo, regNo })).ok).toBe(true)
    expect((await store.undoNote({ ...undo, regNo })).ok).toBe(false)
  }
  expect(await listNumbers('cancel_asked')).toContain(requestingRegNo)
  expect(await listNumbers('mail_failed')).toContain(emailedRegNo)
  const versions = (await store.reviews(null)).map(getReviewVersion)
  const acceptResponse = await test_.app.inject({
    method: 'POST',
    url: '/admin/registrations/bulk/',
    headers: { authorization: `Bearer ${office.token}` },
    payload: { act: 'accept', reg_nos: [second, registerPaid], versions, why: 'The bank says so.' },
  })
  expect(acceptResponse.json()).toMatchObject({
    done: [second],
    refused: [{ reg_no: registerPaid }],
  })
  expect(await listNumbers('review')).toEqual([review])
  expect(
    (await readPage('/admin/afpicon/registrations/?waiting=review&search=Waiting')).shown,
  ).toBe('1 registration needing review, matching “Waiting”')
})

test('a refund that the gateway started and never paid, or rejected, was not in the work queue', async () => {
  const { store } = test_.deps
  const registerPaid = async (n: number) =>
    register(test_, EVENT, {
      n,
      on: toNoon('2025-10-10'),
      answers: buildAnswers(`Refunded ${n}`),
      pays: 'success',
      throughGateway: true,
    })
  const [abandoned, refused, intactRegNo] = [
    await registerPaid(301),
    await registerPaid(302),
    await registerPaid(303),
  ]
  const before = (await readCounts())['review'] ?? 0
  const startRefund = async (of: typeof abandoned, response: 'begun' | 'refused') => {
    const at = test_.now()
    const actionInput = { of, amount: toAmount(50_000), why: 'Ill', who: 'office', at }
    expect((await store.requestRefund(actionInput)).ok).toBe(true)
    const event = (await store.refundsToSend(at, 99)).find(
      ({ orderId }) => orderId === createOrderId(of, 1),
    )
    expect(await store.claimRefund(event?.id ?? 0, at)).toBe(true)
    const gatewayResponse = { raw: '{}', gateway: 'airpay', message: 'Too late.' }
    await store.recordRefundResponse(
      event?.id ?? 0,
      response === 'begun'
        ? { ...gatewayResponse, message: '', is: 'begun', reference: 'RF1' }
        : { ...gatewayResponse, is: 'refused' },
      at,
    )
  }
  await startRefund(abandoned, 'begun')
  expect((await readCounts())['review'] ?? 0).toBe(before)
  await startRefund(refused, 'refused')
  expect((await readCounts())['review']).toBe(before + 1)
  test_.setTime('2025-11-20T12:00:00+05:30')
  office = await signIn(test_)
  expect(await store.markUnansweredRefunds(test_.now())).toBe(1)
  expect((await readCounts())['review']).toBe(before + 2)
  const rows = await listNumbers('review')
  for (const regNo of [abandoned, refused]) expect(rows).toContain(regNo)
  expect(rows).not.toContain(intactRegNo)
  expect((await readPage('/admin/afpicon/registrations/?waiting=review')).count).toBe(before + 2)
})
