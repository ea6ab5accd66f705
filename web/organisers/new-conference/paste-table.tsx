/** Pastes a table of prices from a spreadsheet or a web page into a grid. */
import { useId, useRef } from 'react'
import { INR } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import { isFeeTable, readFeeTable, readItemTable } from '../../../engine/authoring.ts'
import type { ItemTable, NewEventAnswers } from '../../../engine/authoring.ts'

export type PastedTable = ReturnType<typeof readFeeTable>
/** The pasted text that has not been read yet, and the message about the text that was read last. */
export type PastedText = { readonly unreadText: string; readonly message: string }
export const NOTHING_PASTED: PastedText = { unreadText: '', message: '' }

type PasteTableProps = {
  readonly pasted: PastedText
  readonly onChange: (pasted: PastedText) => void
  readonly read: (text: string) => void
  /** Restores the table from before the last paste or removal. Null if there is nothing to restore. */
  readonly onUndo: (() => void) | null
}

/** Reads text as a table. The table is null if the text has no prices. */
export function readPasted(
  text: string,
  { from, to = from, currency = INR }: NewEventAnswers,
  today: Day,
): { readonly table: PastedTable | null; readonly pasted: PastedText } {
  const table = readFeeTable(text, { from, to, currency, today })
  return table.rows.length === 0
    ? { table: null, pasted: { unreadText: text, message: NO_PRICES } }
    : { table, pasted: { unreadText: '', message: describeTable(table) } }
}

const NO_PRICES =
  'No prices were found in this text. Copy the cells of the table with its headings, or empty this box and type below.'

/** Reads text as a table of workshops or accompanying persons. The table is null if the text has no prices. */
export function readPastedItems(
  text: string,
  earlierAnswers: NewEventAnswers,
  today: Day,
): { readonly table: ItemTable | null; readonly pasted: PastedText } {
  const table = readItemTable(text, earlierAnswers, today)
  const rowsText = pluralise(table.rows.length, 'row was', 'rows were')
  return table.rows.length === 0
    ? { table: null, pasted: { unreadText: text, message: NO_PRICES } }
    : {
        table,
        pasted: { unreadText: '', message: `${rowsText} read. Compare them with your table.` },
      }
}

/** Shows the field for a table, which is read as soon as it is pasted, and a message about the result. */
export function PasteTable({ pasted, onChange, read, onUndo }: PasteTableProps) {
  const id = useId()
  const status = useRef<HTMLParagraphElement>(null)
  const { unreadText: unread, message: found } = pasted
  return (
    <div className="org-paste">
      <label htmlFor={id}>Paste a table from a spreadsheet or a web page, or type below</label>
      <textarea
        id={id}
        rows={2}
        value={unread}
        onChange={({ target }) => onChange({ unreadText: target.value, message: '' })}
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
      {onUndo !== null && (
        <button type="button" className="btn line sm" onClick={onUndo}>
          Undo
          <span className="vh">: restore the earlier table</span>
        </button>
      )}
    </div>
  )
}

const pluralise = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

function describeTable({ rows, columns, tax, companions, workshops }: PastedTable): string {
  const summary = `${pluralise(rows.length, 'category', 'categories')} and ${pluralise(columns.length, 'period', 'periods')} were read. Compare them with your table.`
  const gst =
    tax === null
      ? ''
      : tax === 'inside'
        ? ' The table says that the prices include GST.'
        : ' The table says that GST is added to the prices. Any GST and total columns are ignored.'
  return `${summary}${gst}${companions === null ? '' : ` The prices for an accompanying person (${companions}) were moved to their own question.`}${workshops.length === 0 ? '' : ' The workshops were moved to their own question, with prices and seats. Compare them there.'}`
}
