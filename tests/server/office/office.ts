/** What the office's tests share: an admin signed in, and registrations put in through the store. */
import { hash } from '@node-rs/argon2'
import { expect } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import {
  findCategory,
  day,
  instant,
  createOrderId,
  paise,
  quote,
  createRegNo,
  startOfDay,
  readDelegate,
  reviewVersion,
} from '../../../engine/index.ts'
import type { Answers, Instant, RegNo } from '../../../engine/index.ts'
import type { ActionDoneAnswer } from '../../../engine/api.ts'
import type { NewMail } from '../../../server/storage/index.ts'
import { readGolden } from '../../engine/authoring/goldens.ts'
import type { TestApp } from '../harness.ts'

export const PASSWORD = 'a password for tests'

/** As the server makes one, at the least cost there is: nobody guesses passwords of tests. */
export const cheapHash = (password: string): Promise<string> =>
  hash(password, { memoryCost: 8, timeCost: 1 })

export type Office = {
  readonly token: string
  readonly cookie: string
  get(url: string): Promise<LightMyRequestResponse>
  json(url: string): Promise<Record<string, never>>
  /** Does something with a registration. */
  act(
    regNo: string,
    payload: object,
  ): Promise<{
    readonly status: number
    readonly body: ActionDoneAnswer & { readonly code?: string }
  }>
}

/** Where a registration is acted on. */
export const actsOn = (regNo: string): string => `/admin/registrations/${regNo}/acts/`

export async function signIn(test: TestApp, username = 'office'): Promise<Office> {
  if ((await test.deps.store.admin(username)) === null)
    await test.deps.store.addAdmin(username, await cheapHash(PASSWORD), test.now())
  const answer = await test.app.inject({
    method: 'POST',
    url: '/admin/login/',
    payload: { username, password: PASSWORD },
  })
  expect(answer.statusCode).toBe(200)
  const token = answer.json<{ token: string }>().token
  const headers = { authorization: `Bearer ${token}` }
  const get = (url: string): Promise<LightMyRequestResponse> =>
    test.app.inject({ method: 'GET', url, headers })
  return {
    token,
    cookie: `rollcall_session=${token}`,
    get,
    json: async (url) => {
      const answered = await get(url)
      expect(answered.statusCode, answered.body).toBe(200)
      return answered.json()
    },
    act: async (regNo, words) => {
      const payload = await addShownVersion(test, words)
      const acted = await test.app.inject({ method: 'POST', url: actsOn(regNo), headers, payload })
      return { status: acted.statusCode, body: acted.json() }
    },
  }
}

/** Returns the version that the office's pages show of a review now; 'decided' if it needs no decision. */
export async function shownVersion(test: TestApp, review: string | undefined): Promise<string> {
  const shown = await test.deps.store.review(review ?? '')
  return shown === null ? 'decided' : reviewVersion(shown)
}
const addShownVersion = async (test: TestApp, words: object): Promise<object> =>
  'review' in words && !('version' in words)
    ? { ...words, version: await shownVersion(test, String(words.review)) }
    : words

/** A sample event with invoices, these items and a yes-no question for each, and a refund of 75% until 31 January 2026. */
export const createEventWithItems = (items: string, questions: readonly string[]): string =>
  readGolden('EV493.yaml')
    .replace('number: "SMPL/24-25/{n}"', 'number: "SMPL/{year}/{n}"')
    .replace('gateway: card-gateway, account: sample', 'gateway: airpay, account: afpi')
    .replace('    visitor: [2000, 2500]\n', `    visitor: [2000, 2500]\n${items}`)
    .replace(
      '  summary:',
      `${questions.map((id) => `        - {id: ${id}, type: yes-no, label: ${id}, default: false}\n`).join('')}  summary:`,
    )
    .replace(
      'order_id:',
      'cancellation:\n  steps: [{until: 2026-01-31, refund: 75%}, {otherwise: none}]\norder_id:',
    )

/** The noon of a day in India, `minutes` later. */
export const noon = (of: string, minutes = 0): Instant =>
  instant(startOfDay(day(of)) + 12 * 3_600_000 + minutes * 60_000)

/** The number of the nth registration of an event; digits made from n, so that tests can name it. */
export function numberOf(test: TestApp, eventId: string, n: number): RegNo {
  const event = test.deps.events.byId(eventId)?.config
  if (event === undefined) throw new Error(`no event ${eventId}`)
  return createRegNo(event, [...String(n).padStart(event.orderId.digits - 1, '0')].map(Number))
}

export type Made = {
  readonly n: number
  readonly on: Instant
  readonly answers: Answers
  readonly pays?: 'success' | 'failed' | 'wrong-amount'
  readonly mail?: NewMail
  /** Handed to the gateway and the merchant account of its event, as settlements name them. */
  readonly throughGateway?: true
}

/** Registers through the store, then settles the payment as the gateway would. */
export async function register(test: TestApp, eventId: string, made: Made): Promise<RegNo> {
  const served = test.deps.events.byId(eventId)
  if (served === null) throw new Error(`no event ${eventId}`)
  const event = served.config
  const regNo = numberOf(test, eventId, made.n)
  const quoted = quote(event, made.answers, made.on)
  const registered = await test.deps.store.register({
    eventId,
    eventHash: served.hash,
    regNo,
    answers: made.answers,
    searchable: readDelegate(event, made.answers),
    category: findCategory(event, made.answers),
    quote: quoted.ok ? quoted.value : null,
    orderId: createOrderId(regNo, 1),
    uploads: [],
    at: made.on,
    mail: null,
    idempotency: null,
    ...(made.throughGateway && event.payment !== null
      ? {
          gateway: event.payment.gateway.name,
          askedOf: { account: event.payment.account, merchantId: '1' },
        }
      : {}),
  })
  expect(registered.ok).toBe(true)
  const total = quoted.ok ? quoted.value.total : paise(0)
  const at = instant(made.on + 60_000)
  if (made.pays === 'success')
    await test.deps.store.applyPaymentEvent(
      createOrderId(regNo, 1),
      {
        type: 'confirmed',
        reference: `REF${made.n}`,
        amount: total,
        currency: '356',
        kind: 'sale',
        at,
      },
      made.mail ?? null,
    )
  if (made.pays === 'wrong-amount')
    await test.deps.store.applyPaymentEvent(
      createOrderId(regNo, 1),
      {
        type: 'confirmed',
        reference: `REF${made.n}`,
        amount: paise(100),
        currency: '356',
        kind: 'sale',
        at,
      },
      null,
    )
  if (made.pays === 'failed')
    await test.deps.store.applyPaymentEvent(
      createOrderId(regNo, 1),
      { type: 'declined', code: '400', message: 'Insufficient funds', at },
      null,
    )
  return regNo
}
