/** The column mapping of a file with unknown headings: its source, and the meaning of each column. */
import { useState } from 'react'

/** Required columns of each kind of file; optional ones come last. */
const ASKED = {
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

type WhichColumnProps = {
  readonly header: readonly string[]
  readonly onSaid: (columns: string) => void
  readonly isBusy: boolean
}

export function WhichColumn({ header, onSaid, isBusy }: WhichColumnProps) {
  const [of, setOf] = useState<keyof typeof ASKED>('bank')
  return (
    <form
      className="making"
      aria-label="Columns of the file"
      onSubmit={(submitted) => {
        submitted.preventDefault()
        const data = new FormData(submitted.currentTarget)
        const said = ASKED[of].flatMap(([name]) => {
          const at = data.get(name)
          return at === null || at === '' ? [] : [`&${name}=${String(at)}`]
        })
        onSaid(`${of === 'settlement' ? '&as=settlement' : ''}${said.join('')}`)
      }}
    >
      <p>Rollcall does not recognise the column headings. Choose the column for each value.</p>
      <label>
        Type of file
        <select
          value={of}
          onChange={({ target }) => setOf(target.value === 'settlement' ? 'settlement' : 'bank')}
        >
          <option value="bank">Bank statement</option>
          <option value="settlement">Gateway settlement report</option>
        </select>
      </label>
      {ASKED[of].map(([name, label, isRequired]) => (
        <label key={`${of} ${name}`}>
          {label}
          <select name={name} required={isRequired} defaultValue="">
            <option value="" disabled={isRequired}>
              {isRequired ? 'Choose a column' : 'None'}
            </option>
            {header.map((head, at) => (
              <option key={at} value={at}>
                {head === '' ? `Column ${at + 1}` : head}
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
