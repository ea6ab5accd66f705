/** The offline notice of every page; disappears when the connection returns. */
import { CONNECTION_ERROR_MESSAGES } from '../../../engine/messages.ts'
import './offline-notice.css'

/**
 * Returns true if the browser reports that it is offline. The notice says so already, so no other message is needed.
 */
export const isOffline = (): boolean => !navigator.onLine

/** Returns true if the user has typed into this page. Excludes the office, which does not store drafts. */
const hasAnswers = (): boolean =>
  !location.pathname.startsWith('/admin') &&
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].some(
    ({ type, value }) => TYPED_INPUT_TYPES.has(type) && value !== '',
  )
const TYPED_INPUT_TYPES = new Set(['text', 'email', 'tel', 'number', 'date', 'textarea'])

/**
 * Adds the notice to the page and keeps it current. Does not use React, so that the notice exists on every page and
 * survives navigation.
 */
export function showOfflineNotice(): void {
  const notice = document.createElement('p')
  notice.className = 'offline-notice'
  notice.setAttribute('role', 'status')
  const updateNotice = (): void => {
    const { offline, offlineWithAnswers } = CONNECTION_ERROR_MESSAGES
    notice.textContent = isOffline() ? (hasAnswers() ? offlineWithAnswers : offline) : ''
    // The page moves down by the height of the notice, so that the notice covers nothing.
    document.documentElement.style.setProperty('--offline', `${notice.offsetHeight}px`)
  }
  document.body.append(notice)
  addEventListener('online', updateNotice)
  addEventListener('offline', updateNotice)
  addEventListener('resize', updateNotice)
  addEventListener('input', () => {
    if (isOffline()) updateNotice()
  })
  // Screen readers announce a region's text only if the region existed before it.
  requestAnimationFrame(updateNotice)
}
