/** What comes from Airpay without being asked for (the browser's return, the server's notice), as what it claims. */
import { err, ok } from '../../../../engine/index.ts'
import type { EventConfig, Result } from '../../../../engine/index.ts'
import type { Account, BadNotice, EventRegistry, Notice } from '../../../dependencies.ts'
import { secureHash } from './checksums.ts'
import { inCapitals } from './parse-message.ts'
import type { Fields } from './parse-message.ts'

/**
 * It proves nothing, also with the right hash: whoever has seen one genuine notice can make another. So a
 * wrong or missing hash is no reason to turn a message away either, since all that it starts is a question;
 * and a gateway that hashes otherwise than its papers say would never be heard. It must name an order.
 */
export function readNotice(
  fields: Fields,
  events: Pick<EventRegistry, 'byOrderId'>,
  accountOf: (event: EventConfig) => Account | null,
): Result<Notice, BadNotice> {
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

function judgeHash(said: Fields, account: Account | null): Notice['hash'] {
  const claimed = said['AP_SECUREHASH'] ?? ''
  if (claimed === '' || account === null) return 'unknown'
  const isRight = [false, true].some((withVpa) => secureHash(account, said, withVpa) === claimed)
  return isRight ? 'right' : 'wrong'
}
