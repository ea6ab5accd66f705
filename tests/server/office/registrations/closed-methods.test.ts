/** First orders after the last day of the chosen payment method: method, price, email and page. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  ActionsResponse,
  RegisterResponse,
  SelfServiceResponse,
} from '../../../../engine/api.ts'
import { createPdf } from '../../sample-uploads.ts'
import { addMemberLetter, APPROVAL_RULE, buildFixtureEvent } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, signIn } from '../office.ts'

const TRANSFER = `    - id: transfer
      label: Bank transfer
      instructions: Sample Society, account 50200012345678, IFSC SMPL0000032
      expires_after: 10 days
      fields:
        - {id: utr, label: UTR number, format: utr, unique: true, required: true}`
const CARD = '    - {id: card, gateway: airpay, account: sample, until: 2026-01-31}'
const RAZORPAY = '    - {id: rzp, label: Razorpay, gateway: razorpay, account: society}'
/** A price adjustment for one method. */
const adjust = (method: string, percent: number): string =>
  `  adjustments:\n    - {id: by-${method}, label: By ${method}, when: {method: ${method}}, on: all, percent: ${percent}}\n`
const buildFile = (
  id: string,
  prefix: string,
  adjustment: string,
  methods: readonly string[],
): string =>
  addMemberLetter(buildFixtureEvent({ id, prefix, extra: APPROVAL_RULE }))
    .replace('\nform:', `${adjustment}\nform:`)
    .replace('is_member: true, letter', `is_member: true, way: transfer, letter`)
    .replace('\nroutes:', '\nregistration: {closes: 2026-02-10}\n\nroutes:')
    .replace(
      'payment: {gateway: airpay, account: sample}',
      `payment:\n  methods:\n${methods.join('\n')}`,
    )
const WIRE = TRANSFER.replace('id: transfer', 'id: wire')
  .replace('label: Bank transfer', 'label: Wire\n      until: 2026-01-31')
  .replaceAll('utr, label', 'wire_utr, label')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-30T10:00:00+05:30',
    events: {
      'charged2026.yaml': buildFile('charged2026', 'CHRG', adjust('card', 3), [
        CARD,
        TRANSFER,
        RAZORPAY,
      ]),
      'cards2026.yaml': buildFile('cards2026', 'CRDS', adjust('card', 3), [
        CARD,
        RAZORPAY,
        TRANSFER,
      ]),
      'wires2026.yaml': buildFile('wires2026', 'WIRE', adjust('wire', -10), [WIRE, TRANSFER]),
      'free2026.yaml': buildFile('free2026', 'FREM', adjust('card', 3), [CARD, TRANSFER])
        .replace('member:     [1000, 2000]', 'member: [free, free]')
        .replace('total: 1180', 'total: 0')
        .replace(APPROVAL_RULE, ''),
    },
  })
})
afterAll(() => server.close())

const registerMember = async (event: string, n: number, way?: string): Promise<string> => {
  server.setTime('2026-01-30T10:00:00+05:30')
  const response = await server.post(
    `/api/${event}/register/`,
    {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '9876500000',
      is_member: 'true',
      ...(way === undefined ? {} : { way }),
    },
    { letter: { name: 'letter.pdf', bytes: createPdf(`letter ${n}`) } },
  )
  expect(response.statusCode, response.body).toBe(201)
  return response.json<RegisterResponse>().reg_no
}
/** Returns the token of the link in the latest email. */
const readLinkToken = async (regNo: string): Promise<string> => {
  await server.mailer.run()
  const names = readdirSync(join(server.dir, 'mail')).filter((name) => name.includes(regNo))
  const text = readFileSync(join(server.dir, 'mail', names.toSorted().at(-1) ?? ''), 'utf8')
  return /\/my\/([\w-]+)/.exec(text.replaceAll(/=\n/g, ''))?.[1] ?? ''
}
const readOwnPage = async (regNo: string): Promise<string> =>
  (await server.app.inject(`/api/my/${await readLinkToken(regNo)}/`)).body
const readState = async (regNo: string) => {
  const registration = await server.deps.store.registration(regNo)
  const emails = await server.deps.store.emailsOfRegistration(regNo as RegNo)
  return {
    total: registration?.total,
    lines: registration?.lines.map(({ id, total }) => [id, total]),
    way: registration?.answers['way'],
    orders: registration?.payments.map(({ way, gateway, amount }) => [way ?? gateway, amount]),
    email: emails.at(-1)?.text,
  }
}
const readActions = async (regNo: string): Promise<ActionsResponse> =>
  (await (await signIn(server)).json(actionsUrl(regNo))) as unknown as ActionsResponse
const APPROVAL_DAY = '2026-02-01T10:00:00+05:30'
const approve = async (regNo: string) => {
  server.setTime(APPROVAL_DAY)
  return (await signIn(server)).act(regNo, { act: 'approve' })
}

test('an approval after the card closed asks for a transfer, without the card charge', async () => {
  const regNo = await registerMember('charged2026', 1, 'card')
  expect(await readState(regNo)).toMatchObject({ total: 121_540, orders: [] })
  server.setTime(APPROVAL_DAY)
  expect(await readActions(regNo)).toMatchObject({ approval: { total: 1180 }, to_pay: 1180 })
  const { registration } = JSON.parse(await readOwnPage(regNo)) as SelfServiceResponse
  expect(registration).toMatchObject({ total: 1180, lines: [{ total: 1180 }] })
  expect(await approve(regNo)).toMatchObject({
    status: 200,
    body: { message: 'Registration approved. A link to pay ₹\u00a01,180 was sent.' },
  })
  expect(await readState(regNo)).toEqual({
    total: 118_000,
    lines: [['registration', 118_000]],
    way: 'transfer',
    orders: [['transfer', 118_000]],
    email: expect.stringContaining('once ₹\u00a01,180 is paid'),
  })
  const page = await readOwnPage(regNo)
  expect(page).toContain('50200012345678')
  expect(page).not.toContain('1215.4')
  expect(JSON.stringify((await readActions(regNo)).trail)).toContain(
    'Payment method: Card, UPI or net banking → Bank transfer',
  )
})

test('an approval after one card closed opens the other gateway, at its price', async () => {
  const regNo = await registerMember('cards2026', 2, 'card')
  expect((await approve(regNo)).body.message).toContain('₹\u00a01,180 was sent')
  expect(await readState(regNo)).toMatchObject({
    total: 118_000,
    way: 'rzp',
    orders: [['razorpay', 118_000]],
  })
  const response = await server.app.inject({
    method: 'POST',
    url: '/api/payment/resume/',
    payload: { token: await readLinkToken(regNo) },
  })
  expect([response.statusCode, response.json<RegisterResponse>().payment_data]).toMatchObject([
    201,
    { gateway: 'razorpay', amount: '1180.00' },
  ])
})

test('an approval after a discounted method closed asks for the price of the open method', async () => {
  const regNo = await registerMember('wires2026', 3, 'wire')
  expect(await readState(regNo)).toMatchObject({ total: 106_200 })
  expect((await approve(regNo)).body.message).toContain('₹\u00a01,180 was sent')
  expect(await readState(regNo)).toMatchObject({
    total: 118_000,
    way: 'transfer',
    orders: [['transfer', 118_000]],
  })
})

test('an offer after the card closed states and asks for the price of a transfer', async () => {
  const regNo = await registerMember('charged2026', 4, 'card')
  server.setTime(APPROVAL_DAY)
  const office = await signIn(server)
  expect((await readActions(regNo)).approval?.offer).toMatchObject({ total: 3540 })
  await office.act(regNo, { act: 'refuse', why: 'Another society.', offer: true })
  expect((await readState(regNo)).email).toContain('for ₹\u00a03,540')
  const token = await readLinkToken(regNo)
  const response = await server.app.inject({
    method: 'POST',
    url: `/api/my/${token}/acts/`,
    payload: { act: 'accept_offer', category: 'non-member', key: 'one-press-0001' },
  })
  expect(response.statusCode, response.body).toBe(200)
  expect(await readState(regNo)).toMatchObject({
    total: 354_000,
    way: 'transfer',
    orders: [['transfer', 354_000]],
    email: expect.stringContaining('₹\u00a03,540'),
  })
})

test('a correction after the card closed prices the first order of a free registration for a transfer', async () => {
  const regNo = await registerMember('free2026', 5, 'card')
  server.setTime(APPROVAL_DAY)
  const office = await signIn(server)
  const correction = { act: 'correct', why: 'Not a member.', answers: { is_member: false } }
  expect((await office.act(regNo, correction)).body).toMatchObject({ quote: { total: 3540 } })
  expect((await office.act(regNo, { ...correction, total: 3540 })).status).toBe(200)
  expect(await readState(regNo)).toMatchObject({
    total: 354_000,
    way: 'transfer',
    orders: [['transfer', 354_000]],
  })
})
