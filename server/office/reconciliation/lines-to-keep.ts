/** Reads the lines of a bank statement that staff confirm or send to review. */
import {
  MAX_REFERENCE_CHARACTERS,
  toBankKey,
  findReferenceKeys,
  fromMajorUnits,
  isDay,
} from '../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../engine/index.ts'
import { asRecord } from '../../http/request-input.ts'
import { readOtherReferences } from '../../registration/actions/record-payment.ts'
import type { NewUnmatched } from '../../storage/index.ts'
import { getStatementCurrency } from './column-mapping.ts'
import { findNumbersOfOtherEvents } from './registration-numbers-in-statement.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'

const MAX_NARRATION_CHARACTERS = 300

/** Parses the lines in a request. Null if one of them is incomplete. */
export function parseLinesToKeep(
  lines: unknown,
  event: EventConfig,
  {
    who: user,
    at,
    viewer,
  }: { readonly who: string; readonly at: Instant; readonly viewer: OtherEvents },
): readonly NewUnmatched[] | null {
  const { id: eventId } = event
  const list: readonly unknown[] = Array.isArray(lines) ? lines : []
  const ownKeys = listBankDetailKeys(event)
  const parsedLines = list.map(asRecord).flatMap((fields) => {
    const { reference, also, amount, day, narration } = fields
    const currency = getStatementCurrency(event, fields['currency'])
    const receivedAmount = currency === null ? null : fromMajorUnits(amount, currency)
    const isUsable =
      typeof reference === 'string' &&
      toBankKey(reference) !== '' &&
      reference.length <= MAX_REFERENCE_CHARACTERS &&
      typeof narration === 'string' &&
      currency !== null &&
      receivedAmount !== null &&
      receivedAmount > 0 &&
      typeof day === 'string' &&
      isDay(day)
    const text = typeof narration === 'string' ? narration.slice(0, MAX_NARRATION_CHARACTERS) : ''
    const otherReferences = readOtherReferences(also)
    if (!isUsable || otherReferences === null) return []
    const numbers = [reference, ...otherReferences, text].flatMap((numberText) => [
      ...findReferenceKeys(numberText),
    ])
    const otherEventNumbers = [...findNumbersOfOtherEvents(numbers, [event], viewer).keys()]
    const line = {
      reference,
      also: otherReferences,
      amount: receivedAmount,
      currency,
      day,
      narration: text,
    }
    return [{ ...line, own: ownKeys, otherEventNumbers, eventId, who: user, at }]
  })
  return parsedLines.length === list.length ? parsedLines : null
}

/** Returns the input for a confirmation. The currency is the account's, not the registration's. */
export function buildConfirmationParameters(
  event: EventConfig,
  { fields: line }: { readonly fields: Readonly<Record<string, unknown>> },
): Readonly<Record<string, unknown>> {
  const currency = getStatementCurrency(event, line['currency'])
  return { ...line, ...(currency !== null && { currency }), way: 'transfer' }
}

/** Returns the keys of the conference’s own bank details, which identify no payment. */
export const listBankDetailKeys = ({ methods }: Pick<EventConfig, 'methods'>) =>
  listBankDetails(methods).flatMap((text) => [...findReferenceKeys(text)])

/** Lists texts that contain the conference's own bank details. */
export const listBankDetails = (methods: EventConfig['methods']): readonly string[] =>
  methods.flatMap((method) => (method.is === 'transfer' ? [method.instructions] : []))
