/** Compiles the form: categories, options and fields, with the default texts of `_shared/texts.yaml`. */
import type { Category, Field, FieldType, Option } from '../../event/config.ts'
import type { Scalar } from '../../event/answer-types.ts'
import { formatIdAsWords } from '../../event/placeholders-and-answer-texts.ts'
import { BYTES_PER_MB, FIELD_TYPE, PROOF_MB, YES_NO_AS } from '../../event/defaults.ts'
import { findPatternFault, anchorPattern } from '../schema/answer-pattern.ts'
import { toCondition } from './conditions.ts'
import {
  removeUndefined,
  list,
  map,
  optionalText,
  optionalDay,
  text,
  texts,
  type PlainMap,
  type PlainShared,
} from './read-checked-values.ts'
import { FORMATS } from '../../event/identifier-patterns.ts'
import { readCurrency } from '../../lib/money.ts'
import type { Day } from '../../lib/time.ts'

export function toCategory(value: PlainMap): Category {
  return {
    id: text(value.id),
    label: optionalText(value.label) ?? formatIdAsWords(text(value.id)),
    listedOnly: value.listed_only === true,
    ...removeUndefined({
      about: optionalText(value.about),
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
  return list(typeof value === 'string' ? map(lists.lists)[value] : value).map((option) =>
    typeof option === 'object' && option !== null
      ? {
          id: text(map(option).id),
          label: optionalText(map(option).label) ?? idAsWords(text(map(option).id)),
        }
      : { id: text(option), label: idAsWords(text(option)) },
  )
}

/** The key of `form.invalid` with the message for a malformed answer. */
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

/** What fields refer to: categories, shared texts and lists, and the days of the event. */
export type FieldContext = {
  readonly categories: readonly Category[]
  readonly shared: PlainShared
  readonly days: { readonly from: Day; readonly to: Day }
}

export function toField(value: PlainMap, section: number, around: FieldContext): Field {
  const { categories, shared, days } = around
  const type = (value.type as FieldType | undefined) ?? FIELD_TYPE
  const invalid = map(map(shared.texts.form).invalid)
  const required =
    typeof value.required === 'object' && value.required !== null ? map(value.required) : null
  const message = (raw: unknown): string =>
    typeof raw === 'string' ? raw : text(map(shared.texts.form).required)
  return {
    id: text(value.id),
    type,
    label: text(value.label),
    section,
    ignoreCase: value.ignore_case === true,
    invalid: optionalText(value.invalid) ?? optionalText(invalid[INVALID_TEXTS[type]]) ?? '',
    check: value.check !== false,
    ...removeUndefined({
      as: (value.as as Field['as']) ?? (type === 'yes-no' ? YES_NO_AS : undefined),
      hint: optionalText(value.hint),
      options:
        type === 'select' || type === 'many'
          ? toOptions(value.options, categories, shared.lists)
          : undefined,
      offersCategories: value.options === 'categories' ? true : undefined,
      default: value.default as Scalar | undefined,
      accept: value.accept === undefined ? undefined : texts(value.accept),
      bytesMax:
        type === 'file' ? Math.round(Number(value.max_mb ?? PROOF_MB) * BYTES_PER_MB) : undefined,
      showWhen: value.show_when === undefined ? undefined : toCondition(value.show_when),
      required:
        value.required === undefined || value.required === false
          ? undefined
          : required === null
            ? { message: message(value.required) }
            : { when: toCondition(required.when), message: message(required.message) },
      min: value.min as number | undefined,
      max: value.max as number | undefined,
      lengthMax: value.max_length as number | undefined,
      pattern: readPattern(value),
      from: readDay(value.from, days),
      to: readDay(value.to, days),
      unit: optionalText(map(value.unit).other ?? value.unit),
      unitOne: optionalText(map(value.unit).one),
      choose:
        type === 'many' && value.choose !== undefined ? toChoose(map(value.choose)) : undefined,
      fields:
        type === 'people'
          ? list(value.fields)
              .map(map)
              .map((part) => toField(part, section, around))
          : undefined,
      link: optionalText(value.link),
      version: optionalText(value.version),
      roll: optionalText(value.in),
    }),
  }
}

function toChoose(choose: PlainMap): Field['choose'] {
  return {
    mutuallyExclusive: list(choose.mutually_exclusive).map(texts),
    message: optionalText(choose.message) ?? '',
    ...removeUndefined({
      atLeast: choose.at_least as number | undefined,
      atMost: choose.at_most as number | undefined,
    }),
  }
}

/** Reads a day, or the first or last day of the event. */
function readDay(value: unknown, days: FieldContext['days']): Day | undefined {
  if (value === 'event.from') return days.from
  return value === 'event.to' ? days.to : optionalDay(value)
}

/** Reads a pattern, or the name of a known Indian identifier; both match the whole answer. */
function readPattern(value: PlainMap): string | undefined {
  const format = optionalText(value.format)
  if (format !== undefined) return FORMATS[format as keyof typeof FORMATS]
  const pattern = optionalText(value.pattern)
  // An unusable pattern accepts anything; EV519 and EV520 report it, and the file is not served.
  return pattern === undefined || findPatternFault(pattern) !== null
    ? undefined
    : anchorPattern(pattern)
}

/** Turns an id such as `senior-resident` into words; an option written as a label stays unchanged. */
const idAsWords = (id: string): string => (/^[a-z0-9-]+$/.test(id) ? formatIdAsWords(id) : id)
