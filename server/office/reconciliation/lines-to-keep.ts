/** Reads the lines of a bank statement that staff send to review. */
import {
  REFERENCE_CHARACTERS_MAX,
  bankKey,
  findReferenceKeys,
  fromRupees,
  isDay,
} from '../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../engine/index.ts'
import { asRecord } from '../../http/request-input.ts'
import { readOtherReferences } from '../../registration/actions/record-payment.ts'
import type { NewUnmatched } from '../../storage/index.ts'
import { findHiddenNumbers } from './registration-numbers-in-statement.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'

const NARRATION_CHARACTERS_MAX = 300

/** Null if one of them is incomplete. */
export function parseLinesToKeep(
  lines: unknown,
  event: EventConfig,
  { who, at, viewer }: { readonly who: string; readonly at: Instant; readonly viewer: OtherEvents },
): readonly NewUnmatched[] | null {
  const { id: eventId, methods } = event
  const list: readonly unknown[] = Array.isArray(lines) ? lines : []
  const own = bankDetails(methods).flatMap((text) => [...findReferenceKeys(text)])
  const read = list.map(asRecord).flatMap(({ reference, also, amount, day, narration }) => {
    const received = fromRupees(amount)
    const isWhole =
      typeof reference === 'string' &&
      bankKey(reference) !== '' &&
      reference.length <= REFERENCE_CHARACTERS_MAX &&
      typeof narration === 'string' &&
      received !== null &&
      received > 0 &&
      typeof day === 'string' &&
      isDay(day)
    const text = typeof narration === 'string' ? narration.slice(0, NARRATION_CHARACTERS_MAX) : ''
    const others = readOtherReferences(also)
    if (!isWhole || others === null) return []
    const numbers = [reference, ...others, text].flatMap((one) => [...findReferenceKeys(one)])
    const hiddenNumbers = findHiddenNumbers(numbers, event, viewer)
    const line = { reference, also: others, amount: received, day, narration: text }
    return [{ ...line, own, hiddenNumbers, eventId, who, at }]
  })
  return read.length === list.length ? read : null
}

/** Texts that contain the conference's own bank details. */
export const bankDetails = (methods: EventConfig['methods']): readonly string[] =>
  methods.flatMap((way) => (way.is === 'transfer' ? [way.instructions] : []))
