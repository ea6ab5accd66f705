/** Checks EV216 to EV219, and EV201 to EV204, for names in items, quotas, codes, lists and restrictions. */
import type { FieldType } from '../../../event/config.ts'
import { EACH_ROW } from '../../../pricing/bill.ts'
import { REGISTRATION_LINE_ID } from '../../../event/pricing-types.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import { join } from '../../syntax/source.ts'
import { reportUnknownNames, type UsedName } from './unknown-names.ts'
import { listItemTables, listTableColumns } from './item-tables.ts'

type FieldUse = UsedName & { readonly types: readonly FieldType[]; readonly key: string }

/** Returns each use of a field name outside conditions, with the field types that are allowed there. */
function listFieldUses({ file }: Model): readonly FieldUse[] {
  const uses: FieldUse[] = []
  const add = (
    name: string | undefined,
    at: string,
    key: string,
    types: readonly FieldType[],
    part: 'key' | 'value' = 'value',
  ): void => {
    if (name !== undefined) uses.push({ name, at, key, types, part })
  }
  ;(file.fees.items ?? []).forEach((item, i) => {
    const path = `fees.items.${i}`
    add(item.by, `${path}.by`, 'by', ['select', 'many'])
    if (typeof item.count === 'object') {
      const [peopleField = ''] = Object.keys(item.count)
      add(peopleField, `${path}.count.${peopleField}`, 'count with a condition', ['people'], 'key')
    } else add(item.count, `${path}.count`, 'count', ['number', 'people'])
    add(item.times, `${path}.times`, 'times', ['number'])
    add(item.amount_in, `${path}.amount_in`, 'amount_in', ['number'])
  })
  ;(file.quotas ?? []).forEach((quota, i) => {
    add(quota.each_option_of, `quotas.${i}.each_option_of`, 'each_option_of', ['select', 'many'])
    add(quota.count, `quotas.${i}.count`, 'count', ['number', 'people'])
  })
  ;(file.unique ?? []).forEach((unique, i) =>
    unique.fields.forEach((name, index) =>
      add(name, `unique.${i}.fields.${index}`, 'unique', [
        'text',
        'email',
        'phone',
        'number',
        'date',
        'select',
      ]),
    ),
  )
  ;(file.edit?.fields ?? []).forEach((name, index) =>
    add(name, `edit.fields.${index}`, 'edit', EDITABLE_TYPES),
  )
  ;(file.approval ?? []).forEach((rule, i) =>
    rule.documents.forEach((name, index) =>
      add(name, `approval.${i}.documents.${index}`, 'documents', ['file']),
    ),
  )
  return uses
}

/** Types of fields that delegates may edit: all except lists of people and consent. */
const EDITABLE_TYPES: readonly FieldType[] = [
  'text',
  'multiline',
  'email',
  'phone',
  'number',
  'date',
  'yes-no',
  'select',
  'many',
  'file',
]

/** Reports unknown fields in items, quotas, unique answers, edits and approvals. */
export function findUnknownFields(model: Model): readonly Draft[] {
  return reportUnknownNames(
    model,
    listFieldUses(model),
    model.fields.map(({ id }) => id),
    (name) => `there is no field \`${name}\``,
  )
}

/** Reports unknown options in item tables and quotas. */
export function findUnknownItemOptions(model: Model): readonly Draft[] {
  const { config, file } = model
  const listOptions = (field: string | undefined): readonly string[] | null =>
    config.fields.find(({ id }) => id === field)?.options?.map(({ id }) => id) ?? null
  const rowFindings = listItemTables(model).flatMap(
    ({ item, path, rows: table }): readonly Draft[] => {
      const rowIds = item.by === undefined ? [EACH_ROW] : listOptions(item.by)
      const usedNames = Object.keys(table)
        .filter((row) => row !== 'period')
        .map((name): UsedName => ({ name, at: join(path, name), part: 'key' }))
      return rowIds === null
        ? []
        : reportUnknownNames(model, usedNames, rowIds, (name) =>
            item.by === undefined
              ? `\`${name}\` is not a row here: without \`by\` the only row is \`each\``
              : `\`${name}\` is not an option of \`${item.by}\``,
          )
    },
  )
  const quotaFindings = (file.quotas ?? []).flatMap(({ each_option_of: by, max }, index) =>
    typeof max === 'number' || by === undefined
      ? []
      : reportUnknownNames(
          model,
          Object.keys(max).map((name): UsedName => ({
            name,
            at: `quotas.${index}.max.${name}`,
            part: 'key',
          })),
          listOptions(by) ?? Object.keys(max),
          (name) => `\`${name}\` is not an option of \`${by}\``,
        ),
  )
  return [...rowFindings, ...quotaFindings]
}

/** Returns the categories that discount codes give, and that full quotas and refused approvals offer. */
export function listGrantedCategories({ file }: Model): readonly UsedName[] {
  return [
    ...(file.codes?.kinds ?? []).flatMap(({ gives }, index): UsedName[] =>
      gives.category === undefined
        ? []
        : [{ name: gives.category, at: `codes.kinds.${index}.gives.category` }],
    ),
    ...(file.quotas ?? []).flatMap(({ full }, index): UsedName[] =>
      typeof full === 'string' || full.offer === undefined
        ? []
        : [{ name: full.offer, at: `quotas.${index}.full.offer` }],
    ),
    ...(file.approval ?? []).flatMap(({ if_refused: refused }, index): UsedName[] =>
      refused?.offer === undefined
        ? []
        : [{ name: refused.offer, at: `approval.${index}.if_refused.offer` }],
    ),
  ]
}

/**
 * Returns the periods named in the columns of item tables. `hasOwnPeriods` selects the items that have their own
 * periods, or those that do not; `onlyItemIndex` selects one item.
 */
export function listItemColumns(
  model: Model,
  hasOwnPeriods: boolean,
  onlyItemIndex?: number,
): readonly UsedName[] {
  const tables = listItemTables(model).filter(
    ({ item, itemIndex }) =>
      (item.periods !== undefined) === hasOwnPeriods &&
      (onlyItemIndex === undefined || onlyItemIndex === itemIndex),
  )
  return tables.flatMap((table) =>
    listTableColumns(table).map((name, i): UsedName => ({ name, at: `${table.path}.period.${i}` })),
  )
}

const wrongFieldCheck: Check = {
  slug: 'wrong-field',
  severity: 'error',
  why: 'A number or a list of people can set the quantity of an item, and options can select the item. Other answers cannot be charged.',
  after: ['EV201'],
  find: (model) =>
    listFieldUses(model).flatMap(({ name, at, key, types, part = 'value' }): Draft[] => {
      const type = model.fields.find(({ id }) => id === name)?.field.type
      return type === undefined || types.includes(type)
        ? []
        : [
            {
              at,
              part,
              message: `${key} needs a field of type ${formatList(types, 6, ' or ')}; \`${name}\` is of type ${type}`,
              ...suggestNumberField(model, name, types),
              related: model.fields
                .filter(({ id }) => id === name)
                .map(({ path }) => ({ at: `${path}.id`, message: 'declared here' })),
            },
          ]
    }),
}

/** Suggests a number field with the same bounds if the counted field is a select of numbers. */
function suggestNumberField(
  model: Model,
  name: string,
  types: readonly FieldType[],
): { help?: string } {
  const { type, options = [] } = model.config.fields.find(({ id }) => id === name) ?? {}
  const numbers = options.map(({ id }) => Number(id))
  return type !== 'select' ||
    !types.includes('number') ||
    numbers.length === 0 ||
    !numbers.every(Number.isInteger)
    ? {}
    : {
        help: `write type: number, min: ${Math.min(...numbers)}, max: ${Math.max(...numbers)} instead of the options`,
      }
}

const unknownLineCheck: Check = {
  slug: 'unknown-line',
  severity: 'error',
  why: 'An adjustment to a line that does not exist changes nothing, and no error is shown.',
  find: (model) => {
    const { fees, codes } = model.file
    const items = (fees.items ?? []).map(({ id }) => id)
    const adjustedLines = (fees.adjustments ?? []).flatMap(({ on: name }, index): UsedName[] =>
      name === undefined ? [] : [{ name, at: `fees.adjustments.${index}.on` }],
    )
    const grantedAdjustments = (codes?.kinds ?? []).flatMap(({ gives }, index): UsedName[] =>
      gives.adjustment === undefined
        ? []
        : [{ name: gives.adjustment, at: `codes.kinds.${index}.gives.adjustment` }],
    )
    const expectedLines = (model.file.examples?.cases ?? []).flatMap(({ expect }, index) =>
      Object.keys(expect.lines ?? {}).map((name): UsedName => ({
        name,
        at: `examples.cases.${index}.expect.lines.${name}`,
        part: 'key',
      })),
    )
    const adjustments = (fees.adjustments ?? []).map(({ id }) => id)
    return [
      ...reportUnknownNames(
        model,
        adjustedLines,
        [REGISTRATION_LINE_ID, 'all', ...items],
        (name) => `there is no item \`${name}\``,
      ),
      ...reportUnknownNames(
        model,
        grantedAdjustments,
        adjustments,
        (name) => `there is no adjustment \`${name}\``,
      ),
      ...reportUnknownNames(
        model,
        expectedLines,
        [REGISTRATION_LINE_ID, ...items, ...adjustments],
        (name) => `there is no line \`${name}\``,
      ),
    ]
  },
}

const unknownMemberListCheck: Check = {
  slug: 'unknown-member-list',
  severity: 'error',
  why: 'If the member list does not exist, every delegate’s answer is rejected.',
  find: (model) => {
    const memberLists = model.file.member_lists ?? {}
    const listIds = Object.keys(memberLists)
    const usedLists = model.fields.flatMap(({ raw, path }): UsedName[] =>
      raw.in === undefined ? [] : [{ name: raw.in, at: `${path}.in` }],
    )
    const columnFindings = Object.entries(memberLists).flatMap(([id, memberList]) =>
      reportUnknownNames(
        model,
        [
          { name: memberList.key, at: `member_lists.${id}.key` },
          ...(memberList.shows ?? []).map((name, index): UsedName => ({
            name,
            at: `member_lists.${id}.shows.${index}`,
          })),
        ],
        Object.keys(memberList.columns),
        (name) => `the member list \`${id}\` has no column \`${name}\``,
      ),
    )
    return [
      ...reportUnknownNames(
        model,
        usedLists,
        listIds,
        (name) => `there is no member list \`${name}\``,
      ),
      ...columnFindings,
    ]
  },
}

const memberListKeyNotTextCheck: Check = {
  slug: 'member-list-key-not-text',
  severity: 'error',
  why: 'A row is found by its key, so each row needs a different key. A list of values or a date cannot identify every row.',
  after: ['EV218'],
  find: ({ file }) =>
    Object.entries(file.member_lists ?? {}).flatMap(([id, { key, columns }]): Draft[] => {
      const type = columns[key]
      return type === undefined || type === 'text'
        ? []
        : [
            {
              at: `member_lists.${id}.columns.${key}`,
              message: `\`${key}\` is the key of the member list, but is ${typeof type === 'string' ? `a ${type}` : 'a list of values'}`,
              related: [{ at: `member_lists.${id}.key`, message: 'the key' }],
              help: `write ${key}: text`,
            },
          ]
    }),
}

export const itemNameChecks = {
  EV216: wrongFieldCheck,
  EV217: unknownLineCheck,
  EV218: unknownMemberListCheck,
  EV219: memberListKeyNotTextCheck,
} satisfies Checks
