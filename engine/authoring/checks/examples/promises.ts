/**
 * Checks promises (`examples.promises`): addresses, API names, fields, rows and lists of an event.
 *
 * No other check can detect that `/pyament/failed` differs from the address that a page, a partner's program or
 * a printed notice links to.
 */
import type { Button, Detail } from '../../../event/config.ts'
import { formatDays } from '../../../lib/time.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { formatList, suggestName } from '../../suggestions/nearest-name.ts'
import {
  listFormValues,
  listSalesSettings,
  listSelfServiceValues,
  listFieldsIncludingNested,
  toPromisedList,
  type PromisedValue,
  type PromisedText,
} from './promises-about-items.ts'

/** Returns every value that an event can promise, by its name under `promises`. */
export function collectPromisedValues({
  config,
  file,
  fields: formFields,
}: Model): ReadonlyMap<string, PromisedValue> {
  const fields = listFieldsIncludingNested(formFields)
  const toPromisedValue = (at: string, text: string | undefined | null): PromisedValue => ({
    parent: at,
    items: text === undefined || text === null ? [] : [{ text, at }],
  })
  const toPromisedPairs = (
    parent: string,
    names: Readonly<Record<string, string>>,
  ): PromisedValue => ({
    parent,
    items: Object.entries(names).map(([name, value]) => ({
      text: `${name}: ${value}`,
      at: `${parent}.${name}`,
    })),
  })
  const listRows = (page: 'success' | 'failed'): PromisedValue => {
    const { details, buttons } = config.results[page]
    const listTexts = (parts: readonly (Detail | Button)[], key: string): readonly PromisedText[] =>
      parts.map((part, i) => ({
        text: 'when' in part ? `${part.label} (at times)` : part.label,
        at: `results.${page}.${key}.${i}`,
      }))
    return {
      parent: `results.${page}.details`,
      items: [...listTexts(details, 'details'), ...listTexts(buttons, 'buttons')],
    }
  }
  const { routes, api, admin, results } = config
  const officeLists =
    file.admin?.lists === undefined
      ? []
      : admin.lists.map((officeList, i) => ({ list: officeList, at: `admin.lists.${i}` }))
  const addresses: readonly PromisedText[] = [
    { text: routes.form, at: 'routes.form' },
    ...routes.also.map((text, i) => ({ text, at: `routes.also.${i}` })),
    { text: routes.success, at: 'routes.success' },
    { text: routes.failed, at: 'routes.failed' },
    { text: api.register, at: 'api.register' },
    { text: api.registration, at: 'api.registration' },
    { text: api.tariff, at: 'api.tariff' },
    ...(api.gatewayReturn === null ? [] : [{ text: api.gatewayReturn, at: 'api.gateway_return' }]),
    ...officeLists.flatMap(({ list: officeList, at }) => [
      { text: officeList.route, at: `${at}.route` },
      { text: officeList.api, at: `${at}.api` },
      { text: officeList.export.api, at: `${at}.export.api` },
    ]),
  ]
  const messages = {
    no_order: results.errors.noOrder,
    bad_order: results.errors.badOrder,
    not_found: results.errors.notFound,
    fetch_failed: results.errors.fetchFailed,
  }
  const entryPaths = new Map(fields.map(({ id, path }) => [id, path]))
  return new Map<string, PromisedValue>([
    [
      'dates',
      {
        parent: 'event',
        items: [
          { text: formatDays(config.from, config.to), at: 'event.to', relatedPath: 'event.from' },
        ],
      },
    ],
    ['hours', toPromisedValue('event.hours', config.hours)],
    ['support', toPromisedValue('event.support', config.support.toLowerCase())],
    ['office', toPromisedValue('event.office', config.office?.toLowerCase())],
    ['status', toPromisedValue('event.status', config.status)],
    ['notices', toPromisedValue('form.notices', config.form.notices)],
    [
      'alert',
      toPromisedValue('form.without_payment.alert', config.form.withoutPayment.alert ?? 'none'),
    ],
    ['account', toPromisedValue('payment.account', config.payment?.account)],
    [
      'order_id',
      {
        parent: 'order_id',
        items: [
          { text: config.orderId.prefix, at: 'order_id.prefix' },
          { text: config.orderId.followedBy, at: 'order_id.followed_by' },
          { text: String(config.orderId.digits), at: 'order_id.digits' },
        ],
      },
    ],
    ['amounts', toPromisedValue('results.amounts', results.amounts)],
    ['addresses', { parent: 'routes', items: addresses }],
    ['sends', toPromisedPairs('api.sends', api.sends)],
    ['returns', toPromisedPairs('api.returns', api.returns)],
    [
      'form',
      {
        parent: 'form.sections',
        items: fields.map(({ id, path, field, raw }) => ({
          text: `${id}: ${field.type}${field.check ? '' : ' unchecked'}${raw.in === undefined ? '' : ` in ${raw.in}`}`,
          at: path,
        })),
        entryPaths,
      },
    ],
    [
      'stored',
      {
        parent: 'form.also_stored',
        items: (file.form.also_stored ?? []).map(({ id }, i) => ({
          text: id,
          at: `form.also_stored.${i}.id`,
        })),
      },
    ],
    [
      'stays_on',
      toPromisedValue(
        'form.stepper.stays_on',
        config.form.stepper?.staysOn === undefined ? null : String(config.form.stepper.staysOn),
      ),
    ],
    ['summary', toPromisedList('form.summary.lines', config.form.summary.lines)],
    [
      'categories',
      {
        parent: 'categories',
        items: config.categories.map(({ id }, i) => ({ text: id, at: `categories.${i}.id` })),
      },
    ],
    ['success', listRows('success')],
    ['failed', listRows('failed')],
    ['messages', toPromisedPairs('results.errors', messages)],
    [
      'starts',
      {
        parent: 'form.sections',
        items: fields.flatMap(({ id, path, field }) =>
          field.default === undefined
            ? []
            : [{ text: `${id}: ${String(field.default)}`, at: `${path}.default` }],
        ),
        entryPaths,
      },
    ],
    [
      'dashboard',
      {
        parent: 'admin.dashboard',
        items: [
          { text: admin.dashboard.key, at: 'admin.dashboard.key' },
          ...admin.dashboard.cards.map((text, i) => ({ text, at: `admin.dashboard.cards.${i}` })),
        ],
      },
    ],
    ...fields.flatMap(({ id, path, field, raw }): (readonly [string, PromisedValue])[] => [
      ...(field.options === undefined
        ? []
        : [
            [
              `choices.${id}`,
              typeof raw.options === 'string'
                ? {
                    parent: `${path}.options`,
                    items: field.options.map((option) => ({
                      text: option.id,
                      at: `${path}.options`,
                    })),
                  }
                : toPromisedList(
                    `${path}.options`,
                    field.options.map((option) => option.id),
                  ),
            ] as const,
          ]),
      ...(field.accept === undefined
        ? []
        : [[`choices.${id}`, toPromisedList(`${path}.accept`, field.accept)] as const]),
    ]),
    ...listSalesSettings(file),
    ...listSelfServiceValues(file),
    ...listFormValues(fields),
    [
      'lists',
      {
        parent: 'admin.lists',
        items: officeLists.map(({ list: officeList, at }) => ({
          text: officeList.id,
          at: `${at}.id`,
        })),
      },
    ],
    ...officeLists.flatMap(({ list: officeList, at }): (readonly [string, PromisedValue])[] => [
      [
        `${officeList.id}.filters`,
        toPromisedList(
          `${at}.filters`,
          officeList.filters.map(({ show, sentAs }) =>
            show === sentAs ? show : `${show} as ${sentAs}`,
          ),
        ),
      ],
      [
        `${officeList.id}.columns`,
        toPromisedList(
          `${at}.columns`,
          officeList.columns.map(({ id }) => id),
        ),
      ],
      [
        `${officeList.id}.sizes`,
        {
          parent: `${at}.page_size`,
          items: [
            { text: String(officeList.pageSize), at: `${at}.page_size` },
            ...officeList.pageSizes.map((size, i) => ({
              text: String(size),
              at: `${at}.page_sizes.${i}`,
            })),
          ],
        },
      ],
      [
        `${officeList.id}.errors`,
        {
          parent: `${at}.errors`,
          items: [
            { text: officeList.errors.load, at: `${at}.errors.load` },
            { text: officeList.errors.shape, at: `${at}.errors.shape` },
            { text: officeList.errors.export, at: `${at}.errors.export` },
          ],
        },
      ],
      [`${officeList.id}.file`, toPromisedValue(`${at}.export.file`, officeList.export.file)],
    ]),
  ])
}

const listPromises = ({ file }: Model): readonly (readonly [string, unknown])[] =>
  Object.entries(file.examples?.promises ?? {})

/** Splits a promise (a single string, a list, or names with values) into strings, each with its path. */
function listPromisedTexts(name: string, value: unknown): readonly PromisedText[] {
  const at = `examples.promises.${name}`
  if (Array.isArray(value))
    return value.map((text: unknown, i) => ({ text: String(text), at: `${at}.${i}` }))
  if (typeof value !== 'object' || value === null) return [{ text: String(value), at }]
  return Object.entries(value).map(([key, text]) => ({
    text: `${key}: ${String(text)}`,
    at: `${at}.${key}`,
  }))
}

const promiseBrokenCheck: Check = {
  slug: 'promise-broken',
  severity: 'error',
  why: 'Links, programs or staff rely on these names. A change of one letter breaks the links and programs.',
  after: ['EV905', 'EV206', 'EV207'],
  find: (model) => {
    const actualValues = collectPromisedValues(model)
    return listPromises(model).flatMap(([name, value]): Draft[] => {
      const actualValue = actualValues.get(name)
      if (actualValue === undefined) return []
      const promisedTexts = listPromisedTexts(name, value)
      const missingTexts = excludeItems(promisedTexts, actualValue.items)
      const extraTexts = excludeItems(actualValue.items, promisedTexts)
      // The order of names with values does not matter.
      const movedIndex = !Array.isArray(value)
        ? -1
        : promisedTexts.findIndex(({ text }, i) => text !== actualValue.items[i]?.text)
      if (missingTexts.length === 0 && extraTexts.length === 0 && movedIndex === -1) return []
      const isReordered = missingTexts.length === 0 && extraTexts.length === 0
      const actualPart = isReordered
        ? actualValue.items.slice(movedIndex, movedIndex + 2)
        : extraTexts
      const promisedPart = isReordered
        ? promisedTexts.slice(movedIndex, movedIndex + 2)
        : missingTexts
      const quoteItems = (items: readonly PromisedText[]): string =>
        formatList(
          items.map(({ text }) => `\`${text}\``),
          4,
        )
      const message = isReordered
        ? `\`${name}\` is promised in a different order`
        : missingTexts.length === 0
          ? `${quoteItems(extraTexts)} is not in the promise \`${name}\``
          : extraTexts.length === 0
            ? `${quoteItems(missingTexts)} is promised as \`${name}\`, but is missing here`
            : `\`${name}\` is promised as ${quoteItems(missingTexts)}, but is ${quoteItems(extraTexts)}`
      const path = findLocation(actualValue, missingTexts[0]?.text.split(': ')[0] ?? '')
      const [firstItem, ...otherItems] =
        actualPart.length === 0 ? [{ text: '', at: path }] : actualPart
      return [
        {
          at: firstItem?.at ?? path,
          part: actualPart.length === 0 ? 'key' : 'value',
          message,
          related: [
            ...actualPart.flatMap(({ relatedPath }) =>
              relatedPath === undefined ? [] : [{ at: relatedPath, message: 'and here' }],
            ),
            ...otherItems.map(({ at }) => ({ at, message: 'and here' })),
            ...promisedPart.map(({ at }) => ({ at, message: 'promised here' })),
            ...(promisedPart.length === 0
              ? [
                  {
                    at: `examples.promises.${name}`,
                    part: 'key' as const,
                    message: 'promised here',
                  },
                ]
              : []),
          ].slice(0, 6),
          help: 'if the change is intended, change the promise too, and inform the people who rely on it',
        },
      ]
    })
  },
}

/**
 * Returns the path at which a missing promised entry is reported: its own path, the path of its group (`seats.` for
 * `seats.ecg`), or the whole block.
 */
function findLocation({ entryPaths, parent }: PromisedValue, name: string): string {
  return entryPaths?.get(name) ?? entryPaths?.get(name.replace(/[^.]*$/, '')) ?? parent
}

/** Returns the items that have no match in `others`. Of several equal items, the first ones are matched. */
function excludeItems(
  items: readonly PromisedText[],
  others: readonly PromisedText[],
): readonly PromisedText[] {
  const remainingCounts = new Map<string, number>()
  for (const { text } of others) remainingCounts.set(text, (remainingCounts.get(text) ?? 0) + 1)
  return items.filter(({ text }) => {
    const count = remainingCounts.get(text) ?? 0
    remainingCounts.set(text, count - 1)
    return count <= 0
  })
}

const unknownPromiseCheck: Check = {
  slug: 'unknown-promise',
  severity: 'error',
  why: 'A promise about a name that does not exist is never broken.',
  after: ['EV206', 'EV207'],
  find: (model) => {
    const knownNames = [...collectPromisedValues(model).keys()]
    return listPromises(model).flatMap(([name]): Draft[] => {
      if (knownNames.includes(name)) return []
      const { start, end } = model.source.place(`examples.promises.${name}`, 'key')
      const suggestion = suggestName(name, knownNames, [start.offset, end.offset])
      return [
        {
          at: `examples.promises.${name}`,
          part: 'key',
          message: `\`${name}\` cannot be promised`,
          ...suggestion,
          ...(suggestion.help === undefined
            ? { notes: [`available: ${formatList(knownNames, 40)}`] }
            : {}),
        },
      ]
    })
  },
}

export const promiseChecks = { EV904: promiseBrokenCheck, EV905: unknownPromiseCheck }
