/**
 * Assembles the gateway adapter for Airpay v3 "Simple Transaction", and makes its network calls.
 * Nothing outside this folder knows Airpay. Nothing in it knows whether it speaks to Airpay or to our simulator:
 * only addresses and credentials differ. Rules and test vectors: docs/airpay.md and tests/server/payments/.
 */
import { amountText, assert, dayOf, err } from '../../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../../engine/index.ts'
import type { Account, EventRegistry, GatewayAdapter, GatewayMode } from '../../../dependencies.ts'
import { judgeStatus } from './status-response.ts'
import type { Assumed } from './status-response.ts'
import { privateKeyOf, refundChecksum, statusChecksum } from './checksums.ts'
import type { ChecksumVariant } from './checksums.ts'
import { inCapitals, readStatusXml } from './parse-message.ts'
import type { Fields } from './parse-message.ts'
import { handOffData } from './checkout-form.ts'
import { readNotice } from './return-and-webhook.ts'
import { judgeRefund } from './refund-response.ts'
import { post } from './send-request.ts'
import type { Posted } from './send-request.ts'

/** Addresses of a gateway's calls: Airpay's are in the shared gateways file, the simulator has its own. */
export type Addresses = {
  readonly pay: string
  readonly status: string
  readonly refund: string
  readonly hops: readonly string[]
}

/** Webhooks remembered where the status call does not exist (Airpay's own sandbox). */
const NOTICED_MAX = 1000

export type AirpayOptions = {
  readonly mode: GatewayMode
  readonly events: Pick<EventRegistry, 'all' | 'byOrderId'>
  /** Null: no credentials; such an event cannot start a payment. */
  readonly account: (name: string) => Account | null
  /** The simulator's addresses; null: those of the event's gateway. */
  readonly addresses: Addresses | null
  readonly variant?: ChecksumVariant
  /** Left out: nothing is assumed that an answer does not state. */
  readonly assumed?: Assumed
}

const NOTHING_ASSUMED: Assumed = { currency: false, sale: false }
/** In Airpay's own sandbox a webhook replaces the status call, and webhooks never state currency or kind. */
const BOTH_ASSUMED: Assumed = { currency: true, sale: true }

export function airpay(options: AirpayOptions): GatewayAdapter {
  const { mode, variant = 'A', assumed = NOTHING_ASSUMED } = options
  const addressesOf = (event: EventConfig): Addresses => {
    assert(event.payment !== null, 'a payment of an event that takes no money')
    return options.addresses ?? event.payment.gateway.live
  }
  const accountOf = (event: EventConfig): Account | null => {
    assert(event.payment !== null, 'a payment of an event that takes no money')
    return options.account(event.payment.account)
  }
  /** Airpay's own sandbox has no status call, so the last webhook with a correct CRC replaces it. */
  const noticed = new Map<string, Fields>()

  return {
    handOff(event, buyer, orderId, amount, at) {
      const account = accountOf(event)
      if (account === null) return err({ code: 'no_credentials' })
      const payUrl = addressesOf(event).pay
      return handOffData({ account, event, payUrl, variant }, buyer, orderId, amount, at)
    },
    merchantOf: ({ payment }) =>
      payment === null ? null : (options.account(payment.account)?.merchantId ?? null),
    readNotice(fields) {
      const notice = readNotice(fields, options.events, accountOf)
      if (mode !== 'airpay-test' || !notice.ok) return notice
      if (notice.value.hash === 'right') keepNewest(noticed, notice.value.orderId, fields)
      return notice
    },
    async status(event, orderId, at, timeoutMs) {
      if (mode === 'airpay-test') {
        const fields = noticed.get(orderId)
        if (fields === undefined) return { is: 'no-record', raw: '' }
        const raw = JSON.stringify(fields)
        return judgeStatus([fields], { orderId, at, raw, assumed: BOTH_ASSUMED, takesTests: true })
      }
      const account = accountOf(event)
      if (account === null) return { is: 'unreachable', error: 'there are no credentials' }
      const answered = await askStatus(addressesOf(event).status, account, orderId, at, timeoutMs)
      if (answered.is === 'failed') return { is: 'unreachable', error: answered.error }
      const raw = answered.text
      const transactions = readStatusXml(raw)
      return transactions.ok
        ? judgeStatus(transactions.value, { orderId, at, raw, assumed, takesTests: false })
        : { is: 'unreachable', error: transactions.error }
    },
    async refund(event, reference, amount, at, timeoutMs) {
      const account = accountOf(event)
      if (account === null) return { is: 'not-sent', error: 'there are no credentials' }
      const transactions = JSON.stringify([{ amount: amountText(amount), processor_id: reference }])
      const body = `{"merchant_id":${JSON.stringify(account.merchantId)},"private_key":${JSON.stringify(privateKeyOf(account))},"mode":"refund","transactions":${transactions},"checksum":"${refundChecksum(account, transactions, dayOf(at))}"}`
      const answered = await post(addressesOf(event).refund, 'application/json', body, timeoutMs)
      if (answered.is === 'answered') return judgeRefund(answered.text, reference)
      return answered.sent
        ? { is: 'unsure', error: answered.error, raw: '' }
        : { is: 'not-sent', error: answered.error }
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
export function askStatus(
  address: string,
  account: Account,
  orderId: string,
  at: Instant,
  timeoutMs: number,
): Promise<Posted> {
  const form = {
    merchant_id: account.merchantId,
    merchant_txn_id: orderId,
    private_key: privateKeyOf(account),
    checksum: statusChecksum(account, orderId, dayOf(at)),
  }
  const body = new URLSearchParams(form).toString()
  return post(address, 'application/x-www-form-urlencoded', body, timeoutMs)
}

function keepNewest(noticed: Map<string, Fields>, orderId: string, fields: Fields): void {
  noticed.delete(orderId)
  noticed.set(orderId, inCapitals(fields))
  const oldest = noticed.keys().next()
  if (noticed.size > NOTICED_MAX && !oldest.done) noticed.delete(oldest.value)
}
