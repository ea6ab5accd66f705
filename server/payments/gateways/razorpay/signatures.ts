/** Verifies Razorpay's signatures: HMAC-SHA256 in hex, compared in constant time. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RazorpayAccount } from './credentials.ts'

export const computeSignature = (content: string | Buffer, secret: string): string =>
  createHmac('sha256', secret).update(content).digest('hex')

/** Checks the signature of a browser return. `checkoutId` is the stored one, never the one received. */
export const isReturnSigned = (
  { keySecret }: Pick<RazorpayAccount, 'keySecret'>,
  checkoutId: string,
  paymentId: string,
  signature: string,
): boolean => isEqual(computeSignature(`${checkoutId}|${paymentId}`, keySecret), signature)

/** Checks the signature of a webhook, over its bytes as received, with the current or the previous secret. */
export const isWebhookSigned = (
  { webhookSecrets }: Pick<RazorpayAccount, 'webhookSecrets'>,
  bytes: Buffer,
  signature: string,
): boolean => webhookSecrets.some((secret) => isEqual(computeSignature(bytes, secret), signature))

function isEqual(expected: string, received: string): boolean {
  const [expectedBytes, receivedBytes] = [Buffer.from(expected), Buffer.from(received)]
  return (
    expectedBytes.length === receivedBytes.length && timingSafeEqual(expectedBytes, receivedBytes)
  )
}
