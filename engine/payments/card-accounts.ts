/**
 * Chooses the card method, gateway and merchant account of a payment, for events with several.
 *
 * Code that calls a gateway receives the event with its `payment` set by these functions.
 */
import type { EventConfig, GatewayAccount } from '../event/config.ts'
import type { Answers } from '../event/answer-types.ts'
import type { CardMethod, GatewayKind } from '../event/payment-method-types.ts'
import { memoize } from '../lib/memoize.ts'
import type { Currency } from '../lib/money.ts'
import { getOwn } from '../lib/result.ts'
import { METHOD_FIELD } from '../rules/pricing-context.ts'
import { getGatewayKind, type GatewayKinds } from './gateways/capabilities.ts'
import type { Day } from '../lib/time.ts'
import { acceptsCurrency, isMethodOpen } from './payment-methods.ts'

/** Normalises an account name, because event files and environment variables may use hyphens or underscores. */
export const toAccountKey = (account: string): string => account.toLowerCase().replaceAll('_', '-')

/** Returns the prefix of the environment variables with an account's credentials: `RAZORPAY_MID_ZONE_`. */
export const getAccountPrefix = (kind: GatewayKind, account: string): string =>
  `${kind.toUpperCase()}_${account.toUpperCase().replaceAll('-', '_')}_`

/** Returns the event once per gateway account, with the first card method first. */
export const listEventsByAccount: (event: EventConfig) => readonly EventConfig[] = memoize(
  (event) => {
    const { payment, cardAccounts } = event
    if (payment === null) return []
    if (cardAccounts === undefined) return [event]
    const accounts = new Map(
      Object.values(cardAccounts).map((account) => [formatAccountName(account), account]),
    )
    return [...accounts.values()].map((account) => ({ ...event, payment: account }))
  },
)

const formatAccountName = ({ gateway, account }: GatewayAccount): string =>
  `${gateway.name} ${toAccountKey(account)}`

/** Returns every gateway account of the event. */
export function listGatewayAccounts(event: EventConfig): readonly GatewayAccount[] {
  return listEventsByAccount(event).flatMap(({ payment }) => payment ?? [])
}

/** Returns the kind of each gateway, keyed by name. A name has the same kind in all events. */
export function listGatewayKinds(events: readonly EventConfig[]): GatewayKinds {
  return Object.fromEntries(
    events
      .flatMap(listGatewayAccounts)
      .map(({ gateway }) => [gateway.name, getGatewayKind(gateway)]),
  )
}

/**
 * Returns the card method in these answers, if it accepts the bill's currency; otherwise the first method that
 * accepts it and is open on that day, or else the first that accepts it, or else the first. Undefined if the event
 * takes no card payments.
 */
export function findCardMethod(
  { methods }: Pick<EventConfig, 'methods'>,
  answers: Answers,
  currency: Currency,
  day: Day,
): CardMethod | undefined {
  const cards = methods.filter((method): method is CardMethod => method.is === 'card')
  const usable = cards.filter((method) => acceptsCurrency(method, currency))
  const chosenId = getOwn(answers, METHOD_FIELD)
  return (
    usable.find(({ id }) => id === chosenId) ??
    usable.find((method) => isMethodOpen(method, day)) ??
    usable[0] ??
    cards[0]
  )
}

/** Returns the ids of the card methods that use this gateway account. `account` is empty if it is unknown. */
export function listCardMethodsOfAccount(
  {
    methods,
    payment,
    cardAccounts = {},
  }: Pick<EventConfig, 'methods' | 'payment' | 'cardAccounts'>,
  { gateway, account }: { readonly gateway: string; readonly account: string },
): readonly string[] {
  return methods.flatMap(({ is, id }) => {
    const used = is === 'card' ? (getOwn(cardAccounts, id) ?? payment) : null
    const isUsed =
      used?.gateway.name === gateway &&
      (account === '' || toAccountKey(used.account) === toAccountKey(account))
    return isUsed ? [id] : []
  })
}

/**
 * Returns the hidden form that redirects a browser to the gateway: its address, and its fields by name. The gateways
 * file maps the server's values to these names; `merchant_id` in that file is `mercid` in the response. Undefined if
 * the event has no gateway. If there are several, the response states the gateway of this payment.
 */
export function buildGatewayForm(
  { payment, cardAccounts = {} }: Pick<EventConfig, 'payment' | 'cardAccounts'>,
  data: Readonly<Record<string, string>>,
): { readonly action: string | undefined; readonly fields: Record<string, string> } | undefined {
  const namedAccount = Object.values(cardAccounts).find(
    ({ gateway }) => gateway.name === data['gateway'],
  )
  const gateway = (namedAccount ?? payment)?.gateway
  if (gateway === undefined) return undefined
  const postedFields = Object.entries(gateway.posts).map(([name, from]) => [
    name,
    data[from === 'merchant_id' ? 'mercid' : from] ?? '',
  ])
  return {
    action: data[gateway.postsTo],
    fields: { ...Object.fromEntries(postedFields), ...gateway.constants },
  }
}

/** Returns the event with the gateway account of a card method. */
export function withCardMethod(event: EventConfig, methodId: string | undefined): EventConfig {
  const account = methodId === undefined ? null : getOwn(event.cardAccounts ?? {}, methodId)
  if (account == null) return event
  const name = formatAccountName(account)
  return (
    listEventsByAccount(event).find(
      ({ payment }) => payment !== null && formatAccountName(payment) === name,
    ) ?? event
  )
}

/** Returns the event with the gateway account through which a bill with these answers is paid by card on that day. */
export function withCardOf(
  event: EventConfig,
  answers: Answers,
  currency: Currency,
  day: Day,
): EventConfig {
  return withCardMethod(event, findCardMethod(event, answers, currency, day)?.id)
}
