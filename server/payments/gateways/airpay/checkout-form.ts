/** Builds the form that the browser posts to Airpay: buyer, amount and merchant. */
import type * as Letters from 'transliteration'
import {
  INR,
  MAX_AMOUNT,
  formatPlainAmount,
  assert,
  toNfc,
  dayOf,
  err,
  GATEWAY_EMAIL_LENGTH,
  ok,
} from '../../../../engine/index.ts'
import type { Money, EventConfig, Instant, OrderId, Result } from '../../../../engine/index.ts'
import type { PaymentData } from '../../../../engine/api.ts'
import type { Buyer, HandOffRefusal } from '../../../dependencies.ts'
import type { Account } from './credentials.ts'
import { computeHandOffChecksum, getPrivateKey } from './checksums.ts'
import type { ChecksumVariant } from './checksums.ts'
import { importLazily } from '../../../ops/lazy-import.ts'

const loadTransliteration = importLazily<typeof Letters>('transliteration')

/** Airpay rejects longer names; it does not truncate them. */
const MAX_NAME_CHARACTERS = 50
/** Used if neither name nor number has a letter or digit that Airpay accepts. */
const FALLBACK_NAME = 'Delegate'

/**
 * Builds the form. `payUrl` is its target. Rejects payments that Airpay would reject: the checker and the registration
 * form guarantee a valid order id, amount and email address, but imported rows have passed neither.
 */
export function buildCheckoutForm(
  {
    account,
    event,
    payUrl,
    variant,
  }: {
    readonly account: Account
    readonly event: EventConfig
    readonly payUrl: string
    readonly variant: ChecksumVariant
  },
  buyer: Buyer,
  orderId: OrderId,
  { amount, currency }: Money,
  at: Instant,
): Result<PaymentData, HandOffRefusal> {
  assert(event.payment !== null, 'a checkout form for an event without a gateway')
  if (!/^[A-Za-z0-9]{1,20}$/.test(orderId)) return err({ code: 'order_id' })
  if (currency !== INR) return err({ code: 'currency', currency })
  if (amount <= 0 || amount > MAX_AMOUNT) return err({ code: 'amount' })
  const { minimum } = event.payment.gateway
  if (amount < minimum) return err({ code: 'below_minimum', minimum })
  const { min, max } = GATEWAY_EMAIL_LENGTH
  const { length: characters } = buyer.email
  if (characters < min || characters > max) return err({ code: 'email', characters })
  const { firstName, lastName } = cleanName(buyer.fullName, buyer.regNo)
  const amountText = formatPlainAmount(amount, currency)
  const checksum = computeHandOffChecksum(
    account,
    { email: buyer.email, firstName, lastName },
    { amount: amountText, orderId, uid: orderId },
    dayOf(at),
    variant,
  )
  const data: PaymentData = {
    email: buyer.email,
    first_name: firstName,
    last_name: lastName,
    orderid: orderId,
    amount: amountText,
    mercid: account.merchantId,
    merchant_id: account.merchantId,
    privatekey: getPrivateKey(account),
    checksum,
    payment_url: payUrl,
  }
  // Airpay's documentation requires a phone number, but its kits do not. Sends the number if the gateways file lists
  // `phone` under `posts`.
  return ok(
    Object.values(event.payment.gateway.posts).includes('phone')
      ? { ...data, phone: readIndianNumber(buyer.phone) ?? '' }
      : data,
  )
}

const ASCII_PATTERN = /^[ -~]*$/
/** Matches most names, which need no change. */
const PLAIN_NAME_PATTERN = /^[A-Za-z]+(?: [A-Za-z]+)*$/

/**
 * Converts a name for Airpay: ASCII letters, digits and spaces, never empty. Other scripts are transliterated if
 * possible; otherwise the registration number is used. A single name becomes both first and last name.
 */
export function cleanName(
  fullName: string,
  regNo: string,
): { readonly firstName: string; readonly lastName: string } {
  const latin = transliterateName(fullName)
  const [first = deriveName(regNo), ...rest] = latin === '' ? [] : latin.split(' ')
  const last = rest.length === 0 ? first : rest.join(' ')
  return { firstName: truncate(first), lastName: truncate(last) }
}

function transliterateName(fullName: string): string {
  if (PLAIN_NAME_PATTERN.test(fullName)) return fullName
  // Format characters, which control direction or join letters, are neither letters nor spaces.
  const visible = ASCII_PATTERN.test(fullName) ? fullName : fullName.replaceAll(/\p{Cf}/gu, '')
  return (
    ASCII_PATTERN.test(visible) ? visible : loadTransliteration().transliterate(toNfc(visible))
  )
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
}

/** Converts a registration number to a name. An imported one may contain characters that Airpay does not accept. */
function deriveName(regNo: string): string {
  const number = regNo.replaceAll(/[^A-Za-z0-9]+/g, ' ').trim()
  return number === '' ? FALLBACK_NAME : number
}

function truncate(name: string): string {
  return name.length <= MAX_NAME_CHARACTERS ? name : name.slice(0, MAX_NAME_CHARACTERS).trim()
}

/**
 * Returns the ten digits of an Indian mobile or landline number, without +91 or a leading 0; null for any other number.
 */
function readIndianNumber(phone: string): string | null {
  return /^(?:91|0)?(\d{10})$/.exec(phone.replaceAll(/\D/g, ''))?.[1] ?? null
}
