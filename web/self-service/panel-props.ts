/** What each part of a delegate's own page is given. */
import type { PublicEvent } from '../../engine/index.ts'
import type { Mine } from './self-service-api-responses.ts'

export type PanelProps = {
  readonly event: PublicEvent
  readonly mine: Mine
  /** The address of this page's calls, with its slash at the end. */
  readonly path: string
  /** Reads everything anew: something was done. */
  readonly again: () => void
}
