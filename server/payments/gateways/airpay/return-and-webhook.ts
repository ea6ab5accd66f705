/** Reads Airpay's unsolicited messages (browser return, webhook) as unverified claims. */
import { err, ok } from '../../../../engine/index.ts'
import type { EventConfig, Result } from '../../../../engine/index.ts'
import type { InvalidGatewayMessage, EventRegistry, GatewayMessage } from '../../../dependencies.ts'
import type { Account } from './credentials.ts'
import { computeSecureHash } from './checksums.ts'
import { toUpperCaseNames } from './parse-message.ts'
import type { Fields } from '../message-fields.ts'

/**
 * Reads a message without trusting it. Even a message with the correct hash is no proof of payment: an attacker who has
 * seen one genuine webhook can forge another. A message with a wrong or missing hash is accepted too: it only starts a
 * query, and the gateway's hash may differ from its documentation. The message must contain an order id.
 */
export function readReturnOrWebhook(
  fields: Fields,
  events: Pick<EventRegistry, 'findByOrderId'>,
  getAccounts: (event: EventConfig) => readonly Account[],
): Result<GatewayMessage, InvalidGatewayMessage> {
  const messageFields = toUpperCaseNames(fields)
  const orderId = messageFields['TRANSACTIONID'] ?? ''
  if (orderId === '') return err({ code: 'malformed', orderId: null })
  const event = events.findByOrderId(orderId)?.config
  if (event === undefined || event.payment === null) return err({ code: 'unknown_order', orderId })
  return ok({
    orderId,
    amount: messageFields['AMOUNT'] ?? '',
    code: messageFields['TRANSACTIONSTATUS'] ?? '',
    claimsPayment: messageFields['TRANSACTIONSTATUS'] === '200',
    hash: checkHash(messageFields, getAccounts(event)),
  })
}

function checkHash(messageFields: Fields, accounts: readonly Account[]): GatewayMessage['hash'] {
  const claimedHash = messageFields['AP_SECUREHASH'] ?? ''
  if (claimedHash === '' || accounts.length === 0) return 'unknown'
  const isMatch = accounts.some((account) =>
    [false, true].some(
      (includesVpa) => computeSecureHash(account, messageFields, includesVpa) === claimedHash,
    ),
  )
  return isMatch ? 'right' : 'wrong'
}
