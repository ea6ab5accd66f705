/**
 * Loaded before the test library where the journeys run in a stock Firefox (`FIREFOX=/usr/bin/firefox-esr`): takes
 * out of it the one command that no Firefox up to 153 knows, the reader's wish for light or dark, which it
 * sends for every window.
 */
import { registerHooks } from 'node:module'

/** What the library sends, and where. */
const COMMAND = '.send("emulation.setMediaFeaturesOverride", {'
const LIBRARY = '/playwright-core/lib/coreBundle.js'

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.endsWith(LIBRARY)) return loaded
    const source = String(loaded.source)
    if (!source.includes(COMMAND)) throw new Error(`${LIBRARY} no longer sends ${COMMAND}`)
    return { ...loaded, source: source.replaceAll(COMMAND, '.send("session.status", {') }
  },
})
