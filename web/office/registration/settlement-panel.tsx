/** The settlements of one registration's payments: payout dates and deductions. */
import { formatDayShort, isDay } from '../../../engine/index.ts'
import type { OfficeRegistrationAnswer } from '../../../engine/api.ts'
import { formatRupees, formatSignedRupees } from '../lists/list-table.tsx'

const KIND_LABELS = { sale: 'settled', refund: 'refund deducted', other: 'adjustment' } as const

/** Renders nothing if no settlement contains a payment of the registration. */
export function SettlementPanel({
  settled: settlements,
}: Pick<OfficeRegistrationAnswer, 'settled'>) {
  if (settlements.length === 0) return null
  return (
    <section className="pan" aria-labelledby="reg-settled">
      <h2 id="reg-settled">Payouts</h2>
      <ul className="log">
        {settlements.map(({ is: kind, reference, amount, fee, tax, net, day, utr }, index) => (
          <li key={index}>
            <span>
              {formatRupees(amount, true)} {KIND_LABELS[kind]}
              {day !== null && isDay(day) && ` on ${formatDayShort(day)}`}
              <small>{[reference, utr].filter(Boolean).join(', ')}</small>
              {fee + tax > 0 && (
                <small>
                  fee {formatRupees(fee, true)}, tax {formatRupees(tax, true)}
                </small>
              )}
            </span>
            <span className="r">{formatSignedRupees(net)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
