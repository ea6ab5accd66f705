/** Checks whether a payment received for one event may be recorded for another. */
import type { EventConfig } from '../event/config.ts'
import type { RegNo } from '../event/registration-number.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { listGatewayAccounts, toAccountKey } from './card-accounts.ts'
import { formatMethod } from './manual-payment.ts'
import { listAccountNumbers } from './payment-methods.ts'

/** A payment with the account and the event for which it was received. */
export type ReceivedPayment = {
  /** The merchant account; '' if received by bank or at the desk, or if unknown. */
  readonly account: string
  /** The event for which it was received, if it is served. */
  readonly event: EventConfig | null
  /** Null if it was not received for an event. */
  readonly eventId: string | null
}

/**
 * Refuses to record a payment for an event with a different receiving account. Staff refund it in
 * the first event and record it in the second, so that both accounts agree with their statements.
 */
export function checkSameAccount(
  money: ReceivedPayment,
  targetEvent: EventConfig,
  regNo: RegNo,
): Result<null, string> {
  const { event: sourceEvent, eventId } = money
  if (eventId === targetEvent.id) return ok(null)
  const [sourceAccounts, targetAccounts] = [listReceivingAccounts(money), listAccounts(targetEvent)]
  if (sourceAccounts.length === 0 && sourceEvent === null && eventId !== null)
    return err(
      'This payment was received for an event that is not being served, so its account is unknown.',
    )
  const sharesAccount = sourceAccounts.some((candidate) =>
    targetAccounts.some((other) => toAccountKey(candidate) === toAccountKey(other)),
  )
  if (sharesAccount || sourceAccounts.length === 0 || targetAccounts.length === 0) return ok(null)
  return err(
    `${describeSource(money, sourceAccounts)} ${regNo} belongs to ${targetEvent.title}, whose payments go to ${describeAccounts(targetAccounts, targetEvent)}. Transfer the amount between the accounts. Record it here as refunded outside Rollcall, and there as a payment for ${regNo}.`,
  )
}

/**
 * Returns the accounts that may hold the payment: a gateway's merchant account, or the accounts in
 * the event's instructions.
 */
function listReceivingAccounts({ account, event }: ReceivedPayment): readonly string[] {
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
 * Describes where a payment was received. A payment without a merchant account was a transfer or cash, received in
 * the event's account.
 */
function describeSource({ account, event }: ReceivedPayment, accounts: readonly string[]): string {
  const accountText = describeAccounts(accounts, event)
  return account !== '' || event === null
    ? `This payment was made to ${accountText}.`
    : `This payment was received for ${event.title}, whose payments go to ${accountText}.`
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
