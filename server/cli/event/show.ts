/** `rollcall event show`: prints an event as it reads after the check. */
import { flatSchema, publicEvent, toSchema, uiSchema } from '../../../engine/index.ts'
import { showEvent } from '../../../engine/authoring.ts'
import type { Command } from '../command.ts'
import { readArguments } from '../options.ts'
import { openEvent } from './open-event-file.ts'

const shared = { shared: { type: 'string' } } as const

const showHelp = `Usage: rollcall event show <file>

Prints an event file written out whole: every default filled in, every shared list in its place.

  --shared <folder>   where lists.yaml, gateways.yaml and texts.yaml are

Exit status: 0 done, 1 the file has errors, 2 asked wrongly, 3 our fault.`

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

Prints, as one JSON value, what the form becomes: "schema", the whole JSON Schema (draft-07) that the
server judges answers with; "flat", the one the browser draws from; "ui", its widgets and labels.

  --shared <folder>   where lists.yaml, gateways.yaml and texts.yaml are

Exit status: 0 done, 1 the file has errors, 2 asked wrongly, 3 our fault.`

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
