/** `rollcall event simulate`: prints an event's prices for all dates and categories. */
import {
  formatSimulation,
  simulatePrices,
  writeMissingExamples,
} from '../../../engine/authoring.ts'
import type { Command } from '../command.ts'
import { parseArguments } from '../options.ts'
import { openEvent } from './open-event-file.ts'

const help = `Usage: rollcall event simulate <file>

Prints the whole price table (base, tax and total for every category in every period) and who gets which category,
regardless of the order of the rules. Placeholder values are marked.

  --examples          print an example for each price that no example covers, to check and add under examples.cases
  --json              print JSON, with amounts in paise
  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 done; 1 the file has errors; 2 invalid usage; 3 internal error.`

export const simulateCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(
      args,
      { examples: { type: 'boolean' }, json: { type: 'boolean' }, shared: { type: 'string' } },
      [1, 1],
      help,
      terminal,
    )
    if (parsed === null) return 2
    const openResult = await openEvent(parsed.positionals[0] ?? '', terminal, parsed.values.shared)
    if (!openResult.ok) return openResult.status
    if (parsed.values.examples === true) {
      const lines = writeMissingExamples(openResult.value.event)
      terminal.print(
        lines.length === 0
          ? 'The examples state the price of every category in every period.'
          : lines.map((line) => `    ${line}`).join('\n'),
      )
      return openResult.value.status
    }
    const simulation = simulatePrices(openResult.value.event)
    terminal.print(
      parsed.values.json === true
        ? JSON.stringify(simulation, null, 2)
        : formatSimulation(openResult.value.event, simulation),
    )
    return openResult.value.status
  },
}
