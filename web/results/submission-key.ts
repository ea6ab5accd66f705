/** What shows that a registration is this tab's: the key under which the form was sent, which the server knows for a day; and what is shown without it. */
import type { PublicEvent } from '../../engine/index.ts'
import { recall } from '../registration/draft-storage.ts'
import { isRecord } from '../app/json-readers.ts'
import { readStored, writeStored } from '../app/browser-storage.ts'
import type { Registration } from './result-page-data.ts'

const nameOf = (event: PublicEvent): string => `sent from here of ${event.id}`

/**
 * Null: another tab sent it, or nobody knows. It is looked for while the answers are still in the tab, and kept
 * beside them: once it is paid they are forgotten.
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

/** The event whose pages have no rows for answers that were not told: "N/A" would say that nobody gave them. */
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
