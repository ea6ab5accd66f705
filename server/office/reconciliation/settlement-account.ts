/** Returns the gateway accounts whose settlements hold an event's payments. */
import type { EventConfig } from '../../../engine/index.ts'
import type { SettlementAccount, Store } from '../../storage/index.ts'

/** The account in the event file. Null: the event takes no payments through a gateway. */
export function settlementAccount({
  payment,
}: Pick<EventConfig, 'payment'>): SettlementAccount | null {
  return payment === null ? null : { source: payment.gateway.name, account: payment.account }
}

/** The accounts of an event: the one in its event file, and those that were in it before. */
export type SettlementAccounts = {
  /** Null: the event file names none any more. */
  readonly current: SettlementAccount | null
  /** Reports are compared with it and stored for it. */
  readonly of: SettlementAccount
  /** They may still pay out. */
  readonly former: readonly SettlementAccount[]
}

/** Null: the event never took a payment through a gateway. */
export async function settlementAccounts(
  store: Pick<Store, 'accountsOfEvent'>,
  event: Pick<EventConfig, 'id' | 'payment'>,
): Promise<SettlementAccounts | null> {
  const current = settlementAccount(event)
  const known = await store.accountsOfEvent(event.id)
  const of = current ?? known.at(-1)
  return of === undefined
    ? null
    : { current, of, former: known.filter((one) => !isWithin(of, one)) }
}

/** Payments whose account is not known may be of any. */
const isWithin = (of: SettlementAccount, { source, account }: SettlementAccount): boolean =>
  source === of.source && (account === of.account || account === '')

/** Names an account that is not in the event file any more; null: it is. */
export function formerAccount(
  current: SettlementAccount | null,
  one: SettlementAccount,
): string | null {
  if (current !== null && isWithin(current, one)) return null
  const account = one.account === '' ? 'an account that is not known' : one.account
  return one.source === current?.source ? account : `${account} (${one.source})`
}
