/** The props of every panel of the self-service page. */
import type { PublicEvent } from '../../engine/index.ts'
import type { SelfServiceData } from './self-service-api-responses.ts'

export type PanelProps = {
  readonly event: PublicEvent
  readonly data: SelfServiceData
  /** Base URL of this page's calls, with a trailing slash. */
  readonly path: string
  /** Reloads everything after an action. */
  readonly reload: () => void
}
