/** Events modelled on published conference pages: one or two delegates per event register and pay over HTTP. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { RawAnswers } from '../../../engine/index.ts'
import type { PaymentData, RegisterResponse } from '../../../engine/api.ts'
import { PROOF_FILE } from '../../browser/delegate.ts'
import { readSource } from '../../engine/event-files.ts'
import { buildMultipart } from '../harness.ts'
import { signIn, type Office } from '../office/office.ts'
import {
  createFormFields,
  openTestServer,
  type TestServer,
} from '../payments/server-with-gateway.ts'

type Row = {
  readonly event: string
  readonly what: string
  readonly answers: RawAnswers
  readonly pays: 'airpay' | 'razorpay' | 'transfer' | 'after approval' | 'nothing'
  /** The id of the payment method. */
  readonly way?: string
  readonly total: number
  readonly currency?: string
  /** The price period that is stored with the registration. */
  readonly period?: string
}
const companions = [
  { name: 'Dev Sample', born_on: '1985-02-03' },
  { name: 'Tara Sample', born_on: '2018-12-09' },
]
const ROWS: readonly Row[] = [
  {
    event: 'ghatmeet2027',
    what: 'a member with a family in a room of the first block',
    answers: { companions, room: 'family', nights: 2 },
    pays: 'airpay',
    total: 9440 + 7080 + 3540 + 14_700,
  },
  {
    event: 'pustakmela2027',
    what: 'a publisher with a stall',
    answers: { registered_as: 'trade', advertisement: 'half-page', gst_number: '32AAAAA0000A1ZB' },
    pays: 'transfer',
    way: 'transfer',
    total: 29_500 + 5900,
  },
  {
    event: 'rekhadays2027',
    what: 'a student with two day passes',
    answers: { rate: 'student', pass: 'day', days: ['fri', 'sat'] },
    pays: 'airpay',
    total: 2700,
  },
  {
    event: 'swarafellow2027',
    what: 'a fellow with a hostel room',
    answers: { hostel: true },
    pays: 'after approval',
    total: 70_800 + 8260,
  },
  {
    event: 'vayuwebinar2027',
    what: 'a participant from a company with a certificate',
    answers: { role: 'company', certificate: true },
    pays: 'airpay',
    total: 1770 + 295,
  },
  {
    event: 'vayuwebinar2027',
    what: 'a student, who is free',
    answers: { role: 'student' },
    pays: 'nothing',
    total: 0,
  },
  {
    event: 'tarangfest2027',
    what: 'a team captain with a team, beds and a contest',
    answers: {
      contests: ['quiz'],
      team_contests: ['hackathon'],
      team: [{ name: 'Dev Sample' }, { name: 'Mini Sample' }],
      beds: 3,
      nights: 2,
    },
    pays: 'airpay',
    total: 150 + 50 + 800 + 200 + 1200,
  },
  {
    event: 'malnadchapter2027',
    what: 'a member with a spouse',
    answers: { companions: [{ name: 'Dev Sample' }] },
    pays: 'transfer',
    way: 'transfer',
    total: 4500,
  },
  {
    event: 'dweepcon2027',
    what: 'a foreign delegate with a room, who pays 3% more by card',
    answers: { country: 'other', stay: 'twin' },
    pays: 'razorpay',
    way: 'card',
    total: 644.16,
    currency: 'USD',
  },
  {
    event: 'dweepcon2027',
    what: 'a SAARC delegate, without the card charge',
    answers: { country: 'saarc' },
    pays: 'transfer',
    way: 'wire',
    total: 236,
    currency: 'USD',
  },
  {
    event: 'sangamcon2027',
    what: 'a trainee, whose early rate lasts longer than the early bird rate',
    answers: { registered_as: 'trainee', dinner_tickets: 1 },
    pays: 'transfer',
    way: 'transfer',
    // The trainees' early rate, and a dinner at the regular rate.
    total: 5310 + 2360,
    period: 'early',
  },
  {
    event: 'sangamcon2027',
    what: 'a delegate from abroad at the advance rate',
    answers: { registered_as: 'overseas', dinner_tickets: 1 },
    pays: 'razorpay',
    way: 'card',
    total: 401.2,
    currency: 'USD',
    period: 'advance',
  },
  {
    event: 'dunecon2027',
    what: 'a foreign speaker',
    answers: { country: 'other', presents: true },
    pays: 'transfer',
    way: 'wire',
    total: 153.4,
    currency: 'USD',
  },
  {
    event: 'heidetage2027',
    what: 'a member who pays in euros',
    answers: { is_member: true, dinner_tickets: 1 },
    pays: 'transfer',
    way: 'transfer',
    total: 424.9,
    currency: 'EUR',
  },
  {
    event: 'burgkongress2027',
    what: 'a French hospital, which pays net under reverse charge',
    answers: { registered_as: 'nurse', buyer: 'company', country: 'france', course: 'ultrasound' },
    pays: 'transfer',
    way: 'transfer',
    total: 310,
    currency: 'EUR',
  },
  {
    event: 'dahlemschule2027',
    what: 'a student from Kenya without VAT, whose room is taxed',
    answers: { country: 'kenya', needs_room: true, nights: 2 },
    pays: 'transfer',
    way: 'transfer',
    total: 634,
    currency: 'EUR',
  },
]
const IDS = [...new Set(ROWS.map(({ event }) => event))]

let folder: string
let server: TestServer
let office: Office
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-published-'))
  for (const id of IDS)
    copyFileSync(
      join(import.meta.dirname, '..', '..', 'events', `${id}.yaml`),
      join(folder, `${id}.yaml`),
    )
  server = await openTestServer({ events: folder, clock: '2027-07-20T12:00:00+05:30' })
  office = await signIn({ ...server.parts(), now: server.now })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Registers the event file's example delegate with the row's answers, and attaches the files in the examples. */
async function register(
  { event: eventId, answers: givenAnswers, way: method }: Row,
  email: string,
): Promise<RegisterResponse> {
  const { examples } = parse(readSource(`tests/events/${eventId}.yaml`).text) as {
    readonly examples: { readonly delegate: Readonly<Record<string, unknown>> }
  }
  const { method: _, ...answers } = {
    ...examples.delegate,
    ...givenAnswers,
    ...(method === undefined ? {} : { way: method }),
    email,
  } as Readonly<Record<string, unknown>>
  const isFile = (value: unknown): boolean => /^\w+\.pdf$/.test(String(value))
  const { payload, type } = buildMultipart(
    Object.entries(answers).flatMap(([name, value]) =>
      isFile(value)
        ? []
        : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const],
    ),
    Object.entries(answers).flatMap(([name, value]) =>
      isFile(value) ? [[name, { name: String(value), bytes: PROOF_FILE.buffer }] as const] : [],
    ),
  )
  const response = await fetch(`${server.url}/api/${eventId}/register/`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(payload),
  })
  const body = (await response.json()) as RegisterResponse
  expect(response.status, JSON.stringify(body)).toBe(201)
  return body
}

const readStatus = async (regNo: string): Promise<string | undefined> =>
  (await server.parts().deps.store.registration(regNo as never))?.paymentStatus

async function payAtGateway(data: PaymentData | undefined, gateway: Row['pays']): Promise<void> {
  if (data === undefined) throw new Error('no payment data')
  const response = await fetch(data.payment_url, {
    method: 'POST',
    body: new URLSearchParams(createFormFields(server.parts().deps, data)),
    redirect: 'manual',
  })
  expect(response.status, await response.text()).toBe(303)
  if (gateway === 'razorpay') {
    const simulator = server.parts().simulators?.byKind.razorpay
    await simulator?.run(data['checkout_id'] ?? '', 'pay')
    await simulator?.idle()
  } else await server.sandbox().runAction(data.orderid, 'stay')
  await server.waitUntilIdle()
}

test.each(ROWS)('$event: $what', async (row) => {
  const email = `delegate${ROWS.indexOf(row)}@sample.example`
  const registration = await register(row, email)
  const { reg_no: regNo } = registration
  expect(await server.parts().deps.store.registration(regNo as never)).toMatchObject({
    total: Math.round(row.total * 100),
    currency: row.currency ?? 'INR',
    ...(row.period !== undefined && { period: row.period }),
  })
  if (row.pays === 'airpay' || row.pays === 'razorpay')
    await payAtGateway(registration.payment_data, row.pays)
  if (row.pays === 'transfer') {
    expect(registration.payment_data).toBeUndefined()
    const confirmResponse = await office.act(regNo, {
      act: 'confirm',
      way: 'transfer',
      reference: `UTRN20270720${String(ROWS.indexOf(row)).padStart(5, '0')}`,
      amount: String(row.total),
      day: '2027-07-20',
    })
    expect(confirmResponse.status, confirmResponse.body.message).toBe(200)
  }
  if (row.pays === 'after approval') {
    expect(registration).toMatchObject({ stands: 'to-approve' })
    expect((await office.act(regNo, { act: 'approve' })).status).toBe(200)
    const retryResponse = await fetch(`${server.url}/api/payment/retry/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ order_id: regNo, email }),
    })
    await payAtGateway(((await retryResponse.json()) as RegisterResponse).payment_data, 'airpay')
  }
  await expect.poll(() => readStatus(regNo)).toBe('success')
})
