/**
 * The plain-text page (fees, address) shown if the app cannot run. Provided by the server's inline
 * script.
 */

declare global {
  interface Window {
    rollcallPlain?: () => void
  }
}

const isShown = globalThis.window?.rollcallPlain
/**
 * Deleted immediately, to signal to the inline script that the app runs (server/pages/unsupported-browser-script.ts).
 */
if (isShown !== undefined) delete window.rollcallPlain

/** Shows the page's <noscript> parts below its current content. A second call has no effect. */
export const showPlainPage = (): void => isShown?.()
