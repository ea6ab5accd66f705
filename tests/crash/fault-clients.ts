/** Delegates who register and pay through two servers while these and their database fail, and what they were told. */
import { setTimeout as pause } from 'node:timers/promises'
import type { PaymentData, RegisterAnswer } from '../../engine/api.ts'
import { fixtureEvent } from '../server/small-event.ts'
import { createPaidMessage } from './sample-gateway.ts'

export const FAULT_EVENT = 'faults2026'
/** Seats of the hall, where every third delegate wants to go. */
export const SEATS = 9
export const FAULT_EVENT_TEXT = fixtureEvent({
  id: FAULT_EVENT,
  prefix: 'FLTS',
  extra: `
quotas:
  - {id: hall, when: {is_member: true}, max: ${SEATS}, full: The hall is full}
`,
})

export type Told = {
  /** Numbers by email address. */
  readonly registered: Map<string, string>
  /** Numbers of which a server said that they are paid. */
  readonly paid: Set<string>
  /** Who found the hall full. */
  readonly refused: string[]
  /** Answers that no fault explains. */
  readonly wrong: string[]
}
export const nothingTold = (): Told => ({
  registered: new Map(),
  paid: new Set(),
  refused: [],
  wrong: [],
})

export type ClientOptions = {
  /** The address of whoever distributes requests to the servers. */
  readonly url: () => string
  readonly told: Told
  readonly isOver: () => boolean
  /** False: a form that is sent again is another one for the server. For a negative control. */
  readonly hasKeys?: boolean
}

/** After an answer that may be different next time. */
const AGAIN_MS = 25
/** One answer in so many never arrives: the form is sent again, and must get the same number. */
const LOST_ONE_IN = 4
/** Two delegates in three pay. */
const PAYS_OF = 3
/** A gateway repeats its message until it knows that the order is paid. */
const MESSAGE_MS = 250

/** Registers one delegate after the other until it is over. */
export async function runClient(name: string, options: ClientOptions): Promise<void> {
  for (let n = 1; !options.isOver(); n += 1) {
    const order = await register(`${name}-${n}`, n, options)
    if (order !== null && n % PAYS_OF !== 0) await pay(order, options)
  }
}

type Order = { readonly regNo: string; readonly data: PaymentData }

async function register(
  person: string,
  n: number,
  { url, told, isOver, hasKeys = true }: ClientOptions,
): Promise<Order | null> {
  const email = `${person}@example.org`
  const isMember = n % 3 === 1
  const send = (): Promise<Response> =>
    fetch(`${url()}/api/${FAULT_EVENT}/register/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(hasKeys ? { 'idempotency-key': person } : {}),
      },
      body: JSON.stringify({
        full_name: `Delegate ${person}`,
        email,
        phone_number: '9847012345',
        is_member: String(isMember),
      }),
    })
  const first = await untilAnswered(send, isOver)
  if (first === null) return null
  const isLost = n % LOST_ONE_IN === 0
  const answer = isLost ? await untilAnswered(send, isOver) : first
  if (answer === null) return null
  const body = JSON.parse(answer.text) as Partial<RegisterAnswer> & { readonly code?: string }
  if (answer.status === 409 && isMember && body.code === 'full') told.refused.push(email)
  else if (answer.status !== 201 || body.reg_no === undefined)
    told.wrong.push(`${email}: ${answer.status} ${answer.text.slice(0, 200)}`)
  else {
    const before = (JSON.parse(first.text) as Partial<RegisterAnswer>).reg_no
    if (isLost && hasKeys && first.status === 201 && before !== body.reg_no)
      told.wrong.push(`${email} was ${before}, and is ${body.reg_no} when sent again`)
    told.registered.set(email, body.reg_no)
    const { payment_data: data } = body
    return data === undefined ? null : { regNo: body.reg_no, data }
  }
  return null
}

/** Two messages at once, again and again, until a server shows that it is paid. */
async function pay({ regNo, data }: Order, { url, told, isOver }: ClientOptions): Promise<void> {
  const message = createPaidMessage(data)
  const send = (): Promise<unknown> =>
    fetch(`${url()}/api/payment/webhook/`, { method: 'POST', body: message }).then(
      (answer) => answer.text(),
      () => null,
    )
  while (!isOver()) {
    await Promise.all([send(), send()])
    const shown = await fetch(`${url()}/api/${FAULT_EVENT}/registrations/${regNo}/`).then(
      (answer) => answer.text(),
      () => '',
    )
    if (shown.includes('"payment_status":"success"')) {
      told.paid.add(regNo)
      return
    }
    await pause(MESSAGE_MS)
  }
}

type Answered = { readonly status: number; readonly text: string }

/** Servers that are down, or without a database, are asked again. Null: it is over before anybody answers. */
async function untilAnswered(
  send: () => Promise<Response>,
  isOver: () => boolean,
): Promise<Answered | null> {
  for (;;) {
    try {
      const answer = await send()
      const text = await answer.text()
      if (answer.status < 500) return { status: answer.status, text }
    } catch {
      // The connection is lost: nobody knows whether the form was stored.
    }
    if (isOver()) return null
    await pause(AGAIN_MS)
  }
}
