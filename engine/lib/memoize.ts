/** Memoizes functions of one argument. */

/**
 * Calls `make` once per argument. Objects are compared by identity and forgotten with the last
 * reference to them; other arguments are kept permanently, so there must be few of them.
 */
export function memoize<K, V>(make: (of: K) => V): (of: K) => V {
  const byObject = new WeakMap<object, { readonly value: V }>()
  const byValue = new Map<K, { readonly value: V }>()
  return (of) => {
    const isObject = (typeof of === 'object' && of !== null) || typeof of === 'function'
    const known = isObject ? byObject.get(of) : byValue.get(of)
    if (known !== undefined) return known.value
    const made = { value: make(of) }
    if (isObject) byObject.set(of, made)
    else byValue.set(of, made)
    return made.value
  }
}
