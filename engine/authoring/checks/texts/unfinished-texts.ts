/** Check EV533: texts must not contain placeholder words that the author forgot to replace. */
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { isWordForNothing } from '../form/misread-options.ts'

/**
 * Matches placeholder characters for a name or number. Three of them may also be the Roman numeral of a thirtieth
 * conference, so they must follow a word such as "Dr".
 */
const PLACEHOLDER_CHARACTERS =
  /(?:(?<![\w/@#&-])(?<!\d )X{4,}|(?<=(?:\b(?:Dr|Prof|Mr|Mrs|Ms|Shri|Smt|Dear|Rs|INR|EUR|USD|GBP|call|phone|contact)\b\.?|[₹€£$])[ \u00a0]*)X{3})(?![\w/@#&-]|\.\w| ?\d)/gi
const FILLER_TEXT = /\blorem ipsum\b[^\n"']{0,40}/gi
const UNDECIDED_WORDS = /^(?:tb[acd]|t\.\s?b\.\s?[acd]\.?|x{3,})$/i

/** Matches texts that may use such characters to show a format: "KMC/XXXX". */
const FORMAT_EXAMPLE_PATH = /^form\.sections\.\d+\.fields\.|^admin\.|^order_id\.|^invoice\.number$/

/** Returns whether the file lists the text under `demo`, which EV991 reports. */
const isDeclaredPlaceholder = ({ file }: Model, path: string): boolean =>
  (file.demo ?? []).some((candidate) => path === candidate || path.startsWith(`${candidate}.`))

const placeholderTextCheck: Check = {
  slug: 'placeholder-text',
  severity: 'warning',
  why: 'Every delegate would see the placeholder words.',
  after: ['EV212'],
  find: (model) => [
    ...model.displayedTexts.flatMap(({ path, text }): Draft[] =>
      UNDECIDED_WORDS.test(text.trim()) &&
      !isWordForNothing(path, text) &&
      !isDeclaredPlaceholder(model, path)
        ? [
            {
              at: path,
              message: `delegates would see “${text.trim()}”`,
              help: `write the final text, or state that it is not known yet; until then, list ${path} under demo:`,
            },
          ]
        : [],
    ),
    ...model.writtenTexts
      .filter(({ path }) => !isDeclaredPlaceholder(model, path))
      .flatMap(({ path, written, at }): Draft[] => {
        const fillerTexts = /lorem/i.test(written) ? findMatches(written, FILLER_TEXT) : []
        const placeholderCharacters =
          /xxx/i.test(written) &&
          !FORMAT_EXAMPLE_PATH.test(path) &&
          !/^["']?x+["']?$/i.test(written)
            ? findMatches(written, PLACEHOLDER_CHARACTERS)
            : []
        return [...fillerTexts, ...placeholderCharacters].map(({ 0: found, index }) => ({
          at: path,
          span: [at + index, at + index + found.trimEnd().length] as const,
          message: `\`${found.trimEnd()}\` is placeholder text`,
          help: 'write the final text, or remove the sentence',
        }))
      }),
  ],
}

export const unfinishedTextChecks = { EV533: placeholderTextCheck } satisfies Checks
