/** Checks EV523 to EV529: multiple choices can be answered, and lists of people can be counted. */
import { assertNever } from '../../../lib/result.ts'
import type { Field, FieldType } from '../../../event/config.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks } from '../../checked-file.ts'
import { join } from '../../syntax/source.ts'

/** Reports limits in `choose` that no choice can meet. */
const chooseImpossibleCheck: Check = {
  slug: 'choose-impossible',
  severity: 'error',
  why: 'Every choice is rejected, so no delegate can register.',
  after: ['EV202', 'EV205'],
  find: ({ fields }) =>
    fields.flatMap(({ raw, path, field }): Draft[] => {
      const options = field.options ?? []
      const { at_least: min, at_most: max } = raw.choose ?? {}
      if (min === undefined) return []
      const at = join(path, 'choose.at_least')
      if (max !== undefined && min > max)
        return [
          { at, part: 'entry', message: `at_least is above at_most (${max}): no choice is valid` },
        ]
      if (min > options.length)
        return [
          {
            at,
            part: 'entry',
            message: `there are only ${options.length} options: ${min} cannot be chosen`,
          },
        ]
      const largestChoice = findLargestChoice(field)
      return largestChoice !== null && largestChoice < min
        ? [
            {
              at,
              part: 'entry',
              message: `at most ${largestChoice} of these options can be chosen together, so ${min} cannot be chosen`,
              related: [
                {
                  at: join(path, 'choose.mutually_exclusive'),
                  part: 'key',
                  message: 'because these exclude each other',
                },
              ],
            },
          ]
        : []
    }),
}

/** The search for the largest choice stops after this many attempts. Real events need about ten. */
const MAX_TRIED_CHOICES = 10_000

/**
 * Returns the size of the largest valid choice, which leaves out at least one option of each exclusive group. Returns
 * null if the search takes too long.
 */
function findLargestChoice({ options = [], choose }: Field): number | null {
  const groups = choose?.mutuallyExclusive ?? []
  let triesLeft = MAX_TRIED_CHOICES
  const findFewestExcluded = (excludedIds: ReadonlySet<string>, fewestExcluded: number): number => {
    triesLeft -= 1
    const nextGroup = groups.find((group) => !group.some((id) => excludedIds.has(id)))
    if (nextGroup === undefined) return excludedIds.size
    if (excludedIds.size + 1 >= fewestExcluded || triesLeft < 0) return fewestExcluded
    return nextGroup.reduce(
      (best, id) => findFewestExcluded(new Set([...excludedIds, id]), best),
      fewestExcluded,
    )
  }
  const fewestExcluded = findFewestExcluded(new Set(), groups.length)
  return triesLeft < 0 ? null : options.length - fewestExcluded
}

const chooseWithoutEffectCheck: Check = {
  slug: 'choose-does-nothing',
  severity: 'warning',
  why: 'A limit that can never apply is probably wrong.',
  after: ['EV202', 'EV205', 'EV523'],
  find: ({ fields }) =>
    fields.flatMap(({ raw, path, field }): Draft[] => {
      const {
        at_least: min,
        at_most: max,
        mutually_exclusive: exclusiveGroups = [],
      } = raw.choose ?? {}
      const options = field.options ?? []
      const at = join(path, 'choose')
      return [
        ...(max === undefined || max < options.length
          ? []
          : [
              {
                at: join(at, 'at_most'),
                part: 'entry' as const,
                message: `there are ${options.length} options: more than ${max} cannot be chosen`,
                help: 'write a smaller number, or remove at_most',
              },
            ]),
        ...(min === undefined || field.required !== undefined
          ? []
          : [
              {
                at: join(at, 'at_least'),
                part: 'entry' as const,
                message: `at_least: ${min} does not apply to a delegate who ticks nothing`,
                help:
                  min === 1
                    ? 'write required: true instead'
                    : `add required: true, or state in the label that ${min} or none can be chosen`,
              },
            ]),
        ...exclusiveGroups.flatMap((group, index) => {
          if (max !== undefined && group.length > max)
            return [
              {
                at: join(join(at, 'mutually_exclusive'), index),
                message: `delegates cannot choose all of these anyway, because at_most is ${max}`,
                related: [
                  { at: join(at, 'at_most'), part: 'entry' as const, message: 'the limit' },
                ],
              },
            ]
          const subsetIndex = exclusiveGroups.findIndex(
            (other, otherIndex) =>
              otherIndex !== index &&
              other.every((id) => group.includes(id)) &&
              (other.length < group.length || otherIndex < index),
          )
          return subsetIndex === -1
            ? []
            : [
                {
                  at: join(join(at, 'mutually_exclusive'), index),
                  message: 'another group already excludes this combination',
                  related: [
                    {
                      at: join(join(at, 'mutually_exclusive'), subsetIndex),
                      message: 'the other group',
                    },
                  ],
                },
              ]
        }),
      ]
    }),
}

const choiceLimitWithoutMessageCheck: Check = {
  slug: 'choice-limit-without-message',
  severity: 'warning',
  why: 'A delegate who ticks too many boxes needs to know why the choice is rejected.',
  after: ['EV523'],
  find: ({ fields }) =>
    fields.flatMap(({ raw, path }): Draft[] =>
      raw.choose === undefined || raw.choose.message !== undefined
        ? []
        : [
            {
              at: join(path, 'choose'),
              part: 'key',
              message: 'a choice outside these limits is rejected without an explanation',
              help: 'write message: with a sentence such as Please choose two workshops at most, one in each half',
            },
          ],
    ),
}

/** States for each field type whether a list of people may contain it. Only types with a single value are allowed. */
const IS_ALLOWED_IN_PEOPLE: Readonly<Record<FieldType, boolean>> = {
  text: true,
  multiline: true,
  email: true,
  phone: true,
  number: true,
  date: true,
  'yes-no': true,
  select: true,
  file: false,
  many: false,
  people: false,
  consent: false,
}

const unsupportedPersonFieldCheck: Check = {
  slug: 'unsupported-person-field',
  severity: 'error',
  why: 'A list of people can have only simple fields. Ask for anything else once, outside the list.',
  find: ({ fieldsAndParts, fields }) =>
    fieldsAndParts.flatMap((fieldOrPart): Draft[] => {
      const { id, raw, path, field } = fieldOrPart
      if (fields.includes(fieldOrPart)) return []
      if (!IS_ALLOWED_IN_PEOPLE[field.type])
        return [
          {
            at: join(path, 'type'),
            message: `\`${id}\` is a ${field.type} field, which a list of people cannot have`,
            help: suggestAlternative(field.type),
          },
        ]
      return [
        ...(raw.show_when === undefined
          ? []
          : [
              {
                at: join(path, 'show_when'),
                part: 'entry' as const,
                message: 'a field in a list of people cannot have a condition',
                help: 'remove the condition, and state in the hint who must answer',
              },
            ]),
        ...(typeof raw.required !== 'object'
          ? []
          : [
              {
                at: join(path, 'required'),
                part: 'entry' as const,
                message: 'a field in a list of people is required for every person or for none',
                help: 'write required: true, or remove `required`',
              },
            ]),
        ...(field.offersCategories === true
          ? [
              {
                at: join(path, 'options'),
                part: 'entry' as const,
                message: 'only the delegate has a category',
                help: 'give the field its own options',
              },
            ]
          : []),
        ...(raw.in === undefined
          ? []
          : [
              {
                at: join(path, 'in'),
                part: 'entry' as const,
                message: "only the delegate's own answers are looked up in a member list",
                help: 'remove `in`, or ask for the number outside the list of people',
              },
            ]),
      ]
    }),
}

function suggestAlternative(type: FieldType): string {
  switch (type) {
    case 'file':
      return 'ask for files outside the list of people'
    case 'many':
      return 'write type: select for one choice, or a yes-no field for each option'
    case 'people':
      return 'use one list for all people, and a select field for the group of each person'
    case 'consent':
      return 'ask once, outside the list of people: the delegate agrees for all of them'
    case 'text':
    case 'multiline':
    case 'email':
    case 'phone':
    case 'number':
    case 'date':
    case 'yes-no':
    case 'select':
      return 'use another type'
    default:
      return assertNever(type)
  }
}

/** Lists of more people than this should be uploaded as a file, because each person adds a form to the page. */
const MAX_PEOPLE = 20

const manyPeopleCheck: Check = {
  slug: 'many-people',
  severity: 'warning',
  why: 'Each person adds a form to the page, and each possible number of people adds a price to check.',
  find: ({ fields }) =>
    fields.flatMap(({ path, field }): Draft[] =>
      field.type === 'people' && (field.max ?? 0) > MAX_PEOPLE
        ? [
            {
              at: join(path, 'max'),
              part: 'entry',
              message: `up to ${field.max} people could be entered, one after the other`,
              help: `write ${MAX_PEOPLE} or fewer`,
            },
          ]
        : [],
    ),
}

const emptyPersonAllowedCheck: Check = {
  slug: 'empty-person-allowed',
  severity: 'warning',
  why: 'An empty row counts as a person and is charged.',
  find: ({ fields }) =>
    fields.flatMap(({ raw, path, field }): Draft[] =>
      field.type !== 'people' || (field.fields ?? []).some(({ required }) => required !== undefined)
        ? []
        : [
            {
              at: join(path, raw.fields === undefined ? 'type' : 'fields'),
              part: 'key',
              message: `no field of a person is required: an empty row counts as an entry of \`${raw.id}\``,
              help: 'write required: true for one of them, such as the name',
            },
          ],
    ),
}

const fractionalCountCheck: Check = {
  slug: 'fractional-count',
  severity: 'error',
  why: 'Only whole numbers can be counted: half a ticket does not exist.',
  find: ({ fields }) =>
    fields.flatMap(({ id, path, field }): Draft[] =>
      field.isWhole !== true
        ? []
        : (['min', 'max', 'default'] as const).flatMap((key) => {
            const value = field[key]
            return typeof value !== 'number' || Number.isInteger(value)
              ? []
              : [
                  {
                    at: join(path, key),
                    message: `an item is counted by \`${id}\`, so ${key} must be a whole number`,
                    help: `write ${key === 'min' ? Math.ceil(value) : Math.floor(value)}`,
                  },
                ]
          }),
    ),
}

export const listFieldChecks = {
  EV523: chooseImpossibleCheck,
  EV524: chooseWithoutEffectCheck,
  EV525: choiceLimitWithoutMessageCheck,
  EV526: unsupportedPersonFieldCheck,
  EV527: manyPeopleCheck,
  EV528: emptyPersonAllowedCheck,
  EV529: fractionalCountCheck,
} satisfies Checks
