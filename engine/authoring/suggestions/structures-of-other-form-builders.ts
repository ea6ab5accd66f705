/** Recognises items, quotas, codes and member lists in other form builders' structure; suggests ours. */
import type { Draft } from '../finding.ts'
import type { SchemaError } from '../schema/json-schemas.ts'
import type { Source } from '../syntax/source.ts'

/** A suggestion for a structure. All other findings at or below the path `covers` have the same cause. */
export type SaleSuggestion = Pick<Draft, 'message' | 'help'> & {
  readonly at: string
  readonly covers: string
}

const ITEM_PRICES = /^fees\.items\.\d+\.prices$/
const ITEM_TABLE = /^fees\.items\.\d+\.prices\.\d+$/

/** Returns the header row of a price table: the names of the file's periods. */
function listColumns(source: Source): string {
  const { fees } = source.value as { readonly fees?: { readonly periods?: unknown } }
  const periods: unknown = fees?.periods
  const ids = Array.isArray(periods)
    ? periods.flatMap((period: unknown) =>
        typeof period === 'object' &&
        period !== null &&
        'id' in period &&
        typeof period.id === 'string'
          ? [period.id]
          : [],
      )
    : []
  return `[${ids.length === 0 ? '…' : ids.join(', ')}]`
}

/** Formats a price table with one row from prices as written: `[500, 600]`, `500`. */
export function formatRow(source: Source, written: string): string {
  const columns = listColumns(source)
  const columnCount = columns.split(',').length
  const cells = written.startsWith('[')
    ? written
    : `[${Array.from({ length: columnCount }, () => (/^\d/.test(written) ? written : '…')).join(', ')}]`
  return `{period: ${columns}, each: ${cells}}`
}

/** Returns the suggestion for a schema error in items and quotas; null if none is known. */
export function suggestSaleStructure(
  source: Source,
  path: string,
  error: SchemaError,
): SaleSuggestion | null {
  const prices = path.replace(/\.\d+$/, '')
  // If a row is written instead of the table, its cells are not tables.
  if (error.keyword === 'type' && ITEM_TABLE.test(path) && typeof error.data !== 'object')
    return {
      at: prices,
      covers: prices,
      message: 'prices belong in a table with the period names in the first row',
      help: `write prices: ${formatRow(source, getRawText(source, prices))}`,
    }
  if (error.keyword === 'type' && ITEM_PRICES.test(path) && typeof error.data === 'number')
    return {
      at: path,
      covers: path,
      message: 'prices belong in a table with the period names in the first row',
      help: `write prices: ${formatRow(source, getRawText(source, path))}`,
    }
  if (error.keyword === 'required' && ITEM_TABLE.test(path) && hasKey(error.data, 'period'))
    return {
      at: path,
      covers: path,
      message: hasKey(error.data, 'when')
        ? 'the prices for delegates to whom `when` applies belong under `table`'
        : 'the prices for all other delegates belong under `otherwise`',
      help: hasKey(error.data, 'when')
        ? `write {when: …, table: {period: ${listColumns(source)}, …}}`
        : `write {otherwise: {period: ${listColumns(source)}, …}}`,
    }
  if (
    error.keyword === 'required' &&
    error.params.missingProperty === 'period' &&
    /^fees\.items\.\d+\.prices/.test(path) &&
    isKeyedByPeriod(source, error.data)
  )
    return {
      at: path,
      covers: path,
      message: 'prices belong in a table with the period names in the first row',
      help: `write {period: [${Object.keys(error.data as object).join(', ')}], each: [${Object.values(error.data as object).join(', ')}]}`,
    }
  if (
    path === 'codes' &&
    ((error.keyword === 'required' && error.params.missingProperty === 'kinds') ||
      error.keyword === 'type')
  )
    return {
      at: path,
      covers: path,
      message:
        'an event file defines code kinds; staff issue the codes in the office, or with rollcall event discount-codes',
      help: 'write codes: {kinds: [{id: faculty, label: Invited faculty, gives: {category: faculty}}]}: this file is public',
    }
  return null
}

/** Returns true if prices are keyed by period, one price each. */
function isKeyedByPeriod(source: Source, table: unknown): boolean {
  const names = listColumns(source).slice(1, -1).split(', ')
  return (
    typeof table === 'object' &&
    table !== null &&
    Object.entries(table).every(
      ([name, price]) => names.includes(name) && (typeof price !== 'object' || price === null),
    )
  )
}

/**
 * Explains a condition on a field that is asked for each listed person. A condition can test only the number of
 * people.
 */
export function explainPeopleCondition(source: Source, path: string, key: string): string | null {
  const peopleFieldId = /\.(?:when|show_when)(?:\.\d+)?\.([a-z0-9_]+)$/.exec(path)?.[1]
  if (peopleFieldId === undefined) return null
  const { form } = source.value as { readonly form?: { readonly sections?: unknown } }
  const sections: readonly unknown[] = Array.isArray(form?.sections) ? form.sections : []
  const fields = sections.flatMap((section): readonly unknown[] => {
    const sectionFields = hasKey(section, 'fields') ? (section as { fields: unknown }).fields : []
    return Array.isArray(sectionFields) ? sectionFields : []
  })
  const isPeople = fields.some((field) => {
    const { id, type } = (field ?? {}) as { readonly id?: unknown; readonly type?: unknown }
    return id === peopleFieldId && type === 'people'
  })
  return isPeople
    ? `a condition tests how many people there are, {${peopleFieldId}: {count: {at_least: 1}}}; an item counts some of them with count: {${peopleFieldId}: {${key}: …}}`
    : null
}

/** Suggests a correction for a value of the wrong type, according to its path. Returns null if none is known. */
export function explainSaleValue(source: Source, path: string, value: unknown): string | null {
  const [entry = 'name'] =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  const valueText = typeof value === 'string' ? value : '…'
  if (/^(?:fees\.(?:items|adjustments)|quotas|codes\.kinds)$/.test(path))
    return `write a list, each entry with a dash and its id: - {id: ${entry}, …}`
  if (/^unique\.\d+$/.test(path) && typeof value === 'string')
    return `write - {fields: [${valueText}], on_duplicate: block, message: You have already registered}`
  if (/^codes\.kinds\.\d+\.gives$/.test(path) && typeof value === 'string')
    return isCategory(source, valueText)
      ? `write gives: {category: ${valueText}}`
      : `write gives: {adjustment: ${valueText}}, or {category: …}`
  if (/^member_lists\.\w+\.columns$/.test(path) && Array.isArray(value))
    return `write each column with its type: {${value.map((entry) => `${String(entry)}: text`).join(', ')}}, or a list such as [life, annual]`
  if (path === 'hold_seats_for')
    return `write ${typeof value === 'number' ? `${value} minutes` : '30 minutes'}`
  return null
}

/** Explains a key missing from a quota, a people field or a tax, and shows how to write it. */
export function explainMissingSaleKey(path: string, key: string, block: unknown): string | null {
  if (/^quotas\.\d+$/.test(path) && key === 'full')
    return 'write full: with the message, such as full: All seats are taken'
  if (key === 'max' && hasKey(block, 'type') && (block as { type: unknown }).type === 'people')
    return 'write max: with the maximum, such as max: 4'
  if (/(?:^|\.)tax$/.test(path) && key === 'name') return 'write name: GST'
  return null
}

function isCategory(source: Source, id: string): boolean {
  const { categories } = source.value as { readonly categories?: unknown }
  return (
    Array.isArray(categories) &&
    categories.some(
      (category: unknown) => hasKey(category, 'id') && (category as { id: unknown }).id === id,
    )
  )
}

function getRawText(source: Source, path: string): string {
  const { start, end } = source.place(path)
  return source.text.slice(start.offset, end.offset).trim()
}

function hasKey(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}
