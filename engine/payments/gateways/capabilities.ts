/** What each card gateway accepts, for the checker and for requests: from its public documentation. */
import { getOwn } from '../../lib/result.ts'
import { addMonths, dayOf } from '../../lib/time.ts'
import type { Instant } from '../../lib/time.ts'
import { AMOUNT_MAX, INR, decimalsOf, toAmount } from '../../lib/money.ts'
import type { Amount, Currency } from '../../lib/money.ts'
import type { CardMethod, GatewayKind } from '../../event/payment-method-types.ts'

export type { GatewayKind } from '../../event/payment-method-types.ts'

export type GatewayCapabilities = {
  /** Its name in sentences. */
  readonly label: string
  readonly currencies: readonly Currency[]
  readonly methods: readonly ('card' | 'net_banking' | 'upi' | 'wallet' | 'pay_later')[]
  readonly hasPartialRefunds: boolean
  /** The smallest payment, in major units of its currency. */
  readonly majorUnitsMin: number
  /** The largest payment, in minor units. */
  readonly amountMax: Amount
  /** Whether our server creates the checkout before the browser is handed off. */
  readonly createsCheckout: boolean
  /** The shortest and the longest time in which a checkout can be paid. Null: until its price hold ends. */
  readonly checkoutMinutes: { readonly min: number; readonly max: number } | null
  /** Until how long after the payment it can be refunded through the gateway. Null: no limit is documented. */
  readonly refundMonthsMax: number | null
}

const currencies = (codes: string): readonly Currency[] =>
  codes.split(' ') as readonly string[] as readonly Currency[]

/** docs/airpay.md and docs/razorpay.md state the sources. */
export const GATEWAY_CAPABILITIES: Readonly<Record<GatewayKind, GatewayCapabilities>> = {
  airpay: {
    label: 'Airpay',
    currencies: [INR],
    methods: ['card', 'net_banking', 'upi', 'wallet'],
    hasPartialRefunds: true,
    majorUnitsMin: 1,
    amountMax: AMOUNT_MAX,
    createsCheckout: false,
    checkoutMinutes: null,
    refundMonthsMax: null,
  },
  razorpay: {
    label: 'Razorpay',
    currencies: currencies('INR USD EUR GBP AUD CAD CHF HKD LKR SGD'),
    methods: ['card', 'net_banking', 'upi', 'wallet', 'pay_later'],
    hasPartialRefunds: true,
    majorUnitsMin: 1,
    amountMax: AMOUNT_MAX,
    createsCheckout: true,
    // Captured automatically at least 12 minutes after authorisation; after three days it is refunded.
    checkoutMinutes: { min: 12, max: 3 * 24 * 60 },
    refundMonthsMax: 6,
  },
}

export const gatewayCapabilities = ({
  kind,
}: {
  readonly kind?: GatewayKind
}): GatewayCapabilities => GATEWAY_CAPABILITIES[kind ?? 'airpay']

/** The capabilities of the gateway behind a payment method. */
export const cardCapabilities = ({ gateway }: Pick<CardMethod, 'gateway'>): GatewayCapabilities =>
  GATEWAY_CAPABILITIES[gateway ?? 'airpay']

/** The smallest payment that a gateway accepts in this currency. */
export const gatewayMinimum = (
  { majorUnitsMin }: GatewayCapabilities,
  currency: Currency,
): Amount => toAmount(majorUnitsMin * 10 ** decimalsOf(currency))

/**
 * Why a payment cannot be refunded through its gateway any more, and what to do, in sentences; null if it can. `source`:
 * the gateway's name. It would refuse the refund, so none is sent.
 */
export function explainTooOldForGateway(
  { source, paidAt }: { readonly source: string; readonly paidAt: Instant },
  at: Instant,
): string | null {
  const { label = '', refundMonthsMax = null } = getOwn(GATEWAY_CAPABILITIES, source) ?? {}
  return refundMonthsMax === null || dayOf(at) <= addMonths(dayOf(paidAt), refundMonthsMax)
    ? null
    : `The payment is more than ${refundMonthsMax} months old, so ${label} cannot refund it. Ask the delegate for a bank account, pay the refund by bank transfer, and record it as already refunded outside Rollcall, with the reference of the transfer.`
}
