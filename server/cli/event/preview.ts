/** `rollcall event preview`: writes an event's pages to files, without a server. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { renderPreview } from '../../../engine/authoring.ts'
import type { Command } from '../command.ts'
import { parseArguments } from '../options.ts'
import { openEvent } from './open-event-file.ts'

const help = `Usage: rollcall event preview <file> [--out <folder>]

Writes static pages for each worked example in the file: the form with its answers, the summary, both result pages,
the receipt, the email, and an index with the price list. The pages have no script and need no server: open
preview/index.html.

  --out <folder>      folder for the pages; default preview
  --shared <folder>   folder of lists.yaml, gateways.yaml and texts.yaml

Exit status: 0 written; 1 the file has errors; 2 invalid usage; 3 internal error.`

export const previewCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(
      args,
      { out: { type: 'string' }, shared: { type: 'string' } },
      [1, 1],
      help,
      terminal,
    )
    if (parsed === null) return 2
    const openResult = await openEvent(parsed.positionals[0] ?? '', terminal, parsed.values.shared)
    if (!openResult.ok) return openResult.status
    const { out = 'preview' } = parsed.values
    const pages = renderPreview(openResult.value.event)
    await mkdir(out, { recursive: true })
    await Promise.all(pages.map(({ name, html }) => writeFile(path.join(out, name), html)))
    const pageCount = pages.length === 1 ? 'One page was' : `${pages.length} pages were`
    const advice =
      pages.length === 1 ? ' Add examples to the event file to see the form and the emails.' : ''
    terminal.print(`${pageCount} written. Open ${path.join(out, 'index.html')}.${advice}`)
    return openResult.value.status
  },
}
