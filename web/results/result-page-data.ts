/** The data of a result page: the stored registration, and the parameters of its URL. */
import type { RegistrationResponse } from '../../engine/api.ts'

export type Registration = RegistrationResponse['registration']
/** URL parameters: shown if there is no stored value, never trusted. */
export type ResultPageParams = {
  readonly orderId: string | null
  readonly amount: string | null
  /** ISO 4217 code of the amount. Null for INR. */
  readonly currency?: string | null
  readonly date: string | null
}
