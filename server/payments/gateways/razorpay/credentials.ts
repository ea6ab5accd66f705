/** Defines the credentials of a Razorpay account: RAZORPAY_<ACCOUNT>_KEY_ID and two or three more. */
import type { AccountVariables, GatewayMode } from '../../../dependencies.ts'

/** The simulator creates its own credentials. */
export type RazorpayAccount = {
  readonly name: string
  readonly keyId: string
  readonly keySecret: string
  /**
   * The current secret, followed by the previous one. After a change, retried webhooks are still signed with the
   * previous secret.
   */
  readonly webhookSecrets: readonly string[]
}

export const RAZORPAY_CREDENTIALS = {
  parts: ['KEY_ID', 'KEY_SECRET', 'WEBHOOK_SECRET'],
  optionalParts: ['OLD_WEBHOOK_SECRET'],
  findProblem: (values: AccountVariables, prefix: string, mode: GatewayMode | undefined) => {
    const keyId = values['KEY_ID'] ?? ''
    if (!/^rzp_(test|live)_\w+$/.test(keyId))
      return `${prefix}KEY_ID must begin with rzp_live_ or rzp_test_.`
    return mode === 'live' && keyId.startsWith('rzp_test_')
      ? `${prefix}KEY_ID is a key of Razorpay's test mode, where no money moves, but GATEWAY_MODE is live.`
      : null
  },
} as const

export const toRazorpayAccount = (name: string, values: AccountVariables): RazorpayAccount => ({
  name,
  keyId: values['KEY_ID'] ?? '',
  keySecret: values['KEY_SECRET'] ?? '',
  webhookSecrets: ['WEBHOOK_SECRET', 'OLD_WEBHOOK_SECRET'].flatMap((part) => values[part] ?? []),
})
