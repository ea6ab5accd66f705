/**
 * Creates the only sources of randomness in a history. A source's name determines its values, so removing one part of a
 * history does not change what the other parts draw. This makes shrinking possible.
 */

export type Random = {
  /** Draws a number from 0 up to, but not including, 1. */
  next(): number
  /** Draws a whole number from 0 to n - 1. */
  below(n: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** Draws a whole number between the limits. Small numbers are far more frequent, as with real delays. */
  skewed(min: number, max: number): number
}

/** Creates a mulberry32 generator, seeded with the FNV-1a hash of the name. */
export function createRandom(...name: readonly (string | number)[]): Random {
  let state = 0x811c9dc5
  for (const letter of name.join(' ')) {
    state ^= letter.charCodeAt(0)
    state = Math.imul(state, 0x01000193)
  }
  const nextFraction = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixedState = Math.imul(state ^ (state >>> 15), 1 | state)
    mixedState =
      (mixedState + Math.imul(mixedState ^ (mixedState >>> 7), 61 | mixedState)) ^ mixedState
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 2 ** 32
  }
  const pickBelow = (n: number): number => Math.floor(nextFraction() * n)
  return {
    next: nextFraction,
    below: pickBelow,
    chance: (probability) => nextFraction() < probability,
    pick: (list) => {
      const item = list[pickBelow(list.length)]
      if (item === undefined) throw new Error('the list is empty')
      return item
    },
    skewed: (min, max) => Math.round(min * (max / min) ** (nextFraction() ** 2)),
  }
}
