/** Forms as browsers send them, with fields in any order and every kind of error, and messages about prices. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ErrorResponse, RegisterResponse } from '../../../engine/api.ts'
import { createPdf } from '../sample-uploads.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const url = '/api/sample2026/register/'
let server: TestApp
beforeAll(async () => {
  const event = buildFixtureEvent()
    .replace('non-member: [3000, 4000]', 'non-member: [none, free]')
    .replace('member:     [1000, 2000]', 'member:     [1000, 1000]')
    .replace(
      '\nclosed:',
      '\napi:\n  register: /api/sample2026/register/\n  registration: "/api/sample2026/registrations/{reg_no}/"\n  tariff: /api/sample2026/tariff-info/\n  sends: {period: period}\n\nclosed:',
    )
  server = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': event } })
})
afterAll(() => server.close())

const BOUNDARY = 'x-boundary'
const createField = (name: string, value: string): Buffer =>
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
const createFile = (name: string, filename: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ])
const END = Buffer.from(`--${BOUNDARY}--\r\n`)
const send = (...parts: readonly Buffer[]) =>
  server.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    payload: Buffer.concat(parts),
  })
const fields = Object.entries(fixtureDelegate).map(([name, value]) => createField(name, value))
const listUploads = (response: { json<T>(): T }): unknown[] =>
  server
    .rows(
      'SELECT u.name FROM uploads u JOIN registrations r ON r.id = u.registration_id WHERE reg_no = ?',
      response.json<RegisterResponse>().reg_no,
    )
    .map(({ name }) => name)
/** Lists stored files that belong to no registration. */
const listStrayFiles = (): string[] => {
  const usedHashes = new Set(server.rows('SELECT sha256 FROM uploads').map(({ sha256 }) => sha256))
  return server.listStoredUploads().filter((name) => !usedHashes.has(name))
}

describe('a form', () => {
  test('can have its file between its fields', async () => {
    const [first = END, ...otherFields] = fields
    const response = await send(
      first,
      createFile('letter', 'letter.pdf', createPdf('between')),
      ...otherFields,
      END,
    )
    expect(response.statusCode).toBe(201)
    expect(listUploads(response)).toEqual(['letter.pdf'])
  })

  test('with two files in one field stores the second one, with its original name', async () => {
    const response = await send(
      createFile('letter', 'first.pdf', createPdf('first')),
      createFile('letter', 'my %22second%22.pdf', createPdf('second')),
      ...fields,
      END,
    )
    expect(response.statusCode).toBe(201)
    expect(listUploads(response)).toEqual(['my "second".pdf'])
    expect(listStrayFiles()).toEqual([])
  })

  test.each([
    ['with a path', '../../etc/letter.pdf', 'letter.pdf'],
    ['with a Windows path', 'C:\\Users\\asha\\letter.pdf', 'letter.pdf'],
    ['with a NUL', 'let\u0000ter.pdf', 'letter.pdf'],
    ['with right-to-left text', 'letter\u202efdp.exe.pdf', 'letterfdp.exe.pdf'],
  ])('with a file name %s keeps its readable part', async (_what, fileName, expectedName) => {
    const response = await send(createFile('letter', fileName, createPdf(fileName)), ...fields, END)
    expect(response.statusCode).toBe(201)
    expect(listUploads(response)).toEqual([expectedName])
  })

  test('with a file name of 20 KB is rejected with a message', async () => {
    const response = await send(
      createFile('letter', `${'x'.repeat(20_000)}.pdf`, createPdf('long name')),
      ...fields,
      END,
    )
    expect(response.statusCode).toBe(422)
    expect(response.json<ErrorResponse>().errors).toEqual({
      letter: 'Please enter 200 characters or fewer',
    })
    expect(listStrayFiles()).toEqual([])
  })

  test('with an unrequested file or an empty file input counts as a form without a file', async () => {
    const response = await send(
      createFile('other', 'other.pdf', createPdf('other')),
      createFile('full_name', 'name.pdf', createPdf('name')),
      createFile('letter', '', Buffer.alloc(0)),
      ...fields,
      END,
    )
    expect(response.statusCode).toBe(201)
    expect(listUploads(response)).toEqual([])
    expect(listStrayFiles()).toEqual([])
  })

  const tooLarge = Buffer.alloc(5 * 1024 * 1024 + 1, 0x20)
  test.each<[string, () => Promise<{ statusCode: number; json(): unknown }>, number, string]>([
    [
      'that ends in the middle of its file',
      () => send(...fields, createFile('letter', 'a.pdf', createPdf())),
      400,
      'bad_request',
    ],
    [
      'with a valid file and invalid fields',
      () => send(createFile('letter', 'a.pdf', createPdf('good')), END),
      422,
      'invalid_answers',
    ],
    [
      'with a file that is not a PDF',
      () => send(...fields, createFile('letter', 'a.pdf', Buffer.from('no')), END),
      422,
      'invalid_answers',
    ],
    [
      'with a file that is too large, after a valid one',
      () =>
        send(
          ...fields,
          createFile('letter', 'a.pdf', createPdf()),
          createFile(
            'letter',
            'b.pdf',
            Buffer.concat([createPdf(), tooLarge.subarray(createPdf().length)]),
          ),
          END,
        ),
      413,
      'file_too_large',
    ],
    [
      'with an unrequested file that is too large',
      () =>
        send(
          createFile('letter', 'a.pdf', createPdf()),
          createFile('other', 'b.pdf', tooLarge),
          tooLarge,
          END,
        ),
      413,
      'file_too_large',
    ],
    [
      'with an answer that is longer than the limit for all answers',
      () =>
        send(
          createFile('letter', 'a.pdf', createPdf()),
          createField('full_name', 'x'.repeat(300_000)),
          END,
        ),
      413,
      'too_large',
    ],
    [
      'with more than a thousand fields',
      () =>
        send(
          createFile('letter', 'a.pdf', createPdf()),
          ...Array.from({ length: 1001 }, (_, index) => createField(`f${index}`, 'x')),
          END,
        ),
      413,
      'file_too_large',
    ],
  ])('%s is rejected, and no file is stored', async (_what, sendForm, status, code) => {
    const response = await sendForm()
    expect([response.statusCode, (response.json() as ErrorResponse).code]).toEqual([status, code])
    expect(listStrayFiles()).toEqual([])
  })
})

describe('an error about the price states what is different:', () => {
  const submit = async (fields: Readonly<Record<string, string>>): Promise<ErrorResponse> => {
    const response = await server.post(url, { ...fixtureDelegate, ...fields })
    expect(response.statusCode).toBe(409)
    return response.json()
  }
  const notChargedText = 'You have not been charged. Please check the price and submit again.'

  test('the price', async () => {
    expect(await submit({ total_amount: '1000' })).toMatchObject({
      code: 'price_changed',
      message: `The price has changed: the total is now ₹\u00a01,180. ${notChargedText}`,
      quote: { total: 1180 },
    })
  })

  test('the price first, if both the price and the category are different', async () => {
    const fields = { total_amount: '1', registration_category: 'non-member' }
    expect(await submit(fields)).toMatchObject({ code: 'price_changed' })
  })

  test('only the category', async () => {
    expect(
      await submit({ total_amount: '1180', registration_category: 'non-member' }),
    ).toMatchObject({
      code: 'category_changed',
      message: `Based on your answers, your category is Member. The total is ₹\u00a01,180. ${notChargedText}`,
      quote: { category: 'member', total: 1180 },
    })
  })

  test('only the period', async () => {
    expect(await submit({ total_amount: '1180', period: 'late' })).toMatchObject({
      code: 'period_changed',
      message: `A new price period has begun. The total is ₹\u00a01,180. ${notChargedText}`,
      quote: { period: 'early', total: 1180 },
    })
  })

  test('that the category is not on sale', async () => {
    expect(await submit({ is_member: 'false' })).toMatchObject({
      code: 'not_on_sale',
      message: 'Non-member is not available at the moment. Please choose another category.',
      quote: null,
    })
  })
})

test('a free registration is complete immediately, and its email is queued', async () => {
  server.setTime('2026-02-10')
  const rowsBefore = server.countRows()
  const response = await server.post(url, {
    ...fixtureDelegate,
    is_member: 'false',
    total_amount: '0',
  })
  server.setTime('2026-01-10')
  expect(response.statusCode).toBe(201)
  const { payment_data, message, reg_no } = response.json<RegisterResponse>()
  expect([payment_data, message]).toEqual([undefined, 'Your registration is saved.'])
  expect(
    server.rows('SELECT total, payment_status FROM registrations WHERE reg_no = ?', reg_no),
  ).toEqual([{ total: 0, payment_status: 'success' }])
  const rowsAfter = server.countRows()
  const countNew = (table: string): number => (rowsAfter[table] ?? 0) - (rowsBefore[table] ?? 0)
  expect([countNew('registrations'), countNew('payments'), countNew('mail_queue')]).toEqual([
    1, 0, 1,
  ])
})
