/** Proofs sent ahead of their registration: taken by it, kept for days, and nothing that a stranger could use. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExe, createJpg, createPdf } from '../sample-uploads.ts'
import type { OrderId } from '../../../engine/index.ts'
import { signIn } from '../office/office.ts'
import { declinedAt } from '../sample-registrations.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const CHOSEN = '2025-10-10T12:00:00+05:30'
const REGISTER = '/api/afpicon/register/'
const PROOFS = '/api/events/afpicon2026/proofs/'
const GONE = 'We no longer have this file. Please choose it again.'
const postGraduate = {
  full_name: 'Asha Nair',
  email: 'asha@example.org',
  phone_number: '9876543210',
  ticket_type: 'afpi-pg',
}

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: CHOSEN })
})
afterAll(() => server.close())

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const sendAhead = (bytes: Buffer, name = 'proof.pdf', field = 'pg_proof') =>
  server.post(PROOFS, {}, { [field]: { name, bytes } })
const tokenOf = async (bytes: Buffer): Promise<string> => {
  const answer = await sendAhead(bytes)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json<{ token: string }>().token
}
const json = (url: string, payload: object, headers: Readonly<Record<string, string>> = {}) =>
  server.app.inject({ method: 'POST', url, payload, headers })
const register = (pg_proof: string, headers: Readonly<Record<string, string>> = {}) =>
  json(REGISTER, { ...postGraduate, pg_proof }, headers)
const proofsOf = (regNo: string) =>
  server.rows(
    `SELECT field, sha256, name, type, bytes FROM uploads
     WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?)`,
    regNo,
  )

test('a document uploaded when it was chosen belongs to the registration that names it', async () => {
  const bytes = createPdf('sent ahead')
  const sent = await sendAhead(bytes, 'C:\\papers\\my certificate.pdf')
  expect(sent.statusCode).toBe(201)
  const { token, ...said } = sent.json<{ token: string }>()
  expect(said).toEqual({
    status: 'success',
    name: 'my certificate.pdf',
    bytes: bytes.length,
    until: '2025-10-13T12:00:00+05:30',
  })
  // Nothing that names it is stored, here or in the log.
  expect(server.rows('SELECT * FROM draft_proofs WHERE token_hash = ?', token)).toEqual([])
  const answer = await register(token)
  expect(answer.statusCode, answer.body).toBe(201)
  expect(proofsOf(answer.json<{ reg_no: string }>().reg_no)).toEqual([
    {
      field: 'pg_proof',
      sha256: hashOf(bytes),
      name: 'my certificate.pdf',
      type: 'application/pdf',
      bytes: bytes.length,
    },
  ])
  expect(JSON.stringify(server.log)).not.toContain(token)
})

test('is not requested again after the gateway, or when an answer is corrected', async () => {
  const token = await tokenOf(createPdf('again'))
  const key = { 'idempotency-key': 'a-key' }
  const [first, same, mended] = [
    await register(token, key),
    await register(token, key),
    await json(REGISTER, { ...postGraduate, full_name: 'Asha Rao', pg_proof: token }),
  ]
  const numbers = [first, same, mended].map((one) => one.json<{ reg_no: string }>().reg_no)
  expect(numbers[1]).toBe(numbers[0])
  expect(numbers[2]).not.toBe(numbers[0])
  expect(numbers.map((number) => proofsOf(number).length)).toEqual([1, 1, 1])
})

test('a proof sent for one event was taken back through the address of another event', async () => {
  const token = await tokenOf(createPdf('of this event'))
  const forget = (event: string) => json(`/api/events/${event}/proofs/forget/`, { token })
  // The answer does not reveal whether there was one.
  expect((await forget('chirurgia2026')).json()).toEqual({ status: 'success' })
  const nowhere = await forget('none')
  expect([nowhere.statusCode, nowhere.json<{ code: string }>().code]).toEqual([
    404,
    'no_such_event',
  ])
  expect((await register(token)).statusCode).toBe(201)
})

test('a document named by two registrations is stored for each: erasing one keeps the other', async () => {
  const bytes = createPdf('of two registrations')
  const token = await tokenOf(bytes)
  const office = await signIn(server)
  const numbers = [await register(token), await register(token)].map(
    (one) => one.json<{ reg_no: string }>().reg_no,
  )
  const [first = '', second = ''] = numbers
  expect((await json(`${PROOFS}forget`, { token })).statusCode).toBe(200)
  for (const number of numbers)
    await server.deps.store.applyPaymentEvent(number as OrderId, declinedAt(server.now()), null)
  const erased = await office.act(first, { act: 'erase', why: 'Asked for by letter.' })
  expect(erased.status, JSON.stringify(erased.body)).toBe(200)
  await server.deps.uploads.sweep()
  const file = (number: string) => office.get(`/admin/registrations/${number}/files/pg_proof/`)
  expect((await file(first)).statusCode).toBe(410)
  expect((await file(second)).rawPayload).toEqual(bytes)
})

test('a file sent with the answers replaces one uploaded before', async () => {
  const token = await tokenOf(createPdf('ahead'))
  const answer = await server.post(
    REGISTER,
    { ...postGraduate, pg_proof: token },
    { pg_proof: { name: 'newer.pdf', bytes: createPdf('newer') } },
  )
  expect(proofsOf(answer.json<{ reg_no: string }>().reg_no)).toMatchObject([
    { name: 'newer.pdf', sha256: hashOf(createPdf('newer')) },
  ])
})

test('removes camera metadata from a photo', async () => {
  const photo = Buffer.concat([
    createJpg().subarray(0, 2),
    Buffer.from('\xff\xe1\0\x16Exif\0\0 10.0271N 76.30', 'latin1'),
    createJpg().subarray(2),
  ])
  const sent = await sendAhead(photo, 'photo.jpg')
  expect(sent.statusCode, sent.body).toBe(201)
  expect(server.uploadsStored()).not.toContain(hashOf(photo))
})

test.each<[string, () => Promise<string>]>([
  ['that was guessed', async () => `proof.${'A'.repeat(43)}`],
  [
    'that was taken back',
    async () => {
      const token = await tokenOf(createPdf('taken back'))
      expect((await json(`${PROOFS}forget`, { token })).statusCode).toBe(200)
      return token
    },
  ],
  [
    'sent three days ago',
    async () => {
      const token = await tokenOf(createPdf('old'))
      server.setTime('2025-10-13T12:00:00+05:30')
      return token
    },
  ],
  [
    'that was sent for another event',
    async () => {
      const token = `proof.${'B'.repeat(43)}`
      const bytes = createPdf('of another')
      await tokenOf(bytes)
      await server.deps.store.saveDraftUpload(createHash('sha256').update(token).digest('hex'), {
        eventId: 'chirurgia2026',
        field: 'pg_proof',
        sha256: hashOf(bytes),
        name: 'a.pdf',
        type: 'application/pdf',
        bytes: bytes.length,
        at: server.now(),
      })
      return token
    },
  ],
])('a proof %s is said to be gone, at its field, and nothing is stored', async (_what, make) => {
  const token = await make()
  const before = server.countRows()
  const refused = await register(token)
  server.setTime(CHOSEN)
  expect([refused.statusCode, refused.json()]).toEqual([
    422,
    { status: 'error', code: 'invalid_answers', message: GONE, errors: { pg_proof: GONE } },
  ])
  expect(server.countRows()).toEqual(before)
})

test('a missing document does not block a form that requires none', async () => {
  const token = `proof.${'A'.repeat(43)}`
  const answer = await json(REGISTER, {
    ...postGraduate,
    ticket_type: 'afpi-gp-specialist',
    pg_proof: token,
  })
  expect(answer.statusCode, answer.body).toBe(201)
})

test.each<[string, () => ReturnType<TestApp['post']>, number, string]>([
  ['a program renamed', () => sendAhead(createExe()), 422, 'invalid_answers'],
  ['a kind that is not taken', () => sendAhead(createPdf(), 'proof.exe'), 422, 'invalid_answers'],
  ['an empty file', () => sendAhead(Buffer.alloc(0)), 422, 'invalid_answers'],
  ['more than the field takes', () => sendAhead(Buffer.alloc(6 << 20, 1)), 413, 'file_too_large'],
  ['a file of no field', () => sendAhead(createPdf(), 'a.pdf', 'cv'), 422, 'bad_request'],
  ['no file', () => server.post(PROOFS, { pg_proof: 'x' }), 422, 'bad_request'],
  [
    'one for no event',
    () => server.post('/api/events/none/proofs', {}, { a: { name: 'a.pdf', bytes: createPdf() } }),
    404,
    'no_such_event',
  ],
  [
    'one for an event that is closed',
    () =>
      server.post(
        '/api/events/pulmocon2025/proofs',
        {},
        { a: { name: 'a.pdf', bytes: createPdf() } },
      ),
    409,
    'registration_closed',
  ],
])('%s is refused, and leaves nothing', async (_what, send, status, code) => {
  const before = [server.uploadsStored(), server.rows('SELECT count(*) AS n FROM draft_proofs')]
  const answer = await send()
  expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([status, code])
  expect([server.uploadsStored(), server.rows('SELECT count(*) AS n FROM draft_proofs')]).toEqual(
    before,
  )
})

test('deletes unused uploads after three days, and keeps those of registrations', async () => {
  const [left, taken] = [createPdf('left lying'), createPdf('taken')]
  await tokenOf(left)
  expect((await register(await tokenOf(taken))).statusCode).toBe(201)
  const kept = () => [left, taken].map((one) => server.uploadsStored().includes(hashOf(one)))
  server.setTime('2025-10-13T11:59:00+05:30')
  await server.deps.uploads.sweep()
  expect(kept()).toEqual([true, true])
  server.setTime('2025-10-13T12:00:00+05:30')
  await server.deps.uploads.sweep()
  server.setTime(CHOSEN)
  expect(kept()).toEqual([false, true])
})
