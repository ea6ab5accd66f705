/** Checks EV206, EV213, EV214: names are unique and do not clash with built-in names. */
import { listPriceTables } from './price-tables.ts'
import { REGISTRATION_LINE_ID } from '../../../event/pricing-types.ts'
import { listDelegateMethods } from '../../../payments/payment-methods.ts'
import { METHOD_FIELD } from '../../../rules/pricing-context.ts'
import { ENGINE_VALUES } from '../../../event/built-in-values.ts'
import { ANSWERED_NAMES } from '../../../api/registration.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'

type Declaration = { readonly id: string; readonly at: string; readonly in?: 'lists' }
function findRepeatedNames(
  declarations: readonly Declaration[],
  toMessage: (id: string) => string,
): readonly Draft[] {
  const firstIndexById = new Map<string, number>()
  return declarations.flatMap(({ id, at, in: file }, index) => {
    const firstIndex = firstIndexById.get(id) ?? index
    firstIndexById.set(id, firstIndex)
    const location = file === undefined ? {} : { in: file }
    return firstIndex < index
      ? [
          {
            at,
            ...location,
            message: toMessage(id),
            related: [
              {
                at: declarations[firstIndex]?.at ?? at,
                ...location,
                message: 'first declared here',
              },
            ],
            help: 'give each a different id, or remove one of the two',
          },
        ]
      : []
  })
}

const duplicateIdCheck: Check = {
  slug: 'duplicate-id',
  severity: 'error',
  why: 'If two entries have the same name, one of them is never found.',
  find: (model) => {
    const { file } = model
    const listIds = (
      items: readonly { readonly id: string }[],
      path: string,
    ): readonly Declaration[] => items.map(({ id }, index) => ({ id, at: `${path}.${index}.id` }))
    return [
      ...findRepeatedNames(
        model.fields
          .map(({ id, path }) => ({ id, at: `${path}.id` }))
          .concat(model.storedValues.map(({ id, path }) => ({ id, at: `${path}.id` }))),
        (id) => `field \`${id}\` is declared twice`,
      ),
      ...model.fields.flatMap(({ raw, path }) =>
        findRepeatedNames(
          (raw.fields ?? []).map(({ id }, index) => ({ id, at: `${path}.fields.${index}.id` })),
          (id) => `each person is asked for \`${id}\` twice`,
        ),
      ),
      ...findRepeatedNames(
        listIds(file.approval ?? [], 'approval'),
        (id) => `approval \`${id}\` is declared twice`,
      ),
      ...findRepeatedNames(
        listIds(file.categories, 'categories'),
        (id) => `category \`${id}\` is declared twice`,
      ),
      ...findRepeatedNames(
        listIds(file.fees.periods, 'fees.periods'),
        (id) => `period \`${id}\` is declared twice`,
      ),
      ...findRepeatedNames(
        listPriceTables({ file }).flatMap(({ path, rows }) =>
          Object.keys(rows).flatMap((id) => (id === 'period' ? [] : [{ id, at: `${path}.${id}` }])),
        ),
        (id) => `category \`${id}\` has prices in two tables`,
      ),
      ...(file.fees.price_groups ?? []).flatMap(({ periods }, index) =>
        findRepeatedNames(
          listIds(periods, `fees.price_groups.${index}.periods`),
          (id) => `period \`${id}\` of the group is declared twice`,
        ),
      ),
      ...(file.fees.items ?? []).flatMap(({ periods = [] }, index) =>
        findRepeatedNames(
          listIds(periods, `fees.items.${index}.periods`),
          (id) => `period \`${id}\` of the item is declared twice`,
        ),
      ),
      ...findRepeatedNames(
        [
          ...listIds(file.fees.items ?? [], 'fees.items'),
          ...listIds(file.fees.adjustments ?? [], 'fees.adjustments'),
        ],
        (id) => `line \`${id}\` is declared twice`,
      ),
      ...findRepeatedNames(
        listIds(file.quotas ?? [], 'quotas'),
        (id) => `quota \`${id}\` is declared twice`,
      ),
      ...findRepeatedNames(
        (file.unique ?? []).map(({ fields }, index) => ({
          id: fields.toSorted().join(' and '),
          at: `unique.${index}.fields`,
        })),
        (id) => `\`unique\` is declared twice for \`${id}\``,
      ),
      ...findRepeatedNames(
        listIds(listMethods(file), 'payment.methods'),
        (id) => `payment method \`${id}\` is declared twice`,
      ),
      ...listMethods(file).flatMap(({ fields = [] }, index) =>
        findRepeatedNames(
          listIds(fields, `payment.methods.${index}.fields`),
          (id) => `the payment method asks for \`${id}\` twice`,
        ),
      ),
      ...findRepeatedNames(
        listIds(file.codes?.kinds ?? [], 'codes.kinds'),
        (id) => `code kind \`${id}\` is declared twice`,
      ),
      ...findRepeatedNames(
        listIds(file.admin?.lists ?? [], 'admin.lists'),
        (id) => `list \`${id}\` is declared twice`,
      ),
      // Delegates do not distinguish “Records” from “records”, even where answers are case-sensitive.
      ...model.fieldsAndParts.flatMap(({ raw, field, path }) =>
        Array.isArray(raw.options)
          ? findRepeatedNames(
              (field.options ?? []).map((option, index) => ({
                id: option.id.toLowerCase(),
                at: `${path}.options.${index}`,
              })),
              (id) => `option \`${id}\` is offered twice`,
            )
          : [],
      ),
      ...[
        ...new Set(
          model.fields.flatMap(({ raw }) =>
            typeof raw.options === 'string' && Object.hasOwn(model.lists.lists, raw.options)
              ? [raw.options]
              : [],
          ),
        ),
      ].flatMap((name) =>
        findRepeatedNames(
          (model.lists.lists[name] ?? []).map((option, index) => ({
            id: (typeof option === 'string' ? option : option.id).toLowerCase(),
            at: `lists.${name}.${index}`,
            in: 'lists' as const,
          })),
          (id) => `option \`${id}\` is offered twice`,
        ),
      ),
    ]
  },
}

const listMethods = ({ payment }: Model['file']) =>
  typeof payment === 'object' ? (payment.methods ?? []) : []

/** Built-in values of the API, lists and texts. */
const RESERVED_NAMES: readonly string[] = [
  ...ENGINE_VALUES,
  ...ANSWERED_NAMES,
  'search',
  'date_from',
  'date_to',
  'page',
  'page_size',
  'status',
  'message',
  'registration',
  'constructor',
]

/** The names by which adjustments refer to the first line and to all lines. */
const LINE_NAMES: readonly string[] = [REGISTRATION_LINE_ID, 'all']

const reservedNameCheck: Check = {
  slug: 'reserved-name',
  severity: 'error',
  why: 'Built-in values have these names. A field with such a name would hide the value.',
  find: (model) => [
    ...findFormParameterClashes(model),
    ...model.fields
      .filter(({ id }) => RESERVED_NAMES.includes(id))
      .map(({ id, path }) => ({
        at: `${path}.id`,
        message: `\`${id}\` is the name of a built-in value`,
      })),
    ...model.storedValues
      .filter(({ id }) => RESERVED_NAMES.includes(id))
      .map(({ id, path }) => ({
        at: `${path}.id`,
        message: `\`${id}\` is the name of a built-in value`,
      })),
    ...[
      ...(model.file.fees.items ?? []).map(({ id }, index) => ({
        id,
        at: `fees.items.${index}.id`,
      })),
      ...(model.file.fees.adjustments ?? []).map(({ id }, index) => ({
        id,
        at: `fees.adjustments.${index}.id`,
      })),
    ]
      .filter(({ id }) => LINE_NAMES.includes(id))
      .map(({ id, at }) => ({
        at,
        message: `\`${id}\` is reserved: it means ${id === 'all' ? 'all lines' : 'the first line'} of the bill`,
      })),
    ...model.file.categories.flatMap(({ id }, index) =>
      id === 'period'
        ? [
            {
              at: `categories.${index}.id`,
              message:
                '`period` is reserved for the columns of the price table: use another id for the category',
            },
          ]
        : [],
    ),
    ...[
      ['fees.periods', model.file.fees.periods] as const,
      ...(model.file.fees.price_groups ?? []).map(
        ({ periods }, index) => [`fees.price_groups.${index}.periods`, periods] as const,
      ),
    ].flatMap(([path, periods]) =>
      periods.flatMap(({ id }, index) =>
        id === 'closed'
          ? [
              {
                at: `${path}.${index}.id`,
                message: '`closed` is reserved (it means no period): use another id for the period',
              },
            ]
          : [],
      ),
    ),
    ...(Object.hasOwn(model.lists.lists, 'categories')
      ? [
          {
            at: 'lists.categories',
            part: 'key' as const,
            in: 'lists' as const,
            message:
              '`categories` is reserved for the categories of the event: use another name for the list',
          },
        ]
      : []),
  ],
}

/** Reports fields whose name is already used by another value that the form sends. */
function findFormParameterClashes({ fields, storedValues, file, config }: Model): readonly Draft[] {
  const sentValues: readonly (readonly [string, string, unknown])[] = [
    ['code', 'codes', file.codes],
    ['confirmed', 'unique', file.unique],
    [METHOD_FIELD, 'payment', listDelegateMethods(config).length > 1 ? file.payment : undefined],
  ]
  return sentValues.flatMap(([name, key, setting]) =>
    setting === undefined
      ? []
      : [...fields, ...storedValues]
          .filter(({ id }) => id === name)
          .map(({ path }) => ({
            at: `${path}.id`,
            message: `the form already sends a value \`${name}\` for \`${key}\``,
            related: [{ at: key, part: 'key' as const, message: 'sends the value' }],
          })),
  )
}

const wireNameConflictCheck: Check = {
  slug: 'wire-name-conflict',
  severity: 'error',
  why: 'If two values are sent under one name, one of them is lost.',
  find: (model) => {
    const choiceFieldId = model.file.category.chosen_in
    const createDraft = (
      direction: 'sends' | 'returns',
      wireName: string,
      message: string,
    ): Draft => ({
      at: `api.${direction}.${wireName}`,
      part: 'key',
      message,
    })
    const findClash = (
      direction: 'sends' | 'returns',
      wireName: string,
      value: string,
    ): readonly Draft[] => {
      const field = model.fields.find(({ id }) => id === wireName)
      if (
        field !== undefined &&
        !(value === wireName || (value === 'category' && wireName === choiceFieldId))
      )
        return [
          {
            ...createDraft(
              direction,
              wireName,
              `a form field is already ${direction === 'sends' ? 'sent' : 'returned'} as \`${wireName}\``,
            ),
            related: [{ at: `${field.path}.id`, message: 'declared here' }],
          },
        ]
      return direction === 'returns' && ANSWERED_NAMES.includes(wireName) && value !== wireName
        ? [
            createDraft(
              direction,
              wireName,
              `the response already has a different value named \`${wireName}\``,
            ),
          ]
        : []
    }
    return (['sends', 'returns'] as const).flatMap((direction) =>
      Object.entries(model.file.api?.[direction] ?? {}).flatMap(([wireName, value]) =>
        findClash(direction, wireName, value),
      ),
    )
  },
}

export const duplicateNameChecks = {
  EV206: duplicateIdCheck,
  EV213: reservedNameCheck,
  EV214: wireNameConflictCheck,
}
