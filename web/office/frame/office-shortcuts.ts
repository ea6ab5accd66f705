/** The keyboard shortcuts of all office pages, with the page or action of each. */
import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { useNavigate } from 'react-router-dom'
import type { OfficeEvent, SessionResponse } from '../../../engine/api.ts'
import {
  DASHBOARD,
  PAYMENTS,
  SEARCH,
  buildAddRegistrationUrl,
  buildMonthUrl,
} from '../office-api-and-urls.ts'
import { listEventLinks, canOpen } from '../office-pages-and-roles.ts'
import { useShortcutKeys } from '../ui/shortcut-keys.ts'

/** Pages that `g` and a letter open, keyed by the letter. */
export const PAGES_BY_KEY = {
  h: 'Home',
  r: 'Registrations of the event',
  p: 'Payments',
  m: 'Month-end close',
} as const

/** Maximum time in milliseconds between the two keys of a shortcut such as `g h`. */
const SECOND_KEY_MS = 1500
/** Length of the month in an ISO day: `2026-01` in `2026-01-21`. */
const MONTH_LENGTH = 7

/** Handles the shortcuts of all office pages: g and a letter, n, /, ? and Ctrl+K. */
export function useOfficeShortcuts({
  session,
  currentEvent,
  eventForNewRegistration,
  searchInput,
  onShowShortcuts,
}: {
  readonly session: SessionResponse
  readonly currentEvent: OfficeEvent | null
  readonly eventForNewRegistration: OfficeEvent | null
  readonly searchInput: RefObject<HTMLInputElement | null>
  readonly onShowShortcuts: () => void
}): void {
  const navigate = useNavigate()
  const goPressedAt = useRef(0)
  const openSearch = (): void => {
    if (searchInput.current === null) return void navigate(SEARCH)
    searchInput.current.select()
    // Opens the list, because the focus alone does not.
    searchInput.current.click()
  }
  const findTargetUrl = (key: keyof typeof PAGES_BY_KEY): string | null => {
    switch (key) {
      case 'h':
        return DASHBOARD
      case 'r':
        return currentEvent === null
          ? null
          : (listEventLinks(session, currentEvent).find(({ id }) => id === 'registrations')?.to ??
              null)
      case 'p':
        return canOpen(session, 'treasurer') ? PAYMENTS : null
      case 'm':
        return canOpen(session, 'treasurer')
          ? buildMonthUrl(session.today.slice(0, MONTH_LENGTH))
          : null
    }
  }
  useShortcutKeys((key) => {
    const isSecondKey = performance.now() - goPressedAt.current < SECOND_KEY_MS
    goPressedAt.current = 0
    if (isSecondKey && Object.hasOwn(PAGES_BY_KEY, key)) {
      const target = findTargetUrl(key as keyof typeof PAGES_BY_KEY)
      if (target !== null) void navigate(target)
      return target !== null
    }
    if (key === 'g') goPressedAt.current = performance.now()
    else if (key === '/') openSearch()
    else if (key === '?') onShowShortcuts()
    else if (key === 'n' && eventForNewRegistration !== null)
      void navigate(buildAddRegistrationUrl(eventForNewRegistration))
    else return false
    return true
  })
  // Ctrl+K is not a single-character shortcut, so it also works in text fields and cannot be turned off.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      if (event.shiftKey || event.altKey) return
      if (event.target instanceof Element && event.target.closest('dialog') !== null) return
      event.preventDefault()
      openSearch()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}
