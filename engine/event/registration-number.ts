/** Creates and checks registration numbers and order ids. */
import type { PublicEvent } from './config.ts'
import { assert, err, ok, type Result } from '../lib/result.ts'

declare const regNoBrand: unique symbol
declare const orderIdBrand: unique symbol
/** A registration number: prefix, random digits, check digit. */
export type RegNo = string & { readonly [regNoBrand]: true }
/**
 * The gateway's identifier of one payment attempt: the registration number, with two more digits
 * for a further attempt.
 */
export type OrderId = string & { readonly [orderIdBrand]: true }

/** The gateway accepts up to 20 letters and digits as an order id. */
export const MAX_ORDER_ID_CHARACTERS = 20

// Damm's quasigroup detects every wrong digit and every swap of two adjacent digits.
const DAMM_TABLE = [
  '0317598642',
  '7092154863',
  '4206871359',
  '1750983426',
  '6123045978',
  '3674209581',
  '5869720134',
  '8945362017',
  '9438617205',
  '2581436790',
]
function computeDammDigit(digits: string): string {
  let interim = '0'
  for (const digit of digits) interim = DAMM_TABLE[Number(interim)]?.[Number(digit)] ?? ''
  return interim
}

/**
 * Returns the number of random digits that `createRegNo` needs: all digits except the check digit.
 */
export function getDigitCount(event: PublicEvent): number {
  return event.orderId.digits - 1
}

/**
 * Creates a registration number. The random digits are an argument, because the engine uses no
 * randomness.
 */
export function createRegNo(event: PublicEvent, digits: readonly number[]): RegNo {
  assert(
    digits.length === getDigitCount(event),
    'the number of random digits differs from the event',
  )
  assert(
    digits.every((digit) => Number.isInteger(digit) && digit >= 0 && digit <= 9),
    'a random digit must be from 0 to 9',
  )
  const randomDigits = digits.join('')
  return `${event.orderId.prefix}${randomDigits}${computeDammDigit(randomDigits)}` as RegNo
}

/** Returns true if `createRegNo` could have created this number. Imported numbers may differ. */
export function isRegNo(event: PublicEvent, text: string): text is RegNo {
  const { prefix, digits } = event.orderId
  const digitsText = text.slice(prefix.length)
  return (
    text.startsWith(prefix) &&
    digitsText.length === digits &&
    /^\d+$/.test(digitsText) &&
    computeDammDigit(digitsText) === '0'
  )
}

/**
 * Returns the order id of an attempt, counted from 1: the number itself, then the number plus 02,
 * 03, … 99.
 */
export function createOrderId(regNo: RegNo, attempt: number): OrderId {
  assert(
    Number.isInteger(attempt) && attempt >= 1 && attempt <= 99,
    'an attempt must be from 1 to 99',
  )
  return (attempt === 1
    ? regNo
    : `${regNo}${String(attempt).padStart(2, '0')}`) as string as OrderId
}

/** Checks an order id from a URL against the event's pattern; returns the event's message if it does not match. */
export function readOrderId(
  event: PublicEvent,
  text: string | null | undefined,
): Result<OrderId, { readonly code: 'no_order' | 'bad_order'; readonly message: string }> {
  const { errors } = event.results
  const id = text?.trim() ?? ''
  if (id === '') return err({ code: 'no_order', message: errors.noOrder })
  const { prefix, followedBy } = event.orderId
  const suffix = id.slice(prefix.length)
  const isMatch = id.startsWith(prefix) && (followedBy === 'anything' || /^\d+$/.test(suffix))
  return isMatch ? ok(id as OrderId) : err({ code: 'bad_order', message: errors.badOrder })
}
