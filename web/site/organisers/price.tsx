/** What a delegate would pay, and why. */
import { useMemo } from 'react'
import { formatMoney, formatPrice, labelOf, priceParts, priceTable } from '../../../engine/index.ts'
import { explain, sayTax } from '../../../engine/files.ts'
import type { CategoryExplained, EventConfig } from '../../../engine/index.ts'
import type { Explanation } from '../../../engine/files.ts'
import { Ledger } from '../../shared/ledger.tsx'
import type { Lines } from './check.ts'
import { momentOf } from './trying.tsx'
import type { Try } from './trying.tsx'

type PriceProps = {
  readonly title: string
  readonly event: EventConfig
  readonly trying: Try
  readonly lines: Lines | null
  readonly goTo: (line: number) => void
}

/** What this delegate pays on this day, the rule that decided, and the cell of the price list it came from. */
export function Price({ title, event, trying, lines, goTo }: PriceProps) {
  const it = useMemo(() => explain(event, trying.answers, momentOf(trying.day)), [event, trying])
  const line = (number: number | null | undefined) =>
    number == null ? null : (
      <button type="button" className="link" onClick={() => goTo(number)}>
        line {number}
      </button>
    )
  const { category } = it.category
  return (
    <>
      <h2 className="disp">{title}</h2>
      <div className="org-box">
        <p className="org-why">
          <b>{category === null ? 'No category' : labelOfCategory(event, category)}</b>{' '}
          <Decided event={event} it={it.category} line={(rule) => line(lines?.rules[rule - 1])} />
        </p>
        <Pays event={event} it={it} />
      </div>
      {it.category.by === 'rules' && it.category.tried.length > 1 && (
        <Tried it={it.category} line={(rule) => line(lines?.rules[rule - 1])} />
      )}
      <Table event={event} it={it} lines={lines} goTo={goTo} />
    </>
  )
}

const labelOfCategory = (event: EventConfig, id: string): string =>
  event.categories.find((category) => category.id === id)?.label ?? id

type LineOf = (rule: number) => React.ReactNode

function Decided({
  event,
  it,
  line,
}: {
  readonly event: EventConfig
  readonly it: CategoryExplained
  readonly line: LineOf
}) {
  if (it.by === 'field')
    return (
      <span className="mute">
        {it.category === null ? 'until it is chosen in' : 'chosen in'} {labelOf(event, it.field)}
      </span>
    )
  const rule = it.tried.find(({ fits }) => fits)
  if (rule === undefined) return <span className="mute">no rule fits these answers</span>
  return (
    <>
      <span className="mute">by rule {rule.rule}</span> <code>{rule.says}</code> {line(rule.rule)}
    </>
  )
}

/** The rules before the one that decided, and why each of them did not. */
function Tried({
  it,
  line,
}: {
  readonly it: Extract<CategoryExplained, { by: 'rules' }>
  readonly line: LineOf
}) {
  return (
    <details className="org-tried">
      <summary>Rules tried before</summary>
      <ol>
        {it.tried
          .filter(({ fits }) => !fits)
          .map(({ rule, says, but }) => (
            <li key={rule}>
              <span>
                Rule {rule}: <code>{says}</code>
                {but === null ? '' : `, but ${but}`}
              </span>{' '}
              {line(rule)}
            </li>
          ))}
      </ol>
    </details>
  )
}

function Pays({ event, it }: { readonly event: EventConfig; readonly it: Explanation }) {
  if (it.quote === null) return <p>This event asks for no money.</p>
  if (!it.quote.ok) {
    const refusal = it.quote.error
    if (refusal.code === 'registration_closed') return <p>{refusal.text}</p>
    return (
      <p>
        {refusal.code === 'no_category'
          ? event.form.summary.empty
          : `${labelOfCategory(event, refusal.category)} is not on sale in ${refusal.period}.`}
      </p>
    )
  }
  const quote = it.quote.value
  const rows = priceParts(event).map((part) => ({
    id: part,
    label: labelOf(event, part),
    value: part === 'gst' ? formatMoney(quote.gst) : formatPrice(quote[part]),
    total: part === 'total',
  }))
  const period = it.period
  return (
    <>
      <Ledger rows={rows} money />
      <p className="org-how">
        {it.cell !== null &&
          it.cell.price !== 0 &&
          it.tax !== null &&
          `${sayTax(it.tax, it.cell.price, quote)}. `}
        {period !== null && (
          <>
            Period {period.period.label}
            {period.because === 'other-dates' ? ', which holds every other date' : ''}
            {period.alsoIn.length > 0
              ? `; the day is also in ${period.alsoIn.map(({ label }) => label).join(', ')}, but the first listed counts`
              : ''}
            .
          </>
        )}
      </p>
    </>
  )
}

/** Totals of every category and period; the one that applies is lit. Each leads to its place in the file. */
function Table({
  event,
  it,
  lines,
  goTo,
}: Omit<PriceProps, 'trying' | 'title'> & { readonly it: Explanation }) {
  const rows = priceTable(event)
  if (rows.length === 0) return null
  const { tax } = event.fees
  return (
    <>
      <h2 className="disp" id="org-prices">
        {tax === null ? 'Prices' : `Prices, ${tax.name} included`}
      </h2>
      <div className="org-prices" tabIndex={0} role="region" aria-labelledby="org-prices">
        <table>
          <thead>
            <tr>
              <th scope="col">Category</th>
              {event.fees.periods.map(({ id, label }) => (
                <th key={id} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ category, cells }) => (
              <tr key={category.id}>
                <th scope="row">{category.label}</th>
                {cells.map(({ period, price }) => {
                  const lit = it.cell?.category === category.id && it.cell.period === period.id
                  const line = lines?.prices[category.id]?.[period.id] ?? null
                  const amount = price === null ? '–' : formatPrice(price.total)
                  return (
                    <td key={period.id} {...(lit ? { className: 'on', 'aria-current': true } : {})}>
                      {line === null ? (
                        amount
                      ) : (
                        <button type="button" title={`Line ${line}`} onClick={() => goTo(line)}>
                          {amount}
                        </button>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
