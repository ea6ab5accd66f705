/** The form that maps the columns of a file with unknown headings. */
import { useState } from 'react'

/** The values that each type of file contains: field name, label, and whether it is required. */
const VALUES_BY_FILE_TYPE = {
  bank: [
    ['date', 'Date received', true],
    ['narration', 'Narration or description', true],
    ['credit', 'Amount received (credit)', true],
    ['reference', 'Bank reference', false],
    ['debit', 'Amount withdrawn (debit)', false],
  ],
  settlement: [
    ['order', 'Order number', true],
    ['amount', 'Amount paid', true],
    ['day', 'Settlement date', true],
    ['reference', 'Gateway reference of the payment', false],
    ['utr', 'UTR of the payout', false],
    ['fee', 'Fee', false],
    ['tax', 'Tax on the fee', false],
    ['net', 'Net amount', false],
    ['kind', 'Payment or refund', false],
    ['currency', 'Currency', false],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [string, string, boolean])[]>>

type ColumnMappingProps = {
  readonly headings: readonly string[]
  readonly onMapped: (columns: string) => void
  readonly isBusy: boolean
}

export function ColumnMapping({ headings, onMapped, isBusy }: ColumnMappingProps) {
  const [fileType, setFileType] = useState<keyof typeof VALUES_BY_FILE_TYPE>('bank')
  return (
    <form
      className="making"
      aria-label="Columns of the file"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        const params = VALUES_BY_FILE_TYPE[fileType].flatMap(([name]) => {
          const column = data.get(name)
          return column === null || column === '' ? [] : [`&${name}=${String(column)}`]
        })
        onMapped(`${fileType === 'settlement' ? '&as=settlement' : ''}${params.join('')}`)
      }}
    >
      <p>Rollcall does not recognise the column headings. Choose the column for each value.</p>
      <label>
        Type of file
        <select
          value={fileType}
          onChange={({ target }) =>
            setFileType(target.value === 'settlement' ? 'settlement' : 'bank')
          }
        >
          <option value="bank">Bank statement</option>
          <option value="settlement">Gateway settlement report</option>
        </select>
      </label>
      {VALUES_BY_FILE_TYPE[fileType].map(([name, label, isRequired]) => (
        <label key={`${fileType} ${name}`}>
          {label}
          <select name={name} required={isRequired} defaultValue="">
            <option value="" disabled={isRequired}>
              {isRequired ? 'Choose a column' : 'None'}
            </option>
            {headings.map((heading, index) => (
              <option key={index} value={index}>
                {heading === '' ? `Column ${index + 1}` : heading}
              </option>
            ))}
          </select>
        </label>
      ))}
      <button type="submit" className="btn" disabled={isBusy}>
        Use these columns
      </button>
    </form>
  )
}
