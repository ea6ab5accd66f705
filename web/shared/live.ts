/** Whether a page is as the server drew it, or answers. */
import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** False on the server and while React takes over what that has drawn; from then on, and everywhere else, true. */
export const useIsLive = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
