/** The offline notice of every page; disappears when the connection returns. */
import { CONNECTION_ERROR_MESSAGES } from '../../../engine/messages.ts'
import './offline-notice.css'

/**
 * Whether the browser reports that it is offline. The notice below then says so, and no other
 * message is needed.
 */
export const isOffline = (): boolean => !navigator.onLine

/**
 * Adds the notice to the page and keeps it current. Outside React, so that it exists on every page
 * and survives navigation.
 */
export function watchLine(): void {
  const place = document.createElement('p')
  place.className = 'line-lost'
  place.setAttribute('role', 'status')
  const say = (): void => {
    place.textContent = isOffline() ? CONNECTION_ERROR_MESSAGES.offline : ''
  }
  document.body.append(place)
  addEventListener('online', say)
  addEventListener('offline', say)
  // Screen readers announce only regions that existed before their text.
  requestAnimationFrame(say)
}
