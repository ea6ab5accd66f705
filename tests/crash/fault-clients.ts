/** Clients that register and pay through two servers while faults occur, and the responses they receive. */
import { setTimeout as pause } from 'node:timers/promises'
import type { PaymentData, RegisterResponse } from '../../engine/api.ts'
import { buildFixtureEvent } from '../server/small-event.ts'
import { createPaidMessage } from './sample-gateway.ts'

export const FAULT_EVENT = 'faults2026'
/** The number of seats in the hall, which every third delegate requests. */
export const SEATS = 9
export const FAULT_EVENT_TEXT = buildFixtureEvent({
  id: FAULT_EVENT,
  prefix: 'FLTS',
  extra: `
quotas:
  - {id: hall, when: {is_member: true}, max: ${SEATS}, full: The hall is full}
`,
})

export type ClientResults = {
  /** Registration numbers by email address. */
  readonly registered: Map<string, string>
  /** Registration numbers that a server showed as paid. */
  readonly paid: Set<string>
  /** Email addresses of delegates who were told that the hall is full. */
  readonly soldOut: string[]
  /** Responses that no fault can explain. */
  readonly unexpected: string[]
}
export const createClientResults = (): ClientResults => ({
  registered: new Map(),
  paid: new Set(),
  soldOut: [],
  unexpected: [],
})

export type ClientOptions = {
  /** The URL of the load balancer. */
  readonly url: () => string
  readonly results: ClientResults
  readonly hasEnded: () => boolean
  /** If false, forms are sent without an idempotency key, as a negative control. */
  readonly sendsIdempotencyKeys?: boolean
}

/** The pause before a retry. */
const RETRY_MS = 25
/** One response in this many is discarded. The form is then sent again, and must return the same number. */
const DISCARD_ONE_IN = 4
/** One delegate in this many does not pay. */
const UNPAID_ONE_IN = 3
/** The interval at which the gateway repeats its messages until a server shows the order as paid. */
const MESSAGE_INTERVAL_MS = 250

/** Registers delegates one after another until the run ends. */
export async function runClient(name: string, options: ClientOptions): Promise<void> {
  for (let n = 1; !options.hasEnded(); n += 1) {
    const order = await register(`${name}-${n}`, n, options)
    if (order !== null && n % UNPAID_ONE_IN !== 0) await pay(order, options)
  }
}

type Order = { readonly regNo: string; readonly data: PaymentData }

async function register(
  person: string,
  n: number,
  { url, results, hasEnded, sendsIdempotencyKeys = true }: ClientOptions,
): Promise<Order | null> {
  const email = `${person}@example.org`
  const isMember = n % 3 === 1
  const send = (): Promise<Response> =>
    fetch(`${url()}/api/${FAULT_EVENT}/register/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(sendsIdempotencyKeys ? { 'idempotency-key': person } : {}),
      },
      body: JSON.stringify({
        full_name: `Delegate ${person}`,
        email,
        phone_number: '9847012345',
        is_member: String(isMember),
      }),
    })
  const firstAnswer = await retryUntilAnswered(send, hasEnded)
  if (firstAnswer === null) return null
  const isDiscarded = n % DISCARD_ONE_IN === 0
  const answer = isDiscarded ? await retryUntilAnswered(send, hasEnded) : firstAnswer
  if (answer === null) return null
  const body = JSON.parse(answer.text) as Partial<RegisterResponse> & { readonly code?: string }
  if (answer.status === 409 && isMember && body.code === 'full') results.soldOut.push(email)
  else if (answer.status !== 201 || body.reg_no === undefined)
    results.unexpected.push(`${email}: ${answer.status} ${answer.text.slice(0, 200)}`)
  else {
    const firstRegNo = (JSON.parse(firstAnswer.text) as Partial<RegisterResponse>).reg_no
    if (
      isDiscarded &&
      sendsIdempotencyKeys &&
      firstAnswer.status === 201 &&
      firstRegNo !== body.reg_no
    )
      results.unexpected.push(
        `${email} was registered as ${firstRegNo}, but the repeated request returned ${body.reg_no}`,
      )
    results.registered.set(email, body.reg_no)
    const { payment_data: data } = body
    return data === undefined ? null : { regNo: body.reg_no, data }
  }
  return null
}

/** Repeatedly sends two concurrent messages until a server shows the order as paid. */
async function pay(
  { regNo, data }: Order,
  { url, results, hasEnded }: ClientOptions,
): Promise<void> {
  const message = createPaidMessage(data)
  const send = (): Promise<unknown> =>
    fetch(`${url()}/api/payment/webhook/`, { method: 'POST', body: message }).then(
      (answer) => answer.text(),
      () => null,
    )
  while (!hasEnded()) {
    await Promise.all([send(), send()])
    const registrationText = await fetch(
      `${url()}/api/${FAULT_EVENT}/registrations/${regNo}/`,
    ).then(
      (answer) => answer.text(),
      () => '',
    )
    if (registrationText.includes('"payment_status":"success"')) {
      results.paid.add(regNo)
      return
    }
    await pause(MESSAGE_INTERVAL_MS)
  }
}

type TextResponse = { readonly status: number; readonly text: string }

/** Repeats a request while servers or their database are down. Returns null if the run ends first. */
async function retryUntilAnswered(
  send: () => Promise<Response>,
  isOver: () => boolean,
): Promise<TextResponse | null> {
  for (;;) {
    try {
      const answer = await send()
      const text = await answer.text()
      if (answer.status < 500) return { status: answer.status, text }
    } catch {
      // The connection is lost: it is unknown whether the form was stored.
    }
    if (isOver()) return null
    await pause(RETRY_MS)
  }
}
