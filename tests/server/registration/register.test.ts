/** Registering a delegate: invalid requests get clear errors, and exactly the intended data is stored. */
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRegNo } from '../../../engine/index.ts'
import type { ErrorResponse, RegisterResponse } from '../../../engine/api.ts'
import { createExe, createMsi, createPdf } from '../sample-uploads.ts'
import { buildMultipart, startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const url = '/api/afpicon/register/'
const delegate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  ticket_type: 'afpi-gp-specialist',
}
const proof = { pg_proof: { name: 'proof.pdf', bytes: createPdf() } }

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10T12:00:00+05:30' })
})
afterAll(() => server.close())

const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  server.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  })

/** Counts the rows per table, and the files, that the action adds. */
async function countAdded(action: () => Promise<unknown>): Promise<Record<string, number>> {
  const countsBefore = { ...server.countRows(), files: server.listStoredUploads().length }
  await action()
  const countsAfter = { ...server.countRows(), files: server.listStoredUploads().length }
  return Object.fromEntries(
    Object.entries(countsAfter).map(([table, count]) => [
      table,
      count - (countsBefore[table as keyof typeof countsBefore] ?? 0),
    ]),
  )
}
const NONE_ADDED = {
  registrations: 0,
  payments: 0,
  uploads: 0,
  audit_log: 0,
  idempotency_keys: 0,
  mail_queue: 0,
  files: 0,
}
const ONE_ADDED = { ...NONE_ADDED, registrations: 1, payments: 1, audit_log: 1 }

describe('a registration', () => {
  test('returns 201 with its number and checkout, and is stored with its quote, pending payment and audit entry', async () => {
    let answer: RegisterResponse | undefined
    const addedCounts = await countAdded(async () => {
      const response = await server.post(url, {
        ...delegate,
        base_amount: '6000',
        gst_amount: '1080',
        total_amount: '7080',
        afpi_member: 'true',
        afpi_membership_number: ' A-1 ',
        city: 'Kochi',
        state: '',
      })
      expect(response.statusCode).toBe(201)
      expect(response.headers['cache-control']).toBe('no-store')
      answer = response.json()
    })
    expect(addedCounts).toEqual(ONE_ADDED)
    const event = server.deps.events.findById('afpicon2026')
    expect(answer?.status).toBe('success')
    expect(event !== null && isRegNo(event.config, answer?.reg_no ?? '')).toBe(true)
    expect(answer?.payment_data).toMatchObject({
      email: 'asha@example.org',
      first_name: 'Asha',
      last_name: 'Nair',
      orderid: answer?.reg_no,
      amount: '7080.00',
    })
    const [row] = server.rows('SELECT * FROM registrations WHERE reg_no = ?', answer?.reg_no)
    expect(row).toMatchObject({
      event_id: 'afpicon2026',
      event_hash: event?.hash,
      full_name: 'Asha Nair',
      email: 'asha@example.org',
      phone: '9876543210',
      category: 'afpi-gp-specialist',
      period: 'sep-1-dec-31',
      base: 600_000,
      gst: 108_000,
      total: 708_000,
      payment_status: 'pending',
      created_day: '2025-10-10',
    })
    expect(JSON.parse(String(row?.['answers']))).toEqual({
      ...delegate,
      afpi_member: true,
      afpi_membership_number: 'A-1',
      city: 'Kochi',
    })
    expect(
      server.rows(
        'SELECT order_id, amount, status, gateway FROM payments WHERE registration_id = ?',
        row?.['id'],
      ),
    ).toEqual([{ order_id: answer?.reg_no, amount: 708_000, status: 'pending', gateway: 'airpay' }])
    expect(server.rows('SELECT hash FROM event_files WHERE hash = ?', event?.hash)).toHaveLength(1)
  })

  test.each([true, false])(
    'is accepted with its document (files before fields: %s)',
    async (filesFirst) => {
      const { payload, type } = buildMultipart(
        Object.entries({ ...delegate, ticket_type: 'afpi-pg' }),
        Object.entries(proof),
        { filesFirst },
      )
      const response = await server.app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': type },
        payload,
      })
      expect(response.statusCode).toBe(201)
      const { reg_no } = response.json<RegisterResponse>()
      expect(
        server.rows(
          'SELECT u.field, u.name, u.type, u.bytes FROM uploads u JOIN registrations r ON r.id = u.registration_id WHERE reg_no = ?',
          reg_no,
        ),
      ).toEqual([
        {
          field: 'pg_proof',
          name: 'proof.pdf',
          type: 'application/pdf',
          bytes: createPdf().length,
        },
      ])
      const [storedUpload] = server.rows('SELECT sha256 FROM uploads WHERE name = ?', 'proof.pdf')
      expect(server.listStoredUploads()).toContain(storedUpload?.['sha256'])
      const storedFile = await server.deps.uploads.read(String(storedUpload?.['sha256']))
      expect(storedFile === null ? null : await buffer(storedFile.content)).toEqual(createPdf())
    },
  )

  test('is accepted as JSON, and at the path without its trailing slash', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: url.slice(0, -1),
      payload: { ...delegate, afpi_member: false },
    })
    expect(response.statusCode).toBe(201)
  })

  test('can share an email address with another registration', async () => {
    expect(
      await countAdded(async () => {
        for (const full_name of ['Asha Nair', 'Ravi Nair'])
          expect((await server.post(url, { ...delegate, full_name })).statusCode).toBe(201)
      }),
    ).toEqual({ ...ONE_ADDED, registrations: 2, payments: 2, audit_log: 2 })
  })

  test("a non-member's membership number is neither rejected nor stored", async () => {
    const response = await server.post(url, {
      ...delegate,
      afpi_member: 'false',
      afpi_membership_number: 'A-1',
    })
    expect(response.statusCode).toBe(201)
    const [row] = server.rows(
      'SELECT answers FROM registrations WHERE reg_no = ?',
      response.json<RegisterResponse>().reg_no,
    )
    expect(JSON.parse(String(row?.['answers']))).toEqual({ ...delegate, afpi_member: false })
  })

  test('a document that was not requested is not stored', async () => {
    expect(
      await countAdded(async () => {
        expect(
          (
            await server.post(url, delegate, {
              pg_proof: { name: 'other.pdf', bytes: createPdf('not asked for') },
            })
          ).statusCode,
        ).toBe(201)
      }),
    ).toEqual(ONE_ADDED)
  })

  test('unknown fields are ignored, even `__proto__` and `constructor`', async () => {
    const unknownFields = { ...delegate, colour: 'red', constructor: 'x', toString: 'x' }
    const bodies = [
      await post(
        `{"__proto__": {"full_name": "Mallory", "isAdmin": true}, ${JSON.stringify(unknownFields).slice(1)}`,
      ),
      await server.post(url, { ...unknownFields, ['__proto__']: 'x' }),
    ]
    for (const response of bodies) {
      expect(response.statusCode).toBe(201)
      const [row] = server.rows(
        'SELECT answers FROM registrations WHERE reg_no = ?',
        response.json<RegisterResponse>().reg_no,
      )
      expect(JSON.parse(String(row?.['answers']))).toEqual({ ...delegate, afpi_member: false })
    }
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined()
    const protoResponse = await post(
      '{"__proto__": {"full_name": "Mallory", "email": "m@example.org", "phone_number": "1", "ticket_type": "afpi-gp-specialist"}}',
    )
    expect(protoResponse.statusCode).toBe(422)
  })
})

describe('invalid input is rejected with a clear message, and nothing is stored:', () => {
  const cases: [
    string,
    () => Promise<{ statusCode: number; json(): unknown }>,
    number,
    Partial<ErrorResponse>,
  ][] = [
    [
      'a missing field',
      () => server.post(url, { ...delegate, full_name: '' }),
      422,
      { code: 'invalid_answers', errors: { full_name: 'Full name is required' } },
    ],
    [
      'all fields missing',
      () => server.app.inject({ method: 'POST', url }),
      422,
      {
        code: 'invalid_answers',
        errors: {
          full_name: 'Full name is required',
          email: 'Email address is required',
          phone_number: 'Phone number is required',
          ticket_type: 'Please select a registration category',
        },
      },
    ],
    [
      'an invalid email address',
      () => server.post(url, { ...delegate, email: 'asha.example.org' }),
      422,
      { code: 'invalid_answers', errors: { email: 'Please enter a valid email address' } },
    ],
    [
      'a member without a membership number',
      () => server.post(url, { ...delegate, afpi_member: 'true' }),
      422,
      { errors: { afpi_membership_number: 'AFPI membership number is required for AFPI members' } },
    ],
    [
      'a postgraduate without a proof',
      () => server.post(url, { ...delegate, ticket_type: 'afpi-pg' }),
      422,
      { errors: { pg_proof: 'Proof of post-graduation status is required for PG categories' } },
    ],
    [
      'a postgraduate who sends only the name of a proof',
      () => server.post(url, { ...delegate, ticket_type: 'afpi-pg', pg_proof: 'proof.pdf' }),
      422,
      { errors: { pg_proof: 'Proof of post-graduation status is required for PG categories' } },
    ],
    [
      'a postgraduate who sends only the name of a proof, in JSON',
      () => post(JSON.stringify({ ...delegate, ticket_type: 'afpi-pg', pg_proof: 'proof.pdf' })),
      422,
      { errors: { pg_proof: 'Proof of post-graduation status is required for PG categories' } },
    ],
    [
      'a program renamed to pdf',
      () =>
        server.post(
          url,
          { ...delegate, ticket_type: 'afpi-pg' },
          { pg_proof: { name: 'proof.pdf', bytes: createExe(), type: 'application/pdf' } },
        ),
      422,
      { errors: { pg_proof: expect.stringMatching(/^This file is not a PDF, DOC, .* or PNG\./) } },
    ],
    [
      'an installer renamed to doc',
      () =>
        server.post(
          url,
          { ...delegate, ticket_type: 'afpi-pg' },
          { pg_proof: { name: 'proof.doc', bytes: createMsi(), type: 'application/msword' } },
        ),
      422,
      { errors: { pg_proof: expect.stringMatching(/^This file is not a PDF, DOC, .* or PNG\./) } },
    ],
    [
      'a file of 50 MB',
      () =>
        server.post(
          url,
          { ...delegate, ticket_type: 'afpi-pg' },
          {
            pg_proof: {
              name: 'proof.pdf',
              bytes: Buffer.concat([createPdf(), Buffer.alloc(50 * 1024 * 1024)]),
            },
          },
        ),
      413,
      {
        code: 'file_too_large',
        message: 'The file is too large. It must be 5 MB or smaller.',
        errors: { pg_proof: 'The file is too large. It must be 5 MB or smaller.' },
      },
    ],
    [
      'a file one byte too long',
      () =>
        server.post(
          url,
          { ...delegate, ticket_type: 'afpi-pg' },
          {
            pg_proof: {
              name: 'proof.pdf',
              bytes: Buffer.concat([
                createPdf(),
                Buffer.alloc(5 * 1024 * 1024 + 1 - createPdf().length),
              ]),
            },
          },
        ),
      413,
      {
        code: 'file_too_large',
        errors: { pg_proof: 'The file is too large. It must be 5 MB or smaller.' },
      },
    ],
    [
      'a tampered total',
      () =>
        server.post(url, {
          ...delegate,
          base_amount: '6000',
          gst_amount: '1080',
          total_amount: '1',
        }),
      409,
      {
        code: 'price_changed',
        quote: {
          category: 'afpi-gp-specialist',
          period: 'sep-1-dec-31',
          base: 6000,
          gst: 1080,
          total: 7080,
          lines: [expect.objectContaining({ id: 'registration', unit: 6000, total: 7080 })],
        },
      },
    ],
    [
      'a total one paisa off',
      () => server.post(url, { ...delegate, total_amount: '7079.99' }),
      409,
      { code: 'price_changed' },
    ],
    [
      'a total that is not a number',
      () => server.post(url, { ...delegate, total_amount: '7,080 rupees' }),
      422,
      { code: 'invalid_answers', errors: { total_amount: 'This is not an amount in rupees.' } },
    ],
    [
      'a category that does not match the answers',
      () => server.post(url, { ...delegate, registration_category: 'intern-mbbs-accompanying' }),
      409,
      {
        code: 'category_changed',
        message:
          'Based on your answers, your category is AFPI Member – GP / Specialist. The total is ₹\u00a07,080. You have not been charged. Please check the price and submit again.',
      },
    ],
    [
      'an unknown category',
      () => server.post(url, { ...delegate, ticket_type: 'vip' }),
      422,
      { code: 'invalid_answers', errors: { ticket_type: 'Please choose one of the options' } },
    ],
    [
      'invalid JSON',
      () => post('{"full_name": "Asha'),
      400,
      {
        code: 'bad_request',
        message: 'The content type is JSON, but the request is not valid JSON.',
      },
    ],
    [
      'JSON that is not an object',
      () => post('[1, 2]'),
      422,
      { code: 'bad_request', message: 'The answers must be one JSON object.' },
    ],
    ['an empty body declared as JSON', () => post(''), 400, { code: 'bad_request' }],
    [
      'an invalid multipart body',
      () =>
        server.app.inject({
          method: 'POST',
          url,
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
          payload: 'hello',
        }),
      400,
      { code: 'bad_request' },
    ],
    [
      'a body of 100 MB',
      () => post(Buffer.alloc(100 * 1024 * 1024, 32)),
      413,
      { code: 'too_large' },
    ],
    [
      'XML',
      () =>
        server.app.inject({
          method: 'POST',
          url,
          headers: { 'content-type': 'application/xml' },
          payload: '<a/>',
        }),
      415,
      { code: 'unsupported_media_type' },
    ],
    [
      'an idempotency key that is too long',
      () => server.post(url, delegate, {}, { 'idempotency-key': 'k'.repeat(201) }),
      400,
      { code: 'bad_idempotency_key' },
    ],
    [
      'a registration for a closed event',
      () => server.app.inject({ method: 'POST', url: '/api/register/', payload: {} }),
      409,
      {
        code: 'registration_closed',
        message:
          'Online registration for PULMOCON 2025 is currently closed. Please contact the organizers directly for registration assistance.',
      },
    ],
  ]
  test.each(cases)('%s', async (_what, send, status, expected) => {
    let answer: unknown
    const addedCounts = await countAdded(async () => {
      const response = await send()
      answer = response.json()
      expect(response.statusCode).toBe(status)
    })
    expect(answer).toMatchObject({ status: 'error', ...expected })
    if (expected.errors !== undefined)
      expect((answer as ErrorResponse).errors).toEqual(expected.errors)
    expect(addedCounts).toEqual(NONE_ADDED)
  })

  test('an email address with astral characters, which the gateway would count twice, is rejected before it is stored', async () => {
    const addedCounts = await countAdded(async () => {
      const response = await post(JSON.stringify({ ...delegate, email: `${'𝐚'.repeat(30)}@x.in` }))
      expect([
        response.statusCode,
        Object.keys(response.json<ErrorResponse>().errors ?? {}),
      ]).toEqual([422, ['email']])
    })
    expect(addedCounts).toEqual(NONE_ADDED)
  })

  test('in a name with 120,000 combining marks, only thirty are kept, so it does not delay other requests', async () => {
    const combiningMarks = '\u0301\u0316'.repeat(60_000)
    expect(
      (await post(JSON.stringify({ ...delegate, full_name: `Asha${combiningMarks}` }))).statusCode,
    ).toBe(201)
    const [row] = server.rows('SELECT full_name FROM registrations ORDER BY id DESC LIMIT 1')
    expect(
      String(row?.['full_name'])
        .match(/\p{M}+/gu)
        ?.map((run) => run.length),
    ).toEqual([29])
  })

  test('missing, empty or differently written amounts do not count as different', async () => {
    for (const total_amount of ['', '  ', '7080', '7080.0', '7080.00'])
      expect((await server.post(url, { ...delegate, total_amount })).statusCode).toBe(201)
    expect(
      (await post(JSON.stringify({ ...delegate, total_amount: 7080, gst_amount: null })))
        .statusCode,
    ).toBe(201)
  })

  test('an unknown endpoint returns 404 as JSON', async () => {
    const response = await server.app.inject({
      method: 'POST',
      url: '/api/nothing/register/',
      payload: {},
    })
    expect([response.statusCode, response.json()]).toEqual([
      404,
      { status: 'error', code: 'not_found', message: 'There is nothing at this address.' },
    ])
  })
})

describe('the same idempotency key', () => {
  const submit = (key: string, fields: Readonly<Record<string, string>> = delegate, files = {}) =>
    server.post(url, fields, files, { 'idempotency-key': key })

  test('sent twenty times concurrently creates one registration, which is returned twenty times', async () => {
    const numbers: string[] = []
    const addedCounts = await countAdded(async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, () => submit('same-moment')))
      for (const response of responses) {
        expect(response.statusCode).toBe(201)
        const { reg_no, payment_data } = response.json<RegisterResponse>()
        expect(payment_data?.orderid).toBe(reg_no)
        numbers.push(reg_no)
      }
    })
    expect(new Set(numbers).size).toBe(1)
    expect(addedCounts).toEqual({ ...ONE_ADDED, idempotency_keys: 1 })
  })

  test('can be any text, even "unreadable"', async () => {
    const [first, second] = [await submit('unreadable'), await submit('unreadable')]
    expect([first.statusCode, second.statusCode]).toEqual([201, 201])
    expect(second.json<RegisterResponse>().reg_no).toBe(first.json<RegisterResponse>().reg_no)
  })

  test('makes the difference: without a key, the same twenty requests create twenty registrations', async () => {
    const addedCounts = await countAdded(() =>
      Promise.all(Array.from({ length: 20 }, () => server.post(url, delegate))),
    )
    expect(addedCounts).toEqual({ ...ONE_ADDED, registrations: 20, payments: 20, audit_log: 20 })
  })

  test('is rejected with a different body, and nothing is stored', async () => {
    await submit('other-body')
    let answer: unknown
    const addedCounts = await countAdded(async () => {
      const response = await submit('other-body', { ...delegate, city: 'Kochi' })
      expect(response.statusCode).toBe(422)
      answer = response.json()
    })
    expect(answer).toMatchObject({ status: 'error', code: 'idempotency_key_reused' })
    expect(addedCounts).toEqual(NONE_ADDED)
  })

  test('is also rejected with a different file of the same name', async () => {
    const pg = { ...delegate, ticket_type: 'afpi-pg' }
    expect((await submit('file', pg, proof)).statusCode).toBe(201)
    expect((await submit('file', pg, proof)).statusCode).toBe(201)
    expect(
      (await submit('file', pg, { pg_proof: { name: 'proof.pdf', bytes: createPdf('another') } }))
        .statusCode,
    ).toBe(422)
  })

  test('sent concurrently with two bodies stores only one of them', async () => {
    const responses = await Promise.all([
      submit('race'),
      submit('race', { ...delegate, city: 'Kochi' }),
    ])
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([201, 422])
  })

  test('leads to a new checkout on another date, because the checksum contains the date', async () => {
    const first = (await submit('afresh')).json<RegisterResponse>()
    server.setTime('2025-10-11T09:00:00+05:30')
    const second = (await submit('afresh')).json<RegisterResponse>()
    server.setTime('2025-10-10T12:00:00+05:30')
    expect(second.reg_no).toBe(first.reg_no)
    expect(second.payment_data?.orderid).toBe(first.payment_data?.orderid)
    expect(second.payment_data?.checksum).not.toBe(first.payment_data?.checksum)
  })

  test('returns the first registration even if a new price period has begun since', async () => {
    const payload = { ...delegate, total_amount: '7080' }
    server.setTime('2025-12-31T23:59:00+05:30')
    const first = (await submit('period-ended', payload)).json<RegisterResponse>()
    server.setTime('2026-01-01T00:00:00+05:30')
    const second = await submit('period-ended', payload)
    server.setTime('2025-10-10T12:00:00+05:30')
    expect(second.statusCode).toBe(201)
    expect(second.json<RegisterResponse>()).toMatchObject({
      reg_no: first.reg_no,
      payment_data: { amount: '7080.00' },
    })
  })
})
