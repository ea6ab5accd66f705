/** Checks the connection to Airpay before money depends on it. */
import { INR, assertNever, formatInstant, formatMoney, getOwn } from '../../../../engine/index.ts'
import type { Instant, OrderId } from '../../../../engine/index.ts'
import type { StatusResponse } from '../../../dependencies.ts'
import type { Account } from './credentials.ts'
import { requestStatus } from './airpay.ts'
import { interpretStatus } from './status-response.ts'
import type { Assumptions } from './status-response.ts'
import { getPrivateKey } from './checksums.ts'
import { readStatusXml } from './parse-message.ts'
import type { Fields } from '../message-fields.ts'
import type { RequestResult } from '../send-request.ts'

// The check shows whether the gateway can be reached, whether it accepts our credentials, the format of its response,
// and how we would interpret it.

/** The number of characters shown from a response in an unknown format, enough to identify it. */
const MAX_SHOWN_CHARACTERS = 200
/** An order id in a format that the gateway accepts. It has only letters, so no event can use it. */
export const NO_SUCH_ORDER = 'NOSUCHORDER'
/** The fields shown from a response about a real order: none of them identifies the payer. */
const SHOWN_FIELDS = [
  'TRANSACTIONSTATUS',
  'MESSAGE',
  'TRANSACTIONID',
  'APTRANSACTIONID',
  'AMOUNT',
  'BILLEDAMOUNT',
  'CURRENCYCODE',
  'TRANSACTIONTYPE',
  'TRANSACTIONTIME',
  'TXN_MODE',
  'CHMOD',
] as const
/** Fields that a response about a payment must have; without them the payment needs review. */
const EXPECTED_FIELDS = ['CURRENCYCODE', 'TRANSACTIONTYPE', 'TRANSACTIONTIME'] as const

export type GatewayQuery = {
  readonly address: string
  readonly account: Account
  /** Null to query an order that cannot exist. */
  readonly orderId: OrderId | null
  /** True to repeat the query with a deliberately wrong key. */
  readonly shouldCompareKeys: boolean
  readonly assumed: Assumptions
  readonly at: Instant
  readonly timeoutMs: number
}
/** `isAsExpected` is true if the response shows no problem. */
export type GatewayCheckResult = {
  readonly isAsExpected: boolean
  readonly sentences: readonly string[]
}
type CheckLine = readonly [isAsExpected: boolean, ...sentences: string[]]

export async function checkGateway(query: GatewayQuery): Promise<GatewayCheckResult> {
  const { address, account, orderId, at, timeoutMs, shouldCompareKeys } = query
  const queriedOrder = orderId ?? NO_SUCH_ORDER
  const orderText =
    orderId === null ? `the order ${queriedOrder}, which cannot exist` : `the order ${queriedOrder}`
  const firstSentence = `Queried ${address} about ${orderText}, as merchant ${account.merchantId}.`
  const result = await requestStatus(address, account, queriedOrder, at, timeoutMs)
  const lines: CheckLine[] = [[true, firstSentence], describeConnection(address, result)]
  if (result.is === 'answered') lines.push(...describeResponse(query, result.text))
  if (result.is === 'answered' && shouldCompareKeys) {
    const wrongAccount = { ...account, secret: `${account.secret}x` }
    lines.push(
      compareKeys(result, await requestStatus(address, wrongAccount, queriedOrder, at, timeoutMs)),
    )
  }
  return {
    isAsExpected: lines.every(([isAsExpected]) => isAsExpected),
    sentences: lines.flatMap(([, ...sentences]) => sentences),
  }
}

function describeConnection(address: string, result: RequestResult): CheckLine {
  const transportText = address.startsWith('https:')
    ? 'over TLS, with a certificate that this machine trusts'
    : 'without TLS, which is allowed only for a simulator on this machine'
  if (result.is === 'answered') return [true, `The gateway was reached ${transportText}.`]
  if (result.status === null)
    return [
      false,
      `The gateway did not respond: ${result.error}.`,
      result.wasSent
        ? 'The query was sent. Try again; if this continues, the gateway is slow or a firewall blocks its responses.'
        : 'No connection was made: check the address in gateways.yaml, and the DNS, certificates and firewall of this machine.',
    ]
  return [
    false,
    `The gateway was reached ${transportText}, but rejected the query: ${result.error}.`,
    'Gateways do this for a wrong address, for wrong credentials, or if the merchant has not registered the address of this machine.',
  ]
}

function describeResponse(query: GatewayQuery, text: string): readonly CheckLine[] {
  const { account, orderId } = query
  const xmlResult = readStatusXml(text)
  if (!xmlResult.ok) {
    const start = text
      .replaceAll(getPrivateKey(account), '…')
      .replaceAll(/\s+/g, ' ')
      .slice(0, MAX_SHOWN_CHARACTERS)
    return [[false, `The response cannot be read: ${xmlResult.error}. It starts with: ${start}`]]
  }
  const [fields = {}] = xmlResult.value
  const statusResponse = interpretStatus(xmlResult.value, {
    orderId: orderId ?? (NO_SUCH_ORDER as OrderId),
    at: query.at,
    raw: text,
    assumed: query.assumed,
    acceptsTests: false,
  })
  const formatLine: CheckLine = [
    true,
    'The response has the expected format, XML with a transaction.',
  ]
  const message = fields['MESSAGE'] ?? ''
  const messageLine: readonly CheckLine[] =
    message === '' ? [] : [[true, `Its message: "${message}".`]]
  return orderId === null
    ? [formatLine, describeNoRecord(fields), ...messageLine, listFields(fields)]
    : [formatLine, ...listOrderFields(fields), describeInterpretation(statusResponse)]
}

/** Evaluates the response about an order that cannot exist: only one response is correct. */
function describeNoRecord(fields: Fields): CheckLine {
  const code = fields['TRANSACTIONSTATUS'] ?? ''
  switch (code) {
    case '503':
      return [
        true,
        'Code 503: no record, which is correct for such an order. The credentials appear to be accepted.',
      ]
    case '200':
      return [
        false,
        'Code 200: the response reports an order as paid that does not exist. Do not take payments before Airpay has explained this.',
      ]
    case '401':
    case '402':
    case '403':
      return [
        false,
        `Code ${code}: Airpay's documents disagree about its meaning; it may mean that the credentials are wrong. Ask Airpay, or run again with --compare.`,
      ]
    case '':
      return [
        false,
        'The response has no TRANSACTIONSTATUS, so payments would stay pending forever.',
      ]
    default:
      return [
        false,
        `Code ${code}: not the documented response for an order without a record. Most likely the query itself was rejected: check the username, password, secret and merchant id, and whether this machine's clock is correct.`,
      ]
  }
}

function listFields(fields: Fields): CheckLine {
  const missingFields = EXPECTED_FIELDS.filter((name) => (fields[name] ?? '') === '')
  const fieldList = `Its fields: ${Object.keys(fields).join(', ')}.`
  return missingFields.length === 0
    ? [true, fieldList]
    : [
        true,
        fieldList,
        `The response does not have ${missingFields.join(', ')}. For an order without a record, this is not a problem. Check again with --order after a payment of one rupee.`,
      ]
}

function listOrderFields(fields: Fields): readonly CheckLine[] {
  return SHOWN_FIELDS.map((name) => {
    const value = getOwn(fields, name)
    return [true, `${name}: ${value === undefined ? '(missing)' : `"${value}"`}`]
  })
}

/** Describes how the server would interpret such a response. */
function describeInterpretation(response: StatusResponse): CheckLine {
  switch (response.is) {
    case 'payment-event': {
      const { paymentEvent } = response
      if (paymentEvent.type !== 'confirmed') return [true, 'This would count as a failed payment.']
      const { amount, currency, kind, paidAt, reference } = paymentEvent
      const isExpected = kind === 'sale' && currency === 'INR'
      return [
        isExpected,
        `This would count as ${formatMoney(amount, INR)} with the reference ${reference}, in ${currency === '' ? 'an unknown currency' : currency}, ${{ sale: 'a sale', other: 'not known to be a sale', test: 'a test transaction' }[kind]}, paid ${paidAt === undefined ? 'at an unknown time' : formatInstant(paidAt)}.`,
        isExpected
          ? 'With the correct amount, it is successful.'
          : 'It needs review. If the gateway never states currency or type, set AIRPAY_ASSUME (docs/airpay.md).',
      ]
    }
    case 'pending':
      return [
        true,
        `The payment would stay pending and be queried again: the code is "${response.code}".`,
      ]
    case 'no-record':
      return [true, 'This would count as not paid yet and, after a day, as not paid.']
    case 'unreachable':
      return [
        false,
        `The response cannot be used, and the query would be repeated: ${response.error}.`,
      ]
    default:
      return assertNever(response)
  }
}

/** Compares the responses to our key and to a wrong one. If they are the same, our key may be wrong too. */
function compareKeys(
  rightResult: RequestResult & { readonly is: 'answered' },
  wrongResult: RequestResult,
): CheckLine {
  const readCode = (result: RequestResult): string => {
    const parsed = result.is === 'answered' ? readStatusXml(result.text) : null
    return parsed?.ok === true ? (parsed.value[0]?.['TRANSACTIONSTATUS'] ?? '') : ''
  }
  if (wrongResult.is === 'failed' && wrongResult.status === null)
    return [
      false,
      'The same query with a wrong key got no response, so it is unknown whether the correct key was accepted.',
    ]
  const isSame = wrongResult.is === 'answered' && readCode(wrongResult) === readCode(rightResult)
  return isSame
    ? [
        false,
        'The same query with a wrong key got the same response, so it is unknown whether the correct key was accepted.',
      ]
    : [
        true,
        'The same query with a wrong key got a different response, so the correct key was accepted.',
      ]
}
