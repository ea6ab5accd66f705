/** Computes Airpay's keys, the checksums of checkout, status call and refund, and the webhook hash. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { memoize } from '../../../../engine/index.ts'
import type { Day } from '../../../../engine/index.ts'
import type { Account } from './credentials.ts'
import type { Fields } from '../message-fields.ts'

// The simulator verifies our messages with the same functions. Rules and test vectors: docs/airpay.md and
// tests/server/payments/airpay/.

/**
 * The fields in the checksum: 'A' with the UID (as in the kits), 'B' without it. Airpay's documentation does not
 * state which is correct.
 */
export type ChecksumVariant = 'A' | 'B'

const computeSha256 = (text: string): string => hash('sha256', text, 'hex')

/** Derives both keys of an account, which are the same in every message. */
const deriveKeys = memoize((account: Account) => ({
  private: computeSha256(`${account.secret}@${account.username}:|:${account.password}`),
  checksum: computeSha256(`${account.username}~:~${account.password}`),
}))
export const getPrivateKey = (account: Account): string => deriveKeys(account).private
const getChecksumKey = (account: Account): string => deriveKeys(account).checksum

/** The buyer's fields in the checkout form. */
export type PostedBuyer = {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly address?: string
  readonly city?: string
  readonly state?: string
  readonly country?: string
}

/**
 * Computes the checkout checksum, without separators. A missing value is empty; the date is the request's date in
 * India.
 */
export function computeHandOffChecksum(
  account: Account,
  buyer: PostedBuyer,
  order: { readonly amount: string; readonly orderId: string; readonly uid: string },
  day: Day,
  variant: ChecksumVariant,
): string {
  const { email, firstName, lastName, address = '', city = '', state = '', country = '' } = buyer
  const uid = variant === 'A' ? order.uid : ''
  return computeSha256(
    `${getChecksumKey(account)}@${email}${firstName}${lastName}${address}${city}${state}${country}${order.amount}${order.orderId}${uid}${day}`,
  )
}

/**
 * Computes the checksum of the status call; processor_id, rrn, terminal_id and txn_type are not sent and
 * therefore empty.
 */
export function computeStatusChecksum(account: Account, orderId: string, day: Day): string {
  return computeSha256(`${getChecksumKey(account)}@${account.merchantId}${orderId}${day}`)
}

/** Computes the checksum of a refund; `transactions` is the JSON text exactly as sent. */
export function computeRefundChecksum(account: Account, transactions: string, day: Day): string {
  return computeSha256(
    `${getChecksumKey(account)}@${account.merchantId}refund${transactions}${day}`,
  )
}

/**
 * Computes `ap_SecureHash`, the CRC32 as an unsigned decimal number. It does not authenticate the webhook: a CRC is
 * linear, so an attacker who has seen one genuine webhook can compute the correct CRC for another amount.
 */
export function computeSecureHash(account: Account, fields: Fields, includesVpa: boolean): string {
  const getFieldText = (name: string): string => (fields[name] ?? '').trim()
  const parts = [
    getFieldText('TRANSACTIONID'),
    getFieldText('APTRANSACTIONID'),
    getFieldText('AMOUNT'),
    getFieldText('TRANSACTIONSTATUS'),
    getFieldText('MESSAGE'),
    account.merchantId,
    account.username,
  ]
  return String(
    crc32(
      Buffer.from(
        [...parts, ...(includesVpa ? [getFieldText('CUSTOMERVPA')] : [])].join(':'),
        'utf8',
      ),
    ),
  )
}
