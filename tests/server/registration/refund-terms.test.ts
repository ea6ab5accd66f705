/** A refund that excludes the tax and deducts a charge: self-service page, office and credit note. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import type { ActionsResponse, SelfServiceResponse } from '../../../engine/api.ts'
import { issueLink } from '../../../server/registration/access-link.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { actionsUrl, createEventWithItems, toNoon, register, signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'

const EVENT = 'sample2026'
let server: TestApp
let office: Office
let regNo: RegNo
let pagePath: string

beforeAll(async () => {
  const event = createEventWithItems('', []).replace(
    /cancellation:\n.*\n/,
    `cancellation:
  without_tax: true
  steps:
    - {until: 2026-01-31, refund: 75%, charge: 100}
    - {until: 2026-02-15, refund: 50%, charge: 100}
    - {otherwise: none}
`,
  )
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': event } })
  office = await signIn(server)
  regNo = await register(server, EVENT, {
    n: 1,
    on: toNoon('2026-01-20'),
    answers: {
      full_name: 'Asha Sample',
      email: 'asha@example.org',
      phone_number: '+919876510001',
      is_member: true,
    },
    pays: 'success',
  })
  pagePath = `/api${new URL(await issueLink(server.deps, { regNo, eventId: EVENT })).pathname}`
})
afterAll(() => server.close())

const readCancellationTerms = async () =>
  (await server.app.inject(pagePath)).json<SelfServiceResponse>().cancel
const readActions = async () => (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse

test('the delegate sees the refund for each cancellation date, and how it is calculated', async () => {
  // 75% of 1,000 (excluding the GST of 180), less 100.
  expect(await readCancellationTerms()).toEqual({
    asked_at: null,
    kept: 1180,
    back: 650,
    terms: { percent: 75, of: 1000, without_tax: 'GST', charge: 100 },
  })
  server.setTime('2026-02-10')
  expect(await readCancellationTerms()).toMatchObject({ back: 400, terms: { percent: 50 } })
  server.setTime('2026-02-20')
  expect(await readCancellationTerms()).toEqual({ asked_at: null, kept: 1180, back: 0 })
  server.setTime('2026-01-20')
})

test('the office shows the same figures and refunds the amount, and the credit note excludes the tax on the retained amount', async () => {
  expect(await readActions()).toMatchObject({
    proposed_back: 650,
    cancellation: {
      paid: 1180,
      owed: 0,
      remaining: 1180,
      percent: 75,
      tax_kept: 180,
      charge: 100,
      share: 650,
    },
  })
  const cancelResponse = await office.act(regNo, {
    act: 'cancel',
    why: 'Requested by the delegate.',
    pay_back: '650',
    kept: '1180',
  })
  expect(cancelResponse.body.message).toBe('Registration cancelled. To refund: ₹\u00a0650.')
  const refundResponse = await office.act(regNo, {
    act: 'refund',
    amount: '650',
    why: 'Requested by the delegate.',
    by_hand: true,
    reference: 'NEFT 1',
  })
  expect(refundResponse.status).toBe(200)
  const { store } = server.deps
  const bodies = await Promise.all(
    (await store.documents(regNo)).map(({ id }) => store.document(regNo, id)),
  )
  const documentAmounts = bodies.flatMap((body) =>
    body === null || body.kind === 'receipt'
      ? []
      : [[body.kind, Number(body.base), Number(body.gst)]],
  )
  // The retained 530 includes 18% tax: 449.15 + 80.85. A cancellation charge is taxed like the service.
  expect(documentAmounts).toEqual([
    ['invoice', 100_000, 18_000],
    ['credit', 55_085, 9_915],
  ])
})
