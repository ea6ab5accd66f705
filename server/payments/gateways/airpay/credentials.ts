/** Defines the credentials of an Airpay merchant account: AIRPAY_<ACCOUNT>_USERNAME and three more. */
import type { AccountVariables } from '../../../dependencies.ts'

/** The simulator creates its own credentials. */
export type Account = {
  readonly name: string
  readonly username: string
  readonly password: string
  readonly secret: string
  readonly merchantId: string
}

export const AIRPAY_CREDENTIALS = {
  parts: ['USERNAME', 'PASSWORD', 'SECRET', 'MERCHANT_ID'],
} as const

export const toAccount = (name: string, values: AccountVariables): Account => ({
  name,
  username: values['USERNAME'] ?? '',
  password: values['PASSWORD'] ?? '',
  secret: values['SECRET'] ?? '',
  merchantId: values['MERCHANT_ID'] ?? '',
})
