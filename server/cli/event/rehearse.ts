/** `rollcall event rehearse`: runs an event under a test clock and prints a calendar of its effects. */
import type { WireRehearsedDay } from '../../../engine/api.ts'
import { rehearseEvent } from '../../rehearsal/rehearse-event.ts'
import type { Command } from '../command.ts'
import { parseArguments } from '../options.ts'
import { showProgress } from '../progress-line.ts'
import { findSharedFolder, openEvent } from './open-event-file.ts'

const help = `Usage: rollcall event rehearse <file>

Runs the event from before its first day until after its last, on a separate server, with a test clock and invented
delegates: some pay, one leaves before paying, one cancels, one arrives at the front desk. Prints, day by day, what
opens and closes, what is charged, refused and refunded, and each email that is sent. Nothing leaves this computer.
The member lists of the rehearsal contain an invented row for each member. Discount codes are not used.

  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 done; 1 the file has errors; 2 invalid usage; 3 internal error.`

export const rehearseCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, { shared: { type: 'string' } }, [1, 1], help, terminal)
    if (parsed === null) return 2
    const openResult = await openEvent(parsed.positionals[0] ?? '', terminal, parsed.values.shared)
    if (!openResult.ok) return openResult.status
    const { event, file } = openResult.value
    const sharedFolder = findSharedFolder(file.path, terminal, parsed.values.shared)
    const rehearsalResult = await showProgress(terminal, () =>
      rehearseEvent({ event, text: file.text, sharedFolder }),
    )
    if (!rehearsalResult.ok) {
      terminal.printError(rehearsalResult.error)
      return 1
    }
    terminal.print(formatRehearsal(event.title, rehearsalResult.value).join('\n'))
    return openResult.value.status
  },
}

/** Formats the calendar as text, with a heading for each day. */
export function formatRehearsal(
  title: string,
  days: readonly WireRehearsedDay[],
): readonly string[] {
  return [
    `Rehearsal of ${title}. All times are in Indian time.`,
    ...days.flatMap(({ day, steps }) => [
      '',
      day,
      ...steps.map(({ time, text }) => `  ${time.padStart(8)}  ${text}`),
    ]),
  ]
}
