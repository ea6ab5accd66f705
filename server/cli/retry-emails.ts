/** `rollcall mail retry`: returns failed emails to the queue of the server. */
import { makeClock } from '../ops/clock.ts'
import { openExistingStore } from './open-existing-store.ts'
import { readArguments } from './options.ts'
import type { Command } from './command.ts'

const help = `Usage: rollcall mail retry

Puts every mail that was given up back into the queue, to be tried from the beginning: after an address of
the mail server, a password or a full mailbox was mended. The running server sends them.

Exit status: 0 done, 2 a variable is wrong.`

export const mailing: Command = {
  summary: 'Try mails again that were given up',
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, {}, [1, 1], help, terminal)
    if (given === null) return 2
    if (given.positionals[0] !== 'retry') {
      terminal.complain(`rollcall mail does not know "${given.positionals[0]}".\n${help}`)
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    const store = await openExistingStore(environment)
    try {
      const count = await store.retryMails(makeClock(environment.clockStart)())
      terminal.print(
        count === 0
          ? 'No mail was given up.'
          : `${count} ${count === 1 ? 'mail is' : 'mails are'} in the queue again.`,
      )
      return 0
    } finally {
      await store.close()
    }
  },
}
