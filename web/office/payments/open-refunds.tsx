/** Refunds that are not completed: requested, in progress, or rejected by the gateway. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import type { SessionResponse, WireOpenRefund } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatResponseMoney } from '../ui/format-amount.ts'
import { EntryTime } from '../ui/list-entry-time.tsx'
import { AmountTable, RegistrationLink } from './payment-tables.tsx'
import { readOpenRefunds } from './payments-api-responses.ts'

const REFUND_STATES = {
  wanted: { text: 'Requested', tone: 'care', icon: 'clock' },
  asked: { text: 'In progress', tone: 'care', icon: 'clock' },
  unsure: { text: 'Result unknown', tone: 'bad', icon: 'tri' },
  refused: { text: 'Rejected', tone: 'bad', icon: 'cross' },
  done: { text: 'Done', tone: 'good', icon: 'tick' },
} as const satisfies Readonly<Record<WireOpenRefund['state'], object>>

type OpenRefundsProps = { readonly session: SessionResponse; readonly eventId: string | null }

export function OpenRefunds({ session, eventId }: OpenRefundsProps) {
  const query = useQuery({
    queryKey: ['open refunds', eventId],
    queryFn: ({ signal }) =>
      callApi(
        `/api/admin/open-refunds/${eventId === null ? '' : `?event=${encodeURIComponent(eventId)}`}`,
        readOpenRefunds,
        { signal },
      ),
  })
  const error = useSignInOn401(query.error)
  const refunds = query.data?.refunds
  return (
    <>
      {error && (
        <Banner
          text={error.message}
          action={{ label: 'Try Again', onClick: () => void query.refetch() }}
        />
      )}
      {refunds?.length === 0 && (
        <p className="clear">
          <Icon name="tick" small /> No open refunds. <Link to="?tab=all">All payments</Link> shows
          completed refunds.
        </p>
      )}
      {refunds !== undefined && refunds.length > 0 && (
        <AmountTable
          label="Open refunds"
          head={[
            { text: 'Requested' },
            { text: 'Registration' },
            { text: 'State' },
            { text: 'Reason' },
            { text: 'Refund', isAmount: true },
          ]}
        >
          <tbody>
            {refunds.map((row) => {
              const { text, tone, icon } = REFUND_STATES[row.state]
              return (
                <tr key={row.id}>
                  <td className="day" data-head="Requested">
                    <EntryTime at={row.at} />
                  </td>
                  <th scope="row">
                    <RegistrationLink
                      session={session}
                      eventId={row.event_id}
                      regNo={row.reg_no}
                      name={row.name}
                      event={eventId === null ? row.event : null}
                    />
                  </th>
                  <td data-head="State">
                    <Badge tone={tone} icon={icon}>
                      {text}
                    </Badge>
                    {(row.state === 'refused' || row.state === 'unsure') && (
                      <small>
                        <Link to="?tab=review">Decide</Link>
                      </small>
                    )}
                  </td>
                  <td data-head="Reason">
                    {row.why}
                    <small>{row.who}</small>
                  </td>
                  <td className="num" data-head="Refund">
                    {formatResponseMoney(row.amount, readResponseCurrency(row))}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </AmountTable>
      )}
    </>
  )
}
