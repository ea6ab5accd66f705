/** `rollcall email retry`: returns failed emails to the server's queue. */
import { createClock } from '../ops/clock.ts'
import { openExistingStore } from './open-existing-store.ts'
import { parseArguments } from './options.ts'
import type { Command } from './command.ts'

const help = `Usage: rollcall email retry

Puts every failed email back into the queue. Use it after you have fixed the mail server's address, its password or
a full mailbox. The running server sends them.

Exit status: 0 done; 2 a variable is invalid.`

export const retryEmailsCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, {}, [0, 0], help, terminal)
    if (parsed === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const store = await openExistingStore(environment)
    try {
      const count = await store.retryMails(createClock(environment.clockStart)())
      terminal.print(
        count === 0
          ? 'No email has failed.'
          : `${count} ${count === 1 ? 'email' : 'emails'} queued again.`,
      )
      return 0
    } finally {
      await store.close()
    }
  },
}
