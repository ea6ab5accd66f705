/** Writes structured logs: one JSON object per line. Callers must not log personal data, secrets or order ids. */
import { formatIsoIndia } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Log } from '../dependencies.ts'

/** Limits repeated messages: a problem that affects many requests must not fill the disk or hide other problems. */
const MAX_SAME_PER_WINDOW = 20
const WINDOW_MS = 60_000

type Level = 'info' | 'warn' | 'error'
type Window = { lines: number; suppressedCount: number; readonly close: () => void }

/**
 * Creates a log that writes the same warning or error at most 20 times a minute. Another line then states the number of
 * omitted lines. `flush` writes these lines now: call it before the process ends.
 */
export function makeLog(
  write: (line: string) => void,
  clock: () => Instant,
): Log & { flush(): void } {
  const writeLine = (level: Level, entry: object, message?: string): void =>
    write(
      `${JSON.stringify({ time: formatIsoIndia(clock()), level, ...(message === undefined ? {} : { message }), ...entry })}\n`,
    )
  const windows = new Map<string, Window>()
  const openWindow = (level: Level, key: string, message: string): Window => {
    const close = (): void => {
      clearTimeout(timer)
      windows.delete(key)
      const { suppressedCount: count } = newWindow
      if (count > 0) writeLine(level, { left_out: count, of: message }, SUPPRESSED_MESSAGE)
    }
    const timer = setTimeout(close, WINDOW_MS)
    timer.unref()
    const newWindow: Window = { lines: 0, suppressedCount: 0, close }
    windows.set(key, newWindow)
    return newWindow
  }
  const createLimitedWriter =
    (level: Level) =>
    (entry: object, message = ''): void => {
      const key = `${level} ${message}`
      const window = windows.get(key) ?? openWindow(level, key, message)
      window.lines += 1
      if (window.lines <= MAX_SAME_PER_WINDOW) writeLine(level, entry, message)
      else window.suppressedCount += 1
    }
  return {
    // Not limited, because each line is a separate event, such as a request or a payment.
    info: (entry, message) => writeLine('info', entry, message),
    warn: createLimitedWriter('warn'),
    error: createLimitedWriter('error'),
    flush: () => {
      for (const { close } of windows.values()) close()
    },
  }
}

const SUPPRESSED_MESSAGE = `lines with the same message were omitted: at most ${MAX_SAME_PER_WINDOW} are written per minute`
