/**
 * Writes structured logs: one JSON object per line.
 * Callers leave out personal data, secrets and order ids.
 */
import { isoIndia } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Log } from '../dependencies.ts'

/** One problem that many requests meet must not fill the disk, nor hide the other problems. */
const SAME_MAX = 20
const SAME_MS = 60_000

type Level = 'info' | 'warn' | 'error'
type Window = { lines: number; leftOut: number; readonly end: () => void }

/**
 * The same warning or error is written at most 20 times a minute; then one line says how many were left out. `flush`
 * writes those lines now: call it before the process ends.
 */
export function makeLog(
  write: (line: string) => void,
  clock: () => Instant,
): Log & { flush(): void } {
  const line = (level: Level, entry: object, message?: string): void =>
    write(
      `${JSON.stringify({ time: isoIndia(clock()), level, ...(message === undefined ? {} : { message }), ...entry })}\n`,
    )
  const windows = new Map<string, Window>()
  const open = (level: Level, key: string, message: string): Window => {
    const end = (): void => {
      clearTimeout(timer)
      windows.delete(key)
      const { leftOut } = opened
      if (leftOut > 0) line(level, { left_out: leftOut, of: message }, LEFT_OUT)
    }
    const timer = setTimeout(end, SAME_MS)
    timer.unref()
    const opened: Window = { lines: 0, leftOut: 0, end }
    windows.set(key, opened)
    return opened
  }
  const limited =
    (level: Level) =>
    (entry: object, message = ''): void => {
      const key = `${level} ${message}`
      const window = windows.get(key) ?? open(level, key, message)
      window.lines += 1
      if (window.lines <= SAME_MAX) line(level, entry, message)
      else window.leftOut += 1
    }
  return {
    // Each of these is an event of its own, such as a request or a payment.
    info: (entry, message) => line('info', entry, message),
    warn: limited('warn'),
    error: limited('error'),
    flush: () => {
      for (const { end } of windows.values()) end()
    },
  }
}

const LEFT_OUT = `lines with the same message were left out: ${SAME_MAX} of each are written a minute`
