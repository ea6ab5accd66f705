/** Pastes a fee table from a spreadsheet or a web page into the grid. */
import { useId, useState } from 'react'
import { INR } from '../../../engine/index.ts'
import type { Day } from '../../../engine/index.ts'
import { isFeeTable, readFeeTable } from '../../../engine/authoring.ts'
import type { NewEventAnswers } from '../../../engine/authoring.ts'

type PastedTable = ReturnType<typeof readFeeTable>
type PasteTableProps = {
  readonly before: NewEventAnswers
  readonly today: Day
  readonly paste: (table: PastedTable) => void
}

/** A table is read as soon as it is pasted; the field then says what was found. */
export function PasteTable({ before, today, paste }: PasteTableProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [found, setFound] = useState('')
  const read = (pasted: string) => {
    const { from, to = from, currency = INR } = before
    const table = readFeeTable(pasted, { from, to, currency, today })
    if (table.rows.length === 0) {
      setFound('No prices were found in this text. Copy the cells of the table, with its headings.')
      return
    }
    paste(table)
    setText('')
    setFound(describe(table))
  }
  return (
    <div className="org-paste">
      <label htmlFor={id}>Paste a table from a spreadsheet or a web page, or type below</label>
      <textarea
        id={id}
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text/plain')
          if (!isFeeTable(pasted)) return
          event.preventDefault()
          read(pasted)
        }}
      />
      {text.trim() !== '' && (
        <button type="button" className="btn line sm" onClick={() => read(text)}>
          Read this table
        </button>
      )}
      <p role="status" className="org-found">
        {found}
      </p>
    </div>
  )
}

const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

function describe({ rows, columns, tax, companions }: PastedTable): string {
  const read = `${plural(rows.length, 'category', 'categories')} and ${plural(columns.length, 'period', 'periods')} were read. Please compare them with your table.`
  const gst =
    tax === null
      ? ''
      : tax === 'inside'
        ? ' The table says that the prices include GST.'
        : ' The table says that GST is added to the prices.'
  return `${read}${gst}${companions === null ? '' : ' The accompanying person is asked on a card of its own.'}`
}
