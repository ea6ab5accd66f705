/** Reads Airpay's unrequested messages (browser return, webhook) as unverified claims. */
import { err, ok } from '../../../../engine/index.ts'
import type { EventConfig, Result } from '../../../../engine/index.ts'
import type {
  Account,
  InvalidGatewayMessage,
  EventRegistry,
  GatewayMessage,
} from '../../../dependencies.ts'
import { secureHash } from './checksums.ts'
import { inCapitals } from './parse-message.ts'
import type { Fields } from './parse-message.ts'

/**
 * A message proves nothing, even with the correct hash: anybody who has seen one genuine webhook can forge
 * another. A wrong or missing hash is no reason to reject a message either: all it starts is a query, and a
 * gateway whose hash differs from its documentation would never be heard. The message must name an order.
 */
export function readNotice(
  fields: Fields,
  events: Pick<EventRegistry, 'byOrderId'>,
  accountOf: (event: EventConfig) => Account | null,
): Result<GatewayMessage, InvalidGatewayMessage> {
  const said = inCapitals(fields)
  const orderId = said['TRANSACTIONID'] ?? ''
  if (orderId === '') return err({ code: 'malformed', orderId: null })
  const event = events.byOrderId(orderId)?.config
  if (event === undefined || event.payment === null) return err({ code: 'unknown_order', orderId })
  return ok({
    orderId,
    amount: said['AMOUNT'] ?? '',
    code: said['TRANSACTIONSTATUS'] ?? '',
    claimsMoney: said['TRANSACTIONSTATUS'] === '200',
    hash: judgeHash(said, accountOf(event)),
  })
}

function judgeHash(said: Fields, account: Account | null): GatewayMessage['hash'] {
  const claimed = said['AP_SECUREHASH'] ?? ''
  if (claimed === '' || account === null) return 'unknown'
  const isRight = [false, true].some((withVpa) => secureHash(account, said, withVpa) === claimed)
  return isRight ? 'right' : 'wrong'
}
