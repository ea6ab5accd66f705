/** The column mapping of a file with unknown headings: its source, and the meaning of each column. */
import { useState } from 'react'

/** Required columns of each kind of file; optional ones come last. */
const ASKED = {
  bank: [
    ['date', 'The day on which it came', true],
    ['narration', 'What the bank wrote', true],
    ['credit', 'The amount that came', true],
    ['reference', 'The bank’s reference', false],
    ['debit', 'The amount that went out', false],
  ],
  settlement: [
    ['order', 'Our order number', true],
    ['amount', 'The amount that was paid', true],
    ['day', 'The day on which it was settled', true],
    ['reference', 'The gateway’s number of the payment', false],
    ['utr', 'The UTR of the transfer to the bank', false],
    ['fee', 'The fee', false],
    ['tax', 'The tax on the fee', false],
    ['net', 'What is left after fee and tax', false],
    ['kind', 'Payment or refund', false],
    ['currency', 'The currency', false],
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
      aria-label="Which column is which"
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
      <p>
        The heads of this file are not those of a bank or a gateway that we know. Please say which
        column is which.
      </p>
      <label>
        Whose file it is
        <select
          value={of}
          onChange={({ target }) => setOf(target.value === 'settlement' ? 'settlement' : 'bank')}
        >
          <option value="bank">A bank’s statement</option>
          <option value="settlement">A settlement report of the gateway</option>
        </select>
      </label>
      {ASKED[of].map(([name, label, isRequired]) => (
        <label key={`${of} ${name}`}>
          {label}
          <select name={name} required={isRequired} defaultValue="">
            <option value="" disabled={isRequired}>
              {isRequired ? 'Choose a column' : 'There is none'}
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
        Read it so
      </button>
    </form>
  )
}
