/** The gateway's settlements: a report before it is kept, the kept settlements, and unsettled payments. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatDayShort, isDay, SETTLED_WITHIN_DAYS } from '../../../engine/index.ts'
import type {
  OfficeEvent,
  WirePayout,
  WireSettled,
  WireSettlement,
  WireUnsettled,
} from '../../../engine/api.ts'
import { download, save } from '../../app/api-client.ts'
import { toSpreadsheet, callApi, registrationUrl, unwrap } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatRupees, formatSignedRupees } from '../lists/list-table.tsx'
import { readKept, readSettlements } from './settlement-api-responses.ts'

type OfEvent = { readonly event: OfficeEvent }
const callOf = (event: OfficeEvent, path: string, query = ''): string =>
  `/api/admin/${path}/?event=${encodeURIComponent(event.id)}${query}`

type ReportProps = OfEvent & {
  readonly settlement: WireSettlement
  readonly file: File
  /** The user's column mapping; empty: recognised by the headings. */
  readonly columns: string
}

/** A loaded report: nothing is stored until the user confirms. */
export function Report({ event, settlement, file, columns }: ReportProps) {
  const client = useQueryClient()
  const keep = useMutation({
    mutationFn: () =>
      callApi(callOf(event, 'reconcile/keep', columns), readKept, {
        method: 'POST',
        form: toSpreadsheet(file),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['settlements', event.id] }),
  })
  const refused = useSignInOn401(keep.error)
  const { fresh, unread, not_yet: notYet } = settlement
  return (
    <>
      <section className="pan" aria-labelledby="settlement-report">
        <h2 id="settlement-report">Gateway settlement</h2>
        <Said {...settlement} />
        {unread.length > 0 && (
          <p className="care">
            Line {unread.join(', ')} could not be read: the amount or date is unclear, or the
            currency is not rupees.
          </p>
        )}
        {notYet > 0 && (
          <p className="mute">
            {notYet === 1 ? '1 line is' : `${notYet} lines are`} not settled by the gateway yet.
          </p>
        )}
        {refused && <Banner text={refused.message} onDismiss={() => keep.reset()} />}
        <p role="status" className="done">
          {keep.data?.message ?? (fresh === 0 ? 'All lines were saved before.' : '')}
        </p>
        {keep.data === undefined && fresh !== null && fresh > 0 && (
          <>
            <p className="mute">
              Saving sends unknown payments to review. The other lines are added to their
              registrations.
            </p>
            <div className="acts-of">
              <button
                type="button"
                className="btn"
                disabled={keep.isPending}
                onClick={() => keep.mutate()}
              >
                Save {fresh} {fresh === 1 ? 'line' : 'lines'}
              </button>
            </div>
          </>
        )}
      </section>
      <Payouts payouts={settlement.payouts} />
      <Groups event={event} lines={settlement.lines} />
      <Open event={event} unsettled={settlement.unsettled} />
    </>
  )
}

/** All kept settlements of the event's account. */
export function KeptSettlements({ event }: OfEvent) {
  const query = useQuery({
    queryKey: ['settlements', event.id],
    queryFn: ({ signal }) => callApi(callOf(event, 'settlements'), readSettlements, { signal }),
  })
  const saving = useMutation({
    mutationFn: async () => {
      const file = unwrap(await download(callOf(event, 'settlements/export')))
      save(file.blob, file.name ?? `${event.id}_settlements.csv`)
    },
  })
  const error = useSignInOn401(query.error)
  const refused = useSignInOn401(saving.error)
  const { data } = query
  // An event without card payments has none.
  if (error?.status === 404) return null
  return (
    <>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {refused && <Banner text={refused.message} onDismiss={() => saving.reset()} />}
      {data && data.payouts.length > 0 && (
        <Payouts payouts={data.payouts}>
          <button
            type="button"
            className="btn line sm"
            disabled={saving.isPending}
            onClick={() => saving.mutate()}
          >
            Export settlements (CSV)
          </button>
        </Payouts>
      )}
      {data && <Groups event={event} lines={data.lines} />}
      {data && <Open event={event} unsettled={data.unsettled} />}
    </>
  )
}

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

/** Summary of a report's lines as a sentence. */
function Said({ lines }: WireSettlement) {
  const of = (as: WireSettled['as']): number => lines.filter((line) => line.as === as).length
  const parts = GROUPS.flatMap(([as, title]) =>
    of(as) === 0 ? [] : [`${of(as)} ${title.toLowerCase()}`],
  )
  return <p>{lines.length === 0 ? 'No settlements in this file.' : `${parts.join(', ')}.`}</p>
}

type PayoutsProps = {
  readonly payouts: readonly WirePayout[]
  readonly children?: React.ReactNode
}

function Payouts({ payouts, children }: PayoutsProps) {
  if (payouts.length === 0) return null
  return (
    <section className="pan" aria-labelledby="settlement-payouts">
      <h2 id="settlement-payouts">Payouts</h2>
      <p className="mute">Each gateway transfer, with the amount that the bank statement shows.</p>
      <ul className="log stmt">
        {payouts.map((payout) => (
          <li key={`${payout.account} ${payout.utr} ${payout.day}`}>
            <span>
              <b>
                {payout.day !== null && isDay(payout.day) ? formatDayShort(payout.day) : 'No date'}
              </b>
              {payout.utr !== '' && <small>{payout.utr}</small>}
              <small>{partsOf(payout).join(', ')}</small>
              {payout.account !== null && <small>{ofFormer(payout.account)}</small>}
            </span>
            <b className="r">{formatSignedRupees(payout.net)}</b>
          </li>
        ))}
      </ul>
      {children}
    </section>
  )
}

const ofFormer = (account: string): string =>
  `Account ${account}, which is not in the event file any more`

/** The components of the amount. */
function partsOf({
  lines,
  sales,
  refunds,
  fee,
  tax,
  others,
  elsewhere,
}: WirePayout): readonly string[] {
  const less = [
    ['refunds', refunds],
    ['fees', fee],
    ['tax on fees', tax],
    ['other deductions', others],
  ] as const
  return [
    `${count(lines, 'line')}: ${formatRupees(sales, true)} paid`,
    ...less.flatMap(([word, amount]) =>
      amount <= 0 ? [] : [`less ${formatRupees(amount, true)} ${word}`],
    ),
    ...(others < 0 ? [`plus ${formatRupees(-others, true)} other credits`] : []),
    ...(elsewhere === null
      ? []
      : [`other events: ${count(elsewhere.lines, 'line')}, ${formatSignedRupees(elsewhere.net)}`]),
  ]
}

function Groups({ event, lines }: OfEvent & { readonly lines: readonly WireSettled[] }) {
  return GROUPS.map(([as, title, about, isFolded]) => {
    const those = lines.filter((line) => line.as === as)
    if (those.length === 0) return null
    const head = `${title} (${those.length})`
    const list = (
      <>
        <p className="mute">{about}</p>
        <ul className="log stmt">
          {those.map((line, at) => (
            <Line key={at} event={event} {...line} />
          ))}
        </ul>
      </>
    )
    return isFolded ? (
      <details className="pan" key={as}>
        <summary>{head}</summary>
        {list}
      </details>
    ) : (
      <section className="pan" key={as} aria-labelledby={`settled-${as}`}>
        <h2 id={`settled-${as}`}>{head}</h2>
        {list}
      </section>
    )
  })
}

function Line({ event, ...line }: OfEvent & WireSettled) {
  const {
    is,
    amount,
    fee,
    tax,
    net,
    day,
    utr,
    reference,
    order_id: order,
    reg_no: regNo,
    why,
  } = line
  const when = [day !== null && isDay(day) ? formatDayShort(day) : '', utr]
    .filter(Boolean)
    .join(', ')
  const taken =
    fee + tax === 0 ? '' : `, fee ${formatRupees(fee, true)}, tax ${formatRupees(tax, true)}`
  return (
    <li>
      <span>
        <b>{formatRupees(amount, true)}</b>
        {is === 'refund' && ' went back'}
        {taken}
        <small>{[reference, order].filter(Boolean).join(', order ')}</small>
        <small>{when}</small>
        {regNo !== null && (
          <small>
            <OfRegistration event={event} regNo={regNo} />
          </small>
        )}
        {why !== null && <small className="bad">{why}</small>}
      </span>
      <span className="r">{formatSignedRupees(net)}</span>
    </li>
  )
}

function OfRegistration({ event, regNo }: OfEvent & { readonly regNo: string }) {
  const list = event.lists[0]
  return list === undefined ? regNo : <Link to={registrationUrl(list, regNo)}>{regNo}</Link>
}

function Open({ event, unsettled }: OfEvent & { readonly unsettled: readonly WireUnsettled[] }) {
  if (unsettled.length === 0) return null
  return (
    <section className="pan" aria-labelledby="settlement-open">
      <h2 id="settlement-open">Paid, not settled yet ({unsettled.length})</h2>
      <p className="mute">The gateway pays out within some working days.</p>
      <ul className="log stmt">
        {unsettled.map(({ reg_no: regNo, reference, amount, paid_on: on, days, account }) => (
          <li key={`${reference} ${regNo}`}>
            <span>
              <b>{formatRupees(amount, true)}</b>, paid on {isDay(on) ? formatDayShort(on) : on}
              <small>
                {regNo === null ? '' : <OfRegistration event={event} regNo={regNo} />} {reference}
              </small>
              {account !== null && <small>{ofFormer(account)}</small>}
            </span>
            <span className={days > SETTLED_WITHIN_DAYS ? 'r bad' : 'r'}>
              {days === 0 ? 'today' : `${count(days, 'day')} ago`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const GROUPS = [
  ['differs', 'Differs', 'The report differs from the records in Rollcall.', false],
  ['unknown', 'Unknown', 'Rollcall has no record of these lines.', false],
  ['review', 'Needs review', 'Decide on the registration’s page or under Needs review.', false],
  ['elsewhere', 'Belongs to another event', 'Staff of that event see the details.', true],
  ['settled', 'Settled', 'The amounts agree.', true],
  ['refunded', 'Refunds', 'Deducted by the gateway. The amounts agree.', true],
] as const satisfies readonly (readonly [WireSettled['as'], string, string, boolean])[]
