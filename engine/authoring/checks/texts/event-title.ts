/** Checks EV421, EV422: the title of the event agrees with its year and its id. */
import { computeEditDistance } from '../../../lib/edit-distance.ts'
import type { Check, Checks } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'

const titleYear: Check = {
  slug: 'title-year',
  severity: 'warning',
  why: 'A file copied from last year may still contain last year’s date.',
  after: ['EV419'],
  find: ({ config, file }) =>
    [...file.event.title.matchAll(/\b20\d\d\b/g)].flatMap(([year]): Draft[] =>
      config.from.slice(0, 4) <= year && year <= config.to.slice(0, 4)
        ? []
        : [
            {
              at: 'event.title',
              message: `the title says ${year}, the event is in ${config.from.slice(0, 4)}`,
              related: [{ at: 'event.from', message: 'it begins here' }],
              help: 'write the same year in both places',
            },
          ],
    ),
}

/** Shorter names can differ by one letter by chance. */
const NAME_LENGTH_MIN = 6
const extractLetters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

const titleNearId: Check = {
  slug: 'title-near-id',
  severity: 'warning',
  why: 'A typing mistake in the name of the event appears on every page, email and receipt.',
  after: ['EV807'],
  find: ({ config: { id, title } }) => {
    const [named, said] = [extractLetters(id), extractLetters(title)]
    return Math.min(named.length, said.length) < NAME_LENGTH_MIN ||
      computeEditDistance(named, said) !== 1
      ? []
      : [
          {
            at: 'event.title',
            message: `the title is one letter off the id \`${id}\``,
            related: [{ at: 'event.id', message: 'the id' }],
            help: 'write the name the same way in both places',
          },
        ]
  },
}

export const eventTitle = { EV421: titleYear, EV422: titleNearId } satisfies Checks
