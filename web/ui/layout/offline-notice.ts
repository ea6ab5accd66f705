/** The offline notice of every page; disappears when the connection returns. */
import { CONNECTION_ERROR_MESSAGES } from '../../../engine/messages.ts'
import './offline-notice.css'

/**
 * Whether the browser reports that it is offline. The notice below then states it, and no other
 * message is needed.
 */
export const isOffline = (): boolean => !navigator.onLine

/**
 * Adds the notice to the page and keeps it current. Outside React, so that it exists on every page
 * and survives navigation.
 */
export function showOfflineNotice(): void {
  const notice = document.createElement('p')
  notice.className = 'line-lost'
  notice.setAttribute('role', 'status')
  const updateNotice = (): void => {
    notice.textContent = isOffline() ? CONNECTION_ERROR_MESSAGES.offline : ''
  }
  document.body.append(notice)
  addEventListener('online', updateNotice)
  addEventListener('offline', updateNotice)
  // Screen readers announce only regions that existed before their text.
  requestAnimationFrame(updateNotice)
}
