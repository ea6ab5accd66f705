/**
 * Preloaded into a server (`node --import`) for the crash test's negative control: the store responds before it
 * commits. The server itself has no such option.
 */
import { registerHooks } from 'node:module'

const storeUrl = new URL('../../server/storage/open-store.ts', import.meta.url).href
const earlyStoreUrl = new URL('./early-store.ts', import.meta.url).href
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return found.url === storeUrl && context.parentURL !== earlyStoreUrl
      ? { ...found, url: earlyStoreUrl }
      : found
  },
})
