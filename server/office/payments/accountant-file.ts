/** Builds a month's zip file for the accountant: each table as CSV and as Excel. */
import { zip } from 'fflate'
import type { Zippable } from 'fflate'
import { addMonths, day, INR } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { ListedDocument, MonthClosing, Movement, SettlementFee } from '../../storage/index.ts'
import { findEventOfLine } from '../reconciliation/settlement-line-events.ts'
import { formatSheetRow, MAX_XLSX_ROWS } from '../spreadsheets/send-table.ts'
import { formatCsvRows } from '../spreadsheets/write-csv.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import { buildExcelFiles } from '../spreadsheets/write-excel.ts'
import {
  buildAmountCell,
  getEventTitle,
  MOVEMENT_HEADER,
  buildMovementCells,
} from './movement-rows.ts'
import { formatReadme, formatSummary, SUMMARY_HEADER } from './accountant-summary.ts'
import { buildDocumentRows, DOCUMENT_HEADER } from './tax-document-rows.ts'
import type { MonthScope } from './payment-period.ts'
import { readMovements } from './payment-lists.ts'

type Table = {
  readonly name: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly CsvCell[])[]
}
type Changes = {
  readonly closings: readonly MonthClosing[]
  /** Changes recorded or decided after the month was closed. */
  readonly changes: readonly Movement[]
}

/**
 * Builds the file. Its amounts match those on the Payments pages. A table with too many rows for Excel is included as
 * CSV only.
 */
export async function buildAccountantFile(
  deps: Pick<Deps, 'store' | 'events'>,
  scope: MonthScope,
  { closings, changes }: Changes,
): Promise<Buffer> {
  const movements: Movement[] = []
  for await (const rows of readMovements(deps, scope)) movements.push(...rows)
  const documents = await deps.store.taxDocuments(scope)
  const firstDay = day(`${scope.month}-01`)
  const fees = await readFees(deps, scope, firstDay)
  const sums = await deps.store.movementSums(scope)
  const changedIds = new Set(changes.map(({ id }) => id))
  const movedAwayPayments = changes.filter(({ isMovedAway }) => isMovedAway === true)
  const toRows = (kind: 'in' | 'out') =>
    [...movements, ...movedAwayPayments]
      .filter(({ is }) => (is === 'payment') === (kind === 'in'))
      .map((row) => [...buildMovementCells(deps, row), changedIds.has(row.id) ? 'Yes' : ''])
  const head = [...MOVEMENT_HEADER, 'Changed after closing']
  const filterByKind = (kind: 'invoice' | 'credit'): readonly ListedDocument[] =>
    documents.filter(({ body }) => body.kind === kind)
  const toDocumentRows = (kind: 'invoice' | 'credit') =>
    filterByKind(kind).flatMap((document) =>
      buildDocumentRows(getEventTitle(deps, document.eventId), document.body),
    )
  const tables: readonly Table[] = [
    {
      name: 'summary',
      head: SUMMARY_HEADER,
      rows: formatSummary(deps, { sums, documents, closings, changes }),
    },
    { name: 'payments', head, rows: toRows('in') },
    { name: 'refunds', head, rows: toRows('out') },
    { name: 'invoices', head: DOCUMENT_HEADER, rows: toDocumentRows('invoice') },
    { name: 'credit-notes', head: DOCUMENT_HEADER, rows: toDocumentRows('credit') },
    {
      name: 'settlement-fees',
      head: FEE_HEADER,
      rows: fees.map(([eventId, line]) => buildFeeCells(deps, eventId, line)),
    },
  ]
  const sheets = tables.filter(({ rows }) => rows.length <= MAX_XLSX_ROWS)
  const excelFiles = await buildExcelFiles(
    sheets.map(({ head, rows }) => ({ head, rows: rows.map(formatSheetRow) })),
  )
  const files: Zippable = {
    [`readme_${scope.month}.txt`]: new TextEncoder().encode(formatReadme(scope.month)),
    ...Object.fromEntries(
      tables.map(({ name, head, rows }) => [
        `${name}_${scope.month}.csv`,
        new TextEncoder().encode(formatCsvRows([head, ...rows], true)),
      ]),
    ),
    // Excel files are compressed already.
    ...Object.fromEntries(
      excelFiles.map((file, index) => [
        `${sheets[index]?.name}_${scope.month}.xlsx`,
        [file, { level: 0 }] as const,
      ]),
    ),
  }
  return new Promise((resolve, reject) => {
    zip(files, (error, data) => (error === null ? resolve(Buffer.from(data)) : reject(error)))
  })
}

const FEE_HEADER: readonly string[] = [
  'Settled on',
  'Payout',
  'Gateway',
  'Account',
  'Kind',
  'Event',
  'Order',
  'Reference',
  'Amount (INR)',
  'Fee (INR)',
  'Tax on fee (INR)',
  'Net (INR)',
]
const FEE_KINDS = { sale: 'Payment', refund: 'Refund', other: 'Other' } as const

/** Reads the settlement lines of the month, each with its event. */
async function readFees(
  deps: Pick<Deps, 'store' | 'events'>,
  { eventIds }: Pick<MonthScope, 'eventIds'>,
  firstDay: Day,
): Promise<readonly (readonly [eventId: string | null, line: SettlementFee])[]> {
  const all = deps.events.all().map(({ config }) => config)
  const lines = await deps.store.settlementFees(firstDay, addMonths(firstDay, 1))
  return lines
    .map((line) => [findEventOfLine(all, line), line] as const)
    .filter(([eventId]) => eventIds === null || (eventId !== null && eventIds.includes(eventId)))
}

const buildFeeCells = (
  deps: Pick<Deps, 'events'>,
  eventId: string | null,
  line: SettlementFee,
): readonly CsvCell[] => [
  line.day,
  line.utr,
  line.source,
  line.account,
  FEE_KINDS[line.is],
  getEventTitle(deps, eventId),
  line.order,
  line.reference,
  buildAmountCell(line.amount, INR),
  buildAmountCell(line.fee, INR),
  buildAmountCell(line.tax, INR),
  buildAmountCell(line.net, INR),
]
