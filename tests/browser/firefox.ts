/** Node loader for browser tests in Firefox (`FIREFOX=/usr/bin/firefox-esr`): removes an unsupported command. */
import { registerHooks } from 'node:module'

/**
 * The command for the colour scheme, which Playwright sends for every window and Firefox up to 153 does not support,
 * and the file that sends it.
 */
const COMMAND = '.send("emulation.setMediaFeaturesOverride", {'
const LIBRARY = '/playwright-core/lib/coreBundle.js'

registerHooks({
  load: (url, context, next) => {
    const loadedModule = next(url, context)
    if (!url.endsWith(LIBRARY)) return loadedModule
    const source = String(loadedModule.source)
    if (!source.includes(COMMAND)) throw new Error(`${LIBRARY} no longer sends ${COMMAND}`)
    return { ...loadedModule, source: source.replaceAll(COMMAND, '.send("session.status", {') }
  },
})
