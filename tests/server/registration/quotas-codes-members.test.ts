/** What one form cannot know, at the real server: who is registered already, what a code gives, who stands on a roll. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paise } from '../../../engine/index.ts'
import type { OrderId, PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { RegisterAnswer, WireCode } from '../../../engine/api.ts'
import { cheapHash, PASSWORD, signIn } from '../office/office.ts'
import { fixtureDelegate } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { outsideEvent } from '../event-with-quotas.ts'
import { confirmedBy, declinedAt } from '../sample-registrations.ts'

const path = '/api/sample2026/register/'
let server: TestApp
let visitors = 0

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': outsideEvent },
    variables: { RATE_LIMITS: 'on' },
  })
  await server.deps.store.replaceMemberList(
    'sample2026',
    'society',
    [
      { key: 'l12', cells: { number: 'L 12', name: 'Asha Sample', kind: 'life', valid_to: '' } },
      {
        key: 'a7',
        cells: { number: 'A7', name: 'Ravi Sample', kind: 'annual', valid_to: '2026-01-10' },
      },
    ],
    'office',
    server.now(),
  )
})
afterAll(() => server.close())

/** From an address of its own, unless one is given. */
async function call(
  url: string,
  payload: object,
  remoteAddress = `10.1.0.${(visitors += 1)}`,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const answer = await server.app.inject({ method: 'POST', url, payload, remoteAddress })
  return { status: answer.statusCode, body: answer.json() }
}

let people = 0
/** Answers of somebody who has not registered yet. */
const somebody = (changes: object = {}): object => {
  people += 1
  const email = `delegate${people}@sample.example`
  return { ...fixtureDelegate, full_name: `Delegate ${people}`, email, ...changes }
}
const registered = async (answers: object): Promise<RegisterAnswer> => {
  const { status, body } = await call(path, answers)
  expect([status, body['message']]).toEqual([201, expect.any(String)])
  return body as unknown as RegisterAnswer
}
/** The gateway tells how an order ended. */
const told = async (order: RegisterAnswer['payment_data'], fact: PaymentEvent): Promise<void> => {
  const id = (order?.orderid ?? '') as OrderId
  expect((await server.deps.store.applyPaymentEvent(id, fact, null)).changed).toBe(true)
}
const made = async (kind: string, code: string, more: object = {}): Promise<void> => {
  const folded = code.toLowerCase().replaceAll('-', '')
  const codes = [{ code, folded }]
  const given = { eventId: 'sample2026', kind, codes, usesMax: 1, lastDay: null, note: '' }
  const done = await server.deps.store.createDiscountCodes({
    ...given,
    who: 'office',
    at: server.now(),
    ...more,
  })
  expect(done).toEqual({ ok: true, value: 1 })
}
const already = 'This email address is registered already. We have sent it the link.'
const mails = (regNo: string): Record<string, unknown>[] =>
  server.rows(
    "SELECT recipient, body FROM mail_queue m WHERE kind = 'already' AND registration_id = (SELECT id FROM registrations WHERE reg_no = ?)",
    regNo,
  )

describe('a second registration with the same email address', () => {
  test('is rejected in any spelling, and the address gets the payment link by email, once an hour', async () => {
    const answers = somebody({ email: 'asha.menon@sample.example' })
    const first = await registered(answers)
    for (const email of ['Asha.Menon@Sample.Example', ' ASHA.MENON@sample.example '])
      expect(await call(path, somebody({ email }))).toEqual({
        status: 409,
        body: { status: 'error', code: 'registered_already', message: already },
      })
    const [mail, ...others] = mails(first.reg_no)
    expect(others).toEqual([])
    expect(mail).toMatchObject({ recipient: 'asha.menon@sample.example' })
    expect(mail?.['body']).toContain('{link}')
    await server.mailer.run()
    const halfAYear = 180 * 24 * 3_600_000
    const over = Date.parse('2026-03-03T00:00:00+05:30')
    const [link] = server.rows('SELECT purpose, expires_at FROM links')
    expect(link).toEqual({ purpose: 'mail', expires_at: over + halfAYear })

    server.setTime('2026-01-10T13:01:00+05:30')
    await call(path, { ...answers })
    expect(mails(first.reg_no).length).toBe(2)
  })

  test('after payment, the email links to the self-service page', async () => {
    const answers = somebody()
    const { reg_no, payment_data } = await registered(answers)
    await told(payment_data, confirmedBy('AP1', paise(118_000), server.now()))
    expect((await call(path, answers)).body['code']).toBe('registered_already')
    expect(mails(reg_no).map(({ body }) => body)).toEqual([
      expect.stringMatching(/Your registration is complete.*\n\{link\}/),
    ])
  })

  test('of two concurrent ones, one is stored', async () => {
    const answers = somebody()
    const both = await Promise.all([
      call(path, { ...answers, full_name: 'One' }),
      call(path, { ...answers, full_name: 'Other' }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
  })

  test('is allowed after the payment failed, and the failed one cannot be paid in addition', async () => {
    const answers = somebody()
    const first = await registered(answers)
    await told(first.payment_data, declinedAt(server.now()))
    const second = await registered({ ...answers, full_name: 'The Same Again' })
    expect(await call('/api/payment/retry/', { order_id: first.reg_no })).toEqual({
      status: 409,
      body: { status: 'error', code: 'registered_already', message: already },
    })
    expect(mails(second.reg_no).length).toBe(1)
  })
})

describe('a rule that only warns', () => {
  test('asks for confirmation, then accepts the registration', async () => {
    const answers = { full_name: 'Ravi Kumar', phone_number: '+91 98765-43210' }
    const first = await registered(somebody(answers))
    const again = somebody({ full_name: 'RAVI  KUMAR', phone_number: '098765 43210' })
    expect(await call(path, again)).toEqual({
      status: 409,
      body: {
        status: 'error',
        code: 'registered_already',
        message: 'Somebody of this name has registered. Are you registering again?',
        may_confirm: true,
      },
    })
    await registered({ ...again, confirmed: true })
    expect(mails(first.reg_no)).toEqual([])
  })

  test('confirming does not get around a rule that blocks', async () => {
    const answers = somebody()
    await registered(answers)
    expect((await call(path, { ...answers, confirmed: true })).body).toEqual({
      status: 'error',
      code: 'registered_already',
      message: already,
    })
  })
})

describe('a discount code', () => {
  test('in a list or an object was ignored, and the delegate paid the full price', async () => {
    await made('faculty', 'LISTED')
    for (const code of [['LISTED'], { code: 'LISTED' }]) {
      const { status, body } = await call(path, somebody({ code }))
      expect([status, body['status']]).toEqual([422, 'error'])
    }
  })

  test('shows its discount immediately, in any spelling, and prices the registration', async () => {
    await made('faculty', 'FAC-ONE')
    expect(await call('/api/events/sample2026/code/', { code: ' fac one ' })).toEqual({
      status: 200,
      body: { status: 'success', kind: 'faculty', label: 'Invited faculty' },
    })
    const { reg_no, stands } = await registered(somebody({ code: 'fac-one' }))
    expect(stands).toBe('complete')
    const stored = await server.deps.store.registration(reg_no)
    expect([stored?.category, stored?.total, stored?.answers['code']]).toEqual([
      'faculty',
      0,
      'faculty',
    ])
  })

  test('sent again with the same form returns the same checkout', async () => {
    await made('coupon', 'AGAIN')
    const payload = somebody({ code: 'AGAIN' })
    const send = async (): Promise<RegisterAnswer> => {
      const headers = { 'idempotency-key': 'the same' }
      return (await server.app.inject({ method: 'POST', url: path, payload, headers })).json()
    }
    server.setTime('2026-01-10T17:50:00+05:30')
    const first = await send()
    server.setTime('2026-01-10T18:00:00+05:30')
    const again = await send()
    expect([again.reg_no, again.payment_data?.orderid]).toEqual([
      first.reg_no,
      first.payment_data?.orderid,
    ])
  })

  test('can be used up to its limit', async () => {
    await made('coupon', 'LESS')
    const first = await registered(somebody({ code: 'LESS' }))
    expect(first.payment_data?.amount).toBe('1062.00')
    const office = await signIn(server)
    const exported = await office.get('/admin/export/?event_type=sample2026')
    // With an apostrophe, the sum of a spreadsheet would leave the discount out.
    expect(exported.body.split('\r\n').find((row) => row.includes(first.reg_no))).toContain(
      ',-118.00,',
    )
    const spent = 'This code has already been used the maximum number of times.'
    expect(await call('/api/events/sample2026/code', { code: 'less' })).toEqual({
      status: 409,
      body: { status: 'error', code: 'code_spent', message: spent },
    })
    expect(await call(path, somebody({ code: 'LESS' }))).toEqual({
      status: 422,
      body: { status: 'error', code: 'code_spent', message: spent, errors: { code: spent } },
    })
  })

  test('goes to one of two concurrent last uses', async () => {
    await made('coupon', 'LAST')
    const both = await Promise.all([
      call(path, somebody({ code: 'LAST' })),
      call(path, somebody({ code: 'LAST' })),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 422])
  })

  test('is released after an unpaid hold, and the first delegate can no longer pay with it', async () => {
    await made('coupon', 'HELD')
    server.setTime('2026-01-11T10:00:00+05:30')
    const first = await registered(somebody({ code: 'HELD' }))
    server.setTime('2026-01-11T10:29:00+05:30')
    expect((await call(path, somebody({ code: 'HELD' }))).body['code']).toBe('code_spent')
    server.setTime('2026-01-11T10:31:00+05:30')
    await registered(somebody({ code: 'HELD' }))
    await told(first.payment_data, declinedAt(server.now()))
    expect((await call('/api/payment/retry/', { order_id: first.reg_no })).body['code']).toBe(
      'code_spent',
    )
  })

  test.each<[string, object, string, string]>([
    [
      'of no kind any more',
      { code: 'OLDKIND' },
      'code_unknown',
      'We do not recognise this code. Please check it or remove it.',
    ],
    [
      'nobody made',
      { code: 'NOBODY' },
      'code_unknown',
      'We do not recognise this code. Please check it or remove it.',
    ],
    ['over', { code: 'OVER' }, 'code_spent', 'This code has expired.'],
    ['withdrawn', { code: 'GONE' }, 'code_spent', 'The organisers have withdrawn this code.'],
    [
      'longer than any',
      { code: 'X'.repeat(10_000) },
      'code_unknown',
      'We do not recognise this code. Please check it or remove it.',
    ],
  ])('that is %s is refused in a sentence', async (what, code, said, message) => {
    if (what === 'over') await made('coupon', 'OVER', { lastDay: '2026-01-09' })
    if (what === 'of no kind any more') await made('gift', 'OLDKIND')
    if (what === 'withdrawn') {
      await made('coupon', 'GONE')
      await server.deps.store.withdrawDiscountCode('sample2026', 'gone', 'office', server.now())
    }
    const refused = await call(path, somebody(code))
    expect([refused.status, refused.body['code'], refused.body['message']]).toEqual([
      422,
      said,
      message,
    ])
  })
})

test('the delegate with the last seat reads that they are registered, not that the event is full', async () => {
  const first = somebody({ is_member: 'false' })
  await registered(first)
  expect((await call(path, somebody({ is_member: 'false' }))).body['code']).toBe('full')
  expect((await call(path, first)).body['code']).toBe('registered_already')
})

describe('a member list', () => {
  const roll = '/api/events/sample2026/roll/'
  test('returns only the values of a row that the event shows or that have options', async () => {
    expect(await call(roll, { field: 'number', value: ' L12 ' })).toEqual({
      status: 200,
      body: { status: 'success', row: { name: 'Asha Sample', kind: 'life' } },
    })
  })

  test('a listed member registers, with the values of the list in addition to the answers', async () => {
    const { reg_no } = await registered(somebody({ number: 'l 12' }))
    const answers = (await server.deps.store.registration(reg_no))?.answers
    expect([answers?.['number'], answers?.['number.kind']]).toEqual(['l 12', 'life'])
  })

  test.each([
    ['stands on none', 'X1'],
    ['stood on it until yesterday', 'A7'],
  ])('a delegate who %s gets an error at the field', async (_, number) => {
    server.setTime('2026-01-11')
    const message = 'This number is not on the roll'
    expect(await call(roll, { field: 'number', value: number })).toEqual({
      status: 404,
      body: { status: 'error', code: 'not_on_roll', message },
    })
    expect(await call(path, somebody({ number }))).toEqual({
      status: 422,
      body: { status: 'error', code: 'not_on_roll', message, errors: { number: message } },
    })
  })

  test('rejects a field without a member list, and an unknown event', async () => {
    expect((await call(roll, { field: 'email', value: 'x' })).body['code']).toBe('no_such_field')
    expect((await call('/api/events/nothing/roll/', {})).status).toBe(404)
    expect((await call('/api/events/nothing/code/', {})).status).toBe(404)
  })
})

test('limits guesses in look-ups and registrations, for the guesser only', async () => {
  const guess = (at: number): Promise<{ status: number }> =>
    at % 2 === 0
      ? call('/api/events/sample2026/code/', { code: `GUESS${at}` }, '10.9.9.9')
      : call(path, somebody({ number: `G${at}` }), '10.9.9.9')
  const answers: number[] = []
  for (let at = 0; at < 22; at++) answers.push((await guess(at)).status)
  expect(answers.slice(18)).toEqual([404, 422, 429, 429])
  expect((await call(path, somebody(), '10.9.9.9')).status).toBe(201)
  expect((await call('/api/events/sample2026/code/', { code: 'GUESS' })).status).toBe(404)
})

test('limits correct look-ups too, so that sequential numbers do not reveal a list of names', async () => {
  const statuses: number[] = []
  for (let at = 0; at < 61; at++) {
    const asked = { field: 'number', value: 'L12' }
    statuses.push((await call('/api/events/sample2026/roll/', asked, '10.8.8.8')).status)
  }
  expect([...new Set(statuses), statuses.indexOf(429)]).toEqual([200, 429, 60])
})

describe('the office', () => {
  let headers: { readonly authorization: string }
  beforeAll(async () => {
    headers = { authorization: `Bearer ${(await signIn(server)).token}` }
  })
  const office = async (
    method: 'GET' | 'POST',
    url: string,
    payload?: object,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
    const sent = payload === undefined ? {} : { payload }
    const answer = await server.app.inject({ method, url, headers, ...sent })
    return { status: answer.statusCode, body: answer.json() }
  }

  test('creates codes that cannot be guessed, lists their uses, and withdraws them', async () => {
    const wanted = { event: 'sample2026', kind: 'coupon', count: 3, uses: 2, note: 'Speakers' }
    const { status, body } = await office('POST', '/admin/codes/', {
      ...wanted,
      until: '2026-01-31',
    })
    const codes = body['codes'] as string[]
    expect([status, codes.length, new Set(codes).size]).toEqual([201, 3, 3])
    expect(
      codes.every((code) => /^[2-9B-DF-HJ-NP-TV-Z]{5}-[2-9B-DF-HJ-NP-TV-Z]{5}$/.test(code)),
    ).toBe(true)
    await registered(somebody({ code: codes[0] }))
    const seen = async (): Promise<WireCode | undefined> => {
      const listed = await office('GET', '/admin/codes/?event=sample2026')
      return (listed.body['codes'] as WireCode[]).find(({ code }) => code === codes[0])
    }
    expect(await seen()).toMatchObject({
      kind: 'coupon',
      uses: 1,
      uses_max: 2,
      until: '2026-01-31',
      note: 'Speakers',
      made_by: 'office',
      withdrawn_at: null,
    })
    const withdrawn = { event: 'sample2026', code: codes[0] }
    expect((await office('POST', '/api/admin/codes/withdraw', withdrawn)).status).toBe(200)
    expect((await seen())?.withdrawn_at).not.toBe(null)
    expect((await call(path, somebody({ code: codes[0] }))).body['code']).toBe('code_spent')
    expect(server.rows("SELECT what FROM audit_log WHERE what LIKE '%codes%' LIMIT 1")).toEqual([
      { what: 'made 3 codes of kind coupon' },
    ])
  })

  test.each<[string, object, string]>([
    [
      'no kind of the event',
      { kind: 'gift' },
      'There is no code kind “gift”. Choose one of faculty, coupon.',
    ],
    ['none', { count: 0 }, 'Create 1 to 1000 codes at a time.'],
    ['a million', { count: 1_000_000 }, 'Create 1 to 1000 codes at a time.'],
    ['half a use', { uses: 0.5 }, 'A code can have 1 to 100000 uses.'],
    ['a day that is none', { until: '31 January' }, 'Enter the date like this: 2027-01-31.'],
    ['a day that is over', { until: '2026-01-01' }, '“Valid until” is in the past.'],
    [
      'a chosen one that is tried by hand',
      { code: 'MINI' },
      'A chosen code has 6 to 32 letters and digits.',
    ],
  ])('is asked for %s: refused in a sentence', async (_, words, message) => {
    const wanted = { event: 'sample2026', kind: 'coupon', ...words }
    expect(await office('POST', '/admin/codes/', wanted)).toEqual({
      status: 422,
      body: { status: 'error', code: 'bad_code', message },
    })
  })

  test('shows the discount code and the member list values on the page of a registration', async () => {
    const wanted = { event: 'sample2026', kind: 'coupon', code: 'SHOWN-1' }
    await office('POST', '/admin/codes/', wanted)
    const { reg_no } = await registered(somebody({ code: 'shown1', number: 'L 12' }))
    const { body } = await office('GET', `/admin/registrations/${reg_no}/`)
    expect(body['answers']).toContainEqual({ id: 'code', label: 'Code', text: 'SHOWN-1 (Coupon)' })
    expect(body['answers']).toContainEqual({
      id: 'number.kind',
      label: 'Number: kind',
      text: 'life',
    })
    expect(JSON.stringify(body['answers'])).not.toContain('"coupon"')
  })

  test('a chosen code is unique', async () => {
    const wanted = { event: 'sample2026', kind: 'coupon', code: 'FRIENDS-26' }
    expect((await office('POST', '/admin/codes/', wanted)).status).toBe(201)
    expect((await office('POST', '/admin/codes/', { ...wanted, code: 'friends26' })).body).toEqual({
      status: 'error',
      code: 'code_taken',
      message: 'The code friends26 already exists.',
    })
  })

  test('showed complete unused codes to viewers and the desk, who could use them', async () => {
    const wanted = { event: 'sample2026', kind: 'coupon', code: 'secretfriends' }
    expect((await office('POST', '/admin/codes/', wanted)).status).toBe(201)
    for (const role of ['viewer', 'desk', 'treasurer'] as const) {
      await server.deps.store.addAdmin(role, await cheapHash(PASSWORD), server.now(), {
        role,
        events: null,
      })
      const { body } = await (await signIn(server, role)).get('/admin/codes/?event=sample2026')
      const isWhole = role === 'treasurer'
      expect([role, body.includes('secretfriends')]).toEqual([role, isWhole])
      expect(body.includes('"se…"')).toBe(!isWhole)
    }
  })

  test('shows the number of rows of a member list', async () => {
    expect((await office('GET', '/admin/rolls/?event=sample2026')).body['rolls']).toEqual([
      { id: 'society', rows: 2 },
    ])
  })

  test('requires a session to list or create codes', async () => {
    for (const url of ['/admin/codes/?event=sample2026', '/admin/rolls/?event=sample2026'])
      expect((await server.app.inject({ url })).statusCode).toBe(401)
    const wanted = { event: 'sample2026', kind: 'coupon' }
    expect((await call('/admin/codes/', wanted)).status).toBe(401)
    expect((await call('/admin/codes/withdraw/', wanted)).status).toBe(401)
  })
})

describe('consent', () => {
  test('is stored with its text, version and time; No is not consent', async () => {
    const log = async (letters: unknown): Promise<readonly unknown[]> => {
      const { reg_no: regNo } = await registered(somebody({ letters }))
      return await server.deps.store.auditOf(regNo as RegNo)
    }
    const entry = (what: string): object => ({ at: server.now(), who: 'delegate', what })
    const registering = entry('registered')
    expect(await log('true')).toEqual([
      registering,
      entry('agreed to “You may write to me” (version 2027-01, /letters)'),
    ])
    for (const letters of [undefined, false, 'false', ''])
      expect(await log(letters)).toEqual([registering])
  })
})

describe('people sent as JSON in a form with files', () => {
  const send = async (
    companions: string,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
    const form = new FormData()
    for (const [name, value] of Object.entries(somebody({ companions })))
      form.append(name, String(value))
    const answer = await server.app.inject({
      method: 'POST',
      url: path,
      payload: form,
      remoteAddress: `10.1.0.${(visitors += 1)}`,
    })
    return { status: answer.statusCode, body: answer.json() }
  }

  test('are stored as a list', async () => {
    const { status, body } = await send('[{"name": " Ravi ", "price": 0}, {"name": "Meena"}]')
    expect(status).toBe(201)
    const stored = await server.deps.store.registration(body['reg_no'] as RegNo)
    expect(stored?.answers['companions']).toEqual([{ name: 'Ravi' }, { name: 'Meena' }])
  })

  test.each([
    ['[{"name": ""}]', { 'companions.0.name': 'Please give the name' }],
    [
      '[{"name": "A"}, {"name": "B"}, {"name": "C"}]',
      { companions: 'Please list two people at most' },
    ],
    ['[{"name": "A"', { companions: 'Please list two people at most' }],
    ['Ravi', { companions: 'Please list two people at most' }],
    [`${'['.repeat(20_000)}`, { companions: 'Please list two people at most' }],
    [
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      { companions: 'Please list two people at most' },
    ],
  ])('%.40s is refused in words', async (companions, errors) => {
    const { status, body } = await send(companions)
    expect([status, body['code'], body['errors']]).toEqual([422, 'invalid_answers', errors])
  })
})
