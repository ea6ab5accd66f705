/** Returns the gateway accounts whose settlements contain an event's payments. */
import type { EventConfig } from '../../../engine/index.ts'
import type { SettlementAccount, Store } from '../../storage/index.ts'

/** Returns the account in the event file. Null if the event has no payment gateway. */
export function readSettlementAccount({
  payment,
}: Pick<EventConfig, 'payment'>): SettlementAccount | null {
  return payment === null ? null : { source: payment.gateway.name, account: payment.account }
}

/** The accounts of an event: the one in its event file, and those that were in it before. */
export type SettlementAccounts = {
  /** Null if the event file no longer names an account. */
  readonly current: SettlementAccount | null
  /** Reports are compared with it and stored for it. */
  readonly reported: SettlementAccount
  /** They may still pay out. */
  readonly former: readonly SettlementAccount[]
}

/** Returns null if the event never had a payment through a gateway. */
export async function loadSettlementAccounts(
  store: Pick<Store, 'accountsOfEvent'>,
  event: Pick<EventConfig, 'id' | 'payment'>,
): Promise<SettlementAccounts | null> {
  const current = readSettlementAccount(event)
  const storedAccounts = await store.accountsOfEvent(event.id)
  const reported = current ?? storedAccounts.at(-1)
  return reported === undefined
    ? null
    : {
        current,
        reported,
        former: storedAccounts.filter((storedAccount) => !covers(reported, storedAccount)),
      }
}

/** A payment whose account is unknown may belong to any account of the gateway. */
const covers = (reference: SettlementAccount, { source, account }: SettlementAccount): boolean =>
  source === reference.source && (account === reference.account || account === '')

/** Names an account that is no longer in the event file. Null if it still is. */
export function formatFormerAccount(
  current: SettlementAccount | null,
  otherAccount: SettlementAccount,
): string | null {
  if (current !== null && covers(current, otherAccount)) return null
  const account = otherAccount.account === '' ? 'an unknown account' : otherAccount.account
  return otherAccount.source === current?.source ? account : `${account} (${otherAccount.source})`
}
