/** The gateway's settlements: an uploaded report, saved settlements, and unsettled payments. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import {
  formatCount,
  formatDayShort,
  isDay,
  RECONCILIATION_ROWS,
  SETTLED_WITHIN_DAYS,
} from '../../../engine/index.ts'
import type {
  OfficeEvent,
  WirePayout,
  WireSettledLine,
  WireSettlement,
  WireUnsettledPayment,
} from '../../../engine/api.ts'
import { toSpreadsheet, callApi, buildRegistrationUrl } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { ShowMoreButton } from '../ui/show-more-button.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponseMoney, formatSignedMoney } from '../ui/format-amount.ts'
import { groupRows } from '../payments/payment-tables.tsx'
import { HandleLine } from './handle-settlement-line.tsx'
import { readSaveResult, readSettlements } from './settlement-api-responses.ts'

type EventProps = { readonly event: OfficeEvent }
const buildPath = (event: OfficeEvent, path: string, query = ''): string =>
  `/api/admin/${path}/?event=${encodeURIComponent(event.id)}${query}`

type SettlementReportProps = EventProps & {
  readonly settlement: WireSettlement
  readonly file: File
  /** The user's column mapping. Empty if the headings were recognised. */
  readonly columns: string
}

/** Shows an uploaded report. Nothing is stored until the user saves it. */
export function SettlementReport({ event, settlement, file, columns }: SettlementReportProps) {
  const client = useQueryClient()
  const saveMutation = useMutation({
    mutationFn: () =>
      callApi(buildPath(event, 'reconcile/keep', columns), readSaveResult, {
        method: 'POST',
        form: toSpreadsheet(file),
      }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['settlements'] }),
        client.invalidateQueries({ queryKey: ['payouts'] }),
      ]),
  })
  const saveError = useSignInOn401(saveMutation.error)
  const { fresh, changed: changedCount, unread, not_yet: unsettledCount } = settlement
  const lineCount = (fresh ?? 0) + changedCount
  return (
    <>
      <section className="panel" aria-labelledby="settlement-report">
        <h2 id="settlement-report">Gateway settlement</h2>
        <ReportSummary {...settlement} />
        {unread.length > 0 && (
          <p className="care">
            {unread.length === 1 ? 'Line' : 'Lines'} {unread.join(', ')} could not be read: the
            amount, date or number is unclear, the currency differs, or there are more cells than
            headings.
          </p>
        )}
        {unsettledCount > 0 && (
          <p className="mute">
            {unsettledCount === 1 ? '1 line is' : `${unsettledCount} lines are`} not settled by the
            gateway yet.
          </p>
        )}
        {changedCount > 0 && (
          <p className="care">
            {changedCount === 1
              ? '1 line is already saved, with a different fee, tax or net amount. Saving replaces it.'
              : `${changedCount} lines are already saved, with a different fee, tax or net amount. Saving replaces them.`}
          </p>
        )}
        {saveError && <Banner text={saveError.message} onDismiss={() => saveMutation.reset()} />}
        <p role="status" className="done">
          {saveMutation.data?.message ?? (lineCount === 0 ? 'All lines are already saved.' : '')}
        </p>
        {saveMutation.data === undefined && lineCount > 0 && (
          <>
            <p className="mute">
              When you save, unknown payments are sent for review. The other lines are added to
              their registrations.
            </p>
            <div className="action-buttons">
              <button
                type="button"
                className="btn"
                disabled={saveMutation.isPending}
                onClick={() => saveMutation.mutate()}
              >
                Save {pluralise(lineCount, 'line')}
              </button>
            </div>
          </>
        )}
      </section>
      <Payouts payouts={settlement.payouts} />
      <LineGroups event={event} lines={settlement.lines} />
      <UnsettledPayments event={event} unsettled={settlement.unsettled} />
    </>
  )
}

/** Shows the saved lines of the event that staff must check, and its payments that are not settled yet. */
export function SavedSettlements({ event }: EventProps) {
  const query = useQuery({
    queryKey: ['settlements', event.id],
    queryFn: ({ signal }) => callApi(buildPath(event, 'settlements'), readSettlements, { signal }),
  })
  const error = useSignInOn401(query.error)
  const { data } = query
  // An event without card payments has no settlements.
  if (error?.status === 404) return null
  return (
    <>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {data && <LineGroups event={event} lines={data.lines} />}
      {data && <UnsettledPayments event={event} unsettled={data.unsettled} />}
    </>
  )
}

const pluralise = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** Summarises the lines of a report in a sentence. */
function ReportSummary({ lines }: WireSettlement) {
  const countLines = (lineKind: WireSettledLine['as']): number =>
    lines.filter((line) => line.as === lineKind).length
  const parts = LINE_GROUPS.flatMap(([lineKind, title]) =>
    countLines(lineKind) === 0 ? [] : [`${countLines(lineKind)} ${title.toLowerCase()}`],
  )
  return <p>{lines.length === 0 ? 'No settlements in this file.' : `${parts.join(', ')}.`}</p>
}

function Payouts({ payouts }: { readonly payouts: readonly WirePayout[] }) {
  if (payouts.length === 0) return null
  return (
    <section className="panel" aria-labelledby="settlement-payouts">
      <h2 id="settlement-payouts">Payouts</h2>
      <p className="mute">Each gateway transfer, with the amount that the bank statement shows.</p>
      <ul className="log statement-lines">
        {payouts.map((payout) => (
          <li key={`${payout.account} ${payout.utr} ${payout.day}`}>
            <span>
              <b>
                {payout.day !== null && isDay(payout.day) ? formatDayShort(payout.day) : 'No date'}
              </b>
              {payout.utr !== '' && <small>{payout.utr}</small>}
              <small>{listPayoutParts(payout).join(', ')}</small>
              {payout.account !== null && <small>{describeFormerAccount(payout.account)}</small>}
            </span>
            <b className="r">{formatSignedMoney(payout.net, readResponseCurrency(payout))}</b>
          </li>
        ))}
      </ul>
    </section>
  )
}

export const describeFormerAccount = (account: string): string =>
  `Account “${account}”, no longer in the event file`

/** Returns the components of a payout. */
export function listPayoutParts({
  lines,
  sales,
  refunds,
  fee,
  tax,
  others,
  elsewhere,
  ...payout
}: WirePayout): readonly string[] {
  const currency = readResponseCurrency(payout)
  const deductions = [
    ['refunds', refunds],
    ['fees', fee],
    ['tax on fees', tax],
    ['other deductions', others],
  ] as const
  return [
    `${pluralise(lines, 'line')}: ${formatResponseMoney(sales, currency)} paid`,
    ...deductions.flatMap(([label, amount]) =>
      amount <= 0 ? [] : [`less ${formatResponseMoney(amount, currency)} ${label}`],
    ),
    ...(others < 0 ? [`plus ${formatResponseMoney(-others, currency)} other credits`] : []),
    ...(elsewhere === null
      ? []
      : [
          `other events: ${pluralise(elsewhere.lines, 'line')}, ${formatSignedMoney(elsewhere.net, currency)}`,
        ]),
  ]
}

function LineGroups({ event, lines }: EventProps & { readonly lines: readonly WireSettledLine[] }) {
  return LINE_GROUPS.map(([lineKind, title, description, isCollapsed]) => {
    const groupLines = lines.filter((line) => line.as === lineKind)
    if (groupLines.length === 0) return null
    const heading = `${title} (${groupLines.length})`
    const list = (
      <>
        <p className="mute">{description}</p>
        <LinesByPayout
          lines={groupLines}
          renderLine={(line, index) => <SettledLine key={index} event={event} {...line} />}
        />
      </>
    )
    return isCollapsed ? (
      <details className="panel" key={lineKind}>
        <summary>{heading}</summary>
        {list}
      </details>
    ) : (
      <section className="panel" key={lineKind} aria-labelledby={`settled-${lineKind}`}>
        <h2 id={`settled-${lineKind}`}>{heading}</h2>
        {list}
      </section>
    )
  })
}

/** Lists the lines by payout, below the payout's date and reference. */
export function LinesByPayout<Line extends WireSettledLine>({
  lines,
  renderLine,
}: {
  readonly lines: readonly Line[]
  readonly renderLine: (line: Line, index: number) => ReactNode
}) {
  return groupRows(lines, describePayout).map(([payout, payoutLines]) => (
    <Fragment key={payout}>
      {payout !== '' && <p className="payout-heading">{payout}</p>}
      <ul className="log statement-lines" {...(payout !== '' && { 'aria-label': payout })}>
        {payoutLines.map(renderLine)}
      </ul>
    </Fragment>
  ))
}

const describePayout = ({ day, utr }: WireSettledLine): string =>
  [day !== null && isDay(day) ? formatDayShort(day) : '', utr].filter(Boolean).join(', ')

/**
 * Shows one line. `event` is the event of the line's registration, or else of its account. The heading above the list
 * states the payout.
 */
export function SettledLine({
  event,
  ...line
}: { readonly event: OfficeEvent | null } & WireSettledLine) {
  const { is: kind, amount, fee, tax, net, reference, order_id: order, reg_no: regNo, why } = line
  const currency = readResponseCurrency(line)
  const deductionText =
    fee + tax === 0
      ? ''
      : `, fee ${formatResponseMoney(fee, currency)}, tax ${formatResponseMoney(tax, currency)}`
  return (
    <li>
      <span>
        <b>{formatResponseMoney(amount, currency)}</b>
        {kind === 'refund' && ' refunded'}
        {deductionText}
        <small>{[reference, order].filter(Boolean).join(', order ')}</small>
        {regNo !== null && (
          <small>{event === null ? regNo : <RegistrationLink event={event} regNo={regNo} />}</small>
        )}
        {why !== null && <small className={line.handled === null ? 'bad' : ''}>{why}</small>}
        {event !== null && line.id !== null && (
          <HandleLine
            event={event}
            line={{
              reference,
              order_id: order,
              seen: line.seen,
              handled: line.handled,
              id: line.id,
            }}
          />
        )}
      </span>
      <span className="r">{formatSignedMoney(net, currency)}</span>
    </li>
  )
}

const RegistrationLink = ({ event, regNo }: EventProps & { readonly regNo: string }) => (
  <Link to={buildRegistrationUrl(event, regNo)}>{regNo}</Link>
)

function UnsettledPayments({
  event,
  unsettled,
}: EventProps & { readonly unsettled: readonly WireUnsettledPayment[] }) {
  const [visibleCount, setVisibleCount] = useState(RECONCILIATION_ROWS)
  if (unsettled.length === 0) return null
  return (
    <section className="panel" aria-labelledby="settlement-open">
      <h2 id="settlement-open">Paid, not settled yet ({formatCount(unsettled.length)})</h2>
      <p className="mute">The gateway pays out within a few working days.</p>
      <ul className="log statement-lines">
        {unsettled
          .slice(0, visibleCount)
          .map(({ reg_no: regNo, reference, paid_on: paidOn, days, account, ...payment }) => (
            <li key={`${reference} ${regNo}`}>
              <span>
                <b>{formatResponseMoney(payment.amount, readResponseCurrency(payment))}</b>, paid on{' '}
                {isDay(paidOn) ? formatDayShort(paidOn) : paidOn}
                <small>
                  {regNo === null ? '' : <RegistrationLink event={event} regNo={regNo} />}{' '}
                  {reference}
                </small>
                {account !== null && <small>{describeFormerAccount(account)}</small>}
              </span>
              <span className={days > SETTLED_WITHIN_DAYS ? 'r bad' : 'r'}>
                {days === 0 ? 'today' : `${pluralise(days, 'day')} ago`}
              </span>
            </li>
          ))}
      </ul>
      <ShowMoreButton
        count={unsettled.length}
        visibleCount={visibleCount}
        step={RECONCILIATION_ROWS}
        onChange={setVisibleCount}
      />
    </section>
  )
}

const LINE_GROUPS = [
  ['differs', 'Discrepancies', 'The report differs from the records in Rollcall.', false],
  ['unknown', 'Unknown', 'Rollcall has no record of these lines.', false],
  ['review', 'Needs review', 'Decide on the registration’s page or under Needs review.', false],
  ['elsewhere', 'Belongs to another event', 'Staff of that event see the details.', true],
  [
    'handled',
    'Handled',
    'Lines that differ or are unknown, but that staff have marked as handled, with a reason.',
    true,
  ],
  ['settled', 'Settled', 'The amounts agree.', true],
  ['refunded', 'Refunds', 'Deducted by the gateway. The amounts agree.', true],
] as const satisfies readonly (readonly [WireSettledLine['as'], string, string, boolean])[]
