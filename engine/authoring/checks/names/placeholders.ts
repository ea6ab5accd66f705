/** Checks EV208, EV209: placeholders in texts exist and have a value where the text is shown. */
import { computeEditDistance } from '../../../lib/edit-distance.ts'
import { formatList, canCompareNames } from '../../suggestions/nearest-name.ts'
import { ENGINE_VALUES, EVENT_VALUES, TAX_VALUES } from '../../../event/built-in-values.ts'
import { memoize } from '../../../lib/memoize.ts'
import { getUnitName } from '../../../event/placeholders-and-answer-texts.ts'
import { listStoredIds } from '../../checked-file.ts'
import type { Check, Model, TextAt, WrittenText } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import type { Span } from '../../syntax/source.ts'

/** Finds the placeholders in text, with their spans in the source. */
export function findPlaceholders({
  written,
  at,
}: WrittenText): readonly { readonly name: string; readonly span: Span }[] {
  if (!written.includes('{')) return []
  return [...written.matchAll(/\{([^{}\n]*)\}/g)].map((match) => ({
    name: match[1] ?? '',
    span: [at + match.index, at + match.index + match[0].length],
  }))
}

/** Reports doubled and unpaired braces, such as `{{reg_no}}` and `total}`. */
function findStrayBraces({ path, text, written, at }: TextAt): readonly Draft[] {
  if (!/[{}]/.test(text.replace(/\{[^{}\n]*\}/g, ''))) return []
  const doubleBraces = /\{\{+\s*([a-z_][a-z0-9_.]*)\s*\}\}+/.exec(written)
  if (doubleBraces !== null) {
    const start = at + doubleBraces.index
    return [
      {
        at: path,
        span: [start, start + doubleBraces[0].length],
        message: `\`${doubleBraces[0]}\`: a value is written in one pair of braces`,
        help: `write {${doubleBraces[1]}}`,
      },
    ]
  }
  const textWithoutPairs = written.replace(/\{[^{}\n]*\}/g, (match) => ' '.repeat(match.length))
  const strayBrace = /\{([a-z_][a-z0-9_.]*)?|([a-z_][a-z0-9_.]*)?\}/.exec(textWithoutPairs)
  const brace = strayBrace?.[0].startsWith('{') === false ? '}' : '{'
  const name = strayBrace?.[1] ?? strayBrace?.[2]
  const offset = at + (strayBrace?.index ?? 0)
  return [
    {
      at: path,
      ...(strayBrace === null ? {} : { span: [offset, offset + strayBrace[0].length] as const }),
      message: `this text has a single \`${brace}\`; a value is written {name}`,
      help: name === undefined ? 'close the braces, or remove them' : `write {${name}}`,
    },
  ]
}

/** Maps the names that other systems use for these values to Rollcall's names. */
const NAMES_OF_OTHER_SYSTEMS: Readonly<Record<string, string>> = {
  'event.name': 'event.title',
  'event.place': 'event.venue',
  'event.location': 'event.venue',
  'event.date': 'event.dates',
  'event.time': 'event.hours',
  'event.email': 'event.support',
  'event.contact': 'event.support',
  event: 'event.title',
  conference: 'event.title',
  venue: 'event.venue',
  dates: 'event.dates',
  registration_number: 'reg_no',
  registration_no: 'reg_no',
  registration_id: 'reg_no',
  reg_id: 'reg_no',
  order_no: 'order_id',
  order_number: 'order_id',
  transaction_id: 'payment_id',
  price: 'base',
  fee: 'base',
  base_fee: 'base',
  tax: 'gst',
  gst_amount: 'gst',
  total_amount: 'total',
  amount_paid: 'total',
  grand_total: 'total',
}

const VALUES_BEFORE_REGISTRATION = [...EVENT_VALUES, ...TAX_VALUES] as const
const VALUES_AFTER_PAYMENT = ['payment_date', 'payment_id', 'date']
const OFFICE_VALUES = ['message', 'status']

/** Returns the placeholder names for the units of number fields. */
const listUnitNames = memoize((model: Model): readonly string[] =>
  model.fields.flatMap(({ id, raw }) => (raw.unit === undefined ? [] : [getUnitName(id)])),
)

/** Returns every value that text may contain. */
const listAllValues = memoize((model: Model): readonly string[] => [
  ...listStoredIds(model),
  ...listUnitNames(model),
  ...ENGINE_VALUES,
  ...EVENT_VALUES,
  ...TAX_VALUES,
])

/** No built-in name is longer than this. */
const MAX_NAME_CHARACTERS = 80

function findNearestName(name: string, allowed: readonly string[]): string | undefined {
  const maxDistance = Math.max(1, Math.floor(name.length / 3))
  return name.length > MAX_NAME_CHARACTERS
    ? undefined
    : allowed
        .filter(
          (candidate) => computeEditDistance(candidate, name.trim().toLowerCase()) <= maxDistance,
        )
        .sort((a, b) => computeEditDistance(a, name) - computeEditDistance(b, name))[0]
}

const unknownPlaceholderCheck: Check = {
  slug: 'unknown-placeholder',
  severity: 'error',
  why: 'A placeholder without a value is printed as N/A, or unchanged, for every delegate.',
  find: (model) =>
    model.displayedTexts.flatMap((entry) => {
      const { path, place } = entry
      const allowedNames =
        place === 'office-error'
          ? OFFICE_VALUES
          : place === 'export-file'
            ? ['date']
            : place === 'line'
              ? [...model.fields.map(({ id }) => id), ...listUnitNames(model), 'option']
              : listAllValues(model)
      const placeholders = findPlaceholders(entry)
      return [
        ...findStrayBraces(entry),
        ...placeholders
          .filter(
            ({ name }) =>
              !allowedNames.includes(name) &&
              !OFFICE_VALUES.includes(name) &&
              !listAllValues(model).includes(name),
          )
          .map(({ name, span }) => {
            const suggestion =
              NAMES_OF_OTHER_SYSTEMS[
                name
                  .trim()
                  .toLowerCase()
                  .replaceAll(/[\s-]+/g, '_')
              ]
            const nearest =
              allowedNames.find((candidate) => candidate === suggestion) ??
              (canCompareNames(model, allowedNames.length)
                ? findNearestName(name, allowedNames)
                : undefined) ??
              allowedNames.find(
                (candidate) => name.length > 3 && candidate.includes(name.trim().toLowerCase()),
              )
            return {
              at: path,
              span,
              message:
                name === name.trim()
                  ? `there is no value \`${name}\``
                  : `\`{${name}}\` is not filled in: remove the spaces inside the braces`,
              help:
                nearest === undefined
                  ? `available values: ${formatList(allowedNames, 20)}`
                  : `did you mean \`{${nearest}}\`?`,
            }
          }),
      ]
    }),
}

/**
 * Explains why a placeholder is not available in a bill line's label, which can contain only answers and the option
 * sold.
 */
function explainMissingInLine(model: Model, path: string, name: string): readonly string[] {
  const item = model.file.fees.items?.[Number(path.split('.')[2])]
  if (name === 'option')
    return item?.by === undefined ? ['a line has an option only if its item has `by`'] : []
  return model.fields.some(({ id }) => id === name) || listUnitNames(model).includes(name)
    ? []
    : [`\`{${name}}\` is not available in a line of the bill`]
}

const placeholderNotHereCheck: Check = {
  slug: 'placeholder-not-here',
  severity: 'error',
  why: 'The value exists, but is not available in this text.',
  after: ['EV208'],
  find: (model) =>
    model.displayedTexts.flatMap(({ path, place, ...written }) =>
      findPlaceholders({ path, ...written }).flatMap(({ name, span }): Draft[] => {
        const buildDrafts = (message: string): Draft[] => [{ at: path, span, message }]
        if (
          OFFICE_VALUES.includes(name) &&
          place !== 'office-error' &&
          !listAllValues(model).includes(name)
        )
          return buildDrafts(`\`{${name}}\` is available only in the error texts of the office`)
        if (place === 'line') return explainMissingInLine(model, path, name).flatMap(buildDrafts)
        if (place === 'plain') return buildDrafts('placeholders are not filled in here')
        if (place === 'office-error')
          return OFFICE_VALUES.includes(name)
            ? []
            : buildDrafts('only {message} is available in an error text of the office')
        if (place === 'export-file')
          return name === 'date'
            ? []
            : buildDrafts('only {date} is available in a file name of the office')
        if (place === 'form' && !(VALUES_BEFORE_REGISTRATION as readonly string[]).includes(name))
          return buildDrafts(`\`{${name}}\` is not available before registration`)
        if (place === 'registered' && VALUES_AFTER_PAYMENT.includes(name))
          return buildDrafts(`\`{${name}}\` is not available before payment`)
        if (
          place === 'order-error' &&
          name !== 'order_id' &&
          !(VALUES_BEFORE_REGISTRATION as readonly string[]).includes(name)
        )
          return buildDrafts(`\`{${name}}\` is not available when no registration is found`)
        return []
      }),
    ),
}

export const placeholderChecks = {
  EV208: unknownPlaceholderCheck,
  EV209: placeholderNotHereCheck,
}
