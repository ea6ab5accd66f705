/** A delegate's self-service page on a running server: its content, and the actions that it allows and rejects. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import type {
  ActionResponse,
  ActionsResponse,
  ErrorResponse,
  SelfServiceResponse,
  UploadResponse,
  RegisterResponse,
  RegistrationResponse,
} from '../../../engine/api.ts'
import { toAmount } from '../../../engine/index.ts'
import { issueLink, prepareEmailText } from '../../../server/registration/access-link.ts'
import { actionsUrl, signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'
import { createPdf } from '../sample-uploads.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { buildSale } from '../sample-registrations.ts'

let server: TestApp
let office: Office
const EVENT = 'sample2026'
const EVENT_EXTRAS = `
cancellation:
  steps: [{until: 2026-01-15, refund: 75%}, {otherwise: none}]
edit: {until: 2026-01-20, fields: [phone_number, letter]}
`
const INSTITUTION = '{id: institution, label: Institution}'
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-10',
    events: {
      'sample2026.yaml': buildFixtureEvent({ extra: EVENT_EXTRAS })
        .replace(/( +- )\{id: letter,/, (line, dash: string) => `${dash}${INSTITUTION}\n${line}`)
        .replace('full_name, total]', 'full_name, institution, total]'),
    },
  })
  office = await signIn(server)
})
afterAll(() => server.close())

/** Registers a delegate, who pays by default. Returns the registration number and the self-service page's API path. */
async function registerDelegate({
  pays: isPaying = true,
  answers = fixtureDelegate,
} = {}): Promise<{
  readonly regNo: RegNo
  readonly path: string
}> {
  server.setTime('2026-01-10')
  const response = await server.post(`/api/${EVENT}/register/`, answers)
  const { reg_no: regNo, payment_data: order } = response.json<RegisterResponse>()
  if (isPaying)
    await server.deps.store.applyPaymentEvent(
      (order?.orderid ?? '') as OrderId,
      buildSale(`AP${regNo}`, toAmount(118_000), server.now()),
      null,
    )
  const link = await issueLink(server.deps, { regNo: regNo as RegNo, eventId: EVENT })
  return { regNo: regNo as RegNo, path: `/api${new URL(link).pathname}` }
}
const readPage = async (path: string): Promise<SelfServiceResponse> =>
  (await server.app.inject(path)).json<SelfServiceResponse>()
const performAction = async (path: string, payload: object, changes: object = {}) => {
  const response = await server.app.inject({
    method: 'POST',
    url: `${path}/acts`,
    payload,
    ...changes,
  })
  return {
    status: response.statusCode,
    ...response.json<Omit<ActionResponse & Partial<ErrorResponse>, 'status'>>(),
  }
}
const readHistory = async (regNo: RegNo) =>
  (await server.deps.store.actions(regNo)).map(({ act: name, who, why: reason }) => [
    name,
    who,
    reason,
  ])

describe('the self-service page', () => {
  test('shows the answers, state and PDF documents of one registration', async () => {
    const { regNo, path } = await registerDelegate()
    const page = await readPage(path)
    expect(page).toMatchObject({
      registration: { reg_no: regNo, phone_number: '9876543210', stands: 'complete' },
      state: 'complete',
      documents: [{ kind: 'receipt', total: 1180 }],
      cancel: { asked_at: null, kept: 1180, back: 885 },
    })
    const [receipt] = page.documents
    const response = await server.app.inject(`${path}/documents/${receipt?.id}/`)
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      'application/pdf',
    ])
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    expect(response.rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
    // The link to another registration's page opens none of these documents.
    const otherDelegate = await registerDelegate()
    for (const id of [receipt?.id, 0, 'x', `${receipt?.id}%20`])
      expect((await server.app.inject(`${otherDelegate.path}/documents/${id}/`)).statusCode).toBe(
        404,
      )
  })

  test('cannot be opened with the registration number, another token, or a link issued before a transfer', async () => {
    const { regNo, path } = await registerDelegate()
    for (const token of [regNo, 'A'.repeat(43), 'x', '..', '%00', path.slice(-42)])
      for (const subPath of ['', '/documents/1/', '/acts/', '/proofs/']) {
        const method = subPath === '/acts/' || subPath === '/proofs/' ? 'POST' : 'GET'
        const response = await server.app.inject({ method, url: `/api/my/${token}${subPath}` })
        expect([token, subPath, response.statusCode]).toEqual([token, subPath, 404])
      }
    const transferResponse = await office.act(regNo, {
      act: 'transfer',
      why: 'They cannot come.',
      answers: { full_name: 'Other Delegate', email: 'o@sample.example', phone_number: '98765' },
    })
    expect(transferResponse).toMatchObject({ status: 200 })
    expect((await server.app.inject(path)).statusCode).toBe(404)
  })

  test("does not show the first person's answers or payment reference to the new holder after a transfer", async () => {
    server.setTime('2026-01-10')
    const answers = { ...fixtureDelegate, institution: 'First Hospital' }
    const { regNo } = await registerDelegate({ answers })
    const reference = (await server.deps.store.registration(regNo))?.paymentId ?? ''
    expect(reference).not.toBe('')
    const transferredAnswers = {
      full_name: 'New Holder',
      email: 'n@sample.example',
      phone_number: '98765',
    }
    const transferResponse = await office.act(regNo, {
      act: 'transfer',
      why: 'Ill.',
      answers: transferredAnswers,
    })
    expect(transferResponse).toMatchObject({ status: 200 })
    const path = `/api${new URL(await issueLink(server.deps, { regNo, eventId: EVENT })).pathname}`
    const readBothPages = async () => {
      const url = `/api/${EVENT}/registrations/${regNo}/`
      const response = await server.app.inject({
        method: 'POST',
        url,
        payload: { email: transferredAnswers.email },
      })
      return [
        (await readPage(path)).registration,
        response.json<RegistrationResponse>().registration,
      ]
    }
    for (const response of await readBothPages()) {
      expect(response).toMatchObject({ full_name: 'New Holder', reg_no: regNo })
      expect(response).not.toHaveProperty('institution')
      expect(response).toMatchObject({ payment_status: 'success', payment_id: null })
      expect(JSON.stringify(response)).not.toContain(reference)
    }
    // The office keeps the first person's answers. The new person sees their own answers.
    expect((await office.get(`/admin/registrations/${regNo}/`)).body).toContain('First Hospital')
    const addedAnswers = { institution: 'Second Hospital' }
    await office.act(regNo, { act: 'correct', why: 'By phone.', answers: addedAnswers })
    for (const response of await readBothPages()) expect(response).toMatchObject(addedAnswers)
  })

  test('cannot be opened by links sent to a mistyped address that staff corrected', async () => {
    const { regNo, path } = await registerDelegate()
    const correct = (answers: object) =>
      office.act(regNo, { act: 'correct', why: 'By phone.', answers })
    expect((await correct({ phone_number: '9000000001' })).status).toBe(200)
    expect((await server.app.inject(path)).statusCode).toBe(200)
    expect((await correct({ email: 'right@sample.example' })).status).toBe(200)
    expect((await server.app.inject(path)).statusCode).toBe(404)
  })
})

describe('a change by a delegate', () => {
  test('is limited to the fields and dates that the event file allows, and appears in the timeline', async () => {
    const { regNo, path } = await registerDelegate()
    expect((await readPage(path)).edit).toMatchObject({
      fields: [{ id: 'phone_number', value: '9876543210' }],
      until: '2026-01-20',
    })
    const editAction = { act: 'edit', answers: { phone_number: '9876500000' }, key: 'click-0001' }
    expect(await performAction(path, editAction)).toMatchObject({
      status: 'success',
      message: 'Your changes are saved.',
      repeated: false,
    })
    expect(await performAction(path, editAction)).toMatchObject({ repeated: true })
    expect((await readPage(path)).registration['phone_number']).toBe('9876500000')
    expect(await readHistory(regNo)).toEqual([['edit', 'delegate', '']])

    server.setTime('2026-01-20T23:59:59+05:30')
    expect((await readPage(path)).edit.fields).toHaveLength(1)
    server.setTime('2026-01-21T00:00:00+05:30')
    expect((await readPage(path)).edit).toEqual({ fields: [], until: null })
    expect(
      await performAction(path, { act: 'edit', answers: { phone_number: '1234567890' } }),
    ).toMatchObject({
      code: 'bad_data',
      message:
        'You can no longer change these answers here: Phone Number. Please write to support@sample.example.',
    })
  })

  test.each([
    ['an answer that sets the price', { is_member: false }],
    ['the address that receives links', { email: 'other@sample.example' }],
    ['an unknown field', { role: 'owner' }],
    ['a value that the server computes', { reg_no: 'SMPL1', total: 0 }],
    ['a file that was not uploaded', { letter: 'letter.pdf' }],
    ['an unknown token', { letter: `proof.${'A'.repeat(43)}` }],
    ['an empty required answer', { phone_number: '' }],
    ['an invalid value', 'phone_number'],
  ])('cannot contain %s', async (_, answers) => {
    const { regNo, path } = await registerDelegate()
    const registrationBefore = (await readPage(path)).registration
    expect(await performAction(path, { act: 'edit', answers })).toMatchObject({ code: 'bad_data' })
    expect((await readPage(path)).registration).toEqual(registrationBefore)
    expect(await readHistory(regNo)).toEqual([])
  })

  test('cannot include office actions, whatever role the request claims', async () => {
    const { regNo, path } = await registerDelegate()
    for (const action of [
      'cancel',
      'refund',
      'confirm',
      'note',
      'erase',
      'lapse',
      '',
      'constructor',
    ])
      expect(
        await performAction(path, {
          act: action,
          why: 'x',
          actor: 'owner',
          who: 'office',
          amount: 1,
        }),
      ).toMatchObject({ code: 'act_unknown' })
    // A page of another site can send a form, but not JSON.
    const payload = JSON.stringify({ act: 'ask_cancel' })
    const headers = { 'content-type': 'text/plain', origin: 'https://elsewhere.example' }
    expect(await performAction(path, {}, { headers, payload })).toMatchObject({ status: 'error' })
    expect(await readHistory(regNo)).toEqual([])
  })

  test('a file is uploaded first, then submitted by its token, and replaces the previous file', async () => {
    const { regNo, path } = await registerDelegate()
    const uploadLetter = async (content: string): Promise<UploadResponse> => {
      const bytes = createPdf(content)
      const uploadResponse = await server.post(
        `${path}/proofs/`,
        {},
        { letter: { name: 'my.pdf', bytes } },
      )
      expect(uploadResponse.statusCode, uploadResponse.body).toBe(201)
      return uploadResponse.json<UploadResponse>()
    }
    expect((await readPage(path)).files).toMatchObject([
      { id: 'letter', name: null, accept: ['pdf'] },
    ])
    for (const content of ['first', 'second']) {
      const { token } = await uploadLetter(content)
      expect(await performAction(path, { act: 'edit', answers: { letter: token } })).toMatchObject({
        message: 'Your changes are saved.',
      })
    }
    expect((await readPage(path)).files).toMatchObject([{ id: 'letter', name: 'my.pdf' }])
    const storedUploads = (await server.deps.store.registration(regNo))?.uploads ?? []
    expect(storedUploads).toHaveLength(1)
    const rejectedUpload = await server.post(
      `${path}/proofs/`,
      {},
      {
        letter: { name: 'my.pdf', bytes: Buffer.from('no pdf') },
      },
    )
    expect(rejectedUpload.statusCode).toBe(422)
  })
})

test('a cancellation can be requested once, is listed in the office, and is decided there', async () => {
  const { regNo, path } = await registerDelegate()
  expect(
    await performAction(path, { act: 'ask_cancel', why: 'I have to be elsewhere.' }),
  ).toMatchObject({
    status: 'success',
    message: 'The organisers have received your request and will email you.',
    state: 'complete',
  })
  expect(await performAction(path, { act: 'ask_cancel' })).toMatchObject({ code: 'not_now' })
  expect((await readPage(path)).cancel?.asked_at).toBe('2026-01-10T12:00:00+05:30')
  // The office sees the refund of the day of the request, even after the scale has changed.
  const readRequest = async () =>
    ((await office.json(actionsUrl(regNo))) as unknown as ActionsResponse).cancel_asked
  server.setTime('2026-01-16')
  office = await signIn(server)
  expect(await readRequest()).toEqual({ at: '2026-01-10T12:00:00+05:30', back: 885 })
  const queueCounts = await server.deps.store.workQueue([EVENT], server.now())
  expect(queueCounts).toContainEqual({ eventId: EVENT, is: 'cancel_asked', count: 1, more: false })
  // A note closes the request, until the note's author undoes it.
  await office.act(regNo, { act: 'note', why: 'Rang.' })
  expect((await readPage(path)).cancel?.asked_at).toBe(null)
  expect(await readRequest()).toBe(null)
  expect(await office.act(regNo, { act: 'undo_note', why: 'Rang.' })).toMatchObject({ status: 200 })
  expect((await readPage(path)).cancel?.asked_at).toBe('2026-01-10T12:00:00+05:30')
  expect(await performAction(path, { act: 'ask_cancel' })).toMatchObject({ code: 'not_now' })
  const cancelResponse = await office.act(regNo, {
    act: 'cancel',
    why: 'Payment requested.',
    pay_back: 885,
  })
  expect(cancelResponse).toMatchObject({ status: 200 })
  expect(await readPage(path)).toMatchObject({ state: 'cancelled', cancel: null })
  expect(await performAction(path, { act: 'ask_cancel' })).toMatchObject({ code: 'not_now' })
})

describe('a lost link', () => {
  const requestLinks = (server: TestApp, email: unknown, remoteAddress = '10.2.0.1') =>
    server.app.inject({ method: 'POST', url: '/api/my/', payload: { email }, remoteAddress })
  const listEmails = (server: TestApp) =>
    server.rows("SELECT recipient, body FROM mail_queue WHERE kind = 'links' ORDER BY id")

  test('is sent to the stored address for each of its registrations; requests for unknown addresses get the same response', async () => {
    server.setTime('2026-01-10')
    const email = 'Asha.Lost@sample.example'
    const regNos: string[] = []
    for (const name of ['Asha Lost', '{link SMPL1} Ravi\n{link}']) {
      const answers = { ...fixtureDelegate, full_name: name, email }
      const registration = await server.post(`/api/${EVENT}/register/`, answers)
      regNos.push(registration.json<RegisterResponse>().reg_no)
    }
    // Another person with the same search terms.
    const otherAnswers = { ...fixtureDelegate, email: `nat${email}` }
    expect((await server.post(`/api/${EVENT}/register/`, otherAnswers)).statusCode).toBe(201)
    const [knownResponse, unknownResponse] = [
      await requestLinks(server, ' asha.lost@SAMPLE.example'),
      await requestLinks(server, 'nobody@sample.example'),
    ]
    expect([knownResponse.statusCode, knownResponse.body]).toEqual([200, unknownResponse.body])
    await expect.poll(() => listEmails(server).length).toBe(1)
    expect(listEmails(server)).toMatchObject([{ recipient: email }])
    await server.mailer.run()
    const folder = join(server.dir, 'mail')
    const linkEmail = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll(/=\r?\n/g, ''))
      .find((text) => text.includes('Your links for'))
    const tokens = [
      ...new Set(Array.from(linkEmail?.matchAll(/\/my\/([\w-]{43})/g) ?? [], ([, token]) => token)),
    ]
    const openedRegNos = await Promise.all(
      tokens.map(async (token) => (await readPage(`/api/my/${token}`)).registration.reg_no),
    )
    expect(openedRegNos.toSorted()).toEqual(regNos.toSorted())
    for (const invalidEmail of ['', 'nobody', 7, null, `${'a'.repeat(250)}@sample.example`])
      expect((await requestLinks(server, invalidEmail)).statusCode).toBe(422)
  })

  test('is inserted only on a line of its own: a name cannot insert a link into the email', async () => {
    const { regNo } = await registerDelegate()
    const at = server.now()
    const sampleEmail = {
      id: 1,
      attempts: 0,
      at,
      firstTriedAt: null,
      to: 'a@sample.example',
      copyTo: null,
      subject: '',
    }
    const text = 'Dear {link},\n\nyour registration {link SMPL1} was handed on.\n'
    for (const kind of ['again', 'links'] as const)
      expect(
        await prepareEmailText(server.deps, { ...sampleEmail, kind, text, regNo, eventId: EVENT }),
      ).toBe(text)
    const linkCount = server.rows('SELECT count(*) AS n FROM links')
    const standaloneLink = {
      ...sampleEmail,
      kind: 'again',
      text: 'Dear {link},\n{link}',
      regNo,
      eventId: EVENT,
    } as const
    expect(await prepareEmailText(server.deps, standaloneLink)).toMatch(
      /^Dear \{link\},\nhttp\S+\/my\/[\w-]{43}$/,
    )
    expect(server.rows('SELECT count(*) AS n FROM links')).not.toEqual(linkCount)
  })

  test('is limited to three an hour per email address, and ten in ten minutes per client', async () => {
    const limitedServer = await startTestApp({
      clock: '2026-01-10',
      events: { 'sample2026.yaml': buildFixtureEvent() },
      variables: { RATE_LIMITS: 'on' },
    })
    const readStatuses = async (
      count: number,
      createRequest: (n: number) => readonly [string, string],
    ) => {
      const codes: number[] = []
      for (let n = 0; n < count; n++)
        codes.push((await requestLinks(limitedServer, ...createRequest(n))).statusCode)
      return codes
    }
    expect(await readStatuses(4, (n) => ['one@sample.example', `10.3.0.${n}`])).toEqual([
      200, 200, 200, 429,
    ])
    expect(await readStatuses(11, (n) => [`other${n}@sample.example`, '10.4.0.1'])).toEqual([
      ...Array.from({ length: 10 }, () => 200),
      429,
    ])
    // Requests with unknown tokens have the same rate limits as other requests to the page's routes.
    for (const [method, subPath, limit] of [
      ['GET', '', 120],
      ['GET', '/documents/1/', 30],
      ['POST', '/acts/', 20],
      ['POST', '/proofs/', 20],
    ] as const) {
      const url = `/api/my/${'A'.repeat(43)}${subPath}`
      const codes: number[] = []
      for (let n = 0; n <= limit; n++)
        codes.push(
          (await limitedServer.app.inject({ method, url, remoteAddress: '10.5.0.1' })).statusCode,
        )
      expect([subPath, codes.indexOf(429)]).toEqual([subPath, limit])
    }
    await limitedServer.close()
  })
})
