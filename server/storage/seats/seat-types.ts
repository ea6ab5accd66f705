/** Defines the types in which the store reports seats to its callers. */

/** A seat type with its quota (`max`) and the number of held or kept seats. */
export type StoredSeats = {
  readonly quotaKey: string
  readonly max: number
  readonly taken: number
}
/** A seat that other registrations have taken. `name` is its label. */
export type UnavailableSeat = { readonly place: string; readonly name: string }
