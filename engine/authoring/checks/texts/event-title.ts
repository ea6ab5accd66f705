/** Checks EV421, EV422: the title of the event agrees with its year and its id. */
import { computeEditDistance } from '../../../lib/edit-distance.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'

const titleYearCheck: Check = {
  slug: 'title-year',
  severity: 'warning',
  why: 'A file copied from last year may still contain last year’s date.',
  after: ['EV419'],
  find: ({ config, file }) => [
    ...findYearsInThemeAndDescription({ config, file }),
    ...[...file.event.title.matchAll(/\b20\d\d\b/g)].flatMap(([year]): Draft[] =>
      config.from.slice(0, 4) <= year && year <= config.to.slice(0, 4)
        ? []
        : [
            {
              at: 'event.title',
              message: `the title says ${year}, but the event is in ${config.from.slice(0, 4)}`,
              related: [{ at: 'event.from', message: 'the start date' }],
              help: 'write the same year in both places',
            },
          ],
    ),
  ],
}

/** Words that appear next to a year other than the event's: "Vision 2030", "Since 1998". */
const OTHER_YEAR_WORDS =
  /\b(?:vision|towards?|agenda|beyond|goals?|roadmap|plan|by|since|from|founded|established|estd?|after|guidelines?|act|census|policy|years? of|memory)\b|20\d\d\s*[-–/]\s*(?:20)?\d\d/i
const OTHER_EDITION_WORDS = /\b(?:held|was|were|last|previous|next|attended|follows?)\b/i
/** A file is assumed to be a copy of a file from at most this many years ago. */
const MAX_YEARS_BACK = 3

/** Reports other years in the theme and the description: "Rivers of breath 2026" for an event in 2027. */
function findYearsInThemeAndDescription({
  config,
  file,
}: Pick<Model, 'config' | 'file'>): readonly Draft[] {
  const [firstYear, lastYear] = [Number(config.from.slice(0, 4)), Number(config.to.slice(0, 4))]
  const findOtherYears = (key: 'theme' | 'about', pattern: RegExp): readonly Draft[] => {
    const text = file.event[key] ?? ''
    if (OTHER_YEAR_WORDS.test(text) || (key === 'about' && OTHER_EDITION_WORDS.test(text)))
      return []
    return [...text.matchAll(pattern)].flatMap(([, yearText]): Draft[] => {
      const year = Number(yearText)
      return year < firstYear - MAX_YEARS_BACK ||
        year > lastYear + 1 ||
        (firstYear <= year && year <= lastYear)
        ? []
        : [
            {
              at: `event.${key}`,
              message: `the ${key === 'theme' ? 'theme' : 'description'} says ${year}, but the event is in ${firstYear}`,
              related: [{ at: 'event.from', message: 'the start date' }],
              help: 'write the year of the event, or remove the year',
            },
          ]
    })
  }
  return [
    ...findOtherYears('theme', /\b(20\d\d)\b/g),
    ...findOtherYears(
      'about',
      /\b(?:conference|congress|convention|meeting|meet|summit|symposium|fest(?:ival)?|marathon|run|edition)\s+(?:of\s+)?(20\d\d)\b/gi,
    ),
  ]
}

/** Names shorter than this may differ by one letter by chance. */
const MIN_NAME_LENGTH = 6
const extractLetters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

const misspeltTitleCheck: Check = {
  slug: 'title-near-id',
  severity: 'warning',
  why: 'A typing mistake in the name of the event appears on every page, email and receipt.',
  after: ['EV807'],
  find: ({ config: { id, title } }) => {
    const [idLetters, titleLetters] = [extractLetters(id), extractLetters(title)]
    return Math.min(idLetters.length, titleLetters.length) < MIN_NAME_LENGTH ||
      computeEditDistance(idLetters, titleLetters) !== 1
      ? []
      : [
          {
            at: 'event.title',
            message: `the title differs from the id \`${id}\` by one letter`,
            related: [{ at: 'event.id', message: 'the id' }],
            help: 'write the name the same way in both places',
          },
        ]
  },
}

export const eventTitleChecks = {
  EV421: titleYearCheck,
  EV422: misspeltTitleCheck,
} satisfies Checks
