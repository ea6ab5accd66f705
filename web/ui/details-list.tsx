/** Labels and values between rules, in the order they are given. */
import type { ReactNode } from 'react'

/** An address that is too long for its line breaks after the @, not in the middle of a word. */
export function Breaking({ text }: { readonly text: string }) {
  const [name = '', ...rest] = text.split('@')
  return rest.length === 1 ? (
    <>
      {name}@<wbr />
      {rest[0]}
    </>
  ) : (
    <>{text}</>
  )
}

export type LedgerRow = {
  readonly id: string
  readonly label: string
  /** Said below the label, smaller. */
  readonly about?: string | undefined
  readonly value: ReactNode
  readonly total?: boolean
}

/** Ruled rows of a label and a value; `money` sets the values right-aligned. A total starts with an ink line. */
export function Ledger({
  rows,
  money,
}: {
  readonly rows: readonly LedgerRow[]
  readonly money?: boolean
}) {
  return (
    <dl className={money ? 'led money' : 'led'}>
      {rows.map((row) => (
        <div key={row.id} {...(row.total ? { className: 'tot' } : {})}>
          <dt>
            {row.label}
            {row.about && <small>{row.about}</small>}
          </dt>
          <dd>{typeof row.value === 'string' ? <Breaking text={row.value} /> : row.value}</dd>
        </div>
      ))}
    </dl>
  )
}
