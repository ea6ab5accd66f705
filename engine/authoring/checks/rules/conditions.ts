/** Checks EV305 to EV311: conditions can be true and false, and compare values of the right type. */
import type { EventConfig, FieldType } from '../../../event/config.ts'
import type { Condition } from '../../../event/answer-types.ts'
import { memoize } from '../../../lib/memoize.ts'
import { toBoxes, buildDomain, listAllBoxes } from '../../proofs/answer-domain.ts'
import {
  intersect,
  subtract,
  tryWithinBudget,
  MAX_OPERATIONS,
  type Budget,
} from '../../proofs/sets-of-answers.ts'
import { suggestNumber } from '../../suggestions/amount-notations.ts'
import { explainNever } from './why-never-true.ts'
import type { Draft } from '../../finding.ts'
import {
  suggestDayOrAge,
  suggestRange,
  suggestYesNo,
} from '../../suggestions/condition-notations.ts'
import { findNearest } from '../../suggestions/nearest-name.ts'
import { findConstants } from '../names/names-in-conditions.ts'
import { collectForms, type Check, type ConditionAt, type Model } from '../../checked-file.ts'
import { join } from '../../syntax/source.ts'

/** Runs a check on the conditions of the form, and on those of each list of people. */
function checkEachForm(find: Check['find']): Check['find'] {
  return (model) => collectForms(model).flatMap(find)
}

type Proof = { readonly neverTrueMaps: readonly number[]; readonly isAlwaysTrue: boolean }

/**
 * For each condition, finds the maps that can never be true, and whether the condition is always true. All conditions
 * of a file share one budget: if a file has thousands of conditions, only the first few hundred are analysed.
 */
const proveConditions = memoize(
  ({ config, conditions }: Model): ReadonlyMap<ConditionAt, Proof | null> => {
    const budget = { remaining: MAX_OPERATIONS }
    return new Map(
      conditions.map((condition) => [condition, findProof(config, condition.condition, budget)]),
    )
  },
)

function findProof(config: EventConfig, condition: Condition, budget: Budget): Proof | null {
  return tryWithinBudget(() => {
    const domain = buildDomain(config, [condition])
    const boxes = subtract(domain.space, listAllBoxes(domain), domain.impossible, budget)
    const neverTrueMaps = condition.flatMap((map, index) =>
      intersect(domain.space, boxes, toBoxes(domain, [map]), budget).length === 0 ? [index] : [],
    )
    return {
      neverTrueMaps,
      isAlwaysTrue: subtract(domain.space, boxes, toBoxes(domain, condition), budget).length === 0,
    }
  }, null)
}

const neverTrueCheck: Check = {
  slug: 'never-true',
  severity: 'error',
  why: 'If a condition is never true, its field is never shown or its rule never applies.',
  after: ['EV201', 'EV202', 'EV203', 'EV205', 'EV307', 'EV308', 'EV313'],
  find: checkEachForm((form) =>
    form.conditions.flatMap((condition) => {
      const neverTrueIndexes = proveConditions(form).get(condition)?.neverTrueMaps ?? []
      const isNeverTrue = neverTrueIndexes.length === condition.conditionMaps.length
      const message = `${condition.conditionMaps.length > 1 ? 'none of these conditions can ever' : 'this condition can never'} be true`
      if (isNeverTrue && neverTrueIndexes.length > 0)
        return [{ at: condition.path, message, ...explainNever(form, condition.conditionMaps) }]
      return neverTrueIndexes.map((at) => ({
        at: condition.conditionMaps[at]?.path ?? condition.path,
        message: 'this condition can never be true',
        ...explainNever(form, condition.conditionMaps.slice(at, at + 1)),
      }))
    }),
  ),
}

const alwaysTrueCheck: Check = {
  slug: 'always-true',
  severity: 'warning',
  why: 'A condition without effect is probably a mistake.',
  after: ['EV201', 'EV202', 'EV203', 'EV205', 'EV305', 'EV307', 'EV308', 'EV313'],
  find: checkEachForm((form) =>
    form.conditions
      .filter(({ kind }) => kind !== 'rule')
      .flatMap((entry) =>
        proveConditions(form).get(entry)?.isAlwaysTrue === true
          ? [
              {
                at: entry.path,
                message: 'this condition is always true',
                help:
                  entry.kind === 'count'
                    ? `to count every person, write count: ${entry.path.split('.').at(-1) ?? ''}`
                    : 'remove the condition',
              },
            ]
          : [],
      ),
  ),
}

const NUMBER_TEST_KEYS = ['at_least', 'at_most', 'above', 'below']

const wrongComparisonCheck: Check = {
  slug: 'wrong-comparison',
  severity: 'error',
  why: 'Answers are compared by type: the answer `true` is never equal to the text "yes".',
  find: checkEachForm((model) =>
    model.conditions.flatMap(({ conditionMaps }) =>
      conditionMaps.flatMap((map) =>
        map.tests.flatMap(({ field: id, raw, path }): readonly Draft[] => {
          const type =
            id === 'category' ? 'select' : model.fields.find((field) => field.id === id)?.field.type
          if (type === undefined) return []
          const keys =
            typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? Object.keys(raw) : []
          const kinds = new Set(
            keys.map((key) =>
              NUMBER_TEST_KEYS.includes(key)
                ? 'number'
                : key === 'from' || key === 'to'
                  ? 'date'
                  : key,
            ),
          )
          if (kinds.size > 1)
            return [
              {
                at: path,
                message: `${[...keys].join(' and ')} cannot be combined in one test`,
                help: 'write two conditions',
              },
            ]
          if (kinds.has('number') && type !== 'number')
            return [
              {
                at: path,
                message: `\`${id}\` is ${addArticle(type)} field; at_least, at_most, above and below compare numbers`,
                ...(type === 'people' || type === 'many'
                  ? {
                      help: `to test their number, write {${id}: {count: ${describeTest(raw)}}}`,
                    }
                  : type === 'date'
                    ? { help: `to compare an age, write {${id}: {age: ${describeTest(raw)}}}` }
                    : {}),
              },
            ]
          if (kinds.has('age') && type !== 'date')
            return [
              {
                at: path,
                message: `\`${id}\` is ${addArticle(type)} field; age is computed from a date of birth`,
                help:
                  type === 'number'
                    ? `compare the number itself: {${id}: ${describeTest((raw as { readonly age: unknown }).age)}}`
                    : type === 'people'
                      ? `a condition tests how many people there are, {${id}: {count: {at_least: 1}}}; an item counts some of them with count: {${id}: {age: …}}`
                      : 'use a date field that asks for the date of birth',
              },
            ]
          if (kinds.has('date') && type !== 'date')
            return [
              {
                at: path,
                message: `\`${id}\` is ${addArticle(type)} field; from and to compare dates`,
              },
            ]
          const listMessage = explainListTest(model, id, type, kinds, raw)
          if (listMessage !== null) return [{ at: path, ...listMessage }]
          return findConstants(raw, path).flatMap(({ value, at }) =>
            checkComparedValue(model, id, type, value, at),
          )
        }),
      ),
    ),
  ),
}

/** Prefixes a field type with its article: `a number`, `an email`. */
const addArticle = (type: string): string => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

/** Explains why a list test (`has`, `count`) cannot test one value, or why a list cannot equal one value. */
function explainListTest(
  model: Model,
  id: string,
  type: string,
  kinds: ReadonlySet<string>,
  raw: unknown,
): Pick<Draft, 'message' | 'help'> | null {
  const values = findConstants(raw, '').map(({ value }) => value)
  const valueText = values.length === 1 ? String(values[0]) : `[${values.map(String).join(', ')}]`
  if (kinds.has('has') && type !== 'many')
    return {
      message: `\`${id}\` is ${addArticle(type)} field; has tests the ticked options of a field of type many`,
      help: type === 'people' ? suggestCount(id, 1) : `write {${id}: ${valueText}}`,
    }
  if (kinds.has('count') && type !== 'many' && type !== 'people')
    return {
      message: `\`${id}\` is ${addArticle(type)} field; count tests the number of ticked options or of people`,
      help:
        type === 'number'
          ? `compare the number itself, such as {${id}: {at_least: 1}}`
          : `write {${id}: {answered: true}}, or the intended answer`,
    }
  if (values.length === 0 || kinds.has('has')) return null
  if (type === 'people') {
    const [singleValue] = values
    return {
      message: `\`${id}\` is a list of people; it never equals a single value`,
      help:
        singleValue === false
          ? `write {${id}: {answered: false}}`
          : suggestCount(id, typeof singleValue === 'number' ? singleValue : 1),
    }
  }
  if (type !== 'many') return null
  const options = model.fields.find((field) => field.id === id)?.field.options ?? []
  const isOption = values.every((value) => options.some((option) => option.id === value))
  return {
    message: `\`${id}\` is a list of ticked options; it never equals a single value`,
    help: kinds.has('not')
      ? `test the ticked options instead, such as {${id}: {has: ${options[0]?.id ?? valueText}}}`
      : isOption
        ? `write {${id}: {has: ${valueText}}}`
        : typeof values[0] === 'number'
          ? suggestCount(id, values[0])
          : `write {${id}: {has: …}} with its options, or {${id}: {answered: ${values[0] === false ? 'false' : 'true'}}}`,
  }
}

/** Formats a test as in an event file: `{at_least: 4}`. */
function describeTest(raw: unknown): string {
  return `{${Object.entries(raw ?? {})
    .map(([key, value]) => `${key}: ${String(value)}`)
    .join(', ')}}`
}

const suggestCount = (id: string, min: number): string =>
  min === 0 ? `write {${id}: {count: {at_most: 0}}}` : `write {${id}: {count: {at_least: ${min}}}}`

function checkComparedValue(
  model: Model,
  id: string,
  type: string,
  value: unknown,
  at: string,
): readonly Draft[] {
  const span = model.source.getScalar(at)?.span
  const fix = (text: string) =>
    span === undefined ? {} : { fix: { start: span[0], end: span[1], text } }
  const valueText = `${typeof value === 'string' ? 'the text' : typeof value === 'number' ? 'the number' : 'the yes/no value'} \`${String(value)}\``
  const message = `\`${id}\` is ${addArticle(type)} field; it never equals ${valueText}`
  if (type === 'consent' && value === false)
    return [
      {
        at,
        message,
        help: `an unticked box has no answer: write {${id}: {answered: false}}`,
      },
    ]
  if (type === 'yes-no' || type === 'consent') {
    if (typeof value === 'boolean') return []
    const suggestion = suggestYesNo(value)
    return [
      {
        at,
        message,
        ...(suggestion === null
          ? { help: 'write `true` or `false`' }
          : { help: `write \`${suggestion}\``, ...fix(suggestion) }),
      },
    ]
  }
  if (type === 'number')
    return typeof value === 'number'
      ? []
      : [
          {
            at,
            message,
            help: `write ${suggestRange(String(value)) ?? suggestNumber(String(value)) ?? 'a number'}`,
          },
        ]
  if (typeof value === 'string')
    return type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(value)
      ? [{ at, message, help: suggestDayOrAge(id, value) }]
      : []
  const optionIds =
    model.fields.find((field) => field.id === id)?.field.options?.map((option) => option.id) ?? []
  const nearest = findNearest(String(value), optionIds)
  const quotedText = JSON.stringify(model.source.getScalar(at)?.text ?? String(value))
  return [
    {
      at,
      message,
      help: nearest === null ? `write ${quotedText} to compare the text` : `write ${nearest.name}`,
    },
  ]
}

const visibilityCycleCheck: Check = {
  slug: 'visibility-cycle',
  severity: 'error',
  why: 'The condition of a field cannot depend on the field itself.',
  after: ['EV201', 'EV206'],
  find: (model) => {
    const { config } = model
    const fieldsById = new Map(config.fields.map((field) => [field.id, field]))
    const listConditionFields = memoize((id: string): readonly string[] => {
      const choice = config.categoryChoice
      if (id === 'category')
        return choice.by === 'field'
          ? [choice.field]
          : choice.rules.flatMap(({ when }) => (when ?? []).flat().map(({ field }) => field))
      const field = fieldsById.get(id)
      return field === undefined
        ? []
        : [...(field.showWhen ?? []), ...(config.sections[field.section]?.showWhen ?? [])]
            .flat()
            .map(({ field }) => field)
    })
    // Visits each field once (breadth first), because fields that all refer to each other have too many paths.
    const findCycle = (id: string): readonly string[] | null => {
      const referredBy = new Map<string, string | null>([[id, null]])
      const findPath = (fieldId: string | null): readonly string[] =>
        fieldId === null ? [] : [...findPath(referredBy.get(fieldId) ?? null), fieldId]
      for (const fieldId of referredBy.keys())
        for (const next of listConditionFields(fieldId)) {
          if (next === id) return [...findPath(fieldId), id]
          if (!referredBy.has(next)) referredBy.set(next, fieldId)
        }
      return null
    }
    const reportedFields = new Set<string>()
    return model.fields.flatMap(({ id, path, raw }): Draft[] => {
      const cycle = reportedFields.has(id) ? null : findCycle(id)
      if (cycle === null) return []
      for (const fieldId of cycle) reportedFields.add(fieldId)
      const parent = path.split('.').slice(0, 3).join('.')
      return [
        {
          at: raw.show_when === undefined ? join(parent, 'show_when') : join(path, 'show_when'),
          message: `whether \`${id}\` is shown depends on itself`,
          notes: [cycle.join(' → ')],
        },
      ]
    })
  },
}

/** States for each field type whether its answers are free text, with no fixed spelling. */
const IS_FREE_TEXT: Readonly<Record<FieldType, boolean>> = {
  text: true,
  multiline: true,
  email: true,
  phone: true,
  number: false,
  date: false,
  'yes-no': false,
  select: false,
  file: true,
  many: false,
  people: false,
  consent: false,
}

const comparesFreeTextCheck: Check = {
  slug: 'compares-free-text',
  severity: 'warning',
  why: 'Delegates spell the same name in several ways, but a condition on free text matches only one spelling.',
  after: ['EV201', 'EV213', 'EV307'],
  find: checkEachForm((model) =>
    model.conditions.flatMap(({ conditionMaps }) =>
      conditionMaps.flatMap((map) =>
        map.tests.flatMap(({ field: id, raw, path }) => {
          const type = model.fields.find((field) => field.id === id)?.field.type
          if (type === undefined || !IS_FREE_TEXT[type]) return []
          return findConstants(raw, path).map(({ value, at }) => ({
            at,
            message: `\`${id}\` is free text; comparing it with \`${String(value)}\` fails on any other spelling`,
            help: 'use a select field',
          }))
        }),
      ),
    ),
  ),
}

export const conditionChecks = {
  EV305: neverTrueCheck,
  EV306: alwaysTrueCheck,
  EV307: wrongComparisonCheck,
  EV308: visibilityCycleCheck,
  EV311: comparesFreeTextCheck,
}
