/**
 * How often something may be tried: the one mechanism and the one answer. Which calls are limited, and
 * to how many tries, is named in the folder whose calls they are. Counted in memory: a limit on guessing
 * needs no fsync, and losing the counts at a restart gives a guesser nothing worth a restart.
 */
import { isIPv6 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Instant } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { refuse } from './refuse.ts'

/** So many tries in a window that slides with the caller's clock. */
export type Allowance = { readonly triesMax: number; readonly windowMs: number }
export type Limit = {
  /** Milliseconds until the key may try again; 0: it may now. */
  wait(key: string, at: Instant): number
  count(key: string, at: Instant): void
  forget(key: string): void
}

/** So that a flood of made-up keys cannot fill the memory; the oldest keys go first. */
const KEYS_MAX = 10_000

const unlimited: Limit = { wait: () => 0, count: () => {}, forget: () => {} }

/** Tries per key; without a limit where the environment switches them off. */
export function openLimit(
  { environment }: Pick<Deps, 'environment'>,
  { triesMax, windowMs }: Allowance,
): Limit {
  if (!environment.rateLimits) return unlimited
  const tries = new Map<string, number[]>()
  const recent = (key: string, at: Instant): number[] =>
    (tries.get(key) ?? []).filter((time) => time > at - windowMs)
  return {
    wait(key, at) {
      const times = recent(key, at)
      const first = times[times.length - triesMax]
      return first === undefined ? 0 : first + windowMs - at
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
}

/** Whoever hangs up before we look shares one count: doing so buys no tries. */
const GONE = 'gone'

/**
 * Whom a request is counted under: its IPv4 address, or the /64 network of its IPv6 address, all of
 * which belongs to anybody who has one address in it.
 */
export function addressOf({ ip }: { readonly ip: string | undefined }): string {
  // The sender has hung up already, and nothing says any more who it was.
  if (ip === undefined) return GONE
  if (!ip.includes(':')) return ip
  const bare = ip.split('%', 1)[0] ?? ip
  if (!isIPv6(bare)) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  const [front = [], back = []] = new URL(`http://[${bare}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`
}

/** Counts every request under its address; true: there were too many, and the request is answered. */
export function limitByAddress(
  deps: Pick<Deps, 'environment' | 'clock'>,
  allowance: Allowance,
): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const limit = openLimit(deps, allowance)
  return (request, reply) => {
    const at = deps.clock()
    const address = addressOf(request)
    const waitMs = limit.wait(address, at)
    if (waitMs === 0) limit.count(address, at)
    else refuseTooMany(reply, waitMs)
    return waitMs > 0
  }
}

/** 429, with the time to wait in `Retry-After` and in words; `what` there was too much of, in the plural. */
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
    `There were too many ${what}. Please wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`,
  )
}
