/**
 * The only module that knows Airpay: v3 "Simple Transaction" (hand-off by a form of the browser),
 * order confirmation and refund. It does not know whether it speaks to Airpay or to our simulator:
 * only addresses and credentials differ. Rules and test vectors: docs/airpay.md and tests/gateway/.
 */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { XMLParser } from 'fast-xml-parser'
import { transliterate } from 'transliteration'
import { amountMax, amountText, assert, dayOf, own, readAmount } from '../../../engine/index.ts'
import type {
  Day,
  EventConfig,
  Instant,
  OrderId,
  Paise,
  PaymentData,
} from '../../../engine/index.ts'
import type {
  Account,
  EventRegistry,
  GatewayAdapter,
  GatewayMode,
  RefundAnswer,
  StatusAnswer,
} from '../../deps.ts'

/** Where a gateway takes its calls: Airpay's stand in the shared gateways file, the simulator's are its own. */
export type Addresses = {
  readonly pay: string
  readonly status: string
  readonly refund: string
  readonly hops: readonly string[]
}
/** What the checksum covers: 'A' with the UID (as the kits do), 'B' without it. Airpay's papers leave it open. */
export type ChecksumVariant = 'A' | 'B'
export type Fields = Readonly<Record<string, string>>

/** A notice is some hundred bytes, a status answer some thousand; more is not from a gateway. */
export const messageBytesMax = 64 * 1024
const namesLengthMax = 50
const emailLength = { min: 6, max: 50 } as const
/** Notices remembered where the status call does not exist (Airpay's own sandbox). */
const rememberedMax = 1000

const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** Both keys of an account are the same in every message. */
const keys = new WeakMap<Account, { readonly private: string; readonly checksum: string }>()
function keysOf(account: Account): { readonly private: string; readonly checksum: string } {
  const known = keys.get(account)
  if (known !== undefined) return known
  const made = {
    private: sha256(`${account.secret}@${account.username}:|:${account.password}`),
    checksum: sha256(`${account.username}~:~${account.password}`),
  }
  keys.set(account, made)
  return made
}
export const privateKeyOf = (account: Account): string => keysOf(account).private
const keyOf = (account: Account): string => keysOf(account).checksum

export type Buyer = {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly address?: string
  readonly city?: string
  readonly state?: string
  readonly country?: string
}

/** Of the hand-off. No separators, absent is empty; the day is the Indian one of the request. */
export function handOffChecksum(
  account: Account,
  buyer: Buyer,
  order: { readonly amount: string; readonly orderId: string; readonly uid: string },
  day: Day,
  variant: ChecksumVariant,
): string {
  const { email, firstName, lastName, address = '', city = '', state = '', country = '' } = buyer
  const uid = variant === 'A' ? order.uid : ''
  return sha256(
    `${keyOf(account)}@${email}${firstName}${lastName}${address}${city}${state}${country}${order.amount}${order.orderId}${uid}${day}`,
  )
}

/** Of the status call; processor_id, rrn, terminal_id and txn_type are not sent and therefore empty. */
export function statusChecksum(account: Account, orderId: string, day: Day): string {
  return sha256(`${keyOf(account)}@${account.merchantId}${orderId}${day}`)
}

/** Of a refund; `transactions` is the JSON text exactly as it is sent. */
export function refundChecksum(account: Account, transactions: string, day: Day): string {
  return sha256(`${keyOf(account)}@${account.merchantId}refund${transactions}${day}`)
}

/**
 * `ap_SecureHash`: the CRC32, unsigned and decimal. No authentication at all: a CRC is linear, so that
 * whoever has seen one genuine notice can make the right CRC for another amount.
 */
export function secureHash(account: Account, fields: Fields, withVpa: boolean): string {
  const part = (name: string): string => (fields[name] ?? '').trim()
  const parts = [
    part('TRANSACTIONID'),
    part('APTRANSACTIONID'),
    part('AMOUNT'),
    part('TRANSACTIONSTATUS'),
    part('MESSAGE'),
    account.merchantId,
    account.username,
  ]
  return String(
    crc32(Buffer.from([...parts, ...(withVpa ? [part('CUSTOMERVPA')] : [])].join(':'), 'utf8')),
  )
}

/**
 * A name as Airpay takes it: ASCII letters, digits and spaces, never empty. Other scripts are written in
 * Latin letters where that is possible; else the registration number stands in. A single name is both.
 */
export function cleanName(
  fullName: string,
  regNo: string,
): { readonly firstName: string; readonly lastName: string } {
  const isLatin = /^[ -~]*$/.test(fullName)
  const latin = (isLatin ? fullName : transliterate(fullName.normalize('NFC')))
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
  const [first = regNo, ...rest] = latin === '' ? [] : latin.split(' ')
  const last = rest.length === 0 ? first : rest.join(' ')
  const cut = (name: string): string => name.slice(0, namesLengthMax).trim()
  return { firstName: cut(first), lastName: cut(last) }
}

/** The fields of a return or notice as text, from a posted form or JSON (both were seen); null: neither. */
export function readFields(body: string, contentType: string): Fields | null {
  const fields = Object.create(null) as Record<string, string>
  const text = body.trim()
  if (contentType.toLowerCase().includes('json') || text.startsWith('{')) {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      return null
    }
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return null
    for (const [name, value] of Object.entries(json))
      if (typeof value === 'string' || typeof value === 'number') fields[name] = String(value)
  } else for (const [name, value] of new URLSearchParams(text)) fields[name] = value
  return Object.keys(fields).length === 0 ? null : fields
}

/** What a status code means. Only these end a payment; whatever is not in the table stays pending. */
const meanings: Readonly<Record<string, 'paid' | 'declined' | 'in-process' | 'no-record'>> = {
  200: 'paid',
  211: 'in-process',
  400: 'declined',
  401: 'declined',
  402: 'declined',
  // Incomplete: the buyer may still be at the bank. Like no record, it ends when a day has passed.
  403: 'no-record',
  405: 'declined',
  502: 'declined',
  503: 'no-record',
}
const saleType = '320'
const rupeeCodes = ['INR', '356']

const xml = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: true,
  processEntities: false,
})

/** The fields of a status answer; null when it is not the XML we know. */
export function readStatusXml(text: string): Fields | null {
  let parsed: unknown
  try {
    parsed = xml.parse(text)
  } catch {
    return null
  }
  const transaction = child(child(parsed, 'RESPONSE'), 'TRANSACTION')
  if (typeof transaction !== 'object' || transaction === null) return null
  return Object.fromEntries(
    Object.entries(transaction).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.trim()]] : [],
    ),
  )
}

function child(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : null
}

/**
 * From the gateway's own words to what happened. MESSAGE is never judged (it can say "Success" beside
 * 503), nor BILLEDAMOUNT (it may hold a surcharge). Whether amount, currency and kind fit is the
 * engine's to say, so that money that does not fit is recorded and reviewed.
 */
export function judgeStatus(
  fields: Fields,
  orderId: OrderId,
  at: Instant,
  raw: string,
): StatusAnswer {
  const code = fields['TRANSACTIONSTATUS'] ?? ''
  const meaning = own(meanings, code)
  switch (meaning) {
    case undefined:
    case 'in-process':
      return { is: 'pending', code, raw }
    case 'no-record':
      return { is: 'no-record', raw }
    case 'declined':
    case 'paid':
      break
  }
  // An answer about another order is no answer about ours.
  if (fields['TRANSACTIONID'] !== orderId)
    return { is: 'unreachable', error: 'the answer names another order' }
  if (meaning === 'declined')
    return {
      is: 'fact',
      raw,
      fact: { type: 'declined', code, message: (fields['MESSAGE'] ?? '').slice(0, 200), at },
    }
  const amount = readAmount(fields['AMOUNT'] ?? '')
  const reference = fields['APTRANSACTIONID'] ?? ''
  if (amount === null || reference === '')
    return { is: 'unreachable', error: 'the answer lacks amount or reference' }
  const sent = (fields['CURRENCYCODE'] ?? '').toUpperCase()
  const currency = rupeeCodes.includes(sent) ? 'INR' : sent
  return {
    is: 'fact',
    raw,
    fact: {
      type: 'confirmed',
      reference,
      amount,
      currency,
      kind: fields['TRANSACTIONTYPE'] === saleType ? 'sale' : 'other',
      at,
    },
  }
}

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
    if (account === null)
      throw new Error(`there are no credentials for the account "${event.payment.account}"`)
    return account
  }
  /** In Airpay's own sandbox the status call does not exist, so the last notice with a right CRC stands for it. */
  const noticed = new Map<string, Fields>()

  const readNotice: GatewayAdapter['readNotice'] = (body) => {
    const field = (name: string): string => (body[name] ?? '').trim()
    const orderId = field('TRANSACTIONID')
    const code = field('TRANSACTIONSTATUS')
    if (orderId === '' || code === '')
      return { ok: false, code: 'malformed', orderId: orderId === '' ? null : orderId }
    const event = options.events.byOrderId(orderId)?.config
    if (event === undefined || event.payment === null)
      return { ok: false, code: 'unknown_order', orderId }
    const claimed = field('ap_SecureHash')
    // A failure may lack fields, its hash among them. It claims nothing that a verification could be misled by.
    if (claimed === '' && code !== '200')
      return { ok: true, orderId, amount: field('AMOUNT'), code }
    if (
      claimed === '' ||
      (code === '200' && (field('APTRANSACTIONID') === '' || field('AMOUNT') === ''))
    )
      return { ok: false, code: 'malformed', orderId }
    const account = accountOf(event)
    const right = [false, true].some((withVpa) => secureHash(account, body, withVpa) === claimed)
    if (!right) return { ok: false, code: 'wrong_crc', orderId }
    if (mode === 'airpay-test') remember(noticed, orderId, body)
    return { ok: true, orderId, amount: field('AMOUNT'), code }
  }

  return {
    handOff(event, buyer, orderId, amount, at) {
      assert(event.payment !== null, 'a hand-off for an event that takes no money')
      assert(/^[A-Za-z0-9]{1,20}$/.test(orderId), 'an order id that the gateway does not take')
      assert(amount > 0 && amount <= amountMax, 'an amount that the gateway does not take')
      assert(
        buyer.email.length >= emailLength.min && buyer.email.length <= emailLength.max,
        'an e-mail address that the gateway does not take',
      )
      const account = accountOf(event)
      const { firstName, lastName } = cleanName(buyer.fullName, buyer.regNo)
      const text = amountText(amount)
      const checksum = handOffChecksum(
        account,
        { email: buyer.email, firstName, lastName },
        { amount: text, orderId, uid: orderId },
        dayOf(at),
        variant,
      )
      const data: PaymentData = {
        email: buyer.email,
        first_name: firstName,
        last_name: lastName,
        orderid: orderId,
        amount: text,
        mercid: account.merchantId,
        merchant_id: account.merchantId,
        privatekey: privateKeyOf(account),
        checksum,
        payment_url: addressesOf(event).pay,
      }
      // Airpay's table asks for a phone, its kits do not: it is sent when the gateways file posts `phone`.
      const phone = indianNumber(buyer.phone)
      return Object.values(event.payment.gateway.posts).includes('phone')
        ? { ...data, phone: phone ?? '' }
        : data
    },
    readNotice,
    async status(event, orderId, at, timeoutMs) {
      if (mode === 'airpay-test') {
        const fields = noticed.get(orderId)
        return fields === undefined
          ? { is: 'pending', code: '', raw: '' }
          : judgeStatus(
              { CURRENCYCODE: 'INR', TRANSACTIONTYPE: saleType, ...fields },
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
      const fields = readStatusXml(answered.text)
      return fields === null
        ? { is: 'unreachable', error: 'the answer is not the XML of a transaction' }
        : judgeStatus(fields, orderId, at, answered.text)
    },
    async refund(event, reference, amount, at, timeoutMs) {
      const account = accountOf(event)
      const transactions = JSON.stringify([{ amount: amountText(amount), processor_id: reference }])
      const body = `{"merchant_id":${JSON.stringify(account.merchantId)},"private_key":${JSON.stringify(privateKeyOf(account))},"mode":"refund","transactions":${transactions},"checksum":"${refundChecksum(account, transactions, dayOf(at))}"}`
      const answered = await post(addressesOf(event).refund, 'application/json', body, timeoutMs)
      return answered.ok
        ? judgeRefund(answered.text, reference, amount, at)
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

function remember(noticed: Map<string, Fields>, orderId: string, fields: Fields): void {
  noticed.delete(orderId)
  noticed.set(
    orderId,
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.trim()])),
  )
  const oldest = noticed.keys().next()
  if (noticed.size > rememberedMax && !oldest.done) noticed.delete(oldest.value)
}

/** The ten digits of an Indian mobile or landline number, without +91 or a leading 0; null when it is none. */
function indianNumber(phone: string): string | null {
  return /^(?:91|0)?(\d{10})$/.exec(phone.replaceAll(/\D/g, ''))?.[1] ?? null
}

type Posted =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: string }

/** Never throws: what goes wrong between two machines is an answer too. */
async function post(
  address: string,
  contentType: string,
  body: string,
  timeoutMs: number,
): Promise<Posted> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (!response.ok)
      return { ok: false, error: `the gateway answered with status ${response.status}` }
    return text.length > messageBytesMax
      ? { ok: false, error: 'the answer is too long' }
      : { ok: true, text }
  } catch (error) {
    return {
      ok: false,
      error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    }
  }
}

function judgeRefund(text: string, reference: string, amount: Paise, at: Instant): RefundAnswer {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { is: 'unreachable', error: 'the answer is not JSON' }
  }
  const transactions = child(json, 'transactions')
  const ours = Array.isArray(transactions)
    ? transactions.find((transaction) => String(child(transaction, 'airpayid')) === reference)
    : null
  const message = String(child(ours, 'message') ?? child(json, 'message') ?? '')
  const refundReference = child(ours, 'refundairpayid')
  if (
    String(child(json, 'success')) !== 'true' ||
    String(child(ours, 'success')) !== 'true' ||
    refundReference === null
  )
    return { is: 'refused', message, raw: text }
  return {
    is: 'fact',
    raw: text,
    fact: { type: 'refunded', reference: String(refundReference), amount, at },
  }
}
