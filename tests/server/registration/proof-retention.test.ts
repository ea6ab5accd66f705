/** Proofs for unpaid registrations: the retention period, reasons to keep them, and the record of deletions. */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instant, toAmount } from '../../../engine/index.ts'
import type { Instant, OrderId, RegNo } from '../../../engine/index.ts'
import {
  openUploads,
  getUploadLocations,
} from '../../../server/registration/uploads/store-uploaded-files.ts'
import type { StoredRegistration } from '../../../server/storage/index.ts'
import { signIn } from '../office/office.ts'
import { createPdf } from '../sample-uploads.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const REGISTRATION_TIME = '2025-10-10T12:00:00+05:30'
const AFTER_30_DAYS = '2025-11-09T12:00:00+05:30'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: REGISTRATION_TIME })
})
afterAll(() => server.close())

const computeHash = (content: string): string =>
  createHash('sha256').update(createPdf(content)).digest('hex')

async function register(content: string): Promise<RegNo> {
  server.setTime(REGISTRATION_TIME)
  const response = await server.post(
    '/api/afpicon/register/',
    {
      full_name: 'Asha Nair',
      email: 'asha@example.org',
      phone_number: '9876543210',
      ticket_type: 'afpi-pg',
    },
    { pg_proof: { name: 'proof.pdf', bytes: createPdf(content) } },
  )
  expect(response.statusCode, response.body).toBe(201)
  return response.json<{ reg_no: RegNo }>().reg_no
}
async function readRegistration(regNo: RegNo): Promise<StoredRegistration> {
  const registration = await server.deps.store.registration(regNo)
  if (registration === null) throw new Error(`no registration ${regNo}`)
  return registration
}
const readNewestOrder = async (regNo: RegNo): Promise<OrderId> => {
  const payment = (await readRegistration(regNo)).payments[0]
  if (payment === undefined) throw new Error(`no payment of ${regNo}`)
  return payment.orderId
}
/** Returns the time that is this many days after the registration. */
const daysAfterRegistration = (days: number): Instant =>
  instant(Date.parse(REGISTRATION_TIME) + days * DAY_MS)
const declineAttempt = async (regNo: RegNo, at: Instant): Promise<void> => {
  const event = { type: 'declined', code: '400', message: 'Insufficient funds', at } as const
  await server.deps.store.applyPaymentEvent(await readNewestOrder(regNo), event, null)
}
const recordPayment = async (regNo: RegNo, at: Instant, amount?: number): Promise<void> => {
  const { total } = await readRegistration(regNo)
  const commonFields = { type: 'confirmed', currency: '356', kind: 'sale', at } as const
  const event = {
    ...commonFields,
    reference: `REF${regNo}`,
    amount: toAmount(amount ?? total ?? 0),
  }
  await server.deps.store.applyPaymentEvent(await readNewestOrder(regNo), event, null)
}

/** Writes directly to the database, as another program or a later version might. */
const writeRow = (sql: string, ...params: readonly unknown[]): void => {
  const db = new Database(join(server.dir, 'rollcall.db'))
  db.prepare(sql).run(...params)
  db.close()
}
const insertCapture = (
  state: string,
  registrationId: number | null,
  paymentId: number | null,
): void =>
  writeRow(
    `INSERT INTO captures (registration_id, payment_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state)
     VALUES (?, ?, 'airpay', '', ?, 100, 'INR', 'sale', 0, 0, ?)`,
    registrationId,
    paymentId,
    randomUUID(),
    state,
  )

/** Test cases: the history, what happens to the proof after 30 days, and a function that creates the history. */
const historyCases: readonly [string, 'kept' | 'deleted', (regNo: RegNo) => Promise<unknown>][] = [
  [
    'the payment was declined 30 days ago',
    'deleted',
    (regNo) => declineAttempt(regNo, daysAfterRegistration(0)),
  ],
  [
    'the payment expired 30 days ago',
    'deleted',
    async (regNo) =>
      server.deps.store.applyPaymentEvent(
        await readNewestOrder(regNo),
        { type: 'expired', at: daysAfterRegistration(0) },
        null,
      ),
  ],
  [
    'two attempts failed, both 30 days ago',
    'deleted',
    async (regNo) => {
      await declineAttempt(regNo, instant(daysAfterRegistration(0) - 1000))
      await server.deps.store.retry(regNo, instant(daysAfterRegistration(0) - 500))
      await declineAttempt(regNo, daysAfterRegistration(0))
    },
  ],
  [
    'the payment was declined a millisecond less than 30 days ago',
    'kept',
    (regNo) => declineAttempt(regNo, instant(daysAfterRegistration(0) + 1)),
  ],
  ['it is unknown whether the registration was paid', 'kept', async () => {}],
  ['the registration was paid', 'kept', (regNo) => recordPayment(regNo, daysAfterRegistration(0))],
  [
    'the registration was paid late',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      await recordPayment(regNo, daysAfterRegistration(1))
    },
  ],
  [
    'a different amount arrived, and staff have to decide',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      await recordPayment(regNo, daysAfterRegistration(1), 100)
    },
  ],
  [
    'the registration is being paid again',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      await server.deps.store.retry(regNo, daysAfterRegistration(1))
    },
  ],
  [
    'the second attempt failed ten days ago',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      await server.deps.store.retry(regNo, daysAfterRegistration(1))
      await declineAttempt(regNo, daysAfterRegistration(20))
    },
  ],
  [
    'the attempt before the latest one is still open',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      await server.deps.store.retry(regNo, daysAfterRegistration(0))
      await declineAttempt(regNo, daysAfterRegistration(0))
      const first = (await readRegistration(regNo)).payments[1]
      writeRow("UPDATE payments SET status = 'pending' WHERE id = ?", first?.id)
    },
  ],
  [
    'the registration is under review',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      writeRow('UPDATE registrations SET in_review = 1 WHERE reg_no = ?', regNo)
    },
  ],
  [
    'an attempt is under review',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      writeRow(
        "UPDATE payments SET review = 'late_payment' WHERE order_id = ?",
        await readNewestOrder(regNo),
      )
    },
  ],
  [
    'a payment arrived and was rejected',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      insertCapture('refused', (await readRegistration(regNo)).id, null)
    },
  ],
  [
    'an unassigned payment arrived for an attempt',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      insertCapture('unmatched', null, (await readRegistration(regNo)).payments[0]?.id ?? null)
    },
  ],
  [
    'the registration is paid, whatever the state of its attempts',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      writeRow("UPDATE registrations SET payment_status = 'success' WHERE reg_no = ?", regNo)
    },
  ],
  [
    'a recent payment claim exists',
    'kept',
    async (regNo) => {
      await declineAttempt(regNo, daysAfterRegistration(0))
      await server.deps.store.scheduleGatewayQueries(
        await readNewestOrder(regNo),
        daysAfterRegistration(25),
      )
    },
  ],
]

test.each(historyCases)(
  'if %s, the proof is %s after 30 days',
  async (history, outcome, createHistory) => {
    const isKept = outcome === 'kept'
    const regNo = await register(history)
    await createHistory(regNo)
    server.setTime('2025-11-09T11:59:59+05:30')
    await server.deps.uploads.sweep()
    expect(server.listStoredUploads()).toContain(computeHash(history))
    server.setTime(AFTER_30_DAYS)
    await server.deps.uploads.sweep()
    expect(server.listStoredUploads().includes(computeHash(history))).toBe(isKept)
    expect((await readRegistration(regNo)).uploads).toEqual([
      expect.objectContaining({
        sha256: computeHash(history),
        droppedAt: isKept ? null : server.now(),
      }),
    ])
  },
)

test('staff can see when and why the document was deleted', async () => {
  const regNo = await register('seen')
  await declineAttempt(regNo, daysAfterRegistration(0))
  const office = await signIn(server)
  const pagePath = `/admin/registrations/${regNo}/`
  type Page = {
    answers: { id: string; text: string; href?: string }[]
    audit: { who: string; what: string }[]
  }
  const pageBefore = (await office.json(pagePath)) as unknown as Page
  expect(pageBefore.answers.find(({ id }) => id === 'pg_proof')).toMatchObject({
    text: 'proof.pdf',
    href: `${pagePath}files/pg_proof/`,
  })
  expect((await office.get(`${pagePath}files/pg_proof/`)).statusCode).toBe(200)
  server.setTime(AFTER_30_DAYS)
  await server.deps.uploads.sweep()
  // Signs in again, because the first session has ended.
  const laterSession = await signIn(server)
  const pageAfter = (await laterSession.json(pagePath)) as unknown as Page
  expect(pageAfter.answers.find(({ id }) => id === 'pg_proof')).toEqual({
    id: 'pg_proof',
    label: expect.any(String),
    text: 'proof.pdf (deleted on 9 Nov 2025: the registration was unpaid)',
  })
  expect(pageAfter.audit).toContainEqual(
    expect.objectContaining({ who: 'rollcall', what: 'deleted the files: unpaid for 30 days' }),
  )
  const file = await laterSession.get(`${pagePath}files/pg_proof/`)
  expect([file.statusCode, file.json()]).toEqual([
    410,
    {
      status: 'error',
      code: 'dropped',
      message: 'This file was deleted on 9 Nov 2025, because the registration was unpaid.',
    },
  ])
})

test('a file that another registration also uses is kept', async () => {
  const [unpaidRegNo, openRegNo] = [await register('shared'), await register('shared')]
  await declineAttempt(unpaidRegNo, daysAfterRegistration(0))
  server.setTime(AFTER_30_DAYS)
  await server.deps.uploads.sweep()
  expect((await readRegistration(unpaidRegNo)).uploads[0]?.droppedAt).toBe(server.now())
  expect((await readRegistration(openRegNo)).uploads[0]?.droppedAt).toBeNull()
  expect(server.listStoredUploads()).toContain(computeHash('shared'))
})

test('a server that is killed after recording a deletion, but before the deletion itself, deletes the file after its next start', async () => {
  const regNo = await register('killed')
  await declineAttempt(regNo, daysAfterRegistration(0))
  server.setTime(AFTER_30_DAYS)
  expect(
    await server.deps.store.dropFilesOfUnpaid(daysAfterRegistration(0), server.now(), 'not paid'),
  ).toBe(1)
  expect(server.listStoredUploads()).toContain(computeHash('killed'))
  const secondUploads = openUploads({
    ...getUploadLocations({ dataDir: server.dir }),
    store: server.deps.store,
    clock: () => server.now(),
  })
  await secondUploads.sweep()
  expect(server.listStoredUploads()).not.toContain(computeHash('killed'))
  // A second run deletes nothing.
  expect(
    await server.deps.store.dropFilesOfUnpaid(daysAfterRegistration(0), server.now(), 'not paid'),
  ).toBe(0)
})
