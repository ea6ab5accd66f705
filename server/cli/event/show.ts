/** `rollcall event show` and `event schema`: print an event with its defaults, or its JSON Schema. */
import { buildFlatSchema, toPublicEvent, toSchema, createUiSchema } from '../../../engine/index.ts'
import { showEvent } from '../../../engine/authoring.ts'
import type { Command } from '../command.ts'
import { parseArguments } from '../options.ts'
import { openEvent } from './open-event-file.ts'

const sharedOption = { shared: { type: 'string' } } as const

const eventShowHelp = `Usage: rollcall event show <file>

Prints an event file in full, with all defaults filled in and all shared lists expanded.

  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 done; 1 the file has errors; 2 invalid usage; 3 internal error.`

export const showCommand: Command = {
  help: eventShowHelp,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, sharedOption, [1, 1], eventShowHelp, terminal)
    if (parsed === null) return 2
    const openResult = await openEvent(parsed.positionals[0] ?? '', terminal, parsed.values.shared)
    if (!openResult.ok) return openResult.status
    terminal.print(showEvent(openResult.value.event).trimEnd())
    return openResult.value.status
  },
}

const schemaHelp = `Usage: rollcall event schema <file>

Prints the form as JSON: "schema", the JSON Schema (draft-07) that the server uses to validate answers;
"flat", the schema that the browser uses to build the form; "ui", the form's widgets and labels.

  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 done; 1 the file has errors; 2 invalid usage; 3 internal error.`

export const schemaCommand: Command = {
  help: schemaHelp,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, sharedOption, [1, 1], schemaHelp, terminal)
    if (parsed === null) return 2
    const openResult = await openEvent(parsed.positionals[0] ?? '', terminal, parsed.values.shared)
    if (!openResult.ok) return openResult.status
    const event = toPublicEvent(openResult.value.event)
    terminal.print(
      JSON.stringify(
        { schema: toSchema(event), flat: buildFlatSchema(event), ui: createUiSchema(event) },
        null,
        2,
      ),
    )
    return openResult.value.status
  },
}
