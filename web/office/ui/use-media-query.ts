/** Returns whether the window matches a media query, and updates when the result changes. */
import { useSyncExternalStore } from 'react'

/** Returns true on a phone, where pages have one column. */
export const useIsPhone = (): boolean => !useMediaQuery('(min-width: 768px)')

export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const list = matchMedia(query)
      list.addEventListener('change', onChange)
      return () => list.removeEventListener('change', onChange)
    },
    () => matchMedia(query).matches,
  )
}
