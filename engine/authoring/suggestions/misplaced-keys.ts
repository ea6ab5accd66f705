/** Explains valid keys at the wrong nesting level, and states the block that each belongs in. */
import { addDays, isDay, type Day } from '../../lib/time.ts'
import type { Source } from '../syntax/source.ts'

/**
 * The path of a block, the keys that do not belong there, and where they belong. KEY is replaced with the key, and `…`
 * with the value as written.
 */
const MISPLACED_KEYS: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^event$/, /^(?:opens|closes)$/, 'it belongs to registration: registration: {KEY: …}'],
  [/^event$/, /^desk$/, 'it belongs to registration: registration: {desk: …}'],
  [/^event$/, /^(?:form|success|failed)$/, 'it belongs to routes: routes: {KEY: …}'],
  [/^event$/, /^prefix$/, 'it belongs to order_id: order_id: {prefix: …, followed_by: digits}'],
  [
    /^quotas\.\d+$/,
    /^hold_seats_for$/,
    'it applies to all quotas: write it at the top of the file, without indentation',
  ],
  [
    /^payment$/,
    /^(?:until|instructions|expires_after|price_date|office_only|currencies|fields|label)$/,
    'it belongs to one method: payment: {methods: [{id: transfer, KEY: …}]}',
  ],
  [
    /^cancellation$/,
    /^(?:until|refund|otherwise)$/,
    'it belongs to a step: cancellation: {steps: [{until: 2026-12-31, refund: 75%}, {otherwise: none}]}',
  ],
  [/^cancellation\.steps\.\d+$/, /^steps$/, 'remove it: a step has until and refund'],
  [
    /^fees\.tax$/,
    /^(?:from|to|when)$/,
    'a tax that depends on the day or on an answer is a rule: fees: {tax_rules: [{KEY: …, percent: 5}]}',
  ],
  [
    /^results$/,
    /^(?:title|details|notes|notes_title|buttons|intro)$/,
    'it belongs to one of the two pages: results: {success: {KEY: …}}',
  ],
  [
    /^form$/,
    /^(?:lines)$/,
    'it belongs to panel (its sentences) or to summary (the values): form: {panel: {lines: …}}',
  ],
  [
    /^form$/,
    /^(?:button|free_button|busy|empty)$/,
    'it belongs to summary: form: {summary: {KEY: …}}',
  ],
  [/^order_id$/, /^(?:gateway|account)$/, 'it belongs to payment: payment: {KEY: …}'],
]

/** Keys that belong inside `choose` but are written next to it. */
const CHOOSE_KEYS = /^(?:message|at_least|at_most|mutually_exclusive)$/

/** Returns a sentence that says where the key belongs; null if no block accepts it. */
export function explainMisplacedKey(
  source: Source,
  path: string,
  key: string,
  written: string | null,
  block: unknown,
): string | null {
  const value = written !== null && /^[^\n]{1,60}$/.test(written) ? written : '…'
  if (/\.fields\.\d+$/.test(path) && CHOOSE_KEYS.test(key) && hasKey(block, 'choose'))
    return `it belongs to choose, inside its braces: choose: {…, ${key}: ${value}}`
  if (/\bperiods\.\d+$/.test(path) && /^(?:before|after)$/.test(key))
    return explainBoundary(key, value)
  if (/^quotas\.\d+$/.test(path) && /^(?:of|counts?)$/.test(key))
    return explainQuotaOf(source, value)
  const explanation = MISPLACED_KEYS.find(([at, keys]) => at.test(path) && keys.test(key))?.[2]
  return explanation === undefined
    ? null
    : explanation.replace('KEY', key).replace(': …}', `: ${value}}`)
}

const hasKey = (block: unknown, key: string): boolean =>
  typeof block === 'object' && block !== null && Object.hasOwn(block, key)

/** Explains an exclusive boundary: a period includes its first and last day. */
function explainBoundary(key: string, value: string): string {
  const [boundaryKey, dayStep] = key === 'before' ? (['to', -1] as const) : (['from', 1] as const)
  return isDay(value)
    ? `a period includes its ${key === 'before' ? 'last' : 'first'} day: write ${boundaryKey}: ${addDays(value as Day, dayStep)}`
    : `a period includes its ${key === 'before' ? 'last' : 'first'} day: write ${boundaryKey}: with the day ${key} it`
}

type NamedEntry = { readonly id?: unknown; readonly type?: unknown; readonly count?: unknown }
type ParsedFile = {
  readonly form?: { readonly sections?: readonly { readonly fields?: readonly NamedEntry[] }[] }
  readonly fees?: { readonly items?: readonly NamedEntry[] }
}

/**
 * Suggests `count` for a quota of a number field, a people field or the field that an item counts.
 */
function explainQuotaOf(source: Source, value: string): string | null {
  const file = source.value as ParsedFile | null
  const sections = file?.form?.sections
  const fields = Array.isArray(sections)
    ? sections.flatMap(({ fields }) => (Array.isArray(fields) ? fields : []))
    : []
  const items = Array.isArray(file?.fees?.items) ? file.fees.items : []
  const countedField = items.find(({ id }) => id === value)?.count
  const name = typeof countedField === 'string' ? countedField : value
  const type = fields.find(({ id }) => id === name)?.type
  return type === 'number' || type === 'people' ? `write count: ${name}` : null
}
