/**
 * Checks EV642, EV646 to EV648, EV654: numbers, unique answers and keys that would cause delegates to be refused or
 * confused with each other.
 */
import { countDaysBetween } from '../../../lib/time.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, FieldAt, Model } from '../../checked-file.ts'

const MINUTES_PER_UNIT: readonly (readonly [RegExp, number])[] = [
  [/minute/, 1],
  [/hour/, 60],
  [/day/, 24 * 60],
  [/week/, 7 * 24 * 60],
  [/month/, 30 * 24 * 60],
]
/** Converts a duration such as `2 hours` to minutes. Returns null for anything else. */
function readMinutes(text: string): number | null {
  const [, amount, unit] = /^(\d+) (\w+)$/.exec(text.trim()) ?? []
  const factor = MINUTES_PER_UNIT.find(([name]) => name.test(unit ?? ''))?.[1]
  return amount === undefined || factor === undefined ? null : Number(amount) * factor
}

const MINUTES_PER_DAY = 24 * 60
/** Delegates are unlikely to stay for more than this many nights beyond the length of the event. */
const MAX_EXTRA_NIGHTS = 14
/** Many names and most addresses have more characters than this. */
const SHORT_ANSWER_CHARACTERS = 10
const LONG_ANSWER_WORDS =
  /\b(?:name|e-?mail|institution|institute|hospital|college|address|organi[sz]ation|company)\b/i

type Duration = {
  readonly at: string
  readonly text: string | undefined
  readonly min: number
  readonly max: number
  readonly usual: string
}

function listDurations({ file }: Model): readonly Duration[] {
  return [
    {
      at: 'hold_seats_for',
      text: file.hold_seats_for,
      min: 5,
      max: 3 * MINUTES_PER_DAY,
      usual: '15 to 60 minutes',
    },
    ...(typeof file.payment === 'object' ? (file.payment.methods ?? []) : []).map(
      ({ expires_after: text }, index) => ({
        at: `payment.methods.${index}.expires_after`,
        text,
        min: MINUTES_PER_DAY,
        max: 60 * MINUTES_PER_DAY,
        usual: '3 to 14 days',
      }),
    ),
    ...(file.approval ?? []).flatMap(({ decide_within, pay_within }, index) => [
      {
        at: `approval.${index}.decide_within`,
        text: decide_within,
        min: MINUTES_PER_DAY,
        max: 60 * MINUTES_PER_DAY,
        usual: '3 to 7 days',
      },
      {
        at: `approval.${index}.pay_within`,
        text: pay_within,
        min: MINUTES_PER_DAY,
        max: 60 * MINUTES_PER_DAY,
        usual: '3 to 14 days',
      },
    ]),
  ]
}

function findUnlikelyNumber(
  { config }: Model,
  { raw, path, field, id }: FieldAt,
): readonly Draft[] {
  const words = `${id.replaceAll('_', ' ')} ${field.label}`
  const isCount = config.fees.items.some(({ count, times }) => count?.field === id || times === id)
  const days = countDaysBetween(config.from, config.to) + 1
  if (raw.type === 'number' && isCount && (raw.min ?? 0) < 0)
    return [
      {
        at: `${path}.min`,
        message: `\`${id}\` accepts a negative number, which would reduce the bill`,
        help: 'write min: 0',
      },
    ]
  if (
    raw.type === 'number' &&
    /\bnights?\b/i.test(words) &&
    (raw.max ?? 0) > days + MAX_EXTRA_NIGHTS
  )
    return [
      {
        at: `${path}.max`,
        message: `up to ${raw.max} nights can be booked, but the event lasts ${days} day${days === 1 ? '' : 's'}`,
        help: `write a smaller number, such as max: ${days + 1}`,
      },
    ]
  return raw.max_length !== undefined &&
    raw.max_length < SHORT_ANSWER_CHARACTERS &&
    LONG_ANSWER_WORDS.test(words)
    ? [
        {
          at: `${path}.max_length`,
          message: `“${field.label}” accepts at most ${raw.max_length} characters: most answers are longer and would be rejected`,
          help: 'write a larger number, such as 100, or remove max_length',
        },
      ]
    : []
}

const unlikelyNumberCheck: Check = {
  slug: 'unlikely-number',
  severity: 'warning',
  why: 'A seat held for a minute is released while the delegate pays. A seat held for a month cannot be sold to another delegate.',
  find: (model) => [
    ...listDurations(model).flatMap(({ at, text, min, max, usual }): Draft[] => {
      const minutes = text === undefined ? null : readMinutes(text)
      return minutes === null || (minutes >= min && minutes <= max)
        ? []
        : [
            {
              at,
              message: `\`${text}\` is unusually ${minutes < min ? 'short' : 'long'}`,
              help: `the usual duration is ${usual}`,
            },
          ]
    }),
    ...model.fields.flatMap((field) => findUnlikelyNumber(model, field)),
  ],
}

const isChoice = ({ field }: FieldAt): boolean => field.type === 'select'
/** Words for free-text fields in which many delegates give the same answer. */
const SHARED_TEXT_WORDS =
  /\b(?:institution|institute|hospital|college|university|company|organi[sz]ation|city|town|district|state|country|pin|pincode|designation|department|speciality|specialty|food|diet|batch|school|class)\b/i
const isSharedAnswer = (entry: FieldAt): boolean =>
  isChoice(entry) || SHARED_TEXT_WORDS.test(`${entry.id.replaceAll('_', ' ')} ${entry.field.label}`)

/** Returns each uniqueness rule with its fields. A rule that contains an unknown field is returned without fields. */
function listUniqueRules({ file, fields }: Model) {
  return (file.unique ?? []).map((rule, index) => {
    const knownFields = rule.fields.flatMap((id) => fields.find((field) => field.id === id) ?? [])
    return { rule, index, fields: knownFields.length === rule.fields.length ? knownFields : [] }
  })
}

const uniqueChoiceCheck: Check = {
  slug: 'unique-choice',
  severity: 'error',
  why: 'Once a delegate has chosen an option, no other delegate who chooses it can register.',
  after: ['EV201', 'EV216'],
  find: (model) =>
    listUniqueRules(model).flatMap(({ rule, index, fields }): Draft[] =>
      rule.on_duplicate === 'block' && fields.length > 0 && fields.every(isChoice)
        ? [
            {
              at: `unique.${index}.fields`,
              message: `many delegates choose the same ${fields.map(({ id }) => `\`${id}\``).join(' and ')}: only the first can register`,
              help: 'use a field that identifies a delegate, such as email or a membership number',
            },
          ]
        : [],
    ),
}

const uniqueSharedAnswerCheck: Check = {
  slug: 'unique-shared-answer',
  severity: 'warning',
  why: 'Colleagues share an institution and a city. They would be refused, or asked whether they have already registered.',
  after: ['EV201', 'EV216', 'EV646'],
  find: (model) =>
    listUniqueRules(model).flatMap(({ index, fields }): Draft[] =>
      fields.length > 0 && fields.every(isSharedAnswer)
        ? [
            {
              at: `unique.${index}.fields`,
              message: `many delegates have the same ${fields.map(({ id }) => `\`${id}\``).join(' and ')}`,
              help: 'use a field that identifies a delegate, such as email, or add one to these fields',
            },
          ]
        : [],
    ),
}

const memberListKeyNameCheck: Check = {
  slug: 'member-list-key-name',
  severity: 'warning',
  why: 'Members may share a name, or write it in several ways. The lookup then fails, or returns another member’s price.',
  after: ['EV219'],
  find: ({ file }) =>
    Object.entries(file.member_lists ?? {}).flatMap(([name, { key }]): Draft[] =>
      /(?:^|_)(?:name|names)$/.test(key)
        ? [
            {
              at: `member_lists.${name}.key`,
              message: `members are looked up by \`${key}\``,
              help: 'use a number or an email address as the key, and list the name under `shows`',
            },
          ]
        : [],
    ),
}

const IDENTIFIER_WORDS =
  /\b(?:phone|mobile|whats ?app|telephone|aadha+r|pin ?code|postal code|zip|account (?:no|number))\b/i

const identifierAsNumberCheck: Check = {
  slug: 'identifier-as-number',
  severity: 'warning',
  why: 'A number field drops leading zeros and accepts no + or space, so a wrong phone number is stored.',
  find: ({ fieldsAndParts }) =>
    fieldsAndParts.flatMap(({ raw, path, field, id }): Draft[] =>
      raw.type === 'number' && IDENTIFIER_WORDS.test(`${id.replaceAll('_', ' ')} ${field.label}`)
        ? [
            {
              at: `${path}.type`,
              message: `“${field.label}” is collected as a number`,
              help: /phone|mobile|whats ?app/i.test(`${id} ${field.label}`)
                ? 'write type: phone'
                : 'write type: text, with a format or a pattern',
            },
          ]
        : [],
    ),
}

export const unlikelySettingChecks = {
  EV642: unlikelyNumberCheck,
  EV646: uniqueChoiceCheck,
  EV647: uniqueSharedAnswerCheck,
  EV648: memberListKeyNameCheck,
  EV654: identifierAsNumberCheck,
} satisfies Checks
