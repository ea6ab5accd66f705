/** `rollcall registration import`: imports registrations from another system's CSV file. */
import { assertNever, err, isRegNo } from '../../../engine/index.ts'
import type { EventConfig, RegNo } from '../../../engine/index.ts'
import type { Command } from '../command.ts'
import { EVENT_FILES_LOG } from '../command-context.ts'
import { createClock } from '../../ops/clock.ts'
import { LIST_LIMITS, formatProblem } from '../../office/spreadsheets/parse-csv.ts'
import { readSheetFile } from '../../office/spreadsheets/read-spreadsheet.ts'
import { parseImport } from './import-csv-rows.ts'
import { getCacheFolder } from '../../events/files/compiled-event-cache.ts'
import { openRegistry } from '../../events/event-registry.ts'
import { drawRegNo } from '../../registration/create-registration.ts'
import { showProgress } from '../progress-line.ts'
import { openStore } from '../../storage/open-store.ts'
import type { ImportRefusal } from '../../storage/index.ts'

const help = `Usage: rollcall registration import <event> <file.csv>

Imports registrations that were made elsewhere. The first line contains the column names: field ids of the event file,
other stored values, and reg_no, category, period, base_amount, gst_amount, final_amount, payment_status,
payment_id, payment_date, created_at; a column <name>_display may contain labels. The column headings of the event's
own CSV export work too. Base and GST may be missing. A row whose amount paid less amount refunded is not the price
is rejected, because an import stores one payment of the price.

A payment_id can pay for only one registration: a second row with the same payment_id is rejected, and so is a
payment_id that is already recorded. Leave the cell empty if one payment paid for several registrations.

If a row has an error, nothing is stored, and each error is listed with its line. Importing the same file twice changes
nothing; a number that is already stored with different answers is rejected. Each registration gets a new number
that cannot be guessed. Staff can also find the registration by its old number; a delegate who opens an old link is
asked for their email address.

DATA_DIR and EVENTS_DIR are the folders of the database and the event files.

Exit status: 0 done; 1 rows with errors; 2 invalid usage; 3 internal error.`

export const importCommand: Command = {
  help,
  run: async (args, terminal) => {
    const [eventId, file, ...extraArguments] = args
    if (
      eventId === undefined ||
      file === undefined ||
      extraArguments.length > 0 ||
      args.some((arg) => arg.startsWith('--'))
    ) {
      terminal.printError(help)
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    const sheet = await readSheetFile(file, LIST_LIMITS)
    if (sheet === null) {
      terminal.printError(`The file ${file} cannot be read.`)
      return 2
    }
    const clock = createClock(environment.clockStart)
    const store = await openStore(environment)
    const openResult = await openRegistry({
      folder: environment.eventsDir,
      cacheFolder: getCacheFolder(environment.dataDir),
      store,
      clock,
      log: EVENT_FILES_LOG,
      print: terminal.printError,
      production: environment.production,
      isWatching: false,
    })
    try {
      if (!openResult.ok) {
        terminal.printError(openResult.error)
        return 1
      }
      const servedEvent = openResult.value.findById(eventId)
      if (servedEvent === null) {
        terminal.printError(
          `No event "${eventId}". Events: ${openResult.value
            .all()
            .map(({ config }) => config.id)
            .join(', ')}.`,
        )
        return 2
      }
      const parseResult = sheet.ok
        ? await showProgress(terminal, async () =>
            parseImport(servedEvent.config, servedEvent.hash, sheet.value.lines),
          )
        : err([sheet.error])
      if (!parseResult.ok) {
        for (const problem of parseResult.error) terminal.printError(formatProblem(file, problem))
        terminal.printError(`Nothing was imported.`)
        return 1
      }
      const { config } = servedEvent
      const rows = parseResult.value.map(({ row }) => ({
        ...row,
        regNo: chooseRegNo(config, row.formerNo),
      }))
      const result = await showProgress(terminal, () => store.importRegistrations(rows))
      if (!result.ok) {
        const { formerNo } = result.error
        const line = parseResult.value.find(({ row }) => row.formerNo === formerNo)?.line ?? null
        terminal.printError(formatProblem(file, { line, message: formatRefusal(result.error) }))
        terminal.printError(`Nothing was imported.`)
        return 1
      }
      const { added, unchanged } = result.value
      terminal.print(
        `${formatCount(added)} imported into ${servedEvent.config.title}${unchanged > 0 ? `; ${formatCount(unchanged)} already existed` : ''}.`,
      )
      return 0
    } finally {
      if (openResult.ok) await openResult.value.close()
      await store.close()
    }
  },
}

function formatRefusal(refusal: ImportRefusal): string {
  const { formerNo } = refusal
  switch (refusal.code) {
    case 'differs':
      return `${formerNo} is already stored with other data.`
    case 'reg_no_taken':
      return `No free registration number was found for ${formerNo}. Run the command again.`
    case 'payment_known':
      return `payment_id: ${refusal.why}`
    default:
      return assertNever(refusal)
  }
}

/**
 * Chooses a registration number. Other systems use consecutive numbers, which can be guessed, so each row gets a random
 * number. A number in Rollcall's format comes from an export of this event and is kept, because the delegate already
 * has it.
 */
function chooseRegNo(event: EventConfig, formerNo: string): RegNo {
  return isRegNo(event, formerNo) ? formerNo : drawRegNo(event)
}

const formatCount = (number: number): string => `${number} registration${number === 1 ? '' : 's'}`
