/**
 * Limits the number of attempts at an action. Each route module sets its limits. A single server counts in memory: the
 * counts need no fsync, and losing them at a restart does not help an attacker much. Several servers share their counts
 * in the store.
 */
import { isIPv4, isIPv6 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { memoize } from '../../engine/index.ts'
import { formatMessage, selectPluralForm, SERVER_MESSAGES } from '../../engine/messages.ts'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import type { AttemptCounter } from '../storage/database/rate-limit-count-types.ts'
import { sendError } from './error-response.ts'

/** The number of attempts in a sliding window, measured with the caller's clock. */
export type Allowance = { readonly maxAttempts: number; readonly windowMs: number }
export type MaybePromise<T> = T | Promise<T>
/** Synchronous with one server. Several servers query the store, and count separately while it does not respond. */
export type RateLimit = {
  /** Returns the milliseconds until the key may try again; 0 if it may try now. */
  wait(key: string, at: Instant): MaybePromise<number>
  /** Returns the same as `wait`, but counts an allowed attempt. Concurrent attempts cannot exceed the limit. */
  take(key: string, at: Instant): MaybePromise<number>
  count(key: string, at: Instant): MaybePromise<void>
  forget(key: string): MaybePromise<void>
}

/**
 * The maximum number of keys, so that a flood of invented ones cannot fill the memory; the oldest are dropped first.
 */
const MAX_KEYS = 10_000

const UNLIMITED: RateLimit = { wait: () => 0, take: () => 0, count: () => {}, forget: () => {} }

type LimitDeps = Pick<Deps, 'environment'> & {
  readonly store?: Pick<Deps['store'], 'rateLimitCounts'>
}

/**
 * Counts attempts per key; unlimited if the environment disables rate limits. Without a store, this server counts
 * alone.
 */
export function openLimit({ environment, store }: LimitDeps, allowance: Allowance): RateLimit {
  if (!environment.rateLimits) return UNLIMITED
  const localLimit = createMemoryLimit(allowance)
  const counter = store?.rateLimitCounts ?? null
  return counter === null
    ? localLimit
    : createSharedLimit(counter, buildLimitName(environment, allowance), allowance, localLimit)
}

/** The number of limits opened for a server; their order is the same on all servers with the same version. */
const openedLimits = memoize((_server: object) => ({ count: 0 }))

/** Returns the name under which attempts are counted across servers. */
function buildLimitName(environment: object, { maxAttempts, windowMs }: Allowance): string {
  const counter = openedLimits(environment)
  counter.count += 1
  return `${counter.count} ${maxAttempts} ${windowMs}`
}

/** Creates a limit that all servers share. If the database does not respond, this server's own limit still applies. */
function createSharedLimit(
  counter: AttemptCounter,
  name: string,
  allowance: Allowance,
  localLimit: RateLimit,
): RateLimit {
  const getSharedKey = (key: string): string => `${name} ${key}`
  return {
    wait: (key, at) =>
      counter.wait(getSharedKey(key), at, allowance).catch(() => localLimit.wait(key, at)),
    take: (key, at) =>
      counter.take(getSharedKey(key), at, allowance).catch(() => localLimit.take(key, at)),
    count: (key, at) =>
      counter.count(getSharedKey(key), at, allowance).catch(() => localLimit.count(key, at)),
    forget: (key) => counter.forget(getSharedKey(key)).catch(() => localLimit.forget(key)),
  }
}

type Memory = {
  readonly [K in keyof RateLimit]: (
    ...args: Parameters<RateLimit[K]>
  ) => Awaited<ReturnType<RateLimit[K]>>
}

function createMemoryLimit({ maxAttempts, windowMs }: Allowance): Memory {
  const triesByKey = new Map<string, number[]>()
  const listRecent = (key: string, at: Instant): number[] =>
    (triesByKey.get(key) ?? []).filter((time) => time > at - windowMs)
  const memory: Memory = {
    wait(key, at) {
      const times = listRecent(key, at)
      const oldestTime = times[times.length - maxAttempts]
      return oldestTime === undefined ? 0 : oldestTime + windowMs - at
    },
    take(key, at) {
      const waitMs = memory.wait(key, at)
      if (waitMs === 0) memory.count(key, at)
      return waitMs
    },
    count(key, at) {
      const times = [...listRecent(key, at), at].slice(-maxAttempts)
      triesByKey.delete(key)
      triesByKey.set(key, times)
      if (triesByKey.size > MAX_KEYS) {
        const oldest = triesByKey.keys().next()
        if (!oldest.done) triesByKey.delete(oldest.value)
      }
    },
    forget: (key) => void triesByKey.delete(key),
  }
  return memory
}

/** Clients that disconnect before the server reads their address share one count, so they gain no attempts. */
const DISCONNECTED_KEY = 'gone'

/** Values from a proxy that are not addresses share one count, so invented values gain no attempts. */
const NO_ADDRESS_KEY = 'no address'

/**
 * Extracts the address from the value that a proxy sends: `ip:port`, `[v6]:port` or the address alone, with or
 * without a zone.
 */
function extractAddress(text: string): string {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  const [, beforePort] = /^([^:]*):\d+$/.exec(text) ?? []
  return (inBrackets ?? beforePort ?? text).split('%', 1)[0] ?? ''
}

/**
 * Returns the key under which a request is counted: its IPv4 address, or the /64 network of its IPv6 address, because
 * a client with one address has the whole network.
 */
export function getAddressKey({ ip }: { readonly ip: string | undefined }): string {
  // The client has disconnected, so its address is no longer known.
  if (ip === undefined) return DISCONNECTED_KEY
  if (isIPv4(ip)) return ip
  const address = extractAddress(ip.trim())
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return NO_ADDRESS_KEY
  const compressedAddress = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(compressedAddress) ?? []
  if (high !== undefined && low !== undefined) return decodeMappedAddress(high, low)
  const [leadingGroups = [], trailingGroups = []] = compressedAddress
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - leadingGroups.length - trailingGroups.length }, () => '0')
  return `${[...leadingGroups, ...zeros, ...trailingGroups].slice(0, 4).join(':')}::/64`
}

/** Decodes the IPv4 address in the last two groups of an IPv6 address. */
function decodeMappedAddress(high: string, low: string): string {
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}

/** Limits that count the same attempt, the narrowest first. Each applies to the key beside it. */
export type NestedLimits = readonly (readonly [limit: RateLimit, key: string])[]

/**
 * Counts an attempt under each limit if all of them allow it. Returns the milliseconds to wait; 0 if it may continue.
 */
export async function takeFromAll(limits: NestedLimits, at: Instant): Promise<number> {
  let longestWaitMs = 0
  for (const [limit, key] of limits)
    longestWaitMs = Math.max(longestWaitMs, await limit.wait(key, at))
  if (longestWaitMs > 0) return longestWaitMs
  // Concurrent requests may have used up a limit since. Those that the limit of one address refuses must not use up a
  // limit that all addresses share.
  for (const [limit, key] of limits) {
    const waitMs = await limit.take(key, at)
    if (waitMs > 0) return waitMs
  }
  return 0
}

/** Counts every request under its address; returns true if there were too many and an error response was sent. */
export function createAddressLimit(
  deps: LimitDeps & Pick<Deps, 'clock'>,
  allowance: Allowance,
): (request: FastifyRequest, reply: FastifyReply) => Promise<boolean> {
  const limit = openLimit(deps, allowance)
  return async (request, reply) => {
    const waitMs = await limit.take(getAddressKey(request), deps.clock())
    if (waitMs > 0) sendTooMany(reply, waitMs)
    return waitMs > 0
  }
}

/**
 * Sends the status for too many requests, with the time to wait in `Retry-After` and in the message. `subject` is the
 * plural noun for the counted requests.
 */
export function sendTooMany(
  reply: FastifyReply,
  waitMs: number,
  subject = 'requests',
): FastifyReply {
  const minutes = Math.ceil(waitMs / 60_000)
  reply.header('retry-after', String(Math.ceil(waitMs / 1000)))
  return sendError(
    reply,
    429,
    'too_many_requests',
    formatMessage(selectPluralForm(minutes, SERVER_MESSAGES.tooMany), {
      things: subject,
      count: minutes,
    }),
  )
}
