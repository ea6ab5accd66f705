/**
 * Airpay, v3 "Simple Transaction": the adapter, put together from what this folder knows of its protocol,
 * and the calls over the network. Nothing outside the folder knows Airpay, and nothing in it whether it
 * speaks to Airpay or to our simulator: only addresses and credentials differ. Rules and test vectors:
 * docs/airpay.md and tests/gateway/.
 */
import { amountText, assert, dayOf, err, ok } from '../../../engine/index.ts'
import type { EventConfig, Result } from '../../../engine/index.ts'
import type { Account, EventRegistry, GatewayAdapter, GatewayMode } from '../../deps.ts'
import { SALE_TYPE, judgeRefund, judgeStatus } from './answers.ts'
import { privateKeyOf, refundChecksum, statusChecksum } from './checksums.ts'
import type { ChecksumVariant } from './checksums.ts'
import { MESSAGE_BYTES_MAX, readStatusXml } from './fields.ts'
import type { Fields } from './fields.ts'
import { handOffData } from './hand-off.ts'
import { readNotice } from './notices.ts'

/** Where a gateway takes its calls: Airpay's stand in the shared gateways file, the simulator's are its own. */
export type Addresses = {
  readonly pay: string
  readonly status: string
  readonly refund: string
  readonly hops: readonly string[]
}

/** Notices remembered where the status call does not exist (Airpay's own sandbox). */
const NOTICED_MAX = 1000

export type AirpayOptions = {
  readonly mode: GatewayMode
  readonly events: Pick<EventRegistry, 'all' | 'byOrderId'>
  /** Null: no credentials; such an event takes no hand-off. */
  readonly account: (name: string) => Account | null
  /** The simulator's addresses; null: those of the event's gateway. */
  readonly addresses: Addresses | null
  readonly variant?: ChecksumVariant
}

export function airpay(options: AirpayOptions): GatewayAdapter {
  const { mode, variant = 'A' } = options
  const addressesOf = (event: EventConfig): Addresses => {
    assert(event.payment !== null, 'a payment of an event that takes no money')
    return options.addresses ?? event.payment.gateway.live
  }
  const accountOf = (event: EventConfig): Account => {
    assert(event.payment !== null, 'a payment of an event that takes no money')
    const account = options.account(event.payment.account)
    assert(account !== null, `no credentials for the account "${event.payment.account}"`)
    return account
  }
  /** In Airpay's own sandbox the status call does not exist, so the last notice with a right CRC stands for it. */
  const noticed = new Map<string, Fields>()

  const take: GatewayAdapter['readNotice'] = (fields) => {
    const notice = readNotice(fields, options.events, accountOf)
    if (mode === 'airpay-test' && notice.ok && (fields['ap_SecureHash'] ?? '').trim() !== '')
      keepNewest(noticed, notice.value.orderId, fields)
    return notice
  }

  return {
    handOff(event, buyer, orderId, amount, at) {
      const account = accountOf(event)
      const payUrl = addressesOf(event).pay
      return handOffData({ account, event, payUrl, variant }, buyer, orderId, amount, at)
    },
    readNotice: take,
    merchantOf: ({ payment }) =>
      payment === null ? null : (options.account(payment.account)?.merchantId ?? null),
    async status(event, orderId, at, timeoutMs) {
      if (mode === 'airpay-test') {
        const fields = noticed.get(orderId)
        return fields === undefined
          ? { is: 'pending', code: '', raw: '' }
          : judgeStatus(
              { CURRENCYCODE: 'INR', TRANSACTIONTYPE: SALE_TYPE, ...fields },
              orderId,
              at,
              JSON.stringify(fields),
            )
      }
      const account = accountOf(event)
      const form = {
        merchant_id: account.merchantId,
        merchant_txn_id: orderId,
        private_key: privateKeyOf(account),
        checksum: statusChecksum(account, orderId, dayOf(at)),
      }
      const answered = await post(
        addressesOf(event).status,
        'application/x-www-form-urlencoded',
        new URLSearchParams(form).toString(),
        timeoutMs,
      )
      if (!answered.ok) return { is: 'unreachable', error: answered.error }
      const fields = readStatusXml(answered.value)
      return fields === null
        ? { is: 'unreachable', error: 'the answer is not the XML of a transaction' }
        : judgeStatus(fields, orderId, at, answered.value)
    },
    async refund(event, reference, amount, at, timeoutMs) {
      const account = accountOf(event)
      const transactions = JSON.stringify([{ amount: amountText(amount), processor_id: reference }])
      const body = `{"merchant_id":${JSON.stringify(account.merchantId)},"private_key":${JSON.stringify(privateKeyOf(account))},"mode":"refund","transactions":${transactions},"checksum":"${refundChecksum(account, transactions, dayOf(at))}"}`
      const answered = await post(addressesOf(event).refund, 'application/json', body, timeoutMs)
      return answered.ok
        ? judgeRefund(answered.value, reference, amount, at)
        : { is: 'unreachable', error: answered.error }
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

function keepNewest(noticed: Map<string, Fields>, orderId: string, fields: Fields): void {
  noticed.delete(orderId)
  noticed.set(
    orderId,
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.trim()])),
  )
  const oldest = noticed.keys().next()
  if (noticed.size > NOTICED_MAX && !oldest.done) noticed.delete(oldest.value)
}

/** Never throws: what goes wrong between two machines is an answer too. */
async function post(
  address: string,
  contentType: string,
  body: string,
  timeoutMs: number,
): Promise<Result<string, string>> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (!response.ok) return err(`the gateway answered with status ${response.status}`)
    return text.length > MESSAGE_BYTES_MAX ? err('the answer is too long') : ok(text)
  } catch (error) {
    return err(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  }
}
