/** What the gateway would not take is refused before anything is stored, in a sentence; nobody is left with what cannot be paid. */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instant, paise } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { RegisterAnswer } from '../../../engine/api.ts'
import { assemble } from '../../../server/assemble-server.ts'
import { checkFolderHere } from '../../../server/events/files/event-folder.ts'
import type { ImportRow } from '../../../server/storage/index.ts'
import { fixtureDelegate, fixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

let server: TestApp

const credentials = {
  GATEWAY_MODE: 'airpay-test',
  AIRPAY_SAMPLE_USERNAME: 'u',
  AIRPAY_SAMPLE_PASSWORD: 'p',
  AIRPAY_SAMPLE_SECRET: 's',
  AIRPAY_SAMPLE_MERCHANT_ID: '1',
}
const path = '/api/sample2026/register/'

describe('an account without credentials', () => {
  afterAll(() => server.close())
  test('taken away with the event file: whoever goes back to pay is told so in a sentence with 503, and nothing is stored', async () => {
    const free = { id: 'other2026', prefix: 'OTHR', payment: 'none' } as const
    server = await startTestApp({
      clock: '2026-01-10',
      events: { 'sample2026.yaml': fixtureEvent(), 'other2026.yaml': fixtureEvent(free) },
      variables: credentials,
    })
    const taken = await server.post(path, fixtureDelegate)
    expect(taken.statusCode).toBe(201)
    rmSync(join(server.eventsDir, 'sample2026.yaml'))
    // The next start, on what is stored.
    const dataDir = join(server.dir, 'again')
    for (const name of ['rollcall.db', 'rollcall.db-wal'])
      cpSync(join(server.dir, name), join(dataDir, name))
    const next = await assemble(
      { ...server.environment, dataDir, accounts: {} },
      {
        clock: server.now,
        log: { info: () => {}, warn: () => {}, error: () => {} },
        print: () => {},
        hasJobs: false,
        checkFolder: checkFolderHere,
      },
    )
    if (!next.ok) throw new Error(next.error.text)
    const { app, deps } = next.value
    const { reg_no: regNo } = taken.json<RegisterAnswer>()
    const before = await deps.store.registration(regNo)
    const refused = await app.inject({
      method: 'POST',
      url: '/api/payment/retry/',
      payload: { order_id: regNo },
    })
    expect([refused.statusCode, refused.json()]).toEqual([
      503,
      {
        status: 'error',
        code: 'payment_unavailable',
        message:
          'We cannot take payments at the moment. You have not been charged. Please try again later. If this continues, write to support@sample.example.',
        request_id: expect.stringMatching(/\S/),
      },
    ])
    expect(before).not.toBeNull()
    expect(await deps.store.registration(regNo)).toEqual(before)
    await next.value.close()
  })
})

describe('paying for a row of another system', () => {
  beforeAll(async () => {
    server = await startTestApp({
      clock: '2026-01-10',
      events: { 'sample2026.yaml': fixtureEvent() },
    })
  })
  afterAll(() => server.close())
  const noon = instant(Date.parse('2026-01-05T12:00:00+05:30'))
  const row = (regNo: string, changes: Partial<ImportRow> = {}): ImportRow => ({
    eventId: 'sample2026',
    eventHash: 'none',
    regNo: regNo as RegNo,
    formerNo: `old ${regNo}`,
    answers: { full_name: 'Old Demo', email: 'old@example.org' },
    searchable: { fullName: 'Old Demo', email: 'old@example.org', phone: '', councilNo: '' },
    category: 'member',
    period: 'early',
    base: paise(100_000),
    gst: paise(18_000),
    total: paise(118_000),
    paymentStatus: 'failed',
    paymentId: null,
    createdAt: noon,
    paidAt: null,
    ...changes,
  })
  const retry = (order_id: string) =>
    server.app.inject({ method: 'POST', url: '/api/payment/retry/', payload: { order_id } })

  test.each<[string, ImportRow, string]>([
    [
      'without an email address',
      row('SMPL1', { answers: { full_name: 'Old Demo' } }),
      'This registration has no email address, and the payment gateway needs one.',
    ],
    [
      'with a longer address than the gateway takes',
      row('SMPL4', { answers: { full_name: 'Old', email: `${'a'.repeat(48)}@example.org` } }),
      'This address has 60 characters. The payment gateway accepts 6 to 50 characters. Please use another address.',
    ],
    [
      'with a number of 25 characters',
      row(`SMPL${'1'.repeat(21)}`),
      'The number of this registration cannot be used for card payments.',
    ],
    [
      'with a number of 19 characters, which an attempt makes too long',
      row(`SMPL${'1'.repeat(15)}`),
      'The number of this registration cannot be used for card payments.',
    ],
    [
      'with signs in its number',
      row('SMPL/2025/1'),
      'The number of this registration cannot be used for card payments.',
    ],
    [
      'that cost nothing',
      row('SMPL2', { base: paise(0), gst: paise(0), total: paise(0) }),
      'You cannot pay this amount by card.',
    ],
  ])('%s: a sentence, and no order that nobody can pay', async (_what, one, sentence) => {
    await server.deps.store.importRegistrations([one])
    const before = server.countRows()
    const refused = await retry(one.regNo)
    expect([refused.statusCode, refused.json()]).toEqual([
      409,
      {
        status: 'error',
        code: 'not_payable',
        message: `${sentence} Please write to support@sample.example.`,
        ...(sentence.includes('address') && { errors: { email: sentence } }),
      },
    ])
    expect(server.countRows()).toEqual(before)
    expect((await server.deps.store.registration(one.regNo))?.paymentStatus).toBe('failed')
  })

  test('that has all it takes: a new order', async () => {
    await server.deps.store.importRegistrations([row('SMPL3')])
    const taken = await retry('SMPL3')
    expect(taken.statusCode).toBe(201)
    expect(taken.json<RegisterAnswer>().payment_data?.orderid).toBe('SMPL302')
  })
})
