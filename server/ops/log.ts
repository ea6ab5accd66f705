/**
 * Writes structured logs: one JSON object per line.
 * Callers leave out personal data, secrets and order ids.
 */
import { isoIndia } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Log } from '../dependencies.ts'

/** One problem that many requests meet must not fill the disk, nor hide the other problems. */
const MAX_SAME_PER_WINDOW = 20
const WINDOW_MS = 60_000

type Level = 'info' | 'warn' | 'error'
type Window = { lines: number; suppressedCount: number; readonly close: () => void }

/**
 * The same warning or error is written at most 20 times a minute; then one line says how many were left out. `flush`
 * writes those lines now: call it before the process ends.
 */
export function makeLog(
  write: (line: string) => void,
  clock: () => Instant,
): Log & { flush(): void } {
  const writeLine = (level: Level, entry: object, message?: string): void =>
    write(
      `${JSON.stringify({ time: isoIndia(clock()), level, ...(message === undefined ? {} : { message }), ...entry })}\n`,
    )
  const windows = new Map<string, Window>()
  const openWindow = (level: Level, key: string, message: string): Window => {
    const close = (): void => {
      clearTimeout(timer)
      windows.delete(key)
      const { suppressedCount: suppressed } = newWindow
      if (suppressed > 0) writeLine(level, { left_out: suppressed, of: message }, SUPPRESSED)
    }
    const timer = setTimeout(close, WINDOW_MS)
    timer.unref()
    const newWindow: Window = { lines: 0, suppressedCount: 0, close }
    windows.set(key, newWindow)
    return newWindow
  }
  const createLimited =
    (level: Level) =>
    (entry: object, message = ''): void => {
      const key = `${level} ${message}`
      const window = windows.get(key) ?? openWindow(level, key, message)
      window.lines += 1
      if (window.lines <= MAX_SAME_PER_WINDOW) writeLine(level, entry, message)
      else window.suppressedCount += 1
    }
  return {
    // Each of these is an event of its own, such as a request or a payment.
    info: (entry, message) => writeLine('info', entry, message),
    warn: createLimited('warn'),
    error: createLimited('error'),
    flush: () => {
      for (const { close } of windows.values()) close()
    },
  }
}

const SUPPRESSED = `lines with the same message were left out: ${MAX_SAME_PER_WINDOW} of each are written a minute`
