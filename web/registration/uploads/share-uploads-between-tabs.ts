/**
 * Sharing of uploaded documents between tabs with the same form, so that none is selected twice.
 * A new tab asks the others. Nothing is stored: the information exists only in open tabs.
 */
import type { PublicEvent } from '../../../engine/index.ts'
import { proofsIn } from '../draft-storage.ts'
import type { KeptProofs } from '../draft-storage.ts'
import { openChannel } from '../../app/browser-storage.ts'

/** How long to wait for answers, in milliseconds; the other tabs may be asleep. */
const ANSWERS_MS = 3_000

/** Asks the other tabs once, and answers whenever another tab asks. */
export function askTabs(
  event: PublicEvent,
  now: string,
  known: () => KeptProofs,
  found: (kept: KeptProofs) => void,
): void {
  let isAsking = true
  const open = (): BroadcastChannel | null => {
    const channel = openChannel(`proofs of ${event.id}`)
    if (channel === null) return null
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      // Ignore later answers to other tabs: the document may have been removed in this one.
      if (data !== 'which') isAsking && found(proofsIn(event, now, data))
      else if (known().size > 0) channel.postMessage(Object.fromEntries(known()))
    })
    // An open channel would keep the page out of the back/forward cache.
    addEventListener('pagehide', () => channel.close(), { once: true })
    return channel
  }
  open()?.postMessage('which')
  setTimeout(() => {
    isAsking = false
  }, ANSWERS_MS)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) open()
  })
}
