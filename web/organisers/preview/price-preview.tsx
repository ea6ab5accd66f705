/** The preview of the test delegate's price, with an explanation. */
import { useMemo } from 'react'
import {
  getCurrency,
  findCategory,
  getCategoryLabel,
  findFirstFull,
  formatPrice,
  getLabel,
  getPaidTaxText,
  listPriceParts,
  buildPriceTables,
  buildFullSeatMessage,
} from '../../../engine/index.ts'
import { explainPrice, formatTax } from '../../../engine/authoring.ts'
import type { CategoryExplanation, EventConfig } from '../../../engine/index.ts'
import type { Explanation } from '../../../engine/authoring.ts'
import { buildBillRows } from '../../ui/payment/bill-rows.tsx'
import { DetailsList } from '../../ui/details-list.tsx'
import type { Lines } from '../editor/check-event-file.ts'
import { ItemPrices } from './item-prices.tsx'
import { explainNotOnSale } from './not-on-sale.ts'
import { getNoon } from '../test-delegate/test-delegate.tsx'
import type { TestDelegate } from '../test-delegate/test-delegate.tsx'

type PriceProps = {
  readonly title: string
  readonly event: EventConfig
  readonly testDelegate: TestDelegate
  readonly lines: Lines | null
  /** The lowest and the highest possible bill. */
  readonly extremeBills: readonly string[]
  readonly goTo: (line: number) => void
}

/** Shows the price for this delegate and day, the rule that applied, and the cell in the price list. */
export function PricePreview({
  title,
  event,
  testDelegate,
  lines,
  extremeBills,
  goTo,
}: PriceProps) {
  const explanation = useMemo(
    () =>
      explainPrice(event, testDelegate.answers, getNoon(testDelegate.day), testDelegate.context),
    [event, testDelegate],
  )
  const renderLineLink = (number: number | null | undefined) =>
    number == null ? null : (
      <button type="button" className="link" onClick={() => goTo(number)}>
        line {number}
      </button>
    )
  const { category } = explanation.category
  return (
    <>
      <h2 className="disp">{title}</h2>
      <div className="org-box">
        <p className="org-why">
          <b>{category === null ? 'No category' : getCategoryLabel(event, category)}</b>{' '}
          <DecidingRule
            event={event}
            preview={explanation}
            line={(rule) => renderLineLink(lines?.rules[rule - 1])}
          />
        </p>
        <PriceResult event={event} preview={explanation} />
      </div>
      {explanation.category.by === 'rules' && explanation.category.tried.length > 1 && (
        <SkippedRules
          preview={explanation.category}
          line={(rule) => renderLineLink(lines?.rules[rule - 1])}
        />
      )}
      <PriceTable event={event} preview={explanation} lines={lines} goTo={goTo} />
      <ItemPrices event={event} />
      {extremeBills.length > 0 && (
        <>
          <h2 className="disp">Lowest and highest bill</h2>
          {extremeBills.map((text) => (
            <pre key={text} className="org-bill">
              {text}
            </pre>
          ))}
        </>
      )}
    </>
  )
}

type RenderRuleLine = (rule: number) => React.ReactNode

function DecidingRule({
  event,
  preview: { category: preview, facts, read },
  line,
}: {
  readonly event: EventConfig
  readonly preview: Explanation
  readonly line: RenderRuleLine
}) {
  const requestedCategory = findCategory({ ...event, quotas: [] }, read)
  if (requestedCategory !== null && requestedCategory !== preview.category)
    return (
      <span className="mute">
        offered because {getCategoryLabel(event, requestedCategory)} has no seats left
      </span>
    )
  const kind = facts.code?.is === 'valid' ? facts.code.kind : null
  const discount = event.codeKinds.find(({ id }) => id === kind)?.gives
  if (discount !== undefined && 'category' in discount)
    return <span className="mute">set by the discount code</span>
  if (preview.by === 'field')
    return (
      <span className="mute">
        {preview.category === null ? 'until it is chosen in' : 'chosen in'}{' '}
        {getLabel(event, preview.field)}
      </span>
    )
  const rule = preview.tried.find(({ isMatch }) => isMatch)
  if (rule === undefined) return <span className="mute">no rule matches these answers</span>
  return (
    <>
      <span className="mute">by rule {rule.rule}</span> <code>{rule.condition}</code>{' '}
      {line(rule.rule)}
    </>
  )
}

/** Lists the rules before the one that applied, and why each did not apply. */
function SkippedRules({
  preview,
  line,
}: {
  readonly preview: Extract<CategoryExplanation, { by: 'rules' }>
  readonly line: RenderRuleLine
}) {
  return (
    <details className="org-tried">
      <summary>Earlier rules that did not apply</summary>
      <ol>
        {preview.tried
          .filter(({ isMatch }) => !isMatch)
          .map(({ rule, condition, failingTest }) => (
            <li key={rule}>
              <span>
                Rule {rule}: <code>{condition}</code>
                {failingTest === null ? '' : `, but ${failingTest}`}
              </span>{' '}
              {line(rule)}
            </li>
          ))}
      </ol>
    </details>
  )
}

function PriceResult({
  event,
  preview,
}: {
  readonly event: EventConfig
  readonly preview: Explanation
}) {
  if (preview.quote === null) return <p>This event is free of charge.</p>
  if (!preview.quote.ok) {
    const refusal = preview.quote.error
    if (refusal.code === 'registration_closed') return <p>{refusal.text}</p>
    return (
      <p>
        {refusal.code === 'no_category'
          ? event.form.summary.empty
          : explainNotOnSale(event, refusal)}
      </p>
    )
  }
  const quote = preview.quote.value
  const fullQuota = findFirstFull(event.quotas, preview.read, quote.category)
  const rows = buildBillRows(
    event,
    quote.lines.length > 1 ? quote : { ...quote, lines: [] },
    listPriceParts(event),
  )
  const period = preview.period
  return (
    <>
      {preview.facts.code !== null && preview.facts.code.is !== 'valid' && (
        <p className="org-how">
          The form rejects this code, so the delegate cannot register with it. The price without it:
        </p>
      )}
      {fullQuota !== null && (
        <p className="org-how">
          The delegate cannot register: {buildFullSeatMessage(event, fullQuota)}
        </p>
      )}
      <DetailsList rows={rows} hasAmounts />
      <p className="org-how">
        {preview.cell !== null &&
          preview.cell.price !== 0 &&
          preview.tax !== null &&
          quote.lines.length < 2 &&
          `${formatTax(preview.tax, preview.cell.price, quote)}. `}
        {period !== null && (
          <>
            Period {period.period.label}
            {period.because === 'other-dates' ? ', which applies to all other dates' : ''}
            {period.alsoIn.length > 0
              ? `; the day is also in ${period.alsoIn.map(({ label }) => label).join(', ')}, but the first period listed applies`
              : ''}
            .
          </>
        )}
      </p>
    </>
  )
}

/**
 * Shows the price table by category and period, with the applicable price highlighted. Each price links to its line in
 * the file.
 */
function PriceTable({
  event,
  preview,
  lines,
  goTo,
}: Omit<PriceProps, 'testDelegate' | 'title' | 'extremeBills'> & {
  readonly preview: Explanation
}) {
  const tables = buildPriceTables(event)
  if (tables.length === 0) return null
  return (
    <>
      <h2 className="disp" id="org-prices">
        {['Prices', getPaidTaxText(event)].filter((text) => text !== '').join(', ')}
      </h2>
      <div className="org-prices" tabIndex={0} role="region" aria-labelledby="org-prices">
        {tables.map(({ label: heading, periods, rows }) => (
          <table key={heading ?? ''}>
            {heading !== null && <caption>{heading}</caption>}
            <thead>
              <tr>
                <th scope="col">Category</th>
                {periods.map(({ id, label }) => (
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
                    const isHighlighted =
                      preview.cell?.category === category.id && preview.cell.period === period.id
                    const line = lines?.prices[category.id]?.[period.id] ?? null
                    const currency = getCurrency(event, category.id)
                    const amount = price === null ? '–' : formatPrice(price.total, currency)
                    return (
                      <td
                        key={period.id}
                        data-head={period.label}
                        {...(isHighlighted ? { className: 'on', 'aria-current': true } : {})}
                      >
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
        ))}
      </div>
    </>
  )
}
