/** Loads packages on first use, so that an idle or starting server does not need them. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Returns a function that returns the package. Its first call loads the package, which takes up to 30 ms. */
export function importLazily<Package>(name: string): () => Package {
  let cachedPackage: { readonly exports: Package } | null = null
  return () => (cachedPackage ??= { exports: require(name) as Package }).exports
}
