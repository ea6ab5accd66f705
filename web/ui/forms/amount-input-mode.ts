/** Chooses the keyboard of a phone for an amount. */
import { formatPlainAmount, toAmount } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'

/** Returns a keyboard with a decimal point only if the currency has decimals. */
export const getAmountInputMode = (currency: Currency): 'decimal' | 'numeric' =>
  formatPlainAmount(toAmount(0), currency).includes('.') ? 'decimal' : 'numeric'
