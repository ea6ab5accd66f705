/** The page without scripts (fees, address), shown by the server's inline script if the app cannot run. */

declare global {
  interface Window {
    rollcallPlain?: () => void
  }
}

const showPlainContent = globalThis.window?.rollcallPlain
/**
 * Deleted immediately, to signal to the inline script that the app is running
 * (server/pages/unsupported-browser-script.ts).
 */
if (showPlainContent !== undefined) delete window.rollcallPlain

/** Shows the page's <noscript> parts below its current content. A second call has no effect. */
export const showPlainPage = (): void => showPlainContent?.()
