/** Recognises common ways to write a tax ("18%", "none") and suggests the correct one. */

/** Plausible tax rates for an Indian conference, the most common one first. */
const PLAUSIBLE_PERCENTS: readonly number[] = [18, 12, 5, 28, 40]
const formatExample = (percent: number, prices: string): string =>
  `tax: {name: GST, percent: ${percent}, prices: ${prices}}`

/**
 * Returns the rate that was probably meant by a number with a wrong decimal point, digit or factor: 0.18, 1.8, 1.18,
 * 118, 180, 81 → 18. Returns null if no rate is near.
 */
export function suggestPercent(percent: number): number | null {
  const isSame = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9
  const slips: readonly ((rate: number) => number)[] = [
    (rate) => rate / 100,
    (rate) => 1 + rate / 100,
    (rate) => 100 + rate,
    (rate) => rate / 10,
    (rate) => rate * 10,
    (rate) => rate * 100,
    (rate) => rate / 1000,
    (rate) => Number([...String(rate)].reverse().join('')),
    (rate) => rate / 2,
    (rate) => -rate,
    (rate) => Number(String(rate)[0]),
    (rate) => Number(String(rate)[1] ?? Number.NaN),
  ]
  return (
    PLAUSIBLE_PERCENTS.find((rate) => slips.some((slip) => isSame(slip(rate), percent))) ?? null
  )
}

/** Returns true for a word or a number that means no tax. */
export const meansNoTax = (value: unknown): boolean =>
  value === null ||
  value === false ||
  value === 0 ||
  (typeof value === 'string' &&
    /^\s*(?:none|no|nil|n\/?a|not applicable|exempt(?:ed)?|without|zero|free|false|no (?:gst|tax)|0\s*%?|-+|–)\s*$/i.test(
      value,
    ))

const REMOVE_TAX_HELP = 'an event without tax has no `tax`: remove it'

/** Interprets a word as a value of `prices`; null if it matches none. */
function readPriceMode(text: string): 'inclusive' | 'exclusive' | null {
  if (/\b(?:not\W+incl|excl|exclu|extra|add|on[ _-]?top|plus|without|outside|separate)/i.test(text))
    return 'exclusive'
  return /\b(?:incl|inside|with|within|included|contain)/i.test(text) ? 'inclusive' : null
}

function suggestTax(value: unknown): string {
  if (meansNoTax(value)) return REMOVE_TAX_HELP
  if (typeof value === 'object') return 'the key is `tax`: {name, percent, prices}'
  const valueText = String(value)
  const number = /\d+(?:\.\d+)?/.exec(valueText)?.[0]
  const percent = number === undefined ? 18 : (suggestPercent(Number(number)) ?? Number(number))
  const mode = typeof value === 'string' ? readPriceMode(valueText) : null
  return `write ${formatExample(percent, mode ?? 'exclusive')}${mode === null ? ', or `inclusive` if the prices include it' : ''}; if the event has no tax, remove it`
}

const KEY_BY_SYNONYM: Readonly<Record<string, string>> = {
  rate: 'percent',
  percentage: 'percent',
  pct: 'percent',
  value: 'percent',
  amount: 'percent',
  gst: 'percent',
  type: 'prices',
  mode: 'prices',
  included: 'prices',
  inclusive: 'prices',
  exclusive: 'prices',
  price: 'prices',
  label: 'name',
  title: 'name',
  rounding: 'round',
}

/**
 * Returns the correct notation for a tax in an event file. `path` is the path of the invalid structure, `value` its
 * value. Returns null if the path does not concern a tax or no better notation is known.
 */
export function explainTax(path: string, value: unknown): string | null {
  const [first = '', second = '', third = '', ...deeperKeys] = path.split('.')
  if (deeperKeys.length > 0) return null
  if (first === 'fees' && second === 'tax') {
    if (third === '') return typeof value === 'object' && value !== null ? null : suggestTax(value)
    if (third === 'percent') {
      if (meansNoTax(value)) return REMOVE_TAX_HELP
      const number = /-?\d*\.?\d+/.exec(String(value))?.[0]
      const suggestion =
        number === undefined ? 18 : (suggestPercent(Number(number)) ?? Number(number))
      return `write ${suggestion >= 0 && suggestion <= 100 ? suggestion : 18}, without a sign or a word`
    }
    if (third === 'prices' && typeof value === 'string') {
      const mode = readPriceMode(value.replaceAll('_', ' '))
      return mode === null ? null : `write ${mode}`
    }
    const key = KEY_BY_SYNONYM[third.toLowerCase()]
    return key === undefined ? null : `write ${key}: ${EXAMPLE_VALUES[key] ?? ''}`
  }
  const taxKeyPattern =
    /^(?:no_)?(?:gst|vat|igst|tax|taxes|service_tax)(?:_(?:percent|rate|percentage|included|inclusive|exclusive|extra|name|type))?$/i
  if (first === 'fees' && third === '' && taxKeyPattern.test(second))
    return /^no_/i.test(second) || meansNoTax(value) ? REMOVE_TAX_HELP : suggestTax(value)
  return second === '' && taxKeyPattern.test(first)
    ? meansNoTax(value) || /^no_/i.test(first)
      ? REMOVE_TAX_HELP
      : `it belongs under fees: ${formatExample(18, 'exclusive')}`
    : null
}
const EXAMPLE_VALUES: Readonly<Record<string, string>> = {
  percent: '18',
  prices: 'exclusive, or inclusive',
  name: 'GST',
  round: 'rupee',
}
