/** Loads packages on first use, so that an idle or starting server does not need them. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Returns the package; the first call loads it, which takes up to 30 ms for a large one. */
export function later<Package>(name: string): () => Package {
  let loaded: { readonly exports: Package } | null = null
  return () => (loaded ??= { exports: require(name) as Package }).exports
}
