/** Checks EV1140: no charge is added to payments by UPI or RuPay debit card. */
import { findBankNumbers } from '../../../payments/payment-methods.ts'
import { matchesCondition } from '../../../rules/conditions-and-operators.ts'
import { METHOD_NAME } from '../../../rules/pricing-context.ts'
import type { Condition } from '../../../event/answer-types.ts'
import type { PaymentMethod } from '../../../event/payment-method-types.ts'
import { INR } from '../../../lib/money.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks } from '../../checked-file.ts'

/** Returns whether the method accepts UPI: card gateways do, as do transfers whose instructions contain a UPI ID. */
const acceptsUpi = (method: PaymentMethod): boolean =>
  method.is === 'card' ||
  (method.is === 'transfer' &&
    findBankNumbers(method.instructions).some(({ label }) => label === 'UPI ID'))

/** Returns whether a condition tests the payment method and can be true for this method. Ignores other tests. */
const canApplyToMethod = (when: Condition, { id }: PaymentMethod): boolean =>
  when.some((map) => {
    const tests = map.filter(({ field }) => field === METHOD_NAME)
    return tests.length > 0 && matchesCondition([tests], { [METHOD_NAME]: id })
  })

const chargeOnUpiCheck: Check = {
  slug: 'charge-on-upi',
  severity: 'note',
  why: 'Indian law forbids a charge on payments by UPI and RuPay debit card (section 10A of the Payment and Settlement Systems Act, 2007).',
  after: ['EV201', 'EV202'],
  find: ({ config }) => {
    const { adjustments, methods } = config.fees
    if (methods === undefined || config.currency !== INR) return []
    return adjustments.flatMap(({ id, when, by }, index): Draft[] => {
      const isCharge = 'percent' in by ? by.percent > 0 : by.amount > 0
      const method = config.methods.find(
        (candidate) =>
          isCharge &&
          when !== undefined &&
          acceptsUpi(candidate) &&
          canApplyToMethod(when, candidate),
      )
      return method === undefined
        ? []
        : [
            {
              at: `fees.adjustments.${index}`,
              message: `\`${id}\` adds a charge to payments by \`${method.id}\`, which also accepts UPI and RuPay debit cards`,
              help: 'a charge on UPI and RuPay debit cards is not allowed: state the higher price in the table, and deduct from it for the other methods',
            },
          ]
    })
  },
}

export const methodPriceChecks = { EV1140: chargeOnUpiCheck } satisfies Checks
