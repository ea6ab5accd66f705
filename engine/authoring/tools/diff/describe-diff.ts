/** Describes the differences between two versions of an event in sentences for the office. */
import type { EventConfig } from '../../../event/config.ts'
import { INR, formatMoney, formatPrice } from '../../../lib/money.ts'
import { formatDaysBefore } from '../../../lib/time.ts'
import type { ItemChange } from './diff-items-and-quotas.ts'
import {
  ADDED_ENTRY,
  type EventDiff,
  type PriceChange,
  type PriceOn,
  type ValueChange,
} from './diff.ts'
import { HEADINGS } from './format-diff.ts'

/** The changes to one part of an event, one sentence each. */
export type ChangeGroup = { readonly title: string; readonly changes: readonly string[] }

/**
 * Returns the changes as sentences, grouped by part. Empty if no change is visible. Labels come from `old` and `next`.
 */
export function describeDiff(
  diff: EventDiff,
  old: EventConfig,
  next: EventConfig,
): readonly ChangeGroup[] {
  const findCategoryLabel = (id: string): string =>
    [...next.categories, ...old.categories].find((category) => category.id === id)?.label ?? id
  const values = omitChangesInsideEntries(diff.values)
  return [
    {
      title: 'Currency',
      changes:
        diff.currency === undefined
          ? []
          : [`The currency changed from ${diff.currency.old} to ${diff.currency.next}.`],
    },
    {
      title: 'Prices',
      changes: diff.prices.map((change) =>
        describePriceChange(change, findCategoryLabel(change.category)),
      ),
    },
    { title: 'Items and charges', changes: diff.sold.map(describeItemChange) },
    {
      title: 'Categories',
      changes: diff.rules.map(({ answers, old: oldCategory, next: newCategory }) =>
        diff.rulesCompared
          ? `With ${answers === '' ? 'all answers' : answers}, the category changed from ${describeCategory(oldCategory, findCategoryLabel)} to ${describeCategory(newCategory, findCategoryLabel)}.`
          : 'The rules that choose the category are written differently. There are too many to compare.',
      ),
    },
    ...Object.entries(HEADINGS).map(([kind, title]) => ({
      title,
      changes: values
        .filter((change) => change.kind === kind)
        .map((change) => describeValueChange(change, describePath(change.path, old, next))),
    })),
  ].filter(({ changes }) => changes.length > 0)
}

function describePriceChange({ from, until, old, next }: PriceChange, label: string): string {
  const days = formatDaysBefore(from, until)
  if (old === null) return `New category ${label}: ${describePrice(next)} (${days}).`
  if (next === null) return `Category ${label} was removed. It was ${describePrice(old)} (${days}).`
  if (old.is !== 'price' || next.is !== 'price')
    return `${label}: was ${describePrice(old)}, now ${describePrice(next)} (${days}).`
  if (old.total !== next.total || old.currency !== next.currency)
    return `Price of ${label} changed from ${describePrice(old)} to ${describePrice(next)} (${days}).`
  return old.base === next.base
    ? `Price of ${label} stays ${describePrice(old)}, in period ${next.period} instead of ${old.period} (${days}).`
    : `Price of ${label} stays ${describePrice(old)}. Its tax changed from ${describeTax(old)} to ${describeTax(next)} (${days}).`
}

function describePrice(price: PriceOn | null): string {
  if (price === null) return 'not offered'
  if (price.is === 'price') return formatPrice(price.total, price.currency ?? INR)
  return { closed: 'closed', 'not-on-sale': 'not on sale', 'no-price': 'free of charge' }[price.is]
}

const describeTax = ({ gst, currency = INR }: PriceOn & { readonly is: 'price' }): string =>
  formatMoney(gst, currency)

const describeCategory = (id: string | null, findLabel: (id: string) => string): string =>
  id === null ? 'none' : findLabel(id)

function describeItemChange({ what, old, next }: ItemChange): string {
  const name = capitalise(what)
  if (old === null) return `${name} was added: ${next}.`
  return next === null
    ? `${name} was removed. It was: ${old}.`
    : `${name} changed from ${old} to ${next}.`
}

function describeValueChange({ kind, old, next }: ValueChange, name: string): string {
  if (old === null) return next === ADDED_ENTRY ? `${name} was added.` : `${name} is now “${next}”.`
  if (next === null)
    return old === ADDED_ENTRY ? `${name} was removed.` : `${name} was removed. It was “${old}”.`
  return kind === 'layout'
    ? `${name} changed from ${old} to ${next}.`
    : `${name} changed from “${old}” to “${next}”.`
}

/** Removes changes inside an added entry, so that an added field counts as one change. */
function omitChangesInsideEntries(values: readonly ValueChange[]): readonly ValueChange[] {
  const wholeEntries = values.filter(({ old, next }) => old === ADDED_ENTRY || next === ADDED_ENTRY)
  return values.filter(
    ({ path }) => !wholeEntries.some((entry) => path.startsWith(`${entry.path}.`)),
  )
}

/** Describes a part of an event by the label of its field, section or list. */
function describePath(path: string, old: EventConfig, next: EventConfig): string {
  const [part = '', id = '', ...rest] = path.split('.')
  const versions = [next, old]
  const label =
    part === 'fields'
      ? versions.flatMap(({ fields }) => fields).find((field) => field.id === id)?.label
      : undefined
  return label === undefined
    ? capitalise(
        [part, id, ...rest]
          .filter((name) => name !== '')
          .map(splitWords)
          .join(' › '),
      )
    : [`Field “${label}”`, ...rest.map(splitWords)].join(' › ')
}

/** Converts `deskCloses` to “desk closes”. */
const splitWords = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
