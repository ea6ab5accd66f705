/** `rollcall db clock`: shows the clock and the last recorded time, and confirms the clock. */
import { formatInstant } from '../../../engine/index.ts'
import { MAX_AHEAD_MS, CLOCK_CONFIRMED, formatErasurePause } from '../../ops/health/clock-check.ts'
import { createClock } from '../../ops/clock.ts'
import { openExistingStore } from '../open-existing-store.ts'
import { parseArguments } from '../options.ts'
import type { Command } from '../command.ts'

const help = `Usage: rollcall db clock [--confirm --who NAME]

Shows the time of this machine and the last recorded time. If the clock is more than ${MAX_AHEAD_MS / (24 * 60 * 60_000)} days ahead
(the server was stopped for a long time, or the clock is wrong), automatic erasure is paused until the clock is
corrected or confirmed.

  --confirm   states that the clock is correct: erasure resumes within the hour, or a day after the clock was set
  --who NAME  your name, for the audit log

Exit status: 0 erasure is not paused, or the clock was confirmed; 1 erasure is paused; 2 invalid usage.`

export const clockCommand: Command = {
  help,
  run: async (args, terminal) => {
    const options = { confirm: { type: 'boolean' }, who: { type: 'string' } } as const
    const parsed = parseArguments(args, options, [0, 0], help, terminal)
    if (parsed === null) return 2
    const { confirm = false, who: user } = parsed.values
    if (confirm && (user ?? '').trim() === '') {
      terminal.printError('--confirm needs --who NAME for the audit log.')
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    const store = await openExistingStore(environment)
    try {
      const at = createClock(environment.clockStart)()
      if (confirm) {
        await store.confirmClock(at)
        await store.addAuditEntry({
          at,
          who: user ?? '',
          what: CLOCK_CONFIRMED,
          eventId: null,
          regNo: null,
        })
        terminal.print(`The clock is confirmed. It shows ${formatInstant(at)}.`)
        return 0
      }
      const lastClock = await store.lastTrustedTime()
      if (lastClock === null || lastClock.waitsSince === null) {
        terminal.print(`The clock shows ${formatInstant(at)}. It needs no confirmation.`)
        return 0
      }
      terminal.print(formatErasurePause(lastClock, at))
      return 1
    } finally {
      await store.close()
    }
  },
}
