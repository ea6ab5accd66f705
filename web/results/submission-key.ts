/**
 * The submission key, with which this tab proves that it submitted a registration.
 * The server accepts the key for a day. Without it, the rows of withheld answers are removed.
 */
import type { PublicEvent } from '../../engine/index.ts'
import { loadDraft } from '../registration/draft-storage.ts'
import { isRecord } from '../app/json-readers.ts'
import { readTabItem, writeTabItem } from '../app/browser-storage.ts'
import type { Registration } from './result-page-data.ts'

const getStorageName = (event: PublicEvent): string => `sent from here of ${event.id}`

/**
 * Returns the key of a registration, or null if the registration is unknown or another tab submitted it. The key is
 * stored separately as well, because the draft that contains it is deleted after payment.
 */
export function readSubmissionKey(event: PublicEvent, orderId: string): string | null {
  const answers = loadDraft(event)
  if (answers?.regNo != null && orderId.startsWith(answers.regNo)) {
    const { regNo, key } = answers
    writeTabItem(getStorageName(event), { regNo, key })
    return key
  }
  const stored = readTabItem(getStorageName(event))
  return isRecord(stored) &&
    typeof stored['regNo'] === 'string' &&
    typeof stored['key'] === 'string' &&
    orderId.startsWith(stored['regNo'])
    ? stored['key']
    : null
}

/**
 * Returns the event without result rows for withheld answers: "N/A" would suggest that the
 * delegate did not answer.
 */
export function removeWithheldRows(event: PublicEvent, registration: Registration): PublicEvent {
  const isDisclosed = (id: string): boolean =>
    Object.hasOwn(registration, id) || !event.fields.some((field) => field.id === id)
  const removeFromPage = <T extends PublicEvent['results']['success' | 'failed']>(page: T): T => ({
    ...page,
    details: page.details.filter((detail) => !('show' in detail) || isDisclosed(detail.show)),
  })
  const { results } = event
  return {
    ...event,
    results: {
      ...results,
      success: removeFromPage(results.success),
      failed: removeFromPage(results.failed),
    },
  }
}
