/** What comes from Airpay without being asked for (the browser's return, the server's notice), as what it claims. */
import { err, ok } from '../../../engine/index.ts'
import type { EventConfig, Result } from '../../../engine/index.ts'
import type { Account, BadNotice, EventRegistry, Notice } from '../../deps.ts'
import { secureHash } from './checksums.ts'
import type { Fields } from './fields.ts'

/** It proves nothing, also with the right hash: whoever has seen one genuine notice can make another. */
export function readNotice(
  fields: Fields,
  events: Pick<EventRegistry, 'byOrderId'>,
  accountOf: (event: EventConfig) => Account,
): Result<Notice, BadNotice> {
  const field = (name: string): string => (fields[name] ?? '').trim()
  const orderId = field('TRANSACTIONID')
  const code = field('TRANSACTIONSTATUS')
  if (orderId === '' || code === '')
    return err({ code: 'malformed', orderId: orderId === '' ? null : orderId })
  const event = events.byOrderId(orderId)?.config
  if (event === undefined || event.payment === null) return err({ code: 'unknown_order', orderId })
  const claimed = field('ap_SecureHash')
  const claim = ok({ orderId, amount: field('AMOUNT'), code })
  // A failure may lack fields, its hash among them. It claims nothing that a verification could be misled by.
  if (claimed === '' && code !== '200') return claim
  if (
    claimed === '' ||
    (code === '200' && (field('APTRANSACTIONID') === '' || field('AMOUNT') === ''))
  )
    return err({ code: 'malformed', orderId })
  const account = accountOf(event)
  const isRight = [false, true].some((withVpa) => secureHash(account, fields, withVpa) === claimed)
  return isRight ? claim : err({ code: 'wrong_crc', orderId })
}
