/** Packages that are read when they are first needed: a server that starts, or rests, does without them. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The package, as often as one asks; read by the first who does, which takes as long as it is large: up to 30 ms. */
export function later<Package>(name: string): () => Package {
  let read: { readonly all: Package } | null = null
  return () => (read ??= { all: require(name) as Package }).all
}
