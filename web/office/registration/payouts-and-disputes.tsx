/** The gateway's reports about one registration's payments: payouts with their deductions, and disputes. */
import { formatDayShort, isDay } from '../../../engine/index.ts'
import type { OfficeRegistrationResponse } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponseMoney, formatSignedMoney } from '../ui/format-amount.ts'

const KIND_LABELS = { sale: 'settled', refund: 'refund deducted', other: 'adjustment' } as const

/** Renders nothing if no settlement contains a payment of the registration. */
export function SettlementPanel({
  settled: settlements,
}: Pick<OfficeRegistrationResponse, 'settled'>) {
  if (settlements.length === 0) return null
  return (
    <section className="panel" aria-labelledby="reg-settled">
      <h2 id="reg-settled">Payouts</h2>
      <ul className="log">
        {settlements.map(
          ({ is: kind, reference, amount, fee, tax, net, day, utr, ...line }, index) => {
            const currency = readResponseCurrency(line)
            return (
              <li key={index}>
                <span>
                  {formatResponseMoney(amount, currency)} {KIND_LABELS[kind]}
                  {day !== null && isDay(day) && ` on ${formatDayShort(day)}`}
                  <small>{[reference, utr].filter(Boolean).join(', ')}</small>
                  {fee + tax > 0 && (
                    <small>
                      fee {formatResponseMoney(fee, currency)}, tax{' '}
                      {formatResponseMoney(tax, currency)}
                    </small>
                  )}
                </span>
                <span className="r">{formatSignedMoney(net, currency)}</span>
              </li>
            )
          },
        )}
      </ul>
    </section>
  )
}

/** Renders nothing if no payment of the registration was disputed. */
export function DisputePanel({
  evidenceUrl,
  disputes,
}: {
  readonly evidenceUrl: string | null
  readonly disputes: OfficeRegistrationResponse['disputes']
}) {
  if (disputes.length === 0) return null
  return (
    <section className="panel" aria-labelledby="reg-disputes">
      <h2 id="reg-disputes">Disputes</h2>
      <ul className="log">
        {disputes.map(({ id, text, details, since, is_open: isOpen }) => (
          <li key={id}>
            <span className={isOpen ? 'care' : undefined}>
              <span>
                {text}
                <small>
                  {id}, since {since}
                </small>
                {details !== '' && <small>{details}</small>}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {evidenceUrl !== null && (
        <p>
          <a href={evidenceUrl} download>
            <Icon name="file" small /> Evidence (PDF)
          </a>
        </p>
      )}
    </section>
  )
}
