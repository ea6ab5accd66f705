/** Three complete events on a real server: manually calculated bills, sold-out seats and used codes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INR, formatIsoIndia, toAmount, readAmount } from '../../../engine/index.ts'
import type { OrderId, Amount, RawAnswers } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import type { AnsweredValues } from '../../../engine/api/registration.ts'
import { PROOF_FILE } from '../../browser/delegate.ts'
import { signIn } from '../office/office.ts'
import {
  readBills,
  getBillInstant,
  formatLine,
  BILL_EVENTS,
  type Bill,
} from '../../engine/pricing/three-bills/bills.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { buildSale } from '../sample-registrations.ts'

const readText = (id: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'events', `${id}.yaml`), 'utf8')

const SMALL_CONFERENCE = 'smallcon2027'
const createSmallEventText = (): string =>
  readText('nidancon2027')
    .replaceAll(/\bnidancon/g, 'smallcon')
    .replaceAll(/NIDAN(?=1|,| *$)/gm, 'SMALL')
    .replaceAll('ultrasound: 30', 'ultrasound: 1')
    .replaceAll(/(max|trainees): 100/g, '$1: 1')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-11-01',
    events: {
      ...Object.fromEntries(BILL_EVENTS.map((id) => [`${id}.yaml`, readText(id)])),
      [`${SMALL_CONFERENCE}.yaml`]: createSmallEventText(),
    },
  })
  const rows = (['life', 'annual'] as const).map((kind) => ({
    key: kind,
    cells: { number: kind, name: 'Asha Sample', kind, valid_to: '' },
  }))
  await server.deps.store.replaceMemberList('nidancon2027', 'members', rows, 'office', server.now())
  await createCodes('faculty', 'FACULTY', 100)
  await createCodes('coupon', 'COUPON', 100)
})
afterAll(() => server.close())

async function createCodes(
  kind: string,
  code: string,
  usesMax: number,
  eventId = 'nidancon2027',
): Promise<void> {
  const codeResult = await server.deps.store.createDiscountCodes({
    eventId,
    kind,
    codes: [{ code, folded: code.toLowerCase() }],
    usesMax,
    lastDay: null,
    note: '',
    who: 'office',
    at: server.now(),
  })
  expect(codeResult.ok).toBe(true)
}

let personCount = 0
/** Creates the answers of a new delegate. The server drops the answers to hidden fields. */
function createAnswers(eventId: string, givenAnswers: RawAnswers = {}): Record<string, string> {
  personCount += 1
  const defaultAnswers: RawAnswers = {
    full_name: `Person ${personCount}`,
    email: `person${personCount}@example.org`,
    phone_number: '9847012345',
    born_on: eventId === 'nilarun2027' ? '1990-03-04' : '1980-05-17',
    role: 'consultant',
    council_no: `K-${personCount}`,
    state: 'Kerala',
    data_consent: 'true',
    distance: 'full',
    guardian: 'Dev Sample',
    waiver: 'true',
    topics: ['salt'],
  }
  return Object.fromEntries(
    Object.entries({ ...defaultAnswers, ...givenAnswers }).flatMap(([name, value]) =>
      value === undefined || name === 'letter'
        ? []
        : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    ),
  )
}

async function submitForm(
  eventId: string,
  answers: Record<string, string>,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const files =
    answers['role'] === 'trainee'
      ? { letter: { name: 'letter.pdf', bytes: PROOF_FILE.buffer } }
      : {}
  const response = await server.post(`/api/${eventId}/register/`, answers, files)
  return { status: response.statusCode, body: response.json() }
}
async function registerAnswers(
  eventId: string,
  answers: Record<string, string>,
): Promise<RegisterResponse> {
  const { status, body } = await submitForm(eventId, answers)
  expect([status, body]).toEqual([201, expect.anything()])
  return body as unknown as RegisterResponse
}
async function readStored(eventId: string, regNo: string): Promise<AnsweredValues> {
  const url = `/api/${eventId}/registrations/${regNo}/`
  const response = await server.app.inject({ method: 'GET', url })
  return response.json<{ registration: AnsweredValues }>().registration
}
async function markPaid({ payment_data: order }: RegisterResponse): Promise<void> {
  const amount: Amount = readAmount(order?.amount ?? '', INR) ?? toAmount(0)
  const confirmedEvent = buildSale(`AP${order?.orderid}`, amount, server.now())
  await server.deps.store.applyPaymentEvent((order?.orderid ?? '') as OrderId, confirmedEvent, null)
}

/** Creates the answers that the bill depends on: a member number, a discount code, or both. */
function createContextAnswers({ kind, code }: Bill): RawAnswers {
  return {
    ...(kind === undefined ? {} : { member_number: kind }),
    ...(code === undefined ? {} : { code: code.toUpperCase() }),
  }
}

// Separate tests cover sold-out seats, and answers that have a price but cannot be registered.
const canRegister = ({ who: buyer, full: isFull, code, total }: Bill): boolean =>
  isFull === undefined &&
  code !== 'unknown' &&
  code !== 'spent' &&
  typeof total === 'number' &&
  !/not in the member list|without a role/.test(buyer)

describe.each(BILL_EVENTS)('%s', (eventId) => {
  test.each(
    readBills(eventId)
      .filter(canRegister)
      .map((bill) => [bill.who, bill] as const),
  )('%s: is registered, stored and paid as in the table', async (_, bill) => {
    server.setTime(formatIsoIndia(getBillInstant(bill)))
    const answers = createAnswers(eventId, { ...bill.given, ...createContextAnswers(bill) })
    const response = await registerAnswers(eventId, answers)
    const registrationBefore = await readStored(eventId, response.reg_no)
    expect({
      lines: registrationBefore.lines.map(formatLine),
      total: registrationBefore.total,
    }).toEqual({
      lines: bill.lines,
      total: bill.total,
    })
    if (bill.total === 0) expect(response.payment_data).toBeUndefined()
    else await markPaid(response)
    const { payment_status: status, lines, total } = await readStored(eventId, response.reg_no)
    expect({ status, lines, total }).toEqual({
      status: 'success',
      lines: registrationBefore.lines,
      total: registrationBefore.total,
    })
  })

  test.each(
    readBills(eventId)
      .filter(({ total }) => typeof total === 'string')
      .map((bill) => [bill.who, bill] as const),
  )('%s: gets the error that nothing is for sale', async (_, bill) => {
    server.setTime(formatIsoIndia(getBillInstant(bill)))
    const { status, body } = await submitForm(eventId, createAnswers(eventId, bill.given))
    expect([status, body['code']]).toEqual([
      409,
      bill.total === 'closed' ? 'registration_closed' : 'not_on_sale',
    ])
  })
})

describe('rules across registrations', () => {
  // The same conference with one workshop seat, one trainee seat, and separate codes.
  const createSmallAnswers = (givenAnswers: RawAnswers = {}): Record<string, string> =>
    createAnswers(SMALL_CONFERENCE, givenAnswers)
  const traineeAnswers = { role: 'trainee' }
  const submitForErrors = async (
    answers: Record<string, string>,
  ): Promise<Record<string, unknown>> => {
    const { status, body } = await submitForm(SMALL_CONFERENCE, answers)
    return { status, code: body['code'], message: body['message'] }
  }

  test('choosing a third workshop, or two workshops at the same time, is rejected with an error at the question', async () => {
    for (const workshops of [
      ['ultrasound', 'ecg', 'writing'],
      ['airway', 'ultrasound'],
    ]) {
      const { status, body } = await submitForm(SMALL_CONFERENCE, createSmallAnswers({ workshops }))
      expect([status, body['errors']]).toEqual([
        422,
        { workshops: 'At most two workshops, and no two at the same time' },
      ])
    }
  })

  test('a repeated email address is rejected; a repeated council number needs confirmation', async () => {
    const first = createSmallAnswers()
    await registerAnswers(SMALL_CONFERENCE, first)
    expect(
      await submitForErrors(createSmallAnswers({ email: first['email']?.toUpperCase() })),
    ).toEqual({
      status: 409,
      code: 'registered_already',
      message:
        'This email address is registered already. We have sent it the link to its registration.',
    })
    const sameCouncilNo = createSmallAnswers({ council_no: first['council_no'] })
    const confirmationRequest = await submitForm(SMALL_CONFERENCE, sameCouncilNo)
    expect([confirmationRequest.status, confirmationRequest.body['may_confirm']]).toEqual([
      409,
      true,
    ])
    await registerAnswers(SMALL_CONFERENCE, { ...sameCouncilNo, confirmed: 'true' })
  })

  test('a code for one use is accepted from only one of two concurrent delegates; an unknown code is rejected', async () => {
    await createCodes('faculty', 'ONCE', 1, SMALL_CONFERENCE)
    const bothResponses = await Promise.all([
      submitForm(SMALL_CONFERENCE, createSmallAnswers({ code: 'once' })),
      submitForm(SMALL_CONFERENCE, createSmallAnswers({ code: 'ONCE' })),
    ])
    expect(bothResponses.map(({ status }) => status).sort()).toEqual([201, 422])
    expect(bothResponses.find(({ status }) => status === 422)?.body).toMatchObject({
      code: 'code_spent',
    })
    expect(await submitForErrors(createSmallAnswers({ code: 'TWICE' }))).toMatchObject({
      status: 422,
      code: 'code_unknown',
    })
  })

  test('a number that is not on the member list is rejected with an error at the question', async () => {
    const { status, body } = await submitForm(
      SMALL_CONFERENCE,
      createSmallAnswers({ is_member: true, member_number: 'M-99' }),
    )
    expect([status, body['code'], body['errors']]).toEqual([
      422,
      'not_on_roll',
      { member_number: 'This number is not on the roll of members' },
    ])
  })

  test('the last seat is held during payment and sold again after the hold; a late payment for it goes to review', async () => {
    server.setTime('2026-12-24T10:00:00+05:30')
    const slowPayer = await registerAnswers(
      SMALL_CONFERENCE,
      createSmallAnswers({ workshops: ['ultrasound'] }),
    )
    server.setTime('2026-12-24T10:29:00+05:30')
    expect(await submitForErrors(createSmallAnswers({ workshops: ['ultrasound'] }))).toEqual({
      status: 409,
      code: 'full',
      message: 'Ultrasound at the bedside (Hall A, 9 AM): This workshop is full',
    })
    server.setTime('2026-12-24T10:31:00+05:30')
    await markPaid(
      await registerAnswers(SMALL_CONFERENCE, createSmallAnswers({ workshops: ['ultrasound'] })),
    )
    await markPaid(slowPayer)
    expect(await readStored(SMALL_CONFERENCE, slowPayer.reg_no)).toMatchObject({
      payment_status: 'pending',
      in_review: true,
    })
  })

  test('if the trainee seats are sold out, the delegate confirms the offered category and pays its price', async () => {
    server.setTime('2026-12-24')
    const first = await registerAnswers(SMALL_CONFERENCE, createSmallAnswers(traineeAnswers))
    expect((await readStored(SMALL_CONFERENCE, first.reg_no)).total).toBe(5900)
    const second = createSmallAnswers(traineeAnswers)
    const { status, body } = await submitForm(SMALL_CONFERENCE, second)
    expect([status, body['code'], body['message']]).toEqual([
      409,
      'full',
      'All places for trainees are taken. You may register as a non-member.',
    ])
    expect(body['quote']).toMatchObject({ category: 'non-member', total: 11_210 })
    const registration = await registerAnswers(SMALL_CONFERENCE, {
      ...second,
      registration_category: 'non-member',
    })
    expect(await readStored(SMALL_CONFERENCE, registration.reg_no)).toMatchObject({
      category: 'non-member',
      total: 11_210,
    })
  })
})

test('the CSV for an event with tax rates of 18% and 5% has the heading “GST (18% and 5%)”', async () => {
  const office = await signIn(server)
  const readCsvHeader = async (id: string) =>
    (await office.get(`/admin/export/?event_type=${id}`)).body.split('\n')[0]?.split(',') ?? []
  expect(await readCsvHeader('nidancon2027')).toContain('GST (18% and 5%)')
  expect(await readCsvHeader('nilarun2027')).toContain('GST (18%)')
})
