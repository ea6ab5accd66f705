/** The form, the office and the prices if online registration ends before the front desk opens. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  ErrorResponse,
  RegisterResponse,
  RegistrationResponse,
  SessionResponse,
  TariffResponse,
} from '../../../engine/api.ts'
import { compileEvent, diffEvents, formatDiff, showEvent } from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { readGolden } from '../../engine/authoring/goldens.ts'
import { sharedFiles } from '../../engine/event-files.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'

const DESK_DAYS = 'registration: {closes: 2026-02-28, desk: {opens: 2026-03-06}}\n'
const PAYMENT = `payment:
  methods:
    - {id: card, gateway: airpay, account: afpi}
    - {id: desk, label: At the desk, office_only: true, fields: [{id: slip, label: Slip number}]}`
const file = `${readGolden('_base.yaml')
  .replace(/payment: .*/, PAYMENT)
  .replace(
    '{id: late, from: 2026-02-01}',
    '{id: late, from: 2026-02-01, to: 2026-02-28}\n    - {id: spot, from: 2026-03-01}',
  )
  .replace('[early, late]', '[early, late, spot]')
  .replace('[1000, 1500]', '[1000, 1500, 1800]')
  .replace('[2000, 2500]', '[2000, 2500, 3000]')}${DESK_DAYS}`

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2026-02-20', events: { 'sample2026.yaml': file } })
  office = await signIn(server)
})
afterAll(() => server.close())

/** Sets the date and signs in again, because the session from the previous date has ended. */
async function setDay(day: string): Promise<void> {
  server.setTime(day)
  office = await signIn(server)
}

let personCount = 0
const createAnswers = () => {
  personCount += 1
  return {
    full_name: `Delegate ${personCount}`,
    email: `delegate${personCount}@example.org`,
    phone_number: `+91987651${1000 + personCount}`,
    is_member: true,
  }
}
const registerOnline = async () => {
  const response = await server.app.inject({
    method: 'POST',
    url: '/api/sample2026/register/',
    payload: createAnswers(),
  })
  return { status: response.statusCode, message: response.json<ErrorResponse>().message }
}
const addAtDesk = async (total: number) => {
  const response = await server.app.inject({
    method: 'POST',
    url: '/admin/add/',
    headers: { authorization: `Bearer ${office.token}` },
    payload: {
      event: 'sample2026',
      key: `click-of-the-desk-${personCount}`,
      answers: createAnswers(),
      total,
      way: 'desk',
      paid: { mode: 'cash', slip: `C-${personCount}` },
    },
  })
  return { status: response.statusCode, message: response.json<ErrorResponse>().message }
}
const readClosedText = async () =>
  (await server.app.inject('/api/sample2026/tariff-info/')).json<TariffResponse>().closed_text

/** Returns whether the office offers to add a registration. */
const isAddOffered = async () =>
  ((await office.json('/admin/session/')) as unknown as SessionResponse).events[0]
    ?.adds_registrations

const CLOSED =
  'Online registration closed on 28 February 2026. You can register at the registration desk on 6–8 March 2026.'

test('while the form is open, the form and the office register at the same price', async () => {
  expect((await registerOnline()).status).toBe(201)
  expect((await addAtDesk(1770)).status).toBe(201)
  expect(await isAddOffered()).toBe(true)
})

test('between the closing of the form and the opening of the front desk, neither accepts registrations, and the form says where registration is possible', async () => {
  await setDay('2026-03-03')
  expect(await readClosedText()).toBe(CLOSED)
  expect(await registerOnline()).toMatchObject({ status: 409, message: CLOSED })
  expect(await addAtDesk(2124)).toMatchObject({ status: 409, message: CLOSED })
  expect(await isAddOffered()).toBe(false)
})

test('while the front desk is open, only staff register delegates, at the current price', async () => {
  await setDay('2026-03-08')
  expect(await readClosedText()).toBe(CLOSED)
  expect(await registerOnline()).toMatchObject({ status: 409, message: CLOSED })
  const form = (await office.json('/admin/add/?event=sample2026')) as unknown as {
    readonly event: EventConfig
  }
  expect(form.event.registration).toEqual({ opens: '2026-03-06', closes: '2026-03-08' })
  expect((await addAtDesk(2124)).status).toBe(201)
  expect(await isAddOffered()).toBe(true)
  await setDay('2026-03-09')
  expect(await isAddOffered()).toBe(false)
  expect(await addAtDesk(2124)).toMatchObject({ status: 409 })
  expect(await readClosedText()).toBe('Registration closed on 28 February 2026.')
})

test('a delegate whom staff added at the front desk can pay later, even though the form is closed', async () => {
  await setDay('2026-03-07')
  const answers = createAnswers()
  const addResponse = await server.app.inject({
    method: 'POST',
    url: '/admin/add/',
    headers: { authorization: `Bearer ${office.token}` },
    payload: {
      event: 'sample2026',
      key: 'click-to-pay-later',
      answers,
      total: 2124,
    },
  })
  const { reg_no: regNo } = addResponse.json<RegisterResponse>()
  const view = await server.app.inject(`/api/sample2026/registrations/${regNo}/`)
  expect(view.json<RegistrationResponse>().registration).toMatchObject({
    period: 'spot',
    total: 2124,
    may_pay: true,
  })
  const retryResponse = await server.app.inject({
    method: 'POST',
    url: '/api/payment/retry/',
    payload: { order_id: regNo, email: answers.email },
  })
  expect(retryResponse.statusCode, retryResponse.body).toBe(201)
})

test('`show` writes the dates of the front desk, and `diff` reports changes to them', () => {
  const compile = (text: string) =>
    compileEvent(text, sharedFiles, { path: 'sample2026.yaml' }).event as EventConfig
  const event = compile(file)
  expect(compile(showEvent(event)).registration).toEqual(event.registration)
  const laterEvent = compile(file.replace('opens: 2026-03-06', 'opens: 2026-03-07'))
  expect(formatDiff(diffEvents(event, laterEvent))).toContain(
    'registration.desk.opens: "2026-03-06" → "2026-03-07"',
  )
})
