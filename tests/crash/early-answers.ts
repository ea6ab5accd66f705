/**
 * Loaded before a server (`node --import`), for the crash test's negative control: the store that the
 * server opens answers before it commits. Nothing in the server itself can be told to do that.
 */
import { registerHooks } from 'node:module'

const real = new URL('../../server/storage/open-store.ts', import.meta.url).href
const early = new URL('./early-store.ts', import.meta.url).href
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return found.url === real && context.parentURL !== early ? { ...found, url: early } : found
  },
})
