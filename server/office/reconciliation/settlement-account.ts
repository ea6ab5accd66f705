/** Finds the gateway accounts whose settlements contain an event's payments. */
import { listGatewayAccounts } from '../../../engine/index.ts'
import type { EventConfig, SettlementLine } from '../../../engine/index.ts'
import type { SettlementAccount, Store } from '../../storage/index.ts'

/** Returns the accounts in the event file, one for each card gateway. */
export function readSettlementAccounts(event: EventConfig): readonly SettlementAccount[] {
  return listGatewayAccounts(event).map(({ gateway, account }) => ({
    source: gateway.name,
    account,
  }))
}

/** The accounts of an event: those in its event file, and those that were in it earlier. */
export type SettlementAccounts = {
  /** Accounts that the event file lists. */
  readonly current: readonly SettlementAccount[]
  /** The account for which reports are compared and stored. */
  readonly reportAccount: SettlementAccount
  /** The event's other accounts, which may also make payouts. */
  readonly others: readonly SettlementAccount[]
}

/** Loads an event's accounts. Null if the event never had a payment through a gateway. */
export async function loadSettlementAccounts(
  store: Pick<Store, 'accountsOfEvent'>,
  event: EventConfig,
): Promise<SettlementAccounts | null> {
  const currentAccounts = readSettlementAccounts(event)
  const storedAccounts = await store.accountsOfEvent(event.id)
  const reportedAccount = currentAccounts[0] ?? storedAccounts.at(-1)
  if (reportedAccount === undefined) return null
  const namedAccounts = [reportedAccount, ...currentAccounts.slice(1)]
  const formerAccounts = storedAccounts.filter(
    (storedAccount) => !namedAccounts.some((account) => refersToAccount(account, storedAccount)),
  )
  return {
    current: currentAccounts,
    reportAccount: reportedAccount,
    others: [...namedAccounts.slice(1), ...formerAccounts],
  }
}

/**
 * Adds the account that a report belongs to: the one with the most payments in the report, otherwise the first.
 * Earlier accounts at a current gateway are excluded, because their reports may also list payments of the current
 * account.
 */
export async function addReportedAccount(
  store: Pick<Store, 'paymentsOfAccount'>,
  accounts: SettlementAccounts,
  lines: readonly SettlementLine[],
): Promise<SettlementAccounts> {
  const { current, reportAccount: reported, others } = accounts
  const candidates = [reported, ...others].filter(
    (account) =>
      current.includes(account) || current.every(({ source }) => source !== account.source),
  )
  if (candidates.length < 2) return accounts
  const references = new Set(lines.map(({ reference }) => reference))
  let bestMatch = { account: reported, count: 0 }
  for (const account of candidates) {
    const payments = await store.paymentsOfAccount(account)
    const accountPayments = payments.filter(
      ({ belongsToAccount, reference, refunds }) =>
        belongsToAccount &&
        [reference, ...refunds.map((refund) => refund.reference)].some(
          (candidate) => candidate !== null && references.has(candidate),
        ),
    )
    if (accountPayments.length > bestMatch.count)
      bestMatch = { account, count: accountPayments.length }
  }
  const allAccounts = [reported, ...others]
  return {
    ...accounts,
    reportAccount: bestMatch.account,
    others: allAccounts.filter((account) => account !== bestMatch.account),
  }
}

/**
 * Returns true if the two may be the same account: a payment with an unknown account may belong to any account of its
 * gateway.
 */
const refersToAccount = (
  namedAccount: SettlementAccount,
  { source, account }: SettlementAccount,
): boolean => source === namedAccount.source && (account === namedAccount.account || account === '')

/** Describes an account that is no longer in the event file. Null for an account that is still in it. */
export function formatFormerAccount(
  current: readonly SettlementAccount[],
  otherAccount: SettlementAccount,
): string | null {
  if (current.some((account) => refersToAccount(account, otherAccount))) return null
  const account = otherAccount.account === '' ? 'unknown' : otherAccount.account
  return current.some(({ source }) => source === otherAccount.source)
    ? account
    : `${account} (${otherAccount.source})`
}
