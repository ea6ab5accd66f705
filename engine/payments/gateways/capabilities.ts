/** The capabilities of each card gateway from its public documentation, for the checker and for requests. */
import { getOwn } from '../../lib/result.ts'
import { addDays, addMonths, dayOf } from '../../lib/time.ts'
import type { Day, Instant } from '../../lib/time.ts'
import { AMOUNT_MAX, INR, getDecimals, toAmount } from '../../lib/money.ts'
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
  /** The time after the payment in which it can be refunded through the gateway. Null: no limit is documented. */
  readonly refundsWithin: RefundLimit | null
  /** Codes of a failure after which no payment is in progress. After any other one it may be. */
  readonly finalFailures: readonly string[]
}

type RefundLimit = { readonly months: number } | { readonly days: number }

const listCurrencies = (codes: string): readonly Currency[] =>
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
    refundsWithin: null,
    // Failed, bounced, cancelled.
    finalFailures: ['400', '405', '502'],
  },
  razorpay: {
    label: 'Razorpay',
    currencies: listCurrencies('INR USD EUR GBP AUD CAD CHF HKD LKR SGD'),
    methods: ['card', 'net_banking', 'upi', 'wallet', 'pay_later'],
    hasPartialRefunds: true,
    majorUnitsMin: 1,
    amountMax: AMOUNT_MAX,
    createsCheckout: true,
    // Captured automatically at least 12 minutes after authorisation; after three days it is refunded.
    checkoutMinutes: { min: 12, max: 3 * 24 * 60 },
    refundsWithin: { months: 6 },
    finalFailures: ['BAD_REQUEST_ERROR'],
  },
}

/** The gateway of files that name no kind: they were written when it was the only one. */
export const DEFAULT_GATEWAY = 'airpay' satisfies GatewayKind

export const isGatewayKind = (text: string): text is GatewayKind =>
  Object.hasOwn(GATEWAY_CAPABILITIES, text)

/** Codes after which no payment is in progress, of all gateways. */
export const FINAL_FAILURES: ReadonlySet<string> = new Set(
  Object.values(GATEWAY_CAPABILITIES).flatMap(({ finalFailures }) => finalFailures),
)

/** The protocol of a gateway as event files compile it. */
export const getGatewayKind = ({ kind }: { readonly kind?: GatewayKind }): GatewayKind =>
  kind ?? DEFAULT_GATEWAY

export const getGatewayCapabilities = (gateway: {
  readonly kind?: GatewayKind
}): GatewayCapabilities => GATEWAY_CAPABILITIES[getGatewayKind(gateway)]

/** The capabilities of the gateway behind a payment method. */
export const getCardCapabilities = ({
  gateway,
}: Pick<CardMethod, 'gateway'>): GatewayCapabilities =>
  GATEWAY_CAPABILITIES[gateway ?? DEFAULT_GATEWAY]

/** The smallest payment that a gateway accepts in this currency. */
export const getGatewayMinimum = (
  { majorUnitsMin }: GatewayCapabilities,
  currency: Currency,
): Amount => toAmount(majorUnitsMin * 10 ** getDecimals(currency))

/** The kind of each gateway by its name in the gateways file, under which payments are stored. */
export type GatewayKinds = Readonly<Record<string, GatewayKind>>

/**
 * Explains why a payment cannot be refunded through its gateway any more, and the next step, in sentences; null if it
 * can. `source`: the gateway's name. It would refuse the refund, so none is sent. A gateway that no event uses any
 * more is known by its name only if that is the name of a kind.
 */
export function explainTooOldForGateway(
  { source, paidAt }: { readonly source: string; readonly paidAt: Instant },
  kinds: GatewayKinds,
  at: Instant,
): string | null {
  const kind = getOwn(kinds, source) ?? (isGatewayKind(source) ? source : null)
  const { label = '', refundsWithin: limit = null } =
    kind === null ? {} : GATEWAY_CAPABILITIES[kind]
  if (limit === null || dayOf(at) <= getLastRefundDay(limit, dayOf(paidAt))) return null
  const age = 'months' in limit ? `${limit.months} months` : `${limit.days} days`
  return `The payment is more than ${age} old, so ${label} cannot refund it. Ask the delegate for a bank account, pay the refund by bank transfer, and record it as already refunded outside Rollcall, with the reference of the transfer.`
}

/** The last day on which a gateway with this limit refunds a payment of that day. */
export const getLastRefundDay = (limit: RefundLimit, paidOn: Day): Day =>
  'months' in limit ? addMonths(paidOn, limit.months) : addDays(paidOn, limit.days)
