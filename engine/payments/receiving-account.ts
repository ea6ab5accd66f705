/** Checks whether a payment received for one event may be recorded for another. */
import type { EventConfig } from '../event/config.ts'
import type { RegNo } from '../event/registration-number.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { listGatewayAccounts, toAccountKey } from './card-accounts.ts'
import { formatMethod } from './manual-payment.ts'
import { listAccountNumbers } from './payment-methods.ts'

/** A payment as it was received. */
export type ReceivedMoney = {
  /** The merchant account; '' if received by bank or at the desk, or if unknown. */
  readonly account: string
  /** The event for which it was received, if it is served. */
  readonly event: EventConfig | null
  /** Null if it was received for no event. */
  readonly eventId: string | null
}

/**
 * Refuses to record a payment for an event with a different receiving account. Staff refund it in
 * the first event and record it in the second, so that both accounts agree with their statements.
 */
export function checkSameAccount(
  money: ReceivedMoney,
  targetEvent: EventConfig,
  regNo: RegNo,
): Result<null, string> {
  const { event: sourceEvent, eventId } = money
  if (eventId === targetEvent.id) return ok(null)
  const [sourceAccounts, targetAccounts] = [listAccountsOfMoney(money), listAccounts(targetEvent)]
  if (sourceAccounts.length === 0 && sourceEvent === null && eventId !== null)
    return err(
      'This money was received for an event that is not being served, so its account is not known.',
    )
  const sharesAccount = sourceAccounts.some((candidate) =>
    targetAccounts.some((other) => toAccountKey(candidate) === toAccountKey(other)),
  )
  if (sharesAccount || sourceAccounts.length === 0 || targetAccounts.length === 0) return ok(null)
  return err(
    `${describeSource(money, sourceAccounts)} ${regNo} belongs to ${targetEvent.title}, which is paid into ${describeAccounts(targetAccounts, targetEvent)}. Transfer the amount between the accounts: record it here as refunded outside Rollcall, and there as a payment of ${regNo}.`,
  )
}

/**
 * Returns the accounts that may hold the payment: a gateway's merchant account, or the accounts in
 * the event's instructions.
 */
function listAccountsOfMoney({ account, event }: ReceivedMoney): readonly string[] {
  if (account !== '') return [account]
  if (event === null) return []
  const bankAccounts = listBankAccounts(event)
  return bankAccounts.length === 0 ? listMerchantAccounts(event) : bankAccounts
}

const listAccounts = (event: EventConfig): readonly string[] => [
  ...listMerchantAccounts(event),
  ...listBankAccounts(event),
]

const listMerchantAccounts = (event: EventConfig): readonly string[] =>
  listGatewayAccounts(event).map(({ account }) => account)

const listBankAccounts = ({ methods }: EventConfig): readonly string[] => [
  ...new Set(
    methods.flatMap((method) =>
      method.is === 'transfer' ? listAccountNumbers(method.instructions) : [],
    ),
  ),
]

/**
 * Without a merchant account, the payment was a transfer or cash, which belongs to the event's
 * account.
 */
function describeSource({ account, event }: ReceivedMoney, accounts: readonly string[]): string {
  const accountText = describeAccounts(accounts, event)
  return account !== '' || event === null
    ? `This money was paid into ${accountText}.`
    : `This money was received for ${event.title}, which is paid into ${accountText}.`
}

function describeAccounts(accounts: readonly string[], event: EventConfig | null): string {
  const bankAccounts = event === null ? [] : listBankAccounts(event)
  const gateways = event === null ? [] : listGatewayAccounts(event)
  return accounts
    .map((account) => {
      if (bankAccounts.includes(account))
        return account.includes('@') ? `the UPI ID ${account}` : `the bank account ${account}`
      const gateway = gateways.find(
        (gatewayAccount) => toAccountKey(gatewayAccount.account) === toAccountKey(account),
      )?.gateway
      const kind = gateway === undefined ? 'merchant' : formatMethod(gateway.name)
      return `the ${kind} account “${account}”`
    })
    .join(' or ')
}
