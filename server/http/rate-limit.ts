/**
 * Limits how often something may be tried.
 * The folder of each route states which routes are limited, and to how many tries. A single server counts in
 * memory: guessing limits need no fsync, and the counts lost at a restart do not make restarts worthwhile for a
 * guesser. Several servers count together, in the store.
 */
import { isIPv4, isIPv6 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { memoize } from '../../engine/index.ts'
import { formatMessage, pluralForm, REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import type { Tries } from '../storage/database/rate-limit-count-types.ts'
import { refuse } from './error-response.ts'

/** The number of tries in a sliding window, measured with the caller's clock. */
export type Allowance = { readonly triesMax: number; readonly windowMs: number }
export type Soon<T> = T | Promise<T>
/** Immediate with one server; several servers ask the store, and count separately while it does not respond. */
export type RateLimit = {
  /** Milliseconds until the key may try again; 0: it may now. */
  wait(key: string, at: Instant): Soon<number>
  /** The same, and counts the try if it is allowed; simultaneous tries cannot exceed the limit. */
  take(key: string, at: Instant): Soon<number>
  count(key: string, at: Instant): Soon<void>
  forget(key: string): Soon<void>
}

/** Keeps a flood of invented keys from filling the memory; the oldest keys are dropped first. */
const KEYS_MAX = 10_000

const unlimited: RateLimit = { wait: () => 0, take: () => 0, count: () => {}, forget: () => {} }

type LimitDeps = Pick<Deps, 'environment'> & { readonly store?: Pick<Deps['store'], 'tries'> }

/**
 * Counts tries per key; unlimited if the environment disables rate limits. Without a store the counts are local
 * to this server.
 */
export function openLimit({ environment, store }: LimitDeps, allowance: Allowance): RateLimit {
  if (!environment.rateLimits) return unlimited
  const here = inMemory(allowance)
  const tries = store?.tries ?? null
  return tries === null ? here : together(tries, nameIn(environment, allowance), allowance, here)
}

/** Number of limits opened for a server: their order is the same in every server of a version. */
const openedFor = memoize((_server: object) => ({ count: 0 }))

/** The name under which tries are counted across servers. */
function nameIn(environment: object, { triesMax, windowMs }: Allowance): string {
  const opened = openedFor(environment)
  opened.count += 1
  return `${opened.count} ${triesMax} ${windowMs}`
}

/** If the database does not respond, this server's own limit still applies. */
function together(tries: Tries, name: string, allowance: Allowance, here: RateLimit): RateLimit {
  const keyOf = (key: string): string => `${name} ${key}`
  return {
    wait: (key, at) => tries.wait(keyOf(key), at, allowance).catch(() => here.wait(key, at)),
    take: (key, at) => tries.take(keyOf(key), at, allowance).catch(() => here.take(key, at)),
    count: (key, at) => tries.count(keyOf(key), at, allowance).catch(() => here.count(key, at)),
    forget: (key) => tries.forget(keyOf(key)).catch(() => here.forget(key)),
  }
}

type Memory = {
  readonly [K in keyof RateLimit]: (
    ...args: Parameters<RateLimit[K]>
  ) => Awaited<ReturnType<RateLimit[K]>>
}

function inMemory({ triesMax, windowMs }: Allowance): Memory {
  const tries = new Map<string, number[]>()
  const recent = (key: string, at: Instant): number[] =>
    (tries.get(key) ?? []).filter((time) => time > at - windowMs)
  const memory: Memory = {
    wait(key, at) {
      const times = recent(key, at)
      const first = times[times.length - triesMax]
      return first === undefined ? 0 : first + windowMs - at
    },
    take(key, at) {
      const waitMs = memory.wait(key, at)
      if (waitMs === 0) memory.count(key, at)
      return waitMs
    },
    count(key, at) {
      const times = [...recent(key, at), at].slice(-triesMax)
      tries.delete(key)
      tries.set(key, times)
      if (tries.size > KEYS_MAX) {
        const oldest = tries.keys().next()
        if (!oldest.done) tries.delete(oldest.value)
      }
    },
    forget: (key) => void tries.delete(key),
  }
  return memory
}

/** Clients that disconnect before we read their address share one count, so disconnecting gains no tries. */
const GONE = 'gone'

/** Values from a proxy that are not addresses share one count, so invented values gain no tries. */
const NO_ADDRESS = 'no address'

/**
 * Extracts the address from what a proxy writes: `ip:port`, `[v6]:port` or the address alone, with or without a
 * zone.
 */
function bareAddress(text: string): string {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  const [, beforePort] = /^([^:]*):\d+$/.exec(text) ?? []
  return (inBrackets ?? beforePort ?? text).split('%', 1)[0] ?? ''
}

/**
 * The key under which a request is counted: its IPv4 address, or the /64 network of its IPv6 address, because a
 * client with one address has the whole network.
 */
export function addressOf({ ip }: { readonly ip: string | undefined }): string {
  // The client has disconnected, so its address is no longer known.
  if (ip === undefined) return GONE
  const bare = bareAddress(ip.trim())
  if (isIPv4(bare)) return bare
  if (!isIPv6(bare)) return NO_ADDRESS
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short) ?? []
  if (high !== undefined && low !== undefined) return mappedAddress(high, low)
  const [front = [], back = []] = short
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`
}

/** The IPv4 address in the last two groups of an IPv6 address. */
function mappedAddress(high: string, low: string): string {
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}

/** Counts every request under its address; true: there were too many, and the request has been answered. */
export function limitByAddress(
  deps: LimitDeps & Pick<Deps, 'clock'>,
  allowance: Allowance,
): (request: FastifyRequest, reply: FastifyReply) => Promise<boolean> {
  const limit = openLimit(deps, allowance)
  return async (request, reply) => {
    const waitMs = await limit.take(addressOf(request), deps.clock())
    if (waitMs > 0) refuseTooMany(reply, waitMs)
    return waitMs > 0
  }
}

/**
 * Sends the status for too many requests, with the time to wait in `Retry-After` and in words; `what`: the things
 * counted, in the plural.
 */
export function refuseTooMany(
  reply: FastifyReply,
  waitMs: number,
  what = 'requests',
): FastifyReply {
  const minutes = Math.ceil(waitMs / 60_000)
  reply.header('retry-after', String(Math.ceil(waitMs / 1000)))
  return refuse(
    reply,
    429,
    'too_many_requests',
    formatMessage(pluralForm(minutes, REFUSAL_MESSAGES.tooMany), { things: what, count: minutes }),
  )
}
