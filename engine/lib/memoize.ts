/** Memoizes functions of one argument. */

/**
 * Calls `make` once per argument. Objects are compared by identity and released with the last reference to them.
 * Results for other arguments are cached permanently, so the function must be called with few of them.
 */
export function memoize<K, V>(make: (argument: K) => V): (argument: K) => V {
  const byObject = new WeakMap<object, { readonly value: V }>()
  const byValue = new Map<K, { readonly value: V }>()
  return (argument) => {
    const isObject =
      (typeof argument === 'object' && argument !== null) || typeof argument === 'function'
    const cached = isObject ? byObject.get(argument) : byValue.get(argument)
    if (cached !== undefined) return cached.value
    const entry = { value: make(argument) }
    if (isObject) byObject.set(argument, entry)
    else byValue.set(argument, entry)
    return entry.value
  }
}
