/** Refunds of transfers that the bank returned: from which payment they are made, and who can use the reference. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  RegisterResponse,
  ReviewsResponse,
  StatementDecisionResponse,
  StatementResponse,
  StatementUploadResponse,
} from '../../../../engine/api.ts'
import { startRefundEmails } from '../../../../server/mail/send-refund-emails.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, hashCheaply, NEW_HOLDER, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const [OWN_EVENT, OTHER_EVENT] = ['lekhacon2027', 'bimacon2027'] as const
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', `${OWN_EVENT}.yaml`),
  'utf8',
).replace('max: {records: 2,', 'max: {records: 30,')
const FEE = 4720
const WORKSHOP = 1180

let server: TestApp
/** A user with access to both events. */
let office: Office
let ownTreasurer: Office
let otherTreasurer: Office
beforeAll(async () => {
  const otherEventFile = eventFile.replaceAll(OWN_EVENT, OTHER_EVENT).replaceAll('LEKH', 'BIMA')
  server = await startTestApp({
    clock: '2027-01-10',
    events: { [`${OWN_EVENT}.yaml`]: eventFile, [`${OTHER_EVENT}.yaml`]: otherEventFile },
  })
  office = await signIn(server)
  for (const [name, event] of [
    ['here', OWN_EVENT],
    ['there', OTHER_EVENT],
  ] as const)
    await server.deps.store.addAdmin(name, await hashCheaply(PASSWORD), server.now(), {
      role: 'treasurer',
      events: [event],
    })
  ownTreasurer = await signIn(server, 'here')
  otherTreasurer = await signIn(server, 'there')
})
afterAll(() => server.close())

let counter = 0
/** Returns an unused UTR. */
const createUtr = (): string => String(526_888_000_000 + ++counter)
const register = async (event: string = OWN_EVENT): Promise<RegNo> => {
  counter += 1
  const response = await server.post(`/api/${event}/register/`, {
    full_name: `Delegate ${counter}`,
    email: `delegate${counter}@delegate.example`,
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  return response.json<RegisterResponse>().reg_no as RegNo
}
const confirm = async (regNo: RegNo, reference: string, amount = FEE, method = 'transfer') => {
  const action = { act: 'confirm', way: method, reference, amount: String(amount) }
  expect(await office.act(regNo, action)).toMatchObject({ status: 200 })
}
/** Registers a delegate who paid the fee by transfer and then chose a workshop, which is not paid yet. */
const registerWithBalance = async (): Promise<RegNo> => {
  const regNo = await register()
  await confirm(regNo, createUtr())
  const correction = { act: 'correct', why: 'By phone.', answers: { workshop: 'records' } }
  expect(await office.act(regNo, { ...correction, total: FEE + WORKSHOP })).toMatchObject({
    status: 200,
  })
  return regNo
}
const post = async <T>(user: Office, url: string, payload: string | object): Promise<T> => {
  const type = typeof payload === 'string' ? 'text/csv' : 'application/json'
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': type }
  const response = await server.app.inject({ method: 'POST', url, headers, payload })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<T>()
}
const HEADER = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
type View = Extract<StatementResponse, { unchanged: false }>
/** Uploads a statement, and returns it as this user sees it. */
const uploadStatement = async (user: Office, ...rows: readonly string[]): Promise<View> => {
  const file = [HEADER, ...rows].join('\n')
  const upload = await post<StatementUploadResponse>(user, '/admin/statements/', file)
  if (upload.header !== null) throw new Error('unknown columns')
  return (await user.json(`/admin/statements/${upload.id}/`)) as unknown as View
}
const uploadReturn = (user: Office, reference: string, amount: number) =>
  uploadStatement(user, `10/01/27,NEFT RTN ${reference},,${amount},`)
/** Splits one transfer between registrations. Returns its reference. */
const splitTransfer = async (amount: number, ...regNos: readonly RegNo[]): Promise<string> => {
  const reference = createUtr()
  const { statement, lines } = await uploadStatement(
    office,
    `09/01/27,HOSPITAL,${reference},,${amount * regNos.length}`,
  )
  const [line] = lines
  const parts = regNos.map((regNo) => ({ line: line?.id, seen: null, reg_no: regNo, amount }))
  const url = `/admin/statements/${statement.id}/assign/`
  const { refused } = await post<StatementDecisionResponse>(office, url, { lines: parts })
  expect(refused).toEqual([])
  return reference
}
const refund = async (user: Office, regNo: RegNo, amount: number, reference: string) => {
  const action = { act: 'refund', why: 'Returned.', by_hand: true, amount: String(amount) }
  const { status, body } = await user.act(regNo, { ...action, reference })
  return status === 200 ? 200 : [status, body.message?.replaceAll('\u00a0', ' ')]
}
/** The registrations whose payments the bank may have returned. */
const listReturned = async (): Promise<readonly (string | null)[]> => {
  const { reviews } = (await office.json('/admin/reviews/')) as unknown as ReviewsResponse
  return reviews.flatMap(({ kind, reg_no: regNo }) => (kind === 'returned' ? [regNo] : []))
}
const readReasons = async (regNo: RegNo): Promise<readonly string[]> => {
  const { reviews } = (await office.json('/admin/reviews/')) as unknown as ReviewsResponse
  return reviews.flatMap((review) => (review.reg_no === regNo ? [review.why] : []))
}
const ownTreasurerFirst = () =>
  [
    [ownTreasurer, OWN_EVENT],
    [otherTreasurer, OTHER_EVENT],
  ] as const
const otherTreasurerFirst = () => ownTreasurerFirst().toReversed()
const refuseReceived = (reference: string) => [
  409,
  `${reference} is the reference of a received payment. Enter the reference of the refund itself.`,
]

describe('the refund of a returned transfer', () => {
  test.each([
    ['the reference of the transfer', (reference: string) => reference],
    ['a new reference of the bank', () => createUtr()],
  ])(
    'that paid for a workshop under %s closes the review, although an earlier payment covers it',
    async (_, buildReference) => {
      const regNo = await registerWithBalance()
      const reference = createUtr()
      await confirm(regNo, reference, WORKSHOP)
      await uploadReturn(office, reference, WORKSHOP)
      expect(await listReturned()).toContain(regNo)
      expect(await refund(office, regNo, WORKSHOP, buildReference(reference))).toBe(200)
      expect(await listReturned()).not.toContain(regNo)
    },
  )

  test('that paid for a workshop leaves the workshop unpaid if staff close the review, correct the registration before the refund and reverse the correction after it', async () => {
    const regNo = await registerWithBalance()
    const reference = createUtr()
    await confirm(regNo, reference, WORKSHOP)
    await uploadReturn(office, reference, WORKSHOP)
    const correct = async (workshop: string | null, total: number) =>
      expect(
        await office.act(regNo, { act: 'correct', why: 'Returned.', answers: { workshop }, total }),
      ).toMatchObject({ status: 200 })
    const { reviews } = (await office.json('/admin/reviews/')) as unknown as ReviewsResponse
    const review = reviews.find(({ reg_no: reviewedNo }) => reviewedNo === regNo)
    await post(office, `/admin/reviews/${review?.id}/decide/`, {
      decision: 'dismiss',
      version: review?.version,
      why: 'Recorded with a correction.',
    })
    await correct(null, FEE)
    expect(await refund(office, regNo, WORKSHOP, reference)).toBe(200)
    await correct('records', FEE + WORKSHOP)
    expect(await office.json(actionsUrl(regNo))).toMatchObject({ due: WORKSHOP, kept: FEE })
  })

  test('by cheque closes the review, although an earlier payment covers it', async () => {
    const regNo = await registerWithBalance()
    await confirm(regNo, '458213', WORKSHOP, 'cheque')
    await uploadStatement(office, `10/01/27,CHQ RETURN 458213,458213,${WORKSHOP},`)
    expect(await readReasons(regNo)).toEqual([
      expect.stringContaining('It may have returned this payment.'),
    ])
    expect(await refund(office, regNo, WORKSHOP, '458213')).toBe(200)
    expect(await listReturned()).not.toContain(regNo)
  })

  test('cannot exceed the returned transfer', async () => {
    const regNo = await registerWithBalance()
    const reference = createUtr()
    await confirm(regNo, reference, WORKSHOP)
    await uploadReturn(office, reference, WORKSHOP)
    const explain = (left: string) => [
      422,
      `${left} is left to refund of the payment that ${reference} names. Record any other refund under its own reference.`,
    ]
    expect(await refund(office, regNo, FEE, reference)).toEqual(explain('Only ₹ 1,180'))
    expect(await refund(office, regNo, WORKSHOP, reference)).toBe(200)
    expect(await refund(office, regNo, 1, reference)).toEqual(explain('Nothing'))
  })

  test('cannot be less than the returned transfer, because the rest could not be recorded under its reference', async () => {
    const regNo = await registerWithBalance()
    const reference = createUtr()
    await confirm(regNo, reference, WORKSHOP)
    await uploadReturn(office, reference, WORKSHOP)
    const explain = (amount: string) => [
      422,
      `The bank returned ${amount} of the payment that ${reference} names. Record this amount under ${reference}, and any other refund under its own reference.`,
    ]
    expect(await refund(office, regNo, 100, reference)).toEqual(explain('₹ 1,180'))
    expect(await refund(office, regNo, WORKSHOP, reference)).toBe(200)
    expect(await listReturned()).not.toContain(regNo)
  })

  test('that the bank returned in part closes the review, and cannot be less than this part', async () => {
    const regNo = await register()
    const reference = createUtr()
    await confirm(regNo, reference)
    await uploadStatement(office, `10/01/27,NEFT RTN ${reference},,1000,`)
    expect(await refund(office, regNo, 999, reference)).toEqual([
      422,
      expect.stringContaining('The bank returned ₹ 1,000 of'),
    ])
    expect(await refund(office, regNo, 1000, reference)).toBe(200)
    expect(await listReturned()).not.toContain(regNo)
  })

  test('that paid for two workshops is recorded for each of them', async () => {
    const regNos = [await registerWithBalance(), await registerWithBalance()]
    const reference = await splitTransfer(WORKSHOP, ...regNos)
    await uploadReturn(office, reference, 2 * WORKSHOP)
    for (const regNo of regNos) expect(await refund(office, regNo, WORKSHOP, reference)).toBe(200)
    const open = await listReturned()
    expect(regNos.filter((regNo) => open.includes(regNo))).toEqual([])
  })

  test('that returned one half of a split transfer is recorded for one part, and the review of the other part closes', async () => {
    const [firstNo, secondNo] = [await register(), await register()]
    const reference = await splitTransfer(FEE, firstNo, secondNo)
    await uploadReturn(office, reference, FEE)
    expect(await refund(office, firstNo, FEE, reference)).toBe(200)
    expect(await refund(office, secondNo, FEE, reference)).toEqual([
      409,
      `The bank withdrew ₹ 4,720 under ${reference}, and refunds of ₹ 4,720 are already recorded under it. Record any other refund under its own reference.`,
    ])
    const open = await listReturned()
    expect([open.includes(firstNo), open.includes(secondNo)]).toEqual([false, false])
    expect(await server.deps.store.registration(secondNo)).toMatchObject({
      paymentStatus: 'success',
      inReview: false,
    })
  })

  test('that returned more than one part of a split transfer leaves the rest of the withdrawal for the other part', async () => {
    const [firstNo, secondNo] = [await register(), await register()]
    const reference = await splitTransfer(FEE, firstNo, secondNo)
    await uploadReturn(office, reference, FEE + 1000)
    expect(await refund(office, firstNo, FEE, reference)).toBe(200)
    expect((await readReasons(secondNo)).join().replaceAll('\u00a0', ' ')).toBe(
      `The bank shows a withdrawal of ₹ 5,720 on 10 January 2027 that names ${reference}. Refunds under this reference: ₹ 4,720 recorded, ₹ 1,000 left. It may have returned this payment. If so, record the refund on the page of the registration.`,
    )
    expect(await refund(office, secondNo, FEE, reference)).toEqual([
      409,
      `The bank withdrew ₹ 5,720 under ${reference}, and refunds of ₹ 4,720 are already recorded under it. Record at most ₹ 1,000 under it, and any other refund under its own reference.`,
    ])
    expect(await refund(office, secondNo, 1000, reference)).toBe(200)
    expect(await listReturned()).not.toContain(secondNo)
  })

  test('that the bank returned in part cannot be more than this part under its reference', async () => {
    const regNo = await register()
    const reference = createUtr()
    await confirm(regNo, reference)
    await uploadReturn(office, reference, 2000)
    expect(await refund(office, regNo, 3000, reference)).toEqual([
      409,
      `The bank withdrew ₹ 2,000 under ${reference}. Record at most ₹ 2,000 under it, and any other refund under its own reference.`,
    ])
    expect(await refund(office, regNo, 2000, reference)).toBe(200)
    expect(await listReturned()).not.toContain(regNo)
    expect(await refund(office, regNo, 100, reference)).toEqual([
      409,
      expect.stringContaining('refunds of ₹ 2,000 are already recorded under it'),
    ])
    expect(await refund(office, regNo, 1000, createUtr())).toBe(200)
  })

  test('that the bank returned in two withdrawals is recorded for each of them under the same reference', async () => {
    const regNo = await register()
    const reference = createUtr()
    await confirm(regNo, reference)
    await uploadReturn(office, reference, 2000)
    expect(await refund(office, regNo, 2000, reference)).toBe(200)
    await uploadStatement(office, `10/01/27,NEFT RTN ${reference} AGAIN,,700,`)
    expect(await listReturned()).toContain(regNo)
    expect(await refund(office, regNo, 700, reference)).toBe(200)
    expect(await listReturned()).not.toContain(regNo)
  })

  test.each([OWN_EVENT, OTHER_EVENT])(
    'can be recorded, because no other registration in %s can use its reference',
    async (event) => {
      const [regNo, unrelatedNo] = [await register(), await register(event)]
      const reference = createUtr()
      await confirm(regNo, reference)
      await confirm(unrelatedNo, createUtr())
      await uploadReturn(office, reference, FEE)
      const user = event === OWN_EVENT ? ownTreasurer : otherTreasurer
      for (const spelling of [reference, `${reference}/2`, `NEFT RTN ${reference}`])
        expect(await refund(user, unrelatedNo, 1, spelling)).toEqual(refuseReceived(spelling))
      expect(await refund(ownTreasurer, regNo, FEE, reference)).toBe(200)
    },
  )

  test('that was split is recorded for its second part after the first part was refunded otherwise', async () => {
    const [firstNo, secondNo] = [await register(), await register()]
    const reference = await splitTransfer(FEE, firstNo, secondNo)
    expect(await refund(office, firstNo, FEE, createUtr())).toBe(200)
    await uploadReturn(office, reference, 2 * FEE)
    expect(await refund(office, secondNo, FEE, reference)).toBe(200)
    expect(await listReturned()).not.toContain(secondNo)
  })

  test.each([
    ['that of the second part', ownTreasurerFirst],
    ['that of the first part', otherTreasurerFirst],
  ])(
    'that was split between two events is recorded by each treasurer, whichever of them uploads the return first: %s',
    async (_, listUsers) => {
      const regNos = [await register(OTHER_EVENT), await register(OWN_EVENT)]
      const reference = await splitTransfer(FEE, ...regNos)
      for (const [user, event] of listUsers()) {
        const [regNo, otherNo] = event === OWN_EVENT ? regNos.toReversed() : regNos
        if (regNo === undefined) throw new Error('no registration')
        const { returned } = await uploadReturn(user, reference, 2 * FEE)
        expect(returned.map(({ why, of }) => [why, of])).toEqual([
          [
            'This withdrawal refers to a payment: the bank may have returned it. Check the registration.',
            [regNo],
          ],
        ])
        const open = await listReturned()
        expect([open.includes(regNo), open.includes(otherNo ?? '')]).toEqual([true, false])
        expect(await refund(user, regNo, FEE, reference)).toBe(200)
        expect(await listReturned()).not.toContain(regNo)
      }
    },
  )
})

test('after a transfer, the email about a refund does not contain the bank reference of the former holder’s payment', async () => {
  const regNo = await register()
  const reference = createUtr()
  await confirm(regNo, reference)
  await uploadReturn(office, reference, FEE)
  server.setTime('2027-01-11')
  office = await signIn(server)
  const transfer = { act: 'transfer', why: 'Ill.', answers: NEW_HOLDER }
  expect(await office.act(regNo, transfer)).toMatchObject({ status: 200 })
  server.setTime('2027-01-12')
  office = await signIn(server)
  const refund = { act: 'refund', why: 'Returned.', by_hand: true, amount: String(FEE), reference }
  expect(await office.act(regNo, refund)).toMatchObject({ status: 200 })
  expect(await startRefundEmails(server.deps, { isEnabled: false }).run()).toBeGreaterThan(0)
  const email = (await server.deps.store.emailsOfRegistration(regNo)).find(({ subject }) =>
    subject.startsWith('Your refund for'),
  )
  expect(email).toMatchObject({ to: NEW_HOLDER.email })
  expect(email?.text).toContain(`for registration ${regNo}`)
  expect(email?.text).not.toContain(reference)
})
