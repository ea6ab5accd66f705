/** Reads the currency of the amounts in an API response. */
import { INR, readCurrency } from '../../engine/index.ts'
import type { Currency } from '../../engine/index.ts'

/** Returns the currency of a response. Responses state their currency only if it is not the rupee. */
export const readResponseCurrency = (response: { readonly currency?: unknown }): Currency =>
  readCurrency(response.currency) ?? INR
