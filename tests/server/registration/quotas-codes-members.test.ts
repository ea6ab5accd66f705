/** Rules across registrations on a real server: unique answers, discount codes and member lists. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { toAmount } from '../../../engine/index.ts'
import type { OrderId, PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { RegisterResponse, WireCode } from '../../../engine/api.ts'
import { hashCheaply, PASSWORD, signIn } from '../office/office.ts'
import { fixtureDelegate } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { eventWithQuotas } from '../event-with-quotas.ts'
import { buildSale, buildDecline } from '../sample-registrations.ts'

const path = '/api/sample2026/register/'
let server: TestApp
let addressCount = 0
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': eventWithQuotas },
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

/** Posts JSON from a new IP address, unless an address is given. */
async function postJson(
  url: string,
  payload: object,
  remoteAddress = `10.1.0.${(addressCount += 1)}`,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await server.app.inject({ method: 'POST', url, payload, remoteAddress })
  return { status: response.statusCode, body: response.json() }
}

let personCount = 0
/** Creates the answers of a new delegate. */
const createPerson = (changes: object = {}): object => {
  personCount += 1
  const email = `delegate${personCount}@sample.example`
  return { ...fixtureDelegate, full_name: `Delegate ${personCount}`, email, ...changes }
}
const registerPerson = async (answers: object): Promise<RegisterResponse> => {
  const { status, body } = await postJson(path, answers)
  expect([status, body['message']]).toEqual([201, expect.any(String)])
  return body as unknown as RegisterResponse
}
/** Applies the gateway's result to an order. */
const applyResult = async (
  order: RegisterResponse['payment_data'],
  event: PaymentEvent,
): Promise<void> => {
  const id = (order?.orderid ?? '') as OrderId
  expect((await server.deps.store.applyPaymentEvent(id, event, null)).changed).toBe(true)
}
const createCode = async (kind: string, code: string, options: object = {}): Promise<void> => {
  const folded = code.toLowerCase().replaceAll('-', '')
  const codes = [{ code, folded }]
  const newCodes = { eventId: 'sample2026', kind, codes, usesMax: 1, lastDay: null, note: '' }
  const creationResult = await server.deps.store.createDiscountCodes({
    ...newCodes,
    who: 'office',
    at: server.now(),
    ...options,
  })
  expect(creationResult).toEqual({ ok: true, value: 1 })
}
const registeredText = 'This email address is registered already. We have emailed the link to it.'
const listEmails = (regNo: string): Record<string, unknown>[] =>
  server.rows(
    "SELECT recipient, body FROM mail_queue m WHERE kind = 'already' AND registration_id = (SELECT id FROM registrations WHERE reg_no = ?)",
    regNo,
  )

describe('a second registration with the same email address', () => {
  test('is rejected however the address is written, and the payment link is emailed to that address at most once an hour', async () => {
    const answers = createPerson({ email: 'asha.menon@sample.example' })
    const first = await registerPerson(answers)
    for (const email of ['Asha.Menon@Sample.Example', ' ASHA.MENON@sample.example '])
      expect(await postJson(path, createPerson({ email }))).toEqual({
        status: 409,
        body: { status: 'error', code: 'registered_already', message: registeredText },
      })
    const [linkEmail, ...otherEmails] = listEmails(first.reg_no)
    expect(otherEmails).toEqual([])
    expect(linkEmail).toMatchObject({ recipient: 'asha.menon@sample.example' })
    expect(linkEmail?.['body']).toContain('{link}')
    await server.mailer.run()
    const halfAYear = 180 * 24 * 3_600_000
    const holdEnd = Date.parse('2026-03-03T00:00:00+05:30')
    const [link] = server.rows('SELECT purpose, expires_at FROM links')
    expect(link).toEqual({ purpose: 'mail', expires_at: holdEnd + halfAYear })

    server.setTime('2026-01-10T13:01:00+05:30')
    await postJson(path, { ...answers })
    expect(listEmails(first.reg_no).length).toBe(2)
  })

  test('leads to an email with a link to the self-service page if the first is paid', async () => {
    const answers = createPerson()
    const { reg_no, payment_data } = await registerPerson(answers)
    await applyResult(payment_data, buildSale('AP1', toAmount(118_000), server.now()))
    expect((await postJson(path, answers)).body['code']).toBe('registered_already')
    expect(listEmails(reg_no).map(({ body }) => body)).toEqual([
      expect.stringMatching(/Your registration is complete.*\n\{link\}/),
    ])
  })

  test('is stored for only one of two concurrent requests', async () => {
    const answers = createPerson()
    const bothResponses = await Promise.all([
      postJson(path, { ...answers, full_name: 'One' }),
      postJson(path, { ...answers, full_name: 'Other' }),
    ])
    expect(bothResponses.map(({ status }) => status).toSorted()).toEqual([201, 409])
  })

  test('is allowed if the first payment failed, and the first registration then cannot be paid', async () => {
    const answers = createPerson()
    const first = await registerPerson(answers)
    await applyResult(first.payment_data, buildDecline(server.now()))
    const second = await registerPerson({ ...answers, full_name: 'The Same Again' })
    expect(await postJson('/api/payment/retry/', { order_id: first.reg_no })).toEqual({
      status: 409,
      body: { status: 'error', code: 'registered_already', message: registeredText },
    })
    expect(listEmails(second.reg_no).length).toBe(1)
  })
})

describe('a rule that only warns', () => {
  test('asks for confirmation, then accepts the registration', async () => {
    const answers = { full_name: 'Ravi Kumar', phone_number: '+91 98765-43210' }
    const first = await registerPerson(createPerson(answers))
    const samePerson = createPerson({ full_name: 'RAVI  KUMAR', phone_number: '098765 43210' })
    expect(await postJson(path, samePerson)).toEqual({
      status: 409,
      body: {
        status: 'error',
        code: 'registered_already',
        message: 'A delegate with this name has already registered. Are you registering again?',
        may_confirm: true,
      },
    })
    await registerPerson({ ...samePerson, confirmed: true })
    expect(listEmails(first.reg_no)).toEqual([])
  })

  test('does not let a confirmation override a rule that blocks', async () => {
    const answers = createPerson()
    await registerPerson(answers)
    expect((await postJson(path, { ...answers, confirmed: true })).body).toEqual({
      status: 'error',
      code: 'registered_already',
      message: registeredText,
    })
  })
})

describe('a discount code', () => {
  test('is rejected, not ignored, if sent in a list or an object', async () => {
    await createCode('faculty', 'LISTED')
    for (const code of [['LISTED'], { code: 'LISTED' }]) {
      const { status, body } = await postJson(path, createPerson({ code }))
      expect([status, body['status']]).toEqual([422, 'error'])
    }
  })

  test('shows its discount immediately, however it is written, and determines the price', async () => {
    await createCode('faculty', 'FAC-ONE')
    expect(await postJson('/api/events/sample2026/code/', { code: ' fac one ' })).toEqual({
      status: 200,
      body: { status: 'success', kind: 'faculty', label: 'Invited faculty' },
    })
    const { reg_no, stands } = await registerPerson(createPerson({ code: 'fac-one' }))
    expect(stands).toBe('complete')
    const registration = await server.deps.store.registration(reg_no)
    expect([registration?.category, registration?.total, registration?.answers['code']]).toEqual([
      'faculty',
      0,
      'faculty',
    ])
  })

  test('that is sent again with the same form returns the same checkout', async () => {
    await createCode('coupon', 'AGAIN')
    const payload = createPerson({ code: 'AGAIN' })
    const send = async (): Promise<RegisterResponse> => {
      const headers = { 'idempotency-key': 'the same' }
      return (await server.app.inject({ method: 'POST', url: path, payload, headers })).json()
    }
    server.setTime('2026-01-10T17:50:00+05:30')
    const first = await send()
    server.setTime('2026-01-10T18:00:00+05:30')
    const second = await send()
    expect([second.reg_no, second.payment_data?.orderid]).toEqual([
      first.reg_no,
      first.payment_data?.orderid,
    ])
  })

  test('can be used up to its limit', async () => {
    await createCode('coupon', 'LESS')
    const first = await registerPerson(createPerson({ code: 'LESS' }))
    expect(first.payment_data?.amount).toBe('1062.00')
    const officeSession = await signIn(server)
    const csvExport = await officeSession.get('/admin/export/?event_type=sample2026')
    // If the amount began with an apostrophe, a spreadsheet's sum would exclude the discount.
    expect(csvExport.body.split('\r\n').find((row) => row.includes(first.reg_no))).toContain(
      ',-118.00,',
    )
    const usedUpMessage = 'This code has already been used the maximum number of times.'
    expect(await postJson('/api/events/sample2026/code', { code: 'less' })).toEqual({
      status: 409,
      body: { status: 'error', code: 'code_spent', message: usedUpMessage },
    })
    expect(await postJson(path, createPerson({ code: 'LESS' }))).toEqual({
      status: 422,
      body: {
        status: 'error',
        code: 'code_spent',
        message: usedUpMessage,
        errors: { code: usedUpMessage },
      },
    })
  })

  test('that can be used once more is accepted in only one of two concurrent requests', async () => {
    await createCode('coupon', 'LAST')
    const bothResponses = await Promise.all([
      postJson(path, createPerson({ code: 'LAST' })),
      postJson(path, createPerson({ code: 'LAST' })),
    ])
    expect(bothResponses.map(({ status }) => status).toSorted()).toEqual([201, 422])
  })

  test('is not reported as “already used” in response to the second of two identical concurrent forms', async () => {
    await createCode('coupon', 'TWICE')
    const payload = createPerson({ code: 'TWICE' })
    const headers = { 'idempotency-key': 'one form, sent twice' }
    const send = () => server.app.inject({ method: 'POST', url: path, payload, headers })
    // The first form registers after the second has read its idempotency key and before the second reads the code.
    let first: Awaited<ReturnType<typeof send>> | undefined
    vi.spyOn(server.deps.store, 'registrationByKey').mockImplementationOnce(async () => {
      first = await send()
      return null
    })
    const second = await send()
    vi.restoreAllMocks()
    expect([first?.statusCode, second.statusCode]).toEqual([201, 201])
    expect(second.json()).toMatchObject({ reg_no: first?.json().reg_no })
  })

  test('is released if its hold ends without a payment, and the first delegate then cannot pay with it', async () => {
    await createCode('coupon', 'HELD')
    server.setTime('2026-01-11T10:00:00+05:30')
    const first = await registerPerson(createPerson({ code: 'HELD' }))
    server.setTime('2026-01-11T10:29:00+05:30')
    expect((await postJson(path, createPerson({ code: 'HELD' }))).body['code']).toBe('code_spent')
    server.setTime('2026-01-11T10:31:00+05:30')
    await registerPerson(createPerson({ code: 'HELD' }))
    await applyResult(first.payment_data, buildDecline(server.now()))
    expect((await postJson('/api/payment/retry/', { order_id: first.reg_no })).body['code']).toBe(
      'code_spent',
    )
  })

  test.each<[string, object, string, string]>([
    [
      'of a removed kind',
      { code: 'OLDKIND' },
      'code_unknown',
      'We do not recognise this code. Please check it or remove it.',
    ],
    [
      'unknown',
      { code: 'UNKNOWN' },
      'code_unknown',
      'We do not recognise this code. Please check it or remove it.',
    ],
    ['over', { code: 'OVER' }, 'code_spent', 'This code has expired.'],
    ['withdrawn', { code: 'GONE' }, 'code_spent', 'The organisers have withdrawn this code.'],
    [
      'too long',
      { code: 'X'.repeat(10_000) },
      'code_unknown',
      'We do not recognise this code. Please check it or remove it.',
    ],
  ])('that is %s is rejected with a message', async (what, code, expected, message) => {
    if (what === 'over') await createCode('coupon', 'OVER', { lastDay: '2026-01-09' })
    if (what === 'of a removed kind') await createCode('gift', 'OLDKIND')
    if (what === 'withdrawn') {
      await createCode('coupon', 'GONE')
      await server.deps.store.withdrawDiscountCode('sample2026', 'gone', 'office', server.now())
    }
    const rejection = await postJson(path, createPerson(code))
    expect([rejection.status, rejection.body['code'], rejection.body['message']]).toEqual([
      422,
      expected,
      message,
    ])
  })
})

test('a delegate who has the last seat and registers again sees the existing registration, not that the event is full', async () => {
  const first = createPerson({ is_member: 'false' })
  await registerPerson(first)
  expect((await postJson(path, createPerson({ is_member: 'false' }))).body['code']).toBe('full')
  expect((await postJson(path, first)).body['code']).toBe('registered_already')
})

describe('a member list', () => {
  const lookupPath = '/api/events/sample2026/roll/'
  test('returns only those values of a row that the event shows or that have options', async () => {
    expect(await postJson(lookupPath, { field: 'number', value: ' L12 ' })).toEqual({
      status: 200,
      body: { status: 'success', row: { name: 'Asha Sample', kind: 'life' } },
    })
  })

  test("adds a listed member's values to the answers", async () => {
    const { reg_no } = await registerPerson(createPerson({ number: 'l 12' }))
    const answers = (await server.deps.store.registration(reg_no))?.answers
    expect([answers?.['number'], answers?.['number.kind']]).toEqual(['l 12', 'life'])
  })

  test.each([
    ['is not listed', 'X1'],
    ['was listed until yesterday', 'A7'],
  ])('leads to an error at the field for a delegate who %s', async (_, number) => {
    server.setTime('2026-01-11')
    const message = 'This number is not on the member list'
    expect(await postJson(lookupPath, { field: 'number', value: number })).toEqual({
      status: 404,
      body: { status: 'error', code: 'not_on_roll', message },
    })
    expect(await postJson(path, createPerson({ number }))).toEqual({
      status: 422,
      body: { status: 'error', code: 'not_on_roll', message, errors: { number: message } },
    })
  })

  test('rejects a field without a member list, and an unknown event', async () => {
    expect((await postJson(lookupPath, { field: 'email', value: 'x' })).body['code']).toBe(
      'no_such_field',
    )
    expect((await postJson('/api/events/nothing/roll/', {})).status).toBe(404)
    expect((await postJson('/api/events/nothing/code/', {})).status).toBe(404)
  })
})

test("guesses in look-ups and registrations are limited, but only for the guesser's address", async () => {
  const guessOnce = (attempt: number): Promise<{ status: number }> =>
    attempt % 2 === 0
      ? postJson('/api/events/sample2026/code/', { code: `GUESS${attempt}` }, '10.9.9.9')
      : postJson(path, createPerson({ number: `G${attempt}` }), '10.9.9.9')
  const guessStatuses: number[] = []
  for (let at = 0; at < 22; at++) guessStatuses.push((await guessOnce(at)).status)
  expect(guessStatuses.slice(18)).toEqual([404, 422, 429, 429])
  expect((await postJson(path, createPerson(), '10.9.9.9')).status).toBe(201)
  expect((await postJson('/api/events/sample2026/code/', { code: 'GUESS' })).status).toBe(404)
})

test('correct look-ups are limited too, so that sequential numbers do not reveal a list of names', async () => {
  const statuses: number[] = []
  for (let at = 0; at < 61; at++) {
    const lookupBody = { field: 'number', value: 'L12' }
    statuses.push((await postJson('/api/events/sample2026/roll/', lookupBody, '10.8.8.8')).status)
  }
  expect([...new Set(statuses), statuses.indexOf(429)]).toEqual([200, 429, 60])
})

describe('the office', () => {
  let headers: { readonly authorization: string }
  beforeAll(async () => {
    headers = { authorization: `Bearer ${(await signIn(server)).token}` }
  })
  const callOffice = async (
    method: 'GET' | 'POST',
    url: string,
    payload?: object,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
    const body = payload === undefined ? {} : { payload }
    const response = await server.app.inject({ method, url, headers, ...body })
    return { status: response.statusCode, body: response.json() }
  }

  test('creates codes that cannot be guessed, lists their uses, and withdraws them', async () => {
    const codeRequest = { event: 'sample2026', kind: 'coupon', count: 3, uses: 2, note: 'Speakers' }
    const { status, body } = await callOffice('POST', '/admin/codes/', {
      ...codeRequest,
      until: '2026-01-31',
    })
    const codes = body['codes'] as string[]
    expect([status, codes.length, new Set(codes).size]).toEqual([201, 3, 3])
    expect(
      codes.every((code) => /^[2-9B-DF-HJ-NP-TV-Z]{5}-[2-9B-DF-HJ-NP-TV-Z]{5}$/.test(code)),
    ).toBe(true)
    const { reg_no: regNo } = await registerPerson(createPerson({ code: codes[0] }))
    const readCode = async (): Promise<WireCode | undefined> => {
      const codeList = await callOffice('GET', '/admin/codes/?event=sample2026')
      return (codeList.body['codes'] as WireCode[]).find(({ code }) => code === codes[0])
    }
    expect(await readCode()).toMatchObject({
      kind: 'coupon',
      uses: 1,
      uses_max: 2,
      paid: 0,
      discounts: [{ amount: 118, paid: 0 }],
      until: '2026-01-31',
      note: 'Speakers',
      made_by: 'office',
      withdrawn_at: null,
    })
    // The discount equals that on the stored bill lines, and counts as granted once the bill is paid.
    const [payment] = (await server.deps.store.registration(regNo))?.payments ?? []
    if (payment === undefined) throw new Error(`${regNo} has no payment`)
    await server.deps.store.applyPaymentEvent(
      payment.orderId,
      buildSale('APCODE', payment.amount),
      null,
    )
    const grantedDiscount = server.rows(
      `SELECT -sum(total) AS granted FROM bill_lines
       WHERE item = 'coupon' AND registration_id = (SELECT id FROM registrations WHERE reg_no = '${regNo}')`,
    )
    expect(grantedDiscount).toEqual([{ granted: 11_800 }])
    expect(await readCode()).toMatchObject({ paid: 1, discounts: [{ amount: 118, paid: 118 }] })
    await callOffice('POST', '/admin/codes/', {
      event: 'sample2026',
      kind: 'faculty',
      code: 'GUEST-1',
    })
    const exportUrl = '/admin/codes/?event=sample2026&as=csv'
    const file = await server.app.inject({ url: exportUrl, headers })
    expect(file.headers['content-disposition']).toMatch(/sample2026_codes_2026-01-1\d\.csv/)
    const rows = file.body.split('\r\n')
    expect(rows[0]).toContain('Maximum uses,Used,Paid,Pending,Currency,Discount,Discount (paid)')
    expect(rows[1]).toMatch(/^GUEST-1,Invited faculty,1,0,0,0,INR,,,,/)
    expect(rows.find((row) => row.startsWith(codes[0] ?? ''))).toContain(
      ',Coupon,2,1,1,0,INR,118.00,118.00,2026-01-31,Speakers,',
    )
    const withdrawal = { event: 'sample2026', code: codes[0] }
    expect((await callOffice('POST', '/api/admin/codes/withdraw', withdrawal)).status).toBe(200)
    expect((await readCode())?.withdrawn_at).not.toBe(null)
    expect((await postJson(path, createPerson({ code: codes[0] }))).body['code']).toBe('code_spent')
    expect(
      server.rows("SELECT what FROM audit_log WHERE what LIKE '%ted%codes%' ORDER BY id LIMIT 2"),
    ).toEqual([{ what: 'created 3 discount codes: coupon' }, { what: 'exported the codes' }])
  })

  test.each<[string, object, string]>([
    [
      'an unknown kind',
      { kind: 'gift' },
      'There is no code kind “gift”. Choose one of faculty, coupon.',
    ],
    ['none', { count: 0 }, 'Create 1 to 1000 codes at a time.'],
    ['a million', { count: 1_000_000 }, 'Create 1 to 1000 codes at a time.'],
    ['a fraction of a use', { uses: 0.5 }, 'A code can have 1 to 100000 uses.'],
    ['an invalid date', { until: '31 January' }, 'Enter the date like this: 2027-01-31.'],
    ['a date in the past', { until: '2026-01-01' }, '“Valid until” is in the past.'],
    [
      'a chosen code that is easy to guess',
      { code: 'MINI' },
      'A chosen code has 6 to 32 letters and digits.',
    ],
  ])('rejects a request for codes with %s and states the reason', async (_, changes, message) => {
    const codeRequest = { event: 'sample2026', kind: 'coupon', ...changes }
    expect(await callOffice('POST', '/admin/codes/', codeRequest)).toEqual({
      status: 422,
      body: { status: 'error', code: 'bad_code', message },
    })
  })

  test('shows the discount code and the member list values on the registration page', async () => {
    const codeRequest = { event: 'sample2026', kind: 'coupon', code: 'SHOWN-1' }
    await callOffice('POST', '/admin/codes/', codeRequest)
    const { reg_no } = await registerPerson(createPerson({ code: 'shown1', number: 'L 12' }))
    const { body } = await callOffice('GET', `/admin/registrations/${reg_no}/`)
    expect(body['answers']).toContainEqual({ id: 'code', label: 'Code', text: 'SHOWN-1 (Coupon)' })
    expect(body['answers']).toContainEqual({
      id: 'number.kind',
      label: 'Number: kind',
      text: 'life',
    })
    expect(JSON.stringify(body['answers'])).not.toContain('"coupon"')
  })

  test('does not create a chosen code that already exists', async () => {
    const codeRequest = { event: 'sample2026', kind: 'coupon', code: 'FRIENDS-26' }
    expect((await callOffice('POST', '/admin/codes/', codeRequest)).status).toBe(201)
    expect(
      (await callOffice('POST', '/admin/codes/', { ...codeRequest, code: 'friends26' })).body,
    ).toEqual({
      status: 'error',
      code: 'code_taken',
      message: 'The code friends26 already exists.',
    })
  })

  test('shows unused codes in full to treasurers, but not to viewers or the desk role', async () => {
    const codeRequest = { event: 'sample2026', kind: 'coupon', code: 'secretfriends' }
    expect((await callOffice('POST', '/admin/codes/', codeRequest)).status).toBe(201)
    for (const role of ['viewer', 'desk', 'treasurer'] as const) {
      await server.deps.store.addAdmin(role, await hashCheaply(PASSWORD), server.now(), {
        role,
        events: null,
      })
      const { body } = await (await signIn(server, role)).get('/admin/codes/?event=sample2026')
      expect([role, body.includes('secretfriends')]).toEqual([role, role === 'treasurer'])
    }
  })

  test('shows the number of rows of a member list', async () => {
    expect((await callOffice('GET', '/admin/rolls/?event=sample2026')).body['rolls']).toEqual([
      { id: 'society', rows: 2 },
    ])
  })

  test('requires a session to list or create codes', async () => {
    for (const url of ['/admin/codes/?event=sample2026', '/admin/rolls/?event=sample2026'])
      expect((await server.app.inject({ url })).statusCode).toBe(401)
    const codeRequest = { event: 'sample2026', kind: 'coupon' }
    expect((await postJson('/admin/codes/', codeRequest)).status).toBe(401)
    expect((await postJson('/admin/codes/withdraw/', codeRequest)).status).toBe(401)
  })
})

describe('consent', () => {
  test('is stored with its text, version and time; the answer “no” is not stored as consent', async () => {
    const readAuditLog = async (letters: unknown): Promise<readonly unknown[]> => {
      const { reg_no: regNo } = await registerPerson(createPerson({ letters }))
      return await server.deps.store.auditOf(regNo as RegNo)
    }
    const createEntry = (what: string): object => ({ at: server.now(), who: 'delegate', what })
    const registeredEntry = createEntry('registered')
    expect(await readAuditLog('true')).toEqual([
      registeredEntry,
      createEntry('agreed to “You may write to me” (version 2027-01, /letters)'),
    ])
    for (const answer of [undefined, false, 'false', ''])
      expect(await readAuditLog(answer)).toEqual([registeredEntry])
  })
})

describe('accompanying people sent as JSON in a form with files', () => {
  const send = async (
    companions: string,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> => {
    const form = new FormData()
    for (const [name, value] of Object.entries(createPerson({ companions })))
      form.append(name, String(value))
    const response = await server.app.inject({
      method: 'POST',
      url: path,
      payload: form,
      remoteAddress: `10.1.0.${(addressCount += 1)}`,
    })
    return { status: response.statusCode, body: response.json() }
  }

  test('are stored as a list', async () => {
    const { status, body } = await send('[{"name": " Ravi ", "price": 0}, {"name": "Meena"}]')
    expect(status).toBe(201)
    const registration = await server.deps.store.registration(body['reg_no'] as RegNo)
    expect(registration?.answers['companions']).toEqual([{ name: 'Ravi' }, { name: 'Meena' }])
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
  ])('%.40s is rejected with a message', async (companions, errors) => {
    const { status, body } = await send(companions)
    expect([status, body['code'], body['errors']]).toEqual([422, 'invalid_answers', errors])
  })
})
