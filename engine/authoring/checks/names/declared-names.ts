/** Checks EV2xx: every name that is used is declared and is of the required kind. */
import { suggestName } from '../../suggestions/nearest-name.ts'
import { buildSalesColumns } from '../../../reports/sales-columns.ts'
import { ENGINE_VALUES, EVENT_VALUES, LIST_VALUES } from '../../../event/built-in-values.ts'
import { collectForms, listStoredIds } from '../../checked-file.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { join } from '../../syntax/source.ts'
import {
  findUnknownCategories,
  findUnknownNames,
  findUnknownOptions,
} from './names-in-conditions.ts'
import {
  listGrantedCategories,
  listItemColumns,
  findUnknownFields,
  findUnknownItemOptions,
} from './names-in-items.ts'
import { listPriceTables } from './price-tables.ts'
import { reportUnknownNames, type UsedName } from './unknown-names.ts'

const unknownFieldCheck: Check = {
  slug: 'unknown-field',
  severity: 'error',
  why: 'A condition on a field that does not exist is never true, and no error is shown.',
  find: (model) => {
    const ids = model.fields.map(({ id }) => id)
    const choiceFieldId = model.file.category.chosen_in
    return [
      ...collectForms(model).flatMap((form) => findUnknownNames(model, form)),
      ...findUnknownFields(model),
      ...(choiceFieldId === undefined
        ? []
        : reportUnknownNames(
            model,
            [{ name: choiceFieldId, at: 'category.chosen_in' }],
            ids,
            (name) => `there is no field \`${name}\``,
          )),
    ]
  },
}

const unknownOptionCheck: Check = {
  slug: 'unknown-option',
  severity: 'error',
  why: 'A comparison with an option that does not exist is never true.',
  find: (model) => [
    ...findUnknownItemOptions(model),
    ...findUnknownExclusiveOptions(model),
    ...collectForms(model).flatMap(findUnknownOptions),
  ],
}

/** Reports options in `choose` groups that the field does not have. */
function findUnknownExclusiveOptions(model: Model): readonly Draft[] {
  return model.fields.flatMap(({ id, raw, path, field }) => {
    const optionIds = (field.options ?? []).map((option) => option.id)
    return (raw.choose?.mutually_exclusive ?? []).flatMap((group, index) =>
      reportUnknownNames(
        model,
        group.map((name, i) => ({ name, at: `${path}.choose.mutually_exclusive.${index}.${i}` })),
        optionIds,
        (name) => `\`${name}\` is not an option of \`${id}\``,
      ),
    )
  })
}

const unknownCategoryCheck: Check = {
  slug: 'unknown-category',
  severity: 'error',
  why: 'An undeclared category has no label and no price, and no delegate can belong to it.',
  find: (model) => {
    const { file } = model
    const categoryIds = file.categories.map(({ id }) => id)
    const ruleCategories = (file.category.rules ?? []).flatMap((rule, index): UsedName[] =>
      rule.otherwise === undefined
        ? [{ name: rule.then ?? '', at: `category.rules.${index}.then` }]
        : [{ name: rule.otherwise, at: `category.rules.${index}.otherwise` }],
    )
    const rowCategories = listPriceTables(model).flatMap(({ path, rows: own }) =>
      Object.keys(own)
        .filter((name) => name !== 'period')
        .map((name): UsedName => ({ name, at: `${path}.${name}`, part: 'key' })),
    )
    const expectedCategories = (file.examples?.cases ?? []).flatMap(
      ({ expect, category }, index): UsedName[] => [
        ...(expect.category === undefined
          ? []
          : [{ name: expect.category, at: `examples.cases.${index}.expect.category` }]),
        ...(category === undefined
          ? []
          : [{ name: category, at: `examples.cases.${index}.category` }]),
      ],
    )
    const toMessage = (name: string): string => `there is no category \`${name}\``
    return [
      ...reportUnknownNames(
        model,
        [
          ...ruleCategories,
          ...rowCategories,
          ...listGrantedCategories(model),
          ...expectedCategories,
        ],
        categoryIds,
        toMessage,
      ),
      ...collectForms(model).flatMap((form) => findUnknownCategories(form, categoryIds, toMessage)),
    ]
  },
}

const unknownPeriodCheck: Check = {
  slug: 'unknown-period',
  severity: 'error',
  why: 'Prices in the column of an undeclared period are never charged.',
  find: (model) => {
    const { fees, examples } = model.file
    const periodIds = fees.periods.map(({ id }) => id)
    const columns = listPriceTableColumns(model).map((name, index): UsedName => ({
      name,
      at: `fees.prices.period.${index}`,
    }))
    const otherDatesPeriods =
      fees.other_dates === undefined || fees.other_dates === 'closed'
        ? []
        : [{ name: fees.other_dates, at: 'fees.other_dates' }]
    const expectedPeriods = (examples?.cases ?? []).flatMap(({ expect }, index): UsedName[] =>
      expect.period === undefined
        ? []
        : [{ name: expect.period, at: `examples.cases.${index}.expect.period` }],
    )
    const toMessage = (name: string): string => `there is no period \`${name}\``
    const toHelp = (name: string): string =>
      `write one of these periods, or add \`${name}\` and its days to \`periods\``
    const groupFindings = (fees.price_groups ?? []).flatMap(({ periods, prices }, index) =>
      reportUnknownNames(
        model,
        (prices.period ?? []).map((name, i): UsedName => ({
          name: String(name),
          at: `fees.price_groups.${index}.prices.period.${i}`,
        })),
        periods.map(({ id }) => id),
        toMessage,
        toHelp,
      ),
    )
    const itemFindings = (fees.items ?? []).flatMap(({ periods }, index) =>
      periods === undefined
        ? []
        : reportUnknownNames(
            model,
            listItemColumns(model, true, index),
            periods.map(({ id }) => id),
            toMessage,
            toHelp,
          ),
    )
    const eventFindings = reportUnknownNames(
      model,
      [...columns, ...listItemColumns(model, false), ...otherDatesPeriods],
      periodIds,
      toMessage,
      toHelp,
    )
    const allPeriodIds = [
      ...periodIds,
      ...(fees.price_groups ?? []).flatMap(({ periods }) => periods.map(({ id }) => id)),
    ]
    return [
      ...eventFindings,
      ...reportUnknownNames(model, expectedPeriods, allPeriodIds, toMessage, toHelp),
      ...groupFindings,
      ...itemFindings,
    ]
  },
}

/** Returns the names in the first row of the price table. */
export function listPriceTableColumns({ file }: Model): readonly string[] {
  return (file.fees.prices?.period ?? []).map(String)
}

const unknownSharedCheck: Check = {
  slug: 'unknown-shared',
  severity: 'error',
  why: 'A list or gateway must be defined before it can be used.',
  find: (model) => {
    const lists = ['categories', ...Object.keys(model.lists.lists)]
    const usedLists = model.fields.flatMap(({ raw, path }): UsedName[] =>
      typeof raw.options === 'string' ? [{ name: raw.options, at: `${path}.options` }] : [],
    )
    const listAsOption = model.fields.flatMap(({ raw, path }): Draft[] =>
      Array.isArray(raw.options) &&
      raw.options.length === 1 &&
      typeof raw.options[0] === 'string' &&
      lists.includes(raw.options[0])
        ? [
            {
              at: `${path}.options`,
              message: `\`${raw.options[0]}\` is the name of an option list, but is written here as the only option`,
              help: `write options: ${raw.options[0]}`,
            },
          ]
        : [],
    )
    const usedGateways = listUsedGateways(model)
    return [
      ...listAsOption,
      ...reportUnknownNames(
        model,
        usedLists,
        lists,
        (name) => `there is no option list \`${name}\``,
      ).map((draft) => ({
        ...draft,
        related: [
          {
            at: 'lists',
            part: 'key' as const,
            in: 'lists' as const,
            message: 'the option lists are declared here',
          },
        ],
      })),
      ...reportUnknownNames(
        model,
        usedGateways,
        Object.keys(model.gateways.gateways),
        (name) => `there is no gateway \`${name}\``,
      ).map((draft) => ({
        ...draft,
        related: [
          {
            at: 'gateways',
            part: 'key' as const,
            in: 'gateways' as const,
            message: 'the gateways are declared here',
          },
        ],
      })),
    ]
  },
}

/** Returns the gateways that the file uses under `payment` or in one of its methods. */
function listUsedGateways({ file: { payment } }: Model): readonly UsedName[] {
  if (typeof payment !== 'object') return []
  const toUsedNames = (gateway: string | undefined, at: string): readonly UsedName[] =>
    gateway === undefined ? [] : [{ name: gateway, at }]
  return [
    ...toUsedNames(payment.gateway, 'payment.gateway'),
    ...(payment.methods ?? []).flatMap(({ gateway }, index) =>
      toUsedNames(gateway, `payment.methods.${index}.gateway`),
    ),
  ]
}

const unknownValueCheck: Check = {
  slug: 'unknown-value',
  severity: 'error',
  why: 'A column, row or filter for a value that is not stored is always empty.',
  find: (model) => {
    const { file, config } = model
    const storedIds = listStoredIds(model)
    const rowValues = [...storedIds, ...ENGINE_VALUES, ...EVENT_VALUES]
    const salesColumnIds = buildSalesColumns(config).map(({ id }) => id)
    const columnValues = [...storedIds, ...LIST_VALUES, ...salesColumnIds]
    const filterValues = [
      'search',
      'date_from',
      'date_to',
      'payment_status',
      'category',
      'period',
      ...storedIds,
    ]
    const details = (['success', 'failed'] as const).flatMap((page) =>
      file.results[page].details.flatMap((detail, index): UsedName[] => {
        const path = `results.${page}.details.${index}`
        if (typeof detail === 'string') return [{ name: detail, at: path }]
        return detail.show === undefined ? [] : [{ name: detail.show, at: `${path}.show` }]
      }),
    )
    const wireNames = (['sends', 'returns'] as const).flatMap((direction) =>
      Object.entries(file.api?.[direction] ?? {}).map(([wire, name]): UsedName => ({
        name,
        at: `api.${direction}.${wire}`,
      })),
    )
    const lists = (file.admin?.lists ?? []).map((list, index) => ({
      list,
      path: `admin.lists.${index}`,
    }))
    const columns = lists.flatMap(({ list, path }) =>
      list.columns.map((name, index): UsedName => ({ name, at: `${path}.columns.${index}` })),
    )
    const filters = lists.flatMap(({ list, path }) =>
      (list.filters ?? []).map((filter, index): UsedName =>
        typeof filter === 'string'
          ? { name: filter, at: `${path}.filters.${index}` }
          : { name: filter.show, at: `${path}.filters.${index}.show` },
      ),
    )
    const toMessage = (name: string): string => `there is no field or value \`${name}\``
    return [
      ...reportUnknownNames(model, details, rowValues, toMessage),
      ...reportUnknownNames(model, wireNames, [...storedIds, ...ENGINE_VALUES], toMessage),
      ...reportUnknownNames(model, columns, columnValues, toMessage),
      ...reportUnknownNames(model, filters, filterValues, toMessage),
    ]
  },
}

const demoPathCheck: Check = {
  slug: 'demo-path',
  severity: 'error',
  why: 'A placeholder value that cannot be found cannot be replaced before the event goes live.',
  find: (model) =>
    (model.file.demo ?? []).flatMap((path, index): Draft[] => {
      if (model.source.has(path)) return []
      const parent = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : ''
      const siblingPaths = listChildren(model.file, parent).map((key) => join(parent, key))
      const { start, end } = model.source.place(`demo.${index}`)
      return [
        {
          at: `demo.${index}`,
          message: `there is no \`${path}\` in this file`,
          ...suggestName(path, siblingPaths, [start.offset, end.offset]),
        },
      ]
    }),
}

function listChildren(file: unknown, path: string): readonly string[] {
  const parentValue = (path === '' ? [] : path.split('.')).reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    file,
  )
  return typeof parentValue === 'object' && parentValue !== null ? Object.keys(parentValue) : []
}

export const declaredNameChecks = {
  EV201: unknownFieldCheck,
  EV202: unknownOptionCheck,
  EV203: unknownCategoryCheck,
  EV204: unknownPeriodCheck,
  EV205: unknownSharedCheck,
  EV207: unknownValueCheck,
  EV212: demoPathCheck,
}
