/** Files uploaded before the form is sent: assigned to a registration, or deleted after three days. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExe, createJpg, createPdf } from '../sample-uploads.ts'
import type { OrderId } from '../../../engine/index.ts'
import { signIn } from '../office/office.ts'
import { buildDecline } from '../sample-registrations.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const UPLOAD_TIME = '2025-10-10T12:00:00+05:30'
const REGISTER_PATH = '/api/afpicon/register/'
const PROOFS_PATH = '/api/events/afpicon2026/proofs/'
const MISSING_FILE_ERROR = 'We no longer have this file. Please choose it again.'
const postgraduate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  ticket_type: 'afpi-pg',
}

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: UPLOAD_TIME })
})
afterAll(() => server.close())

const computeHash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const uploadDraft = (bytes: Buffer, name = 'proof.pdf', field = 'pg_proof') =>
  server.post(PROOFS_PATH, {}, { [field]: { name, bytes } })
const uploadForToken = async (bytes: Buffer): Promise<string> => {
  const response = await uploadDraft(bytes)
  expect(response.statusCode, response.body).toBe(201)
  return response.json<{ token: string }>().token
}
const postJson = (url: string, payload: object, headers: Readonly<Record<string, string>> = {}) =>
  server.app.inject({ method: 'POST', url, payload, headers })
const register = (pg_proof: string, headers: Readonly<Record<string, string>> = {}) =>
  postJson(REGISTER_PATH, { ...postgraduate, pg_proof }, headers)
const readProofs = (regNo: string) =>
  server.rows(
    `SELECT field, sha256, name, type, bytes FROM uploads
     WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?)`,
    regNo,
  )

test('a document uploaded as soon as it is chosen is attached to the registration submitted with its token', async () => {
  const bytes = createPdf('sent ahead')
  const uploadResponse = await uploadDraft(bytes, 'C:\\papers\\my certificate.pdf')
  expect(uploadResponse.statusCode).toBe(201)
  const { token, ...responseData } = uploadResponse.json<{ token: string }>()
  expect(responseData).toEqual({
    status: 'success',
    name: 'my certificate.pdf',
    bytes: bytes.length,
    until: '2025-10-13T12:00:00+05:30',
  })
  // No stored data or log line contains the token of the upload.
  expect(server.rows('SELECT * FROM draft_proofs WHERE token_hash = ?', token)).toEqual([])
  const response = await register(token)
  expect(response.statusCode, response.body).toBe(201)
  expect(readProofs(response.json<{ reg_no: string }>().reg_no)).toEqual([
    {
      field: 'pg_proof',
      sha256: computeHash(bytes),
      name: 'my certificate.pdf',
      type: 'application/pdf',
      bytes: bytes.length,
    },
  ])
  expect(JSON.stringify(server.log)).not.toContain(token)
})

test('an uploaded document is not requested again after a return from the gateway, or when an answer is corrected', async () => {
  const token = await uploadForToken(createPdf('again'))
  const key = { 'idempotency-key': 'a-key' }
  const [firstResponse, repeatedResponse, correctedResponse] = [
    await register(token, key),
    await register(token, key),
    await postJson(REGISTER_PATH, { ...postgraduate, full_name: 'Asha Rao', pg_proof: token }),
  ]
  const regNos = [firstResponse, repeatedResponse, correctedResponse].map(
    (response) => response.json<{ reg_no: string }>().reg_no,
  )
  expect(regNos[1]).toBe(regNos[0])
  expect(regNos[2]).not.toBe(regNos[0])
  expect(regNos.map((number) => readProofs(number).length)).toEqual([1, 1, 1])
})

test("an upload for one event cannot be withdrawn through another event's URL", async () => {
  const token = await uploadForToken(createPdf('of this event'))
  const withdrawUpload = (event: string) =>
    postJson(`/api/events/${event}/proofs/forget/`, { token })
  // The response does not reveal whether the file existed.
  expect((await withdrawUpload('chirurgia2026')).json()).toEqual({ status: 'success' })
  const unknownEventResponse = await withdrawUpload('none')
  expect([
    unknownEventResponse.statusCode,
    unknownEventResponse.json<{ code: string }>().code,
  ]).toEqual([404, 'no_such_event'])
  expect((await register(token)).statusCode).toBe(201)
})

test('a document used by two registrations is stored for each: erasing one registration keeps the document of the other', async () => {
  const bytes = createPdf('of two registrations')
  const token = await uploadForToken(bytes)
  const office = await signIn(server)
  const regNos = [await register(token), await register(token)].map(
    (response) => response.json<{ reg_no: string }>().reg_no,
  )
  const [first = '', second = ''] = regNos
  expect((await postJson(`${PROOFS_PATH}forget`, { token })).statusCode).toBe(200)
  for (const number of regNos)
    await server.deps.store.applyPaymentEvent(number as OrderId, buildDecline(server.now()), null)
  const eraseResult = await office.act(first, { act: 'erase', why: 'Asked for by letter.' })
  expect(eraseResult.status, JSON.stringify(eraseResult.body)).toBe(200)
  await server.deps.uploads.sweep()
  const readFile = (number: string) => office.get(`/admin/registrations/${number}/files/pg_proof/`)
  expect((await readFile(first)).statusCode).toBe(410)
  expect((await readFile(second)).rawPayload).toEqual(bytes)
})

test('a file sent with the answers replaces one that was uploaded earlier', async () => {
  const token = await uploadForToken(createPdf('ahead'))
  const response = await server.post(
    REGISTER_PATH,
    { ...postgraduate, pg_proof: token },
    { pg_proof: { name: 'newer.pdf', bytes: createPdf('newer') } },
  )
  expect(readProofs(response.json<{ reg_no: string }>().reg_no)).toMatchObject([
    { name: 'newer.pdf', sha256: computeHash(createPdf('newer')) },
  ])
})

test('removes camera metadata from a photo', async () => {
  const photo = Buffer.concat([
    createJpg().subarray(0, 2),
    Buffer.from('\xff\xe1\0\x16Exif\0\0 10.0271N 76.30', 'latin1'),
    createJpg().subarray(2),
  ])
  const uploadResponse = await uploadDraft(photo, 'photo.jpg')
  expect(uploadResponse.statusCode, uploadResponse.body).toBe(201)
  expect(server.listStoredUploads()).not.toContain(computeHash(photo))
})

test.each<[string, () => Promise<string>]>([
  ['with a guessed token', async () => `proof.${'A'.repeat(43)}`],
  [
    'that was withdrawn',
    async () => {
      const token = await uploadForToken(createPdf('taken back'))
      expect((await postJson(`${PROOFS_PATH}forget`, { token })).statusCode).toBe(200)
      return token
    },
  ],
  [
    'uploaded three days ago',
    async () => {
      const token = await uploadForToken(createPdf('old'))
      server.setTime('2025-10-13T12:00:00+05:30')
      return token
    },
  ],
  [
    'uploaded for another event',
    async () => {
      const token = `proof.${'B'.repeat(43)}`
      const bytes = createPdf('of another')
      await uploadForToken(bytes)
      await server.deps.store.saveDraftUpload(createHash('sha256').update(token).digest('hex'), {
        eventId: 'chirurgia2026',
        field: 'pg_proof',
        sha256: computeHash(bytes),
        name: 'a.pdf',
        type: 'application/pdf',
        bytes: bytes.length,
        at: server.now(),
      })
      return token
    },
  ],
])(
  'a file %s is reported as missing at its field, and nothing is stored',
  async (_what, createToken) => {
    const token = await createToken()
    const rowsBefore = server.countRows()
    const rejection = await register(token)
    server.setTime(UPLOAD_TIME)
    expect([rejection.statusCode, rejection.json()]).toEqual([
      422,
      {
        status: 'error',
        code: 'invalid_answers',
        message: MISSING_FILE_ERROR,
        errors: { pg_proof: MISSING_FILE_ERROR },
      },
    ])
    expect(server.countRows()).toEqual(rowsBefore)
  },
)

test('a missing document does not block a form that requires none', async () => {
  const token = `proof.${'A'.repeat(43)}`
  const response = await postJson(REGISTER_PATH, {
    ...postgraduate,
    ticket_type: 'afpi-gp-specialist',
    pg_proof: token,
  })
  expect(response.statusCode, response.body).toBe(201)
})

test.each<[string, () => ReturnType<TestApp['post']>, number, string]>([
  ['a renamed program', () => uploadDraft(createExe()), 422, 'invalid_answers'],
  [
    'a file type that is not accepted',
    () => uploadDraft(createPdf(), 'proof.exe'),
    422,
    'invalid_answers',
  ],
  ['an empty file', () => uploadDraft(Buffer.alloc(0)), 422, 'invalid_answers'],
  [
    "a file above the field's limit",
    () => uploadDraft(Buffer.alloc(6 << 20, 1)),
    413,
    'file_too_large',
  ],
  [
    'a file for an unknown field',
    () => uploadDraft(createPdf(), 'a.pdf', 'cv'),
    422,
    'bad_request',
  ],
  [
    'a request without a file',
    () => server.post(PROOFS_PATH, { pg_proof: 'x' }),
    422,
    'bad_request',
  ],
  [
    'a file for an unknown event',
    () => server.post('/api/events/none/proofs', {}, { a: { name: 'a.pdf', bytes: createPdf() } }),
    404,
    'no_such_event',
  ],
  [
    'a file for a closed event',
    () =>
      server.post(
        '/api/events/pulmocon2025/proofs',
        {},
        { a: { name: 'a.pdf', bytes: createPdf() } },
      ),
    409,
    'registration_closed',
  ],
])('%s is rejected, and nothing is stored', async (_what, send, status, code) => {
  const storedBefore = [
    server.listStoredUploads(),
    server.rows('SELECT count(*) AS n FROM draft_proofs'),
  ]
  const response = await send()
  expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([status, code])
  expect([
    server.listStoredUploads(),
    server.rows('SELECT count(*) AS n FROM draft_proofs'),
  ]).toEqual(storedBefore)
})

test('deletes unused uploads after three days, and keeps uploads that belong to registrations', async () => {
  const [unusedProof, usedProof] = [createPdf('left lying'), createPdf('taken')]
  await uploadForToken(unusedProof)
  expect((await register(await uploadForToken(usedProof))).statusCode).toBe(201)
  const areStored = () =>
    [unusedProof, usedProof].map((bytes) => server.listStoredUploads().includes(computeHash(bytes)))
  server.setTime('2025-10-13T11:59:00+05:30')
  await server.deps.uploads.sweep()
  expect(areStored()).toEqual([true, true])
  server.setTime('2025-10-13T12:00:00+05:30')
  await server.deps.uploads.sweep()
  server.setTime(UPLOAD_TIME)
  expect(areStored()).toEqual([false, true])
})

test('a file with other content than its name gets the reason and the event’s own message', async () => {
  const response = await uploadDraft(createExe())
  expect(response.json()).toMatchObject({
    errors: {
      pg_proof: expect.stringMatching(
        /^This file is not a PDF, .* or PNG\. Please choose a file of an allowed type$/,
      ),
    },
  })
})
