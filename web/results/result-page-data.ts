/** What a result page knows: the stored registration, and what its own address says. */
import type { RegistrationAnswer } from '../../engine/index.ts'

export type Registration = RegistrationAnswer['registration']
/** What the address says: shown where nothing better is known, never believed. */
export type Query = {
  readonly orderId: string | null
  readonly amount: string | null
  readonly date: string | null
}
