/** The table of created discount codes: uses, discount granted, and a Withdraw button. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCount, formatDayShort, isDay } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { CodesResponse, WireCode } from '../../../engine/api.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { callApi } from '../office-api-and-urls.ts'
import { readMessage } from '../office-api-responses.ts'
import { AmountTable } from '../payments/payment-tables.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { addAmounts, formatSignedMoney } from '../ui/format-amount.ts'

export const API_PATH = '/api/admin/codes/'
export type Kinds = CodesResponse['kinds']

export function CodeList({
  eventId,
  codes,
  kinds,
  currency,
  canManage,
  onChange,
}: {
  readonly eventId: string
  readonly codes: readonly WireCode[]
  readonly kinds: Kinds
  /** The event's currency, in which the discount of an unused code is stated. */
  readonly currency: Currency
  readonly canManage: boolean
  readonly onChange: () => void
}) {
  const [codeToConfirm, setCodeToConfirm] = useState<string | null>(null)
  const withdrawMutation = useMutation({
    mutationFn: (code: string) =>
      callApi(`${API_PATH}withdraw/`, readMessage, {
        method: 'POST',
        json: { event: eventId, code },
      }),
    onSuccess: onChange,
    onSettled: () => setCodeToConfirm(null),
  })
  const withdrawError = useSignInOn401(withdrawMutation.error)
  return (
    <>
      {withdrawError && (
        <Banner text={withdrawError.message} onDismiss={() => withdrawMutation.reset()} />
      )}
      <p role="status" className="form-status">
        {withdrawMutation.data ?? ''}
      </p>
      {codes.length === 0 && <p className="mute">No codes yet.</p>}
      {codes.length > 0 && (
        <AmountTable
          label="All codes"
          head={[
            { text: 'Code' },
            { text: 'Used' },
            { text: 'Paid', isAmount: true },
            { text: 'Pending', isAmount: true },
            { text: 'Discount granted', isAmount: true },
            { text: 'Valid until' },
            ...(canManage ? [{ text: 'Withdraw' }] : []),
          ]}
        >
          <tbody>
            {codes.map((code, index) => {
              const kind = kinds.find(({ id }) => id === code.kind)
              return (
                <tr key={canManage ? code.code : index}>
                  <th scope="row">
                    <b className="code">{code.code}</b>
                    <small>{kind?.label ?? code.kind}</small>
                    {code.note !== '' && <small>{code.note}</small>}
                  </th>
                  <td className="day" data-head="Used">
                    {formatCount(code.uses)} of {formatCount(code.uses_max)}
                  </td>
                  <td className="num" data-head="Paid">
                    {formatCount(code.paid)}
                  </td>
                  <td className="num" data-head="Pending">
                    {formatCount(code.uses - code.paid)}
                  </td>
                  <td className="num" data-head="Discount granted">
                    <Discount code={code} kind={kind} currency={currency} />
                  </td>
                  <td className="day" data-head="Valid until">
                    {code.until !== null && isDay(code.until) && formatDayShort(code.until)}
                  </td>
                  {canManage && (
                    <td>
                      {code.withdrawn_at === null ? (
                        <button
                          type="button"
                          className="btn line sm"
                          disabled={withdrawMutation.isPending}
                          onClick={() =>
                            codeToConfirm === code.code
                              ? withdrawMutation.mutate(code.code)
                              : setCodeToConfirm(code.code)
                          }
                        >
                          {codeToConfirm === code.code ? 'Withdraw permanently?' : 'Withdraw'}
                          <span className="vh"> {code.code}</span>
                        </button>
                      ) : (
                        <Badge tone="bad" icon="cross">
                          Withdrawn
                        </Badge>
                      )}
                    </td>
                  )}
                </tr>
              )
            })}
          </tbody>
        </AmountTable>
      )}
      {codes.length > 0 && (
        <p className="mute">
          Discount granted: the amount deducted from the prices of paid registrations, including
          tax. Cancelled and rejected registrations are not counted.
        </p>
      )}
    </>
  )
}

/** Shows the discount granted to paid registrations and, below it, to unpaid or unapproved ones, by currency. */
function Discount({
  code: { discounts },
  kind,
  currency: eventCurrency,
}: {
  readonly code: WireCode
  readonly kind: Kinds[number] | undefined
  readonly currency: Currency
}) {
  if (discounts === null) {
    const reason =
      kind === undefined
        ? 'The event file no longer contains this kind of code.'
        : 'This kind of code gives a category with its own price, not a discount.'
    return (
      <span title={reason}>
        <span aria-hidden="true">–</span>
        <span className="vh">{reason}</span>
      </span>
    )
  }
  if (discounts.length === 0) return <>{formatSignedMoney(0, eventCurrency)}</>
  return discounts.map((discount) => {
    const currency = readResponseCurrency(discount)
    const pendingAmount = addAmounts([discount.amount, -discount.paid], currency)
    return (
      <span className="sum" key={currency}>
        {formatSignedMoney(discount.paid, currency)}
        {pendingAmount !== 0 && (
          <small>and {formatSignedMoney(pendingAmount, currency)} pending</small>
        )}
      </span>
    )
  })
}
