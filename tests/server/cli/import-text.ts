/** Reads CSV text in the same way as `rollcall registration import` reads a file. */
import { err } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { parseImport } from '../../../server/cli/registrations/import-csv-rows.ts'
import { LIST_LIMITS, readLines } from '../../../server/office/spreadsheets/parse-csv.ts'

export function readImportText(
  event: EventConfig,
  eventHash: string,
  text: string,
): ReturnType<typeof parseImport> {
  const lines = readLines(text, LIST_LIMITS)
  return lines.ok ? parseImport(event, eventHash, lines.value) : err([lines.error])
}
