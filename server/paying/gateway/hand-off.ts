/** What the browser posts to Airpay: the buyer and the amount as Airpay takes them, and who asks for the money. */
import { transliterate } from 'transliteration'
import { AMOUNT_MAX, amountText, assert, composed, dayOf } from '../../../engine/index.ts'
import type { EventConfig, Instant, OrderId, Paise, PaymentData } from '../../../engine/index.ts'
import type { Account, Buyer } from '../../deps.ts'
import { handOffChecksum, privateKeyOf } from './checksums.ts'
import type { ChecksumVariant } from './checksums.ts'

/** Airpay cuts nothing, it refuses. */
const NAME_CHARACTERS_MAX = 50
const EMAIL_CHARACTERS_MIN = 6
const EMAIL_CHARACTERS_MAX = 50

/** `payUrl` is where the form goes. Asserts what the checker and the form have promised: order id, amount and e-mail fit. */
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
): PaymentData {
  assert(event.payment !== null, 'a hand-off for an event that takes no money')
  assert(/^[A-Za-z0-9]{1,20}$/.test(orderId), 'an order id that the gateway does not take')
  assert(amount > 0 && amount <= AMOUNT_MAX, 'an amount that the gateway does not take')
  assert(
    buyer.email.length >= EMAIL_CHARACTERS_MIN && buyer.email.length <= EMAIL_CHARACTERS_MAX,
    'an e-mail address that the gateway does not take',
  )
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
  return Object.values(event.payment.gateway.posts).includes('phone')
    ? { ...data, phone: indianNumber(buyer.phone) ?? '' }
    : data
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
  const latin = (isLatin ? fullName : transliterate(composed(fullName)))
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^A-Za-z]+/g, ' ')
    .trim()
  const [first = regNo, ...rest] = latin === '' ? [] : latin.split(' ')
  const last = rest.length === 0 ? first : rest.join(' ')
  const cut = (name: string): string => name.slice(0, NAME_CHARACTERS_MAX).trim()
  return { firstName: cut(first), lastName: cut(last) }
}

/** The ten digits of an Indian mobile or landline number, without +91 or a leading 0; null when it is none. */
function indianNumber(phone: string): string | null {
  return /^(?:91|0)?(\d{10})$/.exec(phone.replaceAll(/\D/g, ''))?.[1] ?? null
}
