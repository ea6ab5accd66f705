/** The form that maps the columns of a file with unknown headings. */

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
  readonly kind: keyof typeof VALUES_BY_FILE_TYPE
  readonly headings: readonly string[]
  readonly onMapped: (columns: string) => void
  readonly isBusy: boolean
}

export function ColumnMapping({ kind, headings, onMapped, isBusy }: ColumnMappingProps) {
  return (
    <form
      className="inline-form"
      aria-label="Columns of the file"
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        const params = VALUES_BY_FILE_TYPE[kind].flatMap(([name]) => {
          const column = data.get(name)
          return column === null || column === '' ? [] : [`&${name}=${String(column)}`]
        })
        onMapped(`${kind === 'settlement' ? '&as=settlement' : ''}${params.join('')}`)
      }}
    >
      <p>Rollcall does not recognise the column headings. Choose the column for each value.</p>
      {VALUES_BY_FILE_TYPE[kind].map(([name, label, isRequired]) => (
        <label key={`${kind} ${name}`}>
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
