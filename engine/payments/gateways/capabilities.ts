/**
 * What each payment gateway supports, according to its public documentation. Used by the checker and when building
 * gateway requests.
 */
import { getOwn } from '../../lib/result.ts'
import { addDays, addMonths, dayOf } from '../../lib/time.ts'
import type { Day, Instant } from '../../lib/time.ts'
import { MAX_AMOUNT, INR, getDecimals, toAmount } from '../../lib/money.ts'
import type { Amount, Currency } from '../../lib/money.ts'
import type { CardMethod, GatewayKind } from '../../event/payment-method-types.ts'

export type { GatewayKind } from '../../event/payment-method-types.ts'

export type GatewayCapabilities = {
  /** The gateway's name in messages. */
  readonly label: string
  readonly currencies: readonly Currency[]
  readonly methods: readonly ('card' | 'net_banking' | 'upi' | 'wallet' | 'pay_later')[]
  readonly supportsPartialRefunds: boolean
  /** The smallest payment, in major units of its currency. */
  readonly minMajorUnits: number
  /** The largest payment, in minor units. */
  readonly maxAmount: Amount
  /** Whether the server creates the checkout before redirecting the browser. */
  readonly createsCheckout: boolean
  /**
   * The minimum and maximum time that a checkout can remain open for payment. Null if it can be paid until its price
   * hold ends.
   */
  readonly checkoutMinutes: { readonly min: number; readonly max: number } | null
  /** The time within which the gateway can refund a payment. Null if no limit is documented. */
  readonly refundsWithin: RefundLimit | null
  /** Failure codes after which no payment is in progress. After any other code, a payment may be in progress. */
  readonly finalFailures: readonly string[]
}

type RefundLimit = { readonly months: number } | { readonly days: number }

const listCurrencies = (codes: string): readonly Currency[] =>
  codes.split(' ') as readonly string[] as readonly Currency[]

/** For the sources, see docs/airpay.md and docs/razorpay.md. */
export const GATEWAY_CAPABILITIES: Readonly<Record<GatewayKind, GatewayCapabilities>> = {
  airpay: {
    label: 'Airpay',
    currencies: [INR],
    methods: ['card', 'net_banking', 'upi', 'wallet'],
    supportsPartialRefunds: true,
    minMajorUnits: 1,
    maxAmount: MAX_AMOUNT,
    createsCheckout: false,
    checkoutMinutes: null,
    refundsWithin: null,
    // Failed, bounced, cancelled.
    finalFailures: ['400', '405', '502'],
  },
  razorpay: {
    label: 'Razorpay',
    currencies: listCurrencies('INR USD EUR GBP AUD CAD CHF HKD LKR SGD'),
    methods: ['card', 'net_banking', 'upi', 'wallet', 'pay_later'],
    supportsPartialRefunds: true,
    minMajorUnits: 1,
    maxAmount: MAX_AMOUNT,
    createsCheckout: true,
    // Captured automatically at least 12 minutes after authorisation; refunded after three days.
    checkoutMinutes: { min: 12, max: 3 * 24 * 60 },
    refundsWithin: { months: 6 },
    finalFailures: ['BAD_REQUEST_ERROR'],
  },
}

/** The gateway of older files that do not specify a kind. When they were written, Rollcall supported no other. */
export const DEFAULT_GATEWAY = 'airpay' satisfies GatewayKind

export const isGatewayKind = (text: string): text is GatewayKind =>
  Object.hasOwn(GATEWAY_CAPABILITIES, text)

/** The final failure codes of all gateways. */
export const FINAL_FAILURES: ReadonlySet<string> = new Set(
  Object.values(GATEWAY_CAPABILITIES).flatMap(({ finalFailures }) => finalFailures),
)

/** Returns the kind of a gateway in a compiled event. */
export const getGatewayKind = ({ kind }: { readonly kind?: GatewayKind }): GatewayKind =>
  kind ?? DEFAULT_GATEWAY

export const getGatewayCapabilities = (gateway: {
  readonly kind?: GatewayKind
}): GatewayCapabilities => GATEWAY_CAPABILITIES[getGatewayKind(gateway)]

/** Returns the capabilities of a card method's gateway. */
export const getCardCapabilities = ({
  gateway,
}: Pick<CardMethod, 'gateway'>): GatewayCapabilities =>
  GATEWAY_CAPABILITIES[gateway ?? DEFAULT_GATEWAY]

/** Returns the smallest payment that a gateway accepts in this currency. */
export const getGatewayMinimum = (
  { minMajorUnits }: GatewayCapabilities,
  currency: Currency,
): Amount => toAmount(minMajorUnits * 10 ** getDecimals(currency))

/** The kind of each gateway, keyed by its name in the gateways file. Stored payments contain this name. */
export type GatewayKinds = Readonly<Record<string, GatewayKind>>

/**
 * Returns a message that explains why a payment is too old to be refunded through its gateway, and what to do next.
 * Null if the payment can be refunded. If it is too old, no refund is requested, because the gateway would reject it.
 * `source`: the gateway's name. If no current event uses the gateway, its kind is known only if the gateway is named
 * after its kind (`airpay`, `razorpay`).
 */
export function explainWhyTooLateToRefund(
  { source, paidAt }: { readonly source: string; readonly paidAt: Instant },
  kinds: GatewayKinds,
  at: Instant,
): string | null {
  const kind = getOwn(kinds, source) ?? (isGatewayKind(source) ? source : null)
  const { label = '', refundsWithin: limit = null } =
    kind === null ? {} : GATEWAY_CAPABILITIES[kind]
  if (limit === null || dayOf(at) <= getLastRefundDay(limit, dayOf(paidAt))) return null
  const age = 'months' in limit ? `${limit.months} months` : `${limit.days} days`
  return `The payment is more than ${age} old, so ${label} cannot refund it. Ask the delegate for their bank details, pay the refund by bank transfer, and record it as already refunded outside Rollcall, with the reference of the transfer.`
}

/** Returns the last day on which a gateway with this limit refunds a payment made on `paidOn`. */
export const getLastRefundDay = (limit: RefundLimit, paidOn: Day): Day =>
  'months' in limit ? addMonths(paidOn, limit.months) : addDays(paidOn, limit.days)
