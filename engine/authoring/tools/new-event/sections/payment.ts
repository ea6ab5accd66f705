/** Writes the payment methods of a new event: by card in rupees, otherwise by bank transfer. */
import { getAccountPrefix } from '../../../../payments/card-accounts.ts'
import { DEFAULT_GATEWAY } from '../../../../payments/gateways/capabilities.ts'
import { INR } from '../../../../lib/money.ts'
import { addDays, type Day } from '../../../../lib/time.ts'
import type { EventDays } from '../price-periods.ts'
import type { SampleOptions } from '../sample-options.ts'
import { appendComment } from '../yaml-text.ts'

export type PaymentSections = {
  /** The last day on which delegates can pay. Null if it is the last day of registration. */
  readonly closes: Day | null
  readonly payment: string
  /** The placeholders in these lines, with comments. */
  readonly demo: readonly (readonly [path: string, comment: string])[]
}

/** A bank transfer takes some days and must arrive before the event. */
const TRANSFER_DAYS = 7

/** Chooses the payment method and its last day. Delegates must still be able to pay the prices of the last period. */
export function createPaymentSections(
  { id, free = false, currency = INR, account }: SampleOptions,
  { from, to, periods, window }: EventDays,
): PaymentSections {
  if (free)
    return {
      closes: null,
      payment: '# Free event: registrations are confirmed immediately.\npayment: none',
      demo: [],
    }
  if (currency === INR)
    return {
      closes: null,
      payment: `# For a free event, write  payment: none  and  free  for every price.\npayment:\n  gateway: ${DEFAULT_GATEWAY}\n${appendComment(`  account: ${account ?? id}`, `credentials: ${getAccountPrefix(DEFAULT_GATEWAY, account ?? id)}… on the server`)}`,
      demo:
        account === undefined
          ? [['payment.account', 'the account that receives the payments']]
          : [],
    }
  const last = periods.at(-1)
  const transfersUntil = addDays(from, -TRANSFER_DAYS)
  const days = last?.from == null || transfersUntil >= last.from ? TRANSFER_DAYS : 1
  const latest = addDays(days === 1 ? to : from, -days)
  const closes = [latest, last?.to ?? latest, window.closes ?? latest].reduce((one, other) =>
    one < other ? one : other,
  )
  return {
    closes,
    payment: `# Airpay and UPI accept only rupees.
payment:
  methods:
    - id: transfer
      label: Bank transfer
      until: ${closes}
      instructions: |
        Please transfer the amount to our account, IBAN DE00 1234 5678 9012 3456 00, BIC SAMPLEFF.
        Give your registration number as the purpose.
      fields:                           # staff find the transfer by this reference
        - {id: transfer_reference, label: Reference of the transfer, pattern: "[A-Z0-9]{8,35}", invalid: "Please enter 8 to 35 capital letters and digits", unique: true, required: true}
      expires_after: ${days} day${days === 1 ? '' : 's'}
    - {id: desk, label: Front desk, office_only: true}`,
    demo: [['payment.methods', 'the account that receives the payments']],
  }
}
