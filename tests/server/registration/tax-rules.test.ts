/** Tax rules: the price charged, the data stored, and the effect of a correction. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisterResponse } from '../../../engine/api.ts'
import { signIn } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { buildFixtureEvent } from '../small-event.ts'

const RULES = `  tax: {name: GST, percent: 18, prices: exclusive}
  tax_rules:
    - {when: {buyer: company}, percent: 0, note: reverse charge}
    - {from: 2026-01-20, percent: 12}
`
const text = buildFixtureEvent()
  .replace('  tax: {name: GST, percent: 18, prices: exclusive}\n', RULES)
  .replace(
    'default: false}\n',
    'default: false}\n        - {id: buyer, type: select, label: Buyer, options: [person, company], default: person}\n',
  )
/** An event with a lunch whose tax rate falls on 20 January. */
const lunchEventText = buildFixtureEvent()
  .replaceAll('sample2026', 'lunch2026')
  .replace('SMPL', 'LNCH')
  .replace(
    'default: false}\n',
    'default: false}\n        - {id: has_lunch, type: yes-no, label: Lunch, default: false}\n',
  )
  .replace(
    'form:\n',
    `  items:
    - {id: lunch, when: {has_lunch: true}, tax_rules: [{from: 2026-01-20, percent: 5}], prices: {period: [early, late], each: [500, 500]}}
form:
`,
  )

let server: TestApp
beforeAll(async () => {
  const events = { 'sample2026.yaml': text, 'lunch2026.yaml': lunchEventText }
  server = await startTestApp({ clock: '2026-01-10', events })
})
afterAll(() => server.close())

const register = async (
  buyer: string,
  otherAnswers: Readonly<Record<string, string>> = {},
  event = 'sample2026',
) => {
  const response = await server.post(`/api/${event}/register/`, {
    full_name: 'Test Delegate',
    email: 'delegate@sample.example',
    phone_number: '9876543210',
    is_member: 'true',
    buyer,
    ...otherAnswers,
  })
  return { status: response.statusCode, body: response.json<RegisterResponse>() }
}
const readBill = async (regNo: string) => {
  const registration = await server.deps.store.registration(regNo)
  if (registration === null) throw new Error(`no registration ${regNo}`)
  const { base, gst, total, lines } = registration
  return { base, gst, total, lines: lines.map(({ label, rate }) => [label, rate]) }
}

test('a company pays the price without tax, and the line states the reason', async () => {
  const { status, body } = await register('company', { total_amount: '1000' })
  expect(status).toBe(201)
  expect(await readBill(body.reg_no)).toEqual({
    base: 100000,
    gst: 0,
    total: 100000,
    lines: [['Member (reverse charge)', 0]],
  })
})

test('the current tax rate is charged, and the price list states it', async () => {
  const registrationBefore = await register('person', { total_amount: '1180' })
  expect(registrationBefore.status).toBe(201)
  server.setTime('2026-01-20')
  try {
    const tariff = await server.app.inject({ method: 'GET', url: '/api/sample2026/tariff-info/' })
    expect(tariff.json()).toMatchObject({
      pricing: { member: { base: 1000, gst: 120, total: 1120 } },
    })
    expect((await register('person', { total_amount: '1180' })).status).toBe(409)
    const registrationAfter = await register('person', { total_amount: '1120' })
    expect(await readBill(registrationAfter.body.reg_no)).toMatchObject({
      total: 112000,
      lines: [['Member', 12]],
    })
    expect(await readBill(registrationBefore.body.reg_no)).toMatchObject({
      total: 118000,
      lines: [['Member', 18]],
    })
  } finally {
    server.setTime('2026-01-10')
  }
})

test('correcting the type of buyer changes the tax', async () => {
  const { body } = await register('company')
  const correctResponse = await (
    await signIn(server)
  ).act(body.reg_no, {
    act: 'correct',
    why: 'Not a company',
    answers: { buyer: 'person' },
    total: '1180',
  })
  expect(correctResponse.status).toBe(200)
  expect(await readBill(body.reg_no)).toMatchObject({ gst: 18000, lines: [['Member', 18]] })
})

test('the tax on an item changes on the date in its own rule; the tax on the registration does not', async () => {
  const registerWithLunch = (total: string) =>
    register('', { total_amount: total, has_lunch: 'true' }, 'lunch2026')
  const responseBefore = await registerWithLunch('1770')
  expect(responseBefore.status).toBe(201)
  server.setTime('2026-01-20')
  try {
    expect((await registerWithLunch('1770')).status).toBe(409)
    const responseAfter = await registerWithLunch('1705')
    expect((await readBill(responseAfter.body.reg_no)).lines).toEqual([
      ['Member', 18],
      ['Lunch', 5],
    ])
    expect(await readBill(responseBefore.body.reg_no)).toMatchObject({
      total: 177000,
      lines: [
        ['Member', 18],
        ['Lunch', 18],
      ],
    })
  } finally {
    server.setTime('2026-01-10')
  }
})
