/** Preloaded into a server as a negative control: makes the server's store respond before it commits. */
import { registerHooks } from 'node:module'

// The server has no option for this, so its store module is replaced.
const storeUrl = new URL('../../server/storage/open-store.ts', import.meta.url).href
const earlyStoreUrl = new URL('./early-store.ts', import.meta.url).href
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    return resolved.url === storeUrl && context.parentURL !== earlyStoreUrl
      ? { ...resolved, url: earlyStoreUrl }
      : resolved
  },
})
