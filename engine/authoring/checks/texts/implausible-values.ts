/** Finds well-formed but implausible values: placeholders, inconsistent years and sums, similar names. */
import { editDistance } from '../../../lib/edit-distance.ts'
import { matchesOf } from '../../prose/pattern-matches.ts'
import type { Check, Checks, TextAt, Written } from '../../checked-file.ts'
import { ENGINE_VALUES, EVENT_VALUES } from '../../../event/built-in-values.ts'
import { storedIds } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { placeholdersIn } from '../names/placeholders.ts'

/** An order id has at most 20 characters, of which two identify a further payment attempt. */
const NUMBER_MAX = 18

const prefixTooLong: Check = {
  slug: 'prefix-too-long',
  severity: 'error',
  why: 'The gateway accepts order ids of at most 20 characters. A longer one fails at payment.',
  find: ({ config: { payment, orderId } }) =>
    payment === null || orderId.prefix.length + orderId.digits <= NUMBER_MAX
      ? []
      : [
          {
            at: 'order_id.prefix',
            message: `${orderId.prefix} and ${orderId.digits} digits are ${orderId.prefix.length + orderId.digits} characters; the maximum is ${NUMBER_MAX}`,
            help: 'shorten the prefix, or write fewer digits',
          },
        ],
}

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

/** Shorter names are one letter apart by chance. */
const NAME_LENGTH_MIN = 6
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

const titleNearId: Check = {
  slug: 'title-near-id',
  severity: 'warning',
  why: 'A typing mistake in the name of the event appears on every page, email and receipt.',
  after: ['EV807'],
  find: ({ config: { id, title } }) => {
    const [named, said] = [lettersOf(id), lettersOf(title)]
    return Math.min(named.length, said.length) < NAME_LENGTH_MIN || editDistance(named, said) !== 1
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

const sameTitle: Check = {
  slug: 'same-title',
  severity: 'warning',
  why: 'Delegates cannot distinguish two categories, sections, periods or options with the same name.',
  after: ['EV206'],
  find: ({ config, file, asked }) => {
    const twice = (
      texts: readonly string[],
      at: (index: number) => string,
      what: string,
    ): readonly Draft[] =>
      texts.flatMap((text, i): Draft[] => {
        const first = texts.findIndex(
          (other) => other.trim().toLowerCase() === text.trim().toLowerCase(),
        )
        return first === i
          ? []
          : [
              {
                at: at(i),
                message: `two ${what} are both called “${text}”`,
                related: [{ at: at(first), message: 'the other one' }],
              },
            ]
      })
    return [
      ...twice(
        config.categories.map(({ label }) => label),
        (i) =>
          file.categories[i]?.label === undefined ? `categories.${i}` : `categories.${i}.label`,
        'categories',
      ),
      ...twice(
        config.fees.periods.map(({ label }) => label),
        (i) =>
          file.fees.periods[i]?.label === undefined
            ? `fees.periods.${i}`
            : `fees.periods.${i}.label`,
        'periods',
      ),
      ...twice(
        file.form.sections.map(({ title }) => title),
        (i) => `form.sections.${i}.title`,
        'sections',
      ),
      ...asked.flatMap(({ raw: { options }, path, field }) =>
        !Array.isArray(options)
          ? []
          : twice(
              (field.options ?? []).map(({ label }) => label),
              (i) =>
                labelOf(options[i]) === undefined
                  ? `${path}.options.${i}`
                  : `${path}.options.${i}.label`,
              `options of \`${field.id}\``,
            ),
      ),
      ...twice(
        (file.codes?.kinds ?? []).map(({ label, id }) => label ?? id),
        (i) =>
          file.codes?.kinds[i]?.label === undefined ? `codes.kinds.${i}` : `codes.kinds.${i}.label`,
        'code kinds',
      ),
    ]
  },
}

const labelOf = (option: unknown): string | undefined =>
  typeof option === 'object' ? (option as { readonly label?: string }).label : undefined

const summaryWithoutTotal: Check = {
  slug: 'summary-without-total',
  severity: 'warning',
  why: 'Delegates who see the parts of an amount also need the total.',
  find: ({
    config: {
      form: { summary },
    },
  }) =>
    summary.lines.includes('total') ||
    !summary.lines.some((line) => line === 'base' || line === 'gst')
      ? []
      : [
          {
            at: 'form.summary.lines',
            message: 'the price summary shows parts of the amount but not the total',
            help: 'add total',
          },
        ],
}

const valueNotGiven: Check = {
  slug: 'value-not-given',
  severity: 'warning',
  why: 'The text would show N/A to every delegate.',
  after: ['EV207', 'EV208'],
  find: (model) => {
    const absent = (name: string): boolean =>
      (['theme', 'about', 'hours'] as const).some(
        (key) => name === `event.${key}` && model.file.event[key] === undefined,
      )
    const say = (name: string): Pick<Draft, 'message' | 'help'> => ({
      message: `\`${name}\` is not set in this file: N/A is printed instead`,
      help: `add it under event, or remove it here`,
    })
    const texts = model.said.flatMap((said) =>
      said.place === 'plain'
        ? []
        : placeholdersIn(said).flatMap(({ name, span }): Draft[] =>
            absent(name) ? [{ at: said.path, span, ...say(name) }] : [],
          ),
    )
    const rows = (['success', 'failed'] as const).flatMap((page) =>
      model.file.results[page].details.flatMap((detail, i): Draft[] => {
        const name = typeof detail === 'string' ? detail : (detail.show ?? '')
        const at = `results.${page}.details.${i}`
        return absent(name)
          ? [{ at: typeof detail === 'string' ? at : `${at}.show`, ...say(name) }]
          : []
      }),
    )
    return [...texts, ...rows]
  },
}

const otherBrackets: Check = {
  slug: 'wrong-placeholder-syntax',
  severity: 'warning',
  why: 'Only {name} is filled in. Any other notation is printed unchanged.',
  find: (model) => {
    const known = new Set<string>([...storedIds(model), ...ENGINE_VALUES, ...EVENT_VALUES])
    const bare = bareNames([...storedIds(model), ...ENGINE_VALUES])
    return model.said.flatMap((said) => [
      ...(said.place === 'plain'
        ? []
        : bracketsIn(said).flatMap(({ name, dollar, isWord, span }): Draft[] =>
            dollar || (known.has(name) && !isWord)
              ? [
                  {
                    at: said.path,
                    span,
                    message: dollar
                      ? `the dollar sign before \`{${name}}\` is printed`
                      : `\`${name}\` is not filled in between these signs`,
                    help: `write {${name}}`,
                  },
                ]
              : [],
          )),
      ...withoutBraces(said, bare),
    ])
  },
}

/**
 * Matches names that are not words of any language: `full_name`, but not `category`. Null if the
 * file has none.
 */
function bareNames(names: readonly string[]): RegExp | null {
  const joined = names.filter((name) => name.includes('_'))
  return joined.length === 0
    ? null
    : new RegExp(`(?<![\\w.{$[%<«/@?&#=-])(?:${joined.join('|')})(?![\\w}\\]%>»@/=-]|\\.\\w)`, 'g')
}

/** Texts filled in after registration. */
const AFTER_REGISTERING: ReadonlySet<string> = new Set([
  'registered',
  'success',
  'failed',
  'receipt',
  'email',
])

/** "Dear full_name": the name of a value without braces, or in round brackets. */
function withoutBraces(
  { path, place, written, at }: TextAt,
  bare: RegExp | null,
): readonly Draft[] {
  if (bare === null || place === 'export-file' || !written.includes('_')) return []
  const text = written.replace(/\{[^{}\n]*\}/g, (whole) => ' '.repeat(whole.length))
  return matchesOf(text, bare).map(({ 0: name, index }) => ({
    at: path,
    span: [at + index, at + index + name.length] as const,
    message: `\`${name}\` is not filled in without braces: it is printed unchanged`,
    help: AFTER_REGISTERING.has(place)
      ? `write {${name}}`
      : `write in words what you mean: \`${name}\` is its name in this file`,
  }))
}

/** Words that are followed by a value: "Paid [total]". */
const VALUE_FOLLOWS =
  /(?:[:=₹]|\b(?:Dear|Hello|Hi|paid|pay|amount|sum|total|number|no\.|is|was|Rs\.?|INR|Dr\.?))\s*$/i

function bracketsIn({ written, at }: Written): readonly {
  readonly name: string
  readonly dollar: boolean
  /** An ordinary word in square brackets within a sentence: "[email]" may be intended. */
  readonly isWord: boolean
  readonly span: readonly [number, number]
}[] {
  if (!/[$[%<«]/.test(written)) return []
  return [
    ...written.matchAll(/\$\{([\w.]+)\}|\[+([\w.]+)\]+|%+([\w.]+)%+|<+([\w.]+)>+|«([\w.]+)»/g),
  ].map((found) => ({
    name: found[1] ?? found[2] ?? found[3] ?? found[4] ?? found[5] ?? '',
    dollar: found[1] !== undefined,
    isWord:
      found[2] !== undefined &&
      !/[_.]/.test(found[2]) &&
      !VALUE_FOLLOWS.test(written.slice(0, found.index)),
    span: [at + found.index, at + found.index + found[0].length],
  }))
}

export const sense = {
  EV215: prefixTooLong,
  EV421: titleYear,
  EV422: titleNearId,
  EV514: sameTitle,
  EV515: summaryWithoutTotal,
  EV610: valueNotGiven,
  EV611: otherBrackets,
} satisfies Checks
