/**
 * Check EV808: text copied from another event's file must not name that event.
 *
 * Reports only the exact title or address of another event, because texts may mention related conferences on purpose.
 */
import type { EventConfig } from '../../../event/config.ts'
import type { Draft } from '../../finding.ts'
import { collectTexts } from '../../checked-file.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import type { Source } from '../../syntax/source.ts'

/** An event with its index among the checked files. */
type IndexedEvent = { readonly event: EventConfig; readonly at: number }
type EventNameMatch = IndexedEvent & { readonly words: string; readonly isRoute: boolean }
/** A mention of another event in a file. `owner` is the index of the mentioned event. */
export type EventMention = { readonly owner: number; readonly draft: Draft }

/** A title with a digit or a name in capitals is too specific to occur in another file by chance. */
const DISTINCTIVE_TITLE = /\d|(?<!\p{L})\p{Lu}{4,}(?!\p{Ll})/u
/** A sentence that contains one of these words mentions the other event on purpose. */
const WORDS_ABOUT_OTHERS =
  /\b(?:also|both|either|sister|partner|parallel|previous(?:ly)?|earlier|unlike|compared|combined|combination|joint(?:ly)?|together|alongside|along with|as well as|in addition|instead)\b/i
/** A sentence with one of these words before the name also mentions the other event on purpose. */
const WORDS_BEFORE_OTHERS =
  /\b(?:after|before|last|past|next|attend(?:ed|ing)?|missed|visited|won|(?:members?|delegates?|participants?|organi[sz]ers?|winners?|speakers?|photos?|videos?|proceedings) (?:of|from|at))\b[^.!?\n]{0,25}$/i
/** A sentence with one of these words after the name also mentions the other event on purpose. */
const WORDS_AFTER_OTHERS =
  /^[^.!?\n]{0,3}\b(?:was|were|had|follows|winners?|photos?|videos?|proceedings|delegates?|members?|participants?)\b/i
const WORD_PATTERN = /[\p{L}\p{N}]+/gu
const getFirstWord = (route: string): string => route.match(WORD_PATTERN)?.[0] ?? ''
/** Returns the letters of the title without the year. Conferences of one series often mention each other. */
const getSeriesName = (title: string): string => title.toLowerCase().replace(/[^\p{L}]+/gu, '')

/**
 * Indexes titles and addresses by their first word. Without the index, each string would be compared with every one of
 * a thousand events.
 */
export function indexEventNames(
  events: readonly EventConfig[],
): ReadonlyMap<string, readonly EventNameMatch[]> {
  const eventNames = events.flatMap((event, index): EventNameMatch[] => [
    ...(DISTINCTIVE_TITLE.test(event.title)
      ? [{ event, at: index, words: event.title, isRoute: false }]
      : []),
    ...[event.routes.form, ...event.routes.also].map((route) => ({
      event,
      at: index,
      words: route,
      isRoute: true,
    })),
  ])
  return Map.groupBy(eventNames, ({ words }) => getFirstWord(words))
}

/** Returns the mentions of other events in a file's displayed texts and in the buttons after a failed payment. */
export function findMentions(
  event: EventConfig,
  source: Source,
  names: ReadonlyMap<string, readonly EventNameMatch[]>,
): readonly EventMention[] {
  const otherNames = [
    ...new Set(
      findMatches(source.text, WORD_PATTERN).flatMap(({ 0: word, index }) =>
        (names.get(word) ?? []).filter(
          (other) =>
            source.text.startsWith(other.words, index - other.words.indexOf(word)) &&
            isOther(event, other),
        ),
      ),
    ),
  ]
  if (otherNames.length === 0) return []
  const { displayedTexts, writtenTexts } = collectTexts(source)
  const instructionTexts = writtenTexts.filter(({ path }) =>
    /^payment\.methods\.\d+\.instructions$/.test(path),
  )
  const textMentions = [...displayedTexts, ...instructionTexts].flatMap(({ path, written, at }) =>
    otherNames.flatMap((other): EventMention[] => {
      const position = findNamePosition(written, other, event)
      return position === -1
        ? []
        : [
            {
              owner: other.at,
              draft: {
                at: path,
                span: [at + position, at + position + other.words.length],
                message: `${other.words} is ${other.isRoute ? 'the address' : 'the title'} of another event, \`${other.event.id}\``,
                help: `write ${other.isRoute ? event.routes.form : event.title}, or explain under \`allow\` why the other event is mentioned`,
              },
            },
          ]
    }),
  )
  // "Try again" must not link to another conference. A button of a success page may recommend one.
  const buttonMentions = [
    ...event.results.failed.buttons.map((button, index) => ({
      button,
      path: `results.failed.buttons.${index}.go`,
    })),
    ...event.results.errorButtons.map((button, index) => ({
      button,
      path: `results.error_buttons.${index}.go`,
    })),
  ].flatMap(({ button, path }) =>
    otherNames
      .filter(
        ({ isRoute, words }) =>
          isRoute && 'go' in button && button.go === words && source.has(path),
      )
      .map((other): EventMention => ({
        owner: other.at,
        draft: {
          at: path,
          message: `${other.words} is the address of another event, \`${other.event.id}\``,
          help: `write ${event.routes.form}`,
        },
      })),
  )
  return [...textMentions, ...buttonMentions]
}

function isOther(event: EventConfig, { event: other, words, isRoute }: EventNameMatch): boolean {
  if (other.id === event.id || other.title === event.title) return false
  return isRoute
    ? ![event.routes.form, ...event.routes.also].includes(words)
    : getSeriesName(other.title) !== getSeriesName(event.title) &&
        !event.title.includes(other.title) &&
        !other.title.includes(event.title)
}

/** Returns whether the sentence mentions the other event on purpose. */
function isIntendedMention(before: string, after: string): boolean {
  const textBefore = before.split(/[.!?]\s|\n/).at(-1) ?? ''
  const textAfter = after.split(/[.!?](?:\s|$)|\n/)[0] ?? ''
  return (
    WORDS_ABOUT_OTHERS.test(`${textBefore} ${textAfter}`) ||
    WORDS_BEFORE_OTHERS.test(textBefore) ||
    WORDS_AFTER_OTHERS.test(textAfter)
  )
}

/** Returns the position of the event's name, or -1 if the text contains the name only as part of a longer name. */
function findNamePosition(
  text: string,
  { words, isRoute }: EventNameMatch,
  event: EventConfig,
): number {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + words.length)]
    const isOwnRoute = [event.routes.form, ...event.routes.also].some((ownRoute) =>
      text.startsWith(ownRoute, at),
    )
    const isSeparate = isRoute
      ? /(?:^|[\s("'>]|https?:\/\/[^\s/]+|\bwww\.[^\s/]+)$/.test(before) &&
        !/^[\p{L}\p{N}_-]/u.test(after) &&
        !isOwnRoute
      : !/[\p{L}\p{N}@./-]$/u.test(before) && !/^(?:[\p{L}\p{N}@]|[-./]\p{L})/u.test(after)
    if (isSeparate && !isIntendedMention(before, after)) return at
  }
  return -1
}
