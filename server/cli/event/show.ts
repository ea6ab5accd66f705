/** `rollcall event show`: prints an event as it reads after the check. */
import { flatSchema, publicEvent, toSchema, uiSchema } from '../../../engine/index.ts'
import { showEvent } from '../../../engine/authoring.ts'
import type { Command } from '../command.ts'
import { readArguments } from '../options.ts'
import { openEvent } from './open-event-file.ts'

const shared = { shared: { type: 'string' } } as const

const showHelp = `Usage: rollcall event show <file>

Prints an event file in full: with every default filled in and every shared list in its place.

  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 done; 1 the file has errors; 2 invalid usage; 3 internal error.`

export const showing: Command = {
  help: showHelp,
  run: async (args, terminal) => {
    const given = readArguments(args, shared, [1, 1], showHelp, terminal)
    if (given === null) return 2
    const opened = await openEvent(given.positionals[0] ?? '', terminal, given.values.shared)
    if (!opened.ok) return opened.status
    terminal.print(showEvent(opened.value.event).trimEnd())
    return opened.value.status
  },
}

const schemaHelp = `Usage: rollcall event schema <file>

Prints as JSON what the form becomes: "schema", the JSON Schema (draft-07) with which the server validates answers;
"flat", the one from which the browser draws the form; "ui", its widgets and labels.

  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 done; 1 the file has errors; 2 invalid usage; 3 internal error.`

export const schema: Command = {
  help: schemaHelp,
  run: async (args, terminal) => {
    const given = readArguments(args, shared, [1, 1], schemaHelp, terminal)
    if (given === null) return 2
    const opened = await openEvent(given.positionals[0] ?? '', terminal, given.values.shared)
    if (!opened.ok) return opened.status
    const event = publicEvent(opened.value.event)
    terminal.print(
      JSON.stringify(
        { schema: toSchema(event), flat: flatSchema(event), ui: uiSchema(event) },
        null,
        2,
      ),
    )
    return opened.value.status
  },
}
