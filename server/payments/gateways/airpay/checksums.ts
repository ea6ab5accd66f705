/**
 * What Airpay signs and how: the keys of a merchant account, the checksums of hand-off, status call and
 * refund, and the hash of a notice. The simulator proves our messages with the same functions. Rules and
 * test vectors: docs/airpay.md and tests/gateway/.
 */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { remember } from '../../../../engine/index.ts'
import type { Day } from '../../../../engine/index.ts'
import type { Account } from '../../../dependencies.ts'
import type { Fields } from './parse-message.ts'

/** What the checksum covers: 'A' with the UID (as the kits do), 'B' without it. Airpay's papers leave it open. */
export type ChecksumVariant = 'A' | 'B'

const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** Both keys of an account are the same in every message. */
const keysOf = remember((account: Account) => ({
  private: sha256(`${account.secret}@${account.username}:|:${account.password}`),
  checksum: sha256(`${account.username}~:~${account.password}`),
}))
export const privateKeyOf = (account: Account): string => keysOf(account).private
const keyOf = (account: Account): string => keysOf(account).checksum

/** What the hand-off posts of the buyer. */
export type PostedBuyer = {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly address?: string
  readonly city?: string
  readonly state?: string
  readonly country?: string
}

/** Of the hand-off. No separators, absent is empty; the day is the Indian one of the request. */
export function handOffChecksum(
  account: Account,
  buyer: PostedBuyer,
  order: { readonly amount: string; readonly orderId: string; readonly uid: string },
  day: Day,
  variant: ChecksumVariant,
): string {
  const { email, firstName, lastName, address = '', city = '', state = '', country = '' } = buyer
  const uid = variant === 'A' ? order.uid : ''
  return sha256(
    `${keyOf(account)}@${email}${firstName}${lastName}${address}${city}${state}${country}${order.amount}${order.orderId}${uid}${day}`,
  )
}

/** Of the status call; processor_id, rrn, terminal_id and txn_type are not sent and therefore empty. */
export function statusChecksum(account: Account, orderId: string, day: Day): string {
  return sha256(`${keyOf(account)}@${account.merchantId}${orderId}${day}`)
}

/** Of a refund; `transactions` is the JSON text exactly as it is sent. */
export function refundChecksum(account: Account, transactions: string, day: Day): string {
  return sha256(`${keyOf(account)}@${account.merchantId}refund${transactions}${day}`)
}

/**
 * `ap_SecureHash`: the CRC32, unsigned and decimal. No authentication at all: a CRC is linear, so that
 * whoever has seen one genuine notice can make the right CRC for another amount.
 */
export function secureHash(account: Account, fields: Fields, withVpa: boolean): string {
  const part = (name: string): string => (fields[name] ?? '').trim()
  const parts = [
    part('TRANSACTIONID'),
    part('APTRANSACTIONID'),
    part('AMOUNT'),
    part('TRANSACTIONSTATUS'),
    part('MESSAGE'),
    account.merchantId,
    account.username,
  ]
  return String(
    crc32(Buffer.from([...parts, ...(withVpa ? [part('CUSTOMERVPA')] : [])].join(':'), 'utf8')),
  )
}
