/** The office's work queue: each number on the dashboard is the length of the list behind it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instant, createOrderId, toAmount, getReviewVersion } from '../../../engine/index.ts'
import type { ListResponse, StatsResponse } from '../../../engine/api.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { toNoon, register, signIn } from './office.ts'
import type { Office } from './office.ts'

const EVENT = 'afpicon2026'
let server: TestApp
let office: Office

beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  office = await signIn(server)
})
afterAll(() => server.close())

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
const listRegNos = async (id: string): Promise<string[]> =>
  (await readPage(`/admin/afpicon/registrations/?waiting=${id}`)).registrations.map(
    (row) => row.reg_no,
  )

test('every number in the work queue is the length of its list, and falls when an item is handled', async () => {
  const { store } = server.deps
  const countsBefore = await readCounts()
  const registerSample = async (n: number, paymentResult?: 'success' | 'wrong-amount') =>
    register(server, EVENT, {
      n,
      on: toNoon('2025-10-10'),
      answers: buildAnswers(`Waiting ${n}`),
      ...(paymentResult === undefined ? {} : { pays: paymentResult }),
    })
  const reviewRegNo = await registerSample(201, 'wrong-amount')
  const paidRegNo = await registerSample(202, 'success')
  const requestingRegNo = await registerSample(203, 'success')
  const secondReviewRegNo = await registerSample(205, 'wrong-amount')
  const emailedRegNo = await registerSample(204)
  const failedEmail = { to: 'nobody@example.org', copyTo: null, subject: 'Yours', text: 'Yes.' }
  await store.mailFailed(
    await store.queueMail(emailedRegNo, failedEmail, server.now()),
    'No such box',
    null,
  )
  const actionInput = { who: 'office', at: server.now(), idempotencyKey: null } as const
  const cancelResult = await store.cancel(
    { ...actionInput, regNo: paidRegNo, act: 'cancel', actor: 'owner', why: 'Ill' },
    { refundAmount: toAmount(100_000), shownPaidAmount: null, mail: null },
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
    review: reviewRegNo,
    pay_back: paidRegNo,
    cancel_asked: requestingRegNo,
    mail_failed: emailedRegNo,
  }
  for (const [id, regNo] of Object.entries(expectedRegNos)) {
    expect((await readCounts())[id], id).toBe((countsBefore[id] ?? 0) + (id === 'review' ? 2 : 1))
    expect(await listRegNos(id), id).toContain(regNo)
    expect((await readPage(`/admin/afpicon/registrations/?waiting=${id}`)).count).toBe(
      (await readCounts())[id],
    )
  }
  // A day later, the unpaid registration is pending, but the one under review is not.
  server.setTime('2025-10-11T18:00:00+05:30')
  office = await signIn(server)
  expect(await listRegNos('pending')).toContain(emailedRegNo)
  expect(await listRegNos('pending')).not.toContain(reviewRegNo)
  expect((await readPage('/admin/afpicon/registrations/?waiting=pending')).count).toBe(
    (await readCounts())['pending'],
  )
  server.setTime('2025-10-10T16:00:00+05:30')
  office = await signIn(server)

  for (const regNo of [requestingRegNo, emailedRegNo])
    await store.addNote({
      ...actionInput,
      regNo,
      act: 'note',
      actor: 'desk',
      why: 'Rang her up.',
      at: instant(server.now() + 1),
    })
  const countsAfter = await readCounts()
  expect([countsAfter['cancel_asked'] ?? 0, countsAfter['mail_failed'] ?? 0]).toEqual([
    countsBefore['cancel_asked'] ?? 0,
    countsBefore['mail_failed'] ?? 0,
  ])
  // Undoing a note reopens the item that the note closed. Only its author can undo a note, and only once.
  const undo = { ...actionInput, act: 'undo_note', actor: 'desk', why: ' Rang her up. ' } as const
  for (const regNo of [requestingRegNo, emailedRegNo]) {
    const undoByOther = await store.undoNote({ ...undo, regNo, who: 'another' })
    expect(undoByOther).toMatchObject({ ok: false, error: { code: 'not_now' } })
    expect((await store.undoNote({ ...undo, regNo })).ok).toBe(true)
    expect((await store.undoNote({ ...undo, regNo })).ok).toBe(false)
  }
  expect(await listRegNos('cancel_asked')).toContain(requestingRegNo)
  expect(await listRegNos('mail_failed')).toContain(emailedRegNo)
  const reviewVersions = (await store.reviews(null)).map(getReviewVersion)
  const acceptResponse = await server.app.inject({
    method: 'POST',
    url: '/admin/registrations/bulk/',
    headers: { authorization: `Bearer ${office.token}` },
    payload: {
      act: 'accept',
      reg_nos: [secondReviewRegNo, paidRegNo],
      versions: reviewVersions,
      why: 'The bank says so.',
    },
  })
  expect(acceptResponse.json()).toMatchObject({
    done: [secondReviewRegNo],
    refused: [{ reg_no: paidRegNo }],
  })
  expect(await listRegNos('review')).toEqual([reviewRegNo])
  expect(
    (await readPage('/admin/afpicon/registrations/?waiting=review&search=Waiting')).shown,
  ).toBe('1 registration needing review, matching “Waiting”')
})

test('a refund that the gateway rejected, or started but never paid, is in the work queue', async () => {
  const { store } = server.deps
  const registerPaid = async (n: number) =>
    register(server, EVENT, {
      n,
      on: toNoon('2025-10-10'),
      answers: buildAnswers(`Refunded ${n}`),
      pays: 'success',
      throughGateway: true,
    })
  const [abandonedRegNo, refusedRegNo, intactRegNo] = [
    await registerPaid(301),
    await registerPaid(302),
    await registerPaid(303),
  ]
  const reviewsBefore = (await readCounts())['review'] ?? 0
  const startRefund = async (regNo: typeof abandonedRegNo, response: 'begun' | 'refused') => {
    const at = server.now()
    const refundRequest = { of: regNo, amount: toAmount(50_000), why: 'Ill', who: 'office', at }
    expect((await store.requestRefund(refundRequest)).ok).toBe(true)
    const pendingRefund = (await store.refundsToSend(at, 99)).find(
      ({ orderId }) => orderId === createOrderId(regNo, 1),
    )
    expect(await store.claimRefund(pendingRefund?.id ?? 0, at)).toBe(true)
    const gatewayResponse = { raw: '{}', gateway: 'airpay', message: 'Too late.' }
    await store.recordRefundResponse(
      pendingRefund?.id ?? 0,
      response === 'begun'
        ? { ...gatewayResponse, message: '', is: 'begun', reference: 'RF1' }
        : { ...gatewayResponse, is: 'refused' },
      at,
    )
  }
  await startRefund(abandonedRegNo, 'begun')
  expect((await readCounts())['review'] ?? 0).toBe(reviewsBefore)
  await startRefund(refusedRegNo, 'refused')
  expect((await readCounts())['review']).toBe(reviewsBefore + 1)
  server.setTime('2025-11-20T12:00:00+05:30')
  office = await signIn(server)
  expect(await store.markUnansweredRefunds(server.now())).toBe(1)
  expect((await readCounts())['review']).toBe(reviewsBefore + 2)
  const reviewRegNos = await listRegNos('review')
  for (const regNo of [abandonedRegNo, refusedRegNo]) expect(reviewRegNos).toContain(regNo)
  expect(reviewRegNos).not.toContain(intactRegNo)
  expect((await readPage('/admin/afpicon/registrations/?waiting=review')).count).toBe(
    reviewsBefore + 2,
  )
})
