/** The payouts of all gateway accounts, each with its bank statement line, and the page of one payout. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { formatDayShort, isDay } from '../../../engine/index.ts'
import type { OfficeEvent, PayoutsResponse, WireBankLine } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { callApi, SETTLEMENTS } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { formatResponseMoney, formatSignedMoney } from '../ui/format-amount.ts'
import { ExportButtons } from '../jobs/export-buttons.tsx'
import { readPayouts } from './settlement-api-responses.ts'
import { buildStatementUrl } from './statement-api-responses.ts'
import {
  describeFormerAccount,
  LinesByPayout,
  listPayoutParts,
  SettledLine,
} from './settlement-report.tsx'
import '../registration/registration-details-page.css'
import './settlements.css'

type Payout = PayoutsResponse['payouts'][number]

const buildPayoutUrl = ({ utr, day }: Payout): string =>
  `${SETTLEMENTS}/${encodeURIComponent(utr === '' ? (day ?? '') : utr)}`

function usePayouts(reference: string) {
  const query = useQuery({
    queryKey: ['payouts', reference],
    queryFn: ({ signal }) =>
      callApi(`/api/admin/payouts/?${new URLSearchParams({ reference }).toString()}`, readPayouts, {
        signal,
      }),
  })
  return { query, error: useSignInOn401(query.error) }
}

const formatDayText = (day: string | null): string =>
  day === null ? 'No date' : isDay(day) ? formatDayShort(day) : day

export function AllPayouts({ event }: { readonly event: OfficeEvent }) {
  const { query, error } = usePayouts('')
  const payouts = query.data?.payouts ?? []
  return (
    <>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {payouts.length > 0 && (
        <section className="panel" aria-labelledby="settlement-payouts">
          <h2 id="settlement-payouts">Payouts</h2>
          <p className="mute">
            Payouts for all your events, with the matching bank statement lines.
          </p>
          <ul className="log statement-lines">
            {payouts.map((payout) => (
              <li key={`${payout.account} ${payout.utr} ${payout.day}`}>
                <span>
                  <Link to={buildPayoutUrl(payout)}>
                    {formatDayText(payout.day)}
                    {payout.utr !== '' && `, ${payout.utr}`}
                  </Link>
                  <small>{listPayoutParts(payout).join(', ')}</small>
                  {payout.account !== null && (
                    <small>{describeFormerAccount(payout.account)}</small>
                  )}
                  <BankLine bank={payout.bank} />
                </span>
                <b className="r">{formatSignedMoney(payout.net, readResponseCurrency(payout))}</b>
              </li>
            ))}
          </ul>
          <ExportButtons
            files={[
              {
                label: 'Export settlements (CSV)',
                path: `/api/admin/settlements/export/?event=${encodeURIComponent(event.id)}`,
                name: `${event.id}_settlements.csv`,
              },
            ]}
          />
        </section>
      )}
    </>
  )
}

/** Links to the payout's line in the bank statement, or states what is missing. */
function BankLine({ bank }: { readonly bank: WireBankLine }) {
  if (!('statement' in bank))
    return (
      <small className="care">
        {bank.is === 'missing'
          ? 'Not in the bank statement'
          : 'No bank statement for these dates yet'}
      </small>
    )
  const link = (
    <Link to={buildStatementUrl(bank.statement)}>bank statement, {formatDayText(bank.day)}</Link>
  )
  return bank.is === 'found' ? (
    <small className="good">
      <Icon name="tick" small /> In the {link}
    </small>
  ) : (
    <small className="bad">
      The bank shows a different amount,{' '}
      {formatResponseMoney(bank.amount, readResponseCurrency({}))}: {link}
    </small>
  )
}

export function PayoutPage({
  reference,
  events,
}: {
  readonly reference: string
  readonly events: readonly OfficeEvent[]
}) {
  const { query, error } = usePayouts(reference)
  const { data } = query
  const lines = data?.lines ?? []
  const renderLine = ({ event: eventId, ...line }: (typeof lines)[number], index: number) => (
    <SettledLine key={index} event={events.find(({ id }) => id === eventId) ?? null} {...line} />
  )
  return (
    <main className="main" id="main" aria-busy={query.isPending}>
      <PageHeading title={`Payout ${reference}`} />
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {data?.payouts.length === 0 && <p className="mute">No payout found with this reference.</p>}
      {data?.payouts.map((payout) => {
        const currency = readResponseCurrency(payout)
        const rows = [
          ['Payments', payout.sales],
          ['Refunds', -payout.refunds],
          ['Fees', -payout.fee],
          ['Tax on fees', -payout.tax],
          ['Other deductions', -payout.others],
          ...(payout.elsewhere === null ? [] : ([['Other events', payout.elsewhere.net]] as const)),
        ] as const
        return (
          <section className="panel" key={`${payout.utr} ${payout.day}`} aria-label="Amounts">
            <p>
              {formatDayText(payout.day)} <BankLine bank={payout.bank} />
            </p>
            <dl className="payout-totals">
              {rows
                .filter(([, amount]) => amount !== 0)
                .map(([label, amount]) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>{formatSignedMoney(amount, currency)}</dd>
                  </div>
                ))}
              <div className="net">
                <dt>Net payout</dt>
                <dd>{formatSignedMoney(payout.net, currency)}</dd>
              </div>
            </dl>
          </section>
        )
      })}
      {lines.length > 0 && (
        <section className="panel" aria-labelledby="payout-lines">
          <h2 id="payout-lines">Lines ({lines.length})</h2>
          {data?.payouts.length === 1 ? (
            <ul className="log statement-lines">{lines.map(renderLine)}</ul>
          ) : (
            <LinesByPayout lines={lines} renderLine={renderLine} />
          )}
        </section>
      )}
    </main>
  )
}
