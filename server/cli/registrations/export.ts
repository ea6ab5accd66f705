/** `rollcall registration export`: writes an event's registrations as CSV, one row each or one per listed person. */
import { listExportColumns, buildSalesColumns } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { formatCsvRows } from '../../office/spreadsheets/write-csv.ts'
import type { CsvCell } from '../../office/spreadsheets/write-csv.ts'
import { createFileCellBuilder, buildPersonRows } from '../../office/lists/list-rows.ts'
import { reportProgress } from '../../ops/progress.ts'
import type { ListedRegistration, Store } from '../../storage/index.ts'
import { parseArguments } from '../options.ts'
import { withContext, findEvent } from '../command-context.ts'
import { showProgress } from '../progress-line.ts'
import type { Command, Terminal } from '../command.ts'

/** Commands have no sign-in, so the audit log records this user. */
const AUDIT_USER = 'command line'

const help = `Usage: rollcall registration export <event> [--per <field>]

Prints all registrations of an event as CSV, newest first: the columns of its first office list, then the items of
each registration with quantity and amount. You can run this command while the server is
running.

  --per <field>   one row for each person of a list field: number, name, category and payment of the registration,
                  and the person's answers

Exit status: 0 done; 2 invalid usage; 3 internal error.`

export const exportCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, { per: { type: 'string' } }, [1, 1], help, terminal)
    if (parsed === null) return 2
    const { per } = parsed.values
    return withContext(terminal, async (deps) => {
      const event = findEvent(deps, parsed.positionals[0] ?? '', terminal)
      if (event === null) return 2
      const table = per === undefined ? buildRegistrationTable(event) : buildPersonTable(event, per)
      if (table === null) {
        const peopleFieldIds = event.fields
          .filter(({ type }) => type === 'people')
          .map(({ id }) => id)
        terminal.printError(
          `No field "${per}" lists people.${peopleFieldIds.length === 0 ? ' This event has none.' : ` Fields that do: ${peopleFieldIds.join(', ')}.`}`,
        )
        return 2
      }
      await deps.store.addAuditEntry({
        at: deps.clock(),
        who: AUDIT_USER,
        what: per === undefined ? 'exported the registrations' : `exported the people of ${per}`,
        eventId: event.id,
        regNo: null,
      })
      terminal.print(formatCsvRows([table.headings], true).replace(/\n$/, ''))
      await showProgress(terminal, () => printRows(deps.store, event, table, terminal))
      return 0
    })
  },
}

async function printRows(
  store: Store,
  event: EventConfig,
  table: Table,
  terminal: Terminal,
): Promise<void> {
  const query = { eventId: event.id, answers: {} }
  const { registrations } = await store.operatingFigures()
  const total = registrations
    .filter((eventCount) => eventCount.event === event.id)
    .reduce((sum, { count }) => sum + count, 0)
  let exportedCount = 0
  for await (const chunk of store.exportRows(query)) {
    // If the rows are printed to a terminal, a progress line would get mixed up with them.
    if (!process.stdout.isTTY)
      reportProgress({ step: 'Writing registrations', done: exportedCount, total })
    const rows = chunk.flatMap(table.rows)
    if (rows.length > 0) terminal.print(formatCsvRows(rows, false).replace(/\n$/, ''))
    exportedCount += chunk.length
  }
}

type Table = {
  readonly headings: readonly string[]
  readonly rows: (registration: ListedRegistration) => readonly (readonly CsvCell[])[]
}

function buildRegistrationTable(event: EventConfig): Table {
  const [list] = event.admin.lists
  const columns = list === undefined ? buildSalesColumns(event) : listExportColumns(event, list)
  const toCells = createFileCellBuilder(event, columns)
  return {
    headings: columns.map(({ label }) => label),
    rows: (registration) => [toCells(registration)],
  }
}

/** Builds a table with one row per listed person. Returns null if the event has no people field with this id. */
function buildPersonTable(event: EventConfig, id: string): Table | null {
  const field = event.fields.find((candidate) => candidate.id === id && candidate.type === 'people')
  if (field === undefined) return null
  const partLabels = (field.fields ?? []).map(({ label }) => label)
  return {
    headings: [
      'Registration Number',
      'Delegate',
      'Category',
      'Payment Status',
      'Person',
      ...partLabels,
    ],
    rows: (registration) => buildPersonRows(event, field, registration),
  }
}
