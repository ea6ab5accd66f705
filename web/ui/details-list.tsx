/** The details list: labels and values between rules, in the given order. */
import type { ReactNode } from 'react'

/** Lets an email address that is too long for its line break after the @, not inside a word. */
export function BreakableText({ text }: { readonly text: string }) {
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

export type DetailsRow = {
  readonly id: string
  readonly label: string
  /** Additional text below the label, in smaller type. */
  readonly about?: string | undefined
  readonly value: ReactNode
  readonly total?: boolean
}

/**
 * Shows rows of a label and a value between lines; `money` right-aligns the values. A total has a dark line above it.
 */
export function DetailsList({
  rows,
  money,
}: {
  readonly rows: readonly DetailsRow[]
  readonly money?: boolean
}) {
  return (
    <dl className={money ? 'details money' : 'details'}>
      {rows.map((row) => (
        <div key={row.id} {...(row.total ? { className: 'tot' } : {})}>
          <dt>
            {row.label}
            {row.about && <small>{row.about}</small>}
          </dt>
          <dd>{typeof row.value === 'string' ? <BreakableText text={row.value} /> : row.value}</dd>
        </div>
      ))}
    </dl>
  )
}
