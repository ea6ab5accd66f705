/** Compares the effects of two versions of an event on prices, categories, fields, messages, routes. */
import type { EventConfig, Field } from '../../../event/config.ts'
import type { Answers } from '../../../event/answer-types.ts'
import {
  toAnswers,
  listCategoryAxes,
  formatPoints,
  listPoints,
} from '../../proofs/answer-combinations.ts'
import { getCurrency, findCategory } from '../../../rules/category.ts'
import { formatMoney, INR, type Currency, type Amount } from '../../../lib/money.ts'
import {
  checkRegistrationOpen,
  withDeskDays,
  listPeriodEdges,
  findPeriodOn,
} from '../../../pricing/price-periods.ts'
import { quoteCategory, hasPrices } from '../../../pricing/quote.ts'
import { listTaxRules } from '../../../pricing/tax-rules.ts'
import { addDays, type Day } from '../../../lib/time.ts'
import { listAcceptedCurrencies } from '../../../payments/payment-methods.ts'
import { diffItems, type ItemChange } from './diff-items-and-quotas.ts'
import { listItemNames } from './name-list-items.ts'

/**
 * The price on a day, with its period: a total, or the reason why there is no price. `no-price`: registration is open
 * and free of charge.
 */
export type PriceOn =
  | {
      readonly is: 'price'
      readonly period: string
      readonly base: Amount
      readonly gst: Amount
      readonly total: Amount
      /** Absent for INR. */
      readonly currency?: Currency
    }
  | { readonly is: 'closed' }
  | { readonly is: 'not-on-sale' }
  | { readonly is: 'no-price'; readonly period: string | null }

/** `from` is null if the range has no start, `until` if it has no end. The range excludes the day `until`. */
export type PriceChange = {
  readonly category: string
  readonly from: Day | null
  readonly until: Day | null
  readonly old: PriceOn | null
  readonly next: PriceOn | null
}
type RuleChange = {
  readonly answers: string
  readonly old: string | null
  readonly next: string | null
}
/** `path` is a dotted path in the compiled event. `old` is null for an addition, `next` for a removal. */
export type ValueChange = {
  readonly kind: 'event' | 'field' | 'message' | 'route' | 'wording' | 'layout' | 'office'
  readonly path: string
  readonly old: string | null
  readonly next: string | null
}
export type EventDiff = {
  /** Absent if unchanged. */
  readonly currency?: { readonly old: Currency; readonly next: Currency }
  readonly prices: readonly PriceChange[]
  readonly rules: readonly RuleChange[]
  /** False if the rule tables were too large to compare point by point; in that case, they were compared as written. */
  readonly rulesCompared: boolean
  /** Items sold in addition to registration, and their adjustments and quotas. */
  readonly sold: readonly ItemChange[]
  readonly values: readonly ValueChange[]
}

/** Represents an entry that only one of the two versions has. */
export const ADDED_ENTRY = 'there'

/** Returns true if there is no visible difference. */
export function isEmptyDiff(diff: EventDiff): boolean {
  const { currency, prices, rules, sold, values } = diff
  return currency === undefined && prices.length + rules.length + sold.length + values.length === 0
}

/**
 * Compares two checked versions of one event. The result is exact, because a price can change only
 * on the first day of a period or the day after its last. Moving a line, editing a comment or
 * reordering a map makes no difference.
 */
export function diffEvents(old: EventConfig, next: EventConfig): EventDiff {
  const rules = diffRules(old, next)
  return {
    ...(old.currency === next.currency
      ? {}
      : { currency: { old: old.currency, next: next.currency } }),
    prices: diffPrices(old, next),
    ...rules,
    sold: diffItems(old, next, listPriceChangeDays(old, next)),
    values: diffValues(old, next),
  }
}

function diffPrices(old: EventConfig, next: EventConfig): PriceChange[] {
  const days = listPriceChangeDays(old, next)
  const categories = [
    ...new Set([...old.categories, ...next.categories].map((category) => category.id)),
  ]
  return categories.flatMap((category) => {
    const changes: PriceChange[] = []
    // The range before the first change has no first day, so any earlier day represents it.
    const ranges: readonly (Day | null)[] = [null, ...days]
    ranges.forEach((from, i) => {
      const until = days[i] ?? null
      const sampleDay = from ?? (until === null ? ('2000-01-01' as Day) : addDays(until, -1))
      const oldPrice = findPrice(old, category, sampleDay)
      const newPrice = findPrice(next, category, sampleDay)
      if (areEqual(oldPrice, newPrice)) return
      const lastChange = changes.at(-1)
      if (
        lastChange !== undefined &&
        lastChange.until === from &&
        areEqual(lastChange.old, oldPrice) &&
        areEqual(lastChange.next, newPrice)
      )
        changes[changes.length - 1] = { ...lastChange, until }
      else changes.push({ category, from, until, old: oldPrice, next: newPrice })
    })
    return changes
  })
}

/** Returns every day on which either version may change its prices, in order. */
function listPriceChangeDays(...versions: readonly EventConfig[]): Day[] {
  const days = versions.flatMap((event) => [
    ...listPeriodEdges(event.fees),
    ...listTaxRules(event.fees).flatMap(({ from, to }) => [
      ...(from === undefined ? [] : [from]),
      ...(to === undefined ? [] : [addDays(to, 1)]),
    ]),
    ...(event.registration.opens ? [event.registration.opens] : []),
    ...(event.registration.closes ? [addDays(event.registration.closes, 1)] : []),
    ...(event.registration.desk
      ? [event.registration.desk.opens, addDays(event.registration.desk.closes, 1)]
      : []),
  ])
  return [...new Set(days)].sort()
}

function findPrice(event: EventConfig, category: string, on: Day): PriceOn | null {
  if (!event.categories.some(({ id }) => id === category)) return null
  if (!checkRegistrationOpen(withDeskDays(event, on), on).open && event.status === 'open')
    return { is: 'closed' }
  const period = findPeriodOn(event.fees, on, category)
  if (!hasPrices(event)) return { is: 'no-price', period: period?.id ?? null }
  if (period === null) return { is: 'closed' }
  const price = quoteCategory(event, category, period.id, on)
  const currency = getCurrency(event, category)
  return price === null
    ? { is: 'not-on-sale' }
    : {
        is: 'price',
        period: period.id,
        base: price.base,
        gst: price.gst,
        total: price.total,
        ...(currency === INR ? {} : { currency }),
      }
}

function diffRules(
  old: EventConfig,
  next: EventConfig,
): { rules: RuleChange[]; rulesCompared: boolean } {
  if (
    areEqual(old.categoryChoice, next.categoryChoice) &&
    areEqual(old.fields.map(getFieldDomain), next.fields.map(getFieldDomain)) &&
    areEqual(
      old.sections.map(({ showWhen }) => showWhen),
      next.sections.map(({ showWhen }) => showWhen),
    )
  )
    return { rules: [], rulesCompared: true }
  const axes = listCategoryAxes(old, next)
  const points = listPoints(axes)
  if (points === null)
    return {
      rules: [{ answers: 'rules', old: 'unchanged', next: 'written differently' }],
      rulesCompared: false,
    }
  const changedCategories = new Map<
    string,
    { readonly old: string | null; readonly next: string | null; readonly answers: Answers[] }
  >()
  for (const { answers } of points) {
    const oldCategory = findCategory(old, toAnswers(old, answers))
    const newCategory = findCategory(next, toAnswers(next, answers))
    if (oldCategory === newCategory) continue
    const key = JSON.stringify([oldCategory, newCategory])
    const entry = changedCategories.get(key) ?? { old: oldCategory, next: newCategory, answers: [] }
    entry.answers.push(answers)
    changedCategories.set(key, entry)
  }
  const allPoints = points.map(({ answers }) => answers)
  return {
    rules: [...changedCategories.values()].flatMap((entry) =>
      formatPoints(axes, entry.answers, allPoints).map((answers) => ({
        answers,
        old: entry.old,
        next: entry.next,
      })),
    ),
    rulesCompared: true,
  }
}

const getFieldDomain = (field: Field) => [
  field.id,
  field.type,
  field.options?.map((option) => option.id),
  field.default,
  field.showWhen,
  field.section,
  field.ignoreCase,
]

/** Keys that the functions above compare, or that have no visible effect outside the checks. */
const SEPARATELY_COMPARED_KEYS = new Set([
  'currency',
  'fees.prices',
  'fees.groups',
  'fees.periods',
  'fees.otherDates',
  'fees.items',
  'fees.adjustments',
  'fees.taxRules',
  'fees.methods',
  'quotas',
  'unique',
  'codeKinds',
  'memberLists',
  'categoryChoice',
  'examples',
  'demo',
  'registration',
])

function diffValues(old: EventConfig, next: EventConfig): ValueChange[] {
  const oldValues = flattenEvent(old, orderSections(old, old))
  const newValues = flattenEvent(next, orderSections(old, next))
  const valueChanges = [
    ...new Set([...oldValues.leaves.keys(), ...newValues.leaves.keys()]),
  ].flatMap((path): ValueChange[] => {
    const oldText = oldValues.leaves.get(path) ?? null
    const newText = newValues.leaves.get(path) ?? null
    return oldText === newText
      ? []
      : [{ kind: getChangeKind(path), path, old: oldText, next: newText }]
  })
  // A different order of the entries that both versions have is one change, however many entries moved.
  const orderChanges = [...oldValues.orders].flatMap(([path, names]): ValueChange[] => {
    const newNames = newValues.orders.get(path) ?? []
    const [oldOrder, newOrder] = [
      names.filter((name) => newNames.includes(name)).join(', '),
      newNames.filter((name) => names.includes(name)).join(', '),
    ]
    return oldOrder === newOrder
      ? []
      : [{ kind: 'layout', path: `${path}.order`, old: oldOrder, next: newOrder }]
  })
  return [...valueChanges, ...orderChanges]
}

type FlatFile = {
  readonly leaves: Map<string, string>
  readonly orders: Map<string, readonly string[]>
}

/**
 * Gives each section a name. A section with the same first field or title as an old section gets the old section's
 * number, so that a moved section does not count as new. Other sections get a new number.
 */
function orderSections(old: EventConfig, event: EventConfig): readonly string[] {
  const getFirstField = ({ fields }: EventConfig, at: number): string | undefined =>
    fields.find(({ section }) => section === at)?.id
  const names: string[] = []
  event.sections.forEach(({ title }, index) => {
    const candidates = [
      old.sections.findIndex((_, i) => getFirstField(old, i) === getFirstField(event, index)),
      old.sections.findIndex((section) => section.title === title),
    ].map((found) => String(found + 1))
    const name = candidates.find((candidate) => candidate !== '0' && !names.includes(candidate))
    names.push(name ?? `new ${index + 1}`)
  })
  return names
}

/**
 * Returns the text of every leaf, keyed by its dotted path. The path contains names of list entries instead of
 * indexes, so that moving an entry does not change the others.
 */
function flattenEvent(event: EventConfig, sections: readonly string[]): FlatFile {
  const leaves = new Map<string, string>()
  const orders = new Map<string, readonly string[]>()
  const walk = (path: string, value: unknown): void => {
    // A missing value equals an empty one.
    if (value === undefined || value === null || SEPARATELY_COMPARED_KEYS.has(path)) return
    // Those of the payment methods are added below, and the other lists of currencies are derived from them.
    if (Array.isArray(value) && path.endsWith('.currencies')) return
    if (Array.isArray(value)) {
      const names = path === 'sections' ? sections : listItemNames(value)
      orders.set(path, names)
      value.forEach((item, i) => {
        leaves.set(`${path}.${names[i] ?? ''}`, ADDED_ENTRY)
        if (typeof item === 'object') walk(`${path}.${names[i] ?? ''}`, item)
      })
      return
    }
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        walk(path === '' ? key : `${path}.${key}`, inner)
      return
    }
    const chargeCurrency = /^cancellation\..*\.charge\.([A-Z]{3})$/.exec(path)?.[1]
    if (chargeCurrency !== undefined)
      leaves.set(path, formatMoney(value as Amount, chargeCurrency as Currency))
    else if (/^fields\..*\.section$/.test(path)) leaves.set(path, sections[Number(value)] ?? '')
    else leaves.set(path, CASELESS_PATHS.has(path) ? String(value).toLowerCase() : String(value))
  }
  walk('', event)
  // The whole list that a method accepts, because a method that states none accepts those of its gateway, or all.
  for (const method of event.methods)
    leaves.set(
      `methods.${method.id}.currencies`,
      listAcceptedCurrencies(method)?.join(', ') ?? 'all',
    )
  // The label of a period is compared as text. Its days are compared with the prices.
  for (const period of event.fees.periods)
    leaves.set(`fees.periods.${period.id}.label`, period.label)
  // On desk days staff register delegates although the form is closed, so prices do not change.
  const { desk, closes } = event.registration
  if (desk !== undefined) {
    leaves.set('registration.closes', closes ?? 'never')
    for (const [key, day] of Object.entries(desk)) leaves.set(`registration.desk.${key}`, day)
  }
  return { leaves, orders }
}

/** Case-insensitive values: email addresses and the digits of a colour. */
const CASELESS_PATHS = new Set(['support', 'office', 'look.colour'])

const CHANGE_KINDS: readonly (readonly [RegExp, ValueChange['kind']])[] = [
  [/^cancellation\./, 'event'],
  [
    /^(routes|api|results\.(success\.buttons|failed\.buttons|errorButtons)\..+\.go|admin\.lists\.\w+\.(route|api|export\.api))/,
    'route',
  ],
  [
    /^fields\.[a-z0-9_]+\.(required\.message|invalid)$|^results\.errors|^form\.failure$|^texts\./,
    'message',
  ],
  [
    /^(fields|sections|alsoStored)\b(?!.*\.(label|hint|unit|unitOne|title|about|colour|as)$)/,
    'field',
  ],
  [/^admin\b(?!.*\.(label|title|empty|about|colour)$)/, 'office'],
  [
    /\.(label|hint|unit|unitOne|title|about|text|subject|heading|intro|notesTitle|empty|button|freeButton|busy|colour|mail|as)$|^words\.|\.(notes|reasons|steps)\.|^form\.panel\.lines\.|^(title|theme|about|venue|hours|fees\.tax\.name)$/,
    'wording',
  ],
]
function getChangeKind(path: string): ValueChange['kind'] {
  return CHANGE_KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? 'event'
}

function areEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
