/**
 * Tabs of one browser on the same form: one that is opened anew asks the others which files they have sent, so that
 * none is chosen twice. Nothing is stored: what no open tab knows is known to nobody.
 */
import type { PublicEvent } from '../../../engine/index.ts'
import { proofsIn } from '../draft-storage.ts'
import type { KeptProofs } from '../draft-storage.ts'
import { openChannel } from '../../app/browser-storage.ts'

/** How long answers are waited for; the other tabs may be asleep. Milliseconds. */
const ANSWERS_MS = 3_000

/** Asks once, and answers whenever another tab asks. */
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
      // What others are told later is not for this tab, where the file may have been removed.
      if (data !== 'which') isAsking && found(proofsIn(event, now, data))
      else if (known().size > 0) channel.postMessage(Object.fromEntries(known()))
    })
    // An open channel would keep the page from being shown again as it was.
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
