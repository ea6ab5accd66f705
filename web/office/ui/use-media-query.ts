/** Whether the window matches a media query; updated when that changes. */
import { useSyncExternalStore } from 'react'

/** True on a phone, where pages have one column. */
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
