/**
 * Three whole events at the real server: every bill that was worked out by hand is registered and comes back from
 * the store line by line; then what happens when places, codes and names are gone.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isoIndia, paise, readAmount } from '../../../engine/index.ts'
import type { OrderId, Paise, RawAnswers } from '../../../engine/index.ts'
import type { RegisterAnswer } from '../../../engine/api.ts'
import type { AnsweredValues } from '../../../engine/api/registration.ts'
import { PROOF } from '../../browser/delegate.ts'
import { signIn } from '../office/office.ts'
import {
  readBills,
  billInstant,
  formatLine,
  BILL_EVENTS,
  type Bill,
} from '../../engine/pricing/three-bills/bills.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { confirmedBy } from '../sample-registrations.ts'

const textOf = (id: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'events', `${id}.yaml`), 'utf8')

const SMALL = 'smallcon2027'
const smallText = (): string =>
  textOf('nidancon2027')
    .replaceAll(/\bnidancon/g, 'smallcon')
    .replaceAll(/NIDAN(?=1|,| *$)/gm, 'SMALL')
    .replaceAll('ultrasound: 30', 'ultrasound: 1')
    .replaceAll(/(max|trainees): 100/g, '$1: 1')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-11-01',
    events: {
      ...Object.fromEntries(BILL_EVENTS.map((id) => [`${id}.yaml`, textOf(id)])),
      [`${SMALL}.yaml`]: smallText(),
    },
  })
  const rows = (['life', 'annual'] as const).map((kind) => ({
    key: kind,
    cells: { number: kind, name: 'Asha Sample', kind, valid_to: '' },
  }))
  await server.deps.store.replaceMemberList('nidancon2027', 'members', rows, 'office', server.now())
  await codes('faculty', 'FACULTY', 100)
  await codes('coupon', 'COUPON', 100)
})
afterAll(() => server.close())

async function codes(
  kind: string,
  code: string,
  usesMax: number,
  eventId = 'nidancon2027',
): Promise<void> {
  const made = await server.deps.store.createDiscountCodes({
    eventId,
    kind,
    codes: [{ code, folded: code.toLowerCase() }],
    usesMax,
    lastDay: null,
    note: '',
    who: 'office',
    at: server.now(),
  })
  expect(made.ok).toBe(true)
}

let people = 0
/** What somebody answers who has not registered yet; a field that does not show is left out by the server. */
function somebody(eventId: string, given: RawAnswers = {}): Record<string, string> {
  people += 1
  const usual: RawAnswers = {
    full_name: `Person ${people}`,
    email: `person${people}@example.org`,
    phone_number: '9847012345',
    born_on: eventId === 'nilarun2027' ? '1990-03-04' : '1980-05-17',
    role: 'consultant',
    council_no: `K-${people}`,
    state: 'Kerala',
    data_consent: 'true',
    distance: 'full',
    guardian: 'Dev Sample',
    waiver: 'true',
    topics: ['salt'],
  }
  return Object.fromEntries(
    Object.entries({ ...usual, ...given }).flatMap(([name, value]) =>
      value === undefined || name === 'letter'
        ? []
        : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    ),
  )
}

async function sent(
  eventId: string,
  answers: Record<string, string>,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const files =
    answers['role'] === 'trainee' ? { letter: { name: 'letter.pdf', bytes: PROOF.buffer } } : {}
  const answer = await server.post(`/api/${eventId}/register/`, answers, files)
  return { status: answer.statusCode, body: answer.json() }
}
async function registered(
  eventId: string,
  answers: Record<string, string>,
): Promise<RegisterAnswer> {
  const { status, body } = await sent(eventId, answers)
  expect([status, body]).toEqual([201, expect.anything()])
  return body as unknown as RegisterAnswer
}
async function stored(eventId: string, regNo: string): Promise<AnsweredValues> {
  const url = `/api/${eventId}/registrations/${regNo}/`
  const answer = await server.app.inject({ method: 'GET', url })
  return answer.json<{ registration: AnsweredValues }>().registration
}
async function paid({ payment_data: order }: RegisterAnswer): Promise<void> {
  const amount: Paise = readAmount(order?.amount ?? '') ?? paise(0)
  const fact = confirmedBy(`AP${order?.orderid}`, amount, server.now())
  await server.deps.store.applyPaymentEvent((order?.orderid ?? '') as OrderId, fact, null)
}

/** What facts come from: a number on the roll, a code of the kind. */
function withFacts({ kind, code }: Bill): RawAnswers {
  return {
    ...(kind === undefined ? {} : { member_number: kind }),
    ...(code === undefined ? {} : { code: code.toUpperCase() }),
  }
}

// Answers that may be priced and not registered, and places that are gone, have tests of their own.
const IN_ORDER = ({ who, full, code, total }: Bill): boolean =>
  full === undefined &&
  code !== 'unknown' &&
  code !== 'spent' &&
  typeof total === 'number' &&
  !/not in the member list|without a role/.test(who)

describe.each(BILL_EVENTS)('%s', (eventId) => {
  test.each(
    readBills(eventId)
      .filter(IN_ORDER)
      .map((bill) => [bill.who, bill] as const),
  )('%s: registered, stored and paid for what the table says', async (_, bill) => {
    server.setTime(isoIndia(billInstant(bill)))
    const answers = somebody(eventId, { ...bill.given, ...withFacts(bill) })
    const answer = await registered(eventId, answers)
    const before = await stored(eventId, answer.reg_no)
    expect({ lines: before.lines.map(formatLine), total: before.total }).toEqual({
      lines: bill.lines,
      total: bill.total,
    })
    if (bill.total === 0) expect(answer.payment_data).toBeUndefined()
    else await paid(answer)
    const { payment_status: status, lines, total } = await stored(eventId, answer.reg_no)
    expect({ status, lines, total }).toEqual({
      status: 'success',
      lines: before.lines,
      total: before.total,
    })
  })

  test.each(
    readBills(eventId)
      .filter(({ total }) => typeof total === 'string')
      .map((bill) => [bill.who, bill] as const),
  )('%s: told that nothing is sold', async (_, bill) => {
    server.setTime(isoIndia(billInstant(bill)))
    const { status, body } = await sent(eventId, somebody(eventId, bill.given))
    expect([status, body['code']]).toEqual([
      409,
      bill.total === 'closed' ? 'registration_closed' : 'not_on_sale',
    ])
  })
})

describe('what one form cannot know', () => {
  // The same conference with one seat and one place for trainees, and codes of its own.
  const conference = (given: RawAnswers = {}): Record<string, string> => somebody(SMALL, given)
  const trainee = { role: 'trainee' }
  const said = async (answers: Record<string, string>): Promise<Record<string, unknown>> => {
    const { status, body } = await sent(SMALL, answers)
    return { status, code: body['code'], message: body['message'] }
  }

  test('a third workshop and two at the same time are refused at their question', async () => {
    for (const workshops of [
      ['ultrasound', 'ecg', 'writing'],
      ['airway', 'ultrasound'],
    ]) {
      const { status, body } = await sent(SMALL, conference({ workshops }))
      expect([status, body['errors']]).toEqual([
        422,
        { workshops: 'At most two workshops, and no two at the same time' },
      ])
    }
  })

  test('the same email address a second time is refused; the same council number is asked about', async () => {
    const first = conference()
    await registered(SMALL, first)
    expect(await said(conference({ email: first['email']?.toUpperCase() }))).toEqual({
      status: 409,
      code: 'registered_already',
      message:
        'This email address is registered already. We have sent it the link to its registration.',
    })
    const again = conference({ council_no: first['council_no'] })
    const asked = await sent(SMALL, again)
    expect([asked.status, asked.body['may_confirm']]).toEqual([409, true])
    await registered(SMALL, { ...again, confirmed: 'true' })
  })

  test('a code for one is used by one of two at once, and another nobody has made', async () => {
    await codes('faculty', 'ONCE', 1, SMALL)
    const both = await Promise.all([
      sent(SMALL, conference({ code: 'once' })),
      sent(SMALL, conference({ code: 'ONCE' })),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
    expect(both.find(({ status }) => status === 422)?.body).toMatchObject({ code: 'code_spent' })
    expect(await said(conference({ code: 'TWICE' }))).toMatchObject({
      status: 422,
      code: 'code_unknown',
    })
  })

  test('a number that is not on the roll is told at its question', async () => {
    const { status, body } = await sent(
      SMALL,
      conference({ is_member: true, member_number: 'M-99' }),
    )
    expect([status, body['code'], body['errors']]).toEqual([
      422,
      'not_on_roll',
      { member_number: 'This number is not on the roll of members' },
    ])
  })

  test('the last seat is held while somebody pays, sold again when the hold is over, and late money for it is looked at', async () => {
    server.setTime('2026-12-24T10:00:00+05:30')
    const slow = await registered(SMALL, conference({ workshops: ['ultrasound'] }))
    server.setTime('2026-12-24T10:29:00+05:30')
    expect(await said(conference({ workshops: ['ultrasound'] }))).toEqual({
      status: 409,
      code: 'full',
      message: 'Ultrasound at the bedside (Hall A, 9 AM): This workshop is full',
    })
    server.setTime('2026-12-24T10:31:00+05:30')
    await paid(await registered(SMALL, conference({ workshops: ['ultrasound'] })))
    await paid(slow)
    expect(await stored(SMALL, slow.reg_no)).toMatchObject({
      payment_status: 'pending',
      in_review: true,
    })
  })

  test('where the place for trainees is gone, what is offered instead costs what it says, and is asked about first', async () => {
    server.setTime('2026-12-24')
    const first = await registered(SMALL, conference(trainee))
    expect((await stored(SMALL, first.reg_no)).total).toBe(5900)
    const second = conference(trainee)
    const { status, body } = await sent(SMALL, second)
    expect([status, body['code'], body['message']]).toEqual([
      409,
      'full',
      'All places for trainees are taken. You may register as a non-member.',
    ])
    expect(body['quote']).toMatchObject({ category: 'non-member', total: 11_210 })
    const agreed = await registered(SMALL, { ...second, registration_category: 'non-member' })
    expect(await stored(SMALL, agreed.reg_no)).toMatchObject({
      category: 'non-member',
      total: 11_210,
    })
  })
})

test('the CSV of an event with 18% and 5% had “GST (18%)” in its head: it has both rates', async () => {
  const office = await signIn(server)
  const headOf = async (id: string) =>
    (await office.get(`/admin/export/?event_type=${id}`)).body.split('\n')[0]?.split(',') ?? []
  expect(await headOf('nidancon2027')).toContain('GST (18% and 5%)')
  expect(await headOf('nilarun2027')).toContain('GST (18%)')
})
