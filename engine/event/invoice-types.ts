/** Types of the `invoice` section of a compiled event file. */
import type { StateCode } from './gstin.ts'

/** The supplier, as stated in the event file. */
export type Invoice = {
  readonly supplier: string
  readonly address: string
  readonly gstin: string
  readonly sac: string
  /**
   * The state of the venue. Absent in an issuer stored by an older version, which could store the
   * buyer's state here.
   */
  readonly placeOfSupply: { readonly state?: StateCode }
  /** Contains `{n}`, and may contain `{year}`. */
  readonly number: string
  readonly creditNumber: string
  /** A text that the supplier must print, such as the declaration of rule 46(s). */
  readonly declaration?: string
  /** The ids of the fields that ask for the buyer's details. */
  readonly buyer: {
    readonly name?: string
    readonly gstin?: string
    readonly address?: string
    readonly state?: string
  }
}
