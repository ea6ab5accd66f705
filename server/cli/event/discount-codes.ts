/** `rollcall event discount-codes`: lists, creates and withdraws an event's discount codes, with their uses. */
import { formatDay } from '../../../engine/index.ts'
import { readCodes, toWireCode } from '../../office/discount-codes/discount-code-rows.ts'
import { createCodes, withdrawCode } from '../../office/discount-codes/create-discount-codes.ts'
import type { StoredCode } from '../../storage/index.ts'
import { parseArguments } from '../options.ts'
import { withContext, findEvent } from '../command-context.ts'
import type { Command } from '../command.ts'

/** Commands have no sign-in, so the audit log records this user. */
const AUDIT_USER = 'command line'

const help = `Usage: rollcall event discount-codes EVENT [--json]
       rollcall event discount-codes EVENT --make KIND [--count N] [--uses N] [--until DAY] [--note TEXT] [--code TEXT]
       rollcall event discount-codes EVENT --withdraw CODE

Lists the discount codes of an event, the newest first: kind, current uses, last day, note. --make creates codes and prints them, one
per line. --withdraw ends a code; registrations that already used it keep their discount.

  --make KIND      a kind of code in the event file
  --count N        how many codes; default 1
  --uses N         uses per code; default 1
  --until DAY      last valid day, such as 2027-01-31; default: none
  --note TEXT      purpose, visible to staff only
  --code TEXT      your own code instead of a random one; easier to guess
  --json           print JSON

You can run this command while the server is running.

Exit status: 0 done; 1 refused, with the reason; 2 invalid usage; 3 internal error.`

const stringOption = { type: 'string' } as const

export const discountCodesCommand: Command = {
  help,
  run: async (args, terminal) => {
    const options = {
      make: stringOption,
      count: stringOption,
      uses: stringOption,
      until: stringOption,
      note: stringOption,
      code: stringOption,
      withdraw: stringOption,
      json: { type: 'boolean' },
    } as const
    const parsed = parseArguments(args, options, [1, 1], help, terminal)
    if (parsed === null) return 2
    const { make, withdraw, json = false, ...codeOptions } = parsed.values
    if (make !== undefined && withdraw !== undefined) {
      terminal.printError('Use either --make or --withdraw, not both.')
      return 2
    }
    const [misplacedOption] = Object.keys(codeOptions)
    if (make === undefined && misplacedOption !== undefined) {
      terminal.printError(`--${misplacedOption} needs --make.`)
      return 2
    }
    return withContext(terminal, async (deps) => {
      const event = findEvent(deps, parsed.positionals[0] ?? '', terminal)
      if (event === null) return 2
      const result =
        make !== undefined
          ? await createCodes(deps, event, { kind: make, ...codeOptions }, AUDIT_USER)
          : withdraw !== undefined
            ? await withdrawCode(deps, event, withdraw, AUDIT_USER)
            : null
      if (result !== null) {
        if (result.ok)
          terminal.print(typeof result.value === 'string' ? result.value : result.value.join('\n'))
        else terminal.printError(result.error.message)
        return result.ok ? 0 : result.error.code === 'bad_code' ? 2 : 1
      }
      const codes: StoredCode[] = []
      for await (const chunk of readCodes(deps, event)) codes.push(...chunk)
      terminal.print(
        json
          ? JSON.stringify(
              codes.map((code) => toWireCode(event, code)),
              null,
              2,
            )
          : codes.length === 0
            ? `${event.title} has no codes yet.`
            : codes.map(formatCode).join('\n'),
      )
      return 0
    })
  },
}

function formatCode({ code, kind, uses, usesMax, lastDay, note, withdrawnAt }: StoredCode): string {
  return [
    code.padEnd(12),
    kind.padEnd(12),
    `${uses} of ${usesMax} used`,
    ...(lastDay === null ? [] : [`until ${formatDay(lastDay)}`]),
    ...(withdrawnAt === null ? [] : ['withdrawn']),
    ...(note === '' ? [] : [note]),
  ].join('  ')
}
