/** `rollcall reconcile`: asks the gateway about every pending payment now, beside a running server or without one. */
import { atWork } from './at-work.ts'
import type { Command } from './command.ts'

export const reconcile: Command = {
  summary: 'Ask the gateway about pending payments now',
  help: `Usage: rollcall reconcile

Asks the gateway about every pending payment, however soon it was asked before, and stores what it
says: money that came, payments that were declined, and payments nobody made within a day. It may run
while the server runs; with GATEWAY_MODE=sandbox the server must run, because its simulator answers.

Exit status: 0 done, 1 an event file has errors, 2 a variable is wrong, 3 our fault.`,
  run: async (args, terminal) => {
    if (args.length > 0) {
      terminal.complain('rollcall reconcile takes no arguments.')
      return 2
    }
    return atWork(terminal, async ({ payments }) => {
      const { asked, ended } = await payments.reconcile(true)
      terminal.print(
        asked === 0
          ? 'No payment is pending.'
          : `Asked about ${asked} pending ${asked === 1 ? 'payment' : 'payments'}: ${ended} ended, ${asked - ended} still pending.`,
      )
      return 0
    })
  },
}
