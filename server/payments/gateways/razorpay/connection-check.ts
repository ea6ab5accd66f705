/** Checks the connection to Razorpay with a few queries, before money depends on it. No money moves. */
import {
  assertNever,
  formatInstant,
  formatMoney,
  INR,
  readCurrency,
} from '../../../../engine/index.ts'
import type { Instant, OrderId } from '../../../../engine/index.ts'
import type { StatusResponse } from '../../../dependencies.ts'
import type { RazorpayAccount } from './credentials.ts'
import { describeFailure, asItems, requestApi } from './api.ts'
import type { Api, ApiResponse } from './api.ts'
import { findByReceipt } from './checkout.ts'
import { interpretPayments, readPayment } from './status.ts'
import type { RazorpayPayment } from './status.ts'

/** An order id of letters only, so that no event can use it. */
const NO_SUCH_ORDER = 'NOSUCHORDER'

export type RazorpayQuery = {
  /** The URL of the API, with a slash at the end. */
  readonly address: string
  readonly account: RazorpayAccount
  /** Null to query an order that cannot exist. */
  readonly orderId: OrderId | null
  /** True to repeat the query with a deliberately wrong key. */
  readonly shouldCompareKeys: boolean
  readonly at: Instant
  readonly timeoutMs: number
}
/** `isExpected` is true if the line shows no problem. */
type Line = { readonly isExpected: boolean; readonly sentence: string }
const buildExpectedLine = (sentence: string): Line => ({ isExpected: true, sentence })
const buildUnexpectedLine = (sentence: string): Line => ({ isExpected: false, sentence })

export async function checkRazorpay(query: RazorpayQuery): Promise<{
  readonly isAsExpected: boolean
  readonly sentences: readonly string[]
}> {
  const { address, account, orderId, shouldCompareKeys, timeoutMs } = query
  const openApi = (secret = account.keySecret): Api => ({
    address,
    account: { ...account, keySecret: secret },
    signal: AbortSignal.timeout(timeoutMs),
  })
  const receipt = orderId ?? NO_SUCH_ORDER
  const searchPath = `orders?receipt=${encodeURIComponent(receipt)}`
  const response = await requestApi(openApi(), 'GET', searchPath)
  const lines: Line[] = [
    buildExpectedLine(
      `Queried ${address} about the order ${receipt}${orderId === null ? ', which cannot exist' : ''}, with the ${account.keyId.startsWith('rzp_live_') ? 'live' : 'test'} key ${account.keyId}.`,
    ),
    describeResponse(response),
    buildExpectedLine(
      account.webhookSecrets.length === 1
        ? 'Webhooks are accepted with one secret.'
        : 'Webhooks are accepted with the current and the previous secret.',
    ),
  ]
  if (response.is === 'ok' && orderId !== null)
    lines.push(...(await describeOrder(openApi(), orderId, query.at)))
  if (response.is === 'ok' && shouldCompareKeys) {
    const wrongKeyResponse = await requestApi(openApi(`${account.keySecret}x`), 'GET', searchPath)
    lines.push(
      wrongKeyResponse.is === 'refused'
        ? buildExpectedLine('Razorpay refuses a wrong key, so it checks the key.')
        : buildUnexpectedLine(
            'Razorpay does not refuse a wrong key, or could not be queried a second time.',
          ),
    )
  }
  return {
    isAsExpected: lines.every(({ isExpected }) => isExpected),
    sentences: lines.map(({ sentence }) => sentence),
  }
}

function describeResponse(response: ApiResponse): Line {
  switch (response.is) {
    case 'ok':
      return asItems(response.json) === null
        ? buildUnexpectedLine('Razorpay responded, but not with a list of orders.')
        : buildExpectedLine('Razorpay responded and accepts the credentials.')
    case 'refused':
      return buildUnexpectedLine(
        `Razorpay responded but refused the query: ${describeFailure(response)}. Check the key id and the key secret: both must belong to the same mode, live or test.`,
      )
    case 'failed':
      return buildUnexpectedLine(
        `Razorpay sent no usable response: ${response.error}. ${response.wasSent ? 'Try again later.' : 'Check the address in gateways.yaml, and the DNS, certificates and firewall of this machine.'}`,
      )
    default:
      return assertNever(response)
  }
}

async function describeOrder(api: Api, orderId: OrderId, at: Instant): Promise<readonly Line[]> {
  const findResult = await findByReceipt(api, orderId)
  if (!findResult.ok)
    return [buildUnexpectedLine(`The orders cannot be read: ${findResult.error}.`)]
  const lines: Line[] = []
  const payments: RazorpayPayment[] = []
  for (const { checkoutId, amount, currency } of findResult.value) {
    lines.push(buildExpectedLine(`${checkoutId} requests ${formatMoney(amount, currency)}.`))
    const response = await requestApi(api, 'GET', `orders/${checkoutId}/payments`)
    const items = response.is === 'ok' ? asItems(response.json)?.map(readPayment) : undefined
    if (items === undefined || !items.every((item) => item !== null))
      return [...lines, buildUnexpectedLine('The payments of this order cannot be read.')]
    payments.push(...items)
  }
  return [
    ...lines,
    ...payments.map(({ id, status, amount, currency, createdAt }) =>
      buildExpectedLine(
        `${id}: ${status}, ${formatMoney(amount, readCurrency(currency) ?? INR)}, ${formatInstant(createdAt)}.`,
      ),
    ),
    buildExpectedLine(describeStatus(interpretPayments(payments, [], { at, raw: '' }))),
  ]
}

function describeStatus(response: StatusResponse): string {
  switch (response.is) {
    case 'payment-event':
      return response.paymentEvent.type === 'confirmed'
        ? 'It is paid.'
        : 'It is not paid: the last payment failed.'
    case 'pending':
      return 'A payment is authorised but not captured.'
    case 'no-record':
    case 'unreachable':
      return 'It is not paid.'
    default:
      return assertNever(response)
  }
}
