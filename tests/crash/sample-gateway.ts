/** A gateway account for test servers, and the gateway's messages. */
import type { PaymentData } from '../../engine/api.ts'
import { computeSecureHash } from '../../server/payments/gateways/airpay/checksums.ts'

const account = {
  name: '',
  username: 'benchUser01',
  password: 'benchPass#9',
  secret: 'S3cr3tApiKey0123',
  merchantId: '123456',
}

/**
 * The environment variables for a server whose event uses the account `sample`. In the mode `airpay-test`, a message
 * with a valid hash is used as the response to the status query.
 */
export const GATEWAY_VARIABLES = {
  GATEWAY_MODE: 'airpay-test',
  AIRPAY_SAMPLE_USERNAME: account.username,
  AIRPAY_SAMPLE_PASSWORD: account.password,
  AIRPAY_SAMPLE_SECRET: account.secret,
  AIRPAY_SAMPLE_MERCHANT_ID: account.merchantId,
}

let lastReference = 100_000_000
/** Builds the gateway's message that an order has been paid, with a new reference. */
export function createPaidMessage(order: Pick<PaymentData, 'orderid' | 'amount'>): URLSearchParams {
  lastReference += 1
  const fields = {
    TRANSACTIONID: order.orderid,
    APTRANSACTIONID: String(lastReference),
    AMOUNT: order.amount,
    TRANSACTIONSTATUS: '200',
    MESSAGE: 'Success',
  }
  return new URLSearchParams({
    ...fields,
    ap_SecureHash: computeSecureHash(account, fields, false),
    CHMOD: 'pg',
  })
}
