/** `rollcall reconcile`: asks the gateway about every pending payment now, beside a running server or without one. */
import { openEvents } from '../assemble.ts'
import type { Command } from './command.ts'
import { makeClock } from '../machine/clock.ts'
import { gatewayOfRunning } from '../paying/gateway/open.ts'
import { makeLog } from '../machine/log.ts'
import { openPayments } from '../paying/verify.ts'
import { openStore } from '../store/open.ts'

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
    const environment = terminal.environment()
    if (environment === null) return 2
    const clock = makeClock(environment.clockStart)
    const log = makeLog(terminal.complain, clock)
    const store = await openStore({ dataDir: environment.dataDir })
    try {
      const opened = await openEvents(
        environment,
        { clock, log, print: terminal.complain, works: false },
        store,
      )
      if (!opened.ok) {
        terminal.complain(opened.error.text)
        return opened.error.status
      }
      const events = opened.value
      const payments = openPayments(
        { store, events, gateway: gatewayOfRunning({ environment, events }), clock, log },
        { reconciles: false },
      )
      const { asked, ended } = await payments.reconcile(true)
      terminal.print(
        asked === 0
          ? 'No payment is pending.'
          : `Asked about ${asked} pending ${asked === 1 ? 'payment' : 'payments'}: ${ended} ended, ${asked - ended} still pending.`,
      )
      await events.close()
      return 0
    } finally {
      await store.close()
    }
  },
}
