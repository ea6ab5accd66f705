/** Says once, in one place, that the browser is offline, and takes it back by itself. */
import './offline-notice.css'

const OFFLINE = 'You are offline. What you have typed is kept.'

/** Whether the browser knows that it has no line; then the place below says so, and nothing else need. */
export const isOffline = (): boolean => !navigator.onLine

/** Puts the place into the page and keeps it up to date. Outside React, so that it stands on every page and outlives each. */
export function watchLine(): void {
  const place = document.createElement('p')
  place.className = 'line-lost'
  place.setAttribute('role', 'status')
  const say = (): void => {
    place.textContent = isOffline() ? OFFLINE : ''
  }
  document.body.append(place)
  addEventListener('online', say)
  addEventListener('offline', say)
  // A place that is there before it speaks is heard.
  requestAnimationFrame(say)
}
