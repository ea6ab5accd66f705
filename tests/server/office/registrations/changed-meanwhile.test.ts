/** Requests that wait while another request removes their user, or changes the registration that they have read. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OrderId, RegNo } from '../../../../engine/index.ts'
import { instant, toAmount } from '../../../../engine/index.ts'
import type { BulkActionResponse, RegisterResponse } from '../../../../engine/api.ts'
import { issueLink } from '../../../../server/registration/access-link.ts'
import type { Store } from '../../../../server/storage/index.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { buildSale } from '../../sample-registrations.ts'
import { createPdf } from '../../sample-uploads.ts'
import { addMemberLetter, fixtureDelegate, buildFixtureEvent } from '../../small-event.ts'
import { hashCheaply, PASSWORD, readShownVersion, signIn } from '../office.ts'
import type { Office } from '../office.ts'

const EVENT = 'sample2026'
const EVENT_EXTRAS = `
approval:
  - {id: society, when: {category: member}, documents: [letter], decide_within: 2 days, pay_within: 7 days}
unique:
  - {fields: [full_name, phone_number], on_duplicate: warn, message: Registered already. Again?}
`
const EVENT_FILE = addMemberLetter(buildFixtureEvent({ extra: EVENT_EXTRAS }), 'Letter')
const CHANGED_MESSAGE =
  'This registration has changed since you opened it. Reload the page and check it again.'
const SECOND_PERSON = {
  full_name: 'Zulekha Second',
  email: 'z@second.example',
  phone_number: '9847012345',
}
let server: TestApp
let owner: Office
let colleague: Office
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': EVENT_FILE },
  })
  owner = await signIn(server)
})
afterAll(() => server.close())
beforeEach(async () => {
  vi.restoreAllMocks()
  await server.deps.store.removeAdmin('colleague')
  await server.deps.store.addAdmin('colleague', await hashCheaply(PASSWORD), server.now(), {
    role: 'owner',
    events: null,
  })
  colleague = await signIn(server, 'colleague')
})

async function registerDelegate({ pays = false, isMember = false } = {}) {
  const answers = { ...fixtureDelegate, is_member: String(isMember), confirmed: 'true' }
  const files = isMember ? { letter: { name: 'letter.pdf', bytes: createPdf('letter') } } : {}
  const response = await server.post(`/api/${EVENT}/register/`, answers, files)
  expect(response.statusCode, response.body).toBe(201)
  const { reg_no: number, payment_data: order } = response.json<RegisterResponse>()
  const regNo = number as RegNo
  if (pays)
    await server.deps.store.applyPaymentEvent(
      order?.orderid as OrderId,
      buildSale(`AP${regNo}`, toAmount(354_000), server.now()),
      null,
    )
  const link = await issueLink(server.deps, { regNo, eventId: EVENT })
  return { regNo, path: `/api${new URL(link).pathname}` }
}

/** Makes the next call of a store function wait until `change` is done, as a row lock does. */
function delayUntil(name: keyof Store, change: () => Promise<unknown>): void {
  const store = server.deps.store as unknown as Record<string, (...args: never[]) => unknown>
  const original = store[name]
  vi.spyOn(store, name).mockImplementationOnce(async (...args) => {
    await change()
    return original?.(...args)
  })
}

const transfer = (regNo: RegNo) =>
  owner.act(regNo, { act: 'transfer', why: 'They asked.', answers: SECOND_PERSON })
const correctAddress = (regNo: RegNo) =>
  owner.act(regNo, { act: 'correct', why: 'Typo.', answers: { email: 'right@sample.example' } })
const erase = (regNo: RegNo) => owner.act(regNo, { act: 'erase', why: 'They asked.' })
const HOLDER_CHANGES = { transfer, 'corrected email': correctAddress, erase }

const readTraces = (regNo: RegNo) =>
  server.rows(
    `SELECT act AS what, why AS text FROM acts JOIN registrations r ON r.id = registration_id WHERE r.reg_no = ?
     UNION ALL SELECT what, '' FROM audit_log a JOIN registrations r ON r.id = a.registration_id WHERE r.reg_no = ?
     UNION ALL SELECT recipient, subject || ': ' || body FROM mail_queue m JOIN registrations r ON r.id = m.registration_id WHERE r.reg_no = ?`,
    regNo,
    regNo,
    regNo,
  )

describe.each(Object.entries(HOLDER_CHANGES))('while a request waits: %s', (_, change) => {
  let traces: readonly object[]
  const changeAndRead = async (regNo: RegNo): Promise<void> => {
    expect(await change(regNo)).toMatchObject({ status: 200 })
    traces = readTraces(regNo)
  }

  test('the former link cannot request the cancellation of the registration', async () => {
    const { regNo, path } = await registerDelegate({ pays: true })
    delayUntil('requestCancellation', () => changeAndRead(regNo))
    const payload = { act: 'ask_cancel', why: 'Private reason' }
    const response = await server.app.inject({ method: 'POST', url: `${path}/acts/`, payload })
    expect([response.statusCode, response.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'moved_on', message: CHANGED_MESSAGE }),
    ])
    expect(readTraces(regNo)).toEqual(traces)
  })

  test('the former link cannot upload a file, and nothing of the file is kept', async () => {
    const { regNo, path } = await registerDelegate({ pays: true })
    delayUntil('saveDraftUpload', () => changeAndRead(regNo))
    const file = { name: 'private diagnosis.pdf', bytes: createPdf(`private ${regNo}`) }
    const response = await server.post(`${path}/proofs/`, {}, { letter: file })
    expect([response.statusCode, response.json()]).toMatchObject([404, { code: 'link_unknown' }])
    expect(server.rows("SELECT field FROM draft_proofs WHERE name <> '' OR at > 0")).toEqual([])
    // The job that deletes expired drafts deletes the file too.
    const sha256 = createHash('sha256').update(file.bytes).digest('hex')
    expect(await server.deps.store.deleteOldDraftUploads(instant(0))).toEqual([sha256])
  })

  // Only a paid registration can be transferred.
  test.each(
    (
      [
        ['resend', 'sendMail', true],
        ['cancel', 'cancel', true],
        ['refuse', 'rejectApplication', false],
        ['approve', 'approve', false],
      ] as const
    ).filter(([, , isPaid]) => isPaid || change !== transfer),
  )('staff cannot %s with an email to the former address', async (act, name, isPaid) => {
    const { regNo } = await registerDelegate({ pays: isPaid, isMember: !isPaid })
    delayUntil(name, () => changeAndRead(regNo))
    expect(await colleague.act(regNo, { act, why: 'Decided.' })).toMatchObject({
      status: 409,
      body: { message: CHANGED_MESSAGE },
    })
    expect(readTraces(regNo)).toEqual(traces)
  })
})

test('a link that was revoked between two reads of a request cannot be used for the new holder', async () => {
  const { regNo, path } = await registerDelegate({ pays: true })
  delayUntil('registration', () => transfer(regNo))
  const payload = { act: 'ask_cancel', why: 'x' }
  const response = await server.app.inject({ method: 'POST', url: `${path}/acts/`, payload })
  expect([response.statusCode, response.json()]).toMatchObject([409, { code: 'moved_on' }])
})

describe('a user who loses their account or role while a request waits', () => {
  const bulk = async (payload: object): Promise<BulkActionResponse> => {
    const headers = { authorization: `Bearer ${colleague.token}` }
    const url = '/api/admin/registrations/bulk/'
    return (await server.app.inject({ method: 'POST', url, headers, payload })).json()
  }
  const removals = {
    removed: () => server.deps.store.removeAdmin('colleague'),
    'signed out': () => server.deps.store.setPassword('colleague', 'hash', server.now()),
    demoted: () => server.deps.store.setPermissions('colleague', { role: 'desk', events: null }),
    'limited to another event': () =>
      server.deps.store.setPermissions('colleague', { role: 'owner', events: ['other'] }),
  }
  const LOST_MESSAGE =
    'Not done: you are no longer signed in, or your permissions have changed. Reload the page.'

  test.each(Object.entries(removals))(
    '%s: the rest of a bulk action is not done',
    async (_, remove) => {
      const regNos: RegNo[] = []
      for (let count = 0; count < 3; count += 1)
        regNos.push((await registerDelegate({ isMember: true })).regNo)
      const { approve } = server.deps.store
      vi.spyOn(server.deps.store, 'approve').mockImplementationOnce(async (...args) => {
        const result = await approve(...args)
        await remove()
        return result
      })
      const result = await bulk({ act: 'approve', reg_nos: regNos })
      expect(result).toEqual({
        status: 'success',
        message: '1 done; 2 failed, for the reasons below.',
        done: regNos.slice(0, 1),
        refused: regNos.slice(1).map((regNo) => ({ reg_no: regNo, message: LOST_MESSAGE })),
      })
      for (const regNo of regNos.slice(1))
        expect((await server.deps.store.registration(regNo))?.state).toBe('to_approve')
    },
  )

  test('removed: a refund that waited is neither stored nor sent to the gateway', async () => {
    const { regNo } = await registerDelegate({ pays: true })
    delayUntil('refund', removals.removed)
    const action = { act: 'refund', why: 'Ill.', amount: '100' }
    expect(await colleague.act(regNo, action)).toMatchObject({
      status: 403,
      body: { code: 'not_your_role', message: LOST_MESSAGE },
    })
    expect(await server.deps.store.refunds(regNo)).toEqual([])
  })

  test('removed: a decision on a review that waited is not stored', async () => {
    const { regNo } = await registerDelegate({ pays: true })
    const payment = { way: 'cash', reference: 'R-7', amount: '3540', day: '2026-01-10' }
    const extra = await owner.act(regNo, { act: 'came_again', why: 'Paid twice.', ...payment })
    expect(extra).toMatchObject({ status: 200 })
    const [review] = (await server.deps.store.reviews(EVENT)).filter((row) => row.regNo === regNo)
    const version = await readShownVersion(server, review?.id)
    delayUntil('decideReview', removals.removed)
    const response = await server.app.inject({
      method: 'POST',
      url: `/api/admin/reviews/${review?.id}/decide/`,
      headers: { authorization: `Bearer ${colleague.token}` },
      payload: { decision: 'refund', version, why: 'Paid twice.', by_hand: true, reference: 'N-1' },
    })
    expect([response.statusCode, response.json()]).toMatchObject([403, { message: LOST_MESSAGE }])
    expect(await server.deps.store.refunds(regNo)).toEqual([])
    expect(await server.deps.store.review(review?.id ?? '')).not.toBeNull()
  })

  test('a promoted user can continue', async () => {
    const { regNo } = await registerDelegate({ pays: true })
    const { store } = server.deps
    await store.setPermissions('colleague', { role: 'desk', events: [EVENT] })
    delayUntil('addNote', () => store.setPermissions('colleague', { role: 'owner', events: null }))
    expect((await colleague.act(regNo, { act: 'note', why: 'Rang.' })).status).toBe(200)
  })
})
