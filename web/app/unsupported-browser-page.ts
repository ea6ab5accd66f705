/** The page in words (fees, address), for when the app cannot draw it. The server's inline script has it. */

declare global {
  interface Window {
    rollcallPlain?: () => void
  }
}

const shown = globalThis.window?.rollcallPlain
/** Taken away at once, which tells the inline script that the app runs (server/pages/unsupported-browser-script.ts). */
if (shown !== undefined) delete window.rollcallPlain

/** Shows the <noscript> parts of the page below what stands there. A second call shows nothing more. */
export const showPlainPage = (): void => shown?.()
