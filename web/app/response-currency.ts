/** Reads the currency of the amounts in a response of the API. */
import { INR, readCurrency } from '../../engine/index.ts'
import type { Currency } from '../../engine/index.ts'

/** A response in rupees does not state its currency. */
export const readResponseCurrency = (response: { readonly currency?: unknown }): Currency =>
  readCurrency(response.currency) ?? INR
