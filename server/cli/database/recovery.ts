/** `rollcall db recovery`: shows the state after a restore; starts or ends a recovery by hand. */
import { formatInstant, isHeldEmails } from '../../../engine/index.ts'
import type { HeldEmails } from '../../../engine/index.ts'
import { servingPid } from '../../storage/database/single-server-lock.ts'
import { beginNow } from '../../ops/recovery/start-recovery.ts'
import { sentencesOf, recoveryStatusOf } from '../../ops/recovery/recovery-status.ts'
import { readArguments } from '../options.ts'
import { atWork } from '../command-context.ts'
import type { AtWork } from '../command-context.ts'
import type { Command, Status, Terminal } from '../command.ts'

const text = { type: 'string' } as const

const HELP = `Usage: rollcall db recovery
       rollcall db recovery begin --who NAME [--why TEXT] [--again]
       rollcall db recovery end --who NAME --mails send|copy|discard

After an older copy of the database was restored, the installation is in recovery: new invoices and credit notes
use a new series; queued and automatic emails, refunds and erasure are held; the gateway is asked about every
pending payment, and a payment for an unknown order waits for a staff decision.

Without begin or end: shows the differences.

  begin   begins a recovery; stop every server first. rollcall db restore begins one, and so does a start that
          finds an older database than the last one in DATA_DIR. Needed after pg_restore with another DATA_DIR
  end     ends it: refunds and erasure continue, and the held emails are sent or discarded

  --who NAME    who begins or ends it, for the audit log
  --why TEXT    what happened
  --again       begins another recovery while one is open, because another older copy was restored
  --mails WHAT  which held emails are sent: all (send), those that were queued in the copy (copy), none (discard).
                The others report events from before the restore and may have been sent then

Exit status: 0 done; 1 an event file has errors, there is no recovery to end, or one is open already; 2 invalid
arguments, or a server is running; 3 internal error.`

export const recovering: Command = {
  help: HELP,
  run: async (args, terminal) => {
    const options = { who: text, why: text, mails: text, again: { type: 'boolean' } } as const
    const given = readArguments(args, options, [0, 1], HELP, terminal)
    if (given === null) return 2
    const [word] = given.positionals
    const { who = '', why = '', mails, again = false } = given.values
    switch (word) {
      case undefined:
        return atWork(terminal, (work) => show(work, terminal))
      case 'begin':
      case 'end': {
        if (who.trim() === '') return asked(terminal, `Say who ${word}s it: --who NAME.`)
        if (word === 'begin')
          return atWork(terminal, (work) => begin(work, { who, why, again }, terminal))
        return isHeldEmails(mails)
          ? atWork(terminal, (work) => end(work, { who, mails }, terminal))
          : asked(terminal, 'Say which of the held emails are sent: --mails send, copy or discard.')
      }
      default:
        return asked(terminal, `rollcall db recovery does not know "${word}".\n${HELP}`)
    }
  },
}

async function show(work: AtWork, terminal: Terminal): Promise<Status> {
  const standing = await recoveryStatusOf(
    work,
    work.events.all().map(({ config }) => config),
  )
  for (const sentence of sentencesOf(standing)) terminal.print(sentence)
  for (const { to, subject, at } of standing.figures.mails)
    terminal.print(`  held: ${formatInstant(at)}, ${to}: ${subject}`)
  for (const { code, begunAt, endedAt, endedBy } of standing.figures.past)
    terminal.print(
      `Ended: ${code}, ${formatInstant(begunAt)} to ${formatInstant(endedAt)}, by ${endedBy}.`,
    )
  return 0
}

async function begin(
  work: AtWork,
  { who, why, again }: { readonly who: string; readonly why: string; readonly again: boolean },
  terminal: Terminal,
): Promise<Status> {
  const { dataDir } = work.environment
  const pid = servingPid(dataDir)
  if (pid !== null) {
    terminal.complain(
      `A server is running on DATA_DIR ${dataDir} (process ${pid}): it may be sending emails and refunds. Stop it, run this command again, then start it. No recovery was begun.`,
    )
    return 2
  }
  const open = await work.store.recovery()
  if (open !== null && !again) {
    terminal.complain(
      `The installation is already in recovery ${open.code}, since ${formatInstant(open.begunAt)}. To see it, run rollcall db recovery. If an older copy was put back again since then, add --again: that ends this recovery and begins another, with another series of document numbers.`,
    )
    return 1
  }
  const said = why.trim() === '' ? 'An older copy was put back.' : why.trim()
  const { code } = await beginNow(work, { at: work.clock(), who, why: said, copyAt: null })
  terminal.print(
    `The installation is in recovery: numbers of documents have ${code} in them from now on. End it with rollcall db recovery end.`,
  )
  return 0
}

async function end(
  { store, clock }: AtWork,
  { who, mails }: { readonly who: string; readonly mails: HeldEmails },
  terminal: Terminal,
): Promise<Status> {
  const ended = await store.endRecovery({ at: clock(), who, mails })
  if (ended === null) {
    terminal.complain('The installation is not in recovery.')
    return 1
  }
  terminal.print(
    `The recovery has ended. Held emails: ${ended.sent} to be sent by the server, ${ended.discarded} discarded. Refunds and erasure go on.`,
  )
  return 0
}

function asked(terminal: Terminal, sentence: string): 2 {
  terminal.complain(sentence)
  return 2
}
