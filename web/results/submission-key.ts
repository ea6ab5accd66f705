/**
 * Proof that this tab submitted a registration: the key that was sent with the form.
 * The server accepts the key for a day. Also removes the rows of answers that are withheld without
 * it.
 */
import type { PublicEvent } from '../../engine/index.ts'
import { recall } from '../registration/draft-storage.ts'
import { isRecord } from '../app/json-readers.ts'
import { readStored, writeStored } from '../app/browser-storage.ts'
import type { Registration } from './result-page-data.ts'

const nameOf = (event: PublicEvent): string => `sent from here of ${event.id}`

/**
 * Key of a registration, or null if another tab sent it or it is unknown. Taken from the draft
 * answers while they exist, and stored separately, because they are deleted after payment.
 */
export function keyOfSent(event: PublicEvent, orderId: string): string | null {
  const answers = recall(event)
  if (answers?.regNo != null && orderId.startsWith(answers.regNo)) {
    const { regNo, key } = answers
    writeStored(nameOf(event), { regNo, key })
    return key
  }
  const kept = readStored(nameOf(event))
  return isRecord(kept) &&
    typeof kept['regNo'] === 'string' &&
    typeof kept['key'] === 'string' &&
    orderId.startsWith(kept['regNo'])
    ? kept['key']
    : null
}

/**
 * The event without result rows for withheld answers: "N/A" would suggest that they were not
 * answered.
 */
export function withoutWithheld(event: PublicEvent, registration: Registration): PublicEvent {
  const isTold = (id: string): boolean =>
    Object.hasOwn(registration, id) || !event.fields.some((field) => field.id === id)
  const told = <T extends PublicEvent['results']['success' | 'failed']>(page: T): T => ({
    ...page,
    details: page.details.filter((detail) => !('show' in detail) || isTold(detail.show)),
  })
  const { results } = event
  return {
    ...event,
    results: { ...results, success: told(results.success), failed: told(results.failed) },
  }
}
