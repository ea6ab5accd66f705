/** `rollcall payment reconcile`: polls pending payments now, or matches a bank statement or a settlement. */
import {
  INR,
  formatDay,
  formatLineReference,
  formatMoney,
  SETTLED_WITHIN_DAYS,
  listCurrenciesOfEvent,
} from '../../../engine/index.ts'
import type { ReconciledLine } from '../../../engine/index.ts'
import { buildViewer } from '../../office/reconciliation/registration-numbers-in-statement.ts'
import { matchStatement } from '../../office/reconciliation/match-statement.ts'
import { getStatementCurrency } from '../../office/reconciliation/column-mapping.ts'
import type { MatchedStatement } from '../../office/reconciliation/match-statement.ts'
import {
  matchSettlements,
  findHandling,
  needsAttention,
  readReportedSettlement,
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
import { parseArguments } from '../options.ts'
import { withContext, findEvent } from '../command-context.ts'
import type { CommandContext } from '../command-context.ts'
import type { Command, Status, Terminal } from '../command.ts'

const HELP = `Usage: rollcall payment reconcile [EVENT FILE [--currency CODE] [--keep --who NAME]]

Without a file: queries the gateway about every pending payment and stores the results: paid, declined, or expired
after a day. With GATEWAY_MODE=sandbox the server must be running, because it hosts the gateway simulator.

With an event and a bank statement (CSV or Excel): shows which line pays for which registration, like the Bank
statements page of the office, and stores nothing. With a settlement report of the gateway: shows its payments,
differences, unknown payments, and payments that are not in any settlement. You can run this
command while the server is running.

  --currency CODE  the account's currency, if the event has prices in several; default: the event's currency
  --keep           saves a settlement report; unknown payments then wait for a staff decision
  --who NAME       your name, for the audit log

Exit status: 0 done; with a file: everything in it matches. 1 an event file has errors; with a file: something is
uncertain or unmatched. 2 invalid usage; 3 internal error.`

export const reconcileCommand: Command = {
  help: HELP,
  run: async (args, terminal) => {
    const options = {
      keep: { type: 'boolean' },
      who: { type: 'string' },
      currency: { type: 'string' },
    } as const
    const parsed = parseArguments(args, options, [0, 2], HELP, terminal)
    if (parsed === null) return 2
    const [eventId, file] = parsed.positionals
    const { keep = false, who: user, currency } = parsed.values
    if (eventId === undefined && !keep && user === undefined)
      return withContext(terminal, (context) => queryPending(context, terminal))
    if (eventId === undefined || file === undefined) {
      terminal.printError(`The file is missing.\n${HELP.split('\n\n')[0]}`)
      return 2
    }
    if (keep !== (user !== undefined)) {
      terminal.printError('Specify who saves it: --keep --who NAME.')
      return 2
    }
    return withContext(terminal, (context) =>
      matchFile(context, { eventId, file, who: user ?? null, currency }, terminal),
    )
  },
}

async function queryPending({ payments }: CommandContext, terminal: Terminal): Promise<Status> {
  const { queriedCount, finalCount } = await payments.queryDue(true)
  terminal.print(
    queriedCount === 0
      ? 'No payment is pending.'
      : `Queried ${queriedCount} pending ${queriedCount === 1 ? 'payment' : 'payments'}: ${finalCount} resolved, ${queriedCount - finalCount} still pending.`,
  )
  return 0
}

/** A file to match with an event. If `who` is null, nothing is stored. */
type StatementRequest = {
  readonly eventId: string
  readonly file: string
  readonly who: string | null
  /** The account's currency; undefined means the event's. */
  readonly currency: string | undefined
}

async function matchFile(
  context: CommandContext,
  request: StatementRequest,
  terminal: Terminal,
): Promise<Status> {
  const { eventId, file, who: user } = request
  const event = findEvent(context, eventId, terminal)
  if (event === null) return 2
  const sheet = await readSheetFile(file, STATEMENT_LIMITS)
  if (sheet === null) {
    terminal.printError(`${file} cannot be read.`)
    return 2
  }
  if (!sheet.ok) {
    terminal.printError(formatProblem(file, sheet.error))
    return 2
  }
  const { bytes, lines: rows } = sheet.value
  const settlement = await readReportedSettlement(
    context.store,
    await loadSettlementAccounts(context.store, event),
    rows,
  )
  if (settlement !== null) {
    const { settlementAccounts, report } = settlement
    const viewer = buildViewer(context, { events: null })
    const account = await matchSettlements(context, settlementAccounts, report, viewer)
    const status = printSettlement(event.id, account, file, terminal)
    if (user === null) return status
    const upload = { file: bytes, lines: report.lines, who: user }
    const saveResult = await saveReport(
      context,
      event,
      settlementAccounts.reportAccount,
      upload,
      viewer,
    )
    terminal.print(saveResult.message)
    return status
  }
  if (user !== null) {
    terminal.printError(`${file} is not a settlement report of the gateway, so nothing was saved.`)
    return 2
  }
  const currency = getStatementCurrency(event, request.currency)
  if (currency === null) {
    terminal.printError(`--currency must be ${listCurrenciesOfEvent(event).join(' or ')}.`)
    return 2
  }
  const matchResult = await matchStatement(context.store, event, rows, null, currency)
  if (!matchResult.ok) {
    const { error } = matchResult
    terminal.printError(
      error.code === 'too_many_numbers'
        ? `${file}: ${error.message}`
        : `${file}: its column headings are not recognised (${error.header.join(', ')}). Upload it in the office, where you can choose the columns.`,
    )
    return 2
  }
  return printStatement(matchResult.value, file, terminal)
}

/** Prints each line, then the payouts, then the payments that are not settled yet. */
function printSettlement(
  eventId: string,
  { settled, report, payouts, unsettledPayments: unsettled, current }: EventSettlements,
  file: string,
  terminal: Terminal,
): Status {
  for (const settledLine of settled) {
    const { line, as: outcome, why: reason } = settledLine
    const name = line.reference === '' ? line.order : line.reference
    const handledBy = findHandling(settledLine)
    const labels = [
      SETTLED_LABELS[handledBy === null ? outcome : 'handled'],
      findOwner(settledLine)?.regNo,
      handledBy === null ? reason : `${handledBy.who}: ${handledBy.why}`,
    ].filter((part) => part != null)
    terminal.print(
      `${file}:${line.line}: ${formatMoney(line.amount, INR)}, ${name}: ${labels.join('; ')}`,
    )
  }
  for (const line of report?.unread ?? [])
    terminal.print(`${file}:${line}: the line cannot be read, or is in a different currency`)
  for (const { day, utr, lines, net } of payouts)
    terminal.print(
      `${[day === null ? null : formatDay(day), utr].filter(Boolean).join(', ')}: ${formatMoney(net, INR)} to the bank for ${lines}`,
    )
  const openPayments = unsettled.filter(({ money }) => money.eventId === eventId)
  for (const { money, days } of openPayments) {
    const account = formatFormerAccount(current, money)
    terminal.print(
      `${money.regNo ?? money.reference}: ${formatMoney(money.amount, money.currency)} paid ${days} days ago${account === null ? '' : `, account ${account}`}: not in any settlement yet`,
    )
  }
  const isLate = openPayments.some(({ days }) => days > SETTLED_WITHIN_DAYS)
  const isOpen = settled.some((line) => needsAttention(line) && findHandling(line) === null)
  return isOpen || isLate || (report?.unread.length ?? 0) > 0 ? 1 : 0
}

const RESULT_LABELS: Readonly<Record<ReconciledLine['as'], string>> = {
  matched: 'matched',
  differs: 'different amount',
  ambiguous: 'uncertain',
  known: 'already confirmed',
  elsewhere: 'another event',
  payout: 'the gateway’s transfer',
  returned: 'perhaps returned by the bank',
  unmatched: 'unmatched',
}
const isResolved = ({ as: outcome, line, payout }: ReconciledLine): boolean =>
  outcome === 'matched' || outcome === 'known' || payout?.net === line.amount

/** Prints lines in the format of compiler messages, so that an editor can jump to them. */
function printStatement(
  { currency, lines, openClaims, unread: unreadableLines, repeated }: MatchedStatement,
  file: string,
  terminal: Terminal,
): Status {
  for (const { line, as: outcome, of, reference, payout, why: reason } of lines) {
    const payoutText =
      payout === null ? [] : [`of ${formatMoney(payout.net, INR)} for ${payout.lines}`]
    terminal.print(
      `${file}:${line.line}: ${formatMoney(line.amount, currency)} on ${formatDay(line.day)}, ${formatLineReference(reference)}: ${[RESULT_LABELS[outcome], ...payoutText, ...of].join(' ')}${reason === null ? '' : `. ${reason}`}`,
    )
  }
  for (const line of unreadableLines)
    terminal.print(`${file}:${line}: the amount, the currency or the date cannot be read`)
  for (const { line, first } of repeated)
    terminal.print(`${file}:${line}: the same as line ${first}, counted once`)
  for (const { regNo, due, claim } of openClaims)
    terminal.print(
      `${regNo}: ${formatMoney(due, currency)}, reported as ${claim?.reference ?? ''}: not in the statement`,
    )
  const areAllResolved = lines.every(isResolved) && openClaims.length + unreadableLines.length === 0
  return areAllResolved ? 0 : 1
}
