/** What the browser posts to Airpay: the buyer and the amount as Airpay takes them, and who asks for the money. */
import type * as Letters from 'transliteration'
import {
  AMOUNT_MAX,
  amountText,
  assert,
  composed,
  dayOf,
  err,
  GATEWAY_EMAIL_CHARACTERS,
  ok,
} from '../../../../engine/index.ts'
import type {
  EventConfig,
  Instant,
  OrderId,
  Paise,
  PaymentData,
  Result,
} from '../../../../engine/index.ts'
import type { Account, Buyer, HandOffRefusal } from '../../../dependencies.ts'
import { handOffChecksum, privateKeyOf } from './checksums.ts'
import type { ChecksumVariant } from './checksums.ts'
import { later } from '../../../ops/lazy-import.ts'

const letters = later<typeof Letters>('transliteration')

/** Airpay cuts nothing, it refuses. */
const NAME_CHARACTERS_MAX = 50
/** Where neither name nor number holds a letter or digit that Airpay takes. */
const NAMELESS = 'Delegate'

/**
 * `payUrl` is where the form goes. Refuses what Airpay would refuse: the checker and the form promise that
 * order id, amount and email fit, but rows from elsewhere have met neither.
 */
export function handOffData(
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
  amount: Paise,
  at: Instant,
): Result<PaymentData, HandOffRefusal> {
  assert(event.payment !== null, 'a hand-off for an event that takes no money')
  if (!/^[A-Za-z0-9]{1,20}$/.test(orderId)) return err({ code: 'order_id' })
  if (amount <= 0 || amount > AMOUNT_MAX) return err({ code: 'amount' })
  const { minimum } = event.payment.gateway
  if (amount < minimum) return err({ code: 'below_minimum', minimum })
  const { min, max } = GATEWAY_EMAIL_CHARACTERS
  const { length: characters } = buyer.email
  if (characters < min || characters > max) return err({ code: 'email', characters })
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
    payment_url: payUrl,
  }
  // Airpay's table asks for a phone, its kits do not: it is sent when the gateways file posts `phone`.
  return ok(
    Object.values(event.payment.gateway.posts).includes('phone')
      ? { ...data, phone: indianNumber(buyer.phone) ?? '' }
      : data,
  )
}

const ASCII = /^[ -~]*$/
/** Nearly every name: there is nothing to change in it. */
const PLAIN = /^[A-Za-z]+(?: [A-Za-z]+)*$/

/**
 * A name as Airpay takes it: ASCII letters, digits and spaces, never empty. Other scripts are written in
 * Latin letters where that is possible; else the registration number stands in. A single name is both.
 */
export function cleanName(
  fullName: string,
  regNo: string,
): { readonly firstName: string; readonly lastName: string } {
  const latin = inLatin(fullName)
  const [first = nameFrom(regNo), ...rest] = latin === '' ? [] : latin.split(' ')
  const last = rest.length === 0 ? first : rest.join(' ')
  return { firstName: cut(first), lastName: cut(last) }
}

function inLatin(fullName: string): string {
  if (PLAIN.test(fullName)) return fullName
  // Signs that turn or join writing are no letters and no gaps.
  const visible = ASCII.test(fullName) ? fullName : fullName.replaceAll(/\p{Cf}/gu, '')
  return (ASCII.test(visible) ? visible : letters().transliterate(composed(visible)))
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
}

/** A number from elsewhere may hold what Airpay's names may not. */
function nameFrom(regNo: string): string {
  const number = regNo.replaceAll(/[^A-Za-z0-9]+/g, ' ').trim()
  return number === '' ? NAMELESS : number
}

function cut(name: string): string {
  return name.length <= NAME_CHARACTERS_MAX ? name : name.slice(0, NAME_CHARACTERS_MAX).trim()
}

/** The ten digits of an Indian mobile or landline number, without +91 or a leading 0; null when it is none. */
function indianNumber(phone: string): string | null {
  return /^(?:91|0)?(\d{10})$/.exec(phone.replaceAll(/\D/g, ''))?.[1] ?? null
}
