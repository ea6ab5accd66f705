/**
 * Shares uploaded documents between tabs with the same form, so that no document has to be selected twice.
 * A new tab requests them from the other open tabs. Nothing is stored.
 */
import type { PublicEvent } from '../../../engine/index.ts'
import { parseStoredDocuments } from '../draft-storage.ts'
import type { StoredDocuments } from '../draft-storage.ts'
import { openChannel } from '../../app/browser-storage.ts'

/** How long to wait for responses, in milliseconds. Background tabs respond slowly. */
const RESPONSE_TIMEOUT_MS = 3_000

/** Requests the documents of the other tabs once, and responds to their requests. */
export function shareUploads(
  event: PublicEvent,
  now: string,
  getDocuments: () => StoredDocuments,
  onDocuments: (documents: StoredDocuments) => void,
): void {
  let isWaiting = true
  const openSharingChannel = (): BroadcastChannel | null => {
    const channel = openChannel(`proofs of ${event.id}`)
    if (channel === null) return null
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      // Ignore later responses to other tabs: this tab may have removed the document.
      if (data !== 'which') isWaiting && onDocuments(parseStoredDocuments(event, now, data))
      else if (getDocuments().size > 0) channel.postMessage(Object.fromEntries(getDocuments()))
    })
    // An open channel would keep the page out of the back/forward cache.
    addEventListener('pagehide', () => channel.close(), { once: true })
    return channel
  }
  openSharingChannel()?.postMessage('which')
  setTimeout(() => {
    isWaiting = false
  }, RESPONSE_TIMEOUT_MS)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) openSharingChannel()
  })
}
