/** The settlements of one registration's payments: payout dates and deductions. */
import { formatDayShort, isDay } from '../../../engine/index.ts'
import type { OfficeRegistrationResponse } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { formatResponseMoney, formatSignedMoney } from '../ui/format-amount.ts'

const KIND_LABELS = { sale: 'settled', refund: 'refund deducted', other: 'adjustment' } as const

/** Renders nothing if no settlement contains a payment of the registration. */
export function SettlementPanel({
  settled: settlements,
}: Pick<OfficeRegistrationResponse, 'settled'>) {
  if (settlements.length === 0) return null
  return (
    <section className="pan" aria-labelledby="reg-settled">
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
