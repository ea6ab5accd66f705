/** Finds the currency of a fee table: the symbol in its prices, or a currency mentioned elsewhere. */
import { suggestAmount } from '../../../suggestions/amount-notations.ts'
import { listCurrencySigns, RUPEE_SIGN } from '../../../suggestions/currency-notations.ts'
import { formatCurrency, INR, type Currency } from '../../../../lib/money.ts'
import { isPriceCell } from './cells.ts'
import type { FeeTable } from './parts.ts'

type TableCurrency = Pick<FeeTable, 'currency' | 'currencyAsked'>

/**
 * Returns the currency of the table, or the currency to ask about. Returns neither for rupees, or for prices in several
 * currencies.
 */
export function findTableCurrency(rows: readonly (readonly string[])[]): TableCurrency {
  const text = rows.map((row) => row.join('\t')).join('\n')
  const namedCurrencies = new Set(
    listCurrencySigns(INR).flatMap(({ currency, pattern }) =>
      new RegExp(pattern, 'iu').test(text) ? [currency] : [],
    ),
  )
  const [onlyCurrency] = namedCurrencies
  if (
    onlyCurrency === undefined ||
    namedCurrencies.size > 1 ||
    new RegExp(RUPEE_SIGN, 'iu').test(text)
  )
    return {}
  const amounts = rows
    .flatMap((row) => row.slice(1))
    .filter((cell) => /\d/.test(cell) && isPriceCell(cell, INR))
  const signedAmounts = amounts.filter((cell) => suggestAmount(cell)?.is === 'other-currency')
  if (signedAmounts.length === 0) return { currencyAsked: onlyCurrency }
  return signedAmounts.length === amounts.length ? { currency: onlyCurrency } : {}
}

/** Reports prices in another currency once. Returns null if there are none. */
export function explainOtherCurrency(
  { rows }: FeeTable,
  periods: readonly string[],
  currency: Currency,
): { readonly row?: number; readonly column?: number; readonly message: string } | null {
  const foreignCells = rows.flatMap(({ label, cells }, row) =>
    cells.flatMap((cell, column) =>
      isInOtherCurrency(cell, currency) ? [{ row, column, label: label.trim() }] : [],
    ),
  )
  const [first] = foreignCells
  if (first === undefined) return null
  const help = `you can enter only prices in ${formatCurrency(currency)} here. Add prices in other currencies to the file later.`
  if (
    foreignCells.length === rows.length &&
    foreignCells.every(({ column }) => column === first.column)
  )
    return {
      column: first.column,
      message: `The prices of “${periods[first.column]}” are in a different currency. Remove the column: ${help}`,
    }
  const names = [...new Set(foreignCells.map(({ label }) => `“${label}”`))]
  return {
    row: first.row,
    message: `The prices of ${names.join(', ')} are in a different currency. Remove ${names.length === 1 ? 'the row' : 'these rows'}: ${help}`,
  }
}

export const isInOtherCurrency = (cell: string, currency: Currency): boolean =>
  suggestAmount(cell, currency)?.is === 'other-currency'

/** Asks whether the prices are in the currency that the table mentions. */
export const askAboutCurrency = (namedCurrency: Currency): string =>
  `The table mentions ${namedCurrency}. Are its prices in ${namedCurrency}, or in rupees?`
