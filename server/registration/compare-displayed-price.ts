/** Compares the price and category that the browser displayed with the server's own quote. */
import { getOwn, readAmount, memoize } from '../../engine/index.ts'
import type { EventConfig, Quote } from '../../engine/index.ts'

/**
 * Parameter names of the specification, accepted whatever the event file says. A form field of the same name is
 * an answer.
 */
const USUAL_NAMES: Readonly<Record<string, string>> = {
  base_amount: 'base',
  gst_amount: 'gst',
  total_amount: 'total',
  registration_category: 'category',
}

/** In order of reporting: price, then category, then period, which may change without the others. */
export type Difference = 'price' | 'category' | 'period'
export type Comparison =
  /** `said`: the values that were sent, by meaning. */
  | { readonly is: 'same'; readonly said: ReadonlySet<string> }
  | { readonly is: 'differs'; readonly in: Difference }
  | { readonly is: 'unreadable'; readonly name: string }

/**
 * Compares amounts as whole paise, parsed from decimal text; blank means not sent. `quote` null: the event has no
 * prices.
 */
export function compareSent(
  event: EventConfig,
  values: Readonly<Record<string, unknown>>,
  category: string | null,
  quote: Quote | null,
): Comparison {
  const differs = new Set<Difference>()
  const said = new Set<string>()
  for (const [name, means] of meaningsOf(event)) {
    const sent = textOf(getOwn(values, name))
    if (sent === '') continue
    if (sent === null) return { is: 'unreadable', name }
    said.add(means)
    if (means === 'base' || means === 'gst' || means === 'total') {
      const amount = readAmount(sent)
      if (amount === null) return { is: 'unreadable', name }
      if (amount !== quote?.[means]) differs.add('price')
    } else if (means === 'category' && sent !== category) differs.add('category')
    else if (means === 'period' && sent !== quote?.period) differs.add('period')
  }
  const first = ORDER.find((difference) => differs.has(difference))
  return first === undefined ? { is: 'same', said } : { is: 'differs', in: first }
}

const ORDER: readonly Difference[] = ['price', 'category', 'period']

const meaningsOf = memoize((event: EventConfig): ReadonlyMap<string, string> => {
  const fields = new Set(event.fields.map(({ id }) => id))
  const usual = Object.entries(USUAL_NAMES).filter(([name]) => !fields.has(name))
  return new Map([...usual, ...Object.entries(event.api.sends)])
})

/** Null: neither text nor a number. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? String(value) : null
}
