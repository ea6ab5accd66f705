/** Generates event files that are almost valid, and texts that are not event files at all. */
import fc from 'fast-check'
import { anyCharacter } from '../../any-character.ts'

const fragment = fc.constantFrom(
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
const position = fc.double({ min: 0, max: 1, noNaN: true })
const edit = fc.tuple(position, fc.integer({ min: 0, max: 400 }), fc.oneof(fragment, position))
/** Generates variants of real files by removing, inserting and copying parts. */
export const breakFiles = (sources: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...sources), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([text, edits]) =>
      edits.reduce((currentText, [at, removed, inserted]) => {
        const start = Math.floor(at * currentText.length)
        return (
          currentText.slice(0, start) +
          (typeof inserted === 'string'
            ? inserted
            : currentText.slice(
                Math.floor(inserted * currentText.length),
                Math.floor(inserted * currentText.length) + removed,
              )) +
          currentText.slice(start + removed)
        )
      }, text),
    )
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.array(fragment, { maxLength: 80 }).map((fragments) => fragments.join('')),
)
