/** The network between the server and the gateway, and what it and a bad day of the gateway do to questions. */
import { assertNever } from '../../engine/index.ts'
import type { Course, Owner } from './virtual-time.ts'
import { answerRefund, isMoney } from './gateway.ts'
import type { Gateway } from './gateway.ts'
import type { Profile } from './profiles.ts'
import type { Random } from './random.ts'
import type { Tally } from './tally.ts'

/** Answers that cannot be used; an order that was paid and is not yet known to have been is among them. */
const BAD_ANSWERS = [
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
type BadAnswer = (typeof BAD_ANSWERS)[number]
export type OutageKind = 'refused' | 'silent' | 'error'

export type Network = {
  transport(url: string, body: string, timeoutMs: number, owner: Owner): Promise<Response>
  outage(kind: OutageKind, lastsMs: number): void
}

/** From then on in a history every answer is a good one: the last question of a watch must not be the one that fails. */
const BAD_DAYS_MS = 4 * 24 * 3_600_000

export function networkOf(given: {
  readonly profile: Profile
  readonly course: Course
  readonly gateway: Gateway
  readonly random: Random
  /** Whether the server's disk takes what it is told. */
  readonly canKeep: () => boolean
  readonly tally: Tally
  readonly say: (what: () => string) => void
}): Network {
  const { profile, course, gateway, random, canKeep, tally, say } = given
  const begun = course.now()
  let outage: { readonly kind: OutageKind; readonly until: number } | null = null

  const latencyMs = (): number =>
    random.chance(profile.slow) ? random.mostly(2_000, 40_000) : random.mostly(40, 1_500)
  /** The true answer about another order that was paid, where there is one. */
  const elsewhere = (orderId: string): string => {
    const others = [...gateway.orders.values()].filter((order) => order.orderId !== orderId)
    const paid = others.find(({ transactions }) => transactions.some(isMoney)) ?? others[0]
    return paid === undefined
      ? gateway.status('', 'SMPL1234567890123001', course.now()).text
      : gateway.status(paid.merchantId, paid.orderId, course.now()).text
  }
  const isBad = (): boolean =>
    course.now() - begun < BAD_DAYS_MS && random.chance(profile.badAnswers)

  /** A call that moves money: whatever becomes of the answer, it has been heard. */
  const refunding = (body: string, timeoutMs: number, owner: Owner): Promise<Response> =>
    new Promise((resolve, reject) => {
      tally.refundCalls += 1
      if (outage?.kind === 'refused' && course.now() < outage.until)
        return void course.after(5, () => reject(failed('ECONNREFUSED')), owner)
      const isLost = random.chance(profile.badRefunds)
      const wait = isLost && random.chance(0.5) ? timeoutMs + 1 : latencyMs()
      course.after(wait / 2, () => {
        const text = answerRefund(gateway, body, course.now(), random)
        say(() => `gateway says of a refund: ${isLost ? 'lost: ' : ''}${text}`)
        if (wait >= timeoutMs) return
        course.after(
          wait / 2,
          () =>
            resolve(isLost ? said(random.pick([200, 500]), 'Gateway trouble') : said(200, text)),
          owner,
        )
      })
      if (wait >= timeoutMs) course.after(timeoutMs, () => reject(timedOut()), owner)
    })
  return {
    outage: (kind, lastsMs) => {
      outage = { kind, until: course.now() + lastsMs }
    },
    transport: (_url, body, timeoutMs, owner) => {
      if (body.startsWith('{')) return refunding(body, timeoutMs, owner)
      tally.questions += 1
      const asked = new URLSearchParams(body)
      const merchant = asked.get('merchant_id') ?? ''
      const orderId = asked.get('merchant_txn_id') ?? ''
      const now = course.now()
      const down = outage !== null && now < outage.until ? outage.kind : null
      return new Promise((resolve, reject) => {
        if (down === 'refused')
          return void course.after(5, () => reject(failed('ECONNREFUSED')), owner)
        const wait = down === 'silent' ? timeoutMs + 1 : latencyMs()
        if (down === 'error')
          return void course.after(wait, () => resolve(said(500, 'Internal Server Error')), owner)
        const bad = isBad() ? random.pick(BAD_ANSWERS) : null
        if (wait >= timeoutMs) return void course.after(timeoutMs, () => reject(timedOut()), owner)
        // It answers by what it knows when the question is there.
        course.after(wait / 2, () => {
          const { text, named } = gateway.status(merchant, orderId, course.now())
          course.after(
            wait / 2,
            () => {
              say(() => `gateway says of ${orderId}: ${bad ?? wordsOf(text)}`)
              const order = gateway.orders.get(orderId)
              if (bad === 'no record' && order !== undefined) order.isDenied = true
              // What no disk takes is as good as not told; by the next question it may say something else.
              if (bad === null && canKeep()) for (const made of named) made.isTold = true
              resolve(
                bad === null ? said(200, text) : spoilt(bad, text, orderId, elsewhere(orderId)),
              )
            },
            owner,
          )
        })
      })
    },
  }
}

/** An answer as a person reads it. */
const wordsOf = (text: string): string =>
  Array.from(
    text.matchAll(/<(\w+)><!\[CDATA\[(.*?)\]\]>/g),
    ([, name, value]) => `${name} ${value}`,
  ).join(', ')

function spoilt(bad: BadAnswer, text: string, orderId: string, elsewhere: string): Response {
  const told = (code: string): string =>
    `<RESPONSE><TRANSACTION><TRANSACTIONID>${orderId}</TRANSACTIONID><TRANSACTIONSTATUS>${code}</TRANSACTIONSTATUS></TRANSACTION></RESPONSE>`
  switch (bad) {
    case 'cut off':
      return said(200, text.slice(0, text.length / 2))
    case 'other order':
      return said(200, elsewhere)
    case 'page':
      return said(200, '<!DOCTYPE html><html><body>Maintenance</body></html>')
    case 'nothing':
      return said(200, '')
    case 'status 500':
      return said(500, 'Internal Server Error')
    case 'unknown code':
      return said(200, told('777'))
    case 'in process':
      return said(200, told('211'))
    case 'no record':
      return said(200, told('503'))
    case 'two amounts':
      return said(
        200,
        text.replace(
          /<TRANSACTION>.*<\/TRANSACTION>/,
          (one) => one + one.replace(/(AMOUNT><!\[CDATA\[)/, '$19'),
        ),
      )
    default:
      return assertNever(bad)
  }
}

/** As much of an answer as the adapter looks at. */
function said(status: number, text: string): Response {
  const body = text === '' ? [] : [Buffer.from(text)]
  return { status, ok: status < 300, body } as unknown as Response
}

function failed(code: string): Error {
  const cause = Object.assign(new Error(`connect ${code}`), { code })
  return new TypeError('fetch failed', { cause })
}

const timedOut = (): Error =>
  Object.assign(new Error('The operation was aborted due to timeout'), { name: 'TimeoutError' })
