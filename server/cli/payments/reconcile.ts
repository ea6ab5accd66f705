/** `rollcall payment reconcile`: polls pending payments now, or matches a bank statement or a settlement. */
import { formatDay, formatMoney, SETTLED_WITHIN_DAYS } from '../../../engine/index.ts'
import type { Reconciled } from '../../../engine/index.ts'
import { ALL_EVENTS_VIEWER } from '../../office/reconciliation/registration-numbers-in-statement.ts'
import { matchStatement } from '../../office/reconciliation/bank-statements.ts'
import type { Statement } from '../../office/reconciliation/bank-statements.ts'
import {
  matchSettlements,
  needsAttention,
  settlementIn,
} from '../../office/reconciliation/match-settlements.ts'
import type { EventSettlements } from '../../office/reconciliation/match-settlements.ts'
import {
  saveReport,
  findOwner,
  SETTLED_LABELS,
} from '../../office/reconciliation/settlement-import.ts'
import {
  formatFormerAccount,
  loadSettlementAccounts,
} from '../../office/reconciliation/settlement-account.ts'
import { formatProblem, STATEMENT_LIMITS } from '../../office/spreadsheets/parse-csv.ts'
import { readSheetFile } from '../../office/spreadsheets/read-spreadsheet.ts'
import { readArguments } from '../options.ts'
import { atWork, eventAt } from '../command-context.ts'
import type { AtWork } from '../command-context.ts'
import type { Command, Status, Terminal } from '../command.ts'

const HELP = `Usage: rollcall payment reconcile [EVENT FILE [--keep --who NAME]]

Without a file: asks the gateway about every pending payment and stores the answers: payments that arrived, payments
that were declined, and checkouts that nobody paid within a day. With GATEWAY_MODE=sandbox the server must run,
because its simulator answers.

With an event and a bank statement (CSV or Excel): shows which line pays for which registration, like the office's
page, and stores nothing. With a settlement report of the gateway: shows its payments, what differs, what is unknown
here, and what is paid but in no settlement. The server may be running.

  --keep      saves a settlement report; unknown payments then wait for a staff decision
  --who NAME  who saves it

Exit status: 0 done; with a file: everything in it matches. 1 an event file has errors; with a file: something is
uncertain or unmatched. 2 invalid usage; 3 internal error.`

export const reconcile: Command = {
  help: HELP,
  run: async (args, terminal) => {
    const options = { keep: { type: 'boolean' }, who: { type: 'string' } } as const
    const given = readArguments(args, options, [0, 2], HELP, terminal)
    if (given === null) return 2
    const [eventId, file] = given.positionals
    const { keep = false, who } = given.values
    if (eventId === undefined && !keep && who === undefined)
      return atWork(terminal, (work) => askAll(work, terminal))
    if (eventId === undefined || file === undefined) {
      terminal.complain(`The file is missing.\n${HELP.split('\n\n')[0]}`)
      return 2
    }
    if (keep !== (who !== undefined)) {
      terminal.complain('Say who keeps it: --keep --who NAME.')
      return 2
    }
    return atWork(terminal, (work) => compare(work, { eventId, file, who: who ?? null }, terminal))
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

/** `who` null: nothing is stored. */
type Asked = { readonly eventId: string; readonly file: string; readonly who: string | null }

async function compare(work: AtWork, asked: Asked, terminal: Terminal): Promise<Status> {
  const { eventId, file, who } = asked
  const event = eventAt(work, eventId, terminal)
  if (event === null) return 2
  const read = await readSheetFile(file, STATEMENT_LIMITS)
  if (read === null) {
    terminal.complain(`${file} cannot be read.`)
    return 2
  }
  if (!read.ok) {
    terminal.complain(formatProblem(file, read.error))
    return 2
  }
  const { bytes, lines: rows } = read.value
  const settlement = settlementIn(await loadSettlementAccounts(work.store, event), rows)
  if (settlement !== null) {
    const { of, report } = settlement
    const account = await matchSettlements(work, of, report, ALL_EVENTS_VIEWER)
    const status = saySettlement(event.id, account, file, terminal)
    if (who === null) return status
    const given = { file: bytes, lines: report.lines, who }
    const kept = await saveReport(work, event, of.reported, given, ALL_EVENTS_VIEWER)
    terminal.print(kept.message)
    return status
  }
  if (who !== null) {
    terminal.complain(`${file} is no settlement report of the gateway: nothing of it is kept.`)
    return 2
  }
  const laid = await matchStatement(work.store, event, rows, null)
  if (!laid.ok) {
    const { error } = laid
    terminal.complain(
      error.code === 'too_many_numbers'
        ? `${file}: ${error.message}`
        : `${file}: its heads are not those of a bank or a gateway that we know (${error.header.join(', ')}). Load it on the office’s page, which asks which column is which.`,
    )
    return 2
  }
  return say(laid.value, file, terminal)
}

/** Prints it line by line like a statement; then the transfers, and the payments not yet settled. */
function saySettlement(
  eventId: string,
  { settled, report, payouts, unsettled, current }: EventSettlements,
  file: string,
  terminal: Terminal,
): Status {
  for (const one of settled) {
    const { line, as, why } = one
    const name = line.reference === '' ? line.order : line.reference
    const words = [SETTLED_LABELS[as], findOwner(one)?.regNo, why].filter((word) => word != null)
    terminal.print(
      `${file}:${line.line}: ${formatMoney(line.amount)}, ${name}: ${words.join('; ')}`,
    )
  }
  for (const line of report?.unread ?? [])
    terminal.print(`${file}:${line}: it cannot be read, or is in another currency`)
  for (const { day, utr, lines, net } of payouts)
    terminal.print(
      `${[day === null ? null : formatDay(day), utr].filter(Boolean).join(', ')}: ${formatMoney(net)} to the bank for ${lines}`,
    )
  const open = unsettled.filter(({ money }) => money.eventId === eventId)
  for (const { money, days } of open) {
    const account = formatFormerAccount(current, money)
    terminal.print(
      `${money.regNo ?? money.reference}: ${formatMoney(money.amount)} paid ${days} days ago${account === null ? '' : ` through the account ${account}`}: in no settlement yet`,
    )
  }
  const isLate = open.some(({ days }) => days > SETTLED_WITHIN_DAYS)
  return settled.some(needsAttention) || isLate || (report?.unread.length ?? 0) > 0 ? 1 : 0
}

const WORDS: Readonly<Record<Reconciled['as'], string>> = {
  matched: 'matched',
  differs: 'another amount',
  ambiguous: 'not sure',
  known: 'confirmed before',
  elsewhere: 'another event',
  payout: 'the gateway’s transfer',
  returned: 'perhaps returned by the bank',
  unmatched: 'nobody waits for it',
}
const fits = ({ as, line, payout }: Reconciled): boolean =>
  as === 'matched' || as === 'known' || payout?.net === line.amount

/** In the format of a compiler, so that an editor finds the line. */
function say(
  { lines, openClaims: waiting, unread, repeated }: Statement,
  file: string,
  terminal: Terminal,
): Status {
  for (const { line, as, of, reference, payout, why } of lines) {
    const settled = payout === null ? [] : [`of ${formatMoney(payout.net)} for ${payout.lines}`]
    terminal.print(
      `${file}:${line.line}: ${formatMoney(line.amount)} on ${formatDay(line.day)}, ${reference}: ${[WORDS[as], ...settled, ...of].join(' ')}${why === null ? '' : `. ${why}`}`,
    )
  }
  for (const line of unread)
    terminal.print(`${file}:${line}: the amount, the currency or the day cannot be read`)
  for (const { line, first } of repeated)
    terminal.print(`${file}:${line}: the same as line ${first}, counted once`)
  for (const { regNo, due, told } of waiting)
    terminal.print(
      `${regNo}: ${formatMoney(due)}, told as ${told?.reference ?? ''}: not in the statement`,
    )
  const isAll = lines.every(fits) && waiting.length + unread.length === 0
  return isAll ? 0 : 1
}
