/** What comes from Airpay without being asked for (the browser's return, the server's notice), as what it claims. */
import type { EventConfig } from '../../../engine/index.ts'
import type { Account, EventRegistry, GatewayAdapter } from '../../deps.ts'
import { secureHash } from './checksums.ts'
import type { Fields } from './fields.ts'

export type Notice = ReturnType<GatewayAdapter['readNotice']>

/** It proves nothing, also with the right hash: whoever has seen one genuine notice can make another. */
export function readNotice(
  fields: Fields,
  events: Pick<EventRegistry, 'byOrderId'>,
  accountOf: (event: EventConfig) => Account,
): Notice {
  const field = (name: string): string => (fields[name] ?? '').trim()
  const orderId = field('TRANSACTIONID')
  const code = field('TRANSACTIONSTATUS')
  if (orderId === '' || code === '')
    return { ok: false, code: 'malformed', orderId: orderId === '' ? null : orderId }
  const event = events.byOrderId(orderId)?.config
  if (event === undefined || event.payment === null)
    return { ok: false, code: 'unknown_order', orderId }
  const claimed = field('ap_SecureHash')
  const claim: Notice = { ok: true, orderId, amount: field('AMOUNT'), code }
  // A failure may lack fields, its hash among them. It claims nothing that a verification could be misled by.
  if (claimed === '' && code !== '200') return claim
  if (
    claimed === '' ||
    (code === '200' && (field('APTRANSACTIONID') === '' || field('AMOUNT') === ''))
  )
    return { ok: false, code: 'malformed', orderId }
  const account = accountOf(event)
  const isRight = [false, true].some((withVpa) => secureHash(account, fields, withVpa) === claimed)
  return isRight ? claim : { ok: false, code: 'wrong_crc', orderId }
}
