/** Checks EV9xx: runs the file's examples as the form would, and finds prices that no example covers. */
import type { EventConfig } from '../../../event/config.ts'
import { isDay, readInstant } from '../../../lib/time.ts'
import { proveBill } from '../../proofs/bill-bounds.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { suggestName } from '../../suggestions/nearest-name.ts'
import { REGISTRATION_LINE_ID } from '../../../event/pricing-types.ts'
import { runExamples, type ItemCell, type ExampleResult } from './example-results.ts'
import { listUntestedCells } from './missing-examples.ts'
import { listPriceTables } from '../names/price-tables.ts'
import { findUnknownContextValues, listContextNames } from '../names/context-names.ts'
import { getFullQuotaName } from '../../../rules/pricing-context.ts'

/** Errors that make example results meaningless: a condition on an unknown field counts as true. */
const CONDITION_ERRORS = ['EV201', 'EV202', 'EV203', 'EV205', 'EV216', 'EV307']

const exampleFailsCheck: Check = {
  slug: 'example-fails',
  severity: 'error',
  why: 'An example states the result that the organiser expects. The file produces a different result.',
  after: ['EV903', 'EV105', 'EV411', ...CONDITION_ERRORS],
  find: (model) =>
    runExamples(model.config).flatMap((result, index): Draft[] => {
      const { name, failures, reasons, bill } = result
      if (failures.length === 0) return []
      const [
        firstPlace = { at: `examples.cases.${index}.name`, message: '' } as Related,
        ...otherPlaces
      ] = findFailedExpectations(model, result, index)
      // A cause on the same line as the expectation is not listed separately.
      const { line } = model.source.place(firstPlace.at, firstPlace.part).start
      const isOnOtherLine = ({ at: path, part }: Related): boolean =>
        model.source.place(path, part).start.line !== line
      return [
        {
          at: firstPlace.at,
          part: firstPlace.part ?? 'value',
          message: `example “${name}” fails`,
          related: [
            ...otherPlaces,
            ...listLinesOfBill(model, result),
            ...findCauses(model, result),
            ...findStatedValues(model, result, index),
          ]
            .filter(isFirstAtPath)
            .filter(isOnOtherLine),
          notes: [...failures, `because ${reasons.join('; ')}`, ...bill],
        },
      ]
    }),
}

type Related = NonNullable<Draft['related']>[number] & { readonly at: string }
const isFirstAtPath = (related: Related, i: number, all: readonly Related[]): boolean =>
  all.findIndex(({ at }) => at === related.at) === i

/** Returns the locations of the failed expectations. */
function findFailedExpectations(
  { source, file }: Model,
  { subjects }: ExampleResult,
  index: number,
): readonly Related[] {
  const expect = `examples.cases.${index}.expect`
  return subjects
    .map((key): Related => {
      const [part = '', id = ''] = key.split('.')
      const entryPath =
        part === 'shows' || part === 'hides'
          ? `${expect}.${part}.${(file.examples?.cases[index]?.expect[part] ?? []).indexOf(id)}`
          : `${expect}.${key}`
      if (source.has(entryPath)) return { at: entryPath, message: 'expected here' }
      return {
        at: source.has(`${expect}.${part}`) ? `${expect}.${part}` : expect,
        part: 'key',
        message: 'not expected here',
      }
    })
    .filter(isFirstAtPath)
}

/** Returns the locations in the event that cause the actual result: cell, tax, periods, rules, fields. */
function findCauses(model: Model, { subjects, cell, name }: ExampleResult): readonly Related[] {
  const { source, config, fields } = model
  const createRelated = (at: string, message: string): readonly Related[] =>
    source.has(at) ? [{ at, message }] : []
  const example = config.examples.find((example) => example.name === name)
  const expect = example === undefined || 'orderId' in example ? {} : example.expect
  const category = cell?.category ?? ''
  const table = listPriceTables(model).find(({ rows }) => Object.hasOwn(rows, category))
  const findPeriodPath = (id: string | undefined): readonly Related[] => {
    const { periods, periodsPath } = table ?? { ...config.fees, periodsPath: 'fees.periods' }
    const index = periods.findIndex((period) => period.id === id)
    return createRelated(`${periodsPath}.${index}`, 'this period')
  }
  const findFieldPath = (id: string): readonly Related[] =>
    fields
      .filter((field) => field.id === id)
      .flatMap(({ path, field }) => [
        ...createRelated(path, 'this field'),
        ...createRelated(`form.sections.${field.section}.show_when`, 'the section of this field'),
      ])
  /** Returns the fields whose answers determine whether a field or its section is shown. */
  const listVisibilityFields = (id: string): readonly Related[] => {
    const field = fields.find((field) => field.id === id)?.field
    const conditions =
      field === undefined ? [] : [field.showWhen, config.sections[field.section]?.showWhen]
    return conditions.flatMap((condition) =>
      (condition ?? []).flat().flatMap(({ field: other }) => findFieldPath(other)),
    )
  }
  return subjects.flatMap((key): readonly Related[] => {
    const [part = '', id = ''] = key.split('.')
    if (part === 'order')
      return [
        ...createRelated('order_id', 'the format of order ids'),
        ...createRelated('results.errors', 'the error messages'),
      ]
    if (part === 'shows' || part === 'hides' || part === 'errors')
      return [...findFieldPath(id), ...listVisibilityFields(id)]
    if (part === 'period')
      return [
        ...findPeriodPath(expect.period),
        ...findPeriodPath(cell?.period),
        ...createRelated('fees.other_dates', 'every other day'),
      ]
    if (part === 'category') {
      const choice = config.categoryChoice
      if (choice.by === 'field')
        return [...findFieldPath(choice.field), ...createRelated('categories', 'the categories')]
      const testedFieldIds = choice.rules.flatMap(({ when }) =>
        (when ?? []).flat().map(({ field }) => field),
      )
      return [
        ...choice.rules.flatMap(({ then }, i) =>
          then === cell?.category || then === expect.category
            ? createRelated(`category.rules.${i}`, 'this rule')
            : [],
        ),
        ...[...new Set(testedFieldIds)].flatMap(findFieldPath),
      ]
    }
    if (part === 'lines') return findLinePlace(model, id)
    const column = table?.rows.period?.map(String).indexOf(cell?.period ?? '') ?? -1
    const rows = table?.path ?? 'fees.prices'
    return [
      ...createRelated(`${rows}.${category}.${column}`, 'the price'),
      ...createRelated(`${rows}.period.${column}`, 'the column of the price'),
      ...(config.fees.tax === null
        ? [{ at: 'fees', part: 'key' as const, message: 'no tax is set here' }]
        : part === 'base'
          ? []
          : createRelated('fees.tax', 'the tax')),
    ]
  })
}

/** If a total differs, returns the location of every line except the registration line: any of them may be wrong. */
function listLinesOfBill(model: Model, { subjects, lines }: ExampleResult): readonly Related[] {
  if (!subjects.some((key) => ['base', 'gst', 'total'].includes(key))) return []
  return lines.filter((id) => id !== REGISTRATION_LINE_ID).flatMap((id) => findLinePlace(model, id))
}

/** Returns the item or adjustment that produces a bill line; for the registration, the price table. */
function findLinePlace({ config, source }: Model, id: string): readonly Related[] {
  const item = config.fees.items.findIndex((item) => item.id === id)
  const adjustment = config.fees.adjustments.findIndex((adjustment) => adjustment.id === id)
  const at =
    item >= 0
      ? `fees.items.${item}`
      : adjustment >= 0
        ? `fees.adjustments.${adjustment}`
        : 'fees.prices'
  return source.has(at) ? [{ at, message: 'this line' }] : []
}

/** Returns the locations of the values in the example itself, and of those it takes from `examples.delegate`. */
function findStatedValues(
  { source }: Model,
  { subjects }: ExampleResult,
  index: number,
): readonly Related[] {
  const caseKeys = (['on', 'given', 'category', 'order_id'] as const)
    .map((key) => `examples.cases.${index}.${key}`)
    .filter((at) => source.has(at))
  const delegateAnswerPaths = subjects
    .filter((key) => key.startsWith('errors.'))
    .map((key) => `examples.delegate.${key.slice('errors.'.length)}`)
  return [
    ...caseKeys.map((at): Related => ({ at, message: 'given here' })),
    ...delegateAnswerPaths.map((at): Related =>
      source.has(at)
        ? { at, message: 'given here' }
        : { at: 'examples.delegate', part: 'key', message: 'not given here' },
    ),
  ]
}

/** A finding lists at most this many cells. If there are more, it states how many. */
const MAX_LISTED_CELLS = 8

const priceUntestedCheck: Check = {
  slug: 'price-untested',
  severity: 'note',
  why: 'Only an example that states the amount can detect a wrong digit in a price.',
  after: ['EV901', 'EV903', 'EV105', 'EV402', 'EV411', ...CONDITION_ERRORS],
  find: ({ config, file }) => {
    if (config.fees.prices === null || file.examples === undefined) return []
    const untestedCells = listUntestedCells(config).map(
      ({ category, period }) => `${category} × ${period}`,
    )
    const untestedItems = countUntestedItemCells(config)
    const count = untestedItems.reduce((sum, { untested }) => sum + untested, untestedCells.length)
    return count === 0
      ? []
      : [
          {
            at: 'fees.prices',
            part: 'key',
            message: `no example states the price of ${count === 1 ? 'one cell' : `${count} cells`}`,
            notes: [
              ...(untestedCells.length === 0
                ? []
                : [
                    untestedCells.length <= MAX_LISTED_CELLS
                      ? untestedCells.join(', ')
                      : `${untestedCells.slice(0, MAX_LISTED_CELLS).join(', ')} and ${untestedCells.length - MAX_LISTED_CELLS} more`,
                  ]),
              ...untestedItems.map(
                ({ id, untested, total }) => `${id}: ${untested} of ${total} cells`,
              ),
            ],
            help: [
              ...(untestedCells.length === 0
                ? []
                : [
                    `\`rollcall event simulate ${config.id} --examples\` writes ${untestedCells.length === 1 ? 'this example' : `these ${untestedCells.length} examples`}: compare each total with the announced fee, then add the ${untestedCells.length === 1 ? 'line' : 'lines'} under examples.cases`,
                  ]),
              ...(untestedItems.length === 0
                ? []
                : ['for items, add an example with `lines` that states each price']),
            ].join('; '),
          },
        ]
  },
}

/**
 * For each item, counts the reachable cells that no example covers. The cells of different items do not combine, so
 * each item is counted on its own.
 */
function countUntestedItemCells(event: EventConfig): readonly UntestedItem[] {
  const testedCells = new Set(
    runExamples(event).flatMap(({ itemCells }) => itemCells.map((cell) => JSON.stringify(cell))),
  )
  return proveBill(event).items.flatMap(({ id, result: found }): UntestedItem[] => {
    const reachedCells = (found?.reachedCells ?? []).map(({ table, row, period }): ItemCell => ({
      item: id,
      table,
      row,
      period,
    }))
    const untested = reachedCells.filter((cell) => !testedCells.has(JSON.stringify(cell)))
    return untested.length === 0
      ? []
      : [{ id, untested: untested.length, total: reachedCells.length }]
  })
}
type UntestedItem = { readonly id: string; readonly untested: number; readonly total: number }

const exampleUnknownFieldCheck: Check = {
  slug: 'example-unknown-field',
  severity: 'error',
  why: 'An example that states a field, payment method or code kind that does not exist proves nothing.',
  find: (model) => {
    const { examples } = model.file
    if (examples === undefined) return []
    const allowedNames = [
      ...model.config.fields.map(({ id }) => id),
      ...listContextNames(model.config),
    ]
    const listKeys = (value: object | undefined, path: string) =>
      Object.keys(value ?? {}).map((name) => ({
        name,
        at: `${path}.${name}`,
        part: 'key' as const,
      }))
    const usedNames = [
      ...listKeys(examples.delegate, 'examples.delegate'),
      ...examples.cases.flatMap(({ given, expect }, index) => [
        ...listKeys(given, `examples.cases.${index}.given`),
        ...listKeys(expect.errors, `examples.cases.${index}.expect.errors`),
        ...(['shows', 'hides'] as const).flatMap((list) =>
          (expect[list] ?? []).map((name, i) => ({
            name,
            at: `examples.cases.${index}.expect.${list}.${i}`,
            part: 'value' as const,
          })),
        ),
      ]),
    ]
    const isPart = (name: string): boolean => {
      const [field, at, part] = name.split('.')
      const parts = model.fields.find(({ id }) => id === field)?.field.fields ?? []
      return /^\d+$/.test(at ?? '') && parts.some(({ id }) => id === part)
    }
    return [
      ...usedNames
        .filter(({ name }) => !allowedNames.includes(name) && !isPart(name))
        .map(({ name, at, part }) => ({
          at,
          part,
          message: `there is no field \`${name}\``,
          ...suggestName(name, allowedNames, findSpan(model, at, part)),
        })),
      ...findUnknownStatedValues(model, examples.delegate, 'examples.delegate'),
      ...examples.cases.flatMap(({ given }, index) =>
        findUnknownStatedValues(model, given, `examples.cases.${index}.given`),
      ),
    ]
  },
}

/**
 * Reports payment methods, code kinds and member list values that examples state and the event does not have. Without
 * this finding, such an example would have the price without the value.
 */
function findUnknownStatedValues(
  model: Model,
  statedValues: Readonly<Record<string, unknown>> | undefined,
  path: string,
): readonly Draft[] {
  const names = listContextNames(model.config).filter(
    // Of a quota, an example states true or false, not one of several names.
    (name) => !name.startsWith(getFullQuotaName('')),
  )
  return Object.entries(statedValues ?? {}).flatMap(([name, value]) =>
    names.includes(name) && value !== null && value !== false
      ? findUnknownContextValues(model, name, [{ name: String(value), at: `${path}.${name}` }])
      : [],
  )
}

function findSpan({ source }: Model, at: string, part: 'key' | 'value'): readonly [number, number] {
  const { start, end } = source.place(at, part)
  return [start.offset, end.offset]
}

/** Reports dates and times in examples that match the schema's patterns but do not exist. */
export const findInvalidExampleTimes = ({ file }: Model): readonly Draft[] =>
  (file.examples?.cases ?? []).flatMap(({ on }, index): Draft[] =>
    on === undefined || isDay(on) || readInstant(on) !== null
      ? []
      : [
          {
            at: `examples.cases.${index}.on`,
            message: `\`${on}\` is not a valid date or time`,
            help: 'write a date (2026-01-25) or a time with its offset (2026-01-25T23:59:59+05:30)',
          },
        ],
  )

export const exampleChecks = {
  EV901: exampleFailsCheck,
  EV902: priceUntestedCheck,
  EV903: exampleUnknownFieldCheck,
}
