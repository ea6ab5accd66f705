/** `rollcall event simulate`: prints an event's prices over all its days and categories. */
import { formatSimulation, simulate } from '../../../engine/authoring.ts'
import type { Command } from '../command.ts'
import { parseArguments } from '../options.ts'
import { openEvent } from './open-event-file.ts'

const help = `Usage: rollcall event simulate <file>

Prints the whole price table (base, tax and total of every category in every period) and who gets which category,
whatever the order of the rules. Placeholder values are marked.

  --json              print JSON, amounts in paise
  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 done; 1 the file has errors; 2 invalid usage; 3 internal error.`

export const simulateCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(
      args,
      { json: { type: 'boolean' }, shared: { type: 'string' } },
      [1, 1],
      help,
      terminal,
    )
    if (parsed === null) return 2
    const openResult = await openEvent(parsed.positionals[0] ?? '', terminal, parsed.values.shared)
    if (!openResult.ok) return openResult.status
    const simulation = simulate(openResult.value.event)
    terminal.print(
      parsed.values.json === true
        ? JSON.stringify(simulation, null, 2)
        : formatSimulation(openResult.value.event, simulation),
    )
    return openResult.value.status
  },
}
