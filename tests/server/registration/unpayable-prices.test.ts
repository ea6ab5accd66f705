/** Registrations that the gateway would reject are rejected before they are stored, with a message. */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INR, instant, toAmount } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import { assembleServer } from '../../../server/assemble-server.ts'
import { checkFolderInThisThread } from '../../../server/events/files/event-folder.ts'
import type { ImportRow } from '../../../server/storage/index.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
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
  test('whose event file was removed too: a delegate who returns to pay gets a 503 with a message, and nothing is stored', async () => {
    const freeEvent = { id: 'other2026', prefix: 'OTHR', payment: 'none' } as const
    server = await startTestApp({
      clock: '2026-01-10',
      events: {
        'sample2026.yaml': buildFixtureEvent(),
        'other2026.yaml': buildFixtureEvent(freeEvent),
      },
      variables: credentials,
    })
    const registration = await server.post(path, fixtureDelegate)
    expect(registration.statusCode).toBe(201)
    rmSync(join(server.eventsDir, 'sample2026.yaml'))
    // Starts the server again with the stored data.
    const dataDir = join(server.dir, 'again')
    for (const name of ['rollcall.db', 'rollcall.db-wal'])
      cpSync(join(server.dir, name), join(dataDir, name))
    const nextServer = await assembleServer(
      { ...server.environment, dataDir, accounts: {} },
      {
        clock: server.now,
        log: { info: () => {}, warn: () => {}, error: () => {} },
        print: () => {},
        hasJobs: false,
        checkFolder: checkFolderInThisThread,
      },
    )
    if (!nextServer.ok) throw new Error(nextServer.error.text)
    const { app, deps } = nextServer.value
    const { reg_no: regNo } = registration.json<RegisterResponse>()
    const registrationBefore = await deps.store.registration(regNo)
    const rejection = await app.inject({
      method: 'POST',
      url: '/api/payment/retry/',
      payload: { order_id: regNo },
    })
    expect([rejection.statusCode, rejection.json()]).toEqual([
      503,
      {
        status: 'error',
        code: 'payment_unavailable',
        message:
          'We cannot take payments at the moment. You have not been charged. Please try again later. If this continues, write to support@sample.example.',
        request_id: expect.stringMatching(/\S/),
      },
    ])
    expect(registrationBefore).not.toBeNull()
    expect(await deps.store.registration(regNo)).toEqual(registrationBefore)
    await nextServer.value.close()
  })
})

describe('paying for an imported registration', () => {
  beforeAll(async () => {
    server = await startTestApp({
      clock: '2026-01-10',
      events: { 'sample2026.yaml': buildFixtureEvent() },
    })
  })
  afterAll(() => server.close())
  const startTime = instant(Date.parse('2026-01-05T12:00:00+05:30'))
  const buildRow = (regNo: string, changes: Partial<ImportRow> = {}): ImportRow => ({
    eventId: 'sample2026',
    eventHash: 'none',
    regNo: regNo as RegNo,
    formerNo: `old ${regNo}`,
    answers: { full_name: 'Old Demo', email: 'old@example.org' },
    searchable: { fullName: 'Old Demo', email: 'old@example.org', phone: '', councilNo: '' },
    category: 'member',
    period: 'early',
    base: toAmount(100_000),
    gst: toAmount(18_000),
    total: toAmount(118_000),
    currency: INR,
    paymentStatus: 'failed',
    paymentId: null,
    createdAt: startTime,
    paidAt: null,
    ...changes,
  })
  const retryPayment = (order_id: string) =>
    server.app.inject({ method: 'POST', url: '/api/payment/retry/', payload: { order_id } })

  test.each<[string, ImportRow, string]>([
    [
      'without an email address',
      buildRow('SMPL1', { answers: { full_name: 'Old Demo' } }),
      'This registration has no email address, and the payment gateway needs one.',
    ],
    [
      'with an address that is too long for the gateway',
      buildRow('SMPL4', { answers: { full_name: 'Old', email: `${'a'.repeat(48)}@example.org` } }),
      'This address has 60 characters. The payment gateway accepts 6 to 50 characters. Please use another address.',
    ],
    [
      'with a registration number of 25 characters',
      buildRow(`SMPL${'1'.repeat(21)}`),
      'The number of this registration cannot be used for card payments.',
    ],
    [
      'with a registration number of 19 characters, which a retry makes too long',
      buildRow(`SMPL${'1'.repeat(15)}`),
      'The number of this registration cannot be used for card payments.',
    ],
    [
      'with symbols in its registration number',
      buildRow('SMPL/2025/1'),
      'The number of this registration cannot be used for card payments.',
    ],
    [
      'with a price of 0',
      buildRow('SMPL2', { base: toAmount(0), gst: toAmount(0), total: toAmount(0) }),
      'You cannot pay this amount by card.',
    ],
  ])('%s is rejected with a message, and no order is created', async (_what, row, message) => {
    await server.deps.store.importRegistrations([row])
    const rowsBefore = server.countRows()
    const rejection = await retryPayment(row.regNo)
    expect([rejection.statusCode, rejection.json()]).toEqual([
      409,
      {
        status: 'error',
        code: 'not_payable',
        message: `${message} Please write to support@sample.example.`,
        ...(message.includes('address') && { errors: { email: message } }),
      },
    ])
    expect(server.countRows()).toEqual(rowsBefore)
    expect((await server.deps.store.registration(row.regNo))?.paymentStatus).toBe('failed')
  })

  test('with valid data creates a new order', async () => {
    await server.deps.store.importRegistrations([buildRow('SMPL3')])
    const registration = await retryPayment('SMPL3')
    expect(registration.statusCode).toBe(201)
    expect(registration.json<RegisterResponse>().payment_data?.orderid).toBe('SMPL302')
  })
})
