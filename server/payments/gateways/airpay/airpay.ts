/** Assembles the gateway adapter for Airpay v3 "Simple Transaction", and makes its network calls. */
import {
  formatPlainAmount,
  assert,
  dayOf,
  err,
  listEventsByAccount,
} from '../../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../../engine/index.ts'
import type { EventRegistry, GatewayAdapter, GatewayMode } from '../../../dependencies.ts'
import type { Account } from './credentials.ts'
import type { GatewayAddresses } from '../gateway-definition.ts'
import { interpretStatus } from './status-response.ts'
import type { Assumptions } from './status-response.ts'
import { getPrivateKey, computeRefundChecksum, computeStatusChecksum } from './checksums.ts'
import type { ChecksumVariant } from './checksums.ts'
import { toUpperCaseNames, readStatusXml } from './parse-message.ts'
import type { Fields } from '../message-fields.ts'
import { buildCheckoutForm } from './checkout-form.ts'
import { readReturnOrWebhook } from './return-and-webhook.ts'
import { parseRefundResponse } from './refund-response.ts'
import { postRequest } from '../send-request.ts'
import type { RequestResult } from '../send-request.ts'

// Only this folder contains code for Airpay. The code is the same for Airpay and for our simulator: only addresses and
// credentials differ. Rules and test vectors: docs/airpay.md and tests/server/payments/airpay/.

/** The number of webhooks kept in memory if there is no status call (Airpay's own sandbox). */
const MAX_STORED_WEBHOOKS = 1000

export type AirpayOptions = {
  readonly mode: GatewayMode
  readonly events: Pick<EventRegistry, 'all' | 'findByOrderId'>
  /** Null if there are no credentials; such an event cannot start a payment. */
  readonly account: (name: string) => Account | null
  /** The simulator's addresses; null to use those of the event's gateway. */
  readonly addresses: GatewayAddresses | null
  readonly variant?: ChecksumVariant
  /** Optional; by default, nothing is assumed beyond the content of a response. */
  readonly assumed?: Assumptions
}

const NO_ASSUMPTIONS: Assumptions = { currency: false, sale: false }
/** In Airpay's own sandbox, a webhook replaces the status call, and webhooks never state currency or kind. */
const SANDBOX_ASSUMPTIONS: Assumptions = { currency: true, sale: true }

export function createAirpayGateway(options: AirpayOptions): GatewayAdapter {
  const { mode, variant = 'A', assumed = NO_ASSUMPTIONS } = options
  const getAddresses = (event: EventConfig): GatewayAddresses => {
    assert(event.payment !== null, 'a payment for an event without a gateway')
    return options.addresses ?? event.payment.gateway.live
  }
  const getAccount = (event: EventConfig): Account | null => {
    assert(event.payment !== null, 'a payment for an event without a gateway')
    return options.account(event.payment.account)
  }
  /** Airpay's own sandbox has no status call, so the last webhook with a correct CRC replaces it. */
  const webhooks = new Map<string, Fields>()

  return {
    handOff(event, buyer, orderId, money, at) {
      const account = getAccount(event)
      if (account === null) return err({ code: 'no_credentials' })
      const payUrl = getAddresses(event).pay
      return buildCheckoutForm({ account, event, payUrl, variant }, buyer, orderId, money, at)
    },
    getMerchantId: ({ payment }) =>
      payment === null ? null : (options.account(payment.account)?.merchantId ?? null),
    readReturnOrWebhook(fields) {
      const parsed = readReturnOrWebhook(fields, options.events, (event) =>
        listEventsByAccount(event)
          .filter(({ payment }) => payment?.gateway.kind === undefined)
          .flatMap((accountEvent) => getAccount(accountEvent) ?? []),
      )
      if (mode !== 'airpay-test' || !parsed.ok) return parsed
      if (parsed.value.hash === 'right') storeWebhook(webhooks, parsed.value.orderId, fields)
      return parsed
    },
    async status(event, orderId, at, timeoutMs) {
      if (mode === 'airpay-test') {
        const fields = webhooks.get(orderId)
        if (fields === undefined) return { is: 'no-record', raw: '' }
        const raw = JSON.stringify(fields)
        return interpretStatus([fields], {
          orderId,
          at,
          raw,
          assumed: SANDBOX_ASSUMPTIONS,
          acceptsTests: true,
        })
      }
      const account = getAccount(event)
      if (account === null) return { is: 'unreachable', error: 'there are no credentials' }
      const result = await requestStatus(
        getAddresses(event).status,
        account,
        orderId,
        at,
        timeoutMs,
      )
      if (result.is === 'failed') return { is: 'unreachable', error: result.error }
      const raw = result.text
      const transactions = readStatusXml(raw)
      return transactions.ok
        ? interpretStatus(transactions.value, { orderId, at, raw, assumed, acceptsTests: false })
        : { is: 'unreachable', error: transactions.error }
    },
    async refund(event, reference, { amount, currency }, at, timeoutMs) {
      const account = getAccount(event)
      if (account === null) return { is: 'not-sent', error: 'there are no credentials' }
      const transactions = JSON.stringify([
        { amount: formatPlainAmount(amount, currency), processor_id: reference },
      ])
      const body = `{"merchant_id":${JSON.stringify(account.merchantId)},"private_key":${JSON.stringify(getPrivateKey(account))},"mode":"refund","transactions":${transactions},"checksum":"${computeRefundChecksum(account, transactions, dayOf(at))}"}`
      const result = await postRequest(
        getAddresses(event).refund,
        'application/json',
        body,
        timeoutMs,
      )
      if (result.is === 'answered') return parseRefundResponse(result.text, reference)
      return result.wasSent
        ? { is: 'unsure', error: result.error, raw: '' }
        : { is: 'not-sent', error: result.error }
    },
    origins() {
      const addresses =
        options.addresses === null
          ? options.events
              .all()
              .flatMap(({ config }) =>
                config.payment === null ? [] : [config.payment.gateway.live],
              )
          : [options.addresses]
      return [
        ...new Set(
          addresses.flatMap(({ pay, hops }) =>
            [pay, ...hops].map((address) => new URL(address).origin),
          ),
        ),
      ]
    },
  }
}

/** Sends a raw status call; `rollcall payment check-gateway` uses it too. */
export function requestStatus(
  address: string,
  account: Account,
  orderId: string,
  at: Instant,
  timeoutMs: number,
): Promise<RequestResult> {
  const form = {
    merchant_id: account.merchantId,
    merchant_txn_id: orderId,
    private_key: getPrivateKey(account),
    checksum: computeStatusChecksum(account, orderId, dayOf(at)),
  }
  const body = new URLSearchParams(form).toString()
  return postRequest(address, 'application/x-www-form-urlencoded', body, timeoutMs)
}

function storeWebhook(webhooks: Map<string, Fields>, orderId: string, fields: Fields): void {
  webhooks.delete(orderId)
  webhooks.set(orderId, toUpperCaseNames(fields))
  const oldest = webhooks.keys().next()
  if (webhooks.size > MAX_STORED_WEBHOOKS && !oldest.done) webhooks.delete(oldest.value)
}
