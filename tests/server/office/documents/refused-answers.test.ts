/** Answers that would lead to a wrong document or a rounded amount are rejected. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answers, RegNo } from '../../../../engine/index.ts'
import { readGolden } from '../../../engine/authoring/goldens.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import type { Office } from '../office.ts'

const EVENT = 'sample2026'
const INVALID_GSTIN = '29AAAAA0000A1Z1'
const VALID_GSTIN = '29AAAAA0000A1ZY'
const GSTIN_ERROR =
  'The last character of this GSTIN does not match the others. Please check every character.'
const AMOUNT_ERROR = 'Please enter an amount with up to two decimal places'

let server: TestApp
let office: Office
let delegateCount = 0
beforeAll(async () => {
  const eventFile = readGolden('EV493.yaml')
    .replace('number: "SMPL/24-25/{n}"', 'number: "SMPL/{year}/{n}"\n  buyer: {gstin: gst_number}')
    .replace('gateway: card-gateway, account: sample', 'gateway: airpay, account: afpi')
    .replace(
      '    visitor: [2000, 2500]\n',
      '    visitor: [2000, 2500]\n  items:\n    - {id: donation, label: Donation, amount_in: gift, tax: none}\n',
    )
    .replace(
      '  summary:',
      `        - {id: gift, type: number, label: Donation, min: 0, max: 5000}
        - {id: gst_number, label: GSTIN, format: gstin, invalid: Please enter the 15 signs of the GSTIN}
  summary:`,
    )
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': eventFile } })
  office = await signIn(server)
})
afterAll(() => server.close())

async function register(answers: Answers) {
  delegateCount += 1
  const payload = {
    full_name: 'Asha Sample',
    email: `asha${delegateCount}@example.org`,
    phone_number: `+9198765${String(10_000 + delegateCount)}`,
    is_member: true,
    ...answers,
  }
  const url = `/api/${EVENT}/register/`
  const response = await server.app.inject({ method: 'POST', url, payload })
  return { status: response.statusCode, body: response.json<{ reg_no: RegNo; errors: object }>() }
}
const correct = async (regNo: RegNo, answers: Answers) => {
  const { status, body } = await office.act(regNo, { act: 'correct', answers, why: 'A letter.' })
  return [status, body.message]
}

test.each(['00', '25', '28', '39', '45', '96', '98', '99'])(
  'a GSTIN with the code of no state, %s, is rejected with this reason',
  async (code) => {
    const message = `No state has the code ${code}, with which this GSTIN starts. Please check it.`
    expect(await register({ gst_number: `${code}AAAAA0000A1Z1` })).toMatchObject({
      status: 422,
      body: { errors: { gst_number: message } },
    })
  },
)

test('a GSTIN with the code of no state is rejected with this reason in a correction', async () => {
  const { body } = await register({ gst_number: VALID_GSTIN })
  expect(await correct(body.reg_no, { gst_number: '39AAAAA0000A1Z1' })).toEqual([
    422,
    expect.stringContaining('No state has the code 39'),
  ])
})

test('a GSTIN with a wrong check digit is rejected', async () => {
  expect(await register({ gst_number: INVALID_GSTIN })).toMatchObject({
    status: 422,
    body: { errors: { gst_number: GSTIN_ERROR } },
  })
  const { status, body } = await register({ gst_number: VALID_GSTIN.toLowerCase() })
  expect([status, body.errors]).toEqual([201, undefined])
  expect(await correct(body.reg_no, { gst_number: INVALID_GSTIN })).toEqual([422, GSTIN_ERROR])
})

test('a donation with three decimal places is rejected, not rounded', async () => {
  expect(await register({ gift: 33.335 })).toMatchObject({
    status: 422,
    body: { errors: { gift: AMOUNT_ERROR } },
  })
  const { status, body } = await register({ gift: 33.33 })
  expect([status, body.errors]).toEqual([201, undefined])
  expect(await correct(body.reg_no, { gift: 0.001 })).toEqual([422, `Donation: ${AMOUNT_ERROR}`])
})
