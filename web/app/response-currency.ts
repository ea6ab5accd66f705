/** Reads the currency of the amounts in a response of the API. */
import { INR, readCurrency } from '../../engine/index.ts'
import type { Currency } from '../../engine/index.ts'

/** Returns the currency of a response, which states its currency only if it is not rupees. */
export const readResponseCurrency = (response: { readonly currency?: unknown }): Currency =>
  readCurrency(response.currency) ?? INR
