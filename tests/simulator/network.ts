/** Simulates the network between the server and the gateway, and how its faults affect queries. */
import { assertNever } from '../../engine/index.ts'
import type { Timeline, Owner } from './virtual-time.ts'
import { answerRefund, isCapture, markReported } from './gateway.ts'
import type { Gateway } from './gateway.ts'
import { handleRazorpayRequest } from './razorpay-gateway.ts'
import type { Profile } from './profiles.ts'
import type { Random } from './random.ts'
import type { Tally } from './tally.ts'

/** The kinds of unusable responses, including one that reports a paid order as unknown. */
const BAD_RESPONSES = [
  'cut off',
  'other order',
  'page',
  'nothing',
  'status 500',
  'unknown code',
  'in process',
  'no record',
  'two amounts',
] as const
type BadResponse = (typeof BAD_RESPONSES)[number]
export type OutageKind = 'refused' | 'silent' | 'error'

export type Network = {
  transport(
    url: string,
    body: string,
    timeoutMs: number,
    owner: Owner,
    key?: string,
  ): Promise<Response>
  startOutage(kind: OutageKind, lastsMs: number): void
}

/** After this time in a history, every response is valid, because the final poll must not fail. */
const FAULT_PERIOD_MS = 4 * 24 * 3_600_000

export function createNetwork(context: {
  readonly profile: Profile
  readonly timeline: Timeline
  readonly gateway: Gateway
  readonly random: Random
  /** Whether the server's disk accepts writes. */
  readonly canStore: () => boolean
  readonly tally: Tally
  readonly writeTrace: (describe: () => string) => void
}): Network {
  const { profile, timeline, gateway, random, canStore, tally, writeTrace } = context
  const startedAt = timeline.now()
  let currentOutage: { readonly kind: OutageKind; readonly until: number } | null = null

  const drawLatencyMs = (): number =>
    random.chance(profile.slowResponses) ? random.skewed(2_000, 40_000) : random.skewed(40, 1_500)
  /** Returns the true response about another paid order, if there is one. */
  const respondForOtherOrder = (orderId: string): string => {
    const otherOrders = [...gateway.orders.values()].filter((order) => order.orderId !== orderId)
    const paidOrder =
      otherOrders.find(({ transactions }) => transactions.some(isCapture)) ?? otherOrders[0]
    return paidOrder === undefined
      ? gateway.respondToStatusQuery('', 'SMPL1234567890123001', timeline.now()).text
      : gateway.respondToStatusQuery(paidOrder.merchantId, paidOrder.orderId, timeline.now()).text
  }
  const isNextResponseBad = (): boolean =>
    timeline.now() - startedAt < FAULT_PERIOD_MS && random.chance(profile.badStatusResponses)

  /** Sends a refund request. The gateway receives it even if the response is lost. */
  const callRefund = (body: string, timeoutMs: number, owner: Owner): Promise<Response> =>
    new Promise((resolve, reject) => {
      tally.refundCalls += 1
      if (currentOutage?.kind === 'refused' && timeline.now() < currentOutage.until)
        return void timeline.schedule(5, () => reject(createConnectionError('ECONNREFUSED')), owner)
      const isLost = random.chance(profile.badRefundResponses)
      const delayMs = isLost && random.chance(0.5) ? timeoutMs + 1 : drawLatencyMs()
      timeline.schedule(delayMs / 2, () => {
        const text = answerRefund(gateway, body, timeline.now(), random)
        writeTrace(() => `response to a refund: ${isLost ? 'lost: ' : ''}${text}`)
        if (delayMs >= timeoutMs) return
        timeline.schedule(
          delayMs / 2,
          () =>
            resolve(
              isLost
                ? createResponse(random.pick([200, 500]), 'Gateway trouble')
                : createResponse(200, text),
            ),
          owner,
        )
      })
      if (delayMs >= timeoutMs)
        timeline.schedule(timeoutMs, () => reject(createTimeoutError()), owner)
    })
  /** Sends a request to Razorpay, which may execute it even if the response is lost. */
  const callRazorpay = (
    request: { readonly url: string; readonly body: string; readonly key: string },
    timeoutMs: number,
    owner: Owner,
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      tally.questions += 1
      const outage =
        currentOutage !== null && timeline.now() < currentOutage.until ? currentOutage.kind : null
      if (outage === 'refused')
        return void timeline.schedule(5, () => reject(createConnectionError('ECONNREFUSED')), owner)
      const delayMs = outage === 'silent' ? timeoutMs + 1 : drawLatencyMs()
      const isLost = outage === 'error' || isNextResponseBad()
      timeline.schedule(Math.min(delayMs, timeoutMs) / 2, () => {
        const { status, json, reportedEntries, reportedFailures } = handleRazorpayRequest(
          gateway,
          request,
          timeline.now(),
          random,
          profile,
        )
        writeTrace(
          () => `razorpay ${request.url}: ${isLost ? 'lost: ' : ''}${JSON.stringify(json)}`,
        )
        if (delayMs >= timeoutMs) return
        timeline.schedule(
          delayMs / 2,
          () => {
            if (!isLost && canStore()) {
              markReported(reportedEntries, timeline.now())
              for (const refund of reportedFailures) refund.isFailureReported = true
            }
            resolve(
              isLost
                ? createResponse(random.pick([200, 500]), 'Gateway trouble')
                : createResponse(status, JSON.stringify(json)),
            )
          },
          owner,
        )
      })
      if (delayMs >= timeoutMs)
        timeline.schedule(timeoutMs, () => reject(createTimeoutError()), owner)
    })
  return {
    startOutage: (kind, lastsMs) => {
      currentOutage = { kind, until: timeline.now() + lastsMs }
    },
    transport: (url, body, timeoutMs, owner, key = '') => {
      if (url.includes('razorpay')) return callRazorpay({ url, body, key }, timeoutMs, owner)
      if (body.startsWith('{')) return callRefund(body, timeoutMs, owner)
      tally.questions += 1
      const query = new URLSearchParams(body)
      const merchant = query.get('merchant_id') ?? ''
      const orderId = query.get('merchant_txn_id') ?? ''
      const now = timeline.now()
      const outageKind =
        currentOutage !== null && now < currentOutage.until ? currentOutage.kind : null
      return new Promise((resolve, reject) => {
        if (outageKind === 'refused')
          return void timeline.schedule(
            5,
            () => reject(createConnectionError('ECONNREFUSED')),
            owner,
          )
        const delayMs = outageKind === 'silent' ? timeoutMs + 1 : drawLatencyMs()
        if (outageKind === 'error')
          return void timeline.schedule(
            delayMs,
            () => resolve(createResponse(500, 'Internal Server Error')),
            owner,
          )
        const badResponse = isNextResponseBad() ? random.pick(BAD_RESPONSES) : null
        if (delayMs >= timeoutMs)
          return void timeline.schedule(timeoutMs, () => reject(createTimeoutError()), owner)
        // The response contains the state when the query arrives.
        timeline.schedule(delayMs / 2, () => {
          const { text, reportedEntries } = gateway.respondToStatusQuery(
            merchant,
            orderId,
            timeline.now(),
          )
          timeline.schedule(
            delayMs / 2,
            () => {
              writeTrace(() => `response about ${orderId}: ${badResponse ?? summariseAnswer(text)}`)
              const order = gateway.orders.get(orderId)
              if (badResponse === 'no record' && order !== undefined) order.isDenied = true
              // A response that the disk cannot store has no effect, and the next response may differ.
              if (badResponse === null && canStore()) markReported(reportedEntries, timeline.now())
              resolve(
                badResponse === null
                  ? createResponse(200, text)
                  : corruptResponse(badResponse, text, orderId, respondForOtherOrder(orderId)),
              )
            },
            owner,
          )
        })
      })
    },
  }
}

/** Returns a readable summary of a response. */
const summariseAnswer = (text: string): string =>
  Array.from(
    text.matchAll(/<(\w+)><!\[CDATA\[(.*?)\]\]>/g),
    ([, name, value]) => `${name} ${value}`,
  ).join(', ')

function corruptResponse(
  badResponse: BadResponse,
  text: string,
  orderId: string,
  otherOrderText: string,
): Response {
  const replaceCode = (code: string): string =>
    `<RESPONSE><TRANSACTION><TRANSACTIONID>${orderId}</TRANSACTIONID><TRANSACTIONSTATUS>${code}</TRANSACTIONSTATUS></TRANSACTION></RESPONSE>`
  switch (badResponse) {
    case 'cut off':
      return createResponse(200, text.slice(0, text.length / 2))
    case 'other order':
      return createResponse(200, otherOrderText)
    case 'page':
      return createResponse(200, '<!DOCTYPE html><html><body>Maintenance</body></html>')
    case 'nothing':
      return createResponse(200, '')
    case 'status 500':
      return createResponse(500, 'Internal Server Error')
    case 'unknown code':
      return createResponse(200, replaceCode('777'))
    case 'in process':
      return createResponse(200, replaceCode('211'))
    case 'no record':
      return createResponse(200, replaceCode('503'))
    case 'two amounts':
      return createResponse(
        200,
        text.replace(
          /<TRANSACTION>.*<\/TRANSACTION>/,
          (amountTag) => amountTag + amountTag.replace(/(AMOUNT><!\[CDATA\[)/, '$19'),
        ),
      )
    default:
      return assertNever(badResponse)
  }
}

/** Creates a response with the parts that the adapter reads. */
function createResponse(status: number, text: string): Response {
  const body = text === '' ? [] : [Buffer.from(text)]
  return { status, ok: status < 300, body } as unknown as Response
}

function createConnectionError(code: string): Error {
  const cause = Object.assign(new Error(`connect ${code}`), { code })
  return new TypeError('fetch failed', { cause })
}

const createTimeoutError = (): Error =>
  Object.assign(new Error('The operation was aborted due to timeout'), { name: 'TimeoutError' })
