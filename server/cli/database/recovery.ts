/** `rollcall db recovery`: shows the state after a restore; starts or ends a recovery manually. */
import { formatInstant, isHeldEmails } from '../../../engine/index.ts'
import type { HeldEmails } from '../../../engine/index.ts'
import { findServingPid } from '../../storage/database/single-server-lock.ts'
import { beginRecovery } from '../../ops/recovery/start-recovery.ts'
import { describeRecovery, readRecoveryStatus } from '../../ops/recovery/recovery-status.ts'
import { parseArguments } from '../options.ts'
import { withContext } from '../command-context.ts'
import type { CommandContext } from '../command-context.ts'
import type { Command, Status, Terminal } from '../command.ts'

const stringOption = { type: 'string' } as const

const HELP = `Usage: rollcall db recovery
       rollcall db recovery begin --who NAME [--why TEXT] [--again]
       rollcall db recovery end --who NAME --mails send|copy|discard

After an older copy of the database was restored, the installation is in recovery: new invoices and credit notes
use a new series; queued and automatic emails, refunds and erasure are held; the gateway is queried about every
pending payment, and a payment for an unknown order needs a staff decision.

Without begin or end: shows the differences.

  begin   begins a recovery; stop every server first. rollcall db restore begins one automatically, and so does the
          server if it finds that the database in DATA_DIR is older than before. Use this command after pg_restore
          with another DATA_DIR
  end     ends the recovery: refunds and erasure continue, and the held emails are sent or discarded

  --who NAME    your name, for the audit log
  --why TEXT    the reason, for the audit log
  --again       begins another recovery while one is open, because another older copy was restored
  --mails WHAT  which held emails are sent: all (send), those that were queued in the copy (copy), none (discard).
                The others report events from before the restore and may already have been sent

Exit status: 0 done; 1 an event file has errors, there is no recovery to end, or one is open already; 2 invalid
arguments, or a server is running; 3 internal error.`

export const recoveryCommand: Command = {
  help: HELP,
  run: async (args, terminal) => {
    const options = {
      who: stringOption,
      why: stringOption,
      mails: stringOption,
      again: { type: 'boolean' },
    } as const
    const parsed = parseArguments(args, options, [0, 1], HELP, terminal)
    if (parsed === null) return 2
    const [subcommand] = parsed.positionals
    const {
      who: user = '',
      why: reason = '',
      mails,
      again: canStartAnother = false,
    } = parsed.values
    switch (subcommand) {
      case undefined:
        return withContext(terminal, (context) => showRecovery(context, terminal))
      case 'begin':
      case 'end': {
        if (user.trim() === '')
          return failUsage(terminal, `Specify who ${subcommand}s the recovery: --who NAME.`)
        if (subcommand === 'begin')
          return withContext(terminal, (context) =>
            startRecovery(context, { who: user, why: reason, again: canStartAnother }, terminal),
          )
        return isHeldEmails(mails)
          ? withContext(terminal, (context) =>
              finishRecovery(context, { who: user, mails }, terminal),
            )
          : failUsage(
              terminal,
              'Specify which of the held emails to send: --mails send, copy or discard.',
            )
      }
      default:
        return failUsage(
          terminal,
          `Unknown argument "${subcommand}" for rollcall db recovery.\n${HELP}`,
        )
    }
  },
}

async function showRecovery(context: CommandContext, terminal: Terminal): Promise<Status> {
  const status = await readRecoveryStatus(
    context,
    context.events.all().map(({ config }) => config),
  )
  for (const sentence of describeRecovery(status)) terminal.print(sentence)
  for (const { to, subject, at } of status.figures.mails)
    terminal.print(`  held: ${formatInstant(at)}, ${to}: ${subject}`)
  for (const { code, begunAt, endedAt, endedBy } of status.figures.past)
    terminal.print(
      `Ended: ${code}, ${formatInstant(begunAt)} to ${formatInstant(endedAt)}, by ${endedBy}.`,
    )
  return 0
}

async function startRecovery(
  context: CommandContext,
  {
    who: user,
    why: explanation,
    again: canStartAnother,
  }: { readonly who: string; readonly why: string; readonly again: boolean },
  terminal: Terminal,
): Promise<Status> {
  const { dataDir } = context.environment
  const pid = findServingPid(dataDir)
  if (pid !== null) {
    terminal.printError(
      `A server is running on DATA_DIR ${dataDir} (process ${pid}): it may be sending emails and refunds. Stop it, run this command again, then start it. No recovery was started.`,
    )
    return 2
  }
  const current = await context.store.recovery()
  if (current !== null && !canStartAnother) {
    terminal.printError(
      `The installation is already in recovery ${current.code}, since ${formatInstant(current.begunAt)}. To see it, run rollcall db recovery. If another older copy was restored since then, add --again: this ends the current recovery and begins another one with another series of document numbers.`,
    )
    return 1
  }
  const reason =
    explanation.trim() === ''
      ? 'The database was restored from an older backup.'
      : explanation.trim()
  const { code } = await beginRecovery(context, {
    at: context.clock(),
    who: user,
    why: reason,
    copyAt: null,
  })
  terminal.print(
    `The installation is in recovery: numbers of new documents contain ${code}. End it with rollcall db recovery end.`,
  )
  return 0
}

async function finishRecovery(
  { store, clock }: CommandContext,
  { who: user, mails }: { readonly who: string; readonly mails: HeldEmails },
  terminal: Terminal,
): Promise<Status> {
  const result = await store.endRecovery({ at: clock(), who: user, mails })
  if (result === null) {
    terminal.printError('The installation is not in recovery.')
    return 1
  }
  terminal.print(
    `The recovery has ended. Held emails: ${result.sent} to be sent by the server, ${result.discarded} discarded. Refunds and erasure continue.`,
  )
  return 0
}

function failUsage(terminal: Terminal, sentence: string): 2 {
  terminal.printError(sentence)
  return 2
}
