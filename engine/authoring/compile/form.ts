/** Compiles the form: categories, options and fields, with the default texts of `_shared/texts.yaml`. */
import type { Category, Field, FieldType, Option } from '../../event/config.ts'
import type { Scalar } from '../../event/answer-types.ts'
import { formatIdAsWords } from '../../event/placeholders-and-answer-texts.ts'
import {
  BYTES_PER_MB,
  DEFAULT_FIELD_TYPE,
  DEFAULT_PROOF_MB,
  DEFAULT_YES_NO_DISPLAY,
} from '../../event/default-settings-and-limits.ts'
import { findPatternFault, anchorPattern } from '../schema/answer-pattern.ts'
import { toCondition } from './conditions.ts'
import {
  removeUndefined,
  asList,
  asMap,
  asOptionalText,
  asOptionalDay,
  asText,
  asTexts,
  type PlainMap,
  type PlainShared,
} from './read-checked-values.ts'
import { FORMATS } from '../../event/identifier-patterns.ts'
import { readCurrency } from '../../lib/money.ts'
import type { Day } from '../../lib/time.ts'

export function toCategory(value: PlainMap): Category {
  return {
    id: asText(value.id),
    label: asOptionalText(value.label) ?? formatIdAsWords(asText(value.id)),
    listedOnly: value.listed_only === true,
    ...removeUndefined({
      about: asOptionalText(value.about),
      colour: value.colour as Category['colour'],
      currency: readCurrency(value.currency) ?? undefined,
      expects: value.expects === undefined ? undefined : toCondition(value.expects),
    }),
  }
}

function toOptions(
  value: unknown,
  categories: readonly Category[],
  lists: PlainMap,
): readonly Option[] {
  if (value === 'categories')
    return categories
      .filter((category) => !category.listedOnly)
      .map(({ listedOnly: _listed, expects: _goes, currency: _currency, ...option }) => option)
  return asList(typeof value === 'string' ? asMap(lists.lists)[value] : value).map((option) =>
    typeof option === 'object' && option !== null
      ? {
          id: asText(asMap(option).id),
          label: asOptionalText(asMap(option).label) ?? formatIdAsLabel(asText(asMap(option).id)),
        }
      : { id: asText(option), label: formatIdAsLabel(asText(option)) },
  )
}

/** Maps each field type to the key of `form.invalid` with its message for a malformed answer. */
export const INVALID_TEXTS: Readonly<Record<FieldType, string>> = {
  text: 'text',
  multiline: 'multiline',
  email: 'email',
  phone: 'phone',
  number: 'number',
  date: 'date',
  'yes-no': 'yes-no',
  select: 'option',
  file: 'file',
  many: 'option',
  people: 'people',
  consent: 'consent',
}

/** The data that fields refer to: categories, shared texts and lists, and the days of the event. */
export type FieldContext = {
  readonly categories: readonly Category[]
  readonly shared: PlainShared
  readonly days: { readonly from: Day; readonly to: Day }
}

export function toField(value: PlainMap, section: number, context: FieldContext): Field {
  const { categories, shared, days } = context
  const type = (value.type as FieldType | undefined) ?? DEFAULT_FIELD_TYPE
  const invalid = asMap(asMap(shared.texts.form).invalid)
  const required =
    typeof value.required === 'object' && value.required !== null ? asMap(value.required) : null
  const readMessage = (raw: unknown): string =>
    typeof raw === 'string' ? raw : asText(asMap(shared.texts.form).required)
  return {
    id: asText(value.id),
    type,
    label: asText(value.label),
    section,
    ignoreCase: value.ignore_case === true,
    invalid: asOptionalText(value.invalid) ?? asOptionalText(invalid[INVALID_TEXTS[type]]) ?? '',
    check: value.check !== false,
    ...removeUndefined({
      as: (value.as as Field['as']) ?? (type === 'yes-no' ? DEFAULT_YES_NO_DISPLAY : undefined),
      hint: asOptionalText(value.hint),
      options:
        type === 'select' || type === 'many'
          ? toOptions(value.options, categories, shared.lists)
          : undefined,
      offersCategories: value.options === 'categories' ? true : undefined,
      default: value.default as Scalar | undefined,
      accept: value.accept === undefined ? undefined : asTexts(value.accept),
      maxBytes:
        type === 'file'
          ? Math.round(Number(value.max_mb ?? DEFAULT_PROOF_MB) * BYTES_PER_MB)
          : undefined,
      showWhen: value.show_when === undefined ? undefined : toCondition(value.show_when),
      required:
        value.required === undefined || value.required === false
          ? undefined
          : required === null
            ? { message: readMessage(value.required) }
            : { when: toCondition(required.when), message: readMessage(required.message) },
      min: value.min as number | undefined,
      max: value.max as number | undefined,
      maxLength: value.max_length as number | undefined,
      pattern: readPattern(value),
      from: readDay(value.from, days),
      to: readDay(value.to, days),
      unit: asOptionalText(asMap(value.unit).other ?? value.unit),
      unitOne: asOptionalText(asMap(value.unit).one),
      choose:
        type === 'many' && value.choose !== undefined ? toChoose(asMap(value.choose)) : undefined,
      fields:
        type === 'people'
          ? asList(value.fields)
              .map(asMap)
              .map((part) => toField(part, section, context))
          : undefined,
      link: asOptionalText(value.link),
      version: asOptionalText(value.version),
      roll: asOptionalText(value.in),
    }),
  }
}

function toChoose(choose: PlainMap): Field['choose'] {
  return {
    mutuallyExclusive: asList(choose.mutually_exclusive).map(asTexts),
    message: asOptionalText(choose.message) ?? '',
    ...removeUndefined({
      atLeast: choose.at_least as number | undefined,
      atMost: choose.at_most as number | undefined,
    }),
  }
}

/** Reads a day. `event.from` and `event.to` mean the first and last day of the event. */
function readDay(value: unknown, days: FieldContext['days']): Day | undefined {
  if (value === 'event.from') return days.from
  return value === 'event.to' ? days.to : asOptionalDay(value)
}

/** Returns the pattern that the whole answer must match, from a pattern or the name of a known Indian identifier. */
function readPattern(value: PlainMap): string | undefined {
  const format = asOptionalText(value.format)
  if (format !== undefined) return FORMATS[format as keyof typeof FORMATS]
  const pattern = asOptionalText(value.pattern)
  // An unusable pattern accepts anything; EV519 and EV520 report it, and the file is not served.
  return pattern === undefined || findPatternFault(pattern) !== null
    ? undefined
    : anchorPattern(pattern)
}

/**
 * Turns an id such as `senior-resident` into words. An option that is already written as a label
 * stays unchanged.
 */
const formatIdAsLabel = (id: string): string => (/^[a-z0-9-]+$/.test(id) ? formatIdAsWords(id) : id)
