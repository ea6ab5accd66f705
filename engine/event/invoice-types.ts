/** The `invoice` section of a compiled event file. */
import type { StateCode } from './gstin.ts'

/** Who supplies, as the event file says it. */
export type Invoice = {
  readonly supplier: string
  readonly address: string
  readonly gstin: string
  readonly sac: string
  /** The state of the venue. Absent in an issuer that an older version stored: there it could be the buyer's. */
  readonly placeOfSupply: { readonly state?: StateCode }
  /** Hold `{n}`, and may hold `{year}`. */
  readonly number: string
  readonly creditNumber: string
  /** A text that the supplier has to print, such as the declaration of rule 46(s). */
  readonly declaration?: string
  /** Ids of fields. */
  readonly buyer: {
    readonly name?: string
    readonly gstin?: string
    readonly address?: string
    readonly state?: string
  }
}
