/** Helpers for tests of the office: signed-in users, and registrations created in the store. */
import { hash } from '@node-rs/argon2'
import { expect } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import {
  findCategory,
  day,
  instant,
  createOrderId,
  toAmount,
  quote,
  createRegNo,
  startOfDay,
  readDelegate,
  getReviewVersion,
} from '../../../engine/index.ts'
import type { Answers, Instant, RegNo } from '../../../engine/index.ts'
import type { ActionResponse } from '../../../engine/api.ts'
import type { NewMail } from '../../../server/storage/index.ts'
import { readGolden } from '../../engine/authoring/goldens.ts'
import type { TestApp } from '../harness.ts'

export const PASSWORD = 'a password for tests'

/** Hashes a password at the lowest cost, because tests need no protection. */
export const hashCheaply = (password: string): Promise<string> =>
  hash(password, { memoryCost: 8, timeCost: 1 })

/** The answers of the person to whom a test transfers a registration. */
export const NEW_HOLDER = {
  full_name: 'Second Holder',
  email: 'second@delegate.example',
  phone_number: '9847000001',
}

export type Office = {
  readonly token: string
  readonly cookie: string
  get(url: string): Promise<LightMyRequestResponse>
  json(url: string): Promise<Record<string, never>>
  /** Performs an action on a registration. */
  act(
    regNo: string,
    payload: object,
  ): Promise<{
    readonly status: number
    readonly body: ActionResponse & { readonly code?: string }
  }>
  /** Decides on a review, in the version that the staff pages show now, and expects success. */
  decide(review: string | undefined, decision: object): Promise<void>
}

/** Returns the URL for actions on a registration. */
export const actionsUrl = (regNo: string): string => `/admin/registrations/${regNo}/acts/`

/** The parts of a server that are needed to sign in. */
type SignInServer = Pick<TestApp, 'app' | 'deps' | 'now'>

export async function signIn(server: SignInServer, username = 'office'): Promise<Office> {
  if ((await server.deps.store.admin(username)) === null)
    await server.deps.store.addAdmin(username, await hashCheaply(PASSWORD), server.now())
  const loginResponse = await server.app.inject({
    method: 'POST',
    url: '/admin/login/',
    payload: { username, password: PASSWORD },
  })
  expect(loginResponse.statusCode).toBe(200)
  const token = loginResponse.json<{ token: string }>().token
  const headers = { authorization: `Bearer ${token}` }
  const get = (url: string): Promise<LightMyRequestResponse> =>
    server.app.inject({ method: 'GET', url, headers })
  return {
    token,
    cookie: `rollcall_session=${token}`,
    get,
    json: async (url) => {
      const response = await get(url)
      expect(response.statusCode, response.body).toBe(200)
      return response.json()
    },
    act: async (regNo, action) => {
      const payload = await addShownVersion(server, action)
      const response = await server.app.inject({
        method: 'POST',
        url: actionsUrl(regNo),
        headers,
        payload,
      })
      return { status: response.statusCode, body: response.json() }
    },
    decide: async (review, decision) => {
      const response = await server.app.inject({
        method: 'POST',
        url: `/admin/reviews/${review}/decide/`,
        headers,
        payload: { ...decision, version: await readShownVersion(server, review) },
      })
      expect(response.statusCode, response.body).toBe(200)
    },
  }
}

/**
 * Returns the version of a review that the staff pages show, or 'decided' if it needs no
 * decision.
 */
export async function readShownVersion(
  server: SignInServer,
  review: string | undefined,
): Promise<string> {
  const storedReview = await server.deps.store.review(review ?? '')
  return storedReview === null ? 'decided' : getReviewVersion(storedReview)
}
const addShownVersion = async (server: SignInServer, input: object): Promise<object> =>
  'review' in input && !('version' in input)
    ? { ...input, version: await readShownVersion(server, String(input.review)) }
    : input

/**
 * Builds the file for a sample event with invoices, these items, a yes-no field for each question, and a 75% refund
 * until 31 January 2026.
 */
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

/** Returns noon on a date in India, plus `minutes`. */
export const toNoon = (dayText: string, minutes = 0): Instant =>
  instant(startOfDay(day(dayText)) + 12 * 3_600_000 + minutes * 60_000)

/** Builds the number of an event's nth registration, with digits derived from n. */
export function buildRegNo(server: TestApp, eventId: string, n: number): RegNo {
  const event = server.deps.events.findById(eventId)?.config
  if (event === undefined) throw new Error(`no event ${eventId}`)
  return createRegNo(event, [...String(n).padStart(event.orderId.digits - 1, '0')].map(Number))
}

export type SampleDetails = {
  readonly n: number
  readonly on: Instant
  readonly answers: Answers
  readonly pays?: 'success' | 'failed' | 'wrong-amount'
  readonly mail?: NewMail
  /** If true, the payment uses the event's gateway and merchant account, so that settlements can contain it. */
  readonly throughGateway?: true
}

/** Registers a delegate in the store, then records the result of the payment as the gateway would report it. */
export async function register(
  server: TestApp,
  eventId: string,
  details: SampleDetails,
): Promise<RegNo> {
  const servedEvent = server.deps.events.findById(eventId)
  if (servedEvent === null) throw new Error(`no event ${eventId}`)
  const event = servedEvent.config
  const regNo = buildRegNo(server, eventId, details.n)
  const quoteResult = quote(event, details.answers, details.on)
  const registration = await server.deps.store.register({
    eventId,
    eventHash: servedEvent.hash,
    regNo,
    answers: details.answers,
    searchable: readDelegate(event, details.answers),
    category: findCategory(event, details.answers),
    quote: quoteResult.ok ? quoteResult.value : null,
    orderId: createOrderId(regNo, 1),
    uploads: [],
    at: details.on,
    mail: null,
    idempotency: null,
    ...(details.throughGateway && event.payment !== null
      ? {
          gateway: event.payment.gateway.name,
          merchantAccount: { account: event.payment.account, merchantId: '1' },
        }
      : {}),
  })
  expect(registration.ok).toBe(true)
  const total = quoteResult.ok ? quoteResult.value.total : toAmount(0)
  const at = instant(details.on + 60_000)
  if (details.pays === 'success')
    await server.deps.store.applyPaymentEvent(
      createOrderId(regNo, 1),
      {
        type: 'confirmed',
        reference: `REF${details.n}`,
        amount: total,
        currency: '356',
        kind: 'sale',
        at,
      },
      details.mail ?? null,
    )
  if (details.pays === 'wrong-amount')
    await server.deps.store.applyPaymentEvent(
      createOrderId(regNo, 1),
      {
        type: 'confirmed',
        reference: `REF${details.n}`,
        amount: toAmount(100),
        currency: '356',
        kind: 'sale',
        at,
      },
      null,
    )
  if (details.pays === 'failed')
    await server.deps.store.applyPaymentEvent(
      createOrderId(regNo, 1),
      { type: 'declined', code: '400', message: 'Insufficient funds', at },
      null,
    )
  return regNo
}
