/** A random Unicode character for property tests. */
import fc from 'fast-check'

const LAST_CODE_POINT = 0x10_ffff
/** The range of surrogates. A pair of surrogates encodes one character. */
const SURROGATES = { first: 0xd8_00, count: 0x8_00 }

/**
 * The same characters as fast-check's `unit: 'binary'`, which keeps a table of all 1.1 million. That table costs each
 * worker half a second of CPU time and 100 MB, and slows its garbage collections.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: LAST_CODE_POINT - SURROGATES.count })
  .map(
    (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
    (character) => {
      const codePoint = typeof character === 'string' ? character.codePointAt(0) : undefined
      if (codePoint === undefined || String.fromCodePoint(codePoint) !== character)
        throw new Error('not one character')
      if (codePoint < SURROGATES.first) return codePoint
      const index = codePoint - SURROGATES.count
      if (index < SURROGATES.first) throw new Error('half a character')
      return index
    },
  )
