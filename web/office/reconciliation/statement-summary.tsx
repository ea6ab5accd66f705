/** The result, the notes and the sums of a bank statement. */
import { Link } from 'react-router-dom'
import { formatCount, formatDayShort, isDay } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { OfficeEvent, StatementResponse } from '../../../engine/api.ts'
import { PAYMENT_REVIEWS, buildRegistrationUrl } from '../office-api-and-urls.ts'
import { formatResponseMoney, formatSignedMoney } from '../ui/format-amount.ts'

type Statement = Extract<StatementResponse, { unchanged: false }>

/** Summarises the open lines: “2 matched, 1 with a different amount, 2 not matched.” */
export function describeMatches({ lines, totals }: Statement): string {
  if (lines.length === 0) return 'No incoming payments in this file.'
  const openLines = lines.filter(({ state }) => state === 'left')
  const exactCount = openLines.filter((line) => line.is_exact).length
  const proposedLines = openLines.filter(
    ({ is_exact, proposals }) => !is_exact && proposals.length > 0,
  )
  const differingCount = proposedLines.filter(
    ({ proposals: [best], left }) =>
      (best?.basis === 'number' || best?.basis === 'reported_reference') && best.due !== left,
  ).length
  const parts = [
    [exactCount, 'matched'],
    [differingCount, 'with a different amount'],
    [proposedLines.length - differingCount, 'to check'],
    [openLines.length - exactCount - proposedLines.length, 'not matched'],
    [totals.sum_in.lines - openLines.length, 'done'],
  ] as const
  return `${parts.flatMap(([count, text]) => (count === 0 ? [] : [`${count} ${text}`])).join(', ')}.`
}

/** Shows the totals. The sum of credits equals the sum of the parts, to the minor unit. */
export function StatementTotals({
  totals,
  currency,
}: {
  readonly totals: Statement['totals']
  readonly currency: Currency
}) {
  const { sum_in: sum, ...parts } = totals
  const shownLabels = TOTAL_LABELS.filter(
    ([name]) => name !== 'other_event' || parts[name].lines > 0,
  )
  return (
    <section className="totals" aria-label="Totals" tabIndex={-1}>
      <p>
        {shownLabels.map(([name, label]) => (
          <span key={name}>
            {label} <b>{parts[name].lines}</b>
          </span>
        ))}
      </p>
      <p className="mute">
        <span>{formatSignedMoney(sum.amount, currency)} in =</span>
        {shownLabels.map(([name, , inSum], index) => (
          <span key={name}>
            {index > 0 && '+ '}
            {formatSignedMoney(parts[name].amount, currency)} {inSum}
          </span>
        ))}
      </p>
    </section>
  )
}

const TOTAL_LABELS = [
  ['assigned', 'Assigned', 'assigned'],
  ['review', 'Under review', 'under review'],
  ['not_ours', 'Not ours', 'not ours'],
  ['other_event', 'Other events', 'other events'],
  ['left', 'Remaining', 'remaining'],
] as const

/** Lists lines that need attention but no assignment, and payments reported by delegates that match no line. */
export function StatementNotes({
  statement: { returned, withdrawals, waiting, unread, repeated },
  currency,
  events,
}: {
  readonly statement: Statement
  readonly currency: Currency
  readonly events: readonly OfficeEvent[]
}) {
  return (
    <>
      {returned.length > 0 && (
        <section className="panel" aria-labelledby="statement-returned">
          <h2 id="statement-returned">May have been returned by the bank ({returned.length})</h2>
          <p className="mute">
            Withdrawals that mention a payment. Recorded payments are listed under{' '}
            <Link to={PAYMENT_REVIEWS}>Needs review</Link>.
          </p>
          <ul className="log">
            {returned.map(({ line, day, narration, amount, why, of }) => (
              <li key={line}>
                <span>
                  <b>
                    {amount === 0 ? 'Amount not stated' : formatResponseMoney(amount, currency)}
                  </b>{' '}
                  on {isDay(day) ? formatDayShort(day) : day}
                  <small>{narration}</small>
                  <small className="care">{why}</small>
                  {of.length > 0 && <small>{of.join(', ')}</small>}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {withdrawals > returned.length && (
        <p className="mute">
          {withdrawals - returned.length === 1
            ? '1 withdrawal is not listed: only deposits are matched.'
            : `${formatCount(withdrawals - returned.length)} withdrawals are not listed: only deposits are matched.`}
        </p>
      )}
      {waiting.length > 0 && (
        <details className="panel">
          <summary>Reported by delegates, not in this statement ({waiting.length})</summary>
          <ul className="log">
            {waiting.map(({ reg_no: regNo, name, event: eventId, due, reference }) => {
              const event = events.find(({ id }) => id === eventId)
              return (
                <li key={regNo}>
                  <span>
                    {event === undefined ? (
                      name
                    ) : (
                      <Link to={buildRegistrationUrl(event, regNo)}>{name}</Link>
                    )}
                    <small>
                      {formatResponseMoney(due, currency)}, reported by delegate: {reference}
                    </small>
                  </span>
                </li>
              )
            })}
          </ul>
        </details>
      )}
      {repeated.length > 0 && (
        <p className="care">
          {repeated.length === 1 ? '1 line repeats' : `${repeated.length} lines repeat`} an earlier
          line, counted once:{' '}
          {repeated.map(({ line, first }) => `line ${line} (same as ${first})`).join(', ')}.
        </p>
      )}
      {unread.length > 0 && (
        <p className="care">
          {unread.length === 1
            ? `Line ${unread.join()} could not be read: its amount, currency or date is unclear, or it has more cells than headings. It is not included in the totals.`
            : `Lines ${unread.join(', ')} could not be read: their amount, currency or date is unclear, or they have more cells than headings. They are not included in the totals.`}
        </p>
      )}
    </>
  )
}
