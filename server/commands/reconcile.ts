/** `rollcall reconcile`: asks the gateway about every pending payment now, or lays a bank's statement beside who waits for money. */
import { readFile } from 'node:fs/promises'
import { formatDay, formatMoney } from '../../engine/index.ts'
import type { Reconciled } from '../../engine/index.ts'
import { layBeside } from '../office/reconcile.ts'
import type { Statement } from '../office/reconcile.ts'
import { readArguments } from './arguments.ts'
import { atWork, eventAt } from './at-work.ts'
import type { AtWork } from './at-work.ts'
import type { Command, Status, Terminal } from './command.ts'

const HELP = `Usage: rollcall reconcile [EVENT STATEMENT.csv]

Without a statement: asks the gateway about every pending payment, however soon it was asked before, and
stores what it says: money that came, payments that were declined, and payments nobody made within a day.
With GATEWAY_MODE=sandbox the server must run, because its simulator answers.

With the id of an event and a bank's statement as CSV: says which line is for whom, as the office's page
does, and stores nothing. It may run while the server runs.

Exit status: 0 done; with a statement: everything in it fits or is known. 1 an event file has errors; with
a statement: something is not sure, or left on either side. 2 asked wrongly, 3 our fault.`

export const reconcile: Command = {
  summary: 'Ask the gateway about pending payments, or read a bank statement',
  help: HELP,
  run: async (args, terminal) => {
    const given = readArguments(args, {}, [0, 2], HELP, terminal)
    if (given === null) return 2
    const [eventId, file] = given.positionals
    if (eventId === undefined) return atWork(terminal, (work) => askAll(work, terminal))
    if (file === undefined) {
      terminal.complain(`The statement is missing.\n${HELP.split('\n\n')[0]}`)
      return 2
    }
    return atWork(terminal, (work) => compare(work, eventId, file, terminal))
  },
}

async function askAll({ payments }: AtWork, terminal: Terminal): Promise<Status> {
  const { asked, ended } = await payments.reconcile(true)
  terminal.print(
    asked === 0
      ? 'No payment is pending.'
      : `Asked about ${asked} pending ${asked === 1 ? 'payment' : 'payments'}: ${ended} ended, ${asked - ended} still pending.`,
  )
  return 0
}

async function compare(
  work: AtWork,
  eventId: string,
  file: string,
  terminal: Terminal,
): Promise<Status> {
  if (eventAt(work, eventId, terminal) === null) return 2
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) {
    terminal.complain(`${file} cannot be read.`)
    return 2
  }
  const laid = await layBeside(work.store, eventId, text, null)
  if (!laid.ok) {
    terminal.complain(
      laid.error.code === 'columns_unknown'
        ? `${file}: its heads are not those of a bank that we know (${laid.error.header.join(', ')}). Load it on the office’s page, which asks which column is which.`
        : `${file}: ${laid.error.message}`,
    )
    return 2
  }
  return say(laid.value, file, terminal)
}

const WORDS: Readonly<Record<Reconciled['as'], string>> = {
  matched: 'matched',
  differs: 'another amount',
  ambiguous: 'not sure',
  known: 'confirmed before',
  unmatched: 'nobody waits for it',
}
const FITS: ReadonlySet<Reconciled['as']> = new Set(['matched', 'known'])

/** As a compiler says it, so that an editor finds the line. */
function say({ lines, waiting, unread }: Statement, file: string, terminal: Terminal): Status {
  for (const { line, as, of, reference } of lines)
    terminal.print(
      `${file}:${line.line}: ${formatMoney(line.amount)} on ${formatDay(line.day)}, ${reference}: ${[WORDS[as], ...of].join(' ')}`,
    )
  for (const line of unread) terminal.print(`${file}:${line}: no amount can be read`)
  for (const { regNo, due, told } of waiting)
    terminal.print(
      `${regNo}: ${formatMoney(due)}, told as ${told?.reference ?? ''}: not in the statement`,
    )
  const isAll = lines.every(({ as }) => FITS.has(as)) && waiting.length + unread.length === 0
  return isAll ? 0 : 1
}
