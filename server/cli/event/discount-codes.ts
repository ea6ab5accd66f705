/**
 * `rollcall event discount-codes`: lists, creates and withdraws the discount codes of an event, with their uses.
 */
import { formatDay } from '../../../engine/index.ts'
import { wireCode } from '../../office/discount-codes/discount-code-routes.ts'
import { makeCodes, withdrawCode } from '../../office/discount-codes/create-discount-codes.ts'
import type { StoredCode } from '../../storage/index.ts'
import { readArguments } from '../options.ts'
import { atWork, eventAt } from '../command-context.ts'
import type { Command } from '../command.ts'

/** Recorded user of actions without a sign-in. */
const WHO = 'command line'

const help = `Usage: rollcall event discount-codes EVENT [--json]
       rollcall event discount-codes EVENT --make KIND [--count N] [--uses N] [--until DAY] [--note TEXT] [--code TEXT]
       rollcall event discount-codes EVENT --withdraw CODE

Lists the codes of an event: kind, uses by registrations that hold it now, last day, note. With --make it makes
some and prints them, one a line; with --withdraw nobody can use one any more; registrations that were made
with it keep what it gave.

  --make KIND      a kind of the event file's codes
  --count N        how many; left out: 1
  --uses N         how often each may be used; left out: once
  --until DAY      the last day on which they count, such as 2027-01-31; left out: without an end
  --note TEXT      what they are for, for the office only
  --code TEXT      one that is chosen instead of drawn; it is guessed more easily
  --json           one JSON value, as the office's call answers it

It may run while the server runs.

Exit status: 0 done, 1 it cannot be done so, 2 asked wrongly, 3 our fault.`

const text = { type: 'string' } as const

export const codesOf: Command = {
  help,
  run: async (args, terminal) => {
    const options = {
      make: text,
      count: text,
      uses: text,
      until: text,
      note: text,
      code: text,
      withdraw: text,
      json: { type: 'boolean' },
    } as const
    const given = readArguments(args, options, [1, 1], help, terminal)
    if (given === null) return 2
    const { make, withdraw, json = false, ...words } = given.values
    if (make !== undefined && withdraw !== undefined) {
      terminal.complain('Say either --make or --withdraw.')
      return 2
    }
    const [misplaced] = Object.keys(words)
    if (make === undefined && misplaced !== undefined) {
      terminal.complain(`--${misplaced} belongs to --make.`)
      return 2
    }
    return atWork(terminal, async (deps) => {
      const event = eventAt(deps, given.positionals[0] ?? '', terminal)
      if (event === null) return 2
      const done =
        make !== undefined
          ? await makeCodes(deps, event, { kind: make, ...words }, WHO)
          : withdraw !== undefined
            ? await withdrawCode(deps, event, withdraw, WHO)
            : null
      if (done !== null) {
        if (done.ok)
          terminal.print(typeof done.value === 'string' ? done.value : done.value.join('\n'))
        else terminal.complain(done.error.message)
        return done.ok ? 0 : done.error.code === 'bad_code' ? 2 : 1
      }
      const codes = await deps.store.codesOf(event.id, event.holdSeatsMs, deps.clock())
      terminal.print(
        json
          ? JSON.stringify(codes.map(wireCode), null, 2)
          : codes.length === 0
            ? `${event.title} has no codes yet.`
            : codes.map(shown).join('\n'),
      )
      return 0
    })
  },
}

function shown({ code, kind, uses, usesMax, lastDay, note, withdrawnAt }: StoredCode): string {
  return [
    code.padEnd(12),
    kind.padEnd(12),
    `${uses} of ${usesMax} used`,
    ...(lastDay === null ? [] : [`until ${formatDay(lastDay)}`]),
    ...(withdrawnAt === null ? [] : ['withdrawn']),
    ...(note === '' ? [] : [note]),
  ].join('  ')
}
