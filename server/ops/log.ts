/**
 * Writes structured logs: one JSON object per line.
 * Callers leave out personal data, secrets and order ids.
 */
import { isoIndia } from '../../engine/index.ts'
import type { Instant } from '../../engine/index.ts'
import type { Log } from '../dependencies.ts'

export function makeLog(write: (line: string) => void, clock: () => Instant): Log {
  const at =
    (level: string) =>
    (entry: object, message?: string): void => {
      write(
        `${JSON.stringify({ time: isoIndia(clock()), level, ...(message === undefined ? {} : { message }), ...entry })}\n`,
      )
    }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}
