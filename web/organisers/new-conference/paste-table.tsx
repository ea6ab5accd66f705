/** Pastes a table of prices from a spreadsheet or a web page into a grid. */
import { useId, useRef } from 'react'
import { INR } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import { isFeeTable, readFeeTable, readItemTable } from '../../../engine/authoring.ts'
import type { ItemTable, NewEventAnswers } from '../../../engine/authoring.ts'

export type PastedTable = ReturnType<typeof readFeeTable>
/** The text that is still to be read, and the sentence about the one that was read last. */
export type PastedText = { readonly unread: string; readonly found: string }
export const NOTHING_PASTED: PastedText = { unread: '', found: '' }

type PasteTableProps = {
  readonly pasted: PastedText
  readonly change: (pasted: PastedText) => void
  readonly read: (text: string) => void
  /** Brings back the table as it was before the last reading or removal. Null if there is nothing to bring back. */
  readonly undo: (() => void) | null
}

/** Reads a text as a table. Null, with a sentence, if it has no prices. */
export function readPasted(
  text: string,
  { from, to = from, currency = INR }: NewEventAnswers,
  today: Day,
): { readonly table: PastedTable | null; readonly pasted: PastedText } {
  const table = readFeeTable(text, { from, to, currency, today })
  return table.rows.length === 0
    ? { table: null, pasted: { unread: text, found: NO_PRICES } }
    : { table, pasted: { unread: '', found: describe(table) } }
}

const NO_PRICES =
  'No prices were found in this text. Copy the cells of the table with its headings, or empty this box and type below.'

/** The same for workshops and accompanying persons. */
export function readPastedItems(
  text: string,
  before: NewEventAnswers,
  today: Day,
): { readonly table: ItemTable | null; readonly pasted: PastedText } {
  const table = readItemTable(text, before, today)
  const read = plural(table.rows.length, 'row was', 'rows were')
  return table.rows.length === 0
    ? { table: null, pasted: { unread: text, found: NO_PRICES } }
    : { table, pasted: { unread: '', found: `${read} read. Please compare with your table.` } }
}

/** A table is read as soon as it is pasted; the field then says what was found. */
export function PasteTable({ pasted, change, read, undo }: PasteTableProps) {
  const id = useId()
  const status = useRef<HTMLParagraphElement>(null)
  const { unread, found } = pasted
  return (
    <div className="org-paste">
      <label htmlFor={id}>Paste a table from a spreadsheet or a web page, or type below</label>
      <textarea
        id={id}
        rows={2}
        value={unread}
        onChange={({ target }) => change({ unread: target.value, found: '' })}
        onPaste={(event) => {
          const text = event.clipboardData.getData('text/plain')
          if (!isFeeTable(text)) return
          event.preventDefault()
          read(text)
        }}
      />
      {unread.trim() !== '' && (
        <button
          type="button"
          className="btn line sm"
          onClick={() => {
            read(unread)
            // The button disappears: the sentence about the table takes its focus.
            status.current?.focus()
          }}
        >
          Read this table
        </button>
      )}
      <p role="status" className="org-found" tabIndex={-1} ref={status}>
        {found}
      </p>
      {undo !== null && (
        <button type="button" className="btn line sm" onClick={undo}>
          Undo
          <span className="vh">: bring back the earlier table</span>
        </button>
      )}
    </div>
  )
}

const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

function describe({ rows, columns, tax, companions, workshops }: PastedTable): string {
  const read = `${plural(rows.length, 'category', 'categories')} and ${plural(columns.length, 'period', 'periods')} were read. Please compare them with your table.`
  const gst =
    tax === null
      ? ''
      : tax === 'inside'
        ? ' The table says that the prices include GST.'
        : ' The table says that GST is added to the prices; columns of GST and totals, if any, are left out.'
  return `${read}${gst}${companions === null ? '' : ` The prices of an accompanying person (${companions}) were moved to their own question.`}${workshops.length === 0 ? '' : ' The workshops were moved to their own question, with prices and seats. Compare them there.'}`
}
