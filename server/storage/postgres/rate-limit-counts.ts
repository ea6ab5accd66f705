/** Counts rate-limited attempts on all servers in one table. */
import { createHash } from 'node:crypto'
import type { Instant } from '../../../engine/index.ts'
import type { HostPool } from './host-pool.ts'
import type { AttemptCounter, Window } from '../database/rate-limit-count-types.ts'

// Counting does not wait for the disk, so a crash of PostgreSQL may lose the attempts of the last second.

/** Expired counts are deleted each time this many attempts have been counted. */
const CLEANUP_INTERVAL = 200

export function openAttemptCounter(pool: HostPool): AttemptCounter {
  let countedAttempts = 0
  const countAttempt = async (
    key: string,
    at: Instant,
    { maxAttempts, windowMs }: Window,
    alwaysCounts: boolean,
  ): Promise<number> => {
    countedAttempts += 1
    if (countedAttempts % CLEANUP_INTERVAL === 0)
      await pool.query('DELETE FROM tries WHERE until < $1', [at])
    const { rows } = await pool.query<{ wait: string }>(
      'SELECT take_try($1, $2, $3, $4, $5) AS wait',
      [hashKey(key), at, windowMs, maxAttempts, alwaysCounts],
    )
    return Number(rows[0]?.wait ?? 0)
  }
  return {
    async wait(key, at, { maxAttempts, windowMs }) {
      const { rows } = await pool.query<{ times: readonly string[] }>(
        'SELECT times FROM tries WHERE key = $1',
        [hashKey(key)],
      )
      const recentAttempts = (rows[0]?.times ?? [])
        .map(Number)
        .filter((time) => time > at - windowMs)
      const blockingAttempt = recentAttempts[recentAttempts.length - maxAttempts]
      return blockingAttempt === undefined ? 0 : blockingAttempt + windowMs - at
    },
    take: (key, at, window) => countAttempt(key, at, window, false),
    async count(key, at, window) {
      await countAttempt(key, at, window, true)
    },
    async forget(key) {
      await pool.query('DELETE FROM tries WHERE key = $1', [hashKey(key)])
    },
  }
}

/** Hashes the key, so that a copy of the database reveals no addresses. */
const hashKey = (key: string): string => createHash('sha256').update(key).digest('base64url')
