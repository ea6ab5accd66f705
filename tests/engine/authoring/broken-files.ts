/** Texts that are almost event files, and texts that are nothing of the kind. */
import fc from 'fast-check'

const piece = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  ':',
  ' ',
  '\n',
  '\t',
  '- ',
  '"',
  "'",
  '#',
  '&a',
  '*a',
  '!x',
  '|',
  '>',
  '---',
  '%',
  '\u0000',
  '\u202e',
  '__proto__: 1\n',
  '<<: ',
  '? ',
  ', ',
  '0x',
  '~',
  '\ud800',
  '{{',
  '  ',
  'null',
  'constructor',
  '9e999',
  '.inf',
  '\r',
  '\\',
)
const where = fc.double({ min: 0, max: 1, noNaN: true })
const edit = fc.tuple(where, fc.integer({ min: 0, max: 400 }), fc.oneof(piece, where))
/** A real file with parts cut out, pieces put in, or parts of itself copied elsewhere. */
export const brokenOf = (sources: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...sources), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([text, edits]) =>
      edits.reduce((now, [at, drop, put]) => {
        const start = Math.floor(at * now.length)
        return (
          now.slice(0, start) +
          (typeof put === 'string'
            ? put
            : now.slice(Math.floor(put * now.length), Math.floor(put * now.length) + drop)) +
          now.slice(start + drop)
        )
      }, text),
    )
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join('')),
)
