/**
 * Checks EV201 to EV203 in conditions: fields, context values, options and categories exist.
 *
 * The checks cover conditions on fields of the form and on fields of each person.
 */
import {
  suggestChoice,
  suggestConnective,
  includesEveryone,
} from '../../suggestions/condition-notations.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import type { ConditionAt, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { join } from '../../syntax/source.ts'
import { explainConditionName } from './names-of-conditions.ts'
import { listContextNames, explainUnknownName, findUnknownContextValues } from './context-names.ts'
import { METHOD_NAME } from '../../../rules/pricing-context.ts'
import { reportUnknownNames, type UsedName } from './unknown-names.ts'

const listTests = (form: Model) =>
  form.conditions.flatMap(({ kind, conditionMaps }) =>
    conditionMaps.flatMap((map) => map.tests.map((test) => ({ ...test, kind }))),
  )

/** Returns the constants in a comparison, each with its path. */
export function findConstants(
  raw: unknown,
  path: string,
): readonly { readonly value: unknown; readonly at: string }[] {
  if (Array.isArray(raw)) return raw.map((value: unknown, i) => ({ value, at: join(path, i) }))
  if (typeof raw !== 'object' || raw === null) return [{ value: raw, at: path }]
  const key = (['not', 'has'] as const).find((candidate) => Object.hasOwn(raw, candidate))
  return key === undefined
    ? []
    : findConstants((raw as Readonly<Record<typeof key, unknown>>)[key], join(path, key))
}

/** Reports names in a form's conditions that are neither fields nor context values. `model` covers the whole file. */
export function findUnknownNames(model: Model, form: Model): readonly Draft[] {
  const isForm = form === model
  const ids = form.fields.map(({ id }) => id)
  const hasCategoryRules = model.config.categoryChoice.by === 'rules'
  const usedNames = listTests(form).map(({ field, path, kind }) => ({
    name: field,
    at: path,
    part: 'key' as const,
    kind,
  }))
  const listAllowedNames = (kind: ConditionAt['kind']): readonly string[] => [
    ...ids,
    ...(isForm
      ? listContextNames(model.config).filter(
          (name) => name !== METHOD_NAME || kind === 'adjustment',
        )
      : []),
    ...(kind === 'rule' && hasCategoryRules ? [] : ['category']),
  ]
  const formFieldIds = new Set(model.fields.map(({ id }) => id))
  return [
    ...usedNames
      .filter(({ name, kind }) => name === 'category' && kind === 'rule' && hasCategoryRules)
      .map(({ at }) => ({
        at,
        part: 'key' as const,
        message: 'a category rule cannot depend on the category',
      })),
    ...usedNames
      .filter(({ name }) => name !== 'category')
      .flatMap((entry) =>
        reportUnknownNames(form, [entry], listAllowedNames(entry.kind), (name) =>
          isForm ? explainUnknownName(model, name) : `the list of people has no field \`${name}\``,
        ).map((draft): Draft => {
          const help =
            suggestConnective(draft.at) ??
            (isForm ? explainConditionName(model, entry.name) : null) ??
            (!isForm && formFieldIds.has(entry.name)
              ? `\`${entry.name}\` belongs to the form, not to each person: add it to the list of people too, or move the condition to \`when\` of the item`
              : null)
          return help === null ? draft : { at: draft.at, part: 'key', message: draft.message, help }
        }),
      ),
  ]
}

/** Reports options in a form's conditions that the compared field does not have. */
export function findUnknownOptions(form: Model): readonly Draft[] {
  return listTests(form).flatMap(({ field: id, raw, path }) => {
    const { field } = form.fields.find((field) => field.id === id) ?? {}
    if (field === undefined)
      return findUnknownContextValues(
        form,
        id,
        findConstants(raw, path).flatMap(({ value, at }) =>
          typeof value === 'string' ? [{ name: value, at }] : [],
        ),
      )
    if (field.options === undefined || field.offersCategories === true) return []
    const optionIds = field.options.map((option) => option.id)
    const labels = new Map(
      field.options.map((option) => [option.label.trim().toLowerCase(), option.id]),
    )
    const usedOptions = findConstants(raw, path).flatMap(({ value, at }) =>
      typeof value === 'string' ? [{ name: value, at }] : [],
    )
    return usedOptions.flatMap((entry) =>
      reportUnknownNames(
        form,
        [entry],
        optionIds,
        (name) => `\`${name}\` is not an option of \`${id}\``,
      ).map(({ help, fix, ...draft }) => ({
        ...draft,
        notes: [`options: ${formatList(optionIds)}`],
        ...(fix === undefined && labels.has(entry.name.trim().toLowerCase())
          ? {
              help: `write ${labels.get(entry.name.trim().toLowerCase()) ?? ''}, the id of this option`,
            }
          : explainUnknownOption(id, entry.name, optionIds, help, fix)),
      })),
    )
  })
}

/** Suggests the correct syntax for "pg or faculty", "not pg" and "any", which are not options. */
function explainUnknownOption(
  id: string,
  name: string,
  optionIds: readonly string[],
  help: string | undefined,
  fix: Draft['fix'],
): Pick<Draft, 'help' | 'fix'> {
  const suggestion = suggestChoice(name, optionIds)
  if (suggestion !== null) return { help: `write ${id}: ${suggestion}` }
  if (includesEveryone(name))
    return { help: `remove \`${id}\` from the condition: it excludes no answer` }
  return { ...(help === undefined ? {} : { help }), ...(fix === undefined ? {} : { fix }) }
}

/** Reports categories in a form's conditions that are not declared. */
export function findUnknownCategories(
  form: Model,
  categoryIds: readonly string[],
  toMessage: (name: string) => string,
): readonly Draft[] {
  const categoryFieldIds = new Set(
    form.fields.filter(({ field }) => field.offersCategories === true).map(({ id }) => id),
  )
  const usedCategories = listTests(form)
    .filter(({ field }) => field === 'category' || categoryFieldIds.has(field))
    .flatMap(({ raw, path }) =>
      findConstants(raw, path).flatMap(({ value, at }): UsedName[] =>
        typeof value === 'string' ? [{ name: value, at }] : [],
      ),
    )
  return usedCategories.flatMap((entry) => {
    const suggestion = suggestChoice(entry.name, categoryIds)
    return reportUnknownNames(form, [entry], categoryIds, toMessage).map((draft): Draft =>
      suggestion === null
        ? draft
        : { at: draft.at, part: 'value', message: draft.message, help: `write ${suggestion}` },
    )
  })
}
