/** The details list: rows of labels and values, separated by rules, in the given order. */
import type { ReactNode } from 'react'

/** Allows a long email address to wrap after the @, not inside a word. */
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
  readonly isTotal?: boolean
}

/**
 * Shows rows of a label and a value, separated by lines; `hasAmounts` right-aligns the values. A total has a dark line
 * above it.
 */
export function DetailsList({
  rows,
  hasAmounts,
}: {
  readonly rows: readonly DetailsRow[]
  readonly hasAmounts?: boolean
}) {
  return (
    <dl className={hasAmounts ? 'details money' : 'details'}>
      {rows.map((row) => (
        <div key={row.id} {...(row.isTotal ? { className: 'tot' } : {})}>
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
